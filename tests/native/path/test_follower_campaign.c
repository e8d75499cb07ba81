// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many steps of many followers in random worlds that are edited under way, with random options and commands: after each step the
// corridor's invariants hold as far as the look-ahead of that step vouches for them, everything is finite, the state is one that
// reads back, events are as documented, and neither steps nor commands allocate.
#include "campaigns.h"
#include "query_worlds.h"

enum { FOLLOWERS = 6, STEPS_OF_A_WORLD = 400 };

// --- Worlds and options -------------------------------------------------------------------------------------------------

// With hills, ground of unequal cost, floors one over the other, and all that tiled worlds have.
static CrNavMesh *random_world(int number) {
  uint64_t seed = (uint64_t)number;
  switch (number % 8) {
    case 0:
      return world_warped(seed, 3, 5, 1.0, 0.2, 0.3, -8.0);
    case 1:
      return field_of_clutter(seed, 24, 0.25);
    case 2:
      return field_of_obstacles(seed, 30, 40);
    case 3:
      return world_warped(seed, 2, 6, 2.0, 0.2, 0.0, 0.0);
    default:
      return tiled_world(number);
  }
}

static CrFollowerOptions random_options(uint64_t *seed) {
  static const int32_t capacities[] = {2, 3, 8, 16, 64, 256}, look_aheads[] = {1, 2, 8, 8, 64, 4096},
                       budgets[] = {1, 5, 40, 2048};
  CrFollowerOptions options = rnd_int(seed, 2) ? cr_follower_options_humanoid() : cr_follower_options_small();
  options.corridor_capacity = capacities[rnd_int(seed, CR_COUNT_OF(capacities))];
  options.validate_look_ahead = look_aheads[rnd_int(seed, CR_COUNT_OF(look_aheads))];
  options.replan_budget = budgets[rnd_int(seed, CR_COUNT_OF(budgets))];
  options.max_corners = 3 + rnd_int(seed, 10);
  options.optimize_interval = rnd_int(seed, 5);
  options.topology_interval = rnd_int(seed, 5);
  options.optimize_range = rnd_range(seed, 0.0, 20.0);
  options.max_speed = rnd_range(seed, 0.5, 12.0);
  options.max_acceleration = rnd_range(seed, 0.5, 30.0);
  options.slow_radius = rnd_int(seed, 3) * 0.7;
  options.arrival_radius = rnd_int(seed, 3) * 0.05;
  options.stuck_window = rnd_int(seed, 3) * 0.3;
  options.max_stuck_recoveries = rnd_int(seed, 3);
  options.refine_budget = rnd_int(seed, 3) * 100;
  options.off_mesh_mode = (uint8_t)rnd_int(seed, 2);
  return options;
}

// --- What must hold -----------------------------------------------------------------------------------------------------

static int32_t place_in(const CrCorridor *corridor, CrPolyRef ref) {
  for (int32_t k = corridor->count - 1; k >= 0; k--) {
    if (corridor->path[k] == ref) return k;
  }
  return -1;
}

// The last polygon that this step's look-ahead will see.
static CrPolyRef last_seen(const CrFollower *follower) {
  const CrCorridor *corridor = &follower->corridor;
  int32_t seen = follower->options.validate_look_ahead;
  if (seen > corridor->count) seen = corridor->count;
  return seen > 0 ? corridor->path[seen - 1] : CR_INVALID_REF;
}

typedef struct Tally {
  int64_t steps, whole, partly, states[7], events[CR_FOLLOWER_MAX_EVENTS];
  int longest;
  EditCounts edits;
} Tally;

// All of it; or, when there were edits since it was sound to its end, up to the polygon with which the look-ahead ended, unless
// that one has been left behind.
static void check_corridor(const CrFollower *follower, const CrPathContext *context, CrPolyRef seen, bool *whole,
                           Tally *tally) {
  CrCorridor corridor = follower->corridor;
  // One that found no ground near it is left as it was.
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK || follower->state == CR_FOLLOWER_NO_PATH) return;
  if (!*whole) *whole = !cr__corridor_invariant(&corridor, context);
  if (!*whole) {
    corridor.count = place_in(&corridor, seen) + 1;
    corridor.complete = false;
  }
  tally->whole += *whole;
  tally->partly += !*whole && corridor.count > 0;
  if (corridor.count > 0) check_sound(&corridor, context);
  if (corridor.count > tally->longest) tally->longest = corridor.count;
}

