// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Partitions by sweeping the rows. A run is a maximal row of linked spans of one area. A run goes on a region of the row before when that is the only region
// it touches there and no other run touches that region; else it begins a region. So a region has at most one run in each row: it is connected and
// never above itself.
// Order: rows by z; runs by their first span in span order; regions numbered as they begin.
#include "regions_internal.h"

#define MANY UINT32_MAX

typedef struct Sweep {
  CrOpenField *field;
  uint32_t *run_of;    // per span: run of its row + 1, 0 none
  uint32_t *below;     // per run of the row under way: the region it touches in the row before, 0 none, or MANY
  uint32_t *region;    // per run of that row
  uint32_t *toucher;   // per region: the run + 1 of that row that touches it, or MANY
  uint32_t run_count;  // of that row
} Sweep;

static bool start(Sweep *sweep, CrOpenField *field, CrArena *arena) {
  *sweep = (Sweep){.field = field};
  sweep->run_of = cr__arena_zeroed(arena, field->count, sizeof *sweep->run_of);
  sweep->toucher = cr__arena_zeroed(arena, (size_t)field->count + 1, sizeof *sweep->toucher);
  uint32_t widest = 0;
  for (int32_t z = 0; z < field->grid.depth; z++) {
    size_t column = (size_t)z * (size_t)field->grid.width;
    uint32_t spans = field->first[column + (size_t)field->grid.width] - field->first[column];
    widest = spans > widest ? spans : widest;
  }
  sweep->below = cr__arena_alloc(arena, widest, sizeof *sweep->below);
  sweep->region = cr__arena_alloc(arena, widest, sizeof *sweep->region);
  return !arena->failed;
}

static void touch(Sweep *sweep, uint32_t run, uint32_t region) {
  uint32_t *below = &sweep->below[run - 1], *toucher = &sweep->toucher[region];
  *below = *below == 0 || *below == region ? region : MANY;
  *toucher = *toucher == 0 || *toucher == run ? run : MANY;
}

// The neighbour in a direction when it is of the same area.
static uint32_t like_neighbour(const CrOpenField *field, uint32_t span, uint32_t dir) {
  uint32_t other = field->neighbour[4 * (size_t)span + dir];
  return other != CR_NO_SPAN && field->area[other] == field->area[span] ? other : CR_NO_SPAN;
}

static void take_span(Sweep *sweep, uint32_t span) {
  const CrOpenField *field = sweep->field;
  uint32_t west = like_neighbour(field, span, 0), north = like_neighbour(field, span, 3);
  uint32_t run = west == CR_NO_SPAN ? 0 : sweep->run_of[west];
  if (!run) {
    sweep->below[sweep->run_count++] = 0;
    run = sweep->run_count;
  }
  sweep->run_of[span] = run;
  uint32_t region = north == CR_NO_SPAN ? 0 : field->region[north];
  if (region && !(region & CR_BORDER_REGION)) touch(sweep, run, region);
}

static void name_runs(Sweep *sweep) {
  for (uint32_t run = 1; run <= sweep->run_count; run++) {
    uint32_t below = sweep->below[run - 1];
    bool goes_on = below != 0 && below != MANY && sweep->toucher[below] == run;
    sweep->region[run - 1] = goes_on ? below : ++sweep->field->region_count;
  }
  for (uint32_t run = 1; run <= sweep->run_count; run++) sweep->toucher[sweep->region[run - 1]] = 0;
}

static void sweep_row(Sweep *sweep, uint32_t from, uint32_t to) {
  CrOpenField *field = sweep->field;
  sweep->run_count = 0;
  for (uint32_t span = from; span < to; span++) {
    if (field->area[span] != CR_AREA_NONE) take_span(sweep, span);
  }
  name_runs(sweep);
  for (uint32_t span = from; span < to; span++) {
    if (sweep->run_of[span]) field->region[span] = sweep->region[sweep->run_of[span] - 1];
  }
}

static bool sweep_rows(CrOpenField *field, bool join, int32_t min_region_area, int32_t merge_region_area,
                       CrArena *arena) {
  Sweep sweep;
  if (field->count == 0) return true;
  if (!start(&sweep, field, arena)) return false;
  cr__paint_borders(field);
  int32_t b = field->grid.border;
  for (int32_t z = b; z < field->grid.depth - b; z++) {
    size_t row = (size_t)z * (size_t)field->grid.width;
    sweep_row(&sweep, field->first[row + (size_t)b], field->first[row + (size_t)(field->grid.width - b)]);
  }
  return cr__tidy_regions(field, join, min_region_area, merge_region_area, arena);
}

bool cr__monotone(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena) {
  return sweep_rows(field, false, min_region_area, merge_region_area, arena);
}

bool cr__layers(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena) {
  return sweep_rows(field, true, min_region_area, merge_region_area, arena);
}
