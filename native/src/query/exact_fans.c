// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The fan of polygons about a vertex: those that one comes to by turning counter-clockwise about it, from polygon to accepted
// polygon, until a wall. Two fans that meet in one point, walls on both sides, are different places, and so are vertices
// of storeys above each other; the last polygon of a fan tells them apart, from whichever of its polygons one began. At a
// seam the point may lie inside an edge of the other tile's polygon. Where turning is not plain (two portals over one
// piece of edge, on either side of it; a fan that goes round more than once) the fan counts as one with a wall: then lines may
// turn there, which is never wrong, only of no use. The same holds where corners of two tiles lie a rounding apart: points are
// compared exactly.
#include "exact_internal.h"

#define MAX_FAN_STEPS 4096
#define MAX_REMEMBERED 24

// A polygon with the point on its outline: at a corner, or inside an edge (corner: that at which the edge begins).
typedef struct FanSpot {
  CrPolyRef ref;
  const CrTile *tile;
  uint32_t polygon, corner;  // `corner` counts in the polygon
  bool inside_edge;
} FanSpot;

static CrPlanar corner_point(const FanSpot *spot, uint32_t corner) {
  return cr__planar(cr__polygon_vertex(spot->tile, spot->polygon, corner));
}

// order: the first corner at the point, else the first nearest edge
static FanSpot locate(const CrNavMesh *mesh, CrPolyRef ref, CrPlanar point) {
  FanSpot spot = {ref, cr__tile_of(mesh, ref), cr__ref_polygon(ref), 0, false};
  uint32_t count = cr__polygon_vertex_count(spot.tile, spot.polygon);
  for (uint32_t k = 0; k < count; k++) {
    CrPlanar p = corner_point(&spot, k);
    if (p.x != point.x || p.z != point.z) continue;
    spot.corner = k;
    return spot;
  }
  double best = DBL_MAX;
  CrVec3 at = {point.x, 0.0, point.z};
  spot.inside_edge = true;
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 a, b;
    cr__polygon_edge(spot.tile, spot.polygon, k, &a, &b);
    double distance = cr__dist2_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, at)), at);
    if (distance < best) best = distance, spot.corner = k;
  }
  return spot;
}

static uint32_t edge_end(const FanSpot *spot, uint32_t edge) {
  return edge + 1 == cr__polygon_vertex_count(spot->tile, spot->polygon) ? 0 : edge + 1;
}

// The edge met when turning counter-clockwise, and its far end from the point.
static uint32_t next_edge(const FanSpot *spot) {
  if (spot->inside_edge) return spot->corner;
  return spot->corner == 0 ? cr__polygon_vertex_count(spot->tile, spot->polygon) - 1 : spot->corner - 1;
}

// Which side of the point along an edge.
typedef enum PieceSide { PIECE_BEFORE, PIECE_AFTER } PieceSide;

// The accepted portal of the edge that covers what lies beside the point; CR_INVALID_REF for none. Returns how many there are.
static uint32_t find_portals(const CrNavMeshQuery *query, const FanSpot *spot, uint32_t edge, CrPlanar point,
                             PieceSide side, CrPolyRef *out_found) {
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  const CrTile *tile = spot->tile;
  CrPlanar a = corner_point(spot, edge);
  CrPlanar along = cr__planar_sub(corner_point(spot, edge_end(spot, edge)), a);
  double at = cr__planar_dot(along, cr__planar_sub(point, a));
  uint32_t count = 0;
  *out_found = CR_INVALID_REF;
  for (uint32_t i = tile->link_first[spot->polygon]; i < tile->link_first[spot->polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge != edge) continue;
    double low = cr__planar_dot(along, cr__planar_sub(cr__planar(link->a), a));
    double high = cr__planar_dot(along, cr__planar_sub(cr__planar(link->b), a));
    if (side == PIECE_BEFORE ? low >= at || high < at : low > at || high <= at) continue;
    if (!cr__accepts_polygon(filter, cr__tile_of(query->mesh, link->target), cr__ref_polygon(link->target))) continue;
    *out_found = link->target;
    count++;
  }
  return count;
}

static FanSpot same_vertex(const FanSpot *spot, uint32_t neighbour) {
  const CrTile *tile = spot->tile;
  uint32_t vertex = tile->corner_vertex[tile->polygon_first[spot->polygon] + spot->corner];
  uint32_t first = tile->polygon_first[neighbour], corner = first;
  while (tile->corner_vertex[corner] != vertex) corner++;
  CrPolyRef ref = spot->ref - spot->polygon + neighbour;
  return (FanSpot){ref, tile, neighbour, corner - first, false};
}

