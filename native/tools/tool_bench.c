// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Native figures for the bench cases, under the same names as bench/lib/cases.mjs: `crowdreel_bench --case NAME [--quick]
// [LEVEL.obj...]` prints one JSON object, or nothing when there is no such case. Scenes, settings and warm-up are those of the
// JavaScript side. With --turns a crowd case prints a line when it is ready, and then for each number it reads the milliseconds
// of as many steps: so that they can be taken in turns with those of others.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scene.h"

enum { STEER_EVERY = 15, TILE_CELLS = 48, PROBES = 24, PAIRS = 2000, PATH_CAPACITY = 4096 };

static const double dt = 1.0 / 60.0;
static const CrVec3 EXTENTS = {2, 4, 2};

typedef struct Level {
  char name[64];
  double *vertices;
  uint32_t vertex_count;
  uint32_t *triangles;
  uint32_t triangle_count;
} Level;

typedef struct Run {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  int32_t count;
  double *positions;
  CrVec3 *goals;
  double *z, *dir;  // streams
  double side;
  CrVec3 *points;  // level
  int32_t point_count;
  uint32_t random;
  int32_t steps;
  double steering;
} Run;

static void die(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) die("out of memory");
  return memory;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// mulberry32, as in bench/lib/common.mjs.
static double mulberry(uint32_t *state) {
  uint32_t a = *state += 0x6d2b79f5u;
  uint32_t t = (a ^ (a >> 15)) * (a | 1u);
  t ^= t + (t ^ (t >> 7)) * (t | 61u);
  return (double)(t ^ (t >> 14)) / 4294967296.0;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
  return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

static Level plane(double size) {
  Level level = {.vertex_count = 4, .triangle_count = 2};
  double h = size / 2, vertices[12] = {-h, 0, -h, h, 0, -h, h, 0, h, -h, 0, h};
  uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
  level.vertices = allocate(12, sizeof(double));
  level.triangles = allocate(6, sizeof(uint32_t));
  memcpy(level.vertices, vertices, sizeof vertices);
  memcpy(level.triangles, triangles, sizeof triangles);
  return level;
}

static void free_level(Level *level) {
  free(level->vertices);
  free(level->triangles);
}

static CrBuildInput level_input(const Level *level) {
  return (CrBuildInput){.vertices = level->vertices,
                        .vertex_count = level->vertex_count,
                        .triangles = level->triangles,
                        .triangle_count = level->triangle_count};
}

static CrNavMesh *build(const Level *level, bool tiled) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = tiled ? TILE_CELLS : 0;
  CrBuildInput input = level_input(level);
  CrNavMesh *mesh = NULL;
  if (cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL) != CR_STATUS_OK) die("build failed");
  return mesh;
}

static Run make_run(const Level *level, int32_t count, int32_t threads, const CrAllocator *allocator) {
  Run run = {.mesh = build(level, true), .count = count, .random = 13};
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_threads = threads;
  if (cr_crowd_create(run.mesh, &options, allocator, &run.crowd, NULL) != CR_STATUS_OK) die("no crowd");
  run.positions = allocate((size_t)count * 3, sizeof(double));
  run.goals = allocate((size_t)count, sizeof(CrVec3));
  run.z = allocate((size_t)count, sizeof(double));
  run.dir = allocate((size_t)count, sizeof(double));
  return run;
}

static void add(Run *run, CrVec3 position) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.radius = 0.5;
  options.max_speed = 6;
  options.max_acceleration = 20;
  int64_t id;
  if (cr_crowd_add(run->crowd, position, &options, &id, NULL) != CR_STATUS_OK) die("agent not added");
}

static void aim(Run *run, int32_t i, CrVec3 goal) {
  run->goals[i] = goal;
  if (cr_crowd_set_destination(run->crowd, i, goal, NULL) != CR_STATUS_OK) die("no destination");
}

