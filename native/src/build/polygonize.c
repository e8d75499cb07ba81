// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From simplified arcs to the polygons of a tile: per piece one ring, its triangles, their merging. Neighbours come from the
// numbers of the edges: a shared arc's segment has one number for both pieces, a bridge or diagonal one for both its sides.
// Order: polygons by piece, then by the first triangle in them.
#include "outline_internal.h"

typedef struct Builder {
  const CrBoundary *boundary;
  const CrPieces *pieces;
  const CrArcs *arcs;
  CrArena *arena;
  CrOutlineMesh *out;
  uint32_t max_corners;
  uint32_t *loop_first;  // per piece, count + 2
  uint32_t *loops;       // numbers, by piece, the outer loop first
  CrRing ring;
  CrRingScratch ring_scratch;
  CrEarScratch ears;
  CrPolyList polygons;
} Builder;

uint32_t cr__mesh_edge_add(CrMeshEdges *edges, CrArena *arena) {
  size_t count = edges->count;
  if (count >= CR_SIDE_THROUGH / 2) return CR_NONE;
  if (!cr__arena_grow(arena, (void **)&edges->sides, &edges->side_capacity, count * 2, count * 2 + 2,
                      sizeof *edges->sides) ||
      !cr__arena_grow(arena, (void **)&edges->codes, &edges->code_capacity, count, count + 1, sizeof *edges->codes)) {
    return CR_NONE;
  }
  edges->sides[count * 2] = edges->sides[count * 2 + 1] = CR_NONE;
  edges->codes[count] = CR_NONE;
  edges->count++;
  return (uint32_t)count;
}

// Directions of the open field (-x, +z, +x, -z) as border edges.
static uint32_t border_code(uint32_t dir) {
  static const uint32_t codes[4] = {CR_EDGE_BORDER_NEG_X, CR_EDGE_BORDER_POS_Z, CR_EDGE_BORDER_POS_X,
                                    CR_EDGE_BORDER_NEG_Z};
  return codes[dir & 3];
}

static bool add_segments(Builder *b) {
  for (size_t i = 0; i < b->arcs->count; i++) {
    const CrArc *arc = &b->arcs->items[i];
    uint32_t code = CR_NONE;
    if (arc->behind == CR_BEHIND_WALL) code = CR_EDGE_WALL;
    if (arc->behind & CR_BEHIND_BORDER) code = border_code(arc->behind & 3);
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      uint32_t edge = cr__mesh_edge_add(&b->out->edges, b->arena);
      if (edge == CR_NONE) return false;
      b->out->edges.codes[edge] = code;
    }
  }
  return true;
}

uint32_t cr__mesh_edge_behind(const CrMeshEdges *edges, uint32_t side) {
  for (;;) {
    if (edges->codes[side >> 1] != CR_NONE) return edges->codes[side >> 1];
    uint32_t there = edges->sides[side ^ 1];
    if (there == CR_NONE) return CR_EDGE_WALL;
    if (!(there & CR_SIDE_THROUGH)) return there;
    side = there & ~CR_SIDE_THROUGH;
  }
}

// --- Loops by piece -------------------------------------------------------------------------------------------------

static bool sort_loops(Builder *b) {
  const CrBoundary *boundary = b->boundary;
  size_t pieces = b->pieces->count;
  b->loop_first = cr__arena_zeroed(b->arena, pieces + 2, sizeof *b->loop_first);
  b->loops = cr__arena_alloc(b->arena, boundary->loop_count, sizeof *b->loops);
  if (!b->loop_first || !b->loops) return false;
  for (uint32_t i = 0; i < boundary->loop_count; i++) b->loop_first[boundary->loops[i].piece + 1]++;
  for (size_t p = 1; p < pieces + 2; p++) b->loop_first[p] += b->loop_first[p - 1];
  uint32_t *fill = cr__arena_alloc(b->arena, pieces + 2, sizeof *fill);
  if (!fill) return false;
  memcpy(fill, b->loop_first, (pieces + 2) * sizeof *fill);
  for (uint32_t i = 0; i < boundary->loop_count; i++) {
    uint32_t piece = boundary->loops[i].piece;
    uint32_t at = fill[piece]++, first = b->loop_first[piece];
    b->loops[at] = i;
    if (boundary->loops[i].area2 <= 0 || at == first) continue;
    b->loops[at] = b->loops[first];
    b->loops[first] = i;
  }
  return true;
}

