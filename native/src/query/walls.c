// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walls around a point: a breadth-first search over the polygons whose shared portal comes within the circle, and the
// pieces of their edges behind which there is no accepted polygon. Border edges may be covered in part by portals; what is
// left between the covered parts is wall. One function lists the pieces of an edge for the search and for naming a piece
// later, so both give the same bits. The nearest wall alone needs no more of the surface than a circle as large as its distance.
#include "query_internal.h"

// --- Pieces of one edge ---------------------------------------------------------------------------------------------------

static bool accepts_target(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrLink *link) {
  return cr__accepts_polygon(filter, cr__tile_of(mesh, link->target), cr__ref_polygon(link->target));
}

static bool link_accepted(const CrEdgeWalls *walls, const CrLink *link) {
  return accepts_target(walls->mesh, walls->filter, link);
}

// Distance along the edge.
static double along(const CrEdgeWalls *walls, CrVec3 p) {
  double dx = walls->b.x - walls->a.x, dz = walls->b.z - walls->a.z;
  return ((p.x - walls->a.x) * dx + (p.z - walls->a.z) * dz) / walls->length;
}

static bool is_open(const CrTile *tile, uint32_t neighbour, const CrQueryFilter *filter) {
  return cr__is_neighbour_polygon(neighbour) && cr__accepts_polygon(filter, tile, neighbour);
}

// The first of the polygon's links that is not of an edge before this one; its portals are those from there on that are of it.
static uint32_t first_link(const CrTile *tile, uint32_t polygon, uint32_t edge) {
  uint32_t at = tile->link_first[polygon], end = tile->link_first[polygon + 1];
  while (at < end && tile->links[at].edge < edge) at++;
  return at;
}

CrEdgeWalls cr__edge_walls(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, uint32_t edge,
                           const CrQueryFilter *filter) {
  CrEdgeWalls walls = {mesh, tile, filter, 0, 0, {0, 0, 0}, {0, 0, 0}, 0.0, 0.0, {0, 0, 0}};
  cr__polygon_edge(tile, polygon, edge, &walls.a, &walls.b);
  walls.length = cr__dist_xz(walls.a, walls.b);
  walls.cursor_point = walls.a;
  uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + edge];
  if (is_open(tile, neighbour, filter)) walls.cursor = walls.length;
  if (!cr__is_border(neighbour)) return walls;
  uint32_t at = first_link(tile, polygon, edge), end = tile->link_first[polygon + 1];
  walls.first_link = at;
  while (at < end && tile->links[at].edge == edge) at++;
  walls.end_link = at;
  return walls;
}

// Moves the cursor past every accepted portal that covers it.
static void skip_covered(CrEdgeWalls *walls) {
  for (bool moved = true; moved;) {
    moved = false;
    for (uint32_t i = walls->first_link; i < walls->end_link; i++) {
      const CrLink *link = &walls->tile->links[i];
      double high = along(walls, link->b);
      if (high <= walls->cursor || along(walls, link->a) > walls->cursor + CR_PORTAL_EPSILON) continue;
      if (!link_accepted(walls, link)) continue;
      walls->cursor = high;
      walls->cursor_point = link->b;
      moved = true;
    }
  }
}

// The accepted portal that begins first behind the cursor. order: where it begins, then table order.
static const CrLink *next_link(const CrEdgeWalls *walls) {
  const CrLink *next = NULL;
  double next_low = 0.0;
  for (uint32_t i = walls->first_link; i < walls->end_link; i++) {
    const CrLink *link = &walls->tile->links[i];
    double low = along(walls, link->a);
    if (low <= walls->cursor || (next && low >= next_low) || !link_accepted(walls, link)) continue;
    next = link;
    next_low = low;
  }
  return next;
}

bool cr__next_edge_wall(CrEdgeWalls *walls, CrVec3 *out_a, CrVec3 *out_b) {
  skip_covered(walls);
  if (walls->cursor >= walls->length - CR_PORTAL_EPSILON) return false;
  const CrLink *link = next_link(walls);
  *out_a = walls->cursor_point;
  *out_b = link ? link->a : walls->b;
  walls->cursor = link ? along(walls, link->a) : walls->length;
  walls->cursor_point = *out_b;
  return true;
}

