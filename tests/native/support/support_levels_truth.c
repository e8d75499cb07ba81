// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The cylinder test. At every point of a grid a third of a cell fine, each triangle that is not too steep is a floor. All other triangles
// are obstacles: clipped exactly to the grid's squares they give the heights they take up there.
//  * What is at most the climb above the floor is stepped over; what is higher and below the agent's head blocks the place.
//  * Places next to each other are joined where the step between them is at most the climb and the agent fits through.
//  * A place with nothing joined on one of its four sides is an edge (of a wall, a drop, a ceiling too low). The agent stands where no edge that can
//    be reached over joined places is nearer than its radius.
// Voxels know a height to one cell height and a place to one cell; so the two kinds of truth differ by:
//  * robust: radius + 1.5 cells; three cell heights, and what a cell of the floor's slope rises, more headroom; climb (in whole cell heights)
//    less two of them for what is stepped over and less one for steps; and over three cells the steps may not add up to more (the ledge rule). A
//    slope at the limit itself (1e-6) is an obstacle.
//  * possible: radius less the grid's spacing; headroom and climb as they are, climb with one cell height, and the rise of a cell, more. A column is floor
//    when any floor lies in it: gaps of less than two cells between floors are filled, and at an edge where the ground goes on downwards, only too steep
//    to stand on (no wall, no drop), the radius is a cell less. A slope at the limit is a floor.
#include <math.h>

#include "check.h"
#include "levels_truth.h"

typedef struct Floor {
  uint32_t cell;
  double y, slope_x, slope_z;
  bool filler;  // over a gap
} Floor;

typedef struct Block {
  uint32_t cell;
  double low, high;
} Block;

typedef struct Survey {
  const Level *level;
  const CrBuildSettings *settings;
  bool robust;
  double climb, headroom, rise;  // climb in whole cell heights; of the steepest floor over a cell
  Truth *truth;
  Floor *floors;
  Block *blocks;
  size_t floor_count, floor_capacity, block_count, block_capacity;
  uint32_t *floor_first, *block_first;
} Survey;

static void *grown(void *memory, size_t *capacity, size_t count, size_t size) {
  if (count < *capacity) return memory;
  *capacity = *capacity ? 2 * *capacity : 4096;
  memory = realloc(memory, *capacity * size);
  REQUIRE(memory);
  return memory;
}

static CrVec3 corner(const Level *level, uint32_t triangle, uint32_t k) {
  const double *v = level->vertices + 3 * (size_t)level->triangles[3 * (size_t)triangle + k];
  return (CrVec3){v[0], v[1], v[2]};
}

// --- Floors -----------------------------------------------------------------------------------------------------------

static double clamp_index(double v, int32_t count) { return v < 0 ? 0 : v > count ? count : v; }

// First and last point of a line of the grid between two coordinates.
static int32_t index_up(double v, int32_t count) { return (int32_t)clamp_index(ceil(v), count); }
static int32_t index_down(double v, int32_t count) { return (int32_t)clamp_index(floor(v) + 1, count) - 1; }

static void add_floor(Survey *s, uint32_t cell, double y, double slope_x, double slope_z) {
  s->floors = grown(s->floors, &s->floor_capacity, s->floor_count, sizeof *s->floors);
  s->floors[s->floor_count++] = (Floor){cell, y, slope_x, slope_z, false};
}

static bool over(const CrVec3 p[3], double x, double z) {
  for (int k = 0; k < 3; k++) {
    const CrVec3 *a = &p[k], *b = &p[(k + 1) % 3];
    if ((b->x - a->x) * (z - a->z) - (b->z - a->z) * (x - a->x) > 1e-9) return false;
  }
  return true;
}

