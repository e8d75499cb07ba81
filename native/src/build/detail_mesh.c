// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Triangulation of one convex polygon that points are added to one by one, with edge flips (Lawson 1977) after each. Flips are
// made only where both new triangles keep an area, and their number is bounded, so rounding can neither fold the surface nor
// keep it flipping. Order: triangles keep their numbers; new ones are appended.
#include "outline_internal.h"

#define LEAST_AREA \
  1e-6  // twice, in square cells: no triangle gets thinner by a flip, and a point nearer to an edge is on it
#define CIRCLE_TOLERANCE 1e-9

static double turn(CrDetailPoint a, CrDetailPoint b, CrDetailPoint c) {
  return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
}

// Whether d lies inside the circle through a, b, c (counter-clockwise), clearly.
static bool in_circle(CrDetailPoint a, CrDetailPoint b, CrDetailPoint c, CrDetailPoint d) {
  double ax = a.x - d.x, az = a.z - d.z, bx = b.x - d.x, bz = b.z - d.z, cx = c.x - d.x, cz = c.z - d.z;
  double aa = ax * ax + az * az, bb = bx * bx + bz * bz, cc = cx * cx + cz * cz;
  double det = aa * (bx * cz - bz * cx) + bb * (cx * az - cz * ax) + cc * (ax * bz - az * bx);
  double scale = cr__max(aa, cr__max(bb, cc));
  return det > CIRCLE_TOLERANCE * scale * scale;
}

static uint32_t following(uint32_t i) { return i == 2 ? 0 : i + 1; }

// --- Building blocks ------------------------------------------------------------------------------------------------

static bool note_change(CrDetailMesh *m, uint32_t triangle) {
  if (m->triangles[triangle].stamp == m->stamp) return true;
  if (!cr__arena_grow(m->arena, (void **)&m->changed, &m->changed_capacity, m->changed_count, m->changed_count + 1,
                      sizeof *m->changed)) {
    return false;
  }
  m->triangles[triangle].stamp = m->stamp;
  m->changed[m->changed_count++] = triangle;
  return true;
}

static uint32_t new_triangle(CrDetailMesh *m) {
  if (!cr__arena_grow(m->arena, (void **)&m->triangles, &m->triangle_capacity, m->triangle_count, m->triangle_count + 1,
                      sizeof *m->triangles)) {
    return CR_NONE;
  }
  m->triangles[m->triangle_count].stamp = 0;
  return (uint32_t)m->triangle_count++;
}

static void set_corners(CrDetailMesh *m, uint32_t triangle, uint32_t a, uint32_t b, uint32_t c) {
  CrDetailTriangle *t = &m->triangles[triangle];
  t->v[0] = a;
  t->v[1] = b;
  t->v[2] = c;
}

// Makes `other` the triangle behind edge i of `triangle`, and the reverse. Corners must be set.
static void join(CrDetailMesh *m, uint32_t triangle, uint32_t i, uint32_t other) {
  CrDetailTriangle *t = &m->triangles[triangle];
  t->behind[i] = other;
  if (other == CR_NONE) return;
  CrDetailTriangle *u = &m->triangles[other];
  for (uint32_t k = 0; k < 3; k++) {
    if (u->v[k] == t->v[following(i)] && u->v[following(k)] == t->v[i]) u->behind[k] = triangle;
  }
}

static uint32_t edge_to(const CrDetailMesh *m, uint32_t triangle, uint32_t other) {
  const uint32_t *behind = m->triangles[triangle].behind;
  return behind[0] == other ? 0 : behind[1] == other ? 1 : 2;
}

static bool push_flip(CrDetailMesh *m, uint32_t triangle, uint32_t edge) {
  if (!cr__arena_grow(m->arena, (void **)&m->flips, &m->flip_capacity, m->flip_count, m->flip_count + 1,
                      sizeof *m->flips)) {
    return false;
  }
  m->flips[m->flip_count++] = (CrDetailFlip){triangle, edge};
  return true;
}

// --- Flips ----------------------------------------------------------------------------------------------------------

// Edge i of t = (a, b, p) turns into the other diagonal of (a, d, b, p): t = (a, d, p), u = (d, b, p).
static bool try_flip(CrDetailMesh *m, uint32_t t, uint32_t i) {
  uint32_t u = m->triangles[t].behind[i];
  if (u == CR_NONE) return true;
  uint32_t j = edge_to(m, u, t);
  uint32_t a = m->triangles[t].v[i], b = m->triangles[t].v[following(i)],
           p = m->triangles[t].v[following(following(i))];
  uint32_t d = m->triangles[u].v[following(following(j))];
  const CrDetailPoint *points = m->points;
  if (!in_circle(points[a], points[b], points[p], points[d])) return true;
  if (turn(points[a], points[d], points[p]) <= LEAST_AREA || turn(points[d], points[b], points[p]) <= LEAST_AREA) {
    return true;
  }
  uint32_t behind_bp = m->triangles[t].behind[following(i)],
           behind_pa = m->triangles[t].behind[following(following(i))];
  uint32_t behind_ad = m->triangles[u].behind[following(j)],
           behind_db = m->triangles[u].behind[following(following(j))];
  set_corners(m, t, a, d, p);
  set_corners(m, u, d, b, p);
  join(m, t, 0, behind_ad);
  join(m, t, 1, u);
  join(m, t, 2, behind_pa);
  join(m, u, 0, behind_db);
  join(m, u, 1, behind_bp);
  return note_change(m, t) && note_change(m, u) && push_flip(m, t, 0) && push_flip(m, u, 0);
}