static void check_numbers(const CrFollower *follower, bool moved) {
  CrVec3 p = follower->position, v = follower->velocity;
  CHECK(cr__abs(p.x) < CR_COORD_LIMIT && cr__abs(p.y) < CR_COORD_LIMIT && cr__abs(p.z) < CR_COORD_LIMIT);
  CHECK(cr__abs(v.x) < CR_COORD_LIMIT && cr__abs(v.y) < CR_COORD_LIMIT && cr__abs(v.z) < CR_COORD_LIMIT);
  CHECK(follower->remaining_distance >= 0.0 && follower->stuck_clock >= 0.0);
  bool walks = follower->state == CR_FOLLOWER_MOVING || follower->state == CR_FOLLOWER_OFF_MESH_LINK;
  if (!walks && moved) CHECK(cr__same_point(v, cr__vec(0.0, 0.0, 0.0)));
  if (follower->state != CR_FOLLOWER_OFF_MESH_LINK) CHECK(cr__same_point(p, follower->corridor.position));
  if (follower->reached_target) CHECK(follower->state == CR_FOLLOWER_ARRIVED);
  CHECK(follower->corridor.count >= 1 && follower->corridor.count <= follower->corridor.capacity);
}

static void check_reads_back(const CrFollower *follower) {
  static StateBytes bytes;
  take_state(follower, &bytes);
  CrReader reader = cr__reader(bytes.data, bytes.size, 0, CR_FORMAT_CROWD_STATE, NULL);
  cr__follower_read(NULL, &follower->options, &reader);
  CHECK(cr__read_end(&reader) == CR_STATUS_OK);
  CHECK_INT(bytes.size, 203 + 66 + 8 * follower->corridor.count);
}

// In the documented order, each kind once, and saying what the state says.
static void check_events(const CrFollower *follower, Tally *tally) {
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  int32_t count = cr_follower_events(follower, events), before = -1;
  for (int32_t k = 0; k < count; k++) {
    CHECK(events[k].kind > before && events[k].kind < CR_FOLLOWER_MAX_EVENTS);
    before = events[k].kind;
    tally->events[events[k].kind]++;
    if (events[k].kind == CR_EVENT_ARRIVED) {
      CHECK(follower->state == CR_FOLLOWER_ARRIVED && events[k].reached_target == follower->reached_target);
    }
    if (events[k].kind == CR_EVENT_STUCK) CHECK(follower->state == CR_FOLLOWER_STUCK);
    if (events[k].kind == CR_EVENT_NO_PATH) CHECK(follower->state == CR_FOLLOWER_NO_PATH);
  }
}

// --- One world ----------------------------------------------------------------------------------------------------------

typedef struct Walk {
  CrFollower *followers[FOLLOWERS];
  bool whole[FOLLOWERS];  // no edit since the corridor was sound to its end
  CrPathContext *context;
  CrNavMesh *mesh;
  TileStore *store;
  CrQueryFilter filter;
} Walk;

static void command(Walk *walk, CrFollower *follower, uint64_t *seed) {
  bool rests = follower->state != CR_FOLLOWER_MOVING && follower->state != CR_FOLLOWER_OFF_MESH_LINK;
  int32_t kind = rnd_int(seed, rests ? 20 : 200);
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK && rnd_int(seed, 30) == 0) {
    REQUIRE_OK(cr_follower_complete_off_mesh(follower, walk->context, NULL));
  }
  if (kind > 3 || cr_navmesh_polygon_count(walk->mesh) == 0) return;
  CrVec3 point = world_random_point(walk->mesh, seed, NULL);
  if (rnd_int(seed, 6) == 0) point.x += rnd_range(seed, -3.0, 3.0), point.z += rnd_range(seed, -3.0, 3.0);
  if (kind == 0) cr_follower_place(follower, walk->context, point, NULL);
  if (kind == 1) cr_follower_stop(follower);
  if (kind > 1) REQUIRE_OK(cr_follower_set_destination(follower, walk->context, point, NULL));
}

