// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Any allocation of any build call may fail: a status, nothing changed, nothing leaked; a failed stage can be run again and gives the bytes it would have
// given.
#include "build_internal.h"
#include "builder_internal.h"
#include "check.h"
#include "crowdreel/crowdreel.h"
#include "levels.h"
#include "tile_kit.h"

static const char untouched[] = "untouched";

typedef struct Scene {
  Level level;
  CrVolume volumes[2];
  CrOffMeshLink links[2];
  CrBuildInput input;
  CrBuildSettings settings;
} Scene;

static void make_scene(Scene *scene, uint32_t index, int partition, int32_t tile_cells) {
  scene->level = level_make(index);
  scene->input = level_input(&scene->level);
  const double *v = scene->level.vertices;
  CrVec3 at = {v[0], v[1], v[2]};
  for (int i = 0; i < 2; i++) {
    scene->volumes[i] = (CrVolume){.shape = CR_VOLUME_CYLINDER, .area = (uint8_t)(i ? 3 : CR_AREA_BLOCKED)};
    scene->volumes[i].center_x = at.x + 6.0 * i;
    scene->volumes[i].center_z = at.z + 4.0;
    scene->volumes[i].min_y = at.y - 5;
    scene->volumes[i].max_y = at.y + 5;
    scene->volumes[i].radius = 2.0;
    scene->links[i] = (CrOffMeshLink){.start = at, .end = {at.x + 2, at.y, at.z + 2}, .radius = 1, .flags = 1};
  }
  scene->input.volumes = scene->input.obstacles = scene->volumes;
  scene->input.volume_count = scene->input.obstacle_count = 2;
  scene->input.off_mesh_links = scene->links;
  scene->input.off_mesh_count = 2;
  scene->settings = cr_build_settings_default();
  scene->settings.partition = (CrPartition)partition;
  scene->settings.tile_cells = tile_cells;
}
// Runs `attempt` with the k-th allocation failing, for every k until none fails. Returns how many there were.
typedef CrStatus (*Attempt)(Scene *scene, const CrAllocator *allocator);

static int64_t fail_each(Scene *scene, Attempt attempt) {
  CrStatus status = CR_STATUS_OUT_OF_MEMORY;
  int64_t k = 0;
  while (status == CR_STATUS_OUT_OF_MEMORY && k < 5000) {
    TestMemory memory = {.fail_at = ++k};
    CrAllocator allocator = test_allocator(&memory);
    status = attempt(scene, &allocator);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  CHECK(status == CR_STATUS_OK);
  return k - 1;
}

static CrStatus build_mesh(Scene *scene, const CrAllocator *allocator) {
  CrNavMesh *mesh = (CrNavMesh *)(uintptr_t)untouched;
  CrBuildReport report = {.polygons = 77};
  CrStatus status = cr_build_navmesh(&scene->input, &scene->settings, NULL, allocator, &mesh, &report, NULL);
  if (status != CR_STATUS_OK) CHECK((const void *)mesh == untouched && report.polygons == 77);
  if (status == CR_STATUS_OK) cr_navmesh_destroy(mesh);
  return status;
}

static CrStatus build_tile(Scene *scene, const CrAllocator *allocator) {
  CrBytes bytes = {.size = 77};
  CrBuildReport report = {.polygons = 77};
  CrStatus status = cr_build_tile(&scene->input, &scene->settings, 0, 0, allocator, &bytes, &report, NULL);
  if (status != CR_STATUS_OK) CHECK(bytes.size == 77 && report.polygons == 77);
  if (status == CR_STATUS_OK) cr_bytes_free(&bytes);
  return status;
}

static CrStatus make_builder(Scene *scene, const CrAllocator *allocator) {
  CrBuilder *builder = (CrBuilder *)(uintptr_t)untouched;
  CrStatus status = cr_builder_create(&scene->input, &scene->settings, NULL, allocator, &builder, NULL);
  if (status != CR_STATUS_OK) CHECK((const void *)builder == untouched);
  if (status == CR_STATUS_OK) cr_builder_destroy(builder);
  return status;
}

static CrStatus write_input(Scene *scene, const CrAllocator *allocator) {
  CrBytes bytes = {.size = 77};
  CrStatus status = cr_build_input_write(&scene->input, &scene->settings, allocator, &bytes, NULL);
  if (status != CR_STATUS_OK) CHECK(bytes.size == 77);
  if (status == CR_STATUS_OK) cr_bytes_free(&bytes);
  return status;
}

static CrStatus read_input(Scene *scene, const CrAllocator *allocator) {
  CrBytes bytes;
  REQUIRE_OK(cr_build_input_write(&scene->input, &scene->settings, NULL, &bytes, NULL));
  CrBuildInputFile file = {.input.vertex_count = 77};
  CrStatus status = cr_build_input_read(bytes.data, bytes.size, allocator, &file, NULL);
  if (status != CR_STATUS_OK) CHECK(file.input.vertex_count == 77);
  if (status == CR_STATUS_OK) cr_build_input_free(&file);
  cr_bytes_free(&bytes);
  return status;
}

TEST(whole_calls) {
  const Attempt attempts[] = {build_mesh, build_tile, make_builder, write_input, read_input};
  int64_t counts[5] = {0};
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Scene scene;
    make_scene(&scene, i, (int)(i % 3), i % 2 ? 64 : 0);
    for (int a = 0; a < 5; a++) counts[a] += fail_each(&scene, attempts[a]);
    level_free(&scene.level);
  }
  printf("  failures: mesh %lld, tile %lld, builder %lld, write %lld, read %lld\n", (long long)counts[0],
         (long long)counts[1], (long long)counts[2], (long long)counts[3], (long long)counts[4]);
}

