// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Restoring a mesh in place: whatever was done to it since, it is the mesh that was saved, to the byte, and goes on as that one;
// refused snapshots change nothing; what looks at the stamp sees every restore.
#include "check.h"
#include "navmesh_internal.h"
#include "worlds.h"

#define TILES_MAX 64

// Every tile a mesh ever had, as its bytes.
typedef struct Store {
  CrBytes bytes[TILES_MAX];
  CrTileData tiles[TILES_MAX];
  uint32_t count;
} Store;

static Store take_tiles(const CrNavMesh *mesh) {
  Store store = {.count = mesh->slot_count};
  REQUIRE(mesh->slot_count <= TILES_MAX);
  for (uint32_t slot = 0; slot < store.count; slot++) {
    REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &store.bytes[slot], NULL));
    store.tiles[slot] = (CrTileData){store.bytes[slot].data, store.bytes[slot].size};
  }
  return store;
}

static void free_tiles(Store *store) {
  for (uint32_t k = 0; k < store->count; k++) cr_bytes_free(&store->bytes[k]);
}

static CrBytes save(const CrNavMesh *mesh, bool referenced) {
  CrBytes bytes;
  REQUIRE_OK((referenced ? cr_navmesh_save_referenced : cr_navmesh_save)(mesh, NULL, &bytes, NULL));
  return bytes;
}

static bool stands_at(const CrNavMesh *mesh, const CrBytes *full) {
  CrBytes now = save(mesh, false);
  bool same = now.size == full->size && memcmp(now.data, full->data, now.size) == 0;
  cr_bytes_free(&now);
  return same;
}

static void edit(CrNavMesh *mesh, const Store *store, uint64_t *seed) {
  uint32_t k = (uint32_t)rnd_int(seed, (int32_t)store->count),
           slot = (uint32_t)rnd_int(seed, (int32_t)mesh->slot_count);
  const CrTile *tile = &mesh->tiles[slot];
  CrPolyRef ref = cr_navmesh_ref(mesh, slot, (uint32_t)rnd_int(seed, 16));
  switch (rnd_int(seed, 4)) {
    case 0:
      if (tile->active) CHECK_OK(cr_navmesh_remove_tile(mesh, tile->x, tile->z, tile->layer, NULL));
      break;
    case 1:
      CHECK_OK(cr_navmesh_replace_tile(mesh, store->tiles[k].data, store->tiles[k].size, NULL, NULL));
      break;
    case 2:
      cr_navmesh_set_area(mesh, ref, (uint8_t)rnd_int(seed, 64), NULL);
      break;
    default:
      cr_navmesh_set_flags(mesh, ref, (uint16_t)rnd_int(seed, 8), NULL);
  }
}

#define SAVED 6

TEST(a_restored_mesh_is_the_one_saved) {
  CrNavMesh *mesh = world_two_floors(5, 12, 12, 2.0, 4.0, 10, 4, NULL);
  Store store = take_tiles(mesh);
  CrBytes full[SAVED], part[SAVED];
  for (int k = 0; k < SAVED; k++) {
    full[k] = save(mesh, false);
    part[k] = save(mesh, true);
  }
  uint64_t seed = check_seed = 31, stamp = mesh->stamp;
  int restores = 0;
  for (int64_t round = 0; round < check_scaled(400); round++) {
    for (int n = rnd_int(&seed, 8); n > 0; n--) edit(mesh, &store, &seed);
    int k = rnd_int(&seed, SAVED);
    if (rnd_int(&seed, 3) == 0) {
      cr_bytes_free(&full[k]);
      cr_bytes_free(&part[k]);
      full[k] = save(mesh, false);
      part[k] = save(mesh, true);
      continue;
    }
    bool referenced = rnd_int(&seed, 2);
    const CrBytes *from = referenced ? &part[k] : &full[k];
    stamp = mesh->stamp;
    CHECK_OK(cr_navmesh_restore(mesh, from->data, from->size, store.tiles, store.count, NULL));
    CHECK(mesh->stamp > stamp);
    for (uint32_t slot = 0; slot < mesh->slot_count; slot++) CHECK(mesh->tiles[slot].changed == mesh->stamp);
    CHECK(stands_at(mesh, &full[k]));
    const char *broken = cr__navmesh_invariant(mesh);
    if (broken) printf("  %s\n", broken);
    CHECK(!broken);
    restores++;
  }
  printf("  %d restores\n", restores);
  CHECK(restores > 100);
  for (int k = 0; k < SAVED; k++) {
    cr_bytes_free(&full[k]);
    cr_bytes_free(&part[k]);
  }
  free_tiles(&store);
  cr_navmesh_destroy(mesh);
}

