// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Loops cut into arcs at the vertices every simplification must keep: where what is behind the boundary changes, where more than
// one strand of boundary passes, and where the two sides of a shared boundary do not run on together. An arc of a shared
// boundary is made once and used by both pieces, so their outlines match vertex for vertex.
// Order: loops by their first half-edge, arcs along each loop from its first such vertex. A loop without one is a single arc that
// starts at its least (x, z), then vertex.
#include "outline_internal.h"

static bool is_shared(uint32_t behind) { return behind != CR_BEHIND_WALL && !(behind & CR_BEHIND_BORDER); }

static bool visits_piece(const CrBoundary *b, uint32_t vertex, uint32_t piece) {
  for (uint32_t e = b->vertices[vertex].first; e != CR_NONE; e = b->edges[e].sibling) {
    if (b->edges[e].piece == piece) return true;
  }
  return false;
}

static bool share_a_piece(const CrBoundary *b, uint32_t u, uint32_t v) {
  for (uint32_t e = b->vertices[u].first; e != CR_NONE; e = b->edges[e].sibling) {
    if (visits_piece(b, v, b->edges[e].piece)) return true;
  }
  return false;
}

// Vertices at one place touch when they are of one storey or of one piece.
static void find_pinches(CrBoundary *b, int32_t level) {
  for (uint32_t v = 0; v < b->vertex_count; v++) {
    for (uint32_t u = b->vertices[v].same_place; u != CR_NONE; u = b->vertices[u].same_place) {
      int64_t rise = (int64_t)b->vertices[u].y - b->vertices[v].y;
      if ((rise >= level || -rise >= level) && !share_a_piece(b, u, v)) continue;
      b->vertices[u].pinched = b->vertices[v].pinched = true;
    }
  }
}

// Whether the boundary passing from half-edge `in` to its next must keep the vertex between.
static bool is_end(const CrBoundary *b, uint32_t in) {
  const CrHalfEdge *edge = &b->edges[b->edges[in].next];
  const CrOutlineCorner *corner = &b->vertices[edge->start];
  if (corner->pinched || edge->behind != b->edges[in].behind) return true;
  uint32_t second = b->edges[corner->first].sibling;
  if (!is_shared(edge->behind)) return second != CR_NONE;
  bool two_strands = second != CR_NONE && b->edges[second].sibling == CR_NONE;
  return !two_strands || b->edges[edge->twin].next != b->edges[in].twin;
}

// --- Arcs -----------------------------------------------------------------------------------------------------------

typedef struct Cutter {
  CrBoundary *boundary;
  CrArena *arena;
  CrArcs *arcs;
  size_t loop_capacity;
} Cutter;

static bool begin_arc(Cutter *cutter, uint32_t first) {
  CrArcs *arcs = cutter->arcs;
  if (!cr__arena_grow(cutter->arena, (void **)&arcs->items, &arcs->capacity, arcs->count, arcs->count + 1,
                      sizeof *arcs->items)) {
    return false;
  }
  const CrHalfEdge *edge = &cutter->boundary->edges[first];
  arcs->items[arcs->count] =
      (CrArc){.first_edge = first, .piece = edge->piece, .behind = edge->behind, .chain = (uint32_t)arcs->chain_count};
  return true;
}

static bool push_chain(Cutter *cutter, uint32_t vertex) {
  CrArcs *arcs = cutter->arcs;
  if (!cr__arena_grow(cutter->arena, (void **)&arcs->chain, &arcs->chain_capacity, arcs->chain_count,
                      arcs->chain_count + 1, sizeof *arcs->chain)) {
    return false;
  }
  arcs->chain[arcs->chain_count++] = vertex;
  return true;
}

static bool push_edge(Cutter *cutter, uint32_t at) {
  CrBoundary *b = cutter->boundary;
  CrArc *arc = &cutter->arcs->items[cutter->arcs->count];
  uint32_t number = (uint32_t)cutter->arcs->count;
  b->edges[at].arc = number * 2;
  if (b->edges[at].twin != CR_NONE) b->edges[b->edges[at].twin].arc = number * 2 + 1;
  CrOutlineCorner *corner = &b->vertices[b->edges[at].start];
  if (arc->edge_count) {  // the first vertex is set when the arc ends
    corner->arc = number;
    corner->position = arc->edge_count;
  }
  arc->edge_count++;
  arc->last_edge = at;
  return push_chain(cutter, b->edges[at].start);
}

