// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walls around a point against brute force: every edge of every polygon the circle reaches, with the covered intervals of
// border edges taken off one by one.
#include "hard_worlds.h"
#include "query_internal.h"

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

static bool passes(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref) {
  uint16_t flags = cr__resolve(mesh, ref)->flags[cr__ref_polygon(ref)];
  return !filter || ((flags & filter->include_flags) && !(flags & filter->exclude_flags));
}

static double distance_xz(CrVec3 a, CrVec3 b, CrVec3 p) {
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, p)), p);
}

// --- Brute force ------------------------------------------------------------------------------------------------------------

typedef struct Interval {
  double low, high;
} Interval;

#define MAX_PIECES 8192

typedef struct Expected {
  CrWallPiece pieces[MAX_PIECES];
  int32_t count;
} Expected;

static int compare_intervals(const void *a, const void *b) {
  const Interval *p = a, *q = b;
  return p->low < q->low ? -1 : p->low > q->low;
}

// Uncovered parts of edge k, as lengths along it: sort what is covered, then read off the gaps.
static int32_t gaps_of(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, uint32_t k, Interval *gaps) {
  const CrTile *tile = cr__resolve(mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref), neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + k];
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, k, &a, &b);
  double length = cr__dist_xz(a, b), reached = 0.0;
  if (neighbour < tile->polygon_count && passes(mesh, filter, cr__tile_ref(mesh, tile, neighbour))) return 0;
  Interval covered[64];
  int32_t covers = 0, count = 0;
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge != k || !passes(mesh, filter, link->target)) continue;
    covered[covers++] = (Interval){cr__dist_xz(a, link->a), cr__dist_xz(a, link->b)};
  }
  qsort(covered, (size_t)covers, sizeof *covered, compare_intervals);
  for (int32_t i = 0; i < covers; i++) {
    if (covered[i].low > reached + 1e-6) gaps[count++] = (Interval){reached, covered[i].low};
    reached = fmax(reached, covered[i].high);
  }
  if (length > reached + 1e-6) gaps[count++] = (Interval){reached, length};
  return count;
}

static void add_walls(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, CrVec3 center, double radius,
                      Expected *expected) {
  const CrTile *tile = cr__resolve(mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref);
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    Interval gaps[64];
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    double length = cr__dist_xz(a, b);
    int32_t count = gaps_of(mesh, filter, ref, k, gaps);
    for (int32_t part = 0; part < count; part++) {
      CrWallPiece piece = {ref,
                           (uint8_t)k,
                           (uint8_t)part,
                           cr__lerp(a, b, gaps[part].low / length),
                           cr__lerp(a, b, gaps[part].high / length),
                           0.0};
      piece.distance = distance_xz(piece.a, piece.b, center);
      if (piece.distance <= radius && expected->count < MAX_PIECES) expected->pieces[expected->count++] = piece;
    }
  }
}

// Floods through portals within the radius.
static void brute_walls(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef start, CrVec3 center,
                        double radius, Expected *expected) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  uint8_t *reached = calloc(count, 1);
  for (uint32_t i = 0; i < count; i++) reached[i] = all[i] == start;
  for (bool grew = true; grew;) {
    grew = false;
    for (uint32_t i = 0; i < count; i++) {
      if (reached[i] != 1) continue;
      reached[i] = 2;
      grew = true;
      const CrTile *tile = cr__resolve(mesh, all[i]);
      CrWayList ways = cr__ways(mesh, tile, cr__ref_polygon(all[i]), filter);
      for (CrWay way; cr__next_way(&ways, &way);) {
        cr__way_ends(tile, cr__ref_polygon(all[i]), &way);
        if (way.kind == CR_WAY_OFF_MESH || distance_xz(way.a, way.b, center) > radius) continue;
        for (uint32_t j = 0; j < count; j++) {
          if (all[j] == way.target && !reached[j]) reached[j] = 1;
        }
      }
    }
  }
  expected->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (reached[i]) add_walls(mesh, filter, all[i], center, radius, expected);
  }
  free(reached);
  free(all);
}

