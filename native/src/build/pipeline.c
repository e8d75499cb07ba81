// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The list of stages, run for one tile or for every tile of a build. A tile depends on the input and the layout only, so one built alone equals the
// same tile of a whole build.
#include "settings_internal.h"

typedef struct Build {
  const CrBuildInput *input;
  const CrBuildSettings *settings;
  CrLayout layout;
  CrAllocator allocator;
  CrBuildReport *report;
  CrError *error;
  double slope_limit2;  // square of the cosine of the steepest walkable slope
} Build;

static CrStatus out_of_memory(Build *build) { return cr__fail(build->error, CR_STATUS_OUT_OF_MEMORY, NULL); }

static CrVec3 corner(const CrBuildInput *input, uint32_t triangle, uint32_t k) {
  const double *p = input->vertices + 3 * (size_t)input->triangles[3 * (size_t)triangle + k];
  return cr__vec(p[0], p[1], p[2]);
}

// Walkable: facing up, no steeper than the limit (a slope equal to it but for rounding counts).
static bool is_walkable(const Build *build, uint32_t triangle) {
  CrVec3 a = corner(build->input, triangle, 0);
  CrVec3 u = cr__sub(corner(build->input, triangle, 1), a), v = cr__sub(corner(build->input, triangle, 2), a);
  double nx = u.y * v.z - u.z * v.y, ny = u.z * v.x - u.x * v.z, nz = u.x * v.y - u.y * v.x;
  return ny > 0 && ny * ny >= build->slope_limit2 * (1.0 - 1e-9) * (nx * nx + ny * ny + nz * nz);
}

// Columns (global cells) a triangle may reach, one cell more on each side than it covers.
static void cell_range(const Build *build, uint32_t triangle, bool along_x, int32_t *first, int32_t *last) {
  double low = CR_COORD_LIMIT, high = -CR_COORD_LIMIT;
  for (uint32_t k = 0; k < 3; k++) {
    CrVec3 p = corner(build->input, triangle, k);
    double v = along_x ? p.x : p.z;
    low = cr__min(low, v);
    high = cr__max(high, v);
  }
  double origin = along_x ? build->layout.min.x : build->layout.min.z;
  *first = (int32_t)cr__floor((low - origin) / build->settings->cell_size) - 1;
  *last = (int32_t)cr__floor((high - origin) / build->settings->cell_size) + 1;
}

static CrStatus rasterize(Build *build, CrSpanField *field, CrArena *arena, const uint32_t *triangles, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint32_t triangle = triangles ? triangles[i] : i;
    if (cr__triangle_is_degenerate(build->input, triangle)) continue;
    CrVec3 corners[3];
    for (uint32_t k = 0; k < 3; k++) corners[k] = corner(build->input, triangle, k);
    uint8_t area = build->input->areas ? build->input->areas[triangle] : 0;
    if (!is_walkable(build, triangle)) area = CR_AREA_NONE;
    if (!cr__rasterize_triangle(field, arena, corners, area, build->layout.cells.climb)) return out_of_memory(build);
  }
  return CR_STATUS_OK;
}

static CrStatus run_stages(Build *build, CrArena *arena, int32_t tile_x, int32_t tile_z, const uint32_t *triangles,
                           uint32_t count, CrBytes *out) {
  const CrBuildSettings *settings = build->settings;
  CrGrid grid = cr__layout_grid(&build->layout, settings, tile_x, tile_z);
  const CrCells *cells = &build->layout.cells;
  CrSpanField spans;
  CrOpenField open;
  if (!cr__span_field_init(&spans, &grid, arena)) return out_of_memory(build);
  CrStatus status = rasterize(build, &spans, arena, triangles, count);
  if (status != CR_STATUS_OK) return status;
  cr__filter_low_obstacles(&spans, cells);
  cr__filter_ledges(&spans, cells);
  cr__filter_low_headroom(&spans, cells);
  build->report->spans += spans.span_count;
  bool ok = cr__open_field(&spans, cells, arena, &open) && cr__erode(&open, arena) &&
            cr__watershed(&open, settings->min_region_area, settings->merge_region_area, arena);
  if (!ok) return out_of_memory(build);
  build->report->regions += open.region_count;
  return cr__tile_from_regions(&open, settings, &build->layout.params, tile_x, tile_z, arena, &build->allocator, out,
                               build->report, build->error);
}

static CrStatus build_tile(Build *build, int32_t tile_x, int32_t tile_z, const uint32_t *triangles, uint32_t count,
                           CrBytes *out) {
  CrArena arena;
  cr__arena_init(&arena, &build->allocator);
  memset(out, 0, sizeof *out);
  CrStatus status = run_stages(build, &arena, tile_x, tile_z, triangles, count, out);
  cr__arena_free(&arena);
  if (status != CR_STATUS_OK) return status;
  if (out->size) {
    build->report->tiles_built++;
  } else {
    build->report->tiles_empty++;
  }
  return CR_STATUS_OK;
}

