// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the stages of the query module share, and what the path module needs of it: ways between polygons, the walk of a
// straight line over the surface, the node pool.
#ifndef CR_QUERY_INTERNAL_H
#define CR_QUERY_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/query.h"
#include "navmesh_internal.h"

// Horizontal distance below which a point is taken to be on a vertex, a line or an outline. Coordinates near 2^21 are
// rounded to 2^-32 (2.3e-10), so a few roundings stay well below it.
#define CR_QUERY_EPSILON 1e-8

#define CR_NO_NODE UINT32_MAX
#define CR_NO_LINK UINT32_MAX
#define CR_GOAL_NODE 1  // crossing nodes: the node of the end point

static inline bool cr__accepts(const CrQueryFilter *filter, uint16_t flags) {
  return !filter || ((flags & filter->include_flags) != 0 && (flags & filter->exclude_flags) == 0);
}
static inline double cr__area_cost(const CrQueryFilter *filter, uint8_t area) {
  return filter ? filter->area_cost[area] : 1.0;
}
static inline bool cr__accepts_polygon(const CrQueryFilter *filter, const CrTile *tile, uint32_t polygon) {
  return cr__accepts(filter, tile->flags[polygon]);
}
// The tile of a reference that is known to be valid (a link's target).
static inline const CrTile *cr__tile_of(const CrNavMesh *mesh, CrPolyRef ref) {
  return &mesh->tiles[cr__ref_slot(ref)];
}
static inline bool cr__is_neighbour_polygon(uint32_t neighbour) { return neighbour < CR_MAX_TILE_POLYS; }
static inline bool cr__is_border(uint32_t neighbour) {
  return neighbour >= CR_EDGE_BORDER_POS_X && neighbour <= CR_EDGE_BORDER_NEG_Z;
}
static inline bool cr__near_xz(CrVec3 a, CrVec3 b, double epsilon) {
  return cr__abs(a.x - b.x) <= epsilon && cr__abs(a.z - b.z) <= epsilon;
}

// --- Ways from polygon to polygon (ways.c) --------------------------------------------------------------------------------

typedef enum CrWayKind {
  CR_WAY_NONE = 0,
  CR_WAY_EDGE = 1,     // an edge both polygons have in their tile
  CR_WAY_PORTAL = 2,   // a portal link between tiles
  CR_WAY_OFF_MESH = 3  // an off-mesh link
} CrWayKind;

typedef struct CrWay {
  CrWayKind kind;
  uint8_t edge;      // first edge of the polygon left that it crosses, CR_LINK_NO_EDGE for an off-mesh link
  uint8_t end;       // edges: the corner of the polygon left where the way ends
  uint32_t link;     // index in the links of the tile left (the first one of a portal), CR_NO_LINK for an edge
  CrPolyRef target;  // polygon entered
  CrVec3 a, b;       // edge or portal: its ends along the edge, so that whoever leaves has a on the right and b on the
                     // left. Off-mesh: entry and exit
} CrWay;

// The way from `polygon` to `target`: the in-tile edge, else the portal, else the off-mesh link of lowest cost (length times
// its area's cost; ties: table order) whose own flags the filter accepts. The polygons' own flags are not looked at.
// Several edges or portals that lie end to end between the same two polygons are one way.
CrWay cr__way_between(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target,
                      const CrQueryFilter *filter);
// Whether `to` is valid, accepted by the filter and joined to the valid polygon `from` by a way.
bool cr__connected(const CrNavMesh *mesh, CrPolyRef from, CrPolyRef to, const CrQueryFilter *filter);
// The point of the portal a -> b nearest, in the horizontal plane, to the straight segment between two points.
CrVec3 cr__nearest_on_portal(CrVec3 a, CrVec3 b, CrVec3 from, CrVec3 to);

// Fills the ends of a way: cr__way_ends.
void cr__link_ends(const CrTile *tile, uint32_t polygon, CrWay *way);
static inline void cr__way_ends(const CrTile *tile, uint32_t polygon, CrWay *way) {
  if (way->kind != CR_WAY_EDGE) {
    cr__link_ends(tile, polygon, way);
    return;
  }
  const uint32_t *corners = tile->corner_vertex + tile->polygon_first[polygon];
  way->a = tile->vertices[corners[way->edge]];
  way->b = tile->vertices[corners[way->end]];
}

