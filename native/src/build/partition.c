// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The choice of partition, and what all of them need: columns of spans, and the border's own region. Whatever the partition, a region is connected,
// of one area, and never above itself.
#include "regions_internal.h"

uint32_t *cr__span_columns(const CrOpenField *field, CrArena *arena) {
  uint32_t *column_of = cr__arena_alloc(arena, field->count, sizeof *column_of);
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  for (size_t column = 0; column_of && column < columns; column++) {
    for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
      column_of[span] = (uint32_t)column;
    }
  }
  return column_of;
}

// Columns first..end - 1, one after the other in a row or over whole rows: their spans are one run.
static void paint_columns(CrOpenField *field, size_t first, size_t end) {
  for (uint32_t span = field->first[first]; span < field->first[end]; span++) {
    if (field->area[span] != CR_AREA_NONE) field->region[span] = CR_BORDER_REGION;
  }
}

void cr__paint_borders(CrOpenField *field) {
  size_t width = (size_t)field->grid.width, depth = (size_t)field->grid.depth, b = (size_t)field->grid.border;
  if (b == 0) return;
  paint_columns(field, 0, b * width);
  for (size_t z = b; z < depth - b; z++) {
    paint_columns(field, z * width, z * width + b);
    paint_columns(field, (z + 1) * width - b, (z + 1) * width);
  }
  paint_columns(field, (depth - b) * width, depth * width);
}

bool cr__partition(CrOpenField *field, const CrBuildSettings *settings, CrArena *arena) {
  int32_t least = settings->min_region_area, merge = settings->merge_region_area;
  if (settings->partition == CR_PARTITION_MONOTONE) return cr__monotone(field, least, merge, arena);
  if (settings->partition == CR_PARTITION_LAYERS) return cr__layers(field, least, merge, arena);
  return cr__watershed(field, least, merge, arena);
}
