// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The follower: one agent walking its corridor (docs/behaviour/followers.md). This file holds its life, the commands a
// host gives it, and the step's driver; the step's rules are in follower_upkeep.c and follower_walk.c.
// Invariant: outside an off-mesh crossing the position is the corridor's.
#include "path_internal.h"

CrStatus cr__follower_init(CrFollower *follower, const CrFollowerOptions *options, const CrAllocator *allocator,
                           CrError *error) {
  CrStatus status = cr_follower_options_validate(options, error);
  if (status != CR_STATUS_OK) return status;
  CrCorridor corridor;
  status = cr__corridor_init(&corridor, options->corridor_capacity, allocator, error);
  if (status != CR_STATUS_OK) return status;
  memset(follower, 0, sizeof *follower);
  follower->options = *options;
  follower->corridor = corridor;
  follower->state = CR_FOLLOWER_UNPLACED;
  return CR_STATUS_OK;
}

void cr__follower_deinit(CrFollower *follower) { cr__corridor_deinit(&follower->corridor); }

CrStatus cr_follower_create(const CrFollowerOptions *options, const CrAllocator *allocator, CrFollower **out,
                            CrError *error) {
  CrFollowerOptions humanoid = cr_follower_options_humanoid();
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrFollower *follower = cr__alloc(&hooks, 1, sizeof *follower);
  if (!follower) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrStatus status = cr__follower_init(follower, options ? options : &humanoid, &hooks, error);
  if (status != CR_STATUS_OK) {
    cr__free(&hooks, follower, 1, sizeof *follower);
    return status;
  }
  *out = follower;
  return CR_STATUS_OK;
}

void cr_follower_destroy(CrFollower *follower) {
  if (!follower) return;
  CrAllocator allocator = follower->corridor.allocator;
  cr__follower_deinit(follower);
  cr__free(&allocator, follower, 1, sizeof *follower);
}

CrStatus cr_follower_set_options(CrFollower *follower, const CrFollowerOptions *options, CrError *error) {
  CrStatus status = cr_follower_options_validate(options, error);
  if (status != CR_STATUS_OK) return status;
  if (options->corridor_capacity != follower->options.corridor_capacity) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.corridor_capacity", follower->options.corridor_capacity);
  }
  if (options->max_corners != follower->options.max_corners) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.max_corners", follower->options.max_corners);
  }
  follower->options = *options;
  return CR_STATUS_OK;
}

CrFollowerOptions cr_follower_options(const CrFollower *follower) { return follower->options; }
const CrCorridor *cr_follower_corridor(const CrFollower *follower) { return &follower->corridor; }

CrFollowerInfo cr_follower_info(const CrFollower *follower) {
  return (CrFollowerInfo){
      .state = follower->state,
      .reached_target = follower->reached_target,
      .position = follower->position,
      .velocity = follower->velocity,
      .destination = follower->destination,
      .remaining_distance = follower->remaining_distance,
      .step_count = follower->step_count,
      .replan_rounds = follower->replan_rounds,
      .stuck_recoveries = follower->stuck_recoveries,
      .complete = follower->corridor.complete,
      .needs_replan = follower->corridor.needs_replan,
      .corridor_count = follower->corridor.count,
  };
}

int32_t cr_follower_events(const CrFollower *follower, CrFollowerEvent out[CR_FOLLOWER_MAX_EVENTS]) {
  const CrHappened *last = &follower->last;
  int32_t count = 0;
  for (uint8_t kind = 0; kind < CR_FOLLOWER_MAX_EVENTS; kind++) {
    if (!(last->kinds >> kind & 1)) continue;
    CrFollowerEvent *event = &out[count++];
    *event = (CrFollowerEvent){.kind = kind};
    if (kind == CR_EVENT_ARRIVED) event->reached_target = last->reached_target;
    if (kind == CR_EVENT_REPLANNED) event->outcome = last->outcome;
    if (kind == CR_EVENT_LINK_ENTERED) event->link_user_id = last->link_user_id;
  }
  return count;
}

// --- State changes every part uses --------------------------------------------------------------------------------------

void cr__follower_reset_stuck(CrFollower *follower) {
  follower->stuck_clock = 0.0;
  follower->stuck_anchor = follower->position;
}

static void halt(CrFollower *follower, double remaining) {
  follower->velocity = cr__vec(0.0, 0.0, 0.0);
  follower->remaining_distance = remaining;
}

void cr__follower_give_up(CrFollower *follower, CrFollowerState state) {
  follower->state = state;
  halt(follower, CR_UNKNOWN_DISTANCE);
  cr__follower_note(follower, state == CR_FOLLOWER_STUCK ? CR_EVENT_STUCK : CR_EVENT_NO_PATH);
}

bool cr__follower_arrive(CrFollower *follower) {
  const CrCorridor *corridor = &follower->corridor;
  if (!corridor->complete && corridor->needs_replan) return false;
  follower->state = CR_FOLLOWER_ARRIVED;
  follower->reached_target = corridor->complete;
  halt(follower, 0.0);
  follower->since.reached_target = follower->reached_target;
  cr__follower_note(follower, CR_EVENT_ARRIVED);
  return true;
}

bool cr__follower_relocate(CrFollower *follower, CrPathContext *context) {
  if (!cr_corridor_relocate(&follower->corridor, context, follower->options.search_extents)) {
    cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
    return false;
  }
  follower->position = follower->corridor.position;
  return true;
}