static CrStatus start(Build *build, const CrBuildInput *input, const CrBuildSettings *settings,
                      const CrAllocator *allocator, CrBuildReport *report, CrError *error) {
  if (!input) return cr__fail(error, CR_STATUS_ARGUMENT, "input");
  if (!settings) return cr__fail(error, CR_STATUS_ARGUMENT, "settings");
  *build = (Build){.input = input,
                   .settings = settings,
                   .allocator = cr__allocator_or_default(allocator),
                   .report = report,
                   .error = error};
  CrStatus status = cr__layout(input, settings, &build->layout, report, error);
  if (status != CR_STATUS_OK) return status;
  double c = cr__cos_degrees(settings->max_slope);
  build->slope_limit2 = c * c;
  for (uint32_t i = 0; i < input->triangle_count; i++) {
    if (!cr__triangle_is_degenerate(input, i) && !is_walkable(build, i)) report->triangles_steep++;
  }
  return CR_STATUS_OK;
}

CrStatus cr_build_layout(const CrBuildInput *input, const CrBuildSettings *settings, CrNavMeshParams *out_params,
                         int32_t *out_tiles_x, int32_t *out_tiles_z, CrError *error) {
  Build build;
  CrBuildReport report;
  CrStatus status = start(&build, input, settings, NULL, &report, error);
  if (status != CR_STATUS_OK) return status;
  *out_params = build.layout.params;
  *out_tiles_x = build.layout.tiles_x;
  *out_tiles_z = build.layout.tiles_z;
  return CR_STATUS_OK;
}

// Tiles a triangle can leave spans in, borders included.
static void tile_range(const Build *build, uint32_t triangle, bool along_x, int32_t *first, int32_t *last) {
  int32_t tile = build->layout.tile_cells, border = build->layout.border, low, high;
  int32_t tiles = along_x ? build->layout.tiles_x : build->layout.tiles_z;
  cell_range(build, triangle, along_x, &low, &high);
  low = low - border < 0 ? 0 : (low - border) / tile;
  high = (high + border) / tile;
  *first = low;
  *last = high < tiles - 1 ? high : tiles - 1;
}

CrStatus cr_build_tile(const CrBuildInput *input, const CrBuildSettings *settings, int32_t tile_x, int32_t tile_z,
                       const CrAllocator *allocator, CrBytes *out, CrBuildReport *out_report, CrError *error) {
  Build build;
  CrBuildReport report;
  CrStatus status = start(&build, input, settings, allocator, &report, error);
  if (status != CR_STATUS_OK) return status;
  if (tile_x < 0 || tile_x >= build.layout.tiles_x) return cr__fail(error, CR_STATUS_ARGUMENT, "tileX");
  if (tile_z < 0 || tile_z >= build.layout.tiles_z) return cr__fail(error, CR_STATUS_ARGUMENT, "tileZ");
  uint32_t *list = NULL, count = input->triangle_count;
  if (build.layout.tile_cells) {
    list = cr__alloc(&build.allocator, input->triangle_count, sizeof *list);
    if (!list) return out_of_memory(&build);
    count = 0;
    for (uint32_t i = 0; i < input->triangle_count; i++) {
      int32_t x0, x1, z0, z1;
      tile_range(&build, i, true, &x0, &x1);
      tile_range(&build, i, false, &z0, &z1);
      if (tile_x >= x0 && tile_x <= x1 && tile_z >= z0 && tile_z <= z1) list[count++] = i;
    }
  }
  CrBytes bytes;
  status = build_tile(&build, tile_x, tile_z, list, count, &bytes);
  cr__free(&build.allocator, list, input->triangle_count, sizeof *list);
  if (status != CR_STATUS_OK) return status;
  *out = bytes;
  if (out_report) *out_report = report;
  return CR_STATUS_OK;
}

// Triangles of each tile, in index order: tile t holds items[first[t]..first[t + 1]).
typedef struct Buckets {
  size_t tile_count, item_count;
  size_t *first;
  uint32_t *items;
} Buckets;

#define MAX_BUCKET_ITEMS ((size_t)1 << 28)

static void free_buckets(const Build *build, Buckets *buckets) {
  cr__free(&build->allocator, buckets->first, buckets->tile_count + 2, sizeof *buckets->first);
  cr__free(&build->allocator, buckets->items, buckets->item_count, sizeof *buckets->items);
}

