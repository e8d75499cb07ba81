// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a hole sees on its left: the edge a ray towards -x meets first, and of the vertices that stand before that edge the one at
// the least angle to the ray, so that the way to it is free (Held 2001; Eberly 1998). Exact: crossings are compared as fractions.
// Edges, bridges included, lie in square bins, about as many as there are edges.
// Order: of vertices at one angle the nearest. Which of several edges through one place is found decides nothing.
#include "outline_internal.h"

static int32_t column_of(const CrSight *s, int32_t x) { return (x - s->x) >> s->shift; }
static int32_t row_of(const CrSight *s, int32_t z) { return (z - s->z) >> s->shift; }

// --- Bins -----------------------------------------------------------------------------------------------------------

static bool enter(CrSight *s, int32_t column, int32_t row) {
  if (!cr__arena_grow(s->arena, (void **)&s->entries, &s->entry_capacity, s->entry_count, s->entry_count + 1,
                      sizeof *s->entries)) {
    return false;
  }
  uint32_t *bin = &s->bins[(uint32_t)column + (uint32_t)row * (uint32_t)s->columns];
  s->entries[s->entry_count] = (CrSightEntry){(uint32_t)s->edge_count - 1, *bin};
  *bin = (uint32_t)s->entry_count++;
  return true;
}

// Columns an edge (lower end a, a.z < b.z) touches between two heights, widened to whole coordinates.
static void clip_columns(const CrSight *s, const CrSightEdge *e, int32_t low, int32_t high, int32_t *first,
                         int32_t *last) {
  int64_t dx = (int64_t)e->bx - e->ax, dz = (int64_t)e->bz - e->az;
  int32_t x0 = e->ax + cr__floor_div(dx * (low - e->az), dz), x1 = e->ax + cr__floor_div(dx * (high - e->az), dz);
  int32_t left = x0 < x1 ? x0 : x1, right = (x0 < x1 ? x1 : x0) + 1;
  int32_t most = e->ax > e->bx ? e->ax : e->bx;
  *first = column_of(s, left);
  *last = column_of(s, right < most ? right : most);
}

bool cr__sight_add(CrSight *sight, const CrRing *ring, uint32_t slot) {
  const CrSlot *a = &ring->slots[slot], *b = &ring->slots[a->next];
  if (!cr__arena_grow(sight->arena, (void **)&sight->edges, &sight->edge_capacity, sight->edge_count,
                      sight->edge_count + 1, sizeof *sight->edges)) {
    return false;
  }
  sight->edges[sight->edge_count++] = (CrSightEdge){a->x, a->z, b->x, b->z, slot};
  const CrSlot *low = a->z < b->z ? a : b, *high = a->z < b->z ? b : a;
  const CrSightEdge up = {low->x, low->z, high->x, high->z, 0};
  for (int32_t row = row_of(sight, low->z); row <= row_of(sight, high->z); row++) {
    int32_t first = column_of(sight, low->x < high->x ? low->x : high->x);
    int32_t last = column_of(sight, low->x < high->x ? high->x : low->x);
    if (low->z < high->z) {
      int32_t from = sight->z + row * (1 << sight->shift), to = from + (1 << sight->shift) - 1;
      clip_columns(sight, &up, from > low->z ? from : low->z, to < high->z ? to : high->z, &first, &last);
    }
    for (int32_t column = first; column <= last; column++) {
      if (!enter(sight, column, row)) return false;
    }
  }
  return true;
}

static void size_bins(CrSight *s, const CrRing *ring) {
  int32_t max_x = INT32_MIN, max_z = INT32_MIN;
  s->x = s->z = INT32_MAX;
  for (size_t i = 0; i < ring->count; i++) {
    const CrSlot *at = &ring->slots[i];
    if (at->x < s->x) s->x = at->x;
    if (at->z < s->z) s->z = at->z;
    if (at->x > max_x) max_x = at->x;
    if (at->z > max_z) max_z = at->z;
  }
  for (s->shift = 0;; s->shift++) {
    s->columns = column_of(s, max_x) + 1;
    s->rows = row_of(s, max_z) + 1;
    if ((uint64_t)s->columns * (uint64_t)s->rows <= ring->count) return;
  }
}

bool cr__sight_build(CrSight *sight, const CrRing *ring, CrArena *arena) {
  sight->arena = arena;
  size_bins(sight, ring);
  size_t count = (size_t)sight->columns * (size_t)sight->rows;
  if (!cr__arena_grow(arena, (void **)&sight->bins, &sight->bin_capacity, 0, count, sizeof *sight->bins)) return false;
  for (size_t i = 0; i < count; i++) sight->bins[i] = CR_NONE;
  sight->edge_count = sight->entry_count = 0;
  for (uint32_t i = 0; i < ring->count; i++) {
    if (!cr__sight_add(sight, ring, i)) return false;
  }
  return true;
}

