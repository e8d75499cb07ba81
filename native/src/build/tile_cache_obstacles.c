// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The obstacles of a tile cache and the tiles they touch. A tile is touched when the grown shape may reach the centre of one of
// its columns, its border's included, and the height of one of its floors; so every tile whose marks an obstacle can change is.
// Invariant: each touch is in the list of its obstacle and in that of its tile; a tile's list is in order of creation.
// Order: obstacles by id; tiles row by row.
#include "tile_cache_internal.h"

CrVolume cr__cache_clean_volume(const CrVolume *volume) {
  CrVolume clean;
  memset(&clean, 0, sizeof clean);
  clean.shape = volume->shape;
  clean.area = volume->area;
  clean.min_y = volume->min_y;
  clean.max_y = volume->max_y;
  if (volume->shape == CR_VOLUME_CONVEX) {
    clean.corner_count = volume->corner_count;
    memcpy(clean.corners, volume->corners, 2 * sizeof(double) * volume->corner_count);
    return clean;
  }
  clean.center_x = volume->center_x;
  clean.center_z = volume->center_z;
  if (volume->shape == CR_VOLUME_CYLINDER) {
    clean.radius = volume->radius;
  } else {
    clean.half_x = volume->half_x;
    clean.half_z = volume->half_z;
    clean.axis_x = volume->axis_x;
    clean.axis_z = volume->axis_z;
  }
  return clean;
}

// --- Tiles of a volume ------------------------------------------------------------------------------------------------

// Tiles first..end - 1 along an axis with columns, borders included, between two coordinates.
static void tile_range(const CrTileCache *cache, double low, double high, bool along_x, int32_t *first, int32_t *end) {
  const CrLayout *layout = &cache->layout;
  double cell = cache->context.settings.cell_size, origin = along_x ? layout->min.x : layout->min.z;
  double border = (double)layout->border, tiles = along_x ? (double)layout->tiles_x : (double)layout->tiles_z;
  double side = (double)(layout->tile_cells ? layout->tile_cells : along_x ? layout->width : layout->depth);
  double first_cell = cr__floor((low - origin) / cell) - 1.0, last_cell = cr__floor((high - origin) / cell) + 1.0;
  *first = (int32_t)cr__clamp(cr__floor((first_cell - border) / side), 0.0, tiles);
  *end = (int32_t)cr__clamp(cr__floor((last_cell + border) / side) + 1.0, 0.0, tiles);
}

static bool touches(const CrTileCache *cache, const CrCacheTile *tile, const CrVolume *volume) {
  double head = cache->context.settings.agent_height;
  if (!(tile->high_y > volume->min_y - head && tile->low_y < volume->max_y)) return false;
  CrGrid grid = cr__layout_grid(&cache->layout, &cache->context.settings, tile->x, tile->z);
  double half = grid.cell_size / 2;
  CrVolumeBounds columns = {cr__grid_x(&grid, 0) + half, cr__grid_x(&grid, grid.width) - half,
                            cr__grid_z(&grid, 0) + half, cr__grid_z(&grid, grid.depth) - half};
  return cr__volume_reaches(volume, cr__cache_grow(cache), &columns);
}

// The tiles an obstacle touches; `out` null only counts them.
static uint32_t list_tiles(const CrTileCache *cache, const CrVolume *volume, uint32_t *out) {
  CrVolumeBounds bounds;
  int32_t x0, x1, z0, z1;
  uint32_t count = 0;
  if (cache->layout.tiles_x == 0) return 0;
  cr__volume_bounds(volume, cr__cache_grow(cache), &bounds);
  tile_range(cache, bounds.min_x, bounds.max_x, true, &x0, &x1);
  tile_range(cache, bounds.min_z, bounds.max_z, false, &z0, &z1);
  for (int32_t z = z0; z < z1; z++) {
    for (int32_t x = x0; x < x1; x++) {
      uint32_t tile = cache->tile_at[(size_t)z * (size_t)cache->layout.tiles_x + (size_t)x];
      if (!tile || !touches(cache, &cache->tiles[tile - 1], volume)) continue;
      if (out) out[count] = tile - 1;
      count++;
    }
  }
  return count;
}

// --- Touches ----------------------------------------------------------------------------------------------------------

