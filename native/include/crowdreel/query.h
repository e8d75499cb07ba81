// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a navigation mesh. Polygons are closed sets: points on edges and vertices belong to the mesh. Every
// answer is a function of the mesh, the arguments and the filter; ties follow the orders each function states.
#ifndef CROWDREEL_QUERY_H
#define CROWDREEL_QUERY_H

#include "crowdreel/navmesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which polygons and off-mesh links may be used, and at what cost per unit of length. Accepted: (flags & include) != 0
// and (flags & exclude) == 0. A null filter accepts everything at cost 1.
typedef struct CrQueryFilter {
  uint16_t include_flags;
  uint16_t exclude_flags;
  double area_cost[CR_MAX_AREA + 1];  // finite, > 0
} CrQueryFilter;

// include 0xFFFF, exclude 0, every cost 1.
CrQueryFilter cr_query_filter_default(void);
CrStatus cr_query_filter_validate(const CrQueryFilter *filter, CrError *error);

// What a search node is.
typedef enum CrNodeModel {
  CR_NODE_MODEL_POLYGON = 0,  // a polygon, at the point where it was first entered; fewest nodes
  CR_NODE_MODEL_CROSSING =
      1,                   // a crossing of one portal or link, at its point nearest the straight way on; shorter routes
  CR_NODE_MODEL_EXACT = 2  // an interval of a portal seen from one point; the shortest route there is. Not for crowds
} CrNodeModel;

#define CR_QUERY_DEFAULT_NODES 16384
#define CR_QUERY_MIN_NODES 16
#define CR_QUERY_MAX_NODES (1 << 20)
#define CR_QUERY_MAX_CIRCLE \
  4096  // most polygons one circle search (cr_query_find_walls) visits, nearest by steps first

typedef struct CrQueryOptions {
  int32_t max_nodes;       // default CR_QUERY_DEFAULT_NODES, CR_QUERY_MIN_NODES..CR_QUERY_MAX_NODES
  CrNodeModel node_model;  // default polygon
  // Default false. Polygon and crossing nodes: long searches go over gates between groups of tiles first, which is many times
  // quicker on large tiled meshes; routes are a little longer (docs/behaviour/queries.md, "Hierarchical search"). Costs
  // found on the way are remembered for one filter: use a query for each. The query takes more memory: 128 bytes per
  // polygon and about 1 KB per tile of the mesh, up to 124 bytes per node of max_nodes, and 2 MB. When the mesh has grown the next
  // search takes more: cr_query_find_path reports CR_STATUS_OUT_OF_MEMORY, cr_query_begin_path gives CR_PATH_FAILED.
  bool hierarchical;
} CrQueryOptions;

// A query object: node pool and scratch memory for searches of one mesh. Not thread-safe. It refers to the mesh and must
// be destroyed before it. All memory is taken at creation: no query allocates, but for hierarchical searches of a mesh that has
// grown.
typedef struct CrNavMeshQuery CrNavMeshQuery;

CrQueryOptions cr_query_options_default(void);
CrStatus cr_query_create(const CrNavMesh *mesh, const CrQueryOptions *options, const CrAllocator *allocator,
                         CrNavMeshQuery **out, CrError *error);
void cr_query_destroy(CrNavMeshQuery *query);
const CrNavMesh *cr_query_mesh(const CrNavMeshQuery *query);
CrNodeModel cr_query_node_model(const CrNavMeshQuery *query);
// Whether path searches of this query can use the filter: costs finite and above 0, with exact nodes all of them equal.
// CR_STATUS_ARGUMENT (filter.area_cost and the index of the first that is not).
CrStatus cr_query_check_filter(const CrNavMeshQuery *query, const CrQueryFilter *filter, CrError *error);

// --- Points ---------------------------------------------------------------------------------------------------------

typedef struct CrNearestPoly {
  CrPolyRef ref;  // CR_INVALID_REF when none
  CrVec3 point;   // the nearest point of its surface
  bool over;      // the asked point lies within the polygon's outline horizontally
} CrNearestPoly;

