// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Random points: on the mesh, uniform by area over polygons and inside them, the same bits on every platform, right when each of the
// four numbers drawn is the least or the largest there is, and the same as by two passes over the whole mesh.
#include <time.h>

#include "hard_worlds.h"
#include "query_internal.h"

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// --- By the wording: two passes ---------------------------------------------------------------------------------------------

static double fan(const CrTile *tile, uint32_t polygon, uint32_t k) {
  return fmax(0.0, cr__cross_xz(cr__polygon_vertex(tile, polygon, 0), cr__polygon_vertex(tile, polygon, k),
                                cr__polygon_vertex(tile, polygon, k + 1)));
}

static double whole_fan(const CrTile *tile, uint32_t polygon) {
  double sum = 0.0;
  for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, polygon); k++) sum += fan(tile, polygon, k);
  return sum;
}

static bool accepted(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref) {
  uint16_t flags = cr__resolve(mesh, ref)->flags[cr__ref_polygon(ref)];
  return !filter || ((flags & filter->include_flags) && !(flags & filter->exclude_flags));
}

static bool plain_random_point(const CrNavMesh *mesh, const CrPolyRef *all, uint32_t count, const CrQueryFilter *filter,
                               uint64_t *seed, CrNearestPoly *out) {
  double draws[4], whole = 0.0, sum = 0.0;
  for (int i = 0; i < 4; i++) draws[i] = (double)(rnd_u64(seed) >> 11) / 9007199254740992.0;
  for (uint32_t i = 0; i < count; i++) {
    if (accepted(mesh, filter, all[i])) whole += whole_fan(cr__resolve(mesh, all[i]), cr__ref_polygon(all[i]));
  }
  if (whole <= 0.0) return false;
  CrPolyRef ref = 0;
  for (uint32_t i = 0; i < count && !(sum > draws[0] * whole); i++) {
    double area = whole_fan(cr__resolve(mesh, all[i]), cr__ref_polygon(all[i]));
    if (!accepted(mesh, filter, all[i]) || area <= 0.0) continue;
    ref = all[i];
    sum += area;
  }
  const CrTile *tile = cr__resolve(mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref), triangle = 1;
  double part = 0.0, area = whole_fan(tile, polygon);
  for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, polygon) && !(part > draws[1] * area); k++) {
    if (fan(tile, polygon, k) <= 0.0) continue;
    triangle = k;
    part += fan(tile, polygon, k);
  }
  CrVec3 a = cr__polygon_vertex(tile, polygon, 0), b = cr__polygon_vertex(tile, polygon, triangle);
  CrVec3 c = cr__polygon_vertex(tile, polygon, triangle + 1), p;
  double s = sqrt(draws[2]), wa = 1.0 - s, wb = s * (1.0 - draws[3]), wc = s * draws[3];
  p = cr__vec(a.x * wa + b.x * wb + c.x * wc, a.y * wa + b.y * wb + c.y * wc, a.z * wa + b.z * wb + c.z * wc);
  *out = (CrNearestPoly){ref, cr__polygon_closest(tile, polygon, p, NULL), true};
  return true;
}

TEST(random_points_are_those_of_two_passes) {
  int64_t compared = 0;
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrNavMesh *mesh = number < 30 ? world_number(number) : hard_world(number - 30);
    CrNavMeshQuery *query = make_query(mesh);
    uint32_t count;
    CrPolyRef *all = world_all_polygons(mesh, &count);
    uint64_t seed = 2100 + (uint64_t)number;
    for (int64_t i = check_scaled(300); i > 0; i--) {
      check_seed = seed;
      CrQueryFilter filter = cr_query_filter_default();
      filter.exclude_flags = (uint16_t)rnd_int(&seed, 4);
      // The mesh and the filter change under the query.
      if (i % 5 == 0) {
        CrPolyRef ref = all[rnd_int(&seed, (int32_t)count)];
        REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, (uint16_t)rnd_int(&seed, 4), NULL));
      }
      const CrQueryFilter *used = i % 3 ? NULL : &filter;
      uint64_t here = seed;
      CrNearestPoly expected = {0}, found = {0};
      bool any = plain_random_point(mesh, all, count, used, &here, &expected);
      CHECK_INT(cr_query_random_point(query, used, &seed, &found), any ? CR_STATUS_OK : CR_STATUS_NOT_FOUND);
      CHECK(here == seed);
      CHECK(found.ref == expected.ref && cr__same_point(found.point, expected.point));
      compared++;
    }
    free(all);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld points\n", (long long)compared);
}

