// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile caches: made along a build, then obstacles that come and go. Obstacle ids cross as numbers, exact up to 2^53.
#include "abi.h"

static CrTileCache *cache_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_TILE_CACHE); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "cache"); }

// --- Making -----------------------------------------------------------------------------------------------------------

CRW_EXPORT int32_t crw_cache_maker_create(int32_t builder_handle) {
  CrBuilder *builder = crw__builder(builder_handle);
  if (!builder) return crw__fail(CR_STATUS_STALE_HANDLE, "build");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrTileCacheMaker *maker;
  CrStatus status = cr_tile_cache_maker_create(builder, &maker, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_CACHE_MAKER, maker, builder_handle);
}

// Keeps the ground of a tile of that builder, between the stages of volumes and obstacles; tiles row by row.
CRW_EXPORT int32_t crw_cache_maker_keep(int32_t handle, int32_t tile) {
  CrTileCacheMaker *maker = crw__handle_get(handle, CRW_KIND_CACHE_MAKER);
  if (!maker) return crw__fail(CR_STATUS_STALE_HANDLE, "maker");
  CrTileBuild *build = crw__tile_build(tile);
  if (!build) return crw__fail(CR_STATUS_STALE_HANDLE, "tile");
  return crw__done(cr_tile_cache_maker_keep(maker, build, crw__error()));
}

// Returns the cache. The maker is of no more use.
CRW_EXPORT int32_t crw_cache_maker_finish(int32_t handle) {
  CrTileCacheMaker *maker = crw__handle_get(handle, CRW_KIND_CACHE_MAKER);
  if (!maker) return crw__fail(CR_STATUS_STALE_HANDLE, "maker");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrTileCache *cache;
  CrStatus status = cr_tile_cache_maker_finish(maker, &cache, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_TILE_CACHE, cache, 0);
}

CRW_EXPORT int32_t crw_tile_cache_load(const uint8_t *data, int32_t size) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrTileCache *cache;
  CrStatus status = cr_tile_cache_load(data, (size_t)size, NULL, &cache, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_TILE_CACHE, cache, 0);
}

// Bulk result: the cache as bytes.
CRW_EXPORT int32_t crw_tile_cache_save(int32_t handle) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  CrBytes bytes = {0};
  CrStatus status = cr_tile_cache_save(cache, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// --- Obstacles --------------------------------------------------------------------------------------------------------

// `volume_cells`: VOLUME. Record: the obstacle's id.
CRW_EXPORT int32_t crw_tile_cache_add_obstacle(int32_t handle, const double *volume_cells) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  CrVolume volume;
  crw__take_volume(volume_cells, &volume);
  CrObstacleId id;
  CrStatus status = cr_tile_cache_add_obstacle(cache, &volume, &id, crw__error());
  if (status) return crw__done(status);
  *crw__record() = (double)id;
  return 0;
}

CRW_EXPORT int32_t crw_tile_cache_remove_obstacle(int32_t handle, double id) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  int64_t number = crw__id(id);
  if (number < 0) return crw__fail(CR_STATUS_NOT_FOUND, "obstacle");
  return crw__done(cr_tile_cache_remove_obstacle(cache, (CrObstacleId)number, crw__error()));
}

// Bulk result: for each obstacle its id, then a VOLUME record, oldest first. Returns their number.
CRW_EXPORT int32_t crw_tile_cache_obstacles(int32_t handle) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  uint32_t count = cr_tile_cache_obstacle_count(cache);
  double *at = crw__result((size_t)count * (1 + CRW_CELLS_VOLUME) * sizeof *at);
  if (!at) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  for (uint32_t i = 0; i < count; i++) {
    CrObstacleId id;
    CrVolume volume;
    cr_tile_cache_obstacle_at(cache, i, &id, &volume);
    CRW_PUT_I64(id)
    at = crw__put_volume(at, &volume);
  }
  return (int32_t)count;
}

// --- Rebuilding -------------------------------------------------------------------------------------------------------

// Builds at most `max_tiles` of the tiles in line again, into the mesh. Record: how many were, how many are left; also after a failure.
CRW_EXPORT int32_t crw_tile_cache_update(int32_t handle, int32_t mesh_handle, double max_tiles) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  CrNavMesh *mesh = crw__mesh(mesh_handle);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  uint32_t rebuilt = 0, pending = cr_tile_cache_pending_count(cache);
  CrStatus status = cr_tile_cache_update(cache, mesh, crw__u32(max_tiles), &rebuilt, &pending, crw__error());
  double *at = crw__record();
  CRW_PUT_U32(rebuilt)
  CRW_PUT_U32(pending)
  return crw__done(status);
}

CRW_EXPORT int32_t crw_tile_cache_touch_all(int32_t handle) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  cr_tile_cache_touch_all(cache);
  return 0;
}

// Records: TILE_CACHE_INFO, NAVMESH_PARAMS, BUILD_SETTINGS, then the number of tiles in line.
CRW_EXPORT int32_t crw_tile_cache_info(int32_t handle) {
  CrTileCache *cache = cache_of(handle);
  if (!cache) return stale();
  CrTileCacheInfo info = cr_tile_cache_info(cache);
  CrNavMeshParams params = cr_tile_cache_params(cache);
  CrBuildSettings settings = cr_tile_cache_settings(cache);
  const CrTileCacheInfo *it = &info;
  double *at = crw__record();
  CRW_RECORD_TILE_CACHE_INFO(CRW_PUT_FIELD)
  at = crw__put_params(at, &params);
  at = crw__put_settings(at, &settings);
  CRW_PUT_U32(cr_tile_cache_pending_count(cache))
  return 0;
}
