// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Straight paths with the places where they cross portals: the corners are those of the plain string, bit for bit; every
// portal of the path is crossed, once, in order, on the string and on the portal, by another formula; cut strings are the
// whole one's beginning; links, portals through corners, portals along the string.
#include "query_internal.h"
#include "query_worlds.h"
#include "tile_kit.h"

#define MOST 1024

typedef struct Line {
  CrCorner corners[MOST];
  bool corner[MOST];  // of the plain string; the others are only crossings
  int32_t count;
  CrStraightPathOutcome outcome;
} Line;

typedef struct Corridor {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  CrPolyRef path[MOST];
  int32_t count;
  CrVec3 start, end;
} Corridor;

static void pull(const Corridor *c, CrCrossings crossings, int32_t capacity, Line *line) {
  line->outcome = cr_query_straight_path_crossings(c->mesh, c->start, c->end, c->path, c->count, c->filter, crossings,
                                                   line->corners, capacity, &line->count);
}

static bool same_corner(const CrCorner *a, const CrCorner *b) {
  return a->ref == b->ref && a->path_index == b->path_index && a->flags == b->flags &&
         cr__same_point(a->point, b->point);
}

static double area_of(const Corridor *c, int32_t k) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(c->mesh, c->path[k], &info));
  return info.area;
}

static CrWay way_of(const Corridor *c, int32_t k) {
  return cr__way_between(c->mesh, cr__resolve(c->mesh, c->path[k]), cr__ref_polygon(c->path[k]), c->path[k + 1],
                         c->filter);
}

// Distance of a point from a segment, by projection on its direction.
static double off_segment(CrVec3 a, CrVec3 b, CrVec3 p) {
  double ex = b.x - a.x, ez = b.z - a.z, length = hypot(ex, ez);
  double along = length > 0 ? fmin(fmax(((p.x - a.x) * ex + (p.z - a.z) * ez) / length, 0), length) : 0;
  double x = length > 0 ? a.x + ex / length * along : a.x, z = length > 0 ? a.z + ez / length * along : a.z;
  return hypot(p.x - x, p.z - z);
}

typedef struct Tally {
  int64_t paths, crossings, at_corners, areas, links, cut, returns, checked_places;
  double worst;
} Tally;

// Without the places that are only crossings the plain string is left. A bend has no flag of its own: it is known by its place.
static void check_corners_stay(const Line *plain, Line *line) {
  int32_t at = 0;
  for (int32_t i = 0; i < line->count; i++) {
    const CrCorner *corner = &line->corners[i], *expected = &plain->corners[at];
    line->corner[i] = at < plain->count && cr__same_point(corner->point, expected->point);
    if (!line->corner[i]) {
      CHECK(corner->flags == CR_CORNER_CROSSING);
      continue;
    }
    at++;
    CHECK((corner->flags & ~CR_CORNER_CROSSING) == expected->flags);
    CHECK(corner->path_index >= expected->path_index);
    bool begins = i == 0 || (line->corners[i - 1].flags & CR_CORNER_OFF_MESH);
    if (!begins) CHECK(corner->path_index == expected->path_index);
  }
  CHECK(at == plain->count);
}

// Where the leg a -> b meets the line of the portal, solved for the leg's parameter. False when they are nearly parallel, or it is
// near an end of the leg.
static bool leg_meets(CrVec3 a, CrVec3 b, const CrWay *way, CrVec3 *out) {
  double ux = b.x - a.x, uz = b.z - a.z, vx = way->b.x - way->a.x, vz = way->b.z - way->a.z;
  double determinant = ux * vz - uz * vx;
  if (fabs(determinant) < 1e-3 * hypot(ux, uz) * hypot(vx, vz)) return false;
  double t = ((way->a.x - a.x) * vz - (way->a.z - a.z) * vx) / determinant;
  if (!(t > 1e-6 && t < 1 - 1e-6)) return false;
  *out = cr__vec(a.x + ux * t, 0, a.z + uz * t);
  return true;
}

