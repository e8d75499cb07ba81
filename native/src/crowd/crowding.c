// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Neighbours where many agents stand in one column of the grid, on one spot say: walking rows would look at each of them for
// each of them. A tree of halves (Bentley, "Multidimensional binary search trees used for associative searching", 1975)
// takes the place of the rows, and its memory: the nodes that of the rows, the order of entries that of the rows' links.
// Children of node i are 2i + 1 and 2i + 2.
// Invariant: the answer is the set all pairs would give, as that of the rows is.
// order: (squared distance, order of class and slot); so agents on one spot are halved by their order.
#include "crowd_struct.h"

#define LEAF 16   // most entries of a leaf
#define DEPTH 32  // more than log2 of the most agents of a world

// The box of some entries, and the least of their orders.
struct CrGridNode {
  double min_x, max_x, min_z, max_z;
  uint64_t least_order;
};

// Leaves hold more than LEAF / 2 entries, so there are less than 4 / LEAF nodes for each entry.
_Static_assert(sizeof(CrGridNode) * 4 <= LEAF * sizeof(CrGridRow), "nodes take the memory of rows");

// --- Building ---------------------------------------------------------------------------------------------------------

typedef struct Axis {
  const double *along;
  const uint32_t *orders;
} Axis;

static bool before(const Axis *axis, uint32_t a, uint32_t b) {
  if (axis->along[a] != axis->along[b]) return axis->along[a] < axis->along[b];
  return axis->orders[a] < axis->orders[b];
}

static void swap(uint32_t *entries, int32_t i, int32_t k) {
  uint32_t entry = entries[i];
  entries[i] = entries[k];
  entries[k] = entry;
}

// Puts first those that come before the one at `pivot`, then that. Returns where it is.
static int32_t part(const Axis *axis, uint32_t *entries, int32_t count, int32_t pivot) {
  int32_t at = 0;
  swap(entries, pivot, count - 1);
  for (int32_t k = 0; k < count - 1; k++) {
    if (before(axis, entries[k], entries[count - 1])) swap(entries, at++, k);
  }
  swap(entries, at, count - 1);
  return at;
}

// Puts the `half` first of the entries first (Hoare's selection). Pivots are drawn, so that no arrangement is a bad one.
static void halve(const Axis *axis, uint32_t *entries, int32_t count, int32_t half) {
  uint64_t seed = (uint64_t)count;
  while (count > 1) {
    int32_t at = part(axis, entries, count, (int32_t)(cr__random_u64(&seed) % (uint64_t)count));
    if (at == half) return;
    if (at > half) {
      count = at;
      continue;
    }
    entries += at + 1;
    count -= at + 1;
    half -= at + 1;
  }
}

static CrGridNode box_of(const CrGrid *grid, const uint32_t *entries, int32_t count) {
  CrGridNode box = {CR_COORD_LIMIT, -CR_COORD_LIMIT, CR_COORD_LIMIT, -CR_COORD_LIMIT, UINT64_MAX};
  for (int32_t k = 0; k < count; k++) {
    uint32_t entry = entries[k];
    box.min_x = cr__min(box.min_x, grid->xs[entry]);
    box.max_x = cr__max(box.max_x, grid->xs[entry]);
    box.min_z = cr__min(box.min_z, grid->zs[entry]);
    box.max_z = cr__max(box.max_z, grid->zs[entry]);
    if (grid->orders[entry] < box.least_order) box.least_order = grid->orders[entry];
  }
  return box;
}

static void build_node(const CrGrid *grid, uint32_t *entries, int32_t count, int32_t node) {
  CrGridNode box = box_of(grid, entries, count);
  grid->nodes[node] = box;
  if (count <= LEAF) return;
  bool along_x = box.max_x - box.min_x >= box.max_z - box.min_z;
  Axis axis = {along_x ? grid->xs : grid->zs, grid->orders};
  halve(&axis, entries, count, count / 2);
  build_node(grid, entries, count / 2, 2 * node + 1);
  build_node(grid, entries + count / 2, count - count / 2, 2 * node + 2);
}

