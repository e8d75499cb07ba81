// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Referenced snapshots and what belongs to them: content hashes, tile bytes, what a snapshot needs, and restoring from
// tiles that are missing, damaged, edited or too many.
#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static TileKit kit;

static const CrNavMeshParams params = {
    .origin_x = 2, .origin_z = -9, .tile_size = 6.25, .climb = 0.5, .agent_radius = 0.5};

static CrBytes random_tile(uint64_t *seed, int32_t x, int32_t z, int32_t layer) {
  kit_random(&kit, &params, seed, x, z, layer);
  return kit_encode(&kit, &params);
}

// A mesh with a history: removed tiles, free slots, bumped salts, changed areas.
static CrNavMesh *edited_mesh(uint64_t seed, int64_t steps) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int64_t i = 0; i < steps; i++) {
    int32_t x = rnd_int(&seed, 4), z = rnd_int(&seed, 3), layer = rnd_int(&seed, 2) * 7 - 3;
    if (rnd_int(&seed, 3) == 0) {
      cr_navmesh_remove_tile(mesh, x, z, layer, NULL);
      continue;
    }
    CrBytes bytes = random_tile(&seed, x, z, layer);
    uint32_t slot;
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, &slot, NULL));
    for (uint32_t p = 0; p < 4; p++) {
      CrPolyRef ref = cr_navmesh_ref(mesh, slot, p);
      if (rnd_int(&seed, 2)) cr_navmesh_set_area(mesh, ref, (uint8_t)rnd_int(&seed, 64), NULL);
      if (rnd_int(&seed, 2)) cr_navmesh_set_flags(mesh, ref, (uint16_t)rnd_int(&seed, 65536), NULL);
    }
    cr_bytes_free(&bytes);
  }
  return mesh;
}
static CrBytes referenced(const CrNavMesh *mesh) {
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_save_referenced(mesh, NULL, &bytes, NULL));
  return bytes;
}
static uint32_t polygons_in(const CrBytes *tile) {
  uint32_t count;
  memcpy(&count, tile->data + 24, sizeof count);
  return count;
}

// --- A store of tiles -----------------------------------------------------------------------------------------------

#define STORE_MAX 64

typedef struct Store {
  CrBytes bytes[STORE_MAX];
  CrTileData tiles[STORE_MAX];
  uint32_t count;
} Store;

static void put(Store *store, CrBytes bytes) {
  REQUIRE(store->count < STORE_MAX);
  store->bytes[store->count] = bytes;
  store->tiles[store->count++] = (CrTileData){bytes.data, bytes.size};
}

// The mesh's tiles in a random order, their areas and flags scrambled: none of that may matter.
static Store store_of(const CrNavMesh *mesh, uint64_t *seed) {
  Store store = {.count = 0};
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    CrBytes bytes;
    if (cr_navmesh_tile_bytes(mesh, slot, NULL, &bytes, NULL) != CR_STATUS_OK) continue;
    uint32_t polygons = polygons_in(&bytes);
    uint8_t *areas = bytes.data + kit_areas_offset(bytes.data);
    for (uint32_t p = 0; p < polygons; p++) areas[p] = (uint8_t)rnd_int(seed, 64);
    for (uint32_t p = 0; p < 2 * polygons; p++) areas[polygons + p] = (uint8_t)rnd_int(seed, 256);
    put(&store, bytes);
  }
  for (uint32_t i = store.count; i > 1; i--) {
    uint32_t k = (uint32_t)rnd_int(seed, (int32_t)i);
    CrTileData swap = store.tiles[i - 1];
    store.tiles[i - 1] = store.tiles[k];
    store.tiles[k] = swap;
  }
  return store;
}

static void free_store(Store *store) {
  for (uint32_t i = 0; i < store->count; i++) cr_bytes_free(&store->bytes[i]);
}

static CrNavMesh *restore(const CrBytes *snapshot, const Store *store) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_load_referenced(snapshot->data, snapshot->size, store->tiles, store->count, NULL, &mesh, NULL));
  return mesh;
}

