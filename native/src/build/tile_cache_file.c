// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile caches as bytes, CRTC version 1 (docs/formats/tile-cache.md). What follows from the rest is not stored: mesh parameters,
// which tiles an obstacle touches, heights of tiles.
// Invariant: the hash is checked before the body is parsed; every tile is unpacked once on loading, so that no update meets
// layers it cannot unpack.
#include "navmesh_internal.h"
#include "tile_cache_internal.h"

#define HEADER_SIZE 16
#define HASH_SIZE 8
#define FLAG_AREA_FLAGS 1

enum { REALS = 10, INTEGERS = 5 };

// Of a build's settings, in the order they are stored in.
static const char *const fields[REALS + INTEGERS] = {
    "settings.agentRadius",     "settings.agentHeight",   "settings.walkableClimb",
    "settings.maxSlope",        "settings.cellSize",      "settings.cellHeight",
    "settings.contourMaxError", "settings.maxEdgeLength", "settings.detailSampleDistance",
    "settings.detailMaxError",  "settings.minRegionArea", "settings.mergeRegionArea",
    "settings.maxVertsPerPoly", "settings.partition",     "settings.tileCells"};

// --- Writing ----------------------------------------------------------------------------------------------------------

static void write_settings(CrWriter *writer, const CrBuildSettings *s) {
  const double reals[REALS] = {s->agent_radius,      s->agent_height,    s->walkable_climb,
                               s->max_slope,         s->cell_size,       s->cell_height,
                               s->contour_max_error, s->max_edge_length, s->detail_sample_distance,
                               s->detail_max_error};
  const int32_t integers[INTEGERS] = {s->min_region_area, s->merge_region_area, s->max_verts_per_poly,
                                      (int32_t)s->partition, s->tile_cells};
  for (int i = 0; i < REALS; i++) cr__write_f64(writer, reals[i]);
  for (int i = 0; i < INTEGERS; i++) cr__write_i32(writer, integers[i]);
  cr__write_u32(writer, 0);
}

// The fields of a shape, beside its heights.
static uint32_t shape_fields(CrVolume *volume, double **out) {
  if (volume->shape == CR_VOLUME_BOX) {
    double *box[] = {&volume->center_x, &volume->center_z, &volume->half_x,
                     &volume->half_z,   &volume->axis_x,   &volume->axis_z};
    memcpy(out, box, sizeof box);
    return CR_COUNT_OF(box);
  }
  if (volume->shape == CR_VOLUME_CYLINDER) {
    double *cylinder[] = {&volume->center_x, &volume->center_z, &volume->radius};
    memcpy(out, cylinder, sizeof cylinder);
    return CR_COUNT_OF(cylinder);
  }
  for (uint32_t i = 0; i < 2 * volume->corner_count; i++) out[i] = &volume->corners[i];
  return 2 * volume->corner_count;
}

static void write_obstacle(CrWriter *writer, const CrCacheObstacle *obstacle) {
  CrVolume volume = obstacle->volume;
  double *values[2 * CR_VOLUME_MAX_CORNERS];
  uint32_t count = shape_fields(&volume, values);
  cr__write_u64(writer, obstacle->id);
  cr__write_u8(writer, (uint8_t)volume.shape);
  cr__write_u8(writer, volume.area);
  cr__write_u16(writer, (uint16_t)volume.corner_count);  // 0 but for a polygon
  cr__write_f64(writer, volume.min_y);
  cr__write_f64(writer, volume.max_y);
  for (uint32_t i = 0; i < count; i++) cr__write_f64(writer, *values[i]);
}

static void write_tile(CrWriter *writer, const CrTileCache *cache, const CrCacheTile *tile) {
  const CrPackedLayers *layers = &tile->layers;
  cr__write_u32(writer, (uint32_t)tile->z * (uint32_t)cache->layout.tiles_x + (uint32_t)tile->x);
  cr__write_u32(writer, layers->layer_count);
  cr__write_u32(writer, layers->span_count);
  cr__write_u32(writer, layers->raw_size);
  cr__write_u32(writer, layers->size);
  cr__write_bytes(writer, layers->data, layers->size);
}

