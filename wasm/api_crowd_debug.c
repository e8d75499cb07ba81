// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What there is to draw of the agents of a crowd, in bulk: rows of cells, one list behind the other.
#include "abi.h"
#include "crowdreel/crowd_debug.h"

static int32_t collect(const CrCrowd *crowd, int64_t id, bool all, const CrCrowdDebugArrays *arrays,
                       CrCrowdDebug *out) {
  if (!all) return cr_crowd_debug_agent(crowd, id, arrays, out);
  cr_crowd_debug(crowd, arrays, out);
  return CR_STATUS_OK;
}

// What does not fit an address is too much memory.
static size_t bounded(uint64_t size) { return size <= INT32_MAX ? (size_t)size : SIZE_MAX; }

// The engine's lists, as large as `told` says, in work memory. False when memory is out.
static bool place_lists(const CrCrowdDebug *told, CrCrowdDebugArrays *out) {
  *out = (CrCrowdDebugArrays){.agent_capacity = told->agent_count,
                              .outline_capacity = told->outline_count,
                              .vertex_capacity = told->vertex_count,
                              .corner_capacity = told->corner_count,
                              .wall_capacity = told->wall_count,
                              .constraint_capacity = told->constraint_count};
  // Structs with members of 8 bytes, so each list may stand right behind another.
  char *at = crw__work(bounded(
      (uint64_t)told->agent_count * sizeof *out->agents + (uint64_t)told->outline_count * sizeof *out->outlines +
      (uint64_t)told->vertex_count * sizeof *out->vertices + (uint64_t)told->corner_count * sizeof *out->corners +
      (uint64_t)told->wall_count * sizeof *out->walls + (uint64_t)told->constraint_count * sizeof *out->constraints));
  if (!at) return false;
  out->agents = (void *)at;
  out->outlines = (void *)(out->agents + told->agent_count);
  out->vertices = (void *)(out->outlines + told->outline_count);
  out->corners = (void *)(out->vertices + told->vertex_count);
  out->walls = (void *)(out->corners + told->corner_count);
  out->constraints = (void *)(out->walls + told->wall_count);
  return true;
}

static size_t lists_size(const CrCrowdDebug *told) {
  uint64_t cells = (uint64_t)told->agent_count * (CRW_CELLS_AGENT_DEBUG + CRW_CELLS_FOLLOWER_DEBUG) +
                   told->outline_count + (uint64_t)told->vertex_count * CRW_WIDTH_VEC3 +
                   (uint64_t)told->corner_count * CRW_CELLS_CORNER + (uint64_t)told->wall_count * CRW_CELLS_AGENT_WALL +
                   (uint64_t)told->constraint_count * CRW_CELLS_CONSTRAINT;
  return bounded(cells * sizeof(double) + told->outline_count);
}

static double *put_agent(double *at, const CrAgentDebug *it) {
  CRW_RECORD_AGENT_DEBUG(CRW_PUT_FIELD)
  return crw__put_follower_debug(at, &it->follower);
}

static double *put_wall(double *at, const CrAgentWall *it) {
  CRW_RECORD_AGENT_WALL(CRW_PUT_FIELD)
  return at;
}

static double *put_constraint(double *at, const CrConstraint *it) {
  CRW_RECORD_CONSTRAINT(CRW_PUT_FIELD)
  return at;
}

static void put_lists(double *at, const CrCrowdDebugArrays *lists) {
  for (size_t i = 0; i < lists->agent_capacity; i++) at = put_agent(at, &lists->agents[i]);
  for (size_t i = 0; i < lists->outline_capacity; i++) CRW_PUT_U64(lists->outlines[i].ref)
  for (size_t i = 0; i < lists->vertex_capacity; i++) CRW_PUT_VEC3(lists->vertices[i])
  at = crw__put_corners(at, lists->corners, (int32_t)lists->corner_capacity);
  for (size_t i = 0; i < lists->wall_capacity; i++) at = put_wall(at, &lists->walls[i]);
  for (size_t i = 0; i < lists->constraint_capacity; i++) at = put_constraint(at, &lists->constraints[i]);
  uint8_t *counts = (uint8_t *)at;
  for (size_t i = 0; i < lists->outline_capacity; i++) counts[i] = (uint8_t)lists->outlines[i].vertex_count;
}

// Of one agent, or (all != 0) of all in slot order. Record: CROWD_DEBUG. Bulk result: for each agent an AGENT_DEBUG and a
// FOLLOWER_DEBUG record, then what all of them have, agent by agent: the references of outlines, their vertices (VEC3), CORNER,
// AGENT_WALL and CONSTRAINT records, and the number of vertices of each outline (a byte).
CRW_EXPORT int32_t crw_crowd_debug(int32_t view, double id, int32_t all) {
  const CrCrowd *crowd = crw__crowd_view(view);
  if (!crowd) return crw__stale_crowd();
  CrCrowdDebug told;
  int32_t status = collect(crowd, crw__id(id), all, NULL, &told);
  if (status) return crw__fail(status, "id");
  CrCrowdDebugArrays lists;
  double *out = crw__result(lists_size(&told));
  if (!out || !place_lists(&told, &lists)) return crw__no_memory();
  collect(crowd, crw__id(id), all, &lists, &told);
  put_lists(out, &lists);
  double *at = crw__record();
  const CrCrowdDebug *it = &told;
  CRW_RECORD_CROWD_DEBUG(CRW_PUT_FIELD)
  return 0;
}
