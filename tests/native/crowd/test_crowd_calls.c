// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The calls of a crowd: slots and ids, options, errors that name what was wrong and change nothing, memory.
#include "crowd_runs.h"

// --- Slots and ids ----------------------------------------------------------------------------------------------------

TEST(agents_take_the_lowest_free_slot_and_ids_are_never_used_again) {
  CrNavMesh *mesh = open_world(20, 20, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t ids[300], next_id = 0;
  bool taken[300] = {false};
  uint64_t seed = check_seed = 12;
  int32_t slot_count = 0;
  for (int round = 0; round < 4000; round++) {
    int32_t slot = rnd_int(&seed, 300);
    // Long stretches of mostly adding and mostly removing.
    bool add = rnd_int(&seed, 10) < (round / 500 % 2 ? 3 : 7);
    if (!add && !taken[slot]) continue;
    if (add) {
      for (slot = 0; slot < 300 && taken[slot];) slot++;
      if (slot == 300) continue;
      ids[slot] = add_agent(crowd, world_random_point(mesh, &seed, NULL), NULL);
      CHECK_INT(ids[slot], next_id++);
      slot_count = slot >= slot_count ? slot + 1 : slot_count;
    } else {
      CHECK_OK(cr_crowd_remove(crowd, ids[slot], NULL));
      CHECK(!cr_crowd_has_agent(crowd, ids[slot]));
    }
    taken[slot] = add;
    CrAgentInfo info;
    CHECK_STATUS(cr_crowd_agent(crowd, ids[slot], &info), add ? CR_STATUS_OK : CR_STATUS_NO_SUCH_AGENT);
    if (add) CHECK_INT(info.slot, slot);
    CHECK_INT(cr_crowd_slot_count(crowd), slot_count);
    if (round % 100 == 0) check_crowd(crowd);
  }
  printf("  %" PRId64 " agents added, %d slots\n", next_id, slot_count);
  CHECK(slot_count > 100);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(the_id_table_is_a_map) {
  CrIdTable table = {NULL, 256};
  table.entries = malloc(table.size * sizeof *table.entries);
  REQUIRE(table.entries);
  cr__ids_clear(&table);
  int32_t slots[1000];
  memset(slots, 0xFF, sizeof slots);
  uint64_t seed = 99;
  int32_t held = 0;
  for (int round = 0; round < 200000; round++) {
    int32_t k = rnd_int(&seed, 1000);
    int64_t id = (int64_t)k * 64;  // many share a home
    if (slots[k] < 0 && held < 128) {
      CHECK(cr__ids_insert(&table, id, round % 128));
      CHECK(!cr__ids_insert(&table, id, 5));
      slots[k] = round % 128;
      held++;
    } else if (slots[k] >= 0 && rnd_int(&seed, 2)) {
      cr__ids_erase(&table, id);
      slots[k] = -1;
      held--;
    }
    int32_t other = rnd_int(&seed, 1000);
    CHECK(cr__ids_find(&table, (int64_t)other * 64) == slots[other]);
  }
  free(table.entries);
}

TEST(a_crowd_holds_max_agents) {
  CrNavMesh *mesh = open_world(4, 4, 4.0);
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = 3;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
  for (int k = 0; k < 3; k++) add_agent(crowd, cr__vec(2 + 3 * k, 0, 2), NULL);
  CrError error;
  int64_t id = 77;
  CHECK_STATUS(cr_crowd_add(crowd, cr__vec(2, 0, 9), NULL, &id, &error), CR_STATUS_FULL);
  CHECK(error.limit == 3 && id == 77);
  CHECK_INT(cr_crowd_next_id(crowd), 3);
  CHECK_OK(cr_crowd_remove(crowd, 1, NULL));
  CHECK_OK(cr_crowd_add(crowd, cr__vec(2, 0, 9), NULL, &id, &error));
  CHECK_INT(id, 3);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Options ----------------------------------------------------------------------------------------------------------

TEST(presets_are_those_documented) {
  CrAgentOptions h = cr_agent_options_humanoid(), s = cr_agent_options_small(), l = cr_agent_options_large();
  CHECK(h.radius == 0.6 && h.max_speed == 3.5 && h.max_acceleration == 8 && h.arrival_radius == 0.25);
  CHECK(h.priority == 1 && h.wall_clearance == 0.05 && h.separation_distance == 0 && h.separation_weight == 0.3);
  CHECK(h.side_preference == 0.05 && h.quality == CR_QUALITY_MEDIUM && !h.has_path);
  CHECK(s.radius == 0.3 && s.max_speed == 2.5 && s.max_acceleration == 6 && s.arrival_radius == 0.3 && s.priority == 1);
  CHECK(l.radius == 1.5 && l.max_speed == 3 && l.max_acceleration == 5 && l.arrival_radius == 0.6 && l.priority == 1);
  CHECK_OK(cr_agent_options_validate(&h, NULL));
  CHECK_OK(cr_agent_options_validate(&s, NULL));
  CHECK_OK(cr_agent_options_validate(&l, NULL));
  CrCrowdOptions c = cr_crowd_options_default();
  CHECK(c.max_agents == 65536 && c.query_nodes == 16384 && c.query_node_model == CR_NODE_MODEL_POLYGON);
  CHECK(c.max_walls_per_agent == 48 && c.wall_refresh_distance == 1 && c.max_walls_avoided == 8);
  CHECK(!c.filter && !c.record_constraints);
}

TEST(the_follower_of_an_agent_is_that_documented) {
  CrAgentOptions options = cr_agent_options_large();
  CrFollowerOptions path = cr_agent_follower_options(&options), base = cr_follower_options_humanoid();
  CHECK(path.max_speed == 3 && path.max_acceleration == 5 && path.arrival_radius == 0.6);
  CHECK(path.corridor_capacity == 64 && path.stuck_window == 0);
  CHECK(path.off_mesh_trigger_radius == 3.0 && path.corner_clearance == 2 * 0.05 + 0.01);
  CHECK(path.slow_radius == base.slow_radius && path.replan_budget == base.replan_budget);
  options.has_path = true;
  options.path.corridor_capacity = 100;
  options.path.stuck_window = 2;
  options.path.off_mesh_trigger_radius = 4;
  options.path.max_speed = 9;
  path = cr_agent_follower_options(&options);
  CHECK(path.corridor_capacity == 100 && path.stuck_window == 2 && path.off_mesh_trigger_radius == 4);
  CHECK(path.max_speed == 3);
}

// Beside a polygon-node query a worker has a crossing-node one of 8192 nodes for topology searches, from the crowd's beginning; a
// crossing-node query serves for both.
TEST(a_worker_has_a_query_for_topology_searches) {
  CrNavMesh *mesh = open_world(20, 20, 4.0);
  for (int model = 0; model < 2; model++) {
    CrCrowdOptions options = cr_crowd_options_default();
    options.query_node_model = (uint8_t)model;
    options.query_nodes = 3000;
    CrCrowd *crowd;
    REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
    CHECK(crowd->worker_count == 1);
    const CrPathContext *context = crowd->workers[0].context;
    CHECK(cr_query_node_model(context->query) == (CrNodeModel)model && context->query->options.max_nodes == 3000);
    CHECK(cr_query_node_model(context->local) == CR_NODE_MODEL_CROSSING);
    if (model == CR_NODE_MODEL_POLYGON) CHECK(context->local->options.max_nodes == 8192);
    CHECK((context->local == context->query) == (model == CR_NODE_MODEL_CROSSING));
    CHECK_INT(context->max_corridor, CR_CORRIDOR_MAX_CAPACITY);
    cr_crowd_destroy(crowd);
  }
  cr_navmesh_destroy(mesh);
}

TEST(qualities_give_neighbours_horizons_and_reaches) {
  static const int32_t neighbours[] = {0, 4, 8, 12};
  static const double horizons[] = {0, 1.5, 2, 2.5};
  for (uint8_t quality = 0; quality <= 3; quality++) {
    CrAgentOptions options = cr_agent_options_humanoid();
    options.quality = quality;
    CrAvoidance avoidance = cr__avoidance_of(&options);
    CHECK(avoidance.max_neighbours == neighbours[quality] && avoidance.horizon == horizons[quality]);
    CHECK(avoidance.neighbour_distance == 1.2 + 3.5 * horizons[quality]);
    CHECK(avoidance.wall_reach == 0.5 * horizons[quality] * 3.5 + 0.05);
    options.separation_distance = 30;
    CHECK(cr__avoidance_of(&options).neighbour_distance == 30);
  }
}

typedef struct BadOption {
  const char *field;
  size_t offset;
  double value;
} BadOption;

#define BAD(member, value) \
  { "options." #member, offsetof(CrAgentOptions, member), value }

TEST(bad_agent_options_are_named_and_change_nothing) {
  static const BadOption bad[] = {
      BAD(radius, 0),
      BAD(radius, -1),
      BAD(radius, 1e7),
      BAD(radius, 0.0 / 0.0),
      BAD(max_speed, 0),
      BAD(max_speed, 1e300),
      BAD(max_acceleration, 0),
      BAD(arrival_radius, -0.1),
      BAD(priority, 0),
      BAD(priority, -1),
      BAD(wall_clearance, -0.1),
      BAD(separation_distance, -0.1),
      BAD(separation_weight, -0.1),
      BAD(side_preference, 1.1),
      BAD(side_preference, -1.1),
      BAD(path.slow_radius, -1),
      BAD(path.search_extents.y, -1),
      BAD(path.stuck_progress, 2),
  };
  CrNavMesh *mesh = open_world(4, 4, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(5, 0, 5), NULL);
  StateBytes before = take_state(crowd);
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    CrAgentOptions options = cr_agent_options_humanoid();
    options.has_path = true;
    memcpy((char *)&options + bad[k].offset, &bad[k].value, sizeof(double));
    CrError error = {0};
    CHECK_STATUS(cr_crowd_add(crowd, cr__vec(9, 0, 9), &options, NULL, &error), CR_STATUS_ARGUMENT);
    CHECK(error.field && strcmp(error.field, bad[k].field) == 0);
    options.path.corridor_capacity = 64;
    CHECK_STATUS(cr_crowd_set_options(crowd, id, &options, &error), CR_STATUS_ARGUMENT);
  }
  CrAgentOptions options = cr_agent_options_humanoid();
  options.quality = 4;
  CrError error = {0};
  CHECK_STATUS(cr_crowd_add(crowd, cr__vec(9, 0, 9), &options, NULL, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.quality") == 0);
  CHECK(stands_at(crowd, &before));
  free(before.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(bad_crowd_options_are_named) {
  CrQueryFilter filter = cr_query_filter_default();
  filter.area_cost[3] = 0;
  struct {
    const char *field;
    CrCrowdOptions options;
  } bad[11];
  for (int k = 0; k < 11; k++) bad[k].options = cr_crowd_options_default();
#define SPOIL(k, member, value) (bad[k].field = "options." #member, bad[k].options.member = (value))
  SPOIL(0, max_agents, 0);
  SPOIL(1, max_agents, CR_CROWD_MAX_AGENTS + 1);
  SPOIL(2, query_nodes, CR_QUERY_MIN_NODES - 1);
  SPOIL(3, query_node_model, 2);
  SPOIL(4, max_walls_per_agent, 0);
  SPOIL(5, max_walls_per_agent, 256);
  SPOIL(6, wall_refresh_distance, 0);
  SPOIL(7, wall_refresh_distance, 0.0 / 0.0);
  SPOIL(8, max_walls_avoided, -1);
  SPOIL(9, max_walls_avoided, 49);
  SPOIL(10, filter, &filter);
  CrNavMesh *mesh = open_world(2, 2, 4.0);
  for (int k = 0; k < 11; k++) {
    CrError error = {0};
    CrCrowd *crowd = NULL;
    CHECK_STATUS(cr_crowd_create(mesh, &bad[k].options, NULL, &crowd, &error), CR_STATUS_ARGUMENT);
    CHECK(!crowd && error.field && strcmp(error.field, bad[k].field) == 0);
  }
  cr_navmesh_destroy(mesh);
}

// --- Driving ----------------------------------------------------------------------------------------------------------

static void expect_unchanged(CrCrowd *crowd, const StateBytes *state, CrStatus status, CrStatus expected) {
  CHECK_INT(status, expected);
  CHECK(stands_at(crowd, state));
}

TEST(refused_calls_change_nothing) {
  CrNavMesh *mesh = world_from_map("......\n......\n..####\n..####\n......\n......\n", 4.0, 3, NULL);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(22, 0, 22), NULL);
  for (int k = 0; k < 40; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  CrVec3 nowhere = {16, 0, 12}, far = {2097152.0, 0, 0}, nan = {0, 0.0 / 0.0, 0};
  CrAgentOptions options = cr_agent_options_small();
  expect_unchanged(crowd, &state, cr_crowd_add(crowd, nowhere, NULL, NULL, NULL), CR_STATUS_NOT_FOUND);
  expect_unchanged(crowd, &state, cr_crowd_add(crowd, far, NULL, NULL, NULL), CR_STATUS_ARGUMENT);
  expect_unchanged(crowd, &state, cr_crowd_add(crowd, nan, NULL, NULL, NULL), CR_STATUS_ARGUMENT);
  expect_unchanged(crowd, &state, cr_crowd_teleport(crowd, id, nowhere, NULL), CR_STATUS_NOT_FOUND);
  expect_unchanged(crowd, &state, cr_crowd_teleport(crowd, id, far, NULL), CR_STATUS_ARGUMENT);
  expect_unchanged(crowd, &state, cr_crowd_set_destination(crowd, id, nan, NULL), CR_STATUS_ARGUMENT);
  expect_unchanged(crowd, &state, cr_crowd_remove(crowd, 9, NULL), CR_STATUS_NO_SUCH_AGENT);
  expect_unchanged(crowd, &state, cr_crowd_set_destination(crowd, 9, nowhere, NULL), CR_STATUS_NO_SUCH_AGENT);
  expect_unchanged(crowd, &state, cr_crowd_stop(crowd, -1, NULL), CR_STATUS_NO_SUCH_AGENT);
  expect_unchanged(crowd, &state, cr_crowd_teleport(crowd, 9, cr__vec(2, 0, 2), NULL), CR_STATUS_NO_SUCH_AGENT);
  expect_unchanged(crowd, &state, cr_crowd_set_options(crowd, 9, &options, NULL), CR_STATUS_NO_SUCH_AGENT);
  expect_unchanged(crowd, &state, cr_crowd_set_priority(crowd, 9, 1, NULL), CR_STATUS_NO_SUCH_AGENT);
  CrError error;
  expect_unchanged(crowd, &state, cr_crowd_set_priority(crowd, id, 0, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "priority") == 0);
  static const double steps[] = {0.0, -1.0, 3600.5, 0.0 / 0.0, 1e308};
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    expect_unchanged(crowd, &state, cr_crowd_step(crowd, steps[k], &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "dt") == 0);
  }
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(options_of_a_live_agent_are_swapped_in_place) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(30, 0, 30), NULL);
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CrAgentInfo before, after;
  CHECK_OK(cr_crowd_agent(crowd, id, &before));
  CHECK(before.wall_count >= 0);
  CrAgentOptions options = cr_agent_options_small();
  options.priority = 3;
  CHECK_OK(cr_crowd_set_options(crowd, id, &options, NULL));
  CHECK_OK(cr_crowd_agent(crowd, id, &after));
  CHECK(after.priority == 3 && after.wall_count == -1);
  CHECK(cr__same_point(before.follower.position, after.follower.position));
  CHECK(cr__same_point(before.follower.velocity, after.follower.velocity));
  CHECK(cr__same_point(before.follower.destination, after.follower.destination));
  CHECK_INT(after.follower.corridor_count, before.follower.corridor_count);
  CrAgentOptions read;
  CHECK_OK(cr_crowd_agent_options(crowd, id, &read));
  CHECK(read.radius == 0.3 && read.max_speed == 2.5 && read.priority == 3);
  CHECK(cr_follower_options(cr_crowd_follower(crowd, id)).max_speed == 2.5);
  for (int k = 0; k < 120; k++) step_crowd(crowd);
  CHECK_OK(cr_crowd_agent(crowd, id, &after));
  CHECK_NEAR(cr__dist(after.follower.velocity, cr__vec(0, 0, 0)), 2.5, 0.02);
  CrError error;
  options.has_path = true;
  options.path.corridor_capacity = 65;
  CHECK_STATUS(cr_crowd_set_options(crowd, id, &options, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.path.corridor_capacity") == 0);
  options.path.corridor_capacity = 64;
  options.path.max_corners = 9;
  CHECK_STATUS(cr_crowd_set_options(crowd, id, &options, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.path.max_corners") == 0);
  options.path.max_corners = 8;
  CHECK_OK(cr_crowd_set_options(crowd, id, &options, &error));
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// Others see it from the next step on; new options bring their own.
TEST(a_priority_is_set_alone) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(30, 0, 30), NULL);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  CrAgentInfo before, after;
  CrAgentOptions options;
  CHECK_OK(cr_crowd_agent(crowd, id, &before));
  CHECK_OK(cr_crowd_set_priority(crowd, id, 7, NULL));
  CHECK_OK(cr_crowd_agent(crowd, id, &after));
  CHECK_OK(cr_crowd_agent_options(crowd, id, &options));
  CHECK(after.priority == 7 && options.priority == 1 && crowd->seen[0].priority == 7);
  CHECK_INT(after.wall_count, before.wall_count);
  CHECK(cr__same_point(after.follower.velocity, before.follower.velocity));
  CHECK_OK(cr_crowd_set_options(crowd, id, &options, NULL));
  CHECK_OK(cr_crowd_agent(crowd, id, &after));
  CHECK(after.priority == 1 && crowd->seen[0].priority == 1);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(stopping_and_teleporting_stand_still) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(2, 0, 2), cr__vec(30, 0, 30), NULL);
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CHECK_OK(cr_crowd_stop(crowd, id, NULL));
  CrFollowerInfo info = walker_info(crowd, id);
  CHECK_INT(info.state, CR_FOLLOWER_IDLE);
  CHECK(cr__same_point(info.velocity, cr__vec(0, 0, 0)) && cr__same_point(info.destination, info.position));
  CHECK_OK(cr_crowd_set_destination(crowd, id, cr__vec(30, 0, 2), NULL));
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CHECK_OK(cr_crowd_teleport(crowd, id, cr__vec(20, 1, 20), NULL));
  info = walker_info(crowd, id);
  CHECK_INT(info.state, CR_FOLLOWER_IDLE);
  CHECK(cr__same_point(info.position, cr__vec(20, 0, 20)) && cr__same_point(info.velocity, cr__vec(0, 0, 0)));
  CrAgentInfo agent;
  CHECK_OK(cr_crowd_agent(crowd, id, &agent));
  CHECK_INT(agent.wall_count, -1);
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  CHECK(cr__same_point(walker_info(crowd, id).position, cr__vec(20, 0, 20)));
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(bulk_reads_go_by_slot) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 70; k++) {
    options.radius = 0.1 + 0.01 * k;
    add_walker(crowd, cr__vec(2 + k % 10, 0, 2 + k / 10), cr__vec(30, 0, 30), &options);
  }
  for (int64_t id = 0; id < 70; id += 3) CHECK_OK(cr_crowd_remove(crowd, id, NULL));
  for (int k = 0; k < 20; k++) step_crowd(crowd);
  int64_t ids[70];
  double positions[210], velocities[210], radii[70];
  uint8_t states[70];
  CHECK_INT(cr_crowd_read_agents(crowd, 70, ids, positions, velocities, states, radii), 46);
  for (int k = 0; k < 46; k++) {
    CrAgentInfo info;
    CHECK_OK(cr_crowd_agent(crowd, ids[k], &info));
    CHECK(k == 0 || ids[k] > ids[k - 1]);
    CHECK(
        cr__same_point(info.follower.position, cr__vec(positions[3 * k], positions[3 * k + 1], positions[3 * k + 2])));
    CHECK(info.follower.velocity.x == velocities[3 * k] && info.follower.velocity.z == velocities[3 * k + 2]);
    CHECK(states[k] == info.follower.state && radii[k] == 0.1 + 0.01 * (double)ids[k]);
  }
  CHECK_INT(cr_crowd_read_agents(crowd, 5, ids, NULL, NULL, NULL, NULL), 5);
  CHECK_INT(cr_crowd_read_agents(crowd, 70, NULL, NULL, NULL, NULL, NULL), 46);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(half_planes_are_recorded_when_asked_for) {
  CrNavMesh *mesh = open_world(4, 4, 4.0);
  CrCrowdOptions options = cr_crowd_options_default();
  options.record_constraints = true;
  CrCrowd *recording, *plain = make_crowd(mesh, NULL);
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &recording, NULL));
  CrConstraint planes[32];
  int32_t walls = -1, wall_sum = 0, neighbour_sum = 0;
  for (int k = 0; k < 5; k++) {
    add_walker(plain, cr__vec(1 + 3 * k, 0, 1), cr__vec(15 - 3 * k, 0, 15), NULL);
    int64_t id = add_walker(recording, cr__vec(1 + 3 * k, 0, 1), cr__vec(15 - 3 * k, 0, 15), NULL);
    CHECK_INT(cr_crowd_constraints(recording, id, 32, planes, &walls), 0);
  }
  for (int k = 0; k < 30; k++) {
    step_crowd(plain);
    step_crowd(recording);
    CHECK(cr_crowd_state_hash(plain) == cr_crowd_state_hash(recording));
  }
  for (int64_t id = 0; id < 5; id++) {
    int32_t count = cr_crowd_constraints(recording, id, 32, planes, &walls);
    CHECK(count >= walls && count <= walls + 4);
    wall_sum += walls;
    neighbour_sum += count - walls;
    for (int32_t k = 0; k < count; k++) {
      CHECK_NEAR(planes[k].normal_x * planes[k].normal_x + planes[k].normal_z * planes[k].normal_z, 1.0, 1e-12);
      // Standing still keeps every wall.
      CHECK(k >= walls || planes[k].point_x * planes[k].normal_x + planes[k].point_z * planes[k].normal_z <= 1e-12);
    }
    CHECK_INT(cr_crowd_constraints(plain, id, 32, planes, &walls), 0);
  }
  CHECK(wall_sum > 0 && neighbour_sum > 0);
  CHECK_INT(cr_crowd_constraints(recording, 99, 32, planes, &walls), 0);
  StateBytes state = take_state(recording);
  CHECK_OK(cr_crowd_restore_state(recording, state.data, state.size, NULL));
  CHECK_INT(cr_crowd_constraints(recording, 0, 32, planes, &walls), 0);
  free(state.data);
  cr_crowd_destroy(plain);
  cr_crowd_destroy(recording);
  cr_navmesh_destroy(mesh);
}

// How far an agent of this priority leaves the straight line when it meets one of priority 1, or nobody.
static double steps_aside(double priority, bool meets) {
  CrNavMesh *mesh = open_world(8, 8, 8.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_humanoid();
  options.priority = priority;
  int64_t id = add_walker(crowd, cr__vec(20, 0, 32), cr__vec(44, 0, 32), &options);
  options.priority = 1;
  if (meets) add_walker(crowd, cr__vec(44, 0, 32), cr__vec(20, 0, 32), &options);
  double aside = 0;
  for (int step = 0; step < 400; step++) {
    step_crowd(crowd);
    aside = cr__max(aside, cr__abs(walker_info(crowd, id).position.z - 32));
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return aside;
}

TEST(a_higher_priority_gives_way_less) {
  double alone = steps_aside(1, false), equal = steps_aside(1, true), higher = steps_aside(50, true);
  printf("  off the straight line by %.3f alone, %.3f among equals, %.3f with priority 50\n", alone, equal, higher);
  CHECK(equal - alone > 0.2);
  CHECK(higher - alone < 0.25 * (equal - alone));
}

// --- Memory -----------------------------------------------------------------------------------------------------------

TEST(steady_steps_allocate_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(3, 20, 20, 2.0, 0.2, 7, NULL);
  CrCrowd *crowd = make_crowd(mesh, &allocator);
  uint64_t seed = check_seed = 4;
  CrAgentOptions options = cr_agent_options_small();
  int64_t ids[120];
  for (int k = 0; k < 120; k++) {
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    ids[k] = add_walker(crowd, from, to, &options);
  }
  for (int k = 0; k < 60; k++) step_crowd(crowd);
  int64_t before = memory.total_allocations;
  for (int k = 0; k < 60; k++) {
    for (int j = 0; j < 4; j++) {
      CHECK_OK(cr_crowd_set_destination(crowd, ids[(4 * k + j) % 120], world_random_point(mesh, &seed, NULL), NULL));
    }
    step_crowd(crowd);
    cr_crowd_state_hash(crowd);
    cr_crowd_state_size(crowd);
  }
  CHECK_INT(memory.total_allocations - before, 0);
  printf("  120 agents, %" PRId64 " bytes live\n", memory.live_bytes);
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
  cr_navmesh_destroy(mesh);
}

// Makes a crowd and adds agents while one allocation fails; each failed call changes nothing and succeeds when repeated.
static int64_t run_with_failure(const CrNavMesh *mesh, int64_t fail_at) {
  TestMemory memory = {.fail_at = fail_at};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowdOptions options = cr_crowd_options_default();
  options.record_constraints = true;
  CrCrowd *crowd = NULL;
  CrError error = {0};
  CrStatus status = cr_crowd_create(mesh, &options, &allocator, &crowd, &error);
  if (status != CR_STATUS_OK) {
    CHECK(status == CR_STATUS_OUT_OF_MEMORY && error.status == CR_STATUS_OUT_OF_MEMORY && !crowd);
    CHECK_INT(memory.live_blocks, 0);
    return memory.total_allocations;
  }
  for (int k = 0; k < 70; k++) {
    StateBytes before = take_state(crowd);
    CrVec3 at = {2 + k % 10, 0, 2 + k / 10};
    status = cr_crowd_add(crowd, at, NULL, NULL, &error);
    if (status != CR_STATUS_OK) {
      CHECK_INT(status, CR_STATUS_OUT_OF_MEMORY);
      CHECK(stands_at(crowd, &before));
      CHECK_OK(cr_crowd_add(crowd, at, NULL, NULL, &error));
    }
    free(before.data);
  }
  check_crowd(crowd);
  step_crowd(crowd);
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
  return memory.total_allocations;
}

TEST(any_allocation_may_fail) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  int64_t total = run_with_failure(mesh, 0);
  for (int64_t k = 1; k <= total; k++) run_with_failure(mesh, k);
  printf("  %" PRId64 " allocations, each failed once\n", total);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(agents_take_the_lowest_free_slot_and_ids_are_never_used_again), RUN(the_id_table_is_a_map),
          RUN(a_crowd_holds_max_agents), RUN(presets_are_those_documented),
          RUN(the_follower_of_an_agent_is_that_documented), RUN(a_worker_has_a_query_for_topology_searches),
          RUN(qualities_give_neighbours_horizons_and_reaches), RUN(bad_agent_options_are_named_and_change_nothing),
          RUN(bad_crowd_options_are_named), RUN(refused_calls_change_nothing),
          RUN(options_of_a_live_agent_are_swapped_in_place), RUN(a_priority_is_set_alone),
          RUN(stopping_and_teleporting_stand_still), RUN(bulk_reads_go_by_slot),
          RUN(half_planes_are_recorded_when_asked_for), RUN(a_higher_priority_gives_way_less),
          RUN(steady_steps_allocate_nothing), RUN(any_allocation_may_fail))
