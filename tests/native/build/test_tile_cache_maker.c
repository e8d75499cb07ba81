// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile cache made along a build in steps is the one made in a single call; tiles out of turn are refused; no allocation that
// fails leaks or leaves half a tile.
#include "crowdreel/tile_cache_maker.h"

#include "cache_levels.h"
#include "crowdreel/build_views.h"

typedef struct Steps {
  CacheLevel level;
  CrBuildInput input;
  CrVolume obstacles[3];
} Steps;

static void steps_start(Steps *s, uint32_t index, int32_t tile_cells, uint64_t *seed) {
  cache_level_make(&s->level, index, CR_PARTITION_WATERSHED, tile_cells, seed);
  for (int i = 0; i < 3; i++) s->obstacles[i] = cache_obstacle(&s->level, seed, 5);
  s->input = s->level.input;
  s->input.obstacles = s->obstacles;
  s->input.obstacle_count = 3;
}

static CrStatus keep_tile(const CrBuilder *builder, CrTileCacheMaker *maker, int32_t x, int32_t z) {
  CrTileBuild *tile;
  CrStatus status = cr_tile_build_create(builder, x, z, &tile, NULL);
  if (status != CR_STATUS_OK) return status;
  status = cr_tile_build_run_to(tile, CR_STAGE_VOLUMES, NULL);
  if (status == CR_STATUS_OK) status = cr_tile_cache_maker_keep(maker, tile, NULL);
  cr_tile_build_destroy(tile);
  return status;
}

static CrStatus keep_tiles(const CrBuilder *builder, CrTileCacheMaker *maker) {
  int32_t tiles_x, tiles_z;
  cr_builder_tile_counts(builder, &tiles_x, &tiles_z);
  for (int32_t z = 0; z < tiles_z; z++) {
    for (int32_t x = 0; x < tiles_x; x++) {
      CrStatus status = cr_builder_tile_is_bare(builder, x, z) ? CR_STATUS_OK : keep_tile(builder, maker, x, z);
      if (status != CR_STATUS_OK) return status;
    }
  }
  return CR_STATUS_OK;
}

static CrStatus make_in_steps(const Steps *s, const CrAllocator *allocator, CrTileCache **out) {
  CrBuilder *builder;
  CrTileCacheMaker *maker = NULL;
  CrStatus status = cr_builder_create(&s->input, &s->level.settings, NULL, allocator, &builder, NULL);
  if (status != CR_STATUS_OK) return status;
  status = cr_tile_cache_maker_create(builder, &maker, NULL);
  if (status == CR_STATUS_OK) status = keep_tiles(builder, maker);
  if (status == CR_STATUS_OK) status = cr_tile_cache_maker_finish(maker, out, NULL);
  if (status == CR_STATUS_OK) CHECK_STATUS(cr_tile_cache_maker_finish(maker, out, NULL), CR_STATUS_ARGUMENT);
  cr_tile_cache_maker_destroy(maker);
  cr_builder_destroy(builder);
  return status;
}

TEST(steps_give_the_cache_of_one_call) {
  uint64_t seed = check_seed = 71;
  for (uint32_t index = 0; index < level_count(); index++) {
    Steps steps;
    steps_start(&steps, index, index % 3 ? 40 : 64, &seed);
    CrTileCache *whole, *made;
    CrNavMesh *mesh;
    REQUIRE_OK(cr_tile_cache_create(&steps.input, &steps.level.settings, NULL, NULL, &whole, &mesh, NULL, NULL));
    REQUIRE_OK(make_in_steps(&steps, NULL, &made));
    CrBytes a, b;
    REQUIRE_OK(cr_tile_cache_save(whole, NULL, &a, NULL));
    REQUIRE_OK(cr_tile_cache_save(made, NULL, &b, NULL));
    CHECK(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    cr_bytes_free(&a);
    cr_bytes_free(&b);
    cr_tile_cache_destroy(whole);
    cr_tile_cache_destroy(made);
    cr_navmesh_destroy(mesh);
    level_free(&steps.level.level);
  }
}

TEST(tiles_out_of_turn_are_refused) {
  uint64_t seed = check_seed = 72;
  Steps steps;
  steps_start(&steps, 0, 40, &seed);
  CrBuilder *builder, *other;
  CrTileCacheMaker *maker;
  CrTileBuild *first, *second, *foreign;
  CrError error;
  REQUIRE_OK(cr_builder_create(&steps.input, &steps.level.settings, NULL, NULL, &builder, NULL));
  REQUIRE_OK(cr_builder_create(&steps.input, &steps.level.settings, NULL, NULL, &other, NULL));
  REQUIRE_OK(cr_tile_cache_maker_create(builder, &maker, NULL));
  REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &first, NULL));
  REQUIRE_OK(cr_tile_build_create(builder, 1, 0, &second, NULL));
  REQUIRE_OK(cr_tile_build_create(other, 1, 0, &foreign, NULL));
  CHECK_STATUS(cr_tile_cache_maker_keep(maker, second, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "stage") == 0 && error.limit == CR_STAGE_OBSTACLES);
  REQUIRE_OK(cr_tile_build_run_to(first, CR_STAGE_VOLUMES, NULL));
  REQUIRE_OK(cr_tile_build_run_to(second, CR_STAGE_VOLUMES, NULL));
  REQUIRE_OK(cr_tile_build_run_to(foreign, CR_STAGE_VOLUMES, NULL));
  CHECK_STATUS(cr_tile_cache_maker_keep(maker, foreign, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "tile") == 0);
  CHECK_OK(cr_tile_cache_maker_keep(maker, second, NULL));
  CHECK_STATUS(cr_tile_cache_maker_keep(maker, second, NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_tile_cache_maker_keep(maker, first, NULL), CR_STATUS_ARGUMENT);
  // What was kept does not get in the way of the build.
  CHECK_OK(cr_tile_build_run_to(second, CR_STAGE_ENCODE, NULL));
  cr_tile_build_destroy(first);
  cr_tile_build_destroy(second);
  cr_tile_build_destroy(foreign);
  cr_tile_cache_maker_destroy(maker);
  cr_builder_destroy(other);
  cr_builder_destroy(builder);
  level_free(&steps.level.level);
}

TEST(failing_allocations_leak_nothing) {
  uint64_t seed = check_seed = 73;
  Steps steps;
  steps_start(&steps, 0, 64, &seed);
  CrStatus status = CR_STATUS_OUT_OF_MEMORY;
  int64_t k = 0;
  while (status == CR_STATUS_OUT_OF_MEMORY && k < 5000) {
    TestMemory memory = {.fail_at = ++k};
    CrAllocator allocator = test_allocator(&memory);
    CrTileCache *cache = NULL;
    status = make_in_steps(&steps, &allocator, &cache);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    CHECK((cache != NULL) == (status == CR_STATUS_OK));
    cr_tile_cache_destroy(cache);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  CHECK(status == CR_STATUS_OK);
  printf("  %lld allocations\n", (long long)(k - 1));
  level_free(&steps.level.level);
}

TEST_MAIN(RUN(steps_give_the_cache_of_one_call), RUN(tiles_out_of_turn_are_refused),
          RUN(failing_allocations_leak_nothing))
