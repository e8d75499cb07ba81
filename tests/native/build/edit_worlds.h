// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The meshes of the edit campaign: positions of tiles with bytes to begin with, and endless variants of them. Twenty
// kinds: random tiles in several layers, map worlds, levels built in all partitions, meshes from polygons.
#ifndef CR_TEST_EDIT_WORLDS_H
#define CR_TEST_EDIT_WORLDS_H

#include "check.h"
#include "crowdreel/tile_cache.h"
#include "levels.h"
#include "navmesh_internal.h"
#include "tile_kit.h"
#include "worlds.h"

#define EDIT_WORLDS 20
#define EDIT_MAX_PLACES 64

typedef struct EditPlace {
  int32_t x, z, layer;
  CrBytes base;
  CrVec3 sample;  // the middle of one of its polygons, where it has any
} EditPlace;

typedef struct EditWorld {
  char name[64];
  CrNavMeshParams params;
  EditPlace places[EDIT_MAX_PLACES];
  uint32_t place_count;
  bool random_tiles;   // variants may be altogether new
  CrTileCache *cache;  // of a built world: obstacles come and go through it
  Level level;
  CrBuildSettings settings;
  CrVec3 low, high;  // of all polygons
} EditWorld;

// --- Variants of a tile ---------------------------------------------------------------------------------------------

static inline CrTile edit_decode(const EditWorld *world, const CrBytes *bytes) {
  CrAllocator allocator = cr__allocator_or_default(NULL);
  CrReader reader = cr__reader(bytes->data, bytes->size, 0, CR_FORMAT_NAVMESH, NULL);
  CrTile tile;
  REQUIRE_OK(cr__tile_read(&reader, &world->params, &allocator, &tile));
  return tile;
}

static inline void edit_release(CrTile *tile) {
  CrAllocator allocator = cr__allocator_or_default(NULL);
  cr__tile_free(&allocator, tile);
}

// The arrays of a description, and which polygon of the tile each polygon kept is.
typedef struct EditArrays {
  CrTileDescription tile;
  uint32_t *kept;  // per polygon of the tile: its new index, or CR_EDGE_WALL
  double *vertices, *detail_vertices;
  uint8_t *counts, *areas;
  uint16_t *flags, *detail_triangles;
  uint32_t *corners, *neighbours, *detail_vertex_counts, *detail_triangle_counts;
  CrOffMeshLink *links;
} EditArrays;

static inline EditArrays edit_arrays(const CrTile *from, uint32_t more_links) {
  size_t polygons = from->polygon_count + 1, corners = from->corner_count + 1;
  EditArrays a = {.kept = malloc(polygons * sizeof *a.kept)};
  a.vertices = malloc((from->vertex_count + 1) * 3 * sizeof(double));
  a.detail_vertices = malloc((from->detail_vertex_count + 1) * 3 * sizeof(double));
  a.counts = malloc(polygons);
  a.areas = malloc(polygons);
  a.flags = malloc(polygons * 2);
  a.detail_triangles = malloc((from->detail_triangle_count + 1) * 3 * sizeof(uint16_t));
  a.corners = malloc(corners * 4);
  a.neighbours = malloc(corners * 4);
  a.detail_vertex_counts = malloc(polygons * 4);
  a.detail_triangle_counts = malloc(polygons * 4);
  a.links = malloc((from->off_mesh_count + more_links + 1) * sizeof *a.links);
  REQUIRE(a.kept && a.vertices && a.detail_vertices && a.counts && a.areas && a.flags && a.detail_triangles);
  REQUIRE(a.corners && a.neighbours && a.detail_vertex_counts && a.detail_triangle_counts && a.links);
  a.tile = (CrTileDescription){.x = from->x,
                               .z = from->z,
                               .layer = from->layer,
                               .vertex_count = from->vertex_count,
                               .vertices = a.vertices,
                               .polygon_vertex_counts = a.counts,
                               .polygon_vertices = a.corners,
                               .polygon_neighbours = a.neighbours,
                               .polygon_areas = a.areas,
                               .polygon_flags = a.flags,
                               .detail_vertex_counts = a.detail_vertex_counts,
                               .detail_triangle_counts = a.detail_triangle_counts,
                               .detail_vertices = a.detail_vertices,
                               .detail_triangles = a.detail_triangles,
                               .off_mesh_links = a.links};
  for (uint32_t i = 0; i < from->vertex_count; i++) memcpy(&a.vertices[3 * (size_t)i], &from->vertices[i], 24);
  return a;
}

