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

void cr__paint_borders(CrOpenField *field) {
  const CrGrid *grid = &field->grid;
  int32_t b = grid->border;
  for (int32_t z = 0; b > 0 && z < grid->depth; z++) {
    for (int32_t x = 0; x < grid->width; x++) {
      if (x >= b && x < grid->width - b && z >= b && z < grid->depth - b) continue;
      size_t column = (size_t)z * (size_t)grid->width + (size_t)x;
      for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
        if (field->area[span] != CR_AREA_NONE) field->region[span] = CR_BORDER_REGION;
      }
    }
  }
}

bool cr__partition(CrOpenField *field, const CrBuildSettings *settings, CrArena *arena) {
  int32_t least = settings->min_region_area, merge = settings->merge_region_area;
  if (settings->partition == CR_PARTITION_MONOTONE) return cr__monotone(field, least, merge, arena);
  if (settings->partition == CR_PARTITION_LAYERS) return cr__layers(field, least, merge, arena);
  return cr__watershed(field, least, merge, arena);
}
