// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every scene of tests/scenes: its crowd saved at one step in twenty and restored, into a fresh crowd and into one that has gone
// on, goes on the same; and its recording, sought up and down, plays the steps that were recorded.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>

#include "check.h"
#include "scene.h"

enum { SAVE_EVERY = 20, AHEAD = 12 };

typedef struct Bytes {
  uint8_t *data;
  size_t size;
} Bytes;

static Bytes take_state(const CrCrowd *crowd) {
  Bytes bytes = {NULL, cr_crowd_state_size(crowd)};
  bytes.data = malloc(bytes.size);
  REQUIRE(bytes.data);
  REQUIRE_OK(cr_crowd_save_state(crowd, bytes.data, bytes.size, NULL, NULL));
  return bytes;
}

static CrCrowd *another_crowd(const CrCrowd *like) {
  CrCrowdOptions options = cr_crowd_options(like);
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(cr_crowd_mesh(like), &options, NULL, &crowd, NULL));
  return crowd;
}

static void run_ahead(CrCrowd *crowd, const Bytes *state, double dt, uint64_t hashes[AHEAD]) {
  REQUIRE_OK(cr_crowd_restore_state(crowd, state->data, state->size, NULL));
  CHECK(cr_crowd_state_hash(crowd) == cr_hash_bytes(state->data, state->size));
  for (int k = 0; k < AHEAD; k++) {
    REQUIRE_OK(cr_crowd_step(crowd, dt, NULL));
    hashes[k] = cr_crowd_state_hash(crowd);
  }
}

// `used` has gone its own way since it was last restored.
static void check_goes_on_alike(const CrCrowd *crowd, CrCrowd *used, double dt) {
  uint64_t one[AHEAD], other[AHEAD];
  Bytes state = take_state(crowd);
  CrCrowd *fresh = another_crowd(crowd);
  run_ahead(fresh, &state, dt, one);
  run_ahead(used, &state, dt, other);
  CHECK(memcmp(one, other, sizeof one) == 0);
  run_ahead(used, &state, dt, other);
  CHECK(memcmp(one, other, sizeof one) == 0);
  cr_crowd_destroy(fresh);
  free(state.data);
}

// Keyframes are states: to go back is to restore one. A step that differs from the one recorded is a mismatch.
static void check_player(const CrRecorder *recorder, uint64_t seed) {
  CrReplay *replay;
  CrPlayer *player;
  CrBytes bytes = {0};
  REQUIRE_OK(cr_recorder_save(recorder, NULL, &bytes, NULL));
  REQUIRE_OK(cr_replay_read(bytes.data, bytes.size, NULL, &replay, NULL));
  REQUIRE_OK(cr_player_create(replay, NULL, NULL, &player, NULL));
  int32_t steps = cr_recorder_step_count(recorder);
  REQUIRE_OK(cr_player_seek(player, steps, NULL));
  for (int k = 0; k < 12; k++) {
    int32_t position = rnd_int(&seed, steps - AHEAD);
    REQUIRE_OK(cr_player_seek(player, position, NULL));
    for (int step = 0; step < AHEAD; step++) REQUIRE_OK(cr_player_step(player, NULL));
    CHECK_INT(cr_player_position(player), position + AHEAD);
  }
  CHECK_INT(cr_player_first_mismatch(player), -1);
  cr_player_destroy(player);
  cr_replay_destroy(replay);
  cr_bytes_free(&bytes);
}

static void check_scene(const char *path) {
  Scene scene;
  SceneRunner runner;
  REQUIRE(scene_load(path, &scene) && runner_start(&runner, &scene));
  CrCrowd *used = another_crowd(runner.crowd);
  int32_t saves = 0;
  for (int32_t step = 0; step < scene.steps; step++) {
    REQUIRE(runner_step(&runner));
    if (step % SAVE_EVERY) continue;
    check_goes_on_alike(runner.crowd, used, scene.dt);
    saves++;
  }
  check_player(runner.recorder, 1);
  printf("  %-10s %d agents, %d steps, saved %d times\n", scene.name, cr_crowd_agent_count(runner.crowd), scene.steps,
         saves);
  CHECK(saves >= 10);
  cr_crowd_destroy(used);
  runner_free(&runner);
  scene_free(&scene);
}

TEST(a_crowd_of_any_scene_goes_on_as_the_one_saved) {
  DIR *folder = opendir(CR_SOURCE_DIR "/tests/scenes");
  REQUIRE(folder);
  int scenes = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 6, ".scene") != 0) continue;
    char path[512];
    snprintf(path, sizeof path, CR_SOURCE_DIR "/tests/scenes/%s", entry->d_name);
    check_scene(path);
    scenes++;
  }
  closedir(folder);
  CHECK(scenes >= 5);
}

TEST_MAIN(RUN(a_crowd_of_any_scene_goes_on_as_the_one_saved))
