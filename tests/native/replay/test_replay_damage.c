// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A small replay, damaged everywhere: each outcome is an error that names field and offset, a divergence with its step,
// or (only in the fields marked below) a run whose state after every step is byte-identical to the undamaged one.
#include "replays.h"

#include "crowd_internal.h"
#include "replay_internal.h"

#define STEPS 12

// --- Where a byte lies ----------------------------------------------------------------------------------------------

// `may_be_silent`: some values of this field lead to the same run, so a change to it can be neither an error nor a
// divergence.
typedef struct Region {
  const char *name;
  size_t start, end;
  bool may_be_silent;
} Region;

typedef struct RegionMap {
  Region regions[1024];
  int32_t count;
} RegionMap;

static size_t map_end(const RegionMap *map) { return map->count ? map->regions[map->count - 1].end : 0; }

static void push(RegionMap *map, const char *name, size_t size, bool may_be_silent) {
  REQUIRE(map->count < 1024);
  size_t start = map_end(map);
  map->regions[map->count++] = (Region){name, start, start + size, may_be_silent};
}

// What the first step sets anew (velocity, remaining distance), takes from the surface (heights) or repairs from the
// mesh (a corridor that does not hold together, walls that are looked up again) may be silent.
static void push_follower(RegionMap *map, CrReader *reader) {
  push(map, "follower.counters", 1 + 1 + 1 + 8 + 4 + 4 + 8, true);
  push(map, "follower.stuckAnchor", 24, false);
  push(map, "follower.position", 24, true);
  push(map, "follower.velocity", 24, true);
  push(map, "follower.destination", 24, false);
  push(map, "follower.offMesh", 24 + 24 + 8 + 8 + 8, false);
  push(map, "follower.remainingDistance", 8, true);
  push(map, "corridor.header", 1 + 1 + 4 + 4, true);
  push(map, "corridor.position", 24, true);
  push(map, "corridor.target", 24, false);
  push(map, "corridor.targetRef", 8, true);
  cr__read_span(reader, 203 + 6, "");
  push(map, "corridor.path", 8 * (size_t)cr__read_i32(reader, ""), true);
  cr__read_span(reader, 48 + 8 + map->regions[map->count - 1].end - map->regions[map->count - 1].start, "");
}

// Step flags and wanted velocity are for looking at: every step sets them before use.
static void push_agent(RegionMap *map, CrReader *reader) {
  push(map, "agent.id", 8, false);
  cr__read_i64(reader, "");
  size_t before = reader->offset;
  CrAgentOptions options;
  cr__agent_options_read(&options, reader);
  push(map, "agent.options", reader->offset - before, false);
  push(map, "agent.priority", 8, false);
  push(map, "agent.stepFlags", 1, true);
  push(map, "agent.wantedVelocity", 16, true);
  push(map, "agent.followerLength", 4, false);
  cr__read_span(reader, 8 + 1 + 16 + 4, "");
  push_follower(map, reader);
  push(map, "walls.current", 1, false);
  if (!cr__read_u8(reader, "")) return;
  cr__read_point(reader, "");
  int32_t count = cr__read_i32(reader, "");
  push(map, "walls.center", 24, true);
  push(map, "walls.count", 4, false);
  push(map, "walls.pieces", 10 * (size_t)count, true);
  cr__read_span(reader, 10 * (size_t)count, "");
}

static void push_state(RegionMap *map, const CrSetup *setup) {
  CrReader reader = cr__reader(setup->state, setup->state_size, 0, CR_FORMAT_REPLAY, NULL);
  size_t end = map_end(map) + setup->state_size;
  push(map, "state header", 36, false);
  cr__read_span(&reader, 36, "");
  while (cr__read_ok(&reader) && cr__read_left(&reader)) {
    push(map, "slot.active", 1, false);
    if (cr__read_u8(&reader, "")) push_agent(map, &reader);
  }
  REQUIRE(cr__read_ok(&reader) && map_end(map) == end);
}

static void push_setup(RegionMap *map, const CrSetup *setup) {
  push(map, "file header", 8, false);
  push(map, "setupLength", 4, false);
  push(map, "setup header", 8, false);
  push(map, "setup.dt", 8, false);
  push(map, "setup.startStep", 8, false);
  // Bounds and budgets the run may never come near.
  push(map, "setup.options.maxAgents", 4, true);
  push(map, "setup.options.queryNodes", 4, true);
  push(map, "setup.options.queryNodeModel", 1, true);
  push(map, "setup.options.maxWallsPerAgent", 4, true);
  push(map, "setup.options.wallRefreshDistance", 8, true);
  push(map, "setup.options.maxWallsAvoided", 4, true);
  push(map, "setup.meshLength", 4, false);
  push(map, "mesh", setup->mesh_size, false);
  push(map, "setup.stateLength", 4, false);
  push_state(map, setup);
}

