// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The outline stages run one by one, and what must hold of their results: areas agree, outlines keep within the error and never cross themselves or each
// other, neighbours are mutual and connect what the regions connect.
#ifndef CR_TEST_OUTLINE_CHECKS_H
#define CR_TEST_OUTLINE_CHECKS_H

#include <math.h>

#include "field_maker.h"
#include "outline_internal.h"

// The stages without the encoder.
typedef struct Stages {
  CrArena arena;
  CrOpenField field;
  CrPieces pieces;
  CrBoundary boundary;
  CrArcs arcs;
  CrOutlineMesh mesh;
} Stages;

static inline void run_stages(Stages *s, FieldMaker *maker, double error, double edge, uint32_t corners) {
  cr__arena_init(&s->arena, NULL);
  s->field = field_make(maker, &s->arena);
  REQUIRE(cr__pieces_find(&s->field, &s->arena, &s->pieces));
  REQUIRE_OK(cr__boundary_trace(&s->field, &s->pieces, &s->arena, &s->boundary));
  REQUIRE(cr__arcs_cut(&s->boundary, &s->field, &s->arena, &s->arcs));
  CrSimplifyLimits limits = {error * error, edge * edge, maker->cells.climb, maker->cells.height};
  REQUIRE(cr__arcs_simplify(&s->boundary, &s->pieces, &limits, &s->arena, &s->arcs));
  REQUIRE_OK(cr__polygonize(&s->boundary, &s->pieces, &s->arcs, corners, &s->arena, &s->mesh));
}

static inline const CrOutlineCorner *chain_corner(const Stages *s, const CrArc *arc, uint32_t position) {
  return &s->boundary.vertices[s->arcs.chain[arc->chain + position]];
}

static inline const CrOutlineCorner *kept_corner(const Stages *s, const CrArc *arc, uint32_t k) {
  return chain_corner(s, arc, s->arcs.kept[arc->kept + k]);
}

static inline int64_t cross2(const CrOutlineCorner *a, const CrOutlineCorner *b) {
  return (int64_t)a->x * b->z - (int64_t)a->z * b->x;
}

// Per piece, twice the area inside its simplified outline must be that of its polygons, to the unit.
static inline void check_areas(const Stages *s) {
  int64_t *outline = calloc(s->pieces.count + 1, sizeof *outline), *polygons = calloc(s->pieces.count + 1, 8);
  REQUIRE(outline && polygons);
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      int64_t area2 = cross2(kept_corner(s, arc, k), kept_corner(s, arc, k + 1));
      outline[arc->piece] += area2;
      if (shared) outline[arc->behind] -= area2;
    }
  }
  for (uint32_t p = 0, corner = 0; p < s->mesh.polygon_count; corner += s->mesh.counts[p++]) {
    const uint32_t *v = s->mesh.corner_vertex + corner;
    for (uint32_t k = 0, count = s->mesh.counts[p]; k < count; k++) {
      const CrOutlineCorner *a = &s->boundary.vertices[v[k]], *b = &s->boundary.vertices[v[(k + 1) % count]];
      polygons[s->mesh.pieces[p]] += cross2(a, b);
    }
  }
  for (uint32_t p = 1; p <= s->pieces.count; p++) CHECK_INT(polygons[p], outline[p]);
  free(outline);
  free(polygons);
}

typedef struct TestSegment {
  const CrOutlineCorner *a, *b;
  const CrArc *arc;
} TestSegment;

static inline int sign(int64_t v) { return (v > 0) - (v < 0); }

static inline bool cross_or_touch(const TestSegment *p, const TestSegment *q) {
  int a = sign(cr__turn(p->a->x, p->a->z, p->b->x, p->b->z, q->a->x, q->a->z));
  int b = sign(cr__turn(p->a->x, p->a->z, p->b->x, p->b->z, q->b->x, q->b->z));
  int c = sign(cr__turn(q->a->x, q->a->z, q->b->x, q->b->z, p->a->x, p->a->z));
  int d = sign(cr__turn(q->a->x, q->a->z, q->b->x, q->b->z, p->b->x, p->b->z));
  return a * b < 0 && c * d < 0;
}

static inline bool inside_segment(const TestSegment *s, const CrOutlineCorner *v) {
  int64_t dx = s->b->x - s->a->x, dz = s->b->z - s->a->z, ex = v->x - s->a->x, ez = v->z - s->a->z;
  int64_t along = dx * ex + dz * ez;
  return dx * ez == dz * ex && along > 0 && along < dx * dx + dz * dz;
}

static inline bool of_one_piece(const CrArc *a, const CrArc *b) {
  bool a_shared = a->behind != CR_BEHIND_WALL && !(a->behind & CR_BEHIND_BORDER);
  bool b_shared = b->behind != CR_BEHIND_WALL && !(b->behind & CR_BEHIND_BORDER);
  return a->piece == b->piece || (b_shared && a->piece == b->behind) || (a_shared && a->behind == b->piece) ||
         (a_shared && b_shared && a->behind == b->behind);
}

