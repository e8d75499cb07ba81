// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The simplified outline of a piece as one ring of slots: its outer loop, and every hole joined to it by a bridge walked both
// ways, from the hole's leftmost vertex to a vertex in sight on its left (hole_sight.c). What is to the left belongs to the outer
// loop or to a hole joined before.
// Order: holes by their leftmost (x, z), then slot.
#include "outline_internal.h"

typedef struct Joiner {
  const CrBoundary *boundary;
  const CrArcs *arcs;
  CrMeshEdges *edges;
  CrRingScratch *scratch;
  CrArena *arena;
  CrRing *ring;
} Joiner;

// --- Loops to slots -------------------------------------------------------------------------------------------------

static bool push_slot(Joiner *j, uint32_t vertex, uint32_t edge) {
  CrRing *ring = j->ring;
  if (!cr__arena_grow(j->arena, (void **)&ring->slots, &ring->capacity, ring->count, ring->count + 1,
                      sizeof *ring->slots)) {
    return false;
  }
  const CrOutlineCorner *corner = &j->boundary->vertices[vertex];
  uint32_t number = (uint32_t)ring->count;
  ring->slots[ring->count++] = (CrSlot){corner->x, corner->z, vertex, edge, number + 1, number - 1};
  return true;
}

static bool push_arc(Joiner *j, const CrArc *arc, uint32_t side) {
  for (uint32_t k = 0; k < arc->segment_count; k++) {
    uint32_t segment = side ? arc->segment_count - 1 - k : k;
    uint32_t position = j->arcs->kept[arc->kept + segment + side];
    if (!push_slot(j, j->arcs->chain[arc->chain + position], (arc->segment + segment) * 2 + side)) return false;
  }
  return true;
}

static bool push_loop(Joiner *j, const CrLoop *loop) {
  const CrHalfEdge *edges = j->boundary->edges;
  uint32_t first = (uint32_t)j->ring->count, e = loop->start;
  bool closed;
  do {
    const CrArc *arc = &j->arcs->items[edges[e].arc >> 1];
    uint32_t side = edges[e].arc & 1;
    if (!push_arc(j, arc, side)) return false;
    closed = arc->ring && edges[arc->last_edge].next == arc->first_edge;
    e = edges[side ? edges[arc->first_edge].twin : arc->last_edge].next;
  } while (!closed && e != loop->start);
  uint32_t last = (uint32_t)j->ring->count - 1;
  j->ring->slots[first].prev = last;
  j->ring->slots[last].next = first;
  return true;
}

// --- Directions -----------------------------------------------------------------------------------------------------

bool cr__slot_faces(const CrSlot *slots, uint32_t s, int32_t x, int32_t z) {
  const CrSlot *at = &slots[s], *next = &slots[at->next], *prev = &slots[at->prev];
  int64_t from_next = cr__turn(at->x, at->z, next->x, next->z, x, z);
  int64_t to_prev = cr__turn(at->x, at->z, x, z, prev->x, prev->z);
  int64_t opening = cr__slot_turn(at, next, prev);
  if (opening > 0) return from_next > 0 && to_prev > 0;
  int64_t dx = (int64_t)next->x - at->x, dz = (int64_t)next->z - at->z;
  bool spike = opening == 0 && dx * (prev->x - at->x) + dz * (prev->z - at->z) > 0;
  // Round the tip of a spike everything is interior but the spike itself.
  if (spike) return from_next != 0 || dx * (x - at->x) + dz * (z - at->z) < 0;
  return !(from_next <= 0 && to_prev <= 0);
}

// --- Bridges --------------------------------------------------------------------------------------------------------

// The visit of the target whose interior angle looks towards `from`. order: the least slot, were there several.
static uint32_t visit_facing(const Joiner *j, CrSightPoint at, CrSightPoint from) {
  const CrSight *s = &j->scratch->sight;
  uint32_t best = CR_NONE;
  for (uint32_t i = s->bins[cr__sight_bin(s, at.x, at.z)]; i != CR_NONE; i = s->entries[i].next) {
    const CrSightEdge *e = &s->edges[s->entries[i].edge];
    if (e->ax != at.x || e->az != at.z) continue;
    for (uint32_t slot = e->slot; slot != CR_NONE; slot = j->scratch->twins[slot]) {
      if (slot < best && cr__slot_faces(j->ring->slots, slot, from.x, from.z)) best = slot;
    }
  }
  return best;
}

// A second visit of the slot's vertex, which takes over its next edge.
static uint32_t split_visit(Joiner *j, uint32_t slot) {
  if (!push_slot(j, j->ring->slots[slot].vertex, j->ring->slots[slot].edge)) return CR_NONE;
  uint32_t twin = (uint32_t)j->ring->count - 1;
  CrSlot *slots = j->ring->slots;
  slots[twin].next = slots[slot].next;
  slots[slots[twin].next].prev = twin;
  CrRingScratch *s = j->scratch;
  if (!cr__arena_grow(j->arena, (void **)&s->twins, &s->twin_capacity, twin, (size_t)twin + 1, sizeof *s->twins)) {
    return CR_NONE;
  }
  s->twins[twin] = s->twins[slot];
  s->twins[slot] = twin;
  return twin;
}

