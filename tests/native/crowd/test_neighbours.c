// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The neighbour grid against all pairs: spread evenly, in clumps, far apart, in lines, on one spot, and at densities up to eight
// agents per square unit.
#include "check.h"
#include "crowd_struct.h"

typedef struct Field {
  CrGrid grid;
  CrAllocator allocator;
  CrSeen *seen;
  uint32_t *place;
  int32_t count;
} Field;

static Field make_field(int32_t capacity) {
  Field field;
  memset(&field, 0, sizeof field);
  field.allocator = cr__allocator_or_default(NULL);
  field.seen = calloc((size_t)capacity, sizeof *field.seen);
  field.place = calloc((size_t)capacity, sizeof *field.place);
  REQUIRE(field.seen && field.place && cr__grid_reserve(&field.grid, &field.allocator, capacity));
  return field;
}

static void free_field(Field *field) {
  cr__grid_release(&field->grid, &field->allocator);
  free(field->seen);
  free(field->place);
}

static void build_field(Field *field) {
  CrGridPart part = {field->seen, field->place, field->count};
  cr__grid_build(&field->grid, &part, 1);
}

static void put(Field *field, double x, double z, double radius) {
  field->seen[field->count] = (CrSeen){x, 0, z, 0, 0, radius, 1, (uint32_t)field->count, 0};
  field->count++;
}

// --- Oracle -----------------------------------------------------------------------------------------------------------

static int32_t nearest_of_all(const CrSeen *all, int32_t count, int32_t self, double reach_squared, int32_t most,
                              CrNear *out) {
  int32_t found = 0;
  for (int32_t j = 0; j < count; j++) {
    double dx = all[j].x - all[self].x, dz = all[j].z - all[self].z, distance = dx * dx + dz * dz;
    if (j == self || all[j].radius == 0.0 || distance >= reach_squared) continue;
    int32_t k = found;
    while (k > 0 && out[k - 1].distance_squared > distance) k--;  // j rises, so ties keep their order
    if (k >= most) continue;
    if (found < most) found++;
    for (int32_t m = found - 1; m > k; m--) out[m] = out[m - 1];
    out[k] = (CrNear){distance, (uint32_t)j, 0};
  }
  return found;
}

// Compares every agent's neighbours (or a sample of `sample` agents). Returns how many neighbours were compared.
static int64_t check_field(Field *field, double reach, int32_t most, int32_t sample) {
  CrGrid *grid = &field->grid;
  const CrSeen *all = field->seen;
  build_field(field);
  int64_t compared = 0;
  int32_t step = field->count > sample ? field->count / sample : 1;
  for (int32_t i = 0; i < field->count; i += step) {
    if (all[i].radius == 0.0) continue;
    CrNear expected[CR_MAX_NEIGHBOURS], found[CR_MAX_NEIGHBOURS];
    int32_t expected_count = nearest_of_all(all, field->count, i, reach * reach, most, expected);
    static const double hints[] = {0.0, 1e-6, 0.3, 1.0, 1.5, 1e9};
    double farthest = expected_count ? expected[expected_count - 1].distance_squared : 1.0;
    double hint = hints[(i + most) % 6] * farthest;
    int32_t count = cr__grid_nearest(grid, field->place[i], reach * reach, most, &hint, found);
    CHECK(hint == (count == most ? farthest : 0.0));
    CHECK_INT(count, expected_count);
    for (int32_t k = 0; k < count && count == expected_count; k++) {
      CHECK_INT(found[k].order, expected[k].order);
      CHECK(found[k].distance_squared == expected[k].distance_squared);
      CHECK(grid->entries[found[k].entry].order == found[k].order);
    }
    compared += count;
  }
  return compared;
}

// --- Fields -----------------------------------------------------------------------------------------------------------

