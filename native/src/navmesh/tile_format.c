// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile bytes, version 1 (docs/formats/tile.md): a header with the position and the counts, then the arrays one after
// the other.
// Invariant: the counts of the header determine the size exactly, and it is checked before anything is allocated.
#include "navmesh_internal.h"

#define HEADER_SIZE 44

typedef struct ArrayShape {
  const char *name;
  uint32_t element_size;  // bytes per element
} ArrayShape;

static const ArrayShape shapes[CR_TILE_ARRAY_COUNT] = {
    [CR_TILE_VERTICES] = {"tile.vertices", 24},
    [CR_TILE_POLYGON_VERTEX_COUNTS] = {"tile.polygon_vertex_counts", 1},
    [CR_TILE_POLYGON_VERTICES] = {"tile.polygon_vertices", 4},
    [CR_TILE_POLYGON_NEIGHBOURS] = {"tile.polygon_neighbours", 4},
    [CR_TILE_POLYGON_AREAS] = {"tile.polygon_areas", 1},
    [CR_TILE_POLYGON_FLAGS] = {"tile.polygon_flags", 2},
    [CR_TILE_DETAIL_VERTEX_COUNTS] = {"tile.detail_vertex_counts", 4},
    [CR_TILE_DETAIL_TRIANGLE_COUNTS] = {"tile.detail_triangle_counts", 4},
    [CR_TILE_DETAIL_VERTICES] = {"tile.detail_vertices", 24},
    [CR_TILE_DETAIL_TRIANGLES] = {"tile.detail_triangles", 6},
    [CR_TILE_OFF_MESH_LINKS] = {"tile.off_mesh_links", CR_OFF_MESH_BYTES},
};

const char *cr__tile_array_name(CrTileArray array) { return shapes[array].name; }

static uint64_t array_count(const CrTile *tile, CrTileArray array) {
  switch (array) {
    case CR_TILE_VERTICES:
      return tile->vertex_count;
    case CR_TILE_POLYGON_VERTICES:
    case CR_TILE_POLYGON_NEIGHBOURS:
      return tile->corner_count;
    case CR_TILE_DETAIL_VERTICES:
      return tile->detail_vertex_count;
    case CR_TILE_DETAIL_TRIANGLES:
      return tile->detail_triangle_count;
    case CR_TILE_OFF_MESH_LINKS:
      return tile->off_mesh_count;
    default:
      return tile->polygon_count;
  }
}

// Offset of an array in the tile's bytes; of CR_TILE_ARRAY_COUNT: their size.
static uint64_t array_offset(const CrTile *tile, CrTileArray array) {
  uint64_t offset = HEADER_SIZE;
  for (int a = 0; a < (int)array; a++) offset += array_count(tile, (CrTileArray)a) * shapes[a].element_size;
  return offset;
}

uint64_t cr__tile_byte_size(const CrTile *tile) { return array_offset(tile, CR_TILE_ARRAY_COUNT); }

// --- Writing --------------------------------------------------------------------------------------------------------

static void write_header(const CrTile *tile, CrWriter *writer) {
  cr__write_bytes(writer, "CRTL", 4);
  cr__write_u8(writer, 1);
  cr__write_u8(writer, 0);
  cr__write_u16(writer, 0);
  cr__write_i32(writer, tile->x);
  cr__write_i32(writer, tile->z);
  cr__write_i32(writer, tile->layer);
  cr__write_u32(writer, tile->vertex_count);
  cr__write_u32(writer, tile->polygon_count);
  cr__write_u32(writer, tile->corner_count);
  cr__write_u32(writer, tile->detail_vertex_count);
  cr__write_u32(writer, tile->detail_triangle_count);
  cr__write_u32(writer, tile->off_mesh_count);
}

