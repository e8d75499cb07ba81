// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crossings of off-mesh links in crowds: turns at an entry, and crossings that the host ends (docs/behaviour/crowds.md,
// "Turns at a link" and "Agents and slots").
#include "crowd_runs.h"
#include "tile_kit.h"

static CrAgentOptions host_driven(void) {
  CrAgentOptions options = cr_agent_options_small();
  options.has_path = true;
  options.path = cr_follower_options_small();
  options.path.off_mesh_mode = CR_OFF_MESH_HOST;
  return options;
}

static int step_until(CrCrowd *crowd, int64_t id, CrFollowerState state, int most) {
  int steps = 0;
  for (; walker_info(crowd, id).state != state && steps < most; steps++) step_crowd(crowd);
  CHECK_INT(walker_info(crowd, id).state, state);
  return steps;
}

TEST(the_host_ends_a_crossing) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = host_driven();
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(11, 1, 2), &options);
  step_until(crowd, id, CR_FOLLOWER_OFF_MESH_LINK, 300);
  for (int k = 0; k < 100; k++) step_crowd(crowd);
  CrFollowerInfo info = walker_info(crowd, id);
  CHECK_INT(info.state, CR_FOLLOWER_OFF_MESH_LINK);
  CHECK(cr__same_point(info.position, cr__vec(4, 0, 2)) && cr__same_point(info.velocity, cr__vec(0, 0, 0)));
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, id, NULL));
  info = walker_info(crowd, id);
  CHECK_INT(info.state, CR_FOLLOWER_MOVING);
  CHECK(cr__same_point(info.position, cr__vec(8, 1, 2)));
  CHECK(crowd->seen[0].x == 8.0 && crowd->seen[0].z == 2.0);  // others see it there in the next step
  check_crowd(crowd);
  step_until(crowd, id, CR_FOLLOWER_ARRIVED, 300);
  CHECK(has_arrived(crowd, id));
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// One agent in mid-air of its own, one waiting for the host, one standing: the first two can be ended.
TEST(only_crossings_can_be_ended) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions host = host_driven(), automatic = cr_agent_options_small();
  int64_t waiting = add_walker(crowd, cr__vec(3, 0, 2), cr__vec(11, 1, 2), &host);
  int64_t flying = add_walker(crowd, cr__vec(9, 1, 2), cr__vec(1, 0, 2), &automatic);
  int64_t standing = add_agent(crowd, cr__vec(1, 0, 3), NULL);
  step_until(crowd, waiting, CR_FOLLOWER_OFF_MESH_LINK, 300);
  step_until(crowd, flying, CR_FOLLOWER_OFF_MESH_LINK, 300);
  StateBytes state = take_state(crowd);
  CrError error;
  CHECK_STATUS(cr_crowd_complete_off_mesh(crowd, standing, &error), CR_STATUS_NOT_FOUND);
  CHECK(strcmp(error.field, "crossing") == 0 && stands_at(crowd, &state));
  CHECK_STATUS(cr_crowd_complete_off_mesh(crowd, 99, &error), CR_STATUS_NO_SUCH_AGENT);
  CHECK(error.index == 99 && stands_at(crowd, &state));
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, flying, &error));
  CHECK(cr__same_point(walker_info(crowd, flying).position, cr__vec(4, 0, 2)));
  CHECK_STATUS(cr_crowd_complete_off_mesh(crowd, flying, &error), CR_STATUS_NOT_FOUND);
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, waiting, &error));
  step_until(crowd, waiting, CR_FOLLOWER_ARRIVED, 300);
  step_until(crowd, flying, CR_FOLLOWER_ARRIVED, 300);
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A crossing that waits for its host is state: restored elsewhere and ended there, the crowd goes on the same.
TEST(a_waiting_crossing_is_restored) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL), *other = make_crowd(mesh, NULL);
  CrAgentOptions options = host_driven();
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(11, 1, 2), &options);
  step_until(crowd, id, CR_FOLLOWER_OFF_MESH_LINK, 300);
  for (int k = 0; k < 5; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  REQUIRE_OK(cr_crowd_restore_state(other, state.data, state.size, NULL));
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, id, NULL));
  CHECK_OK(cr_crowd_complete_off_mesh(other, id, NULL));
  for (int k = 0; k < 100; k++) {
    CHECK(cr_crowd_state_hash(crowd) == cr_crowd_state_hash(other));
    step_crowd(crowd);
    step_crowd(other);
  }
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_crowd_destroy(other);
  cr_navmesh_destroy(mesh);
}

