// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd state with the mesh: byte 0 chooses mesh and crowd options, byte 1 the time step; then the state's length (u16), the state, and a
// program of edits and calls, a few before each step. A state is tried as it is, then with lengths, headers and the mesh's seal put right.
// Referenced snapshots find the tiles the mesh has at first. What must hold: a refusal names a field and changes neither crowd nor
// mesh; what was restored is saved and restored and saved to the same bytes, and a twin on another mesh restored from those goes on
// with it through the same edits, hash for hash, and back; steps allocate nothing; any allocation of a restore may fail.
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define STEPS 5
#define MOST_TILES 32
#define IDENTITY_SIZE 8
#define PARTS_SIZE (IDENTITY_SIZE + 8)

typedef struct Place {
  CrNavMesh *mesh;
  CrCrowd *crowd;
} Place;

// The tiles of a world.
typedef struct Tiles {
  CrBytes bytes[MOST_TILES];
  CrTileData data[MOST_TILES];
  CrTileInfo info[MOST_TILES];
  uint32_t count;
} Tiles;

static const CrNavMesh *world_of(uint8_t choice) { return fuzz_world((choice & 7) % FUZZ_WORLDS); }

static const Tiles *tiles_of(uint8_t choice) {
  static Tiles all[FUZZ_WORLDS];
  Tiles *tiles = &all[(choice & 7) % FUZZ_WORLDS];
  const CrNavMesh *mesh = world_of(choice);
  for (uint32_t slot = tiles->count; slot < cr_navmesh_slot_count(mesh); slot++, tiles->count++) {
    FUZZ_REQUIRE(slot < MOST_TILES);
    FUZZ_REQUIRE(cr_navmesh_tile_bytes(mesh, slot, NULL, &tiles->bytes[slot], NULL) == CR_STATUS_OK);
    FUZZ_REQUIRE(cr_navmesh_tile_info(mesh, slot, &tiles->info[slot]) == CR_STATUS_OK);
    tiles->data[slot] = (CrTileData){tiles->bytes[slot].data, tiles->bytes[slot].size};
  }
  return tiles;
}

static Place make_place(uint8_t choice, const CrAllocator *hooks) {
  Place place;
  CrBytes bytes;
  FUZZ_REQUIRE(cr_navmesh_save(world_of(choice), NULL, &bytes, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_load(bytes.data, bytes.size, hooks, &place.mesh, NULL) == CR_STATUS_OK);
  cr_bytes_free(&bytes);
  place.crowd = fuzz_crowd(place.mesh, choice, hooks);
  cr_crowd_add(place.crowd, cr__vec(1.5, 0.0, 1.5), NULL, NULL, NULL);
  return place;
}

static void free_place(Place *place) {
  cr_crowd_destroy(place->crowd);
  cr_navmesh_destroy(place->mesh);
}

static CrStatus restore(const Place *place, uint8_t choice, const CrBytes *state, CrError *error) {
  const Tiles *tiles = tiles_of(choice);
  return cr_crowd_restore_state_with_mesh(place->crowd, place->mesh, state->data, state->size, tiles->data,
                                          tiles->count, error);
}

static CrBytes state_of(const Place *place, bool referenced) {
  CrBytes state;
  size_t size = (size_t)cr_crowd_state_with_mesh_size(place->crowd, referenced), written;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &state, NULL) == CR_STATUS_OK);
  CrStatus status = cr_crowd_save_state_with_mesh(place->crowd, referenced, state.data, size, &written, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK && written == size);
  return state;
}

// Of everything a restore may change.
static uint64_t hash_of(const Place *place) {
  return cr_crowd_state_hash(place->crowd) ^ fuzz_mesh_hash(place->mesh) * 3;
}

static void check_place(const Place *place) {
  fuzz_check_mesh(place->mesh);
  fuzz_check_crowd(place->crowd);
}

// An edit of the mesh, by a byte of which half the values mean none.
static void edit(CrNavMesh *mesh, uint8_t choice, FuzzIn *in) {
  const Tiles *tiles = tiles_of(choice);
  uint8_t kind = fuzz_u8(in), which = fuzz_u8(in);
  uint32_t k = tiles->count ? which % tiles->count : 0;
  CrPolyRef ref = cr_navmesh_ref(mesh, k, which >> 4);
  if (!tiles->count || !(kind & 1)) return;
  switch (kind >> 1 & 3) {
    case 0:
      cr_navmesh_remove_tile(mesh, tiles->info[k].x, tiles->info[k].z, tiles->info[k].layer, NULL);
      break;
    case 1:
      cr_navmesh_replace_tile(mesh, tiles->data[k].data, tiles->data[k].size, NULL, NULL);
      break;
    case 2:
      cr_navmesh_set_area(mesh, ref, which & 63, NULL);
      break;
    default:
      cr_navmesh_set_flags(mesh, ref, kind >> 3, NULL);
  }
}

