// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Heights of the open field for the detail surface: at corners of columns by the rule the outline's vertices follow (the highest
// floor of the fan), and along edges between two such corners, so that level and evenly sloping ground needs no detail.
// Order: columns round a corner in the order of `around`, spans bottom up; of equally near floors the first.
#include "outline_internal.h"

// The four columns round a corner, and the side of each that starts there.
static const struct {
  int32_t x, z;
  int dir;
} around[4] = {{-1, -1, 1}, {0, -1, 0}, {-1, 0, 2}, {0, 0, 3}};

typedef struct Base {
  uint32_t span;
  int dir;
} Base;

typedef struct Search {
  Base near;        // a walkable span within half the agent's height of what is expected
  double distance;  // of its floor
  Base piece;       // the first span of a wanted piece, at any height
} Search;

// Looks at the spans of one column; true when one belongs to a wanted piece and is near what is expected, by less than half
// the agent's height, or than one more than the climb. (A piece that winds over
// itself, as on a spiral ramp, is beside this place on another storey too.)
static bool search_column(const CrDetailSource *source, size_t column, uint32_t piece_a, uint32_t piece_b,
                          double expected, int dir, Search *search) {
  const CrOpenField *field = source->field;
  double limit = cr__max(0.5 * (double)field->cells.height, (double)field->cells.climb + 1.0);
  for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
    if (field->area[span] == CR_AREA_NONE) continue;
    double distance = cr__abs((double)field->floor[span] - expected);
    uint32_t piece = source->pieces->of[span];
    if (piece != 0 && (piece == piece_a || piece == piece_b)) {
      if (distance < limit) {
        search->near = (Base){span, dir};
        return true;
      }
      if (search->piece.span == CR_NO_SPAN) search->piece = (Base){span, dir};
    } else if (distance < search->distance) {
      search->near = (Base){span, dir};
      search->distance = distance;
    }
  }
  return false;
}

bool cr__detail_height(const CrDetailSource *source, int32_t x, int32_t z, uint32_t piece_a, uint32_t piece_b,
                       double expected, double *out_y) {
  const CrGrid *grid = &source->field->grid;
  Search search = {{CR_NO_SPAN, 0}, 0.5 * (double)source->field->cells.height, {CR_NO_SPAN, 0}};
  for (int i = 0; i < 4; i++) {
    int32_t cx = x + around[i].x, cz = z + around[i].z;
    if (cx < 0 || cz < 0 || cx >= grid->width || cz >= grid->depth) continue;
    size_t column = (size_t)cx + (size_t)cz * (size_t)grid->width;
    if (search_column(source, column, piece_a, piece_b, expected, around[i].dir, &search)) break;
  }
  Base base = search.near.span != CR_NO_SPAN ? search.near : search.piece;
  if (base.span == CR_NO_SPAN) return false;
  *out_y = (double)cr__fan_height(source->field, base.span, base.dir);
  return true;
}
