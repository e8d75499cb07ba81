// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Rasterization: every column a triangle overlaps gets a solid span from the lowest to the highest point of the triangle
// above that column, exactly clipped. Coordinates are in GLOBAL cells (snapped to cell lines they all but touch) and every intersection is computed
// from the triangle's own edges at global cell lines, so that a column's spans do not depend on which tile is being built.
#include "settings_internal.h"

// Lowest and highest height over each column of one row; columns are grid-local.
typedef struct Row {
  double *low, *high;
  int32_t first, last;  // local columns the triangle overlaps in this row; empty when first > last
  int32_t cell_x;       // global number of local column 0
} Row;

bool cr__span_field_init(CrSpanField *field, const CrGrid *grid, CrArena *arena) {
  size_t columns = (size_t)grid->width * (size_t)grid->depth;
  *field = (CrSpanField){.grid = *grid};
  field->columns = cr__arena_zeroed(arena, columns, sizeof *field->columns);
  field->latest = cr__arena_zeroed(arena, columns, sizeof *field->latest);
  field->span_capacity = columns + columns / 4 + 64;
  field->spans = cr__arena_alloc(arena, field->span_capacity, sizeof *field->spans);
  field->row_low = cr__arena_alloc(arena, (size_t)grid->width, sizeof(double));
  field->row_high = cr__arena_alloc(arena, (size_t)grid->width, sizeof(double));
  return !arena->failed;
}

// Walkable wins over unwalkable, a larger area over a smaller: whatever the order of the triangles.
static uint8_t merged_area(uint8_t a, uint8_t b) {
  if (a == CR_AREA_NONE) return b;
  if (b == CR_AREA_NONE) return a;
  return a > b ? a : b;
}

static uint32_t take_span(CrSpanField *field, CrArena *arena) {
  if (field->free_list) {
    uint32_t index = field->free_list - 1;
    field->free_list = field->spans[index].next;
    return index;
  }
  size_t needed = field->span_count + 1;
  if (!cr__arena_grow(arena, (void **)&field->spans, &field->span_capacity, field->span_count, needed,
                      sizeof *field->spans)) {
    return UINT32_MAX;
  }
  return (uint32_t)field->span_count++;
}

// Merges `fresh` with every span of the column it overlaps or touches.
static bool add_span(CrSpanField *field, CrArena *arena, size_t column, CrSpan fresh, int32_t merge_climb) {
  uint32_t previous = 0, current = field->columns[column], latest = field->latest[column];
  // What lies below the latest span cannot meet what lies above it. It is always in the chain: what takes its place is the latest.
  if (latest && field->spans[latest - 1].high < fresh.low) {
    previous = latest;
    current = field->spans[latest - 1].next;
  }
  while (current) {
    CrSpan *span = &field->spans[current - 1];
    if (span->low > fresh.high) break;
    uint32_t next = span->next;
    if (span->high < fresh.low) {
      previous = current;
      current = next;
      continue;
    }
    int32_t gap = span->high - fresh.high;
    if (gap <= merge_climb && gap >= -merge_climb) {
      fresh.area = merged_area(fresh.area, span->area);
    } else if (gap > 0) {
      fresh.area = span->area;
    }
    if (span->low < fresh.low) fresh.low = span->low;
    if (span->high > fresh.high) fresh.high = span->high;
    span->next = field->free_list;
    field->free_list = current;
    if (previous) {
      field->spans[previous - 1].next = next;
    } else {
      field->columns[column] = next;
    }
    current = next;
  }
  uint32_t index = take_span(field, arena);
  if (index == UINT32_MAX) return false;
  fresh.next = current;
  field->spans[index] = fresh;
  field->latest[column] = index + 1;
  if (previous) {
    field->spans[previous - 1].next = index + 1;
  } else {
    field->columns[column] = index + 1;
  }
  return true;
}

static void cover(Row *row, int32_t column, double y) {
  if (column < row->first) column = row->first;
  if (column > row->last) column = row->last;
  if (y < row->low[column]) row->low[column] = y;
  if (y > row->high[column]) row->high[column] = y;
}

static double clamped_floor(double x, double low, double high) { return cr__floor(cr__clamp(x, low, high)); }

// Heights of a segment over the columns it crosses: its ends and its points on every cell line between.
static void cover_segment(Row *row, CrVec3 a, CrVec3 b) {
  if (a.x > b.x) {
    CrVec3 swap = a;
    a = b;
    b = swap;
  }
  double left = (double)(row->cell_x + row->first), right = (double)(row->cell_x + row->last + 1);
  if (b.x < left || a.x > right) return;
  if (a.x >= left) cover(row, (int32_t)(clamped_floor(a.x, left, right) - (double)row->cell_x), a.y);
  if (b.x <= right) cover(row, (int32_t)(clamped_floor(b.x, left, right) - (double)row->cell_x), b.y);
  if (a.x == b.x) return;
  double slope = (b.y - a.y) / (b.x - a.x);
  int32_t from = (int32_t)cr__ceil(cr__max(a.x, left)), to = (int32_t)cr__floor(cr__min(b.x, right));
  for (int32_t line = from; line <= to; line++) {
    double y = a.y + slope * ((double)line - a.x);
    cover(row, line - row->cell_x - 1, y);
    cover(row, line - row->cell_x, y);
  }
}

