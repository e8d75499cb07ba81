// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// An open field cut into heightfield layers. Spans that no later stage can read are left out: of the spans that are not walkable
// those alone count whose floors raise a corner of a walkable one, which are those in the fan of linked spans round that corner.
// A layer holds at most one span of a column; spans that are linked share one as far as that allows.
// Order: spans are flooded by index into pieces, breadth first, directions in order; a piece goes to the oldest of the latest
// RECENT layers with room in all its columns, or starts the next layer.
#include "layers_internal.h"

#define RECENT 32

typedef struct Split {
  const CrOpenField *field;
  CrLayers *out;
  uint8_t *corners;       // per span: mask of the corners reached
  uint32_t *stack;        // span * 4 + corner; then the spans of a piece
  uint32_t *taken;        // per column: last piece that stands in it
  uint8_t *room[RECENT];  // per recent layer (number modulo RECENT): mask of its columns
  size_t columns;
} Split;

// --- Spans to keep ----------------------------------------------------------------------------------------------------

static void reach(Split *split, uint32_t *depth, uint32_t span, uint32_t corner) {
  if (span == CR_NO_SPAN || split->corners[span] >> corner & 1) return;
  split->corners[span] |= (uint8_t)(1u << corner);
  split->stack[(*depth)++] = span * 4 + corner;
}

// Turns round every corner of every walkable span, both ways.
static void reach_fans(Split *split) {
  const CrOpenField *field = split->field;
  uint32_t depth = 0;
  for (uint32_t span = 0; span < field->count; span++) {
    split->corners[span] = field->area[span] == CR_AREA_NONE ? 0 : 0xF;
  }
  for (uint32_t seed = 0; seed < field->count; seed++) {
    if (field->area[seed] == CR_AREA_NONE) continue;
    for (uint32_t corner = 0; corner < 4; corner++) {
      split->stack[depth++] = seed * 4 + corner;
      while (depth) {
        uint32_t span = split->stack[--depth] >> 2, at = split->stack[depth] & 3;
        reach(split, &depth, field->neighbour[4 * (size_t)span + at], (at + 1) & 3);
        reach(split, &depth, field->neighbour[4 * (size_t)span + ((at + 1) & 3)], (at + 3) & 3);
      }
    }
  }
}

// --- Pieces and layers ------------------------------------------------------------------------------------------------

// Floods from `seed`; the piece's spans end up on the stack. Returns how many.
static uint32_t flood(Split *split, uint32_t seed, uint32_t piece) {
  const CrOpenField *field = split->field;
  CrLayers *out = split->out;
  uint32_t count = 1;
  split->stack[0] = seed;
  split->taken[out->column[seed]] = piece;
  split->corners[seed] = 0;  // no longer waiting
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t dir = 0; dir < 4; dir++) {
      uint32_t to = field->neighbour[4 * (size_t)split->stack[i] + dir];
      if (to == CR_NO_SPAN || !split->corners[to] || split->taken[out->column[to]] == piece) continue;
      split->taken[out->column[to]] = piece;
      split->corners[to] = 0;
      split->stack[count++] = to;
    }
  }
  return count;
}

static bool has_room(const Split *split, uint32_t layer, uint32_t count) {
  const uint8_t *room = split->room[layer % RECENT];
  for (uint32_t i = 0; i < count; i++) {
    uint32_t column = split->out->column[split->stack[i]];
    if (room[column >> 3] >> (column & 7) & 1) return false;
  }
  return true;
}

static bool place_piece(Split *split, CrArena *arena, uint32_t count) {
  CrLayers *out = split->out;
  uint32_t layer = out->count > RECENT ? out->count - RECENT : 0;
  while (layer < out->count && !has_room(split, layer, count)) layer++;
  uint8_t **room = &split->room[layer % RECENT];
  if (layer == out->count) {
    size_t bytes = split->columns / 8 + 1;
    if (!*room) *room = cr__arena_alloc(arena, bytes, 1);
    if (!*room) return false;
    memset(*room, 0, bytes);
    out->count++;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t column = out->column[split->stack[i]];
    (*room)[column >> 3] |= (uint8_t)(1u << (column & 7));
    out->layer_of[split->stack[i]] = layer;
  }
  out->span_count += count;
  return true;
}

static bool assign_layers(Split *split, CrArena *arena) {
  uint32_t piece = 0;
  for (uint32_t span = 0; span < split->field->count; span++) {
    if (!split->corners[span]) continue;
    if (!place_piece(split, arena, flood(split, span, ++piece))) return false;
  }
  return true;
}

static bool sort_by_layer(const CrOpenField *field, CrArena *arena, CrLayers *out) {
  out->first = cr__arena_zeroed(arena, (size_t)out->count + 2, sizeof *out->first);
  out->spans = cr__arena_alloc(arena, out->span_count, sizeof *out->spans);
  if (!out->first || !out->spans) return false;
  for (uint32_t span = 0; span < field->count; span++) {
    if (out->layer_of[span] != CR_NO_SPAN) out->first[out->layer_of[span] + 2]++;
  }
  for (uint32_t layer = 0; layer < out->count; layer++) out->first[layer + 2] += out->first[layer + 1];
  for (uint32_t span = 0; span < field->count; span++) {
    if (out->layer_of[span] != CR_NO_SPAN) out->spans[out->first[out->layer_of[span] + 1]++] = span;
  }
  return true;
}

bool cr__layers_split(const CrOpenField *field, CrArena *arena, CrLayers *out) {
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth, count = field->count;
  *out = (CrLayers){0};
  Split split = {.field = field, .out = out, .columns = columns};
  out->layer_of = cr__arena_alloc(arena, count, sizeof *out->layer_of);
  out->column = cr__arena_alloc(arena, count, sizeof *out->column);
  split.corners = cr__arena_alloc(arena, count, 1);
  split.stack = cr__arena_alloc(arena, 4 * count + 4, sizeof *split.stack);
  split.taken = cr__arena_zeroed(arena, columns, sizeof *split.taken);
  if (arena->failed) return false;
  memset(out->layer_of, 0xFF, count * sizeof *out->layer_of);
  for (size_t column = 0; column < columns; column++) {
    for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
      out->column[span] = (uint32_t)column;
    }
  }
  reach_fans(&split);
  return assign_layers(&split, arena) && sort_by_layer(field, arena, out);
}
