// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The neighbour grid: agents sorted by rows along z and columns along x, so that the neighbours of an agent stand close to
// it in its row and in the rows next to it. A search walks its own row both ways, then row after row outward, and collects
// whatever is near enough; when too many are, it keeps the nearest and narrows. It starts with a guess of how far the last
// neighbour is, and starts over with the full reach when the guess was too low.
// Invariant: the answer is the set all pairs would give; sizes and guesses only change how long it takes.
// order: (squared distance, class, slot).
#include "crowd_struct.h"

#define COLUMNS_PER_ROW 16.0   // column width as a part of the row height
#define SMALLEST_ROW 0.015625  // keeps row and column numbers within 32 bits
#define MOST_WIDTHS 6.0        // a row is at most this many mean body widths high
#define MOST_IN_COLUMN 64      // with more in one column of a row a tree is searched instead
#define RADIX 256

// --- Memory -----------------------------------------------------------------------------------------------------------

// One block: arrays of 8-byte elements first.
static size_t block_size(int32_t capacity) {
  size_t per_agent =
      sizeof(CrSeen) + 2 * sizeof(double) + 2 * sizeof(CrGridKey) + sizeof(CrGridRow) + 3 * sizeof(uint32_t);
  return (size_t)capacity * per_agent + sizeof(CrGridRow);
}

bool cr__grid_reserve(CrGrid *grid, const CrAllocator *allocator, int32_t capacity) {
  if (capacity <= grid->capacity) return true;
  uint8_t *block = cr__alloc(allocator, block_size(capacity), 1);
  if (!block) return false;
  cr__grid_release(grid, allocator);
  size_t count = (size_t)capacity;
  grid->capacity = capacity;
  grid->entries = (CrSeen *)block;
  grid->xs = (double *)(grid->entries + count);
  grid->zs = grid->xs + count;
  grid->keys = (CrGridKey *)(grid->zs + count);
  grid->spare_keys = grid->keys + count;
  grid->rows = (CrGridRow *)(grid->spare_keys + count);
  grid->orders = (uint32_t *)(grid->rows + count + 1);
  grid->above = grid->orders + count;
  grid->below = grid->above + count;
  return true;
}

void cr__grid_release(CrGrid *grid, const CrAllocator *allocator) {
  if (grid->capacity) cr__free(allocator, grid->entries, block_size(grid->capacity), 1);
  memset(grid, 0, sizeof *grid);
}

// --- Building ---------------------------------------------------------------------------------------------------------

typedef struct Extent {
  double min_x, max_x, min_z, max_z, mean_radius, max_radius;
  int32_t count;
} Extent;

// Returns the sum of the radii.
static double measure_part(Extent *extent, const CrGridPart *part) {
  const CrSeen *seen = part->seen;
  double radii = 0.0;
  for (int32_t i = 0; i < part->slot_count; i++) {
    if (seen[i].radius <= 0.0) continue;
    extent->min_x = cr__min(extent->min_x, seen[i].x);
    extent->max_x = cr__max(extent->max_x, seen[i].x);
    extent->min_z = cr__min(extent->min_z, seen[i].z);
    extent->max_z = cr__max(extent->max_z, seen[i].z);
    extent->max_radius = cr__max(extent->max_radius, seen[i].radius);
    radii += seen[i].radius;
    extent->count++;
  }
  return radii;
}

static Extent measure(const CrGridPart *parts, int32_t part_count) {
  Extent extent = {CR_COORD_LIMIT, -CR_COORD_LIMIT, CR_COORD_LIMIT, -CR_COORD_LIMIT, 0.0, 0.0, 0};
  double radii = 0.0;
  for (int32_t k = 0; k < part_count; k++) radii += measure_part(&extent, &parts[k]);
  if (extent.count) extent.mean_radius = radii / extent.count;
  return extent;
}

