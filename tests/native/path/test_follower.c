// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The rules of a follower's step, one test each (docs/behaviour/followers.md names them), and its options.
#include "walkers.h"

#define DT 0.0625  // a power of two: sums of it are exact

typedef struct Stage {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrFollowerOptions options;
  CrFollower *follower;
} Stage;

static Stage open_stage(const char *map, int32_t tile_cells) {
  return (Stage){.mesh = world_from_map(map, 1.0, tile_cells, NULL), .options = cr_follower_options_humanoid()};
}

static void place(Stage *stage, double x, double z) {
  stage->context = make_context(stage->mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  stage->follower = make_follower(stage->context, &stage->options, cr__vec(x, 0, z));
}

static void close_stage(Stage *stage) {
  cr_follower_destroy(stage->follower);
  cr_path_context_destroy(stage->context);
  cr_navmesh_destroy(stage->mesh);
}

static void go(Stage *stage, double x, double z) {
  REQUIRE_OK(cr_follower_set_destination(stage->follower, stage->context, cr__vec(x, 0, z), NULL));
}

static void step(Stage *stage) { REQUIRE_OK(cr_follower_step(stage->follower, stage->context, DT, NULL)); }

static int steps_until_rest(Stage *stage, int most) {
  int steps = 0;
  while (stage->follower->state == CR_FOLLOWER_MOVING && steps < most) {
    step(stage);
    steps++;
  }
  return steps;
}

static double speed_xz(const CrFollower *follower) {
  return cr__sqrt(follower->velocity.x * follower->velocity.x + follower->velocity.z * follower->velocity.z);
}

static bool is_still(const CrFollower *follower) { return cr__same_point(follower->velocity, cr__vec(0, 0, 0)); }

// --- Commands -----------------------------------------------------------------------------------------------------------

TEST(place_and_destination) {
  Stage stage = open_stage("....\n....\n", 0);
  place(&stage, 0.5, 0.5);
  CrFollower *follower;
  CrError error;
  REQUIRE_OK(cr_follower_create(NULL, NULL, &follower, NULL));
  CHECK(follower->state == CR_FOLLOWER_UNPLACED);
  CHECK_OK(cr_follower_step(follower, stage.context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_UNPLACED && follower->step_count == 0);
  CHECK_OK(cr_follower_set_destination(follower, stage.context, cr__vec(1, 0, 1), NULL));
  CHECK(follower->state == CR_FOLLOWER_NO_PATH);
  CHECK_STATUS(cr_follower_place(follower, stage.context, cr__vec(50, 0, 0), &error), CR_STATUS_NOT_FOUND);
  CHECK(follower->state == CR_FOLLOWER_NO_PATH && strcmp(error.field, "position") == 0);
  CHECK_STATUS(cr_follower_place(follower, stage.context, cr__vec(0, (double)__builtin_nan(""), 0), &error),
               CR_STATUS_ARGUMENT);
  CHECK_OK(cr_follower_place(follower, stage.context, cr__vec(-1.0, 1.0, 0.5), NULL));
  CHECK(follower->state == CR_FOLLOWER_IDLE && cr__same_point(follower->position, cr__vec(0, 0, 0.5)));
  CHECK(follower->step_count == 0 && follower->remaining_distance == 0.0);
  CHECK_STATUS(cr_follower_set_destination(follower, stage.context, cr__vec(CR_COORD_LIMIT, 0, 0), &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "destination") == 0 && follower->state == CR_FOLLOWER_IDLE);
  CHECK_OK(cr_follower_set_destination(follower, stage.context, cr__vec(50, 0, 0), NULL));
  CHECK(follower->state == CR_FOLLOWER_NO_PATH);
  CHECK_OK(cr_follower_set_destination(follower, stage.context, cr__vec(3.5, 0, 0.5), NULL));
  CHECK(follower->state == CR_FOLLOWER_MOVING);
  double bad[] = {0.0, -1.0, 3600.5, (double)__builtin_nan(""), (double)__builtin_inf()};
  for (size_t k = 0; k < CR_COUNT_OF(bad); k++) {
    CHECK_STATUS(cr_follower_step(follower, stage.context, bad[k], &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "dt") == 0);
  }
  CHECK(follower->step_count == 0);
  cr_follower_destroy(follower);
  close_stage(&stage);
}

TEST(stop_stands_idle) {
  Stage stage = open_stage("..........\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  for (int k = 0; k < 10; k++) step(&stage);
  CHECK(speed_xz(stage.follower) > 1.0);
  CrVec3 at = stage.follower->position;
  cr_follower_stop(stage.follower);
  CHECK(stage.follower->state == CR_FOLLOWER_IDLE && is_still(stage.follower));
  CHECK(cr__same_point(stage.follower->destination, at));
  CHECK(stage.follower->corridor.count == 1 && stage.follower->corridor.complete);
  check_sound(&stage.follower->corridor, stage.context);
  step(&stage);
  CHECK(cr__same_point(stage.follower->position, at));
  close_stage(&stage);
}

// --- Steering and arrival -----------------------------------------------------------------------------------------------

TEST(speed_rises_by_the_acceleration_and_falls_with_the_distance) {
  Stage stage = open_stage("....................\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 18.5, 0.5);
  double previous = 0.0, most = stage.options.max_acceleration * DT;
  bool slowed = false;
  while (stage.follower->state == CR_FOLLOWER_MOVING) {
    double before = stage.follower->position.x, left = 18.5 - before;
    step(&stage);
    if (stage.follower->state != CR_FOLLOWER_MOVING) break;
    double speed = speed_xz(stage.follower);
    CHECK(speed <= 3.5 + 1e-9 && cr__abs(speed - previous) <= most + 1e-9);
    double wanted = left < 1.0 ? cr__max(3.5 * left, 0.25) : 3.5;
    if (cr__abs(wanted - previous) <= most) CHECK_NEAR(speed, wanted, 1e-9);
    CHECK_NEAR(stage.follower->remaining_distance, 18.5 - stage.follower->position.x, 1e-9);
    CHECK_NEAR(stage.follower->velocity.x, (stage.follower->position.x - before) / DT, 1e-12);
    slowed |= left < 1.0;
    previous = speed;
  }
  CHECK(slowed);
  close_stage(&stage);
}

TEST(arrival_is_exact) {
  Stage stage = open_stage("......\n.####.\n......\n", 0);
  stage.options.arrival_radius = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 5.25, 2.125);
  steps_until_rest(&stage, 1000);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  CHECK(cr__same_point(stage.follower->position, cr__vec(5.25, 0, 2.125)));
  CHECK(is_still(stage.follower) && stage.follower->remaining_distance == 0.0);
  uint64_t steps = stage.follower->step_count;
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->step_count == steps + 1);
  close_stage(&stage);
}

TEST(unreachable_goal_ends_at_its_closest_point) {
  Stage stage = open_stage("....#..\n....#..\n", 0);
  stage.options.arrival_radius = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 6.5, 1.25);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
  steps_until_rest(&stage, 1000);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && !stage.follower->reached_target);
  CHECK(cr__same_point(stage.follower->position, cr__vec(4.0, 0, 1.25)) && is_still(stage.follower));
  close_stage(&stage);
}