CrStatus cr_query_wall_piece(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, uint8_t edge,
                             uint8_t part, CrVec3 *out_a, CrVec3 *out_b) {
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return CR_STATUS_STALE_REF;
  uint32_t polygon = cr__ref_polygon(ref);
  if (edge >= cr__polygon_vertex_count(tile, polygon)) return CR_STATUS_NOT_FOUND;
  CrEdgeWalls walls = cr__edge_walls(mesh, tile, polygon, edge, filter);
  CrVec3 a, b;
  for (uint32_t k = 0; cr__next_edge_wall(&walls, &a, &b); k++) {
    if (k < part) continue;
    *out_a = a;
    *out_b = b;
    return CR_STATUS_OK;
  }
  return CR_STATUS_NOT_FOUND;
}

// --- Around a point -------------------------------------------------------------------------------------------------------

typedef struct WallSearch {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  CrVec3 center;
  double radius;
  CrCircle *circle;
  CrWallPiece *pieces;  // a max-heap until the end: the farthest piece kept is first
  int32_t count, capacity;
} WallSearch;

// order: distance, polygon, edge, part
static bool nearer(const CrWallPiece *a, const CrWallPiece *b) {
  if (a->distance != b->distance) return a->distance < b->distance;
  if (a->ref != b->ref) return a->ref < b->ref;
  if (a->edge != b->edge) return a->edge < b->edge;
  return a->part < b->part;
}

static void sink(CrWallPiece *pieces, int32_t count, CrWallPiece piece) {
  int32_t at = 0;
  for (int32_t child = 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && nearer(&pieces[child], &pieces[child + 1])) child++;
    if (!nearer(&piece, &pieces[child])) break;
    pieces[at] = pieces[child];
    at = child;
  }
  pieces[at] = piece;
}

