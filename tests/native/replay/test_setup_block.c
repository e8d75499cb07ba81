// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "replay_internal.h"

static HostPlan plan_of(int32_t world, uint64_t seed, int32_t warm_steps) {
  return (HostPlan){
      .world = world, .seed = seed, .max_agents = 12, .first_agents = 4, .warm_steps = warm_steps, .dt = 0.05};
}

static CrBytes take(const CrCrowd *crowd, double dt) {
  CrBytes setup = {0};
  REQUIRE_OK(cr__setup_take(crowd, dt, NULL, &setup, NULL));
  return setup;
}

// Reads and restores as a replay does. On success the caller destroys both.
static CrStatus restore(const uint8_t *data, size_t size, CrNavMesh **mesh, CrCrowd **crowd, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_REPLAY, error);
  CrSetup setup;
  cr__setup_read(&setup, &reader);
  if (!cr__read_ok(&reader)) return reader.status;
  return cr__setup_restore(&setup, NULL, mesh, crowd, error);
}

static int64_t i32_at(const uint8_t *data, size_t offset) {
  CrReader reader = cr__reader(data + offset, 4, 0, CR_FORMAT_REPLAY, NULL);
  return cr__read_i32(&reader, "");
}

TEST(fields_stand_where_the_table_says) {
  Host host;
  HostPlan plan = plan_of(1, 5, 7);
  host_start(&host, &plan, false);
  CrBytes setup = take(host.crowd, plan.dt);
  CrCrowdOptions options = cr_crowd_options(host.crowd);
  CHECK(memcmp(setup.data, "OPRS\1\1\0\0", 8) == 0);
  CrReader reader = cr__reader(setup.data + 8, 45, 8, CR_FORMAT_REPLAY, NULL);
  CHECK(cr__read_f64(&reader, "") == plan.dt);
  CHECK_INT(cr__read_i64(&reader, ""), 7);
  CHECK_INT(cr__read_i32(&reader, ""), options.max_agents);
  CHECK_INT(cr__read_i32(&reader, ""), options.query_nodes);
  CHECK_INT(cr__read_u8(&reader, ""), options.query_node_model);
  CHECK_INT(cr__read_i32(&reader, ""), options.max_walls_per_agent);
  CHECK(cr__read_f64(&reader, "") == options.wall_refresh_distance);
  CHECK_INT(cr__read_i32(&reader, ""), options.max_walls_avoided);
  CrBytes mesh = {0}, state = state_of(host.crowd);
  REQUIRE_OK(cr_navmesh_save(host.mesh, NULL, &mesh, NULL));
  CHECK_INT(i32_at(setup.data, 49), mesh.size);
  CHECK(memcmp(setup.data + 53, mesh.data, mesh.size) == 0);
  CHECK_INT(i32_at(setup.data, 53 + mesh.size), state.size);
  CHECK(memcmp(setup.data + 57 + mesh.size, state.data, state.size) == 0);
  CHECK_INT(setup.size, 57 + mesh.size + state.size);
  cr_bytes_free(&mesh);
  cr_bytes_free(&state);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(a_restored_crowd_is_the_one_taken_and_goes_on_so) {
  for (int32_t i = 0; i < 2 * HOST_WORLDS; i++) {
    Host host;
    HostPlan plan = plan_of(i % HOST_WORLDS, 100 + (uint64_t)i, i < HOST_WORLDS ? 0 : 40);
    host_start(&host, &plan, false);
    CrBytes setup = take(host.crowd, plan.dt);
    CrNavMesh *mesh;
    CrCrowd *crowd;
    REQUIRE_OK(restore(setup.data, setup.size, &mesh, &crowd, NULL));
    CrBytes again = take(crowd, plan.dt);
    CHECK(same_bytes(&setup, &again));
    for (int32_t step = 0; step < 60; step++) {
      CHECK_OK(cr_crowd_step(host.crowd, plan.dt, NULL));
      CHECK_OK(cr_crowd_step(crowd, plan.dt, NULL));
      CHECK(cr_crowd_state_hash(host.crowd) == cr_crowd_state_hash(crowd));
    }
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
    cr_bytes_free(&again);
    cr_bytes_free(&setup);
    host_end(&host);
  }
}

// --- Refusals -------------------------------------------------------------------------------------------------------

static CrBytes small_setup(Host *host) {
  HostPlan plan = plan_of(0, 3, 5);
  host_start(host, &plan, false);
  return take(host->crowd, plan.dt);
}

static void expect_error(const CrBytes *setup, CrStatus expected, const char *field, uint64_t offset) {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrError error = {0};
  CrStatus status = restore(setup->data, setup->size, &mesh, &crowd, &error);
  CHECK_STATUS(status, expected);
  CHECK_INT(error.format, CR_FORMAT_REPLAY);
  bool named = error.field && strcmp(error.field, field) == 0;
  CHECK(named);
  if (!named) printf("  field %s, expected %s\n", error.field ? error.field : "null", field);
  CHECK_INT(error.offset, offset);
  if (status == CR_STATUS_OK) cr_crowd_destroy(crowd), cr_navmesh_destroy(mesh);
}

static void with_f64(CrBytes *setup, size_t offset, double value, const char *field) {
  uint8_t kept[8];
  memcpy(kept, setup->data + offset, 8);
  CrWriter writer = cr__writer_to(setup->data + offset, 8);
  cr__write_f64(&writer, value);
  expect_error(setup, CR_STATUS_BAD_VALUE, field, offset);
  memcpy(setup->data + offset, kept, 8);
}

static void with_i32(CrBytes *setup, size_t offset, int32_t value, CrStatus expected, const char *field,
                     uint64_t error_offset) {
  uint8_t kept[4];
  memcpy(kept, setup->data + offset, 4);
  CrWriter writer = cr__writer_to(setup->data + offset, 4);
  cr__write_i32(&writer, value);
  expect_error(setup, expected, field, error_offset);
  memcpy(setup->data + offset, kept, 4);
}

static void with_u8(CrBytes *setup, size_t offset, uint8_t value, CrStatus expected, const char *field,
                    uint64_t error_offset) {
  uint8_t kept = setup->data[offset];
  setup->data[offset] = value;
  expect_error(setup, expected, field, error_offset);
  setup->data[offset] = kept;
}

TEST(bad_header_fields_are_named) {
  Host host;
  CrBytes setup = small_setup(&host);
  for (size_t i = 0; i < 4; i++) with_u8(&setup, i, 'x', CR_STATUS_BAD_MAGIC, "magic", 0);
  with_u8(&setup, 4, 2, CR_STATUS_BAD_VERSION, "version", 4);
  with_u8(&setup, 4, 0, CR_STATUS_BAD_VERSION, "version", 4);
  with_u8(&setup, 5, 0, CR_STATUS_BAD_VALUE, "kind", 5);
  with_u8(&setup, 5, 2, CR_STATUS_BAD_VALUE, "kind", 5);
  with_u8(&setup, 6, 1, CR_STATUS_BAD_VALUE, "reserved", 6);
  with_u8(&setup, 7, 1, CR_STATUS_BAD_VALUE, "reserved", 6);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(bad_values_are_named) {
  static const double bad_dt[] = {0.0, -0.0, -1.0, 3600.0000000000005, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};
  Host host;
  CrBytes setup = small_setup(&host);
  for (size_t i = 0; i < sizeof bad_dt / sizeof bad_dt[0]; i++) with_f64(&setup, 8, bad_dt[i], "setup.dt");
  with_u8(&setup, 23, 0x80, CR_STATUS_BAD_VALUE, "setup.startStep", 16);  // negative
  with_i32(&setup, 24, 0, CR_STATUS_BAD_VALUE, "setup.options.maxAgents", 24);
  with_i32(&setup, 24, CR_CROWD_MAX_AGENTS + 1, CR_STATUS_BAD_VALUE, "setup.options.maxAgents", 24);
  with_i32(&setup, 28, CR_QUERY_MIN_NODES - 1, CR_STATUS_BAD_VALUE, "setup.options.queryNodes", 28);
  with_i32(&setup, 28, CR_QUERY_MAX_NODES + 1, CR_STATUS_BAD_VALUE, "setup.options.queryNodes", 28);
  with_u8(&setup, 32, 2, CR_STATUS_BAD_VALUE, "setup.options.queryNodeModel", 32);
  with_i32(&setup, 33, 0, CR_STATUS_BAD_VALUE, "setup.options.maxWallsPerAgent", 33);
  with_i32(&setup, 33, 256, CR_STATUS_BAD_VALUE, "setup.options.maxWallsPerAgent", 33);
  with_f64(&setup, 37, 0.0, "setup.options.wallRefreshDistance");
  with_f64(&setup, 37, 0.0 / 0.0, "setup.options.wallRefreshDistance");
  with_i32(&setup, 45, -1, CR_STATUS_BAD_VALUE, "setup.options.maxWallsAvoided", 45);
  with_i32(&setup, 45, 17, CR_STATUS_BAD_VALUE, "setup.options.maxWallsAvoided", 45);  // above max_walls_per_agent
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(the_start_step_is_the_crowds_step_count) {
  Host host;
  CrBytes setup = small_setup(&host);
  with_u8(&setup, 16, 4, CR_STATUS_MISMATCH, "setup.startStep", 16);
  with_u8(&setup, 16, 6, CR_STATUS_MISMATCH, "setup.startStep", 16);
  with_u8(&setup, 20, 1, CR_STATUS_MISMATCH, "setup.startStep", 16);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(block_lengths_are_checked) {
  Host host;
  CrBytes setup = small_setup(&host);
  int32_t mesh_size = (int32_t)i32_at(setup.data, 49);
  size_t state_at = 53 + (size_t)mesh_size;
  int32_t state_size = (int32_t)i32_at(setup.data, state_at);
  with_i32(&setup, 49, -1, CR_STATUS_BAD_VALUE, "setup.meshLength", 49);
  with_i32(&setup, 49, INT32_MAX, CR_STATUS_TRUNCATED, "setup.mesh", 53);
  with_i32(&setup, state_at, -1, CR_STATUS_BAD_VALUE, "setup.stateLength", state_at);
  with_i32(&setup, state_at, state_size + 1, CR_STATUS_TRUNCATED, "setup.state", state_at + 4);
  with_i32(&setup, state_at, state_size - 1, CR_STATUS_TRAILING_BYTES, "end", setup.size - 1);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(every_prefix_and_an_extra_byte_are_errors) {
  Host host;
  CrBytes setup = small_setup(&host);
  uint8_t *longer = malloc(setup.size + 1);
  REQUIRE(longer);
  memcpy(longer, setup.data, setup.size);
  longer[setup.size] = 0;
  CrBytes view = {longer, setup.size + 1, setup.allocator};
  expect_error(&view, CR_STATUS_TRAILING_BYTES, "end", setup.size);
  for (size_t size = 0; size < setup.size; size++) {
    CrNavMesh *mesh;
    CrCrowd *crowd;
    CrError error = {0};
    CHECK_STATUS(restore(setup.data, size, &mesh, &crowd, &error), CR_STATUS_TRUNCATED);
    CHECK(error.field && error.offset <= size);
  }
  free(longer);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST(no_allocation_failure_leaks_or_passes) {
  Host host;
  CrBytes setup = small_setup(&host);
  CrReader reader = cr__reader(setup.data, setup.size, 0, CR_FORMAT_REPLAY, NULL);
  CrSetup parsed;
  cr__setup_read(&parsed, &reader);
  REQUIRE(cr__read_ok(&reader));
  int64_t failures = 0;
  for (CrStatus status = CR_STATUS_OUT_OF_MEMORY; status != CR_STATUS_OK; failures++) {
    TestMemory memory = {.fail_at = failures + 1};
    CrAllocator hooks = test_allocator(&memory);
    CrNavMesh *mesh;
    CrCrowd *crowd;
    status = cr__setup_restore(&parsed, &hooks, &mesh, &crowd, NULL);
    if (status == CR_STATUS_OK) {
      cr_crowd_destroy(crowd);
      cr_navmesh_destroy(mesh);
    } else {
      CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
    }
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  printf("restoring a setup makes %" PRId64 " allocations\n", failures - 1);
  cr_bytes_free(&setup);
  host_end(&host);
}

TEST_MAIN(RUN(fields_stand_where_the_table_says), RUN(a_restored_crowd_is_the_one_taken_and_goes_on_so),
          RUN(bad_header_fields_are_named), RUN(bad_values_are_named), RUN(the_start_step_is_the_crowds_step_count),
          RUN(block_lengths_are_checked), RUN(every_prefix_and_an_extra_byte_are_errors),
          RUN(no_allocation_failure_leaks_or_passes))
