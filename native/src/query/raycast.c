// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A straight ray over the surface, from the nearest point of the start polygon to the end, until a wall. It may touch walls:
// a ray along a wall or through a vertex ends only where no accepted polygon goes on. Where storeys part along the ray it
// tries one after the other.
#include "query_internal.h"

static void report_wall(const CrWalk *walk, CrRaycastResult *result) {
  result->hit = true;
  result->t = walk->line.length > 0.0 ? cr__min(walk->t / walk->line.length, 1.0) : 0.0;
  result->normal_x = 0.0 - walk->wall_dz;
  result->normal_z = walk->wall_dx;
  result->hit_ref = cr__tile_ref(walk->mesh, walk->tile, walk->polygon);
  result->hit_edge = (int32_t)walk->wall_edge;
}

// A step of the walk, and what the part of the line it walks costs.
static CrWalkStep step_at_cost(CrWalk *walk, double *travelled, double *cost) {
  double area_cost = cr__area_cost(walk->filter, walk->tile->areas[walk->polygon]);
  CrWalkStep step = cr__walk_step(walk);
  // Turning about a vertex may pass polygons that are left before it.
  double t = cr__max(*travelled, cr__min(walk->t, walk->line.length));
  *cost += (t - *travelled) * area_cost;
  *travelled = t;
  return step;
}

// One walk from the start polygon, at each fork as the forks say. A ray enters no polygon twice, but turns about vertices
// may: they cannot go on for ever because each ends farther along.
static void cast_once(CrWalk *walk, CrVec3 end, CrRaycastResult *result) {
  cr__walk_towards(walk, end);
  memset(result, 0, sizeof *result);
  result->t = 1.0;
  if (!(walk->line.length > 0.0)) return;
  double travelled = 0.0;
  CrWalkStep step = cr__walk_fork_at_start(walk);
  for (int64_t left = 64 + 4 * (int64_t)walk->trail->capacity; left > 0 && step == CR_WALK_ON; left--) {
    step = step_at_cost(walk, &travelled, &result->cost);
  }
  if (step == CR_WALK_END) return;
  if (step == CR_WALK_WALL) {
    report_wall(walk, result);
    return;
  }
  result->truncated = true;
  result->t = cr__min(walk->t / walk->line.length, 1.0);
}

// Turns to the way not yet taken at the last fork that has one. False when all have been taken.
static bool next_way(CrForks *forks) {
  while (forks->count > 0 && forks->second[forks->count - 1]) forks->count--;
  if (forks->count == 0) return false;
  forks->second[forks->count - 1] = true;
  return true;
}

typedef struct Ray {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  CrPolyRef ref;
  CrVec3 start, end;
  CrTrail trail;
  CrWalk walk;
  CrForks forks;
} Ray;

static void attempt(Ray *ray, CrRaycastResult *result) {
  ray->trail.may_loop = ray->trail.full = false;
  ray->forks.at = 0;
  cr__walk_begin(&ray->walk, ray->mesh, ray->filter, ray->ref, ray->start, &ray->trail);
  ray->walk.forks = &ray->forks;
  cast_once(&ray->walk, ray->end, result);
}

// The attempt that gets farthest. order: the first of those that get equally far
static void cast(Ray *ray, CrRaycastResult *result) {
  attempt(ray, result);
  if (!result->hit || ray->forks.count == 0) return;
  CrForks best = ray->forks;
  bool is_last = true;
  while (result->hit && next_way(&ray->forks)) {
    CrRaycastResult other;
    attempt(ray, &other);
    is_last = !other.hit || other.t > result->t;
    if (!is_last) continue;
    *result = other;
    best = ray->forks;
  }
  if (is_last) return;
  ray->forks.count = best.count;
  memcpy(ray->forks.path, best.path, sizeof best.path);
  memcpy(ray->forks.second, best.second, sizeof best.second);
  attempt(ray, result);
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
  Ray ray;
  ray.mesh = query->mesh, ray.filter = filter;
  ray.ref = start_ref, ray.start = start, ray.end = end;
  ray.trail = (CrTrail){polygons, 0, capacity, false, false};
  ray.forks.pair_count = ray.forks.count = ray.forks.at = 0;
  CrRaycastResult result;
  cast(&ray, &result);
  result.point = cr__polygon_closest(ray.walk.tile, ray.walk.polygon, ray.walk.point, NULL);
  result.count = ray.trail.count;
  *out = result;
  return CR_STATUS_OK;
}
