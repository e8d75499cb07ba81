// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The public stages: run one by one they give the bytes of a whole build, out of turn they are refused; reports, callbacks, and what the stages
// show of their work.
#include <math.h>

#include "check.h"
#include "crowdreel/crowdreel.h"
#include "levels.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

typedef CrStatus (*Stage)(CrTileBuild *build, CrError *error);

static const Stage stages[CR_STAGE_COUNT] = {cr_tile_rasterize,     cr_tile_filter_low_obstacles,
                                             cr_tile_filter_ledges, cr_tile_filter_low_headroom,
                                             cr_tile_compact,       cr_tile_erode,
                                             cr_tile_mark_volumes,  cr_tile_mark_obstacles,
                                             cr_tile_regions,       cr_tile_contours,
                                             cr_tile_polygonize,    cr_tile_detail,
                                             cr_tile_encode_bytes};

static CrBytes run_all(const CrBuilder *builder, int32_t x, int32_t z) {
  CrTileBuild *build;
  CrBytes bytes;
  REQUIRE_OK(cr_tile_build_create(builder, x, z, &build, NULL));
  for (int i = 0; i < CR_STAGE_COUNT; i++) {
    CHECK_INT(cr_tile_build_next_stage(build), i);
    CHECK_OK(stages[i](build, NULL));
  }
  CHECK_INT(cr_tile_build_next_stage(build), CR_STAGE_COUNT);
  REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
  CHECK_STATUS(cr_tile_build_take_bytes(build, &(CrBytes){0}, NULL), CR_STATUS_ARGUMENT);
  cr_tile_build_destroy(build);
  return bytes;
}
static CrBytes mesh_tile(const CrNavMesh *mesh, int32_t x, int32_t z) {
  uint32_t slot;
  CrBytes bytes = {0};
  if (cr_navmesh_find_tile(mesh, x, z, 0, &slot) != CR_STATUS_OK) return bytes;
  REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &bytes, NULL));
  return bytes;
}

// Every tile three ways: by stages, alone, in the whole build. Returns how many had polygons.
static int compare_tiles(const CrBuildInput *input, const CrBuildSettings *settings) {
  CrNavMesh *mesh;
  CrBuilder *builder;
  CrBuildReport report;
  int built = 0;
  REQUIRE_OK(cr_build_navmesh(input, settings, NULL, NULL, &mesh, &report, NULL));
  REQUIRE_OK(cr_builder_create(input, settings, NULL, NULL, &builder, NULL));
  CHECK(!cr__navmesh_invariant(mesh));
  int32_t tiles_x, tiles_z;
  cr_builder_tile_counts(builder, &tiles_x, &tiles_z);
  for (int32_t z = 0; z < tiles_z; z++) {
    for (int32_t x = 0; x < tiles_x; x++) {
      CrBytes staged = run_all(builder, x, z), whole = mesh_tile(mesh, x, z), alone;
      REQUIRE_OK(cr_build_tile(input, settings, x, z, NULL, &alone, NULL, NULL));
      check_note_bytes(staged.data, staged.size);
      CHECK(kit_same_bytes(&staged, &whole));
      CHECK(kit_same_bytes(&staged, &alone));
      built += staged.size > 0;
      cr_bytes_free(&staged);
      cr_bytes_free(&whole);
      cr_bytes_free(&alone);
    }
  }
  CHECK_INT(report.tiles_built, built);
  CHECK_INT(report.tiles_built + report.tiles_empty, tiles_x * tiles_z);
  cr_builder_destroy(builder);
  cr_navmesh_destroy(mesh);
  return built;
}

TEST(stages_give_the_bytes_of_the_whole_build) {
  int tiles = 0;
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    for (int p = 0; p < 3; p++) {
      CrBuildSettings settings = cr_build_settings_default();
      settings.partition = (CrPartition)p;
      settings.tile_cells = (int)(i + (uint32_t)p) % 3 ? 40 + (int32_t)i : 0;
      int built = compare_tiles(&input, &settings);
      CHECK(built > 0);
      tiles += built;
    }
    level_free(&level);
  }
  printf("  %d tiles of %u levels\n", tiles, level_count());
}

