// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The level makers: shapes first, then one function per level. Angles are rational (3-4-5 and its like), slopes given by
// their tangents, roundness by multiplying rotations, noise by splitmix64 on lattice points.
#include "levels.h"

#include "check.h"

// --- Triangles --------------------------------------------------------------------------------------------------------

static uint32_t add_vertex(Level *l, CrVec3 p) {
  if (l->vertex_count == l->vertex_capacity) {
    l->vertex_capacity = l->vertex_capacity ? 2 * l->vertex_capacity : 1024;
    l->vertices = realloc(l->vertices, 3 * (size_t)l->vertex_capacity * sizeof *l->vertices);
    REQUIRE(l->vertices);
  }
  double *v = l->vertices + 3 * (size_t)l->vertex_count;
  v[0] = p.x + l->offset.x;
  v[1] = p.y + l->offset.y;
  v[2] = p.z + l->offset.z;
  return l->vertex_count++;
}

static void add_indices(Level *l, uint32_t a, uint32_t b, uint32_t c) {
  if (l->triangle_count == l->triangle_capacity) {
    l->triangle_capacity = l->triangle_capacity ? 2 * l->triangle_capacity : 1024;
    l->triangles = realloc(l->triangles, 3 * (size_t)l->triangle_capacity * sizeof *l->triangles);
    l->areas = realloc(l->areas, l->triangle_capacity);
    REQUIRE(l->triangles && l->areas);
  }
  uint32_t *t = l->triangles + 3 * (size_t)l->triangle_count;
  t[0] = a;
  t[1] = b;
  t[2] = c;
  l->areas[l->triangle_count++] = l->area;
}

static CrVec3 at(double x, double y, double z) { return (CrVec3){x, y, z}; }

static void triangle(Level *l, CrVec3 a, CrVec3 b, CrVec3 c) {
  uint32_t i = add_vertex(l, a), j = add_vertex(l, b), k = add_vertex(l, c);
  add_indices(l, i, j, k);
}

// Faces up when a, b, c, d runs counter-clockwise seen from above: +z before +x.
static void quad(Level *l, CrVec3 a, CrVec3 b, CrVec3 c, CrVec3 d) {
  uint32_t i = add_vertex(l, a), j = add_vertex(l, b), k = add_vertex(l, c), m = add_vertex(l, d);
  add_indices(l, i, j, k);
  add_indices(l, i, k, m);
}

static void sheet(Level *l, double x0, double z0, double x1, double z1, double y) {
  quad(l, at(x0, y, z0), at(x0, y, z1), at(x1, y, z1), at(x1, y, z0));
}

static void upright(Level *l, double x0, double z0, double x1, double z1, double y0, double y1) {
  quad(l, at(x0, y0, z0), at(x1, y0, z1), at(x1, y1, z1), at(x0, y1, z0));
}

// A box round (cx, cz) with half sides hx, hz, its x axis along (ux, uz) of length 1; with a bottom.
static void turned_box(Level *l, double cx, double cz, double hx, double hz, double ux, double uz, double y0,
                       double y1) {
  static const double sx[4] = {-1, -1, 1, 1}, sz[4] = {-1, 1, 1, -1};
  CrVec3 low[4], high[4];
  for (int k = 0; k < 4; k++) {
    double x = cx + sx[k] * hx * ux - sz[k] * hz * uz, z = cz + sx[k] * hx * uz + sz[k] * hz * ux;
    low[k] = at(x, y0, z);
    high[k] = at(x, y1, z);
  }
  quad(l, high[0], high[1], high[2], high[3]);
  quad(l, low[3], low[2], low[1], low[0]);
  for (int k = 0; k < 4; k++) quad(l, low[k], low[(k + 1) & 3], high[(k + 1) & 3], high[k]);
}

static void box(Level *l, double x0, double z0, double x1, double z1, double y0, double y1) {
  turned_box(l, (x0 + x1) / 2, (z0 + z1) / 2, (x1 - x0) / 2, (z1 - z0) / 2, 1, 0, y0, y1);
}

