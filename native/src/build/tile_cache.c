// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Making and ending a tile cache: the stages of a whole build, where each tile's open field is kept between its volumes and its
// obstacles (tile_cache_maker.c).
// Order: tiles row by row.
#include "crowdreel/tile_cache_maker.h"
#include "tile_cache_internal.h"

CrTileCache *cr__cache_new(const CrTileContext *context, const CrLayout *layout, const uint16_t *area_flags,
                           CrTileLinks *links) {
  const CrAllocator *allocator = &context->allocator;
  CrTileCache *cache = cr__alloc_zeroed(allocator, 1, sizeof *cache);
  if (!cache) {
    cr__tile_links_free(allocator, links);
    return NULL;
  }
  cache->allocator = *allocator;
  cache->context = (CrTileContext){.settings = context->settings,
                                   .params = context->params,
                                   .cells = context->cells,
                                   .allocator = context->allocator};
  cache->layout = *layout;
  cache->links = *links;
  *links = (CrTileLinks){0};
  cache->next_id = 1;
  cache->has_flags = area_flags != NULL;
  if (area_flags) {
    memcpy(cache->area_flags, area_flags, sizeof cache->area_flags);
    cache->context.area_flags = cache->area_flags;
  }
  cr__arena_init(&cache->arena, allocator);
  cache->tile_at = cr__alloc_zeroed(allocator, cr__cache_positions(layout), sizeof *cache->tile_at);
  if (cache->tile_at) return cache;
  cr_tile_cache_destroy(cache);
  return NULL;
}

void cr_tile_cache_destroy(CrTileCache *cache) {
  if (!cache) return;
  CrAllocator allocator = cache->allocator;
  for (size_t i = 0; i < cache->tile_count; i++) cr__layers_free(&cache->tiles[i].layers, &allocator);
  cr__tile_links_free(&allocator, &cache->links);
  cr__arena_free(&cache->arena);
  cr__free(&allocator, cache->line, cache->tile_count, sizeof *cache->line);
  cr__free(&allocator, cache->tile_at, cr__cache_positions(&cache->layout), sizeof *cache->tile_at);
  cr__free(&allocator, cache->tiles, cache->tile_capacity, sizeof *cache->tiles);
  cr__free(&allocator, cache->obstacles, cache->obstacle_capacity, sizeof *cache->obstacles);
  cr__free(&allocator, cache->free_slots, cache->free_slot_capacity, sizeof *cache->free_slots);
  cr__free(&allocator, cache->order, cache->order_capacity, sizeof *cache->order);
  cr__free(&allocator, cache->touches, cache->touch_capacity, sizeof *cache->touches);
  cr__free(&allocator, cache, 1, sizeof *cache);
}

// --- Tiles ------------------------------------------------------------------------------------------------------------

static void set_heights(CrCacheTile *tile, const CrOpenField *field) {
  int32_t low = INT32_MAX, high = INT32_MIN;
  for (uint32_t span = 0; span < field->count; span++) {
    if (field->area[span] == CR_AREA_NONE) continue;
    low = field->floor[span] < low ? field->floor[span] : low;
    high = field->floor[span] > high ? field->floor[span] : high;
  }
  bool any = low <= high;
  tile->low_y = any ? cr__grid_y(&field->grid, low) : 1.0;
  tile->high_y = any ? cr__grid_y(&field->grid, high) : 0.0;
}

bool cr__cache_add_tile(CrTileCache *cache, int32_t x, int32_t z, const CrOpenField *field, CrPackedLayers *layers) {
  void *tiles = cache->tiles;
  bool grown = cr__grow(&cache->allocator, &tiles, &cache->tile_capacity, cache->tile_count, cache->tile_count + 1,
                        sizeof *cache->tiles);
  cache->tiles = tiles;
  if (!grown) {
    cr__layers_free(layers, &cache->allocator);
    return false;
  }
  CrCacheTile *tile = &cache->tiles[cache->tile_count++];
  *tile = (CrCacheTile){.layers = *layers, .x = x, .z = z};
  set_heights(tile, field);
  cache->tile_at[(size_t)z * (size_t)cache->layout.tiles_x + (size_t)x] = (uint32_t)cache->tile_count;
  return true;
}

bool cr__cache_seal(CrTileCache *cache) {
  cache->line = cr__alloc(&cache->allocator, cache->tile_count, sizeof *cache->line);
  return cache->line != NULL;
}

// --- Building ---------------------------------------------------------------------------------------------------------

typedef struct Making {
  CrBuilder builder;
  CrTileCacheMaker *maker;
  CrTileCache *cache;
  CrNavMesh *mesh;
  CrBuildReport report;
  CrError *error;
} Making;

