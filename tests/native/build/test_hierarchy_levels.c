// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Hierarchical searches of meshes the build pipeline makes: the same polygons reached as by plain search, routes hardly longer.
#include "check.h"
#include "hierarchy_internal.h"
#include "levels.h"
#include "worlds.h"

#define CAPACITY 16384

typedef struct Sums {
  int64_t success, partial, over_gates, longer;
  double ours, plain, worst;
} Sums;

static CrNavMesh *build_level(const Level *level, int32_t tile_cells) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = tile_cells;
  CrBuildInput input = level_input(level);
  CrNavMesh *mesh = NULL;
  return cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL) == CR_STATUS_OK ? mesh : NULL;
}

static double distance(CrVec3 a, CrVec3 b) {
  double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  return __builtin_sqrt(dx * dx + dy * dy + dz * dz);
}

static double length_of(const CrNavMesh *mesh, CrVec3 start, const CrPathResult *result, const CrPolyRef *path) {
  static CrCorner corners[CAPACITY];
  int32_t count = 0;
  CHECK_INT(cr_query_straight_path(mesh, start, result->end, path, result->count, NULL, corners, CAPACITY, &count),
            CR_STRAIGHT_OK);
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) length += distance(corners[i - 1].point, corners[i].point);
  return length;
}

static void compare(const CrNavMesh *mesh, CrNavMeshQuery *const queries[2], uint64_t *seed, Sums *sums) {
  static CrPolyRef paths[2][CAPACITY];
  CrPathResult results[2];
  CrPolyRef from, to;
  CrVec3 start = world_random_point(mesh, seed, &from), end = world_random_point(mesh, seed, &to);
  for (int i = 0; i < 2; i++) {
    CHECK_OK(cr_query_find_path(queries[i], from, start, to, end, NULL, paths[i], CAPACITY, &results[i], NULL));
  }
  CHECK_INT(results[1].outcome, results[0].outcome);
  CHECK(memcmp(&results[1].end, &results[0].end, sizeof end) == 0);
  CHECK(paths[1][0] == from);
  check_note_bytes(paths[1], (size_t)results[1].count * sizeof from);
  sums->success += results[0].outcome == CR_PATH_SUCCESS;
  sums->partial += results[0].outcome == CR_PATH_PARTIAL;
  sums->over_gates += queries[1]->hierarchy->phase == CR_PHASE_DONE;
  double plain = length_of(mesh, start, &results[0], paths[0]), ours = length_of(mesh, start, &results[1], paths[1]);
  if (results[0].outcome != CR_PATH_SUCCESS || plain < 5.0) return;
  sums->plain += plain;
  sums->ours += ours;
  sums->longer += ours > plain * 1.05;
  if (ours / plain > sums->worst) sums->worst = ours / plain;
}

TEST(levels_are_searched_alike) {
  Sums sums = {.worst = 0.0};
  for (uint32_t index = 0; index < level_count(); index++) {
    Level level = level_make(index);
    CrNavMesh *mesh = build_level(&level, index % 2 ? 8 : 16);
    level_free(&level);
    if (!mesh || cr_navmesh_polygon_count(mesh) == 0) {
      cr_navmesh_destroy(mesh);
      continue;
    }
    CrNavMeshQuery *queries[2];
    for (int i = 0; i < 2; i++) {
      CrQueryOptions options = {CR_QUERY_DEFAULT_NODES, (CrNodeModel)(index & 1), i == 1};
      REQUIRE_OK(cr_query_create(mesh, &options, NULL, &queries[i], NULL));
    }
    // Levels are small: small clusters, and nothing left to the plain search for being near.
    queries[1]->hierarchy->wanted_polygons = 12;
    queries[1]->hierarchy->near_nodes = INT32_MIN;
    uint64_t seed = 100 + index;
    for (int64_t i = check_scaled(40); i > 0; i--) {
      check_seed = seed;
      compare(mesh, queries, &seed, &sums);
    }
    for (int i = 0; i < 2; i++) cr_query_destroy(queries[i]);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %u levels: %lld reached, %lld not, %lld over gates; lengths %.4f of plain search's, worst %.4f, %lld over "
      "1.05\n",
      level_count(), (long long)sums.success, (long long)sums.partial, (long long)sums.over_gates,
      sums.ours / sums.plain, sums.worst, (long long)sums.longer);
  CHECK(sums.success > check_scaled(200));
  CHECK(sums.over_gates * 10 > (sums.success + sums.partial) * 6);
  CHECK(sums.ours < 1.02 * sums.plain);
}

TEST_MAIN(RUN(levels_are_searched_alike))
