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

// Polygons entered for the first time in this expansion, over the surface: their nodes are numbered, what they cost comes
// later, for all at once. None depends on another, so the processor works on several at a time.
#define MAX_FRESH 8
typedef struct Fresh {
  CrVec3 a, b;  // of the portal
} Fresh;

typedef struct Expansion {
  CrNavMeshQuery *query;
  const CrQueryFilter *filter;
  const CrTile *tile;
  uint32_t polygon, from;  // node expanded
  CrVec3 position;         // its
  double g;                // its
  double area_cost;        // of the polygon left
  uint32_t first_fresh, fresh_count;
  Fresh fresh[MAX_FRESH];
} Expansion;

CR_ALWAYS_INLINE double target_cost(const Expansion *x, CrPolyRef ref) {
  return x->filter ? x->filter->area_cost[cr__tile_of(x->query->mesh, ref)->areas[cr__ref_polygon(ref)]] : 1.0;
}

// The node of a polygon entered for the first time, or CR_NO_NODE.
static inline uint32_t make_node(const Expansion *x, CrRefSlot *slot, CrPolyRef ref) {
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

// Places a new node where its polygon is entered, the end polygon's at the end. `g` is the cost up to the entry.
CR_ALWAYS_INLINE void place_node(const Expansion *x, CrNode *node, CrVec3 entry, double g) {
  const CrSearch *search = &x->query->search;
  double rest = cr__dist(entry, search->end);
  bool is_end = node->ref == search->end_ref;
  node->position = is_end ? search->end : entry;
  node->g = is_end ? g + rest * target_cost(x, node->ref) : g;
  node->h = is_end ? 0.0 : rest * search->lowest_cost;
}

CR_ALWAYS_INLINE void place_fresh(Expansion *x) {
  CrNodePool *pool = &x->query->pool;
  CrVec3 end = x->query->search.end;
  for (uint32_t i = 0; i < x->fresh_count; i++) {
    CrVec3 entry = cr__nearest_on_portal(x->fresh[i].a, x->fresh[i].b, x->position, end);
    place_node(x, &pool->nodes[x->first_fresh + i], entry, x->g + cr__dist(x->position, entry) * x->area_cost);
  }
  for (uint32_t i = 0; i < x->fresh_count; i++) cr__pool_open(pool, x->first_fresh + i);
  x->fresh_count = 0;
}

CR_ALWAYS_INLINE void add_fresh(Expansion *x, CrWay *way, CrRefSlot *slot) {
  uint32_t index = make_node(x, slot, way->target);
  if (index == CR_NO_NODE) return;
  cr__way_ends(x->tile, x->polygon, way);
  if (x->fresh_count == 0) x->first_fresh = index;
  x->fresh[x->fresh_count++] = (Fresh){way->a, way->b};
  if (x->fresh_count == MAX_FRESH) place_fresh(x);
}

// The cost from the node to the exit of an off-mesh link.
CR_ALWAYS_INLINE double link_cost(const Expansion *x, CrWay *way) {
  cr__way_ends(x->tile, x->polygon, way);
  double across = cr__dist(way->a, way->b) * cr__area_cost(x->filter, x->tile->links[way->link].area);
  return cr__dist(x->position, way->a) * x->area_cost + across;
}

static void add_behind_link(const Expansion *x, CrWay *way, CrRefSlot *slot) {
  double cost = link_cost(x, way);
  uint32_t index = make_node(x, slot, way->target);
  if (index == CR_NO_NODE) return;
  place_node(x, &x->query->pool.nodes[index], way->b, x->g + cost);
  cr__pool_open(&x->query->pool, index);
}

// A lower bound of the step saves most second looks at a node the work of finding the portal.
CR_ALWAYS_INLINE bool cannot_improve(const Expansion *x, const CrWay *way, const CrNode *node, double to_cost) {
  if (x->g >= node->g) return true;
  if (way->kind == CR_WAY_OFF_MESH) return false;
  return x->g + cr__dist(x->position, node->position) * cr__min(x->area_cost, to_cost) >= node->g;
}

CR_ALWAYS_INLINE void reach_again(const Expansion *x, CrWay *way, uint32_t index) {
  CrNodePool *pool = &x->query->pool;
  CrNode *node = &pool->nodes[index];
  double to_cost = target_cost(x, way->target), g = x->g;
  if (cannot_improve(x, way, node, to_cost)) return;
  CrVec3 entry;
  if (way->kind == CR_WAY_OFF_MESH) {
    g += link_cost(x, way);
    entry = way->b;
  } else {
    cr__way_ends(x->tile, x->polygon, way);
    entry = cr__nearest_on_portal(way->a, way->b, x->position, node->position);
    g += cr__dist(x->position, entry) * x->area_cost;
  }
  g += cr__dist(entry, node->position) * to_cost;
  // order: of two equally cheap ways to a polygon the one found first stays
  if (g >= node->g) return;
  node->g = g;
  node->parent = x->from;
  cr__pool_open(pool, index);
}

CR_ALWAYS_INLINE void expand(CrNavMeshQuery *query, uint32_t index, const CrQueryFilter *filter) {
  CrNodePool *pool = &query->pool;
  const CrNode *from = &pool->nodes[index];
  const CrTile *tile = cr__tile_of(query->mesh, from->ref);
  uint32_t polygon = cr__ref_polygon(from->ref);
  Expansion x;
  x.query = query;
  x.filter = filter;
  x.tile = tile;
  x.polygon = polygon;
  x.from = index;
  x.position = from->position;
  x.g = from->g;
  x.area_cost = cr__area_cost(filter, tile->areas[polygon]);
  x.first_fresh = pool->count;
  x.fresh_count = 0;
  CrWayList ways = cr__ways(query->mesh, tile, polygon, filter);
  for (CrWay way; cr__next_way(&ways, &way);) {
    CrRefSlot *slot = cr__table_slot(&pool->table, way.target);
    if (slot->epoch != pool->table.epoch) {
      if (way.kind == CR_WAY_OFF_MESH) {
        place_fresh(&x);
        add_behind_link(&x, &way, slot);
      } else {
        add_fresh(&x, &way, slot);
      }
    } else if (pool->nodes[slot->index].heap_index != CR_NODE_CLOSED) {
      if (x.fresh_count && slot->index >= x.first_fresh) place_fresh(&x);
      reach_again(&x, &way, slot->index);
    }
  }
  place_fresh(&x);
}

// Without a filter every cost is 1 and nothing is asked: a copy of the loop that knows that is worth having.
void cr__expand_polygon_node(CrNavMeshQuery *query, uint32_t node) {
  if (query->search.has_filter) {
    expand(query, node, &query->search.filter);
  } else {
    expand(query, node, NULL);
  }
}
