// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Levels made by code, as triangles: what the build pipeline is tried on. Each is a function of its index alone, and of + - * / only,
// so that every compiler makes the same bits.
#ifndef CR_TEST_LEVELS_H
#define CR_TEST_LEVELS_H

#include "crowdreel/build.h"

typedef struct Level {
  const char *name;
  double *vertices;
  uint32_t vertex_count, vertex_capacity;
  uint32_t *triangles;
  uint8_t *areas;
  uint32_t triangle_count, triangle_capacity;
  bool weld;      // each corner of a shape is its own vertex unless set
  uint8_t area;   // of the triangles added next
  CrVec3 offset;  // added to every vertex
  uint64_t seed;
} Level;

uint32_t level_count(void);
const char *level_name(uint32_t index);
// Stops the program when out of memory.
Level level_make(uint32_t index);
void level_free(Level *level);
CrBuildInput level_input(const Level *level);

#endif