// About one and a half times the distance between agents spread evenly, but at least a body's width and not far beyond what
// packed bodies need.
static double choose_row_height(const Extent *extent) {
  double area = (extent->max_x - extent->min_x) * (extent->max_z - extent->min_z);
  double width = 2.0 * extent->mean_radius;
  double height = cr__clamp(1.5 * cr__sqrt(area / extent->count), width, MOST_WIDTHS * width);
  return cr__max(height, SMALLEST_ROW);
}

// Adds keys with (row, column) numbers in slot order; returns the largest.
static uint64_t add_keys(CrGrid *grid, const CrGridPart *part, const Extent *extent) {
  double by_row = 1.0 / grid->row_height, by_column = 1.0 / grid->column_width;
  const CrSeen *seen = part->seen;
  uint64_t largest = 0;
  for (int32_t i = 0; i < part->slot_count; i++) {
    if (seen[i].radius <= 0.0) continue;
    uint64_t row = (uint64_t)((seen[i].z - extent->min_z) * by_row);
    uint64_t column = (uint64_t)((seen[i].x - extent->min_x) * by_column);
    uint64_t cell = row << grid->row_shift | column;
    grid->keys[grid->count++] = (CrGridKey){cell, seen[i].order};
    largest = cell > largest ? cell : largest;
  }
  return largest;
}

