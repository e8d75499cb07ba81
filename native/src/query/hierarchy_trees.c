// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The ways to a gate from all polygons of its group, as one byte a polygon: the edge or portal through which it is left. With
// the trees of its gates a cluster is crossed, left and entered without another search.
#include "hierarchy_internal.h"

// How `polygon` is left for its neighbour `target` in the cluster, or CR_TREE_ROOT.
static uint32_t step_to(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, CrPolyRef target) {
  uint32_t first = tile->polygon_first[polygon], count = tile->polygon_first[polygon + 1] - first;
  if (cr__tile_of(mesh, target) == tile) {
    for (uint32_t k = 0; k < count; k++) {
      if (tile->corner_neighbour[first + k] == cr__ref_polygon(target)) return k;
    }
  }
  uint32_t links = tile->link_first[polygon + 1] - tile->link_first[polygon];
  for (uint32_t i = 0; i < links && i < CR_TREE_ROOT - CR_TREE_LINK; i++) {
    const CrLink *link = &tile->links[tile->link_first[polygon] + i];
    if (link->edge != CR_LINK_NO_EDGE && link->target == target) return CR_TREE_LINK + i;
  }
  return CR_TREE_ROOT;
}

bool cr__tree_store(CrNavMeshQuery *query, uint32_t index, uint32_t row) {
  CrHierarchy *h = query->hierarchy;
  const CrCluster *cluster = &h->clusters[index];
  uint8_t *tree = cr__gate_tree(h, cluster, row);
  for (uint32_t i = 0; i < cluster->polygon_count; i++) {
    const CrLocalNode *node = &h->local.nodes[i];
    tree[i] = CR_TREE_ROOT;
    if (node->epoch != h->local.epoch || node->parent == CR_NO_NODE) continue;
    const CrTile *tile = cr__tile_of(query->mesh, node->ref);
    uint32_t step = step_to(query->mesh, tile, cr__ref_polygon(node->ref), h->local.nodes[node->parent].ref);
    if (step == CR_TREE_ROOT) return false;
    tree[i] = (uint8_t)step;
  }
  return true;
}

// --- Walks ----------------------------------------------------------------------------------------------------------------

typedef struct TreeWalk {
  const CrNavMesh *mesh;
  const CrTilePlace *places;
  const uint8_t *tree;
  CrPolyRef ref;
  const CrTile *tile;
} TreeWalk;

static TreeWalk walk_from(const CrNavMeshQuery *query, uint32_t cluster, uint32_t row, CrPolyRef ref) {
  const CrHierarchy *h = query->hierarchy;
  const uint8_t *tree = cr__gate_tree(h, &h->clusters[cluster], row);
  return (TreeWalk){query->mesh, h->places, tree, ref, cr__tile_of(query->mesh, ref)};
}

static uint32_t next_step(const TreeWalk *walk) {
  return walk->tree[walk->places[cr__ref_slot(walk->ref)].first + cr__ref_polygon(walk->ref)];
}

static const CrLink *step_link(const TreeWalk *walk, uint32_t step) {
  return &walk->tile->links[walk->tile->link_first[cr__ref_polygon(walk->ref)] + step - CR_TREE_LINK];
}

static void take_step(TreeWalk *walk, uint32_t step) {
  uint32_t polygon = cr__ref_polygon(walk->ref);
  if (step >= CR_TREE_LINK) {
    walk->ref = step_link(walk, step)->target;
    walk->tile = cr__tile_of(walk->mesh, walk->ref);
  } else {
    walk->ref = walk->ref - polygon + walk->tile->corner_neighbour[walk->tile->polygon_first[polygon] + step];
  }
}

static void step_portal(const TreeWalk *walk, uint32_t step, CrVec3 *a, CrVec3 *b) {
  if (step >= CR_TREE_LINK) {
    *a = step_link(walk, step)->a;
    *b = step_link(walk, step)->b;
  } else {
    cr__polygon_edge(walk->tile, cr__ref_polygon(walk->ref), step, a, b);
  }
}

uint32_t cr__tree_path(const CrNavMeshQuery *query, uint32_t cluster, uint32_t row, CrPolyRef ref) {
  TreeWalk walk = walk_from(query, cluster, row, ref);
  CrPolyRef *path = query->hierarchy->path;
  uint32_t count = 0;
  path[count++] = ref;
  for (uint32_t step; (step = next_step(&walk)) != CR_TREE_ROOT;) {
    take_step(&walk, step);
    path[count++] = walk.ref;
  }
  return count;
}

// Each portal is crossed where it is nearest to the straight way from the crossing before to the gate.
double cr__tree_cost(const CrNavMeshQuery *query, uint32_t cluster, uint32_t row, CrPolyRef ref, CrVec3 point) {
  const CrHierarchy *h = query->hierarchy;
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  CrVec3 gate = cr__gates(h, &h->clusters[cluster])[row].point, a, b;
  TreeWalk walk = walk_from(query, cluster, row, ref);
  double cost = 0.0;
  for (;;) {
    double area_cost = cr__area_cost(filter, walk.tile->areas[cr__ref_polygon(walk.ref)]);
    uint32_t step = next_step(&walk);
    if (step == CR_TREE_ROOT) return cost + cr__dist(point, gate) * area_cost;
    step_portal(&walk, step, &a, &b);
    take_step(&walk, step);
    CrVec3 next = cr__nearest_on_portal(a, b, point, gate);
    cost += cr__dist(point, next) * area_cost;
    point = next;
  }
}
