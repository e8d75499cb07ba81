// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Temporary obstacles: whatever was added and removed, once nothing is in line each tile has the bytes of a fresh build.
#include <time.h>

#include "cache_levels.h"
#include "tile_cache_internal.h"

// --- The campaign ---------------------------------------------------------------------------------------------------------

typedef struct Run {
  CacheLevel level;
  CrTileCache *cache;
  CrNavMesh *mesh;
  CrObstacleId ids[64];  // alive
  uint32_t count;
  int64_t added, removed, rebuilt, checked;
} Run;

static void run_start(Run *run, uint32_t index, CrPartition partition, int32_t tile_cells, uint64_t *seed) {
  *run = (Run){0};
  cache_level_make(&run->level, index, partition, tile_cells, seed);
  CrVolume first[3];
  for (int i = 0; i < 3; i++) first[i] = cache_obstacle(&run->level, seed, 5);
  CrBuildInput input = run->level.input;
  input.obstacles = first;
  input.obstacle_count = 3;
  REQUIRE_OK(cr_tile_cache_create(&input, &run->level.settings, NULL, NULL, &run->cache, &run->mesh, NULL, NULL));
  for (uint32_t i = 0; i < 3; i++) run->ids[run->count++] = i + 1;
}

static void run_end(Run *run) {
  cr_tile_cache_destroy(run->cache);
  cr_navmesh_destroy(run->mesh);
  level_free(&run->level.level);
}

static void compare(Run *run) {
  CHECK_INT(cr_tile_cache_pending_count(run->cache), 0);
  CrNavMesh *fresh = cache_fresh_mesh(&run->level, run->cache);
  CHECK_INT(different_tiles(run->mesh, fresh, run->cache), 0);
  CHECK_INT(cr_navmesh_polygon_count(run->mesh), cr_navmesh_polygon_count(fresh));
  cr_navmesh_destroy(fresh);
  run->checked++;
}

static void random_edit(Run *run, uint64_t *seed) {
  if (run->count && (rnd_int(seed, 5) < 2 || run->count == 64)) {
    uint32_t k = (uint32_t)rnd_int(seed, (int32_t)run->count);
    CHECK_OK(cr_tile_cache_remove_obstacle(run->cache, run->ids[k], NULL));
    CHECK_STATUS(cr_tile_cache_remove_obstacle(run->cache, run->ids[k], NULL), CR_STATUS_NOT_FOUND);
    run->ids[k] = run->ids[--run->count];
    run->removed++;
    return;
  }
  CrVolume volume = cache_obstacle(&run->level, seed, rnd_int(seed, 6) ? 3 : 30);
  CHECK_OK(cr_tile_cache_add_obstacle(run->cache, &volume, &run->ids[run->count++], NULL));
  run->added++;
}

static void random_update(Run *run, uint64_t *seed) {
  static const uint32_t budgets[] = {0, 1, 3, UINT32_MAX};
  uint32_t budget = budgets[rnd_int(seed, 4)], before = cr_tile_cache_pending_count(run->cache), rebuilt, pending;
  CHECK_OK(cr_tile_cache_update(run->cache, run->mesh, budget, &rebuilt, &pending, NULL));
  CHECK_INT(rebuilt, budget < before ? budget : before);
  CHECK_INT(pending, before - rebuilt);
  run->rebuilt += rebuilt;
}

TEST(any_edits_end_in_the_fresh_build) {
  uint64_t seed = check_seed = 21;
  Run all = {0};
  int64_t rounds = check_scaled(3);
  for (int64_t round = 0; round < rounds; round++) {
    for (uint32_t index = 0; index < level_count(); index++) {
      Run run;
      int32_t tile_cells = index % 4 == 3 ? 0 : 24 + 8 * (int32_t)(index % 4);
      run_start(&run, index, (CrPartition)((index + (uint32_t)round) % 3), tile_cells, &seed);
      compare(&run);
      for (int burst = 0; burst < 4; burst++) {
        int32_t edits = 1 + rnd_int(&seed, 12);
        for (int32_t i = 0; i < edits; i++) {
          random_edit(&run, &seed);
          if (rnd_int(&seed, 2)) random_update(&run, &seed);
        }
        while (cr_tile_cache_pending_count(run.cache)) random_update(&run, &seed);
        compare(&run);
      }
      all.added += run.added;
      all.removed += run.removed;
      all.rebuilt += run.rebuilt;
      all.checked += run.checked;
      run_end(&run);
    }
  }
  printf("%" PRId64 " added, %" PRId64 " removed, %" PRId64 " tiles rebuilt, %" PRId64 " meshes equal to fresh ones\n",
         all.added, all.removed, all.rebuilt, all.checked);
}

