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
#include "two_lanes.h"

// A polygon entered for the first time in this expansion, over the surface: its node is numbered, what it costs comes later,
// together with the next one's.
typedef struct Fresh {
  uint32_t node;
  const CrVec3 *a, *b;  // the portal's ends
} Fresh;

typedef struct Expansion {
  CrNavMeshQuery *query;
  const CrQueryFilter *filter;
  const CrTile *tile;
  uint32_t polygon, from;  // node expanded
  CrVec3 position;         // its
  double g;                // its
  double area_cost;        // of the polygon left
  bool waiting;
  Fresh fresh;  // while `waiting`
} Expansion;

CR_ALWAYS_INLINE double target_cost(const Expansion *x, CrPolyRef ref) {
  return x->filter ? x->filter->area_cost[cr__tile_of(x->query->mesh, ref)->areas[cr__ref_polygon(ref)]] : 1.0;
}

// The node of a polygon entered for the first time, or CR_NO_NODE.
CR_ALWAYS_INLINE uint32_t make_node(const Expansion *x, CrRefSlot *slot, CrPolyRef ref) {
  CrNodePool *pool = &x->query->pool;
  uint32_t index = cr__pool_add(pool, ref, x->position);
  if (index == CR_NO_NODE) {
    x->query->search.out_of_nodes = true;
    return index;
  }
  *slot = (CrRefSlot){ref, pool->table.epoch, index};
  pool->nodes[index].parent = x->from;
  return index;
}

// Places a new node where its polygon is entered, the end polygon's at the end. `g` is the cost up to the entry, `rest` the
// distance from there to the end.
CR_ALWAYS_INLINE void place_node(const Expansion *x, uint32_t index, CrVec3 entry, double g, double rest) {
  const CrSearch *search = &x->query->search;
  CrNode *node = &x->query->pool.nodes[index];
  node->position = entry;
  node->g = g;
  node->h = rest * search->lowest_cost;
  if (node->ref == search->end_ref) {
    node->position = search->end;
    node->g = g + rest * target_cost(x, node->ref);
    node->h = 0.0;
  }
  cr__pool_open(&x->query->pool, index);
}

// Two at a time, or one twice.
static inline void place_two(const Expansion *x, Fresh p, Fresh q) {
  CrVec3 end = x->query->search.end;
  CrTwoPoints a = cr__two_points(*p.a, *q.a), b = cr__two_points(*p.b, *q.b);
  CrTwoPoints entry = cr__two_nearest_on_portals(a, b, x->position, end);
  CrTwo g = x->g + cr__two_dist(entry, x->position) * x->area_cost, rest = cr__two_dist(entry, end);
  place_node(x, p.node, (CrVec3){entry.x[0], entry.y[0], entry.z[0]}, g[0], rest[0]);
  if (p.node == q.node) return;
  place_node(x, q.node, (CrVec3){entry.x[1], entry.y[1], entry.z[1]}, g[1], rest[1]);
}

static inline void place_waiting(Expansion *x) {
  if (x->waiting) place_two(x, x->fresh, x->fresh);
  x->waiting = false;
}

CR_ALWAYS_INLINE void reach_first(Expansion *x, CrRefSlot *slot, CrPolyRef ref, const CrVec3 *a, const CrVec3 *b) {
  uint32_t index = make_node(x, slot, ref);
  if (index == CR_NO_NODE) return;
  Fresh fresh = {index, a, b};
  if (x->waiting) place_two(x, x->fresh, fresh);
  x->waiting = !x->waiting;
  x->fresh = fresh;
}

static inline void improve(const Expansion *x, uint32_t index, double g) {
  CrNode *node = &x->query->pool.nodes[index];
  // order: of two equally cheap ways to a polygon the one found first stays
  if (g >= node->g) return;
  node->g = g;
  node->parent = x->from;
  cr__pool_open(&x->query->pool, index);
}

CR_ALWAYS_INLINE void reach_again(const Expansion *x, uint32_t index, const CrVec3 *a, const CrVec3 *b) {
  const CrNode *node = &x->query->pool.nodes[index];
  if (x->g >= node->g) return;
  double to_cost = target_cost(x, node->ref);
  // A lower bound of the step saves most second looks at a node the work of finding the portal.
  double least = x->g + cr__dist(x->position, node->position) * cr__min(x->area_cost, to_cost);
  if (least >= node->g) return;
  CrVec3 entry = cr__nearest_on_portal(*a, *b, x->position, node->position);
  improve(x, index, x->g + cr__dist(x->position, entry) * x->area_cost + cr__dist(entry, node->position) * to_cost);
}

