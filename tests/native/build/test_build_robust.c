// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Hard input: far from the origin, tall, wide, in huge and tiny cells, broken triangles, nothing at all. Built right, or refused by name, and then
// nothing was allocated.
#include <math.h>

#include "check.h"
#include "crowdreel/crowdreel.h"
#include "levels.h"
#include "navmesh_internal.h"

static double mesh_area(const CrNavMesh *mesh) {
  double area2 = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t p = 0; tile->active && p < tile->polygon_count; p++) {
      CrVec3 o = cr__polygon_vertex(tile, p, 0);
      for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, p); k++) {
        area2 += cr__cross_xz(o, cr__polygon_vertex(tile, p, k), cr__polygon_vertex(tile, p, k + 1));
      }
    }
  }
  return area2 / 2;
}

typedef struct Plate {
  double vertices[24];
  uint32_t triangles[12];
  CrBuildInput input;
} Plate;

// One or two level rectangles, the second at `top`.
static void make_plate(Plate *p, double x, double z, double width, double depth, double y, double top) {
  uint32_t corner = 0;
  for (int storey = 0; storey < 2; storey++) {
    for (int k = 0; k < 4; k++, corner++) {
      p->vertices[3 * corner] = x + (k & 1 ? width : 0);
      p->vertices[3 * corner + 1] = storey && top > y ? top : y;
      p->vertices[3 * corner + 2] = z + (k >> 1 ? depth : 0);
    }
    uint32_t a = (uint32_t)storey * 4;
    memcpy(p->triangles + 6 * storey, (uint32_t[6]){a, a + 2, a + 3, a, a + 3, a + 1}, 6 * sizeof(uint32_t));
  }
  p->input = (CrBuildInput){.vertices = p->vertices, .vertex_count = 8, .triangles = p->triangles};
  p->input.triangle_count = top > y ? 4 : 2;
}

// Ground within a plate whose sides are whole cells: the outermost cells are ledges, and the agent's radius is taken off.
static double ground_side(double side, const CrBuildSettings *settings) {
  return side - 2 * settings->cell_size * (1 + ceil(settings->agent_radius / settings->cell_size - 1e-6));
}

// Builds with exact outlines: the mesh is valid and has this area.
static void expect_area(const CrBuildInput *input, const CrBuildSettings *settings, double area, double tolerance) {
  CrNavMesh *mesh;
  CrError error = {0};
  CrBuildSettings exact = *settings;
  exact.contour_max_error = 0;
  CrStatus status = cr_build_navmesh(input, &exact, NULL, NULL, &mesh, NULL, &error);
  if (status != CR_STATUS_OK) printf("  %s %s\n", cr_status_text(status), error.field ? error.field : "");
  REQUIRE(status == CR_STATUS_OK);
  CHECK(!cr__navmesh_invariant(mesh));
  CHECK_NEAR(mesh_area(mesh), area, tolerance);
  cr_navmesh_destroy(mesh);
}

// The error names the field, and not one allocation was made.
static void expect_build_refused(const CrBuildInput *input, const CrBuildSettings *settings, CrStatus expected,
                                 const char *field, int64_t index) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = NULL;
  CrBuilder *builder = NULL;
  CrBytes bytes = {0};
  CrError error = {0};
  CHECK_STATUS(cr_build_navmesh(input, settings, NULL, &allocator, &mesh, NULL, &error), expected);
  CHECK(error.field && strcmp(error.field, field) == 0 && error.index == index);
  CHECK_STATUS(cr_builder_create(input, settings, NULL, &allocator, &builder, &error), expected);
  CHECK_STATUS(cr_build_tile(input, settings, 0, 0, &allocator, &bytes, NULL, &error), expected);
  CHECK_INT(memory.total_allocations, 0);
}

// So is writing it to a file, which knows no tiles.
static void expect_refused(const CrBuildInput *input, const CrBuildSettings *settings, CrStatus expected,
                           const char *field, int64_t index) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrBytes bytes = {0};
  expect_build_refused(input, settings, expected, field, index);
  CHECK_STATUS(cr_build_input_write(input, settings, &allocator, &bytes, NULL), expected);
  CHECK_INT(memory.total_allocations, 0);
}