TEST(target_off_the_mesh_is_reached_at_its_nearest_point) {
  Stage stage = open_stage("....\n....\n", 0);
  place(&stage, 0.5, 0.5);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(5.5, 1.0, 0.75), NULL));
  steps_until_rest(&stage, 1000);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  CHECK(cr__dist_xz(stage.follower->position, cr__vec(4.0, 0, 0.75)) <= stage.options.arrival_radius);
  close_stage(&stage);
}

// A step longer than the way to a corner lands on it and turns; after four hops the rest of the step is lost.
TEST(walking_turns_at_corners) {
  Stage stage = open_stage(".....\n####.\n.....\n.####\n.....\n", 0);
  stage.options.max_speed = 1e4;
  stage.options.max_acceleration = 1e6;
  stage.options.slow_radius = 0.0;
  stage.options.stuck_window = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 4.5, 4.5);
  step(&stage);  // 4 hops: (4,1) (4,2) (1,3) (1,4)
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
  CHECK(cr__same_point(stage.follower->position, cr__vec(1, 0, 4)));
  CHECK_NEAR(stage.follower->velocity.x, 0.5 / DT, 1e-12);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED);
  CHECK(cr__same_point(stage.follower->position, cr__vec(4.5, 0, 4.5)));
  close_stage(&stage);
}

