// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Paths: one search at once, in slices, or many; straight paths; whole paths from position to position.
#include "abi.h"

// Record: PATH_RESULT. Bulk result: `capacity` references, of which the record's count are written.
CRW_EXPORT int32_t crw_query_find_path(int32_t handle, uint64_t start_ref, uint64_t end_ref, const double *filter_cells,
                                       int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrPolyRef *path = crw__result((size_t)capacity * sizeof *path);
  if (!path) return crw__no_memory();
  CrQueryFilter filter;
  CrPathResult result;
  CrStatus status = cr_query_find_path(query, start_ref, crw__point(0), end_ref, crw__point(3),
                                       crw__filter(filter_cells, &filter), path, capacity, &result, crw__error());
  if (status) return crw__done(status);
  crw__put_path(crw__record(), &result);
  return 0;
}

// Begins a search in slices and returns its outcome. The references must name polygons: "start_ref", "end_ref".
CRW_EXPORT int32_t crw_query_begin_path(int32_t handle, uint64_t start_ref, uint64_t end_ref,
                                        const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  // The engine itself takes a stale reference or a filter it cannot use for a search that failed.
  const CrNavMesh *mesh = cr_query_mesh(query);
  if (!cr_navmesh_is_valid_ref(mesh, start_ref)) return crw__fail(CR_STATUS_STALE_REF, "start_ref");
  if (!cr_navmesh_is_valid_ref(mesh, end_ref)) return crw__fail(CR_STATUS_STALE_REF, "end_ref");
  CrQueryFilter filter;
  const CrQueryFilter *used = crw__filter(filter_cells, &filter);
  CrStatus status = cr_query_check_filter(query, used, crw__error());
  if (status) return crw__done(status);
  return (int32_t)cr_query_begin_path(query, start_ref, crw__point(0), end_ref, crw__point(3), used);
}

// Returns the outcome so far. Record: number of nodes expanded by this call.
CRW_EXPORT int32_t crw_query_update_path(int32_t handle, int32_t budget) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  int64_t expanded = 0;
  CrPathOutcome outcome = cr_query_update_path(query, budget, &expanded);
  crw__record()[0] = (double)expanded;
  return (int32_t)outcome;
}

// As crw_query_find_path, of the search as it stands.
CRW_EXPORT int32_t crw_query_finish_path(int32_t handle, int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrPolyRef *path = crw__result((size_t)capacity * sizeof *path);
  if (!path) return crw__no_memory();
  CrPathResult result = cr_query_finish_path(query, path, capacity);
  crw__put_path(crw__record(), &result);
  return 0;
}

// The input block holds `count` start references, end references, start points and end points, one list behind the other.
static void take_requests(const double *cells, size_t count, CrPathRequest *requests) {
  const uint64_t *refs = (const uint64_t *)(const void *)cells;
  const double *starts = cells + 2 * count, *ends = starts + 3 * count;
  for (size_t i = 0; i < count; i++, starts += 3, ends += 3) {
    CrVec3 start = {starts[0], starts[1], starts[2]}, end = {ends[0], ends[1], ends[2]};
    requests[i] = (CrPathRequest){refs[i], refs[count + i], start, end};
  }
}

// Bulk result: `path_capacity` references, then for each search a PATH_RESULT record and the index of its first reference.
CRW_EXPORT int32_t crw_query_find_paths(int32_t handle, const double *filter_cells, const double *request_cells,
                                        int32_t count, int32_t capacity_each, int32_t path_capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  size_t n = (size_t)count;
  CrPathRequest *requests = crw__work(n * (sizeof(CrPathRequest) + sizeof(CrBatchPath)));
  CrPolyRef *path = crw__result(((size_t)path_capacity + n * (CRW_CELLS_PATH_RESULT + 1)) * sizeof(double));
  if (!requests || !path) return crw__no_memory();
  CrBatchPath *results = (CrBatchPath *)(requests + n);
  take_requests(request_cells, n, requests);
  CrQueryFilter filter;
  CrStatus status = cr_query_find_paths(query, requests, count, crw__filter(filter_cells, &filter), capacity_each, path,
                                        path_capacity, results, crw__error());
  if (status) return crw__done(status);
  double *at = (double *)(void *)(path + path_capacity);
  for (size_t i = 0; i < n; i++) {
    at = crw__put_path(at, &results[i].path);
    CRW_PUT_I32(results[i].first)
  }
  return 0;
}

// `path` is the input block. Record block: outcome and number of corners. Bulk result: one CORNER record for each.
CRW_EXPORT int32_t crw_query_straight_path(int32_t handle, const double *filter_cells, const uint64_t *path,
                                           int32_t path_count, int32_t crossings, int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrCorner *corners = crw__work((size_t)capacity * sizeof *corners);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_CORNER * sizeof(double));
  if (!corners || !rows) return crw__no_memory();
  CrQueryFilter filter;
  int32_t count = 0;
  CrStraightPathOutcome outcome = cr_query_straight_path_crossings(cr_query_mesh(query), crw__point(0), crw__point(3),
                                                                   path, path_count, crw__filter(filter_cells, &filter),
                                                                   (CrCrossings)crossings, corners, capacity, &count);
  crw__put_corners(rows, corners, count);
  double *at = crw__record();
  CRW_PUT_I32(outcome)
  CRW_PUT_I32(count)
  return 0;
}

// Record: NEAREST_POLY of the start and of the goal, PATH_RESULT, outcome of the straight path, number of corners. Bulk result:
// `capacity` references, of which the count are written, then one CORNER record for each corner.
CRW_EXPORT int32_t crw_query_compute_path(int32_t handle, const double *filter_cells, int32_t capacity,
                                          int32_t corner_capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrCorner *corners = crw__work((size_t)corner_capacity * sizeof *corners);
  CrPolyRef *path = crw__result(((size_t)capacity + (size_t)corner_capacity * CRW_CELLS_CORNER) * sizeof(double));
  if (!corners || !path) return crw__no_memory();
  CrQueryFilter filter;
  CrComputedPath result;
  CrStatus status =
      cr_query_compute_path(query, crw__point(0), crw__point(3), crw__point(6), crw__filter(filter_cells, &filter),
                            path, capacity, corners, corner_capacity, &result, crw__error());
  if (status) return crw__done(status);
  crw__put_corners((double *)(void *)(path + capacity), corners, result.corner_count);
  double *at = crw__put_nearest(crw__record(), &result.start);
  at = crw__put_path(crw__put_nearest(at, &result.goal), &result.path);
  CRW_PUT_I32(result.straight)
  CRW_PUT_I32(result.corner_count)
  return 0;
}
