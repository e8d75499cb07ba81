// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tile caches as bytes: they come back whole and go on alike; damaged ones are refused, or are caches like any other; and
// allocations that fail, for every public call.
#include "cache_levels.h"
#include "core_internal.h"

typedef struct Pair {
  CacheLevel level;
  CrTileCache *cache;
  CrNavMesh *mesh;
} Pair;

static void pair_start(Pair *p, uint32_t index, CrPartition partition, int32_t tile_cells, uint64_t *seed,
                       const CrAllocator *allocator) {
  cache_level_make(&p->level, index, partition, tile_cells, seed);
  CrVolume first[2] = {cache_obstacle(&p->level, seed, 5), cache_obstacle(&p->level, seed, 5)};
  CrBuildInput input = p->level.input;
  input.obstacles = first;
  input.obstacle_count = 2;
  if (index % 2) input.area_flags = NULL;
  REQUIRE_OK(cr_tile_cache_create(&input, &p->level.settings, NULL, allocator, &p->cache, &p->mesh, NULL, NULL));
}

static void pair_end(Pair *p) {
  cr_tile_cache_destroy(p->cache);
  cr_navmesh_destroy(p->mesh);
  level_free(&p->level.level);
}

static CrBytes saved(const CrTileCache *cache) {
  CrBytes bytes;
  REQUIRE_OK(cr_tile_cache_save(cache, NULL, &bytes, NULL));
  return bytes;
}

static bool same_bytes(CrBytes a, CrBytes b) {
  bool same = a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
  cr_bytes_free(&a);
  cr_bytes_free(&b);
  return same;
}

static bool same_meshes(const CrNavMesh *a, const CrNavMesh *b) {
  CrBytes of_a, of_b;
  REQUIRE_OK(cr_navmesh_save(a, NULL, &of_a, NULL));
  REQUIRE_OK(cr_navmesh_save(b, NULL, &of_b, NULL));
  return same_bytes(of_a, of_b);
}

// Some edit, the same on every cache for the same seed.
static void edit(const CacheLevel *level, CrTileCache *cache, CrNavMesh *mesh, uint64_t *seed) {
  int32_t kind = rnd_int(seed, 5);
  uint64_t chance = rnd_u64(seed);
  CrVolume volume = cache_obstacle(level, seed, 6);
  uint32_t count = cr_tile_cache_obstacle_count(cache);
  if (kind < 2) {
    CHECK_OK(cr_tile_cache_add_obstacle(cache, &volume, NULL, NULL));
  } else if (kind == 2 && count) {
    CrObstacleId id;
    CHECK_OK(cr_tile_cache_obstacle_at(cache, (uint32_t)(chance % count), &id, NULL));
    CHECK_OK(cr_tile_cache_remove_obstacle(cache, id, NULL));
  } else {
    CHECK_OK(cr_tile_cache_update(cache, mesh, (uint32_t)(chance % 3), NULL, NULL, NULL));
  }
}

static CrNavMesh *copy_mesh(const CrNavMesh *mesh) {
  CrBytes bytes;
  CrNavMesh *copy;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_load(bytes.data, bytes.size, NULL, &copy, NULL));
  cr_bytes_free(&bytes);
  return copy;
}

