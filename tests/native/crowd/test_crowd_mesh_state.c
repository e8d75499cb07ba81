// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd state of kind 2, with the mesh: the bytes of the format page; edits of the mesh are undone and the crowd goes on as the one
// saved; if any part is refused nothing changes, in the mesh neither.
#include "crowd_runs.h"

#define TILES_MAX 64
#define AHEAD 40

// A crowd on a mesh of its own, with the bytes of the tiles the mesh has at first.
typedef struct Scene {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrBytes bytes[TILES_MAX];
  CrTileData tiles[TILES_MAX];
  uint32_t tile_count;
} Scene;

static void add_agents(CrCrowd *crowd, uint64_t seed) {
  for (int32_t k = 0; k < 40; k++) {
    CrAgentOptions options = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    CrVec3 from = world_random_point(crowd->mesh, &seed, NULL), to = world_random_point(crowd->mesh, &seed, NULL);
    int64_t id = add_agent(crowd, from, &options);
    if (k % 8) CHECK_OK(cr_crowd_set_destination(crowd, id, to, NULL));
  }
}

static Scene make_scene(const CrAllocator *allocator) {
  Scene scene = {.mesh = world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, allocator)};
  scene.crowd = make_crowd(scene.mesh, allocator);
  scene.tile_count = scene.mesh->slot_count;
  REQUIRE(scene.tile_count <= TILES_MAX);
  for (uint32_t k = 0; k < scene.tile_count; k++) {
    REQUIRE_OK(cr_navmesh_tile_bytes(scene.mesh, k, NULL, &scene.bytes[k], NULL));
    scene.tiles[k] = (CrTileData){scene.bytes[k].data, scene.bytes[k].size};
  }
  add_agents(scene.crowd, 5);
  for (int k = 0; k < 60; k++) step_crowd(scene.crowd);
  return scene;
}

static void free_scene(Scene *scene) {
  for (uint32_t k = 0; k < scene->tile_count; k++) cr_bytes_free(&scene->bytes[k]);
  cr_crowd_destroy(scene->crowd);
  cr_navmesh_destroy(scene->mesh);
}

static StateBytes take_both(const CrCrowd *crowd, bool referenced) {
  StateBytes state = {NULL, (size_t)cr_crowd_state_with_mesh_size(crowd, referenced)};
  state.data = malloc(state.size);
  size_t size = 0;
  REQUIRE(state.data);
  CHECK_OK(cr_crowd_save_state_with_mesh(crowd, referenced, state.data, state.size, &size, NULL));
  CHECK(size == state.size);
  return state;
}

static bool both_stand_at(const CrCrowd *crowd, const StateBytes *full) {
  StateBytes now = take_both(crowd, false);
  bool same = same_state(&now, full);
  free(now.data);
  return same;
}

static CrStatus restore_both(Scene *scene, const StateBytes *state, CrError *error) {
  return cr_crowd_restore_state_with_mesh(scene->crowd, scene->mesh, state->data, state->size, scene->tiles,
                                          scene->tile_count, error);
}

// Takes tiles away and puts them back.
static void edit_mesh(Scene *scene, uint64_t *seed) {
  uint32_t k = (uint32_t)rnd_int(seed, (int32_t)scene->tile_count);
  const CrTile *tile = &scene->mesh->tiles[k];
  if (tile->active) {
    CHECK_OK(cr_navmesh_remove_tile(scene->mesh, tile->x, tile->z, tile->layer, NULL));
  } else {
    CHECK_OK(cr_navmesh_replace_tile(scene->mesh, scene->tiles[k].data, scene->tiles[k].size, NULL, NULL));
  }
}

static void run_ahead(Scene *scene, uint64_t seed, uint64_t hashes[AHEAD]) {
  for (int k = 0; k < AHEAD; k++) {
    if (rnd_int(&seed, 4) == 0) edit_mesh(scene, &seed);
    step_crowd(scene->crowd);
    hashes[k] = cr_crowd_state_hash(scene->crowd);
  }
}

// --- Bytes ------------------------------------------------------------------------------------------------------------

