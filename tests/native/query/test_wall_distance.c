// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Distance to the nearest wall against brute force over all polygons and all their wall pieces, and against find_walls at the radius
// where it meets its first wall: the same piece, bit for bit. Points, normals, far radii, arguments.
#include "around_truth.h"

#define MOST 8192

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// Least over all ways from the start of the greatest distance of a portal: by relaxing all portals.
static void truth_widths(Truth *truth, const CrQueryFilter *filter, uint32_t start, CrVec3 center) {
  for (uint32_t i = 0; i < truth->count; i++) truth->cost[i] = i == start ? 0 : INFINITY;
  for (bool fell = true; fell;) {
    fell = false;
    for (uint32_t i = 0; i < truth->portal_count; i++) {
      const TruthPortal *portal = &truth->portals[i];
      if (truth->cost[portal->from] == INFINITY || !truth_accepts(truth, filter, portal->to)) continue;
      double width = fmax(truth->cost[portal->from], truth_distance(portal->a, portal->b, center));
      if (width < truth->cost[portal->to]) {
        truth->cost[portal->to] = width;
        fell = true;
      }
    }
  }
}

typedef struct Expected {
  double radius;    // at which the first wall is met
  double distance;  // of the nearest piece met there
} Expected;

// Two passes over all pieces of all polygons reached at all: the radius, then the nearest within it.
static Expected truth_nearest_wall(Truth *truth, const CrQueryFilter *filter, CrVec3 center) {
  Expected expected = {INFINITY, INFINITY};
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < truth->count; i++) {
      if (truth->cost[i] == INFINITY) continue;
      CrPolygonInfo info;
      REQUIRE_OK(cr_navmesh_polygon(truth->mesh, truth->refs[i], &info));
      for (uint32_t edge = 0; edge < info.vertex_count; edge++) {
        CrVec3 a, b;
        for (uint8_t part = 0;
             cr_query_wall_piece(truth->mesh, filter, truth->refs[i], (uint8_t)edge, part, &a, &b) == CR_STATUS_OK;
             part++) {
          double distance = truth_distance(a, b, center);
          if (pass == 0) expected.radius = fmin(expected.radius, fmax(distance, truth->cost[i]));
          if (pass == 1 && truth->cost[i] <= expected.radius + 1e-9)
            expected.distance = fmin(expected.distance, distance);
        }
      }
    }
  }
  return expected;
}

static bool same_piece(const CrWallPiece *a, const CrWallPiece *b) {
  return a->ref == b->ref && a->edge == b->edge && a->part == b->part &&
         cr__bits(a->distance) == cr__bits(b->distance) && cr__same_point(a->a, b->a) && cr__same_point(a->b, b->b);
}

// The normal is a unit vector from the wall to the centre; on the wall it points to where the mesh is.
static void check_point(const CrNavMesh *mesh, const CrWallDistance *wall, CrVec3 center) {
  CHECK_NEAR(cr__dist_xz(wall->point, center), wall->distance, 1e-9);
  CHECK(truth_distance(wall->piece.a, wall->piece.b, wall->point) < 1e-9);
  CHECK_NEAR(hypot(wall->normal_x, wall->normal_z), 1.0, 1e-12);
  if (wall->distance > 1e-6) {
    CHECK_NEAR(wall->point.x + wall->normal_x * wall->distance, center.x, 1e-9);
    CHECK_NEAR(wall->point.z + wall->normal_z * wall->distance, center.z, 1e-9);
  } else if (wall->distance < 1e-9) {
    CrVec3 middle = cr__lerp(wall->piece.a, wall->piece.b, 0.5);
    CrVec3 inside = cr__vec(middle.x + 1e-4 * wall->normal_x, 0, middle.z + 1e-4 * wall->normal_z);
    double y;
    CHECK_OK(cr_query_height(mesh, wall->piece.ref, inside.x, inside.z, &y));
  }
}

typedef struct Tally {
  int64_t asked, found, beyond, on_wall, other;
} Tally;

// The radius of the first wall, exactly: no smaller double finds one. Steps down from just above the expected radius.
static double first_radius(CrNavMeshQuery *query, CrPolyRef ref, CrVec3 center, const CrQueryFilter *filter,
                           double radius) {
  double low = fmax(0.0, radius - 1e-8), high = radius + 1e-8;
  CrWallPiece piece;
  int32_t count;
  CHECK_OK(cr_query_find_walls(query, ref, center, low, filter, &piece, 1, &count, NULL));
  if (count) return low;
  while (nextafter(low, high) < high) {
    double middle = low + (high - low) / 2;
    CHECK_OK(cr_query_find_walls(query, ref, center, middle, filter, &piece, 1, &count, NULL));
    if (count) high = middle;
    if (!count) low = middle;
    if (middle == low && middle == high) break;
  }
  return high;
}

