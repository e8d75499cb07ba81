// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The corridor: the polygons still ahead of an agent, from the one it stands on to the one its target lies on
// (docs/behaviour/corridors.md). This file holds its life, targets, corners, and repair after mesh changes.
// Invariant: at most `capacity` polygons, none twice, each connected to the one before; the position lies on the first;
// complete means the last one is the target polygon. Mesh edits may break it until cr_corridor_validate is called.
#include "path_internal.h"

CrStatus cr__corridor_init(CrCorridor *corridor, int32_t capacity, const CrAllocator *allocator, CrError *error) {
  if (capacity < CR_CORRIDOR_MIN_CAPACITY || capacity > CR_CORRIDOR_MAX_CAPACITY) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", CR_CORRIDOR_MAX_CAPACITY);
  }
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrPolyRef *path = cr__alloc(&hooks, (size_t)capacity, sizeof *path);
  if (!path) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  memset(corridor, 0, sizeof *corridor);
  corridor->allocator = hooks;
  corridor->capacity = capacity;
  corridor->path = path;
  return CR_STATUS_OK;
}

void cr__corridor_deinit(CrCorridor *corridor) {
  cr__free(&corridor->allocator, corridor->path, (size_t)corridor->capacity, sizeof *corridor->path);
  corridor->path = NULL;
}

CrStatus cr_corridor_create(int32_t capacity, const CrAllocator *allocator, CrCorridor **out, CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrCorridor *corridor = cr__alloc(&hooks, 1, sizeof *corridor);
  if (!corridor) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrStatus status = cr__corridor_init(corridor, capacity, &hooks, error);
  if (status != CR_STATUS_OK) {
    cr__free(&hooks, corridor, 1, sizeof *corridor);
    return status;
  }
  *out = corridor;
  return CR_STATUS_OK;
}

void cr_corridor_destroy(CrCorridor *corridor) {
  if (!corridor) return;
  CrAllocator allocator = corridor->allocator;
  cr__corridor_deinit(corridor);
  cr__free(&allocator, corridor, 1, sizeof *corridor);
}

static bool accepted(const CrTile *tile, CrPolyRef ref, const CrQueryFilter *filter) {
  return cr__accepts_polygon(filter, tile, cr__ref_polygon(ref));
}

CrStatus cr_corridor_reset(CrCorridor *corridor, const CrPathContext *context, CrPolyRef ref, CrVec3 position,
                           CrError *error) {
  CrStatus status = cr__check_point(error, position, "position");
  if (status != CR_STATUS_OK) return status;
  const CrTile *tile = cr__resolve(context->mesh, ref);
  if (!tile || !accepted(tile, ref, context->filter)) return cr__fail(error, CR_STATUS_STALE_REF, "ref");
  corridor->path[0] = ref;
  corridor->count = 1;
  corridor->position = cr__polygon_closest(tile, cr__ref_polygon(ref), position, NULL);
  corridor->target = corridor->position;
  corridor->target_ref = ref;
  corridor->complete = true;
  corridor->needs_replan = false;
  corridor->replan_from_start = false;
  cr__corridor_changed(corridor, 0);
  return CR_STATUS_OK;
}

int32_t cr_corridor_capacity(const CrCorridor *corridor) { return corridor->capacity; }
int32_t cr_corridor_count(const CrCorridor *corridor) { return corridor->count; }
const CrPolyRef *cr_corridor_path(const CrCorridor *corridor) { return corridor->path; }
CrVec3 cr_corridor_position(const CrCorridor *corridor) { return corridor->position; }
CrVec3 cr_corridor_target(const CrCorridor *corridor) { return corridor->target; }
CrPolyRef cr_corridor_target_ref(const CrCorridor *corridor) { return corridor->target_ref; }
bool cr_corridor_is_complete(const CrCorridor *corridor) { return corridor->complete; }
bool cr_corridor_needs_replan(const CrCorridor *corridor) { return corridor->needs_replan; }

void cr_corridor_request_replan(CrCorridor *corridor) {
  corridor->needs_replan = true;
  corridor->replan_from_start = true;
}

CrStatus cr_corridor_set_target(CrCorridor *corridor, CrVec3 target, CrError *error) {
  CrStatus status = cr__check_point(error, target, "target");
  if (status != CR_STATUS_OK) return status;
  corridor->target = target;
  corridor->target_ref = CR_INVALID_REF;
  corridor->complete = false;
  cr__corridor_changed(corridor, 0);
  cr_corridor_request_replan(corridor);
  return CR_STATUS_OK;
}

// --- Connections ------------------------------------------------------------------------------------------------------

static bool share_edge(const CrTile *tile, uint32_t from, uint32_t to) {
  for (uint32_t k = tile->polygon_first[from]; k < tile->polygon_first[from + 1]; k++) {
    if (tile->corner_neighbour[k] == to) return true;
  }
  return false;
}

static bool share_link(const CrTile *tile, uint32_t from, CrPolyRef to, const CrQueryFilter *filter) {
  for (uint32_t k = tile->link_first[from]; k < tile->link_first[from + 1]; k++) {
    const CrLink *link = &tile->links[k];
    if (link->target != to) continue;
    if (link->edge != CR_LINK_NO_EDGE || cr__accepts(filter, link->flags)) return true;
  }
  return false;
}

// Existence only, of the ways cr__way_between describes: this runs for every polygon looked at in every step.
static bool ways_join(const CrTile *from_tile, CrPolyRef from, const CrTile *to_tile, CrPolyRef to,
                      const CrQueryFilter *filter) {
  uint32_t polygon = cr__ref_polygon(from);
  if (from_tile == to_tile && share_edge(from_tile, polygon, cr__ref_polygon(to))) return true;
  return share_link(from_tile, polygon, to, filter);
}

