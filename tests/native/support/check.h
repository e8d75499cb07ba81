// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A small test harness. A test file defines functions with TEST(name) { ... } and lists them in TEST_MAIN(...).
// CHECK failures print file, line, the condition and the current seed; the program exits 1 when any failed.
#ifndef CR_TEST_CHECK_H
#define CR_TEST_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowdreel/base.h"

extern int check_failures;   // failed checks so far
extern uint64_t check_seed;  // set by randomised tests so that a failure can be repeated
void check_report(const char *file, int line, const char *condition);

#define CHECK(condition) ((condition) ? (void)0 : check_report(__FILE__, __LINE__, #condition))
#define CHECK_OK(call) check_ok(__FILE__, __LINE__, #call, (call))
#define CHECK_STATUS(call, expected) check_status(__FILE__, __LINE__, #call, (call), (expected))
#define CHECK_INT(actual, expected) check_int(__FILE__, __LINE__, #actual, (int64_t)(actual), (int64_t)(expected))
#define CHECK_NEAR(actual, expected, tolerance) \
  check_near(__FILE__, __LINE__, #actual, (actual), (expected), (tolerance))
// Ends the whole program: for set-up without which nothing after it makes sense.
#define REQUIRE(condition) ((condition) ? (void)0 : (check_report(__FILE__, __LINE__, #condition), exit(1)))
#define REQUIRE_OK(call) REQUIRE((call) == CR_STATUS_OK)

void check_ok(const char *file, int line, const char *text, CrStatus status);
void check_status(const char *file, int line, const char *text, CrStatus status, CrStatus expected);
void check_int(const char *file, int line, const char *text, int64_t actual, int64_t expected);
void check_near(const char *file, int line, const char *text, double actual, double expected, double tolerance);

typedef struct CheckTest {
  const char *name;
  void (*run)(void);
} CheckTest;
// argv[1], when given, is a substring of the tests to run.
int check_main(int argc, char **argv, const CheckTest *tests, size_t count);

#define TEST(name) static void name(void)
#define TEST_MAIN(...)                                                    \
  int main(int argc, char **argv) {                                       \
    static const CheckTest tests[] = {__VA_ARGS__};                       \
    return check_main(argc, argv, tests, sizeof tests / sizeof tests[0]); \
  }
#define RUN(name) \
  { #name, name }

// How much longer than usual a campaign runs: the environment variable CR_TEST_SCALE (1 without it), as a whole number of at
// least 1, and applied to a count (below 1 it shortens campaigns that can be short, but never to nothing).
int check_scale(void);
int64_t check_scaled(int64_t count);

// --- Bytes that must be the same with every compiler ------------------------------------------------------------------------

// Folds bytes into the program's digest, which check_main prints at the end as `meshes: COUNT HASH`. scripts/mesh-hashes.mjs compares these lines
// between builds, so whatever is noted must depend on nothing but the program and CR_TEST_SCALE.
void check_note_bytes(const void *data, size_t size);
uint64_t check_notes_hash(void);

// --- Seeded random numbers (splitmix64) ----------------------------------------------------------------------------------

uint64_t rnd_u64(uint64_t *state);
double rnd_unit(uint64_t *state);                            // [0, 1)
double rnd_range(uint64_t *state, double low, double high);  // [low, high)
int32_t rnd_int(uint64_t *state, int32_t count);             // 0..count-1
double rnd_small(uint64_t *state);                           // [0, 1), more often near 0: two draws, multiplied
// The order in which a call evaluates its arguments is open in C, so no two of them may draw (scripts/draws.mjs finds such
// calls). These draw x, then y, then z.
CrVec3 rnd_point(uint64_t *state, CrVec3 low, CrVec3 high);
CrVec3 rnd_ground(uint64_t *state, double low_x, double low_z, double high_x, double high_z);  // y is 0, and not drawn

// --- Counting allocator --------------------------------------------------------------------------------------------------

// Hooks that count, check sizes on release, and can fail the k-th allocation.
typedef struct TestMemory {
  int64_t live_blocks, live_bytes;  // not yet released
  int64_t total_allocations;
  int64_t fail_at;  // fails when total_allocations would become this; 0: never
} TestMemory;
CrAllocator test_allocator(TestMemory *memory);

#endif
