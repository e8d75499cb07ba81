// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Geometry of one polygon: its outline in x/z (a closed convex set) and the heights of its detail surface.
// Everything is decided in the horizontal plane first; height follows from where that puts the point.
#include "navmesh_internal.h"

bool cr__polygon_holds(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon) {
  uint32_t first = tile->polygon_first[polygon], end = tile->polygon_first[polygon + 1];
  const CrVec3 p = {x, 0.0, z};
  CrVec3 a = tile->vertices[tile->corner_vertex[end - 1]];
  for (uint32_t c = first; c < end; c++) {
    CrVec3 b = tile->vertices[tile->corner_vertex[c]];
    double cross = cr__cross_xz(a, b, p);
    if (cross < 0.0 && !(cross * cross <= epsilon * epsilon * cr__dist2_xz(a, b))) return false;
    a = b;
  }
  return true;
}

CrVec3 cr__polygon_center(const CrTile *tile, uint32_t polygon) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  CrVec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t k = 0; k < count; k++) sum = cr__add(sum, cr__polygon_vertex(tile, polygon, k));
  return cr__vec(sum.x / count, sum.y / count, sum.z / count);
}

// --- Heights --------------------------------------------------------------------------------------------------------

static CrVec3 detail_corner(const CrTile *tile, uint32_t polygon, uint32_t corner) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  if (corner < count) return cr__polygon_vertex(tile, polygon, corner);
  return tile->detail_vertices[tile->detail_first_vertex[polygon] + corner - count];
}

void cr__triangle_corners(const CrTile *tile, uint32_t polygon, uint32_t triangle, CrVec3 out[3]) {
  const uint16_t *corners = tile->detail_triangles + (size_t)triangle * 3;
  for (int i = 0; i < 3; i++) out[i] = detail_corner(tile, polygon, corners[i]);
}

// Height at p when the triangle (of either winding, with area) holds it: the form a + (b - a) u + (c - a) v keeps a
// level triangle exactly level.
static bool triangle_height(const CrVec3 t[3], CrVec3 p, double *out_y) {
  double ab = cr__cross_xz(t[0], t[1], p), bc = cr__cross_xz(t[1], t[2], p), ca = cr__cross_xz(t[2], t[0], p);
  double area = cr__cross_xz(t[0], t[1], t[2]);
  bool inside = area > 0.0 ? ab >= 0.0 && bc >= 0.0 && ca >= 0.0 : area < 0.0 && ab <= 0.0 && bc <= 0.0 && ca <= 0.0;
  if (!inside) return false;
  *out_y = t[0].y + (t[1].y - t[0].y) * (ca / area) + (t[2].y - t[0].y) * (ab / area);
  return cr__is_finite(*out_y);
}

// order: of equally near edges the first in triangle, then edge order gives the height.
static double nearest_edge_height(const CrTile *tile, uint32_t polygon, CrVec3 p) {
  double best = DBL_MAX, height = 0.0;
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    CrVec3 t[3];
    cr__triangle_corners(tile, polygon, i, t);
    for (int k = 0; k < 3; k++) {
      CrVec3 a = t[k], b = t[k == 2 ? 0 : k + 1];
      CrVec3 at = cr__lerp(a, b, cr__segment_t_xz(a, b, p));
      double distance2 = cr__dist2_xz(at, p);
      if (distance2 < best) {
        best = distance2;
        height = at.y;
      }
    }
  }
  return height;
}

double cr__polygon_height(const CrTile *tile, uint32_t polygon, double x, double z) {
  const CrVec3 p = {x, 0.0, z};
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    CrVec3 t[3];
    double y;
    cr__triangle_corners(tile, polygon, i, t);
    if (triangle_height(t, p, &y)) return y;
  }
  return nearest_edge_height(tile, polygon, p);
}

// --- Nearest point --------------------------------------------------------------------------------------------------

// order: of equally near edges the first gives the point.
static CrVec3 nearest_on_outline(const CrTile *tile, uint32_t polygon, CrVec3 point) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  CrVec3 nearest = point;
  double best = DBL_MAX;
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    double t = cr__segment_t_xz(a, b, point);
    CrVec3 at = t == 1.0 ? b : cr__lerp(a, b, t);
    double distance2 = cr__dist2_xz(at, point);
    if (distance2 < best) {
      best = distance2;
      nearest = at;
    }
  }
  return nearest;
}

CrVec3 cr__polygon_closest(const CrTile *tile, uint32_t polygon, CrVec3 point, bool *out_over) {
  bool over = cr__polygon_holds(tile, polygon, point.x, point.z, 0.0);
  CrVec3 at = over ? point : nearest_on_outline(tile, polygon, point);
  if (out_over) *out_over = over;
  return cr__vec(at.x, cr__polygon_height(tile, polygon, at.x, at.z), at.z);
}
