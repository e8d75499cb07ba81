// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile build opened for reading: what each stage left, in plain arrays. Nothing is changed or kept.
// Order: spans by column (z-major), then upwards; outlines as the tracing found them.
#include "crowdreel/build_views.h"

#include "builder_internal.h"
#include "regions_internal.h"

_Static_assert(CR_VIEW_NO_AREA == CR_AREA_NONE, "areas are handed out as they are");

static CrStatus need(const CrTileBuild *build, CrBuildStage stage, CrError *error) {
  if (build->next > stage) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)stage);
}

// A build that started with open ground has no voxels.
static CrStatus need_spans(const CrTileBuild *build, CrError *error) {
  if (build->next > CR_STAGE_RASTERIZE && build->builder) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)CR_STAGE_RASTERIZE);
}

CrStatus cr_tile_build_grid(const CrTileBuild *build, CrGridView *out, CrError *error) {
  CrStatus status = need(build, CR_STAGE_RASTERIZE, error);
  if (status != CR_STATUS_OK) return status;
  const CrGrid *grid = build->builder ? &build->spans.grid : &build->open.grid;
  *out = (CrGridView){.width = grid->width,
                      .depth = grid->depth,
                      .border = grid->border,
                      .cell_x = grid->cell_x,
                      .cell_z = grid->cell_z,
                      .origin_x = grid->origin_x,
                      .origin_y = grid->origin_y,
                      .origin_z = grid->origin_z,
                      .cell_size = grid->cell_size,
                      .cell_height = grid->cell_height};
  return CR_STATUS_OK;
}

CrStatus cr_tile_build_solid_spans(const CrTileBuild *build, CrSolidSpan *out, uint32_t capacity, uint32_t *out_count,
                                   CrError *error) {
  CrStatus status = need_spans(build, error);
  if (status != CR_STATUS_OK) return status;
  const CrSpanField *field = &build->spans;
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  uint32_t count = 0;
  for (size_t column = 0; column < columns; column++) {
    for (uint32_t link = field->columns[column]; link; link = field->spans[link - 1].next, count++) {
      const CrSpan *span = &field->spans[link - 1];
      if (count < capacity) out[count] = (CrSolidSpan){(uint32_t)column, span->low, span->high, span->area};
    }
  }
  *out_count = count;
  return CR_STATUS_OK;
}

static CrOpenSpan open_span(const CrOpenField *field, size_t column, uint32_t span) {
  uint32_t region = field->region[span];
  int32_t x = (int32_t)(column % (size_t)field->grid.width), z = (int32_t)(column / (size_t)field->grid.width);
  return (CrOpenSpan){.column = (uint32_t)column,
                      .floor = field->floor[span],
                      .headroom = field->headroom[span],
                      .region = region & ~CR_BORDER_REGION,
                      .area = field->area[span],
                      .border = !cr__owns(cr__own_square(&field->grid), x, z)};
}

CrStatus cr_tile_build_open_spans(const CrTileBuild *build, CrOpenSpan *out, uint32_t capacity, uint32_t *out_count,
                                  CrError *error) {
  CrStatus status = need(build, CR_STAGE_COMPACT, error);
  if (status != CR_STATUS_OK) return status;
  const CrOpenField *field = &build->open;
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  for (size_t column = 0; column < columns; column++) {
    for (uint32_t span = field->first[column]; span < field->first[column + 1] && span < capacity; span++) {
      out[span] = open_span(field, column, span);
    }
  }
  *out_count = field->count;
  return CR_STATUS_OK;
}

CrStatus cr_tile_build_open_links(const CrTileBuild *build, uint32_t *out, uint32_t capacity, uint32_t *out_count,
                                  CrError *error) {
  CrStatus status = need(build, CR_STAGE_COMPACT, error);
  if (status != CR_STATUS_OK) return status;
  size_t spans = build->open.count < capacity ? build->open.count : capacity;
  if (spans) memcpy(out, build->open.neighbour, spans * 4 * sizeof *out);
  *out_count = build->open.count;
  return CR_STATUS_OK;
}

