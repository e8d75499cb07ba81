// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Regions cut into pieces whose outlines are plane figures: connected through links, of one area, and never twice in a column.
// Regions from the watershed are such pieces already; the flood makes it certain for any partition.
// Order: pieces are numbered by their first span; a piece grows breadth first, directions in order, and a span in whose
// column it already stands is left for a later piece.
#include "outline_internal.h"

typedef struct Flood {
  const CrOpenField *field;
  CrOwnSquare square;
  CrPieces *pieces;
  uint32_t *queue;    // spans of the piece under way
  uint32_t *columns;  // and their columns
  uint32_t *taken;    // per column: last piece that stands in it
} Flood;

static bool is_inside(const Flood *flood, uint32_t span) {
  uint32_t region = flood->field->region[span];
  return region != 0 && !(region & CR_BORDER_REGION) && flood->field->area[span] != CR_AREA_NONE;
}

static bool joins(const Flood *flood, uint32_t from, uint32_t to) {
  const CrOpenField *field = flood->field;
  return !flood->pieces->of[to] && field->region[to] == field->region[from] && field->area[to] == field->area[from];
}

static void take(Flood *flood, uint32_t *count, uint32_t span, uint32_t column) {
  flood->pieces->of[span] = flood->pieces->count;
  flood->taken[column] = flood->pieces->count;
  flood->queue[*count] = span;
  flood->columns[(*count)++] = column;
}

static void grow_piece(Flood *flood, uint32_t seed, uint32_t seed_column) {
  int32_t width = flood->field->grid.width;
  uint32_t count = 0;
  take(flood, &count, seed, seed_column);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t span = flood->queue[i], column = flood->columns[i];
    int32_t x = (int32_t)(column % (uint32_t)width), z = (int32_t)(column / (uint32_t)width);
    for (int dir = 0; dir < 4; dir++) {
      uint32_t to = flood->field->neighbour[(size_t)span * 4 + (size_t)dir];
      if (to == CR_NO_SPAN || !joins(flood, span, to) || cr__open_link(flood->field, span, dir) == CR_NO_SPAN) continue;
      int32_t to_x = x + cr__dir_x[dir], to_z = z + cr__dir_z[dir];
      if (!cr__owns(flood->square, to_x, to_z)) continue;
      uint32_t to_column = (uint32_t)to_x + (uint32_t)to_z * (uint32_t)width;
      if (flood->taken[to_column] != flood->pieces->count) take(flood, &count, to, to_column);
    }
  }
}

static bool number_pieces(Flood *flood, CrArena *arena) {
  const CrOpenField *field = flood->field;
  CrPieces *pieces = flood->pieces;
  size_t area_capacity = 0, region_capacity = 0;
  if (!cr__arena_grow(arena, (void **)&pieces->area, &area_capacity, 0, 1, 1) ||
      !cr__arena_grow(arena, (void **)&pieces->region, &region_capacity, 0, 1, sizeof *pieces->region)) {
    return false;
  }
  pieces->area[0] = CR_AREA_NONE;
  pieces->region[0] = 0;
  for (int32_t z = flood->square.z0; z < flood->square.z1; z++) {
    for (int32_t x = flood->square.x0; x < flood->square.x1; x++) {
      uint32_t column = (uint32_t)x + (uint32_t)z * (uint32_t)field->grid.width;
      for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
        if (pieces->of[span] || !is_inside(flood, span)) continue;
        pieces->count++;
        size_t used = pieces->count;
        if (!cr__arena_grow(arena, (void **)&pieces->area, &area_capacity, used, used + 1, 1) ||
            !cr__arena_grow(arena, (void **)&pieces->region, &region_capacity, used, used + 1, sizeof(uint32_t))) {
          return false;
        }
        pieces->area[used] = field->area[span];
        pieces->region[used] = field->region[span];
        grow_piece(flood, span, column);
      }
    }
  }
  return true;
}

bool cr__pieces_find(const CrOpenField *field, CrArena *arena, CrPieces *out) {
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  *out = (CrPieces){.of = cr__arena_zeroed(arena, field->count, sizeof *out->of)};
  Flood flood = {field, cr__own_square(&field->grid), out, NULL, NULL, NULL};
  flood.queue = cr__arena_alloc(arena, field->count, sizeof *flood.queue);
  flood.columns = cr__arena_alloc(arena, field->count, sizeof *flood.columns);
  flood.taken = cr__arena_zeroed(arena, columns, sizeof *flood.taken);
  if (!out->of || !flood.queue || !flood.columns || !flood.taken) return false;
  return number_pieces(&flood, arena);
}

// --- Regions that are pieces ------------------------------------------------------------------------------------------

typedef struct Relabel {
  const CrOpenField *field;
  CrPieces *pieces;
  uint32_t *piece_of;  // per region
} Relabel;

static bool label_span(Relabel *r, uint32_t span, uint32_t column_first) {
  const CrOpenField *field = r->field;
  uint32_t region = field->region[span];
  if (region == 0 || region & CR_BORDER_REGION || field->area[span] == CR_AREA_NONE) return true;
  uint32_t *piece = &r->piece_of[region];
  if (*piece == 0) {
    *piece = ++r->pieces->count;
    r->pieces->area[*piece] = field->area[span];
    r->pieces->region[*piece] = region;
  }
  for (uint32_t below = column_first; below < span; below++) {
    if (r->pieces->of[below] == *piece) return false;
  }
  r->pieces->of[span] = *piece;
  return r->pieces->area[*piece] == field->area[span];
}

static bool label_regions(Relabel *r, CrOwnSquare square) {
  const CrOpenField *field = r->field;
  for (int32_t z = square.z0; z < square.z1; z++) {
    for (int32_t x = square.x0; x < square.x1; x++) {
      size_t column = (size_t)x + (size_t)z * (size_t)field->grid.width;
      for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
        if (!label_span(r, span, field->first[column])) return false;
      }
    }
  }
  return true;
}

bool cr__pieces_of_regions(const CrOpenField *field, CrArena *arena, CrPieces *out, bool *out_plausible) {
  size_t regions = (size_t)field->region_count + 1;
  *out = (CrPieces){.of = cr__arena_zeroed(arena, field->count, sizeof *out->of)};
  out->area = cr__arena_alloc(arena, regions, 1);
  out->region = cr__arena_zeroed(arena, regions, sizeof *out->region);
  Relabel relabel = {field, out, cr__arena_zeroed(arena, regions, sizeof *relabel.piece_of)};
  if (!out->of || !out->area || !out->region || !relabel.piece_of) return false;
  out->area[0] = CR_AREA_NONE;
  *out_plausible = label_regions(&relabel, cr__own_square(&field->grid));
  return true;
}
