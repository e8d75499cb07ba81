// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Watershed: spans are taken from the farthest from any boundary to the nearest; each joins the region it touches, or starts a new one. A region
// never holds two spans of one column, so its outline is flat in x/z even on a spiral ramp.
// Order of everything: distance level (high first), then span index; between regions the one whose core is nearest, then direction.
#include "regions_internal.h"

typedef struct Watershed {
  CrOpenField *field;
  uint16_t *level;         // distance to the boundary, blurred, halved
  uint16_t *reach;         // steps from the region's core
  const uint32_t *column;  // column of each span
  uint32_t *by_level;      // spans sorted by level, descending
  uint32_t *wave, *next;   // candidates to join a region
  uint32_t *pending;       // joins of a wave, applied together: region of each candidate, 0 none
  uint32_t *mark;          // wave number a span was last a candidate of
  uint32_t *stack;
  uint32_t wave_number;
} Watershed;

static bool in_region(uint32_t region) { return region != 0 && !(region & CR_BORDER_REGION); }

static void blur(const CrOpenField *field, const uint16_t *distance, uint16_t *out) {
  for (uint32_t span = 0; span < field->count; span++) {
    uint32_t own = distance[span], sum = own;
    out[span] = (uint16_t)(own / 2);
    if (own <= 2) continue;
    for (uint32_t dir = 0; dir < 4; dir++) {
      uint32_t side = field->neighbour[4 * (size_t)span + dir];
      uint32_t corner = side == CR_NO_SPAN ? CR_NO_SPAN : field->neighbour[4 * (size_t)side + ((dir + 1) & 3)];
      sum += side == CR_NO_SPAN ? own : distance[side];
      sum += corner == CR_NO_SPAN ? own : distance[corner];
    }
    out[span] = (uint16_t)((sum + 5) / 9 / 2);
  }
}

static bool sort_by_level(Watershed *w, CrArena *arena) {
  uint32_t count = w->field->count, highest = 0;
  for (uint32_t span = 0; span < count; span++) highest = w->level[span] > highest ? w->level[span] : highest;
  uint32_t *starts = cr__arena_zeroed(arena, (size_t)highest + 2, sizeof *starts);
  if (!starts) return false;
  for (uint32_t span = 0; span < count; span++) starts[highest - w->level[span] + 1]++;
  for (uint32_t i = 0; i <= highest; i++) starts[i + 1] += starts[i];
  for (uint32_t span = 0; span < count; span++) w->by_level[starts[highest - w->level[span]]++] = span;
  return true;
}

static bool start(Watershed *w, CrOpenField *field, CrArena *arena) {
  size_t count = field->count;
  const uint16_t *distance = cr__boundary_distance(field, true, arena);
  *w = (Watershed){.field = field};
  w->level = cr__arena_alloc(arena, count, sizeof *w->level);
  w->reach = cr__arena_zeroed(arena, count, sizeof *w->reach);
  uint32_t **arrays[] = {&w->by_level, &w->wave, &w->next, &w->pending, &w->stack};
  for (size_t i = 0; i < CR_COUNT_OF(arrays); i++) *arrays[i] = cr__arena_alloc(arena, count, sizeof(uint32_t));
  w->mark = cr__arena_zeroed(arena, count, sizeof *w->mark);
  w->column = cr__span_columns(field, arena);
  if (arena->failed) return false;
  blur(field, distance, w->level);
  return sort_by_level(w, arena);
}

// Whether the span's column already has a span of that region.
static bool overlaps(const Watershed *w, uint32_t span, uint32_t region) {
  uint32_t column = w->column[span];
  for (uint32_t other = w->field->first[column]; other < w->field->first[column + 1]; other++) {
    if (other != span && w->field->region[other] == region) return true;
  }
  return false;
}

static bool is_free(const Watershed *w, uint32_t span) {
  return w->field->area[span] != CR_AREA_NONE && w->field->region[span] == 0;
}

// The region a span may join: of its four neighbours' the one whose core is nearest. order: reach, then direction.
static uint32_t region_to_join(const Watershed *w, uint32_t span, uint16_t *out_reach) {
  const CrOpenField *field = w->field;
  uint32_t best = 0, best_reach = UINT32_MAX;
  for (uint32_t dir = 0; dir < 4; dir++) {
    uint32_t other = field->neighbour[4 * (size_t)span + dir];
    if (other == CR_NO_SPAN || field->area[other] != field->area[span]) continue;
    uint32_t region = field->region[other];
    if (!in_region(region) || w->reach[other] >= best_reach || overlaps(w, span, region)) continue;
    best = region;
    best_reach = w->reach[other];
  }
  *out_reach = (uint16_t)(best_reach >= UINT16_MAX ? UINT16_MAX : best_reach + 1);
  return best;
}

static void offer(Watershed *w, uint32_t *list, uint32_t *count, uint32_t span) {
  if (!is_free(w, span) || w->mark[span] == w->wave_number) return;
  w->mark[span] = w->wave_number;
  list[(*count)++] = span;
}

