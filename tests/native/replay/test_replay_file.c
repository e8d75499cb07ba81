// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "replay_internal.h"

static CrBytes small_file(void) {
  HostPlan plan = {.world = 0, .seed = 21, .max_agents = 4, .first_agents = 2, .warm_steps = 2, .dt = 0.1};
  return record_run(&plan, 10);
}

static CrBytes copy_of(const CrBytes *bytes, size_t size) {
  CrBytes copy = {0};
  REQUIRE_OK(cr__bytes_alloc(NULL, size, &copy, NULL));
  memset(copy.data, 0, size);
  memcpy(copy.data, bytes->data, size < bytes->size ? size : bytes->size);
  return copy;
}

static void put_i32(CrBytes *file, size_t offset, int32_t value) {
  CrWriter writer = cr__writer_to(file->data + offset, 4);
  cr__write_i32(&writer, value);
}

static void expect_error(const CrBytes *file, CrStatus expected, const char *field, uint64_t offset, int64_t index) {
  CrReplay *replay = NULL;
  CrError error = {0};
  CHECK_STATUS(cr_replay_read(file->data, file->size, NULL, &replay, &error), expected);
  CHECK(replay == NULL && error.format == CR_FORMAT_REPLAY);
  bool named = error.field && strcmp(error.field, field) == 0;
  CHECK(named);
  if (!named) printf("  field %s, expected %s\n", error.field ? error.field : "null", field);
  CHECK_INT(error.offset, offset);
  CHECK_INT(error.index, index);
  cr_replay_destroy(replay);
}

// --- What is read ---------------------------------------------------------------------------------------------------

TEST(reading_then_writing_gives_the_same_bytes) {
  for (int32_t i = 0; i < 4 * HOST_WORLDS; i++) {
    HostPlan plan = {.world = i % HOST_WORLDS,
                     .seed = 300 + (uint64_t)i,
                     .max_agents = 12,
                     .first_agents = 6,
                     .warm_steps = i / HOST_WORLDS * 7,
                     .dt = 1.0 / 60.0};
    CrBytes file = record_run(&plan, 40), written = {0};
    CrReplay *replay = open_replay(&file);
    CHECK_OK(cr_replay_write(replay, NULL, &written, NULL));
    CHECK(same_bytes(&file, &written));
    cr_replay_destroy(replay);
    cr_bytes_free(&written);
    cr_bytes_free(&file);
  }
}

// Rebuilds the file from what reading it yields: nothing in it is beyond what the calls tell.
TEST(a_file_is_what_its_parts_say) {
  HostPlan plan = {.world = 2, .seed = 8, .max_agents = 12, .first_agents = 6, .warm_steps = 3, .dt = 1.0 / 60.0};
  CrBytes file = record_run(&plan, 50), rebuilt = copy_of(&file, file.size);
  CrReplay *replay = open_replay(&file);
  CrReplayInfo info = cr_replay_info(replay);
  memset(rebuilt.data + 12 + info.setup_size, 0, rebuilt.size - 12 - info.setup_size);
  CrWriter writer = cr__writer_to(rebuilt.data, rebuilt.size);
  writer.size = 12 + info.setup_size;
  cr__write_i32(&writer, info.step_count);
  for (int32_t i = 0; i < info.step_count; i++) {
    const uint8_t *operations;
    size_t size, offset = 0;
    uint64_t hash;
    CHECK_OK(cr_replay_step(replay, i, &operations, &size, &hash));
    cr__write_i32(&writer, (int32_t)size);
    CrOperation operation;
    while (cr_op_decode(operations, size, offset, &operation, NULL) == CR_STATUS_OK) {
      cr__op_write(&operation, &writer);
      offset += operation.size;
    }
    cr__write_u64(&writer, hash);
  }
  CHECK(!writer.overflow && writer.size == file.size);
  CHECK(same_bytes(&file, &rebuilt));
  cr_replay_destroy(replay);
  cr_bytes_free(&rebuilt);
  cr_bytes_free(&file);
}

