// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile bytes: what the encoder accepts and makes of it, and what the decoder makes of anything.
#include <math.h>

#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static const CrNavMeshParams params = {.tile_size = 10.0, .climb = 0.5, .agent_height = 2.0};

static CrStatus decode(const uint8_t *data, size_t size, CrTile *out, CrError *error) {
  CrAllocator allocator = cr__allocator_or_default(NULL);
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  return cr__tile_read(&reader, &params, &allocator, out);
}

static void release(CrTile *tile) {
  CrAllocator allocator = cr__allocator_or_default(NULL);
  cr__tile_free(&allocator, tile);
}

static void write_tile(CrWriter *writer, const void *tile) { cr__tile_write(tile, writer); }

// A kit with everything: shared edges, borders, a hole, detail, links.
static TileKit kit;
static const uint32_t detail_vertex_counts[] = {1, 0, 0};
static const uint32_t detail_triangle_counts[] = {4, 2, 0};
static const double detail_vertices[] = {2.5, 0.4, 2.5};
static const uint16_t detail_triangles[] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4, 0, 1, 2, 0, 2, 3};

static CrTileDescription *full_tile(void) {
  kit_begin(&kit, 0, 0, 3);
  kit_rectangle(&kit, 0, 0, 5, 5, 0);
  kit_rectangle(&kit, 5, 0, 10, 5, 0);
  kit_polygon(&kit, 3, (const double[]){5, 0, 5, 10, 0, 5, 10, 1, 10});
  kit_link(&kit, cr__vec(1, 0, 1), cr__vec(30, 2, -4), 0.75, true)->user_id = 77;
  kit_link(&kit, cr__vec(9, 0, 1), cr__vec(1, 0, 2), 0.5, false)->area = 9;
  kit.areas[1] = 63;
  kit.flags[2] = 0xBEEF;
  CrTileDescription *tile = kit_describe(&kit);
  tile->detail_vertex_counts = detail_vertex_counts;
  tile->detail_triangle_counts = detail_triangle_counts;
  tile->detail_vertices = detail_vertices;
  tile->detail_triangles = detail_triangles;
  return tile;
}

static CrBytes full_bytes(void) {
  CrBytes bytes = {0};
  REQUIRE_OK(cr_tile_encode(&params, full_tile(), NULL, &bytes, NULL));
  return bytes;
}

