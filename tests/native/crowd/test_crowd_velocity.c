// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Agents whose host sets their velocity (docs/behaviour/crowds.md, "Velocity of an agent"): how they go, what they keep to,
// what ends it, and that all of it is state.
#include <math.h>

#include "crowd_runs.h"
#include "tile_kit.h"

static void set_velocity(CrCrowd *crowd, int64_t id, double x, double z) {
  REQUIRE_OK(cr_crowd_set_velocity(crowd, id, cr__vec(x, 0.0, z), NULL));
}

static void set_random_velocity(CrCrowd *crowd, int64_t id, double most, uint64_t *seed) {
  REQUIRE_OK(cr_crowd_set_velocity(crowd, id, rnd_ground(seed, -most, -most, most, most), NULL));
}

static CrAgentInfo info_of(const CrCrowd *crowd, int64_t id) {
  CrAgentInfo info;
  REQUIRE_OK(cr_crowd_agent(crowd, id, &info));
  return info;
}

static double speed_of(const CrCrowd *crowd, int64_t id) {
  return cr__dist_xz(walker_info(crowd, id).velocity, cr__vec(0, 0, 0));
}

// What a driven agent is to those who look: standing where it is, going nowhere, on one polygon.
static void check_driven(const CrCrowd *crowd, int64_t id) {
  CrAgentInfo info = info_of(crowd, id);
  CHECK(info.velocity_controlled);
  CHECK_INT(info.follower.state, CR_FOLLOWER_IDLE);
  CHECK(cr__same_point(info.follower.position, info.follower.destination));
  CHECK(
      cr__same_point(info.follower.position, cr_corridor_position(cr_follower_corridor(cr_crowd_follower(crowd, id)))));
  CHECK(info.follower.corridor_count == 1 && info.follower.complete && !info.follower.needs_replan);
  CHECK(info.follower.remaining_distance == 0.0);
}

// --- Going ------------------------------------------------------------------------------------------------------------

