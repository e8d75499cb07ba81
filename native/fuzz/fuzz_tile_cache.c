// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile cache files (CRTC). The bytes are read as they are, then once more with the seal put right. A mutator of its own unpacks a
// tile's layers, changes them and packs them again, so that changes get behind the packing. What must hold: a refusal names a
// field and leaves nothing behind; a cache that is read is saved as the bytes it was read from, and a small one can build
// all its tiles: a mesh with every invariant, the same from a cache loaded again; any allocation may fail.
#include "crowdreel/tile_cache.h"
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define FIXED_SIZE 152  // header, settings, grid
#define FLAGS_SIZE 128
#define MOST_SPANS 20000
#define MOST_CELLS 256.0

// A tile may have 4,000,000 columns and 2^24 spans, and the grid 2^24 tiles, however short the file.
#define MEMORY_LIMIT ((size_t)1536 << 20)

static bool seal(uint8_t *data, size_t size) {
  if (size < 24) return false;
  CrWriter head = cr__writer_to(data, 16);
  cr__write_bytes(&head, "CRTC\1", 5);
  cr__write_u8(&head, data[5] & 1);
  cr__write_u16(&head, 0);
  cr__write_u64(&head, size);
  CrWriter tail = cr__writer_to(data + size - 8, 8);
  cr__write_u64(&tail, cr_hash_bytes(data, size - 8));
  return true;
}

static bool is_small(const CrTileCache *cache) {
  CrNavMeshParams params = cr_tile_cache_params(cache);
  CrTileCacheInfo info = cr_tile_cache_info(cache);
  double cells = params.tile_size / cr_tile_cache_settings(cache).cell_size;
  return cells <= MOST_CELLS && info.span_count <= MOST_SPANS && info.tile_count <= 16;
}

static CrNavMesh *build_all(CrTileCache *cache, const CrAllocator *hooks) {
  CrNavMeshParams params = cr_tile_cache_params(cache);
  CrNavMesh *mesh;
  FUZZ_REQUIRE(cr_navmesh_create(&params, hooks, &mesh, NULL) == CR_STATUS_OK);
  cr_tile_cache_touch_all(cache);
  FUZZ_REQUIRE(cr_tile_cache_pending_count(cache) == cr_tile_cache_info(cache).tile_count);
  CrError error = {0};
  CrStatus status = cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, &error);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
  return mesh;
}

