// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "replay_internal.h"
#include "worlds.h"

static HostPlan plan_of(int32_t world, uint64_t seed, int32_t warm_steps) {
  return (HostPlan){
      .world = world, .seed = seed, .max_agents = 12, .first_agents = 6, .warm_steps = warm_steps, .dt = 1.0 / 30.0};
}

static CrPlayer *make_player(const CrReplay *replay, size_t budget, int32_t spacing, const CrAllocator *allocator) {
  CrPlayerOptions options = {budget, spacing};
  CrPlayer *player = NULL;
  REQUIRE_OK(cr_player_create(replay, &options, allocator, &player, NULL));
  return player;
}

// A recording and, beside it, the states the recorded crowd itself went through.
static CrBytes record_traced(const HostPlan *plan, int32_t steps, Trace *trace) {
  Host host;
  host_start(&host, plan, true);
  trace_push(trace, host.crowd);
  for (int32_t i = 0; i < steps; i++) {
    host_run(&host, 1);
    trace_push(trace, host.crowd);
  }
  CrBytes file = host_save(&host);
  host_end(&host);
  return file;
}

// --- Exact playback -------------------------------------------------------------------------------------------------

TEST(playing_gives_the_recorded_states_bit_for_bit) {
  int32_t steps = 0;
  for (int32_t i = 0; i < 4 * HOST_WORLDS; i++) {
    Trace trace = {0};
    HostPlan plan = plan_of(i % HOST_WORLDS, 500 + (uint64_t)i, i / HOST_WORLDS * 9);
    CrBytes file = record_traced(&plan, 90, &trace);
    CrReplay *replay = open_replay(&file);
    CrPlayer *player = make_player(replay, 0, 1, NULL);
    for (int32_t at = 0; at < trace.count; at++) {
      CHECK_INT(cr_player_position(player), at);
      CHECK(same_state(cr_player_crowd(player), &trace.states[at]));
      if (at + 1 < trace.count) CHECK_OK(cr_player_step(player, NULL));
    }
    CHECK_INT(cr_player_first_mismatch(player), -1);
    CHECK_INT(cr_player_checked_steps(player), 90);
    CHECK_INT(cr_crowd_step_count(cr_player_crowd(player)), plan.warm_steps + 90);
    CrError error = {0};
    CHECK_STATUS(cr_player_step(player, &error), CR_STATUS_NOT_FOUND);
    int32_t mismatch = 0;
    CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
    CHECK_INT(mismatch, -1);
    steps += 90;
    cr_player_destroy(player);
    cr_replay_destroy(replay);
    cr_bytes_free(&file);
    trace_free(&trace);
  }
  printf("%d steps compared\n", steps);
}

// Edits before recording begins are in the setup's mesh; caches and corridors that they made stale are in its state.
TEST(a_run_on_an_edited_mesh) {
  for (uint64_t seed = 1; seed <= 6; seed++) {
    Host host;
    HostPlan plan = plan_of(2, 600 + seed, 10);
    host_start(&host, &plan, false);
    for (int32_t i = 0; i < 5; i++) {
      CrPolyRef ref = CR_INVALID_REF;
      world_random_point(host.mesh, &host.random, &ref);
      CHECK_OK(cr_navmesh_set_flags(host.mesh, ref, 0, NULL));
      if (i < 3) host_run(&host, 2);
    }
    CHECK_OK(cr_navmesh_remove_tile(host.mesh, 0, 0, 0, NULL));
    REQUIRE_OK(cr_recorder_create(host.crowd, plan.dt, NULL, &host.recorder, NULL));
    Trace trace = {0};
    trace_push(&trace, host.crowd);
    for (int32_t i = 0; i < 60; i++) {
      host_run(&host, 1);
      trace_push(&trace, host.crowd);
    }
    CrBytes file = host_save(&host);
    CrReplay *replay = open_replay(&file);
    Trace played = trace_replay(replay);
    CHECK_INT(played.count, trace.count);
    for (int32_t i = 0; i < played.count; i++) CHECK(same_bytes(&played.states[i], &trace.states[i]));
    cr_replay_destroy(replay);
    cr_bytes_free(&file);
    trace_free(&played);
    trace_free(&trace);
    host_end(&host);
  }
}

