// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds: making one, and everything a host does to it between steps.
// Invariant: a call that fails leaves the crowd as it was; what an agent does next is a function of its slot alone.
#include "crowd_struct.h"

// --- Life -------------------------------------------------------------------------------------------------------------

static void take_options(CrCrowd *crowd, const CrCrowdOptions *options) {
  crowd->options = *options;
  if (options->filter) {
    crowd->filter_copy = *options->filter;
    crowd->options.filter = &crowd->filter_copy;
  }
  if (options->record_constraints) crowd->planes_per_agent = options->max_walls_avoided + CR_MAX_NEIGHBOURS;
}

CrStatus cr__crowd_create(const CrNavMesh *mesh, const CrCrowdOptions *options, const CrAllocator *allocator,
                          CrCompany *company, int32_t class_index, CrCrowd **out, CrError *error) {
  CrCrowdOptions defaults = cr_crowd_options_default();
  if (!options) options = &defaults;
  CrStatus status = cr_crowd_options_validate(options, error);
  if (status != CR_STATUS_OK) return status;
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrCrowd *crowd = cr__alloc_zeroed(&hooks, 1, sizeof *crowd);
  if (!crowd) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  crowd->allocator = hooks;
  crowd->mesh = mesh;
  crowd->company = company ? company : &crowd->alone;
  crowd->class_index = class_index;
  crowd->alone = (CrCompany){.allocator = hooks, .crowds = {crowd}, .count = 1};
  take_options(crowd, options);
  status = cr__workers_create(crowd, error);
  if (status != CR_STATUS_OK) {
    cr__crowd_destroy(crowd);
    return status;
  }
  *out = crowd;
  return CR_STATUS_OK;
}

CrStatus cr_crowd_create(const CrNavMesh *mesh, const CrCrowdOptions *options, const CrAllocator *allocator,
                         CrCrowd **out, CrError *error) {
  return cr__crowd_create(mesh, options, allocator, NULL, 0, out, error);
}

void cr__crowd_destroy(CrCrowd *crowd) {
  CrAllocator hooks = crowd->allocator;
  cr__agents_release(crowd);
  cr__workers_release(crowd);
  cr__free(&hooks, crowd->hash_scratch, crowd->hash_scratch_size, 1);
  cr__free(&hooks, crowd, 1, sizeof *crowd);
}

void cr_crowd_destroy(CrCrowd *crowd) {
  if (crowd && !crowd->world) cr__crowd_destroy(crowd);
}

// --- Adding and removing ----------------------------------------------------------------------------------------------

// Memory for an agent with these options in this slot, but for the agent's own.
static CrStatus reserve(CrCrowd *crowd, int32_t slot, const CrAgentOptions *options, CrError *error) {
  int32_t corridor_capacity = cr_agent_follower_options(options).corridor_capacity;
  bool ok = cr__agents_reserve(crowd, slot + 1) && cr__agents_reserve_slot(crowd, slot) &&
            cr__hash_scratch_reserve(crowd, corridor_capacity);
  return ok ? CR_STATUS_OK : cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
}

// Makes the agent in its slot, which stays free unless all goes well.
static CrStatus place_new(CrCrowd *crowd, int32_t slot, CrVec3 position, const CrAgentOptions *options,
                          CrError *error) {
  CrStatus status = reserve(crowd, slot, options, error);
  if (status != CR_STATUS_OK) return status;
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  status = cr__agent_init(agent, crowd, options, error);
  if (status != CR_STATUS_OK) return status;
  status = cr_follower_place(&agent->follower, crowd->workers[0].context, position, error);
  if (status != CR_STATUS_OK) cr__agent_deinit(agent);
  return status;
}

CrStatus cr_crowd_add(CrCrowd *crowd, CrVec3 position, const CrAgentOptions *options, int64_t *out_id, CrError *error) {
  CrAgentOptions defaults = cr_agent_options_humanoid();
  if (!options) options = &defaults;
  CrStatus status = cr__check_point(error, position, "position");
  if (status == CR_STATUS_OK) status = cr_agent_options_validate(options, error);
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_lowest_free(crowd);
  if (slot >= crowd->options.max_agents) {
    return cr__fail_limit(error, CR_STATUS_FULL, "crowd", crowd->options.max_agents);
  }
  if (crowd->next_id >= CR_CROWD_MAX_COUNT) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "next_id", (double)CR_CROWD_MAX_COUNT);
  }
  status = place_new(crowd, slot, position, options, error);
  if (status != CR_STATUS_OK) return status;
  cr__agents_activate(crowd, slot, crowd->next_id++);
  crowd->lowest_free = slot + 1;
  if (out_id) *out_id = crowd->next_id - 1;
  return CR_STATUS_OK;
}

