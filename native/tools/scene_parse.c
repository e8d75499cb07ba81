// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Scene file parser. Geometry is expanded to the same vertices and triangles, in the same order, as tests/scenes/scene.ts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { MAX_WORDS = 24 };

typedef struct Parser {
  Scene *scene;
  const char *path;
  int line;
  bool failed;
  int32_t last_agent;
  char *words[MAX_WORDS];
  int count;
} Parser;

static void fail(Parser *parser, const char *what) {
  if (!parser->failed && parser->path) fprintf(stderr, "%s:%d: %s\n", parser->path, parser->line, what);
  parser->failed = true;
}

// Tools stop when memory is out: there is nothing they could do.
static void *grow(void *memory, size_t count, size_t size) {
  if (count & (count - 1)) return memory;
  void *grown = realloc(memory, (count ? count * 2 : 1) * size);
  if (!grown) abort();
  return grown;
}

static double number(Parser *parser, int word) {
  if (word >= parser->count) {
    fail(parser, "a number is missing");
    return 0;
  }
  char *end;
  double value = strtod(parser->words[word], &end);
  if (*end || end == parser->words[word]) fail(parser, "not a number");
  return value;
}

// A count or an index.
static int32_t whole(Parser *parser, int word) {
  double value = number(parser, word);
  if (value >= 0.0 && value <= 1e9 && value == (int32_t)value) return (int32_t)value;
  fail(parser, "not a whole number");
  return 0;
}

static CrVec3 point(Parser *parser, int word) {
  return (CrVec3){number(parser, word), number(parser, word + 1), number(parser, word + 2)};
}

static uint32_t push_vertex(Scene *scene, CrVec3 p) {
  scene->vertices = grow(scene->vertices, scene->vertex_count, 3 * sizeof(double));
  memcpy(scene->vertices + 3 * (size_t)scene->vertex_count, &p, sizeof p);
  return scene->vertex_count++;
}

static void push_triangle(Scene *scene, uint32_t a, uint32_t b, uint32_t c) {
  scene->triangles = grow(scene->triangles, scene->triangle_count, 3 * sizeof(uint32_t));
  uint32_t corners[3] = {a, b, c};
  memcpy(scene->triangles + 3 * (size_t)scene->triangle_count++, corners, sizeof corners);
}

static void push_quad(Scene *scene, CrVec3 a, CrVec3 b, CrVec3 c, CrVec3 d) {
  uint32_t first = push_vertex(scene, a);
  push_vertex(scene, b);
  push_vertex(scene, c);
  push_vertex(scene, d);
  push_triangle(scene, first, first + 1, first + 2);
  push_triangle(scene, first, first + 2, first + 3);
}

static void push_ground(Scene *scene, double x0, double z0, double x1, double z1, double y) {
  push_quad(scene, (CrVec3){x0, y, z0}, (CrVec3){x0, y, z1}, (CrVec3){x1, y, z1}, (CrVec3){x1, y, z0});
}

#define SLAB_HEIGHT 1.2  // above any step, below any headroom

static void push_ceiling(Scene *scene, CrVec3 p, CrVec3 q, double y) {
  push_quad(scene, (CrVec3){p.x, y, p.z}, (CrVec3){q.x, y, p.z}, (CrVec3){q.x, y, q.z}, (CrVec3){p.x, y, q.z});
}

// A tall wall has a slab inside: boxes are hollow to the builder, and ground inside one would become an island.
static void push_box(Scene *scene, CrVec3 p, CrVec3 q, bool walkable_top) {
  CrVec3 v000 = {p.x, p.y, p.z}, v100 = {q.x, p.y, p.z}, v010 = {p.x, q.y, p.z}, v110 = {q.x, q.y, p.z};
  CrVec3 v001 = {p.x, p.y, q.z}, v101 = {q.x, p.y, q.z}, v011 = {p.x, q.y, q.z}, v111 = {q.x, q.y, q.z};
  if (walkable_top) {
    push_ground(scene, p.x, p.z, q.x, q.z, q.y);
  } else {
    push_ceiling(scene, p, q, q.y);
  }
  push_quad(scene, v000, v100, v101, v001);
  push_quad(scene, v000, v010, v110, v100);
  push_quad(scene, v001, v101, v111, v011);
  push_quad(scene, v000, v001, v011, v010);
  push_quad(scene, v100, v110, v111, v101);
  if (!walkable_top && q.y - p.y > SLAB_HEIGHT) push_ceiling(scene, p, q, p.y + SLAB_HEIGHT);
}