// --- Which tiles ----------------------------------------------------------------------------------------------------------

static uint32_t salt_of(const CrNavMesh *mesh, int32_t x, int32_t z) {
  uint32_t slot;
  CrTileInfo info;
  if (cr_navmesh_find_tile(mesh, x, z, 0, &slot) != CR_STATUS_OK) return 0;
  REQUIRE_OK(cr_navmesh_tile_info(mesh, slot, &info));
  return info.salt;
}

// A column is reached when its centre is within the grown shape's box: the test's own, coarser idea of touching.
static bool may_touch(const Run *run, const CrVolume *v, int32_t x, int32_t z) {
  CrVolumeBounds b;
  const CrBuildSettings *s = &run->level.settings;
  cr__volume_bounds(v, s->agent_radius + s->cell_size / 2, &b);
  CrNavMeshParams params = cr_tile_cache_params(run->cache);
  double border = (double)run->cache->layout.border * s->cell_size, side = params.tile_size;
  double x0 = params.origin_x + x * side - border, z0 = params.origin_z + z * side - border;
  return b.max_x >= x0 && b.min_x <= x0 + side + 2 * border && b.max_z >= z0 && b.min_z <= z0 + side + 2 * border;
}

TEST(only_touched_tiles_change) {
  uint64_t seed = check_seed = 22;
  int64_t touched = 0, tiles = 0, changed = 0, needless = 0;
  for (uint32_t index = 0; index < level_count(); index += 3) {
    Run run;
    run_start(&run, index, CR_PARTITION_WATERSHED, 24, &seed);
    CrTileCacheInfo info = cr_tile_cache_info(run.cache);
    for (int i = 0; i < 20; i++) {
      CrNavMesh *before = cache_fresh_mesh(&run.level, run.cache);
      CrVolume v = cache_obstacle(&run.level, &seed, 4);
      CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &v, NULL, NULL));
      uint32_t salts[4096], at = 0;
      REQUIRE((size_t)info.tiles_x * (size_t)info.tiles_z <= 4096);
      for (int32_t z = 0; z < info.tiles_z; z++) {
        for (int32_t x = 0; x < info.tiles_x; x++) salts[at++] = salt_of(run.mesh, x, z);
      }
      CHECK_OK(cr_tile_cache_update(run.cache, run.mesh, UINT32_MAX, NULL, NULL, NULL));
      at = 0;
      for (int32_t z = 0; z < info.tiles_z; z++) {
        for (int32_t x = 0; x < info.tiles_x; x++, at++) {
          bool bumped = salt_of(run.mesh, x, z) != salts[at], differs = !same_tile(before, run.mesh, x, z);
          if (bumped) CHECK(may_touch(&run, &v, x, z));
          if (differs) CHECK(bumped);
          tiles++;
          touched += bumped;
          changed += differs;
          needless += bumped && !differs;
        }
      }
      cr_navmesh_destroy(before);
    }
    run_end(&run);
  }
  printf("%" PRId64 " of %" PRId64 " tiles rebuilt, %" PRId64 " changed, %" PRId64 " for nothing\n", touched, tiles,
         changed, needless);
}

