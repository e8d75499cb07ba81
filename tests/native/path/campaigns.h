// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the campaigns of followers share: random fields, worlds by number, tiles to take out and put in, and which polygons can be
// reached.
#ifndef CR_TEST_CAMPAIGNS_H
#define CR_TEST_CAMPAIGNS_H

#include "walkers.h"

#define DT (1.0 / 30.0)

// --- Fields -------------------------------------------------------------------------------------------------------------

enum { MOST_SIDE = 40 };

static inline CrNavMesh *mesh_of_cells(const char *cells, int side, uint64_t seed) {
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
static inline CrNavMesh *field_of_obstacles(uint64_t seed, int side, int obstacles) {
  char cells[MOST_SIDE * MOST_SIDE];
  uint64_t number = seed;
  memset(cells, '.', sizeof cells);
  for (int k = 0; k < obstacles; k++) {
    int width = 1 + rnd_int(&seed, 4), height = 1 + rnd_int(&seed, 4);
    int column = rnd_int(&seed, side - width), row = rnd_int(&seed, side - height);
    for (int r = row; r < row + height; r++) memset(cells + r * side + column, '#', (size_t)width);
  }
  return mesh_of_cells(cells, side, number);
}

// A part of all cells is an obstacle: many ways round, many dead ends.
static inline CrNavMesh *field_of_clutter(uint64_t seed, int side, double fill) {
  char cells[MOST_SIDE * MOST_SIDE];
  uint64_t number = seed;
  for (int k = 0; k < side * side; k++) cells[k] = rnd_unit(&seed) < fill ? '#' : '.';
  return mesh_of_cells(cells, side, number);
}

// Worlds of several tiles, by number: worlds whose numbers differ by 1000 have the same tiles with other polygons in them.
enum { TILED_WORLDS = 4 };
static inline CrNavMesh *tiled_world(int number) {
  uint64_t seed = (uint64_t)number;
  switch (number % TILED_WORLDS) {
    case 0:
      return world_scattered(seed, 24, 24, 1.0, 0.2, 6, NULL);
    case 1:
      return world_two_floors(seed, 18, 17, 1.0, 5.0, 8, 6, NULL);
    case 2:
      return world_scattered(seed, 20, 20, 0.7, 0.3, 5, NULL);
    default:
      return world_maze(seed, 9, 1.0, 5, NULL);
  }
}

// --- Edits --------------------------------------------------------------------------------------------------------------

// The tiles of a mesh as bytes, each with another one that may take its place.
typedef struct TileStore {
  int32_t count;
  struct {
    int32_t x, z, layer;
    CrBytes bytes[2];
  } tiles[64];
} TileStore;

// Describes a tile anew (without detail surfaces, which these worlds have none of).
static inline CrBytes encode_again(const CrNavMesh *mesh, const CrTile *tile) {
  uint8_t *counts = malloc(tile->polygon_count + 1);
  double *vertices = malloc((tile->vertex_count + 1) * 3 * sizeof *vertices);
  REQUIRE(counts && vertices);
  for (uint32_t p = 0; p < tile->polygon_count; p++) counts[p] = (uint8_t)cr__polygon_vertex_count(tile, p);
  for (uint32_t v = 0; v < tile->vertex_count; v++) {
    vertices[3 * v] = tile->vertices[v].x;
    vertices[3 * v + 1] = tile->vertices[v].y;
    vertices[3 * v + 2] = tile->vertices[v].z;
  }
  CrTileDescription description = {.x = tile->x,
                                   .z = tile->z,
                                   .layer = tile->layer,
                                   .vertex_count = tile->vertex_count,
                                   .polygon_count = tile->polygon_count,
                                   .vertices = vertices,
                                   .polygon_vertex_counts = counts,
                                   .polygon_vertices = tile->corner_vertex,
                                   .polygon_neighbours = tile->corner_neighbour,
                                   .off_mesh_count = tile->off_mesh_count,
                                   .off_mesh_links = tile->off_mesh};
  CrBytes bytes;
  REQUIRE_OK(cr_tile_encode(&mesh->params, &description, NULL, &bytes, NULL));
  free(counts);
  free(vertices);
  return bytes;
}

// `other` has tiles of the same size; where it has none at a place, the tile there is its own stand-in.
static inline TileStore *store_tiles(const CrNavMesh *mesh, const CrNavMesh *other) {
  TileStore *store = calloc(1, sizeof *store);
  REQUIRE(store != NULL);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    uint32_t stand_in;
    if (!tile->active) continue;
    REQUIRE((size_t)store->count < CR_COUNT_OF(store->tiles));
    int32_t k = store->count++;
    store->tiles[k].x = tile->x, store->tiles[k].z = tile->z, store->tiles[k].layer = tile->layer;
    store->tiles[k].bytes[0] = encode_again(mesh, tile);
    bool found = cr_navmesh_find_tile(other, tile->x, tile->z, tile->layer, &stand_in) == CR_STATUS_OK;
    store->tiles[k].bytes[1] = found ? encode_again(other, &other->tiles[stand_in]) : encode_again(mesh, tile);
  }
  return store;
}

