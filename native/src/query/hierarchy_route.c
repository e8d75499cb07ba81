// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A* over gates. A node is the arrival at a gate of a cluster from the other side; from there all gates of its group may be left by.
// Costs between the gates of a cluster are found a row at a time, when the row is first wanted. Every leg costs at least its length
// times the least area cost; h is the straight distance to the goal times that and a little more, so the way found costs at
// most so much more than the best one over the gates (Pohl 1970), for a fraction of the nodes.
// order: f, then h, then the order in which the search came to clusters and the gate's number: a function of the search alone.
#include "hierarchy_internal.h"

#define ROUTE_GREED 1.03125

// --- Heap -----------------------------------------------------------------------------------------------------------------

static inline bool precedes(const CrHierarchy *h, CrHeapEntry a, CrHeapEntry b) {
  if (a.f != b.f) return a.f < b.f;
  double ha = h->nodes[a.node].h, hb = h->nodes[b.node].h;
  return ha != hb ? ha < hb : a.node < b.node;
}

static inline void place(CrHierarchy *h, uint32_t at, CrHeapEntry entry) {
  h->heap[at] = entry;
  h->nodes[entry.node].heap_index = at;
}

static void sift_up(CrHierarchy *h, uint32_t at, CrHeapEntry entry) {
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (!precedes(h, entry, h->heap[parent])) break;
    place(h, at, h->heap[parent]);
    at = parent;
  }
  place(h, at, entry);
}

static uint32_t take_first(CrHierarchy *h) {
  uint32_t taken = h->heap[0].node, at = 0, count = --h->heap_count;
  CrHeapEntry last = h->heap[count];
  for (uint32_t child; count && (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && precedes(h, h->heap[child + 1], h->heap[child])) child++;
    if (!precedes(h, h->heap[child], last)) break;
    place(h, at, h->heap[child]);
  }
  if (count) place(h, at, last);
  h->nodes[taken].heap_index = CR_NODE_CLOSED;
  return taken;
}

// --- Nodes ----------------------------------------------------------------------------------------------------------------

bool cr__route_enter(CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  if (cluster->entered_epoch == h->epoch) return true;
  if (!cr__cluster_gates(query, index)) return false;
  if (cluster->gate_count > h->route_capacity - h->node_count) return false;
  cluster->entered_epoch = h->epoch;
  cluster->first_node = h->node_count;
  const CrGate *gates = cr__gates(h, cluster);
  for (uint32_t i = 0; i < cluster->gate_count; i++) {
    double distance = cr__dist(gates[i].point, h->goal.point) * query->search.lowest_cost * ROUTE_GREED;
    h->nodes[h->node_count++] = (CrRouteNode){0.0, distance, CR_NO_NODE, CR_NODE_NEW, index, i};
  }
  return true;
}

static void relax(CrHierarchy *h, uint32_t index, double g, uint32_t parent) {
  CrRouteNode *node = &h->nodes[index];
  if (node->heap_index == CR_NODE_CLOSED) return;
  bool open = node->heap_index != CR_NODE_NEW;
  // order: of two equally cheap ways the first found stays
  if (open && g >= node->g) return;
  node->g = g;
  node->parent = parent;
  sift_up(h, open ? node->heap_index : h->heap_count++, (CrHeapEntry){g + node->h, index});
}

// The gate at the other end of a link, or CR_NO_NODE when that polygon is not accepted.
static uint32_t link_partner(CrNavMeshQuery *query, const CrGate *gate) {
  CrHierarchy *h = query->hierarchy;
  uint32_t owner = gate->link_owner, link = gate->link;
  bool start = gate->start;
  uint32_t index = cr__cluster_of(query, cr__tile_of(query->mesh, gate->other));
  if (!cr__route_enter(query, index)) {
    h->failed = true;
    return CR_NO_NODE;
  }
  const CrCluster *cluster = &h->clusters[index];
  const CrGate *gates = cr__gates(h, cluster);
  for (uint32_t i = cluster->side_first[CR_SIDE_COUNT]; i < cluster->gate_count; i++) {
    if (gates[i].link_owner == owner && gates[i].link == link && gates[i].start != start)
      return cluster->first_node + i;
  }
  return CR_NO_NODE;
}

