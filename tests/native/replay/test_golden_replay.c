// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Golden replays in tests/data, one per format version, kept for ever: each still reads, plays exactly, is written back and is
// recorded again as the same bytes. native/tools/tool_golden_replay.c made them. The worked example in the documentation is checked
// against the file byte by byte.
#include "replays.h"

static CrBytes load(const char *path) {
  static uint8_t data[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file) printf("%s cannot be opened\n", path);
  REQUIRE(file);
  size_t size = fread(data, 1, sizeof data, file);
  REQUIRE(size > 0 && size < sizeof data);
  fclose(file);
  return (CrBytes){.data = data, .size = size};
}

static void check_golden(const char *path, uint64_t content_hash) {
  CrBytes file = load(path), written = {0};
  CHECK(cr_hash_bytes(file.data, file.size) == content_hash);
  CrReplay *replay = open_replay(&file);
  CHECK_OK(cr_replay_write(replay, NULL, &written, NULL));
  CHECK(same_bytes(&file, &written));
  int32_t mismatch = 0;
  CHECK_OK(cr_replay_find_mismatch(replay, NULL, &mismatch, NULL));
  CHECK_INT(mismatch, -1);
  CrBytes again = record_again(replay);
  CHECK(same_bytes(&file, &again));
  cr_replay_destroy(replay);
  cr_bytes_free(&written);
  cr_bytes_free(&again);
}

#define GOLDEN_1 CR_SOURCE_DIR "/tests/data/replay-v1-small.oprp"

TEST(version_1) { check_golden(GOLDEN_1, UINT64_C(0xab64e40a894fc0ee)); }

// Lines "offset  bytes  meaning" in hexadecimal. Returns the number of bytes compared.
static int32_t check_dump_line(const char *line, const CrBytes *file) {
  char *at;
  size_t offset = strtoul(line, &at, 16);
  if (at != line + 4 || strncmp(at, "  ", 2) != 0) return 0;
  int32_t count = 0;
  for (at += 2; count < 16; count++) {
    char *end;
    unsigned long byte = strtoul(at, &end, 16);
    if (end != at + 2) break;
    CHECK(offset + (size_t)count < file->size && file->data[offset + (size_t)count] == byte);
    at = end + 1;
    if (end[0] != ' ' || end[1] == ' ') return count + 1;
  }
  return count;
}

TEST(the_documented_example_is_the_file) {
  CrBytes file = load(GOLDEN_1);
  FILE *page = fopen(CR_SOURCE_DIR "/docs/formats/replay.md", "r");
  REQUIRE(page);
  char line[512];
  int32_t bytes = 0;
  while (fgets(line, sizeof line, page)) bytes += check_dump_line(line, &file);
  fclose(page);
  printf("%d bytes of the example compared\n", bytes);
  CHECK(bytes > 200);
}

TEST_MAIN(RUN(version_1), RUN(the_documented_example_is_the_file))
