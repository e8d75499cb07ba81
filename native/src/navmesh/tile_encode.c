// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From a caller's tile description to tile bytes: counts checked, coordinates moved onto the square's sides where they
// are within 1e-6 of one, missing neighbours found, missing detail surfaces made fans, everything then checked as the
// decoder does.
#include "navmesh_internal.h"

static CrStatus fail_at(CrError *error, CrTileArray array, int64_t index) {
  return cr__fail_index(error, CR_STATUS_ARGUMENT, cr__tile_array_name(array), index);
}

static bool is_tile_coord(int32_t v) { return v >= -CR_MAX_TILE_COORD && v <= CR_MAX_TILE_COORD; }

// Arrays that must be there are, and the position can be.
static CrStatus check_presence(const CrTileDescription *from, CrError *error) {
  if (!is_tile_coord(from->x)) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "tile.x", CR_MAX_TILE_COORD);
  if (!is_tile_coord(from->z)) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "tile.z", CR_MAX_TILE_COORD);
  if (from->polygon_count > CR_MAX_TILE_POLYS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "tile.polygon_count", CR_MAX_TILE_POLYS);
  }
  if (from->vertex_count && !from->vertices) return fail_at(error, CR_TILE_VERTICES, CR_NO_INDEX);
  if (from->off_mesh_count && !from->off_mesh_links) return fail_at(error, CR_TILE_OFF_MESH_LINKS, CR_NO_INDEX);
  if (!from->polygon_count) return CR_STATUS_OK;
  if (!from->polygon_vertex_counts) return fail_at(error, CR_TILE_POLYGON_VERTEX_COUNTS, CR_NO_INDEX);
  if (!from->polygon_vertices) return fail_at(error, CR_TILE_POLYGON_VERTICES, CR_NO_INDEX);
  if (!from->detail_vertex_counts != !from->detail_triangle_counts) {
    CrTileArray missing = from->detail_vertex_counts ? CR_TILE_DETAIL_TRIANGLE_COUNTS : CR_TILE_DETAIL_VERTEX_COUNTS;
    return fail_at(error, missing, CR_NO_INDEX);
  }
  return CR_STATUS_OK;
}

static bool is_fan(const CrTileDescription *from, uint32_t polygon) {
  if (!from->detail_triangle_counts) return true;
  return from->detail_triangle_counts[polygon] == 0 && from->detail_vertex_counts[polygon] == 0;
}

// Sums the per-polygon counts into the tile's totals.
static CrStatus count_arrays(const CrTileDescription *from, CrTile *tile, CrError *error) {
  uint64_t corners = 0, detail_vertices = 0, detail_triangles = 0, given_triangles = 0;
  for (uint32_t p = 0; p < from->polygon_count; p++) {
    uint32_t count = from->polygon_vertex_counts[p];
    if (count < 3 || count > CR_MAX_POLY_VERTS) return fail_at(error, CR_TILE_POLYGON_VERTEX_COUNTS, p);
    uint32_t extra = from->detail_vertex_counts ? from->detail_vertex_counts[p] : 0;
    if (extra > UINT16_MAX + 1 - CR_MAX_POLY_VERTS) return fail_at(error, CR_TILE_DETAIL_VERTEX_COUNTS, p);
    uint32_t given = from->detail_triangle_counts ? from->detail_triangle_counts[p] : 0;
    corners += count;
    detail_vertices += extra;
    given_triangles += given;
    detail_triangles += is_fan(from, p) ? count - 2 : given;
    if (detail_vertices > UINT32_MAX) return fail_at(error, CR_TILE_DETAIL_VERTEX_COUNTS, p);
    if (detail_triangles > UINT32_MAX) return fail_at(error, CR_TILE_DETAIL_TRIANGLE_COUNTS, p);
  }
  if (detail_vertices && !from->detail_vertices) return fail_at(error, CR_TILE_DETAIL_VERTICES, CR_NO_INDEX);
  if (given_triangles && !from->detail_triangles) return fail_at(error, CR_TILE_DETAIL_TRIANGLES, CR_NO_INDEX);
  *tile = (CrTile){.x = from->x, .z = from->z, .layer = from->layer, .vertex_count = from->vertex_count};
  tile->polygon_count = from->polygon_count;
  tile->off_mesh_count = from->off_mesh_count;
  tile->corner_count = (uint32_t)corners;
  tile->detail_vertex_count = (uint32_t)detail_vertices;
  tile->detail_triangle_count = (uint32_t)detail_triangles;
  return CR_STATUS_OK;
}

static double snap(double value, double low, double high) {
  if (cr__abs(value - low) <= CR_PORTAL_EPSILON) return low;
  if (cr__abs(value - high) <= CR_PORTAL_EPSILON) return high;
  return value;
}