// --- Turns and arguments ------------------------------------------------------------------------------------------------

static CrBuildInput plane_input(void) {
  static const double vertices[] = {0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0, 20};
  static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2};
  return (CrBuildInput){.vertices = vertices, .vertex_count = 4, .triangles = triangles, .triangle_count = 2};
}

TEST(stages_out_of_turn_are_refused) {
  CrBuildInput input = plane_input();
  CrBuildSettings settings = cr_build_settings_default();
  CrBuilder *builder;
  CrTileBuild *build;
  CrError error;
  REQUIRE_OK(cr_builder_create(&input, &settings, NULL, NULL, &builder, NULL));
  CHECK_STATUS(cr_tile_build_create(builder, 1, 0, &build, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "tileX") == 0);
  CHECK_STATUS(cr_tile_build_create(builder, 0, -1, &build, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "tileZ") == 0);
  REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &build, NULL));
  for (int due = 0; due <= CR_STAGE_COUNT; due++) {
    for (int i = 0; i < CR_STAGE_COUNT; i++) {
      if (i == due) continue;
      error = (CrError){0};
      CHECK_STATUS(stages[i](build, &error), CR_STATUS_ARGUMENT);
      CHECK(strcmp(error.field, "stage") == 0 && error.limit == due);
    }
    CHECK_STATUS(cr_tile_build_run(build, (CrBuildStage)-1, NULL), CR_STATUS_ARGUMENT);
    CHECK_STATUS(cr_tile_build_run(build, CR_STAGE_COUNT, NULL), CR_STATUS_ARGUMENT);
    CHECK_STATUS(cr_tile_build_run_to(build, CR_STAGE_COUNT, NULL), CR_STATUS_ARGUMENT);
    if (due < CR_STAGE_COUNT) {
      CHECK_STATUS(cr_tile_build_take_bytes(build, &(CrBytes){0}, NULL), CR_STATUS_ARGUMENT);
      CHECK_OK(cr_tile_build_run(build, (CrBuildStage)due, NULL));
    }
  }
  CrBytes bytes, alone;
  REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
  REQUIRE_OK(cr_build_tile(&input, &settings, 0, 0, NULL, &alone, NULL, NULL));
  CHECK(kit_same_bytes(&bytes, &alone));
  cr_bytes_free(&bytes);
  cr_bytes_free(&alone);
  cr_tile_build_destroy(build);
  cr_builder_destroy(builder);
}