static void load_without_memory(const uint8_t *data, size_t size, int64_t count) {
  FuzzMemory memory = {.fail_at = 1 + (int64_t)(cr_hash_bytes(data, size) % (uint64_t)count)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrTileCache *cache;
  CrStatus status = cr_tile_cache_load(data, size, &hooks, &cache, NULL);
  // Working memory that is only kept for speed may fail without harm.
  FUZZ_REQUIRE(status == CR_STATUS_OUT_OF_MEMORY || status == CR_STATUS_OK);
  if (status == CR_STATUS_OK) cr_tile_cache_destroy(cache);
  fuzz_memory_end(&memory);
}

static void use_cache(CrTileCache *cache, const uint8_t *data, size_t size, const CrAllocator *hooks) {
  CrBytes again;
  CrTileCache *twin;
  FUZZ_REQUIRE(cr_tile_cache_save(cache, NULL, &again, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == size && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
  if (!is_small(cache)) return;
  CrNavMesh *mesh = build_all(cache, hooks);
  fuzz_check_mesh(mesh);
  FUZZ_REQUIRE(cr_tile_cache_load(data, size, hooks, &twin, NULL) == CR_STATUS_OK);
  CrNavMesh *other = build_all(twin, hooks);
  FUZZ_REQUIRE(fuzz_mesh_hash(mesh) == fuzz_mesh_hash(other));
  cr_navmesh_destroy(other);
  cr_tile_cache_destroy(twin);
  cr_navmesh_destroy(mesh);
}

static void load(const uint8_t *data, size_t size) {
  FuzzMemory memory = {.limit = MEMORY_LIMIT};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrTileCache *cache;
  CrError error = {0};
  CrStatus status = cr_tile_cache_load(data, size, &hooks, &cache, &error);
  int64_t count = memory.count;
  if (status == CR_STATUS_OK) {
    use_cache(cache, data, size, &hooks);
    cr_tile_cache_destroy(cache);
    load_without_memory(data, size, count);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field && error.format == CR_FORMAT_TILE_CACHE);
    FUZZ_REQUIRE(error.offset <= size);
  }
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_try_sealed(data, size, load, seal);
  return 0;
}

#ifdef CR_FUZZ
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define MOST_RAW 8192
// Where the tiles begin (their count), or 0.
static size_t find_tiles(const uint8_t *data, size_t size) {
  static const uint32_t box_reals = 6, cylinder_reals = 3;
  size_t at = FIXED_SIZE + (data[5] & 1 ? FLAGS_SIZE : 0);
  if (at + 4 > size) return 0;
  uint64_t links = fuzz_load_u32(data + at);
  if (64 * links + 16 > size - at) return 0;
  at += 4 + 64 * (size_t)links + 8;
  uint32_t obstacles = fuzz_load_u32(data + at);
  at += 4;
  for (uint32_t i = 0; i < obstacles && at + 28 <= size; i++) {
    uint32_t reals = data[at + 8] == 0   ? box_reals
                     : data[at + 8] == 1 ? cylinder_reals
                                         : 2 * (uint32_t)(data[at + 10] | data[at + 11] << 8);
    at += 28 + 8 * (size_t)reals;
  }
  return at + 4 <= size ? at : 0;
}

// Changes the layers of some tile behind their packing.
static size_t change_layers(uint8_t *data, size_t size, size_t max_size, uint64_t *random) {
  static uint8_t raw[MOST_RAW], packed[2 * MOST_RAW];
  static CrPacker packer;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  size_t at = find_tiles(data, size);
  if (!at || (!packer.places && !cr__packer_init(&packer, &hooks))) return size;
  uint32_t count = fuzz_load_u32(data + at), wanted = count ? (uint32_t)(cr__random_u64(random) % count) : 0;
  at += 4;
  for (uint32_t i = 0; i < count && at + 20 <= size; i++) {
    uint32_t raw_size = fuzz_load_u32(data + at + 12), packed_size = fuzz_load_u32(data + at + 16);
    if (packed_size > size - at - 20) return size;
    if (i < wanted) {
      at += 20 + packed_size;
      continue;
    }
    if (raw_size > MOST_RAW || !cr__unpack(data + at + 20, packed_size, raw, raw_size)) return size;
    size_t fresh = LLVMFuzzerMutate(raw, raw_size, MOST_RAW);
    size_t fresh_packed = cr__pack(&packer, raw, fresh, packed);
    if (size - packed_size + fresh_packed > max_size) return size;
    memmove(data + at + 20 + fresh_packed, data + at + 20 + packed_size, size - at - 20 - packed_size);
    memcpy(data + at + 20, packed, fresh_packed);
    fuzz_store_u32(data + at + 12, fresh);
    fuzz_store_u32(data + at + 16, fresh_packed);
    return size - packed_size + fresh_packed;
  }
  return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  uint64_t random = seed;
  uint64_t kind = cr__random_u64(&random) % 8;
  if (kind < 3 || size < FIXED_SIZE + 8) {
    size = LLVMFuzzerMutate(data, size, max_size);
  } else {
    size = change_layers(data, size, max_size, &random);
  }
  // Grids of millions of cells cost seconds and teach nothing: they are rare.
  for (size_t at = FIXED_SIZE - 8; size >= FIXED_SIZE && at < FIXED_SIZE; at += 4) {
    if (fuzz_load_u32(data + at) > 4096 && cr__random_u64(&random) % 64)
      fuzz_store_u32(data + at, fuzz_load_u32(data + at) % 256);
  }
  return size;
}
#endif
