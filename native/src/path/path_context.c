// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The path context: what a worker needs to run corridors and followers. It owns the main query, the crossing-node query
// for topology searches (only beside a polygon-node main query), a copy of the filter and all scratch memory, so that
// followers hold nothing but their state.
// Invariant: everything is sized at creation; no call on a corridor or follower allocates.
#include "path_internal.h"

CrPathContextOptions cr_path_context_options_default(void) {
  return (CrPathContextOptions){cr_query_options_default(), 1024, CR_CORRIDOR_DEFAULT_CAPACITY, NULL};
}

int32_t cr_path_local_nodes(int32_t refine_budget, int32_t topology_budget) {
  int64_t budget = refine_budget > topology_budget ? refine_budget : topology_budget;
  int64_t nodes = 8 * budget;
  if (nodes < 1024) nodes = 1024;
  return (int32_t)(nodes > CR_QUERY_MAX_NODES ? CR_QUERY_MAX_NODES : nodes);
}

static CrStatus validate_options(const CrPathContextOptions *options, CrError *error) {
  if (options->max_corridor < CR_CORRIDOR_MIN_CAPACITY || options->max_corridor > CR_CORRIDOR_MAX_CAPACITY) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.max_corridor", CR_CORRIDOR_MAX_CAPACITY);
  }
  if (options->local_nodes < CR_QUERY_MIN_NODES || options->local_nodes > CR_QUERY_MAX_NODES) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.local_nodes", CR_QUERY_MAX_NODES);
  }
  if (options->query.node_model == CR_NODE_MODEL_EXACT) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.query.node_model", CR_NODE_MODEL_CROSSING);
  }
  if (options->query.hierarchical) return cr__fail(error, CR_STATUS_ARGUMENT, "options.query.hierarchical");
  return options->filter ? cr_query_filter_validate(options->filter, error) : CR_STATUS_OK;
}

static double lowest_cost(const CrQueryFilter *filter) {
  if (!filter) return 1.0;
  double lowest = filter->area_cost[0];
  for (int i = 1; i <= CR_MAX_AREA; i++) lowest = cr__min(lowest, filter->area_cost[i]);
  return lowest;
}

// A crossing-node query serves topology searches itself; a polygon-node one gets a crossing-node query beside it.
static CrStatus create_queries(CrPathContext *context, const CrPathContextOptions *options, CrError *error) {
  CrStatus status = cr_query_create(context->mesh, &options->query, &context->allocator, &context->query, error);
  if (status != CR_STATUS_OK) return status;
  context->local = context->query;
  if (options->query.node_model == CR_NODE_MODEL_CROSSING) return CR_STATUS_OK;
  CrQueryOptions local = {options->local_nodes, CR_NODE_MODEL_CROSSING, false};
  context->local = NULL;
  return cr_query_create(context->mesh, &local, &context->allocator, &context->local, error);
}

// The smallest power of two that keeps `total` entries at most three quarters full.
static uint32_t index_size_for(int64_t total) {
  uint32_t size = 16;
  while ((int64_t)size * 3 < total * 4) size *= 2;
  return size;
}

static bool allocate_scratch(CrPathContext *context) {
  const CrAllocator *allocator = &context->allocator;
  size_t joined = (size_t)context->max_corridor + (size_t)context->route_capacity;
  context->index_size = index_size_for((int64_t)joined);
  context->visited = cr__alloc(allocator, (size_t)context->max_corridor, sizeof *context->visited);
  context->route = cr__alloc(allocator, (size_t)context->route_capacity, sizeof *context->route);
  context->joined = cr__alloc(allocator, joined, sizeof *context->joined);
  context->heights = cr__alloc(allocator, (size_t)context->max_corridor, sizeof *context->heights);
  context->holders = cr__alloc(allocator, (size_t)context->max_corridor, sizeof *context->holders);
  context->index = cr__alloc_zeroed(allocator, context->index_size, sizeof *context->index);
  return context->visited && context->route && context->joined && context->heights && context->holders &&
         context->index;
}

