// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Replanning a corridor (docs/behaviour/corridors.md, "Replanning"): search 1 goes on from the corridor's last polygon; when
// that cannot start, finds no way, or a replan from the start is asked for, search 2 starts anew at the agent.
// Invariant: the result of a replan is the same however its iterations are split over calls; until Apply the corridor is
// not touched, and an Apply that no longer fits the corridor changes nothing.
#include "path_internal.h"

static void begin_search(CrPathContext *context, int32_t search, CrPolyRef start_ref, CrVec3 start);

static void search_from_agent(CrPathContext *context) {
  const CrCorridor *corridor = context->session.corridor;
  begin_search(context, 2, corridor->path[0], corridor->position);
}

// What the state of the search under way means for the replan. A search 1 without success hands over to search 2.
static void take_outcome(CrPathContext *context, CrPathOutcome outcome) {
  CrReplanSession *session = &context->session;
  if (outcome == CR_PATH_IN_PROGRESS) {
    session->outcome = CR_REPLAN_IN_PROGRESS;
  } else if (outcome == CR_PATH_SUCCESS) {
    session->outcome = CR_REPLAN_SUCCESS;
  } else if (session->search == 1) {
    search_from_agent(context);
  } else {
    session->outcome = outcome == CR_PATH_PARTIAL ? CR_REPLAN_PARTIAL : CR_REPLAN_FAILED;
  }
}

static void begin_search(CrPathContext *context, int32_t search, CrPolyRef start_ref, CrVec3 start) {
  CrReplanSession *session = &context->session;
  session->search = search;
  session->start_ref = start_ref;
  CrPathOutcome outcome =
      cr_query_begin_path(context->query, start_ref, start, session->target_ref, session->end, context->filter);
  session->search_number = context->query->search.number;
  take_outcome(context, outcome);
}

static void search_from_end(CrPathContext *context) {
  const CrCorridor *corridor = context->session.corridor;
  CrPolyRef last = corridor->path[corridor->count - 1];
  const CrTile *tile = cr__resolve(context->mesh, last);
  if (!tile) {
    search_from_agent(context);
    return;
  }
  begin_search(context, 1, last, cr__polygon_closest(tile, cr__ref_polygon(last), corridor->position, NULL));
}

CrReplanOutcome cr_corridor_replan_begin(CrCorridor *corridor, CrPathContext *context, CrVec3 extents) {
  CrReplanSession *session = &context->session;
  *session = (CrReplanSession){.corridor = corridor,
                               .outcome = CR_REPLAN_FAILED,
                               .target = corridor->target,
                               .mesh_stamp = context->mesh->stamp};
  if (!cr__corridor_usable(corridor, context)) return session->outcome;
  CrNearestPoly nearest;
  CrStatus status = cr_query_nearest_poly(context->query, corridor->target, extents, context->filter, &nearest, NULL);
  if (status != CR_STATUS_OK) return session->outcome = CR_REPLAN_NO_END_NEARBY;
  session->target_ref = nearest.ref;
  session->end = nearest.point;
  if (corridor->replan_from_start) {
    search_from_agent(context);
  } else {
    search_from_end(context);
  }
  return session->outcome;
}

// Whether the mesh was edited, or another search of the query took the place of this replan's.
static bool is_overtaken(const CrPathContext *context) {
  const CrReplanSession *session = &context->session;
  return session->mesh_stamp != context->mesh->stamp || session->search_number != context->query->search.number;
}

CrReplanOutcome cr_corridor_replan_update(CrCorridor *corridor, CrPathContext *context, int64_t budget) {
  CrReplanSession *session = &context->session;
  if (session->corridor != corridor) return CR_REPLAN_FAILED;
  if (session->outcome == CR_REPLAN_IN_PROGRESS && is_overtaken(context)) session->outcome = CR_REPLAN_FAILED;
  while (session->outcome == CR_REPLAN_IN_PROGRESS && budget > 0) {
    int64_t expanded = 0;
    CrPathOutcome outcome = cr_query_update_path(context->query, budget, &expanded);
    budget -= expanded;
    take_outcome(context, outcome);
    if (outcome == CR_PATH_IN_PROGRESS && expanded == 0) break;
  }
  return session->outcome;
}

// Where the kept part of the corridor ends for the route of this session, or -1 when the corridor has left it.
static int32_t kept_count(const CrCorridor *corridor, const CrReplanSession *session) {
  if (session->search == 2) return corridor->path[0] == session->start_ref ? 0 : -1;
  int32_t k = corridor->count - 1;
  while (k >= 0 && corridor->path[k] != session->start_ref) k--;
  return k;
}

static void settle_flags(CrCorridor *corridor, const CrReplanSession *session, bool fits) {
  corridor->target_ref = session->target_ref;
  corridor->complete = fits && session->outcome == CR_REPLAN_SUCCESS;
  corridor->needs_replan = !fits || session->outcome == CR_REPLAN_IN_PROGRESS;
  corridor->replan_from_start = session->outcome == CR_REPLAN_IN_PROGRESS;
  cr__corridor_changed(corridor, 0);
}

CrReplanOutcome cr_corridor_replan_apply(CrCorridor *corridor, CrPathContext *context) {
  CrReplanSession session = context->session;
  bool overtaken = is_overtaken(context);
  context->session.corridor = NULL;
  if (session.corridor != corridor || !cr__corridor_usable(corridor, context)) return CR_REPLAN_FAILED;
  if (!cr__same_point(session.target, corridor->target)) return CR_REPLAN_FAILED;
  if (session.outcome == CR_REPLAN_FAILED || session.outcome == CR_REPLAN_NO_END_NEARBY) return session.outcome;
  if (overtaken) return CR_REPLAN_FAILED;
  int32_t kept = kept_count(corridor, &session);
  if (kept < 0) return CR_REPLAN_FAILED;
  CrPathResult result = cr_query_finish_path(context->query, context->route, context->route_capacity);
  if (result.count < 1) return CR_REPLAN_FAILED;
  cr__join_begin(context, kept + result.count);
  int32_t size = cr__join_append(context, 0, corridor->path, kept);
  size = cr__join_append(context, size, context->route, result.count);
  settle_flags(corridor, &session, cr__join_store(context, corridor, size) && !result.truncated);
  return session.outcome;
}

CrReplanOutcome cr_corridor_replan(CrCorridor *corridor, CrPathContext *context, CrVec3 extents, int64_t budget) {
  cr_corridor_replan_begin(corridor, context, extents);
  cr_corridor_replan_update(corridor, context, budget);
  return cr_corridor_replan_apply(corridor, context);
}
