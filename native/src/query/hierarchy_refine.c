// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From gates to polygons. Every leg is searched in a window of two clusters: from where the route has come to, over the side it is about to
// cross, to the gate by which the next cluster will be left; of what is found the part up to that next cluster is kept, with the
// place where it was really entered. So gates only draw the route, they are not corners of it. At an off-mesh link a window ends.
// A polygon met again cuts the route back to it.
#include "hierarchy_internal.h"

static const CrGate *step_gate(const CrHierarchy *h, uint32_t step) {
  const CrRouteNode *node = &h->nodes[h->steps[step]];
  return &cr__gates(h, &h->clusters[node->cluster])[node->gate];
}

static void append(CrHierarchy *h, CrPolyRef ref) {
  CrRefSlot *slot = cr__table_slot(&h->on_route, ref);
  bool known = slot->epoch == h->on_route.epoch;
  if (known && slot->index < h->route_count && h->route[slot->index] == ref) {
    h->route_count = slot->index + 1;
    return;
  }
  h->failed = h->failed || h->route_count == h->route_capacity || (!known && h->met_count == h->route_capacity);
  if (h->failed) return;
  h->met_count += !known;
  *slot = (CrRefSlot){ref, h->on_route.epoch, h->route_count};
  h->route[h->route_count++] = ref;
}

static void end_search(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  h->phase = CR_PHASE_DONE;
  query->search.outcome = h->is_partial ? CR_PATH_PARTIAL : CR_PATH_SUCCESS;
}

void cr__refine_begin(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  cr__route_list(h);
  h->phase = CR_PHASE_REFINE;
  h->step = h->route_count = h->met_count = 0;
  cr__table_clear(&h->on_route);
  append(h, h->start.ref);
}

static void append_path(CrHierarchy *h, uint32_t count, bool reversed) {
  for (uint32_t i = 0; i < count; i++) append(h, h->path[reversed ? count - 1 - i : i]);
}

// The gate by which the start's cluster is left for the first step.
static uint32_t first_exit(const CrHierarchy *h) {
  const CrRouteNode *node = &h->nodes[h->steps[0]];
  const CrCluster *from = &h->clusters[h->start.cluster], *to = &h->clusters[node->cluster];
  const CrGate *gate = step_gate(h, 0), *gates = cr__gates(h, from);
  if (gate->side != CR_GATE_LINK) return from->side_first[gate->side ^ 2] + (node->gate - to->side_first[gate->side]);
  uint32_t exit = from->side_first[CR_SIDE_COUNT];
  while (gates[exit].link_owner != gate->link_owner || gates[exit].link != gate->link ||
         gates[exit].start == gate->start) {
    exit++;
  }
  return exit;
}

void cr__refine_next(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  if (h->step_count == 0) {
    cr__local_begin(h, h->start.ref, h->start.point, h->start.cluster, h->start.group);
    cr__local_aim(h, h->goal.ref, h->goal.point);
    return;
  }
  if (h->step == 0) append_path(h, cr__tree_path(query, h->start.cluster, first_exit(h), h->start.ref), false);
  const CrRouteNode *node = &h->nodes[h->steps[h->step]];
  append(h, step_gate(h, h->step)->ref);
  bool last = ++h->step == h->step_count;
  CrPolyRef to = last ? h->goal.ref : step_gate(h, h->step)->other;
  append_path(h, cr__tree_path(query, node->cluster, node->gate, to), true);
  if (last && !h->failed) end_search(query);
}

void cr__refine_take(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  h->failed = h->failed || h->local.goal == CR_NO_NODE;
  if (h->failed) return;
  append_path(h, cr__local_path(h, h->local.goal), false);
  end_search(query);
}
