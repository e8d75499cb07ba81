// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Outlines of the build's own partitions: on random maps, storeys and holes in holes, with every partition, no outline crosses itself or
// another, areas agree, and polygons cover exactly the regions.
#include "navmesh_internal.h"
#include "outline_checks.h"
#include "random_fields.h"

// The links the build makes are mutual: what a hand-made field has beyond that is dropped.
static void keep_mutual(CrOpenField *field) {
  for (uint32_t span = 0; span < field->count; span++) {
    for (int dir = 0; dir < 4; dir++) {
      uint32_t *link = &field->neighbour[4 * (size_t)span + (size_t)dir];
      if (*link != CR_NO_SPAN && cr__open_link(field, span, dir) == CR_NO_SPAN) *link = CR_NO_SPAN;
    }
  }
}

// Gives the maker's spans the regions of a partition.
static uint32_t repartition(FieldMaker *maker, CrPartition partition, int32_t least, int32_t merge) {
  CrArena arena;
  cr__arena_init(&arena, NULL);
  CrOpenField field = field_make(maker, &arena);
  keep_mutual(&field);
  if (field.count) memset(field.region, 0, field.count * sizeof *field.region);
  field.region_count = 0;
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = partition;
  settings.min_region_area = least;
  settings.merge_region_area = merge;
  REQUIRE(cr__partition(&field, &settings, &arena));
  for (uint32_t i = 0; i < field.count; i++) maker->spans[i].region = field.region[i];
  uint32_t count = field.region_count;
  cr__arena_free(&arena);
  return count;
}

static size_t region_cells(const FieldMaker *maker) {
  size_t cells = 0;
  for (size_t i = 0; i < maker->count; i++) {
    cells += maker->spans[i].region && !(maker->spans[i].region & CR_BORDER_REGION);
  }
  return cells;
}

// With no error allowed the polygons cover exactly the cells.
static double exact_area(FieldMaker *maker) {
  Stages s;
  run_stages(&s, maker, 0.0, 0.0, 6);
  int64_t area2 = 0;
  for (uint32_t p = 0, c = 0; p < s.mesh.polygon_count; c += s.mesh.counts[p++]) {
    const uint32_t *v = s.mesh.corner_vertex + c;
    for (uint32_t k = 0; k < s.mesh.counts[p]; k++) {
      const CrOutlineCorner *a = &s.boundary.vertices[v[k]], *b = &s.boundary.vertices[v[(k + 1) % s.mesh.counts[p]]];
      area2 += (int64_t)a->x * b->z - (int64_t)a->z * b->x;
    }
  }
  cr__arena_free(&s.arena);
  return (double)area2 / 2.0;
}

typedef struct Tally {
  uint64_t regions[3], polygons[3];
} Tally;

static void check_partitions(FieldMaker *maker, bool flat, uint64_t *seed, Tally *tally) {
  for (int p = 0; p < 3; p++) {
    int32_t least = rnd_int(seed, 2) ? 0 : rnd_int(seed, 12), merge = rnd_int(seed, 2) ? 0 : rnd_int(seed, 80);
    tally->regions[p] += repartition(maker, (CrPartition)p, least, merge);
    double error = rnd_unit(seed) * 5.0, edge = rnd_int(seed, 2) ? 0.0 : 2.0 + rnd_unit(seed) * 10.0;
    Stages s;
    run_stages(&s, maker, error, edge, 3 + (uint32_t)rnd_int(seed, 10));
    check_areas(&s);
    check_plane(&s, flat);
    check_error(&s, error);
    check_connection(&s);
    CHECK(check_fast_pieces(&s));  // regions are pieces
    tally->polygons[p] += s.mesh.polygon_count;
    cr__arena_free(&s.arena);
    CHECK_NEAR(exact_area(maker), (double)region_cells(maker), 0.0);
  }
}

static void print_tally(int fields, const Tally *tally) {
  printf("  %d fields; regions and polygons: watershed %" PRIu64 " %" PRIu64 ", monotone %" PRIu64 " %" PRIu64
         ", layers %" PRIu64 " %" PRIu64 "\n",
         fields, tally->regions[0], tally->polygons[0], tally->regions[1], tally->polygons[1], tally->regions[2],
         tally->polygons[2]);
}

