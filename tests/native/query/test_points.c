// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Nearest polygon against brute force over all polygons, closest points, heights.
#include "hard_worlds.h"
#include "query_internal.h"

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {4096, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// --- Nearest polygon --------------------------------------------------------------------------------------------------------

// Whether the interval of the dot product of `axis` over the triangle overlaps that over the box (half extents h, at the origin).
static bool overlap_on(const double axis[3], double t[3][3], const double h[3]) {
  double low = INFINITY, high = -INFINITY, reach = 0.0;
  for (int i = 0; i < 3; i++) {
    double d = axis[0] * t[i][0] + axis[1] * t[i][1] + axis[2] * t[i][2];
    low = fmin(low, d);
    high = fmax(high, d);
    reach += h[i] * fabs(axis[i]);
  }
  return low <= reach && high >= -reach;
}

// Separating axes: the box's, the triangle's normal, and the cross products of their edges.
static bool triangle_overlaps(const CrVec3 v[3], CrVec3 c, CrVec3 half) {
  double t[3][3], h[3] = {half.x, half.y, half.z}, e[3][3];
  for (int i = 0; i < 3; i++) {
    CrVec3 p = cr__sub(v[i], c);
    t[i][0] = p.x, t[i][1] = p.y, t[i][2] = p.z;
  }
  for (int i = 0; i < 3; i++) {
    double unit[3] = {i == 0, i == 1, i == 2};
    for (int k = 0; k < 3; k++) e[i][k] = t[(i + 1) % 3][k] - t[i][k];
    if (!overlap_on(unit, t, h)) return false;
  }
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 3; j++) {
      const double unit[3] = {j == 0, j == 1, j == 2}, *a = i < 3 ? e[i] : e[0], *b = i < 3 ? unit : e[1];
      double axis[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
      if (!overlap_on(axis, t, h)) return false;
    }
  }
  return true;
}

static bool surface_overlaps(const CrTile *tile, uint32_t polygon, CrVec3 c, CrVec3 half) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    CrVec3 v[3];
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t index = tile->detail_triangles[3 * i + k];
      v[k] = index < count ? cr__polygon_vertex(tile, polygon, index)
                           : tile->detail_vertices[tile->detail_first_vertex[polygon] + index - count];
    }
    if (triangle_overlaps(v, c, half)) return true;
  }
  return false;
}

static CrNearestPoly brute_nearest(const CrNavMesh *mesh, CrVec3 point, CrVec3 half, const CrQueryFilter *filter) {
  CrNearestPoly best = {0, {0, 0, 0}, false};
  double best_distance = INFINITY, climb = cr_navmesh_params(mesh).climb;
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, all[i]);
    uint32_t polygon = cr__ref_polygon(all[i]);
    uint16_t flags = tile->flags[polygon];
    if (filter && (!(flags & filter->include_flags) || (flags & filter->exclude_flags))) continue;
    if (!surface_overlaps(tile, polygon, point, half)) continue;
    bool over;
    CrVec3 closest;
    CHECK_OK(cr_query_closest_point(mesh, all[i], point, &closest, &over));
    double distance = cr__dist(closest, point);
    if (over) distance = fmax(0.0, fabs(closest.y - point.y) - climb);
    if (distance > best_distance || (distance == best_distance && all[i] > best.ref)) continue;
    best = (CrNearestPoly){all[i], closest, over};
    best_distance = distance;
  }
  free(all);
  return best;
}

static CrNavMesh *any_world(int number) { return number < 30 ? world_number(number) : hard_world(number - 30); }

// Whether the answer may be either way: with a box a little smaller, and a little larger, brute force finds different things.
static bool unclear(const CrNavMesh *mesh, CrVec3 point, CrVec3 half, const CrQueryFilter *filter) {
  double e = 1e-8 + 0.1 * world_slack(mesh), less = 1e-8 - fmin(5e-9, 0.1 * world_slack(mesh));
  CrNearestPoly large = brute_nearest(mesh, point, cr__add(half, cr__vec(e, e, e)), filter);
  CrNearestPoly small = brute_nearest(mesh, point, cr__add(half, cr__vec(less, less, less)), filter);
  return large.ref != small.ref;
}

