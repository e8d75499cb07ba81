// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a moving follower does before it walks (docs/behaviour/followers.md, steps 1 to 6): mesh check, replan, corners,
// shortcuts, off-mesh entry, arrival. A lone follower and a crowd's agent share it; they differ in one rule, the crowd's
// waiting with a replan that only extends a corridor cut to its capacity.
// Each stage returns false when it ends the step.
#include "path_internal.h"

#define CR_MOST_REPLAN_ITERATIONS (INT64_C(1) << 20)
#define CR_REFINE_WINDOW 64    // polygons the search after a replan looks ahead
#define CR_TOPOLOGY_WINDOW 64  // and the one repeated while walking
#define CR_SMALL_CORRIDOR 16   // capacities below this are extended at once
#define CR_SAME_PLACE 1e-9     // a corner this near is behind

static bool stand(CrFollower *follower) {
  follower->velocity = cr__vec(0.0, 0.0, 0.0);
  follower->remaining_distance = CR_UNKNOWN_DISTANCE;
  cr__follower_reset_stuck(follower);
  return false;
}

// --- 1. Mesh check ----------------------------------------------------------------------------------------------------

static bool check_mesh(CrFollower *follower, CrPathContext *context) {
  int32_t look_ahead = follower->options.validate_look_ahead;
  if (cr_corridor_validate(&follower->corridor, context, look_ahead) != CR_VALIDATE_INVALID) return true;
  return cr__follower_relocate(follower, context);
}

// --- 2. Replan --------------------------------------------------------------------------------------------------------

static int64_t round_budget(const CrFollower *follower) {
  int32_t doublings = follower->replan_rounds < 20 ? follower->replan_rounds : 20;
  int64_t budget = (int64_t)follower->options.replan_budget << doublings;
  return budget < CR_MOST_REPLAN_ITERATIONS ? budget : CR_MOST_REPLAN_ITERATIONS;
}

CrReplanOutcome cr__follower_replan(CrFollower *follower, CrPathContext *context) {
  const CrFollowerOptions *options = &follower->options;
  CrReplanOutcome outcome =
      cr_corridor_replan(&follower->corridor, context, options->search_extents, round_budget(follower));
  if (outcome == CR_REPLAN_IN_PROGRESS) follower->replan_rounds++;
  if (outcome == CR_REPLAN_SUCCESS && options->refine_budget > 0 && context->local != context->query) {
    cr_corridor_optimize_topology(&follower->corridor, context, options->refine_budget, CR_REFINE_WINDOW);
  }
  return outcome;
}

// Only a corridor cut to its capacity is incomplete, long, and to be continued from its end.
static bool replan_can_wait(const CrCorridor *corridor) {
  if (corridor->replan_from_start || corridor->complete || corridor->capacity < CR_SMALL_CORRIDOR) return false;
  return (int64_t)corridor->count * 4 > (int64_t)corridor->capacity * 3;
}

static bool replan(CrFollower *follower, CrPathContext *context, bool in_crowd) {
  const CrCorridor *corridor = &follower->corridor;
  if (!corridor->needs_replan || (in_crowd && replan_can_wait(corridor))) return true;
  switch (cr__follower_replan(follower, context)) {
    case CR_REPLAN_FAILED:
      if (cr__follower_relocate(follower, context)) stand(follower);
      return false;
    case CR_REPLAN_NO_END_NEARBY:
      cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
      return false;
    case CR_REPLAN_IN_PROGRESS:
      if (follower->replan_rounds < follower->options.max_replan_rounds) return stand(follower);
      cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
      return false;
    default:
      return true;
  }
}

// --- 3. Corners -------------------------------------------------------------------------------------------------------

static bool is_stop(const CrCorner *corner) { return corner->flags & (CR_CORNER_END | CR_CORNER_OFF_MESH); }

// The first corner after the position that is not at the same place. Stops (the end, an off-mesh entry) are not passed over.
static int32_t pick_steering(const CrCorner *corners, int32_t count, CrVec3 position) {
  if (is_stop(&corners[0])) return 0;
  int32_t k = 1;
  while (k < count - 1 && !is_stop(&corners[k]) && cr__dist_xz(position, corners[k].point) <= CR_SAME_PLACE) k++;
  return k < count ? k : count - 1;
}

