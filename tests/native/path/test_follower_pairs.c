// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers on random pairs of points: every reachable goal is reached, and the way walked is compared with the string
// pulled through a fresh crossing-node route. Prints the worst and the mean ratio.
#include "walkers.h"

#define DT (1.0 / 30.0)

typedef struct Tally {
  int pairs, reachable, reached, over, rounds;
  double worst, sum, limit;
  uint64_t worst_seed;
} Tally;

static double speed_of(CrVec3 v) { return cr__sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// Steps until the follower rests; returns the way walked (3D), or -1 when it does not come to rest in time.
static double walk_until_rest(CrFollower *follower, CrPathContext *context, double expected) {
  double walked = 0.0;
  int64_t most = (int64_t)(expected / (follower->options.max_speed * DT) * 4.0) + 3000;
  for (int64_t step = 0; step < most; step++) {
    CrVec3 before = follower->position;
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    walked += cr__dist(before, follower->position);
    if (follower->state != CR_FOLLOWER_OFF_MESH_LINK) check_sound(&follower->corridor, context);
    CrFollowerState state = follower->state;
    if (state != CR_FOLLOWER_MOVING && state != CR_FOLLOWER_OFF_MESH_LINK) return walked;
  }
  return -1.0;
}

static void walk_pair(Tally *tally, CrPathContext *context, CrPathContext *crossing, const CrFollowerOptions *options,
                      CrVec3 from, CrVec3 to) {
  double shortest = fresh_length(crossing, from, to);
  CrFollower *follower = make_follower(context, options, from);
  REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
  double walked = walk_until_rest(follower, context, shortest < 0.0 ? 100.0 : shortest);
  tally->pairs++;
  CHECK(walked >= 0.0);
  CHECK(follower->state == CR_FOLLOWER_ARRIVED);
  CHECK(speed_of(follower->velocity) == 0.0);
  if (shortest >= 0.0) {
    tally->reachable++;
    bool reached = follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
    tally->reached += reached;
    CHECK(reached);
    CHECK(cr__dist_xz(follower->position, to) <= options->arrival_radius);
    if (shortest > 1.0) {
      double ratio = walked / shortest;
      tally->sum += ratio;
      if (ratio > tally->worst) tally->worst = ratio, tally->worst_seed = check_seed;
      tally->over += ratio > tally->limit;
    } else {
      tally->sum += 1.0;
    }
  } else {
    CHECK(!follower->reached_target);
  }
  tally->rounds += follower->replan_rounds;
  cr_follower_destroy(follower);
}

static void report(const char *name, const Tally *tally) {
  printf("  %s: %d pairs, %d reachable, %d reached; walked/shortest worst %.4f (seed %d), %d over %.2f, mean %.4f\n",
         name, tally->pairs, tally->reachable, tally->reached, tally->worst, (int)tally->worst_seed, tally->over,
         tally->limit, tally->sum / (tally->reachable ? tally->reachable : 1));
  CHECK_INT(tally->reached, tally->reachable);
  CHECK(tally->reachable * 2 > tally->pairs);
  // The plain run must hold the limit; in longer campaigns the shortcuts, which trust a straight ray, exceed it now and then.
  CHECK(check_scale() == 1 ? tally->over == 0 : tally->over * 500 <= tally->reachable);
}

typedef CrNavMesh *(*MakeWorld)(uint64_t seed);

enum { MOST_SIDE = 40 };

static CrNavMesh *mesh_of_cells(const char *cells, int side, uint64_t seed) {
  char map[MOST_SIDE * (MOST_SIDE + 1) + 1], *at = map;
  for (int row = 0; row < side; row++) {
    memcpy(at, cells + row * side, (size_t)side);
    at += side;
    *at++ = '\n';
  }
  *at = 0;
  return world_from_map_merged(map, 1.0, 5, seed % 3 == 0 ? 0 : 10, NULL);
}

// Rectangular obstacles of one to four cells a side on an open field, its free runs merged into rectangles.
static CrNavMesh *scattered(uint64_t seed) {
  enum { SIDE = 20, OBSTACLES = 8 };
  char cells[SIDE * SIDE];
  memset(cells, '.', sizeof cells);
  for (int k = 0; k < OBSTACLES; k++) {
    int width = 1 + rnd_int(&seed, 4), height = 1 + rnd_int(&seed, 4);
    int column = rnd_int(&seed, SIDE - width), row = rnd_int(&seed, SIDE - height);
    for (int r = row; r < row + height; r++) memset(cells + r * SIDE + column, '#', (size_t)width);
  }
  return mesh_of_cells(cells, SIDE, seed);
}

// A quarter of all cells is an obstacle: half as large again, and much harder for a small search.
static CrNavMesh *cluttered(uint64_t seed) {
  enum { SIDE = 30 };
  char cells[SIDE * SIDE];
  for (int k = 0; k < SIDE * SIDE; k++) cells[k] = rnd_unit(&seed) < 0.25 ? '#' : '.';
  return mesh_of_cells(cells, SIDE, seed);
}

static CrNavMesh *two_floors(uint64_t seed) {
  return world_two_floors(seed, 20, 20, 1.0, 5.0, 8, seed % 3 == 0 ? 0 : 10, NULL);
}

static Tally run_pairs(MakeWorld make, int worlds, int pairs, CrNodeModel model, const CrFollowerOptions *options,
                       double limit) {
  Tally tally = {.limit = limit};
  for (int world = 0; world < worlds * check_scale(); world++) {
    check_seed = (uint64_t)world;
    uint64_t seed = (uint64_t)world * 1009 + 11;
    CrNavMesh *mesh = make((uint64_t)world);
    CrPathContext *context =
        make_context(mesh, model, cr_path_local_nodes(options->refine_budget, options->topology_budget), NULL);
    CrPathContext *crossing = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
    for (int pair = 0; pair < pairs; pair++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      walk_pair(&tally, context, crossing, options, from, to);
    }
    cr_path_context_destroy(crossing);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  return tally;
}

TEST(scattered_polygon_nodes) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(scattered, 25, 30, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report("scattered, polygon nodes", &tally);
}

TEST(scattered_crossing_nodes) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(scattered, 25, 30, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report("scattered, crossing nodes", &tally);
}

TEST(cluttered_refined) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(cluttered, 25, 30, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report("cluttered, crossing nodes", &tally);
  options.refine_budget = 2000;
  tally = run_pairs(cluttered, 25, 30, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report("cluttered, polygon nodes, refine budget 2000", &tally);
}

TEST(two_floors_polygon_nodes) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.refine_budget = 2000;
  Tally tally = run_pairs(two_floors, 24, 20, CR_NODE_MODEL_POLYGON, &options, 1.08);
  report("two floors, polygon nodes", &tally);
}

TEST(two_floors_crossing_nodes) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  Tally tally = run_pairs(two_floors, 24, 20, CR_NODE_MODEL_CROSSING, &options, 1.08);
  report("two floors, crossing nodes", &tally);
}

// Small searches, no shortcuts: the rounds double until one is large enough.
TEST(budgets_of_40) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.replan_budget = 40;
  options.optimize_interval = options.topology_interval = 0;
  options.refine_budget = 0;
  Tally tally = run_pairs(cluttered, 10, 10, CR_NODE_MODEL_CROSSING, &options, 1.2);
  report("budgets of 40, crossing nodes", &tally);
  printf("  %d unfinished rounds\n", tally.rounds);
  CHECK(tally.rounds > 0);
  options.refine_budget = 128;
  tally = run_pairs(cluttered, 10, 10, CR_NODE_MODEL_POLYGON, &options, 1.2);
  report("budgets of 40, polygon nodes, refined", &tally);
}