static void write_polygons(const CrTile *tile, CrWriter *writer) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    cr__write_u8(writer, (uint8_t)cr__polygon_vertex_count(tile, p));
  }
  for (uint32_t c = 0; c < tile->corner_count; c++) cr__write_u32(writer, tile->corner_vertex[c]);
  for (uint32_t c = 0; c < tile->corner_count; c++) cr__write_u32(writer, tile->corner_neighbour[c]);
}

void cr__tile_write_attributes(const CrTile *tile, CrWriter *writer) {
  cr__write_bytes(writer, tile->areas, tile->polygon_count);
  for (uint32_t p = 0; p < tile->polygon_count; p++) cr__write_u16(writer, tile->flags[p]);
}

static void write_zeros(uint64_t count, CrWriter *writer) {
  static const uint8_t zeros[256];
  while (count) {
    size_t part = count < sizeof zeros ? (size_t)count : sizeof zeros;
    cr__write_bytes(writer, zeros, part);
    count -= part;
  }
}

static void write_firsts_as_counts(const uint32_t *first, uint32_t count, CrWriter *writer) {
  for (uint32_t i = 0; i < count; i++) cr__write_u32(writer, first[i + 1] - first[i]);
}

static void write_detail(const CrTile *tile, CrWriter *writer) {
  write_firsts_as_counts(tile->detail_first_vertex, tile->polygon_count, writer);
  write_firsts_as_counts(tile->detail_first_triangle, tile->polygon_count, writer);
  for (uint32_t i = 0; i < tile->detail_vertex_count; i++) cr__write_point(writer, tile->detail_vertices[i]);
  for (size_t i = 0; i < (size_t)tile->detail_triangle_count * 3; i++) cr__write_u16(writer, tile->detail_triangles[i]);
}

void cr__off_mesh_write(CrWriter *writer, const CrOffMeshLink *link) {
  cr__write_point(writer, link->start);
  cr__write_point(writer, link->end);
  cr__write_f64(writer, link->radius);
  cr__write_u32(writer, link->user_id);
  cr__write_u16(writer, link->flags);
  cr__write_u8(writer, link->area);
  cr__write_u8(writer, link->bidirectional);
}

static void write_before_attributes(const CrTile *tile, CrWriter *writer) {
  write_header(tile, writer);
  for (uint32_t i = 0; i < tile->vertex_count; i++) cr__write_point(writer, tile->vertices[i]);
  write_polygons(tile, writer);
}

static void write_after_attributes(const CrTile *tile, CrWriter *writer) {
  write_detail(tile, writer);
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) cr__off_mesh_write(writer, &tile->off_mesh[i]);
}

void cr__tile_write(const CrTile *tile, CrWriter *writer) {
  write_before_attributes(tile, writer);
  cr__tile_write_attributes(tile, writer);
  write_after_attributes(tile, writer);
}

uint64_t cr__tile_content_hash(const CrTile *tile) {
  CrWriter hasher = cr__writer_hash();
  write_before_attributes(tile, &hasher);
  write_zeros((uint64_t)tile->polygon_count * CR_TILE_ATTRIBUTE_SIZE, &hasher);
  write_after_attributes(tile, &hasher);
  return hasher.hash;
}

// --- Reading --------------------------------------------------------------------------------------------------------

static void read_header(CrReader *reader, CrTile *tile) {
  cr__read_magic(reader, "CRTL");
  cr__read_version(reader, 1);
  if (cr__read_u8(reader, "tile.reserved")) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.reserved", reader->offset - 1);
  }
  cr__read_zero_u16(reader, "tile.reserved");
  tile->x = cr__read_i32_in(reader, "tile.x", -CR_MAX_TILE_COORD, CR_MAX_TILE_COORD);
  tile->z = cr__read_i32_in(reader, "tile.z", -CR_MAX_TILE_COORD, CR_MAX_TILE_COORD);
  tile->layer = cr__read_i32(reader, "tile.layer");
  tile->vertex_count = cr__read_count(reader, "tile.vertex_count", 24);
  tile->polygon_count = cr__read_count(reader, "tile.polygon_count", 12);
  if (tile->polygon_count > CR_MAX_TILE_POLYS) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.polygon_count", reader->offset - 4);
  }
  tile->corner_count = cr__read_count(reader, "tile.corner_count", 8);
  tile->detail_vertex_count = cr__read_count(reader, "tile.detail_vertex_count", 24);
  tile->detail_triangle_count = cr__read_count(reader, "tile.detail_triangle_count", 6);
  tile->off_mesh_count = cr__read_count(reader, "tile.off_mesh_count", CR_OFF_MESH_BYTES);
}

