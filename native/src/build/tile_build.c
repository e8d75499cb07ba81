// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A tile on its way through the stages. The table below is the pipeline: every stage takes what the one before left in the tile build. A stage
// that fails gives the memory it took back and leaves the tile as it found it.
#include "builder_internal.h"

// --- Stages -----------------------------------------------------------------------------------------------------------

// Each returns CR_STATUS_OK, CR_STATUS_OUT_OF_MEMORY, or another status with the error filled in.
typedef CrStatus (*StageFn)(CrTileBuild *build, CrError *error);

static CrStatus memory_status(bool ok) { return ok ? CR_STATUS_OK : CR_STATUS_OUT_OF_MEMORY; }

static bool rasterize_one(CrTileBuild *build, uint32_t triangle) {
  const CrBuilder *builder = build->builder;
  uint8_t kind = builder->kinds[triangle];
  if (kind == CR_TRIANGLE_SKIPPED) return true;
  const uint32_t *indices = builder->input.triangles + 3 * (size_t)triangle;
  CrVec3 corners[3];
  for (int k = 0; k < 3; k++) {
    const double *p = builder->input.vertices + 3 * (size_t)indices[k];
    corners[k] = cr__vec(p[0], p[1], p[2]);
  }
  return cr__rasterize_triangle(&build->spans, &build->arena, corners, kind, build->context->cells.climb);
}

static CrStatus rasterize(CrTileBuild *build, CrError *error) {
  (void)error;
  const CrBuilder *builder = build->builder;
  CrGrid grid = cr__layout_grid(&builder->layout, &build->context->settings, build->tile_x, build->tile_z);
  if (!cr__span_field_init(&build->spans, &grid, &build->arena)) return CR_STATUS_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < build->triangle_count; i++) {
    if (!rasterize_one(build, build->triangles ? build->triangles[i] : i)) return CR_STATUS_OUT_OF_MEMORY;
  }
  build->report.spans = cr__span_field_live(&build->spans);
  return CR_STATUS_OK;
}

static CrStatus filter_low_obstacles(CrTileBuild *build, CrError *error) {
  (void)error;
  cr__filter_low_obstacles(&build->spans, &build->context->cells);
  return CR_STATUS_OK;
}

static CrStatus filter_ledges(CrTileBuild *build, CrError *error) {
  (void)error;
  cr__filter_ledges(&build->spans, &build->context->cells);
  return CR_STATUS_OK;
}

static CrStatus filter_low_headroom(CrTileBuild *build, CrError *error) {
  (void)error;
  cr__filter_low_headroom(&build->spans, &build->context->cells);
  return CR_STATUS_OK;
}

static CrStatus compact(CrTileBuild *build, CrError *error) {
  (void)error;
  return memory_status(cr__open_field(&build->spans, &build->context->cells, &build->arena, &build->open));
}

static CrStatus erode(CrTileBuild *build, CrError *error) {
  (void)error;
  return memory_status(cr__erode(&build->open, &build->arena));
}

static CrStatus mark_volumes(CrTileBuild *build, CrError *error) {
  (void)error;
  cr__volumes_mark(&build->open, build->context->volumes, build->context->volume_count, 0.0, 0.0);
  return CR_STATUS_OK;
}

static CrStatus mark_obstacles(CrTileBuild *build, CrError *error) {
  (void)error;
  const CrTileContext *context = build->context;
  cr__obstacles_mark(&build->open, &context->settings, context->obstacles, context->obstacle_count);
  return CR_STATUS_OK;
}

static CrStatus regions(CrTileBuild *build, CrError *error) {
  (void)error;
  CrOpenField *field = &build->open;
  bool done = cr__partition(field, &build->context->settings, &build->arena);
  if (!done) {
    if (field->count) memset(field->region, 0, field->count * sizeof *field->region);
    field->region_count = 0;
    return CR_STATUS_OUT_OF_MEMORY;
  }
  build->report.regions = field->region_count;
  return CR_STATUS_OK;
}

static CrStatus limit_status(CrStatus status, CrError *error) {
  if (status == CR_STATUS_LIMIT) return cr__fail_limit(error, status, "settings.tileCells", CR_MAX_TILE_POLYS);
  return status;
}

static CrStatus contours(CrTileBuild *build, CrError *error) {
  CrStatus status = cr__outlines_contours(&build->outlines, &build->open, &build->context->settings, &build->arena);
  if (status == CR_STATUS_OK) build->report.contours = build->outlines.boundary.loop_count;
  return limit_status(status, error);
}

