// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A path that cannot reach its target ends at the reachable point nearest to it in space, found here by brute force over all
// triangles of all polygons that the start reaches; on slopes too, and with targets above and below their polygon.
#include "hard_worlds.h"
#include "query_internal.h"

#define PATH_CAPACITY 8192

// Every polygon reached over ways, in any order.
static uint32_t flood(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef start, CrPolyRef *out) {
  static CrRefTable met;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  uint32_t count = 0;
  REQUIRE(cr__table_init(&met, cr_navmesh_polygon_count(mesh) + 1, &hooks));
  cr__table_clear(&met);
  *cr__table_slot(&met, start) = (CrRefSlot){start, met.epoch, 0};
  out[count++] = start;
  for (uint32_t i = 0; i < count; i++) {
    CrWayList ways = cr__ways(mesh, cr__resolve(mesh, out[i]), cr__ref_polygon(out[i]), filter);
    for (CrWay way; cr__next_way(&ways, &way);) {
      CrRefSlot *slot = cr__table_slot(&met, way.target);
      if (slot->epoch == met.epoch) continue;
      *slot = (CrRefSlot){way.target, met.epoch, 0};
      out[count++] = way.target;
    }
  }
  cr__table_deinit(&met, &hooks);
  return count;
}

static double segment_distance(CrVec3 a, CrVec3 b, CrVec3 p) {
  CrVec3 d = cr__sub(b, a), q = cr__sub(p, a);
  double length2 = d.x * d.x + d.y * d.y + d.z * d.z;
  double t = length2 > 0.0 ? (q.x * d.x + q.y * d.y + q.z * d.z) / length2 : 0.0;
  return cr__dist(cr__lerp(a, b, cr__clamp(t, 0.0, 1.0)), p);
}

static CrVec3 normal_of(const CrVec3 t[3]) {
  CrVec3 a = cr__sub(t[1], t[0]), b = cr__sub(t[2], t[0]);
  return cr__vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Its three sides, and its plane where the foot of the perpendicular lies within them.
static double triangle_distance(const CrVec3 t[3], CrVec3 p) {
  double least = INFINITY;
  for (int k = 0; k < 3; k++) least = fmin(least, segment_distance(t[k], t[(k + 1) % 3], p));
  CrVec3 n = normal_of(t);
  double n2 = n.x * n.x + n.y * n.y + n.z * n.z;
  if (!(n2 > 0.0)) return least;
  CrVec3 q = cr__sub(p, t[0]);
  double height = (q.x * n.x + q.y * n.y + q.z * n.z) / sqrt(n2);
  CrVec3 foot = cr__sub(p, cr__scale(n, height / sqrt(n2)));
  for (int k = 0; k < 3; k++) {
    CrVec3 side[3] = {t[k], t[(k + 1) % 3], foot}, m = normal_of(side);
    if (m.x * n.x + m.y * n.y + m.z * n.z < 0.0) return least;
  }
  return fmin(least, fabs(height));
}

static double brute_distance(const CrNavMesh *mesh, const CrPolyRef *refs, uint32_t count, CrVec3 p) {
  double least = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, refs[i]);
    uint32_t polygon = cr__ref_polygon(refs[i]);
    for (uint32_t k = tile->detail_first_triangle[polygon]; k < tile->detail_first_triangle[polygon + 1]; k++) {
      CrVec3 t[3];
      cr__triangle_corners(tile, polygon, k, t);
      least = fmin(least, triangle_distance(t, p));
    }
  }
  return least;
}

typedef struct Tally {
  int64_t partial, complete, failed, off, nearer;
  double worst, most_gained;
} Tally;

static bool is_reached(const CrPolyRef *refs, uint32_t count, CrPolyRef ref) {
  for (uint32_t i = 0; i < count; i++) {
    if (refs[i] == ref) return true;
  }
  return false;
}

// What the distance would be if of each polygon only the horizontally closest point counted.
static double flat_distance(const CrNavMesh *mesh, const CrPolyRef *refs, uint32_t count, CrVec3 p) {
  double least = INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    least =
        fmin(least, cr__dist(cr__polygon_closest(cr__resolve(mesh, refs[i]), cr__ref_polygon(refs[i]), p, NULL), p));
  }
  return least;
}