// A path that leaves a polygon and comes back to it may turn round on the very line of the string. Such a turn is no corner, so
// the string stays short of the portals beyond (docs/behaviour/queries.md, "Crossings").
static bool turns_round(const Corridor *c, const Line *plain, const CrWay *way) {
  bool twice = false;
  for (int32_t i = 0; i < c->count; i++) {
    for (int32_t j = 0; j < i; j++) twice = twice || c->path[i] == c->path[j];
  }
  for (int32_t i = 1; twice && i < plain->count; i++) {
    CrVec3 a = plain->corners[i - 1].point, b = plain->corners[i].point;
    double nearest = fmin(fmin(off_segment(way->a, way->b, a), off_segment(way->a, way->b, b)),
                          fmin(off_segment(a, b, way->a), off_segment(a, b, way->b)));
    if (nearest < 1e-6 || (cr__cross_xz(a, b, way->a) < 0) != (cr__cross_xz(a, b, way->b) < 0)) return false;
  }
  return twice;
}

// Each portal that is listed is crossed at the first place whose index is past it, and that lies on it and on the string.
static void check_portals(const Corridor *c, CrCrossings crossings, const Line *plain, const Line *line, Tally *tally) {
  int32_t at = 0, leg = 0;
  for (int32_t k = 0; k + 1 < c->count; k++) {
    CrWay way = way_of(c, k);
    bool listed = crossings == CR_CROSSINGS_ALL || area_of(c, k) != area_of(c, k + 1);
    while (at < line->count && line->corners[at].path_index <= k) at++;
    if (at == line->count) {
      CHECK(at < line->count);
      return;
    }
    const CrCorner *place = &line->corners[at];
    if (way.kind == CR_WAY_OFF_MESH) {
      CHECK(at > 0 && (line->corners[at - 1].flags & CR_CORNER_OFF_MESH) && line->corners[at - 1].path_index == k);
      tally->links++;
      continue;
    }
    if (!listed) continue;
    CHECK(place->flags & CR_CORNER_CROSSING);
    double off = off_segment(way.a, way.b, place->point);
    if (off >= 2e-6 && turns_round(c, plain, &way)) {
      tally->returns++;
      continue;
    }
    tally->worst = fmax(tally->worst, off);
    CHECK(off < 2e-6);
    if (crossings == CR_CROSSINGS_AREA) tally->areas++;
    // The leg of the plain string that this place is on.
    while (leg + 2 < plain->count && plain->corners[leg + 1].path_index <= k) leg++;
    CrVec3 expected;
    if (!line->corner[at] && leg_meets(plain->corners[leg].point, plain->corners[leg + 1].point, &way, &expected)) {
      CHECK(hypot(place->point.x - expected.x, place->point.z - expected.z) < 1e-6);
      tally->checked_places++;
    }
  }
}

static double length_xz(const Line *line) {
  double length = 0;
  for (int32_t i = 1; i < line->count; i++) length += cr__dist_xz(line->corners[i - 1].point, line->corners[i].point);
  return length;
}

static void check_places(const Corridor *c, const Line *line, Tally *tally) {
  for (int32_t i = 0; i < line->count; i++) {
    const CrCorner *corner = &line->corners[i];
    CHECK(corner->ref == c->path[corner->path_index]);
    if (i) CHECK(corner->path_index >= line->corners[i - 1].path_index);
    if (i) CHECK(!cr__same_point(corner->point, line->corners[i - 1].point));
    tally->at_corners += (corner->flags & CR_CORNER_CROSSING) && line->corner[i];
    if (line->corner[i]) continue;
    CrVec3 surface;
    CHECK_OK(cr_query_closest_point(c->mesh, corner->ref, corner->point, &surface, NULL));
    CHECK(cr__dist_xz(surface, corner->point) < 2e-6 && fabs(surface.y - corner->point.y) < 1e-5);
    CHECK(!cr__near_xz(corner->point, line->corners[i - 1].point, 1e-8));
    CHECK(!cr__near_xz(corner->point, line->corners[i + 1].point, 1e-8));
    tally->crossings++;
  }
}

static void check_cut(const Corridor *c, CrCrossings crossings, const Line *whole, int32_t capacity, Tally *tally) {
  static Line cut;
  pull(c, crossings, capacity, &cut);
  CHECK(cut.outcome == (capacity < whole->count ? CR_STRAIGHT_TRUNCATED : CR_STRAIGHT_OK));
  CHECK_INT(cut.count, capacity < whole->count ? capacity : whole->count);
  for (int32_t i = 0; i < cut.count; i++) {
    const CrCorner *a = &cut.corners[i], *b = &whole->corners[i];
    CHECK(same_corner(a, b));
  }
  tally->cut += capacity < whole->count;
}