static void fill_points(const double *from, CrVec3 *to, uint32_t count) {
  for (size_t i = 0; i < count; i++) to[i] = cr__vec(from[3 * i], from[3 * i + 1], from[3 * i + 2]);
}

static void snap_points(CrVec3 *points, uint32_t count, CrTileSquare s) {
  for (size_t i = 0; i < count; i++) {
    points[i].x = snap(points[i].x, s.min_x, s.max_x);
    points[i].z = snap(points[i].z, s.min_z, s.max_z);
  }
}

static void fill_polygons(const CrTileDescription *from, CrTile *tile) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    tile->polygon_first[p + 1] = tile->polygon_first[p] + from->polygon_vertex_counts[p];
    tile->areas[p] = from->polygon_areas ? from->polygon_areas[p] : 0;
    tile->flags[p] = from->polygon_flags ? from->polygon_flags[p] : 1;
  }
  if (tile->corner_count) memcpy(tile->corner_vertex, from->polygon_vertices, (size_t)tile->corner_count * 4);
}

static uint16_t *fill_fan(uint16_t *out, uint32_t vertex_count) {
  for (uint32_t k = 1; k + 1 < vertex_count; k++) {
    *out++ = 0;
    *out++ = (uint16_t)k;
    *out++ = (uint16_t)(k + 1);
  }
  return out;
}

static void fill_detail(const CrTileDescription *from, CrTile *tile) {
  const uint16_t *given = from->detail_triangles;
  uint16_t *out = tile->detail_triangles;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    uint32_t extra = from->detail_vertex_counts ? from->detail_vertex_counts[p] : 0;
    tile->detail_first_vertex[p + 1] = tile->detail_first_vertex[p] + extra;
    if (is_fan(from, p)) {
      out = fill_fan(out, cr__polygon_vertex_count(tile, p));
    } else {
      size_t values = (size_t)from->detail_triangle_counts[p] * 3;
      if (values) memcpy(out, given, values * sizeof *out);
      out += values;
      given += values;
    }
    tile->detail_first_triangle[p + 1] = (uint32_t)((out - tile->detail_triangles) / 3);
  }
}

CrStatus cr__tile_fill(const CrTileDescription *from, const CrAllocator *allocator, CrTile *out, CrError *error) {
  CrTile tile;
  CrStatus status = check_presence(from, error);
  if (status == CR_STATUS_OK) status = count_arrays(from, &tile, error);
  if (status != CR_STATUS_OK) return status;
  if (!cr__tile_alloc(allocator, &tile)) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  fill_points(from->vertices, tile.vertices, tile.vertex_count);
  fill_points(from->detail_vertices, tile.detail_vertices, tile.detail_vertex_count);
  fill_polygons(from, &tile);
  fill_detail(from, &tile);
  if (tile.off_mesh_count) memcpy(tile.off_mesh, from->off_mesh_links, tile.off_mesh_count * sizeof *tile.off_mesh);
  *out = tile;
  return CR_STATUS_OK;
}

// --- Neighbours from shared vertex pairs ----------------------------------------------------------------------------

typedef struct EdgeTable {
  const CrTile *tile;
  uint32_t *corner_polygon;  // polygon of each corner
} EdgeTable;

static uint32_t edge_end(const EdgeTable *table, uint32_t corner) {
  const CrTile *tile = table->tile;
  uint32_t polygon = table->corner_polygon[corner];
  bool last = corner + 1 == tile->polygon_first[polygon + 1];
  return tile->corner_vertex[last ? tile->polygon_first[polygon] : corner + 1];
}

// Both directions of an edge have one key.
static uint64_t edge_key(const EdgeTable *table, uint32_t corner) {
  uint32_t a = table->tile->corner_vertex[corner], b = edge_end(table, corner);
  return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static bool edge_less(const void *context, uint32_t a, uint32_t b) {
  uint64_t key_a = edge_key(context, a), key_b = edge_key(context, b);
  return key_a != key_b ? key_a < key_b : a < b;
}

static uint32_t border_code(const CrTile *tile, CrTileSquare square, CrVec3 a, CrVec3 b) {
  (void)tile;
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    double line = cr__side_line(square, side);
    if (cr__across(a, side) == line && cr__across(b, side) == line) return CR_EDGE_BORDER_POS_X + (uint32_t)side;
  }
  return CR_EDGE_WALL;
}

