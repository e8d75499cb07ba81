// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Brute force for searches around a place: every portal of a mesh in one table, and floods over that table by relaxing
// all of it until nothing changes. No heap, no search structures; distances and touching by other formulas than the engine's.
#ifndef CR_TEST_AROUND_TRUTH_H
#define CR_TEST_AROUND_TRUTH_H

#include "query_internal.h"
#include "query_worlds.h"

typedef struct TruthPortal {
  uint32_t from, to;  // indices of polygons
  CrVec3 a, b;
} TruthPortal;

typedef struct Truth {
  const CrNavMesh *mesh;
  CrPolyRef *refs;  // ascending
  uint32_t count;
  TruthPortal *portals;
  uint32_t portal_count;
  // Results of a flood:
  uint8_t *reached;
  double *cost;
} Truth;

static inline uint32_t truth_index(const Truth *truth, CrPolyRef ref) {
  uint32_t low = 0, high = truth->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (truth->refs[middle] < ref) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  REQUIRE(low < truth->count && truth->refs[low] == ref);
  return low;
}

static inline bool truth_accepts(const Truth *truth, const CrQueryFilter *filter, uint32_t index) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(truth->mesh, truth->refs[index], &info));
  return !filter || ((info.flags & filter->include_flags) && !(info.flags & filter->exclude_flags));
}

static inline double truth_area_cost(const Truth *truth, const CrQueryFilter *filter, uint32_t index) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(truth->mesh, truth->refs[index], &info));
  return filter ? filter->area_cost[info.area] : 1.0;
}

static inline int truth_compare_refs(const void *a, const void *b) {
  const CrPolyRef *p = a, *q = b;
  return *p < *q ? -1 : *p > *q;
}

static inline void truth_add_portals(Truth *truth, uint32_t index, bool store) {
  const CrTile *tile = cr__resolve(truth->mesh, truth->refs[index]);
  uint32_t polygon = cr__ref_polygon(truth->refs[index]);
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + k];
    if (neighbour >= tile->polygon_count) continue;
    if (store) {
      TruthPortal portal = {
          index, truth_index(truth, cr__tile_ref(truth->mesh, tile, neighbour)), {0, 0, 0}, {0, 0, 0}};
      cr__polygon_edge(tile, polygon, k, &portal.a, &portal.b);
      truth->portals[truth->portal_count] = portal;
    }
    truth->portal_count++;
  }
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge == CR_LINK_NO_EDGE) continue;
    if (store) {
      truth->portals[truth->portal_count] = (TruthPortal){index, truth_index(truth, link->target), link->a, link->b};
    }
    truth->portal_count++;
  }
}

static inline Truth truth_of(const CrNavMesh *mesh) {
  Truth truth = {.mesh = mesh};
  truth.refs = world_all_polygons(mesh, &truth.count);
  qsort(truth.refs, truth.count, sizeof *truth.refs, truth_compare_refs);
  for (uint32_t i = 0; i < truth.count; i++) truth_add_portals(&truth, i, false);
  truth.portals = malloc((truth.portal_count + 1) * sizeof *truth.portals);
  truth.reached = malloc(truth.count);
  truth.cost = malloc(truth.count * sizeof *truth.cost);
  REQUIRE(truth.portals && truth.reached && truth.cost);
  truth.portal_count = 0;
  for (uint32_t i = 0; i < truth.count; i++) truth_add_portals(&truth, i, true);
  return truth;
}

static inline void truth_free(Truth *truth) {
  free(truth->refs);
  free(truth->portals);
  free(truth->reached);
  free(truth->cost);
}

// Distance of p from a -> b in x/z: to the line where the foot lies between the ends, else to the nearer end.
static inline double truth_distance(CrVec3 a, CrVec3 b, CrVec3 p) {
  double ex = b.x - a.x, ez = b.z - a.z, px = p.x - a.x, pz = p.z - a.z, length = hypot(ex, ez);
  double along = length > 0 ? (px * ex + pz * ez) / length : 0;
  if (length == 0 || along <= 0) return hypot(px, pz);
  if (along >= length) return hypot(p.x - b.x, p.z - b.z);
  return fabs(ex * pz - ez * px) / length;
}

// A place: a circle, or a convex shape.
typedef struct TruthPlace {
  CrVec3 center;
  double radius;
  const CrVec3 *shape;
  int32_t count;
} TruthPlace;

