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

// What a link is among those of its polygon (its edges included) that lead to the same target. Searches read it: it saves
// them to compare links.
typedef enum CrLinkPart {
  CR_LINK_ALONE = 0,  // a portal without others to its target; an off-mesh link where no edge and no portal leads there
  CR_LINK_FIRST = 1,  // the first of several portals on different edges
  CR_LINK_LATER = 2   // a later one of these; an off-mesh link beside an edge or a portal
} CrLinkPart;

// One way out of a polygon other than an in-tile edge. Table order per polygon is canonical: (edge, target, off_mesh,
// target_edge, owner_slot, reverse).
typedef struct CrLink {
  CrPolyRef target;
  CrVec3 a, b;  // portal: the covered part of the edge, a before b along the edge. Off-mesh: entry and exit points,
                // each on the surface of its polygon
  uint32_t owner_slot;  // off-mesh: tile slot that owns the link description, and its index there
  uint32_t off_mesh;
  uint8_t edge;         // edge of this polygon, or CR_LINK_NO_EDGE
  uint8_t target_edge;  // edge of the target polygon, or CR_LINK_NO_EDGE
  uint8_t area;         // off-mesh: the link's own area and flags; portals: 0 and 0 (not filtered)
  uint8_t reverse;      // off-mesh: walked from its end to its start
  uint16_t flags;
  uint8_t part;  // CrLinkPart
} CrLink;

// Box tree node over the polygons of a tile: a flattened tree in depth-first order. `skip` is the index of the next
// node when the box is missed; leaves have polygon >= 0.
typedef struct CrBoxNode {
  double min[3], max[3];
  int32_t polygon;  // leaf: polygon index; inner: -1
  int32_t skip;
} CrBoxNode;

// A polygon edge on a side of the tile's square, as an interval of the side's line (z on the x sides, x on the z
// sides).
typedef struct CrBorderEdge {
  double low, high;      // low < high
  double y_low, y_high;  // heights at the two ends
  uint32_t polygon;
  uint8_t edge;
  bool rising;  // the edge runs from low to high
} CrBorderEdge;

// Where the two ends of an off-mesh link were found. Connected: neither reference is CR_INVALID_REF.
typedef struct CrLinkJoin {
  CrPolyRef start, end;
  CrVec3 start_point, end_point;  // on the surface of those polygons
  uint64_t candidates;            // polygons looked at to find them
} CrLinkJoin;

// Sides are numbered 0 +x, 1 +z, 2 -x, 3 -z (CR_EDGE_BORDER_POS_X + side); the opposite of `side` is `side ^ 2`.
#define CR_SIDE_COUNT 4

typedef struct CrTile {
  bool active;
  uint16_t salt;  // of the slot, kept while the slot is empty; never 0
  int32_t x, z, layer;
  uint32_t vertex_count, polygon_count, corner_count, detail_vertex_count, detail_triangle_count, off_mesh_count;
  uint32_t link_count, node_count;
  CrVec3 *vertices;                 // vertex_count
  uint32_t *polygon_first;          // polygon_count + 1: first corner of each polygon
  uint32_t *corner_vertex;          // corner_count: vertex index
  uint32_t *corner_neighbour;       // corner_count: edge corner k -> k+1: polygon index or CR_EDGE_*
  uint32_t *edge_ways;              // corner_count: see cr__make_edge_way
  uint8_t *areas;                   // polygon_count
  uint16_t *flags;                  // polygon_count
  uint32_t *detail_first_vertex;    // polygon_count + 1
  uint32_t *detail_first_triangle;  // polygon_count + 1
  CrVec3 *detail_vertices;
  uint16_t *detail_triangles;  // 3 each; see CrTileDescription
  CrOffMeshLink *off_mesh;     // off_mesh_count
  CrLinkJoin *joins;           // off_mesh_count
  CrBoxNode *nodes;            // node_count; boxes hold the detail surface too
  uint32_t *link_first;        // polygon_count + 1
  CrLink *links;               // link_count
  CrBorderEdge *borders;       // border_first[4], each side sorted by (low, high, polygon, edge)
  uint32_t border_first[CR_SIDE_COUNT + 1];
  uint64_t overlap_count;  // pairs of border edges the link table had to look at
  uint64_t changed;  // the mesh's stamp when its polygons, its links, or a link that joins it last changed; 0 in a mesh
                     // that was read
  void *block;       // memory of everything but links and borders
  size_t block_size;
} CrTile;