// A solid ramp along x from y0 (at x0) to y1 (at x1), down to `base`.
static void ramp_x(Level *l, double x0, double x1, double z0, double z1, double y0, double y1, double base) {
  quad(l, at(x0, y0, z0), at(x0, y0, z1), at(x1, y1, z1), at(x1, y1, z0));
  quad(l, at(x0, base, z0), at(x1, base, z0), at(x1, y1, z0), at(x0, y0, z0));
  quad(l, at(x1, base, z1), at(x0, base, z1), at(x0, y0, z1), at(x1, y1, z1));
  upright(l, x0, z0, x0, z1, base, y0 > base ? y0 : base - 0.1);
  upright(l, x1, z0, x1, z1, base, y1 > base ? y1 : base - 0.1);
}

static void walls_around(Level *l, double x0, double z0, double x1, double z1, double y0, double y1) {
  upright(l, x0, z0, x1, z0, y0, y1);
  upright(l, x1, z0, x1, z1, y0, y1);
  upright(l, x1, z1, x0, z1, y0, y1);
  upright(l, x0, z1, x0, z0, y0, y1);
}

// --- Noise ------------------------------------------------------------------------------------------------------------

static double lattice(uint64_t seed, int32_t x, int32_t z) {
  uint64_t state = seed ^ ((uint64_t)(uint32_t)x << 32 | (uint32_t)z);
  rnd_u64(&state);
  return rnd_unit(&state);
}

static double ease(double t) { return t * t * (3 - 2 * t); }

// Smooth, 0..1, features one unit wide.
static double noise(uint64_t seed, double x, double z) {
  int32_t i = (int32_t)(x + 1000) - 1000, k = (int32_t)(z + 1000) - 1000;
  double u = ease(x - i), v = ease(z - k);
  double a = lattice(seed, i, k), b = lattice(seed, i + 1, k);
  double c = lattice(seed, i, k + 1), d = lattice(seed, i + 1, k + 1);
  return (a + (b - a) * u) + ((c + (d - c) * u) - (a + (b - a) * u)) * v;
}

typedef double (*HeightFn)(const Level *l, double x, double z);

// A height map of columns x rows cells with the lower left at (x0, z0).
static void terrain(Level *l, double x0, double z0, double cell, int32_t columns, int32_t rows, HeightFn height) {
  uint32_t first = l->vertex_count;
  for (int32_t k = 0; k <= rows && l->weld; k++) {
    for (int32_t i = 0; i <= columns; i++) {
      double x = x0 + i * cell, z = z0 + k * cell;
      add_vertex(l, at(x, height(l, x, z), z));
    }
  }
  for (int32_t k = 0; k < rows; k++) {
    for (int32_t i = 0; i < columns; i++) {
      double xa = x0 + i * cell, xb = x0 + (i + 1) * cell, za = z0 + k * cell, zb = z0 + (k + 1) * cell;
      if (l->weld) {
        uint32_t v = first + (uint32_t)(k * (columns + 1) + i), w = v + (uint32_t)columns + 1;
        add_indices(l, v, w, w + 1);
        add_indices(l, v, w + 1, v + 1);
      } else {
        quad(l, at(xa, height(l, xa, za), za), at(xa, height(l, xa, zb), zb), at(xb, height(l, xb, zb), zb),
             at(xb, height(l, xb, za), za));
      }
    }
  }
}

static double gentle_hills(const Level *l, double x, double z) {
  return 3 * noise(l->seed, x / 7, z / 7) + 0.6 * noise(l->seed + 1, x / 2.5, z / 2.5);
}
static double steep_hills(const Level *l, double x, double z) {
  return 11 * noise(l->seed, x / 6, z / 6) + 1.2 * noise(l->seed + 1, x / 2, z / 2);
}
static double rough_ground(const Level *l, double x, double z) {
  return 0.5 * noise(l->seed, x / 1.1, z / 1.1) + 2 * noise(l->seed + 1, x / 9, z / 9);
}
// A bowl in the middle of a plain: slopes from level to steep.
static double bowl(const Level *l, double x, double z) {
  double dx = x - 15, dz = z - 15, d2 = dx * dx + dz * dz;
  (void)l;
  return d2 < 144 ? d2 / 20 - 7.2 : 0;
}

// --- Levels -----------------------------------------------------------------------------------------------------------

