// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The raw boundary of every piece along column corners: half-edges, the vertices they run between, and the closed loops they form.
// A vertex is a fan of linked spans round a corner, so two pieces that are linked along a side share its two vertices, while
// storeys one above the other, or ground on both sides of a ledge, never do. Its height is the highest floor of the fan.
// Order: half-edges in span order, then direction; vertices in order of their first half-edge; loops likewise.
#include "outline_internal.h"

// Corner at which side `dir` of a column starts when walked with the column on the left.
static const int32_t start_x[4] = {0, 1, 1, 0};
static const int32_t start_z[4] = {1, 1, 0, 0};

#define SIDE_SHIFT 28  // half-edges per tile stay below 2^28; the sides of a span are packed above
#define FIRST_MASK ((1u << SIDE_SHIFT) - 1)

typedef struct Tracer {
  const CrOpenField *field;
  const CrPieces *pieces;
  CrOwnSquare square;
  uint32_t *sides;  // per span: mask of boundary sides << 28 | number of its first half-edge
  CrBoundary *out;
} Tracer;

typedef void (*SpanVisit)(Tracer *tracer, uint32_t span, int32_t x, int32_t z);

static void visit_spans(Tracer *tracer, SpanVisit visit) {
  const CrOpenField *field = tracer->field;
  for (int32_t z = tracer->square.z0; z < tracer->square.z1; z++) {
    for (int32_t x = tracer->square.x0; x < tracer->square.x1; x++) {
      size_t column = (size_t)x + (size_t)z * (size_t)field->grid.width;
      for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
        if (tracer->pieces->of[span]) visit(tracer, span, x, z);
      }
    }
  }
}

static uint32_t behind_side(const Tracer *tracer, uint32_t span, int32_t x, int32_t z, int dir) {
  uint32_t other = cr__open_link(tracer->field, span, dir);
  if (other == CR_NO_SPAN) return CR_BEHIND_WALL;
  if (cr__owns(tracer->square, x + cr__dir_x[dir], z + cr__dir_z[dir])) return tracer->pieces->of[other];
  return tracer->field->area[other] == CR_AREA_NONE ? CR_BEHIND_WALL : CR_BEHIND_BORDER | (uint32_t)dir;
}

static bool has_side(const Tracer *tracer, uint32_t span, int dir) {
  return tracer->sides[span] >> (SIDE_SHIFT + dir) & 1;
}

static uint32_t half_edge(const Tracer *tracer, uint32_t span, int dir) {
  uint32_t before = tracer->sides[span] >> SIDE_SHIFT & ((1u << dir) - 1);
  return (tracer->sides[span] & FIRST_MASK) + (before & 1) + (before >> 1 & 1) + (before >> 2 & 1);
}

static void count_sides(Tracer *tracer, uint32_t span, int32_t x, int32_t z) {
  uint32_t mask = 0, count = 0;
  for (int dir = 0; dir < 4; dir++) {
    if (behind_side(tracer, span, x, z, dir) == tracer->pieces->of[span]) continue;
    mask |= 1u << dir;
    count++;
  }
  if (!mask) return;
  tracer->sides[span] = mask << SIDE_SHIFT | (tracer->out->edge_count & FIRST_MASK);
  tracer->out->edge_count += count;
}

// Round the end of side `dir`, through the linked spans of the piece, to the first side that is boundary again.
static uint32_t next_half_edge(const Tracer *tracer, uint32_t span, int dir) {
  for (dir = (dir + 3) & 3; !has_side(tracer, span, dir); dir = (dir + 1) & 3) {
    span = tracer->field->neighbour[(size_t)span * 4 + (size_t)dir];
  }
  return half_edge(tracer, span, dir);
}

static void fill_edges(Tracer *tracer, uint32_t span, int32_t x, int32_t z) {
  for (int dir = 0; dir < 4; dir++) {
    if (!has_side(tracer, span, dir)) continue;
    CrHalfEdge *edge = &tracer->out->edges[half_edge(tracer, span, dir)];
    *edge = (CrHalfEdge){.piece = tracer->pieces->of[span], .behind = behind_side(tracer, span, x, z, dir)};
    edge->next = next_half_edge(tracer, span, dir);
    edge->start = edge->sibling = edge->arc = edge->twin = CR_NONE;
    if (edge->behind == CR_BEHIND_WALL || edge->behind & CR_BEHIND_BORDER) continue;
    edge->twin = half_edge(tracer, cr__open_link(tracer->field, span, dir), (dir + 2) & 3);
  }
}

// --- Vertices -------------------------------------------------------------------------------------------------------