TEST(random_maps) {
  Tally tally = {0};
  int count = 400 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 15000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 34), depth = 1 + rnd_int(&seed, 34);
    double walls = rnd_small(&seed) * 0.7;
    FieldMaker maker = random_field(&seed, width, depth, walls, 1 + (uint32_t)rnd_int(&seed, 6));
    check_partitions(&maker, true, &seed, &tally);
    field_maker_free(&maker);
  }
  print_tally(count, &tally);
}

TEST(random_storeys_of_all_partitions) {
  Tally tally = {0};
  int count = 400 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 19000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 24);
    FieldMaker maker = random_storeys(&seed, width, 1 + rnd_int(&seed, 24));
    check_partitions(&maker, false, &seed, &tally);
    field_maker_free(&maker);
  }
  print_tally(count, &tally);
}

TEST(winding_ramps_of_all_partitions) {
  Tally tally = {0};
  uint64_t seed = 23;
  int count = 0;
  for (int32_t pole = 0; pole < 4; pole++) {
    for (int32_t turns = 1; turns < 5; turns++, count++) {
      check_seed = seed;
      FieldMaker maker = winding_ramp(20, pole, turns);
      check_partitions(&maker, false, &seed, &tally);
      field_maker_free(&maker);
    }
  }
  print_tally(count, &tally);
}

// --- Holes in holes -----------------------------------------------------------------------------------------------------

typedef struct Shape {
  int kind;
  double x, z, rx, rz, tilt;
} Shape;

static bool in_shape(const Shape *s, double px, double pz) {
  double dx = px - s->x, dz = pz - s->z;
  double u = (dx + dz * s->tilt) / s->rx, v = (dz - dx * s->tilt) / s->rz;
  double d2 = u * u + v * v;
  switch (s->kind) {
    case 0:
      return fabs(u) < 1 && fabs(v) < 1;  // a box, turned or not
    case 1:
      return fabs(u) + fabs(v) < 1;  // a diamond
    case 2:
      return d2 < 1;  // a disc
    case 3:
      return d2 < 1 && d2 > 0.5;  // a ring
    case 4:
      return fabs(u) < 1 && fabs(v) < 1 && fabs(u * v) < 0.1;  // a cross with sharp ends
    default:
      return fabs(u) < 1 && fabs(v - u * u) < 0.15;  // a bow
  }
}

// Walkable ground with shapes of wall and ground painted over each other: holes in holes, touching, crossing, at corners.
static FieldMaker painted_field(uint64_t *seed, int32_t width, int32_t depth) {
  uint8_t *ground = malloc((size_t)width * (size_t)depth);
  REQUIRE(ground);
  memset(ground, 1, (size_t)width * (size_t)depth);
  int shapes = 2 + rnd_int(seed, 30);
  for (int i = 0; i < shapes; i++) {
    Shape shape = {.kind = rnd_int(seed, 6)};
    shape.x = rnd_range(seed, 0, width);
    shape.z = rnd_range(seed, 0, depth);
    double largest = (width + depth) / (2.0 + i);  // large ones first, so that small ones lie in them
    shape.rx = rnd_range(seed, 0.6, 1.0 + largest);
    shape.rz = rnd_range(seed, 0.6, 1.0 + largest);
    shape.tilt = rnd_int(seed, 2) ? 0.0 : rnd_range(seed, -1, 1);
    uint8_t paint = (uint8_t)(i % 2 ? 1 + (rnd_int(seed, 8) == 0) : 0);
    for (int32_t z = 0; z < depth; z++) {
      for (int32_t x = 0; x < width; x++) {
        if (in_shape(&shape, x + 0.5, z + 0.5)) ground[x + z * width] = paint;
      }
    }
  }
  FieldMaker maker = field_maker(width, depth, 0);
  for (int32_t i = 0; i < width * depth; i++) {
    if (ground[i]) field_add(&maker, (FieldSpan){i % width, i / width, 0, 1000, 1, (uint8_t)(ground[i] - 1)});
  }
  free(ground);
  return maker;
}

TEST(holes_in_holes) {
  Tally tally = {0};
  int count = 300 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 29000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 4 + rnd_int(&seed, 44);
    FieldMaker maker = painted_field(&seed, width, 4 + rnd_int(&seed, 44));
    check_partitions(&maker, true, &seed, &tally);
    field_maker_free(&maker);
  }
  print_tally(count, &tally);
}

TEST_MAIN(RUN(random_maps), RUN(random_storeys_of_all_partitions), RUN(winding_ramps_of_all_partitions),
          RUN(holes_in_holes))
