// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Moving either end of a corridor (docs/behaviour/corridors.md, "Moving the agent"). A traced move merges the polygons it
// visited into the corridor: what was walked is trimmed, a step aside leads back the way it came.
// Invariant: a refused move changes nothing.
#include "path_internal.h"

static bool is_coord(double value) { return cr__abs(value) < CR_COORD_LIMIT; }
static bool is_point(CrVec3 point) { return is_coord(point.x) && is_coord(point.y) && is_coord(point.z); }

// Walks from `start` on `ref`; the polygons go to context->visited. False when it cannot or crosses more than the capacity.
static bool trace(const CrCorridor *corridor, CrPathContext *context, CrPolyRef ref, CrVec3 start, CrVec3 to,
                  CrMoveResult *out) {
  CrStatus status = cr_query_move_along_surface(context->query, ref, start, to, context->filter, context->visited,
                                                corridor->capacity, out, NULL);
  return status == CR_STATUS_OK && !out->truncated && out->count > 0;
}

static void index_visited(CrPathContext *context, int32_t count) {
  cr__index_begin(context, count);
  for (int32_t k = 0; k < count; k++) cr__index_put(context, context->visited[k], k);
}

// The corridor becomes the visited polygons from the meeting one on, backwards, then what follows the last meeting.
static void merge_front(CrCorridor *corridor, CrPathContext *context, int32_t visited_count) {
  index_visited(context, visited_count);
  int32_t meeting = corridor->count, from = -1;
  while (from < 0 && meeting > 0) {
    meeting--;
    from = cr__index_find(context, context->visited, visited_count, corridor->path[meeting]);
  }
  CR_ASSERT(from >= 0);
  int32_t head = visited_count - from, tail = corridor->count - meeting - 1;
  bool fits = head + tail <= corridor->capacity;
  if (!fits) tail = corridor->capacity - head;
  memmove(corridor->path + head, corridor->path + meeting + 1, (size_t)tail * sizeof *corridor->path);
  for (int32_t k = 0; k < head; k++) corridor->path[k] = context->visited[visited_count - 1 - k];
  corridor->count = head + tail;
  cr__corridor_changed(corridor, fits ? tail : 0);
  if (fits) return;
  corridor->complete = false;
  corridor->needs_replan = true;
}

bool cr_corridor_move_position(CrCorridor *corridor, CrPathContext *context, CrVec3 to) {
  CrMoveResult move;
  if (!cr__corridor_usable(corridor, context) || !is_point(to)) return false;
  if (!trace(corridor, context, corridor->path[0], corridor->position, to, &move)) return false;
  if (move.count > 1) merge_front(corridor, context, move.count);
  corridor->position = move.point;
  return true;
}

// The mirror image of merge_front; false when the result would not fit.
static bool merge_back(CrCorridor *corridor, CrPathContext *context, int32_t visited_count) {
  index_visited(context, visited_count);
  int32_t meeting = 0;
  int32_t from = cr__index_find(context, context->visited, visited_count, corridor->path[0]);
  while (from < 0) {
    meeting++;
    from = cr__index_find(context, context->visited, visited_count, corridor->path[meeting]);
  }
  int32_t tail = visited_count - from;
  if (meeting + tail > corridor->capacity) return false;
  memcpy(corridor->path + meeting, context->visited + from, (size_t)tail * sizeof *corridor->path);
  corridor->count = meeting + tail;
  return true;
}

bool cr_corridor_move_target(CrCorridor *corridor, CrPathContext *context, CrVec3 to) {
  CrVec3 start;
  CrMoveResult move;
  if (!cr__corridor_usable(corridor, context) || !is_point(to)) return false;
  if (!corridor->complete) {
    corridor->target = to;
    corridor->target_ref = CR_INVALID_REF;
    corridor->needs_replan = true;
    cr__corridor_changed(corridor, 0);
    return true;
  }
  if (!cr__corridor_end(corridor, context->mesh, &start)) return false;
  CrPolyRef last = corridor->path[corridor->count - 1];
  if (!trace(corridor, context, last, start, to, &move)) return false;
  if (move.count > 1 && !merge_back(corridor, context, move.count)) return false;
  corridor->target = move.point;
  corridor->target_ref = corridor->path[corridor->count - 1];
  cr__corridor_changed(corridor, 0);
  return true;
}

#define CR_HOLD_TOLERANCE 1e-7  // how far outside an outline a point still counts as on it
#define CR_HEIGHT_TIE 1e-9      // vertical distances this close are equal

static bool holds(const CrPathContext *context, CrPolyRef ref, CrVec3 to) {
  return cr__polygon_holds(cr__resolve(context->mesh, ref), cr__ref_polygon(ref), to.x, to.z, CR_HOLD_TOLERANCE);
}

static double height_distance(const CrPathContext *context, CrPolyRef ref, CrVec3 to) {
  return cr__abs(cr__polygon_height(cr__resolve(context->mesh, ref), cr__ref_polygon(ref), to.x, to.z) - to.y);
}

// Indices of the polygons that hold the point, into context->holders. Stops before a stale polygon.
static int32_t find_holders(const CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  int32_t count = 0;
  for (int32_t k = 0; k < limit && cr__resolve(context->mesh, corridor->path[k]); k++) {
    if (holds(context, corridor->path[k], to)) context->holders[count++] = k;
  }
  return count;
}

// Of several polygons that hold the point. order: the furthest along the corridor of the vertically closest
static int32_t pick_holder(const CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t count) {
  double best = CR_UNKNOWN_DISTANCE;
  for (int32_t k = 0; k < count; k++) {
    context->heights[k] = height_distance(context, corridor->path[context->holders[k]], to);
    best = cr__min(best, context->heights[k]);
  }
  int32_t found = count - 1;
  while (context->heights[found] > best + CR_HEIGHT_TIE) found--;
  return context->holders[found];
}

bool cr_corridor_move_along(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  if (!cr__corridor_usable(corridor, context) || !is_point(to)) return false;
  if (limit > corridor->count) limit = corridor->count;
  int32_t count = find_holders(corridor, context, to, limit);
  if (count == 0) return false;
  int32_t found = count == 1 ? context->holders[0] : pick_holder(corridor, context, to, count);
  cr__corridor_drop_front(corridor, found);
  const CrTile *tile = cr__resolve(context->mesh, corridor->path[0]);
  corridor->position = cr__polygon_closest(tile, cr__ref_polygon(corridor->path[0]), to, NULL);
  return true;
}
