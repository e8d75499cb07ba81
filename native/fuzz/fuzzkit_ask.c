// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every kind of question to a mesh, at places drawn from bytes. What must hold: answers are finite, lie on the polygons they name,
// are no longer than what was asked, and two ways of asking give one answer.
#include "exact_internal.h"
#include "fuzzkit.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

#define ROOM 64  // polygons, corners or pieces asked for at once

typedef struct Asker {
  const CrNavMesh *mesh;
  CrNavMeshQuery *query;
  CrNavMeshQuery *other;  // with polygon nodes, beside an exact one
  const CrQueryFilter *filter;
  CrVec3 center;
  double unit;
  double dent;  // how far inside its outline a polygon may bend (docs/formats/tile.md, "What is checked")
} Asker;

static bool is_point(CrVec3 p) { return cr__is_finite(p.x) && cr__is_finite(p.y) && cr__is_finite(p.z); }

// How far rounding may carry a point off its polygon: a billionth of the place, and never less than the mesh's own tolerance.
static double slack_at(const Asker *asker, CrVec3 p) {
  return 1e-6 + asker->dent + 1e-9 * (cr__abs(p.x) + cr__abs(p.z));
}

// The tolerance of convexity at the far end of the widest polygon, from its shortest edge.
static double dent_of(const CrTile *tile, uint32_t polygon) {
  double shortest = 1e300, widest = 0.0;
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      double distance = cr__dist_xz(cr__polygon_vertex(tile, polygon, i), cr__polygon_vertex(tile, polygon, k));
      shortest = cr__min(shortest, distance);
      widest = cr__max(widest, distance);
    }
  }
  return CR_CONVEX_ROUNDING * widest / shortest;
}

static double deepest_dent(const CrNavMesh *mesh) {
  double deepest = 0.0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t p = 0; tile->active && p < tile->polygon_count; p++) deepest = cr__max(deepest, dent_of(tile, p));
  }
  return deepest;
}

static void require_on(const Asker *asker, CrPolyRef ref, CrVec3 point) {
  CrVec3 nearest;
  bool over;
  FUZZ_REQUIRE(is_point(point));
  FUZZ_REQUIRE(cr_query_closest_point(asker->mesh, ref, point, &nearest, &over) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr__dist_xz(nearest, point) <= slack_at(asker, point));
}

// Relative to the mesh's middle, so that most places are near something.
static CrVec3 place(const Asker *asker, FuzzIn *in) { return cr__add(asker->center, fuzz_point(in, asker->unit)); }

static bool is_allowed(CrVec3 p) { return cr__check_point(NULL, p, NULL) == CR_STATUS_OK; }

static bool find_start(const Asker *asker, FuzzIn *in, CrNearestPoly *out) {
  CrVec3 at = place(asker, in);
  CrVec3 extents = {4 * asker->unit, 16 * asker->unit, 4 * asker->unit};
  CrStatus status = cr_query_nearest_poly(asker->query, at, extents, asker->filter, out, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_NOT_FOUND || !is_allowed(at));
  if (status != CR_STATUS_OK) return false;
  FUZZ_REQUIRE(cr_navmesh_is_valid_ref(asker->mesh, out->ref));
  require_on(asker, out->ref, out->point);
  return true;
}

// --- Paths ----------------------------------------------------------------------------------------------------------

// With crossings the plain corners are all there, in order; what is between them is crossings only.
static void check_crossings(const Asker *asker, const CrNearestPoly *start, CrVec3 end, const CrPolyRef *path,
                            int32_t count, const CrCorner *plain, int32_t plain_count) {
  CrCorner corners[3 * ROOM];
  int32_t corner_count = 0, at = 0;
  for (int32_t kind = CR_CROSSINGS_AREA; kind <= CR_CROSSINGS_ALL; kind++, at = 0) {
    CrStraightPathOutcome outcome =
        cr_query_straight_path_crossings(asker->mesh, start->point, end, path, count, asker->filter, (CrCrossings)kind,
                                         corners, 3 * ROOM, &corner_count);
    FUZZ_REQUIRE(outcome == CR_STRAIGHT_OK);
    for (int32_t i = 0; i < corner_count; i++) {
      const CrCorner *corner = &corners[i];
      FUZZ_REQUIRE(is_point(corner->point) && corner->path_index >= 0 && corner->path_index < count);
      FUZZ_REQUIRE(corner->ref == path[corner->path_index]);
      FUZZ_REQUIRE(i == 0 || corner->path_index >= corners[i - 1].path_index);
      bool is_corner = at < plain_count && cr__near_xz(plain[at].point, corner->point, 0.0) &&
                       (plain[at].flags & corner->flags) == plain[at].flags;
      at += is_corner;
      FUZZ_REQUIRE(is_corner || corner->flags == CR_CORNER_CROSSING);
    }
    FUZZ_REQUIRE(at == plain_count);
  }
}

