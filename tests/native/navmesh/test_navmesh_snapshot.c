// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Full mesh snapshots: same bytes again, same mesh again, and every damaged byte noticed.
#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"
#include "worlds.h"

static TileKit kit;

static const CrNavMeshParams params = {
    .origin_x = 2, .origin_z = -9, .tile_size = 6.25, .climb = 0.5, .agent_radius = 0.5};

// A mesh with a history: removed tiles, free slots, bumped salts, changed areas.
static CrNavMesh *edited_mesh(uint64_t seed, int steps, const CrAllocator *allocator) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, allocator, &mesh, NULL));
  for (int i = 0; i < steps; i++) {
    int32_t x = rnd_int(&seed, 4), z = rnd_int(&seed, 3), layer = rnd_int(&seed, 2) * 7 - 3;
    if (rnd_int(&seed, 3) == 0) {
      cr_navmesh_remove_tile(mesh, x, z, layer, NULL);
      continue;
    }
    kit_random(&kit, &params, &seed, x, z, layer);
    CrBytes bytes = kit_encode(&kit, &params);
    uint32_t slot;
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, &slot, NULL));
    cr_navmesh_set_area(mesh, cr_navmesh_ref(mesh, slot, 0), (uint8_t)rnd_int(&seed, 64), NULL);
    cr_navmesh_set_flags(mesh, cr_navmesh_ref(mesh, slot, 1), (uint16_t)rnd_int(&seed, 65536), NULL);
    cr_bytes_free(&bytes);
  }
  return mesh;
}
// Equal slot by slot, salts and links by value, not merely alike.
static void check_equal(const CrNavMesh *a, const CrNavMesh *b) {
  CHECK(a->slot_count == b->slot_count && a->tile_count == b->tile_count && a->polygon_count == b->polygon_count);
  CHECK(a->edit_count == b->edit_count);
  for (uint32_t slot = 0; slot < a->slot_count; slot++) {
    const CrTile *p = &a->tiles[slot], *q = &b->tiles[slot];
    CHECK(p->salt == q->salt && p->active == q->active && p->link_count == q->link_count);
    if (!p->active || p->link_count != q->link_count) continue;
    CHECK(memcmp(p->link_first, q->link_first, (p->polygon_count + 1) * sizeof *p->link_first) == 0);
    for (uint32_t i = 0; i < p->link_count; i++) {
      const CrLink *l = &p->links[i], *m = &q->links[i];
      CHECK(!cr__link_less(l, m) && !cr__link_less(m, l) && cr__same_point(l->a, m->a) && cr__same_point(l->b, m->b));
    }
  }
  CHECK(!kit_difference(a, b) && !cr__navmesh_invariant(b));
}

TEST(take_restore_take_gives_the_same_bytes) {
  size_t total = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    check_seed = seed;
    CrNavMesh *mesh = edited_mesh(seed, (int)(seed * 3), NULL), *restored = NULL;
    CrBytes bytes = kit_save(mesh);
    CHECK_INT(bytes.size, cr__navmesh_snapshot_size(mesh));
    REQUIRE_OK(cr_navmesh_load(bytes.data, bytes.size, NULL, &restored, NULL));
    CrBytes again = kit_save(restored);
    CHECK(kit_same_bytes(&bytes, &again));
    check_equal(mesh, restored);
    // Both go on alike: the next tile takes the same slot with the same salt.
    uint64_t state = seed;
    kit_random(&kit, &params, &state, 9, 9, 0);
    uint32_t slot = kit_add(&kit, mesh), other = kit_add(&kit, restored);
    CHECK(slot == other && mesh->tiles[slot].salt == restored->tiles[slot].salt);
    total += bytes.size;
    cr_bytes_free(&again);
    cr_bytes_free(&bytes);
    cr_navmesh_destroy(restored);
    cr_navmesh_destroy(mesh);
  }
  printf("  %zu bytes in 40 snapshots\n", total);
}

TEST(thousands_of_edits_later_it_still_does) {
  CrNavMesh *mesh = edited_mesh(77, 3000 * check_scale(), NULL), *restored = NULL;
  CrBytes bytes = kit_save(mesh);
  REQUIRE_OK(cr_navmesh_load(bytes.data, bytes.size, NULL, &restored, NULL));
  CrBytes again = kit_save(restored);
  CHECK(kit_same_bytes(&bytes, &again) && mesh->edit_count > 3000);
  check_equal(mesh, restored);
  cr_bytes_free(&again);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(restored);
  cr_navmesh_destroy(mesh);
}

