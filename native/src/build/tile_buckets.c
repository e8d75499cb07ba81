// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The triangles of each tile of a window of tiles: those whose bounding box reaches the tile or its border.
// Order: within a tile by triangle number.
#include "builder_internal.h"

#define MAX_BUCKET_ITEMS ((size_t)1 << 28)

typedef struct Sweep {
  const CrBuildInput *input;
  const CrLayout *layout;
  const uint8_t *kinds;
  double cell_size;
} Sweep;

// Columns (global cells) a triangle may reach, one cell more on each side than it covers.
static void cell_range(const Sweep *sweep, uint32_t triangle, uint32_t axis, int32_t *first, int32_t *last) {
  const uint32_t *t = sweep->input->triangles + 3 * (size_t)triangle;
  double low = CR_COORD_LIMIT, high = -CR_COORD_LIMIT;
  for (uint32_t k = 0; k < 3; k++) {
    double v = sweep->input->vertices[3 * (size_t)t[k] + axis];
    low = cr__min(low, v);
    high = cr__max(high, v);
  }
  double origin = axis == 0 ? sweep->layout->min.x : sweep->layout->min.z;
  *first = (int32_t)cr__floor((low - origin) / sweep->cell_size) - 1;
  *last = (int32_t)cr__floor((high - origin) / sweep->cell_size) + 1;
}

// Tiles the triangle can leave spans in, borders included, within low..high.
static void tile_range(const Sweep *sweep, uint32_t triangle, uint32_t axis, int32_t low, int32_t high, int32_t *first,
                       int32_t *last) {
  int32_t tile = sweep->layout->tile_cells, border = sweep->layout->border, from, to;
  cell_range(sweep, triangle, axis, &from, &to);
  from = from - border < 0 ? 0 : (from - border) / tile;
  to = (to + border) / tile;
  *first = from > low ? from : low;
  *last = to < high ? to : high;
}

// Pairs of a triangle and a tile it reaches, counted no further than the limit, in time that does not depend on the tiles.
static uint64_t count_pairs(const Sweep *sweep, CrTileWindow w) {
  uint64_t pairs = 0;
  for (uint32_t i = 0; i < sweep->input->triangle_count && pairs <= MAX_BUCKET_ITEMS; i++) {
    if (sweep->kinds[i] == CR_TRIANGLE_SKIPPED) continue;
    int32_t x0, x1, z0, z1;
    tile_range(sweep, i, 0, w.x0, w.x1, &x0, &x1);
    tile_range(sweep, i, 2, w.z0, w.z1, &z0, &z1);
    if (x0 <= x1 && z0 <= z1) pairs += (uint64_t)(x1 - x0 + 1) * (uint64_t)(z1 - z0 + 1);
  }
  return pairs;
}

// Two sweeps: `items` null counts into first[t + 2], else places at first[t + 1] (which ends as the start of t + 1).
static void sweep_triangles(const Sweep *sweep, CrTileBuckets *buckets) {
  CrTileWindow w = buckets->window;
  size_t columns = (size_t)(w.x1 - w.x0 + 1);
  for (uint32_t i = 0; i < sweep->input->triangle_count; i++) {
    if (sweep->kinds[i] == CR_TRIANGLE_SKIPPED) continue;
    int32_t x0, x1, z0, z1;
    tile_range(sweep, i, 0, w.x0, w.x1, &x0, &x1);
    tile_range(sweep, i, 2, w.z0, w.z1, &z0, &z1);
    for (int32_t z = z0; z <= z1; z++) {
      for (int32_t x = x0; x <= x1; x++) {
        size_t tile = (size_t)(z - w.z0) * columns + (size_t)(x - w.x0);
        if (buckets->items) {
          buckets->items[buckets->first[tile + 1]++] = i;
        } else {
          buckets->first[tile + 2]++;
        }
      }
    }
  }
}

static CrStatus fill(const Sweep *sweep, const CrAllocator *allocator, CrTileBuckets *buckets, CrError *error) {
  size_t tiles = buckets->tile_count;
  if (count_pairs(sweep, buckets->window) > MAX_BUCKET_ITEMS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.tileCells", (double)MAX_BUCKET_ITEMS);
  }
  buckets->first = cr__alloc_zeroed(allocator, tiles + 2, sizeof *buckets->first);
  if (!buckets->first) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  sweep_triangles(sweep, buckets);
  for (size_t t = 0; t <= tiles; t++) buckets->first[t + 1] += buckets->first[t];
  size_t items = buckets->first[tiles + 1];
  buckets->items = cr__alloc(allocator, items, sizeof *buckets->items);
  if (!buckets->items) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  buckets->item_count = items;
  sweep_triangles(sweep, buckets);
  return CR_STATUS_OK;
}

CrStatus cr__tile_buckets_fill(const CrBuildInput *input, const CrLayout *layout, const uint8_t *kinds,
                               CrTileWindow window, const CrAllocator *allocator, CrTileBuckets *out, CrError *error) {
  *out = (CrTileBuckets){.window = window};
  if (window.x0 > window.x1 || window.z0 > window.z1) return CR_STATUS_OK;
  out->tile_count = (size_t)(window.x1 - window.x0 + 1) * (size_t)(window.z1 - window.z0 + 1);
  if (layout->tile_cells == 0) return CR_STATUS_OK;
  Sweep sweep = {input, layout, kinds, layout->cell_size};
  CrStatus status = fill(&sweep, allocator, out, error);
  if (status != CR_STATUS_OK) cr__tile_buckets_free(allocator, out);
  return status;
}

void cr__tile_buckets_free(const CrAllocator *allocator, CrTileBuckets *buckets) {
  cr__free(allocator, buckets->first, buckets->tile_count + 2, sizeof *buckets->first);
  cr__free(allocator, buckets->items, buckets->item_count, sizeof *buckets->items);
  buckets->first = NULL;
  buckets->items = NULL;
}
