// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers: one agent on its own, with the path context it walks with. A point stands in the argument block (abi.h).
// Invariant: the local query is of the size that belongs to the follower's options, so that a follower whose options were
// changed walks as one made with them.
#include <stdlib.h>

#include "abi.h"

typedef struct CrwFollower {
  CrFollower *follower;
  CrPathContext *context;
  const CrNavMesh *mesh;
  CrPathContextOptions setup;  // its filter: null or `filter`
  CrQueryFilter filter;
} CrwFollower;

static CrwFollower *follower_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_FOLLOWER); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "follower"); }

const CrNavMesh *crw__follower_mesh(const void *follower) { return ((const CrwFollower *)follower)->mesh; }

void crw__follower_destroy(void *follower) {
  CrwFollower *it = follower;
  cr_follower_destroy(it->follower);
  cr_path_context_destroy(it->context);
  free(it);
}

static int32_t local_nodes(const CrFollowerOptions *options) {
  return cr_path_local_nodes(options->refine_budget, options->topology_budget);
}

static CrStatus make_parts(CrwFollower *it, const CrFollowerOptions *options) {
  CrStatus status = cr_follower_create(options, NULL, &it->follower, crw__error());
  if (status) return status;
  it->setup.local_nodes = local_nodes(options);
  it->setup.max_corridor = options->corridor_capacity;
  return cr_path_context_create(it->mesh, &it->setup, NULL, &it->context, crw__error());
}

// `options_cells`: FOLLOWER_OPTIONS, then QUERY_OPTIONS. `filter_cells` (a QUERY_FILTER record) may be null.
CRW_EXPORT int32_t crw_follower_create(int32_t view, const double *options_cells, const double *filter_cells) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrwFollower *it = calloc(1, sizeof *it);
  if (!it) return crw__no_memory();
  it->mesh = mesh;
  CrFollowerOptions options;
  crw__take_query_options(crw__take_follower_options(options_cells, &options), &it->setup.query);
  it->setup.filter = crw__filter(filter_cells, &it->filter);
  CrStatus status = make_parts(it, &options);
  if (!status) return crw__handle_add(CRW_KIND_FOLLOWER, it, view);
  crw__follower_destroy(it);
  return crw__done(status);
}

// At a point, which stands in the argument block.
CRW_EXPORT int32_t crw_follower_place(int32_t handle) {
  CrwFollower *it = follower_of(handle);
  return it ? crw__done(cr_follower_place(it->follower, it->context, crw__point(0), crw__error())) : stale();
}

