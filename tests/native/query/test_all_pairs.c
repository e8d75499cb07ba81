// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whatever one query returns every other accepts: places returned by each kind of query, most of them on edges and vertices, as
// the arguments of every kind. A place is a polygon with a point: the point lies on the polygon, its height is that of the
// surface, nearest with no extents finds it, paths lead to and from it, and moves and rays of no length stay.
#include "hard_worlds.h"
#include "query_internal.h"

#define CAPACITY 8192

typedef struct Place {
  CrPolyRef ref;
  CrVec3 point;
} Place;

typedef enum Source {
  FROM_RANDOM,
  FROM_VERTEX,
  FROM_EDGE,
  FROM_RAY,
  FROM_MOVE,
  FROM_PATH,
  FROM_CORNER,
  FROM_CROSSING,
  FROM_WALL,
  FROM_CLOSEST,
  FROM_NEAREST,
  FROM_LINK,
  FROM_AROUND,
  FROM_WALL_DISTANCE,
  FROM_COMPUTED,
  SOURCE_COUNT
} Source;

static const char *const names[] = {"random",   "vertex", "edge",          "ray",           "move",
                                    "path end", "corner", "crossing",      "wall",          "closest",
                                    "near",     "link",   "random around", "wall distance", "computed"};

typedef struct Tally {
  int64_t places[SOURCE_COUNT];
  double worst_height[SOURCE_COUNT], worst_off[SOURCE_COUNT], worst_nearest[SOURCE_COUNT];
} Tally;

static CrPolyRef path[CAPACITY];
static CrCorner corners[CAPACITY];

static Place by_random(CrNavMeshQuery *query, uint64_t *seed) {
  CrNearestPoly random;
  CHECK_OK(cr_query_random_point(query, NULL, seed, &random));
  return (Place){random.ref, random.point};
}

// A vertex of the polygon, or a point inside one of its edges.
static Place on_outline(const CrNavMesh *mesh, CrPolyRef ref, bool at_vertex, uint64_t *seed) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  uint32_t k = (uint32_t)rnd_int(seed, (int32_t)info.vertex_count), next = (k + 1) % info.vertex_count;
  CrVec3 p = info.vertices[k];
  if (!at_vertex) p = cr__lerp(p, info.vertices[next], rnd_int(seed, 2) ? 0.5 : rnd_unit(seed));
  CHECK_OK(cr_query_closest_point(mesh, ref, p, &p, NULL));
  return (Place){ref, p};
}

static double reach_of(const CrNavMesh *mesh) {
  CrVec3 low, high;
  REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
  return 0.25 * fmin(high.x - low.x, high.z - low.z);
}

static CrVec3 shifted(const CrNavMesh *mesh, CrVec3 p, double rise, uint64_t *seed) {
  double reach = reach_of(mesh);
  p.x = cr__clamp(p.x + rnd_range(seed, -reach, reach), -2097151, 2097151);
  p.z = cr__clamp(p.z + rnd_range(seed, -reach, reach), -2097151, 2097151);
  p.y += rnd_range(seed, -rise, rise);
  return p;
}

static Place from_path(CrNavMeshQuery *query, Source source, Place a, Place b, uint64_t *seed) {
  CrPathResult result;
  int32_t count;
  CHECK_OK(cr_query_find_path(query, a.ref, a.point, b.ref, b.point, NULL, path, CAPACITY, &result, NULL));
  REQUIRE(!result.truncated);
  if (source == FROM_PATH) return (Place){path[result.count - 1], result.end};
  CrStraightPathOutcome outcome = cr_query_straight_path_crossings(
      cr_query_mesh(query), a.point, result.end, path, result.count, NULL,
      source == FROM_CORNER ? CR_CROSSINGS_NONE : CR_CROSSINGS_ALL, corners, CAPACITY, &count);
  CHECK_INT(outcome, CR_STRAIGHT_OK);
  if (!count) return a;
  // The heights of start and end are the caller's, who may stand on the other side of a seam.
  const CrCorner *corner = &corners[rnd_int(seed, count)];
  if (corner->flags & CR_CORNER_START) return a;
  if (corner->flags & CR_CORNER_END) return (Place){path[result.count - 1], result.end};
  return (Place){corner->ref, corner->point};
}

