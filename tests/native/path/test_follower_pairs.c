// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers on random pairs of points: every reachable goal is reached, and the way walked is compared with the string pulled
// through a fresh crossing-node route, twice: in x and z, where strings are pulled, and in space against that string laid onto the
// ground (steps and bends of the ground between two corners are walked, but are no part of a string).
#include "campaigns.h"

// --- What a fresh route is long -----------------------------------------------------------------------------------------

typedef struct Length {
  double flat, space;
} Length;

static void add_move(Length *length, CrVec3 from, CrVec3 to) {
  length->flat += cr__dist_xz(from, to);
  length->space += cr__dist(from, to);
}

static double string_length(const CrCorridor *corridor, const CrPathContext *context) {
  static CrCorner corners[4096];
  int32_t count;
  double length = 0.0;
  REQUIRE(cr_corridor_find_corners(corridor, context, corners, 4096, &count) == CR_STRAIGHT_OK);
  for (int32_t k = 1; k < count; k++) length += cr__dist_xz(corners[k - 1].point, corners[k].point);
  return length;
}

// Moves the corridor along its first leg in short moves; false at its end.
static bool walk_leg(CrCorridor *corridor, CrPathContext *context, Length *length) {
  CrCorner corners[3];
  int32_t count;
  cr_corridor_find_corners(corridor, context, corners, 3, &count);
  if (count < 2) return false;
  CrVec3 from = corridor->position, to = corners[1].point;
  if (corners[0].flags & CR_CORNER_OFF_MESH) {
    add_move(length, from, to);
    cr__corridor_drop_front(corridor, corners[1].path_index);
    corridor->position = to;
    return true;
  }
  int pieces = 1 + (int)(cr__dist_xz(from, to) / 0.1), whole = corridor->count;
  for (int k = 1; k <= pieces; k++) {
    CrVec3 before = corridor->position;
    int32_t limit = corners[1].path_index + 1 - (whole - corridor->count);
    REQUIRE(cr_corridor_move_along(corridor, context, k < pieces ? cr__lerp(from, to, (double)k / pieces) : to, limit));
    add_move(length, before, corridor->position);
  }
  return !(corners[1].flags & CR_CORNER_END);
}

// The length of a fresh route; false when there is none. Laid onto the ground it must be as long in x and z as its string.
static bool fresh_route(CrPathContext *crossing, CrVec3 from, CrVec3 to, Length *out) {
  CrCorridor *corridor = planned_corridor(crossing, 256, from, to);
  bool complete = corridor->complete;
  *out = (Length){0};
  if (complete) {
    double string = string_length(corridor, crossing);
    while (walk_leg(corridor, crossing, out)) continue;
    CHECK_NEAR(out->flat, string, 1e-6);
  }
  cr_corridor_destroy(corridor);
  return complete;
}

// --- One walk -----------------------------------------------------------------------------------------------------------

// Steps until the follower rests; false when it does not come to rest in time.
static bool walk_until_rest(CrFollower *follower, CrPathContext *context, double expected, Length *walked) {
  int64_t most = (int64_t)(expected / (follower->options.max_speed * DT) * 4.0) + 3000;
  *walked = (Length){0};
  for (int64_t step = 0; step < most; step++) {
    CrVec3 before = follower->position;
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    add_move(walked, before, follower->position);
    if (follower->state != CR_FOLLOWER_OFF_MESH_LINK) check_sound(&follower->corridor, context);
    CrFollowerState state = follower->state;
    if (state != CR_FOLLOWER_MOVING && state != CR_FOLLOWER_OFF_MESH_LINK) return true;
  }
  return false;
}

typedef struct Figure {
  double worst, sum;
  int over;
  uint64_t worst_seed;
} Figure;

static void note(Figure *figure, double ratio, double limit) {
  figure->sum += ratio;
  figure->over += ratio > limit;
  if (ratio > figure->worst) figure->worst = ratio, figure->worst_seed = check_seed;
}