// To a point, which stands in the argument block.
CRW_EXPORT int32_t crw_follower_set_destination(int32_t handle) {
  CrwFollower *it = follower_of(handle);
  return it ? crw__done(cr_follower_set_destination(it->follower, it->context, crw__point(0), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_follower_stop(int32_t handle) {
  CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  cr_follower_stop(it->follower);
  return 0;
}

CRW_EXPORT int32_t crw_follower_step(int32_t handle, double dt) {
  CrwFollower *it = follower_of(handle);
  return it ? crw__done(cr_follower_step(it->follower, it->context, dt, crw__error())) : stale();
}

CRW_EXPORT int32_t crw_follower_complete_off_mesh(int32_t handle) {
  CrwFollower *it = follower_of(handle);
  return it ? crw__done(cr_follower_complete_off_mesh(it->follower, it->context, crw__error())) : stale();
}

// A context whose local query is of another size, when the options ask for one.
static CrStatus fitting_context(const CrwFollower *it, const CrFollowerOptions *options, CrPathContextOptions *setup,
                                CrPathContext **out) {
  *setup = it->setup;
  setup->local_nodes = local_nodes(options);
  *out = it->context;
  if (setup->local_nodes == it->setup.local_nodes) return CR_STATUS_OK;
  return cr_path_context_create(it->mesh, setup, NULL, out, crw__error());
}

// `options_cells`: FOLLOWER_OPTIONS.
CRW_EXPORT int32_t crw_follower_set_options(int32_t handle, const double *options_cells) {
  CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  CrFollowerOptions options;
  crw__take_follower_options(options_cells, &options);
  CrPathContextOptions setup;
  CrPathContext *context;
  CrStatus status = cr_follower_options_validate(&options, crw__error());  // before memory is taken for them
  if (!status) status = fitting_context(it, &options, &setup, &context);
  if (status) return crw__done(status);
  status = cr_follower_set_options(it->follower, &options, crw__error());
  CrPathContext *unused = status ? context : it->context;
  if (context != it->context) cr_path_context_destroy(unused);
  if (status) return crw__done(status);
  it->setup = setup;
  it->context = context;
  return 0;
}

// Record: FOLLOWER_OPTIONS.
CRW_EXPORT int32_t crw_follower_options(int32_t handle) {
  const CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  CrFollowerOptions options = cr_follower_options(it->follower);
  crw__put_follower_options(crw__record(), &options);
  return 0;
}

// Record: FOLLOWER_INFO.
CRW_EXPORT int32_t crw_follower_info(int32_t handle) {
  const CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  CrFollowerInfo info = cr_follower_info(it->follower);
  crw__put_follower_info(crw__record(), &info);
  return 0;
}

// Record block: a FOLLOWER_EVENT record for each event. Returns their number.
CRW_EXPORT int32_t crw_follower_events(int32_t handle) {
  const CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  int32_t count = cr_follower_events(it->follower, events);
  double *at = crw__record();
  for (int32_t i = 0; i < count; i++) at = crw__put_event(at, &events[i]);
  return count;
}

typedef struct CorridorInfo {
  CrVec3 position, target;
  CrPolyRef target_ref;
  bool complete, needs_replan;
  int32_t count, corner_count, outcome;
} CorridorInfo;

static CorridorInfo corridor_info(const CrCorridor *corridor) {
  return (CorridorInfo){.position = cr_corridor_position(corridor),
                        .target = cr_corridor_target(corridor),
                        .target_ref = cr_corridor_target_ref(corridor),
                        .complete = cr_corridor_is_complete(corridor),
                        .needs_replan = cr_corridor_needs_replan(corridor),
                        .count = cr_corridor_count(corridor)};
}

// Where the corridor ends: at its target only if that lies on its last polygon.
static bool corridor_end(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 *out) {
  int32_t count = cr_corridor_count(corridor);
  CrVec3 target = cr_corridor_target(corridor), nearest;
  bool over;
  if (count == 0) return false;
  if (cr_query_closest_point(mesh, cr_corridor_path(corridor)[count - 1], target, &nearest, &over)) return false;
  *out = cr_corridor_is_complete(corridor) && over ? target : nearest;
  return true;
}

int32_t crw__corridor(const CrCorridor *corridor, const CrNavMesh *mesh, const CrQueryFilter *filter,
                      int32_t capacity) {
  CorridorInfo info = corridor_info(corridor);
  size_t count = (size_t)info.count;
  CrCorner *corners = crw__work((size_t)capacity * sizeof *corners);
  uint64_t *refs = crw__result((count + (size_t)capacity * CRW_CELLS_CORNER) * sizeof(double));
  if (!corners || !refs) return crw__no_memory();
  const CrPolyRef *path = cr_corridor_path(corridor);
  if (count > 0) __builtin_memcpy(refs, path, count * sizeof *refs);
  CrVec3 end;
  info.outcome = CR_STRAIGHT_INVALID_CORRIDOR;
  if (corridor_end(corridor, mesh, &end)) {
    info.outcome = (int32_t)cr_query_straight_path(mesh, info.position, end, path, info.count, filter, corners,
                                                   capacity, &info.corner_count);
  }
  crw__put_corners((double *)(refs + count), corners, info.corner_count);
  double *at = crw__record();
  const CorridorInfo *it = &info;
  CRW_RECORD_CORRIDOR_INFO(CRW_PUT_FIELD)
  return 0;
}

// Record: CORRIDOR_INFO. Bulk result: the references, then one CORNER record for each corner (at most `capacity`).
CRW_EXPORT int32_t crw_follower_corridor(int32_t handle, int32_t capacity) {
  const CrwFollower *it = follower_of(handle);
  return it ? crw__corridor(cr_follower_corridor(it->follower), it->mesh, it->setup.filter, capacity) : stale();
}

// The lists of a follower's debug geometry, as large as `all` says, in work memory. False when memory is out.
static bool debug_arrays(const CrFollowerDebug *all, CrFollowerDebugArrays *out) {
  size_t outlines = (size_t)all->outline_count, vertices = (size_t)all->vertex_count,
         corners = (size_t)all->corner_count;
  // Structs of 8-byte members only, so each list may stand right behind another.
  char *at =
      crw__work(outlines * sizeof *out->outlines + vertices * sizeof *out->vertices + corners * sizeof *out->corners);
  if (!at) return false;
  out->outlines = (CrFollowerOutline *)(void *)at;
  out->vertices = (CrVec3 *)(void *)(out->outlines + outlines);
  out->corners = (CrCorner *)(void *)(out->vertices + vertices);
  out->outline_capacity = all->outline_count;
  out->vertex_capacity = all->vertex_count;
  out->corner_capacity = all->corner_count;
  return true;
}

static void put_debug_lists(double *at, const CrFollowerDebugArrays *arrays) {
  for (int32_t i = 0; i < arrays->outline_capacity; i++) crw__put_u64(at++, arrays->outlines[i].ref);
  for (int32_t i = 0; i < arrays->vertex_capacity; i++) {
    CRW_PUT_VEC3(arrays->vertices[i])
  }
  uint8_t *counts = (uint8_t *)crw__put_corners(at, arrays->corners, arrays->corner_capacity);
  for (int32_t i = 0; i < arrays->outline_capacity; i++) counts[i] = (uint8_t)arrays->outlines[i].vertex_count;
}

static size_t debug_lists_size(const CrFollowerDebug *all) {
  size_t cells =
      (size_t)all->outline_count + 3 * (size_t)all->vertex_count + CRW_CELLS_CORNER * (size_t)all->corner_count;
  return cells * sizeof(double) + (size_t)all->outline_count;
}

double *crw__put_follower_debug(double *at, const CrFollowerDebug *it) {
  CRW_RECORD_FOLLOWER_DEBUG(CRW_PUT_FIELD)
  return at;
}

int32_t crw__follower_debug(const CrFollower *follower, const CrNavMesh *mesh, const CrQueryFilter *filter,
                            bool with_lists) {
  CrFollowerDebug debug;
  cr_follower_debug(follower, mesh, filter, NULL, &debug);
  if (with_lists) {
    CrFollowerDebugArrays arrays;
    double *lists = crw__result(debug_lists_size(&debug));
    if (!lists || !debug_arrays(&debug, &arrays)) return crw__no_memory();
    cr_follower_debug(follower, mesh, filter, &arrays, &debug);
    put_debug_lists(lists, &arrays);
  }
  crw__put_follower_debug(crw__record(), &debug);
  return 0;
}

// As crw__follower_debug (abi.h).
CRW_EXPORT int32_t crw_follower_debug(int32_t handle, int32_t with_lists) {
  const CrwFollower *it = follower_of(handle);
  return it ? crw__follower_debug(it->follower, it->mesh, it->setup.filter, with_lists) : stale();
}

// Bulk result: the state bytes.
CRW_EXPORT int32_t crw_follower_save_state(int32_t handle) {
  const CrwFollower *it = follower_of(handle);
  if (!it) return stale();
  size_t size = cr_follower_state_size(it->follower);
  uint8_t *out = crw__result(size);
  return out ? crw__done(cr_follower_save(it->follower, out, size, crw__error())) : crw__no_memory();
}

CRW_EXPORT int32_t crw_follower_restore_state(int32_t handle, const uint8_t *data, int32_t size) {
  CrwFollower *it = follower_of(handle);
  return it ? crw__done(cr_follower_restore(it->follower, data, (size_t)size, crw__error())) : stale();
}
