// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The mirror image of a mesh in x, in z, or in both: the same polygons and slots, coordinates negated, so that whatever a query
// does on one side it should do on the other.
#ifndef CR_TEST_MIRROR_H
#define CR_TEST_MIRROR_H

#include "check.h"
#include "query_internal.h"

typedef struct Mirror {
  bool x, z;
} Mirror;

static inline CrVec3 mirror_point(Mirror m, CrVec3 p) {
  return cr__vec(m.x ? 0.0 - p.x : p.x, p.y, m.z ? 0.0 - p.z : p.z);
}

// One mirror turns the winding round, two do not.
static inline bool turns(Mirror m) { return m.x != m.z; }

static inline uint32_t mirror_neighbour(Mirror m, uint32_t neighbour) {
  if (!cr__is_border(neighbour)) return neighbour;
  uint32_t side = neighbour - CR_EDGE_BORDER_POS_X;
  bool swap = side & 1 ? m.z : m.x;
  return CR_EDGE_BORDER_POS_X + (swap ? side ^ 2 : side);
}

static inline double *mirror_points(Mirror m, const CrVec3 *points, uint32_t count) {
  double *out = malloc(((size_t)count + 1) * 3 * sizeof *out);
  REQUIRE(out != NULL);
  for (uint32_t i = 0; i < count; i++) {
    CrVec3 p = mirror_point(m, points[i]);
    memcpy(out + 3 * (size_t)i, (double[]){p.x, p.y, p.z}, 3 * sizeof *out);
  }
  return out;
}

typedef struct MirrorArrays {
  uint8_t *counts;
  uint32_t *corners, *neighbours, *detail_vertex_counts, *detail_triangle_counts;
  uint16_t *triangles;
  CrOffMeshLink *links;
} MirrorArrays;

static inline void mirror_polygons(Mirror m, const CrTile *tile, MirrorArrays *out) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    uint32_t first = tile->polygon_first[p], n = tile->polygon_first[p + 1] - first;
    out->counts[p] = (uint8_t)n;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t corner = turns(m) ? n - 1 - k : k, edge = turns(m) ? (2 * n - 2 - k) % n : k;
      out->corners[first + k] = tile->corner_vertex[first + corner];
      out->neighbours[first + k] = mirror_neighbour(m, tile->corner_neighbour[first + edge]);
    }
    out->detail_vertex_counts[p] = tile->detail_first_vertex[p + 1] - tile->detail_first_vertex[p];
    out->detail_triangle_counts[p] = tile->detail_first_triangle[p + 1] - tile->detail_first_triangle[p];
    for (uint32_t i = 3 * tile->detail_first_triangle[p]; i < 3 * tile->detail_first_triangle[p + 1]; i++) {
      uint16_t k = tile->detail_triangles[i];
      out->triangles[i] = turns(m) && k < n ? (uint16_t)(n - 1 - k) : k;
    }
  }
}

static inline void *mirror_room(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  REQUIRE(memory != NULL);
  return memory;
}

static inline void mirror_tile(Mirror m, const CrTile *tile, CrNavMesh *mesh) {
  MirrorArrays arrays = {mirror_room(tile->polygon_count, 1),
                         mirror_room(tile->corner_count, 4),
                         mirror_room(tile->corner_count, 4),
                         mirror_room(tile->polygon_count, 4),
                         mirror_room(tile->polygon_count, 4),
                         mirror_room(tile->detail_triangle_count, 6),
                         mirror_room(tile->off_mesh_count, sizeof(CrOffMeshLink))};
  mirror_polygons(m, tile, &arrays);
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
    arrays.links[i] = tile->off_mesh[i];
    arrays.links[i].start = mirror_point(m, tile->off_mesh[i].start);
    arrays.links[i].end = mirror_point(m, tile->off_mesh[i].end);
  }
  double *vertices = mirror_points(m, tile->vertices, tile->vertex_count);
  double *detail = mirror_points(m, tile->detail_vertices, tile->detail_vertex_count);
  CrTileDescription description = {.x = m.x ? -1 - tile->x : tile->x,
                                   .z = m.z ? -1 - tile->z : tile->z,
                                   .layer = tile->layer,
                                   .vertex_count = tile->vertex_count,
                                   .polygon_count = tile->polygon_count,
                                   .vertices = vertices,
                                   .polygon_vertex_counts = arrays.counts,
                                   .polygon_vertices = arrays.corners,
                                   .polygon_neighbours = arrays.neighbours,
                                   .polygon_areas = tile->areas,
                                   .polygon_flags = tile->flags,
                                   .detail_vertex_counts = arrays.detail_vertex_counts,
                                   .detail_triangle_counts = arrays.detail_triangle_counts,
                                   .detail_vertices = detail,
                                   .detail_triangles = arrays.triangles,
                                   .off_mesh_count = tile->off_mesh_count,
                                   .off_mesh_links = arrays.links};
  CrBytes bytes;
  CrError error;
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrStatus status = cr_tile_encode(&params, &description, NULL, &bytes, &error);
  if (status != CR_STATUS_OK) printf("mirror: %s %lld\n", error.field, (long long)error.index);
  REQUIRE_OK(status);
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  void *rooms[] = {vertices,          detail,
                   arrays.counts,     arrays.corners,
                   arrays.neighbours, arrays.detail_vertex_counts,
                   arrays.links,      arrays.detail_triangle_counts,
                   arrays.triangles};
  for (size_t i = 0; i < CR_COUNT_OF(rooms); i++) free(rooms[i]);
}

// The tiles of a mesh made without edits stand in the same slots, so that references are the same.
static inline CrNavMesh *mirror_mesh(Mirror m, const CrNavMesh *mesh) {
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrNavMesh *out = NULL;
  if (m.x) params.origin_x = 0.0 - params.origin_x;
  if (m.z) params.origin_z = 0.0 - params.origin_z;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &out, NULL));
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    REQUIRE(mesh->tiles[slot].active && mesh->tiles[slot].salt == 1);
    mirror_tile(m, &mesh->tiles[slot], out);
  }
  return out;
}

#endif
