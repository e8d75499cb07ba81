// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a mesh. Filters are cells (a QUERY_FILTER record) or null for the default one. Points are three doubles.
#include "abi.h"

#define POINT(name) double name##_x, double name##_y, double name##_z
#define VEC(name) ((CrVec3){name##_x, name##_y, name##_z})

static CrNavMeshQuery *query_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_QUERY); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "query"); }

static int32_t no_memory(void) { return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL); }

// The filter in the cells, or null.
static const CrQueryFilter *filter_of(const double *cells, CrQueryFilter *memory) {
  if (!cells) return NULL;
  crw__take_filter(cells, memory);
  return memory;
}

CRW_EXPORT int32_t crw_query_create(int32_t view, const double *options_cells) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrQueryOptions options, *it = &options;
  const double *at = options_cells;
  CRW_RECORD_QUERY_OPTIONS(CRW_TAKE_FIELD)
  CrNavMeshQuery *query;
  CrStatus status = cr_query_create(mesh, &options, NULL, &query, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_QUERY, query, view);
}

// Record: NEAREST_POLY.
CRW_EXPORT int32_t crw_query_nearest(int32_t handle, POINT(point), POINT(extents), const double *filter_cells) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrQueryFilter filter;
  CrNearestPoly nearest;
  CrStatus status =
      cr_query_nearest_poly(query, VEC(point), VEC(extents), filter_of(filter_cells, &filter), &nearest, crw__error());
  if (status) return crw__done(status);
  crw__put_nearest(crw__record(), &nearest);
  return 0;
}

// Record: NEAREST_POLY.
CRW_EXPORT int32_t crw_query_closest_point(int32_t handle, uint64_t ref, POINT(point)) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrNearestPoly nearest = {.ref = ref};
  CrStatus status = cr_query_closest_point(cr_query_mesh(query), ref, VEC(point), &nearest.point, &nearest.over);
  if (status) return crw__fail(status, "ref");
  crw__put_nearest(crw__record(), &nearest);
  return 0;
}

// Record block: the height.
CRW_EXPORT int32_t crw_query_height(int32_t handle, uint64_t ref, double x, double z) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrStatus status = cr_query_height(cr_query_mesh(query), ref, x, z, crw__record());
  return status ? crw__fail(status, status == CR_STATUS_STALE_REF ? "ref" : "height") : 0;
}

// Record: NEAREST_POLY, then the advanced seed (u64).
CRW_EXPORT int32_t crw_query_random_point(int32_t handle, uint64_t seed, const double *filter_cells) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrQueryFilter filter;
  CrNearestPoly nearest;
  CrStatus status = cr_query_random_point(query, filter_of(filter_cells, &filter), &seed, &nearest);
  if (status) return crw__fail(status, "polygon");
  double *at = crw__put_nearest(crw__record(), &nearest);
  CRW_PUT_U64(seed)
  return 0;
}

// Record: PATH_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_find_path(int32_t handle, uint64_t start_ref, POINT(start), uint64_t end_ref, POINT(end),
                                       const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrPolyRef *path = crw__result((size_t)capacity * sizeof *path);
  if (!path) return no_memory();
  CrQueryFilter filter;
  CrPathResult result, *it = &result;
  CrStatus status = cr_query_find_path(query, start_ref, VEC(start), end_ref, VEC(end),
                                       filter_of(filter_cells, &filter), path, capacity, &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_PATH_RESULT(CRW_PUT_FIELD)
  return 0;
}

// `path` is the input block. Record block: outcome and number of corners. Bulk result: one CORNER record for each.
CRW_EXPORT int32_t crw_query_straight_path(int32_t handle, POINT(start), POINT(end), const uint64_t *path,
                                           int32_t path_count, const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrCorner *corners = crw__work((size_t)capacity * sizeof *corners);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_CORNER * sizeof(double));
  if (!corners || !rows) return no_memory();
  CrQueryFilter filter;
  int32_t count = 0;
  CrStraightPathOutcome outcome = cr_query_straight_path(cr_query_mesh(query), VEC(start), VEC(end), path, path_count,
                                                         filter_of(filter_cells, &filter), corners, capacity, &count);
  for (int32_t i = 0; i < count; i++) rows = crw__put_corner(rows, &corners[i]);
  double *at = crw__record();
  CRW_PUT_I32(outcome)
  CRW_PUT_I32(count)
  return 0;
}

// Record: MOVE_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_move_along_surface(int32_t handle, uint64_t start_ref, POINT(start), POINT(to),
                                                const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrPolyRef *visited = crw__result((size_t)capacity * sizeof *visited);
  if (!visited) return no_memory();
  CrQueryFilter filter;
  CrMoveResult result, *it = &result;
  CrStatus status = cr_query_move_along_surface(query, start_ref, VEC(start), VEC(to), filter_of(filter_cells, &filter),
                                                visited, capacity, &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_MOVE_RESULT(CRW_PUT_FIELD)
  return 0;
}

// Record: RAYCAST_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_raycast(int32_t handle, uint64_t start_ref, POINT(start), POINT(end),
                                     const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrPolyRef *polygons = crw__result((size_t)capacity * sizeof *polygons);
  if (!polygons) return no_memory();
  CrQueryFilter filter;
  CrRaycastResult result, *it = &result;
  CrStatus status = cr_query_raycast(query, start_ref, VEC(start), VEC(end), filter_of(filter_cells, &filter), polygons,
                                     capacity, &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_RAYCAST_RESULT(CRW_PUT_FIELD)
  return 0;
}

static double *put_wall(double *at, const CrWallPiece *it) {
  CRW_RECORD_WALL_PIECE(CRW_PUT_FIELD)
  return at;
}

// Bulk result: one WALL_PIECE record for each piece. Returns their number.
CRW_EXPORT int32_t crw_query_find_walls(int32_t handle, uint64_t start_ref, POINT(center), double radius,
                                        const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = query_of(handle);
  if (!query) return stale();
  CrWallPiece *pieces = crw__work((size_t)capacity * sizeof *pieces);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_WALL_PIECE * sizeof(double));
  if (!pieces || !rows) return no_memory();
  CrQueryFilter filter;
  int32_t count = 0;
  CrStatus status = cr_query_find_walls(query, start_ref, VEC(center), radius, filter_of(filter_cells, &filter), pieces,
                                        capacity, &count, crw__error());
  if (status) return crw__done(status);
  for (int32_t i = 0; i < count; i++) rows = put_wall(rows, &pieces[i]);
  return count;
}