// --- Seeking --------------------------------------------------------------------------------------------------------

static void check_keyframes(const CrPlayer *player, size_t budget) {
  int32_t positions[512];
  int32_t count = cr_player_keyframes(player, positions, 512);
  CHECK_INT(count, cr_player_keyframe_count(player));
  CHECK(count >= 1 && positions[0] == 0);
  CHECK(cr_player_keyframe_bytes(player) <= budget);
  for (int32_t i = 1; i < count; i++) {
    CHECK(positions[i] > positions[i - 1]);
    CHECK_INT(positions[i] % player->keyframes.spacing, 0);
    CHECK(positions[i] <= cr_player_checked_steps(player));
  }
}

static void seek_at_random(const CrReplay *replay, const Trace *trace, size_t budget, int32_t spacing, int32_t seeks,
                           uint64_t *seed) {
  CrPlayer *player = make_player(replay, budget, spacing, NULL);
  for (int32_t i = 0; i < seeks; i++) {
    int32_t target = rnd_int(seed, trace->count);
    if (rnd_int(seed, 3) == 0 && cr_player_position(player) > 0) target = cr_player_position(player) - 1;
    CHECK_OK(cr_player_seek(player, target, NULL));
    CHECK_INT(cr_player_position(player), target);
    CHECK(same_state(cr_player_crowd(player), &trace->states[target]));
    check_keyframes(player, budget);
  }
  CHECK_INT(cr_player_first_mismatch(player), -1);
  printf("budget %zu, first spacing %d: %d seeks, %d keyframes of %zu bytes in all\n", budget, spacing, seeks,
         cr_player_keyframe_count(player), cr_player_keyframe_bytes(player));
  cr_player_destroy(player);
}

TEST(seeks_in_any_order_equal_linear_play) {
  uint64_t seed = check_seed = 77;
  Trace trace = {0};
  HostPlan plan = plan_of(2, 71, 11);
  CrBytes file = record_traced(&plan, 240, &trace);
  CrReplay *replay = open_replay(&file);
  size_t state = trace.states[200].size;
  const size_t budgets[] = {0, state / 2, state + 100, 3 * state, 9 * state, (size_t)64 << 20};
  static const int32_t spacings[] = {1, 7, 60};
  int32_t seeks = 60 * check_scale();
  for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
    for (size_t k = 0; k < 3; k++) seek_at_random(replay, &trace, budgets[i], spacings[k], seeks, &seed);
  }
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
  trace_free(&trace);
}

TEST(slices_arrive_wherever_they_are_cut) {
  uint64_t seed = check_seed = 78;
  Trace trace = {0};
  HostPlan plan = plan_of(1, 72, 0);
  CrBytes file = record_traced(&plan, 150, &trace);
  CrReplay *replay = open_replay(&file);
  CrPlayer *player = make_player(replay, 4 * trace.states[100].size, 8, NULL);
  int32_t slices = 0;
  for (int32_t i = 0; i < 200; i++) {
    int32_t target = rnd_int(&seed, 151), calls = 0;
    bool done = false, given_up = rnd_int(&seed, 4) == 0;
    while (!done && !(given_up && calls > 3)) {
      int32_t before = cr_player_position(player), limit = 1 + rnd_int(&seed, 9);
      CHECK_OK(cr_player_seek_slice(player, target, limit, &done, NULL));
      int32_t now = cr_player_position(player);
      CHECK(now <= target && done == (now == target));
      if (calls > 0) CHECK(now > before && now <= before + limit);  // only a first call may have to go back
      CHECK(same_state(cr_player_crowd(player), &trace.states[now]));
      calls++;
      REQUIRE(calls <= 151);
    }
    slices += calls;
  }
  printf("200 seeks in %d slices\n", slices);
  cr_player_destroy(player);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
  trace_free(&trace);
}

