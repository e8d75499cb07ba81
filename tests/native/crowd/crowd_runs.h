// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the crowd tests share: crowds on test worlds, routes, overlaps, state bytes.
#ifndef CR_TEST_CROWD_RUNS_H
#define CR_TEST_CROWD_RUNS_H

#include "check.h"
#include "crowd_struct.h"
#include "worlds.h"

#define RUN_DT (1.0 / 60.0)

// Two 20 x 20 rooms with a wall 0.4 thick and a door 1.6 wide between walkable edges, as three polygons.
static inline CrNavMesh *two_rooms(void) {
  static const double vertices[] = {0,    0, 0, 20,   0, 0, 20,   0, 9.2, 20,   0, 10.8, 20,   0, 20,   0,    0, 20,
                                    20.4, 0, 0, 40.4, 0, 0, 40.4, 0, 20,  20.4, 0, 20,   20.4, 0, 10.8, 20.4, 0, 9.2};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 2, 11, 10, 3, 6, 7, 8, 9, 10, 11};
  static const uint8_t counts[] = {6, 4, 6};
  CrNavMeshParams params = {.tile_size = 64, .climb = 0.5};
  CrTileDescription tile = {.vertex_count = 12,
                            .polygon_count = 3,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners};
  CrNavMesh *mesh;
  CrBytes bytes = {0};
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  return mesh;
}

static inline CrCrowd *make_crowd(const CrNavMesh *mesh, const CrAllocator *allocator) {
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, NULL, allocator, &crowd, NULL));
  return crowd;
}

static inline int64_t add_agent(CrCrowd *crowd, CrVec3 position, const CrAgentOptions *options) {
  int64_t id = -1;
  REQUIRE_OK(cr_crowd_add(crowd, position, options, &id, NULL));
  return id;
}

// An agent on its way.
static inline int64_t add_walker(CrCrowd *crowd, CrVec3 from, CrVec3 to, const CrAgentOptions *options) {
  int64_t id = add_agent(crowd, from, options);
  REQUIRE_OK(cr_crowd_set_destination(crowd, id, to, NULL));
  return id;
}

static inline CrFollowerInfo walker_info(const CrCrowd *crowd, int64_t id) {
  CrAgentInfo info;
  REQUIRE_OK(cr_crowd_agent(crowd, id, &info));
  return info.follower;
}

static inline bool has_arrived(const CrCrowd *crowd, int64_t id) {
  CrFollowerInfo info = walker_info(crowd, id);
  return info.state == CR_FOLLOWER_ARRIVED && info.reached_target;
}

static inline void check_crowd(const CrCrowd *crowd) {
  const char *broken = cr__crowd_invariant(crowd);
  if (broken) printf("  step %" PRId64 ": %s\n", crowd->step_count, broken);
  CHECK(!broken);
}

static inline void step_crowd(CrCrowd *crowd) { REQUIRE_OK(cr_crowd_step(crowd, RUN_DT, NULL)); }

// A flat square field of columns x rows square cells.
static inline CrNavMesh *open_world(int32_t columns, int32_t rows, double cell) {
  char *map = malloc((size_t)rows * (size_t)(columns + 1) + 1), *at = map;
  REQUIRE(map);
  for (int32_t row = 0; row < rows; row++) {
    memset(at, '.', (size_t)columns);
    at += columns;
    *at++ = '\n';
  }
  *at = 0;
  CrNavMesh *mesh = world_from_map(map, cell, 8, NULL);
  free(map);
  return mesh;
}

// Takes every agent that has arrived out of the crowd. Returns how many.
static inline int32_t remove_arrived(CrCrowd *crowd) {
  int32_t removed = 0;
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    int64_t id = cr__crowd_slot(crowd, slot)->id;
    if (!has_arrived(crowd, id)) continue;
    REQUIRE_OK(cr_crowd_remove(crowd, id, NULL));
    removed++;
  }
  return removed;
}

static inline bool on_ground(const CrCrowd *crowd, int32_t slot) {
  return cr__crowd_slot_active(crowd, slot) && cr__crowd_slot(crowd, slot)->follower.state != CR_FOLLOWER_OFF_MESH_LINK;
}

// The deepest overlap of two agents on one floor, as a length. Agents crossing a link avoid nobody and are left out.
static inline double deepest_overlap(const CrCrowd *crowd) {
  double deepest = 0.0;
  for (int32_t i = 0; i < crowd->slot_count; i++) {
    for (int32_t j = 0; j < i; j++) {
      if (!on_ground(crowd, i) || !on_ground(crowd, j)) continue;
      const CrAgent *a = cr__crowd_slot(crowd, i), *b = cr__crowd_slot(crowd, j);
      if (cr__abs(a->follower.position.y - b->follower.position.y) > 1.0) continue;
      double apart = cr__dist_xz(a->follower.position, b->follower.position);
      deepest = cr__max(deepest, a->options.radius + b->options.radius - apart);
    }
  }
  return deepest;
}

// Length of the shortest walk by a crossing-node search, -1 when there is none.
static inline double walk_length(CrPathContext *crossing, CrVec3 from, CrVec3 to) {
  CrCorridor *corridor;
  CrNearestPoly nearest;
  CrVec3 extents = {2.0, 4.0, 2.0};
  if (cr_query_nearest_poly(cr_path_context_query(crossing), from, extents, NULL, &nearest, NULL) != CR_STATUS_OK) {
    return -1.0;
  }
  REQUIRE_OK(cr_corridor_create(4096, NULL, &corridor, NULL));
  REQUIRE_OK(cr_corridor_reset(corridor, crossing, nearest.ref, nearest.point, NULL));
  REQUIRE_OK(cr_corridor_set_target(corridor, to, NULL));
  bool reached = cr_corridor_replan(corridor, crossing, extents, INT64_MAX) == CR_REPLAN_SUCCESS;
  static CrCorner corners[4096];
  int32_t count = 0;
  cr_corridor_find_corners(corridor, crossing, corners, 4096, &count);
  double length = 0.0;
  for (int32_t k = 1; k < count; k++) length += cr__dist_xz(corners[k - 1].point, corners[k].point);
  cr_corridor_destroy(corridor);
  return reached ? length : -1.0;
}

static inline CrPathContext *crossing_context(const CrNavMesh *mesh) {
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.node_model = CR_NODE_MODEL_CROSSING;
  options.max_corridor = CR_CORRIDOR_MAX_CAPACITY;
  CrPathContext *context;
  REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &context, NULL));
  return context;
}

typedef struct StateBytes {
  uint8_t *data;
  size_t size;
} StateBytes;

static inline StateBytes take_state(const CrCrowd *crowd) {
  StateBytes state = {NULL, cr_crowd_state_size(crowd)};
  state.data = malloc(state.size);
  size_t size = 0;
  REQUIRE(state.data);
  CHECK_OK(cr_crowd_save_state(crowd, state.data, state.size, &size, NULL));
  CHECK(size == state.size);
  return state;
}

static inline bool same_state(const StateBytes *a, const StateBytes *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

// Whether the crowd's state is exactly these bytes.
static inline bool stands_at(const CrCrowd *crowd, const StateBytes *state) {
  StateBytes now = take_state(crowd);
  bool same = same_state(&now, state) && cr_crowd_state_hash(crowd) == cr_hash_bytes(now.data, now.size);
  free(now.data);
  return same;
}

#endif
