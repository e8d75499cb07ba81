// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What makes the arrays of a tile a valid tile, whoever filled them: the encoder from a description, the decoder from
// bytes.
// Everything behind this check (links, queries) relies on it: polygons convex with area and wound one way, neighbours
// mutual, border edges exactly on their side's line, all coordinates inside the square and the world.
// Order: the first fault in array order, then element order, is the one reported.
#include "navmesh_internal.h"

typedef struct Check {
  const CrNavMeshParams *params;
  const CrTile *tile;
  CrTileSquare square;
  CrTileFault *fault;
} Check;

static bool fault(const Check *check, CrTileArray array, uint32_t index) {
  *check->fault = (CrTileFault){array, index};
  return false;
}

static bool is_coord(double value) { return cr__abs(value) < CR_COORD_LIMIT; }

static bool in_square(const Check *check, CrVec3 p) {
  CrTileSquare s = check->square;
  return is_coord(p.x) && is_coord(p.y) && is_coord(p.z) && p.x >= s.min_x && p.x <= s.max_x && p.z >= s.min_z &&
         p.z <= s.max_z;
}

static bool check_points(const Check *check, CrTileArray array, const CrVec3 *points, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (!in_square(check, points[i])) return fault(check, array, i);
  }
  return true;
}

// Corner indices exist, and no two corners of a polygon share an index or are too near each other.
static bool check_corners(const Check *check, uint32_t polygon) {
  const CrTile *tile = check->tile;
  uint32_t first = tile->polygon_first[polygon], end = tile->polygon_first[polygon + 1];
  for (uint32_t c = first; c < end; c++) {
    uint32_t v = tile->corner_vertex[c];
    if (v >= tile->vertex_count) return fault(check, CR_TILE_POLYGON_VERTICES, c);
    for (uint32_t d = first; d < c; d++) {
      uint32_t w = tile->corner_vertex[d];
      double distance2 = cr__dist2_xz(tile->vertices[v], tile->vertices[w]);
      bool apart = distance2 >= CR_MIN_CORNER_DISTANCE * CR_MIN_CORNER_DISTANCE;
      if (v == w || !apart) return fault(check, CR_TILE_POLYGON_VERTICES, c);
    }
  }
  return true;
}

// No corner lies farther than the tolerance to the right of any edge: convex and wound once.
static bool is_right_of(CrVec3 a, CrVec3 b, CrVec3 p) {
  double cross = cr__cross_xz(a, b, p);
  if (cross >= 0.0) return false;
  double flat = CR_CONVEX_EPSILON * CR_CONVEX_EPSILON * cr__dist2_xz(a, b);
  double rounding = CR_CONVEX_ROUNDING * CR_CONVEX_ROUNDING * cr__dist2_xz(a, p);
  return cross * cross > cr__max(flat, rounding);
}

static bool check_shape(const Check *check, uint32_t polygon) {
  const CrTile *tile = check->tile;
  uint32_t first = tile->polygon_first[polygon], count = cr__polygon_vertex_count(tile, polygon);
  CrVec3 v[CR_MAX_POLY_VERTS];
  for (uint32_t k = 0; k < count; k++) v[k] = cr__polygon_vertex(tile, polygon, k);
  double area2 = 0.0;
  for (uint32_t k = 1; k + 1 < count; k++) area2 += cr__cross_xz(v[0], v[k], v[k + 1]);
  if (!(area2 > 0.0)) return fault(check, CR_TILE_POLYGON_VERTICES, first);
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 a = v[k], b = v[k + 1 == count ? 0 : k + 1];
    for (uint32_t j = 0; j < count; j++) {
      if (is_right_of(a, b, v[j])) return fault(check, CR_TILE_POLYGON_VERTICES, first + j);
    }
  }
  return true;
}

static bool check_polygons(const Check *check) {
  for (uint32_t p = 0; p < check->tile->polygon_count; p++) {
    if (!check_corners(check, p) || !check_shape(check, p)) return false;
  }
  return true;
}

bool cr__tile_check_shapes(const CrTile *tile, CrTileFault *out_fault) {
  Check check = {.tile = tile, .fault = out_fault};
  return check_polygons(&check);
}

