// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Volumes: which spans they mark, against a distance computed another way for every column; and what is refused.
#include <math.h>

#include "build_internal.h"
#include "check.h"
#include "field_maker.h"

// --- Oracle ---------------------------------------------------------------------------------------------------------------

typedef struct Outline {
  uint32_t count;
  double x[CR_VOLUME_MAX_CORNERS], z[CR_VOLUME_MAX_CORNERS];
} Outline;

static Outline outline_of(const CrVolume *v) {
  Outline o = {.count = v->corner_count};
  for (uint32_t k = 0; v->shape == CR_VOLUME_CONVEX && k < o.count; k++) {
    o.x[k] = v->corners[2 * k];
    o.z[k] = v->corners[2 * k + 1];
  }
  if (v->shape != CR_VOLUME_BOX) return o;
  double angle = v->axis_x == 0 && v->axis_z == 0 ? 0.0 : atan2(v->axis_z, v->axis_x);
  const double sx[4] = {-1, 1, 1, -1}, sz[4] = {-1, -1, 1, 1};
  o.count = 4;
  for (int k = 0; k < 4; k++) {
    double px = sx[k] * v->half_x, pz = sz[k] * v->half_z;
    o.x[k] = v->center_x + px * cos(angle) - pz * sin(angle);
    o.z[k] = v->center_z + px * sin(angle) + pz * cos(angle);
  }
  return o;
}

// Even-odd rule, and the distance to the nearest side.
static double outline_distance(const Outline *o, double x, double z) {
  bool inside = false;
  double nearest = INFINITY;
  for (uint32_t i = 0, j = o->count - 1; i < o->count; j = i++) {
    if ((o->z[i] > z) != (o->z[j] > z) && x < (o->x[j] - o->x[i]) * (z - o->z[i]) / (o->z[j] - o->z[i]) + o->x[i]) {
      inside = !inside;
    }
    double dx = o->x[j] - o->x[i], dz = o->z[j] - o->z[i];
    double t = ((x - o->x[i]) * dx + (z - o->z[i]) * dz) / (dx * dx + dz * dz);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    nearest = fmin(nearest, hypot(x - o->x[i] - t * dx, z - o->z[i] - t * dz));
  }
  return inside ? 0.0 : nearest;
}

static double distance_to(const CrVolume *v, const Outline *o, double x, double z) {
  if (v->shape != CR_VOLUME_CYLINDER) return outline_distance(o, x, z);
  return fmax(0.0, hypot(x - v->center_x, z - v->center_z) - v->radius);
}

// --- Fields and volumes ---------------------------------------------------------------------------------------------------

static FieldMaker random_field(uint64_t *seed, int32_t width, int32_t depth) {
  FieldMaker maker = field_maker(width, depth, rnd_int(seed, 5));
  maker.grid.cell_x = rnd_int(seed, 400) - 200;
  maker.grid.cell_z = rnd_int(seed, 400) - 200;
  maker.grid.origin_x = rnd_range(seed, -50, 50);
  maker.grid.origin_y = rnd_range(seed, -5, 5);
  maker.grid.origin_z = rnd_range(seed, -50, 50);
  for (int32_t z = 0; z < depth; z++) {
    for (int32_t x = 0; x < width; x++) {
      for (int32_t storey = 0; storey < 3; storey++) {
        if (rnd_int(seed, 4) == 0) continue;
        uint8_t area = rnd_int(seed, 8) == 0 ? CR_AREA_NONE : (uint8_t)rnd_int(seed, 3);
        field_add(&maker, (FieldSpan){x, z, storey * 20 + rnd_int(seed, 5), 15, 0, area});
      }
    }
  }
  return maker;
}

static double center(double origin, int32_t cell, double size) { return origin + (cell + 0.5) * size; }