static void write_cache(CrWriter *writer, const CrTileCache *cache, uint64_t size) {
  const CrLayout *layout = &cache->layout;
  bool used = layout->width > 0;
  cr__write_bytes(writer, "CRTC", 4);
  cr__write_u8(writer, 1);
  cr__write_u8(writer, cache->has_flags ? FLAG_AREA_FLAGS : 0);
  cr__write_u16(writer, 0);
  cr__write_u64(writer, size);
  write_settings(writer, &cache->context.settings);
  cr__write_point(writer, used ? layout->min : cr__vec(0.0, 0.0, 0.0));
  cr__write_i32(writer, layout->width);
  cr__write_i32(writer, layout->depth);
  for (int i = 0; cache->has_flags && i <= CR_MAX_AREA; i++) cr__write_u16(writer, cache->area_flags[i]);
  cr__write_u32(writer, cache->links.count);
  for (uint32_t i = 0; i < cache->links.count; i++) cr__off_mesh_write(writer, &cache->links.links[i]);
  cr__write_u64(writer, cache->next_id);
  cr__write_u32(writer, (uint32_t)cache->order_count);
  for (size_t i = 0; i < cache->order_count; i++) write_obstacle(writer, &cache->obstacles[cache->order[i]]);
  cr__write_u32(writer, (uint32_t)cache->tile_count);
  for (size_t i = 0; i < cache->tile_count; i++) write_tile(writer, cache, &cache->tiles[i]);
  cr__write_u32(writer, cache->line_count);
  for (uint32_t i = 0; i < cache->line_count; i++) {
    cr__write_u32(writer, cache->line[((uint64_t)cache->line_first + i) % cache->tile_count]);
  }
}

CrStatus cr_tile_cache_save(const CrTileCache *cache, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  CrWriter counter = cr__writer_count();
  CrBytes bytes;
  write_cache(&counter, cache, 0);
  CrStatus status = cr__bytes_alloc(allocator, counter.size + HASH_SIZE, &bytes, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(bytes.data, bytes.size);
  write_cache(&writer, cache, bytes.size);
  cr__write_u64(&writer, cr_hash_bytes(bytes.data, counter.size));
  CR_ASSERT(!writer.overflow && writer.size == bytes.size);
  *out = bytes;
  return CR_STATUS_OK;
}

// --- Reading ----------------------------------------------------------------------------------------------------------

typedef struct Loading {
  CrReader reader;
  CrAllocator allocator;
  CrTileContext context;
  CrLayout layout;
  uint16_t area_flags[CR_MAX_AREA + 1];
  bool has_flags;
  CrTileLinks links;
  CrTileCache *cache;
} Loading;

static void out_of_memory(CrReader *reader) {
  if (cr__read_ok(reader)) reader->status = cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
}

static void bad_value(CrReader *reader, const char *field, size_t offset) {
  cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, offset);
}

// The whole is there and is what was written. Afterwards the reader ends where the hash begins.
static void read_header(Loading *loading) {
  CrReader *reader = &loading->reader;
  cr__read_magic(reader, "CRTC");
  cr__read_version(reader, 1);
  uint8_t flags = cr__read_u8(reader, "cache.flags");
  if (flags > FLAG_AREA_FLAGS) bad_value(reader, "cache.flags", 5);
  loading->has_flags = flags == FLAG_AREA_FLAGS;
  cr__read_zero_u16(reader, "cache.reserved");
  uint64_t size = cr__read_u64(reader, "cache.size");
  if (!cr__read_ok(reader)) return;
  if (size < HEADER_SIZE + HASH_SIZE) {
    bad_value(reader, "cache.size", 8);
  } else if (size > reader->size) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, "cache.size", 8);
  } else if (size < reader->size) {
    cr__read_fail(reader, CR_STATUS_TRAILING_BYTES, "cache.end", (size_t)size);
  }
  if (!cr__read_ok(reader)) return;
  reader->size -= HASH_SIZE;
  CrReader seal = cr__reader(reader->data + reader->size, HASH_SIZE, 0, reader->format, NULL);
  if (cr__read_u64(&seal, "cache.hash") != cr_hash_bytes(reader->data, reader->size)) {
    cr__read_fail(reader, CR_STATUS_MISMATCH, "cache.hash", reader->size);
  }
}

