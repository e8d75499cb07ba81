// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Building meshes: a builder with its input, its tiles, and the stages of a tile one by one. A whole build is a loop of the
// host's over these calls, so that it can measure, show progress and stop between them.
#include <stdlib.h>

#include "abi.h"

typedef struct Builder {
  CrwInput input;
  CrBuilder *builder;
  CrBuildReport report;  // of the triangles, and of the tiles added to a mesh
} Builder;

typedef struct TileBuild {
  CrTileBuild *build;
  Builder *owner;
} TileBuild;

CrBuilder *crw__builder(int32_t handle) {
  Builder *builder = crw__handle_get(handle, CRW_KIND_BUILDER);
  return builder ? builder->builder : NULL;
}

CrTileBuild *crw__tile_build(int32_t handle) {
  TileBuild *tile = crw__handle_get(handle, CRW_KIND_TILE_BUILD);
  return tile ? tile->build : NULL;
}

static Builder *builder_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_BUILDER); }

static int32_t stale_builder(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "build"); }
static int32_t stale_tile(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "tile"); }

void crw__builder_destroy(void *object) {
  Builder *builder = object;
  cr_builder_destroy(builder->builder);
  crw__input_close(&builder->input);
  free(builder);
}

void crw__tile_build_destroy(void *object) {
  TileBuild *tile = object;
  cr_tile_build_destroy(tile->build);
  free(tile);
}

// --- Builders ---------------------------------------------------------------------------------------------------------

// Takes the input block along. Record: NAVMESH_PARAMS, then the numbers of tiles along x and z.
CRW_EXPORT int32_t crw_builder_create(const double *settings_cells, const double *input_cells) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrBuildSettings settings;
  crw__take_settings(settings_cells, &settings);
  Builder *made = malloc(sizeof *made);
  if (!made) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  failed = crw__input_open(input_cells, true, &made->input);
  if (!failed) {
    failed = crw__done(cr_builder_create(&made->input.input, &settings, NULL, NULL, &made->builder, crw__error()));
    if (failed) crw__input_close(&made->input);
  }
  if (failed) {
    free(made);
    return failed;
  }
  made->report = *cr_builder_report(made->builder);
  CrNavMeshParams params = cr_builder_params(made->builder);
  int32_t tiles_x, tiles_z;
  cr_builder_tile_counts(made->builder, &tiles_x, &tiles_z);
  double *at = crw__put_params(crw__record(), &params);
  CRW_PUT_I32(tiles_x)
  CRW_PUT_I32(tiles_z)
  return crw__handle_add(CRW_KIND_BUILDER, made, 0);
}

// Record: BUILD_REPORT of the input's triangles and links, and of the tiles that crw_tile_build_add has added so far.
CRW_EXPORT int32_t crw_builder_report(int32_t handle) {
  Builder *builder = builder_of(handle);
  if (!builder) return stale_builder();
  crw__put_report(crw__record(), &builder->report);
  return 0;
}

static int32_t check_tile(const Builder *builder, int32_t x, int32_t z) {
  int32_t tiles_x, tiles_z;
  cr_builder_tile_counts(builder->builder, &tiles_x, &tiles_z);
  if (x < 0 || x >= tiles_x) return crw__fail_limit(CR_STATUS_ARGUMENT, "x", tiles_x);
  if (z < 0 || z >= tiles_z) return crw__fail_limit(CR_STATUS_ARGUMENT, "z", tiles_z);
  return 0;
}

// 1 when no triangle and no link reaches the tile (it then counts as an empty one), else 0.
CRW_EXPORT int32_t crw_builder_skip_tile(int32_t handle, int32_t x, int32_t z) {
  Builder *builder = builder_of(handle);
  if (!builder) return stale_builder();
  int32_t failed = check_tile(builder, x, z);
  if (failed) return failed;
  bool bare = cr_builder_tile_is_bare(builder->builder, x, z);
  builder->report.tiles_empty += bare;
  return bare;
}

// --- Tiles ------------------------------------------------------------------------------------------------------------

CRW_EXPORT int32_t crw_tile_build_create(int32_t handle, int32_t x, int32_t z) {
  Builder *builder = builder_of(handle);
  if (!builder) return stale_builder();
  int32_t failed = check_tile(builder, x, z);
  if (!failed) failed = crw__handle_reserve();
  if (failed) return failed;
  TileBuild *made = malloc(sizeof *made);
  if (!made) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  made->owner = builder;
  CrStatus status = cr_tile_build_create(builder->builder, x, z, &made->build, crw__error());
  if (status) {
    free(made);
    return crw__done(status);
  }
  return crw__handle_add(CRW_KIND_TILE_BUILD, made, handle);
}

// Runs one stage, which must be the next one. Returns the stage after it.
CRW_EXPORT int32_t crw_tile_build_run(int32_t handle, int32_t stage) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  CrStatus status = cr_tile_build_run(build, (CrBuildStage)stage, crw__error());
  return status ? crw__done(status) : (int32_t)cr_tile_build_next_stage(build);
}

