// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What each triangle is to the rasterizer: ground of an area, an obstacle, or nothing (degenerate, or a duplicate of one before it).
// Duplicates are found by sorting: rotated so that the least index comes first, triangles are counting-sorted by all three indices, so the cost
// is in proportion to the input whatever it holds.
#include "builder_internal.h"

// While they are told apart; then all are CR_TRIANGLE_SKIPPED, CR_AREA_NONE or an area.
enum { DEGENERATE = 0xF0, DUPLICATE = 0xF1, DOWNWARD = 0xF2, STEEP = 0xF3 };

static CrVec3 corner(const CrBuildInput *input, uint32_t triangle, uint32_t k) {
  const double *p = input->vertices + 3 * (size_t)input->triangles[3 * (size_t)triangle + k];
  return cr__vec(p[0], p[1], p[2]);
}

// Walkable: facing up, no steeper than the limit (a slope equal to it but for rounding counts).
static uint8_t kind_of(const CrBuildInput *input, double slope_limit2, uint32_t triangle) {
  CrVec3 a = corner(input, triangle, 0);
  CrVec3 u = cr__sub(corner(input, triangle, 1), a), v = cr__sub(corner(input, triangle, 2), a);
  double nx = u.y * v.z - u.z * v.y, ny = u.z * v.x - u.x * v.z, nz = u.x * v.y - u.y * v.x;
  if (nx == 0 && ny == 0 && nz == 0) return DEGENERATE;
  if (ny <= 0) return DOWNWARD;
  if (ny * ny < slope_limit2 * (1.0 - 1e-9) * (nx * nx + ny * ny + nz * nz)) return STEEP;
  return input->areas ? input->areas[triangle] : 0;
}

static void count_one(uint32_t *count, int64_t *first, uint32_t triangle) {
  if ((*count)++ == 0) *first = triangle;
}

// Counts a triangle and gives what it is to the rasterizer.
static uint8_t settle(CrBuildReport *report, uint32_t triangle, uint8_t kind) {
  if (kind == DEGENERATE) count_one(&report->triangles_degenerate, &report->first_degenerate, triangle);
  if (kind == DUPLICATE) count_one(&report->triangles_duplicate, &report->first_duplicate, triangle);
  if (kind == DEGENERATE || kind == DUPLICATE) return CR_TRIANGLE_SKIPPED;
  report->triangles_used++;
  if (kind == DOWNWARD) count_one(&report->triangles_downward, &report->first_downward, triangle);
  if (kind == STEEP) count_one(&report->triangles_steep, &report->first_steep, triangle);
  return kind == DOWNWARD || kind == STEEP ? CR_AREA_NONE : kind;
}

// --- Duplicates -------------------------------------------------------------------------------------------------------

typedef struct Sorter {
  const CrBuildInput *input;
  uint32_t *items, *sorted;  // triangle numbers
  uint32_t *starts;          // vertex_count + 1
} Sorter;

// Index k of a triangle rotated to begin with its least one.
static uint32_t rotated(const CrBuildInput *input, uint32_t triangle, uint32_t k) {
  const uint32_t *t = input->triangles + 3 * (size_t)triangle;
  uint32_t least = t[1] < t[0] ? (t[2] < t[1] ? 2 : 1) : (t[2] < t[0] ? 2 : 0);
  return t[(least + k) % 3];
}

// Stable, so triangles with equal indices stay in their order.
static void sort_by(Sorter *s, uint32_t k) {
  uint32_t count = s->input->triangle_count, vertices = s->input->vertex_count;
  memset(s->starts, 0, ((size_t)vertices + 1) * sizeof *s->starts);
  for (uint32_t i = 0; i < count; i++) s->starts[rotated(s->input, s->items[i], k) + 1]++;
  for (uint32_t v = 0; v < vertices; v++) s->starts[v + 1] += s->starts[v];
  for (uint32_t i = 0; i < count; i++) s->sorted[s->starts[rotated(s->input, s->items[i], k)]++] = s->items[i];
  uint32_t *swap = s->items;
  s->items = s->sorted;
  s->sorted = swap;
}

static bool same_indices(const CrBuildInput *input, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < 3; k++) {
    if (rotated(input, a, k) != rotated(input, b, k)) return false;
  }
  return true;
}

// Equal triangles are neighbours in the sorted order, the first of them first. Those of one area are duplicates.
static void mark_duplicates(const CrBuildInput *input, const uint32_t *sorted, uint8_t *kinds) {
  uint64_t areas = 0;  // of the equal triangles so far
  for (uint32_t i = 0; i < input->triangle_count; i++) {
    if (i == 0 || !same_indices(input, sorted[i - 1], sorted[i])) areas = 0;
    if (kinds[sorted[i]] == DEGENERATE) continue;
    uint64_t area = UINT64_C(1) << (input->areas ? input->areas[sorted[i]] : 0);
    if (areas & area) kinds[sorted[i]] = DUPLICATE;
    areas |= area;
  }
}

static bool find_duplicates(const CrBuildInput *input, const CrAllocator *allocator, uint8_t *kinds) {
  size_t count = input->triangle_count, starts = (size_t)input->vertex_count + 1;
  Sorter s = {.input = input};
  uint32_t *memory = cr__alloc(allocator, 2 * count + starts, sizeof *memory);
  if (!memory) return false;
  s.items = memory;
  s.sorted = memory + count;
  s.starts = memory + 2 * count;
  for (uint32_t i = 0; i < count; i++) s.items[i] = i;
  for (uint32_t key = 3; key-- > 0;) sort_by(&s, key);
  mark_duplicates(input, s.items, kinds);
  cr__free(allocator, memory, 2 * count + starts, sizeof *memory);
  return true;
}

bool cr__triangle_kinds(const CrBuildInput *input, double max_slope, const CrAllocator *allocator, uint8_t *kinds,
                        CrBuildReport *report) {
  double c = cr__cos_degrees(max_slope);
  for (uint32_t i = 0; i < input->triangle_count; i++) kinds[i] = kind_of(input, c * c, i);
  if (!find_duplicates(input, allocator, kinds)) return false;
  for (uint32_t i = 0; i < input->triangle_count; i++) kinds[i] = settle(report, i, kinds[i]);
  return true;
}