static bool link_place(const CrNavMesh *mesh, Place a, uint64_t *seed, Place *out) {
  const CrTile *tile = cr__resolve(mesh, a.ref);
  if (!tile->link_count) return false;
  uint32_t i = (uint32_t)rnd_int(seed, (int32_t)tile->link_count), polygon = 0;
  while (tile->link_first[polygon + 1] <= i) polygon++;
  const CrLink *link = &tile->links[i];
  bool exit = link->edge == CR_LINK_NO_EDGE && rnd_int(seed, 2);
  *out =
      (Place){cr__tile_ref(mesh, tile, polygon), rnd_int(seed, 2) && link->edge != CR_LINK_NO_EDGE ? link->b : link->a};
  if (exit) *out = (Place){link->target, link->b};
  return true;
}

static Place returned_place(CrNavMeshQuery *query, Source source, uint64_t *seed) {
  const CrNavMesh *mesh = cr_query_mesh(query);
  Place a = by_random(query, seed), b = by_random(query, seed);
  if (rnd_int(seed, 2)) a = on_outline(mesh, a.ref, rnd_int(seed, 2), seed);
  if (rnd_int(seed, 2)) b = on_outline(mesh, b.ref, rnd_int(seed, 2), seed);
  double reach = reach_of(mesh);
  CrVec3 far = rnd_int(seed, 2) ? shifted(mesh, a.point, 0.0, seed) : b.point;
  CrRaycastResult ray;
  CrMoveResult move;
  CrWallPiece walls[32];
  CrWallDistance wall;
  CrNearestPoly nearest;
  CrComputedPath computed;
  int32_t count;
  switch (source) {
    case FROM_VERTEX:
    case FROM_EDGE:
      return on_outline(mesh, a.ref, source == FROM_VERTEX, seed);
    case FROM_RAY:
      CHECK_OK(cr_query_raycast(query, a.ref, a.point, far, NULL, path, CAPACITY, &ray, NULL));
      return (Place){path[ray.count - 1], ray.point};
    case FROM_MOVE:
      CHECK_OK(cr_query_move_along_surface(query, a.ref, a.point, far, NULL, path, CAPACITY, &move, NULL));
      return (Place){path[move.count - 1], move.point};
    case FROM_PATH:
    case FROM_CORNER:
    case FROM_CROSSING:
      return from_path(query, source, a, b, seed);
    case FROM_WALL:
      CHECK_OK(cr_query_find_walls(query, a.ref, a.point, reach, NULL, walls, 32, &count, NULL));
      if (!count) return a;
      count = rnd_int(seed, count);
      return (Place){walls[count].ref, rnd_int(seed, 2) ? walls[count].a : walls[count].b};
    case FROM_CLOSEST:
      CHECK_OK(cr_query_closest_point(mesh, a.ref, far, &a.point, NULL));
      return a;
    case FROM_NEAREST:
      if (cr_query_nearest_poly(query, shifted(mesh, a.point, 2.0, seed), cr__vec(reach, reach, reach), NULL, &nearest,
                                NULL) == CR_STATUS_OK)
        return (Place){nearest.ref, nearest.point};
      return a;
    case FROM_LINK:
      link_place(mesh, a, seed, &a);
      return a;
    case FROM_AROUND:
      if (cr_query_random_point_around(query, a.ref, a.point, 0.2 * reach, NULL, seed, &nearest, NULL) == CR_STATUS_OK)
        return (Place){nearest.ref, nearest.point};
      return a;
    case FROM_WALL_DISTANCE:
      CHECK_OK(cr_query_distance_to_wall(query, a.ref, a.point, reach, NULL, &wall, NULL));
      return wall.found ? (Place){wall.piece.ref, wall.point} : a;
    case FROM_COMPUTED:
      CHECK_OK(cr_query_compute_path(query, a.point, far, cr__vec(reach, reach, reach), NULL, path, CAPACITY, corners,
                                     CAPACITY, &computed, NULL));
      return computed.goal.ref ? (Place){computed.goal.ref, computed.goal.point} : a;
    default:
      return a;
  }
}

// --- What every query must make of it -------------------------------------------------------------------------------------