// An operation without effect (an Add that failed, the Stop of a standing agent, what a later operation of the step
// undoes) may be another without effect. A place's height is that of the surface the agent is put on.
static void push_operation(RegionMap *map, const CrOperation *operation, bool idle) {
  push(map, idle ? "idle operation.kind" : "operation.kind", 1, false);
  if (operation->kind != CR_OP_ADD) push(map, idle ? "idle operation.agentId" : "operation.agentId", 8, idle);
  bool placed = operation->kind == CR_OP_ADD || operation->kind == CR_OP_TELEPORT;
  if (placed || operation->kind == CR_OP_SET_DESTINATION) {
    push(map, idle ? "idle operation.position.x" : "operation.position.x", 8, idle);
    push(map,
         idle     ? "idle operation.position.y"
         : placed ? "placing operation.position.y"
                  : "SetDestination.position.y",
         8, idle || placed);
    push(map, idle ? "idle operation.position.z" : "operation.position.z", 8, idle);
  }
  if (operation->kind == CR_OP_ADD)
    push(map, idle ? "idle operation.options" : "operation.options", operation->size - 25, idle);
}

// Applies a step's operations but the one at offset `left_out`.
static void apply_all_but(CrCrowd *crowd, const uint8_t *operations, size_t size, size_t left_out) {
  CrOperation operation;
  size_t offset = 0;
  while (cr_op_decode(operations, size, offset, &operation, NULL) == CR_STATUS_OK) {
    int64_t id;
    if (offset != left_out) cr__op_apply(&operation, crowd, &id, NULL);
    offset += operation.size;
  }
}

static void push_step(RegionMap *map, CrCrowd *crowd, const CrReplay *replay, int32_t index) {
  const uint8_t *operations;
  size_t size, offset = 0;
  uint64_t hash;
  REQUIRE_OK(cr_replay_step(replay, index, &operations, &size, &hash));
  CrBytes before = state_of(crowd);
  apply_all_but(crowd, operations, size, SIZE_MAX);
  CrBytes after = state_of(crowd);
  push(map, "operationsLength", 4, false);
  CrOperation operation;
  while (cr_op_decode(operations, size, offset, &operation, NULL) == CR_STATUS_OK) {
    REQUIRE_OK(cr_crowd_restore_state(crowd, before.data, before.size, NULL));
    apply_all_but(crowd, operations, size, offset);
    push_operation(map, &operation, same_state(crowd, &after));
    offset += operation.size;
  }
  push(map, "hash", 8, false);
  REQUIRE_OK(cr_crowd_restore_state(crowd, after.data, after.size, NULL));
  REQUIRE_OK(cr_crowd_step(crowd, replay->setup.dt, NULL));
  cr_bytes_free(&before);
  cr_bytes_free(&after);
}

static RegionMap map_regions(const CrReplay *replay) {
  RegionMap map = {.count = 0};
  push_setup(&map, &replay->setup);
  push(&map, "stepCount", 4, false);
  CrNavMesh *mesh;
  CrCrowd *crowd;
  REQUIRE_OK(cr__setup_restore(&replay->setup, NULL, &mesh, &crowd, NULL));
  for (int32_t i = 0; i < replay->info.step_count; i++) push_step(&map, crowd, replay, i);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  REQUIRE(map_end(&map) == replay->size);
  return map;
}

static const Region *region_at(const RegionMap *map, size_t offset) {
  for (int32_t i = 0; i < map->count; i++) {
    if (offset < map->regions[i].end) return &map->regions[i];
  }
  REQUIRE(!"offset within the file");
  return NULL;
}

// --- Outcomes -------------------------------------------------------------------------------------------------------

typedef enum Outcome { REFUSED, STOPPED, DIVERGED, SILENT, OUTCOME_COUNT } Outcome;

typedef struct Tally {
  const char *names[64];
  int64_t counts[64][OUTCOME_COUNT];
  int32_t count;
} Tally;

static void count_outcome(Tally *tally, const char *name, Outcome outcome) {
  int32_t i = 0;
  while (i < tally->count && strcmp(tally->names[i], name) != 0) i++;
  REQUIRE(i < 64);
  tally->names[i] = name;
  if (i == tally->count) tally->count++;
  tally->counts[i][outcome]++;
}

