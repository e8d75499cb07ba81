// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From hand-made and random regions to polygons: outlines with holes of any shape, shared boundaries, borders. The oracle is area: with
// no error allowed, the polygons cover exactly the cells; with any error, exactly the simplified outline.
#include <math.h>

#include "field_tile.h"
#include "navmesh_internal.h"
#include "outline_checks.h"
#include "random_fields.h"

typedef struct Built {
  CrTile tile;  // decoded from the bytes
  CrAllocator allocator;
  CrNavMeshParams params;
  CrBuildReport report;
  bool empty;
} Built;

static CrBuildSettings plain_settings(const CrGrid *grid) {
  CrBuildSettings s = {.agent_height = 2.5, .walkable_climb = 1.0};
  s.cell_size = grid->cell_size;
  s.cell_height = grid->cell_height;
  s.max_verts_per_poly = 6;
  return s;
}

static Built build(FieldMaker *maker, const CrBuildSettings *settings) {
  CrArena arena;
  Built built = {.allocator = cr__allocator_or_default(NULL), .empty = true};
  cr__arena_init(&arena, NULL);
  CrOpenField field = field_make(maker, &arena);
  int32_t side = maker->grid.width > maker->grid.depth ? maker->grid.width : maker->grid.depth;
  built.params = (CrNavMeshParams){.tile_size = (side - 2 * maker->grid.border) * maker->grid.cell_size, .climb = 1.0};
  CrBytes bytes;
  CrError error = {0};
  CrStatus status = field_tile(&field, settings, &built.params, 0, NULL, &bytes, &built.report, &error);
  if (status != CR_STATUS_OK) printf("  %s: %s %" PRId64 "\n", cr_status_text(status), error.field, error.index);
  REQUIRE(status == CR_STATUS_OK);
  check_note_bytes(bytes.data, bytes.size);
  if (bytes.size) {
    CrReader reader = cr__reader(bytes.data, bytes.size, 0, CR_FORMAT_NAVMESH, &error);
    REQUIRE_OK(cr__tile_read(&reader, &built.params, &built.allocator, &built.tile));
    built.empty = false;
    cr_bytes_free(&bytes);
  }
  cr__arena_free(&arena);
  return built;
}

static void built_free(Built *built) {
  if (!built->empty) cr__tile_free(&built->allocator, &built->tile);
}

static double polygon_area(const CrTile *tile, uint32_t p) {
  double area2 = 0.0;
  CrVec3 first = cr__polygon_vertex(tile, p, 0);
  for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, p); k++) {
    area2 += cr__cross_xz(first, cr__polygon_vertex(tile, p, k), cr__polygon_vertex(tile, p, k + 1));
  }
  return area2 / 2.0;
}

// In cells.
static double total_area(const Built *built, const FieldMaker *maker) {
  double area = 0.0;
  for (uint32_t p = 0; !built->empty && p < built->tile.polygon_count; p++) area += polygon_area(&built->tile, p);
  return area / (maker->grid.cell_size * maker->grid.cell_size);
}

static size_t own_cells(const FieldMaker *maker) {
  size_t count = 0;
  for (size_t i = 0; i < maker->count; i++) {
    bool traced = maker->spans[i].region && !(maker->spans[i].region & CR_BORDER_REGION);
    count += traced && maker->spans[i].area != CR_AREA_NONE;
  }
  return count;
}

static uint32_t edges_with_code(const Built *built, uint32_t code) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < built->tile.corner_count; c++) count += built->tile.corner_neighbour[c] == code;
  return count;
}

static uint32_t polygon_islands(const Built *built) {
  uint32_t count = built->empty ? 0 : built->tile.polygon_count, islands = 0;
  bool *seen = calloc(count + 1, 1);
  uint32_t *stack = malloc((count + 1) * sizeof *stack);
  REQUIRE(seen && stack);
  for (uint32_t p = 0; p < count; p++) {
    if (seen[p]) continue;
    uint32_t top = 0;
    stack[top++] = p;
    seen[p] = true;
    islands++;
    while (top) {
      uint32_t at = stack[--top];
      for (uint32_t c = built->tile.polygon_first[at]; c < built->tile.polygon_first[at + 1]; c++) {
        uint32_t n = built->tile.corner_neighbour[c];
        if (n >= count || seen[n]) continue;
        seen[n] = true;
        stack[top++] = n;
      }
    }
  }
  free(seen);
  free(stack);
  return islands;
}