static void hall(Level *l) {
  sheet(l, 0, 0, 32, 28, 0);
  walls_around(l, 0, 0, 32, 28, 0, 4);
  for (int i = 0; i < 24; i++) {
    double x = rnd_range(&l->seed, 2, 30), z = rnd_range(&l->seed, 2, 26), h = rnd_range(&l->seed, 0.15, 1.2);
    box(l, x - h, z - h, x + h, z + h, 0, 4);
  }
}

static void pillars(Level *l) { hall(l); }

static void far_away(Level *l) {
  l->offset = at(1048576.0 - 40, 100, -1048576.0 + 7);
  hall(l);
  ramp_x(l, 20, 26, 10, 14, 0, 3, 0);
}

static void ramps(Level *l) {
  // Tangents of 10, 20, 30, 38, 44, 46, 55, 70 degrees.
  static const double rise[8] = {0.1763, 0.3640, 0.5774, 0.7813, 0.9657, 1.0355, 1.4281, 2.7475};
  sheet(l, 0, 0, 30, 42, 0);
  for (int i = 0; i < 8; i++) {
    double z0 = 1 + 5 * i, z1 = z0 + 3.7, run = i < 3 ? 8 : 4;
    ramp_x(l, 6, 6 + run, z0, z1, 0, rise[i] * run, 0);
    box(l, 6 + run, z0, 6 + run + 6, z1, 0, rise[i] * run);
  }
}

static void stairs(Level *l) {
  static const double rise[9] = {0.1, 0.2, 0.35, 0.5, 0.6, 0.7, 0.85, 0.95, 1.3};
  static const double tread[9] = {0.35, 0.5, 0.6, 1.0, 1.4, 1.6, 2.0, 2.0, 2.0};
  sheet(l, 0, 0, 34, 40, 0);
  for (int i = 0; i < 9; i++) {
    double z0 = 1 + 4.3 * i, x = 4, y = 0;
    for (int step = 0; step < 6; step++, x += tread[i]) {
      y += rise[i];
      box(l, x, z0, x + tread[i], z0 + 3.2, y - 0.3 - rise[i], y);
    }
    box(l, x, z0, x + 6, z0 + 3.2, y - 0.5, y);
  }
}

static void bridge(Level *l) {
  sheet(l, 0, 0, 40, 24, 0);
  for (int i = 0; i < 2; i++) {
    double z0 = 4 + 10 * i, z1 = z0 + 4, y = i ? 2.5 : 4.5;
    ramp_x(l, 2, 12, z0, z1, 0, y, 0);
    box(l, 12, z0, 28, z1, y - 0.4, y);
    ramp_x(l, 28, 38, z0, z1, y, 0, 0);
    upright(l, 12, z0, 28, z0, y, y + 1.1);
  }
  box(l, 19, 0, 20.5, 24, 7.5, 8);
}

static void spiral(Level *l) {
  // 24 steps a turn: cosine and sine of 15 degrees; the radius is renewed each turn by exact multiples.
  const double c = 0.96592582628906829, s = 0.25881904510252076;
  double ux = 1, uz = 0, y = 0;
  sheet(l, -14, -14, 14, 14, 0);
  for (int i = 0; i < 72; i++) {
    double vx = ux * c - uz * s, vz = ux * s + uz * c, next = y + 3.6 / 24;
    CrVec3 a = at(5 * ux, y, 5 * uz), b = at(9 * ux, y, 9 * uz), d = at(5 * vx, next, 5 * vz),
           e = at(9 * vx, next, 9 * vz);
    quad(l, a, d, e, b);
    quad(l, at(b.x, b.y - 0.3, b.z), at(e.x, e.y - 0.3, e.z), at(d.x, d.y - 0.3, d.z), at(a.x, a.y - 0.3, a.z));
    ux = vx;
    uz = vz;
    y = next;
  }
  box(l, -1, -1, 1, 1, 0, 12);
  sheet(l, 4, -4, 9.5, 0.2, y);
}