static void check_corridor(const Corridor *c, uint64_t *seed, Tally *tally) {
  static Line plain, all, areas;
  int32_t count;
  plain.outcome =
      cr_query_straight_path(c->mesh, c->start, c->end, c->path, c->count, c->filter, plain.corners, MOST, &count);
  plain.count = count;
  CHECK(plain.outcome == CR_STRAIGHT_OK);
  pull(c, CR_CROSSINGS_NONE, MOST, &all);
  CHECK_INT(all.count, plain.count);
  for (int32_t i = 0; i < count; i++) CHECK(same_corner(&all.corners[i], &plain.corners[i]));
  tally->paths++;
  Line *lines[2] = {&areas, &all};
  for (int kind = 0; kind < 2; kind++) {
    CrCrossings crossings = kind ? CR_CROSSINGS_ALL : CR_CROSSINGS_AREA;
    Line *line = lines[kind];
    pull(c, crossings, MOST, line);
    CHECK(line->outcome == CR_STRAIGHT_OK);
    check_corners_stay(&plain, line);
    check_portals(c, crossings, &plain, line, tally);
    check_places(c, line, tally);
    CHECK_NEAR(length_xz(line), length_xz(&plain), 1e-7);
    check_cut(c, crossings, line, 2 + rnd_int(seed, line->count), tally);
    check_cut(c, crossings, line, 2, tally);
  }
  // What areas list is among all.
  for (int32_t i = 0, j = 0; i < areas.count; i++, j++) {
    while (j < all.count && !cr__near_xz(areas.corners[i].point, all.corners[j].point, 2e-8)) j++;
    CHECK(j < all.count);
  }
}

// Ends in polygons, on vertices and on edges: portals through the ends, and strings through vertices and along edges.
static bool random_corridor(CrNavMeshQuery *query, const CrQueryFilter *filter, uint64_t *seed, Corridor *c) {
  CrPolyRef ends[2];
  CrVec3 points[2];
  for (int e = 0; e < 2; e++) {
    if (!random_place(query->mesh, filter, seed, &ends[e], &points[e])) return false;
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(query->mesh, ends[e], &info));
    int32_t kind = rnd_int(seed, 4), k = rnd_int(seed, info.vertex_count);
    if (kind == 0) points[e] = info.vertices[k];
    if (kind == 1) points[e] = cr__lerp(info.vertices[k], info.vertices[(k + 1) % info.vertex_count], 0.5);
  }
  CrPathResult result;
  CHECK_OK(cr_query_find_path(query, ends[0], points[0], ends[1], points[1], filter, c->path, MOST, &result, NULL));
  if (result.outcome == CR_PATH_FAILED) return false;
  c->mesh = query->mesh;
  c->filter = filter;
  c->count = result.count;
  c->start = points[0];
  c->end = result.end;
  return true;
}

static void print_tally(const Tally *tally) {
  printf(
      "  %lld paths: %lld crossings, %lld at corners, %lld where areas change, %lld links, %lld cut; %lld places "
      "solved again, off their portals by at most %.1e; %lld portals beyond a turn\n",
      (long long)tally->paths, (long long)tally->crossings, (long long)tally->at_corners, (long long)tally->areas,
      (long long)tally->links, (long long)tally->cut, (long long)tally->checked_places, tally->worst,
      (long long)tally->returns);
}