static bool build_bridge(Joiner *j, uint32_t outer, uint32_t hole) {
  uint32_t edge = cr__mesh_edge_add(j->edges, j->arena);
  if (edge == CR_NONE) return false;
  uint32_t outer_twin = split_visit(j, outer), hole_twin = split_visit(j, hole);
  if (outer_twin == CR_NONE || hole_twin == CR_NONE) return false;
  CrSlot *slots = j->ring->slots;
  uint32_t hole_end = hole_twin;  // the walk round the hole: hole_twin ... hole
  slots[outer].next = hole_end;
  slots[hole_end].prev = outer;
  slots[outer].edge = edge * 2;
  slots[hole].next = outer_twin;
  slots[outer_twin].prev = hole;
  slots[hole].edge = edge * 2 + 1;
  return cr__sight_add(&j->scratch->sight, j->ring, outer) && cr__sight_add(&j->scratch->sight, j->ring, hole);
}

static uint32_t leftmost_slot(const CrRing *ring, uint32_t first) {
  const CrSlot *slots = ring->slots;
  uint32_t best = first;
  for (uint32_t i = slots[first].next; i != first; i = slots[i].next) {
    bool less = slots[i].x != slots[best].x ? slots[i].x < slots[best].x : slots[i].z < slots[best].z;
    if (less) best = i;
  }
  return best;
}

static bool hole_less(const CrSlot *slots, uint32_t a, uint32_t b) {
  if (slots[a].x != slots[b].x) return slots[a].x < slots[b].x;
  return slots[a].z != slots[b].z ? slots[a].z < slots[b].z : a < b;
}

static bool sort_holes(Joiner *j) {
  CrRingScratch *s = j->scratch;
  size_t count = s->hole_count;
  uint32_t *from = s->holes, *to = cr__arena_alloc(j->arena, count, sizeof *to);
  if (!to) return false;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t low = 0; low < count; low += 2 * run) {
      size_t middle = low + run < count ? low + run : count, high = middle + run < count ? middle + run : count;
      size_t a = low, b = middle;
      for (size_t i = low; i < high; i++) {
        bool take_b = a == middle || (b < high && hole_less(j->ring->slots, from[b], from[a]));
        to[i] = take_b ? from[b++] : from[a++];
      }
    }
    uint32_t *t = from;
    from = to;
    to = t;
  }
  if (from != s->holes) memcpy(s->holes, from, count * sizeof *from);
  return true;
}

// The hole's visit that looks at the target: the same place may be visited more than once.
static uint32_t hole_visit(const Joiner *j, uint32_t hole, CrSightPoint t) {
  const CrSlot *slots = j->ring->slots;
  uint32_t i = hole;
  do {
    if (cr__slot_same_place(&slots[i], &slots[hole]) && cr__slot_faces(slots, i, t.x, t.z)) return i;
    i = slots[i].next;
  } while (i != hole);
  return CR_NONE;
}

static bool join_hole(Joiner *j, uint32_t hole) {
  CrSightPoint from = {j->ring->slots[hole].x, j->ring->slots[hole].z}, target;
  bool seen = cr__sight_find(&j->scratch->sight, from, &target);
  CR_ASSERT(seen);
  if (!seen) return true;
  uint32_t visit = hole_visit(j, hole, target), outer = visit_facing(j, target, from);
  CR_ASSERT(visit != CR_NONE && outer != CR_NONE);
  return visit == CR_NONE || outer == CR_NONE || build_bridge(j, outer, visit);
}

static bool join_holes(Joiner *j) {
  CrRingScratch *s = j->scratch;
  size_t count = j->ring->count;
  if (!cr__arena_grow(j->arena, (void **)&s->twins, &s->twin_capacity, 0, count, sizeof *s->twins)) return false;
  for (size_t i = 0; i < count; i++) s->twins[i] = CR_NONE;
  if (!cr__sight_build(&s->sight, j->ring, j->arena) || !sort_holes(j)) return false;
  for (size_t i = 0; i < s->hole_count; i++) {
    if (!join_hole(j, s->holes[i])) return false;
  }
  return true;
}

// A piece that became a line between two vertices: whatever lies on its two sides now meets there.
static void pass_through(Joiner *j) {
  if (j->ring->count != 2) return;
  uint32_t a = j->ring->slots[0].edge, b = j->ring->slots[1].edge;
  j->edges->sides[a] = CR_SIDE_THROUGH | b;
  j->edges->sides[b] = CR_SIDE_THROUGH | a;
}

bool cr__ring_of_piece(const CrBoundary *boundary, const CrArcs *arcs, const uint32_t *loops, uint32_t loop_count,
                       CrMeshEdges *edges, CrRingScratch *scratch, CrArena *arena, CrRing *ring) {
  Joiner j = {boundary, arcs, edges, scratch, arena, ring};
  ring->count = 0;
  scratch->hole_count = 0;
  for (uint32_t i = 0; i < loop_count; i++) {
    uint32_t first = (uint32_t)ring->count;
    if (!push_loop(&j, &boundary->loops[loops[i]])) return false;
    if (i == 0) {
      pass_through(&j);
      if (ring->count < 3) return true;
      continue;
    }
    if (!cr__arena_grow(arena, (void **)&scratch->holes, &scratch->hole_capacity, scratch->hole_count,
                        scratch->hole_count + 1, sizeof *scratch->holes)) {
      return false;
    }
    scratch->holes[scratch->hole_count++] = leftmost_slot(ring, first);
  }
  return scratch->hole_count == 0 || join_holes(&j);
}