static CrStatus polygonize(CrTileBuild *build, CrError *error) {
  CrStatus status = cr__outlines_polygonize(&build->outlines, &build->open, &build->context->settings,
                                            build->context->area_flags, &build->arena);
  if (status == CR_STATUS_OK) {
    build->report.polygons = build->outlines.mesh.polygon_count;
    build->report.vertices = build->outlines.tile.vertex_count;
  }
  return limit_status(status, error);
}

static CrStatus detail(CrTileBuild *build, CrError *error) {
  (void)error;
  CrStatus status = cr__outlines_detail(&build->outlines, &build->open, &build->context->settings, &build->arena);
  if (status == CR_STATUS_OK) build->report.detail_triangles = build->outlines.detail.surface_triangles;
  return status;
}

static CrStatus encode(CrTileBuild *build, CrError *error) {
  if (!build->outlines.mesh.polygon_count && !build->link_count) {
    build->report.tiles_empty = 1;
    return CR_STATUS_OK;
  }
  CrTileDescription description = cr__outlines_describe(&build->outlines);
  description.x = build->tile_x;
  description.z = build->tile_z;
  description.off_mesh_count = build->link_count;
  description.off_mesh_links = build->links;
  const CrTileContext *context = build->context;
  CrStatus status = cr_tile_encode(&context->params, &description, &context->allocator, &build->bytes, error);
  if (status == CR_STATUS_OK) build->report.tiles_built = 1;
  return status;
}

static const StageFn stages[CR_STAGE_COUNT] = {
    [CR_STAGE_RASTERIZE] = rasterize,   [CR_STAGE_LOW_OBSTACLES] = filter_low_obstacles,
    [CR_STAGE_LEDGES] = filter_ledges,  [CR_STAGE_LOW_HEADROOM] = filter_low_headroom,
    [CR_STAGE_COMPACT] = compact,       [CR_STAGE_ERODE] = erode,
    [CR_STAGE_VOLUMES] = mark_volumes,  [CR_STAGE_OBSTACLES] = mark_obstacles,
    [CR_STAGE_REGIONS] = regions,       [CR_STAGE_CONTOURS] = contours,
    [CR_STAGE_POLYGONIZE] = polygonize, [CR_STAGE_DETAIL] = detail,
    [CR_STAGE_ENCODE] = encode,
};

// --- Running them -----------------------------------------------------------------------------------------------------

static double now(const CrTileBuild *build) {
  const CrBuildCallbacks *callbacks = &build->context->callbacks;
  return callbacks->clock ? callbacks->clock(callbacks->context) : 0.0;
}

CrStatus cr_tile_build_run(CrTileBuild *build, CrBuildStage stage, CrError *error) {
  if (build->next == CR_STAGE_COUNT || stage != build->next) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)build->next);
  }
  CrArenaMark mark = cr__arena_mark(&build->arena);
  double start = now(build);
  CrStatus status = stages[stage](build, error);
  if (status != CR_STATUS_OK) {
    cr__arena_roll_back(&build->arena, mark);
    return status == CR_STATUS_OUT_OF_MEMORY ? cr__fail(error, status, NULL) : status;
  }
  build->report.stage_seconds[stage] = now(build) - start;
  build->next = (CrBuildStage)(stage + 1);
  return CR_STATUS_OK;
}

CrStatus cr__build_go_on(const CrBuildCallbacks *callbacks, double progress, CrError *error) {
  if (!callbacks->progress || callbacks->progress(callbacks->context, progress)) return CR_STATUS_OK;
  return cr__fail(error, CR_STATUS_CANCELLED, NULL);
}

CrStatus cr_tile_build_run_to(CrTileBuild *build, CrBuildStage last, CrError *error) {
  if (last < 0 || last >= CR_STAGE_COUNT || last < build->next) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)build->next);
  }
  while (build->next <= last) {
    double done = (double)build->next / CR_STAGE_COUNT;
    CrStatus status =
        cr__build_go_on(&build->context->callbacks, build->progress_start + build->progress_share * done, error);
    if (status == CR_STATUS_OK) status = cr_tile_build_run(build, build->next, error);
    if (status != CR_STATUS_OK) return status;
  }
  return CR_STATUS_OK;
}

