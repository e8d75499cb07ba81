// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The two shortcuts of a corridor (docs/behaviour/corridors.md, "Shortcuts"): along a straight ray, which is believed
// if it comes through, unless it leads over ground that costs more; and by a small search, which like a ray that is stopped is
// believed only when the way it found is cheaper to walk.
// Invariant: a shortcut that is not taken changes nothing.
#include "path_internal.h"

#define CR_CHEAPER_MARGIN 1e-4  // a new way round must save at least this share of the old cost

// Whether what `joined` holds costs less than the corridor's first `old_count` polygons, both to `end`.
static bool cheaper_to_walk(const CrCorridor *corridor, CrPathContext *context, int32_t old_count, int32_t joined_count,
                            CrVec3 end) {
  double old_cost = cr__path_walk_cost(context, corridor->position, end, corridor->path, old_count);
  double new_cost = cr__path_walk_cost(context, corridor->position, end, context->joined, joined_count);
  return old_cost >= 0.0 && new_cost >= 0.0 && new_cost < old_cost * (1.0 - CR_CHEAPER_MARGIN);
}

// --- Visibility -------------------------------------------------------------------------------------------------------

static CrVec3 cut_to_range(CrVec3 from, CrVec3 to, double range) {
  double distance = cr__dist_xz(from, to);
  return distance > range ? cr__lerp(from, to, range / distance) : to;
}

static bool follows_chain(const CrCorridor *corridor, const CrPolyRef *chain, int32_t count) {
  return count <= corridor->count && memcmp(corridor->path, chain, (size_t)count * sizeof *chain) == 0;
}

// The last polygon of the corridor, beyond its first, that the chain holds beyond its first. False when there is none.
static bool find_meeting(const CrCorridor *corridor, CrPathContext *context, const CrPolyRef *chain, int32_t count,
                         int32_t *out_meeting, int32_t *out_along) {
  cr__index_begin(context, count);
  for (int32_t k = 1; k < count; k++) cr__index_put(context, chain[k], k);
  for (int32_t meeting = corridor->count - 1; meeting >= 1; meeting--) {
    *out_along = cr__index_find(context, chain, count, corridor->path[meeting]);
    *out_meeting = meeting;
    if (*out_along >= 1) return true;
  }
  return false;
}

// Whether the chain costs more to walk than the corridor, as far as where they meet, to the place there nearest to `end`.
// A straight line is trusted where everything costs the same.
static bool costs_more(const CrCorridor *corridor, CrPathContext *context, int32_t meeting, const CrPolyRef *chain,
                       int32_t along, CrVec3 end) {
  if (!context->filter) return false;
  const CrTile *tile = cr__tile_of(context->mesh, chain[0]);
  double cost = cr__area_cost(context->filter, tile->areas[cr__ref_polygon(chain[0])]);
  if (!cr__path_costs_differ(context, corridor->path, meeting + 1, cost) &&
      !cr__path_costs_differ(context, chain, along + 1, cost)) {
    return false;
  }
  CrVec3 at = cr__polygon_closest(cr__tile_of(context->mesh, chain[along]), cr__ref_polygon(chain[along]), end, NULL);
  double old_cost = cr__path_walk_cost(context, corridor->position, at, corridor->path, meeting + 1);
  return old_cost >= 0.0 && cr__path_walk_cost(context, corridor->position, at, chain, along + 1) > old_cost;
}

// The chain, and what follows the last place where the corridor meets it, into `joined`.
static void join_chain(const CrCorridor *corridor, CrPathContext *context, int32_t meeting, const CrPolyRef *chain,
                       int32_t along) {
  memcpy(context->joined, chain, (size_t)(along + 1) * sizeof *chain);
  memcpy(context->joined + along + 1, corridor->path + meeting + 1,
         (size_t)(corridor->count - meeting - 1) * sizeof *chain);
}

// Whether a ray that was stopped before its aim found a shorter way all the same. Most often it has only run into the pocket
// behind which the corridor turns off.
static bool is_worth_it(const CrCorridor *corridor, CrPathContext *context, int32_t joined_count) {
  CrVec3 end;
  if (!cr__corridor_end(corridor, context->mesh, &end)) return false;
  return cheaper_to_walk(corridor, context, corridor->count, joined_count, end);
}