void cr__tree_build(CrGrid *grid) {
  grid->nodes = (CrGridNode *)grid->rows;
  for (int32_t k = 0; k < grid->count; k++) grid->above[k] = (uint32_t)k;
  build_node(grid, grid->above, grid->count, 0);
}

// --- Searching --------------------------------------------------------------------------------------------------------

// Entries first..first + count - 1 of the tree.
typedef struct Branch {
  double distance_squared;  // of its box
  int32_t node, first, count;
} Branch;

typedef struct TreeSearch {
  const CrGrid *grid;
  double x, z, reach_squared;
  uint32_t self;
  int32_t count, most;
  CrNear *near;
} TreeSearch;

static double gap(double low, double high, double at) { return cr__max(cr__max(low - at, at - high), 0.0); }

static Branch branch(const TreeSearch *search, int32_t node, int32_t first, int32_t count) {
  const CrGridNode *box = &search->grid->nodes[node];
  double dx = gap(box->min_x, box->max_x, search->x), dz = gap(box->min_z, box->max_z, search->z);
  return (Branch){dx * dx + dz * dz, node, first, count};
}

static bool is_wanted(const TreeSearch *search, double distance_squared, uint64_t order) {
  if (distance_squared >= search->reach_squared) return false;
  if (search->count < search->most) return true;
  const CrNear *last = &search->near[search->most - 1];
  if (distance_squared != last->distance_squared) return distance_squared < last->distance_squared;
  return order < last->order;
}

static void insert(TreeSearch *search, CrNear found) {
  if (search->count < search->most) search->count++;
  int32_t k = search->count - 1;
  for (; k > 0; k--) {
    const CrNear *other = &search->near[k - 1];
    if (other->distance_squared < found.distance_squared) break;
    if (other->distance_squared == found.distance_squared && other->order < found.order) break;
    search->near[k] = *other;
  }
  search->near[k] = found;
}

static void look_through(TreeSearch *search, const Branch *leaf) {
  const CrGrid *grid = search->grid;
  for (int32_t k = leaf->first; k < leaf->first + leaf->count; k++) {
    uint32_t entry = grid->above[k];
    double dx = grid->xs[entry] - search->x, dz = grid->zs[entry] - search->z;
    double distance_squared = dx * dx + dz * dz;
    if (entry == search->self || !is_wanted(search, distance_squared, grid->orders[entry])) continue;
    insert(search, (CrNear){distance_squared, grid->orders[entry], entry});
  }
}

static bool is_nearer(const TreeSearch *search, const Branch *a, const Branch *b) {
  if (a->distance_squared != b->distance_squared) return a->distance_squared < b->distance_squared;
  return search->grid->nodes[a->node].least_order < search->grid->nodes[b->node].least_order;
}

int32_t cr__tree_nearest(const CrGrid *grid, uint32_t self, double reach_squared, int32_t most, CrNear *out) {
  TreeSearch search = {grid, grid->xs[self], grid->zs[self], reach_squared, self, 0, most, out};
  Branch open[DEPTH];
  int32_t open_count = 0;
  open[open_count++] = branch(&search, 0, 0, grid->count);
  while (open_count > 0) {
    Branch at = open[--open_count];
    if (!is_wanted(&search, at.distance_squared, grid->nodes[at.node].least_order)) continue;
    if (at.count <= LEAF) {
      look_through(&search, &at);
      continue;
    }
    int32_t half = at.count / 2;
    Branch a = branch(&search, 2 * at.node + 1, at.first, half);
    Branch b = branch(&search, 2 * at.node + 2, at.first + half, at.count - half);
    bool a_first = is_nearer(&search, &a, &b);
    open[open_count++] = a_first ? b : a;
    open[open_count++] = a_first ? a : b;
  }
  return search.count;
}