static void compare(CrNavMeshQuery *query, Truth *truth, CrPolyRef ref, CrVec3 center, double max_radius,
                    const CrQueryFilter *filter, bool flat, Tally *tally) {
  CrWallDistance wall;
  CrWallPiece first;
  int32_t count;
  CHECK_OK(cr_query_distance_to_wall(query, ref, center, max_radius, filter, &wall, NULL));
  truth_widths(truth, filter, truth_index(truth, ref), center);
  Expected expected = truth_nearest_wall(truth, filter, center);
  tally->asked++;
  if (fabs(expected.radius - max_radius) < 1e-9) return;
  CHECK(wall.found == (expected.radius < max_radius));
  if (!wall.found) {
    tally->beyond++;
    CHECK(wall.distance == max_radius && wall.normal_x == 0.0 && wall.normal_z == 0.0);
    return;
  }
  tally->found++;
  tally->on_wall += wall.distance <= 1e-9;
  CHECK_NEAR(wall.distance, expected.distance, 1e-8);
  CHECK_NEAR(wall.distance, wall.piece.distance, 0.0);
  check_point(truth->mesh, &wall, center);
  double radius = first_radius(query, ref, center, filter, expected.radius);
  CHECK_OK(cr_query_find_walls(query, ref, center, radius, filter, &first, 1, &count, NULL));
  CHECK(count == 1 && same_piece(&wall.piece, &first));
  // Without other storeys, from a centre on the polygon, no larger circle finds a nearer wall.
  CHECK_OK(cr_query_find_walls(query, ref, center, max_radius, filter, &first, 1, &count, NULL));
  CHECK(count == 1 && first.distance <= wall.distance);
  if (flat) CHECK_NEAR(first.distance, wall.distance, 1e-12);
  tally->other += first.distance < wall.distance;
}

TEST(the_nearest_wall_is_what_brute_force_finds) {
  Tally tally = {0};
  for (int number = 0; number < 40; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    Truth truth = truth_of(mesh);
    bool one_storey = number % 10 != 4 && number % 10 != 5;
    uint64_t seed = 800 + (uint64_t)number;
    for (int64_t i = 0; i < check_scaled(60); i++) {
      check_seed = seed;
      CrPolyRef ref;
      CrVec3 center, at;
      bool over;
      if (!truth_place(mesh, filter, &seed, &ref, &center)) continue;
      double max_radius = i % 8 == 0 ? rnd_range(&seed, 0, 1) : i % 8 == 1 ? 0.0 : i % 2 ? 500.0 : 8.0;
      CHECK_OK(cr_query_closest_point(mesh, ref, center, &at, &over));
      compare(query, &truth, ref, center, max_radius, filter, one_storey && over, &tally);
    }
    truth_free(&truth);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld asked, %lld walls found, %lld of them under the centre, %lld beyond the radius, %lld nearer to larger "
      "circles\n",
      (long long)tally.asked, (long long)tally.found, (long long)tally.on_wall, (long long)tally.beyond,
      (long long)tally.other);
  CHECK(tally.found > tally.asked / 2 && tally.on_wall > 20 && tally.beyond > 20);
}

