// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The exact search: the shortest walk over the surface, for uniform costs (Polyanya: Cui, Harabor and Grastien 2017,
// "Compromise-free pathfinding on a navigation mesh"). Lengths are horizontal; an off-mesh link costs its 3D length. Ways
// between polygons are those of ways.c, so a funnel through the route found gives exactly that length. (Not where a walk
// turns back at a seam of several storeys: see exact_expand.c.)
//
// A node is a root (a point where lines begin: the start, a vertex where a shortest line may bend, the exit of a link) or an
// interval (what a root sees of a way into a polygon). f is the length to the root and on through the interval straight to the
// end: never too long, and never falling. So a root taken has its shortest length, and is taken once: a shortest line that
// goes on from it bends there for whichever equally short line led to it. That bounds the search: intervals are what
// the roots see, and roots are vertices with a wall and exits of links.
//
// An end that cannot be reached: exact_reach.c finds that out, in small steps once a search is FIRST_LOOK iterations old, and
// names the reachable point nearest to the end; the search begins again, to that point.
#include "exact_internal.h"

#define FIRST_LOOK 256  // iterations before reachability is asked
#define LOOK_STEPS 4    // polygons looked at for each iteration from then on

int32_t cr__exact_unequal_cost(const CrQueryFilter *filter) {
  for (int32_t i = 1; filter && i <= CR_MAX_AREA; i++) {
    if (filter->area_cost[i] != filter->area_cost[0]) return i;
  }
  return -1;
}

// --- Begin ----------------------------------------------------------------------------------------------------------------