static CrStatus no_such_agent(CrError *error, int64_t id) {
  return cr__fail_index(error, CR_STATUS_NO_SUCH_AGENT, "id", id);
}

CrStatus cr_crowd_remove(CrCrowd *crowd, int64_t id, CrError *error) {
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  cr__agents_deactivate(crowd, slot);
  if (slot < crowd->lowest_free) crowd->lowest_free = slot;
  return CR_STATUS_OK;
}

// --- Driving ----------------------------------------------------------------------------------------------------------

// Its host no longer sets its velocity.
static void release(CrAgent *agent) {
  if (!(agent->step_flags & CR_STEP_DRIVEN)) return;
  agent->step_flags &= CR_STEP_WALKING | CR_STEP_CROSSING;
  agent->wanted_x = agent->wanted_z = 0.0;
}

CrStatus cr_crowd_set_velocity(CrCrowd *crowd, int64_t id, CrVec3 velocity, CrError *error) {
  CrStatus status = cr__check_point(error, velocity, "velocity");
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  if (!(agent->step_flags & CR_STEP_DRIVEN)) cr__follower_take_over(&agent->follower);
  agent->step_flags |= CR_STEP_DRIVEN;
  agent->wanted_x = velocity.x;
  agent->wanted_z = velocity.z;
  return CR_STATUS_OK;
}

CrStatus cr_crowd_set_destination(CrCrowd *crowd, int64_t id, CrVec3 destination, CrError *error) {
  CrStatus status = cr__check_point(error, destination, "destination");
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  status = cr_follower_set_destination(&agent->follower, crowd->workers[0].context, destination, error);
  if (status == CR_STATUS_OK) release(agent);
  cr__agents_show(crowd, slot);
  return status;
}

CrStatus cr_crowd_stop(CrCrowd *crowd, int64_t id, CrError *error) {
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  cr_follower_stop(&agent->follower);
  release(agent);
  cr__agents_show(crowd, slot);
  return CR_STATUS_OK;
}

CrStatus cr_crowd_teleport(CrCrowd *crowd, int64_t id, CrVec3 position, CrError *error) {
  CrStatus status = cr__check_point(error, position, "position");
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  status = cr_follower_place(&agent->follower, crowd->workers[0].context, position, error);
  if (status != CR_STATUS_OK) return status;
  agent->cache.valid = false;
  release(agent);
  cr__agents_show(crowd, slot);
  return CR_STATUS_OK;
}

static CrStatus check_unchanged(CrError *error, const char *field, int32_t now, int32_t wanted) {
  return now == wanted ? CR_STATUS_OK : cr__fail_limit(error, CR_STATUS_ARGUMENT, field, now);
}

CrStatus cr_crowd_set_options(CrCrowd *crowd, int64_t id, const CrAgentOptions *options, CrError *error) {
  CrStatus status = cr_agent_options_validate(options, error);
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  CrFollowerOptions path = cr_agent_follower_options(options), now = cr_follower_options(&agent->follower);
  status = check_unchanged(error, "options.path.corridor_capacity", now.corridor_capacity, path.corridor_capacity);
  if (status == CR_STATUS_OK) {
    status = check_unchanged(error, "options.path.max_corners", now.max_corners, path.max_corners);
  }
  if (status == CR_STATUS_OK) status = cr_follower_set_options(&agent->follower, &path, error);
  if (status != CR_STATUS_OK) return status;
  cr__agent_take_options(agent, options);
  cr__agents_show(crowd, slot);
  return CR_STATUS_OK;
}

CrStatus cr_crowd_set_priority(CrCrowd *crowd, int64_t id, double priority, CrError *error) {
  CrStatus status = cr__check_priority(priority, error);
  if (status != CR_STATUS_OK) return status;
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  cr__crowd_slot(crowd, slot)->priority = priority;
  cr__agents_show(crowd, slot);
  return CR_STATUS_OK;
}

CrStatus cr_crowd_complete_off_mesh(CrCrowd *crowd, int64_t id, CrError *error) {
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return no_such_agent(error, id);
  CrFollower *follower = &cr__crowd_slot(crowd, slot)->follower;
  CrStatus status = cr_follower_complete_off_mesh(follower, crowd->workers[0].context, error);
  cr__agents_show(crowd, slot);
  return status;
}
