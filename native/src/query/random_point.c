// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Random points, uniform by horizontal area over the accepted polygons: the polygon at which the summed area exceeds a drawn share
// of the whole (area_marks.c), a triangle of its fan likewise, a point in that. Four numbers are drawn for a point.
// Around a place: the polygons a walk reaches within the circle are clipped by a regular polygon around it, a point is drawn on
// what is left, and drawn again while it lies outside the circle; so arcs, which need trigonometry, have no part in it.
#include "query_internal.h"

// The fan triangle an area drawn from the polygon's falls in.
static uint32_t pick_triangle(const CrTile *tile, uint32_t polygon, double limit) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon), last = 1;
  double sum = 0.0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    double area = cr__fan_area(tile, polygon, k);
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
  double whole = cr__area_whole(query->areas, query->mesh, filter);
  if (!(whole > 0.0)) return CR_STATUS_NOT_FOUND;
  CrPolyRef ref = cr__area_find(query->areas, query->mesh, filter, pick_polygon * whole);
  const CrTile *tile = cr__tile_of(query->mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  uint32_t k = pick_triangle(tile, polygon, pick_fan * cr__polygon_area(tile, polygon));
  CrVec3 point = point_in_triangle(cr__polygon_vertex(tile, polygon, 0), cr__polygon_vertex(tile, polygon, k),
                                   cr__polygon_vertex(tile, polygon, k + 1), u, v);
  *out = (CrNearestPoly){ref, cr__polygon_closest(tile, polygon, point, NULL), true};
  return CR_STATUS_OK;
}

// --- Around a place -------------------------------------------------------------------------------------------------------

// Draws until a point lies in the circle. Where a tenth of what is drawn from lies in it, one of a million fails them all.
#define ATTEMPTS 128
// Then the last point is pulled towards the polygon's nearest point, half of the way at a time.
#define PULLS 40

#define SIDES 16
#define SIDE_SIN 0.3826834323650897717  // of pi / 8
#define SIDE_COS 0.9238795325112867561
#define SIDE_DIAGONAL 0.7071067811865475244
static const double side_normals[SIDES][2] = {
    {1.0, 0.0},  {SIDE_COS, SIDE_SIN},   {SIDE_DIAGONAL, SIDE_DIAGONAL},   {SIDE_SIN, SIDE_COS},
    {0.0, 1.0},  {-SIDE_SIN, SIDE_COS},  {-SIDE_DIAGONAL, SIDE_DIAGONAL},  {-SIDE_COS, SIDE_SIN},
    {-1.0, 0.0}, {-SIDE_COS, -SIDE_SIN}, {-SIDE_DIAGONAL, -SIDE_DIAGONAL}, {-SIDE_SIN, -SIDE_COS},
    {0.0, -1.0}, {SIDE_SIN, -SIDE_COS},  {SIDE_DIAGONAL, -SIDE_DIAGONAL},  {SIDE_COS, -SIDE_SIN}};

// A polygon's outline clipped, relative to the centre. A side adds a vertex for each run of vertices beyond it: one, or
// a few where the outline is dented within the tolerance.
#define MAX_CLIPPED (2 * (CR_MAX_POLY_VERTS + SIDES))
typedef struct Outline {
  CrVec3 points[MAX_CLIPPED];
  int32_t count;
} Outline;

static void add_point(Outline *outline, CrVec3 p) {
  if (outline->count < MAX_CLIPPED) outline->points[outline->count++] = p;
}

static void clip_outline(const Outline *in, Outline *out, const double normal[2], double radius) {
  out->count = 0;
  for (int32_t i = 0; i < in->count; i++) {
    CrVec3 p = in->points[i], q = in->points[i + 1 == in->count ? 0 : i + 1];
    double dp = radius - (normal[0] * p.x + normal[1] * p.z), dq = radius - (normal[0] * q.x + normal[1] * q.z);
    if (dp >= 0.0) add_point(out, p);
    if ((dp > 0.0 && dq < 0.0) || (dp < 0.0 && dq > 0.0)) add_point(out, cr__lerp(p, q, dp / (dp - dq)));
  }
}

static Outline clipped_outline(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 center, double radius) {
  const CrTile *tile = cr__tile_of(mesh, ref);
  Outline a = {.count = (int32_t)cr__polygon_vertex_count(tile, cr__ref_polygon(ref))}, b;
  bool inside = true;
  for (int32_t k = 0; k < a.count; k++) {
    CrVec3 p = cr__sub(cr__polygon_vertex(tile, cr__ref_polygon(ref), (uint32_t)k), center);
    inside = inside && p.x * p.x + p.z * p.z <= radius * radius;
    a.points[k] = p;
  }
  for (int k = 0; k < SIDES && !inside; k += 2) {
    clip_outline(&a, &b, side_normals[k], radius);
    clip_outline(&b, &a, side_normals[k + 1], radius);
  }
  return a;
}

static double outline_fan_area(const Outline *outline, int32_t k) {
  return cr__max(0.0, cr__cross_xz(outline->points[0], outline->points[k], outline->points[k + 1]));
}

