// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Navigation mesh: a grid of square tiles of convex polygons, joined by portals and off-mesh links.
// Polygon interiors lie to the left of every edge: (b.x-a.x)(p.z-a.z) - (b.z-a.z)(p.x-a.x) >= 0.
#ifndef CROWDREEL_NAVMESH_H
#define CROWDREEL_NAVMESH_H

#include "crowdreel/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_MAX_POLY_VERTS 12         // most vertices of one polygon
#define CR_MAX_AREA 63               // areas are 0..63
#define CR_MAX_TILE_SLOTS (1 << 24)  // tile slots of one mesh
#define CR_MAX_TILE_POLYS (1 << 24)  // polygons of one tile

// An edge's entry in `polygon_neighbours`: the index of the polygon behind it in the same tile, or one of these.
#define CR_EDGE_WALL 0xFFFFFFFFu          // nothing behind
#define CR_EDGE_BORDER_POS_X 0xFFFFFFF0u  // on the tile's border towards +x: portals may join it
#define CR_EDGE_BORDER_POS_Z 0xFFFFFFF1u
#define CR_EDGE_BORDER_NEG_X 0xFFFFFFF2u
#define CR_EDGE_BORDER_NEG_Z 0xFFFFFFF3u

typedef struct CrNavMesh CrNavMesh;

// Fixed for the life of a mesh. Lengths in world units.
typedef struct CrNavMeshParams {
  double origin_x, origin_z;  // corner of tile (0, 0); |v| < 2^21
  double tile_size;           // side of a tile, 2^-7..2^22
  double climb;               // largest height difference a portal may bridge, >= 0
  double agent_radius;  // the radius the walkable surface was shrunk by, >= 0 (for reading; nothing depends on it)
  double agent_height;  // the height the surface was cleared for, >= 0 (for reading)
} CrNavMeshParams;

// A jump, ladder or teleport between two points. It belongs to the tile that holds `start`.
typedef struct CrOffMeshLink {
  CrVec3 start, end;
  double radius;          // how far either end may be from the mesh horizontally, > 0 and at most the tile size
  uint32_t user_id;       // the caller's own number
  uint16_t flags;         // filter flags of the link itself
  uint8_t area;           // 0..63, of the link itself
  uint8_t bidirectional;  // 0: start to end only, 1: both ways
} CrOffMeshLink;

// One tile as arrays. All arrays are the caller's and only read. Polygon vertices are listed so that the interior is
// left of every edge; edge k of a polygon runs from its vertex k to its vertex k+1 (wrapping).
typedef struct CrTileDescription {
  int32_t x, z, layer;
  uint32_t vertex_count;
  uint32_t polygon_count;
  const double *vertices;                // 3 per vertex, world coordinates
  const uint8_t *polygon_vertex_counts;  // 3..CR_MAX_POLY_VERTS each
  const uint32_t *polygon_vertices;      // concatenated vertex indices
  const uint32_t *polygon_neighbours;    // parallel to polygon_vertices; null: found from shared vertex pairs and from
                                         // edges lying on the tile's border
  const uint8_t *polygon_areas;          // null: all 0
  const uint16_t *polygon_flags;         // null: all 1
  // Detail surface (heights inside polygons). Null counts, or a polygon with neither: a fan of its own vertices.
  const uint32_t *detail_vertex_counts;    // extra vertices per polygon
  const uint32_t *detail_triangle_counts;  // triangles per polygon
  const double *detail_vertices;           // 3 per extra vertex, concatenated
  const uint16_t *detail_triangles;        // 3 per triangle: k < vertex count is the polygon's vertex k, else extra
  uint32_t off_mesh_count;
  const CrOffMeshLink *off_mesh_links;
} CrTileDescription;

// Encodes a tile to bytes (docs/formats/tile.md). Validates everything cr_navmesh_add_tile validates: indices, counts,
// convexity, symmetric neighbours, finite coordinates inside the tile's square. `params` gives the square; coordinates
// within 1e-6 of one of its sides are moved onto it, so that edges of adjacent tiles meet exactly.
// CR_STATUS_ARGUMENT names the array ("tile.vertices"); `index` is the element.
CrStatus cr_tile_encode(const CrNavMeshParams *params, const CrTileDescription *tile, const CrAllocator *allocator,
                        CrBytes *out, CrError *error);

// Makes an empty mesh.
CrStatus cr_navmesh_create(const CrNavMeshParams *params, const CrAllocator *allocator, CrNavMesh **out,
                           CrError *error);
void cr_navmesh_destroy(CrNavMesh *mesh);