static void leave_by_link(CrNavMeshQuery *query, uint32_t index, uint32_t number, double g, uint32_t parent) {
  CrHierarchy *h = query->hierarchy;
  const CrGate *gate = &cr__gates(h, &h->clusters[index])[number];
  if (!gate->may_exit) return;
  double across = gate->across;
  uint32_t node = link_partner(query, gate);
  if (node != CR_NO_NODE) relax(h, node, g + across, parent);
}

static bool enter_sides(CrNavMeshQuery *query, const CrCluster *cluster) {
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    bool used = cluster->side_first[side + 1] > cluster->side_first[side];
    if (used && !cr__route_enter(query, cluster->near[side])) return false;
  }
  return true;
}

// Leaves a cluster from a gate arrived at. Blocks move when a cluster is entered, so that comes first.
static void leave(CrNavMeshQuery *query, uint32_t from) {
  CrHierarchy *h = query->hierarchy;
  const uint32_t index = h->nodes[from].cluster, row = h->nodes[from].gate;
  const double g = h->nodes[from].g;
  const CrCluster *cluster = &h->clusters[index];
  h->failed = h->failed || !enter_sides(query, cluster);
  if (h->failed) return;
  const double *costs = cr__gate_costs(h, cluster, row);
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    uint32_t first = cluster->side_first[side], last = cluster->side_first[side + 1];
    if (first == last) continue;
    const CrCluster *near = &h->clusters[cluster->near[side]];
    uint32_t base = near->first_node + near->side_first[side ^ 2] - first;
    for (uint32_t i = first; i < last; i++) {
      if (costs[i] < DBL_MAX && i != row) relax(h, base + i, g + costs[i], from);
    }
  }
  for (uint32_t i = cluster->side_first[CR_SIDE_COUNT]; i < cluster->gate_count && !h->failed; i++) {
    double cost = cr__gate_costs(h, cluster, row)[i];
    if (cost < DBL_MAX) leave_by_link(query, index, i, g + cost, from);
  }
}

// --- Ends -----------------------------------------------------------------------------------------------------------------

// The gates the start's cluster can be left by, opened at the straight distance: what it costs to get to one is found when it is
// taken.
static void open_exits(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  const CrCluster *cluster = &h->clusters[h->start.cluster];
  const CrGate *gates = cr__gates(h, cluster);
  h->first_exit = h->node_count;
  h->exit_count = cluster->gate_count;
  h->failed = cluster->gate_count > h->route_capacity - h->node_count;
  if (h->failed) return;
  h->node_count += cluster->gate_count;
  for (uint32_t i = 0; i < cluster->gate_count; i++) {
    double ahead = h->nodes[cluster->first_node + i].h;
    double behind = cr__dist(h->start.point, gates[i].point) * query->search.lowest_cost;
    h->nodes[h->first_exit + i] = (CrRouteNode){0.0, ahead, CR_NO_NODE, CR_NODE_NEW, h->start.cluster, i};
    if (gates[i].group == h->start.group) relax(h, h->first_exit + i, behind, CR_ROUTE_START);
  }
}

static bool is_exit(const CrHierarchy *h, uint32_t node) {
  return node >= h->first_exit && node - h->first_exit < h->exit_count;
}

static void leave_start(CrNavMeshQuery *query, uint32_t gate) {
  CrHierarchy *h = query->hierarchy;
  const CrCluster *cluster = &h->clusters[h->start.cluster];
  double g = cr__tree_cost(query, h->start.cluster, gate, h->start.ref, h->start.point);
  uint32_t side = cr__gates(h, cluster)[gate].side;
  if (side == CR_GATE_LINK) {
    leave_by_link(query, h->start.cluster, gate, g, CR_ROUTE_START);
    return;
  }
  h->failed = !cr__route_enter(query, cluster->near[side]);
  if (h->failed) return;
  const CrCluster *near = &h->clusters[cluster->near[side]];
  relax(h, near->first_node + near->side_first[side ^ 2] + gate - cluster->side_first[side], g, CR_ROUTE_START);
}

