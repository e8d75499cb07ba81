// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds the query tests share: the map worlds of worlds.h by number, and warped ones (irregular triangles and quads, hills,
// border vertices that do not match between tiles). Also random areas, flags and filters.
#ifndef CR_TEST_QUERY_WORLDS_H
#define CR_TEST_QUERY_WORLDS_H

#include <math.h>

#include "check.h"
#include "crowdreel/query.h"
#include "worlds.h"

// --- Warped worlds --------------------------------------------------------------------------------------------------------

typedef struct WarpedTile {
  int32_t x, z, cells;
  double cell, warp, hill, fill;
  double border;  // part of the warp that vertices on the border have along it
  double *vertices;
  uint8_t *counts;
  uint32_t *corners;
  uint32_t polygon_count, corner_count;
} WarpedTile;

// A wave like a sine, of parabolas: -1 to 1, period 1. Of exact operations only, so that every compiler makes the same world.
static inline double parabola_wave(double t) {
  double u = t - floor(t);
  return u < 0.5 ? 16 * u * (0.5 - u) : -16 * (u - 0.5) * (1 - u);
}

static inline double warped_height(const WarpedTile *tile, double x, double z) {
  return tile->hill * (parabola_wave(x / 9) + parabola_wave(z / 7 + 0.25));
}

// Grid vertex (i, j) of the tile, moved at random; along the border only if it is on one, and not at all at corners.
static inline void warp_vertex(const WarpedTile *tile, int32_t i, int32_t j, uint64_t *seed) {
  double dx = rnd_range(seed, -tile->warp, tile->warp) * tile->cell;
  double dz = rnd_range(seed, -tile->warp, tile->warp) * tile->cell;
  bool on_x = i == 0 || i == tile->cells, on_z = j == 0 || j == tile->cells;
  if (on_x || on_z) dx *= tile->border, dz *= tile->border;
  if (on_x) dx = 0.0;
  if (on_z) dz = 0.0;
  if ((i == 0 || i == tile->cells) && (j == 0 || j == tile->cells)) dx = dz = 0.0;
  double *v = tile->vertices + 3 * ((size_t)j * (size_t)(tile->cells + 1) + (size_t)i);
  v[0] = (tile->x * tile->cells + i) * tile->cell + dx;
  v[2] = (tile->z * tile->cells + j) * tile->cell + dz;
  v[1] = warped_height(tile, v[0], v[2]);
}

static inline void put_warped_polygon(WarpedTile *tile, uint32_t count, const uint32_t *corners) {
  tile->counts[tile->polygon_count++] = (uint8_t)count;
  for (uint32_t k = 0; k < count; k++) tile->corners[tile->corner_count++] = corners[k];
}

// A triangle of a cell, left out if it was warped so far that it has no area or the wrong side up.
static inline void put_warped_triangle(WarpedTile *tile, uint32_t p, uint32_t q, uint32_t r) {
  const double *a = tile->vertices + 3 * p, *b = tile->vertices + 3 * q, *c = tile->vertices + 3 * r;
  double area2 = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
  if (area2 > 1e-6 * tile->cell * tile->cell) put_warped_polygon(tile, 3, (uint32_t[]){p, q, r});
}

// One cell: left out, or a quad (when it is convex), or two triangles by either diagonal.
static inline void put_warped_cell(WarpedTile *tile, int32_t i, int32_t j, uint64_t *seed) {
  double left_out = rnd_unit(seed);
  int32_t kind = rnd_int(seed, 3);
  if (left_out < tile->fill) return;
  uint32_t row = (uint32_t)tile->cells + 1, v = (uint32_t)j * row + (uint32_t)i;
  uint32_t q[4] = {v, v + 1, v + row + 1, v + row};
  bool convex = true;
  for (int k = 0; k < 4; k++) {
    const double *a = tile->vertices + 3 * q[k], *b = tile->vertices + 3 * q[(k + 1) % 4];
    const double *c = tile->vertices + 3 * q[(k + 2) % 4];
    convex = convex && (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]) > 0.01 * tile->cell * tile->cell;
  }
  if (kind == 0 && convex) {
    put_warped_polygon(tile, 4, q);
  } else if (kind == 1) {
    put_warped_triangle(tile, q[0], q[1], q[2]);
    put_warped_triangle(tile, q[0], q[2], q[3]);
  } else {
    put_warped_triangle(tile, q[0], q[1], q[3]);
    put_warped_triangle(tile, q[1], q[2], q[3]);
  }
}

static inline void add_warped_tile(CrNavMesh *mesh, WarpedTile *tile, uint64_t *seed) {
  size_t side = (size_t)tile->cells + 1, cells = (size_t)tile->cells * (size_t)tile->cells;
  tile->vertices = malloc(side * side * 3 * sizeof(double));
  tile->counts = malloc(2 * cells);
  tile->corners = malloc(6 * cells * sizeof(uint32_t));
  REQUIRE(tile->vertices && tile->counts && tile->corners);
  for (int32_t j = 0; j <= tile->cells; j++) {
    for (int32_t i = 0; i <= tile->cells; i++) warp_vertex(tile, i, j, seed);
  }
  for (int32_t j = 0; j < tile->cells; j++) {
    for (int32_t i = 0; i < tile->cells; i++) put_warped_cell(tile, i, j, seed);
  }
  CrTileDescription description = {.x = tile->x,
                                   .z = tile->z,
                                   .vertex_count = (uint32_t)(side * side),
                                   .polygon_count = tile->polygon_count,
                                   .vertices = tile->vertices,
                                   .polygon_vertex_counts = tile->counts,
                                   .polygon_vertices = tile->corners};
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrBytes bytes;
  CrError error;
  CrStatus status = cr_tile_encode(&params, &description, NULL, &bytes, &error);
  if (status != CR_STATUS_OK) printf("warped tile: %s %lld\n", error.field, (long long)error.index);
  REQUIRE_OK(status);
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  free(tile->vertices);
  free(tile->counts);
  free(tile->corners);
}