typedef struct Tally {
  int pairs, reachable, reached, rounds;
  double limit, farthest_end;
  Figure flat, space;
} Tally;

typedef struct Walkers {
  CrPathContext *context, *crossing;
  CrNodeModel model;
  const CrFollowerOptions *options;
} Walkers;

// What made a walk too long can only be a search after the replan that did not end within its budget: with more of it it is not.
static void check_explained(const Walkers *walkers, CrVec3 from, CrVec3 to, double most) {
  CrFollowerOptions options = *walkers->options;
  Length walked;
  options.refine_budget = 2000;
  CrPathContext *patient = make_context(walkers->context->mesh, walkers->model, cr_path_local_nodes(2000, 0), NULL);
  CrFollower *follower = make_follower(patient, &options, from);
  REQUIRE_OK(cr_follower_set_destination(follower, patient, to, NULL));
  CHECK(walk_until_rest(follower, patient, most, &walked));
  CHECK(walked.flat <= most);
  cr_follower_destroy(follower);
  cr_path_context_destroy(patient);
}

static void note_walk(Tally *tally, const CrFollower *follower, CrVec3 to, Length walked, Length shortest) {
  bool reached = follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
  double off = cr__dist_xz(follower->position, to);
  tally->reachable++;
  tally->reached += reached;
  CHECK(reached && off <= follower->options.arrival_radius);
  tally->farthest_end = cr__max(tally->farthest_end, off);
  bool apart = shortest.flat > follower->options.arrival_radius;
  note(&tally->flat, apart ? walked.flat / shortest.flat : 1.0, tally->limit);
  note(&tally->space, apart ? walked.space / shortest.space : 1.0, tally->limit);
}

static void walk_pair(Tally *tally, const Walkers *walkers, CrVec3 from, CrVec3 to) {
  Length shortest, walked;
  bool reachable = fresh_route(walkers->crossing, from, to, &shortest);
  CrFollower *follower = make_follower(walkers->context, walkers->options, from);
  REQUIRE_OK(cr_follower_set_destination(follower, walkers->context, to, NULL));
  CHECK(walk_until_rest(follower, walkers->context, reachable ? shortest.flat : 100.0, &walked));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED);
  CHECK(cr__same_point(follower->velocity, cr__vec(0.0, 0.0, 0.0)));
  tally->pairs++;
  tally->rounds += follower->replan_rounds;
  if (reachable) {
    int over = tally->flat.over;
    note_walk(tally, follower, to, walked, shortest);
    if (tally->flat.over > over) check_explained(walkers, from, to, shortest.flat * tally->limit);
  } else {
    CHECK(!follower->reached_target);
  }
  cr_follower_destroy(follower);
}

static void print_figure(const char *name, const Figure *figure, const Tally *tally) {
  printf("    %s worst %.4f (world %d), mean %.4f, %d over %.2f\n", name, figure->worst, (int)figure->worst_seed,
         figure->sum / (tally->reachable ? tally->reachable : 1), figure->over, tally->limit);
}

static void report(const char *name, const Tally *tally) {
  printf("  %s: %d pairs, %d reachable, %d reached, ending at most %.4f off; walked / string\n", name, tally->pairs,
         tally->reachable, tally->reached, tally->farthest_end);
  print_figure("in x and z", &tally->flat, tally);
  print_figure("in space  ", &tally->space, tally);
  CHECK_INT(tally->reached, tally->reachable);
  CHECK(tally->reachable * 2 > tally->pairs);
}

static void report_within(const char *name, const Tally *tally) {
  report(name, tally);
  CHECK_INT(tally->flat.over, 0);
  CHECK_INT(tally->space.over, 0);
}

// --- Worlds -------------------------------------------------------------------------------------------------------------

typedef CrNavMesh *(*MakeWorld)(uint64_t seed);

