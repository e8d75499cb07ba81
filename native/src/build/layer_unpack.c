// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Layers back to the open field. The bytes may come from a file, so everything is checked: runs within the grid, floors and areas
// in range, floors of a column all different, links only between spans that are there and not linked that way yet. A field
// that passes is as good as a built one: links are mutual and lead to adjacent columns.
// Order: spans of a column by floor, as in any open field.
#include "layers_internal.h"

typedef struct Unpack {
  const uint8_t *at, *end;
  bool failed;  // sticks
  CrOpenField *field;
  uint32_t count, capacity;  // spans so far, and in all
  // Per span in layer order.
  int32_t *floor;
  uint8_t *area;
  uint32_t *column, *left, *above;  // left, above: number of the span linked that way in the layer, or CR_NO_SPAN
  uint32_t *place;                  // index in the field; null with one layer, whose spans are in the field's order
  CrLayerPlaces places;
} Unpack;

static uint32_t fail(Unpack *u) {
  u->failed = true;
  return 0;
}

static uint32_t take_byte(Unpack *u) { return u->at == u->end ? fail(u) : *u->at++; }

static uint32_t take_varint(Unpack *u) {
  uint32_t value = 0;
  for (uint32_t shift = 0; shift < 35; shift += 7) {
    uint32_t byte = take_byte(u);
    if (shift == 28 && byte > 0x0F) return fail(u);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return fail(u);
}

// --- One layer --------------------------------------------------------------------------------------------------------

// Columns of the layer's spans; returns how many there are.
static uint32_t take_runs(Unpack *u) {
  const CrGrid *grid = &u->field->grid;
  uint32_t columns = (uint32_t)grid->width * (uint32_t)grid->depth, next = 0, first = u->count;
  for (uint32_t runs = take_varint(u); runs && !u->failed; runs--) {
    uint32_t skip = take_varint(u), length = take_varint(u);
    if (length == 0 || skip > columns - next || length > columns - next - skip || length > u->capacity - u->count) {
      return fail(u);
    }
    next += skip;
    for (uint32_t i = 0; i < length; i++) u->column[u->count++] = next++;
  }
  return u->count - first;
}

static int32_t other_floor(Unpack *u, int32_t expected) {
  uint32_t zigzag = take_varint(u);
  int64_t half = zigzag / 2 + (zigzag & 1), floor = expected + (zigzag & 1 ? -half : half);
  if (floor < 0 || floor > CR_LAYERS_MAX_FLOOR) return (int32_t)fail(u);
  return (int32_t)floor;
}

// Floors, and the links that are to be expected.
static void take_floors(Unpack *u, uint32_t first, uint32_t count) {
  uint32_t predictor = take_byte(u), width = (uint32_t)u->field->grid.width;
  const uint8_t *symbols = u->at;
  if (predictor >= CR_PREDICT_COUNT || (size_t)(u->end - u->at) < (count + 3) / 4) {
    fail(u);
    return;
  }
  u->at += (count + 3) / 4;
  u->places.first = first;
  int32_t climb = u->field->cells.climb, last = 0, *floors = u->floor;
  uint32_t x = 0, z = 0, next = CR_NO_SPAN;  // next: the column after the last one
  for (uint32_t i = 0; i < count; i++) {
    uint32_t number = first + i, column = u->column[number];
    if (column == next && x + 1 < width) {
      x++;
    } else {
      x = column % width;
      z = column / width;
    }
    next = column + 1;
    size_t place = cr__layer_place(&u->places, x, z);
    CrLayerAround around = cr__layer_around(&u->places, place);
    int32_t floor = cr__layer_predict(floors, &around, last, (CrLayerPredictor)predictor);
    uint32_t symbol = symbols[i / 4] >> (i % 4 * 2) & 3;
    if (symbol == CR_FLOOR_OTHER) floor = other_floor(u, floor);
    floor += symbol == CR_FLOOR_UP ? 1 : symbol == CR_FLOOR_DOWN ? -1 : 0;
    u->failed |= floor < 0 || floor > CR_LAYERS_MAX_FLOOR;
    floors[number] = last = floor;
    u->places.at[place] = number + 1;
    u->left[number] = cr__layer_linked(floors, number, around.left, climb) ? around.left : CR_NO_SPAN;
    u->above[number] = cr__layer_linked(floors, number, around.above, climb) ? around.above : CR_NO_SPAN;
  }
}

static void take_areas(Unpack *u, uint32_t first, uint32_t count) {
  for (uint32_t done = 0; done < count && !u->failed;) {
    uint32_t area = take_byte(u), length = take_varint(u);
    if (length == 0 || length > count - done || (area > CR_MAX_AREA && area != CR_AREA_NONE)) {
      fail(u);
      return;
    }
    memset(u->area + first + done, (int)area, length);
    done += length;
  }
}

static void toggle(Unpack *u, uint32_t *link, uint32_t neighbour) {
  if (neighbour == CR_NO_SPAN) {
    fail(u);
  } else {
    *link = *link == CR_NO_SPAN ? neighbour : CR_NO_SPAN;
  }
}

static void take_surprises(Unpack *u, uint32_t first, uint32_t count) {
  uint32_t width = (uint32_t)u->field->grid.width, next = 0;
  for (uint32_t left = take_varint(u); left && !u->failed; left--) {
    uint32_t gap = take_varint(u), mask = take_byte(u);
    if (next >= count || gap >= count - next || mask == 0 || mask > 3) {
      fail(u);
      return;
    }
    uint32_t number = first + next + gap, column = u->column[number];
    CrLayerAround around = cr__layer_around(&u->places, cr__layer_place(&u->places, column % width, column / width));
    if (mask & 1) toggle(u, &u->left[number], around.left);
    if (mask & 2) toggle(u, &u->above[number], around.above);
    next += gap + 1;
  }
}

static void take_layer(Unpack *u) {
  uint32_t first = u->count, count = take_runs(u);
  if (count == 0) fail(u);
  if (!u->failed) take_floors(u, first, count);
  if (!u->failed) take_areas(u, first, count);
  if (!u->failed) take_surprises(u, first, count);
}

// --- The field --------------------------------------------------------------------------------------------------------

static void count_columns(Unpack *u) {
  uint32_t *first = u->field->first;
  size_t columns = (size_t)u->field->grid.width * (size_t)u->field->grid.depth;
  for (uint32_t i = 0; i < u->count; i++) first[u->column[i] + 1]++;
  for (size_t c = 0; c < columns; c++) first[c + 1] += first[c];
}

// Puts slots[top] where it belongs in the heap of the slots before `count`, the highest floor on top.
static void sift_down(const Unpack *u, uint32_t *slots, size_t top, size_t count) {
  uint32_t number = slots[top];
  for (size_t child; (child = 2 * top + 1) < count; top = child) {
    if (child + 1 < count && u->floor[slots[child + 1]] > u->floor[slots[child]]) child++;
    if (u->floor[slots[child]] <= u->floor[number]) break;
    slots[top] = slots[child];
  }
  slots[top] = number;
}

// By floor. A column rarely has more than a few spans, but a file can put them all into one.
static void sort_column(const Unpack *u, uint32_t *slots, size_t count) {
  for (size_t top = count / 2; top-- > 0;) sift_down(u, slots, top, count);
  for (size_t last = count; last-- > 1;) {
    uint32_t highest = slots[0];
    slots[0] = slots[last];
    slots[last] = highest;
    sift_down(u, slots, 0, last);
  }
}

// Whether a column's spans are not in order yet.
static bool is_mixed(const Unpack *u, const uint32_t *slots, size_t count) {
  for (size_t i = 1; i < count; i++) {
    if (u->floor[slots[i - 1]] > u->floor[slots[i]]) return true;
  }
  return false;
}

// Spans by column, then floor. `slots` is as long as there are spans. The starts of columns serve as their ends meanwhile: each column is
// filled from its end down.
static void place_spans(Unpack *u, uint32_t *slots) {
  CrOpenField *field = u->field;
  uint32_t *ends = field->first + 1;
  for (uint32_t i = u->count; i-- > 0;) slots[--ends[u->column[i]]] = i;
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  memmove(field->first, ends, columns * sizeof *ends);
  field->first[columns] = u->count;
  for (size_t c = 0; c < columns; c++) {
    uint32_t first = field->first[c], count = field->first[c + 1] - first;
    if (is_mixed(u, slots + first, count)) sort_column(u, slots + first, count);
  }
  for (uint32_t span = 0; span < u->count; span++) {
    uint32_t number = slots[span];
    u->place[number] = span;
    field->floor[span] = u->floor[number];
    field->area[span] = u->area[number];
    if (span == 0) continue;
    u->failed |= u->column[slots[span - 1]] == u->column[number] && field->floor[span - 1] == field->floor[span];
  }
}

static void link(Unpack *u, uint32_t span, uint32_t dir, uint32_t other) {
  uint32_t *there = &u->field->neighbour[4 * (size_t)span + dir];
  uint32_t *back = &u->field->neighbour[4 * (size_t)other + ((dir + 2) & 3)];
  if (*there != CR_NO_SPAN || *back != CR_NO_SPAN) {
    fail(u);
    return;
  }
  *there = other;
  *back = span;
}

static uint32_t place_of(const Unpack *u, uint32_t number) { return u->place ? u->place[number] : number; }

// Within layers each span has at most one neighbour a side, so these cannot meet.
static void link_layers(Unpack *u) {
  uint32_t *neighbour = u->field->neighbour;
  for (uint32_t number = 0; number < u->count; number++) {
    uint32_t span = place_of(u, number);
    if (u->left[number] != CR_NO_SPAN) {
      uint32_t other = place_of(u, u->left[number]);
      neighbour[4 * (size_t)span] = other;
      neighbour[4 * (size_t)other + 2] = span;
    }
    if (u->above[number] != CR_NO_SPAN) {
      uint32_t other = place_of(u, u->above[number]);
      neighbour[4 * (size_t)span + 3] = other;
      neighbour[4 * (size_t)other + 1] = span;
    }
  }
}

static void take_links_across(Unpack *u) {
  const CrOpenField *field = u->field;
  uint32_t width = (uint32_t)field->grid.width, number = 0;
  for (uint32_t left = take_varint(u); left && !u->failed; left--) {
    uint32_t gap = take_varint(u), dir = take_byte(u), rank = take_varint(u);
    if (number >= u->count || gap >= u->count - number || (dir != 0 && dir != 3)) {
      fail(u);
      return;
    }
    number += gap;
    uint32_t column = u->column[number];
    if (dir == 0 ? column % width == 0 : column < width) {
      fail(u);
      return;
    }
    uint32_t beside = dir == 0 ? column - 1 : column - width;
    if (rank >= field->first[beside + 1] - field->first[beside]) {
      fail(u);
      return;
    }
    link(u, place_of(u, number), dir, field->first[beside] + rank);
  }
}

// --- The call ---------------------------------------------------------------------------------------------------------

static bool allocate(Unpack *u, bool one_layer, CrArena *arena) {
  CrOpenField *field = u->field;
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth, count = u->capacity;
  field->first = cr__arena_zeroed(arena, columns + 1, sizeof *field->first);
  field->floor = cr__arena_alloc(arena, count, sizeof *field->floor);
  field->area = cr__arena_alloc(arena, count, sizeof *field->area);
  field->neighbour = cr__arena_alloc(arena, 4 * count, sizeof *field->neighbour);
  field->region = cr__arena_zeroed(arena, count, sizeof *field->region);
  u->floor = one_layer ? field->floor : cr__arena_alloc(arena, count, sizeof *u->floor);
  u->area = one_layer ? field->area : cr__arena_alloc(arena, count, sizeof *u->area);
  u->place = one_layer ? NULL : cr__arena_alloc(arena, count, sizeof *u->place);
  uint32_t **arrays[] = {&u->column, &u->left, &u->above};
  for (size_t i = 0; i < CR_COUNT_OF(arrays); i++) *arrays[i] = cr__arena_alloc(arena, count, sizeof(uint32_t));
  return cr__layer_places(&field->grid, arena, &u->places) && !arena->failed;
}

static CrStatus take_field(Unpack *u, uint32_t layer_count) {
  if (take_varint(u) != layer_count) fail(u);
  for (uint32_t layer = 0; layer < layer_count && !u->failed; layer++) take_layer(u);
  if (u->failed || u->count != u->capacity) return CR_STATUS_BAD_VALUE;
  count_columns(u);
  if (u->place) place_spans(u, u->field->neighbour);  // which is free until the links are made
  memset(u->field->neighbour, 0xFF, 4 * sizeof(uint32_t) * (size_t)u->count);
  link_layers(u);
  take_links_across(u);
  return u->failed || u->at != u->end ? CR_STATUS_BAD_VALUE : CR_STATUS_OK;
}

// Before memory is taken by them: a span takes a quarter of a byte at least, and with its share of all lists fewer than 64.
static bool are_counts_possible(const CrPackedLayers *layers, const CrGrid *grid) {
  uint64_t columns = (uint64_t)grid->width * (uint64_t)grid->depth, spans = layers->span_count;
  return layers->raw_size <= CR_LAYERS_MAX_BYTES && spans <= CR_LAYERS_MAX_SPANS && spans / 4 <= layers->raw_size &&
         layers->raw_size <= 64 * spans + 64 && layers->layer_count <= spans && spans <= columns * layers->layer_count;
}

CrStatus cr__layers_unpack(const CrPackedLayers *layers, const CrGrid *grid, const CrCells *cells, CrArena *arena,
                           CrOpenField *out) {
  if (!are_counts_possible(layers, grid)) return CR_STATUS_BAD_VALUE;
  *out = (CrOpenField){.grid = *grid, .cells = *cells, .count = layers->span_count};
  uint8_t *raw = cr__arena_alloc(arena, layers->raw_size, 1);
  if (!raw) return CR_STATUS_OUT_OF_MEMORY;
  if (!cr__unpack(layers->data, layers->size, raw, layers->raw_size)) return CR_STATUS_BAD_VALUE;
  Unpack u = {.at = raw, .end = raw + layers->raw_size, .field = out, .capacity = layers->span_count};
  if (!allocate(&u, layers->layer_count == 1, arena)) return CR_STATUS_OUT_OF_MEMORY;
  return take_field(&u, layers->layer_count);
}