TEST(centres_on_a_wall_have_the_normal_of_its_edge) {
  CrNavMesh *mesh = world_from_map("..\n..\n", 1.0, 1, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  const struct {
    CrVec3 center;
    double nx, nz;
  } cases[] = {{{0.5, 0, 0}, 0, 1},      {{0, 0, 0.5}, 1, 0},      {{1.5, 0, 2}, 0, -1},
               {{2, 0, 1.5}, -1, 0},     {{0.5, 0, 0.25}, 0, 1},   {{0.5, 0, 0.25 + 1e-12}, 0, 1},
               {{1.25, 0, -0.5}, 0, -1}, {{0.5, 0, 0.5e-8}, 0, 1}, {{0.5, 0, -0.5e-8}, 0, 1}};
  for (size_t i = 0; i < CR_COUNT_OF(cases); i++) {
    CrNearestPoly start;
    CrWallDistance wall;
    REQUIRE_OK(cr_query_nearest_poly(query, cases[i].center, cr__vec(1, 1, 1), NULL, &start, NULL));
    CHECK_OK(cr_query_distance_to_wall(query, start.ref, cases[i].center, 3.0, NULL, &wall, NULL));
    CHECK(wall.found);
    CHECK_NEAR(wall.normal_x, cases[i].nx, 1e-15);
    CHECK_NEAR(wall.normal_z, cases[i].nz, 1e-15);
  }
  // On a corner both walls are at 0: the first edge of the first polygon.
  CrWallDistance wall;
  CHECK_OK(cr_query_distance_to_wall(query, cr_navmesh_ref(mesh, 0, 0), cr__vec(0, 0, 0), 3.0, NULL, &wall, NULL));
  CHECK(wall.found && wall.distance == 0.0 && wall.piece.edge == 0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(a_seam_between_walkable_tiles_is_no_wall) {
  for (int k = 0; k < 5; k++) {
    CrNavMesh *mesh = world_warped(30 + (uint64_t)k, 3, 4, 1.0, 0.0, k % 2 ? 0.2 : 0.0, -12.0);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 3;
    for (int64_t i = check_scaled(2000); i > 0; i--) {
      CrPolyRef ref;
      CrVec3 center = world_random_point(mesh, &seed, &ref);
      CrWallDistance wall;
      CHECK_OK(cr_query_distance_to_wall(query, ref, center, 50.0, NULL, &wall, NULL));
      double rim = fmin(fmin(center.x + 12, -center.x), fmin(center.z + 12, -center.z));
      CHECK(wall.found);
      CHECK_NEAR(wall.distance, rim, 1e-9);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
}

// A circle of any size costs no more than one that just holds the wall: the search stops where the wall is.
TEST(a_large_radius_visits_no_more) {
  CrNavMesh *mesh = world_scattered(4, 90, 90, 1.0, 0.05, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  uint64_t seed = 9;
  int64_t visited = 0, count = check_scaled(1000), most = 0;
  for (int64_t i = 0; i < count; i++) {
    CrPolyRef ref;
    CrVec3 center = world_random_point(mesh, &seed, &ref);
    CrWallDistance wall;
    CHECK_OK(cr_query_distance_to_wall(query, ref, center, 1e6, NULL, &wall, NULL));
    CHECK(wall.found);
    visited += query->circle.taken;
    int32_t taken = query->circle.taken;
    if (taken > most) most = taken;
    static CrAroundPolygon polygons[MOST];
    CrAroundResult around;
    CHECK_OK(cr_query_polygons_around_circle(query, ref, center, wall.distance, NULL, polygons, MOST, &around, NULL));
    CHECK(taken <= around.count + 1);
  }
  printf("  %.1f polygons a search, at most %lld, of %u\n", (double)visited / (double)count, (long long)most,
         cr_navmesh_polygon_count(mesh));
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(distance_arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  const struct {
    CrPolyRef ref;
    CrVec3 center;
    double radius;
    CrStatus status;
    const char *field;
  } cases[] = {{ref, {NAN, 0, 0}, 1, CR_STATUS_ARGUMENT, "center"},
               {ref, {0, 0, 2097152.0}, 1, CR_STATUS_ARGUMENT, "center"},
               {ref, {0.5, 0, 0.5}, -1e-300, CR_STATUS_ARGUMENT, "max_radius"},
               {ref, {0.5, 0, 0.5}, NAN, CR_STATUS_ARGUMENT, "max_radius"},
               {ref, {0.5, 0, 0.5}, 2097152.0, CR_STATUS_ARGUMENT, "max_radius"},
               {0, {0.5, 0, 0.5}, 1, CR_STATUS_STALE_REF, "start_ref"},
               {ref + 77, {0.5, 0, 0.5}, 1, CR_STATUS_STALE_REF, "start_ref"}};
  for (size_t i = 0; i < CR_COUNT_OF(cases); i++) {
    CrWallDistance wall = {.distance = 55};
    CrError error;
    CHECK_STATUS(cr_query_distance_to_wall(query, cases[i].ref, cases[i].center, cases[i].radius, NULL, &wall, &error),
                 cases[i].status);
    CHECK(strcmp(error.field, cases[i].field) == 0 && wall.distance == 55);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(the_nearest_wall_is_what_brute_force_finds), RUN(centres_on_a_wall_have_the_normal_of_its_edge),
          RUN(a_seam_between_walkable_tiles_is_no_wall), RUN(a_large_radius_visits_no_more),
          RUN(distance_arguments_are_checked))