static void go_on(const Place *place, const Place *twin, uint8_t choice, double dt, FuzzIn *program,
                  const FuzzMemory *memory) {
  for (int32_t i = 0; i < STEPS; i++) {
    FuzzIn same = *program;
    edit(place->mesh, choice, program);
    edit(twin->mesh, choice, &same);
    fuzz_call_crowd(place->crowd, program);
    fuzz_call_crowd(twin->crowd, &same);
    int64_t taken = memory->count;
    CrStatus status = cr_crowd_step(place->crowd, dt, NULL);
    FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
    FUZZ_REQUIRE(cr_crowd_step(twin->crowd, dt, NULL) == status);
    FUZZ_REQUIRE(memory->count == taken);
    fuzz_check_crowd(place->crowd);
    FUZZ_REQUIRE(hash_of(place) == hash_of(twin));
  }
}

static void restore_without_memory(uint8_t choice, const CrBytes *state, int64_t allocations) {
  FuzzMemory memory = {0};
  CrAllocator hooks = fuzz_allocator(&memory);
  Place place = make_place(choice, &hooks);
  uint64_t before = hash_of(&place);
  memory.fail_at = memory.count + 1 + (int64_t)(cr_hash_bytes(state->data, state->size) % (uint64_t)allocations);
  FUZZ_REQUIRE(restore(&place, choice, state, NULL) == CR_STATUS_OUT_OF_MEMORY);
  FUZZ_REQUIRE(hash_of(&place) == before);
  check_place(&place);
  free_place(&place);
  fuzz_memory_end(&memory);
}

static void use_state(const Place *place, uint8_t choice, double dt, FuzzIn program, FuzzMemory *memory) {
  check_place(place);
  CrBytes state = state_of(place, false);
  uint64_t hash = hash_of(place);
  CrAllocator hooks = fuzz_allocator(memory);
  Place twin = make_place(choice, &hooks);
  int64_t taken = memory->count;
  FUZZ_REQUIRE(restore(&twin, choice, &state, NULL) == CR_STATUS_OK);
  int64_t allocations = memory->count - taken;
  CrBytes again = state_of(&twin, false);
  FUZZ_REQUIRE(again.size == state.size && memcmp(again.data, state.data, state.size) == 0);
  go_on(place, &twin, choice, dt, &program, memory);
  FUZZ_REQUIRE(restore(place, choice, &state, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(hash_of(place) == hash);
  restore_without_memory(choice, &state, allocations);
  free_place(&twin);
  cr_bytes_free(&state);
  cr_bytes_free(&again);
}

// Offsets count from the first byte of the state, or, where a tile is named, of that one.
static bool is_within(const CrError *error, const Tiles *tiles, size_t size) {
  if (error->offset == CR_NO_OFFSET || error->offset <= size) return true;
  return error->index >= 0 && error->index < tiles->count && error->offset <= tiles->data[error->index].size;
}

static void try_state(uint8_t choice, double dt, const CrBytes *state, FuzzIn program) {
  FuzzMemory memory = {.limit = (size_t)256 << 20};
  CrAllocator hooks = fuzz_allocator(&memory);
  Place place = make_place(choice, &hooks);
  uint64_t before = hash_of(&place);
  CrError error = {0};
  CrStatus status = restore(&place, choice, state, &error);
  uint32_t needs = 0;
  CrStatus listed = cr_crowd_state_needs(state->data, state->size, NULL, 0, &needs, NULL);
  if (status == CR_STATUS_OK) {
    bool referenced = state->data[IDENTITY_SIZE + 4 + 5] == 2;
    FUZZ_REQUIRE(listed == CR_STATUS_OK && needs == (referenced ? cr_navmesh_tile_count(place.mesh) : 0));
    use_state(&place, choice, dt, program, &memory);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(error.format == CR_FORMAT_CROWD_STATE || error.format == CR_FORMAT_NAVMESH);
    FUZZ_REQUIRE(is_within(&error, tiles_of(choice), state->size));
    FUZZ_REQUIRE(hash_of(&place) == before);
    check_place(&place);
  }
  free_place(&place);
  fuzz_memory_end(&memory);
}

// What is left after the mesh's part, whose length is cut down to what there is, becomes the crowd's.
static bool put_right(uint8_t *data, size_t size) {
  if (size < PARTS_SIZE) return false;
  memcpy(data, "CRCS\1\2\0\0", IDENTITY_SIZE);
  uint32_t mesh_size = fuzz_load_u32(data + IDENTITY_SIZE), room = (uint32_t)size - PARTS_SIZE;
  if (mesh_size > room) mesh_size = room;
  fuzz_store_u32(data + IDENTITY_SIZE, mesh_size);
  fuzz_seal_mesh(data + IDENTITY_SIZE + 4, mesh_size);
  fuzz_store_u32(data + IDENTITY_SIZE + 4 + mesh_size, room - mesh_size);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzIn in = fuzz_in(data, size);
  uint8_t choice = fuzz_u8(&in), time = fuzz_u8(&in);
  double dt = time == 255 ? 3600.0 : (1 + time) / 128.0;
  size_t state_size = fuzz_u16(&in);
  const uint8_t *given = fuzz_span(&in, state_size, &state_size);
  CrBytes state;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, state_size, &state, NULL) == CR_STATUS_OK);
  if (state_size) memcpy(state.data, given, state_size);
  try_state(choice, dt, &state, in);
  if (put_right(state.data, state_size) && memcmp(state.data, given, state_size) != 0) {
    try_state(choice, dt, &state, in);
  }
  cr_bytes_free(&state);
  return 0;
}
