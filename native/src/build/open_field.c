// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From solid spans to the open space above walkable floors, and erosion by the agent's radius. Neighbour links are symmetric: b is a's neighbour in
// a direction exactly when a is b's in the opposite one.
#include "regions_internal.h"

static bool allocate_field(const CrSpanField *spans, CrArena *arena, CrOpenField *out) {
  size_t columns = (size_t)spans->grid.width * (size_t)spans->grid.depth;
  uint32_t count = 0;
  for (size_t column = 0; column < columns; column++) {
    for (uint32_t link = spans->columns[column]; link; link = spans->spans[link - 1].next) {
      count += spans->spans[link - 1].area != CR_AREA_NONE;
    }
  }
  out->count = count;
  out->first = cr__arena_alloc(arena, columns + 1, sizeof *out->first);
  out->floor = cr__arena_alloc(arena, count, sizeof *out->floor);
  out->headroom = cr__arena_alloc(arena, count, sizeof *out->headroom);
  out->area = cr__arena_alloc(arena, count, sizeof *out->area);
  out->neighbour = cr__arena_alloc(arena, 4 * (size_t)count, sizeof *out->neighbour);
  out->region = cr__arena_zeroed(arena, count, sizeof *out->region);
  return !arena->failed;
}

static void collect_spans(const CrSpanField *spans, CrOpenField *out) {
  size_t columns = (size_t)spans->grid.width * (size_t)spans->grid.depth;
  uint32_t index = 0;
  for (size_t column = 0; column < columns; column++) {
    out->first[column] = index;
    for (uint32_t link = spans->columns[column]; link;) {
      const CrSpan *span = &spans->spans[link - 1];
      link = span->next;
      if (span->area == CR_AREA_NONE) continue;
      out->floor[index] = span->high;
      out->headroom[index] = link ? spans->spans[link - 1].low - span->high : INT32_MAX;
      out->area[index++] = span->area;
    }
  }
  out->first[columns] = index;
}

static int64_t ceiling(const CrOpenField *field, uint32_t span) {
  return field->headroom[span] == INT32_MAX ? INT64_MAX : (int64_t)field->floor[span] + field->headroom[span];
}

// The spans of a neighbouring column that may still be stepped to from spans further and further up.
typedef struct Beside {
  uint32_t from, end;
} Beside;

#define TALL 8  // spans; in lower columns it costs more to skip than to look

// The span an agent steps to from a floor with its ceiling: the one with the smallest step, the lower on a tie.
static uint32_t step_to(const CrOpenField *field, int64_t floor, int64_t top, Beside *beside) {
  uint32_t best = CR_NO_SPAN;
  int64_t climb = field->cells.climb, height = field->cells.height, best_step = climb + 1;
  if (beside->end - beside->from > TALL) {
    while (beside->from < beside->end && ceiling(field, beside->from) <= floor) beside->from++;
  }
  for (uint32_t other = beside->from; other < beside->end; other++) {
    int64_t rise = field->floor[other] - floor, step = rise < 0 ? -rise : rise;
    if (step >= best_step) {
      if (rise > 0) break;  // higher ones are farther still
      continue;
    }
    int64_t other_top = ceiling(field, other);
    if ((other_top < top ? other_top : top) - (rise > 0 ? floor + rise : floor) < height) continue;
    best = other;
    best_step = step;
  }
  return best;
}

static bool is_in_step(const CrOpenField *field, int64_t floor, int64_t top, uint32_t other) {
  int64_t rise = field->floor[other] - floor, other_top = ceiling(field, other);
  if (rise > field->cells.climb || rise < -(int64_t)field->cells.climb) return false;
  return (other_top < top ? other_top : top) - (rise > 0 ? floor + rise : floor) >= field->cells.height;
}

// A column of one span, as most are, whose neighbours mostly are too.
static void link_lone_span(CrOpenField *field, uint32_t span, const Beside around[4]) {
  int64_t floor = field->floor[span], top = ceiling(field, span);
  for (size_t dir = 0; dir < 4; dir++) {
    Beside beside = around[dir];
    uint32_t *link = &field->neighbour[4 * (size_t)span + dir];
    if (beside.end - beside.from == 1) {
      *link = is_in_step(field, floor, top, beside.from) ? beside.from : CR_NO_SPAN;
    } else {
      *link = step_to(field, floor, top, &beside);
    }
  }
}

// The columns around one in the order of directions; empty beyond the grid.
static void look_around(const CrOpenField *field, int32_t x, int32_t z, Beside out[4]) {
  const CrGrid *grid = &field->grid;
  size_t width = (size_t)grid->width;
  const uint32_t *first = &field->first[(size_t)z * width + (size_t)x];
  memset(out, 0, 4 * sizeof *out);
  if (x > 0) out[0] = (Beside){first[-1], first[0]};
  if (z + 1 < grid->depth) out[1] = (Beside){first[width], first[width + 1]};
  if (x + 1 < grid->width) out[2] = (Beside){first[1], first[2]};
  if (z > 0) out[3] = (Beside){*(first - width), *(first - width + 1)};
}