TEST(far_from_the_origin) {
  const double places[] = {0, 1e3, -65536, 262144, 1048576, -1048576, 2097100};
  for (size_t i = 0; i < 7; i++) {
    for (size_t k = 0; k < 7; k++) {
      for (int tiled = 0; tiled < 2; tiled++) {
        Plate p;
        make_plate(&p, places[i], places[k], 30, 24, places[(i + k) % 7], -1e9);
        CrBuildSettings settings = cr_build_settings_default();
        settings.tile_cells = tiled ? 24 : 0;
        check_seed = i * 100 + k * 10 + (uint64_t)tiled;
        expect_area(&p.input, &settings, ground_side(30, &settings) * ground_side(24, &settings), 1e-3);
      }
    }
  }
}

// Every level moved far away has the tiles it has at home, as far as rounding its vertices lets it.
TEST(levels_far_away_keep_their_area) {
  const CrVec3 places[] = {{1048576, 0, -1048576}, {-524288, 1048576, 262144}};
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    CrBuildSettings settings = cr_build_settings_default();
    CrNavMesh *mesh;
    settings.contour_max_error = 0;
    REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
    double area = mesh_area(mesh);
    cr_navmesh_destroy(mesh);
    bool far = fabs(level.vertices[0]) > 1e5 || fabs(level.vertices[2]) > 1e5;
    for (size_t k = 0; k < 2 && !far; k++) {
      for (uint32_t v = 0; v < level.vertex_count; v++) {
        level.vertices[3 * v] += places[k].x - (k ? places[k - 1].x : 0);
        level.vertices[3 * v + 1] += places[k].y - (k ? places[k - 1].y : 0);
        level.vertices[3 * v + 2] += places[k].z - (k ? places[k - 1].z : 0);
      }
      expect_area(&input, &settings, area, 0.02 * area + 1);
    }
    level_free(&level);
  }
}

TEST(surfaces_four_kilometres_apart) {
  for (int tiled = 0; tiled < 2; tiled++) {
    for (int fine = 0; fine < 2; fine++) {
      Plate p;
      make_plate(&p, 0, 0, 30, 30, -2000, 2000);
      CrBuildSettings settings = cr_build_settings_default();
      settings.tile_cells = tiled ? 40 : 0;
      if (fine) settings.cell_height = 1e-3;
      expect_area(&p.input, &settings, 2 * ground_side(30, &settings) * ground_side(30, &settings), 1e-3);
    }
  }
  // The world's whole height in steps of its smallest: more heights than are counted.
  Plate p;
  make_plate(&p, 0, 0, 30, 30, -2e6, 2e6);
  CrBuildSettings settings = cr_build_settings_default();
  expect_area(&p.input, &settings, 2 * ground_side(30, &settings) * ground_side(30, &settings), 1e-3);
  settings.cell_height = 2.5e-3;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.cellHeight", CR_NO_INDEX);
}

TEST(four_thousand_cells_wide) {
  Plate p;
  make_plate(&p, 0, 0, 4097, 4097, 0, -1);
  CrBuildSettings settings = cr_build_settings_default();
  settings.cell_size = 1;
  settings.agent_radius = 1;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.cellSize", CR_NO_INDEX);
  settings.tile_cells = 400;
  settings.detail_sample_distance = settings.contour_max_error = 0;
  CrNavMesh *mesh;
  CrBuildReport report;
  REQUIRE_OK(cr_build_navmesh(&p.input, &settings, NULL, NULL, &mesh, &report, NULL));
  CHECK(!cr__navmesh_invariant(mesh));
  CHECK_INT(report.tiles_built, 121);
  CHECK_NEAR(mesh_area(mesh), 4093.0 * 4093.0, 1e-3);
  uint32_t portals = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) portals += mesh->tiles[slot].link_count;
  CHECK(portals >= 2 * 2 * 110);
  printf("  %u polygons in %u tiles\n", report.polygons, report.tiles_built);
  cr_navmesh_destroy(mesh);
  CrBytes bytes;
  REQUIRE_OK(cr_build_tile(&p.input, &settings, 5, 5, NULL, &bytes, NULL, NULL));
  CHECK(bytes.size > 0);
  cr_bytes_free(&bytes);
  settings.tile_cells = 1999;  // with its borders too many columns
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.tileCells", CR_NO_INDEX);
}