// Adds a tile from its bytes (copied). The slot taken is the lowest free one. CR_STATUS_OCCUPIED when a tile stands at
// (x, z, layer). Errors in the bytes are of CR_FORMAT_NAVMESH. CR_STATUS_LIMIT: docs/behaviour/navmesh.md, "Limits".
// All or nothing.
CrStatus cr_navmesh_add_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, uint32_t *out_slot, CrError *error);
// Removes the tile at (x, z, layer) and bumps its slot's salt. CR_STATUS_NOT_FOUND when there is none.
CrStatus cr_navmesh_remove_tile(CrNavMesh *mesh, int32_t x, int32_t z, int32_t layer, CrError *error);
// Replaces the tile at the position the bytes name (same slot, salt bumped), or adds it where there was none.
CrStatus cr_navmesh_replace_tile(CrNavMesh *mesh, const uint8_t *data, size_t size, uint32_t *out_slot, CrError *error);

// Changes one polygon. Counts as an edit only when the value differs. CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT.
CrStatus cr_navmesh_set_area(CrNavMesh *mesh, CrPolyRef ref, uint8_t area, CrError *error);
CrStatus cr_navmesh_set_flags(CrNavMesh *mesh, CrPolyRef ref, uint16_t flags, CrError *error);

// Successful edits that changed something, since creation. A restored mesh goes on from its own count.
uint64_t cr_navmesh_edit_count(const CrNavMesh *mesh);
CrNavMeshParams cr_navmesh_params(const CrNavMesh *mesh);
uint32_t cr_navmesh_slot_count(const CrNavMesh *mesh);
uint32_t cr_navmesh_tile_count(const CrNavMesh *mesh);
uint32_t cr_navmesh_polygon_count(const CrNavMesh *mesh);
// Slot of the tile at (x, z, layer). CR_STATUS_NOT_FOUND.
CrStatus cr_navmesh_find_tile(const CrNavMesh *mesh, int32_t x, int32_t z, int32_t layer, uint32_t *out_slot);

// Smallest box around all polygons, their detail surface included; false when the mesh has no polygon.
bool cr_navmesh_bounds(const CrNavMesh *mesh, CrVec3 *out_min, CrVec3 *out_max);

typedef struct CrTileInfo {
  int32_t x, z, layer;
  uint32_t salt;
  uint32_t vertex_count, polygon_count, link_count, off_mesh_count;
  uint64_t content_hash;  // FNV-1a of the tile's bytes with its areas and flags as they are now
} CrTileInfo;
// CR_STATUS_NOT_FOUND when the slot is empty.
CrStatus cr_navmesh_tile_info(const CrNavMesh *mesh, uint32_t slot, CrTileInfo *out);

// One off-mesh link of a tile and where it joined the mesh.
typedef struct CrOffMeshInfo {
  CrOffMeshLink link;
  bool connected;                 // both ends found a polygon
  CrPolyRef start_ref, end_ref;   // CR_INVALID_REF for an end that found none
  CrVec3 start_point, end_point;  // on those polygons, where there is one
} CrOffMeshInfo;
// CR_STATUS_NOT_FOUND when there is no such slot or link.
CrStatus cr_navmesh_off_mesh_link(const CrNavMesh *mesh, uint32_t slot, uint32_t index, CrOffMeshInfo *out);

bool cr_navmesh_is_valid_ref(const CrNavMesh *mesh, CrPolyRef ref);
// Reference of polygon `index` of the tile in `slot`, or CR_INVALID_REF.
CrPolyRef cr_navmesh_ref(const CrNavMesh *mesh, uint32_t slot, uint32_t index);

typedef struct CrPolygonInfo {
  uint32_t vertex_count;
  uint8_t area;
  uint16_t flags;
  CrVec3 vertices[CR_MAX_POLY_VERTS];
} CrPolygonInfo;
// CR_STATUS_STALE_REF.
CrStatus cr_navmesh_polygon(const CrNavMesh *mesh, CrPolyRef ref, CrPolygonInfo *out);

// Triangles of the detail surface of every polygon, in slot, polygon, triangle order: for drawing. Counts first, then
// fill `positions` (9 per triangle) and `areas` (1 per triangle), either may be null.
uint32_t cr_navmesh_triangle_count(const CrNavMesh *mesh);
void cr_navmesh_triangles(const CrNavMesh *mesh, double *positions, uint8_t *areas);

// Full snapshot (CRNM, docs/formats/navmesh-snapshot.md): every slot's salt and every tile's bytes. Taking, restoring
// and taking again gives the same bytes; a restored mesh has equal references and gives equal answers.
CrStatus cr_navmesh_save(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error);
// Makes a new mesh from a full snapshot. Format errors name field and offset. All or nothing.
CrStatus cr_navmesh_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrNavMesh **out,
                         CrError *error);

#ifdef __cplusplus
}
#endif
#endif