// One entry of the reach index: off-mesh link `link` of tile slot `owner` may end on a polygon of a tile at (x, z).
typedef struct CrReachEntry {
  int32_t x, z;
  uint32_t owner, link;
  uint32_t next;  // index + 1 of the next entry with the same hash (or the next free one); 0 ends
} CrReachEntry;

// Which off-mesh links a tile position concerns. Order within a chain never affects results.
typedef struct CrReachIndex {
  uint32_t *heads;  // head_count, a power of two (or 0)
  CrReachEntry *entries;
  size_t head_count, capacity, used;  // used: entries ever handed out
  size_t count;                       // entries in use
  uint32_t free_head;                 // index + 1
} CrReachIndex;

// Sums over the tiles. The last three are held within a multiple of the first two, so that no bytes, however made, take
// memory or time out of proportion (docs/behaviour/navmesh.md, "Limits").
typedef struct CrMeshLoad {
  uint64_t borders, off_mesh;  // border edges, off-mesh links
  uint64_t links, overlaps, candidates;
} CrMeshLoad;

struct CrNavMesh {
  CrAllocator allocator;
  CrNavMeshParams params;
  CrTile *tiles;  // slot_capacity; the first slot_count have been used
  uint32_t slot_count, slot_capacity;
  uint32_t tile_count;
  uint32_t polygon_count;
  uint64_t edit_count;  // as told and stored: a restore brings the old one back
  uint64_t stamp;  // rises with every edit and every restore, so what is kept about the mesh can tell that it changed
  uint32_t *grid_heads;  // hash of (x, z) -> first slot + 1, chained through grid_next by (x, z, layer)
  uint32_t *grid_next;   // slot_capacity
  uint32_t grid_size;    // power of two, at least slot_capacity
  uint32_t *free_slots;  // slot_capacity: binary min-heap of the empty slots below slot_count
  uint32_t free_count;
  CrReachIndex reach;
  CrMeshLoad load;
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

// The ways of a polygon over its edges to polygons of its tile, in the order of the edges, at the places of its corners in
// `edge_ways`; what is left of these is CR_NO_EDGE_WAY. A way begins at corner `edge` and ends at corner `end`: several
// edges where the same polygon lies behind them.
#define CR_NO_EDGE_WAY UINT32_MAX
_Static_assert(CR_MAX_POLY_VERTS < 15 && CR_MAX_TILE_POLYS <= 1 << 24, "a way is packed into 32 bits");
static inline uint32_t cr__make_edge_way(uint32_t polygon, uint32_t edge, uint32_t end) {
  return polygon | edge << 24 | end << 28;
}
static inline uint32_t cr__edge_way_polygon(uint32_t way) { return way & 0xFFFFFFu; }
static inline uint32_t cr__edge_way_edge(uint32_t way) { return way >> 24 & 15; }
static inline uint32_t cr__edge_way_end(uint32_t way) { return way >> 28; }

// Tile coordinate of the square holding a world coordinate (squares are closed below and open above). Any double is
// fine: far off ones give the largest tile coordinate.
int32_t cr__tile_coord(double value, double origin, double tile_size);
// The tiles at (x, z) in layer order. Each call takes what the call before returned (0 first) and returns the slot of
// the next tile + 1, or 0:
//   for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) use(&mesh->tiles[at - 1]);
uint32_t cr__tiles_at(const CrNavMesh *mesh, int32_t x, int32_t z, uint32_t previous);

// --- Surface geometry (surface.c of this module: links need it, queries build on it) --------------------------------

// Whether the polygon's outline holds (x, z): a closed set, with every edge's tolerance `epsilon` (a distance).
bool cr__polygon_holds(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon);
// The same, and whether it does without the tolerance.
typedef enum CrHolding { CR_HOLDS_NOT, CR_HOLDS_NEARLY, CR_HOLDS } CrHolding;
CrHolding cr__polygon_holding(const CrTile *tile, uint32_t polygon, double x, double z, double epsilon);
// Height of the detail surface at (x, z), which should lie within the outline; just outside it the nearest detail
// triangle edge gives the height. Always finite.
double cr__polygon_height(const CrTile *tile, uint32_t polygon, double x, double z);
// The corners of detail triangle `triangle` (of the tile), which belongs to the polygon.
void cr__triangle_corners(const CrTile *tile, uint32_t polygon, uint32_t triangle, CrVec3 out[3]);
// See cr_query_closest_point.
CrVec3 cr__polygon_closest(const CrTile *tile, uint32_t polygon, CrVec3 point, bool *out_over);
// The same when it is known whether the outline holds the point (with tolerance 0).
CrVec3 cr__polygon_closest_known(const CrTile *tile, uint32_t polygon, CrVec3 point, bool over);
// Mean of the polygon's vertices.
CrVec3 cr__polygon_center(const CrTile *tile, uint32_t polygon);

// --- Validation -----------------------------------------------------------------------------------------------------

// Checks every invariant of the mesh: neighbour symmetry, link canonical order and mutuality, box tree, counts, grid.
// Null, or a static sentence naming the first one broken. For tests and debug builds.
const char *cr__navmesh_invariant(const CrNavMesh *mesh);

// --- Off-mesh links as part of other formats ---------------------------------------------------------------------------

#define CR_OFF_MESH_BYTES 64
void cr__off_mesh_write(CrWriter *writer, const CrOffMeshLink *link);

// --- Snapshot as part of other formats ------------------------------------------------------------------------------

// Full snapshot through a writer of any mode; allocates nothing.
void cr__navmesh_write(const CrNavMesh *mesh, CrWriter *writer);
uint64_t cr__navmesh_snapshot_size(const CrNavMesh *mesh);
// The same of a referenced one.
void cr__navmesh_write_referenced(const CrNavMesh *mesh, CrWriter *writer);
uint64_t cr__navmesh_referenced_size(const CrNavMesh *mesh);
// Reads a full snapshot that takes all that is left of the reader. Errors are of CR_FORMAT_NAVMESH with absolute
// offsets.
CrStatus cr__navmesh_read(CrReader *reader, const CrAllocator *allocator, CrNavMesh **out);
// A snapshot of either kind that is the whole of the reader, which must be of CR_FORMAT_NAVMESH; see cr_navmesh_load_referenced.
CrStatus cr__navmesh_read_either(CrReader *reader, const CrTileData *tiles, uint32_t tile_count,
                                 const CrAllocator *allocator, CrNavMesh **out);
// What cr_navmesh_snapshot_needs tells, of all the reader has.
CrStatus cr__navmesh_read_needs(CrReader *reader, CrTileNeed *out, uint32_t capacity, uint32_t *out_count);
// navmesh_restore.c: cr_navmesh_restore in two parts. The first reads what the mesh shall become; the second cannot fail, and
// frees `next`.
CrStatus cr__navmesh_read_next(const CrNavMesh *mesh, CrReader *reader, const CrTileData *tiles, uint32_t tile_count,
                               CrNavMesh **out_next);
void cr__navmesh_become(CrNavMesh *mesh, CrNavMesh *next);

// --- Inside the module only -----------------------------------------------------------------------------------------

#define CR_MAX_TILE_COORD (1 << 30)  // |x|, |z| of a tile
#define CR_MIN_TILE_SIZE 0.0078125   // 2^-7: keeps every world coordinate's tile coordinate within CR_MAX_TILE_COORD
#define CR_MAX_TILE_SIZE (2.0 * CR_COORD_LIMIT)
// How far a polygon's corner p may lie to the right of the line through its edge a -> b: the larger of a distance and
// of what rounding a or b (2^-32 at the world's end) makes of it at p: CR_CONVEX_ROUNDING * |ap| / |ab|.
#define CR_CONVEX_EPSILON 1e-7
#define CR_CONVEX_ROUNDING 1e-9
// Least horizontal distance between two corners of a polygon: a shorter edge has no direction to speak of.
#define CR_MIN_CORNER_DISTANCE 1e-6

// The square of a tile. Adjacent tiles compute the line they share by the same expression, so it has the same bits.
typedef struct CrTileSquare {
  double min_x, min_z, max_x, max_z;
} CrTileSquare;
CrTileSquare cr__tile_square(const CrNavMeshParams *params, int32_t x, int32_t z);
// Coordinate of side `side`'s line.
static inline double cr__side_line(CrTileSquare square, int side) {
  return side == 0 ? square.max_x : side == 1 ? square.max_z : side == 2 ? square.min_x : square.min_z;
}
// Coordinate across (x on the x sides) and along (z on the x sides) a side's line.
static inline double cr__across(CrVec3 p, int side) { return side & 1 ? p.z : p.x; }
static inline double cr__along(CrVec3 p, int side) { return side & 1 ? p.x : p.z; }

// Stable merge sort of indices by a strict order; `scratch` holds `count` entries.
typedef bool (*CrIndexLess)(const void *context, uint32_t a, uint32_t b);
void cr__sort_indices(uint32_t *items, uint32_t *scratch, size_t count, CrIndexLess less, const void *context);

// The arrays of a tile in the order of its bytes. Faults name them.
typedef enum CrTileArray {
  CR_TILE_VERTICES,
  CR_TILE_POLYGON_VERTEX_COUNTS,
  CR_TILE_POLYGON_VERTICES,
  CR_TILE_POLYGON_NEIGHBOURS,
  CR_TILE_POLYGON_AREAS,
  CR_TILE_POLYGON_FLAGS,
  CR_TILE_DETAIL_VERTEX_COUNTS,
  CR_TILE_DETAIL_TRIANGLE_COUNTS,
  CR_TILE_DETAIL_VERTICES,
  CR_TILE_DETAIL_TRIANGLES,
  CR_TILE_OFF_MESH_LINKS,
  CR_TILE_ARRAY_COUNT
} CrTileArray;
const char *cr__tile_array_name(CrTileArray array);

typedef struct CrTileFault {
  CrTileArray array;
  uint32_t index;  // element of the array
} CrTileFault;

// tile_memory.c. Takes the block for the counts set in `tile` and points the arrays into it; false: out of memory.
bool cr__tile_alloc(const CrAllocator *allocator, CrTile *tile);
void cr__tile_free(const CrAllocator *allocator, CrTile *tile);
void cr__tile_free_links(const CrAllocator *allocator, CrTile *tile);
size_t cr__link_block_size(uint32_t polygon_count, uint32_t link_count);

// tile_check.c. Whether the arrays (whose per-polygon counts are already consistent) make a valid tile.
bool cr__tile_check(const CrNavMeshParams *params, const CrTile *tile, CrTileFault *fault);
// Only that the polygons' corners exist and differ, and that they are convex with area.
bool cr__tile_check_shapes(const CrTile *tile, CrTileFault *fault);

// tile_encode.c. The arrays of a description as they are, neighbours aside; shapes are not looked at. The tile has no
// search structures: it is there to be checked and written.
CrStatus cr__tile_fill(const CrTileDescription *from, const CrAllocator *allocator, CrTile *out, CrError *error);
// From shared vertex pairs and the square's sides. CR_STATUS_ARGUMENT with the fault, or CR_STATUS_OUT_OF_MEMORY.
CrStatus cr__tile_find_neighbours(const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *tile,
                                  CrTileFault *fault);
CrStatus cr__tile_to_bytes(const CrTile *tile, const CrAllocator *allocator, CrBytes *out, CrError *error);

// tile_format.c
#define CR_TILE_ATTRIBUTE_SIZE 3  // bytes of a polygon's area and flags
void cr__tile_write(const CrTile *tile, CrWriter *writer);
// The areas, then the flags, of all polygons: the part of a tile's bytes that edits of polygons change.
void cr__tile_write_attributes(const CrTile *tile, CrWriter *writer);
// Hash of the tile's bytes with zeros for its areas and flags.
uint64_t cr__tile_content_hash(const CrTile *tile);
// Reads the header of a tile that takes all of the reader, whose offset is 0: position and counts. Nothing behind the
// header is checked but that it is there.
CrStatus cr__tile_identify(CrReader *reader, CrTile *out_counts, uint64_t *out_hash);
uint64_t cr__tile_byte_size(const CrTile *tile);
// Reads and checks a tile that takes all that is left of the reader, with its search structures. Links stay empty.
CrStatus cr__tile_read(CrReader *reader, const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *out);

// tile_references.c. A tile's record in a referenced snapshot.
typedef struct CrTileReference {
  CrTileNeed need;
  uint32_t polygon_count;
  const uint8_t *attributes;  // as cr__tile_write_attributes writes them
  size_t at;                  // where the record begins
} CrTileReference;
// Tiles a caller brings along, to be found by what is in them.
typedef struct CrTileShelf {
  const CrTileData *tiles;
  uint64_t *hashes;
  uint32_t *order;  // of rising hash; room behind it for sorting
  uint32_t count;
} CrTileShelf;
uint64_t cr__reference_byte_size(const CrTile *tile);
void cr__reference_write(const CrTile *tile, uint32_t slot, CrWriter *writer);
void cr__reference_read(CrReader *reader, uint32_t first_slot, uint32_t slot_count, CrTileReference *out);
CrStatus cr__shelf_open(const CrTileData *tiles, uint32_t count, const CrAllocator *allocator, CrTileShelf *out,
                        CrError *error);
void cr__shelf_close(const CrAllocator *allocator, CrTileShelf *shelf);
// The tile of a record, whose number in the snapshot is `number`. False: the reader has failed.
bool cr__reference_resolve(CrReader *reader, const CrTileShelf *shelf, const CrTileReference *reference,
                           uint32_t number, const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *out);

// edge_ways.c, box_tree.c, borders.c: search structures of a checked tile. False: out of memory.
void cr__edge_ways_fill(CrTile *tile);
bool cr__box_tree_build(const CrAllocator *allocator, CrTile *tile);
bool cr__borders_build(const CrAllocator *allocator, CrTile *tile);

// load.c. What one tile adds to the sums, and what sums allow.
void cr__load_add(CrMeshLoad *load, const CrTile *tile);
void cr__load_subtract(CrMeshLoad *load, const CrTile *tile);
uint64_t cr__load_max_links(const CrMeshLoad *load);
uint64_t cr__load_max_overlaps(const CrMeshLoad *load);
uint64_t cr__load_max_candidates(const CrMeshLoad *load);

// grid.c
#define CR_MAX_LAYERS 1024  // tiles at one position
CrStatus cr__params_check(const CrNavMeshParams *params, const char **out_field, double *out_limit);
bool cr__slots_reserve(CrNavMesh *mesh, uint32_t slot_count);
void cr__grid_insert(CrNavMesh *mesh, uint32_t slot);
void cr__grid_remove(CrNavMesh *mesh, uint32_t slot);
// Whether another tile may stand at (x, z).
bool cr__layers_have_room(const CrNavMesh *mesh, int32_t x, int32_t z);
uint32_t cr__free_slot_lowest(const CrNavMesh *mesh);
void cr__free_slot_take(CrNavMesh *mesh);
void cr__free_slot_give(CrNavMesh *mesh, uint32_t slot);

// reach.c. Room for `more` further entries; then adding a tile's links cannot fail.
uint32_t cr__reach_entry_count(const CrNavMesh *mesh, const CrTile *tile);
bool cr__reach_reserve(CrNavMesh *mesh, size_t more);
void cr__reach_add(CrNavMesh *mesh, uint32_t slot);
void cr__reach_remove(CrNavMesh *mesh, uint32_t slot);
// First entry (index + 1) at a position, and the one after `entry`.
uint32_t cr__reach_first(const CrNavMesh *mesh, int32_t x, int32_t z);
uint32_t cr__reach_next(const CrNavMesh *mesh, uint32_t entry);

// Positions of tiles that a link end may find a polygon in.
typedef struct CrTileRange {
  int32_t x0, z0, x1, z1;  // inclusive
} CrTileRange;
CrTileRange cr__reach_range(const CrNavMeshParams *params, CrVec3 end, double radius);

// joins.c. Finds the two ends of a link in the mesh as it is. False: more than `max_candidates` polygons would have to
// be looked at.
bool cr__join_find(const CrNavMesh *mesh, const CrOffMeshLink *link, uint64_t max_candidates, CrLinkJoin *out);

// links.c. A tile's whole link table, not yet in the tile.
typedef struct CrLinkTable {
  CrLink *links;
  uint32_t *first;
  uint32_t count;
  uint64_t overlap_count;
  size_t size;  // of the block that starts at `links`
} CrLinkTable;
// Memory reused from table to table.
typedef struct CrLinkScratch {
  CrLink *links;
  uint32_t *polygons, *order, *order_scratch;
  size_t link_capacity, polygon_capacity, order_capacity, order_scratch_capacity;
  uint32_t *active;
  size_t active_capacity;
  size_t count;
  uint64_t links_left, overlaps_left;  // what the tables still to be made may use
} CrLinkScratch;
CrStatus cr__links_build(const CrNavMesh *mesh, uint32_t slot, CrLinkScratch *scratch, CrLinkTable *out,
                         CrError *error);
// link_parts.c. Sets the parts of the links of a table that is in canonical order.
void cr__links_set_parts(const CrTile *tile, uint32_t slot, CrLink *links, const uint32_t *first);
void cr__links_install(const CrNavMesh *mesh, CrTile *tile, const CrLinkTable *table);
void cr__link_scratch_free(const CrAllocator *allocator, CrLinkScratch *scratch);
// The canonical order of a polygon's links.
bool cr__link_less(const CrLink *a, const CrLink *b);
// Steps from a tile position to the one across `side`.
void cr__side_step(int side, int32_t *x, int32_t *z);

// edits.c. Empties, fills or refills a slot and brings every link up to date. On failure (CR_STATUS_OUT_OF_MEMORY,
// CR_STATUS_LIMIT) nothing changed and `next` is the caller's still; on success it is the mesh's.
CrStatus cr__slot_put(CrNavMesh *mesh, uint32_t slot, const CrTile *next, CrError *error);
// Finds every join and builds every table of a mesh whose tiles were put in without links.
CrStatus cr__links_build_all(CrNavMesh *mesh, CrError *error);

#endif
