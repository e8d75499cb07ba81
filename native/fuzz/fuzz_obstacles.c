// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A level (fuzzkit_level.h: its first half of the bytes) in a tile cache, and a program of obstacles added and removed, with updates
// of a few tiles at a time, some of them short of memory. What must hold: a call that fails changes nothing; the mesh keeps every
// invariant; once nothing is in line, it equals a fresh build with the same obstacles, tile for tile; nothing is left.
#include "crowdreel/tile_cache.h"
#include "fuzzkit_level.h"
#include "navmesh_internal.h"

#define MAX_CALLS 12

typedef struct Play {
  const FuzzLevel *level;
  CrTileCache *cache;
  CrNavMesh *mesh;
  FuzzMemory memory;
  CrObstacleId last_id;
} Play;

static void check_mesh(const Play *play) {
  const char *broken = cr__navmesh_invariant(play->mesh);
  if (broken) fuzz_broken(__FILE__, __LINE__, broken);
}

// --- Oracle ---------------------------------------------------------------------------------------------------------

static bool same_tile(const CrNavMesh *mesh, const CrNavMesh *fresh, uint32_t fresh_slot) {
  CrTileInfo info;
  CrBytes a, b;
  uint32_t slot;
  FUZZ_REQUIRE(cr_navmesh_tile_info(fresh, fresh_slot, &info) == CR_STATUS_OK);
  if (cr_navmesh_find_tile(mesh, info.x, info.z, info.layer, &slot) != CR_STATUS_OK) return false;
  FUZZ_REQUIRE(cr_navmesh_tile_bytes(mesh, slot, NULL, &a, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_tile_bytes(fresh, fresh_slot, NULL, &b, NULL) == CR_STATUS_OK);
  bool same = a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
  cr_bytes_free(&a);
  cr_bytes_free(&b);
  return same;
}

static void compare_with_fresh(const Play *play) {
  static CrVolume obstacles[LEVEL_MOST_VOLUMES + MAX_CALLS];
  CrBuildInput input = play->level->input;
  input.obstacles = obstacles;
  input.obstacle_count = cr_tile_cache_obstacle_count(play->cache);
  for (uint32_t i = 0; i < input.obstacle_count; i++) {
    FUZZ_REQUIRE(cr_tile_cache_obstacle_at(play->cache, i, NULL, &obstacles[i]) == CR_STATUS_OK);
  }
  CrNavMesh *fresh;
  FUZZ_REQUIRE(cr_build_navmesh(&input, &play->level->settings, NULL, NULL, &fresh, NULL, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_navmesh_tile_count(fresh) == cr_navmesh_tile_count(play->mesh));
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(fresh); slot++) {
    FUZZ_REQUIRE(same_tile(play->mesh, fresh, slot));
  }
  cr_navmesh_destroy(fresh);
}

// --- Calls ----------------------------------------------------------------------------------------------------------

static void add(Play *play, FuzzIn *in, uint8_t op) {
  CrVolume volume = fuzz_level_volume(play->level, in, op & 16 ? (uint8_t)(op >> 5) : 64);
  uint32_t count = cr_tile_cache_obstacle_count(play->cache), pending = cr_tile_cache_pending_count(play->cache);
  CrObstacleId id = 0;
  CrError error = {0};
  CrStatus status = cr_tile_cache_add_obstacle(play->cache, &volume, &id, &error);
  if (status == CR_STATUS_OK) {
    FUZZ_REQUIRE(id > play->last_id && cr_tile_cache_obstacle_count(play->cache) == count + 1);
    play->last_id = id;
  } else {
    FUZZ_REQUIRE(status == CR_STATUS_ARGUMENT || status == CR_STATUS_OUT_OF_MEMORY);
    FUZZ_REQUIRE(cr_tile_cache_obstacle_count(play->cache) == count);
    FUZZ_REQUIRE(cr_tile_cache_pending_count(play->cache) == pending);
  }
}

static void take_away(Play *play, uint8_t which) {
  uint32_t count = cr_tile_cache_obstacle_count(play->cache);
  CrObstacleId id = which;
  if (which < 192 && count)
    FUZZ_REQUIRE(cr_tile_cache_obstacle_at(play->cache, which % count, &id, NULL) == CR_STATUS_OK);
  bool there = cr_tile_cache_obstacle(play->cache, id, NULL) == CR_STATUS_OK;
  CrStatus status = cr_tile_cache_remove_obstacle(play->cache, id, NULL);
  FUZZ_REQUIRE(status == (there ? CR_STATUS_OK : CR_STATUS_NOT_FOUND) || status == CR_STATUS_OUT_OF_MEMORY);
  if (status == CR_STATUS_OK) FUZZ_REQUIRE(cr_tile_cache_obstacle_count(play->cache) == count - 1);
}

static void update(Play *play, uint32_t most) {
  uint32_t before = cr_tile_cache_pending_count(play->cache), rebuilt = 0, pending = 0;
  CrStatus status = cr_tile_cache_update(play->cache, play->mesh, most, &rebuilt, &pending, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
  FUZZ_REQUIRE(rebuilt <= most && rebuilt + pending == before && pending == cr_tile_cache_pending_count(play->cache));
  if (status == CR_STATUS_OK) FUZZ_REQUIRE(rebuilt == most || pending == 0);
  check_mesh(play);
}

static void call(Play *play, FuzzIn *in) {
  uint8_t op = fuzz_u8(in);
  if ((op & 15) == 15) play->memory.fail_at = play->memory.count + 1 + (op >> 4);
  switch (op & 7) {
    case 0:
    case 1:
    case 7:
      add(play, in, op);
      break;
    case 2:
      take_away(play, fuzz_u8(in));
      break;
    case 3:
      cr_tile_cache_touch_all(play->cache);
      break;
    default:
      update(play, 1 + (op >> 4));
  }
  play->memory.fail_at = 0;
}

static void run(Play *play, FuzzIn *in) {
  for (int32_t i = 0; i < MAX_CALLS && !fuzz_done(in); i++) call(play, in);
  update(play, UINT32_MAX);
  FUZZ_REQUIRE(cr_tile_cache_pending_count(play->cache) == 0);
  compare_with_fresh(play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FuzzLevel level;
  FuzzIn geometry = fuzz_in(data, size / 2), program = fuzz_in(data + size / 2, size - size / 2);
  fuzz_level_read(&level, &geometry);
  Play play = {.level = &level, .memory = {.limit = (size_t)256 << 20}};
  CrAllocator hooks = fuzz_allocator(&play.memory);
  CrError error = {0};
  CrStatus status =
      cr_tile_cache_create(&level.input, &level.settings, NULL, &hooks, &play.cache, &play.mesh, NULL, &error);
  if (status == CR_STATUS_OK) {
    run(&play, &program);
    fuzz_check_mesh(play.mesh);
    cr_tile_cache_destroy(play.cache);
    cr_navmesh_destroy(play.mesh);
  } else {
    FUZZ_REQUIRE(error.status == status && error.field);
  }
  fuzz_memory_end(&play.memory);
  return 0;
}
