// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "crowdreel/world.h"
#include "replay_internal.h"

static HostPlan plan_of(int32_t world, uint64_t seed) {
  return (HostPlan){
      .world = world, .seed = seed, .max_agents = 10, .first_agents = 5, .warm_steps = 3, .dt = 1.0 / 30.0};
}

TEST(a_recorded_crowd_runs_as_an_unrecorded_one) {
  int64_t done[6] = {0}, not_found = 0, full = 0, refused = 0;
  for (int32_t i = 0; i < 3 * HOST_WORLDS; i++) {
    Host recorded, plain;
    HostPlan plan = plan_of(i % HOST_WORLDS, 40 + (uint64_t)i);
    host_start(&recorded, &plan, true);
    host_start(&plain, &plan, false);
    for (int32_t step = 0; step < 120; step++) {
      host_run(&recorded, 1);
      host_run(&plain, 1);
      uint64_t hash = cr_crowd_state_hash(plain.crowd);
      CHECK(cr_crowd_state_hash(recorded.crowd) == hash);
      CHECK(cr_recorder_last_hash(recorded.recorder) == hash);
    }
    for (int32_t kind = 1; kind < 6; kind++) done[kind] += recorded.done[kind];
    not_found += recorded.adds_not_found;
    full += recorded.adds_full;
    refused += recorded.refused;
    host_end(&recorded);
    host_end(&plain);
  }
  for (int32_t kind = 1; kind < 6; kind++) {
    printf("%s %" PRId64 ", ", cr_op_name((CrOpKind)kind), done[kind]);
    CHECK(done[kind] > 0);
  }
  printf("adds failed: no polygon %" PRId64 ", full %" PRId64 "; calls refused %" PRId64 "\n", not_found, full,
         refused);
  CHECK(not_found > 0 && full > 0 && refused > 0);
}

TEST(recording_twice_gives_identical_bytes) {
  for (int32_t world = 0; world < HOST_WORLDS; world++) {
    HostPlan plan = plan_of(world, 60 + (uint64_t)world);
    CrBytes first = record_run(&plan, 80), second = record_run(&plan, 80);
    CHECK(same_bytes(&first, &second));
    cr_bytes_free(&first);
    cr_bytes_free(&second);
  }
}

TEST(the_number_of_threads_is_not_in_a_recording) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_threads = 2;
  bool has_threads = cr_crowd_options_validate(&options, NULL) == CR_STATUS_OK;
  for (int32_t world = 0; world < HOST_WORLDS; world++) {
    HostPlan plan = plan_of(world, 70 + (uint64_t)world);
    plan.max_agents = HOST_MAX_IDS;
    plan.first_agents = 50;
    CrBytes one = record_run(&plan, 60);
    plan.max_threads = has_threads ? 2 : 1;
    CrBytes two = record_run(&plan, 60);
    CHECK(same_bytes(&one, &two));
    cr_bytes_free(&one);
    cr_bytes_free(&two);
  }
}

TEST(recording_a_replay_again_gives_its_bytes) {
  for (int32_t i = 0; i < 2 * HOST_WORLDS; i++) {
    HostPlan plan = plan_of(i % HOST_WORLDS, 80 + (uint64_t)i);
    CrBytes file = record_run(&plan, 60);
    CrReplay *replay = open_replay(&file);
    CrBytes again = record_again(replay);
    CHECK(same_bytes(&file, &again));
    cr_replay_destroy(replay);
    cr_bytes_free(&again);
    cr_bytes_free(&file);
  }
}

// --- What is recorded -----------------------------------------------------------------------------------------------

// Operations of the only step of a recording, decoded.
static int32_t decode_step(const CrBytes *file, CrOperation *out, int32_t capacity) {
  CrReplay *replay = open_replay(file);
  const uint8_t *data;
  size_t size, offset = 0;
  uint64_t hash;
  int32_t count = 0;
  REQUIRE_OK(cr_replay_step(replay, 0, &data, &size, &hash));
  while (count < capacity && cr_op_decode(data, size, offset, &out[count], NULL) == CR_STATUS_OK) {
    offset += out[count++].size;
  }
  CHECK_INT(offset, size);
  cr_replay_destroy(replay);
  return count;
}

