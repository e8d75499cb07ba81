// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Navigation mesh: a grid of square tiles of convex polygons, joined by portals and off-mesh links.
// Polygon interiors lie to the left of every edge: (b.x-a.x)(p.z-a.z) - (b.z-a.z)(p.x-a.x) >= 0. That is left with z drawn
// up; seen from above (y up, x to the right, z down) it is the right (docs/behaviour/navmesh.md).
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

// The hash that names a tile's content: FNV-1a (64 bit) of its bytes with zeros for the areas and flags of its polygons,
// so that it stays the same when those are edited. Only the header is checked: magic, version, counts against the size.
CrStatus cr_tile_content_hash(const uint8_t *data, size_t size, uint64_t *out_hash, CrError *error);

// Makes an empty mesh.
CrStatus cr_navmesh_create(const CrNavMeshParams *params, const CrAllocator *allocator, CrNavMesh **out,
                           CrError *error);
void cr_navmesh_destroy(CrNavMesh *mesh);

// Convex polygons, as arrays of the caller's that are only read. A mesh is made of them directly, without a build.
typedef struct CrPolygonSoup {
  uint32_t position_count, polygon_count;
  const double *positions;       // 3 per position, coordinates; those at the same place are one corner
  const uint8_t *corner_counts;  // per polygon: 3..CR_MAX_POLY_VERTS
  const uint32_t *corners;       // position indices, polygon after polygon, wound either way
  const uint8_t *areas;          // per polygon 0..63, or null: all 0
  const uint16_t *flags;         // per polygon, or null: all 1
  uint32_t off_mesh_count;
  const CrOffMeshLink *off_mesh_links;
  double climb, agent_radius, agent_height;  // as in CrNavMeshParams
} CrPolygonSoup;

// Makes a mesh of one tile. Two polygons are neighbours where they have both corners of an edge in common, bit for bit
// (-0 is 0): a corner in the middle of another polygon's edge joins nothing. Polygons wound clockwise and those wound
// counter-clockwise mean the same: where needed the corners are listed the other way round, beginning with the same one.
// Polygon i of the mesh is polygon i of the soup, no coordinate is changed, and heights are those of a fan from its first
// corner. The tile is (0, 0, 0) of a grid of whole numbers that leaves at least 1 around everything, as far as the world
// reaches: origin = max(floor(min) - 1, -2^21) per axis, size = the larger of both axes' ceil(max) + 1 - origin and of
// the links' radii rounded up, at most 2^22; min and max are over the used corners and the starts of links. Nothing at
// all gives a mesh without tiles.
// CR_STATUS_ARGUMENT names the array: "polygons.positions", ".corner_counts", ".corners", ".areas", ".off_mesh_links"
// with the element as `index`; and with the polygon as `index` "polygons.shape": not convex, without area, or with a
// corner twice; "polygons.edges": on a side of an edge where another polygon already is, so that they overlap.
CrStatus cr_navmesh_from_polygons(const CrPolygonSoup *polygons, const CrAllocator *allocator, CrNavMesh **out,
                                  CrError *error);

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
  uint64_t content_hash;  // see cr_tile_content_hash
} CrTileInfo;
// CR_STATUS_NOT_FOUND when the slot is empty.
CrStatus cr_navmesh_tile_info(const CrNavMesh *mesh, uint32_t slot, CrTileInfo *out);

// The bytes of a tile as it is now, edited areas and flags included. CR_STATUS_NOT_FOUND "slot" when the slot is empty.
CrStatus cr_navmesh_tile_bytes(const CrNavMesh *mesh, uint32_t slot, const CrAllocator *allocator, CrBytes *out,
                               CrError *error);

// One off-mesh link of a tile and where it joined the mesh.
typedef struct CrOffMeshInfo {
  CrOffMeshLink link;
  bool connected;                 // both ends found a polygon
  CrPolyRef start_ref, end_ref;   // CR_INVALID_REF for an end that found none
  CrVec3 start_point, end_point;  // on those polygons, where there is one
} CrOffMeshInfo;
// CR_STATUS_NOT_FOUND when there is no such slot or link.
CrStatus cr_navmesh_off_mesh_link(const CrNavMesh *mesh, uint32_t slot, uint32_t index, CrOffMeshInfo *out);

