// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Vertices added along polygon edges where the ground leaves the straight line between the ends. Both polygons at an edge take
// the same ones: an edge is looked at once, always from its lower vertex number to its higher.
// Order: the place with the largest error is added first, of equals the first along the edge, until none exceeds the limit.
#include "outline_internal.h"

typedef struct EdgeWalk {
  const CrDetailSource *source;
  uint32_t piece_a, piece_b;
  const CrOutlineCorner *a, *b;
  CrDetailPoint places[CR_DETAIL_EDGE_SAMPLES + 1];  // both ends included
  bool chosen[CR_DETAIL_EDGE_SAMPLES + 1];
  uint32_t count;
} EdgeWalk;

// Height at whole coordinate `main` along the edge's longer axis: between the two corners beside it.
static bool height_beside(const EdgeWalk *w, bool swap, int32_t main, double side, double expected, double *out_y) {
  int32_t low = (int32_t)cr__floor(side);
  double t = side - low, y0, y1;
  bool found0 =
      cr__detail_height(w->source, swap ? low : main, swap ? main : low, w->piece_a, w->piece_b, expected, &y0);
  if (t == 0.0) {
    *out_y = found0 ? y0 : expected;
    return found0;
  }
  low++;
  bool found1 =
      cr__detail_height(w->source, swap ? low : main, swap ? main : low, w->piece_a, w->piece_b, expected, &y1);
  if (!found0 && !found1) return false;
  if (!found0) y0 = y1;
  if (!found1) y1 = y0;
  *out_y = y0 + (y1 - y0) * t;
  return true;
}

static CrDetailPoint corner_point(const CrOutlineCorner *c) {
  return (CrDetailPoint){(double)c->x, (double)c->z, (double)c->y};
}

// Places evenly along the edge at whole coordinates of its longer axis.
static void find_places(EdgeWalk *w) {
  int32_t dx = w->b->x - w->a->x, dz = w->b->z - w->a->z;
  bool swap = (dz < 0 ? -dz : dz) > (dx < 0 ? -dx : dx);
  int32_t length = swap ? dz : dx, across = swap ? dx : dz, extent = length < 0 ? -length : length;
  double spans = cr__sqrt((double)dx * dx + (double)dz * dz) / w->source->settings.distance;
  int32_t limit = extent < CR_DETAIL_EDGE_SAMPLES ? extent : CR_DETAIL_EDGE_SAMPLES;
  int32_t count = spans < (double)limit ? (int32_t)cr__ceil(spans) : limit;
  int32_t main_a = swap ? w->a->z : w->a->x, side_a = swap ? w->a->x : w->a->z;
  w->count = 0;
  w->places[w->count++] = corner_point(w->a);
  for (int32_t k = 1; k < count; k++) {
    int32_t step = (int32_t)((2 * (int64_t)k * extent + count) / (2 * count));
    double t = (double)step / (double)extent;
    double side = side_a + (double)((int64_t)across * step) / (double)extent;
    double expected = w->a->y + (double)(w->b->y - w->a->y) * t, y;
    int32_t main = main_a + (length < 0 ? -step : step);
    if (!height_beside(w, swap, main, side, expected, &y)) continue;
    w->places[w->count++] = swap ? (CrDetailPoint){side, main, y} : (CrDetailPoint){main, side, y};
  }
  w->places[w->count++] = corner_point(w->b);
}

static double rise_error(const EdgeWalk *w, uint32_t low, uint32_t high, uint32_t k) {
  CrDetailPoint a = w->places[low], b = w->places[high], p = w->places[k];
  double span = cr__abs(b.x - a.x) + cr__abs(b.z - a.z);
  double t = (cr__abs(p.x - a.x) + cr__abs(p.z - a.z)) / span;
  return cr__abs(p.y - (a.y + (b.y - a.y) * t));
}

// The place farthest in height from the line through the chosen ones.
static double worst_place(const EdgeWalk *w, uint32_t *out_at) {
  double worst = 0.0;
  for (uint32_t low = 0, high; low + 1 < w->count; low = high) {
    for (high = low + 1; !w->chosen[high];) high++;
    for (uint32_t k = low + 1; k < high; k++) {
      double error = rise_error(w, low, high, k);
      if (error <= worst) continue;  // order: the first of equals
      worst = error;
      *out_at = k;
    }
  }
  return worst;
}

static uint32_t choose_places(EdgeWalk *w) {
  uint32_t chosen = 0, at = 0;
  memset(w->chosen, 0, sizeof w->chosen);
  w->chosen[0] = w->chosen[w->count - 1] = true;
  while (chosen < CR_DETAIL_EDGE_VERTICES && worst_place(w, &at) > w->source->settings.max_error) {
    w->chosen[at] = true;
    chosen++;
  }
  return chosen;
}

static uint32_t side_piece(const CrDetailSource *source, uint32_t side) {
  uint32_t polygon = source->mesh->edges.sides[side];
  return polygon == CR_NONE ? 0 : source->mesh->pieces[polygon];
}

static bool is_through(const CrDetailSource *source, uint32_t side) {
  uint32_t there = source->mesh->edges.sides[side];
  return there != CR_NONE && there & CR_SIDE_THROUGH;
}

bool cr__detail_edge(const CrDetailSource *source, CrDetailEdges *edges, uint32_t edge, uint32_t from, uint32_t to,
                     CrArena *arena) {
  if (edges->first[edge] != CR_NONE) return true;
  edges->first[edge] = (uint32_t)edges->count;
  edges->counts[edge] = 0;
  // Where a piece vanished two edges lie on each other and must agree: neither gets vertices.
  bool through = is_through(source, edge * 2) || is_through(source, edge * 2 + 1);
  if (source->settings.distance == 0.0 || through) return true;
  EdgeWalk walk = {.source = source};
  walk.piece_a = side_piece(source, edge * 2);
  walk.piece_b = side_piece(source, edge * 2 + 1);
  walk.a = &source->boundary->vertices[from < to ? from : to];
  walk.b = &source->boundary->vertices[from < to ? to : from];
  find_places(&walk);
  if (walk.count == 2) return true;
  edges->counts[edge] = (uint8_t)choose_places(&walk);
  for (uint32_t k = 1; k + 1 < walk.count; k++) {
    if (!walk.chosen[k]) continue;
    if (!cr__arena_grow(arena, (void **)&edges->points, &edges->capacity, edges->count, edges->count + 1,
                        sizeof *edges->points)) {
      return false;
    }
    edges->points[edges->count++] = walk.places[k];
  }
  return true;
}
