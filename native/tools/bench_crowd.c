// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The bench tool's crowds: their steps, on one thread and on two, their memory, and the hash of their state.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { STEER_EVERY = 15 };

static const double dt = 1.0 / 60.0;

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

static Run make_run(const BenchLevel *level, int32_t count, int32_t threads, const CrAllocator *allocator) {
  Run run = {.mesh = bench_build(level, true), .count = count, .random = 13};
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_threads = threads;
  if (cr_crowd_create(run.mesh, &options, allocator, &run.crowd, NULL) != CR_STATUS_OK) bench_die("no crowd");
  run.positions = bench_allocate((size_t)count * 3, sizeof(double));
  run.goals = bench_allocate((size_t)count, sizeof(CrVec3));
  run.z = bench_allocate((size_t)count, sizeof(double));
  run.dir = bench_allocate((size_t)count, sizeof(double));
  return run;
}

static void add(Run *run, CrVec3 position) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.radius = 0.5;
  options.max_speed = 6;
  options.max_acceleration = 20;
  int64_t id;
  if (cr_crowd_add(run->crowd, position, &options, &id, NULL) != CR_STATUS_OK) bench_die("agent not added");
}

static void aim(Run *run, int32_t i, CrVec3 goal) {
  run->goals[i] = goal;
  if (cr_crowd_set_destination(run->crowd, i, goal, NULL) != CR_STATUS_OK) bench_die("no destination");
}

static Run start_streams(int32_t count, int32_t threads, const CrAllocator *allocator) {
  static const double sizes[] = {100, 150, 200, 300};
  double side = __builtin_sqrt(count / 0.25), size = __builtin_ceil(side + 8);
  for (int k = 3; k >= 0; k--) size = sizes[k] >= side + 8 ? sizes[k] : size;
  BenchLevel level = bench_plane(size);
  Run run = make_run(&level, count, threads, allocator);
  bench_free_level(&level);
  uint32_t random = 1;
  int32_t columns = (int32_t)__builtin_ceil(__builtin_sqrt(count));
  double step = side / columns;
  run.side = side;
  for (int32_t i = 0; i < count; i++) {
    double x = (i % columns + 0.5) * step - side / 2, z = (i / columns + 0.5) * step - side / 2;
    x += (bench_mulberry(&random) - 0.5) * 0.4 * step;
    z += (bench_mulberry(&random) - 0.5) * 0.4 * step;
    run.z[i] = z;
    run.dir[i] = (i % columns + i / columns) % 2 == 0 ? 1 : -1;
    add(&run, (CrVec3){x, 0, z});
    aim(&run, i, (CrVec3){run.dir[i] * side / 2, 0, z});
  }
  return run;
}

static Run start_level(const BenchLevel *level, int32_t count) {
  Run run = make_run(level, count, 1, NULL);
  run.point_count = 2 * count + 2000;
  run.points = bench_find_points(run.mesh, run.point_count);
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
    aim(run, i, run->points[(int32_t)(bench_mulberry(&run->random) * run->point_count)]);
  } else if (run->dir[i] * p[0] > run->side / 2 - 2) {
    run->dir[i] = -run->dir[i];
    aim(run, i, (CrVec3){run->dir[i] * run->side / 2, 0, run->z[i]});
  }
}

static double step_run(Run *run) {
  double start = bench_now_ms();
  if (cr_crowd_step(run->crowd, dt, NULL) != CR_STATUS_OK) bench_die("step failed");
  double ms = bench_now_ms() - start;
  if (++run->steps % STEER_EVERY == 0) {
    cr_crowd_read_agents(run->crowd, run->count, NULL, run->positions, NULL, NULL, NULL);
    start = bench_now_ms();
    for (int32_t i = 0; i < run->count; i++) steer(run, i);
    run->steering = bench_now_ms() - start;
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
  return bench_median(samples, rounds) * 1000 / run->count;
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
  if (cr_crowd_state_hash(runs[0].crowd) != cr_crowd_state_hash(runs[1].crowd)) bench_die("threads change the result");
  for (int k = 0; k < 2; k++) free_run(&runs[k]);
  *out_two = bench_median(samples[1], rounds) * 1000 / count;
  return bench_median(samples[0], rounds) * 1000 / count;
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
  uint8_t *bytes = bench_allocate(size, 1);
  if (cr_crowd_save_state(run->crowd, bytes, size, NULL, NULL) != CR_STATUS_OK) bench_die("no state");
  for (int i = 0; i < 20 + rounds; i++) {
    double start = bench_now_ms();
    uint64_t hash = cr_crowd_state_hash(run->crowd);
    double between = bench_now_ms();
    if (hash != hash_plainly(bytes, size)) bench_die("the hash is wrong");
    if (i < 20) continue;
    samples[i - 20] = between - start;
    plain[i - 20] = bench_now_ms() - between;
  }
  free(bytes);
  *out_plain = bench_median(plain, rounds) * 1000 / run->count;
  return bench_median(samples, rounds) * 1000 / run->count;
}

static void run_crowd_case(const char *name, const char *scene, int32_t count, bool quick, bool in_turns,
                           BenchFiles files) {
  Run run;
  if (strcmp(scene, "streams") == 0) {
    run = start_streams(count, 1, NULL);
  } else {
    BenchLevel level;
    if (!bench_find_level(scene, files, &level)) return;
    run = start_level(&level, count);
    bench_free_level(&level);
  }
  if (in_turns) {
    step_in_turns(&run);
  } else {
    bench_print_case(name, "us/agent", crowd_cost(&run, quick));
  }
  free_run(&run);
}

bool bench_crowd_case(const char *name, bool quick, bool in_turns, BenchFiles files) {
  char scene[64] = "";
  int count = 0;
  if (sscanf(name, "crowd-step/%63[^/]/%d", scene, &count) == 2) {
    run_crowd_case(name, scene, count, quick, in_turns, files);
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
  } else {
    return false;
  }
  return true;
}
