// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walls around a point: a breadth-first search over the polygons whose shared portal comes within the circle, and the
// pieces of their edges behind which there is no accepted polygon. Border edges may be covered in part by portals; what is
// left between the covered parts is wall. One function lists the pieces of an edge for the search and for naming a piece
// later, so both give the same bits.
#include "query_internal.h"

bool cr__circle_init(CrCircle *circle, const CrAllocator *allocator) {
  circle->queue = cr__alloc(allocator, CR_QUERY_MAX_CIRCLE, sizeof *circle->queue);
  bool table = cr__table_init(&circle->met, CR_QUERY_MAX_CIRCLE, allocator);
  return table && circle->queue;
}

void cr__circle_deinit(CrCircle *circle, const CrAllocator *allocator) {
  cr__free(allocator, circle->queue, CR_QUERY_MAX_CIRCLE, sizeof *circle->queue);
  cr__table_deinit(&circle->met, allocator);
}

// --- Pieces of one edge ---------------------------------------------------------------------------------------------------

static bool link_accepted(const CrEdgeWalls *walls, const CrLink *link) {
  return cr__accepts_polygon(walls->filter, cr__tile_of(walls->mesh, link->target), cr__ref_polygon(link->target));
}

// Distance along the edge.
static double along(const CrEdgeWalls *walls, CrVec3 p) {
  double dx = walls->b.x - walls->a.x, dz = walls->b.z - walls->a.z;
  return ((p.x - walls->a.x) * dx + (p.z - walls->a.z) * dz) / walls->length;
}

static bool is_open(const CrTile *tile, uint32_t neighbour, const CrQueryFilter *filter) {
  return cr__is_neighbour_polygon(neighbour) && cr__accepts_polygon(filter, tile, neighbour);
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
  uint32_t at = tile->link_first[polygon], end = tile->link_first[polygon + 1];
  while (at < end && tile->links[at].edge < edge) at++;
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
  int32_t queued;
  CrWallPiece *pieces;  // a max-heap until the end: the farthest piece kept is first
  int32_t count, capacity;
} WallSearch;

static double segment_distance(CrVec3 a, CrVec3 b, CrVec3 p) {
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, p)), p);
}

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

// Queues a polygon met through a portal within the circle.
static void meet_polygon(WallSearch *search, CrPolyRef ref) {
  CrRefSlot *slot = cr__table_slot(&search->circle->met, ref);
  if (slot->epoch == search->circle->met.epoch || search->queued == CR_QUERY_MAX_CIRCLE) return;
  *slot = (CrRefSlot){ref, search->circle->met.epoch, 0};
  search->circle->queue[search->queued++] = ref;
}

static void search_border(WallSearch *search, const CrEdgeWalls *walls) {
  for (uint32_t i = walls->first_link; i < walls->end_link; i++) {
    const CrLink *link = &walls->tile->links[i];
    if (!link_accepted(walls, link) || segment_distance(link->a, link->b, search->center) > search->radius) continue;
    meet_polygon(search, link->target);
  }
}

static void search_edge(WallSearch *search, const CrTile *tile, CrPolyRef ref, uint32_t edge) {
  uint32_t polygon = cr__ref_polygon(ref);
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  if (segment_distance(a, b, search->center) > search->radius) return;
  uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + edge];
  if (is_open(tile, neighbour, search->filter)) {
    meet_polygon(search, cr__tile_ref(search->mesh, tile, neighbour));
    return;
  }
  CrEdgeWalls walls = cr__edge_walls(search->mesh, tile, polygon, edge, search->filter);
  search_border(search, &walls);
  for (uint8_t part = 0; cr__next_edge_wall(&walls, &a, &b); part++) {
    double distance = segment_distance(a, b, search->center);
    if (distance <= search->radius) {
      keep_piece(search, (CrWallPiece){ref, (uint8_t)edge, part, a, b, distance});
    }
    if (part == UINT8_MAX) break;
  }
}

static CrStatus check_walls(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 center, double radius, int32_t capacity,
                            CrError *error) {
  CrStatus status = cr__check_point(error, center, "center");
  if (status == CR_STATUS_OK) status = cr__check_coord(error, radius, "radius");
  if (status == CR_STATUS_OK && radius < 0.0) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "radius", 0.0);
  if (status == CR_STATUS_OK && capacity < 0) status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "capacity", 0.0);
  if (status == CR_STATUS_OK) status = cr__check_ref(mesh, ref, "start_ref", error);
  return status;
}

CrStatus cr_query_find_walls(CrNavMeshQuery *query, CrPolyRef start_ref, CrVec3 center, double radius,
                             const CrQueryFilter *filter, CrWallPiece *pieces, int32_t capacity, int32_t *out_count,
                             CrError *error) {
  CrStatus status = check_walls(query->mesh, start_ref, center, radius, capacity, error);
  if (status != CR_STATUS_OK) return status;
  WallSearch search = {query->mesh, filter, center, radius, &query->circle, 0, pieces, 0, capacity};
  cr__table_clear(&query->circle.met);
  meet_polygon(&search, start_ref);
  for (int32_t at = 0; at < search.queued; at++) {
    CrPolyRef ref = query->circle.queue[at];
    const CrTile *tile = cr__tile_of(query->mesh, ref);
    uint32_t edges = cr__polygon_vertex_count(tile, cr__ref_polygon(ref));
    for (uint32_t edge = 0; edge < edges; edge++) search_edge(&search, tile, ref, edge);
  }
  sort_pieces(&search);
  *out_count = search.count;
  return CR_STATUS_OK;
}