static void print_tally(const Tally *tally) {
  int64_t totals[OUTCOME_COUNT] = {0};
  printf("  %-36s %9s %9s %9s %9s\n", "field", "refused", "stopped", "diverged", "silent");
  for (int32_t i = 0; i < tally->count; i++) {
    printf("  %-36s", tally->names[i]);
    for (int32_t k = 0; k < OUTCOME_COUNT; k++) {
      printf(" %9" PRId64, tally->counts[i][k]);
      totals[k] += tally->counts[i][k];
    }
    printf("\n");
  }
  printf("  %-36s", "all");
  for (int32_t k = 0; k < OUTCOME_COUNT; k++) printf(" %9" PRId64, totals[k]);
  printf("\n");
}

static bool is_located(const CrError *error) {
  return error->field && error->offset != CR_NO_OFFSET && error->format == CR_FORMAT_REPLAY;
}

// Plays a damaged replay to its end. *out_same: after every step the state equals the undamaged run's, and the recorded
// hashes are the same. (At the start the crowd is as the damaged bytes have it.)
static Outcome play(const CrReplay *replay, const Trace *trace, bool *out_same) {
  CrPlayerOptions options = {.keyframe_budget = 0, .keyframe_spacing = 1};
  CrPlayer *player = NULL;
  CrError error = {0};
  REQUIRE_OK(cr_player_create(replay, &options, NULL, &player, &error));
  CrStatus status = CR_STATUS_OK;
  *out_same = replay->info.step_count + 1 == trace->count;
  for (int32_t i = 0; status == CR_STATUS_OK && i < replay->info.step_count; i++) {
    status = cr_player_step(player, &error);
    *out_same = *out_same && status == CR_STATUS_OK && same_state(cr_player_crowd(player), &trace->states[i + 1]);
  }
  if (status != CR_STATUS_OK) CHECK(status == CR_STATUS_NO_SUCH_AGENT && is_located(&error));
  bool diverged = cr_player_first_mismatch(player) >= 0;
  cr_player_destroy(player);
  return diverged ? DIVERGED : (status == CR_STATUS_OK ? SILENT : STOPPED);
}

static Outcome try_file(const CrBytes *file, const Trace *trace, bool *out_same) {
  CrReplay *replay = NULL;
  CrError error = {0};
  CrStatus status = cr_replay_read(file->data, file->size, NULL, &replay, &error);
  if (status != CR_STATUS_OK) {
    CHECK(status != CR_STATUS_OUT_OF_MEMORY && is_located(&error) && error.offset <= file->size);
    return REFUSED;
  }
  Outcome outcome = play(replay, trace, out_same);
  cr_replay_destroy(replay);
  return outcome;
}

static void try_and_count(const CrBytes *file, size_t offset, const RegionMap *map, const Trace *trace, Tally *tally) {
  const Region *region = region_at(map, offset);
  bool same = false;
  Outcome outcome = try_file(file, trace, &same);
  count_outcome(tally, region->name, outcome);
  if (outcome != SILENT) return;
  CHECK(same);
  CHECK(region->may_be_silent);
  if (!region->may_be_silent && check_failures < 20) printf("  byte %zu (%s) changes nothing\n", offset, region->name);
}

// --- Campaigns ------------------------------------------------------------------------------------------------------

typedef struct Victim {
  CrBytes file;
  Trace trace;
  RegionMap map;
} Victim;

// The first seed whose run has every kind of operation.
static CrBytes record_all_kinds(HostPlan plan) {
  for (;; plan.seed++) {
    CrBytes file = record_run(&plan, STEPS);
    CrReplay *replay = open_replay(&file);
    bool all = true;
    for (int32_t kind = 1; kind < 6; kind++) all = all && replay->info.operation_counts[kind] > 0;
    cr_replay_destroy(replay);
    if (all) return file;
    cr_bytes_free(&file);
  }
}

static Victim make_victim(int32_t first_agents) {
  HostPlan plan = {
      .seed = 33, .max_agents = 3, .first_agents = first_agents, .warm_steps = first_agents ? 4 : 0, .dt = 0.125};
  Victim victim = {.file = record_all_kinds(plan)};
  CrReplay *replay = open_replay(&victim.file);
  victim.trace = trace_replay(replay);
  victim.map = map_regions(replay);
  printf("a replay of %zu bytes, %d steps, %" PRId64 " operations, %d agents at the start\n", victim.file.size,
         replay->info.step_count, replay->info.operation_count, replay->info.agents_at_start);
  cr_replay_destroy(replay);
  return victim;
}

static void free_victim(Victim *victim) {
  cr_bytes_free(&victim->file);
  trace_free(&victim->trace);
}

// Sanitizers make a run fifty times as slow: with them a quick test takes every fifth byte, a full one (CR_TEST_SCALE)
// all.
static size_t stride(void) {
#if defined(__SANITIZE_ADDRESS__)
  return check_scale() > 1 ? 1 : 5;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return check_scale() > 1 ? 1 : 5;
#endif
#endif
  return 1;
}

