// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the stages show is what they made: spans, ground, outlines and polygons agree with each other and with the tile's bytes.
#include <math.h>

#include "check.h"
#include "crowdreel/crowdreel.h"
#include "levels.h"
#include "navmesh_internal.h"

typedef struct Shown {
  CrGridView grid;
  uint32_t open_count, contour_count, point_count;
  CrOpenSpan *open;
  uint32_t *links;
  uint16_t *distances;
  CrContourView *contours;
  double *points;
} Shown;

static void *room(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  REQUIRE(memory);
  return memory;
}

static void show_open(const CrTileBuild *build, Shown *s) {
  uint32_t count;
  REQUIRE_OK(cr_tile_build_grid(build, &s->grid, NULL));
  REQUIRE_OK(cr_tile_build_open_spans(build, NULL, 0, &s->open_count, NULL));
  s->open = room(s->open_count, sizeof *s->open);
  s->links = room(s->open_count, 4 * sizeof *s->links);
  s->distances = room(s->open_count, sizeof *s->distances);
  REQUIRE_OK(cr_tile_build_open_spans(build, s->open, s->open_count, &count, NULL));
  CHECK_INT(count, s->open_count);
  REQUIRE_OK(cr_tile_build_open_links(build, s->links, s->open_count, &count, NULL));
  CHECK_INT(count, s->open_count);
  REQUIRE_OK(cr_tile_build_distances(build, s->distances, s->open_count, &count, NULL));
  CHECK_INT(count, s->open_count);
}

static void show_contours(const CrTileBuild *build, bool simplified, Shown *s) {
  uint32_t count, points;
  REQUIRE_OK(cr_tile_build_contours(build, simplified, NULL, 0, &s->contour_count, NULL, 0, &s->point_count, NULL));
  s->contours = room(s->contour_count, sizeof *s->contours);
  s->points = room(s->point_count, 3 * sizeof *s->points);
  REQUIRE_OK(cr_tile_build_contours(build, simplified, s->contours, s->contour_count, &count, s->points, s->point_count,
                                    &points, NULL));
  CHECK(count == s->contour_count && points == s->point_count);
}

static void drop(Shown *s) {
  free(s->open);
  free(s->links);
  free(s->distances);
  free(s->contours);
  free(s->points);
  *s = (Shown){0};
}

static double ring_area(const double *points, uint32_t count) {
  double area2 = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double *a = points + 3 * i, *b = points + 3 * ((i + 1) % count), *o = points;
    area2 += (a[0] - o[0]) * (b[2] - o[2]) - (a[2] - o[2]) * (b[0] - o[0]);
  }
  return area2 / 2;
}

// Links are mutual and lead to the next column; distances are 0 exactly at the rim and grow by at most a step.
static void check_open(const Shown *s) {
  static const int dx[4] = {-1, 0, 1, 0}, dz[4] = {0, 1, 0, -1};
  for (uint32_t i = 0; i < s->open_count; i++) {
    bool rim = s->open[i].area == CR_VIEW_NO_AREA;
    for (int d = 0; d < 4; d++) {
      uint32_t other = s->links[4 * i + (uint32_t)d];
      rim = rim || other == CR_VIEW_NO_SPAN || s->open[other].area != s->open[i].area;
      if (other == CR_VIEW_NO_SPAN) continue;
      CHECK_INT(s->open[other].column, (int64_t)s->open[i].column + dx[d] + dz[d] * s->grid.width);
      CHECK(s->links[4 * other + (uint32_t)((d + 2) & 3)] == i);
      CHECK(s->distances[i] <= s->distances[other] + 2);
    }
    CHECK((s->distances[i] == 0) == rim);
    if (i) CHECK(s->open[i].column >= s->open[i - 1].column);
  }
}

// Raw outlines bound exactly the cells of each region.
static void check_raw(const CrTileBuild *build, const Shown *ground) {
  Shown s = {0};
  show_contours(build, false, &s);
  uint32_t regions = cr_tile_build_report(build)->regions;
  double *area = room(regions, sizeof *area);
  uint32_t *cells = room(regions, sizeof *cells), *outer = room(regions, sizeof *outer);
  const double *points = s.points;
  for (uint32_t i = 0; i < s.contour_count; points += 3 * s.contours[i++].point_count) {
    uint32_t region = s.contours[i].region;
    REQUIRE(region >= 1 && region <= regions);
    double a = ring_area(points, s.contours[i].point_count);
    area[region] += a;
    CHECK(s.contours[i].hole == (a <= 1e-9));
    outer[region] += !s.contours[i].hole;
  }
  for (uint32_t i = 0; i < ground->open_count; i++) {
    if (ground->open[i].region && !ground->open[i].border) cells[ground->open[i].region]++;
  }
  double cell = s.grid.cell_size;
  cell = ground->grid.cell_size * ground->grid.cell_size;
  for (uint32_t r = 1; r <= regions; r++) {
    CHECK_NEAR(area[r] / cell, (double)cells[r], 1e-6 * cells[r] + 1e-6);
    CHECK_INT(outer[r], 1);
  }
  free(area);
  free(cells);
  free(outer);
  drop(&s);
}

