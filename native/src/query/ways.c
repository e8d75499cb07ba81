// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// How one polygon is left for another: in-tile edges, portals between tiles, off-mesh links. Two polygons are joined by
// one way, whatever the number of edges and links between them: the in-tile edge, else the portal, else the cheapest
// off-mesh link. Edges or portals that lie end to end between the same two polygons are one way, so that a vertex in
// the middle of an opening is not a corner. Searches, funnels and corridors all ask here.
#include "query_internal.h"

static CrWay no_way(CrPolyRef target) {
  CrWay way = {CR_WAY_NONE, CR_LINK_NO_EDGE, CR_NO_LINK, target, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return way;
}

// The run of edges with the same polygon behind them that begins at `edge`.
static CrWay edge_way(const CrTile *tile, uint32_t polygon, uint32_t edge, CrPolyRef target) {
  uint32_t first = tile->polygon_first[polygon], count = tile->polygon_first[polygon + 1] - first;
  const uint32_t *neighbours = tile->corner_neighbour + first;
  uint32_t end = edge + 1 == count ? 0 : edge + 1;
  while (end != edge && neighbours[end] == neighbours[edge]) end = end + 1 == count ? 0 : end + 1;
  CrWay way = {CR_WAY_EDGE, (uint8_t)edge, CR_NO_LINK, target, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  way.a = tile->vertices[tile->corner_vertex[first + edge]];
  way.b = tile->vertices[tile->corner_vertex[first + end]];
  return way;
}

// Whether a run of edges with one polygon behind them begins at `edge`.
static inline bool begins_run(const uint32_t *neighbours, uint32_t count, uint32_t edge) {
  return neighbours[edge == 0 ? count - 1 : edge - 1] != neighbours[edge];
}

// The in-tile edge behind which polygon `neighbour` lies, or `count` when there is none.
static uint32_t find_edge(const CrTile *tile, uint32_t polygon, uint32_t neighbour) {
  uint32_t first = tile->polygon_first[polygon], count = tile->polygon_first[polygon + 1] - first;
  const uint32_t *neighbours = tile->corner_neighbour + first;
  for (uint32_t k = 0; k < count; k++) {
    if (neighbours[k] == neighbour && begins_run(neighbours, count, k)) return k;
  }
  return count;
}

// The portal of link `index`, lengthened by the polygon's other portals to the same target that lie end to end with it.
static CrWay portal_way(const CrTile *tile, uint32_t polygon, uint32_t index) {
  const CrLink *link = &tile->links[index];
  CrWay way = {CR_WAY_PORTAL, link->edge, index, link->target, link->a, link->b};
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *other = &tile->links[i];
    if (other->edge == CR_LINK_NO_EDGE) break;
    if (other->target != link->target || other->edge == link->edge) continue;
    if (cr__near_xz(other->a, way.b, CR_PORTAL_EPSILON)) {
      way.b = other->b;
    } else if (cr__near_xz(other->b, way.a, CR_PORTAL_EPSILON)) {
      way.a = other->a;
    }
  }
  return way;
}

// Index of the polygon's first portal link to `target`, or CR_NO_LINK.
static uint32_t find_portal(const CrTile *tile, uint32_t polygon, CrPolyRef target) {
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    if (tile->links[i].edge == CR_LINK_NO_EDGE) break;
    if (tile->links[i].target == target) return i;
  }
  return CR_NO_LINK;
}

static CrWay off_mesh_way(const CrTile *tile, uint32_t index) {
  const CrLink *link = &tile->links[index];
  CrWay way = {CR_WAY_OFF_MESH, CR_LINK_NO_EDGE, index, link->target, link->a, link->b};
  return way;
}

static double off_mesh_cost(const CrLink *link, const CrQueryFilter *filter) {
  return cr__dist(link->a, link->b) * cr__area_cost(filter, link->area);
}

// The cheapest accepted off-mesh link to the target of link `*at`, among the links to it from `*at` on (they are
// consecutive); moves `*at` past them. order: cost, then table order.
static uint32_t cheapest_off_mesh(const CrTile *tile, uint32_t end, const CrQueryFilter *filter, uint32_t *at) {
  CrPolyRef target = tile->links[*at].target;
  uint32_t best = CR_NO_LINK;
  double best_cost = 0.0;
  for (; *at < end && tile->links[*at].target == target; ++*at) {
    const CrLink *link = &tile->links[*at];
    if (!cr__accepts(filter, link->flags)) continue;
    double cost = off_mesh_cost(link, filter);
    if (best != CR_NO_LINK && cost >= best_cost) continue;
    best = *at;
    best_cost = cost;
  }
  return best;
}