static double outline_area(const Outline *outline) {
  double area = 0.0;
  for (int32_t k = 1; k + 1 < outline->count; k++) area += outline_fan_area(outline, k);
  return area;
}

typedef struct RoundDraw {
  const CrNavMesh *mesh;
  CrVec3 center;
  double radius;
  const CrPolyRef *polygons;  // those reached, breadth first
  const double *sums;         // running sums of their clipped areas
  int32_t count;
} RoundDraw;

static bool in_circle(const RoundDraw *draw, CrVec3 point) { return cr__dist_xz(point, draw->center) <= draw->radius; }

static CrVec3 closest_on(const RoundDraw *draw, CrPolyRef ref, CrVec3 point) {
  return cr__polygon_closest(cr__tile_of(draw->mesh, ref), cr__ref_polygon(ref), point, NULL);
}

// The first polygon at which the summed area exceeds `limit`, else the last one with any area.
static CrPolyRef pick_polygon(const RoundDraw *draw, double limit) {
  const double *sums = draw->sums;
  int32_t low = 0, high = draw->count - 1;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (sums[middle] > limit || sums[middle] == sums[draw->count - 1]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return draw->polygons[low];
}

static CrVec3 draw_on_outline(const Outline *outline, double pick, double u, double v) {
  double limit = pick * outline_area(outline), sum = 0.0;
  int32_t last = 1;
  for (int32_t k = 1; k + 1 < outline->count; k++) {
    double area = outline_fan_area(outline, k);
    if (!(area > 0.0)) continue;
    sum += area;
    last = k;
    if (sum > limit) break;
  }
  return point_in_triangle(outline->points[0], outline->points[last], outline->points[last + 1], u, v);
}

static CrNearestPoly draw_around(const RoundDraw *draw, uint64_t *seed) {
  CrPolyRef ref = draw->polygons[0];
  CrVec3 point = draw->center;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    double pick = cr__random_unit(seed), fan = cr__random_unit(seed);
    double u = cr__random_unit(seed), v = cr__random_unit(seed);
    ref = pick_polygon(draw, pick * draw->sums[draw->count - 1]);
    Outline outline = clipped_outline(draw->mesh, ref, draw->center, draw->radius);
    point = closest_on(draw, ref, cr__add(draw_on_outline(&outline, fan, u, v), draw->center));
    if (in_circle(draw, point)) return (CrNearestPoly){ref, point, true};
  }
  CrVec3 nearest = closest_on(draw, ref, draw->center);
  double share = 0.5;
  for (int pull = 0; pull < PULLS; pull++, share *= 0.5) {
    CrVec3 pulled = closest_on(draw, ref, cr__lerp(nearest, point, share));
    if (in_circle(draw, pulled)) return (CrNearestPoly){ref, pulled, true};
  }
  return (CrNearestPoly){ref, nearest, true};
}

// Queues the polygons a walk within the circle reaches, those the circle holds a point of.
static void reach_polygons(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                           const CrQueryFilter *filter) {
  CrCircle *circle = &query->circle;
  cr__circle_clear(circle);
  cr__circle_queue(circle, start_ref);
  for (int32_t at = 0; at < circle->taken; at++) {
    CrPortalList list = cr__portals(query->mesh, circle->queue[at], filter);
    for (CrPortal portal; cr__next_portal(&list, &portal);) {
      if (cr__segment_distance_xz(portal.a, portal.b, center) <= radius) cr__circle_queue(circle, portal.target);
    }
  }
}

// Fills the draw with the polygons that have a point in the circle, as computed; returns the area drawn from.
static double measure(const CrNavMeshQuery *query, RoundDraw *draw) {
  const CrCircle *circle = &query->circle;
  double sum = 0.0;
  draw->count = 0;
  for (int32_t i = 0; i < circle->taken; i++) {
    CrPolyRef ref = circle->queue[i];
    if (!in_circle(draw, closest_on(draw, ref, draw->center))) continue;
    Outline outline = clipped_outline(draw->mesh, ref, draw->center, draw->radius);
    sum += outline_area(&outline);
    circle->queue[draw->count] = ref;
    circle->sums[draw->count++] = sum;
  }
  return sum;
}

CrStatus cr_query_random_point_around(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                                      const CrQueryFilter *filter, uint64_t *seed, CrNearestPoly *out, CrError *error) {
  CrStatus status = cr__check_point(error, center, "center");
  if (status == CR_STATUS_OK) status = cr__check_coord(error, radius, "radius");
  if (status == CR_STATUS_OK && !(radius > 0.0)) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "radius", 0.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(query->mesh, start_ref, "start_ref", error);
  if (status != CR_STATUS_OK) return status;
  RoundDraw draw = {query->mesh, center, radius, query->circle.queue, query->circle.sums, 0};
  reach_polygons(query, start_ref, center, radius, filter);
  double area = measure(query, &draw);
  if (draw.count == 0) return cr__fail(error, CR_STATUS_NOT_FOUND, "center");
  if (area > 0.0) {
    *out = draw_around(&draw, seed);
  } else {
    *out = (CrNearestPoly){draw.polygons[0], closest_on(&draw, draw.polygons[0], center), true};
  }
  return CR_STATUS_OK;
}
