// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Running sums of the areas of all accepted polygons, in reference order, kept at up to CR_AREA_MARKS places, so that drawing
// one of 100,000 polygons by area looks at a few hundred. The sums are those of one pass from the first polygon; a later pass
// from a mark adds the same numbers in the same order, so what is found does not depend on where the marks are.
// Invariant: marks hold for one stamp of the mesh and one pair of filter flags, else they are made anew.
#include "query_internal.h"

// Twice the area of the triangle of vertices 0, k, k + 1.
double cr__fan_area(const CrTile *tile, uint32_t polygon, uint32_t k) {
  CrVec3 a = cr__polygon_vertex(tile, polygon, 0), b = cr__polygon_vertex(tile, polygon, k);
  return cr__max(0.0, cr__cross_xz(a, b, cr__polygon_vertex(tile, polygon, k + 1)));
}

double cr__polygon_area(const CrTile *tile, uint32_t polygon) {
  double area = 0.0;
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  for (uint32_t k = 1; k + 1 < count; k++) area += cr__fan_area(tile, polygon, k);
  return area;
}

static bool holds(const CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter) {
  if (!marks->valid || marks->mesh_stamp != mesh->stamp || marks->filtered != (filter != NULL)) return false;
  return !filter || (marks->include_flags == filter->include_flags && marks->exclude_flags == filter->exclude_flags);
}

static void begin(CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter) {
  marks->valid = true;
  marks->mesh_stamp = mesh->stamp;
  marks->filtered = filter != NULL;
  marks->include_flags = filter ? filter->include_flags : 0;
  marks->exclude_flags = filter ? filter->exclude_flags : 0;
  marks->count = 0;
  marks->last = CR_INVALID_REF;
}

static void sum_all(CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter) {
  uint32_t stride = mesh->polygon_count / CR_AREA_MARKS + 1, passed = 0;
  double sum = 0.0;
  begin(marks, mesh, filter);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t polygon = 0; tile->active && polygon < tile->polygon_count; polygon++) {
      if (passed++ % stride == 0) marks->marks[marks->count++] = (CrAreaMark){sum, slot, polygon};
      double area = cr__accepts_polygon(filter, tile, polygon) ? cr__polygon_area(tile, polygon) : 0.0;
      if (!(area > 0.0)) continue;
      sum += area;
      marks->last = cr__tile_ref(mesh, tile, polygon);
    }
  }
  marks->whole = sum;
}

double cr__area_whole(CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter) {
  if (!holds(marks, mesh, filter)) sum_all(marks, mesh, filter);
  return marks->whole;
}

// The last mark whose sum does not exceed the limit: sums never fall.
static const CrAreaMark *last_mark_within(const CrAreaMarks *marks, double limit) {
  uint32_t low = 0, high = marks->count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (marks->marks[middle].sum <= limit) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &marks->marks[low];
}

CrPolyRef cr__area_find(const CrAreaMarks *marks, const CrNavMesh *mesh, const CrQueryFilter *filter, double limit) {
  const CrAreaMark *mark = last_mark_within(marks, limit);
  double sum = mark->sum;
  uint32_t polygon = mark->polygon;
  for (uint32_t slot = mark->slot; slot < mesh->slot_count; slot++, polygon = 0) {
    const CrTile *tile = &mesh->tiles[slot];
    for (; tile->active && polygon < tile->polygon_count; polygon++) {
      double area = cr__accepts_polygon(filter, tile, polygon) ? cr__polygon_area(tile, polygon) : 0.0;
      if (!(area > 0.0)) continue;
      sum += area;
      if (sum > limit) return cr__tile_ref(mesh, tile, polygon);
    }
  }
  return marks->last;
}