// The accepted polygon nearest to `point` among those whose surface comes within the box point +- extents
// (each extent finite, >= 0). Distance is that to the polygon's closest point (see cr_query_closest_point), 3D, except that
// a polygon whose outline holds the point counts by max(0, |dy| - climb of the mesh). Ties: smaller reference.
// CR_STATUS_NOT_FOUND when there is none.
CrStatus cr_query_nearest_poly(const CrNavMeshQuery *query, CrVec3 point, CrVec3 extents, const CrQueryFilter *filter,
                               CrNearestPoly *out, CrError *error);

// The same for `count` points in one call, with the same extents and filter. out[i].ref is CR_INVALID_REF where there is none
// (which is no error). An error names `points` and its index; then nothing is written. *out_found: how many were found.
CrStatus cr_query_nearest_polys(const CrNavMeshQuery *query, const CrVec3 *points, int32_t count, CrVec3 extents,
                                const CrQueryFilter *filter, CrNearestPoly *out, int32_t *out_found, CrError *error);

// The point of the polygon's surface nearest to `point` (horizontally first: the point itself where the outline holds
// it, else the nearest point of the outline; then the height of the surface there). CR_STATUS_STALE_REF.
CrStatus cr_query_closest_point(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 point, CrVec3 *out_point, bool *out_over);

// Height of the polygon's detail surface at (x, z). CR_STATUS_NOT_FOUND when the outline does not hold it.
CrStatus cr_query_height(const CrNavMesh *mesh, CrPolyRef ref, double x, double z, double *out_y);

// A random point of all accepted polygons, uniform by horizontal area. `seed` is the caller's generator state
// (any value); it is advanced. The same seed gives the same sequence on every platform. CR_STATUS_NOT_FOUND.
CrStatus cr_query_random_point(const CrNavMeshQuery *query, const CrQueryFilter *filter, uint64_t *seed,
                               CrNearestPoly *out);

// A random point, uniform by horizontal area over the surface within `radius` (horizontally, > 0) of `center` that a walk
// from `start_ref` reaches without leaving the circle (the polygons cr_query_find_walls visits). Always on that surface and
// in the circle. `seed` as above; at most 512 numbers are drawn, four at a time, and none by a call that fails.
// CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT; CR_STATUS_NOT_FOUND when no surface lies in the circle. The filter's costs play no
// part.
CrStatus cr_query_random_point_around(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                                      const CrQueryFilter *filter, uint64_t *seed, CrNearestPoly *out, CrError *error);

// --- Paths ----------------------------------------------------------------------------------------------------------

typedef enum CrPathOutcome {
  CR_PATH_FAILED = 0,       // an end is stale or rejected by the filter
  CR_PATH_IN_PROGRESS = 1,  // more iterations are needed; the route so far leads to the closest polygon yet
  CR_PATH_SUCCESS = 2,      // the route reaches the end polygon
  CR_PATH_PARTIAL = 3       // the end polygon cannot be reached; the route leads to the closest polygon reached
} CrPathOutcome;

typedef struct CrPathResult {
  CrPathOutcome outcome;
  bool out_of_nodes;   // the node pool ran out and the search went on without what did not fit
  bool truncated;      // the route was longer than the capacity: its first part is given
  int32_t count;       // polygons written
  int64_t iterations;  // nodes expanded so far (without those of costs a hierarchical search remembers)
  CrVec3 end;          // the end point; after PARTIAL or IN_PROGRESS the point of the last polygon nearest to it
} CrPathResult;

// A* from `start` in `start_ref` to `end` in `end_ref` (docs/behaviour/queries.md says what a node is and costs). The
// heuristic is admissible; nodes are taken in the order f, then h, then polygon reference, then entry. Between two polygons
// the way is the in-tile edge, else a portal, else the cheapest off-mesh link. `path` gets at most `capacity` references,
// start_ref first; with crossing nodes and unequal area costs a polygon may occur twice.
// Exact: lengths are horizontal (links count their 3D length), and all area costs must be equal: else CR_STATUS_ARGUMENT,
// filter.area_cost and the first that differs. Ends off their polygons count as the nearest points of these. After PARTIAL
// the route is the shortest to `out->end`, the reachable point nearest to `end`.
// One call equals Begin, Update without limit, Finish. CR_STATUS_ARGUMENT (a point, `capacity` < 1, the filter's costs),
// CR_STATUS_STALE_REF. An end whose polygon the filter rejects is no error: CR_PATH_FAILED.
CrStatus cr_query_find_path(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref, CrVec3 end,
                            const CrQueryFilter *filter, CrPolyRef *path, int32_t capacity, CrPathResult *out,
                            CrError *error);