CrStatus cr_tile_build_distances(const CrTileBuild *build, uint16_t *out, uint32_t capacity, uint32_t *out_count,
                                 CrError *error) {
  CrStatus status = need(build, CR_STAGE_COMPACT, error);
  if (status != CR_STATUS_OK) return status;
  size_t spans = build->open.count < capacity ? build->open.count : capacity;
  CrArena arena;
  cr__arena_init(&arena, &build->context->allocator);
  const uint16_t *distances = spans ? cr__boundary_distance(&build->open, true, &arena) : NULL;
  if (distances) memcpy(out, distances, spans * sizeof *out);
  cr__arena_free(&arena);
  if (spans && !distances) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  *out_count = build->open.count;
  return CR_STATUS_OK;
}

// --- Outlines ---------------------------------------------------------------------------------------------------------

typedef struct Points {
  const CrTileBuild *build;
  double *out;  // null: only counted
  uint32_t capacity, count;
} Points;

static void push_point(Points *points, uint32_t vertex) {
  uint32_t number = points->count++;
  if (number >= points->capacity) return;
  const CrOutlineCorner *corner = &points->build->outlines.boundary.vertices[vertex];
  const CrGrid *grid = &points->build->open.grid;
  double *at = points->out + 3 * (size_t)number;
  at[0] = cr__grid_x(grid, corner->x);
  at[1] = cr__grid_y(grid, corner->y);
  at[2] = cr__grid_z(grid, corner->z);
}

static void push_raw(Points *points, const CrLoop *loop) {
  const CrHalfEdge *edges = points->build->outlines.boundary.edges;
  uint32_t e = loop->start;
  do {
    push_point(points, edges[e].start);
    e = edges[e].next;
  } while (e != loop->start);
}

static void push_kept(Points *points, const CrArc *arc, uint32_t side) {
  const CrArcs *arcs = &points->build->outlines.arcs;
  for (uint32_t k = 0; k < arc->segment_count; k++) {
    uint32_t at = side ? arc->segment_count - k : k;
    push_point(points, arcs->chain[arc->chain + arcs->kept[arc->kept + at]]);
  }
}

static void push_simplified(Points *points, const CrLoop *loop) {
  const CrOutlines *outlines = &points->build->outlines;
  const CrHalfEdge *edges = outlines->boundary.edges;
  uint32_t e = loop->start;
  bool closed;
  do {
    const CrArc *arc = &outlines->arcs.items[edges[e].arc >> 1];
    uint32_t side = edges[e].arc & 1;
    push_kept(points, arc, side);
    // An arc that is a whole loop of itself ends where it began, whichever way it is walked.
    closed = arc->ring && edges[arc->last_edge].next == arc->first_edge;
    e = edges[side ? edges[arc->first_edge].twin : arc->last_edge].next;
  } while (!closed && e != loop->start);
}

CrStatus cr_tile_build_contours(const CrTileBuild *build, bool simplified, CrContourView *out, uint32_t capacity,
                                uint32_t *out_count, double *out_points, uint32_t point_capacity,
                                uint32_t *out_point_count, CrError *error) {
  CrStatus status = need(build, CR_STAGE_CONTOURS, error);
  if (status != CR_STATUS_OK) return status;
  const CrOutlines *outlines = &build->outlines;
  Points points = {build, out_points, point_capacity, 0};
  for (uint32_t i = 0; i < outlines->boundary.loop_count; i++) {
    const CrLoop *loop = &outlines->boundary.loops[i];
    uint32_t first = points.count;
    if (simplified) {
      push_simplified(&points, loop);
    } else {
      push_raw(&points, loop);
    }
    if (i < capacity) {
      out[i] = (CrContourView){.point_count = points.count - first,
                               .area = outlines->pieces.area[loop->piece],
                               .hole = loop->area2 <= 0,
                               .region = outlines->pieces.region[loop->piece]};
    }
  }
  *out_count = outlines->boundary.loop_count;
  *out_point_count = points.count;
  return CR_STATUS_OK;
}

CrStatus cr_tile_build_description(const CrTileBuild *build, CrTileDescription *out, CrError *error) {
  CrStatus status = need(build, CR_STAGE_POLYGONIZE, error);
  if (status != CR_STATUS_OK) return status;
  *out = cr__outlines_describe(&build->outlines);
  out->x = build->tile_x;
  out->z = build->tile_z;
  out->off_mesh_count = build->link_count;
  out->off_mesh_links = build->links;
  return CR_STATUS_OK;
}