TEST(what_the_crowd_did_is_recorded_and_nothing_else) {
  Host host;
  HostPlan plan = plan_of(0, 1);
  plan.first_agents = plan.warm_steps = 0;
  plan.max_agents = 2;
  host_start(&host, &plan, true);
  CrRecorder *recorder = host.recorder;
  CrAgentOptions options = cr_agent_options_small(), bad = options;
  bad.radius = 0.0;
  CrVec3 here = {1.0, 0.0, 1.0}, there = {3.0, 0.25, 3.0}, nowhere = {500.0, 0.0, 1.0}, outside = {4e6, 0.0, 0.0};
  int64_t a = -1, b = -1, c = 99;
  CHECK_OK(cr_recorder_add(recorder, here, &options, &a, NULL));
  CHECK_STATUS(cr_recorder_add(recorder, nowhere, &options, &c, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_recorder_add(recorder, outside, &options, &c, NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_recorder_add(recorder, here, &bad, &c, NULL), CR_STATUS_ARGUMENT);
  CHECK_OK(cr_recorder_add(recorder, there, &options, &b, NULL));
  CHECK_STATUS(cr_recorder_add(recorder, here, &options, &c, NULL), CR_STATUS_FULL);
  CHECK_INT(c, 99);
  CHECK_OK(cr_recorder_set_destination(recorder, a, there, NULL));
  CHECK_STATUS(cr_recorder_set_destination(recorder, a, outside, NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_recorder_set_destination(recorder, 77, there, NULL), CR_STATUS_NO_SUCH_AGENT);
  CHECK_OK(cr_recorder_set_destination(recorder, b, nowhere, NULL));  // no path: an outcome, not a refusal
  CHECK_OK(cr_recorder_stop(recorder, b, NULL));
  CHECK_STATUS(cr_recorder_stop(recorder, -1, NULL), CR_STATUS_NO_SUCH_AGENT);
  CHECK_STATUS(cr_recorder_teleport(recorder, b, nowhere, NULL), CR_STATUS_NOT_FOUND);
  CHECK_OK(cr_recorder_teleport(recorder, b, here, NULL));
  CHECK_OK(cr_recorder_remove(recorder, b, NULL));
  CHECK_STATUS(cr_recorder_remove(recorder, b, NULL), CR_STATUS_NO_SUCH_AGENT);
  CHECK_OK(cr_recorder_step(recorder, NULL));
  CrBytes file = host_save(&host);
  static const CrOpKind expected[] = {
      CR_OP_ADD,  CR_OP_ADD,      CR_OP_ADD,   CR_OP_ADD, CR_OP_SET_DESTINATION, CR_OP_SET_DESTINATION,
      CR_OP_STOP, CR_OP_TELEPORT, CR_OP_REMOVE};
  CrOperation found[16];
  int32_t count = decode_step(&file, found, 16);
  CHECK_INT(count, sizeof expected / sizeof expected[0]);
  for (int32_t i = 0; i < count; i++) CHECK_INT(found[i].kind, expected[i]);
  CHECK(cr__same_point(found[1].position, nowhere) && cr__same_point(found[3].position, here));
  CHECK(found[4].agent_id == a && cr__same_point(found[4].position, there));
  CHECK(found[0].options.radius == options.radius && !found[0].options.has_path);
  cr_bytes_free(&file);
  host_end(&host);
}

TEST(saving_leaves_operations_after_the_last_step_out) {
  Host host;
  HostPlan plan = plan_of(1, 2);
  host_start(&host, &plan, true);
  host_run(&host, 5);
  CrBytes before = host_save(&host);
  CHECK_INT(cr_recorder_size(host.recorder), before.size);
  CHECK_OK(cr_recorder_set_destination(host.recorder, host.ids[0], (CrVec3){1.0, 0.0, 1.0}, NULL));
  CrBytes after = host_save(&host);
  CHECK(same_bytes(&before, &after));
  host_step(&host);
  CrBytes next = host_save(&host);
  CHECK_INT(next.size, before.size + 12 + 33);
  CHECK_INT(cr_recorder_size(host.recorder), next.size);
  CHECK_INT(cr_recorder_step_count(host.recorder), 6);
  cr_bytes_free(&before);
  cr_bytes_free(&after);
  cr_bytes_free(&next);
  host_end(&host);
}

TEST(a_snapshot_is_the_setup_of_a_recording_begun_now) {
  Host host;
  HostPlan plan = plan_of(2, 3);
  host_start(&host, &plan, true);
  host_run(&host, 20);
  CrBytes snapshot = {0}, file = {0};
  REQUIRE_OK(cr_recorder_write_snapshot(host.recorder, NULL, &snapshot, NULL));
  CrRecorder *second;
  REQUIRE_OK(cr_recorder_create(host.crowd, plan.dt, NULL, &second, NULL));
  REQUIRE_OK(cr_recorder_save(second, NULL, &file, NULL));
  CHECK_INT(file.size, 12 + snapshot.size + 4);
  CHECK(memcmp(file.data + 12, snapshot.data, snapshot.size) == 0);
  cr_recorder_destroy(second);
  cr_bytes_free(&snapshot);
  cr_bytes_free(&file);
  host_end(&host);
}

// --- Refusals -------------------------------------------------------------------------------------------------------

TEST(bad_arguments_of_create) {
  static const double bad_dt[] = {0.0, -1.0, 3600.1, 1.0 / 0.0, 0.0 / 0.0};
  Host host;
  HostPlan plan = plan_of(0, 4);
  host_start(&host, &plan, false);
  CrRecorder *recorder = NULL;
  for (size_t i = 0; i < sizeof bad_dt / sizeof bad_dt[0]; i++) {
    CrError error = {0};
    CHECK_STATUS(cr_recorder_create(host.crowd, bad_dt[i], NULL, &recorder, &error), CR_STATUS_ARGUMENT);
    CHECK(error.field && strcmp(error.field, "dt") == 0);
  }
  CrQueryFilter filter = cr_query_filter_default();
  CrCrowdOptions options = cr_crowd_options_default();
  options.filter = &filter;
  CrCrowd *filtered;
  REQUIRE_OK(cr_crowd_create(host.mesh, &options, NULL, &filtered, NULL));
  CrError error = {0};
  CHECK_STATUS(cr_recorder_create(filtered, 0.1, NULL, &recorder, &error), CR_STATUS_ARGUMENT);
  CHECK(error.field && strcmp(error.field, "crowd") == 0);
  CHECK(recorder == NULL);
  cr_crowd_destroy(filtered);
  host_end(&host);
}

TEST(a_mesh_edit_stops_the_recording) {
  Host host;
  HostPlan plan = plan_of(1, 5);
  host_start(&host, &plan, true);
  host_run(&host, 10);
  CrBytes before = host_save(&host);
  CrBytes state = state_of(host.crowd);
  CHECK_OK(cr_navmesh_set_area(host.mesh, cr_navmesh_ref(host.mesh, 0, 0), 7, NULL));
  CrError error = {0};
  CHECK_STATUS(cr_recorder_step(host.recorder, &error), CR_STATUS_MESH_EDITED);
  CHECK(error.field && strcmp(error.field, "mesh") == 0);
  CHECK_INT(cr_recorder_step_count(host.recorder), 10);
  CHECK_INT(cr_crowd_step_count(host.crowd), 13);
  CrBytes after = host_save(&host);
  CHECK(same_bytes(&before, &after));
  CHECK_OK(cr_navmesh_set_area(host.mesh, cr_navmesh_ref(host.mesh, 0, 0), 0, NULL));
  CHECK_STATUS(cr_recorder_step(host.recorder, NULL), CR_STATUS_MESH_EDITED);  // changed back is changed twice
  cr_bytes_free(&before);
  cr_bytes_free(&after);
  cr_bytes_free(&state);
  host_end(&host);
}

// To an equal mesh, of the same edit count, too.
TEST(restoring_the_mesh_stops_the_recording) {
  Host host;
  HostPlan plan = plan_of(1, 5);
  host_start(&host, &plan, true);
  host_run(&host, 10);
  CrBytes mesh;
  REQUIRE_OK(cr_navmesh_save(host.mesh, NULL, &mesh, NULL));
  REQUIRE_OK(cr_navmesh_restore(host.mesh, mesh.data, mesh.size, NULL, 0, NULL));
  CHECK_STATUS(cr_recorder_step(host.recorder, NULL), CR_STATUS_MESH_EDITED);
  CHECK_INT(cr_recorder_step_count(host.recorder), 10);
  cr_bytes_free(&mesh);
  host_end(&host);
}

// An agent whose host sets its velocity cannot be recorded, in whatever way it came to be so; one that no longer is can.
TEST(a_set_velocity_is_refused_by_name) {
  Host host;
  HostPlan plan = plan_of(1, 5);
  host_start(&host, &plan, true);
  host_run(&host, 10);
  CrVec3 velocity = {1.0, 0.0, 0.5};
  REQUIRE(host.id_count >= 2);
  int64_t id = host.ids[1];
  CHECK_OK(cr_crowd_set_velocity(host.crowd, id, velocity, NULL));
  CrBytes before = host_save(&host), state = state_of(host.crowd);
  CrError error = {0};
  CHECK_STATUS(cr_recorder_step(host.recorder, &error), CR_STATUS_NOT_RECORDABLE);
  CHECK(error.field && strcmp(error.field, "velocity") == 0 && error.index == id);
  CHECK_INT(cr_recorder_step_count(host.recorder), 10);
  CrBytes after = host_save(&host);
  CHECK(same_bytes(&before, &after) && same_state(host.crowd, &state));
  CHECK_OK(cr_recorder_stop(host.recorder, id, NULL));
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  CHECK_OK(cr_crowd_set_velocity(host.crowd, id, velocity, NULL));
  CrBytes driven = state_of(host.crowd);
  CHECK_OK(cr_crowd_stop(host.crowd, id, NULL));
  CHECK_OK(cr_crowd_restore_state(host.crowd, driven.data, driven.size, NULL));
  CHECK_STATUS(cr_recorder_step(host.recorder, NULL), CR_STATUS_NOT_RECORDABLE);
  CHECK_OK(cr_recorder_remove(host.recorder, id, NULL));
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  CHECK_INT(cr_recorder_step_count(host.recorder), 12);
  cr_bytes_free(&before);
  cr_bytes_free(&after);
  cr_bytes_free(&state);
  cr_bytes_free(&driven);
  host_end(&host);
}

// A recording is of one crowd, and those of a world see each other.
TEST(a_crowd_in_a_world_is_refused_by_name) {
  Host host;
  HostPlan plan = plan_of(1, 5);
  host_start(&host, &plan, true);
  CrWorld *world;
  CrCrowd *crowd;
  REQUIRE_OK(cr_world_create(NULL, &world, NULL));
  REQUIRE_OK(cr_world_add_crowd(world, host.mesh, NULL, &crowd, NULL));
  CrRecorder *recorder = NULL;
  CrError error = {0};
  CHECK_STATUS(cr_recorder_create(crowd, host.dt, NULL, &recorder, &error), CR_STATUS_NOT_RECORDABLE);
  CHECK(!recorder && error.field && strcmp(error.field, "world") == 0);
  cr_world_destroy(world);
  host_end(&host);
}

// A recording may begin with one, and be played: the setup block holds its velocity.
TEST(a_recording_may_begin_with_a_set_velocity) {
  Host host;
  HostPlan plan = plan_of(1, 5);
  host_start(&host, &plan, false);
  REQUIRE(host.id_count >= 1);
  int64_t id = host.ids[0];
  CHECK_OK(cr_crowd_set_velocity(host.crowd, id, (CrVec3){0.5, 0.0, 0.5}, NULL));
  host_run(&host, 5);
  if (!cr_crowd_has_agent(host.crowd, id)) REQUIRE(false);
  CHECK_OK(cr_crowd_set_velocity(host.crowd, id, (CrVec3){0.5, 0.0, 0.5}, NULL));
  CrRecorder *recorder;
  REQUIRE_OK(cr_recorder_create(host.crowd, host.dt, NULL, &recorder, NULL));
  CHECK_STATUS(cr_recorder_step(recorder, NULL), CR_STATUS_NOT_RECORDABLE);
  CHECK_OK(cr_recorder_set_destination(recorder, id, (CrVec3){1.0, 0.0, 1.0}, NULL));
  for (int k = 0; k < 60; k++) CHECK_OK(cr_recorder_step(recorder, NULL));
  CrBytes file;
  REQUIRE_OK(cr_recorder_save(recorder, NULL, &file, NULL));
  CrReplay *replay;
  REQUIRE_OK(cr_replay_read(file.data, file.size, NULL, &replay, NULL));
  int32_t mismatch = 0;
  CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
  CHECK_INT(mismatch, -1);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
  cr_recorder_destroy(recorder);
  host_end(&host);
}

TEST(a_step_holds_sixteen_mebibytes_of_operations) {
  Host host;
  HostPlan plan = plan_of(0, 6);
  plan.first_agents = 1;
  host_start(&host, &plan, true);
  int64_t id = host.id_count ? host.ids[0] : -1;
  CrAgentOptions options = cr_agent_options_small();
  if (id < 0) REQUIRE_OK(cr_recorder_add(host.recorder, (CrVec3){1.0, 0.0, 1.0}, &options, &id, NULL));
  int64_t count = 0;
  CrError error = {0};
  CrStatus status;
  while ((status = cr_recorder_stop(host.recorder, id, &error)) == CR_STATUS_OK) count++;
  CHECK_STATUS(status, CR_STATUS_LIMIT);
  CHECK(error.field && strcmp(error.field, "operations") == 0 && error.limit == CR_MAX_STEP_OPERATIONS);
  printf("%" PRId64 " operations of 9 bytes in one step\n", count);
  CHECK(count * 9 <= CR_MAX_STEP_OPERATIONS && (count + 1) * 9 + 99 > CR_MAX_STEP_OPERATIONS);
  int32_t agents = cr_crowd_agent_count(host.crowd);
  CHECK_STATUS(cr_recorder_add(host.recorder, (CrVec3){1.0, 0.0, 1.0}, &options, NULL, NULL), CR_STATUS_LIMIT);
  CHECK_INT(cr_crowd_agent_count(host.crowd), agents);  // refused before the crowd was touched
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  CHECK_OK(cr_recorder_stop(host.recorder, id, NULL));
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  CrBytes file = host_save(&host);
  CrReplay *replay = open_replay(&file);
  int32_t mismatch = 0;
  CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
  CHECK_INT(mismatch, -1);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
  host_end(&host);
}

TEST(a_recording_holds_two_to_the_26_steps) {
  Host host;
  HostPlan plan = plan_of(0, 7);
  host_start(&host, &plan, true);
  host.recorder->step_count = CR_MAX_REPLAY_STEPS - 1;  // as if so many had been recorded
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  int64_t steps = cr_crowd_step_count(host.crowd);
  CrError error = {0};
  CHECK_STATUS(cr_recorder_step(host.recorder, &error), CR_STATUS_LIMIT);
  CHECK(error.field && strcmp(error.field, "stepCount") == 0 && error.limit == CR_MAX_REPLAY_STEPS);
  CHECK_INT(cr_crowd_step_count(host.crowd), steps);
  host_end(&host);
}

TEST(no_options_are_those_of_a_humanoid) {
  Host host;
  HostPlan plan = plan_of(0, 7);
  plan.first_agents = 0;
  host_start(&host, &plan, true);
  int64_t id;
  CHECK_OK(cr_recorder_add(host.recorder, (CrVec3){1.0, 0.0, 1.0}, NULL, &id, NULL));
  CHECK_OK(cr_recorder_step(host.recorder, NULL));
  CrBytes file = host_save(&host);
  CrOperation found[1];
  CHECK_INT(decode_step(&file, found, 1), 1);
  CrAgentOptions humanoid = cr_agent_options_humanoid();
  CHECK(found[0].options.radius == humanoid.radius && found[0].options.max_speed == humanoid.max_speed);
  cr_bytes_free(&file);
  host_end(&host);
}

// --- Memory ---------------------------------------------------------------------------------------------------------

// The k-th allocation of a run fails, wherever it falls: the call that met it is refused and changed neither crowd nor
// record, and the same call succeeds the next time.
static int64_t run_with_failure(int64_t fail_at, CrBytes *out_file) {
  HostPlan plan = plan_of(0, 8);
  plan.first_agents = plan.warm_steps = 0;
  Host host;
  TestMemory memory = {0};
  CrAllocator hooks = test_allocator(&memory);
  plan.allocator = &hooks;
  host_start(&host, &plan, false);
  memory.total_allocations = 0;
  memory.fail_at = fail_at;
  CrStatus status = cr_recorder_create(host.crowd, plan.dt, &hooks, &host.recorder, NULL);
  int64_t failures = status != CR_STATUS_OK;
  if (status != CR_STATUS_OK) REQUIRE_OK(cr_recorder_create(host.crowd, plan.dt, &hooks, &host.recorder, NULL));
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t i = 0; i < 40; i++) {
    CrVec3 place = {0.5 + 0.05 * i, 0.0, 1.0};
    CrBytes before = state_of(host.crowd);
    size_t size = cr_recorder_size(host.recorder);
    int64_t id;
    status = i < 8 ? cr_recorder_add(host.recorder, place, &options, &id, NULL)
                   : cr_recorder_set_destination(host.recorder, i % 8, place, NULL);
    if (status == CR_STATUS_OUT_OF_MEMORY) {
      failures++;
      CHECK(same_state(host.crowd, &before));
      status = i < 8 ? cr_recorder_add(host.recorder, place, &options, &id, NULL)
                     : cr_recorder_set_destination(host.recorder, i % 8, place, NULL);
    }
    CHECK_OK(status);
    CHECK_INT(cr_recorder_size(host.recorder), size);
    cr_bytes_free(&before);
    status = cr_recorder_step(host.recorder, NULL);
    if (status != CR_STATUS_OK) {
      CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
      CHECK_INT(cr_recorder_step_count(host.recorder), i);
      CHECK_INT(cr_crowd_step_count(host.crowd), i);
      CHECK_OK(cr_recorder_step(host.recorder, NULL));
      failures++;
    }
  }
  CHECK(failures <= 1);
  *out_file = host_save(&host);
  host_end(&host);
  CHECK_INT(memory.live_blocks, 0);
  return memory.total_allocations < fail_at ? -1 : failures;
}

TEST(any_allocation_may_fail_and_the_recording_is_the_same) {
  CrBytes expected;
  run_with_failure(0, &expected);
  int64_t k = 1, failures = 0;
  for (;; k++) {
    CrBytes file;
    int64_t failed = run_with_failure(k, &file);
    CHECK(same_bytes(&file, &expected));
    cr_bytes_free(&file);
    if (failed < 0) break;
    failures += failed;
  }
  printf("%" PRId64 " allocations in a run, %" PRId64 " failures seen\n", k - 1, failures);
  CHECK_INT(failures, k - 1);
  cr_bytes_free(&expected);
}

TEST(growth_is_amortised) {
  TestMemory memory = {0};
  CrAllocator hooks = test_allocator(&memory);
  Host host;
  HostPlan plan = plan_of(0, 9);
  host_start(&host, &plan, false);
  REQUIRE_OK(cr_recorder_create(host.crowd, plan.dt, &hooks, &host.recorder, NULL));
  int64_t before = memory.total_allocations;
  for (int32_t i = 0; i < 20000; i++) host_step(&host);
  printf("20000 steps without operations: %" PRId64 " allocations, %" PRId64 " bytes live\n",
         memory.total_allocations - before, memory.live_bytes);
  CHECK(memory.total_allocations - before < 20);
  CHECK(memory.live_bytes < 2 * 12 * 20000 + 100000);
  host_end(&host);
  CHECK_INT(memory.live_blocks, 0);
}

TEST_MAIN(RUN(a_recorded_crowd_runs_as_an_unrecorded_one), RUN(recording_twice_gives_identical_bytes),
          RUN(the_number_of_threads_is_not_in_a_recording), RUN(recording_a_replay_again_gives_its_bytes),
          RUN(what_the_crowd_did_is_recorded_and_nothing_else), RUN(saving_leaves_operations_after_the_last_step_out),
          RUN(a_snapshot_is_the_setup_of_a_recording_begun_now), RUN(bad_arguments_of_create),
          RUN(a_mesh_edit_stops_the_recording), RUN(restoring_the_mesh_stops_the_recording),
          RUN(a_set_velocity_is_refused_by_name), RUN(a_crowd_in_a_world_is_refused_by_name),
          RUN(a_recording_may_begin_with_a_set_velocity), RUN(a_step_holds_sixteen_mebibytes_of_operations),
          RUN(a_recording_holds_two_to_the_26_steps), RUN(no_options_are_those_of_a_humanoid),
          RUN(any_allocation_may_fail_and_the_recording_is_the_same), RUN(growth_is_amortised))
