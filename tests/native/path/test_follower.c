// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a host tells a follower, when it has arrived, and steps 1 to 3: mesh check, replans, corners
// (docs/behaviour/followers.md names the tests).
#include "stage.h"

// --- Commands ---------------------------------------------------------------------------------------------------------

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

// A new destination begins with nothing counted; the velocity is kept.
TEST(a_destination_starts_over) {
  Stage stage = open_stage("....................\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 3.5, 0.5);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(stage.follower->reached_target);
  go(&stage, 19.5, 0.5);
  CHECK(!stage.follower->reached_target && stage.follower->remaining_distance == (double)__builtin_inf());
  for (int k = 0; k < 12; k++) step(&stage);
  CrVec3 velocity = stage.follower->velocity, position = stage.follower->position;
  CHECK(velocity.x > 3.0 && stage.follower->stuck_clock > 0.0);
  stage.follower->replan_rounds = 5, stage.follower->stuck_recoveries = 2;
  uint64_t steps = stage.follower->step_count;
  go(&stage, 18.5, 0.5);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->step_count == steps);
  CHECK(stage.follower->replan_rounds == 0 && stage.follower->stuck_recoveries == 0);
  CHECK(stage.follower->stuck_clock == 0.0 && cr__same_point(stage.follower->stuck_anchor, position));
  CHECK(cr__same_point(stage.follower->velocity, velocity));
  CHECK(cr__same_point(stage.follower->position, position));
  CHECK(stage.follower->corridor.complete && !stage.follower->corridor.needs_replan);  // planned at once
  close_stage(&stage);
}

// Whatever its state, a placed follower counts its steps; one that neither walks nor crosses stands.
TEST(every_step_counts_and_only_walkers_move) {
  Stage stage = open_stage("..........\n", 0);
  place(&stage, 0.5, 0.5);
  CrFollowerState standing[] = {CR_FOLLOWER_IDLE, CR_FOLLOWER_ARRIVED, CR_FOLLOWER_NO_PATH, CR_FOLLOWER_STUCK};
  for (size_t k = 0; k < CR_COUNT_OF(standing); k++) {
    stage.follower->state = standing[k];
    stage.follower->velocity = cr__vec(1, 2, 3);
    step(&stage);
    CHECK(stage.follower->state == standing[k] && is_still(stage.follower));
    CHECK(cr__same_point(stage.follower->position, cr__vec(0.5, 0, 0.5)));
    CHECK_INT(stage.follower->step_count, k + 1);
  }
  go(&stage, 9.5, 0.5);
  step(&stage);
  CHECK(stage.follower->step_count == 5 && !is_still(stage.follower));
  stage.follower->reached_target = true, stage.follower->replan_rounds = 3, stage.follower->stuck_recoveries = 1;
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(2.5, 0, 0.5), NULL));
  CHECK(!stage.follower->reached_target && stage.follower->replan_rounds == 0 && stage.follower->stuck_recoveries == 0);
  CHECK(stage.follower->stuck_clock == 0.0 && cr__same_point(stage.follower->stuck_anchor, cr__vec(2.5, 0, 0.5)));
  CHECK(stage.follower->step_count == 0 && stage.follower->state == CR_FOLLOWER_IDLE && is_still(stage.follower));
  CHECK(cr__same_point(stage.follower->destination, cr__vec(2.5, 0, 0.5)));
  CHECK(stage.follower->corridor.count == 1 && stage.follower->corridor.complete);
  close_stage(&stage);
}