// Record: BUILD_REPORT of this tile so far. Returns the stage to run next.
CRW_EXPORT int32_t crw_tile_build_report(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  crw__put_report(crw__record(), cr_tile_build_report(build));
  return (int32_t)cr_tile_build_next_stage(build);
}

// Bulk result: the tile, once.
CRW_EXPORT int32_t crw_tile_build_take_bytes(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  CrBytes bytes = {0};
  CrStatus status = cr_tile_build_take_bytes(build, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// Adds the finished tile to a mesh, when it is not empty, and its counts to the builder's report. It can be taken once.
CRW_EXPORT int32_t crw_tile_build_add(int32_t handle, int32_t mesh_handle) {
  TileBuild *tile = crw__handle_get(handle, CRW_KIND_TILE_BUILD);
  if (!tile) return stale_tile();
  CrNavMesh *mesh = crw__mesh(mesh_handle);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  CrBytes bytes = {0};
  CrStatus status = cr_tile_build_take_bytes(tile->build, &bytes, crw__error());
  if (status) return crw__done(status);
  if (bytes.size) status = cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, crw__error());
  cr_bytes_free(&bytes);
  if (status) return crw__done(status);
  cr_build_report_add(&tile->owner->report, cr_tile_build_report(tile->build));
  return 0;
}

// --- What the stages made ---------------------------------------------------------------------------------------------

// Record: GRID_VIEW.
CRW_EXPORT int32_t crw_tile_build_grid(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  CrGridView grid;
  CrStatus status = cr_tile_build_grid(build, &grid, crw__error());
  if (status) return crw__done(status);
  const CrGridView *it = &grid;
  double *at = crw__record();
  CRW_RECORD_GRID_VIEW(CRW_PUT_FIELD)
  return 0;
}

// Bulk result, for n spans: n columns (u32), n lows (i32), n highs (i32), n area bytes. Returns n.
CRW_EXPORT int32_t crw_tile_build_solid_spans(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  uint32_t count;
  CrStatus status = cr_tile_build_solid_spans(build, NULL, 0, &count, crw__error());
  if (status) return crw__done(status);
  CrSolidSpan *rows = crw__work(count * sizeof *rows);
  uint32_t *out = crw__result((size_t)count * 13);
  if (!rows || !out) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  cr_tile_build_solid_spans(build, rows, count, &count, NULL);
  uint8_t *areas = (uint8_t *)(out + (size_t)count * 3);
  for (uint32_t i = 0; i < count; i++) {
    out[i] = rows[i].column;
    out[count + i] = (uint32_t)rows[i].low;
    out[2 * (size_t)count + i] = (uint32_t)rows[i].high;
    areas[i] = rows[i].area;
  }
  return (int32_t)count;
}

// Bulk result, for n spans: n columns (u32), n floors (i32), n headrooms (i32), n regions (u32), 4 n links (u32), n distances (u16),
// n area bytes, n bytes that are 1 in the border. Returns n.
CRW_EXPORT int32_t crw_tile_build_open_spans(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  uint32_t count;
  CrStatus status = cr_tile_build_open_spans(build, NULL, 0, &count, crw__error());
  if (status) return crw__done(status);
  CrOpenSpan *rows = crw__work(count * sizeof *rows);
  uint32_t *out = crw__result((size_t)count * 36);
  if (!rows || !out) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  uint16_t *distances = (uint16_t *)(out + (size_t)count * 8);
  uint8_t *areas = (uint8_t *)(distances + count);
  status = cr_tile_build_distances(build, distances, count, &count, crw__error());
  if (status) return crw__done(status);
  cr_tile_build_open_spans(build, rows, count, &count, NULL);
  cr_tile_build_open_links(build, out + (size_t)count * 4, count, &count, NULL);
  for (uint32_t i = 0; i < count; i++) {
    out[i] = rows[i].column;
    out[count + i] = (uint32_t)rows[i].floor;
    out[2 * (size_t)count + i] = (uint32_t)rows[i].headroom;
    out[3 * (size_t)count + i] = rows[i].region;
    areas[i] = rows[i].area;
    areas[count + i] = rows[i].border;
  }
  return (int32_t)count;
}

// Bulk result, for n outlines with p points: 3 p doubles, n point counts (u32), n regions (u32), n area bytes, n bytes that are 1 for
// holes. Returns n; record: p.
CRW_EXPORT int32_t crw_tile_build_contours(int32_t handle, int32_t simplified) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  uint32_t count, points;
  CrStatus status = cr_tile_build_contours(build, simplified != 0, NULL, 0, &count, NULL, 0, &points, crw__error());
  if (status) return crw__done(status);
  CrContourView *rows = crw__work(count * sizeof *rows);
  double *positions = crw__result((size_t)points * 24 + (size_t)count * 10);
  if (!rows || !positions) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  cr_tile_build_contours(build, simplified != 0, rows, count, &count, positions, points, &points, NULL);
  uint32_t *counts = (uint32_t *)(positions + (size_t)points * 3);
  uint8_t *areas = (uint8_t *)(counts + 2 * (size_t)count);
  for (uint32_t i = 0; i < count; i++) {
    counts[i] = rows[i].point_count;
    counts[count + i] = rows[i].region;
    areas[i] = rows[i].area;
    areas[count + i] = rows[i].hole;
  }
  *crw__record() = points;
  return (int32_t)count;
}