TEST(an_exit_that_is_gone_leaves_no_path) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = host_driven();
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(11, 1, 2), &options);
  step_until(crowd, id, CR_FOLLOWER_OFF_MESH_LINK, 300);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, id, NULL));
  CHECK_INT(walker_info(crowd, id).state, CR_FOLLOWER_NO_PATH);
  step_crowd(crowd);
  CHECK_INT(walker_info(crowd, id).state, CR_FOLLOWER_NO_PATH);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Turns ------------------------------------------------------------------------------------------------------------

typedef struct Landings {
  int64_t count, last_step;
  double shortest;  // seconds between two at one end
  bool crossing[16];
} Landings;

static void note_landings(const CrCrowd *crowd, int32_t agents, double end_x, Landings *landings) {
  for (int32_t k = 0; k < agents; k++) {
    const CrFollower *follower = &cr__crowd_slot(crowd, k)->follower;
    bool crossing = follower->state == CR_FOLLOWER_OFF_MESH_LINK;
    if (landings->crossing[k] && !crossing && cr__abs(follower->position.x - end_x) < 0.1) {
      double since = (double)(crowd->step_count - landings->last_step) * RUN_DT;
      if (landings->count++) landings->shortest = cr__min(landings->shortest, since);
      landings->last_step = crowd->step_count;
    }
    landings->crossing[k] = crossing;
  }
}

// Eight in a row walk at one entry: they land one after the other, and nobody in anybody.
TEST(agents_take_turns_at_a_link) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 8; k++) {
    CrVec3 from = cr__vec(0.4 + 0.65 * (k / 2), 0, k % 2 ? 1.6 : 2.4);
    add_walker(crowd, from, cr__vec(11.4 - 0.8 * (k / 2), 1, k % 2 ? 1 : 3), &options);
  }
  Landings landings = {.shortest = 100.0};
  double deepest = 0.0;
  for (int step = 0; step < 1200; step++) {
    step_crowd(crowd);
    check_crowd(crowd);
    note_landings(crowd, 8, 8.0, &landings);
    deepest = cr__max(deepest, deepest_overlap(crowd));
  }
  double clear = cr__sqrt(2.0 * 0.6 / options.max_acceleration);
  printf("  8 agents land at least %.3f s apart (%.3f to clear), deepest overlap %.4f\n", landings.shortest, clear,
         deepest);
  CHECK_INT(landings.count, 8);
  CHECK(landings.shortest >= clear - RUN_DT && landings.shortest < clear + 3 * RUN_DT);
  CHECK(deepest <= 0.06);
  for (int64_t id = 0; id < 8; id++) CHECK(has_arrived(crowd, id));
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// Two at one distance: the lower slot goes first. One nearer goes before it.
TEST(the_nearest_to_an_entry_goes_first) {
  for (int nearer = 0; nearer < 2; nearer++) {
    CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
    CrCrowd *crowd = make_crowd(mesh, NULL);
    CrAgentOptions options = cr_agent_options_small();
    add_walker(crowd, cr__vec(3.75, 0, 2.375), cr__vec(11, 1, 2), &options);
    add_walker(crowd, cr__vec(3.75, 0, nearer ? 1.75 : 1.625), cr__vec(11, 1, 3), &options);
    step_crowd(crowd);
    CHECK_INT(walker_info(crowd, nearer).state, CR_FOLLOWER_OFF_MESH_LINK);
    CHECK_INT(walker_info(crowd, 1 - nearer).state, CR_FOLLOWER_MOVING);
    CHECK_INT(cr__crowd_slot(crowd, 1 - nearer)->step_flags, 0);  // it stands
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
  }
}