static CrVolume random_volume(uint64_t *seed, const CrGrid *grid) {
  double x = center(grid->origin_x, grid->cell_x + rnd_int(seed, grid->width), grid->cell_size);
  double z = center(grid->origin_z, grid->cell_z + rnd_int(seed, grid->depth), grid->cell_size);
  CrVolume v = {.shape = (CrVolumeShape)rnd_int(seed, 3), .center_x = x, .center_z = z};
  v.area = rnd_int(seed, 3) == 0 ? CR_AREA_BLOCKED : (uint8_t)rnd_int(seed, 64);
  v.min_y = grid->origin_y + rnd_range(seed, -2, 12);
  v.max_y = v.min_y + rnd_range(seed, 0, 6);
  v.radius = rnd_range(seed, 0.1, 6);
  v.half_x = rnd_range(seed, 0.1, 6);
  v.half_z = rnd_range(seed, 0.1, 6);
  if (rnd_int(seed, 3)) {
    v.axis_x = rnd_range(seed, -1, 1);
    v.axis_x *= pow(10, rnd_int(seed, 9) - 4);
    v.axis_z = rnd_range(seed, -1, 1);
    v.axis_z *= pow(10, rnd_int(seed, 9) - 4);
  }
  v.corner_count = 3 + (uint32_t)rnd_int(seed, CR_VOLUME_MAX_CORNERS - 2);
  double turn = rnd_int(seed, 2) ? 1 : -1, start = rnd_range(seed, 0, 6), wide = rnd_range(seed, 0.5, 6);
  for (uint32_t k = 0; k < v.corner_count; k++) {  // on an ellipse: convex whatever the gaps
    double a = start + turn * 6.283185307179586 * (k + rnd_range(seed, 0, 0.8)) / v.corner_count;
    v.corners[2 * k] = x + wide * cos(a);
    v.corners[2 * k + 1] = z + 3 * sin(a);
  }
  return v;
}

typedef struct Expected {
  uint8_t *area;
  bool *unsure;  // a centre so near the edge that rounding decides
} Expected;

static void expect_volume(const CrOpenField *field, const CrVolume *v, double grow, double head, Expected *expected) {
  const CrGrid *g = &field->grid;
  Outline o = outline_of(v);
  for (int32_t z = 0; z < g->depth; z++) {
    for (int32_t x = 0; x < g->width; x++) {
      double d = distance_to(v, &o, center(g->origin_x, g->cell_x + x, g->cell_size),
                             center(g->origin_z, g->cell_z + z, g->cell_size));
      size_t column = (size_t)z * (size_t)g->width + (size_t)x;
      for (uint32_t s = field->first[column]; s < field->first[column + 1]; s++) {
        double y = g->origin_y + field->floor[s] * g->cell_height;
        bool high = head > 0 ? y + head > v->min_y && y < v->max_y : y >= v->min_y && y <= v->max_y;
        if (fabs(y - v->max_y) < 1e-9 || fabs(y + head - v->min_y) < 1e-9) expected->unsure[s] = true;
        if (!high) continue;
        if (grow > 0 ? fabs(d - grow) < 1e-9 : d > 0 && d < 1e-9) expected->unsure[s] = true;
        if (d <= grow && expected->area[s] != CR_AREA_NONE) {
          expected->area[s] = v->area == CR_AREA_BLOCKED ? CR_AREA_NONE : v->area;
        }
      }
    }
  }
}

TEST(marks_are_those_of_a_distance_computed_another_way) {
  uint64_t seed = check_seed = 11;
  int64_t marked = 0, spans = 0, unsure = 0, rounds = check_scaled(400);
  for (int64_t round = 0; round < rounds; round++) {
    CrArena arena;
    cr__arena_init(&arena, NULL);
    int32_t width = 8 + rnd_int(&seed, 30), depth = 8 + rnd_int(&seed, 30);
    FieldMaker maker = random_field(&seed, width, depth);
    CrOpenField field = field_make(&maker, &arena);
    CrVolume volumes[6];
    uint32_t count = 1 + (uint32_t)rnd_int(&seed, 6);
    double grow = rnd_int(&seed, 2) ? rnd_range(&seed, 0, 3) : 0,
           head = rnd_int(&seed, 2) ? rnd_range(&seed, 0.5, 3) : 0;
    Expected expected = {cr__arena_alloc(&arena, field.count, 1), cr__arena_zeroed(&arena, field.count, sizeof(bool))};
    REQUIRE(expected.area && expected.unsure);
    memcpy(expected.area, field.area, field.count);
    uint8_t *before = cr__arena_alloc(&arena, field.count, 1);
    memcpy(before, field.area, field.count);
    for (uint32_t i = 0; i < count; i++) {
      volumes[i] = random_volume(&seed, &field.grid);
      expect_volume(&field, &volumes[i], grow, head, &expected);
    }
    CHECK_OK(cr__volumes_check(volumes, count, "volumes", NULL));
    cr__volumes_mark(&field, volumes, count, grow, head);
    for (uint32_t s = 0; s < field.count; s++) {
      spans++;
      marked += field.area[s] != before[s];
      unsure += expected.unsure[s];
      if (!expected.unsure[s]) CHECK(field.area[s] == expected.area[s]);
    }
    field_maker_free(&maker);
    cr__arena_free(&arena);
  }
  printf("%" PRId64 " fields: %" PRId64 " of %" PRId64 " spans changed, %" PRId64 " too near an edge to tell\n", rounds,
         marked, spans, unsure);
  CHECK(marked > spans / 100 && unsure < spans / 1000);
}

