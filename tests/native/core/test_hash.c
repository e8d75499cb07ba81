// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The hash against its definition, one byte at a time, on bytes with runs of zeros of every length and place.
#include "check.h"
#include "core_internal.h"

static uint64_t by_definition(const uint8_t *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * UINT64_C(0x100000001B3);
  return hash;
}

TEST(known_values) {
  CHECK(cr_hash_bytes("", 0) == UINT64_C(0xCBF29CE484222325));
  CHECK(cr_hash_bytes("a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
  CHECK(cr_hash_bytes("foobar", 6) == UINT64_C(0x85944171F73967E8));
}

TEST(every_run_of_zeros_in_a_word) {
  uint8_t bytes[24];
  for (size_t first = 0; first <= sizeof bytes; first++) {
    for (size_t last = first; last <= sizeof bytes; last++) {
      for (size_t k = 0; k < sizeof bytes; k++) bytes[k] = k >= first && k < last ? 0 : (uint8_t)(0x80 + 5 * k);
      for (size_t size = 0; size <= sizeof bytes; size++) {
        CHECK(cr_hash_bytes(bytes, size) == by_definition(bytes, size));
      }
    }
  }
}

TEST(long_runs_of_zeros) {
  uint8_t bytes[220];
  for (size_t first = 0; first < 10; first++) {
    for (size_t run = 0; run <= 200; run++) {
      for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = k >= first && k < first + run ? 0 : (uint8_t)(0x80 + k % 128);
      for (size_t after = 0; after < 10; after++) {
        CHECK(cr_hash_bytes(bytes, first + run + after) == by_definition(bytes, first + run + after));
      }
    }
  }
}

TEST(random_bytes_in_random_pieces) {
  uint8_t bytes[400];
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    uint64_t state = check_seed = seed;
    size_t size = (size_t)rnd_int(&state, 400);
    int32_t zeros = rnd_int(&state, 10);
    for (size_t k = 0; k < size; k++) bytes[k] = rnd_int(&state, 10) < zeros ? 0 : (uint8_t)rnd_u64(&state);
    uint64_t expected = by_definition(bytes, size);
    CHECK(cr_hash_bytes(bytes, size) == expected);
    CrWriter writer = cr__writer_hash();
    for (size_t done = 0; done < size;) {
      size_t piece = 1 + (size_t)rnd_int(&state, 20);
      if (piece > size - done) piece = size - done;
      cr__write_bytes(&writer, bytes + done, piece);
      done += piece;
    }
    CHECK(writer.hash == expected && writer.size == size && !writer.overflow);
  }
}

TEST(storing_past_the_capacity_counts_on_and_stores_no_more) {
  uint8_t bytes[12];
  memset(bytes, 0xEE, sizeof bytes);
  CrWriter writer = cr__writer_to(bytes, 10);
  cr__write_u64(&writer, UINT64_C(0x0102030405060708));
  cr__write_u32(&writer, 7);  // does not fit
  cr__write_u8(&writer, 9);   // would
  CHECK(writer.overflow && writer.size == 13);
  CHECK(bytes[0] == 8 && bytes[7] == 1 && bytes[8] == 0xEE && bytes[9] == 0xEE && bytes[10] == 0xEE);
  CrWriter counter = cr__writer_to(NULL, 10);
  cr__write_u64(&counter, 1);
  cr__write_u64(&counter, 1);
  CHECK(counter.size == 16 && !counter.overflow);
}

TEST_MAIN(RUN(known_values), RUN(every_run_of_zeros_in_a_word), RUN(long_runs_of_zeros),
          RUN(random_bytes_in_random_pieces), RUN(storing_past_the_capacity_counts_on_and_stores_no_more))
