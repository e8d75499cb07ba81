// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the stages of the hierarchical search share (hierarchy*.c). The mesh is cut into clusters of 2^k x 2^k tile positions, all layers
// together. The accepted polygons of a cluster that are joined by surface inside it are a group; groups are joined by gates.
// Whatever is remembered of a cluster is a function of the mesh and the filter, is checked against the tiles' stamps when a
// search first comes to it, and can be forgotten at any time.
#ifndef CR_HIERARCHY_INTERNAL_H
#define CR_HIERARCHY_INTERNAL_H

#include "query_internal.h"

#define CR_CLUSTER_POLYGONS 8192  // most polygons of a cluster
#define CR_CLUSTER_GATES 128      // most gates of a cluster
#define CR_SIDE_CROSSINGS 1024    // most portals on one side of a cluster
#define CR_SIDE_PAIRS 24          // most pairs of groups that meet along one side of a cluster
#define CR_NO_CLUSTER UINT32_MAX
#define CR_NO_GROUP UINT32_MAX
#define CR_NO_BLOCK SIZE_MAX
#define CR_TREE_ROOT 0xFF               // the gate's own polygon, or one of another group
#define CR_TREE_LINK CR_MAX_POLY_VERTS  // below: that edge; from here on: the polygon's so many-th link
#define CR_GATE_LINK 4                  // CrGate.side of the end of an off-mesh link

// A place where one group is left for another: a portal on a side of the cluster, or an end of an off-mesh link.
typedef struct CrGate {
  CrPolyRef ref;    // polygon of this cluster
  CrPolyRef other;  // polygon beyond
  CrVec3 point;     // portals: the same on both sides. Links: the end on `ref`
  CrVec3 other_point;
  uint32_t group;  // of `ref`
  uint32_t link_owner, link;
  uint8_t side;   // 0..3, or CR_GATE_LINK
  bool start;     // links: `ref` holds the start
  bool may_exit;  // links: it can be walked from here
  double across;  // cost of the crossing itself
} CrGate;

typedef struct CrCluster {
  int32_t x, z;
  uint64_t stamp, checked;  // edit at which the groups were found; at which they were last known to be up to date
  uint64_t version;         // of the groups; unique
  uint32_t tile_count, polygon_count;
  bool too_big;  // one of the limits above is exceeded
  bool gated;    // gates are made, of these versions of its groups and of those around:
  uint64_t gates_version;
  uint64_t near_version[CR_SIDE_COUNT];
  uint32_t near[CR_SIDE_COUNT];  // clusters beside it, CR_NO_CLUSTER where there is no tile
  size_t group_block;            // uint32_t per polygon
  size_t gate_block;             // gates, costs between them, and which rows of costs are there
  uint32_t gate_count, side_first[CR_SIDE_COUNT + 1];
  uint32_t grouped_epoch, gated_epoch, entered_epoch;  // searches in which groups and gates were looked at, nodes made
  uint32_t first_node;                                 // of the gates, in that search
} CrCluster;

// Where a tile's polygons are in its cluster: holds while that cluster's groups have this version. (Versions are unique.)
typedef struct CrTilePlace {
  uint64_t version;
  uint32_t cluster, first;
} CrTilePlace;

// Memory for blocks of clusters: filled in a row, closed up when the end is reached.
typedef struct CrArena {
  uint8_t *bytes;
  size_t capacity;  // taken from the allocator
  size_t limit;     // what may be used: a function of the mesh alone
  size_t forced;    // tests: that many bytes instead, when not 0
  size_t used;
} CrArena;

typedef struct CrArenaHeader {
  uint32_t cluster;
  uint32_t gates;  // 1: a gate block, 0: a group block
  uint64_t size;   // with the header
} CrArenaHeader;

// --- Search inside clusters (hierarchy_local.c) ---------------------------------------------------------------------------

typedef struct CrLocalNode {
  CrVec3 position;
  CrPolyRef ref;
  double g, h;
  uint32_t parent, heap_index;
  uint32_t epoch;
} CrLocalNode;

typedef struct CrLocalWindow {
  uint64_t version;  // of the cluster
  uint32_t cluster, group, base;
} CrLocalWindow;

// A search over the polygons of one group, or of two groups that meet. Directed: A* to a target. Else: the tree of ways from the
// start to all polygons.
typedef struct CrLocal {
  CrLocalNode *nodes;  // 2 * CR_CLUSTER_POLYGONS
  CrHeapEntry *heap;
  uint32_t heap_count, epoch;
  CrLocalWindow windows[2];
  uint32_t window_count;
  bool directed;
  CrPolyRef source_ref, target_ref;
  CrVec3 source, target;
  uint32_t goal;  // node of the target once taken, or CR_NO_NODE
} CrLocal;

// --- Search over gates (hierarchy_route.c) --------------------------------------------------------------------------------

