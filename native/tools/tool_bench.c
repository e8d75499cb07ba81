// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Native figures for the bench cases, under the same names as bench/lib/cases.mjs: `crowdreel_bench --case NAME [--quick]
// [LEVEL.obj...]` prints one JSON object, or nothing when there is no such case. Scenes, settings and warm-up are those of the
// JavaScript side. With --turns a crowd case prints a line when it is ready, and then for each number it reads the milliseconds
// of as many steps: so that they can be taken in turns with those of others.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { PAIRS = 2000, PATH_CAPACITY = 4096 };

static const CrVec3 EXTENTS = {2, 4, 2};

static double build_cost(const BenchLevel *level, bool tiled, bool quick) {
  double samples[9];
  int warm = quick ? 1 : 3, rounds = quick ? 3 : 9;
  for (int i = 0; i < warm + rounds; i++) {
    double start = bench_now_ms();
    CrNavMesh *mesh = bench_build(level, tiled);
    if (i >= warm) samples[i - warm] = bench_now_ms() - start;
    cr_navmesh_destroy(mesh);
  }
  return bench_median(samples, rounds);
}

static CrVolume barrel(CrVec3 at) {
  return (CrVolume){.shape = CR_VOLUME_CYLINDER,
                    .area = CR_AREA_BLOCKED,
                    .min_y = at.y,
                    .max_y = at.y + 2,
                    .center_x = at.x,
                    .center_z = at.z,
                    .radius = 1};
}

// Adding an obstacle somewhere on the ground and rebuilding the tiles it touches.
static double obstacle_cost(const BenchLevel *level, bool quick) {
  static double samples[400];
  int warm = 20, rounds = quick ? 100 : 400;
  CrBuildInput input = bench_level_input(level);
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = BENCH_TILE_CELLS;
  CrTileCache *cache = NULL;
  CrNavMesh *mesh = NULL;
  if (cr_tile_cache_create(&input, &settings, NULL, NULL, &cache, &mesh, NULL, NULL) != CR_STATUS_OK)
    bench_die("no cache");
  CrVec3 *points = bench_find_points(mesh, warm + rounds);
  for (int i = 0; i < warm + rounds; i++) {
    CrVolume volume = barrel(points[i]);
    CrObstacleId id;
    double start = bench_now_ms();
    bool ok = cr_tile_cache_add_obstacle(cache, &volume, &id, NULL) == CR_STATUS_OK &&
              cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, NULL) == CR_STATUS_OK;
    if (i >= warm) samples[i - warm] = bench_now_ms() - start;
    ok = ok && cr_tile_cache_remove_obstacle(cache, id, NULL) == CR_STATUS_OK &&
         cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, NULL) == CR_STATUS_OK;
    if (!ok) bench_die("obstacle failed");
  }
  free(points);
  cr_navmesh_destroy(mesh);
  cr_tile_cache_destroy(cache);
  return bench_median(samples, rounds);
}

static void search_pair(CrNavMeshQuery *query, const CrNearestPoly *a, const CrNearestPoly *b) {
  static CrPolyRef path[PATH_CAPACITY];
  CrPathResult result;
  if (cr_query_find_path(query, a->ref, a->point, b->ref, b->point, NULL, path, PATH_CAPACITY, &result, NULL) !=
      CR_STATUS_OK)
    bench_die("search failed");
}

static void compute_pair(CrNavMeshQuery *query, CrVec3 start, CrVec3 end) {
  static CrPolyRef path[PATH_CAPACITY];
  static CrCorner corners[PATH_CAPACITY];
  CrNearestPoly a, b;
  CrPathResult result;
  int32_t count;
  bool ok = cr_query_nearest_poly(query, start, EXTENTS, NULL, &a, NULL) == CR_STATUS_OK &&
            cr_query_nearest_poly(query, end, EXTENTS, NULL, &b, NULL) == CR_STATUS_OK &&
            cr_query_find_path(query, a.ref, a.point, b.ref, b.point, NULL, path, PATH_CAPACITY, &result, NULL) ==
                CR_STATUS_OK &&
            cr_query_straight_path(cr_query_mesh(query), a.point, b.point, path, result.count, NULL, corners,
                                   PATH_CAPACITY, &count) == CR_STRAIGHT_OK;
  if (!ok) bench_die("path failed");
}

