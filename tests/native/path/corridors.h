// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the corridor tests share beside walkers.h: bytes of a corridor, and meshes that are edited at random.
#ifndef CR_TEST_CORRIDORS_H
#define CR_TEST_CORRIDORS_H

#include "tile_kit.h"
#include "walkers.h"

typedef struct CorridorBytes {
  size_t size;
  uint8_t data[66 + 8 * CR_CORRIDOR_MAX_CAPACITY];
} CorridorBytes;

static inline void take_corridor(const CrCorridor *corridor, CorridorBytes *out) {
  out->size = cr_corridor_state_size(corridor);
  REQUIRE_OK(cr_corridor_save(corridor, out->data, sizeof out->data, NULL));
}

static inline bool same_corridor(const CorridorBytes *a, const CorridorBytes *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

// Whether the corridor still has these bytes.
static inline bool is_still(const CrCorridor *corridor, const CorridorBytes *bytes) {
  static CorridorBytes now;
  take_corridor(corridor, &now);
  return same_corridor(&now, bytes);
}

static inline int32_t find_ref(const CrPolyRef *refs, int32_t count, CrPolyRef ref) {
  for (int32_t k = 0; k < count; k++) {
    if (refs[k] == ref) return k;
  }
  return -1;
}

// Tiles side by side that fit each other only here and there, on up to two storeys, with areas, flags and off-mesh links.
static inline CrNavMesh *world_mosaic(uint64_t seed, int32_t tiles, double tile_size) {
  static TileKit kit;
  CrNavMeshParams params = {.tile_size = tile_size, .climb = 0.5, .agent_height = 1.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t i = 0; i < tiles * tiles; i++) {
    kit_random(&kit, &params, &seed, i % tiles, i / tiles, rnd_int(&seed, 2));
    kit_add(&kit, mesh);
  }
  return mesh;
}

// --- Edits --------------------------------------------------------------------------------------------------------------

// The tiles of a mesh as they were, so that they can be taken out and put back.
typedef struct TileStore {
  int32_t count;
  CrBytes bytes[64];
  CrTileInfo infos[64];
} TileStore;

static inline void store_tiles(const CrNavMesh *mesh, TileStore *store) {
  store->count = 0;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    if (cr_navmesh_tile_info(mesh, slot, &store->infos[store->count]) != CR_STATUS_OK) continue;
    REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &store->bytes[store->count], NULL));
    REQUIRE(++store->count < 64);
  }
}

static inline void free_tiles(TileStore *store) {
  for (int32_t k = 0; k < store->count; k++) cr_bytes_free(&store->bytes[k]);
}

typedef struct EditTally {
  int64_t removed, added, replaced, polygons;
} EditTally;

// One random edit: a tile that is missing comes back; one that is there goes, is replaced, or has polygons closed and opened. The
// tile that holds `spared` stays, and `spared` open.
static inline void edit_mesh(CrNavMesh *mesh, const TileStore *store, CrPolyRef spared, uint64_t *seed,
                             EditTally *tally) {
  int32_t k = rnd_int(seed, store->count), kind = rnd_int(seed, 6);
  const CrTileInfo *info = &store->infos[k];
  const CrBytes *bytes = &store->bytes[k];
  uint32_t slot;
  if (cr_navmesh_find_tile(mesh, info->x, info->z, info->layer, &slot) != CR_STATUS_OK) {
    REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes->data, bytes->size, NULL, NULL));
    tally->added++;
  } else if (kind == 0 && slot != cr__ref_slot(spared)) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, info->x, info->z, info->layer, NULL));
    tally->removed++;
  } else if (kind == 1 && slot != cr__ref_slot(spared)) {
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes->data, bytes->size, NULL, NULL));
    tally->replaced++;
  } else {
    int32_t polygons = (int32_t)mesh->tiles[slot].polygon_count;
    for (int n = 0; n < 4 && polygons > 0; n++) {
      CrPolyRef ref = cr_navmesh_ref(mesh, slot, (uint32_t)rnd_int(seed, polygons));
      if (ref == spared) continue;
      REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, (uint16_t)(rnd_int(seed, 3) > 0), NULL));
      tally->polygons++;
    }
  }
}

// --- Random calls -------------------------------------------------------------------------------------------------------

typedef enum CorridorCall {
  CALL_MOVE_POSITION,
  CALL_MOVE_ALONG,
  CALL_WALK,  // MoveAlong towards the next corner
  CALL_MOVE_TARGET,
  CALL_VISIBILITY,
  CALL_TOPOLOGY,
  CALL_REPLAN,
  CALL_SET_TARGET,
  CALL_REQUEST,
  CALL_VALIDATE,
  CALL_RELOCATE,
  CALL_COUNT
} CorridorCall;

static inline CrVec3 point_near(uint64_t *seed, CrVec3 from, double reach) {
  double dx = rnd_range(seed, -reach, reach), dz = rnd_range(seed, -reach, reach);
  return cr__vec(from.x + dx, from.y, from.z + dz);
}

static inline bool walk_ahead(CrCorridor *corridor, CrPathContext *context, double share) {
  CrCorner corners[3];
  int32_t count;
  if (cr_corridor_find_corners(corridor, context, corners, 3, &count) == CR_STRAIGHT_INVALID_CORRIDOR || count < 2) {
    return false;
  }
  CrVec3 to = cr__lerp(corridor->position, corners[1].point, share);
  return cr_corridor_move_along(corridor, context, to, corners[1].path_index + 1);
}

// One call with arguments from `seed`: whether it did something. `stray` are points of the mesh, or anywhere near it.
static inline bool call_corridor(CorridorCall call, CrCorridor *corridor, CrPathContext *context, CrVec3 stray,
                                 uint64_t *seed) {
  double reach = rnd_int(seed, 8) ? 2.0 : 30.0;
  CrVec3 near = point_near(seed, corridor->position, reach);
  int32_t small = 1 + rnd_int(seed, 40);
  switch (call) {
    case CALL_MOVE_POSITION:
      return cr_corridor_move_position(corridor, context, near);
    case CALL_MOVE_ALONG:
      return cr_corridor_move_along(corridor, context, near, small);
    case CALL_WALK:
      return walk_ahead(corridor, context, rnd_range(seed, 0.1, 1.2));
    case CALL_MOVE_TARGET:
      return cr_corridor_move_target(corridor, context, point_near(seed, corridor->target, reach));
    case CALL_VISIBILITY:
      return cr_corridor_optimize_visibility(corridor, context, rnd_int(seed, 2) ? stray : near, 20.0, small);
    case CALL_TOPOLOGY:
      return cr_corridor_optimize_topology(corridor, context, 4 * small, small);
    case CALL_REPLAN:
      return cr_corridor_replan(corridor, context, EXTENTS, rnd_int(seed, 3) ? 100000 : small) != CR_REPLAN_FAILED;
    case CALL_SET_TARGET:
      REQUIRE_OK(cr_corridor_set_target(corridor, stray, NULL));
      return true;
    case CALL_REQUEST:
      cr_corridor_request_replan(corridor);
      return true;
    case CALL_VALIDATE:
      return cr_corridor_validate(corridor, context, small) != CR_VALIDATE_INVALID;
    default:
      return cr_corridor_relocate(corridor, context, EXTENTS);
  }
}

#endif