static bool flip_all(CrDetailMesh *m) {
  for (size_t budget = 64 + 8 * m->triangle_count; m->flip_count && budget; budget--) {
    CrDetailFlip flip = m->flips[--m->flip_count];
    if (!try_flip(m, flip.triangle, flip.edge)) return false;
  }
  m->flip_count = 0;
  return true;
}

// --- Adding points --------------------------------------------------------------------------------------------------

// Edge i of t = (a, b, c) gets the point p: t = (a, p, c), fresh = (p, b, c). The other side is the caller's.
static uint32_t split_half(CrDetailMesh *m, uint32_t t, uint32_t i, uint32_t p) {
  uint32_t fresh = new_triangle(m);
  if (fresh == CR_NONE) return CR_NONE;
  const CrDetailTriangle old = m->triangles[t];
  uint32_t a = old.v[i], b = old.v[following(i)], c = old.v[following(following(i))];
  set_corners(m, t, a, p, c);
  set_corners(m, fresh, p, b, c);
  join(m, t, 2, old.behind[following(following(i))]);
  join(m, t, 1, fresh);
  join(m, fresh, 1, old.behind[following(i)]);
  m->triangles[t].behind[0] = m->triangles[fresh].behind[0] = CR_NONE;
  bool noted = note_change(m, t) && note_change(m, fresh) && push_flip(m, t, 2) && push_flip(m, fresh, 1);
  return noted ? fresh : CR_NONE;
}

static bool split_edge(CrDetailMesh *m, uint32_t t, uint32_t i, uint32_t p) {
  uint32_t u = m->triangles[t].behind[i], j = u == CR_NONE ? 0 : edge_to(m, u, t);
  uint32_t t_fresh = split_half(m, t, i, p);
  if (t_fresh == CR_NONE) return false;
  if (u == CR_NONE) return flip_all(m);
  uint32_t u_fresh = split_half(m, u, j, p);  // u = (b, p, d), u_fresh = (p, a, d)
  if (u_fresh == CR_NONE) return false;
  join(m, t, 0, u_fresh);
  join(m, t_fresh, 0, u);
  return flip_all(m);
}

static bool split_face(CrDetailMesh *m, uint32_t t, uint32_t p) {
  uint32_t second = new_triangle(m), third = second == CR_NONE ? CR_NONE : new_triangle(m);
  if (third == CR_NONE) return false;
  const CrDetailTriangle old = m->triangles[t];
  set_corners(m, t, old.v[0], old.v[1], p);
  set_corners(m, second, old.v[1], old.v[2], p);
  set_corners(m, third, old.v[2], old.v[0], p);
  join(m, second, 0, old.behind[1]);
  join(m, third, 0, old.behind[2]);
  join(m, t, 1, second);
  join(m, second, 1, third);
  join(m, third, 1, t);
  return note_change(m, t) && note_change(m, second) && note_change(m, third) && push_flip(m, t, 0) &&
         push_flip(m, second, 0) && push_flip(m, third, 0) && flip_all(m);
}

bool cr__detail_mesh_insert(CrDetailMesh *mesh, uint32_t triangle, uint32_t point, bool *out_added) {
  const CrDetailTriangle *t = &mesh->triangles[triangle];
  *out_added = true;
  for (uint32_t i = 0; i < 3; i++) {
    if (turn(mesh->points[t->v[i]], mesh->points[t->v[following(i)]], mesh->points[point]) > LEAST_AREA) continue;
    *out_added = t->behind[i] != CR_NONE;
    return *out_added ? split_edge(mesh, triangle, i, point) : true;
  }
  return split_face(mesh, triangle, point);
}

bool cr__detail_mesh_split_rim(CrDetailMesh *mesh, uint32_t from, uint32_t to, uint32_t point) {
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    for (uint32_t i = 0; i < 3; i++) {
      const CrDetailTriangle *at = &mesh->triangles[t];
      if (at->v[i] == from && at->v[following(i)] == to) return split_edge(mesh, t, i, point);
    }
  }
  CR_ASSERT(false);
  return true;
}

bool cr__detail_mesh_start(CrDetailMesh *mesh, const uint32_t *corners, uint32_t count) {
  mesh->triangle_count = mesh->flip_count = 0;
  cr__detail_mesh_mark(mesh);
  for (uint32_t k = 1; k + 1 < count; k++) {
    uint32_t t = new_triangle(mesh);
    if (t == CR_NONE) return false;
    set_corners(mesh, t, corners[0], corners[k], corners[k + 1]);
    for (int i = 0; i < 3; i++) mesh->triangles[t].behind[i] = CR_NONE;
    if (k > 1) join(mesh, t, 0, t - 1);
    if (!push_flip(mesh, t, 0)) return false;
  }
  return flip_all(mesh);
}

void cr__detail_mesh_mark(CrDetailMesh *mesh) {
  mesh->stamp++;
  mesh->changed_count = 0;
}

// --- Looking up -----------------------------------------------------------------------------------------------------

bool cr__detail_triangle_holds(const CrDetailMesh *mesh, uint32_t triangle, double x, double z) {
  const uint32_t *v = mesh->triangles[triangle].v;
  const CrDetailPoint *points = mesh->points, p = {x, z, 0.0};
  for (uint32_t i = 0; i < 3; i++) {
    if (turn(points[v[i]], points[v[following(i)]], p) < -LEAST_AREA) return false;
  }
  return true;
}

double cr__detail_triangle_height(const CrDetailMesh *mesh, uint32_t triangle, double x, double z) {
  const uint32_t *v = mesh->triangles[triangle].v;
  CrDetailPoint a = mesh->points[v[0]], b = mesh->points[v[1]], c = mesh->points[v[2]], p = {x, z, 0.0};
  double area = turn(a, b, c);
  return a.y + (b.y - a.y) * (turn(c, a, p) / area) + (c.y - a.y) * (turn(a, b, p) / area);
}
