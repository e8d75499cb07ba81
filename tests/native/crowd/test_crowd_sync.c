// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds whose steps depend on each other most, saved at every step: a jam at a door, a link from both sides, a goal shared, agents
// driven by their host among others. Restored into a crowd that has been elsewhere the next step is the same, and into a fresh
// one all that follow are.
#include "crowd_runs.h"
#include "tile_kit.h"

enum { FRESH_EVERY = 60, AHEAD = 30 };

typedef struct Sync {
  CrNavMesh *mesh;
  CrCrowd *crowd, *other;
  uint64_t seed;
  bool driven;
  int64_t crossing, standing;  // summed over the steps
} Sync;

static Sync begin(CrNavMesh *mesh, uint64_t seed) {
  check_seed = seed;
  return (Sync){.mesh = mesh, .crowd = make_crowd(mesh, NULL), .other = make_crowd(mesh, NULL), .seed = seed};
}

static void end(Sync *sync, const char *name) {
  printf("  %-6s %d agents: %" PRId64 " steps of crossing, %" PRId64 " of standing\n", name,
         cr_crowd_agent_count(sync->crowd), sync->crossing, sync->standing);
  cr_crowd_destroy(sync->crowd);
  cr_crowd_destroy(sync->other);
  cr_navmesh_destroy(sync->mesh);
}

// A fresh crowd against the other, which stands where the state was taken too. Both have gone on at the end.
static void check_fresh(Sync *sync, const StateBytes *state) {
  CrCrowd *fresh = make_crowd(sync->mesh, NULL);
  REQUIRE_OK(cr_crowd_restore_state(fresh, state->data, state->size, NULL));
  for (int k = 0; k < AHEAD; k++) {
    step_crowd(fresh);
    step_crowd(sync->other);
    CHECK(cr_crowd_state_hash(fresh) == cr_crowd_state_hash(sync->other));
  }
  cr_crowd_destroy(fresh);
}

static void count_what_they_do(Sync *sync) {
  for (int32_t slot = 0; slot < sync->crowd->slot_count; slot++) {
    uint8_t flags = cr__crowd_slot(sync->crowd, slot)->step_flags;
    sync->crossing += (flags & CR_STEP_CROSSING) != 0;
    sync->standing += flags == 0;
  }
}

static void drive(Sync *sync) {
  double x = rnd_range(&sync->seed, -4, 4), z = rnd_range(&sync->seed, -4, 4);
  int64_t id = 3 * rnd_int(&sync->seed, cr_crowd_agent_count(sync->crowd) / 3);
  CHECK_OK(cr_crowd_set_velocity(sync->crowd, id, cr__vec(x, 0, z), NULL));
  CHECK_OK(cr_crowd_set_velocity(sync->other, id, cr__vec(x, 0, z), NULL));
}

static void save_and_restore(Sync *sync, int step) {
  StateBytes state = take_state(sync->crowd);
  REQUIRE_OK(cr_crowd_restore_state(sync->other, state.data, state.size, NULL));
  if (step % FRESH_EVERY == 0) {
    check_fresh(sync, &state);
    REQUIRE_OK(cr_crowd_restore_state(sync->other, state.data, state.size, NULL));
  }
  free(state.data);
}

// In the shortest test runs not every step is saved.
static void run_steps(Sync *sync, int steps) {
  int every = check_scaled(10) < 10 ? 10 : 1;
  for (int k = 0; k < steps; k++) {
    if (k % every == 0) save_and_restore(sync, k);
    if (sync->driven && k % 2) drive(sync);
    step_crowd(sync->crowd);
    step_crowd(sync->other);
    CHECK(cr_crowd_state_hash(sync->crowd) == cr_crowd_state_hash(sync->other));
    count_what_they_do(sync);
  }
}

TEST(a_jam_at_a_door_goes_on_as_the_one_saved) {
  static const char door[] =
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      ".....................\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n";
  Sync sync = begin(world_from_map(door, 1.2, 5, NULL), 41);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 96; k++) {
    double x = 0.6 + 1.2 * (k / 8), z = 0.8 + 1.2 * (k % 8);
    bool back = k % 4 == 3;
    CrVec3 left = cr__vec(x, 0, z), right = cr__vec(25.2 - x, 0, z);
    add_walker(sync.crowd, back ? right : left, back ? left : right, &options);
  }
  run_steps(&sync, 480);
  end(&sync, "door");
}

TEST(a_link_in_use_goes_on_as_the_one_saved) {
  Sync sync = begin(kit_platforms(1.0, 14.0, true), 42);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 12; k++) {
    CrVec3 left = cr__vec(0.4 + 0.65 * (k / 4), 0, 0.6 + 0.9 * (k % 4)), right = cr__vec(13.4 - left.x, 1, left.z);
    add_walker(sync.crowd, k % 3 ? left : right, k % 3 ? right : left, &options);
  }
  run_steps(&sync, 480);
  CHECK(sync.crossing > 500);
  end(&sync, "link");
}

TEST(a_shared_goal_goes_on_as_the_one_saved) {
  Sync sync = begin(open_world(10, 10, 4.0), 43);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 24; k++) {
    double x = 14 + 2.0 * (k % 6) + rnd_range(&sync.seed, -0.1, 0.1);
    add_walker(sync.crowd, cr__vec(x, 0, 12 + 2.0 * (k / 6)), cr__vec(21, 0, 26.5), &options);
  }
  run_steps(&sync, 720);
  CHECK(sync.standing > 500);
  end(&sync, "goal");
}

TEST(driven_agents_go_on_as_those_saved) {
  Sync sync = begin(world_two_floors(50, 12, 12, 1.5, 3.0, 12, 6, NULL), 44);
  for (int k = 0; k < 36; k++) {
    CrAgentOptions options = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    options.quality = (uint8_t)(k % 4);
    CrVec3 from = world_random_point(sync.mesh, &sync.seed, NULL);
    add_walker(sync.crowd, from, world_random_point(sync.mesh, &sync.seed, NULL), &options);
  }
  sync.driven = true;
  run_steps(&sync, 300);
  end(&sync, "driven");
}

TEST_MAIN(RUN(a_jam_at_a_door_goes_on_as_the_one_saved), RUN(a_link_in_use_goes_on_as_the_one_saved),
          RUN(a_shared_goal_goes_on_as_the_one_saved), RUN(driven_agents_go_on_as_those_saved))
