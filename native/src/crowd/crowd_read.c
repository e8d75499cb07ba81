// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reading a crowd. order: bulk reads go by slot.
#include "crowd_struct.h"

const CrNavMesh *cr_crowd_mesh(const CrCrowd *crowd) { return crowd->mesh; }
CrCrowdOptions cr_crowd_options(const CrCrowd *crowd) { return crowd->options; }
int64_t cr_crowd_step_count(const CrCrowd *crowd) { return crowd->step_count; }
int32_t cr_crowd_agent_count(const CrCrowd *crowd) { return crowd->agent_count; }
int32_t cr_crowd_slot_count(const CrCrowd *crowd) { return crowd->slot_count; }
int64_t cr_crowd_next_id(const CrCrowd *crowd) { return crowd->next_id; }

static const CrAgent *find(const CrCrowd *crowd, int64_t id) {
  int32_t slot = cr__agents_find(crowd, id);
  return slot < 0 ? NULL : cr__crowd_slot(crowd, slot);
}

bool cr_crowd_has_agent(const CrCrowd *crowd, int64_t id) { return cr__agents_find(crowd, id) >= 0; }

CrStatus cr_crowd_agent(const CrCrowd *crowd, int64_t id, CrAgentInfo *out) {
  const CrAgent *agent = find(crowd, id);
  if (!agent) return CR_STATUS_NO_SUCH_AGENT;
  *out = (CrAgentInfo){
      .id = id,
      .slot = cr__agents_find(crowd, id),
      .follower = cr_follower_info(&agent->follower),
      .wanted_x = agent->wanted_x,
      .wanted_z = agent->wanted_z,
      .velocity_controlled = agent->step_flags & CR_STEP_DRIVEN,
      .priority = agent->priority,
      .wall_count = cr__walls_hold(crowd, agent) ? agent->cache.count : -1,
  };
  return CR_STATUS_OK;
}

int64_t cr__crowd_first_driven(const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    if (agent->step_flags & CR_STEP_DRIVEN) return agent->id;
  }
  return -1;
}

CrStatus cr_crowd_agent_options(const CrCrowd *crowd, int64_t id, CrAgentOptions *out) {
  const CrAgent *agent = find(crowd, id);
  if (!agent) return CR_STATUS_NO_SUCH_AGENT;
  *out = agent->options;
  return CR_STATUS_OK;
}

const CrFollower *cr_crowd_follower(const CrCrowd *crowd, int64_t id) {
  const CrAgent *agent = find(crowd, id);
  return agent ? &agent->follower : NULL;
}

int32_t cr_crowd_constraints(const CrCrowd *crowd, int64_t id, int32_t capacity, CrConstraint *out,
                             int32_t *out_wall_count) {
  int32_t slot = cr__agents_find(crowd, id);
  CrRecordedPlanes recorded = {0, 0};
  if (slot >= 0 && crowd->recorded) recorded = crowd->recorded_counts[slot];
  for (int32_t k = 0; k < recorded.count && k < capacity; k++) {
    CrHalfPlane plane = crowd->recorded[(size_t)slot * (size_t)crowd->planes_per_agent + (size_t)k];
    out[k] = (CrConstraint){plane.point.x, plane.point.z, plane.normal.x, plane.normal.z};
  }
  if (out_wall_count) *out_wall_count = recorded.hard_count;
  return recorded.count;
}

static void put_point(double *points, int32_t index, CrVec3 point) {
  if (!points) return;
  double *at = points + 3 * (size_t)index;
  at[0] = point.x;
  at[1] = point.y;
  at[2] = point.z;
}

int32_t cr_crowd_events(const CrCrowd *crowd, int32_t capacity, CrCrowdEvent *out) {
  int32_t count = 0;
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
    int32_t found = cr_follower_events(&agent->follower, events);
    for (int32_t i = 0; i < found; i++, count++) {
      if (count < capacity) out[count] = (CrCrowdEvent){agent->id, slot, events[i]};
    }
  }
  return count;
}

int32_t cr_crowd_read_agents(const CrCrowd *crowd, int32_t capacity, int64_t *ids, double *positions,
                             double *velocities, uint8_t *states, double *radii) {
  int32_t count = 0;
  for (int32_t slot = 0; slot < crowd->slot_count && count < capacity; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    if (ids) ids[count] = agent->id;
    put_point(positions, count, agent->follower.position);
    put_point(velocities, count, agent->follower.velocity);
    if (states) states[count] = (uint8_t)agent->follower.state;
    if (radii) radii[count] = agent->options.radius;
    count++;
  }
  return count;
}

int32_t cr_crowd_read_wanted(const CrCrowd *crowd, int32_t capacity, double *wanted) {
  int32_t count = 0;
  for (int32_t slot = 0; slot < crowd->slot_count && count < capacity; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    wanted[2 * (size_t)count] = agent->wanted_x;
    wanted[2 * (size_t)count + 1] = agent->wanted_z;
    count++;
  }
  return count;
}