// Nobody waits for one whose landing only its host knows, nor does that one wait.
TEST(crossings_that_a_host_ends_are_not_waited_for) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small(), host = host_driven();
  options.max_acceleration = host.max_acceleration = 0.01;  // eleven seconds to clear
  for (int k = 0; k < 3; k++) {
    add_walker(crowd, cr__vec(3.75, 0, 1.75 + 0.25 * k), cr__vec(11, 1, 2), k == 1 ? &options : &host);
  }
  step_crowd(crowd);
  for (int64_t id = 0; id < 3; id++) CHECK_INT(walker_info(crowd, id).state, CR_FOLLOWER_OFF_MESH_LINK);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- How long a turn is -------------------------------------------------------------------------------------------------

#define TURN_DT (1.0 / 64.0)  // exact, so that sums of steps are

// Two platforms at height 0, the first of two polygons, and two links: from (4, 0, 2) to (8, 0, 2) and from (4, 0, 2.5) to `end`,
// which may be on a platform above the second.
static CrNavMesh *two_links(CrVec3 end) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.5, 0.0, 2.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 2.25, 0);
  kit_rectangle(&kit, 0, 2.25, 4, 4, 0);
  kit_rectangle(&kit, 8, 0, 12, 4, 0);
  if (end.y > 0.0) kit_rectangle(&kit, 8, 0, 12, 4, end.y);
  kit_link(&kit, cr__vec(4, 0, 2), cr__vec(8, 0, 2), 0.5, false);
  kit_link(&kit, cr__vec(4, 0, 2.5), end, 0.5, false);
  kit_add(&kit, mesh);
  return mesh;
}

// An agent that avoids nobody and crosses at this speed.
static CrAgentOptions crosser(double radius, double acceleration, double speed) {
  CrAgentOptions options = cr_agent_options_small();
  options.radius = radius;
  options.max_acceleration = acceleration;
  options.quality = CR_QUALITY_OFF;
  options.has_path = true;
  options.path.off_mesh_speed = speed;
  return options;
}

