// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Between regions and tile bytes: what the stages contours, arcs, simplification, rings, triangles, polygons and detail
// hand to each other. All coordinates are integers: corners of the open field's columns (border included) and whole
// floor heights, so that every geometric decision up to the detail surface is exact.
//
// Terms. A piece is a connected part of one region with one area and at most one span per column. A half-edge is a unit
// side of a span whose other side is not the same piece; its piece is on its left. A vertex is a fan: the spans round a
// corner that reach each other through links. An arc is a run of half-edges with one thing behind it; both pieces of a
// shared boundary use the same arc, so whatever simplification does to it holds for both.
#ifndef CR_OUTLINE_INTERNAL_H
#define CR_OUTLINE_INTERNAL_H

#include "build_internal.h"

#define CR_NONE UINT32_MAX

// --- Pieces (pieces.c) ------------------------------------------------------------------------------------------------

typedef struct CrPieces {
  uint32_t *of;      // per open span: 0 none, 1..count
  uint8_t *area;     // count + 1
  uint32_t *region;  // count + 1: region each is of
  uint32_t count;
} CrPieces;

bool cr__pieces_find(const CrOpenField *field, CrArena *arena, CrPieces *out);
// The same numbers much faster when every region is one piece. *out_plausible: no region has two areas or two spans of a
// column; whether all are connected shows when their loops are known: one outer loop per piece.
bool cr__pieces_of_regions(const CrOpenField *field, CrArena *arena, CrPieces *out, bool *out_plausible);

// The link of two spans, taken only when both ends agree on it.
static inline uint32_t cr__open_link(const CrOpenField *field, uint32_t span, int dir) {
  uint32_t other = field->neighbour[(size_t)span * 4 + (size_t)dir];
  if (other == CR_NO_SPAN || field->neighbour[(size_t)other * 4 + (size_t)((dir + 2) & 3)] != span) return CR_NO_SPAN;
  return other;
}

// The tile's own columns: x0 <= x < x1, z0 <= z < z1.
typedef struct CrOwnSquare {
  int32_t x0, z0, x1, z1;
} CrOwnSquare;

static inline CrOwnSquare cr__own_square(const CrGrid *grid) {
  return (CrOwnSquare){grid->border, grid->border, grid->width - grid->border, grid->depth - grid->border};
}
static inline bool cr__owns(CrOwnSquare s, int32_t x, int32_t z) {
  return x >= s.x0 && x < s.x1 && z >= s.z0 && z < s.z1;
}

// --- Boundary (contours.c) --------------------------------------------------------------------------------------------

#define CR_BEHIND_WALL 0u
#define CR_BEHIND_BORDER 0x80000000u  // | direction: walkable ground of the neighbouring tile in that direction

typedef struct CrHalfEdge {
  uint32_t piece;    // on its left
  uint32_t behind;   // piece on its right, CR_BEHIND_WALL, or CR_BEHIND_BORDER | direction
  uint32_t next;     // the half-edge after it round its piece
  uint32_t twin;     // the same side seen from the piece behind, or CR_NONE
  uint32_t start;    // vertex
  uint32_t sibling;  // another half-edge that starts at the same vertex, or CR_NONE
  uint32_t arc;      // arc * 2 + side: 0 when it runs along the arc, 1 against it
} CrHalfEdge;

typedef struct CrOutlineCorner {
  int32_t x, z;         // corner of columns
  int32_t y;            // highest floor of the fan
  uint32_t first;       // first half-edge that starts here
  uint32_t same_place;  // next vertex at this (x, z), or CR_NONE
  uint32_t arc;         // arc that runs through it, or CR_NONE: an end of arcs
  uint32_t position;    // in that arc's chain
  bool pinched;         // another vertex of the same level is at its place
} CrOutlineCorner;

