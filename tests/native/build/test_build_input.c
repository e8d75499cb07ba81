// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build input files: the staged build of a file is the build of its input, and no damage does more than a status.
#include "check.h"
#include "crowdreel/crowdreel.h"
#include "levels.h"

static CrBytes write_level(uint32_t index, CrPartition partition) {
  Level level = level_make(index);
  CrBuildInput input = level_input(&level);
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = partition;
  settings.tile_cells = 40;  // is not in the file
  CrBytes bytes;
  REQUIRE_OK(cr_build_input_write(&input, &settings, NULL, &bytes, NULL));
  level_free(&level);
  return bytes;
}

TEST(staged_build_of_a_file) {
  for (uint32_t i = 0; i < level_count(); i++) {
    check_seed = i;
    Level level = level_make(i);
    CrBuildInput input = level_input(&level);
    input.areas = NULL;  // a file has none
    CrBuildSettings settings = cr_build_settings_default();
    settings.partition = (CrPartition)(i % 3);
    CrBytes file_bytes = write_level(i, settings.partition), staged = {0}, whole = {0};
    CrBuildInputFile file;
    REQUIRE_OK(cr_build_input_read(file_bytes.data, file_bytes.size, NULL, &file, NULL));
    CHECK(file.settings.partition == settings.partition && file.settings.tile_cells == 0);
    CHECK(file.input.vertex_count == level.vertex_count && file.input.triangle_count == level.triangle_count);
    CrBuilder *builder;
    CrTileBuild *build;
    REQUIRE_OK(cr_builder_create(&file.input, &file.settings, NULL, NULL, &builder, NULL));
    REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &build, NULL));
    REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_ENCODE, NULL));
    REQUIRE_OK(cr_tile_build_take_bytes(build, &staged, NULL));
    CrNavMesh *mesh;
    REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
    if (cr_navmesh_tile_count(mesh)) REQUIRE_OK(cr_navmesh_tile_bytes(mesh, 0, NULL, &whole, NULL));
    CHECK(staged.size == whole.size && (!whole.size || memcmp(staged.data, whole.data, whole.size) == 0));
    cr_navmesh_destroy(mesh);
    cr_tile_build_destroy(build);
    cr_builder_destroy(builder);
    cr_build_input_free(&file);
    cr_bytes_free(&file_bytes);
    cr_bytes_free(&staged);
    cr_bytes_free(&whole);
    level_free(&level);
  }
}

// Reads damaged bytes: refused with a field and an offset within them, or read into something that can be written and built.
static bool try_damaged(const uint8_t *data, size_t size) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrBuildInputFile file = {.input.vertex_count = 77};
  CrError error = {0};
  CrStatus status = cr_build_input_read(data, size, &allocator, &file, &error);
  if (status == CR_STATUS_OK) {
    CrBytes again;
    CHECK_OK(cr_build_input_write(&file.input, &file.settings, NULL, &again, NULL));
    CHECK(again.size == size && memcmp(again.data, data, size) == 0);
    cr_bytes_free(&again);
    cr_build_input_free(&file);
  } else {
    CHECK(file.input.vertex_count == 77 && error.field != NULL);
    if (error.format == CR_FORMAT_BUILD_INPUT) CHECK(error.offset <= size);
  }
  CHECK_INT(memory.live_blocks, 0);
  return status == CR_STATUS_OK;
}

static CrBytes small_file(void) {
  const double vertices[] = {0, 0, 0, 9, 0, 0, 9, 1, 9, 0, 0, 9, 4, 3, 4};
  const uint32_t triangles[] = {0, 2, 1, 0, 3, 2, 0, 4, 1, 3, 2, 4};
  CrBuildInput input = {.vertices = vertices, .vertex_count = 5, .triangles = triangles, .triangle_count = 4};
  CrBuildSettings settings = cr_build_settings_default();
  settings.partition = CR_PARTITION_LAYERS;
  CrBytes bytes;
  REQUIRE_OK(cr_build_input_write(&input, &settings, NULL, &bytes, NULL));
  return bytes;
}

TEST(every_prefix_and_a_byte_more) {
  CrBytes bytes = small_file();
  uint8_t *copy = malloc(bytes.size + 1);
  REQUIRE(copy);
  for (size_t size = 0; size < bytes.size; size++) {
    memcpy(copy, bytes.data, size);
    uint8_t *exact = malloc(size ? size : 1);  // so that a sanitizer sees a read beyond the end
    REQUIRE(exact);
    memcpy(exact, bytes.data, size);
    CHECK(!try_damaged(exact, size));
    free(exact);
  }
  memcpy(copy, bytes.data, bytes.size);
  copy[bytes.size] = 0;
  CHECK(try_damaged(copy, bytes.size));
  CHECK(!try_damaged(copy, bytes.size + 1));
  free(copy);
  cr_bytes_free(&bytes);
}

TEST(flipped_bits_and_extreme_words) {
  CrBytes bytes = small_file();
  int read = 0, tried = 0;
  for (size_t at = 0; at < bytes.size; at++) {
    for (int bit = 0; bit < 8; bit++, tried++) {
      bytes.data[at] ^= (uint8_t)(1 << bit);
      read += try_damaged(bytes.data, bytes.size);
      bytes.data[at] ^= (uint8_t)(1 << bit);
    }
    static const uint32_t words[] = {0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0, 1, 4000000, 8000001};
    for (size_t w = 0; w < 7 && at + 4 <= bytes.size; w++, tried++) {
      uint8_t saved[4];
      memcpy(saved, bytes.data + at, 4);
      memcpy(bytes.data + at, &words[w], 4);
      read += try_damaged(bytes.data, bytes.size);
      memcpy(bytes.data + at, saved, 4);
    }
  }
  CHECK(read > 0 && read < tried);
  printf("  %d damaged files, %d still of meaning\n", tried, read);
  cr_bytes_free(&bytes);
}

TEST(random_damage) {
  uint64_t seed = 4;
  int read = 0, count = (int)check_scaled(3000);
  CrBytes bytes = small_file();
  uint8_t *copy = malloc(bytes.size);
  REQUIRE(copy);
  for (int i = 0; i < count; i++) {
    check_seed = seed;
    memcpy(copy, bytes.data, bytes.size);
    for (int k = 1 + rnd_int(&seed, 4); k > 0; k--) {
      int32_t at = rnd_int(&seed, (int32_t)bytes.size);
      copy[at] = (uint8_t)rnd_u64(&seed);
    }
    read += try_damaged(copy, bytes.size);
  }
  printf("  %d files, %d still of meaning\n", count, read);
  free(copy);
  cr_bytes_free(&bytes);
}

TEST_MAIN(RUN(staged_build_of_a_file), RUN(every_prefix_and_a_byte_more), RUN(flipped_bits_and_extreme_words),
          RUN(random_damage))
