// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Scene files (docs/formats/scene.md) for tests and tools: parsing, and the host that runs one. The same host in TypeScript
// is tests/scenes/scene.ts; both make the same calls in the same order.
#ifndef CR_TOOL_SCENE_H
#define CR_TOOL_SCENE_H

#include <stdio.h>

#include "crowdreel/crowdreel.h"

typedef struct SceneAgent {
  int32_t group;
  CrVec3 position;
  CrAgentOptions options;
  CrVec3 *goals;
  int32_t goal_count;
  bool cycle;
} SceneAgent;

typedef enum SceneEventKind { SCENE_ADD, SCENE_REMOVE, SCENE_STOP, SCENE_SEND, SCENE_TELEPORT } SceneEventKind;

typedef struct SceneEvent {
  SceneEventKind kind;
  int32_t step;
  int32_t agent;  // ADD: index into `agents`; else the index of the agent in the order of adding
  CrVec3 position;
} SceneEvent;

typedef struct Scene {
  char name[64], title[96];
  double dt;
  int32_t steps;
  CrBuildSettings settings;
  double *vertices;
  uint32_t vertex_count;
  uint32_t *triangles;
  uint32_t triangle_count;
  SceneAgent *agents;  // the first `initial_count` start; the others are added by events
  int32_t agent_count, initial_count;
  SceneEvent *events;  // sorted by step, file order within a step
  int32_t event_count;
} Scene;

// Parses a file. On failure prints what and where to stderr and returns false; call scene_free anyway.
bool scene_load(const char *path, Scene *out);
// The same from an open file; `path` is what messages call it, null for none.
bool scene_read(FILE *file, const char *path, Scene *out);
void scene_free(Scene *scene);

typedef struct SceneWalker {
  int32_t agent;  // index into scene->agents
  int64_t id;
  bool present;
  int32_t goal;  // -1: follows no goals (any more)
} SceneWalker;

typedef struct SceneRunner {
  const Scene *scene;
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrRecorder *recorder;
  SceneWalker *walkers;
  int32_t walker_count;
  int32_t next_event;
} SceneRunner;

// Builds the mesh and adds the first agents. On failure prints what happened and returns false; call runner_free anyway.
bool runner_start(SceneRunner *runner, const Scene *scene);
// One recorded step: goals, events, step.
bool runner_step(SceneRunner *runner);
void runner_free(SceneRunner *runner);

#endif
