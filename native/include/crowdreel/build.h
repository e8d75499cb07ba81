// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From triangles to navigation-mesh tiles. All settings are in world units (areas of regions in cells).
#ifndef CROWDREEL_BUILD_H
#define CROWDREEL_BUILD_H

#include "crowdreel/navmesh.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_BUILD_MAX_VERTICES 4000000
#define CR_BUILD_MAX_TRIANGLES 8000000
#define CR_BUILD_MAX_COLUMNS 4000000  // cells of one tile, border included

// How walkable ground is cut into regions before its outlines are traced (docs/behaviour/build.md).
typedef enum CrPartition {
  CR_PARTITION_WATERSHED = 0,  // few, round regions; the best polygons
  CR_PARTITION_MONOTONE = 1,   // sweeps row by row: fastest, long thin regions
  CR_PARTITION_LAYERS = 2      // sweeps joined to layers, none above itself: few regions, fast; good for tiles
} CrPartition;

typedef struct CrBuildSettings {
  double agent_radius;            // default 0.6, >= 0; eroded by ceil(radius / cell_size) cells
  double agent_height;            // default 2.0, > 0; ceil(height / cell_height) cells of headroom
  double walkable_climb;          // default 0.9, >= 0; floor(climb / cell_height) cells
  double max_slope;               // default 45 degrees, 0 <= v < 90
  double cell_size;               // default 0.3, > 0
  double cell_height;             // default 0.2, > 0
  double contour_max_error;       // default 0.39, >= 0: how far a simplified outline may be from the raw one
  double max_edge_length;         // default 12, >= 0; 0: edges are not split
  double detail_sample_distance;  // default 1.8, >= 0; below 0.9 cells: no detail samples
  double detail_max_error;        // default 0.2, >= 0
  int32_t min_region_area;        // default 64 cells, >= 0: smaller isolated regions are dropped
  int32_t merge_region_area;      // default 400 cells, >= 0: smaller regions are merged into neighbours
  int32_t max_verts_per_poly;     // default 6, 3..CR_MAX_POLY_VERTS
  CrPartition partition;          // default watershed
  int32_t tile_cells;             // default 0: the whole input as one tile; else the side of a tile in cells, >= 8
} CrBuildSettings;

CrBuildSettings cr_build_settings_default(void);

#define CR_VOLUME_MAX_CORNERS 32
#define CR_AREA_BLOCKED 0xFF  // CrVolume.area: nothing inside can be walked on

typedef enum CrVolumeShape { CR_VOLUME_BOX = 0, CR_VOLUME_CYLINDER = 1, CR_VOLUME_CONVEX = 2 } CrVolumeShape;

// An upright prism: a shape in x/z between two heights. Only the fields of its shape are read.
typedef struct CrVolume {
  CrVolumeShape shape;
  uint8_t area;                               // 0..63, or CR_AREA_BLOCKED
  double min_y, max_y;                        // min_y <= max_y, coordinates
  double center_x, center_z;                  // box, cylinder: coordinates
  double half_x, half_z;                      // box: half its sides, > 0
  double axis_x, axis_z;                      // box: direction of its own x axis, of any length; 0, 0: not rotated
  double radius;                              // cylinder: > 0
  uint32_t corner_count;                      // convex: 3..CR_VOLUME_MAX_CORNERS
  double corners[2 * CR_VOLUME_MAX_CORNERS];  // convex: x, z each, in either winding; strictly convex but for rounding
} CrVolume;

// Input geometry: the caller's arrays, only read.
typedef struct CrBuildInput {
  const double *vertices;     // 3 per vertex, finite, |v| < 2^21
  uint32_t vertex_count;      // at most CR_BUILD_MAX_VERTICES
  const uint32_t *triangles;  // 3 vertex indices per triangle; counter-clockwise seen from above is walkable
  uint32_t triangle_count;    // at most CR_BUILD_MAX_TRIANGLES
  const uint8_t *areas;       // per triangle 0..63, or null: all 0. Ignored where the slope is too steep
  const CrVolume *volumes;    // give the walkable ground inside them their area, in this order: the last one counts
  uint32_t volume_count;
  const CrVolume *obstacles;  // as volumes, but grown by the agent: what an agent standing there would touch
  uint32_t obstacle_count;
  const CrOffMeshLink *off_mesh_links;  // each goes to the tile that holds its start
  uint32_t off_mesh_count;
  const uint16_t *area_flags;  // 64: flags of the polygons of each area, or null: all 1
} CrBuildInput;

