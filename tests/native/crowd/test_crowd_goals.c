// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many agents with one goal: who cannot reach it queues around it, and all come to rest (docs/behaviour/crowds.md, "A shared
// goal").
#include "crowd_runs.h"

static double fastest(const CrCrowd *crowd) {
  double speed = 0.0;
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    CrVec3 v = cr__crowd_slot(crowd, slot)->follower.velocity;
    speed = cr__max(speed, cr__sqrt(v.x * v.x + v.z * v.z));
  }
  return speed;
}

typedef struct Rest {
  double seconds;  // when the last movement ended
  double deepest, spread;
  double speed;  // the largest in the last ten seconds
  int32_t arrived;
} Rest;

static Rest run_to_rest(CrCrowd *crowd, CrVec3 goal, double limit) {
  Rest rest = {0};
  while ((double)crowd->step_count * RUN_DT < limit) {
    step_crowd(crowd);
    double now = (double)crowd->step_count * RUN_DT, speed = fastest(crowd);
    if (speed > 0.0) rest.seconds = now;
    if (now > limit - 10.0) rest.speed = cr__max(rest.speed, speed);
    if (crowd->step_count % 8 == 0) rest.deepest = cr__max(rest.deepest, deepest_overlap(crowd));
  }
  check_crowd(crowd);
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    const CrFollower *follower = &cr__crowd_slot(crowd, slot)->follower;
    rest.arrived += follower->state == CR_FOLLOWER_ARRIVED;
    rest.spread = cr__max(rest.spread, cr__dist_xz(follower->position, goal));
  }
  return rest;
}

static void add_square(CrCrowd *crowd, int32_t count, CrVec3 goal, const CrAgentOptions *options, uint64_t *seed) {
  for (int32_t k = 0; k < count; k++) {
    double x = 4 + 2.0 * (k % 8) + rnd_range(seed, -0.1, 0.1), z = 4 + 2.0 * (k / 8) + rnd_range(seed, -0.1, 0.1);
    add_walker(crowd, cr__vec(x, 0, z), goal, options);
  }
}

TEST(a_shared_goal_settles) {
  static const int32_t counts[] = {2, 3, 8, 20, 60};
  for (int32_t k = 0; k < 10 * check_scale(); k++) {
    int32_t count = counts[k % 5];
    uint64_t seed = check_seed = 700 + (uint64_t)k;
    CrNavMesh *mesh = open_world(16, 16, 4.0);
    CrCrowd *crowd = make_crowd(mesh, NULL);
    CrAgentOptions options = k / 5 % 2 ? cr_agent_options_humanoid() : cr_agent_options_small();
    CrVec3 goal = {40 + rnd_range(&seed, -1, 1), 0, 40 + rnd_range(&seed, -1, 1)};
    add_square(crowd, count, goal, &options, &seed);
    Rest rest = run_to_rest(crowd, goal, 150.0);
    double packed = options.radius * cr__sqrt(count);  // a disc of their area
    printf(
        "  %d of radius %g: at rest after %.1f s, %d arrived, spread %.2f (%.2f as one disc), deepest overlap %.3f\n",
        count, options.radius, rest.seconds, rest.arrived, rest.spread, packed, rest.deepest);
    CHECK(rest.speed == 0.0);
    CHECK(rest.arrived >= 1 && rest.spread <= 2.0 * packed + 2.0 * options.radius);
    CHECK(rest.deepest <= 0.15 * 2 * options.radius);
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
  }
}