TEST(round_trip_keeps_everything) {
  CrBytes bytes = full_bytes(), again = {0};
  CrTile tile;
  REQUIRE_OK(decode(bytes.data, bytes.size, &tile, NULL));
  CHECK_INT(bytes.size, cr__tile_byte_size(&tile));
  CHECK_OK(cr__write_to_bytes(NULL, write_tile, &tile, &again, NULL));
  CHECK(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
  CHECK(tile.x == 0 && tile.z == 0 && tile.layer == 3 && tile.polygon_count == 3 && tile.vertex_count == 7);
  CHECK(tile.areas[1] == 63 && tile.flags[2] == 0xBEEF && tile.flags[0] == 1);
  // Found from shared vertices and from the square's sides.
  CHECK_INT(tile.corner_neighbour[1], 1);
  CHECK_INT(tile.corner_neighbour[4 + 3], 0);
  CHECK_INT(tile.corner_neighbour[4 + 2], 2);
  CHECK_INT(tile.corner_neighbour[8 + 0], 1);
  CHECK(tile.corner_neighbour[0] == CR_EDGE_BORDER_NEG_Z && tile.corner_neighbour[3] == CR_EDGE_BORDER_NEG_X);
  CHECK(tile.corner_neighbour[4 + 1] == CR_EDGE_BORDER_POS_X && tile.corner_neighbour[8 + 1] == CR_EDGE_BORDER_POS_X);
  CHECK(tile.corner_neighbour[2] == CR_EDGE_WALL && tile.corner_neighbour[8 + 2] == CR_EDGE_WALL);
  // The third polygon had no detail: a fan.
  CHECK_INT(tile.detail_first_triangle[3] - tile.detail_first_triangle[2], 1);
  CHECK_INT(tile.detail_vertex_count, 1);
  CHECK(tile.off_mesh_count == 2 && tile.off_mesh[0].user_id == 77 && tile.off_mesh[1].area == 9);
  release(&tile);
  cr_bytes_free(&bytes);
  cr_bytes_free(&again);
}

// The layout a second implementation would write, by hand.
TEST(bytes_are_as_documented) {
  kit_begin(&kit, -1, 2, 0);
  kit_polygon(&kit, 3, (const double[]){-10, 1, 20, 0, 1, 20, -5, 1, 25});
  CrBytes bytes = kit_encode(&kit, &params);
  CrWriter hasher = cr__writer_hash();
  cr__write_bytes(&hasher, "CRTL\1\0\0\0", 8);
  const int32_t header[] = {-1, 2, 0, 3, 1, 3, 0, 1, 0};
  for (size_t i = 0; i < 9; i++) cr__write_i32(&hasher, header[i]);
  cr__write_point(&hasher, cr__vec(-10, 1, 20));
  cr__write_point(&hasher, cr__vec(0, 1, 20));
  cr__write_point(&hasher, cr__vec(-5, 1, 25));
  cr__write_u8(&hasher, 3);
  for (uint32_t k = 0; k < 3; k++) cr__write_u32(&hasher, k);
  const uint32_t neighbours[] = {CR_EDGE_BORDER_NEG_Z, CR_EDGE_WALL, CR_EDGE_WALL};
  for (size_t k = 0; k < 3; k++) cr__write_u32(&hasher, neighbours[k]);
  cr__write_u8(&hasher, 0);
  cr__write_u16(&hasher, 1);
  cr__write_u32(&hasher, 0);
  cr__write_u32(&hasher, 1);
  for (uint16_t k = 0; k < 3; k++) cr__write_u16(&hasher, k);
  CHECK_INT(bytes.size, hasher.size);
  CHECK(cr_hash_bytes(bytes.data, bytes.size) == hasher.hash);
  cr_bytes_free(&bytes);
}

TEST(an_empty_tile_is_a_tile) {
  kit_begin(&kit, 5, 5, 0);
  CrBytes bytes = kit_encode(&kit, &params);
  CrTile tile;
  CHECK_INT(bytes.size, 44);
  REQUIRE_OK(decode(bytes.data, bytes.size, &tile, NULL));
  release(&tile);
  cr_bytes_free(&bytes);
}

TEST(coordinates_near_a_side_move_onto_it) {
  kit_begin(&kit, 1, -1, 0);
  kit_rectangle(&kit, 10 + 9e-7, -10 - 9e-7, 15, 1e-7, 0);
  CrBytes bytes = kit_encode(&kit, &params);
  CrTile tile;
  REQUIRE_OK(decode(bytes.data, bytes.size, &tile, NULL));
  CHECK(tile.vertices[0].x == 10.0 && tile.vertices[0].z == -10.0 && tile.vertices[2].z == 0.0);
  CHECK(tile.corner_neighbour[0] == CR_EDGE_BORDER_NEG_Z && tile.corner_neighbour[1] == CR_EDGE_WALL);
  CHECK(tile.corner_neighbour[2] == CR_EDGE_BORDER_POS_Z && tile.corner_neighbour[3] == CR_EDGE_BORDER_NEG_X);
  release(&tile);
  cr_bytes_free(&bytes);
  kit.vertices[0] = 10 - 2e-6;
  CrError error = {0};
  CHECK_STATUS(cr_tile_encode(&params, kit_describe(&kit), NULL, &bytes, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "tile.vertices") == 0 && error.index == 0);
}

// --- Wrong descriptions ---------------------------------------------------------------------------------------------

static CrError encode_error(const CrTileDescription *tile) {
  CrBytes bytes = {0};
  CrError error = {0};
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  if (cr_tile_encode(&params, tile, &allocator, &bytes, &error) == CR_STATUS_OK) error = (CrError){0};
  CHECK(!bytes.data || error.status == CR_STATUS_OK);
  cr_bytes_free(&bytes);
  CHECK_INT(memory.live_blocks, 0);
  return error;
}

#define CHECK_REFUSED(tile, name, element)                                                        \
  do {                                                                                            \
    CrError refused = encode_error(tile);                                                         \
    CHECK_INT(refused.status, CR_STATUS_ARGUMENT);                                                \
    CHECK(refused.field &&strcmp(refused.field, name) == 0);                                      \
    if (refused.field && strcmp(refused.field, name) != 0) printf("  named %s\n", refused.field); \
    CHECK_INT(refused.index, element);                                                            \
  } while (0)

TEST(wrong_numbers_are_refused_by_name) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 2097152.0, -1e300, 11.0, -0.1};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    full_tile()->x = 0;
    kit.vertices[3] = bad[i];
    CHECK_REFUSED(&kit.tile, "tile.vertices", 1);
    double extra[3] = {2.5, 0.4, bad[i]};
    full_tile()->detail_vertices = extra;
    CHECK_REFUSED(&kit.tile, "tile.detail_vertices", 0);
    full_tile();
    kit.links[1].start.z = bad[i];
    CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 1);
    full_tile();
    kit.links[1].radius = bad[i];
    CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 1);
    if (i >= 5) continue;  // heights and ends may be anywhere in the world
    full_tile();
    kit.vertices[4] = bad[i];
    CHECK_REFUSED(&kit.tile, "tile.vertices", 1);
    full_tile();
    kit.links[0].end.x = bad[i];
    CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 0);
  }
  full_tile();
  kit.links[1].radius = 0.0;
  CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 1);
  full_tile();
  kit.links[1].area = 64;
  CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 1);
  full_tile();
  kit.links[1].bidirectional = 2;
  CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", 1);
  full_tile();
  kit.areas[2] = 64;
  CHECK_REFUSED(&kit.tile, "tile.polygon_areas", 2);
}

