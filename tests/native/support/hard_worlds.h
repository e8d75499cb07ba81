// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds beside those of query_worlds.h that are hard on queries: at the end of the coordinates, of tiny and large cells, random
// tiles whose borders do not match and whose storeys overlap, steep hills, and levels built from triangles, whole and in tiles.
// Tests that include it link the build module.
#ifndef CR_TEST_HARD_WORLDS_H
#define CR_TEST_HARD_WORLDS_H

#include "crowdreel/build.h"
#include "levels.h"
#include "query_worlds.h"
#include "tile_kit.h"

// Random tiles, side by side: unequal rectangles, sloping, on up to two storeys a tile, with areas, flags and off-mesh links.
static inline CrNavMesh *world_mosaic(uint64_t seed, int32_t tiles, double tile_size, double origin) {
  static TileKit kit;
  CrNavMeshParams params = {
      .origin_x = origin, .origin_z = origin, .tile_size = tile_size, .climb = 0.5, .agent_height = 1.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t i = 0; i < tiles * tiles; i++) {
    kit_random(&kit, &params, &seed, i % tiles, i / tiles, rnd_int(&seed, 2));
    kit_add(&kit, mesh);
  }
  return mesh;
}

// A level as a mesh: one tile, or tiles of `tile_cells` cells.
static inline CrNavMesh *world_level(uint32_t level, int32_t tile_cells) {
  Level made = level_make(level);
  CrBuildInput input = level_input(&made);
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = (CrPartition)(level % 3);
  settings.tile_cells = tile_cells;
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
  level_free(&made);
  return mesh;
}

#define HARD_WORLDS 14

// World `number` of HARD_WORLDS.
static inline CrNavMesh *hard_world(int number) {
  uint64_t seed = 8000 + (uint64_t)number;
  switch (number) {
    case 0:
      return world_warped(seed, 3, 6, 1.0, 0.15, 0.1, 2097000.0);
    case 1:
      return world_warped(seed, 3, 6, 1.0, 0.15, 0.1, -2097100.0);
    case 2:
      return world_warped(seed, 3, 6, 0.01, 0.15, 0.001, 0.0);
    case 3:
      return world_warped(seed, 3, 6, 1000.0, 0.15, 100.0, -9000.0);
    case 4:
      return world_warped(seed, 3, 5, 1.0, 0.3, 1.5, 0.0);  // steep hills, islands
    case 5:
    case 6:
    case 7:
      return world_mosaic(seed, 4, 4.0, 0.0);
    case 8:
      return world_mosaic(seed, 4, 0.5, 2097140.0);
    case 9:
      return world_mosaic(seed, 4, 1000.0, -2000.0);
    default:
      return world_level((uint32_t)(number - 10) % level_count(), number % 2 ? 0 : 24);
  }
}

// How far a point computed on this mesh may be from where it should be: rounding grows with the coordinates.
static inline double world_slack(const CrNavMesh *mesh) {
  CrVec3 low, high;
  if (!cr_navmesh_bounds(mesh, &low, &high)) return 1e-9;
  double largest = fmax(fmax(fabs(low.x), fabs(low.z)), fmax(fabs(high.x), fabs(high.z)));
  return 1e-9 + 3e-15 * largest;
}

#endif