typedef struct Tally {
  int64_t found, none, unclear;
} Tally;

static CrVec3 asked_point(const CrNavMesh *mesh, int64_t i, double size, uint64_t *seed) {
  CrPolyRef ref;
  CrPolygonInfo info;
  CrVec3 point = world_random_point(mesh, seed, &ref);
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  if (i % 2) {
    point.x = cr__clamp(point.x + rnd_range(seed, -4, 4) * size, -2097151, 2097151);
    point.y += rnd_range(seed, -3, 3) * size;
    point.z = cr__clamp(point.z + rnd_range(seed, -4, 4) * size, -2097151, 2097151);
  } else if (i % 4) {
    uint32_t k = (uint32_t)rnd_int(seed, (int32_t)info.vertex_count), next = (k + 1) % info.vertex_count;
    point = rnd_int(seed, 2) ? info.vertices[k] : cr__lerp(info.vertices[k], info.vertices[next], rnd_unit(seed));
  }
  return point;
}

static void compare_nearest(const CrNavMeshQuery *query, CrVec3 point, CrVec3 half, const CrQueryFilter *filter,
                            Tally *tally) {
  const CrNavMesh *mesh = cr_query_mesh(query);
  CrNearestPoly expected = brute_nearest(mesh, point, cr__add(half, cr__vec(1e-8, 1e-8, 1e-8)), filter);
  CrNearestPoly actual = {77, {0, 0, 0}, true};
  CrStatus status = cr_query_nearest_poly(query, point, half, filter, &actual, NULL);
  if (actual.ref != expected.ref && unclear(mesh, point, half, filter)) {
    tally->unclear++;
    return;
  }
  CHECK_INT(status, expected.ref ? CR_STATUS_OK : CR_STATUS_NOT_FOUND);
  CHECK(actual.ref == expected.ref);
  if (!expected.ref) {
    tally->none++;
    return;
  }
  tally->found++;
  CHECK(cr__same_point(actual.point, expected.point) && actual.over == expected.over);
}

TEST(nearest_is_what_brute_force_finds) {
  Tally tally = {0};
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = any_world(number);
    CrNavMeshQuery *query = make_query(mesh);
    CrVec3 low, high;
    REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
    double size = number < 30 ? 1.0 : fmin(high.x - low.x, high.z - low.z) / 20;
    uint64_t seed = 100 + (uint64_t)number;
    for (int64_t i = check_scaled(400); i > 0; i--) {
      check_seed = seed;
      CrVec3 point = asked_point(mesh, i, size, &seed), half;
      half = cr__scale(rnd_point(&seed, cr__vec(0, 0, 0), cr__vec(3, 3, 3)), size);
      if (i % 7 == 0) half = cr__vec(1e6, 1e6, 1e6);
      if (i % 7 == 1) half = cr__vec(0, rnd_range(&seed, 0, 1), 0);
      if (i % 7 == 2) half = cr__vec(0, 0, 0);
      compare_nearest(query, point, half, filter, &tally);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld found, %lld with nothing near, %lld with a box that only just touches\n", (long long)tally.found,
         (long long)tally.none, (long long)tally.unclear);
  CHECK(tally.found + tally.none < 1000 || (tally.found > check_scaled(8000) && tally.none > check_scaled(2000)));
  CHECK(tally.unclear * 1000 <= tally.found + tally.none);
}

// --- Closest points and heights -------------------------------------------------------------------------------------------

