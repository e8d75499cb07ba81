// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Moving an agent over the surface: a straight walk that slides. At a wall what is left of the motion is projected on the
// wall and goes on from there, so the way walked is never longer than the motion asked for. Invariant: the point
// returned is the closest point of the last polygon's surface to where the walk ended, within rounding of it.
#include "query_internal.h"

// A walk of `capacity` polygons takes about as many steps; a slide takes one more. Walks that do not get anywhere end here.
static int64_t step_limit(int32_t capacity) { return 64 + 4 * (int64_t)capacity; }

// Turns the rest of the motion along the wall met. False when nothing is left of it.
static bool slide(CrWalk *walk) {
  const CrLine *line = &walk->line;
  double rest = (line->length - walk->t) * (line->dx * walk->slide_x + line->dz * walk->slide_z);
  if (!(rest > CR_QUERY_EPSILON)) return false;
  cr__walk_along(walk, (CrLine){walk->point.x, walk->point.z, walk->slide_x, walk->slide_z, rest});
  walk->trail->may_loop = true;
  return true;
}

static void move(CrWalk *walk, CrVec3 to, CrMoveResult *out) {
  cr__walk_towards(walk, to);
  if (!(walk->line.length > 0.0)) return;
  for (int64_t left = step_limit(walk->trail->capacity); left > 0; left--) {
    CrWalkStep step = cr__walk_step(walk);
    if (step == CR_WALK_END) return;
    if (step == CR_WALK_FULL) break;
    if (step != CR_WALK_WALL) continue;
    out->blocked = true;
    if (!slide(walk)) return;
  }
  out->truncated = true;
}

static CrStatus check_move(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 start, CrVec3 to, const char *to_name,
                           int32_t capacity, CrError *error) {
  CrStatus status = cr__check_point(error, start, "start");
  if (status == CR_STATUS_OK) status = cr__check_point(error, to, to_name);
  if (status == CR_STATUS_OK && capacity < 1) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 1.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(mesh, ref, "start_ref", error);
  return status;
}

CrStatus cr_query_move_along_surface(const CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrVec3 to,
                                     const CrQueryFilter *filter, CrPolyRef *visited, int32_t capacity,
                                     CrMoveResult *out, CrError *error) {
  CrStatus status = check_move(query->mesh, start_ref, start, to, "to", capacity, error);
  if (status != CR_STATUS_OK) return status;
  CrTrail trail = {visited, 0, capacity, false, false};
  CrWalk walk;
  CrMoveResult result = {{0.0, 0.0, 0.0}, 0, false, false};
  cr__walk_begin(&walk, query->mesh, filter, start_ref, start, &trail);
  move(&walk, to, &result);
  result.point = cr__polygon_closest(walk.tile, walk.polygon, walk.point, NULL);
  result.count = trail.count;
  *out = result;
  return CR_STATUS_OK;
}