static void accept_as_point(CrNavMeshQuery *query, Source source, Place place, double slack, Tally *tally) {
  const CrNavMesh *mesh = cr_query_mesh(query);
  CrNearestPoly nearest;
  CrVec3 closest;
  double y;
  CHECK(cr_navmesh_is_valid_ref(mesh, place.ref));
  CHECK_OK(cr_query_height(mesh, place.ref, place.point.x, place.point.z, &y));
  CHECK_OK(cr_query_closest_point(mesh, place.ref, place.point, &closest, NULL));
  CHECK(fabs(y - place.point.y) <= slack * 10);
  CHECK(cr__dist(closest, place.point) <= slack * 10);
  tally->worst_height[source] = fmax(tally->worst_height[source], fabs(y - place.point.y));
  tally->worst_off[source] = fmax(tally->worst_off[source], cr__dist_xz(closest, place.point));
  CHECK_OK(cr_query_nearest_poly(query, place.point, cr__vec(0, 0, 0), NULL, &nearest, NULL));
  if (nearest.ref == CR_INVALID_REF) return;
  CHECK(cr__dist_xz(nearest.point, place.point) <= slack * 10);
  CHECK(cr__dist(nearest.point, place.point) <= cr_navmesh_params(mesh).climb);
  tally->worst_nearest[source] = fmax(tally->worst_nearest[source], cr__dist_xz(nearest.point, place.point));
}

static void accept_as_walk(CrNavMeshQuery *query, Place place, Place other, double slack) {
  CrRaycastResult ray;
  CrMoveResult move;
  CrVec3 again;
  CHECK_OK(cr_query_raycast(query, place.ref, place.point, place.point, NULL, path, CAPACITY, &ray, NULL));
  CHECK(!ray.hit && ray.t == 1.0 && ray.count == 1 && path[0] == place.ref);
  CHECK(cr__dist(ray.point, place.point) <= slack * 10);
  CHECK_OK(cr_query_move_along_surface(query, place.ref, place.point, place.point, NULL, path, CAPACITY, &move, NULL));
  CHECK(!move.blocked && !move.truncated && move.count == 1 && path[0] == place.ref);
  CHECK(cr__dist(move.point, place.point) <= slack * 10);
  CHECK_OK(cr_query_raycast(query, place.ref, place.point, other.point, NULL, path, CAPACITY, &ray, NULL));
  CHECK(path[0] == place.ref && ray.count >= 1 && !ray.truncated);
  CHECK_OK(cr_query_closest_point(cr_query_mesh(query), path[ray.count - 1], ray.point, &again, NULL));
  CHECK(cr__dist(again, ray.point) <= slack * 10);
  CHECK_OK(cr_query_move_along_surface(query, place.ref, place.point, other.point, NULL, path, CAPACITY, &move, NULL));
  CHECK(path[0] == place.ref && move.count >= 1 && !move.truncated);
  CHECK_OK(cr_query_closest_point(cr_query_mesh(query), path[move.count - 1], move.point, &again, NULL));
  CHECK(cr__dist(again, move.point) <= slack * 10);
}

static void accept_as_end(CrNavMeshQuery *query, Place from, Place to) {
  CrPathResult result;
  int32_t count;
  CHECK_OK(cr_query_find_path(query, from.ref, from.point, to.ref, to.point, NULL, path, CAPACITY, &result, NULL));
  CHECK(result.outcome == CR_PATH_SUCCESS || result.outcome == CR_PATH_PARTIAL);
  CHECK(result.count >= 1 && path[0] == from.ref && !result.truncated);
  if (result.outcome == CR_PATH_SUCCESS)
    CHECK(path[result.count - 1] == to.ref && cr__same_point(result.end, to.point));
  CHECK_INT(cr_query_straight_path(cr_query_mesh(query), from.point, result.end, path, result.count, NULL, corners,
                                   CAPACITY, &count),
            CR_STRAIGHT_OK);
  CHECK(count >= 1 && cr__same_point(corners[0].point, from.point));
}

