// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Geometry of single polygons, the box tree, and the squares of the tile grid, against plain and slow answers.
#include <math.h>

#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"
#include "worlds.h"

static TileKit kit;

static CrNavMesh *new_mesh(const CrNavMeshParams *params) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(params, NULL, &mesh, NULL));
  return mesh;
}

// A random convex polygon around a point: points of a circle in rising angle, some doubled into collinear corners.
static void random_polygon(TileKit *out, uint64_t *seed, CrVec3 middle) {
  uint32_t count = 3 + (uint32_t)rnd_int(seed, CR_MAX_POLY_VERTS - 2);
  double corners[CR_MAX_POLY_VERTS * 3], radius = rnd_range(seed, 0.1, 4.0);
  for (uint32_t k = 0; k < count; k++) {
    double t = -4.0 + 8.0 * (k + 0.5 * rnd_unit(seed)) / count;
    corners[3 * k] = middle.x + radius * (1 - t * t) / (1 + t * t);
    corners[3 * k + 1] = rnd_range(seed, -1.0, 1.0);
    corners[3 * k + 2] = middle.z + radius * 2 * t / (1 + t * t);
  }
  kit_polygon(out, count, corners);
}

static double distance_to_segment(CrVec3 a, CrVec3 b, double x, double z) {
  double dx = b.x - a.x, dz = b.z - a.z, t = ((x - a.x) * dx + (z - a.z) * dz) / (dx * dx + dz * dz);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return hypot(a.x + dx * t - x, a.z + dz * t - z);
}

// Negative inside.
static double signed_distance(const CrTile *tile, uint32_t polygon, double x, double z) {
  double nearest = INFINITY;
  bool inside = true;
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    nearest = fmin(nearest, distance_to_segment(a, b, x, z));
    inside = inside && (b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x) >= 0.0;
  }
  return inside ? -nearest : nearest;
}

TEST(outlines_hold_what_they_should) {
  const CrNavMeshParams params = {.origin_x = -50, .origin_z = -50, .tile_size = 100.0};
  uint64_t seed = 1;
  int inside = 0, outside = 0;
  for (int round = 0; round < 300; round++) {
    CrNavMesh *mesh = new_mesh(&params);
    kit_begin(&kit, 0, 0, 0);
    random_polygon(&kit, &seed, rnd_point(&seed, cr__vec(-20, 0, -20), cr__vec(20, 0, 20)));
    kit_add(&kit, mesh);
    const CrTile *tile = &mesh->tiles[0];
    CrVec3 centre = cr__polygon_center(tile, 0);
    for (int i = 0; i < 100; i++) {
      double x = centre.x + rnd_range(&seed, -5, 5), z = centre.z + rnd_range(&seed, -5, 5);
      double distance = signed_distance(tile, 0, x, z);
      bool over, holds = cr__polygon_holds(tile, 0, x, z, 0.0);
      inside += holds;
      outside += !holds;
      if (fabs(distance) > 1e-9) CHECK(holds == (distance < 0));
      // A tolerance takes in every point that near the outline.
      if (distance < 0.5 - 1e-9) CHECK(cr__polygon_holds(tile, 0, x, z, 0.5));
      if (holds) CHECK(cr__polygon_holds(tile, 0, x, z, 1e-9));
      CrVec3 nearest = cr__polygon_closest(tile, 0, cr__vec(x, 9, z), &over);
      CHECK(over == holds);
      CHECK_NEAR(hypot(nearest.x - x, nearest.z - z), distance < 0 ? 0.0 : distance, 1e-12);
      CHECK(signed_distance(tile, 0, nearest.x, nearest.z) < 1e-12);
      CHECK(nearest.y >= -1.0 && nearest.y <= 1.0);
    }
    for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, 0); k++) {
      CrVec3 v = cr__polygon_vertex(tile, 0, k), nearest = cr__polygon_closest(tile, 0, v, NULL);
      CHECK(cr__polygon_holds(tile, 0, v.x, v.z, 0.0));
      CHECK(nearest.x == v.x && nearest.z == v.z);
      CHECK_NEAR(nearest.y, v.y, 1e-12);
    }
    cr_navmesh_destroy(mesh);
  }
  printf("  %d points inside, %d outside\n", inside, outside);
  CHECK(inside > 3000 && outside > 3000);
}

