// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What of the solid surface can be walked on, decided on spans: low obstacles are stepped over, ledges and places without headroom
// are not stood on.
#include "build_internal.h"

static CrSpan *span_at(const CrSpanField *field, uint32_t link) { return link ? &field->spans[link - 1] : NULL; }

static int32_t ceiling_above(const CrSpanField *field, const CrSpan *span) {
  return span->next ? field->spans[span->next - 1].low : INT32_MAX;
}

// Heights are below 2^31 apart by the grid's limits, but a ceiling may be INT32_MAX: subtract wide.
static int64_t gap(int32_t top, int32_t bottom) { return (int64_t)top - bottom; }

void cr__filter_low_obstacles(CrSpanField *field, const CrCells *cells) {
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  for (size_t column = 0; column < columns; column++) {
    uint8_t below = CR_AREA_NONE;  // area of the span below, as it was before this filter
    int32_t below_high = 0;
    for (CrSpan *span = span_at(field, field->columns[column]); span; span = span_at(field, span->next)) {
      uint8_t area = span->area;
      if (area == CR_AREA_NONE && below != CR_AREA_NONE && gap(span->high, below_high) <= cells->climb) {
        span->area = below;
      }
      below = area;
      below_high = span->high;
    }
  }
}

// Floors next to one span: how far down the lowest one an agent could step to is, and the spread of those within climb.
typedef struct Surroundings {
  int64_t lowest;  // relative to the span's top
  int64_t reachable_low, reachable_high;
} Surroundings;

static void look_at_floor(Surroundings *around, const CrCells *cells, int32_t bottom, int32_t top, int32_t floor,
                          int32_t ceiling) {
  int32_t space_low = bottom > floor ? bottom : floor, space_high = top < ceiling ? top : ceiling;
  if (gap(space_high, space_low) < cells->height) return;
  int64_t step = gap(floor, bottom);
  if (step < around->lowest) around->lowest = step;
  if (step > cells->climb || step < -cells->climb) return;
  if (step < around->reachable_low) around->reachable_low = step;
  if (step > around->reachable_high) around->reachable_high = step;
}

// A neighbouring column, looked at from spans further and further up: what ends below the span at hand is never looked at again.
typedef struct Beside {
  const CrSpan *lowest, *from;
} Beside;

static void look_at_column(const CrSpanField *field, const CrCells *cells, Surroundings *around, Beside *beside,
                           int32_t bottom, int32_t top) {
  int32_t ceiling = beside->lowest ? beside->lowest->low : INT32_MAX;
  // Below the lowest span there is a drop of unknown depth: it counts as just too deep.
  if (gap(top < ceiling ? top : ceiling, bottom) >= cells->height) around->lowest = -(int64_t)cells->climb - 1;
  while (beside->from && ceiling_above(field, beside->from) <= bottom) {
    beside->from = span_at(field, beside->from->next);
  }
  for (const CrSpan *span = beside->from; span && span->high < top; span = span_at(field, span->next)) {
    look_at_floor(around, cells, bottom, top, span->high, ceiling_above(field, span));
  }
}

static bool is_ledge(const CrSpanField *field, const CrCells *cells, Beside beside[4], const CrSpan *span) {
  int32_t bottom = span->high, top = ceiling_above(field, span);
  Surroundings around = {INT32_MAX, 0, 0};
  for (int dir = 0; dir < 4; dir++) look_at_column(field, cells, &around, &beside[dir], bottom, top);
  return around.lowest < -(int64_t)cells->climb || around.reachable_high - around.reachable_low > cells->climb;
}

// The same where a column and the four around it hold one span or none each, as most do.
static bool is_lone_ledge(const CrCells *cells, const CrSpan *const beside[4], const CrSpan *span) {
  int64_t low = 0, high = 0, climb = cells->climb;
  for (int dir = 0; dir < 4; dir++) {
    if (!beside[dir] || gap(beside[dir]->low, span->high) >= cells->height) return true;
    int64_t step = gap(beside[dir]->high, span->high);
    if (step < -climb) return true;
    if (step > climb) continue;
    low = step < low ? step : low;
    high = step > high ? step : high;
  }
  return high - low > climb;
}

static void filter_column(CrSpanField *field, const CrCells *cells, size_t column) {
  size_t width = (size_t)field->grid.width;
  const size_t around[4] = {column - 1, column + width, column + 1, column - width};  // in the order of directions
  const CrSpan *lowest[4];
  CrSpan *span = span_at(field, field->columns[column]);
  if (!span) return;
  bool lone = !span->next;
  for (int dir = 0; dir < 4; dir++) {
    lowest[dir] = span_at(field, field->columns[around[dir]]);
    lone = lone && !(lowest[dir] && lowest[dir]->next);
  }
  if (lone) {
    if (span->area != CR_AREA_NONE && is_lone_ledge(cells, lowest, span)) span->area = CR_AREA_NONE;
    return;
  }
  Beside beside[4];
  for (int dir = 0; dir < 4; dir++) beside[dir] = (Beside){lowest[dir], lowest[dir]};
  for (; span; span = span_at(field, span->next)) {
    if (span->area != CR_AREA_NONE && is_ledge(field, cells, beside, span)) span->area = CR_AREA_NONE;
  }
}

// The world ends beyond it: all ledges.
static void filter_edge_column(CrSpanField *field, size_t column) {
  for (CrSpan *span = span_at(field, field->columns[column]); span; span = span_at(field, span->next)) {
    span->area = CR_AREA_NONE;
  }
}

void cr__filter_ledges(CrSpanField *field, const CrCells *cells) {
  int32_t width = field->grid.width, depth = field->grid.depth;
  size_t column = 0;
  for (int32_t z = 0; z < depth; z++) {
    for (int32_t x = 0; x < width; x++, column++) {
      if (x == 0 || z == 0 || x == width - 1 || z == depth - 1) {
        filter_edge_column(field, column);
      } else {
        filter_column(field, cells, column);
      }
    }
  }
}

void cr__filter_low_headroom(CrSpanField *field, const CrCells *cells) {
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  for (size_t column = 0; column < columns; column++) {
    for (CrSpan *span = span_at(field, field->columns[column]); span; span = span_at(field, span->next)) {
      if (gap(ceiling_above(field, span), span->high) < cells->height) span->area = CR_AREA_NONE;
    }
  }
}
