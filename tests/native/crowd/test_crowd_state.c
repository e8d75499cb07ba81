// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd state: the bytes of the format page; a restored crowd, the same or a fresh one, goes on as the one saved, bit for bit;
// bad bytes are refused by field and offset and change nothing; memory.
#include "crowd_runs.h"

static CrCrowd *jam_crowd(const CrNavMesh *mesh, int32_t count, uint64_t seed, const CrAllocator *allocator) {
  CrCrowd *crowd = make_crowd(mesh, allocator);
  for (int32_t k = 0; k < count; k++) {
    CrAgentOptions options = k % 3 ? cr_agent_options_small() : cr_agent_options_humanoid();
    options.quality = (uint8_t)(k % 4);
    options.separation_distance = k % 5 == 0 ? 2.0 : 0.0;
    options.has_path = k % 7 == 0;
    if (options.has_path) options.path.corridor_capacity = 40;
    int64_t id = add_agent(crowd, world_random_point(mesh, &seed, NULL), &options);
    if (k % 6) CHECK_OK(cr_crowd_set_destination(crowd, id, world_random_point(mesh, &seed, NULL), NULL));
  }
  return crowd;
}

// Everything a host may do, at random.
static void disturb(CrCrowd *crowd, uint64_t *seed) {
  int64_t id = (int64_t)(rnd_u64(seed) % (uint64_t)(crowd->next_id + 1));
  CrVec3 point = world_random_point(crowd->mesh, seed, NULL);
  CrAgentOptions options = cr_agent_options_small();
  options.quality = (uint8_t)rnd_int(seed, 4);
  switch (rnd_int(seed, 8)) {
    case 0:
    case 1:
      cr_crowd_add(crowd, point, &options, &id, NULL);
      break;
    case 2:
      cr_crowd_remove(crowd, id, NULL);
      break;
    case 3:
      cr_crowd_stop(crowd, id, NULL);
      break;
    case 4:
      cr_crowd_teleport(crowd, id, point, NULL);
      break;
    case 5:
      cr_crowd_set_priority(crowd, id, rnd_range(seed, 0.1, 5), NULL);
      break;
    case 6:
      cr_crowd_set_options(crowd, id, &options, NULL);
      break;
    default:
      cr_crowd_set_destination(crowd, id, point, NULL);
  }
}

static StateBytes copy_bytes(const StateBytes *state) {
  StateBytes copy = {malloc(state->size + 1), state->size};
  REQUIRE(copy.data);
  memcpy(copy.data, state->data, state->size);
  return copy;
}

// --- Bytes ------------------------------------------------------------------------------------------------------------

typedef struct Cursor {
  const uint8_t *at;
} Cursor;

static uint64_t take(Cursor *cursor, int size) {
  uint64_t value = 0;
  for (int k = 0; k < size; k++) value |= (uint64_t)cursor->at[k] << (8 * k);
  cursor->at += size;
  return value;
}

