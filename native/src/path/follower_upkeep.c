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

static bool check_mesh(CrFollower *follower, CrPathContext *context, bool in_crowd) {
  CrCorridor *corridor = &follower->corridor;
  int32_t look_ahead = follower->options.validate_look_ahead;
  CrValidateOutcome outcome = in_crowd ? cr__corridor_validate_again(corridor, context, look_ahead)
                                       : cr_corridor_validate(corridor, context, look_ahead);
  if (outcome != CR_VALIDATE_VALID) cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
  return outcome != CR_VALIDATE_INVALID || cr__follower_relocate(follower, context);
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
  if (outcome == CR_REPLAN_SUCCESS || outcome == CR_REPLAN_PARTIAL) {
    follower->since.outcome = (uint8_t)outcome;
    cr__follower_note(follower, CR_EVENT_REPLANNED);
  }
  if (outcome == CR_REPLAN_IN_PROGRESS && follower->replan_rounds < INT32_MAX) follower->replan_rounds++;
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
      cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
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

// The corridor is broken beyond the look-ahead: repair it, and walk again with the next step.
static bool repair(CrFollower *follower, CrPathContext *context) {
  CrValidateOutcome outcome = cr_corridor_validate(&follower->corridor, context, INT32_MAX);
  cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
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

static bool shorten_by_sight(CrFollower *follower, CrPathContext *context, const CrWayAhead *way) {
  const CrFollowerOptions *options = &follower->options;
  if (!interval_due(follower, options->optimize_interval)) return false;
  int32_t aim = pick_aim(follower, context->corners, way->count);
  if (aim < 0) return false;
  return cr_corridor_optimize_visibility(&follower->corridor, context, context->corners[aim].point,
                                         options->optimize_range, options->optimize_budget);
}

// Nothing is cheaper than a straight line over the cheapest ground: where the string is one, to the end that a search would
// aim at, the search could not be believed.
static bool runs_straight(const CrFollower *follower, const CrPathContext *context, const CrWayAhead *way) {
  const CrCorridor *corridor = &follower->corridor;
  if (way->count > 2 || !(context->corners[way->count - 1].flags & CR_CORNER_END)) return false;
  if (corridor->count > CR_TOPOLOGY_WINDOW) return false;
  return !context->filter || !cr__path_costs_differ(context, corridor->path, corridor->count, context->lowest_cost);
}

static bool shorten_by_search(CrFollower *follower, CrPathContext *context) {
  return cr_corridor_optimize_topology(&follower->corridor, context, follower->options.topology_budget,
                                       CR_TOPOLOGY_WINDOW);
}

static bool take_shortcuts(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way) {
  bool changed = shorten_by_sight(follower, context, way);
  if (interval_due(follower, follower->options.topology_interval)) {
    if (changed || !runs_straight(follower, context, way)) changed |= shorten_by_search(follower, context);
  }
  return !changed || cr__follower_look(follower, context, in_crowd, way) || repair(follower, context);
}

// --- 5. Off-mesh entry, 6. arrival ------------------------------------------------------------------------------------

static bool at_entry(const CrFollower *follower, const CrCorner *corner) {
  if (!(corner->flags & CR_CORNER_OFF_MESH)) return false;
  double reach = cr__max(follower->options.off_mesh_trigger_radius, CR_SAME_PLACE);
  return cr__dist_xz(follower->position, corner->point) <= reach;
}

// In a crowd the agent may have to wait its turn: the crossing is not begun here.
static bool check_entry(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way) {
  for (int32_t k = 0; k < 2 && k < way->count; k++) {
    if (!at_entry(follower, &context->corners[k])) continue;
    way->entry = k;
    if (!in_crowd) cr__follower_begin_crossing(follower, context, &context->corners[k]);
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
  way->entry = -1;
  if (!check_mesh(follower, context, in_crowd) || !replan(follower, context, in_crowd)) return false;
  if (!cr__follower_look(follower, context, in_crowd, way)) return repair(follower, context);
  return take_shortcuts(follower, context, in_crowd, way) && check_entry(follower, context, in_crowd, way) &&
         check_arrival(follower, context, way);
}
