// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Runs a scene through a recorder. Order of calls: agents in index order (add, then send to the first goal); each step first
// sends on who has arrived, in index order, then applies the step's events in file order, then steps.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static bool report(const SceneRunner *runner, const char *what, CrStatus status, const CrError *error) {
  if (status == CR_STATUS_OK) return true;
  fprintf(stderr, "scene %s: %s: %s %s\n", runner->scene->name, what, error->field ? error->field : "it",
          cr_status_text(status));
  return false;
}

static bool send(SceneRunner *runner, int64_t id, CrVec3 position) {
  CrError error = {0};
  return report(runner, "send", cr_recorder_set_destination(runner->recorder, id, position, &error), &error);
}

static bool add(SceneRunner *runner, int32_t index) {
  const SceneAgent *agent = &runner->scene->agents[index];
  SceneWalker walker = {.agent = index, .present = true, .goal = agent->goal_count > 0 ? 0 : -1};
  CrError error = {0};
  CrStatus status = cr_recorder_add(runner->recorder, agent->position, &agent->options, &walker.id, &error);
  if (!report(runner, "add", status, &error)) return false;
  runner->walkers[runner->walker_count++] = walker;
  return walker.goal < 0 || send(runner, walker.id, agent->goals[0]);
}

bool runner_start(SceneRunner *runner, const Scene *scene) {
  memset(runner, 0, sizeof *runner);
  runner->scene = scene;
  runner->walkers = calloc((size_t)scene->agent_count + 1, sizeof *runner->walkers);
  CrError error = {0};
  CrBuildInput input = {.vertices = scene->vertices,
                        .vertex_count = scene->vertex_count,
                        .triangles = scene->triangles,
                        .triangle_count = scene->triangle_count};
  CrStatus status = cr_build_navmesh(&input, &scene->settings, NULL, NULL, &runner->mesh, NULL, &error);
  if (!report(runner, "build", status, &error)) return false;
  CrCrowdOptions options = cr_crowd_options_default();
  status = cr_crowd_create(runner->mesh, &options, NULL, &runner->crowd, &error);
  if (!report(runner, "crowd", status, &error)) return false;
  status = cr_recorder_create(runner->crowd, scene->dt, NULL, &runner->recorder, &error);
  if (!report(runner, "recorder", status, &error)) return false;
  for (int32_t i = 0; i < scene->initial_count; i++) {
    if (!add(runner, i)) return false;
  }
  return true;
}

static bool send_on(SceneRunner *runner, SceneWalker *walker) {
  const SceneAgent *agent = &runner->scene->agents[walker->agent];
  CrAgentInfo info;
  if (cr_crowd_agent(runner->crowd, walker->id, &info) != CR_STATUS_OK) return false;
  if (info.follower.state == CR_FOLLOWER_ARRIVED || info.follower.state == CR_FOLLOWER_NO_PATH) {
    walker->goal = walker->goal + 1 < agent->goal_count ? walker->goal + 1 : (agent->cycle ? 0 : -1);
  } else if (info.follower.state != CR_FOLLOWER_IDLE) {
    return true;
  }
  return walker->goal < 0 || send(runner, walker->id, agent->goals[walker->goal]);
}

static bool apply(SceneRunner *runner, const SceneEvent *event) {
  if (event->kind == SCENE_ADD) return add(runner, event->agent);
  SceneWalker *walker = event->agent < runner->walker_count ? &runner->walkers[event->agent] : NULL;
  if (!walker || !walker->present) {
    fprintf(stderr, "scene %s: event at step %d: agent %d is not there\n", runner->scene->name, event->step,
            event->agent);
    return false;
  }
  CrError error = {0};
  switch (event->kind) {
    case SCENE_REMOVE:
      walker->present = false;
      return report(runner, "remove", cr_recorder_remove(runner->recorder, walker->id, &error), &error);
    case SCENE_STOP:
      walker->goal = -1;
      return report(runner, "stop", cr_recorder_stop(runner->recorder, walker->id, &error), &error);
    case SCENE_SEND:
      walker->goal = -1;
      return send(runner, walker->id, event->position);
    default:
      return report(runner, "teleport", cr_recorder_teleport(runner->recorder, walker->id, event->position, &error),
                    &error);
  }
}

bool runner_step(SceneRunner *runner) {
  for (int32_t i = 0; i < runner->walker_count; i++) {
    SceneWalker *walker = &runner->walkers[i];
    if (walker->present && walker->goal >= 0 && !send_on(runner, walker)) return false;
  }
  int32_t step = cr_recorder_step_count(runner->recorder);
  while (runner->next_event < runner->scene->event_count && runner->scene->events[runner->next_event].step <= step) {
    if (!apply(runner, &runner->scene->events[runner->next_event++])) return false;
  }
  CrError error = {0};
  return report(runner, "step", cr_recorder_step(runner->recorder, &error), &error);
}

void runner_free(SceneRunner *runner) {
  cr_recorder_destroy(runner->recorder);
  cr_crowd_destroy(runner->crowd);
  cr_navmesh_destroy(runner->mesh);
  free(runner->walkers);
  memset(runner, 0, sizeof *runner);
}