#define CR_ROUTE_START 0
#define CR_ROUTE_GOAL 1

typedef struct CrRouteNode {
  double g, h;
  uint32_t parent, heap_index;
  uint32_t cluster, gate;  // arrived at, or (exits of the start's cluster) left by
} CrRouteNode;

typedef enum CrHierarchyPhase {
  CR_PHASE_PLAIN = 0,    // the plain search decides
  CR_PHASE_NEAR = 1,     // the plain search, for a limited number of nodes
  CR_PHASE_DIRECT = 2,   // from the start straight to a goal in the same group
  CR_PHASE_ROUTE = 3,    // over the gates
  CR_PHASE_CLOSEST = 4,  // the goal moves to the closest polygon reached, then CR_PHASE_DIRECT and CR_PHASE_REFINE
  CR_PHASE_REFINE = 5,   // polygons along the gates
  CR_PHASE_DONE = 6
} CrHierarchyPhase;

typedef struct CrEnd {
  CrPolyRef ref;
  CrVec3 point;
  uint32_t cluster, group;
} CrEnd;

#define CR_WANTED_POLYGONS 1024
#define CR_NEAR_NODES 512

struct CrHierarchy {
  // The cache.
  uint32_t shift;   // clusters are 2^shift tile positions wide
  bool has_filter;  // the filter it is for
  CrQueryFilter filter;
  CrRefTable by_position;
  CrCluster *clusters;  // cluster_capacity
  uint32_t cluster_count, cluster_capacity;
  CrTilePlace *places;  // place_capacity, by slot
  uint32_t place_capacity;
  CrArena arena;
  uint64_t versions;
  uint64_t wanted_polygons;  // of an average cluster, at most (one tile may have more). Tests make these two smaller
  int64_t near_nodes;        // more than the polygons of both clusters that a plain search to a near goal may take
  // The search.
  uint32_t epoch;
  CrHierarchyPhase phase;
  int64_t near_left;  // nodes the plain search may still take
  bool failed;        // a limit is exceeded: the plain search takes over
  bool is_partial;    // the goal has been moved
  bool has_direct;    // start and goal are in one group
  double direct;
  bool local_active, row_active;
  uint32_t row_cluster, row_gate;
  CrLocal local;
  CrEnd start, goal;
  CrRouteNode *nodes;  // route_capacity
  CrHeapEntry *heap;   // route_capacity
  uint32_t node_count, heap_count, route_capacity;
  uint32_t first_exit, exit_count;  // nodes of the gates the start's cluster is left by
  uint32_t *steps;                  // route_capacity: route nodes from the first gate to the last
  uint32_t step_count, step;
  CrPolyRef at_ref;  // how far the route has been refined
  CrVec3 at_point;
  CrPolyRef *route;                 // route_capacity
  uint32_t route_count, met_count;  // polygons on it; polygons that were on it at some time
  CrRefTable on_route;
  // Scratch.
  CrPolyRef *path;    // 2 * CR_CLUSTER_POLYGONS
  CrCorner *corners;  // CR_LOCAL_CORNERS
  struct CrCrossing *crossings;
  CrGate *gates;  // CR_CLUSTER_GATES
};
#define CR_LOCAL_CORNERS 512

// hierarchy_cache.c
bool cr__cache_init(CrHierarchy *h, const CrAllocator *allocator, const CrNavMesh *mesh);
void cr__cache_deinit(CrHierarchy *h, const CrAllocator *allocator);
// At the beginning of a search: room for the mesh as it is, an empty cache if the filter or the clusters' size changed. False: out of memory.
bool cr__cache_begin(CrNavMeshQuery *query);
// Memory for a block, or CR_NO_BLOCK.
size_t cr__arena_take(CrHierarchy *h, uint32_t cluster, bool gates, size_t size);
void cr__arena_drop(CrHierarchy *h, size_t *block);
static inline void *cr__arena_at(const CrHierarchy *h, size_t block) {
  return h->arena.bytes + block + sizeof(CrArenaHeader);
}

// hierarchy_groups.c. The cluster at a position, or CR_NO_CLUSTER when no tile is there.
uint32_t cr__cluster_at(const CrNavMeshQuery *query, int32_t x, int32_t z);
uint32_t cr__cluster_of(const CrNavMeshQuery *query, const CrTile *tile);
// Brings a cluster's groups up to date. False: a limit is exceeded.
bool cr__cluster_group(const CrNavMeshQuery *query, uint32_t cluster);
static inline const uint32_t *cr__groups(const CrHierarchy *h, const CrCluster *cluster) {
  return cr__arena_at(h, cluster->group_block);
}
// Group of a polygon whose cluster is up to date.
static inline uint32_t cr__group_of(const CrHierarchy *h, CrPolyRef ref) {
  const CrTilePlace *place = &h->places[cr__ref_slot(ref)];
  return cr__groups(h, &h->clusters[place->cluster])[place->first + cr__ref_polygon(ref)];
}
// The tiles of a cluster: by x, z, layer. Each call takes the slot + 1 the call before returned (0 first), or returns 0.
typedef struct CrClusterTiles {
  int32_t x, z, x0, z0, x1, z1;
  uint32_t at;
} CrClusterTiles;
CrClusterTiles cr__cluster_tiles(const CrHierarchy *h, int32_t x, int32_t z);
const CrTile *cr__next_cluster_tile(const CrNavMesh *mesh, CrClusterTiles *tiles);

