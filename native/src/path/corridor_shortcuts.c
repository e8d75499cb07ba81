// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The two shortcuts of a corridor (docs/behaviour/corridors.md, "Shortcuts"): along a straight ray, and by a small search
// that is believed only when its route is shorter to walk.
// Invariant: a shortcut that is not taken changes nothing.
#include "path_internal.h"

// --- Visibility -------------------------------------------------------------------------------------------------------

static CrVec3 cut_to_range(CrVec3 from, CrVec3 to, double range) {
  double distance = cr__dist_xz(from, to);
  return distance > range ? cr__lerp(from, to, range / distance) : to;
}

static bool follows_chain(const CrCorridor *corridor, const CrPolyRef *chain, int32_t count) {
  return count <= corridor->count && memcmp(corridor->path, chain, (size_t)count * sizeof *chain) == 0;
}

// The chain replaces everything up to the last place where the corridor meets it again.
static bool splice_chain(CrCorridor *corridor, CrPathContext *context, const CrPolyRef *chain, int32_t count) {
  cr__index_begin(context, count);
  for (int32_t k = 1; k < count; k++) cr__index_put(context, chain[k], k);
  int32_t meeting = corridor->count - 1, along = -1;
  for (; meeting >= 1; meeting--) {
    along = cr__index_find(context, chain, count, corridor->path[meeting]);
    if (along >= 1) break;
  }
  if (meeting < 1) return false;
  int32_t tail = corridor->count - meeting - 1;
  if (along + 1 + tail > corridor->capacity) return false;
  if (meeting == along && follows_chain(corridor, chain, along + 1)) return false;
  memmove(corridor->path + along + 1, corridor->path + meeting + 1, (size_t)tail * sizeof *corridor->path);
  memcpy(corridor->path, chain, (size_t)(along + 1) * sizeof *chain);
  corridor->count = along + 1 + tail;
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
  return splice_chain(corridor, context, context->visited, ray.count);
}

// --- Topology ---------------------------------------------------------------------------------------------------------

#define CR_SHORTER_MARGIN 1e-4  // a new way round must save at least this share of the old length

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

static bool shorter_to_walk(const CrCorridor *corridor, CrPathContext *context, int32_t goal, int32_t route_count,
                            CrVec3 end) {
  double old_length = cr__path_walk_length(context, corridor->position, end, corridor->path, goal + 1);
  double new_length = cr__path_walk_length(context, corridor->position, end, context->route, route_count);
  return old_length >= 0.0 && new_length >= 0.0 && new_length < old_length * (1.0 - CR_SHORTER_MARGIN);
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
  if (!shorter_to_walk(corridor, context, goal, route_count, end)) return false;
  int32_t rest = corridor->count - goal - 1;
  cr__join_begin(context, route_count + rest);
  int32_t size = cr__join_append(context, 0, context->route, route_count);
  size = cr__join_append(context, size, corridor->path + goal + 1, rest);
  cr__join_store(context, corridor, size);
  return true;
}
