// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The neighbour grid: agents sorted by rows along z and columns along x, so that the neighbours of an agent stand close to
// it in its row and in the rows next to it. A search walks its own row both ways, then row after row outward, until the
// farthest of the neighbours kept is nearer than anything left.
// Invariant: the answer is the set all pairs would give; row and column sizes only change how long it takes.
// order: (squared distance, slot).
#include "crowd_struct.h"

#define COLUMNS_PER_ROW 16.0   // column width as a part of the row height
#define SMALLEST_ROW 0.015625  // keeps row and column numbers within 32 bits
#define RADIX 256

// --- Memory -----------------------------------------------------------------------------------------------------------

static size_t block_size(int32_t capacity) {
  size_t per_agent = 2 * sizeof(CrSeen) + 2 * sizeof(CrGridKey) + sizeof(CrGridRow) + 3 * sizeof(uint32_t);
  return (size_t)capacity * per_agent + sizeof(CrGridRow);
}

bool cr__grid_reserve(CrGrid *grid, const CrAllocator *allocator, int32_t capacity) {
  if (capacity <= grid->capacity) return true;
  uint8_t *block = cr__alloc(allocator, block_size(capacity), 1);
  if (!block) return false;
  cr__grid_release(grid, allocator);
  size_t count = (size_t)capacity;
  grid->capacity = capacity;
  grid->input = (CrSeen *)block;
  grid->entries = grid->input + count;
  grid->keys = (CrGridKey *)(grid->entries + count);
  grid->spare_keys = grid->keys + count;
  grid->rows = (CrGridRow *)(grid->spare_keys + count);
  grid->above = (uint32_t *)(grid->rows + count + 1);
  grid->below = grid->above + count;
  grid->place = grid->below + count;
  return true;
}

void cr__grid_release(CrGrid *grid, const CrAllocator *allocator) {
  if (grid->capacity) cr__free(allocator, grid->input, block_size(grid->capacity), 1);
  memset(grid, 0, sizeof *grid);
}

// --- Building ---------------------------------------------------------------------------------------------------------

typedef struct Extent {
  double min_x, max_x, min_z, max_z, mean_radius;
} Extent;

static Extent measure(const CrGrid *grid) {
  Extent extent = {grid->input[0].x, grid->input[0].x, grid->input[0].z, grid->input[0].z, 0.0};
  double radii = 0.0;
  for (int32_t i = 0; i < grid->count; i++) {
    const CrSeen *seen = &grid->input[i];
    extent.min_x = cr__min(extent.min_x, seen->x);
    extent.max_x = cr__max(extent.max_x, seen->x);
    extent.min_z = cr__min(extent.min_z, seen->z);
    extent.max_z = cr__max(extent.max_z, seen->z);
    radii += seen->radius;
  }
  extent.mean_radius = radii / grid->count;
  return extent;
}

// About one and a half times the distance between agents spread evenly, but at least a body's width and not far beyond what
// packed bodies need.
static double choose_row_height(const Extent *extent, int32_t count, double reach) {
  double area = (extent->max_x - extent->min_x) * (extent->max_z - extent->min_z);
  double width = 2.0 * extent->mean_radius;
  double height = cr__clamp(1.5 * cr__sqrt(area / count), width, cr__max(width, 0.5 * reach));
  return cr__max(height, SMALLEST_ROW);
}

// Fills keys with (row, column) numbers in input order; returns the largest.
static uint64_t make_keys(CrGrid *grid, const Extent *extent) {
  double by_row = 1.0 / grid->row_height, by_column = 1.0 / grid->column_width;
  uint64_t columns = (uint64_t)((extent->max_x - extent->min_x) * by_column) + 1;
  int shift = 64 - __builtin_clzll(columns);
  uint64_t largest = 0;
  for (int32_t i = 0; i < grid->count; i++) {
    uint64_t row = (uint64_t)((grid->input[i].z - extent->min_z) * by_row);
    uint64_t column = (uint64_t)((grid->input[i].x - extent->min_x) * by_column);
    uint64_t cell = row << shift | column;
    grid->keys[i] = (CrGridKey){cell, (uint32_t)i};
    largest = cell > largest ? cell : largest;
  }
  for (int32_t i = 0; i < grid->count; i++) {
    grid->input[i].row = (uint32_t)(grid->keys[i].cell >> shift);
  }
  return largest;
}

// One stable pass by the byte at `shift`.
static void sort_pass(const CrGridKey *from, CrGridKey *to, int32_t count, int shift) {
  uint32_t starts[RADIX] = {0};
  for (int32_t i = 0; i < count; i++) starts[from[i].cell >> shift & (RADIX - 1)]++;
  uint32_t sum = 0;
  for (int32_t k = 0; k < RADIX; k++) {
    uint32_t bucket = starts[k];
    starts[k] = sum;
    sum += bucket;
  }
  for (int32_t i = 0; i < count; i++) to[starts[from[i].cell >> shift & (RADIX - 1)]++] = from[i];
}

// order: stable, so agents of one cell stay in slot order.
static void sort_keys(CrGrid *grid, uint64_t largest) {
  for (int shift = 0; shift < 64 && largest >> shift; shift += 8) {
    sort_pass(grid->keys, grid->spare_keys, grid->count, shift);
    CrGridKey *sorted = grid->spare_keys;
    grid->spare_keys = grid->keys;
    grid->keys = sorted;
  }
}