// How far inside the shape the segment comes, at most: the greatest over its points of the least distance left of an edge's
// line (below 0: outside). Found where two of these functions meet or at an end, since each is linear along the segment.
static inline double truth_depth(const TruthPlace *place, CrVec3 a, CrVec3 b) {
  double at_a[CR_QUERY_MAX_SHAPE], at_b[CR_QUERY_MAX_SHAPE], best = -1e300;
  for (int32_t k = 0; k < place->count; k++) {
    CrVec3 p = place->shape[k], q = place->shape[(k + 1) % place->count];
    double length = hypot(q.x - p.x, q.z - p.z);
    at_a[k] = ((q.x - p.x) * (a.z - p.z) - (q.z - p.z) * (a.x - p.x)) / length;
    at_b[k] = ((q.x - p.x) * (b.z - p.z) - (q.z - p.z) * (b.x - p.x)) / length;
  }
  for (int32_t i = 0; i < place->count; i++) {
    for (int32_t j = -2; j < i; j++) {
      double t = j == -2 ? 0 : 1;
      if (j >= 0) {
        double slope = (at_b[i] - at_a[i]) - (at_b[j] - at_a[j]);
        t = slope != 0 ? (at_a[j] - at_a[i]) / slope : 0;
        if (!(t >= 0 && t <= 1)) continue;
      }
      double depth = 1e300;
      for (int32_t k = 0; k < place->count; k++) depth = fmin(depth, at_a[k] + (at_b[k] - at_a[k]) * t);
      best = fmax(best, depth);
    }
  }
  return best;
}

// How far inside the place the portal comes; 0 is just touching it.
static inline double truth_touch(const TruthPlace *place, CrVec3 a, CrVec3 b) {
  return place->shape ? truth_depth(place, a, b) : place->radius - truth_distance(a, b, place->center);
}

// Polygons reached from `start` through portals that come at least `least` inside the place.
static inline uint32_t truth_flood(Truth *truth, const CrQueryFilter *filter, uint32_t start, const TruthPlace *place,
                                   double least) {
  uint32_t reached = 1;
  memset(truth->reached, 0, truth->count);
  truth->reached[start] = 1;
  for (bool grew = true; grew;) {
    grew = false;
    for (uint32_t i = 0; i < truth->portal_count; i++) {
      const TruthPortal *portal = &truth->portals[i];
      if (!truth->reached[portal->from] || truth->reached[portal->to]) continue;
      if (!truth_accepts(truth, filter, portal->to) || truth_touch(place, portal->a, portal->b) < least) continue;
      truth->reached[portal->to] = 1;
      reached++;
      grew = true;
    }
  }
  return reached;
}

// The least costs of all ways through the reached polygons, by relaxing every portal until nothing falls any more.
static inline void truth_costs(Truth *truth, const CrQueryFilter *filter, uint32_t start, const TruthPlace *place) {
  CrVec3 *at = malloc(truth->count * sizeof *at);
  REQUIRE(at);
  for (uint32_t i = 0; i < truth->count; i++) {
    truth->cost[i] = i == start ? 0 : INFINITY;
    if (truth->reached[i]) {
      REQUIRE_OK(cr_query_closest_point(truth->mesh, truth->refs[i], place->center, &at[i], NULL));
    }
  }
  for (bool fell = true; fell;) {
    fell = false;
    for (uint32_t i = 0; i < truth->portal_count; i++) {
      const TruthPortal *portal = &truth->portals[i];
      uint32_t p = portal->from, q = portal->to;
      if (!truth->reached[p] || !truth->reached[q] || truth->cost[p] == INFINITY) continue;
      if (q == start || truth_touch(place, portal->a, portal->b) < -1e-9) continue;
      CrVec3 m = cr__nearest_on_portal(portal->a, portal->b, at[p], at[q]);
      double cost = truth->cost[p] + cr__dist(at[p], m) * truth_area_cost(truth, filter, p) +
                    cr__dist(m, at[q]) * truth_area_cost(truth, filter, q);
      if (cost < truth->cost[q]) {
        truth->cost[q] = cost;
        fell = true;
      }
    }
  }
  free(at);
}

// Somewhere on the mesh to ask from: in a polygon, often on a vertex or the middle of an edge, now and then beside it or far off.
static inline bool truth_place(const CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t *seed, CrPolyRef *ref,
                               CrVec3 *center) {
  if (!random_place(mesh, filter, seed, ref, center)) return false;
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, *ref, &info));
  int32_t kind = rnd_int(seed, 12), k = rnd_int(seed, info.vertex_count);
  if (kind <= 1) *center = info.vertices[k];
  if (kind == 2 || kind == 3) *center = cr__lerp(info.vertices[k], info.vertices[(k + 1) % info.vertex_count], 0.5);
  if (kind == 4 || kind == 5) {
    double off = kind == 4 ? 1.5 : 7.0;
    center->x += rnd_range(seed, -off, off);
    center->z += rnd_range(seed, -off, off);
  }
  return true;
}

#endif