static inline void edit_free_arrays(EditArrays *a) {
  free(a->kept);
  free(a->vertices);
  free(a->detail_vertices);
  free(a->counts);
  free(a->areas);
  free(a->flags);
  free(a->detail_triangles);
  free(a->corners);
  free(a->neighbours);
  free(a->detail_vertex_counts);
  free(a->detail_triangle_counts);
  free(a->links);
}

static inline void edit_keep_detail(const CrTile *from, EditArrays *a, uint32_t p, uint32_t *vertices,
                                    uint32_t *triangles) {
  uint32_t q = a->kept[p], first_vertex = from->detail_first_vertex[p], first = from->detail_first_triangle[p];
  a->detail_vertex_counts[q] = from->detail_first_vertex[p + 1] - first_vertex;
  a->detail_triangle_counts[q] = from->detail_first_triangle[p + 1] - first;
  for (uint32_t i = 0; i < a->detail_vertex_counts[q]; i++) {
    memcpy(&a->detail_vertices[3 * (size_t)(*vertices)++], &from->detail_vertices[first_vertex + i], 24);
  }
  size_t size = (size_t)a->detail_triangle_counts[q] * 3;
  memcpy(&a->detail_triangles[3 * (size_t)*triangles], &from->detail_triangles[3 * (size_t)first], size * 2);
  *triangles += a->detail_triangle_counts[q];
}

// Leaves out one polygon in `drop_one_in` (0: none); areas and flags as they are or new.
static inline void edit_keep_polygons(const CrTile *from, EditArrays *a, int32_t drop_one_in, uint64_t *seed) {
  uint32_t corner = 0, detail_vertices = 0, detail_triangles = 0;
  for (uint32_t p = 0; p < from->polygon_count; p++) {
    bool keep = !drop_one_in || rnd_int(seed, drop_one_in) != 0;
    a->kept[p] = keep ? a->tile.polygon_count++ : CR_EDGE_WALL;
  }
  for (uint32_t p = 0; p < from->polygon_count; p++) {
    uint32_t q = a->kept[p];
    if (q == CR_EDGE_WALL) continue;
    bool marked = rnd_int(seed, 4) == 0;
    a->counts[q] = (uint8_t)cr__polygon_vertex_count(from, p);
    a->areas[q] = marked ? (uint8_t)rnd_int(seed, 5) : from->areas[p];
    a->flags[q] = marked ? (uint16_t)(1 + rnd_int(seed, 7)) : from->flags[p];
    for (uint32_t c = from->polygon_first[p]; c < from->polygon_first[p + 1]; c++) {
      uint32_t neighbour = from->corner_neighbour[c];
      a->corners[corner] = from->corner_vertex[c];
      a->neighbours[corner++] = neighbour < from->polygon_count ? a->kept[neighbour] : neighbour;
    }
    edit_keep_detail(from, a, p, &detail_vertices, &detail_triangles);
  }
}

// A place for a link's end: near one of the tiles, on it or not.
static inline CrVec3 edit_near_sample(const EditWorld *world, uint64_t *seed) {
  const EditPlace *place = &world->places[rnd_int(seed, (int32_t)world->place_count)];
  CrVec3 at = place->sample;
  double off = world->params.tile_size * 0.3;
  if (rnd_int(seed, 2)) at.x += rnd_range(seed, -off, off);
  if (rnd_int(seed, 2)) at.z += rnd_range(seed, -off, off);
  if (rnd_int(seed, 4) == 0) at.y += rnd_range(seed, -1.0, 1.0);
  return at;
}

static inline void edit_put_links(const EditWorld *world, const CrTile *from, EditArrays *a, uint32_t fresh,
                                  uint64_t *seed) {
  CrTileSquare s = cr__tile_square(&world->params, from->x, from->z);
  for (uint32_t i = 0; i < from->off_mesh_count; i++) {
    if (rnd_int(seed, 3)) a->links[a->tile.off_mesh_count++] = from->off_mesh[i];
  }
  for (uint32_t i = 0; i < fresh; i++) {
    CrOffMeshLink *link = &a->links[a->tile.off_mesh_count++];
    memset(link, 0, sizeof *link);
    link->start = from->polygon_count ? cr__polygon_center(from, (uint32_t)rnd_int(seed, (int32_t)from->polygon_count))
                                      : rnd_point(seed, cr__vec(s.min_x, 0, s.min_z), cr__vec(s.max_x, 1, s.max_z));
    link->end = edit_near_sample(world, seed);
    link->radius = world->params.tile_size * rnd_range(seed, 0.01, 0.4);
    link->user_id = (uint32_t)rnd_u64(seed);
    link->area = (uint8_t)rnd_int(seed, 5);
    link->flags = (uint16_t)(1 + rnd_int(seed, 7));
    link->bidirectional = (uint8_t)rnd_int(seed, 2);
    // One in five on top of the one before.
    if (i && rnd_int(seed, 5) == 0) *link = link[-1];
  }
}