// Every span an obstacle marks lies in a tile it is said to touch.
TEST(touching_is_exact_for_marks) {
  uint64_t seed = check_seed = 23;
  int64_t touched = 0, marking = 0;
  for (uint32_t index = 0; index < level_count(); index += 2) {
    Run run;
    run_start(&run, index, CR_PARTITION_MONOTONE, 16, &seed);
    for (int i = 0; i < 30; i++) {
      CrVolume v = cache_obstacle(&run.level, &seed, rnd_int(&seed, 3) ? 2 : 20);
      CrObstacleId id;
      CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &v, &id, NULL));
      for (size_t t = 0; t < run.cache->tile_count; t++) {
        const CrCacheTile *tile = &run.cache->tiles[t];
        CrArena arena;
        CrOpenField field;
        cr__arena_init(&arena, NULL);
        CrGrid grid = cr__layout_grid(&run.cache->layout, &run.level.settings, tile->x, tile->z);
        REQUIRE_OK(cr__layers_unpack(&tile->layers, &grid, &run.cache->context.cells, &arena, &field));
        uint8_t *before = cr__arena_alloc(&arena, field.count + 1, 1);
        REQUIRE(before);
        if (field.count) memcpy(before, field.area, field.count);
        v.area = 62;  // so that blocked ground is told from marked ground
        cr__obstacles_mark(&field, &run.level.settings, &v, 1);
        bool marks = field.count && memcmp(before, field.area, field.count) != 0;
        uint32_t last = tile->last_touch;
        bool is_touched = last && run.cache->obstacles[run.cache->touches[last - 1].obstacle].id == id;
        CHECK(!marks || is_touched);
        touched += is_touched;
        marking += marks;
        cr__arena_free(&arena);
      }
    }
    run_end(&run);
  }
  printf("%" PRId64 " touches, %" PRId64 " of them mark ground\n", touched, marking);
  CHECK(marking * 2 > touched);
}

// --- The line -------------------------------------------------------------------------------------------------------------

TEST(tiles_are_rebuilt_in_the_order_they_were_touched) {
  uint64_t seed = check_seed = 24;
  Run run;
  run_start(&run, 7, CR_PARTITION_WATERSHED, 16, &seed);
  uint32_t expected[4096], count = 0;
  for (int i = 0; i < 30; i++) {
    CrVolume v = cache_obstacle(&run.level, &seed, 3);
    CrObstacleId id;
    CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &v, &id, NULL));
    for (uint32_t t = 0; t < run.cache->tile_count; t++) {  // row by row, each once
      uint32_t last = run.cache->tiles[t].last_touch;
      if (!last || run.cache->obstacles[run.cache->touches[last - 1].obstacle].id != id) continue;
      bool known = false;
      for (uint32_t k = 0; k < count; k++) known |= expected[k] == t;
      if (!known) expected[count++] = t;
    }
  }
  CHECK_INT(cr_tile_cache_pending_count(run.cache), count);
  for (uint32_t k = 0; k < count; k++) {
    const CrCacheTile *tile = &run.cache->tiles[expected[k]];
    uint32_t before = salt_of(run.mesh, tile->x, tile->z), rebuilt;
    CHECK(tile->waits);
    CHECK_OK(cr_tile_cache_update(run.cache, run.mesh, 1, &rebuilt, NULL, NULL));
    CHECK_INT(rebuilt, 1);
    CHECK(!tile->waits);
    if (before) CHECK(salt_of(run.mesh, tile->x, tile->z) != before);
  }
  compare(&run);
  run_end(&run);
}

TEST(a_hundred_thousand_adds_fit_in_the_line) {
  uint64_t seed = check_seed = 25;
  Run run;
  run_start(&run, 0, CR_PARTITION_WATERSHED, 16, &seed);
  CrTileCacheInfo info = cr_tile_cache_info(run.cache);
  CrObstacleId last = 3;
  uint32_t most = 0;
  for (int i = 0; i < 100000; i++) {
    CrVolume v = cache_obstacle(&run.level, &seed, 2);
    CrObstacleId id;
    CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &v, &id, NULL));
    CHECK(id == last + 1);
    last = id;
    if (i % 50 >= 10) CHECK_OK(cr_tile_cache_remove_obstacle(run.cache, id, NULL));
    uint32_t pending = cr_tile_cache_pending_count(run.cache);
    if (pending > most) most = pending;
    CHECK(pending <= info.tile_count);
  }
  printf("%u obstacles left, %u of %u tiles in line, %" PRIu64 " touches\n", cr_tile_cache_obstacle_count(run.cache),
         most, info.tile_count, cr_tile_cache_info(run.cache).touch_count);
  CHECK_INT(cr_tile_cache_obstacle_count(run.cache), 3 + 20000);
  run_end(&run);
}