// One closed walk round a piece. area2 is twice its signed area: positive outside, negative round holes, 0 round a slit.
typedef struct CrLoop {
  uint32_t start;  // a half-edge with which an arc begins
  uint32_t piece;
  int64_t area2;
} CrLoop;

typedef struct CrBoundary {
  CrHalfEdge *edges;
  uint32_t edge_count;
  CrOutlineCorner *vertices;
  uint32_t vertex_count;
  uint32_t *places;  // (width + 1) * (depth + 1): first vertex there + 1
  int32_t stride;    // width + 1
  CrLoop *loops;
  uint32_t loop_count;
} CrBoundary;

// Highest floor of the fan of `span` round the corner at which its side `dir` starts, walked with the span on the left.
int32_t cr__fan_height(const CrOpenField *field, uint32_t span, int dir);

// Whether every piece has one outer loop (once the loops are known): none is in two parts.
bool cr__boundary_is_whole(const CrBoundary *boundary, const CrPieces *pieces);

CrStatus cr__boundary_trace(const CrOpenField *field, const CrPieces *pieces, CrArena *arena, CrBoundary *out);

static inline uint32_t cr__place_first(const CrBoundary *b, int32_t x, int32_t z) {
  return b->places[(size_t)z * (size_t)b->stride + (size_t)x] - 1;  // 0 wraps to CR_NONE
}

// --- Arcs (contour_arcs.c) and their simplification (contour_simplify.c) ----------------------------------------------

typedef struct CrArc {
  uint32_t first_edge, last_edge;  // half-edges of its left side
  uint32_t piece, behind;
  uint32_t chain, edge_count;    // vertices chain[0..edge_count]
  uint32_t kept, segment_count;  // kept positions [0..segment_count], first 0, last edge_count
  uint32_t segment;              // number of its first segment
  bool ring;                     // starts and ends at one place
} CrArc;

typedef struct CrArcs {
  CrArc *items;
  size_t count, capacity;
  uint32_t *chain;  // vertex numbers
  size_t chain_count, chain_capacity;
  uint32_t *kept;  // positions in the arc's chain
  size_t kept_count, kept_capacity;
  uint32_t segment_count;
} CrArcs;

bool cr__arcs_cut(CrBoundary *boundary, const CrOpenField *field, CrArena *arena, CrArcs *out);

typedef struct CrSimplifyLimits {
  double error2;  // square of the distance allowed, in cells
  double edge2;   // square of the longest wall edge in cells, 0: any
  int32_t climb;  // floor heights
  int32_t level;  // vertices nearer in height than this are of one storey
} CrSimplifyLimits;

bool cr__arcs_simplify(const CrBoundary *boundary, const CrPieces *pieces, const CrSimplifyLimits *limits,
                       CrArena *arena, CrArcs *arcs);

// --- Mesh edges -------------------------------------------------------------------------------------------------------

// Every edge of the mesh has a number: the arcs' segments first, then bridges and diagonals. A reference to one side is
// edge * 2 + side; the polygon there is sides[reference].
#define CR_SIDE_THROUGH 0x80000000u  // | reference: the piece there vanished; what is behind that edge is here

typedef struct CrMeshEdges {
  uint32_t *sides;  // 2 per edge: polygon, CR_NONE, or CR_SIDE_THROUGH | reference of the edge behind a vanished piece
  uint32_t *codes;  // CR_NONE: two sides; else CR_EDGE_WALL or CR_EDGE_BORDER_*
  size_t count, side_capacity, code_capacity;
} CrMeshEdges;

// A new edge between polygons, or CR_NONE when out of memory.
uint32_t cr__mesh_edge_add(CrMeshEdges *edges, CrArena *arena);

// --- Rings (contour_holes.c) ------------------------------------------------------------------------------------------

// One visit of a vertex by an outline; `edge` is the side of the edge to the next slot.
typedef struct CrSlot {
  int32_t x, z;
  uint32_t vertex;
  uint32_t edge;
  uint32_t next, prev;
} CrSlot;

