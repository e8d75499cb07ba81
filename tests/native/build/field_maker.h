// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Open fields made by hand, for tests of the outline stages: columns of spans with floor, headroom, region and area, linked as the
// build links them.
#ifndef CR_TEST_FIELD_MAKER_H
#define CR_TEST_FIELD_MAKER_H

#include "build_internal.h"
#include "check.h"

typedef struct FieldSpan {
  int32_t x, z, floor, headroom;
  uint32_t region;
  uint8_t area;
} FieldSpan;

typedef struct FieldMaker {
  CrGrid grid;
  CrCells cells;
  FieldSpan *spans;  // any order; sorted by column, then floor
  size_t count, capacity;
} FieldMaker;

static inline FieldMaker field_maker(int32_t width, int32_t depth, int32_t border) {
  FieldMaker maker = {.cells = {.height = 10, .climb = 4, .radius = 0}};
  maker.grid = (CrGrid){.width = width,
                        .depth = depth,
                        .border = border,
                        .cell_x = -border,
                        .cell_z = -border,
                        .cell_size = 0.5,
                        .cell_height = 0.25};
  return maker;
}

static inline void field_add(FieldMaker *maker, FieldSpan span) {
  if (maker->count == maker->capacity) {
    maker->capacity = maker->capacity ? maker->capacity * 2 : 64;
    maker->spans = realloc(maker->spans, maker->capacity * sizeof *maker->spans);
    REQUIRE(maker->spans);
  }
  maker->spans[maker->count++] = span;
}

static inline int field_span_compare(const void *a, const void *b) {
  const FieldSpan *p = a, *q = b;
  if (p->z != q->z) return p->z < q->z ? -1 : 1;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  return (p->floor > q->floor) - (p->floor < q->floor);
}

static inline uint32_t field_link(const FieldMaker *maker, const CrOpenField *field, uint32_t span, int32_t x,
                                  int32_t z) {
  if (x < 0 || z < 0 || x >= maker->grid.width || z >= maker->grid.depth) return CR_NO_SPAN;
  size_t column = (size_t)x + (size_t)z * (size_t)maker->grid.width;
  for (uint32_t t = field->first[column]; t < field->first[column + 1]; t++) {
    int64_t low = field->floor[span] > field->floor[t] ? field->floor[span] : field->floor[t];
    int64_t top_s = (int64_t)field->floor[span] + field->headroom[span];
    int64_t top_t = (int64_t)field->floor[t] + field->headroom[t];
    int64_t high = top_s < top_t ? top_s : top_t;
    int64_t step = llabs((int64_t)field->floor[span] - field->floor[t]);
    if (step <= maker->cells.climb && high - low >= maker->cells.height) return t;
  }
  return CR_NO_SPAN;
}

// The field; its arrays live in `arena`.
static inline CrOpenField field_make(FieldMaker *maker, CrArena *arena) {
  CrOpenField field = {.grid = maker->grid, .cells = maker->cells, .count = (uint32_t)maker->count};
  size_t columns = (size_t)maker->grid.width * (size_t)maker->grid.depth, count = maker->count;
  if (count) qsort(maker->spans, count, sizeof *maker->spans, field_span_compare);
  field.first = cr__arena_zeroed(arena, columns + 1, sizeof *field.first);
  field.floor = cr__arena_alloc(arena, count, sizeof *field.floor);
  field.headroom = cr__arena_alloc(arena, count, sizeof *field.headroom);
  field.area = cr__arena_alloc(arena, count, 1);
  field.neighbour = cr__arena_alloc(arena, count, 4 * sizeof *field.neighbour);
  field.region = cr__arena_alloc(arena, count, sizeof *field.region);
  REQUIRE(field.first && field.floor && field.headroom && field.area && field.neighbour && field.region);
  for (size_t i = 0; i < count; i++) {
    const FieldSpan *s = &maker->spans[i];
    field.first[(size_t)s->x + (size_t)s->z * (size_t)maker->grid.width + 1]++;
    field.floor[i] = s->floor;
    field.headroom[i] = s->headroom;
    field.area[i] = s->area;
    field.region[i] = s->region;
    if ((s->region & ~CR_BORDER_REGION) > field.region_count) field.region_count = s->region & ~CR_BORDER_REGION;
  }
  for (size_t c = 0; c < columns; c++) field.first[c + 1] += field.first[c];
  for (size_t i = 0; i < count; i++) {
    for (int dir = 0; dir < 4; dir++) {
      const FieldSpan *s = &maker->spans[i];
      field.neighbour[i * 4 + (size_t)dir] =
          field_link(maker, &field, (uint32_t)i, s->x + cr__dir_x[dir], s->z + cr__dir_z[dir]);
    }
  }
  return field;
}

static inline void field_maker_free(FieldMaker *maker) {
  free(maker->spans);
  *maker = (FieldMaker){0};
}

// Rows of a map, the first at z = 0: '.' and ' ' nothing, a letter a region of its own ('a' is 1). All at one floor height.
static inline FieldMaker field_from_map(const char *map, int32_t border) {
  int32_t width = 0, depth = 0, x = 0;
  for (const char *c = map; *c; c++) {
    if (*c == '\n') {
      depth++;
      x = 0;
    } else if (++x > width) {
      width = x;
    }
  }
  FieldMaker maker = field_maker(width, depth, border);
  int32_t z = 0;
  x = 0;
  for (const char *c = map; *c; c++) {
    if (*c == '\n') {
      z++;
      x = 0;
      continue;
    }
    uint32_t region = (uint32_t)(*c - 'a' + 1);
    bool outside = x < border || z < border || x >= width - border || z >= depth - border;
    if (outside) region |= CR_BORDER_REGION;
    if (*c >= 'a' && *c <= 'z') field_add(&maker, (FieldSpan){x, z, 0, 1000, region, 0});
    x++;
  }
  return maker;
}

#endif