static void link_column(CrOpenField *field, int32_t x, int32_t z, uint32_t first, uint32_t end) {
  Beside beside[4];
  look_around(field, x, z, beside);
  if (end - first == 1) {
    link_lone_span(field, first, beside);
    return;
  }
  for (uint32_t span = first; span < end; span++) {
    int64_t floor = field->floor[span], top = ceiling(field, span);
    for (size_t dir = 0; dir < 4; dir++) {
      field->neighbour[4 * (size_t)span + dir] = step_to(field, floor, top, &beside[dir]);
    }
  }
}

static void cut_unless_mutual(CrOpenField *field, uint32_t span, size_t dir) {
  uint32_t *link = &field->neighbour[4 * (size_t)span + dir];
  if (*link != CR_NO_SPAN && field->neighbour[4 * (size_t)*link + ((dir + 2) & 3)] != span) *link = CR_NO_SPAN;
}

// Where headroom is scarce and climb generous, two floors may both choose a third: only mutual choices stay. Between two
// columns of one span each there is no choice.
static void keep_mutual_links(CrOpenField *field) {
  size_t column = 0;
  for (int32_t z = 0; z < field->grid.depth; z++) {
    for (int32_t x = 0; x < field->grid.width; x++, column++) {
      uint32_t first = field->first[column], end = field->first[column + 1];
      if (end - first < 2) continue;
      Beside beside[4];
      look_around(field, x, z, beside);
      for (size_t dir = 0; dir < 4; dir++) {
        for (uint32_t span = first; span < end; span++) cut_unless_mutual(field, span, dir);
        for (uint32_t span = beside[dir].from; span < beside[dir].end; span++) {
          cut_unless_mutual(field, span, (dir + 2) & 3);
        }
      }
    }
  }
}

bool cr__open_field(const CrSpanField *spans, const CrCells *cells, CrArena *arena, CrOpenField *out) {
  *out = (CrOpenField){.grid = spans->grid, .cells = *cells};
  if (!allocate_field(spans, arena, out)) return false;
  collect_spans(spans, out);
  size_t column = 0;
  for (int32_t z = 0; z < out->grid.depth; z++) {
    for (int32_t x = 0; x < out->grid.width; x++, column++) {
      uint32_t first = out->first[column], end = out->first[column + 1];
      if (first < end) link_column(out, x, z, first, end);
    }
  }
  keep_mutual_links(out);
  return true;
}

static bool at_boundary(const CrOpenField *field, uint32_t span, bool area_edges) {
  for (uint32_t dir = 0; dir < 4; dir++) {
    uint32_t other = field->neighbour[4 * (size_t)span + dir];
    if (other == CR_NO_SPAN || field->area[other] == CR_AREA_NONE) return true;
    if (area_edges && field->area[other] != field->area[span]) return true;
  }
  return false;
}

static void relax(const CrOpenField *field, uint16_t *distance, uint32_t span, uint32_t dir, uint32_t turn) {
  uint32_t straight = field->neighbour[4 * (size_t)span + dir];
  if (straight == CR_NO_SPAN) return;
  uint32_t d = distance[straight] + 2u;
  uint32_t diagonal = field->neighbour[4 * (size_t)straight + turn];
  if (diagonal != CR_NO_SPAN && distance[diagonal] + 3u < d) d = distance[diagonal] + 3u;
  if (d < distance[span]) distance[span] = (uint16_t)d;
}

// Chamfer distance (2 straight, 3 diagonal) to the nearest boundary span, in two sweeps.
uint16_t *cr__boundary_distance(const CrOpenField *field, bool area_edges, CrArena *arena) {
  uint16_t *distance = cr__arena_alloc(arena, field->count, sizeof *distance);
  if (!distance) return NULL;
  for (uint32_t span = 0; span < field->count; span++) {
    bool edge = field->area[span] == CR_AREA_NONE || at_boundary(field, span, area_edges);
    distance[span] = edge ? 0 : UINT16_MAX;
  }
  for (uint32_t span = 0; span < field->count; span++) {
    relax(field, distance, span, 0, 3);
    relax(field, distance, span, 3, 2);
  }
  for (uint32_t span = field->count; span-- > 0;) {
    relax(field, distance, span, 2, 1);
    relax(field, distance, span, 1, 0);
  }
  return distance;
}

bool cr__erode(CrOpenField *field, CrArena *arena) {
  if (field->cells.radius == 0 || field->count == 0) return true;
  const uint16_t *distance = cr__boundary_distance(field, false, arena);
  if (!distance) return false;
  for (uint32_t span = 0; span < field->count; span++) {
    if (distance[span] < 2 * field->cells.radius) field->area[span] = CR_AREA_NONE;
  }
  return true;
}