typedef struct CrRing {
  CrSlot *slots;
  size_t count, capacity;
} CrRing;

// The edges of a ring in square bins, for looking from a hole to the outline (hole_sight.c).
typedef struct CrSightEdge {
  int32_t ax, az, bx, bz;
  uint32_t slot;  // a visit of (ax, az)
} CrSightEdge;

typedef struct CrSightEntry {
  uint32_t edge, next;
} CrSightEntry;

typedef struct CrSight {
  uint32_t *bins;  // first entry, or CR_NONE
  CrSightEntry *entries;
  CrSightEdge *edges;
  size_t bin_capacity, entry_count, entry_capacity, edge_count, edge_capacity;
  int32_t x, z;  // of the first bin
  int shift;
  int32_t columns, rows;
  CrArena *arena;
} CrSight;

typedef struct CrSightPoint {
  int32_t x, z;
} CrSightPoint;

bool cr__sight_build(CrSight *sight, const CrRing *ring, CrArena *arena);
bool cr__sight_add(CrSight *sight, const CrRing *ring, uint32_t slot);
// A vertex in plain sight of `from` and to its left. False: there is none.
bool cr__sight_find(const CrSight *sight, CrSightPoint from, CrSightPoint *out);
static inline uint32_t cr__sight_bin(const CrSight *sight, int32_t x, int32_t z) {
  return (uint32_t)((x - sight->x) >> sight->shift) +
         (uint32_t)((z - sight->z) >> sight->shift) * (uint32_t)sight->columns;
}

// Memory reused from piece to piece.
typedef struct CrRingScratch {
  CrSight sight;
  uint32_t *twins;  // per slot: another visit made from it by a bridge, or CR_NONE
  uint32_t *holes;  // leftmost slot of each hole
  size_t twin_capacity, hole_count, hole_capacity;
} CrRingScratch;

// The outline of a piece as one ring with its holes joined by bridges; the first slot is slot 0, all slots are in use.
// ring->count < 3: the piece vanished.
bool cr__ring_of_piece(const CrBoundary *boundary, const CrArcs *arcs, const uint32_t *loops, uint32_t loop_count,
                       CrMeshEdges *edges, CrRingScratch *scratch, CrArena *arena, CrRing *ring);

// --- Exact predicates -------------------------------------------------------------------------------------------------

// Twice the area of (a, b, c): positive when c is left of a -> b. Exact: a grid has at most 2^22 columns or so.
static inline int64_t cr__turn(int32_t ax, int32_t az, int32_t bx, int32_t bz, int32_t cx, int32_t cz) {
  return (int64_t)(bx - ax) * (cz - az) - (int64_t)(bz - az) * (cx - ax);
}
static inline int64_t cr__slot_turn(const CrSlot *a, const CrSlot *b, const CrSlot *c) {
  return cr__turn(a->x, a->z, b->x, b->z, c->x, c->z);
}
static inline bool cr__slot_same_place(const CrSlot *a, const CrSlot *b) { return a->x == b->x && a->z == b->z; }
static inline int32_t cr__floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (int32_t)(q - (a % b != 0 && (a < 0) != (b < 0)));
}
static inline int64_t cr__slot_dist2(const CrSlot *a, const CrSlot *b) {
  int64_t dx = (int64_t)b->x - a->x, dz = (int64_t)b->z - a->z;
  return dx * dx + dz * dz;
}
// Whether the direction from slot `s` to (x, z) lies strictly inside the interior angle at that visit.
bool cr__slot_faces(const CrSlot *slots, uint32_t s, int32_t x, int32_t z);

// --- Heap (outline_heap.c): least key first, then least item ----------------------------------------------------------

typedef struct CrHeapEntry {
  uint64_t key;
  uint32_t item, stamp;
} CrHeapEntry;

typedef struct CrHeap {
  CrHeapEntry *entries;
  size_t count, capacity;
} CrHeap;

