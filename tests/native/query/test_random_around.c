// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Random points around a place: in the circle, on surface a walk within it reaches, uniform by area (chi-squared against
// exact areas of polygons cut by the circle), the caller's sequence, the generator's extreme values, circles that hardly touch.
#include "around_truth.h"

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// --- Areas ------------------------------------------------------------------------------------------------------------------

// Signed area of the circle of radius r around 0 within the triangle 0, a, b.
static double sector_area(double ax, double az, double bx, double bz, double r) {
  double cross = ax * bz - az * bx, dot = ax * bx + az * bz;
  double dx = bx - ax, dz = bz - az, length2 = dx * dx + dz * dz;
  if (length2 == 0) return 0;
  double foot = -(ax * dx + az * dz) / length2, height = fabs(cross) / sqrt(length2);
  double half = height < r ? sqrt((r * r - height * height) / length2) : 0;
  double t0 = fmax(0, foot - half), t1 = fmin(1, foot + half);
  if (height >= r || t0 >= t1) return 0.5 * r * r * atan2(cross, dot);
  double px = ax + dx * t0, pz = az + dz * t0, qx = ax + dx * t1, qz = az + dz * t1;
  double area = 0.5 * (px * qz - pz * qx);
  if (t0 > 0) area += 0.5 * r * r * atan2(ax * pz - az * px, ax * px + az * pz);
  if (t1 < 1) area += 0.5 * r * r * atan2(qx * bz - qz * bx, qx * bx + qz * bz);
  return area;
}

// Area of the part of a polygon in the circle, in one quarter of it (clipped by the two lines through the centre first).
static double quarter_area(const CrPolygonInfo *info, CrVec3 center, double r, int quarter) {
  double in[32][2], out[32][2];
  int count = (int)info->vertex_count;
  for (int k = 0; k < count; k++) {
    in[k][0] = info->vertices[k].x - center.x;
    in[k][1] = info->vertices[k].z - center.z;
  }
  for (int axis = 0; axis < 2; axis++) {
    double sign = (quarter >> axis) & 1 ? -1 : 1;
    int kept = 0;
    for (int k = 0; k < count; k++) {
      double *p = in[k], *q = in[(k + 1) % count], dp = sign * p[axis], dq = sign * q[axis];
      if (dp >= 0) memcpy(out[kept++], p, sizeof out[0]);
      if (dp * dq < 0) {
        double t = dp / (dp - dq);
        out[kept][0] = p[0] + (q[0] - p[0]) * t;
        out[kept++][1] = p[1] + (q[1] - p[1]) * t;
      }
    }
    memcpy(in, out, sizeof in);
    count = kept;
  }
  double area = 0;
  for (int k = 0; k < count; k++)
    area += sector_area(in[k][0], in[k][1], in[(k + 1) % count][0], in[(k + 1) % count][1], r);
  return area;
}

static int quarter_of(CrVec3 p, CrVec3 center) { return (p.x < center.x ? 1 : 0) | (p.z < center.z ? 2 : 0); }

// --- Uniform ----------------------------------------------------------------------------------------------------------------

typedef struct Trial {
  int64_t points, cells;
  double chi2, degrees, worst;
} Trial;

static void check_on_surface(const CrNavMesh *mesh, const CrNearestPoly *point, CrVec3 center, double radius) {
  CrVec3 at;
  bool over;
  CHECK(cr__dist_xz(point->point, center) <= radius);
  CHECK_OK(cr_query_closest_point(mesh, point->ref, point->point, &at, &over));
  CHECK(point->over && cr__dist(at, point->point) < 1e-9);
}

