// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Polygons around a circle or a convex shape against brute force: reached by flooding all portals, costs by relaxing all of
// them. Order, parents, the cheapest of too many, touching exactly, arguments.
#include "around_truth.h"

#define MOST 2048

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

static CrStatus ask(CrNavMeshQuery *query, CrPolyRef ref, const TruthPlace *place, const CrQueryFilter *filter,
                    CrAroundPolygon *polygons, int32_t capacity, CrAroundResult *out) {
  if (!place->shape) {
    return cr_query_polygons_around_circle(query, ref, place->center, place->radius, filter, polygons, capacity, out,
                                           NULL);
  }
  return cr_query_polygons_around_shape(query, ref, place->shape, place->count, filter, polygons, capacity, out, NULL);
}

static bool same_polygon(const CrAroundPolygon *a, const CrAroundPolygon *b) {
  return a->ref == b->ref && a->parent == b->parent && cr__bits(a->cost) == cr__bits(b->cost);
}

// By rising cost; of two with the same cost the smaller reference, unless the other is an ancestor at that cost.
static void check_order(const CrAroundPolygon *polygons, int32_t count) {
  CHECK(polygons[0].cost == 0.0 && polygons[0].parent == CR_INVALID_REF);
  for (int32_t i = 1; i < count; i++) {
    int32_t parent = 0;
    while (parent < i && polygons[parent].ref != polygons[i].parent) parent++;
    CHECK(parent < i);
    CHECK(polygons[i].cost >= polygons[i - 1].cost);
    // Everything between the parent and i was taken before it: each is cheaper or of smaller reference, or came from between.
    for (int32_t k = parent + 1; k < i; k++) {
      CHECK(polygons[k].cost < polygons[i].cost || polygons[k].ref < polygons[i].ref);
    }
  }
}

// Every step is one portal's cost from the parent, and no cost can be better.
static void check_costs(Truth *truth, const CrQueryFilter *filter, const TruthPlace *place,
                        const CrAroundPolygon *polygons, int32_t count, double *worst) {
  truth_costs(truth, filter, truth_index(truth, polygons[0].ref), place);
  for (int32_t i = 0; i < count; i++) {
    double expected = truth->cost[truth_index(truth, polygons[i].ref)];
    double error = fabs(polygons[i].cost - expected) / (1 + expected);
    *worst = fmax(*worst, error);
    CHECK(error <= 1e-12);
  }
}

typedef struct Tally {
  int64_t asked, polygons, unclear, cut;
  double worst_cost;
} Tally;

static void compare(CrNavMeshQuery *query, Truth *truth, CrPolyRef ref, const TruthPlace *place,
                    const CrQueryFilter *filter, double slack, uint64_t *seed, Tally *tally) {
  static CrAroundPolygon polygons[MOST], few[MOST];
  CrAroundResult result, small;
  CHECK_OK(ask(query, ref, place, filter, polygons, MOST, &result));
  uint32_t start = truth_index(truth, ref);
  CHECK(!result.truncated && polygons[0].ref == ref);
  check_order(polygons, result.count);
  // Portals within rounding of the rim may count or not: both floods bound the answer.
  uint32_t most = truth_flood(truth, filter, start, place, -slack);
  for (int32_t i = 0; i < result.count; i++) CHECK(truth->reached[truth_index(truth, polygons[i].ref)]);
  uint32_t least = truth_flood(truth, filter, start, place, slack);
  CHECK((uint32_t)result.count >= least && (uint32_t)result.count <= most);
  tally->asked++;
  tally->polygons += result.count;
  tally->unclear += least != most;
  if (least == most) check_costs(truth, filter, place, polygons, result.count, &tally->worst_cost);
  int32_t capacity = 1 + rnd_int(seed, result.count);
  CHECK_OK(ask(query, ref, place, filter, few, capacity, &small));
  CHECK_INT(small.count, capacity);
  CHECK(small.truncated == (capacity < result.count));
  tally->cut += small.truncated;
  for (int32_t i = 0; i < capacity; i++) CHECK(same_polygon(&few[i], &polygons[i]));
}

static double random_radius(uint64_t *seed, int64_t i) {
  return i % 16 == 0 ? 100.0 : i % 16 == 1 ? 0.0 : rnd_range(seed, 0.0, 6.0);
}

