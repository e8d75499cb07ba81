// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Nearest polygon against brute force over all polygons, closest points, heights, random points.
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

// --- Random points ----------------------------------------------------------------------------------------------------------

static double area_of(const CrNavMesh *mesh, CrPolyRef ref) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  double area = 0.0;
  for (uint32_t k = 0; k < info.vertex_count; k++) {
    CrVec3 a = info.vertices[k], b = info.vertices[(k + 1) % info.vertex_count];
    area += 0.5 * (a.x * b.z - b.x * a.z);
  }
  return area;
}

// Chi-squared in units of its standard deviation around its mean, for `bins` expected and counted.
static double deviation(const double *expected, const int64_t *counted, uint32_t bins) {
  double chi = 0.0;
  uint32_t degrees = 0;
  for (uint32_t i = 0; i < bins; i++) {
    if (expected[i] <= 0.0) {
      CHECK_INT(counted[i], 0);
      continue;
    }
    chi += (counted[i] - expected[i]) * (counted[i] - expected[i]) / expected[i];
    degrees++;
  }
  degrees--;
  return (chi - degrees) / sqrt(2.0 * degrees);
}

TEST(random_points_are_uniform_over_polygons) {
  CrNavMesh *mesh = world_warped(9, 2, 5, 1.0, 0.2, 0.2, 0.0);
  CrNavMeshQuery *query = make_query(mesh);
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  for (uint32_t i = 0; i < count; i += 3) REQUIRE_OK(cr_navmesh_set_flags(mesh, all[i], 2, NULL));
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 2;
  int64_t draws = check_scaled(100000), *counted = calloc(count, sizeof *counted);
  double *expected = calloc(count, sizeof *expected), whole = 0.0;
  for (uint32_t i = 0; i < count; i++) whole += i % 3 ? area_of(mesh, all[i]) : 0.0;
  for (uint32_t i = 0; i < count; i++) expected[i] = i % 3 ? (double)draws * area_of(mesh, all[i]) / whole : 0.0;
  uint64_t seed = 5;
  for (int64_t i = 0; i < draws; i++) {
    CrNearestPoly random;
    CHECK_OK(cr_query_random_point(query, &filter, &seed, &random));
    const CrTile *tile = cr__resolve(mesh, random.ref);
    CHECK(cr__polygon_holds(tile, cr__ref_polygon(random.ref), random.point.x, random.point.z, 1e-12));
    uint32_t p = 0;
    while (all[p] != random.ref) p++;
    counted[p]++;
  }
  double off = deviation(expected, counted, count);
  printf("  %lld points over %u polygons: chi-squared %.2f standard deviations from its mean\n", (long long)draws,
         count, off);
  CHECK(off < 4.0 && off > -4.0);
  free(counted);
  free(expected);
  free(all);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(random_points_are_uniform_inside_a_polygon) {
  // One hexagon; bins are the cells of a grid over it, expected by fine sampling of their overlap.
  static const double vertices[] = {2, 0, 0, 4, 0, 0.5, 5, 0, 3, 3.5, 0, 5, 1, 0, 4, 0, 0, 2};
  static const uint8_t counts[] = {6};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
  CrNavMeshParams params = {.tile_size = 8, .climb = 0.5};
  CrTileDescription tile = {.vertex_count = 6,
                            .polygon_count = 1,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners};
  CrNavMesh *mesh = NULL;
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  CrNavMeshQuery *query = make_query(mesh);
  const CrTile *made = &mesh->tiles[0];
  double expected[100] = {0}, inside = 0.0;
  int64_t counted[100] = {0}, draws = check_scaled(200000);
  for (int i = 0; i < 1000000; i++) {
    double x = (i % 1000 + 0.5) * 0.005, z = (i / 1000 + 0.5) * 0.005;
    if (!cr__polygon_holds(made, 0, x, z, 0.0)) continue;
    expected[(int)(z * 2) * 10 + (int)(x * 2)] += 1.0;
    inside += 1.0;
  }
  for (int i = 0; i < 100; i++) expected[i] *= (double)draws / inside;
  uint64_t seed = 6;
  for (int64_t i = 0; i < draws; i++) {
    CrNearestPoly random;
    CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
    int bin = (int)fmin(9, random.point.z * 2) * 10 + (int)fmin(9, random.point.x * 2);
    if (expected[bin] < 20.0) continue;  // slivers of cells: too coarsely known
    counted[bin]++;
  }
  for (int i = 0; i < 100; i++) expected[i] = expected[i] < 20.0 ? 0.0 : expected[i];
  double off = deviation(expected, counted, 100);
  printf("  %lld points in a hexagon: chi-squared %.2f standard deviations from its mean\n", (long long)draws, off);
  CHECK(off < 4.0 && off > -4.0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(random_points_are_the_callers_sequence) {
  CrNavMesh *mesh = world_number(7);
  CrNavMeshQuery *query = make_query(mesh), *other = make_query(mesh);
  uint64_t seed = 1, same = 1, hash = 0;
  for (int i = 0; i < 1000; i++) {
    CrNearestPoly a, b;
    CHECK_OK(cr_query_random_point(query, NULL, &seed, &a));
    CHECK_OK(cr_query_random_point(other, NULL, &same, &b));
    CHECK(a.ref == b.ref && cr__same_point(a.point, b.point) && seed == same);
    hash = hash * 31 + cr__bits(a.point.x);
  }
  CHECK(hash != 0);
  CrQueryFilter nothing = cr_query_filter_default();
  nothing.include_flags = 0;
  CrNearestPoly none = {.ref = 77};
  uint64_t before = seed;
  CHECK_STATUS(cr_query_random_point(query, &nothing, &seed, &none), CR_STATUS_NOT_FOUND);
  CHECK(none.ref == 77 && seed != before);
  cr_query_destroy(query);
  cr_query_destroy(other);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(nearest_is_what_brute_force_finds), RUN(no_extents_still_find_the_surface),
          RUN(point_arguments_are_checked), RUN(random_points_are_uniform_over_polygons),
          RUN(random_points_are_uniform_inside_a_polygon), RUN(random_points_are_the_callers_sequence))
