// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One step of a crowd: sort what agents see of each other, plan, then avoid and move. Workers take groups of 32 slots in turn; an agent writes its own
// slot only and reads of the others what the phase began with, so the number of workers cannot matter. Avoiding reads the
// sorted copy and the flags of the plan, never what moving changes, so the two share one pass.
#include "crowd_struct.h"

#define CR_CACHE_LINE 64

typedef void (*Phase)(CrCrowd *crowd, CrWorker *worker, CrAgent *agent, int32_t slot, double dt);

// --- Plan -------------------------------------------------------------------------------------------------------------

static void show(CrCrowd *crowd, CrAgent *agent, int32_t slot, uint8_t does) {
  agent->step_flags = does | (agent->step_flags & CR_STEP_DRIVEN);
  crowd->seen_flags[slot] = does;
  bool walks = agent->step_flags == CR_STEP_WALKING && agent->options.quality != CR_QUALITY_OFF;
  crowd->ways[slot] = walks ? cr__vec2(agent->wanted_x, agent->wanted_z) : cr__vec2(CR_NO_WAY, 0.0);
  if (does == CR_STEP_CROSSING) cr__agents_show(crowd, slot);
}

void cr__crowd_show_plan(CrCrowd *crowd, CrAgent *agent, int32_t slot) {
  bool crossing = agent->plan.crossing, walking = agent->plan.walking && !crossing;
  agent->wanted_x = walking ? agent->plan.wanted_x : 0.0;
  agent->wanted_z = walking ? agent->plan.wanted_z : 0.0;
  show(crowd, agent, slot, crossing ? CR_STEP_CROSSING : walking ? CR_STEP_WALKING : 0);
  if (agent->plan.at_entry) crowd->seen_flags[slot] = CR_SEEN_AT_ENTRY;
}

// The velocity its host set is wanted already.
static uint8_t plan_driven(CrWorker *worker, CrAgent *agent, double dt) {
  agent->plan = (CrCrowdPlan){0};
  if (cr__follower_plan_driven(&agent->follower, worker->context, dt)) return CR_STEP_CROSSING;
  return agent->wanted_x != 0.0 || agent->wanted_z != 0.0 ? CR_STEP_WALKING : 0;
}

static void plan_agent(CrCrowd *crowd, CrWorker *worker, CrAgent *agent, int32_t slot, double dt) {
  if (agent->step_flags & CR_STEP_DRIVEN) {
    show(crowd, agent, slot, plan_driven(worker, agent, dt));
  } else {
    agent->plan = cr__follower_plan_to_entry(&agent->follower, worker->context, dt, &agent->crossing);
    cr__crowd_show_plan(crowd, agent, slot);
  }
  bool looks = agent->options.quality != CR_QUALITY_OFF && !agent->plan.at_entry;
  if (looks && !(agent->step_flags & CR_STEP_CROSSING)) cr__walls_refresh(crowd, worker, agent);
}

// --- Avoid and move ---------------------------------------------------------------------------------------------------

static CrVec2 limit_change(CrVec2 from, CrVec2 to, double most) {
  CrVec2 change = cr__sub2(to, from);
  double squared = cr__length2_squared(change);
  if (squared <= most * most) return to;
  return cr__add2(from, cr__scale2(change, most / cr__sqrt(squared)));
}

static void move_agent(CrCrowd *crowd, CrWorker *worker, CrAgent *agent, int32_t slot, double dt) {
  if (agent->step_flags & CR_STEP_CROSSING) {
    cr__follower_end_step(&agent->follower);
    return;
  }
  const CrSeen *self = cr__crowd_seen_in_grid(crowd, slot);
  CrVec2 before = {self->velocity_x, self->velocity_z}, apart;
  CrVec2 solved = cr__avoid(crowd, worker, agent, slot, dt, &apart);
  CrVec2 v = limit_change(before, solved, agent->options.max_acceleration * dt);
  if (agent->step_flags & CR_STEP_DRIVEN) {
    cr__follower_drive(&agent->follower, worker->context, v.x, v.z, dt);
  } else if (agent->step_flags & CR_STEP_WALKING) {
    cr__follower_apply_crowd(&agent->follower, worker->context, &agent->plan, v.x, v.z, dt);
    cr__follower_push(&agent->follower, worker->context, apart.x, apart.z);
  } else {
    cr__follower_nudge(&agent->follower, worker->context, v.x, v.z, dt);
    cr__follower_push(&agent->follower, worker->context, apart.x, apart.z);
  }
  cr__follower_end_step(&agent->follower);
  cr__agents_show(crowd, slot);
}

