// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A* over the mesh, in slices: begin, update by a number of expansions, finish. What a node is and how it is expanded is
// in expand_polygon.c and expand_crossing.c. The heuristic is the straight distance times the lowest area cost; every leg
// costs at least that, so it is consistent and a closed node is final. Slices only pause the loop: any slicing gives the
// same nodes. Hart, Nilsson and Raphael 1968.
#include "query_internal.h"

// The least area cost; 0 when some cost is not finite and above 0.
static double lowest_cost(const CrQueryFilter *filter) {
  if (!filter) return 1.0;
  double lowest = filter->area_cost[0];
  for (int i = 0; i <= CR_MAX_AREA; i++) {
    double cost = filter->area_cost[i];
    if (!(cost > 0.0) || !cr__is_finite(cost)) return 0.0;
    lowest = cr__min(lowest, cost);
  }
  return lowest;
}

static bool is_usable(const CrNavMesh *mesh, CrPolyRef ref, const CrQueryFilter *filter) {
  const CrTile *tile = cr__resolve(mesh, ref);
  return tile && cr__accepts_polygon(filter, tile, cr__ref_polygon(ref));
}

// Writes over the search only what does not depend on the ends being usable.
static void reset_search(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref, CrVec3 end,
                         const CrQueryFilter *filter) {
  CrSearch *search = &query->search;
  search->outcome = CR_PATH_FAILED;
  search->out_of_nodes = search->out_of_memory = false;
  search->start_ref = start_ref;
  search->end_ref = end_ref;
  search->start = start;
  search->end = end;
  search->has_filter = filter != NULL;
  if (filter) search->filter = *filter;
  search->lowest_cost = lowest_cost(filter);
  search->mesh_stamp = query->mesh->stamp;
  search->number++;
  search->iterations = 0;
  search->goal = CR_NO_NODE;
  if (query->hierarchy) cr__hierarchy_reset(query->hierarchy);
}

void cr__plain_begin(CrNavMeshQuery *query) {
  CrSearch *search = &query->search;
  CrNodePool *pool = &query->pool;
  cr__pool_clear(pool);
  search->outcome = CR_PATH_IN_PROGRESS;
  uint32_t first = cr__pool_add(pool, search->start_ref, search->start);
  if (search->start_ref == search->end_ref) {
    search->goal = first;
    search->outcome = CR_PATH_SUCCESS;
    return;
  }
  if (pool->crossing) {
    cr__pool_add(pool, search->end_ref, search->end);
  } else {
    CrRefSlot *slot = cr__table_slot(&pool->table, search->start_ref);
    *slot = (CrRefSlot){search->start_ref, pool->table.epoch, first};
  }
  pool->nodes[first].h = cr__dist(search->start, search->end) * search->lowest_cost;
  cr__pool_open(pool, first);
}

CrPathOutcome cr_query_begin_path(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 start, CrPolyRef end_ref,
                                  CrVec3 end, const CrQueryFilter *filter) {
  CrSearch *search = &query->search;
  reset_search(query, start_ref, start, end_ref, end, filter);
  if (!(search->lowest_cost > 0.0)) return search->outcome;
  if (cr__check_point(NULL, start, NULL) || cr__check_point(NULL, end, NULL)) return search->outcome;
  if (!is_usable(query->mesh, start_ref, filter) || !is_usable(query->mesh, end_ref, filter)) return search->outcome;
  if (query->exact) {
    return cr__exact_unequal_cost(filter) < 0 ? cr__exact_begin(query) : search->outcome;
  }
  if (!query->hierarchy || start_ref == end_ref) {
    cr__plain_begin(query);
  } else if (cr__hierarchy_begin(query)) {
    search->outcome = CR_PATH_IN_PROGRESS;
  } else {
    search->out_of_memory = true;
  }
  return search->outcome;
}

static bool is_goal(const CrNavMeshQuery *query, uint32_t node) {
  if (query->pool.crossing) return node == CR_GOAL_NODE;
  return query->pool.nodes[node].ref == query->search.end_ref;
}

// An edit of the mesh since the beginning ends the search: its nodes may name polygons that are gone.
static bool is_outdated(const CrNavMeshQuery *query) { return query->search.mesh_stamp != query->mesh->stamp; }

