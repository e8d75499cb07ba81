// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crossing nodes: a node is one way out of a polygon (a portal or an off-mesh link), at the point of the portal nearest, in
// the horizontal plane, to the straight segment from the search's start to its end (an off-mesh link: its exit). The
// points do not depend on how a crossing was reached, so the search is A* on a fixed graph. From crossing to crossing the
// cost is the 3D length through the polygon between them in its area; over an off-mesh link to its entry in the polygon's
// area and across in the link's. Node 0 is the start, node 1 the goal. The ways out of a polygon become nodes once, in
// one row (a "room"), when the first crossing into it is expanded.
#include "query_internal.h"

// Parameter along a -> b of the point nearest to the segment s -> e.
static double nearest_parameter(CrVec3 a, CrVec3 b, CrVec3 s, CrVec3 e) {
  double side_a = cr__cross_xz(s, e, a), side_b = cr__cross_xz(s, e, b);
  double side_s = cr__cross_xz(a, b, s), side_e = cr__cross_xz(a, b, e);
  bool line_cut = (side_a <= 0.0) != (side_b <= 0.0), portal_cut = (side_s <= 0.0) != (side_e <= 0.0);
  if (line_cut && portal_cut) return side_a / (side_a - side_b);
  // No crossing: the distance is least at an end of one of the two. order: start, end, a, b
  double t_s = cr__segment_t_xz(a, b, s), t_e = cr__segment_t_xz(a, b, e);
  double d_s = cr__dist2_xz(cr__lerp(a, b, t_s), s), d_e = cr__dist2_xz(cr__lerp(a, b, t_e), e);
  double d_a = cr__dist2_xz(cr__lerp(s, e, cr__segment_t_xz(s, e, a)), a);
  double d_b = cr__dist2_xz(cr__lerp(s, e, cr__segment_t_xz(s, e, b)), b);
  double best = d_s, t = t_s;
  if (d_e < best) best = d_e, t = t_e;
  if (d_a < best) best = d_a, t = 0.0;
  if (d_b < best) t = 1.0;
  return t;
}

static CrVec3 crossing_point(const CrWay *way, const CrSearch *search) {
  if (way->kind == CR_WAY_OFF_MESH) return way->b;
  return cr__lerp(way->a, way->b, nearest_parameter(way->a, way->b, search->start, search->end));
}

// Makes nodes of all ways out of a polygon. All or none: false when they do not fit in the pool.
static bool fill_room(CrNavMeshQuery *query, uint32_t room_index) {
  CrNodePool *pool = &query->pool;
  CrRoom *room = &pool->rooms[room_index];
  const CrTile *tile = cr__tile_of(query->mesh, room->ref);
  CrWayList ways = cr__ways(query->mesh, tile, cr__ref_polygon(room->ref), cr__search_filter(&query->search));
  room->first = pool->count;
  for (CrWay way; cr__next_way(&ways, &way);) {
    CrVec3 position = crossing_point(&way, &query->search);
    uint32_t index = cr__pool_add(pool, way.target, position);
    if (index == CR_NO_NODE) {
      pool->count = room->first;
      return false;
    }
    CrNode *node = &pool->nodes[index];
    node->h = cr__dist(position, query->search.end) * query->search.lowest_cost;
    node->source = room_index;
    if (way.kind == CR_WAY_OFF_MESH) node->link = way.link;
  }
  room->count = pool->count - room->first;
  return true;
}

// The room of the polygon a node enters, made when it is entered for the first time; null when the pool is full.
static CrRoom *enter_room(CrNavMeshQuery *query, CrNode *node) {
  CrNodePool *pool = &query->pool;
  CrRefSlot *slot = cr__table_slot(&pool->table, node->ref);
  if (slot->epoch == pool->table.epoch) return &pool->rooms[slot->index];
  query->search.out_of_nodes |= pool->room_count == pool->capacity;
  if (pool->room_count == pool->capacity) return NULL;
  const CrTile *tile = cr__tile_of(query->mesh, node->ref);
  uint8_t area = tile->areas[cr__ref_polygon(node->ref)];
  CrRoom *room = &pool->rooms[pool->room_count];
  *room = (CrRoom){node->ref, 0, 0, node->g, node->position, cr__area_cost(cr__search_filter(&query->search), area)};
  if (!fill_room(query, pool->room_count)) {
    query->search.out_of_nodes = true;
    return NULL;
  }
  *slot = (CrRefSlot){node->ref, pool->table.epoch, pool->room_count++};
  return room;
}

static void relax(CrNodePool *pool, uint32_t from, uint32_t index, double g) {
  CrNode *node = &pool->nodes[index];
  // order: of two equally cheap ways to a crossing the one found first stays
  if (node->state == CR_NODE_CLOSED || (node->state == CR_NODE_OPEN && g >= node->g)) return;
  node->g = g;
  node->parent = from;
  cr__pool_open(pool, index);
}

static double exit_cost(const CrNavMeshQuery *query, const CrRoom *room, const CrNode *from, const CrNode *exit) {
  if (exit->link == CR_NO_LINK) return cr__dist(from->position, exit->position) * room->area_cost;
  const CrLink *link = &cr__tile_of(query->mesh, room->ref)->links[exit->link];
  double across = cr__dist(link->a, link->b) * cr__area_cost(cr__search_filter(&query->search), link->area);
  return cr__dist(from->position, link->a) * room->area_cost + across;
}

// Walking inside the polygon from its first entry is at least as cheap as entering here: whatever lies behind has been
// reached as cheaply before. (A polygon is convex, so the straight way between two of its points stays inside.)
static bool is_dominated(const CrRoom *room, const CrNode *node) {
  double inside = room->best_g + cr__dist(room->best_position, node->position) * room->area_cost;
  return inside <= node->g;
}

void cr__expand_crossing_node(CrNavMeshQuery *query, uint32_t from) {
  CrNodePool *pool = &query->pool;
  uint32_t known_rooms = pool->room_count;
  CrRoom *room = enter_room(query, &pool->nodes[from]);
  if (!room) return;
  const CrNode *node = &pool->nodes[from];
  if (room < pool->rooms + known_rooms && is_dominated(room, node)) return;
  if (room->ref == query->search.end_ref) {
    relax(pool, from, CR_GOAL_NODE, node->g + cr__dist(node->position, query->search.end) * room->area_cost);
  }
  for (uint32_t i = room->first; i < room->first + room->count; i++) {
    relax(pool, from, i, node->g + exit_cost(query, room, node, &pool->nodes[i]));
  }
}