// The same in slices. The filter is copied. Update expands at most `budget` more nodes. A query holds one search: another
// Begin or cr_query_find_path on it takes its place (the other queries do not touch it), and an edit of the mesh ends it
// with CR_PATH_FAILED. Bad points or costs also give CR_PATH_FAILED.
CrPathOutcome cr_query_begin_path(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref,
                                  CrVec3 end, const CrQueryFilter *filter);
CrPathOutcome cr_query_update_path(CrNavMeshQuery *query, int64_t budget, int64_t *out_expanded);
// Writes the route of the search as it stands; the search can go on.
CrPathResult cr_query_finish_path(CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity);

// Many searches in one call, one after the other, with one filter. Route i is written to path[results[i].first ..
// + results[i].path.count]; each route gets at most `capacity_each` references, and those that no longer fit in
// `path_capacity` are truncated. A request with a bad point or a stale reference fails the whole call before the first
// search (field `requests`, its index); a rejected end is CR_PATH_FAILED in its own result. `path` may be null when
// `path_capacity` is 0.
typedef struct CrPathRequest {
  CrPolyRef start_ref, end_ref;
  CrVec3 start, end;
} CrPathRequest;

typedef struct CrBatchPath {
  CrPathResult path;
  int32_t first;  // where its references begin
} CrBatchPath;

CrStatus cr_query_find_paths(CrNavMeshQuery *query, const CrPathRequest *requests, int32_t count,
                             const CrQueryFilter *filter, int32_t capacity_each, CrPolyRef *path, int32_t path_capacity,
                             CrBatchPath *results, CrError *error);

// --- Straight paths (funnel) ----------------------------------------------------------------------------------------

typedef enum CrCornerFlag {
  CR_CORNER_START = 1,
  CR_CORNER_END = 2,
  CR_CORNER_OFF_MESH = 4,  // an off-mesh link is entered here; the next corner is its exit
  CR_CORNER_CROSSING = 8   // the line crosses a portal here (cr_query_straight_path_crossings); no bend by itself
} CrCornerFlag;

typedef struct CrCorner {
  CrVec3 point;
  CrPolyRef ref;       // polygon entered at the corner, past all portals that hold it (START: the first of the path;
                       // END: the last; off-mesh entry: the polygon it lies on; off-mesh exit: the polygon it leads to)
  int32_t path_index;  // its index in the path
  uint8_t flags;       // CrCornerFlag bits
} CrCorner;

typedef enum CrStraightPathOutcome {
  CR_STRAIGHT_OK = 0,
  CR_STRAIGHT_TRUNCATED = 1,        // `capacity` corners were written and there are more
  CR_STRAIGHT_INVALID_CORRIDOR = 2  // a reference is stale or neighbours do not touch: no corners are given
} CrStraightPathOutcome;

// The shortest line from `start` (on the first polygon) through the path's portals to `end`. The first corner is the
// start, then the corners, the last is the end. The funnel restarts at the exit of an off-mesh link. A point equal
// to the one before merges its flags (and its polygon) into it. Corners lie on the surface of their polygon;
// the heights of the start and the end are the caller's.
// Lee and Preparata 1984; computed in the horizontal plane. Only the part of the path needed for `capacity` corners is
// read. `filter` decides which off-mesh link joins two polygons. capacity >= 2.
CrStraightPathOutcome cr_query_straight_path(const CrNavMesh *mesh, CrVec3 start, CrVec3 end, const CrPolyRef *path,
                                             int32_t path_count, const CrQueryFilter *filter, CrCorner *corners,
                                             int32_t capacity, int32_t *out_count);

