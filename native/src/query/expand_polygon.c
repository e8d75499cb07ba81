// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Polygon nodes: one node a polygon. The start polygon's is at the start point and the end polygon's at the end point; any
// other stands where its polygon was first entered: at the point of that portal nearest, in the horizontal plane, to the
// straight segment from the node before to the end (after an off-mesh link: at its exit). It stays there, so the nodes
// made so far are a fixed graph on which the search is A*. From one node to another the cost is the 3D length in the area
// of the polygon left, to the point of the portal between them nearest to the straight segment between the two, and from
// there in the area of the polygon entered; over an off-mesh link to its entry, across in the link's area, and on.
#include "query_internal.h"

typedef struct Expansion {
  CrNavMeshQuery *query;
  const CrQueryFilter *filter;
  const CrTile *tile;
  uint32_t polygon;
  const CrNode *from;
  double area_cost;  // of the polygon left
  CrPolyRef parent_ref;
} Expansion;

// Where the next polygon is entered, and the cost of getting there.
typedef struct Entry {
  CrVec3 point;
  double cost;
} Entry;

static Entry enter_towards(const Expansion *expansion, CrWay *way, CrVec3 to) {
  CrVec3 from = expansion->from->position;
  cr__way_ends(expansion->tile, expansion->polygon, way);
  if (way->kind == CR_WAY_OFF_MESH) {
    uint8_t area = expansion->tile->links[way->link].area;
    double across = cr__dist(way->a, way->b) * cr__area_cost(expansion->filter, area);
    return (Entry){way->b, cr__dist(from, way->a) * expansion->area_cost + across};
  }
  CrVec3 point = cr__nearest_on_portal(way->a, way->b, from, to);
  return (Entry){point, cr__dist(from, point) * expansion->area_cost};
}

// The node of a polygon entered for the first time; CR_NO_NODE when the pool is full.
static uint32_t make_node(CrNavMeshQuery *query, CrRefSlot *slot, CrPolyRef ref, CrVec3 entry) {
  CrSearch *search = &query->search;
  uint32_t index = cr__pool_add(&query->pool, ref, ref == search->end_ref ? search->end : entry);
  if (index == CR_NO_NODE) {
    search->out_of_nodes = true;
    return index;
  }
  *slot = (CrRefSlot){ref, query->pool.table.epoch, index};
  CrNode *node = &query->pool.nodes[index];
  node->h = cr__dist(node->position, search->end) * search->lowest_cost;
  return index;
}

// A lower bound of the step saves most second looks at a node the work of finding the portal.
static bool cannot_improve(const Expansion *expansion, const CrWay *way, const CrNode *node, double to_cost) {
  if (node->heap_index == CR_NODE_CLOSED) return true;
  if (way->kind == CR_WAY_OFF_MESH) return false;
  double cost = cr__min(expansion->area_cost, to_cost);
  return expansion->from->g + cr__dist(expansion->from->position, node->position) * cost >= node->g;
}

static void relax(const Expansion *expansion, CrWay *way) {
  CrNodePool *pool = &expansion->query->pool;
  if (way->target == expansion->parent_ref) return;  // closed: not worth finding
  CrRefSlot *slot = cr__table_slot(&pool->table, way->target);
  uint32_t index = slot->epoch == pool->table.epoch ? slot->index : CR_NO_NODE;
  const CrTile *tile = cr__tile_of(expansion->query->mesh, way->target);
  double to_cost = cr__area_cost(expansion->filter, tile->areas[cr__ref_polygon(way->target)]);
  bool known = index != CR_NO_NODE;
  if (known && cannot_improve(expansion, way, &pool->nodes[index], to_cost)) return;
  CrVec3 to = known ? pool->nodes[index].position : expansion->query->search.end;
  Entry entry = enter_towards(expansion, way, to);
  if (!known) index = make_node(expansion->query, slot, way->target, entry.point);
  if (index == CR_NO_NODE) return;
  CrNode *node = &pool->nodes[index];
  double g = expansion->from->g + entry.cost + cr__dist(entry.point, node->position) * to_cost;
  // order: of two equally cheap ways to a polygon the one found first stays
  if (known && g >= node->g) return;
  node->g = g;
  node->parent = (uint32_t)(expansion->from - pool->nodes);
  cr__pool_open(pool, index);
}

void cr__expand_polygon_node(CrNavMeshQuery *query, uint32_t index) {
  const CrNode *from = &query->pool.nodes[index];
  const CrTile *tile = cr__tile_of(query->mesh, from->ref);
  uint32_t polygon = cr__ref_polygon(from->ref);
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  CrPolyRef parent = from->parent == CR_NO_NODE ? CR_INVALID_REF : query->pool.nodes[from->parent].ref;
  Expansion expansion = {query, filter, tile, polygon, from, cr__area_cost(filter, tile->areas[polygon]), parent};
  CrWayList ways = cr__ways(query->mesh, tile, polygon, filter);
  for (CrWay way; cr__next_way(&ways, &way);) relax(&expansion, &way);
}
