// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A builder: input and settings checked, the grid laid, triangles classified and dealt out to the tiles they reach. Everything a tile needs is
// in it, so tiles can be built in any order, alone or all.
#include "builder_internal.h"

CrBuildReport cr__report_empty(void) {
  return (CrBuildReport){.first_degenerate = CR_NO_INDEX,
                         .first_duplicate = CR_NO_INDEX,
                         .first_steep = CR_NO_INDEX,
                         .first_downward = CR_NO_INDEX,
                         .first_off_mesh_outside = CR_NO_INDEX};
}

void cr_build_report_add(CrBuildReport *total, const CrBuildReport *tile) {
  total->spans += tile->spans;
  total->regions += tile->regions;
  total->contours += tile->contours;
  total->polygons += tile->polygons;
  total->vertices += tile->vertices;
  total->detail_triangles += tile->detail_triangles;
  total->tiles_built += tile->tiles_built;
  total->tiles_empty += tile->tiles_empty;
  for (int i = 0; i < CR_STAGE_COUNT; i++) total->stage_seconds[i] += tile->stage_seconds[i];
}

static CrStatus check_markings(const CrBuildInput *input, double largest_radius, CrError *error) {
  CrStatus status = cr__volumes_check(input->volumes, input->volume_count, "volumes", error);
  if (status == CR_STATUS_OK) {
    status = cr__volumes_check(input->obstacles, input->obstacle_count, "obstacles", error);
  }
  if (status == CR_STATUS_OK) status = cr__tile_links_check(input, largest_radius, error);
  return status;
}

static CrStatus lay(CrBuilder *b, const CrBuildSettings *settings, CrError *error) {
  CrStatus status = cr__layout(&b->input, settings, &b->layout, error);
  double largest_radius = b->layout.tiles_x ? b->layout.params.tile_size : CR_COORD_LIMIT;  // without tiles any will do
  if (status == CR_STATUS_OK) status = check_markings(&b->input, largest_radius, error);
  return status;
}

static CrTileContext make_context(const CrBuilder *b, const CrBuildSettings *settings,
                                  const CrBuildCallbacks *callbacks, const CrAllocator *allocator) {
  CrTileContext context = {.settings = *settings, .params = b->layout.params, .cells = b->layout.cells};
  context.volumes = b->input.volumes;
  context.volume_count = b->input.volume_count;
  context.obstacles = b->input.obstacles;
  context.obstacle_count = b->input.obstacle_count;
  context.area_flags = b->input.area_flags;
  if (callbacks) context.callbacks = *callbacks;
  context.allocator = cr__allocator_or_default(allocator);
  return context;
}

static CrStatus deal_out(CrBuilder *b, const CrTileWindow *only, CrError *error) {
  const CrAllocator *allocator = &b->context.allocator;
  CrTileWindow all = {0, 0, b->layout.tiles_x - 1, b->layout.tiles_z - 1};
  b->kinds = cr__alloc(allocator, b->input.triangle_count, 1);
  bool sorted = b->kinds &&
                cr__triangle_kinds(&b->input, b->context.settings.max_slope, allocator, b->kinds, &b->report) &&
                cr__tile_links_sort(&b->input, &b->layout, allocator, &b->links, &b->report);
  if (!sorted) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  return cr__tile_buckets_fill(&b->input, &b->layout, b->kinds, only ? *only : all, allocator, &b->buckets, error);
}

static CrStatus check_window(const CrLayout *layout, const CrTileWindow *only, CrError *error) {
  if (!only) return CR_STATUS_OK;
  if (only->x0 < 0 || only->x1 >= layout->tiles_x) return cr__fail(error, CR_STATUS_ARGUMENT, "tileX");
  if (only->z0 < 0 || only->z1 >= layout->tiles_z) return cr__fail(error, CR_STATUS_ARGUMENT, "tileZ");
  return CR_STATUS_OK;
}

CrStatus cr__builder_start(CrBuilder *builder, const CrBuildInput *input, const CrBuildSettings *settings,
                           const CrBuildCallbacks *callbacks, const CrAllocator *allocator, const CrTileWindow *only,
                           CrError *error) {
  if (!input) return cr__fail(error, CR_STATUS_ARGUMENT, "input");
  if (!settings) return cr__fail(error, CR_STATUS_ARGUMENT, "settings");
  *builder = (CrBuilder){.input = *input, .report = cr__report_empty()};
  CrStatus status = lay(builder, settings, error);
  if (status == CR_STATUS_OK) status = check_window(&builder->layout, only, error);
  if (status != CR_STATUS_OK) return status;
  builder->context = make_context(builder, settings, callbacks, allocator);
  status = deal_out(builder, only, error);
  if (status != CR_STATUS_OK) cr__builder_end(builder);
  return status;
}

void cr__builder_end(CrBuilder *builder) {
  const CrAllocator *allocator = &builder->context.allocator;
  cr__tile_buckets_free(allocator, &builder->buckets);
  cr__tile_links_free(allocator, &builder->links);
  cr__free(allocator, builder->kinds, builder->input.triangle_count, 1);
  builder->kinds = NULL;
}

CrStatus cr_builder_create(const CrBuildInput *input, const CrBuildSettings *settings,
                           const CrBuildCallbacks *callbacks, const CrAllocator *allocator, CrBuilder **out,
                           CrError *error) {
  CrBuilder builder;
  CrStatus status = cr__builder_start(&builder, input, settings, callbacks, allocator, NULL, error);
  if (status != CR_STATUS_OK) return status;
  CrBuilder *made = cr__alloc(&builder.context.allocator, 1, sizeof *made);
  if (!made) {
    cr__builder_end(&builder);
    return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  *made = builder;
  *out = made;
  return CR_STATUS_OK;
}

void cr_builder_destroy(CrBuilder *builder) {
  if (!builder) return;
  CrAllocator allocator = builder->context.allocator;
  cr__builder_end(builder);
  cr__free(&allocator, builder, 1, sizeof *builder);
}

CrNavMeshParams cr_builder_params(const CrBuilder *builder) { return builder->layout.params; }

void cr_builder_tile_counts(const CrBuilder *builder, int32_t *out_tiles_x, int32_t *out_tiles_z) {
  *out_tiles_x = builder->layout.tiles_x;
  *out_tiles_z = builder->layout.tiles_z;
}

const CrBuildReport *cr_builder_report(const CrBuilder *builder) { return &builder->report; }

bool cr_builder_tile_is_bare(const CrBuilder *builder, int32_t tile_x, int32_t tile_z) {
  const CrTileBuckets *buckets = &builder->buckets;
  if (!buckets->first) return false;
  CrTileWindow w = buckets->window;
  size_t tile = (size_t)(tile_z - w.z0) * (size_t)(w.x1 - w.x0 + 1) + (size_t)(tile_x - w.x0);
  uint32_t links;
  cr__tile_links_of(&builder->links, &builder->layout, tile_x, tile_z, &links);
  return links == 0 && buckets->first[tile] == buckets->first[tile + 1];
}