// Counters that belong to one destination.
static void start_over(CrFollower *follower) {
  follower->reached_target = false;
  follower->replan_rounds = 0;
  follower->stuck_recoveries = 0;
  cr__follower_reset_stuck(follower);
}

// --- Commands ---------------------------------------------------------------------------------------------------------

static bool is_placed(const CrFollower *follower) { return follower->corridor.count > 0; }

CrStatus cr__follower_check_context(const CrFollower *follower, const CrPathContext *context, CrError *error) {
  if (follower->corridor.capacity <= context->max_corridor) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.corridor_capacity", context->max_corridor);
}

static void forget_crossing(CrFollower *follower) {
  follower->off_mesh_start = follower->off_mesh_end = cr__vec(0.0, 0.0, 0.0);
  follower->off_mesh_elapsed = follower->off_mesh_duration = 0.0;
  follower->off_mesh_exit = CR_INVALID_REF;
}

CrStatus cr_follower_place(CrFollower *follower, CrPathContext *context, CrVec3 position, CrError *error) {
  CrStatus status = cr__check_point(error, position, "position");
  if (status == CR_STATUS_OK) status = cr__follower_check_context(follower, context, error);
  if (status != CR_STATUS_OK) return status;
  CrNearestPoly nearest;
  status = cr_query_nearest_poly(context->query, position, follower->options.search_extents, context->filter, &nearest,
                                 NULL);
  if (status != CR_STATUS_OK) return cr__fail(error, CR_STATUS_NOT_FOUND, "position");
  status = cr_corridor_reset(&follower->corridor, context, nearest.ref, nearest.point, error);
  if (status != CR_STATUS_OK) return status;
  follower->state = CR_FOLLOWER_IDLE;
  follower->position = follower->destination = follower->corridor.position;
  follower->step_count = 0;
  start_over(follower);
  forget_crossing(follower);
  halt(follower, 0.0);
  follower->since = (CrHappened){0};  // of another place
  return CR_STATUS_OK;
}

// A destination given during a crossing is only recorded: the replan follows the crossing.
CrStatus cr_follower_set_destination(CrFollower *follower, CrPathContext *context, CrVec3 destination, CrError *error) {
  CrStatus status = cr__check_point(error, destination, "destination");
  if (status == CR_STATUS_OK) status = cr__follower_check_context(follower, context, error);
  if (status != CR_STATUS_OK) return status;
  follower->destination = destination;
  start_over(follower);
  if (!is_placed(follower)) {
    cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
    return CR_STATUS_OK;
  }
  cr_corridor_set_target(&follower->corridor, destination, NULL);
  follower->remaining_distance = CR_UNKNOWN_DISTANCE;
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK) return CR_STATUS_OK;
  follower->state = CR_FOLLOWER_MOVING;
  CrReplanOutcome outcome = cr__follower_replan(follower, context);
  bool hopeless = outcome == CR_REPLAN_IN_PROGRESS && follower->replan_rounds >= follower->options.max_replan_rounds;
  if (outcome == CR_REPLAN_NO_END_NEARBY || hopeless) cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
  return CR_STATUS_OK;
}

// The corridor ends on its polygon `last`, at `point` of it: nothing is left to plan.
static void end_corridor(CrCorridor *corridor, int32_t last, CrVec3 point) {
  corridor->count = last + 1;
  corridor->target = point;
  corridor->target_ref = corridor->path[last];
  corridor->complete = true;
  corridor->needs_replan = corridor->replan_from_start = false;
  cr__corridor_changed(corridor, 0);
}

// Nobody stops in mid-air: the crossing goes on to the exit, which becomes the destination.
static void stop_at_exit(CrFollower *follower) {
  CrCorridor *corridor = &follower->corridor;
  follower->destination = follower->off_mesh_end;
  corridor->target = follower->off_mesh_end;
  cr__corridor_changed(corridor, 0);
  for (int32_t k = 0; k < corridor->count; k++) {
    if (corridor->path[k] == follower->off_mesh_exit) end_corridor(corridor, k, follower->off_mesh_end);
  }
}

void cr_follower_stop(CrFollower *follower) {
  start_over(follower);
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK) {
    stop_at_exit(follower);
    return;
  }
  follower->destination = follower->position;
  follower->state = is_placed(follower) ? CR_FOLLOWER_IDLE : CR_FOLLOWER_UNPLACED;
  if (is_placed(follower)) end_corridor(&follower->corridor, 0, follower->position);
  halt(follower, 0.0);
}

void cr__follower_take_over(CrFollower *follower) {
  CrVec3 velocity = follower->velocity;
  cr_follower_stop(follower);
  follower->velocity = velocity;
}

// --- Step -------------------------------------------------------------------------------------------------------------

CrStatus cr_follower_step(CrFollower *follower, CrPathContext *context, double dt, CrError *error) {
  CrStatus status = cr__check_dt(error, dt);
  if (status == CR_STATUS_OK) status = cr__follower_check_context(follower, context, error);
  if (status != CR_STATUS_OK) return status;
  if (is_placed(follower)) follower->step_count++;
  if (follower->state == CR_FOLLOWER_MOVING) {
    cr__follower_step_moving(follower, context, dt);
  } else if (follower->state == CR_FOLLOWER_OFF_MESH_LINK) {
    cr__follower_step_crossing(follower, context, dt);
  } else {
    follower->velocity = cr__vec(0.0, 0.0, 0.0);
  }
  cr__follower_end_step(follower);
  return CR_STATUS_OK;
}
