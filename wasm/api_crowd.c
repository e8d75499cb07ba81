// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds: agents, steps and reading. A `view` is the handle of a crowd, or of a player, whose crowd is meant.
// Agent ids are doubles holding whole numbers.
#include "abi.h"

#define POINT(name) double name##_x, double name##_y, double name##_z
#define VEC(name) ((CrVec3){name##_x, name##_y, name##_z})

static int32_t stale(void) { return crw__stale_crowd(); }

void crw__take_crowd_setup(const double *options_cells, const double *filter_cells, CrCrowdOptions *options,
                           CrQueryFilter *filter) {
  crw__take_crowd_options(options_cells, options);
  if (!filter_cells) return;
  crw__take_filter(filter_cells, filter);
  options->filter = filter;
}

// `filter_cells` (a QUERY_FILTER record) may be null.
CRW_EXPORT int32_t crw_crowd_create(int32_t view, const double *options_cells, const double *filter_cells) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrCrowdOptions options;
  CrQueryFilter filter;
  crw__take_crowd_setup(options_cells, filter_cells, &options, &filter);
  CrCrowd *crowd;
  CrStatus status = cr_crowd_create(mesh, &options, NULL, &crowd, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_CROWD, crowd, view);
}

typedef struct CrowdInfo {
  int64_t step_count, next_id;
  int32_t agent_count, slot_count;
} CrowdInfo;

// Records: CROWD_INFO, then CROWD_OPTIONS.
CRW_EXPORT int32_t crw_crowd_info(int32_t view) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  CrowdInfo info = {cr_crowd_step_count(crowd), cr_crowd_next_id(crowd), cr_crowd_agent_count(crowd),
                    cr_crowd_slot_count(crowd)};
  const CrowdInfo *it = &info;
  double *at = crw__record();
  CRW_RECORD_CROWD_INFO(CRW_PUT_FIELD)
  CrCrowdOptions options = cr_crowd_options(crowd);
  crw__put_crowd_options(at, &options);
  return 0;
}

// Record block: the id.
CRW_EXPORT int32_t crw_crowd_add(int32_t handle, POINT(position), const double *options_cells) {
  CrCrowd *crowd = crw__crowd(handle);
  if (!crowd) return stale();
  CrAgentOptions options;
  crw__take_agent_options(options_cells, &options);
  int64_t id = -1;
  CrStatus status = cr_crowd_add(crowd, VEC(position), &options, &id, crw__error());
  if (status) return crw__done(status);
  *crw__record() = (double)id;
  return 0;
}

