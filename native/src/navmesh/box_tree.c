// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Box tree over a tile's polygons: median splits on the axis where box centres spread most, flattened depth first. A
// query walks the array forwards and jumps by `skip` past what it misses. The centres are sorted once per axis and the
// orders are then partitioned stably, so building takes n log n whatever the input.
#include "navmesh_internal.h"

#define AXIS_COUNT 3

typedef struct TreeBuild {
  CrTile *tile;
  CrBoxNode *boxes;             // per polygon
  uint32_t *order[AXIS_COUNT];  // polygons by centre
  uint32_t *scratch;
  uint8_t *left;  // per polygon: goes to the left child of the split under way
  uint32_t next;  // node to fill next
} TreeBuild;

typedef struct AxisOrder {
  const CrBoxNode *boxes;
  int axis;
} AxisOrder;

// Twice the centre.
static double centre(const CrBoxNode *boxes, int axis, uint32_t polygon) {
  return boxes[polygon].min[axis] + boxes[polygon].max[axis];
}

static bool centre_less(const void *context, uint32_t a, uint32_t b) {
  const AxisOrder *order = context;
  double centre_a = centre(order->boxes, order->axis, a), centre_b = centre(order->boxes, order->axis, b);
  return centre_a != centre_b ? centre_a < centre_b : a < b;
}

static void grow_box(CrBoxNode *box, CrVec3 p) {
  const double at[AXIS_COUNT] = {p.x, p.y, p.z};
  for (int axis = 0; axis < AXIS_COUNT; axis++) {
    box->min[axis] = cr__min(box->min[axis], at[axis]);
    box->max[axis] = cr__max(box->max[axis], at[axis]);
  }
}

static CrBoxNode polygon_box(const CrTile *tile, uint32_t polygon) {
  CrVec3 first = cr__polygon_vertex(tile, polygon, 0);
  CrBoxNode box = {{first.x, first.y, first.z}, {first.x, first.y, first.z}, (int32_t)polygon, 0};
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  for (uint32_t k = 1; k < count; k++) grow_box(&box, cr__polygon_vertex(tile, polygon, k));
  for (uint32_t i = tile->detail_first_vertex[polygon]; i < tile->detail_first_vertex[polygon + 1]; i++) {
    grow_box(&box, tile->detail_vertices[i]);
  }
  return box;
}

// order: of axes with equal spread the first of x, y, z is split.
static int widest_axis(const TreeBuild *build, uint32_t low, uint32_t high) {
  int widest = 0;
  double spread = -1.0;
  for (int axis = 0; axis < AXIS_COUNT; axis++) {
    const uint32_t *order = build->order[axis];
    double s = centre(build->boxes, axis, order[high - 1]) - centre(build->boxes, axis, order[low]);
    if (s > spread) {
      spread = s;
      widest = axis;
    }
  }
  return widest;
}

// Moves the marked entries of [low, high) in front of the others, keeping the order within both.
static void partition(const TreeBuild *build, uint32_t *order, uint32_t low, uint32_t high) {
  uint32_t kept = low, moved = 0;
  for (uint32_t i = low; i < high; i++) {
    if (build->left[order[i]]) {
      order[kept++] = order[i];
    } else {
      build->scratch[moved++] = order[i];
    }
  }
  memcpy(order + kept, build->scratch, moved * sizeof *order);
}

static CrBoxNode unite(const CrBoxNode *a, const CrBoxNode *b) {
  CrBoxNode box = *a;
  grow_box(&box, cr__vec(b->min[0], b->min[1], b->min[2]));
  grow_box(&box, cr__vec(b->max[0], b->max[1], b->max[2]));
  box.polygon = -1;
  return box;
}

static void build_node(TreeBuild *build, uint32_t low, uint32_t high) {
  uint32_t index = build->next++;
  CrBoxNode *node = &build->tile->nodes[index];
  if (high - low == 1) {
    *node = build->boxes[build->order[0][low]];
    node->skip = (int32_t)build->next;
    return;
  }
  int split = widest_axis(build, low, high);
  uint32_t middle = low + (high - low) / 2;
  for (uint32_t i = low; i < high; i++) build->left[build->order[split][i]] = i < middle;
  for (int axis = 0; axis < AXIS_COUNT; axis++) {
    if (axis != split) partition(build, build->order[axis], low, high);
  }
  build_node(build, low, middle);
  uint32_t right = build->next;
  build_node(build, middle, high);
  *node = unite(&build->tile->nodes[index + 1], &build->tile->nodes[right]);
  node->skip = (int32_t)build->next;
}

static void sort_axes(TreeBuild *build, uint32_t count) {
  for (int axis = 0; axis < AXIS_COUNT; axis++) {
    for (uint32_t p = 0; p < count; p++) build->order[axis][p] = p;
    AxisOrder order = {build->boxes, axis};
    cr__sort_indices(build->order[axis], build->scratch, count, centre_less, &order);
  }
}

bool cr__box_tree_build(const CrAllocator *allocator, CrTile *tile) {
  uint32_t count = tile->polygon_count;
  if (!count) return true;
  size_t per_polygon = sizeof(CrBoxNode) + (AXIS_COUNT + 1) * sizeof(uint32_t) + 1;
  uint8_t *memory = cr__alloc(allocator, count, per_polygon);
  if (!memory) return false;
  TreeBuild build = {.tile = tile, .boxes = (CrBoxNode *)(void *)memory};
  uint32_t *orders = (uint32_t *)(void *)(build.boxes + count);
  for (int axis = 0; axis < AXIS_COUNT; axis++) build.order[axis] = orders + (size_t)count * (size_t)axis;
  build.scratch = orders + (size_t)count * AXIS_COUNT;
  build.left = (uint8_t *)(build.scratch + count);
  for (uint32_t p = 0; p < count; p++) build.boxes[p] = polygon_box(tile, p);
  sort_axes(&build, count);
  build_node(&build, 0, count);
  CR_ASSERT(build.next == tile->node_count);
  cr__free(allocator, memory, count, per_polygon);
  return true;
}