static double take_f64(Cursor *cursor) {
  uint64_t bits = take(cursor, 8);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void expect_point(Cursor *cursor, CrVec3 point) {
  CHECK(take_f64(cursor) == point.x);
  CHECK(take_f64(cursor) == point.y);
  CHECK(take_f64(cursor) == point.z);
}

static void expect_agent(Cursor *cursor, const CrCrowd *crowd, int64_t id) {
  CrAgentInfo info;
  CrAgentOptions options;
  CHECK_OK(cr_crowd_agent(crowd, id, &info));
  CHECK_OK(cr_crowd_agent_options(crowd, id, &options));
  CHECK_INT(take(cursor, 8), id);
  CHECK(take_f64(cursor) == options.radius && take_f64(cursor) == options.max_speed);
  CHECK(take_f64(cursor) == options.max_acceleration && take_f64(cursor) == options.arrival_radius);
  CHECK(take_f64(cursor) == options.priority && take_f64(cursor) == options.wall_clearance);
  CHECK(take_f64(cursor) == options.separation_distance && take_f64(cursor) == options.separation_weight);
  CHECK(take_f64(cursor) == options.side_preference);
  CHECK_INT(take(cursor, 1), options.quality);
  CHECK_INT(take(cursor, 1), options.has_path);
  if (options.has_path) cursor->at += 157;
  CHECK(take_f64(cursor) == info.priority);
  uint64_t flags = take(cursor, 1);
  CHECK_INT(flags, info.follower.state == CR_FOLLOWER_MOVING ? 1 : 0);
  CHECK(take_f64(cursor) == info.wanted_x && take_f64(cursor) == info.wanted_z);
  const CrFollower *follower = cr_crowd_follower(crowd, id);
  size_t size = cr_follower_state_size(follower);
  uint8_t *bytes = malloc(size);
  REQUIRE(bytes);
  CHECK_INT(take(cursor, 4), size);
  CHECK_OK(cr_follower_save(follower, bytes, size, NULL));
  CHECK(memcmp(cursor->at, bytes, size) == 0);
  cursor->at += size;
  free(bytes);
  CHECK_INT(take(cursor, 1), info.wall_count >= 0);
  if (info.wall_count < 0) return;
  const CrWallCache *cache = &cr__crowd_slot(crowd, info.slot)->cache;
  expect_point(cursor, cache->center);
  CHECK_INT(take(cursor, 4), cache->count);
  for (int32_t k = 0; k < cache->count; k++) {
    CHECK(take(cursor, 8) == cache->walls[k].ref);
    CHECK_INT(take(cursor, 1), cache->walls[k].edge);
    CHECK_INT(take(cursor, 1), cache->walls[k].part);
  }
}

TEST(bytes_are_those_of_the_table) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  CrCrowd *crowd = jam_crowd(mesh, 40, 5, NULL);
  for (int k = 0; k < 50; k++) step_crowd(crowd);
  CHECK_OK(cr_crowd_remove(crowd, 7, NULL));
  CHECK_OK(cr_crowd_remove(crowd, 33, NULL));
  StateBytes state = take_state(crowd);
  Cursor cursor = {state.data};
  CHECK(memcmp(cursor.at, "CRCS", 4) == 0);
  cursor.at += 4;
  CHECK_INT(take(&cursor, 1), 1);
  CHECK_INT(take(&cursor, 1), 1);
  CHECK_INT(take(&cursor, 2), 0);
  CHECK_INT(take(&cursor, 4), 40);
  CHECK_INT(take(&cursor, 4), 38);
  CHECK_INT(take(&cursor, 4), 7);
  CHECK_INT(take(&cursor, 8), 40);
  CHECK_INT(take(&cursor, 8), 50);
  for (int64_t id = 0; id < 40; id++) {
    bool active = id != 7 && id != 33;
    CHECK_INT(take(&cursor, 1), active);
    if (active) expect_agent(&cursor, crowd, id);
  }
  CHECK(cursor.at == state.data + state.size);
  CHECK(cr_crowd_state_hash(crowd) == cr_hash_bytes(state.data, state.size));
  printf("  38 agents take %zu bytes\n", state.size);
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_short_buffer_is_refused_untouched) {
  CrNavMesh *mesh = open_world(4, 4, 4.0);
  CrCrowd *crowd = jam_crowd(mesh, 5, 5, NULL);
  size_t size = cr_crowd_state_size(crowd), written = 1234;
  uint8_t *data = malloc(size);
  REQUIRE(data);
  memset(data, 0xAB, size);
  CrError error;
  CHECK_STATUS(cr_crowd_save_state(crowd, data, size - 1, &written, &error), CR_STATUS_LIMIT);
  CHECK_STATUS(cr_crowd_save_state(crowd, NULL, 0, &written, &error), CR_STATUS_LIMIT);
  CHECK(written == 1234 && error.limit == (double)size);
  for (size_t k = 0; k < size; k++) CHECK(data[k] == 0xAB);
  free(data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Going on alike ---------------------------------------------------------------------------------------------------

#define AHEAD 40

typedef struct Script {
  uint64_t seed;
  bool disturbed;
} Script;

static void run_ahead(CrCrowd *crowd, const Script *script, uint64_t hashes[AHEAD]) {
  uint64_t seed = script->seed;
  for (int k = 0; k < AHEAD; k++) {
    for (int n = 0; script->disturbed && n < 6; n++) disturb(crowd, &seed);
    step_crowd(crowd);
    hashes[k] = cr_crowd_state_hash(crowd);
  }
}

// The crowd as it is, stepped on, against itself restored and against a fresh crowd restored.
static void check_goes_on_alike(CrCrowd *crowd, const Script *script) {
  StateBytes state = take_state(crowd);
  uint64_t first[AHEAD], again[AHEAD];
  run_ahead(crowd, script, first);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  check_crowd(crowd);
  CHECK(stands_at(crowd, &state));
  run_ahead(crowd, script, again);
  CHECK(memcmp(first, again, sizeof first) == 0);
  CrCrowd *fresh = make_crowd(crowd->mesh, NULL);
  CHECK_OK(cr_crowd_restore_state(fresh, state.data, state.size, NULL));
  check_crowd(fresh);
  CHECK(stands_at(fresh, &state));
  run_ahead(fresh, script, again);
  CHECK(memcmp(first, again, sizeof first) == 0);
  cr_crowd_destroy(fresh);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  free(state.data);
}

static void run_world(CrNavMesh *mesh, int32_t agents, uint64_t seed) {
  CrCrowd *crowd = jam_crowd(mesh, agents, seed, NULL);
  check_seed = seed;
  for (int round = 0; round < 12; round++) {
    for (int k = 0; k < 17; k++) step_crowd(crowd);
    for (int k = 0; round % 3 == 2 && k < 60; k++) disturb(crowd, &seed);
    Script script = {seed, round % 2 == 1};
    check_goes_on_alike(crowd, &script);
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_restored_crowd_goes_on_as_the_one_saved) {
  run_world(world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL), 60, 5);
  run_world(open_world(4, 4, 4.0), 80, 6);
  run_world(world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL), 60, 7);
  run_world(world_maze(3, 8, 2.0, 0, NULL), 40, 8);
}

TEST(a_thousand_adds_and_removes_are_undone) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = jam_crowd(mesh, 50, 5, NULL);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  uint64_t seed = check_seed = 3;
  for (int k = 0; k < 1000; k++) disturb(crowd, &seed);
  CHECK(cr_crowd_slot_count(crowd) > 60);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  check_crowd(crowd);
  CHECK(stands_at(crowd, &state));
  int64_t id = add_agent(crowd, cr__vec(5, 0, 5), NULL);
  CHECK_INT(id, 50);
  Script script = {9, true};
  check_goes_on_alike(crowd, &script);
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(dropping_the_wall_cache_would_change_the_run) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  CrCrowd *crowd = jam_crowd(mesh, 60, 5, NULL);
  for (int k = 0; k < 100; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  uint64_t kept[AHEAD], dropped[AHEAD];
  Script script = {0, false};
  run_ahead(crowd, &script, kept);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  for (int32_t slot = 0; slot < 60; slot++) cr__crowd_slot(crowd, slot)->cache.valid = false;
  run_ahead(crowd, &script, dropped);
  CHECK(kept[AHEAD - 1] != dropped[AHEAD - 1]);
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_mesh_edit_makes_caches_stale) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  CrCrowd *crowd = jam_crowd(mesh, 20, 5, NULL);
  step_crowd(crowd);
  CrPolyRef ref;
  uint64_t seed = 5;
  world_random_point(mesh, &seed, &ref);
  CHECK_OK(cr_navmesh_set_area(mesh, ref, 9, NULL));
  CrAgentInfo info;
  CHECK_OK(cr_crowd_agent(crowd, 1, &info));
  CHECK_INT(info.wall_count, -1);
  Script script = {0, false};
  check_goes_on_alike(crowd, &script);
  step_crowd(crowd);
  CHECK_OK(cr_crowd_agent(crowd, 1, &info));
  CHECK(info.wall_count >= 0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Bad bytes --------------------------------------------------------------------------------------------------------

typedef struct Target {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  StateBytes good, own;  // bytes that fit; the crowd's state, which differs
} Target;

static Target make_target(void) {
  Target target;
  target.mesh = world_scattered(8, 12, 12, 2.0, 0.25, 5, NULL);
  target.crowd = jam_crowd(target.mesh, 6, 5, NULL);
  for (int k = 0; k < 30; k++) step_crowd(target.crowd);
  CHECK_OK(cr_crowd_remove(target.crowd, 3, NULL));
  target.good = take_state(target.crowd);
  add_agent(target.crowd, cr__vec(5, 0, 5), NULL);
  for (int k = 0; k < 5; k++) step_crowd(target.crowd);
  target.own = take_state(target.crowd);
  return target;
}

static void free_target(Target *target) {
  free(target->good.data);
  free(target->own.data);
  cr_crowd_destroy(target->crowd);
  cr_navmesh_destroy(target->mesh);
}

static void expect_refused(Target *target, const StateBytes *bytes, CrStatus status, const char *field, size_t offset) {
  CrError error = {0};
  CHECK_STATUS(cr_crowd_restore_state(target->crowd, bytes->data, bytes->size, &error), status);
  CHECK_INT(error.format, CR_FORMAT_CROWD_STATE);
  CHECK(error.field && strcmp(error.field, field) == 0);
  CHECK_INT(error.offset, offset);
  CHECK(stands_at(target->crowd, &target->own));
}

TEST(every_prefix_and_an_extra_byte_are_refused) {
  Target target = make_target();
  for (size_t size = 0; size < target.good.size; size++) {
    StateBytes prefix = {malloc(size + 1), size};
    REQUIRE(prefix.data);
    memcpy(prefix.data, target.good.data, size);
    CrError error = {0};
    CrStatus status = cr_crowd_restore_state(target.crowd, prefix.data, size, &error);
    CHECK_INT(status, CR_STATUS_TRUNCATED);
    CHECK(error.field && error.offset <= size);
    free(prefix.data);
  }
  CHECK(stands_at(target.crowd, &target.own));
  StateBytes longer = copy_bytes(&target.good);
  longer.data[longer.size++] = 0;
  expect_refused(&target, &longer, CR_STATUS_TRAILING_BYTES, "end", target.good.size);
  free(longer.data);
  printf("  %zu prefixes\n", target.good.size);
  free_target(&target);
}

// Any damage is refused, changing nothing, or gives a crowd that saves exactly those bytes (but for walls it looks up again)
// and can be stepped.
static void check_damaged(Target *target, const StateBytes *bytes, int64_t *refused) {
  CrError error = {0};
  CrStatus status = cr_crowd_restore_state(target->crowd, bytes->data, bytes->size, &error);
  if (status != CR_STATUS_OK) {
    ++*refused;
    CHECK(error.status == status && error.format == CR_FORMAT_CROWD_STATE && error.field);
    CHECK(error.offset <= bytes->size);
    return;
  }
  CHECK(cr_crowd_state_size(target->crowd) <= bytes->size);
  for (int k = 0; k < 2; k++) step_crowd(target->crowd);
  CHECK_OK(cr_crowd_restore_state(target->crowd, target->own.data, target->own.size, NULL));
}

TEST(damaged_bytes_are_refused_or_harmless) {
  Target target = make_target();
  int64_t refused = 0, tried = 0;
  for (size_t k = 0; k < target.good.size; k++) {
    StateBytes bytes = copy_bytes(&target.good);
    for (int bit = 0; bit < 8; bit++, tried++) {
      bytes.data[k] ^= (uint8_t)(1 << bit);
      check_damaged(&target, &bytes, &refused);
      bytes.data[k] ^= (uint8_t)(1 << bit);
    }
    if (k + 4 <= bytes.size) {
      memset(bytes.data + k, 0xFF, 4);
      check_damaged(&target, &bytes, &refused);
      tried++;
    }
    free(bytes.data);
  }
  CHECK(stands_at(target.crowd, &target.own));
  printf("  %" PRId64 " damaged states, %" PRId64 " refused\n", tried, refused);
  free_target(&target);
}

static void put_bytes(StateBytes *bytes, size_t offset, uint64_t value, int size) {
  for (int k = 0; k < size; k++) bytes->data[offset + (size_t)k] = (uint8_t)(value >> (8 * k));
}

typedef struct Spoil {
  const char *field;
  size_t offset;
  uint64_t value;
  int size;
  CrStatus status;
} Spoil;

TEST(bad_values_are_named_with_their_offset) {
  // The first agent starts at 36: active, id, options...
  static const Spoil spoils[] = {
      {"magic", 0, 'X', 1, CR_STATUS_BAD_MAGIC},
      {"version", 4, 2, 1, CR_STATUS_BAD_VERSION},
      {"kind", 5, 2, 1, CR_STATUS_BAD_VALUE},
      {"reserved", 6, 1, 2, CR_STATUS_BAD_VALUE},
      {"slot_count", 8, 65537, 4, CR_STATUS_BAD_VALUE},
      {"slot_count", 8, 0xFFFFFFFF, 4, CR_STATUS_BAD_VALUE},
      {"agent_count", 12, 7, 4, CR_STATUS_BAD_VALUE},
      {"agent_count", 12, 4, 4, CR_STATUS_MISMATCH},
      {"lowest_free", 16, 7, 4, CR_STATUS_BAD_VALUE},
      {"next_id", 20, UINT64_MAX, 8, CR_STATUS_BAD_VALUE},
      {"next_id", 20, UINT64_C(1) << 53, 8, CR_STATUS_BAD_VALUE},
      {"step_count", 28, UINT64_MAX, 8, CR_STATUS_BAD_VALUE},
      {"active", 36, 2, 1, CR_STATUS_BAD_VALUE},
      {"id", 37, 6, 8, CR_STATUS_BAD_VALUE},
      {"id", 37, UINT64_MAX, 8, CR_STATUS_BAD_VALUE},
      {"options.radius", 45, 0, 8, CR_STATUS_BAD_VALUE},
      {"options.side_preference", 109, UINT64_C(0x7FF8000000000000), 8, CR_STATUS_BAD_VALUE},
      {"options.quality", 117, 4, 1, CR_STATUS_BAD_VALUE},
      {"options.has_path", 118, 2, 1, CR_STATUS_BAD_VALUE},
      {"options.path.max_speed", 119, 0, 8, CR_STATUS_BAD_VALUE},
      {"priority", 276, 0, 8, CR_STATUS_BAD_VALUE},
      {"step_flags", 284, 3, 1, CR_STATUS_BAD_VALUE},
      {"step_flags", 284, 7, 1, CR_STATUS_BAD_VALUE},
      {"step_flags", 284, 8, 1, CR_STATUS_BAD_VALUE},
      {"wanted_velocity", 285, UINT64_C(0x7FF0000000000000), 8, CR_STATUS_BAD_VALUE},
      {"follower.size", 301, UINT64_C(0x80000000), 4, CR_STATUS_BAD_VALUE},
      {"follower", 301, 0x7FFFFFFF, 4, CR_STATUS_TRUNCATED},
      {"follower.version", 305, 2, 1, CR_STATUS_BAD_VERSION},
  };
  Target target = make_target();
  for (size_t k = 0; k < sizeof spoils / sizeof spoils[0]; k++) {
    StateBytes bytes = copy_bytes(&target.good);
    put_bytes(&bytes, spoils[k].offset, spoils[k].value, spoils[k].size);
    size_t offset = strcmp(spoils[k].field, "follower") == 0 ? 305 : spoils[k].offset;
    expect_refused(&target, &bytes, spoils[k].status, spoils[k].field, offset);
    free(bytes.data);
  }
  free_target(&target);
}

TEST(two_agents_of_one_id_are_refused) {
  Target target = make_target();
  StateBytes bytes = copy_bytes(&target.good);
  // The second agent's id follows the first agent's bytes.
  size_t first = 37;
  size_t follower = 301 + 4 + (size_t)take(&(Cursor){bytes.data + 301}, 4);
  bool valid = bytes.data[follower];
  size_t walls = valid ? 28 + 10 * (size_t)take(&(Cursor){bytes.data + follower + 25}, 4) : 0;
  size_t second = follower + 1 + walls + 1;
  CHECK_INT(take(&(Cursor){bytes.data + second}, 8), 1);
  memcpy(bytes.data + second, bytes.data + first, 8);
  expect_refused(&target, &bytes, CR_STATUS_BAD_VALUE, "id", second);
  free(bytes.data);
  free_target(&target);
}

TEST(a_free_slot_below_the_hint_is_refused) {
  Target target = make_target();
  StateBytes bytes = copy_bytes(&target.good);
  CHECK_INT(take(&(Cursor){bytes.data + 16}, 4), 3);
  put_bytes(&bytes, 16, 4, 4);
  CrError error = {0};
  CHECK_STATUS(cr_crowd_restore_state(target.crowd, bytes.data, bytes.size, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "active") == 0 && bytes.data[error.offset] == 0);
  put_bytes(&bytes, 16, 2, 4);  // a hint may be low
  CHECK_OK(cr_crowd_restore_state(target.crowd, bytes.data, bytes.size, &error));
  check_crowd(target.crowd);
  free(bytes.data);
  free_target(&target);
}

TEST(counters_end_at_their_limit) {
  Target target = make_target();
  StateBytes bytes = copy_bytes(&target.good);
  put_bytes(&bytes, 20, (UINT64_C(1) << 53) - 1, 8);
  put_bytes(&bytes, 28, (UINT64_C(1) << 53) - 2, 8);
  CHECK_OK(cr_crowd_restore_state(target.crowd, bytes.data, bytes.size, NULL));
  CrError error = {0};
  CHECK_STATUS(cr_crowd_add(target.crowd, cr__vec(5, 0, 5), NULL, NULL, &error), CR_STATUS_LIMIT);
  CHECK(stands_at(target.crowd, &bytes));
  step_crowd(target.crowd);
  StateBytes last = take_state(target.crowd);
  CHECK_STATUS(cr_crowd_step(target.crowd, RUN_DT, &error), CR_STATUS_LIMIT);
  CHECK(stands_at(target.crowd, &last));
  CHECK_OK(cr_crowd_restore_state(target.crowd, last.data, last.size, NULL));
  free(last.data);
  free(bytes.data);
  free_target(&target);
}

TEST(limits_are_those_of_the_crowd_restored_into) {
  Target target = make_target();
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = 5;
  CrCrowd *small;
  CrError error = {0};
  REQUIRE_OK(cr_crowd_create(target.mesh, &options, NULL, &small, NULL));
  CHECK_STATUS(cr_crowd_restore_state(small, target.good.data, target.good.size, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "slot_count") == 0 && error.limit == 5);
  cr_crowd_destroy(small);
  options.max_agents = 6;
  options.max_walls_per_agent = 1;
  options.max_walls_avoided = 1;
  REQUIRE_OK(cr_crowd_create(target.mesh, &options, NULL, &small, NULL));
  CHECK_STATUS(cr_crowd_restore_state(small, target.good.data, target.good.size, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "walls.count") == 0);
  CHECK_INT(cr_crowd_slot_count(small), 0);
  cr_crowd_destroy(small);
  free_target(&target);
}

TEST(walls_the_mesh_lacks_are_looked_up_again) {
  Target target = make_target();
  CrNavMesh *other = open_world(2, 2, 4.0);
  CrCrowd *crowd = make_crowd(other, NULL);
  CHECK_OK(cr_crowd_restore_state(crowd, target.good.data, target.good.size, NULL));
  int32_t stale = 0;
  for (int64_t id = 0; id < 6; id++) {
    CrAgentInfo info;
    if (cr_crowd_agent(crowd, id, &info) == CR_STATUS_OK) stale += info.wall_count < 0;
  }
  CHECK(stale > 0);
  for (int k = 0; k < 10; k++) step_crowd(crowd);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(other);
  free_target(&target);
}

// --- Memory -----------------------------------------------------------------------------------------------------------

TEST(rolling_back_allocates_nothing) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowd *crowd = jam_crowd(mesh, 60, 5, &allocator);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  int64_t extra = add_agent(crowd, cr__vec(5, 0, 5), NULL);
  int64_t before = memory.total_allocations;
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  CHECK_INT(memory.total_allocations - before, 0);
  CHECK(!cr_crowd_has_agent(crowd, extra));
  CHECK_OK(cr_crowd_remove(crowd, 4, NULL));
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  printf("  60 agents, one of them new: %" PRId64 " allocations\n", memory.total_allocations - before);
  CHECK(memory.total_allocations - before > 0 && memory.total_allocations - before <= 4);
  free(state.data);
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_blocks, 0);
  cr_navmesh_destroy(mesh);
}

