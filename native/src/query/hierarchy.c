// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The hierarchical search: first over gates between groups of polygons, then over the polygons along the way found, in phases that
// pause anywhere. Near goals are left to the plain search for as long as it stays near; so is whatever exceeds a limit.
// Every phase is a function of the mesh, the arguments and the filter: what is remembered only saves the work of finding it again.
// Botea, Mueller and Schaeffer 2004 (HPA*); Koch 2011 on navigation meshes.
#include "hierarchy_internal.h"

static bool init_route(CrHierarchy *h, uint32_t capacity, const CrAllocator *allocator) {
  h->route_capacity = capacity;
  h->nodes = cr__alloc(allocator, capacity, sizeof *h->nodes);
  h->heap = cr__alloc(allocator, capacity, sizeof *h->heap);
  h->steps = cr__alloc(allocator, capacity, sizeof *h->steps);
  h->route = cr__alloc(allocator, capacity, sizeof *h->route);
  h->path = cr__alloc(allocator, 2 * CR_CLUSTER_POLYGONS, sizeof *h->path);
  h->corners = cr__alloc(allocator, CR_LOCAL_CORNERS, sizeof *h->corners);
  bool table = cr__table_init(&h->on_route, capacity, allocator);
  return table && h->nodes && h->heap && h->steps && h->route && h->path && h->corners;
}

CrHierarchy *cr__hierarchy_create(const CrNavMesh *mesh, uint32_t capacity, const CrAllocator *allocator) {
  CrHierarchy *h = cr__alloc_zeroed(allocator, 1, sizeof *h);
  if (!h) return NULL;
  h->wanted_polygons = CR_WANTED_POLYGONS;
  h->near_nodes = CR_NEAR_NODES;
  bool made = init_route(h, capacity, allocator);
  made = cr__local_init(&h->local, allocator) && made;
  made = cr__gates_init(h, allocator) && made;
  if (made && cr__cache_init(h, allocator, mesh)) return h;
  cr__hierarchy_destroy(h, allocator);
  return NULL;
}

void cr__hierarchy_destroy(CrHierarchy *h, const CrAllocator *allocator) {
  if (!h) return;
  cr__free(allocator, h->nodes, h->route_capacity, sizeof *h->nodes);
  cr__free(allocator, h->heap, h->route_capacity, sizeof *h->heap);
  cr__free(allocator, h->steps, h->route_capacity, sizeof *h->steps);
  cr__free(allocator, h->route, h->route_capacity, sizeof *h->route);
  cr__free(allocator, h->path, 2 * CR_CLUSTER_POLYGONS, sizeof *h->path);
  cr__free(allocator, h->corners, CR_LOCAL_CORNERS, sizeof *h->corners);
  cr__table_deinit(&h->on_route, allocator);
  cr__local_deinit(&h->local, allocator);
  cr__gates_deinit(h, allocator);
  cr__cache_deinit(h, allocator);
  cr__free(allocator, h, 1, sizeof *h);
}

void cr__hierarchy_reset(CrHierarchy *h) {
  h->phase = CR_PHASE_PLAIN;
  h->failed = h->is_partial = h->has_direct = h->local_active = h->row_active = false;
  h->route_count = 0;
}

// --- Phases ---------------------------------------------------------------------------------------------------------------

static void begin_plain(CrNavMeshQuery *query, CrHierarchyPhase phase) {
  query->hierarchy->phase = phase;
  query->search.goal = CR_NO_NODE;
  query->search.out_of_nodes = false;
  cr__plain_begin(query);
}

static bool place_end(CrNavMeshQuery *query, CrEnd *end, CrPolyRef ref, CrVec3 point) {
  end->ref = ref;
  end->point = point;
  end->cluster = cr__cluster_of(query, cr__tile_of(query->mesh, ref));
  if (!cr__cluster_group(query, end->cluster)) return false;
  end->group = cr__group_of(query->hierarchy, ref);
  return true;
}

static void begin_far(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  query->search.outcome = CR_PATH_IN_PROGRESS;
  h->node_count = 2;
  h->failed = !cr__route_enter(query, h->start.cluster) || !cr__route_enter(query, h->goal.cluster);
  h->phase = CR_PHASE_DIRECT;
}

static bool are_near(const CrCluster *a, const CrCluster *b) {
  int64_t dx = (int64_t)a->x - b->x, dz = (int64_t)a->z - b->z;
  return dx >= -1 && dx <= 1 && dz >= -1 && dz <= 1;
}

bool cr__hierarchy_begin(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  const CrSearch *search = &query->search;
  if (!cr__cache_begin(query)) return false;
  if (!place_end(query, &h->start, search->start_ref, search->start) ||
      !place_end(query, &h->goal, search->end_ref, search->end)) {
    begin_plain(query, CR_PHASE_PLAIN);
    return true;
  }
  const CrCluster *from = &h->clusters[h->start.cluster], *to = &h->clusters[h->goal.cluster];
  h->near_left = h->near_nodes + (int64_t)from->polygon_count + to->polygon_count;
  if (are_near(from, to) && h->near_left > 0) {
    begin_plain(query, CR_PHASE_NEAR);
  } else {
    begin_far(query);
    if (h->failed) begin_plain(query, CR_PHASE_PLAIN);
  }
  return true;
}