TEST(info_tells_what_was_recorded) {
  Host host;
  HostPlan plan = {.world = 1, .seed = 9, .max_agents = 12, .first_agents = 6, .warm_steps = 5, .dt = 1.0 / 60.0};
  host_start(&host, &plan, true);
  int32_t agents = cr_crowd_agent_count(host.crowd);
  memset(host.done, 0, sizeof host.done);
  host.adds_full = host.adds_not_found = 0;
  host_run(&host, 70);
  CrBytes file = host_save(&host), mesh = {0};
  REQUIRE_OK(cr_navmesh_save(host.mesh, NULL, &mesh, NULL));
  CrReplay *replay = open_replay(&file);
  CrReplayInfo info = cr_replay_info(replay);
  CHECK(info.dt == plan.dt);
  CHECK_INT(info.start_step, 5);
  CHECK_INT(info.step_count, 70);
  CHECK_INT(info.options.max_agents, 12);
  CHECK(info.options.filter == NULL);
  CHECK_INT(info.file_size, file.size);
  CHECK_INT(info.mesh_size, mesh.size);
  CHECK_INT(info.setup_size, 57 + info.mesh_size + info.state_size);
  CHECK_INT(info.agents_at_start, agents);
  CHECK_INT(info.mesh_tiles, cr_navmesh_tile_count(host.mesh));
  CHECK_INT(info.mesh_polygons, cr_navmesh_polygon_count(host.mesh));
  int64_t total = 0;
  for (int32_t kind = 1; kind < 6; kind++) {
    int64_t failed = kind == CR_OP_ADD ? host.adds_full + host.adds_not_found : 0;
    CHECK_INT(info.operation_counts[kind], host.done[kind] + failed);
    total += info.operation_counts[kind];
  }
  CHECK_INT(info.operation_count, total);
  const uint8_t *operations;
  size_t size;
  uint64_t hash;
  CHECK_STATUS(cr_replay_step(replay, -1, &operations, &size, &hash), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_replay_step(replay, 70, &operations, &size, &hash), CR_STATUS_ARGUMENT);
  CHECK_OK(cr_replay_step(replay, 69, &operations, &size, &hash));
  CHECK(hash == cr_recorder_last_hash(host.recorder));
  cr_replay_destroy(replay);
  cr_bytes_free(&mesh);
  cr_bytes_free(&file);
  host_end(&host);
}

TEST(a_recording_without_steps_is_a_replay) {
  HostPlan plan = {.world = 0, .seed = 1, .max_agents = 4, .dt = 0.1};
  CrBytes file = record_run(&plan, 0);
  CrReplay *replay = open_replay(&file);
  int32_t mismatch = 0;
  CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
  CHECK_INT(mismatch, -1);
  CHECK_INT(cr_replay_info(replay).step_count, 0);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
}

// --- What is refused ------------------------------------------------------------------------------------------------

TEST(bad_header_fields_are_named) {
  static const struct {
    size_t offset;
    uint8_t value;
    CrStatus status;
    const char *field;
    uint64_t error_offset;
  } cases[] = {{0, 'x', CR_STATUS_BAD_MAGIC, "magic", 0},     {3, 'S', CR_STATUS_BAD_MAGIC, "magic", 0},
               {4, 0, CR_STATUS_BAD_VERSION, "version", 4},   {4, 2, CR_STATUS_BAD_VERSION, "version", 4},
               {5, 0, CR_STATUS_BAD_VALUE, "kind", 5},        {6, 1, CR_STATUS_BAD_VALUE, "reserved", 6},
               {7, 128, CR_STATUS_BAD_VALUE, "reserved", 6},  {12, 'o', CR_STATUS_BAD_MAGIC, "magic", 12},
               {16, 9, CR_STATUS_BAD_VERSION, "version", 16}, {17, 9, CR_STATUS_BAD_VALUE, "kind", 17}};
  CrBytes file = small_file();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint8_t kept = file.data[cases[i].offset];
    file.data[cases[i].offset] = cases[i].value;
    expect_error(&file, cases[i].status, cases[i].field, cases[i].error_offset, CR_NO_INDEX);
    file.data[cases[i].offset] = kept;
  }
  cr_bytes_free(&file);
}

TEST(lengths_and_counts_are_checked_against_the_bytes) {
  CrBytes file = small_file();
  CrReplay *replay = open_replay(&file);
  size_t setup_size = cr_replay_info(replay).setup_size, count_at = 12 + setup_size;
  size_t last = replay->step_offsets[9], state_at = replay->setup.state_offset;
  cr_replay_destroy(replay);
  int32_t huge = (int32_t)((file.size - count_at - 4) / 12) + 1;
  struct {
    size_t offset;
    int32_t value;
    CrStatus status;
    const char *field;
    uint64_t error_offset;
    int64_t index;
  } cases[] = {{8, -1, CR_STATUS_BAD_VALUE, "setupLength", 8, -1},
               {8, INT32_MAX, CR_STATUS_TRUNCATED, "setup", 12, -1},
               {8, (int32_t)setup_size - 1, CR_STATUS_TRUNCATED, "setup.state", state_at, -1},
               {8, (int32_t)setup_size + 1, CR_STATUS_TRAILING_BYTES, "end", count_at, -1},
               {count_at, -1, CR_STATUS_BAD_VALUE, "stepCount", count_at, -1},
               {count_at, CR_MAX_REPLAY_STEPS + 1, CR_STATUS_BAD_VALUE, "stepCount", count_at, -1},
               {count_at, CR_MAX_REPLAY_STEPS, CR_STATUS_TRUNCATED, "stepCount", count_at, -1},
               {count_at, huge, CR_STATUS_TRUNCATED, "stepCount", count_at, -1},
               {count_at, 9, CR_STATUS_TRAILING_BYTES, "end", last, -1},
               {count_at, 11, CR_STATUS_TRUNCATED, "operationsLength", file.size, 10},
               {last, -1, CR_STATUS_BAD_VALUE, "operationsLength", last, 9},
               {last, CR_MAX_STEP_OPERATIONS + 1, CR_STATUS_BAD_VALUE, "operationsLength", last, 9},
               {last, CR_MAX_STEP_OPERATIONS, CR_STATUS_TRUNCATED, "operations", last + 4, 9}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    CrBytes bad = copy_of(&file, file.size);
    put_i32(&bad, cases[i].offset, cases[i].value);
    expect_error(&bad, cases[i].status, cases[i].field, cases[i].error_offset, cases[i].index);
    cr_bytes_free(&bad);
  }
  cr_bytes_free(&file);
}