static void expect_refused(const CrBuildInput *input, const char *field, int64_t index) {
  CrBuildSettings settings = cr_build_settings_default();
  CrNavMesh *mesh;
  CrBuilder *builder;
  CrBytes bytes;
  CrError error = {0};
  CHECK_STATUS(cr_build_navmesh(input, &settings, NULL, NULL, &mesh, NULL, &error), CR_STATUS_ARGUMENT);
  CHECK(error.field && strcmp(error.field, field) == 0 && error.index == index);
  CHECK_STATUS(cr_builder_create(input, &settings, NULL, NULL, &builder, NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_build_tile(input, &settings, 0, 0, NULL, &bytes, NULL, NULL), CR_STATUS_ARGUMENT);
}

TEST(bad_markings_and_links_are_named) {
  CrVolume good = {.shape = CR_VOLUME_BOX, .max_y = 1, .half_x = 1, .half_z = 1}, bad = good;
  bad.area = 64;
  CrVolume volumes[3] = {good, good, bad};
  CrBuildInput input = plane_input();
  input.volumes = volumes;
  input.volume_count = 3;
  expect_refused(&input, "volumes", 2);
  input = plane_input();
  input.obstacles = volumes;
  input.obstacle_count = 3;
  expect_refused(&input, "obstacles", 2);
  CrOffMeshLink link = {.start = {1, 0, 1}, .end = {9, 0, 9}, .radius = 1};
  CrOffMeshLink wrong[8];
  for (int i = 0; i < 8; i++) wrong[i] = link;
  wrong[0].start.x = NAN;
  wrong[1].start.y = CR_COORD_LIMIT;
  wrong[2].end.z = -INFINITY;
  wrong[3].radius = 0;
  wrong[4].radius = NAN;
  wrong[5].radius = 1e6;
  wrong[6].area = 64;
  wrong[7].bidirectional = 2;
  for (int i = 0; i < 8; i++) {
    CrOffMeshLink links[2] = {link, wrong[i]};
    input = plane_input();
    input.off_mesh_links = links;
    input.off_mesh_count = 2;
    expect_refused(&input, "offMeshLinks", 1);
  }
  input = plane_input();
  input.off_mesh_count = 1;
  expect_refused(&input, "offMeshLinks", CR_NO_INDEX);
  input = plane_input();
  input.volume_count = 1;
  expect_refused(&input, "volumes", CR_NO_INDEX);
}

// --- Links and flags ----------------------------------------------------------------------------------------------------

TEST(links_go_to_the_tile_of_their_start) {
  CrBuildInput input = plane_input();
  CrBuildSettings settings = cr_build_settings_default();
  settings.cell_size = 0.25;
  settings.tile_cells = 20;  // tiles of 5 units, 4 x 4
  const CrOffMeshLink links[] = {
      {.start = {5, 0, 5}, .end = {12, 0, 12}, .radius = 1, .user_id = 1},         // on a corner: tile (1, 1)
      {.start = {-1, 0, 5}, .end = {12, 0, 12}, .radius = 1, .user_id = 2},        // outside
      {.start = {20, 0, 20}, .end = {12, 0, 12}, .radius = 2, .user_id = 3},       // the far corner: tile (3, 3)
      {.start = {4.999999, 0, 9}, .end = {12, 0, 12}, .radius = 1, .user_id = 4},  // tile (0, 1)
      {.start = {7, 0, 7}, .end = {1, 0, 1}, .radius = 1, .user_id = 5},           // tile (1, 1)
      {.start = {5, 0, 20.5}, .end = {1, 0, 1}, .radius = 1, .user_id = 6},        // outside
  };
  input.off_mesh_links = links;
  input.off_mesh_count = 6;
  CrNavMesh *mesh;
  CrBuildReport report;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, &report, NULL));
  CHECK_INT(report.off_mesh_outside, 2);
  CHECK_INT(report.first_off_mesh_outside, 1);
  CHECK_INT(cr_navmesh_unconnected_links(mesh, NULL, 0), 0);
  const struct {
    int32_t x, z;
    uint32_t index, id;
  } expected[] = {{1, 1, 0, 1}, {1, 1, 1, 5}, {3, 3, 0, 3}, {0, 1, 0, 4}};
  for (size_t i = 0; i < 4; i++) {
    uint32_t slot;
    CrOffMeshInfo info;
    REQUIRE_OK(cr_navmesh_find_tile(mesh, expected[i].x, expected[i].z, 0, &slot));
    CHECK_OK(cr_navmesh_off_mesh_link(mesh, slot, expected[i].index, &info));
    CHECK_INT(info.link.user_id, expected[i].id);
  }
  cr_navmesh_destroy(mesh);
  compare_tiles(&input, &settings);
}