static void parse_setting(Parser *parser) {
  CrBuildSettings *settings = &parser->scene->settings;
  const struct {
    const char *name;
    double *value;
  } reals[] = {{"agentRadius", &settings->agent_radius},     {"agentHeight", &settings->agent_height},
               {"walkableClimb", &settings->walkable_climb}, {"maxSlope", &settings->max_slope},
               {"cellSize", &settings->cell_size},           {"cellHeight", &settings->cell_height}};
  double value = number(parser, 2);
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
    if (strcmp(parser->words[1], reals[i].name) == 0) {
      *reals[i].value = value;
      return;
    }
  }
  if (strcmp(parser->words[1], "tileCells") == 0) {
    settings->tile_cells = whole(parser, 2);
  } else {
    fail(parser, "unknown setting");
  }
}

static void parse_option(Parser *parser) {
  if (parser->last_agent < 0) {
    fail(parser, "no agent before this line");
    return;
  }
  CrAgentOptions *options = &parser->scene->agents[parser->last_agent].options;
  const struct {
    const char *name;
    double *value;
  } reals[] = {{"radius", &options->radius},
               {"maxSpeed", &options->max_speed},
               {"maxAcceleration", &options->max_acceleration},
               {"arrivalRadius", &options->arrival_radius},
               {"priority", &options->priority}};
  for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
    if (parser->count > 1 && strcmp(parser->words[1], reals[i].name) == 0) {
      *reals[i].value = number(parser, 2);
      return;
    }
  }
  fail(parser, "unknown option");
}

static void parse_agent(Parser *parser, int word) {
  Scene *scene = parser->scene;
  SceneAgent agent = {.group = whole(parser, word), .position = point(parser, word + 2)};
  const char *preset = word + 1 < parser->count ? parser->words[word + 1] : "";
  if (strcmp(preset, "humanoid") == 0) {
    agent.options = cr_agent_options_humanoid();
  } else if (strcmp(preset, "small") == 0) {
    agent.options = cr_agent_options_small();
  } else if (strcmp(preset, "large") == 0) {
    agent.options = cr_agent_options_large();
  } else {
    fail(parser, "unknown preset");
  }
  scene->agents = grow(scene->agents, (size_t)scene->agent_count, sizeof agent);
  parser->last_agent = scene->agent_count;
  scene->agents[scene->agent_count++] = agent;
}

static void parse_goal(Parser *parser) {
  if (parser->last_agent < 0) {
    fail(parser, "no agent before this line");
    return;
  }
  SceneAgent *agent = &parser->scene->agents[parser->last_agent];
  agent->goals = grow(agent->goals, (size_t)agent->goal_count, sizeof(CrVec3));
  agent->goals[agent->goal_count++] = point(parser, 1);
}

static void parse_event(Parser *parser) {
  static const char *const kinds[] = {"add", "remove", "stop", "send", "teleport"};
  Scene *scene = parser->scene;
  SceneEvent event = {.step = whole(parser, 1)};
  size_t kind = 0;
  while (kind < 5 && (parser->count < 3 || strcmp(parser->words[2], kinds[kind]) != 0)) kind++;
  if (kind == 5) {
    fail(parser, "unknown event");
    return;
  }
  event.kind = (SceneEventKind)kind;
  if (event.kind == SCENE_ADD) {
    parse_agent(parser, 3);
    event.agent = parser->last_agent;
  } else {
    event.agent = whole(parser, 3);
    if (event.kind == SCENE_SEND || event.kind == SCENE_TELEPORT) event.position = point(parser, 4);
  }
  scene->events = grow(scene->events, (size_t)scene->event_count, sizeof event);
  // Stable insertion by step: scenes have few events.
  int32_t at = scene->event_count++;
  while (at > 0 && scene->events[at - 1].step > event.step) {
    scene->events[at] = scene->events[at - 1];
    at--;
  }
  scene->events[at] = event;
}