TEST(it_goes_straight_at_its_velocity) {
  CrNavMesh *mesh = open_world(40, 40, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(10, 0, 10), cr__vec(2, 0, 30), NULL);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  CrVec3 start = walker_info(crowd, id).position, before = walker_info(crowd, id).velocity;
  set_velocity(crowd, id, 2.0, 1.0);
  check_driven(crowd, id);
  CHECK(cr__same_point(walker_info(crowd, id).velocity, before));  // it turns, it is not stopped
  double limit = 8.0 * RUN_DT;
  int64_t steps = (int64_t)walker_info(crowd, id).step_count;
  for (int k = 0; k < 60; k++) {
    step_crowd(crowd);
    check_driven(crowd, id);
    CHECK_INT(walker_info(crowd, id).step_count, ++steps);
    CrVec3 now = walker_info(crowd, id).velocity;
    CHECK(cr__dist_xz(now, before) <= limit * (1 + 1e-9));
    before = now;
  }
  CHECK_NEAR(before.x, 2.0, 1e-9);
  CHECK_NEAR(before.z, 1.0, 1e-9);
  CrVec3 from = walker_info(crowd, id).position;
  for (int k = 0; k < 300; k++) step_crowd(crowd);
  CrVec3 to = walker_info(crowd, id).position;
  printf("  from (%.2f, %.2f) over (%.2f, %.2f) to (%.9f, %.9f)\n", start.x, start.z, from.x, from.z, to.x, to.z);
  CHECK_NEAR(to.x - from.x, 10.0, 1e-9);  // five seconds
  CHECK_NEAR(to.z - from.z, 5.0, 1e-9);
  check_crowd(crowd);
  set_velocity(crowd, id, 0.0, 0.0);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  CHECK(speed_of(crowd, id) == 0.0 && info_of(crowd, id).velocity_controlled);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A host may say it once or with every step.
TEST(saying_it_again_changes_nothing) {
  CrNavMesh *mesh = open_world(20, 20, 1.0);
  CrCrowd *once = make_crowd(mesh, NULL), *often = make_crowd(mesh, NULL);
  CrCrowd *const both[] = {once, often};
  for (int c = 0; c < 2; c++) {
    add_agent(both[c], cr__vec(5, 0, 10), NULL);
    add_walker(both[c], cr__vec(15, 0, 10), cr__vec(2, 0, 10), NULL);
    set_velocity(both[c], 0, 1.5, -0.25);
  }
  for (int k = 0; k < 200; k++) {
    set_velocity(often, 0, 1.5, -0.25);
    step_crowd(once);
    step_crowd(often);
    CHECK(cr_crowd_state_hash(once) == cr_crowd_state_hash(often));
  }
  cr_crowd_destroy(once);
  cr_crowd_destroy(often);
  cr_navmesh_destroy(mesh);
}

TEST(it_goes_no_faster_than_it_can) {
  CrNavMesh *mesh = open_world(64, 8, 1.0);
  for (uint8_t quality = CR_QUALITY_OFF; quality <= CR_QUALITY_HIGH; quality++) {
    CrCrowd *crowd = make_crowd(mesh, NULL);
    CrAgentOptions options = cr_agent_options_humanoid();
    options.quality = quality;
    int64_t id = add_agent(crowd, cr__vec(2, 0, 4), &options);
    set_velocity(crowd, id, 1000.0, 0.0);
    for (int k = 0; k < 60; k++) step_crowd(crowd);
    CHECK_NEAR(speed_of(crowd, id), 3.5, 1e-9);
    CHECK(info_of(crowd, id).wanted_x == 1000.0);  // what it was told is kept
    options.max_speed = 6.0;
    CHECK_OK(cr_crowd_set_options(crowd, id, &options, NULL));
    for (int k = 0; k < 60; k++) step_crowd(crowd);
    CHECK_NEAR(speed_of(crowd, id), 6.0, 1e-9);
    cr_crowd_destroy(crowd);
  }
  cr_navmesh_destroy(mesh);
}

// --- Walls and ground -------------------------------------------------------------------------------------------------

TEST(it_slides_along_a_wall) {
  CrNavMesh *mesh = open_world(40, 10, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(5, 0, 8), NULL);
  set_velocity(crowd, id, 2.0, 2.0);
  for (int k = 0; k < 180; k++) step_crowd(crowd);
  double from = walker_info(crowd, id).position.x;
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CrVec3 at = walker_info(crowd, id).position;
  printf("  along the wall at %.4f from it, %.3f in a second\n", 10.0 - at.z, at.x - from);
  CHECK(at.z <= 10.0 - 0.05 + 1e-6 && at.z > 9.9);  // its wall clearance
  CHECK_NEAR(at.x - from, 2.0, 0.01);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// Random velocities on random fields: never off the mesh.
TEST(it_stays_on_the_mesh) {
  enum { RUNS = 12, AGENTS = 12, STEPS = 400 };
  double fastest = 0.0, walked = 0.0;
  for (int run = 0; run < RUNS; run++) {
    uint64_t seed = check_seed = 61000 + (uint64_t)run;
    CrNavMesh *mesh = run % 2 ? world_two_floors(seed, 12, 12, 1.5, 3.0, 4, 6, NULL)
                              : world_scattered(seed, 16, 16, 1.0, 0.3, 5, NULL);
    CrCrowd *crowd = make_crowd(mesh, NULL);
    for (int k = 0; k < AGENTS; k++) {
      CrAgentOptions options = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
      options.quality = (uint8_t)(k % 4);
      add_agent(crowd, world_random_point(mesh, &seed, NULL), &options);
    }
    for (int k = 0; k < STEPS; k++) {
      int64_t id = rnd_int(&seed, AGENTS);
      if (k % 3 == 0) set_random_velocity(crowd, id, 5, &seed);
      step_crowd(crowd);
      check_crowd(crowd);
      for (id = 0; id < AGENTS; id++) {
        if (info_of(crowd, id).velocity_controlled) check_driven(crowd, id);
        fastest = cr__max(fastest, speed_of(crowd, id));
        walked += speed_of(crowd, id) * RUN_DT;
      }
    }
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d runs of %d agents: %.0f units walked, fastest %.3f\n", RUNS, AGENTS, walked, fastest);
  CHECK(fastest <= 3.5 * (1 + 1e-6) && walked > 1000.0);
}

static int32_t count_events(const CrCrowd *crowd, CrFollowerEventKind kind) {
  CrCrowdEvent events[16];
  int32_t count = cr_crowd_events(crowd, 16, events), found = 0;
  for (int32_t k = 0; k < count && k < 16; k++) found += events[k].event.kind == kind;
  return found;
}

// The ground under it is closed and opened again.
TEST(it_waits_for_ground) {
  CrNavMesh *mesh = open_world(8, 8, 1.0);
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 2;
  CrCrowdOptions options = cr_crowd_options_default();
  options.filter = &filter;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
  int64_t id = add_agent(crowd, cr__vec(4, 0, 4.4), NULL);
  set_velocity(crowd, id, 1.0, 0.0);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  CrVec3 at = walker_info(crowd, id).position;
  uint32_t count;
  CrPolyRef *refs = world_all_polygons(mesh, &count);
  for (uint32_t k = 0; k < count; k++) REQUIRE_OK(cr_navmesh_set_flags(mesh, refs[k], 3, NULL));
  int32_t lost = 0, changed = 0;
  for (int k = 0; k < 20; k++) {
    if (k == 10) set_velocity(crowd, id, 1.0, 0.0);
    step_crowd(crowd);
    lost += count_events(crowd, CR_EVENT_NO_PATH);
    changed += count_events(crowd, CR_EVENT_PATH_CHANGED);
    CHECK_INT(walker_info(crowd, id).state, CR_FOLLOWER_NO_PATH);
  }
  CHECK(lost == 1 && changed == 1);
  CHECK(cr__same_point(walker_info(crowd, id).position, at) && speed_of(crowd, id) == 0.0);
  for (uint32_t k = 0; k < count; k++) REQUIRE_OK(cr_navmesh_set_flags(mesh, refs[k], 1, NULL));
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  check_driven(crowd, id);
  CHECK_NEAR(speed_of(crowd, id), 1.0, 1e-9);
  // Closed under its feet only, it goes on from the nearest open ground.
  set_velocity(crowd, id, 0.0, 0.0);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  at = walker_info(crowd, id).position;
  REQUIRE_OK(cr_navmesh_set_flags(mesh, cr_crowd_follower(crowd, id)->corridor.path[0], 3, NULL));
  step_crowd(crowd);
  CHECK_INT(count_events(crowd, CR_EVENT_PATH_CHANGED), 1);
  check_driven(crowd, id);
  double moved = cr__dist_xz(walker_info(crowd, id).position, at);
  CHECK(moved > 0.0 && moved <= 0.5 + 1e-9);
  check_crowd(crowd);
  free(refs);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Others -----------------------------------------------------------------------------------------------------------

// A player that yields to nobody walks through a standing crowd.
TEST(others_make_way) {
  CrNavMesh *mesh = open_world(40, 40, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions player = cr_agent_options_small(), small = cr_agent_options_small();
  player.quality = CR_QUALITY_OFF;
  player.priority = 1000.0;
  uint64_t seed = check_seed = 5;
  int64_t id = add_agent(crowd, cr__vec(5, 0, 20), &player);
  for (int k = 0; k < 60; k++) {
    add_agent(crowd, cr__vec(12.0 + k % 10 * 1.2 + rnd_range(&seed, 0, 0.2), 0, 17.0 + k / 10 * 1.2), &small);
  }
  set_velocity(crowd, id, 2.0, 0.0);
  double deepest = 0.0;
  for (int k = 0; k < 720; k++) {
    step_crowd(crowd);
    deepest = cr__max(deepest, deepest_overlap(crowd));
  }
  CrVec3 at = walker_info(crowd, id).position;
  printf("  straight through: at (%.3f, %.3f), overlap at most %.4f\n", at.x, at.z, deepest);
  CHECK(at.z == 20.0);
  CHECK_NEAR(at.x, 5.0 + 12 * 2.0, 0.35);  // less what it took to gather speed
  CHECK(deepest <= 0.05);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// By its options it avoids, too: it does not go through one that cannot move.
TEST(it_avoids_others) {
  CrNavMesh *mesh = open_world(40, 20, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions post = cr_agent_options_humanoid();
  post.max_speed = 1e-9;
  int64_t id = add_agent(crowd, cr__vec(5, 0, 10.2), NULL);
  add_agent(crowd, cr__vec(15, 0, 10), &post);
  set_velocity(crowd, id, 3.0, 0.0);
  double deepest = 0.0;
  for (int k = 0; k < 600; k++) {
    step_crowd(crowd);
    deepest = cr__max(deepest, deepest_overlap(crowd));
  }
  CrVec3 at = walker_info(crowd, id).position;
  printf("  past a post: at (%.3f, %.3f), overlap at most %.5f\n", at.x, at.z, deepest);
  CHECK(deepest <= 0.01 && at.x > 20.0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// One that wants to rest stands, and a crowd looks for a way round it; one that wants to go walks.
TEST(others_see_whether_it_walks) {
  CrNavMesh *mesh = open_world(20, 20, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(5, 0, 10), NULL);
  static const double speeds[] = {0.0, 1.0, 0.0};
  for (int k = 0; k < 3; k++) {
    set_velocity(crowd, id, 0.0, speeds[k]);
    step_crowd(crowd);
    CHECK_INT(crowd->seen_flags[0], speeds[k] != 0.0 ? CR_STEP_WALKING : 0);
    CHECK_INT(cr__crowd_slot(crowd, 0)->step_flags, CR_STEP_DRIVEN | crowd->seen_flags[0]);
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Commands ---------------------------------------------------------------------------------------------------------

static bool is_released(const CrCrowd *crowd, int64_t id) {
  CrAgentInfo info = info_of(crowd, id);
  return !info.velocity_controlled && info.wanted_x == 0.0 && info.wanted_z == 0.0;
}

TEST(other_commands_end_it) {
  CrNavMesh *mesh = open_world(20, 20, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(5, 0, 5), NULL);
  set_velocity(crowd, id, 1.0, 1.0);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  CHECK_INT(cr__crowd_slot(crowd, 0)->step_flags, CR_STEP_DRIVEN | CR_STEP_WALKING);
  CHECK_OK(cr_crowd_stop(crowd, id, NULL));
  CHECK_INT(cr__crowd_slot(crowd, 0)->step_flags, CR_STEP_WALKING);  // in the last step it did
  CHECK(is_released(crowd, id) && speed_of(crowd, id) == 0.0);
  set_velocity(crowd, id, 1.0, 1.0);
  CHECK_OK(cr_crowd_teleport(crowd, id, cr__vec(10, 0, 10), NULL));
  CHECK(is_released(crowd, id) && walker_info(crowd, id).position.x == 10.0);
  set_velocity(crowd, id, 1.0, 0.0);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  double speed = speed_of(crowd, id);
  CHECK_OK(cr_crowd_set_destination(crowd, id, cr__vec(2, 0, 3), NULL));
  CHECK(is_released(crowd, id) && speed_of(crowd, id) == speed);
  CHECK_INT(walker_info(crowd, id).state, CR_FOLLOWER_MOVING);
  for (int k = 0; k < 600 && !has_arrived(crowd, id); k++) step_crowd(crowd);
  CHECK(has_arrived(crowd, id));
  // Priority and options do not end it.
  set_velocity(crowd, id, 1.0, 0.0);
  CrAgentOptions options = cr_agent_options_small();
  options.has_path = false;
  CHECK_OK(cr_crowd_set_options(crowd, id, &options, NULL));
  CHECK_OK(cr_crowd_set_priority(crowd, id, 3.0, NULL));
  check_driven(crowd, id);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(refused_calls_change_nothing) {
  CrNavMesh *mesh = open_world(20, 20, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(5, 0, 5), NULL);
  set_velocity(crowd, id, 1.0, 1.0);
  step_crowd(crowd);
  StateBytes state = take_state(crowd);
  CrError error = {0};
  const double bad[] = {NAN, INFINITY, -INFINITY, CR_COORD_LIMIT, -CR_COORD_LIMIT};
  for (int k = 0; k < 15; k++) {
    CrVec3 velocity = {k % 3 == 0 ? bad[k / 3] : 0.0, k % 3 == 1 ? bad[k / 3] : 0.0, k % 3 == 2 ? bad[k / 3] : 0.0};
    CHECK_STATUS(cr_crowd_set_velocity(crowd, id, velocity, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "velocity") == 0 && stands_at(crowd, &state));
  }
  CHECK_STATUS(cr_crowd_set_velocity(crowd, 7, cr__vec(1, 0, 0), &error), CR_STATUS_NO_SUCH_AGENT);
  CHECK(error.index == 7 && stands_at(crowd, &state));
  CHECK_STATUS(cr_crowd_set_destination(crowd, id, cr__vec(NAN, 0, 0), NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_crowd_teleport(crowd, id, cr__vec(500, 0, 0), NULL), CR_STATUS_NOT_FOUND);
  CHECK(stands_at(crowd, &state));
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Links ------------------------------------------------------------------------------------------------------------

static void step_until(CrCrowd *crowd, int64_t id, CrFollowerState state) {
  for (int k = 0; k < 600 && walker_info(crowd, id).state != state; k++) step_crowd(crowd);
  REQUIRE(walker_info(crowd, id).state == state);
}

TEST(it_takes_no_links) {
  CrNavMesh *mesh = kit_platforms(0.0, 14.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(2, 0, 2), NULL);
  set_velocity(crowd, id, 2.0, 0.0);
  for (int k = 0; k < 200; k++) {
    step_crowd(crowd);
    check_driven(crowd, id);
  }
  CHECK(walker_info(crowd, id).position.x <= 4.0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_crossing_ends_first) {
  CrNavMesh *mesh = kit_platforms(0.0, 14.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions host = cr_agent_options_small();
  host.has_path = true;
  host.path = cr_follower_options_small();
  host.path.off_mesh_mode = CR_OFF_MESH_HOST;
  int64_t automatic = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(11, 0, 1), NULL);
  step_until(crowd, automatic, CR_FOLLOWER_OFF_MESH_LINK);
  step_crowd(crowd);
  set_velocity(crowd, automatic, 0.0, 1.0);
  CHECK_INT(walker_info(crowd, automatic).state, CR_FOLLOWER_OFF_MESH_LINK);
  int32_t landings = 0;
  for (int k = 0; k < 300 && walker_info(crowd, automatic).state != CR_FOLLOWER_IDLE; k++) {
    step_crowd(crowd);
    landings += count_events(crowd, CR_EVENT_LINK_LEFT);
    CHECK(info_of(crowd, automatic).velocity_controlled);
  }
  CHECK_INT(landings, 1);
  CrVec3 landed = walker_info(crowd, automatic).position;
  CHECK(landed.x > 7.9 && landed.x < 8.5);
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  check_driven(crowd, automatic);
  CHECK(walker_info(crowd, automatic).position.z > landed.z + 0.5);
  // A crossing of the host's ends when the host says so.
  int64_t waiting = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(11, 0, 1), &host);
  step_until(crowd, waiting, CR_FOLLOWER_OFF_MESH_LINK);
  set_velocity(crowd, waiting, 1.0, 0.0);
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CHECK_INT(walker_info(crowd, waiting).state, CR_FOLLOWER_OFF_MESH_LINK);
  CHECK_INT(cr__crowd_slot(crowd, 1)->step_flags, CR_STEP_DRIVEN | CR_STEP_CROSSING);
  CHECK_OK(cr_crowd_complete_off_mesh(crowd, waiting, NULL));
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  check_driven(crowd, waiting);
  CHECK(walker_info(crowd, waiting).position.x > 8.3);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- State ------------------------------------------------------------------------------------------------------------

// Commands at random, most of them velocities.
static void command(CrCrowd *crowd, uint64_t *seed) {
  int64_t id = (int64_t)(rnd_u64(seed) % (uint64_t)(crowd->next_id + 1));
  CrVec3 point = world_random_point(crowd->mesh, seed, NULL);
  CrVec3 velocity = {rnd_range(seed, -4, 4), 0.0, rnd_range(seed, -4, 4)};
  CrAgentOptions options = cr_agent_options_small();
  switch (rnd_int(seed, 10)) {
    case 0:
      cr_crowd_add(crowd, point, &options, NULL, NULL);
      break;
    case 1:
      cr_crowd_remove(crowd, id, NULL);
      break;
    case 2:
      cr_crowd_stop(crowd, id, NULL);
      break;
    case 3:
      cr_crowd_teleport(crowd, id, point, NULL);
      break;
    case 4:
    case 5:
      cr_crowd_set_destination(crowd, id, point, NULL);
      break;
    case 6:
      cr_crowd_complete_off_mesh(crowd, id, NULL);
      break;
    default:
      cr_crowd_set_velocity(crowd, id, velocity, NULL);
  }
}

// Takes the crowd's state and steps it; put back, it must step to the same hash, here and in the other crowd.
static void step_three_ways(CrCrowd *crowd, CrCrowd *other) {
  StateBytes state = take_state(crowd);
  step_crowd(crowd);
  uint64_t expected = cr_crowd_state_hash(crowd);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  CHECK(stands_at(crowd, &state));
  step_crowd(crowd);
  CHECK(cr_crowd_state_hash(crowd) == expected);
  CHECK_OK(cr_crowd_restore_state(other, state.data, state.size, NULL));
  CHECK(stands_at(other, &state));
  step_crowd(other);
  CHECK(cr_crowd_state_hash(other) == expected);
  check_note_bytes(&expected, sizeof expected);
  free(state.data);
}

TEST(it_is_state) {
  enum { AGENTS = 24, STEPS = 250 };
  int32_t driven = 0, crossing = 0;
  for (int run = 0; run < 4; run++) {
    uint64_t seed = check_seed = 62000 + (uint64_t)run;
    CrNavMesh *mesh = run % 2 ? world_two_floors(seed, 10, 10, 1.5, 3.0, 6, 5, NULL)
                              : world_scattered(seed, 14, 14, 1.5, 0.25, 5, NULL);
    CrCrowd *crowd = make_crowd(mesh, NULL), *other = make_crowd(mesh, NULL), *along = make_crowd(mesh, NULL);
    for (int k = 0; k < AGENTS; k++) add_agent(crowd, world_random_point(mesh, &seed, NULL), NULL);
    for (int k = 0; k < STEPS; k++) {
      for (int c = 0; c < 2; c++) command(crowd, &seed);
      if (k % 50 == 0 || k % 7 == 3) {  // a fresh crowd, and then the same one, takes over and goes on alone below
        StateBytes state = take_state(crowd);
        CHECK_OK(cr_crowd_restore_state(along, state.data, state.size, NULL));
        free(state.data);
        CrCrowd *swap = along;
        along = crowd;
        crowd = swap;
      }
      step_three_ways(crowd, other);
      check_crowd(crowd);
      for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
        if (!cr__crowd_slot_active(crowd, slot)) continue;
        uint8_t flags = cr__crowd_slot(crowd, slot)->step_flags;
        driven += flags >= CR_STEP_DRIVEN;
        crossing += flags == (CR_STEP_DRIVEN | CR_STEP_CROSSING);
      }
    }
    cr_crowd_destroy(crowd);
    cr_crowd_destroy(other);
    cr_crowd_destroy(along);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d steps of driven agents, %d of them on links\n", driven, crossing);
  CHECK(driven > 2000 && crossing > 5);
}

// The velocity is in the bytes: a crowd whose bytes say another goes another way.
TEST(the_velocity_is_in_the_bytes) {
  CrNavMesh *mesh = open_world(20, 20, 1.0);
  CrCrowd *crowd = make_crowd(mesh, NULL), *other = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(10, 0, 10), NULL);
  set_velocity(crowd, id, 1.25, -0.5);
  StateBytes state = take_state(crowd);
  enum { FLAGS = CR_CROWD_HEADER_SIZE + 1 + 8 + CR_AGENT_OPTIONS_SIZE + 8 };
  double velocity[2];
  memcpy(velocity, state.data + FLAGS + 1, sizeof velocity);
  CHECK_INT(state.data[FLAGS], 4);
  CHECK(velocity[0] == 1.25 && velocity[1] == -0.5);
  velocity[0] = -1.25;
  memcpy(state.data + FLAGS + 1, velocity, sizeof velocity);
  CHECK_OK(cr_crowd_restore_state(other, state.data, state.size, NULL));
  for (int k = 0; k < 60; k++) {
    step_crowd(crowd);
    step_crowd(other);
  }
  CHECK(walker_info(crowd, id).position.x > 10.9 && walker_info(other, id).position.x < 9.1);
  static const uint8_t flags[] = {0, 1, 2, 4, 5, 6};
  for (int value = 0; value < 256; value++) {
    CrError error = {0};
    state.data[FLAGS] = (uint8_t)value;
    bool known = value < 7 && memchr(flags, value, sizeof flags);
    CrStatus status = cr_crowd_restore_state(other, state.data, state.size, &error);
    CHECK_STATUS(status, known ? CR_STATUS_OK : CR_STATUS_BAD_VALUE);
    if (!known && status != CR_STATUS_OK) CHECK(strcmp(error.field, "step_flags") == 0 && error.offset == FLAGS);
  }
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_crowd_destroy(other);
  cr_navmesh_destroy(mesh);
}

// Half of the agents driven, by one thread and by several: the same.
TEST(threads_change_nothing) {
  enum { AGENTS = 200, STEPS = 150 };
#ifdef CR_THREADS
  static const int32_t threads[] = {1, 2, 5};
#else
  static const int32_t threads[] = {1, 1};
#endif
  enum { CROWDS = CR_COUNT_OF(threads) };
  CrNavMesh *mesh = world_scattered(11, 20, 20, 1.5, 0.2, 5, NULL);
  CrCrowd *crowds[CROWDS];
  for (int c = 0; c < CROWDS; c++) {
    uint64_t seed = check_seed = 11;
    CrCrowdOptions options = cr_crowd_options_default();
    options.max_threads = threads[c];
    REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowds[c], NULL));
    for (int k = 0; k < AGENTS; k++) {
      int64_t id = add_agent(crowds[c], world_random_point(mesh, &seed, NULL), NULL);
      CrVec3 goal = world_random_point(mesh, &seed, NULL);
      if (k % 2)
        set_random_velocity(crowds[c], id, 4, &seed);
      else
        CHECK_OK(cr_crowd_set_destination(crowds[c], id, goal, NULL));
    }
  }
  for (int k = 0; k < STEPS; k++) {
    for (int c = 0; c < CROWDS; c++) {
      set_velocity(crowds[c], k % AGENTS, k % 3 - 1.0, k % 5 - 2.0);
      step_crowd(crowds[c]);
      CHECK(cr_crowd_state_hash(crowds[c]) == cr_crowd_state_hash(crowds[0]));
    }
  }
  for (int c = 0; c < CROWDS; c++) cr_crowd_destroy(crowds[c]);
  cr_navmesh_destroy(mesh);
}

TEST(its_steps_allocate_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(9, 16, 16, 2.0, 0.2, 5, NULL);
  CrCrowd *crowd = make_crowd(mesh, &allocator);
  uint64_t seed = check_seed = 9;
  for (int k = 0; k < 40; k++) add_agent(crowd, world_random_point(mesh, &seed, NULL), NULL);
  int64_t before = memory.total_allocations;
  for (int k = 0; k < 120; k++) {
    int64_t id = rnd_int(&seed, 40);
    set_random_velocity(crowd, id, 4, &seed);
    step_crowd(crowd);
  }
  CHECK_INT(memory.total_allocations - before, 0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(it_goes_straight_at_its_velocity), RUN(saying_it_again_changes_nothing),
          RUN(it_goes_no_faster_than_it_can), RUN(it_slides_along_a_wall), RUN(it_stays_on_the_mesh),
          RUN(it_waits_for_ground), RUN(others_make_way), RUN(it_avoids_others), RUN(others_see_whether_it_walks),
          RUN(other_commands_end_it), RUN(refused_calls_change_nothing), RUN(it_takes_no_links),
          RUN(a_crossing_ends_first), RUN(it_is_state), RUN(the_velocity_is_in_the_bytes), RUN(threads_change_nothing),
          RUN(its_steps_allocate_nothing))