static void check_corners(const Asker *asker, const CrNearestPoly *start, CrVec3 end, const CrPolyRef *path,
                          int32_t count) {
  CrCorner corners[ROOM];
  int32_t corner_count = 0;
  CrStraightPathOutcome outcome =
      cr_query_straight_path(asker->mesh, start->point, end, path, count, asker->filter, corners, ROOM, &corner_count);
  FUZZ_REQUIRE(outcome != CR_STRAIGHT_INVALID_CORRIDOR);
  FUZZ_REQUIRE(corner_count >= 1 && corner_count <= ROOM);
  FUZZ_REQUIRE(corners[0].flags & CR_CORNER_START);
  for (int32_t i = 0; i < corner_count; i++) {
    FUZZ_REQUIRE(is_point(corners[i].point));
    FUZZ_REQUIRE(corners[i].path_index >= 0 && corners[i].path_index < count);
  }
  if (outcome == CR_STRAIGHT_OK) FUZZ_REQUIRE(corners[corner_count - 1].flags & CR_CORNER_END);
  if (outcome == CR_STRAIGHT_OK) check_crossings(asker, start, end, path, count, corners, corner_count);
}

// The same search, a few nodes at a time.
static void check_sliced(const Asker *asker, const CrNearestPoly *start, const CrNearestPoly *end,
                         const CrPolyRef *path, const CrPathResult *whole, int32_t budget) {
  CrPolyRef again[ROOM];
  CrPathOutcome outcome =
      cr_query_begin_path(asker->query, start->ref, start->point, end->ref, end->point, asker->filter);
  while (outcome == CR_PATH_IN_PROGRESS) outcome = cr_query_update_path(asker->query, budget, NULL);
  FUZZ_REQUIRE(outcome == whole->outcome);
  if (outcome == CR_PATH_FAILED) return;
  CrPathResult result = cr_query_finish_path(asker->query, again, ROOM);
  FUZZ_REQUIRE(result.count == whole->count && result.iterations == whole->iterations);
  FUZZ_REQUIRE(memcmp(again, path, sizeof *path * (size_t)result.count) == 0);
}

// The search in a batch of two.
static void check_batch(const Asker *asker, const CrNearestPoly *start, const CrNearestPoly *end, const CrPolyRef *path,
                        const CrPathResult *whole) {
  CrPathRequest request = {start->ref, end->ref, start->point, end->point}, requests[2] = {request, request};
  CrBatchPath results[2];
  CrPolyRef paths[2 * ROOM];
  FUZZ_REQUIRE(cr_query_find_paths(asker->query, requests, 2, asker->filter, ROOM, paths, 2 * ROOM, results, NULL) ==
               CR_STATUS_OK);
  for (int i = 0; i < 2; i++) {
    const CrPathResult *one = &results[i].path;
    FUZZ_REQUIRE(one->outcome == whole->outcome && one->count == whole->count && one->truncated == whole->truncated);
    FUZZ_REQUIRE(memcmp(paths + results[i].first, path, sizeof *path * (size_t)one->count) == 0);
  }
}

