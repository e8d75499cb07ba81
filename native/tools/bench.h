// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the parts of the bench tool share: clock, random numbers, levels (bench_levels.c), and the crowd cases (bench_crowd.c).
#ifndef CR_BENCH_H
#define CR_BENCH_H

#include "scene.h"

enum { BENCH_TILE_CELLS = 48 };

typedef struct BenchLevel {
  char name[64];
  double *vertices;
  uint32_t vertex_count;
  uint32_t *triangles;
  uint32_t triangle_count;
} BenchLevel;

typedef struct BenchFiles {
  int count;
  char **paths;  // OBJ files
} BenchFiles;

_Noreturn void bench_die(const char *what);
void *bench_allocate(size_t count, size_t size);  // zeroed
double bench_now_ms(void);
double bench_mulberry(uint32_t *state);
double bench_median(double *samples, int count);  // sorts them
void bench_print_case(const char *name, const char *unit, double cost);

BenchLevel bench_plane(double size);
// The project's own level ("level"), a field of blocks ("blocks1300"), or one of the files, by name.
bool bench_find_level(const char *name, BenchFiles files, BenchLevel *out);
void bench_free_level(BenchLevel *level);
CrBuildInput bench_level_input(const BenchLevel *level);
CrNavMesh *bench_build(const BenchLevel *level, bool tiled);
// Points of the part of the mesh that most of a few probes reach.
CrVec3 *bench_find_points(const CrNavMesh *mesh, int32_t count);

// Runs a case of a crowd. False when it is none.
bool bench_crowd_case(const char *name, bool quick, bool in_turns, BenchFiles files);

#endif