// The way of cr__way_between where that leads over an edge inside a tile, as most do: its ends, or false.
static inline bool cr__edge_between(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target,
                                    CrVec3 *out_a, CrVec3 *out_b) {
  if (cr__ref_slot(target) != (uint32_t)(tile - mesh->tiles) || cr__ref_salt(target) != tile->salt) return false;
  uint32_t first = tile->polygon_first[polygon], end = tile->polygon_first[polygon + 1];
  for (uint32_t c = first; c < end && tile->edge_ways[c] != CR_NO_EDGE_WAY; c++) {
    uint32_t way = tile->edge_ways[c];
    if (cr__edge_way_polygon(way) != cr__ref_polygon(target)) continue;
    *out_a = tile->vertices[tile->corner_vertex[first + cr__edge_way_edge(way)]];
    *out_b = tile->vertices[tile->corner_vertex[first + cr__edge_way_end(way)]];
    return true;
  }
  return false;
}

// Lists the ways out of one polygon to accepted polygons, one for each polygon reached, in the order edges, portals,
// off-mesh links (each in table order). Here and not in ways.c because searches spend their time in it.
typedef struct CrWayList {
  const CrNavMesh *mesh;
  const CrTile *tile;
  const CrQueryFilter *filter;
  uint32_t edge_way, edge_way_end;  // next one to look at
  uint32_t link, link_end;          // next link to look at
  CrPolyRef tile_ref;               // of polygon 0 of the tile
} CrWayList;

static inline CrWayList cr__ways(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon,
                                 const CrQueryFilter *filter) {
  return (CrWayList){.mesh = mesh,
                     .tile = tile,
                     .filter = filter,
                     .edge_way = tile->polygon_first[polygon],
                     .edge_way_end = tile->polygon_first[polygon + 1],
                     .link = tile->link_first[polygon],
                     .link_end = tile->link_first[polygon + 1],
                     .tile_ref = cr__tile_ref(mesh, tile, 0)};
}

// Only the off-mesh links.
static inline CrWayList cr__off_mesh_ways(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon,
                                          const CrQueryFilter *filter) {
  CrWayList list = cr__ways(mesh, tile, polygon, filter);
  list.edge_way = list.edge_way_end;
  while (list.link < list.link_end && tile->links[list.link].edge != CR_LINK_NO_EDGE) list.link++;
  return list;
}

static inline bool cr__next_edge_way(CrWayList *list, CrWay *way) {
  while (list->edge_way < list->edge_way_end) {
    uint32_t packed = list->tile->edge_ways[list->edge_way];
    if (packed == CR_NO_EDGE_WAY) return false;
    list->edge_way++;
    uint32_t neighbour = cr__edge_way_polygon(packed);
    if (!cr__accepts_polygon(list->filter, list->tile, neighbour)) continue;
    way->kind = CR_WAY_EDGE;
    way->edge = (uint8_t)cr__edge_way_edge(packed);
    way->end = (uint8_t)cr__edge_way_end(packed);
    way->link = CR_NO_LINK;
    way->target = list->tile_ref | neighbour;
    return true;
  }
  return false;
}

bool cr__next_link_way(CrWayList *list, CrWay *way);

// Fills all of `way` but its ends, which cr__way_ends does.
static inline bool cr__next_way(CrWayList *list, CrWay *way) {
  if (cr__next_edge_way(list, way)) return true;
  return list->link < list->link_end && cr__next_link_way(list, way);
}

// --- The nearest point of a surface (closest_surface.c) -------------------------------------------------------------------

// The point of a polygon's surface nearest to `point` in space, and its squared distance. A polygon whose outline is farther
// than `within` (squared, horizontally) is not looked at closely: then the point is its closest point.
CrVec3 cr__polygon_nearest(const CrTile *tile, uint32_t polygon, CrVec3 point, double within, double *out_distance2);

// --- Straight lines over the surface (walk.c) -----------------------------------------------------------------------------

// A directed line in the horizontal plane, from (x, z) along the unit vector (dx, dz).
typedef struct CrLine {
  double x, z, dx, dz, length;
} CrLine;
CrLine cr__line(CrVec3 from, CrVec3 to);