static inline CrBytes edit_variant_of(const EditWorld *world, const CrBytes *bytes, uint64_t *seed) {
  CrTile from = edit_decode(world, bytes);
  uint32_t fresh = (uint32_t)rnd_int(seed, 4);
  EditArrays arrays = edit_arrays(&from, fresh);
  edit_keep_polygons(&from, &arrays, rnd_int(seed, 3) ? 8 : 0, seed);
  edit_put_links(world, &from, &arrays, fresh, seed);
  CrBytes out;
  REQUIRE_OK(cr_tile_encode(&world->params, &arrays.tile, NULL, &out, NULL));
  edit_free_arrays(&arrays);
  edit_release(&from);
  return out;
}

static TileKit edit_kit;

static inline CrBytes edit_variant(const EditWorld *world, uint32_t place, uint64_t *seed) {
  const EditPlace *at = &world->places[place];
  if (!world->random_tiles || rnd_int(seed, 3) == 0) return edit_variant_of(world, &at->base, seed);
  kit_random(&edit_kit, &world->params, seed, at->x, at->z, at->layer);
  return kit_encode(&edit_kit, &world->params);
}

// --- Worlds ---------------------------------------------------------------------------------------------------------

static inline void edit_add_place(EditWorld *world, int32_t x, int32_t z, int32_t layer, CrBytes base) {
  REQUIRE(world->place_count < EDIT_MAX_PLACES);
  EditPlace *place = &world->places[world->place_count++];
  *place = (EditPlace){x, z, layer, base, {0, 0, 0}};
  CrTile tile = edit_decode(world, &base);
  CrTileSquare s = cr__tile_square(&world->params, x, z);
  place->sample = cr__vec((s.min_x + s.max_x) * 0.5, 0, (s.min_z + s.max_z) * 0.5);
  if (tile.polygon_count) place->sample = cr__polygon_center(&tile, tile.polygon_count / 2);
  if (world->place_count == 1) world->low = world->high = place->sample;
  for (uint32_t v = 0; v < tile.vertex_count; v++) {
    CrVec3 p = tile.vertices[v];
    world->low = cr__vec(cr__min(world->low.x, p.x), cr__min(world->low.y, p.y), cr__min(world->low.z, p.z));
    world->high = cr__vec(cr__max(world->high.x, p.x), cr__max(world->high.y, p.y), cr__max(world->high.z, p.z));
  }
  edit_release(&tile);
}

static inline void edit_take_tiles(EditWorld *world, CrNavMesh *mesh) {
  world->params = cr_navmesh_params(mesh);
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo info;
    CrBytes bytes;
    if (cr_navmesh_tile_info(mesh, slot, &info) != CR_STATUS_OK) continue;
    REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &bytes, NULL));
    edit_add_place(world, info.x, info.z, info.layer, bytes);
  }
  cr_navmesh_destroy(mesh);
}

static inline void edit_random_world(EditWorld *world, uint64_t seed) {
  static const double origins[][2] = {{0, 0}, {-37.7, 1000.1}, {1048576.3, -1048570.9}};
  static const double sizes[] = {10.0, 7.3, 20.1, 9.6};
  int32_t layers = 1 + (int32_t)(seed % 3), side = layers == 1 ? 5 : 4 - layers / 3;
  world->params = (CrNavMeshParams){origins[seed % 3][0], origins[seed % 3][1], sizes[seed % 4], 0.5, 0, 0};
  world->random_tiles = true;
  for (int32_t i = 0; i < side * side * layers; i++) {
    int32_t x = i % side - 1, z = i / side % side - 1, layer = i / (side * side) - 1;
    kit_random(&edit_kit, &world->params, &seed, x, z, layer);
    edit_add_place(world, x, z, layer, kit_encode(&edit_kit, &world->params));
  }
  snprintf(world->name, sizeof world->name, "random tiles, %d layers", (int)layers);
}