// Horizontal length of the corners, links with their 3D length; below 0 when they do not fit.
static double line_length(const Asker *asker, CrVec3 start, CrVec3 end, const CrPolyRef *path, int32_t count) {
  CrCorner corners[2 * ROOM];
  int32_t corner_count = 0;
  double length = 0.0;
  if (cr_query_straight_path(asker->mesh, start, end, path, count, asker->filter, corners, 2 * ROOM, &corner_count) !=
      CR_STRAIGHT_OK) {
    return -1.0;
  }
  for (int32_t i = 1; i < corner_count; i++) {
    CrVec3 a = corners[i - 1].point, b = corners[i].point;
    length += corners[i - 1].flags & CR_CORNER_OFF_MESH ? cr__dist(a, b) : cr__dist_xz(a, b);
  }
  return length;
}

// An exact search reaches what polygon nodes reach, on a way that is no longer than any that does not turn back at a seam.
// Its length is that of the string through its route.
static void check_exact(const Asker *asker, const CrNearestPoly *start, const CrNearestPoly *end, const CrPolyRef *path,
                        const CrPathResult *found) {
  CrPolyRef other[ROOM];
  CrPathResult result;
  const CrExact *exact = asker->query->exact;
  FUZZ_REQUIRE(cr_query_find_path(asker->other, start->ref, start->point, end->ref, end->point, asker->filter, other,
                                  ROOM, &result, NULL) == CR_STATUS_OK);
  if (found->out_of_nodes) FUZZ_REQUIRE(exact->count == exact->capacity || exact->reach.overflown);
  if (found->out_of_nodes || result.out_of_nodes) return;
  FUZZ_REQUIRE(found->outcome == result.outcome);
  if (result.outcome != CR_PATH_SUCCESS || found->truncated || result.truncated || found->count == 1) return;
  double slack = slack_at(asker, start->point) + slack_at(asker, end->point);
  double length = line_length(asker, start->point, end->point, path, found->count);
  if (length >= 0.0 && !kit_turns_back(asker->mesh, path, found->count))
    FUZZ_REQUIRE(cr__abs(length - exact->goal_f) <= slack);
  length = line_length(asker, start->point, end->point, other, result.count);
  if (length >= 0.0 && !kit_turns_back(asker->mesh, other, result.count)) FUZZ_REQUIRE(exact->goal_f <= length + slack);
}

static void ask_path(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  CrNearestPoly end;
  CrPolyRef path[ROOM];
  CrPathResult result;
  if (!find_start(asker, in, &end)) return;
  CrStatus status = cr_query_find_path(asker->query, start->ref, start->point, end.ref, end.point, asker->filter, path,
                                       ROOM, &result, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK);
  FUZZ_REQUIRE(result.outcome != CR_PATH_IN_PROGRESS);
  check_sliced(asker, start, &end, path, &result, 1 + fuzz_below(in, 20));
  check_batch(asker, start, &end, path, &result);
  if (asker->other) check_exact(asker, start, &end, path, &result);
  if (result.outcome == CR_PATH_FAILED) return;
  FUZZ_REQUIRE(result.count >= 1 && path[0] == start->ref);
  if (result.outcome == CR_PATH_SUCCESS && !result.truncated) FUZZ_REQUIRE(path[result.count - 1] == end.ref);
  FUZZ_REQUIRE(is_point(result.end));
  check_corners(asker, start, result.end, path, result.count);
}

// From position to position.
static void ask_whole(const Asker *asker, FuzzIn *in) {
  CrVec3 places[2] = {place(asker, in), place(asker, in)}, extents = fuzz_point(in, asker->unit);
  CrPolyRef path[ROOM];
  CrCorner corners[ROOM];
  CrComputedPath whole;
  CrNearestPoly many[2];
  int32_t found = 0, capacity = 1 + fuzz_below(in, ROOM), corner_capacity = 2 + fuzz_below(in, ROOM - 1);
  CrStatus status = cr_query_nearest_polys(asker->query, places, 2, extents, asker->filter, many, &found, NULL);
  CrStatus computed = cr_query_compute_path(asker->query, places[0], places[1], extents, asker->filter, path, capacity,
                                            corners, corner_capacity, &whole, NULL);
  FUZZ_REQUIRE(computed == status);
  if (status != CR_STATUS_OK) return;
  FUZZ_REQUIRE(many[0].ref == whole.start.ref && many[1].ref == whole.goal.ref);
  FUZZ_REQUIRE(found == (many[0].ref != CR_INVALID_REF) + (many[1].ref != CR_INVALID_REF));
  FUZZ_REQUIRE(found == 2 || whole.path.outcome == CR_PATH_FAILED);
  if (whole.path.outcome == CR_PATH_FAILED) return;
  FUZZ_REQUIRE(whole.straight != CR_STRAIGHT_INVALID_CORRIDOR && whole.corner_count >= 1);
  for (int32_t i = 0; i < whole.corner_count; i++) FUZZ_REQUIRE(is_point(corners[i].point));
}

