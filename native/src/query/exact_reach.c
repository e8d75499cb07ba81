// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Which polygons the start leads to, breadth first along the same ways as the search. An exact search that cannot reach its end
// would look at all the plane from every root before it knew; this knows after one look at each polygon, and then says
// which of them comes nearest to the end. Order: as found (ways in their order).
#include "exact_internal.h"

void cr__reach_clear(CrReach *reach) {
  reach->count = reach->next = 0;
  reach->complete = reach->overflown = reach->found_end = false;
  cr__table_clear(&reach->met);
}

static void meet(CrNavMeshQuery *query, CrPolyRef ref) {
  CrReach *reach = &query->exact->reach;
  CrRefSlot *slot = cr__table_slot(&reach->met, ref);
  if (slot->epoch == reach->met.epoch) return;
  if (reach->count == query->exact->capacity) {
    reach->overflown = true;
    return;
  }
  *slot = (CrRefSlot){ref, reach->met.epoch, reach->count};
  reach->queue[reach->count++] = ref;
  reach->found_end |= ref == query->search.end_ref;
}

void cr__reach_grow(CrNavMeshQuery *query, uint32_t steps) {
  CrReach *reach = &query->exact->reach;
  if (reach->count == 0) meet(query, query->search.start_ref);
  for (uint32_t i = 0; i < steps && !reach->complete && !reach->found_end && !reach->overflown; i++) {
    CrPolyRef ref = reach->queue[reach->next++];
    const CrTile *tile = cr__tile_of(query->mesh, ref);
    CrWayList ways = cr__ways(query->mesh, tile, cr__ref_polygon(ref), cr__search_filter(&query->search));
    for (CrWay way; cr__next_way(&ways, &way);) meet(query, way.target);
    reach->complete = reach->next == reach->count && !reach->overflown;
  }
}

CrPolyRef cr__reach_nearest(const CrNavMeshQuery *query, CrVec3 *out_point) {
  const CrReach *reach = &query->exact->reach;
  CrPolyRef best = CR_INVALID_REF;
  double best_distance = DBL_MAX;
  for (uint32_t i = 0; i < reach->count; i++) {
    CrPolyRef ref = reach->queue[i];
    double distance;
    CrVec3 point = cr__polygon_nearest(cr__tile_of(query->mesh, ref), cr__ref_polygon(ref), query->search.end,
                                       best_distance, &distance);
    if (distance > best_distance || (distance == best_distance && ref > best)) continue;
    best = ref;
    best_distance = distance;
    *out_point = point;
  }
  return best;
}