static void cross_world(CrNavMesh *mesh, int number, int64_t count, Tally *tally) {
  CrQueryFilter storage;
  const CrQueryFilter *filter = filter_number(number, &storage);
  CrQueryOptions options = {4096, number % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  uint64_t seed = 300 + (uint64_t)number;
  static Corridor corridor;
  for (int64_t i = 0; i < count; i++) {
    check_seed = seed;
    if (random_corridor(query, filter, &seed, &corridor)) check_corridor(&corridor, &seed, tally);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(every_portal_is_crossed_in_order) {
  Tally tally = {0};
  for (int number = 0; number < 40; number++) cross_world(world_number(number), number, check_scaled(150), &tally);
  print_tally(&tally);
  CHECK(tally.crossings > 5 * tally.paths && tally.at_corners > tally.paths && tally.areas > tally.paths / 2);
  CHECK(tally.links > tally.paths / 20);
  CHECK(tally.checked_places > tally.crossings / 2);
}

TEST(crossings_far_off) {
  Tally tally = {0};
  for (int k = 0; k < 4; k++) {
    double origin = k % 2 ? -2097140.0 : 2097120.0;
    cross_world(world_warped(60 + (uint64_t)k, 3, 5, 1.0, 0.1, k < 2 ? 0.2 : 0.0, origin), k * 3, check_scaled(100),
                &tally);
  }
  print_tally(&tally);
  CHECK(tally.crossings > 5 * tally.paths && tally.paths > 0);
}

// --- Cases by hand ----------------------------------------------------------------------------------------------------------

static void fill_row(Corridor *c, const CrNavMesh *mesh, CrVec3 start, CrVec3 end) {
  CrQueryOptions options = {256, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  CrNearestPoly from, to;
  CrPathResult result;
  REQUIRE_OK(cr_query_nearest_poly(query, start, cr__vec(0, 1, 0), NULL, &from, NULL));
  REQUIRE_OK(cr_query_nearest_poly(query, end, cr__vec(0, 1, 0), NULL, &to, NULL));
  REQUIRE_OK(cr_query_find_path(query, from.ref, start, to.ref, end, NULL, c->path, MOST, &result, NULL));
  REQUIRE(result.outcome == CR_PATH_SUCCESS);
  *c = (Corridor){.mesh = mesh, .count = result.count, .start = start, .end = end, .path = {0}};
  REQUIRE_OK(cr_query_find_path(query, from.ref, start, to.ref, end, NULL, c->path, MOST, &result, NULL));
  cr_query_destroy(query);
}

TEST(a_row_of_squares) {
  // Areas 0 0 1 1 0; from the middle of the first to the middle of the last.
  CrNavMesh *mesh = world_from_map("..aa.", 1.0, 0, NULL);
  static Corridor c;
  static Line line;
  fill_row(&c, mesh, cr__vec(0.5, 0, 0.5), cr__vec(4.5, 0, 0.5));
  pull(&c, CR_CROSSINGS_ALL, MOST, &line);
  CHECK(line.outcome == CR_STRAIGHT_OK && line.count == 6);
  const double xs[6] = {0.5, 1, 2, 3, 4, 4.5};
  for (int32_t i = 0; i < 6; i++) {
    CHECK(line.corners[i].point.x == xs[i] && line.corners[i].point.z == 0.5 && line.corners[i].point.y == 0);
    CHECK(line.corners[i].flags == (i == 0 ? CR_CORNER_START : i == 5 ? CR_CORNER_END : CR_CORNER_CROSSING));
    CHECK(line.corners[i].path_index == (i == 5 ? 4 : i));
  }
  pull(&c, CR_CROSSINGS_AREA, MOST, &line);
  CHECK(line.count == 4 && line.corners[1].point.x == 2 && line.corners[2].point.x == 4);
  CHECK(line.corners[1].path_index == 2 && line.corners[2].path_index == 4);
  // Both ends on portals: these crossings are the ends, with both flags.
  fill_row(&c, mesh, cr__vec(0.5, 0, 0.5), cr__vec(4.5, 0, 0.5));
  c.start = cr__vec(1, 0, 0.5);
  c.end = cr__vec(4, 0, 0.25);
  pull(&c, CR_CROSSINGS_ALL, MOST, &line);
  CHECK(line.count == 4);
  CHECK(line.corners[0].flags == (CR_CORNER_START | CR_CORNER_CROSSING) && line.corners[0].path_index == 1);
  CHECK(line.corners[3].flags == (CR_CORNER_END | CR_CORNER_CROSSING) && line.corners[3].path_index == 4);
  pull(&c, CR_CROSSINGS_AREA, MOST, &line);
  CHECK(line.count == 3 && line.corners[0].flags == CR_CORNER_START && line.corners[0].path_index == 0);
  // A string of no length: start, crossings and end are one.
  c.start = c.end = cr__vec(2, 0, 0.5);
  c.count = 2;
  memmove(c.path, c.path + 1, 2 * sizeof *c.path);
  pull(&c, CR_CROSSINGS_ALL, 2, &line);
  CHECK(line.outcome == CR_STRAIGHT_OK && line.count == 1 && line.corners[0].path_index == 1);
  CHECK(line.corners[0].flags == (CR_CORNER_START | CR_CORNER_CROSSING | CR_CORNER_END));
  cr_navmesh_destroy(mesh);
}

TEST(along_portals_and_through_corners) {
  // Around the inner corner (2, 1): the string bends there, along the edge z = 1 of the squares below.
  CrNavMesh *mesh = world_from_map("....\n##..\n##..\n", 1.0, 0, NULL);
  static Corridor c;
  static Line line;
  fill_row(&c, mesh, cr__vec(0.5, 0, 1.0), cr__vec(2.0, 0, 2.5));
  pull(&c, CR_CROSSINGS_ALL, MOST, &line);
  CHECK(line.outcome == CR_STRAIGHT_OK);
  int32_t bend = 1;
  while (bend < line.count && line.corners[bend].point.x < 2) bend++;
  CHECK(line.corners[bend].point.x == 2 && line.corners[bend].point.z == 1);
  CHECK(line.corners[bend].flags == CR_CORNER_CROSSING);
  // A string along a row of portals: (0.5, 1) to (3.5, 1) with polygons of both rows in the path.
  CrNavMesh *board = world_from_map("....\n....\n", 1.0, 0, NULL);
  fill_row(&c, board, cr__vec(0.5, 0, 0.5), cr__vec(3.5, 0, 1.5));
  c.start = cr__vec(0.5, 0, 1.0);
  c.end = cr__vec(3.5, 0, 1.0);
  pull(&c, CR_CROSSINGS_ALL, MOST, &line);
  CHECK(line.outcome == CR_STRAIGHT_OK && line.count == 5);
  for (int32_t i = 0; i < line.count; i++) CHECK(line.corners[i].point.z == 1.0);
  for (int32_t i = 1; i < line.count; i++) CHECK(line.corners[i].point.x > line.corners[i - 1].point.x);
  // Broken corridors are refused as without crossings.
  c.path[1] = c.path[3];
  pull(&c, CR_CROSSINGS_ALL, MOST, &line);
  CHECK(line.outcome == CR_STRAIGHT_INVALID_CORRIDOR && line.count == 0);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(board);
}

TEST(a_link_that_ends_on_a_portal) {
  // A room, and a row of three behind a gap; the link's exit lies between the first and the second of these.
  TileKit *kit = malloc(sizeof *kit);
  CrNavMesh *mesh = NULL;
  CrNavMeshParams params = {.tile_size = 8, .climb = 0.5};
  REQUIRE(kit != NULL);
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(kit, 0, 0, 0);
  kit_rectangle(kit, 0, 0, 2, 1, 0);
  for (int k = 4; k < 7; k++) kit_rectangle(kit, k, 0, k + 1, 1, 0);
  kit_link(kit, cr__vec(1.5, 0, 0.5), cr__vec(5, 0, 0.5), 0.25, false);
  kit_add(kit, mesh);
  free(kit);
  static Corridor c;
  static Line whole;
  Tally tally = {0};
  c = (Corridor){.mesh = mesh, .count = 4, .start = {0.5, 0, 0.5}, .end = {6.5, 0, 0.5}};
  for (uint32_t k = 0; k < 4; k++) c.path[k] = cr_navmesh_ref(mesh, 0, k);
  for (int kind = 0; kind <= CR_CROSSINGS_ALL; kind++) {
    pull(&c, (CrCrossings)kind, MOST, &whole);
    CHECK_INT(whole.outcome, CR_STRAIGHT_OK);
    CHECK_INT(whole.count, kind == CR_CROSSINGS_ALL ? 5 : 4);
    CHECK_INT(whole.corners[1].flags, CR_CORNER_OFF_MESH);
    CHECK(whole.corners[2].point.x == 5 &&
          whole.corners[2].flags == (kind == CR_CROSSINGS_ALL ? CR_CORNER_CROSSING : 0));
    CHECK_INT(whole.corners[2].path_index, kind == CR_CROSSINGS_ALL ? 2 : 1);
    for (int32_t capacity = 2; capacity <= whole.count; capacity++) {
      check_cut(&c, (CrCrossings)kind, &whole, capacity, &tally);
    }
  }
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(every_portal_is_crossed_in_order), RUN(crossings_far_off), RUN(a_row_of_squares),
          RUN(along_portals_and_through_corners), RUN(a_link_that_ends_on_a_portal))