// --- Walks ----------------------------------------------------------------------------------------------------------

static void ask_ray(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  CrPolyRef polygons[ROOM];
  CrRaycastResult ray;
  CrVec3 to = place(asker, in);
  CrStatus status = cr_query_raycast(asker->query, start->ref, start->point, to, asker->filter, polygons,
                                     1 + fuzz_below(in, ROOM), &ray, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || !is_allowed(to));
  if (status != CR_STATUS_OK) return;
  FUZZ_REQUIRE(ray.t >= 0.0 && ray.t <= 1.0);
  FUZZ_REQUIRE(ray.count >= 1 && polygons[0] == start->ref);
  FUZZ_REQUIRE(ray.hit || ray.truncated || ray.t == 1.0);
  require_on(asker, polygons[ray.count - 1], ray.point);
  if (ray.hit) FUZZ_REQUIRE(cr_navmesh_is_valid_ref(asker->mesh, ray.hit_ref));
}

static void ask_move(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  CrPolyRef visited[ROOM];
  CrMoveResult move;
  CrVec3 to = place(asker, in);
  CrStatus status = cr_query_move_along_surface(asker->query, start->ref, start->point, to, asker->filter, visited,
                                                1 + fuzz_below(in, ROOM), &move, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || !is_allowed(to));
  if (status != CR_STATUS_OK) return;
  FUZZ_REQUIRE(move.count >= 1 && visited[0] == start->ref);
  require_on(asker, visited[move.count - 1], move.point);
  double asked = cr__dist_xz(start->point, to), walked = cr__dist_xz(start->point, move.point);
  FUZZ_REQUIRE(walked <= asked + slack_at(asker, start->point) + slack_at(asker, to));
}

// No farther than the nearest of all pieces, unless that is only in reach of a larger circle; a piece as it is named.
static void check_distance(const Asker *asker, const CrNearestPoly *start, double radius, const CrWallPiece *nearest) {
  CrWallDistance wall;
  CrVec3 a, b;
  FUZZ_REQUIRE(cr_query_distance_to_wall(asker->query, start->ref, start->point, radius, asker->filter, &wall, NULL) ==
               CR_STATUS_OK);
  FUZZ_REQUIRE(wall.found == (nearest != NULL) && wall.distance <= radius);
  if (!wall.found) return;
  FUZZ_REQUIRE(wall.distance >= nearest->distance && is_point(wall.point));
  FUZZ_REQUIRE(cr__abs(wall.normal_x * wall.normal_x + wall.normal_z * wall.normal_z - 1.0) < 1e-9);
  FUZZ_REQUIRE(cr_query_wall_piece(asker->mesh, asker->filter, wall.piece.ref, wall.piece.edge, wall.piece.part, &a,
                                   &b) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr__same_point(a, wall.piece.a) && cr__same_point(b, wall.piece.b));
}

static void ask_walls(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  CrWallPiece pieces[ROOM];
  int32_t count = 0;
  double radius = cr__abs(fuzz_length(in, asker->unit));
  CrStatus status = cr_query_find_walls(asker->query, start->ref, start->point, radius, asker->filter, pieces,
                                        1 + fuzz_below(in, ROOM), &count, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || !(radius < CR_COORD_LIMIT));
  for (int32_t i = 0; status == CR_STATUS_OK && i < count; i++) {
    CrVec3 a, b;
    FUZZ_REQUIRE(is_point(pieces[i].a) && is_point(pieces[i].b));
    FUZZ_REQUIRE(pieces[i].distance <= radius && (i == 0 || pieces[i - 1].distance <= pieces[i].distance));
    FUZZ_REQUIRE(cr_query_wall_piece(asker->mesh, asker->filter, pieces[i].ref, pieces[i].edge, pieces[i].part, &a,
                                     &b) == CR_STATUS_OK);
    FUZZ_REQUIRE(cr__same_point(a, pieces[i].a) && cr__same_point(b, pieces[i].b));
  }
  if (status == CR_STATUS_OK) check_distance(asker, start, radius, count ? &pieces[0] : NULL);
}