// --- Limits and refusals --------------------------------------------------------------------------------------------------

static CrVolume small_box(CrVec3 at) {
  return (CrVolume){.shape = CR_VOLUME_BOX,
                    .area = CR_AREA_BLOCKED,
                    .min_y = at.y - 1,
                    .max_y = at.y + 1,
                    .center_x = at.x,
                    .center_z = at.z,
                    .half_x = 0.5,
                    .half_z = 0.5};
}

TEST(limits_are_reported_by_name) {
  uint64_t seed = check_seed = 26;
  Run run;
  CrError error;
  run_start(&run, 0, CR_PARTITION_WATERSHED, 32, &seed);
  CrVolume far = small_box((CrVec3){1e6, 0, 1e6});
  for (int i = 3; i < CR_TILE_CACHE_MAX_OBSTACLES; i++)
    CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &far, NULL, NULL));
  CHECK_INT(cr_tile_cache_pending_count(run.cache), 0);
  CrObstacleId id = 77;
  CHECK_STATUS(cr_tile_cache_add_obstacle(run.cache, &far, &id, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "obstacles") == 0 && error.limit == CR_TILE_CACHE_MAX_OBSTACLES && id == 77);
  CHECK_OK(cr_tile_cache_remove_obstacle(run.cache, 2, NULL));
  CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &far, &id, &error));
  CHECK_INT(id, CR_TILE_CACHE_MAX_OBSTACLES + 1);
  // As if so many tiles were touched already, and as if so many ids had been given.
  CHECK_OK(cr_tile_cache_remove_obstacle(run.cache, 3, NULL));
  uint32_t touches = run.cache->touch_count;
  CrVolume here = small_box((CrVec3){0, 0, 0});
  here.half_x = here.half_z = 1000;
  here.min_y = -1000;
  here.max_y = 1000;
  run.cache->touch_count = CR_TILE_CACHE_MAX_TOUCHES - 1;
  CHECK_STATUS(cr_tile_cache_add_obstacle(run.cache, &here, &id, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "obstacle tiles") == 0 && error.limit == CR_TILE_CACHE_MAX_TOUCHES);
  run.cache->touch_count = touches;
  run.cache->next_id = CR_TILE_CACHE_MAX_ID;
  CHECK_OK(cr_tile_cache_add_obstacle(run.cache, &here, &id, &error));
  CHECK(id == CR_TILE_CACHE_MAX_ID);
  CHECK_OK(cr_tile_cache_remove_obstacle(run.cache, id, &error));
  CHECK_STATUS(cr_tile_cache_add_obstacle(run.cache, &here, &id, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "obstacle ids") == 0 && error.limit == 9007199254740991.0);
  run_end(&run);
}