TEST(heights_follow_the_detail_surface) {
  const CrNavMeshParams params = {.tile_size = 10.0};
  const uint32_t extra[] = {1}, triangles[] = {4};
  const double peak[] = {4, 8, 4};
  const uint16_t corners[] = {0, 1, 4, 1, 2, 4, 4, 3, 2, 3, 0, 4};  // one of them wound the other way
  CrNavMesh *mesh = new_mesh(&params);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 8, 8, 0);
  CrTileDescription *description = kit_describe(&kit);
  description->detail_vertex_counts = extra;
  description->detail_triangle_counts = triangles;
  description->detail_vertices = peak;
  description->detail_triangles = corners;
  CrBytes bytes;
  REQUIRE_OK(cr_tile_encode(&params, description, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  const CrTile *tile = &mesh->tiles[0];
  uint64_t seed = 4;
  for (int i = 0; i < 4000; i++) {
    double x = rnd_range(&seed, 0, 8), z = rnd_range(&seed, 0, 8);
    double pyramid = 8 - 2 * fmax(fabs(x - 4), fabs(z - 4));
    CHECK_NEAR(cr__polygon_height(tile, 0, x, z), pyramid, 1e-12);
  }
  CHECK(cr__polygon_height(tile, 0, 4, 4) == 8.0);
  // Outside: the height of the nearest place inside.
  CHECK_NEAR(cr__polygon_height(tile, 0, -1, 4), 0.0, 0.0);
  CHECK_NEAR(cr__polygon_height(tile, 0, 1e6, 1e6), 0.0, 0.0);
  CrVec3 low, high;
  CHECK(cr_navmesh_bounds(mesh, &low, &high) && high.y == 8.0);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// Level ground is exactly level everywhere, also where triangles are slivers and far from the origin.
TEST(level_polygons_are_exactly_level) {
  const CrNavMeshParams params = {.origin_x = 1048576.0, .origin_z = -1048600.0, .tile_size = 16.0};
  CrNavMesh *mesh = new_mesh(&params);
  kit_begin(&kit, 0, 0, 0);
  double x0 = 1048577.1, z0 = -1048590.3, y = 0.1 + 0.2;
  kit_polygon(
      &kit, 6,
      (const double[]){x0, y, z0, x0 + 3, y, z0, x0 + 7, y, z0, x0 + 7, y, z0 + 5, x0 + 2, y, z0 + 5, x0, y, z0 + 5});
  kit_add(&kit, mesh);
  uint64_t seed = 9;
  for (int i = 0; i < 3000; i++) {
    CrVec3 p = rnd_point(&seed, cr__vec(x0 - 1, -5, z0 - 1), cr__vec(x0 + 8, 5, z0 + 6));
    CHECK(cr__polygon_closest(&mesh->tiles[0], 0, p, NULL).y == y);
  }
  cr_navmesh_destroy(mesh);
}

// --- Box tree -------------------------------------------------------------------------------------------------------

static uint32_t tree_hits(const CrTile *tile, CrVec3 low, CrVec3 high, uint8_t *hit, uint32_t *visited) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < tile->node_count; (*visited)++) {
    const CrBoxNode *n = &tile->nodes[i];
    bool meets = n->min[0] <= high.x && n->max[0] >= low.x && n->min[1] <= high.y && n->max[1] >= low.y &&
                 n->min[2] <= high.z && n->max[2] >= low.z;
    if (meets && n->polygon >= 0) {
      hit[n->polygon] = 1;
      count++;
    }
    i = meets ? i + 1 : (uint32_t)n->skip;
  }
  return count;
}

TEST(box_queries_find_what_a_scan_finds) {
  CrNavMesh *mesh = world_two_floors(2, 60, 40, 1.0, 4.0, 0, 0, NULL);
  const CrTile *tile = &mesh->tiles[0];
  uint8_t *hit = malloc(tile->polygon_count);
  uint64_t seed = 3;
  uint32_t visited = 0, found = 0;
  for (int round = 0; round < 500; round++) {
    CrVec3 low = rnd_point(&seed, cr__vec(-2, -1, -2), cr__vec(60, 4.5, 40));
    CrVec3 high = rnd_point(&seed, low, cr__add(low, cr__vec(4, 2, 4)));
    memset(hit, 0, tile->polygon_count);
    found += tree_hits(tile, low, high, hit, &visited);
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
      for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, p); k++) {
        CrVec3 v = cr__polygon_vertex(tile, p, k);
        const double at[3] = {v.x, v.y, v.z};
        for (int a = 0; a < 3; a++) {
          box[a] = fmin(box[a], at[a]);
          box[a + 3] = fmax(box[a + 3], at[a]);
        }
      }
      bool meets = box[0] <= high.x && box[3] >= low.x && box[1] <= high.y && box[4] >= low.y && box[2] <= high.z &&
                   box[5] >= low.z;
      CHECK(hit[p] == meets);
    }
  }
  printf("  %.1f of %u nodes visited per query, %.1f polygons found\n", visited / 500.0, tile->node_count,
         found / 500.0);
  CHECK(visited / 500 < 60);
  free(hit);
  cr_navmesh_destroy(mesh);
}

