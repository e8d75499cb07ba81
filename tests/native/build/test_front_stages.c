// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Rasterization, filters, open field, erosion and regions, against analytic cases and brute force.
#include <math.h>

#include "check.h"
#include "regions_internal.h"
#include "settings_internal.h"

static CrGrid unit_grid(int32_t width, int32_t depth) {
  return (CrGrid){.width = width, .depth = depth, .cell_size = 1.0, .cell_height = 1.0};
}

typedef struct Stages {
  CrArena arena;
  CrSpanField spans;
  CrOpenField open;
} Stages;

static void begin(Stages *s, CrGrid grid) {
  cr__arena_init(&s->arena, NULL);
  REQUIRE(cr__span_field_init(&s->spans, &grid, &s->arena));
}

static void end(Stages *s) { cr__arena_free(&s->arena); }

static void triangle(Stages *s, CrVec3 a, CrVec3 b, CrVec3 c, uint8_t area) {
  REQUIRE(cr__rasterize_triangle(&s->spans, &s->arena, (CrVec3[3]){a, b, c}, area, 1));
}

static void rectangle(Stages *s, double x0, double z0, double x1, double z1, double y, uint8_t area) {
  triangle(s, cr__vec(x0, y, z0), cr__vec(x0, y, z1), cr__vec(x1, y, z1), area);
  triangle(s, cr__vec(x0, y, z0), cr__vec(x1, y, z1), cr__vec(x1, y, z0), area);
}

static const CrSpan *span_of(const Stages *s, int32_t x, int32_t z) {
  uint32_t link = s->spans.columns[z * s->spans.grid.width + x];
  return link ? &s->spans.spans[link - 1] : NULL;
}

static const CrSpan *span_above(const Stages *s, int32_t x, int32_t z) {
  return &s->spans.spans[span_of(s, x, z)->next - 1];
}

TEST(a_rectangle_on_cell_lines_fills_exactly_its_cells) {
  Stages s;
  begin(&s, unit_grid(8, 8));
  rectangle(&s, 2, 3, 5, 6, 4, 0);
  for (int32_t z = 0; z < 8; z++) {
    for (int32_t x = 0; x < 8; x++) {
      const CrSpan *span = span_of(&s, x, z);
      CHECK((span != NULL) == (x >= 2 && x < 5 && z >= 3 && z < 6));
      if (span) CHECK(span->low == 3 && span->high == 4 && span->next == 0);
    }
  }
  end(&s);
}

TEST(a_slope_gives_each_column_its_own_heights) {
  Stages s;
  begin(&s, unit_grid(8, 4));
  triangle(&s, cr__vec(0, 0, 0), cr__vec(0, 0, 4), cr__vec(8, 16, 4), 0);
  triangle(&s, cr__vec(0, 0, 0), cr__vec(8, 16, 4), cr__vec(8, 16, 0), 0);
  for (int32_t x = 0; x < 8; x++) {
    for (int32_t z = 0; z < 4; z++) {
      const CrSpan *span = span_of(&s, x, z);
      REQUIRE(span != NULL);
      CHECK_INT(span->low, 2 * x);
      CHECK_INT(span->high, 2 * x + 2);
    }
  }
  end(&s);
}

// Lowest and highest point of a triangle over a square, by clipping the triangle against the square's four sides.
static int clip(const CrVec3 *in, int count, CrVec3 *out, int axis, double limit, double sign) {
  int made = 0;
  for (int i = 0; i < count; i++) {
    CrVec3 a = in[i], b = in[(i + 1) % count];
    double da = sign * ((axis ? a.z : a.x) - limit), db = sign * ((axis ? b.z : b.x) - limit);
    if (da >= 0) out[made++] = a;
    if ((da > 0 && db < 0) || (da < 0 && db > 0)) out[made++] = cr__lerp(a, b, da / (da - db));
  }
  return made;
}

static bool clipped_heights(const CrVec3 corners[3], int32_t x, int32_t z, double *low, double *high) {
  CrVec3 a[16], b[16];
  memcpy(a, corners, 3 * sizeof *a);
  int count = clip(a, 3, b, 0, x, 1);
  count = clip(b, count, a, 0, x + 1, -1);
  count = clip(a, count, b, 1, z, 1);
  count = clip(b, count, a, 1, z + 1, -1);
  *low = 1e30, *high = -1e30;
  for (int i = 0; i < count; i++) *low = cr__min(*low, a[i].y), *high = cr__max(*high, a[i].y);
  return count > 2;
}