// Equal in everything a caller can see, references included: the full snapshots are the same bytes, and so are the
// links that follow from them.
static void check_equal(const CrNavMesh *a, const CrNavMesh *b) {
  CrBytes full_a = kit_save(a), full_b = kit_save(b), referenced_a = referenced(a), referenced_b = referenced(b);
  CHECK(kit_same_bytes(&full_a, &full_b) && kit_same_bytes(&referenced_a, &referenced_b));
  const char *broken = cr__navmesh_invariant(b), *difference = kit_difference(a, b);
  CHECK(!broken && !difference && a->edit_count == b->edit_count);
  for (uint32_t slot = 0; slot < a->slot_count; slot++) {
    const CrTile *p = &a->tiles[slot], *q = &b->tiles[slot];
    CHECK(p->link_count == q->link_count);
    for (uint32_t i = 0; i < p->link_count && i < q->link_count; i++) {
      CHECK(p->links[i].target == q->links[i].target && p->links[i].owner_slot == q->links[i].owner_slot);
    }
  }
  cr_bytes_free(&full_a);
  cr_bytes_free(&full_b);
  cr_bytes_free(&referenced_a);
  cr_bytes_free(&referenced_b);
}

// --- Content --------------------------------------------------------------------------------------------------------

TEST(content_hashes_forget_areas_and_flags_alone) {
  uint64_t seed = 8, hash, other;
  for (int round = 0; round < 50; round++) {
    check_seed = seed;
    CrBytes bytes = random_tile(&seed, 1, 2, 3);
    uint32_t polygons = polygons_in(&bytes);
    size_t areas = kit_areas_offset(bytes.data);
    REQUIRE_OK(cr_tile_content_hash(bytes.data, bytes.size, &hash, NULL));
    // What it is documented to be.
    uint8_t *copy = malloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    memset(copy + areas, 0, (size_t)polygons * 3);
    CHECK(hash == cr_hash_bytes(copy, bytes.size));
    free(copy);
    for (size_t at = 8; at < bytes.size; at++) {
      bool header = at < 44, forgotten = at >= areas && at < areas + (size_t)polygons * 3;
      if (header && at >= 20) continue;  // counts: then it is not a tile at all
      bytes.data[at] ^= 1;
      REQUIRE_OK(cr_tile_content_hash(bytes.data, bytes.size, &other, NULL));
      CHECK((hash == other) == forgotten);
      bytes.data[at] ^= 1;
    }
    cr_bytes_free(&bytes);
  }
}

TEST(bytes_of_a_tile_are_those_of_now) {
  CrNavMesh *mesh = NULL, *other = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &other, NULL));
  uint64_t seed = 4, hash;
  CrBytes given = random_tile(&seed, 0, 0, 0), taken;
  uint32_t slot;
  CrTileInfo info;
  CrError error = {0};
  REQUIRE_OK(cr_navmesh_add_tile(mesh, given.data, given.size, &slot, NULL));
  REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &taken, NULL));
  CHECK(kit_same_bytes(&given, &taken));
  cr_bytes_free(&taken);
  CHECK_OK(cr_navmesh_set_area(mesh, cr_navmesh_ref(mesh, slot, 1), 41, NULL));
  CHECK_OK(cr_navmesh_set_flags(mesh, cr_navmesh_ref(mesh, slot, 0), 0xA55A, NULL));
  REQUIRE_OK(cr_navmesh_tile_bytes(mesh, slot, NULL, &taken, NULL));
  given.data[kit_areas_offset(given.data) + 1] = 41;
  given.data[kit_areas_offset(given.data) + polygons_in(&given)] = 0x5A;
  given.data[kit_areas_offset(given.data) + polygons_in(&given) + 1] = 0xA5;
  CHECK(kit_same_bytes(&given, &taken));
  REQUIRE_OK(cr_navmesh_add_tile(other, taken.data, taken.size, NULL, NULL));
  CHECK(!kit_difference(mesh, other));
  CHECK_OK(cr_navmesh_tile_info(mesh, slot, &info));
  CHECK_OK(cr_tile_content_hash(taken.data, taken.size, &hash, NULL));
  CHECK(hash == info.content_hash);
  CHECK_STATUS(cr_navmesh_tile_bytes(mesh, 1, NULL, &taken, &error), CR_STATUS_NOT_FOUND);
  CHECK(strcmp(error.field, "slot") == 0 && error.index == 1);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  CHECK_STATUS(cr_navmesh_tile_bytes(mesh, 0, NULL, &taken, &error), CR_STATUS_NOT_FOUND);
  cr_bytes_free(&given);
  cr_bytes_free(&taken);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(other);
}