// --- Tile squares ---------------------------------------------------------------------------------------------------

TEST(every_coordinate_is_in_its_square) {
  const double sizes[] = {CR_MIN_TILE_SIZE, 0.1, 1.0, 9.6, 76.8, 1e6 / 3, CR_MAX_TILE_SIZE};
  uint64_t seed = 8;
  int on_lines = 0;
  for (int i = 0; i < 200000; i++) {
    double size = sizes[i % 7], origin = rnd_range(&seed, -CR_COORD_LIMIT, CR_COORD_LIMIT);
    double value = rnd_range(&seed, -CR_COORD_LIMIT, CR_COORD_LIMIT);
    // Every other one exactly on a line, or one bit beside it.
    if (i & 1) {
      value = origin + (double)(int32_t)((value - origin) / size) * size;
      if (i & 2) value = nextafter(value, i & 4 ? -1e9 : 1e9);
      on_lines++;
    }
    int32_t at = cr__tile_coord(value, origin, size);
    CHECK(origin + (double)at * size <= value && value < origin + ((double)at + 1) * size);
  }
  CHECK(on_lines == 100000);
  CHECK_INT(cr__tile_coord(1e300, 0, 1), CR_MAX_TILE_COORD);
  CHECK_INT(cr__tile_coord(-INFINITY, 0, 1), -CR_MAX_TILE_COORD);
  CHECK_INT(cr__tile_coord(NAN, 0, 1), -CR_MAX_TILE_COORD);
}

TEST(tiles_of_a_position_come_in_layer_order) {
  const CrNavMeshParams params = {.tile_size = 4.0};
  CrNavMesh *mesh = new_mesh(&params);
  const int32_t layers[] = {3, -7, 0, INT32_MAX, 12, INT32_MIN, 1};
  for (size_t i = 0; i < 7; i++) {
    for (int32_t x = -3; x <= 3; x++) {
      kit_begin(&kit, x, -x, layers[i]);
      kit_add(&kit, mesh);
    }
  }
  for (int32_t x = -3; x <= 3; x++) {
    int count = 0;
    int64_t last = INT64_MIN;
    for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, -x, at)) != 0;) {
      const CrTile *tile = &mesh->tiles[at - 1];
      CHECK(tile->x == x && tile->z == -x && tile->layer > last);
      last = tile->layer;
      count++;
    }
    CHECK_INT(count, 7);
  }
  CHECK_INT(cr__tiles_at(mesh, 1, 1, 0), 0);
  CHECK(!cr__navmesh_invariant(mesh));
  cr_navmesh_destroy(mesh);
}

static bool key_less(const void *keys, uint32_t a, uint32_t b) {
  return ((const uint32_t *)keys)[a] < ((const uint32_t *)keys)[b];
}

TEST(indices_sort_stably) {
  uint64_t seed = 6;
  for (size_t count = 0; count < 300; count++) {
    uint32_t items[300], scratch[300];
    uint32_t keys[300] = {0};
    for (size_t i = 0; i < count; i++) {
      items[i] = (uint32_t)i;
      keys[i] = (uint32_t)rnd_int(&seed, 40);
    }
    cr__sort_indices(items, scratch, count, key_less, keys);
    for (size_t i = 1; i < count; i++) {
      bool ordered =
          keys[items[i - 1]] < keys[items[i]] || (keys[items[i - 1]] == keys[items[i]] && items[i - 1] < items[i]);
      CHECK(ordered);
    }
  }
}

TEST_MAIN(RUN(outlines_hold_what_they_should), RUN(heights_follow_the_detail_surface),
          RUN(level_polygons_are_exactly_level), RUN(box_queries_find_what_a_scan_finds),
          RUN(every_coordinate_is_in_its_square), RUN(tiles_of_a_position_come_in_layer_order),
          RUN(indices_sort_stably))