// Edits after a restore give the references and the bytes that they give after a load.
TEST(a_restored_mesh_goes_on_as_a_loaded_one) {
  CrNavMesh *mesh = world_two_floors(6, 12, 12, 2.0, 4.0, 10, 4, NULL), *loaded;
  Store store = take_tiles(mesh);
  uint64_t seed = check_seed = 77;
  for (int n = 0; n < 60; n++) edit(mesh, &store, &seed);
  CrBytes saved = save(mesh, false);
  REQUIRE_OK(cr_navmesh_load(saved.data, saved.size, NULL, &loaded, NULL));
  for (int n = 0; n < 60; n++) edit(mesh, &store, &seed);
  CHECK_OK(cr_navmesh_restore(mesh, saved.data, saved.size, NULL, 0, NULL));
  uint64_t same_seed = seed;
  for (int n = 0; n < 60; n++) {
    edit(mesh, &store, &seed);
    edit(loaded, &store, &same_seed);
  }
  CrBytes end = save(loaded, false);
  CHECK(stands_at(mesh, &end));
  cr_bytes_free(&end);
  cr_bytes_free(&saved);
  free_tiles(&store);
  cr_navmesh_destroy(loaded);
  cr_navmesh_destroy(mesh);
}

TEST(refused_snapshots_change_nothing) {
  CrNavMesh *mesh = world_scattered(3, 12, 12, 2.0, 0.2, 4, NULL),
            *other = world_scattered(3, 12, 12, 2.5, 0.2, 4, NULL);
  CrBytes good = save(mesh, false), before, foreign = save(other, false), part = save(mesh, true);
  CHECK_OK(cr_navmesh_set_area(mesh, cr_navmesh_ref(mesh, 0, 0), 9, NULL));
  before = save(mesh, false);
  uint64_t stamp = mesh->stamp;
  CrError error = {0};
  CHECK_STATUS(cr_navmesh_restore(mesh, foreign.data, foreign.size, NULL, 0, &error), CR_STATUS_MISMATCH);
  CHECK(strcmp(error.field, "params") == 0 && error.format == CR_FORMAT_NAVMESH && error.offset == 16);
  CHECK_STATUS(cr_navmesh_restore(mesh, part.data, part.size, NULL, 0, &error), CR_STATUS_NOT_FOUND);
  CHECK(strcmp(error.field, "mesh.tiles") == 0);
  for (size_t size = 0; size < good.size; size += 7) {
    CHECK_STATUS(cr_navmesh_restore(mesh, good.data, size, NULL, 0, &error), CR_STATUS_TRUNCATED);
  }
  good.data[good.size / 2] ^= 1;
  CHECK_STATUS(cr_navmesh_restore(mesh, good.data, good.size, NULL, 0, &error), CR_STATUS_MISMATCH);
  CHECK(stands_at(mesh, &before) && mesh->stamp == stamp);
  cr_bytes_free(&good);
  cr_bytes_free(&before);
  cr_bytes_free(&foreign);
  cr_bytes_free(&part);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(other);
}

static int64_t restore_with_failure(int64_t fail_after) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(3, 8, 8, 2.0, 0.2, 4, &allocator);
  CrBytes saved = save(mesh, false);
  CHECK_OK(cr_navmesh_set_area(mesh, cr_navmesh_ref(mesh, 0, 0), 9, NULL));
  CrBytes before = save(mesh, false);
  int64_t base = memory.total_allocations;
  memory.fail_at = fail_after ? base + fail_after : 0;
  CrStatus status = cr_navmesh_restore(mesh, saved.data, saved.size, NULL, 0, NULL);
  CHECK_INT(status, fail_after ? CR_STATUS_OUT_OF_MEMORY : CR_STATUS_OK);
  CHECK(stands_at(mesh, fail_after ? &before : &saved));
  int64_t used = memory.total_allocations - base;
  cr_bytes_free(&saved);
  cr_bytes_free(&before);
  cr_navmesh_destroy(mesh);
  CHECK_INT(memory.live_blocks, 0);
  return used;
}

TEST(any_allocation_of_a_restore_may_fail) {
  int64_t total = restore_with_failure(0);
  for (int64_t k = 1; k <= total; k++) restore_with_failure(k);
  printf("  %" PRId64 " allocations, each failed once\n", total);
}

TEST_MAIN(RUN(a_restored_mesh_is_the_one_saved), RUN(a_restored_mesh_goes_on_as_a_loaded_one),
          RUN(refused_snapshots_change_nothing), RUN(any_allocation_of_a_restore_may_fail))
