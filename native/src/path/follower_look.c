// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The corners ahead of a follower, the one to steer at, and the lengths to where it must stop.
// Agents of a crowd keep what they saw: from the first corner on, the corners are a function of that corner, the polygons
// from it to the end, the end point and the mesh. While none of these changed only the way to the first corner is pulled
// anew, and when it is the same corner the rest is as before, bit for bit. What is kept is never state: a follower that has
// lost it (restored, placed) sees the same corners.
#include "path_internal.h"

#define CR_SAME_PLACE 1e-9  // a corner this near is behind

static bool is_stop(uint8_t flags) { return flags & (CR_CORNER_END | CR_CORNER_OFF_MESH); }

// The first corner after the position that is not at the same place. Stops (the end, an off-mesh entry) are not passed over.
static int32_t pick_steering(const CrCorner *corners, int32_t count, CrVec3 position) {
  if (is_stop(corners[0].flags)) return 0;
  int32_t k = 1;
  while (k < count - 1 && !is_stop(corners[k].flags) && cr__dist_xz(position, corners[k].point) <= CR_SAME_PLACE) k++;
  return k < count ? k : count - 1;
}

// Lengths from the first corner after the position to the first stop and to the end.
static void measure_tail(const CrCorner *corners, int32_t count, double *to_stop, double *to_end) {
  double length = 0.0;
  *to_stop = *to_end = CR_UNKNOWN_DISTANCE;
  for (int32_t k = 1; k < count; k++) {
    if (k > 1) length += cr__dist_xz(corners[k - 1].point, corners[k].point);
    if (is_stop(corners[k].flags) && length < *to_stop) *to_stop = length;
    if (corners[k].flags & CR_CORNER_END) *to_end = length;
  }
}

static void finish_look(const CrFollower *follower, const CrCorner *corners, double tail_to_stop, double tail_to_end,
                        CrWayAhead *way) {
  double first_leg = way->count > 1 ? cr__dist_xz(corners[0].point, corners[1].point) : 0.0;
  way->steering = pick_steering(corners, way->count, follower->position);
  way->to_stop = is_stop(corners[0].flags) ? 0.0 : first_leg + tail_to_stop;
  way->to_end = corners[0].flags & CR_CORNER_END ? 0.0 : first_leg + tail_to_end;
}

// --- What a crowd's agent keeps -----------------------------------------------------------------------------------------

static void keep(CrFollower *follower, const CrPathContext *context, CrVec3 end, const CrWayAhead *way) {
  CrKeptWay *kept = &follower->kept;
  CrCorridor *corridor = &follower->corridor;
  kept->count = way->count - 1 <= CR_KEPT_CORNERS ? way->count - 1 : 0;
  for (int32_t k = 0; k < kept->count; k++) {
    const CrCorner *corner = &context->corners[k + 1];
    *cr__kept_corner(kept, k) = (CrKeptCorner){corner->point, corridor->count - corner->path_index, corner->flags};
  }
  kept->mesh_stamp = context->mesh->stamp;
  kept->end = end;
  kept->sight.range = -1.0;
  corridor->kept_tail = corridor->count;
}

static bool still_first(const CrKeptCorner *kept, const CrCorner *corner, int32_t path_count) {
  return cr__same_point(kept->point, corner->point) && kept->flags == corner->flags &&
         kept->from_end == path_count - corner->path_index;
}

// Pulls the string to its first corner. False when that is another one than before.
static bool pull_to_first(const CrFollower *follower, CrPathContext *context) {
  const CrKeptWay *kept = &follower->kept;
  const CrCorridor *corridor = &follower->corridor;
  int32_t count;
  CrStraightPathOutcome outcome = cr_query_straight_path(context->mesh, corridor->position, kept->end, corridor->path,
                                                         corridor->count, context->filter, context->corners, 2, &count);
  if (outcome == CR_STRAIGHT_INVALID_CORRIDOR || count < 2) return false;
  return still_first(cr__kept_corner(kept, 0), &context->corners[1], corridor->count);
}

static bool reuse(CrFollower *follower, CrPathContext *context, CrWayAhead *way) {
  const CrKeptWay *kept = &follower->kept;
  const CrCorridor *corridor = &follower->corridor;
  CrCorner *corners = context->corners;
  if (kept->count == 0 || kept->mesh_stamp != context->mesh->stamp) return false;
  if (cr__kept_corner(kept, 0)->from_end > corridor->kept_tail) return false;
  cr__corridor_copy_front(&follower->corridor);
  if (cr__follower_sees_corner(follower, context)) {
    corners[0] = (CrCorner){corridor->position, cr__corridor_polygon(corridor, 0), 0, CR_CORNER_START};
  } else if (!pull_to_first(follower, context)) {
    return false;
  }
  for (int32_t k = 0; k < kept->count; k++) {
    const CrKeptCorner *corner = cr__kept_corner(kept, k);
    int32_t index = corridor->count - corner->from_end;
    // Nobody asks for the polygon at a corner that no link begins at.
    CrPolyRef ref = corner->flags & CR_CORNER_OFF_MESH ? corridor->path[index] : CR_INVALID_REF;
    corners[k + 1] = (CrCorner){corner->point, ref, index, corner->flags};
  }
  way->count = kept->count + 1;
  finish_look(follower, corners, kept->tail_to_stop, kept->tail_to_end, way);
  return true;
}

bool cr__follower_look(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way) {
  const CrCorridor *corridor = &follower->corridor;
  double tail_to_stop, tail_to_end;
  CrVec3 end;
  if (in_crowd && reuse(follower, context, way)) return true;
  if (!cr__corridor_end(corridor, context->mesh, &end)) return false;
  CrStraightPathOutcome outcome =
      cr_query_straight_path(context->mesh, corridor->position, end, corridor->path, corridor->count, context->filter,
                             context->corners, follower->options.max_corners, &way->count);
  if (outcome == CR_STRAIGHT_INVALID_CORRIDOR || way->count < 1) return false;
  measure_tail(context->corners, way->count, &tail_to_stop, &tail_to_end);
  finish_look(follower, context->corners, tail_to_stop, tail_to_end, way);
  if (!in_crowd) return true;
  follower->kept.tail_to_stop = tail_to_stop;
  follower->kept.tail_to_end = tail_to_end;
  keep(follower, context, end, way);
  return true;
}

void cr__follower_forget(CrFollower *follower) {
  follower->kept.count = 0;
  cr__corridor_changed(&follower->corridor, 0);
}