TEST(bad_arguments_are_named_and_change_nothing) {
  uint64_t seed = check_seed = 27;
  Run run;
  CrError error;
  run_start(&run, 1, CR_PARTITION_WATERSHED, 32, &seed);
  CrVolume bad = small_box((CrVec3){0, 0, 0});
  bad.half_x = 0;
  CHECK_STATUS(cr_tile_cache_add_obstacle(run.cache, &bad, NULL, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "obstacle") == 0);
  CHECK_STATUS(cr_tile_cache_add_obstacle(run.cache, NULL, NULL, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_tile_cache_remove_obstacle(run.cache, 0, &error), CR_STATUS_NOT_FOUND);
  CHECK(strcmp(error.field, "obstacle") == 0);
  CHECK_STATUS(cr_tile_cache_remove_obstacle(run.cache, 4, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_tile_cache_remove_obstacle(run.cache, UINT64_MAX, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_tile_cache_obstacle(run.cache, 9, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_tile_cache_obstacle_at(run.cache, 3, NULL, NULL), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_tile_cache_update(run.cache, NULL, 1, NULL, NULL, &error), CR_STATUS_ARGUMENT);
  CrNavMeshParams params = cr_tile_cache_params(run.cache);
  params.agent_height += 0.5;
  CrNavMesh *other;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &other, NULL));
  uint32_t rebuilt = 5;
  cr_tile_cache_touch_all(run.cache);
  CHECK_STATUS(cr_tile_cache_update(run.cache, other, 1, &rebuilt, NULL, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "mesh") == 0 && rebuilt == 5);
  cr_navmesh_destroy(other);
  CHECK_INT(cr_tile_cache_obstacle_count(run.cache), 3);
  run_end(&run);
}

TEST(obstacles_are_listed_in_order_of_creation) {
  uint64_t seed = check_seed = 28;
  Run run;
  run_start(&run, 2, CR_PARTITION_WATERSHED, 32, &seed);
  for (int i = 0; i < 300; i++) random_edit(&run, &seed);
  CrObstacleId last = 0;
  for (uint32_t i = 0; i < cr_tile_cache_obstacle_count(run.cache); i++) {
    CrObstacleId id;
    CrVolume a, b;
    CHECK_OK(cr_tile_cache_obstacle_at(run.cache, i, &id, &a));
    CHECK_OK(cr_tile_cache_obstacle(run.cache, id, &b));
    CHECK(id > last && memcmp(&a, &b, sizeof a) == 0);
    last = id;
  }
  run_end(&run);
}

// A mesh from nothing but the cache.
TEST(touching_all_makes_a_whole_mesh) {
  uint64_t seed = check_seed = 29;
  for (uint32_t index = 0; index < level_count(); index += 5) {
    Run run;
    run_start(&run, index, CR_PARTITION_LAYERS, 32, &seed);
    CrNavMeshParams params = cr_tile_cache_params(run.cache);
    CrNavMesh *mesh;
    REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
    cr_tile_cache_touch_all(run.cache);
    CHECK_INT(cr_tile_cache_pending_count(run.cache), cr_tile_cache_info(run.cache).tile_count);
    CHECK_OK(cr_tile_cache_update(run.cache, mesh, UINT32_MAX, NULL, NULL, NULL));
    CHECK_INT(different_tiles(mesh, run.mesh, run.cache), 0);
    CHECK_INT(cr_navmesh_tile_count(mesh), cr_navmesh_tile_count(run.mesh));
    cr_navmesh_destroy(mesh);
    run_end(&run);
  }
}

TEST(a_level_without_ground_has_an_empty_cache) {
  CrBuildSettings settings = cr_build_settings_default();
  CrBuildInput input = {0};
  CrTileCache *cache;
  CrNavMesh *mesh;
  for (int32_t tiles = 0; tiles < 64; tiles += 32) {
    settings.tile_cells = tiles;
    REQUIRE_OK(cr_tile_cache_create(&input, &settings, NULL, NULL, &cache, &mesh, NULL, NULL));
    CrVolume v = small_box((CrVec3){0, 0, 0});
    CHECK_OK(cr_tile_cache_add_obstacle(cache, &v, NULL, NULL));
    cr_tile_cache_touch_all(cache);
    CHECK_INT(cr_tile_cache_pending_count(cache), 0);
    CHECK_OK(cr_tile_cache_update(cache, mesh, 10, NULL, NULL, NULL));
    CHECK_OK(cr_tile_cache_remove_obstacle(cache, 1, NULL));
    cr_tile_cache_destroy(cache);
    cr_navmesh_destroy(mesh);
  }
}

// --- Time -----------------------------------------------------------------------------------------------------------------

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { UNPACK, MARK, FIRST_STAGE, REPLACE = FIRST_STAGE + CR_STAGE_COUNT - CR_STAGE_REGIONS, PARTS };

// One tile by the steps of an update, each timed.
static void time_tile(Run *run, CrCacheTile *tile, double *parts) {
  CrTileCache *cache = run->cache;
  CrTileBuild at_hand, *build = &at_hand;
  cr__tile_build_resume(build, &cache->context, tile->x, tile->z, NULL, 0, CR_STAGE_REGIONS);
  cr__arena_rewind(&cache->arena);
  build->arena = cache->arena;
  double at = seconds();
  CrGrid grid = cr__layout_grid(&cache->layout, &cache->context.settings, tile->x, tile->z);
  REQUIRE_OK(cr__layers_unpack(&tile->layers, &grid, &cache->context.cells, &build->arena, &build->open));
  parts[UNPACK] += seconds() - at;
  CrVolume v = small_box((CrVec3){cr__grid_x(&grid, grid.width / 2), tile->low_y, cr__grid_z(&grid, grid.depth / 2)});
  at = seconds();
  cr__obstacles_mark(&build->open, &cache->context.settings, &v, 1);
  parts[MARK] += seconds() - at;
  for (int stage = CR_STAGE_REGIONS; stage <= CR_STAGE_ENCODE; stage++) {
    at = seconds();
    REQUIRE_OK(cr_tile_build_run(build, (CrBuildStage)stage, NULL));
    parts[FIRST_STAGE + stage - CR_STAGE_REGIONS] += seconds() - at;
  }
  CrBytes bytes;
  REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
  at = seconds();
  if (bytes.size) CHECK_OK(cr_navmesh_replace_tile(run->mesh, bytes.data, bytes.size, NULL, NULL));
  parts[REPLACE] += seconds() - at;
  cr_bytes_free(&bytes);
  cache->arena = build->arena;
  cr__arena_init(&build->arena, NULL);
  cr__tile_build_end(build);
}

// Printed, not judged: microseconds per layer of 48 x 48 cells (58 x 58 with its border), the best of some rounds.
static void time_level(Run *run, double *out) {
  enum { ROUNDS = 12 };
  uint32_t layers = 0;
  for (size_t t = 0; t < run->cache->tile_count; t++) {
    double best[PARTS] = {0};
    for (int round = 0; round < ROUNDS; round++) {
      double parts[PARTS] = {0};
      time_tile(run, &run->cache->tiles[t], parts);
      for (int i = 0; i < PARTS; i++) best[i] = round && best[i] < parts[i] ? best[i] : parts[i];
    }
    for (int i = 0; i < PARTS; i++) out[i] += 1e6 * best[i];
    layers += run->cache->tiles[t].layers.layer_count;
  }
  for (int i = 0; i < PARTS; i++) out[i] /= layers;
}

TEST(time_of_a_tile) {
  uint64_t seed = check_seed = 30;
  double total[PARTS] = {0};
  printf("  us per layer      unpack  mark  regions  contours  polygons  detail  encode  replace    all\n");
  for (uint32_t index = 0; index <= level_count(); index++) {
    double parts[PARTS] = {0}, all = 0;
    if (index < level_count()) {
      Run run;
      run_start(&run, index, CR_PARTITION_WATERSHED, 48, &seed);
      time_level(&run, parts);
      run_end(&run);
    }
    for (int i = 0; i < PARTS; i++) {
      total[i] += parts[i];
      if (index == level_count()) parts[i] = total[i] / level_count();
      all += parts[i];
    }
    printf("  %-16s %7.1f %5.1f %8.1f %9.1f %9.1f %7.1f %7.1f %8.1f %6.1f\n",
           index < level_count() ? level_name(index) : "mean", parts[UNPACK], parts[MARK], parts[FIRST_STAGE],
           parts[FIRST_STAGE + 1], parts[FIRST_STAGE + 2], parts[FIRST_STAGE + 3], parts[FIRST_STAGE + 4],
           parts[REPLACE], all);
  }
}

TEST_MAIN(RUN(any_edits_end_in_the_fresh_build), RUN(only_touched_tiles_change), RUN(touching_is_exact_for_marks),
          RUN(tiles_are_rebuilt_in_the_order_they_were_touched), RUN(a_hundred_thousand_adds_fit_in_the_line),
          RUN(limits_are_reported_by_name), RUN(bad_arguments_are_named_and_change_nothing),
          RUN(obstacles_are_listed_in_order_of_creation), RUN(touching_all_makes_a_whole_mesh),
          RUN(a_level_without_ground_has_an_empty_cache), RUN(time_of_a_tile))
