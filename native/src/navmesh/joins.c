// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where the ends of an off-mesh link join the mesh. An end joins the polygon whose nearest surface point is at most the link's
// radius away horizontally and at most max(radius, climb) vertically; of several the one with the nearest such point in 3D.
// order: then the tile's x, z and layer, then the polygon index; never the reference, so the join does not depend on slots.
#include "navmesh_internal.h"

typedef struct EndSearch {
  CrVec3 end;
  double radius, rise;
  double best;  // squared distance
  const CrTile *tile;
  uint32_t polygon;
  CrVec3 point;
} EndSearch;

static bool box_is_near(const CrBoxNode *box, const EndSearch *search) {
  CrVec3 e = search->end;
  double r = search->radius, rise = search->rise;
  return box->min[0] <= e.x + r && box->max[0] >= e.x - r && box->min[2] <= e.z + r && box->max[2] >= e.z - r &&
         box->min[1] <= e.y + rise && box->max[1] >= e.y - rise;
}

static void try_polygon(EndSearch *search, const CrTile *tile, uint32_t polygon) {
  CrVec3 at = cr__polygon_closest(tile, polygon, search->end, NULL);
  double distance2 = cr__dist2(at, search->end);
  bool near =
      cr__dist2_xz(at, search->end) <= search->radius * search->radius && cr__abs(at.y - search->end.y) <= search->rise;
  bool better = !search->tile || distance2 < search->best ||
                (distance2 == search->best && tile == search->tile && polygon < search->polygon);
  if (!near || !better) return;
  search->best = distance2;
  search->tile = tile;
  search->polygon = polygon;
  search->point = at;
}

static void search_tile(EndSearch *search, const CrTile *tile) {
  for (uint32_t i = 0; i < tile->node_count;) {
    const CrBoxNode *node = &tile->nodes[i];
    bool near = box_is_near(node, search);
    if (near && node->polygon >= 0) try_polygon(search, tile, (uint32_t)node->polygon);
    i = near ? i + 1 : (uint32_t)node->skip;
  }
}

static CrPolyRef find_end(const CrNavMesh *mesh, CrVec3 end, double radius, CrVec3 *out_point) {
  EndSearch search = {.end = end, .radius = radius, .rise = cr__max(radius, mesh->params.climb)};
  CrTileRange range = cr__reach_range(&mesh->params, end, radius);
  for (int32_t x = range.x0; x <= range.x1; x++) {
    for (int32_t z = range.z0; z <= range.z1; z++) {
      for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) search_tile(&search, &mesh->tiles[at - 1]);
    }
  }
  *out_point = search.point;
  return search.tile ? cr__tile_ref(mesh, search.tile, search.polygon) : CR_INVALID_REF;
}

CrLinkJoin cr__join_find(const CrNavMesh *mesh, const CrOffMeshLink *link) {
  CrLinkJoin join;
  join.start = find_end(mesh, link->start, link->radius, &join.start_point);
  join.end = find_end(mesh, link->end, link->radius, &join.end_point);
  return join;
}