int64_t cr__plain_update(CrNavMeshQuery *query, int64_t budget) {
  CrSearch *search = &query->search;
  int64_t expanded = 0;
  while (search->outcome == CR_PATH_IN_PROGRESS && expanded < budget) {
    uint32_t node = cr__pool_take(&query->pool);
    if (node == CR_NO_NODE) {
      search->outcome = CR_PATH_PARTIAL;
    } else if (is_goal(query, node)) {
      search->goal = node;
      search->outcome = CR_PATH_SUCCESS;
    } else {
      expanded++;
      if (query->pool.crossing) {
        cr__expand_crossing_node(query, node);
      } else {
        cr__expand_polygon_node(query, node);
      }
    }
  }
  search->iterations += expanded;
  return expanded;
}

CrPathOutcome cr_query_update_path(CrNavMeshQuery *query, int64_t budget, int64_t *out_expanded) {
  CrSearch *search = &query->search;
  if (is_outdated(query)) search->outcome = CR_PATH_FAILED;
  if (query->exact) return cr__exact_update(query, budget, out_expanded);
  int64_t expanded = query->hierarchy ? cr__hierarchy_update(query, budget) : cr__plain_update(query, budget);
  if (out_expanded) *out_expanded = expanded;
  return search->outcome;
}

// The reached node whose surface comes closest to the end, and that point. Costly, so only for searches without a goal.
// order: distance, then cost, then polygon, then the pool's order (a function of the search).
static uint32_t closest_node(const CrNavMeshQuery *query, CrVec3 *out_point) {
  const CrNodePool *pool = &query->pool;
  uint32_t best = CR_NO_NODE;
  double best_distance = 1e300;
  for (uint32_t i = 0; i < pool->count; i++) {
    const CrNode *node = &pool->nodes[i];
    if (node->heap_index == CR_NODE_NEW) continue;
    const CrTile *tile = cr__tile_of(query->mesh, node->ref);
    double distance;
    CrVec3 point = cr__polygon_nearest(tile, cr__ref_polygon(node->ref), query->search.end, best_distance, &distance);
    if (best != CR_NO_NODE) {
      const CrNode *other = &pool->nodes[best];
      if (distance > best_distance) continue;
      if (distance == best_distance && node->g > other->g) continue;
      if (distance == best_distance && node->g == other->g && node->ref >= other->ref) continue;
    }
    best = i;
    best_distance = distance;
    *out_point = point;
  }
  return best;
}

// The polygon a node's way goes through, when neither the node nor its parent enters it: a crossing node's parent may be two
// rooms back. The goal enters none. CR_INVALID_REF: there is none.
static CrPolyRef passed_between(const CrNodePool *pool, uint32_t index) {
  const CrNode *node = &pool->nodes[index];
  if (!pool->crossing || node->parent == CR_NO_NODE) return CR_INVALID_REF;
  CrPolyRef room = index == CR_GOAL_NODE ? node->ref : pool->rooms[node->source].ref;
  return pool->nodes[node->parent].ref == room ? CR_INVALID_REF : room;
}

// The polygons from the last to the start: writes those from place `at - 1` down that fit; returns how many there are.
static int32_t write_backwards(const CrNodePool *pool, uint32_t last, int32_t at, CrPolyRef *path, int32_t capacity) {
  int32_t count = 0;
  for (uint32_t node = last; node != CR_NO_NODE; node = pool->nodes[node].parent) {
    bool enters = !pool->crossing || node != CR_GOAL_NODE;
    const CrPolyRef refs[2] = {enters ? pool->nodes[node].ref : CR_INVALID_REF, passed_between(pool, node)};
    for (int i = 0; i < 2; i++) {
      if (!refs[i]) continue;
      count++;
      if (at - count >= 0 && at - count < capacity) path[at - count] = refs[i];
    }
  }
  return count;
}

// Writes the polygons from the start to `last`; returns how many there are.
static int32_t write_route(const CrNodePool *pool, uint32_t last, CrPolyRef *path, int32_t capacity) {
  int32_t count = write_backwards(pool, last, 0, path, 0);
  return write_backwards(pool, last, count, path, capacity);
}

CrPathResult cr_query_finish_path(CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity) {
  CrSearch *search = &query->search;
  if (is_outdated(query)) search->outcome = CR_PATH_FAILED;
  CrPathResult result = {search->outcome, search->out_of_nodes, false, 0, search->iterations, search->end};
  if (search->outcome == CR_PATH_FAILED) return result;
  if (query->exact) return cr__exact_finish(query, path, capacity);
  if (query->hierarchy && !cr__hierarchy_is_plain(query->hierarchy)) {
    return cr__hierarchy_finish(query, path, capacity);
  }
  uint32_t last = search->goal;
  if (last == CR_NO_NODE) {
    last = closest_node(query, &result.end);
  }
  int32_t count = write_route(&query->pool, last, path, capacity);
  result.truncated = count > capacity;
  result.count = result.truncated ? capacity : count;
  return result;
}
