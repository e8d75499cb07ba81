// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Batches are the single calls one after the other, bit for bit, and all or nothing; a whole path is the three calls it is made
// of.
#include "query_internal.h"
#include "query_worlds.h"

#define MOST 64
#define ROUTE 512

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, CrNodeModel model, bool hierarchical, int32_t nodes) {
  CrQueryOptions options = {nodes, model, hierarchical};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// Places on the mesh, above it and beside it.
static CrVec3 some_point(const CrNavMesh *mesh, uint64_t *seed) {
  CrPolyRef ref;
  CrVec3 p = world_random_point(mesh, seed, &ref);
  if (rnd_int(seed, 3) == 0) p = cr__add(p, rnd_point(seed, cr__vec(-3, -3, -3), cr__vec(3, 3, 3)));
  return p;
}

static bool same_nearest(const CrNearestPoly *a, const CrNearestPoly *b) {
  return a->ref == b->ref && a->over == b->over && cr__same_point(a->point, b->point);
}

static bool same_result(const CrPathResult *a, const CrPathResult *b) {
  return a->outcome == b->outcome && a->out_of_nodes == b->out_of_nodes && a->truncated == b->truncated &&
         a->count == b->count && a->iterations == b->iterations && cr__same_point(a->end, b->end);
}

TEST(many_nearest_points_are_single_ones) {
  int64_t asked = 0, none = 0;
  for (int number = 0; number < 30; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_POLYGON, false, 64);
    uint64_t seed = 40 + (uint64_t)number;
    for (int64_t i = check_scaled(20); i > 0; i--) {
      CrVec3 points[MOST], extents = {rnd_range(&seed, 0, 2), rnd_range(&seed, 0, 2), rnd_range(&seed, 0, 2)};
      CrNearestPoly many[MOST], one;
      int32_t count = rnd_int(&seed, MOST + 1), found = -1, expected = 0;
      if (rnd_int(&seed, 4) == 0) extents = cr__vec(0, 0, 0);
      for (int32_t k = 0; k < count; k++) points[k] = some_point(mesh, &seed);
      CHECK_OK(cr_query_nearest_polys(query, points, count, extents, filter, many, &found, NULL));
      for (int32_t k = 0; k < count; k++) {
        CrStatus status = cr_query_nearest_poly(query, points[k], extents, filter, &one, NULL);
        CHECK(status == (many[k].ref ? CR_STATUS_OK : CR_STATUS_NOT_FOUND));
        CHECK(same_nearest(&one, &many[k]));
        expected += status == CR_STATUS_OK;
      }
      CHECK_INT(found, expected);
      asked += count;
      none += count - found;
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld points, %lld of them with nothing near\n", (long long)asked, (long long)none);
  CHECK(none > 0 && none < asked);
}

typedef struct Ways {
  int64_t asked, success, partial, failed, truncated, out_of_nodes;
} Ways;

static void count_way(Ways *ways, const CrPathResult *result) {
  ways->asked++;
  ways->success += result->outcome == CR_PATH_SUCCESS;
  ways->partial += result->outcome == CR_PATH_PARTIAL;
  ways->failed += result->outcome == CR_PATH_FAILED;
  ways->truncated += result->truncated;
  ways->out_of_nodes += result->out_of_nodes;
}

static void compare_batch(CrNavMeshQuery *query, CrNavMeshQuery *other, const CrQueryFilter *filter, uint64_t *seed,
                          Ways *ways) {
  CrPathRequest requests[MOST];
  CrBatchPath results[MOST];
  static CrPolyRef path[MOST * ROUTE], route[ROUTE];
  int32_t count = rnd_int(seed, 12), each = rnd_int(seed, 3) ? ROUTE : 1 + rnd_int(seed, 20);
  int32_t capacity = rnd_int(seed, 3) ? MOST * ROUTE : rnd_int(seed, 80), used = 0;
  for (int32_t k = 0; k < count; k++) {
    requests[k].start = world_random_point(query->mesh, seed, &requests[k].start_ref);
    requests[k].end = world_random_point(query->mesh, seed, &requests[k].end_ref);
  }
  memset(path, 0, sizeof path);
  CHECK_OK(cr_query_find_paths(query, requests, count, filter, each, path, capacity, results, NULL));
  for (int32_t k = 0; k < count; k++) {
    CrPathResult one;
    int32_t room = capacity - used < each ? capacity - used : each;
    CHECK_OK(cr_query_find_path(other, requests[k].start_ref, requests[k].start, requests[k].end_ref, requests[k].end,
                                filter, route, room < 1 ? 1 : room, &one, NULL));
    if (room < 1 && one.outcome != CR_PATH_FAILED) one.count = 0, one.truncated = true;
    CHECK(same_result(&one, &results[k].path));
    CHECK_INT(results[k].first, used);
    CHECK(memcmp(route, path + used, (size_t)one.count * sizeof *path) == 0);
    used += one.count;
    count_way(ways, &one);
  }
  CHECK(used == MOST * ROUTE || path[used] == 0);
}

// Every node model, with nodes to spare and too few, and by tiles first.
static const CrQueryOptions kinds[] = {{4096, CR_NODE_MODEL_POLYGON, false}, {4096, CR_NODE_MODEL_CROSSING, false},
                                       {40, CR_NODE_MODEL_POLYGON, false},   {40, CR_NODE_MODEL_CROSSING, false},
                                       {4096, CR_NODE_MODEL_EXACT, false},   {40, CR_NODE_MODEL_EXACT, false},
                                       {4096, CR_NODE_MODEL_POLYGON, true},  {4096, CR_NODE_MODEL_CROSSING, true}};

static void compare_batches(const CrNavMesh *mesh, int number, const CrQueryOptions *kind, Ways *ways) {
  CrQueryFilter storage;
  // The exact search takes equal costs only.
  const CrQueryFilter *filter = filter_number(number, &storage);
  for (size_t area = 0; filter && kind->node_model == CR_NODE_MODEL_EXACT && area <= CR_MAX_AREA; area++) {
    storage.area_cost[area] = 2.0;
  }
  CrNavMeshQuery *query = make_query(mesh, kind->node_model, kind->hierarchical, kind->max_nodes);
  CrNavMeshQuery *other = make_query(mesh, kind->node_model, kind->hierarchical, kind->max_nodes);
  uint64_t seed = 900 + (uint64_t)number;
  for (int64_t i = check_scaled(10); i > 0; i--) compare_batch(query, other, filter, &seed, ways);
  cr_query_destroy(query);
  cr_query_destroy(other);
}

TEST(many_paths_are_single_ones) {
  Ways ways = {0};
  for (int number = 0; number < 30; number++) {
    CrNavMesh *mesh = world_number(number);
    for (int kind = 0; kind < (int)CR_COUNT_OF(kinds); kind++) {
      compare_batches(mesh, number + kind, &kinds[kind], &ways);
    }
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld searches: %lld reach the end, %lld come close, %lld fail; %lld cut, %lld out of nodes\n",
         (long long)ways.asked, (long long)ways.success, (long long)ways.partial, (long long)ways.failed,
         (long long)ways.truncated, (long long)ways.out_of_nodes);
  CHECK(ways.success > ways.asked / 4 && ways.partial > ways.asked / 10 && ways.failed > 0);
  CHECK(ways.truncated > ways.asked / 10 && ways.out_of_nodes > ways.asked / 10);
}

// --- Whole paths ------------------------------------------------------------------------------------------------------------

static bool same_corner(const CrCorner *a, const CrCorner *b) {
  return a->ref == b->ref && a->path_index == b->path_index && a->flags == b->flags &&
         cr__same_point(a->point, b->point);
}

static void compare_whole(CrNavMeshQuery *query, CrNavMeshQuery *other, const CrQueryFilter *filter, CrVec3 start,
                          CrVec3 end, CrVec3 extents, int32_t capacity, int32_t corner_capacity, Ways *ways) {
  static CrPolyRef path[ROUTE], expected_path[ROUTE];
  static CrCorner corners[ROUTE], expected_corners[ROUTE];
  CrComputedPath whole;
  CHECK_OK(cr_query_compute_path(query, start, end, extents, filter, path, capacity, corners, corner_capacity, &whole,
                                 NULL));
  CrNearestPoly from, to;
  CrStatus near_start = cr_query_nearest_poly(other, start, extents, filter, &from, NULL);
  CrStatus near_end = cr_query_nearest_poly(other, end, extents, filter, &to, NULL);
  CHECK(same_nearest(&from, &whole.start) && same_nearest(&to, &whole.goal));
  count_way(ways, &whole.path);
  if (near_start != CR_STATUS_OK || near_end != CR_STATUS_OK) {
    CHECK(whole.path.outcome == CR_PATH_FAILED && whole.path.count == 0 && whole.corner_count == 0);
    CHECK(whole.straight == CR_STRAIGHT_INVALID_CORRIDOR);
    return;
  }
  CrPathResult result;
  CHECK_OK(cr_query_find_path(other, from.ref, from.point, to.ref, to.point, filter, expected_path, capacity, &result,
                              NULL));
  CHECK(same_result(&result, &whole.path));
  CHECK(memcmp(path, expected_path, (size_t)result.count * sizeof *path) == 0);
  CrVec3 line_end = result.end;
  if (result.truncated) {
    CHECK_OK(cr_query_closest_point(query->mesh, path[result.count - 1], result.end, &line_end, NULL));
  }
  int32_t count;
  CrStraightPathOutcome straight = cr_query_straight_path(query->mesh, from.point, line_end, path, result.count, filter,
                                                          expected_corners, corner_capacity, &count);
  CHECK(whole.straight == straight && whole.corner_count == count && straight != CR_STRAIGHT_INVALID_CORRIDOR);
  for (int32_t k = 0; k < count; k++) CHECK(same_corner(&corners[k], &expected_corners[k]));
}

TEST(a_whole_path_is_the_calls_it_is_made_of) {
  Ways ways = {0};
  for (int number = 0; number < 40; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    CrNodeModel model = number % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON;
    if (!filter) model = (CrNodeModel)(number / 3 % 3);
    CrNavMeshQuery *query = make_query(mesh, model, false, 4096), *other = make_query(mesh, model, false, 4096);
    uint64_t seed = 70 + (uint64_t)number;
    for (int64_t i = check_scaled(60); i > 0; i--) {
      CrVec3 start = some_point(mesh, &seed), end = some_point(mesh, &seed);
      int32_t capacity = rnd_int(&seed, 3) ? ROUTE : 1 + rnd_int(&seed, 10);
      int32_t corners = rnd_int(&seed, 3) ? ROUTE : 2 + rnd_int(&seed, 3);
      compare_whole(query, other, filter, start, end, cr__vec(1, 1, 1), capacity, corners, &ways);
      if (i % 10 == 0) compare_whole(query, other, filter, start, start, cr__vec(0, 0, 0), capacity, corners, &ways);
    }
    cr_query_destroy(query);
    cr_query_destroy(other);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld paths: %lld reach the end, %lld come close, %lld have an end off the mesh; %lld cut\n",
         (long long)ways.asked, (long long)ways.success, (long long)ways.partial, (long long)ways.failed,
         (long long)ways.truncated);
  CHECK(ways.success > ways.asked / 4 && ways.partial > ways.asked / 50 && ways.failed > ways.asked / 10);
  CHECK(ways.truncated > ways.asked / 50);
}

// --- Arguments --------------------------------------------------------------------------------------------------------------

TEST(bad_points_name_their_index) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_POLYGON, false, 64);
  CrVec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, extents = {1, 1, 1};
  CrNearestPoly out[3] = {{7, {0, 0, 0}, false}};
  int32_t found = 55;
  CrError error;
  CHECK_STATUS(cr_query_nearest_polys(query, points, -1, extents, NULL, out, &found, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "count") == 0);
  CHECK_STATUS(cr_query_nearest_polys(query, points, 3, cr__vec(1, -1, 1), NULL, out, &found, &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "extents") == 0);
  CHECK_STATUS(cr_query_nearest_polys(query, points, 3, cr__vec(NAN, 1, 1), NULL, out, &found, &error),
               CR_STATUS_ARGUMENT);
  points[2].y = -INFINITY;
  CHECK_STATUS(cr_query_nearest_polys(query, points, 3, extents, NULL, out, &found, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "points") == 0 && error.index == 2);
  CHECK(found == 55 && out[0].ref == 7);
  CHECK_OK(cr_query_nearest_polys(query, NULL, 0, extents, NULL, NULL, &found, &error));
  CHECK_INT(found, 0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(bad_requests_stop_all_before_the_first) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_POLYGON, false, 64);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0), path[8] = {7};
  CrPathRequest good = {ref, ref, {0.5, 0, 0.5}, {0.2, 0, 0.2}}, requests[3] = {good, good, good};
  CrBatchPath results[3] = {{{.count = 7}, 7}};
  CrError error;
  CrQueryFilter bad = cr_query_filter_default();
  bad.area_cost[63] = 0.0;
  CHECK_STATUS(cr_query_find_paths(query, requests, -1, NULL, 4, path, 8, results, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "count") == 0);
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, NULL, 0, path, 8, results, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "capacity_each") == 0);
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, NULL, 4, path, -1, results, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "path_capacity") == 0);
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, &bad, 4, path, 8, results, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "filter.area_cost") == 0 && error.index == 63);
  requests[1].end.x = NAN;
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, NULL, 4, path, 8, results, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "requests") == 0 && error.index == 1);
  requests[1] = good;
  requests[2].end_ref = ref + 9;
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, NULL, 4, path, 8, results, &error), CR_STATUS_STALE_REF);
  CHECK(strcmp(error.field, "requests") == 0 && error.index == 2);
  requests[0].start_ref = 0;
  CHECK_STATUS(cr_query_find_paths(query, requests, 3, NULL, 4, path, 8, results, &error), CR_STATUS_STALE_REF);
  CHECK_INT(error.index, 0);
  CHECK(path[0] == 7 && results[0].first == 7 && results[0].path.count == 7);
  requests[0] = requests[2] = good;
  CHECK_OK(cr_query_find_paths(query, requests, 3, NULL, 4, NULL, 0, results, &error));
  CHECK(results[2].path.truncated && results[2].path.count == 0 && results[2].path.outcome == CR_PATH_SUCCESS);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(whole_path_arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_POLYGON, false, 64);
  CrQueryFilter bad = cr_query_filter_default();
  bad.area_cost[0] = -1.0;
  CrVec3 p = {0.5, 0, 0.5}, wrong = {0, NAN, 0}, one = {1, 1, 1};
  const struct {
    CrVec3 start, end, extents;
    int32_t capacity, corners;
    const CrQueryFilter *filter;
    const char *field;
  } cases[] = {{wrong, p, one, 8, 8, NULL, "start"},       {p, wrong, one, 8, 8, NULL, "end"},
               {p, p, wrong, 8, 8, NULL, "extents"},       {p, p, {1, 1, -1}, 8, 8, NULL, "extents"},
               {p, p, one, 0, 8, NULL, "capacity"},        {p, p, one, 8, 1, NULL, "corner_capacity"},
               {p, p, one, 8, 8, &bad, "filter.area_cost"}};
  for (size_t i = 0; i < CR_COUNT_OF(cases); i++) {
    CrPolyRef path[8];
    CrCorner corners[8];
    CrComputedPath out = {.corner_count = 77};
    CrError error;
    CHECK_STATUS(cr_query_compute_path(query, cases[i].start, cases[i].end, cases[i].extents, cases[i].filter, path,
                                       cases[i].capacity, corners, cases[i].corners, &out, &error),
                 CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, cases[i].field) == 0 && out.corner_count == 77);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(many_nearest_points_are_single_ones), RUN(many_paths_are_single_ones),
          RUN(a_whole_path_is_the_calls_it_is_made_of), RUN(bad_points_name_their_index),
          RUN(bad_requests_stop_all_before_the_first), RUN(whole_path_arguments_are_checked))
