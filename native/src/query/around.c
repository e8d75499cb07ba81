// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Polygons around a place by what it costs to get there (Dijkstra 1959), through portals that touch a circle or a convex shape.
// A polygon stands at its point nearest to the centre, whatever the way to it: so steps have fixed costs, and the cost of a
// polygon is the least over all ways. Order: circle.c's.
#include "query_internal.h"

typedef struct Area {
  CrVec3 center;
  double radius;
  const CrVec3 *shape;  // null: a circle
  int32_t shape_count;
} Area;

// --- What portals touch ---------------------------------------------------------------------------------------------------

static bool all_right(CrVec3 a, CrVec3 b, const CrVec3 *points, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    if (cr__cross_xz(a, b, points[i]) >= 0.0) return false;
  }
  return true;
}

// Two convex sets in a plane are apart exactly when the line of an edge of one of them parts them.
static bool touches_shape(const Area *area, CrVec3 a, CrVec3 b) {
  const CrVec3 portal[2] = {a, b}, *shape = area->shape;
  int32_t count = area->shape_count;
  for (int32_t k = 0; k < count; k++) {
    if (all_right(shape[k], shape[k + 1 == count ? 0 : k + 1], portal, 2)) return false;
  }
  return !all_right(a, b, shape, count) && !all_right(b, a, shape, count);
}

static bool touches(const Area *area, CrVec3 a, CrVec3 b) {
  if (area->shape) return touches_shape(area, a, b);
  return cr__segment_distance_xz(a, b, area->center) <= area->radius;
}

// --- The search -----------------------------------------------------------------------------------------------------------

static double area_cost(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref) {
  return cr__area_cost(filter, cr__tile_of(mesh, ref)->areas[cr__ref_polygon(ref)]);
}

static CrVec3 standing_point(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 center) {
  return cr__polygon_closest(cr__tile_of(mesh, ref), cr__ref_polygon(ref), center, NULL);
}

static void step_through(CrNavMeshQuery *query, const CrCircleNode *from, const CrPortal *portal, CrVec3 center,
                         const CrQueryFilter *filter) {
  bool taken;
  const CrCircleNode *known = cr__circle_find(&query->circle, portal->target, &taken);
  if (taken) return;
  CrVec3 to = known ? known->position : standing_point(query->mesh, portal->target, center);
  CrVec3 middle = cr__nearest_on_portal(portal->a, portal->b, from->position, to);
  double cost = from->cost + cr__dist(from->position, middle) * area_cost(query->mesh, filter, from->ref) +
                cr__dist(middle, to) * area_cost(query->mesh, filter, portal->target);
  // order: of equally cheap ways the first found stays
  if (!known || cost < known->cost) cr__circle_reach(&query->circle, portal->target, from->ref, to, cost);
}

static void search_around(CrNavMeshQuery *query, CrPolyRef start_ref, const Area *area, const CrQueryFilter *filter,
                          CrAroundPolygon *polygons, int32_t capacity, CrAroundResult *out) {
  CrCircle *circle = &query->circle;
  CrCircleNode node;
  cr__circle_begin(circle, capacity);
  CrVec3 start = standing_point(query->mesh, start_ref, area->center);
  cr__circle_reach(circle, start_ref, CR_INVALID_REF, start, 0.0);
  for (out->count = 0; cr__circle_take(circle, &node);) {
    polygons[out->count++] = (CrAroundPolygon){node.ref, node.parent, node.cost};
    CrPortalList list = cr__portals(query->mesh, node.ref, filter);
    for (CrPortal portal; cr__next_portal(&list, &portal);) {
      if (touches(area, portal.a, portal.b)) step_through(query, &node, &portal, area->center, filter);
    }
  }
  out->truncated = circle->heap_count > 0;
}

// --- Circle ---------------------------------------------------------------------------------------------------------------

static CrStatus check_common(const CrNavMesh *mesh, CrPolyRef ref, const CrQueryFilter *filter, int32_t capacity,
                             CrError *error) {
  if (capacity < 1) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 1.0);
  CrStatus status = cr_query_filter_validate(filter, error);
  return status == CR_STATUS_OK ? cr__check_ref(mesh, ref, "start_ref", error) : status;
}

CrStatus cr_query_polygons_around_circle(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                                         const CrQueryFilter *filter, CrAroundPolygon *polygons, int32_t capacity,
                                         CrAroundResult *out, CrError *error) {
  CrStatus status = cr__check_point(error, center, "center");
  if (status == CR_STATUS_OK) status = cr__check_coord(error, radius, "radius");
  if (status == CR_STATUS_OK && radius < 0.0) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "radius", 0.0);
  if (status == CR_STATUS_OK) status = check_common(query->mesh, start_ref, filter, capacity, error);
  if (status != CR_STATUS_OK) return status;
  Area area = {center, radius, NULL, 0};
  search_around(query, start_ref, &area, filter, polygons, capacity, out);
  return CR_STATUS_OK;
}

// --- Convex shape ---------------------------------------------------------------------------------------------------------

// Whether the interior lies left of edge k: no vertex right of its line (but for rounding), one left of it.
static bool edge_holds(const CrVec3 *vertices, int32_t count, int32_t k) {
  CrVec3 a = vertices[k], b = vertices[k + 1 == count ? 0 : k + 1];
  double slack = CR_CONVEX_EPSILON * cr__dist_xz(a, b);
  bool some_left = false;
  for (int32_t i = 0; i < count; i++) {
    double side = cr__cross_xz(a, b, vertices[i]);
    if (side < -slack) return false;
    some_left |= side > slack;
  }
  return some_left;
}

static CrStatus check_shape(const CrVec3 *vertices, int32_t count, CrError *error) {
  if (count < 3) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "vertex_count", 3.0);
  if (count > CR_QUERY_MAX_SHAPE) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "vertex_count", CR_QUERY_MAX_SHAPE);
  for (int32_t k = 0; k < count; k++) {
    if (cr__check_point(NULL, vertices[k], NULL)) return cr__fail_index(error, CR_STATUS_ARGUMENT, "vertices", k);
  }
  for (int32_t k = 0; k < count; k++) {
    if (!edge_holds(vertices, count, k)) return cr__fail_index(error, CR_STATUS_ARGUMENT, "vertices", k);
  }
  return CR_STATUS_OK;
}

static CrVec3 mean_of(const CrVec3 *points, int32_t count) {
  CrVec3 sum = {0.0, 0.0, 0.0};
  for (int32_t k = 0; k < count; k++) sum = cr__add(sum, points[k]);
  return cr__vec(sum.x / count, sum.y / count, sum.z / count);
}

CrStatus cr_query_polygons_around_shape(CrNavMeshQuery *query, CrPolyRef start_ref, const CrVec3 *vertices,
                                        int32_t vertex_count, const CrQueryFilter *filter, CrAroundPolygon *polygons,
                                        int32_t capacity, CrAroundResult *out, CrError *error) {
  CrStatus status = check_shape(vertices, vertex_count, error);
  if (status == CR_STATUS_OK) status = check_common(query->mesh, start_ref, filter, capacity, error);
  if (status != CR_STATUS_OK) return status;
  Area area = {mean_of(vertices, vertex_count), 0.0, vertices, vertex_count};
  search_around(query, start_ref, &area, filter, polygons, capacity, out);
  return CR_STATUS_OK;
}