// --- Round trips ----------------------------------------------------------------------------------------------------

static void check_round_trip(const CrNavMesh *mesh, uint64_t seed) {
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh), whole = kit_save(mesh), again;
  CrNavMesh *restored = restore(&bytes, &store), *loaded = NULL, *from_full = NULL;
  check_equal(mesh, restored);
  REQUIRE_OK(cr_navmesh_load(whole.data, whole.size, NULL, &loaded, NULL));
  again = referenced(loaded);
  CHECK(kit_same_bytes(&bytes, &again));
  // A full snapshot is restored by the same call, and needs nothing.
  REQUIRE_OK(cr_navmesh_load_referenced(whole.data, whole.size, NULL, 0, NULL, &from_full, NULL));
  check_equal(mesh, from_full);
  // All go on alike: the next tile takes the same slot with the same salt.
  CrNavMesh *meshes[3] = {restored, loaded, from_full};
  uint32_t slots[3];
  uint16_t salts[3];
  for (int i = 0; i < 3; i++) {
    uint64_t state = seed;
    kit_random(&kit, &params, &state, 9, 9, 0);
    slots[i] = kit_add(&kit, meshes[i]);
    salts[i] = meshes[i]->tiles[slots[i]].salt;
    CHECK(slots[i] == slots[0] && salts[i] == salts[0]);
    cr_navmesh_destroy(meshes[i]);
  }
  free_store(&store);
  cr_bytes_free(&again);
  cr_bytes_free(&whole);
  cr_bytes_free(&bytes);
}

TEST(take_restore_take_gives_the_same_bytes) {
  size_t total = 0, whole = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    check_seed = seed;
    CrNavMesh *mesh = edited_mesh(seed, (int64_t)seed * 3);
    CrBytes a = referenced(mesh), b = kit_save(mesh);
    check_round_trip(mesh, seed);
    total += a.size;
    whole += b.size;
    cr_bytes_free(&a);
    cr_bytes_free(&b);
    cr_navmesh_destroy(mesh);
  }
  printf("  40 meshes: %zu bytes referenced, %zu full\n", total, whole);
}

TEST(thousands_of_edits_later_it_still_does) {
  CrNavMesh *mesh = edited_mesh(78, check_scaled(3000));
  CHECK(mesh->edit_count > (uint64_t)check_scaled(3000));
  check_round_trip(mesh, 78);
  printf("  %" PRIu64 " edits\n", mesh->edit_count);
  cr_navmesh_destroy(mesh);
}

TEST(an_empty_mesh_needs_nothing) {
  CrNavMesh *mesh = NULL, *restored = NULL;
  uint32_t count = 9;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  CrBytes bytes = referenced(mesh);
  CHECK_INT(bytes.size, 88);
  CHECK_OK(cr_navmesh_snapshot_needs(bytes.data, bytes.size, NULL, 0, &count, NULL));
  CHECK_INT(count, 0);
  REQUIRE_OK(cr_navmesh_load_referenced(bytes.data, bytes.size, NULL, 0, NULL, &restored, NULL));
  check_equal(mesh, restored);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(restored);
  cr_navmesh_destroy(mesh);
}