// --- Exact cases ----------------------------------------------------------------------------------------------------------

static CrOpenField plain_field(FieldMaker *maker, CrArena *arena, int32_t floor) {
  *maker = field_maker(16, 16, 0);  // cells of 0.5: centres at 0.25 + k / 2
  for (int32_t z = 0; z < 16; z++) {
    for (int32_t x = 0; x < 16; x++) field_add(maker, (FieldSpan){x, z, floor, 100, 0, 1});
  }
  return field_make(maker, arena);
}

// Spans that have `area` after marking a plain field of that floor height.
static int count_marked(const CrVolume *volumes, uint32_t count, double grow, double head, int32_t floor,
                        uint8_t area) {
  CrArena arena;
  FieldMaker maker;
  cr__arena_init(&arena, NULL);
  CrOpenField field = plain_field(&maker, &arena, floor);
  cr__volumes_mark(&field, volumes, count, grow, head);
  int marked = 0;
  for (uint32_t s = 0; s < field.count; s++) marked += field.area[s] == area;
  field_maker_free(&maker);
  cr__arena_free(&arena);
  return marked;
}

static CrVolume box(double x, double z, double half_x, double half_z, uint8_t area) {
  return (CrVolume){.shape = CR_VOLUME_BOX,
                    .area = area,
                    .min_y = -1,
                    .max_y = 1,
                    .center_x = x,
                    .center_z = z,
                    .half_x = half_x,
                    .half_z = half_z};
}

TEST(edges_belong_to_a_shape) {
  CrVolume b = box(4.25, 4.25, 1.0, 0.5, 7);  // sides exactly on centres
  CHECK_INT(count_marked(&b, 1, 0, 0, 0, 7), 5 * 3);
  CHECK_INT(count_marked(&b, 1, 0.5, 0, 0, 7), 7 * 3 + 5 * 2);  // grown with round corners
  CrVolume c = b;
  c.shape = CR_VOLUME_CYLINDER;
  c.radius = 1.0;
  CHECK_INT(count_marked(&c, 1, 0, 0, 0, 7), 13);
  CrVolume p = b;
  p.shape = CR_VOLUME_CONVEX;
  p.corner_count = 4;
  memcpy(p.corners, (double[8]){3.25, 3.75, 5.25, 3.75, 5.25, 4.75, 3.25, 4.75}, 8 * sizeof(double));
  CHECK_INT(count_marked(&p, 1, 0, 0, 0, 7), 5 * 3);
  CHECK_INT(count_marked(&p, 1, 0.5, 0, 0, 7), 7 * 3 + 5 * 2);
  memcpy(p.corners, (double[8]){3.25, 4.75, 5.25, 4.75, 5.25, 3.75, 3.25, 3.75}, 8 * sizeof(double));
  CHECK_INT(count_marked(&p, 1, 0, 0, 0, 7), 5 * 3);
  b.axis_x = 0;
  b.axis_z = -3;  // a quarter turn: exact
  CHECK_INT(count_marked(&b, 1, 0, 0, 0, 7), 3 * 5);
}