static Run start_streams(int32_t count, int32_t threads, const CrAllocator *allocator) {
  static const double sizes[] = {100, 150, 200, 300};
  double side = __builtin_sqrt(count / 0.25), size = __builtin_ceil(side + 8);
  for (int k = 3; k >= 0; k--) size = sizes[k] >= side + 8 ? sizes[k] : size;
  Level level = plane(size);
  Run run = make_run(&level, count, threads, allocator);
  free_level(&level);
  uint32_t random = 1;
  int32_t columns = (int32_t)__builtin_ceil(__builtin_sqrt(count));
  double step = side / columns;
  run.side = side;
  for (int32_t i = 0; i < count; i++) {
    double x = (i % columns + 0.5) * step - side / 2, z = (i / columns + 0.5) * step - side / 2;
    x += (mulberry(&random) - 0.5) * 0.4 * step;
    z += (mulberry(&random) - 0.5) * 0.4 * step;
    run.z[i] = z;
    run.dir[i] = (i % columns + i / columns) % 2 == 0 ? 1 : -1;
    add(&run, (CrVec3){x, 0, z});
    aim(&run, i, (CrVec3){run.dir[i] * side / 2, 0, z});
  }
  return run;
}

static CrNearestPoly draw(CrNavMeshQuery *query, uint64_t *seed) {
  CrNearestPoly point;
  if (cr_query_random_point(query, NULL, seed, &point) != CR_STATUS_OK) die("empty mesh");
  return point;
}

static bool reaches(CrNavMeshQuery *query, const CrNearestPoly *a, const CrNearestPoly *b) {
  static CrPolyRef path[4096];
  CrPathResult result;
  return cr_query_find_path(query, a->ref, a->point, b->ref, b->point, NULL, path, 4096, &result, NULL) ==
             CR_STATUS_OK &&
         result.outcome == CR_PATH_SUCCESS;
}

// Points of the part of the mesh that most of a few probes reach.
static CrVec3 *find_points(const CrNavMesh *mesh, int32_t count) {
  CrQueryOptions options = cr_query_options_default();
  CrNavMeshQuery *query = NULL;
  if (cr_query_create(mesh, &options, NULL, &query, NULL) != CR_STATUS_OK) die("no query");
  uint64_t seed = 11;
  CrNearestPoly probes[PROBES];
  int best = 0, best_hits = -1;
  for (int i = 0; i < PROBES; i++) probes[i] = draw(query, &seed);
  for (int i = 0; i < PROBES; i++) {
    int hits = 0;
    for (int k = 0; k < PROBES; k++) hits += reaches(query, &probes[i], &probes[k]);
    if (hits > best_hits) best = i, best_hits = hits;
  }
  CrVec3 *points = allocate((size_t)count, sizeof(CrVec3));
  for (int32_t found = 0; found < count;) {
    CrNearestPoly point = draw(query, &seed);
    if (reaches(query, &probes[best], &point)) points[found++] = point.point;
  }
  cr_query_destroy(query);
  return points;
}

static Run start_level(const Level *level, int32_t count) {
  Run run = make_run(level, count, 1, NULL);
  run.point_count = 2 * count + 2000;
  run.points = find_points(run.mesh, run.point_count);
  for (int32_t i = 0; i < count; i++) {
    add(&run, run.points[i]);
    aim(&run, i, run.points[count + i]);
  }
  return run;
}

static void steer(Run *run, int32_t i) {
  const double *p = run->positions + 3 * (size_t)i;
  if (run->point_count) {
    double dx = p[0] - run->goals[i].x, dz = p[2] - run->goals[i].z;
    if (__builtin_sqrt(dx * dx + dz * dz) >= 1.5) return;
    aim(run, i, run->points[(int32_t)(mulberry(&run->random) * run->point_count)]);
  } else if (run->dir[i] * p[0] > run->side / 2 - 2) {
    run->dir[i] = -run->dir[i];
    aim(run, i, (CrVec3){run->dir[i] * run->side / 2, 0, run->z[i]});
  }
}

static double step_run(Run *run) {
  double start = now_ms();
  if (cr_crowd_step(run->crowd, dt, NULL) != CR_STATUS_OK) die("step failed");
  double ms = now_ms() - start;
  if (++run->steps % STEER_EVERY == 0) {
    cr_crowd_read_agents(run->crowd, run->count, NULL, run->positions, NULL, NULL, NULL);
    start = now_ms();
    for (int32_t i = 0; i < run->count; i++) steer(run, i);
    run->steering = now_ms() - start;
  }
  return ms + run->steering / STEER_EVERY;
}

static void free_run(Run *run) {
  cr_crowd_destroy(run->crowd);
  cr_navmesh_destroy(run->mesh);
  free(run->positions);
  free(run->goals);
  free(run->z);
  free(run->dir);
  free(run->points);
}

