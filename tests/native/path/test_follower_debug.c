// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Debug geometry of followers: what is told is what the corridor, the string and the crossing are, and arrays of any size get
// their first part of it.
#include "walkers.h"

#define DT 0.0625

enum { MOST = 8192 };

typedef struct Drawing {
  CrFollowerOutline outlines[MOST];
  CrVec3 vertices[MOST * CR_MAX_POLY_VERTS];
  CrCorner corners[MOST];
  CrFollowerDebug told;
} Drawing;

static Drawing whole, part;

static void draw(Drawing *drawing, const CrFollower *follower, const CrPathContext *context, int32_t outlines,
                 int32_t vertices, int32_t corners) {
  CrFollowerDebugArrays arrays = {drawing->outlines, drawing->vertices, drawing->corners, outlines, vertices, corners};
  memset(drawing, 0xEE, sizeof *drawing);
  cr_follower_debug(follower, context->mesh, context->filter, &arrays, &drawing->told);
}

static void draw_all(const CrFollower *follower, const CrPathContext *context) {
  draw(&whole, follower, context, MOST, MOST * CR_MAX_POLY_VERTS, MOST);
}

static bool same_corner(const CrCorner *a, const CrCorner *b) {
  return cr__same_point(a->point, b->point) && a->ref == b->ref && a->path_index == b->path_index &&
         a->flags == b->flags;
}

// The outlines are those of the corridor's polygons.
static void check_outlines(const CrFollower *follower, const CrPathContext *context) {
  int32_t vertex = 0;
  CHECK_INT(whole.told.outline_count, follower->corridor.count);
  for (int32_t k = 0; k < whole.told.outline_count; k++) {
    CrPolygonInfo polygon;
    CrFollowerOutline outline = whole.outlines[k];
    if (cr_navmesh_polygon(context->mesh, follower->corridor.path[k], &polygon) != CR_STATUS_OK)
      polygon.vertex_count = 0;
    CHECK(outline.ref == follower->corridor.path[k]);
    CHECK(outline.first_vertex == vertex && outline.vertex_count == (int32_t)polygon.vertex_count);
    for (uint32_t i = 0; i < polygon.vertex_count; i++)
      CHECK(cr__same_point(whole.vertices[vertex + (int32_t)i], polygon.vertices[i]));
    vertex += outline.vertex_count;
  }
  CHECK_INT(whole.told.vertex_count, vertex);
}

// The corners are those of one string pulled in a single call, and the first of them those that steps see.
static void check_corners(const CrFollower *follower, const CrPathContext *context) {
  static CrCorner corners[MOST];
  int32_t count;
  CrStraightPathOutcome outcome = cr_corridor_find_corners(&follower->corridor, context, corners, MOST, &count);
  CHECK(whole.told.broken == (outcome == CR_STRAIGHT_INVALID_CORRIDOR));
  CHECK_INT(whole.told.corner_count, count);
  for (int32_t k = 0; k < count; k++) CHECK(same_corner(&whole.corners[k], &corners[k]));
  if (count == 0) return;
  cr_corridor_find_corners(&follower->corridor, context, corners, follower->options.max_corners, &count);
  CHECK_INT(whole.told.seen_count, count);
}

// Arrays with less room get the first part, bit for bit, and no more; the counts stay.
static void check_part(const CrFollower *follower, const CrPathContext *context, uint64_t *seed) {
  const CrFollowerDebug *told = &whole.told;
  int32_t outlines = rnd_int(seed, told->outline_count + 2), vertices = rnd_int(seed, told->vertex_count + 2);
  int32_t corners = rnd_int(seed, told->corner_count + 2);
  draw(&part, follower, context, outlines, vertices, corners);
  CHECK(part.told.outline_count == told->outline_count && part.told.vertex_count == told->vertex_count);
  CHECK(part.told.corner_count == told->corner_count && part.told.seen_count == told->seen_count);
  for (int32_t k = 0; k < outlines && k < told->outline_count; k++)
    CHECK(memcmp(&part.outlines[k], &whole.outlines[k], sizeof whole.outlines[k]) == 0);
  for (int32_t k = 0; k < vertices && k < told->vertex_count; k++)
    CHECK(cr__same_point(part.vertices[k], whole.vertices[k]));
  for (int32_t k = 0; k < corners && k < told->corner_count; k++)
    CHECK(same_corner(&part.corners[k], &whole.corners[k]));
  const uint8_t *beyond[] = {(uint8_t *)&part.outlines[outlines], (uint8_t *)&part.vertices[vertices],
                             (uint8_t *)&part.corners[corners]};
  for (int k = 0; k < 3; k++) CHECK(beyond[k][0] == 0xEE && beyond[k][7] == 0xEE);
  CrFollowerDebug counted;
  cr_follower_debug(follower, context->mesh, context->filter, NULL, &counted);
  CHECK(counted.outline_count == told->outline_count && counted.vertex_count == told->vertex_count &&
        counted.corner_count == told->corner_count && counted.broken == told->broken);
}