// Where a line leaves a convex polygon.
typedef struct CrLineExit {
  double t;        // distance along the line
  bool at_vertex;  // through vertex `index`, else through the inside of edge `index`
  uint32_t index;
  CrVec3 point;  // on that edge or vertex
} CrLineExit;
CrLineExit cr__line_exit(const CrTile *tile, uint32_t polygon, const CrLine *line);

// Polygons walked: connected, none twice (a polygon met again cuts back to its first occurrence).
typedef struct CrTrail {
  CrPolyRef *refs;
  int32_t count, capacity;
  bool may_loop;  // a turn or a slide has happened: polygons may come again
  bool full;      // a polygon did not fit
} CrTrail;

typedef enum CrWalkStep {
  CR_WALK_ON = 0,    // another polygon was entered
  CR_WALK_END = 1,   // the line ends in the polygon
  CR_WALK_WALL = 2,  // a wall is met: see the walk's wall fields
  CR_WALK_FULL = 3   // the next polygon does not fit in the trail
} CrWalkStep;

// Where two polygons go on along a line and nothing joins them along it (storeys that part at a vertex), the walk forks.
// It takes the first unless told otherwise; a ray that meets a wall goes back for the others. Every pair is a fork once,
// so there are no more attempts than forks; those past the table's end keep to the first polygon.
#define CR_MAX_FORKS 64
typedef struct CrForks {
  CrPolyRef pairs[CR_MAX_FORKS][2];  // every fork met
  int32_t pair_count;
  int32_t path[CR_MAX_FORKS];  // the forks on the way walked now
  bool second[CR_MAX_FORKS];   // which of the two it takes there
  int32_t count, at;           // forks on the way; how many of them have been passed
} CrForks;

// A walk along a line. Its polygon is always the last of the trail.
typedef struct CrWalk {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  const CrTile *tile;
  uint32_t polygon;
  CrLine line;
  CrTrail *trail;
  CrForks *forks;  // null: takes the first polygon everywhere
  // After every step: where the line left the last polygon (or ended). After CR_WALK_WALL also the wall's edge of `polygon`,
  // its unit direction, and the direction (unit, along it or 0) in which the walk can slide.
  CrVec3 point;
  double t;
  double
      reach;  // the greatest t on this line: a turn ends only in a polygon left farther along, so walks do not circle
  uint32_t wall_edge;
  double wall_dx, wall_dz;
  double slide_x, slide_z;
} CrWalk;
// Starts at the point of the valid polygon `ref` nearest to `start`. The trail is filled with `ref`.
void cr__walk_begin(CrWalk *walk, const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, CrVec3 start,
                    CrTrail *trail);
void cr__walk_along(CrWalk *walk, CrLine line);
void cr__walk_towards(CrWalk *walk, CrVec3 to);
CrWalkStep cr__walk_step(CrWalk *walk);
// At the start of a line: the fork that the point itself may be. CR_WALK_ON or CR_WALK_FULL.
CrWalkStep cr__walk_fork_at_start(CrWalk *walk);

// --- Walls of one edge (walls.c) ------------------------------------------------------------------------------------------

// Lists the pieces of one edge behind which there is no accepted polygon, along the edge.
typedef struct CrEdgeWalls {
  const CrNavMesh *mesh;
  const CrTile *tile;
  const CrQueryFilter *filter;
  uint32_t first_link, end_link;  // links of the edge
  CrVec3 a, b;                    // the edge
  double length, cursor;          // along it; what lies before the cursor has been listed or is covered
  CrVec3 cursor_point;
} CrEdgeWalls;
CrEdgeWalls cr__edge_walls(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, uint32_t edge,
                           const CrQueryFilter *filter);
bool cr__next_edge_wall(CrEdgeWalls *walls, CrVec3 *out_a, CrVec3 *out_b);

// --- Search nodes (nodes.c) -----------------------------------------------------------------------------------------------

// Maps references to indices; emptied by raising the epoch.
typedef struct CrRefSlot {
  CrPolyRef ref;
  uint32_t epoch, index;
} CrRefSlot;
typedef struct CrRefTable {
  CrRefSlot *slots;
  uint32_t size;  // a power of two, at least twice what is put in
  uint32_t shift;
  uint32_t epoch;
} CrRefTable;

