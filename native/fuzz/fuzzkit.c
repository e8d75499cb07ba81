// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Values from bytes, counting allocator, oracle failures, checks of crowds.
#include "fuzzkit.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_broken(const char *file, int line, const char *condition) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
  abort();
}

// --- Values from bytes ----------------------------------------------------------------------------------------------

uint8_t fuzz_u8(FuzzIn *in) { return in->at < in->size ? in->data[in->at++] : 0; }

uint16_t fuzz_u16(FuzzIn *in) {
  uint16_t low = fuzz_u8(in);
  return (uint16_t)(low | fuzz_u8(in) << 8);
}

uint64_t fuzz_u64(FuzzIn *in) {
  uint64_t value = 0;
  for (int32_t shift = 0; shift < 64; shift += 8) value |= (uint64_t)fuzz_u8(in) << shift;
  return value;
}

int32_t fuzz_below(FuzzIn *in, int32_t count) { return fuzz_u8(in) % count; }

// The first byte is the value, -31..31 in quarters, but for a few that say what follows.
double fuzz_length(FuzzIn *in, double unit) {
  int32_t first = (int8_t)fuzz_u8(in);
  if (first > -125) return 0.25 * first * unit;
  if (first > -127) return (int16_t)fuzz_u16(in) * unit / 256.0;
  if (first > -128) return (int16_t)fuzz_u16(in) * unit * 64.0;
  uint64_t bits = fuzz_u64(in);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double fuzz_tame_length(FuzzIn *in, double unit, double limit) {
  double value = fuzz_length(in, unit);
  return cr__is_finite(value) ? cr__clamp(value, -limit, limit) : 0.0;
}

CrVec3 fuzz_point(FuzzIn *in, double unit) {
  double x = fuzz_length(in, unit), y = fuzz_length(in, unit);
  return cr__vec(x, y, fuzz_length(in, unit));
}

const uint8_t *fuzz_span(FuzzIn *in, size_t size, size_t *out_size) {
  const uint8_t *span = in->data + in->at;
  *out_size = size < in->size - in->at ? size : in->size - in->at;
  in->at += *out_size;
  return span;
}

// --- Memory ---------------------------------------------------------------------------------------------------------

// Stands before each block; as large as the strictest alignment.
typedef union BlockHead {
  size_t size;
  max_align_t align;
} BlockHead;

static void *allocate(void *context, size_t size) {
  FuzzMemory *memory = context;
  memory->count++;
  if (memory->count == memory->fail_at) return NULL;
  if (memory->limit) FUZZ_REQUIRE(size <= memory->limit - memory->live_bytes);
  BlockHead *head = malloc(sizeof *head + size);
  if (!head) return NULL;
  head->size = size;
  memory->live_blocks++;
  memory->live_bytes += size;
  if (memory->live_bytes > memory->peak_bytes) memory->peak_bytes = memory->live_bytes;
  return head + 1;
}

static void release(void *context, void *block, size_t size) {
  FuzzMemory *memory = context;
  BlockHead *head = (BlockHead *)block - 1;
  FUZZ_REQUIRE(head->size == size);
  memory->live_blocks--;
  memory->live_bytes -= size;
  free(head);
}

CrAllocator fuzz_allocator(FuzzMemory *memory) { return (CrAllocator){memory, allocate, release}; }

void fuzz_memory_end(const FuzzMemory *memory) {
  FUZZ_REQUIRE(memory->live_blocks == 0);
  FUZZ_REQUIRE(memory->live_bytes == 0);
}

// --- Crowds ---------------------------------------------------------------------------------------------------------

#define CHECKED_AGENTS 256

void fuzz_check_crowd(const CrCrowd *crowd) {
  static int64_t ids[CHECKED_AGENTS];
  static double positions[3 * CHECKED_AGENTS], velocities[3 * CHECKED_AGENTS], radii[CHECKED_AGENTS];
  static uint8_t states[CHECKED_AGENTS];
  int32_t agents = cr_crowd_agent_count(crowd);
  FUZZ_REQUIRE(agents >= 0 && agents <= cr_crowd_slot_count(crowd));
  FUZZ_REQUIRE(cr_crowd_slot_count(crowd) <= cr_crowd_options(crowd).max_agents);
  int32_t count = cr_crowd_read_agents(crowd, CHECKED_AGENTS, ids, positions, velocities, states, radii);
  FUZZ_REQUIRE(count == (agents < CHECKED_AGENTS ? agents : CHECKED_AGENTS));
  for (int32_t i = 0; i < count; i++) {
    CrAgentInfo info;
    FUZZ_REQUIRE(ids[i] >= 0 && ids[i] < cr_crowd_next_id(crowd));
    FUZZ_REQUIRE(cr_crowd_agent(crowd, ids[i], &info) == CR_STATUS_OK && info.id == ids[i]);
    FUZZ_REQUIRE(states[i] <= CR_FOLLOWER_UNPLACED && radii[i] > 0.0);
    FUZZ_REQUIRE(cr__is_finite(info.wanted_x) && cr__is_finite(info.wanted_z));
    for (int32_t k = 0; k < 3; k++) {
      FUZZ_REQUIRE(cr__abs(positions[3 * i + k]) < CR_COORD_LIMIT);
      FUZZ_REQUIRE(cr__abs(velocities[3 * i + k]) < CR_COORD_LIMIT);
    }
  }
}