// The arrays fill what is left exactly. Checked here once, so that nothing below can run out of bytes.
static void check_size(CrReader *reader, const CrTile *tile) {
  uint64_t end = reader->size;
  if (!cr__read_ok(reader)) return;
  for (int a = 0; a < CR_TILE_ARRAY_COUNT; a++) {
    if (array_offset(tile, (CrTileArray)(a + 1)) <= end) continue;
    cr__read_fail(reader, CR_STATUS_TRUNCATED, shapes[a].name, (size_t)array_offset(tile, (CrTileArray)a));
    return;
  }
  if (cr__tile_byte_size(tile) < end) {
    cr__read_fail(reader, CR_STATUS_TRAILING_BYTES, "tile.end", (size_t)cr__tile_byte_size(tile));
  }
}

static void read_points(CrReader *reader, CrVec3 *out, uint32_t count, const char *name) {
  for (uint32_t i = 0; i < count; i++) {
    out[i].x = cr__read_f64(reader, name);
    out[i].y = cr__read_f64(reader, name);
    out[i].z = cr__read_f64(reader, name);
  }
}

// Turns `count` counts into firsts. Each is within [low, high] and all add up to `total`.
static void read_counts(CrReader *reader, uint32_t *first, uint32_t count, uint32_t total, CrTileArray array,
                        uint32_t low, uint32_t high) {
  uint32_t size = shapes[array].element_size;
  uint64_t sum = 0;
  first[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t value = size == 1 ? cr__read_u8(reader, shapes[array].name) : cr__read_u32(reader, shapes[array].name);
    sum += value;
    bool fits = value >= low && value <= high && sum <= total && (i + 1 < count || sum == total);
    if (!fits) cr__read_fail(reader, CR_STATUS_BAD_VALUE, shapes[array].name, reader->offset - size);
    first[i + 1] = cr__read_ok(reader) ? (uint32_t)sum : 0;
  }
  if (count == 0 && total) cr__read_fail(reader, CR_STATUS_BAD_VALUE, shapes[array].name, reader->offset);
}

static void read_polygons(CrReader *reader, CrTile *tile) {
  read_counts(reader, tile->polygon_first, tile->polygon_count, tile->corner_count, CR_TILE_POLYGON_VERTEX_COUNTS, 3,
              CR_MAX_POLY_VERTS);
  for (uint32_t c = 0; c < tile->corner_count; c++)
    tile->corner_vertex[c] = cr__read_u32(reader, "tile.polygon_vertices");
  for (uint32_t c = 0; c < tile->corner_count; c++) {
    tile->corner_neighbour[c] = cr__read_u32(reader, "tile.polygon_neighbours");
  }
  const uint8_t *areas = cr__read_span(reader, tile->polygon_count, "tile.polygon_areas");
  if (areas && tile->polygon_count) memcpy(tile->areas, areas, tile->polygon_count);
  for (uint32_t p = 0; p < tile->polygon_count; p++) tile->flags[p] = cr__read_u16(reader, "tile.polygon_flags");
}

