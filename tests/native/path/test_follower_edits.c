// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers on meshes that change under way: removed and replaced tiles, closed and opened polygons, doors that open and close, goals
// behind closed doors.
#include "campaigns.h"

static CrPathContext *context_of(const CrNavMesh *mesh, uint64_t number, const CrQueryFilter *filter) {
  return make_context(mesh, number / 4 % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON, 1024, filter);
}

static bool on_the_way(const CrFollower *follower) {
  return follower->state == CR_FOLLOWER_MOVING || follower->state == CR_FOLLOWER_OFF_MESH_LINK;
}

static bool at_its_goal(const CrFollower *follower) {
  return follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
}

// --- Edits under way ----------------------------------------------------------------------------------------------------

// Whether a fresh query from the follower's polygon reaches the polygon a replan would choose for the target.
static bool reachable_now(const CrFollower *follower, CrPathContext *probe) {
  static CrPolyRef path[8192];
  CrNearestPoly end;
  CrPathResult result;
  if (follower->corridor.count == 0) return false;
  if (cr_query_nearest_poly(probe->query, follower->destination, EXTENTS, probe->filter, &end, NULL) != CR_STATUS_OK)
    return false;
  CrStatus status = cr_query_find_path(probe->query, follower->corridor.path[0], follower->position, end.ref, end.point,
                                       probe->filter, path, 8192, &result, NULL);
  return status == CR_STATUS_OK && result.outcome == CR_PATH_SUCCESS;
}

// The look-ahead vouches for the first polygons only; those farther off may still be ones an edit has closed.
static void check_start(const CrCorridor *corridor, const CrPathContext *context) {
  CrCorridor start = *corridor;
  start.count = corridor->count < 4 ? corridor->count : 4;
  start.complete = false;
  check_sound(&start, context);
}

typedef struct Outcome {
  int runs, there, reachable, reached, no_path, restarted;
} Outcome;

// Edits at random moments, and a filter to whom areas make a difference in every other run.
static void walk_through_edits(CrFollower *follower, CrPathContext *context, CrNavMesh *mesh, const TileStore *store,
                               uint64_t *seed, EditCounts *edits) {
  int steps = 20 + rnd_int(seed, 130);
  for (int step = 0; step < steps; step++) {
    if (rnd_int(seed, 12) == 0) edit_at_random(mesh, store, seed, edits);
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    CHECK(cr__is_finite(follower->position.x) && cr__is_finite(follower->velocity.x));
  }
}

// One that has given up, or whose way ends at the closest point, does not look for a way of itself: it is to be asked again.
static bool rests_content(const CrFollower *follower) {
  bool settled = !follower->corridor.complete && !follower->corridor.needs_replan;
  return settled || (!on_the_way(follower) && !follower->reached_target);
}