// Same piece of the same edge, near enough in place; pieces within rounding of the radius may be there or not.
static void match_walls(const Expected *expected, const CrWallPiece *pieces, int32_t count, double radius,
                        double slack) {
  int32_t matched = 0, on_rim = 0;
  for (int32_t i = 0; i < expected->count; i++) {
    const CrWallPiece *e = &expected->pieces[i];
    bool found = false;
    for (int32_t j = 0; j < count && !found; j++) {
      const CrWallPiece *p = &pieces[j];
      if (p->ref != e->ref || p->edge != e->edge || p->part != e->part) continue;
      found = true;
      CHECK(cr__near_xz(p->a, e->a, slack) && cr__near_xz(p->b, e->b, slack));
      CHECK(fabs(p->a.y - e->a.y) < slack && fabs(p->b.y - e->b.y) < slack);
      CHECK_NEAR(p->distance, e->distance, slack);
    }
    matched += found;
    on_rim += !found && e->distance > radius - slack;
    CHECK(found || e->distance > radius - slack);
  }
  CHECK_INT(matched, count);
  (void)on_rim;
}

static bool same_piece(const CrWallPiece *a, const CrWallPiece *b) {
  return a->ref == b->ref && a->edge == b->edge && a->part == b->part && a->distance == b->distance &&
         cr__same_point(a->a, b->a) && cr__same_point(a->b, b->b);
}

static bool in_order(const CrWallPiece *a, const CrWallPiece *b) {
  if (a->distance != b->distance) return a->distance < b->distance;
  if (a->ref != b->ref) return a->ref < b->ref;
  return a->edge != b->edge ? a->edge < b->edge : a->part < b->part;
}