// 4 to 24 obstacles.
static CrNavMesh *scattered(uint64_t seed) { return field_of_obstacles(seed, 20, 4 + (int)(seed * 7 % 21)); }
// Half as large again, and much harder for a small search.
static CrNavMesh *cluttered(uint64_t seed) { return field_of_clutter(seed, 30, 0.25); }
static CrNavMesh *two_floors(uint64_t seed) {
  return world_two_floors(seed, 20, 20, 1.0, 5.0, 8, seed % 3 == 0 ? 0 : 10, NULL);
}

static Tally run_pairs(MakeWorld make, int worlds, int pairs, CrNodeModel model, const CrFollowerOptions *options,
                       double limit) {
  Tally tally = {.limit = limit};
  for (int world = 0; world < check_scaled(worlds); world++) {
    check_seed = (uint64_t)world;
    uint64_t seed = (uint64_t)world * 1009 + 11;
    CrNavMesh *mesh = make((uint64_t)world);
    int32_t local_nodes = cr_path_local_nodes(options->refine_budget, options->topology_budget);
    Walkers walkers = {make_context(mesh, model, local_nodes, NULL),
                       make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL), model, options};
    for (int pair = 0; pair < pairs; pair++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      walk_pair(&tally, &walkers, from, to);
    }
    cr_path_context_destroy(walkers.crossing);
    cr_path_context_destroy(walkers.context);
    cr_navmesh_destroy(mesh);
  }
  return tally;
}

