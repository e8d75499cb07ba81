// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Geometry of one polygon: its outline in x/z (a closed convex set) and the heights of its detail surface.
// Everything is decided in the horizontal plane first; height follows from where that puts the point.
#include "navmesh_internal.h"

static inline CrHolding holding(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon) {
  uint32_t first = tile->polygon_first[polygon], end = tile->polygon_first[polygon + 1];
  const CrVec3 p = {x, 0.0, z};
  const CrVec3 *a = &tile->vertices[tile->corner_vertex[end - 1]];
  CrHolding result = CR_HOLDS;
  for (uint32_t c = first; c < end; c++) {
    const CrVec3 *b = &tile->vertices[tile->corner_vertex[c]];
    double cross = cr__cross_xz(*a, *b, p);
    if (cross < 0.0) {
      if (!(cross * cross <= epsilon * epsilon * cr__dist2_xz(*a, *b))) return CR_HOLDS_NOT;
      if (!(cross * cross <= 0.0)) result = CR_HOLDS_NEARLY;
    }
    a = b;
  }
  return result;
}

bool cr__polygon_holds(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon) {
  return holding(tile, polygon, x, z, epsilon) != CR_HOLDS_NOT;
}

CrHolding cr__polygon_holding(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon) {
  return holding(tile, polygon, x, z, epsilon);
}

CrVec3 cr__polygon_center(const CrTile *tile, uint32_t polygon) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  CrVec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t k = 0; k < count; k++) sum = cr__add(sum, cr__polygon_vertex(tile, polygon, k));
  return cr__vec(sum.x / count, sum.y / count, sum.z / count);
}

// --- Heights --------------------------------------------------------------------------------------------------------

// Where the corners of a polygon's detail triangles are: first its own, then those inside it.
typedef struct Corners {
  const CrVec3 *vertices, *inside;
  const uint32_t *own;
  uint32_t count;
} Corners;

static inline Corners corners_of(const CrTile *tile, uint32_t polygon) {
  uint32_t first = tile->polygon_first[polygon];
  return (Corners){tile->vertices, tile->detail_vertices + tile->detail_first_vertex[polygon],
                   tile->corner_vertex + first, tile->polygon_first[polygon + 1] - first};
}

static inline const CrVec3 *detail_corner(const Corners *corners, uint32_t corner) {
  return corner < corners->count ? &corners->vertices[corners->own[corner]] : &corners->inside[corner - corners->count];
}

void cr__triangle_corners(const CrTile *tile, uint32_t polygon, uint32_t triangle, CrVec3 out[3]) {
  const uint16_t *triangles = tile->detail_triangles + (size_t)triangle * 3;
  Corners corners = corners_of(tile, polygon);
  for (int i = 0; i < 3; i++) out[i] = *detail_corner(&corners, triangles[i]);
}

// Height at p when the triangle a, b, c (of either winding, with area) holds it: the form a + (b - a) u + (c - a) v keeps a
// level triangle exactly level.
static inline bool triangle_height(const CrVec3 *a, const CrVec3 *b, const CrVec3 *c, CrVec3 p, double *out_y) {
  double ab = cr__cross_xz(*a, *b, p), bc = cr__cross_xz(*b, *c, p), ca = cr__cross_xz(*c, *a, p);
  double area = cr__cross_xz(*a, *b, *c);
  bool inside = area > 0.0 ? ab >= 0.0 && bc >= 0.0 && ca >= 0.0 : area < 0.0 && ab <= 0.0 && bc <= 0.0 && ca <= 0.0;
  if (!inside) return false;
  *out_y = a->y + (b->y - a->y) * (ca / area) + (c->y - a->y) * (ab / area);
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
  Corners corners = corners_of(tile, polygon);
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    const uint16_t *t = tile->detail_triangles + (size_t)i * 3;
    double y;
    if (triangle_height(detail_corner(&corners, t[0]), detail_corner(&corners, t[1]), detail_corner(&corners, t[2]), p,
                        &y)) {
      return y;
    }
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
  bool over = holding(tile, polygon, point.x, point.z, 0.0) != CR_HOLDS_NOT;
  if (out_over) *out_over = over;
  return cr__polygon_closest_known(tile, polygon, point, over);
}

CrVec3 cr__polygon_closest_known(const CrTile *tile, uint32_t polygon, CrVec3 point, bool over) {
  CrVec3 at = over ? point : nearest_on_outline(tile, polygon, point);
  return cr__vec(at.x, cr__polygon_height(tile, polygon, at.x, at.z), at.z);
}