TEST(wrong_indices_are_refused_by_name) {
  full_tile();
  kit.corners[5] = kit.tile.vertex_count;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertices", 5);
  full_tile();
  kit.corners[5] = 0xFFFFFFFFu;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertices", 5);
  full_tile();
  kit.corners[3] = kit.corners[0];
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertices", 3);
  full_tile();
  kit.counts[0] = 2;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertex_counts", 0);
  full_tile();
  kit.counts[1] = 13;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertex_counts", 1);
  uint16_t triangles[sizeof detail_triangles / 2];
  memcpy(triangles, detail_triangles, sizeof triangles);
  triangles[4] = 5;
  full_tile()->detail_triangles = triangles;
  CHECK_REFUSED(&kit.tile, "tile.detail_triangles", 1);
  const uint32_t no_triangles[] = {0, 2, 0};
  full_tile()->detail_triangle_counts = no_triangles;
  CHECK_REFUSED(&kit.tile, "tile.detail_triangle_counts", 0);
  full_tile()->detail_vertex_counts = NULL;
  CHECK_REFUSED(&kit.tile, "tile.detail_vertex_counts", -1);
  full_tile()->detail_triangle_counts = NULL;
  CHECK_REFUSED(&kit.tile, "tile.detail_triangle_counts", -1);
  full_tile()->detail_vertices = NULL;
  CHECK_REFUSED(&kit.tile, "tile.detail_vertices", -1);
  full_tile()->detail_triangles = NULL;
  CHECK_REFUSED(&kit.tile, "tile.detail_triangles", -1);
  full_tile()->vertices = NULL;
  CHECK_REFUSED(&kit.tile, "tile.vertices", -1);
  full_tile()->polygon_vertices = NULL;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertices", -1);
  full_tile()->polygon_vertex_counts = NULL;
  CHECK_REFUSED(&kit.tile, "tile.polygon_vertex_counts", -1);
  full_tile()->off_mesh_links = NULL;
  CHECK_REFUSED(&kit.tile, "tile.off_mesh_links", -1);
  full_tile()->x = INT32_MIN;
  CHECK_REFUSED(&kit.tile, "tile.x", -1);
  full_tile()->z = INT32_MAX;
  CHECK_REFUSED(&kit.tile, "tile.z", -1);
  full_tile()->polygon_count = 0xFFFFFFFFu;
  CHECK_INT(encode_error(&kit.tile).status, CR_STATUS_LIMIT);
}

