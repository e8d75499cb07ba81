// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile caches made tile by tile along a build whose stages the caller runs. What is kept of a tile is its open field between
// volumes and obstacles, as in a cache made in one call.
// Order: tiles row by row, which is checked.
#include "crowdreel/tile_cache_maker.h"

#include "tile_cache_internal.h"

struct CrTileCacheMaker {
  const CrBuilder *builder;
  CrTileCache *cache;  // null once it was handed out
  CrPacker packer;
  size_t next_position;  // row by row: tiles before it are done
};

static CrStatus no_memory(CrError *error) { return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL); }

// The builder deals its links out to its tiles, so the cache gets its own.
static bool start(CrTileCacheMaker *maker, const CrAllocator *allocator) {
  const CrBuilder *builder = maker->builder;
  CrTileLinks links;
  CrBuildReport unused = cr__report_empty();
  if (!cr__tile_links_sort(&builder->input, &builder->layout, allocator, &links, &unused)) return false;
  maker->cache = cr__cache_new(&builder->context, &builder->layout, builder->input.area_flags, &links);
  return maker->cache && cr__packer_init(&maker->packer, allocator);
}

CrStatus cr_tile_cache_maker_create(const CrBuilder *builder, CrTileCacheMaker **out, CrError *error) {
  const CrAllocator *allocator = &builder->context.allocator;
  CrTileCacheMaker *maker = cr__alloc_zeroed(allocator, 1, sizeof *maker);
  if (!maker) return no_memory(error);
  maker->builder = builder;
  if (!start(maker, allocator)) {
    cr_tile_cache_maker_destroy(maker);
    return no_memory(error);
  }
  *out = maker;
  return CR_STATUS_OK;
}

void cr_tile_cache_maker_destroy(CrTileCacheMaker *maker) {
  if (!maker) return;
  const CrAllocator *allocator = &maker->builder->context.allocator;
  cr_tile_cache_destroy(maker->cache);
  cr__packer_free(&maker->packer, allocator);
  cr__free(allocator, maker, 1, sizeof *maker);
}

static CrStatus check_turn(const CrTileCacheMaker *maker, const CrTileBuild *build, size_t position, CrError *error) {
  if (!maker->cache || build->builder != maker->builder || position < maker->next_position) {
    return cr__fail(error, CR_STATUS_ARGUMENT, "tile");
  }
  if (build->next != CR_STAGE_OBSTACLES) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)CR_STAGE_OBSTACLES);
  }
  return CR_STATUS_OK;
}

CrStatus cr_tile_cache_maker_keep(CrTileCacheMaker *maker, CrTileBuild *build, CrError *error) {
  size_t position = (size_t)build->tile_z * (size_t)maker->builder->layout.tiles_x + (size_t)build->tile_x;
  CrStatus status = check_turn(maker, build, position, error);
  if (status != CR_STATUS_OK) return status;
  CrPackedLayers layers;
  CrArenaMark mark = cr__arena_mark(&build->arena);
  status = cr__layers_pack(&build->open, &maker->packer, &build->arena, &maker->cache->allocator, &layers, error);
  cr__arena_roll_back(&build->arena, mark);
  if (status != CR_STATUS_OK) return status;
  if (layers.span_count == 0 && build->link_count == 0) {
    cr__layers_free(&layers, &maker->cache->allocator);
  } else if (!cr__cache_add_tile(maker->cache, build->tile_x, build->tile_z, &build->open, &layers)) {
    return no_memory(error);
  }
  maker->next_position = position + 1;
  return CR_STATUS_OK;
}

static CrStatus complete(const CrTileCacheMaker *maker, CrError *error) {
  CrTileCache *cache = maker->cache;
  if (!cr__cache_seal(cache)) return no_memory(error);
  const CrBuildInput *input = &maker->builder->input;
  for (uint32_t i = 0; i < input->obstacle_count; i++) {
    CrStatus status = cr__cache_insert(cache, &input->obstacles[i], cache->next_id, NULL, error);
    if (status != CR_STATUS_OK) return status;
  }
  return CR_STATUS_OK;
}

CrStatus cr_tile_cache_maker_finish(CrTileCacheMaker *maker, CrTileCache **out, CrError *error) {
  if (!maker->cache) return cr__fail(error, CR_STATUS_ARGUMENT, "maker");
  CrStatus status = complete(maker, error);
  if (status == CR_STATUS_OK) {
    *out = maker->cache;
  } else {
    cr_tile_cache_destroy(maker->cache);
  }
  maker->cache = NULL;
  return status;
}