TEST(a_loaded_cache_goes_on_as_the_saved_one) {
  uint64_t seed = check_seed = 31;
  int64_t bytes_saved = 0, with_line = 0, rounds = check_scaled(2 * level_count());
  for (int64_t round = 0; round < rounds; round++) {
    Pair p;
    uint32_t index = (uint32_t)(round % level_count());
    pair_start(&p, index, (CrPartition)(round % 3), index % 5 ? 24 : 0, &seed, NULL);
    for (int i = rnd_int(&seed, 20); i > 0; i--) edit(&p.level, p.cache, p.mesh, &seed);
    CrBytes bytes = saved(p.cache);
    CrTileCache *loaded;
    REQUIRE_OK(cr_tile_cache_load(bytes.data, bytes.size, NULL, &loaded, NULL));
    bytes_saved += (int64_t)bytes.size;
    with_line += cr_tile_cache_pending_count(loaded) > 0;
    CHECK(same_bytes(bytes, saved(loaded)));
    CrTileCacheInfo a = cr_tile_cache_info(p.cache), b = cr_tile_cache_info(loaded);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    CrNavMesh *mesh = copy_mesh(p.mesh);
    uint64_t seed_again = seed;
    for (int i = 0; i < 15; i++) edit(&p.level, p.cache, p.mesh, &seed);
    for (int i = 0; i < 15; i++) edit(&p.level, loaded, mesh, &seed_again);
    CHECK(same_meshes(p.mesh, mesh));
    CHECK(same_bytes(saved(p.cache), saved(loaded)));
    CHECK_OK(cr_tile_cache_update(loaded, mesh, UINT32_MAX, NULL, NULL, NULL));
    CrBuildInput input = p.level.input;
    if (index % 2) p.level.input.area_flags = NULL;
    CrNavMesh *fresh = cache_fresh_mesh(&p.level, loaded);
    p.level.input = input;
    CHECK_INT(different_tiles(mesh, fresh, loaded), 0);
    cr_navmesh_destroy(fresh);
    cr_navmesh_destroy(mesh);
    cr_tile_cache_destroy(loaded);
    pair_end(&p);
  }
  printf("%" PRId64 " caches, %" PRId64 " bytes each, %" PRId64 " with tiles in line\n", rounds, bytes_saved / rounds,
         with_line);
  CHECK(with_line > rounds / 4);
}

TEST(an_empty_cache_comes_back) {
  CrBuildSettings settings = cr_build_settings_default();
  CrBuildInput input = {0};
  CrTileCache *cache, *loaded;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_tile_cache_create(&input, &settings, NULL, NULL, &cache, &mesh, NULL, NULL));
  CrBytes bytes = saved(cache);
  REQUIRE_OK(cr_tile_cache_load(bytes.data, bytes.size, NULL, &loaded, NULL));
  CHECK_OK(cr_tile_cache_update(loaded, mesh, 1, NULL, NULL, NULL));
  CHECK(same_bytes(bytes, saved(loaded)));
  cr_tile_cache_destroy(cache);
  cr_tile_cache_destroy(loaded);
  cr_navmesh_destroy(mesh);
}

// --- Damage ---------------------------------------------------------------------------------------------------------------

// A small cache, so that every byte can be tried: four tiles of coarse cells, several storeys, links, obstacles of each shape.
static CrBytes small_cache(uint64_t *seed) {
  Pair p;
  uint32_t index = 0;
  while (strcmp(level_name(index), "balconies") != 0) index++;
  cache_level_make(&p.level, index, CR_PARTITION_WATERSHED, 0, seed);
  double side = p.level.high.x - p.level.low.x, depth = p.level.high.z - p.level.low.z;
  p.level.settings.cell_size = (side > depth ? side : depth) / 24;
  p.level.settings.tile_cells = 12;
  p.level.input.off_mesh_count = 3;
  REQUIRE_OK(cr_tile_cache_create(&p.level.input, &p.level.settings, NULL, NULL, &p.cache, &p.mesh, NULL, NULL));
  for (int i = 0; i < 24; i++) edit(&p.level, p.cache, p.mesh, seed);
  CrTileCacheInfo info = cr_tile_cache_info(p.cache);
  printf("%u tiles, %u layers, %u obstacles, %u tiles in line\n", info.tile_count, info.layer_count,
         cr_tile_cache_obstacle_count(p.cache), cr_tile_cache_pending_count(p.cache));
  CrBytes bytes = saved(p.cache);
  pair_end(&p);
  return bytes;
}