static void read_settings(Loading *loading) {
  CrReader *reader = &loading->reader;
  CrBuildSettings *s = &loading->context.settings;
  double *reals[REALS] = {&s->agent_radius,      &s->agent_height,    &s->walkable_climb,
                          &s->max_slope,         &s->cell_size,       &s->cell_height,
                          &s->contour_max_error, &s->max_edge_length, &s->detail_sample_distance,
                          &s->detail_max_error};
  int32_t integers[INTEGERS];
  size_t start = reader->offset;
  for (int i = 0; i < REALS; i++) *reals[i] = cr__read_f64(reader, fields[i]);
  for (int i = 0; i < INTEGERS; i++) integers[i] = cr__read_i32(reader, fields[REALS + i]);
  if (integers[3] < 0 || integers[3] > CR_PARTITION_LAYERS) bad_value(reader, fields[REALS + 3], start + 92);
  s->min_region_area = integers[0];
  s->merge_region_area = integers[1];
  s->max_verts_per_poly = integers[2];
  s->partition = (CrPartition)integers[3];
  s->tile_cells = integers[4];
  if (cr__read_u32(reader, "settings.reserved")) bad_value(reader, "settings.reserved", start + 100);
  CrError refused = {0};
  if (!cr__read_ok(reader) || cr__settings_validate(s, &refused) == CR_STATUS_OK) return;
  for (size_t i = 0; i < REALS + INTEGERS; i++) {
    if (strcmp(refused.field, fields[i]) != 0) continue;
    bad_value(reader, fields[i], start + (i < REALS ? 8 * i : 8 * REALS + 4 * (i - REALS)));
  }
}

static bool ends_inside(double low, int32_t cells, double cell_size) {
  return low + (double)(cells - 1) * cell_size < CR_COORD_LIMIT;
}

static void read_grid(Loading *loading) {
  CrReader *reader = &loading->reader;
  const CrBuildSettings *settings = &loading->context.settings;
  size_t start = reader->offset;
  CrVec3 min = cr__read_point(reader, "grid.origin");
  int32_t width = cr__read_i32_in(reader, "grid.width", 0, (int32_t)CR_BUILD_MAX_GRID_CELLS);
  int32_t depth = cr__read_i32_in(reader, "grid.depth", 0, (int32_t)CR_BUILD_MAX_GRID_CELLS);
  if (!cr__read_ok(reader)) return;
  bool empty = width == 0;
  if (empty != (depth == 0) || !ends_inside(min.z, depth, settings->cell_size)) {
    bad_value(reader, "grid.depth", start + 28);
  }
  if (!ends_inside(min.x, width, settings->cell_size)) bad_value(reader, "grid.width", start + 24);
  if (empty && (cr__bits(min.x) | cr__bits(min.y) | cr__bits(min.z))) bad_value(reader, "grid.origin", start);
  if (!cr__read_ok(reader)) return;
  if (cr__layout_resume(settings, min, width, depth, &loading->layout, NULL) != CR_STATUS_OK) {
    bad_value(reader, "grid.width", start + 24);
  }
  loading->context.params = loading->layout.params;
  loading->context.cells = loading->layout.cells;
  loading->context.allocator = loading->allocator;
}

static void read_area_flags(Loading *loading) {
  for (int i = 0; loading->has_flags && i <= CR_MAX_AREA; i++) {
    loading->area_flags[i] = cr__read_u16(&loading->reader, "cache.area_flags");
  }
}

// --- Links ------------------------------------------------------------------------------------------------------------

static CrOffMeshLink read_link(CrReader *reader) {
  CrOffMeshLink link;
  link.start = cr__read_point(reader, "link.start");
  link.end = cr__read_point(reader, "link.end");
  link.radius = cr__read_f64(reader, "link.radius");
  link.user_id = cr__read_u32(reader, "link.user_id");
  link.flags = cr__read_u16(reader, "link.flags");
  link.area = cr__read_u8(reader, "link.area");
  link.bidirectional = (uint8_t)cr__read_flag(reader, "link.bidirectional");
  return link;
}

// Sorted as the build sorts them they must be what they were: each in a tile, tiles rising.
static void sort_links(Loading *loading, const CrOffMeshLink *links, uint32_t count, size_t start) {
  CrReader *reader = &loading->reader;
  CrBuildInput input = {.off_mesh_links = links, .off_mesh_count = count};
  CrBuildReport report = cr__report_empty();
  CrError refused = {0};
  if (cr__tile_links_check(&input, loading->layout.params.tile_size, &refused) != CR_STATUS_OK) {
    bad_value(reader, "link", start + CR_OFF_MESH_BYTES * (size_t)refused.index);
  } else if (!cr__tile_links_sort(&input, &loading->layout, &loading->allocator, &loading->links, &report)) {
    out_of_memory(reader);
  } else if (loading->links.count != count) {
    bad_value(reader, "link.start", start + CR_OFF_MESH_BYTES * (size_t)report.first_off_mesh_outside);
  } else if (count && memcmp(loading->links.links, links, count * sizeof *links) != 0) {
    bad_value(reader, "links", start);
  }
}

