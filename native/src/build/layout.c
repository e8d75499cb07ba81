// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Input validation and the grid of a build. The grid's corner is the lowest corner of the triangles used, so unused or degenerate
// geometry far away costs nothing.
#include "navmesh_internal.h"
#include "settings_internal.h"

static CrVec3 corner(const CrBuildInput *input, uint32_t triangle, uint32_t k) {
  const double *p = input->vertices + 3 * (size_t)input->triangles[3 * (size_t)triangle + k];
  return cr__vec(p[0], p[1], p[2]);
}

bool cr__triangle_is_degenerate(const CrBuildInput *input, uint32_t triangle) {
  CrVec3 a = corner(input, triangle, 0);
  CrVec3 u = cr__sub(corner(input, triangle, 1), a), v = cr__sub(corner(input, triangle, 2), a);
  return u.y * v.z == u.z * v.y && u.z * v.x == u.x * v.z && u.x * v.y == u.y * v.x;
}

static CrStatus check_input(const CrBuildInput *input, CrError *error) {
  if (!input->vertices && input->vertex_count) return cr__fail(error, CR_STATUS_ARGUMENT, "vertices");
  if (!input->triangles && input->triangle_count) return cr__fail(error, CR_STATUS_ARGUMENT, "triangles");
  if (input->vertex_count > CR_BUILD_MAX_VERTICES) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "vertices", CR_BUILD_MAX_VERTICES);
  }
  if (input->triangle_count > CR_BUILD_MAX_TRIANGLES) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "triangles", CR_BUILD_MAX_TRIANGLES);
  }
  for (size_t i = 0; i < 3 * (size_t)input->vertex_count; i++) {
    if (!(cr__abs(input->vertices[i]) < CR_COORD_LIMIT)) {
      return cr__fail_index(error, CR_STATUS_ARGUMENT, "vertices", (int64_t)(i / 3));
    }
  }
  for (size_t i = 0; i < 3 * (size_t)input->triangle_count; i++) {
    if (input->triangles[i] >= input->vertex_count) {
      return cr__fail_index(error, CR_STATUS_ARGUMENT, "triangles", (int64_t)(i / 3));
    }
  }
  for (uint32_t i = 0; input->areas && i < input->triangle_count; i++) {
    if (input->areas[i] > CR_MAX_AREA) return cr__fail_index(error, CR_STATUS_ARGUMENT, "areas", i);
  }
  return CR_STATUS_OK;
}

static void grow_box(CrLayout *layout, CrVec3 p) {
  layout->min = cr__vec(cr__min(layout->min.x, p.x), cr__min(layout->min.y, p.y), cr__min(layout->min.z, p.z));
  layout->max = cr__vec(cr__max(layout->max.x, p.x), cr__max(layout->max.y, p.y), cr__max(layout->max.z, p.z));
}

// Whether there is any triangle to lay a grid around.
static bool measure(const CrBuildInput *input, CrLayout *layout) {
  const double far = CR_COORD_LIMIT;
  bool any = false;
  layout->min = cr__vec(far, far, far);
  layout->max = cr__vec(-far, -far, -far);
  for (uint32_t i = 0; i < input->triangle_count; i++) {
    if (cr__triangle_is_degenerate(input, i)) continue;
    any = true;
    for (uint32_t k = 0; k < 3; k++) grow_box(layout, corner(input, i, k));
  }
  return any;
}

// Cells that cover an extent, at least 1; negative when there are too many.
static int32_t cells_of(double extent, double cell) {
  double cells = cr__ceil(cr__snap(extent / cell));
  if (!(cells <= CR_BUILD_MAX_GRID_CELLS)) return -1;
  return cells < 1.0 ? 1 : (int32_t)cells;
}

static CrStatus lay_tiles(const CrBuildSettings *settings, CrLayout *layout, CrError *error) {
  layout->tile_cells = settings->tile_cells;
  if (layout->tile_cells == 0) {
    layout->tiles_x = layout->tiles_z = 1;
    if ((int64_t)layout->width * layout->depth > CR_BUILD_MAX_COLUMNS) {
      return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.cellSize", CR_BUILD_MAX_COLUMNS);
    }
    return CR_STATUS_OK;
  }
  layout->border =
      layout->cells.radius + 3;  // erosion reaches radius cells in; filters and the distance field a little more
  layout->tiles_x = (layout->width + layout->tile_cells - 1) / layout->tile_cells;
  layout->tiles_z = (layout->depth + layout->tile_cells - 1) / layout->tile_cells;
  int64_t side = (int64_t)layout->tile_cells + 2 * layout->border;
  if (side * side > CR_BUILD_MAX_COLUMNS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.tileCells", CR_BUILD_MAX_COLUMNS);
  }
  if ((int64_t)layout->tiles_x * layout->tiles_z > CR_MAX_TILE_SLOTS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.tileCells", CR_MAX_TILE_SLOTS);
  }
  return CR_STATUS_OK;
}