bool cr__heap_push(CrHeap *heap, CrArena *arena, CrHeapEntry entry);
CrHeapEntry cr__heap_pop(CrHeap *heap);

// --- Triangles and polygons (triangulate.c, merge_polygons.c, polygonize.c) -------------------------------------------

// Corner k and the side of the edge from corner k to the next.
typedef struct CrOutlinePoly {
  uint32_t count;  // 0: merged into another
  uint32_t vertex[CR_MAX_POLY_VERTS];
  uint32_t edge[CR_MAX_POLY_VERTS];
} CrOutlinePoly;

typedef struct CrEarState {
  uint32_t stamp;    // of the last push; older heap entries are void
  uint32_t waiters;  // list of ears this reflex slot blocks, + 1
  uint32_t bin_next;
  bool reflex, gone;
} CrEarState;

typedef struct CrEarWait {
  uint32_t slot, stamp, next;
} CrEarWait;

typedef struct CrEarScratch {
  CrHeap heap;
  CrEarState *states;
  CrEarWait *waits;
  uint32_t *bins;
  size_t state_capacity, wait_count, wait_capacity, bin_capacity;
} CrEarScratch;

typedef struct CrPolyList {
  CrOutlinePoly *items;
  size_t count, capacity;
} CrPolyList;

// Cuts the ring (consumed) into triangles with area.
bool cr__ring_triangulate(CrRing *ring, CrMeshEdges *edges, CrEarScratch *scratch, CrArena *arena, CrPolyList *out);
// Merges triangles across the edges first_edge.. of the mesh to convex polygons of at most max_corners corners.
bool cr__polygons_merge(const CrBoundary *boundary, CrPolyList *list, CrMeshEdges *edges, uint32_t first_edge,
                        uint32_t max_corners, CrHeap *heap, CrArena *arena);

// All polygons of a tile.
typedef struct CrOutlineMesh {
  uint32_t polygon_count, corner_count;
  uint8_t *counts;          // per polygon: corners
  uint8_t *areas;           // per polygon
  uint32_t *pieces;         // per polygon
  uint32_t *corner_vertex;  // boundary vertices
  uint32_t *corner_edge;    // sides of mesh edges
  CrMeshEdges edges;
  size_t count_capacity, area_capacity, piece_capacity, vertex_capacity, edge_capacity;
} CrOutlineMesh;

CrStatus cr__polygonize(const CrBoundary *boundary, const CrPieces *pieces, const CrArcs *arcs, uint32_t max_corners,
                        CrArena *arena, CrOutlineMesh *out);
// What is behind a side of an edge: polygon, CR_EDGE_WALL or CR_EDGE_BORDER_*.
uint32_t cr__mesh_edge_behind(const CrMeshEdges *edges, uint32_t side);

// --- Detail surface (detail*.c) ---------------------------------------------------------------------------------------

// Units: cells in the grid's own columns, floor heights.
typedef struct CrDetailPoint {
  double x, z, y;
} CrDetailPoint;

#define CR_DETAIL_EDGE_SAMPLES 64     // places looked at along one edge
#define CR_DETAIL_EDGE_VERTICES 16    // most vertices added on one edge
#define CR_DETAIL_INNER_VERTICES 160  // most vertices added inside one polygon

typedef struct CrDetailSettings {
  double distance;   // between samples, in cells; 0: none are taken
  double max_error;  // in floor heights
} CrDetailSettings;

// Where heights come from.
typedef struct CrDetailSource {
  const CrOpenField *field;
  const CrPieces *pieces;
  const CrBoundary *boundary;
  const CrOutlineMesh *mesh;
  CrDetailSettings settings;
} CrDetailSource;

// Height of the surface at a corner of columns: of the fan of a span that belongs to one of two pieces and is near `expected`, else of
// the span nearest to it on its storey, else of one of the pieces. False: no ground there.
bool cr__detail_height(const CrDetailSource *source, int32_t x, int32_t z, uint32_t piece_a, uint32_t piece_b,
                       double expected, double *out_y);