// --- Replanning ---------------------------------------------------------------------------------------------------------

TEST(corridor_smaller_than_the_way) {
  for (int32_t capacity = 2; capacity < 12; capacity++) {
    Stage stage = open_stage("..........\n#########.\n..........\n.#########\n..........\n", 0);
    stage.options.corridor_capacity = capacity;
    place(&stage, 0.5, 0.5);
    go(&stage, 9.5, 4.5);
    CHECK(!stage.follower->corridor.complete && stage.follower->corridor.needs_replan);
    check_seed = (uint64_t)capacity;
    int steps = steps_until_rest(&stage, 2000);
    CHECK(steps < 600);
    CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
    CHECK(cr__dist_xz(stage.follower->position, cr__vec(9.5, 0, 4.5)) <= 0.01);
    close_stage(&stage);
  }
}

TEST(unfinished_replans_stand_and_double) {
  Stage stage = open_stage("....................\n....................\n", 0);
  stage.options.replan_budget = 1;
  place(&stage, 0.5, 0.5);
  go(&stage, 19.5, 1.5);
  CHECK_INT(stage.follower->replan_rounds, 1);
  int rounds = 1;
  while (stage.follower->replan_rounds == rounds - 1 + 1 && rounds < 12) {
    CHECK(stage.follower->corridor.needs_replan && !stage.follower->corridor.complete);
    step(&stage);
    if (stage.follower->replan_rounds == rounds) break;
    rounds++;
    CHECK_INT(stage.follower->replan_rounds, rounds);
    CHECK(is_still(stage.follower) && cr__same_point(stage.follower->position, cr__vec(0.5, 0, 0.5)));
    CHECK(stage.follower->remaining_distance == (double)__builtin_inf());
  }
  CHECK(rounds >= 4 && rounds <= 6);  // 1 + 2 + 4 + 8 + 16 nodes do not suffice, 64 do
  CHECK(stage.follower->corridor.complete && speed_xz(stage.follower) > 0.0);
  close_stage(&stage);
}

TEST(too_many_rounds_give_up) {
  Stage stage = open_stage("....................\n....................\n", 0);
  stage.options.replan_budget = 1;
  stage.options.max_replan_rounds = 3;
  place(&stage, 0.5, 0.5);
  go(&stage, 19.5, 1.5);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->replan_rounds == 2);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH && stage.follower->replan_rounds == 3);
  go(&stage, 1.5, 0.5);
  CHECK(stage.follower->replan_rounds <= 1);
  steps_until_rest(&stage, 100);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED);
  stage.options.max_replan_rounds = 1;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  go(&stage, 19.5, 1.5);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH);
  close_stage(&stage);
}

// --- Mesh changes -------------------------------------------------------------------------------------------------------

TEST(stale_position_relocates_or_gives_up) {
  Stage stage = open_stage("..........\n", 5);
  place(&stage, 6.5, 0.5);
  go(&stage, 0.5, 0.5);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->position.x <= 5.0);
  steps_until_rest(&stage, 200);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 0, 0, 0, NULL));
  stage.follower->state = CR_FOLLOWER_MOVING;
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH && is_still(stage.follower));
  close_stage(&stage);
}

// Beyond the look-ahead the corners notice: the step repairs the corridor and does not move.
TEST(broken_beyond_the_look_ahead_repairs_and_waits) {
  Stage stage = open_stage("..........\n", 5);
  stage.options.validate_look_ahead = 2;
  place(&stage, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  step(&stage);
  CrVec3 at = stage.follower->position;
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
  step(&stage);
  CHECK(cr__same_point(stage.follower->position, at) && is_still(stage.follower));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->corridor.count == 5);
  CHECK(stage.follower->corridor.needs_replan && !stage.follower->corridor.complete);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH);  // nothing is left near the target
  close_stage(&stage);
}

// --- Stuck --------------------------------------------------------------------------------------------------------------

