// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Memory of one tile: a block for the arrays whose sizes its header gives, one for its link table, one for its border
// edges.
// Invariant: arrays are laid out by falling alignment, so that none needs padding.
#include "navmesh_internal.h"

// Walks the block twice: with a null base it only measures.
typedef struct Layout {
  uint8_t *base;
  uint64_t offset;
} Layout;

static void *place(Layout *layout, uint64_t count, size_t size) {
  void *at = layout->base ? layout->base + layout->offset : NULL;
  layout->offset += count * size;
  return at;
}

static void lay_out(Layout *layout, CrTile *tile) {
  uint64_t polygons = tile->polygon_count, corners = tile->corner_count, firsts = polygons + 1;
  tile->vertices = place(layout, tile->vertex_count, sizeof *tile->vertices);
  tile->detail_vertices = place(layout, tile->detail_vertex_count, sizeof *tile->detail_vertices);
  tile->off_mesh = place(layout, tile->off_mesh_count, sizeof *tile->off_mesh);
  tile->joins = place(layout, tile->off_mesh_count, sizeof *tile->joins);
  tile->nodes = place(layout, tile->node_count, sizeof *tile->nodes);
  tile->polygon_first = place(layout, firsts, sizeof *tile->polygon_first);
  tile->corner_vertex = place(layout, corners, sizeof *tile->corner_vertex);
  tile->corner_neighbour = place(layout, corners, sizeof *tile->corner_neighbour);
  tile->edge_ways = place(layout, corners, sizeof *tile->edge_ways);
  tile->detail_first_vertex = place(layout, firsts, sizeof *tile->detail_first_vertex);
  tile->detail_first_triangle = place(layout, firsts, sizeof *tile->detail_first_triangle);
  tile->flags = place(layout, polygons, sizeof *tile->flags);
  tile->detail_triangles = place(layout, (uint64_t)tile->detail_triangle_count * 3, sizeof *tile->detail_triangles);
  tile->areas = place(layout, polygons, sizeof *tile->areas);
}

bool cr__tile_alloc(const CrAllocator *allocator, CrTile *tile) {
  tile->node_count = tile->polygon_count ? 2 * tile->polygon_count - 1 : 0;
  Layout measure = {NULL, 0};
  lay_out(&measure, tile);
  if (measure.offset > PTRDIFF_MAX) return false;
  size_t size = (size_t)measure.offset;
  tile->block = cr__alloc_zeroed(allocator, size, 1);
  if (!tile->block) return false;
  tile->block_size = size;
  Layout real = {tile->block, 0};
  lay_out(&real, tile);
  return true;
}

size_t cr__link_block_size(uint32_t polygon_count, uint32_t link_count) {
  return link_count * sizeof(CrLink) + ((size_t)polygon_count + 1) * sizeof(uint32_t);
}

void cr__tile_free_links(const CrAllocator *allocator, CrTile *tile) {
  cr__free(allocator, tile->links, cr__link_block_size(tile->polygon_count, tile->link_count), 1);
  tile->links = NULL;
  tile->link_first = NULL;
  tile->link_count = 0;
}

void cr__tile_free(const CrAllocator *allocator, CrTile *tile) {
  cr__tile_free_links(allocator, tile);
  cr__free(allocator, tile->borders, tile->border_first[CR_SIDE_COUNT], sizeof *tile->borders);
  cr__free(allocator, tile->block, tile->block_size, 1);
  tile->borders = NULL;
  tile->block = NULL;
}
