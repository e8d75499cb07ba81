// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile cache made along a build in small steps (build_stages.h), for callers that measure, show progress or stop between
// stages. cr_tile_cache_create does the same in one call.
#ifndef CROWDREEL_TILE_CACHE_MAKER_H
#define CROWDREEL_TILE_CACHE_MAKER_H

#include "crowdreel/build_stages.h"
#include "crowdreel/tile_cache.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CrTileCacheMaker CrTileCacheMaker;

// The builder must outlive the maker. CR_STATUS_OUT_OF_MEMORY.
CrStatus cr_tile_cache_maker_create(const CrBuilder *builder, CrTileCacheMaker **out, CrError *error);
void cr_tile_cache_maker_destroy(CrTileCacheMaker *maker);

// Keeps the ground of a tile of that builder, whose next stage must be CR_STAGE_OBSTACLES (CR_STATUS_ARGUMENT "stage"). Tiles
// come row by row, each once (CR_STATUS_ARGUMENT "tile"). CR_STATUS_LIMIT as cr_tile_cache_create. All or nothing.
CrStatus cr_tile_cache_maker_keep(CrTileCacheMaker *maker, CrTileBuild *build, CrError *error);

// The finished cache: obstacles of the input become its first ones. Tiles that were not kept count as empty. The maker can
// only be destroyed then. CR_STATUS_LIMIT as cr_tile_cache_create; after a failure too the maker can only be destroyed.
CrStatus cr_tile_cache_maker_finish(CrTileCacheMaker *maker, CrTileCache **out, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
