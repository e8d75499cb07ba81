// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// As many agents as a crowd holds: adding, stepping, saving and restoring them, and what memory an agent takes.
#include "crowd_runs.h"

#define MOST CR_CROWD_MAX_AGENTS
#define BYTES_PER_AGENT 6144  // docs/behaviour/crowds.md

TEST(sixty_five_thousand_agents_walk) {
  CrNavMesh *mesh = open_world(64, 64, 8.0);
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowd *crowd = make_crowd(mesh, &allocator);
  int64_t empty = memory.live_bytes;
  uint64_t seed = check_seed = 65;
  for (int32_t k = 0; k < MOST; k++) {
    CrVec3 from = {(k % 256 + 0.5) * 2, 0, (k / 256 + 0.5) * 2};
    double x = from.x + rnd_range(&seed, -20, 20), z = from.z + rnd_range(&seed, -20, 20);
    add_walker(crowd, from, cr__vec(cr__clamp(x, 1, 511), 0, cr__clamp(z, 1, 511)), NULL);
  }
  CHECK_STATUS(cr_crowd_add(crowd, cr__vec(1, 0, 1), NULL, NULL, NULL), CR_STATUS_FULL);
  double per_agent = (double)(memory.live_bytes - empty) / MOST;
  int64_t before = memory.total_allocations;
  for (int k = 0; k < 4; k++) step_crowd(crowd);
  CHECK_INT(memory.total_allocations, before);
  StateBytes state = take_state(crowd);
  uint64_t hash = cr_crowd_state_hash(crowd);
  CHECK(hash == cr_hash_bytes(state.data, state.size));
  step_crowd(crowd);
  uint64_t next = cr_crowd_state_hash(crowd);
  CHECK_OK(cr_crowd_restore_state(crowd, state.data, state.size, NULL));
  CHECK(cr_crowd_state_hash(crowd) == hash);
  step_crowd(crowd);
  CHECK(cr_crowd_state_hash(crowd) == next);
  check_crowd(crowd);
  printf("  %d agents: %.0f bytes each, the empty crowd %.1f MB, state %.1f MB\n", MOST, per_agent, (double)empty / 1e6,
         (double)state.size / 1e6);
  CHECK(per_agent <= BYTES_PER_AGENT);
  free(state.data);
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_bytes, 0);
  cr_navmesh_destroy(mesh);
}

// Bytes an agent takes, of `count` with these walls and this corridor.
static double bytes_each(const CrNavMesh *mesh, int32_t count, int32_t walls, int32_t corridor) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowdOptions crowd_options = cr_crowd_options_default();
  crowd_options.max_walls_per_agent = walls;
  crowd_options.max_walls_avoided = 0;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &crowd_options, &allocator, &crowd, NULL));
  int64_t empty = memory.live_bytes;
  CrAgentOptions options = cr_agent_options_small();
  options.has_path = true;
  options.path.corridor_capacity = corridor;
  for (int32_t k = 0; k < count; k++) add_agent(crowd, cr__vec(k % 50 + 1, 0, k / 50 + 1), &options);
  double each = (double)(memory.live_bytes - empty) / count;
  cr_crowd_destroy(crowd);
  CHECK_INT(memory.live_bytes, 0);
  return each;
}

TEST(memory_is_that_documented) {
  CrNavMesh *mesh = open_world(16, 16, 4.0);
  static const int32_t walls[] = {1, 8, 48, 255}, corridors[] = {16, 64, 1024};
  for (int w = 0; w < 4; w++) {
    for (int c = 0; c < 3; c++) {
      // The tables of the step have just doubled when one more than a power of two is there.
      double full = bytes_each(mesh, 2048, walls[w], corridors[c]),
             doubled = bytes_each(mesh, 2049, walls[w], corridors[c]);
      double varying = 72.0 * walls[w] + 8.0 * corridors[c];
      printf("  %3d walls, corridor %4d: %.0f bytes each, %.0f with larger tables; %.0f beside walls and corridor\n",
             walls[w], corridors[c], full, doubled, full - varying);
      CHECK(full <= 1792 + varying);
      CHECK(doubled <= 2144 + varying);
    }
  }
  cr_navmesh_destroy(mesh);
}

// Five to eight agents on every square unit.
TEST(dense_crowds_step) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  uint64_t seed = check_seed = 8;
  CrAgentOptions options = cr_agent_options_small();
  options.radius = 0.15;
  for (int32_t k = 0; k < 6000; k++) {
    CrVec3 from = rnd_ground(&seed, 1, 1, 31, 31), to = rnd_ground(&seed, 1, 1, 31, 31);
    add_walker(crowd, from, to, &options);
  }
  for (int k = 0; k < 30; k++) step_crowd(crowd);
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(sixty_five_thousand_agents_walk), RUN(memory_is_that_documented), RUN(dense_crowds_step))
