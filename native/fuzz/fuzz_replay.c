// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Replay files. The bytes are read as they are, then once more with the seal of the mesh inside put right. A mutator of its own
// changes one part (setup fields, mesh, state, steps) and puts the lengths right. What must hold: a refusal names field and
// offset and leaves nothing; a file that is read is written back as it was and can be played, sought in and played again
// to the same states; memory stays bounded.
#include "fuzzkit.h"
#include "replay_internal.h"

#define SETUP_AT 12
#define NODES_AT (SETUP_AT + 28)
#define MESH_LENGTH_AT (SETUP_AT + 49)
#define STEPS 8

// Two crowds of 2^20 query nodes (the file's own and the player's) are the most a small file can ask for.
#define MEMORY_LIMIT ((size_t)512 << 20)
static void play(const CrReplay *replay, const CrAllocator *hooks, FuzzIn *in) {
  CrPlayerOptions options = {.keyframe_budget = fuzz_u8(in) * (size_t)64, .keyframe_spacing = 1 + fuzz_below(in, 4)};
  CrPlayer *player;
  FUZZ_REQUIRE(cr_player_create(replay, &options, hooks, &player, NULL) == CR_STATUS_OK);
  uint64_t hashes[STEPS + 1] = {cr_crowd_state_hash(cr_player_crowd(player))};
  int32_t played = 0;
  while (played < STEPS) {
    CrStatus status = cr_player_step(player, NULL);
    FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_NOT_FOUND || status == CR_STATUS_NO_SUCH_AGENT ||
                 status == CR_STATUS_LIMIT);
    fuzz_check_crowd(cr_player_crowd(player));
    if (status != CR_STATUS_OK) break;
    hashes[++played] = cr_crowd_state_hash(cr_player_crowd(player));
    FUZZ_REQUIRE(cr_player_position(player) == played);
  }
  for (int32_t i = 0; i < 4; i++) {
    int32_t position = fuzz_below(in, played + 1);
    FUZZ_REQUIRE(cr_player_seek(player, position, NULL) == CR_STATUS_OK);
    FUZZ_REQUIRE(cr_crowd_state_hash(cr_player_crowd(player)) == hashes[position]);
    FUZZ_REQUIRE(cr_player_keyframe_bytes(player) <= options.keyframe_budget);
  }
  cr_player_destroy(player);
}

static void use_replay(const CrReplay *replay, const uint8_t *data, size_t size, const CrAllocator *hooks) {
  CrBytes again;
  FUZZ_REQUIRE(cr_replay_write(replay, NULL, &again, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == size && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
  FuzzIn in = fuzz_in(data, size);
  in.at = size - 8;
  play(replay, hooks, &in);
  int32_t mismatch;
  if (cr_replay_info(replay).step_count > STEPS) return;
  CrStatus status = cr_replay_find_mismatch(replay, hooks, &mismatch, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_NO_SUCH_AGENT || status == CR_STATUS_LIMIT);
}

static void read(const uint8_t *data, size_t size) {
  FuzzMemory memory = {.limit = MEMORY_LIMIT};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrReplay *replay = NULL;
  CrError error = {0};
  CrStatus status = cr_replay_read(data, size, &hooks, &replay, &error);
  if (status == CR_STATUS_OK) {
    use_replay(replay, data, size, &hooks);
    cr_replay_destroy(replay);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(error.format == CR_FORMAT_REPLAY || status == CR_STATUS_LIMIT);
    FUZZ_REQUIRE(error.offset <= size || error.offset == CR_NO_OFFSET);
  }
  fuzz_memory_end(&memory);
}

static bool seal_inner_mesh(uint8_t *data, size_t size) {
  if (size < MESH_LENGTH_AT + 4) return false;
  uint32_t length = fuzz_load_u32(data + MESH_LENGTH_AT);
  return length <= size - MESH_LENGTH_AT - 4 && fuzz_seal_mesh(data + MESH_LENGTH_AT + 4, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_try_sealed(data, size, read, seal_inner_mesh);
  return 0;
}

#ifdef CR_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
// Where the parts of a well-formed file are; false for another.
typedef struct Parts {
  size_t mesh, mesh_size, state, state_size, steps;
} Parts;

static bool find_parts(const uint8_t *data, size_t size, Parts *out) {
  if (size < MESH_LENGTH_AT + 4) return false;
  out->mesh = MESH_LENGTH_AT + 4;
  out->mesh_size = fuzz_load_u32(data + MESH_LENGTH_AT);
  if (out->mesh_size > size - out->mesh || size - out->mesh - out->mesh_size < 8) return false;
  out->state = out->mesh + out->mesh_size + 4;
  out->state_size = fuzz_load_u32(data + out->state - 4);
  if (out->state_size > size - out->state || size - out->state - out->state_size < 4) return false;
  out->steps = out->state + out->state_size + 4;
  return true;
}

// Changes data[at..at+part) in place, moving what follows. Returns the part's new size.
static size_t mutate_part(uint8_t *data, size_t *size, size_t max_size, size_t at, size_t part) {
  size_t after = *size - at - part, room = max_size - at - after;
  uint8_t *kept = NULL;
  CrBytes tail;
  // Without room the mutator would still write one byte.
  if (room == 0 || cr__bytes_alloc(NULL, after, &tail, NULL) != CR_STATUS_OK) return part;
  kept = tail.data;
  memcpy(kept, data + at + part, after);
  size_t fresh = LLVMFuzzerMutate(data + at, part, room);
  memcpy(data + at + fresh, kept, after);
  cr_bytes_free(&tail);
  *size = at + fresh + after;
  return fresh;
}

// Some step's operations.
static void mutate_step(uint8_t *data, size_t *size, size_t max_size, size_t steps, uint64_t *random) {
  uint32_t count = fuzz_load_u32(data + steps - 4), wanted = count ? (uint32_t)(cr__random_u64(random) % count) : 0;
  size_t at = steps;
  for (uint32_t i = 0; i <= wanted && *size - at >= 12; i++) {
    uint32_t length = fuzz_load_u32(data + at);
    if (length > *size - at - 12) return;
    if (i == wanted) fuzz_store_u32(data + at, mutate_part(data, size, max_size, at + 4, length));
    at += 12 + length;
  }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  uint64_t random = seed;
  Parts parts;
  uint64_t kind = cr__random_u64(&random) % 12;
  if (kind == 0 || !find_parts(data, size, &parts)) return LLVMFuzzerMutate(data, size, max_size);
  if (kind < 2) {
    LLVMFuzzerMutate(data + SETUP_AT, MESH_LENGTH_AT - SETUP_AT, MESH_LENGTH_AT - SETUP_AT);
    memcpy(data + SETUP_AT, "OPRS\1\1\0\0", 8);
  } else if (kind < 5) {
    fuzz_store_u32(data + MESH_LENGTH_AT, mutate_part(data, &size, max_size, parts.mesh, parts.mesh_size));
  } else if (kind < 8) {
    size_t fresh = mutate_part(data, &size, max_size, parts.state, parts.state_size);
    fuzz_store_u32(data + parts.state - 4, fresh);
  } else {
    mutate_step(data, &size, max_size, parts.steps, &random);
  }
  // Large query pools cost seconds and teach nothing: they are rare.
  if (fuzz_load_u32(data + NODES_AT) > 4096 && cr__random_u64(&random) % 64) fuzz_store_u32(data + NODES_AT, 256);
  if (find_parts(data, size, &parts)) fuzz_store_u32(data + 8, parts.steps - 4 - SETUP_AT);
  return size;
}
#endif