static void storeys(Level *l) {
  for (int i = 0; i < 5; i++) {
    double y = 2.6 * i, hole = 3 + 4 * i;
    box(l, 0, 0, 26, hole, y - 0.25, y);
    box(l, 0, hole + 3, 26, 24, y - 0.25, y);
    box(l, 0, hole, 4, hole + 3, y - 0.25, y);
    box(l, 16, hole, 26, hole + 3, y - 0.25, y);
    if (i > 0) {
      quad(l, at(6, y - 2.6, hole + 0.2), at(6, y - 2.6, hole + 2.8), at(16, y, hole + 2.8), at(16, y, hole + 0.2));
    }
    box(l, 20, 18, 21, 19, y, y + 2.35);
  }
}

static void overhangs(Level *l) {
  sheet(l, 0, 0, 36, 30, 0);
  for (int i = 0; i < 6; i++) box(l, 2, 1 + 4.5 * i, 9, 4.5 + 4.5 * i, 1.3 + 0.25 * i, 1.6 + 0.25 * i);
  // A roof that comes down to the floor, and one over a ramp.
  quad(l, at(12, 4, 10), at(12, 4, 2), at(22, -0.1, 2), at(22, -0.1, 10));
  ramp_x(l, 12, 24, 14, 20, 0, 4, 0);
  box(l, 16, 13, 21, 21, 4.2, 4.6);
  box(l, 26, 4, 34, 12, 2.1, 2.2);
  sheet(l, 26, 16, 34, 24, 1.0);
}

static void hills(Level *l) {
  l->weld = true;
  terrain(l, 0, 0, 0.8, 42, 40, gentle_hills);
}

static void mountains(Level *l) {
  l->weld = true;
  terrain(l, 0, 0, 0.8, 42, 40, steep_hills);
}

static void rubble(Level *l) {
  l->weld = true;
  terrain(l, 0, 0, 0.45, 64, 60, rough_ground);
}

static void crater(Level *l) {
  l->weld = true;
  terrain(l, 0, 0, 0.5, 60, 60, bowl);
}

static void thin_walls(Level *l) {
  sheet(l, 0, 0, 30, 30, 0);
  for (int i = 0; i < 26; i++) {
    double x = 1 + rnd_int(&l->seed, 28), z = 1 + rnd_int(&l->seed, 28), length = 2 + rnd_int(&l->seed, 6);
    bool along = rnd_int(&l->seed, 2) != 0;
    double h = 0.3 + 0.4 * rnd_int(&l->seed, 7);
    upright(l, x, z, along ? x + length : x, along ? z : z + length, 0, h);
  }
  upright(l, 3.3, 2.1, 26.2, 27.4, 0, 3);
}

static void gaps(Level *l) {
  sheet(l, 0, 0, 34, 30, 0);
  for (int row = 0; row < 5; row++) {
    double z = 4 + 5 * row, x = 0;
    for (int i = 0; i < 6; i++) {
      double gap = 0.5 + 0.25 * i + 0.13 * row, wall = 5.6 - gap;
      box(l, x, z, x + wall, z + 0.5 + 0.3 * row, 0, 3);
      x += wall + gap;
    }
  }
}

static void turned_boxes(Level *l) {
  static const double ux[6] = {0.6, 0.8, 5.0 / 13, 12.0 / 13, 8.0 / 17, 20.0 / 29};
  static const double uz[6] = {0.8, 0.6, 12.0 / 13, 5.0 / 13, 15.0 / 17, 21.0 / 29};
  sheet(l, 0, 0, 36, 36, 0);
  for (int i = 0; i < 30; i++) {
    double x = rnd_range(&l->seed, 3, 33), z = rnd_range(&l->seed, 3, 33);
    double hx = rnd_range(&l->seed, 0.2, 3), hz = rnd_range(&l->seed, 0.2, 1.5), y = rnd_range(&l->seed, 0.2, 3);
    turned_box(l, x, z, hx, hz, ux[i % 6], i & 1 ? -uz[i % 6] : uz[i % 6], -0.1, y);
  }
}

static void balconies(Level *l) {
  sheet(l, 0, 0, 30, 30, 0);
  for (int i = 1; i <= 3; i++) {
    double y = 3.1 * i, in = 2.0 + 1.1 * i;
    box(l, 0, 0, 30, in, y - 0.3, y);
    box(l, 0, 30 - in, 30, 30, y - 0.3, y);
    box(l, 0, in, in, 30 - in, y - 0.3, y);
    box(l, 30 - in, in, 30, 30 - in, y - 0.3, y);
    if (i == 2) upright(l, in, in, 30 - in, in, y, y + 1.0);
  }
  ramp_x(l, 8, 20, 12, 15, 0, 3.1, 0);
  box(l, 20, 12, 28, 15, 2.8, 3.1);
}

