// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The layers of a field as bytes: floors as differences from what their neighbours suggest, areas as runs, links as exceptions
// from the rule that spans side by side within the climb are linked, all of it packed (docs/formats/tile-cache.md, "Layers").
// Order: layer by layer, columns row by row; links between layers last, by span, -x before -z.
#include "layers_internal.h"

#define BYTES_PER_SPAN \
  64  // more than the worst case: floor 6, area 6, run 10, exception 6, two links between layers of 11

typedef struct Pack {
  const CrOpenField *field;
  const CrLayers *layers;
  CrLayerPlaces places;
  int32_t *floors;   // by number
  uint32_t *number;  // per span of the field
  uint8_t *out;
} Pack;

static void put_varint(Pack *pack, uint32_t value) {
  for (; value >= 0x80; value >>= 7) *pack->out++ = (uint8_t)(value | 0x80);
  *pack->out++ = (uint8_t)value;
}

static size_t place_of(const Pack *pack, uint32_t column) {
  uint32_t width = (uint32_t)pack->field->grid.width;
  return cr__layer_place(&pack->places, column % width, column / width);
}

static void put_runs(Pack *pack, const uint32_t *spans, uint32_t count) {
  uint8_t *before = pack->out;
  const uint32_t *column = pack->layers->column;
  for (int pass = 0; pass < 2; pass++) {  // counts, then stores
    uint32_t runs = 0, next = 0;
    for (uint32_t i = 0; i < count;) {
      uint32_t skip = column[spans[i]] - next, length = 1;
      while (i + length < count && column[spans[i + length]] == column[spans[i]] + length) length++;
      if (pass) {
        put_varint(pack, skip);
        put_varint(pack, length);
      }
      next = column[spans[i]] + length;
      i += length;
      runs++;
    }
    if (!pass) put_varint(pack, runs);
  }
  CR_ASSERT(pack->out > before);
  (void)before;
}

// --- Floors -----------------------------------------------------------------------------------------------------------

static int32_t residual(Pack *pack, uint32_t number, uint32_t span, int32_t last, CrLayerPredictor predictor) {
  CrLayerAround around = cr__layer_around(&pack->places, place_of(pack, pack->layers->column[span]));
  return pack->floors[number] - cr__layer_predict(pack->floors, &around, last, predictor);
}

// Bits the floors of a layer take, roughly: symbols and escapes.
static uint64_t floor_cost(Pack *pack, const uint32_t *spans, uint32_t count, CrLayerPredictor predictor) {
  uint64_t cost = 0;
  uint32_t first = pack->places.first;
  for (uint32_t i = 0; i < count; i++) {
    int32_t r = residual(pack, first + i, spans[i], i ? pack->floors[first + i - 1] : 0, predictor);
    cost += r == 0 ? 0 : r >= -1 && r <= 1 ? 2 : 10;
  }
  return cost;
}

static void put_floors(Pack *pack, const uint32_t *spans, uint32_t count) {
  uint64_t clamped = floor_cost(pack, spans, count, CR_PREDICT_CLAMPED);
  uint64_t plane = floor_cost(pack, spans, count, CR_PREDICT_PLANE);
  CrLayerPredictor predictor = plane < clamped ? CR_PREDICT_PLANE : CR_PREDICT_CLAMPED;
  uint32_t first = pack->places.first;
  *pack->out++ = (uint8_t)predictor;
  uint8_t *symbols = pack->out;
  pack->out += (count + 3) / 4;
  memset(symbols, 0, (count + 3) / 4);
  for (uint32_t i = 0; i < count; i++) {
    int32_t r = residual(pack, first + i, spans[i], i ? pack->floors[first + i - 1] : 0, predictor);
    uint32_t symbol = r == 0 ? CR_FLOOR_SAME : r == 1 ? CR_FLOOR_UP : r == -1 ? CR_FLOOR_DOWN : CR_FLOOR_OTHER;
    symbols[i / 4] |= (uint8_t)(symbol << (i % 4 * 2));
    if (symbol == CR_FLOOR_OTHER) put_varint(pack, r < 0 ? 2 * (uint32_t)-r - 1 : 2 * (uint32_t)r);
  }
}

static void put_areas(Pack *pack, const uint32_t *spans, uint32_t count) {
  const uint8_t *area = pack->field->area;
  for (uint32_t i = 0; i < count;) {
    uint32_t length = 1;
    while (i + length < count && area[spans[i + length]] == area[spans[i]]) length++;
    *pack->out++ = area[spans[i]];
    put_varint(pack, length);
    i += length;
  }
}

// --- Links ------------------------------------------------------------------------------------------------------------

// Links to -x (bit 0) and -z (bit 1) within the layer that are not as expected.
static uint32_t surprise(Pack *pack, uint32_t number, uint32_t span) {
  const CrOpenField *field = pack->field;
  CrLayerAround around = cr__layer_around(&pack->places, place_of(pack, pack->layers->column[span]));
  uint32_t left = field->neighbour[4 * (size_t)span], above = field->neighbour[4 * (size_t)span + 3];
  bool to_left = left != CR_NO_SPAN && pack->layers->layer_of[left] == pack->layers->layer_of[span];
  bool to_above = above != CR_NO_SPAN && pack->layers->layer_of[above] == pack->layers->layer_of[span];
  CR_ASSERT(!to_left || pack->number[left] == around.left);
  CR_ASSERT(!to_above || pack->number[above] == around.above);
  bool left_expected = cr__layer_linked(pack->floors, number, around.left, field->cells.climb);
  bool above_expected = cr__layer_linked(pack->floors, number, around.above, field->cells.climb);
  return (to_left != left_expected) | (uint32_t)(to_above != above_expected) << 1;
}