// A tile without ground keeps the links that start in it: their ends find ground in the tiles around.
TEST(links_from_tiles_without_ground) {
  static const double vertices[] = {0, 0, 0, 9.5, 0, 0, 9.5, 0, 20, 0, 0, 20, 30, 0, 0, 40, 0, 0, 40, 0, 20, 30, 0, 20};
  static const uint32_t triangles[] = {0, 2, 1, 0, 3, 2, 4, 6, 5, 4, 7, 6};
  const CrOffMeshLink links[] = {{.start = {10.5, 0, 5}, .end = {32, 0, 5}, .radius = 2.5, .user_id = 7},
                                 {.start = {20, 0, 5}, .end = {32, 0, 5}, .radius = 1, .user_id = 8}};
  CrBuildInput input = {.vertices = vertices, .vertex_count = 8, .triangles = triangles, .triangle_count = 4};
  input.off_mesh_links = links;
  input.off_mesh_count = 2;
  CrBuildSettings settings = cr_build_settings_default();
  settings.cell_size = 0.25;
  settings.tile_cells = 40;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
  uint32_t slot;
  CrTileInfo tile;
  CrOffMeshInfo info;
  REQUIRE_OK(cr_navmesh_find_tile(mesh, 1, 0, 0, &slot));
  REQUIRE_OK(cr_navmesh_tile_info(mesh, slot, &tile));
  CHECK(tile.polygon_count == 0 && tile.off_mesh_count == 1);
  REQUIRE_OK(cr_navmesh_off_mesh_link(mesh, slot, 0, &info));
  CHECK(info.link.user_id == 7 && info.connected);
  CHECK_INT(cr_navmesh_unconnected_links(mesh, NULL, 0), 1);
  CHECK(!cr__navmesh_invariant(mesh));
  cr_navmesh_destroy(mesh);
  compare_tiles(&input, &settings);
}

TEST(flags_follow_areas) {
  CrBuildInput input = plane_input();
  const uint8_t areas[2] = {3, 9};
  uint16_t flags[64];
  for (int i = 0; i < 64; i++) flags[i] = (uint16_t)(1000 + i);
  CrVolume box = {.shape = CR_VOLUME_BOX, .area = 5, .min_y = -1, .max_y = 1, .center_x = 5, .center_z = 5};
  box.half_x = box.half_z = 3;
  input.areas = areas;
  input.area_flags = flags;
  input.volumes = &box;
  input.volume_count = 1;
  CrBuildSettings settings = cr_build_settings_default();
  CrNavMesh *mesh;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
  uint64_t seen = 0;
  for (uint32_t i = 0; i < cr_navmesh_polygon_count(mesh); i++) {
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, i), &info));
    CHECK_INT(info.flags, 1000 + info.area);
    seen |= UINT64_C(1) << info.area;
  }
  CHECK(seen == ((1u << 3) | (1u << 9) | (1u << 5)));
  cr_navmesh_destroy(mesh);
}

// --- Report -------------------------------------------------------------------------------------------------------------

TEST(triangles_are_counted_by_kind) {
  static const double vertices[] = {0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0, 20, 0, 30, 20, 10, 0, 10};
  static const uint32_t triangles[] = {
      0, 2, 1,  // 0: walkable
      0, 0, 1,  // 1: degenerate
      2, 1, 0,  // 2: 0 again
      0, 1, 2,  // 3: 0 facing down
      0, 5, 2,  // 4: all on one line
      1, 2, 0,  // 5: 3 again
      0, 3, 2,  // 6: walkable
      0, 4, 1,  // 7: steep
      3, 4, 0,  // 8: upright
      0, 2, 1,  // 9: 0 with another area
      1, 0, 2,  // 10: 9 again
  };
  const uint8_t areas[] = {1, 1, 1, 1, 1, 1, 2, 0, 0, 4, 4};
  CrBuildInput input = {.vertices = vertices, .vertex_count = 6, .triangles = triangles, .triangle_count = 11};
  input.areas = areas;
  CrBuildSettings settings = cr_build_settings_default();
  CrBuilder *builder;
  REQUIRE_OK(cr_builder_create(&input, &settings, NULL, NULL, &builder, NULL));
  const CrBuildReport *r = cr_builder_report(builder);
  CHECK_INT(r->triangles_used, 6);
  CHECK(r->triangles_degenerate == 2 && r->first_degenerate == 1);
  CHECK(r->triangles_duplicate == 3 && r->first_duplicate == 2);
  CHECK(r->triangles_steep == 1 && r->first_steep == 7);
  CHECK(r->first_downward == 3);
  CHECK_INT(r->triangles_downward, 2);
  cr_builder_destroy(builder);
}

