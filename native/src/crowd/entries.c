// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Who may begin to cross a link. Agents that cross avoid nobody, so two that began together would land in one another: one
// waits at the entry until the one before it will have had the time to get out of the way. The crossings under way say
// when each will land, so there is nothing to remember. The lists stand in the grid's sort keys, idle once it is built.
// order: agents nearest to their entry first, then by class and slot.
#include "crowd_struct.h"

// Seconds until the agent lands.
static double time_to_land(const CrFollower *follower) {
  return follower->off_mesh_duration - follower->off_mesh_elapsed;
}

// How long an agent takes to move both radii from a standstill.
static double time_to_clear(const CrAgent *first, const CrAgent *second) {
  return cr__sqrt(2.0 * (first->options.radius + second->options.radius) / first->options.max_acceleration);
}

static bool crosses_by_time(const CrAgent *agent) {
  const CrFollower *follower = &agent->follower;
  return follower->state == CR_FOLLOWER_OFF_MESH_LINK && follower->options.off_mesh_mode == CR_OFF_MESH_AUTOMATIC;
}

static bool same_point(CrVec3 a, CrVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Whether the agent would land where another lands, and too soon before or after it.
static bool would_meet(const CrAgent *agent, const CrAgent *other) {
  if (!same_point(agent->plan.landing, other->follower.off_mesh_end)) return false;
  double later = agent->plan.duration - time_to_land(&other->follower);
  return later >= 0.0 ? later < time_to_clear(other, agent) : -later < time_to_clear(agent, other);
}

static bool must_wait(const CrCompany *company, const CrAgent *agent, int32_t crossing_count) {
  for (int32_t k = 0; k < crossing_count; k++) {
    if (would_meet(agent, cr__company_agent(company, company->grid.keys[k].order))) return true;
  }
  return false;
}

// order: (distance to the entry, class, slot); distances are not negative, so their bits are in order
static int32_t insert_waiting(CrGridKey *waiting, int32_t count, const CrAgent *agent, uint32_t order) {
  CrGridKey key = {cr__bits(agent->plan.distance_to_corner), order};
  int32_t k = count;
  for (; k > 0 && waiting[k - 1].cell > key.cell; k--) waiting[k] = waiting[k - 1];
  waiting[k] = key;
  return count + 1;
}

static int32_t list_waiting(CrGridKey *waiting, int32_t count, const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot) || crowd->seen_flags[slot] != CR_SEEN_AT_ENTRY) continue;
    count = insert_waiting(waiting, count, cr__crowd_slot(crowd, slot), cr__order(crowd->class_index, slot));
  }
  return count;
}

static int32_t list_crossing(CrGridKey *crossing, int32_t count, const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot) || crowd->seen_flags[slot] != CR_STEP_CROSSING) continue;
    if (crosses_by_time(cr__crowd_slot(crowd, slot))) crossing[count++].order = cr__order(crowd->class_index, slot);
  }
  return count;
}

// Returns whether the agent crosses now.
static bool take_turn(CrCrowd *crowd, int32_t slot, bool waits) {
  CrWorker *worker = &crowd->workers[0];
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  agent->plan.at_entry = false;
  if (!waits) cr__follower_enter(&agent->follower, worker->context, &agent->plan);
  cr__crowd_show_plan(crowd, agent, slot);
  if (agent->plan.crossing) return true;
  if (agent->options.quality != CR_QUALITY_OFF) cr__walls_refresh(crowd, worker, agent);
  return false;
}

void cr__company_admit(CrCompany *company) {
  CrGridKey *waiting = company->grid.spare_keys, *crossing = company->grid.keys;
  int32_t waiting_count = 0, crossing_count = 0;
  for (int32_t k = 0; k < company->count; k++) waiting_count = list_waiting(waiting, waiting_count, company->crowds[k]);
  for (int32_t k = 0; k < company->count && waiting_count; k++) {
    crossing_count = list_crossing(crossing, crossing_count, company->crowds[k]);
  }
  for (int32_t k = 0; k < waiting_count; k++) {
    uint32_t order = waiting[k].order;
    bool waits = must_wait(company, cr__company_agent(company, order), crossing_count);
    if (take_turn(company->crowds[cr__order_class(order)], cr__order_slot(order), waits)) {
      crossing[crossing_count++].order = order;
    }
  }
}