static double crowd_cost(Run *run, bool quick) {
  double samples[300];
  int warm = quick ? 60 : 120, rounds = quick ? 60 : 300;
  for (int i = 0; i < warm + rounds; i++) {
    double ms = step_run(run);
    if (i >= warm) samples[i - warm] = ms;
  }
  return median(samples, rounds) * 1000 / run->count;
}

// As many steps as each number read says.
static void step_in_turns(Run *run) {
  int count;
  puts("ready");
  fflush(stdout);
  while (scanf("%d", &count) == 1) {
    for (int i = 0; i < count; i++) printf("%.6f%c", step_run(run), i + 1 < count ? ' ' : '\n');
    fflush(stdout);
  }
}

// The cost of a step with one thread, and of the same with two, step by step in turn.
static double threads_cost(int32_t count, bool quick, double *out_two) {
  double samples[2][200];
  int warm = quick ? 30 : 60, rounds = quick ? 60 : 200;
  Run runs[2] = {start_streams(count, 1, NULL), start_streams(count, 2, NULL)};
  for (int i = 0; i < warm + rounds; i++) {
    for (int k = 0; k < 2; k++) {
      double ms = step_run(&runs[k]);
      if (i >= warm) samples[k][i - warm] = ms;
    }
  }
  if (cr_crowd_state_hash(runs[0].crowd) != cr_crowd_state_hash(runs[1].crowd)) die("threads change the result");
  for (int k = 0; k < 2; k++) free_run(&runs[k]);
  *out_two = median(samples[1], rounds) * 1000 / count;
  return median(samples[0], rounds) * 1000 / count;
}

static void *count_alloc(void *context, size_t size) {
  *(int64_t *)context += (int64_t)size;
  return malloc(size);
}

static void count_free(void *context, void *memory, size_t size) {
  *(int64_t *)context -= (int64_t)size;
  free(memory);
}

// Bytes that a crowd under way holds for each agent, beside those of an empty one.
static double memory_cost(int32_t count, double *out_empty) {
  int64_t bytes = 0;
  CrAllocator allocator = {&bytes, count_alloc, count_free};
  Run none = start_streams(0, 1, &allocator);
  int64_t empty = bytes;
  free_run(&none);
  Run run = start_streams(count, 1, &allocator);
  for (int i = 0; i < 60; i++) step_run(&run);
  double each = (double)(bytes - empty) / count;
  free_run(&run);
  *out_empty = (double)empty;
  return each;
}

// FNV-1a by its definition: what hashing is measured against.
static uint64_t hash_plainly(const uint8_t *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * UINT64_C(0x100000001B3);
  return hash;
}

// The cost of hashing a crowd's state, and of a plain pass over the same bytes already made.
static double hash_cost(Run *run, bool quick, double *out_plain) {
  double samples[100], plain[100];
  int rounds = quick ? 30 : 100;
  for (int i = 0; i < 60; i++) step_run(run);
  size_t size = cr_crowd_state_size(run->crowd);
  uint8_t *bytes = allocate(size, 1);
  if (cr_crowd_save_state(run->crowd, bytes, size, NULL, NULL) != CR_STATUS_OK) die("no state");
  for (int i = 0; i < 20 + rounds; i++) {
    double start = now_ms();
    uint64_t hash = cr_crowd_state_hash(run->crowd);
    double between = now_ms();
    if (hash != hash_plainly(bytes, size)) die("the hash is wrong");
    if (i < 20) continue;
    samples[i - 20] = between - start;
    plain[i - 20] = now_ms() - between;
  }
  free(bytes);
  *out_plain = median(plain, rounds) * 1000 / run->count;
  return median(samples, rounds) * 1000 / run->count;
}

static double build_cost(const Level *level, bool tiled, bool quick) {
  double samples[9];
  int warm = quick ? 1 : 3, rounds = quick ? 3 : 9;
  for (int i = 0; i < warm + rounds; i++) {
    double start = now_ms();
    CrNavMesh *mesh = build(level, tiled);
    if (i >= warm) samples[i - warm] = now_ms() - start;
    cr_navmesh_destroy(mesh);
  }
  return median(samples, rounds);
}

static CrVolume barrel(CrVec3 at) {
  return (CrVolume){.shape = CR_VOLUME_CYLINDER,
                    .area = CR_AREA_BLOCKED,
                    .min_y = at.y,
                    .max_y = at.y + 2,
                    .center_x = at.x,
                    .center_z = at.z,
                    .radius = 1};
}

