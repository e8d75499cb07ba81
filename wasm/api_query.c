// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a mesh: points, moves, rays. Filters are cells (a QUERY_FILTER record) or null for the default one. Points
// stand in the argument block (abi.h). Paths are in api_query_path.c, walls and polygons around in api_query_around.c.
#include "abi.h"

CrNavMeshQuery *crw__query(int32_t handle) { return crw__handle_get(handle, CRW_KIND_QUERY); }

int32_t crw__stale_query(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "query"); }

int32_t crw__no_memory(void) { return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL); }

const CrQueryFilter *crw__filter(const double *cells, CrQueryFilter *memory) {
  if (!cells) return NULL;
  crw__take_filter(cells, memory);
  return memory;
}

CRW_EXPORT int32_t crw_query_create(int32_t view, const double *options_cells) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrQueryOptions options;
  crw__take_query_options(options_cells, &options);
  CrNavMeshQuery *query;
  CrStatus status = cr_query_create(mesh, &options, NULL, &query, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_QUERY, query, view);
}

// Record: NEAREST_POLY.
CRW_EXPORT int32_t crw_query_nearest(int32_t handle, const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrQueryFilter filter;
  CrNearestPoly nearest;
  CrStatus status = cr_query_nearest_poly(query, crw__point(0), crw__point(6), crw__filter(filter_cells, &filter),
                                          &nearest, crw__error());
  if (status) return crw__done(status);
  crw__put_nearest(crw__record(), &nearest);
  return 0;
}

// `points`: three doubles for each, in the input block. Returns how many were found. Bulk result: one NEAREST_POLY record for each
// point, its reference 0 where there is none.
CRW_EXPORT int32_t crw_query_nearest_polys(int32_t handle, const double *filter_cells, const double *points,
                                           int32_t count) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  size_t n = (size_t)count;
  CrVec3 *asked = crw__work(n * (sizeof(CrVec3) + sizeof(CrNearestPoly)));
  double *rows = crw__result(n * CRW_CELLS_NEAREST_POLY * sizeof(double));
  if (!asked || !rows) return crw__no_memory();
  CrNearestPoly *nearest = (CrNearestPoly *)(asked + n);
  for (size_t i = 0; i < n; i++) asked[i] = (CrVec3){points[3 * i], points[3 * i + 1], points[3 * i + 2]};
  CrQueryFilter filter;
  int32_t found = 0;
  CrStatus status = cr_query_nearest_polys(query, asked, count, crw__point(6), crw__filter(filter_cells, &filter),
                                           nearest, &found, crw__error());
  if (status) return crw__done(status);
  for (size_t i = 0; i < n; i++) rows = crw__put_nearest(rows, &nearest[i]);
  return found;
}

// Record: NEAREST_POLY.
CRW_EXPORT int32_t crw_query_closest_point(int32_t handle, uint64_t ref) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrNearestPoly nearest = {.ref = ref};
  CrStatus status = cr_query_closest_point(cr_query_mesh(query), ref, crw__point(0), &nearest.point, &nearest.over);
  if (status) return crw__fail(status, "ref");
  crw__put_nearest(crw__record(), &nearest);
  return 0;
}

// Record block: the height.
CRW_EXPORT int32_t crw_query_height(int32_t handle, uint64_t ref) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrStatus status = cr_query_height(cr_query_mesh(query), ref, crw__argument(0), crw__argument(2), crw__record());
  return status ? crw__fail(status, status == CR_STATUS_STALE_REF ? "ref" : "height") : 0;
}

// Record: NEAREST_POLY, then the advanced seed (u64).
CRW_EXPORT int32_t crw_query_random_point(int32_t handle, uint64_t seed, const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrQueryFilter filter;
  CrNearestPoly nearest;
  CrStatus status = cr_query_random_point(query, crw__filter(filter_cells, &filter), &seed, &nearest);
  if (status) return crw__fail(status, "polygon");
  double *at = crw__put_nearest(crw__record(), &nearest);
  CRW_PUT_U64(seed)
  return 0;
}

// Record: NEAREST_POLY, then the advanced seed (u64).
CRW_EXPORT int32_t crw_query_random_point_around(int32_t handle, uint64_t start_ref, uint64_t seed,
                                                 const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrQueryFilter filter;
  CrNearestPoly nearest;
  CrStatus status = cr_query_random_point_around(query, start_ref, crw__point(0), crw__argument(3),
                                                 crw__filter(filter_cells, &filter), &seed, &nearest, crw__error());
  if (status) return crw__done(status);
  double *at = crw__put_nearest(crw__record(), &nearest);
  CRW_PUT_U64(seed)
  return 0;
}

// Record: MOVE_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_move_along_surface(int32_t handle, uint64_t start_ref, const double *filter_cells,
                                                int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrPolyRef *visited = crw__result((size_t)capacity * sizeof *visited);
  if (!visited) return crw__no_memory();
  CrQueryFilter filter;
  CrMoveResult result, *it = &result;
  CrStatus status =
      cr_query_move_along_surface(query, start_ref, crw__point(0), crw__point(3), crw__filter(filter_cells, &filter),
                                  visited, capacity, &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_MOVE_RESULT(CRW_PUT_FIELD)
  return 0;
}

// Record: RAYCAST_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_raycast(int32_t handle, uint64_t start_ref, const double *filter_cells, int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrPolyRef *polygons = crw__result((size_t)capacity * sizeof *polygons);
  if (!polygons) return crw__no_memory();
  CrQueryFilter filter;
  CrRaycastResult result, *it = &result;
  CrStatus status = cr_query_raycast(query, start_ref, crw__point(0), crw__point(3), crw__filter(filter_cells, &filter),
                                     polygons, capacity, &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_RAYCAST_RESULT(CRW_PUT_FIELD)
  return 0;
}