// --- Around a place -------------------------------------------------------------------------------------------------

static void check_around(const Asker *asker, const CrNearestPoly *start, const CrAroundPolygon *polygons,
                         const CrAroundResult *result, int32_t capacity) {
  FUZZ_REQUIRE(result->count >= 1 && result->count <= capacity && (result->count == capacity || !result->truncated));
  FUZZ_REQUIRE(polygons[0].ref == start->ref && polygons[0].parent == CR_INVALID_REF && polygons[0].cost == 0.0);
  for (int32_t i = 1; i < result->count; i++) {
    FUZZ_REQUIRE(cr_navmesh_is_valid_ref(asker->mesh, polygons[i].ref));
    FUZZ_REQUIRE(cr__is_finite(polygons[i].cost) && polygons[i].cost >= polygons[i - 1].cost);
    int32_t parent = 0;
    while (parent < i && polygons[parent].ref != polygons[i].parent) parent++;
    FUZZ_REQUIRE(parent < i && cr__connected(asker->mesh, polygons[parent].ref, polygons[i].ref, asker->filter));
  }
}

static void ask_around(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  CrAroundPolygon polygons[ROOM];
  CrAroundResult result;
  CrVec3 shape[CR_QUERY_MAX_SHAPE];
  int32_t capacity = 1 + fuzz_below(in, ROOM), count = fuzz_below(in, 6);
  double radius = cr__abs(fuzz_length(in, asker->unit));
  for (int32_t i = 0; i < count; i++) shape[i] = cr__add(start->point, fuzz_point(in, asker->unit));
  CrStatus status = cr_query_polygons_around_circle(asker->query, start->ref, start->point, radius, asker->filter,
                                                    polygons, capacity, &result, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || !(radius < CR_COORD_LIMIT));
  if (status == CR_STATUS_OK) check_around(asker, start, polygons, &result, capacity);
  status = cr_query_polygons_around_shape(asker->query, start->ref, shape, count, asker->filter, polygons, capacity,
                                          &result, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_ARGUMENT);
  if (status == CR_STATUS_OK) check_around(asker, start, polygons, &result, capacity);
}