static void expect_exact(const char *map, uint32_t islands) {
  FieldMaker maker = field_from_map(map, 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
  CHECK_INT(polygon_islands(&built), islands);
  built_free(&built);
  settings.contour_max_error = 1.3 * settings.cell_size;
  built = build(&maker, &settings);
  CHECK_INT(polygon_islands(&built), islands);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(one_square) {
  FieldMaker maker = field_from_map("aaaa\naaaa\naaaa\n", 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_INT(built.tile.polygon_count, 1);
  CHECK_INT(built.tile.vertex_count, 4);
  CHECK_INT(built.report.contours, 1);
  CHECK_NEAR(total_area(&built, &maker), 12.0, 0.0);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(maps) {
  expect_exact("a\n", 1);
  expect_exact("aaaaa\na...a\na...a\naaaaa\n", 1);
  expect_exact("aaaaaaa\na.a.a.a\naaaaaaa\na.a.a.a\naaaaaaa\n", 1);
  expect_exact("aaaaaaaa\naa.aaaaa\naaa.aaaa\naaaa.aaa\naaaaaaaa\n", 1);  // holes touching at corners
  expect_exact("aaaaaaaaa\na.......a\na.aaaaa.a\na.a...a.a\na.a.a.a.a\na.a...a.a\na.aaaaa.a\na.......a\naaaaaaaaa\n",
               3);
  expect_exact(
      "aaaaaaaaaa\n.........a\naaaaaaaa.a\na......a.a\na.aaaa.a.a\na.a....a.a\na.aaaaaa.a\na........a\naaaaaaaaaa\n",
      1);
  expect_exact("aaabbb\naaabbb\ncccddd\ncccddd\n", 1);
  expect_exact("aaaaaa\nabbbba\nab..ba\nabbbba\naaaaaa\n", 1);  // a ring in a ring
  expect_exact("abab\nbaba\nabab\n", 1);                        // checkerboard: pieces of one cell
  expect_exact("aabb\naabb\n....\nccaa\nccaa\n", 2);            // a region in two parts
  expect_exact("aaaaaaaaaaaa\naaaaaaaaaaab\naaaaaaaaaabb\naaaaaaaaabbb\naaaaaaaabbbb\naaaaaaabbbbb\n", 1);
}

// Cells that touch at corners only are islands. With error allowed, a cell held at two of its corners may shrink to a line.
TEST(corners_do_not_join) {
  FieldMaker maker = field_from_map("a.a.a\n.a.a.\na.a.a\n", 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_INT(polygon_islands(&built), 8);
  CHECK_NEAR(total_area(&built, &maker), 8.0, 0.0);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(borders) {
  FieldMaker maker =
      field_from_map("aaaaaaaa\naaaaaaaa\naaaaaaa.\n.aaaaaaa\naaaaaaaa\naaaabaaa\n...aaaaa\naaaaaaaa\n", 1);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
  // Beyond z = 0 there is ground all along; single columns without ground cut the x sides in two; z = 6 has ground in part.
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_NEG_Z), 1);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_NEG_X), 2);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_POS_X), 2);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_POS_Z), 1);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(random_maps_exact) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 1000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 40), depth = 1 + rnd_int(&seed, 40);
    double walls = rnd_unit(&seed) * 0.7;
    FieldMaker maker = random_field(&seed, width, depth, walls, 1 + (uint32_t)rnd_int(&seed, 6));
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.max_verts_per_poly = 3 + rnd_int(&seed, 10);
    Built built = build(&maker, &settings);
    CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d maps, %" PRIu64 " polygons\n", count, polygons);
}

// Regions of one piece each: those of a flood.
static void adopt_pieces(FieldMaker *maker, const Stages *s) {
  for (size_t i = 0; i < maker->count; i++) {
    if (s->pieces.of[i]) maker->spans[i].region = s->pieces.of[i];
    if (!s->pieces.of[i] && !(maker->spans[i].region & CR_BORDER_REGION)) maker->spans[i].region = 0;
  }
}