// An agent that hardly accelerates makes no progress: two recoveries, then stuck, then a new destination frees it.
TEST(stuck_recovers_then_stops) {
  Stage stage = open_stage("....................\n", 0);
  stage.options.max_acceleration = 1e-6;
  place(&stage, 0.5, 0.5);
  go(&stage, 19.5, 0.5);
  for (int window = 1; window <= 3; window++) {
    for (int k = 0; k < 15; k++) step(&stage);
    CHECK_NEAR(stage.follower->stuck_clock, 15 * DT, 0.0);
    step(&stage);
    CHECK_INT(stage.follower->stuck_recoveries, window);
    CHECK(stage.follower->stuck_clock == 0.0);
    CHECK(window == 3 || (stage.follower->corridor.needs_replan && stage.follower->corridor.replan_from_start));
  }
  CHECK(stage.follower->state == CR_FOLLOWER_STUCK && is_still(stage.follower));
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_STUCK);
  go(&stage, 19.5, 0.5);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->stuck_recoveries == 0);
  close_stage(&stage);
}

TEST(no_stuck_time_while_slowing_or_off) {
  Stage stage = open_stage("....................\n", 0);
  stage.options.max_acceleration = 1e-6;
  stage.options.slow_radius = 100.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 19.5, 0.5);
  for (int k = 0; k < 100; k++) step(&stage);
  CHECK(stage.follower->stuck_clock == 0.0 && stage.follower->state == CR_FOLLOWER_MOVING);
  stage.options.slow_radius = 0.0;
  stage.options.stuck_window = 0.0;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  for (int k = 0; k < 100; k++) step(&stage);
  CHECK(stage.follower->stuck_clock == 0.0 && stage.follower->state == CR_FOLLOWER_MOVING);
  close_stage(&stage);
}

// --- Shortcuts ----------------------------------------------------------------------------------------------------------

// A corridor made to go round by hand: only the shortcuts' steps straighten it.
static int steps_until_straight(int32_t optimize_interval, int32_t topology_interval) {
  Stage stage = open_stage("........\n........\n........\n", 0);
  stage.options.optimize_interval = optimize_interval;
  stage.options.topology_interval = topology_interval;
  stage.options.max_acceleration = 1e-3;
  stage.options.stuck_window = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 7.5, 0.5);
  CrPolyRef detour[10];
  int32_t count = 0;
  for (int x = 0; x < 8; x++) {
    if (x == 0 || x == 7) detour[count++] = polygon_at(stage.context, x + 0.5, 0.5);
    detour[count++] = polygon_at(stage.context, x + 0.5, 1.5);
  }
  detour[8] = polygon_at(stage.context, 7.5, 1.5);
  detour[9] = polygon_at(stage.context, 7.5, 0.5);
  memcpy(stage.follower->corridor.path, detour, sizeof detour);
  stage.follower->corridor.count = 10;
  check_sound(&stage.follower->corridor, stage.context);
  int steps = 0;
  while (stage.follower->corridor.count == 10 && steps < 100) {
    step(&stage);
    steps++;
  }
  check_sound(&stage.follower->corridor, stage.context);
  close_stage(&stage);
  return steps;
}

TEST(shortcuts_come_at_their_intervals) {
  CHECK_INT(steps_until_straight(5, 0), 5);
  CHECK_INT(steps_until_straight(0, 7), 7);
  CHECK_INT(steps_until_straight(9, 6), 6);
  CHECK_INT(steps_until_straight(0, 0), 100);
}

// --- Off-mesh links -----------------------------------------------------------------------------------------------------

// Two platforms four units apart, the second one unit higher; links of length 4 and sqrt(17).
static CrNavMesh *platforms(bool both_ways) {
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.5, 0.0, 2.0};
  double vertices[] = {0, 0, 0, 4, 0, 0, 4, 0, 4, 0, 0, 4, 8, 1, 0, 12, 1, 0, 12, 1, 4, 8, 1, 4};
  uint8_t counts[] = {4, 4};
  uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7};
  CrOffMeshLink link = {{4, 0, 2}, {8, 1, 2}, 0.5, 7, 1, 0, both_ways};
  CrTileDescription tile = {.vertex_count = 8,
                            .polygon_count = 2,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners,
                            .off_mesh_count = 1,
                            .off_mesh_links = &link};
  CrBytes bytes;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  return mesh;
}

static int steps_until(Stage *stage, CrFollowerState state, int most) {
  int steps = 0;
  while (stage->follower->state != state && steps < most) {
    step(stage);
    steps++;
  }
  CHECK(stage->follower->state == state);
  return steps;
}