TEST(even_fields_match_all_pairs) {
  static const double densities[] = {0.001, 0.05, 0.25, 1.0, 3.0, 8.0};
  Field field = make_field(1200);
  for (size_t k = 0; k < sizeof densities / sizeof densities[0]; k++) {
    int64_t compared = 0;
    for (int run = 0; run < 12; run++) {
      uint64_t seed = check_seed = 100 * k + (uint64_t)run;
      int32_t count = 1 + rnd_int(&seed, 1200);
      double side = __builtin_sqrt(count / densities[k]);
      double stretch = rnd_range(&seed, 0.2, 5.0);
      field.count = 0;
      for (int32_t i = 0; i < count; i++) {
        double x = rnd_unit(&seed) * side * stretch - 50, z = rnd_unit(&seed) * side / stretch + 7;
        put(&field, x, z, rnd_int(&seed, 10) ? rnd_range(&seed, 0.3, 1.5) : 0.0);  // a tenth of the slots are free
      }
      double reach = rnd_range(&seed, 1.0, 12.0);
      compared += check_field(&field, reach, 1 + rnd_int(&seed, 12), 400);
    }
    printf("  density %g: %" PRId64 " neighbours compared\n", densities[k], compared);
    CHECK(compared > 100);
  }
  free_field(&field);
}

TEST(clumped_and_far_flung_fields_match_all_pairs) {
  Field field = make_field(800);
  int64_t compared = 0;
  for (int run = 0; run < 60; run++) {
    uint64_t seed = check_seed = 5000 + (uint64_t)run;
    int32_t count = 1 + rnd_int(&seed, 800);
    double spread = run % 2 ? 2e6 : 300.0;
    double x = 0, z = 0, clump = 1;
    field.count = 0;
    for (int32_t i = 0; i < count; i++) {
      if (i % 37 == 0) {
        x = rnd_range(&seed, -spread, spread);
        z = rnd_range(&seed, -spread, spread);
        clump = rnd_range(&seed, 0.01, 20.0);
      }
      double off_x = rnd_range(&seed, -clump, clump), off_z = rnd_range(&seed, -clump, clump);
      put(&field, x + off_x, z + off_z, 0.6);
    }
    compared += check_field(&field, 8.2, 8, 400);
  }
  printf("  60 fields: %" PRId64 " neighbours compared\n", compared);
  CHECK(compared > 10000);
  free_field(&field);
}

// Positions on a lattice: many equal distances, many agents on one spot.
// Many on one spot, on a few, in a small square, or on a line, some of them with others far off: more in a column than rows are
// searched for.
static void put_heap(Field *field, uint64_t *seed, int32_t count, int kind) {
  double size = 0.001 + 0.5 * rnd_unit(seed), x = 0.0, z = 0.0;
  int32_t spots = 1 + rnd_int(seed, 40);
  field->count = 0;
  for (int32_t i = 0; i < count; i++) {
    if (kind == 1 && i % spots == 0) x = size * rnd_int(seed, 4), z = size * rnd_int(seed, 4);
    if (kind == 2) x = size * rnd_unit(seed), z = size * rnd_unit(seed);
    if (kind == 3) x = 0.25, z = size * rnd_unit(seed);
    bool far = rnd_int(seed, 100) == 0;
    double at_x = far ? rnd_range(seed, -1e5, 1e5) : x, at_z = far ? rnd_range(seed, -50, 50) : z;
    put(field, at_x, at_z, rnd_int(seed, 50) ? 0.5 : 0.0);
  }
}

TEST(heaps_match_all_pairs) {
  Field field = make_field(3000);
  int64_t compared = 0;
  for (int run = 0; run < 120; run++) {
    check_seed = 4000 + (uint64_t)run;
    uint64_t seed = check_seed;
    put_heap(&field, &seed, 400 + rnd_int(&seed, 2600), run % 4);
    compared += check_field(&field, run % 3 ? 1.0 : 1e6, 4 + 4 * (run % 3), 60);
    CHECK(field.grid.nodes);
  }
  printf("  %" PRId64 " neighbours compared\n", compared);
  free_field(&field);
}