static inline void free_tiles(TileStore *store) {
  for (int32_t k = 0; k < store->count; k++) {
    cr_bytes_free(&store->tiles[k].bytes[0]);
    cr_bytes_free(&store->tiles[k].bytes[1]);
  }
  free(store);
}

typedef struct EditCounts {
  int removed, added, replaced, flags, areas;
} EditCounts;

static inline void print_edits(const EditCounts *edits) {
  printf("%d tiles removed, %d added, %d replaced, flags of %d polygons, areas of %d", edits->removed, edits->added,
         edits->replaced, edits->flags, edits->areas);
}

static inline CrPolyRef polygon_of_tile(const CrNavMesh *mesh, uint32_t slot, uint64_t *seed) {
  int32_t count = (int32_t)mesh->tiles[slot].polygon_count;
  return count ? cr_navmesh_ref(mesh, slot, (uint32_t)rnd_int(seed, count)) : CR_INVALID_REF;
}

// One random edit: a tile goes, comes back, or is replaced by either of its two; or some polygons of one change.
static inline void edit_at_random(CrNavMesh *mesh, const TileStore *store, uint64_t *seed, EditCounts *edits) {
  int32_t k = rnd_int(seed, store->count), kind = rnd_int(seed, 7), variant = rnd_int(seed, 2);
  const CrBytes *bytes = &store->tiles[k].bytes[variant];
  int32_t x = store->tiles[k].x, z = store->tiles[k].z, layer = store->tiles[k].layer;
  uint32_t slot;
  if (cr_navmesh_find_tile(mesh, x, z, layer, &slot) != CR_STATUS_OK) {
    REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes->data, bytes->size, NULL, NULL));
    edits->added++;
  } else if (kind == 0) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, x, z, layer, NULL));
    edits->removed++;
  } else if (kind == 1) {
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes->data, bytes->size, NULL, NULL));
    edits->replaced++;
  } else {
    for (int n = 0; n < 4; n++) {
      CrPolyRef ref = polygon_of_tile(mesh, slot, seed);
      int32_t value = rnd_int(seed, 3);
      if (kind == 2) {
        edits->areas += cr_navmesh_set_area(mesh, ref, (uint8_t)value, NULL) == CR_STATUS_OK;
      } else {
        edits->flags += cr_navmesh_set_flags(mesh, ref, (uint16_t)(value > 0), NULL) == CR_STATUS_OK;
      }
    }
  }
}

// --- Reach --------------------------------------------------------------------------------------------------------------

// The polygons a walk from `start` can reach, found by walking over every way; `out` holds as many as the mesh has.
static inline int32_t reached_from(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef start,
                                   CrPolyRef *out) {
  uint8_t *met[64] = {0};
  int32_t count = 0;
  REQUIRE(mesh->slot_count <= CR_COUNT_OF(met) && cr__resolve(mesh, start));
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    met[slot] = calloc(mesh->tiles[slot].active ? mesh->tiles[slot].polygon_count + 1 : 1, 1);
    REQUIRE(met[slot] != NULL);
  }
  met[cr__ref_slot(start)][cr__ref_polygon(start)] = 1;
  out[count++] = start;
  for (int32_t k = 0; k < count; k++) {
    CrWayList ways = cr__ways(mesh, cr__resolve(mesh, out[k]), cr__ref_polygon(out[k]), filter);
    for (CrWay way; cr__next_way(&ways, &way);) {
      uint8_t *seen = &met[cr__ref_slot(way.target)][cr__ref_polygon(way.target)];
      if (*seen) continue;
      *seen = 1;
      out[count++] = way.target;
    }
  }
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) free(met[slot]);
  return count;
}

#endif