// Which link of which tile.
typedef struct CrOffMeshId {
  uint32_t slot, index;
} CrOffMeshId;
// How many off-mesh links of the mesh are not connected; writes the first `capacity` of them, by slot, then index.
// `out` may be null when `capacity` is 0. Takes time in proportion to the slots and links, not to the polygons.
uint32_t cr_navmesh_unconnected_links(const CrNavMesh *mesh, CrOffMeshId *out, uint32_t capacity);

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

// Triangles of the detail surface of every polygon, in slot, polygon, triangle order: for drawing. As tiles list them: those
// of built tiles are clockwise seen from above. Counts first, then fill `positions` (9 per triangle) and `areas` (1 per
// triangle), either may be null.
uint32_t cr_navmesh_triangle_count(const CrNavMesh *mesh);
void cr_navmesh_triangles(const CrNavMesh *mesh, double *positions, uint8_t *areas);

// Full snapshot (CRNM, docs/formats/navmesh-snapshot.md): every slot's salt and every tile's bytes. Taking, restoring
// and taking again gives the same bytes; a restored mesh has equal references and gives equal answers.
CrStatus cr_navmesh_save(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error);
// Makes a new mesh from a full snapshot. Format errors name field and offset. All or nothing.
CrStatus cr_navmesh_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrNavMesh **out,
                         CrError *error);

// Referenced snapshot: as the full one, but with the content hash, areas and flags of each tile in place of its bytes.
// Whoever restores it must have the tiles' bytes from elsewhere (a build, a file, cr_navmesh_tile_bytes).
CrStatus cr_navmesh_save_referenced(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error);

// A tile that a referenced snapshot needs.
typedef struct CrTileNeed {
  uint32_t slot;
  int32_t x, z, layer;
  uint64_t size;          // of its bytes
  uint64_t content_hash;  // cr_tile_content_hash of them
} CrTileNeed;
// Lists the tiles a snapshot needs, by slot: writes the first `capacity`, and tells how many there are in all (none for
// a full snapshot). `out` may be null when `capacity` is 0; after an error what was written means nothing. Checks all of a
// referenced snapshot that can be checked without tiles, and a full one's size, hash and parameters.
CrStatus cr_navmesh_snapshot_needs(const uint8_t *data, size_t size, CrTileNeed *out, uint32_t capacity,
                                   uint32_t *out_count, CrError *error);

// Bytes of one tile, the caller's.
typedef struct CrTileData {
  const uint8_t *data;
  size_t size;
} CrTileData;
// Makes a new mesh from a snapshot of either kind. `tiles` are matched by content hash, in any order; those nothing needs
// are not read beyond their header. Whatever areas and flags they hold, the mesh gets those of the snapshot. All or nothing.
//   CR_STATUS_NOT_FOUND "mesh.tiles": no bytes for the tile `index` of cr_navmesh_snapshot_needs.
//   CR_STATUS_MISMATCH "tiles": likewise, but tiles[index] stands at its position and layer: other content, or damaged.
//   Any error of tile bytes, with `index` in `tiles` and the offset in those bytes.
CrStatus cr_navmesh_load_referenced(const uint8_t *data, size_t size, const CrTileData *tiles, uint32_t tile_count,
                                    const CrAllocator *allocator, CrNavMesh **out, CrError *error);
// Makes this mesh what a snapshot of either kind says, edit count and salts too: a roll-back under the queries, followers and
// crowds that stand on it. All or nothing. As cr_navmesh_load_referenced, and:
//   CR_STATUS_MISMATCH "params": the snapshot's parameters are not the mesh's.
CrStatus cr_navmesh_restore(CrNavMesh *mesh, const uint8_t *data, size_t size, const CrTileData *tiles,
                            uint32_t tile_count, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