TEST(grids_out_of_all_proportion_are_refused) {
  Plate p;
  make_plate(&p, -2e6, -2e6, 4e6, 4e6, 0, -1);
  CrBuildSettings settings = cr_build_settings_default();
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.cellSize", CR_NO_INDEX);
  settings.tile_cells = 100;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.tileCells", CR_NO_INDEX);
  settings.cell_size = 1e-9;
  settings.agent_radius = 0;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.cellSize", CR_NO_INDEX);
  settings.cell_size = 1e-300;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "settings.cellSize", CR_NO_INDEX);
}

// Each of these triangles reaches most of 16.7 million tiles: counting that must not take as long as going there.
TEST(triangles_over_countless_tiles_are_refused) {
  double vertices[3 * 64];
  uint32_t triangles[3 * 63];
  CrBuildInput input = {.vertices = vertices, .triangles = triangles, .vertex_count = 42, .triangle_count = 40};
  for (uint32_t k = 0; k < 42; k++) {
    vertices[3 * k] = k == 1 ? 32760 : 0;
    vertices[3 * k + 1] = k;
    vertices[3 * k + 2] = k < 2 ? 0 : 32760;
  }
  for (uint32_t i = 0; i < 40; i++) memcpy(triangles + 3 * i, (uint32_t[3]){0, i + 2, 1}, 3 * sizeof(uint32_t));
  CrBuildSettings settings = cr_build_settings_default();
  settings.cell_size = 1;
  settings.tile_cells = 8;
  CrNavMesh *mesh = NULL;
  CrError error = {0};
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CHECK_STATUS(cr_build_navmesh(&input, &settings, NULL, &allocator, &mesh, NULL, &error), CR_STATUS_LIMIT);
  CHECK(error.field && strcmp(error.field, "settings.tileCells") == 0 && error.limit == 268435456.0);
  CHECK(!mesh && memory.live_blocks == 0);
}

// A mesh knows no tiles smaller than 2^-7: as one tile a level may be as small as it likes, in tiles it is refused by the setting.
TEST(levels_of_a_few_millimetres) {
  Plate p;
  make_plate(&p, 0, 0, 0.004, 0.004, 0, -1);
  CrBuildSettings settings = cr_build_settings_default();
  settings.agent_radius = settings.max_edge_length = settings.detail_sample_distance = 0;
  settings.min_region_area = 0;
  settings.cell_size = 0.0001;
  expect_area(&p.input, &settings, ground_side(0.004, &settings) * ground_side(0.004, &settings), 1e-12);
  settings.tile_cells = 16;
  expect_build_refused(&p.input, &settings, CR_STATUS_ARGUMENT, "settings.cellSize", CR_NO_INDEX);
  settings.cell_size = 0.0078125 / 16;
  settings.contour_max_error = 0;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_build_navmesh(&p.input, &settings, NULL, NULL, &mesh, NULL, NULL));
  cr_navmesh_destroy(mesh);
}

TEST(huge_and_tiny_cells) {
  Plate p;
  make_plate(&p, 5, 5, 30, 30, 1, -1);
  CrBuildSettings settings = cr_build_settings_default();
  settings.agent_radius = 0;
  settings.cell_size = 1e5;  // one cell: its ground is beside the world's edge
  settings.cell_height = 1e5;
  expect_area(&p.input, &settings, 0, 0);
  settings.tile_cells = 8;
  expect_area(&p.input, &settings, 0, 0);
  make_plate(&p, 5, 5, 0.03, 0.03, 1, -1);
  settings = cr_build_settings_default();
  settings.agent_radius = 0.001;
  settings.cell_size = settings.cell_height = 1e-4;
  settings.agent_height = settings.walkable_climb = 0.001;
  expect_area(&p.input, &settings, 0.0278 * 0.0278, 1e-9);
  settings.tile_cells = 100;  // tiles of a hundredth: above the smallest a mesh takes
  expect_area(&p.input, &settings, 0.0278 * 0.0278, 1e-9);
}