static CrPlanar place_in(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 point) {
  const CrTile *tile = cr__tile_of(mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  // The closest point, without its height where that is all there is to find.
  if (cr__polygon_holds(tile, polygon, point.x, point.z, 0.0)) return cr__planar(point);
  return cr__planar(cr__polygon_closest(tile, polygon, point, NULL));
}

static void start_search(CrNavMeshQuery *query, CrPolyRef goal_ref, CrPlanar goal) {
  CrExact *exact = query->exact;
  cr__exact_clear(exact);
  exact->goal_ref = goal_ref;
  exact->goal = goal;
  CrPlanar start = place_in(query->mesh, query->search.start_ref, query->search.start);
  double h = cr__planar_length(cr__planar_sub(goal, start));
  CrExactNode first = {.ref = query->search.start_ref,
                       .left = start,
                       .right = {0.0, 0.0},
                       .h = h,
                       .root = CR_NO_NODE,
                       .parent = CR_NO_NODE,
                       .kind = CR_EXACT_SOURCE};
  cr__exact_open(exact, cr__exact_add(query, &first), h);
  query->search.out_of_nodes = false;
}

CrPathOutcome cr__exact_begin(CrNavMeshQuery *query) {
  CrSearch *search = &query->search;
  CrExact *exact = query->exact;
  cr__exact_fans_refresh(query);
  cr__reach_clear(&exact->reach);
  exact->phase = CR_EXACT_TO_END;
  exact->iterations = 0;
  start_search(query, search->end_ref, place_in(query->mesh, search->end_ref, search->end));
  search->outcome = CR_PATH_IN_PROGRESS;
  if (search->start_ref == search->end_ref) {
    search->goal = 0;
    search->outcome = CR_PATH_SUCCESS;
  }
  return search->outcome;
}

// --- Update ---------------------------------------------------------------------------------------------------------------

// The end is out of reach: once more, to the nearest point that is not.
static void aim_at_nearest(CrNavMeshQuery *query) {
  CrExact *exact = query->exact;
  CrPolyRef ref = cr__reach_nearest(query, &exact->nearest);
  exact->phase = CR_EXACT_TO_NEAREST;
  start_search(query, ref, cr__planar(exact->nearest));
  if (ref != query->search.start_ref) return;
  query->search.goal = 0;
  query->search.outcome = CR_PATH_PARTIAL;
}

static bool is_unreachable(const CrReach *reach) { return reach->complete && !reach->found_end; }

// No node is left.
static void run_dry(CrNavMeshQuery *query) {
  CrExact *exact = query->exact;
  if (exact->phase == CR_EXACT_TO_END) {
    cr__reach_grow(query, UINT32_MAX);
    if (is_unreachable(&exact->reach)) {
      aim_at_nearest(query);
      return;
    }
  }
  query->search.out_of_nodes |= exact->reach.overflown;  // a nearer polygon may be one that was not looked at
  query->search.outcome = CR_PATH_PARTIAL;
}

static void look_round(CrNavMeshQuery *query) {
  CrExact *exact = query->exact;
  if (exact->phase != CR_EXACT_TO_END || exact->iterations < FIRST_LOOK) return;
  cr__reach_grow(query, LOOK_STEPS);
  if (is_unreachable(&exact->reach)) aim_at_nearest(query);
}

static void step(CrNavMeshQuery *query) {
  CrExact *exact = query->exact;
  uint32_t node = cr__exact_take(exact);
  if (node == CR_NO_NODE) {
    run_dry(query);
  } else if (exact->nodes[node].kind == CR_EXACT_GOAL) {
    query->search.goal = node;
    query->search.outcome = exact->phase == CR_EXACT_TO_END ? CR_PATH_SUCCESS : CR_PATH_PARTIAL;
  } else if (exact->nodes[node].kind != CR_EXACT_DEAD) {
    exact->iterations++;
    cr__exact_expand(query, node);
    look_round(query);
  }
}

CrPathOutcome cr__exact_update(CrNavMeshQuery *query, int64_t budget, int64_t *out_expanded) {
  CrSearch *search = &query->search;
  CrExact *exact = query->exact;
  int64_t before = exact->iterations;
  while (search->outcome == CR_PATH_IN_PROGRESS && exact->iterations - before < budget) step(query);
  search->iterations += exact->iterations - before;
  if (out_expanded) *out_expanded = exact->iterations - before;
  return search->outcome;
}

// --- Finish ---------------------------------------------------------------------------------------------------------------

// Notes for each polygon the node with it that is nearest to the start among those from `node` on.
static void note_route(CrExact *exact, uint32_t node) {
  cr__table_clear(&exact->route);
  for (; node != CR_NO_NODE; node = exact->nodes[node].parent) {
    CrPolyRef ref = exact->nodes[node].ref;
    *cr__table_slot(&exact->route, ref) = (CrRefSlot){ref, exact->route.epoch, node};
  }
}

// The node before on the route without repeats: a shortest line that leaves a polygon and comes back has run along its edge.
static uint32_t node_before(CrExact *exact, uint32_t node) {
  uint32_t earliest = cr__table_slot(&exact->route, exact->nodes[node].ref)->index;
  return exact->nodes[earliest].parent;
}

static int32_t write_route(CrExact *exact, uint32_t last, CrPolyRef *path, int32_t capacity) {
  int32_t count = 0;
  note_route(exact, last);
  for (uint32_t node = last; node != CR_NO_NODE; node = node_before(exact, node)) count++;
  int32_t at = count;
  for (uint32_t node = last; node != CR_NO_NODE; node = node_before(exact, node)) {
    if (--at < capacity) path[at] = exact->nodes[node].ref;
  }
  return count;
}

// Of the polygons the search has come to, the one nearest to the end, by the first of its nodes.
// order: distance, then polygon, then number
static uint32_t closest_node(const CrNavMeshQuery *query, CrVec3 *out_point) {
  CrExact *exact = query->exact;
  uint32_t best = CR_NO_NODE;
  double best_distance = DBL_MAX;
  cr__table_clear(&exact->route);
  for (uint32_t i = 0; i < exact->count; i++) {
    CrPolyRef ref = exact->nodes[i].ref;
    CrRefSlot *slot = cr__table_slot(&exact->route, ref);
    if (slot->epoch == exact->route.epoch) continue;
    *slot = (CrRefSlot){ref, exact->route.epoch, i};
    double distance;
    CrVec3 point = cr__polygon_nearest(cr__tile_of(query->mesh, ref), cr__ref_polygon(ref), query->search.end,
                                       best_distance, &distance);
    if (distance > best_distance) continue;
    if (distance == best_distance && ref > exact->nodes[best].ref) continue;
    best = i;
    best_distance = distance;
    *out_point = point;
  }
  return best;
}

CrPathResult cr__exact_finish(CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity) {
  const CrSearch *search = &query->search;
  CrExact *exact = query->exact;
  CrPathResult result = {search->outcome, search->out_of_nodes, false, 0, search->iterations, search->end};
  uint32_t last = search->goal;
  if (last == CR_NO_NODE) {
    last = closest_node(query, &result.end);
  } else if (exact->phase == CR_EXACT_TO_NEAREST) {
    result.end = exact->nearest;
  }
  int32_t count = write_route(exact, last, path, capacity);
  result.truncated = count > capacity;
  result.count = result.truncated ? capacity : count;
  return result;
}
