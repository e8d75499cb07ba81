// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Putting a corridor together from pieces (kept polygons, a search's route) without loops, and measuring what a chain of
// polygons costs to walk. Lists are built in context->joined; nothing touches the corridor before cr__join_store.
#include "path_internal.h"

void cr__join_begin(CrPathContext *context, int32_t total) { cr__index_begin(context, total); }

// order: of a polygon met twice the first occurrence stays and all between the two is cut
int32_t cr__join_append(CrPathContext *context, int32_t size, const CrPolyRef *items, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    int32_t earlier = cr__index_find(context, context->joined, size, items[k]);
    if (earlier >= 0) {
      size = earlier + 1;
      continue;
    }
    context->joined[size] = items[k];
    cr__index_put(context, items[k], size++);
  }
  return size;
}

bool cr__join_store(CrPathContext *context, CrCorridor *corridor, int32_t size) {
  bool fits = size <= corridor->capacity;
  if (!fits) size = corridor->capacity;
  memcpy(corridor->path, context->joined, (size_t)size * sizeof *corridor->path);
  corridor->count = size;
  cr__corridor_changed(corridor, 0);
  if (fits) return true;
  corridor->complete = false;
  corridor->needs_replan = true;
  return false;
}

// --- What a walk costs ------------------------------------------------------------------------------------------------------

static double polygon_cost(const CrPathContext *context, CrPolyRef ref) {
  const CrTile *tile = cr__tile_of(context->mesh, ref);
  return cr__area_cost(context->filter, tile->areas[cr__ref_polygon(ref)]);
}

static CrWay way_on(const CrPathContext *context, CrPolyRef from, CrPolyRef to) {
  return cr__way_between(context->mesh, cr__tile_of(context->mesh, from), cr__ref_polygon(from), to, context->filter);
}

static double link_cost(const CrPathContext *context, CrPolyRef from, const CrWay *way) {
  const CrLink *link = &cr__tile_of(context->mesh, from)->links[way->link];
  return cr__area_cost(context->filter, link->area);
}

static bool on_line(const CrWay *way, double cross) {
  return cr__abs(cross) <= CR_QUERY_EPSILON * cr__dist_xz(way->a, way->b);
}

// Where the leg a -> b crosses a portal of its corridor, as a share of it. A leg along the portal may cross anywhere on it: as
// early as it can into the cheaper polygon, as late as it can out of it.
static double crossing_share(const CrWay *way, CrVec3 a, CrVec3 b, double from, bool to_cheaper) {
  if (on_line(way, cr__cross_xz(way->a, way->b, a)) && on_line(way, cr__cross_xz(way->a, way->b, b))) {
    double s = cr__segment_t_xz(a, b, way->a), t = cr__segment_t_xz(a, b, way->b);
    return cr__max(from, to_cheaper ? cr__min(s, t) : cr__max(s, t));
  }
  return cr__max(from, cr__segment_t_xz(a, b, cr__nearest_on_portal(way->a, way->b, a, b)));
}

// One leg: the parts between the portals it crosses, each at the cost of its polygon. Parts of equal cost are not told apart,
// so that a leg at one cost is its length times that, bit for bit.
static double leg_cost(const CrPathContext *context, const CrCorner *a, const CrCorner *b, const CrPolyRef *path) {
  double length = cr__dist(a->point, b->point), sum = 0.0, from = 0.0;
  double cost = polygon_cost(context, path[a->path_index]);
  if (!context->filter) return length;
  for (int32_t k = a->path_index; k < b->path_index; k++) {
    CrWay way = way_on(context, path[k], path[k + 1]);
    if (way.kind == CR_WAY_OFF_MESH) return length * link_cost(context, path[k], &way);
    double next = polygon_cost(context, path[k + 1]);
    if (next == cost) continue;
    double at = crossing_share(&way, a->point, b->point, from, next < cost);
    sum += (at - from) * length * cost;
    from = at;
    cost = next;
  }
  return sum + (1.0 - from) * length * cost;
}

static double polyline_cost(const CrPathContext *context, const CrCorner *corners, int32_t count,
                            const CrPolyRef *path) {
  double cost = 0.0;
  for (int32_t k = 1; k < count; k++) cost += leg_cost(context, &corners[k - 1], &corners[k], path);
  return cost;
}

// Chains with more corners than the buffer holds are pulled piece by piece: the funnel restarts at any corner it found.
double cr__path_walk_cost(CrPathContext *context, CrVec3 start, CrVec3 end, const CrPolyRef *path, int32_t count) {
  double cost = 0.0;
  for (;;) {
    int32_t written;
    CrStraightPathOutcome outcome = cr_query_straight_path(context->mesh, start, end, path, count, context->filter,
                                                           context->length_corners, CR_PATH_MAX_CORNERS, &written);
    if (outcome == CR_STRAIGHT_INVALID_CORRIDOR) return -1.0;
    cost += polyline_cost(context, context->length_corners, written, path);
    if (outcome == CR_STRAIGHT_OK) return cost;
    const CrCorner *last = &context->length_corners[written - 1];
    if (last->path_index <= 0) return -1.0;
    start = last->point;
    path += last->path_index;
    count -= last->path_index;
  }
}

bool cr__path_costs_differ(const CrPathContext *context, const CrPolyRef *path, int32_t count, double cost) {
  for (int32_t k = 0; k < count; k++) {
    if (!cr__resolve(context->mesh, path[k]) || polygon_cost(context, path[k]) != cost) return true;
    if (k == 0) continue;
    CrWay way = way_on(context, path[k - 1], path[k]);
    if (way.kind == CR_WAY_OFF_MESH && link_cost(context, path[k - 1], &way) != cost) return true;
  }
  return false;
}
