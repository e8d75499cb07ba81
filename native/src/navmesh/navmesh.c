// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The mesh as its users edit it: creation, tiles by position, areas and flags, salts and the edit count.
// Invariant: a call that does not return CR_STATUS_OK has changed nothing a caller can see.
#include "navmesh_internal.h"

CrStatus cr_navmesh_create(const CrNavMeshParams *params, const CrAllocator *allocator, CrNavMesh **out,
                           CrError *error) {
  const char *field;
  double limit;
  CrStatus status = cr__params_check(params, &field, &limit);
  if (status != CR_STATUS_OK) return cr__fail_limit(error, status, field, limit);
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrNavMesh *mesh = cr__alloc_zeroed(&hooks, 1, sizeof *mesh);
  if (!mesh) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  mesh->allocator = hooks;
  mesh->params = *params;
  *out = mesh;
  return CR_STATUS_OK;
}

void cr_navmesh_destroy(CrNavMesh *mesh) {
  if (!mesh) return;
  CrAllocator hooks = mesh->allocator;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) cr__tile_free(&hooks, &mesh->tiles[slot]);
  cr__free(&hooks, mesh->tiles, mesh->slot_capacity, sizeof *mesh->tiles);
  cr__free(&hooks, mesh->grid_heads, mesh->grid_size, sizeof *mesh->grid_heads);
  cr__free(&hooks, mesh->grid_next, mesh->slot_capacity, sizeof *mesh->grid_next);
  cr__free(&hooks, mesh->free_slots, mesh->slot_capacity, sizeof *mesh->free_slots);
  cr__free(&hooks, mesh->reach.heads, mesh->reach.head_count, sizeof *mesh->reach.heads);
  cr__free(&hooks, mesh->reach.entries, mesh->reach.capacity, sizeof *mesh->reach.entries);
  cr__free(&hooks, mesh, 1, sizeof *mesh);
}

static void count_edit(CrNavMesh *mesh) {
  mesh->edit_count++;
  mesh->stamp++;
}

// --- Tiles ----------------------------------------------------------------------------------------------------------

static uint16_t next_salt(uint16_t salt) { return salt == UINT16_MAX ? 1 : (uint16_t)(salt + 1); }

static CrStatus read_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, CrTile *out, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  CrStatus status = cr__tile_read(&reader, &mesh->params, &mesh->allocator, out);
  if (status != CR_STATUS_OK) return status;
  if (out->polygon_count <= UINT32_MAX - mesh->polygon_count) return CR_STATUS_OK;
  cr__tile_free(&mesh->allocator, out);
  return cr__fail_limit(error, CR_STATUS_LIMIT, "polygons", UINT32_MAX);
}

static CrStatus put_in_free_slot(CrNavMesh *mesh, CrTile *tile, uint32_t *out_slot, CrError *error) {
  uint32_t slot = cr__free_slot_lowest(mesh);
  bool new_slot = slot == mesh->slot_count;
  if (slot >= CR_MAX_TILE_SLOTS) return cr__fail_limit(error, CR_STATUS_LIMIT, "slots", CR_MAX_TILE_SLOTS);
  if (!cr__layers_have_room(mesh, tile->x, tile->z))
    return cr__fail_limit(error, CR_STATUS_LIMIT, "layers", CR_MAX_LAYERS);
  if (!cr__slots_reserve(mesh, slot + 1)) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  if (new_slot) {
    mesh->tiles[slot] = (CrTile){.salt = 1};
    mesh->slot_count++;
  }
  tile->salt = mesh->tiles[slot].salt;
  CrStatus status = cr__slot_put(mesh, slot, tile, error);
  if (status != CR_STATUS_OK) {
    if (new_slot) mesh->slot_count--;
    return status;
  }
  if (!new_slot) cr__free_slot_take(mesh);
  *out_slot = slot;
  return CR_STATUS_OK;
}

static CrStatus put_in_slot(CrNavMesh *mesh, uint32_t slot, CrTile *tile, uint32_t *out_slot, CrError *error) {
  tile->salt = next_salt(mesh->tiles[slot].salt);
  *out_slot = slot;
  return cr__slot_put(mesh, slot, tile, error);
}

static CrStatus put_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, bool replace, uint32_t *out_slot,
                         CrError *error) {
  CrTile tile;
  uint32_t slot, taken = 0;
  CrStatus status = read_tile(mesh, data, size, &tile, error);
  if (status != CR_STATUS_OK) return status;
  bool stands = cr_navmesh_find_tile(mesh, tile.x, tile.z, tile.layer, &slot) == CR_STATUS_OK;
  if (!stands) {
    status = put_in_free_slot(mesh, &tile, &taken, error);
  } else if (replace) {
    status = put_in_slot(mesh, slot, &tile, &taken, error);
  } else {
    status = cr__fail_index(error, CR_STATUS_OCCUPIED, "tile", slot);
  }
  if (status != CR_STATUS_OK) {
    cr__tile_free(&mesh->allocator, &tile);
    return status;
  }
  count_edit(mesh);
  if (out_slot) *out_slot = taken;
  return CR_STATUS_OK;
}

CrStatus cr_navmesh_add_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, uint32_t *out_slot, CrError *error) {
  return put_tile(mesh, data, size, false, out_slot, error);
}

CrStatus cr_navmesh_replace_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, uint32_t *out_slot,
                                 CrError *error) {
  return put_tile(mesh, data, size, true, out_slot, error);
}

CrStatus cr_navmesh_remove_tile(CrNavMesh *mesh, int32_t x, int32_t z, int32_t layer, CrError *error) {
  uint32_t slot;
  if (cr_navmesh_find_tile(mesh, x, z, layer, &slot) != CR_STATUS_OK) {
    return cr__fail(error, CR_STATUS_NOT_FOUND, "tile");
  }
  CrTile empty = {.salt = next_salt(mesh->tiles[slot].salt)};
  CrStatus status = cr__slot_put(mesh, slot, &empty, error);
  if (status != CR_STATUS_OK) return status;
  cr__free_slot_give(mesh, slot);
  count_edit(mesh);
  return CR_STATUS_OK;
}

// --- Polygons -------------------------------------------------------------------------------------------------------

static void change_polygon(CrNavMesh *mesh, uint32_t slot) {
  count_edit(mesh);
  mesh->tiles[slot].changed = mesh->stamp;
}

CrStatus cr_navmesh_set_area(CrNavMesh *mesh, CrPolyRef ref, uint8_t area, CrError *error) {
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return cr__fail(error, CR_STATUS_STALE_REF, "ref");
  if (area > CR_MAX_AREA) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "area", CR_MAX_AREA);
  uint8_t *at = &tile->areas[cr__ref_polygon(ref)];
  if (*at != area) change_polygon(mesh, cr__ref_slot(ref));
  *at = area;
  return CR_STATUS_OK;
}

CrStatus cr_navmesh_set_flags(CrNavMesh *mesh, CrPolyRef ref, uint16_t flags, CrError *error) {
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return cr__fail(error, CR_STATUS_STALE_REF, "ref");
  uint16_t *at = &tile->flags[cr__ref_polygon(ref)];
  if (*at != flags) change_polygon(mesh, cr__ref_slot(ref));
  *at = flags;
  return CR_STATUS_OK;
}