// Counts points by polygon and quarter of the circle. Cells with few expected points are put together.
static void try_place(CrNavMeshQuery *query, Truth *truth, const CrQueryFilter *filter, CrPolyRef ref, CrVec3 center,
                      double radius, int64_t count, uint64_t *seed, Trial *trial) {
  TruthPlace place = {center, radius, NULL, 0};
  double *area = calloc(truth->count * 4, sizeof *area), whole = 0;
  int64_t *hits = calloc(truth->count * 4, sizeof *hits);
  REQUIRE(area && hits);
  truth_flood(truth, filter, truth_index(truth, ref), &place, 0);
  for (uint32_t i = 0; i < truth->count; i++) {
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(query->mesh, truth->refs[i], &info));
    for (int q = 0; q < 4 && truth->reached[i]; q++)
      whole += area[4 * i + (uint32_t)q] = quarter_area(&info, center, radius, q);
  }
  for (int64_t k = 0; k < count; k++) {
    CrNearestPoly point;
    CHECK_OK(cr_query_random_point_around(query, ref, center, radius, filter, seed, &point, NULL));
    check_on_surface(query->mesh, &point, center, radius);
    uint32_t i = truth_index(truth, point.ref);
    CHECK(truth->reached[i]);
    hits[4 * i + (uint32_t)quarter_of(point.point, center)]++;
  }
  double chi2 = 0, rest_expected = 0, rest_hits = 0, degrees = -1;
  for (uint32_t i = 0; i < truth->count * 4; i++) {
    double expected = (double)count * area[i] / whole;
    if (expected < 10) {
      rest_expected += expected;
      rest_hits += (double)hits[i];
      continue;
    }
    chi2 += ((double)hits[i] - expected) * ((double)hits[i] - expected) / expected;
    degrees++;
  }
  if (rest_expected >= 10) {
    chi2 += (rest_hits - rest_expected) * (rest_hits - rest_expected) / rest_expected;
    degrees++;
  } else {
    CHECK(rest_hits <= rest_expected + 8 * sqrt(rest_expected + 1));
  }
  trial->points += count;
  trial->cells += (int64_t)degrees + 1;
  trial->chi2 += chi2;
  trial->degrees += degrees;
  // 5 standard deviations of chi-squared, each place by itself.
  if (degrees > 0) trial->worst = fmax(trial->worst, (chi2 - degrees) / sqrt(2 * degrees));
  free(area);
  free(hits);
}