static void check_all(const CrFollower *follower, const CrPathContext *context, uint64_t *seed) {
  draw_all(follower, context);
  const CrFollowerDebug *told = &whole.told;
  CHECK(told->state == follower->state && cr__same_point(told->position, follower->position));
  CHECK(cr__same_point(told->velocity, follower->velocity) && cr__same_point(told->destination, follower->destination));
  CHECK(told->crossing == (follower->state == CR_FOLLOWER_OFF_MESH_LINK));
  CrVec3 nowhere = {0, 0, 0};
  CHECK(cr__same_point(told->off_mesh_start, told->crossing ? follower->off_mesh_start : nowhere));
  CHECK(cr__same_point(told->off_mesh_end, told->crossing ? follower->off_mesh_end : nowhere));
  CHECK(told->off_mesh_elapsed == (told->crossing ? follower->off_mesh_elapsed : 0.0));
  CHECK(told->off_mesh_duration == (told->crossing ? follower->off_mesh_duration : 0.0));
  CHECK(told->off_mesh_exit == (told->crossing ? follower->off_mesh_exit : CR_INVALID_REF));
  check_outlines(follower, context);
  check_corners(follower, context);
  check_part(follower, context, seed);
}

// --- By hand ------------------------------------------------------------------------------------------------------------

// From (0.5, 0.5) round the bend at (2, 1) to (2.5, 2.5).
TEST(a_bend_is_told_as_it_is) {
  CrNavMesh *mesh = world_from_map("...\n##.\n##.\n", 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(2.5, 0, 2.5), NULL));
  draw_all(follower, context);
  const CrFollowerDebug *told = &whole.told;
  CHECK(told->state == CR_FOLLOWER_MOVING && !told->crossing && !told->broken);
  CHECK(cr__same_point(told->position, cr__vec(0.5, 0, 0.5)) &&
        cr__same_point(told->destination, cr__vec(2.5, 0, 2.5)));
  CHECK(told->outline_count == 5 && told->vertex_count == 20 && told->corner_count == 3 && told->seen_count == 3);
  CHECK(whole.corners[0].flags == CR_CORNER_START && whole.corners[0].ref == follower->corridor.path[0]);
  CHECK(whole.corners[1].flags == 0 && cr__same_point(whole.corners[1].point, cr__vec(2, 0, 1)));
  CHECK(whole.corners[1].ref == follower->corridor.path[3] && whole.corners[1].path_index == 3);
  CHECK(whole.corners[2].flags == CR_CORNER_END && whole.corners[2].ref == follower->corridor.path[4]);
  double min_x = 3.0, max_x = 2.0;
  for (int32_t k = 16; k < 20; k++) {
    min_x = cr__min(min_x, whole.vertices[k].x);
    max_x = cr__max(max_x, whole.vertices[k].x);
    CHECK(whole.vertices[k].z == 2.0 || whole.vertices[k].z == 3.0);
  }
  CHECK(min_x == 2.0 && max_x == 3.0);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(an_unplaced_follower_has_nothing_to_draw) {
  CrNavMesh *mesh = world_from_map("..\n", 1.0, 0, NULL);
  CrFollower *follower;
  REQUIRE_OK(cr_follower_create(NULL, NULL, &follower, NULL));
  CrFollowerDebug told;
  cr_follower_debug(follower, mesh, NULL, NULL, &told);
  CHECK(told.state == CR_FOLLOWER_UNPLACED && told.outline_count == 0 && told.vertex_count == 0);
  CHECK(told.corner_count == 0 && told.seen_count == 0 && !told.broken && !told.crossing);
  cr_follower_destroy(follower);
  cr_navmesh_destroy(mesh);
}

// An edit the follower has not noticed: the polygons taken away keep their places, and there is no string.
TEST(a_broken_corridor_says_so) {
  CrNavMesh *mesh = world_from_map("..........\n", 1.0, 5, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(9.5, 0, 0.5), NULL));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  uint64_t seed = 1;
  check_all(follower, context, &seed);
  CHECK(whole.told.broken && whole.told.corner_count == 0 && whole.told.seen_count == 0);
  CHECK(whole.told.outline_count == 10 && whole.told.vertex_count == 20);
  CHECK(whole.outlines[5].ref == follower->corridor.path[5] && whole.outlines[5].vertex_count == 0);
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  check_all(follower, context, &seed);
  CHECK(!whole.told.broken && whole.told.outline_count == 5);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// A way that turns about twice between any two rows: more corners than are pulled at a time.