static inline void cr__table_clear(CrRefTable *table) {
  if (++table->epoch) return;
  memset(table->slots, 0, table->size * sizeof *table->slots);
  table->epoch = 1;
}
// The slot that holds `ref` (its epoch is the table's), or the free slot where it belongs.
static inline CrRefSlot *cr__table_slot(CrRefTable *table, CrPolyRef ref) {
  uint32_t mask = table->size - 1;
  uint32_t at = (uint32_t)((ref * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift);
  while (table->slots[at].epoch == table->epoch && table->slots[at].ref != ref) at = (at + 1) & mask;
  return &table->slots[at];
}
bool cr__table_init(CrRefTable *table, uint32_t entries, const CrAllocator *allocator);
void cr__table_deinit(CrRefTable *table, const CrAllocator *allocator);

#define CR_NODE_NEW UINT32_MAX           // heap_index of a node that has not been reached
#define CR_NODE_CLOSED (UINT32_MAX - 1)  // ... that has been taken

typedef struct CrNode {
  CrPolyRef ref;  // polygon the node stands for or enters
  CrVec3 position;
  double g, h;          // cost from the start; lower bound of the cost to the end
  uint32_t parent;      // CR_NO_NODE for the start
  uint32_t heap_index;  // place in the heap while open, CR_NODE_NEW before, CR_NODE_CLOSED after
  uint32_t source;      // crossing nodes: room of the polygon left, CR_NO_NODE for start and goal
  uint32_t link;        // crossing nodes: off-mesh link taken, in the tile left, else CR_NO_LINK
} CrNode;
_Static_assert(sizeof(CrNode) == 64, "a node is a cache line");

static inline bool cr__node_is_open(const CrNode *node) { return node->heap_index < CR_NODE_CLOSED; }

// Crossing nodes: a polygon whose ways out have been made into nodes, once per search.
typedef struct CrRoom {
  CrPolyRef ref;
  uint32_t first, count;  // its ways out, consecutive nodes
  uint32_t entry;         // the first crossing expanded into it
  double first_g;         // its cost and place
  CrVec3 first_position;
  double area_cost;
} CrRoom;

typedef struct CrHeapEntry {
  double f;
  uint32_t node;
} CrHeapEntry;

typedef struct CrNodePool {
  CrNode *nodes;
  CrRoom *rooms;  // crossing nodes only
  CrHeapEntry *heap;
  CrRefTable table;  // polygon nodes: reference to node; crossing nodes: reference to room
  uint32_t capacity, count, room_count;
  uint32_t heap_count;  // places in use, the hole among them
  uint32_t hole;        // 1: place 0 is empty since the last node was taken
  bool crossing;
} CrNodePool;

bool cr__pool_init(CrNodePool *pool, uint32_t capacity, bool crossing, const CrAllocator *allocator);
void cr__pool_deinit(CrNodePool *pool, const CrAllocator *allocator);
void cr__pool_clear(CrNodePool *pool);
// A fresh node, or CR_NO_NODE when the pool is full.
uint32_t cr__pool_add(CrNodePool *pool, CrPolyRef ref, CrVec3 position);
// Opens a new node or moves an open one whose g fell.
void cr__pool_open(CrNodePool *pool, uint32_t node);
// Takes the first open node in order (f, h, ref, source ref, number) and closes it; CR_NO_NODE when none is open.
uint32_t cr__pool_take(CrNodePool *pool);

// --- Searches around a place (circle.c) -----------------------------------------------------------------------------------

// Lists the in-tile edges and portals of one polygon that lead to accepted polygons: by edge, portals in table order. Each
// edge and portal by itself, not joined to ways.
typedef struct CrPortalList {
  const CrNavMesh *mesh;
  const CrTile *tile;
  const CrQueryFilter *filter;
  uint32_t polygon;
  uint32_t edge, edge_count;
  uint32_t link, link_end;
} CrPortalList;
typedef struct CrPortal {
  CrPolyRef target;
  CrVec3 a, b;          // along the edge
  uint32_t edge, link;  // link: CR_NO_LINK for an in-tile edge
} CrPortal;
CrPortalList cr__portals(const CrNavMesh *mesh, CrPolyRef ref, const CrQueryFilter *filter);
bool cr__next_portal(CrPortalList *list, CrPortal *out);

static inline double cr__segment_distance_xz(CrVec3 a, CrVec3 b, CrVec3 p) {
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, p)), p);
}