// A span seen from one of its corners: `dir` is the side that starts there.
typedef struct FanStep {
  uint32_t span;
  int dir;
} FanStep;

static FanStep turn_right(const CrOpenField *field, FanStep at) {
  return (FanStep){cr__open_link(field, at.span, at.dir), (at.dir + 1) & 3};
}

static FanStep turn_left(const CrOpenField *field, FanStep at) {
  int across = (at.dir + 1) & 3;
  return (FanStep){cr__open_link(field, at.span, across), (at.dir + 3) & 3};
}

static void join_fan(Tracer *tracer, uint32_t vertex, FanStep at) {
  CrCorner *corner = &tracer->out->vertices[vertex];
  int32_t floor = tracer->field->floor[at.span];
  if (floor > corner->y) corner->y = floor;
  if (!tracer->pieces->of[at.span] || !has_side(tracer, at.span, at.dir)) return;
  uint32_t edge = half_edge(tracer, at.span, at.dir);
  tracer->out->edges[edge].start = vertex;
  tracer->out->edges[edge].sibling = corner->first;
  corner->first = edge;
}

int32_t cr__fan_height(const CrOpenField *field, uint32_t span, int dir) {
  FanStep seed = {span, dir}, at = turn_right(field, seed);
  int32_t height = field->floor[span];
  for (; at.span != CR_NO_SPAN && at.span != span; at = turn_right(field, at)) {
    if (field->floor[at.span] > height) height = field->floor[at.span];
  }
  if (at.span == span) return height;
  for (at = turn_left(field, seed); at.span != CR_NO_SPAN; at = turn_left(field, at)) {
    if (field->floor[at.span] > height) height = field->floor[at.span];
  }
  return height;
}

static void place_vertex(Tracer *tracer, FanStep seed, int32_t x, int32_t z) {
  CrBoundary *out = tracer->out;
  uint32_t vertex = out->vertex_count++;
  uint32_t *place = &out->places[(size_t)z * (size_t)out->stride + (size_t)x];
  out->vertices[vertex] =
      (CrCorner){.x = x, .z = z, .y = INT32_MIN, .first = CR_NONE, .same_place = *place - 1, .arc = CR_NONE};
  *place = vertex + 1;
  join_fan(tracer, vertex, seed);
  FanStep at = turn_right(tracer->field, seed);
  for (; at.span != CR_NO_SPAN && at.span != seed.span; at = turn_right(tracer->field, at))
    join_fan(tracer, vertex, at);
  if (at.span == seed.span) return;
  at = turn_left(tracer->field, seed);
  for (; at.span != CR_NO_SPAN; at = turn_left(tracer->field, at)) join_fan(tracer, vertex, at);
}

static void fill_vertices(Tracer *tracer, uint32_t span, int32_t x, int32_t z) {
  for (int dir = 0; dir < 4; dir++) {
    if (!has_side(tracer, span, dir)) continue;
    if (tracer->out->edges[half_edge(tracer, span, dir)].start != CR_NONE) continue;
    place_vertex(tracer, (FanStep){span, dir}, x + start_x[dir], z + start_z[dir]);
  }
}

// --- The call -------------------------------------------------------------------------------------------------------

static bool alloc_boundary(CrBoundary *out, const CrGrid *grid, CrArena *arena) {
  out->stride = grid->width + 1;
  out->edges = cr__arena_alloc(arena, out->edge_count, sizeof *out->edges);
  out->vertices = cr__arena_alloc(arena, out->edge_count, sizeof *out->vertices);
  out->places = cr__arena_zeroed(arena, (size_t)out->stride * ((size_t)grid->depth + 1), sizeof *out->places);
  return out->edges && out->vertices && out->places;
}

CrStatus cr__boundary_trace(const CrOpenField *field, const CrPieces *pieces, CrArena *arena, CrBoundary *out) {
  *out = (CrBoundary){0};
  Tracer tracer = {field, pieces, cr__own_square(&field->grid), NULL, out};
  tracer.sides = cr__arena_zeroed(arena, field->count, sizeof *tracer.sides);
  if (!tracer.sides) return CR_STATUS_OUT_OF_MEMORY;
  if (field->count > FIRST_MASK / 4) return CR_STATUS_LIMIT;
  visit_spans(&tracer, count_sides);
  if (!alloc_boundary(out, &field->grid, arena)) return CR_STATUS_OUT_OF_MEMORY;
  visit_spans(&tracer, fill_edges);
  visit_spans(&tracer, fill_vertices);
  return CR_STATUS_OK;
}