TEST(a_long_string_is_told_whole) {
  enum { ROWS = 161, COLUMNS = 6 };
  char map[ROWS * (COLUMNS + 1) + 1], *at = map;
  for (int row = 0; row < ROWS; row++) {
    int32_t gap = row % 4 == 1 ? COLUMNS - 1 : 0;
    for (int column = 0; column < COLUMNS; column++) *at++ = row % 2 == 0 || column == gap ? '.' : '#';
    *at++ = '\n';
  }
  *at = 0;
  CrNavMesh *mesh = world_from_map(map, 1.0, 40, NULL);
  CrPathContext *context;
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.corridor_capacity = 4096;
  CrPathContextOptions wide = cr_path_context_options_default();
  wide.max_corridor = 4096;
  REQUIRE_OK(cr_path_context_create(mesh, &wide, NULL, &context, NULL));
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(COLUMNS - 0.5, 0, ROWS - 0.5), NULL));
  uint64_t seed = 2;
  for (int k = 0; k < 40; k++) check_all(follower, context, &seed);
  CHECK(whole.told.corner_count > 150 && whole.told.seen_count == options.max_corners);
  printf("  %d corners\n", whole.told.corner_count);
  // Broken far off, its end whole.
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 3, 0, NULL));
  check_all(follower, context, &seed);
  CHECK(whole.told.broken && whole.told.corner_count == 0 && whole.told.seen_count == 0);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- On random walks ------------------------------------------------------------------------------------------------------

// Now and then a polygon opens or closes, one of the corridor every other time, or the tile of one is removed.
static void edit(CrNavMesh *mesh, const CrCorridor *corridor, const CrPolyRef *polygons, uint32_t count,
                 uint64_t *seed) {
  if (rnd_int(seed, 30)) return;
  CrPolyRef ref = polygons[rnd_int(seed, (int32_t)count)];
  if (rnd_int(seed, 2)) ref = corridor->path[rnd_int(seed, corridor->count)];
  CrTileInfo tile;
  if (rnd_int(seed, 4)) {
    cr_navmesh_set_flags(mesh, ref, (uint16_t)rnd_int(seed, 2), NULL);
  } else if (cr_navmesh_tile_info(mesh, cr__ref_slot(ref), &tile) == CR_STATUS_OK && cr_navmesh_tile_count(mesh) > 2) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, tile.x, tile.z, tile.layer, NULL));
  }
}

TEST(random_walks_are_told_as_they_are) {
  int drawn = 0, crossings = 0, broken = 0, unseen = 0;
  for (uint64_t world = 0; world < (uint64_t)(12 * check_scale()); world++) {
    check_seed = world;
    uint64_t seed = world * 53 + 4;
    CrNavMesh *mesh = world % 3 == 0   ? world_maze(world, 14, 1.0, world % 2 ? 7 : 0, NULL)
                      : world % 3 == 1 ? world_two_floors(world, 16, 16, 1.0, 4.0, 12, 8, NULL)
                                       : world_scattered(world, 24, 24, 1.0, 0.3, 8, NULL);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world % 2), 1024, world % 4 ? &filter : NULL);
    CrFollowerOptions options = cr_follower_options_humanoid();
    options.max_corners = 3 + (int32_t)(world % 9);
    options.corridor_capacity = world % 5 ? 256 : 12;
    CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
    uint32_t count;
    CrPolyRef *polygons = world_all_polygons(mesh, &count);
    for (int step = 0; step < 300; step++, drawn++) {
      if (step % 75 == 0) cr_follower_set_destination(follower, context, world_random_point(mesh, &seed, NULL), NULL);
      edit(mesh, &follower->corridor, polygons, count, &seed);
      if (step % 2 == 0) check_all(follower, context, &seed);
      crossings += whole.told.crossing;
      broken += whole.told.broken;
      unseen += whole.told.corner_count > whole.told.seen_count;
      REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    }
    free(polygons);
    cr_follower_destroy(follower);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d steps; %d crossing, %d broken, %d with corners not seen\n", drawn, crossings, broken, unseen);
  CHECK(crossings > 0 && broken > 0 && unseen > 0);
}

TEST(telling_changes_and_allocates_nothing) {
  static StateBytes before, after;
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(4, 24, 24, 1.0, 0.2, 8, &allocator);
  CrPathContextOptions context_options = cr_path_context_options_default();
  CrPathContext *context;
  CrFollower *follower;
  REQUIRE_OK(cr_path_context_create(mesh, &context_options, &allocator, &context, NULL));
  REQUIRE_OK(cr_follower_create(NULL, &allocator, &follower, NULL));
  uint64_t seed = 5;
  REQUIRE_OK(cr_follower_place(follower, context, world_random_point(mesh, &seed, NULL), NULL));
  REQUIRE_OK(cr_follower_set_destination(follower, context, world_random_point(mesh, &seed, NULL), NULL));
  int64_t allocations = memory.total_allocations;
  for (int k = 0; k < 100; k++) {
    take_state(follower, &before);
    draw_all(follower, context);
    take_state(follower, &after);
    CHECK(same_state(&before, &after));
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  }
  CHECK_INT(memory.total_allocations, allocations);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(a_bend_is_told_as_it_is), RUN(an_unplaced_follower_has_nothing_to_draw), RUN(a_broken_corridor_says_so),
          RUN(a_long_string_is_told_whole), RUN(random_walks_are_told_as_they_are),
          RUN(telling_changes_and_allocates_nothing))