TEST(walls_are_what_brute_force_finds) {
  static Expected expected;
  static CrWallPiece pieces[MAX_PIECES], few[5];
  int64_t found = 0, parts = 0;
  for (int number = 0; number < 40 + HARD_WORLDS; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = number < 40 ? world_number(number) : hard_world(number - 40);
    CrNavMeshQuery *query = make_query(mesh);
    CrVec3 low, high;
    REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
    double scale = number < 40 ? 1.0 : fmin(high.x - low.x, high.z - low.z) / 20, slack = 1e-8 + world_slack(mesh);
    uint64_t seed = 200 + (uint64_t)number;
    for (int64_t i = check_scaled(number < 40 ? 300 : 100); i > 0; i--) {
      check_seed = seed;
      CrPolyRef ref;
      CrVec3 center;
      if (!random_place(mesh, filter, &seed, &ref, &center)) continue;
      double radius = scale * (i % 10 == 0 ? 100.0 : i % 10 == 1 ? 0.0 : rnd_range(&seed, 0.0, 8.0));
      int32_t count, few_count;
      CHECK_OK(cr_query_find_walls(query, ref, center, radius, filter, pieces, MAX_PIECES, &count, NULL));
      brute_walls(mesh, filter, ref, center, radius, &expected);
      match_walls(&expected, pieces, count, radius, slack);
      for (int32_t k = 0; k < count; k++) {
        CrVec3 a, b;
        CHECK_OK(cr_query_wall_piece(mesh, filter, pieces[k].ref, pieces[k].edge, pieces[k].part, &a, &b));
        CHECK(cr__same_point(a, pieces[k].a) && cr__same_point(b, pieces[k].b));
        if (k) CHECK(in_order(&pieces[k - 1], &pieces[k]));
        parts += pieces[k].part > 0;
      }
      found += count;
      CHECK_OK(cr_query_find_walls(query, ref, center, radius, filter, few, 5, &few_count, NULL));
      CHECK_INT(few_count, count < 5 ? count : 5);
      for (int32_t k = 0; k < few_count; k++) CHECK(same_piece(&few[k], &pieces[k]));
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld pieces, %lld of them not the first of their edge\n", (long long)found, (long long)parts);
  CHECK(check_scaled(100) < 10 || (found > check_scaled(10000) && parts > check_scaled(10)));
}

TEST(a_seam_between_walkable_tiles_is_no_wall) {
  // Warped tiles without holes: only the outer border is wall, whatever the border vertices of the two sides.
  for (int k = 0; k < 5; k++) {
    CrNavMesh *mesh = world_warped(30 + (uint64_t)k, 3, 4, 1.0, 0.0, k % 2 ? 0.2 : 0.0, -12.0);
    CrNavMeshQuery *query = make_query(mesh);
    static CrWallPiece pieces[MAX_PIECES];
    uint64_t seed = 3;
    CrPolyRef ref;
    CrVec3 center = world_random_point(mesh, &seed, &ref);
    int32_t count;
    double length = 0.0;
    CHECK_OK(cr_query_find_walls(query, ref, center, 50.0, NULL, pieces, MAX_PIECES, &count, NULL));
    for (int32_t i = 0; i < count; i++) {
      CrVec3 a = pieces[i].a, b = pieces[i].b;
      bool outer =
          (a.x == -12 && b.x == -12) || (a.x == 0 && b.x == 0) || (a.z == -12 && b.z == -12) || (a.z == 0 && b.z == 0);
      CHECK(outer);
      length += cr__dist_xz(a, b);
    }
    CHECK_NEAR(length, 48.0, 1e-9);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
}

// --- Seams ------------------------------------------------------------------------------------------------------------------

static double height_on(CrVec3 a, CrVec3 b, int side, double s) {
  double from = cr__along(a, side), to = cr__along(b, side);
  return a.y + (b.y - a.y) * ((s - from) / (to - from));
}

// What lies across the tile's side beside the edge a -> b at `s` along the line: 2 an edge of another tile within the climb over
// the whole of what the two have in common, 1 one within the climb just here, 0 neither.
static int across_seam(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrTile *tile, int side, CrVec3 a,
                       CrVec3 b, double s) {
  int32_t x = tile->x, z = tile->z;
  int best = 0;
  cr__side_step(side, &x, &z);
  double low = fmin(cr__along(a, side), cr__along(b, side)), high = fmax(cr__along(a, side), cr__along(b, side));
  for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) {
    const CrTile *other = &mesh->tiles[at - 1];
    for (uint32_t p = 0; p < other->polygon_count; p++) {
      if (!cr__accepts_polygon(filter, other, p)) continue;
      for (uint32_t k = 0; k < cr__polygon_vertex_count(other, p); k++) {
        CrVec3 c, d;
        if (other->corner_neighbour[other->polygon_first[p] + k] != CR_EDGE_BORDER_POS_X + (uint32_t)(side ^ 2))
          continue;
        cr__polygon_edge(other, p, k, &c, &d);
        double from = fmin(cr__along(c, side), cr__along(d, side)), to = fmax(cr__along(c, side), cr__along(d, side));
        if (s < from || s > to || fmin(to, high) - fmax(from, low) <= 1e-6) continue;
        double climb = mesh->params.climb, first = fmax(from, low), last = fmin(to, high);
        if (fabs(height_on(a, b, side, s) - height_on(c, d, side, s)) > climb) continue;
        bool whole = fabs(height_on(a, b, side, first) - height_on(c, d, side, first)) <= climb - 1e-9 &&
                     fabs(height_on(a, b, side, last) - height_on(c, d, side, last)) <= climb - 1e-9;
        best = whole ? 2 : best > 1 ? best : 1;
      }
    }
  }
  return best;
}

typedef struct SeamTally {
  int64_t edges, walls, samples, open, steep;
  double length;
} SeamTally;

// Every wall piece on a seam, asked at five places along it: nothing walkable within the climb lies across.
static void check_seams(const CrNavMesh *mesh, const CrQueryFilter *filter, SeamTally *tally) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, all[i]);
    uint32_t polygon = cr__ref_polygon(all[i]);
    for (uint8_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
      uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + k];
      CrVec3 a, b, c, d;
      if (!cr__is_border(neighbour)) continue;
      int side = (int)(neighbour - CR_EDGE_BORDER_POS_X);
      cr__polygon_edge(tile, polygon, k, &c, &d);
      tally->edges++;
      for (uint8_t part = 0; cr_query_wall_piece(mesh, filter, all[i], k, part, &a, &b) == CR_STATUS_OK; part++) {
        double from = cr__along(a, side), to = cr__along(b, side), margin = to > from ? 2e-6 : -2e-6;
        tally->walls++;
        tally->length += fabs(to - from);
        for (int sample = 0; sample < 5 && fabs(to - from) > 5e-6; sample++) {
          double s = from + margin + (to - from - 2 * margin) * (sample / 4.0);
          int found = across_seam(mesh, filter, tile, side, c, d, s);
          tally->samples++;
          tally->open += found == 2;
          tally->steep += found == 1;
          CHECK(found != 2);
        }
      }
    }
  }
  free(all);
}

