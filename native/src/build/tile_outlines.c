// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The second half of a tile build as a list of stages: pieces, boundary, arcs, simplification, polygons, detail, encoding. World
// coordinates appear here for the first time, each from its global grid corner by one expression, so tiles agree bit for bit.
// Order: the tile's vertices are numbered as its polygons first use them.
#include "outline_internal.h"

static bool fill_tile(const CrGrid *grid, const CrBoundary *boundary, const CrOutlineMesh *mesh, CrArena *arena,
                      CrOutlineTile *out) {
  out->vertex_of = cr__arena_alloc(arena, boundary->vertex_count, sizeof *out->vertex_of);
  out->corner_vertex = cr__arena_alloc(arena, mesh->corner_count, sizeof *out->corner_vertex);
  out->corner_neighbour = cr__arena_alloc(arena, mesh->corner_count, sizeof *out->corner_neighbour);
  out->vertices = cr__arena_alloc(arena, mesh->corner_count, 3 * sizeof *out->vertices);
  if (!out->vertex_of || !out->corner_vertex || !out->corner_neighbour || !out->vertices) return false;
  memset(out->vertex_of, 0xFF, boundary->vertex_count * sizeof *out->vertex_of);
  for (uint32_t c = 0; c < mesh->corner_count; c++) {
    uint32_t *number = &out->vertex_of[mesh->corner_vertex[c]];
    if (*number == CR_NONE) {
      const CrOutlineCorner *corner = &boundary->vertices[mesh->corner_vertex[c]];
      double *at = out->vertices + (size_t)out->vertex_count * 3;
      at[0] = cr__grid_x(grid, corner->x);
      at[1] = cr__grid_y(grid, corner->y);
      at[2] = cr__grid_z(grid, corner->z);
      *number = out->vertex_count++;
    }
    out->corner_vertex[c] = *number;
    out->corner_neighbour[c] = cr__mesh_edge_behind(&mesh->edges, mesh->corner_edge[c]);
  }
  return true;
}

static CrSimplifyLimits simplify_limits(const CrOpenField *field, const CrBuildSettings *settings) {
  double error = settings->contour_max_error / settings->cell_size;
  double edge = settings->max_edge_length / settings->cell_size;
  int32_t half = field->cells.height / 2, climb = field->cells.climb;
  return (CrSimplifyLimits){error * error, edge * edge, climb < half ? climb : half, field->cells.height};
}

// Below 0.9 columns a sample distance means no samples.
static CrDetailSettings detail_settings(const CrBuildSettings *settings) {
  double distance = settings->detail_sample_distance / settings->cell_size;
  return (CrDetailSettings){distance < 0.9 ? 0.0 : distance, settings->detail_max_error / settings->cell_height};
}

static CrStatus trace_pieces(const CrOpenField *field, CrArena *arena, CrOutlines *o) {
  CrStatus status = cr__boundary_trace(field, &o->pieces, arena, &o->boundary);
  if (status != CR_STATUS_OK) return status;
  return cr__arcs_cut(&o->boundary, field, arena, &o->arcs) ? CR_STATUS_OK : CR_STATUS_OUT_OF_MEMORY;
}

// Takes regions for pieces where that holds, as it does for the build's own partitions; floods them else.
static CrStatus find_outlines(const CrOpenField *field, CrArena *arena, CrOutlines *o) {
  bool plausible;
  if (!cr__pieces_of_regions(field, arena, &o->pieces, &plausible)) return CR_STATUS_OUT_OF_MEMORY;
  if (plausible) {
    CrStatus status = trace_pieces(field, arena, o);
    if (status != CR_STATUS_OK || cr__boundary_is_whole(&o->boundary, &o->pieces)) return status;
  }
  if (!cr__pieces_find(field, arena, &o->pieces)) return CR_STATUS_OUT_OF_MEMORY;
  return trace_pieces(field, arena, o);
}

CrStatus cr__outlines_contours(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                               CrArena *arena) {
  *outlines = (CrOutlines){0};
  CrStatus status = find_outlines(field, arena, outlines);
  if (status != CR_STATUS_OK) return status;
  CrSimplifyLimits limits = simplify_limits(field, settings);
  bool done = cr__arcs_simplify(&outlines->boundary, &outlines->pieces, &limits, arena, &outlines->arcs);
  return done ? CR_STATUS_OK : CR_STATUS_OUT_OF_MEMORY;
}

static bool fill_flags(const CrOutlineMesh *mesh, const uint16_t *area_flags, CrArena *arena, CrOutlineTile *out) {
  if (!area_flags) return true;
  out->flags = cr__arena_alloc(arena, mesh->polygon_count, sizeof *out->flags);
  if (!out->flags) return false;
  for (uint32_t p = 0; p < mesh->polygon_count; p++) out->flags[p] = area_flags[mesh->areas[p]];
  return true;
}

CrStatus cr__outlines_polygonize(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                                 const uint16_t *area_flags, CrArena *arena) {
  CrOutlines *o = outlines;
  o->tile = (CrOutlineTile){0};
  uint32_t max_corners = (uint32_t)settings->max_verts_per_poly;
  CrStatus status = cr__polygonize(&o->boundary, &o->pieces, &o->arcs, max_corners, arena, &o->mesh);
  if (status != CR_STATUS_OK || !o->mesh.polygon_count) return status;
  bool filled = fill_tile(&field->grid, &o->boundary, &o->mesh, arena, &o->tile) &&
                fill_flags(&o->mesh, area_flags, arena, &o->tile);
  return filled ? CR_STATUS_OK : CR_STATUS_OUT_OF_MEMORY;
}

CrStatus cr__outlines_detail(CrOutlines *outlines, const CrOpenField *field, const CrBuildSettings *settings,
                             CrArena *arena) {
  CrOutlines *o = outlines;
  o->detail = (CrDetail){0};
  if (!o->mesh.polygon_count) return CR_STATUS_OK;
  CrDetailSource source = {field, &o->pieces, &o->boundary, &o->mesh, detail_settings(settings)};
  if (cr__detail_build(&source, arena, &o->detail)) return CR_STATUS_OK;
  o->detail = (CrDetail){0};  // the arena is rolled back: nothing may point there
  return CR_STATUS_OUT_OF_MEMORY;
}

CrTileDescription cr__outlines_describe(const CrOutlines *o) {
  CrTileDescription d = {.vertex_count = o->tile.vertex_count, .polygon_count = o->mesh.polygon_count};
  d.vertices = o->tile.vertices;
  d.polygon_vertex_counts = o->mesh.counts;
  d.polygon_vertices = o->tile.corner_vertex;
  d.polygon_neighbours = o->tile.corner_neighbour;
  d.polygon_areas = o->mesh.areas;
  d.polygon_flags = o->tile.flags;
  d.detail_vertex_counts = o->detail.vertex_counts;
  d.detail_triangle_counts = o->detail.triangle_counts;
  d.detail_vertices = o->detail.vertices;
  d.detail_triangles = o->detail.triangles;
  return d;
}