// The first stands nearer to its entry, at z 2, than the second does to its own, at z 2 or 2.5. Steps from the entering of the
// first to that of the second.
static int steps_between(CrNavMesh *mesh, const CrAgentOptions *first, const CrAgentOptions *second, double second_z,
                         CrVec3 second_goal) {
  CrCrowd *crowd = make_crowd(mesh, NULL);
  add_walker(crowd, cr__vec(3.75, 0, 2), cr__vec(11, 0, 2), first);
  int64_t id = add_walker(crowd, cr__vec(3.625, 0, second_z), second_goal, second);
  int steps = -1;
  for (bool entered = false; !entered && steps < 1000; steps++) {
    CHECK_OK(cr_crowd_step(crowd, TURN_DT, NULL));
    entered = walker_info(crowd, id).state == CR_FOLLOWER_OFF_MESH_LINK;
    if (steps == -1) CHECK_INT(walker_info(crowd, 0).state, CR_FOLLOWER_OFF_MESH_LINK);
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return steps;
}

static int steps_apart(const CrAgentOptions *first, const CrAgentOptions *second) {
  return steps_between(kit_platforms(0.0, 12.0, false), first, second, 2.0, cr__vec(11, 0, 3));
}

// sqrt(2 * (0.25 + 0.75) / 8) is half a second. The one behind waits for as long as the one before it takes to clear.
TEST(one_waits_until_there_is_time_to_clear) {
  CrAgentOptions first = crosser(0.25, 8.0, 1.0), second = crosser(0.75, 2.0, 1.0);
  CHECK_INT(steps_apart(&first, &second), 32);
  first.radius = 0.26;
  CHECK_INT(steps_apart(&first, &second), 33);
  first = crosser(0.25, 2.0, 1.0);
  CHECK_INT(steps_apart(&first, &second), 64);
  // Half a second faster to the other side: it lands at the same time when it begins half a second later.
  first = crosser(0.25, 8.0, 4.0 / 3.0);
  second = crosser(0.75, 2.0, 4.0 / 2.5);
  CHECK_INT(steps_apart(&first, &second), 64);
}

// One that would land before the one before it need not wait when there is the time for itself to clear: that is half a second
// here, where the other would take two.
TEST(one_may_land_before_the_one_before_it) {
  CrAgentOptions first = crosser(0.25, 0.5, 2.0), second = crosser(0.75, 8.0, 4.0 / 1.5);  // 2 s and 1.5 s to cross
  CHECK_INT(steps_apart(&first, &second), 0);
  second = crosser(0.75, 8.0, 4.0 / 1.53125);
  CHECK_INT(steps_apart(&first, &second), 128);  // until the first has landed
  second = crosser(0.75, 2.0, 4.0 / 1.25);       // takes a second to clear
  CHECK_INT(steps_apart(&first, &second), 128);
}

// Only those wait that would land at one point. Other links to it count, and other points of its height or place do not.
TEST(turns_are_those_of_an_exit) {
  CrAgentOptions options = crosser(0.5, 2.0, 1.0);
  CHECK(steps_between(two_links(cr__vec(8, 0, 2)), &options, &options, 2.5, cr__vec(11, 0, 2)) > 32);
  CHECK_INT(steps_between(two_links(cr__vec(8, 0, 3)), &options, &options, 2.5, cr__vec(8.5, 0, 3.5)), 0);
  CHECK_INT(steps_between(two_links(cr__vec(9, 0, 2)), &options, &options, 2.5, cr__vec(11, 0, 2.5)), 0);
  CHECK_INT(steps_between(two_links(cr__vec(8, 3, 2)), &options, &options, 2.5, cr__vec(11, 3, 2.5)), 0);
}

// Who has landed in this step is not waited for, however long it will take to clear.
TEST(who_has_landed_is_not_waited_for) {
  CrAgentOptions first = crosser(0.25, 0.125, 4.0), second = crosser(0.75, 8.0, 4.0);  // 4 s to clear, 1 s to cross
  CHECK_INT(steps_apart(&first, &second), 64);
}

// Nor is who was taken out in mid-air. While one waits that avoids nobody, no walls are looked up for it.
TEST(who_is_gone_is_not_waited_for) {
  CrNavMesh *mesh = kit_platforms(0.0, 12.0, false);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = crosser(0.5, 0.125, 1.0);  // 4 s to clear
  int64_t first = add_walker(crowd, cr__vec(3.75, 0, 2), cr__vec(11, 0, 2), &options);
  int64_t second = add_walker(crowd, cr__vec(3.625, 0, 2), cr__vec(11, 0, 3), &options);
  for (int k = 0; k < 4; k++) step_crowd(crowd);
  CHECK_INT(walker_info(crowd, first).state, CR_FOLLOWER_OFF_MESH_LINK);
  CHECK_INT(walker_info(crowd, second).state, CR_FOLLOWER_MOVING);
  CHECK(!cr__crowd_slot(crowd, 1)->cache.valid);
  CHECK_OK(cr_crowd_remove(crowd, first, NULL));
  step_crowd(crowd);
  CHECK_INT(walker_info(crowd, second).state, CR_FOLLOWER_OFF_MESH_LINK);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- State ---------------------------------------------------------------------------------------------------------------

// Whose turn it is follows from the state: restored at any step, the crowd goes on the same.
TEST(turns_are_restored) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL), *other = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 6; k++) {
    add_walker(crowd, cr__vec(1.4 + 0.65 * (k / 2), 0, k % 2 ? 1.6 : 2.4), cr__vec(11, 1, 0.5 + 0.6 * k), &options);
  }
  for (int step = 0; step < 240; step++) {
    StateBytes state = take_state(crowd);
    REQUIRE_OK(cr_crowd_restore_state(other, state.data, state.size, NULL));
    step_crowd(crowd);
    step_crowd(other);
    CHECK(cr_crowd_state_hash(crowd) == cr_crowd_state_hash(other));
    free(state.data);
  }
  cr_crowd_destroy(crowd);
  cr_crowd_destroy(other);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(agents_take_turns_at_a_link), RUN(the_nearest_to_an_entry_goes_first),
          RUN(crossings_that_a_host_ends_are_not_waited_for), RUN(one_waits_until_there_is_time_to_clear),
          RUN(one_may_land_before_the_one_before_it), RUN(turns_are_those_of_an_exit),
          RUN(who_has_landed_is_not_waited_for), RUN(who_is_gone_is_not_waited_for), RUN(turns_are_restored),
          RUN(the_host_ends_a_crossing), RUN(only_crossings_can_be_ended), RUN(a_waiting_crossing_is_restored),
          RUN(an_exit_that_is_gone_leaves_no_path))
