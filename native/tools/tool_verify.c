// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Plays replay files and tells whether every step's hash is the recorded one.
// Exit code: 0 every file is exact, 2 some file differs, 1 some file cannot be read or played (whatever the others
// are).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crowdreel/crowdreel.h"

enum { EXACT = 0, UNREADABLE = 1, DIFFERS = 2 };

static void print_error(const char *path, const CrError *error) {
  fprintf(stderr, "%s: %s %s", path, error->field ? error->field : "replay", cr_status_text(error->status));
  if (error->offset != CR_NO_OFFSET) fprintf(stderr, " (byte offset %" PRIu64 ")", error->offset);
  if (error->index != CR_NO_INDEX)
    fprintf(stderr, " (%s %" PRId64 ")", error->status == CR_STATUS_NO_SUCH_AGENT ? "agent" : "index", error->index);
  fputc('\n', stderr);
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// --- Reading --------------------------------------------------------------------------------------------------------

// The bytes of a file, to be freed by the caller; null after printing what went wrong.
static uint8_t *load(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
  bool ok = data && fseek(file, 0, SEEK_SET) == 0 && fread(data, 1, (size_t)size, file) == (size_t)size;
  if (file) fclose(file);
  if (ok) {
    *out_size = (size_t)size;
    return data;
  }
  free(data);
  fprintf(stderr, "%s: cannot be read\n", path);
  return NULL;
}

static CrReplay *open_replay(const char *path) {
  size_t size;
  uint8_t *data = load(path, &size);
  if (!data) return NULL;
  CrReplay *replay = NULL;
  CrError error = {0};
  if (cr_replay_read(data, size, NULL, &replay, &error) != CR_STATUS_OK) print_error(path, &error);
  free(data);
  return replay;
}

// --- Playing --------------------------------------------------------------------------------------------------------

static CrStatus play(CrPlayer *player, int32_t count, bool print_hashes, CrError *error) {
  for (int32_t i = 0; i < count; i++) {
    CrStatus status = cr_player_step(player, error);
    if (status != CR_STATUS_OK) return status;
    if (print_hashes) printf("%" PRId32 " %016" PRIx64 "\n", i, cr_crowd_state_hash(cr_player_crowd(player)));
  }
  return CR_STATUS_OK;
}

static int report(const char *path, const CrPlayer *player, CrStatus status, const CrError *error, double elapsed) {
  int32_t steps = cr_player_position(player), mismatch = cr_player_first_mismatch(player);
  if (mismatch >= 0) {
    printf("%s: differs from step %" PRId32, path, mismatch);
  } else if (status == CR_STATUS_OK) {
    printf("%s: exact", path);
  } else {
    printf("%s: stopped", path);
  }
  printf(", %" PRId32 " steps, %.0f steps/s\n", steps, elapsed > 0.0 ? steps / elapsed : 0.0);
  if (status != CR_STATUS_OK) print_error(path, error);
  return mismatch >= 0 ? DIFFERS : (status == CR_STATUS_OK ? EXACT : UNREADABLE);
}

static int verify(const char *path, bool print_hashes) {
  CrReplay *replay = open_replay(path);
  if (!replay) return UNREADABLE;
  CrPlayerOptions options = cr_player_options_default();
  options.keyframe_budget = 0;  // nothing seeks here
  CrPlayer *player = NULL;
  CrError error = {0};
  CrStatus status = cr_player_create(replay, &options, NULL, &player, &error);
  int result = UNREADABLE;
  if (status == CR_STATUS_OK) {
    double start = seconds();
    status = play(player, cr_replay_info(replay).step_count, print_hashes, &error);
    result = report(path, player, status, &error, seconds() - start);
  } else {
    print_error(path, &error);
  }
  cr_player_destroy(player);
  cr_replay_destroy(replay);
  return result;
}

int main(int argc, char **argv) {
  bool print_hashes = argc > 1 && strcmp(argv[1], "--hashes") == 0;
  int first = print_hashes ? 2 : 1;
  if (first >= argc) {
    fprintf(stderr, "usage: crowdreel_verify [--hashes] FILE...\n");
    return UNREADABLE;
  }
  bool differs = false, unreadable = false;
  for (int i = first; i < argc; i++) {
    int result = verify(argv[i], print_hashes);
    differs |= result == DIFFERS;
    unreadable |= result == UNREADABLE;
  }
  return unreadable ? UNREADABLE : (differs ? DIFFERS : EXACT);
}