TEST(an_empty_mesh_has_a_snapshot) {
  CrNavMesh *mesh = NULL, *restored = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  CrBytes bytes = kit_save(mesh);
  CHECK_INT(bytes.size, 88);
  REQUIRE_OK(cr_navmesh_load(bytes.data, bytes.size, NULL, &restored, NULL));
  check_equal(mesh, restored);
  CHECK(cr_navmesh_params(restored).tile_size == 6.25 && cr_navmesh_params(restored).agent_radius == 0.5);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(restored);
  cr_navmesh_destroy(mesh);
}

// The layout, by hand.
TEST(bytes_are_as_documented) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t x = 0; x < 3; x++) {
    kit_begin(&kit, x, 0, 0);
    kit_rectangle(&kit, 2 + 6.25 * x, -9, 4 + 6.25 * x, -5, 0);
    kit_add(&kit, mesh);
  }
  CrBytes tile = kit_encode(&kit, &params);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  CrBytes bytes = kit_save(mesh);
  uint8_t expected[1024];
  CrWriter writer = cr__writer_to(expected, sizeof expected);
  cr__write_bytes(&writer, "CRNM\1\1\0\0", 8);
  cr__write_u64(&writer, 80 + 3 * 2 + 12 + tile.size + 8);
  const double numbers[] = {2, -9, 6.25, 0.5, 0.5, 0};
  for (size_t i = 0; i < 6; i++) cr__write_f64(&writer, numbers[i]);
  cr__write_u64(&writer, 5);
  cr__write_u32(&writer, 3);
  cr__write_u32(&writer, 1);
  cr__write_u16(&writer, 2);
  cr__write_u16(&writer, 2);
  cr__write_u16(&writer, 1);
  cr__write_u32(&writer, 2);
  cr__write_u64(&writer, tile.size);
  cr__write_bytes(&writer, tile.data, tile.size);
  cr__write_u64(&writer, cr_hash_bytes(expected, writer.size));
  CHECK_INT(bytes.size, writer.size);
  CHECK(!writer.overflow && memcmp(bytes.data, expected, writer.size) == 0);
  cr_bytes_free(&tile);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// --- Inside other formats -------------------------------------------------------------------------------------------

TEST(the_writer_streams_in_every_mode) {
  CrNavMesh *mesh = edited_mesh(5, 30, NULL);
  CrBytes bytes = kit_save(mesh);
  uint8_t *buffer = malloc(bytes.size + 7);
  CrWriter counter = cr__writer_count(), hasher = cr__writer_hash(), store = cr__writer_to(buffer, bytes.size + 7);
  cr__write_bytes(&counter, "before!", 7);
  cr__write_bytes(&hasher, "before!", 7);
  cr__write_bytes(&store, "before!", 7);
  cr__navmesh_write(mesh, &counter);
  cr__navmesh_write(mesh, &hasher);
  cr__navmesh_write(mesh, &store);
  CHECK(counter.size == bytes.size + 7 && hasher.size == bytes.size + 7 && store.size == bytes.size + 7);
  CHECK(!store.overflow && memcmp(buffer + 7, bytes.data, bytes.size) == 0);
  CHECK(hasher.hash == cr_hash_bytes(buffer, bytes.size + 7));
  CrWriter small = cr__writer_to(buffer, 40);
  cr__navmesh_write(mesh, &small);
  CHECK(small.overflow && small.size == bytes.size);
  // Read back from the middle of a larger record, whose error offsets start at 1000.
  store = cr__writer_to(buffer, bytes.size + 7);
  cr__write_bytes(&store, "before!", 7);
  cr__navmesh_write(mesh, &store);
  CrError error = {0};
  CrReader reader = cr__reader(buffer, bytes.size + 7, 1000, CR_FORMAT_REPLAY, &error);
  CrNavMesh *restored = NULL;
  CHECK(cr__read_span(&reader, 7, "before") != NULL);
  REQUIRE_OK(cr__navmesh_read(&reader, NULL, &restored));
  CHECK(cr__read_left(&reader) == 0 && cr__read_ok(&reader));
  check_equal(mesh, restored);
  cr_navmesh_destroy(restored);
  buffer[7 + 4] = 9;
  reader = cr__reader(buffer, bytes.size + 7, 1000, CR_FORMAT_REPLAY, &error);
  CHECK(cr__read_span(&reader, 7, "before") != NULL);
  CHECK_STATUS(cr__navmesh_read(&reader, NULL, &restored), CR_STATUS_BAD_VERSION);
  CHECK(error.format == CR_FORMAT_NAVMESH && error.offset == 1011 && !cr__read_ok(&reader));
  free(buffer);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// --- Damage ---------------------------------------------------------------------------------------------------------

static CrStatus try_load(const uint8_t *data, size_t size, CrError *error) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = NULL;
  *error = (CrError){0};
  CrStatus status = cr_navmesh_load(data, size, &allocator, &mesh, error);
  CHECK((status == CR_STATUS_OK) == (mesh != NULL));
  if (mesh)
    CHECK(!cr__navmesh_invariant(mesh));
  else
    CHECK(error->status == status && error->format == CR_FORMAT_NAVMESH && error->field && error->offset <= size);
  cr_navmesh_destroy(mesh);
  CHECK_INT(memory.live_blocks, 0);
  return status;
}