static CrStatus run_tile(Making *making, CrTileBuild *build) {
  CrBytes bytes;
  CrStatus status = cr_tile_build_run_to(build, CR_STAGE_VOLUMES, making->error);
  if (status == CR_STATUS_OK) status = cr_tile_cache_maker_keep(making->maker, build, making->error);
  if (status == CR_STATUS_OK) status = cr_tile_build_run_to(build, CR_STAGE_ENCODE, making->error);
  if (status == CR_STATUS_OK) status = cr_tile_build_take_bytes(build, &bytes, making->error);
  if (status != CR_STATUS_OK) return status;
  if (bytes.size) status = cr_navmesh_add_tile(making->mesh, bytes.data, bytes.size, NULL, making->error);
  cr_bytes_free(&bytes);
  if (status == CR_STATUS_OK) cr_build_report_add(&making->report, &build->report);
  return status;
}

static CrStatus make_tile(Making *making, int32_t x, int32_t z, double start, double share) {
  CrTileBuild build;
  CrStatus status = cr__tile_build_init(&build, &making->builder, x, z, making->error);
  if (status != CR_STATUS_OK) return status;
  if (build.triangle_count == 0 && build.link_count == 0) {
    making->report.tiles_empty++;
    status = cr__build_go_on(&making->builder.context.callbacks, start, making->error);
  } else {
    build.progress_start = start;
    build.progress_share = share;
    status = run_tile(making, &build);
  }
  cr__tile_build_end(&build);
  return status;
}

static CrStatus make_tiles(Making *making) {
  const CrLayout *layout = &making->builder.layout;
  double share = 1.0 / (double)cr__cache_positions(layout), tile = 0;
  for (int32_t z = 0; z < layout->tiles_z; z++) {
    for (int32_t x = 0; x < layout->tiles_x; x++, tile++) {
      CrStatus status = make_tile(making, x, z, tile * share, share);
      if (status != CR_STATUS_OK) return status;
    }
  }
  return CR_STATUS_OK;
}

static CrStatus make(Making *making) {
  const CrBuilder *builder = &making->builder;
  making->report = builder->report;
  CrStatus status = cr_tile_cache_maker_create(builder, &making->maker, making->error);
  if (status == CR_STATUS_OK) {
    status = cr_navmesh_create(&builder->layout.params, &builder->context.allocator, &making->mesh, making->error);
  }
  if (status == CR_STATUS_OK) status = make_tiles(making);
  if (status == CR_STATUS_OK) status = cr_tile_cache_maker_finish(making->maker, &making->cache, making->error);
  if (status == CR_STATUS_OK) status = cr__build_go_on(&builder->context.callbacks, 1.0, making->error);
  return status;
}

CrStatus cr_tile_cache_create(const CrBuildInput *input, const CrBuildSettings *settings,
                              const CrBuildCallbacks *callbacks, const CrAllocator *allocator, CrTileCache **out,
                              CrNavMesh **out_mesh, CrBuildReport *out_report, CrError *error) {
  Making making = {.error = error};
  CrStatus status = cr__builder_start(&making.builder, input, settings, callbacks, allocator, NULL, error);
  if (status != CR_STATUS_OK) return status;
  status = make(&making);
  cr_tile_cache_maker_destroy(making.maker);
  cr__builder_end(&making.builder);
  if (status != CR_STATUS_OK) {
    cr_tile_cache_destroy(making.cache);
    cr_navmesh_destroy(making.mesh);
    return status;
  }
  *out = making.cache;
  *out_mesh = making.mesh;
  if (out_report) *out_report = making.report;
  return CR_STATUS_OK;
}

// --- Reading ----------------------------------------------------------------------------------------------------------

CrNavMeshParams cr_tile_cache_params(const CrTileCache *cache) { return cache->context.params; }
CrBuildSettings cr_tile_cache_settings(const CrTileCache *cache) { return cache->context.settings; }

CrTileCacheInfo cr_tile_cache_info(const CrTileCache *cache) {
  CrTileCacheInfo info = {.tiles_x = cache->layout.tiles_x,
                          .tiles_z = cache->layout.tiles_z,
                          .tile_count = (uint32_t)cache->tile_count,
                          .touch_count = cache->touch_count};
  for (size_t i = 0; i < cache->tile_count; i++) {
    info.layer_count += cache->tiles[i].layers.layer_count;
    info.span_count += cache->tiles[i].layers.span_count;
    info.packed_size += cache->tiles[i].layers.size;
  }
  return info;
}