TEST(nothing_to_build) {
  const CrBuildInput none = {0};
  CrBuildSettings settings = cr_build_settings_default();
  CrOffMeshLink link = {.start = {1, 0, 1}, .end = {2, 0, 2}, .radius = 1};
  const double line[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
  const uint32_t flat[] = {0, 1, 2, 0, 0, 0, 2, 1, 1};
  CrBuildInput degenerate = {.vertices = line, .vertex_count = 3, .triangles = flat, .triangle_count = 3};
  degenerate.off_mesh_links = &link;
  degenerate.off_mesh_count = 1;
  const CrBuildInput *inputs[] = {&none, &degenerate};
  for (int i = 0; i < 4; i++) {
    settings.tile_cells = i & 1 ? 32 : 0;
    CrNavMesh *mesh;
    CrBuilder *builder;
    CrBuildReport report;
    CrTileBuild *build;
    CrBytes bytes;
    CrError error;
    REQUIRE_OK(cr_build_navmesh(inputs[i >> 1], &settings, NULL, NULL, &mesh, &report, NULL));
    CHECK(cr_navmesh_tile_count(mesh) == 0 && report.triangles_used == 0 && report.tiles_built == 0);
    CHECK_INT(report.triangles_degenerate, i >> 1 ? 3 : 0);
    CHECK_INT(report.off_mesh_outside, i >> 1);
    cr_navmesh_destroy(mesh);
    REQUIRE_OK(cr_builder_create(inputs[i >> 1], &settings, NULL, NULL, &builder, NULL));
    CHECK_STATUS(cr_tile_build_create(builder, 0, 0, &build, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "tileX") == 0);
    cr_builder_destroy(builder);
    CHECK_STATUS(cr_build_tile(inputs[i >> 1], &settings, 0, 0, NULL, &bytes, NULL, &error), CR_STATUS_ARGUMENT);
  }
}

TEST(only_obstacles) {
  Plate p;
  make_plate(&p, 0, 0, 30, 30, 0, -1);
  for (int i = 0; i < 6; i += 3) {
    uint32_t swap = p.triangles[i + 1];  // seen from below
    p.triangles[i + 1] = p.triangles[i + 2];
    p.triangles[i + 2] = swap;
  }
  for (int tiled = 0; tiled < 2; tiled++) {
    CrBuildSettings settings = cr_build_settings_default();
    settings.tile_cells = tiled ? 32 : 0;
    CrNavMesh *mesh;
    CrBuildReport report;
    REQUIRE_OK(cr_build_navmesh(&p.input, &settings, NULL, NULL, &mesh, &report, NULL));
    CHECK(report.triangles_downward == 2 && report.first_downward == 0 && report.polygons == 0);
    CHECK_INT(cr_navmesh_tile_count(mesh), 0);
    cr_navmesh_destroy(mesh);
  }
}

// A level with every kind of bad triangle strewn in is the level without them.
TEST(broken_triangles_change_nothing) {
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    uint64_t seed = 900 + i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    CrBuildSettings settings = cr_build_settings_default();
    settings.tile_cells = i % 2 ? 50 : 0;
    uint32_t count = level.triangle_count, kept = 0;
    uint32_t *triangles = malloc(3 * (size_t)count * 3 * sizeof *triangles);
    uint8_t *areas = malloc(3 * (size_t)count);
    double *vertices = malloc(3 * ((size_t)level.vertex_count + 3) * sizeof *vertices);
    REQUIRE(triangles && areas && vertices);
    memcpy(vertices, level.vertices, 3 * (size_t)level.vertex_count * sizeof *vertices);
    // Far off, all on one line: used by degenerate triangles only.
    const double far[] = {2e6, 1e6, -2e6, 2e6, 0, -2e6, 2e6, -1e6, -2e6};
    memcpy(vertices + 3 * (size_t)level.vertex_count, far, sizeof far);
    for (uint32_t t = 0; t < count; t++) {
      if (rnd_int(&seed, 2)) {
        uint32_t a = level.vertex_count + (uint32_t)rnd_int(&seed, 3);
        uint32_t b = rnd_int(&seed, 2) ? a : level.vertex_count, c = rnd_int(&seed, 2) ? a : b;
        memcpy(triangles + 3 * kept, (uint32_t[3]){a, b, c}, 3 * sizeof *triangles);
        areas[kept++] = 7;
      }
      memcpy(triangles + 3 * kept, level.triangles + 3 * t, 3 * sizeof *triangles);
      areas[kept++] = input.areas ? input.areas[t] : 0;
    }
    CrBuildInput broken = input;
    broken.vertices = vertices;
    broken.vertex_count += 3;
    broken.triangles = triangles;
    broken.areas = areas;
    broken.triangle_count = kept;
    CrNavMesh *a, *b;
    CrBytes x, y;
    REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &a, NULL, NULL));
    REQUIRE_OK(cr_build_navmesh(&broken, &settings, NULL, NULL, &b, NULL, NULL));
    REQUIRE_OK(cr_navmesh_save(a, NULL, &x, NULL));
    REQUIRE_OK(cr_navmesh_save(b, NULL, &y, NULL));
    CHECK(x.size == y.size && memcmp(x.data, y.data, x.size) == 0);
    cr_bytes_free(&x);
    cr_bytes_free(&y);
    cr_navmesh_destroy(a);
    cr_navmesh_destroy(b);
    free(triangles);
    free(areas);
    free(vertices);
    level_free(&level);
  }
}