// Edits while it walks; after the last ones, which come when it is on a way to the target, it must reach the target exactly when a
// fresh query says it can.
static void edit_run(uint64_t number, EditCounts *edits, Outcome *outcome) {
  uint64_t seed = number * 6151 + 3;
  CrNavMesh *mesh = tiled_world((int)(number % 1000)), *other = tiled_world((int)(number % 1000) + 1000);
  CrQueryFilter filter = cr_query_filter_default();
  if (number / 8 % 2) filter.area_cost[1] = 2.0, filter.area_cost[2] = 0.7;
  CrPathContext *context = context_of(mesh, number, &filter), *probe = context_of(mesh, number, &filter);
  TileStore *store = store_tiles(mesh, other);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
  CrVec3 destination = world_random_point(mesh, &seed, NULL);
  REQUIRE_OK(cr_follower_set_destination(follower, context, destination, NULL));
  walk_through_edits(follower, context, mesh, store, &seed, edits);
  if (rests_content(follower)) REQUIRE_OK(cr_follower_set_destination(follower, context, destination, NULL));
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  bool content = rests_content(follower);
  for (int k = rnd_int(&seed, 6); k >= 0; k--) edit_at_random(mesh, store, &seed, edits);
  if (content) REQUIRE_OK(cr_follower_set_destination(follower, context, destination, NULL));
  outcome->restarted += content;
  // One that is crossing a link goes on from its exit, with the first step after that.
  for (bool crossing = true; crossing;) {
    crossing = follower->state == CR_FOLLOWER_OFF_MESH_LINK;
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  }
  bool reachable = reachable_now(follower, probe), gone = follower->state == CR_FOLLOWER_NO_PATH;
  bool there = at_its_goal(follower);
  for (int step = 0; step < 4000 && on_the_way(follower); step++) {
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    if (follower->state == CR_FOLLOWER_MOVING) check_start(&follower->corridor, context);
  }
  bool reached = at_its_goal(follower);
  if (!there) CHECK(reached == reachable);
  if (gone) CHECK(!reachable);
  outcome->runs++;
  outcome->there += there;
  outcome->reachable += reachable && !there;
  outcome->reached += reached && !there;
  outcome->no_path += gone;
  free_tiles(store);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_path_context_destroy(probe);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(other);
}

TEST(edits_under_way) {
  EditCounts edits = {0};
  Outcome outcome = {0};
  for (int number = 0; number < check_scaled(400); number++) {
    check_seed = (uint64_t)number;
    edit_run((uint64_t)number, &edits, &outcome);
  }
  printf("  %d runs: ", outcome.runs);
  print_edits(&edits);
  printf(
      "\n  %d there before the last edit; of the others %d can reach the target, %d reached it; %d without a path, %d "
      "asked again\n",
      outcome.there, outcome.reachable, outcome.reached, outcome.no_path, outcome.restarted);
  CHECK(outcome.reached > 0 && outcome.reached + outcome.there < outcome.runs);
}

// --- Doors --------------------------------------------------------------------------------------------------------------

// The corridor of a fresh query, or null when it does not reach.
static CrCorridor *way_now(CrPathContext *probe, CrVec3 from, CrVec3 to) {
  CrCorridor *way = planned_corridor(probe, 256, from, to);
  if (way->complete) return way;
  cr_corridor_destroy(way);
  return NULL;
}

enum { MOST_DOORS = 16 };

typedef struct Doors {
  int count;
  CrPolyRef refs[MOST_DOORS];
  int periods[MOST_DOORS], phases[MOST_DOORS];
} Doors;

// Closes polygons of the way there is until the goal is cut off. With `keep_a_way` the one that would do that stays open.
static Doors close_doors(CrNavMesh *mesh, CrPathContext *probe, CrVec3 from, CrVec3 to, bool keep_a_way,
                         uint64_t *seed) {
  Doors doors = {0};
  for (int tries = 0; tries < 40 && doors.count < MOST_DOORS; tries++) {
    CrCorridor *way = way_now(probe, from, to);
    CrPolyRef ref = way && way->count > 2 ? way->path[1 + rnd_int(seed, way->count - 2)] : CR_INVALID_REF;
    cr_corridor_destroy(way);
    if (ref == CR_INVALID_REF) break;
    REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, 0, NULL));
    way = keep_a_way ? way_now(probe, from, to) : NULL;
    if (keep_a_way && !way) {
      REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, 1, NULL));
      continue;
    }
    cr_corridor_destroy(way);
    doors.periods[doors.count] = 45 + rnd_int(seed, 200);  // 1.5 to 8 seconds
    doors.phases[doors.count] = rnd_int(seed, 500);
    doors.refs[doors.count++] = ref;
  }
  return doors;
}

static void set_doors(CrNavMesh *mesh, const Doors *doors, bool open) {
  for (int k = 0; k < doors->count; k++) REQUIRE_OK(cr_navmesh_set_flags(mesh, doors->refs[k], open, NULL));
}