// The layout, by hand: three slots, tiles in the first and last.
TEST(bytes_are_as_documented) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  CrBytes tiles[3];
  for (int32_t x = 0; x < 3; x++) {
    kit_begin(&kit, x, 0, -x);
    kit_rectangle(&kit, 2 + 6.25 * x, -9, 4 + 6.25 * x, -5, 0);
    kit_rectangle(&kit, 4 + 6.25 * x, -9, 5 + 6.25 * x, -5, 0);
    tiles[x] = kit_encode(&kit, &params);
    REQUIRE_OK(cr_navmesh_add_tile(mesh, tiles[x].data, tiles[x].size, NULL, NULL));
  }
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, -1, NULL));
  CHECK_OK(cr_navmesh_set_area(mesh, cr_navmesh_ref(mesh, 2, 1), 12, NULL));
  CHECK_OK(cr_navmesh_set_flags(mesh, cr_navmesh_ref(mesh, 2, 0), 0x1234, NULL));
  CrBytes bytes = referenced(mesh);
  uint8_t expected[1024];
  CrWriter writer = cr__writer_to(expected, sizeof expected);
  cr__write_bytes(&writer, "CRNM\1\2\0\0", 8);
  cr__write_u64(&writer, 80 + 3 * 2 + 2 * (36 + 6) + 8);
  const double numbers[] = {2, -9, 6.25, 0.5, 0.5, 0};
  for (size_t i = 0; i < 6; i++) cr__write_f64(&writer, numbers[i]);
  cr__write_u64(&writer, 6);
  cr__write_u32(&writer, 3);
  cr__write_u32(&writer, 2);
  cr__write_u16(&writer, 1);
  cr__write_u16(&writer, 2);
  cr__write_u16(&writer, 1);
  CrTileNeed needs[3] = {{0}};
  for (uint32_t i = 0; i < 2; i++) {
    int32_t x = i ? 2 : 0;
    memset(tiles[x].data + kit_areas_offset(tiles[x].data), 0, 6);
    uint64_t hash = cr_hash_bytes(tiles[x].data, tiles[x].size);
    needs[i] = (CrTileNeed){(uint32_t)x, x, 0, -x, tiles[x].size, hash};
    cr__write_u32(&writer, (uint32_t)x);
    cr__write_i32(&writer, x);
    cr__write_i32(&writer, 0);
    cr__write_i32(&writer, -x);
    cr__write_u64(&writer, tiles[x].size);
    cr__write_u64(&writer, hash);
    cr__write_u32(&writer, 2);
    cr__write_u8(&writer, 0);
    cr__write_u8(&writer, i ? 12 : 0);
    cr__write_u16(&writer, i ? 0x1234 : 1);
    cr__write_u16(&writer, 1);
  }
  cr__write_u64(&writer, cr_hash_bytes(expected, writer.size));
  CHECK_INT(bytes.size, writer.size);
  CHECK(!writer.overflow && memcmp(bytes.data, expected, writer.size) == 0);
  // What it needs, with room for all, for one and for none.
  for (uint32_t capacity = 0; capacity <= 3; capacity++) {
    CrTileNeed got[3] = {{0}};
    uint32_t count = 0;
    CHECK_OK(cr_navmesh_snapshot_needs(bytes.data, bytes.size, capacity ? got : NULL, capacity, &count, NULL));
    CHECK_INT(count, 2);
    for (uint32_t i = 0; i < 3; i++) {
      const CrTileNeed *need = &needs[i];
      bool same = got[i].slot == need->slot && got[i].x == need->x && got[i].z == need->z &&
                  got[i].layer == need->layer && got[i].size == need->size && got[i].content_hash == need->content_hash;
      CHECK(i < capacity && i < 2 ? same : got[i].size == 0);
    }
  }
  for (int x = 0; x < 3; x++) cr_bytes_free(&tiles[x]);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST(only_its_own_call_reads_it) {
  CrNavMesh *mesh = edited_mesh(2, 20), *none = NULL;
  CrBytes bytes = referenced(mesh), whole = kit_save(mesh);
  CrError error = {0};
  uint32_t count = 9;
  CHECK_STATUS(cr_navmesh_load(bytes.data, bytes.size, NULL, &none, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "mesh.mode") == 0 && error.offset == 5 && !none);
  CHECK_OK(cr_navmesh_snapshot_needs(whole.data, whole.size, NULL, 0, &count, NULL));
  CHECK_INT(count, 0);
  cr_bytes_free(&bytes);
  cr_bytes_free(&whole);
  cr_navmesh_destroy(mesh);
}

// --- Tiles that are not there ---------------------------------------------------------------------------------------

static CrStatus try_restore(const uint8_t *data, size_t size, const CrTileData *tiles, uint32_t count, CrError *error) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = NULL;
  *error = (CrError){0};
  CrStatus status = cr_navmesh_load_referenced(data, size, tiles, count, &allocator, &mesh, error);
  CHECK((status == CR_STATUS_OK) == (mesh != NULL));
  if (mesh)
    CHECK(!cr__navmesh_invariant(mesh));
  else
    CHECK(error->status == status && error->format == CR_FORMAT_NAVMESH && error->field);
  cr_navmesh_destroy(mesh);
  CHECK_INT(memory.live_blocks, 0);
  return status;
}

