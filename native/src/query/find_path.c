// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The whole path search in one call: argument checks around begin, update without limit, finish.
#include "query_internal.h"

static CrStatus check_path_arguments(const CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref,
                                     CrVec3 end, const CrQueryFilter *filter, int32_t capacity, CrError *error) {
  CrStatus status = cr__check_point(error, start, "start");
  if (status == CR_STATUS_OK) status = cr__check_point(error, end, "end");
  if (status == CR_STATUS_OK && capacity < 1) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 1.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(query->mesh, start_ref, "start_ref", error);
  if (status == CR_STATUS_OK) status = cr__check_ref(query->mesh, end_ref, "end_ref", error);
  if (status == CR_STATUS_OK) status = cr_query_check_filter(query, filter, error);
  return status;
}

CrPathResult cr__find_path(CrNavMeshQuery *query, const CrPathRequest *request, const CrQueryFilter *filter,
                           CrPolyRef *path, int32_t capacity) {
  cr_query_begin_path(query, request->start_ref, request->start, request->end_ref, request->end, filter);
  cr_query_update_path(query, INT64_MAX, NULL);
  return cr_query_finish_path(query, path, capacity);
}

CrStatus cr_query_find_path(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref, CrVec3 end,
                            const CrQueryFilter *filter, CrPolyRef *path, int32_t capacity, CrPathResult *out,
                            CrError *error) {
  CrStatus status = check_path_arguments(query, start_ref, start, end_ref, end, filter, capacity, error);
  if (status != CR_STATUS_OK) return status;
  CrPathRequest request = {start_ref, end_ref, start, end};
  *out = cr__find_path(query, &request, filter, path, capacity);
  return query->search.out_of_memory ? cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL) : CR_STATUS_OK;
}