// Cost from a gate of the goal's cluster, arrived at and taken, to the goal; DBL_MAX for another group.
static double cost_to_goal(const CrNavMeshQuery *query, const CrRouteNode *node) {
  const CrHierarchy *h = query->hierarchy;
  bool joined =
      node->cluster == h->goal.cluster && cr__gates(h, &h->clusters[node->cluster])[node->gate].group == h->goal.group;
  return joined ? cr__tree_cost(query, node->cluster, node->gate, h->goal.ref, h->goal.point) : DBL_MAX;
}

// --- Search ---------------------------------------------------------------------------------------------------------------

void cr__route_begin(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  h->heap_count = 0;
  h->nodes[CR_ROUTE_START].heap_index = CR_NODE_CLOSED;
  h->nodes[CR_ROUTE_GOAL] = (CrRouteNode){0.0, 0.0, CR_NO_NODE, CR_NODE_NEW, CR_NO_CLUSTER, 0};
  if (h->has_direct) relax(h, CR_ROUTE_GOAL, h->direct, CR_ROUTE_START);
  open_exits(query);
}

static void expand(CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  if (is_exit(h, index)) {
    leave_start(query, h->nodes[index].gate);
    return;
  }
  double cost = cost_to_goal(query, &h->nodes[index]);
  if (cost < DBL_MAX) relax(h, CR_ROUTE_GOAL, h->nodes[index].g + cost, index);
  leave(query, index);
}

bool cr__route_wants_row(CrNavMeshQuery *query, uint32_t index, uint32_t number) {
  CrHierarchy *h = query->hierarchy;
  const CrCluster *cluster = &h->clusters[index];
  if (cr__gate_rows(h, cluster)[number]) return false;
  const CrGate *gate = &cr__gates(h, cluster)[number];
  cr__local_begin(h, gate->ref, gate->point, index, gate->group);
  h->row_active = true;
  h->row_cluster = index;
  h->row_gate = number;
  return true;
}

int64_t cr__route_run(CrNavMeshQuery *query, int64_t budget) {
  CrHierarchy *h = query->hierarchy;
  int64_t expanded = 0;
  while (expanded < budget && !h->failed) {
    if (h->heap_count == 0) {
      h->phase = CR_PHASE_CLOSEST;
      break;
    }
    uint32_t next = h->heap[0].node;
    if (next == CR_ROUTE_GOAL) {
      h->phase = CR_PHASE_REFINE;
      break;
    }
    if (cr__route_wants_row(query, h->nodes[next].cluster, h->nodes[next].gate)) break;
    expand(query, take_first(h));
    expanded++;
  }
  return expanded;
}

// order: cost, then the node's number.
bool cr__route_finish_partial(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  CrRouteNode *goal = &h->nodes[CR_ROUTE_GOAL];
  *goal = (CrRouteNode){DBL_MAX, 0.0, CR_NO_NODE, CR_NODE_CLOSED, CR_NO_CLUSTER, 0};
  if (h->has_direct) {
    goal->g = h->direct;
    goal->parent = CR_ROUTE_START;
  }
  const CrCluster *cluster = &h->clusters[h->goal.cluster];
  for (uint32_t i = 0; i < cluster->gate_count; i++) {
    const CrRouteNode *node = &h->nodes[cluster->first_node + i];
    double cost = node->heap_index == CR_NODE_CLOSED ? cost_to_goal(query, node) : DBL_MAX;
    if (cost == DBL_MAX || (goal->parent != CR_NO_NODE && node->g + cost >= goal->g)) continue;
    goal->g = node->g + cost;
    goal->parent = cluster->first_node + i;
  }
  return goal->parent != CR_NO_NODE;
}

void cr__route_list(CrHierarchy *h) {
  uint32_t count = 0;
  for (uint32_t at = h->nodes[CR_ROUTE_GOAL].parent; at != CR_ROUTE_START; at = h->nodes[at].parent) count++;
  h->step_count = count;
  for (uint32_t at = h->nodes[CR_ROUTE_GOAL].parent; at != CR_ROUTE_START; at = h->nodes[at].parent) {
    h->steps[--count] = at;
  }
}
