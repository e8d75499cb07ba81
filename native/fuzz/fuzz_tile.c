// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile bytes: one byte chooses the mesh's parameters, the rest is the tile. A mutator of its own keeps the counts of the header and
// the length in step. What must hold: a refusal names a field and changes nothing; an accepted tile keeps every invariant,
// is written back as it was read, and can be asked, replaced by itself and removed.
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define HEADER_SIZE 44

static CrNavMeshParams params_from(uint8_t choice) {
  static const double sizes[] = {8.0, 5.0, 1024.0, 0.3 * 40};
  static const double origins[] = {0.0, -4.0, 1000.25, -2097000.0};
  return (CrNavMeshParams){.origin_x = origins[choice >> 2 & 3],
                           .origin_z = origins[choice >> 4 & 3],
                           .tile_size = sizes[choice & 3],
                           .climb = choice & 64 ? 2.0 : 0.5,
                           .agent_height = 2.0};
}

static void check_written_back(const CrTile *tile, const uint8_t *data, size_t size) {
  CrBytes again;
  FUZZ_REQUIRE(cr__tile_byte_size(tile) == size);
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &again, NULL) == CR_STATUS_OK);
  CrWriter writer = cr__writer_to(again.data, size);
  cr__tile_write(tile, &writer);
  FUZZ_REQUIRE(!writer.overflow && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
}

static void use_tile(CrNavMesh *mesh, uint32_t slot, const uint8_t *data, size_t size) {
  const CrTile *tile = &mesh->tiles[slot];
  int32_t x = tile->x, z = tile->z, layer = tile->layer;
  check_written_back(tile, data, size);
  fuzz_check_mesh(mesh);
  FuzzIn in = fuzz_in(data, size);
  in.at = size > 96 ? size - 96 : 0;
  fuzz_ask_mesh(mesh, &in);
  FUZZ_REQUIRE(cr_navmesh_add_tile(mesh, data, size, NULL, NULL) == CR_STATUS_OCCUPIED);
  CrStatus status = cr_navmesh_replace_tile(mesh, data, size, NULL, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_remove_tile(mesh, x, z, layer, NULL) == CR_STATUS_OK);
  fuzz_check_mesh(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  CrNavMeshParams params = params_from(data[0]);
  FuzzMemory memory = {.limit = ((size_t)64 << 20) + 4096 * size};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  CrError error = {0};
  uint32_t slot;
  FUZZ_REQUIRE(cr_navmesh_create(&params, &hooks, &mesh, NULL) == CR_STATUS_OK);
  uint64_t before = fuzz_mesh_hash(mesh);
  CrStatus status = cr_navmesh_add_tile(mesh, data + 1, size - 1, &slot, &error);
  if (status == CR_STATUS_OK) {
    use_tile(mesh, slot, data + 1, size - 1);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(fuzz_mesh_hash(mesh) == before);
  }
  cr_navmesh_destroy(mesh);
  fuzz_memory_end(&memory);
  return 0;
}

#ifdef CR_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

typedef struct Shape {
  uint32_t vertices, polygons, corners, detail_vertices, detail_triangles, links;
} Shape;
static bool shape_of(const uint8_t *tile, size_t size, Shape *out) {
  if (size < HEADER_SIZE) return false;
  *out = (Shape){fuzz_load_u32(tile + 20), fuzz_load_u32(tile + 24), fuzz_load_u32(tile + 28),
                 fuzz_load_u32(tile + 32), fuzz_load_u32(tile + 36), fuzz_load_u32(tile + 40)};
  uint64_t need = HEADER_SIZE + 24 * (uint64_t)out->vertices + 12 * (uint64_t)out->polygons +
                  8 * (uint64_t)out->corners + 24 * (uint64_t)out->detail_vertices +
                  6 * (uint64_t)out->detail_triangles + 64 * (uint64_t)out->links;
  return need == size;
}

// One number of one array changes to another plausible one.
static void change_value(uint8_t *tile, const Shape *shape, uint64_t *random) {
  uint8_t *vertices = tile + HEADER_SIZE;
  uint8_t *counts = vertices + 24 * (size_t)shape->vertices;
  uint8_t *corners = counts + shape->polygons;
  uint8_t *neighbours = corners + 4 * (size_t)shape->corners;
  uint8_t *areas = neighbours + 4 * (size_t)shape->corners;
  uint64_t r = cr__random_u64(random), pick = cr__random_u64(random);
  if (r % 4 == 0 && shape->vertices) {  // a coordinate becomes that of another vertex
    uint8_t *to = vertices + 8 * (pick % (3 * (uint64_t)shape->vertices));
    memcpy(to, vertices + 8 * (cr__random_u64(random) % (3 * (uint64_t)shape->vertices)), 8);
  } else if (r % 4 == 1 && shape->corners) {
    uint32_t value = shape->vertices ? (uint32_t)(cr__random_u64(random) % shape->vertices) : 0;
    fuzz_store_u32(corners + 4 * (pick % shape->corners), value);
  } else if (r % 4 == 2 && shape->corners) {
    static const uint32_t sides[] = {CR_EDGE_WALL, CR_EDGE_BORDER_POS_X, CR_EDGE_BORDER_POS_Z, CR_EDGE_BORDER_NEG_X,
                                     CR_EDGE_BORDER_NEG_Z};
    uint64_t which = cr__random_u64(random) % 8;
    uint32_t value = which < 5 ? sides[which] : (uint32_t)(cr__random_u64(random) % (shape->polygons + 1));
    fuzz_store_u32(neighbours + 4 * (pick % shape->corners), value);
  } else if (shape->polygons) {
    areas[pick % shape->polygons] ^= (uint8_t)(1 << (r >> 8 & 7));
  }
}

// An element of the vertices, corners with their neighbours, or links is doubled or goes: header and length follow.
static size_t change_count(uint8_t *tile, size_t size, size_t max_size, const Shape *shape, uint64_t *random) {
  bool links = cr__random_u64(random) & 1;
  size_t element = links ? 64 : 24, count = links ? shape->links : shape->vertices;
  size_t start = links ? size - 64 * count : HEADER_SIZE, field = links ? 40 : 20;
  if (count == 0) return size;
  uint8_t *at = tile + start + element * (cr__random_u64(random) % count);
  size_t after = size - (size_t)(at - tile);
  if (cr__random_u64(random) & 1) {
    if (size + element > max_size) return size;
    memmove(at + element, at, after);
    fuzz_store_u32(tile + field, (uint32_t)count + 1);
    return size + element;
  }
  memmove(at, at + element, after - element);
  fuzz_store_u32(tile + field, (uint32_t)count - 1);
  return size - element;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  uint64_t random = seed;
  Shape shape;
  uint64_t kind = cr__random_u64(&random) % 8;
  if (kind < 3 || size < 1 || !shape_of(data + 1, size - 1, &shape)) return LLVMFuzzerMutate(data, size, max_size);
  if (kind < 5) return 1 + change_count(data + 1, size - 1, max_size - 1, &shape, &random);
  change_value(data + 1, &shape, &random);
  return size;
}
#endif