TEST(random_triangles_match_polygon_clipping) {
  uint64_t seed = 11;
  int64_t columns = 0;
  for (int round = 0; round < 3000; round++) {
    check_seed = seed;
    Stages s;
    begin(&s, unit_grid(16, 16));
    CrVec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = rnd_point(&seed, cr__vec(-6, 0, -6), cr__vec(22, 12, 22));
    triangle(&s, p[0], p[1], p[2], 0);
    for (int32_t z = 0; z < 16; z++) {
      for (int32_t x = 0; x < 16; x++) {
        double low, high;
        bool over = clipped_heights(p, x, z, &low, &high);
        const CrSpan *span = span_of(&s, x, z);
        CHECK(over == (span != NULL));
        if (!over || !span) continue;
        columns++;
        CHECK(span->high - high >= -1e-5 && span->high - high < 1 + 1e-5);
        CHECK(low - span->low >= -1e-5);
      }
    }
    end(&s);
  }
  printf("  %lld columns compared\n", (long long)columns);
}

TEST(spans_do_not_depend_on_the_tile_that_is_built) {
  uint64_t seed = 5;
  for (int round = 0; round < 300; round++) {
    check_seed = seed;
    CrVec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = rnd_point(&seed, cr__vec(-4, 0, -4), cr__vec(40, 12, 40));
    Stages whole, part;
    begin(&whole, unit_grid(36, 36));
    CrGrid grid = unit_grid(11, 11);
    grid.cell_x = 7;
    grid.cell_z = 9;
    begin(&part, grid);
    triangle(&whole, p[0], p[1], p[2], 0);
    triangle(&part, p[0], p[1], p[2], 0);
    for (int32_t z = 0; z < 11; z++) {
      for (int32_t x = 0; x < 11; x++) {
        const CrSpan *a = span_of(&part, x, z), *b = span_of(&whole, x + 7, z + 9);
        CHECK((a != NULL) == (b != NULL));
        if (a && b) CHECK(a->low == b->low && a->high == b->high);
      }
    }
    end(&whole);
    end(&part);
  }
}

TEST(touching_spans_merge_and_keep_the_walkable_area) {
  Stages s;
  begin(&s, unit_grid(2, 1));
  rectangle(&s, 0, 0, 2, 1, 5, 3);
  rectangle(&s, 0, 0, 2, 1, 6, CR_AREA_NONE);  // one higher, within merge climb
  CHECK(span_of(&s, 0, 0)->area == 3 && span_of(&s, 0, 0)->high == 6 && span_of(&s, 0, 0)->next == 0);
  rectangle(&s, 0, 0, 2, 1, 20, 1);
  CHECK(span_of(&s, 0, 0)->next != 0);
  triangle(&s, cr__vec(0, 0, 0), cr__vec(0.5, 30, 0.5), cr__vec(1, 0, 1), CR_AREA_NONE);  // a wall through all of it
  CHECK(span_of(&s, 0, 0)->next == 0 && span_of(&s, 0, 0)->area == CR_AREA_NONE);
  end(&s);
}

static bool same_spans(const Stages *a, const Stages *b) {
  for (int32_t c = 0; c < a->spans.grid.width * a->spans.grid.depth; c++) {
    uint32_t p = a->spans.columns[c], q = b->spans.columns[c];
    for (; p && q; p = a->spans.spans[p - 1].next, q = b->spans.spans[q - 1].next) {
      const CrSpan *s = &a->spans.spans[p - 1], *t = &b->spans.spans[q - 1];
      if (s->low != t->low || s->high != t->high || s->area != t->area) return false;
    }
    if (p || q) return false;
  }
  return true;
}