// The reach of Place, and of the search for the target's polygon, is SearchExtents.
TEST(search_extents_reach_that_far) {
  Stage stage = open_stage("....\n", 0);
  stage.options.search_extents = cr__vec(0.5, 3.0, 1.5);
  place(&stage, 0.5, 0.5);
  CrVec3 fine[] = {{-0.5, 0, 0.5}, {0.5, 3.0, 0.5}, {0.5, -3.0, 0.5}, {4.5, 0, 0.5}, {2, 0, 2.5}};
  CrVec3 off[] = {{-0.51, 0, 0.5}, {0.5, 3.01, 0.5}, {0.5, -3.01, 0.5}, {4.51, 0, 0.5}, {2, 0, 2.51}};
  for (size_t k = 0; k < CR_COUNT_OF(fine); k++) {
    CHECK_OK(cr_follower_set_destination(stage.follower, stage.context, fine[k], NULL));
    CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
    CHECK_OK(cr_follower_set_destination(stage.follower, stage.context, off[k], NULL));
    CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH && is_still(stage.follower));
    CHECK_STATUS(cr_follower_place(stage.follower, stage.context, off[k], NULL), CR_STATUS_NOT_FOUND);
    CHECK_OK(cr_follower_place(stage.follower, stage.context, fine[k], NULL));
  }
  close_stage(&stage);
}

