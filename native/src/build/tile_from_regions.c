// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The second half of a tile build as a list of stages: pieces, boundary, arcs, simplification, polygons, detail, encoding. World
// coordinates appear here for the first time, each from its global grid corner by one expression, so tiles agree bit for bit.
// Order: the tile's vertices are numbered as its polygons first use them.
#include "outline_internal.h"

typedef struct Tile {
  double *vertices;
  uint32_t *vertex_of;  // per boundary vertex: number in the tile, or CR_NONE
  uint32_t *corner_vertex, *corner_neighbour;
  uint32_t vertex_count;
} Tile;

static bool fill_tile(const CrGrid *grid, const CrBoundary *boundary, const CrOutlineMesh *mesh, CrArena *arena,
                      Tile *out) {
  out->vertex_of = cr__arena_alloc(arena, boundary->vertex_count, sizeof *out->vertex_of);
  out->corner_vertex = cr__arena_alloc(arena, mesh->corner_count, sizeof *out->corner_vertex);
  out->corner_neighbour = cr__arena_alloc(arena, mesh->corner_count, sizeof *out->corner_neighbour);
  out->vertices = cr__arena_alloc(arena, mesh->corner_count, 3 * sizeof *out->vertices);
  if (!out->vertex_of || !out->corner_vertex || !out->corner_neighbour || !out->vertices) return false;
  memset(out->vertex_of, 0xFF, boundary->vertex_count * sizeof *out->vertex_of);
  for (uint32_t c = 0; c < mesh->corner_count; c++) {
    uint32_t *number = &out->vertex_of[mesh->corner_vertex[c]];
    if (*number == CR_NONE) {
      const CrCorner *corner = &boundary->vertices[mesh->corner_vertex[c]];
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
  return (CrSimplifyLimits){error * error, edge * edge, field->cells.climb, field->cells.height};
}

// Below 0.9 columns a sample distance means no samples.
static CrDetailSettings detail_settings(const CrBuildSettings *settings) {
  double distance = settings->detail_sample_distance / settings->cell_size;
  return (CrDetailSettings){distance < 0.9 ? 0.0 : distance, settings->detail_max_error / settings->cell_height};
}

typedef struct Stages {
  CrPieces pieces;
  CrBoundary boundary;
  CrArcs arcs;
  CrOutlineMesh mesh;
  CrDetail detail;
  Tile tile;
} Stages;

static CrStatus trace_pieces(const CrOpenField *field, CrArena *arena, Stages *s) {
  CrStatus status = cr__boundary_trace(field, &s->pieces, arena, &s->boundary);
  if (status != CR_STATUS_OK) return status;
  return cr__arcs_cut(&s->boundary, field, arena, &s->arcs) ? CR_STATUS_OK : CR_STATUS_OUT_OF_MEMORY;
}

// Takes regions for pieces where that holds, as it does for the watershed's; floods them else.
static CrStatus find_outlines(const CrOpenField *field, CrArena *arena, Stages *s) {
  bool plausible;
  if (!cr__pieces_of_regions(field, arena, &s->pieces, &plausible)) return CR_STATUS_OUT_OF_MEMORY;
  if (plausible) {
    CrStatus status = trace_pieces(field, arena, s);
    if (status != CR_STATUS_OK || cr__boundary_is_whole(&s->boundary, &s->pieces)) return status;
  }
  if (!cr__pieces_find(field, arena, &s->pieces)) return CR_STATUS_OUT_OF_MEMORY;
  return trace_pieces(field, arena, s);
}

static CrStatus build_outlines(const CrOpenField *field, const CrBuildSettings *settings, CrArena *arena, Stages *s) {
  CrStatus status = find_outlines(field, arena, s);
  if (status != CR_STATUS_OK) return status;
  CrSimplifyLimits limits = simplify_limits(field, settings);
  if (!cr__arcs_simplify(&s->boundary, &s->pieces, &limits, arena, &s->arcs)) return CR_STATUS_OUT_OF_MEMORY;
  uint32_t max_corners = (uint32_t)settings->max_verts_per_poly;
  return cr__polygonize(&s->boundary, &s->pieces, &s->arcs, max_corners, arena, &s->mesh);
}

static bool build_surface(const CrOpenField *field, const CrBuildSettings *settings, CrArena *arena, Stages *s) {
  CrDetailSource source = {field, &s->pieces, &s->boundary, &s->mesh, detail_settings(settings)};
  return cr__detail_build(&source, arena, &s->detail) &&
         fill_tile(&field->grid, &s->boundary, &s->mesh, arena, &s->tile);
}

static CrTileDescription describe(const Stages *s, int32_t tile_x, int32_t tile_z) {
  CrTileDescription d = {.x = tile_x, .z = tile_z};
  d.vertex_count = s->tile.vertex_count;
  d.polygon_count = s->mesh.polygon_count;
  d.vertices = s->tile.vertices;
  d.polygon_vertex_counts = s->mesh.counts;
  d.polygon_vertices = s->tile.corner_vertex;
  d.polygon_neighbours = s->tile.corner_neighbour;
  d.polygon_areas = s->mesh.areas;
  d.detail_vertex_counts = s->detail.vertex_counts;
  d.detail_triangle_counts = s->detail.triangle_counts;
  d.detail_vertices = s->detail.vertices;
  d.detail_triangles = s->detail.triangles;
  return d;
}

CrStatus cr__tile_from_regions(const CrOpenField *field, const CrBuildSettings *settings, const CrNavMeshParams *params,
                               int32_t tile_x, int32_t tile_z, CrArena *arena, const CrAllocator *allocator,
                               CrBytes *out, CrBuildReport *report, CrError *error) {
  *out = (CrBytes){0};
  Stages s = {0};
  CrStatus status = build_outlines(field, settings, arena, &s);
  if (status == CR_STATUS_LIMIT) return cr__fail_limit(error, status, "settings.tile_cells", CR_MAX_TILE_POLYS);
  if (status != CR_STATUS_OK) return cr__fail(error, status, NULL);
  if (report) report->contours += s.boundary.loop_count;
  if (!s.mesh.polygon_count) return CR_STATUS_OK;
  if (!build_surface(field, settings, arena, &s)) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrTileDescription description = describe(&s, tile_x, tile_z);
  status = cr_tile_encode(params, &description, allocator, out, error);
  if (status != CR_STATUS_OK || !report) return status;
  report->polygons += s.mesh.polygon_count;
  report->vertices += s.tile.vertex_count;
  report->detail_triangles += s.detail.surface_triangles;
  return CR_STATUS_OK;
}
