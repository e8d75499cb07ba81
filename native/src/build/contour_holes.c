// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The simplified outline of a piece as one ring of slots: its outer loop, and every hole joined to it by a bridge walked both
// ways. Looking left (-x) from the leftmost visit of a hole, the first edge in sight is the outline's or that of a hole joined
// earlier; the bridge goes to the vertex in sight that is nearest in angle (Held 2001; Eberly 1998), so it crosses nothing.
// Order: holes by their leftmost (x, z), then slot; of vertices at one angle the nearest.
#include "outline_internal.h"

typedef struct Joiner {
  const CrBoundary *boundary;
  const CrArcs *arcs;
  CrMeshEdges *edges;
  CrRingScratch *scratch;
  CrArena *arena;
  CrRing *ring;
  int32_t row_z, row_height;  // rows of the edge index
  uint32_t row_count;
} Joiner;

// --- Loops to slots -------------------------------------------------------------------------------------------------

static bool push_slot(Joiner *j, uint32_t vertex, uint32_t edge) {
  CrRing *ring = j->ring;
  if (!cr__arena_grow(j->arena, (void **)&ring->slots, &ring->capacity, ring->count, ring->count + 1,
                      sizeof *ring->slots)) {
    return false;
  }
  const CrCorner *corner = &j->boundary->vertices[vertex];
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

// --- Edge index: rows of z ------------------------------------------------------------------------------------------

static uint32_t row_of(const Joiner *j, int32_t z) { return (uint32_t)(z - j->row_z) / (uint32_t)j->row_height; }

static bool index_edge(Joiner *j, uint32_t slot) {
  CrRingScratch *s = j->scratch;
  const CrSlot *a = &j->ring->slots[slot], *b = &j->ring->slots[a->next];
  uint32_t low = row_of(j, a->z < b->z ? a->z : b->z), high = row_of(j, a->z < b->z ? b->z : a->z);
  if (!cr__arena_grow(j->arena, (void **)&s->edges, &s->edge_capacity, s->edge_count, s->edge_count + 1,
                      sizeof *s->edges)) {
    return false;
  }
  s->edges[s->edge_count] = (CrRowEdge){a->x, a->z, b->x, b->z, slot};
  for (uint32_t row = low; row <= high; row++) {
    if (!cr__arena_grow(j->arena, (void **)&s->entries, &s->entry_capacity, s->entry_count, s->entry_count + 1,
                        sizeof *s->entries)) {
      return false;
    }
    s->entries[s->entry_count] = (CrRowEntry){(uint32_t)s->edge_count, s->rows[row]};
    s->rows[row] = (uint32_t)s->entry_count++;
  }
  s->edge_count++;
  return true;
}

// About four rows per square root of the edges: keeps both the rows' lists and the entries of tall edges short.
static bool build_index(Joiner *j) {
  CrRingScratch *s = j->scratch;
  const CrRing *ring = j->ring;
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (size_t i = 0; i < ring->count; i++) {
    if (ring->slots[i].z < low) low = ring->slots[i].z;
    if (ring->slots[i].z > high) high = ring->slots[i].z;
  }
  uint32_t root = 1;
  while ((size_t)root * root < ring->count) root++;
  int32_t wanted = (int32_t)(8 + 4 * root), extent = high - low + 1;
  j->row_z = low;
  j->row_height = (extent + wanted - 1) / wanted;
  j->row_count = (uint32_t)(extent / j->row_height) + 1;
  if (!cr__arena_grow(j->arena, (void **)&s->rows, &s->row_capacity, 0, j->row_count, sizeof *s->rows)) return false;
  for (uint32_t row = 0; row < j->row_count; row++) s->rows[row] = CR_NONE;
  s->edge_count = s->entry_count = 0;
  for (uint32_t i = 0; i < ring->count; i++) {
    if (!index_edge(j, i)) return false;
  }
  return true;
}

// --- Sight to the left ----------------------------------------------------------------------------------------------

// Where an edge meets the ray: x = top / bottom, bottom > 0.
typedef struct Hit {
  int64_t top, bottom;
  uint32_t edge;
  bool found;
} Hit;

static void try_hit(Hit *best, const CrRowEdge *e, uint32_t number, int32_t x, int32_t z) {
  int32_t low = e->az < e->bz ? e->az : e->bz, high = e->az < e->bz ? e->bz : e->az;
  if (z < low || z > high) return;
  Hit hit = {.bottom = 1, .edge = number, .found = true};
  if (e->az == e->bz) {
    int32_t left = e->ax < e->bx ? e->ax : e->bx, right = e->ax < e->bx ? e->bx : e->ax;
    hit.top = right < x ? right : left;
  } else {
    int64_t dx = (int64_t)e->bx - e->ax, dz = (int64_t)e->bz - e->az;
    hit.bottom = dz > 0 ? dz : -dz;
    hit.top = e->ax * hit.bottom + (dz > 0 ? dx : -dx) * (z - e->az);
  }
  if (hit.top >= x * hit.bottom) return;
  if (!best->found || hit.top * best->bottom > best->top * hit.bottom) *best = hit;
}

static Hit look_left(const Joiner *j, int32_t x, int32_t z) {
  const CrRingScratch *s = j->scratch;
  Hit best = {0};
  for (uint32_t i = s->rows[row_of(j, z)]; i != CR_NONE; i = s->entries[i].next) {
    try_hit(&best, &s->edges[s->entries[i].edge], s->entries[i].edge, x, z);
  }
  return best;
}

typedef struct Target {
  int32_t x, z;
} Target;

// Of the vertices in the triangle (h, hit, p) the one at the least angle to the ray: seen from h nothing stands before it.
static Target nearest_in_angle(const Joiner *j, Target h, const CrRowEdge *edge, Target p) {
  const CrRingScratch *s = j->scratch;
  Target q = edge->ax == p.x && edge->az == p.z ? (Target){edge->bx, edge->bz} : (Target){edge->ax, edge->az};
  int64_t up = p.z > h.z ? 1 : -1;
  Target best = p;
  uint32_t first = row_of(j, p.z < h.z ? p.z : h.z), last = row_of(j, p.z < h.z ? h.z : p.z);
  for (uint32_t row = first; row <= last; row++) {
    for (uint32_t i = s->rows[row]; i != CR_NONE; i = s->entries[i].next) {
      Target v = {s->edges[s->entries[i].edge].ax, s->edges[s->entries[i].edge].az};
      int64_t rise = up * (v.z - h.z), reach = (int64_t)h.x - v.x;
      if (rise <= 0 || reach <= 0) continue;
      bool inside =
          up * cr__turn(h.x, h.z, p.x, p.z, v.x, v.z) >= 0 && up * cr__turn(q.x, q.z, p.x, p.z, v.x, v.z) <= 0;
      if (!inside) continue;
      int64_t slope = rise * ((int64_t)h.x - best.x) - up * (best.z - h.z) * reach;
      // order: least angle, then nearest
      if (slope < 0 || (slope == 0 && v.x > best.x)) best = v;
    }
  }
  return best;
}

static bool find_target(const Joiner *j, uint32_t hole, Target *out) {
  const CrSlot *h = &j->ring->slots[hole];
  Hit hit = look_left(j, h->x, h->z);
  if (!hit.found) return false;
  const CrRowEdge *e = &j->scratch->edges[hit.edge];
  if (hit.top == e->ax * hit.bottom && e->az == h->z) {
    *out = (Target){e->ax, e->az};
  } else if (hit.top == e->bx * hit.bottom && e->bz == h->z) {
    *out = (Target){e->bx, e->bz};
  } else {
    bool a_first = e->ax != e->bx ? e->ax < e->bx : e->az < e->bz;
    Target p = a_first ? (Target){e->ax, e->az} : (Target){e->bx, e->bz};
    *out = nearest_in_angle(j, (Target){h->x, h->z}, e, p);
  }
  return true;
}

// --- Bridges --------------------------------------------------------------------------------------------------------

// The visit of the target whose interior angle looks towards (x, z). order: the least slot, were there several.
static uint32_t visit_facing(const Joiner *j, Target at, int32_t x, int32_t z) {
  const CrRingScratch *s = j->scratch;
  uint32_t best = CR_NONE;
  for (uint32_t i = s->rows[row_of(j, at.z)]; i != CR_NONE; i = s->entries[i].next) {
    const CrRowEdge *e = &s->edges[s->entries[i].edge];
    if (e->ax != at.x || e->az != at.z) continue;
    for (uint32_t slot = e->slot; slot != CR_NONE; slot = s->twins[slot]) {
      if (slot < best && cr__slot_faces(j->ring->slots, slot, x, z)) best = slot;
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
  return index_edge(j, outer) && index_edge(j, hole);
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
static uint32_t hole_visit(const Joiner *j, uint32_t hole, Target t) {
  const CrSlot *slots = j->ring->slots;
  uint32_t i = hole;
  do {
    if (cr__slot_same_place(&slots[i], &slots[hole]) && cr__slot_faces(slots, i, t.x, t.z)) return i;
    i = slots[i].next;
  } while (i != hole);
  return CR_NONE;
}

static bool join_holes(Joiner *j) {
  CrRingScratch *s = j->scratch;
  size_t count = j->ring->count;
  if (!cr__arena_grow(j->arena, (void **)&s->twins, &s->twin_capacity, 0, count, sizeof *s->twins)) return false;
  for (size_t i = 0; i < count; i++) s->twins[i] = CR_NONE;
  if (!build_index(j) || !sort_holes(j)) return false;
  for (size_t i = 0; i < s->hole_count; i++) {
    Target target;
    uint32_t hole = s->holes[i];
    bool seen = find_target(j, hole, &target);
    CR_ASSERT(seen);
    if (!seen) continue;
    uint32_t visit = hole_visit(j, hole, target);
    uint32_t outer = visit_facing(j, target, j->ring->slots[hole].x, j->ring->slots[hole].z);
    CR_ASSERT(visit != CR_NONE && outer != CR_NONE);
    if (visit == CR_NONE || outer == CR_NONE) continue;
    if (!build_bridge(j, outer, visit)) return false;
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
  Joiner j = {boundary, arcs, edges, scratch, arena, ring, 0, 1, 0};
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