static uint32_t corner_count(const CrTileDescription *tile) {
  uint32_t corners = 0;
  for (uint32_t p = 0; p < tile->polygon_count; p++) corners += tile->polygon_vertex_counts[p];
  return corners;
}

// Bulk result, for n polygons with c corners and v vertices: 3 v doubles, c vertex numbers (u32), c neighbours (u32), n flags (u16),
// n corner counts (bytes), n area bytes. Returns n; record: v, c.
CRW_EXPORT int32_t crw_tile_build_polygons(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  CrTileDescription tile;
  CrStatus status = cr_tile_build_description(build, &tile, crw__error());
  if (status) return crw__done(status);
  size_t vertices = tile.vertex_count, corners = corner_count(&tile), polygons = tile.polygon_count;
  double *positions = crw__result(vertices * 24 + corners * 8 + polygons * 4);
  if (!positions) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  uint32_t *numbers = (uint32_t *)(positions + vertices * 3);
  uint16_t *flags = (uint16_t *)(numbers + corners * 2);
  uint8_t *counts = (uint8_t *)(flags + polygons);
  __builtin_memcpy(positions, tile.vertices, vertices * 24);
  __builtin_memcpy(numbers, tile.polygon_vertices, corners * 4);
  __builtin_memcpy(numbers + corners, tile.polygon_neighbours, corners * 4);
  for (size_t p = 0; p < polygons; p++) {
    flags[p] = tile.polygon_flags ? tile.polygon_flags[p] : 1;
    counts[p] = tile.polygon_vertex_counts[p];
    counts[polygons + p] = tile.polygon_areas[p];
  }
  double *at = crw__record();
  CRW_PUT_U32(vertices)
  CRW_PUT_U32(corners)
  return (int32_t)polygons;
}

// One pass over the surface of a tile: counts triangles, or writes them when `out` is given, with the polygon of each.
typedef struct SurfaceRows {
  double *out;
  uint32_t *polygons;
} SurfaceRows;

static const double *surface_corner(const CrTileDescription *tile, size_t first_corner, size_t first_extra,
                                    uint32_t corners, uint32_t number) {
  if (number < corners) return tile->vertices + 3 * (size_t)tile->polygon_vertices[first_corner + number];
  return tile->detail_vertices + 3 * (first_extra + number - corners);
}

static uint32_t visit_surface(const CrTileDescription *tile, const SurfaceRows *rows) {
  size_t corner = 0, extra = 0, row = 0;
  uint32_t total = 0;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    uint32_t corners = tile->polygon_vertex_counts[p];
    uint32_t own = tile->detail_triangle_counts ? tile->detail_triangle_counts[p] : 0;
    uint32_t count = own ? own : corners - 2;
    for (uint32_t t = 0; rows && t < count; t++) {
      const uint16_t *listed = own ? tile->detail_triangles + 3 * (row + t) : NULL;
      const uint16_t fan[3] = {0, (uint16_t)(t + 1), (uint16_t)(t + 2)};
      for (int k = 0; k < 3; k++) {
        const double *from = surface_corner(tile, corner, extra, corners, listed ? listed[k] : fan[k]);
        __builtin_memcpy(rows->out + 9 * (size_t)(total + t) + 3 * k, from, 24);
      }
      rows->polygons[total + t] = p;
    }
    total += count;
    row += own;
    corner += corners;
    extra += tile->detail_vertex_counts ? tile->detail_vertex_counts[p] : 0;
  }
  return total;
}

// Bulk result, for n triangles of the surface: 9 n doubles, n polygon numbers (u32). Returns n.
CRW_EXPORT int32_t crw_tile_build_detail(int32_t handle) {
  CrTileBuild *build = crw__tile_build(handle);
  if (!build) return stale_tile();
  if (cr_tile_build_next_stage(build) <= CR_STAGE_DETAIL) {
    return crw__fail_limit(CR_STATUS_ARGUMENT, "stage", CR_STAGE_DETAIL);
  }
  CrTileDescription tile;
  CrStatus status = cr_tile_build_description(build, &tile, crw__error());
  if (status) return crw__done(status);
  size_t count = visit_surface(&tile, NULL);
  double *out = crw__result(count * 76);
  if (!out) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  SurfaceRows rows = {out, (uint32_t *)(out + count * 9)};
  visit_surface(&tile, &rows);
  return (int32_t)count;
}