static void lay_floor(Survey *s, const CrVec3 p[3], double nx, double ny, double nz) {
  Truth *t = s->truth;
  double x0 = fmin(p[0].x, fmin(p[1].x, p[2].x)), x1 = fmax(p[0].x, fmax(p[1].x, p[2].x));
  double z0 = fmin(p[0].z, fmin(p[1].z, p[2].z)), z1 = fmax(p[0].z, fmax(p[1].z, p[2].z));
  int32_t row0 = index_up((z0 - t->z0) / t->spacing, t->rows), row1 = index_down((z1 - t->z0) / t->spacing, t->rows);
  int32_t col0 = index_up((x0 - t->x0) / t->spacing, t->columns);
  int32_t col1 = index_down((x1 - t->x0) / t->spacing, t->columns);
  for (int32_t row = row0; row <= row1; row++) {
    for (int32_t column = col0; column <= col1; column++) {
      double x = truth_x(t, column), z = truth_z(t, row);
      if (!over(p, x, z)) continue;
      double y = p[0].y - (nx * (x - p[0].x) + nz * (z - p[0].z)) / ny;
      add_floor(s, (uint32_t)column + (uint32_t)row * (uint32_t)t->columns, y, -nx / ny, -nz / ny);
    }
  }
}

// --- Obstacles --------------------------------------------------------------------------------------------------------

// The part of a polygon on one side of a line across an axis.
static int cut(const CrVec3 *in, int count, CrVec3 *out, bool across_z, double line, double sign) {
  int made = 0;
  for (int i = 0; i < count; i++) {
    CrVec3 a = in[i], b = in[(i + 1) % count];
    double da = sign * ((across_z ? a.z : a.x) - line), db = sign * ((across_z ? b.z : b.x) - line);
    if (da >= 0) out[made++] = a;
    if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
      double f = da / (da - db);
      out[made++] = (CrVec3){a.x + (b.x - a.x) * f, a.y + (b.y - a.y) * f, a.z + (b.z - a.z) * f};
    }
  }
  return made;
}

static int cut_strip(const CrVec3 *in, int count, CrVec3 *out, bool across_z, double low, double high) {
  CrVec3 half[16];
  int made = cut(in, count, half, across_z, low, 1);
  return made ? cut(half, made, out, across_z, high, -1) : 0;
}

static void span_of(const CrVec3 *p, int count, int axis, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int i = 0; i < count; i++) {
    double v = axis == 0 ? p[i].x : axis == 1 ? p[i].y : p[i].z;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
  }
}

static void block_row(Survey *s, const CrVec3 *strip, int count, int32_t row) {
  Truth *t = s->truth;
  double low, high, half = t->spacing / 2;
  CrVec3 piece[16];
  span_of(strip, count, 0, &low, &high);
  int32_t col0 = index_up((low - half - t->x0) / t->spacing, t->columns);
  int32_t col1 = index_down((high + half - t->x0) / t->spacing, t->columns);
  for (int32_t column = col0; column <= col1; column++) {
    double x = truth_x(t, column);
    int made = cut_strip(strip, count, piece, false, x - half, x + half);
    if (made == 0) continue;
    span_of(piece, made, 1, &low, &high);
    s->blocks = grown(s->blocks, &s->block_capacity, s->block_count, sizeof *s->blocks);
    s->blocks[s->block_count++] = (Block){(uint32_t)column + (uint32_t)row * (uint32_t)t->columns, low, high};
  }
}

static void lay_obstacle(Survey *s, const CrVec3 p[3]) {
  Truth *t = s->truth;
  double low, high, half = t->spacing / 2;
  CrVec3 strip[16];
  span_of(p, 3, 2, &low, &high);
  int32_t row0 = index_up((low - half - t->z0) / t->spacing, t->rows);
  int32_t row1 = index_down((high + half - t->z0) / t->spacing, t->rows);
  for (int32_t row = row0; row <= row1; row++) {
    double z = truth_z(t, row);
    int made = cut_strip(p, 3, strip, true, z - half, z + half);
    if (made) block_row(s, strip, made, row);
  }
}

static void lay_triangles(Survey *s) {
  double slack = s->robust ? 1e-6 : -1e-6, c = cos(s->settings->max_slope * 3.14159265358979323846 / 180);
  for (uint32_t i = 0; i < s->level->triangle_count; i++) {
    CrVec3 p[3] = {corner(s->level, i, 0), corner(s->level, i, 1), corner(s->level, i, 2)};
    double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, uz = p[1].z - p[0].z;
    double vx = p[2].x - p[0].x, vy = p[2].y - p[0].y, vz = p[2].z - p[0].z;
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    double n2 = nx * nx + ny * ny + nz * nz;
    if (n2 == 0) continue;
    if (ny > 0 && ny * ny >= c * c * (1 + slack) * n2) {
      lay_floor(s, p, nx, ny, nz);
    } else {
      lay_obstacle(s, p);
    }
  }
}

