// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// When the goal cannot be reached: of all polygons of all groups reached, the one whose surface comes nearest to the end. The
// search over gates has reached exactly the groups a search over polygons would, so this is the same point; boxes of tiles and polygons keep
// the look-out short.
// order: squared 3D distance, then the smaller reference. Where equally near points differ, a plain search has to choose,
// which goes by cost.
#include "hierarchy_internal.h"

typedef struct Closest {
  CrNavMeshQuery *query;
  CrHierarchy *h;
  CrVec3 end;
  CrPolyRef ref;
  CrVec3 point;
  double distance2;
  bool differ;  // equally near points at different places
  const CrTile *tile;
  const uint32_t *groups;  // of the tile's polygons
  uint32_t reached[CR_CLUSTER_GATES + 1];
  uint32_t reached_count;
} Closest;

static void add_reached(Closest *closest, uint32_t group) {
  for (uint32_t i = 0; i < closest->reached_count; i++) {
    if (closest->reached[i] == group) return;
  }
  closest->reached[closest->reached_count++] = group;
}

static bool is_reached(const Closest *closest, uint32_t group) {
  for (uint32_t i = 0; i < closest->reached_count; i++) {
    if (closest->reached[i] == group) return true;
  }
  return false;
}

static void find_reached(Closest *closest, uint32_t index) {
  const CrHierarchy *h = closest->h;
  const CrCluster *cluster = &h->clusters[index];
  const CrGate *gates = cr__gates(h, cluster);
  closest->reached_count = 0;
  if (index == h->start.cluster) add_reached(closest, h->start.group);
  for (uint32_t i = 0; i < cluster->gate_count; i++) {
    if (h->nodes[cluster->first_node + i].heap_index == CR_NODE_CLOSED) add_reached(closest, gates[i].group);
  }
}

static double outside(double value, double low, double high) {
  return value < low ? low - value : value > high ? value - high : 0.0;
}

// Never more than the distance to any point of the surface in the box, rounding included.
static bool box_is_near(const Closest *closest, const CrBoxNode *box) {
  if (!closest->ref) return true;
  double dx = outside(closest->end.x, box->min[0], box->max[0]);
  double dy = outside(closest->end.y, box->min[1], box->max[1]);
  double dz = outside(closest->end.z, box->min[2], box->max[2]);
  double distance = cr__max(0.0, cr__sqrt(dx * dx + dy * dy + dz * dz) - CR_PORTAL_EPSILON);
  return distance * distance <= closest->distance2;
}

static void try_polygon(Closest *closest, uint32_t polygon) {
  double distance2, within = closest->ref ? closest->distance2 : 1e300;
  CrVec3 point = cr__polygon_nearest(closest->tile, polygon, closest->end, within, &distance2);
  CrPolyRef ref = cr__tile_ref(closest->query->mesh, closest->tile, polygon);
  if (closest->ref && distance2 > closest->distance2) return;
  bool equal = closest->ref && distance2 == closest->distance2;
  if (equal && !cr__same_point(point, closest->point)) closest->differ = true;
  if (equal && ref > closest->ref) return;
  if (!equal) closest->differ = false;
  closest->ref = ref;
  closest->point = point;
  closest->distance2 = distance2;
}

static void search_tile(Closest *closest) {
  const CrTile *tile = closest->tile;
  for (uint32_t i = 0; i < tile->node_count;) {
    const CrBoxNode *node = &tile->nodes[i];
    bool near = box_is_near(closest, node);
    if (near && node->polygon >= 0 && is_reached(closest, closest->groups[node->polygon])) {
      try_polygon(closest, (uint32_t)node->polygon);
    }
    i = near ? i + 1 : (uint32_t)node->skip;
  }
}

static void search_cluster(Closest *closest, uint32_t index) {
  const CrHierarchy *h = closest->h;
  const CrCluster *cluster = &h->clusters[index];
  find_reached(closest, index);
  if (!closest->reached_count) return;
  CrClusterTiles tiles = cr__cluster_tiles(h, cluster->x, cluster->z);
  while ((closest->tile = cr__next_cluster_tile(closest->query->mesh, &tiles)) != NULL) {
    closest->groups = cr__groups(h, cluster) + h->places[tiles.at - 1].first;
    search_tile(closest);
  }
}

bool cr__closest_reached(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  Closest closest = {.query = query, .h = h, .end = query->search.end};
  for (uint32_t i = 0; i < h->cluster_count; i++) {
    if (h->clusters[i].entered_epoch == h->epoch) search_cluster(&closest, i);
  }
  if (!closest.ref || closest.differ) return false;
  h->is_partial = true;
  h->goal.ref = closest.ref;
  h->goal.point = closest.point;
  h->goal.cluster = cr__cluster_of(query, cr__tile_of(query->mesh, closest.ref));
  h->goal.group = cr__group_of(h, closest.ref);
  return true;
}