// Which crossings of portals a straight path lists besides its corners.
typedef enum CrCrossings {
  CR_CROSSINGS_NONE = 0,
  CR_CROSSINGS_AREA = 1,  // where the area of the polygon changes
  CR_CROSSINGS_ALL = 2    // every portal
} CrCrossings;

// The same line with the points where it crosses portals (CR_CORNER_CROSSING; `ref` and `path_index` of the polygon
// entered; height of the surface there), in order along it. A crossing at a corner is the corner, with both flags; so where all
// are listed, every bend has the flag. A start or off-mesh exit on portals names the polygon entered through those listed. Off-mesh
// links are no crossings.
CrStraightPathOutcome cr_query_straight_path_crossings(const CrNavMesh *mesh, CrVec3 start, CrVec3 end,
                                                       const CrPolyRef *path, int32_t path_count,
                                                       const CrQueryFilter *filter, CrCrossings crossings,
                                                       CrCorner *corners, int32_t capacity, int32_t *out_count);

// --- From position to position --------------------------------------------------------------------------------------

typedef struct CrComputedPath {
  CrNearestPoly start, goal;  // the ends on the mesh; without both the outcome is CR_PATH_FAILED
  CrPathResult path;
  CrStraightPathOutcome straight;  // CR_STRAIGHT_TRUNCATED when there are more corners than `corner_capacity`;
                                   // CR_STRAIGHT_INVALID_CORRIDOR, without corners, when the outcome is CR_PATH_FAILED
  int32_t corner_count;
} CrComputedPath;

// Nearest polygons, route and corners in one call. An end without a polygon near is no error: its `ref` is CR_INVALID_REF
// and the outcome CR_PATH_FAILED. The corners lead to `path.end`; when the route was truncated, to the last polygon's point
// nearest to it. CR_STATUS_ARGUMENT. capacity >= 1, corner_capacity >= 2.
CrStatus cr_query_compute_path(CrNavMeshQuery *query, CrVec3 start, CrVec3 end, CrVec3 extents,
                               const CrQueryFilter *filter, CrPolyRef *path, int32_t capacity, CrCorner *corners,
                               int32_t corner_capacity, CrComputedPath *out, CrError *error);

// --- Moving and looking along the surface ---------------------------------------------------------------------------

typedef struct CrMoveResult {
  CrVec3 point;    // on the surface of the last polygon visited
  int32_t count;   // polygons in `visited`: connected, no polygon twice, start_ref first
  bool truncated;  // the walk stopped because `visited` was full
  bool blocked;    // a wall was met
} CrMoveResult;

// Walks from `start` in `start_ref` straight towards `to` (x/z), through in-tile edges and portals whose polygon the
// filter accepts, sliding along walls; never leaves the mesh, always ends, and is never longer than the motion asked for.
// Off-mesh links are not taken. A start off its polygon is moved to the nearest point of it; the filter is not asked about
// the start polygon (here and below).
// CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT. capacity >= 1.
CrStatus cr_query_move_along_surface(const CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrVec3 to,
                                     const CrQueryFilter *filter, CrPolyRef *visited, int32_t capacity,
                                     CrMoveResult *out, CrError *error);

typedef struct CrRaycastResult {
  bool hit;                   // a wall stopped the ray
  bool truncated;             // `polygons` was full: the ray ends at the last polygon written
  double t;                   // fraction of start -> end travelled, 1 when nothing was hit
  double cost;                // of the line travelled: its horizontal length in each polygon times the area's cost
  CrVec3 point;               // where it ended, on the surface
  double normal_x, normal_z;  // of the wall hit, pointing into the mesh; 0 when none
  CrPolyRef hit_ref;          // polygon and edge of the wall hit
  int32_t hit_edge;
  int32_t count;  // polygons crossed, start_ref first
} CrRaycastResult;

// Walks a straight ray along the surface (x/z) until a wall, a polygon the filter rejects, or the end. It may touch walls and
// pass through vertices. It does not look at the height of `end`: where storeys overlap, compare the point's.
// CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT. capacity >= 1.
CrStatus cr_query_raycast(const CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrVec3 end,
                          const CrQueryFilter *filter, CrPolyRef *polygons, int32_t capacity, CrRaycastResult *out,
                          CrError *error);

