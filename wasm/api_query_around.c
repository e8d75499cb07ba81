// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walls, and polygons around a place.
#include "abi.h"

// Bulk result: one WALL_PIECE record for each piece. Returns their number.
CRW_EXPORT int32_t crw_query_find_walls(int32_t handle, uint64_t start_ref, const double *filter_cells,
                                        int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrWallPiece *pieces = crw__work((size_t)capacity * sizeof *pieces);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_WALL_PIECE * sizeof(double));
  if (!pieces || !rows) return crw__no_memory();
  CrQueryFilter filter;
  int32_t count = 0;
  CrStatus status = cr_query_find_walls(query, start_ref, crw__point(0), crw__argument(3),
                                        crw__filter(filter_cells, &filter), pieces, capacity, &count, crw__error());
  if (status) return crw__done(status);
  for (int32_t i = 0; i < count; i++) rows = crw__put_wall(rows, &pieces[i]);
  return count;
}

// Record: both ends (VEC3).
CRW_EXPORT int32_t crw_query_wall_piece(int32_t handle, uint64_t ref, int32_t edge, int32_t part,
                                        const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrQueryFilter filter;
  CrVec3 a, b;
  CrStatus status = cr_query_wall_piece(cr_query_mesh(query), crw__filter(filter_cells, &filter), ref, crw__u8(edge),
                                        crw__u8(part), &a, &b);
  if (status) return crw__fail(status, status == CR_STATUS_STALE_REF ? "ref" : "part");
  double *at = crw__record();
  CRW_PUT_VEC3(a)
  CRW_PUT_VEC3(b)
  return 0;
}

// Record: WALL_DISTANCE, WALL_PIECE (meaningful when one was found).
CRW_EXPORT int32_t crw_query_distance_to_wall(int32_t handle, uint64_t start_ref, const double *filter_cells) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrQueryFilter filter;
  CrWallDistance result, *it = &result;
  CrStatus status = cr_query_distance_to_wall(query, start_ref, crw__point(0), crw__argument(3),
                                              crw__filter(filter_cells, &filter), &result, crw__error());
  if (status) return crw__done(status);
  double *at = crw__record();
  CRW_RECORD_WALL_DISTANCE(CRW_PUT_FIELD)
  crw__put_wall(at, &result.piece);
  return 0;
}

// Record: AROUND_RESULT. Bulk result: one AROUND_POLYGON record for each polygon.
static int32_t put_around(const CrAroundResult *it, const CrAroundPolygon *polygons, double *rows) {
  double *at = crw__record();
  CRW_RECORD_AROUND_RESULT(CRW_PUT_FIELD)
  at = rows;
  for (const CrAroundPolygon *polygon = polygons; polygon < polygons + it->count; polygon++) {
    CRW_PUT_U64(polygon->ref)
    CRW_PUT_U64(polygon->parent)
    CRW_PUT_F64(polygon->cost)
  }
  return 0;
}

// Record: AROUND_RESULT. Bulk result: one AROUND_POLYGON record for each polygon.
CRW_EXPORT int32_t crw_query_polygons_around_circle(int32_t handle, uint64_t start_ref, const double *filter_cells,
                                                    int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrAroundPolygon *polygons = crw__work((size_t)capacity * sizeof *polygons);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_AROUND_POLYGON * sizeof(double));
  if (!polygons || !rows) return crw__no_memory();
  CrQueryFilter filter;
  CrAroundResult result;
  CrStatus status =
      cr_query_polygons_around_circle(query, start_ref, crw__point(0), crw__argument(3),
                                      crw__filter(filter_cells, &filter), polygons, capacity, &result, crw__error());
  return status ? crw__done(status) : put_around(&result, polygons, rows);
}

// The same; `vertices`: three doubles for each, in the input block.
CRW_EXPORT int32_t crw_query_polygons_around_shape(int32_t handle, uint64_t start_ref, const double *filter_cells,
                                                   const double *vertices, int32_t vertex_count, int32_t capacity) {
  CrNavMeshQuery *query = crw__query(handle);
  if (!query) return crw__stale_query();
  CrAroundPolygon *polygons = crw__work((size_t)capacity * sizeof *polygons);
  double *rows = crw__result((size_t)capacity * CRW_CELLS_AROUND_POLYGON * sizeof(double));
  if (!polygons || !rows) return crw__no_memory();
  CrVec3 shape[CR_QUERY_MAX_SHAPE];
  int32_t taken = vertex_count < CR_QUERY_MAX_SHAPE ? vertex_count : CR_QUERY_MAX_SHAPE;
  for (int32_t i = 0; i < taken; i++) shape[i] = (CrVec3){vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
  CrQueryFilter filter;
  CrAroundResult result;
  CrStatus status =
      cr_query_polygons_around_shape(query, start_ref, shape, vertex_count, crw__filter(filter_cells, &filter),
                                     polygons, capacity, &result, crw__error());
  return status ? crw__done(status) : put_around(&result, polygons, rows);
}
