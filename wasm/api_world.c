// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds. Their crowds have handles of their own and are used like any other; they end with their world.
#include "abi.h"

static CrWorld *world_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_WORLD); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "world"); }

CRW_EXPORT int32_t crw_world_create(void) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrWorld *world;
  CrStatus status = cr_world_create(NULL, &world, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_WORLD, world, 0);
}

// Arguments as of crw_crowd_create; the handle of the crowd.
CRW_EXPORT int32_t crw_world_add_crowd(int32_t handle, int32_t view, const double *options_cells,
                                       const double *filter_cells) {
  CrWorld *world = world_of(handle);
  if (!world) return stale();
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrCrowdOptions options;
  CrQueryFilter filter;
  crw__take_crowd_setup(options_cells, filter_cells, &options, &filter);
  CrCrowd *crowd;
  CrStatus status = cr_world_add_crowd(world, mesh, &options, &crowd, crw__error());
  return status ? crw__done(status) : crw__handle_add_kept(CRW_KIND_CROWD, crowd, view, handle);
}

CRW_EXPORT int32_t crw_world_step(int32_t handle, double dt) {
  CrWorld *world = world_of(handle);
  return world ? crw__done(cr_world_step(world, dt, crw__error())) : stale();
}