static void keep_piece(WallSearch *search, CrWallPiece piece) {
  if (search->count == search->capacity) {
    if (search->count && nearer(&piece, &search->pieces[0])) sink(search->pieces, search->count, piece);
    return;
  }
  int32_t at = search->count++;
  while (at > 0 && nearer(&search->pieces[(at - 1) / 2], &piece)) {
    search->pieces[at] = search->pieces[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  search->pieces[at] = piece;
}

static void sort_pieces(WallSearch *search) {
  for (int32_t last = search->count - 1; last > 0; last--) {
    CrWallPiece farthest = search->pieces[0];
    sink(search->pieces, last, search->pieces[last]);
    search->pieces[last] = farthest;
  }
}

static void search_border(WallSearch *search, const CrEdgeWalls *walls) {
  for (uint32_t i = walls->first_link; i < walls->end_link; i++) {
    const CrLink *link = &walls->tile->links[i];
    if (!link_accepted(walls, link)) continue;
    if (cr__segment_distance_xz(link->a, link->b, search->center) > search->radius) continue;
    cr__circle_queue(search->circle, link->target);
  }
}

// The accepted portal that is an edge's only one and as long as the edge a -> b: it leaves no wall. Null when there is
// none.
static const CrLink *whole_portal(const WallSearch *search, const CrTile *tile, uint32_t polygon, uint32_t edge,
                                  CrVec3 a, CrVec3 b) {
  uint32_t at = first_link(tile, polygon, edge), end = tile->link_first[polygon + 1];
  if (at == end || tile->links[at].edge != edge || (at + 1 < end && tile->links[at + 1].edge == edge)) return NULL;
  const CrLink *link = &tile->links[at];
  if (link->a.x != a.x || link->a.z != a.z || link->b.x != b.x || link->b.z != b.z) return NULL;
  return accepts_target(search->mesh, search->filter, link) ? link : NULL;
}

// `neighbour` is what lies behind the edge a -> b.
static inline void search_edge(WallSearch *search, const CrTile *tile, CrPolyRef ref, uint32_t edge, CrVec3 a, CrVec3 b,
                               uint32_t neighbour) {
  double distance = cr__segment_distance_xz(a, b, search->center);
  if (distance > search->radius) return;
  if (is_open(tile, neighbour, search->filter)) {
    cr__circle_queue(search->circle, cr__tile_ref(search->mesh, tile, neighbour));
    return;
  }
  if (!cr__is_border(neighbour)) {
    // Where no portals are, the piece is the edge.
    if (cr__dist_xz(a, b) > CR_PORTAL_EPSILON) keep_piece(search, (CrWallPiece){ref, (uint8_t)edge, 0, a, b, distance});
    return;
  }
  const CrLink *whole = whole_portal(search, tile, cr__ref_polygon(ref), edge, a, b);
  if (whole) {
    cr__circle_queue(search->circle, whole->target);
    return;
  }
  CrEdgeWalls walls = cr__edge_walls(search->mesh, tile, cr__ref_polygon(ref), edge, search->filter);
  search_border(search, &walls);
  for (uint8_t part = 0; cr__next_edge_wall(&walls, &a, &b); part++) {
    distance = cr__segment_distance_xz(a, b, search->center);
    if (distance <= search->radius) {
      keep_piece(search, (CrWallPiece){ref, (uint8_t)edge, part, a, b, distance});
    }
    if (part == UINT8_MAX) break;
  }
}

static void search_polygon(WallSearch *search, CrPolyRef ref) {
  const CrTile *tile = cr__tile_of(search->mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref), first = tile->polygon_first[polygon];
  uint32_t edges = tile->polygon_first[polygon + 1] - first;
  CrVec3 a = tile->vertices[tile->corner_vertex[first]];
  for (uint32_t edge = 0; edge < edges; edge++) {
    CrVec3 b = tile->vertices[tile->corner_vertex[first + (edge + 1 == edges ? 0 : edge + 1)]];
    search_edge(search, tile, ref, edge, a, b, tile->corner_neighbour[first + edge]);
    a = b;
  }
}

static CrStatus check_walls(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 center, double radius,
                            const char *radius_field, int32_t capacity, CrError *error) {
  CrStatus status = cr__check_point(error, center, "center");
  if (status == CR_STATUS_OK) status = cr__check_coord(error, radius, radius_field);
  if (status == CR_STATUS_OK && radius < 0.0) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, radius_field, 0.0);
  if (status == CR_STATUS_OK && capacity < 0) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 0.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(mesh, ref, "start_ref", error);
  return status;
}

CrStatus cr_query_find_walls(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                             const CrQueryFilter *filter, CrWallPiece *pieces, int32_t capacity, int32_t *out_count,
                             CrError *error) {
  CrStatus status = check_walls(query->mesh, start_ref, center, radius, "radius", capacity, error);
  if (status != CR_STATUS_OK) return status;
  WallSearch search = {query->mesh, filter, center, radius, &query->circle, pieces, 0, capacity};
  CrCircle *circle = &query->circle;
  cr__circle_clear(circle);
  cr__circle_queue(circle, start_ref);
  for (int32_t at = 0; at < circle->taken; at++) search_polygon(&search, circle->queue[at]);
  sort_pieces(&search);
  *out_count = search.count;
  return CR_STATUS_OK;
}

// --- Nearest wall ---------------------------------------------------------------------------------------------------------
//
// What the search above finds first in a circle that grows from nothing. A polygon's width is the radius from which on the
// search reaches it: the least, over all ways there, of the distance of the farthest portal. Polygons are taken by rising width
// until the next one's is more than the radius at which a wall has been met.

typedef struct NearestWall {
  WallSearch search;
  bool found;
  CrWallPiece piece;  // the first of those met so far
  double reach;       // the least radius at which a wall is met, the greatest allowed before
} NearestWall;

static void reach_wider(WallSearch *search, CrPolyRef ref, double width) {
  bool taken;
  const CrCircleNode *known = cr__circle_find(search->circle, ref, &taken);
  if (taken || (known && known->cost <= width)) return;
  cr__circle_reach(search->circle, ref, CR_INVALID_REF, search->center, width);
}

static void reach_border(NearestWall *nearest, const CrEdgeWalls *walls, double width) {
  for (uint32_t i = walls->first_link; i < walls->end_link; i++) {
    const CrLink *link = &walls->tile->links[i];
    if (!link_accepted(walls, link)) continue;
    double distance = cr__segment_distance_xz(link->a, link->b, nearest->search.center);
    if (distance <= nearest->reach) reach_wider(&nearest->search, link->target, cr__max(width, distance));
  }
}

static void meet_edge(NearestWall *nearest, const CrTile *tile, const CrCircleNode *node, uint32_t edge) {
  WallSearch *search = &nearest->search;
  uint32_t polygon = cr__ref_polygon(node->ref);
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  double distance = cr__segment_distance_xz(a, b, search->center), width = cr__max(distance, node->cost);
  if (distance > nearest->reach) return;
  uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + edge];
  if (is_open(tile, neighbour, search->filter)) {
    reach_wider(search, cr__tile_ref(search->mesh, tile, neighbour), width);
    return;
  }
  CrEdgeWalls walls = cr__edge_walls(search->mesh, tile, polygon, edge, search->filter);
  reach_border(nearest, &walls, width);
  for (uint8_t part = 0; cr__next_edge_wall(&walls, &a, &b); part++) {
    CrWallPiece piece = {node->ref, (uint8_t)edge, part, a, b, cr__segment_distance_xz(a, b, search->center)};
    if (piece.distance <= nearest->reach && (!nearest->found || nearer(&piece, &nearest->piece))) {
      nearest->found = true;
      nearest->piece = piece;
      nearest->reach = cr__min(nearest->reach, cr__max(piece.distance, width));
    }
    if (part == UINT8_MAX) break;
  }
}