static void holes(Level *l) {
  // Squares of 1.5 with pits where the noise is low, and rings of pits round islands.
  for (int k = 0; k < 24; k++) {
    for (int i = 0; i < 24; i++) {
      int dx = i < 12 ? 11 - i : i - 12, dz = k < 12 ? 11 - k : k - 12, ring = dx > dz ? dx : dz;
      bool gone = ring == 3 || ring == 7 ? (i + k) % 9 != 0 : lattice(l->seed, i, k) < 0.13;
      if (!gone) sheet(l, 1.5 * i, 1.5 * k, 1.5 * (i + 1), 1.5 * (k + 1), 0);
    }
  }
}

static void corridors(Level *l) {
  // A comb of corridors from wide enough by a hair to one cell more, between solid blocks.
  double x = 0;
  sheet(l, 0, 0, 38, 24, 0);
  for (int i = 0; i < 9; i++) {
    double width = 1.2 + 0.15 * i;
    box(l, x, 4, x + 2, 20, 0, 3);
    x += 2 + width;
  }
  box(l, x, 4, x + 1, 20, 0, 3);
}

static void patches(Level *l) {
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 20; i++) {
      l->area = (uint8_t)(4 * noise(l->seed, i / 3.0, k / 3.0));
      sheet(l, 1.6 * i, 1.6 * k, 1.6 * (i + 1), 1.6 * (k + 1), 0);
    }
  }
  l->area = 63;
  box(l, 12, 12, 16, 14, 0, 0.5);
  l->area = 0;
}

static void tall(Level *l) {
  for (int i = 0; i < 4; i++) {
    double y = i == 3 ? 4000 : 37.5 * i;
    sheet(l, 0, 0, 20, 20, y);
    ramp_x(l, 4, 12, 4, 8, y, y + 3, y);
    box(l, 12, 4, 18, 8, y, y + 3);
  }
}

static void needles(Level *l) {
  // A floor as a fan of needles from one far corner, another as strips of a tenth of a cell, and slivers lying about.
  for (int i = 0; i < 60; i++) {
    triangle(l, at(0, 0, 0), at(20.0 * i / 60, 0, 20), at(20.0 * (i + 1) / 60, 0, 20));
    triangle(l, at(0, 0, 0), at(20, 0, 20.0 * (i + 1) / 60), at(20, 0, 20.0 * i / 60));
  }
  for (int i = 0; i < 200; i++) sheet(l, 20 + 0.03 * i, 0, 20 + 0.03 * (i + 1), 20, 0.02 * (i % 3));
  for (int i = 0; i < 60; i++) {
    double x = rnd_range(&l->seed, 0, 20), z = rnd_range(&l->seed, 0, 20);
    triangle(l, at(x, 0, z), at(x + 1e-7, 0, z + 4), at(x + rnd_range(&l->seed, 0, 3), 1e-9, z + 2));
    triangle(l, at(x, 0, z), at(x, 0, z), at(x + 1, 0, z));  // degenerate
  }
  triangle(l, at(6, 0, 6), at(6, 3, 6), at(6.001, 0, 14));  // an upright needle
}

static void coplanar(Level *l) {
  for (int i = 0; i < 40; i++) {
    double x = rnd_range(&l->seed, 0, 24), z = rnd_range(&l->seed, 0, 24);
    double w = rnd_range(&l->seed, 2, 8), d = rnd_range(&l->seed, 2, 8);
    l->area = (uint8_t)(i % 3);
    sheet(l, x, z, x + w, z + d, i % 5 == 0 ? 0.05 : 0);
    if (i % 4 == 0) quad(l, at(x, 0, z), at(x + w, 0, z), at(x + w, 0, z + d), at(x, 0, z + d));  // faces down
  }
  l->area = 0;
}

static void unwelded(Level *l) {
  terrain(l, 0, 0, 1.3, 24, 24, gentle_hills);
  for (uint32_t i = 0; i < 3 * l->vertex_count; i++) l->vertices[i] += rnd_range(&l->seed, -0.004, 0.004);
}

