// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The exact search at its edges: slices, few nodes, ends out of reach, costs, edits, allocations, symmetry.
#include "exact_internal.h"
#include "query_worlds.h"

#define CAPACITY 4096

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, CrNodeModel model, int32_t nodes) {
  CrQueryOptions options = {nodes, model, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

typedef struct Pair {
  CrPolyRef a, b;
  CrVec3 start, end;
} Pair;

static Pair random_pair(const CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t *seed) {
  Pair pair;
  check_seed = *seed;
  REQUIRE(random_place(mesh, filter, seed, &pair.a, &pair.start) &&
          random_place(mesh, filter, seed, &pair.b, &pair.end));
  return pair;
}

static CrPathResult find(CrNavMeshQuery *query, const Pair *pair, const CrQueryFilter *filter, CrPolyRef *path) {
  CrPathResult result = {0};
  CHECK_OK(cr_query_find_path(query, pair->a, pair->start, pair->b, pair->end, filter, path, CAPACITY, &result, NULL));
  return result;
}

// Horizontal length of the taut line; links count their 3D length.
static double length_of(const CrNavMesh *mesh, const Pair *pair, CrVec3 end, const CrQueryFilter *filter,
                        const CrPolyRef *path, int32_t count) {
  static CrCorner corners[CAPACITY];
  int32_t corner_count;
  CHECK_INT(cr_query_straight_path(mesh, pair->start, end, path, count, filter, corners, CAPACITY, &corner_count),
            CR_STRAIGHT_OK);
  double length = 0.0;
  for (int32_t i = 1; i < corner_count; i++) {
    CrVec3 a = corners[i - 1].point, b = corners[i].point;
    length += corners[i - 1].flags & CR_CORNER_OFF_MESH ? cr__dist(a, b) : cr__dist_xz(a, b);
  }
  return length;
}

static const CrQueryFilter *excluding(CrQueryFilter *storage) {
  *storage = cr_query_filter_default();
  storage->exclude_flags = 2;
  return storage;
}

TEST(slices_do_not_matter) {
  static CrPolyRef whole[CAPACITY], sliced[CAPACITY], peeked[CAPACITY];
  int64_t searches = 0, unreachable = 0;
  for (int number = 0; number < 30; number++) {
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, CR_QUERY_DEFAULT_NODES);
    CrQueryFilter storage;
    const CrQueryFilter *filter = number % 2 ? excluding(&storage) : NULL;
    uint64_t seed = 300 + (uint64_t)number;
    for (int64_t i = check_scaled(30); i > 0; i--) {
      Pair pair = random_pair(mesh, filter, &seed);
      CrPathResult expected = find(query, &pair, filter, whole);
      int64_t budget = 1 + rnd_int(&seed, 40), total = 0, expanded;
      CrPathOutcome outcome = cr_query_begin_path(query, pair.a, pair.start, pair.b, pair.end, filter);
      while (outcome == CR_PATH_IN_PROGRESS) {
        outcome = cr_query_update_path(query, budget, &expanded);
        CHECK(expanded <= budget && (expanded == budget || outcome != CR_PATH_IN_PROGRESS));
        total += expanded;
        if (rnd_int(&seed, 4) == 0) CHECK(cr_query_finish_path(query, peeked, CAPACITY).count >= 1);
      }
      CrPathResult result = cr_query_finish_path(query, sliced, CAPACITY);
      CHECK(result.outcome == expected.outcome && result.count == expected.count && total == expected.iterations);
      CHECK(result.iterations == expected.iterations && cr__same_point(result.end, expected.end));
      CHECK(memcmp(whole, sliced, (size_t)result.count * sizeof *whole) == 0);
      check_note_bytes(&result.end, sizeof result.end);
      check_note_bytes(sliced, (size_t)result.count * sizeof *sliced);
      searches++;
      unreachable += result.outcome == CR_PATH_PARTIAL;
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld searches, %lld of ends out of reach\n", (long long)searches, (long long)unreachable);
  CHECK(searches < 500 || unreachable > searches / 50);
}

// Everything the start leads to, by the plainest search there is.
static uint32_t reachable(const CrNavMesh *mesh, CrPolyRef start, const CrQueryFilter *filter, CrPolyRef *out) {
  uint32_t count = 0;
  out[count++] = start;
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, out[i]);
    CrWayList ways = cr__ways(mesh, tile, cr__ref_polygon(out[i]), filter);
    for (CrWay way; cr__next_way(&ways, &way);) {
      bool known = false;
      for (uint32_t j = 0; j < count && !known; j++) known = out[j] == way.target;
      if (!known) out[count++] = way.target;
    }
  }
  return count;
}

TEST(an_end_out_of_reach_gives_the_nearest_point) {
  static CrPolyRef path[CAPACITY], met[CAPACITY];
  int64_t partial = 0, reached = 0;
  for (int number = 0; number < 40; number++) {
    CrNavMesh *mesh =
        number % 4 == 0 ? world_warped(400 + (uint64_t)number, 3, 6, 1.0, 0.45, 0.3, 0.0) : world_number(number);
    CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, CR_QUERY_DEFAULT_NODES);
    CrQueryFilter storage;
    const CrQueryFilter *filter = number % 2 ? excluding(&storage) : NULL;
    uint64_t seed = 310 + (uint64_t)number;
    for (int64_t i = check_scaled(40); i > 0; i--) {
      Pair pair = random_pair(mesh, filter, &seed);
      CrPathResult result = find(query, &pair, filter, path);
      uint32_t count = reachable(mesh, pair.a, filter, met);
      bool found = false;
      double best = INFINITY;
      for (uint32_t j = 0; j < count; j++) {
        found = found || met[j] == pair.b;
        double distance;
        cr__polygon_nearest(cr__resolve(mesh, met[j]), cr__ref_polygon(met[j]), pair.end, INFINITY, &distance);
        best = fmin(best, distance);
      }
      CHECK_INT(result.outcome, found ? CR_PATH_SUCCESS : CR_PATH_PARTIAL);
      CHECK(!result.out_of_nodes);
      reached += found;
      if (found) continue;
      partial++;
      CHECK(cr__dist2(result.end, pair.end) == best);
      CHECK(cr__polygon_holds(cr__resolve(mesh, path[result.count - 1]), cr__ref_polygon(path[result.count - 1]),
                              result.end.x, result.end.z, CR_QUERY_EPSILON));
      // The way there is the shortest, too.
      Pair to_end = {pair.a, path[result.count - 1], pair.start, result.end};
      double length = length_of(mesh, &pair, result.end, filter, path, result.count);
      CrPathResult again = find(query, &to_end, filter, path);
      CHECK_INT(again.outcome, CR_PATH_SUCCESS);
      CHECK_NEAR(length_of(mesh, &to_end, result.end, filter, path, again.count), length, 1e-9 * (1.0 + length));
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld ends out of reach, %lld within\n", (long long)partial, (long long)reached);
  CHECK(partial > check_scaled(100));
}

TEST(lengths_are_the_same_both_ways) {
  static CrPolyRef path[CAPACITY];
  int64_t pairs = 0;
  double worst = 0.0;
  for (int number = 0; number < 40; number++) {
    if (number % 10 == 4 || number % 10 == 5) continue;  // one-way links
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, CR_QUERY_DEFAULT_NODES);
    uint64_t seed = 320 + (uint64_t)number;
    for (int64_t i = check_scaled(100); i > 0; i--) {
      Pair there = random_pair(mesh, NULL, &seed), back = {there.b, there.a, there.end, there.start};
      CrPathResult result = find(query, &there, NULL, path);
      double length = length_of(mesh, &there, result.end, NULL, path, result.count);
      CrPathResult other = find(query, &back, NULL, path);
      CHECK_INT(result.outcome, other.outcome);
      if (result.outcome != CR_PATH_SUCCESS) continue;
      double difference = fabs(length_of(mesh, &back, other.end, NULL, path, other.count) - length) / (1.0 + length);
      CHECK(difference <= 1e-12);
      worst = fmax(worst, difference);
      pairs++;
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld pairs, worst difference %.1e\n", (long long)pairs, worst);
  CHECK(pairs > check_scaled(2000));
}

TEST(few_nodes_are_said) {
  static CrPolyRef path[CAPACITY];
  CrNavMesh *mesh = world_scattered(5, 40, 40, 1.0, 0.2, 9, NULL);
  CrNavMeshQuery *best = make_query(mesh, CR_NODE_MODEL_EXACT, CR_QUERY_DEFAULT_NODES);
  int64_t ran_out = 0, arrived = 0;
  for (int32_t nodes = CR_QUERY_MIN_NODES; nodes < 3000; nodes = nodes * 3 / 2) {
    CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, nodes);
    uint64_t seed = 330;
    for (int64_t i = check_scaled(40); i > 0; i--) {
      Pair pair = random_pair(mesh, NULL, &seed);
      CrPathResult whole = find(best, &pair, NULL, path);
      double shortest = length_of(mesh, &pair, whole.end, NULL, path, whole.count);
      CrPathResult result = find(query, &pair, NULL, path);
      CHECK(path[0] == pair.a && result.count >= 1 && result.outcome != CR_PATH_FAILED);
      for (int32_t k = 1; k < result.count; k++) CHECK(cr__connected(mesh, path[k - 1], path[k], NULL));
      double length = length_of(mesh, &pair, result.end, NULL, path, result.count);
      CHECK(result.outcome != whole.outcome || length >= shortest - 1e-9);
      if (!result.out_of_nodes) CHECK(result.outcome == whole.outcome && fabs(length - shortest) <= 1e-9);
      CHECK(result.out_of_nodes || result.outcome == CR_PATH_SUCCESS || whole.outcome != CR_PATH_SUCCESS);
      ran_out += result.out_of_nodes;
      arrived += result.outcome == CR_PATH_SUCCESS;
    }
    cr_query_destroy(query);
  }
  printf("  %lld searches ran out of nodes, %lld arrived\n", (long long)ran_out, (long long)arrived);
  CHECK(ran_out > check_scaled(50) && arrived > check_scaled(50));
  cr_query_destroy(best);
  cr_navmesh_destroy(mesh);
}

static CrPolyRef place_in(const CrNavMeshQuery *query, double x, double z, CrVec3 *out) {
  CrNearestPoly nearest;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(x, 0, z), cr__vec(0.1, 1, 0.1), NULL, &nearest, NULL));
  *out = nearest.point;
  return nearest.ref;
}

