// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crossing nodes: a node is one way out of a polygon (a portal or an off-mesh link). The ways out of a polygon become nodes
// once, in one row (a "room"), when the first crossing into it is expanded: each at the point of its portal nearest, in
// the horizontal plane, to the straight segment from that first crossing to the end (an off-mesh link: at its exit). They
// stay there, so the nodes made so far are a fixed graph on which the search is A*. From crossing to crossing the cost is
// the 3D length through the polygon between them in its area; over an off-mesh link to its entry in the polygon's area and
// across in the link's. Besides, the straight way from the first crossing into a room past its own first way on to the
// crossings behind that is a step of its own where it passes that portal and both polygons cost the same: else a route is
// as long as its zigzag, and of two ways round an obstacle the longer one may be taken. Node 0 is the start, node 1 the goal.
#include "query_internal.h"

static CrVec3 crossing_point(const CrWay *way, CrVec3 from, CrVec3 to) {
  return way->kind == CR_WAY_OFF_MESH ? way->b : cr__nearest_on_portal(way->a, way->b, from, to);
}

// Makes nodes of all ways out of a polygon. All or none: false when they do not fit in the pool.
static bool fill_room(CrNavMeshQuery *query, uint32_t room_index) {
  CrNodePool *pool = &query->pool;
  CrRoom *room = &pool->rooms[room_index];
  const CrTile *tile = cr__tile_of(query->mesh, room->ref);
  CrWayList ways = cr__ways(query->mesh, tile, cr__ref_polygon(room->ref), cr__search_filter(&query->search));
  room->first = pool->count;
  for (CrWay way; cr__next_way(&ways, &way);) {
    cr__way_ends(tile, cr__ref_polygon(room->ref), &way);
    CrVec3 position = crossing_point(&way, room->first_position, query->search.end);
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
  *room = (CrRoom){.ref = node->ref,
                   .entry = (uint32_t)(node - pool->nodes),
                   .first_g = node->g,
                   .first_position = node->position,
                   .area_cost = cr__area_cost(cr__search_filter(&query->search), area)};
  if (!fill_room(query, pool->room_count)) {
    query->search.out_of_nodes = true;
    return NULL;
  }
  *slot = (CrRefSlot){node->ref, pool->table.epoch, pool->room_count++};
  return room;
}

static double exit_cost(const CrNavMeshQuery *query, const CrRoom *room, const CrNode *from, const CrNode *exit) {
  if (exit->link == CR_NO_LINK) return cr__dist(from->position, exit->position) * room->area_cost;
  const CrLink *link = &cr__tile_of(query->mesh, room->ref)->links[exit->link];
  double across = cr__dist(link->a, link->b) * cr__area_cost(cr__search_filter(&query->search), link->area);
  return cr__dist(from->position, link->a) * room->area_cost + across;
}

// Walking inside the polygon from its first entry is at least as cheap as entering it at `position` for g: whatever lies
// behind has been reached as cheaply before. (A polygon is convex: the straight way between two of its points stays inside.)
static bool is_dominated(const CrRoom *room, CrVec3 position, double g) {
  return room->first_g + cr__dist(room->first_position, position) * room->area_cost <= g;
}

// The room a node leads into, when the polygon has been entered before.
static const CrRoom *room_behind(CrNodePool *pool, const CrNode *node) {
  const CrRefSlot *slot = cr__table_slot(&pool->table, node->ref);
  return slot->epoch == pool->table.epoch ? &pool->rooms[slot->index] : NULL;
}

// order: of two equally cheap ways to a crossing the one found first stays
static void relax(CrNodePool *pool, uint32_t from, uint32_t index, double g, bool is_goal) {
  CrNode *node = &pool->nodes[index];
  if (node->heap_index == CR_NODE_CLOSED || (cr__node_is_open(node) && g >= node->g)) return;
  const CrRoom *behind = is_goal ? NULL : room_behind(pool, node);
  if (behind && is_dominated(behind, node->position, g)) return;
  node->g = g;
  node->parent = from;
  cr__pool_open(pool, index);
}

// --- Straight on through two rooms ----------------------------------------------------------------------------------------

// What lies behind a room's first crossing: the room that was left by it.
typedef struct Behind {
  const CrRoom *room;
  CrVec3 a, b;      // the portal between
  double crossing;  // f of the crossing
} Behind;

static bool look_behind(const CrNavMeshQuery *query, const CrRoom *room, Behind *behind) {
  const CrNodePool *pool = &query->pool;
  const CrNode *entry = &pool->nodes[room->entry];
  if (entry->source == CR_NO_NODE || entry->link != CR_NO_LINK) return false;
  const CrRoom *left = &pool->rooms[entry->source];
  if (left->area_cost != room->area_cost) return false;
  CrWay way = cr__way_between(query->mesh, cr__tile_of(query->mesh, left->ref), cr__ref_polygon(left->ref), room->ref,
                              cr__search_filter(&query->search));
  *behind = (Behind){left, way.a, way.b, entry->g + entry->h};
  return true;
}

// The cost from the first crossing into the room behind straight to a point of this room; DBL_MAX when that does not pass the
// portal between.
static double straight_cost(const Behind *behind, const CrRoom *room, CrVec3 to) {
  CrVec3 from = behind->room->first_position;
  double side_a = cr__cross_xz(from, to, behind->a), side_b = cr__cross_xz(from, to, behind->b);
  if (side_a > 0.0 || side_b < 0.0 || !(side_a < side_b)) return DBL_MAX;
  CrVec3 at = cr__lerp(behind->a, behind->b, side_a / (side_a - side_b));
  return (cr__dist(from, at) + cr__dist(at, to)) * room->area_cost;
}

// Such a step is known only when the crossing it passes is expanded. It counts as no cheaper than lets nodes be taken by
// rising f, so that a node taken stays final.
static void relax_straight(CrNodePool *pool, const Behind *behind, const CrRoom *room, uint32_t index, bool is_goal) {
  const CrNode *node = &pool->nodes[index];
  double cost = straight_cost(behind, room, node->position);
  if (cost == DBL_MAX) return;
  double g = cr__max(behind->room->first_g + cost, behind->crossing - node->h);
  relax(pool, behind->room->entry, index, g, is_goal);
}

static void go_straight_on(CrNavMeshQuery *query, const CrRoom *room) {
  CrNodePool *pool = &query->pool;
  Behind behind;
  if (!look_behind(query, room, &behind)) return;
  if (room->ref == query->search.end_ref) relax_straight(pool, &behind, room, CR_GOAL_NODE, true);
  for (uint32_t i = room->first; i < room->first + room->count; i++) {
    if (pool->nodes[i].link == CR_NO_LINK) relax_straight(pool, &behind, room, i, false);
  }
}

void cr__expand_crossing_node(CrNavMeshQuery *query, uint32_t from) {
  CrNodePool *pool = &query->pool;
  uint32_t known_rooms = pool->room_count;
  CrRoom *room = enter_room(query, &pool->nodes[from]);
  if (!room) return;
  const CrNode *node = &pool->nodes[from];
  if (room < pool->rooms + known_rooms && is_dominated(room, node->position, node->g)) return;
  if (room->ref == query->search.end_ref) {
    double inside = cr__dist(node->position, query->search.end) * room->area_cost;
    relax(pool, from, CR_GOAL_NODE, node->g + inside, true);
  }
  for (uint32_t i = room->first; i < room->first + room->count; i++) {
    relax(pool, from, i, node->g + exit_cost(query, room, node, &pool->nodes[i]), false);
  }
  if (room >= pool->rooms + known_rooms) go_straight_on(query, room);
}
