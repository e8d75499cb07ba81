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
  if (!same_point(agent->crossing.landing, other->follower.off_mesh_end)) return false;
  double later = agent->crossing.duration - time_to_land(&other->follower);
  return later >= 0.0 ? later < time_to_clear(other, agent) : -later < time_to_clear(agent, other);
}

// --- Crossings by where they land ---------------------------------------------------------------------------------------

#define NONE UINT64_MAX

// Agents that cross, in chains by the place where they land. A crossing's `cell` is the next of its chain; the first of a chain
// stands in a `cell` of those that wait, which is not needed once they are sorted.
typedef struct Crossings {
  const CrCompany *company;
  CrGridKey *all, *heads;
  int32_t count, head_count;
} Crossings;

static uint64_t *chain_of(const Crossings *crossings, CrVec3 landing) {
  // Adding 0 makes one zero of both.
  uint64_t hash = cr__bits(landing.x + 0.0) * CR_FNV_PRIME ^ cr__bits(landing.z + 0.0);
  hash = (hash * CR_FNV_PRIME ^ cr__bits(landing.y + 0.0)) * UINT64_C(0x9E3779B97F4A7C15);
  return &crossings->heads[(hash >> 32) % (uint64_t)crossings->head_count].cell;
}

static void add_crossing(Crossings *crossings, uint32_t order) {
  uint64_t *first = chain_of(crossings, cr__company_agent(crossings->company, order)->follower.off_mesh_end);
  crossings->all[crossings->count] = (CrGridKey){*first, order};
  *first = (uint64_t)crossings->count++;
}

// One met comes first in its chain: those who wait at the same entry meet the same ones.
static bool must_wait(const Crossings *crossings, const CrAgent *agent) {
  uint64_t *first = chain_of(crossings, agent->crossing.landing), *link = first;
  for (uint64_t k = *link; k != NONE; link = &crossings->all[k].cell, k = *link) {
    if (!would_meet(agent, cr__company_agent(crossings->company, crossings->all[k].order))) continue;
    *link = crossings->all[k].cell;
    crossings->all[k].cell = *first;
    *first = k;
    return true;
  }
  return false;
}

// --- Lists --------------------------------------------------------------------------------------------------------------

// Distances to the entry are not negative, so their bits are in order.
static int32_t list_waiting(CrGridKey *waiting, int32_t count, const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (crowd->seen_flags[slot] != CR_SEEN_AT_ENTRY || !cr__crowd_slot_active(crowd, slot)) continue;
    uint64_t distance = cr__bits(cr__crowd_slot(crowd, slot)->plan.distance_to_corner);
    waiting[count++] = (CrGridKey){distance, cr__order(crowd->class_index, slot)};
  }
  return count;
}

static void merge(const CrGridKey *a, int32_t a_count, const CrGridKey *b, int32_t b_count, CrGridKey *out) {
  while (a_count > 0 || b_count > 0) {
    bool from_a = b_count == 0 || (a_count > 0 && a->cell <= b->cell);
    *out++ = from_a ? *a++ : *b++;
    *(from_a ? &a_count : &b_count) -= 1;
  }
}

// order: stable, so those as near as each other stay in the order of class and slot. Returns which of the two arrays holds the
// result.
static CrGridKey *sort_waiting(CrGridKey *waiting, CrGridKey *spare, int32_t count) {
  for (int32_t run = 1; run < count; run *= 2) {
    for (int32_t k = 0; k < count; k += 2 * run) {
      int32_t left = count - k < run ? count - k : run, rest = count - k - left;
      merge(waiting + k, left, waiting + k + left, rest < run ? rest : run, spare + k);
    }
    CrGridKey *sorted = spare;
    spare = waiting;
    waiting = sorted;
  }
  return waiting;
}

static void list_crossing(Crossings *crossings, const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (crowd->seen_flags[slot] != CR_STEP_CROSSING || !cr__crowd_slot_active(crowd, slot)) continue;
    if (crosses_by_time(cr__crowd_slot(crowd, slot))) add_crossing(crossings, cr__order(crowd->class_index, slot));
  }
}

// --- Turns --------------------------------------------------------------------------------------------------------------

// Returns whether the agent crosses now.
static bool take_turn(CrCrowd *crowd, int32_t slot, bool waits) {
  CrWorker *worker = &crowd->workers[0];
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  agent->plan.at_entry = false;
  if (!waits) cr__follower_enter(&agent->follower, worker->context, &agent->crossing, &agent->plan);
  cr__crowd_show_plan(crowd, agent, slot);
  if (agent->plan.crossing) return true;
  if (agent->options.quality != CR_QUALITY_OFF) cr__walls_refresh(crowd, worker, agent);
  return false;
}

void cr__company_admit(CrCompany *company) {
  CrGrid *grid = &company->grid;
  int32_t count = 0;
  for (int32_t k = 0; k < company->count; k++) count = list_waiting(grid->spare_keys, count, company->crowds[k]);
  if (count == 0) return;
  CrGridKey *waiting = sort_waiting(grid->spare_keys, grid->keys, count);
  Crossings crossings = {company, waiting == grid->keys ? grid->spare_keys : grid->keys, waiting, 0, count};
  for (int32_t k = 0; k < count; k++) waiting[k].cell = NONE;
  for (int32_t k = 0; k < company->count; k++) list_crossing(&crossings, company->crowds[k]);
  for (int32_t k = 0; k < count; k++) {
    uint32_t order = waiting[k].order;
    bool waits = must_wait(&crossings, cr__company_agent(company, order));
    if (take_turn(company->crowds[cr__order_class(order)], cr__order_slot(order), waits))
      add_crossing(&crossings, order);
  }
}
