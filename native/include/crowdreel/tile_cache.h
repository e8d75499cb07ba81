// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Temporary obstacles. A tile cache keeps the walkable ground of every tile of a build as compressed layers, so that tiles an
// obstacle touches can be built again at run time, without the level's geometry. A tile built again has the bytes it
// has in a fresh build with the same obstacles. docs/behaviour/obstacles.md
#ifndef CROWDREEL_TILE_CACHE_H
#define CROWDREEL_TILE_CACHE_H

#include "crowdreel/build.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_TILE_CACHE_MAX_OBSTACLES 65536
#define CR_TILE_CACHE_MAX_TOUCHES (1 << 22)  // tiles touched, summed over all obstacles

typedef struct CrTileCache CrTileCache;
// 1, 2, .. in order of creation, at most 2^53 - 1; never used again.
typedef uint64_t CrObstacleId;

// Builds a mesh as cr_build_navmesh does, and the cache of its tiles. The obstacles of the input become the cache's first
// ones, with ids from 1. The input is not needed afterwards. `callbacks` and `out_report` may be null. Errors as
// cr_build_navmesh; CR_STATUS_LIMIT also "obstacles", "obstacle tiles" (the limits above) and "settings.tileCells" (more than
// 2^24 open spans in a tile).
CrStatus cr_tile_cache_create(const CrBuildInput *input, const CrBuildSettings *settings,
                              const CrBuildCallbacks *callbacks, const CrAllocator *allocator, CrTileCache **out,
                              CrNavMesh **out_mesh, CrBuildReport *out_report, CrError *error);
void cr_tile_cache_destroy(CrTileCache *cache);

// Adds an obstacle: what an agent standing inside would touch is blocked, or gets the volume's area. The tiles it touches are
// put in line for cr_tile_cache_update; the mesh does not change yet. CR_STATUS_ARGUMENT "obstacle"; CR_STATUS_LIMIT
// "obstacles", "obstacle tiles", "obstacle ids". All or nothing.
CrStatus cr_tile_cache_add_obstacle(CrTileCache *cache, const CrVolume *volume, CrObstacleId *out_id, CrError *error);
// Takes an obstacle away and puts its tiles in line. CR_STATUS_NOT_FOUND when there is none of that id (any more).
CrStatus cr_tile_cache_remove_obstacle(CrTileCache *cache, CrObstacleId id, CrError *error);

uint32_t cr_tile_cache_obstacle_count(const CrTileCache *cache);
// The obstacle at a place in order of creation, 0 the oldest. Of the volume only the fields of its shape are set. Either output
// may be null. CR_STATUS_NOT_FOUND from the count on.
CrStatus cr_tile_cache_obstacle_at(const CrTileCache *cache, uint32_t index, CrObstacleId *out_id,
                                   CrVolume *out_volume);
// CR_STATUS_NOT_FOUND. `out_volume` may be null.
CrStatus cr_tile_cache_obstacle(const CrTileCache *cache, CrObstacleId id, CrVolume *out_volume);

// Builds at most `max_tiles` of the tiles in line again, the one put there first first, and replaces, adds or removes them in
// `mesh`, which must have the cache's parameters (CR_STATUS_ARGUMENT "mesh"). Areas and flags set on polygons of such
// a tile are lost. On a failure (CR_STATUS_OUT_OF_MEMORY, or CR_STATUS_LIMIT of the mesh) the tiles before it are done; it
// stays first in line and the mesh has it as it was. Outputs may be null and are also set then.
CrStatus cr_tile_cache_update(CrTileCache *cache, CrNavMesh *mesh, uint32_t max_tiles, uint32_t *out_rebuilt,
                              uint32_t *out_pending, CrError *error);
// Tiles in line. Each is there at most once.
uint32_t cr_tile_cache_pending_count(const CrTileCache *cache);
// Puts every tile in line, row by row behind those that are there: makes the whole mesh anew, also from an empty one.
void cr_tile_cache_touch_all(CrTileCache *cache);

CrNavMeshParams cr_tile_cache_params(const CrTileCache *cache);
CrBuildSettings cr_tile_cache_settings(const CrTileCache *cache);

typedef struct CrTileCacheInfo {
  int32_t tiles_x, tiles_z;  // of the grid
  uint32_t tile_count;       // tiles with ground or off-mesh links: what the cache keeps
  uint32_t layer_count;      // over all tiles
  uint64_t span_count;       // open spans in them
  uint64_t packed_size;      // bytes of all layers
  uint64_t touch_count;      // tiles touched, summed over all obstacles
} CrTileCacheInfo;
CrTileCacheInfo cr_tile_cache_info(const CrTileCache *cache);

// The whole cache as bytes (CRTC, docs/formats/tile-cache.md), obstacles and tiles in line included. Saving a loaded cache gives the
// same bytes, and it goes on exactly as the one that was saved.
CrStatus cr_tile_cache_save(const CrTileCache *cache, const CrAllocator *allocator, CrBytes *out, CrError *error);
// Errors in the bytes are of CR_FORMAT_TILE_CACHE. All or nothing.
CrStatus cr_tile_cache_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrTileCache **out,
                            CrError *error);

#ifdef __cplusplus
}
#endif
#endif