static void move_doors(CrNavMesh *mesh, const Doors *doors, int step, int *moves) {
  for (int k = 0; k < doors->count; k++) {
    int time = step + doors->phases[k], period = doors->periods[k];
    if (step > 0 && time % period != 0) continue;
    REQUIRE_OK(cr_navmesh_set_flags(mesh, doors->refs[k], (uint16_t)(time / period % 2), NULL));
    *moves += step > 0;
  }
}

typedef struct DoorTally {
  int runs, moves, longest, enclosed;
  double worst, sum;
} DoorTally;

// Steps until the goal is reached. Only an agent enclosed by closed doors, from where no query finds a way, may settle for less; it
// is asked again every second.
static int walk_past_doors(CrFollower *follower, CrPathContext *context, CrPathContext *probe, CrNavMesh *mesh,
                           const Doors *doors, DoorTally *tally) {
  bool settled = false;
  int step = 0;
  for (; !at_its_goal(follower) && step < 20000; step++) {
    move_doors(mesh, doors, step, &tally->moves);
    if (!on_the_way(follower) && step % 30 == 0) {
      REQUIRE_OK(cr_follower_set_destination(follower, context, follower->destination, NULL));
    }
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    bool was_settled = settled;
    settled = rests_content(follower);
    if (!settled || was_settled || follower->state == CR_FOLLOWER_OFF_MESH_LINK) continue;
    CHECK(!reachable_now(follower, probe));
    tally->enclosed++;
  }
  return step;
}

// Doors on the ways from here to there open and close for ever; with all of them closed there is still a way, `sure` long.
static void door_run(uint64_t number, DoorTally *tally) {
  uint64_t seed = number * 3571 + 29;
  CrNavMesh *mesh = number % 2 ? world_two_floors(number, 18, 17, 1.0, 5.0, 8, 6, NULL)
                               : world_scattered(number, 24, 24, 1.0, 0.15, 6, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = context_of(mesh, number * 2, &filter);
  CrPathContext *probe = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, &filter);
  CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
  Doors doors = close_doors(mesh, probe, from, to, true, &seed);
  double sure = fresh_length(probe, from, to);
  set_doors(mesh, &doors, true);
  if (sure > 3.0 && doors.count > 0) {
    CrFollowerOptions options = cr_follower_options_humanoid();
    CrFollower *follower = make_follower(context, &options, from);
    REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
    int steps = walk_past_doors(follower, context, probe, mesh, &doors, tally);
    CHECK(at_its_goal(follower));
    double share = steps * DT * options.max_speed / sure;
    tally->runs++;
    tally->sum += share;
    tally->worst = cr__max(tally->worst, share);
    tally->longest = steps > tally->longest ? steps : tally->longest;
    cr_follower_destroy(follower);
  }
  cr_path_context_destroy(context);
  cr_path_context_destroy(probe);
  cr_navmesh_destroy(mesh);
}

TEST(doors_never_lock_an_agent_out) {
  DoorTally tally = {0};
  for (int number = 0; number < check_scaled(300); number++) {
    check_seed = (uint64_t)number;
    door_run((uint64_t)number, &tally);
  }
  printf(
      "  %d walks past doors that moved %d times; time by that of the way that is always open: worst %.2f, mean %.2f; "
      "longest %d steps; %d times enclosed\n",
      tally.runs, tally.moves, tally.worst, tally.sum / tally.runs, tally.longest, tally.enclosed);
  CHECK(tally.runs > 0 && tally.moves > tally.runs);
}

// --- Goals out of reach -------------------------------------------------------------------------------------------------

typedef struct Arrivals {
  int count;
  bool reached;  // of the last one
} Arrivals;

static void step_and_listen(CrFollower *follower, CrPathContext *context, Arrivals *arrivals) {
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  int32_t count = cr_follower_events(follower, events);
  for (int32_t k = 0; k < count; k++) {
    if (events[k].kind != CR_EVENT_ARRIVED) continue;
    arrivals->count++;
    arrivals->reached = events[k].reached_target;
  }
}

