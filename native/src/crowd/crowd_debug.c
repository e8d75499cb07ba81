// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a crowd looks like, as plain data for drawing (docs/behaviour/crowds.md, "Debug geometry"). Reads only.
// Invariant: counts are those of everything there is, whatever the arrays hold of it; nothing past a capacity is written.
// order: agents by slot; of an agent, corridor order, wall list order, half-planes as solved.
#include "crowdreel/crowd_debug.h"

#include "crowd_struct.h"

static size_t room(size_t capacity, size_t used) { return capacity > used ? capacity - used : 0; }

// Items of one agent are counted in 32 bits.
static int32_t room32(size_t capacity, size_t used) {
  size_t left = room(capacity, used);
  return left < INT32_MAX ? (int32_t)left : INT32_MAX;
}

// Where item `used` goes; null where there is no room for it.
#define PLACE(items, capacity, used) ((capacity) > (used) ? &(items)[used] : NULL)

static void put_follower(const CrCrowd *crowd, const CrAgent *agent, const CrCrowdDebugArrays *arrays,
                         CrAgentDebug *told, CrCrowdDebug *out) {
  CrFollowerDebugArrays part = {
      .outlines = PLACE(arrays->outlines, arrays->outline_capacity, out->outline_count),
      .vertices = PLACE(arrays->vertices, arrays->vertex_capacity, out->vertex_count),
      .corners = PLACE(arrays->corners, arrays->corner_capacity, out->corner_count),
      .outline_capacity = room32(arrays->outline_capacity, out->outline_count),
      .vertex_capacity = room32(arrays->vertex_capacity, out->vertex_count),
      .corner_capacity = room32(arrays->corner_capacity, out->corner_count),
  };
  cr_follower_debug(&agent->follower, crowd->mesh, crowd->options.filter, &part, &told->follower);
  told->first_outline = out->outline_count;
  told->first_vertex = out->vertex_count;
  told->first_corner = out->corner_count;
  out->outline_count += (size_t)told->follower.outline_count;
  out->vertex_count += (size_t)told->follower.vertex_count;
  out->corner_count += (size_t)told->follower.corner_count;
}

static void put_walls(const CrCrowd *crowd, const CrAgent *agent, const CrCrowdDebugArrays *arrays, CrAgentDebug *told,
                      CrCrowdDebug *out) {
  const CrWallCache *cache = &agent->cache;
  told->first_wall = out->wall_count;
  told->wall_count = cr__walls_hold(crowd, agent) ? cache->count : 0;
  for (int32_t k = 0; k < told->wall_count; k++, out->wall_count++) {
    if (out->wall_count >= arrays->wall_capacity) continue;
    const CrWall *wall = &cache->walls[k];
    CrAgentWall piece = {.ref = wall->ref, .edge = wall->edge, .part = wall->part};
    CrStatus status =
        cr_query_wall_piece(crowd->mesh, crowd->options.filter, wall->ref, wall->edge, wall->part, &piece.a, &piece.b);
    CR_ASSERT(status == CR_STATUS_OK);
    (void)status;
    arrays->walls[out->wall_count] = piece;
  }
}

static void put_constraints(const CrCrowd *crowd, const CrAgent *agent, const CrCrowdDebugArrays *arrays,
                            CrAgentDebug *told, CrCrowdDebug *out) {
  told->first_constraint = out->constraint_count;
  told->constraint_count = cr_crowd_constraints(
      crowd, agent->id, room32(arrays->constraint_capacity, out->constraint_count),
      PLACE(arrays->constraints, arrays->constraint_capacity, out->constraint_count), &told->wall_constraint_count);
  out->constraint_count += (size_t)told->constraint_count;
}

static void put_agent(const CrCrowd *crowd, int32_t slot, const CrCrowdDebugArrays *arrays, CrCrowdDebug *out) {
  const CrAgent *agent = cr__crowd_slot(crowd, slot);
  CrAgentDebug told = {.id = agent->id,
                       .slot = slot,
                       .radius = agent->options.radius,
                       .wanted_x = agent->wanted_x,
                       .wanted_z = agent->wanted_z};
  put_follower(crowd, agent, arrays, &told, out);
  put_walls(crowd, agent, arrays, &told, out);
  put_constraints(crowd, agent, arrays, &told, out);
  if (out->agent_count < arrays->agent_capacity) arrays->agents[out->agent_count] = told;
  out->agent_count++;
}

static const CrCrowdDebugArrays no_arrays;

void cr_crowd_debug(const CrCrowd *crowd, const CrCrowdDebugArrays *arrays, CrCrowdDebug *out) {
  *out = (CrCrowdDebug){0};
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (cr__crowd_slot_active(crowd, slot)) put_agent(crowd, slot, arrays ? arrays : &no_arrays, out);
  }
}

CrStatus cr_crowd_debug_agent(const CrCrowd *crowd, int64_t id, const CrCrowdDebugArrays *arrays, CrCrowdDebug *out) {
  int32_t slot = cr__agents_find(crowd, id);
  if (slot < 0) return CR_STATUS_NO_SUCH_AGENT;
  *out = (CrCrowdDebug){0};
  put_agent(crowd, slot, arrays ? arrays : &no_arrays, out);
  return CR_STATUS_OK;
}
