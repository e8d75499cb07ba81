// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The detail surface: covers each polygon exactly, agrees along shared edges, stays within the error of the ground where it was
// sampled, and costs nothing on level ground.
#include "field_maker.h"
#include "outline_internal.h"

typedef struct Stages {
  CrArena arena;
  CrOpenField field;
  CrPieces pieces;
  CrBoundary boundary;
  CrArcs arcs;
  CrOutlineMesh mesh;
  CrDetail detail;
  CrDetailSource source;
} Stages;

static void run_stages(Stages *s, FieldMaker *maker, double error, CrDetailSettings settings) {
  cr__arena_init(&s->arena, NULL);
  s->field = field_make(maker, &s->arena);
  REQUIRE(cr__pieces_find(&s->field, &s->arena, &s->pieces));
  REQUIRE_OK(cr__boundary_trace(&s->field, &s->pieces, &s->arena, &s->boundary));
  REQUIRE(cr__arcs_cut(&s->boundary, &s->field, &s->arena, &s->arcs));
  CrSimplifyLimits limits = {error * error, 0.0, maker->cells.climb, maker->cells.height};
  REQUIRE(cr__arcs_simplify(&s->boundary, &s->pieces, &limits, &s->arena, &s->arcs));
  REQUIRE_OK(cr__polygonize(&s->boundary, &s->pieces, &s->arcs, 6, &s->arena, &s->mesh));
  s->source = (CrDetailSource){&s->field, &s->pieces, &s->boundary, &s->mesh, settings};
  REQUIRE(cr__detail_build(&s->source, &s->arena, &s->detail));
}

typedef struct Surface {
  const Stages *s;
  uint32_t polygon, corner, count;
  size_t first_vertex, first_triangle;
} Surface;

// In cells and floor heights again.
static CrVec3 surface_point(const Surface *f, uint32_t k) {
  if (k < f->count) {
    const CrOutlineCorner *c = &f->s->boundary.vertices[f->s->mesh.corner_vertex[f->corner + k]];
    return (CrVec3){c->x, c->y, c->z};
  }
  const CrGrid *g = &f->s->field.grid;
  const double *v = f->s->detail.vertices + (f->first_vertex + k - f->count) * 3;
  return (CrVec3){(v[0] - g->origin_x) / g->cell_size - g->cell_x, (v[1] - g->origin_y) / g->cell_height,
                  (v[2] - g->origin_z) / g->cell_size - g->cell_z};
}

static uint32_t surface_triangles(const Surface *f) {
  uint32_t count = f->s->detail.triangle_counts[f->polygon];
  return count ? count : f->count - 2;
}

static void surface_triangle(const Surface *f, uint32_t t, CrVec3 out[3]) {
  bool fan = f->s->detail.triangle_counts[f->polygon] == 0;
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t k = fan ? (i == 0 ? 0 : t + i) : f->s->detail.triangles[(f->first_triangle + t) * 3 + i];
    out[i] = surface_point(f, k);
  }
}

static bool next_surface(Surface *f) {
  f->first_vertex += f->s->detail.vertex_counts[f->polygon];
  f->first_triangle += f->s->detail.triangle_counts[f->polygon];
  f->corner += f->count;
  if (++f->polygon == f->s->mesh.polygon_count) return false;
  f->count = f->s->mesh.counts[f->polygon];
  return true;
}

static bool first_surface(Surface *f, const Stages *s) {
  *f = (Surface){.s = s};
  if (s->mesh.polygon_count) f->count = s->mesh.counts[0];
  return s->mesh.polygon_count > 0;
}

// Every triangle has area, and together they have the polygon's.
static void check_cover(const Surface *f) {
  double area2 = 0.0, polygon2 = 0.0;
  for (uint32_t t = 0; t < surface_triangles(f); t++) {
    CrVec3 v[3];
    surface_triangle(f, t, v);
    double turn = cr__cross_xz(v[0], v[1], v[2]);
    CHECK(turn > 0.0);
    area2 += turn;
  }
  for (uint32_t k = 1; k + 1 < f->count; k++) {
    polygon2 += cr__cross_xz(surface_point(f, 0), surface_point(f, k), surface_point(f, k + 1));
  }
  CHECK_NEAR(area2, polygon2, 1e-7 * (1.0 + polygon2));
}