// Why the build may skip duplicates: a triangle filled in twice, however long after, changes no span.
TEST(a_triangle_filled_in_again_changes_nothing) {
  uint64_t seed = 17;
  for (int round = 0; round < 400; round++) {
    check_seed = seed;
    Stages once, twice;
    CrVec3 p[40][3];
    uint8_t areas[40];
    begin(&once, unit_grid(12, 12));
    begin(&twice, unit_grid(12, 12));
    for (int t = 0; t < 40; t++) {
      for (int k = 0; k < 3; k++) {
        p[t][k] = rnd_point(&seed, cr__vec(-3, 0, -3), cr__vec(15, round % 2 ? 6 : 20, 15));
      }
      areas[t] = rnd_int(&seed, 3) ? (uint8_t)rnd_int(&seed, 3) : CR_AREA_NONE;
      int32_t climb = round % 5;
      int again = rnd_int(&seed, t + 1);
      REQUIRE(cr__rasterize_triangle(&once.spans, &once.arena, p[t], areas[t], climb));
      REQUIRE(cr__rasterize_triangle(&twice.spans, &twice.arena, p[t], areas[t], climb));
      REQUIRE(cr__rasterize_triangle(&twice.spans, &twice.arena, p[again], areas[again], climb));
      CHECK(same_spans(&once, &twice));
      CHECK_INT(cr__span_field_live(&once.spans), cr__span_field_live(&twice.spans));
    }
    end(&once);
    end(&twice);
  }
}

TEST(filters_find_ledges_steps_and_low_ceilings) {
  const CrCells cells = {.height = 4, .climb = 2, .radius = 0};
  Stages s;
  begin(&s, unit_grid(12, 5));
  rectangle(&s, 0, 0, 12, 5, 1, 0);
  rectangle(&s, 6, 0, 12, 5, 9, 0);            // a drop of 8 at x = 6
  rectangle(&s, 2, 2, 3, 3, 3, CR_AREA_NONE);  // a low obstacle to step over
  rectangle(&s, 4, 1, 5, 4, 4, CR_AREA_NONE);  // a table 3 above the floor: no headroom below it
  cr__filter_low_obstacles(&s.spans, &cells);
  CHECK(s.spans.spans[span_of(&s, 2, 2)->next - 1].area == 0);
  cr__filter_ledges(&s.spans, &cells);
  CHECK(span_above(&s, 6, 2)->area == CR_AREA_NONE);  // over the drop
  CHECK(span_above(&s, 8, 2)->area == 0);
  CHECK(span_of(&s, 5, 2)->area == 0);             // below it
  CHECK(span_of(&s, 0, 2)->area == CR_AREA_NONE);  // the edge of the world is a ledge
  cr__filter_low_headroom(&s.spans, &cells);
  CHECK(span_of(&s, 4, 2)->area == CR_AREA_NONE);
  end(&s);
}

// Open field of random boxes over a floor.
static void random_field(Stages *s, uint64_t *seed, int32_t size, int32_t border, CrCells cells) {
  CrGrid grid = unit_grid(size, size);
  grid.border = border;
  begin(s, grid);
  rectangle(s, 0, 0, size, size, 0, 0);
  for (int i = 0; i < size / 2; i++) {
    double x = rnd_int(seed, size), z = rnd_int(seed, size), w = 1 + rnd_int(seed, 5), d = 1 + rnd_int(seed, 5);
    double y = rnd_int(seed, 12);
    rectangle(s, x, z, x + w, z + d, y, rnd_int(seed, 3) ? (uint8_t)rnd_int(seed, 3) : CR_AREA_NONE);
  }
  cr__filter_low_obstacles(&s->spans, &cells);
  cr__filter_low_headroom(&s->spans, &cells);
  REQUIRE(cr__open_field(&s->spans, &cells, &s->arena, &s->open));
}

TEST(links_are_symmetric_and_within_climb) {
  uint64_t seed = 21;
  for (int round = 0; round < 200; round++) {
    check_seed = seed;
    Stages s;
    random_field(&s, &seed, 24, 0, (CrCells){.height = 3, .climb = 2, .radius = 0});
    for (uint32_t span = 0; span < s.open.count; span++) {
      for (uint32_t dir = 0; dir < 4; dir++) {
        uint32_t other = s.open.neighbour[4 * span + dir];
        if (other == CR_NO_SPAN) continue;
        CHECK(s.open.neighbour[4 * other + ((dir + 2) & 3)] == span);
        CHECK(abs(s.open.floor[other] - s.open.floor[span]) <= 2);
      }
    }
    end(&s);
  }
}

