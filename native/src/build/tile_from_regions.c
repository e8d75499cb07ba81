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

static CrStatus build_mesh(const CrOpenField *field, const CrBuildSettings *settings, CrArena *arena,
                           CrBoundary *boundary, CrOutlineMesh *mesh) {
  CrPieces pieces;
  CrArcs arcs;
  if (!cr__pieces_find(field, arena, &pieces)) return CR_STATUS_OUT_OF_MEMORY;
  CrStatus status = cr__boundary_trace(field, &pieces, arena, boundary);
  if (status != CR_STATUS_OK) return status;
  CrSimplifyLimits limits = simplify_limits(field, settings);
  if (!cr__arcs_cut(boundary, field, arena, &arcs)) return CR_STATUS_OUT_OF_MEMORY;
  if (!cr__arcs_simplify(boundary, &pieces, &limits, arena, &arcs)) return CR_STATUS_OUT_OF_MEMORY;
  return cr__polygonize(boundary, &pieces, &arcs, (uint32_t)settings->max_verts_per_poly, arena, mesh);
}

CrStatus cr__tile_from_regions(const CrOpenField *field, const CrBuildSettings *settings, const CrNavMeshParams *params,
                               int32_t tile_x, int32_t tile_z, CrArena *arena, const CrAllocator *allocator,
                               CrBytes *out, CrBuildReport *report, CrError *error) {
  *out = (CrBytes){0};
  CrBoundary boundary;
  CrOutlineMesh mesh;
  CrStatus status = build_mesh(field, settings, arena, &boundary, &mesh);
  if (status == CR_STATUS_LIMIT) return cr__fail_limit(error, status, "settings.tile_cells", CR_MAX_TILE_POLYS);
  if (status != CR_STATUS_OK) return cr__fail(error, status, NULL);
  if (report) report->contours += boundary.loop_count;
  if (!mesh.polygon_count) return CR_STATUS_OK;
  Tile tile = {0};
  if (!fill_tile(&field->grid, &boundary, &mesh, arena, &tile)) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrTileDescription description = {
      .x = tile_x, .z = tile_z, .vertex_count = tile.vertex_count, .polygon_count = mesh.polygon_count};
  description.vertices = tile.vertices;
  description.polygon_vertex_counts = mesh.counts;
  description.polygon_vertices = tile.corner_vertex;
  description.polygon_neighbours = tile.corner_neighbour;
  description.polygon_areas = mesh.areas;
  status = cr_tile_encode(params, &description, allocator, out, error);
  if (status != CR_STATUS_OK || !report) return status;
  report->polygons += mesh.polygon_count;
  report->vertices += tile.vertex_count;
  report->detail_triangles += mesh.corner_count - 2 * mesh.polygon_count;
  return CR_STATUS_OK;
}
