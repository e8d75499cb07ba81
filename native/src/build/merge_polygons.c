// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Triangles of one piece merged to convex polygons across their common edges. A merge that is not possible once stays so (angles
// and corner counts only grow), hence every edge is tried once.
// Order: longest edge first, then lowest edge number; the polygon with the lower number takes the other in.
#include "outline_internal.h"

typedef struct Merger {
  const CrOutlineCorner *vertices;
  CrPolyList *list;
  CrMeshEdges *edges;
  uint32_t max_corners;
} Merger;

static uint32_t edge_position(const CrOutlinePoly *poly, uint32_t side) {
  uint32_t k = 0;
  while (poly->edge[k] != side) k++;
  return k;
}

static uint32_t corner_at(const CrOutlinePoly *poly, uint32_t k) { return poly->vertex[k % poly->count]; }

// A left turn, or straight on.
static bool bends_left(const Merger *m, uint32_t u, uint32_t v, uint32_t w) {
  const CrOutlineCorner *a = &m->vertices[u], *b = &m->vertices[v], *c = &m->vertices[w];
  int64_t turn = cr__turn(a->x, a->z, b->x, b->z, c->x, c->z);
  int64_t onward = (int64_t)(b->x - a->x) * (c->x - b->x) + (int64_t)(b->z - a->z) * (c->z - b->z);
  return turn > 0 || (turn == 0 && onward > 0);
}

// `i` and `j` are the positions of the common edge a -> b in p and b -> a in q.
static bool may_merge(const Merger *m, const CrOutlinePoly *p, uint32_t i, const CrOutlinePoly *q, uint32_t j) {
  if (p->count + q->count - 2 > m->max_corners) return false;
  uint32_t before_a = corner_at(p, i + p->count - 1), a = corner_at(p, i), after_a = corner_at(q, j + 2);
  uint32_t before_b = corner_at(q, j + q->count - 1), b = corner_at(q, j), after_b = corner_at(p, i + 2);
  return bends_left(m, before_a, a, after_a) && bends_left(m, before_b, b, after_b);
}

static void merge(Merger *m, uint32_t into, uint32_t i, uint32_t from, uint32_t j) {
  CrOutlinePoly *p = &m->list->items[into], *q = &m->list->items[from];
  CrOutlinePoly joined = {0};
  for (uint32_t k = 1; k < p->count; k++, joined.count++) {  // from b round p to a
    joined.vertex[joined.count] = corner_at(p, i + k);
    joined.edge[joined.count] = p->edge[(i + k) % p->count];
  }
  for (uint32_t k = 1; k < q->count; k++, joined.count++) {  // from a round q to b
    joined.vertex[joined.count] = corner_at(q, j + k);
    joined.edge[joined.count] = q->edge[(j + k) % q->count];
    m->edges->sides[joined.edge[joined.count]] = into;
  }
  *p = joined;
  q->count = 0;
}

static void try_merge(Merger *m, uint32_t edge) {
  uint32_t into = m->edges->sides[(size_t)edge * 2], from = m->edges->sides[(size_t)edge * 2 + 1];
  if (into == CR_NONE || from == CR_NONE || into == from) return;
  uint32_t into_side = edge * 2, from_side = edge * 2 + 1;
  if (from < into) {
    uint32_t t = into;
    into = from;
    from = t;
    into_side = edge * 2 + 1;
    from_side = edge * 2;
  }
  const CrOutlinePoly *p = &m->list->items[into], *q = &m->list->items[from];
  uint32_t i = edge_position(p, into_side), j = edge_position(q, from_side);
  if (may_merge(m, p, i, q, j)) merge(m, into, i, from, j);
}

// Ends of an edge from the polygon on one of its sides.
static bool edge_length2(const Merger *m, uint32_t edge, uint64_t *out) {
  uint32_t poly = m->edges->sides[(size_t)edge * 2];
  if (poly == CR_NONE) return false;
  const CrOutlinePoly *p = &m->list->items[poly];
  uint32_t k = edge_position(p, edge * 2);
  const CrOutlineCorner *a = &m->vertices[corner_at(p, k)], *b = &m->vertices[corner_at(p, k + 1)];
  int64_t dx = (int64_t)b->x - a->x, dz = (int64_t)b->z - a->z;
  *out = (uint64_t)(dx * dx + dz * dz);
  return true;
}

bool cr__polygons_merge(const CrBoundary *boundary, CrPolyList *list, CrMeshEdges *edges, uint32_t first_edge,
                        uint32_t max_corners, CrHeap *heap, CrArena *arena) {
  Merger merger = {boundary->vertices, list, edges, max_corners};
  heap->count = 0;
  for (uint32_t edge = first_edge; edge < edges->count; edge++) {
    uint64_t length2;
    if (!edge_length2(&merger, edge, &length2)) continue;
    if (!cr__heap_push(heap, arena, (CrHeapEntry){UINT64_MAX - length2, edge, 0})) return false;
  }
  while (heap->count) try_merge(&merger, cr__heap_pop(heap).item);
  return true;
}
