// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds every level in several ways and digests the meshes: the program that scripts/mesh-hashes.mjs runs from every compiler and as WebAssembly.
#include "check.h"
#include "levels.h"
#include "navmesh_internal.h"
#include "query_worlds.h"
#include "tile_kit.h"
#include "worlds.h"

static CrBuildSettings settings_number(int number) {
  CrBuildSettings s = cr_build_settings_default();
  if (number == 1) {
    s.cell_size = 0.41;
    s.cell_height = 0.17;
    s.agent_radius = 0.35;
    s.agent_height = 1.7;
    s.walkable_climb = 0.55;
    s.max_slope = 58;
    s.contour_max_error = 0.3;
    s.detail_sample_distance = 1.3;
    s.detail_max_error = 0.11;
    s.min_region_area = 0;
    s.max_verts_per_poly = 12;
  }
  if (number == 2) {
    s.agent_radius = 0;
    s.walkable_climb = 0.2;
    s.max_slope = 30;
    s.contour_max_error = 0;
    s.max_edge_length = 0;
    s.detail_sample_distance = 0;
    s.merge_region_area = 0;
    s.max_verts_per_poly = 3;
  }
  return s;
}

static void build_and_note(const CrBuildInput *input, CrBuildSettings settings, CrPartition partition,
                           int32_t tile_cells) {
  CrNavMesh *mesh;
  settings.partition = partition;
  settings.tile_cells = tile_cells;
  REQUIRE_OK(cr_build_navmesh(input, &settings, NULL, NULL, &mesh, NULL, NULL));
  world_note(mesh);
  CHECK(cr__navmesh_invariant(mesh) == NULL);
  cr_navmesh_destroy(mesh);
}

TEST(levels) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < level_count(); i++) {
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    for (int number = 0; number < 3; number++) {
      CrBuildSettings settings = settings_number(number);
      build_and_note(&input, settings, CR_PARTITION_WATERSHED, 0);
      build_and_note(&input, settings, CR_PARTITION_WATERSHED, 32);
      build_and_note(&input, settings, CR_PARTITION_MONOTONE, 57);
      build_and_note(&input, settings, CR_PARTITION_LAYERS, 40);
    }
    bytes += level.triangle_count;
    printf("  %-13s %016" PRIx64 "\n", level.name, check_notes_hash());
    level_free(&level);
  }
  printf("  %" PRIu64 " triangles, each built 12 times\n", bytes);
}

// The meshes other tests run on: those of query_worlds.h and random tiles (they note themselves).
TEST(worlds) {
  static TileKit kit;
  for (int number = 0; number < 60; number++) cr_navmesh_destroy(world_number(number));
  const CrNavMeshParams params = {.tile_size = 16, .climb = 0.5};
  uint64_t seed = 5;
  for (int32_t i = 0; i < 200; i++) {
    kit_random(&kit, &params, &seed, i % 7 - 3, i / 7, 0);
    CrBytes bytes = kit_encode(&kit, &params);
    cr_bytes_free(&bytes);
  }
}

TEST_MAIN(RUN(levels), RUN(worlds))
