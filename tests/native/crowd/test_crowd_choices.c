// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One rule of a step at a time, at the very limits of its constants (docs/behaviour/crowds.md): separation at no distance, when an
// agent is blocked, when it queues, when a wall turns its side bias. Agents here accelerate at once, so that their velocity
// after one step is what was chosen.
#include "crowd_runs.h"

typedef struct Stage {
  CrNavMesh *mesh;
  CrCrowd *crowd;
} Stage;

static Stage begin(void) {
  Stage stage = {open_world(8, 8, 8.0), NULL};
  stage.crowd = make_crowd(stage.mesh, NULL);
  return stage;
}

static void end(Stage *stage) {
  cr_crowd_destroy(stage->crowd);
  cr_navmesh_destroy(stage->mesh);
}

// Radius 0.5, so that sums are 1; nothing but what is tested: no bias, no separation. The horizon is 2 s.
static CrAgentOptions plain(void) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.radius = 0.5;
  options.max_speed = 4.0;
  options.max_acceleration = 1e9;
  options.side_preference = 0.0;
  options.arrival_radius = 0.0;
  return options;
}

static CrVec3 velocity_after_step(CrCrowd *crowd, int64_t id) {
  step_crowd(crowd);
  return walker_info(crowd, id).velocity;
}

// --- Separation -------------------------------------------------------------------------------------------------------

// Two all but on one spot, `apart` along z: how each leaves it. They are too small to collide.
static void separate(double apart, CrVec3 out[2]) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  options.radius = 1e-12;
  options.separation_distance = 1.0;
  options.separation_weight = 0.25;
  for (int k = 0; k < 2; k++) add_agent(stage.crowd, cr__vec(32, 0, 32 + k * apart), &options);
  step_crowd(stage.crowd);
  for (int k = 0; k < 2; k++) out[k] = walker_info(stage.crowd, k).velocity;
  end(&stage);
}

// Where there is no direction the higher slot goes to +x; farther apart than 1e-9 they go as they stand.
TEST(separation_has_a_direction_at_no_distance) {
  CrVec3 v[2];
  separate(0.97e-9, v);
  CHECK_NEAR(v[0].x, -1.0, 1e-6);
  CHECK_NEAR(v[1].x, 1.0, 1e-6);
  CHECK_NEAR(v[0].z, 0.0, 1e-6);
  separate(1.03e-9, v);
  CHECK_NEAR(v[0].z, -1.0, 1e-6);
  CHECK_NEAR(v[1].z, 1.0, 1e-6);
  CHECK_NEAR(v[1].x, 0.0, 1e-6);
}

// 0.25 * 4 * (1 - 0.5)^2 is a quarter of a unit a second; at the distance itself there is none.
TEST(separation_falls_off_with_the_square) {
  CrVec3 v[2];
  separate(0.5, v);
  CHECK_NEAR(v[1].z, 0.25, 1e-9);
  CHECK_NEAR(v[0].z, -0.25, 1e-9);
  separate(1.0, v);
  CHECK(v[0].z == 0.0 && v[1].z == 0.0);
}

// --- Blocked ----------------------------------------------------------------------------------------------------------

// One walks along x to `goal_x` ahead, and one stands `gap` before it: half of the change is the walker's, so that over two
// seconds it may go at gap / 4.
static CrVec3 meet_standing(double gap, double goal_x, bool stands) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  int64_t id = add_walker(stage.crowd, cr__vec(16, 0, 32), cr__vec(16 + goal_x, 0, 32), &options);
  CrVec3 there = cr__vec(17 + gap, 0, 32);
  int64_t other = add_agent(stage.crowd, there, &options);
  if (!stands) CHECK_OK(cr_crowd_set_destination(stage.crowd, other, cr__vec(17 + gap, 0, 48), NULL));
  CrVec3 v = velocity_after_step(stage.crowd, id);
  end(&stage);
  return v;
}

static bool goes_straight(CrVec3 v, double speed) { return cr__abs(v.x - speed) < 1e-9 && v.z == 0.0; }
static bool goes_aside(CrVec3 v) {
  return cr__abs(v.z - 4.0) < 1e-9 && cr__abs(v.x) < 1e-9;
}  // by 90 degrees at full speed