static void check_pair(CrNavMeshQuery *query, const CrQueryFilter *filter, CrPolyRef start_ref, CrVec3 start,
                       CrPolyRef end_ref, CrVec3 end, Tally *tally) {
  static CrPolyRef path[PATH_CAPACITY], reached[1 << 17];
  static CrCorner corners[PATH_CAPACITY];
  const CrNavMesh *mesh = cr_query_mesh(query);
  CrPathResult result;
  CHECK_OK(cr_query_find_path(query, start_ref, start, end_ref, end, filter, path, PATH_CAPACITY, &result, NULL));
  REQUIRE(!result.truncated && !result.out_of_nodes);
  uint32_t count = flood(mesh, filter, start_ref, reached);
  bool reachable = is_reached(reached, count, end_ref);
  CHECK_INT(result.outcome, reachable ? CR_PATH_SUCCESS : CR_PATH_PARTIAL);
  CHECK(result.count >= 1 && path[0] == start_ref);
  tally->complete += reachable;
  if (reachable) {
    CHECK(cr__same_point(result.end, end) && path[result.count - 1] == end_ref);
    return;
  }
  tally->partial++;
  CrPolyRef last = path[result.count - 1];
  double best = brute_distance(mesh, reached, count, end), found = cr__dist(result.end, end), y;
  double flat = flat_distance(mesh, reached, count, end);
  CHECK(is_reached(reached, count, last));
  CHECK_NEAR(found, best, world_slack(mesh) * 4 + 1e-9 * best);
  tally->worst = fmax(tally->worst, fabs(found - best));
  tally->nearer += found < flat * (1.0 - 1e-6);
  tally->most_gained = fmax(tally->most_gained, flat - found);
  CHECK_OK(cr_query_height(mesh, last, result.end.x, result.end.z, &y));
  CHECK(y == result.end.y);
  // The route can be walked to that point.
  int32_t written;
  CHECK_INT(
      cr_query_straight_path(mesh, start, result.end, path, result.count, filter, corners, PATH_CAPACITY, &written),
      CR_STRAIGHT_OK);
  CHECK(cr__near_xz(corners[written - 1].point, result.end, 1e-8));
}

static CrNavMesh *partial_world(int number) {
  if (number < 30) return world_number(number);
  if (number < 30 + HARD_WORLDS) return hard_world(number - 30);
  // Steep islands.
  return world_warped(600 + (uint64_t)number, 3, 5, 1.0, 0.42, 0.5 * (number - 28 - HARD_WORLDS), 0.0);
}

static void compare_model(CrNodeModel model, bool hierarchical) {
  Tally tally = {0};
  for (int number = 0; number < 34 + HARD_WORLDS; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = number < 30 ? filter_number(number / 2, &storage) : NULL;
    // The exact search is for uniform costs.
    if (filter && model == CR_NODE_MODEL_EXACT) {
      for (int area = 0; area <= CR_MAX_AREA; area++) storage.area_cost[area] = 1.0;
    }
    CrNavMesh *mesh = partial_world(number);
    CrQueryOptions options = {CR_QUERY_MAX_NODES / 8, model, hierarchical};
    CrNavMeshQuery *query = NULL;
    REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
    uint64_t seed = 4100 + (uint64_t)number;
    for (int64_t i = check_scaled(60); i > 0; i--) {
      CrPolyRef start_ref, end_ref;
      CrVec3 start, end;
      check_seed = seed;
      if (!random_place(mesh, filter, &seed, &start_ref, &start)) continue;
      if (!random_place(mesh, filter, &seed, &end_ref, &end)) continue;
      CrVec3 low, high;
      REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
      double reach = 0.2 * fmin(high.x - low.x, high.z - low.z);
      // Half of the targets above or below the mesh, some beside their polygon.
      if (i % 2) end.y += rnd_range(&seed, -reach, reach), tally.off++;
      if (i % 4 == 3) end.x += rnd_range(&seed, -reach, reach), end.z += rnd_range(&seed, -reach, reach);
      end.x = cr__clamp(end.x, -2097151, 2097151), end.z = cr__clamp(end.z, -2097151, 2097151);
      check_pair(query, filter, start_ref, start, end_ref, end, &tally);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld partial (%lld of them nearer than any polygon's closest point, by up to %.3g), %lld complete; distance "
      "off by"
      " at most %.2g\n",
      (long long)tally.partial, (long long)tally.nearer, tally.most_gained, (long long)tally.complete, tally.worst);
  CHECK(tally.partial > check_scaled(200) && tally.nearer > check_scaled(20));
}

TEST(polygon_nodes_end_at_the_nearest_reachable_point) { compare_model(CR_NODE_MODEL_POLYGON, false); }
TEST(crossing_nodes_end_at_the_nearest_reachable_point) { compare_model(CR_NODE_MODEL_CROSSING, false); }
TEST(exact_searches_end_at_the_nearest_reachable_point) { compare_model(CR_NODE_MODEL_EXACT, false); }
TEST(hierarchical_searches_end_at_the_nearest_reachable_point) { compare_model(CR_NODE_MODEL_CROSSING, true); }

TEST_MAIN(RUN(polygon_nodes_end_at_the_nearest_reachable_point), RUN(crossing_nodes_end_at_the_nearest_reachable_point),
          RUN(exact_searches_end_at_the_nearest_reachable_point),
          RUN(hierarchical_searches_end_at_the_nearest_reachable_point))
