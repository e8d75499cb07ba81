// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers in edited worlds whose state bytes after every step, and events, are the same with every compiler and in WebAssembly
// (scripts/mesh-hashes.mjs compares the digests).
#include "campaigns.h"

enum { RUNS = 24, WALKERS = 4, STEPS = 250 };

typedef struct Walk {
  CrNavMesh *mesh;
  TileStore *store;
  CrPathContext *contexts[2];
  CrFollower *followers[WALKERS];
} Walk;

static CrFollowerOptions options_of(int run, int walker) {
  CrFollowerOptions options = walker % 3 == 2 ? cr_follower_options_small() : cr_follower_options_humanoid();
  if (run % 5 == 1) options.corridor_capacity = 16;
  if (run % 5 == 2) options.replan_budget = 30;
  if (run % 5 == 3) options.slow_radius = 0.0;
  return options;
}

static Walk begin_walk(int run, uint64_t *seed) {
  Walk walk = {.mesh = tiled_world(run)};
  CrNavMesh *other = tiled_world(run + 1000);
  walk.store = store_tiles(walk.mesh, other);
  cr_navmesh_destroy(other);
  for (int model = 0; model < 2; model++)
    walk.contexts[model] = make_context(walk.mesh, (CrNodeModel)model, 1024, NULL);
  for (int k = 0; k < WALKERS; k++) {
    CrFollowerOptions options = options_of(run, k);
    walk.followers[k] = make_follower(walk.contexts[k % 2], &options, world_random_point(walk.mesh, seed, NULL));
  }
  return walk;
}

static void end_walk(Walk *walk) {
  for (int k = 0; k < WALKERS; k++) cr_follower_destroy(walk->followers[k]);
  for (int model = 0; model < 2; model++) cr_path_context_destroy(walk->contexts[model]);
  cr_navmesh_destroy(walk->mesh);
  free_tiles(walk->store);
}

static void note_follower(const CrFollower *follower) {
  static uint8_t bytes[269 + 8 * CR_CORRIDOR_MAX_CAPACITY];
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  REQUIRE_OK(cr_follower_save(follower, bytes, sizeof bytes, NULL));
  check_note_bytes(bytes, cr_follower_state_size(follower));
  int32_t count = cr_follower_events(follower, events);
  for (int32_t i = 0; i < count; i++) check_note_bytes(&events[i].kind, 1);
}

static bool is_under_way(const CrFollower *follower) {
  return follower->state == CR_FOLLOWER_MOVING || follower->state == CR_FOLLOWER_OFF_MESH_LINK;
}

TEST(followers_walk_the_same_everywhere) {
  int arrived = 0, reached = 0, crossings = 0;
  EditCounts edits = {0};
  for (int run = 0; run < RUNS; run++) {
    uint64_t seed = check_seed = 77 + (uint64_t)run;
    Walk walk = begin_walk(run, &seed);
    for (int step = 0; step < STEPS; step++) {
      if (rnd_int(&seed, 15) == 0) edit_at_random(walk.mesh, walk.store, &seed, &edits);
      for (int k = 0; k < WALKERS; k++) {
        CrFollower *follower = walk.followers[k];
        CrPathContext *context = walk.contexts[k % 2];
        CrVec3 goal = world_random_point(walk.mesh, &seed, NULL);
        bool was_crossing = follower->state == CR_FOLLOWER_OFF_MESH_LINK;
        if (!is_under_way(follower)) REQUIRE_OK(cr_follower_set_destination(follower, context, goal, NULL));
        REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
        note_follower(follower);
        arrived += follower->state == CR_FOLLOWER_ARRIVED;
        reached += follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
        crossings += !was_crossing && follower->state == CR_FOLLOWER_OFF_MESH_LINK;
      }
    }
    end_walk(&walk);
    char name[16];
    snprintf(name, sizeof name, "run-%d", run);
    printf("  %-13s %016" PRIx64 "\n", name, check_notes_hash());
  }
  printf("  %d arrivals, %d at the goal, %d links entered; ", arrived, reached, crossings);
  print_edits(&edits);
  printf("\n");
  CHECK(reached > RUNS && crossings > 0 && edits.replaced > RUNS);
}

TEST_MAIN(RUN(followers_walk_the_same_everywhere))
