// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Points and the polygons near them: nearest polygon in a box, closest point, height. The box is closed and a polygon
// counts when some point of its detail surface lies in it, not when its bounding box does.
#include "query_internal.h"

CrStatus cr_query_closest_point(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 point, CrVec3 *out_point, bool *out_over) {
  CrStatus status = cr__check_point(NULL, point, NULL);
  if (status != CR_STATUS_OK) return status;
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return CR_STATUS_STALE_REF;
  bool over;
  *out_point = cr__polygon_closest(tile, cr__ref_polygon(ref), point, &over);
  if (out_over) *out_over = over;
  return CR_STATUS_OK;
}

CrStatus cr_query_height(const CrNavMesh *mesh, CrPolyRef ref, double x, double z, double *out_y) {
  CrStatus status = cr__check_point(NULL, cr__vec(x, 0.0, z), NULL);
  if (status != CR_STATUS_OK) return status;
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return CR_STATUS_STALE_REF;
  uint32_t polygon = cr__ref_polygon(ref);
  if (!cr__polygon_holds(tile, polygon, x, z, CR_QUERY_EPSILON)) return CR_STATUS_NOT_FOUND;
  *out_y = cr__polygon_height(tile, polygon, x, z);
  return CR_STATUS_OK;
}

// --- Surface against box --------------------------------------------------------------------------------------------------

typedef struct Box {
  double min[3], max[3];
} Box;

static bool holds_point(const Box *box, CrVec3 p) {
  return p.x >= box->min[0] && p.x <= box->max[0] && p.y >= box->min[1] && p.y <= box->max[1] && p.z >= box->min[2] &&
         p.z <= box->max[2];
}

static double coordinate(CrVec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

// The part of a convex polygon on one side of a plane through a box face; returns its vertex count.
static int clip(const CrVec3 *in, int count, CrVec3 *out, int axis, double bound, double sign) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    CrVec3 p = in[i], q = in[i + 1 == count ? 0 : i + 1];
    double dp = sign * (bound - coordinate(p, axis)), dq = sign * (bound - coordinate(q, axis));
    if (dp >= 0.0) out[kept++] = p;
    if ((dp > 0.0 && dq < 0.0) || (dp < 0.0 && dq > 0.0)) out[kept++] = cr__lerp(p, q, dp / (dp - dq));
  }
  return kept;
}

static bool triangle_meets_box(const CrVec3 triangle[3], const Box *box) {
  CrVec3 a[10] = {triangle[0], triangle[1], triangle[2]}, b[10];
  int count = 3;
  for (int axis = 0; axis < 3 && count; axis++) {
    count = clip(a, count, b, axis, box->max[axis], 1.0);
    count = clip(b, count, a, axis, box->min[axis], -1.0);
  }
  return count > 0;
}

static bool surface_meets_box(const CrTile *tile, uint32_t polygon, const Box *box) {
  for (uint32_t t = tile->detail_first_triangle[polygon]; t < tile->detail_first_triangle[polygon + 1]; t++) {
    CrVec3 triangle[3];
    cr__triangle_corners(tile, polygon, t, triangle);
    if (triangle_meets_box(triangle, box)) return true;
  }
  return false;
}

// --- Nearest polygon ------------------------------------------------------------------------------------------------------

// First the polygons of the column about the point are looked at: among them is every polygon whose outline holds it, and
// mostly the answer. What is left is as far away as its bounding box at least, so the scan shrinks to the best distance.
#define COLUMN 1e-3  // half its width: far above what rounding can do to an outline

typedef struct NearestSearch {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  CrVec3 point;
  Box box;           // a polygon counts when its surface meets it
  Box column, scan;  // what is looked at first; what is looked at now
  bool past_column;
  CrNearestPoly best;
  double distance;
} NearestSearch;

static void try_polygon(NearestSearch *search, const CrTile *tile, uint32_t polygon) {
  if (!cr__accepts_polygon(search->filter, tile, polygon)) return;
  bool over;
  CrVec3 closest = cr__polygon_closest(tile, polygon, search->point, &over);
  double distance = cr__dist(closest, search->point);
  if (over) distance = cr__max(0.0, cr__abs(closest.y - search->point.y) - search->mesh->params.climb);
  CrPolyRef ref = cr__tile_ref(search->mesh, tile, polygon);
  // order: distance, then the smaller reference
  if (search->best.ref && distance > search->distance) return;
  if (search->best.ref && distance == search->distance && ref > search->best.ref) return;
  if (!holds_point(&search->box, closest) && !surface_meets_box(tile, polygon, &search->box)) return;
  search->best = (CrNearestPoly){ref, closest, over};
  search->distance = distance;
}

static bool boxes_meet(const CrBoxNode *node, const Box *box) {
  for (int i = 0; i < 3; i++) {
    if (node->min[i] > box->max[i] || node->max[i] < box->min[i]) return false;
  }
  return true;
}