// Points on an ellipse in turning order, or whole numbers around the centre so that shapes touch portals exactly.
static int32_t random_shape(CrVec3 center, uint64_t *seed, CrVec3 *shape) {
  double rx = rnd_range(seed, 0.05, 5.0), rz = rnd_range(seed, 0.05, 5.0), turn = 0.0;
  int32_t count = 3 + rnd_int(seed, CR_QUERY_MAX_SHAPE - 2);
  if (rnd_int(seed, 3) == 0) {
    double x = floor(center.x), z = floor(center.z), w = 1 + rnd_int(seed, 4), h = 1 + rnd_int(seed, 4);
    shape[0] = cr__vec(x, 0, z);
    shape[1] = cr__vec(x + w, 0, z);
    shape[2] = cr__vec(x + w, 0, z + h);
    shape[3] = cr__vec(x, 0, z + h);
    return rnd_int(seed, 2) ? 4 : 3;
  }
  for (int32_t k = 0; k < count; k++) {
    turn = 2 * 3.14159265358979 * (k + rnd_range(seed, 0.0, 0.8)) / count;
    shape[k] = cr__vec(center.x + rx * cos(turn), rnd_range(seed, -9, 9), center.z + rz * sin(turn));
  }
  return count;
}

static CrVec3 mean_of(const CrVec3 *points, int32_t count) {
  double x = 0, y = 0, z = 0;
  for (int32_t k = 0; k < count; k++) x += points[k].x, y += points[k].y, z += points[k].z;
  return cr__vec(x / count, y / count, z / count);
}