TEST(heights_are_closed_for_volumes_and_open_for_what_an_agent_touches) {
  CrVolume b = box(4, 4, 9, 9, 7);
  b.min_y = 1.0;
  b.max_y = 2.0;  // floors of 0.25
  CHECK_INT(count_marked(&b, 1, 0, 0, 3, 7), 0);
  CHECK_INT(count_marked(&b, 1, 0, 0, 4, 7), 256);
  CHECK_INT(count_marked(&b, 1, 0, 0, 8, 7), 256);
  CHECK_INT(count_marked(&b, 1, 0, 0, 9, 7), 0);
  CHECK_INT(count_marked(&b, 1, 0, 2.0, -4, 7), 0);  // the head just reaches it
  CHECK_INT(count_marked(&b, 1, 0, 2.0, -3, 7), 256);
  CHECK_INT(count_marked(&b, 1, 0, 2.0, 7, 7), 256);
  CHECK_INT(count_marked(&b, 1, 0, 2.0, 8, 7), 0);  // stands on it
  b.max_y = 1.0;
  CHECK_INT(count_marked(&b, 1, 0, 0, 4, 7), 256);
  CHECK_INT(count_marked(&b, 1, 0, 2.0, 4, 7), 0);
  CHECK_INT(count_marked(&b, 1, 0, 2.0, 3, 7), 256);
}

TEST(later_volumes_count_but_blocked_stays_blocked) {
  CrVolume all = box(4, 4, 9, 9, 3), half = box(2, 4, 2, 9, 5), hole = box(2, 2, 2, 2, CR_AREA_BLOCKED);
  CHECK_INT(count_marked((CrVolume[]){all, half}, 2, 0, 0, 0, 5), 128);
  CHECK_INT(count_marked((CrVolume[]){half, all}, 2, 0, 0, 0, 5), 0);
  CHECK_INT(count_marked((CrVolume[]){half, all}, 2, 0, 0, 0, 3), 256);
  CHECK_INT(count_marked((CrVolume[]){hole, all}, 2, 0, 0, 0, CR_AREA_NONE), 64);
  CHECK_INT(count_marked((CrVolume[]){hole, all}, 2, 0, 0, 0, 3), 192);
  CHECK_INT(count_marked((CrVolume[]){all, hole, half}, 3, 0, 0, 0, 5), 64);
}

// A blocked side parallel to the grid keeps walkable cells a radius away, wherever the side lies.
TEST(no_walkable_cell_comes_nearer_than_the_radius) {
  uint64_t seed = check_seed = 5;
  for (int round = 0; round < 200; round++) {
    CrArena arena;
    FieldMaker maker;
    cr__arena_init(&arena, NULL);
    CrOpenField field = plain_field(&maker, &arena, 0);
    double radius = rnd_range(&seed, 0.1, 1.5), side = rnd_range(&seed, 2, 6);
    CrVolume b = box(side - 40, 4, 40, 90, CR_AREA_BLOCKED);
    cr__volumes_mark(&field, &b, 1, radius + 0.25, 2.0);
    for (int32_t x = 0; x < 16; x++) {
      bool walkable = field.area[x] != CR_AREA_NONE;
      if (walkable) CHECK(0.5 * x - side > radius - 1e-9);
      if (!walkable) CHECK(0.5 * x - side <= radius + 1e-9);
    }
    field_maker_free(&maker);
    cr__arena_free(&arena);
  }
}

TEST(shapes_far_away_or_enormous_do_no_harm) {
  CrVolume far = box(2e6, -2e6, 1, 1, 7), huge = box(0, 0, 2e6, 2e6, 7);
  far.axis_x = 1e300;
  far.axis_z = -1e-300;
  CHECK_OK(cr__volumes_check((CrVolume[]){far, huge}, 2, "volumes", NULL));
  CHECK_INT(count_marked(&far, 1, 1e6, 0, 0, 7), 0);
  CHECK_INT(count_marked(&huge, 1, 0, 0, 0, 7), 256);
  huge.shape = CR_VOLUME_CYLINDER;
  huge.radius = 2e6;
  CHECK_INT(count_marked(&huge, 1, 0, 0, 0, 7), 256);
}

// --- Refusals -------------------------------------------------------------------------------------------------------------

static void refuse(CrVolume volume) {
  CrError error = {0};
  CrVolume volumes[3] = {box(0, 0, 1, 1, 0), box(0, 0, 1, 1, CR_AREA_BLOCKED), volume};
  CHECK_STATUS(cr__volumes_check(volumes, 3, "obstacles", &error), CR_STATUS_ARGUMENT);
  CHECK(error.field && strcmp(error.field, "obstacles") == 0);
  CHECK_INT(error.index, 2);
}

