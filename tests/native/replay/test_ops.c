// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "replay_internal.h"

static const uint8_t kinds[] = {CR_OP_ADD, CR_OP_REMOVE, CR_OP_SET_DESTINATION, CR_OP_STOP, CR_OP_TELEPORT};

static double random_coord(uint64_t *seed) {
  static const double edges[] = {0.0, -0.0, 2097151.9999999998, -2097151.9999999998, 5e-324, 0.1};
  int32_t pick = rnd_int(seed, 2 * (int32_t)(sizeof edges / sizeof edges[0]));
  return pick < 6 ? edges[pick] : rnd_range(seed, -1000.0, 1000.0);
}

static CrOperation random_operation(uint64_t *seed) {
  CrOperation operation = {.kind = (CrOpKind)kinds[rnd_int(seed, 5)]};
  CrVec3 point = {random_coord(seed), random_coord(seed), random_coord(seed)};
  if (operation.kind != CR_OP_ADD) operation.agent_id = (int64_t)rnd_u64(seed);
  if (operation.kind != CR_OP_REMOVE && operation.kind != CR_OP_STOP) operation.position = point;
  if (operation.kind == CR_OP_ADD) {
    operation.options = rnd_int(seed, 2) ? cr_agent_options_humanoid() : cr_agent_options_large();
    operation.options.priority = rnd_range(seed, 0.1, 9.0);
    operation.options.has_path = rnd_int(seed, 2);
    if (operation.options.has_path) operation.options.path = cr_follower_options_small();
  }
  return operation;
}

// `count` random operations; *out_size bytes, to be freed.
static uint8_t *random_operations(uint64_t *seed, int32_t count, size_t *out_size) {
  uint8_t *data = malloc((size_t)count * 1024);
  REQUIRE(data);
  CrWriter writer = cr__writer_to(data, (size_t)count * 1024);
  for (int32_t i = 0; i < count; i++) {
    CrOperation operation = random_operation(seed);
    cr__op_write(&operation, &writer);
  }
  REQUIRE(!writer.overflow);
  *out_size = writer.size;
  return data;
}

TEST(names_and_opcodes) {
  static const char *const names[] = {NULL, "Add", "Remove", "SetDestination", "Stop", "Teleport"};
  for (int kind = 0; kind < 256; kind++) {
    const char *name = cr_op_name((CrOpKind)kind), *expected = kind < 6 ? names[kind] : NULL;
    CHECK((name == NULL) == (expected == NULL));
    if (name && expected) CHECK(strcmp(name, expected) == 0);
  }
}

TEST(bytes_are_those_of_the_table) {
  uint8_t bytes[64] = {0};
  CrOperation teleport = {.kind = CR_OP_TELEPORT, .agent_id = 0x0102030405060708, .position = {1.0, -2.0, 0.5}};
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__op_write(&teleport, &writer);
  static const uint8_t expected[] = {5, 8, 7, 6, 5, 4, 3, 2,    1, 0, 0, 0, 0, 0, 0,    0xF0, 0x3F,
                                     0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F};
  CHECK_INT(writer.size, sizeof expected);
  CHECK(memcmp(bytes, expected, sizeof expected) == 0);
  CrOperation stop = {.kind = CR_OP_STOP, .agent_id = -1};
  writer = cr__writer_to(bytes, sizeof bytes);
  cr__op_write(&stop, &writer);
  CHECK_INT(writer.size, 9);
  CHECK(bytes[0] == 4 && bytes[1] == 0xFF && bytes[8] == 0xFF);
}

TEST(sizes_by_kind) {
  uint64_t seed = check_seed = 11;
  for (int32_t i = 0; i < 200; i++) {
    CrOperation operation = random_operation(&seed);
    CrWriter counter = cr__writer_count();
    cr__op_write(&operation, &counter);
    size_t add = operation.options.has_path ? 99 + 157 : 99;
    static const size_t sizes[] = {0, 0, 9, 33, 9, 33};
    CHECK_INT(counter.size, operation.kind == CR_OP_ADD ? add : sizes[operation.kind]);
  }
}

