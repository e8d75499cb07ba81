// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the stages of a tile build made, for reading and drawing: voxels, open ground, outlines, polygons. Each can be read once
// the stage that makes it has run, and shows what later stages changed in it.
// CR_STATUS_ARGUMENT "stage" before that, with the number of the stage needed as `limit`.
#ifndef CROWDREEL_BUILD_VIEWS_H
#define CROWDREEL_BUILD_VIEWS_H

#include "crowdreel/build_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_VIEW_NO_AREA 0xFF  // not walkable

// The cells of a tile. Column (x, z) covers world x from origin_x + (cell_x + x) * cell_size to origin_x + (cell_x + x + 1) *
// cell_size, and z likewise; height h is at world y origin_y + h * cell_height.
typedef struct CrGridView {
  int32_t width, depth;    // columns, border included
  int32_t border;          // columns on each side that belong to the tiles around
  int32_t cell_x, cell_z;  // place of column (0, 0) in the grid of the whole build
  double origin_x, origin_y, origin_z;
  double cell_size, cell_height;
} CrGridView;

// From CR_STAGE_RASTERIZE on.
CrStatus cr_tile_build_grid(const CrTileBuild *build, CrGridView *out, CrError *error);

// What is solid in column x + z * width, from height low to high, by column, then upwards.
typedef struct CrSolidSpan {
  uint32_t column;
  int32_t low, high;
  uint8_t area;  // of its top, or CR_VIEW_NO_AREA
} CrSolidSpan;

// From CR_STAGE_RASTERIZE on. Writes the first `capacity` spans and tells how many there are; `out` may be null when that is
// 0. So do the calls below.
CrStatus cr_tile_build_solid_spans(const CrTileBuild *build, CrSolidSpan *out, uint32_t capacity, uint32_t *out_count,
                                   CrError *error);

// Ground in column x + z * width with room to stand on, by column, then upwards.
typedef struct CrOpenSpan {
  uint32_t column;
  int32_t floor, headroom;  // headroom: free heights above the floor, INT32_MAX under the open sky
  uint32_t region;          // 0: none; numbers are those of the tile
  uint8_t area;             // CR_VIEW_NO_AREA where it was taken away: by the agent's radius, or blocked
  bool border;              // a column of the tiles around
} CrOpenSpan;

// From CR_STAGE_COMPACT on.
CrStatus cr_tile_build_open_spans(const CrTileBuild *build, CrOpenSpan *out, uint32_t capacity, uint32_t *out_count,
                                  CrError *error);

#define CR_VIEW_NO_SPAN UINT32_MAX

// For each open span four numbers: the open spans one steps to towards -x, +z, +x, -z, or CR_VIEW_NO_SPAN. Writes those of the first `capacity`
// spans. From CR_STAGE_COMPACT on.
CrStatus cr_tile_build_open_links(const CrTileBuild *build, uint32_t *out, uint32_t capacity, uint32_t *out_count,
                                  CrError *error);
// For each open span its distance to the nearest one that lacks a walkable neighbour or has one of another area, 2 a straight step and 3 a diagonal
// one: what erosion and the watershed go by. As they are now, from CR_STAGE_COMPACT on. Also CR_STATUS_OUT_OF_MEMORY.
CrStatus cr_tile_build_distances(const CrTileBuild *build, uint16_t *out, uint32_t capacity, uint32_t *out_count,
                                 CrError *error);

// One closed outline: its region on its left, so that holes run the other way round.
typedef struct CrContourView {
  uint32_t point_count;  // fewer than 3: simplified away
  uint8_t area;
  bool hole;
  uint32_t region;
} CrContourView;

// Outlines as traced along the cells, or simplified. `out_points` gets 3 doubles for each point, world coordinates, outline after
// outline. From CR_STAGE_CONTOURS on.
CrStatus cr_tile_build_contours(const CrTileBuild *build, bool simplified, CrContourView *out, uint32_t capacity,
                                uint32_t *out_count, double *out_points, uint32_t point_capacity,
                                uint32_t *out_point_count, CrError *error);

// The tile as it will be encoded, without detail before CR_STAGE_DETAIL. The arrays are the tile build's: valid until it is
// destroyed. From CR_STAGE_POLYGONIZE on.
CrStatus cr_tile_build_description(const CrTileBuild *build, CrTileDescription *out, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
