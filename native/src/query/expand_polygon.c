// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Polygon nodes: one node a polygon, at the mean of its vertices (the first at the start point, the last at the end point).
// From one to the next the cost is the 3D length to the middle of the portal between them in the area of the first, and
// on from there in the area of the second; over an off-mesh link to its entry, across in the link's area, and on from its
// exit. The costs of a step depend on its two polygons only, so the search is A* on a fixed graph.
#include "query_internal.h"

typedef struct Expansion {
  CrNavMeshQuery *query;
  const CrQueryFilter *filter;
  uint32_t from;
  double area_cost;  // of the polygon left
} Expansion;

static double step_cost(const Expansion *expansion, const CrWay *way, const CrTile *left_tile, CrVec3 from, CrVec3 to,
                        double to_cost) {
  if (way->kind == CR_WAY_OFF_MESH) {
    const CrLink *link = &left_tile->links[way->link];
    double across = cr__dist(link->a, link->b) * cr__area_cost(expansion->filter, link->area);
    return cr__dist(from, link->a) * expansion->area_cost + across + cr__dist(link->b, to) * to_cost;
  }
  CrVec3 middle = cr__scale(cr__add(way->a, way->b), 0.5);
  return cr__dist(from, middle) * expansion->area_cost + cr__dist(middle, to) * to_cost;
}

// The node of a polygon, made when it is met for the first time; CR_NO_NODE when the pool is full.
static uint32_t node_of(CrNavMeshQuery *query, CrPolyRef ref, const CrTile *tile) {
  CrRefSlot *slot = cr__table_slot(&query->pool.table, ref);
  if (slot->epoch == query->pool.table.epoch) return slot->index;
  CrSearch *search = &query->search;
  CrVec3 position = ref == search->end_ref ? search->end : cr__polygon_center(tile, cr__ref_polygon(ref));
  uint32_t node = cr__pool_add(&query->pool, ref, position);
  if (node == CR_NO_NODE) {
    search->out_of_nodes = true;
    return node;
  }
  *slot = (CrRefSlot){ref, query->pool.table.epoch, node};
  query->pool.nodes[node].h = cr__dist(position, search->end) * search->lowest_cost;
  return node;
}

static void relax(const Expansion *expansion, const CrWay *way, const CrTile *left_tile) {
  CrNodePool *pool = &expansion->query->pool;
  const CrTile *tile = cr__tile_of(expansion->query->mesh, way->target);
  uint32_t index = node_of(expansion->query, way->target, tile);
  if (index == CR_NO_NODE || pool->nodes[index].state == CR_NODE_CLOSED) return;
  CrNode *node = &pool->nodes[index];
  const CrNode *from = &pool->nodes[expansion->from];
  double to_cost = cr__area_cost(expansion->filter, tile->areas[cr__ref_polygon(way->target)]);
  double g = from->g + step_cost(expansion, way, left_tile, from->position, node->position, to_cost);
  // order: of two equally cheap ways to a polygon the one found first stays
  if (node->state == CR_NODE_OPEN && g >= node->g) return;
  node->g = g;
  node->parent = expansion->from;
  cr__pool_open(pool, index);
}

void cr__expand_polygon_node(CrNavMeshQuery *query, uint32_t from) {
  CrPolyRef ref = query->pool.nodes[from].ref;
  const CrTile *tile = cr__tile_of(query->mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  Expansion expansion = {query, filter, from, cr__area_cost(filter, tile->areas[polygon])};
  CrWayList ways = cr__ways(query->mesh, tile, polygon, filter);
  for (CrWay way; cr__next_way(&ways, &way);) relax(&expansion, &way, tile);
}