TEST(no_seam_of_a_built_level_is_a_wall) {
  SeamTally tally = {0};
  static const int32_t cells[] = {16, 24, 37};
  for (uint32_t level = 0; level < level_count(); level++) {
    for (size_t k = 0; k < CR_COUNT_OF(cells); k++) {
      check_seed = level;
      CrNavMesh *mesh = world_level(level, cells[k]);
      check_seams(mesh, NULL, &tally);
      cr_navmesh_destroy(mesh);
    }
  }
  printf(
      "  %lld border edges, %lld walls on them (%.0f long) asked at %lld places; across %lld of these ground within "
      "the climb just"
      " there\n",
      (long long)tally.edges, (long long)tally.walls, tally.length, (long long)tally.samples, (long long)tally.steep);
  CHECK(tally.edges > 10000 && tally.open == 0);
}

TEST(no_seam_of_random_tiles_is_a_wall) {
  SeamTally tally = {0};
  for (int number = 0; number < 60; number++) {
    CrQueryFilter storage;
    CrNavMesh *mesh = number < 40   ? world_number(number)
                      : number < 50 ? world_mosaic((uint64_t)number, 6, 4.0, 0.0)
                                    : hard_world(number - 50);
    check_seed = (uint64_t)number;
    check_seams(mesh, filter_number(number, &storage), &tally);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld border edges, %lld walls on them asked at %lld places; across %lld of these ground within the climb just "
      "there\n",
      (long long)tally.edges, (long long)tally.walls, (long long)tally.samples, (long long)tally.steep);
  CHECK(tally.edges > 1000 && tally.open == 0);
}

