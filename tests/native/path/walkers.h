// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the path tests share: contexts and followers on test worlds, lookups, funnel lengths, state bytes.
#ifndef CR_TEST_WALKERS_H
#define CR_TEST_WALKERS_H

#include "check.h"
#include "path_internal.h"
#include "worlds.h"

#define EXTENTS cr__vec(2.0, 4.0, 2.0)

static inline CrPathContext *make_context(const CrNavMesh *mesh, CrNodeModel model, int32_t local_nodes,
                                          const CrQueryFilter *filter) {
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.node_model = model;
  options.local_nodes = local_nodes;
  options.filter = filter;
  CrPathContext *context;
  REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &context, NULL));
  return context;
}

// The polygon over (x, z) nearest to height y.
static inline CrNearestPoly find_polygon(CrPathContext *context, CrVec3 point) {
  CrNearestPoly nearest = {CR_INVALID_REF, point, false};
  cr_query_nearest_poly(context->query, point, EXTENTS, NULL, &nearest, NULL);
  return nearest;
}

static inline CrPolyRef polygon_at(CrPathContext *context, double x, double z) {
  return find_polygon(context, cr__vec(x, 0.0, z)).ref;
}

static inline CrCorridor *make_corridor(CrPathContext *context, int32_t capacity, CrVec3 at) {
  CrCorridor *corridor;
  REQUIRE_OK(cr_corridor_create(capacity, NULL, &corridor, NULL));
  CrNearestPoly nearest = find_polygon(context, at);
  REQUIRE_OK(cr_corridor_reset(corridor, context, nearest.ref, nearest.point, NULL));
  return corridor;
}

// A corridor from `from` to `to` by one unlimited replan.
static inline CrCorridor *planned_corridor(CrPathContext *context, int32_t capacity, CrVec3 from, CrVec3 to) {
  CrCorridor *corridor = make_corridor(context, capacity, from);
  REQUIRE_OK(cr_corridor_set_target(corridor, to, NULL));
  cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX);
  return corridor;
}

static inline CrFollower *make_follower(CrPathContext *context, const CrFollowerOptions *options, CrVec3 at) {
  CrFollower *follower;
  REQUIRE_OK(cr_follower_create(options, NULL, &follower, NULL));
  REQUIRE_OK(cr_follower_place(follower, context, at, NULL));
  return follower;
}

static inline void check_sound(const CrCorridor *corridor, const CrPathContext *context) {
  const char *broken = cr__corridor_invariant(corridor, context);
  if (broken && check_failures < 20) printf("  %s\n", broken);
  CHECK(!broken);
}

static inline bool same_path(const CrCorridor *corridor, const CrPolyRef *path, int32_t count) {
  return corridor->count == count && memcmp(corridor->path, path, (size_t)count * sizeof *path) == 0;
}

// What it costs (without a filter: how long it is) to walk the string pulled through a fresh crossing-node route; -1 when the way does not exist.
static inline double fresh_length(CrPathContext *crossing, CrVec3 from, CrVec3 to) {
  static CrPolyRef path[65536];
  CrNearestPoly a = find_polygon(crossing, from), b = find_polygon(crossing, to);
  CrPathResult result;
  CrStatus status =
      cr_query_find_path(crossing->query, a.ref, from, b.ref, to, crossing->filter, path, 65536, &result, NULL);
  if (status != CR_STATUS_OK || result.outcome != CR_PATH_SUCCESS) return -1.0;
  return cr__path_walk_cost(crossing, from, to, path, result.count);
}

#define STATE_LIMIT (66 + 203 + 8 * CR_CORRIDOR_MAX_CAPACITY)

typedef struct StateBytes {
  size_t size;
  uint8_t data[STATE_LIMIT];
} StateBytes;

static inline void take_state(const CrFollower *follower, StateBytes *out) {
  out->size = cr_follower_state_size(follower);
  REQUIRE_OK(cr_follower_save(follower, out->data, sizeof out->data, NULL));
}

static inline bool same_state(const StateBytes *a, const StateBytes *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

#endif