TEST(every_flipped_byte_is_an_error) {
  CrNavMesh *mesh = edited_mesh(3, 9, NULL);
  CrBytes bytes = kit_save(mesh);
  int by_hash = 0, by_header = 0;
  for (size_t at = 0; at < bytes.size; at++) {
    for (int bit = 0; bit < 9; bit++) {
      CrError error;
      uint8_t old = bytes.data[at];
      bytes.data[at] = bit < 8 ? (uint8_t)(old ^ 1 << bit) : (uint8_t)~old;
      CHECK(try_load(bytes.data, bytes.size, &error) != CR_STATUS_OK);
      bool hash = error.field && strcmp(error.field, "mesh.hash") == 0;
      by_hash += hash;
      by_header += !hash;
      bytes.data[at] = old;
    }
  }
  printf("  %zu bytes: %d flips found by the hash, %d by the header\n", bytes.size, by_hash, by_header);
  CHECK_INT(by_header, 16 * 9);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST(every_prefix_and_extension_is_an_error) {
  CrNavMesh *mesh = edited_mesh(4, 9, NULL);
  CrBytes bytes = kit_save(mesh);
  CrError error;
  for (size_t size = 0; size < bytes.size; size++) {
    uint8_t *copy = malloc(size + 1);
    memcpy(copy, bytes.data, size);
    CHECK_STATUS(try_load(copy, size, &error), CR_STATUS_TRUNCATED);
    free(copy);
  }
  uint8_t *longer = calloc(bytes.size + 3, 1);
  memcpy(longer, bytes.data, bytes.size);
  CHECK_STATUS(try_load(longer, bytes.size + 1, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_INT(error.offset, bytes.size);
  free(longer);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// Damage under a hash that was made to fit: the parser itself is on its own.
static CrStatus try_resealed(uint8_t *data, size_t size, CrError *error) {
  uint64_t hash = cr_hash_bytes(data, size - 8);
  CrWriter writer = cr__writer_to(data + size - 8, 8);
  cr__write_u64(&writer, hash);
  return try_load(data, size, error);
}

TEST(resealed_damage_is_survived) {
  CrNavMesh *mesh = edited_mesh(6, 8, NULL);
  CrBytes bytes = kit_save(mesh);
  uint8_t *copy = malloc(bytes.size);
  const uint8_t maxima[][4] = {{255, 255, 255, 255}, {255, 255, 255, 127}, {0, 0, 0, 128}, {0, 0, 0, 0}};
  int accepted = 0, tried = 0;
  CrError error;
  for (size_t at = 0; at + 12 <= bytes.size; at++) {
    for (size_t v = 0; v < 4; v++, tried++) {
      memcpy(copy, bytes.data, bytes.size);
      memcpy(copy + at, maxima[v], 4);
      accepted += try_resealed(copy, bytes.size, &error) == CR_STATUS_OK;
    }
  }
  uint64_t seed = 1;
  for (int round = 0; round < 4000 * check_scale(); round++, tried++) {
    memcpy(copy, bytes.data, bytes.size);
    for (int32_t i = 1 + rnd_int(&seed, 3); i > 0; i--) {
      size_t at = rnd_u64(&seed) % (bytes.size - 8);
      copy[at] ^= (uint8_t)(1 << rnd_int(&seed, 8));
    }
    accepted += try_resealed(copy, bytes.size, &error) == CR_STATUS_OK;
  }
  printf("  %d of %d damaged meshes are valid meshes\n", accepted, tried);
  free(copy);
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
  CrBytes bytes = kit_save(mesh);
  size_t tile = (bytes.size - 88 - 4) / 2;  // with its slot and size
  const struct {
    size_t offset;
    uint8_t value;
    CrStatus status;
    const char *field;
    size_t reported;
  } faults[] = {
      {5, 2, CR_STATUS_BAD_VALUE, "mesh.mode", 5},
      {6, 1, CR_STATUS_BAD_VALUE, "mesh.reserved", 6},
      {16 + 23, 0xFF, CR_STATUS_BAD_VALUE, "params.tile_size", 16},
      {75, 1, CR_STATUS_TRUNCATED, "mesh.slot_count", 72},
      {76, 3, CR_STATUS_BAD_VALUE, "mesh.tile_count", 76},
      {76, 1, CR_STATUS_TRAILING_BYTES, "end", 84 + tile},
      {82, 0, CR_STATUS_BAD_VALUE, "mesh.salts", 82},
      {84, 2, CR_STATUS_BAD_VALUE, "mesh.tile_slot", 84},
      {84 + tile, 0, CR_STATUS_BAD_VALUE, "mesh.tile_slot", 84 + tile},
      {84 + tile + 4 + 7, 1, CR_STATUS_TRUNCATED, "mesh.tile_size", 84 + tile + 4},
      {84 + tile + 12 + 4, 2, CR_STATUS_BAD_VERSION, "version", 84 + tile + 12 + 4},
      {84 + tile + 12 + 16, 1, CR_STATUS_OK, NULL, 0},  // another layer
  };
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    CrError error;
    uint8_t *copy = malloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    copy[faults[i].offset] = faults[i].value;
    CHECK_STATUS(try_resealed(copy, bytes.size, &error), faults[i].status);
    if (faults[i].field) {
      CHECK(error.field && strcmp(error.field, faults[i].field) == 0);
      CHECK_INT(error.offset, faults[i].reported);
    }
    free(copy);
  }
  // Two tiles at one place: the second tile's bytes are the first's.
  CrError error;
  memcpy(bytes.data + 84 + tile + 4, bytes.data + 84 + 4, tile - 4);
  CHECK_STATUS(try_resealed(bytes.data, bytes.size, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "tile.x") == 0);
  CHECK_INT(error.offset, 84 + tile + 12 + 8);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST(failed_allocations_leave_nothing_behind) {
  CrNavMesh *mesh = edited_mesh(9, 40, NULL);
  CrBytes bytes = kit_save(mesh);
  int failures = 0;
  for (int64_t k = 1;; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrNavMesh *restored = NULL;
    CrError error = {0};
    CrStatus status = cr_navmesh_load(bytes.data, bytes.size, &allocator, &restored, &error);
    cr_navmesh_destroy(restored);
    CHECK_INT(memory.live_blocks, 0);
    if (status == CR_STATUS_OK) break;
    CHECK(status == CR_STATUS_OUT_OF_MEMORY && error.status == status && !restored);
    failures++;
  }
  TestMemory memory = {.fail_at = 1};
  CrAllocator allocator = test_allocator(&memory);
  CrBytes none = {0};
  CHECK_STATUS(cr_navmesh_save(mesh, &allocator, &none, NULL), CR_STATUS_OUT_OF_MEMORY);
  CHECK(!none.data);
  printf("  %d failures survived\n", failures);
  CHECK(failures > 50);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(take_restore_take_gives_the_same_bytes), RUN(thousands_of_edits_later_it_still_does),
          RUN(an_empty_mesh_has_a_snapshot), RUN(bytes_are_as_documented), RUN(the_writer_streams_in_every_mode),
          RUN(every_flipped_byte_is_an_error), RUN(every_prefix_and_extension_is_an_error),
          RUN(resealed_damage_is_survived), RUN(resealed_faults_name_field_and_offset),
          RUN(failed_allocations_leave_nothing_behind))
