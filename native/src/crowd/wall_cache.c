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
  return cr__walls_hold(crowd, agent) && cr__dist2(agent->follower.position, cache->center) <= refresh * refresh;
}

CrWall cr__wall(CrPolyRef ref, uint8_t edge, uint8_t part, CrVec3 a, CrVec3 b) {
  return (CrWall){ref, cr__orca_wall(cr__vec2(a.x, a.z), cr__vec2(b.x, b.z)), a.y, b.y - a.y, edge, part};
}

void cr__walls_refresh(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent) {
  if (is_current(crowd, agent)) return;
  const CrCorridor *corridor = &agent->follower.corridor;
  CrWallCache *cache = &agent->cache;
  cache->valid = false;
  if (corridor->count == 0) return;
  double radius = agent->avoidance.wall_reach + crowd->options.wall_refresh_distance;
  int32_t count = 0;
  CrStatus status = cr_query_find_walls(cr_path_context_query(worker->context), cr__corridor_polygon(corridor, 0),
                                        agent->follower.position, radius, crowd->options.filter, worker->pieces,
                                        crowd->options.max_walls_per_agent, &count, NULL);
  if (status != CR_STATUS_OK) return;
  for (int32_t k = 0; k < count; k++) {
    const CrWallPiece *piece = &worker->pieces[k];
    cache->walls[k] = cr__wall(piece->ref, piece->edge, piece->part, piece->a, piece->b);
  }
  cache->center = agent->follower.position;
  cache->stamp = crowd->mesh->stamp;
  cache->count = count;
  cache->valid = true;
}

// --- Choice -----------------------------------------------------------------------------------------------------------

static bool on_floor(const CrWall *wall, const CrOrcaSide *side, double height) {
  double wall_height = wall->a_y + wall->rise * (side->along / wall->line.length);
  return cr__abs(wall_height - height) <= FLOOR_HEIGHT + FLOOR_SLOPE * cr__abs(side->out);
}

static bool comes_before(const CrWall *a, double a_out, const CrWall *b, double b_out) {
  if (a_out != b_out) return a_out < b_out;
  if (a->ref != b->ref) return a->ref < b->ref;
  if (a->edge != b->edge) return a->edge < b->edge;
  if (a->line.a.x != b->line.a.x) return a->line.a.x < b->line.a.x;
  return a->line.a.z < b->line.a.z;
}

// Keeps the `most` first of the walls offered, in order.
static int32_t insert_wall(CrWorker *worker, const CrWall *walls, int32_t count, int32_t most, int32_t index,
                           double out) {
  int32_t k = count;
  while (k > 0 && comes_before(&walls[index], out, &walls[worker->wall_index[k - 1]], worker->wall_out[k - 1])) {
    k--;
  }
  if (k >= most) return count;
  if (count < most) count++;
  for (int32_t j = count - 1; j > k; j--) {
    worker->wall_index[j] = worker->wall_index[j - 1];
    worker->wall_out[j] = worker->wall_out[j - 1];
  }
  worker->wall_index[k] = index;
  worker->wall_out[k] = out;
  return count;
}

int32_t cr__walls_select(const CrCrowd *crowd, CrWorker *worker, const CrAgent *agent) {
  const CrWallCache *cache = &agent->cache;
  int32_t count = 0, most = crowd->options.max_walls_avoided;
  if (!cache->valid || most == 0) return 0;
  CrVec3 position = agent->follower.position;
  CrVec2 flat = {position.x, position.z};
  double clearance = agent->options.wall_clearance, reach = agent->avoidance.wall_reach;
  for (int32_t k = 0; k < cache->count; k++) {
    const CrWall *wall = &cache->walls[k];
    CrOrcaSide side;
    if (!cr__orca_faces(&wall->line, flat, clearance, &side) || side.out > reach) continue;
    if (count == most && side.out > worker->wall_out[count - 1]) continue;
    if (on_floor(wall, &side, position.y)) count = insert_wall(worker, cache->walls, count, most, k, side.out);
  }
  for (int32_t k = 0; k < count; k++) {
    const CrWall *wall = &cache->walls[worker->wall_index[k]];
    worker->planes[k] = cr__orca_boundary(&wall->line, worker->wall_out[k], clearance, agent->avoidance.wall_horizon);
  }
  return count;
}
