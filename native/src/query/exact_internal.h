// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the stages of the exact search share: nodes, fans about vertices, the reach of the start.
#ifndef CR_EXACT_INTERNAL_H
#define CR_EXACT_INTERNAL_H

#include "query_internal.h"

// A point or a direction in the horizontal plane.
typedef struct CrPlanar {
  double x, z;
} CrPlanar;

static inline CrPlanar cr__planar(CrVec3 p) { return (CrPlanar){p.x, p.z}; }
static inline CrPlanar cr__planar_sub(CrPlanar a, CrPlanar b) { return (CrPlanar){a.x - b.x, a.z - b.z}; }
// >= 0 when b is left of direction a.
static inline double cr__planar_cross(CrPlanar a, CrPlanar b) { return a.x * b.z - a.z * b.x; }
static inline double cr__planar_dot(CrPlanar a, CrPlanar b) { return a.x * b.x + a.z * b.z; }
static inline double cr__planar_length(CrPlanar a) { return cr__sqrt(a.x * a.x + a.z * a.z); }

// What a node is. A root is a point from which straight lines go out.
typedef enum CrExactKind {
  CR_EXACT_SOURCE = 0,      // root: the start, or the exit of an off-mesh link; lines go everywhere
  CR_EXACT_TURN_LEFT = 1,   // root: a vertex with a wall that lies left of the line that comes to it
  CR_EXACT_TURN_RIGHT = 2,  // the same with the wall on the right
  CR_EXACT_INTERVAL = 3,    // what a root sees of a way into a polygon
  CR_EXACT_STEP = 4,        // a polygon passed in turning about a root; never open
  CR_EXACT_GOAL = 5,        // the end point
  CR_EXACT_DEAD = 6         // a root to which a shorter way was found: its node there takes its place
} CrExactKind;

#define CR_NO_CORNER UINT32_MAX

// 80 bytes. The polygons of the chain of parents, repeats taken out, are the route to a node.
typedef struct CrExactNode {
  CrPolyRef ref;  // polygon entered
  // Interval: the lines that bound it, each through the end of the way (`left_end`, `right_end`: a point, then) or in a
  // direction from the root. Root: `left` is its point, `right` the direction in which it was reached (turns).
  CrPlanar left, right;
  double g;                            // from the start to the root
  double h;                            // from the root to the end through the interval, at least
  uint32_t root;                       // node of the root
  uint32_t parent;                     // CR_NO_NODE for the start
  uint32_t left_corner, right_corner;  // ends: corners of the polygon left, CR_NO_CORNER when they are not known to be
  uint8_t kind;                        // CrExactKind
  bool left_end, right_end;
  bool closed;  // taken
} CrExactNode;

// Whether a fan has a wall, for one corner of one polygon. A direct-mapped cache of what is a function of the mesh and the
// filter's flags, so it may stay from search to search and its state never shows.
typedef struct CrFanEntry {
  uint64_t corner;  // slot << 32 | corner of the tile
  CrPolyRef end;    // see cr__exact_fan
  uint32_t epoch;
} CrFanEntry;

typedef struct CrFanCache {
  CrFanEntry *entries;
  uint32_t size, shift, epoch;
  uint64_t mesh_stamp;  // what the entries are true for
  uint32_t flags;
} CrFanCache;

// Polygons the start leads to, found breadth first beside the search.
typedef struct CrReach {
  CrRefTable met;
  CrPolyRef *queue;
  uint32_t count, next;
  bool complete;   // nothing is left to look at
  bool overflown;  // more polygons than there is room for
  bool found_end;
} CrReach;

typedef enum CrExactPhase {
  CR_EXACT_TO_END = 0,     // to the end asked for
  CR_EXACT_TO_NEAREST = 1  // the end cannot be reached: to the reachable point nearest to it
} CrExactPhase;

struct CrExact {
  CrExactNode *nodes;
  CrHeapEntry *heap;
  uint32_t capacity, count, heap_count;
  CrHeapEntry held;   // the best of the nodes opened last; CR_NO_NODE: none
  CrRefTable roots;   // (fan or polygon, point) -> node
  CrRefTable places;  // polygon -> the first root taken whose lines went into it at its point
  CrRefTable route;   // finish: polygon -> node nearest to the start
  CrFanCache fans;
  CrReach reach;
  CrExactPhase phase;
  CrPolyRef goal_ref;  // where the search goes: polygon and point
  CrPlanar goal;
  CrVec3 nearest;  // CR_EXACT_TO_NEAREST: the goal on the surface
  double goal_f;   // of the best goal node yet
  int64_t iterations;
};

// --- Nodes (exact_nodes.c) ------------------------------------------------------------------------------------------------

void cr__exact_clear(CrExact *exact);
// A node to be filled, or CR_NO_NODE and out_of_nodes when the pool is full.
static inline uint32_t cr__exact_next(CrNavMeshQuery *query) {
  CrExact *exact = query->exact;
  if (exact->count < exact->capacity) return exact->count++;
  query->search.out_of_nodes = true;
  return CR_NO_NODE;
}
static inline uint32_t cr__exact_add(CrNavMeshQuery *query, const CrExactNode *node) {
  uint32_t index = cr__exact_next(query);
  if (index != CR_NO_NODE) query->exact->nodes[index] = *node;
  return index;
}
void cr__exact_open(CrExact *exact, uint32_t node, double f);
// Takes the first open node in the order f, h, polygon, number; CR_NO_NODE when none is open.
uint32_t cr__exact_take(CrExact *exact);
// The place of the root of a kind at a point of a fan (named by a polygon) in the table: its epoch is the table's if there
// is one.
CrRefSlot *cr__exact_root_slot(CrExact *exact, CrExactKind kind, CrPolyRef fan, CrPlanar point);

// --- Fans (exact_fans.c) --------------------------------------------------------------------------------------------------

void cr__exact_fans_refresh(CrNavMeshQuery *query);
// The polygons about a point of the outline of `ref` that are joined there, counter-clockwise up to a wall: the last of them.
// It names the fan. CR_INVALID_REF when they close round the point without a wall. `corner`: that of the polygon at the point,
// or CR_NO_CORNER.
CrPolyRef cr__exact_fan(CrNavMeshQuery *query, CrPolyRef ref, uint32_t corner, CrPlanar point);

// --- Expansion (exact_expand.c) -------------------------------------------------------------------------------------------

void cr__exact_expand(CrNavMeshQuery *query, uint32_t node);

// --- Reach (exact_reach.c) ------------------------------------------------------------------------------------------------

void cr__reach_clear(CrReach *reach);
// Looks at `steps` more polygons.
void cr__reach_grow(CrNavMeshQuery *query, uint32_t steps);
// Of the polygons met the one whose surface comes nearest to the end. order: distance, then reference.
CrPolyRef cr__reach_nearest(const CrNavMeshQuery *query, CrVec3 *out_point);

#endif