// Over the surface.
CR_ALWAYS_INLINE void reach(Expansion *x, CrPolyRef ref, const CrVec3 *a, const CrVec3 *b) {
  CrNodePool *pool = &x->query->pool;
  CrRefSlot *slot = cr__table_slot(&pool->table, ref);
  if (slot->epoch != pool->table.epoch) {
    reach_first(x, slot, ref, a, b);
  } else if (pool->nodes[slot->index].heap_index != CR_NODE_CLOSED) {
    if (x->waiting && x->fresh.node == slot->index) place_waiting(x);
    reach_again(x, slot->index, a, b);
  }
}

static void reach_behind_link(const Expansion *x, const CrWay *way) {
  CrNodePool *pool = &x->query->pool;
  CrRefSlot *slot = cr__table_slot(&pool->table, way->target);
  double across = cr__dist(way->a, way->b) * cr__area_cost(x->filter, x->tile->links[way->link].area);
  double g = x->g + (cr__dist(x->position, way->a) * x->area_cost + across);
  if (slot->epoch != pool->table.epoch) {
    uint32_t index = make_node(x, slot, way->target);
    if (index != CR_NO_NODE) place_node(x, index, way->b, g, cr__dist(way->b, x->query->search.end));
  } else if (pool->nodes[slot->index].heap_index != CR_NODE_CLOSED) {
    improve(x, slot->index, g + cr__dist(way->b, pool->nodes[slot->index].position) * target_cost(x, way->target));
  }
}

// Over several portals that are one way.
static void reach_wide(Expansion *x, uint32_t link) {
  CrWay way = {.kind = CR_WAY_PORTAL, .link = link, .target = x->tile->links[link].target};
  cr__link_ends(x->tile, x->polygon, &way);
  reach(x, way.target, &way.a, &way.b);
  place_waiting(x);
}

CR_ALWAYS_INLINE void cross_edges(Expansion *x) {
  const CrTile *tile = x->tile;
  CrPolyRef tile_ref = cr__tile_ref(x->query->mesh, tile, 0);
  uint32_t first = tile->polygon_first[x->polygon], end = tile->polygon_first[x->polygon + 1];
  const uint32_t *corners = tile->corner_vertex + first;
  for (uint32_t c = first; c < end; c++) {
    uint32_t packed = tile->edge_ways[c];
    if (packed == CR_NO_EDGE_WAY) break;
    uint32_t neighbour = cr__edge_way_polygon(packed);
    if (!cr__accepts_polygon(x->filter, tile, neighbour)) continue;
    reach(x, tile_ref | neighbour, &tile->vertices[corners[cr__edge_way_edge(packed)]],
          &tile->vertices[corners[cr__edge_way_end(packed)]]);
  }
}

CR_ALWAYS_INLINE void cross_portals(Expansion *x) {
  const CrTile *tile = x->tile;
  uint32_t end = tile->link_first[x->polygon + 1];
  for (uint32_t i = tile->link_first[x->polygon]; i < end && tile->links[i].edge != CR_LINK_NO_EDGE; i++) {
    const CrLink *link = &tile->links[i];
    if (link->part == CR_LINK_LATER) continue;
    if (x->filter) {
      const CrTile *behind = cr__tile_of(x->query->mesh, link->target);
      if (!cr__accepts_polygon(x->filter, behind, cr__ref_polygon(link->target))) continue;
    }
    if (link->part == CR_LINK_ALONE) {
      reach(x, link->target, &link->a, &link->b);
    } else {
      reach_wide(x, i);
    }
  }
}

CR_ALWAYS_INLINE void cross_off_mesh(Expansion *x) {
  CrWayList ways = cr__off_mesh_ways(x->query->mesh, x->tile, x->polygon, x->filter);
  for (CrWay way; ways.link < ways.link_end && cr__next_way(&ways, &way);) {
    cr__way_ends(x->tile, x->polygon, &way);
    reach_behind_link(x, &way);
  }
}

CR_ALWAYS_INLINE void expand(CrNavMeshQuery *query, uint32_t index, const CrQueryFilter *filter) {
  const CrNode *from = &query->pool.nodes[index];
  const CrTile *tile = cr__tile_of(query->mesh, from->ref);
  uint32_t polygon = cr__ref_polygon(from->ref);
  Expansion x = {.query = query,
                 .filter = filter,
                 .tile = tile,
                 .polygon = polygon,
                 .from = index,
                 .position = from->position,
                 .g = from->g,
                 .area_cost = cr__area_cost(filter, tile->areas[polygon])};
  cross_edges(&x);
  cross_portals(&x);
  place_waiting(&x);
  cross_off_mesh(&x);
}

// Without a filter every cost is 1 and nothing is asked: a copy of the loop that knows that is worth having.
void cr__expand_polygon_node(CrNavMeshQuery *query, uint32_t node) {
  if (query->search.has_filter) {
    expand(query, node, &query->search.filter);
  } else {
    expand(query, node, NULL);
  }
}
