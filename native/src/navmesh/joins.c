// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where the ends of an off-mesh link join the mesh. An end joins the polygon whose nearest surface point is at most the
// link's radius away horizontally and at most max(radius, climb) vertically; of several the one with the nearest such
// point in 3D.
// order: then the tile's x, z and layer, then the polygon index; never the reference, so the join does not depend on
// slots.
#include "navmesh_internal.h"

typedef struct EndSearch {
  CrVec3 end;
  double radius, rise;
  double best;  // squared distance
  const CrTile *tile;
  uint32_t polygon;
  CrVec3 point;
  uint64_t candidates, max_candidates;
} EndSearch;

// More than rounding can move a surface point out of its polygon's box (coordinates are below 2^21).
#define BOX_SLACK 1e-8

static double outside(double value, double low, double high) {
  if (value < low - BOX_SLACK) return low - BOX_SLACK - value;
  return value > high + BOX_SLACK ? value - (high + BOX_SLACK) : 0.0;
}

// Whether the box may hold a point that is within reach and not farther than the best one.
static bool box_is_near(const CrBoxNode *box, const EndSearch *search) {
  double dx = outside(search->end.x, box->min[0], box->max[0]);
  double dy = outside(search->end.y, box->min[1], box->max[1]);
  double dz = outside(search->end.z, box->min[2], box->max[2]);
  if (dx * dx + dz * dz > search->radius * search->radius || dy > search->rise) return false;
  return !search->tile || dx * dx + dy * dy + dz * dz <= search->best;
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
    if (near && node->polygon >= 0 && ++search->candidates > search->max_candidates) return;
    if (near && node->polygon >= 0) try_polygon(search, tile, (uint32_t)node->polygon);
    i = near ? i + 1 : (uint32_t)node->skip;
  }
}

static CrPolyRef find_end(const CrNavMesh *mesh, CrVec3 end, double radius, uint64_t max_candidates,
                          uint64_t *candidates, CrVec3 *out_point) {
  EndSearch search = {.end = end, .radius = radius, .rise = cr__max(radius, mesh->params.climb)};
  search.candidates = *candidates;
  search.max_candidates = max_candidates;
  CrTileRange range = cr__reach_range(&mesh->params, end, radius);
  for (int32_t x = range.x0; x <= range.x1; x++) {
    for (int32_t z = range.z0; z <= range.z1; z++) {
      for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) search_tile(&search, &mesh->tiles[at - 1]);
    }
  }
  *out_point = search.point;
  *candidates = search.candidates;
  return search.tile ? cr__tile_ref(mesh, search.tile, search.polygon) : CR_INVALID_REF;
}

bool cr__join_find(const CrNavMesh *mesh, const CrOffMeshLink *link, uint64_t max_candidates, CrLinkJoin *out) {
  CrLinkJoin join = {.candidates = 0};
  join.start = find_end(mesh, link->start, link->radius, max_candidates, &join.candidates, &join.start_point);
  join.end = find_end(mesh, link->end, link->radius, max_candidates, &join.candidates, &join.end_point);
  *out = join;
  return join.candidates <= max_candidates;
}