// Polygons fill the simplified outlines, but for those that were simplified to nothing.
static void check_simplified(const CrTileBuild *build, double polygon_area) {
  Shown s = {0};
  show_contours(build, true, &s);
  double total = 0;
  const double *points = s.points;
  for (uint32_t i = 0; i < s.contour_count; points += 3 * s.contours[i++].point_count) {
    if (s.contours[i].point_count >= 3) total += ring_area(points, s.contours[i].point_count);
  }
  CHECK_NEAR(total, polygon_area, 1e-6 * (1 + total));
  drop(&s);
}

static double description_area(const CrTileDescription *d) {
  double area = 0, ring[3 * CR_MAX_POLY_VERTS];
  const uint32_t *corner = d->polygon_vertices;
  for (uint32_t p = 0; p < d->polygon_count; corner += d->polygon_vertex_counts[p++]) {
    uint32_t count = d->polygon_vertex_counts[p];
    for (uint32_t k = 0; k < count; k++) memcpy(ring + 3 * k, d->vertices + 3 * corner[k], 3 * sizeof *ring);
    area += ring_area(ring, count);
  }
  return area;
}

static void check_bytes(const CrTileDescription *d, const CrNavMeshParams *params, const CrBytes *bytes) {
  CrTile tile;
  CrAllocator allocator = cr__allocator_or_default(NULL);
  CrReader reader = cr__reader(bytes->data, bytes->size, 0, CR_FORMAT_NAVMESH, NULL);
  REQUIRE_OK(cr__tile_read(&reader, params, &allocator, &tile));
  CHECK(tile.x == d->x && tile.z == d->z);
  REQUIRE(tile.polygon_count == d->polygon_count && tile.vertex_count == d->vertex_count);
  CHECK(memcmp(tile.corner_vertex, d->polygon_vertices, tile.corner_count * sizeof(uint32_t)) == 0);
  CHECK(memcmp(tile.areas, d->polygon_areas, tile.polygon_count) == 0);
  for (uint32_t p = 0; p < tile.polygon_count; p++) {
    CHECK_INT(cr__polygon_vertex_count(&tile, p), d->polygon_vertex_counts[p]);
  }
  for (uint32_t v = 0; v < tile.vertex_count; v++) {
    CHECK(cr__abs(tile.vertices[v].x - d->vertices[3 * v]) <= 1e-6 && tile.vertices[v].y == d->vertices[3 * v + 1] &&
          cr__abs(tile.vertices[v].z - d->vertices[3 * v + 2]) <= 1e-6);
  }
  CHECK(tile.detail_vertex_count == 0 ||
        memcmp(&tile.detail_vertices[0].y, d->detail_vertices + 1, sizeof(double)) == 0);
  cr__tile_free(&allocator, &tile);
}

static void check_solids(const CrTileBuild *build) {
  uint32_t count, again;
  REQUIRE_OK(cr_tile_build_solid_spans(build, NULL, 0, &count, NULL));
  CHECK_INT(count, cr_tile_build_report(build)->spans);
  CrSolidSpan *spans = room(count, sizeof *spans);
  REQUIRE_OK(cr_tile_build_solid_spans(build, spans, count, &again, NULL));
  for (uint32_t i = 0; i < count; i++) {
    CHECK(spans[i].low < spans[i].high);
    if (i == 0) continue;
    CHECK(spans[i].column > spans[i - 1].column ||
          (spans[i].column == spans[i - 1].column && spans[i].low > spans[i - 1].high));
  }
  free(spans);
}