static inline void edit_map_world(EditWorld *world, int kind, uint64_t seed) {
  if (kind == 0) edit_take_tiles(world, world_two_floors(seed, 14, 13, 1.0, 4.0, 12, 3, NULL));
  if (kind == 1) edit_take_tiles(world, world_maze(seed, 9, 1.5, 4, NULL));
  if (kind == 2) edit_take_tiles(world, world_scattered(seed, 24, 20, 0.7, 0.3, 4, NULL));
  static const char *names[] = {"two floors", "maze", "scattered"};
  snprintf(world->name, sizeof world->name, "%s", names[kind]);
}

// The side of a tile in cells is the least that gives at most 40 tiles.
static inline void edit_built_world(EditWorld *world, uint32_t level, CrPartition partition) {
  world->level = level_make(level);
  int32_t tiles_x, tiles_z;
  world->settings = cr_build_settings_default();
  world->settings.partition = partition;
  CrBuildInput input = level_input(&world->level);
  for (world->settings.tile_cells = 24;; world->settings.tile_cells += 4) {
    CrNavMeshParams params;
    REQUIRE_OK(cr_build_layout(&input, &world->settings, &params, &tiles_x, &tiles_z, NULL));
    if (tiles_x * tiles_z <= 40) break;
  }
  CrNavMesh *mesh;
  REQUIRE_OK(cr_tile_cache_create(&input, &world->settings, NULL, NULL, &world->cache, &mesh, NULL, NULL));
  edit_take_tiles(world, mesh);
  static const char *names[] = {"watershed", "monotone", "layers"};
  snprintf(world->name, sizeof world->name, "built %s, %s", level_name(level), names[partition]);
}

// A grid of quads and triangles with holes as one soup; beside its tile the places around it, and a second layer of it.
static inline void edit_polygon_world(EditWorld *world, uint64_t seed) {
  enum { SIDE = 9 };
  double at[(SIDE + 1) * (SIDE + 1) * 3];
  uint8_t counts[2 * SIDE * SIDE];
  uint32_t corners[6 * SIDE * SIDE], polygons = 0, corner = 0;
  for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); i++) {
    at[3 * i] = i % (SIDE + 1) + rnd_range(&seed, -0.2, 0.2);
    at[3 * i + 1] = rnd_range(&seed, 0, 0.5);
    at[3 * i + 2] = i / (SIDE + 1) + rnd_range(&seed, -0.2, 0.2);
  }
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    uint32_t a = i / SIDE * (SIDE + 1) + i % SIDE, quad[] = {a, a + 1, a + SIDE + 2, a + SIDE + 1};
    if (rnd_int(&seed, 6) == 0) continue;
    const uint32_t halves[] = {quad[0], quad[1], quad[2], quad[2], quad[0], quad[3]};  // the second one turned
    memcpy(corners + corner, halves, sizeof halves);
    corner += 6;
    counts[polygons++] = 3;
    counts[polygons++] = 3;
  }
  CrPolygonSoup soup = {.position_count = (SIDE + 1) * (SIDE + 1),
                        .polygon_count = polygons,
                        .positions = at,
                        .corner_counts = counts,
                        .corners = corners,
                        .climb = 0.5};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_from_polygons(&soup, NULL, &mesh, NULL));
  edit_take_tiles(world, mesh);
  for (int32_t i = 0; i < 9; i++) {
    CrTile tile = edit_decode(world, &world->places[0].base);
    tile.layer = i == 4 ? 1 : 0;
    CrBytes bytes;
    if (i == 4) {
      REQUIRE_OK(cr__tile_to_bytes(&tile, NULL, &bytes, NULL));
    } else {
      kit_random(&edit_kit, &world->params, &seed, i % 3 - 1, i / 3 - 1, 0);
      bytes = kit_encode(&edit_kit, &world->params);
    }
    edit_release(&tile);
    edit_add_place(world, i % 3 - 1, i / 3 - 1, i == 4 ? 1 : 0, bytes);
  }
  snprintf(world->name, sizeof world->name, "from polygons");
}

static inline void edit_world_make(EditWorld *world, int number) {
  *world = (EditWorld){.place_count = 0};
  uint64_t seed = 500 + (uint64_t)number;
  if (number < 6)
    edit_random_world(world, seed);
  else if (number < 9)
    edit_map_world(world, number - 6, seed);
  else if (number < 18)
    edit_built_world(world, (uint32_t)(3 * (number - 9) + 1) % level_count(), (CrPartition)(number % 3));
  else
    edit_polygon_world(world, seed);
}

static inline void edit_world_free(EditWorld *world) {
  for (uint32_t i = 0; i < world->place_count; i++) cr_bytes_free(&world->places[i].base);
  cr_tile_cache_destroy(world->cache);
  level_free(&world->level);
}

#endif