// The height of the first triangle that holds (x, z) with a margin, by solving for the weights of its corners; NAN if none does.
static double plain_height(const CrTile *tile, uint32_t polygon, double x, double z, double margin) {
  for (uint32_t i = tile->detail_first_triangle[polygon]; i < tile->detail_first_triangle[polygon + 1]; i++) {
    CrVec3 t[3];
    cr__triangle_corners(tile, polygon, i, t);
    double ux = t[1].x - t[0].x, uz = t[1].z - t[0].z, vx = t[2].x - t[0].x, vz = t[2].z - t[0].z;
    double det = ux * vz - uz * vx, px = x - t[0].x, pz = z - t[0].z;
    if (det == 0.0) continue;
    double u = (px * vz - pz * vx) / det, v = (ux * pz - uz * px) / det;
    if (u < margin || v < margin || u + v > 1.0 - margin) continue;
    return (1.0 - u - v) * t[0].y + u * t[1].y + v * t[2].y;
  }
  return NAN;
}

static double outline_distance(const CrTile *tile, uint32_t polygon, CrVec3 p) {
  double least = INFINITY;
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    double dx = b.x - a.x, dz = b.z - a.z, length = hypot(dx, dz);
    double along = fmin(fmax(((p.x - a.x) * dx + (p.z - a.z) * dz) / length, 0.0), length);
    least = fmin(least, hypot(a.x + dx / length * along - p.x, a.z + dz / length * along - p.z));
  }
  return least;
}

// By crossing number, not by sides of edges.
static bool outline_holds(const CrTile *tile, uint32_t polygon, CrVec3 p) {
  bool inside = false;
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    if ((a.z > p.z) == (b.z > p.z)) continue;
    if (p.x < a.x + (b.x - a.x) * (p.z - a.z) / (b.z - a.z)) inside = !inside;
  }
  return inside;
}

// With a tolerance and without at once, or one after the other.
static void check_holding(const CrTile *tile, uint32_t polygon, CrVec3 p) {
  static const double tolerances[] = {0.0, 1e-12, 1e-7, 0.1};
  bool over = cr__polygon_holds(tile, polygon, p.x, p.z, 0.0);
  for (int k = 0; k < 4; k++) {
    bool nearly = cr__polygon_holds(tile, polygon, p.x, p.z, tolerances[k]);
    CrHolding expected = over ? CR_HOLDS : nearly ? CR_HOLDS_NEARLY : CR_HOLDS_NOT;
    CHECK_INT(cr__polygon_holding(tile, polygon, p.x, p.z, tolerances[k]), expected);
  }
}

TEST(closest_points_and_heights_are_what_brute_force_finds) {
  int64_t inside = 0, outside = 0, heights = 0, steep = 0;
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrNavMesh *mesh = any_world(number);
    double slack = world_slack(mesh), y;
    CrVec3 low, high;
    REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
    double size = fmin(high.x - low.x, high.z - low.z) / 40;
    uint64_t seed = 1300 + (uint64_t)number;
    for (int64_t i = check_scaled(100000) / (30 + HARD_WORLDS); i > 0; i--) {
      check_seed = seed;
      CrPolyRef ref;
      world_random_point(mesh, &seed, &ref);
      CrVec3 p = asked_point(mesh, i, size, &seed), closest;
      if (rnd_int(&seed, 2)) p = world_random_point(mesh, &seed, &ref);
      const CrTile *tile = cr__resolve(mesh, ref);
      uint32_t polygon = cr__ref_polygon(ref);
      bool over;
      CHECK_OK(cr_query_closest_point(mesh, ref, p, &closest, &over));
      double distance = outline_distance(tile, polygon, p);
      bool held = outline_holds(tile, polygon, p);
      if (distance > slack) CHECK_INT(over, held);
      check_holding(tile, polygon, p);
      check_holding(tile, polygon, closest);
      if (over) CHECK(closest.x == p.x && closest.z == p.z);
      if (!over) CHECK_NEAR(cr__dist_xz(closest, p), distance, slack + 1e-12 * distance);
      CHECK(held || distance <= slack || !over);
      CHECK_NEAR(outline_distance(tile, polygon, closest) * !over, 0.0, slack);
      inside += over;
      outside += !over;
      // Height: defined just where the outline holds the point within the tolerance.
      CrStatus status = cr_query_height(mesh, ref, p.x, p.z, &y);
      if (held || distance < 1e-8 - fmin(slack, 5e-9)) CHECK_OK(status);
      if (!held && distance > 1e-8 + slack) CHECK_INT(status, CR_STATUS_NOT_FOUND);
      CHECK_OK(cr_query_height(mesh, ref, closest.x, closest.z, &y));
      CHECK(y == closest.y);
      double plain = plain_height(tile, polygon, closest.x, closest.z, 1e-6);
      if (isnan(plain)) continue;
      CHECK_NEAR(y, plain, slack * 10 + 1e-9 * fabs(plain));
      heights++;
      steep += y != cr__polygon_vertex(tile, polygon, 0).y;
    }
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld points over their polygon, %lld beside it; %lld heights, %lld of them on slopes\n", (long long)inside,
         (long long)outside, (long long)heights, (long long)steep);
  CHECK(inside > check_scaled(20000) && outside > check_scaled(20000) && heights > check_scaled(20000));
}