static void gather(CrGrid *grid) {
  grid->row_count = 0;
  for (int32_t i = 0; i < grid->count; i++) {
    const CrSeen *seen = &grid->input[grid->keys[i].index];
    if (i == 0 || seen->row != grid->rows[grid->row_count - 1].band) {
      grid->rows[grid->row_count++] = (CrGridRow){seen->row, (uint32_t)i};
    }
    grid->entries[i] = *seen;
    grid->entries[i].row = (uint32_t)(grid->row_count - 1);
    grid->place[seen->order] = (uint32_t)i;
  }
  grid->rows[grid->row_count].first = (uint32_t)grid->count;
}

// For each entry of row `from`, where its x would stand in row `to`.
static void link_rows(CrGrid *grid, int32_t from, int32_t to, uint32_t *links) {
  uint32_t at = grid->rows[to].first, end = grid->rows[to + 1].first;
  for (uint32_t i = grid->rows[from].first; i < grid->rows[from + 1].first; i++) {
    while (at + 1 < end && grid->entries[at].x < grid->entries[i].x) at++;
    links[i] = at;
  }
}

void cr__grid_build(CrGrid *grid, double reach) {
  grid->row_count = 0;
  if (grid->count == 0) return;
  Extent extent = measure(grid);
  grid->min_z = extent.min_z;
  grid->row_height = choose_row_height(&extent, grid->count, reach);
  grid->column_width = grid->row_height / COLUMNS_PER_ROW;
  sort_keys(grid, make_keys(grid, &extent));
  gather(grid);
  for (int32_t row = 0; row + 1 < grid->row_count; row++) {
    link_rows(grid, row, row + 1, grid->above);
    link_rows(grid, row + 1, row, grid->below);
  }
}

// --- Searching --------------------------------------------------------------------------------------------------------

typedef struct Search {
  const CrGrid *grid;
  CrNear *best;
  double x, z;
  double bound;  // squared: what is at least this far away is not wanted
  double slack;  // entries of one column stand in slot order, not by x
  uint32_t self;
  int32_t count, most;
} Search;

static void offer(Search *search, uint32_t index, const CrSeen *seen, double distance_squared) {
  CrNear *best = search->best;
  int32_t k = search->count;
  if (k == search->most) {
    // order: of equally distant agents the lower slot is nearer
    if (distance_squared == best[k - 1].distance_squared && seen->order > best[k - 1].order) return;
    k--;
  } else {
    search->count++;
  }
  for (; k > 0; k--) {
    bool farther = best[k - 1].distance_squared > distance_squared ||
                   (best[k - 1].distance_squared == distance_squared && best[k - 1].order > seen->order);
    if (!farther) break;
    best[k] = best[k - 1];
  }
  best[k] = (CrNear){distance_squared, seen->order, index};
  if (search->count == search->most) search->bound = best[search->most - 1].distance_squared;
}

// Looks at an entry. False when nothing beyond it in the walking direction can be near enough: `outward` is its distance in
// that direction, `across_squared` the least squared distance across to its row.
static inline bool visit(Search *search, uint32_t index, double outward_sign, double across_squared) {
  const CrSeen *seen = &search->grid->entries[index];
  double dx = seen->x - search->x, dz = seen->z - search->z;
  double outward = dx * outward_sign - search->slack;
  if (outward > 0.0 && outward * outward + across_squared >= search->bound) return false;
  double distance_squared = dx * dx + dz * dz;
  bool full = search->count == search->most;
  if ((distance_squared < search->bound || (full && distance_squared == search->bound)) && index != search->self) {
    offer(search, index, seen, distance_squared);
  }
  return true;
}

static void walk_row(Search *search, int32_t row, uint32_t start, double across_squared) {
  uint32_t first = search->grid->rows[row].first, end = search->grid->rows[row + 1].first;
  for (uint32_t i = start; i < end && visit(search, i, 1.0, across_squared); i++) continue;
  for (uint32_t i = start; i > first && visit(search, i - 1, -1.0, across_squared); i--) continue;
}

// Least squared distance to row `row`, a little less than exact so that rounding of row numbers cannot matter.
static double across(const Search *search, int32_t row) {
  const CrGrid *grid = search->grid;
  double low = grid->min_z + (double)grid->rows[row].band * grid->row_height;
  double gap = cr__max(low - search->z, search->z - (low + grid->row_height)) - grid->row_height * 1e-3;
  return gap > 0.0 ? gap * gap : 0.0;
}

int32_t cr__grid_nearest(const CrGrid *grid, uint32_t self, double reach_squared, int32_t most, CrNear *out) {
  const CrSeen *seen = &grid->entries[self];
  Search search = {grid, out, seen->x, seen->z, reach_squared, grid->column_width * 1.01, self, 0, most};
  int32_t row = (int32_t)seen->row;
  walk_row(&search, row, self, 0.0);
  int32_t up = row + 1, down = row - 1;
  uint32_t up_at = self, down_at = self;
  double up_gap = up < grid->row_count ? across(&search, up) : reach_squared;
  double down_gap = down >= 0 ? across(&search, down) : reach_squared;
  while (up_gap < search.bound || down_gap < search.bound) {
    if (up_gap <= down_gap) {
      up_at = grid->above[up_at];
      walk_row(&search, up, up_at, up_gap);
      up_gap = ++up < grid->row_count ? across(&search, up) : reach_squared;
    } else {
      down_at = grid->below[down_at];
      walk_row(&search, down, down_at, down_gap);
      down_gap = --down >= 0 ? across(&search, down) : reach_squared;
    }
  }
  return search.count;
}