static uint32_t take_touch(CrTileCache *cache) {
  uint32_t touch = cache->free_touch;
  if (touch) {
    cache->free_touch = cache->touches[touch - 1].next_of_obstacle;
  } else {
    touch = (uint32_t)++cache->touch_slots;
  }
  cache->touch_count++;
  return touch;
}

// At the end of its tile's list: the obstacle is the youngest.
static void add_touch(CrTileCache *cache, uint32_t slot, uint32_t tile, uint32_t touch, uint32_t *previous) {
  CrCacheTile *t = &cache->tiles[tile];
  cache->touches[touch - 1] = (CrCacheTouch){.obstacle = slot, .tile = tile, .previous_on_tile = t->last_touch};
  *(t->last_touch ? &cache->touches[t->last_touch - 1].next_on_tile : &t->first_touch) = touch;
  t->last_touch = touch;
  *(*previous ? &cache->touches[*previous - 1].next_of_obstacle : &cache->obstacles[slot].first_touch) = touch;
  *previous = touch;
}

static void remove_touch(CrTileCache *cache, uint32_t touch) {
  CrCacheTouch *t = &cache->touches[touch - 1];
  CrCacheTile *tile = &cache->tiles[t->tile];
  *(t->previous_on_tile ? &cache->touches[t->previous_on_tile - 1].next_on_tile : &tile->first_touch) = t->next_on_tile;
  *(t->next_on_tile ? &cache->touches[t->next_on_tile - 1].previous_on_tile : &tile->last_touch) = t->previous_on_tile;
  *t = (CrCacheTouch){.next_of_obstacle = cache->free_touch};
  cache->free_touch = touch;
  cache->touch_count--;
}

// --- Adding and removing ----------------------------------------------------------------------------------------------

static bool reserve_one(CrTileCache *cache, void **memory, size_t *capacity, size_t used, size_t needed, size_t size) {
  return cr__grow(&cache->allocator, memory, capacity, used, needed, size);
}

static bool reserve(CrTileCache *cache, uint32_t touch_count) {
  void *obstacles = cache->obstacles, *order = cache->order, *touches = cache->touches, *free_slots = cache->free_slots;
  size_t slots = cache->obstacle_slots + (cache->free_slot_count == 0);
  bool ok =
      reserve_one(cache, &obstacles, &cache->obstacle_capacity, cache->obstacle_slots, slots, sizeof *cache->obstacles);
  cache->obstacles = obstacles;
  // Room for every slot to become free, so that removing never allocates.
  ok = ok && reserve_one(cache, &free_slots, &cache->free_slot_capacity, cache->free_slot_count, slots,
                         sizeof *cache->free_slots);
  cache->free_slots = free_slots;
  ok = ok && reserve_one(cache, &order, &cache->order_capacity, cache->order_count, cache->order_count + 1,
                         sizeof *cache->order);
  cache->order = order;
  size_t unused = cache->touch_slots - cache->touch_count;
  size_t needed = cache->touch_slots + (touch_count > unused ? touch_count - unused : 0);
  ok = ok && reserve_one(cache, &touches, &cache->touch_capacity, cache->touch_slots, needed, sizeof *cache->touches);
  cache->touches = touches;
  return ok;
}

static CrStatus check_limits(const CrTileCache *cache, CrObstacleId id, uint32_t touch_count, CrError *error) {
  if (cache->order_count >= CR_TILE_CACHE_MAX_OBSTACLES) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "obstacles", CR_TILE_CACHE_MAX_OBSTACLES);
  }
  if (touch_count > CR_TILE_CACHE_MAX_TOUCHES - cache->touch_count) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "obstacle tiles", CR_TILE_CACHE_MAX_TOUCHES);
  }
  if (id > CR_TILE_CACHE_MAX_ID) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "obstacle ids", (double)CR_TILE_CACHE_MAX_ID);
  }
  return CR_STATUS_OK;
}

static void insert(CrTileCache *cache, const CrVolume *volume, CrObstacleId id, const uint32_t *tiles, uint32_t count,
                   uint32_t slot) {
  cache->obstacles[slot] = (CrCacheObstacle){.id = id, .volume = cr__cache_clean_volume(volume)};
  cache->order[cache->order_count++] = slot;
  cache->next_id = id + 1;
  uint32_t previous = 0;
  for (uint32_t i = 0; i < count; i++) add_touch(cache, slot, tiles[i], take_touch(cache), &previous);
}

