// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walking a corridor: on mazes it stays a fresh query's, and anywhere the legs of its string can be walked to the end, which is
// as far as the string is long.
#include "corridors.h"
#include "query_worlds.h"

// --- Mazes ----------------------------------------------------------------------------------------------------------------

enum { MOST_CORNERS = 512 };

typedef struct MazeTally {
  int64_t compared, corners, calls[CALL_COUNT];
  int32_t longest;
} MazeTally;

static bool same_corner(const CrCorner *a, const CrCorner *b) {
  return cr__same_point(a->point, b->point) && a->ref == b->ref && a->path_index == b->path_index &&
         a->flags == b->flags;
}

static void compare_with_fresh(const CrCorridor *corridor, CrPathContext *context, CrPathContext *probe,
                               MazeTally *tally) {
  static CrPolyRef path[CR_CORRIDOR_MAX_CAPACITY];
  static CrCorner kept[MOST_CORNERS], fresh[MOST_CORNERS];
  CrPathResult result;
  int32_t kept_count, fresh_count;
  REQUIRE(corridor->complete && !corridor->needs_replan);
  REQUIRE_OK(cr_query_find_path(probe->query, corridor->path[0], corridor->position, corridor->target_ref,
                                corridor->target, NULL, path, CR_CORRIDOR_MAX_CAPACITY, &result, NULL));
  CHECK(result.outcome == CR_PATH_SUCCESS && same_path(corridor, path, result.count));
  CHECK(cr_corridor_find_corners(corridor, context, kept, MOST_CORNERS, &kept_count) == CR_STRAIGHT_OK);
  CHECK(cr_query_straight_path(probe->mesh, corridor->position, corridor->target, path, result.count, NULL, fresh,
                               MOST_CORNERS, &fresh_count) == CR_STRAIGHT_OK);
  CHECK_INT(kept_count, fresh_count);
  for (int32_t c = 0; c < kept_count && c < fresh_count; c++) CHECK(same_corner(&kept[c], &fresh[c]));
  tally->compared++;
  tally->corners += kept_count;
  if (corridor->count > tally->longest) tally->longest = corridor->count;
}

// Moves of both ends, walks, shortcuts, checks and replans, in any order and number; after each the corridor is compared.
static void maze_run(uint64_t number, MazeTally *tally) {
  static const CorridorCall calls[] = {CALL_MOVE_POSITION, CALL_MOVE_ALONG,  CALL_WALK,
                                       CALL_WALK,          CALL_MOVE_TARGET, CALL_VISIBILITY,
                                       CALL_TOPOLOGY,      CALL_REQUEST,     CALL_VALIDATE};
  static const int32_t rooms[] = {4, 10, 25};
  uint64_t seed = number * 17 + 3;
  CrNavMesh *mesh = world_maze(number, rooms[number % 3], 1.0, number % 2 ? 6 : 0, NULL);
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.node_model = (CrNodeModel)(number / 2 % 2);
  options.max_corridor = CR_CORRIDOR_MAX_CAPACITY;
  CrPathContext *context, *probe;
  REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &context, NULL));
  REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &probe, NULL));
  CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
  CrCorridor *corridor = planned_corridor(context, CR_CORRIDOR_MAX_CAPACITY, from, to);
  compare_with_fresh(corridor, context, probe, tally);
  for (int turn = 0; turn < 250; turn++) {
    CorridorCall call = calls[rnd_int(&seed, CR_COUNT_OF(calls))];
    tally->calls[call] += call_corridor(call, corridor, context, corridor->target, &seed);
    if (corridor->needs_replan) CHECK(cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
    compare_with_fresh(corridor, context, probe, tally);
  }
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_path_context_destroy(probe);
  cr_navmesh_destroy(mesh);
}

TEST(maze_corridor_equals_fresh_query) {
  MazeTally tally = {0};
  for (int64_t number = 0; number < check_scaled(36); number++) {
    check_seed = (uint64_t)number;
    maze_run((uint64_t)number, &tally);
  }
  printf(
      "  %lld corridors and %lld corners compared, the longest of %d polygons; %lld moves, %lld walks, %lld moves of "
      "the "
      "target, %lld shortcuts\n",
      (long long)tally.compared, (long long)tally.corners, tally.longest, (long long)tally.calls[CALL_MOVE_POSITION],
      (long long)(tally.calls[CALL_WALK] + tally.calls[CALL_MOVE_ALONG]), (long long)tally.calls[CALL_MOVE_TARGET],
      (long long)(tally.calls[CALL_VISIBILITY] + tally.calls[CALL_TOPOLOGY]));
}

// --- Legs -----------------------------------------------------------------------------------------------------------------

typedef struct LegTally {
  int64_t walks, legs, moves, blocked, crossings, stray;
  double worst;
} LegTally;