static uint32_t next_corner(const CrTile *tile, uint32_t polygon, uint32_t corner) {
  return corner + 1 == tile->polygon_first[polygon + 1] ? tile->polygon_first[polygon] : corner + 1;
}

// Whether `other` has the edge b -> a and names `polygon` behind it.
static bool answers(const CrTile *tile, uint32_t other, uint32_t a, uint32_t b, uint32_t polygon) {
  for (uint32_t c = tile->polygon_first[other]; c < tile->polygon_first[other + 1]; c++) {
    bool reversed = tile->corner_vertex[c] == b && tile->corner_vertex[next_corner(tile, other, c)] == a;
    if (reversed) return tile->corner_neighbour[c] == polygon;
  }
  return false;
}

static bool neighbour_is_valid(const Check *check, uint32_t polygon, uint32_t corner) {
  const CrTile *tile = check->tile;
  uint32_t neighbour = tile->corner_neighbour[corner];
  uint32_t a = tile->corner_vertex[corner], b = tile->corner_vertex[next_corner(tile, polygon, corner)];
  if (neighbour == CR_EDGE_WALL) return true;
  if (neighbour < tile->polygon_count) return answers(tile, neighbour, a, b, polygon);
  if (neighbour < CR_EDGE_BORDER_POS_X || neighbour > CR_EDGE_BORDER_NEG_Z) return false;
  int side = (int)(neighbour - CR_EDGE_BORDER_POS_X);
  double line = cr__side_line(check->square, side);
  return cr__across(tile->vertices[a], side) == line && cr__across(tile->vertices[b], side) == line;
}

static bool check_neighbours(const Check *check) {
  const CrTile *tile = check->tile;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t c = tile->polygon_first[p]; c < tile->polygon_first[p + 1]; c++) {
      if (!neighbour_is_valid(check, p, c)) return fault(check, CR_TILE_POLYGON_NEIGHBOURS, c);
    }
  }
  return true;
}

static bool check_areas(const Check *check) {
  for (uint32_t p = 0; p < check->tile->polygon_count; p++) {
    if (check->tile->areas[p] > CR_MAX_AREA) return fault(check, CR_TILE_POLYGON_AREAS, p);
  }
  return true;
}

// Every polygon has a triangle, and every triangle names corners or extra vertices of its polygon.
static bool check_detail(const Check *check) {
  const CrTile *tile = check->tile;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    uint32_t extra = tile->detail_first_vertex[p + 1] - tile->detail_first_vertex[p];
    uint32_t first = tile->detail_first_triangle[p], end = tile->detail_first_triangle[p + 1];
    if (first == end) return fault(check, CR_TILE_DETAIL_TRIANGLE_COUNTS, p);
    for (size_t i = (size_t)first * 3; i < (size_t)end * 3; i++) {
      bool known = tile->detail_triangles[i] < (uint64_t)cr__polygon_vertex_count(tile, p) + extra;
      if (!known) return fault(check, CR_TILE_DETAIL_TRIANGLES, (uint32_t)(i / 3));
    }
  }
  return true;
}

static bool check_off_mesh(const Check *check) {
  for (uint32_t i = 0; i < check->tile->off_mesh_count; i++) {
    const CrOffMeshLink *link = &check->tile->off_mesh[i];
    bool placed =
        in_square(check, link->start) && is_coord(link->end.x) && is_coord(link->end.y) && is_coord(link->end.z);
    bool sized = link->radius > 0.0 && link->radius <= check->params->tile_size;
    if (!placed || !sized || link->area > CR_MAX_AREA || link->bidirectional > 1) {
      return fault(check, CR_TILE_OFF_MESH_LINKS, i);
    }
  }
  return true;
}

bool cr__tile_check(const CrNavMeshParams *params, const CrTile *tile, CrTileFault *out_fault) {
  Check check = {params, tile, cr__tile_square(params, tile->x, tile->z), out_fault};
  return check_points(&check, CR_TILE_VERTICES, tile->vertices, tile->vertex_count) && check_polygons(&check) &&
         check_neighbours(&check) && check_areas(&check) &&
         check_points(&check, CR_TILE_DETAIL_VERTICES, tile->detail_vertices, tile->detail_vertex_count) &&
         check_detail(&check) && check_off_mesh(&check);
}
