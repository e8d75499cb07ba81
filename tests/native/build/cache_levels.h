// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Levels with volumes, off-mesh links and flags, random obstacles on them, and the fresh build that a tile cache must equal.
#ifndef CR_TEST_CACHE_LEVELS_H
#define CR_TEST_CACHE_LEVELS_H

#include "check.h"
#include "crowdreel/tile_cache.h"
#include "levels.h"

#define CACHE_LINKS 12

typedef struct CacheLevel {
  Level level;
  CrBuildInput input;
  CrBuildSettings settings;
  CrVec3 low, high;
  CrVolume volumes[4];
  CrOffMeshLink links[CACHE_LINKS];
  uint16_t flags[CR_MAX_AREA + 1];
} CacheLevel;

static inline CrVec3 cache_point(const CacheLevel *l, uint64_t *seed) {
  CrVec3 p;
  p.x = rnd_range(seed, l->low.x, l->high.x);
  p.y = rnd_range(seed, l->low.y, l->high.y);
  p.z = rnd_range(seed, l->low.z, l->high.z);
  return p;
}

// Any shape somewhere on the level, of a size up to `most`.
static inline CrVolume cache_obstacle(const CacheLevel *l, uint64_t *seed, double most) {
  CrVec3 at = cache_point(l, seed);
  CrVolume v;
  memset(&v, 0, sizeof v);
  v.shape = (CrVolumeShape)rnd_int(seed, 3);
  v.area = rnd_int(seed, 3) ? CR_AREA_BLOCKED : (uint8_t)rnd_int(seed, 64);
  v.min_y = at.y - rnd_range(seed, 0, 3);
  v.max_y = at.y + rnd_range(seed, 0, 3);
  if (v.shape == CR_VOLUME_CONVEX) {
    v.corner_count = 3 + (uint32_t)rnd_int(seed, 4);
    double r = rnd_range(seed, 0.2, most);
    static const double circle[6][2] = {{1, 0}, {0.6, 0.8}, {-0.28, 0.96}, {-0.96, 0.28}, {-0.6, -0.8}, {0.28, -0.96}};
    for (uint32_t k = 0; k < v.corner_count; k++) {
      v.corners[2 * k] = at.x + r * circle[k][0];
      v.corners[2 * k + 1] = at.z + r * circle[k][1];
    }
    return v;
  }
  v.center_x = at.x;
  v.center_z = at.z;
  if (v.shape == CR_VOLUME_CYLINDER) {
    v.radius = rnd_range(seed, 0.1, most);
    return v;
  }
  v.half_x = rnd_range(seed, 0.1, most);
  v.half_z = rnd_range(seed, 0.1, most / 2);
  v.axis_x = rnd_int(seed, 2) ? rnd_range(seed, -1, 1) : 0;
  v.axis_z = rnd_int(seed, 2) ? rnd_range(seed, -1, 1) : 0;
  return v;
}

static inline void cache_level_make(CacheLevel *l, uint32_t index, CrPartition partition, int32_t tile_cells,
                                    uint64_t *seed) {
  l->level = level_make(index);
  l->input = level_input(&l->level);
  l->settings = cr_build_settings_default();
  l->settings.tile_cells = tile_cells;
  l->settings.partition = partition;
  l->low = (CrVec3){1e9, 1e9, 1e9};
  l->high = (CrVec3){-1e9, -1e9, -1e9};
  for (uint32_t i = 0; i < l->input.vertex_count; i++) {
    const double *v = l->input.vertices + 3 * (size_t)i;
    l->low = (CrVec3){v[0] < l->low.x ? v[0] : l->low.x, v[1] < l->low.y ? v[1] : l->low.y,
                      v[2] < l->low.z ? v[2] : l->low.z};
    l->high = (CrVec3){v[0] > l->high.x ? v[0] : l->high.x, v[1] > l->high.y ? v[1] : l->high.y,
                       v[2] > l->high.z ? v[2] : l->high.z};
  }
  for (int i = 0; i < 4; i++) l->volumes[i] = cache_obstacle(l, seed, 4);
  for (uint32_t i = 0; i < CACHE_LINKS; i++) {
    const double *from = l->input.vertices + 3 * (rnd_u64(seed) % l->input.vertex_count);
    const double *to = l->input.vertices + 3 * (rnd_u64(seed) % l->input.vertex_count);
    l->links[i] = (CrOffMeshLink){{from[0], from[1], from[2]}, {to[0], to[1], to[2]}, 1.5, i, 1, 3, i & 1};
  }
  for (int i = 0; i <= CR_MAX_AREA; i++) l->flags[i] = (uint16_t)(i * 3 + 1);
  l->input.volumes = l->volumes;
  l->input.volume_count = 4;
  l->input.off_mesh_links = l->links;
  l->input.off_mesh_count = CACHE_LINKS;
  l->input.area_flags = l->flags;
}

// The obstacles of a cache, oldest first; freed with free().
static inline CrVolume *cache_obstacles(const CrTileCache *cache, uint32_t *out_count) {
  uint32_t count = *out_count = cr_tile_cache_obstacle_count(cache);
  CrVolume *volumes = malloc((count + 1) * sizeof *volumes);
  REQUIRE(volumes);
  for (uint32_t i = 0; i < count; i++) REQUIRE_OK(cr_tile_cache_obstacle_at(cache, i, NULL, &volumes[i]));
  return volumes;
}

// The mesh of a whole new build with the cache's obstacles.
static inline CrNavMesh *cache_fresh_mesh(const CacheLevel *l, const CrTileCache *cache) {
  CrBuildInput input = l->input;
  CrVolume *obstacles = cache_obstacles(cache, &input.obstacle_count);
  input.obstacles = obstacles;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_build_navmesh(&input, &l->settings, NULL, NULL, &mesh, NULL, NULL));
  free(obstacles);
  return mesh;
}

static inline bool same_tile(const CrNavMesh *a, const CrNavMesh *b, int32_t x, int32_t z) {
  uint32_t slot_a, slot_b;
  bool in_a = cr_navmesh_find_tile(a, x, z, 0, &slot_a) == CR_STATUS_OK;
  bool in_b = cr_navmesh_find_tile(b, x, z, 0, &slot_b) == CR_STATUS_OK;
  if (!in_a || !in_b) return in_a == in_b;
  CrBytes of_a, of_b;
  REQUIRE_OK(cr_navmesh_tile_bytes(a, slot_a, NULL, &of_a, NULL));
  REQUIRE_OK(cr_navmesh_tile_bytes(b, slot_b, NULL, &of_b, NULL));
  bool same = of_a.size == of_b.size && memcmp(of_a.data, of_b.data, of_a.size) == 0;
  cr_bytes_free(&of_a);
  cr_bytes_free(&of_b);
  return same;
}

// How many tiles of the grid differ.
static inline uint32_t different_tiles(const CrNavMesh *a, const CrNavMesh *b, const CrTileCache *cache) {
  CrTileCacheInfo info = cr_tile_cache_info(cache);
  uint32_t different = 0;
  for (int32_t z = 0; z < info.tiles_z; z++) {
    for (int32_t x = 0; x < info.tiles_x; x++) different += !same_tile(a, b, x, z);
  }
  return different;
}

#endif
