// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Hierarchical searches of meshes large enough to be worth it: 100,000 polygons at a scale of 10, 25,000 at 1. How many nodes they
// take and how long their routes are, against plain A* between the same random places all over the mesh.
#define KIT_NODES (1 << 18)
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "hierarchy_kit.h"

static KitRoute plain, ours;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

typedef struct Large {
  const char *name;
  CrNavMesh *mesh;
} Large;

// `half`: half as long and wide.
static Large large_world(int number, bool half) {
  switch (number) {
    case 0:
      return (Large){"scattered obstacles", world_scattered(5, half ? 180 : 360, half ? 180 : 360, 1.0, 0.2, 12, NULL)};
    case 1:
      return (Large){"dense obstacles", world_scattered(6, half ? 190 : 380, half ? 190 : 380, 1.0, 0.3, 24, NULL)};
    case 2:
      return (Large){"two floors, links",
                     world_two_floors(5, half ? 125 : 250, half ? 125 : 250, 1.0, 4.0, 60, 10, NULL)};
    case 3:
      return (Large){"small tiles", world_scattered(8, half ? 180 : 360, half ? 180 : 360, 1.0, 0.2, 4, NULL)};
    default:
      return (Large){"maze", world_maze(5, half ? 110 : 220, 1.0, 20, NULL)};
  }
}

typedef struct Sums {
  double plain_us, ours_us;
  int64_t plain_nodes, ours_nodes, count;
} Sums;

static void compare(const Large *large, CrNavMeshQuery *const queries[2], const KitSearch *s, Sums *sums,
                    KitRatios *ratios) {
  double t0 = now_us();
  kit_find(queries[0], s, &plain);
  double t1 = now_us();
  kit_find(queries[1], s, &ours);
  double t2 = now_us();
  CHECK_INT(ours.result.outcome, plain.result.outcome);
  CHECK(cr__same_point(ours.result.end, plain.result.end) && kit_connected(large->mesh, s, &ours));
  kit_note(&ours);
  if (ours.result.outcome != CR_PATH_SUCCESS) return;
  double length = kit_length(large->mesh, s, &ours), other = kit_length(large->mesh, s, &plain);
  if (other > 1.0) kit_add_ratio(ratios, length / other);
  sums->plain_us += t1 - t0;
  sums->ours_us += t2 - t1;
  sums->plain_nodes += plain.result.iterations;
  sums->ours_nodes += ours.result.iterations;
  sums->count++;
}

static void measure(int number, CrNodeModel model, int64_t pairs, KitRatios *ratios) {
  Large large = large_world(number, check_scale() < 10);
  CrNavMeshQuery *queries[2] = {kit_query(large.mesh, model, false, 0), kit_query(large.mesh, model, true, 0)};
  Sums sums = {0};
  // The first round finds the costs between gates.
  for (int round = 0; round < 2; round++) {
    uint64_t seed = 77 + (uint64_t)number;
    for (int64_t i = 0; i < pairs; i++) {
      KitSearch s;
      check_seed = seed;
      if (!kit_random_search(large.mesh, NULL, &seed, &s)) continue;
      if (round == 0) kit_find(queries[1], &s, &ours);
      if (round == 1) compare(&large, queries, &s, &sums, ratios);
    }
  }
  double n = (double)(sums.count ? sums.count : 1);
  printf(
      "  %s, %s nodes, %u polygons in %u tiles: A* %.0f us, %.0f nodes; hierarchical %.0f us, %.0f nodes: %.1f times\n",
      large.name, model ? "crossing" : "polygon", cr_navmesh_polygon_count(large.mesh),
      cr_navmesh_tile_count(large.mesh), sums.plain_us / n, (double)sums.plain_nodes / n, sums.ours_us / n,
      (double)sums.ours_nodes / n, sums.plain_us / sums.ours_us);
  CHECK(sums.ours_nodes * 4 < sums.plain_nodes);
  for (int i = 0; i < 2; i++) cr_query_destroy(queries[i]);
  cr_navmesh_destroy(large.mesh);
}

static void check_model(CrNodeModel model, KitRatios *ratios, double mean_limit) {
  double mean, p99;
  for (int number = 0; number < 5; number++) measure(number, model, check_scaled(50), ratios);
  kit_report(ratios, model ? "crossing nodes" : "polygon nodes", &mean, &p99);
  CHECK(mean < mean_limit);
  // The hundredth of a small sample is one pair.
  CHECK(ratios->count < 400 || p99 < 1.05);
}

TEST(polygon_nodes) {
  static KitRatios ratios;
  check_model(CR_NODE_MODEL_POLYGON, &ratios, 1.02);
}

TEST(crossing_nodes) {
  static KitRatios ratios;
  check_model(CR_NODE_MODEL_CROSSING, &ratios, 1.02);
}

TEST_MAIN(RUN(polygon_nodes), RUN(crossing_nodes))