CrStatus cr_path_context_create(const CrNavMesh *mesh, const CrPathContextOptions *options,
                                const CrAllocator *allocator, CrPathContext **out, CrError *error) {
  CrPathContextOptions defaults = cr_path_context_options_default();
  if (!options) options = &defaults;
  CrStatus status = validate_options(options, error);
  if (status != CR_STATUS_OK) return status;
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrPathContext *context = cr__alloc_zeroed(&hooks, 1, sizeof *context);
  if (!context) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  context->allocator = hooks;
  context->mesh = mesh;
  if (options->filter) context->filter_copy = *options->filter;
  context->filter = options->filter ? &context->filter_copy : NULL;
  context->lowest_cost = lowest_cost(context->filter);
  context->max_corridor = options->max_corridor;
  status = create_queries(context, options, error);
  // A route holds each node's polygon at most once, and both ends.
  int32_t most_nodes =
      options->query.max_nodes > options->local_nodes ? options->query.max_nodes : options->local_nodes;
  context->route_capacity = most_nodes + 2;
  if (status == CR_STATUS_OK && !allocate_scratch(context)) status = cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  if (status != CR_STATUS_OK) {
    cr_path_context_destroy(context);
    return status;
  }
  *out = context;
  return CR_STATUS_OK;
}

void cr_path_context_destroy(CrPathContext *context) {
  if (!context) return;
  CrAllocator allocator = context->allocator;
  if (context->local != context->query) cr_query_destroy(context->local);
  cr_query_destroy(context->query);
  size_t joined = (size_t)context->max_corridor + (size_t)context->route_capacity;
  cr__free(&allocator, context->visited, (size_t)context->max_corridor, sizeof *context->visited);
  cr__free(&allocator, context->route, (size_t)context->route_capacity, sizeof *context->route);
  cr__free(&allocator, context->joined, joined, sizeof *context->joined);
  cr__free(&allocator, context->heights, (size_t)context->max_corridor, sizeof *context->heights);
  cr__free(&allocator, context->holders, (size_t)context->max_corridor, sizeof *context->holders);
  cr__free(&allocator, context->index, context->index_size, sizeof *context->index);
  cr__free(&allocator, context, 1, sizeof *context);
}

CrNavMeshQuery *cr_path_context_query(CrPathContext *context) { return context->query; }

const CrQueryFilter *cr__path_context_filter(const CrPathContext *context) { return context->filter; }

// --- Index of references ----------------------------------------------------------------------------------------------

static uint32_t home_slot(CrPolyRef ref, uint32_t mask) {
  return (uint32_t)((ref * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & mask;
}

void cr__index_begin(CrPathContext *context, int32_t total) {
  context->index_mask = index_size_for(total) - 1;
  CR_ASSERT(context->index_mask < context->index_size);
  if (++context->index_epoch != 0) return;
  memset(context->index, 0, context->index_size * sizeof *context->index);
  context->index_epoch = 1;
}

// Entries whose position was cut off, or now holds another reference, answer for whatever stands there or are passed over.
int32_t cr__index_find(const CrPathContext *context, const CrPolyRef *keys, int32_t size, CrPolyRef ref) {
  for (uint32_t slot = home_slot(ref, context->index_mask);; slot = (slot + 1) & context->index_mask) {
    const CrRefIndexEntry *entry = &context->index[slot];
    if (entry->epoch != context->index_epoch) return -1;
    if (entry->position < size && keys[entry->position] == ref) return entry->position;
  }
}

void cr__index_put(CrPathContext *context, CrPolyRef ref, int32_t position) {
  uint32_t slot = home_slot(ref, context->index_mask);
  while (context->index[slot].epoch == context->index_epoch) slot = (slot + 1) & context->index_mask;
  context->index[slot] = (CrRefIndexEntry){context->index_epoch, position};
}