CrStatus cr_tile_rasterize(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_RASTERIZE, error);
}
CrStatus cr_tile_filter_low_obstacles(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_LOW_OBSTACLES, error);
}
CrStatus cr_tile_filter_ledges(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_LEDGES, error);
}
CrStatus cr_tile_filter_low_headroom(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_LOW_HEADROOM, error);
}
CrStatus cr_tile_compact(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_COMPACT, error);
}
CrStatus cr_tile_erode(CrTileBuild *build, CrError *error) { return cr_tile_build_run(build, CR_STAGE_ERODE, error); }
CrStatus cr_tile_mark_volumes(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_VOLUMES, error);
}
CrStatus cr_tile_mark_obstacles(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_OBSTACLES, error);
}
CrStatus cr_tile_regions(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_REGIONS, error);
}
CrStatus cr_tile_contours(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_CONTOURS, error);
}
CrStatus cr_tile_polygonize(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_POLYGONIZE, error);
}
CrStatus cr_tile_detail(CrTileBuild *build, CrError *error) { return cr_tile_build_run(build, CR_STAGE_DETAIL, error); }
CrStatus cr_tile_encode_bytes(CrTileBuild *build, CrError *error) {
  return cr_tile_build_run(build, CR_STAGE_ENCODE, error);
}

// --- Life ---------------------------------------------------------------------------------------------------------------

void cr__tile_build_resume(CrTileBuild *build, const CrTileContext *context, int32_t tile_x, int32_t tile_z,
                           const CrOffMeshLink *links, uint32_t link_count, CrBuildStage first) {
  *build = (CrTileBuild){.context = context, .tile_x = tile_x, .tile_z = tile_z, .next = first, .progress_share = 1.0};
  build->links = links;
  build->link_count = link_count;
  build->report = cr__report_empty();
  cr__arena_init(&build->arena, &context->allocator);
}

CrStatus cr__tile_build_init(CrTileBuild *build, const CrBuilder *builder, int32_t tile_x, int32_t tile_z,
                             CrError *error) {
  const CrTileBuckets *buckets = &builder->buckets;
  CrTileWindow w = buckets->window;
  if (tile_x < w.x0 || tile_x > w.x1) return cr__fail(error, CR_STATUS_ARGUMENT, "tileX");
  if (tile_z < w.z0 || tile_z > w.z1) return cr__fail(error, CR_STATUS_ARGUMENT, "tileZ");
  uint32_t link_count;
  const CrOffMeshLink *links = cr__tile_links_of(&builder->links, &builder->layout, tile_x, tile_z, &link_count);
  cr__tile_build_resume(build, &builder->context, tile_x, tile_z, links, link_count, CR_STAGE_RASTERIZE);
  build->builder = builder;
  build->triangle_count = builder->input.triangle_count;
  if (!buckets->first) return CR_STATUS_OK;
  size_t tile = (size_t)(tile_z - w.z0) * (size_t)(w.x1 - w.x0 + 1) + (size_t)(tile_x - w.x0);
  build->triangles = buckets->items + buckets->first[tile];
  build->triangle_count = (uint32_t)(buckets->first[tile + 1] - buckets->first[tile]);
  return CR_STATUS_OK;
}

void cr__tile_build_end(CrTileBuild *build) {
  cr__arena_free(&build->arena);
  cr_bytes_free(&build->bytes);
}

CrStatus cr_tile_build_create(const CrBuilder *builder, int32_t tile_x, int32_t tile_z, CrTileBuild **out,
                              CrError *error) {
  CrTileBuild build;
  CrStatus status = cr__tile_build_init(&build, builder, tile_x, tile_z, error);
  if (status != CR_STATUS_OK) return status;
  CrTileBuild *made = cr__alloc(&build.context->allocator, 1, sizeof *made);
  if (!made) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  *made = build;
  *out = made;
  return CR_STATUS_OK;
}

void cr_tile_build_destroy(CrTileBuild *build) {
  if (!build) return;
  CrAllocator allocator = build->context->allocator;
  cr__tile_build_end(build);
  cr__free(&allocator, build, 1, sizeof *build);
}

CrBuildStage cr_tile_build_next_stage(const CrTileBuild *build) { return build->next; }
const CrBuildReport *cr_tile_build_report(const CrTileBuild *build) { return &build->report; }

CrStatus cr_tile_build_take_bytes(CrTileBuild *build, CrBytes *out, CrError *error) {
  if (build->next != CR_STAGE_COUNT || build->taken) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "stage", (double)build->next);
  }
  *out = build->bytes;
  build->bytes = (CrBytes){0};
  build->taken = true;
  return CR_STATUS_OK;
}