TEST(bad_arguments_change_nothing) {
  HostPlan plan = plan_of(0, 5, 0);
  CrBytes file = record_run(&plan, 10);
  CrReplay *replay = open_replay(&file);
  CrPlayerOptions options = {0, 0};
  CrPlayer *player = NULL;
  CrError error = {0};
  CHECK_STATUS(cr_player_create(replay, &options, NULL, &player, &error), CR_STATUS_ARGUMENT);
  CHECK(player == NULL && error.field && strcmp(error.field, "options.keyframe_spacing") == 0);
  REQUIRE_OK(cr_player_create(replay, NULL, NULL, &player, NULL));
  CHECK_OK(cr_player_seek(player, 4, NULL));
  bool done;
  CHECK_STATUS(cr_player_seek(player, -1, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "position") == 0);
  CHECK_STATUS(cr_player_seek(player, 11, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_player_seek_slice(player, 5, 0, &done, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "max_steps") == 0);
  CHECK_INT(cr_player_position(player), 4);
  cr_player_destroy(player);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
}

// --- Divergence -----------------------------------------------------------------------------------------------------

static void spoil_hash(CrBytes *file, const CrReplay *replay, int32_t step) {
  const uint8_t *operations;
  size_t size;
  uint64_t hash;
  REQUIRE_OK(cr_replay_step(replay, step, &operations, &size, &hash));
  file->data[(size_t)(operations - replay->data) + size] ^= 1;
}

TEST(a_wrong_hash_is_found_and_playback_goes_on) {
  uint64_t seed = check_seed = 79;
  for (int32_t round = 0; round < 12; round++) {
    Trace trace = {0};
    HostPlan plan = plan_of(round % 4, 90 + (uint64_t)round, 0);
    CrBytes file = record_traced(&plan, 60, &trace);
    CrReplay *original = open_replay(&file);
    bool spoiled[60] = {false};
    int32_t first = 60;
    for (int32_t i = 0; i < 1 + round % 3; i++) {
      int32_t step = rnd_int(&seed, 60);
      if (spoiled[step]) continue;
      spoiled[step] = true;
      spoil_hash(&file, original, step);
      if (step < first) first = step;
    }
    CrReplay *replay = open_replay(&file);
    int32_t mismatch = -1;
    CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
    CHECK_INT(mismatch, first);
    CrPlayer *player = make_player(replay, 3 * trace.states[30].size, 5, NULL);
    CHECK_INT(cr_player_first_mismatch(player), -1);
    for (int32_t i = 0; i < 40; i++) {
      int32_t target = rnd_int(&seed, 61);
      CHECK_OK(cr_player_seek(player, target, NULL));
      CHECK(same_state(cr_player_crowd(player), &trace.states[target]));
      bool seen = cr_player_checked_steps(player) > mismatch;
      CHECK_INT(cr_player_first_mismatch(player), seen ? mismatch : -1);
    }
    CHECK_OK(cr_player_seek(player, 60, NULL));
    CHECK_INT(cr_player_checked_steps(player), 60);
    CHECK_INT(cr_player_first_mismatch(player), mismatch);
    cr_player_destroy(player);
    cr_replay_destroy(replay);
    cr_replay_destroy(original);
    cr_bytes_free(&file);
    trace_free(&trace);
  }
}

// The n-th operation of a kind, its offset in the file and its step; false when there are fewer.
static bool find_operation(const CrReplay *replay, CrOpKind kind, int32_t n, CrOperation *out, size_t *out_offset,
                           int32_t *out_step) {
  for (int32_t i = 0; i < replay->info.step_count; i++) {
    const uint8_t *operations;
    size_t size, offset = 0;
    uint64_t hash;
    REQUIRE_OK(cr_replay_step(replay, i, &operations, &size, &hash));
    while (cr_op_decode(operations, size, offset, out, NULL) == CR_STATUS_OK) {
      if (out->kind == kind && n-- == 0) {
        *out_offset = (size_t)(operations - replay->data) + offset;
        *out_step = i;
        return true;
      }
      offset += out->size;
    }
  }
  return false;
}

// Whether a later operation of the step that `operation` belongs to is about the same agent.
static bool is_followed_up(const CrReplay *replay, int32_t step, const CrOperation *operation) {
  const uint8_t *operations;
  size_t size, offset = operation->offset + operation->size;
  uint64_t hash;
  REQUIRE_OK(cr_replay_step(replay, step, &operations, &size, &hash));
  CrOperation next;
  while (cr_op_decode(operations, size, offset, &next, NULL) == CR_STATUS_OK) {
    if (next.kind != CR_OP_ADD && next.agent_id == operation->agent_id) return true;
    offset += next.size;
  }
  return false;
}

TEST(a_changed_destination_diverges_at_its_step) {
  HostPlan plan = plan_of(2, 123, 0);
  CrBytes file = record_run(&plan, 120);
  CrReplay *original = open_replay(&file);
  size_t at;
  int32_t step, changed = 0;
  CrOperation operation;
  for (int32_t n = 0; find_operation(original, CR_OP_SET_DESTINATION, n, &operation, &at, &step); n++) {
    if (is_followed_up(original, step, &operation)) continue;
    file.data[at + 9] ^= 1;  // one unit in the last place of x
    CrReplay *replay = open_replay(&file);
    CrPlayer *player = make_player(replay, 0, 1, NULL);
    CrStatus status = CR_STATUS_OK;
    while (status == CR_STATUS_OK) status = cr_player_step(player, NULL);
    CHECK_INT(cr_player_first_mismatch(player), step);
    CHECK_INT(cr_player_position(player), 120);
    cr_player_destroy(player);
    cr_replay_destroy(replay);
    file.data[at + 9] ^= 1;
    changed++;
  }
  printf("%d destinations changed by one bit\n", changed);
  CHECK(changed > 20);
  cr_replay_destroy(original);
  cr_bytes_free(&file);
}

TEST(an_agent_that_is_not_there_stops_the_player_before_the_step) {
  static const CrOpKind kinds[] = {CR_OP_REMOVE, CR_OP_SET_DESTINATION, CR_OP_STOP, CR_OP_TELEPORT};
  Trace trace = {0};
  HostPlan plan = plan_of(1, 124, 4);
  CrBytes file = record_traced(&plan, 120, &trace);
  CrReplay *original = open_replay(&file);
  for (size_t k = 0; k < 4; k++) {
    size_t at;
    int32_t step;
    CrOperation operation;
    REQUIRE(find_operation(original, kinds[k], 1, &operation, &at, &step));
    file.data[at + 8] ^= 0x40;  // an id nobody has
    CrReplay *replay = open_replay(&file);
    CrPlayer *player = make_player(replay, 2 * trace.states[60].size, 8, NULL);
    CrError error = {0};
    for (int32_t i = 0; i < 3; i++) {
      CHECK_STATUS(cr_player_seek(player, 120, &error), CR_STATUS_NO_SUCH_AGENT);
      CHECK_INT(cr_player_position(player), step);
      CHECK(same_state(cr_player_crowd(player), &trace.states[step]));
      CHECK_STATUS(cr_player_step(player, &error), CR_STATUS_NO_SUCH_AGENT);
      CHECK_INT(cr_player_position(player), step);
      CHECK(same_state(cr_player_crowd(player), &trace.states[step]));
      CHECK(error.format == CR_FORMAT_REPLAY && strcmp(error.field, "operation.agentId") == 0);
      CHECK_INT(error.offset, at + 1);
      CHECK_OK(cr_player_seek(player, step / 2, NULL));
      CHECK(same_state(cr_player_crowd(player), &trace.states[step / 2]));
    }
    CHECK_INT(cr_player_first_mismatch(player), -1);
    int32_t mismatch = 5;
    CHECK_STATUS(cr_replay_find_mismatch(replay, NULL, &mismatch, &error), CR_STATUS_NO_SUCH_AGENT);
    CHECK_INT(mismatch, 5);
    cr_player_destroy(player);
    cr_replay_destroy(replay);
    file.data[at + 8] ^= 0x40;
  }
  cr_replay_destroy(original);
  cr_bytes_free(&file);
  trace_free(&trace);
}

TEST(a_teleport_to_nowhere_is_played_past) {
  HostPlan plan = plan_of(1, 125, 0);
  CrBytes file = record_run(&plan, 100);
  CrReplay *original = open_replay(&file);
  size_t at;
  int32_t step;
  CrOperation operation;
  REQUIRE(find_operation(original, CR_OP_TELEPORT, 0, &operation, &at, &step));
  CrWriter writer = cr__writer_to(file.data + at + 9, 8);
  cr__write_f64(&writer, 100000.0);
  CrReplay *replay = open_replay(&file);
  CrPlayer *player = make_player(replay, 0, 1, NULL);
  CHECK_OK(cr_player_seek(player, 100, NULL));
  CHECK_INT(cr_player_first_mismatch(player), step);
  cr_player_destroy(player);
  cr_replay_destroy(replay);
  cr_replay_destroy(original);
  cr_bytes_free(&file);
}

// --- Memory ---------------------------------------------------------------------------------------------------------

TEST(running_out_of_memory_never_spoils_the_player) {
  uint64_t seed = check_seed = 81;
  Trace trace = {0};
  HostPlan plan = plan_of(0, 126, 0);
  plan.max_agents = 6;
  CrBytes file = record_traced(&plan, 60, &trace);
  CrReplay *replay = open_replay(&file);
  int64_t failures = 0, calls = 0;
  for (int32_t round = 0; round < 60; round++) {
    TestMemory memory = {0};
    CrAllocator hooks = test_allocator(&memory);
    CrPlayer *player = make_player(replay, 6 * trace.states[30].size, 4, &hooks);
    for (int32_t i = 0; i < 60; i++) {
      memory.fail_at = memory.total_allocations + 1 + rnd_int(&seed, 12);
      int32_t target = rnd_int(&seed, 61);
      CrStatus status = rnd_int(&seed, 4) ? cr_player_seek(player, target, NULL) : cr_player_step(player, NULL);
      CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY || status == CR_STATUS_NOT_FOUND);
      failures += status == CR_STATUS_OUT_OF_MEMORY;
      calls++;
      if (!player->torn) CHECK(same_state(cr_player_crowd(player), &trace.states[cr_player_position(player)]));
      check_keyframes(player, 6 * trace.states[30].size);
      if (status == CR_STATUS_OK || rnd_int(&seed, 2)) continue;
      memory.fail_at = 0;
      CHECK_OK(cr_player_seek(player, target, NULL));
      CHECK(same_state(cr_player_crowd(player), &trace.states[target]));
    }
    CHECK_INT(cr_player_first_mismatch(player), -1);
    cr_player_destroy(player);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  printf("%" PRId64 " of %" PRId64 " calls ran out of memory\n", failures, calls);
  CHECK(failures > 0);
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
  trace_free(&trace);
}

TEST(creating_may_fail_at_any_allocation) {
  HostPlan plan = plan_of(0, 127, 3);
  CrBytes file = record_run(&plan, 5);
  CrReplay *replay = open_replay(&file);
  int64_t failures = 0;
  for (CrStatus status = CR_STATUS_OUT_OF_MEMORY; status != CR_STATUS_OK; failures++) {
    TestMemory memory = {.fail_at = failures + 1};
    CrAllocator hooks = test_allocator(&memory);
    CrPlayer *player = NULL;
    status = cr_player_create(replay, NULL, &hooks, &player, NULL);
    if (status != CR_STATUS_OK) CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
    cr_player_destroy(player);
    CHECK_INT(memory.live_blocks, 0);
  }
  cr_replay_destroy(replay);
  cr_bytes_free(&file);
}

TEST_MAIN(RUN(playing_gives_the_recorded_states_bit_for_bit), RUN(a_run_on_an_edited_mesh),
          RUN(seeks_in_any_order_equal_linear_play), RUN(slices_arrive_wherever_they_are_cut),
          RUN(bad_arguments_change_nothing), RUN(a_wrong_hash_is_found_and_playback_goes_on),
          RUN(a_changed_destination_diverges_at_its_step),
          RUN(an_agent_that_is_not_there_stops_the_player_before_the_step), RUN(a_teleport_to_nowhere_is_played_past),
          RUN(running_out_of_memory_never_spoils_the_player), RUN(creating_may_fail_at_any_allocation))