static uint64_t make_keys(CrGrid *grid, const CrGridPart *parts, int32_t part_count, const Extent *extent) {
  uint64_t columns = (uint64_t)((extent->max_x - extent->min_x) * (1.0 / grid->column_width)) + 1;
  uint64_t largest = 0;
  grid->row_shift = 64 - __builtin_clzll(columns);
  grid->count = 0;
  for (int32_t k = 0; k < part_count; k++) {
    uint64_t of_part = add_keys(grid, &parts[k], extent);
    largest = of_part > largest ? of_part : largest;
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

// order: stable, so agents of one cell stay in the order of class and slot.
static void sort_keys(CrGrid *grid, uint64_t largest) {
  for (int shift = 0; shift < 64 && largest >> shift; shift += 8) {
    sort_pass(grid->keys, grid->spare_keys, grid->count, shift);
    CrGridKey *sorted = grid->spare_keys;
    grid->spare_keys = grid->keys;
    grid->keys = sorted;
  }
}

static void gather(CrGrid *grid, const CrGridPart *parts) {
  uint64_t last_band = UINT64_MAX;
  grid->row_count = 0;
  for (int32_t i = 0; i < grid->count; i++) {
    CrGridKey key = grid->keys[i];
    uint64_t band = key.cell >> grid->row_shift;
    if (band != last_band) {
      grid->rows[grid->row_count++] = (CrGridRow){grid->min_z + (double)band * grid->row_height, (uint32_t)i};
      last_band = band;
    }
    const CrGridPart *part = &parts[cr__order_class(key.order)];
    int32_t slot = cr__order_slot(key.order);
    grid->entries[i] = part->seen[slot];
    grid->entries[i].row = (uint32_t)(grid->row_count - 1);
    grid->xs[i] = grid->entries[i].x;
    grid->zs[i] = grid->entries[i].z;
    grid->orders[i] = key.order;
    part->place[slot] = (uint32_t)i;
  }
  grid->rows[grid->row_count].first = (uint32_t)grid->count;
}

// For each entry of row `from`, where its x would stand in row `to`.
static void link_rows(CrGrid *grid, int32_t from, int32_t to, uint32_t *links) {
  uint32_t at = grid->rows[to].first, end = grid->rows[to + 1].first;
  for (uint32_t i = grid->rows[from].first; i < grid->rows[from + 1].first; i++) {
    while (at + 1 < end && grid->xs[at] < grid->xs[i]) at++;
    links[i] = at;
  }
}

static bool is_crowded(const CrGrid *grid) {
  for (int32_t i = MOST_IN_COLUMN; i < grid->count; i++) {
    if (grid->keys[i].cell == grid->keys[i - MOST_IN_COLUMN].cell) return true;
  }
  return false;
}

void cr__grid_build(CrGrid *grid, const CrGridPart *parts, int32_t part_count) {
  Extent extent = measure(parts, part_count);
  grid->row_count = grid->count = 0;
  if (extent.count == 0) return;
  grid->min_z = extent.min_z;
  grid->max_radius = extent.max_radius;
  grid->row_height = choose_row_height(&extent);
  grid->column_width = grid->row_height / COLUMNS_PER_ROW;
  sort_keys(grid, make_keys(grid, parts, part_count, &extent));
  gather(grid, parts);
  grid->nodes = NULL;
  if (is_crowded(grid)) {
    cr__tree_build(grid);
    return;
  }
  for (int32_t row = 0; row + 1 < grid->row_count; row++) {
    link_rows(grid, row, row + 1, grid->above);
    link_rows(grid, row + 1, row, grid->below);
  }
}

// --- Searching --------------------------------------------------------------------------------------------------------

#define POOL 32         // entries collected before they are thinned out; more than CR_MAX_NEIGHBOURS
#define ABREAST 8       // of these ranked at a time
#define HINT_ROOM 1.15  // how much farther, squared, than last time to look

typedef struct Search {
  const CrGrid *grid;
  double x, z;
  double bound;   // squared: what is farther is not wanted
  double window;  // how far along a row to look for it
  int32_t count, most;
  double distances[POOL];  // squared, of what was collected
  uint32_t entries[POOL];
} Search;

// Entries of one column stand in slot order, not by x: the window is wider by a column.
static void set_bound(Search *search, double bound) {
  search->bound = bound;
  search->window = cr__sqrt(bound) + search->grid->column_width * 1.01;
}

// Ranks by the upper halves of the distances, whose order as integers is that of the distances. No branch: order is as good as
// random. False: where upper halves are equal the ranks are not known.
static bool rank_by_upper(const Search *search, int32_t ranks[POOL]) {
  int32_t count = search->count, uppers[POOL];
  CrFour sum = {0, 0, 0, 0};
  for (int32_t i = 0; i < count; i++) uppers[i] = (int32_t)(cr__bits(search->distances[i]) >> 32);
  for (int32_t i = count; i % ABREAST; i++) uppers[i] = 0;  // nothing is nearer than these
  for (int32_t i = 0; i < count; i += ABREAST) {
    CrFour a = cr__four(uppers + i), b = cr__four(uppers + i + 4), a_rank = {0, 0, 0, 0}, b_rank = {0, 0, 0, 0};
    for (int32_t j = 0; j < count; j++) {
      CrFour other = {uppers[j], uppers[j], uppers[j], uppers[j]};
      a_rank -= other < a;
      b_rank -= other < b;
    }
    memcpy(ranks + i, &a_rank, sizeof a_rank);
    memcpy(ranks + i + 4, &b_rank, sizeof b_rank);
    sum += a_rank + b_rank;
  }
  return sum[0] + sum[1] + sum[2] + sum[3] == count * (count - 1) / 2;
}

// order: of equally distant agents the one of the lower class, then slot, is nearer
static bool is_nearer(const Search *search, int32_t i, int32_t j) {
  const uint32_t *orders = search->grid->orders;
  if (search->distances[i] != search->distances[j]) return search->distances[i] < search->distances[j];
  return orders[search->entries[i]] < orders[search->entries[j]];
}

static void rank_one_by_one(const Search *search, int32_t ranks[POOL]) {
  for (int32_t i = 0; i < search->count; i++) {
    ranks[i] = 0;
    for (int32_t j = 0; j < search->count; j++) ranks[i] += is_nearer(search, j, i);
  }
}

// Sorts what was collected and keeps the nearest.
static void thin_out(Search *search) {
  int32_t ranks[POOL];
  double distances[POOL];
  uint32_t entries[POOL];
  if (!rank_by_upper(search, ranks)) rank_one_by_one(search, ranks);
  for (int32_t i = 0; i < search->count; i++) {
    distances[ranks[i]] = search->distances[i];
    entries[ranks[i]] = search->entries[i];
  }
  if (search->count >= search->most) {
    search->count = search->most;
    set_bound(search, distances[search->most - 1]);
  }
  memcpy(search->distances, distances, (size_t)search->count * sizeof *distances);
  memcpy(search->entries, entries, (size_t)search->count * sizeof *entries);
}

// Looks at the entries from `i` in steps of `step` until `end` or the end of the window, and collects those within the bound.
// Collecting has no branch: whether an entry is near enough is as good as random.
static inline void walk(Search *search, uint32_t i, uint32_t end, uint32_t step) {
  const double *xs = search->grid->xs, *zs = search->grid->zs;
  const double x = search->x, z = search->z, sign = step == 1 ? 1.0 : -1.0;
  double bound = search->bound, window = search->window;
  int32_t count = search->count;
  for (; i != end; i += step) {
    double dx = xs[i] - x, dz = zs[i] - z;
    if (dx * sign > window) break;
    double distance_squared = dx * dx + dz * dz;
    search->distances[count] = distance_squared;
    search->entries[count] = i;
    count += distance_squared <= bound;
    if (count < POOL) continue;
    search->count = count;
    thin_out(search);
    count = search->count;
    bound = search->bound;
    window = search->window;
  }
  search->count = count;
}

// Walks from entry `up` to the right and from the one before `down` to the left.
static inline void walk_row(Search *search, int32_t row, uint32_t down, uint32_t up) {
  const CrGrid *grid = search->grid;
  walk(search, up, grid->rows[row + 1].first, 1);
  walk(search, down - 1, grid->rows[row].first - 1, UINT32_MAX);
}

// Least squared distance to row `row`, a little less than exact so that rounding of row numbers cannot matter.
static inline double across(const Search *search, int32_t row) {
  double below = search->grid->rows[row].low - search->z, height = search->grid->row_height;
  double gap = cr__max(below, -below - height) - height * 1e-3;
  return gap > 0.0 ? gap * gap : 0.0;
}

// Collects everything within the bound but the entry itself, and sorts it.
static void collect_all(Search *search, uint32_t self) {
  const CrGrid *grid = search->grid;
  int32_t row = (int32_t)grid->entries[self].row;
  search->count = 0;
  walk_row(search, row, self, self + 1);
  uint32_t at = self;
  for (int32_t up = row + 1; up < grid->row_count && across(search, up) <= search->bound; up++) {
    at = grid->above[at];
    walk_row(search, up, at, at);
  }
  at = self;
  for (int32_t down = row - 1; down >= 0 && across(search, down) <= search->bound; down--) {
    at = grid->below[at];
    walk_row(search, down, at, at);
  }
  thin_out(search);
}

// The largest number below a positive one.
static double next_below(double value) {
  uint64_t bits = cr__bits(value) - 1;
  memcpy(&value, &bits, sizeof value);
  return value;
}

int32_t cr__grid_nearest(const CrGrid *grid, uint32_t self, double reach_squared, int32_t most, double *hint,
                         CrNear *out) {
  if (grid->nodes) {
    int32_t found = cr__tree_nearest(grid, self, reach_squared, most, out);
    *hint = found == most ? out[most - 1].distance_squared : 0.0;
    return found;
  }
  Search search;
  search.grid = grid;
  search.x = grid->xs[self];
  search.z = grid->zs[self];
  search.most = most;
  double reach = next_below(reach_squared), guess = *hint * HINT_ROOM;
  bool guessed = guess > 0.0 && guess < reach;
  set_bound(&search, guessed ? guess : reach);
  collect_all(&search, self);
  if (guessed && search.count < most) {
    set_bound(&search, reach);
    collect_all(&search, self);
  }
  *hint = search.count == most ? search.bound : 0.0;
  for (int32_t k = 0; k < search.count; k++) {
    uint32_t entry = search.entries[k];
    out[k] = (CrNear){search.distances[k], grid->orders[entry], entry};
  }
  return search.count;
}
