// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Steps 4 and 7 to 10 of a follower: shortcuts, steering, walking, reports, stuck detection (docs/behaviour/followers.md
// names the tests).
#include "stage.h"
#include "tile_kit.h"

// --- Steering ---------------------------------------------------------------------------------------------------------

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

// The speed of one step from rest, without a limit of the acceleration.
static double first_speed(double distance, double slow_radius, double least) {
  Stage stage = open_stage("....................\n", 0);
  stage.options.max_acceleration = 1e6;
  stage.options.slow_radius = slow_radius;
  stage.options.arrival_min_speed = least;
  stage.options.arrival_radius = 0.0;
  place(&stage, 18.5 - distance, 0.5);
  go(&stage, 18.5, 0.5);
  step(&stage);
  double moved = stage.follower->position.x - (18.5 - distance);
  close_stage(&stage);
  return moved / DT;
}

TEST(the_arrival_rule_sets_the_speed) {
  static const double cases[][4] = {
      // distance, SlowRadius, ArrivalMinSpeed, speed
      {10.0, 1.0, 0.25, 3.5}, {1.0, 1.0, 0.25, 3.5},  {0.75, 1.0, 0.25, 2.625},  {0.5, 1.0, 0.25, 1.75},
      {2.0, 4.0, 0.25, 1.75}, {0.125, 1.0, 0.5, 0.5}, {0.125, 1.0, 0.0, 0.4375}, {0.5, 0.0, 0.25, 3.5},
      {0.5, 1.0, 3.0, 3.0},   {0.5, 1.0, 100.0, 3.5}, {10.0, 1.0, 100.0, 3.5},   {8.0, 16.0, 0.0, 1.75},
  };
  for (size_t k = 0; k < CR_COUNT_OF(cases); k++) {
    check_seed = k;
    CHECK_NEAR(first_speed(cases[k][0], cases[k][1], cases[k][2]), cases[k][3], 1e-12);
  }
}

// The velocity turns towards the wanted one by what the acceleration allows; the length of the step is its length.
TEST(the_acceleration_limits_the_change_of_velocity) {
  static const double before[][2] = {{0, 0}, {0, 2}, {-3.5, 0}, {3.5, 0}, {3.4, 0}, {1, -3}, {0, 3.5}, {-0.5, 0}};
  for (size_t k = 0; k < CR_COUNT_OF(before); k++) {
    check_seed = k;
    Stage stage = open_stage("....................\n", 0);
    place(&stage, 0.5, 0.5);
    go(&stage, 18.5, 0.5);
    stage.follower->velocity = cr__vec(before[k][0], 7.0, before[k][1]);
    step(&stage);
    double change_x = 3.5 - before[k][0], change_z = -before[k][1];
    double change = cr__sqrt(change_x * change_x + change_z * change_z), most = 8.0 * DT;
    double x = change > most ? before[k][0] + change_x / change * most : 3.5;
    double z = change > most ? before[k][1] + change_z / change * most : 0.0;
    CHECK_NEAR(stage.follower->position.x - 0.5, cr__sqrt(x * x + z * z) * DT, 1e-12);
    CHECK(stage.follower->position.z == 0.5);
    close_stage(&stage);
  }
}

// Braking to nothing: the step has no length, and yet the corridor begins at the furthest polygon that holds the agent.
TEST(a_step_without_length_trims_the_corridor) {
  Stage stage = open_stage("....................\n", 0);
  place(&stage, 1.0, 0.5);
  go(&stage, 18.5, 0.5);
  CrPolyRef first = polygon_at(stage.context, 0.5, 0.5), second = polygon_at(stage.context, 1.5, 0.5);
  REQUIRE(stage.follower->corridor.path[0] == first && stage.follower->corridor.path[1] == second);
  stage.follower->velocity = cr__vec(-8.0 * DT, 0, 0);
  step(&stage);
  CHECK(cr__same_point(stage.follower->position, cr__vec(1.0, 0, 0.5)) && is_still(stage.follower));
  CHECK(stage.follower->corridor.path[0] == second);
  close_stage(&stage);
}

// --- Walking ----------------------------------------------------------------------------------------------------------

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

