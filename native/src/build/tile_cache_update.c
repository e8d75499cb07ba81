// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The line of tiles to build again, and building them: unpack, mark the tile's obstacles, then the stages of any build from regions
// on. A tile is in line at most once, so the line never holds more than there are tiles. What a tile allocates beside
// its bytes stays with the cache for the next one.
// Order: tiles in the order they were put in line; a tile that fails stays first.
#include "tile_cache_internal.h"

void cr__cache_enqueue(CrTileCache *cache, uint32_t tile) {
  if (cache->tiles[tile].waits) return;
  cache->tiles[tile].waits = true;
  uint64_t place = (uint64_t)cache->line_first + cache->line_count++;
  cache->line[place % cache->tile_count] = tile;
}

static void dequeue(CrTileCache *cache) {
  cache->tiles[cache->line[cache->line_first]].waits = false;
  cache->line_first = (cache->line_first + 1) % (uint32_t)cache->tile_count;
  cache->line_count--;
}

void cr_tile_cache_touch_all(CrTileCache *cache) {
  for (uint32_t tile = 0; tile < cache->tile_count; tile++) cr__cache_enqueue(cache, tile);
}

uint32_t cr_tile_cache_pending_count(const CrTileCache *cache) { return cache->line_count; }

static void mark_obstacles(const CrTileCache *cache, const CrCacheTile *tile, CrOpenField *field) {
  for (uint32_t touch = tile->first_touch; touch; touch = cache->touches[touch - 1].next_on_tile) {
    const CrCacheObstacle *obstacle = &cache->obstacles[cache->touches[touch - 1].obstacle];
    cr__obstacles_mark(field, &cache->context.settings, &obstacle->volume, 1);
  }
}

static CrStatus build_bytes(const CrTileCache *cache, const CrCacheTile *tile, CrTileBuild *build, CrBytes *out,
                            CrError *error) {
  CrGrid grid = cr__layout_grid(&cache->layout, &cache->context.settings, tile->x, tile->z);
  CrStatus status = cr__layers_unpack(&tile->layers, &grid, &cache->context.cells, &build->arena, &build->open);
  // Layers are checked when they come in from a file.
  CR_ASSERT(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
  if (status != CR_STATUS_OK) return cr__fail(error, status, NULL);
  mark_obstacles(cache, tile, &build->open);
  status = cr_tile_build_run_to(build, CR_STAGE_ENCODE, error);
  return status == CR_STATUS_OK ? cr_tile_build_take_bytes(build, out, error) : status;
}

static CrStatus make_bytes(CrTileCache *cache, const CrCacheTile *tile, CrBytes *out, CrError *error) {
  uint32_t link_count;
  const CrOffMeshLink *links = cr__tile_links_of(&cache->links, &cache->layout, tile->x, tile->z, &link_count);
  CrTileBuild build;
  cr__tile_build_resume(&build, &cache->context, tile->x, tile->z, links, link_count, CR_STAGE_REGIONS);
  cr__arena_rewind(&cache->arena);
  build.arena = cache->arena;
  CrStatus status = build_bytes(cache, tile, &build, out, error);
  cache->arena = build.arena;
  cr__arena_init(&build.arena, &cache->allocator);
  cr__tile_build_end(&build);
  return status;
}

static CrStatus rebuild(CrTileCache *cache, const CrCacheTile *tile, CrNavMesh *mesh, CrError *error) {
  CrBytes bytes;
  CrStatus status = make_bytes(cache, tile, &bytes, error);
  if (status != CR_STATUS_OK) return status;
  if (bytes.size) {
    status = cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, NULL, error);
  } else if (cr_navmesh_find_tile(mesh, tile->x, tile->z, 0, NULL) == CR_STATUS_OK) {
    status = cr_navmesh_remove_tile(mesh, tile->x, tile->z, 0, error);
  }
  cr_bytes_free(&bytes);
  return status;
}

static bool same_params(const CrNavMeshParams *a, const CrNavMeshParams *b) {
  return a->origin_x == b->origin_x && a->origin_z == b->origin_z && a->tile_size == b->tile_size &&
         a->climb == b->climb && a->agent_radius == b->agent_radius && a->agent_height == b->agent_height;
}

CrStatus cr_tile_cache_update(CrTileCache *cache, CrNavMesh *mesh, uint32_t max_tiles, uint32_t *out_rebuilt,
                              uint32_t *out_pending, CrError *error) {
  if (!mesh) return cr__fail(error, CR_STATUS_ARGUMENT, "mesh");
  CrNavMeshParams params = cr_navmesh_params(mesh);
  if (!same_params(&params, &cache->context.params)) return cr__fail(error, CR_STATUS_ARGUMENT, "mesh");
  CrStatus status = CR_STATUS_OK;
  uint32_t rebuilt = 0;
  while (rebuilt < max_tiles && cache->line_count) {
    status = rebuild(cache, &cache->tiles[cache->line[cache->line_first]], mesh, error);
    if (status != CR_STATUS_OK) break;
    dequeue(cache);
    rebuilt++;
  }
  if (out_rebuilt) *out_rebuilt = rebuilt;
  if (out_pending) *out_pending = cache->line_count;
  return status;
}