// Adding an obstacle somewhere on the ground and rebuilding the tiles it touches.
static double obstacle_cost(const Level *level, bool quick) {
  static double samples[400];
  int warm = 20, rounds = quick ? 100 : 400;
  CrBuildInput input = level_input(level);
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = TILE_CELLS;
  CrTileCache *cache = NULL;
  CrNavMesh *mesh = NULL;
  if (cr_tile_cache_create(&input, &settings, NULL, NULL, &cache, &mesh, NULL, NULL) != CR_STATUS_OK) die("no cache");
  CrVec3 *points = find_points(mesh, warm + rounds);
  for (int i = 0; i < warm + rounds; i++) {
    CrVolume volume = barrel(points[i]);
    CrObstacleId id;
    double start = now_ms();
    bool ok = cr_tile_cache_add_obstacle(cache, &volume, &id, NULL) == CR_STATUS_OK &&
              cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, NULL) == CR_STATUS_OK;
    if (i >= warm) samples[i - warm] = now_ms() - start;
    ok = ok && cr_tile_cache_remove_obstacle(cache, id, NULL) == CR_STATUS_OK &&
         cr_tile_cache_update(cache, mesh, UINT32_MAX, NULL, NULL, NULL) == CR_STATUS_OK;
    if (!ok) die("obstacle failed");
  }
  free(points);
  cr_navmesh_destroy(mesh);
  cr_tile_cache_destroy(cache);
  return median(samples, rounds);
}

static void search_pair(CrNavMeshQuery *query, const CrNearestPoly *a, const CrNearestPoly *b) {
  static CrPolyRef path[PATH_CAPACITY];
  CrPathResult result;
  if (cr_query_find_path(query, a->ref, a->point, b->ref, b->point, NULL, path, PATH_CAPACITY, &result, NULL) !=
      CR_STATUS_OK)
    die("search failed");
}

static void compute_pair(CrNavMeshQuery *query, CrVec3 start, CrVec3 end) {
  static CrPolyRef path[PATH_CAPACITY];
  static CrCorner corners[PATH_CAPACITY];
  CrNearestPoly a, b;
  CrPathResult result;
  int32_t count;
  bool ok = cr_query_nearest_poly(query, start, EXTENTS, NULL, &a, NULL) == CR_STATUS_OK &&
            cr_query_nearest_poly(query, end, EXTENTS, NULL, &b, NULL) == CR_STATUS_OK &&
            cr_query_find_path(query, a.ref, a.point, b.ref, b.point, NULL, path, PATH_CAPACITY, &result, NULL) ==
                CR_STATUS_OK &&
            cr_query_straight_path(cr_query_mesh(query), a.point, b.point, path, result.count, NULL, corners,
                                   PATH_CAPACITY, &count) == CR_STRAIGHT_OK;
  if (!ok) die("path failed");
}