// --- On the mesh, and uniform ---------------------------------------------------------------------------------------------

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
  if (degrees < 2) return 0.0;
  degrees--;
  return (chi - degrees) / sqrt(2.0 * degrees);
}

static CrPolyRef *sorted_polygons(const CrNavMesh *mesh, uint32_t *out_count) {
  CrPolyRef *all = world_all_polygons(mesh, out_count);
  for (uint32_t i = 1; i < *out_count; i++) REQUIRE(all[i - 1] < all[i]);
  return all;
}

static uint32_t place_of(const CrPolyRef *all, uint32_t count, CrPolyRef ref) {
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (all[middle] <= ref)
      low = middle;
    else
      high = middle;
  }
  REQUIRE(all[low] == ref);
  return low;
}

static double check_uniform(int number, int64_t draws) {
  CrQueryFilter storage;
  const CrQueryFilter *filter = filter_number(number, &storage);
  CrNavMesh *mesh = number < 30 ? world_number(number) : hard_world(number - 30);
  CrNavMeshQuery *query = make_query(mesh);
  uint32_t count;
  CrPolyRef *all = sorted_polygons(mesh, &count);
  int64_t *counted = calloc(count, sizeof *counted);
  double *expected = calloc(count, sizeof *expected), whole = 0.0, slack = world_slack(mesh) * 0.1;
  for (uint32_t i = 0; i < count; i++) whole += accepted(mesh, filter, all[i]) ? area_of(mesh, all[i]) : 0.0;
  for (uint32_t i = 0; i < count; i++) {
    if (accepted(mesh, filter, all[i])) expected[i] = (double)draws * area_of(mesh, all[i]) / whole;
  }
  uint64_t seed = 5000 + (uint64_t)number;
  for (int64_t i = 0; i < draws; i++) {
    CrNearestPoly random;
    CHECK_OK(cr_query_random_point(query, filter, &seed, &random));
    const CrTile *tile = cr__resolve(mesh, random.ref);
    uint32_t polygon = cr__ref_polygon(random.ref);
    CHECK(cr__polygon_holds(tile, polygon, random.point.x, random.point.z, slack));
    CHECK(random.point.y == cr__polygon_height(tile, polygon, random.point.x, random.point.z));
    counted[place_of(all, count, random.ref)]++;
  }
  // Rare polygons together: the normal approximation needs a few draws in each bin.
  double rare = 0.0;
  int64_t rare_counted = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (expected[i] <= 0.0 || expected[i] >= 5.0) continue;
    rare += expected[i];
    rare_counted += counted[i];
    expected[i] = 0.0;
    counted[i] = 0;
  }
  if (rare > 0.0) expected[0] += rare, counted[0] += rare_counted;
  double off = deviation(expected, counted, count);
  free(counted);
  free(expected);
  free(all);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  return off;
}

TEST(a_million_random_points_are_uniform_over_polygons) {
  const int worlds = 30 + HARD_WORLDS;
  int64_t each = check_scaled(1000000) / worlds + 1;
  double worst = 0.0, sum = 0.0, squares = 0.0;
  for (int number = 0; number < worlds; number++) {
    check_seed = (uint64_t)number;
    double off = check_uniform(number, each);
    // Of 44 worlds' deviations one beyond 4.5 is a matter of 1 in 1000 (the distribution leans to the right).
    CHECK(fabs(off) < 4.5);
    worst = fmax(worst, fabs(off));
    sum += off;
    squares += off * off;
  }
  printf(
      "  %lld points over the polygons of %d worlds: chi-squared off its mean by %.2f standard deviations in the mean, "
      "%.2f"
      " rms, %.2f at worst\n",
      (long long)(each * worlds), worlds, sum / worlds, sqrt(squares / worlds), worst);
  CHECK(fabs(sum / sqrt(worlds)) < 4.0);
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

// --- The same sequence everywhere -------------------------------------------------------------------------------------------

static uint64_t digest(CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t seed) {
  CrNavMeshQuery *query = make_query(mesh);
  CrWriter hash = cr__writer_hash();
  for (int i = 0; i < 2000; i++) {
    CrNearestPoly random;
    CHECK_OK(cr_query_random_point(query, filter, &seed, &random));
    cr__write_u64(&hash, random.ref);
    cr__write_point(&hash, random.point);
  }
  cr__write_u64(&hash, seed);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  return hash.hash;
}

TEST(the_sequence_is_the_same_on_every_platform) {
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 2;
  uint64_t hashes[4] = {digest(world_number(7), NULL, 1), digest(world_number(25), &filter, 77),
                        digest(hard_world(0), NULL, UINT64_MAX), digest(hard_world(5), NULL, 0)};
  static const uint64_t pinned[4] = {UINT64_C(0x1126dcdaef4805d4), UINT64_C(0x35fef293082860eb),
                                     UINT64_C(0x763389a62d8b8636), UINT64_C(0x12bff3e5378a9aa6)};
  for (int i = 0; i < 4; i++) {
    if (hashes[i] != pinned[i]) printf("  sequence %d: %016" PRIx64 "\n", i, hashes[i]);
    CHECK(hashes[i] == pinned[i]);
    check_note_bytes(&hashes[i], sizeof hashes[i]);
  }
}

// --- The least and the largest numbers ----------------------------------------------------------------------------------------

static uint64_t unshift(uint64_t z, int shift) {
  for (int done = shift; done < 64; done *= 2) z ^= z >> done;
  return z;
}

// The inverse of an odd number modulo 2^64 (Newton: each round doubles the bits that are right).
static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 5; i++) x *= 2 - odd * x;
  return x;
}

