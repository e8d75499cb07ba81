// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What there is to draw of a crowd, as plain data in the caller's arrays (docs/behaviour/crowds.md, "Debug geometry").
#ifndef CROWDREEL_CROWD_DEBUG_H
#define CROWDREEL_CROWD_DEBUG_H

#include "crowdreel/crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

// One wall piece of the list an agent keeps; the walkable side is left of a -> b.
typedef struct CrAgentWall {
  CrPolyRef ref;
  uint8_t edge, part;  // which uncovered piece of that edge
  CrVec3 a, b;
} CrAgentWall;

// One agent. Its items stand together in the arrays, from `first_...` on, as many as the counts say: those of outlines,
// vertices and corners are in `follower`. An outline's first_vertex counts from the agent's own first vertex.
typedef struct CrAgentDebug {
  int64_t id;
  int32_t slot;
  double radius;
  double wanted_x, wanted_z;  // wanted velocity of the last step, before avoidance
  CrFollowerDebug follower;
  size_t first_outline, first_vertex, first_corner, first_wall, first_constraint;
  int32_t wall_count;  // of the kept list; 0 while it is stale, to be looked up by the next step
  int32_t constraint_count, wall_constraint_count;  // as of cr_crowd_constraints; those against walls come first
} CrAgentDebug;

// The caller's arrays, each with room for its capacity. One may be null when its capacity is 0.
typedef struct CrCrowdDebugArrays {
  CrAgentDebug *agents;
  CrFollowerOutline *outlines;
  CrVec3 *vertices;
  CrCorner *corners;
  CrAgentWall *walls;
  CrConstraint *constraints;
  size_t agent_capacity, outline_capacity, vertex_capacity, corner_capacity, wall_capacity, constraint_capacity;
} CrCrowdDebugArrays;

typedef struct CrCrowdDebug {
  size_t agent_count, outline_count, vertex_count, corner_count, wall_count, constraint_count;
} CrCrowdDebug;

// What there is to draw of every agent, in slot order. Each array gets the first of its items, as many as it has room for; the
// counts are those of all, so a call with null arrays tells how large they must be. Changes nothing, allocates nothing.
void cr_crowd_debug(const CrCrowd *crowd, const CrCrowdDebugArrays *arrays, CrCrowdDebug *out);
// The same of one agent. CR_STATUS_NO_SUCH_AGENT.
CrStatus cr_crowd_debug_agent(const CrCrowd *crowd, int64_t id, const CrCrowdDebugArrays *arrays, CrCrowdDebug *out);

#ifdef __cplusplus
}
#endif
#endif
