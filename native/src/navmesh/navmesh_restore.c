// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Bringing a mesh back to a snapshot in place, under everything that refers to it (docs/behaviour/navmesh.md, "Restoring").
// Invariant: the stamp never goes back, and every tile counts as changed, so nothing that is kept about the mesh as it was is
// taken for true of the mesh as it is, whatever its edit count and salts have become.
#include "navmesh_internal.h"

#define PARAMS_OFFSET 16

static bool same_params(const CrNavMeshParams *a, const CrNavMeshParams *b) {
  return a->origin_x == b->origin_x && a->origin_z == b->origin_z && a->tile_size == b->tile_size &&
         a->climb == b->climb && a->agent_radius == b->agent_radius && a->agent_height == b->agent_height;
}

CrStatus cr__navmesh_read_next(const CrNavMesh *mesh, CrReader *reader, const CrTileData *tiles, uint32_t tile_count,
                               CrNavMesh **out_next) {
  CrNavMesh *next = NULL;
  CrStatus status = cr__navmesh_read_either(reader, tiles, tile_count, &mesh->allocator, &next);
  if (status != CR_STATUS_OK) return status;
  if (!same_params(&mesh->params, &next->params)) {
    cr_navmesh_destroy(next);
    return cr__read_fail(reader, CR_STATUS_MISMATCH, "params", PARAMS_OFFSET);
  }
  *out_next = next;
  return CR_STATUS_OK;
}

void cr__navmesh_become(CrNavMesh *mesh, CrNavMesh *next) {
  CrNavMesh before = *mesh;
  *mesh = *next;
  *next = before;
  mesh->stamp = before.stamp + 1;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) mesh->tiles[slot].changed = mesh->stamp;
  cr_navmesh_destroy(next);
}

CrStatus cr_navmesh_restore(CrNavMesh *mesh, const uint8_t *data, size_t size, const CrTileData *tiles,
                            uint32_t tile_count, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  CrNavMesh *next = NULL;
  CrStatus status = cr__navmesh_read_next(mesh, &reader, tiles, tile_count, &next);
  if (status == CR_STATUS_OK) cr__navmesh_become(mesh, next);
  return status;
}