static Arrivals walk_and_listen(CrFollower *follower, CrPathContext *context) {
  Arrivals arrivals = {0};
  for (int step = 0; on_the_way(follower) && step < 20000; step++) step_and_listen(follower, context, &arrivals);
  return arrivals;
}

static CrVec3 nearest_of(const CrPathContext *context, CrPolyRef ref, CrVec3 point, double *distance) {
  const CrTile *tile = cr__resolve(context->mesh, ref);
  double distance2;
  CrVec3 nearest = cr__polygon_nearest(tile, cr__ref_polygon(ref), point, (double)__builtin_inf(), &distance2);
  *distance = cr__dist(nearest, point);
  return nearest;
}

// The distance in space from the goal to the nearest point of the polygons that can be reached.
static double least_distance(const CrPathContext *context, CrPolyRef start, CrVec3 goal) {
  CrPolyRef *reached = malloc(cr_navmesh_polygon_count(context->mesh) * sizeof *reached);
  int32_t count = reached_from(context->mesh, context->filter, start, reached);
  double least = (double)__builtin_inf(), distance;
  for (int32_t k = 0; k < count; k++) {
    nearest_of(context, reached[k], goal, &distance);
    least = cr__min(least, distance);
  }
  free(reached);
  return least;
}

// It stands: the same bytes but for the step counter, no velocity, nothing to report.
static void check_rests(CrFollower *follower, CrPathContext *context) {
  static StateBytes before, after;
  Arrivals arrivals = {0};
  take_state(follower, &before);
  uint64_t steps = follower->step_count;
  for (int step = 0; step < 20; step++) step_and_listen(follower, context, &arrivals);
  CHECK(follower->step_count == steps + 20);
  follower->step_count = steps;
  take_state(follower, &after);
  CHECK(same_state(&before, &after));
  CHECK_INT(arrivals.count, 0);
  CHECK(cr__same_point(follower->velocity, cr__vec(0.0, 0.0, 0.0)));
}

// At the closest point there is, standing: exactly, without an arrival radius.
static void check_closest(const CrFollower *follower, const CrPathContext *context, CrVec3 goal, double least) {
  const CrCorridor *corridor = &follower->corridor;
  double radius = follower->options.arrival_radius, distance;
  CrVec3 end = nearest_of(context, corridor->path[corridor->count - 1], goal, &distance);
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && !follower->reached_target && !corridor->complete);
  CHECK(cr__same_point(follower->velocity, cr__vec(0.0, 0.0, 0.0)));
  CHECK_NEAR(distance, least, 1e-9);
  CHECK(radius > 0.0 ? cr__dist_xz(follower->position, end) <= radius : cr__same_point(follower->position, end));
}

typedef struct ClosedTally {
  int runs;
  double farthest, sum;
} ClosedTally;