TEST(wrong_neighbours_are_refused_by_name) {
  uint32_t right[11] = {CR_EDGE_BORDER_NEG_Z,
                        1,
                        CR_EDGE_WALL,
                        CR_EDGE_BORDER_NEG_X,
                        CR_EDGE_BORDER_NEG_Z,
                        CR_EDGE_BORDER_POS_X,
                        2,
                        0,
                        1,
                        CR_EDGE_BORDER_POS_X,
                        CR_EDGE_WALL};
  const struct {
    uint32_t corner, value, reported;
  } wrong[] = {
      {1, 0, 1},           // itself
      {1, 2, 1},           // a polygon that does not share the edge
      {1, 3, 1},           // no such polygon
      {1, 0xFFFFFFEF, 1},  // no such code
      {1, 0xFFFFFFF4, 1},
      {1, CR_EDGE_WALL, 7},          // the other side still names it
      {2, CR_EDGE_BORDER_POS_Z, 2},  // not on that side
      {0, CR_EDGE_BORDER_POS_Z, 0},
      {2, 1, 2},
  };
  full_tile()->polygon_neighbours = right;
  CHECK_INT(encode_error(&kit.tile).status, CR_STATUS_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    uint32_t neighbours[11];
    memcpy(neighbours, right, sizeof neighbours);
    neighbours[wrong[i].corner] = wrong[i].value;
    full_tile()->polygon_neighbours = neighbours;
    CHECK_REFUSED(&kit.tile, "tile.polygon_neighbours", wrong[i].reported);
  }
  // Walls may stand where a neighbour could be, on both sides.
  right[1] = right[7] = right[0] = CR_EDGE_WALL;
  full_tile()->polygon_neighbours = right;
  CHECK_INT(encode_error(&kit.tile).status, CR_STATUS_OK);
}

TEST(overlapping_polygons_are_refused_when_neighbours_are_to_be_found) {
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 1, 1, 3, 3, 0);
  kit_polygon(&kit, 3, (const double[]){1, 0, 1, 3, 0, 1, 2, 0, 5});
  CHECK_REFUSED(kit_describe(&kit), "tile.polygon_vertices", 4);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 1, 1, 3, 3, 0);
  kit_rectangle(&kit, 1, 3, 3, 5, 0);
  kit_polygon(&kit, 3, (const double[]){1, 0, 3, 3, 0, 3, 2, 0, 9});
  CHECK_REFUSED(kit_describe(&kit), "tile.polygon_vertices", 8);
}

// --- Shape of polygons ----------------------------------------------------------------------------------------------

static CrStatus shape_status(uint32_t count, const double *xz) {
  double corners[CR_MAX_POLY_VERTS * 3];
  for (uint32_t k = 0; k < count; k++) {
    corners[3 * k] = xz[2 * k];
    corners[3 * k + 1] = 0.0;
    corners[3 * k + 2] = xz[2 * k + 1];
  }
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, count, corners);
  return encode_error(kit_describe(&kit)).status;
}

#define SHAPE(...) shape_status(sizeof((double[]){__VA_ARGS__}) / (2 * sizeof(double)), (double[]){__VA_ARGS__})