// Queueing is not for ever: as those that arrive are taken out, the rest arrive.
TEST(a_queue_moves_up) {
  CrNavMesh *mesh = open_world(16, 16, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  uint64_t seed = check_seed = 751;
  add_square(crowd, 40, cr__vec(40, 0, 40), &options, &seed);
  int64_t last = -1;
  while (cr_crowd_agent_count(crowd) > 0 && crowd->step_count < 120 * 60) {
    step_crowd(crowd);
    if (remove_arrived(crowd)) last = crowd->step_count;
  }
  printf("  40 agents: the last reaches the goal after %.1f s\n", (double)last * RUN_DT);
  CHECK_INT(cr_crowd_agent_count(crowd), 0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// One stands at its place, another comes to a place behind it. How far the second has got after `seconds`.
static CrVec3 walk_up_to(CrVec3 place, bool stuck, CrVec3 from, CrVec3 goal, double seconds) {
  CrNavMesh *mesh = open_world(16, 16, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  int64_t first = add_walker(crowd, place, stuck ? goal : place, &options);
  step_crowd(crowd);
  if (stuck) cr__crowd_slot(crowd, (int32_t)first)->follower.state = CR_FOLLOWER_STUCK;
  int64_t id = add_walker(crowd, from, goal, &options);
  while ((double)crowd->step_count * RUN_DT < seconds) step_crowd(crowd);
  CrVec3 end = walker_info(crowd, id).position;
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return end;
}

// Another goal, however near, is not queued for, nor is one behind somebody who is stuck on the way.
TEST(only_those_of_one_goal_queue) {
  CrVec3 place = {30, 0, 30}, from = {29.35, 0, 30.01}, other = {30.05, 0, 30.4}, far = {40, 0, 30};
  CrVec3 queued = walk_up_to(place, false, from, place, 10.0);
  CrVec3 beside = walk_up_to(place, false, from, other, 10.0);
  CrVec3 past = walk_up_to(place, true, from, far, 10.0);
  printf("  one goal: stays within %.3f; another: goes %.3f; past one that is stuck: %.3f\n", cr__dist_xz(queued, from),
         cr__dist_xz(beside, from), cr__dist_xz(past, from));
  CHECK(cr__dist_xz(queued, from) <= 0.05);
  CHECK(cr__dist_xz(beside, from) > 0.2);
  CHECK(cr__dist_xz(past, far) <= 0.5);
}

// One at the goal, close by beyond a wall, does not hold up who has to go round by the door.
TEST(nobody_queues_through_a_wall) {
  CrNavMesh *mesh = two_rooms();
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_humanoid();
  CrVec3 goal = {20.45, 0, 7.7};
  add_walker(crowd, goal, goal, &options);
  step_crowd(crowd);
  int64_t id = add_walker(crowd, cr__vec(19.9, 0, 6.8), goal, &options);
  for (int step = 0; step < 600; step++) step_crowd(crowd);
  CHECK(walker_info(crowd, id).position.x > 20.4);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// One walks to where a player stands that its host drives, and queues before it; then the player goes on. Returns how the one
// moves in that step.
static CrVec3 follow_player(bool player_first) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  CrVec3 goal = {20, 0, 16};
  int64_t ids[2];
  for (int k = 0; k < 2; k++) ids[k] = add_agent(crowd, (k == 0) == player_first ? goal : cr__vec(18, 0, 16), &options);
  int64_t player = ids[!player_first], id = ids[player_first];
  REQUIRE_OK(cr_crowd_set_velocity(crowd, player, cr__vec(0, 0, 0), NULL));
  REQUIRE_OK(cr_crowd_set_destination(crowd, id, goal, NULL));
  for (int k = 0; k < 180; k++) step_crowd(crowd);
  CHECK(cr__same_point(walker_info(crowd, player).position, goal));
  CHECK(cr__same_point(walker_info(crowd, id).velocity, cr__vec(0, 0, 0)));
  REQUIRE_OK(cr_crowd_set_velocity(crowd, player, cr__vec(2, 0, 0), NULL));
  step_crowd(crowd);
  CHECK(walker_info(crowd, player).position.x > goal.x);
  CrVec3 velocity = walker_info(crowd, id).velocity;
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return velocity;
}

// The destination of a driven agent moves with it while others still choose: they see it where the step found it.
TEST(a_driven_agent_is_queued_for_where_the_step_found_it) {
  CHECK(cr__same_point(follow_player(true), cr__vec(0, 0, 0)));
  CHECK(cr__same_point(follow_player(false), cr__vec(0, 0, 0)));
}

TEST_MAIN(RUN(a_shared_goal_settles), RUN(a_queue_moves_up), RUN(only_those_of_one_goal_queue),
          RUN(nobody_queues_through_a_wall), RUN(a_driven_agent_is_queued_for_where_the_step_found_it))