TEST(ties_go_by_slot) {
  Field field = make_field(600);
  int64_t compared = 0;
  for (int run = 0; run < 60; run++) {
    uint64_t seed = check_seed = 7000 + (uint64_t)run;
    int32_t count = 1 + rnd_int(&seed, 600), width = 1 + rnd_int(&seed, 20);
    field.count = 0;
    for (int32_t i = 0; i < count; i++) {
      double x = 0.5 * rnd_int(&seed, width), z = run % 3 ? 0.5 * rnd_int(&seed, width) : 1.0;
      put(&field, x, z, 0.3);
    }
    compared += check_field(&field, 3.0, 1 + rnd_int(&seed, 12), 400);
  }
  printf("  60 lattices: %" PRId64 " neighbours compared\n", compared);
  free_field(&field);
}

// Distances so close to each other that many are equal but for their last digits, some of them in all.
TEST(nearly_equal_distances_match_all_pairs) {
  Field field = make_field(60);
  int64_t compared = 0;
  for (int run = 0; run < 300; run++) {
    uint64_t seed = check_seed = 9000 + (uint64_t)run;
    double differs[] = {0.0, 1e-15, 1e-12, 1e-8, 1e-6, 1e-4}, most = differs[run % 6];
    int32_t count = 2 + rnd_int(&seed, 58);
    field.count = 0;
    put(&field, 0, 0, 0.5);
    for (int32_t i = 1; i < count; i++) {
      double distance = 3.0 * (1.0 + most * rnd_unit(&seed)), out = rnd_unit(&seed) * 0.8 * distance;
      double along = __builtin_sqrt(distance * distance - out * out);
      if (rnd_int(&seed, 2) == 0) along = -along;
      if (rnd_int(&seed, 2) == 0) out = -out;
      put(&field, along, out, 0.5);
    }
    compared += check_field(&field, 8.0, 1 + rnd_int(&seed, 12), 60);
  }
  printf("  300 rings: %" PRId64 " neighbours compared\n", compared);
  CHECK(compared > 10000);
  free_field(&field);
}

TEST(the_reach_is_open) {
  Field field = make_field(8);
  put(&field, 0, 0, 0.5);
  put(&field, 3, 4, 0.5);
  build_field(&field);
  CrNear near[1];
  double hint = 0.0;
  CHECK_INT(cr__grid_nearest(&field.grid, field.place[0], 25.0, 1, &hint, near), 0);
  CHECK_INT(cr__grid_nearest(&field.grid, field.place[0], 25.000001, 1, &hint, near), 1);
  CHECK(near[0].order == 1 && near[0].distance_squared == 25.0);
  free_field(&field);
}

TEST(extreme_sizes_stay_in_range) {
  static const double radii[] = {1e-300, 0.001, 500000.0};
  static const double reaches[] = {0.01, 8.0, 4e6};
  Field field = make_field(300);
  for (int run = 0; run < 9; run++) {
    uint64_t seed = check_seed = 9000 + (uint64_t)run;
    field.count = 0;
    for (int32_t i = 0; i < 300; i++) {
      bool corner = i < 4;
      double x = corner ? (i & 1 ? 2097151.99 : -2097151.99) : rnd_range(&seed, -2e6, 2e6);
      double z = corner ? (i & 2 ? 2097151.99 : -2097151.99) : rnd_range(&seed, -2e6, 2e6);
      put(&field, x, z, radii[run % 3]);
    }
    check_field(&field, reaches[run / 3], 8, 300);
  }
  free_field(&field);
}

TEST_MAIN(RUN(even_fields_match_all_pairs), RUN(clumped_and_far_flung_fields_match_all_pairs),
          RUN(heaps_match_all_pairs), RUN(ties_go_by_slot), RUN(nearly_equal_distances_match_all_pairs),
          RUN(the_reach_is_open), RUN(extreme_sizes_stay_in_range))