// A context serves corridors up to its own size: a follower with a larger one is refused by name, and nothing changes.
TEST(a_context_that_is_too_small_is_refused) {
  static StateBytes before, after;
  Stage stage = open_stage("....\n", 0);
  place(&stage, 0.5, 0.5);
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.corridor_capacity = 257;
  CrFollower *follower;
  REQUIRE_OK(cr_follower_create(&options, NULL, &follower, NULL));
  take_state(follower, &before);
  CrError errors[4];
  CHECK_STATUS(cr_follower_place(follower, stage.context, cr__vec(1, 0, 0.5), &errors[0]), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_follower_set_destination(follower, stage.context, cr__vec(1, 0, 0.5), &errors[1]),
               CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_follower_step(follower, stage.context, DT, &errors[2]), CR_STATUS_ARGUMENT);
  take_state(follower, &after);
  CHECK(same_state(&before, &after));
  follower->state = CR_FOLLOWER_OFF_MESH_LINK;
  CHECK_STATUS(cr_follower_complete_off_mesh(follower, stage.context, &errors[3]), CR_STATUS_ARGUMENT);
  CHECK(follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  for (int k = 0; k < 4; k++) {
    CHECK(strcmp(errors[k].field, "options.corridor_capacity") == 0 && errors[k].limit == 256.0);
  }
  cr_follower_destroy(follower);
  close_stage(&stage);
}

// Every coordinate is looked at, and what is refused changes nothing.
TEST(bad_points_are_named_and_change_nothing) {
  static StateBytes before, after;
  Stage stage = open_stage("..........\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  for (int k = 0; k < 5; k++) step(&stage);
  take_state(stage.follower, &before);
  double bad[] = {(double)__builtin_nan(""), (double)__builtin_inf(), -(double)__builtin_inf(), CR_COORD_LIMIT,
                  -CR_COORD_LIMIT};
  for (size_t k = 0; k < CR_COUNT_OF(bad) * 3; k++) {
    CrVec3 point = cr__vec(k % 3 == 0 ? bad[k / 3] : 1, k % 3 == 1 ? bad[k / 3] : 0, k % 3 == 2 ? bad[k / 3] : 0.5);
    CrError error;
    CHECK_STATUS(cr_follower_place(stage.follower, stage.context, point, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "position") == 0);
    CHECK_STATUS(cr_follower_set_destination(stage.follower, stage.context, point, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "destination") == 0);
  }
  take_state(stage.follower, &after);
  CHECK(same_state(&before, &after));
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

// --- Arrival ----------------------------------------------------------------------------------------------------------

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

// Within the radius at the beginning of a step it has arrived, where it is; until then it walks.
TEST(arrival_is_within_the_radius) {
  Stage stage = open_stage("..........\n", 0);
  stage.options.arrival_radius = 0.5;
  stage.options.slow_radius = 0.0;
  place(&stage, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  while (stage.follower->state == CR_FOLLOWER_MOVING) {
    CrVec3 before = stage.follower->position;
    step(&stage);
    bool within = 9.5 - before.x <= 0.5;
    CHECK(within == (stage.follower->state == CR_FOLLOWER_ARRIVED));
    CHECK(within == cr__same_point(before, stage.follower->position));
  }
  CHECK(stage.follower->reached_target && stage.follower->remaining_distance == 0.0 && is_still(stage.follower));
  // The radius itself is within.
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(2.0, 0, 0.5), NULL));
  go(&stage, 2.5, 0.5);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->position.x == 2.0);
  // The destination it stands on is one step away, without walking.
  CrVec3 at = stage.follower->position;
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, at, NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && cr__same_point(stage.follower->position, at));
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

// --- Replanning -------------------------------------------------------------------------------------------------------

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

// Each unfinished round had exactly the budget times two to the power of the rounds before it.
TEST(budgets_double_from_round_to_round) {
  Stage stage = open_stage("..............................\n..............................\n", 0);
  stage.options.replan_budget = 3;
  place(&stage, 0.5, 0.5);
  go(&stage, 29.5, 1.5);
  int64_t budget = 3;
  int32_t rounds = 1;
  for (; !stage.follower->corridor.complete && rounds < 10; rounds++, budget *= 2) {
    CHECK_INT(stage.follower->replan_rounds, rounds);
    CHECK_INT(stage.context->query->search.iterations, budget);
    step(&stage);
  }
  CHECK(stage.context->query->search.iterations <= budget && stage.follower->corridor.complete);
  CHECK(rounds >= 4);
  // The largest numbers do not overflow.
  stage.options.replan_budget = INT32_MAX;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  stage.options.max_replan_rounds = INT32_MAX;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  stage.follower->replan_rounds = INT32_MAX - 1;
  cr_corridor_request_replan(&stage.follower->corridor);
  step(&stage);
  CHECK(stage.follower->corridor.complete && stage.follower->state == CR_FOLLOWER_MOVING);
  CHECK_INT(stage.follower->replan_rounds, INT32_MAX - 1);
  close_stage(&stage);
}

// While a search is unfinished the agent stands: no velocity, no stuck time, however long it has walked before.
TEST(an_unfinished_search_is_not_walked) {
  Stage stage = open_stage("..............................\n..............................\n", 0);
  place(&stage, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  for (int k = 0; k < 12; k++) step(&stage);
  CHECK(stage.follower->stuck_clock > 0.0 && !is_still(stage.follower));
  stage.options.replan_budget = 2;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  CrVec3 at = stage.follower->position;
  CHECK(stage.follower->remaining_distance < 9.0);
  cr_corridor_request_replan(&stage.follower->corridor);  // as a stuck agent does
  step(&stage);
  CHECK(stage.follower->replan_rounds == 1 && cr__same_point(stage.follower->position, at));
  CHECK(is_still(stage.follower) && stage.follower->remaining_distance == (double)__builtin_inf());
  CHECK(stage.follower->stuck_clock == 0.0 && cr__same_point(stage.follower->stuck_anchor, at));
  go(&stage, 29.5, 1.5);
  CHECK(stage.follower->replan_rounds == 1 && stage.follower->corridor.replan_from_start);
  step(&stage);
  CHECK(stage.follower->replan_rounds == 2 && cr__same_point(stage.follower->position, at));
  CHECK(is_still(stage.follower) && stage.follower->stuck_clock == 0.0);
  CHECK(cr__same_point(stage.follower->stuck_anchor, at));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 400);
  CHECK(stage.follower->reached_target);
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

// Outside a crowd a corridor cut to its capacity is extended with every step.
TEST(a_lone_follower_extends_at_once) {
  char map[302];
  memset(map, '.', 300);
  map[300] = '\n', map[301] = 0;
  Stage stage = open_stage(map, 0);
  stage.options.corridor_capacity = 64;
  place(&stage, 0.5, 0.5);
  go(&stage, 299.5, 0.5);
  for (int k = 0; k < 200; k++) {
    step(&stage);
    CHECK(stage.follower->corridor.count >= 63 && stage.follower->corridor.needs_replan);
  }
  CHECK(stage.follower->position.x > 40.0);
  close_stage(&stage);
}

typedef struct Refined {
  int success, partial, would_differ, longer_than_window;
} Refined;

// What SetDestination must have made of the corridor: one replan, and after a success one topology search 64 ahead.
static void check_refined(CrPathContext *context, CrVec3 from, CrVec3 to, Refined *refined) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.refine_budget = 4000;
  CrFollower *follower = make_follower(context, &options, from);
  REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
  CrCorridor *plain = planned_corridor(context, 256, from, to), *other = planned_corridor(context, 256, from, to);
  bool differs = cr_corridor_optimize_topology(other, context, 4000, 64);
  bool complete = plain->complete;
  refined->success += complete && differs;
  refined->longer_than_window += complete && differs && plain->count > 64;
  refined->partial += !complete;
  refined->would_differ += !complete && differs;
  CrCorridor *expected = complete ? other : plain;
  CHECK(same_path(&follower->corridor, expected->path, expected->count));
  cr_corridor_destroy(plain);
  cr_corridor_destroy(other);
  cr_follower_destroy(follower);
}

TEST(refining_follows_a_success_only) {
  Refined refined = {0};
  for (uint64_t world = 0; world < 16; world++) {
    check_seed = world;
    uint64_t seed = world * 29 + 7;
    CrNavMesh *mesh = world % 2 ? world_scattered(world, 70, 70, 1.0, 0.25, 0, NULL)
                                : world_scattered(world, 30, 30, 1.0, 0.4, 0, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 32768, NULL);
    for (int run = 0; run < 20; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL);
      check_refined(context, from, world_random_point(mesh, &seed, NULL), &refined);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d refined, %d of them beyond the window; %d partial, %d of them could have been\n", refined.success,
         refined.longer_than_window, refined.partial, refined.would_differ);
  CHECK(refined.success > 20 && refined.longer_than_window > 2 && refined.would_differ > 2);
}

// A crossing-node query is not searched a second time: the last search it did is the replan itself.
TEST(crossing_nodes_are_not_refined) {
  Stage stage = stage_on(world_scattered(9, 90, 90, 1.0, 0.2, 0, NULL));
  stage.options.refine_budget = 4000;
  stage.options.replan_budget = 1 << 20;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
  CrPathContext *probe = make_context(stage.mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
  CrVec3 from = find_polygon(probe, cr__vec(1.5, 0, 1.5)).point, to = find_polygon(probe, cr__vec(88.5, 0, 88.5)).point;
  stage.follower = make_follower(stage.context, &stage.options, from);
  go(&stage, to.x, to.z);
  CrCorridor *plain = planned_corridor(probe, 256, from, to);
  CHECK(plain->complete && plain->count > 64);
  CHECK_INT(stage.context->query->search.iterations, probe->query->search.iterations);
  cr_corridor_destroy(plain);
  cr_path_context_destroy(probe);
  close_stage(&stage);
}

// --- Mesh changes -----------------------------------------------------------------------------------------------------

TEST(stale_position_relocates_or_gives_up) {
  Stage stage = open_stage("..........\n", 5);
  place(&stage, 6.5, 0.5);
  go(&stage, 0.5, 0.5);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->position.x <= 5.0);
  CHECK(speed_xz(stage.follower) <= stage.options.max_acceleration * DT + 1e-9);  // being put elsewhere is no velocity
  steps_until_rest(&stage, 200);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 0, 0, 0, NULL));
  stage.follower->state = CR_FOLLOWER_MOVING;
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH && is_still(stage.follower));
  close_stage(&stage);
}

