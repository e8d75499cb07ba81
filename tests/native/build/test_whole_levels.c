// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whole builds of every level through the public functions alone: what the report counts, what the callbacks see, cancelling at any moment, and tiles
// built alone.
#include "check.h"
#include "levels.h"
#include "worlds.h"

typedef struct Watch {
  int calls, stop_at;  // cancels at that call; 0: never
  double last;
  bool forward, within;
  double seconds;
} Watch;

static bool watch_progress(void *context, double progress) {
  Watch *w = context;
  w->calls++;
  w->forward &= progress >= w->last;
  w->within &= progress >= 0 && progress <= 1;
  w->last = progress;
  return w->calls != w->stop_at;
}

static double watch_clock(void *context) { return ((Watch *)context)->seconds += 0.5; }

static CrBuildCallbacks callbacks_of(Watch *w, int stop_at) {
  *w = (Watch){.stop_at = stop_at, .forward = true, .within = true};
  return (CrBuildCallbacks){.progress = watch_progress, .clock = watch_clock, .context = w};
}

static CrBuildSettings settings_of(uint32_t level, int32_t tile_cells) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = (CrPartition)(level % 3);
  settings.tile_cells = tile_cells;
  settings.min_region_area = level % 2 ? 0 : 64;
  return settings;
}

static void check_same_bytes(const CrNavMesh *a, const CrNavMesh *b) {
  CrBytes x = {0}, y = {0};
  REQUIRE_OK(cr_navmesh_save(a, NULL, &x, NULL));
  REQUIRE_OK(cr_navmesh_save(b, NULL, &y, NULL));
  CHECK(x.size == y.size && memcmp(x.data, y.data, x.size) == 0);
  cr_bytes_free(&x);
  cr_bytes_free(&y);
}

static void check_counts(const CrBuildInput *input, const CrNavMesh *mesh, const CrBuildReport *r, int64_t tiles) {
  CHECK_INT(r->triangles_used + r->triangles_degenerate + r->triangles_duplicate, input->triangle_count);
  CHECK(r->triangles_steep + r->triangles_downward <= r->triangles_used);
  CHECK((r->triangles_degenerate > 0) == (r->first_degenerate >= 0));
  CHECK((r->triangles_duplicate > 0) == (r->first_duplicate >= 0));
  CHECK((r->triangles_steep > 0) == (r->first_steep >= 0));
  CHECK((r->triangles_downward > 0) == (r->first_downward >= 0));
  CHECK_INT(r->tiles_built + r->tiles_empty, tiles);
  CHECK_INT(r->tiles_built, cr_navmesh_tile_count(mesh));
  CHECK_INT(r->polygons, cr_navmesh_polygon_count(mesh));
  CHECK_INT(r->detail_triangles, cr_navmesh_triangle_count(mesh));
  CHECK(r->spans > 0 && r->regions > 0 && r->contours >= r->regions && r->vertices > r->polygons / 2);
}

// Each tile alone: the reports add up to that of the whole build, the tiles to its mesh.
static void check_tiles_alone(const CrBuildInput *input, const CrBuildSettings *settings, const CrNavMesh *mesh,
                              const CrBuildReport *whole, int32_t tiles_x, int32_t tiles_z) {
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrNavMesh *assembled;
  CrBuildReport sum = {0};
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &assembled, NULL));
  for (int32_t i = 0; i < tiles_x * tiles_z; i++) {
    CrBytes bytes;
    CrBuildReport part;
    REQUIRE_OK(cr_build_tile(input, settings, i % tiles_x, i / tiles_x, NULL, &bytes, &part, NULL));
    CHECK_INT(part.triangles_used, whole->triangles_used);
    CHECK(part.tiles_built == (bytes.size > 0) && part.tiles_built + part.tiles_empty == 1);
    if (bytes.size) REQUIRE_OK(cr_navmesh_add_tile(assembled, bytes.data, bytes.size, NULL, NULL));
    cr_bytes_free(&bytes);
    sum.spans += part.spans;
    sum.regions += part.regions;
    sum.contours += part.contours;
    sum.polygons += part.polygons;
    sum.vertices += part.vertices;
    sum.detail_triangles += part.detail_triangles;
  }
  CHECK_INT(sum.spans, whole->spans);
  CHECK_INT(sum.regions, whole->regions);
  CHECK_INT(sum.contours, whole->contours);
  CHECK_INT(sum.polygons, whole->polygons);
  CHECK_INT(sum.vertices, whole->vertices);
  CHECK_INT(sum.detail_triangles, whole->detail_triangles);
  check_same_bytes(mesh, assembled);
  cr_navmesh_destroy(assembled);
}

