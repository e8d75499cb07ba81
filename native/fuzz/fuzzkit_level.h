// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Levels from bytes: settings (all partitions, tiled or not, near or far from the origin), then a program that adds ground, boxes,
// ramps, triangles of old and new vertices, volumes, obstacles and links, in a space of at most 32 x 32 cells.
#ifndef CR_FUZZKIT_LEVEL_H
#define CR_FUZZKIT_LEVEL_H

#include "fuzzkit.h"

#define LEVEL_MOST_VERTICES 256
#define LEVEL_MOST_TRIANGLES 128
#define LEVEL_MOST_VOLUMES 4

typedef struct FuzzLevel {
  CrBuildInput input;
  CrBuildSettings settings;
  CrVec3 origin;
  double vertices[3 * LEVEL_MOST_VERTICES];
  uint32_t triangles[3 * LEVEL_MOST_TRIANGLES];
  uint8_t areas[LEVEL_MOST_TRIANGLES];
  CrVolume volumes[LEVEL_MOST_VOLUMES], obstacles[LEVEL_MOST_VOLUMES];
  CrOffMeshLink links[LEVEL_MOST_VOLUMES];
  uint16_t area_flags[CR_MAX_AREA + 1];
} FuzzLevel;

// Reads to the end of the input.
void fuzz_level_read(FuzzLevel *level, FuzzIn *in);
// A volume or obstacle: any numbers in range, so it may be refused.
CrVolume fuzz_level_volume(const FuzzLevel *level, FuzzIn *in, uint8_t area);

#endif