static void put_u64(uint8_t *at, uint64_t value) {
  for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static void check_refused(const uint8_t *data, size_t size) {
  CrTileCache *cache = NULL;
  CrError error = {0};
  CrStatus status = cr_tile_cache_load(data, size, NULL, &cache, &error);
  CHECK(status != CR_STATUS_OK && error.status == status && error.format == CR_FORMAT_TILE_CACHE && error.field);
  CHECK(error.offset <= size && cache == NULL);
}

TEST(every_prefix_and_every_changed_byte_is_refused) {
  uint64_t seed = check_seed = 32;
  CrBytes bytes = small_cache(&seed);
  uint8_t *copy = malloc(bytes.size + 1);
  REQUIRE(copy);
  for (size_t size = 0; size < bytes.size; size++) {
    uint8_t *exact = malloc(size ? size : 1);
    REQUIRE(exact);
    memcpy(exact, bytes.data, size);
    check_refused(exact, size);
    free(exact);
  }
  memcpy(copy, bytes.data, bytes.size);
  copy[bytes.size] = 0;
  check_refused(copy, bytes.size + 1);
  for (size_t at = 0; at < bytes.size; at++) {
    for (int bit = 0; bit < 8; bit++) {
      copy[at] ^= (uint8_t)(1 << bit);
      check_refused(copy, bytes.size);
      copy[at] ^= (uint8_t)(1 << bit);
    }
  }
  printf("%zu bytes\n", bytes.size);
  free(copy);
  cr_bytes_free(&bytes);
}

// Loads bytes whose hash was made to fit. A cache that comes of it saves to the same bytes and can be used.
static bool try_sealed(uint8_t *data, size_t size) {
  put_u64(data + 8, size);
  put_u64(data + size - 8, cr_hash_bytes(data, size - 8));
  CrTileCache *cache = NULL;
  CrError error = {0};
  CrStatus status = cr_tile_cache_load(data, size, NULL, &cache, &error);
  if (status != CR_STATUS_OK) {
    CHECK(error.status == status && cache == NULL);
    if (status != CR_STATUS_OUT_OF_MEMORY)
      CHECK(error.format == CR_FORMAT_TILE_CACHE && error.field && error.offset <= size);
    return false;
  }
  CrBytes again = saved(cache);
  CHECK(again.size == size && memcmp(again.data, data, size) == 0);
  cr_bytes_free(&again);
  CrNavMeshParams params = cr_tile_cache_params(cache);
  CrNavMesh *mesh;
  if (cr_navmesh_create(&params, NULL, &mesh, NULL) == CR_STATUS_OK) {
    cr_tile_cache_touch_all(cache);
    status = cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, &error);
    CHECK((status == CR_STATUS_OK) == (cr_tile_cache_pending_count(cache) == 0));
    cr_navmesh_destroy(mesh);
  }
  cr_tile_cache_destroy(cache);
  return true;
}

TEST(damage_under_a_fitting_hash_is_refused_or_harmless) {
  uint64_t seed = check_seed = 33;
  CrBytes bytes = small_cache(&seed);
  uint8_t *copy = malloc(bytes.size + 64);
  REQUIRE(copy);
  int64_t accepted = 0, tried = 0;
  static const uint32_t extremes[] = {0xFFFFFFFFu, 0x7FFFFFFFu, 0x80000000u, 0};
  for (size_t at = 16; at + 4 <= bytes.size - 8; at++) {
    for (size_t k = 0; k < CR_COUNT_OF(extremes); k++) {
      memcpy(copy, bytes.data, bytes.size);
      memcpy(copy + at, &extremes[k], 4);
      accepted += try_sealed(copy, bytes.size);
      tried++;
    }
    memcpy(copy, bytes.data, bytes.size);
    copy[at] ^= (uint8_t)(1u << rnd_int(&seed, 8));
    accepted += try_sealed(copy, bytes.size);
    tried++;
  }
  for (size_t size = 24; size < bytes.size; size++) {
    memcpy(copy, bytes.data, size);
    accepted += try_sealed(copy, size);
    tried++;
  }
  printf("%" PRId64 " of %" PRId64 " damaged caches were caches still\n", accepted, tried);
  CHECK(accepted > 0 && accepted < tried);
  free(copy);
  cr_bytes_free(&bytes);
}

// --- Memory ---------------------------------------------------------------------------------------------------------------