// Pairs up the edges of one key. False: more than two, or two that run the same way, so polygons overlap.
static bool join_group(const EdgeTable *table, const CrNavMeshParams *params, const uint32_t *group, size_t count) {
  const CrTile *tile = table->tile;
  uint32_t a = group[0];
  if (count > 2) return false;
  if (count == 1) {
    CrTileSquare square = cr__tile_square(params, tile->x, tile->z);
    CrVec3 from = tile->vertices[tile->corner_vertex[a]], to = tile->vertices[edge_end(table, a)];
    tile->corner_neighbour[a] = border_code(tile, square, from, to);
    return true;
  }
  uint32_t b = group[1];
  if (tile->corner_vertex[a] == tile->corner_vertex[b]) return false;
  tile->corner_neighbour[a] = table->corner_polygon[b];
  tile->corner_neighbour[b] = table->corner_polygon[a];
  return true;
}

static bool join_groups(const EdgeTable *table, const CrNavMeshParams *params, const uint32_t *order,
                        CrTileFault *fault) {
  uint32_t count = table->tile->corner_count;
  for (uint32_t first = 0, end; first < count; first = end) {
    end = first + 1;
    while (end < count && edge_key(table, order[end]) == edge_key(table, order[first])) end++;
    if (join_group(table, params, order + first, end - first)) continue;
    *fault = (CrTileFault){CR_TILE_POLYGON_VERTICES, order[end - 1]};
    return false;
  }
  return true;
}

// Corner indices must be known before their vertices are looked at.
static bool check_indices(const CrTile *tile, CrTileFault *fault) {
  for (uint32_t c = 0; c < tile->corner_count; c++) {
    if (tile->corner_vertex[c] < tile->vertex_count) continue;
    *fault = (CrTileFault){CR_TILE_POLYGON_VERTICES, c};
    return false;
  }
  return true;
}

CrStatus cr__tile_find_neighbours(const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *tile,
                                  CrTileFault *fault) {
  if (!check_indices(tile, fault)) return CR_STATUS_ARGUMENT;
  uint32_t count = tile->corner_count;
  uint32_t *memory = cr__alloc(allocator, (size_t)count * 3, sizeof *memory);
  if (!memory) return CR_STATUS_OUT_OF_MEMORY;
  EdgeTable table = {tile, memory};
  uint32_t *order = memory + count;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t c = tile->polygon_first[p]; c < tile->polygon_first[p + 1]; c++) table.corner_polygon[c] = p;
  }
  for (uint32_t c = 0; c < count; c++) order[c] = c;
  cr__sort_indices(order, order + count, count, edge_less, &table);
  bool joined = join_groups(&table, params, order, fault);
  cr__free(allocator, memory, (size_t)count * 3, sizeof *memory);
  return joined ? CR_STATUS_OK : CR_STATUS_ARGUMENT;
}

// --- The call -------------------------------------------------------------------------------------------------------

static CrStatus join_edges(const CrNavMeshParams *params, const CrTileDescription *from, const CrAllocator *allocator,
                           CrTile *tile, CrTileFault *fault) {
  if (!from->polygon_neighbours) return cr__tile_find_neighbours(params, allocator, tile, fault);
  if (tile->corner_count) memcpy(tile->corner_neighbour, from->polygon_neighbours, (size_t)tile->corner_count * 4);
  return CR_STATUS_OK;
}

static CrStatus finish(const CrNavMeshParams *params, const CrTileDescription *from, const CrAllocator *allocator,
                       CrTile *tile, CrError *error) {
  CrTileSquare square = cr__tile_square(params, tile->x, tile->z);
  snap_points(tile->vertices, tile->vertex_count, square);
  snap_points(tile->detail_vertices, tile->detail_vertex_count, square);
  CrTileFault fault;
  CrStatus status = join_edges(params, from, allocator, tile, &fault);
  if (status == CR_STATUS_OUT_OF_MEMORY) return cr__fail(error, status, NULL);
  if (status == CR_STATUS_OK && cr__tile_check(params, tile, &fault)) return status;
  return fail_at(error, fault.array, fault.index);
}

static void write_tile(CrWriter *writer, const void *object) { cr__tile_write(object, writer); }

CrStatus cr__tile_to_bytes(const CrTile *tile, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  return cr__write_to_bytes(allocator, write_tile, tile, out, error);
}

CrStatus cr_tile_encode(const CrNavMeshParams *params, const CrTileDescription *tile, const CrAllocator *allocator,
                        CrBytes *out, CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  const char *field;
  double limit;
  CrStatus status = cr__params_check(params, &field, &limit);
  if (status != CR_STATUS_OK) return cr__fail_limit(error, status, field, limit);
  CrTile arrays;
  status = cr__tile_fill(tile, &hooks, &arrays, error);
  if (status != CR_STATUS_OK) return status;
  status = finish(params, tile, &hooks, &arrays, error);
  if (status == CR_STATUS_OK) status = cr__tile_to_bytes(&arrays, &hooks, out, error);
  cr__tile_free(&hooks, &arrays);
  return status;
}
