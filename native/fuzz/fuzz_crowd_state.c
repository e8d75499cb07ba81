// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd state: byte 0 chooses mesh and crowd options, byte 1 the time step; then the state's length (u16), the state, and a program of
// calls, a few before each step. What must hold: a refusal names a field and changes nothing; a restored crowd is saved and
// restored and saved to the same bytes, and a twin restored from those goes on with it, hash for hash; steps allocate nothing;
// any allocation of a restore may fail.
#include "fuzzkit.h"

#define STEPS 6

static CrCrowd *make_crowd(uint8_t choice, const CrAllocator *hooks) {
  return fuzz_crowd(fuzz_world((choice & 7) % FUZZ_WORLDS), choice, hooks);
}

static CrBytes state_of(const CrCrowd *crowd) {
  CrBytes state;
  size_t size = cr_crowd_state_size(crowd), written;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &state, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_crowd_save_state(crowd, state.data, size, &written, NULL) == CR_STATUS_OK && written == size);
  FUZZ_REQUIRE(cr_hash_bytes(state.data, size) == cr_crowd_state_hash(crowd));
  return state;
}

static void restore_without_memory(uint8_t choice, const CrBytes *state, int64_t allocations) {
  FuzzMemory memory = {0};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrCrowd *crowd = make_crowd(choice, &hooks);
  uint64_t before = cr_crowd_state_hash(crowd);
  memory.fail_at = memory.count + 1 + (int64_t)(cr_hash_bytes(state->data, state->size) % (uint64_t)allocations);
  FUZZ_REQUIRE(cr_crowd_restore_state(crowd, state->data, state->size, NULL) == CR_STATUS_OUT_OF_MEMORY);
  FUZZ_REQUIRE(cr_crowd_state_hash(crowd) == before);
  fuzz_check_crowd(crowd);
  cr_crowd_destroy(crowd);
  fuzz_memory_end(&memory);
}

static void go_on(CrCrowd *crowd, CrCrowd *twin, double dt, FuzzIn *program, const FuzzMemory *memory) {
  for (int32_t i = 0; i < STEPS; i++) {
    FuzzIn same = *program;
    fuzz_call_crowd(crowd, program);
    fuzz_call_crowd(twin, &same);
    int64_t taken = memory->count;
    CrStatus status = cr_crowd_step(crowd, dt, NULL);
    FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
    FUZZ_REQUIRE(cr_crowd_step(twin, dt, NULL) == status);
    FUZZ_REQUIRE(memory->count == taken);
    fuzz_check_crowd(crowd);
    FUZZ_REQUIRE(cr_crowd_state_hash(crowd) == cr_crowd_state_hash(twin));
  }
}

static void use_state(CrCrowd *crowd, uint8_t choice, double dt, FuzzIn *program, FuzzMemory *memory) {
  fuzz_check_crowd(crowd);
  CrBytes state = state_of(crowd);
  CrAllocator hooks = fuzz_allocator(memory);
  CrCrowd *twin = make_crowd(choice, &hooks);
  int64_t taken = memory->count;
  FUZZ_REQUIRE(cr_crowd_restore_state(twin, state.data, state.size, NULL) == CR_STATUS_OK);
  int64_t allocations = memory->count - taken;
  CrBytes again = state_of(twin);
  FUZZ_REQUIRE(again.size == state.size && memcmp(again.data, state.data, state.size) == 0);
  go_on(crowd, twin, dt, program, memory);
  // Back again, in place where the agents are the same.
  FUZZ_REQUIRE(cr_crowd_restore_state(crowd, state.data, state.size, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_crowd_state_hash(crowd) == cr_hash_bytes(state.data, state.size));
  if (allocations > 0) restore_without_memory(choice, &state, allocations);
  cr_crowd_destroy(twin);
  cr_bytes_free(&state);
  cr_bytes_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzIn in = fuzz_in(data, size);
  uint8_t choice = fuzz_u8(&in), time = fuzz_u8(&in);
  double dt = time == 255 ? 3600.0 : (1 + time) / 128.0;
  FuzzMemory memory = {.limit = (size_t)256 << 20};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrCrowd *crowd = make_crowd(choice, &hooks);
  CrVec3 at = {1.5, 0.0, 1.5};
  cr_crowd_add(crowd, at, NULL, NULL, NULL);
  uint64_t before = cr_crowd_state_hash(crowd);
  CrError error = {0};
  size_t state_size = fuzz_u16(&in);
  const uint8_t *state = fuzz_span(&in, state_size, &state_size);
  CrStatus status = cr_crowd_restore_state(crowd, state, state_size, &error);
  if (status == CR_STATUS_OK) {
    use_state(crowd, choice, dt, &in, &memory);
  } else {
    FUZZ_REQUIRE(error.status == status && error.format == CR_FORMAT_CROWD_STATE && error.field);
    FUZZ_REQUIRE(error.offset <= state_size);
    FUZZ_REQUIRE(cr_crowd_state_hash(crowd) == before);
    fuzz_check_crowd(crowd);
  }
  cr_crowd_destroy(crowd);
  fuzz_memory_end(&memory);
  return 0;
}