// Every region is connected, of one area, holds one span per column, and every walkable span of a kept island has a region.
static void check_regions(const Stages *s, int32_t min_area) {
  const CrOpenField *field = &s->open;
  uint32_t *seen = calloc(field->region_count + 2, sizeof *seen), *stack = calloc(field->count + 1, sizeof *stack);
  uint8_t *visited = calloc(field->count + 1, 1);
  uint32_t *column_stamp = calloc((size_t)field->region_count + 2, sizeof *column_stamp);
  REQUIRE(seen && stack && visited && column_stamp);
  for (int32_t column = 0; column < field->grid.width * field->grid.depth; column++) {
    for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
      uint32_t region = field->region[span];
      if (region == 0 || (region & CR_BORDER_REGION)) continue;
      CHECK(region <= field->region_count);
      CHECK(column_stamp[region] != (uint32_t)column + 1);
      column_stamp[region] = (uint32_t)column + 1;
    }
  }
  for (uint32_t start = 0; start < field->count; start++) {
    uint32_t region = field->region[start], depth = 0, size = 0;
    if (region == 0 || (region & CR_BORDER_REGION) || visited[start]) continue;
    CHECK(seen[region] == 0);  // a second component of the same region
    seen[region] = 1;
    visited[start] = 1;
    stack[depth++] = start;
    while (depth) {
      uint32_t span = stack[--depth];
      size++;
      CHECK(field->area[span] == field->area[start]);
      for (uint32_t dir = 0; dir < 4; dir++) {
        uint32_t other = field->neighbour[4 * span + dir];
        if (other == CR_NO_SPAN || visited[other] || field->region[other] != region) continue;
        visited[other] = 1;
        stack[depth++] = other;
      }
    }
    CHECK(size > 0);
  }
  if (min_area == 0) {
    for (uint32_t span = 0; span < field->count; span++) {
      if (field->area[span] != CR_AREA_NONE) CHECK(field->region[span] != 0);
    }
  }
  free(seen);
  free(stack);
  free(visited);
  free(column_stamp);
}

typedef bool (*PartitionFn)(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena);

static const PartitionFn partitions[3] = {cr__watershed, cr__monotone, cr__layers};

TEST(regions_are_connected_flat_and_complete) {
  uint64_t seed = 31;
  uint64_t total[3] = {0, 0, 0};
  for (int round = 0; round < 300; round++) {
    check_seed = seed;
    for (int p = 0; p < 3; p++) {
      uint64_t own = seed + (uint64_t)p;
      Stages s;
      int32_t min_area = round % 2 ? 0 : 6;
      random_field(&s, &own, 32, round % 3 ? 0 : 4,
                   (CrCells){.height = 3, .climb = 1, .radius = round % 4 == 0 ? 1 : 0});
      REQUIRE(cr__erode(&s.open, &s.arena));
      REQUIRE(partitions[p](&s.open, min_area, round % 5 ? 20 : 0, &s.arena));
      check_regions(&s, min_area);
      total[p] += s.open.region_count;
      end(&s);
    }
    rnd_u64(&seed);
  }
  printf("  regions: watershed %llu, monotone %llu, layers %llu\n", (unsigned long long)total[0],
         (unsigned long long)total[1], (unsigned long long)total[2]);
}

// Columns between the leftmost and the rightmost span of a region in a row all hold a span of it, each linked to the next.
static void check_runs(const Stages *s) {
  const CrOpenField *field = &s->open;
  int32_t width = field->grid.width;
  uint32_t *last = calloc((size_t)field->region_count + 1, sizeof *last);  // last span of the region in the row, + 1
  int32_t *row = calloc((size_t)field->region_count + 1, sizeof *row);
  REQUIRE(last && row);
  for (int32_t column = 0; column < width * field->grid.depth; column++) {
    for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
      uint32_t region = field->region[span];
      if (region == 0 || (region & CR_BORDER_REGION)) continue;
      if (row[region] == column / width + 1) CHECK(field->neighbour[4 * (size_t)span] == last[region] - 1);
      row[region] = column / width + 1;
      last[region] = span + 1;
    }
  }
  free(last);
  free(row);
}

TEST(monotone_regions_have_one_run_a_row) {
  uint64_t seed = 41;
  for (int round = 0; round < 200; round++) {
    check_seed = seed;
    Stages s;
    random_field(&s, &seed, 32, round % 3 ? 0 : 4, (CrCells){.height = 3, .climb = 1 + round % 3, .radius = 0});
    REQUIRE(cr__monotone(&s.open, 0, 0, &s.arena));
    check_runs(&s);
    end(&s);
  }
}

