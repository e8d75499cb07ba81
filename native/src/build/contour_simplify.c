// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Arcs reduced to few vertices, in the manner of Douglas and Peucker (1973): a range of an arc becomes one segment when the raw
// vertices between are near enough and the move from the raw chain to the segment passes over no vertex of any other boundary
// of the same storey or piece; else it is split. Since every arc is checked against all raw vertices, segments cross nothing,
// whatever becomes of the other arcs, no hole is swallowed, and no vertex lies inside a segment.
// Order: ranges from the front; of equally far vertices the first splits.
#include "outline_internal.h"

// Longer ranges are halved unseen: bounds the work on spirals.
#define LONGEST_RANGE 4096

typedef struct Range {
  uint32_t first, last;  // positions in the arc's chain
} Range;

typedef struct Point {
  int32_t x, z, y;
} Point;

typedef struct Simplifier {
  const CrBoundary *boundary;
  const CrSimplifyLimits *limits;
  CrArena *arena;
  CrArcs *arcs;
  uint32_t arc;        // under way
  bool bounded, wall;  // whether the error limit and the edge length limit hold for it
  Point *points;       // its chain
  size_t point_capacity;
  Range *stack;
  size_t stack_count, stack_capacity;
  int32_t *low, *high;  // of the swept strip, per coordinate along its main axis
} Simplifier;

static int64_t dist2(Point a, Point b) {
  int64_t dx = (int64_t)b.x - a.x, dz = (int64_t)b.z - a.z;
  return dx * dx + dz * dz;
}

static double segment_dist2(Point a, Point b, Point p) {
  int64_t dx = (int64_t)b.x - a.x, dz = (int64_t)b.z - a.z, length2 = dx * dx + dz * dz;
  int64_t along = (p.x - a.x) * dx + (p.z - a.z) * dz;
  if (along <= 0) return (double)dist2(a, p);
  if (along >= length2) return (double)dist2(b, p);
  double across = (double)cr__turn(a.x, a.z, b.x, b.z, p.x, p.z);
  return across * across / (double)length2;
}

// The vertex of [from, to] farthest from the segment.
static double farthest(const Simplifier *s, Point a, Point b, uint32_t from, uint32_t to, uint32_t *out_at) {
  double best = 0.0;
  for (uint32_t k = from; k <= to; k++) {
    double d = segment_dist2(a, b, s->points[k]);
    if (d <= best) continue;  // order: the first of equals
    best = d;
    *out_at = k;
  }
  return best;
}

// Border arcs are straight; what counts is height, so that both tiles' portals meet within the climb.
static bool rises_too_far(const Simplifier *s, Range r, uint32_t *out_at) {
  int64_t count = r.last - r.first, best = 0;
  int64_t base = s->points[r.first].y, rise = s->points[r.last].y - base;
  for (uint32_t k = r.first + 1; k < r.last; k++) {
    int64_t error = (s->points[k].y - base) * count - rise * (int64_t)(k - r.first);
    if (error < 0) error = -error;
    if (error <= best) continue;  // order: the first of equals
    best = error;
    *out_at = k;
  }
  return 4 * best > s->limits->climb * count;
}

// --- The sweep from the raw chain to the segment --------------------------------------------------------------------------

// Low and high bound of the strip at each coordinate of the main axis: the raw chain and the segment lie in it.
static void bound_strip(Simplifier *s, Range r, bool swap, int32_t *out_min, int32_t *out_max) {
  int32_t min = INT32_MAX, max = INT32_MIN;
  for (uint32_t k = r.first; k <= r.last; k++) {
    int32_t main = swap ? s->points[k].z : s->points[k].x;
    if (main < min) min = main;
    if (main > max) max = main;
  }
  for (int32_t m = min; m <= max; m++) {
    s->low[m] = INT32_MAX;
    s->high[m] = INT32_MIN;
  }
  for (uint32_t k = r.first; k <= r.last; k++) {
    int32_t main = swap ? s->points[k].z : s->points[k].x, side = swap ? s->points[k].x : s->points[k].z;
    if (side < s->low[main]) s->low[main] = side;
    if (side > s->high[main]) s->high[main] = side;
  }
  *out_min = min;
  *out_max = max;
}

