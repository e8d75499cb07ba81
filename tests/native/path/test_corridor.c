// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Corridors call by call: moving both ends, following, corners, repair. The merge rules are checked against their plain wording.
#include "query_worlds.h"
#include "walkers.h"

static const char *const ROOM =
    "......\n"
    ".####.\n"
    "......\n";

TEST(reset_starts_over) {
  CrNavMesh *mesh = world_from_map(ROOM, 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = make_corridor(context, 8, cr__vec(0.5, 0.0, 0.5));
  CHECK_INT(cr_corridor_count(corridor), 1);
  CHECK_INT(cr_corridor_capacity(corridor), 8);
  CHECK(cr_corridor_is_complete(corridor) && !cr_corridor_needs_replan(corridor));
  CHECK(cr_corridor_target_ref(corridor) == cr_corridor_path(corridor)[0]);
  CHECK(cr__same_point(cr_corridor_target(corridor), cr_corridor_position(corridor)));
  CrError error;
  CHECK_STATUS(cr_corridor_reset(corridor, context, 12345, cr__vec(0, 0, 0), &error), CR_STATUS_STALE_REF);
  CHECK_STATUS(cr_corridor_reset(corridor, context, corridor->path[0], cr__vec(0, CR_COORD_LIMIT, 0), &error),
               CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "position") == 0);
  CHECK_INT(cr_corridor_count(corridor), 1);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(capacity_range) {
  CrCorridor *corridor = NULL;
  CHECK_STATUS(cr_corridor_create(1, NULL, &corridor, NULL), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_corridor_create(4097, NULL, &corridor, NULL), CR_STATUS_ARGUMENT);
  CHECK_OK(cr_corridor_create(2, NULL, &corridor, NULL));
  cr_corridor_destroy(corridor);
  CHECK_OK(cr_corridor_create(4096, NULL, &corridor, NULL));
  cr_corridor_destroy(corridor);
}

// Who asks for a replan, and from where it is then to begin.
TEST(targets_and_requests_set_flags) {
  CrNavMesh *mesh = world_from_map(ROOM, 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 8, cr__vec(0.5, 0.0, 0.5), cr__vec(4.5, 0.0, 2.5));
  int32_t count = corridor->count;
  CHECK(count > 2 && corridor->complete && !corridor->needs_replan && !corridor->replan_from_start);
  // A request leaves everything else as it is.
  cr_corridor_request_replan(corridor);
  CHECK(corridor->complete && corridor->needs_replan && corridor->replan_from_start && corridor->count == count);
  CHECK(cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  // A target keeps the polygons, which may lead elsewhere.
  CrVec3 target = cr__vec(-3.0, 7.0, 1e6);
  REQUIRE_OK(cr_corridor_set_target(corridor, target, NULL));
  CHECK(!corridor->complete && corridor->needs_replan && corridor->replan_from_start && corridor->count == count);
  CHECK(corridor->target_ref == CR_INVALID_REF && cr__same_point(corridor->target, target));
  // One moved while nothing is planned is a target like any other, but a replan need not begin at the agent for it.
  corridor->needs_replan = corridor->replan_from_start = false;
  CHECK(cr_corridor_move_target(corridor, context, cr__vec(5.5, 0, 2.5)));
  CHECK(!corridor->complete && corridor->needs_replan && !corridor->replan_from_start && corridor->count == count);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(bad_points_change_nothing) {
  CrNavMesh *mesh = world_from_map(ROOM, 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(4.5, 0.0, 2.5));
  uint8_t before[512], after[512];
  size_t size = cr_corridor_state_size(corridor);
  CHECK_OK(cr_corridor_save(corridor, before, sizeof before, NULL));
  double bad[] = {(double)__builtin_nan(""), (double)__builtin_inf(), -(double)__builtin_inf(), CR_COORD_LIMIT,
                  -CR_COORD_LIMIT};
  for (size_t k = 0; k < 15; k++) {
    CrVec3 point = cr__vec(0.5, 0.0, 0.5);
    *(k % 3 == 0 ? &point.x : k % 3 == 1 ? &point.y : &point.z) = bad[k / 3];
    CrError error;
    CHECK(!cr_corridor_move_position(corridor, context, point));
    CHECK(!cr_corridor_move_target(corridor, context, point));
    CHECK(!cr_corridor_move_along(corridor, context, point, 8));
    CHECK(!cr_corridor_optimize_visibility(corridor, context, point, 10.0, 16));
    CHECK_STATUS(cr_corridor_set_target(corridor, point, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "target") == 0);
  }
  CHECK_OK(cr_corridor_save(corridor, after, sizeof after, NULL));
  CHECK(memcmp(before, after, size) == 0);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Merge rules against their wording ----------------------------------------------------------------------------------

typedef struct Model {
  CrPolyRef path[CR_CORRIDOR_MAX_CAPACITY * 2];
  int32_t count;
} Model;

static int32_t find_ref(const CrPolyRef *refs, int32_t count, CrPolyRef ref) {
  for (int32_t k = 0; k < count; k++) {
    if (refs[k] == ref) return k;
  }
  return -1;
}

// reverse(V[j..last]) ++ path[i+1..], i the largest corridor index whose polygon V holds (at j).
static Model expect_front(const CrCorridor *corridor, const CrPolyRef *visited, int32_t visited_count) {
  Model model = {.count = 0};
  int32_t i = corridor->count - 1;
  while (find_ref(visited, visited_count, corridor->path[i]) < 0) i--;
  int32_t j = find_ref(visited, visited_count, corridor->path[i]);
  for (int32_t k = visited_count - 1; k >= j; k--) model.path[model.count++] = visited[k];
  for (int32_t k = i + 1; k < corridor->count; k++) model.path[model.count++] = corridor->path[k];
  return model;
}

// path[..i-1] ++ V[j..], i the smallest corridor index whose polygon V holds.
static Model expect_back(const CrCorridor *corridor, const CrPolyRef *visited, int32_t visited_count) {
  Model model = {.count = 0};
  int32_t i = 0;
  while (find_ref(visited, visited_count, corridor->path[i]) < 0) i++;
  int32_t j = find_ref(visited, visited_count, corridor->path[i]);
  for (int32_t k = 0; k < i; k++) model.path[model.count++] = corridor->path[k];
  for (int32_t k = j; k < visited_count; k++) model.path[model.count++] = visited[k];
  return model;
}

static CrVec3 near_point(uint64_t *seed, CrVec3 from, double reach) {
  double dx = rnd_range(seed, -reach, reach), dz = rnd_range(seed, -reach, reach);
  return cr__vec(from.x + dx, from.y, from.z + dz);
}

static void check_front_move(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int *refused, int *cut) {
  CrPolyRef visited[CR_CORRIDOR_MAX_CAPACITY];
  CrMoveResult move;
  REQUIRE_OK(cr_query_move_along_surface(context->query, corridor->path[0], corridor->position, to, NULL, visited,
                                         CR_CORRIDOR_MAX_CAPACITY, &move, NULL));
  CrCorridor before = *corridor;
  CrPolyRef path[CR_CORRIDOR_MAX_CAPACITY];
  memcpy(path, corridor->path, (size_t)corridor->count * sizeof *path);
  Model model = expect_front(corridor, visited, move.count);
  bool moved = cr_corridor_move_position(corridor, context, to);
  CHECK(moved == (move.count <= corridor->capacity));
  if (!moved) {
    ++*refused;
    CHECK(same_path(corridor, path, before.count) && cr__same_point(corridor->position, before.position));
    CHECK(corridor->complete == before.complete && corridor->needs_replan == before.needs_replan);
    return;
  }
  bool fits = model.count <= corridor->capacity;
  *cut += !fits;
  CHECK(same_path(corridor, model.path, fits ? model.count : corridor->capacity));
  CHECK(cr__same_point(corridor->position, move.point));
  CHECK(corridor->complete == (before.complete && fits));
  CHECK(corridor->needs_replan == (before.needs_replan || !fits));
  CHECK(corridor->replan_from_start == before.replan_from_start && corridor->target_ref == before.target_ref);
  CHECK(cr__same_point(corridor->target, before.target));
  check_sound(corridor, context);
}

TEST(move_position_merges) {
  int refused = 0, cut = 0, moves = 0;
  for (uint64_t world = 0; world < 12; world++) {
    check_seed = world;
    uint64_t seed = world * 77 + 1;
    CrNavMesh *mesh = world_scattered(world, 24, 24, 1.0, 0.15, world % 2 ? 8 : 0, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 1024, NULL);
    for (int run = 0; run < 20; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, run % 3 == 0 ? 12 : 64, from, to);
      for (int k = 0; k < 60; k++, moves++) {
        double reach = rnd_int(&seed, 8) == 0 ? 30.0 : 2.0;
        check_front_move(corridor, context, near_point(&seed, corridor->position, reach), &refused, &cut);
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d moves, %d refused, %d cut\n", moves, refused, cut);
  CHECK(refused > 0 && cut > 0);
}

static void check_back_move(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int *refused) {
  CrPolyRef visited[CR_CORRIDOR_MAX_CAPACITY], path[CR_CORRIDOR_MAX_CAPACITY];
  CrMoveResult move;
  CrCorridor before = *corridor;
  memcpy(path, corridor->path, (size_t)corridor->count * sizeof *path);
  if (!corridor->complete) {
    CHECK(cr_corridor_move_target(corridor, context, to));
    CHECK(same_path(corridor, path, before.count) && cr__same_point(corridor->target, to));
    CHECK(corridor->target_ref == CR_INVALID_REF && corridor->needs_replan && !corridor->complete);
    CHECK(corridor->replan_from_start == before.replan_from_start);
    return;
  }
  REQUIRE_OK(cr_query_move_along_surface(context->query, corridor->target_ref, corridor->target, to, NULL, visited,
                                         CR_CORRIDOR_MAX_CAPACITY, &move, NULL));
  Model model = expect_back(corridor, visited, move.count);
  bool moved = cr_corridor_move_target(corridor, context, to);
  CHECK(moved == (move.count <= corridor->capacity && model.count <= corridor->capacity));
  if (!moved) {
    ++*refused;
    CHECK(same_path(corridor, path, before.count) && cr__same_point(corridor->target, before.target));
    return;
  }
  CHECK(same_path(corridor, model.path, model.count));
  CHECK(cr__same_point(corridor->target, move.point) && corridor->complete);
  CHECK(corridor->target_ref == corridor->path[corridor->count - 1]);
  check_sound(corridor, context);
}

TEST(move_target_merges) {
  int refused = 0, moves = 0;
  for (uint64_t world = 0; world < 8; world++) {
    check_seed = world;
    uint64_t seed = world * 31 + 5;
    CrNavMesh *mesh = world_scattered(world + 100, 24, 24, 1.0, 0.15, world % 2 ? 8 : 0, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
    for (int run = 0; run < 20; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, run % 3 == 0 ? 12 : 64, from, to);
      for (int k = 0; k < 40; k++, moves++) {
        double reach = rnd_int(&seed, 8) == 0 ? 30.0 : 2.0;
        check_back_move(corridor, context, near_point(&seed, corridor->target, reach), &refused);
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d moves, %d refused\n", moves, refused);
  CHECK(refused > 0);
}

// --- Following ----------------------------------------------------------------------------------------------------------

// The furthest polygon among those vertically closest, of the first `limit` that hold the point; -1 when none does.
static int32_t expect_along(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 to, int32_t limit) {
  double best = 1e300, height[CR_CORRIDOR_MAX_CAPACITY];
  int32_t found = -1;
  for (int32_t k = 0; k < limit && k < corridor->count; k++) {
    const CrTile *tile = cr__resolve(mesh, corridor->path[k]);
    uint32_t polygon = cr__ref_polygon(corridor->path[k]);
    height[k] = 1e301;
    if (!cr__polygon_holds(tile, polygon, to.x, to.z, 1e-7)) continue;
    height[k] = cr__abs(cr__polygon_height(tile, polygon, to.x, to.z) - to.y);
    best = cr__min(best, height[k]);
  }
  for (int32_t k = 0; k < limit && k < corridor->count; k++) {
    if (height[k] <= best + 1e-9) found = k;
  }
  return best < 1e300 ? found : -1;
}

static int holders_of(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 to, int32_t limit) {
  int count = 0;
  for (int32_t k = 0; k < limit && k < corridor->count; k++) {
    const CrTile *tile = cr__resolve(mesh, corridor->path[k]);
    count += cr__polygon_holds(tile, cr__ref_polygon(corridor->path[k]), to.x, to.z, 1e-7);
  }
  return count;
}

// A point where the corridor goes from one polygon into the next.
static CrVec3 point_on_way(const CrCorridor *corridor, const CrNavMesh *mesh, uint64_t *seed) {
  int32_t k = rnd_int(seed, corridor->count - 1);
  const CrTile *tile = cr__resolve(mesh, corridor->path[k]);
  CrWay way = cr__way_between(mesh, tile, cr__ref_polygon(corridor->path[k]), corridor->path[k + 1], NULL);
  return cr__lerp(way.a, way.b, rnd_unit(seed));
}

// Whether the later one of two polygons that hold the point is a rounding farther from it in height.
static bool near_tie(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 to, int32_t limit) {
  double best = 1e300, last = 1e300;
  for (int32_t k = 0; k < limit && k < corridor->count; k++) {
    const CrTile *tile = cr__resolve(mesh, corridor->path[k]);
    uint32_t polygon = cr__ref_polygon(corridor->path[k]);
    if (!cr__polygon_holds(tile, polygon, to.x, to.z, 1e-7)) continue;
    last = cr__abs(cr__polygon_height(tile, polygon, to.x, to.z) - to.y);
    best = cr__min(best, last);
  }
  return last > best && last <= best + 1e-9;
}

TEST(move_along_follows) {
  int trimmed = 0, missed = 0, stacked = 0, ties = 0;
  for (uint64_t world = 0; world < 8; world++) {
    check_seed = world;
    uint64_t seed = world * 131 + 9;
    CrNavMesh *mesh = world % 3 == 2 ? world_warped(world, 3, 6, 1.0, 0.15, 0.3, 0.0)
                                     : world_two_floors(world, 20, 20, 1.0, 3.0, 4, world % 2 ? 8 : 0, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
    for (int run = 0; run < 400; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, 64, from, to);
      int32_t limit = 1 + rnd_int(&seed, run % 3 ? 12 : 64), before = corridor->count;
      CrVec3 point = near_point(&seed, corridor->position, 4.0);
      // Corners and edge points are where ties are.
      if (run % 2) point.x = cr__floor(point.x), point.z = run % 4 == 1 ? cr__floor(point.z) : point.z;
      // Points on the corridor itself, which passes over itself where it changes floors.
      if (run % 3 == 0) {
        CrPolyRef on = corridor->path[rnd_int(&seed, corridor->count)];
        point = cr__polygon_center(cr__resolve(mesh, on), cr__ref_polygon(on));
        point.y += rnd_range(&seed, -2.0, 2.0);
      }
      if (run % 5 == 4 && corridor->count > 1) point = point_on_way(corridor, mesh, &seed);
      int32_t expected = expect_along(corridor, mesh, point, limit);
      ties += near_tie(corridor, mesh, point, limit);
      stacked += holders_of(corridor, mesh, point, limit) > 1;
      CrPolyRef first = expected < 0 ? corridor->path[0] : corridor->path[expected];
      CrCorridor was = *corridor;
      CHECK(cr_corridor_move_along(corridor, context, point, limit) == (expected >= 0));
      CHECK(corridor->path[0] == first);
      CrVec3 surface;
      REQUIRE_OK(cr_query_closest_point(mesh, first, point, &surface, NULL));
      CHECK(cr__same_point(corridor->position, expected >= 0 ? surface : was.position));
      CHECK(corridor->complete == was.complete && corridor->needs_replan == was.needs_replan);
      CHECK(corridor->target_ref == was.target_ref && cr__same_point(corridor->target, was.target));
      CHECK_INT(corridor->count, before - (expected > 0 ? expected : 0));
      check_sound(corridor, context);
      trimmed += expected > 0;
      missed += expected < 0;
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d trimmed, %d missed, %d over several polygons, %d as high but for rounding\n", trimmed, missed, stacked,
         ties);
  CHECK(trimmed > 0 && missed > 0 && stacked > 20 && ties > 0);
}

// --- Corners ------------------------------------------------------------------------------------------------------------

TEST(corners_end_at_target_or_nearest_point) {
  CrNavMesh *mesh = world_from_map(ROOM, 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(3.5, 0.5, 2.5));
  CrCorner corners[8];
  int32_t count;
  CHECK(cr_corridor_find_corners(corridor, context, corners, 8, &count) == CR_STRAIGHT_OK);
  CHECK_INT(count, 3);
  CHECK(corners[0].flags == CR_CORNER_START && cr__same_point(corners[0].point, corridor->position));
  CHECK(cr__same_point(corners[1].point, cr__vec(1.0, 0.0, 2.0)) && corners[1].flags == 0);
  CHECK(corners[2].flags == CR_CORNER_END && cr__same_point(corners[2].point, cr__vec(3.5, 0.5, 2.5)));
  CHECK(cr_corridor_find_corners(corridor, context, corners, 2, &count) == CR_STRAIGHT_TRUNCATED);
  CHECK_INT(count, 2);
  // An incomplete corridor ends where its last polygon comes nearest to the target.
  REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(9.5, 0.0, 2.25), NULL));
  CHECK(cr_corridor_find_corners(corridor, context, corners, 8, &count) == CR_STRAIGHT_OK);
  CHECK(cr__same_point(corners[count - 1].point, cr__vec(4.0, 0.0, 2.25)) && corners[count - 1].flags == CR_CORNER_END);
  // A target off the mesh horizontally is approached to the polygon's nearest point.
  cr_corridor_destroy(corridor);
  corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(7.0, 0.0, 2.5));
  CHECK(corridor->complete);
  CHECK(cr_corridor_find_corners(corridor, context, corners, 8, &count) == CR_STRAIGHT_OK);
  CHECK(cr__same_point(corners[count - 1].point, cr__vec(6.0, 0.0, 2.5)));
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Mesh changes -------------------------------------------------------------------------------------------------------

static void set_flags_at(CrNavMesh *mesh, CrPathContext *context, double x, double z, uint16_t flags) {
  REQUIRE_OK(cr_navmesh_set_flags(mesh, polygon_at(context, x, z), flags, NULL));
}

TEST(validate_outcomes) {
  CrNavMesh *mesh = world_from_map("..........\n", 1.0, 5, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(9.5, 0.0, 0.5));
  CHECK_INT(corridor->count, 10);
  CHECK(cr_corridor_validate(corridor, context, 8) == CR_VALIDATE_VALID);
  set_flags_at(mesh, context, 6.5, 0.5, 0);
  CHECK(cr_corridor_validate(corridor, context, 6) == CR_VALIDATE_VALID);
  CHECK(corridor->complete && corridor->count == 10);
  corridor->replan_from_start = true;
  CHECK(cr_corridor_validate(corridor, context, 7) == CR_VALIDATE_TRIMMED);
  CHECK_INT(corridor->count, 6);
  CHECK(!corridor->complete && corridor->needs_replan && !corridor->replan_from_start);
  set_flags_at(mesh, context, 0.5, 0.5, 0);
  CHECK(cr_corridor_validate(corridor, context, 8) == CR_VALIDATE_INVALID);
  CHECK_INT(corridor->count, 6);
  // Removing a tile makes its polygons stale.
  set_flags_at(mesh, context, 0.5, 0.5, 1);
  cr_corridor_destroy(corridor);
  set_flags_at(mesh, context, 6.5, 0.5, 1);
  corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(9.5, 0.0, 0.5));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  CHECK(cr_corridor_validate(corridor, context, 100) == CR_VALIDATE_TRIMMED);
  CHECK_INT(corridor->count, 5);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(validate_notices_a_stale_target_polygon) {
  CrNavMesh *mesh = world_from_map("....\n", 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(0.5, 0.0, 0.5), cr__vec(3.5, 0.0, 0.5));
  corridor->target_ref ^= UINT64_C(1) << 48;
  CHECK(cr_corridor_validate(corridor, context, 3) == CR_VALIDATE_VALID);
  CHECK(corridor->complete);
  CHECK(cr_corridor_validate(corridor, context, 4) == CR_VALIDATE_TRIMMED);
  CHECK(!corridor->complete && corridor->needs_replan && !corridor->replan_from_start && corridor->count == 4);
  CHECK(cr_corridor_validate(corridor, context, 4) == CR_VALIDATE_VALID);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(relocate_keeps_the_target) {
  CrNavMesh *mesh = world_from_map("..........\n", 1.0, 5, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(6.5, 0.0, 0.5), cr__vec(0.5, 0.0, 0.5));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  CHECK(cr_corridor_validate(corridor, context, 8) == CR_VALIDATE_INVALID);
  CHECK(!cr_corridor_relocate(corridor, context, cr__vec(1.0, 4.0, 1.0)));
  CHECK(corridor->count == 7 && corridor->complete);
  CHECK(cr_corridor_relocate(corridor, context, EXTENTS));
  CHECK(corridor->count == 1 && !corridor->complete && corridor->needs_replan && corridor->replan_from_start);
  CHECK(cr__same_point(corridor->position, cr__vec(5.0, 0.0, 0.5)));
  CHECK(cr__same_point(corridor->target, cr__vec(0.5, 0.0, 0.5)));
  CHECK(cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count == 5);
  check_sound(corridor, context);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(stale_first_polygon_refuses_moves) {
  CrNavMesh *mesh = world_from_map("..........\n", 1.0, 5, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(6.5, 0.0, 0.5), cr__vec(0.5, 0.0, 0.5));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  CrCorner corners[4];
  int32_t count;
  CHECK(!cr_corridor_move_position(corridor, context, cr__vec(6.0, 0.0, 0.5)));
  CHECK(!cr_corridor_move_along(corridor, context, cr__vec(6.0, 0.0, 0.5), 4));
  CHECK(!cr_corridor_optimize_visibility(corridor, context, cr__vec(1.0, 0.0, 0.5), 10.0, 16));
  CHECK(!cr_corridor_optimize_topology(corridor, context, 100, 64));
  CHECK(cr_corridor_find_corners(corridor, context, corners, 4, &count) == CR_STRAIGHT_INVALID_CORRIDOR);
  cr_corridor_request_replan(corridor);
  CHECK(cr_corridor_replan(corridor, context, EXTENTS, 1000) == CR_REPLAN_FAILED);
  CHECK_INT(corridor->count, 7);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(reset_starts_over), RUN(capacity_range), RUN(targets_and_requests_set_flags),
          RUN(bad_points_change_nothing), RUN(move_position_merges), RUN(move_target_merges), RUN(move_along_follows),
          RUN(corners_end_at_target_or_nearest_point), RUN(validate_outcomes),
          RUN(validate_notices_a_stale_target_polygon), RUN(relocate_keeps_the_target),
          RUN(stale_first_polygon_refuses_moves))
