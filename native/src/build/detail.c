// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The detail surface: per polygon a triangulation of its corners, of the vertices its edges share with their other polygons, and of
// samples of the ground inside, added one by one where the surface is off by more than the limit (Garland and Heckbert 1995).
// Samples lie at corners of columns whose global numbers are multiples of the sample distance. Level polygons over level ground
// get no arrays at all: the tile's default is a fan.
// Order: corners, edge vertices along the ring, then samples in order of their errors; of equal errors the first in row order.
#include "outline_internal.h"

typedef struct Sample {
  CrDetailPoint at;
  double error;
  uint32_t triangle;
} Sample;

typedef struct Surface {
  const CrDetailSource *source;
  CrArena *arena;
  CrDetail *out;
  CrDetailEdges edges;
  CrDetailMesh mesh;
  Sample *samples;
  size_t sample_count, sample_capacity;
  uint32_t step;  // between samples, in columns
  // The polygon under way.
  uint32_t polygon, first_corner, corner_count;
  uint32_t ring[CR_MAX_POLY_VERTS * (1 + CR_DETAIL_EDGE_VERTICES)];
  bool strict[CR_MAX_POLY_VERTS * (1 + CR_DETAIL_EDGE_VERTICES)];
  uint32_t ring_count;
  bool level, flat_corner;
} Surface;

// --- The ring -------------------------------------------------------------------------------------------------------

static const CrOutlineCorner *corner_of(const Surface *s, uint32_t k) {
  const CrOutlineMesh *mesh = s->source->mesh;
  return &s->source->boundary->vertices[mesh->corner_vertex[s->first_corner + k % s->corner_count]];
}

static bool push_point(Surface *s, CrDetailPoint point) {
  CrDetailMesh *m = &s->mesh;
  if (!cr__arena_grow(s->arena, (void **)&m->points, &m->point_capacity, m->point_count, m->point_count + 1,
                      sizeof *m->points)) {
    return false;
  }
  m->points[m->point_count++] = point;
  return true;
}

static void push_ring(Surface *s, uint32_t point, bool strict) {
  s->ring[s->ring_count] = point;
  s->strict[s->ring_count++] = strict;
}

static bool push_edge_points(Surface *s, uint32_t k) {
  const CrOutlineMesh *mesh = s->source->mesh;
  uint32_t edge = mesh->corner_edge[s->first_corner + k] >> 1;
  uint32_t from = mesh->corner_vertex[s->first_corner + k];
  uint32_t to = mesh->corner_vertex[s->first_corner + (k + 1) % s->corner_count];
  if (!cr__detail_edge(s->source, &s->edges, edge, from, to, s->arena)) return false;
  uint32_t count = s->edges.counts[edge];
  if (count == 0) return true;
  const CrDetailPoint *points = s->edges.points + s->edges.first[edge];
  for (uint32_t i = 0; i < count; i++) {
    push_ring(s, (uint32_t)s->mesh.point_count, false);
    if (!push_point(s, points[from < to ? i : count - 1 - i])) return false;
  }
  return true;
}

static bool load_ring(Surface *s) {
  s->mesh.point_count = s->ring_count = 0;
  s->level = true;
  s->flat_corner = false;
  for (uint32_t k = 0; k < s->corner_count; k++) {
    const CrOutlineCorner *c = corner_of(s, k);
    if (c->y != corner_of(s, 0)->y) s->level = false;
    if (!push_point(s, (CrDetailPoint){c->x, c->z, c->y})) return false;
  }
  for (uint32_t k = 0; k < s->corner_count; k++) {
    const CrOutlineCorner *a = corner_of(s, k + s->corner_count - 1), *b = corner_of(s, k), *c = corner_of(s, k + 1);
    bool strict = cr__turn(a->x, a->z, b->x, b->z, c->x, c->z) > 0;
    if (!strict) s->flat_corner = true;
    push_ring(s, k, strict);
    if (!push_edge_points(s, k)) return false;
  }
  return true;
}

// A fan of the strictly convex corners, then the ring's other points split its rim.
static bool triangulate_ring(Surface *s) {
  uint32_t corners[CR_MAX_POLY_VERTS], count = 0, start = 0;
  for (uint32_t i = 0; i < s->ring_count; i++) {
    if (!s->strict[i]) continue;
    if (count == 0) start = i;
    corners[count++] = s->ring[i];
  }
  if (!cr__detail_mesh_start(&s->mesh, corners, count)) return false;
  uint32_t from = corners[0], next = 1;
  for (uint32_t i = 1; i < s->ring_count; i++) {
    uint32_t at = (start + i) % s->ring_count;
    if (s->strict[at]) {
      next++;
    } else if (!cr__detail_mesh_split_rim(&s->mesh, from, corners[next % count], s->ring[at])) {
      return false;
    }
    from = s->ring[at];
  }
  return true;
}

// --- Samples --------------------------------------------------------------------------------------------------------

