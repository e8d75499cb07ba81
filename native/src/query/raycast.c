// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A straight ray over the surface, from the nearest point of the start polygon to the end, until a wall. It may touch walls:
// a ray along a wall or through a vertex ends only where no accepted polygon goes on.
#include "query_internal.h"

static void report_wall(const CrWalk *walk, CrRaycastResult *result) {
  result->hit = true;
  result->t = walk->line.length > 0.0 ? cr__min(walk->t / walk->line.length, 1.0) : 0.0;
  result->normal_x = 0.0 - walk->wall_dz;
  result->normal_z = walk->wall_dx;
  result->hit_ref = cr__tile_ref(walk->mesh, walk->tile, walk->polygon);
  result->hit_edge = (int32_t)walk->wall_edge;
}

// A ray enters no polygon twice, but turns about vertices may: they cannot go on for ever because each ends farther along.
static void cast(CrWalk *walk, CrVec3 end, CrRaycastResult *result) {
  cr__walk_towards(walk, end);
  result->t = 1.0;
  if (!(walk->line.length > 0.0)) return;
  for (int64_t left = 64 + 4 * (int64_t)walk->trail->capacity; left > 0; left--) {
    CrWalkStep step = cr__walk_step(walk);
    if (step == CR_WALK_END) return;
    if (step == CR_WALK_WALL) {
      report_wall(walk, result);
      return;
    }
    if (step == CR_WALK_FULL) break;
  }
  result->truncated = true;
  result->t = cr__min(walk->t / walk->line.length, 1.0);
}

static CrStatus check_ray(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 start, CrVec3 end, int32_t capacity,
                          CrError *error) {
  CrStatus status = cr__check_point(error, start, "start");
  if (status == CR_STATUS_OK) status = cr__check_point(error, end, "end");
  if (status == CR_STATUS_OK && capacity < 1) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 1.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(mesh, ref, "start_ref", error);
  return status;
}

CrStatus cr_query_raycast(const CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrVec3 end,
                          const CrQueryFilter *filter, CrPolyRef *polygons, int32_t capacity, CrRaycastResult *out,
                          CrError *error) {
  CrStatus status = check_ray(query->mesh, start_ref, start, end, capacity, error);
  if (status != CR_STATUS_OK) return status;
  CrTrail trail = {polygons, 0, capacity, false, false};
  CrWalk walk;
  CrRaycastResult result;
  memset(&result, 0, sizeof result);
  cr__walk_begin(&walk, query->mesh, filter, start_ref, start, &trail);
  cast(&walk, end, &result);
  result.point = cr__polygon_closest(walk.tile, walk.polygon, walk.point, NULL);
  result.count = trail.count;
  *out = result;
  return CR_STATUS_OK;
}
