// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The corners of corridors: what the first and the last are, off-mesh links in between, points that fall together, and corridors
// that do not hold together.
#include "corridors.h"
#include "query_worlds.h"

enum { MOST_CORNERS = 600 };

static CrCorner corners[MOST_CORNERS], plain[MOST_CORNERS];

// The off-mesh way between two polygons of a corridor, or another kind.
static CrWay way_of(const CrPathContext *context, const CrCorridor *corridor, int32_t k) {
  const CrTile *tile = cr__resolve(context->mesh, corridor->path[k]);
  return cr__way_between(context->mesh, tile, cr__ref_polygon(corridor->path[k]), corridor->path[k + 1],
                         context->filter);
}

// Complete: the target, or where it lies beside the last polygon that polygon's closest point. Else its nearest point in space.
static CrVec3 expected_end(const CrCorridor *corridor, const CrNavMesh *mesh) {
  CrPolyRef last = corridor->path[corridor->count - 1];
  CrVec3 nearest;
  bool over;
  double distance2;
  REQUIRE_OK(cr_query_closest_point(mesh, last, corridor->target, &nearest, &over));
  if (corridor->complete) return over ? corridor->target : nearest;
  return cr__polygon_nearest(cr__resolve(mesh, last), cr__ref_polygon(last), corridor->target, 1e300, &distance2);
}

typedef struct Tally {
  int64_t corridors, complete, links, truncated;
} Tally;

// Links in their order: an entry with its flag at the near end, the exit at the far end right after it, both on their polygons.
static void check_links(const CrCorridor *corridor, const CrPathContext *context, int32_t count, Tally *tally) {
  int32_t at = 0;
  for (int32_t k = 0; k + 1 < corridor->count; k++) {
    CrWay way = way_of(context, corridor, k);
    if (way.kind != CR_WAY_OFF_MESH) continue;
    while (at < count && !(corners[at].flags & CR_CORNER_OFF_MESH)) at++;
    REQUIRE(at + 1 < count);
    CHECK(corners[at].ref == corridor->path[k] && corners[at].path_index == k);
    CHECK(corners[at + 1].ref == corridor->path[k + 1] && corners[at + 1].path_index == k + 1);
    CHECK(cr__dist_xz(corners[at].point, way.a) < 1e-9 && cr__dist_xz(corners[at + 1].point, way.b) < 1e-9);
    // The funnel starts anew at the exit: the rest is the string from there.
    int32_t rest;
    CHECK(cr_query_straight_path(context->mesh, corners[at + 1].point, expected_end(corridor, context->mesh),
                                 corridor->path + k + 1, corridor->count - k - 1, context->filter, plain, MOST_CORNERS,
                                 &rest) == CR_STRAIGHT_OK);
    CHECK_INT(rest, count - at - 1);
    for (int32_t c = 1; c < rest && at + 1 + c < count; c++) {
      CHECK(cr__same_point(plain[c].point, corners[at + 1 + c].point) && plain[c].flags == corners[at + 1 + c].flags);
    }
    tally->links++;
    at++;
  }
  while (at < count && !(corners[at].flags & CR_CORNER_OFF_MESH)) at++;
  CHECK_INT(at, count);
}

static void check_corners(const CrCorridor *corridor, const CrPathContext *context, uint64_t *seed, Tally *tally) {
  int32_t count, fewer;
  CHECK(cr_corridor_find_corners(corridor, context, corners, MOST_CORNERS, &count) == CR_STRAIGHT_OK);
  REQUIRE(count >= 1);
  CHECK((corners[0].flags & CR_CORNER_START) && cr__same_point(corners[0].point, corridor->position));
  CHECK((corners[count - 1].flags & CR_CORNER_END) && corners[count - 1].path_index == corridor->count - 1);
  // A single corner is both: the agent stands on the end.
  CrVec3 end = expected_end(corridor, context->mesh);
  CHECK(cr__dist_xz(corners[count - 1].point, end) < 1e-9);
  if (count > 1) CHECK(cr__same_point(corners[count - 1].point, end));
  for (int32_t k = 0; k < count; k++) {
    CHECK(((corners[k].flags & CR_CORNER_START) != 0) == (k == 0));
    CHECK(((corners[k].flags & CR_CORNER_END) != 0) == (k == count - 1));
    CHECK(k == 0 || corners[k].path_index >= corners[k - 1].path_index);
    CHECK(k == 0 || !cr__same_point(corners[k].point, corners[k - 1].point));
    CHECK(corners[k].ref == corridor->path[corners[k].path_index]);
  }
  check_links(corridor, context, count, tally);
  // A short buffer gets the first ones.
  int32_t room = 2 + rnd_int(seed, count);
  CrStraightPathOutcome outcome = cr_corridor_find_corners(corridor, context, plain, room, &fewer);
  CHECK(outcome == (room < count ? CR_STRAIGHT_TRUNCATED : CR_STRAIGHT_OK));
  CHECK_INT(fewer, room < count ? room : count);
  for (int32_t k = 0; k < fewer; k++) CHECK(cr__same_point(plain[k].point, corners[k].point));
  tally->truncated += room < count;
  tally->complete += corridor->complete;
  tally->corridors++;
}

