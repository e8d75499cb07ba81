// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where an agent can stand in a level, found from its triangles on a fine grid of points, without any of the builder's code.
#ifndef CR_TEST_LEVELS_TRUTH_H
#define CR_TEST_LEVELS_TRUTH_H

#include "levels.h"

#define TRUTH_NONE UINT32_MAX

// Whether the ground ends at one of a place's four sides; soft: it goes on downwards, but is too steep to stand on.
typedef enum TruthEdge { TRUTH_INNER, TRUTH_SOFT, TRUTH_HARD } TruthEdge;

// A place to stand at a point of the grid: ground an agent's foot is on, anywhere between `low` (the floor) and `high` (the top of what is
// stepped over there).
typedef struct TruthPlace {
  double low, high;
  double ceiling;
  double slope_x, slope_z;  // of the floor
  uint32_t link[4];         // the place reached towards -x, +z, +x, -z
  bool stands;              // the agent fits, with the margins of its kind
  TruthEdge edge;
} TruthPlace;

typedef struct Truth {
  double x0, z0, spacing;  // of the first point
  int32_t columns, rows;
  uint32_t *first;  // columns * rows + 1
  TruthPlace *places;
  uint32_t count, standing;
} Truth;

// `robust`: with the margins against standing (see support_levels_truth.c), else with those in favour. Connected places of less than
// `min_area` are left out (robust only).
Truth truth_make(const Level *level, const CrBuildSettings *settings, bool robust, double min_area);
void truth_free(Truth *truth);
static inline double truth_x(const Truth *t, int32_t column) { return t->x0 + column * t->spacing; }
static inline double truth_z(const Truth *t, int32_t row) { return t->z0 + row * t->spacing; }
// Whether some place where the agent stands is within `reach` of (x, z) and has `y` within `tolerance` of its ground.
bool truth_stands_near(const Truth *truth, double x, double y, double z, double reach, double tolerance);

#endif
