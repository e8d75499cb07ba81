// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Mesh snapshots. The bytes are read as they are, then once more with magic, size and hash put right, so that the fuzzer gets
// past the seal. What must hold: a refusal names a format error and leaves nothing behind; a mesh that is read keeps every invariant
// and gives back the bytes it was read from; memory stays in proportion to them; any allocation may fail; questions and
// edits go well.
#include "fuzzkit.h"
#include "navmesh_internal.h"

// docs/behaviour/navmesh.md, "Limits": 65,536 links and 2^20 overlaps are free, the rest is a multiple of the bytes.
static size_t memory_bound(size_t size) { return ((size_t)32 << 20) + 2048 * size; }

static void take_tiles_out_and_in(CrNavMesh *mesh) {
  if (cr_navmesh_tile_count(mesh) > 8) return;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo info;
    if (cr_navmesh_tile_info(mesh, slot, &info) != CR_STATUS_OK) continue;
    uint8_t *bytes = NULL;
    size_t size = (size_t)cr__tile_byte_size(&mesh->tiles[slot]);
    CrBytes kept;
    FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &kept, NULL) == CR_STATUS_OK);
    bytes = kept.data;
    CrWriter writer = cr__writer_to(bytes, size);
    cr__tile_write(&mesh->tiles[slot], &writer);
    CrStatus status = cr_navmesh_remove_tile(mesh, info.x, info.z, info.layer, NULL);
    FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
    if (status == CR_STATUS_OK) {
      fuzz_check_mesh(mesh);
      status = cr_navmesh_add_tile(mesh, bytes, size, NULL, NULL);
      FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
      fuzz_check_mesh(mesh);
    }
    cr_bytes_free(&kept);
  }
}

static void use_mesh(CrNavMesh *mesh, const uint8_t *data, size_t size) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) fuzz_broken(__FILE__, __LINE__, broken);
  CrBytes again;
  FUZZ_REQUIRE(cr_navmesh_save(mesh, NULL, &again, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == size && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
  FuzzIn in = fuzz_in(data, size);
  in.at = size > 64 ? size - 64 : 0;
  fuzz_ask_mesh(mesh, &in);
  take_tiles_out_and_in(mesh);
}

// Loading where the k-th allocation fails; k comes from the bytes.
static void load_without_memory(const uint8_t *data, size_t size, int64_t count) {
  FuzzMemory memory = {.fail_at = 1 + (int64_t)(cr_hash_bytes(data, size) % (uint64_t)count)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh = NULL;
  FUZZ_REQUIRE(cr_navmesh_load(data, size, &hooks, &mesh, NULL) == CR_STATUS_OUT_OF_MEMORY);
  fuzz_memory_end(&memory);
}

static void load(const uint8_t *data, size_t size) {
  FuzzMemory memory = {.limit = memory_bound(size)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh = NULL;
  CrError error = {0};
  CrStatus status = cr_navmesh_load(data, size, &hooks, &mesh, &error);
  int64_t count = memory.count;
  if (status == CR_STATUS_OK) {
    use_mesh(mesh, data, size);
    cr_navmesh_destroy(mesh);
    if (count) load_without_memory(data, size, count);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(error.format == CR_FORMAT_NAVMESH || status == CR_STATUS_LIMIT);
    FUZZ_REQUIRE(error.offset <= size || error.offset == CR_NO_OFFSET);
  }
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_try_sealed(data, size, load, fuzz_seal_mesh);
  return 0;
}