// --- Output ---------------------------------------------------------------------------------------------------------

static bool reserve_polygon(Builder *b, uint32_t corners) {
  CrOutlineMesh *m = b->out;
  CrArena *arena = b->arena;
  size_t polygons = m->polygon_count, used = m->corner_count, needed = used + corners;
  return cr__arena_grow(arena, (void **)&m->counts, &m->count_capacity, polygons, polygons + 1, 1) &&
         cr__arena_grow(arena, (void **)&m->areas, &m->area_capacity, polygons, polygons + 1, 1) &&
         cr__arena_grow(arena, (void **)&m->pieces, &m->piece_capacity, polygons, polygons + 1, sizeof *m->pieces) &&
         cr__arena_grow(arena, (void **)&m->corner_vertex, &m->vertex_capacity, used, needed,
                        sizeof *m->corner_vertex) &&
         cr__arena_grow(arena, (void **)&m->corner_edge, &m->edge_capacity, used, needed, sizeof *m->corner_edge);
}

static bool store_polygon(Builder *b, const CrOutlinePoly *poly, uint32_t piece) {
  CrOutlineMesh *m = b->out;
  if (!reserve_polygon(b, poly->count)) return false;
  m->counts[m->polygon_count] = (uint8_t)poly->count;
  m->areas[m->polygon_count] = b->pieces->area[piece];
  m->pieces[m->polygon_count] = piece;
  for (uint32_t k = 0; k < poly->count; k++) {
    m->corner_vertex[m->corner_count] = poly->vertex[k];
    m->corner_edge[m->corner_count++] = poly->edge[k];
    m->edges.sides[poly->edge[k]] = m->polygon_count;
  }
  m->polygon_count++;
  return true;
}

static bool build_piece(Builder *b, uint32_t piece) {
  uint32_t first = b->loop_first[piece], count = b->loop_first[piece + 1] - first;
  uint32_t first_edge = (uint32_t)b->out->edges.count;
  if (!cr__ring_of_piece(b->boundary, b->arcs, b->loops + first, count, &b->out->edges, &b->ring_scratch, b->arena,
                         &b->ring)) {
    return false;
  }
  if (b->ring.count < 3) return true;
  b->polygons.count = 0;
  if (!cr__ring_triangulate(&b->ring, &b->out->edges, &b->ears, b->arena, &b->polygons)) return false;
  if (!cr__polygons_merge(b->boundary, &b->polygons, &b->out->edges, first_edge, b->max_corners, &b->ears.heap,
                          b->arena)) {
    return false;
  }
  for (size_t i = 0; i < b->polygons.count; i++) {
    if (b->polygons.items[i].count && !store_polygon(b, &b->polygons.items[i], piece)) return false;
  }
  return true;
}

CrStatus cr__polygonize(const CrBoundary *boundary, const CrPieces *pieces, const CrArcs *arcs, uint32_t max_corners,
                        CrArena *arena, CrOutlineMesh *out) {
  *out = (CrOutlineMesh){0};
  Builder b = {.boundary = boundary, .pieces = pieces, .arcs = arcs, .arena = arena, .out = out};
  b.max_corners = max_corners;
  if (!add_segments(&b) || !sort_loops(&b)) return CR_STATUS_OUT_OF_MEMORY;
  for (uint32_t piece = 1; piece <= pieces->count; piece++) {
    if (!build_piece(&b, piece)) return CR_STATUS_OUT_OF_MEMORY;
    if (out->polygon_count > CR_MAX_TILE_POLYS) return CR_STATUS_LIMIT;
  }
  return CR_STATUS_OK;
}
