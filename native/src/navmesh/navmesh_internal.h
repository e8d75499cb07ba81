// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The mesh as its readers (query, path, crowd, debug) see it: tiles as arrays, links as one canonical table per tile.
// Only the navmesh module writes these structures.
#ifndef CR_NAVMESH_INTERNAL_H
#define CR_NAVMESH_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/navmesh.h"

// Overlaps shorter than this, and border lines farther apart than this, do not join tiles.
#define CR_PORTAL_EPSILON 1e-6

#define CR_LINK_NO_EDGE 0xFF  // CrLink.edge of an off-mesh link

// One way out of a polygon other than an in-tile edge. Table order per polygon is canonical: (edge, target, off_mesh).
typedef struct CrLink {
  CrPolyRef target;
  CrVec3 a, b;          // portal: the covered part of the edge, a before b along the edge. Off-mesh: entry and exit points,
                        // each on the surface of its polygon
  uint32_t owner_slot;  // off-mesh: tile slot that owns the link description, and its index there
  uint32_t off_mesh;
  uint8_t edge;         // edge of this polygon, or CR_LINK_NO_EDGE
  uint8_t target_edge;  // edge of the target polygon, or CR_LINK_NO_EDGE
  uint8_t area;         // off-mesh: the link's own area and flags; portals: 0 and 0 (not filtered)
  uint8_t reverse;      // off-mesh: walked from its end to its start
  uint16_t flags;
} CrLink;

// Box tree node over the polygons of a tile: a flattened tree in depth-first order. `skip` is the index of the next node when the
// box is missed; leaves have polygon >= 0.
typedef struct CrBoxNode {
  double min[3], max[3];
  int32_t polygon;  // leaf: polygon index; inner: -1
  int32_t skip;
} CrBoxNode;

typedef struct CrTile {
  bool active;
  uint16_t salt;  // of the slot, kept while the slot is empty; never 0
  int32_t x, z, layer;
  uint32_t vertex_count, polygon_count, corner_count, detail_vertex_count, detail_triangle_count, off_mesh_count;
  uint32_t link_count, node_count;
  CrVec3 *vertices;            // vertex_count
  uint32_t *polygon_first;     // polygon_count + 1: first corner of each polygon
  uint32_t *corner_vertex;     // corner_count: vertex index
  uint32_t *corner_neighbour;  // corner_count: edge corner k -> k+1: polygon index or CR_EDGE_*
  uint8_t *areas;              // polygon_count
  uint16_t *flags;             // polygon_count
  uint32_t *detail_first_vertex;    // polygon_count + 1
  uint32_t *detail_first_triangle;  // polygon_count + 1
  CrVec3 *detail_vertices;
  uint16_t *detail_triangles;  // 3 each; see CrTileDescription
  CrOffMeshLink *off_mesh;     // off_mesh_count
  CrBoxNode *nodes;            // node_count; boxes hold the detail surface too
  uint32_t *link_first;        // polygon_count + 1
  CrLink *links;               // link_count
} CrTile;

struct CrNavMesh {
  CrAllocator allocator;
  CrNavMeshParams params;
  CrTile *tiles;         // slot_capacity; the first slot_count have been used
  uint32_t slot_count, slot_capacity;
  uint32_t tile_count;
  uint32_t polygon_count;
  uint64_t edit_count;
  uint32_t *grid_heads;  // hash of (x, z) -> first slot + 1, chained through grid_next; order within a chain is by layer
  uint32_t *grid_next;
  uint32_t grid_size;    // power of two
};

static inline uint32_t cr__ref_slot(CrPolyRef ref) { return (uint32_t)(ref >> 24) & 0xFFFFFFu; }
static inline uint32_t cr__ref_polygon(CrPolyRef ref) { return (uint32_t)ref & 0xFFFFFFu; }
static inline uint16_t cr__ref_salt(CrPolyRef ref) { return (uint16_t)(ref >> 48); }
static inline CrPolyRef cr__make_ref(uint16_t salt, uint32_t slot, uint32_t polygon) {
  return (CrPolyRef)salt << 48 | (CrPolyRef)slot << 24 | polygon;
}

// The tile of a valid reference (its polygon index is cr__ref_polygon), or null when the reference is stale or forged.
static inline const CrTile *cr__resolve(const CrNavMesh *mesh, CrPolyRef ref) {
  uint32_t slot = cr__ref_slot(ref);
  if (slot >= mesh->slot_count) return NULL;
  const CrTile *tile = &mesh->tiles[slot];
  bool valid = tile->active && tile->salt == cr__ref_salt(ref) && cr__ref_polygon(ref) < tile->polygon_count;
  return valid ? tile : NULL;
}
static inline CrPolyRef cr__tile_ref(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon) {
  return cr__make_ref(tile->salt, (uint32_t)(tile - mesh->tiles), polygon);
}
static inline uint32_t cr__polygon_vertex_count(const CrTile *tile, uint32_t polygon) {
  return tile->polygon_first[polygon + 1] - tile->polygon_first[polygon];
}
static inline CrVec3 cr__polygon_vertex(const CrTile *tile, uint32_t polygon, uint32_t k) {
  return tile->vertices[tile->corner_vertex[tile->polygon_first[polygon] + k]];
}
// Edge k runs from *a to *b.
static inline void cr__polygon_edge(const CrTile *tile, uint32_t polygon, uint32_t k, CrVec3 *a, CrVec3 *b) {
  uint32_t first = tile->polygon_first[polygon], count = tile->polygon_first[polygon + 1] - first;
  *a = tile->vertices[tile->corner_vertex[first + k]];
  *b = tile->vertices[tile->corner_vertex[first + (k + 1 == count ? 0 : k + 1)]];
}

// Tile coordinates of the square holding a world coordinate.
int32_t cr__tile_coord(double value, double origin, double tile_size);
// Calls for every tile at (x, z), in layer order: pass 0 first, then the returned slot + 1; 0 ends.
uint32_t cr__tiles_at(const CrNavMesh *mesh, int32_t x, int32_t z, uint32_t previous);

// --- Surface geometry (surface.c of this module: links need it, queries build on it) --------------------------------------

// Whether the polygon's outline holds (x, z): a closed set, with every edge's tolerance `epsilon` (a distance).
bool cr__polygon_holds(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon);
// Height of the detail surface at (x, z), which should lie within the outline; just outside it the nearest detail triangle
// edge gives the height. Always finite.
double cr__polygon_height(const CrTile *tile, uint32_t polygon, double x, double z);
// See cr_query_closest_point.
CrVec3 cr__polygon_closest(const CrTile *tile, uint32_t polygon, CrVec3 point, bool *out_over);
// Mean of the polygon's vertices.
CrVec3 cr__polygon_center(const CrTile *tile, uint32_t polygon);

// --- Validation -----------------------------------------------------------------------------------------------------------

// Checks every invariant of the mesh: neighbour symmetry, link canonical order and mutuality, box tree, counts, grid.
// Null, or a static sentence naming the first one broken. For tests and debug builds.
const char *cr__navmesh_invariant(const CrNavMesh *mesh);

#endif