static bool surface_height(const Surface *f, double x, double z, double *out) {
  CrVec3 p = {x, 0.0, z};
  for (uint32_t t = 0; t < surface_triangles(f); t++) {
    CrVec3 v[3];
    surface_triangle(f, t, v);
    double a = cr__cross_xz(v[1], v[2], p), b = cr__cross_xz(v[2], v[0], p), c = cr__cross_xz(v[0], v[1], p);
    if (a < -1e-9 || b < -1e-9 || c < -1e-9) continue;
    *out = (a * v[0].y + b * v[1].y + c * v[2].y) / (a + b + c);
    return true;
  }
  return false;
}

// Samples half a distance inside are within the error, unless the polygon is full.
static void check_samples(const Surface *f, double *worst, uint32_t *full) {
  const CrDetailSettings *settings = &f->s->source.settings;
  if (f->s->detail.vertex_counts[f->polygon] >= CR_DETAIL_INNER_VERTICES) {
    ++*full;
    return;
  }
  int32_t step = (int32_t)settings->distance;
  for (int32_t z = 0; z <= f->s->field.grid.depth; z += step) {
    for (int32_t x = 0; x <= f->s->field.grid.width; x += step) {
      bool inside = true;
      CrVec3 p = {x, 0, z};
      for (uint32_t k = 0; k < f->count; k++) {
        CrVec3 a = surface_point(f, k), b = surface_point(f, (k + 1) % f->count);
        if (cr__cross_xz(a, b, p) < 0.5 * settings->distance * cr__dist_xz(a, b)) inside = false;
      }
      double surface = 0.0, ground;
      uint32_t piece = f->s->mesh.pieces[f->polygon];
      if (!inside) continue;
      CHECK(surface_height(f, x, z, &surface));
      if (!cr__detail_height(&f->s->source, x, z, piece, piece, surface, &ground)) continue;
      *worst = cr__max(*worst, cr__abs(ground - surface));
    }
  }
}

static bool is_directed_edge(const Surface *f, uint32_t t, uint32_t u, uint32_t v) {
  const uint16_t *c = f->s->detail.triangles + (f->first_triangle + t) * 3;
  return (c[0] == u && c[1] == v) || (c[1] == u && c[2] == v) || (c[2] == u && c[0] == v);
}

static bool has_directed_edge(const Surface *f, uint32_t u, uint32_t v) {
  for (uint32_t t = 0; t < f->s->detail.triangle_counts[f->polygon]; t++) {
    if (is_directed_edge(f, t, u, v)) return true;
  }
  return false;
}

// The rim's vertex after `u`: the end of the only edge from u that no triangle has the other way round.
static uint32_t rim_next(const Surface *f, uint32_t u) {
  for (uint32_t t = 0; t < f->s->detail.triangle_counts[f->polygon]; t++) {
    const uint16_t *c = f->s->detail.triangles + (f->first_triangle + t) * 3;
    for (int i = 0; i < 3; i++) {
      if (c[i] == u && !has_directed_edge(f, c[(i + 1) % 3], u)) return c[(i + 1) % 3];
    }
  }
  return UINT32_MAX;
}

// The vertices added on an edge, folded so that both directions give the same value.
static uint64_t edge_digest(const Surface *f, uint32_t k, uint32_t *vertices) {
  uint64_t digest = 0;
  if (f->s->detail.triangle_counts[f->polygon] == 0) return 0;
  for (uint32_t at = rim_next(f, k); at != (k + 1) % f->count; at = rim_next(f, at)) {
    REQUIRE(at != UINT32_MAX && at >= f->count);
    const double *v = f->s->detail.vertices + (f->first_vertex + at - f->count) * 3;
    digest += cr__bits(v[0]) * 3 + cr__bits(v[1]) * 5 + cr__bits(v[2]) * 7 + 1;
    ++*vertices;
  }
  return digest;
}

static FieldMaker hills(uint64_t *seed, int32_t width, int32_t depth, int32_t roughness, bool holes) {
  FieldMaker maker = field_maker(width, depth, 0);
  double fx = 0.05 + rnd_unit(seed) * 0.3, fz = 0.05 + rnd_unit(seed) * 0.3, height = rnd_unit(seed) * 12.0;
  for (int32_t z = 0; z < depth; z++) {
    for (int32_t x = 0; x < width; x++) {
      if (holes && rnd_int(seed, 40) == 0) continue;
      double u = x * fx - cr__floor(x * fx), v = z * fz - cr__floor(z * fz);
      int32_t floor = (int32_t)(height * (u * (1.0 - u) + v * (1.0 - v)) * 2.0) + rnd_int(seed, roughness + 1);
      uint32_t region = 1 + (uint32_t)(x / 17) + 10 * (uint32_t)(z / 13);
      field_add(&maker, (FieldSpan){x, z, floor, 1000, region, 0});
    }
  }
  return maker;
}