// --- Report -------------------------------------------------------------------------------------------------------------

// From the corners ahead: the length to the end as documented, or unknown.
static double length_ahead(const Stage *stage) {
  CrCorner corners[CR_PATH_MAX_CORNERS];
  int32_t count;
  cr_corridor_find_corners(&stage->follower->corridor, stage->context, corners, stage->options.max_corners, &count);
  if (!(corners[count - 1].flags & CR_CORNER_END)) return (double)__builtin_inf();
  double rest = 0.0;
  for (int32_t k = 2; k < count; k++) rest += cr__dist_xz(corners[k - 1].point, corners[k].point);
  return (count > 1 ? cr__dist_xz(corners[0].point, corners[1].point) : 0.0) + rest;
}

// Bit for bit: the velocity is the displacement over dt, the remaining distance the length that was ahead less what was walked.
TEST(a_step_reports_what_it_did) {
  int known = 0, unknown = 0;
  for (uint64_t world = 0; world < 20; world++) {
    check_seed = world;
    uint64_t seed = world * 17 + 5;
    Stage stage = stage_on(world_maze(world, 10, 1.0, 0, NULL));
    stage.options.optimize_interval = stage.options.topology_interval = 0;
    stage.options.max_corners = 3 + (int32_t)(world % 7);
    CrVec3 from = world_random_point(stage.mesh, &seed, NULL), to = world_random_point(stage.mesh, &seed, NULL);
    place(&stage, from.x, from.z);
    go(&stage, to.x, to.z);
    for (int k = 0; k < 400 && stage.follower->state == CR_FOLLOWER_MOVING; k++) {
      double length = length_ahead(&stage);
      CrVec3 before = stage.follower->position;
      step(&stage);
      if (stage.follower->state != CR_FOLLOWER_MOVING) break;
      CrVec3 moved = cr__sub(stage.follower->position, before);
      CHECK(cr__same_point(stage.follower->velocity, cr__vec(moved.x / DT, moved.y / DT, moved.z / DT)));
      double walked = cr__dist_xz(before, stage.follower->position);
      CHECK(stage.follower->remaining_distance == cr__max(0.0, length - walked));
      known += length < (double)__builtin_inf();
      unknown += !(length < (double)__builtin_inf());
    }
    close_stage(&stage);
  }
  printf("  %d steps with the end in sight, %d without\n", known, unknown);
  CHECK(known > 500 && unknown > 500);
}

// On a slope of one in two the speed is horizontal; the velocity is that of the displacement, with its rise.
TEST(velocities_rise_with_the_ground) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 32.0, 0.5, 0.0, 2.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, 4, (double[]){0, 0, 0, 20, 10, 0, 20, 10, 4, 0, 0, 4});
  kit_add(&kit, mesh);
  Stage stage = stage_on(mesh);
  place(&stage, 1.0, 2.0);
  go_up(&stage, 18.0, 9.0, 2.0);
  for (int k = 0; k < 40; k++) {
    step(&stage);
    CHECK_NEAR(stage.follower->position.y, stage.follower->position.x / 2, 1e-9);
    CHECK_NEAR(stage.follower->velocity.y, stage.follower->velocity.x / 2, 1e-9);
  }
  CHECK_NEAR(stage.follower->velocity.x, 3.5, 1e-9);
  CHECK_NEAR(stage.follower->remaining_distance, 18.0 - stage.follower->position.x, 1e-9);
  close_stage(&stage);
}

// --- Stuck ------------------------------------------------------------------------------------------------------------

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

// Exactly enough progress is enough; the clock and the anchor start again with every window.
TEST(progress_is_measured_from_window_to_window) {
  Stage stage = open_stage("..................................................\n", 0);
  stage.options.stuck_progress = 1.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 49.5, 0.5);
  for (int k = 0; k < 16; k++) step(&stage);
  CHECK_INT(stage.follower->stuck_recoveries, 1);  // the first second was spent on speeding up
  for (int window = 0; window < 8; window++) {
    CrVec3 anchor = stage.follower->position;
    CHECK(cr__same_point(stage.follower->stuck_anchor, anchor) && stage.follower->stuck_clock == 0.0);
    for (int k = 1; k < 16; k++) {
      step(&stage);
      CHECK(stage.follower->stuck_clock == k * DT && cr__same_point(stage.follower->stuck_anchor, anchor));
    }
    step(&stage);
    CHECK_INT(stage.follower->stuck_recoveries, 1);
    CHECK(!stage.follower->corridor.needs_replan);
  }
  close_stage(&stage);
}