// The point of the wall and the direction from it to the centre; a centre on the wall has that of the edge.
static CrWallDistance describe_wall(const CrNavMesh *mesh, const CrWallPiece *piece, CrVec3 center) {
  CrWallDistance wall = {.found = true, .distance = piece->distance, .piece = *piece};
  double t = cr__segment_t_xz(piece->a, piece->b, center);
  wall.point = t == 1.0 ? piece->b : cr__lerp(piece->a, piece->b, t);
  wall.point.y =
      cr__polygon_height(cr__tile_of(mesh, piece->ref), cr__ref_polygon(piece->ref), wall.point.x, wall.point.z);
  double dx = center.x - wall.point.x, dz = center.z - wall.point.z;
  if (cr__near_xz(wall.point, center, CR_QUERY_EPSILON)) {
    CrVec3 a, b;
    cr__polygon_edge(cr__tile_of(mesh, piece->ref), cr__ref_polygon(piece->ref), piece->edge, &a, &b);
    dx = a.z - b.z;
    dz = b.x - a.x;
  }
  double length = cr__sqrt(dx * dx + dz * dz);
  wall.normal_x = dx / length;
  wall.normal_z = dz / length;
  return wall;
}

CrStatus cr_query_distance_to_wall(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double max_radius,
                                   const CrQueryFilter *filter, CrWallDistance *out, CrError *error) {
  CrStatus status = check_walls(query->mesh, start_ref, center, max_radius, "max_radius", 0, error);
  if (status != CR_STATUS_OK) return status;
  NearestWall nearest = {.search = {.mesh = query->mesh, .filter = filter, .center = center, .circle = &query->circle},
                         .reach = max_radius};
  CrCircleNode node;
  cr__circle_begin(&query->circle, CR_QUERY_MAX_CIRCLE);
  cr__circle_reach(&query->circle, start_ref, CR_INVALID_REF, center, 0.0);
  while (cr__circle_take(&query->circle, &node) && node.cost <= nearest.reach) {
    const CrTile *tile = cr__tile_of(query->mesh, node.ref);
    uint32_t edges = cr__polygon_vertex_count(tile, cr__ref_polygon(node.ref));
    for (uint32_t edge = 0; edge < edges; edge++) meet_edge(&nearest, tile, &node, edge);
  }
  *out = nearest.found ? describe_wall(query->mesh, &nearest.piece, center) : (CrWallDistance){.distance = max_radius};
  return CR_STATUS_OK;
}