static void closed_run(uint64_t number, ClosedTally *tally) {
  uint64_t seed = number * 4241 + 31;
  CrNavMesh *mesh = number % 3 == 0 ? world_two_floors(number, 18, 17, 1.0, 5.0, 3, 6, NULL)
                                    : world_scattered(number, 24, 24, 1.0, 0.3, number % 3 == 1 ? 0 : 6, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = context_of(mesh, number, &filter);
  CrPathContext *probe = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, &filter);
  CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
  bool connected = fresh_length(probe, from, to) >= 0.0;
  Doors doors = close_doors(mesh, probe, from, to, false, &seed);
  if (connected && doors.count > 0 && fresh_length(probe, from, to) < 0.0) {
    CrFollowerOptions options = cr_follower_options_humanoid();
    if (number % 2) options.arrival_radius = 0.0;
    CrFollower *follower = make_follower(context, &options, from);
    double least = least_distance(context, follower->corridor.path[0], to);
    REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
    Arrivals arrivals = walk_and_listen(follower, context);
    CHECK(arrivals.count == 1 && !arrivals.reached);
    check_closest(follower, context, to, least);
    check_rests(follower, context);
    tally->runs++;
    tally->sum += least;
    tally->farthest = cr__max(tally->farthest, least);
    // A way opens: it is taken when the destination is set, not before.
    set_doors(mesh, &doors, true);
    check_rests(follower, context);
    REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
    CHECK(follower->state == CR_FOLLOWER_MOVING);
    arrivals = walk_and_listen(follower, context);
    CHECK(arrivals.count == 1 && arrivals.reached && at_its_goal(follower));
    CHECK(cr__dist_xz(follower->position, to) <= options.arrival_radius);
    cr_follower_destroy(follower);
  }
  cr_path_context_destroy(context);
  cr_path_context_destroy(probe);
  cr_navmesh_destroy(mesh);
}

TEST(closest_point_of_goals_out_of_reach) {
  ClosedTally tally = {0};
  for (int number = 0; number < check_scaled(300); number++) {
    check_seed = (uint64_t)number;
    closed_run((uint64_t)number, &tally);
  }
  printf("  %d goals cut off by doors; distance of the closest point: worst %.2f, mean %.2f\n", tally.runs,
         tally.farthest, tally.sum / tally.runs);
  CHECK(tally.runs > 0);
}

// A door on the short way opens and closes every few seconds; the long way round stays open.
TEST(door_that_opens_and_closes) {
  const char *map =
      "....................\n"
      ".##################.\n"
      ".#................#.\n"
      ".#.##############.#.\n"
      "...................."
      "\n"
      ".####.############..\n"
      "....................\n";
  int longest = 0;
  for (int period = 5; period < 200; period += 13) {
    check_seed = (uint64_t)period;
    CrNavMesh *mesh = world_from_map(map, 1.0, 10, NULL);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, (CrNodeModel)(period % 2), 1024, &filter);
    CrFollowerOptions options = cr_follower_options_humanoid();
    CrFollower *follower = make_follower(context, &options, cr__vec(5.5, 0, 4.5));
    CrPolyRef door = polygon_at(context, 5.5, 5.5);
    REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(5.5, 0, 6.5), NULL));
    int steps = 0;
    while (follower->state == CR_FOLLOWER_MOVING && steps < 6000) {
      if (steps % period == 0) cr_navmesh_set_flags(mesh, door, (uint16_t)(steps / period % 2), NULL);
      REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
      steps++;
    }
    CHECK(follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target);
    longest = steps > longest ? steps : longest;
    cr_follower_destroy(follower);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  longest walk %d steps\n", longest);
}

// A goal behind a closed door is walked to as near as can be, and reached when the door opens and the goal is set again.
TEST(closed_then_opened) {
  CrNavMesh *mesh = world_from_map(".....#.....\n...........\n.....#.....\n", 1.0, 0, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.arrival_radius = 0.0;
  CrPolyRef door = polygon_at(context, 5.5, 1.5);
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, door, 0, NULL));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(9.5, 0, 0.5), NULL));
  for (int k = 0; k < 300; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && !follower->reached_target);
  CHECK(cr__same_point(follower->position, cr__vec(5.0, 0, 0.5)));
  CHECK(cr__same_point(follower->velocity, cr__vec(0, 0, 0)));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, door, 1, NULL));
  for (int k = 0; k < 30; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED);
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(9.5, 0, 0.5), NULL));
  for (int k = 0; k < 300; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target);
  CHECK(cr__same_point(follower->position, cr__vec(9.5, 0, 0.5)));
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(edits_under_way), RUN(doors_never_lock_an_agent_out), RUN(closest_point_of_goals_out_of_reach),
          RUN(door_that_opens_and_closes), RUN(closed_then_opened))
