// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// How one polygon is left for another: in-tile edges, portals between tiles, off-mesh links. Two polygons are joined by
// one way, whatever the number of edges and links between them: the in-tile edge, else the portal, else the cheapest
// off-mesh link. Edges or portals that lie end to end between the same two polygons are one way, so that a vertex in
// the middle of an opening is not a corner. Searches, funnels and corridors all ask here.
#include "query_internal.h"

static CrWay make_way(CrWayKind kind, uint8_t edge, uint32_t link, CrPolyRef target) {
  CrWay way = {kind, edge, 0, link, target, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  return way;
}

static CrWay off_mesh_way(uint32_t link, CrPolyRef target) {
  return make_way(CR_WAY_OFF_MESH, CR_LINK_NO_EDGE, link, target);
}

// --- Ends -----------------------------------------------------------------------------------------------------------------

// Lengthens the way by the polygon's portals to the same target, of other edges, that lie end to end with it.
static bool lengthen(const CrTile *tile, uint32_t polygon, const CrLink *link, CrWay *way) {
  bool longer = false;
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *other = &tile->links[i];
    if (other->edge == CR_LINK_NO_EDGE) break;
    if (other->target != link->target || other->edge == link->edge) continue;
    if (cr__near_xz(other->a, way->b, CR_PORTAL_EPSILON)) {
      way->b = other->b;
      longer = true;
    } else if (cr__near_xz(other->b, way->a, CR_PORTAL_EPSILON)) {
      way->a = other->a;
      longer = true;
    }
  }
  return longer;
}

// The portal of way->link with all others that continue it at either end: edges are numbered round the polygon, so that a later
// pass may find what an earlier one came too early for.
static void portal_ends(const CrTile *tile, uint32_t polygon, CrWay *way) {
  const CrLink *link = &tile->links[way->link];
  way->a = link->a;
  way->b = link->b;
  if (link->part == CR_LINK_ALONE) return;
  for (int pass = 0; pass < CR_MAX_POLY_VERTS && lengthen(tile, polygon, link, way); pass++) continue;
}

void cr__link_ends(const CrTile *tile, uint32_t polygon, CrWay *way) {
  if (way->kind == CR_WAY_PORTAL) {
    portal_ends(tile, polygon, way);
  } else if (way->kind == CR_WAY_OFF_MESH) {
    way->a = tile->links[way->link].a;
    way->b = tile->links[way->link].b;
  }
}

// Parameter along a -> b of the point nearest to the segment s -> e. When they do not cross but the segment cuts the portal's
// line, it passes an end of the portal, the one nearer to its own line. When it stays on one side, its nearer end decides.
static double nearest_parameter(CrVec3 a, CrVec3 b, CrVec3 s, CrVec3 e) {
  double side_a = cr__cross_xz(s, e, a), side_b = cr__cross_xz(s, e, b);
  double side_s = cr__cross_xz(a, b, s), side_e = cr__cross_xz(a, b, e);
  bool portal_cut = (side_a <= 0.0) != (side_b <= 0.0), segment_cut = (side_s <= 0.0) != (side_e <= 0.0);
  // order: on a tie the portal's first end, and the segment's start
  if (!segment_cut) return cr__segment_t_xz(a, b, cr__abs(side_e) < cr__abs(side_s) ? e : s);
  if (!portal_cut) return cr__abs(side_b) < cr__abs(side_a) ? 1.0 : 0.0;
  return side_a / (side_a - side_b);
}

CrVec3 cr__nearest_on_portal(CrVec3 a, CrVec3 b, CrVec3 from, CrVec3 to) {
  double t = nearest_parameter(a, b, from, to);
  return t == 1.0 ? b : cr__lerp(a, b, t);
}

// --- Between two polygons -------------------------------------------------------------------------------------------------

// The way over an edge behind which polygon `neighbour` lies, or CR_NO_EDGE_WAY.
static uint32_t find_edge_way(const CrTile *tile, uint32_t polygon, uint32_t neighbour) {
  for (uint32_t c = tile->polygon_first[polygon]; c < tile->polygon_first[polygon + 1]; c++) {
    uint32_t way = tile->edge_ways[c];
    if (way == CR_NO_EDGE_WAY || cr__edge_way_polygon(way) == neighbour) return way;
  }
  return CR_NO_EDGE_WAY;
}