// Open spans are the walkable solid ones.
static void check_open_of_solid(const CrTileBuild *build, const Shown *s) {
  uint32_t count, at = 0;
  REQUIRE_OK(cr_tile_build_solid_spans(build, NULL, 0, &count, NULL));
  CrSolidSpan *spans = room(count, sizeof *spans);
  REQUIRE_OK(cr_tile_build_solid_spans(build, spans, count, &count, NULL));
  for (uint32_t i = 0; i < count; i++) {
    if (spans[i].area == CR_VIEW_NO_AREA) continue;
    REQUIRE(at < s->open_count);
    CHECK(s->open[at].column == spans[i].column && s->open[at].floor == spans[i].high);
    bool roof = i + 1 < count && spans[i + 1].column == spans[i].column;
    CHECK_INT(s->open[at].headroom, roof ? spans[i + 1].low - spans[i].high : INT32_MAX);
    at++;
  }
  CHECK_INT(at, s->open_count);
  free(spans);
}

static void expect_too_early(const CrTileBuild *build) {
  uint32_t n, m;
  CrError error;
  CrBuildStage next = cr_tile_build_next_stage(build);
  if (next <= CR_STAGE_RASTERIZE) {
    CHECK_STATUS(cr_tile_build_solid_spans(build, NULL, 0, &n, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "stage") == 0 && error.limit == CR_STAGE_RASTERIZE);
    CHECK_STATUS(cr_tile_build_grid(build, &(CrGridView){0}, NULL), CR_STATUS_ARGUMENT);
  }
  if (next <= CR_STAGE_COMPACT) {
    CHECK_STATUS(cr_tile_build_open_spans(build, NULL, 0, &n, NULL), CR_STATUS_ARGUMENT);
    CHECK_STATUS(cr_tile_build_open_links(build, NULL, 0, &n, NULL), CR_STATUS_ARGUMENT);
    CHECK_STATUS(cr_tile_build_distances(build, NULL, 0, &n, NULL), CR_STATUS_ARGUMENT);
  }
  if (next <= CR_STAGE_CONTOURS) {
    CHECK_STATUS(cr_tile_build_contours(build, false, NULL, 0, &n, NULL, 0, &m, NULL), CR_STATUS_ARGUMENT);
  }
  if (next <= CR_STAGE_POLYGONIZE) {
    CHECK_STATUS(cr_tile_build_description(build, &(CrTileDescription){0}, NULL), CR_STATUS_ARGUMENT);
  }
}

static uint32_t check_tile(const CrBuilder *builder, int32_t x, int32_t z) {
  CrTileBuild *build;
  Shown s = {0};
  CrNavMeshParams params = cr_builder_params(builder);
  REQUIRE_OK(cr_tile_build_create(builder, x, z, &build, NULL));
  expect_too_early(build);
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_RASTERIZE, NULL));
  check_solids(build);
  expect_too_early(build);
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_COMPACT, NULL));
  show_open(build, &s);
  check_open(&s);
  check_open_of_solid(build, &s);
  drop(&s);
  expect_too_early(build);
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_REGIONS, NULL));
  show_open(build, &s);
  check_open(&s);
  expect_too_early(build);
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_CONTOURS, NULL));
  check_raw(build, &s);
  drop(&s);
  expect_too_early(build);
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_ENCODE, NULL));
  CrTileDescription d;
  CrBytes bytes;
  REQUIRE_OK(cr_tile_build_description(build, &d, NULL));
  check_simplified(build, description_area(&d));
  REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
  CHECK((bytes.size > 0) == (d.polygon_count > 0));
  CHECK_INT(cr_tile_build_report(build)->polygons, d.polygon_count);
  if (bytes.size) check_bytes(&d, &params, &bytes);
  cr_bytes_free(&bytes);
  cr_tile_build_destroy(build);
  return d.polygon_count;
}

TEST(views_show_what_was_built) {
  uint64_t polygons = 0;
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    for (int p = 0; p < 3; p++) {
      CrBuildSettings settings = cr_build_settings_default();
      settings.partition = (CrPartition)p;
      settings.tile_cells = (i + (uint32_t)p) % 2 ? 72 : 0;
      CrBuilder *builder;
      int32_t tiles_x, tiles_z;
      REQUIRE_OK(cr_builder_create(&input, &settings, NULL, NULL, &builder, NULL));
      cr_builder_tile_counts(builder, &tiles_x, &tiles_z);
      for (int32_t t = 0; t < tiles_x * tiles_z; t++) polygons += check_tile(builder, t % tiles_x, t / tiles_x);
      cr_builder_destroy(builder);
    }
    level_free(&level);
  }
  printf("  %" PRIu64 " polygons\n", polygons);
}

TEST_MAIN(RUN(views_show_what_was_built))