// --- Groups -----------------------------------------------------------------------------------------------------------

// Large crowds do not fit the caches: the next agent comes while this one is dealt with. WebAssembly has no such instruction.
static inline void fetch(const void *from, size_t size) {
#ifdef __wasm__
  (void)from;
  (void)size;
#else
  for (size_t k = 0; k < size; k += CR_CACHE_LINE) __builtin_prefetch((const uint8_t *)from + k);
#endif
}

static inline void fetch_agent(const CrAgent *agent) {
  const CrKeptCorner *first = cr__kept_corner(&agent->follower.kept, 0);
  fetch(&agent->follower.options, 2 * CR_CACHE_LINE);
  fetch(first, (size_t)((const uint8_t *)&agent->options.path - (const uint8_t *)first));
}

static void run_group(CrCrowd *crowd, CrWorker *worker, int32_t index, Phase phase, double dt) {
  CrAgentGroup *group = crowd->groups[index];
  if (!group) return;
  for (uint32_t left = group->active; left; left &= left - 1) {
    int32_t k = __builtin_ctz(left);
    uint32_t after = left & (left - 1);
    if (after) fetch_agent(&group->agents[__builtin_ctz(after)]);
    phase(crowd, worker, &group->agents[k], index * CR_GROUP_SLOTS + k, dt);
  }
}

typedef struct PhaseRun {
  CrCrowd *crowd;
  Phase phase;
  double dt;
  int32_t groups;
} PhaseRun;

// Worker w takes groups w, w + workers, w + 2 workers, ...
static void run_worker(void *job, int32_t worker) {
  const PhaseRun *run = job;
  CrCrowd *crowd = run->crowd;
  for (int32_t index = worker; index < run->groups; index += crowd->worker_count) {
    run_group(crowd, &crowd->workers[worker], index, run->phase, run->dt);
  }
}

static void run_phase_of(CrCrowd *crowd, Phase phase, double dt) {
  PhaseRun run = {crowd, phase, dt, (crowd->slot_count + CR_GROUP_SLOTS - 1) / CR_GROUP_SLOTS};
  int32_t workers = run.groups < crowd->worker_count ? run.groups : crowd->worker_count;
  cr__workers_run(crowd, workers, run_worker, &run);
}

// A phase begins when all workers of all crowds have ended the one before it.
static void run_phase(const CrCompany *company, Phase phase, double dt) {
  for (int32_t k = 0; k < company->count; k++) run_phase_of(company->crowds[k], phase, dt);
}

static void build_grid(CrCompany *company) {
  CrGridPart parts[CR_WORLD_MAX_CROWDS];
  for (int32_t k = 0; k < company->count; k++) {
    const CrCrowd *crowd = company->crowds[k];
    parts[k] = (CrGridPart){crowd->seen, crowd->place, crowd->slot_count};
  }
  cr__grid_build(&company->grid, parts, company->count);
}

static void clear_recorded(CrCrowd *crowd) {
  if (!crowd->recorded_counts) return;
  memset(crowd->recorded_counts, 0, (size_t)crowd->slot_count * sizeof *crowd->recorded_counts);
}

CrStatus cr__company_step(CrCompany *company, double dt, CrError *error) {
  CrStatus status = cr__check_dt(error, dt);
  for (int32_t k = 0; k < company->count && status == CR_STATUS_OK; k++) {
    if (company->crowds[k]->step_count < CR_CROWD_MAX_COUNT) continue;
    status = cr__fail_limit(error, CR_STATUS_LIMIT, "step_count", (double)CR_CROWD_MAX_COUNT);
    if (error && company->crowds[k]->world) error->index = k;
  }
  if (status != CR_STATUS_OK) return status;
  for (int32_t k = 0; k < company->count; k++) clear_recorded(company->crowds[k]);
  build_grid(company);
  run_phase(company, plan_agent, dt);
  cr__company_admit(company);
  run_phase(company, move_agent, dt);
  for (int32_t k = 0; k < company->count; k++) company->crowds[k]->step_count++;
  return CR_STATUS_OK;
}

CrStatus cr_crowd_step(CrCrowd *crowd, double dt, CrError *error) {
  if (crowd->world) return cr__fail(error, CR_STATUS_ARGUMENT, "crowd");
  return cr__company_step(crowd->company, dt, error);
}
