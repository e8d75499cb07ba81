// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build settings as the front stages use them.
#ifndef CR_SETTINGS_INTERNAL_H
#define CR_SETTINGS_INTERNAL_H

#include "build_internal.h"

#define CR_BUILD_MAX_TILE_CELLS 2000
#define CR_BUILD_MAX_RADIUS_CELLS 1000.0
#define CR_BUILD_MAX_HEIGHT_CELLS 1048576.0
#define CR_BUILD_MAX_GRID_CELLS 1073741824.0  // cells of the whole build in one direction, and heights
#define CR_BUILD_SNAP 1e-6                    // coordinates this close to a cell line (in cells) lie on it

CrStatus cr__settings_validate(const CrBuildSettings *settings, CrError *error);
CrCells cr__settings_cells(const CrBuildSettings *settings);
// A coordinate in cells, moved onto a cell line it is within CR_BUILD_SNAP of.
static inline double cr__snap(double cells) {
  double nearest = cr__floor(cells + 0.5);
  return cr__abs(cells - nearest) < CR_BUILD_SNAP ? nearest : cells;
}
// Cosine of 0..90 degrees in the engine's own arithmetic.
double cr__cos_degrees(double degrees);

// Triangles of an input as the rasterizer takes them, and the grid of a whole build.
typedef struct CrLayout {
  CrNavMeshParams params;
  CrCells cells;
  CrVec3 min, max;           // around all triangles used
  int32_t width, depth;      // cells of the whole build
  int32_t tile_cells;        // 0: one tile
  int32_t tiles_x, tiles_z;  // 0 when no triangle is used
  int32_t border;
  double cell_size;
} CrLayout;

bool cr__triangle_is_degenerate(const CrBuildInput *input, uint32_t triangle);
// Validates settings, vertices, triangles and areas, and lays the grid. Allocates nothing.
CrStatus cr__layout(const CrBuildInput *input, const CrBuildSettings *settings, CrLayout *out, CrError *error);
// The layout of a build that was laid before: its lowest corner, and its size in cells (0 when no triangle was used).
CrStatus cr__layout_resume(const CrBuildSettings *settings, CrVec3 min, int32_t width, int32_t depth, CrLayout *out,
                           CrError *error);
CrGrid cr__layout_grid(const CrLayout *layout, const CrBuildSettings *settings, int32_t tile_x, int32_t tile_z);

#endif
