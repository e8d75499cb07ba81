// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the tests of hierarchical searches share: a plain and a hierarchical query of one mesh, their results side by side.
#ifndef CR_TEST_HIERARCHY_KIT_H
#define CR_TEST_HIERARCHY_KIT_H

#include "hierarchy_internal.h"
#include "query_worlds.h"

#ifndef KIT_NODES
#define KIT_NODES 16384
#endif
#define KIT_PATH 65536

typedef struct KitRoute {
  CrPathResult result;
  CrPolyRef path[KIT_PATH];
} KitRoute;

typedef struct KitSearch {
  CrPolyRef start_ref, end_ref;
  CrVec3 start, end;
  const CrQueryFilter *filter;
} KitSearch;

// Small clusters make small meshes large: about `wanted` polygons a cluster (0: as in use), and goals nearby not left to the plain search.
static inline CrNavMeshQuery *kit_query(const CrNavMesh *mesh, CrNodeModel model, bool hierarchical, uint64_t wanted) {
  CrQueryOptions options = {KIT_NODES, model, hierarchical};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  if (hierarchical && wanted) {
    query->hierarchy->wanted_polygons = wanted;
    query->hierarchy->near_nodes = INT32_MIN;
  }
  return query;
}

static inline void kit_find(CrNavMeshQuery *query, const KitSearch *s, KitRoute *out) {
  CHECK_OK(cr_query_find_path(query, s->start_ref, s->start, s->end_ref, s->end, s->filter, out->path, KIT_PATH,
                              &out->result, NULL));
}

// The route's string, weighted with areas' costs by the polygons it crosses if `filter` has any; -1 when it is no route.
static inline double kit_length(const CrNavMesh *mesh, const KitSearch *s, const KitRoute *route) {
  static CrCorner corners[KIT_PATH];
  int32_t count = 0;
  CrStraightPathOutcome outcome = cr_query_straight_path(mesh, s->start, route->result.end, route->path,
                                                         route->result.count, s->filter, corners, KIT_PATH, &count);
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) length += cr__dist(corners[i - 1].point, corners[i].point);
  return outcome == CR_STRAIGHT_OK ? length : -1.0;
}

static inline bool kit_connected(const CrNavMesh *mesh, const KitSearch *s, const KitRoute *route) {
  bool fine = route->result.count >= 1 && route->path[0] == s->start_ref && !route->result.truncated;
  for (int32_t i = 1; fine && i < route->result.count; i++) {
    fine = cr__connected(mesh, route->path[i - 1], route->path[i], s->filter);
  }
  return fine;
}

static inline bool kit_same_result(const CrPathResult *a, const CrPathResult *b) {
  return a->outcome == b->outcome && a->out_of_nodes == b->out_of_nodes && a->truncated == b->truncated &&
         a->count == b->count && a->iterations == b->iterations && memcmp(&a->end, &b->end, sizeof a->end) == 0;
}

static inline bool kit_same(const KitRoute *a, const KitRoute *b) {
  return kit_same_result(&a->result, &b->result) &&
         memcmp(a->path, b->path, (size_t)a->result.count * sizeof *a->path) == 0;
}

static inline void kit_note(const KitRoute *route) {
  check_note_bytes(&route->result.iterations, sizeof route->result.iterations);
  check_note_bytes(&route->result.end, sizeof route->result.end);
  check_note_bytes(route->path, (size_t)route->result.count * sizeof *route->path);
}

static inline bool kit_random_search(const CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t *seed,
                                     KitSearch *out) {
  out->filter = filter;
  return random_place(mesh, filter, seed, &out->start_ref, &out->start) &&
         random_place(mesh, filter, seed, &out->end_ref, &out->end);
}

// --- Ratios ---------------------------------------------------------------------------------------------------------------

#define KIT_RATIOS 100000
typedef struct KitRatios {
  double values[KIT_RATIOS];
  int32_t count;
} KitRatios;

static inline void kit_add_ratio(KitRatios *ratios, double value) {
  if (ratios->count < KIT_RATIOS) ratios->values[ratios->count++] = value;
}

static inline int kit_compare(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

// Prints mean, 99 % and worst; gives the first two.
static inline void kit_report(KitRatios *ratios, const char *name, double *out_mean, double *out_p99) {
  double sum = 0.0;
  *out_mean = *out_p99 = 1.0;
  if (!ratios->count) return;
  qsort(ratios->values, (size_t)ratios->count, sizeof(double), kit_compare);
  for (int32_t i = 0; i < ratios->count; i++) sum += ratios->values[i];
  *out_mean = sum / ratios->count;
  *out_p99 = ratios->values[(int32_t)(0.99 * ratios->count)];
  printf("  %s: %d routes, length over that of plain A*: mean %.4f, 99 %% within %.4f, worst %.4f\n", name,
         ratios->count, *out_mean, *out_p99, ratios->values[ratios->count - 1]);
}

#endif