// tiles x tiles tiles of cells x cells cells each; `fill` of the cells left out; hills of about +-2 `hill`.
// `border` 1: border vertices lie anywhere between their neighbours; a small part of 1: those of two tiles lie that near each
// other.
static inline CrNavMesh *world_warped_border(uint64_t seed, int32_t tiles, int32_t cells, double cell, double fill,
                                             double hill, double origin, double border) {
  double size = cells * cell;
  CrNavMeshParams params = {.tile_size = size, .climb = 0.5, .agent_height = 2.0};
  params.origin_x = params.origin_z = 0.0;
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  int32_t first = (int32_t)floor(origin / size);
  for (int32_t z = 0; z < tiles; z++) {
    for (int32_t x = 0; x < tiles; x++) {
      WarpedTile tile = {.x = first + x,
                         .z = first + z,
                         .cells = cells,
                         .cell = cell,
                         .warp = 0.3,
                         .hill = hill,
                         .fill = fill,
                         .border = border};
      add_warped_tile(mesh, &tile, &seed);
    }
  }
  world_note(mesh);
  return mesh;
}

static inline CrNavMesh *world_warped(uint64_t seed, int32_t tiles, int32_t cells, double cell, double fill,
                                      double hill, double origin) {
  return world_warped_border(seed, tiles, cells, cell, fill, hill, origin, 1.0);
}

// --- A list of worlds -----------------------------------------------------------------------------------------------------

static inline void scatter_areas(CrNavMesh *mesh, uint64_t *seed, double share) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (rnd_unit(seed) < share) REQUIRE_OK(cr_navmesh_set_area(mesh, all[i], (uint8_t)rnd_int(seed, 5), NULL));
    if (rnd_unit(seed) < share * 0.5) {
      REQUIRE_OK(cr_navmesh_set_flags(mesh, all[i], (uint16_t)(1u << rnd_int(seed, 3)), NULL));
    }
  }
  free(all);
}

// World `number` of an endless list: flat and hilly, one tile and many, with and without areas, links, floors.
static inline CrNavMesh *world_number(int number) {
  uint64_t seed = 1000 + (uint64_t)number;
  CrNavMesh *mesh = NULL;
  switch (number % 10) {
    case 0:
      mesh = world_maze(seed, 8, 1.0, 0, NULL);
      break;
    case 1:
      mesh = world_maze(seed, 8, 1.5, 5, NULL);
      break;
    case 2:
      mesh = world_scattered(seed, 18, 18, 1.0, 0.2, 0, NULL);
      break;
    case 3:
      mesh = world_scattered(seed, 18, 18, 0.7, 0.3, 6, NULL);
      break;
    case 4:
      mesh = world_two_floors(seed, 14, 12, 1.0, 4.0, 4, 0, NULL);
      break;
    case 5:
      mesh = world_two_floors(seed, 14, 12, 1.0, 4.0, 6, 4, NULL);
      break;
    case 6:
      mesh = world_warped(seed, 1, 12, 1.0, 0.15, 0.0, 0.0);
      break;
    case 7:
      mesh = world_warped(seed, 3, 4, 1.0, 0.15, 0.3, 0.0);
      break;
    case 8:
      mesh = world_warped(seed, 3, 5, 2.0, 0.25, 0.0, -12.0);
      break;
    default:
      mesh = world_from_map_merged(
          "........#.......\n..###...#..ab...\n..#.....#..ba...\n..#..........###\n"
          "..#######.......\n....aabb.....#..\n....bbaa..#..#..\n...........#....\n",
          1.0, 5, number % 20 < 10 ? 0 : 4, NULL);
  }
  // Areas from the third ten on, so that plain worlds stay too.
  if (number / 10 % 3 == 2) scatter_areas(mesh, &seed, 0.3);
  return mesh;
}

// A filter by number: none, or costs for the areas 0..4 and an excluded flag.
static inline const CrQueryFilter *filter_number(int number, CrQueryFilter *storage) {
  if (number % 3 == 0) return NULL;
  *storage = cr_query_filter_default();
  uint64_t seed = 77 + (uint64_t)number;
  for (int area = 0; area < 27; area++) storage->area_cost[area] = rnd_range(&seed, 0.5, 4.0);
  if (number % 3 == 2) storage->exclude_flags = 2;
  return storage;
}

// A random polygon the filter accepts and a point in it; false when a few tries find none.
static inline bool random_place(const CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t *seed, CrPolyRef *ref,
                                CrVec3 *point) {
  for (int i = 0; i < 50; i++) {
    *point = world_random_point(mesh, seed, ref);
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(mesh, *ref, &info));
    if (!filter || ((info.flags & filter->include_flags) && !(info.flags & filter->exclude_flags))) return true;
  }
  return false;
}

#endif