// --- Places -----------------------------------------------------------------------------------------------------------

// Counting sort by cell; the order within a cell is that of the triangles.
static void sort_by_cell(Survey *s) {
  size_t cells = (size_t)s->truth->columns * (size_t)s->truth->rows;
  s->floor_first = calloc(cells + 2, sizeof *s->floor_first);
  s->block_first = calloc(cells + 2, sizeof *s->block_first);
  Floor *floors = malloc((s->floor_count + 1) * sizeof *floors);
  Block *blocks = malloc((s->block_count + 1) * sizeof *blocks);
  REQUIRE(s->floor_first && s->block_first && floors && blocks);
  for (size_t i = 0; i < s->floor_count; i++) s->floor_first[s->floors[i].cell + 2]++;
  for (size_t i = 0; i < s->block_count; i++) s->block_first[s->blocks[i].cell + 2]++;
  for (size_t c = 1; c <= cells; c++) {
    s->floor_first[c + 1] += s->floor_first[c];
    s->block_first[c + 1] += s->block_first[c];
  }
  for (size_t i = 0; i < s->floor_count; i++) floors[s->floor_first[s->floors[i].cell + 1]++] = s->floors[i];
  for (size_t i = 0; i < s->block_count; i++) blocks[s->block_first[s->blocks[i].cell + 1]++] = s->blocks[i];
  free(s->floors);
  free(s->blocks);
  s->floors = floors;
  s->blocks = blocks;
}

// What stands on a floor and hangs over it. False: no agent stands there.
static bool clear_above(const Survey *s, uint32_t cell, const Floor *f, TruthPlace *out) {
  const CrBuildSettings *set = s->settings;
  double ch = set->cell_height, slope = hypot(f->slope_x, f->slope_z) * set->cell_size;
  double step = s->robust ? s->climb - 2 * ch : set->walkable_climb + ch + 1.5 * slope;
  double head = f->y + s->headroom + (s->robust ? slope : 0);
  *out = (TruthPlace){f->y, f->y, INFINITY, f->slope_x, f->slope_z, {0, 0, 0, 0}, true, TRUTH_INNER};
  for (uint32_t i = s->floor_first[cell]; i < s->floor_first[cell + 1]; i++) {
    double y = s->floors[i].y;
    if (s->floors[i].filler) continue;
    if (y > f->y + 1e-6 && y < head) return false;  // the higher one is the floor, or there is no headroom
    if (y >= head) out->ceiling = fmin(out->ceiling, y);
  }
  for (uint32_t i = s->block_first[cell]; i < s->block_first[cell + 1]; i++) {
    const Block *b = &s->blocks[i];
    if (b->high <= f->y + step) {
      out->high = fmax(out->high, b->high);
    } else if (b->low >= head) {
      out->ceiling = fmin(out->ceiling, b->low);
    } else {
      return false;
    }
  }
  return !s->robust || out->ceiling - out->high >= s->headroom;
}

// Whether a cell has a floor within the climb (with the margins of possible) of a height; *out_y then is the nearest.
static bool floor_near(const Survey *s, uint32_t cell, double y, double *out_y) {
  double best = s->settings->walkable_climb + s->settings->cell_height + s->rise;
  bool found = false;
  for (uint32_t i = s->floor_first[cell]; i < s->floor_first[cell + 1]; i++) {
    if (fabs(s->floors[i].y - y) > best) continue;
    best = fabs(s->floors[i].y - y);
    *out_y = s->floors[i].y;
    found = true;
  }
  return found;
}

// Fills a gap that begins after a floor, in one direction, when it ends in less than two cells.
static void fill_gap(Survey *s, const Floor *from, uint32_t step, int32_t room) {
  int32_t reach =
      1 + (int32_t)ceil(2 * s->settings->cell_size / s->truth->spacing - 1e-9);  // between points on both sides
  double y;
  for (int32_t n = 1; n <= reach && n <= room; n++) {
    if (!floor_near(s, from->cell + (uint32_t)n * step, from->y, &y)) continue;
    Floor base = *from;  // adding may move the floors
    for (int32_t k = 1; k < n; k++) {
      add_floor(s, base.cell + (uint32_t)k * step, base.y + (y - base.y) * k / n, 0, 0);
      s->floors[s->floor_count - 1].filler = true;
    }
    return;
  }
}

