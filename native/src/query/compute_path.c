// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From position to position in one call: the nearest polygons, the route, its corners, as the single calls give them. Arguments
// are checked once, and the parts are called behind their checks.
#include "query_internal.h"

static CrStatus check_arguments(const CrNavMeshQuery *query, CrVec3 start, CrVec3 end, CrVec3 extents,
                                const CrQueryFilter *filter, int32_t capacity, int32_t corner_capacity,
                                CrError *error) {
  CrStatus status = cr__check_point(error, start, "start");
  if (status == CR_STATUS_OK) status = cr__check_point(error, end, "end");
  if (status == CR_STATUS_OK) status = cr__check_extents(error, extents);
  if (status == CR_STATUS_OK && capacity < 1) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 1.0);
  if (status == CR_STATUS_OK && corner_capacity < 2) {
    status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "corner_capacity", 2.0);
  }
  return status == CR_STATUS_OK ? cr_query_check_filter(query, filter, error) : status;
}

// A route that was cut does not hold its end: the line then leads to the nearest point of the last polygon it has.
static CrVec3 line_end(const CrNavMesh *mesh, const CrPathResult *route, const CrPolyRef *path) {
  if (!route->truncated) return route->end;
  CrPolyRef last = path[route->count - 1];
  return cr__polygon_closest(cr__tile_of(mesh, last), cr__ref_polygon(last), route->end, NULL);
}

CrStatus cr_query_compute_path(CrNavMeshQuery *query, CrVec3 start, CrVec3 end, CrVec3 extents,
                               const CrQueryFilter *filter, CrPolyRef *path, int32_t capacity, CrCorner *corners,
                               int32_t corner_capacity, CrComputedPath *out, CrError *error) {
  CrStatus status = check_arguments(query, start, end, extents, filter, capacity, corner_capacity, error);
  if (status != CR_STATUS_OK) return status;
  const CrNavMesh *mesh = query->mesh;
  CrNearestPoly from = cr__nearest_poly(mesh, start, extents, filter),
                to = cr__nearest_poly(mesh, end, extents, filter);
  *out = (CrComputedPath){from, to, {CR_PATH_FAILED, false, false, 0, 0, to.point}, CR_STRAIGHT_INVALID_CORRIDOR, 0};
  if (!from.ref || !to.ref) return CR_STATUS_OK;
  CrPathRequest request = {from.ref, to.ref, from.point, to.point};
  out->path = cr__find_path(query, &request, filter, path, capacity);
  if (out->path.count == 0) return CR_STATUS_OK;
  out->straight = cr_query_straight_path(mesh, from.point, line_end(mesh, &out->path, path), path, out->path.count,
                                         filter, corners, corner_capacity, &out->corner_count);
  return CR_STATUS_OK;
}