TEST(missing_tiles_are_named) {
  CrNavMesh *mesh = edited_mesh(11, 60);
  uint64_t seed = 1;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  CrTileNeed needs[STORE_MAX];
  uint32_t count;
  CrError error;
  REQUIRE_OK(cr_navmesh_snapshot_needs(bytes.data, bytes.size, needs, STORE_MAX, &count, NULL));
  REQUIRE(count == store.count && count > 5);
  for (uint32_t i = 0; i < count; i++) {
    // The one without tiles[i]: the error names the need with that hash.
    CrTileData without[STORE_MAX];
    uint64_t hash;
    memcpy(without, store.tiles, sizeof without);
    without[i] = without[count - 1];
    REQUIRE_OK(cr_tile_content_hash(store.tiles[i].data, store.tiles[i].size, &hash, NULL));
    CHECK_STATUS(try_restore(bytes.data, bytes.size, without, count - 1, &error), CR_STATUS_NOT_FOUND);
    CHECK(strcmp(error.field, "mesh.tiles") == 0 && error.index >= 0 && error.index < count);
    CHECK(needs[error.index].content_hash == hash);
  }
  CHECK_STATUS(try_restore(bytes.data, bytes.size, NULL, 0, &error), CR_STATUS_NOT_FOUND);
  CHECK_INT(error.index, 0);
  CrNavMesh *none = NULL;
  CHECK_STATUS(cr_navmesh_load_referenced(bytes.data, bytes.size, NULL, 1, NULL, &none, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "tiles") == 0);
  // Too many, and some twice: no harm.
  uint32_t own = store.count;
  for (int32_t i = 0; i < 8; i++) put(&store, random_tile(&seed, i % 4, i / 4, -3));
  CrTileData many[2 * STORE_MAX];
  for (uint32_t i = 0; i < store.count; i++) many[i] = store.tiles[store.count - 1 - i];
  for (uint32_t i = 0; i < own; i++) many[store.count + i] = store.tiles[i];
  CHECK_OK(try_restore(bytes.data, bytes.size, many, store.count + own, &error));
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// Any changed byte of a tile makes it another tile, or none.
TEST(wrong_tiles_are_named) {
  CrNavMesh *mesh = edited_mesh(12, 20);
  uint64_t seed = 2;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  CrError error;
  CHECK_OK(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error));
  uint32_t at = store.count / 2;
  uint8_t *damaged = malloc(store.tiles[at].size + 1);
  CrTileData *given = &store.tiles[at], right = *given;
  CrBytes as_bytes = {.data = damaged, .size = right.size};
  memcpy(damaged, right.data, right.size);
  damaged[right.size] = 0;
  given->data = damaged;
  size_t areas = kit_areas_offset(as_bytes.data), polygons = polygons_in(&as_bytes);
  int statuses[CR_STATUS_COUNT_] = {0};
  for (size_t i = 0; i < right.size; i++) {
    damaged[i] ^= 0x80;
    CrStatus status = try_restore(bytes.data, bytes.size, store.tiles, store.count, &error);
    bool flags = i >= areas + polygons && i < areas + 3 * polygons, area = i >= areas && i < areas + polygons;
    statuses[status]++;
    CHECK((status == CR_STATUS_OK) == flags);
    // Found by its position, or by its header being none, or by an area no tile may have; with another position: gone.
    bool moved = i >= 8 && i < 20;
    if (status == CR_STATUS_NOT_FOUND) CHECK(moved && strcmp(error.field, "mesh.tiles") == 0);
    if (status != CR_STATUS_OK && !moved) CHECK_INT(error.index, at);
    if (status == CR_STATUS_MISMATCH) CHECK(strcmp(error.field, "tiles") == 0);
    if (area) CHECK(status == CR_STATUS_BAD_VALUE && strcmp(error.field, "tile.polygon_areas") == 0);
    damaged[i] ^= 0x80;
  }
  printf("  %d of other content, %d gone, %d bad, %d cut off, %d fine\n", statuses[CR_STATUS_MISMATCH],
         statuses[CR_STATUS_NOT_FOUND], statuses[CR_STATUS_BAD_VALUE], statuses[CR_STATUS_TRUNCATED],
         statuses[CR_STATUS_OK]);
  CHECK(statuses[CR_STATUS_MISMATCH] > 100 && statuses[CR_STATUS_NOT_FOUND] > 0);
  for (size_t size = 0; size < right.size; size++) {
    given->size = size;
    CHECK_STATUS(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error), CR_STATUS_TRUNCATED);
    CHECK_INT(error.index, at);
  }
  given->size = right.size + 1;
  CHECK_STATUS(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error), CR_STATUS_TRAILING_BYTES);
  free(damaged);
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// --- Damaged snapshots ----------------------------------------------------------------------------------------------

