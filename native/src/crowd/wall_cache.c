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

#define MARKED 64         // most walls marked that may face the agent
#define MARK_MARGIN 1e-3  // far more than rounding

// --- Lookup -----------------------------------------------------------------------------------------------------------

static bool is_near(const CrCrowd *crowd, const CrAgent *agent) {
  double refresh = crowd->options.wall_refresh_distance;
  return cr__dist2(agent->follower.position, agent->cache.center) <= refresh * refresh;
}

CrWall cr__wall(CrPolyRef ref, uint8_t edge, uint8_t part, CrVec3 a, CrVec3 b) {
  return (CrWall){ref, cr__orca_wall(cr__vec2(a.x, a.z), cr__vec2(b.x, b.z)), a.y, b.y - a.y, edge, part};
}

// What a wall is to an agent, how far along and how far out, changes by no more than the agent moves. Until the next lookup
// that is the refresh distance, so most walls need not be looked at before.
static uint64_t mark_walls(const CrCrowd *crowd, const CrAgent *agent) {
  const CrWallCache *cache = &agent->cache;
  CrVec2 center = {cache->center.x, cache->center.z};
  double moved = crowd->options.wall_refresh_distance + MARK_MARGIN, reach = agent->avoidance.wall_reach + moved;
  uint64_t marks = 0;
  for (int32_t k = 0; k < cache->count && k < MARKED; k++) {
    CrOrcaSide side;
    bool faces = cr__orca_faces_within(&cache->walls[k].line, center, agent->options.wall_clearance, moved, &side);
    if (faces && side.out <= reach) marks |= UINT64_C(1) << k;
  }
  return marks;
}

void cr__walls_refresh(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent) {
  if (cr__walls_hold(crowd, agent) && is_near(crowd, agent)) return;
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
  cache->may_face = mark_walls(crowd, agent);
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

// Where an agent chooses, and what it has chosen so far.
typedef struct Choice {
  const CrAgent *agent;
  CrWorker *worker;
  CrVec2 position;
  int32_t count, most;
} Choice;

static inline void offer_wall(Choice *choice, int32_t index) {
  const CrAgent *agent = choice->agent;
  const CrWall *walls = agent->cache.walls;
  CrOrcaSide side;
  bool faces = cr__orca_faces(&walls[index].line, choice->position, agent->options.wall_clearance, &side);
  if (!faces || side.out > agent->avoidance.wall_reach) return;
  if (choice->count == choice->most && side.out > choice->worker->wall_out[choice->count - 1]) return;
  if (!on_floor(&walls[index], &side, agent->follower.position.y)) return;
  choice->count = insert_wall(choice->worker, walls, choice->count, choice->most, index, side.out);
}

// One that is about to cross a link does not look its walls up.
static uint64_t marks_that_hold(const CrCrowd *crowd, const CrAgent *agent) {
  uint64_t all = agent->cache.count < MARKED ? (UINT64_C(1) << agent->cache.count) - 1 : UINT64_MAX;
  return is_near(crowd, agent) ? agent->cache.may_face & all : all;
}

int32_t cr__walls_select(const CrCrowd *crowd, CrWorker *worker, const CrAgent *agent) {
  const CrWallCache *cache = &agent->cache;
  CrVec3 position = agent->follower.position;
  Choice choice = {agent, worker, {position.x, position.z}, 0, crowd->options.max_walls_avoided};
  if (!cache->valid || choice.most == 0) return 0;
  uint64_t left = marks_that_hold(crowd, agent);
  for (int32_t k = MARKED; left || k < cache->count; left &= left - 1) {
    offer_wall(&choice, left ? __builtin_ctzll(left) : k++);
  }
  for (int32_t k = 0; k < choice.count; k++) {
    const CrWall *wall = &cache->walls[worker->wall_index[k]];
    worker->planes[k] = cr__orca_boundary(&wall->line, worker->wall_out[k], agent->options.wall_clearance,
                                          agent->avoidance.wall_horizon);
  }
  return choice.count;
}