static void flip_every_bit(int32_t first_agents) {
  Victim victim = make_victim(first_agents);
  Tally tally = {.count = 0};
  for (size_t offset = 0; offset < victim.file.size; offset += stride()) {
    for (int32_t bit = 0; bit < 8; bit++) {
      victim.file.data[offset] ^= (uint8_t)(1 << bit);
      try_and_count(&victim.file, offset, &victim.map, &victim.trace, &tally);
      victim.file.data[offset] ^= (uint8_t)(1 << bit);
    }
  }
  print_tally(&tally);
  free_victim(&victim);
}

TEST(each_bit_flipped_in_a_run_from_an_empty_crowd) { flip_every_bit(0); }

TEST(each_bit_flipped_in_a_run_from_a_moving_crowd) { flip_every_bit(3); }

TEST(extreme_values_at_each_offset) {
  static const uint32_t values[] = {0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0, 0x00FFFFFF, 0x7FF00000, 0x3F000000};
  Victim victim = make_victim(2);
  int64_t outcomes[OUTCOME_COUNT] = {0};
  for (size_t offset = 0; offset + 4 <= victim.file.size; offset += stride()) {
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
      uint8_t kept[4];
      memcpy(kept, victim.file.data + offset, 4);
      CrWriter writer = cr__writer_to(victim.file.data + offset, 4);
      cr__write_u32(&writer, values[i]);
      bool changed = memcmp(kept, victim.file.data + offset, 4) != 0, same = false;
      Outcome outcome = try_file(&victim.file, &victim.trace, &same);
      outcomes[outcome]++;
      if (outcome == SILENT) CHECK(same);
      if (!changed) CHECK_INT(outcome, SILENT);
      memcpy(victim.file.data + offset, kept, 4);
    }
  }
  printf("refused %" PRId64 ", stopped %" PRId64 ", diverged %" PRId64 ", the same run %" PRId64 "\n",
         outcomes[REFUSED], outcomes[STOPPED], outcomes[DIVERGED], outcomes[SILENT]);
  free_victim(&victim);
}

// Larger files: random bytes changed, ranges cut out, copied about and zeroed.
static void spoil(CrBytes *file, size_t *size, uint64_t *seed) {
  size_t at = rnd_u64(seed) % *size, from = rnd_u64(seed) % *size, left = *size - at;
  size_t length = 1 + rnd_u64(seed) % 40;
  if (length > left) length = left;
  if (length > *size - from) length = *size - from;
  switch (rnd_int(seed, 4)) {
    case 0:
      file->data[at] = (uint8_t)rnd_u64(seed);
      break;
    case 1:
      memmove(file->data + at, file->data + from, length);
      break;
    case 2:
      memset(file->data + at, 0, length);
      break;
    default:
      memmove(file->data + at, file->data + at + length, *size - at - length);
      *size -= length;
      break;
  }
}

TEST(random_damage_never_crashes_or_passes_for_exact) {
  uint64_t seed = check_seed = 91;
  int64_t outcomes[OUTCOME_COUNT] = {0};
  for (int32_t world = 0; world < HOST_WORLDS; world++) {
    HostPlan plan = {
        .world = world, .seed = 700 + (uint64_t)world, .max_agents = 8, .first_agents = 5, .warm_steps = 3, .dt = 0.1};
    CrBytes file = record_run(&plan, 20);
    CrReplay *replay = open_replay(&file);
    Trace trace = trace_replay(replay);
    cr_replay_destroy(replay);
    int32_t rounds = 300 * check_scale();
    for (int32_t i = 0; i < rounds; i++) {
      CrBytes bad = {0};
      REQUIRE_OK(cr__bytes_alloc(NULL, file.size, &bad, NULL));
      memcpy(bad.data, file.data, file.size);
      size_t size = file.size;
      for (int32_t k = rnd_int(&seed, 3); k >= 0; k--) spoil(&bad, &size, &seed);
      CrBytes view = {bad.data, size, bad.allocator};
      bool same = false;
      Outcome outcome = try_file(&view, &trace, &same);
      outcomes[outcome]++;
      if (outcome == SILENT) CHECK(same);
      cr_bytes_free(&bad);
    }
    trace_free(&trace);
    cr_bytes_free(&file);
  }
  printf("refused %" PRId64 ", stopped %" PRId64 ", diverged %" PRId64 ", the same run %" PRId64 "\n",
         outcomes[REFUSED], outcomes[STOPPED], outcomes[DIVERGED], outcomes[SILENT]);
}

TEST_MAIN(RUN(each_bit_flipped_in_a_run_from_an_empty_crowd), RUN(each_bit_flipped_in_a_run_from_a_moving_crowd),
          RUN(extreme_values_at_each_offset), RUN(random_damage_never_crashes_or_passes_for_exact))
