// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile made of an open field whose regions are there: the stages from contours on, as any tile build runs them.
#ifndef CR_TEST_FIELD_TILE_H
#define CR_TEST_FIELD_TILE_H

#include "builder_internal.h"

// Empty bytes when there is no polygon. `report` is added to.
static inline CrStatus field_tile(const CrOpenField *field, const CrBuildSettings *settings,
                                  const CrNavMeshParams *params, int32_t tile_x, const CrAllocator *allocator,
                                  CrBytes *out, CrBuildReport *report, CrError *error) {
  CrTileContext context = {.settings = *settings, .params = *params, .cells = field->cells};
  context.allocator = cr__allocator_or_default(allocator);
  CrTileBuild build;
  *out = (CrBytes){0};
  cr__tile_build_resume(&build, &context, tile_x, 0, NULL, 0, CR_STAGE_CONTOURS);
  build.open = *field;
  CrStatus status = cr_tile_build_run_to(&build, CR_STAGE_ENCODE, error);
  if (status == CR_STATUS_OK) status = cr_tile_build_take_bytes(&build, out, error);
  if (status == CR_STATUS_OK) cr_build_report_add(report, &build.report);
  cr__tile_build_end(&build);
  return status;
}

#endif