TEST(a_bad_operation_names_its_step_and_place) {
  CrBytes file = small_file();
  CrReplay *replay = open_replay(&file);
  int32_t checked = 0;
  for (int32_t i = 0; i < 10; i++) {
    const uint8_t *operations;
    size_t size, offset = 0;
    uint64_t hash;
    REQUIRE_OK(cr_replay_step(replay, i, &operations, &size, &hash));
    CrOperation operation;
    while (cr_op_decode(operations, size, offset, &operation, NULL) == CR_STATUS_OK) {
      size_t at = (size_t)(operations - replay->data) + offset;
      CrBytes bad = copy_of(&file, file.size);
      bad.data[at] = 6;
      expect_error(&bad, CR_STATUS_BAD_VALUE, "operation.kind", at, i);
      bad.data[at] = (uint8_t)operation.kind;
      if (operation.kind == CR_OP_TELEPORT || operation.kind == CR_OP_SET_DESTINATION) {
        bad.data[at + 9 + 8 + 7] = 0x7F;  // y becomes huge or not a number
        bad.data[at + 9 + 8 + 6] = 0xF0;
        expect_error(&bad, CR_STATUS_BAD_VALUE, "operation.position", at + 17, i);
      }
      cr_bytes_free(&bad);
      offset += operation.size;
      checked++;
    }
  }
  printf("%d operations spoiled\n", checked);
  CHECK(checked > 5);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
}

TEST(every_prefix_and_an_extra_byte_are_errors) {
  CrBytes file = small_file();
  for (size_t size = 0; size < file.size; size++) {
    CrBytes cut = copy_of(&file, size ? size : 1);  // a block of its own, so that reading past it is seen
    CrReplay *replay = NULL;
    CrError error = {0};
    CHECK_STATUS(cr_replay_read(cut.data, size, NULL, &replay, &error), CR_STATUS_TRUNCATED);
    CHECK(error.field && error.offset <= size && error.format == CR_FORMAT_REPLAY);
    cr_bytes_free(&cut);
  }
  CrBytes longer = copy_of(&file, file.size + 1);
  expect_error(&longer, CR_STATUS_TRAILING_BYTES, "end", file.size, CR_NO_INDEX);
  CHECK_STATUS(cr_replay_read(NULL, 0, NULL, &(CrReplay *){0}, NULL), CR_STATUS_TRUNCATED);
  printf("%zu prefixes\n", file.size);
  cr_bytes_free(&longer);
  cr_bytes_free(&file);
}

TEST(no_allocation_failure_leaks_or_passes) {
  CrBytes file = small_file();
  int64_t failures = 0;
  for (CrStatus status = CR_STATUS_OUT_OF_MEMORY; status != CR_STATUS_OK; failures++) {
    TestMemory memory = {.fail_at = failures + 1};
    CrAllocator hooks = test_allocator(&memory);
    CrReplay *replay = NULL;
    status = cr_replay_read(file.data, file.size, &hooks, &replay, NULL);
    if (status != CR_STATUS_OK) CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
    CHECK((status == CR_STATUS_OK) == (replay != NULL));
    if (replay) CHECK(memory.live_bytes < (int64_t)file.size + 10 * (int64_t)sizeof(size_t) + 1024);  // one copy
    cr_replay_destroy(replay);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  printf("reading makes %" PRId64 " allocations\n", failures - 1);
  cr_bytes_free(&file);
}

TEST_MAIN(RUN(reading_then_writing_gives_the_same_bytes), RUN(a_file_is_what_its_parts_say),
          RUN(info_tells_what_was_recorded), RUN(a_recording_without_steps_is_a_replay),
          RUN(bad_header_fields_are_named), RUN(lengths_and_counts_are_checked_against_the_bytes),
          RUN(a_bad_operation_names_its_step_and_place), RUN(every_prefix_and_an_extra_byte_are_errors),
          RUN(no_allocation_failure_leaks_or_passes))
