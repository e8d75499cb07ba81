// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Scene texts, as the tools parse them. What must hold: any text is parsed or refused, and what was made is freed; the geometry
// names its own vertices, and events name agents there are.
#define _POSIX_C_SOURCE 200809L
#include "scene.h"

#include <stdio.h>

#include "fuzzkit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
  FUZZ_REQUIRE(file);
  Scene scene;
  bool ok = scene_read(file, NULL, &scene);
  fclose(file);
  for (size_t i = 0; ok && i < 3 * (size_t)scene.triangle_count; i++) {
    FUZZ_REQUIRE(scene.triangles[i] < scene.vertex_count);
  }
  for (int32_t i = 0; ok && i < scene.event_count; i++) {
    FUZZ_REQUIRE(scene.events[i].agent >= 0 && scene.events[i].agent < scene.agent_count);
    FUZZ_REQUIRE(i == 0 || scene.events[i - 1].step <= scene.events[i].step);
  }
  scene_free(&scene);
  return 0;
}