// No two segments of one piece (on flat ground: of any) cross, and none ends inside another.
static inline void check_plane(const Stages *s, bool flat) {
  TestSegment *all = malloc((s->arcs.segment_count + 1) * sizeof *all);
  REQUIRE(all);
  size_t count = 0;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      all[count++] = (TestSegment){kept_corner(s, arc, k), kept_corner(s, arc, k + 1), arc};
    }
  }
  size_t faults = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      if (i == j || (!flat && !of_one_piece(all[i].arc, all[j].arc))) continue;
      faults +=
          cross_or_touch(&all[i], &all[j]) || inside_segment(&all[i], all[j].a) || inside_segment(&all[i], all[j].b);
    }
  }
  CHECK_INT(faults, 0);
  free(all);
}

static inline double distance_to(const TestSegment *s, const CrOutlineCorner *v) {
  CrVec3 a = {s->a->x, 0, s->a->z}, b = {s->b->x, 0, s->b->z}, p = {v->x, 0, v->z};
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, p)), p);
}

// Raw wall vertices are within the error of the segment that replaces them.
static inline void check_error(const Stages *s, double error) {
  double worst = 0.0;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    if (shared && s->pieces.area[arc->piece] == s->pieces.area[arc->behind]) continue;
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      TestSegment segment = {kept_corner(s, arc, k), kept_corner(s, arc, k + 1), arc};
      for (uint32_t n = s->arcs.kept[arc->kept + k]; n <= s->arcs.kept[arc->kept + k + 1]; n++) {
        worst = cr__max(worst, distance_to(&segment, chain_corner(s, arc, n)));
      }
    }
  }
  CHECK(worst <= error + 1e-12);
}

static inline uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Pieces hang together through the polygons just as their cells do, whatever became of the boundaries between them.
static inline void check_connection(const Stages *s) {
  uint32_t pieces = s->pieces.count + 1;
  uint32_t *cells = malloc(pieces * sizeof *cells),
           *polygons = malloc((pieces + s->mesh.polygon_count) * sizeof *polygons);
  uint32_t *polygon_root = malloc(pieces * sizeof *polygon_root);
  REQUIRE(cells && polygons && polygon_root);
  for (uint32_t i = 0; i < pieces; i++) cells[i] = i;
  for (uint32_t i = 0; i < s->mesh.polygon_count; i++) polygons[i] = i;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    if (shared) cells[root_of(cells, arc->piece)] = root_of(cells, arc->behind);
  }
  for (uint32_t p = 0, corner = 0; p < s->mesh.polygon_count; corner += s->mesh.counts[p++]) {
    for (uint32_t k = 0; k < s->mesh.counts[p]; k++) {
      uint32_t behind = cr__mesh_edge_behind(&s->mesh.edges, s->mesh.corner_edge[corner + k]);
      if (behind < s->mesh.polygon_count) polygons[root_of(polygons, p)] = root_of(polygons, behind);
    }
  }
  memset(polygon_root, 0xFF, pieces * sizeof *polygon_root);
  size_t faults = 0;
  for (uint32_t p = 0; p < s->mesh.polygon_count; p++) {
    uint32_t *expected = &polygon_root[root_of(cells, s->mesh.pieces[p])], actual = root_of(polygons, p);
    if (*expected == CR_NONE) *expected = actual;
    faults += *expected != actual;
    faults += root_of(cells, s->mesh.pieces[actual]) != root_of(cells, s->mesh.pieces[p]);
  }
  CHECK_INT(faults, 0);
  free(cells);
  free(polygons);
  free(polygon_root);
}

// Where regions are pieces already, the fast way gives the flood's numbers.
static inline bool check_fast_pieces(Stages *s) {
  CrPieces fast;
  CrBoundary boundary;
  CrArcs arcs;
  bool plausible;
  REQUIRE(cr__pieces_of_regions(&s->field, &s->arena, &fast, &plausible));
  if (!plausible) return false;
  REQUIRE_OK(cr__boundary_trace(&s->field, &fast, &s->arena, &boundary));
  REQUIRE(cr__arcs_cut(&boundary, &s->field, &s->arena, &arcs));
  bool whole = cr__boundary_is_whole(&boundary, &fast);
  CHECK(whole == (fast.count == s->pieces.count));
  if (!whole) return false;
  CHECK(memcmp(fast.of, s->pieces.of, s->field.count * sizeof *fast.of) == 0);
  CHECK(memcmp(fast.area + 1, s->pieces.area + 1, fast.count) == 0);
  return true;
}

#endif
