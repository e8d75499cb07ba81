// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile cache: tiles as packed layers, obstacles, which tiles each touches, and the line of tiles to build again.
#ifndef CR_TILE_CACHE_INTERNAL_H
#define CR_TILE_CACHE_INTERNAL_H

#include "builder_internal.h"
#include "crowdreel/tile_cache.h"
#include "layers_internal.h"

#define CR_TILE_CACHE_MAX_ID ((UINT64_C(1) << 53) - 1)

// Indices of touches, tiles and obstacles are stored plus one where 0 means none.

typedef struct CrCacheTile {
  CrPackedLayers layers;
  int32_t x, z;
  double low_y, high_y;  // floors of its walkable spans; low above high when there is none
  uint32_t first_touch, last_touch;
  bool waits;  // is in line
} CrCacheTile;

typedef struct CrCacheObstacle {
  CrObstacleId id;  // 0: free
  CrVolume volume;
  uint32_t first_touch;
} CrCacheObstacle;

// One obstacle on one tile. A tile's are in order of the obstacles' creation, which is the order they mark in.
typedef struct CrCacheTouch {
  uint32_t obstacle, tile;
  uint32_t next_on_tile, previous_on_tile;
  uint32_t next_of_obstacle;  // of a free one: the next free one
} CrCacheTouch;

struct CrTileCache {
  CrAllocator allocator;
  CrTileContext context;
  CrLayout layout;
  CrTileLinks links;
  bool has_flags;
  uint16_t area_flags[CR_MAX_AREA + 1];

  uint32_t *tile_at;  // per position, row by row: tile + 1
  CrCacheTile *tiles;
  size_t tile_count, tile_capacity;

  CrCacheObstacle *obstacles;
  size_t obstacle_slots, obstacle_capacity;
  uint32_t *free_slots;  // slots below obstacle_slots in no use
  size_t free_slot_count, free_slot_capacity;
  uint32_t *order;  // slots of the obstacles there are, oldest first
  size_t order_count, order_capacity;
  CrObstacleId next_id;

  CrCacheTouch *touches;
  size_t touch_slots, touch_capacity;
  uint32_t free_touch;
  uint32_t touch_count;

  uint32_t *line;  // ring of as many places as there are tiles
  uint32_t line_first, line_count;

  CrArena arena;  // kept from tile to tile
};

static inline size_t cr__cache_positions(const CrLayout *layout) {
  return (size_t)layout->tiles_x * (size_t)layout->tiles_z;
}
static inline double cr__cache_grow(const CrTileCache *cache) { return cr__obstacle_grow(&cache->context.settings); }

// A cache without tiles. Takes over the links. Null when out of memory (the links are freed then too).
CrTileCache *cr__cache_new(const CrTileContext *context, const CrLayout *layout, const uint16_t *area_flags,
                           CrTileLinks *links);
// Adds a tile, and takes over its layers in any case. Tiles come row by row.
bool cr__cache_add_tile(CrTileCache *cache, int32_t x, int32_t z, const CrOpenField *field, CrPackedLayers *layers);
// The line, once all tiles are there.
bool cr__cache_seal(CrTileCache *cache);
// Puts a tile in line, unless it is there.
void cr__cache_enqueue(CrTileCache *cache, uint32_t tile);

// Whether the volume's own fields may be kept: only those of its shape, the rest zero.
CrVolume cr__cache_clean_volume(const CrVolume *volume);
// Adds an obstacle that was checked under the id given, without putting its tiles in line. Ids rise.
CrStatus cr__cache_insert(CrTileCache *cache, const CrVolume *volume, CrObstacleId id, uint32_t *out_slot,
                          CrError *error);

#endif