// The visibility shortcut trusts a straight ray; it may lengthen the string, but must shorten it far more often.
TEST(visibility_mostly_shortens) {
  int shorter = 0, longer = 0, same = 0, worlds = 12 * check_scale();
  for (int world = 0; world < worlds; world++) {
    check_seed = (uint64_t)world;
    uint64_t seed = (uint64_t)world * 2003 + 17;
    CrNavMesh *mesh = world_scattered((uint64_t)world, 30, 30, 1.0, 0.12, world % 2 ? 10 : 0, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
    for (int pair = 0; pair < 40; pair++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, 256, from, to);
      for (int turn = 0; turn < 40 && corridor->complete; turn++) {
        CrCorner corners[8];
        int32_t count;
        cr_corridor_find_corners(corridor, context, corners, 8, &count);
        if (count < 2 || (corners[1].flags & CR_CORNER_END)) break;
        int32_t aim = 1;
        for (int32_t k = 1; k < count; k++) {
          if (cr__dist_xz(corridor->position, corners[k].point) <= 10.0) aim = k;
        }
        double before =
            cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count);
        if (cr_corridor_optimize_visibility(corridor, context, corners[aim].point, 10.0, 16)) {
          double after =
              cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count);
          CHECK(after >= 0.0);
          shorter += after < before - 1e-9;
          longer += after > before + 1e-9;
          same += cr__abs(after - before) <= 1e-9;
          check_sound(corridor, context);
          cr_corridor_find_corners(corridor, context, corners, 8, &count);
        }
        CrVec3 next = cr__lerp(corridor->position, corners[1].point, 0.7);
        if (!cr_corridor_move_along(corridor, context, next, corners[1].path_index + 1)) break;
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d shortened, %d lengthened, %d equal\n", shorter, longer, same);
  CHECK(shorter > 50 && shorter >= 4 * longer);
}

TEST_MAIN(RUN(scattered_polygon_nodes), RUN(scattered_crossing_nodes), RUN(cluttered_refined),
          RUN(two_floors_polygon_nodes), RUN(two_floors_crossing_nodes), RUN(budgets_of_40),
          RUN(visibility_mostly_shortens))