TEST(bad_numbers_are_named) {
  const double bad[] = {NAN, INFINITY, -INFINITY, CR_COORD_LIMIT, -CR_COORD_LIMIT, 1e300};
  CrBuildSettings settings = cr_build_settings_default();
  for (int i = 0; i < 12; i++) {
    for (size_t k = 0; k < 6; k++) {
      Plate p;
      make_plate(&p, 0, 0, 30, 30, 0, -1);
      p.vertices[i] = bad[k];
      expect_refused(&p.input, &settings, CR_STATUS_ARGUMENT, "vertices", i / 3);
    }
  }
  for (int i = 0; i < 6; i++) {
    Plate p;
    make_plate(&p, 0, 0, 30, 30, 0, -1);
    p.triangles[i] = 8;
    expect_refused(&p.input, &settings, CR_STATUS_ARGUMENT, "triangles", i / 3);
    p.triangles[i] = UINT32_MAX;
    expect_refused(&p.input, &settings, CR_STATUS_ARGUMENT, "triangles", i / 3);
  }
  Plate p;
  make_plate(&p, 0, 0, 30, 30, 0, -1);
  const uint8_t areas[2] = {63, 64};
  p.input.areas = areas;
  expect_refused(&p.input, &settings, CR_STATUS_ARGUMENT, "areas", 1);
  p.input.areas = NULL;
  p.input.vertex_count = CR_BUILD_MAX_VERTICES + 1;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "vertices", CR_NO_INDEX);
  p.input.vertex_count = 8;
  p.input.triangle_count = CR_BUILD_MAX_TRIANGLES + 1;
  expect_refused(&p.input, &settings, CR_STATUS_LIMIT, "triangles", CR_NO_INDEX);
}

TEST_MAIN(RUN(far_from_the_origin), RUN(levels_far_away_keep_their_area), RUN(surfaces_four_kilometres_apart),
          RUN(four_thousand_cells_wide), RUN(grids_out_of_all_proportion_are_refused),
          RUN(triangles_over_countless_tiles_are_refused), RUN(levels_of_a_few_millimetres), RUN(huge_and_tiny_cells),
          RUN(nothing_to_build), RUN(only_obstacles), RUN(broken_triangles_change_nothing), RUN(bad_numbers_are_named))
