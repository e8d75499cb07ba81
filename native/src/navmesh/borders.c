// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The border edges of a tile, per side, as intervals along the side's line: what portals are made of. Sorted once when
// the tile is added, so that joining two tiles is a sweep.
#include "navmesh_internal.h"

static int side_of(uint32_t neighbour) {
  bool border = neighbour >= CR_EDGE_BORDER_POS_X && neighbour <= CR_EDGE_BORDER_NEG_Z;
  return border ? (int)(neighbour - CR_EDGE_BORDER_POS_X) : -1;
}

// Adding 0 turns -0 into +0, so that both tiles see the same bits.
static CrBorderEdge border_edge(const CrTile *tile, uint32_t polygon, uint32_t edge, int side) {
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  double from = cr__along(a, side) + 0.0, to = cr__along(b, side) + 0.0;
  CrBorderEdge border = {.polygon = polygon, .edge = (uint8_t)edge, .rising = from < to};
  border.low = border.rising ? from : to;
  border.high = border.rising ? to : from;
  border.y_low = border.rising ? a.y : b.y;
  border.y_high = border.rising ? b.y : a.y;
  return border;
}

static void count_sides(CrTile *tile) {
  memset(tile->border_first, 0, sizeof tile->border_first);
  for (uint32_t c = 0; c < tile->corner_count; c++) {
    int side = side_of(tile->corner_neighbour[c]);
    if (side >= 0) tile->border_first[side + 1]++;
  }
  for (int side = 0; side < CR_SIDE_COUNT; side++) tile->border_first[side + 1] += tile->border_first[side];
}

static void fill_sides(const CrTile *tile, CrBorderEdge *out) {
  uint32_t next[CR_SIDE_COUNT];
  memcpy(next, tile->border_first, sizeof next);
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, p); k++) {
      int side = side_of(tile->corner_neighbour[tile->polygon_first[p] + k]);
      if (side >= 0) out[next[side]++] = border_edge(tile, p, k, side);
    }
  }
}

static bool border_less(const void *context, uint32_t i, uint32_t j) {
  const CrBorderEdge *a = (const CrBorderEdge *)context + i, *b = (const CrBorderEdge *)context + j;
  if (a->low != b->low) return a->low < b->low;
  if (a->high != b->high) return a->high < b->high;
  return a->polygon != b->polygon ? a->polygon < b->polygon : a->edge < b->edge;
}

bool cr__borders_build(const CrAllocator *allocator, CrTile *tile) {
  count_sides(tile);
  uint32_t count = tile->border_first[CR_SIDE_COUNT];
  size_t unsorted_size = sizeof *tile->borders + 2 * sizeof(uint32_t);
  CrBorderEdge *unsorted = cr__alloc(allocator, count, unsorted_size);
  tile->borders = cr__alloc(allocator, count, sizeof *tile->borders);
  if (unsorted && tile->borders) {
    uint32_t *order = (uint32_t *)(void *)(unsorted + count);
    fill_sides(tile, unsorted);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (int side = 0; side < CR_SIDE_COUNT; side++) {
      uint32_t first = tile->border_first[side], end = tile->border_first[side + 1];
      cr__sort_indices(order + first, order + count, end - first, border_less, unsorted);
    }
    for (uint32_t i = 0; i < count; i++) tile->borders[i] = unsorted[order[i]];
  }
  bool made = unsorted && tile->borders;
  cr__free(allocator, unsorted, count, unsorted_size);
  return made;
}