static void read_links(Loading *loading) {
  CrReader *reader = &loading->reader;
  uint32_t count = cr__read_count(reader, "links", CR_OFF_MESH_BYTES);
  if (!cr__read_ok(reader)) return;
  size_t start = reader->offset;
  CrOffMeshLink *links = cr__alloc(&loading->allocator, count, sizeof *links);
  if (!links) {
    out_of_memory(reader);
    return;
  }
  for (uint32_t i = 0; i < count; i++) links[i] = read_link(reader);
  if (cr__read_ok(reader)) sort_links(loading, links, count, start);
  cr__free(&loading->allocator, links, count, sizeof *links);
}

// --- Obstacles --------------------------------------------------------------------------------------------------------

// An obstacle as stored; obstacles are inserted after the tiles, which come later.
static void read_obstacle(CrReader *reader, CrObstacleId last, CrCacheObstacle *out) {
  size_t start = reader->offset;
  CrVolume *volume = &out->volume;
  memset(out, 0, sizeof *out);
  out->id = cr__read_u64(reader, "obstacle.id");
  if (cr__read_ok(reader) && (out->id <= last || out->id > CR_TILE_CACHE_MAX_ID)) {
    bad_value(reader, "obstacle.id", start);
  }
  uint8_t shape = cr__read_u8(reader, "obstacle.shape");
  if (shape > CR_VOLUME_CONVEX) bad_value(reader, "obstacle.shape", start + 8);
  volume->shape = (CrVolumeShape)shape;
  volume->area = cr__read_u8(reader, "obstacle.area");
  volume->corner_count = cr__read_u16(reader, "obstacle.corners");
  uint32_t most = shape == CR_VOLUME_CONVEX ? CR_VOLUME_MAX_CORNERS : 0;
  if (volume->corner_count > most) bad_value(reader, "obstacle.corners", start + 10);
  volume->min_y = cr__read_f64(reader, "obstacle.min_y");
  volume->max_y = cr__read_f64(reader, "obstacle.max_y");
  if (!cr__read_ok(reader)) return;
  double *values[2 * CR_VOLUME_MAX_CORNERS];
  uint32_t count = shape_fields(volume, values);
  for (uint32_t i = 0; i < count; i++) *values[i] = cr__read_f64(reader, "obstacle.shape");
  CrError refused;
  if (cr__read_ok(reader) && cr__volumes_check(volume, 1, "obstacle", &refused) != CR_STATUS_OK) {
    bad_value(reader, "obstacle", start);
  }
}

// Passes over the obstacles; with a cache to put them in that has its tiles, inserts them.
static void read_obstacles(Loading *loading, CrReader *reader, bool insert) {
  CrObstacleId last = 0, next = cr__read_u64(reader, "obstacles.next_id");
  size_t next_at = reader->offset - 8;
  uint32_t count = cr__read_count(reader, "obstacles", 28 + 24);
  for (uint32_t i = 0; cr__read_ok(reader) && i < count; i++) {
    CrCacheObstacle obstacle;
    size_t start = reader->offset;
    read_obstacle(reader, last, &obstacle);
    last = obstacle.id;
    if (!insert || !cr__read_ok(reader)) continue;
    CrStatus status = cr__cache_insert(loading->cache, &obstacle.volume, obstacle.id, NULL, NULL);
    if (status == CR_STATUS_OUT_OF_MEMORY) out_of_memory(reader);
    if (status == CR_STATUS_LIMIT) bad_value(reader, "obstacles", start);
  }
  if (cr__read_ok(reader) && (next <= last || next > CR_TILE_CACHE_MAX_ID + 1)) {
    bad_value(reader, "obstacles.next_id", next_at);
  }
  if (insert) loading->cache->next_id = next;
}

// --- Tiles and the line -----------------------------------------------------------------------------------------------

static bool has_links(const CrTileCache *cache, int32_t x, int32_t z) {
  uint32_t count;
  cr__tile_links_of(&cache->links, &cache->layout, x, z, &count);
  return count > 0;
}

// Unpacks a tile to see that it can be, and adds it.
static void take_tile(Loading *loading, uint32_t position, CrPackedLayers *layers, size_t start) {
  CrReader *reader = &loading->reader;
  CrTileCache *cache = loading->cache;
  int32_t x = (int32_t)(position % (uint32_t)cache->layout.tiles_x);
  int32_t z = (int32_t)(position / (uint32_t)cache->layout.tiles_x);
  CrGrid grid = cr__layout_grid(&cache->layout, &cache->context.settings, x, z);
  CrOpenField field;
  const uint8_t *bytes = layers->data;
  cr__arena_rewind(&cache->arena);
  CrStatus status = cr__layers_unpack(layers, &grid, &cache->context.cells, &cache->arena, &field);
  if (status == CR_STATUS_BAD_VALUE || (layers->span_count == 0 && !has_links(cache, x, z))) {
    bad_value(reader, "tile.layers", start + 20);
    return;
  }
  layers->data = status == CR_STATUS_OK ? cr__alloc(&loading->allocator, layers->size, 1) : NULL;
  if (!layers->data) {
    out_of_memory(reader);
    return;
  }
  memcpy(layers->data, bytes, layers->size);
  if (!cr__cache_add_tile(cache, x, z, &field, layers)) {
    out_of_memory(reader);
    return;
  }
  const CrCacheTile *tile = &cache->tiles[cache->tile_count - 1];
  if (tile->low_y <= -CR_COORD_LIMIT || tile->high_y >= CR_COORD_LIMIT) bad_value(reader, "tile.layers", start + 20);
}