// Fails allocation k = 1, 2, .. of `call` until it succeeds; returns how many failed.
typedef CrStatus (*Call)(void *context, CrError *error);
static int64_t fail_each(TestMemory *memory, Call call, void *context) {
  for (int64_t failed = 0;; failed++) {
    CrError error = {0};
    memory->fail_at = memory->total_allocations + failed + 1;
    CrStatus status = call(context, &error);
    memory->fail_at = 0;
    if (status == CR_STATUS_OK) return failed;
    CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
    CHECK_INT(error.status, CR_STATUS_OUT_OF_MEMORY);
    if (failed > 100000) return failed;
  }
}

typedef struct Calls {
  Pair pair;
  CrAllocator hooks;
  CrVolume volume;
  CrBytes bytes;
  CrTileCache *made;
  CrNavMesh *made_mesh;
  TestMemory *memory;
} Calls;

static CrStatus call_create(void *context, CrError *error) {
  Calls *c = context;
  int64_t before = c->memory->live_bytes;
  CrBuildInput input = c->pair.level.input;
  input.obstacles = &c->volume;
  input.obstacle_count = 1;
  CrStatus status =
      cr_tile_cache_create(&input, &c->pair.level.settings, NULL, &c->hooks, &c->made, &c->made_mesh, NULL, error);
  if (status != CR_STATUS_OK) CHECK_INT(c->memory->live_bytes, before);
  return status;
}

static CrStatus call_load(void *context, CrError *error) {
  Calls *c = context;
  int64_t before = c->memory->live_bytes;
  CrStatus status = cr_tile_cache_load(c->bytes.data, c->bytes.size, &c->hooks, &c->made, error);
  if (status != CR_STATUS_OK) CHECK_INT(c->memory->live_bytes, before);
  return status;
}

static CrStatus call_save(void *context, CrError *error) {
  Calls *c = context;
  int64_t before = c->memory->live_bytes;
  CrBytes bytes;
  CrStatus status = cr_tile_cache_save(c->pair.cache, &c->hooks, &bytes, error);
  if (status == CR_STATUS_OK) cr_bytes_free(&bytes);
  CHECK_INT(c->memory->live_bytes, before);
  return status;
}

// A failed call leaves the cache's bytes as they were.
static CrStatus call_add(void *context, CrError *error) {
  Calls *c = context;
  CrBytes before = saved(c->pair.cache);
  CrStatus status = cr_tile_cache_add_obstacle(c->pair.cache, &c->volume, NULL, error);
  CHECK(same_bytes(before, saved(c->pair.cache)) == (status != CR_STATUS_OK));
  return status;
}

static CrStatus call_update(void *context, CrError *error) {
  Calls *c = context;
  CrBytes before = saved(c->pair.cache);
  CrNavMesh *mesh = copy_mesh(c->pair.mesh);
  uint32_t rebuilt = 9, pending = 9;
  CrStatus status = cr_tile_cache_update(c->pair.cache, c->pair.mesh, 1, &rebuilt, &pending, error);
  CHECK(same_bytes(before, saved(c->pair.cache)) == (status != CR_STATUS_OK));
  CHECK(same_meshes(mesh, c->pair.mesh) == (status != CR_STATUS_OK));
  CHECK_INT(rebuilt, status == CR_STATUS_OK);
  CHECK_INT(pending, cr_tile_cache_pending_count(c->pair.cache));
  cr_navmesh_destroy(mesh);
  return status;
}

static CrStatus call_remove(void *context, CrError *error) {
  Calls *c = context;
  CrObstacleId id;
  CHECK_OK(cr_tile_cache_obstacle_at(c->pair.cache, 0, &id, NULL));
  return cr_tile_cache_remove_obstacle(c->pair.cache, id, error);
}