static void put_surprises(Pack *pack, const uint32_t *spans, uint32_t count) {
  for (int pass = 0; pass < 2; pass++) {  // counts, then stores
    uint32_t found = 0, next = 0;
    for (uint32_t i = 0; i < count; i++) {
      uint32_t mask = surprise(pack, pack->places.first + i, spans[i]);
      if (!mask) continue;
      found++;
      if (!pass) continue;
      put_varint(pack, i - next);
      *pack->out++ = (uint8_t)mask;
      next = i + 1;
    }
    if (!pass) put_varint(pack, found);
  }
}

// The link of a span to a span of another layer, or CR_NO_SPAN.
static uint32_t link_across(const Pack *pack, uint32_t span, uint32_t dir) {
  uint32_t to = pack->field->neighbour[4 * (size_t)span + dir];
  if (to == CR_NO_SPAN || pack->layers->layer_of[to] == CR_NO_SPAN) return CR_NO_SPAN;
  return pack->layers->layer_of[to] == pack->layers->layer_of[span] ? CR_NO_SPAN : to;
}

// How many kept spans of its column lie below a span.
static uint32_t rank_of(const Pack *pack, uint32_t span) {
  uint32_t rank = 0;
  for (uint32_t below = pack->field->first[pack->layers->column[span]]; below < span; below++) {
    rank += pack->layers->layer_of[below] != CR_NO_SPAN;
  }
  return rank;
}

static void put_links_across(Pack *pack) {
  for (int pass = 0; pass < 2; pass++) {  // counts, then stores
    uint32_t found = 0, last = 0;
    for (uint32_t number = 0; number < pack->layers->span_count; number++) {
      for (uint32_t dir = 0; dir < 4; dir += 3) {
        uint32_t to = link_across(pack, pack->layers->spans[number], dir);
        if (to == CR_NO_SPAN) continue;
        found++;
        if (!pass) continue;
        put_varint(pack, number - last);
        *pack->out++ = (uint8_t)dir;
        put_varint(pack, rank_of(pack, to));
        last = number;
      }
    }
    if (!pass) put_varint(pack, found);
  }
}

// --- The call ---------------------------------------------------------------------------------------------------------

static void put_layer(Pack *pack, uint32_t layer) {
  const CrLayers *layers = pack->layers;
  uint32_t first = layers->first[layer], count = layers->first[layer + 1] - first;
  const uint32_t *spans = layers->spans + first;
  pack->places.first = first;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t column = layers->column[spans[i]];
    pack->places.at[place_of(pack, column)] = first + i + 1;
    pack->number[spans[i]] = first + i;
    pack->floors[first + i] = pack->field->floor[spans[i]];
    CR_ASSERT(pack->floors[first + i] >= 0 && pack->floors[first + i] <= CR_LAYERS_MAX_FLOOR);
  }
  put_runs(pack, spans, count);
  put_floors(pack, spans, count);
  put_areas(pack, spans, count);
  put_surprises(pack, spans, count);
}

static bool start(Pack *pack, const CrOpenField *field, const CrLayers *layers, CrArena *arena) {
  *pack = (Pack){.field = field, .layers = layers};
  pack->floors = cr__arena_alloc(arena, layers->span_count, sizeof *pack->floors);
  pack->number = cr__arena_alloc(arena, field->count, sizeof *pack->number);
  pack->out = cr__arena_alloc(arena, (size_t)layers->span_count * BYTES_PER_SPAN + 64, 1);
  return cr__layer_places(&field->grid, arena, &pack->places) && !arena->failed;
}

CrStatus cr__layers_pack(const CrOpenField *field, CrPacker *packer, CrArena *arena, const CrAllocator *allocator,
                         CrPackedLayers *out, CrError *error) {
  CrLayers layers;
  Pack pack;
  *out = (CrPackedLayers){0};
  if (field->count > CR_LAYERS_MAX_SPANS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.tileCells", CR_LAYERS_MAX_SPANS);
  }
  if (!cr__layers_split(field, arena, &layers) || !start(&pack, field, &layers, arena)) {
    return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  const uint8_t *raw = pack.out;
  put_varint(&pack, layers.count);
  for (uint32_t layer = 0; layer < layers.count; layer++) put_layer(&pack, layer);
  put_links_across(&pack);
  size_t raw_size = (size_t)(pack.out - raw);
  uint8_t *packed = cr__arena_alloc(arena, cr__pack_bound(raw_size), 1);
  if (!packed) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  size_t size = cr__pack(packer, raw, raw_size, packed);
  out->data = cr__alloc(allocator, size, 1);
  if (!out->data) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  memcpy(out->data, packed, size);
  out->size = (uint32_t)size;
  out->raw_size = (uint32_t)raw_size;
  out->span_count = layers.span_count;
  out->layer_count = layers.count;
  return CR_STATUS_OK;
}

void cr__layers_free(CrPackedLayers *layers, const CrAllocator *allocator) {
  cr__free(allocator, layers->data, layers->size, 1);
  *layers = (CrPackedLayers){0};
}
