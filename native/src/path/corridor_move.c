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
  if (!trace(corridor, context, cr__corridor_polygon(corridor, 0), corridor->position, to, &move)) return false;
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

// A polygon that holds the point: its index, and whether it does without the tolerance.
static inline int32_t make_holder(int32_t index, bool over) { return index << 1 | over; }
static inline int32_t holder_index(int32_t holder) { return holder >> 1; }
static inline bool holder_is_over(int32_t holder) { return holder & 1; }
_Static_assert(CR_CORRIDOR_MAX_CAPACITY < 1 << 30, "a holder is packed into 32 bits");

static double height_distance(const CrPathContext *context, CrPolyRef ref, CrVec3 to) {
  return cr__abs(cr__polygon_height(cr__resolve(context->mesh, ref), cr__ref_polygon(ref), to.x, to.z) - to.y);
}

// The polygons that hold the point, into context->holders. Stops before a stale polygon.
static int32_t find_holders(const CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  int32_t count = 0;
  for (int32_t k = 0; k < limit; k++) {
    CrPolyRef ref = cr__corridor_polygon(corridor, k);
    const CrTile *tile = cr__resolve(context->mesh, ref);
    if (!tile) break;
    CrHolding holding = cr__polygon_holding(tile, cr__ref_polygon(ref), to.x, to.z, CR_HOLD_TOLERANCE);
    if (holding != CR_HOLDS_NOT) context->holders[count++] = make_holder(k, holding == CR_HOLDS);
  }
  return count;
}

// Of several polygons that hold the point. order: the furthest along the corridor of the vertically closest
static int32_t pick_holder(const CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t count) {
  double best = CR_UNKNOWN_DISTANCE;
  for (int32_t k = 0; k < count; k++) {
    CrPolyRef ref = cr__corridor_polygon(corridor, holder_index(context->holders[k]));
    context->heights[k] = height_distance(context, ref, to);
    best = cr__min(best, context->heights[k]);
  }
  int32_t found = count - 1;
  while (context->heights[found] > best + CR_HEIGHT_TIE) found--;
  return context->holders[found];
}

static bool move_along(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  int32_t count = find_holders(corridor, context, to, limit);
  if (count == 0) return false;
  int32_t found = count == 1 ? context->holders[0] : pick_holder(corridor, context, to, count);
  cr__corridor_drop_front(corridor, holder_index(found));
  CrPolyRef ref = cr__corridor_polygon(corridor, 0);
  const CrTile *tile = cr__tile_of(context->mesh, ref);
  corridor->position = cr__polygon_closest_known(tile, cr__ref_polygon(ref), to, holder_is_over(found));
  return true;
}

bool cr_corridor_move_along(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  if (!cr__corridor_usable(corridor, context) || !is_point(to)) return false;
  return move_along(corridor, context, to, limit < corridor->count ? limit : corridor->count);
}

// --- Polygons out of reach --------------------------------------------------------------------------------------------

#define CR_FEW_POLYGONS 3       // looking at these costs less than remembering them
#define CR_MOVES_REMEMBERED 16  // moves as long as this one for which what is out of reach is remembered
#define CR_LEAST_RANGE 0.1      // of an agent that hardly moves
#define CR_APART_MARGIN 1e-3    // far more than the tolerance and rounding

// The largest distance of the point outside the line of one of the polygon's edges. A polygon holds no point that is outside
// one of these by more than the tolerance, and moving the point by d changes the distance by at most d.
static double apart(const CrTile *tile, uint32_t polygon, CrVec3 point) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  double most = 0.0;
  CrVec3 a = cr__polygon_vertex(tile, polygon, count - 1);
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 b = cr__polygon_vertex(tile, polygon, k);
    double out = -cr__cross_xz(a, b, point);
    if (out > 0.0) most = cr__max(most, out / cr__dist_xz(a, b));
    a = b;
  }
  return most;
}

// Remembers for the next moves which of the last polygons are out of reach. A stale polygon ends what is looked at, so that nothing
// after it may be left out.
static void remember_apart(CrCorridor *corridor, const CrPathContext *context, CrVec3 to) {
  double range = cr__max(CR_MOVES_REMEMBERED * cr__dist_xz(corridor->position, to), CR_LEAST_RANGE);
  int32_t k = corridor->count - 1;
  for (; k > 0; k--) {
    const CrTile *tile = cr__resolve(context->mesh, corridor->path[k]);
    if (!tile || apart(tile, cr__ref_polygon(corridor->path[k]), to) < range + CR_APART_MARGIN) break;
  }
  corridor->apart_tail = corridor->count - 1 - k;
  corridor->apart_x = to.x;
  corridor->apart_z = to.z;
  corridor->apart_range = range;
  corridor->apart_stamp = context->mesh->stamp;
}

static bool is_remembered(const CrCorridor *corridor, const CrPathContext *context, CrVec3 to) {
  double dx = to.x - corridor->apart_x, dz = to.z - corridor->apart_z;
  return dx * dx + dz * dz < corridor->apart_range * corridor->apart_range &&
         corridor->apart_stamp == context->mesh->stamp;
}

bool cr__corridor_move_along_again(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit) {
  if (!cr__corridor_usable(corridor, context) || !is_point(to)) return false;
  if (limit > corridor->count) limit = corridor->count;
  if (limit > CR_FEW_POLYGONS) {
    if (!is_remembered(corridor, context, to)) remember_apart(corridor, context, to);
    int32_t near = corridor->count - corridor->apart_tail;
    if (limit > near) limit = near;
  }
  return move_along(corridor, context, to, limit);
}