static CrVolume prism(uint32_t count, const double *corners) {
  CrVolume v = {.shape = CR_VOLUME_CONVEX, .max_y = 1, .corner_count = count};
  memcpy(v.corners, corners, 2 * sizeof(double) * (count < CR_VOLUME_MAX_CORNERS ? count : CR_VOLUME_MAX_CORNERS));
  return v;
}

TEST(bad_numbers_are_refused_by_index) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 2097152.0, -1e300};
  for (size_t i = 0; i < CR_COUNT_OF(bad); i++) {
    for (int member = 0; member < 9; member++) {
      CrVolume v = box(0, 0, 1, 1, 0);
      v.radius = 1;
      double *members[] = {&v.min_y,  &v.max_y,  &v.center_x, &v.center_z, &v.half_x,
                           &v.half_z, &v.axis_x, &v.axis_z,   &v.radius};
      if (member == 8) v.shape = CR_VOLUME_CYLINDER;
      if ((member == 6 || member == 7) && cr__is_finite(bad[i])) continue;
      *members[member] = bad[i];
      refuse(v);
    }
    CrVolume p = prism(3, (double[]){0, 0, 1, 0, 0, 1});
    p.corners[5] = bad[i];
    refuse(p);
  }
}

TEST(bad_shapes_are_refused_by_index) {
  CrVolume v = box(0, 0, 1, 1, 64);
  refuse(v);
  v = box(0, 0, 1, 1, 0xFE);
  refuse(v);
  v = box(0, 0, 1, 1, 0);
  v.min_y = 1.5;
  refuse(v);
  refuse(box(0, 0, 0, 1, 0));
  refuse(box(0, 0, 1, -1, 0));
  v = box(0, 0, 1, 1, 0);
  v.shape = CR_VOLUME_CYLINDER;
  refuse(v);  // radius 0
  v.shape = (CrVolumeShape)3;
  refuse(v);
}

TEST(polygons_that_are_not_convex_are_refused) {
  refuse(prism(2, (double[]){0, 0, 1, 0}));
  refuse(prism(3, (double[]){0, 0, 1, 1, 2, 2}));
  refuse(prism(3, (double[]){0, 0, 1, 0, 1, 0}));
  refuse(prism(4, (double[]){0, 0, 4, 0, 1, 1, 0, 4}));              // a dent
  refuse(prism(4, (double[]){0, 0, 4, 4, 4, 0, 0, 4}));              // a bow tie
  refuse(prism(6, (double[]){0, 0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4}));  // round twice
  refuse(prism(5, (double[]){0, 3, 2, -3, -3, 1, 3, 1, -2, -3}));    // a star
  refuse(prism(4, (double[]){0, 0, 0, 0, 4, 0, 0, 4}));              // a corner twice
  CrVolume many = prism(3, (double[]){0, 0, 1, 0, 0, 1});
  many.corner_count = CR_VOLUME_MAX_CORNERS + 1;
  refuse(many);
  many.corner_count = UINT32_MAX;
  refuse(many);
  // Corners on a line but for rounding are fine.
  CrVolume flat = prism(5, (double[]){0, 0, 0.1, 0.3, 0.2, 0.6, 0.30000000000000004, 0.9, -2, 3});
  CHECK_OK(cr__volumes_check(&flat, 1, "volumes", NULL));
  CrError error;
  CHECK_STATUS(cr__volumes_check(NULL, 1, "volumes", &error), CR_STATUS_ARGUMENT);
  CHECK_OK(cr__volumes_check(NULL, 0, "volumes", &error));
}

TEST_MAIN(RUN(marks_are_those_of_a_distance_computed_another_way), RUN(edges_belong_to_a_shape),
          RUN(heights_are_closed_for_volumes_and_open_for_what_an_agent_touches),
          RUN(later_volumes_count_but_blocked_stays_blocked), RUN(no_walkable_cell_comes_nearer_than_the_radius),
          RUN(shapes_far_away_or_enormous_do_no_harm), RUN(bad_numbers_are_refused_by_index),
          RUN(bad_shapes_are_refused_by_index), RUN(polygons_that_are_not_convex_are_refused))
