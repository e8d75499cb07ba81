// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many questions in one call: each answer is that of the single call, bit for bit. Everything is checked before the first
// is asked, so a call that fails has written nothing.
#include "query_internal.h"

static CrStatus check_count(int32_t count, const char *field, CrError *error) {
  return count < 0 ? cr__fail_limit(error, CR_STATUS_ARGUMENT, field, 0.0) : CR_STATUS_OK;
}

static CrStatus check_points(const CrVec3 *points, int32_t count, CrError *error) {
  for (int32_t i = 0; i < count; i++) {
    if (cr__check_point(NULL, points[i], NULL)) return cr__fail_index(error, CR_STATUS_ARGUMENT, "points", i);
  }
  return CR_STATUS_OK;
}

CrStatus cr_query_nearest_polys(const CrNavMeshQuery *query, const CrVec3 *points, int32_t count, CrVec3 extents,
                                const CrQueryFilter *filter, CrNearestPoly *out, int32_t *out_found, CrError *error) {
  CrStatus status = check_count(count, "count", error);
  if (status == CR_STATUS_OK) status = check_points(points, count, error);
  if (status == CR_STATUS_OK) status = cr__check_extents(error, extents);
  if (status != CR_STATUS_OK) return status;
  int32_t found = 0;
  for (int32_t i = 0; i < count; i++) {
    out[i] = cr__nearest_poly(query->mesh, points[i], extents, filter);
    found += out[i].ref != CR_INVALID_REF;
  }
  if (out_found) *out_found = found;
  return CR_STATUS_OK;
}

static CrStatus check_request(const CrNavMesh *mesh, const CrPathRequest *request) {
  if (cr__check_point(NULL, request->start, NULL) || cr__check_point(NULL, request->end, NULL)) {
    return CR_STATUS_ARGUMENT;
  }
  bool stale = !cr__resolve(mesh, request->start_ref) || !cr__resolve(mesh, request->end_ref);
  return stale ? CR_STATUS_STALE_REF : CR_STATUS_OK;
}

static CrStatus check_requests(const CrNavMesh *mesh, const CrPathRequest *requests, int32_t count, CrError *error) {
  for (int32_t i = 0; i < count; i++) {
    CrStatus status = check_request(mesh, &requests[i]);
    if (status != CR_STATUS_OK) return cr__fail_index(error, status, "requests", i);
  }
  return CR_STATUS_OK;
}

CrStatus cr_query_find_paths(CrNavMeshQuery *query, const CrPathRequest *requests, int32_t count,
                             const CrQueryFilter *filter, int32_t capacity_each, CrPolyRef *path, int32_t path_capacity,
                             CrBatchPath *results, CrError *error) {
  CrStatus status = check_count(count, "count", error);
  if (status == CR_STATUS_OK && capacity_each < 1) {
    status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity_each", 1.0);
  }
  if (status == CR_STATUS_OK) status = check_count(path_capacity, "path_capacity", error);
  if (status == CR_STATUS_OK) status = cr_query_check_filter(query, filter, error);
  if (status == CR_STATUS_OK) status = check_requests(query->mesh, requests, count, error);
  if (status != CR_STATUS_OK) return status;
  int32_t used = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t room = path_capacity - used < capacity_each ? path_capacity - used : capacity_each;
    results[i].path = cr__find_path(query, &requests[i], filter, path ? path + used : NULL, room);
    results[i].first = used;
    used += results[i].path.count;
  }
  return CR_STATUS_OK;
}
