// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Sorting of indices: insertion-sorted runs merged bottom up. Stable, never quadratic, and the same on every platform
// (qsort is neither).
#include "navmesh_internal.h"

#define RUN_LENGTH 12  // insertion sort is fastest for short runs

static void sort_run(uint32_t *items, size_t count, CrIndexLess less, const void *context) {
  for (size_t i = 1; i < count; i++) {
    uint32_t item = items[i];
    size_t k = i;
    for (; k > 0 && less(context, item, items[k - 1]); k--) items[k] = items[k - 1];
    items[k] = item;
  }
}

static void merge(const uint32_t *left, size_t left_count, const uint32_t *right, size_t right_count, uint32_t *out,
                  CrIndexLess less, const void *context) {
  const uint32_t *left_end = left + left_count, *right_end = right + right_count;
  while (left < left_end && right < right_end) *out++ = less(context, *right, *left) ? *right++ : *left++;
  while (left < left_end) *out++ = *left++;
  while (right < right_end) *out++ = *right++;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

void cr__sort_indices(uint32_t *items, uint32_t *scratch, size_t count, CrIndexLess less, const void *context) {
  for (size_t at = 0; at < count; at += RUN_LENGTH) {
    sort_run(items + at, smaller(RUN_LENGTH, count - at), less, context);
  }
  uint32_t *from = items, *to = scratch;
  for (size_t width = RUN_LENGTH; width < count; width *= 2) {
    for (size_t at = 0; at < count; at += 2 * width) {
      size_t left = smaller(width, count - at), right = smaller(width, count - at - left);
      merge(from + at, left, from + at + left, right, to + at, less, context);
    }
    uint32_t *swap = from;
    from = to;
    to = swap;
  }
  if (from != items) memcpy(items, from, count * sizeof *items);
}