static void try_tile(NearestSearch *search, const CrTile *tile) {
  for (int32_t i = 0; i < (int32_t)tile->node_count;) {
    const CrBoxNode *node = &tile->nodes[i];
    if (!boxes_meet(node, &search->scan)) {
      i = node->skip;
      continue;
    }
    bool tried = search->past_column && boxes_meet(node, &search->column);
    if (node->polygon >= 0 && !tried) try_polygon(search, tile, (uint32_t)node->polygon);
    i++;
  }
}

// Every tile the scan may touch: those of its squares, or all of them when it covers more squares than there are tiles.
static void try_tiles(NearestSearch *search) {
  const CrNavMesh *mesh = search->mesh;
  const CrNavMeshParams *params = &mesh->params;
  // A polygon may lie on the border line itself: half a portal tolerance beyond either side costs nothing.
  const double margin = CR_PORTAL_EPSILON;
  int64_t x0 = cr__tile_coord(search->scan.min[0] - margin, params->origin_x, params->tile_size);
  int64_t x1 = cr__tile_coord(search->scan.max[0] + margin, params->origin_x, params->tile_size);
  int64_t z0 = cr__tile_coord(search->scan.min[2] - margin, params->origin_z, params->tile_size);
  int64_t z1 = cr__tile_coord(search->scan.max[2] + margin, params->origin_z, params->tile_size);
  if ((x1 - x0 + 1) > (int64_t)mesh->slot_count / (z1 - z0 + 1)) {
    for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
      if (mesh->tiles[slot].active) try_tile(search, &mesh->tiles[slot]);
    }
    return;
  }
  for (int64_t z = z0; z <= z1; z++) {
    for (int64_t x = x0; x <= x1; x++) {
      for (uint32_t at = 0; (at = cr__tiles_at(mesh, (int32_t)x, (int32_t)z, at)) != 0;) {
        try_tile(search, &mesh->tiles[at - 1]);
      }
    }
  }
}

CrStatus cr__check_extents(CrError *error, CrVec3 extents) {
  CrStatus status = cr__check_point(error, extents, "extents");
  if (status != CR_STATUS_OK) return status;
  bool valid = extents.x >= 0.0 && extents.y >= 0.0 && extents.z >= 0.0;
  return valid ? CR_STATUS_OK : cr__fail_limit(error, CR_STATUS_ARGUMENT, "extents", 0.0);
}

// The box grown by the tolerance, so that a point computed on an edge is found with extents of zero.
static Box box_around(CrVec3 point, CrVec3 extents) {
  CrVec3 reach = cr__add(extents, cr__vec(CR_QUERY_EPSILON, CR_QUERY_EPSILON, CR_QUERY_EPSILON));
  CrVec3 low = cr__sub(point, reach), high = cr__add(point, reach);
  return (Box){{low.x, low.y, low.z}, {high.x, high.y, high.z}};
}

// The part of a box within `x`, `y` and `z` of a point.
static Box box_within(const Box *box, CrVec3 point, double x, double y, double z) {
  Box part = *box;
  const double center[3] = {point.x, point.y, point.z}, reach[3] = {x, y, z};
  for (int i = 0; i < 3; i++) {
    part.min[i] = cr__max(part.min[i], center[i] - reach[i]);
    part.max[i] = cr__min(part.max[i], center[i] + reach[i]);
  }
  return part;
}

CrNearestPoly cr__nearest_poly(const CrNavMesh *mesh, CrVec3 point, CrVec3 extents, const CrQueryFilter *filter) {
  NearestSearch search = {.mesh = mesh, .filter = filter, .point = point, .box = box_around(point, extents)};
  search.column = box_within(&search.box, point, COLUMN, DBL_MAX, COLUMN);
  search.scan = search.column;
  search.best = (CrNearestPoly){CR_INVALID_REF, point, false};
  try_tiles(&search);
  if (search.best.ref && search.distance < COLUMN) return search.best;
  search.past_column = true;
  double reach = search.best.ref ? search.distance + COLUMN : DBL_MAX;
  search.scan = box_within(&search.box, point, reach, reach, reach);
  try_tiles(&search);
  return search.best;
}

CrStatus cr_query_nearest_poly(const CrNavMeshQuery *query, CrVec3 point, CrVec3 extents, const CrQueryFilter *filter,
                               CrNearestPoly *out, CrError *error) {
  CrStatus status = cr__check_point(error, point, "point");
  if (status == CR_STATUS_OK) status = cr__check_extents(error, extents);
  if (status != CR_STATUS_OK) return status;
  *out = cr__nearest_poly(query->mesh, point, extents, filter);
  return out->ref ? CR_STATUS_OK : cr__fail(error, CR_STATUS_NOT_FOUND, "point");
}