static bool parse_shape(Parser *parser, const char *key) {
  Scene *scene = parser->scene;
  if (strcmp(key, "ground") == 0) {
    push_ground(scene, number(parser, 1), number(parser, 2), number(parser, 3), number(parser, 4), number(parser, 5));
  } else if (strcmp(key, "box") == 0 || strcmp(key, "wall") == 0) {
    push_box(scene, point(parser, 1), point(parser, 4), key[0] == 'b');
  } else if (strcmp(key, "quad") == 0) {
    push_quad(scene, point(parser, 1), point(parser, 4), point(parser, 7), point(parser, 10));
  } else {
    return false;
  }
  return true;
}

static void parse_statement(Parser *parser, const char *rest) {
  Scene *scene = parser->scene;
  const char *key = parser->words[0];
  if (strcmp(key, "crowdreel-scene") == 0) {
    if (strcmp(rest, "1") != 0) fail(parser, "unknown version");
  } else if (strcmp(key, "name") == 0) {
    snprintf(scene->name, sizeof scene->name, "%.*s", (int)sizeof scene->name - 1, rest);
  } else if (strcmp(key, "title") == 0) {
    snprintf(scene->title, sizeof scene->title, "%.*s", (int)sizeof scene->title - 1, rest);
  } else if (strcmp(key, "rate") == 0) {
    scene->dt = 1.0 / number(parser, 1);
  } else if (strcmp(key, "steps") == 0) {
    scene->steps = whole(parser, 1);
  } else if (strcmp(key, "setting") == 0 && parser->count == 3) {
    parse_setting(parser);
  } else if (strcmp(key, "option") == 0) {
    parse_option(parser);
  } else if (strcmp(key, "agent") == 0) {
    parse_agent(parser, 1);
  } else if (strcmp(key, "goal") == 0) {
    parse_goal(parser);
  } else if (strcmp(key, "cycle") == 0 && parser->last_agent >= 0) {
    scene->agents[parser->last_agent].cycle = true;
  } else if (strcmp(key, "at") == 0) {
    parse_event(parser);
  } else if (strcmp(key, "about") != 0 && !parse_shape(parser, key)) {
    fail(parser, "unknown line");
  }
}

static void parse_line(Parser *parser, char *line) {
  char rest[1024] = "";
  line[strcspn(line, "\r\n")] = 0;
  if (line[0] == '#') return;
  char *comment = strstr(line, " #");
  if (comment) *comment = 0;
  size_t key_end = strcspn(line, " ");
  size_t value = key_end + strspn(line + key_end, " ");
  snprintf(rest, sizeof rest, "%s", line + value);
  parser->count = 0;
  for (char *word = strtok(line, " \t"); word && parser->count < MAX_WORDS; word = strtok(NULL, " \t")) {
    parser->words[parser->count++] = word;
  }
  if (parser->count) parse_statement(parser, rest);
}

static void count_initial_agents(Scene *scene) {
  scene->initial_count = scene->agent_count;
  for (int32_t i = 0; i < scene->event_count; i++) {
    SceneEvent event = scene->events[i];
    if (event.kind == SCENE_ADD && event.agent < scene->initial_count) scene->initial_count = event.agent;
  }
}

static void check_events(Parser *parser) {
  for (int32_t i = 0; i < parser->scene->event_count; i++) {
    if (parser->scene->events[i].agent >= parser->scene->agent_count)
      fail(parser, "an event names an agent there never is");
  }
}

bool scene_read(FILE *file, const char *path, Scene *out) {
  memset(out, 0, sizeof *out);
  out->settings = cr_build_settings_default();
  out->dt = 1.0 / 60.0;
  out->steps = 600;
  Parser parser = {.scene = out, .path = path, .last_agent = -1};
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    parser.line++;
    parse_line(&parser, line);
  }
  check_events(&parser);
  count_initial_agents(out);
  return !parser.failed;
}

bool scene_load(const char *path, Scene *out) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    memset(out, 0, sizeof *out);
    fprintf(stderr, "%s: cannot be opened\n", path);
    return false;
  }
  bool ok = scene_read(file, path, out);
  fclose(file);
  return ok;
}

void scene_free(Scene *scene) {
  for (int32_t i = 0; i < scene->agent_count; i++) free(scene->agents[i].goals);
  free(scene->agents);
  free(scene->events);
  free(scene->vertices);
  free(scene->triangles);
  memset(scene, 0, sizeof *scene);
}