static void accept_as_center(CrNavMeshQuery *query, Place place, uint64_t *seed) {
  const CrNavMesh *mesh = cr_query_mesh(query);
  double radius = 0.3 * reach_of(mesh);
  CrWallPiece walls[8];
  CrWallDistance wall;
  CrNearestPoly random;
  static CrAroundPolygon around[CR_QUERY_MAX_CIRCLE];
  CrAroundResult result;
  int32_t count;
  CHECK_OK(cr_query_find_walls(query, place.ref, place.point, radius, NULL, walls, 8, &count, NULL));
  for (int32_t i = 0; i < count; i++) {
    CrVec3 a, b;
    CHECK_OK(cr_query_wall_piece(mesh, NULL, walls[i].ref, walls[i].edge, walls[i].part, &a, &b));
    CHECK(cr__same_point(a, walls[i].a) && cr__same_point(b, walls[i].b));
  }
  CHECK_OK(cr_query_distance_to_wall(query, place.ref, place.point, radius, NULL, &wall, NULL));
  CHECK(wall.found == (count > 0));
  if (count) CHECK_NEAR(wall.distance, walls[0].distance, 1e-9);
  CHECK_OK(cr_query_polygons_around_circle(query, place.ref, place.point, radius, NULL, around, CR_QUERY_MAX_CIRCLE,
                                           &result, NULL));
  CHECK(result.count >= 1 && around[0].ref == place.ref);
  CrStatus status = cr_query_random_point_around(query, place.ref, place.point, radius, NULL, seed, &random, NULL);
  CHECK_OK(status);
  if (status == CR_STATUS_OK) CHECK(cr__dist_xz(random.point, place.point) <= radius * (1.0 + 1e-9) + 1e-8);
}

static void accept_to_compute(CrNavMeshQuery *query, Place from, Place to) {
  CrComputedPath computed;
  CHECK_OK(cr_query_compute_path(query, from.point, to.point, cr__vec(0, 0, 0), NULL, path, CAPACITY, corners, CAPACITY,
                                 &computed, NULL));
  CHECK(computed.start.ref && computed.goal.ref && computed.path.outcome != CR_PATH_FAILED);
  CHECK(computed.path.outcome != CR_PATH_IN_PROGRESS && computed.straight == CR_STRAIGHT_OK);
}

static void accept(CrNavMeshQuery *query, Source source, Place place, double slack, uint64_t *seed, Tally *tally) {
  Place other = by_random(query, seed);
  if (rnd_int(seed, 2)) other = on_outline(cr_query_mesh(query), other.ref, rnd_int(seed, 2), seed);
  int before = check_failures;
  accept_as_point(query, source, place, slack, tally);
  accept_as_walk(query, place, other, slack);
  accept_as_end(query, place, other);
  accept_as_end(query, other, place);
  accept_as_end(query, place, place);
  accept_as_center(query, place, seed);
  accept_to_compute(query, place, other);
  tally->places[source]++;
  if (check_failures != before && check_failures < 20) {
    printf("  a place from %s: %.17g %.17g %.17g\n", names[source], place.point.x, place.point.y, place.point.z);
  }
}

TEST(every_query_accepts_what_another_returns) {
  static Tally tally;
  int64_t each = check_scaled(100000) / (30 + HARD_WORLDS);
  for (int number = 0; number < 30 + HARD_WORLDS; number++) {
    CrNavMesh *mesh = number < 30 ? world_number(number) : hard_world(number - 30);
    CrNodeModel model = (CrNodeModel)(number % 3);
    CrQueryOptions options = {32768, model, model != CR_NODE_MODEL_EXACT && number % 2};
    CrNavMeshQuery *query = NULL;
    REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
    uint64_t seed = 170 + (uint64_t)number;
    double slack = world_slack(mesh);
    for (int64_t i = 0; i < each; i++) {
      check_seed = seed;
      Source source = (Source)(i % SOURCE_COUNT);
      accept(query, source, returned_place(query, source, &seed), slack, &seed, &tally);
    }
    if (getenv("V")) printf("world %d: %d failures\n", number, check_failures);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  for (int i = 0; i < SOURCE_COUNT; i++) {
    printf("  %-14s %7lld places; height off by %.2g, off the polygon by %.2g, nearest off by %.2g\n", names[i],
           (long long)tally.places[i], tally.worst_height[i], tally.worst_off[i], tally.worst_nearest[i]);
  }
}

TEST_MAIN(RUN(every_query_accepts_what_another_returns))