// The part of row z that lies at least half a sample distance inside the polygon.
static bool row_interval(const Surface *s, int32_t z, double *out_low, double *out_high) {
  double low = -CR_COORD_LIMIT * 4.0, high = CR_COORD_LIMIT * 4.0;
  for (uint32_t k = 0; k < s->corner_count; k++) {
    const CrOutlineCorner *a = corner_of(s, k), *b = corner_of(s, k + 1);
    double dx = b->x - a->x, dz = b->z - a->z;
    double inset = dx * (z - a->z) - 0.5 * s->source->settings.distance * cr__sqrt(dx * dx + dz * dz);
    if (dz > 0.0) high = cr__min(high, a->x + inset / dz);
    if (dz < 0.0) low = cr__max(low, a->x + inset / dz);
    if (dz == 0.0 && inset < 0.0) return false;
  }
  *out_low = low;
  *out_high = high;
  return low <= high;
}

// The least v >= low whose global number `cell + v` is a multiple of the step.
static int32_t align_up(int32_t low, int32_t cell, uint32_t step) {
  int64_t rest = ((int64_t)cell + low) % (int64_t)step;
  if (rest < 0) rest += step;
  return low + (rest ? (int32_t)(step - (uint32_t)rest) : 0);
}

typedef bool (*SampleVisit)(Surface *s, int32_t x, int32_t z);

// False as soon as a visit returns false.
static bool visit_samples(Surface *s, SampleVisit visit) {
  const CrGrid *grid = &s->source->field->grid;
  int32_t z_low = INT32_MAX, z_high = INT32_MIN;
  for (uint32_t k = 0; k < s->corner_count; k++) {
    int32_t z = corner_of(s, k)->z;
    if (z < z_low) z_low = z;
    if (z > z_high) z_high = z;
  }
  for (int32_t z = align_up(z_low + 1, grid->cell_z, s->step); z < z_high; z += (int32_t)s->step) {
    double low, high;
    if (!row_interval(s, z, &low, &high)) continue;
    int32_t x = align_up((int32_t)cr__ceil(low), grid->cell_x, s->step);
    for (; x <= high; x += (int32_t)s->step) {
      if (!visit(s, x, z)) return false;
    }
  }
  return true;
}

static bool sample_is_level(Surface *s, int32_t x, int32_t z) {
  double y, level = s->mesh.points[0].y;
  uint32_t piece = s->source->mesh->pieces[s->polygon];
  if (!cr__detail_height(s->source, x, z, piece, piece, level, &y)) return true;
  return cr__abs(y - level) <= s->source->settings.max_error;
}

// From the triangle tried last towards the place, else through all.
static uint32_t locate(const Surface *s, uint32_t from, double x, double z) {
  if (from < s->mesh.triangle_count && cr__detail_triangle_holds(&s->mesh, from, x, z)) return from;
  for (uint32_t t = 0; t < s->mesh.triangle_count; t++) {
    if (cr__detail_triangle_holds(&s->mesh, t, x, z)) return t;
  }
  return CR_NONE;
}

static bool add_sample(Surface *s, int32_t x, int32_t z) {
  uint32_t piece = s->source->mesh->pieces[s->polygon];
  uint32_t last = s->sample_count ? s->samples[s->sample_count - 1].triangle : 0;
  uint32_t triangle = locate(s, last, x, z);
  if (triangle == CR_NONE) return true;
  double surface = cr__detail_triangle_height(&s->mesh, triangle, x, z), y;
  if (!cr__detail_height(s->source, x, z, piece, piece, surface, &y)) return true;
  if (!cr__arena_grow(s->arena, (void **)&s->samples, &s->sample_capacity, s->sample_count, s->sample_count + 1,
                      sizeof *s->samples)) {
    return false;
  }
  s->samples[s->sample_count++] = (Sample){{x, z, y}, cr__abs(y - surface), triangle};
  return true;
}

// Samples of triangles that changed get the triangle they are in now.
static void update_samples(Surface *s) {
  for (size_t i = 0; i < s->sample_count; i++) {
    Sample *sample = &s->samples[i];
    if (sample->triangle == CR_NONE || s->mesh.triangles[sample->triangle].stamp != s->mesh.stamp) continue;
    uint32_t found = CR_NONE;
    for (size_t c = 0; c < s->mesh.changed_count && found == CR_NONE; c++) {
      if (cr__detail_triangle_holds(&s->mesh, s->mesh.changed[c], sample->at.x, sample->at.z))
        found = s->mesh.changed[c];
    }
    sample->triangle = found;
    double surface =
        found == CR_NONE ? sample->at.y : cr__detail_triangle_height(&s->mesh, found, sample->at.x, sample->at.z);
    sample->error = cr__abs(sample->at.y - surface);
  }
}