TEST(scattered_pairs) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(scattered, 25, 30, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report_within("scattered, polygon nodes", &tally);
  tally = run_pairs(scattered, 25, 30, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report_within("scattered, crossing nodes", &tally);
}

TEST(two_floors_pairs) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(two_floors, 24, 20, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report_within("two floors, crossing nodes", &tally);
  options.refine_budget = 2000;
  tally = run_pairs(two_floors, 24, 20, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report_within("two floors, polygon nodes, refine budget 2000", &tally);
}

// On cluttered fields the search after a replan does not end within its default budget now and then, and the way stays as
// polygon centres had it. With a larger budget it ends.
TEST(cluttered_pairs) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(cluttered, 25, 30, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report_within("cluttered, crossing nodes", &tally);
  tally = run_pairs(cluttered, 25, 30, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report("cluttered, polygon nodes, refine budget 128", &tally);
  options.refine_budget = 2000;
  tally = run_pairs(cluttered, 25, 30, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report_within("cluttered, polygon nodes, refine budget 2000", &tally);
}

// Small searches, no shortcuts and no refining: the rounds double until one is large enough.
TEST(budgets_of_40) {
  static const struct {
    const char *name;
    MakeWorld make;
  } worlds[] = {{"scattered", scattered}, {"cluttered", cluttered}, {"two floors", two_floors}};
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.replan_budget = 40;
  options.optimize_interval = options.topology_interval = 0;
  options.refine_budget = 0;
  int rounds = 0;
  for (int k = 0; k < 6; k++) {
    CrNodeModel model = k % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON;
    Tally tally = run_pairs(worlds[k / 2].make, 10, 10, model, &options, 1.2);
    printf("  budgets of 40, %s nodes, %d unfinished rounds\n", k % 2 ? "crossing" : "polygon", tally.rounds);
    report_within(worlds[k / 2].name, &tally);
    rounds += tally.rounds;
  }
  CHECK(rounds > 0);
}

// --- One corridor -------------------------------------------------------------------------------------------------------

static double distance_to_leg(CrVec3 a, CrVec3 b, CrVec3 p) {
  return cr__dist_xz(cr__lerp(a, b, cr__clamp(cr__segment_t_xz(a, b, p), 0.0, 1.0)), p);
}

// How far from the string it ever was, walking without shortcuts.
static double farthest_off_string(CrFollower *follower, CrPathContext *context) {
  static CrCorner corners[4096];
  int32_t count, leg = 1;
  double farthest = 0.0;
  REQUIRE(cr_corridor_find_corners(&follower->corridor, context, corners, 4096, &count) == CR_STRAIGHT_OK);
  for (int step = 0; follower->state == CR_FOLLOWER_MOVING || follower->state == CR_FOLLOWER_OFF_MESH_LINK; step++) {
    REQUIRE(step < 20000);
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    CrVec3 p = follower->position;
    double off = (double)__builtin_inf();
    // Never back to an earlier leg.
    for (int32_t k = leg; k < count; k++) {
      double to_leg = distance_to_leg(corners[k - 1].point, corners[k].point, p);
      if (to_leg < off - 1e-9) off = to_leg, leg = k;
    }
    farthest = cr__max(farthest, count > 1 ? off : cr__dist_xz(corners[0].point, p));
  }
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && cr__dist_xz(follower->position, corners[count - 1].point) <= 1e-6);
  return farthest;
}

// Without shortcuts a follower walks the string of a fresh route and nothing else: what the pairs above walk more was chosen by
// shortcuts and replans. Where a ramp runs along a floor's border the two share points in x and z; a string along it may put the
// agent on either, so that it leaves the ramp up to a step early and cuts the corner there.
TEST(one_corridor_is_walked_exactly) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.optimize_interval = options.topology_interval = 0;
  options.arrival_radius = 0.0;
  double farthest[2] = {0.0, 0.0};
  int walks = 0;
  for (int world = 0; world < check_scaled(20); world++) {
    check_seed = (uint64_t)world;
    uint64_t seed = (uint64_t)world * 1013 + 7;
    CrNavMesh *mesh = world % 2 ? two_floors((uint64_t)world) : cluttered((uint64_t)world);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
    for (int pair = 0; pair < 20; pair++) {
      CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
      CrVec3 to = world_random_point(mesh, &seed, NULL);
      REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
      double off = farthest_off_string(follower, context);
      farthest[world % 2] = cr__max(farthest[world % 2], off);
      walks++;
      cr_follower_destroy(follower);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d walks, at most %.3g off the string, %.3g on two floors\n", walks, farthest[0], farthest[1]);
  CHECK(farthest[0] <= 1e-6 && farthest[1] <= options.max_speed * DT);
}

// The visibility shortcut trusts a straight ray; it may lengthen the string, but must shorten it far more often.
TEST(visibility_mostly_shortens) {
  int shorter = 0, longer = 0, same = 0, worlds = (int)check_scaled(12);
  for (int world = 0; world < worlds; world++) {
    check_seed = (uint64_t)world;
    uint64_t seed = (uint64_t)world * 2003 + 17;
    CrNavMesh *mesh = world_scattered((uint64_t)world, 30, 30, 1.0, 0.12, world % 2 ? 10 : 0, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
    for (int pair = 0; pair < 40; pair++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, 256, from, to);
      for (int turn = 0; turn < 40 && corridor->complete; turn++) {
        CrCorner corners[8];
        int32_t count;
        cr_corridor_find_corners(corridor, context, corners, 8, &count);
        if (count < 2 || (corners[1].flags & CR_CORNER_END)) break;
        int32_t aim = 1;
        for (int32_t k = 1; k < count; k++) {
          if (cr__dist_xz(corridor->position, corners[k].point) <= 10.0) aim = k;
        }
        double before =
            cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count);
        if (cr_corridor_optimize_visibility(corridor, context, corners[aim].point, 10.0, 16)) {
          double after =
              cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count);
          CHECK(after >= 0.0);
          shorter += after < before - 1e-9;
          longer += after > before + 1e-9;
          same += cr__abs(after - before) <= 1e-9;
          check_sound(corridor, context);
          cr_corridor_find_corners(corridor, context, corners, 8, &count);
        }
        CrVec3 next = cr__lerp(corridor->position, corners[1].point, 0.7);
        if (!cr_corridor_move_along(corridor, context, next, corners[1].path_index + 1)) break;
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d shortened, %d lengthened, %d equal\n", shorter, longer, same);
  CHECK(shorter > 4 * worlds && shorter >= 4 * longer);
}

TEST_MAIN(RUN(scattered_pairs), RUN(two_floors_pairs), RUN(cluttered_pairs), RUN(budgets_of_40),
          RUN(one_corridor_is_walked_exactly), RUN(visibility_mostly_shortens))