TEST(crossing_takes_its_time) {
  Stage stage = {.mesh = platforms(false), .options = cr_follower_options_humanoid()};
  stage.options.off_mesh_speed = 4.0;
  place(&stage, 1.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  CHECK(stage.follower->corridor.complete && stage.follower->corridor.count == 2);
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  CHECK(cr__same_point(stage.follower->position, cr__vec(4, 0, 2)) && is_still(stage.follower));
  CHECK(stage.follower->corridor.count == 2);
  double duration = cr__sqrt(17.0) / 4.0;
  CHECK(stage.follower->off_mesh_duration == duration);
  int steps = 0;
  while (stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && steps < 100) {
    step(&stage);
    steps++;
    if (stage.follower->state != CR_FOLLOWER_OFF_MESH_LINK) break;
    CrVec3 expected = cr__lerp(cr__vec(4, 0, 2), cr__vec(8, 1, 2), steps * DT / duration);
    CHECK(cr__same_point(stage.follower->position, expected));
    CHECK_NEAR(stage.follower->velocity.x, 4.0 / duration, 1e-9);
    CHECK_NEAR(stage.follower->velocity.y, 1.0 / duration, 1e-9);
  }
  CHECK_INT(steps, (int)cr__ceil(duration / DT));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  CHECK_INT(stage.follower->corridor.count, 1);
  check_sound(&stage.follower->corridor, stage.context);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(stage.follower->reached_target);
  // One-way: there is no way back.
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(!stage.follower->reached_target && cr__dist_xz(stage.follower->position, cr__vec(8, 1, 2)) <= 0.01);
  close_stage(&stage);
}

TEST(crossing_ends_with_the_step_that_fills_its_time) {
  Stage stage = {.mesh = platforms(false), .options = cr_follower_options_humanoid()};
  stage.options.off_mesh_speed = cr__sqrt(17.0);
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  CHECK(stage.follower->off_mesh_duration == 1.0);
  CHECK_INT(steps_until(&stage, CR_FOLLOWER_MOVING, 100), 16);
  close_stage(&stage);
}

TEST(crossing_by_the_host) {
  Stage stage = {.mesh = platforms(true), .options = cr_follower_options_humanoid()};
  stage.options.off_mesh_mode = CR_OFF_MESH_HOST;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
  stage.follower = make_follower(stage.context, &stage.options, cr__vec(11, 1, 2));
  CHECK_STATUS(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL), CR_STATUS_NOT_FOUND);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  for (int k = 0; k < 50; k++) step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK &&
        cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  CHECK(is_still(stage.follower));
  CHECK_OK(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(4, 0, 2)));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(stage.follower->reached_target);
  close_stage(&stage);
}

TEST(destination_during_a_crossing_is_recorded) {
  Stage stage = {.mesh = platforms(true), .options = cr_follower_options_humanoid()};
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  step(&stage);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 1.0), NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && stage.follower->corridor.needs_replan);
  steps_until(&stage, CR_FOLLOWER_MOVING, 100);
  CHECK(cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 400);
  CHECK(stage.follower->reached_target && cr__dist_xz(stage.follower->position, cr__vec(1, 0, 1)) <= 0.01);
  close_stage(&stage);
}

TEST(stop_during_a_crossing_ends_at_the_exit) {
  Stage stage = {.mesh = platforms(true), .options = cr_follower_options_humanoid()};
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  step(&stage);
  cr_follower_stop(stage.follower);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 100);
  CHECK(cr__same_point(stage.follower->position, cr__vec(8, 1, 2)) && is_still(stage.follower));
  close_stage(&stage);
}

TEST(exit_removed_during_a_crossing) {
  Stage stage = {.mesh = platforms(true), .options = cr_follower_options_humanoid()};
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  step(&stage);
  CrBytes bytes;
  CrNavMesh *other = platforms(false);
  REQUIRE_OK(cr_navmesh_save(other, NULL, &bytes, NULL));
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(other);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 0, 0, 0, NULL));
  int steps = 0;
  while (stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && steps++ < 200) step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH);  // nothing near the exit
  close_stage(&stage);
}

