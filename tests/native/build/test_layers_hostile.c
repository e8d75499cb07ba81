// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Layers made to cost time or memory out of proportion to their bytes.
#include "check.h"
#include "layers_internal.h"

static const CrGrid one_column = {.width = 1, .depth = 1, .cell_size = 1.0, .cell_height = 1.0};
static const CrCells cells = {1, 1, 0};

static uint8_t *put_varint(uint8_t *out, uint32_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = (uint8_t)(value | 0x80);
  *out++ = (uint8_t)value;
  return out;
}

// A layer of one span: one run, floor `floor` in full, area 0, no surprises.
static uint8_t *put_layer(uint8_t *out, uint32_t floor) {
  static const uint8_t run[] = {1, 0, 1, CR_PREDICT_CLAMPED, CR_FLOOR_OTHER}, rest[] = {0, 1, 0};
  memcpy(out, run, sizeof run);
  out = put_varint(out + sizeof run, 2 * floor);
  memcpy(out, rest, sizeof rest);
  return out + sizeof rest;
}

static CrStatus unpack(const CrPackedLayers *layers, CrArena *arena, CrOpenField *out, TestMemory *memory) {
  CrAllocator hooks = test_allocator(memory);
  cr__arena_init(arena, &hooks);
  return cr__layers_unpack(layers, &one_column, &cells, arena, out);
}

// Sorting them one by one would take a quarter of an hour.
TEST(a_million_floors_of_one_column_in_falling_order) {
  uint32_t count = 1000000;
  uint8_t *raw = malloc(16 * (size_t)count), *end = put_varint(raw, count);
  REQUIRE(raw);
  for (uint32_t i = 0; i < count; i++) end = put_layer(end, count - i);
  end = put_varint(end, 0);  // no links across layers
  size_t size = (size_t)(end - raw);
  CrPacker packer;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  REQUIRE(cr__packer_init(&packer, &hooks));
  uint8_t *packed = malloc(cr__pack_bound(size));
  REQUIRE(packed);
  CrPackedLayers layers = {.data = packed, .raw_size = (uint32_t)size, .span_count = count, .layer_count = count};
  layers.size = (uint32_t)cr__pack(&packer, raw, size, packed);
  TestMemory memory = {0};
  CrArena arena;
  CrOpenField field;
  CHECK_OK(unpack(&layers, &arena, &field, &memory));
  bool rising = field.count == count;
  for (uint32_t i = 0; rising && i < count; i++) rising = field.floor[i] == (int32_t)i + 1;
  CHECK(rising);
  cr__arena_free(&arena);
  CHECK_INT(memory.live_blocks, 0);
  cr__packer_free(&packer, &hooks);
  free(packed);
  free(raw);
}

TEST(sizes_that_cannot_be_take_no_memory) {
  uint8_t bytes[8] = {0};
  const CrPackedLayers lies[] = {
      {.data = bytes, .size = 8, .raw_size = CR_LAYERS_MAX_BYTES, .span_count = 1, .layer_count = 1},
      {.data = bytes, .size = 8, .raw_size = 1 << 22, .span_count = CR_LAYERS_MAX_SPANS, .layer_count = 1},
      {.data = bytes, .size = 8, .raw_size = 64, .span_count = 1, .layer_count = 2},
  };
  for (size_t i = 0; i < CR_COUNT_OF(lies); i++) {
    TestMemory memory = {0};
    CrArena arena;
    CrOpenField field;
    CHECK_STATUS(unpack(&lies[i], &arena, &field, &memory), CR_STATUS_BAD_VALUE);
    CHECK_INT(memory.total_allocations, 0);
    cr__arena_free(&arena);
  }
}

TEST_MAIN(RUN(a_million_floors_of_one_column_in_falling_order), RUN(sizes_that_cannot_be_take_no_memory))
