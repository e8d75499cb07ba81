// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A builder and its tiles: checked input, the triangles and off-mesh links of each tile, and the state of a tile between stages.
#ifndef CR_BUILDER_INTERNAL_H
#define CR_BUILDER_INTERNAL_H

#include "outline_internal.h"
#include "settings_internal.h"

// --- Triangles (triangle_kinds.c) -----------------------------------------------------------------------------------------

#define CR_TRIANGLE_SKIPPED 0xFE  // else 0..63, or CR_AREA_NONE for an obstacle

// What each triangle is to the rasterizer, and the counts of the report. False: out of memory.
bool cr__triangle_kinds(const CrBuildInput *input, double max_slope, const CrAllocator *allocator, uint8_t *kinds,
                        CrBuildReport *report);

// --- Triangles by tile (tile_buckets.c) -----------------------------------------------------------------------------------

// Tiles x0..x1, z0..z1, both included; empty when x0 > x1.
typedef struct CrTileWindow {
  int32_t x0, z0, x1, z1;
} CrTileWindow;

// The triangles of each tile of a window, in index order: tile t (row by row) has items[first[t]..first[t + 1]).
typedef struct CrTileBuckets {
  CrTileWindow window;
  size_t tile_count, item_count;
  size_t *first;    // null: one tile has all triangles
  uint32_t *items;  // null likewise
} CrTileBuckets;

// The input as one tile has no buckets. CR_STATUS_OUT_OF_MEMORY, CR_STATUS_LIMIT "settings.tileCells".
CrStatus cr__tile_buckets_fill(const CrBuildInput *input, const CrLayout *layout, const uint8_t *kinds,
                               CrTileWindow window, const CrAllocator *allocator, CrTileBuckets *out, CrError *error);
void cr__tile_buckets_free(const CrAllocator *allocator, CrTileBuckets *buckets);

// --- Off-mesh links by tile (tile_links.c) --------------------------------------------------------------------------------

// Links inside the grid by the tile that holds their start, then by their place in the input.
typedef struct CrTileLinks {
  CrOffMeshLink *links;
  uint32_t *tiles;  // parallel: number of the tile, row by row
  uint32_t count, capacity;
} CrTileLinks;

CrStatus cr__tile_links_check(const CrBuildInput *input, double max_radius, CrError *error);
bool cr__tile_links_sort(const CrBuildInput *input, const CrLayout *layout, const CrAllocator *allocator,
                         CrTileLinks *out, CrBuildReport *report);
void cr__tile_links_free(const CrAllocator *allocator, CrTileLinks *links);
// Those of one tile.
const CrOffMeshLink *cr__tile_links_of(const CrTileLinks *links, const CrLayout *layout, int32_t tile_x, int32_t tile_z,
                                       uint32_t *out_count);

// --- Builder (builder.c) --------------------------------------------------------------------------------------------------

struct CrBuilder {
  CrTileContext context;
  CrBuildInput input;
  CrLayout layout;
  uint8_t *kinds;  // per triangle
  CrTileBuckets buckets;
  CrTileLinks links;
  CrBuildReport report;
};

// `only` restricts the tiles that can be built; null: all.
CrStatus cr__builder_start(CrBuilder *builder, const CrBuildInput *input, const CrBuildSettings *settings,
                           const CrBuildCallbacks *callbacks, const CrAllocator *allocator, const CrTileWindow *only,
                           CrError *error);
void cr__builder_end(CrBuilder *builder);
CrBuildReport cr__report_empty(void);

// --- A tile between stages (tile_build.c) ---------------------------------------------------------------------------------

struct CrTileBuild {
  const CrTileContext *context;
  const CrBuilder *builder;   // null when it did not start with triangles
  const uint32_t *triangles;  // null: all
  uint32_t triangle_count;
  int32_t tile_x, tile_z;
  const CrOffMeshLink *links;
  uint32_t link_count;
  CrBuildStage next;
  CrArena arena;
  CrSpanField spans;
  CrOpenField open;
  CrOutlines outlines;
  CrBytes bytes;
  bool taken;
  double progress_start, progress_share;  // of the whole build
  CrBuildReport report;
};

// Asks the caller whether to go on: CR_STATUS_OK or CR_STATUS_CANCELLED.
CrStatus cr__build_go_on(const CrBuildCallbacks *callbacks, double progress, CrError *error);
// A tile build in memory of the caller's that starts at stage `first`, with the off-mesh links that start in the tile
// (borrowed). After CR_STAGE_COMPACT the caller fills `open` with what the stage finds (regions zero), from `arena`.
void cr__tile_build_resume(CrTileBuild *build, const CrTileContext *context, int32_t tile_x, int32_t tile_z,
                           const CrOffMeshLink *links, uint32_t link_count, CrBuildStage first);
// cr_tile_build_create into memory of the caller's. Both end with cr__tile_build_end.
CrStatus cr__tile_build_init(CrTileBuild *build, const CrBuilder *builder, int32_t tile_x, int32_t tile_z,
                             CrError *error);
void cr__tile_build_end(CrTileBuild *build);

#endif