static void check_random_simplified(FieldMaker *maker, bool flat, uint64_t *seed, uint64_t *polygons) {
  Stages s;
  double error = rnd_unit(seed) * 4.0;
  double edge = rnd_int(seed, 2) ? 0.0 : 2.0 + rnd_unit(seed) * 10.0;
  run_stages(&s, maker, error, edge, 3 + (uint32_t)rnd_int(seed, 10));
  check_areas(&s);
  check_plane(&s, flat);
  check_error(&s, error);
  check_connection(&s);
  *polygons += s.mesh.polygon_count;
  check_fast_pieces(&s);
  adopt_pieces(maker, &s);
  cr__arena_free(&s.arena);
  run_stages(&s, maker, error, 0.0, 6);
  CHECK(check_fast_pieces(&s));
  cr__arena_free(&s.arena);
}

TEST(random_maps_simplified) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 5000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 30), depth = 1 + rnd_int(&seed, 30);
    double walls = rnd_small(&seed) * 0.7;
    FieldMaker maker = random_field(&seed, width, depth, walls, 1 + (uint32_t)rnd_int(&seed, 6));
    check_random_simplified(&maker, true, &seed, &polygons);
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.contour_max_error = rnd_unit(&seed) * 2.0;
    Built built = build(&maker, &settings);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d maps, %" PRIu64 " polygons\n", count, polygons);
}

TEST(random_storeys_simplified) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 9000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 24);
    FieldMaker maker = random_storeys(&seed, width, 1 + rnd_int(&seed, 24));
    check_random_simplified(&maker, false, &seed, &polygons);
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.contour_max_error = rnd_unit(&seed) * 2.0;
    settings.detail_sample_distance = rnd_unit(&seed) * 3.0;
    settings.detail_max_error = rnd_unit(&seed);
    Built built = build(&maker, &settings);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d fields, %" PRIu64 " polygons\n", count, polygons);
}

TEST(winding_ramps) {
  for (int32_t pole = 0; pole < 4; pole++) {
    for (int32_t turns = 1; turns < 5; turns++) {
      FieldMaker maker = winding_ramp(20, pole, turns);
      CrBuildSettings settings = plain_settings(&maker.grid);
      Built built = build(&maker, &settings);
      CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
      CHECK_INT(polygon_islands(&built), 1);
      built_free(&built);
      Stages s;
      run_stages(&s, &maker, 1.3, 0.0, 6);
      check_areas(&s);
      check_plane(&s, false);
      check_connection(&s);
      CHECK(s.pieces.count >= (uint32_t)turns);
      cr__arena_free(&s.arena);
      field_maker_free(&maker);
    }
  }
}

// Any allocation may fail: a status, nothing leaked, and with enough memory the same bytes as ever.
TEST(memory_runs_out) {
  uint64_t seed = 77;
  FieldMaker maker = random_storeys(&seed, 70, 70);
  CrBuildSettings settings = plain_settings(&maker.grid);
  settings.contour_max_error = settings.detail_sample_distance = 1.0;
  CrArena field_arena;
  cr__arena_init(&field_arena, NULL);
  CrOpenField field = field_make(&maker, &field_arena);
  CrNavMeshParams params = {.tile_size = (maker.grid.width - 2 * maker.grid.border) * maker.grid.cell_size,
                            .climb = 1.0};
  CrStatus status = CR_STATUS_OUT_OF_MEMORY;
  int64_t k = 1;
  for (; status == CR_STATUS_OUT_OF_MEMORY && k < 1000; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrBytes bytes;
    CrBuildReport report = {0};
    status = field_tile(&field, &settings, &params, 0, &allocator, &bytes, &report, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    CHECK(status == CR_STATUS_OK || bytes.data == NULL);
    if (status == CR_STATUS_OK) cr_bytes_free(&bytes);
    CHECK_INT(memory.live_blocks, 0);
  }
  CHECK(status == CR_STATUS_OK && k > 3);
  printf("  %" PRId64 " allocations\n", k - 1);
  cr__arena_free(&field_arena);
  field_maker_free(&maker);
}

TEST_MAIN(RUN(one_square), RUN(maps), RUN(corners_do_not_join), RUN(borders), RUN(random_maps_exact),
          RUN(random_maps_simplified), RUN(random_storeys_simplified), RUN(winding_ramps), RUN(memory_runs_out))
