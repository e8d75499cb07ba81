// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a follower looks like, as plain data for drawing (docs/behaviour/followers.md, "Debug geometry"). Reads only.
// Invariant: counts are those of everything there is, whatever the arrays hold of it; nothing past a capacity is written.
// order: outlines and corners go by the corridor, from the agent on.
#include "path_internal.h"

#define CR_CORNERS_AT_A_TIME 32  // keeps the stack small: corridors may have thousands of corners

static void put_vertex(const CrFollowerDebugArrays *arrays, CrFollowerDebug *out, CrVec3 vertex) {
  if (out->vertex_count < arrays->vertex_capacity) arrays->vertices[out->vertex_count] = vertex;
  out->vertex_count++;
}

// A stale polygon keeps its place, without vertices.
static void put_outline(const CrFollowerDebugArrays *arrays, const CrNavMesh *mesh, CrPolyRef ref,
                        CrFollowerDebug *out) {
  CrPolygonInfo polygon;
  if (cr_navmesh_polygon(mesh, ref, &polygon) != CR_STATUS_OK) polygon.vertex_count = 0;
  if (out->outline_count < arrays->outline_capacity) {
    CrFollowerOutline outline = {ref, out->vertex_count, (int32_t)polygon.vertex_count};
    arrays->outlines[out->outline_count] = outline;
  }
  out->outline_count++;
  for (uint32_t k = 0; k < polygon.vertex_count; k++) put_vertex(arrays, out, polygon.vertices[k]);
}

// Adds a piece of the string; all but the first piece, which is at polygon 0, begin at the corner written last.
static void put_corners(const CrFollowerDebugArrays *arrays, const CrCorner *piece, int32_t count, int32_t first,
                        CrFollowerDebug *out) {
  for (int32_t k = first > 0 ? 1 : 0; k < count; k++) {
    CrCorner corner = piece[k];
    corner.path_index += first;
    if (out->corner_count < arrays->corner_capacity) arrays->corners[out->corner_count] = corner;
    out->corner_count++;
  }
}

// The string pulled through the whole corridor, piece by piece: from a corner on it depends on nothing before it. False when
// the corridor does not hold together.
static bool pull_string(const CrCorridor *corridor, const CrNavMesh *mesh, const CrQueryFilter *filter,
                        const CrFollowerDebugArrays *arrays, CrFollowerDebug *out) {
  CrCorner piece[CR_CORNERS_AT_A_TIME];
  CrVec3 start = corridor->position, end;
  if (!cr__corridor_end(corridor, mesh, &end)) return false;
  for (int32_t first = 0;;) {
    int32_t count;
    CrStraightPathOutcome outcome = cr_query_straight_path(
        mesh, start, end, corridor->path + first, corridor->count - first, filter, piece, CR_CORNERS_AT_A_TIME, &count);
    if (outcome == CR_STRAIGHT_INVALID_CORRIDOR) return false;
    put_corners(arrays, piece, count, first, out);
    if (outcome == CR_STRAIGHT_OK) return true;
    start = piece[count - 1].point;
    CR_ASSERT(piece[count - 1].path_index > 0);
    first += piece[count - 1].path_index;
  }
}

static void tell_crossing(const CrFollower *follower, CrFollowerDebug *out) {
  out->crossing = follower->state == CR_FOLLOWER_OFF_MESH_LINK;
  if (!out->crossing) return;
  out->off_mesh_start = follower->off_mesh_start;
  out->off_mesh_end = follower->off_mesh_end;
  out->off_mesh_elapsed = follower->off_mesh_elapsed;
  out->off_mesh_duration = follower->off_mesh_duration;
  out->off_mesh_exit = follower->off_mesh_exit;
}

void cr_follower_debug(const CrFollower *follower, const CrNavMesh *mesh, const CrQueryFilter *filter,
                       const CrFollowerDebugArrays *arrays, CrFollowerDebug *out) {
  static const CrFollowerDebugArrays none;
  const CrCorridor *corridor = &follower->corridor;
  if (!arrays) arrays = &none;
  *out = (CrFollowerDebug){.state = follower->state,
                           .position = follower->position,
                           .velocity = follower->velocity,
                           .destination = follower->destination};
  tell_crossing(follower, out);
  for (int32_t k = 0; k < corridor->count; k++) put_outline(arrays, mesh, corridor->path[k], out);
  out->broken = corridor->count > 0 && !pull_string(corridor, mesh, filter, arrays, out);
  if (out->broken) out->corner_count = 0;
  out->seen_count =
      out->corner_count < follower->options.max_corners ? out->corner_count : follower->options.max_corners;
}
