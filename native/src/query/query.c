// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The query object and the filter: options, validation, memory. All memory is taken here, once.
#include "query_internal.h"

CrQueryFilter cr_query_filter_default(void) {
  CrQueryFilter filter = {0xFFFF, 0, {0}};
  for (size_t i = 0; i < CR_COUNT_OF(filter.area_cost); i++) filter.area_cost[i] = 1.0;
  return filter;
}

CrStatus cr_query_filter_validate(const CrQueryFilter *filter, CrError *error) {
  for (size_t i = 0; filter && i < CR_COUNT_OF(filter->area_cost); i++) {
    double cost = filter->area_cost[i];
    if (!(cost > 0.0) || !cr__is_finite(cost)) {
      return cr__fail_index(error, CR_STATUS_ARGUMENT, "filter.area_cost", (int64_t)i);
    }
  }
  return CR_STATUS_OK;
}

CrQueryOptions cr_query_options_default(void) {
  return (CrQueryOptions){CR_QUERY_DEFAULT_NODES, CR_NODE_MODEL_POLYGON, false};
}

static CrStatus check_options(const CrQueryOptions *options, CrError *error) {
  if (options->max_nodes < CR_QUERY_MIN_NODES) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.max_nodes", CR_QUERY_MIN_NODES);
  }
  if (options->max_nodes > CR_QUERY_MAX_NODES) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.max_nodes", CR_QUERY_MAX_NODES);
  }
  if (options->node_model != CR_NODE_MODEL_POLYGON && options->node_model != CR_NODE_MODEL_CROSSING &&
      options->node_model != CR_NODE_MODEL_EXACT) {
    return cr__fail(error, CR_STATUS_ARGUMENT, "options.node_model");
  }
  if (options->hierarchical && options->node_model == CR_NODE_MODEL_EXACT) {
    return cr__fail(error, CR_STATUS_ARGUMENT, "options.hierarchical");
  }
  return CR_STATUS_OK;
}

CrStatus cr_query_create(const CrNavMesh *mesh, const CrQueryOptions *options, const CrAllocator *allocator,
                         CrNavMeshQuery **out, CrError *error) {
  CrQueryOptions chosen = options ? *options : cr_query_options_default();
  CrStatus status = check_options(&chosen, error);
  if (status != CR_STATUS_OK) return status;
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrNavMeshQuery *query = cr__alloc_zeroed(&hooks, 1, sizeof *query);
  if (!query) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  query->allocator = hooks;
  query->mesh = mesh;
  query->options = chosen;
  bool crossing = chosen.node_model == CR_NODE_MODEL_CROSSING;
  bool pool;
  if (chosen.node_model == CR_NODE_MODEL_EXACT) {
    query->exact = cr__exact_create((uint32_t)chosen.max_nodes, &hooks);
    pool = query->exact != NULL;
  } else {
    pool = cr__pool_init(&query->pool, (uint32_t)chosen.max_nodes, crossing, &hooks);
  }
  bool circle = cr__circle_init(&query->circle, &hooks);
  query->areas = cr__alloc_zeroed(&hooks, 1, sizeof *query->areas);
  if (chosen.hierarchical) query->hierarchy = cr__hierarchy_create(mesh, (uint32_t)chosen.max_nodes, &hooks);
  if (!pool || !circle || !query->areas || (chosen.hierarchical && !query->hierarchy)) {
    cr_query_destroy(query);
    return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  *out = query;
  return CR_STATUS_OK;
}

void cr_query_destroy(CrNavMeshQuery *query) {
  if (!query) return;
  CrAllocator hooks = query->allocator;
  if (query->options.node_model != CR_NODE_MODEL_EXACT) cr__pool_deinit(&query->pool, &hooks);
  cr__exact_destroy(query->exact, &hooks);
  cr__hierarchy_destroy(query->hierarchy, &hooks);
  cr__circle_deinit(&query->circle, &hooks);
  cr__free(&hooks, query->areas, 1, sizeof *query->areas);
  cr__free(&hooks, query, 1, sizeof *query);
}

const CrNavMesh *cr_query_mesh(const CrNavMeshQuery *query) { return query->mesh; }

CrNodeModel cr_query_node_model(const CrNavMeshQuery *query) { return query->options.node_model; }

CrStatus cr_query_check_filter(const CrNavMeshQuery *query, const CrQueryFilter *filter, CrError *error) {
  CrStatus status = cr_query_filter_validate(filter, error);
  if (status != CR_STATUS_OK || !query->exact) return status;
  int32_t unequal = cr__exact_unequal_cost(filter);
  return unequal < 0 ? CR_STATUS_OK : cr__fail_index(error, CR_STATUS_ARGUMENT, "filter.area_cost", unequal);
}

CrStatus cr__check_ref(const CrNavMesh *mesh, CrPolyRef ref, const char *field, CrError *error) {
  return cr__resolve(mesh, ref) ? CR_STATUS_OK : cr__fail(error, CR_STATUS_STALE_REF, field);
}