static void add_segment_to_strip(Simplifier *s, Point a, Point b, bool swap) {
  int32_t am = swap ? a.z : a.x, as = swap ? a.x : a.z, bm = swap ? b.z : b.x, bs = swap ? b.x : b.z;
  if (am > bm) {
    int32_t t = am;
    am = bm;
    bm = t;
    t = as;
    as = bs;
    bs = t;
  }
  for (int32_t m = am; m <= bm && bm > am; m++) {
    int64_t offset = (int64_t)(m - am) * (bs - as), length = bm - am;
    int32_t down = as + cr__floor_div(offset, length), up = as - cr__floor_div(-offset, length);
    if (up < s->low[m]) s->low[m] = up;
    if (down > s->high[m]) s->high[m] = down;
  }
}

// Whether vertex v stands in the way of the range: of another strand, and of the same storey or one of the arc's pieces.
static bool is_obstacle(const Simplifier *s, Range r, uint32_t v, int32_t y_min, int32_t y_max) {
  const CrOutlineCorner *corner = &s->boundary->vertices[v];
  if (corner->arc == s->arc && corner->position > r.first && corner->position < r.last) return false;
  int32_t level = s->limits->level;
  if ((int64_t)corner->y > (int64_t)y_min - level && (int64_t)corner->y < (int64_t)y_max + level) return true;
  const CrArc *arc = &s->arcs->items[s->arc];
  for (uint32_t e = corner->first; e != CR_NONE; e = s->boundary->edges[e].sibling) {
    uint32_t piece = s->boundary->edges[e].piece;
    if (piece == arc->piece || piece == arc->behind) return true;
  }
  return false;
}

static bool sweep_is_free(Simplifier *s, Range r) {
  Point a = s->points[r.first], b = s->points[r.last];
  int32_t dx = b.x > a.x ? b.x - a.x : a.x - b.x, dz = b.z > a.z ? b.z - a.z : a.z - b.z;
  bool swap = dz > dx;
  int32_t min, max, y_min = INT32_MAX, y_max = INT32_MIN;
  bound_strip(s, r, swap, &min, &max);
  add_segment_to_strip(s, a, b, swap);
  for (uint32_t k = r.first; k <= r.last; k++) {
    if (s->points[k].y < y_min) y_min = s->points[k].y;
    if (s->points[k].y > y_max) y_max = s->points[k].y;
  }
  for (int32_t m = min; m <= max; m++) {
    for (int32_t n = s->low[m]; n <= s->high[m]; n++) {
      int32_t x = swap ? n : m, z = swap ? m : n;
      if ((x == a.x && z == a.z) || (x == b.x && z == b.z)) continue;
      for (uint32_t v = cr__place_first(s->boundary, x, z); v != CR_NONE; v = s->boundary->vertices[v].same_place) {
        if (is_obstacle(s, r, v, y_min, y_max)) return false;
      }
    }
  }
  return true;
}

// --- Ranges ---------------------------------------------------------------------------------------------------------

// Whether the range may be one segment; else where to split it.
static bool accept(Simplifier *s, Range r, uint32_t *out_split) {
  if (r.last - r.first == 1) return true;
  uint32_t middle = r.first + (r.last - r.first) / 2;
  *out_split = middle;
  if (r.last - r.first > LONGEST_RANGE) return false;
  if (s->arcs->items[s->arc].behind & CR_BEHIND_BORDER) {
    if (rises_too_far(s, r, out_split)) return false;
  } else {
    Point a = s->points[r.first], b = s->points[r.last];
    double error2 = farthest(s, a, b, r.first + 1, r.last - 1, out_split);
    if (s->bounded && error2 > s->limits->error2) return false;
    if (s->wall && s->limits->edge2 > 0.0 && (double)dist2(a, b) > s->limits->edge2) {
      *out_split = middle;
      return false;
    }
  }
  return sweep_is_free(s, r);
}