// Vertices added on the edges, in order from the lower to the higher vertex number of each edge, made on first use.
typedef struct CrDetailEdges {
  uint32_t *first;  // per mesh edge, or CR_NONE
  uint8_t *counts;
  CrDetailPoint *points;
  size_t count, capacity;
} CrDetailEdges;

bool cr__detail_edge(const CrDetailSource *source, CrDetailEdges *edges, uint32_t edge, uint32_t from, uint32_t to,
                     CrArena *arena);

// A triangulation that points are added to, kept Delaunay as far as it can be. Triangle edge i runs from v[i] to the next.
typedef struct CrDetailTriangle {
  uint32_t v[3];
  uint32_t behind[3];  // triangle, or CR_NONE
  uint32_t stamp;      // of the last change
} CrDetailTriangle;

typedef struct CrDetailFlip {
  uint32_t triangle, edge;
} CrDetailFlip;

typedef struct CrDetailMesh {
  CrDetailPoint *points;
  CrDetailTriangle *triangles;
  CrDetailFlip *flips;
  uint32_t *changed;  // triangles changed since the last cr__detail_mesh_mark
  size_t point_count, point_capacity, triangle_count, triangle_capacity;
  size_t flip_count, flip_capacity, changed_count, changed_capacity;
  uint32_t stamp;
  CrArena *arena;
} CrDetailMesh;

// Starts with a fan of the strictly convex ring corners[0..count): indices of points.
bool cr__detail_mesh_start(CrDetailMesh *mesh, const uint32_t *corners, uint32_t count);
bool cr__detail_mesh_split_rim(CrDetailMesh *mesh, uint32_t from, uint32_t to, uint32_t point);
// False also when out of memory; *out_added tells whether the point is in.
bool cr__detail_mesh_insert(CrDetailMesh *mesh, uint32_t triangle, uint32_t point, bool *out_added);
void cr__detail_mesh_mark(CrDetailMesh *mesh);
bool cr__detail_triangle_holds(const CrDetailMesh *mesh, uint32_t triangle, double x, double z);
double cr__detail_triangle_height(const CrDetailMesh *mesh, uint32_t triangle, double x, double z);

// The detail arrays of CrTileDescription.
typedef struct CrDetail {
  uint32_t *vertex_counts, *triangle_counts;
  double *vertices;
  uint16_t *triangles;
  size_t vertex_count, triangle_count, vertex_capacity, triangle_capacity;
  uint32_t surface_triangles;  // fans of polygons without arrays included
} CrDetail;

bool cr__detail_build(const CrDetailSource *source, CrArena *arena, CrDetail *out);

// --- All of them, stage by stage (tile_outlines.c) ----------------------------------------------------------------------

// Vertices and polygons as the tile has them.
typedef struct CrOutlineTile {
  double *vertices;
  uint32_t *vertex_of;  // per boundary vertex: number in the tile, or CR_NONE
  uint32_t *corner_vertex, *corner_neighbour;
  uint16_t *flags;
  uint32_t vertex_count;
} CrOutlineTile;

typedef struct CrOutlines {
  CrPieces pieces;
  CrBoundary boundary;
  CrArcs arcs;
  CrOutlineMesh mesh;
  CrDetail detail;
  CrOutlineTile tile;
} CrOutlines;

// Statuses are CR_STATUS_OK, CR_STATUS_OUT_OF_MEMORY, CR_STATUS_LIMIT.
CrStatus cr__outlines_contours(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                               CrArena *arena);
CrStatus cr__outlines_polygonize(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                                 const uint16_t *area_flags, CrArena *arena);
CrStatus cr__outlines_detail(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                             CrArena *arena);
// Everything but the position and the off-mesh links.
CrTileDescription cr__outlines_describe(const CrOutlines *outlines);

#endif