// Index of the polygon's first portal link to `target`, or CR_NO_LINK.
static uint32_t find_portal(const CrTile *tile, uint32_t polygon, CrPolyRef target) {
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    if (tile->links[i].edge == CR_LINK_NO_EDGE) break;
    if (tile->links[i].target == target) return i;
  }
  return CR_NO_LINK;
}

static uint32_t first_off_mesh(const CrTile *tile, uint32_t polygon) {
  uint32_t at = tile->link_first[polygon], end = tile->link_first[polygon + 1];
  while (at < end && tile->links[at].edge != CR_LINK_NO_EDGE) at++;
  return at;
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
    double cost = cr__dist(link->a, link->b) * cr__area_cost(filter, link->area);
    if (best != CR_NO_LINK && cost >= best_cost) continue;
    best = *at;
    best_cost = cost;
  }
  return best;
}

// The way without its ends.
static CrWay find_way(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target,
                      const CrQueryFilter *filter) {
  bool same_tile = cr__ref_slot(target) == (uint32_t)(tile - mesh->tiles) && cr__ref_salt(target) == tile->salt;
  if (same_tile) {
    uint32_t packed = find_edge_way(tile, polygon, cr__ref_polygon(target));
    if (packed != CR_NO_EDGE_WAY) {
      CrWay way = make_way(CR_WAY_EDGE, (uint8_t)cr__edge_way_edge(packed), CR_NO_LINK, target);
      way.end = (uint8_t)cr__edge_way_end(packed);
      return way;
    }
  }
  uint32_t portal = find_portal(tile, polygon, target), end = tile->link_first[polygon + 1];
  if (portal != CR_NO_LINK) return make_way(CR_WAY_PORTAL, tile->links[portal].edge, portal, target);
  for (uint32_t at = first_off_mesh(tile, polygon); at < end;) {
    bool wanted = tile->links[at].target == target;
    uint32_t best = cheapest_off_mesh(tile, end, filter, &at);
    if (wanted && best != CR_NO_LINK) return off_mesh_way(best, target);
  }
  return make_way(CR_WAY_NONE, CR_LINK_NO_EDGE, CR_NO_LINK, target);
}

CrWay cr__way_between(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target,
                      const CrQueryFilter *filter) {
  CrWay way = find_way(mesh, tile, polygon, target, filter);
  cr__way_ends(tile, polygon, &way);
  return way;
}

bool cr__connected(const CrNavMesh *mesh, CrPolyRef from, CrPolyRef to, const CrQueryFilter *filter) {
  const CrTile *from_tile = cr__resolve(mesh, from), *to_tile = cr__resolve(mesh, to);
  if (!from_tile || !to_tile || !cr__accepts_polygon(filter, to_tile, cr__ref_polygon(to))) return false;
  return find_way(mesh, from_tile, cr__ref_polygon(from), to, filter).kind != CR_WAY_NONE;
}

// --- Out of one polygon ---------------------------------------------------------------------------------------------------

bool cr__next_link_way(CrWayList *list, CrWay *way) {
  const CrTile *tile = list->tile;
  while (list->link < list->link_end) {
    uint32_t index = list->link;
    const CrLink *link = &tile->links[index];
    bool portal = link->edge != CR_LINK_NO_EDGE;
    uint32_t found = index;
    if (portal) {
      list->link++;
    } else {
      found = cheapest_off_mesh(tile, list->link_end, list->filter, &list->link);
    }
    if (link->part == CR_LINK_LATER || found == CR_NO_LINK) continue;
    if (!cr__accepts_polygon(list->filter, cr__tile_of(list->mesh, link->target), cr__ref_polygon(link->target))) {
      continue;
    }
    *way = portal ? make_way(CR_WAY_PORTAL, link->edge, index, link->target) : off_mesh_way(found, link->target);
    return true;
  }
  return false;
}