CRW_EXPORT int32_t crw_crowd_remove(int32_t handle, double id) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_remove(crowd, crw__id(id), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_set_destination(int32_t handle, double id, POINT(destination)) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_set_destination(crowd, crw__id(id), VEC(destination), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_set_velocity(int32_t handle, double id, POINT(velocity)) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_set_velocity(crowd, crw__id(id), VEC(velocity), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_stop(int32_t handle, double id) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_stop(crowd, crw__id(id), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_teleport(int32_t handle, double id, POINT(position)) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_teleport(crowd, crw__id(id), VEC(position), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_set_options(int32_t handle, double id, const double *options_cells) {
  CrCrowd *crowd = crw__crowd(handle);
  if (!crowd) return stale();
  CrAgentOptions options;
  crw__take_agent_options(options_cells, &options);
  return crw__done(cr_crowd_set_options(crowd, crw__id(id), &options, crw__error()));
}

CRW_EXPORT int32_t crw_crowd_set_priority(int32_t handle, double id, double priority) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_set_priority(crowd, crw__id(id), priority, crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_complete_off_mesh(int32_t handle, double id) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_complete_off_mesh(crowd, crw__id(id), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_crowd_step(int32_t handle, double dt) {
  CrCrowd *crowd = crw__crowd(handle);
  return crowd ? crw__done(cr_crowd_step(crowd, dt, crw__error())) : stale();
}

// 1 when the crowd holds the agent, else 0.
CRW_EXPORT int32_t crw_crowd_has_agent(int32_t view, double id) {
  const CrCrowd *crowd = crw__crowd_view(view);
  return crowd ? cr_crowd_has_agent(crowd, crw__id(id)) : stale();
}

// Records: FOLLOWER_INFO, then AGENT_INFO.
CRW_EXPORT int32_t crw_crowd_agent(int32_t view, double id) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  CrAgentInfo info;
  CrStatus status = cr_crowd_agent(crowd, crw__id(id), &info);
  if (status) return crw__fail(status, "id");
  double *at = crw__put_follower_info(crw__record(), &info.follower);
  const CrAgentInfo *it = &info;
  CRW_RECORD_AGENT_INFO(CRW_PUT_FIELD)
  return 0;
}

// Records: AGENT_OPTIONS, FOLLOWER_OPTIONS.
CRW_EXPORT int32_t crw_crowd_agent_options(int32_t view, double id) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  CrAgentOptions options;
  CrStatus status = cr_crowd_agent_options(crowd, crw__id(id), &options);
  if (status) return crw__fail(status, "id");
  crw__put_agent_options(crw__record(), &options);
  return 0;
}

// Record: CORRIDOR_INFO. Bulk result: the references, then one CORNER record for each corner (at most `capacity`).
CRW_EXPORT int32_t crw_crowd_corridor(int32_t view, double id, int32_t capacity) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  const CrFollower *follower = cr_crowd_follower(crowd, crw__id(id));
  if (!follower) return crw__fail(CR_STATUS_NO_SUCH_AGENT, "id");
  return crw__corridor(cr_follower_corridor(follower), cr_crowd_mesh(crowd), cr_crowd_options(crowd).filter, capacity);
}

// Record: FOLLOWER_DEBUG, without the lists.
CRW_EXPORT int32_t crw_crowd_crossing(int32_t view, double id) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  const CrFollower *follower = cr_crowd_follower(crowd, crw__id(id));
  if (!follower) return crw__fail(CR_STATUS_NO_SUCH_AGENT, "id");
  return crw__follower_debug(follower, cr_crowd_mesh(crowd), cr_crowd_options(crowd).filter, false);
}

static double *put_crowd_event(double *at, const CrCrowdEvent *it) {
  CRW_RECORD_CROWD_EVENT(CRW_PUT_FIELD)
  return crw__put_event(at, &it->event);
}

enum { FEW_EVENTS = 256 };  // room for these is there always: one walk over the agents is then enough

// Bulk result: for each event a CROWD_EVENT record and a FOLLOWER_EVENT record. Returns their number.
CRW_EXPORT int32_t crw_crowd_events(int32_t view) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  CrCrowdEvent *events = crw__work(FEW_EVENTS * sizeof *events);
  int32_t count = events ? cr_crowd_events(crowd, FEW_EVENTS, events) : 0;
  if (count > FEW_EVENTS) events = crw__work((size_t)count * sizeof *events);
  double *at = crw__result((size_t)count * (CRW_CELLS_CROWD_EVENT + CRW_CELLS_FOLLOWER_EVENT) * sizeof(double));
  if (!events || !at) return crw__no_memory();
  if (count > FEW_EVENTS) cr_crowd_events(crowd, count, events);
  for (int32_t i = 0; i < count; i++) at = put_crowd_event(at, &events[i]);
  return count;
}

// What crw_crowd_read_agents puts into the bulk result, in this order.
enum {
  READ_IDS = 1,         // 1 double for each agent
  READ_POSITIONS = 2,   // 3 doubles
  READ_VELOCITIES = 4,  // 3 doubles
  READ_RADII = 8,       // 1 double
  READ_WANTED = 16,     // 2 doubles
  READ_STATES = 32      // 1 byte
};

// Ids become doubles in place.
static void ids_to_doubles(int64_t *ids, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    double id = (double)ids[i];
    __builtin_memcpy(&ids[i], &id, sizeof id);
  }
}

// Bulk result: the columns named by the bits of `columns`, one entry per agent in slot order. Returns the number of agents.
CRW_EXPORT int32_t crw_crowd_read_agents(int32_t view, int32_t columns) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return stale();
  int32_t count = cr_crowd_agent_count(crowd);
  double *at = crw__result((size_t)count * (10 * sizeof(double) + 1));
  if (!at) return crw__no_memory();
  int64_t *ids = columns & READ_IDS ? (int64_t *)(void *)at : NULL;
  if (ids) at += count;
  double *positions = columns & READ_POSITIONS ? at : NULL;
  if (positions) at += (size_t)count * 3;
  double *velocities = columns & READ_VELOCITIES ? at : NULL;
  if (velocities) at += (size_t)count * 3;
  double *radii = columns & READ_RADII ? at : NULL;
  if (radii) at += count;
  if (columns & READ_WANTED) at += 2 * (size_t)cr_crowd_read_wanted(crowd, count, at);
  uint8_t *states = columns & READ_STATES ? (uint8_t *)at : NULL;
  cr_crowd_read_agents(crowd, count, ids, positions, velocities, states, radii);
  if (ids) ids_to_doubles(ids, count);
  return count;
}