// Along x, then along z, where what was filled counts: so the crossings of gaps are filled too.
static void fill_gaps(Survey *s) {
  const Truth *t = s->truth;
  for (int axis = 0; axis < 2; axis++) {
    size_t count = s->floor_count;
    s->floor_capacity = count + 1;
    for (size_t i = 0; i < count; i++) {
      Floor f = s->floors[i];
      int32_t column = (int32_t)(f.cell % (uint32_t)t->columns), row = (int32_t)(f.cell / (uint32_t)t->columns);
      if (axis == 0) fill_gap(s, &f, 1, t->columns - 1 - column);
      if (axis == 1) fill_gap(s, &f, (uint32_t)t->columns, t->rows - 1 - row);
    }
    free(s->floor_first);
    free(s->block_first);
    sort_by_cell(s);
  }
}

static void place_agents(Survey *s) {
  Truth *t = s->truth;
  uint32_t cells = (uint32_t)t->columns * (uint32_t)t->rows;
  t->first = calloc((size_t)cells + 1, sizeof *t->first);
  t->places = malloc((s->floor_count + 1) * sizeof *t->places);
  REQUIRE(t->first && t->places);
  for (uint32_t cell = 0; cell < cells; cell++) {
    t->first[cell] = t->count;
    for (uint32_t i = s->floor_first[cell]; i < s->floor_first[cell + 1]; i++) {
      bool twice = false;
      for (uint32_t k = t->first[cell]; k < t->count; k++) twice |= fabs(t->places[k].low - s->floors[i].y) <= 1e-6;
      if (!twice && clear_above(s, cell, &s->floors[i], &t->places[t->count])) t->count++;
    }
  }
  t->first[cells] = t->count;
}

// --- Links ------------------------------------------------------------------------------------------------------------

static double step_between(const TruthPlace *a, const TruthPlace *b, bool robust) {
  if (robust) return fabs(a->high - b->high);
  if (a->low > b->high) return a->low - b->high;
  return b->low > a->high ? b->low - a->high : 0;
}

static uint32_t link_to(const Survey *s, const TruthPlace *from, uint32_t cell) {
  const Truth *t = s->truth;
  double best = s->robust ? s->climb - s->settings->cell_height
                          : s->settings->walkable_climb + s->settings->cell_height + s->rise;
  uint32_t found = TRUTH_NONE;
  for (uint32_t i = t->first[cell]; i < t->first[cell + 1]; i++) {
    const TruthPlace *to = &t->places[i];
    double step = step_between(from, to, s->robust);
    if (step > best + 1e-9) continue;
    if (s->robust && fmin(from->ceiling, to->ceiling) - fmax(from->high, to->high) < s->headroom) continue;
    found = i;
    best = step;
  }
  return found;
}

// Possible truth only: whether ground too steep to stand on goes down from a place into the next square.
static bool goes_on_down(const Survey *s, const TruthPlace *from, uint32_t cell) {
  bool found = false;
  for (uint32_t i = s->block_first[cell]; i < s->block_first[cell + 1]; i++) {
    const Block *b = &s->blocks[i];
    if (b->high > from->high + s->settings->cell_height && b->low < from->low + s->headroom) return false;
    found |= b->high <= from->high + s->settings->cell_height && b->low >= from->low - s->climb;
  }
  return found;
}

