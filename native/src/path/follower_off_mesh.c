// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Off-mesh crossings (docs/behaviour/followers.md, "Off-mesh links"). During one the corridor starts at the entry's polygon
// with its position at the entry, while the follower's own position travels.
#include "path_internal.h"

#define CR_MOST_DURATION 1e15  // keeps the clock finite when the speed is all but zero

// The corridor begins at polygon `first` and `point` of it.
static void start_corridor_at(CrFollower *follower, int32_t first, CrVec3 point) {
  cr__corridor_drop_front(&follower->corridor, first);
  follower->corridor.position = follower->position = point;
}

static double crossing_time(const CrFollower *follower, const CrWay *way) {
  return cr__min(cr__dist(way->a, way->b) / follower->options.off_mesh_speed, CR_MOST_DURATION);
}

// The way from an entry's polygon to the next, when it is a link.
static bool link_ahead(const CrFollower *follower, const CrPathContext *context, const CrCorner *entry,
                       const CrTile **out_tile, CrWay *out_way) {
  const CrCorridor *corridor = &follower->corridor;
  CrPolyRef ref = corridor->path[entry->path_index];
  *out_tile = cr__resolve(context->mesh, ref);
  *out_way = (CrWay){.kind = CR_WAY_NONE};
  if (*out_tile && entry->path_index + 1 < corridor->count) {
    CrPolyRef next = corridor->path[entry->path_index + 1];
    *out_way = cr__way_between(context->mesh, *out_tile, cr__ref_polygon(ref), next, context->filter);
  }
  return out_way->kind == CR_WAY_OFF_MESH;
}

bool cr__follower_crossing_ahead(const CrFollower *follower, const CrPathContext *context, const CrCorner *entry,
                                 CrVec3 *out_end, double *out_duration) {
  const CrTile *tile;
  CrWay way;
  if (!link_ahead(follower, context, entry, &tile, &way)) return false;
  *out_end = way.b;
  *out_duration = crossing_time(follower, &way);
  return true;
}

static void enter_link(CrFollower *follower, const CrNavMesh *mesh, const CrTile *tile, const CrWay *way) {
  const CrLink *link = &tile->links[way->link];
  follower->since.link_user_id = mesh->tiles[link->owner_slot].off_mesh[link->off_mesh].user_id;
  cr__follower_note(follower, CR_EVENT_LINK_ENTERED);
  follower->state = CR_FOLLOWER_OFF_MESH_LINK;
  follower->off_mesh_start = way->a;
  follower->off_mesh_end = way->b;
  follower->off_mesh_exit = way->target;
  follower->off_mesh_elapsed = 0.0;
  follower->off_mesh_duration = crossing_time(follower, way);
}

// A link without length merges its two corners into one, that names the polygon behind it: there is nothing to cross.
void cr__follower_begin_crossing(CrFollower *follower, CrPathContext *context, const CrCorner *entry) {
  const CrTile *tile;
  CrWay way;
  bool crosses = link_ahead(follower, context, entry, &tile, &way);
  if (crosses) enter_link(follower, context->mesh, tile, &way);
  start_corridor_at(follower, entry->path_index, crosses ? way.a : entry->point);
  follower->velocity = cr__vec(0.0, 0.0, 0.0);
  follower->remaining_distance = CR_UNKNOWN_DISTANCE;
  cr__follower_reset_stuck(follower);
}

static int32_t find_exit(const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  if (!cr__resolve(context->mesh, follower->off_mesh_exit)) return -1;
  for (int32_t k = 0; k < corridor->count; k++) {
    if (corridor->path[k] == follower->off_mesh_exit) return k;
  }
  return -1;
}

// The exit's polygon is gone. Until a polygon near the exit is found the corridor says so: its one polygon is stale.
static void land_nowhere(CrFollower *follower, CrPathContext *context) {
  CrCorridor *corridor = &follower->corridor;
  corridor->path[0] = follower->off_mesh_exit;
  corridor->count = 1;
  corridor->complete = false;
  cr__corridor_changed(corridor, 0);
  cr_corridor_request_replan(corridor);
  corridor->position = follower->position = follower->off_mesh_end;
  cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
  cr__follower_relocate(follower, context);
}

void cr__follower_finish_crossing(CrFollower *follower, CrPathContext *context) {
  int32_t exit_index = find_exit(follower, context);
  follower->state = CR_FOLLOWER_MOVING;
  cr__follower_note(follower, CR_EVENT_LINK_LEFT);
  if (exit_index >= 0) {
    start_corridor_at(follower, exit_index, follower->off_mesh_end);
  } else {
    land_nowhere(follower, context);
  }
  cr__follower_reset_stuck(follower);
}

static void advance(CrFollower *follower, CrPathContext *context, double dt) {
  CrVec3 before = follower->position;
  follower->off_mesh_elapsed += dt;
  if (follower->off_mesh_elapsed < follower->off_mesh_duration) {
    double done = follower->off_mesh_elapsed / follower->off_mesh_duration;
    follower->position = cr__lerp(follower->off_mesh_start, follower->off_mesh_end, done);
  } else {
    cr__follower_finish_crossing(follower, context);
  }
  if (follower->state == CR_FOLLOWER_NO_PATH) return;
  cr__follower_report(follower, before, CR_UNKNOWN_DISTANCE, dt);
}

void cr__follower_step_crossing(CrFollower *follower, CrPathContext *context, double dt) {
  if (follower->options.off_mesh_mode == CR_OFF_MESH_AUTOMATIC) {
    advance(follower, context, dt);
  } else {
    follower->velocity = cr__vec(0.0, 0.0, 0.0);
  }
}

CrStatus cr_follower_complete_off_mesh(CrFollower *follower, CrPathContext *context, CrError *error) {
  if (follower->state != CR_FOLLOWER_OFF_MESH_LINK) return cr__fail(error, CR_STATUS_NOT_FOUND, "crossing");
  CrStatus status = cr__follower_check_context(follower, context, error);
  if (status != CR_STATUS_OK) return status;
  cr__follower_finish_crossing(follower, context);
  return CR_STATUS_OK;
}