// hierarchy_gates.c
bool cr__gates_init(CrHierarchy *h, const CrAllocator *allocator);
void cr__gates_deinit(CrHierarchy *h, const CrAllocator *allocator);
// Brings a cluster's gates up to date. False: a limit is exceeded.
bool cr__cluster_gates(const CrNavMeshQuery *query, uint32_t cluster);
static inline CrGate *cr__gates(const CrHierarchy *h, const CrCluster *cluster) {
  return cr__arena_at(h, cluster->gate_block);
}
// Costs from gate `row` to the others; DBL_MAX for those of other groups.
static inline double *cr__gate_costs(const CrHierarchy *h, const CrCluster *cluster, uint32_t row) {
  return (double *)(void *)(cr__gates(h, cluster) + cluster->gate_count) + (size_t)row * cluster->gate_count;
}
// The tree of ways to gate `row`: for each polygon of the cluster how it is left towards the gate (CR_TREE_...).
static inline uint8_t *cr__gate_tree(const CrHierarchy *h, const CrCluster *cluster, uint32_t row) {
  return (uint8_t *)cr__gate_costs(h, cluster, cluster->gate_count) + (size_t)row * cluster->polygon_count;
}
static inline uint8_t *cr__gate_rows(const CrHierarchy *h, const CrCluster *cluster) {
  return cr__gate_tree(h, cluster, cluster->gate_count);
}

// hierarchy_local.c
bool cr__local_init(CrLocal *local, const CrAllocator *allocator);
void cr__local_deinit(CrLocal *local, const CrAllocator *allocator);
void cr__local_begin(CrHierarchy *h, CrPolyRef ref, CrVec3 point, uint32_t cluster, uint32_t group);
void cr__local_add_window(CrHierarchy *h, uint32_t cluster, uint32_t group);
void cr__local_aim(CrHierarchy *h, CrPolyRef ref, CrVec3 point);
// Expands at most `budget` nodes; returns how many. *out_done when the search has ended.
int64_t cr__local_run(const CrNavMeshQuery *query, int64_t budget, bool *out_done);
// Writes the polygons from the source to a node's to h->path; returns how many.
uint32_t cr__local_path(const CrHierarchy *h, uint32_t node);
// After a search without target: cost from the source to a point of a polygon of the group, string-pulled.
double cr__local_cost(const CrNavMeshQuery *query, CrPolyRef ref, CrVec3 point);

// hierarchy_trees.c
// Takes the tree that a search from a gate has found over. False: a polygon has too many links.
bool cr__tree_store(CrNavMeshQuery *query, uint32_t cluster, uint32_t row);
// Writes the polygons from `ref` to the gate's to h->path; returns how many.
uint32_t cr__tree_path(const CrNavMeshQuery *query, uint32_t cluster, uint32_t row, CrPolyRef ref);
// Cost from a point of `ref` to the gate.
double cr__tree_cost(const CrNavMeshQuery *query, uint32_t cluster, uint32_t row, CrPolyRef ref, CrVec3 point);

// hierarchy_route.c
void cr__route_begin(CrNavMeshQuery *query);
// Expands at most `budget` gates; returns how many. The phase tells when it has ended; stops when a row of costs is wanted (h->row_active).
int64_t cr__route_run(CrNavMeshQuery *query, int64_t budget);
// The node of a cluster's first gate, made when the search first comes there. False: a limit is exceeded.
bool cr__route_enter(CrNavMeshQuery *query, uint32_t cluster);
// Begins the search for the costs from a gate, when they are not there. False: they are.
bool cr__route_wants_row(CrNavMeshQuery *query, uint32_t cluster, uint32_t gate);
// The best way to the moved goal. False: none.
bool cr__route_finish_partial(CrNavMeshQuery *query);
void cr__route_list(CrHierarchy *h);

// hierarchy_closest.c. Moves the goal to the closest point reached. False: several points are equally near.
bool cr__closest_reached(CrNavMeshQuery *query);

// hierarchy_refine.c
void cr__refine_begin(CrNavMeshQuery *query);
void cr__refine_next(CrNavMeshQuery *query);  // adds the next leg, or ends the search
void cr__refine_take(CrNavMeshQuery *query);  // takes over what a local search found

#endif