// The part of a triangle within one row of cells: up to three pieces of its edges and one piece of either cell line.
typedef struct Strip {
  CrVec3 ends[10];
  int count;
} Strip;

static CrVec3 at_z(CrVec3 a, CrVec3 b, double z) {
  double t = (z - a.z) / (b.z - a.z);
  return cr__vec(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, z);
}

static void add_line_piece(Strip *strip, double z, int edge_ends) {
  int left = -1, right = -1;
  for (int i = 0; i < edge_ends; i++) {
    if (strip->ends[i].z != z) continue;
    if (left < 0 || strip->ends[i].x < strip->ends[left].x) left = i;
    if (right < 0 || strip->ends[i].x > strip->ends[right].x) right = i;
  }
  if (left < 0 || left == right) return;
  strip->ends[strip->count] = strip->ends[left];
  strip->ends[strip->count + 1] = strip->ends[right];
  strip->count += 2;
}

static Strip cut_strip(const CrVec3 corners[3], double z0, double z1) {
  Strip strip = {.count = 0};
  for (int k = 0; k < 3; k++) {
    CrVec3 a = corners[k], b = corners[(k + 1) % 3];
    if (a.z > b.z) {
      CrVec3 swap = a;
      a = b;
      b = swap;
    }
    if (b.z < z0 || a.z > z1) continue;
    strip.ends[strip.count++] = a.z < z0 ? at_z(a, b, z0) : a;
    strip.ends[strip.count++] = b.z > z1 ? at_z(a, b, z1) : b;
  }
  int edge_ends = strip.count;
  add_line_piece(&strip, z0, edge_ends);
  add_line_piece(&strip, z1, edge_ends);
  return strip;
}

// Columns (grid-local) between two coordinates: a zero-width range on a cell line belongs to the cell on its right.
static void column_range(double low, double high, int32_t cell, int32_t count, int32_t *first, int32_t *last) {
  double from = cr__floor(low), to = cr__ceil(high) - 1.0;
  if (to < from) to = from;
  *first = from <= (double)cell ? 0 : (from - (double)cell >= (double)count ? count : (int32_t)(from - (double)cell));
  *last = to < (double)cell ? -1 : (to - (double)cell >= (double)count ? count - 1 : (int32_t)(to - (double)cell));
}

static bool fill_row(CrSpanField *field, CrArena *arena, const Row *row, int32_t z, uint8_t area, int32_t merge_climb) {
  size_t base = (size_t)z * (size_t)field->grid.width;
  for (int32_t x = row->first; x <= row->last; x++) {
    if (row->low[x] > row->high[x]) continue;
    int32_t high = (int32_t)cr__ceil(cr__snap(row->high[x])), low = (int32_t)cr__floor(cr__snap(row->low[x]));
    CrSpan span = {low < high ? low : high - 1, high, 0, area};
    if (!add_span(field, arena, base + (size_t)x, span, merge_climb)) return false;
  }
  return true;
}

static void measure_row(Row *row, const Strip *strip, int32_t width) {
  double left = strip->ends[0].x, right = left;
  for (int i = 1; i < strip->count; i++) {
    left = cr__min(left, strip->ends[i].x);
    right = cr__max(right, strip->ends[i].x);
  }
  column_range(left, right, row->cell_x, width, &row->first, &row->last);
}

// Coordinates in cells: x and z global, y above the grid's origin.
static CrVec3 to_cells(const CrGrid *grid, CrVec3 p) {
  return cr__vec(cr__snap((p.x - grid->origin_x) / grid->cell_size), (p.y - grid->origin_y) / grid->cell_height,
                 cr__snap((p.z - grid->origin_z) / grid->cell_size));
}

bool cr__rasterize_triangle(CrSpanField *field, CrArena *arena, const CrVec3 corners[3], uint8_t area,
                            int32_t merge_climb) {
  const CrGrid *grid = &field->grid;
  CrVec3 p[3];
  for (int k = 0; k < 3; k++) p[k] = to_cells(grid, corners[k]);
  double z_min = cr__min(p[0].z, cr__min(p[1].z, p[2].z)), z_max = cr__max(p[0].z, cr__max(p[1].z, p[2].z));
  bool flat = p[0].y == p[1].y && p[0].y == p[2].y;
  int32_t first, last;
  column_range(z_min, z_max, grid->cell_z, grid->depth, &first, &last);
  Row row = {field->row_low, field->row_high, 0, -1, grid->cell_x};
  for (int32_t z = first; z <= last; z++) {
    double z0 = (double)(grid->cell_z + z);
    Strip strip = cut_strip(p, z0, z0 + 1.0);
    if (strip.count == 0) continue;
    measure_row(&row, &strip, grid->width);
    for (int32_t x = row.first; x <= row.last; x++) {
      row.low[x] = flat ? p[0].y : (double)INT32_MAX;
      row.high[x] = flat ? p[0].y : (double)INT32_MIN;
    }
    for (int i = 0; !flat && row.first <= row.last && i < strip.count; i += 2) {
      cover_segment(&row, strip.ends[i], strip.ends[i + 1]);
    }
    if (!fill_row(field, arena, &row, z, area, merge_climb)) return false;
  }
  return true;
}

uint64_t cr__span_field_live(const CrSpanField *field) {
  uint64_t live = field->span_count;
  for (uint32_t link = field->free_list; link; link = field->spans[link - 1].next) live--;
  return live;
}