static void read_detail(CrReader *reader, CrTile *tile) {
  // Triangle corners are 16-bit: more extra vertices could not be named.
  read_counts(reader, tile->detail_first_vertex, tile->polygon_count, tile->detail_vertex_count,
              CR_TILE_DETAIL_VERTEX_COUNTS, 0, UINT16_MAX + 1 - CR_MAX_POLY_VERTS);
  read_counts(reader, tile->detail_first_triangle, tile->polygon_count, tile->detail_triangle_count,
              CR_TILE_DETAIL_TRIANGLE_COUNTS, 1, UINT32_MAX);
  read_points(reader, tile->detail_vertices, tile->detail_vertex_count, "tile.detail_vertices");
  for (size_t i = 0; i < (size_t)tile->detail_triangle_count * 3; i++) {
    tile->detail_triangles[i] = cr__read_u16(reader, "tile.detail_triangles");
  }
}

static void read_off_mesh(CrReader *reader, CrOffMeshLink *link) {
  read_points(reader, &link->start, 1, "tile.off_mesh_links");
  read_points(reader, &link->end, 1, "tile.off_mesh_links");
  link->radius = cr__read_f64(reader, "tile.off_mesh_links");
  link->user_id = cr__read_u32(reader, "tile.off_mesh_links");
  link->flags = cr__read_u16(reader, "tile.off_mesh_links");
  link->area = cr__read_u8(reader, "tile.off_mesh_links");
  link->bidirectional = cr__read_u8(reader, "tile.off_mesh_links");
}

static void read_arrays(CrReader *reader, CrTile *tile) {
  read_points(reader, tile->vertices, tile->vertex_count, "tile.vertices");
  read_polygons(reader, tile);
  read_detail(reader, tile);
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) read_off_mesh(reader, &tile->off_mesh[i]);
}

static void check_arrays(CrReader *reader, const CrNavMeshParams *params, const CrTile *tile) {
  CrTileFault fault;
  if (!cr__read_ok(reader) || cr__tile_check(params, tile, &fault)) return;
  uint64_t offset = array_offset(tile, fault.array) + (uint64_t)fault.index * shapes[fault.array].element_size;
  cr__read_fail(reader, CR_STATUS_BAD_VALUE, shapes[fault.array].name, (size_t)offset);
  if (reader->error) reader->error->index = fault.index;
}

CrStatus cr__tile_identify(CrReader *reader, CrTile *out_counts, uint64_t *out_hash) {
  CR_ASSERT(reader->offset == 0);
  CrTile tile = {0};
  read_header(reader, &tile);
  check_size(reader, &tile);
  if (!cr__read_ok(reader)) return reader->status;
  size_t from = (size_t)array_offset(&tile, CR_TILE_POLYGON_AREAS);
  size_t to = (size_t)array_offset(&tile, CR_TILE_DETAIL_VERTEX_COUNTS);
  CrWriter hasher = cr__writer_hash();
  cr__write_bytes(&hasher, reader->data, from);
  write_zeros(to - from, &hasher);
  cr__write_bytes(&hasher, reader->data + to, reader->size - to);
  *out_counts = tile;
  *out_hash = hasher.hash;
  return CR_STATUS_OK;
}

CrStatus cr_tile_content_hash(const uint8_t *data, size_t size, uint64_t *out_hash, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  CrTile counts;
  return cr__tile_identify(&reader, &counts, out_hash);
}

CrStatus cr__tile_read(CrReader *reader, const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *out) {
  CR_ASSERT(reader->offset == 0);
  CrTile tile = {0};
  read_header(reader, &tile);
  check_size(reader, &tile);
  if (!cr__read_ok(reader)) return reader->status;
  if (!cr__tile_alloc(allocator, &tile)) return reader->status = cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
  read_arrays(reader, &tile);
  check_arrays(reader, params, &tile);
  if (cr__read_ok(reader)) cr__edge_ways_fill(&tile);
  if (cr__read_ok(reader) && (!cr__box_tree_build(allocator, &tile) || !cr__borders_build(allocator, &tile))) {
    reader->status = cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  if (cr__read_ok(reader)) {
    tile.active = true;
    *out = tile;
  } else {
    cr__tile_free(allocator, &tile);
  }
  return reader->status;
}