static uint32_t u32_at(const StateBytes *state, size_t offset) {
  const uint8_t *at = state->data + offset;
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

TEST(bytes_are_identity_mesh_and_crowd) {
  Scene scene = make_scene(NULL);
  for (int referenced = 0; referenced < 2; referenced++) {
    StateBytes both = take_both(scene.crowd, referenced), crowd = take_state(scene.crowd);
    CrBytes mesh;
    REQUIRE_OK((referenced ? cr_navmesh_save_referenced : cr_navmesh_save)(scene.mesh, NULL, &mesh, NULL));
    CHECK(memcmp(both.data, "CRCS\1\2\0\0", 8) == 0);
    CHECK_INT(u32_at(&both, 8), mesh.size);
    CHECK(memcmp(both.data + 12, mesh.data, mesh.size) == 0);
    CHECK_INT(u32_at(&both, 12 + mesh.size), crowd.size);
    CHECK(memcmp(both.data + 16 + mesh.size, crowd.data, crowd.size) == 0);
    CHECK_INT(both.size, 16 + mesh.size + crowd.size);
    printf("  mesh %zu bytes, crowd %zu\n", mesh.size, crowd.size);
    cr_bytes_free(&mesh);
    free(both.data);
    free(crowd.data);
  }
  free_scene(&scene);
}

TEST(a_short_buffer_is_refused_untouched) {
  Scene scene = make_scene(NULL);
  size_t size = (size_t)cr_crowd_state_with_mesh_size(scene.crowd, true), written = 1234;
  uint8_t *data = malloc(size);
  REQUIRE(data);
  memset(data, 0xAB, size);
  CrError error;
  CHECK_STATUS(cr_crowd_save_state_with_mesh(scene.crowd, true, data, size - 1, &written, &error), CR_STATUS_LIMIT);
  CHECK(written == 1234 && error.limit == (double)size && strcmp(error.field, "capacity") == 0);
  for (size_t k = 0; k < size; k++) CHECK(data[k] == 0xAB);
  free(data);
  free_scene(&scene);
}

// The needs of the mesh's part are those of the mesh's own snapshot, or none.
TEST(needs_are_those_of_the_mesh) {
  Scene scene = make_scene(NULL);
  CrBytes mesh;
  CrError error;
  REQUIRE_OK(cr_navmesh_save_referenced(scene.mesh, NULL, &mesh, NULL));
  StateBytes full = take_both(scene.crowd, false), part = take_both(scene.crowd, true), alone = take_state(scene.crowd);
  CrTileNeed needs[TILES_MAX], own[TILES_MAX];
  uint32_t count = 77, own_count;
  CHECK_OK(cr_crowd_state_needs(full.data, full.size, needs, TILES_MAX, &count, &error));
  CHECK_INT(count, 0);
  CHECK_OK(cr_crowd_state_needs(part.data, part.size, needs, TILES_MAX, &count, &error));
  CHECK_OK(cr_navmesh_snapshot_needs(mesh.data, mesh.size, own, TILES_MAX, &own_count, &error));
  CHECK_INT(count, own_count);
  for (uint32_t k = 0; k < count; k++)
    CHECK(needs[k].slot == own[k].slot && needs[k].content_hash == own[k].content_hash && needs[k].size == own[k].size);
  CHECK_STATUS(cr_crowd_state_needs(alone.data, alone.size, needs, TILES_MAX, &count, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "kind") == 0 && error.offset == 5);
  CHECK_STATUS(cr_crowd_state_needs(part.data, part.size - 1, needs, 0, &count, &error), CR_STATUS_TRUNCATED);
  part.data[12 + 4] = 9;  // the snapshot's version
  CHECK_STATUS(cr_crowd_state_needs(part.data, part.size, needs, 0, &count, &error), CR_STATUS_BAD_VERSION);
  CHECK(error.format == CR_FORMAT_NAVMESH && error.offset == 16 && count == own_count);
  cr_bytes_free(&mesh);
  free(full.data);
  free(part.data);
  free(alone.data);
  free_scene(&scene);
}

// --- Going on alike ---------------------------------------------------------------------------------------------------

TEST(edits_are_undone_and_the_crowd_goes_on) {
  Scene scene = make_scene(NULL);
  CrNavMesh *other_mesh = world_two_floors(51, 14, 14, 2.0, 4.0, 14, 5, NULL);
  uint64_t seed = check_seed = 20;
  for (int round = 0; round < 12; round++) {
    uint64_t first[AHEAD], again[AHEAD];
    StateBytes full = take_both(scene.crowd, false), part = take_both(scene.crowd, true);
    uint64_t run = rnd_u64(&seed);
    run_ahead(&scene, run, first);
    CHECK(!both_stand_at(scene.crowd, &full));
    CHECK_OK(restore_both(&scene, round % 2 ? &part : &full, NULL));
    CHECK(both_stand_at(scene.crowd, &full));
    if (round == 0) check_crowd(scene.crowd);  // later corridors may lead over tiles that are gone
    run_ahead(&scene, run, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    // Into another crowd, on a mesh that was quite different.
    Scene other = scene;
    other.mesh = other_mesh;
    other.crowd = make_crowd(other_mesh, NULL);
    CHECK_OK(restore_both(&other, round % 2 ? &full : &part, NULL));
    CHECK(both_stand_at(other.crowd, &full));
    if (round == 0) check_crowd(other.crowd);
    run_ahead(&other, run, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    cr_crowd_destroy(other.crowd);
    free(full.data);
    free(part.data);
  }
  cr_navmesh_destroy(other_mesh);
  free_scene(&scene);
}

// A wall list saved as valid is valid after a restore, although the mesh was edited since; one of another crowd on that mesh, which
// is not restored, is stale.
TEST(wall_lists_come_back_valid) {
  Scene scene = make_scene(NULL);
  CrCrowd *other = make_crowd(scene.mesh, NULL);
  add_agents(other, 6);
  step_crowd(other);
  StateBytes full = take_both(scene.crowd, false);
  CrAgentInfo before, after;
  REQUIRE_OK(cr_crowd_agent(scene.crowd, 3, &before));
  CHECK(before.wall_count >= 0);
  uint64_t seed = 4;
  for (int k = 0; k < 5; k++) edit_mesh(&scene, &seed);
  REQUIRE_OK(cr_crowd_agent(scene.crowd, 3, &after));
  CHECK_INT(after.wall_count, -1);
  CHECK_OK(restore_both(&scene, &full, NULL));
  REQUIRE_OK(cr_crowd_agent(scene.crowd, 3, &after));
  CHECK_INT(after.wall_count, before.wall_count);
  REQUIRE_OK(cr_crowd_agent(other, 3, &after));
  CHECK_INT(after.wall_count, -1);
  for (int k = 0; k < 30; k++) step_crowd(other);
  check_crowd(other);
  free(full.data);
  cr_crowd_destroy(other);
  free_scene(&scene);
}

// --- Refused ----------------------------------------------------------------------------------------------------------

static void expect_refused(Scene *scene, const StateBytes *bytes, const StateBytes *own, CrStatus status,
                           CrFormat format, const char *field, size_t offset) {
  CrError error = {0};
  CHECK_STATUS(restore_both(scene, bytes, &error), status);
  CHECK_INT(error.format, format);
  CHECK(error.field && strcmp(error.field, field) == 0);
  CHECK_INT(error.offset, offset);
  CHECK(both_stand_at(scene->crowd, own));
}

typedef struct Spoil {
  size_t offset;
  uint8_t value;
  CrStatus status;
  CrFormat format;
  const char *field;
  size_t told_offset;
} Spoil;

TEST(a_bad_part_changes_neither) {
  Scene scene = make_scene(NULL);
  StateBytes good = take_both(scene.crowd, false);
  size_t mesh_size = u32_at(&good, 8), crowd = 16 + mesh_size, last_mesh = 12 + mesh_size - 8;
  uint64_t seed = 4;
  for (int k = 0; k < 5; k++) edit_mesh(&scene, &seed);
  for (int k = 0; k < 5; k++) step_crowd(scene.crowd);
  add_agent(scene.crowd, world_random_point(scene.mesh, &seed, NULL), NULL);
  StateBytes own = take_both(scene.crowd, false);
  const Spoil spoils[] = {
      {0, 'X', CR_STATUS_BAD_MAGIC, CR_FORMAT_CROWD_STATE, "magic", 0},
      {4, 2, CR_STATUS_BAD_VERSION, CR_FORMAT_CROWD_STATE, "version", 4},
      {5, 1, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "kind", 5},
      {7, 1, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "reserved", 6},
      {11, 0x80, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "mesh.size", 8},
      {11, 0x7F, CR_STATUS_TRUNCATED, CR_FORMAT_CROWD_STATE, "mesh", 12},
      {12, 'X', CR_STATUS_BAD_MAGIC, CR_FORMAT_NAVMESH, "magic", 12},
      {18, 1, CR_STATUS_BAD_VALUE, CR_FORMAT_NAVMESH, "mesh.reserved", 18},
      {100, 0xFF, CR_STATUS_MISMATCH, CR_FORMAT_NAVMESH, "mesh.hash", last_mesh},
      {crowd - 1, 0x80, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "crowd.size", crowd - 4},
      {crowd, 'X', CR_STATUS_BAD_MAGIC, CR_FORMAT_CROWD_STATE, "magic", crowd},
      {crowd + 5, 2, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "kind", crowd + 5},
      {crowd + 12, 41, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "agent_count", crowd + 12},
      {crowd + 36, 2, CR_STATUS_BAD_VALUE, CR_FORMAT_CROWD_STATE, "active", crowd + 36},
  };
  for (size_t k = 0; k < sizeof spoils / sizeof spoils[0]; k++) {
    uint8_t kept = good.data[spoils[k].offset];
    CHECK(kept != spoils[k].value);
    good.data[spoils[k].offset] = spoils[k].value;
    expect_refused(&scene, &good, &own, spoils[k].status, spoils[k].format, spoils[k].field, spoils[k].told_offset);
    good.data[spoils[k].offset] = kept;
  }
  // Both parts bad: the crowd's is looked at first.
  good.data[100] ^= 1;
  good.data[crowd] = 'X';
  expect_refused(&scene, &good, &own, CR_STATUS_BAD_MAGIC, CR_FORMAT_CROWD_STATE, "magic", crowd);
  good.data[100] ^= 1;
  good.data[crowd] = 'C';
  for (size_t size = 0; size < good.size; size += 1 + good.size / 400) {
    StateBytes prefix = {good.data, size};
    CHECK_STATUS(restore_both(&scene, &prefix, NULL), CR_STATUS_TRUNCATED);
  }
  StateBytes less = {good.data, good.size - 1};
  CHECK_STATUS(restore_both(&scene, &less, NULL), CR_STATUS_TRUNCATED);
  StateBytes longer = {malloc(good.size + 1), good.size + 1};
  REQUIRE(longer.data);
  memcpy(longer.data, good.data, good.size);
  longer.data[good.size] = 0;
  expect_refused(&scene, &longer, &own, CR_STATUS_TRAILING_BYTES, CR_FORMAT_CROWD_STATE, "end", good.size);
  CHECK_OK(restore_both(&scene, &good, NULL));
  CHECK(both_stand_at(scene.crowd, &good));
  free(longer.data);
  free(good.data);
  free(own.data);
  free_scene(&scene);
}

TEST(other_meshes_are_refused) {
  Scene scene = make_scene(NULL);
  CrNavMesh *other = open_world(4, 4, 4.0);
  CrCrowd *stranger = make_crowd(other, NULL);
  StateBytes good = take_both(scene.crowd, false), own = take_both(stranger, false);
  CrError error = {0};
  CHECK_STATUS(cr_crowd_restore_state_with_mesh(scene.crowd, other, good.data, good.size, NULL, 0, &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "mesh") == 0);
  // Of other parameters: tile size and climb are not those of the snapshot.
  CHECK_STATUS(cr_crowd_restore_state_with_mesh(stranger, other, good.data, good.size, NULL, 0, &error),
               CR_STATUS_MISMATCH);
  CHECK(strcmp(error.field, "params") == 0 && error.format == CR_FORMAT_NAVMESH && error.offset == 12 + 16);
  CHECK(both_stand_at(stranger, &own));
  // Tiles that nobody brought.
  StateBytes part = take_both(scene.crowd, true);
  CHECK_STATUS(cr_crowd_restore_state_with_mesh(scene.crowd, scene.mesh, part.data, part.size, NULL, 0, &error),
               CR_STATUS_NOT_FOUND);
  CHECK(strcmp(error.field, "mesh.tiles") == 0 && both_stand_at(scene.crowd, &good));
  free(good.data);
  free(own.data);
  free(part.data);
  cr_crowd_destroy(stranger);
  cr_navmesh_destroy(other);
  free_scene(&scene);
}

// Of crowd and mesh, without their bytes.
static uint64_t hash_of(const Scene *scene) {
  CrWriter writer = cr__writer_hash();
  cr__navmesh_write(scene->mesh, &writer);
  return writer.hash ^ cr_crowd_state_hash(scene->crowd) * 3;
}

// Small, edited since it was saved: so every byte can be tried.
static Scene make_small_scene(StateBytes *out_saved, bool referenced) {
  Scene scene = {.mesh = world_two_floors(53, 8, 7, 1.0, 4.0, 4, 2, NULL)};
  scene.crowd = make_crowd(scene.mesh, NULL);
  scene.tile_count = scene.mesh->slot_count;
  REQUIRE(scene.tile_count <= TILES_MAX);
  for (uint32_t k = 0; k < scene.tile_count; k++) {
    REQUIRE_OK(cr_navmesh_tile_bytes(scene.mesh, k, NULL, &scene.bytes[k], NULL));
    scene.tiles[k] = (CrTileData){scene.bytes[k].data, scene.bytes[k].size};
  }
  CrAgentOptions options = cr_agent_options_small();
  for (uint64_t seed = 3; scene.crowd->agent_count < 4;) {
    CrVec3 from = world_random_point(scene.mesh, &seed, NULL), to = world_random_point(scene.mesh, &seed, NULL);
    add_walker(scene.crowd, from, to, &options);
  }
  for (int k = 0; k < 20; k++) step_crowd(scene.crowd);
  *out_saved = take_both(scene.crowd, referenced);
  CHECK_OK(cr_navmesh_set_area(scene.mesh, cr_navmesh_ref(scene.mesh, 0, 0), 9, NULL));
  CHECK_OK(cr_crowd_remove(scene.crowd, 1, NULL));
  step_crowd(scene.crowd);
  return scene;
}

TEST(every_prefix_is_refused) {
  for (int referenced = 0; referenced < 2; referenced++) {
    StateBytes good;
    Scene scene = make_small_scene(&good, referenced);
    uint64_t own = hash_of(&scene), edits = cr_navmesh_edit_count(scene.mesh);
    for (size_t size = 0; size < good.size; size++) {
      StateBytes prefix = {malloc(size + 1), size};
      REQUIRE(prefix.data);
      memcpy(prefix.data, good.data, size);
      CrError error = {0};
      CHECK_STATUS(restore_both(&scene, &prefix, &error), CR_STATUS_TRUNCATED);
      CHECK(error.field && error.offset <= size && error.format == CR_FORMAT_CROWD_STATE);
      free(prefix.data);
      CHECK(size % 64 || hash_of(&scene) == own);
    }
    CHECK(hash_of(&scene) == own && cr_navmesh_edit_count(scene.mesh) == edits);
    CHECK_OK(restore_both(&scene, &good, NULL));
    printf("  %zu prefixes\n", good.size);
    free(good.data);
    free_scene(&scene);
  }
}

// Damage to the mesh's part is always seen; what damage to the crowd's lets through is restored, with the mesh as it was saved.
TEST(any_flipped_bit_is_refused_or_harmless) {
  for (int referenced = 0; referenced < 2; referenced++) {
    StateBytes good;
    Scene scene = make_small_scene(&good, referenced);
    StateBytes own = take_both(scene.crowd, false);
    uint64_t before = hash_of(&scene);
    size_t mesh_end = 12 + u32_at(&good, 8), tried = 0, refused = 0;
    size_t bits = good.size * 8, stride = bits / (size_t)check_scaled((int64_t)bits / 9) | 1;
    for (size_t k = 0; k < bits; k += k < 96 ? 1 : stride, tried++) {
      good.data[k / 8] ^= (uint8_t)(1 << k % 8);
      CrError error = {0};
      CrStatus status = restore_both(&scene, &good, &error);
      good.data[k / 8] ^= (uint8_t)(1 << k % 8);
      if (status != CR_STATUS_OK) {
        CHECK(error.status == status && error.field);
        CHECK(k / 8 < 12 || k / 8 >= mesh_end || error.format == CR_FORMAT_NAVMESH);
        refused++;
      } else {
        CHECK(k / 8 >= mesh_end);
        StateBytes now = take_both(scene.crowd, referenced);
        CHECK(memcmp(now.data, good.data, mesh_end) == 0);
        free(now.data);
        step_crowd(scene.crowd);
        CHECK_OK(restore_both(&scene, &own, NULL));
      }
      CHECK(hash_of(&scene) == before);
    }
    printf("  %zu bits, %zu refused\n", tried, refused);
    free(good.data);
    free(own.data);
    free_scene(&scene);
  }
}

// --- Memory -----------------------------------------------------------------------------------------------------------

// Rolling back takes memory for the mesh alone; saving, hashing and rolling back the crowd by itself take none.
TEST(the_crowd_part_allocates_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  Scene scene = make_scene(&allocator);
  int64_t before = memory.total_allocations;
  StateBytes full = take_both(scene.crowd, false), alone = take_state(scene.crowd);
  CHECK(cr_crowd_state_hash(scene.crowd) == cr_hash_bytes(alone.data, alone.size));
  CHECK_OK(cr_crowd_restore_state(scene.crowd, alone.data, alone.size, NULL));
  CHECK_INT(memory.total_allocations - before, 0);
  free(alone.data);
  uint32_t mesh_size = u32_at(&full, 8);
  CHECK_OK(cr_navmesh_restore(scene.mesh, full.data + 12, mesh_size, NULL, 0, NULL));
  int64_t for_mesh = memory.total_allocations - before;
  uint64_t hashes[AHEAD];
  run_ahead(&scene, 3, hashes);
  before = memory.total_allocations;
  CHECK_OK(cr_crowd_restore_state_with_mesh(scene.crowd, scene.mesh, full.data, full.size, NULL, 0, NULL));
  CHECK_INT(memory.total_allocations - before, for_mesh);
  printf("  %" PRId64 " allocations for a mesh of %u bytes\n", for_mesh, mesh_size);
  free(full.data);
  free_scene(&scene);
  CHECK_INT(memory.live_blocks, 0);
}

static int64_t restore_with_failure(const StateBytes *state, int64_t fail_after) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  Scene scene = make_scene(&allocator);
  uint64_t seed = 8;
  for (int64_t id = 0; id < 40; id += 3) CHECK_OK(cr_crowd_remove(scene.crowd, id, NULL));
  for (int k = 0; k < 3; k++) edit_mesh(&scene, &seed);
  StateBytes before = take_both(scene.crowd, false);
  int64_t base = memory.total_allocations;
  memory.fail_at = fail_after ? base + fail_after : 0;
  CrError error = {0};
  CrStatus status = restore_both(&scene, state, &error);
  CHECK_INT(status, fail_after ? CR_STATUS_OUT_OF_MEMORY : CR_STATUS_OK);
  CHECK(both_stand_at(scene.crowd, fail_after ? &before : state));
  if (!fail_after) check_crowd(scene.crowd);
  int64_t used = memory.total_allocations - base;
  free(before.data);
  free_scene(&scene);
  CHECK_INT(memory.live_blocks, 0);
  return used;
}

TEST(any_allocation_of_a_restore_may_fail) {
  Scene scene = make_scene(NULL);
  StateBytes state = take_both(scene.crowd, false);
  int64_t total = restore_with_failure(&state, 0);
  for (int64_t k = 1; k <= total; k += 1 + total / 40) restore_with_failure(&state, k);
  restore_with_failure(&state, total);
  printf("  %" PRId64 " allocations\n", total);
  free(state.data);
  free_scene(&scene);
}

TEST_MAIN(RUN(bytes_are_identity_mesh_and_crowd), RUN(a_short_buffer_is_refused_untouched),
          RUN(needs_are_those_of_the_mesh), RUN(edits_are_undone_and_the_crowd_goes_on),
          RUN(wall_lists_come_back_valid), RUN(a_bad_part_changes_neither), RUN(other_meshes_are_refused),
          RUN(every_prefix_is_refused), RUN(any_flipped_bit_is_refused_or_harmless),
          RUN(the_crowd_part_allocates_nothing), RUN(any_allocation_of_a_restore_may_fail))