static void link_places(Survey *s) {
  static const int32_t dx[4] = {-1, 0, 1, 0}, dz[4] = {0, 1, 0, -1};
  Truth *t = s->truth;
  for (int32_t row = 0; row < t->rows; row++) {
    for (int32_t column = 0; column < t->columns; column++) {
      uint32_t cell = (uint32_t)column + (uint32_t)row * (uint32_t)t->columns;
      for (uint32_t i = t->first[cell]; i < t->first[cell + 1]; i++) {
        for (int dir = 0; dir < 4; dir++) {
          int32_t x = column + dx[dir], z = row + dz[dir];
          bool outside = x < 0 || z < 0 || x >= t->columns || z >= t->rows;
          uint32_t beside = (uint32_t)x + (uint32_t)z * (uint32_t)t->columns;
          uint32_t found = outside ? TRUTH_NONE : link_to(s, &t->places[i], beside);
          t->places[i].link[dir] = found;
          if (found != TRUTH_NONE) continue;
          bool soft = !s->robust && !outside && goes_on_down(s, &t->places[i], beside);
          if (!soft) t->places[i].edge = TRUTH_HARD;
          if (soft && t->places[i].edge == TRUTH_INNER) t->places[i].edge = TRUTH_SOFT;
        }
      }
    }
  }
}

// Whether the steps around add up to more than the climb within the three cells the ledge rule looks at.
static bool is_uneven(const Survey *s, uint32_t place) {
  const Truth *t = s->truth;
  const TruthPlace *p = &t->places[place];
  double low = p->high, high = p->high;
  int steps = (int)ceil(1.5 * s->settings->cell_size / t->spacing - 1e-9);
  for (int dir = 0; dir < 4; dir++) {
    uint32_t at = place;
    for (int n = 0; n < steps && t->places[at].link[dir] != TRUTH_NONE; n++) {
      at = t->places[at].link[dir];
      low = fmin(low, t->places[at].high);
      high = fmax(high, t->places[at].high);
    }
  }
  double even = s->settings->cell_size * fmax(fabs(p->slope_x), fabs(p->slope_z));
  return high - low - even > s->climb - s->settings->cell_height + 1e-9;
}

// --- Radius -----------------------------------------------------------------------------------------------------------

typedef struct Spread {
  uint32_t *queue, *mark;
  int32_t *column, *row;  // of each place
} Spread;

// Everything joined to an edge within the radius of it is not stood on.
static void spread_edge(Truth *t, Spread *w, uint32_t edge, uint32_t number, double radius) {
  uint32_t head = 0, tail = 0;
  double limit = radius / t->spacing * (radius / t->spacing);
  w->queue[tail++] = edge;
  w->mark[edge] = number;
  while (head < tail) {
    uint32_t at = w->queue[head++];
    t->places[at].stands = false;
    for (int dir = 0; dir < 4; dir++) {
      uint32_t to = t->places[at].link[dir];
      if (to == TRUTH_NONE || w->mark[to] == number) continue;
      double dx = w->column[to] - w->column[edge], dz = w->row[to] - w->row[edge];
      if (dx * dx + dz * dz >= limit) continue;
      w->mark[to] = number;
      w->queue[tail++] = to;
    }
  }
}

static void keep_radius(Survey *s) {
  Truth *t = s->truth;
  size_t count = (size_t)t->count + 1;
  Spread w = {malloc(count * 4), calloc(count, 4), malloc(count * 4), malloc(count * 4)};
  REQUIRE(w.queue && w.mark && w.column && w.row);
  for (int32_t cell = 0; cell < t->columns * t->rows; cell++) {
    for (uint32_t i = t->first[cell]; i < t->first[cell + 1]; i++) {
      w.column[i] = cell % t->columns;
      w.row[i] = cell / t->columns;
    }
  }
  double radius = s->settings->agent_radius + (s->robust ? 1.5 * s->settings->cell_size : -t->spacing);
  for (uint32_t i = 0; i < t->count && radius > 0; i++) {
    bool hard = t->places[i].edge == TRUTH_HARD || (s->robust && is_uneven(s, i));
    double reach = radius - (hard ? 0 : s->settings->cell_size);
    if (reach > 0 && (hard || t->places[i].edge == TRUTH_SOFT)) spread_edge(t, &w, i, i + 1, reach);
  }
  free(w.queue);
  free(w.mark);
  free(w.column);
  free(w.row);
}

