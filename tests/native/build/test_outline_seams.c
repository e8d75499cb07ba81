// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Two tiles cut from one ground, each with its own regions: along their common line every border edge is answered by the other tile over
// its whole length, on rough ground too, and where the ground is not linked there is wall on both sides.
#include "field_maker.h"
#include "field_tile.h"
#include "navmesh_internal.h"

enum { SIDE = 24, BORDER = 2 };

typedef struct Ground {
  uint64_t seed;
  int32_t rough, slope_x, slope_z, layers;
  double walls;
} Ground;

static uint64_t place_random(const Ground *g, int32_t x, int32_t z, int32_t layer) {
  uint64_t state = g->seed + (uint64_t)(x + 1000) * 1000003 + (uint64_t)(z + 1000) * 998244353 + (uint64_t)layer * 77;
  return rnd_u64(&state);
}

static FieldMaker cut_tile(const Ground *g, int32_t tile_x, uint64_t *seed) {
  FieldMaker maker = field_maker(SIDE + 2 * BORDER, SIDE + 2 * BORDER, BORDER);
  maker.grid.cell_x = tile_x * SIDE - BORDER;
  int32_t stripe = 3 + rnd_int(seed, 20), kinds = 1 + rnd_int(seed, 3);
  for (int32_t z = 0; z < maker.grid.depth; z++) {
    for (int32_t x = 0; x < maker.grid.width; x++) {
      bool own = x >= BORDER && z >= BORDER && x < SIDE + BORDER && z < SIDE + BORDER;
      int32_t gx = maker.grid.cell_x + x, gz = maker.grid.cell_z + z;
      for (int32_t layer = 0; layer < g->layers; layer++) {
        uint64_t r = place_random(g, gx, gz, layer);
        if ((double)(r % 1000) < g->walls * 1000.0) continue;
        int32_t floor = layer * 25 + gx * g->slope_x + gz * g->slope_z + (int32_t)(r / 1000 % (uint64_t)(g->rough + 1));
        uint32_t region = 1 + (uint32_t)((x + z * 2) / stripe % kinds);
        field_add(&maker, (FieldSpan){x, z, floor, 11 + (int32_t)(r / 100000 % 10),
                                      own ? region : region | CR_BORDER_REGION, 0});
      }
    }
  }
  return maker;
}

static void add_tile(CrNavMesh *mesh, const CrNavMeshParams *params, FieldMaker *maker, int32_t tile_x, double error) {
  CrBuildSettings s = {.agent_height = 2.5, .walkable_climb = 1.0, .max_verts_per_poly = 6};
  s.cell_size = maker->grid.cell_size;
  s.cell_height = maker->grid.cell_height;
  s.contour_max_error = error;
  CrArena arena;
  CrBytes bytes;
  CrBuildReport report = {0};
  cr__arena_init(&arena, NULL);
  CrOpenField field = field_make(maker, &arena);
  REQUIRE_OK(field_tile(&field, &s, params, tile_x, NULL, &bytes, &report, NULL));
  check_note_bytes(bytes.data, bytes.size);
  if (bytes.size) REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  cr__arena_free(&arena);
}

typedef struct Seam {
  double length, covered;  // of the border edges on the line between the tiles, and of the links on them
  uint32_t walls;          // edges on that line with nothing behind
} Seam;

static Seam measure(const CrNavMesh *mesh, uint32_t code) {
  Seam seam = {0};
  double line = SIDE * 0.5;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      uint32_t count = cr__polygon_vertex_count(tile, p);
      for (uint32_t k = 0; k < count; k++) {
        CrVec3 a = cr__polygon_vertex(tile, p, k), b = cr__polygon_vertex(tile, p, (k + 1) % count);
        if (a.x != line || b.x != line || (code == CR_EDGE_BORDER_POS_X) != (b.z > a.z)) continue;
        uint32_t behind = tile->corner_neighbour[tile->polygon_first[p] + k];
        seam.walls += behind == CR_EDGE_WALL;
        if (behind == code) seam.length += cr__dist_xz(a, b);
      }
      for (uint32_t l = tile->link_first[p]; l < tile->link_first[p + 1]; l++) {
        bool ours = tile->corner_neighbour[tile->polygon_first[p] + tile->links[l].edge] == code;
        if (ours) seam.covered += cr__dist_xz(tile->links[l].a, tile->links[l].b);
      }
    }
  }
  return seam;
}

// Sides of the first tile's spans through which a link leads to the second.
static double linked_length(FieldMaker *maker) {
  CrArena arena;
  cr__arena_init(&arena, NULL);
  CrOpenField field = field_make(maker, &arena);
  uint32_t count = 0;
  for (int32_t z = BORDER; z < SIDE + BORDER; z++) {
    size_t column = (size_t)(SIDE + BORDER - 1) + (size_t)z * (size_t)field.grid.width;
    for (uint32_t span = field.first[column]; span < field.first[column + 1]; span++) {
      uint32_t other = field.neighbour[(size_t)span * 4 + 2];
      count += other != CR_NO_SPAN && field.neighbour[(size_t)other * 4] == span;
    }
  }
  cr__arena_free(&arena);
  return count * 0.5;
}

static void check_pair(uint64_t *seed, double error, double *total, uint32_t *walls) {
  Ground ground = {.seed = check_seed * 77, .rough = rnd_int(seed, 6)};
  ground.slope_x = rnd_int(seed, 4);
  ground.slope_z = rnd_int(seed, 4);
  ground.layers = 1 + rnd_int(seed, 3);
  ground.walls = rnd_unit(seed) * 0.4;
  CrNavMeshParams params = {.tile_size = SIDE * 0.5, .climb = 1.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  double linked = 0.0;
  for (int32_t tile = 0; tile < 2; tile++) {
    FieldMaker maker = cut_tile(&ground, tile, seed);
    add_tile(mesh, &params, &maker, tile, error);
    if (tile == 0) linked = linked_length(&maker);
    field_maker_free(&maker);
  }
  Seam first = measure(mesh, CR_EDGE_BORDER_POS_X), second = measure(mesh, CR_EDGE_BORDER_NEG_X);
  CHECK_NEAR(first.covered, second.covered, 1e-9);
  if (error == 0.0) {
    CHECK_NEAR(first.length, linked, 1e-9);
    CHECK_NEAR(second.length, linked, 1e-9);
    CHECK_NEAR(first.covered, linked, 1e-9);
  } else {
    // Slivers within the error vanish, with their bit of seam; nothing else may be lost.
    CHECK(first.length <= linked + 1e-9 && first.covered <= first.length + 1e-9);
    CHECK(first.covered >= linked * 0.6);
  }
  *total += first.covered;
  *walls += first.walls + second.walls;
  cr_navmesh_destroy(mesh);
}

TEST(tiles_meet) {
  double total = 0.0;
  uint32_t walls = 0;
  int count = 200 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 300 + (uint64_t)i;
    uint64_t seed = check_seed;
    check_pair(&seed, i % 2 ? rnd_unit(&seed) * 0.7 : 0.0, &total, &walls);
  }
  printf("  %d pairs of tiles, %.0f m of seam joined, %u walls on the line\n", count, total, walls);
  CHECK(total > 0.0 && walls > 0);
}

TEST_MAIN(RUN(tiles_meet))