static bool push_range(Simplifier *s, uint32_t first, uint32_t last) {
  if (!cr__arena_grow(s->arena, (void **)&s->stack, &s->stack_capacity, s->stack_count, s->stack_count + 1,
                      sizeof *s->stack)) {
    return false;
  }
  s->stack[s->stack_count++] = (Range){first, last};
  return true;
}

static bool keep(Simplifier *s, uint32_t position) {
  CrArcs *arcs = s->arcs;
  if (!cr__arena_grow(s->arena, (void **)&arcs->kept, &arcs->kept_capacity, arcs->kept_count, arcs->kept_count + 1,
                      sizeof *arcs->kept)) {
    return false;
  }
  arcs->kept[arcs->kept_count++] = position;
  return true;
}

// First ranges of an arc that comes back to its start: cut at the vertex farthest from there, and at the one farthest from the
// line between, so that it keeps an area.
static bool push_ring(Simplifier *s, uint32_t last) {
  Point a = s->points[0];
  uint32_t far = last / 2, off = CR_NONE;
  farthest(s, a, a, 1, last - 1, &far);
  farthest(s, a, s->points[far], 1, last - 1, &off);
  uint32_t first_cut = off != CR_NONE && off < far ? off : far, second_cut = off != CR_NONE && off > far ? off : far;
  if (!push_range(s, second_cut, last)) return false;
  if (first_cut != second_cut && !push_range(s, first_cut, second_cut)) return false;
  return push_range(s, 0, first_cut);
}

static bool simplify_ranges(Simplifier *s, const CrArc *arc) {
  bool pushed = arc->ring ? push_ring(s, arc->edge_count) : push_range(s, 0, arc->edge_count);
  if (!pushed || !keep(s, 0)) return false;
  while (s->stack_count) {
    Range r = s->stack[--s->stack_count];
    uint32_t split;
    if (accept(s, r, &split)) {
      if (!keep(s, r.last)) return false;
    } else if (!push_range(s, split, r.last) || !push_range(s, r.first, split)) {
      return false;
    }
  }
  return true;
}

static bool load_points(Simplifier *s, const CrArc *arc) {
  size_t count = (size_t)arc->edge_count + 1;
  if (!cr__arena_grow(s->arena, (void **)&s->points, &s->point_capacity, 0, count, sizeof *s->points)) return false;
  for (size_t k = 0; k < count; k++) {
    const CrOutlineCorner *corner = &s->boundary->vertices[s->arcs->chain[arc->chain + k]];
    s->points[k] = (Point){corner->x, corner->z, corner->y};
  }
  return true;
}

static bool simplify_arc(Simplifier *s, const CrPieces *pieces) {
  CrArc *arc = &s->arcs->items[s->arc];
  bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
  s->wall = arc->behind == CR_BEHIND_WALL;
  s->bounded = !shared || pieces->area[arc->piece] != pieces->area[arc->behind];
  if (!load_points(s, arc)) return false;
  arc->kept = (uint32_t)s->arcs->kept_count;
  if (!simplify_ranges(s, arc)) return false;
  arc->segment_count = (uint32_t)s->arcs->kept_count - arc->kept - 1;
  arc->segment = s->arcs->segment_count;
  s->arcs->segment_count += arc->segment_count;
  return true;
}

bool cr__arcs_simplify(const CrBoundary *boundary, const CrPieces *pieces, const CrSimplifyLimits *limits,
                       CrArena *arena, CrArcs *arcs) {
  Simplifier s = {.boundary = boundary, .limits = limits, .arena = arena, .arcs = arcs};
  size_t rows = 0;
  for (uint32_t v = 0; v < boundary->vertex_count; v++) {
    size_t x = (size_t)boundary->vertices[v].x + 1, z = (size_t)boundary->vertices[v].z + 1;
    rows = x > rows ? x : rows;
    rows = z > rows ? z : rows;
  }
  s.low = cr__arena_alloc(arena, rows, sizeof *s.low);
  s.high = cr__arena_alloc(arena, rows, sizeof *s.high);
  if (!s.low || !s.high) return false;
  for (; s.arc < arcs->count; s.arc++) {
    if (!simplify_arc(&s, pieces)) return false;
  }
  return true;
}