// Shuffled copies of some triangles change nothing but the count; their last index may come first.
TEST(duplicates_change_nothing) {
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    uint64_t seed = 300 + i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    CrBuildSettings settings = cr_build_settings_default();
    CrBuildReport plain, more;
    CrBytes a, b;
    REQUIRE_OK(cr_build_tile(&input, &settings, 0, 0, NULL, &a, &plain, NULL));
    uint32_t extra = level.triangle_count / 2 + 1, count = level.triangle_count;
    uint32_t *triangles = malloc(3 * sizeof *triangles * (count + extra));
    uint8_t *areas = malloc(count + extra);
    REQUIRE(triangles && areas);
    for (uint32_t t = 0; t < count + extra; t++) {
      uint32_t from = t < count ? t : (uint32_t)rnd_int(&seed, (int32_t)count), turn = (uint32_t)rnd_int(&seed, 3);
      for (uint32_t k = 0; k < 3; k++) triangles[3 * t + k] = level.triangles[3 * from + (k + turn) % 3];
      areas[t] = input.areas ? input.areas[from] : 0;
    }
    input.triangles = triangles;
    input.areas = areas;
    input.triangle_count += extra;
    REQUIRE_OK(cr_build_tile(&input, &settings, 0, 0, NULL, &b, &more, NULL));
    CHECK(kit_same_bytes(&a, &b));
    CHECK_INT(more.triangles_used, plain.triangles_used);
    CHECK_INT(more.triangles_duplicate + more.triangles_degenerate,
              plain.triangles_duplicate + plain.triangles_degenerate + extra);
    CHECK_INT(more.spans, plain.spans);
    cr_bytes_free(&a);
    cr_bytes_free(&b);
    free(triangles);
    free(areas);
    level_free(&level);
  }
}

// --- Callbacks ----------------------------------------------------------------------------------------------------------

typedef struct Watcher {
  int64_t calls, stop_at;
  double last, ticks;
  bool ordered;
} Watcher;

static bool watch(void *context, double progress) {
  Watcher *w = context;
  w->ordered = w->ordered && progress >= w->last && progress <= 1.0;
  w->last = progress;
  return ++w->calls != w->stop_at;
}

static double tick(void *context) { return ((Watcher *)context)->ticks += 0.5; }

TEST(progress_can_be_watched_and_cancelled_anywhere) {
  Level level = level_make(0);
  CrBuildInput input = level_input(&level);
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = 64;
  Watcher w = {.ordered = true};
  CrBuildCallbacks callbacks = {watch, tick, &w};
  CrNavMesh *mesh = NULL;
  CrBuildReport report;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, &callbacks, NULL, &mesh, &report, NULL));
  cr_navmesh_destroy(mesh);
  CHECK(w.ordered && w.last == 1.0);
  for (int i = 0; i < CR_STAGE_COUNT; i++) CHECK_NEAR(report.stage_seconds[i], 0.5 * (report.tiles_built + 0), 0.0);
  int64_t calls = w.calls;
  CHECK(calls >= CR_STAGE_COUNT * (int64_t)report.tiles_built);
  for (int64_t stop = 1; stop <= calls; stop += 1 + stop / 8) {
    TestMemory memory = {0};
    CrAllocator allocator = test_allocator(&memory);
    w = (Watcher){.ordered = true, .stop_at = stop};
    mesh = NULL;
    CHECK_STATUS(cr_build_navmesh(&input, &settings, &callbacks, &allocator, &mesh, NULL, NULL), CR_STATUS_CANCELLED);
    CHECK(w.calls == stop && !mesh);
    CHECK_INT(memory.live_blocks, 0);
  }
  printf("  %lld calls for %u tiles\n", (long long)calls, report.tiles_built);
  level_free(&level);
}

TEST_MAIN(RUN(stages_give_the_bytes_of_the_whole_build), RUN(stages_out_of_turn_are_refused),
          RUN(bad_markings_and_links_are_named), RUN(links_go_to_the_tile_of_their_start),
          RUN(links_from_tiles_without_ground), RUN(flags_follow_areas), RUN(triangles_are_counted_by_kind),
          RUN(duplicates_change_nothing), RUN(progress_can_be_watched_and_cancelled_anywhere))