// A polygon that has been reached and not yet taken.
typedef struct CrCircleNode {
  CrPolyRef ref, parent;
  CrVec3 position;
  double cost;
  uint32_t heap_index;
} CrCircleNode;

// Polygons that may be met beyond the CR_QUERY_MAX_CIRCLE a search takes: room for those that turn out not to be needed.
#define CR_CIRCLE_SLACK 1024
#define CR_CIRCLE_TABLE (CR_QUERY_MAX_CIRCLE + CR_CIRCLE_SLACK)

// Scratch of a search over the polygons around a place: the polygons taken in order, and (for searches by cost) those reached.
// Invariant: `met` holds exactly both, the former with index CR_NO_NODE.
typedef struct CrCircle {
  CrRefTable met;       // for CR_CIRCLE_TABLE
  CrPolyRef *queue;     // CR_QUERY_MAX_CIRCLE: polygons taken, or queued by a breadth-first search
  double *sums;         // CR_QUERY_MAX_CIRCLE: of areas, for random points
  CrCircleNode *nodes;  // CR_CIRCLE_TABLE
  uint32_t *heap;       // CR_CIRCLE_TABLE: nodes reached, as a heap; from heap_count to node_count nodes free again
  uint32_t heap_count, node_count;
  int32_t taken, limit;
} CrCircle;
bool cr__circle_init(CrCircle *circle, const CrAllocator *allocator);
void cr__circle_deinit(CrCircle *circle, const CrAllocator *allocator);

// Breadth first: empties the circle; queues a polygon not met before, if there is room.
void cr__circle_clear(CrCircle *circle);
static inline void cr__circle_queue(CrCircle *circle, CrPolyRef ref) {
  CrRefSlot *slot = cr__table_slot(&circle->met, ref);
  if (slot->epoch == circle->met.epoch || circle->taken == CR_QUERY_MAX_CIRCLE) return;
  *slot = (CrRefSlot){ref, circle->met.epoch, CR_NO_NODE};
  circle->queue[circle->taken++] = ref;
}

// By cost: the `limit` (1..CR_QUERY_MAX_CIRCLE) polygons of least (cost, reference), exactly, however many are reached.
void cr__circle_begin(CrCircle *circle, int32_t limit);
// The node of a reached polygon; null when it is new, with *out_taken when it has been taken.
const CrCircleNode *cr__circle_find(CrCircle *circle, CrPolyRef ref, bool *out_taken);
// Adds a new polygon, or lowers the cost of a reached one. Not for those taken.
void cr__circle_reach(CrCircle *circle, CrPolyRef ref, CrPolyRef parent, CrVec3 position, double cost);
// Takes the reached polygon of least (cost, reference). False: none is left, or `limit` have been taken.
bool cr__circle_take(CrCircle *circle, CrCircleNode *out);

// --- Areas (area_marks.c) -------------------------------------------------------------------------------------------------

// Twice the areas of one fan triangle (vertices 0, k, k + 1; 0 if wound wrongly) and of a whole polygon.
double cr__fan_area(const CrTile *tile, uint32_t polygon, uint32_t k);
double cr__polygon_area(const CrTile *tile, uint32_t polygon);

#define CR_AREA_MARKS 512
typedef struct CrAreaMark {
  double sum;  // of the areas of the accepted polygons before this one
  uint32_t slot, polygon;
} CrAreaMark;
// Sums for one state of the mesh and one filter's flags.
typedef struct CrAreaMarks {
  bool valid, filtered;
  uint16_t include_flags, exclude_flags;
  uint64_t mesh_stamp;
  uint32_t count;
  CrAreaMark marks[CR_AREA_MARKS];  // rising
  double whole;
  CrPolyRef last;  // the last polygon with any area
} CrAreaMarks;
// Twice the area of all accepted polygons; afterwards the first of them, in reference order, at which the summed area exceeds
// `limit` can be found, or the last with any area if none does. There must be some area.
double cr__area_whole(CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter);
CrPolyRef cr__area_find(const CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter, double limit);