CrStatus cr__cache_insert(CrTileCache *cache, const CrVolume *volume, CrObstacleId id, uint32_t *out_slot,
                          CrError *error) {
  uint32_t count = list_tiles(cache, volume, NULL);
  CrStatus status = check_limits(cache, id, count, error);
  if (status != CR_STATUS_OK) return status;
  cr__arena_rewind(&cache->arena);
  uint32_t *tiles = cr__arena_alloc(&cache->arena, count, sizeof *tiles);
  if (!tiles || !reserve(cache, count)) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  list_tiles(cache, volume, tiles);
  uint32_t slot =
      cache->free_slot_count ? cache->free_slots[--cache->free_slot_count] : (uint32_t)cache->obstacle_slots++;
  insert(cache, volume, id, tiles, count, slot);
  if (out_slot) *out_slot = slot;
  return CR_STATUS_OK;
}

static void enqueue_tiles(CrTileCache *cache, uint32_t slot) {
  for (uint32_t touch = cache->obstacles[slot].first_touch; touch; touch = cache->touches[touch - 1].next_of_obstacle) {
    cr__cache_enqueue(cache, cache->touches[touch - 1].tile);
  }
}

CrStatus cr_tile_cache_add_obstacle(CrTileCache *cache, const CrVolume *volume, CrObstacleId *out_id, CrError *error) {
  if (!volume) return cr__fail(error, CR_STATUS_ARGUMENT, "obstacle");
  CrError refused;
  if (cr__volumes_check(volume, 1, "obstacle", &refused) != CR_STATUS_OK) {
    return cr__fail(error, CR_STATUS_ARGUMENT, "obstacle");
  }
  uint32_t slot;
  CrObstacleId id = cache->next_id;
  CrStatus status = cr__cache_insert(cache, volume, id, &slot, error);
  if (status != CR_STATUS_OK) return status;
  enqueue_tiles(cache, slot);
  if (out_id) *out_id = id;
  return CR_STATUS_OK;
}

// Place in `order` of the first obstacle with at least that id.
static size_t place_of(const CrTileCache *cache, CrObstacleId id) {
  size_t low = 0, high = cache->order_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (cache->obstacles[cache->order[middle]].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool is_at(const CrTileCache *cache, size_t place, CrObstacleId id) {
  return place < cache->order_count && cache->obstacles[cache->order[place]].id == id;
}

CrStatus cr_tile_cache_remove_obstacle(CrTileCache *cache, CrObstacleId id, CrError *error) {
  size_t place = place_of(cache, id);
  if (!is_at(cache, place, id)) return cr__fail(error, CR_STATUS_NOT_FOUND, "obstacle");
  uint32_t slot = cache->order[place];
  enqueue_tiles(cache, slot);
  for (uint32_t touch = cache->obstacles[slot].first_touch; touch;) {
    uint32_t next = cache->touches[touch - 1].next_of_obstacle;
    remove_touch(cache, touch);
    touch = next;
  }
  cache->order_count--;
  memmove(cache->order + place, cache->order + place + 1, (cache->order_count - place) * sizeof *cache->order);
  cache->obstacles[slot].id = 0;
  cache->obstacles[slot].first_touch = 0;
  cache->free_slots[cache->free_slot_count++] = slot;
  return CR_STATUS_OK;
}

// --- Reading ----------------------------------------------------------------------------------------------------------

uint32_t cr_tile_cache_obstacle_count(const CrTileCache *cache) { return (uint32_t)cache->order_count; }

CrStatus cr_tile_cache_obstacle_at(const CrTileCache *cache, uint32_t index, CrObstacleId *out_id,
                                   CrVolume *out_volume) {
  if (index >= cache->order_count) return CR_STATUS_NOT_FOUND;
  const CrCacheObstacle *obstacle = &cache->obstacles[cache->order[index]];
  if (out_id) *out_id = obstacle->id;
  if (out_volume) *out_volume = obstacle->volume;
  return CR_STATUS_OK;
}

CrStatus cr_tile_cache_obstacle(const CrTileCache *cache, CrObstacleId id, CrVolume *out_volume) {
  size_t place = place_of(cache, id);
  if (!is_at(cache, place, id)) return CR_STATUS_NOT_FOUND;
  return cr_tile_cache_obstacle_at(cache, (uint32_t)place, NULL, out_volume);
}