// --- Walls ----------------------------------------------------------------------------------------------------------

// A piece of a polygon edge with nothing walkable behind it. a -> b runs with the edge: the walkable side is left.
typedef struct CrWallPiece {
  CrPolyRef ref;
  uint8_t edge;
  uint8_t part;  // which uncovered piece of that edge, counted along it
  CrVec3 a, b;
  double distance;  // horizontal, from the centre asked for
} CrWallPiece;

// Wall pieces within `radius` of `center` (horizontally), of the polygons a circle search from `start_ref` reaches (through
// accepted polygons whose shared portal comes within the radius). Nearest first; ties by reference, edge, part. The
// `capacity` nearest are written. A rejected polygon behind an edge makes it wall. At most CR_QUERY_MAX_CIRCLE polygons are
// visited. CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT.
CrStatus cr_query_find_walls(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                             const CrQueryFilter *filter, CrWallPiece *pieces, int32_t capacity, int32_t *out_count,
                             CrError *error);

// End points of one piece, a function of the mesh and the filter. CR_STATUS_STALE_REF, CR_STATUS_NOT_FOUND when that edge
// has no such part.
CrStatus cr_query_wall_piece(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, uint8_t edge,
                             uint8_t part, CrVec3 *out_a, CrVec3 *out_b);

typedef struct CrWallDistance {
  bool found;       // a wall lies within the radius
  double distance;  // horizontal, to the wall; `max_radius` when none was found
  CrWallPiece piece;
  CrVec3 point;  // of the wall, nearest to the centre
  double normal_x,
      normal_z;  // unit, from the wall to the centre; on the wall itself that of the edge, into the mesh; 0
                 // when no wall was found
} CrWallDistance;

// The nearest wall within `max_radius` (>= 0) that the search of cr_query_find_walls meets as its circle grows: the first of its
// pieces at the least radius at which it has any. A large radius costs no more than the way to the wall; polygons beyond it,
// which a larger circle may reach round about (another storey's), play no part.
// CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT.
CrStatus cr_query_distance_to_wall(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double max_radius,
                                   const CrQueryFilter *filter, CrWallDistance *out, CrError *error);

// --- Polygons around ------------------------------------------------------------------------------------------------

typedef struct CrAroundPolygon {
  CrPolyRef ref;
  CrPolyRef parent;  // the polygon it was reached from, CR_INVALID_REF for the first
  double cost;       // of the way to it, from the centre (see docs/behaviour/queries.md)
} CrAroundPolygon;

typedef struct CrAroundResult {
  int32_t count;
  bool truncated;  // `capacity` or CR_QUERY_MAX_CIRCLE polygons were not enough: the cheapest to reach are given
} CrAroundResult;

// The accepted polygons that a walk from `start_ref` reaches through portals that come within `radius` of `center`
// (horizontally, >= 0), by rising cost, then reference, a polygon's parent always before it. The start polygon comes first and
// is not asked. Off-mesh links are not taken.
// CR_STATUS_STALE_REF, CR_STATUS_ARGUMENT. capacity >= 1.
CrStatus cr_query_polygons_around_circle(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                                         const CrQueryFilter *filter, CrAroundPolygon *polygons, int32_t capacity,
                                         CrAroundResult *out, CrError *error);

// The same through portals that touch a convex polygon in x/z (3 to CR_QUERY_MAX_SHAPE vertices, interior left of every
// edge, heights not looked at); costs are counted from the mean of its vertices. A bad vertex, or the first vertex of an edge
// without the interior on its left, is named by `vertices` and its index.
#define CR_QUERY_MAX_SHAPE 32
CrStatus cr_query_polygons_around_shape(CrNavMeshQuery *query, CrPolyRef start_ref, const CrVec3 *vertices,
                                        int32_t vertex_count, const CrQueryFilter *filter, CrAroundPolygon *polygons,
                                        int32_t capacity, CrAroundResult *out, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