TEST(only_convex_polygons_with_area_pass) {
  CHECK_INT(SHAPE(1, 1, 4, 1, 4, 4), CR_STATUS_OK);
  CHECK_INT(SHAPE(1, 1, 2, 1, 4, 1, 4, 2, 4, 4, 1, 4), CR_STATUS_OK);  // corners in the middle of sides
  CHECK_INT(SHAPE(1, 1, 2, 1 + 3e-8, 4, 1, 4, 4), CR_STATUS_OK);  // (4, 1) is within the tolerance of (1, 1) -> (2, ..)
  CHECK_INT(SHAPE(1, 1, 2, 1 + 4e-8, 4, 1, 4, 4), CR_STATUS_ARGUMENT);  // beyond it
  CHECK_INT(SHAPE(1, 1, 1.001, 1 + 9e-10, 9, 1, 9, 9), CR_STATUS_OK);   // a short edge: what rounding makes of it
  CHECK_INT(SHAPE(1, 1, 1.001, 1 + 2e-9, 9, 1, 9, 9), CR_STATUS_ARGUMENT);
  CHECK_INT(SHAPE(1, 1, 4, 4, 4, 1), CR_STATUS_ARGUMENT);                    // wound the other way
  CHECK_INT(SHAPE(1, 1, 2, 2, 3, 3), CR_STATUS_ARGUMENT);                    // no area
  CHECK_INT(SHAPE(1, 1, 4, 1, 2, 2, 4, 4), CR_STATUS_ARGUMENT);              // a reflex corner
  CHECK_INT(SHAPE(1, 1, 4, 4, 4, 1, 1, 4), CR_STATUS_ARGUMENT);              // crosses itself
  CHECK_INT(SHAPE(5, 1, 7, 7, 1, 3, 9, 3, 3, 7), CR_STATUS_ARGUMENT);        // a pentagram
  CHECK_INT(SHAPE(1, 1, 4, 1, 2, 1, 2, 4), CR_STATUS_ARGUMENT);              // a spike
  CHECK_INT(SHAPE(1, 1, 4, 1, 4, 4, 1, 1, 4, 1, 4, 4), CR_STATUS_ARGUMENT);  // twice around
}

// The second of the two would be an edge that runs backwards, which no tolerance of its own length could tell.
TEST(corners_too_near_each_other_are_refused) {
  CHECK_INT(SHAPE(1, 1, 4, 1, 4, 4, 1 + 1.1e-6, 4, 1, 4), CR_STATUS_OK);
  CHECK_INT(SHAPE(1, 1, 4, 1, 4, 4, 1 + 0.9e-6, 4, 1, 4), CR_STATUS_ARGUMENT);
  CHECK_INT(SHAPE(-1, 0, 1e-120, 0, 1e-300, 0, 1, 0, 0, 2), CR_STATUS_ARGUMENT);
}

// Two corners at one place with different heights, so that they are different vertices.
TEST(corners_above_each_other_are_refused) {
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, 4, (const double[]){1, 0, 1, 4, 0, 1, 4, 1, 1, 4, 0, 4});
  CHECK_REFUSED(kit_describe(&kit), "tile.polygon_vertices", 2);
}

TEST(regular_polygons_pass_anywhere_in_the_world) {
  const double centres[] = {0.0, 1e3, 1048576.0, -2097100.0};
  int encoded = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    check_seed = seed;
    uint64_t state = seed;
    double centre = centres[seed % 4], radius = rnd_range(&state, 0.2, 20.0);
    uint32_t count = 3 + (uint32_t)rnd_int(&state, 10);
    CrNavMeshParams far = {.origin_x = centre - 20.5, .origin_z = centre - 20.5, .tile_size = 41.0};
    double corners[CR_MAX_POLY_VERTS * 3], angle = rnd_range(&state, 0, 6);
    for (uint32_t k = 0; k < count; k++) {
      // Points of a circle by the rational parametrisation: no trigonometry needed.
      double t = -3.0 + 6.0 * (k + 0.3 * rnd_unit(&state)) / count + 0.001 * angle;
      corners[3 * k] = centre + radius * (1 - t * t) / (1 + t * t);
      corners[3 * k + 1] = rnd_range(&state, -3, 3);
      corners[3 * k + 2] = centre + radius * 2 * t / (1 + t * t);
    }
    kit_begin(&kit, 0, 0, 0);
    kit_polygon(&kit, count, corners);
    CrBytes bytes = {0};
    CHECK_OK(cr_tile_encode(&far, kit_describe(&kit), NULL, &bytes, NULL));
    encoded += bytes.size > 0;
    cr_bytes_free(&bytes);
  }
  CHECK_INT(encoded, 400);
}

// --- Wrong bytes ----------------------------------------------------------------------------------------------------