// The stages of a tile, in order.
typedef enum CrBuildStage {
  CR_STAGE_RASTERIZE = 0,
  CR_STAGE_LOW_OBSTACLES = 1,
  CR_STAGE_LEDGES = 2,
  CR_STAGE_LOW_HEADROOM = 3,
  CR_STAGE_COMPACT = 4,
  CR_STAGE_ERODE = 5,
  CR_STAGE_VOLUMES = 6,
  CR_STAGE_OBSTACLES = 7,
  CR_STAGE_REGIONS = 8,
  CR_STAGE_CONTOURS = 9,
  CR_STAGE_POLYGONIZE = 10,
  CR_STAGE_DETAIL = 11,
  CR_STAGE_ENCODE = 12,
  CR_STAGE_COUNT = 13
} CrBuildStage;

// What a build did. Of each kind of triangle the report has the number, and the index of the first one (or -1).
typedef struct CrBuildReport {
  uint32_t triangles_used;
  uint32_t triangles_degenerate;  // repeated corners or all on one line: skipped
  uint32_t triangles_duplicate;   // the same three indices and area as one before, facing the same way: skipped
  uint32_t triangles_steep;       // facing up, but too steep to walk on: an obstacle
  uint32_t triangles_downward;    // facing down or upright: an obstacle
  int64_t first_degenerate, first_duplicate, first_steep, first_downward;
  uint32_t off_mesh_outside;  // off-mesh links that start outside every tile: left out
  int64_t first_off_mesh_outside;
  uint64_t spans;  // solid spans over all tiles, borders included
  uint32_t regions, contours, polygons, vertices, detail_triangles;
  uint32_t tiles_built, tiles_empty;
  // Measured by the caller's clock, over all tiles; 0 without one. Not part of any result.
  double stage_seconds[CR_STAGE_COUNT];
} CrBuildReport;

// Called between tiles and stages with progress 0..1; return false to cancel (CR_STATUS_CANCELLED, nothing made).
typedef bool (*CrProgressFn)(void *context, double progress);
// Seconds since any fixed moment.
typedef double (*CrClockFn)(void *context);

typedef struct CrBuildCallbacks {
  CrProgressFn progress;  // may be null
  CrClockFn clock;        // may be null
  void *context;
} CrBuildCallbacks;

// Builds a whole mesh, as one tile or tiled. Errors name "settings.x", "vertices" or "triangles" with the index.
// An input with no walkable surface gives a mesh without tiles, not an error.
CrStatus cr_build_navmesh(const CrBuildInput *input, const CrBuildSettings *settings, const CrBuildCallbacks *callbacks,
                          const CrAllocator *allocator, CrNavMesh **out, CrBuildReport *out_report, CrError *error);

// The mesh parameters cr_build_navmesh would use (grid origin, tile size) and the tile counts.
CrStatus cr_build_layout(const CrBuildInput *input, const CrBuildSettings *settings, CrNavMeshParams *out_params,
                         int32_t *out_tiles_x, int32_t *out_tiles_z, CrError *error);

// Builds one tile of that layout alone: the same bytes as in the whole build. An empty tile gives empty bytes.
CrStatus cr_build_tile(const CrBuildInput *input, const CrBuildSettings *settings, int32_t tile_x, int32_t tile_z,
                       const CrAllocator *allocator, CrBytes *out, CrBuildReport *out_report, CrError *error);

// Build input files (OPBI, docs/formats/build-input.md).
CrStatus cr_build_input_write(const CrBuildInput *input, const CrBuildSettings *settings, const CrAllocator *allocator,
                              CrBytes *out, CrError *error);
// Parsed build input; owns its arrays. Free with cr_build_input_free.
typedef struct CrBuildInputFile {
  CrBuildInput input;
  CrBuildSettings settings;
  double *vertices;
  uint32_t *triangles;
  CrAllocator allocator;
} CrBuildInputFile;
CrStatus cr_build_input_read(const uint8_t *data, size_t size, const CrAllocator *allocator, CrBuildInputFile *out,
                             CrError *error);
void cr_build_input_free(CrBuildInputFile *file);

#ifdef __cplusplus
}
#endif
#endif
