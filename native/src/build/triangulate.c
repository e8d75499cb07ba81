// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A ring, possibly touching itself along bridges and slits, cut into triangles by clipping ears (Meisters 1975) with exact
// predicates. An ear is a corner with area whose diagonal opens into the interior at both ends and whose triangle holds no other
// vertex but at its own three places. Only reflex vertices can lie in it; they are found through bins. An ear that is blocked
// waits at the vertex that blocks it.
// Order: shortest diagonal first, then least slot.
#include "outline_internal.h"

typedef struct Clipper {
  CrSlot *slots;
  CrMeshEdges *edges;
  CrEarScratch *s;
  CrArena *arena;
  CrPolyList *out;
  size_t left;  // slots not yet clipped
  int32_t bin_x, bin_z;
  int bin_shift;
  uint32_t bin_columns, bin_rows;
} Clipper;

static bool is_reflex(const Clipper *c, uint32_t i) {
  const CrSlot *s = &c->slots[i];
  return cr__slot_turn(&c->slots[s->prev], s, &c->slots[s->next]) <= 0;
}

// --- Bins of reflex slots -------------------------------------------------------------------------------------------

static uint32_t bin_of(const Clipper *c, int32_t x, int32_t z) {
  return (uint32_t)((x - c->bin_x) >> c->bin_shift) + (uint32_t)((z - c->bin_z) >> c->bin_shift) * c->bin_columns;
}

static bool build_bins(Clipper *c) {
  int32_t max_x = INT32_MIN, max_z = INT32_MIN;
  c->bin_x = c->bin_z = INT32_MAX;
  for (size_t i = 0; i < c->left; i++) {
    const CrSlot *s = &c->slots[i];
    if (s->x < c->bin_x) c->bin_x = s->x;
    if (s->z < c->bin_z) c->bin_z = s->z;
    if (s->x > max_x) max_x = s->x;
    if (s->z > max_z) max_z = s->z;
  }
  for (c->bin_shift = 0;; c->bin_shift++) {
    c->bin_columns = (uint32_t)((max_x - c->bin_x) >> c->bin_shift) + 1;
    c->bin_rows = (uint32_t)((max_z - c->bin_z) >> c->bin_shift) + 1;
    if ((uint64_t)c->bin_columns * c->bin_rows <= c->left) break;
  }
  size_t count = (size_t)c->bin_columns * c->bin_rows;
  if (!cr__arena_grow(c->arena, (void **)&c->s->bins, &c->s->bin_capacity, 0, count, sizeof *c->s->bins)) return false;
  for (size_t i = 0; i < count; i++) c->s->bins[i] = CR_NONE;
  for (uint32_t i = 0; i < c->left; i++) {
    if (!c->s->states[i].reflex) continue;
    uint32_t *bin = &c->s->bins[bin_of(c, c->slots[i].x, c->slots[i].z)];
    c->s->states[i].bin_next = *bin;
    *bin = i;
  }
  return true;
}

// Takes slots out of the bins that have been clipped or became convex since.
static uint32_t live_next(Clipper *c, uint32_t *link) {
  while (*link != CR_NONE && !c->s->states[*link].reflex) *link = c->s->states[*link].bin_next;
  return *link;
}

static bool blocks(const CrSlot *a, const CrSlot *b, const CrSlot *d, const CrSlot *v) {
  if (cr__slot_turn(a, b, v) < 0 || cr__slot_turn(b, d, v) < 0 || cr__slot_turn(d, a, v) < 0) return false;
  return !cr__slot_same_place(v, a) && !cr__slot_same_place(v, b) && !cr__slot_same_place(v, d);
}

static int32_t min3(int32_t a, int32_t b, int32_t d) { return a < b ? (a < d ? a : d) : (b < d ? b : d); }
static int32_t max3(int32_t a, int32_t b, int32_t d) { return a > b ? (a > d ? a : d) : (b > d ? b : d); }

// A reflex vertex in the triangle, or CR_NONE. Which one it is decides only when the ear is tried again.
static uint32_t find_blocker(Clipper *c, const CrSlot *a, const CrSlot *b, const CrSlot *d) {
  uint32_t low = bin_of(c, min3(a->x, b->x, d->x), min3(a->z, b->z, d->z));
  uint32_t high = bin_of(c, max3(a->x, b->x, d->x), max3(a->z, b->z, d->z));
  uint32_t width = high % c->bin_columns - low % c->bin_columns;
  for (uint32_t row = low; row <= high; row += c->bin_columns) {
    for (uint32_t bin = row; bin <= row + width; bin++) {
      uint32_t *link = &c->s->bins[bin];
      for (uint32_t v; (v = live_next(c, link)) != CR_NONE; link = &c->s->states[v].bin_next) {
        if (blocks(a, b, d, &c->slots[v])) return v;
      }
    }
  }
  return CR_NONE;
}

// --- Ears -----------------------------------------------------------------------------------------------------------

static bool push_ear(Clipper *c, uint32_t i) {
  CrEarState *state = &c->s->states[i];
  const CrSlot *s = &c->slots[i];
  state->stamp++;
  if (state->reflex) return true;
  uint64_t key = (uint64_t)cr__slot_dist2(&c->slots[s->prev], &c->slots[s->next]);
  return cr__heap_push(&c->s->heap, c->arena, (CrHeapEntry){key, i, state->stamp});
}