// Parts of less than an area are left out.
static void drop_small_parts(Truth *t, double min_area) {
  uint32_t *queue = malloc(((size_t)t->count + 1) * sizeof *queue);
  bool *seen = calloc((size_t)t->count + 1, 1);
  REQUIRE(queue && seen);
  for (uint32_t i = 0; i < t->count; i++) {
    if (seen[i] || !t->places[i].stands) continue;
    uint32_t tail = 0;
    queue[tail++] = i;
    seen[i] = true;
    for (uint32_t head = 0; head < tail; head++) {
      for (int dir = 0; dir < 4; dir++) {
        uint32_t to = t->places[queue[head]].link[dir];
        if (to == TRUTH_NONE || seen[to] || !t->places[to].stands) continue;
        seen[to] = true;
        queue[tail++] = to;
      }
    }
    if (tail * t->spacing * t->spacing >= min_area) continue;
    for (uint32_t k = 0; k < tail; k++) t->places[queue[k]].stands = false;
  }
  free(queue);
  free(seen);
}

// --- All of it --------------------------------------------------------------------------------------------------------

static void lay_grid(Survey *s) {
  Truth *t = s->truth;
  double x0 = INFINITY, x1 = -INFINITY, z0 = INFINITY, z1 = -INFINITY;
  for (uint32_t i = 0; i < s->level->vertex_count; i++) {
    x0 = fmin(x0, s->level->vertices[3 * i]);
    x1 = fmax(x1, s->level->vertices[3 * i]);
    z0 = fmin(z0, s->level->vertices[3 * i + 2]);
    z1 = fmax(z1, s->level->vertices[3 * i + 2]);
  }
  t->spacing = s->settings->cell_size / 3;
  t->x0 = x0 - 0.6180339887 * t->spacing;  // so that points lie on no line of a level
  t->z0 = z0 - 0.4142135624 * t->spacing;
  t->columns = (int32_t)ceil((x1 - t->x0) / t->spacing) + 1;
  t->rows = (int32_t)ceil((z1 - t->z0) / t->spacing) + 1;
}

Truth truth_make(const Level *level, const CrBuildSettings *settings, bool robust, double min_area) {
  Truth t = {0};
  Survey s = {.level = level, .settings = settings, .robust = robust, .truth = &t};
  s.climb = floor(settings->walkable_climb / settings->cell_height + 1e-6) * settings->cell_height;
  s.headroom = settings->agent_height + (robust ? 3 * settings->cell_height : -1e-6);
  s.rise = settings->cell_size * tan(settings->max_slope * 3.14159265358979323846 / 180);
  lay_grid(&s);
  lay_triangles(&s);
  sort_by_cell(&s);
  if (!robust) fill_gaps(&s);
  place_agents(&s);
  link_places(&s);
  keep_radius(&s);
  if (robust && min_area > 0) drop_small_parts(&t, min_area);
  for (uint32_t i = 0; i < t.count; i++) t.standing += t.places[i].stands;
  free(s.floors);
  free(s.blocks);
  free(s.floor_first);
  free(s.block_first);
  return t;
}

void truth_free(Truth *truth) {
  free(truth->first);
  free(truth->places);
  *truth = (Truth){0};
}

bool truth_stands_near(const Truth *t, double x, double y, double z, double reach, double tolerance) {
  int32_t steps = (int32_t)ceil(reach / t->spacing);
  int32_t column = (int32_t)floor((x - t->x0) / t->spacing + 0.5), row = (int32_t)floor((z - t->z0) / t->spacing + 0.5);
  for (int32_t ring = 0; ring <= steps; ring++) {
    for (int32_t k = row - ring; k <= row + ring; k++) {
      bool whole = k == row - ring || k == row + ring;
      for (int32_t i = column - ring; i <= column + ring; i += whole || ring == 0 ? 1 : 2 * ring) {
        if (i < 0 || k < 0 || i >= t->columns || k >= t->rows) continue;
        double dx = truth_x(t, i) - x, dz = truth_z(t, k) - z;
        if (dx * dx + dz * dz > reach * reach) continue;
        uint32_t cell = (uint32_t)i + (uint32_t)k * (uint32_t)t->columns;
        for (uint32_t p = t->first[cell]; p < t->first[cell + 1]; p++) {
          const TruthPlace *place = &t->places[p];
          if (place->stands && y >= place->low - tolerance && y <= place->high + tolerance) return true;
        }
      }
    }
  }
  return false;
}