TEST(points_are_uniform_by_area) {
  Trial trial = {0};
  for (int number = 0; number < 30; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    Truth truth = truth_of(mesh);
    uint64_t seed = 60 + (uint64_t)number;
    for (int k = 0; k < 4; k++) {
      CrPolyRef ref;
      CrVec3 center;
      if (!random_place(mesh, filter, &seed, &ref, &center)) continue;
      check_seed = seed;
      try_place(query, &truth, filter, ref, center, rnd_range(&seed, 0.3, 6.0), check_scaled(2000), &seed, &trial);
    }
    truth_free(&truth);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  double deviation = (trial.chi2 - trial.degrees) / sqrt(2 * trial.degrees);
  printf("  %lld points, %lld cells: chi-squared %.0f for %.0f degrees (%+.1f sigma), worst place %+.1f sigma\n",
         (long long)trial.points, (long long)trial.cells, trial.chi2, trial.degrees, deviation, trial.worst);
  CHECK(fabs(deviation) < 4 && trial.worst < 7);
}

TEST(one_circle_in_small_cells) {
  // A circle cut by walls on a board of unit squares, a quarter of each a cell; a million points in the full run.
  CrNavMesh *mesh = world_scattered(21, 20, 20, 1.0, 0.25, 5, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  Truth truth = truth_of(mesh);
  CrNearestPoly start;
  Trial trial = {0};
  uint64_t seed = 4;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(10.2, 0, 9.7), cr__vec(3, 1, 3), NULL, &start, NULL));
  try_place(query, &truth, NULL, start.ref, start.point, 5.3, check_scaled(100000), &seed, &trial);
  printf("  %lld points, %lld cells: chi-squared %.0f for %.0f degrees (%+.1f sigma)\n", (long long)trial.points,
         (long long)trial.cells, trial.chi2, trial.degrees, trial.worst);
  CHECK(trial.cells > 50 && trial.worst < 5);
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(only_the_reachable_storey_counts) {
  CrNavMesh *mesh = world_two_floors(5, 14, 12, 1.0, 4.0, 4, 4, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  uint64_t seed = 3;
  int64_t below = 0, above = 0;
  for (int i = 0; i < 400; i++) {
    CrPolyRef ref;
    CrNearestPoly point;
    CrVec3 center = world_random_point(mesh, &seed, &ref);
    if (center.y > 0.0 && center.y < 4.0) continue;
    CHECK_OK(cr_query_random_point_around(query, ref, center, 1.0, NULL, &seed, &point, NULL));
    CHECK(fabs(point.point.y - center.y) < 1.5);
    below += center.y == 0.0;
    above += center.y == 4.0;
  }
  CHECK(below > 50 && above > 50);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

// --- The caller's sequence ------------------------------------------------------------------------------------------------------

TEST(the_same_seed_gives_the_same_points) {
  CrNavMesh *mesh = world_number(7);
  CrNavMeshQuery *query = make_query(mesh), *other = make_query(mesh);
  uint64_t seed = 12, again, place_seed = 5;
  for (int i = 0; i < 2000; i++) {
    CrPolyRef ref;
    CrVec3 center = world_random_point(mesh, &place_seed, &ref);
    double radius = rnd_range(&place_seed, 0.01, 8.0);
    CrNearestPoly one, two;
    again = seed;
    CHECK_OK(cr_query_random_point_around(query, ref, center, radius, NULL, &seed, &one, NULL));
    CHECK_OK(cr_query_random_point_around(other, ref, center, radius, NULL, &again, &two, NULL));
    CHECK(seed == again && one.ref == two.ref && cr__same_point(one.point, two.point));
    check_note_bytes(&one.ref, sizeof one.ref);
    check_note_bytes(&one.point, sizeof one.point);
  }
  check_note_bytes(&seed, sizeof seed);
  cr_query_destroy(query);
  cr_query_destroy(other);
  cr_navmesh_destroy(mesh);
}

// The state before the one whose number is `wanted`: splitmix64 undone.
static uint64_t state_before(uint64_t wanted) {
  uint64_t z = wanted ^ (wanted >> 31) ^ (wanted >> 62);
  z *= UINT64_C(0x319642B2D24D8EC3);
  z ^= (z >> 27) ^ (z >> 54);
  z *= UINT64_C(0x96DE1B173F119089);
  z ^= (z >> 30) ^ (z >> 60);
  return z - UINT64_C(0x9E3779B97F4A7C15);
}

TEST(extreme_random_numbers_are_fine) {
  const uint64_t extremes[] = {0, 0x7FF, 0x800, UINT64_MAX, UINT64_MAX - 0x7FF, UINT64_C(1) << 63};
  int64_t drawn = 0;
  for (int number = 0; number < 10; number++) {
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t place_seed = 8 + (uint64_t)number;
    for (int i = 0; i < 40; i++) {
      CrPolyRef ref;
      CrVec3 center;
      if (!truth_place(mesh, NULL, &place_seed, &ref, &center)) continue;
      double radius = rnd_range(&place_seed, 1.5, 6.0);
      for (uint64_t which = 0; which < 4 * CR_COUNT_OF(extremes); which++) {
        // Number which % 4 of the first attempt is the extreme one.
        uint64_t seed = state_before(extremes[which / 4]) - (which % 4) * UINT64_C(0x9E3779B97F4A7C15), check = seed;
        for (uint64_t k = 0; k < which % 4; k++) cr__random_u64(&check);
        REQUIRE(cr__random_u64(&check) == extremes[which / 4]);
        CrNearestPoly point;
        CrStatus status = cr_query_random_point_around(query, ref, center, radius, NULL, &seed, &point, NULL);
        CHECK(status == CR_STATUS_OK || status == CR_STATUS_NOT_FOUND);
        if (status == CR_STATUS_OK) check_on_surface(mesh, &point, center, radius);
        drawn += status == CR_STATUS_OK;
      }
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld points\n", (long long)drawn);
  CHECK(drawn > 5000);
}

// --- Circles that hardly touch, arguments -------------------------------------------------------------------------------------

TEST(circles_that_hardly_touch) {
  CrNavMesh *mesh = world_from_map("...\n...\n", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  CrNearestPoly point;
  uint64_t seed = 5, before = seed;
  // The circle touches the wall x = 0 in one point, from outside: that point, and nothing is drawn.
  CHECK_OK(cr_query_random_point_around(query, ref, cr__vec(-1, 0, 0.5), 1.0, NULL, &seed, &point, NULL));
  CHECK(point.ref == ref && point.point.x == 0.0 && point.point.z == 0.5 && seed == before);
  CHECK_STATUS(cr_query_random_point_around(query, ref, cr__vec(-1.001, 0, 0.5), 1.0, NULL, &seed, &point, NULL),
               CR_STATUS_NOT_FOUND);
  CHECK(seed == before);
  // Less and less of the surface, seen along a wall and over a corner, in directions between two normals of the sides. Draws are
  // bounded: four numbers each, 128 times at most.
  int64_t points = 0, longest = 0, last = 0;
  for (int k = 0; k < 14; k++) {
    double depth = pow(10, -k);
    for (int turn = 0; turn < 32; turn++) {
      double angle = 3.14159265358979 * (1 + turn / 64.0), r = 3.0;
      CrVec3 center = {cos(angle) * r * (1 - depth), 0, sin(angle) * r * (1 - depth)};
      if (!(cr__dist_xz(center, cr__vec(0, 0, 0)) < r)) continue;
      for (int i = 0; i < 20; i++) {
        before = seed;
        CHECK_OK(cr_query_random_point_around(query, ref, center, r, NULL, &seed, &point, NULL));
        check_on_surface(mesh, &point, center, r);
        int64_t draws = 0;
        for (; before != seed && draws < 1000; draws++) before += UINT64_C(0x9E3779B97F4A7C15);
        CHECK(draws % 4 == 0 && draws <= 512);
        points++;
        last += draws == 512;
        if (draws > longest) longest = draws;
      }
    }
  }
  printf("  %lld points, up to %lld numbers drawn for one, %lld pulled into the circle\n", (long long)points,
         (long long)longest, (long long)last);
  CHECK(longest == 512 && last > 100);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(filters_and_far_off_places) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 1, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 4;
  CrNearestPoly middle, point;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(1.5, 0, 0.5), cr__vec(0, 0, 0), NULL, &middle, NULL));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, middle.ref, 4, NULL));
  CrPolyRef left = cr_navmesh_ref(mesh, 0, 0) == middle.ref ? cr_navmesh_ref(mesh, 1, 0) : cr_navmesh_ref(mesh, 0, 0);
  uint64_t seed = 1;
  int64_t other = 0;
  for (int i = 0; i < 200; i++) {
    CHECK_OK(cr_query_random_point_around(query, left, cr__vec(0.5, 0, 0.5), 3.0, &filter, &seed, &point, NULL));
    CHECK(point.ref == left);
    CHECK_OK(cr_query_random_point_around(query, middle.ref, middle.point, 3.0, &filter, &seed, &point, NULL));
    other += point.ref != middle.ref;
  }
  CHECK(other > 50);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  CrNavMesh *far = world_warped(8, 2, 5, 1.0, 0.1, 0.2, -2097140.0);
  query = make_query(far);
  Truth truth = truth_of(far);
  Trial trial = {0};
  for (int k = 0; k < 6; k++) {
    CrPolyRef ref;
    CrVec3 center = world_random_point(far, &seed, &ref);
    try_place(query, &truth, NULL, ref, center, 3.0, check_scaled(3000), &seed, &trial);
  }
  printf("  far off: worst place %+.1f sigma\n", trial.worst);
  CHECK(trial.worst < 6);
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(far);
}

TEST(arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  const struct {
    CrPolyRef ref;
    CrVec3 center;
    double radius;
    CrStatus status;
    const char *field;
  } cases[] = {{ref, {0, 0, NAN}, 1, CR_STATUS_ARGUMENT, "center"},
               {ref, {0, -2097152.0, 0}, 1, CR_STATUS_ARGUMENT, "center"},
               {ref, {0.5, 0, 0.5}, 0, CR_STATUS_ARGUMENT, "radius"},
               {ref, {0.5, 0, 0.5}, -1, CR_STATUS_ARGUMENT, "radius"},
               {ref, {0.5, 0, 0.5}, INFINITY, CR_STATUS_ARGUMENT, "radius"},
               {ref, {0.5, 0, 0.5}, NAN, CR_STATUS_ARGUMENT, "radius"},
               {0, {0.5, 0, 0.5}, 1, CR_STATUS_STALE_REF, "start_ref"},
               {ref, {50, 0, 0.5}, 1, CR_STATUS_NOT_FOUND, "center"}};
  for (size_t i = 0; i < CR_COUNT_OF(cases); i++) {
    uint64_t seed = 9;
    CrNearestPoly point = {.ref = 77};
    CrError error;
    CHECK_STATUS(cr_query_random_point_around(query, cases[i].ref, cases[i].center, cases[i].radius, NULL, &seed,
                                              &point, &error),
                 cases[i].status);
    CHECK(strcmp(error.field, cases[i].field) == 0 && seed == 9 && point.ref == 77);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(points_are_uniform_by_area), RUN(one_circle_in_small_cells), RUN(only_the_reachable_storey_counts),
          RUN(the_same_seed_gives_the_same_points), RUN(extreme_random_numbers_are_fine),
          RUN(circles_that_hardly_touch), RUN(filters_and_far_off_places), RUN(arguments_are_checked))