// The ground is gone when a destination is set: the next step finds other ground near, or gives up.
TEST(a_destination_given_on_stale_ground) {
  for (int near = 0; near < 2; near++) {
    Stage stage = open_stage("..........\n", 5);
    place(&stage, near ? 5.5 : 9.5, 0.5);
    REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
    go(&stage, 0.5, 0.5);
    CHECK(stage.follower->state == CR_FOLLOWER_MOVING && stage.follower->corridor.needs_replan);
    step(&stage);
    CHECK(stage.follower->state == (near ? CR_FOLLOWER_MOVING : CR_FOLLOWER_NO_PATH));
    if (near) {
      CHECK(stage.follower->position.x <= 5.0 && stage.follower->corridor.complete);
      check_sound(&stage.follower->corridor, stage.context);
      steps_until(&stage, CR_FOLLOWER_ARRIVED, 300);
      CHECK(stage.follower->reached_target);
    } else {
      CHECK(is_still(stage.follower) && stage.follower->remaining_distance == (double)__builtin_inf());
    }
    close_stage(&stage);
  }
}

// Closing a polygon within the look-ahead cuts the corridor before it; the same step plans on from there.
TEST(the_look_ahead_notices_closed_polygons) {
  Stage stage = open_stage("..........\n..........\n", 0);
  CrQueryFilter filter = cr_query_filter_default();
  stage.options.validate_look_ahead = 4;
  stage.options.optimize_interval = stage.options.topology_interval = 0;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_CROSSING, 1024, &filter);
  stage.follower = make_follower(stage.context, &stage.options, cr__vec(0.5, 0, 0.5));
  go(&stage, 9.5, 0.5);
  REQUIRE_OK(cr_navmesh_set_flags(stage.mesh, polygon_at(stage.context, 7.5, 0.5), 0, NULL));
  step(&stage);
  CHECK(stage.follower->corridor.count == 10 && stage.follower->corridor.complete);  // not yet: it is the eighth
  CHECK(!is_still(stage.follower));
  for (int k = 0; k < 200 && stage.follower->corridor.path[0] != polygon_at(stage.context, 3.5, 0.5); k++) step(&stage);
  CHECK(stage.follower->corridor.path[3] == polygon_at(stage.context, 6.5, 0.5));
  CHECK(stage.follower->corridor.path[4] == polygon_at(stage.context, 7.5, 0.5));
  for (int k = 0; k < 200 && stage.follower->corridor.path[0] != polygon_at(stage.context, 4.5, 0.5); k++) step(&stage);
  step(&stage);
  CHECK(!is_still(stage.follower) && stage.follower->corridor.complete);  // round it, without a stop
  check_sound(&stage.follower->corridor, stage.context);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 300);
  CHECK(stage.follower->reached_target);
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

TEST_MAIN(RUN(place_and_destination), RUN(a_destination_starts_over), RUN(every_step_counts_and_only_walkers_move),
          RUN(search_extents_reach_that_far), RUN(a_context_that_is_too_small_is_refused),
          RUN(bad_points_are_named_and_change_nothing), RUN(stop_stands_idle), RUN(options_swap_in_place),
          RUN(arrival_is_exact), RUN(arrival_is_within_the_radius), RUN(unreachable_goal_ends_at_its_closest_point),
          RUN(target_off_the_mesh_is_reached_at_its_nearest_point), RUN(corridor_smaller_than_the_way),
          RUN(unfinished_replans_stand_and_double), RUN(budgets_double_from_round_to_round),
          RUN(an_unfinished_search_is_not_walked), RUN(too_many_rounds_give_up),
          RUN(stale_position_relocates_or_gives_up), RUN(a_destination_given_on_stale_ground),
          RUN(the_look_ahead_notices_closed_polygons), RUN(broken_beyond_the_look_ahead_repairs_and_waits),
          RUN(a_lone_follower_extends_at_once), RUN(refining_follows_a_success_only),
          RUN(crossing_nodes_are_not_refined))