// Cancelled at one of its calls a build leaves nothing behind.
static void check_cancel(const CrBuildInput *input, const CrBuildSettings *settings, int calls, uint64_t *seed) {
  int at[4] = {1, calls, 1 + rnd_int(seed, calls), 1 + rnd_int(seed, calls)};
  for (int i = 0; i < 4; i++) {
    TestMemory memory = {0};
    CrAllocator allocator = test_allocator(&memory);
    Watch watch;
    CrBuildCallbacks callbacks = callbacks_of(&watch, at[i]);
    CrNavMesh *mesh = NULL;
    CrBuildReport report = {.polygons = 77};
    CrError error = {0};
    CHECK_STATUS(cr_build_navmesh(input, settings, &callbacks, &allocator, &mesh, &report, &error),
                 CR_STATUS_CANCELLED);
    CHECK(mesh == NULL && report.polygons == 77 && error.status == CR_STATUS_CANCELLED);
    CHECK_INT(watch.calls, at[i]);
    CHECK_INT(memory.live_blocks, 0);
  }
}

static void try_level(uint32_t index, int32_t tile_cells, uint64_t *seed) {
  Level level = level_make(index);
  CrBuildInput input = level_input(&level);
  CrBuildSettings settings = settings_of(index, tile_cells);
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  Watch watch;
  CrBuildCallbacks callbacks = callbacks_of(&watch, 0);
  CrNavMesh *mesh, *again;
  CrBuildReport report, plain;
  CrNavMeshParams params, own;
  int32_t tiles_x, tiles_z;
  REQUIRE_OK(cr_build_layout(&input, &settings, &params, &tiles_x, &tiles_z, NULL));
  REQUIRE_OK(cr_build_navmesh(&input, &settings, &callbacks, &allocator, &mesh, &report, NULL));
  own = cr_navmesh_params(mesh);
  CHECK(own.origin_x == params.origin_x && own.origin_z == params.origin_z && own.tile_size == params.tile_size);
  CHECK(watch.forward && watch.within && watch.last == 1.0);
  check_counts(&input, mesh, &report, (int64_t)tiles_x * tiles_z);
  double seconds = 0;
  for (int i = 0; i < CR_STAGE_COUNT; i++) seconds += report.stage_seconds[i];
  CHECK(seconds > 0 && seconds <= watch.seconds);
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &again, &plain, NULL));
  check_same_bytes(mesh, again);
  CHECK(plain.stage_seconds[CR_STAGE_REGIONS] == 0 && plain.spans == report.spans);
  world_note(mesh);
  check_tiles_alone(&input, &settings, mesh, &report, tiles_x, tiles_z);
  check_cancel(&input, &settings, watch.calls, seed);
  cr_navmesh_destroy(again);
  cr_navmesh_destroy(mesh);
  CHECK_INT(memory.live_blocks, 0);
  printf("  %-13s %2d x %2d tiles, %4u polygons, %4d calls of progress\n", level.name, tiles_x, tiles_z,
         report.polygons, watch.calls);
  level_free(&level);
}

TEST(every_level_whole_and_tile_by_tile) {
  uint64_t seed = 3;
  uint32_t step = check_scaled(100) < 50 ? 4 : 1;
  for (uint32_t i = 0; i < level_count(); i += step) {
    check_seed = seed;
    try_level(i, 0, &seed);
    try_level(i, 24 + 7 * (int32_t)(i % 5), &seed);
  }
}

TEST_MAIN(RUN(every_level_whole_and_tile_by_tile))