TEST(decoding_then_encoding_gives_the_same_bytes) {
  uint64_t seed = check_seed = 1;
  for (int32_t round = 0; round < 200; round++) {
    size_t size, offset = 0;
    uint8_t *data = random_operations(&seed, 20, &size);
    uint8_t again[1024];
    int32_t count = 0;
    CrOperation operation;
    CrStatus status;
    while ((status = cr_op_decode(data, size, offset, &operation, NULL)) == CR_STATUS_OK) {
      CrWriter writer = cr__writer_to(again, sizeof again);
      cr__op_write(&operation, &writer);
      CHECK_INT(operation.offset, offset);
      CHECK_INT(writer.size, operation.size);
      CHECK(memcmp(again, data + offset, operation.size) == 0);
      offset += operation.size;
      count++;
    }
    CHECK_INT(status, CR_STATUS_NOT_FOUND);
    CHECK_INT(offset, size);
    CHECK_INT(count, 20);
    free(data);
  }
}

TEST(every_cut_is_an_error_at_its_field) {
  uint64_t seed = check_seed = 2;
  for (int32_t round = 0; round < 100; round++) {
    size_t size;
    uint8_t *data = random_operations(&seed, 1, &size);
    for (size_t cut = 1; cut < size; cut++) {
      CrOperation operation = {.kind = CR_OP_STOP, .agent_id = 77};
      CrError error = {0};
      CHECK_STATUS(cr_op_decode(data, cut, 0, &operation, &error), CR_STATUS_TRUNCATED);
      CHECK(error.field && error.format == CR_FORMAT_REPLAY && error.offset <= cut);
      CHECK_INT(operation.agent_id, 77);  // nothing written
    }
    free(data);
  }
}

static void expect_bad(const uint8_t *data, size_t size, const char *field, uint64_t offset) {
  CrOperation operation;
  CrError error = {0};
  CHECK_STATUS(cr_op_decode(data, size, 0, &operation, &error), CR_STATUS_BAD_VALUE);
  CHECK(error.field && strcmp(error.field, field) == 0);
  CHECK_INT(error.offset, offset);
}

TEST(bad_values_name_field_and_offset) {
  static const double bad[] = {2097152.0, -2097152.0, 1e300, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    for (int32_t axis = 0; axis < 3; axis++) {
      double xyz[3] = {1.0, 2.0, 3.0};
      xyz[axis] = bad[i];
      CrOperation operation = {.kind = CR_OP_SET_DESTINATION, .agent_id = 3, .position = {xyz[0], xyz[1], xyz[2]}};
      uint8_t bytes[33];
      CrWriter writer = cr__writer_to(bytes, sizeof bytes);
      cr__op_write(&operation, &writer);
      expect_bad(bytes, sizeof bytes, "operation.position", 9 + 8 * (uint64_t)axis);
    }
  }
  for (int kind = 0; kind < 256; kind++) {
    uint8_t bytes[300] = {(uint8_t)kind};
    if (kind == 0 || kind > 5) expect_bad(bytes, sizeof bytes, "operation.kind", 0);
  }
  uint8_t bytes[99];
  CrOperation add = {.kind = CR_OP_ADD, .options = cr_agent_options_humanoid()};
  add.options.radius = -1.0;
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__op_write(&add, &writer);
  CrOperation operation;
  CrError error = {0};
  CHECK_STATUS(cr_op_decode(bytes, sizeof bytes, 0, &operation, &error), CR_STATUS_BAD_VALUE);
  CHECK(error.field && strstr(error.field, "radius"));
  CHECK_INT(error.offset, 25);
}

TEST(the_end_of_the_bytes_is_not_found) {
  uint8_t bytes[9] = {CR_OP_STOP};
  CrOperation operation;
  CHECK_STATUS(cr_op_decode(bytes, 9, 9, &operation, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_op_decode(NULL, 0, 0, &operation, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_op_decode(bytes, 9, 10, &operation, NULL), CR_STATUS_ARGUMENT);
}

TEST_MAIN(RUN(names_and_opcodes), RUN(bytes_are_those_of_the_table), RUN(sizes_by_kind),
          RUN(decoding_then_encoding_gives_the_same_bytes), RUN(every_cut_is_an_error_at_its_field),
          RUN(bad_values_name_field_and_offset), RUN(the_end_of_the_bytes_is_not_found))
