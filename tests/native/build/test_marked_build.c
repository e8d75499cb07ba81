// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One level with volumes, an obstacle, a link and area flags, built in each partition: the hashes of its meshes, which
// tests/ts/build.test.ts reads here and expects of the package too.
#include "check.h"
#include "crowdreel/crowdreel.h"

#define MAX_VERTICES 128
#define MAX_TRIANGLES 64

typedef struct Floor {
  double vertices[3 * MAX_VERTICES];
  uint32_t triangles[3 * MAX_TRIANGLES];
  uint32_t vertex_count, triangle_count;
} Floor;

static void add_quad(Floor *f, const double corners[12]) {
  uint32_t first = f->vertex_count;
  memcpy(f->vertices + 3 * (size_t)first, corners, 12 * sizeof *corners);
  f->vertex_count += 4;
  const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
  for (int k = 0; k < 6; k++) f->triangles[3 * (size_t)f->triangle_count + (size_t)k] = first + order[k];
  f->triangle_count += 2;
}

// Closed to all sides, and above by a face that looks down.
static void add_wall(Floor *f, double x0, double z0, double x1, double z1) {
  const double h = 3;
  add_quad(f, (const double[]){x0, h, z0, x1, h, z0, x1, h, z1, x0, h, z1});
  add_quad(f, (const double[]){x0, 0, z0, x0, h, z0, x1, h, z0, x1, 0, z0});
  add_quad(f, (const double[]){x0, 0, z1, x1, 0, z1, x1, h, z1, x0, h, z1});
  add_quad(f, (const double[]){x0, 0, z0, x0, 0, z1, x0, h, z1, x0, h, z0});
  add_quad(f, (const double[]){x1, 0, z0, x1, h, z0, x1, h, z1, x1, 0, z1});
}

static void make_floor(Floor *f) {
  memset(f, 0, sizeof *f);
  add_quad(f, (const double[]){-12, 0, -12, -12, 0, 12, 12, 0, 12, 12, 0, -12});
  add_wall(f, -12, -0.5, -2.5, 0.5);
  add_wall(f, 2.5, -0.5, 12, 0.5);
  add_wall(f, -6, -7, -4, -5);
  add_wall(f, 4, 5, 6, 7);
}

static const CrVolume volumes[3] = {
    {.shape = CR_VOLUME_BOX,
     .area = 7,
     .min_y = -1,
     .max_y = 1,
     .center_x = 8,
     .center_z = 8,
     .half_x = 2,
     .half_z = 1.5,
     .axis_x = 3,
     .axis_z = 1},
    {.shape = CR_VOLUME_CYLINDER, .area = 9, .min_y = -1, .max_y = 1, .center_x = -8, .center_z = 8, .radius = 2},
    {.shape = CR_VOLUME_CONVEX,
     .area = CR_AREA_BLOCKED,
     .min_y = -1,
     .max_y = 1,
     .corner_count = 3,
     .corners = {6, -10, 10, -9, 8, -4}},
};
static const CrVolume obstacle = {.shape = CR_VOLUME_CYLINDER,
                                  .area = CR_AREA_BLOCKED,
                                  .min_y = 0,
                                  .max_y = 2,
                                  .center_x = 0,
                                  .center_z = 6,
                                  .radius = 1};
static const CrOffMeshLink links[2] = {
    {{-8, 0, -3}, {-8, 0, 3}, 0.5, 4000000000u, 6, 3, 0},
    {{100, 0, 100}, {0, 0, 0}, 0.5, 0, 1, 0, 1},
};

static uint64_t built_hash(CrPartition partition, int32_t tile_cells) {
  Floor level;
  make_floor(&level);
  uint16_t flags[CR_MAX_AREA + 1];
  for (int area = 0; area <= CR_MAX_AREA; area++) flags[area] = area == 7 ? 0x100 : 1;
  CrBuildInput input = {.vertices = level.vertices,
                        .vertex_count = level.vertex_count,
                        .triangles = level.triangles,
                        .triangle_count = level.triangle_count,
                        .volumes = volumes,
                        .volume_count = 3,
                        .obstacles = &obstacle,
                        .obstacle_count = 1,
                        .off_mesh_links = links,
                        .off_mesh_count = 2,
                        .area_flags = flags};
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = partition;
  settings.tile_cells = tile_cells;
  CrNavMesh *mesh;
  CrBytes bytes;
  REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  uint64_t hash = cr_hash_bytes(bytes.data, bytes.size);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
  return hash;
}

TEST(meshes_are_those_of_the_package) {
  static const uint64_t expected[3][2] = {
      {UINT64_C(0x8F67EB716FF61AD1), UINT64_C(0x2E43BEDAF5FC0174)},
      {UINT64_C(0x2FB62E13D1898A40), UINT64_C(0x2E43BEDAF5FC0174)},
      {UINT64_C(0xE8BB3B90EC8A2811), UINT64_C(0x2E43BEDAF5FC0174)},
  };
  for (int partition = 0; partition < 3; partition++) {
    for (int tiled = 0; tiled < 2; tiled++) {
      uint64_t hash = built_hash((CrPartition)partition, tiled ? 24 : 0);
      printf("  partition %d, %s: %016llx\n", partition, tiled ? "tiled" : "whole", (unsigned long long)hash);
      CHECK(hash == expected[partition][tiled]);
    }
  }
}

TEST_MAIN(RUN(meshes_are_those_of_the_package))