static void step_one(Walk *walk, int k, uint64_t *seed, Tally *tally) {
  CrFollower *follower = walk->followers[k];
  const CrCorridor *corridor = &follower->corridor;
  command(walk, follower, seed);
  if (!walk->whole[k] && !cr__corridor_invariant(corridor, walk->context)) walk->whole[k] = true;
  CrPolyRef seen = last_seen(follower);
  bool moving = follower->state == CR_FOLLOWER_MOVING;
  REQUIRE_OK(cr_follower_step(follower, walk->context, DT, NULL));
  // Only a step of a moving follower looks at the mesh.
  if (moving) check_corridor(follower, walk->context, seen, &walk->whole[k], tally);
  check_numbers(follower, true);
  check_reads_back(follower);
  check_events(follower, tally);
  tally->states[follower->state]++;
  tally->steps++;
}

static Walk begin_walk(int number, const CrAllocator *allocator, uint64_t *seed) {
  Walk walk = {.mesh = random_world(number), .filter = cr_query_filter_default()};
  CrNavMesh *other = random_world(number + 2400);
  walk.store = store_tiles(walk.mesh, other);
  cr_navmesh_destroy(other);
  if (number / 8 % 2) walk.filter.area_cost[1] = 2.0, walk.filter.area_cost[2] = 0.7;
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.node_model = number / 16 % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON;
  options.filter = &walk.filter;
  if (number % 5 == 0) options.query.max_nodes = options.local_nodes = 60;
  REQUIRE_OK(cr_path_context_create(walk.mesh, &options, allocator, &walk.context, NULL));
  for (int k = 0; k < FOLLOWERS; k++) {
    CrFollowerOptions follower_options = random_options(seed);
    REQUIRE_OK(cr_follower_create(&follower_options, allocator, &walk.followers[k], NULL));
    REQUIRE_OK(cr_follower_place(walk.followers[k], walk.context, world_random_point(walk.mesh, seed, NULL), NULL));
    walk.whole[k] = true;
  }
  return walk;
}

static void end_walk(Walk *walk) {
  for (int k = 0; k < FOLLOWERS; k++) cr_follower_destroy(walk->followers[k]);
  cr_path_context_destroy(walk->context);
  free_tiles(walk->store);
  cr_navmesh_destroy(walk->mesh);
}

static void run_world(int number, int steps, Tally *tally) {
  uint64_t seed = (uint64_t)number * 5003 + 41;
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  Walk walk = begin_walk(number, &allocator, &seed);
  int64_t before = memory.total_allocations;
  for (int step = 0; step < steps; step++) {
    if (rnd_int(&seed, 5) == 0) {
      edit_at_random(walk.mesh, walk.store, &seed, &tally->edits);
      memset(walk.whole, 0, sizeof walk.whole);
    }
    for (int k = 0; k < FOLLOWERS; k++) step_one(&walk, k, &seed, tally);
  }
  CHECK_INT(memory.total_allocations, before);
  end_walk(&walk);
  CHECK_INT(memory.live_blocks, 0);
}

// 100 000 steps; a million at ten times the scale.
TEST(invariants_hold_for_long) {
  Tally tally = {0};
  int64_t most = check_scaled(100000);
  int worlds = 0;
  for (; tally.steps < most; worlds++) {
    check_seed = (uint64_t)worlds;
    run_world(worlds, STEPS_OF_A_WORLD, &tally);
  }
  printf("  %d steps in %d worlds: ", (int)tally.steps, worlds);
  print_edits(&tally.edits);
  printf("\n  %d corridors sound to their end, %d as far as was looked, at most %d polygons\n  states:",
         (int)tally.whole, (int)tally.partly, tally.longest);
  for (int k = 0; k < 7; k++) printf(" %d", (int)tally.states[k]);
  printf("; events:");
  for (int k = 0; k < CR_FOLLOWER_MAX_EVENTS; k++) printf(" %d", (int)tally.events[k]);
  printf("\n");
  CHECK(tally.partly > 0 && tally.whole > tally.partly);
  if (most < 50000) return;
  for (int state = CR_FOLLOWER_IDLE; state <= CR_FOLLOWER_STUCK; state++) CHECK(tally.states[state] > 0);
  for (int kind = 0; kind < CR_FOLLOWER_MAX_EVENTS; kind++) CHECK(tally.events[kind] > 0);
}

TEST_MAIN(RUN(invariants_hold_for_long))