static void ask_random_around(const Asker *asker, FuzzIn *in, const CrNearestPoly *start) {
  uint64_t seed = fuzz_u64(in), again = seed;
  CrNearestPoly one, two;
  CrVec3 center = place(asker, in);
  double radius = cr__abs(fuzz_length(in, asker->unit));
  CrStatus status =
      cr_query_random_point_around(asker->query, start->ref, center, radius, asker->filter, &seed, &one, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || seed == again);
  if (status != CR_STATUS_OK) return;
  require_on(asker, one.ref, one.point);
  FUZZ_REQUIRE(cr__dist_xz(one.point, center) <= radius);
  FUZZ_REQUIRE(cr_query_random_point_around(asker->query, start->ref, center, radius, asker->filter, &again, &two,
                                            NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(one.ref == two.ref && cr__same_point(one.point, two.point) && seed == again);
}

static void ask_random(const Asker *asker, FuzzIn *in) {
  uint64_t seed = fuzz_u64(in), again = seed;
  CrNearestPoly one, two;
  CrStatus status = cr_query_random_point(asker->query, asker->filter, &seed, &one);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_NOT_FOUND);
  if (status != CR_STATUS_OK) return;
  require_on(asker, one.ref, one.point);
  FUZZ_REQUIRE(cr_query_random_point(asker->query, asker->filter, &again, &two) == CR_STATUS_OK);
  FUZZ_REQUIRE(one.ref == two.ref && cr__same_point(one.point, two.point) && seed == again);
}

// References of any bits: false or a status, nothing else.
static void ask_forged(const Asker *asker, FuzzIn *in) {
  CrPolyRef ref = fuzz_u64(in);
  CrPolygonInfo info;
  CrVec3 point, other;
  double y;
  bool over;
  if (fuzz_u8(in) & 1) ref &= UINT64_C(0xFFFF00000F00000F);
  bool valid = cr_navmesh_is_valid_ref(asker->mesh, ref);
  CrStatus expected = valid ? CR_STATUS_OK : CR_STATUS_STALE_REF;
  FUZZ_REQUIRE(cr_navmesh_polygon(asker->mesh, ref, &info) == expected);
  CrVec3 at = place(asker, in);
  if (is_allowed(at)) {
    FUZZ_REQUIRE(cr_query_closest_point(asker->mesh, ref, at, &point, &over) == expected);
    if (valid) require_on(asker, ref, point);
  }
  CrStatus status = cr_query_height(asker->mesh, ref, at.x, at.z, &y);
  FUZZ_REQUIRE(status != CR_STATUS_OK || (valid && cr__is_finite(y)));
  cr_query_wall_piece(asker->mesh, asker->filter, ref, fuzz_u8(in), fuzz_u8(in), &point, &other);
}

// --- All of it ------------------------------------------------------------------------------------------------------

static CrQueryFilter filter_from(FuzzIn *in) {
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = (uint16_t)(fuzz_u8(in) & 6);
  for (int32_t area = 0; area < 4; area++) filter.area_cost[area] = 0.25 * (1 + fuzz_below(in, 16));
  return filter;
}

static void ask_once(const Asker *asker, FuzzIn *in) {
  CrNearestPoly start;
  int32_t kind = fuzz_below(in, 9);
  if (kind == 4) {
    ask_random(asker, in);
  } else if (kind == 5) {
    ask_forged(asker, in);
  } else if (kind == 6) {
    ask_whole(asker, in);
  } else if (find_start(asker, in, &start)) {
    if (kind == 0) ask_path(asker, in, &start);
    if (kind == 1) ask_ray(asker, in, &start);
    if (kind == 2) ask_move(asker, in, &start);
    if (kind == 3) ask_walls(asker, in, &start);
    if (kind == 7) ask_around(asker, in, &start);
    if (kind == 8) ask_random_around(asker, in, &start);
  }
}

void fuzz_ask_mesh(const CrNavMesh *mesh, FuzzIn *in) {
  uint8_t kinds = fuzz_u8(in);
  CrQueryOptions options = {.max_nodes = kinds & 2 ? 16 : 256,
                            .node_model = kinds & 1 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON};
  CrQueryFilter filter = cr_query_filter_default();
  if (kinds & 4) filter = filter_from(in);
  if (kinds & 8) {
    options.node_model = CR_NODE_MODEL_EXACT;
    for (int32_t area = 1; area <= CR_MAX_AREA; area++) filter.area_cost[area] = filter.area_cost[0];
  }
  Asker asker = {.mesh = mesh, .filter = kinds & 4 ? &filter : NULL, .unit = 1.0, .dent = deepest_dent(mesh)};
  CrVec3 low, high;
  if (cr_navmesh_bounds(mesh, &low, &high)) {
    asker.center = cr__lerp(low, high, 0.5);
    asker.unit = cr__max(cr__max(high.x - low.x, high.z - low.z) / 32.0, 1e-3);
  }
  FuzzMemory memory = {0};
  CrAllocator hooks = fuzz_allocator(&memory);
  FUZZ_REQUIRE(cr_query_create(mesh, &options, &hooks, &asker.query, NULL) == CR_STATUS_OK);
  options.node_model = CR_NODE_MODEL_POLYGON;
  bool exact = cr_query_node_model(asker.query) == CR_NODE_MODEL_EXACT;
  if (exact) FUZZ_REQUIRE(cr_query_create(mesh, &options, &hooks, &asker.other, NULL) == CR_STATUS_OK);
  int64_t taken = memory.count;
  for (int32_t i = 0; i < 24 && !fuzz_done(in); i++) ask_once(&asker, in);
  FUZZ_REQUIRE(memory.count == taken);  // no query allocates
  cr_query_destroy(asker.query);
  cr_query_destroy(asker.other);
  fuzz_memory_end(&memory);
}