// --- Corners ----------------------------------------------------------------------------------------------------------

bool cr__corridor_usable(const CrCorridor *corridor, const CrPathContext *context) {
  return corridor->count > 0 && corridor->capacity <= context->max_corridor;
}

bool cr__corridor_end(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 *out) {
  if (corridor->count == 0) return false;
  CrPolyRef last = corridor->path[corridor->count - 1];
  const CrTile *tile = cr__resolve(mesh, last);
  if (!tile) return false;
  uint32_t polygon = cr__ref_polygon(last);
  if (!corridor->complete) {
    double distance2;
    *out = cr__polygon_nearest(tile, polygon, corridor->target, (double)__builtin_inf(), &distance2);
    return true;
  }
  bool over;
  CrVec3 nearest = cr__polygon_closest(tile, polygon, corridor->target, &over);
  *out = over ? corridor->target : nearest;
  return true;
}

CrStraightPathOutcome cr_corridor_find_corners(const CrCorridor *corridor, const CrPathContext *context,
                                               CrCorner *corners, int32_t capacity, int32_t *out_count) {
  CrVec3 end;
  *out_count = 0;
  if (capacity < 2 || !cr__corridor_end(corridor, context->mesh, &end)) return CR_STRAIGHT_INVALID_CORRIDOR;
  return cr_query_straight_path(context->mesh, corridor->position, end, corridor->path, corridor->count,
                                context->filter, corners, capacity, out_count);
}

// --- Mesh changes -----------------------------------------------------------------------------------------------------

// The number of leading polygons, up to `limit`, that hold together.
static int32_t sound_prefix(const CrCorridor *corridor, const CrPathContext *context, int32_t limit) {
  const CrTile *previous = NULL;
  for (int32_t k = 0; k < limit; k++) {
    CrPolyRef ref = corridor->path[k];
    const CrTile *tile = cr__resolve(context->mesh, ref);
    if (!tile || !accepted(tile, ref, context->filter)) return k;
    if (k > 0 && !ways_join(previous, corridor->path[k - 1], tile, ref, context->filter)) return k;
    previous = tile;
  }
  return limit;
}

static CrValidateOutcome mark_incomplete(CrCorridor *corridor) {
  corridor->complete = false;
  corridor->needs_replan = true;
  cr__corridor_changed(corridor, 0);
  return CR_VALIDATE_TRIMMED;
}

// The last polygon is sound here, so the target polygon is stale exactly when it is another one.
static bool has_stale_target(const CrCorridor *corridor) {
  return corridor->complete && corridor->target_ref != corridor->path[corridor->count - 1];
}

CrValidateOutcome cr_corridor_validate(CrCorridor *corridor, const CrPathContext *context, int32_t look_ahead) {
  int32_t limit = corridor->count < look_ahead ? corridor->count : look_ahead;
  if (corridor->count == 0) return CR_VALIDATE_INVALID;
  int32_t sound = sound_prefix(corridor, context, limit);
  corridor->sound = sound;
  corridor->sound_stamp = context->mesh->stamp;
  if (sound == 0 && limit > 0) return CR_VALIDATE_INVALID;
  if (sound < limit) {
    corridor->count = sound;
    corridor->replan_from_start = false;
    return mark_incomplete(corridor);
  }
  return limit == corridor->count && has_stale_target(corridor) ? mark_incomplete(corridor) : CR_VALIDATE_VALID;
}

CrValidateOutcome cr__corridor_validate_again(CrCorridor *corridor, const CrPathContext *context, int32_t look_ahead) {
  int32_t limit = corridor->count < look_ahead ? corridor->count : look_ahead;
  bool known = corridor->sound >= limit && corridor->sound_stamp == context->mesh->stamp && limit > 0;
  if (known && !(limit == corridor->count && has_stale_target(corridor))) return CR_VALIDATE_VALID;
  return cr_corridor_validate(corridor, context, look_ahead);
}

bool cr_corridor_relocate(CrCorridor *corridor, CrPathContext *context, CrVec3 extents) {
  CrNearestPoly nearest;
  CrStatus status = cr_query_nearest_poly(context->query, corridor->position, extents, context->filter, &nearest, NULL);
  if (status != CR_STATUS_OK) return false;
  corridor->path[0] = nearest.ref;
  corridor->count = 1;
  corridor->position = nearest.point;
  corridor->complete = false;
  cr__corridor_changed(corridor, 0);
  cr_corridor_request_replan(corridor);
  return true;
}

void cr__corridor_copy_front(CrCorridor *corridor) {
  if (corridor->has_front) return;
  int32_t count = corridor->count < CR_FRONT_POLYGONS ? corridor->count : CR_FRONT_POLYGONS;
  memcpy(corridor->front, corridor->path, (size_t)count * sizeof *corridor->path);
  corridor->has_front = true;
}

void cr__corridor_changed(CrCorridor *corridor, int32_t kept) {
  corridor->has_front = false;
  corridor->sound = 0;
  if (corridor->kept_tail > kept) corridor->kept_tail = kept;
  if (corridor->apart_tail > kept) corridor->apart_tail = kept;
  if (kept == 0) corridor->apart_range = 0.0;
}

void cr__corridor_drop_front(CrCorridor *corridor, int32_t count) {
  if (count == 0) return;
  corridor->has_front = false;
  corridor->count -= count;
  memmove(corridor->path, corridor->path + count, (size_t)corridor->count * sizeof *corridor->path);
  corridor->sound = corridor->sound > count ? corridor->sound - count : 0;
  if (corridor->kept_tail > corridor->count) corridor->kept_tail = corridor->count;
  if (corridor->apart_tail > corridor->count) corridor->apart_tail = corridor->count;
}