static void compare_on_world(int number, bool shapes, int64_t count, Tally *tally) {
  CrQueryFilter storage;
  const CrQueryFilter *filter = filter_number(number, &storage);
  CrNavMesh *mesh = world_number(number);
  CrNavMeshQuery *query = make_query(mesh);
  Truth truth = truth_of(mesh);
  uint64_t seed = 500 + (uint64_t)number;
  for (int64_t i = 0; i < count; i++) {
    check_seed = seed;
    CrPolyRef ref;
    CrVec3 center, shape[CR_QUERY_MAX_SHAPE];
    if (!truth_place(mesh, filter, &seed, &ref, &center)) continue;
    TruthPlace place = {center, random_radius(&seed, i), NULL, 0};
    if (shapes) {
      place.count = random_shape(center, &seed, shape);
      place.center = mean_of(shape, place.count);
      place.shape = shape;
    }
    compare(query, &truth, ref, &place, filter, 1e-9, &seed, tally);
  }
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

static void print_tally(const char *what, const Tally *tally) {
  printf("  %s: %lld searches, %lld polygons, %lld with portals on the rim, %lld cut by capacity, cost error %.1e\n",
         what, (long long)tally->asked, (long long)tally->polygons, (long long)tally->unclear, (long long)tally->cut,
         tally->worst_cost);
}

TEST(circles_are_what_relaxation_finds) {
  Tally tally = {0};
  for (int number = 0; number < 40; number++) compare_on_world(number, false, check_scaled(60), &tally);
  print_tally("circles", &tally);
  CHECK(tally.polygons > 10 * tally.asked && tally.unclear * 4 < tally.asked);
}

TEST(shapes_are_what_relaxation_finds) {
  Tally tally = {0};
  for (int number = 0; number < 40; number++) compare_on_world(number, true, check_scaled(40), &tally);
  print_tally("shapes", &tally);
  CHECK(tally.polygons > 5 * tally.asked && tally.unclear * 4 < tally.asked);
}

// --- Touching exactly -------------------------------------------------------------------------------------------------------

// On a board of unit squares portals have whole coordinates. Circles and shapes with coordinates in quarters touch them
// exactly or not at all, and no rounding happens: the answers are exact.
TEST(touching_counts_exactly) {
  CrNavMesh *mesh = world_scattered(11, 16, 16, 1.0, 0.15, 4, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  Truth truth = truth_of(mesh);
  uint64_t seed = 12;
  Tally tally = {0};
  for (int64_t i = 0; i < check_scaled(1500); i++) {
    check_seed = seed;
    CrPolyRef ref;
    CrVec3 at, shape[4];
    if (!random_place(mesh, NULL, &seed, &ref, &at)) continue;
    double x = floor(at.x * 4) / 4, z = floor(at.z * 4) / 4, w = 0.25 * (1 + rnd_int(&seed, 12));
    double h = 0.25 * (1 + rnd_int(&seed, 12)), d = 0.25 * rnd_int(&seed, 8);
    shape[0] = cr__vec(x, 0, z - h);
    shape[1] = cr__vec(x + w, 0, z + d);
    shape[2] = cr__vec(x, 0, z + d + h);
    shape[3] = cr__vec(x - w, 0, z);
    TruthPlace place = {mean_of(shape, 4), 0, shape, 4};
    if (i % 2) place = (TruthPlace){cr__vec(x, 0, z), 0.25 * rnd_int(&seed, 16), NULL, 0};
    uint32_t start = truth_index(&truth, ref);
    // Just touching is at depth 0; nothing else is nearer to 0 than the size of a rounded root or quotient.
    uint32_t touched = truth_flood(&truth, NULL, start, &place, -1e-12);
    tally.unclear += touched != truth_flood(&truth, NULL, start, &place, 1e-12);
    truth_flood(&truth, NULL, start, &place, -1e-12);
    CrAroundPolygon polygons[MOST];
    CrAroundResult result;
    CHECK_OK(ask(query, ref, &place, NULL, polygons, MOST, &result));
    CHECK_INT(result.count, touched);
    for (int32_t k = 0; k < result.count; k++) CHECK(truth.reached[truth_index(&truth, polygons[k].ref)]);
    tally.asked++;
  }
  printf("  %lld of %lld places touch a portal without entering it, on the way to more polygons\n",
         (long long)tally.unclear, (long long)tally.asked);
  CHECK(tally.unclear > tally.asked / 10);
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

// --- More polygons than a search holds ---------------------------------------------------------------------------------------

// A square with rows of thin polygons behind its four sides: all of them are met at once.
static void add_comb(CrNavMesh *mesh, int32_t x, int32_t z, int32_t teeth) {
  double side = 16.0, *vertices = malloc((size_t)teeth * 4 * 3 * sizeof *vertices);
  uint8_t *counts = malloc((size_t)teeth);
  uint32_t *corners = malloc((size_t)teeth * 4 * sizeof *corners);
  REQUIRE(vertices && counts && corners);
  for (int32_t k = 0; k < teeth; k++) {
    double low = side * k / teeth, high = side * (k + 1) / teeth, length = 1.0 + (k * 7919) % 13;
    // Along the side shared with the middle tile; teeth of random length reach away from it.
    double near = x < 0 || z < 0 ? 0.0 : side, far = x < 0 || z < 0 ? -length : side + length;
    double quad[4][2] = {{near, low}, {near, high}, {far, high}, {far, low}};
    bool across = x != 0, reversed = (across && near < far) || (!across && near > far);
    for (int i = 0; i < 4; i++) {
      const double *q = quad[reversed ? 3 - i : i];
      double *v = vertices + 3 * (4 * (size_t)k + (size_t)i);
      v[0] = across ? q[0] : q[1];
      v[1] = 0.0;
      v[2] = across ? q[1] : q[0];
      corners[4 * k + i] = (uint32_t)(4 * k + i);
    }
    counts[k] = 4;
  }
  CrTileDescription description = {.x = x,
                                   .z = z,
                                   .vertex_count = (uint32_t)teeth * 4,
                                   .polygon_count = (uint32_t)teeth,
                                   .vertices = vertices,
                                   .polygon_vertex_counts = counts,
                                   .polygon_vertices = corners};
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrBytes bytes;
  REQUIRE_OK(cr_tile_encode(&params, &description, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  free(vertices);
  free(counts);
  free(corners);
}

static CrNavMesh *world_of_combs(int32_t teeth) {
  CrNavMeshParams params = {.tile_size = 16.0, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  double square[12] = {0, 0, 0, 16, 0, 0, 16, 0, 16, 0, 0, 16};
  uint8_t four = 4;
  uint32_t corners[4] = {0, 1, 2, 3};
  CrTileDescription description = {.vertex_count = 4,
                                   .polygon_count = 1,
                                   .vertices = square,
                                   .polygon_vertex_counts = &four,
                                   .polygon_vertices = corners};
  CrBytes bytes;
  REQUIRE_OK(cr_tile_encode(&params, &description, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  add_comb(mesh, 1, 0, teeth);
  add_comb(mesh, -1, 0, teeth);
  add_comb(mesh, 0, 1, teeth);
  add_comb(mesh, 0, -1, teeth);
  return mesh;
}

static int compare_by_cost(const void *a, const void *b) {
  const CrAroundPolygon *p = a, *q = b;
  if (p->cost != q->cost) return p->cost < q->cost ? -1 : 1;
  return p->ref < q->ref ? -1 : p->ref > q->ref;
}

static void check_cheapest(CrNavMesh *mesh, CrPolyRef ref, CrVec3 center) {
  static CrAroundPolygon polygons[CR_QUERY_MAX_CIRCLE + 10];
  CrNavMeshQuery *query = make_query(mesh);
  Truth truth = truth_of(mesh);
  TruthPlace place = {center, 1000.0, NULL, 0};
  CrAroundResult result;
  CHECK_OK(ask(query, ref, &place, NULL, polygons, CR_QUERY_MAX_CIRCLE + 10, &result));
  CHECK(result.truncated);
  CHECK_INT(result.count, CR_QUERY_MAX_CIRCLE);
  uint32_t reached = truth_flood(&truth, NULL, truth_index(&truth, ref), &place, -1e-9), count = 0;
  truth_costs(&truth, NULL, truth_index(&truth, ref), &place);
  CrAroundPolygon *all = malloc(reached * sizeof *all);
  REQUIRE(all);
  for (uint32_t i = 0; i < truth.count; i++) {
    if (truth.reached[i]) all[count++] = (CrAroundPolygon){truth.refs[i], 0, truth.cost[i]};
  }
  qsort(all, count, sizeof *all, compare_by_cost);
  double dearest = polygons[result.count - 1].cost;
  for (int32_t i = 0; i < result.count; i++) CHECK_NEAR(polygons[i].cost, all[i].cost, 1e-9);
  printf("  %u polygons reached, %d given, costs to %.3f, the next costs %.3f\n", reached, result.count, dearest,
         all[result.count].cost);
  free(all);
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(the_cheapest_of_too_many_are_given) {
  CrNavMesh *combs = world_of_combs(1900);
  check_cheapest(combs, cr_navmesh_ref(combs, 0, 0), cr__vec(5.3, 0, 6.1));
  CrNavMesh *field = world_scattered(4, 90, 90, 1.0, 0.05, 0, NULL);
  CrNavMeshQuery *query = make_query(field);
  CrNearestPoly middle;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(45, 0, 45), cr__vec(3, 1, 3), NULL, &middle, NULL));
  cr_query_destroy(query);
  check_cheapest(field, middle.ref, middle.point);
}

// --- Places and arguments ---------------------------------------------------------------------------------------------------

TEST(other_storeys_and_far_places) {
  // On two floors: a small circle stays on its floor, though the other is right above.
  CrNavMesh *mesh = world_two_floors(5, 14, 12, 1.0, 4.0, 4, 4, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  uint64_t seed = 3;
  int64_t polygons_seen = 0;
  for (int i = 0; i < 300; i++) {
    CrPolyRef ref;
    CrVec3 center = world_random_point(mesh, &seed, &ref);
    if (center.y > 0.0 && center.y < 4.0) continue;
    CrAroundPolygon polygons[64];
    CrAroundResult result;
    CHECK_OK(cr_query_polygons_around_circle(query, ref, center, 1.0, NULL, polygons, 64, &result, NULL));
    for (int32_t k = 0; k < result.count; k++) {
      CrVec3 at;
      CHECK_OK(cr_query_closest_point(mesh, polygons[k].ref, center, &at, NULL));
      CHECK(fabs(at.y - center.y) < 1.5);
      polygons_seen++;
    }
  }
  CHECK(polygons_seen > 500);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  // At the end of the world, near 2^21.
  CrNavMesh *far = world_warped(8, 2, 5, 1.0, 0.1, 0.2, -2097140.0);
  query = make_query(far);
  Truth truth = truth_of(far);
  Tally tally = {0};
  for (int64_t i = 0; i < check_scaled(200); i++) {
    CrPolyRef ref;
    CrVec3 center;
    if (!truth_place(far, NULL, &seed, &ref, &center)) continue;
    TruthPlace place = {center, rnd_range(&seed, 0, 5), NULL, 0};
    compare(query, &truth, ref, &place, NULL, 1e-8, &seed, &tally);
  }
  print_tally("far off", &tally);
  truth_free(&truth);
  cr_query_destroy(query);
  cr_navmesh_destroy(far);
}

static void expect_circle(CrNavMeshQuery *query, CrPolyRef ref, CrVec3 center, double radius,
                          const CrQueryFilter *filter, int32_t capacity, CrStatus status, const char *field) {
  CrAroundPolygon polygons[4] = {{7, 7, 7}};
  CrAroundResult result = {77, false};
  CrError error;
  CHECK_STATUS(cr_query_polygons_around_circle(query, ref, center, radius, filter, polygons, capacity, &result, &error),
               status);
  CHECK(strcmp(error.field, field) == 0);
  CHECK(result.count == 77 && polygons[0].ref == 7);
}

static void expect_shape(CrNavMeshQuery *query, CrPolyRef ref, const CrVec3 *shape, int32_t count,
                         const CrQueryFilter *filter, int32_t capacity, CrStatus status, const char *field,
                         int64_t index) {
  CrAroundPolygon polygons[4] = {{7, 7, 7}};
  CrAroundResult result = {77, false};
  CrError error;
  CHECK_STATUS(cr_query_polygons_around_shape(query, ref, shape, count, filter, polygons, capacity, &result, &error),
               status);
  CHECK(strcmp(error.field, field) == 0);
  if (index >= 0) CHECK_INT(error.index, index);
  CHECK(result.count == 77 && polygons[0].ref == 7);
}

TEST(arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("....\n....\n", 1.0, 2, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  CrVec3 p = {0.5, 0, 0.5};
  CrQueryFilter bad = cr_query_filter_default();
  bad.area_cost[9] = NAN;
  const double limit = 2097152.0;
  expect_circle(query, ref, cr__vec(NAN, 0, 0), 1, NULL, 4, CR_STATUS_ARGUMENT, "center");
  expect_circle(query, ref, cr__vec(0, limit, 0), 1, NULL, 4, CR_STATUS_ARGUMENT, "center");
  expect_circle(query, ref, p, NAN, NULL, 4, CR_STATUS_ARGUMENT, "radius");
  expect_circle(query, ref, p, -0.5, NULL, 4, CR_STATUS_ARGUMENT, "radius");
  expect_circle(query, ref, p, limit, NULL, 4, CR_STATUS_ARGUMENT, "radius");
  expect_circle(query, ref, p, 1, NULL, 0, CR_STATUS_ARGUMENT, "capacity");
  expect_circle(query, ref, p, 1, &bad, 4, CR_STATUS_ARGUMENT, "filter.area_cost");
  expect_circle(query, 0, p, 1, NULL, 4, CR_STATUS_STALE_REF, "start_ref");
  expect_circle(query, ref + (UINT64_C(1) << 48), p, 1, NULL, 4, CR_STATUS_STALE_REF, "start_ref");
  CrVec3 square[40] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
  expect_shape(query, ref, square, 2, NULL, 4, CR_STATUS_ARGUMENT, "vertex_count", -1);
  expect_shape(query, ref, square, 33, NULL, 4, CR_STATUS_ARGUMENT, "vertex_count", -1);
  expect_shape(query, ref, square, 4, NULL, 0, CR_STATUS_ARGUMENT, "capacity", -1);
  expect_shape(query, ref, square, 4, &bad, 4, CR_STATUS_ARGUMENT, "filter.area_cost", 9);
  expect_shape(query, 0, square, 4, NULL, 4, CR_STATUS_STALE_REF, "start_ref", -1);
  CrVec3 broken[4] = {{0, 0, 0}, {1, 0, 0}, {1, INFINITY, 1}, {0, 0, 1}};
  expect_shape(query, ref, broken, 4, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 2);
  CrVec3 dented[4] = {{0, 0, 0}, {2, 0, 0}, {0.5, 0, 0.5}, {0, 0, 2}};
  expect_shape(query, ref, dented, 4, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 1);
  CrVec3 clockwise[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
  expect_shape(query, ref, clockwise, 3, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 0);
  CrVec3 flat[3] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 2}};
  expect_shape(query, ref, flat, 3, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 0);
  CrVec3 repeated[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  expect_shape(query, ref, repeated, 4, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 1);
  CrVec3 star[5] = {{0, 0, 3}, {-2, 0, -3}, {3, 0, 1}, {-3, 0, 1}, {2, 0, -3}};
  expect_shape(query, ref, star, 5, NULL, 4, CR_STATUS_ARGUMENT, "vertices", 0);
  // Vertices on a line with their neighbours are fine, and so is one polygon of room.
  CrVec3 beam[6] = {{0, 0, 0}, {0.3, 0, 0.1}, {0.9, 0, 0.3}, {1.5, 0, 0.5}, {1, 0, 2}, {0, 0, 1}};
  CrAroundPolygon one;
  CrAroundResult result;
  CHECK_OK(cr_query_polygons_around_shape(query, ref, beam, 6, NULL, &one, 1, &result, NULL));
  CHECK(result.count == 1 && result.truncated && one.ref == ref);
  CHECK_OK(cr_query_polygons_around_circle(query, ref, p, 0.0, NULL, &one, 1, &result, NULL));
  CHECK(result.count == 1 && !result.truncated);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(the_start_is_not_asked_and_links_are_not_taken) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 1, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 4;
  CrNearestPoly middle;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(1.5, 0, 0.5), cr__vec(0, 0, 0), NULL, &middle, NULL));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, middle.ref, 4, NULL));
  CrAroundPolygon polygons[8];
  CrAroundResult result;
  CHECK_OK(cr_query_polygons_around_circle(query, middle.ref, middle.point, 5, &filter, polygons, 8, &result, NULL));
  CHECK_INT(result.count, 3);
  CHECK_OK(
      cr_query_polygons_around_circle(query, polygons[1].ref, middle.point, 5, &filter, polygons, 8, &result, NULL));
  CHECK_INT(result.count, 1);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(memory_may_run_out_and_none_is_taken_later) {
  CrNavMesh *mesh = world_number(3);
  CrQueryOptions options = cr_query_options_default();
  for (int kind = 0; kind < 4; kind++) {
    options.node_model = kind < 3 ? (CrNodeModel)kind : CR_NODE_MODEL_POLYGON;
    options.hierarchical = kind == 3;
    int64_t failed = 0;
    for (int64_t k = 1;; k++) {
      TestMemory memory = {.fail_at = k};
      CrAllocator hooks = test_allocator(&memory);
      CrNavMeshQuery *query = NULL;
      CrStatus status = cr_query_create(mesh, &options, &hooks, &query, NULL);
      if (status == CR_STATUS_OK) {
        int64_t taken = memory.total_allocations;
        uint64_t seed = 6;
        CrPolyRef ref;
        CrVec3 at = world_random_point(mesh, &seed, &ref);
        CrAroundPolygon polygons[MOST];
        CrAroundResult result;
        CrWallDistance wall;
        CrNearestPoly point;
        CHECK_OK(cr_query_polygons_around_circle(query, ref, at, 50, NULL, polygons, MOST, &result, NULL));
        CHECK_OK(cr_query_distance_to_wall(query, ref, at, 50, NULL, &wall, NULL));
        CHECK_OK(cr_query_random_point_around(query, ref, at, 50, NULL, &seed, &point, NULL));
        CHECK_INT(memory.total_allocations, taken);
        cr_query_destroy(query);
      } else {
        CHECK_INT(status, CR_STATUS_OUT_OF_MEMORY);
        CHECK(query == NULL);
        failed++;
      }
      CHECK_INT(memory.live_blocks, 0);
      if (status == CR_STATUS_OK) break;
    }
    CHECK(failed >= 8);
  }
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(circles_are_what_relaxation_finds), RUN(shapes_are_what_relaxation_finds), RUN(touching_counts_exactly),
          RUN(the_cheapest_of_too_many_are_given), RUN(other_storeys_and_far_places), RUN(arguments_are_checked),
          RUN(the_start_is_not_asked_and_links_are_not_taken), RUN(memory_may_run_out_and_none_is_taken_later))