// Searches between random pairs of points; `corners`: nearest polygons, search and straight path.
static double path_cost(const Level *level, bool corners, const CrQueryOptions *options, bool quick) {
  double samples[30];
  int warm = quick ? 2 : 5, rounds = quick ? 8 : 30;
  CrNavMesh *mesh = build(level, true);
  CrVec3 *points = find_points(mesh, 2 * PAIRS);
  CrNearestPoly *places = allocate(2 * PAIRS, sizeof *places);
  CrNavMeshQuery *query = NULL;
  if (cr_query_create(mesh, options, NULL, &query, NULL) != CR_STATUS_OK) die("no query");
  for (int i = 0; i < 2 * PAIRS; i++) {
    if (cr_query_nearest_poly(query, points[i], EXTENTS, NULL, &places[i], NULL) != CR_STATUS_OK) die("no place");
  }
  for (int round = 0; round < warm + rounds; round++) {
    double start = now_ms();
    for (int i = 0; i < PAIRS; i++) {
      if (corners) {
        compute_pair(query, points[2 * i], points[2 * i + 1]);
      } else {
        search_pair(query, &places[2 * i], &places[2 * i + 1]);
      }
    }
    if (round >= warm) samples[round - warm] = now_ms() - start;
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
  free(points);
  free(places);
  return median(samples, rounds) * 1000 / PAIRS;
}

static void *grow(void *memory, size_t count, size_t size) {
  if (count & (count - 1)) return memory;
  void *grown = realloc(memory, (count ? count * 2 : 1) * size);
  if (!grown) die("out of memory");
  return grown;
}

static void read_face(Level *level, char *text) {
  long corners[64];
  int count = 0;
  for (char *word = strtok(text, " \t\r\n"); word && count < 64; word = strtok(NULL, " \t\r\n")) {
    long index = strtol(word, NULL, 10);
    corners[count++] = index < 0 ? (long)level->vertex_count + index : index - 1;
  }
  for (int k = 2; k < count; k++) {
    level->triangles = grow(level->triangles, level->triangle_count, 3 * sizeof(uint32_t));
    uint32_t *t = level->triangles + 3 * (size_t)level->triangle_count++;
    t[0] = (uint32_t)corners[0], t[1] = (uint32_t)corners[k - 1], t[2] = (uint32_t)corners[k];
  }
}

static bool load_obj(const char *path, Level *level) {
  FILE *file = fopen(path, "rb");
  char line[1024];
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  memset(level, 0, sizeof *level);
  snprintf(level->name, sizeof level->name, "%.*s", (int)strcspn(base, "."), base);
  if (!file) return false;
  while (fgets(line, sizeof line, file)) {
    if (strncmp(line, "v ", 2) == 0) {
      level->vertices = grow(level->vertices, level->vertex_count, 3 * sizeof(double));
      char *at = line + 2;
      for (int k = 0; k < 3; k++) level->vertices[3 * (size_t)level->vertex_count + (size_t)k] = strtod(at, &at);
      level->vertex_count++;
    } else if (strncmp(line, "f ", 2) == 0) {
      read_face(level, line + 2);
    }
  }
  fclose(file);
  return true;
}

static void put_quad(Level *level, const double corners[12]) {
  uint32_t first = level->vertex_count;
  for (int k = 0; k < 4; k++) {
    level->vertices = grow(level->vertices, level->vertex_count, 3 * sizeof(double));
    memcpy(level->vertices + 3 * (size_t)level->vertex_count++, corners + 3 * k, 3 * sizeof(double));
  }
  for (uint32_t k = 1; k < 3; k++) {
    level->triangles = grow(level->triangles, level->triangle_count, 3 * sizeof(uint32_t));
    uint32_t *t = level->triangles + 3 * (size_t)level->triangle_count++;
    t[0] = first, t[1] = first + k, t[2] = first + k + 1;
  }
}

// A square with a block in most cells of a grid: `blocks` of bench/lib/paths.mjs, with the same numbers.
static Level blocks(const char *name, int size) {
  Level level = {.vertex_count = 0};
  uint32_t random = 3;
  double h = size / 2.0;
  snprintf(level.name, sizeof level.name, "%s", name);
  put_quad(&level, (double[]){-h, 0, -h, -h, 0, h, h, 0, h, h, 0, -h});
  for (double x = -h; x < h; x += 6) {
    for (double z = -h; z < h; z += 6) {
      if (mulberry(&random) < 0.3) continue;
      double x0 = x + mulberry(&random) * 2, z0 = z + mulberry(&random) * 2;
      double x1 = x0 + 1 + mulberry(&random) * 3, z1 = z0 + 1 + mulberry(&random) * 3;
      put_quad(&level, (double[]){x0, 1, z0, x1, 1, z0, x1, 1, z1, x0, 1, z1});
    }
  }
  return level;
}

// The project's own level, a field of blocks ("blocks1300"), or one of the OBJ files, by name.
static bool find_level(const char *name, int file_count, char **files, Level *level) {
  if (strcmp(name, "level") == 0) {
    Scene scene;
    if (!scene_load("tests/scenes/level.scene", &scene)) return false;
    *level = (Level){"level", scene.vertices, scene.vertex_count, scene.triangles, scene.triangle_count};
    scene.vertices = NULL;
    scene.triangles = NULL;
    scene_free(&scene);
    return true;
  }
  int size;
  if (sscanf(name, "blocks%d", &size) == 1 && size > 0 && size <= 2000) {
    *level = blocks(name, size);
    return true;
  }
  for (int i = 0; i < file_count; i++) {
    if (load_obj(files[i], level) && strcmp(level->name, name) == 0) return true;
    free_level(level);
  }
  return false;
}

static void print_case(const char *name, const char *unit, double cost) {
  printf("{\"case\":\"%s\",\"unit\":\"%s\",\"native\":%.6g}\n", name, unit, cost);
}

static void run_crowd_case(const char *name, const char *scene, int32_t count, bool quick, bool in_turns,
                           int file_count, char **files) {
  Run run;
  if (strcmp(scene, "streams") == 0) {
    run = start_streams(count, 1, NULL);
  } else {
    Level level;
    if (!find_level(scene, file_count, files, &level)) return;
    run = start_level(&level, count);
    free_level(&level);
  }
  if (in_turns) {
    step_in_turns(&run);
  } else {
    print_case(name, "us/agent", crowd_cost(&run, quick));
  }
  free_run(&run);
}

// What a path case asks for: corridor, corners, crossing, exact, hierarchical or hierarchical-crossing.
static bool path_options(const char *variant, CrQueryOptions *options) {
  bool known = strcmp(variant, "corridor") == 0 || strcmp(variant, "corners") == 0;
  *options = cr_query_options_default();
  options->hierarchical = strncmp(variant, "hierarchical", 12) == 0;
  if (strcmp(variant, "crossing") == 0 || strcmp(variant, "hierarchical-crossing") == 0) {
    options->node_model = CR_NODE_MODEL_CROSSING;
  }
  if (strcmp(variant, "exact") == 0) options->node_model = CR_NODE_MODEL_EXACT;
  return known || options->hierarchical || options->node_model != CR_NODE_MODEL_POLYGON;
}

static void run_path_case(const char *name, const char *level_name, const char *variant, bool quick, int file_count,
                          char **files) {
  CrQueryOptions options;
  Level level;
  if (!path_options(variant, &options) || !find_level(level_name, file_count, files, &level)) return;
  if (strncmp(level_name, "blocks", 6) == 0) options.max_nodes = 1 << 19;
  print_case(name, "us", path_cost(&level, strcmp(variant, "corners") == 0, &options, quick));
  free_level(&level);
}

static void run_case(const char *name, bool quick, bool in_turns, int file_count, char **files) {
  char what[64] = "", variant[64] = "";
  int count = 0;
  if (sscanf(name, "crowd-step/%63[^/]/%d", what, &count) == 2) {
    run_crowd_case(name, what, count, quick, in_turns, file_count, files);
  } else if (sscanf(name, "crowd-threads/streams/%d", &count) == 1) {
    double two, one = threads_cost(count, quick, &two);
    printf("{\"case\":\"%s\",\"unit\":\"us/agent\",\"native\":%.6g,\"two threads\":%.6g}\n", name, one, two);
  } else if (sscanf(name, "crowd-memory/streams/%d", &count) == 1) {
    double empty, each = memory_cost(count, &empty);
    printf("{\"case\":\"%s\",\"unit\":\"bytes/agent\",\"native\":%.6g,\"empty crowd\":%.9g}\n", name, each, empty);
  } else if (sscanf(name, "state-hash/%d", &count) == 1) {
    Run run = start_streams(count, 1, NULL);
    double plain, cost = hash_cost(&run, quick, &plain);
    printf("{\"case\":\"%s\",\"unit\":\"us/agent\",\"native\":%.6g,\"plain\":%.6g}\n", name, cost, plain);
    free_run(&run);
  } else if (sscanf(name, "build/%63[^/]/%63s", what, variant) == 2) {
    Level level;
    if (!find_level(what, file_count, files, &level)) return;
    print_case(name, "ms", build_cost(&level, strcmp(variant, "tiled") == 0, quick));
    free_level(&level);
  } else if (sscanf(name, "path/%63[^/]/%63s", what, variant) == 2) {
    run_path_case(name, what, variant, quick, file_count, files);
  } else if (sscanf(name, "obstacle/%63[^/]/%d", what, &count) == 2 && count == TILE_CELLS) {
    Level level;
    if (!find_level(what, file_count, files, &level)) return;
    print_case(name, "ms", obstacle_cost(&level, quick));
    free_level(&level);
  }
}

int main(int argc, char **argv) {
  const char *name = NULL;
  bool quick = false, in_turns = false;
  int first = 1;
  for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
    if (strcmp(argv[first], "--quick") == 0) quick = true;
    if (strcmp(argv[first], "--turns") == 0) in_turns = true;
    if (strcmp(argv[first], "--case") == 0 && first + 1 < argc) name = argv[++first];
  }
  if (!name) {
    fprintf(stderr, "usage: crowdreel_bench --case NAME [--quick] [--turns] [LEVEL.obj...]\n");
    return 2;
  }
  run_case(name, quick, in_turns, argc - first, argv + first);
  return 0;
}