static Sample *worst_sample(Surface *s) {
  Sample *worst = NULL;
  double error = s->source->settings.max_error;
  for (size_t i = 0; i < s->sample_count; i++) {
    if (s->samples[i].triangle == CR_NONE || s->samples[i].error <= error) continue;  // order: the first of equals
    worst = &s->samples[i];
    error = worst->error;
  }
  return worst;
}

static bool refine(Surface *s) {
  s->sample_count = 0;
  if (!visit_samples(s, add_sample)) return false;
  Sample *worst;
  for (uint32_t added = 0; added < CR_DETAIL_INNER_VERTICES && (worst = worst_sample(s)) != NULL;) {
    uint32_t triangle = worst->triangle;
    worst->triangle = CR_NONE;
    bool inside;
    if (!push_point(s, worst->at)) return false;
    cr__detail_mesh_mark(&s->mesh);
    if (!cr__detail_mesh_insert(&s->mesh, triangle, (uint32_t)s->mesh.point_count - 1, &inside)) return false;
    if (!inside) {
      s->mesh.point_count--;
      continue;
    }
    added++;
    update_samples(s);
  }
  return true;
}

// --- Output ---------------------------------------------------------------------------------------------------------

static bool store_points(Surface *s) {
  const CrGrid *grid = &s->source->field->grid;
  CrDetail *out = s->out;
  size_t extra = s->mesh.point_count - s->corner_count;
  if (!cr__arena_grow(s->arena, (void **)&out->vertices, &out->vertex_capacity, out->vertex_count * 3,
                      (out->vertex_count + extra) * 3, sizeof *out->vertices)) {
    return false;
  }
  for (size_t i = s->corner_count; i < s->mesh.point_count; i++) {
    CrDetailPoint p = s->mesh.points[i];
    double *at = out->vertices + out->vertex_count++ * 3;
    at[0] = grid->origin_x + (grid->cell_x + p.x) * grid->cell_size;
    at[1] = grid->origin_y + p.y * grid->cell_height;
    at[2] = grid->origin_z + (grid->cell_z + p.z) * grid->cell_size;
  }
  out->vertex_counts[s->polygon] = (uint32_t)extra;
  return true;
}

static bool store_triangles(Surface *s) {
  CrDetail *out = s->out;
  size_t count = s->mesh.triangle_count;
  if (!cr__arena_grow(s->arena, (void **)&out->triangles, &out->triangle_capacity, out->triangle_count * 3,
                      (out->triangle_count + count) * 3, sizeof *out->triangles)) {
    return false;
  }
  uint16_t *at = out->triangles + out->triangle_count * 3;
  for (size_t t = 0; t < count; t++) {
    for (int i = 0; i < 3; i++) *at++ = (uint16_t)s->mesh.triangles[t].v[i];
  }
  out->triangle_counts[s->polygon] = (uint32_t)count;
  out->triangle_count += count;
  out->surface_triangles += (uint32_t)count;
  return true;
}

static bool build_polygon(Surface *s) {
  bool sampled = s->source->settings.distance > 0.0;
  if (!load_ring(s)) return false;
  bool plain = s->level && !s->flat_corner && s->ring_count == s->corner_count;
  if (plain && (!sampled || visit_samples(s, sample_is_level))) {
    s->out->vertex_counts[s->polygon] = s->out->triangle_counts[s->polygon] = 0;
    s->out->surface_triangles += s->corner_count - 2;
    return true;
  }
  return triangulate_ring(s) && (!sampled || refine(s)) && store_points(s) && store_triangles(s);
}

bool cr__detail_build(const CrDetailSource *source, CrArena *arena, CrDetail *out) {
  const CrOutlineMesh *mesh = source->mesh;
  Surface *s = cr__arena_zeroed(arena, 1, sizeof *s);
  *out = (CrDetail){0};
  out->vertex_counts = cr__arena_alloc(arena, mesh->polygon_count, sizeof *out->vertex_counts);
  out->triangle_counts = cr__arena_alloc(arena, mesh->polygon_count, sizeof *out->triangle_counts);
  if (!s || !out->vertex_counts || !out->triangle_counts) return false;
  *s = (Surface){.source = source, .arena = arena, .out = out, .mesh = {.arena = arena}};
  s->edges.first = cr__arena_alloc(arena, mesh->edges.count, sizeof *s->edges.first);
  s->edges.counts = cr__arena_alloc(arena, mesh->edges.count, 1);
  if (!s->edges.first || !s->edges.counts) return false;
  memset(s->edges.first, 0xFF, mesh->edges.count * sizeof *s->edges.first);
  double step = cr__floor(source->settings.distance);
  s->step = step < 1.0 ? 1 : step > 1e6 ? 1000000 : (uint32_t)step;
  for (uint32_t p = 0, corner = 0; p < mesh->polygon_count; corner += mesh->counts[p++]) {
    s->polygon = p;
    s->first_corner = corner;
    s->corner_count = mesh->counts[p];
    if (!build_polygon(s)) return false;
  }
  return true;
}