// --- Stages ---------------------------------------------------------------------------------------------------------------

// One stage with every allocation of it failing in turn, until it passes. Returns how often it failed.
static int64_t fail_stage(CrTileBuild *build, TestMemory *memory, CrBuildStage stage) {
  int64_t failures = 0;
  for (;;) {
    int64_t blocks = memory->live_blocks, bytes = memory->live_bytes;
    CrError error = {0};
    CrBuildReport before = *cr_tile_build_report(build);
    memory->total_allocations = 0;
    memory->fail_at = failures + 1;
    CrStatus status = cr_tile_build_run(build, stage, &error);
    memory->fail_at = 0;
    if (status == CR_STATUS_OK) return failures;
    CHECK_STATUS(status, CR_STATUS_OUT_OF_MEMORY);
    CHECK(error.status == CR_STATUS_OUT_OF_MEMORY);
    CHECK_INT(memory->live_blocks, blocks);
    CHECK_INT(memory->live_bytes, bytes);
    CHECK_INT(cr_tile_build_next_stage(build), stage);
    CHECK(memcmp(&before, cr_tile_build_report(build), sizeof before) == 0);
    failures++;
    REQUIRE(failures < 3000);
  }
}

// All stages of one tile, each failing at every allocation, and the bytes in the end.
static void fail_stages(Scene *scene, bool small_blocks, int64_t failures[CR_STAGE_COUNT]) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrBuilder *builder;
  CrTileBuild *build;
  CrBytes bytes, expected;
  REQUIRE_OK(cr_builder_create(&scene->input, &scene->settings, NULL, &allocator, &builder, NULL));
  memory.total_allocations = 0;
  memory.fail_at = 1;
  build = (CrTileBuild *)(uintptr_t)untouched;
  CHECK_STATUS(cr_tile_build_create(builder, 0, 0, &build, NULL), CR_STATUS_OUT_OF_MEMORY);
  CHECK((const void *)build == untouched);
  memory.fail_at = 0;
  REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &build, NULL));
  if (small_blocks) build->arena.largest_block = 0;
  for (int s = 0; s < CR_STAGE_COUNT; s++) failures[s] += fail_stage(build, &memory, (CrBuildStage)s);
  REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
  REQUIRE_OK(cr_build_tile(&scene->input, &scene->settings, 0, 0, NULL, &expected, NULL, NULL));
  CHECK(kit_same_bytes(&bytes, &expected));
  cr_bytes_free(&bytes);
  cr_bytes_free(&expected);
  cr_tile_build_destroy(build);
  cr_builder_destroy(builder);
  CHECK_INT(memory.live_blocks, 0);
}

static void print_failures(const int64_t failures[CR_STAGE_COUNT]) {
  printf("  failures by stage:");
  for (int s = 0; s < CR_STAGE_COUNT; s++) printf(" %lld", (long long)failures[s]);
  printf("\n");
}

TEST(each_stage_can_be_run_again) {
  int64_t failures[CR_STAGE_COUNT] = {0};
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Scene scene;
    make_scene(&scene, i, (int)(i + 1) % 3, i % 2 ? 0 : 100);
    fail_stages(&scene, false, failures);
    level_free(&scene.level);
  }
  print_failures(failures);
}

// Every piece of memory a stage takes is an allocation of its own, on a small tile.
TEST(each_piece_of_memory_may_be_missing) {
  int64_t failures[CR_STAGE_COUNT] = {0};
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Scene scene;
    make_scene(&scene, i, (int)(i + 2) % 3, 32);
    fail_stages(&scene, true, failures);
    level_free(&scene.level);
  }
  print_failures(failures);
  for (int s = 0; s < CR_STAGE_COUNT; s++) {
    bool plain = (s > CR_STAGE_RASTERIZE && s < CR_STAGE_COMPACT) || s == CR_STAGE_VOLUMES || s == CR_STAGE_OBSTACLES;
    CHECK((failures[s] == 0) == plain);  // those take none
  }
}

// A builder or a tile build may be given up after any stage.
TEST(giving_up_leaks_nothing) {
  Scene scene;
  make_scene(&scene, 5, 0, 64);
  for (int last = -1; last < CR_STAGE_COUNT; last++) {
    TestMemory memory = {0};
    CrAllocator allocator = test_allocator(&memory);
    CrBuilder *builder;
    CrTileBuild *build;
    REQUIRE_OK(cr_builder_create(&scene.input, &scene.settings, NULL, &allocator, &builder, NULL));
    REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &build, NULL));
    if (last >= 0) CHECK_OK(cr_tile_build_run_to(build, (CrBuildStage)last, NULL));
    cr_tile_build_destroy(build);
    cr_builder_destroy(builder);
    CHECK_INT(memory.live_blocks, 0);
  }
  cr_tile_build_destroy(NULL);
  cr_builder_destroy(NULL);
  level_free(&scene.level);
}

TEST_MAIN(RUN(whole_calls), RUN(each_stage_can_be_run_again), RUN(each_piece_of_memory_may_be_missing),
          RUN(giving_up_leaks_nothing))