// --- The query object -----------------------------------------------------------------------------------------------------

typedef struct CrSearch {
  CrPathOutcome outcome;
  bool out_of_nodes;
  bool out_of_memory;  // hierarchical searches: the mesh has grown, and memory for that was not to be had
  CrPolyRef start_ref, end_ref;
  CrVec3 start, end;
  CrQueryFilter filter;
  bool has_filter;
  double lowest_cost;   // of the filter's area costs: the heuristic's factor
  uint64_t mesh_stamp;  // at the start
  uint64_t number;      // searches begun on this query, this one among them
  int64_t iterations;
  uint32_t goal;  // node that reached the end, CR_NO_NODE before
} CrSearch;

// --- The exact search (exact_*.c) -----------------------------------------------------------------------------------------

// Nodes and memory of exact searches; null for the other node models.
typedef struct CrExact CrExact;
CrExact *cr__exact_create(uint32_t capacity, const CrAllocator *allocator);
void cr__exact_destroy(CrExact *exact, const CrAllocator *allocator);
// The three stages of a search whose ends and filter have been checked and written to query->search.
CrPathOutcome cr__exact_begin(CrNavMeshQuery *query);
CrPathOutcome cr__exact_update(CrNavMeshQuery *query, int64_t budget, int64_t *out_expanded);
CrPathResult cr__exact_finish(CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity);
// The first area whose cost is not that of area 0, or -1.
int32_t cr__exact_unequal_cost(const CrQueryFilter *filter);

// --- Hierarchical searches (hierarchy*.c) ---------------------------------------------------------------------------------

// Null without options.hierarchical. `capacity` bounds gates, legs and polygons of a route each.
typedef struct CrHierarchy CrHierarchy;
CrHierarchy *cr__hierarchy_create(const CrNavMesh *mesh, uint32_t capacity, const CrAllocator *allocator);
void cr__hierarchy_destroy(CrHierarchy *hierarchy, const CrAllocator *allocator);
void cr__hierarchy_reset(CrHierarchy *hierarchy);
bool cr__hierarchy_begin(CrNavMeshQuery *query);  // false: out of memory
int64_t cr__hierarchy_update(CrNavMeshQuery *query, int64_t budget);
bool cr__hierarchy_is_plain(const CrHierarchy *hierarchy);  // the plain search has the result
CrPathResult cr__hierarchy_finish(const CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity);

// The search as it is without a hierarchy (sliced_path.c), between the ends in query->search.
void cr__plain_begin(CrNavMeshQuery *query);
int64_t cr__plain_update(CrNavMeshQuery *query, int64_t budget);

struct CrNavMeshQuery {
  CrAllocator allocator;
  const CrNavMesh *mesh;
  CrQueryOptions options;
  CrNodePool pool;         // of polygon and crossing nodes
  CrExact *exact;          // of the exact search
  CrHierarchy *hierarchy;  // null without options.hierarchical
  CrSearch search;
  CrCircle circle;
  CrAreaMarks *areas;  // of random points; not part of any answer
};

static inline const CrQueryFilter *cr__search_filter(const CrSearch *search) {
  return search->has_filter ? &search->filter : NULL;
}
void cr__expand_polygon_node(CrNavMeshQuery *query, uint32_t node);
void cr__expand_crossing_node(CrNavMeshQuery *query, uint32_t node);

// The public calls of like names with their arguments checked: the nearest polygon (`ref` CR_INVALID_REF: none), one search.
CrStatus cr__check_extents(CrError *error, CrVec3 extents);
CrNearestPoly cr__nearest_poly(const CrNavMesh *mesh, CrVec3 point, CrVec3 extents, const CrQueryFilter *filter);
CrPathResult cr__find_path(CrNavMeshQuery *query, const CrPathRequest *request, const CrQueryFilter *filter,
                           CrPolyRef *path, int32_t capacity);

// CR_STATUS_OK, or CR_STATUS_STALE_REF naming `field`.
CrStatus cr__check_ref(const CrNavMesh *mesh, CrPolyRef ref, const char *field, CrError *error);

#endif