TEST(no_extents_still_find_the_surface) {
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrNavMesh *mesh = any_world(number);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 130 + (uint64_t)number;
    for (int i = 0; i < 300; i++) {
      check_seed = seed;
      CrNearestPoly random, nearest;
      CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
      CHECK_OK(cr_query_nearest_poly(query, random.point, cr__vec(0, 0, 0), NULL, &nearest, NULL));
      CHECK(cr__dist(nearest.point, random.point) < 1e-8 + 10 * world_slack(mesh));
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
}

TEST(point_arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrNearestPoly nearest;
  CrError error;
  CrVec3 p = {0.5, 0, 0.5}, one = {1, 1, 1};
  CHECK_STATUS(cr_query_nearest_poly(query, cr__vec(NAN, 0, 0), one, NULL, &nearest, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "point") == 0);
  CHECK_STATUS(cr_query_nearest_poly(query, p, cr__vec(1, -1, 1), NULL, &nearest, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "extents") == 0);
  CHECK_STATUS(cr_query_nearest_poly(query, p, cr__vec(1, INFINITY, 1), NULL, &nearest, &error), CR_STATUS_ARGUMENT);
  CHECK_OK(cr_query_nearest_poly(query, p, cr__vec(0, 0, 0), NULL, &nearest, &error));
  CrVec3 out;
  bool over;
  double y;
  CHECK_OK(cr_query_closest_point(mesh, nearest.ref, cr__vec(-1, 5, 0.25), &out, &over));
  CHECK(!over && cr__same_point(out, cr__vec(0, 0, 0.25)));
  CHECK_OK(cr_query_closest_point(mesh, nearest.ref, cr__vec(0.25, 5, 0.25), &out, &over));
  CHECK(over && cr__same_point(out, cr__vec(0.25, 0, 0.25)));
  CHECK_STATUS(cr_query_closest_point(mesh, 0, p, &out, &over), CR_STATUS_STALE_REF);
  CHECK_STATUS(cr_query_height(mesh, 0, 0, 0, &y), CR_STATUS_STALE_REF);
  CHECK_STATUS(cr_query_height(mesh, nearest.ref, 1.5, 0.5, &y), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_query_height(mesh, nearest.ref, NAN, 0.5, &y), CR_STATUS_ARGUMENT);
  CHECK_OK(cr_query_height(mesh, nearest.ref, 1.0, 1.0, &y));
  CHECK(y == 0.0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(nearest_is_what_brute_force_finds), RUN(closest_points_and_heights_are_what_brute_force_finds),
          RUN(no_extents_still_find_the_surface), RUN(point_arguments_are_checked))
