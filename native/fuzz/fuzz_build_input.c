// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build input files (OPBI). A mutator of its own keeps the counts in step with the length. What must hold: a refusal names a
// field; a file that is read is written back as it was; what is small enough is built: a mesh with every invariant, or an error by
// name; memory stays in proportion.
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define HEADER_SIZE 112
#define MOST_COLUMNS 16384
#define MOST_TRIANGLES 400

// The columns a build of this file would have; more than MOST_COLUMNS for anything large.
static double columns_of(const CrBuildInputFile *file) {
  CrNavMeshParams params;
  int32_t tiles_x, tiles_z;
  FUZZ_REQUIRE(cr_build_layout(&file->input, &file->settings, &params, &tiles_x, &tiles_z, NULL) == CR_STATUS_OK);
  double side = params.tile_size / file->settings.cell_size;
  return side * side;
}

static void build(const CrBuildInputFile *file, const CrAllocator *hooks, FuzzIn *in) {
  CrNavMesh *mesh;
  CrError error = {0};
  CrBuildReport report;
  CrStatus status = cr_build_navmesh(&file->input, &file->settings, NULL, hooks, &mesh, &report, &error);
  if (status != CR_STATUS_OK) {
    FUZZ_REQUIRE(error.status == status && error.field);
    return;
  }
  fuzz_check_mesh(mesh);
  FUZZ_REQUIRE(report.polygons == cr_navmesh_polygon_count(mesh));
  fuzz_ask_mesh(mesh, in);
  cr_navmesh_destroy(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzMemory memory = {.limit = ((size_t)64 << 20) + 64 * size};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrBuildInputFile file;
  CrError error = {0};
  CrStatus status = cr_build_input_read(data, size, &hooks, &file, &error);
  if (status != CR_STATUS_OK) {
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(error.offset <= size || error.offset == CR_NO_OFFSET);
    fuzz_memory_end(&memory);
    return 0;
  }
  CrBytes again;
  FUZZ_REQUIRE(cr_build_input_write(&file.input, &file.settings, NULL, &again, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == size && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
  FuzzIn in = fuzz_in(data, size);
  in.at = size - 64;
  if (file.input.triangle_count <= MOST_TRIANGLES && columns_of(&file) <= MOST_COLUMNS) build(&file, &hooks, &in);
  cr_build_input_free(&file);
  fuzz_memory_end(&memory);
  return 0;
}

#ifdef CR_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
// A vertex takes the place of another, or moves by a small step.
static void change_vertex(uint8_t *data, size_t vertices, uint64_t *random) {
  uint8_t *to = data + HEADER_SIZE + 8 * (cr__random_u64(random) % (3 * vertices));
  double value;
  memcpy(&value, data + HEADER_SIZE + 8 * (cr__random_u64(random) % (3 * vertices)), 8);
  if (cr__random_u64(random) & 1) value += 0.25 * (double)(int64_t)(cr__random_u64(random) % 17) - 2.0;
  memcpy(to, &value, 8);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  uint64_t random = seed, kind = cr__random_u64(&random) % 8;
  if (kind < 2 || size < HEADER_SIZE) return LLVMFuzzerMutate(data, size, max_size);
  size_t vertices = fuzz_load_u32(data + 104), triangles = fuzz_load_u32(data + 108);
  if (vertices == 0 || 24 * (uint64_t)vertices + 12 * (uint64_t)triangles != size - HEADER_SIZE) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  uint8_t *list = data + HEADER_SIZE + 24 * vertices;
  if (kind < 5) {
    change_vertex(data, vertices, &random);
  } else if (kind == 5 && size + 12 <= max_size) {  // one more triangle
    for (int k = 0; k < 3; k++) fuzz_store_u32(data + size + 4 * k, cr__random_u64(&random) % vertices);
    fuzz_store_u32(data + 108, triangles + 1);
    return size + 12;
  } else if (kind == 6 && triangles > 0) {  // one triangle less
    uint8_t *at = list + 12 * (cr__random_u64(&random) % triangles);
    memmove(at, at + 12, (size_t)(data + size - at) - 12);
    fuzz_store_u32(data + 108, triangles - 1);
    return size - 12;
  } else if (triangles > 0) {
    uint8_t *at = list + 4 * (cr__random_u64(&random) % (3 * triangles));
    fuzz_store_u32(at, cr__random_u64(&random) % vertices);
  }
  return size;
}
#endif