// There and back is no progress, however much was walked.
TEST(progress_is_the_distance_from_the_anchor) {
  Stage stage = open_stage("........\n#######.\n........\n", 0);
  stage.options.stuck_window = 4.0;
  stage.options.stuck_progress = 0.25;
  stage.options.max_acceleration = 1e6;
  stage.options.slow_radius = 0.0;
  stage.options.arrival_radius = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 0.5, 2.5);
  double walked = 0.0;
  for (int k = 0; k < 64; k++) {
    CrVec3 before = stage.follower->position;
    step(&stage);
    walked += cr__dist_xz(before, stage.follower->position);
  }
  double apart = cr__dist_xz(cr__vec(0.5, 0, 0.5), stage.follower->position);
  CHECK(walked > 13.0 && apart < 3.5);
  CHECK_INT(stage.follower->stuck_recoveries, 1);
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
  CrVec3 anchor = stage.follower->stuck_anchor;
  for (int k = 0; k < 100; k++) step(&stage);
  CHECK(cr__same_point(stage.follower->stuck_anchor, anchor) && !cr__same_point(stage.follower->position, anchor));
  CHECK(stage.follower->stuck_clock == 0.0 && stage.follower->state == CR_FOLLOWER_MOVING);
  close_stage(&stage);
}

// --- Shortcuts --------------------------------------------------------------------------------------------------------

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

// The corners are found anew before the step is walked.
TEST(a_shortcut_is_walked_in_the_same_step) {
  Stage stage = open_stage("........\n........\n", 0);
  stage.options.optimize_interval = 1;
  place(&stage, 0.5, 0.5);
  go(&stage, 7.5, 0.5);
  // Along the other row, and back.
  static const double way[10][2] = {{0.5, 0.5}, {0.5, 1.5}, {1.5, 1.5}, {2.5, 1.5}, {3.5, 1.5},
                                    {4.5, 1.5}, {4.5, 0.5}, {5.5, 0.5}, {6.5, 0.5}, {7.5, 0.5}};
  for (int k = 0; k < 10; k++) stage.follower->corridor.path[k] = polygon_at(stage.context, way[k][0], way[k][1]);
  stage.follower->corridor.count = 10;
  check_sound(&stage.follower->corridor, stage.context);
  step(&stage);
  CHECK(stage.follower->corridor.count == 8 && stage.follower->position.z == 0.5);
  CHECK(stage.follower->position.x == 0.5 + stage.options.max_acceleration * DT * DT);
  close_stage(&stage);
}

// --- Shortcuts, by their wording --------------------------------------------------------------------------------------

// The corner a shortcut by sight aims at: the last of those before the first entry that is within the range; -1: none.
static int32_t expected_aim(const CrFollower *follower, const CrCorner *corners, int32_t count) {
  int32_t entry = 0, aim = -1;
  while (entry < count && !(corners[entry].flags & CR_CORNER_OFF_MESH)) entry++;
  for (int32_t k = 1; k < entry; k++) {
    if (cr__dist_xz(follower->position, corners[k].point) <= follower->options.optimize_range) aim = k;
  }
  return aim;
}

typedef struct Shortcuts {
  int steps, by_sight, by_search, without_aim;
} Shortcuts;

