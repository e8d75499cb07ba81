// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Referenced snapshots with the tiles they need: a length and the snapshot, then lengths and tiles. They are read as they are, then
// once more with the records made to name the tiles that are there, and the seal put right. What must hold: a refusal names a
// field and leaves nothing behind; the list of needs and the restore agree about the snapshot; a mesh that is read keeps every
// invariant and gives back the snapshot it was read from; any allocation may fail.
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define MOST_TILES 16
#define HEADER_SIZE 80
#define RECORD_SIZE 36

typedef struct Bundle {
  CrBytes snapshot;
  CrTileData tiles[MOST_TILES];
  uint32_t tile_count;
} Bundle;
static void read_bundle(FuzzIn in, Bundle *out) {
  size_t size = fuzz_u16(&in);
  const uint8_t *data = fuzz_span(&in, size, &size);
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &out->snapshot, NULL) == CR_STATUS_OK);
  if (size) memcpy(out->snapshot.data, data, size);
  for (out->tile_count = 0; out->tile_count < MOST_TILES && !fuzz_done(&in); out->tile_count++) {
    CrTileData *tile = &out->tiles[out->tile_count];
    size = fuzz_u16(&in);
    tile->data = fuzz_span(&in, size, &tile->size);
  }
}

// Record k gets position, size and hash of tile k, as far as both are there.
static void name_tiles(Bundle *bundle) {
  uint8_t *data = bundle->snapshot.data;
  size_t size = bundle->snapshot.size;
  if (size < HEADER_SIZE + 8) return;
  uint64_t at = HEADER_SIZE + 2 * (uint64_t)fuzz_load_u32(data + 72);
  for (uint32_t k = 0; k < bundle->tile_count && at + RECORD_SIZE <= size; k++) {
    const CrTileData *tile = &bundle->tiles[k];
    uint64_t hash;
    if (cr_tile_content_hash(tile->data, tile->size, &hash, NULL) == CR_STATUS_OK) {
      CrWriter writer = cr__writer_to(data + at + 4, RECORD_SIZE - 4);
      cr__write_bytes(&writer, tile->data + 8, 12);
      cr__write_u64(&writer, tile->size);
      cr__write_u64(&writer, hash);
    }
    at += RECORD_SIZE + CR_TILE_ATTRIBUTE_SIZE * (uint64_t)fuzz_load_u32(data + at + 32);
  }
}

static CrStatus load(const Bundle *bundle, const CrAllocator *hooks, CrNavMesh **out, CrError *error) {
  return cr_navmesh_load_referenced(bundle->snapshot.data, bundle->snapshot.size, bundle->tiles, bundle->tile_count,
                                    hooks, out, error);
}

static void use_mesh(const CrNavMesh *mesh, const Bundle *bundle) {
  CrBytes again;
  fuzz_check_mesh(mesh);
  bool full = bundle->snapshot.data[5] == 1;
  CrStatus status =
      full ? cr_navmesh_save(mesh, NULL, &again, NULL) : cr_navmesh_save_referenced(mesh, NULL, &again, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == bundle->snapshot.size && memcmp(again.data, bundle->snapshot.data, again.size) == 0);
  cr_bytes_free(&again);
}

static void load_without_memory(const Bundle *bundle, int64_t count) {
  uint64_t choice = cr_hash_bytes(bundle->snapshot.data, bundle->snapshot.size);
  FuzzMemory memory = {.fail_at = 1 + (int64_t)(choice % (uint64_t)count)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  FUZZ_REQUIRE(load(bundle, &hooks, &mesh, NULL) == CR_STATUS_OUT_OF_MEMORY);
  fuzz_memory_end(&memory);
}

static void try_bundle(const Bundle *bundle) {
  CrTileNeed needs[MOST_TILES];
  CrError error = {0};
  uint32_t need_count = 0;
  CrStatus listed =
      cr_navmesh_snapshot_needs(bundle->snapshot.data, bundle->snapshot.size, needs, MOST_TILES, &need_count, &error);
  FUZZ_REQUIRE(listed == CR_STATUS_OK || (error.status == listed && error.field));
  FuzzMemory memory = {.limit = (size_t)128 << 20};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  CrStatus status = load(bundle, &hooks, &mesh, &error);
  int64_t count = memory.count;
  if (status == CR_STATUS_OK) {
    FUZZ_REQUIRE(listed == CR_STATUS_OK);
    FUZZ_REQUIRE(need_count == (bundle->snapshot.data[5] == 1 ? 0 : cr_navmesh_tile_count(mesh)));
    use_mesh(mesh, bundle);
    cr_navmesh_destroy(mesh);
    load_without_memory(bundle, count);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
    int64_t most = listed == CR_STATUS_OK ? need_count : INT64_MAX;
    FUZZ_REQUIRE(error.index < (int64_t)bundle->tile_count || error.index < most);
  }
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bundle bundle;
  read_bundle(fuzz_in(data, size), &bundle);
  try_bundle(&bundle);
  name_tiles(&bundle);
  if (fuzz_seal_mesh(bundle.snapshot.data, bundle.snapshot.size)) try_bundle(&bundle);
  cr_bytes_free(&bundle.snapshot);
  return 0;
}