// The seed from which draw number `draw` (0..3) has this output: splitmix64 is a bijection of its state.
static uint64_t seed_for(uint64_t output, int draw) {
  uint64_t z = unshift(output, 31) * inverse(UINT64_C(0x94D049BB133111EB));
  z = unshift(z, 27) * inverse(UINT64_C(0xBF58476D1CE4E5B9));
  return unshift(z, 30) - (uint64_t)(draw + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

TEST(the_least_and_the_largest_numbers_drawn_give_points) {
  static const uint64_t outputs[] = {0, 2047, UINT64_MAX, UINT64_MAX - 2047, UINT64_C(1) << 11, UINT64_C(1) << 63};
  int64_t points = 0;
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrNavMesh *mesh = number < 30 ? world_number(number) : hard_world(number - 30);
    CrNavMeshQuery *query = make_query(mesh);
    uint32_t count;
    CrPolyRef *all = sorted_polygons(mesh, &count);
    for (int draw = 0; draw < 4; draw++) {
      for (size_t i = 0; i < CR_COUNT_OF(outputs); i++) {
        uint64_t seed = seed_for(outputs[i], draw), probe = seed, plain = seed;
        double value = 0.0;
        for (int k = 0; k <= draw; k++) value = cr__random_unit(&probe);
        CHECK(value == (double)(outputs[i] >> 11) / 9007199254740992.0 && value < 1.0);
        CrNearestPoly random, expected;
        CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
        REQUIRE(plain_random_point(mesh, all, count, NULL, &plain, &expected));
        CHECK(random.ref == expected.ref && cr__same_point(random.point, expected.point));
        const CrTile *tile = cr__resolve(mesh, random.ref);
        uint32_t polygon = cr__ref_polygon(random.ref);
        CHECK(cr__polygon_holds(tile, polygon, random.point.x, random.point.z, world_slack(mesh) * 0.1));
        if (draw == 0 && i < 2) CHECK(random.ref == all[0]);
        if (draw == 0 && (i == 2 || i == 3)) CHECK(random.ref == all[count - 1]);
        // s = 0: the polygon's first vertex.
        if (draw == 2 && i < 2) CHECK(cr__near_xz(random.point, cr__polygon_vertex(tile, polygon, 0), 0.0));
        points++;
      }
    }
    free(all);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld points\n", (long long)points);
}

// --- Speed --------------------------------------------------------------------------------------------------------------------

TEST(a_point_of_many_polygons_is_drawn_fast) {
  CrNavMesh *mesh = world_scattered(3, 340, 340, 1.0, 0.1, 40, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  uint64_t seed = 1;
  CrNearestPoly random;
  CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
  clock_t before = clock();
  for (int i = 0; i < 10000; i++) CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
  double many = (double)(clock() - before) / CLOCKS_PER_SEC;
  before = clock();
  for (int i = 0; i < 20; i++) {
    query->areas->valid = false;
    CHECK_OK(cr_query_random_point(query, NULL, &seed, &random));
  }
  double anew = (double)(clock() - before) / CLOCKS_PER_SEC;
  printf("  %u polygons: %.2f us a point, %.0f us for the first one after an edit\n", cr_navmesh_polygon_count(mesh),
         many / 10000 * 1e6, anew / 20 * 1e6);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(random_points_are_those_of_two_passes), RUN(a_million_random_points_are_uniform_over_polygons),
          RUN(random_points_are_uniform_inside_a_polygon), RUN(random_points_are_the_callers_sequence),
          RUN(the_sequence_is_the_same_on_every_platform), RUN(the_least_and_the_largest_numbers_drawn_give_points),
          RUN(a_point_of_many_polygons_is_drawn_fast))