static bool end_arc(Cutter *cutter, bool closed) {
  CrBoundary *b = cutter->boundary;
  CrArc *arc = &cutter->arcs->items[cutter->arcs->count];
  uint32_t from = b->edges[arc->first_edge].start, to = b->edges[b->edges[arc->last_edge].next].start;
  if (closed) b->vertices[from].arc = (uint32_t)cutter->arcs->count;
  arc->ring = b->vertices[from].x == b->vertices[to].x && b->vertices[from].z == b->vertices[to].z;
  cutter->arcs->count++;
  return push_chain(cutter, to);
}

static bool cut_closed(Cutter *cutter, uint32_t first) {
  const CrBoundary *b = cutter->boundary;
  if (b->edges[first].arc != CR_NONE) return true;
  uint32_t least = first;
  for (uint32_t e = b->edges[first].next; e != first; e = b->edges[e].next) {
    uint32_t u = b->edges[e].start, v = b->edges[least].start;
    const CrOutlineCorner *p = &b->vertices[u], *q = &b->vertices[v];
    if (p->x != q->x ? p->x < q->x : p->z != q->z ? p->z < q->z : u < v) least = e;  // order: (x, z), then vertex
  }
  if (!begin_arc(cutter, least)) return false;
  uint32_t e = least;
  do {
    if (!push_edge(cutter, e)) return false;
    e = b->edges[e].next;
  } while (e != least);
  return end_arc(cutter, true);
}

// Cuts a loop from `first`, which starts at an end of arcs.
static bool cut_open(Cutter *cutter, uint32_t first) {
  const CrBoundary *b = cutter->boundary;
  uint32_t e = first;
  do {
    bool fresh = b->edges[e].arc == CR_NONE;
    if (fresh && !begin_arc(cutter, e)) return false;
    for (bool more = true; more; e = b->edges[e].next) {
      if (fresh && !push_edge(cutter, e)) return false;
      more = !is_end(b, e);
    }
    if (fresh && !end_arc(cutter, false)) return false;
  } while (e != first);
  return true;
}

// --- Loops ----------------------------------------------------------------------------------------------------------

static int64_t edge_area2(const CrBoundary *b, uint32_t e) {
  const CrOutlineCorner *p = &b->vertices[b->edges[e].start], *q = &b->vertices[b->edges[b->edges[e].next].start];
  return (int64_t)p->x * q->z - (int64_t)p->z * q->x;
}

static bool add_loop(Cutter *cutter, uint32_t first, uint8_t *seen) {
  CrBoundary *b = cutter->boundary;
  CrLoop loop = {.start = CR_NONE, .piece = b->edges[first].piece};
  uint32_t e = first;
  do {
    seen[e] = 1;
    loop.area2 += edge_area2(b, e);
    if (loop.start == CR_NONE && is_end(b, e)) loop.start = b->edges[e].next;
    e = b->edges[e].next;
  } while (e != first);
  bool closed = loop.start == CR_NONE;
  if (closed) loop.start = first;
  if (!(closed ? cut_closed(cutter, first) : cut_open(cutter, loop.start))) return false;
  if (!cr__arena_grow(cutter->arena, (void **)&b->loops, &cutter->loop_capacity, b->loop_count,
                      (size_t)b->loop_count + 1, sizeof *b->loops)) {
    return false;
  }
  b->loops[b->loop_count++] = loop;
  return true;
}

bool cr__arcs_cut(CrBoundary *boundary, const CrOpenField *field, CrArena *arena, CrArcs *out) {
  *out = (CrArcs){0};
  Cutter cutter = {boundary, arena, out, 0};
  uint8_t *seen = cr__arena_zeroed(arena, boundary->edge_count, 1);
  if (!seen) return false;
  find_pinches(boundary, field->cells.height);
  for (uint32_t e = 0; e < boundary->edge_count; e++) {
    if (!seen[e] && !add_loop(&cutter, e, seen)) return false;
  }
  return true;
}

bool cr__boundary_is_whole(const CrBoundary *boundary, const CrPieces *pieces) {
  uint32_t outer = 0;
  for (uint32_t i = 0; i < boundary->loop_count; i++) outer += boundary->loops[i].area2 > 0;
  return outer == pieces->count;
}