// Lets regions grow over the uncovered spans, one ring at a time, until nothing changes.
static void expand(Watershed *w, uint32_t count, uint16_t level) {
  const CrOpenField *field = w->field;
  while (count) {
    uint32_t joined = 0, next_count = 0;
    for (uint32_t i = 0; i < count; i++) w->pending[i] = region_to_join(w, w->wave[i], &w->reach[w->wave[i]]);
    for (uint32_t i = 0; i < count; i++) {
      // An earlier join of this wave may have taken the column.
      if (!w->pending[i] || overlaps(w, w->wave[i], w->pending[i])) continue;
      field->region[w->wave[i]] = w->pending[i];
      w->stack[joined++] = w->wave[i];
    }
    w->wave_number++;
    for (uint32_t i = 0; i < joined; i++) {
      for (uint32_t dir = 0; dir < 4; dir++) {
        uint32_t other = field->neighbour[4 * (size_t)w->stack[i] + dir];
        if (other != CR_NO_SPAN && w->level[other] >= level) offer(w, w->next, &next_count, other);
      }
    }
    uint32_t *swap = w->wave;
    w->wave = w->next;
    w->next = swap;
    count = next_count;
  }
}

// Whether one of the eight spans around belongs to another region.
static bool touches_other_region(const CrOpenField *field, uint32_t span, uint32_t region) {
  for (uint32_t dir = 0; dir < 4; dir++) {
    uint32_t side = field->neighbour[4 * (size_t)span + dir];
    if (side == CR_NO_SPAN || field->area[side] != field->area[span]) continue;
    if (in_region(field->region[side]) && field->region[side] != region) return true;
    uint32_t corner = field->neighbour[4 * (size_t)side + ((dir + 1) & 3)];
    if (corner == CR_NO_SPAN || field->area[corner] != field->area[span]) continue;
    if (in_region(field->region[corner]) && field->region[corner] != region) return true;
  }
  return false;
}

// Floods a new region from a span over uncovered free spans, keeping a ring of free spans to other regions unless `greedy`.
static bool flood(Watershed *w, uint32_t seed, uint16_t level, uint32_t region, bool greedy) {
  const CrOpenField *field = w->field;
  uint32_t depth = 0;
  if (!greedy && touches_other_region(field, seed, region)) return false;
  field->region[seed] = region;
  w->stack[depth++] = seed;
  while (depth) {
    uint32_t span = w->stack[--depth];
    w->reach[span] = 0;
    for (uint32_t dir = 0; dir < 4; dir++) {
      uint32_t other = field->neighbour[4 * (size_t)span + dir];
      if (other == CR_NO_SPAN || !is_free(w, other) || field->area[other] != field->area[seed]) continue;
      if (w->level[other] < level || overlaps(w, other, region)) continue;
      if (!greedy && touches_other_region(field, other, region)) continue;
      field->region[other] = region;
      w->stack[depth++] = other;
    }
  }
  return true;
}

static void take_level(Watershed *w, uint32_t from, uint32_t to, uint32_t *leftover, uint32_t *leftover_count) {
  CrOpenField *field = w->field;
  uint16_t level = w->level[w->by_level[from]];
  uint32_t count = 0, left = 0;
  w->wave_number++;
  for (uint32_t i = 0; i < *leftover_count; i++) offer(w, w->wave, &count, leftover[i]);
  for (uint32_t i = from; i < to; i++) offer(w, w->wave, &count, w->by_level[i]);
  expand(w, count, level);
  for (uint32_t i = from; i < to; i++) {
    uint32_t seed = w->by_level[i];
    if (is_free(w, seed) && flood(w, seed, level, field->region_count + 1, false)) field->region_count++;
  }
  for (uint32_t i = 0; i < *leftover_count; i++) {
    if (is_free(w, leftover[i])) leftover[left++] = leftover[i];
  }
  for (uint32_t i = from; i < to; i++) {
    if (is_free(w, w->by_level[i])) leftover[left++] = w->by_level[i];
  }
  *leftover_count = left;
}

// What is still free after the last level lies between regions or over one of its own: it joins what it can, the rest
// become regions.
static void finish(Watershed *w, const uint32_t *leftover, uint32_t leftover_count) {
  CrOpenField *field = w->field;
  uint32_t count = 0;
  w->wave_number++;
  for (uint32_t i = 0; i < leftover_count; i++) offer(w, w->wave, &count, leftover[i]);
  expand(w, count, 0);
  for (uint32_t i = 0; i < leftover_count; i++) {
    if (is_free(w, leftover[i]) && flood(w, leftover[i], 0, field->region_count + 1, true)) field->region_count++;
  }
}

bool cr__watershed(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena) {
  Watershed w;
  if (field->count == 0) return true;
  uint32_t *leftover = cr__arena_alloc(arena, field->count, sizeof *leftover);
  uint32_t leftover_count = 0;
  if (!leftover || !start(&w, field, arena)) return false;
  cr__paint_borders(field);
  for (uint32_t from = 0; from < field->count;) {
    uint32_t to = from;
    while (to < field->count && w.level[w.by_level[to]] == w.level[w.by_level[from]]) to++;
    take_level(&w, from, to, leftover, &leftover_count);
    from = to;
  }
  finish(&w, leftover, leftover_count);
  return cr__tidy_regions(field, false, min_region_area, merge_region_area, arena);
}
