// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd options: defaults and ranges.
#include "crowd_struct.h"

CrCrowdOptions cr_crowd_options_default(void) {
  CrCrowdOptions options;
  memset(&options, 0, sizeof options);
  options.max_agents = CR_CROWD_MAX_AGENTS;
  options.query_nodes = CR_QUERY_DEFAULT_NODES;
  options.query_node_model = CR_NODE_MODEL_POLYGON;
  options.max_walls_per_agent = 48;
  options.wall_refresh_distance = 1.0;
  options.max_walls_avoided = 8;
  options.max_threads = 1;
  return options;
}

static CrStatus check_int(CrError *error, const char *field, int32_t value, int32_t low, int32_t high) {
  if (value >= low && value <= high) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, field, value < low ? low : high);
}

static CrStatus check_filter(const CrQueryFilter *filter, CrError *error) {
  if (!filter || cr_query_filter_validate(filter, NULL) == CR_STATUS_OK) return CR_STATUS_OK;
  return cr__fail(error, CR_STATUS_ARGUMENT, "options.filter");
}

CrStatus cr_crowd_options_validate(const CrCrowdOptions *options, CrError *error) {
  CrStatus status = check_int(error, "options.max_agents", options->max_agents, 1, CR_CROWD_MAX_AGENTS);
  if (status == CR_STATUS_OK) {
    status = check_int(error, "options.query_nodes", options->query_nodes, CR_QUERY_MIN_NODES, CR_QUERY_MAX_NODES);
  }
  if (status == CR_STATUS_OK) {
    status = check_int(error, "options.query_node_model", options->query_node_model, 0, CR_NODE_MODEL_CROSSING);
  }
  if (status == CR_STATUS_OK) {
    status = check_int(error, "options.max_walls_per_agent", options->max_walls_per_agent, 1, CR_MAX_WALLS);
  }
  bool refresh_ok = options->wall_refresh_distance > 0.0 && options->wall_refresh_distance <= CR_COORD_LIMIT / 2;
  if (status == CR_STATUS_OK && !refresh_ok) {
    status = cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.wall_refresh_distance", CR_COORD_LIMIT / 2);
  }
  if (status == CR_STATUS_OK) {
    status = check_int(error, "options.max_walls_avoided", options->max_walls_avoided, 0, options->max_walls_per_agent);
  }
  if (status == CR_STATUS_OK) status = check_filter(options->filter, error);
  if (status != CR_STATUS_OK) return status;
  return check_int(error, "options.max_threads", options->max_threads, 1, CR_CROWD_MOST_THREADS);
}
