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
  struct RimSpan *rim;
  size_t rim_count, rim_capacity;
  CrArena *arena;
  CrBoundary *out;
} Tracer;

// A span with boundary sides.
typedef struct RimSpan {
  uint32_t span;
  int32_t x, z;
} RimSpan;

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

// Most sides lead on within the piece: these are told at a glance.
static bool is_inner_side(const Tracer *tracer, uint32_t span, int dir) {
  const CrOpenField *field = tracer->field;
  uint32_t other = field->neighbour[(size_t)span * 4 + (size_t)dir];
  return other != CR_NO_SPAN && tracer->pieces->of[other] == tracer->pieces->of[span] &&
         field->neighbour[(size_t)other * 4 + (size_t)((dir + 2) & 3)] == span;
}

static bool find_sides(Tracer *tracer, uint32_t span, int32_t x, int32_t z) {
  uint32_t mask = 0, count = 0;
  for (int dir = 0; dir < 4; dir++) {
    if (is_inner_side(tracer, span, dir)) continue;
    mask |= 1u << dir;
    count++;
  }
  tracer->sides[span] = mask << SIDE_SHIFT | (tracer->out->edge_count & FIRST_MASK);
  if (!mask) return true;
  if (!cr__arena_grow(tracer->arena, (void **)&tracer->rim, &tracer->rim_capacity, tracer->rim_count,
                      tracer->rim_count + 1, sizeof *tracer->rim)) {
    return false;
  }
  tracer->rim[tracer->rim_count++] = (RimSpan){span, x, z};
  tracer->out->edge_count += count;
  return true;
}

static bool find_rim(Tracer *tracer) {
  const CrOpenField *field = tracer->field;
  for (int32_t z = tracer->square.z0; z < tracer->square.z1; z++) {
    for (int32_t x = tracer->square.x0; x < tracer->square.x1; x++) {
      size_t column = (size_t)x + (size_t)z * (size_t)field->grid.width;
      for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
        if (tracer->pieces->of[span] && !find_sides(tracer, span, x, z)) return false;
      }
    }
  }
  return true;
}

// Round the end of side `dir`, through the linked spans of the piece, to the first side that is boundary again.
static uint32_t next_half_edge(const Tracer *tracer, uint32_t span, int dir) {
  for (dir = (dir + 3) & 3; !has_side(tracer, span, dir); dir = (dir + 1) & 3) {
    span = tracer->field->neighbour[(size_t)span * 4 + (size_t)dir];
  }
  return half_edge(tracer, span, dir);
}

static void fill_edges(Tracer *tracer, RimSpan at) {
  for (int dir = 0; dir < 4; dir++) {
    if (!has_side(tracer, at.span, dir)) continue;
    CrHalfEdge *edge = &tracer->out->edges[half_edge(tracer, at.span, dir)];
    *edge = (CrHalfEdge){.piece = tracer->pieces->of[at.span], .behind = behind_side(tracer, at.span, at.x, at.z, dir)};
    edge->next = next_half_edge(tracer, at.span, dir);
    edge->start = edge->sibling = edge->arc = edge->twin = CR_NONE;
    if (edge->behind == CR_BEHIND_WALL || edge->behind & CR_BEHIND_BORDER) continue;
    edge->twin = half_edge(tracer, cr__open_link(tracer->field, at.span, dir), (dir + 2) & 3);
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
  CrOutlineCorner *corner = &tracer->out->vertices[vertex];
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
      (CrOutlineCorner){.x = x, .z = z, .y = INT32_MIN, .first = CR_NONE, .same_place = *place - 1, .arc = CR_NONE};
  *place = vertex + 1;
  join_fan(tracer, vertex, seed);
  FanStep at = turn_right(tracer->field, seed);
  for (; at.span != CR_NO_SPAN && at.span != seed.span; at = turn_right(tracer->field, at))
    join_fan(tracer, vertex, at);
  if (at.span == seed.span) return;
  at = turn_left(tracer->field, seed);
  for (; at.span != CR_NO_SPAN; at = turn_left(tracer->field, at)) join_fan(tracer, vertex, at);
}

static void fill_vertices(Tracer *tracer, RimSpan at) {
  for (int dir = 0; dir < 4; dir++) {
    if (!has_side(tracer, at.span, dir)) continue;
    if (tracer->out->edges[half_edge(tracer, at.span, dir)].start != CR_NONE) continue;
    place_vertex(tracer, (FanStep){at.span, dir}, at.x + start_x[dir], at.z + start_z[dir]);
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
  Tracer tracer = {
      .field = field, .pieces = pieces, .square = cr__own_square(&field->grid), .arena = arena, .out = out};
  tracer.sides = cr__arena_alloc(arena, field->count, sizeof *tracer.sides);  // read of spans in pieces only
  if (!tracer.sides) return CR_STATUS_OUT_OF_MEMORY;
  if (field->count > FIRST_MASK / 4) return CR_STATUS_LIMIT;
  if (!find_rim(&tracer)) return CR_STATUS_OUT_OF_MEMORY;
  if (!alloc_boundary(out, &field->grid, arena)) return CR_STATUS_OUT_OF_MEMORY;
  for (size_t i = 0; i < tracer.rim_count; i++) fill_edges(&tracer, tracer.rim[i]);
  for (size_t i = 0; i < tracer.rim_count; i++) fill_vertices(&tracer, tracer.rim[i]);
  return CR_STATUS_OK;
}
