// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A follower on a small stage: a mesh, a context, options to change before it is placed, and the follower.
#ifndef CR_TEST_STAGE_H
#define CR_TEST_STAGE_H

#include "walkers.h"

#define DT 0.0625  // a power of two: sums of it are exact

typedef struct Stage {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrFollowerOptions options;
  CrFollower *follower;
} Stage;

static inline Stage stage_on(CrNavMesh *mesh) {
  return (Stage){.mesh = mesh, .options = cr_follower_options_humanoid()};
}

static inline Stage open_stage(const char *map, int32_t tile_cells) {
  return stage_on(world_from_map(map, 1.0, tile_cells, NULL));
}

static inline void place(Stage *stage, double x, double z) {
  stage->context = make_context(stage->mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  stage->follower = make_follower(stage->context, &stage->options, cr__vec(x, 0, z));
}

static inline void close_stage(Stage *stage) {
  cr_follower_destroy(stage->follower);
  cr_path_context_destroy(stage->context);
  cr_navmesh_destroy(stage->mesh);
}

static inline void go_up(Stage *stage, double x, double y, double z) {
  REQUIRE_OK(cr_follower_set_destination(stage->follower, stage->context, cr__vec(x, y, z), NULL));
}

static inline void go(Stage *stage, double x, double z) { go_up(stage, x, 0, z); }

static inline void step(Stage *stage) { REQUIRE_OK(cr_follower_step(stage->follower, stage->context, DT, NULL)); }

static inline int steps_until_rest(Stage *stage, int most) {
  int steps = 0;
  while (stage->follower->state == CR_FOLLOWER_MOVING && steps < most) {
    step(stage);
    steps++;
  }
  return steps;
}

static inline int steps_until(Stage *stage, CrFollowerState state, int most) {
  int steps = 0;
  while (stage->follower->state != state && steps < most) {
    step(stage);
    steps++;
  }
  CHECK(stage->follower->state == state);
  return steps;
}

static inline double speed_xz(const CrFollower *follower) {
  return cr__sqrt(follower->velocity.x * follower->velocity.x + follower->velocity.z * follower->velocity.z);
}

static inline bool is_still(const CrFollower *follower) { return cr__same_point(follower->velocity, cr__vec(0, 0, 0)); }

#endif