// To the far side of the link whose entry the agent stands on: what a crossing does.
static bool cross_link(CrCorridor *corridor, const CrNavMesh *mesh, const CrCorner *exit) {
  int32_t k = find_ref(corridor->path, corridor->count, exit->ref);
  if (k < 0) return false;
  cr__corridor_drop_front(corridor, k);
  corridor->position =
      cr__polygon_closest(cr__resolve(mesh, corridor->path[0]), cr__ref_polygon(corridor->path[0]), exit->point, NULL);
  return true;
}

static double string_length_xz(const CrCorner *corners, int32_t count) {
  double sum = 0.0;
  for (int32_t k = 1; k < count; k++) {
    if (!(corners[k - 1].flags & CR_CORNER_OFF_MESH)) sum += cr__dist_xz(corners[k - 1].point, corners[k].point);
  }
  return sum;
}

// Walks the string leg by leg, in random parts. Each part must be walkable along the corridor, and all of them together are as
// long as the string was at the beginning.
static void walk_string(CrCorridor *corridor, CrPathContext *context, uint64_t *seed, LegTally *tally) {
  static CrCorner corners[MOST_CORNERS];
  int32_t count;
  REQUIRE(cr_corridor_find_corners(corridor, context, corners, MOST_CORNERS, &count) == CR_STRAIGHT_OK);
  double length = string_length_xz(corners, count), walked = 0.0;
  CrVec3 end = corners[count - 1].point;
  for (int turn = 0; turn < 2000; turn++) {
    REQUIRE(cr_corridor_find_corners(corridor, context, corners, 3, &count) != CR_STRAIGHT_INVALID_CORRIDOR);
    if (count < 2) break;
    if (corners[0].flags & CR_CORNER_OFF_MESH) {
      CHECK(cross_link(corridor, context->mesh, &corners[1]));
      tally->crossings++;
      continue;
    }
    double share = rnd_int(seed, 3) ? rnd_range(seed, 0.05, 1.0) : 1.0;
    CrVec3 before = corridor->position,
           to = share == 1.0 ? corners[1].point : cr__lerp(before, corners[1].point, share);
    bool moved = cr_corridor_move_along(corridor, context, to, corners[1].path_index + 1);
    CHECK(moved);
    tally->blocked += !moved;
    tally->moves++, tally->legs += share == 1.0;
    if (!moved) return;
    // A later polygon may hold the point by its tolerance only; its closest point is then as far off.
    tally->stray += cr__dist_xz(corridor->position, to) > 2e-7;
    walked += cr__dist_xz(before, corridor->position);
    check_sound(corridor, context);
    if (cr__dist_xz(corridor->position, end) == 0.0 && corridor->count == 1) break;
  }
  CHECK(cr__dist_xz(corridor->position, end) < 1e-7);
  double error = cr__abs(walked - length) / (1.0 + length);
  if (error > tally->worst) tally->worst = error;
  CHECK(error < 1e-7);
  tally->walks++;
}

// Not every seed of a warped world makes convex polygons: the first 40 do.
static CrNavMesh *leg_mesh(uint64_t number) {
  switch (number % 5) {
    case 0:
      return world_scattered(number, 30, 30, 1.0, 0.25, number % 2 ? 8 : 0, NULL);
    case 1:
      return world_two_floors(number, 16, 16, 1.0, 4.0, 8, 6, NULL);
    case 2:
      return world_warped(number % 40, 3, 6, 1.0, 0.15, 0.3, 0.0);
    case 3:
      return world_warped(number % 40, 2, 8, 1.0, 0.2, 0.3, 2097000.0);
    default:
      return world_maze(number, 10, 0.7, 7, NULL);
  }
}

TEST(legs_can_be_walked_to_the_end) {
  LegTally tally = {0};
  for (int64_t number = 0; number < check_scaled(60); number++) {
    uint64_t seed = (uint64_t)number * 419 + 7;
    CrNavMesh *mesh = leg_mesh((uint64_t)number);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 5 % 2), 1024, NULL);
    for (int run = 0; run < 30; run++) {
      check_seed = seed;
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, 256, from, to);
      walk_string(corridor, context, &seed, &tally);
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld walks of %lld whole legs and %lld moves, %lld links crossed; %lld moves blocked, %lld beside the leg; "
      "worst "
      "difference to the string %.1e of its length\n",
      (long long)tally.walks, (long long)tally.legs, (long long)tally.moves, (long long)tally.crossings,
      (long long)tally.blocked, (long long)tally.stray, tally.worst);
  CHECK(tally.stray == 0 && (tally.walks < 500 || tally.crossings > 0));
}

TEST_MAIN(RUN(maze_corridor_equals_fresh_query), RUN(legs_can_be_walked_to_the_end))
