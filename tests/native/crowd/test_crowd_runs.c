// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whole runs held to stated bounds: scattered obstacles, crossing streams, doors, two floors. Every step all agents are
// on the mesh and finite.
#include "crowd_runs.h"

// --- Six agents on scattered obstacles --------------------------------------------------------------------------------

typedef struct ScatterFigures {
  int32_t runs, late, deep, too_deep;
  double worst_ratio, deepest;
} ScatterFigures;

typedef struct ScatterRun {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrPathContext *context;
  CrVec3 starts[6], goals[6];
  double routes[6];
  int64_t ids[6];
} ScatterRun;

static bool apart_from(const CrVec3 *points, int32_t count, CrVec3 point, double distance) {
  for (int32_t k = 0; k < count; k++) {
    if (cr__dist_xz(points[k], point) < distance) return false;
  }
  return true;
}

static void choose_walks(ScatterRun *run, uint64_t *seed) {
  for (int32_t k = 0; k < 6;) {
    CrVec3 from = world_random_point(run->mesh, seed, NULL), to = world_random_point(run->mesh, seed, NULL);
    if (!apart_from(run->starts, k, from, 0.7) || !apart_from(run->goals, k, to, 1.2)) continue;
    double length = walk_length(run->context, from, to);
    if (length < 0.0) continue;
    run->starts[k] = from;
    run->goals[k] = to;
    run->routes[k++] = length;
  }
}

static void run_scatter(uint64_t seed, ScatterFigures *figures) {
  ScatterRun run;
  uint64_t state = check_seed = seed;
  run.mesh = world_scattered(seed, 16, 16, 2.0, 0.3, seed % 3 == 0 ? 5 : 0, NULL);
  run.context = crossing_context(run.mesh);
  run.crowd = make_crowd(run.mesh, NULL);
  choose_walks(&run, &state);
  CrAgentOptions options = cr_agent_options_small();
  double longest = 0.0, deepest = 0.0;
  for (int32_t k = 0; k < 6; k++) {
    run.ids[k] = add_walker(run.crowd, run.starts[k], run.goals[k], &options);
    longest = cr__max(longest, run.routes[k]);
  }
  double limit = 3.0 * longest / options.max_speed + 10.0;
  while (cr_crowd_agent_count(run.crowd) > 0 && (double)run.crowd->step_count * RUN_DT < limit) {
    step_crowd(run.crowd);
    check_crowd(run.crowd);
    deepest = cr__max(deepest, deepest_overlap(run.crowd));
    for (int32_t k = 0; k < 6; k++) {
      if (!cr_crowd_has_agent(run.crowd, run.ids[k]) || !has_arrived(run.crowd, run.ids[k])) continue;
      REQUIRE_OK(cr_crowd_remove(run.crowd, run.ids[k], NULL));
      double time = (double)run.crowd->step_count * RUN_DT, direct = run.routes[k] / options.max_speed;
      // Short ways are all starting and stopping.
      if (run.routes[k] > 4.0) figures->worst_ratio = cr__max(figures->worst_ratio, time / direct);
    }
  }
  CHECK_INT(cr_crowd_agent_count(run.crowd), 0);
  figures->runs++;
  figures->late += cr_crowd_agent_count(run.crowd) > 0;
  figures->deep += deepest >= 0.05;
  figures->too_deep += deepest > 0.18;
  figures->deepest = cr__max(figures->deepest, deepest);
  cr_crowd_destroy(run.crowd);
  cr_path_context_destroy(run.context);
  cr_navmesh_destroy(run.mesh);
}

TEST(six_agents_on_scattered_obstacles_arrive) {
  ScatterFigures figures = {0};
  int32_t runs = 100 * check_scale();
  for (int32_t k = 0; k < runs; k++) run_scatter(20000 + (uint64_t)k, &figures);
  printf(
      "  %d runs: %d late, worst time over straight-route time %.2f, deepest overlap %.3f, %d runs at 0.05 or more, "
      "%d above 0.18\n",
      figures.runs, figures.late, figures.worst_ratio, figures.deepest, figures.deep, figures.too_deep);
  CHECK(figures.worst_ratio <= 3.7);
  CHECK(figures.deepest <= 0.18);
  CHECK(figures.deep * 125 <= figures.runs);
}

// --- Runs until all have arrived --------------------------------------------------------------------------------------

typedef struct RunFigures {
  double seconds, deepest;
  int32_t left, crossings;
} RunFigures;

static int32_t count_crossing(const CrCrowd *crowd) {
  int32_t count = 0;
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (!cr__crowd_slot_active(crowd, slot)) continue;
    count += cr__crowd_slot(crowd, slot)->follower.state == CR_FOLLOWER_OFF_MESH_LINK;
  }
  return count;
}