// The chain replaces everything up to the last place where the corridor meets it again.
static bool splice_chain(CrCorridor *corridor, CrPathContext *context, const CrPolyRef *chain, int32_t count,
                         CrVec3 aim, bool came_through) {
  int32_t meeting, along;
  if (!find_meeting(corridor, context, chain, count, &meeting, &along)) return false;
  int32_t tail = corridor->count - meeting - 1, size = along + 1 + tail;
  if (size > corridor->capacity) return false;
  if (meeting == along && follows_chain(corridor, chain, along + 1)) return false;
  join_chain(corridor, context, meeting, chain, along);
  if (came_through ? costs_more(corridor, context, meeting, chain, along, aim)
                   : !is_worth_it(corridor, context, size)) {
    return false;
  }
  memcpy(corridor->path, context->joined, (size_t)size * sizeof *corridor->path);
  corridor->count = size;
  cr__corridor_changed(corridor, tail);
  return true;
}

bool cr_corridor_optimize_visibility(CrCorridor *corridor, CrPathContext *context, CrVec3 point, double range,
                                     int32_t budget) {
  if (!cr__corridor_usable(corridor, context) || !(range >= 0.0)) return false;
  if (cr__check_point(NULL, point, NULL) != CR_STATUS_OK) return false;
  if (budget > corridor->capacity) budget = corridor->capacity;
  if (budget < 2) budget = 2;
  CrRaycastResult ray;
  CrVec3 end = cut_to_range(corridor->position, point, range);
  CrStatus status = cr_query_raycast(context->query, corridor->path[0], corridor->position, end, context->filter,
                                     context->visited, budget, &ray, NULL);
  if (status != CR_STATUS_OK || ray.count < 2) return false;
  // A ray that stays in the corridor's own polygons, the usual case, has nothing to offer.
  if (follows_chain(corridor, context->visited, ray.count)) return false;
  return splice_chain(corridor, context, context->visited, ray.count, end, !ray.hit && !ray.truncated);
}

// --- Topology ---------------------------------------------------------------------------------------------------------

// The route to the polygon at `goal`, in context->route; 0 when the search does not finish within the budget.
static int32_t search_route(const CrCorridor *corridor, CrPathContext *context, int32_t goal, CrVec3 end,
                            int32_t budget) {
  CrPathOutcome outcome = cr_query_begin_path(context->local, corridor->path[0], corridor->position,
                                              corridor->path[goal], end, context->filter);
  if (outcome == CR_PATH_IN_PROGRESS) outcome = cr_query_update_path(context->local, budget, NULL);
  if (outcome != CR_PATH_SUCCESS) return 0;
  CrPathResult result = cr_query_finish_path(context->local, context->route, context->route_capacity);
  return result.outcome == CR_PATH_SUCCESS && !result.truncated ? result.count : 0;
}

bool cr_corridor_optimize_topology(CrCorridor *corridor, CrPathContext *context, int32_t budget, int32_t window) {
  if (!cr__corridor_usable(corridor, context) || corridor->count < 3 || window < 3 || budget < 1) return false;
  int32_t goal = corridor->count < window ? corridor->count - 1 : window - 1;
  CrPolyRef goal_ref = corridor->path[goal];
  const CrTile *tile = cr__resolve(context->mesh, goal_ref);
  if (!tile) return false;
  CrVec3 end = cr__polygon_closest(tile, cr__ref_polygon(goal_ref), corridor->target, NULL);
  int32_t route_count = search_route(corridor, context, goal, end, budget);
  if (route_count == 0 || follows_chain(corridor, context->route, route_count)) return false;
  int32_t rest = corridor->count - goal - 1;
  cr__join_begin(context, route_count + rest);
  // Loops first: a route over ground of unequal cost may leave a polygon and come back to it, which a corridor cannot.
  int32_t size = cr__join_append(context, 0, context->route, route_count);
  if (!cheaper_to_walk(corridor, context, goal + 1, size, end)) return false;
  size = cr__join_append(context, size, corridor->path + goal + 1, rest);
  cr__join_store(context, corridor, size);
  return true;
}