// 0.3 * 4 is 1.2, which a gap of 4.8 leaves.
TEST(one_slower_than_three_tenths_is_blocked) {
  CHECK(goes_aside(meet_standing(4.796875, 32, true)));
  CHECK(goes_straight(meet_standing(4.8125, 32, true), 4.8125 / 4));
  CHECK(goes_straight(meet_standing(4.796875, 32, false), 4.796875 / 4));  // the other walks
}

// 8 radii are 4. (Its goal so near, the agent slows down: the gap is nothing, and so is its speed.)
TEST(one_farther_than_eight_radii_from_its_goal_is_blocked) {
  CrVec3 near = meet_standing(0.0, 4.0, true), far = meet_standing(0.0, 4.0009765625, true);
  CHECK(cr__abs(near.x) < 1e-9 && cr__abs(near.z) < 1e-9);
  CHECK(cr__abs(far.x) < 1e-9 && far.z > 1.0);
}

// --- Queues -----------------------------------------------------------------------------------------------------------

// The goal is ahead along x. The other stands or walks between, at this distance from the one asked about and this far short of
// the goal, with this velocity of its own before the step. Whether the one asked about stays.
typedef struct Queue {
  double apart, to_goal, other_speed, larger;  // by what the radii are larger
  bool walks, driven;
  CrVec3 goal_off;  // how far the other's goal is from that of the one asked about
} Queue;

static bool queues(const Queue *queue) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  options.radius += queue->larger;
  double goal_x = 32, x = goal_x - queue->to_goal;
  CrVec3 goal = cr__vec(goal_x, 0, 32);
  // Its goal first, then its place: standing there, its destination is elsewhere.
  int64_t other = add_agent(stage.crowd, cr__vec(x, 0, 32), &options);
  CHECK_OK(cr_crowd_set_destination(stage.crowd, other, goal, NULL));
  CrFollower *follower = &cr__crowd_slot(stage.crowd, 0)->follower;
  if (!queue->walks) follower->state = CR_FOLLOWER_STUCK;
  follower->velocity = cr__vec(queue->other_speed, 0, 0);
  follower->destination = cr__add(goal, queue->goal_off);
  cr__agents_show(stage.crowd, 0);
  if (queue->driven) CHECK_OK(cr_crowd_set_velocity(stage.crowd, other, cr__vec(0, 0, 0), NULL));
  int64_t id = add_walker(stage.crowd, cr__vec(x - queue->apart, 0, 32), goal, &options);
  CrVec3 v = velocity_after_step(stage.crowd, id);
  end(&stage);
  return v.x == 0.0 && v.z == 0.0;
}

// The other walks at 0.1 * 4 at most, at most 1.25 sums of radii away; a gap of 0.25 would let the agent go at 1/16 and more.
TEST(one_queues_behind_a_slow_walker) {
  CHECK(queues(&(Queue){.apart = 1.25, .to_goal = 8, .other_speed = 0.0, .walks = true}));
  CHECK(!queues(&(Queue){.apart = 1.2578125, .to_goal = 8, .other_speed = 0.0, .walks = true}));
  CHECK(queues(&(Queue){.apart = 1.125, .to_goal = 8, .other_speed = 0.1 * 4, .walks = true}));
  CHECK(!queues(&(Queue){.apart = 1.125, .to_goal = 8, .other_speed = 0.40625, .walks = true}));
}

// The other stands, at most one sum of radii from the goal.
TEST(one_queues_behind_one_that_stands_at_the_goal) {
  CHECK(queues(&(Queue){.apart = 1.25, .to_goal = 1.0}));
  CHECK(!queues(&(Queue){.apart = 1.25, .to_goal = 1.0078125}));
  CHECK(queues(&(Queue){.apart = 2.0, .to_goal = 2.0, .larger = 0.5}));
  CHECK(!queues(&(Queue){.apart = 1.2578125, .to_goal = 1.0}));
}

