// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The state of crowds: bytes, with and without the mesh, their size and their hash. A `view` is the handle of a crowd, or of a
// player, whose crowd is meant.
#include "abi.h"

int32_t crw__stale_crowd(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "crowd"); }

// Record block: the size of the state bytes.
CRW_EXPORT int32_t crw_crowd_state_size(int32_t view) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return crw__stale_crowd();
  *crw__record() = (double)cr_crowd_state_size(crowd);
  return 0;
}

// Bulk result: the state bytes.
CRW_EXPORT int32_t crw_crowd_save_state(int32_t view) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return crw__stale_crowd();
  size_t size = cr_crowd_state_size(crowd);
  uint8_t *out = crw__result(size);
  return out ? crw__done(cr_crowd_save_state(crowd, out, size, &size, crw__error())) : crw__no_memory();
}

CRW_EXPORT int32_t crw_crowd_restore_state(int32_t handle, const uint8_t *data, int32_t size) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_restore_state(crowd, data, (size_t)size, crw__error())) : crw__stale_crowd();
}

// Record block: the hash (u64).
CRW_EXPORT int32_t crw_crowd_state_hash(int32_t view) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return crw__stale_crowd();
  crw__put_u64(crw__record(), cr_crowd_state_hash(crowd));
  return 0;
}

// Bulk result: the state bytes with a snapshot of the mesh, full or (referenced != 0) without the tiles' bytes.
CRW_EXPORT int32_t crw_crowd_save_state_with_mesh(int32_t view, int32_t referenced) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return crw__stale_crowd();
  uint64_t size = cr_crowd_state_with_mesh_size(crowd, referenced);
  uint8_t *out = size <= INT32_MAX ? crw__result((size_t)size) : NULL;
  if (!out) return crw__no_memory();
  return crw__done(cr_crowd_save_state_with_mesh(crowd, referenced, out, (size_t)size, NULL, crw__error()));
}

// `mesh` is the handle of the crowd's own mesh. `tiles`: address and size (u32 each) of the bytes of tiles that a referenced
// snapshot needs.
CRW_EXPORT int32_t crw_crowd_restore_state_with_mesh(int32_t handle, int32_t mesh, const uint8_t *data, int32_t size,
                                                     const CrTileData *tiles, int32_t tile_count) {
  CrCrowd *crowd = crw__crowd(handle);
  CrNavMesh *own = crw__mesh(mesh);
  if (!crowd) return crw__stale_crowd();
  if (!own) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  return crw__done(
      cr_crowd_restore_state_with_mesh(crowd, own, data, (size_t)size, tiles, (uint32_t)tile_count, crw__error()));
}
