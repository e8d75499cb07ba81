// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "check.h"
#include "core_internal.h"

static void write_sample(CrWriter *writer, const void *object) {
  (void)object;
  cr__write_u8(writer, 0xAB);
  cr__write_u16(writer, 0x1234);
  cr__write_i32(writer, -2);
  cr__write_u64(writer, UINT64_C(0x0102030405060708));
  cr__write_f64(writer, -0.0);
  cr__write_point(writer, cr__vec(1.5, -2.5, 3.0));
}

TEST(round_trip_is_little_endian) {
  CrBytes bytes = {0};
  CHECK_OK(cr__write_to_bytes(NULL, write_sample, NULL, &bytes, NULL));
  CHECK_INT(bytes.size, 1 + 2 + 4 + 8 + 8 + 24);
  CHECK(bytes.data[1] == 0x34 && bytes.data[2] == 0x12);
  CHECK(bytes.data[3] == 0xFE && bytes.data[6] == 0xFF);
  CrReader reader = cr__reader(bytes.data, bytes.size, 0, CR_FORMAT_NAVMESH, NULL);
  CHECK_INT(cr__read_u8(&reader, "a"), 0xAB);
  CHECK_INT(cr__read_u16(&reader, "b"), 0x1234);
  CHECK_INT(cr__read_i32(&reader, "c"), -2);
  CHECK(cr__read_u64(&reader, "d") == UINT64_C(0x0102030405060708));
  CHECK(cr__bits(cr__read_f64(&reader, "e")) == UINT64_C(1) << 63);
  CHECK(cr__same_point(cr__read_point(&reader, "f"), cr__vec(1.5, -2.5, 3.0)));
  CHECK_OK(cr__read_end(&reader));
  cr_bytes_free(&bytes);
}

TEST(the_three_modes_agree) {
  CrBytes bytes = {0};
  CHECK_OK(cr__write_to_bytes(NULL, write_sample, NULL, &bytes, NULL));
  CrWriter counter = cr__writer_count(), hasher = cr__writer_hash();
  write_sample(&counter, NULL);
  write_sample(&hasher, NULL);
  CHECK_INT(counter.size, bytes.size);
  CHECK_INT(hasher.size, bytes.size);
  CHECK(hasher.hash == cr_hash_bytes(bytes.data, bytes.size));
  cr_bytes_free(&bytes);
}

TEST(fnv_1a_matches_published_values) {
  // Fowler, Noll and Vo's test vectors.
  CHECK(cr_hash_bytes("", 0) == UINT64_C(0xcbf29ce484222325));
  CHECK(cr_hash_bytes("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
  CHECK(cr_hash_bytes("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

TEST(first_failure_sticks_with_its_absolute_offset) {
  const uint8_t bytes[] = {1, 2, 3};
  CrError error = {0};
  CrReader reader = cr__reader(bytes, sizeof bytes, 100, CR_FORMAT_REPLAY, &error);
  cr__read_u16(&reader, "first");
  CHECK_INT(cr__read_u32(&reader, "second"), 0);
  CHECK_INT(cr__read_u8(&reader, "third"), 0);
  CHECK_STATUS(cr__read_end(&reader), CR_STATUS_TRUNCATED);
  CHECK(error.status == CR_STATUS_TRUNCATED && error.format == CR_FORMAT_REPLAY);
  CHECK(strcmp(error.field, "second") == 0);
  CHECK_INT(error.offset, 102);
}

TEST(counts_are_checked_before_allocation) {
  const uint8_t bytes[] = {0xFF, 0xFF, 0xFF, 0x7F, 0, 0};
  CrError error = {0};
  CrReader reader = cr__reader(bytes, sizeof bytes, 0, CR_FORMAT_NAVMESH, &error);
  CHECK_INT(cr__read_count(&reader, "count", 24), 0);
  CHECK_INT(error.status, CR_STATUS_TRUNCATED);
  CHECK_INT(error.offset, 0);
}

TEST(bad_values_name_field_and_offset) {
  uint8_t bytes[16] = {2, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F};  // a flag of 2, then an infinity from offset 1
  CrError error = {0};
  CrReader reader = cr__reader(bytes, sizeof bytes, 0, CR_FORMAT_NAVMESH, &error);
  cr__read_flag(&reader, "flag");
  CHECK_INT(error.status, CR_STATUS_BAD_VALUE);
  CHECK_INT(error.offset, 0);
  reader = cr__reader(bytes + 1, sizeof bytes - 1, 1, CR_FORMAT_NAVMESH, &error);
  CHECK(cr__read_coord(&reader, "x") == 0.0);
  CHECK_INT(error.offset, 1);
  CHECK(strcmp(error.field, "x") == 0);
  reader = cr__reader(bytes, sizeof bytes, 0, CR_FORMAT_NAVMESH, &error);
  cr__read_i32_in(&reader, "n", 5, 9);
  CHECK_INT(error.status, CR_STATUS_BAD_VALUE);
  CHECK(error.limit == 5);
}

TEST(short_buffers_overflow_without_writing) {
  uint8_t small[4] = {9, 9, 9, 9};
  CrWriter writer = cr__writer_to(small, 3);
  cr__write_u16(&writer, 0x0101);
  cr__write_u32(&writer, 7);
  CHECK(writer.overflow);
  CHECK_INT(writer.size, 6);
  CHECK(small[2] == 9 && small[3] == 9);
}

TEST(memory_failures_are_reported) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  memory.fail_at = 1;
  CrBytes bytes = {0};
  CHECK_STATUS(cr__write_to_bytes(&allocator, write_sample, NULL, &bytes, NULL), CR_STATUS_OUT_OF_MEMORY);
  CHECK(!bytes.data && memory.live_blocks == 0);
  CHECK(!cr__alloc(&allocator, SIZE_MAX / 2, 4));
}

TEST(growth_keeps_contents) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  int32_t *values = NULL;
  size_t capacity = 0;
  for (int32_t i = 0; i < 1000; i++) {
    CHECK(cr__grow(&allocator, (void **)&values, &capacity, (size_t)i, (size_t)i + 1, sizeof *values));
    values[i] = i;
  }
  for (int32_t i = 0; i < 1000; i++) CHECK(values[i] == i);
  cr__free(&allocator, values, capacity, sizeof *values);
  CHECK_INT(memory.live_blocks, 0);
}

TEST(every_status_has_a_text) {
  for (int status = 0; status < CR_STATUS_COUNT_; status++) CHECK(cr_status_text((CrStatus)status) != NULL);
  CHECK(cr_status_text((CrStatus)-1) != NULL);
}

TEST_MAIN(RUN(round_trip_is_little_endian), RUN(the_three_modes_agree), RUN(fnv_1a_matches_published_values),
          RUN(first_failure_sticks_with_its_absolute_offset), RUN(counts_are_checked_before_allocation),
          RUN(bad_values_name_field_and_offset), RUN(short_buffers_overflow_without_writing),
          RUN(memory_failures_are_reported), RUN(growth_keeps_contents), RUN(every_status_has_a_text))