static void mixed_sizes(Level *l) {
  triangle(l, at(-12, 0, -12), at(-12, 0, 48), at(48, 0, -12));
  for (int i = 0; i < 120; i++) {
    double x = rnd_range(&l->seed, -10, 24), z = rnd_range(&l->seed, -10, 20), h = rnd_range(&l->seed, 0.01, 0.25);
    box(l, x - h, z - h, x + h, z + h, 0, rnd_range(&l->seed, 0.05, 2.5));
  }
  ramp_x(l, -8, 10, 22, 28, 0, 6, 0);
}

static void low_things(Level *l) {
  sheet(l, 0, 0, 28, 28, 0);
  for (int i = 0; i < 40; i++) {
    double x = rnd_range(&l->seed, 1, 27), z = rnd_range(&l->seed, 1, 27), h = rnd_range(&l->seed, 0.1, 1.4);
    double y = rnd_range(&l->seed, 0.1, 1.3);
    if (i % 2) {
      box(l, x - h, z - h, x + h, z + h, 0, y);
      continue;
    }
    CrVec3 tip = at(x, y, z), a = at(x - h, 0, z - h), b = at(x - h, 0, z + h), c = at(x + h, 0, z + h),
           d = at(x + h, 0, z - h);
    triangle(l, a, b, tip);
    triangle(l, b, c, tip);
    triangle(l, c, d, tip);
    triangle(l, d, a, tip);
  }
}

static void cracks(Level *l) {
  double x = 0;
  for (int i = 0; i < 10; i++) {
    double width = 3, gap = 0.07 * i * i / 2 + 0.01;
    sheet(l, x, 0, x + width, 12, 0);
    sheet(l, x, 12 + gap, x + width, 24, 0.1 * (i % 4));
    x += width + gap;
  }
}

static void tunnels(Level *l) {
  l->weld = true;
  sheet(l, -4, -4, 34, 34, -3.2);
  terrain(l, 0, 0, 1, 30, 30, gentle_hills);
  walls_around(l, 0, 0, 6, 30, -3.2, 1);
  ramp_x(l, -3.5, 0, 10, 14, -3.2, 1.5, -3.2);
}

static void terraces(Level *l) {
  for (int i = 0; i < 10; i++) {
    double in = 1.55 * i, y = (i & 1 ? 0.75 : 0.55) * i;
    box(l, in, in * 0.8, 34 - in, 28 - in * 0.8, y - 1.2, y);
  }
}

typedef struct Maker {
  const char *name;
  void (*make)(Level *);
} Maker;

static const Maker makers[] = {
    {"pillars", pillars},
    {"ramps", ramps},
    {"stairs", stairs},
    {"bridge", bridge},
    {"spiral", spiral},
    {"storeys", storeys},
    {"overhangs", overhangs},
    {"hills", hills},
    {"mountains", mountains},
    {"rubble", rubble},
    {"crater", crater},
    {"thin-walls", thin_walls},
    {"gaps", gaps},
    {"turned-boxes", turned_boxes},
    {"balconies", balconies},
    {"holes", holes},
    {"corridors", corridors},
    {"patches", patches},
    {"far-away", far_away},
    {"tall", tall},
    {"needles", needles},
    {"coplanar", coplanar},
    {"unwelded", unwelded},
    {"mixed-sizes", mixed_sizes},
    {"low-things", low_things},
    {"cracks", cracks},
    {"tunnels", tunnels},
    {"terraces", terraces},
};

uint32_t level_count(void) { return sizeof makers / sizeof makers[0]; }
const char *level_name(uint32_t index) { return makers[index].name; }

Level level_make(uint32_t index) {
  Level level = {.name = makers[index].name, .seed = 1000 + index};
  makers[index].make(&level);
  return level;
}

void level_free(Level *level) {
  free(level->vertices);
  free(level->triangles);
  free(level->areas);
  *level = (Level){0};
}

CrBuildInput level_input(const Level *level) {
  return (CrBuildInput){.vertices = level->vertices,
                        .vertex_count = level->vertex_count,
                        .triangles = level->triangles,
                        .triangle_count = level->triangle_count,
                        .areas = level->areas};
}
