// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Meshes for targets: small worlds, whole-mesh checks, and questions with answers that must agree with each other.
#include "fuzzkit.h"
#include "navmesh_internal.h"
#include "tile_kit.h"
#include "worlds.h"

// --- Worlds ---------------------------------------------------------------------------------------------------------

// Three islands that only links join: there and back, one way, and two on top of each other.
static CrNavMesh *make_islands(void) {
  static TileKit kit;
  CrNavMeshParams params = {.tile_size = 10.0, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh;
  FUZZ_REQUIRE(cr_navmesh_create(&params, NULL, &mesh, NULL) == CR_STATUS_OK);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 4, 0);
  kit_rectangle(&kit, 5, 0, 10, 4, 1);
  kit_rectangle(&kit, 0, 5, 10, 9, 0);
  kit_link(&kit, cr__vec(3.5, 0, 2), cr__vec(5.5, 1, 2), 0.5, true);
  kit_link(&kit, cr__vec(2, 0, 3.5), cr__vec(2, 0, 5.5), 0.5, false);
  kit_link(&kit, cr__vec(8, 0, 5.5), cr__vec(8, 1, 3.5), 0.5, true);
  kit_link(&kit, cr__vec(8, 0, 5.5), cr__vec(8, 1, 3.5), 0.5, false);
  kit_add(&kit, mesh);
  return mesh;
}

static CrNavMesh *make_world(int32_t number) {
  switch (number) {
    case 0:
      return world_from_map("....\n.##.\n....\n", 2.0, 0, NULL);
    case 1:
      return world_from_map_merged("......#...\n.##.a.#.b.\n.#..a...b.\n.#.....##.\n", 1.0, 5, 5, NULL);
    case 2:
      return world_scattered(3, 12, 12, 1.0, 0.25, 4, NULL);
    case 3:
      return world_two_floors(4, 8, 7, 1.0, 4.0, 4, 4, NULL);
    case 4:
      return world_two_floors(5, 8, 7, 1.0, 4.0, 3, 0, NULL);
    case 5:
      return make_islands();
    default:
      return world_maze(6, 5, 1.0, 3, NULL);
  }
}

const CrNavMesh *fuzz_world(int32_t number) {
  static CrNavMesh *worlds[FUZZ_WORLDS];
  if (!worlds[number]) worlds[number] = make_world(number);
  return worlds[number];
}

// --- Whole meshes ---------------------------------------------------------------------------------------------------

uint64_t fuzz_mesh_hash(const CrNavMesh *mesh) {
  CrWriter writer = cr__writer_hash();
  cr__navmesh_write(mesh, &writer);
  return writer.hash;
}

static void check_snapshot(const CrNavMesh *mesh) {
  CrBytes bytes, again;
  CrNavMesh *copy;
  FUZZ_REQUIRE(cr_navmesh_save(mesh, NULL, &bytes, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_load(bytes.data, bytes.size, NULL, &copy, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_save(copy, NULL, &again, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0);
  cr_bytes_free(&bytes);
  cr_bytes_free(&again);
  cr_navmesh_destroy(copy);
}

void fuzz_check_mesh(const CrNavMesh *mesh) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) fuzz_broken(__FILE__, __LINE__, broken);
  check_snapshot(mesh);
}

bool fuzz_seal_mesh(uint8_t *data, size_t size) {
  if (size < 88) return false;
  CrWriter head = cr__writer_to(data, 16);
  cr__write_bytes(&head, "CRNM\1", 5);
  cr__write_u8(&head, data[5] == 2 ? 2 : 1);
  cr__write_u16(&head, 0);
  cr__write_u64(&head, size);
  CrWriter tail = cr__writer_to(data + size - 8, 8);
  cr__write_u64(&tail, cr_hash_bytes(data, size - 8));
  return true;
}

void fuzz_try_sealed(const uint8_t *data, size_t size, void (*try)(const uint8_t *data, size_t size),
                     bool (*seal)(uint8_t *data, size_t size)) {
  try(data, size);
  CrBytes sealed;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &sealed, NULL) == CR_STATUS_OK);
  if (size) memcpy(sealed.data, data, size);
  if (seal(sealed.data, size) && memcmp(sealed.data, data, size) != 0) try(sealed.data, size);
  cr_bytes_free(&sealed);
}