TEST(allocations_that_fail_change_nothing) {
  uint64_t seed = check_seed = 34;
  for (uint32_t index = 4; index < level_count(); index += 8) {
    TestMemory memory = {0};
    Calls c = {.hooks = test_allocator(&memory), .memory = &memory};
    pair_start(&c.pair, index, CR_PARTITION_WATERSHED, 48, &seed, &c.hooks);
    c.volume = (CrVolume){.shape = CR_VOLUME_CYLINDER, .area = CR_AREA_BLOCKED, .min_y = -100, .max_y = 100};
    c.volume.center_x = (c.pair.level.low.x + c.pair.level.high.x) / 2;
    c.volume.center_z = (c.pair.level.low.z + c.pair.level.high.z) / 2;
    c.volume.radius = 3;
    int64_t create = fail_each(&memory, call_create, &c);
    cr_tile_cache_destroy(c.made);
    cr_navmesh_destroy(c.made_mesh);
    int64_t add = 0, update = 0;
    for (int i = 0; i < 40; i++) add += fail_each(&memory, call_add, &c);
    for (int i = 0; i < 3 && cr_tile_cache_pending_count(c.pair.cache); i++)
      update += fail_each(&memory, call_update, &c);
    c.bytes = saved(c.pair.cache);
    int64_t save = fail_each(&memory, call_save, &c), load = fail_each(&memory, call_load, &c);
    cr_bytes_free(&c.bytes);
    cr_tile_cache_destroy(c.made);
    CHECK_INT(fail_each(&memory, call_remove, &c), 0);
    printf("%s: failed allocations: create %" PRId64 ", add %" PRId64 ", update %" PRId64 ", save %" PRId64
           ", load %" PRId64 "\n",
           level_name(index), create, add, update, save, load);
    CHECK(create > 20 && add > 0 && update > 0 && save > 0 && load > 5);
    pair_end(&c.pair);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
}

// Once a tile was rebuilt, doing it again takes what the mesh takes to replace it, and two blocks: the tile's bytes, and the tile that
// encoding checks them with.
TEST(updates_allocate_little) {
  uint64_t seed = check_seed = 35;
  TestMemory memory = {0};
  CrAllocator hooks = test_allocator(&memory);
  Pair p;
  pair_start(&p, 0, CR_PARTITION_WATERSHED, 48, &seed, &hooks);
  cr_tile_cache_touch_all(p.cache);
  CHECK_OK(cr_tile_cache_update(p.cache, p.mesh, UINT32_MAX, NULL, NULL, NULL));
  cr_tile_cache_touch_all(p.cache);
  uint32_t rebuilt;
  int64_t before = memory.total_allocations;
  CHECK_OK(cr_tile_cache_update(p.cache, p.mesh, UINT32_MAX, &rebuilt, NULL, NULL));
  int64_t updating = memory.total_allocations - before;
  CrTileCacheInfo info = cr_tile_cache_info(p.cache);
  before = memory.total_allocations;
  for (int32_t z = 0; z < info.tiles_z; z++) {
    for (int32_t x = 0; x < info.tiles_x; x++) {
      uint32_t slot;
      CrBytes bytes;
      if (cr_navmesh_find_tile(p.mesh, x, z, 0, &slot) != CR_STATUS_OK) continue;
      CHECK_OK(cr_navmesh_tile_bytes(p.mesh, slot, NULL, &bytes, NULL));
      CHECK_OK(cr_navmesh_replace_tile(p.mesh, bytes.data, bytes.size, NULL, NULL));
      cr_bytes_free(&bytes);
    }
  }
  int64_t replacing = memory.total_allocations - before;
  printf("%u tiles: %" PRId64 " allocations, of which the mesh makes %" PRId64 "\n", rebuilt, updating, replacing);
  CHECK(updating <= replacing + 2 * (int64_t)rebuilt);
  pair_end(&p);
  CHECK_INT(memory.live_blocks, 0);
}

TEST_MAIN(RUN(a_loaded_cache_goes_on_as_the_saved_one), RUN(an_empty_cache_comes_back),
          RUN(every_prefix_and_every_changed_byte_is_refused), RUN(damage_under_a_fitting_hash_is_refused_or_harmless),
          RUN(allocations_that_fail_change_nothing), RUN(updates_allocate_little))