// --- The ray --------------------------------------------------------------------------------------------------------

// Where an edge meets the ray: x = top / bottom, bottom > 0.
typedef struct Hit {
  int64_t top, bottom;
  uint32_t edge;
  bool found;
} Hit;

static void try_edge(Hit *best, const CrSightEdge *e, uint32_t number, CrSightPoint from) {
  int32_t low = e->az < e->bz ? e->az : e->bz, high = e->az < e->bz ? e->bz : e->az;
  if (from.z < low || from.z > high) return;
  Hit hit = {.bottom = 1, .edge = number, .found = true};
  if (e->az == e->bz) {
    int32_t left = e->ax < e->bx ? e->ax : e->bx, right = e->ax < e->bx ? e->bx : e->ax;
    hit.top = right < from.x ? right : left;
  } else {
    int64_t dx = (int64_t)e->bx - e->ax, dz = (int64_t)e->bz - e->az;
    hit.bottom = dz > 0 ? dz : -dz;
    hit.top = e->ax * hit.bottom + (dz > 0 ? dx : -dx) * (from.z - e->az);
  }
  if (hit.top >= from.x * hit.bottom) return;
  if (!best->found || hit.top * best->bottom > best->top * hit.bottom) *best = hit;
}

static Hit look_left(const CrSight *s, CrSightPoint from) {
  Hit best = {0};
  uint32_t row = (uint32_t)row_of(s, from.z) * (uint32_t)s->columns;
  for (int32_t column = column_of(s, from.x); column >= 0; column--) {
    for (uint32_t i = s->bins[row + (uint32_t)column]; i != CR_NONE; i = s->entries[i].next) {
      try_edge(&best, &s->edges[s->entries[i].edge], s->entries[i].edge, from);
    }
    int64_t left = s->x + column * (int64_t)(1 << s->shift);
    if (best.found && best.top >= left * best.bottom) break;
  }
  return best;
}

// --- The vertex -----------------------------------------------------------------------------------------------------

typedef struct Wedge {
  CrSightPoint from, p, q;  // the edge met runs from q to p; p is its left end
  int64_t up;               // 1: p lies above the ray, -1: below
  CrSightPoint best;
} Wedge;

// Takes v when it stands in the triangle between the ray, the edge and p, at a lesser angle than the best.
static void try_vertex(Wedge *w, CrSightPoint v) {
  int64_t rise = w->up * (v.z - w->from.z), reach = (int64_t)w->from.x - v.x;
  if (rise <= 0 || reach <= 0) return;
  if (w->up * cr__turn(w->from.x, w->from.z, w->p.x, w->p.z, v.x, v.z) < 0) return;
  if (w->up * cr__turn(w->q.x, w->q.z, w->p.x, w->p.z, v.x, v.z) > 0) return;
  int64_t best_rise = w->up * (w->best.z - w->from.z), best_reach = (int64_t)w->from.x - w->best.x;
  int64_t steeper = rise * best_reach - best_rise * reach;
  if (steeper < 0 || (steeper == 0 && v.x > w->best.x)) w->best = v;  // order: least angle, then nearest
}

static CrSightPoint nearest_in_angle(const CrSight *s, Wedge w) {
  int32_t z0 = w.p.z < w.from.z ? w.p.z : w.from.z, z1 = w.p.z < w.from.z ? w.from.z : w.p.z;
  w.best = w.p;
  for (int32_t row = row_of(s, z0); row <= row_of(s, z1); row++) {
    for (int32_t column = column_of(s, w.p.x); column <= column_of(s, w.from.x); column++) {
      uint32_t bin = (uint32_t)column + (uint32_t)row * (uint32_t)s->columns;
      for (uint32_t i = s->bins[bin]; i != CR_NONE; i = s->entries[i].next) {
        const CrSightEdge *e = &s->edges[s->entries[i].edge];
        try_vertex(&w, (CrSightPoint){e->ax, e->az});
      }
    }
  }
  return w.best;
}

bool cr__sight_find(const CrSight *sight, CrSightPoint from, CrSightPoint *out) {
  Hit hit = look_left(sight, from);
  if (!hit.found) return false;
  const CrSightEdge *e = &sight->edges[hit.edge];
  CrSightPoint a = {e->ax, e->az}, b = {e->bx, e->bz};
  if (hit.top == a.x * hit.bottom && a.z == from.z) {
    *out = a;
  } else if (hit.top == b.x * hit.bottom && b.z == from.z) {
    *out = b;
  } else {
    bool a_is_left = a.x != b.x ? a.x < b.x : a.z < b.z;
    CrSightPoint p = a_is_left ? a : b, q = a_is_left ? b : a;
    *out = nearest_in_angle(sight, (Wedge){from, p, q, p.z > from.z ? 1 : -1, p});
  }
  return true;
}
