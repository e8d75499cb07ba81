// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The walls an agent avoids: a list looked up around a point and kept until the agent has gone too far from it, and each
// step's choice from that list.
// Invariant: a valid list is a function of the mesh, the filter and the point it was looked up at; that point is state.
// order: nearest first, ties by polygon reference, edge, then the first end's x and z.
#include "crowd_struct.h"

// Walls this far above or below still count as on the agent's floor, and how much more for each unit of distance.
#define FLOOR_HEIGHT 1.0
#define FLOOR_SLOPE 1.5

// --- Lookup -----------------------------------------------------------------------------------------------------------

static bool is_current(const CrCrowd *crowd, const CrAgent *agent) {
  const CrWallCache *cache = &agent->cache;
  double refresh = crowd->options.wall_refresh_distance;
  return cache->valid && cache->stamp == cr_navmesh_edit_count(crowd->mesh) &&
         cr__dist2(agent->follower.position, cache->center) <= refresh * refresh;
}

static CrWall wall_of_piece(const CrWallPiece *piece) {
  return (CrWall){piece->ref, {piece->a.x, piece->a.z}, {piece->b.x, piece->b.z}, piece->a.y, piece->b.y, piece->edge,
                  piece->part};
}

void cr__walls_refresh(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent) {
  if (is_current(crowd, agent)) return;
  const CrCorridor *corridor = &agent->follower.corridor;
  CrWallCache *cache = &agent->cache;
  cache->valid = false;
  if (corridor->count == 0) return;
  double radius = agent->avoidance.wall_reach + crowd->options.wall_refresh_distance;
  int32_t count = 0;
  CrStatus status =
      cr_query_find_walls(cr_path_context_query(worker->context), corridor->path[0], agent->follower.position, radius,
                          crowd->options.filter, worker->pieces, crowd->options.max_walls_per_agent, &count, NULL);
  if (status != CR_STATUS_OK) return;
  for (int32_t k = 0; k < count; k++) cache->walls[k] = wall_of_piece(&worker->pieces[k]);
  cache->center = agent->follower.position;
  cache->stamp = cr_navmesh_edit_count(crowd->mesh);
  cache->count = count;
  cache->valid = true;
}

// --- Choice -----------------------------------------------------------------------------------------------------------

typedef struct Nearest {
  double distance_squared;
  double height;  // of the wall there
} Nearest;

static Nearest nearest_on(const CrWall *wall, CrVec2 position) {
  CrVec2 edge = cr__sub2(wall->b, wall->a), offset = cr__sub2(position, wall->a);
  double length_squared = cr__length2_squared(edge);
  double t = length_squared > 0.0 ? cr__clamp(cr__dot2(offset, edge) / length_squared, 0.0, 1.0) : 0.0;
  CrVec2 apart = cr__sub2(offset, cr__scale2(edge, t));
  return (Nearest){cr__length2_squared(apart), wall->a_y + (wall->b_y - wall->a_y) * t};
}

static bool on_floor(const Nearest *nearest, double height) {
  return cr__abs(nearest->height - height) <= FLOOR_HEIGHT + FLOOR_SLOPE * cr__sqrt(nearest->distance_squared);
}

static bool comes_before(const CrWall *a, double a_distance, const CrWall *b, double b_distance) {
  if (a_distance != b_distance) return a_distance < b_distance;
  if (a->ref != b->ref) return a->ref < b->ref;
  if (a->edge != b->edge) return a->edge < b->edge;
  if (a->a.x != b->a.x) return a->a.x < b->a.x;
  return a->a.z < b->a.z;
}

// Keeps the `most` first of the walls offered, in order.
static int32_t insert_wall(CrWorker *worker, const CrWall *walls, int32_t count, int32_t most, int32_t index,
                           double distance_squared, CrHalfPlane plane) {
  int32_t k = count;
  while (k > 0 && comes_before(&walls[index], distance_squared, &walls[worker->wall_index[k - 1]],
                               worker->wall_distance[k - 1])) {
    k--;
  }
  if (k >= most) return count;
  if (count < most) count++;
  for (int32_t j = count - 1; j > k; j--) {
    worker->wall_index[j] = worker->wall_index[j - 1];
    worker->wall_distance[j] = worker->wall_distance[j - 1];
    worker->planes[j] = worker->planes[j - 1];
  }
  worker->wall_index[k] = index;
  worker->wall_distance[k] = distance_squared;
  worker->planes[k] = plane;
  return count;
}

int32_t cr__walls_select(const CrCrowd *crowd, CrWorker *worker, const CrAgent *agent) {
  const CrWallCache *cache = &agent->cache;
  int32_t count = 0, most = crowd->options.max_walls_avoided;
  if (!cache->valid || most == 0) return 0;
  CrVec3 position = agent->follower.position;
  CrVec2 flat = {position.x, position.z};
  double reach = agent->avoidance.wall_reach;
  for (int32_t k = 0; k < cache->count; k++) {
    const CrWall *wall = &cache->walls[k];
    Nearest nearest = nearest_on(wall, flat);
    if (nearest.distance_squared > reach * reach) continue;
    if (count == most && nearest.distance_squared > worker->wall_distance[count - 1]) continue;
    CrHalfPlane plane;
    bool facing =
        cr__orca_boundary(wall->a, wall->b, flat, agent->options.wall_clearance, agent->avoidance.wall_horizon, &plane);
    if (!facing || !on_floor(&nearest, position.y)) continue;
    count = insert_wall(worker, cache->walls, count, most, k, nearest.distance_squared, plane);
  }
  return count;
}
