// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crossings of off-mesh links that the host of a crowd ends (docs/behaviour/crowds.md, "Agents and slots").
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

TEST_MAIN(RUN(the_host_ends_a_crossing), RUN(only_crossings_can_be_ended), RUN(a_waiting_crossing_is_restored),
          RUN(an_exit_that_is_gone_leaves_no_path))