// Two storeys meet one edge, and each covers all of it: the walls of both are found.
TEST(both_portals_of_an_edge_lead_on) {
  CrNavMeshParams params = {.tile_size = 8, .climb = 1};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  static const struct {
    int32_t x, layer;
    double left, right, height;
  } floors[] = {{0, 0, 4, 8, 0}, {1, 0, 8, 10, 0}, {1, 1, 8, 11, 0.75}};
  static TileKit kit;
  for (size_t i = 0; i < 3; i++) {
    kit_begin(&kit, floors[i].x, 0, floors[i].layer);
    kit_rectangle(&kit, floors[i].left, 0, floors[i].right, 8, floors[i].height);
    kit_add(&kit, mesh);
  }
  CrNavMeshQuery *query = make_query(mesh);
  CrNearestPoly near;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(7, 0, 4), cr__vec(0, 0, 0), NULL, &near, NULL));
  CrWallPiece pieces[16];
  int32_t count, at_ten = 0, at_eleven = 0, between = 0;
  CHECK_OK(cr_query_find_walls(query, near.ref, near.point, 5.0, NULL, pieces, 16, &count, NULL));
  for (int32_t i = 0; i < count; i++) {
    at_ten += pieces[i].a.x == 10.0 && pieces[i].b.x == 10.0;
    at_eleven += pieces[i].a.x == 11.0 && pieces[i].b.x == 11.0;
    between += pieces[i].a.x == 8.0 && pieces[i].b.x == 8.0;
  }
  CHECK(at_ten == 1 && at_eleven == 1 && between == 0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(a_rejected_polygon_is_a_wall) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 1, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrNearestPoly middle, left;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(1.5, 0, 0.5), cr__vec(0, 0, 0), NULL, &middle, NULL));
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(0.5, 0, 0.5), cr__vec(0, 0, 0), NULL, &left, NULL));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, middle.ref, 4, NULL));
  CrQueryFilter filter = cr_query_filter_default();
  CrWallPiece pieces[16];
  int32_t open, closed;
  CrVec3 a, b;
  CHECK_OK(cr_query_find_walls(query, left.ref, left.point, 0.6, &filter, pieces, 16, &open, NULL));
  filter.exclude_flags = 4;
  CHECK_OK(cr_query_find_walls(query, left.ref, left.point, 0.6, &filter, pieces, 16, &closed, NULL));
  CHECK(open == 3 && closed == 4);
  int32_t seen = 0;
  for (int32_t i = 0; i < closed; i++) {
    if (pieces[i].a.x != 1.0 || pieces[i].b.x != 1.0) continue;
    seen++;
    CHECK_STATUS(cr_query_wall_piece(mesh, NULL, pieces[i].ref, pieces[i].edge, pieces[i].part, &a, &b),
                 CR_STATUS_NOT_FOUND);
    CHECK_OK(cr_query_wall_piece(mesh, &filter, pieces[i].ref, pieces[i].edge, pieces[i].part, &a, &b));
  }
  CHECK_INT(seen, 1);
  CHECK_STATUS(cr_query_wall_piece(mesh, NULL, left.ref, 4, 0, &a, &b), CR_STATUS_NOT_FOUND);
  CHECK_STATUS(cr_query_wall_piece(mesh, NULL, 0, 0, 0, &a, &b), CR_STATUS_STALE_REF);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(wall_arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  CrVec3 p = {0.5, 0, 0.5};
  CrWallPiece pieces[4];
  int32_t count = 55;
  CrError error;
  CHECK_STATUS(cr_query_find_walls(query, ref, cr__vec(NAN, 0, 0), 1, NULL, pieces, 4, &count, &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "center") == 0);
  CHECK_STATUS(cr_query_find_walls(query, ref, p, -1, NULL, pieces, 4, &count, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_query_find_walls(query, ref, p, NAN, NULL, pieces, 4, &count, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "radius") == 0);
  CHECK_STATUS(cr_query_find_walls(query, ref, p, 1, NULL, pieces, -1, &count, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_query_find_walls(query, 0, p, 1, NULL, pieces, 4, &count, &error), CR_STATUS_STALE_REF);
  CHECK_INT(count, 55);
  CHECK_OK(cr_query_find_walls(query, ref, p, 1, NULL, NULL, 0, &count, &error));
  CHECK_INT(count, 0);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(a_circle_search_has_its_limit) {
  // More polygons than one search visits: it ends, and what it found is the nearest by steps.
  CrNavMesh *mesh = world_scattered(4, 90, 90, 1.0, 0.05, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  static CrWallPiece pieces[MAX_PIECES];
  CrNearestPoly middle;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(45, 0, 45), cr__vec(3, 1, 3), NULL, &middle, NULL));
  int32_t count, near;
  CHECK(cr_navmesh_polygon_count(mesh) > CR_QUERY_MAX_CIRCLE);
  CHECK_OK(cr_query_find_walls(query, middle.ref, middle.point, 200.0, NULL, pieces, MAX_PIECES, &count, NULL));
  CHECK_OK(cr_query_find_walls(query, middle.ref, middle.point, 20.0, NULL, pieces, MAX_PIECES, &near, NULL));
  CHECK(count > near && near > 50);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(walls_are_what_brute_force_finds), RUN(a_seam_between_walkable_tiles_is_no_wall),
          RUN(no_seam_of_a_built_level_is_a_wall), RUN(no_seam_of_random_tiles_is_a_wall),
          RUN(both_portals_of_an_edge_lead_on), RUN(a_rejected_polygon_is_a_wall), RUN(wall_arguments_are_checked),
          RUN(a_circle_search_has_its_limit))