// A decoded tile must be as good as an encoded one, whatever the bytes were.
static CrStatus try_bytes(const uint8_t *data, size_t size, CrError *error) {
  CrTile tile;
  CrTileFault fault;
  *error = (CrError){0};
  CrStatus status = decode(data, size, &tile, error);
  if (status == CR_STATUS_OK) {
    CHECK(cr__tile_check(&params, &tile, &fault));
    CrWriter hasher = cr__writer_hash();
    cr__tile_write(&tile, &hasher);
    CHECK(hasher.size == size && hasher.hash == cr_hash_bytes(data, size));
    release(&tile);
    return status;
  }
  CHECK(error->status == status && error->format == CR_FORMAT_NAVMESH && error->field && error->offset <= size);
  return status;
}

TEST(every_prefix_is_an_error) {
  CrBytes bytes = full_bytes();
  for (size_t size = 0; size < bytes.size; size++) {
    CrError error;
    uint8_t *copy = malloc(size + 1);  // exact, so that the sanitizer sees reads beyond it
    memcpy(copy, bytes.data, size);
    CHECK_STATUS(try_bytes(copy, size, &error), CR_STATUS_TRUNCATED);
    free(copy);
  }
  uint8_t *longer = malloc(bytes.size + 1);
  memcpy(longer, bytes.data, bytes.size);
  longer[bytes.size] = 0;
  CrError error;
  CHECK_STATUS(try_bytes(longer, bytes.size + 1, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_INT(error.offset, bytes.size);
  free(longer);
  cr_bytes_free(&bytes);
}

TEST(flipped_bytes_never_make_a_bad_tile) {
  CrBytes bytes = full_bytes();
  int errors = 0, accepted = 0;
  for (size_t at = 0; at < bytes.size; at++) {
    for (int bit = 0; bit < 9; bit++) {
      CrError error;
      uint8_t old = bytes.data[at];
      bytes.data[at] = bit < 8 ? (uint8_t)(old ^ 1 << bit) : (uint8_t)~old;
      if (try_bytes(bytes.data, bytes.size, &error) == CR_STATUS_OK)
        accepted++;
      else
        errors++;
      bytes.data[at] = old;
    }
  }
  printf("  %d flips refused, %d make another valid tile\n", errors, accepted);
  CHECK(errors > 1000 && accepted > 100);
  cr_bytes_free(&bytes);
}

TEST(maxima_at_each_offset_are_survived) {
  CrBytes bytes = full_bytes();
  const uint8_t values[][4] = {{255, 255, 255, 255}, {255, 255, 255, 127}, {0, 0, 0, 128}, {0, 0, 0, 0}, {1, 0, 0, 0}};
  for (size_t at = 0; at + 4 <= bytes.size; at++) {
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
      CrError error;
      uint8_t old[4];
      memcpy(old, bytes.data + at, 4);
      memcpy(bytes.data + at, values[v], 4);
      try_bytes(bytes.data, bytes.size, &error);
      memcpy(bytes.data + at, old, 4);
    }
  }
  cr_bytes_free(&bytes);
}

TEST(faults_in_bytes_name_field_and_offset) {
  CrBytes bytes = full_bytes();
  const struct {
    size_t offset;
    uint8_t value;
    CrStatus status;
    const char *field;
    size_t reported;
  } faults[] = {
      {0, 'X', CR_STATUS_BAD_MAGIC, "magic", 0},
      {4, 2, CR_STATUS_BAD_VERSION, "version", 4},
      {5, 1, CR_STATUS_BAD_VALUE, "tile.reserved", 5},
      {7, 1, CR_STATUS_BAD_VALUE, "tile.reserved", 6},
      {11, 0x7F, CR_STATUS_BAD_VALUE, "tile.x", 8},
      {23, 0xFF, CR_STATUS_TRUNCATED, "tile.vertex_count", 20},
      {44 + 24 + 7, 0x7F, CR_STATUS_BAD_VALUE, "tile.vertices", 44 + 24},
      {44 + 7 * 24, 2, CR_STATUS_BAD_VALUE, "tile.polygon_vertex_counts", 44 + 7 * 24},
      {44 + 7 * 24 + 2, 4, CR_STATUS_BAD_VALUE, "tile.polygon_vertex_counts", 44 + 7 * 24 + 2},
      {44 + 7 * 24, 3, CR_STATUS_BAD_VALUE, "tile.polygon_vertex_counts", 44 + 7 * 24 + 2},
      {44 + 7 * 24 + 3 + 4, 99, CR_STATUS_BAD_VALUE, "tile.polygon_vertices", 44 + 7 * 24 + 3 + 4},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    CrError error;
    uint8_t old = bytes.data[faults[i].offset];
    bytes.data[faults[i].offset] = faults[i].value;
    CHECK_STATUS(try_bytes(bytes.data, bytes.size, &error), faults[i].status);
    CHECK(strcmp(error.field, faults[i].field) == 0);
    CHECK_INT(error.offset, faults[i].reported);
    bytes.data[faults[i].offset] = old;
  }
  cr_bytes_free(&bytes);
}

TEST(random_damage_is_survived) {
  CrBytes bytes = full_bytes();
  uint8_t *copy = malloc(bytes.size);
  uint64_t seed = 11;
  int accepted = 0;
  for (int round = 0; round < 20000; round++) {
    CrError error;
    memcpy(copy, bytes.data, bytes.size);
    for (int32_t i = 1 + rnd_int(&seed, 4); i > 0; i--) {
      size_t at = rnd_u64(&seed) % bytes.size;
      copy[at] = (uint8_t)rnd_u64(&seed);
    }
    accepted += try_bytes(copy, bytes.size, &error) == CR_STATUS_OK;
  }
  printf("  %d of 20000 damaged tiles are valid tiles\n", accepted);
  free(copy);
  cr_bytes_free(&bytes);
}

// --- Memory ---------------------------------------------------------------------------------------------------------

TEST(a_failed_allocation_leaves_nothing_behind) {
  for (int64_t k = 1;; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrBytes bytes = {0};
    CrError error = {0};
    CrStatus status = cr_tile_encode(&params, full_tile(), &allocator, &bytes, &error);
    if (status == CR_STATUS_OK) {
      cr_bytes_free(&bytes);
      CHECK_INT(memory.live_blocks, 0);
      CHECK(k > 3);
      break;
    }
    CHECK_INT(status, CR_STATUS_OUT_OF_MEMORY);
    CHECK(!bytes.data && memory.live_blocks == 0);
  }
}

// Many polygons around one vertex, and one long strip: nothing may be quadratic.
TEST(large_tiles_encode) {
  static TileKit big;
  kit_begin(&big, 0, 0, 0);
  for (int32_t i = 0; i < 1500; i++) {
    double a = i / 1500.0, b = (i + 1) / 1500.0;
    kit_polygon(&big, 3, (const double[]){0, 0, 0, 10 - a * 5, 0, a * 9, 10 - b * 5, 0, b * 9});
  }
  CrBytes bytes = kit_encode(&big, &params);
  CrTile tile;
  REQUIRE_OK(decode(bytes.data, bytes.size, &tile, NULL));
  for (uint32_t p = 0; p + 1 < tile.polygon_count; p++) CHECK_INT(tile.corner_neighbour[3 * p + 2], p + 1);
  release(&tile);
  cr_bytes_free(&bytes);
}

TEST_MAIN(RUN(round_trip_keeps_everything), RUN(bytes_are_as_documented), RUN(an_empty_tile_is_a_tile),
          RUN(coordinates_near_a_side_move_onto_it), RUN(wrong_numbers_are_refused_by_name),
          RUN(wrong_indices_are_refused_by_name), RUN(wrong_neighbours_are_refused_by_name),
          RUN(overlapping_polygons_are_refused_when_neighbours_are_to_be_found),
          RUN(only_convex_polygons_with_area_pass), RUN(corners_above_each_other_are_refused),
          RUN(corners_too_near_each_other_are_refused), RUN(regular_polygons_pass_anywhere_in_the_world),
          RUN(every_prefix_is_an_error), RUN(flipped_bytes_never_make_a_bad_tile),
          RUN(maxima_at_each_offset_are_survived), RUN(faults_in_bytes_name_field_and_offset),
          RUN(random_damage_is_survived), RUN(a_failed_allocation_leaves_nothing_behind), RUN(large_tiles_encode))