static CrStatus try_needs(const uint8_t *data, size_t size) {
  CrTileNeed needs[STORE_MAX];
  uint32_t count = 77;
  CrError error = {0};
  CrStatus status = cr_navmesh_snapshot_needs(data, size, needs, STORE_MAX, &count, &error);
  if (status != CR_STATUS_OK) {
    CHECK(error.status == status && error.format == CR_FORMAT_NAVMESH && error.field && error.offset <= size);
    CHECK_INT(count, 77);
  }
  return status;
}

TEST(every_flip_prefix_and_extension_is_an_error) {
  CrNavMesh *mesh = edited_mesh(3, 12);
  uint64_t seed = 3;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  CrError error;
  for (size_t at = 0; at < bytes.size; at++) {
    for (int bit = 0; bit < 9; bit++) {
      uint8_t old = bytes.data[at];
      bytes.data[at] = bit < 8 ? (uint8_t)(old ^ 1 << bit) : (uint8_t)~old;
      CHECK(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error) != CR_STATUS_OK);
      CHECK(try_needs(bytes.data, bytes.size) != CR_STATUS_OK);
      bytes.data[at] = old;
    }
  }
  for (size_t size = 0; size < bytes.size; size++) {
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, bytes.data, size);
    CHECK_STATUS(try_restore(copy, size, store.tiles, store.count, &error), CR_STATUS_TRUNCATED);
    CHECK_STATUS(try_needs(copy, size), CR_STATUS_TRUNCATED);
    free(copy);
  }
  uint8_t *longer = calloc(bytes.size + 1, 1);
  memcpy(longer, bytes.data, bytes.size);
  CHECK_STATUS(try_restore(longer, bytes.size + 1, store.tiles, store.count, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_STATUS(try_needs(longer, bytes.size + 1), CR_STATUS_TRAILING_BYTES);
  free(longer);
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

static void reseal(uint8_t *data, size_t size) {
  CrWriter writer = cr__writer_to(data + size - 8, 8);
  cr__write_u64(&writer, cr_hash_bytes(data, size - 8));
}

// Damage under a hash that was made to fit: the parser itself is on its own.
TEST(resealed_damage_is_survived) {
  CrNavMesh *mesh = edited_mesh(6, 14);
  uint64_t seed = 1;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  uint8_t *copy = malloc(bytes.size);
  const uint8_t maxima[][4] = {{255, 255, 255, 255}, {255, 255, 255, 127}, {0, 0, 0, 128}, {0, 0, 0, 0}};
  int accepted = 0, tried = 0;
  CrError error;
  for (size_t at = 0; at + 12 <= bytes.size; at++) {
    for (size_t v = 0; v < 4; v++, tried++) {
      memcpy(copy, bytes.data, bytes.size);
      memcpy(copy + at, maxima[v], 4);
      reseal(copy, bytes.size);
      accepted += try_restore(copy, bytes.size, store.tiles, store.count, &error) == CR_STATUS_OK;
      try_needs(copy, bytes.size);
    }
  }
  for (int64_t round = 0; round < check_scaled(4000); round++, tried++) {
    memcpy(copy, bytes.data, bytes.size);
    for (int32_t i = 1 + rnd_int(&seed, 3); i > 0; i--) {
      size_t at = rnd_u64(&seed) % (bytes.size - 8);
      copy[at] ^= (uint8_t)(1 << rnd_int(&seed, 8));
    }
    reseal(copy, bytes.size);
    accepted += try_restore(copy, bytes.size, store.tiles, store.count, &error) == CR_STATUS_OK;
    try_needs(copy, bytes.size);
  }
  printf("  %d of %d damaged snapshots give a mesh\n", accepted, tried);
  free(copy);
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST(resealed_faults_name_field_and_offset) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t x = 0; x < 2; x++) {
    kit_begin(&kit, x, 0, 0);
    kit_rectangle(&kit, 2 + 6.25 * x, -9, 4 + 6.25 * x, -5, 0);
    kit_add(&kit, mesh);
  }
  uint64_t seed = 5;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  const size_t a = 84, b = 84 + 39;  // the two records
  CHECK_INT(bytes.size, b + 39 + 8);
  const struct {
    size_t offset;
    uint8_t value;
    CrStatus status;
    const char *field;
    size_t reported;
  } faults[] = {
      {5, 3, CR_STATUS_BAD_VALUE, "mesh.mode", 5},
      {5, 0, CR_STATUS_BAD_VALUE, "mesh.mode", 5},
      {76, 1, CR_STATUS_TRAILING_BYTES, "end", b},
      {82, 0, CR_STATUS_BAD_VALUE, "mesh.salts", 82},
      {a, 2, CR_STATUS_BAD_VALUE, "mesh.tile_slot", a},
      {b, 0, CR_STATUS_BAD_VALUE, "mesh.tile_slot", b},
      {a + 7, 0x7F, CR_STATUS_BAD_VALUE, "mesh.tile_x", a + 4},
      {b + 4, 5, CR_STATUS_MISMATCH, "mesh.tile_x", b},
      {b + 8, 5, CR_STATUS_MISMATCH, "mesh.tile_z", b},
      {b + 12, 5, CR_STATUS_MISMATCH, "mesh.tile_layer", b},
      {b + 17, 5, CR_STATUS_MISMATCH, "tiles", b},
      {b + 25, 0, CR_STATUS_MISMATCH, "tiles", b},
      {b + 35, 1, CR_STATUS_TRUNCATED, "mesh.tile_polygon_count", b + 32},
      {b + 32, 0, CR_STATUS_MISMATCH, "mesh.tile_polygon_count", b},
      {b + 36, 64, CR_STATUS_BAD_VALUE, "mesh.tile_areas", b + 36},
      {b + 36, 63, CR_STATUS_OK, NULL, 0},
      {b + 38, 63, CR_STATUS_OK, NULL, 0},
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    CrError error;
    uint8_t *copy = malloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    copy[faults[i].offset] = faults[i].value;
    reseal(copy, bytes.size);
    CHECK_STATUS(try_restore(copy, bytes.size, store.tiles, store.count, &error), faults[i].status);
    if (faults[i].field) {
      bool named = error.field && strcmp(error.field, faults[i].field) == 0;
      if (!named) printf("  fault %zu named %s\n", i, error.field ? error.field : "nothing");
      CHECK(named);
      CHECK_INT(error.offset, faults[i].reported);
    }
    free(copy);
  }
  // Two records of one position: the second is the first in another slot.
  CrError error;
  memcpy(bytes.data + b + 4, bytes.data + a + 4, 32);
  reseal(bytes.data, bytes.size);
  CHECK_STATUS(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "tile.x") == 0 && error.offset == b + 4);
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// Bytes that fit by hash and position but are no tile of this mesh: its parameters decide.
TEST(tiles_are_checked_like_any) {
  CrNavMesh *mesh = NULL;
  CrNavMeshParams finer = params;
  finer.tile_size = 1.0;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 2, -9, 6, -5, 0);
  kit_add(&kit, mesh);
  uint64_t seed = 5;
  Store store = store_of(mesh, &seed);
  CrBytes bytes = referenced(mesh);
  CrWriter writer = cr__writer_to(bytes.data + 32, 8);
  cr__write_f64(&writer, finer.tile_size);
  reseal(bytes.data, bytes.size);
  CrError error;
  CHECK_STATUS(try_restore(bytes.data, bytes.size, store.tiles, store.count, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "tile.vertices") == 0 && error.index == 0 && error.offset == 44 + 24);
  free_store(&store);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(content_hashes_forget_areas_and_flags_alone), RUN(bytes_of_a_tile_are_those_of_now),
          RUN(take_restore_take_gives_the_same_bytes), RUN(thousands_of_edits_later_it_still_does),
          RUN(an_empty_mesh_needs_nothing), RUN(bytes_are_as_documented), RUN(only_its_own_call_reads_it),
          RUN(missing_tiles_are_named), RUN(wrong_tiles_are_named), RUN(every_flip_prefix_and_extension_is_an_error),
          RUN(resealed_damage_is_survived), RUN(resealed_faults_name_field_and_offset), RUN(tiles_are_checked_like_any))