static uint32_t first_off_mesh(const CrTile *tile, uint32_t polygon) {
  uint32_t at = tile->link_first[polygon], end = tile->link_first[polygon + 1];
  while (at < end && tile->links[at].edge != CR_LINK_NO_EDGE) at++;
  return at;
}

CrWay cr__way_between(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target,
                      const CrQueryFilter *filter) {
  if (&mesh->tiles[cr__ref_slot(target)] == tile && tile->salt == cr__ref_salt(target)) {
    uint32_t edge = find_edge(tile, polygon, cr__ref_polygon(target));
    if (edge < cr__polygon_vertex_count(tile, polygon)) return edge_way(tile, polygon, edge, target);
  }
  uint32_t portal = find_portal(tile, polygon, target);
  if (portal != CR_NO_LINK) return portal_way(tile, polygon, portal);
  uint32_t end = tile->link_first[polygon + 1];
  for (uint32_t at = first_off_mesh(tile, polygon); at < end;) {
    bool wanted = tile->links[at].target == target;
    uint32_t best = cheapest_off_mesh(tile, end, filter, &at);
    if (wanted) return best == CR_NO_LINK ? no_way(target) : off_mesh_way(tile, best);
  }
  return no_way(target);
}

bool cr__connected(const CrNavMesh *mesh, CrPolyRef from, CrPolyRef to, const CrQueryFilter *filter) {
  const CrTile *from_tile = cr__resolve(mesh, from), *to_tile = cr__resolve(mesh, to);
  if (!from_tile || !to_tile || !cr__accepts_polygon(filter, to_tile, cr__ref_polygon(to))) return false;
  return cr__way_between(mesh, from_tile, cr__ref_polygon(from), to, filter).kind != CR_WAY_NONE;
}

CrWayList cr__ways(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, const CrQueryFilter *filter) {
  return (CrWayList){mesh, tile, filter, polygon, 0, tile->link_first[polygon]};
}

static bool next_edge_way(CrWayList *list, CrWay *way) {
  const CrTile *tile = list->tile;
  uint32_t first = tile->polygon_first[list->polygon], count = tile->polygon_first[list->polygon + 1] - first;
  const uint32_t *neighbours = tile->corner_neighbour + first;
  while (list->edge < count) {
    uint32_t edge = list->edge++, neighbour = neighbours[edge];
    if (!cr__is_neighbour_polygon(neighbour) || !begins_run(neighbours, count, edge)) continue;
    if (!cr__accepts_polygon(list->filter, tile, neighbour)) continue;
    *way = edge_way(tile, list->polygon, edge, cr__tile_ref(list->mesh, tile, neighbour));
    return true;
  }
  return false;
}

// Whether a portal of an earlier edge leads to the same polygon: then it is part of that way.
static bool is_later_portal(const CrTile *tile, uint32_t polygon, uint32_t index) {
  const CrLink *link = &tile->links[index];
  uint32_t first = tile->link_first[polygon];
  if (tile->links[first].edge == link->edge) return false;
  return find_portal(tile, polygon, link->target) != index;
}

static bool target_accepted(const CrWayList *list, CrPolyRef target) {
  return cr__accepts_polygon(list->filter, cr__tile_of(list->mesh, target), cr__ref_polygon(target));
}

static bool joined_by_surface(const CrWayList *list, CrPolyRef target) {
  const CrTile *tile = list->tile;
  if (cr__tile_of(list->mesh, target) == tile) {
    return find_edge(tile, list->polygon, cr__ref_polygon(target)) < cr__polygon_vertex_count(tile, list->polygon);
  }
  return find_portal(tile, list->polygon, target) != CR_NO_LINK;
}

static bool next_link_way(CrWayList *list, CrWay *way) {
  const CrTile *tile = list->tile;
  uint32_t end = tile->link_first[list->polygon + 1];
  while (list->link < end) {
    CrPolyRef target = tile->links[list->link].target;
    if (tile->links[list->link].edge != CR_LINK_NO_EDGE) {
      uint32_t index = list->link++;
      if (!target_accepted(list, target) || is_later_portal(tile, list->polygon, index)) continue;
      *way = portal_way(tile, list->polygon, index);
      return true;
    }
    uint32_t best = cheapest_off_mesh(tile, end, list->filter, &list->link);
    if (best == CR_NO_LINK || !target_accepted(list, target) || joined_by_surface(list, target)) continue;
    *way = off_mesh_way(tile, best);
    return true;
  }
  return false;
}

bool cr__next_way(CrWayList *list, CrWay *way) { return next_edge_way(list, way) || next_link_way(list, way); }