// Turns into the next polygon; false at a wall.
static bool turn(const CrNavMeshQuery *query, FanSpot *spot, CrPlanar point) {
  uint32_t edge = next_edge(spot);
  uint32_t neighbour = spot->tile->corner_neighbour[spot->tile->polygon_first[spot->polygon] + edge];
  if (cr__is_neighbour_polygon(neighbour)) {
    if (!cr__accepts_polygon(cr__search_filter(&query->search), spot->tile, neighbour)) return false;
    if (!spot->inside_edge) {
      *spot = same_vertex(spot, neighbour);
      return true;
    }
    return false;  // no vertex lies inside an edge within a tile
  }
  if (!cr__is_border(neighbour)) return false;
  CrPolyRef target, back;
  if (find_portals(query, spot, edge, point, PIECE_BEFORE, &target) != 1) return false;
  FanSpot next = locate(query->mesh, target, point);
  // Its edge over the same piece begins at the point.
  if (find_portals(query, &next, next.corner, point, PIECE_AFTER, &back) > 1) return false;
  *spot = next;
  return true;
}

// --- The cache ------------------------------------------------------------------------------------------------------------

void cr__exact_fans_refresh(CrNavMeshQuery *query) {
  CrFanCache *fans = &query->exact->fans;
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  uint32_t flags = filter ? (uint32_t)filter->include_flags << 16 | filter->exclude_flags : UINT32_MAX;
  if (fans->epoch && fans->mesh_stamp == query->mesh->stamp && fans->flags == flags) return;
  fans->mesh_stamp = query->mesh->stamp;
  fans->flags = flags;
  if (++fans->epoch) return;
  memset(fans->entries, 0, fans->size * sizeof *fans->entries);
  fans->epoch = 1;
}

static uint64_t corner_key(const FanSpot *spot) {
  return (uint64_t)cr__ref_slot(spot->ref) << 32 | (spot->tile->polygon_first[spot->polygon] + spot->corner);
}

static CrFanEntry *fan_entry(CrFanCache *fans, uint64_t corner) {
  return &fans->entries[(corner * UINT64_C(0x9E3779B97F4A7C15)) >> fans->shift];
}

static const CrFanEntry *remembered(CrFanCache *fans, const FanSpot *spot) {
  if (spot->inside_edge) return NULL;
  uint64_t corner = corner_key(spot);
  const CrFanEntry *entry = fan_entry(fans, corner);
  return entry->epoch == fans->epoch && entry->corner == corner ? entry : NULL;
}

// --- Turning --------------------------------------------------------------------------------------------------------------

// Half turns made, from the edge the turn began at: more than two before it closes is more than once round.
typedef struct Winding {
  CrPlanar from;
  bool behind;  // past half a turn
  bool over;    // past a whole one
} Winding;

static void wind(Winding *winding, CrPlanar direction) {
  double side = cr__planar_cross(winding->from, direction);
  if (side < 0.0) winding->behind = true;
  if (side > 0.0 && winding->behind) winding->over = true;
}

static CrPlanar edge_before(const FanSpot *spot, CrPlanar point) {
  return cr__planar_sub(corner_point(spot, next_edge(spot)), point);
}

static CrPolyRef turn_to_wall(CrNavMeshQuery *query, FanSpot spot, CrPlanar point) {
  CrFanCache *fans = &query->exact->fans;
  uint64_t passed[MAX_REMEMBERED];
  uint32_t count = 0;
  CrPolyRef first = spot.ref, least = spot.ref, end = CR_INVALID_REF;
  Winding winding = {edge_before(&spot, point), false, false};
  for (uint32_t steps = 0;; steps++) {
    const CrFanEntry *known = remembered(fans, &spot);
    if (known) {
      end = known->end;
      break;
    }
    if (!spot.inside_edge && count < MAX_REMEMBERED) passed[count++] = corner_key(&spot);
    CrPolyRef here = spot.ref;
    if (steps == MAX_FAN_STEPS || !turn(query, &spot, point)) {
      end = here;
      break;
    }
    if (spot.ref == first) {
      end = winding.over ? least : CR_INVALID_REF;
      break;
    }
    if (spot.ref < least) least = spot.ref;
    wind(&winding, edge_before(&spot, point));
  }
  for (uint32_t i = 0; i < count; i++) *fan_entry(fans, passed[i]) = (CrFanEntry){passed[i], end, fans->epoch};
  return end;
}

CrPolyRef cr__exact_fan(CrNavMeshQuery *query, CrPolyRef ref, uint32_t corner, CrPlanar point) {
  FanSpot spot = {ref, cr__tile_of(query->mesh, ref), cr__ref_polygon(ref), corner, false};
  if (corner == CR_NO_CORNER) spot = locate(query->mesh, ref, point);
  const CrFanEntry *known = remembered(&query->exact->fans, &spot);
  return known ? known->end : turn_to_wall(query, spot, point);
}