// What the shortcuts of the next step make of the corridor, done by calls of the corridor's own.
static void expect_shortcuts(const CrFollower *follower, CrPathContext *probe, CrCorridor *corridor,
                             Shortcuts *shortcuts) {
  static uint8_t bytes[STATE_LIMIT];
  const CrFollowerOptions *options = &follower->options;
  CrCorner corners[CR_PATH_MAX_CORNERS];
  int32_t count, at = (int32_t)follower->step_count + 1;
  REQUIRE_OK(cr_corridor_save(&follower->corridor, bytes, sizeof bytes, NULL));
  REQUIRE_OK(cr_corridor_restore(corridor, bytes, cr_corridor_state_size(&follower->corridor), NULL));
  cr_corridor_find_corners(corridor, probe, corners, options->max_corners, &count);
  if (options->optimize_interval > 0 && at % options->optimize_interval == 0) {
    int32_t aim = expected_aim(follower, corners, count);
    shortcuts->without_aim += aim < 0;
    shortcuts->by_sight +=
        aim >= 0 && cr_corridor_optimize_visibility(corridor, probe, corners[aim].point, options->optimize_range,
                                                    options->optimize_budget);
  }
  if (at % options->topology_interval == 0) {
    shortcuts->by_search += cr_corridor_optimize_topology(corridor, probe, options->topology_budget, 64);
  }
}

// The corridor after a step is what is left, in front, of the expected one.
static bool is_rest_of(const CrCorridor *corridor, const CrCorridor *expected) {
  int32_t dropped = expected->count - corridor->count;
  return dropped >= 0 &&
         memcmp(corridor->path, expected->path + dropped, (size_t)corridor->count * sizeof *corridor->path) == 0;
}

TEST(shortcuts_are_those_of_the_corridor) {
  Shortcuts shortcuts = {0};
  for (uint64_t world = 0; world < (uint64_t)(100 * check_scale()); world++) {
    check_seed = world;
    uint64_t seed = world * 71 + 6;
    Stage stage = stage_on(world % 2 ? world_two_floors(world, 18, 18, 1.0, 4.0, 10, 9, NULL)
                                     : world_scattered(world, 26, 26, 1.0, 0.2, 0, NULL));
    CrNodeModel model = (CrNodeModel)(world / 2 % 2);
    CrPathContext *probe = make_context(stage.mesh, model, 1024, NULL);
    stage.options.optimize_interval = (int32_t)(world % 3);
    stage.options.topology_interval = 1 + (int32_t)(world % 4);
    stage.options.optimize_range = world % 5 ? 10.0 : 1.5;
    stage.options.optimize_budget = world % 7 ? 16 : 3;
    stage.options.refine_budget = 0;
    stage.context = make_context(stage.mesh, model, 1024, NULL);
    stage.follower = make_follower(stage.context, &stage.options, world_random_point(stage.mesh, &seed, NULL));
    CrCorridor *expected = make_corridor(probe, 256, stage.follower->position);
    for (int k = 0; k < 400; k++) {
      if (k % 100 == 0)
        cr_follower_set_destination(stage.follower, stage.context, world_random_point(stage.mesh, &seed, NULL), NULL);
      bool walking = stage.follower->state == CR_FOLLOWER_MOVING && !stage.follower->corridor.needs_replan;
      if (walking) expect_shortcuts(stage.follower, probe, expected, &shortcuts);
      step(&stage);
      if (!walking) continue;
      shortcuts.steps++;
      CHECK(is_rest_of(&stage.follower->corridor, expected));
    }
    cr_corridor_destroy(expected);
    cr_path_context_destroy(probe);
    close_stage(&stage);
  }
  printf("  %d steps; %d shortcuts by sight, %d by search; %d times nothing to aim at\n", shortcuts.steps,
         shortcuts.by_sight, shortcuts.by_search, shortcuts.without_aim);
  CHECK(shortcuts.by_sight > 20 && shortcuts.by_search > 10 && shortcuts.without_aim > 20);
}

TEST_MAIN(RUN(speed_rises_by_the_acceleration_and_falls_with_the_distance), RUN(the_arrival_rule_sets_the_speed),
          RUN(the_acceleration_limits_the_change_of_velocity), RUN(a_step_without_length_trims_the_corridor),
          RUN(walking_turns_at_corners), RUN(a_step_reports_what_it_did), RUN(velocities_rise_with_the_ground),
          RUN(stuck_recovers_then_stops), RUN(progress_is_measured_from_window_to_window),
          RUN(progress_is_the_distance_from_the_anchor), RUN(no_stuck_time_while_slowing_or_off),
          RUN(shortcuts_come_at_their_intervals), RUN(shortcuts_are_those_of_the_corridor),
          RUN(a_shortcut_is_walked_in_the_same_step))
