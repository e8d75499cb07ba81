// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Checks everything the crowd module keeps true between calls. For tests.
#include "crowd_struct.h"

static bool is_seen_as_it_is(const CrCrowd *crowd, int32_t slot) {
  const CrAgent *agent = cr__crowd_slot(crowd, slot);
  const CrFollower *follower = &agent->follower;
  const CrSeen *seen = &crowd->seen[slot];
  return seen->x == follower->position.x && seen->y == follower->position.y && seen->z == follower->position.z &&
         seen->velocity_x == follower->velocity.x && seen->velocity_z == follower->velocity.z &&
         seen->radius == agent->options.radius && seen->priority == agent->priority &&
         seen->order == cr__order(crowd->class_index, slot);
}

static const char *agent_problem(const CrCrowd *crowd, int32_t slot) {
  const CrAgent *agent = cr__crowd_slot(crowd, slot);
  const CrFollower *follower = &agent->follower;
  if (agent->id < 0 || agent->id >= crowd->next_id) return "an agent's id was never given";
  if (cr__agents_find(crowd, agent->id) != slot) return "the id table does not lead to an agent's slot";
  if (cr_agent_options_validate(&agent->options, NULL) != CR_STATUS_OK) return "an agent's options are out of range";
  if (cr__check_priority(agent->priority, NULL) != CR_STATUS_OK) return "an agent's priority is out of range";
  if (!is_seen_as_it_is(crowd, slot)) return "an agent is not what others see of it";
  if (!cr__step_flags_known(agent->step_flags)) return "step flags hold an unknown bit";
  if (cr__check_point(NULL, follower->position, NULL) != CR_STATUS_OK) return "a position is not finite";
  if (!cr__is_finite(cr__dist2(follower->velocity, cr__vec(0, 0, 0)))) return "a velocity is not finite";
  if (agent->cache.valid && (agent->cache.count < 0 || agent->cache.count > crowd->options.max_walls_per_agent)) {
    return "a wall cache holds more walls than there is room for";
  }
  const CrPathContext *context = crowd->workers[0].context;
  bool settled = follower->state != CR_FOLLOWER_OFF_MESH_LINK && cr__resolve(crowd->mesh, follower->corridor.path[0]);
  return settled ? cr__corridor_invariant(&follower->corridor, context) : NULL;
}

const char *cr__crowd_invariant(const CrCrowd *crowd) {
  int32_t active_count = 0;
  size_t id_count = 0;
  if (crowd->lowest_free > crowd->slot_count) return "the lowest-free hint is beyond the slots";
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    bool active = cr__crowd_slot_active(crowd, slot);
    if (!active && slot < crowd->lowest_free) return "a slot below the lowest-free hint is free";
    if (!active && crowd->seen[slot].radius != 0.0) return "a free slot is seen";
    if (!active) continue;
    active_count++;
    const char *problem = agent_problem(crowd, slot);
    if (problem) return problem;
  }
  for (size_t k = 0; k < crowd->ids.size; k++) id_count += crowd->ids.entries[k].slot >= 0;
  if (active_count != crowd->agent_count) return "the agent count is wrong";
  if (id_count != (size_t)active_count) return "the id table holds an agent that is not there";
  return NULL;
}