static int64_t restore_with_failure(const CrNavMesh *mesh, const StateBytes *state, int64_t fail_after) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowd *crowd = jam_crowd(mesh, 3, 77, &allocator);
  StateBytes before = take_state(crowd);
  int64_t base = memory.total_allocations;
  memory.fail_at = fail_after ? base + fail_after : 0;
  CrError error = {0};
  CrStatus status = cr_crowd_restore_state(crowd, state->data, state->size, &error);
  if (fail_after) {
    CHECK(status == CR_STATUS_OUT_OF_MEMORY && error.status == CR_STATUS_OUT_OF_MEMORY);
    CHECK(stands_at(crowd, &before));
    check_crowd(crowd);
    CHECK_OK(cr_crowd_restore_state(crowd, state->data, state->size, &error));
  }
  CHECK(stands_at(crowd, state));
  check_crowd(crowd);
  int64_t used = memory.total_allocations - base;
  free(before.data);
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_blocks, 0);
  return used;
}

TEST(any_allocation_of_a_restore_may_fail) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  CrCrowd *crowd = jam_crowd(mesh, 70, 5, NULL);
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  int64_t total = restore_with_failure(mesh, &state, 0);
  for (int64_t k = 1; k <= total; k++) restore_with_failure(mesh, &state, k);
  printf("  %" PRId64 " allocations, each failed once\n", total);
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(bytes_are_those_of_the_table), RUN(a_short_buffer_is_refused_untouched),
          RUN(a_restored_crowd_goes_on_as_the_one_saved), RUN(a_thousand_adds_and_removes_are_undone),
          RUN(dropping_the_wall_cache_would_change_the_run), RUN(a_mesh_edit_makes_caches_stale),
          RUN(every_prefix_and_an_extra_byte_are_refused), RUN(damaged_bytes_are_refused_or_harmless),
          RUN(bad_values_are_named_with_their_offset), RUN(two_agents_of_one_id_are_refused),
          RUN(a_free_slot_below_the_hint_is_refused), RUN(counters_end_at_their_limit),
          RUN(limits_are_those_of_the_crowd_restored_into), RUN(walls_the_mesh_lacks_are_looked_up_again),
          RUN(rolling_back_allocates_nothing), RUN(any_allocation_of_a_restore_may_fail))
