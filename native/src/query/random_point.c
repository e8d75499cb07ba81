// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Random points, uniform by horizontal area over the accepted polygons. Two passes over the mesh in reference order (the
// whole area, then the polygon the drawn area falls in) instead of stored sums, which every edit would spoil. The passes
// add in the same order, so the second meets the same sums. Four numbers are drawn for a point.
#include "query_internal.h"

// Twice the area of the triangle of vertices 0, k, k + 1.
static double fan_area(const CrTile *tile, uint32_t polygon, uint32_t k) {
  CrVec3 a = cr__polygon_vertex(tile, polygon, 0), b = cr__polygon_vertex(tile, polygon, k);
  return cr__max(0.0, cr__cross_xz(a, b, cr__polygon_vertex(tile, polygon, k + 1)));
}

static double polygon_area(const CrTile *tile, uint32_t polygon) {
  double area = 0.0;
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  for (uint32_t k = 1; k + 1 < count; k++) area += fan_area(tile, polygon, k);
  return area;
}

// The first accepted polygon at which the summed area exceeds `limit`, else the last one with any area; the whole area with
// an infinite limit.
static double sum_areas(const CrNavMesh *mesh, const CrQueryFilter *filter, double limit, CrPolyRef *out_ref) {
  double sum = 0.0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t polygon = 0; tile->active && polygon < tile->polygon_count; polygon++) {
      if (!cr__accepts_polygon(filter, tile, polygon)) continue;
      double area = polygon_area(tile, polygon);
      if (!(area > 0.0)) continue;
      sum += area;
      *out_ref = cr__tile_ref(mesh, tile, polygon);
      if (sum > limit) return sum;
    }
  }
  return sum;
}

// The fan triangle an area drawn from the polygon's falls in.
static uint32_t pick_triangle(const CrTile *tile, uint32_t polygon, double limit) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon), last = 1;
  double sum = 0.0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    double area = fan_area(tile, polygon, k);
    if (!(area > 0.0)) continue;
    sum += area;
    last = k;
    if (sum > limit) break;
  }
  return last;
}

// Uniform in a triangle: with s = sqrt(u), weights 1 - s, s (1 - v), s v.
static CrVec3 point_in_triangle(CrVec3 a, CrVec3 b, CrVec3 c, double u, double v) {
  double s = cr__sqrt(u);
  double wa = 1.0 - s, wb = s * (1.0 - v), wc = s * v;
  return cr__vec(a.x * wa + b.x * wb + c.x * wc, a.y * wa + b.y * wb + c.y * wc, a.z * wa + b.z * wb + c.z * wc);
}

CrStatus cr_query_random_point(const CrNavMeshQuery *query, const CrQueryFilter *filter, uint64_t *seed,
                               CrNearestPoly *out) {
  double pick_polygon = cr__random_unit(seed), pick_fan = cr__random_unit(seed);
  double u = cr__random_unit(seed), v = cr__random_unit(seed);
  CrPolyRef ref = CR_INVALID_REF;
  double whole = sum_areas(query->mesh, filter, 1e300, &ref);
  if (!(whole > 0.0)) return CR_STATUS_NOT_FOUND;
  sum_areas(query->mesh, filter, pick_polygon * whole, &ref);
  const CrTile *tile = cr__tile_of(query->mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  uint32_t k = pick_triangle(tile, polygon, pick_fan * polygon_area(tile, polygon));
  CrVec3 point = point_in_triangle(cr__polygon_vertex(tile, polygon, 0), cr__polygon_vertex(tile, polygon, k),
                                   cr__polygon_vertex(tile, polygon, k + 1), u, v);
  *out = (CrNearestPoly){ref, cr__polygon_closest(tile, polygon, point, NULL), true};
  return CR_STATUS_OK;
}