// --- Options ------------------------------------------------------------------------------------------------------------

TEST(options_presets) {
  CrFollowerOptions humanoid = cr_follower_options_humanoid(), small = cr_follower_options_small();
  CHECK_OK(cr_follower_options_validate(&humanoid, NULL));
  CHECK_OK(cr_follower_options_validate(&small, NULL));
  CHECK(small.max_speed == 2.5 && small.max_acceleration == 6 && small.slow_radius == 0.5 &&
        small.off_mesh_speed == 2.5);
  small.max_speed = 3.5, small.max_acceleration = 8, small.slow_radius = 1, small.off_mesh_speed = 3.5;
  CrWriter a = cr__writer_hash(), b = cr__writer_hash();
  cr__follower_options_write(&humanoid, &a);
  cr__follower_options_write(&small, &b);
  CHECK(a.hash == b.hash);
  CHECK_INT(a.size, 157);
}

typedef struct BadField {
  const char *name;
  size_t offset;
  double values[3];  // NaN-terminated for numbers, and NaN itself is tried
  int kind;          // 0 f64, 1 i32, 2 u8
  size_t byte;       // where it lies in the option bytes
} BadField;

#define NONE ((double)__builtin_nan(""))
#define BAD(member, kind, byte, ...) \
  { "options." #member, offsetof(CrFollowerOptions, member), {__VA_ARGS__}, kind, byte }

static const BadField bad_fields[] = {
    BAD(max_speed, 0, 0, 0.0, -1.0, 1e7),
    BAD(max_acceleration, 0, 8, 0.0, -1.0, 1e10),
    BAD(slow_radius, 0, 16, -0.1, CR_COORD_LIMIT, NONE),
    BAD(arrival_min_speed, 0, 24, -0.1, 1e7, NONE),
    BAD(arrival_radius, 0, 32, -0.1, CR_COORD_LIMIT, NONE),
    BAD(max_corners, 1, 40, 2, 257, -1),
    BAD(validate_look_ahead, 1, 44, 0, -1, -5),
    BAD(optimize_interval, 1, 48, -1, -2, -3),
    BAD(optimize_range, 0, 52, -0.1, CR_COORD_LIMIT, NONE),
    BAD(optimize_budget, 1, 60, 1, 0, -1),
    BAD(topology_interval, 1, 64, -1, -2, -3),
    BAD(topology_budget, 1, 68, 0, -1, -2),
    BAD(replan_budget, 1, 72, 0, -1, -2),
    BAD(max_replan_rounds, 1, 76, 0, -1, -2),
    BAD(stuck_window, 0, 80, -0.1, 3601.0, NONE),
    BAD(stuck_progress, 0, 88, -0.1, 1.1, NONE),
    BAD(max_stuck_recoveries, 1, 96, -1, -2, -3),
    BAD(off_mesh_mode, 2, 100, 2, 3, 255),
    BAD(off_mesh_speed, 0, 101, 0.0, -1.0, 1e7),
    BAD(off_mesh_trigger_radius, 0, 109, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.x, 0, 117, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.y, 0, 125, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.z, 0, 133, -0.1, CR_COORD_LIMIT, NONE),
    BAD(corridor_capacity, 1, 141, 1, 4097, -1),
    BAD(refine_budget, 1, 145, -1, -2, -3),
    BAD(corner_clearance, 0, 149, -0.1, CR_COORD_LIMIT, NONE),
};

static void put(CrFollowerOptions *options, const BadField *field, double value) {
  uint8_t *at = (uint8_t *)options + field->offset;
  int32_t integer = field->kind == 1 ? (int32_t)value : 0;
  if (field->kind == 0) memcpy(at, &value, sizeof value);
  if (field->kind == 1) memcpy(at, &integer, sizeof integer);
  if (field->kind == 2) *at = (uint8_t)value;
}

static void check_rejected(const CrFollowerOptions *options, const BadField *field) {
  CrError error;
  CHECK_STATUS(cr_follower_options_validate(options, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, field->name) == 0);
  uint8_t bytes[157];
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__follower_options_write(options, &writer);
  CHECK_INT(writer.size, sizeof bytes);
  CrReader reader = cr__reader(bytes, sizeof bytes, 1000, CR_FORMAT_CROWD_STATE, &error);
  CrFollowerOptions read;
  cr__follower_options_read(&read, &reader);
  CHECK(reader.status == CR_STATUS_BAD_VALUE && strcmp(error.field, field->name) == 0);
  CHECK_INT(error.offset, 1000 + field->byte);
  CrFollower *follower = NULL;
  CHECK_STATUS(cr_follower_create(options, NULL, &follower, &error), CR_STATUS_ARGUMENT);
  CHECK(!follower);
}

TEST(options_out_of_range_are_named) {
  for (size_t k = 0; k < CR_COUNT_OF(bad_fields); k++) {
    const BadField *field = &bad_fields[k];
    for (int v = 0; v < 3; v++) {
      CrFollowerOptions options = cr_follower_options_humanoid();
      put(&options, field, field->values[v]);
      check_rejected(&options, field);
    }
    if (field->kind != 0) continue;
    double never[] = {NONE, (double)__builtin_inf(), -(double)__builtin_inf()};
    for (int v = 0; v < 3; v++) {
      CrFollowerOptions options = cr_follower_options_humanoid();
      put(&options, field, never[v]);
      check_rejected(&options, field);
    }
  }
}

TEST(options_bytes_round_trip) {
  CrFollowerOptions options = cr_follower_options_small();
  uint8_t bytes[157], again[157];
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__follower_options_write(&options, &writer);
  for (size_t size = 0; size <= sizeof bytes; size++) {
    CrError error;
    CrReader reader = cr__reader(bytes, size, 0, CR_FORMAT_CROWD_STATE, &error);
    CrFollowerOptions read;
    cr__follower_options_read(&read, &reader);
    CHECK(reader.status == (size < sizeof bytes ? CR_STATUS_TRUNCATED : CR_STATUS_OK));
    if (size < sizeof bytes) continue;
    writer = cr__writer_to(again, sizeof again);
    cr__follower_options_write(&read, &writer);
    CHECK(memcmp(bytes, again, sizeof bytes) == 0);
  }
}

TEST(options_swap_in_place) {
  Stage stage = open_stage("....................\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 19.5, 0.5);
  for (int k = 0; k < 20; k++) step(&stage);
  CrFollowerOptions other = stage.options;
  CrError error;
  other.corridor_capacity = 64;
  CHECK_STATUS(cr_follower_set_options(stage.follower, &other, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.corridor_capacity") == 0);
  other = stage.options;
  other.max_corners = 9;
  CHECK_STATUS(cr_follower_set_options(stage.follower, &other, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.max_corners") == 0);
  other = stage.options;
  other.max_speed = 1.0;
  static StateBytes before, after;
  take_state(stage.follower, &before);
  CHECK_OK(cr_follower_set_options(stage.follower, &other, NULL));
  take_state(stage.follower, &after);
  CHECK(same_state(&before, &after));
  for (int k = 0; k < 20; k++) step(&stage);
  CHECK_NEAR(speed_xz(stage.follower), 1.0, 1e-9);
  close_stage(&stage);
}

TEST_MAIN(RUN(place_and_destination), RUN(stop_stands_idle),
          RUN(speed_rises_by_the_acceleration_and_falls_with_the_distance), RUN(arrival_is_exact),
          RUN(unreachable_goal_ends_at_its_closest_point), RUN(target_off_the_mesh_is_reached_at_its_nearest_point),
          RUN(walking_turns_at_corners), RUN(corridor_smaller_than_the_way), RUN(unfinished_replans_stand_and_double),
          RUN(too_many_rounds_give_up), RUN(stale_position_relocates_or_gives_up),
          RUN(broken_beyond_the_look_ahead_repairs_and_waits), RUN(stuck_recovers_then_stops),
          RUN(no_stuck_time_while_slowing_or_off), RUN(shortcuts_come_at_their_intervals), RUN(crossing_takes_its_time),
          RUN(crossing_ends_with_the_step_that_fills_its_time), RUN(crossing_by_the_host),
          RUN(destination_during_a_crossing_is_recorded), RUN(stop_during_a_crossing_ends_at_the_exit),
          RUN(exit_removed_during_a_crossing), RUN(options_presets), RUN(options_out_of_range_are_named),
          RUN(options_bytes_round_trip), RUN(options_swap_in_place))
