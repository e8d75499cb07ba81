// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Test harness: checks, seeded random numbers, counting allocator.
#include <math.h>

#include "check.h"

int check_failures;
uint64_t check_seed;

void check_report(const char *file, int line, const char *condition) {
  check_failures++;
  if (check_failures > 20) return;
  printf("%s:%d: failed: %s (seed %" PRIu64 ")\n", file, line, condition, check_seed);
}

void check_ok(const char *file, int line, const char *text, CrStatus status) {
  check_status(file, line, text, status, CR_STATUS_OK);
}

void check_status(const char *file, int line, const char *text, CrStatus status, CrStatus expected) {
  if (status == expected) return;
  check_report(file, line, text);
  printf("  status %d (%s), expected %d\n", (int)status, cr_status_text(status), (int)expected);
}

void check_int(const char *file, int line, const char *text, int64_t actual, int64_t expected) {
  if (actual == expected) return;
  check_report(file, line, text);
  printf("  is %" PRId64 ", expected %" PRId64 "\n", actual, expected);
}

void check_near(const char *file, int line, const char *text, double actual, double expected, double tolerance) {
  if (fabs(actual - expected) <= tolerance) return;
  check_report(file, line, text);
  printf("  is %.17g, expected %.17g +- %g\n", actual, expected, tolerance);
}

static uint64_t notes_hash = UINT64_C(0xCBF29CE484222325), notes_count;

static uint64_t fold(uint64_t hash, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
  return hash;
}

void check_note_bytes(const void *data, size_t size) {
  unsigned char length[8];
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)size >> (8 * i));
  notes_hash = fold(fold(notes_hash, length, 8), data, size);
  notes_count++;
}

uint64_t check_notes_hash(void) { return notes_hash; }

int check_main(int argc, char **argv, const CheckTest *tests, size_t count) {
  int failed_tests = 0, run = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < count; i++) {
    if (argc > 1 && !strstr(tests[i].name, argv[1])) continue;
    int before = check_failures;
    tests[i].run();
    run++;
    bool failed = check_failures != before;
    failed_tests += failed;
    printf("%s %s\n", failed ? "FAIL" : "ok  ", tests[i].name);
  }
  if (notes_count) printf("meshes: %" PRIu64 " %016" PRIx64 "\n", notes_count, notes_hash);
  printf("%d tests, %d failed\n", run, failed_tests);
  return failed_tests ? 1 : 0;
}

static double scale_factor(void) {
  const char *text = getenv("CR_TEST_SCALE");
  double factor = text ? atof(text) : 1.0;
  return factor > 0.0 ? factor : 1.0;
}

int check_scale(void) { return scale_factor() < 1.0 ? 1 : (int)scale_factor(); }

int64_t check_scaled(int64_t count) {
  int64_t scaled = (int64_t)((double)count * scale_factor());
  return scaled < 1 && count > 0 ? 1 : scaled;
}

uint64_t rnd_u64(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double rnd_unit(uint64_t *state) { return (double)(rnd_u64(state) >> 11) * 0x1p-53; }

double rnd_range(uint64_t *state, double low, double high) { return low + (high - low) * rnd_unit(state); }

int32_t rnd_int(uint64_t *state, int32_t count) { return (int32_t)(rnd_u64(state) % (uint64_t)count); }

double rnd_small(uint64_t *state) {
  double first = rnd_unit(state);
  return first * rnd_unit(state);
}

CrVec3 rnd_point(uint64_t *state, CrVec3 low, CrVec3 high) {
  CrVec3 point;
  point.x = rnd_range(state, low.x, high.x);
  point.y = rnd_range(state, low.y, high.y);
  point.z = rnd_range(state, low.z, high.z);
  return point;
}

CrVec3 rnd_ground(uint64_t *state, double low_x, double low_z, double high_x, double high_z) {
  CrVec3 point = {0};
  point.x = rnd_range(state, low_x, high_x);
  point.z = rnd_range(state, low_z, high_z);
  return point;
}

static void *counted_allocate(void *context, size_t size) {
  TestMemory *memory = context;
  memory->total_allocations++;
  if (memory->fail_at && memory->total_allocations == memory->fail_at) return NULL;
  size_t *block = malloc(size + 16);
  if (!block) return NULL;
  block[0] = size;
  memory->live_blocks++;
  memory->live_bytes += (int64_t)size;
  return (unsigned char *)block + 16;
}

static void counted_release(void *context, void *data, size_t size) {
  TestMemory *memory = context;
  size_t *block = (size_t *)((unsigned char *)data - 16);
  CHECK(block[0] == size);
  memory->live_blocks--;
  memory->live_bytes -= (int64_t)size;
  free(block);
}

CrAllocator test_allocator(TestMemory *memory) { return (CrAllocator){memory, counted_allocate, counted_release}; }
