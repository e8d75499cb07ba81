// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Runs scene files and prints, as one JSON object per scene, the hashes of the mesh snapshot, the replay file and the state
// after every step. scripts/golden.mjs collects these into tests/golden/hashes.json and compares every platform with it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static void print_bytes_hash(const char *name, const CrBytes *bytes) {
  printf("\"%s\":\"%016" PRIx64 "\",", name, cr_hash_bytes(bytes->data, bytes->size));
}

static bool save_file(const char *path, const CrBytes *bytes) {
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
  if (file && fclose(file) != 0) ok = false;
  if (!ok) fprintf(stderr, "%s: cannot be written\n", path);
  return ok;
}

static bool print_mesh(const SceneRunner *runner) {
  CrBytes bytes = {0};
  if (cr_navmesh_save(runner->mesh, NULL, &bytes, NULL) != CR_STATUS_OK) return false;
  print_bytes_hash("mesh", &bytes);
  cr_bytes_free(&bytes);
  return true;
}

static bool print_replay(const SceneRunner *runner, const char *save_path) {
  CrBytes bytes = {0};
  if (cr_recorder_save(runner->recorder, NULL, &bytes, NULL) != CR_STATUS_OK) return false;
  print_bytes_hash("replay", &bytes);
  bool ok = !save_path || save_file(save_path, &bytes);
  cr_bytes_free(&bytes);
  return ok;
}

static bool run_steps(SceneRunner *runner, uint64_t *hashes) {
  for (int32_t step = 0; step < runner->scene->steps; step++) {
    if (!runner_step(runner)) return false;
    hashes[step] = cr_recorder_last_hash(runner->recorder);
  }
  return true;
}

static void print_steps(const uint64_t *hashes, int32_t count) {
  printf("\"steps\":[");
  for (int32_t i = 0; i < count; i++) printf("%s\"%016" PRIx64 "\"", i ? "," : "", hashes[i]);
  printf("]}\n");
}

static bool run_scene(const char *path, const char *save_path) {
  Scene scene;
  SceneRunner runner;
  memset(&runner, 0, sizeof runner);
  bool ok = scene_load(path, &scene) && runner_start(&runner, &scene);
  uint64_t *hashes = calloc((size_t)scene.steps + 1, sizeof *hashes);
  if (ok && hashes && run_steps(&runner, hashes)) {
    printf("{\"scene\":\"%s\",", scene.name);
    ok = print_mesh(&runner) && print_replay(&runner, save_path);
    print_steps(hashes, scene.steps);
  } else {
    ok = false;
  }
  free(hashes);
  runner_free(&runner);
  scene_free(&scene);
  return ok;
}

int main(int argc, char **argv) {
  const char *save_path = NULL;
  int first = 1;
  if (argc > 2 && strcmp(argv[1], "-o") == 0) {
    save_path = argv[2];
    first = 3;
  }
  if (first >= argc) {
    fprintf(stderr, "usage: crowdreel_run_scenario [-o run.oprp] SCENE...\n");
    return 2;
  }
  for (int i = first; i < argc; i++) {
    if (!run_scene(argv[i], save_path)) return 1;
  }
  return 0;
}