// Searches between random pairs of points; `corners`: nearest polygons, search and straight path.
static double path_cost(const BenchLevel *level, bool corners, const CrQueryOptions *options, bool quick) {
  double samples[30];
  int warm = quick ? 2 : 5, rounds = quick ? 8 : 30;
  CrNavMesh *mesh = bench_build(level, true);
  CrVec3 *points = bench_find_points(mesh, 2 * PAIRS);
  CrNearestPoly *places = bench_allocate(2 * PAIRS, sizeof *places);
  CrNavMeshQuery *query = NULL;
  if (cr_query_create(mesh, options, NULL, &query, NULL) != CR_STATUS_OK) bench_die("no query");
  for (int i = 0; i < 2 * PAIRS; i++) {
    if (cr_query_nearest_poly(query, points[i], EXTENTS, NULL, &places[i], NULL) != CR_STATUS_OK) bench_die("no place");
  }
  for (int round = 0; round < warm + rounds; round++) {
    double start = bench_now_ms();
    for (int i = 0; i < PAIRS; i++) {
      if (corners) {
        compute_pair(query, points[2 * i], points[2 * i + 1]);
      } else {
        search_pair(query, &places[2 * i], &places[2 * i + 1]);
      }
    }
    if (round >= warm) samples[round - warm] = bench_now_ms() - start;
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  free(points);
  free(places);
  return bench_median(samples, rounds) * 1000 / PAIRS;
}

// What a path case asks for: corridor, corners, crossing, exact, hierarchical or hierarchical-crossing.
static bool path_options(const char *variant, CrQueryOptions *options) {
  bool known = strcmp(variant, "corridor") == 0 || strcmp(variant, "corners") == 0;
  *options = cr_query_options_default();
  options->hierarchical = strncmp(variant, "hierarchical", 12) == 0;
  if (strcmp(variant, "crossing") == 0 || strcmp(variant, "hierarchical-crossing") == 0) {
    options->node_model = CR_NODE_MODEL_CROSSING;
  }
  if (strcmp(variant, "exact") == 0) options->node_model = CR_NODE_MODEL_EXACT;
  return known || options->hierarchical || options->node_model != CR_NODE_MODEL_POLYGON;
}

static void run_path_case(const char *name, const char *level_name, const char *variant, bool quick, BenchFiles files) {
  CrQueryOptions options;
  BenchLevel level;
  if (!path_options(variant, &options) || !bench_find_level(level_name, files, &level)) return;
  if (strncmp(level_name, "blocks", 6) == 0) options.max_nodes = 1 << 19;
  bench_print_case(name, "us", path_cost(&level, strcmp(variant, "corners") == 0, &options, quick));
  bench_free_level(&level);
}

static void run_case(const char *name, bool quick, bool in_turns, BenchFiles files) {
  char what[64] = "", variant[64] = "";
  int count = 0;
  if (bench_crowd_case(name, quick, in_turns, files)) return;
  if (sscanf(name, "build/%63[^/]/%63s", what, variant) == 2) {
    BenchLevel level;
    if (!bench_find_level(what, files, &level)) return;
    bench_print_case(name, "ms", build_cost(&level, strcmp(variant, "tiled") == 0, quick));
    bench_free_level(&level);
  } else if (sscanf(name, "path/%63[^/]/%63s", what, variant) == 2) {
    run_path_case(name, what, variant, quick, files);
  } else if (sscanf(name, "obstacle/%63[^/]/%d", what, &count) == 2 && count == BENCH_TILE_CELLS) {
    BenchLevel level;
    if (!bench_find_level(what, files, &level)) return;
    bench_print_case(name, "ms", obstacle_cost(&level, quick));
    bench_free_level(&level);
  }
}

int main(int argc, char **argv) {
  const char *name = NULL;
  bool quick = false, in_turns = false;
  int first = 1;
  for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
    if (strcmp(argv[first], "--quick") == 0) quick = true;
    if (strcmp(argv[first], "--turns") == 0) in_turns = true;
    if (strcmp(argv[first], "--case") == 0 && first + 1 < argc) name = argv[++first];
  }
  if (!name) {
    fprintf(stderr, "usage: crowdreel_bench --case NAME [--quick] [--turns] [LEVEL.obj...]\n");
    return 2;
  }
  run_case(name, quick, in_turns, (BenchFiles){argc - first, argv + first});
  return 0;
}