// The other's goal is the same point, in every coordinate, or it is not queued for; one that is driven stands on the point.
TEST(only_exactly_the_same_goal_is_queued_for) {
  CHECK(queues(&(Queue){.apart = 1.25, .to_goal = 1.0}));
  CHECK(!queues(&(Queue){.apart = 1.25, .to_goal = 1.0, .goal_off = {0.125, 0, 0}}));
  CHECK(!queues(&(Queue){.apart = 1.25, .to_goal = 1.0, .goal_off = {0, 0.125, 0}}));
  CHECK(!queues(&(Queue){.apart = 1.25, .to_goal = 1.0, .goal_off = {0, 0, 0.125}}));
  CHECK(!queues(&(Queue){.apart = 1.25, .to_goal = 1.0, .driven = true}));
  CHECK(queues(&(Queue){.apart = 1.25, .to_goal = 0.0, .driven = true}));
}

// Of two side by side and equally near the goal neither waits for the other; one a little nearer is waited for. A third before them
// keeps both from gaining anything.
static bool queues_beside(double other_x) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  CrVec3 goal = cr__vec(32, 0, 32);
  add_agent(stage.crowd, cr__vec(31.687, 0, 31.773), &options);
  add_walker(stage.crowd, cr__vec(other_x, 0, 31.5), goal, &options);
  int64_t id = add_walker(stage.crowd, cr__vec(31, 0, 32.5), goal, &options);
  CrVec3 v = velocity_after_step(stage.crowd, id);
  end(&stage);
  return v.x == 0.0 && v.z == 0.0;
}

TEST(of_two_equally_near_the_goal_neither_queues) {
  CHECK(!queues_beside(31.0));
  CHECK(queues_beside(31.0078125));
}

// A gap of 0.125 lets it go at 1/32: is that half of what it wants?
static bool queues_wanting(double speed) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  options.max_speed = speed;
  options.separation_distance = 2.0;  // sees the other, but
  options.separation_weight = 0.0;    // does not mind
  CrVec3 goal = cr__vec(48, 0, 32);
  add_walker(stage.crowd, cr__vec(17.125, 0, 32), goal, &options);
  int64_t id = add_walker(stage.crowd, cr__vec(16, 0, 32), goal, &options);
  CrVec3 v = velocity_after_step(stage.crowd, id);
  end(&stage);
  return v.x == 0.0 && v.z == 0.0;
}

TEST(one_that_gains_half_its_speed_goes_on) {
  CHECK(!queues_wanting(0.0625));
  CHECK(queues_wanting(0.0634765625));
}

// --- Side bias --------------------------------------------------------------------------------------------------------

// One walks along x beside the wall at z 0, which is `out` away, or along a line turned towards it. Its bias is to -z.
static double bias_beside_wall(double out, double slope) {
  Stage stage = begin();
  CrAgentOptions options = plain();
  options.side_preference = 0.125;
  options.quality = CR_QUALITY_HIGH;
  int64_t id = add_walker(stage.crowd, cr__vec(36, 0, out), cr__vec(36 + 24, 0, out + 24 * slope), &options);
  CrVec3 v = velocity_after_step(stage.crowd, id);
  end(&stage);
  // How far it turns to the right hand of its way (towards the wall).
  double length = cr__sqrt(1.0 + slope * slope);
  return (v.x * slope - v.z) / length;
}

// 4 radii are 2. The normal of the wall is +z; against the bias by more than a half it turns it round.
TEST(a_wall_turns_the_bias_round) {
  CHECK_NEAR(bias_beside_wall(2.0, 0.0), -0.5, 0.01);
  CHECK(bias_beside_wall(2.0078125, 0.0) > 0.0);
  // At a slope of sqrt(3) the bias, across the way, has half its length towards the wall: 60 degrees.
  CHECK(bias_beside_wall(1.9, 1.70) < 0.0);
  CHECK(bias_beside_wall(1.9, 1.76) > 0.0);
}

TEST_MAIN(RUN(separation_has_a_direction_at_no_distance), RUN(separation_falls_off_with_the_square),
          RUN(one_slower_than_three_tenths_is_blocked), RUN(one_farther_than_eight_radii_from_its_goal_is_blocked),
          RUN(one_queues_behind_a_slow_walker), RUN(one_queues_behind_one_that_stands_at_the_goal),
          RUN(only_exactly_the_same_goal_is_queued_for), RUN(of_two_equally_near_the_goal_neither_queues),
          RUN(one_that_gains_half_its_speed_goes_on), RUN(a_wall_turns_the_bias_round))
