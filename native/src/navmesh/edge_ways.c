// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The ways over the edges of a tile's polygons, packed: what a search would otherwise find out edge by edge, each time it
// comes by. They follow from the neighbours alone, so no edit changes them.
// Result order: the edges' order; a run of edges with one polygon behind them counts where it begins.
#include "navmesh_internal.h"

static void fill_polygon(CrTile *tile, uint32_t polygon) {
  uint32_t first = tile->polygon_first[polygon], count = tile->polygon_first[polygon + 1] - first, filled = 0;
  const uint32_t *neighbours = tile->corner_neighbour + first;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t neighbour = neighbours[k];
    bool begins = neighbour < tile->polygon_count && neighbours[k == 0 ? count - 1 : k - 1] != neighbour;
    if (!begins) continue;
    uint32_t end = k + 1 == count ? 0 : k + 1;
    while (neighbours[end] == neighbour) end = end + 1 == count ? 0 : end + 1;
    tile->edge_ways[first + filled++] = cr__make_edge_way(neighbour, k, end);
  }
  while (filled < count) tile->edge_ways[first + filled++] = CR_NO_EDGE_WAY;
}

void cr__edge_ways_fill(CrTile *tile) {
  for (uint32_t polygon = 0; polygon < tile->polygon_count; polygon++) fill_polygon(tile, polygon);
}