// The plain search to a near goal has failed when it went far, or wanted more nodes than there are.
static int64_t run_near(CrNavMeshQuery *query, int64_t budget) {
  CrHierarchy *h = query->hierarchy;
  CrSearch *search = &query->search;
  int64_t expanded = cr__plain_update(query, budget < h->near_left ? budget : h->near_left);
  h->near_left -= expanded;
  bool ran_out = search->outcome == CR_PATH_PARTIAL && search->out_of_nodes;
  if (ran_out || (search->outcome == CR_PATH_IN_PROGRESS && h->near_left == 0)) begin_far(query);
  return expanded;
}

static void finish_row(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  const CrCluster *cluster = &h->clusters[h->row_cluster];
  const CrGate *gates = cr__gates(h, cluster);
  double *costs = cr__gate_costs(h, cluster, h->row_gate);
  uint32_t group = gates[h->row_gate].group;
  for (uint32_t i = 0; i < cluster->gate_count; i++) {
    costs[i] = gates[i].group == group ? cr__local_cost(query, gates[i].ref, gates[i].point) : DBL_MAX;
  }
  h->failed = !cr__tree_store(query, h->row_cluster, h->row_gate);
  cr__gate_rows(h, cluster)[h->row_gate] = !h->failed;
  h->row_active = false;
}

static void after_direct(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  if (h->is_partial) {
    h->failed = !cr__route_finish_partial(query);
    if (!h->failed) cr__refine_begin(query);
  } else {
    h->phase = CR_PHASE_ROUTE;
    cr__route_begin(query);
  }
}

static void run_direct(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  h->has_direct = h->goal.cluster == h->start.cluster && h->goal.group == h->start.group;
  if (h->has_direct) {
    cr__local_begin(h, h->start.ref, h->start.point, h->start.cluster, h->start.group);
    cr__local_aim(h, h->goal.ref, h->goal.point);
  } else {
    after_direct(query);
  }
}

static void finish_local(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  h->local_active = false;
  if (h->row_active) {
    finish_row(query);
  } else if (h->phase == CR_PHASE_DIRECT) {
    h->direct = cr__local_cost(query, h->goal.ref, h->goal.point);
    after_direct(query);
  } else {
    cr__refine_take(query);
  }
}

// Rows of costs are remembered, so the nodes they take are no part of the search's own count.
static int64_t run_local(CrNavMeshQuery *query, int64_t budget) {
  CrHierarchy *h = query->hierarchy;
  bool done;
  int64_t expanded = cr__local_run(query, budget, &done);
  if (!h->row_active) query->search.iterations += expanded;
  if (done) finish_local(query);
  return expanded;
}

static int64_t run_route(CrNavMeshQuery *query, int64_t budget) {
  int64_t expanded = cr__route_run(query, budget);
  query->search.iterations += expanded;
  if (query->hierarchy->phase == CR_PHASE_REFINE) cr__refine_begin(query);
  return expanded;
}

static int64_t run_phase(CrNavMeshQuery *query, int64_t budget) {
  CrHierarchy *h = query->hierarchy;
  if (h->phase == CR_PHASE_PLAIN) return cr__plain_update(query, budget);
  if (h->phase == CR_PHASE_NEAR) return run_near(query, budget);
  if (h->local_active) return run_local(query, budget);
  if (h->phase == CR_PHASE_ROUTE) return run_route(query, budget);
  if (h->phase == CR_PHASE_DIRECT) {
    run_direct(query);
  } else if (h->phase == CR_PHASE_REFINE) {
    cr__refine_next(query);
  } else if (cr__closest_reached(query)) {
    h->phase = CR_PHASE_DIRECT;
  } else {
    h->failed = true;
  }
  return 0;
}

int64_t cr__hierarchy_update(CrNavMeshQuery *query, int64_t budget) {
  CrHierarchy *h = query->hierarchy;
  int64_t expanded = 0;
  while (query->search.outcome == CR_PATH_IN_PROGRESS && expanded < budget) {
    expanded += run_phase(query, budget - expanded);
    if (!h->failed) continue;
    h->failed = h->local_active = h->row_active = false;
    begin_plain(query, CR_PHASE_PLAIN);
  }
  return expanded;
}

bool cr__hierarchy_is_plain(const CrHierarchy *h) { return h->phase == CR_PHASE_PLAIN || h->phase == CR_PHASE_NEAR; }

// Until polygons are known the route so far is the start polygon.
CrPathResult cr__hierarchy_finish(const CrNavMeshQuery *query, CrPolyRef *path, int32_t capacity) {
  const CrHierarchy *h = query->hierarchy;
  const CrSearch *search = &query->search;
  CrPathResult result = {search->outcome, false, false, 0, search->iterations, search->end};
  bool has_route = h->phase >= CR_PHASE_REFINE && h->route_count;
  const CrPolyRef *route = has_route ? h->route : &h->start.ref;
  uint32_t count = has_route ? h->route_count : 1;
  if (search->outcome != CR_PATH_SUCCESS) {
    CrPolyRef last = route[count - 1];
    double distance2;
    result.end =
        cr__polygon_nearest(cr__tile_of(query->mesh, last), cr__ref_polygon(last), search->end, 1e300, &distance2);
  }
  result.truncated = count > (uint32_t)capacity;
  result.count = result.truncated ? capacity : (int32_t)count;
  memcpy(path, route, (size_t)result.count * sizeof *path);
  return result;
}