TEST(corners_of_random_corridors) {
  Tally tally = {0};
  for (int64_t number = 0; number < check_scaled(30); number++) {
    uint64_t seed = (uint64_t)number * 509 + 3;
    CrNavMesh *mesh = number % 3 == 0   ? world_scattered((uint64_t)number, 24, 24, 1.0, 0.25, 7, NULL)
                      : number % 3 == 1 ? world_two_floors((uint64_t)number, 16, 16, 1.0, 4.0, 10, 6, NULL)
                                        : world_mosaic((uint64_t)number, 4, 4.0);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 3 % 2), 1024, NULL);
    for (int run = 0; run < 40; run++) {
      check_seed = seed;
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      to = point_near(&seed, to, 1.0);
      CrCorridor *corridor = planned_corridor(context, run % 4 ? 256 : 8, from, to);
      check_corners(corridor, context, &seed, &tally);
      for (int k = 0; k < 4; k++) {
        call_corridor((CorridorCall)rnd_int(&seed, CALL_REPLAN), corridor, context, to, &seed);
        check_corners(corridor, context, &seed, &tally);
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld corridors, %lld complete, %lld with too small a buffer; %lld links\n", (long long)tally.corridors,
         (long long)tally.complete, (long long)tally.truncated, (long long)tally.links);
  CHECK(tally.corridors < 1000 || (tally.links > 0 && tally.truncated > 0 && tally.complete < tally.corridors));
}

// --- Points that fall together --------------------------------------------------------------------------------------------

// Two islands joined by a link, a bend before and behind it.
static CrNavMesh *make_islands(void) {
  static TileKit kit;
  CrNavMeshParams params = {.tile_size = 20.0, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 1, 1, 3, 3, 0.0);
  kit_rectangle(&kit, 6, 1, 8, 3, 0.0);
  kit_link(&kit, cr__vec(2, 0, 2), cr__vec(7, 0, 2), 0.5, false);
  kit_add(&kit, mesh);
  return mesh;
}

static int32_t corners_from(CrPathContext *context, CrVec3 from, CrVec3 to) {
  CrCorridor *corridor = planned_corridor(context, 8, from, to);
  int32_t count;
  CHECK(corridor->complete);
  CHECK(cr_corridor_find_corners(corridor, context, corners, MOST_CORNERS, &count) == CR_STRAIGHT_OK);
  cr_corridor_destroy(corridor);
  return count;
}

