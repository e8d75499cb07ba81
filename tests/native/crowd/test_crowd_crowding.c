// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// How the time of a step grows with the number of agents where all of them crowd together: on one spot, in a square smaller than
// a body, around one goal, at the entry of one link. Eight times the agents may take a few times eight times as long, but far
// less than sixty-four.
#include <time.h>

#include "crowd_runs.h"
#include "tile_kit.h"

#define FEW 2000
#define MANY (8 * FEW)
#define MOST_GROWTH 28.0

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// Adds the k-th of `count` agents.
typedef void (*Place)(CrCrowd *crowd, int32_t k, uint64_t *seed);

static void on_one_spot(CrCrowd *crowd, int32_t k, uint64_t *seed) {
  (void)k, (void)seed;
  add_agent(crowd, cr__vec(3, 0, 2), NULL);
}

static void in_a_small_square(CrCrowd *crowd, int32_t k, uint64_t *seed) {
  (void)k;
  CrVec3 from = {rnd_range(seed, 3.0, 3.3), 0, rnd_range(seed, 2.0, 2.3)};
  add_walker(crowd, from, cr__vec(1, 0, 2), NULL);
}

// One far away makes the grid's cells large.
static void with_one_far_away(CrCrowd *crowd, int32_t k, uint64_t *seed) {
  CrVec3 from = {rnd_range(seed, 3.0, 3.01), 0, rnd_range(seed, 2.0, 2.01)};
  add_agent(crowd, k == 0 ? cr__vec(11, 1, 2) : from, NULL);
}

static void around_one_goal(CrCrowd *crowd, int32_t k, uint64_t *seed) {
  (void)k;
  CrVec3 from = {rnd_range(seed, 0.2, 3.8), 0, rnd_range(seed, 0.2, 3.8)};
  add_walker(crowd, from, cr__vec(2, 0, 2), NULL);
}

// Half come from either side.
static void at_an_entry(CrCrowd *crowd, int32_t k, uint64_t *seed) {
  (void)seed;
  CrAgentOptions options = cr_agent_options_small();
  options.max_speed = 1.0 + k % 100 * 0.01;
  if (k % 2) {
    add_walker(crowd, cr__vec(4, 0, 2), cr__vec(11, 1, 2), &options);
  } else {
    add_walker(crowd, cr__vec(8, 1, 2), cr__vec(1, 0, 2), &options);
  }
}

// The least time of a few steps, after one more.
static double step_time(Place place, int32_t count) {
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  uint64_t seed = check_seed = 77;
  for (int32_t k = 0; k < count; k++) place(crowd, k, &seed);
  double least = 1e9;
  for (int step = 0; step < 5; step++) {
    double start = seconds();
    step_crowd(crowd);
    double time = seconds() - start;
    if (step > 0 && time < least) least = time;
  }
  check_crowd(crowd);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return least;
}

static void check_growth(const char *what, Place place) {
  double few = step_time(place, FEW), many = step_time(place, MANY);
  printf("  %s: %.2f us an agent of %d, %.2f us of %d\n", what, few / FEW * 1e6, FEW, many / MANY * 1e6, MANY);
  CHECK(many < MOST_GROWTH * few);
}

TEST(a_step_is_not_quadratic_in_those_who_crowd_together) {
  check_growth("on one spot", on_one_spot);
  check_growth("in a small square", in_a_small_square);
  check_growth("in a tiny square, one far away", with_one_far_away);
  check_growth("around one goal", around_one_goal);
  check_growth("at an entry", at_an_entry);
}

TEST_MAIN(RUN(a_step_is_not_quadratic_in_those_who_crowd_together))