// Steps until nobody is left, taking out whoever arrives.
static RunFigures run_until_arrived(CrCrowd *crowd, double limit) {
  RunFigures figures = {0};
  int32_t crossing = 0;
  while (cr_crowd_agent_count(crowd) > 0 && figures.seconds < limit) {
    step_crowd(crowd);
    check_crowd(crowd);
    figures.deepest = cr__max(figures.deepest, deepest_overlap(crowd));
    int32_t now = count_crossing(crowd);
    figures.crossings += now > crossing ? now - crossing : 0;
    crossing = now;
    remove_arrived(crowd);
    figures.seconds = (double)crowd->step_count * RUN_DT;
  }
  figures.left = cr_crowd_agent_count(crowd);
  return figures;
}

// Half the agents walk towards +x, half towards +z, through each other.
static RunFigures run_streams(int32_t count, uint64_t seed) {
  CrNavMesh *mesh = open_world(15, 15, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  check_seed = seed;
  int32_t lanes = 1;
  while (lanes * lanes * 2 < count) lanes++;
  for (int32_t k = 0; k < count; k++) {
    double along = 4.0 + 1.2 * (k / 2 / lanes) + rnd_range(&seed, -0.1, 0.1);
    double across = 30.0 + 1.2 * (k / 2 % lanes - 0.5 * lanes) + rnd_range(&seed, -0.1, 0.1);
    CrVec3 from = k % 2 ? cr__vec(along, 0, across) : cr__vec(across, 0, along);
    CrVec3 to = k % 2 ? cr__vec(60 - along, 0, across) : cr__vec(across, 0, 60 - along);
    add_walker(crowd, from, to, &options);
  }
  RunFigures figures = run_until_arrived(crowd, 120.0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return figures;
}

TEST(crossing_streams_arrive_without_deep_overlaps) {
  static const int32_t counts[] = {20, 60, 150};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    RunFigures figures = run_streams(counts[k], 31 + k);
    printf("  %d agents: all there after %.1f s, deepest overlap %.4f\n", counts[k], figures.seconds, figures.deepest);
    CHECK_INT(figures.left, 0);
    CHECK(figures.deepest <= 0.03);  // 0.05 of a radius sum
  }
}

// --- Doors ------------------------------------------------------------------------------------------------------------

// Two rooms of 10 x 10 cells and a door of two cells.
static RunFigures run_door(int32_t count) {
  static const char map[] =
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      ".....................\n"
      ".....................\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n"
      "..........#..........\n";
  CrNavMesh *mesh = world_from_map(map, 1.2, 0, NULL);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t k = 0; k < count; k++) {
    double x = 1.0 + 1.3 * (k / 8), z = 1.0 + 1.4 * (k % 8);
    add_walker(crowd, cr__vec(x, 0, z), cr__vec(25.2 - x, 0, z), &options);
  }
  RunFigures figures = run_until_arrived(crowd, 240.0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return figures;
}

TEST(crowds_pass_a_door) {
  static const int32_t counts[] = {20, 40, 60};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    RunFigures figures = run_door(counts[k]);
    printf("  %d agents: all there after %.1f s, deepest overlap %.4f\n", counts[k], figures.seconds, figures.deepest);
    CHECK_INT(figures.left, 0);
    CHECK(figures.deepest <= 0.034);
  }
}

typedef struct DoorFigures {
  double through_at, deepest;  // when the last has changed rooms; -1: never
} DoorFigures;