static bool wait_at(Clipper *c, uint32_t ear, uint32_t blocker) {
  CrEarScratch *s = c->s;
  if (!cr__arena_grow(c->arena, (void **)&s->waits, &s->wait_capacity, s->wait_count, s->wait_count + 1,
                      sizeof *s->waits)) {
    return false;
  }
  s->waits[s->wait_count] = (CrEarWait){ear, s->states[ear].stamp, s->states[blocker].waiters};
  s->states[blocker].waiters = (uint32_t)++s->wait_count;
  return true;
}

// The slot is in nobody's way any more: those who waited for it are tried again.
static bool release_waiters(Clipper *c, uint32_t i) {
  CrEarState *state = &c->s->states[i];
  uint32_t at = state->waiters;
  state->waiters = 0;
  for (; at; at = c->s->waits[at - 1].next) {
    CrEarWait wait = c->s->waits[at - 1];
    CrEarState *ear = &c->s->states[wait.slot];
    if (!ear->gone && ear->stamp == wait.stamp && !push_ear(c, wait.slot)) return false;
  }
  return true;
}

static bool refresh(Clipper *c, uint32_t i) {
  CrEarState *state = &c->s->states[i];
  if (state->reflex && !is_reflex(c, i)) {
    state->reflex = false;
    if (!release_waiters(c, i)) return false;
  }
  return push_ear(c, i);
}

static bool emit(Clipper *c, uint32_t a, uint32_t b, uint32_t d, uint32_t last_edge) {
  CrPolyList *out = c->out;
  if (!cr__arena_grow(c->arena, (void **)&out->items, &out->capacity, out->count, out->count + 1, sizeof *out->items)) {
    return false;
  }
  CrOutlinePoly *poly = &out->items[out->count];
  poly->count = 3;
  const uint32_t corner[3] = {a, b, d};
  const uint32_t edge[3] = {c->slots[a].edge, c->slots[b].edge, last_edge};
  for (int k = 0; k < 3; k++) {
    poly->vertex[k] = c->slots[corner[k]].vertex;
    poly->edge[k] = edge[k];
    c->edges->sides[edge[k]] = (uint32_t)out->count;
  }
  out->count++;
  return true;
}

static bool clip(Clipper *c, uint32_t b) {
  uint32_t a = c->slots[b].prev, d = c->slots[b].next;
  uint32_t diagonal = cr__mesh_edge_add(c->edges, c->arena);
  if (diagonal == CR_NONE || !emit(c, a, b, d, diagonal * 2 + 1)) return false;
  c->slots[a].next = d;
  c->slots[d].prev = a;
  c->slots[a].edge = diagonal * 2;
  c->s->states[b].gone = true;
  c->left--;
  return refresh(c, a) && refresh(c, d);
}

static bool try_ear(Clipper *c, uint32_t b) {
  const CrSlot *s = &c->slots[b], *a = &c->slots[s->prev], *d = &c->slots[s->next];
  if (!cr__slot_faces(c->slots, s->prev, d->x, d->z) || !cr__slot_faces(c->slots, s->next, a->x, a->z)) return true;
  uint32_t blocker = find_blocker(c, a, s, d);
  return blocker == CR_NONE ? clip(c, b) : wait_at(c, b, blocker);
}

static bool start(Clipper *c) {
  size_t count = c->left;
  CrEarScratch *s = c->s;
  if (!cr__arena_grow(c->arena, (void **)&s->states, &s->state_capacity, 0, count, sizeof *s->states)) return false;
  for (uint32_t i = 0; i < count; i++) s->states[i] = (CrEarState){.bin_next = CR_NONE, .reflex = is_reflex(c, i)};
  s->heap.count = s->wait_count = 0;
  if (!build_bins(c)) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (!push_ear(c, i)) return false;
  }
  return true;
}

// The last three slots. order: from the least of them.
static bool emit_last(Clipper *c, uint32_t any) {
  uint32_t a = any, b = c->slots[a].next, d = c->slots[b].next;
  while (a > b || a > d) {
    uint32_t t = a;
    a = b;
    b = d;
    d = t;
  }
  if (cr__slot_turn(&c->slots[a], &c->slots[b], &c->slots[d]) <= 0) return true;
  return emit(c, a, b, d, c->slots[d].edge);
}

bool cr__ring_triangulate(CrRing *ring, CrMeshEdges *edges, CrEarScratch *scratch, CrArena *arena, CrPolyList *out) {
  Clipper c = {.slots = ring->slots, .edges = edges, .s = scratch, .arena = arena, .out = out, .left = ring->count};
  if (!start(&c)) return false;
  uint32_t any = 0;
  while (c.left > 3 && scratch->heap.count) {
    CrHeapEntry entry = cr__heap_pop(&scratch->heap);
    const CrEarState *state = &scratch->states[entry.item];
    if (state->gone || state->stamp != entry.stamp) continue;
    any = c.slots[entry.item].prev;  // stays when the ear goes
    if (!try_ear(&c, entry.item)) return false;
  }
  // A ring that winds round its interior once always has an ear; one that does not would be left as it is.
  CR_ASSERT(c.left == 3);
  return c.left != 3 || emit_last(&c, any);
}