// A level that is one tile needs no square of its size: a tiny one, or none, gets the least square there is.
static double tile_size(const CrBuildSettings *settings, const CrLayout *layout) {
  if (layout->tile_cells) return layout->tile_cells * settings->cell_size;
  int32_t side = layout->width > layout->depth ? layout->width : layout->depth;
  return cr__max(side * settings->cell_size, CR_MIN_TILE_SIZE);
}

static void set_params(const CrBuildSettings *settings, CrLayout *layout) {
  bool used = layout->width > 0;
  layout->params = (CrNavMeshParams){
      .origin_x = used ? layout->min.x : 0.0,
      .origin_z = used ? layout->min.z : 0.0,
      .tile_size = tile_size(settings, layout),
      // Ground linked across a seam has the same corners on both sides but for simplification, which keeps within a quarter of this; storeys are
      // farther apart than the agent is tall.
      .climb = cr__max(cr__min(settings->walkable_climb, settings->agent_height / 2), settings->cell_height),
      .agent_radius = settings->agent_radius,
      .agent_height = settings->agent_height,
  };
}

// Once width and depth are known: the tiles, and the mesh they are for, which must be possible.
static CrStatus finish(const CrBuildSettings *settings, CrLayout *layout, CrError *error) {
  CrStatus status = layout->width > 0 ? lay_tiles(settings, layout, error) : CR_STATUS_OK;
  if (status != CR_STATUS_OK) return status;
  set_params(settings, layout);
  double size = layout->params.tile_size, cells = size / settings->cell_size;
  if (size < CR_MIN_TILE_SIZE) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.cellSize", CR_MIN_TILE_SIZE / cells);
  }
  if (size > CR_MAX_TILE_SIZE) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.cellSize", CR_MAX_TILE_SIZE / cells);
  }
  return CR_STATUS_OK;
}

CrStatus cr__layout(const CrBuildInput *input, const CrBuildSettings *settings, CrLayout *out, CrError *error) {
  memset(out, 0, sizeof *out);
  out->cell_size = settings->cell_size;
  CrStatus status = cr__settings_validate(settings, error);
  if (status == CR_STATUS_OK) status = check_input(input, error);
  if (status != CR_STATUS_OK) return status;
  out->cells = cr__settings_cells(settings);
  if (!measure(input, out)) return finish(settings, out, error);
  out->width = cells_of(out->max.x - out->min.x, settings->cell_size);
  out->depth = cells_of(out->max.z - out->min.z, settings->cell_size);
  if (out->width < 0 || out->depth < 0) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.cellSize", CR_BUILD_MAX_GRID_CELLS);
  }
  if (cells_of(out->max.y - out->min.y, settings->cell_height) < 0) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "settings.cellHeight", CR_BUILD_MAX_GRID_CELLS);
  }
  return finish(settings, out, error);
}

CrStatus cr__layout_resume(const CrBuildSettings *settings, CrVec3 min, int32_t width, int32_t depth, CrLayout *out,
                           CrError *error) {
  memset(out, 0, sizeof *out);
  CrStatus status = cr__settings_validate(settings, error);
  if (status != CR_STATUS_OK) return status;
  out->cell_size = settings->cell_size;
  out->cells = cr__settings_cells(settings);
  out->min = min;
  out->width = width;
  out->depth = depth;
  return finish(settings, out, error);
}

CrGrid cr__layout_grid(const CrLayout *layout, const CrBuildSettings *settings, int32_t tile_x, int32_t tile_z) {
  int32_t tile = layout->tile_cells, border = layout->border;
  return (CrGrid){
      .width = tile ? tile + 2 * border : layout->width,
      .depth = tile ? tile + 2 * border : layout->depth,
      .border = border,
      .cell_x = tile_x * tile - border,
      .cell_z = tile_z * tile - border,
      .origin_x = layout->min.x,
      .origin_y = layout->min.y,
      .origin_z = layout->min.z,
      .cell_size = settings->cell_size,
      .cell_height = settings->cell_height,
  };
}
