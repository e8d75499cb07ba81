// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Clock, random numbers and levels of the bench tool: with the same numbers as bench/lib.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { PROBES = 24 };

_Noreturn void bench_die(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

void *bench_allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) bench_die("out of memory");
  return memory;
}

double bench_now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// mulberry32, as in bench/lib/common.mjs.
double bench_mulberry(uint32_t *state) {
  uint32_t a = *state += 0x6d2b79f5u;
  uint32_t t = (a ^ (a >> 15)) * (a | 1u);
  t ^= t + (t ^ (t >> 7)) * (t | 61u);
  return (double)(t ^ (t >> 14)) / 4294967296.0;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double bench_median(double *samples, int count) {
  qsort(samples, (size_t)count, sizeof *samples, compare_doubles);
  return count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
}

void bench_print_case(const char *name, const char *unit, double cost) {
  printf("{\"case\":\"%s\",\"unit\":\"%s\",\"native\":%.6g}\n", name, unit, cost);
}

BenchLevel bench_plane(double size) {
  BenchLevel level = {.vertex_count = 4, .triangle_count = 2};
  double h = size / 2, vertices[12] = {-h, 0, -h, h, 0, -h, h, 0, h, -h, 0, h};
  uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
  level.vertices = bench_allocate(12, sizeof(double));
  level.triangles = bench_allocate(6, sizeof(uint32_t));
  memcpy(level.vertices, vertices, sizeof vertices);
  memcpy(level.triangles, triangles, sizeof triangles);
  return level;
}

void bench_free_level(BenchLevel *level) {
  free(level->vertices);
  free(level->triangles);
}

CrBuildInput bench_level_input(const BenchLevel *level) {
  return (CrBuildInput){.vertices = level->vertices,
                        .vertex_count = level->vertex_count,
                        .triangles = level->triangles,
                        .triangle_count = level->triangle_count};
}

CrNavMesh *bench_build(const BenchLevel *level, bool tiled) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = tiled ? BENCH_TILE_CELLS : 0;
  CrBuildInput input = bench_level_input(level);
  CrNavMesh *mesh = NULL;
  if (cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL) != CR_STATUS_OK) bench_die("build failed");
  return mesh;
}

static CrNearestPoly draw(CrNavMeshQuery *query, uint64_t *seed) {
  CrNearestPoly point;
  if (cr_query_random_point(query, NULL, seed, &point) != CR_STATUS_OK) bench_die("empty mesh");
  return point;
}

static bool reaches(CrNavMeshQuery *query, const CrNearestPoly *a, const CrNearestPoly *b) {
  static CrPolyRef path[4096];
  CrPathResult result;
  return cr_query_find_path(query, a->ref, a->point, b->ref, b->point, NULL, path, 4096, &result, NULL) ==
             CR_STATUS_OK &&
         result.outcome == CR_PATH_SUCCESS;
}

CrVec3 *bench_find_points(const CrNavMesh *mesh, int32_t count) {
  CrQueryOptions options = cr_query_options_default();
  CrNavMeshQuery *query = NULL;
  if (cr_query_create(mesh, &options, NULL, &query, NULL) != CR_STATUS_OK) bench_die("no query");
  uint64_t seed = 11;
  CrNearestPoly probes[PROBES];
  int best = 0, best_hits = -1;
  for (int i = 0; i < PROBES; i++) probes[i] = draw(query, &seed);
  for (int i = 0; i < PROBES; i++) {
    int hits = 0;
    for (int k = 0; k < PROBES; k++) hits += reaches(query, &probes[i], &probes[k]);
    if (hits > best_hits) best = i, best_hits = hits;
  }
  CrVec3 *points = bench_allocate((size_t)count, sizeof(CrVec3));
  for (int32_t found = 0; found < count;) {
    CrNearestPoly point = draw(query, &seed);
    if (reaches(query, &probes[best], &point)) points[found++] = point.point;
  }
  cr_query_destroy(query);
  return points;
}

static void *grow(void *memory, size_t count, size_t size) {
  if (count & (count - 1)) return memory;
  void *grown = realloc(memory, (count ? count * 2 : 1) * size);
  if (!grown) bench_die("out of memory");
  return grown;
}

static void read_face(BenchLevel *level, char *text) {
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

static bool load_obj(const char *path, BenchLevel *level) {
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

static void put_quad(BenchLevel *level, const double corners[12]) {
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
static BenchLevel blocks(const char *name, int size) {
  BenchLevel level = {.vertex_count = 0};
  uint32_t random = 3;
  double h = size / 2.0;
  snprintf(level.name, sizeof level.name, "%s", name);
  put_quad(&level, (double[]){-h, 0, -h, -h, 0, h, h, 0, h, h, 0, -h});
  for (double x = -h; x < h; x += 6) {
    for (double z = -h; z < h; z += 6) {
      if (bench_mulberry(&random) < 0.3) continue;
      double x0 = x + bench_mulberry(&random) * 2, z0 = z + bench_mulberry(&random) * 2;
      double x1 = x0 + 1 + bench_mulberry(&random) * 3, z1 = z0 + 1 + bench_mulberry(&random) * 3;
      put_quad(&level, (double[]){x0, 1, z0, x1, 1, z0, x1, 1, z1, x0, 1, z1});
    }
  }
  return level;
}

bool bench_find_level(const char *name, BenchFiles files, BenchLevel *level) {
  if (strcmp(name, "level") == 0) {
    Scene scene;
    if (!scene_load("tests/scenes/level.scene", &scene)) return false;
    *level = (BenchLevel){"level", scene.vertices, scene.vertex_count, scene.triangles, scene.triangle_count};
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
  for (int i = 0; i < files.count; i++) {
    if (load_obj(files.paths[i], level) && strcmp(level->name, name) == 0) return true;
    bench_free_level(level);
  }
  return false;
}