// Two layers that touch stand above each other somewhere: else they would be one.
TEST(layers_are_as_large_as_columns_allow) {
  uint64_t seed = 43, pairs = 0;
  for (int round = 0; round < 200; round++) {
    check_seed = seed;
    Stages s;
    random_field(&s, &seed, 32, round % 3 ? 0 : 4, (CrCells){.height = 3, .climb = 3 + round % 3, .radius = 0});
    REQUIRE(cr__layers(&s.open, 0, 0, &s.arena));
    const CrOpenField *field = &s.open;
    size_t side = (size_t)field->region_count + 1;
    uint8_t *stacked = calloc(side * side, 1);
    REQUIRE(stacked);
    for (int32_t c = 0; c < field->grid.width * field->grid.depth; c++) {
      for (uint32_t a = field->first[c]; a < field->first[c + 1]; a++) {
        for (uint32_t b = field->first[c]; b < field->first[c + 1]; b++) {
          if ((field->region[a] | field->region[b]) & CR_BORDER_REGION) continue;
          stacked[field->region[a] * side + field->region[b]] = 1;
        }
      }
    }
    for (size_t i = 0; i < 4 * (size_t)field->count; i++) {
      uint32_t other = field->neighbour[i], a = field->region[i / 4];
      if (other == CR_NO_SPAN || field->area[other] != field->area[i / 4]) continue;
      uint32_t b = field->region[other];
      if (!a || !b || a == b || ((a | b) & CR_BORDER_REGION)) continue;
      CHECK(stacked[a * side + b]);
      pairs++;
    }
    free(stacked);
    end(&s);
  }
  printf("  %llu sides between layers\n", (unsigned long long)pairs);
}

TEST(erosion_keeps_what_is_far_enough_from_walls) {
  Stages s;
  const CrCells cells = {.height = 3, .climb = 1, .radius = 2};
  begin(&s, unit_grid(20, 20));
  rectangle(&s, 0, 0, 20, 20, 0, 0);
  cr__filter_low_headroom(&s.spans, &cells);
  REQUIRE(cr__open_field(&s.spans, &cells, &s.arena, &s.open));
  REQUIRE(cr__erode(&s.open, &s.arena));
  for (int32_t z = 0; z < 20; z++) {
    for (int32_t x = 0; x < 20; x++) {
      bool inside = x >= 2 && z >= 2 && x < 18 && z < 18;
      CHECK((s.open.area[s.open.first[z * 20 + x]] != CR_AREA_NONE) == inside);
    }
  }
  end(&s);
}

TEST(cosine_polynomial_is_exact_to_double) {
  CHECK_NEAR(cr__cos_degrees(0), 1.0, 0);
  CHECK_NEAR(cr__cos_degrees(60), 0.5, 1e-16);
  CHECK_NEAR(cr__cos_degrees(45), 0.70710678118654752440, 2e-16);
  CHECK_NEAR(cr__cos_degrees(30), 0.86602540378443864676, 2e-16);
  CHECK_NEAR(cr__cos_degrees(89), 0.017452406437283512819, 1e-17);
}

TEST(settings_out_of_range_are_named) {
  const struct {
    size_t offset;
    double value;
    const char *field;
  } wrong[] = {
      {offsetof(CrBuildSettings, agent_radius), -1, "settings.agentRadius"},
      {offsetof(CrBuildSettings, agent_height), 0, "settings.agentHeight"},
      {offsetof(CrBuildSettings, walkable_climb), -0.1, "settings.walkableClimb"},
      {offsetof(CrBuildSettings, max_slope), 90, "settings.maxSlope"},
      {offsetof(CrBuildSettings, max_slope), -1, "settings.maxSlope"},
      {offsetof(CrBuildSettings, cell_size), 0, "settings.cellSize"},
      {offsetof(CrBuildSettings, cell_size), NAN, "settings.cellSize"},
      {offsetof(CrBuildSettings, cell_height), INFINITY, "settings.cellHeight"},
      {offsetof(CrBuildSettings, contour_max_error), -1, "settings.contourMaxError"},
      {offsetof(CrBuildSettings, detail_max_error), NAN, "settings.detailMaxError"},
      {offsetof(CrBuildSettings, agent_radius), 1e6, "settings.agentRadius"},
  };
  double plane[12] = {0, 0, 0, 0, 0, 10, 10, 0, 10, 10, 0, 0};
  uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
  CrBuildInput input = {.vertices = plane, .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CrBuildSettings settings = cr_build_settings_default();
    memcpy((char *)&settings + wrong[i].offset, &wrong[i].value, sizeof(double));
    CrError error = {0};
    CrNavMeshParams params;
    int32_t x, z;
    CHECK_STATUS(cr_build_layout(&input, &settings, &params, &x, &z, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, wrong[i].field) == 0);
  }
}

