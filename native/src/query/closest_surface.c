// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The point of a polygon's surface nearest to a point in space: where a path that cannot reach its target ends. Unlike the
// closest point (horizontally first), on a slope under the point it lies up the slope. On level ground both are the same bits.
// Nearest point of a triangle: Ericson 2004, Real-Time Collision Detection, 5.1.5.
#include "query_internal.h"

static double dot(CrVec3 a, CrVec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static CrVec3 along(CrVec3 a, CrVec3 b, double part, double rest) {
  double sum = part + rest;
  return sum > 0.0 ? cr__lerp(a, b, part / sum) : a;
}

// By the regions of the triangle's plane: vertices, edges, inside.
static CrVec3 nearest_of_triangle(const CrVec3 t[3], CrVec3 p) {
  CrVec3 ab = cr__sub(t[1], t[0]), ac = cr__sub(t[2], t[0]);
  CrVec3 ap = cr__sub(p, t[0]), bp = cr__sub(p, t[1]), cp = cr__sub(p, t[2]);
  double ab_a = dot(ab, ap), ac_a = dot(ac, ap), ab_b = dot(ab, bp), ac_b = dot(ac, bp);
  double ab_c = dot(ab, cp), ac_c = dot(ac, cp);
  if (ab_a <= 0.0 && ac_a <= 0.0) return t[0];
  if (ab_b >= 0.0 && ac_b <= ab_b) return t[1];
  if (ac_c >= 0.0 && ab_c <= ac_c) return t[2];
  double c = ab_a * ac_b - ab_b * ac_a, b = ab_c * ac_a - ab_a * ac_c, a = ab_b * ac_c - ab_c * ac_b;
  if (c <= 0.0 && ab_a >= 0.0 && ab_b <= 0.0) return along(t[0], t[1], ab_a, -ab_b);
  if (b <= 0.0 && ac_a >= 0.0 && ac_c <= 0.0) return along(t[0], t[2], ac_a, -ac_c);
  if (a <= 0.0 && ac_b - ab_b >= 0.0 && ab_c - ac_c >= 0.0) return along(t[1], t[2], ac_b - ab_b, ab_c - ac_c);
  double sum = a + b + c;
  if (!(sum > 0.0)) return t[0];
  return cr__add(t[0], cr__add(cr__scale(ab, b / sum), cr__scale(ac, c / sum)));
}

// How much nearer (squared) a point of a slope must be to be taken: rounding alone moves nothing.
#define NEARER (1.0 - 1e-9)

CrVec3 cr__polygon_nearest(const CrTile *tile, uint32_t polygon, CrVec3 point, double within, double *out_distance2) {
  CrVec3 best = cr__polygon_closest(tile, polygon, point, NULL);
  double distance2 = cr__dist2(best, point);
  *out_distance2 = distance2;
  if (cr__dist2_xz(best, point) > within) return best;
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    CrVec3 t[3];
    cr__triangle_corners(tile, polygon, i, t);
    if (t[0].y == t[1].y && t[0].y == t[2].y) continue;
    // Onto the surface as heights and outlines define it.
    CrVec3 at = cr__polygon_closest(tile, polygon, nearest_of_triangle(t, point), NULL);
    distance2 = cr__dist2(at, point);
    if (!(distance2 < *out_distance2 * NEARER)) continue;
    best = at;
    *out_distance2 = distance2;
  }
  return best;
}