static void read_tile(Loading *loading, uint64_t first_position, uint32_t *out_position) {
  CrReader *reader = &loading->reader;
  size_t start = reader->offset;
  uint32_t position = *out_position = cr__read_u32(reader, "tile.position");
  if (cr__read_ok(reader) && (position < first_position || position >= cr__cache_positions(&loading->layout))) {
    bad_value(reader, "tile.position", start);
  }
  CrPackedLayers layers = {0};
  layers.layer_count = cr__read_u32(reader, "tile.layer_count");
  layers.span_count = cr__read_u32(reader, "tile.span_count");
  layers.raw_size = cr__read_u32(reader, "tile.raw_size");
  layers.size = cr__read_u32(reader, "tile.size");
  const uint8_t *bytes = cr__read_span(reader, layers.size, "tile.layers");
  if (!cr__read_ok(reader)) return;
  layers.data = (uint8_t *)bytes;  // only read, until the tile has a copy
  take_tile(loading, position, &layers, start);
}

static void read_tiles(Loading *loading) {
  CrReader *reader = &loading->reader;
  uint32_t count = cr__read_count(reader, "tiles", 20), position = 0;
  for (uint32_t i = 0; cr__read_ok(reader) && i < count; i++) {
    read_tile(loading, i ? (uint64_t)position + 1 : 0, &position);
  }
  const CrTileLinks *links = &loading->cache->links;
  for (uint32_t i = 0; cr__read_ok(reader) && i < links->count; i++) {
    if (!loading->cache->tile_at[links->tiles[i]]) bad_value(reader, "tiles", reader->offset);
  }
  if (cr__read_ok(reader) && !cr__cache_seal(loading->cache)) out_of_memory(reader);
}

static void read_line(Loading *loading) {
  CrReader *reader = &loading->reader;
  CrTileCache *cache = loading->cache;
  uint32_t count = cr__read_count(reader, "line", 4);
  for (uint32_t i = 0; cr__read_ok(reader) && i < count; i++) {
    uint32_t tile = cr__read_u32(reader, "line");
    if (tile >= cache->tile_count || cache->tiles[tile].waits) {
      bad_value(reader, "line", reader->offset - 4);
    } else {
      cr__cache_enqueue(cache, tile);
    }
  }
  cr__read_end(reader);
}

static void read_body(Loading *loading) {
  CrReader *reader = &loading->reader;
  read_settings(loading);
  if (cr__read_ok(reader)) read_grid(loading);
  read_area_flags(loading);
  if (cr__read_ok(reader)) read_links(loading);
  if (!cr__read_ok(reader)) return;
  loading->cache = cr__cache_new(&loading->context, &loading->layout, loading->has_flags ? loading->area_flags : NULL,
                                 &loading->links);
  if (!loading->cache) out_of_memory(reader);
  CrReader obstacles = *reader;
  if (cr__read_ok(reader)) read_obstacles(loading, reader, false);
  if (cr__read_ok(reader)) read_tiles(loading);
  if (cr__read_ok(reader)) read_line(loading);
  if (!cr__read_ok(reader)) return;
  read_obstacles(loading, &obstacles, true);
  reader->status = obstacles.status;
}

CrStatus cr_tile_cache_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrTileCache **out,
                            CrError *error) {
  Loading loading = {.reader = cr__reader(data, size, 0, CR_FORMAT_TILE_CACHE, error),
                     .allocator = cr__allocator_or_default(allocator)};
  read_header(&loading);
  if (cr__read_ok(&loading.reader)) read_body(&loading);
  if (!cr__read_ok(&loading.reader)) {
    cr_tile_cache_destroy(loading.cache);
    cr__tile_links_free(&loading.allocator, &loading.links);
    return loading.reader.status;
  }
  *out = loading.cache;
  return CR_STATUS_OK;
}