// Agents of radius 0.5 change rooms: all of the left one, or every second one of the right one. Start 0 is a grid, the
// others are at random.
static DoorFigures change_rooms(int32_t count, bool opposed, uint64_t start) {
  CrNavMesh *mesh = two_rooms();
  CrCrowd *crowd = make_crowd(mesh, NULL);
  CrAgentOptions options = cr_agent_options_humanoid();
  options.radius = 0.5;
  CrVec3 places[60];
  uint64_t seed = check_seed = 900 + start;
  for (int32_t k = 0; k < count;) {
    CrVec3 at = {6.0 + 1.4 * (k % 8), 0, 4.0 + 1.5 * (k / 8)};
    if (start > 0) at = rnd_ground(&seed, 0.5, 0.5, 16.5, 19.5);
    if (!apart_from(places, k, at, 1.1)) continue;
    places[k] = at;
    CrVec3 beyond = {40.4 - at.x, 0, at.z};
    bool back = opposed && k % 2;
    add_walker(crowd, back ? beyond : at, back ? at : beyond, &options);
    k++;
  }
  DoorFigures figures = {-1.0, 0.0};
  for (int32_t step = 0; step < 120 * 60 && figures.through_at < 0.0; step++) {
    step_crowd(crowd);
    check_crowd(crowd);
    figures.deepest = cr__max(figures.deepest, deepest_overlap(crowd));
    int32_t through = 0;
    for (int32_t k = 0; k < count; k++) {
      double x = walker_info(crowd, k).position.x;
      through += opposed && k % 2 ? x < 20.0 : x > 20.4;
    }
    if (through == count) figures.through_at = (double)(step + 1) * RUN_DT;
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return figures;
}

// Sixty go to the other side. What is asked for is asked of start 0, and the mean of all is within 20 s. Of the random starts
// three of ten may miss one of the two, by a little.
TEST(sixty_agents_pass_the_peers_door) {
  double slowest = 0.0, deepest = 0.0, seconds = 0.0;
  int64_t starts = 10 * check_scaled(1), within = 0;
  for (int64_t start = 0; start < starts; start++) {
    DoorFigures figures = change_rooms(60, false, (uint64_t)start);
    bool as_asked = figures.through_at <= 20.0 && figures.deepest <= 0.05;
    if (start < 10) {
      printf("  start %d: the last of 60 through after %.1f s; deepest overlap %.4f\n", (int)start, figures.through_at,
             figures.deepest);
    }
    CHECK(figures.through_at > 0.0);
    CHECK(as_asked || start > 0);
    within += as_asked;
    seconds += figures.through_at;
    slowest = cr__max(slowest, figures.through_at);
    deepest = cr__max(deepest, figures.deepest);
  }
  printf("  %d starts: %.1f s in the mean, %.1f s at most, deepest overlap %.4f; %d within 20 s and 0.05\n",
         (int)starts, seconds / (double)starts, slowest, deepest, (int)within);
  CHECK(seconds <= 20.0 * (double)starts && 10 * within >= 7 * starts);
  CHECK(slowest <= 24.0 && deepest <= 0.1);
}

// Twenty and twenty change rooms.
TEST(opposing_crowds_pass_the_peers_door) {
  double slowest = 0.0, deepest = 0.0, seconds = 0.0;
  int64_t starts = 10 * check_scaled(1), within = 0;
  for (int64_t start = 0; start < starts; start++) {
    DoorFigures figures = change_rooms(40, true, (uint64_t)start);
    CHECK(figures.through_at > 0.0);
    within += figures.deepest <= 0.05;
    seconds += figures.through_at;
    slowest = cr__max(slowest, figures.through_at);
    deepest = cr__max(deepest, figures.deepest);
  }
  printf(
      "  %d starts: 20 and 20 have changed rooms after %.1f s in the mean, %.1f s at most; deepest overlap %.4f; "
      "%d within 0.05\n",
      (int)starts, seconds / (double)starts, slowest, deepest, (int)within);
  CHECK(slowest <= 90.0 && deepest <= 0.1 && 10 * within >= 9 * starts);
}

// --- Two floors -------------------------------------------------------------------------------------------------------

// Walks between random points of both floors that a way joins, none starting on another.
static int32_t add_floor_walkers(CrCrowd *crowd, CrPathContext *context, int32_t count, uint64_t *seed) {
  CrAgentOptions options = cr_agent_options_small();
  CrVec3 starts[64], goals[64];
  int32_t added = 0;
  for (int32_t tries = 0; added < count && tries < 4000; tries++) {
    CrVec3 from = world_random_point(crowd->mesh, seed, NULL), to = world_random_point(crowd->mesh, seed, NULL);
    if (!apart_from(starts, added, from, 0.7) || !apart_from(goals, added, to, 1.2)) continue;
    if (walk_length(context, from, to) < 0.0) continue;
    starts[added] = from;
    goals[added++] = to;
    add_walker(crowd, from, to, &options);
  }
  return added;
}

TEST(agents_cross_between_two_floors) {
  RunFigures all = {0};
  int32_t agents = 0, worlds = 0, deep = 0;
  double sum = 0.0;
  for (uint64_t seed = 50; seed < 66; seed++) {
    uint64_t state = check_seed = seed;
    CrNavMesh *mesh = world_two_floors(seed, 14, 14, 2.0, 4.0, 14, seed % 2 ? 5 : 0, NULL);
    CrCrowd *crowd = make_crowd(mesh, NULL);
    CrPathContext *context = crossing_context(mesh);
    agents += add_floor_walkers(crowd, context, 20, &state);
    RunFigures figures = run_until_arrived(crowd, 120.0);
    CHECK_INT(figures.left, 0);
    all.deepest = cr__max(all.deepest, figures.deepest);
    all.seconds = cr__max(all.seconds, figures.seconds);
    all.crossings += figures.crossings;
    worlds++;
    deep += figures.deepest > 0.30;
    sum += figures.deepest;
    cr_path_context_destroy(context);
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %d agents, %d link crossings, all there after %.1f s at most, deepest overlap %.3f, mean of %d worlds %.3f, "
      "%d over 0.30\n",
      agents, all.crossings, all.seconds, all.deepest, worlds, sum / worlds, deep);
  CHECK_INT(agents, 20 * worlds);
  CHECK(all.crossings >= 20);
  CHECK_INT(deep, 0);
  CHECK(sum / worlds <= 0.02);
}

TEST_MAIN(RUN(six_agents_on_scattered_obstacles_arrive), RUN(crossing_streams_arrive_without_deep_overlaps),
          RUN(crowds_pass_a_door), RUN(sixty_agents_pass_the_peers_door), RUN(opposing_crowds_pass_the_peers_door),
          RUN(agents_cross_between_two_floors))