TEST(bad_geometry_is_named_with_its_index) {
  double vertices[12] = {0, 0, 0, 0, 0, 10, 10, 0, 10, 10, 0, 0};
  uint32_t triangles[6] = {0, 1, 2, 0, 2, 4};
  CrBuildInput input = {.vertices = vertices, .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
  CrBuildSettings settings = cr_build_settings_default();
  CrNavMeshParams params;
  CrError error = {0};
  int32_t x, z;
  CHECK_STATUS(cr_build_layout(&input, &settings, &params, &x, &z, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "triangles") == 0 && error.index == 1);
  triangles[5] = 3;
  vertices[7] = NAN;
  CHECK_STATUS(cr_build_layout(&input, &settings, &params, &x, &z, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "vertices") == 0 && error.index == 2);
  vertices[7] = 0;
  settings.cell_size = 0.001;
  CHECK_STATUS(cr_build_layout(&input, &settings, &params, &x, &z, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "settings.cellSize") == 0);
}

TEST(build_input_files_round_trip_and_refuse_damage) {
  double vertices[12] = {0, 0, 0, 0, 0, 10, 10, 0, 10, 10, 0, 0};
  uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
  CrBuildInput input = {.vertices = vertices, .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
  CrBuildSettings settings = cr_build_settings_default();
  CrBytes bytes = {0}, again = {0};
  CHECK_OK(cr_build_input_write(&input, &settings, NULL, &bytes, NULL));
  CHECK_INT(bytes.size, 8 + 80 + 16 + 8 + 96 + 24);
  CrBuildInputFile file;
  REQUIRE_OK(cr_build_input_read(bytes.data, bytes.size, NULL, &file, NULL));
  CHECK_OK(cr_build_input_write(&file.input, &file.settings, NULL, &again, NULL));
  CHECK(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
  cr_build_input_free(&file);
  for (size_t size = 0; size < bytes.size; size++) {
    CrError error = {0};
    CHECK(cr_build_input_read(bytes.data, size, NULL, &file, &error) != CR_STATUS_OK);
    CHECK(error.field != NULL && error.offset <= size);
  }
  for (size_t at = 0; at < bytes.size * 8; at++) {
    again.data[at / 8] ^= (uint8_t)(1 << at % 8);
    if (cr_build_input_read(again.data, again.size, NULL, &file, NULL) == CR_STATUS_OK) cr_build_input_free(&file);
    again.data[at / 8] ^= (uint8_t)(1 << at % 8);
  }
  cr_bytes_free(&bytes);
  cr_bytes_free(&again);
}

TEST_MAIN(RUN(a_rectangle_on_cell_lines_fills_exactly_its_cells), RUN(a_slope_gives_each_column_its_own_heights),
          RUN(random_triangles_match_polygon_clipping), RUN(spans_do_not_depend_on_the_tile_that_is_built),
          RUN(touching_spans_merge_and_keep_the_walkable_area), RUN(a_triangle_filled_in_again_changes_nothing),
          RUN(filters_find_ledges_steps_and_low_ceilings), RUN(links_are_symmetric_and_within_climb),
          RUN(regions_are_connected_flat_and_complete), RUN(monotone_regions_have_one_run_a_row),
          RUN(layers_are_as_large_as_columns_allow), RUN(erosion_keeps_what_is_far_enough_from_walls),
          RUN(cosine_polynomial_is_exact_to_double), RUN(settings_out_of_range_are_named),
          RUN(bad_geometry_is_named_with_its_index), RUN(build_input_files_round_trip_and_refuse_damage))