TEST(equal_points_are_one_corner) {
  CrNavMesh *mesh = make_islands();
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrVec3 entry = cr__vec(2, 0, 2), exit = cr__vec(7, 0, 2);
  CHECK_INT(corners_from(context, cr__vec(1.5, 0, 1.5), cr__vec(7.5, 0, 2.5)), 4);
  CHECK(corners[1].flags == CR_CORNER_OFF_MESH && cr__same_point(corners[1].point, entry));
  CHECK(corners[2].flags == 0 && cr__same_point(corners[2].point, exit));
  // The agent on the entry, the target on the exit, and both.
  CHECK_INT(corners_from(context, entry, cr__vec(7.5, 0, 2.5)), 3);
  CHECK(corners[0].flags == (CR_CORNER_START | CR_CORNER_OFF_MESH) && corners[2].flags == CR_CORNER_END);
  CHECK_INT(corners_from(context, cr__vec(1.5, 0, 1.5), exit), 3);
  CHECK(corners[1].flags == CR_CORNER_OFF_MESH && corners[2].flags == CR_CORNER_END);
  CHECK_INT(corners_from(context, entry, exit), 2);
  CHECK(corners[0].flags == (CR_CORNER_START | CR_CORNER_OFF_MESH) && corners[1].flags == CR_CORNER_END);
  // The agent on its target.
  CHECK_INT(corners_from(context, entry, entry), 1);
  CHECK(corners[0].flags == (CR_CORNER_START | CR_CORNER_END));
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Corridors that do not hold together ------------------------------------------------------------------------------------

TEST(broken_corridors_give_no_corners) {
  int64_t broken = 0, short_of = 0;
  for (int64_t number = 0; number < check_scaled(300); number++) {
    check_seed = (uint64_t)number;
    uint64_t seed = (uint64_t)number * 733 + 9;
    CrNavMesh *mesh = number % 2 ? world_two_floors((uint64_t)number % 8, 12, 12, 1.0, 4.0, 8, 6, NULL)
                                 : world_scattered((uint64_t)number % 8, 16, 16, 1.0, 0.2, 6, NULL);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    CrCorridor *corridor = planned_corridor(context, 256, from, to);
    int32_t k = rnd_int(&seed, corridor->count), count = 77;
    const CrTile *tile = cr__resolve(mesh, corridor->path[k]);
    if (number % 3 == 0) REQUIRE_OK(cr_navmesh_remove_tile(mesh, tile->x, tile->z, tile->layer, NULL));
    if (number % 3 == 1) corridor->path[k] ^= UINT64_C(1) << (48 + rnd_int(&seed, 16));  // another salt
    if (number % 3 == 2) {
      // Polygons missing in the middle: neighbours that do not touch.
      if (corridor->count < 4) corridor->count = 0;
      for (int32_t i = 1; i + 2 < corridor->count; i++) corridor->path[i] = corridor->path[i + 2];
      if (corridor->count) corridor->count -= 2;
      if (corridor->count > 1 && way_of(context, corridor, 0).kind != CR_WAY_NONE) corridor->count = 0;
    }
    CHECK(cr_corridor_find_corners(corridor, context, corners, MOST_CORNERS, &count) == CR_STRAIGHT_INVALID_CORRIDOR);
    CHECK_INT(count, 0);
    // A buffer too small to look so far gets the corners before the break, if the mesh can tell them.
    CrStraightPathOutcome outcome = cr_corridor_find_corners(corridor, context, corners, 2, &count);
    CHECK(outcome == CR_STRAIGHT_TRUNCATED ? count == 2 : outcome == CR_STRAIGHT_INVALID_CORRIDOR && count == 0);
    short_of += outcome == CR_STRAIGHT_TRUNCATED;
    broken++;
    cr_corridor_destroy(corridor);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld broken corridors, %lld of them beyond the second corner\n", (long long)broken, (long long)short_of);
}

// --- Long strings -----------------------------------------------------------------------------------------------------------

// A way to and fro between walls, with two bends round the end of each.
static CrNavMesh *make_zigzag(int32_t walls) {
  char *map = malloc((size_t)(2 * walls + 1) * 5 + 1), *at = map;
  REQUIRE(map != NULL);
  for (int32_t row = 0; row <= 2 * walls; row++) {
    memcpy(at, row % 2 == 0 ? "....\n" : row % 4 == 1 ? "###.\n" : ".###\n", 5);
    at += 5;
  }
  *at = 0;
  CrNavMesh *mesh = world_from_map(map, 1.0, 50, NULL);
  free(map);
  return mesh;
}

// A string of more corners than are pulled at once is as long as its legs together; one that is broken anywhere has no length.
TEST(strings_of_many_corners_have_a_length) {
  for (int32_t walls = 100; walls <= 290; walls += 19) {
    check_seed = (uint64_t)walls;
    CrNavMesh *mesh = make_zigzag(walls);
    CrPathContextOptions options = cr_path_context_options_default();
    options.max_corridor = CR_CORRIDOR_MAX_CAPACITY;
    CrPathContext *context;
    REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &context, NULL));
    CrCorridor *corridor =
        planned_corridor(context, CR_CORRIDOR_MAX_CAPACITY, cr__vec(0.5, 0, 0.5), cr__vec(2.5, 0, 2 * walls + 0.5));
    int32_t count;
    REQUIRE(corridor->complete);
    CHECK(cr_corridor_find_corners(corridor, context, corners, MOST_CORNERS, &count) == CR_STRAIGHT_OK);
    CHECK_INT(count, 2 * walls + 2);
    double length = 0.0;
    for (int32_t k = 1; k < count; k++) length += cr__dist(corners[k - 1].point, corners[k].point);
    CHECK_NEAR(cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count),
               length, 1e-9 * length);
    for (int32_t k = 0; k < corridor->count; k += 1 + corridor->count / 20) {
      CrPolyRef kept = corridor->path[k];
      corridor->path[k] ^= UINT64_C(1) << 60;
      CHECK(cr__path_walk_cost(context, corridor->position, corridor->target, corridor->path, corridor->count) < 0.0);
      corridor->path[k] = kept;
    }
    cr_corridor_destroy(corridor);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
}

TEST_MAIN(RUN(corners_of_random_corridors), RUN(equal_points_are_one_corner), RUN(broken_corridors_give_no_corners),
          RUN(strings_of_many_corners_have_a_length))
