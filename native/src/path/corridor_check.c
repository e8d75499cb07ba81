// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The corridor's invariants, spelled out for tests and debug builds. Quadratic in the corridor's length: never called by
// the engine itself.
#include "path_internal.h"

#define CR_ON_SURFACE 1e-6

static const char *check_polygons(const CrCorridor *corridor, const CrPathContext *context) {
  const CrNavMesh *mesh = context->mesh;
  for (int32_t k = 0; k < corridor->count; k++) {
    CrPolyRef ref = corridor->path[k];
    const CrTile *tile = cr__resolve(mesh, ref);
    if (!tile) return "a polygon is stale";
    if (!cr__accepts_polygon(context->filter, tile, cr__ref_polygon(ref))) return "a polygon is rejected by the filter";
    if (k > 0 && !cr__connected(mesh, corridor->path[k - 1], ref, context->filter))
      return "two polygons are not connected";
    for (int32_t i = 0; i < k; i++) {
      if (corridor->path[i] == ref) return "a polygon occurs twice";
    }
  }
  return NULL;
}

const char *cr__corridor_invariant(const CrCorridor *corridor, const CrPathContext *context) {
  if (corridor->count < 0 || corridor->count > corridor->capacity) return "the count is out of range";
  if (corridor->count == 0) return NULL;
  for (int32_t k = 0; k < corridor->count; k++) {
    if (cr__corridor_polygon(corridor, k) != corridor->path[k]) return "a copied polygon is another one";
  }
  const char *broken = check_polygons(corridor, context);
  if (broken) return broken;
  const CrTile *tile = cr__resolve(context->mesh, corridor->path[0]);
  CrVec3 nearest = cr__polygon_closest(tile, cr__ref_polygon(corridor->path[0]), corridor->position, NULL);
  if (cr__dist(nearest, corridor->position) > CR_ON_SURFACE) return "the position is not on the first polygon";
  if (corridor->complete && corridor->path[corridor->count - 1] != corridor->target_ref) {
    return "complete, but the last polygon is not the target's";
  }
  return NULL;
}
