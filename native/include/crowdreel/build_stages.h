// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A build in small steps: tile by tile, and each tile stage by stage, with what every stage made open to reading. The
// whole build (cr_build_navmesh) and the build of one tile (cr_build_tile) are made of these calls.
#ifndef CROWDREEL_BUILD_STAGES_H
#define CROWDREEL_BUILD_STAGES_H

#include "crowdreel/build.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checked input and settings, the grid they lay, and the triangles of each tile. The arrays of `input` and the
// callbacks must outlive it; `settings` is copied.
typedef struct CrBuilder CrBuilder;
// One tile on its way through the stages. It must not outlive its builder; any number of them may be alive.
typedef struct CrTileBuild CrTileBuild;

// `callbacks` may be null. Errors as cr_build_navmesh.
CrStatus cr_builder_create(const CrBuildInput *input, const CrBuildSettings *settings,
                           const CrBuildCallbacks *callbacks, const CrAllocator *allocator, CrBuilder **out,
                           CrError *error);
void cr_builder_destroy(CrBuilder *builder);
CrNavMeshParams cr_builder_params(const CrBuilder *builder);
void cr_builder_tile_counts(const CrBuilder *builder, int32_t *out_tiles_x, int32_t *out_tiles_z);
// The triangle counts of the input (the rest is 0).
const CrBuildReport *cr_builder_report(const CrBuilder *builder);

// Whether nothing can come of a tile, because no triangle and no off-mesh link reaches it: a whole build passes over it. The
// tile must be one of the builder's.
bool cr_builder_tile_is_bare(const CrBuilder *builder, int32_t tile_x, int32_t tile_z);

// Starts a tile. CR_STATUS_ARGUMENT: "tileX", "tileZ".
CrStatus cr_tile_build_create(const CrBuilder *builder, int32_t tile_x, int32_t tile_z, CrTileBuild **out,
                              CrError *error);
void cr_tile_build_destroy(CrTileBuild *build);
// The stage to run next, or CR_STAGE_COUNT when all have run.
CrBuildStage cr_tile_build_next_stage(const CrTileBuild *build);
// Counts and times of this tile so far.
const CrBuildReport *cr_tile_build_report(const CrTileBuild *build);

// Adds what the tile counted and measured to a report (not the kinds of triangles, which are the builder's).
void cr_build_report_add(CrBuildReport *total, const CrBuildReport *tile);

// The stages. Each must be called in its turn (CR_STATUS_ARGUMENT "stage" with the stage due as `limit`). One that fails changed
// nothing and may be tried again. What they do: docs/behaviour/build.md.
CrStatus cr_tile_rasterize(CrTileBuild *build, CrError *error);
CrStatus cr_tile_filter_low_obstacles(CrTileBuild *build, CrError *error);
CrStatus cr_tile_filter_ledges(CrTileBuild *build, CrError *error);
CrStatus cr_tile_filter_low_headroom(CrTileBuild *build, CrError *error);
CrStatus cr_tile_compact(CrTileBuild *build, CrError *error);
CrStatus cr_tile_erode(CrTileBuild *build, CrError *error);
CrStatus cr_tile_mark_volumes(CrTileBuild *build, CrError *error);
CrStatus cr_tile_mark_obstacles(CrTileBuild *build, CrError *error);
CrStatus cr_tile_regions(CrTileBuild *build, CrError *error);
CrStatus cr_tile_contours(CrTileBuild *build, CrError *error);
CrStatus cr_tile_polygonize(CrTileBuild *build, CrError *error);
CrStatus cr_tile_detail(CrTileBuild *build, CrError *error);
// Makes the tile's bytes.
CrStatus cr_tile_encode_bytes(CrTileBuild *build, CrError *error);
// Runs one stage, or (below) all up to and with it, asking the builder's progress callback (0..1 of this tile) before each: CR_STATUS_CANCELLED
// leaves the stages run so far.
CrStatus cr_tile_build_run(CrTileBuild *build, CrBuildStage stage, CrError *error);
CrStatus cr_tile_build_run_to(CrTileBuild *build, CrBuildStage last, CrError *error);
// The bytes after CR_STAGE_ENCODE, to the caller (empty when the tile has neither polygon nor off-mesh link); they can be taken once. CR_STATUS_ARGUMENT "stage" before.
CrStatus cr_tile_build_take_bytes(CrTileBuild *build, CrBytes *out, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