// Two sweeps: `items` null counts into first[t + 2], else places at first[t + 1] (which ends as the start of t + 1).
static void sweep_triangles(const Build *build, Buckets *buckets) {
  for (uint32_t i = 0; i < build->input->triangle_count; i++) {
    if (cr__triangle_is_degenerate(build->input, i)) continue;
    int32_t x0, x1, z0, z1;
    tile_range(build, i, true, &x0, &x1);
    tile_range(build, i, false, &z0, &z1);
    for (int32_t z = z0; z <= z1; z++) {
      for (int32_t x = x0; x <= x1; x++) {
        size_t tile = (size_t)z * (size_t)build->layout.tiles_x + (size_t)x;
        if (buckets->items) {
          buckets->items[buckets->first[tile + 1]++] = i;
        } else {
          buckets->first[tile + 2]++;
        }
      }
    }
  }
}

static CrStatus fill_buckets(Build *build, Buckets *buckets) {
  *buckets = (Buckets){.tile_count = (size_t)build->layout.tiles_x * (size_t)build->layout.tiles_z};
  buckets->first = cr__alloc_zeroed(&build->allocator, buckets->tile_count + 2, sizeof *buckets->first);
  if (!buckets->first) return out_of_memory(build);
  sweep_triangles(build, buckets);
  for (size_t t = 0; t <= buckets->tile_count; t++) buckets->first[t + 1] += buckets->first[t];
  size_t items = buckets->first[buckets->tile_count + 1];
  if (items > MAX_BUCKET_ITEMS) {
    return cr__fail_limit(build->error, CR_STATUS_LIMIT, "settings.tileCells", (double)MAX_BUCKET_ITEMS);
  }
  buckets->item_count = items;
  buckets->items = cr__alloc(&build->allocator, items, sizeof *buckets->items);
  if (!buckets->items) return out_of_memory(build);
  sweep_triangles(build, buckets);
  return CR_STATUS_OK;
}

static bool go_on(const CrBuildCallbacks *callbacks, double progress) {
  return !callbacks || !callbacks->progress || callbacks->progress(callbacks->context, progress);
}

static CrStatus add_tile(Build *build, CrNavMesh *mesh, int32_t tile_x, int32_t tile_z, const uint32_t *triangles,
                         uint32_t count) {
  CrBytes bytes;
  CrStatus status = build_tile(build, tile_x, tile_z, triangles, count, &bytes);
  if (status == CR_STATUS_OK && bytes.size) {
    status = cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, build->error);
    cr_bytes_free(&bytes);
  }
  return status;
}

static CrStatus build_tiles(Build *build, const Buckets *buckets, const CrBuildCallbacks *callbacks, CrNavMesh *mesh) {
  size_t tile = 0;
  for (int32_t z = 0; z < build->layout.tiles_z; z++) {
    for (int32_t x = 0; x < build->layout.tiles_x; x++, tile++) {
      if (!go_on(callbacks, (double)tile / (double)buckets->tile_count)) {
        return cr__fail(build->error, CR_STATUS_CANCELLED, NULL);
      }
      size_t first = buckets->first[tile];
      uint32_t count = (uint32_t)(buckets->first[tile + 1] - first);
      if (count == 0) {
        build->report->tiles_empty++;
        continue;
      }
      CrStatus status = add_tile(build, mesh, x, z, buckets->items + first, count);
      if (status != CR_STATUS_OK) return status;
    }
  }
  return CR_STATUS_OK;
}

static CrStatus build_into(Build *build, const CrBuildCallbacks *callbacks, CrNavMesh *mesh) {
  if (build->layout.tiles_x == 0) return CR_STATUS_OK;
  if (build->layout.tile_cells == 0) {
    if (!go_on(callbacks, 0.0)) return cr__fail(build->error, CR_STATUS_CANCELLED, NULL);
    return add_tile(build, mesh, 0, 0, NULL, build->input->triangle_count);
  }
  Buckets buckets;
  CrStatus status = fill_buckets(build, &buckets);
  if (status == CR_STATUS_OK) status = build_tiles(build, &buckets, callbacks, mesh);
  free_buckets(build, &buckets);
  return status;
}

CrStatus cr_build_navmesh(const CrBuildInput *input, const CrBuildSettings *settings, const CrBuildCallbacks *callbacks,
                          const CrAllocator *allocator, CrNavMesh **out, CrBuildReport *out_report, CrError *error) {
  Build build;
  CrBuildReport report;
  CrNavMesh *mesh = NULL;
  CrStatus status = start(&build, input, settings, allocator, &report, error);
  if (status == CR_STATUS_OK) status = cr_navmesh_create(&build.layout.params, allocator, &mesh, error);
  if (status != CR_STATUS_OK) return status;
  status = build_into(&build, callbacks, mesh);
  if (status == CR_STATUS_OK && !go_on(callbacks, 1.0)) status = cr__fail(error, CR_STATUS_CANCELLED, NULL);
  if (status != CR_STATUS_OK) {
    cr_navmesh_destroy(mesh);
    return status;
  }
  *out = mesh;
  if (out_report) *out_report = report;
  return CR_STATUS_OK;
}