static void measure(const CrCorner *corners, CrWayAhead *way) {
  double length = 0.0;
  way->to_stop = way->to_end = CR_UNKNOWN_DISTANCE;
  for (int32_t k = 0; k < way->count; k++) {
    if (k > 0) length += cr__dist_xz(corners[k - 1].point, corners[k].point);
    if (is_stop(&corners[k]) && length < way->to_stop) way->to_stop = length;
    if (corners[k].flags & CR_CORNER_END) way->to_end = length;
  }
}

bool cr__follower_look(CrFollower *follower, CrPathContext *context, CrWayAhead *way) {
  CrStraightPathOutcome outcome = cr_corridor_find_corners(&follower->corridor, context, context->corners,
                                                           follower->options.max_corners, &way->count);
  if (outcome == CR_STRAIGHT_INVALID_CORRIDOR || way->count < 1) return false;
  way->steering = pick_steering(context->corners, way->count, follower->position);
  measure(context->corners, way);
  return true;
}

// The corridor is broken beyond the look-ahead: repair it, and walk again with the next step.
static bool repair(CrFollower *follower, CrPathContext *context) {
  CrValidateOutcome outcome = cr_corridor_validate(&follower->corridor, context, INT32_MAX);
  if (outcome == CR_VALIDATE_INVALID && !cr__follower_relocate(follower, context)) return false;
  if (outcome == CR_VALIDATE_VALID) cr_corridor_request_replan(&follower->corridor);
  return stand(follower);
}

// --- 4. Shortcuts -----------------------------------------------------------------------------------------------------

static bool interval_due(const CrFollower *follower, int32_t interval) {
  return interval > 0 && follower->step_count % (uint64_t)interval == 0;
}

// The farthest corner along the way, before any off-mesh entry, that is within the range; or -1.
static int32_t pick_aim(const CrFollower *follower, const CrCorner *corners, int32_t count) {
  double range = follower->options.optimize_range;
  int32_t aim = -1;
  for (int32_t k = 1; k < count && !(corners[k].flags & CR_CORNER_OFF_MESH); k++) {
    if (cr__dist_xz(follower->position, corners[k].point) <= range) aim = k;
  }
  return corners[0].flags & CR_CORNER_OFF_MESH ? -1 : aim;
}

static bool take_shortcuts(CrFollower *follower, CrPathContext *context, CrWayAhead *way) {
  const CrFollowerOptions *options = &follower->options;
  bool changed = false;
  if (interval_due(follower, options->optimize_interval)) {
    int32_t aim = pick_aim(follower, context->corners, way->count);
    if (aim > 0) {
      changed = cr_corridor_optimize_visibility(&follower->corridor, context, context->corners[aim].point,
                                                options->optimize_range, options->optimize_budget);
    }
  }
  if (interval_due(follower, options->topology_interval)) {
    changed |=
        cr_corridor_optimize_topology(&follower->corridor, context, options->topology_budget, CR_TOPOLOGY_WINDOW);
  }
  return !changed || cr__follower_look(follower, context, way) || repair(follower, context);
}

// --- 5. Off-mesh entry, 6. arrival ------------------------------------------------------------------------------------

static bool at_entry(const CrFollower *follower, const CrCorner *corner) {
  double reach = cr__max(follower->options.off_mesh_trigger_radius, CR_SAME_PLACE);
  return (corner->flags & CR_CORNER_OFF_MESH) && cr__dist_xz(follower->position, corner->point) <= reach;
}

static bool check_entry(CrFollower *follower, CrPathContext *context, const CrWayAhead *way) {
  for (int32_t k = 0; k < 2 && k < way->count; k++) {
    if (!at_entry(follower, &context->corners[k])) continue;
    cr__follower_begin_crossing(follower, context, &context->corners[k]);
    return false;
  }
  return true;
}

// Where more way is still to be planned the agent waits, but only on the last polygon: a corridor full of polygons within the
// arrival radius could not be extended before they are walked.
static bool check_arrival(CrFollower *follower, CrPathContext *context, const CrWayAhead *way) {
  const CrCorner *corner = &context->corners[way->steering];
  if (!(corner->flags & CR_CORNER_END)) return true;
  if (cr__dist_xz(follower->position, corner->point) > follower->options.arrival_radius) return true;
  if (cr__follower_arrive(follower)) return false;
  return follower->corridor.count > 1 || stand(follower);
}

bool cr__follower_upkeep(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way) {
  if (!check_mesh(follower, context) || !replan(follower, context, in_crowd)) return false;
  if (!cr__follower_look(follower, context, way)) return repair(follower, context);
  return take_shortcuts(follower, context, way) && check_entry(follower, context, way) &&
         check_arrival(follower, context, way);
}