typedef struct Figures {
  double worst;
  uint32_t full, edge_vertices;
} Figures;

static void check_field(FieldMaker *maker, double error, CrDetailSettings settings, Figures *figures) {
  Stages s;
  run_stages(&s, maker, error, settings);
  uint64_t *digests = calloc(s.mesh.edges.count * 2 + 1, sizeof *digests);
  REQUIRE(digests);
  Surface f;
  for (bool more = first_surface(&f, &s); more; more = next_surface(&f)) {
    check_cover(&f);
    check_samples(&f, &figures->worst, &figures->full);
    for (uint32_t k = 0; k < f.count; k++) {
      digests[s.mesh.corner_edge[f.corner + k]] = edge_digest(&f, k, &figures->edge_vertices);
    }
  }
  for (size_t e = 0; e < s.mesh.edges.count; e++) {
    bool inner =
        s.mesh.edges.sides[e * 2] < s.mesh.polygon_count && s.mesh.edges.sides[e * 2 + 1] < s.mesh.polygon_count;
    if (inner && s.mesh.edges.sides[e * 2] != s.mesh.edges.sides[e * 2 + 1])
      CHECK(digests[e * 2] == digests[e * 2 + 1]);
  }
  free(digests);
  cr__arena_free(&s.arena);
}

TEST(random_hills) {
  double worst_excess = -1.0;
  Figures figures = {0};
  int count = 60 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 100 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 20 + rnd_int(&seed, 30), depth = 20 + rnd_int(&seed, 30), roughness = rnd_int(&seed, 4);
    FieldMaker maker = hills(&seed, width, depth, roughness, rnd_int(&seed, 2));
    CrDetailSettings settings = {.distance = 1.0 + rnd_unit(&seed) * 6.0};
    settings.max_error = 0.2 + rnd_unit(&seed) * 3.0;
    figures.worst = 0.0;
    check_field(&maker, rnd_unit(&seed) * 2.0, settings, &figures);
    CHECK(figures.worst <= settings.max_error + 1e-6);
    worst_excess = cr__max(worst_excess, figures.worst - settings.max_error);
    field_maker_free(&maker);
  }
  printf("  %d fields, largest error over the limit %.2g, %u full polygons, %u vertices on edges\n", count,
         worst_excess, figures.full, figures.edge_vertices);
}

TEST(level_ground_has_no_detail) {
  uint64_t seed = 1;
  FieldMaker maker = field_maker(60, 50, 0);
  for (int32_t z = 0; z < 50; z++) {
    for (int32_t x = 0; x < 60; x++) {
      if (rnd_int(&seed, 30)) field_add(&maker, (FieldSpan){x, z, 7, 1000, 1, 0});
    }
  }
  Stages s;
  run_stages(&s, &maker, 0.0, (CrDetailSettings){4.0, 1.0});
  for (uint32_t p = 0; p < s.mesh.polygon_count; p++) CHECK_INT(s.detail.vertex_counts[p], 0);
  CHECK(s.mesh.polygon_count > 10);
  cr__arena_free(&s.arena);
  field_maker_free(&maker);
}

// An even slope is a plane up to the rounding of floors: nothing is off by a whole height.
TEST(even_slope_has_no_detail) {
  for (int32_t rise = 1; rise <= 3; rise++) {
    FieldMaker maker = field_maker(40, 40, 0);
    for (int32_t z = 0; z < 40; z++) {
      for (int32_t x = 0; x < 40; x++) field_add(&maker, (FieldSpan){x, z, (x * rise + z) / 4, 1000, 1, 0});
    }
    Stages s;
    run_stages(&s, &maker, 0.0, (CrDetailSettings){3.0, 1.0});
    for (uint32_t p = 0; p < s.mesh.polygon_count; p++) CHECK_INT(s.detail.vertex_counts[p], 0);
    cr__arena_free(&s.arena);
    field_maker_free(&maker);
  }
}

TEST_MAIN(RUN(random_hills), RUN(level_ground_has_no_detail), RUN(even_slope_has_no_detail))
