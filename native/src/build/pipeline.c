// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whole builds: a builder, and each of its tiles through all stages. A tile depends on the input and the layout only, so one built alone
// equals the same tile of a whole build.
// Order: tiles row by row.
#include "builder_internal.h"

CrStatus cr_build_layout(const CrBuildInput *input, const CrBuildSettings *settings, CrNavMeshParams *out_params,
                         int32_t *out_tiles_x, int32_t *out_tiles_z, CrError *error) {
  if (!input) return cr__fail(error, CR_STATUS_ARGUMENT, "input");
  if (!settings) return cr__fail(error, CR_STATUS_ARGUMENT, "settings");
  CrLayout layout;
  CrStatus status = cr__layout(input, settings, &layout, error);
  if (status != CR_STATUS_OK) return status;
  *out_params = layout.params;
  *out_tiles_x = layout.tiles_x;
  *out_tiles_z = layout.tiles_z;
  return CR_STATUS_OK;
}

// All stages of one tile; `start` and `share` are of the progress of the whole build.
static CrStatus build_tile(const CrBuilder *builder, int32_t tile_x, int32_t tile_z, double start, double share,
                           CrBytes *out, CrBuildReport *report, CrError *error) {
  CrTileBuild build;
  CrStatus status = cr__tile_build_init(&build, builder, tile_x, tile_z, error);
  if (status != CR_STATUS_OK) return status;
  build.progress_start = start;
  build.progress_share = share;
  status = cr_tile_build_run_to(&build, CR_STAGE_ENCODE, error);
  if (status == CR_STATUS_OK) status = cr_tile_build_take_bytes(&build, out, error);
  if (status == CR_STATUS_OK) cr_build_report_add(report, &build.report);
  cr__tile_build_end(&build);
  return status;
}

CrStatus cr_build_tile(const CrBuildInput *input, const CrBuildSettings *settings, int32_t tile_x, int32_t tile_z,
                       const CrAllocator *allocator, CrBytes *out, CrBuildReport *out_report, CrError *error) {
  CrBuilder builder;
  CrTileWindow window = {tile_x, tile_z, tile_x, tile_z};
  CrStatus status = cr__builder_start(&builder, input, settings, NULL, allocator, &window, error);
  if (status != CR_STATUS_OK) return status;
  CrBuildReport report = builder.report;
  status = build_tile(&builder, tile_x, tile_z, 0.0, 1.0, out, &report, error);
  cr__builder_end(&builder);
  if (status == CR_STATUS_OK && out_report) *out_report = report;
  return status;
}

static CrStatus add_tile(const CrBuilder *builder, int32_t tile_x, int32_t tile_z, size_t tile, CrNavMesh *mesh,
                         CrBuildReport *report, CrError *error) {
  double share = 1.0 / (double)builder->buckets.tile_count, start = (double)tile * share;
  if (cr_builder_tile_is_bare(builder, tile_x, tile_z)) {
    report->tiles_empty++;
    return cr__build_go_on(&builder->context.callbacks, start, error);
  }
  CrBytes bytes;
  CrStatus status = build_tile(builder, tile_x, tile_z, start, share, &bytes, report, error);
  if (status != CR_STATUS_OK || !bytes.size) return status;
  status = cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, error);
  cr_bytes_free(&bytes);
  return status;
}

static CrStatus add_tiles(const CrBuilder *builder, CrNavMesh *mesh, CrBuildReport *report, CrError *error) {
  size_t tile = 0;
  for (int32_t z = 0; z < builder->layout.tiles_z; z++) {
    for (int32_t x = 0; x < builder->layout.tiles_x; x++, tile++) {
      CrStatus status = add_tile(builder, x, z, tile, mesh, report, error);
      if (status != CR_STATUS_OK) return status;
    }
  }
  return cr__build_go_on(&builder->context.callbacks, 1.0, error);
}

static CrStatus build_mesh(const CrBuilder *builder, CrNavMesh **out, CrBuildReport *report, CrError *error) {
  CrNavMesh *mesh = NULL;
  CrStatus status = cr_navmesh_create(&builder->layout.params, &builder->context.allocator, &mesh, error);
  if (status != CR_STATUS_OK) return status;
  status = add_tiles(builder, mesh, report, error);
  if (status != CR_STATUS_OK) {
    cr_navmesh_destroy(mesh);
    return status;
  }
  *out = mesh;
  return CR_STATUS_OK;
}

CrStatus cr_build_navmesh(const CrBuildInput *input, const CrBuildSettings *settings, const CrBuildCallbacks *callbacks,
                          const CrAllocator *allocator, CrNavMesh **out, CrBuildReport *out_report, CrError *error) {
  CrBuilder builder;
  CrStatus status = cr__builder_start(&builder, input, settings, callbacks, allocator, NULL, error);
  if (status != CR_STATUS_OK) return status;
  CrBuildReport report = builder.report;
  status = build_mesh(&builder, out, &report, error);
  cr__builder_end(&builder);
  if (status == CR_STATUS_OK && out_report) *out_report = report;
  return status;
}
