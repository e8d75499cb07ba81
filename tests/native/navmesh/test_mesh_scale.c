// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What an edit costs in meshes of very different size: the allocator counts the memory it asks for, which follows from
// the tiles it looks at; times are printed beside.
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static TileKit kit;

static const CrNavMeshParams params = {.tile_size = 8.0, .climb = 0.5};

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Counts what is asked for, however soon it is given back.
typedef struct Meter {
  uint64_t calls, bytes;
} Meter;

static void *metered_allocate(void *context, size_t size) {
  Meter *meter = context;
  meter->calls++;
  meter->bytes += size;
  return malloc(size);
}

static void metered_release(void *context, void *memory, size_t size) {
  (void)context;
  (void)size;
  free(memory);
}

// Four floors to a tile, and links to the next tile and far across the mesh.
static CrBytes make_tile(int32_t x, int32_t z, int32_t side) {
  kit_begin(&kit, x, z, 0);
  double x0 = 8.0 * x, z0 = 8.0 * z;
  for (int i = 0; i < 4; i++) {
    double px = x0 + 4 * (i & 1), pz = z0 + 4 * (i >> 1);
    kit_rectangle(&kit, px, pz, px + 4, pz + 4, 0);
  }
  kit_link(&kit, cr__vec(x0 + 1, 0, z0 + 1), cr__vec(x0 + 9, 0, z0 + 1), 0.5, true);
  kit_link(&kit, cr__vec(x0 + 1, 0, z0 + 2), cr__vec(8.0 * (side - 1 - x) + 3, 0, z0 + 3), 0.5, false);
  return kit_encode(&kit, &params);
}

static CrNavMesh *make_mesh(int32_t side, const CrAllocator *allocator) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, allocator, &mesh, NULL));
  for (int32_t i = 0; i < side * side; i++) {
    CrBytes tile = make_tile(i % side, i / side, side);
    REQUIRE_OK(cr_navmesh_add_tile(mesh, tile.data, tile.size, NULL, NULL));
    cr_bytes_free(&tile);
  }
  return mesh;
}

typedef struct Cost {
  double build, edit;  // seconds per tile, per edit
  Meter meter;         // of all edits
} Cost;

#define ROUNDS 200

// Remove, add and replace in the middle of the mesh.
static Cost cost_of_edits(int32_t side) {
  Cost cost = {0};
  CrAllocator allocator = {&cost.meter, metered_allocate, metered_release};
  double began = seconds();
  CrNavMesh *mesh = make_mesh(side, &allocator);
  cost.build = (seconds() - began) / (side * side);
  CrBytes tile = make_tile(side / 2, side / 2, side);
  cost.meter = (Meter){0};
  began = seconds();
  for (int i = 0; i < ROUNDS; i++) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, side / 2, side / 2, 0, NULL));
    REQUIRE_OK(cr_navmesh_add_tile(mesh, tile.data, tile.size, NULL, NULL));
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, tile.data, tile.size, NULL, NULL));
  }
  cost.edit = (seconds() - began) / (3 * ROUNDS);
  if (side <= 10) CHECK(!cr__navmesh_invariant(mesh));
  cr_bytes_free(&tile);
  cr_navmesh_destroy(mesh);
  return cost;
}

TEST(edits_cost_the_same_in_large_meshes) {
  Cost small = cost_of_edits(10), large = cost_of_edits(100);
  printf("  100 tiles: %.2f us to add one, %.2f us an edit, %.1f allocations and %.0f bytes an edit\n",
         small.build * 1e6, small.edit * 1e6, (double)small.meter.calls / (3 * ROUNDS),
         (double)small.meter.bytes / (3 * ROUNDS));
  printf("  10000 tiles: %.2f us to add one, %.2f us an edit, %.1f allocations and %.0f bytes an edit\n",
         large.build * 1e6, large.edit * 1e6, (double)large.meter.calls / (3 * ROUNDS),
         (double)large.meter.bytes / (3 * ROUNDS));
  CHECK(large.meter.calls == small.meter.calls && large.meter.bytes == small.meter.bytes);
}

// The same for loading: memory asked for per tile does not grow with their number.
TEST(loading_costs_the_same_per_tile) {
  double per_tile[2];
  for (int i = 0; i < 2; i++) {
    int32_t side = i ? 100 : 10;
    Meter meter = {0};
    CrAllocator allocator = {&meter, metered_allocate, metered_release};
    CrNavMesh *mesh = make_mesh(side, NULL), *loaded = NULL;
    CrBytes bytes;
    REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
    double began = seconds();
    REQUIRE_OK(cr_navmesh_load(bytes.data, bytes.size, &allocator, &loaded, NULL));
    double took = seconds() - began;
    per_tile[i] = (double)meter.bytes / (side * side);
    printf("  %5d tiles: %.2f us and %.0f bytes of memory a tile\n", side * side, took * 1e6 / (side * side),
           per_tile[i]);
    cr_bytes_free(&bytes);
    cr_navmesh_destroy(loaded);
    cr_navmesh_destroy(mesh);
  }
  // Arrays that double may be twice as large as they need be.
  CHECK(per_tile[1] < 2 * per_tile[0]);
}

TEST_MAIN(RUN(edits_cost_the_same_in_large_meshes), RUN(loading_costs_the_same_per_tile))