TEST(costs_must_be_equal) {
  CrNavMesh *mesh = world_from_map("aab\n...\n", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, 64);
  CrPolyRef path[16];
  CrPathResult result = {.count = 77};
  CrError error;
  Pair pair;
  pair.a = place_in(query, 0.5, 0.5, &pair.start);
  pair.b = place_in(query, 2.5, 1.5, &pair.end);
  CrQueryFilter filter = cr_query_filter_default();
  for (int i = 0; i <= CR_MAX_AREA; i++) filter.area_cost[i] = 3.25;
  CHECK_OK(cr_query_find_path(query, pair.a, pair.start, pair.b, pair.end, &filter, path, 16, &result, NULL));
  CHECK_INT(result.outcome, CR_PATH_SUCCESS);
  filter.area_cost[40] = filter.area_cost[63] = 3.5;
  result.count = 77;
  CHECK_STATUS(cr_query_find_path(query, pair.a, pair.start, pair.b, pair.end, &filter, path, 16, &result, &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "filter.area_cost") == 0 && error.index == 40 && result.count == 77);
  CHECK_INT(cr_query_begin_path(query, pair.a, pair.start, pair.b, pair.end, &filter), CR_PATH_FAILED);
  CHECK_INT(cr_query_update_path(query, 10, NULL), CR_PATH_FAILED);
  CHECK_INT(cr_query_finish_path(query, path, 16).count, 0);
  filter.area_cost[0] = -1.0;
  CHECK_STATUS(cr_query_find_path(query, pair.a, pair.start, pair.b, pair.end, &filter, path, 16, &result, &error),
               CR_STATUS_ARGUMENT);
  CHECK(error.index == 0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(ends_may_be_anywhere) {
  CrNavMesh *mesh = world_from_map(".....\n.###.\n.....\n", 1.0, 2, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, 256);
  CrPolyRef path[32];
  CrVec3 start, end;
  CrPolyRef a = place_in(query, 0.5, 1.5, &start), b = place_in(query, 4.5, 1.5, &end);
  Pair same = {a, a, start, start};
  CrPathResult result = find(query, &same, NULL, path);
  CHECK(result.outcome == CR_PATH_SUCCESS && result.count == 1 && path[0] == a && result.iterations == 0);
  // Off their polygons: as from the nearest points of these.
  Pair off = {a, b, cr__vec(-3.0, 2.0, 1.5), cr__vec(9.0, -5.0, 1.25)};
  result = find(query, &off, NULL, path);
  CHECK(result.outcome == CR_PATH_SUCCESS && path[0] == a && path[result.count - 1] == b);
  CHECK(cr__same_point(result.end, off.end));
  // At the corner of the obstacle, from every polygon about it.
  const double corners[4][2] = {{1, 1}, {4, 1}, {1, 2}, {4, 2}};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      CrVec3 p, q;
      CrPolyRef from = place_in(query, corners[i][0], corners[i][1], &p),
                to = place_in(query, corners[k][0], corners[k][1], &q);
      Pair pair = {from, to, p, q};
      result = find(query, &pair, NULL, path);
      double dx = fabs(p.x - q.x), dz = fabs(p.z - q.z);
      CHECK_INT(result.outcome, CR_PATH_SUCCESS);
      CHECK_NEAR(length_of(mesh, &pair, q, NULL, path, result.count), dx + dz, 1e-12);
    }
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(edits_end_a_search_and_are_seen_by_the_next) {
  CrNavMesh *mesh = world_from_map(".....\n.....\n.....\n", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT, 256);
  CrQueryFilter storage;
  const CrQueryFilter *filter = excluding(&storage);
  CrPolyRef path[32];
  Pair pair;
  pair.a = place_in(query, 0.5, 1.5, &pair.start);
  pair.b = place_in(query, 4.5, 1.5, &pair.end);
  CrPathResult result = find(query, &pair, filter, path);
  CHECK_NEAR(length_of(mesh, &pair, pair.end, filter, path, result.count), 4.0, 1e-12);
  CHECK_INT(cr_query_begin_path(query, pair.a, pair.start, pair.b, pair.end, filter), CR_PATH_IN_PROGRESS);
  CHECK_INT(cr_query_update_path(query, 1, NULL), CR_PATH_IN_PROGRESS);
  CrVec3 p;
  for (int z = 0; z < 2; z++) REQUIRE_OK(cr_navmesh_set_flags(mesh, place_in(query, 2.5, z + 0.5, &p), 2, NULL));
  CHECK_INT(cr_query_update_path(query, 1, NULL), CR_PATH_FAILED);
  CHECK_INT(cr_query_finish_path(query, path, 32).count, 0);
  // Round the corners that the edit made.
  result = find(query, &pair, filter, path);
  double around = 1.0 + 2.0 * cr__sqrt(1.5 * 1.5 + 0.5 * 0.5);
  CHECK_NEAR(length_of(mesh, &pair, pair.end, filter, path, result.count), around, 1e-12);
  CHECK_INT(find(query, &pair, NULL, path).count, 5);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(failed_allocations_are_reported_and_searches_make_none) {
  CrNavMesh *mesh = world_scattered(6, 20, 20, 1.0, 0.3, 5, NULL);
  static CrPolyRef path[CAPACITY];
  CrQueryOptions options = {512, CR_NODE_MODEL_EXACT, false};
  int64_t k = 1;
  for (;; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrNavMeshQuery *query = NULL;
    CrStatus status = cr_query_create(mesh, &options, &allocator, &query, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    int64_t made = memory.total_allocations;
    uint64_t seed = 340;
    for (int i = 0; status == CR_STATUS_OK && i < 20; i++) {
      Pair pair = random_pair(mesh, NULL, &seed);
      find(query, &pair, NULL, path);
    }
    CHECK_INT(memory.total_allocations, made);
    cr_query_destroy(query);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
    if (status == CR_STATUS_OK) break;
  }
  CHECK(k > 8);
  cr_navmesh_destroy(mesh);
}

// What is remembered of walls from search to search never shows: a query that has answered many answers as a new one does.
TEST(old_queries_answer_as_new_ones) {
  static CrPolyRef old_path[CAPACITY], new_path[CAPACITY];
  CrNavMesh *mesh = world_warped(7, 3, 7, 1.0, 0.2, 0.2, 0.0);
  CrNavMeshQuery *old_query = make_query(mesh, CR_NODE_MODEL_EXACT, 2048);
  CrQueryFilter storage;
  uint64_t seed = 350;
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  for (int64_t i = 0; i < check_scaled(300); i++) {
    const CrQueryFilter *filter = rnd_int(&seed, 2) ? excluding(&storage) : NULL;
    if (rnd_int(&seed, 4) == 0) {
      CrPolyRef ref = all[rnd_int(&seed, (int32_t)count)];
      REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, (uint16_t)(1 + rnd_int(&seed, 2)), NULL));
    }
    Pair pair = random_pair(mesh, filter, &seed);
    CrNavMeshQuery *new_query = make_query(mesh, CR_NODE_MODEL_EXACT, 2048);
    CrPathResult expected = find(new_query, &pair, filter, new_path), result = find(old_query, &pair, filter, old_path);
    CHECK(result.outcome == expected.outcome && result.count == expected.count &&
          result.iterations == expected.iterations);
    CHECK(memcmp(old_path, new_path, (size_t)result.count * sizeof *old_path) == 0);
    cr_query_destroy(new_query);
  }
  free(all);
  cr_query_destroy(old_query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(slices_do_not_matter), RUN(an_end_out_of_reach_gives_the_nearest_point),
          RUN(lengths_are_the_same_both_ways), RUN(few_nodes_are_said), RUN(costs_must_be_equal),
          RUN(ends_may_be_anywhere), RUN(edits_end_a_search_and_are_seen_by_the_next),
          RUN(failed_allocations_are_reported_and_searches_make_none), RUN(old_queries_answer_as_new_ones))
