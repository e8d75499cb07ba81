// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Nearest polygon against brute force over all polygons, closest points, heights.
#include "query_internal.h"
#include "query_worlds.h"

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

TEST(nearest_is_what_brute_force_finds) {
  int64_t found = 0, none = 0;
  for (int number = 0; number < 30; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 100 + (uint64_t)number;
    for (int64_t i = check_scaled(700); i > 0; i--) {
      check_seed = seed;
      CrPolyRef ref;
      CrVec3 point = world_random_point(mesh, &seed, &ref), half;
      if (i % 2) {
        point.x += rnd_range(&seed, -4, 4);
        point.y += rnd_range(&seed, -3, 3);
        point.z += rnd_range(&seed, -4, 4);
      } else if (i % 4) {
        CrPolygonInfo info;
        REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
        point = info.vertices[rnd_int(&seed, (int32_t)info.vertex_count)];
      }
      half = cr__vec(rnd_range(&seed, 0, 3), rnd_range(&seed, 0, 3), rnd_range(&seed, 0, 3));
      if (i % 7 == 0) half = cr__vec(1e6, 1e6, 1e6);
      if (i % 7 == 1) half = cr__vec(0, rnd_range(&seed, 0, 1), 0);
      CrVec3 grown = cr__add(half, cr__vec(1e-8, 1e-8, 1e-8));
      CrNearestPoly expected = brute_nearest(mesh, point, grown, filter), actual = {77, {0, 0, 0}, true};
      CrStatus status = cr_query_nearest_poly(query, point, half, filter, &actual, NULL);
      CHECK_INT(status, expected.ref ? CR_STATUS_OK : CR_STATUS_NOT_FOUND);
      CHECK(actual.ref == expected.ref);
      if (!expected.ref) {
        none++;
        continue;
      }
      found++;
      CHECK(cr__same_point(actual.point, expected.point) && actual.over == expected.over);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld found, %lld with nothing near\n", (long long)found, (long long)none);
  CHECK(found > check_scaled(5000) && none > check_scaled(1000));
}

TEST(no_extents_still_find_the_surface) {
  for (int number = 0; number < 30; number++) {
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 130 + (uint64_t)number;
    for (int i = 0; i < 300; i++) {
      check_seed = seed;
      CrNearestPoly random, nearest;
      CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
      CHECK_OK(cr_query_nearest_poly(query, random.point, cr__vec(0, 0, 0), NULL, &nearest, NULL));
      CHECK(cr__dist(nearest.point, random.point) < 1e-8);
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

TEST_MAIN(RUN(nearest_is_what_brute_force_finds), RUN(no_extents_still_find_the_surface),
          RUN(point_arguments_are_checked))
