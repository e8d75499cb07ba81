// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Replanning: the table of outcomes, the two searches, and what no longer fits. Slices are in test_replan_slices.c.
#include "walkers.h"

typedef struct Bytes {
  size_t size;
  uint8_t data[66 + 8 * CR_CORRIDOR_MAX_CAPACITY];
} Bytes;

static Bytes save(const CrCorridor *corridor) {
  Bytes bytes = {.size = cr_corridor_state_size(corridor)};
  REQUIRE_OK(cr_corridor_save(corridor, bytes.data, sizeof bytes.data, NULL));
  return bytes;
}

static bool same_bytes(const Bytes *a, const Bytes *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

typedef struct World {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrQueryFilter filter;
} World;

static World open_map(const char *map, int32_t tile_cells, CrNodeModel model) {
  World world = {.mesh = world_from_map(map, 1.0, tile_cells, NULL), .filter = cr_query_filter_default()};
  world.context = make_context(world.mesh, model, 1024, &world.filter);
  return world;
}

static void close_world(World *world) {
  cr_path_context_destroy(world->context);
  cr_navmesh_destroy(world->mesh);
}

// --- Outcomes -----------------------------------------------------------------------------------------------------------

TEST(success_completes) {
  World world = open_map("....\n....\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = make_corridor(world.context, 16, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(3.5, 0, 1.5), NULL));
  CHECK(!corridor->complete && corridor->needs_replan && corridor->replan_from_start);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && !corridor->needs_replan && !corridor->replan_from_start);
  CHECK(corridor->target_ref == polygon_at(world.context, 3.5, 1.5));
  CHECK(corridor->path[corridor->count - 1] == corridor->target_ref);
  check_sound(corridor, world.context);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

TEST(success_cut_to_capacity_asks_again) {
  World world = open_map("....................\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 8, cr__vec(0.5, 0, 0.5), cr__vec(19.5, 0, 0.5));
  CHECK_INT(corridor->count, 8);
  CHECK(!corridor->complete && corridor->needs_replan && !corridor->replan_from_start);
  // Extending goes on from the end: walked polygons are replaced at the other side.
  int32_t extensions = 0;
  while (!corridor->complete && extensions < 20) {
    CHECK(cr_corridor_move_along(corridor, world.context, cr__vec(corridor->position.x + 3.0, 0, 0.5), 8));
    CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
    check_sound(corridor, world.context);
    extensions++;
  }
  CHECK_INT(extensions, 4);
  CHECK(corridor->target_ref == corridor->path[corridor->count - 1]);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

TEST(partial_leads_to_the_closest_polygon) {
  World world = open_map("....#..\n.##.#..\n....#..\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 16, cr__vec(0.5, 0, 0.5), cr__vec(6.5, 0, 2.5));
  CHECK(!corridor->complete && !corridor->needs_replan && !corridor->replan_from_start);
  CHECK(corridor->path[corridor->count - 1] == polygon_at(world.context, 3.5, 2.5));
  CHECK(corridor->target_ref == polygon_at(world.context, 6.5, 2.5));
  check_sound(corridor, world.context);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

TEST(partial_cut_to_capacity_asks_again) {
  World world = open_map("..........#..\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 4, cr__vec(0.5, 0, 0.5), cr__vec(12.5, 0, 0.5));
  CHECK(corridor->count == 4 && !corridor->complete && corridor->needs_replan && !corridor->replan_from_start);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

TEST(in_progress_splices_the_closest_so_far) {
  World world = open_map("....................\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = make_corridor(world.context, 32, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(19.5, 0, 0.5), NULL));
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, 5) == CR_REPLAN_IN_PROGRESS);
  CHECK(!corridor->complete && corridor->needs_replan && corridor->replan_from_start);
  CHECK(corridor->count > 2 && corridor->count <= 6);
  CHECK(corridor->path[0] == polygon_at(world.context, 0.5, 0.5));
  check_sound(corridor, world.context);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, 100) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count == 20 && !corridor->replan_from_start);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

TEST(failed_and_no_end_change_nothing) {
  World world = open_map("..........\n", 5, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 16, cr__vec(6.5, 0, 0.5), cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(100.0, 0, 0.5), NULL));
  Bytes before = save(corridor);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_NO_END_NEARBY);
  Bytes after = save(corridor);
  CHECK(same_bytes(&before, &after));
  REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(0.5, 0, 0.5), NULL));
  REQUIRE_OK(cr_navmesh_remove_tile(world.mesh, 1, 0, 0, NULL));
  before = save(corridor);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_FAILED);
  after = save(corridor);
  CHECK(same_bytes(&before, &after));
  cr_corridor_destroy(corridor);
  close_world(&world);
}

// --- The two searches ---------------------------------------------------------------------------------------------------

static void set_flags_at(World *world, double x, double z, uint16_t flags) {
  REQUIRE_OK(cr_navmesh_set_flags(world->mesh, polygon_at(world->context, x, z), flags, NULL));
}

// A cut corridor is continued from its end when the way on exists there.
TEST(search_one_goes_on_from_the_end) {
  World world = open_map(".......\n.#####.\n.......\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 1.5), cr__vec(6.5, 0, 1.5));
  int32_t whole = corridor->count;
  bool north = corridor->path[1] == polygon_at(world.context, 0.5, 0.5);
  set_flags_at(&world, 6.5, north ? 0.5 : 2.5, 0);
  CHECK(cr_corridor_validate(corridor, world.context, 100) == CR_VALIDATE_TRIMMED);
  set_flags_at(&world, 6.5, north ? 0.5 : 2.5, 1);
  CHECK_INT(corridor->count, 7);
  CrPolyRef kept[7];
  memcpy(kept, corridor->path, sizeof kept);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK_INT(corridor->count, whole);
  CHECK(memcmp(kept, corridor->path, sizeof kept) == 0);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

// What is kept of the corridor stays as it is, even if a search from the agent would not go there.
TEST(search_one_keeps_the_corridor_before_it) {
  World world = open_map("........\n........\n........\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 0.5), cr__vec(7.5, 0, 0.5));
  CrPolyRef astray[4] = {polygon_at(world.context, 0.5, 0.5), polygon_at(world.context, 0.5, 1.5),
                         polygon_at(world.context, 0.5, 2.5), polygon_at(world.context, 1.5, 2.5)};
  memcpy(corridor->path, astray, sizeof astray);
  corridor->count = 4;
  corridor->complete = false;
  corridor->needs_replan = true;
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count > 8 && memcmp(corridor->path, astray, sizeof astray) == 0);
  check_sound(corridor, world.context);
  cr_corridor_request_replan(corridor);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count == 8);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

// The way from the end leads back through the corridor: the loop is cut.
TEST(loops_are_cut) {
  World world = open_map(".......\n.#####.\n.......\n", 0, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 1.5), cr__vec(6.5, 0, 1.5));
  bool north = corridor->path[1] == polygon_at(world.context, 0.5, 0.5);
  set_flags_at(&world, 6.5, north ? 0.5 : 2.5, 0);
  CHECK(cr_corridor_validate(corridor, world.context, 100) == CR_VALIDATE_TRIMMED);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count == 9);
  check_sound(corridor, world.context);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

// Search 1 cannot leave the corridor's end (one-way link), so search 2 starts at the agent.
TEST(search_two_when_the_end_is_a_dead_end) {
  World world = open_map(".....#....\n", 5, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 0.5), cr__vec(4.5, 0, 0.5));
  CHECK_INT(corridor->count, 5);
  set_flags_at(&world, 2.5, 0.5, 0);
  // The end part is cut off from the agent's and from the new target; the first part reaches the closest place.
  corridor->path[1] = corridor->path[4];
  corridor->count = 2;
  REQUIRE(cr_corridor_move_target(corridor, world.context, cr__vec(4.5, 0, 0.5)));
  corridor->complete = false;
  corridor->needs_replan = true;
  corridor->target = cr__vec(1.5, 0, 0.5);
  CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(corridor->complete && corridor->count == 2 && corridor->path[1] == polygon_at(world.context, 1.5, 0.5));
  check_sound(corridor, world.context);
  cr_corridor_destroy(corridor);
  close_world(&world);
}

// The corridor's end is gone or closed, so search 1 cannot begin.
TEST(search_two_when_the_end_is_gone) {
  for (int kind = 0; kind < 2; kind++) {
    World world = open_map("..........\n..........\n", 5, CR_NODE_MODEL_POLYGON);
    CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 0.5), cr__vec(7.5, 0, 0.5));
    CHECK_INT(corridor->count, 8);
    if (kind) {
      set_flags_at(&world, 7.5, 0.5, 0);
    } else {
      REQUIRE_OK(cr_navmesh_remove_tile(world.mesh, 1, 0, 0, NULL));
    }
    corridor->complete = false, corridor->needs_replan = true;
    corridor->target = cr__vec(4.5, 0, 1.5);
    cr_corridor_replan_begin(corridor, world.context, EXTENTS);
    CHECK(world.context->session.search == 2 && world.context->session.start_ref == corridor->path[0]);
    CHECK(cr_corridor_replan_update(corridor, world.context, INT64_MAX) == CR_REPLAN_SUCCESS);
    CHECK(cr_corridor_replan_apply(corridor, world.context) == CR_REPLAN_SUCCESS);
    CHECK(corridor->complete && corridor->count == 6);
    check_sound(corridor, world.context);
    cr_corridor_destroy(corridor);
    close_world(&world);
  }
}

// Search 1 begins at the last polygon's point nearest to the agent, search 2 at the agent, and both end at the point of the target
// polygon nearest to the target.
TEST(searches_begin_and_end_where_they_should) {
  for (uint64_t number = 0; number < 20; number++) {
    check_seed = number;
    uint64_t seed = number * 41 + 1;
    CrNavMesh *mesh = world_scattered(number, 20, 20, 1.0, 0.2, number % 2 ? 7 : 0, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 2 % 2), 1024, NULL);
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    CrCorridor *corridor = planned_corridor(context, 64, from, to);
    CrPolyRef last = corridor->path[corridor->count - 1];
    CrVec3 start, target = world_random_point(mesh, &seed, NULL);
    target.x += rnd_range(&seed, -1.0, 1.0);
    CrNearestPoly end;
    REQUIRE_OK(cr_query_nearest_poly(context->query, target, EXTENTS, NULL, &end, NULL));
    REQUIRE_OK(cr_query_closest_point(mesh, last, corridor->position, &start, NULL));
    REQUIRE_OK(cr_corridor_set_target(corridor, target, NULL));
    const CrSearch *search = &context->query->search;
    for (int from_start = 0; from_start < 2; from_start++) {
      corridor->replan_from_start = from_start;
      cr_corridor_replan_begin(corridor, context, EXTENTS);
      CHECK(search->start_ref == (from_start ? corridor->path[0] : last));
      CHECK(cr__same_point(search->start, from_start ? corridor->position : start));
      CHECK(search->end_ref == end.ref && cr__same_point(search->end, end.point));
    }
    cr_corridor_destroy(corridor);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
}

// --- What no longer fits -----------------------------------------------------------------------------------------------

// A session left alone while its agent moves, its target changes or the mesh is edited is dropped, never misapplied.
TEST(apply_refuses_what_no_longer_fits) {
  World world = open_map("..........\n..........\n", 5, CR_NODE_MODEL_POLYGON);
  for (int change = 0; change < 4; change++) {
    CrCorridor *corridor = make_corridor(world.context, 32, cr__vec(0.5, 0, 0.5));
    REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(9.5, 0, 0.5), NULL));
    cr_corridor_replan_begin(corridor, world.context, EXTENTS);
    CHECK(cr_corridor_replan_update(corridor, world.context, 1000) == CR_REPLAN_SUCCESS);
    if (change == 0) CHECK(cr_corridor_move_position(corridor, world.context, cr__vec(0.5, 0, 1.5)));
    if (change == 1) REQUIRE_OK(cr_corridor_set_target(corridor, cr__vec(5.5, 0, 0.5), NULL));
    if (change == 2) set_flags_at(&world, 5.5, 0.5, 3);
    CrCorridor *other = make_corridor(world.context, 32, cr__vec(0.5, 0, 0.5));
    if (change == 3) cr_corridor_replan_begin(other, world.context, EXTENTS);
    Bytes before = save(corridor);
    CHECK(cr_corridor_replan_apply(corridor, world.context) == CR_REPLAN_FAILED);
    Bytes after = save(corridor);
    CHECK(same_bytes(&before, &after));
    CHECK(cr_corridor_replan(corridor, world.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
    cr_corridor_destroy(other);
    cr_corridor_destroy(corridor);
  }
  close_world(&world);
}

// Search 1 goes on from a polygon; when the corridor no longer holds it there is nothing to put its route behind.
TEST(apply_needs_the_polygon_the_search_began_at) {
  World world = open_map("..........\n..........\n", 5, CR_NODE_MODEL_POLYGON);
  for (int gone = 0; gone < 2; gone++) {
    CrCorridor *corridor = planned_corridor(world.context, 32, cr__vec(0.5, 0, 0.5), cr__vec(5.5, 0, 0.5));
    corridor->target = cr__vec(9.5, 0, 0.5);
    corridor->complete = false, corridor->needs_replan = true;
    cr_corridor_replan_begin(corridor, world.context, EXTENTS);
    CHECK(world.context->session.search == 1);
    CHECK(cr_corridor_replan_update(corridor, world.context, 1000) == CR_REPLAN_SUCCESS);
    if (gone) {
      CHECK(cr_corridor_relocate(corridor, world.context, EXTENTS) && corridor->count == 1);
    } else {
      CHECK(cr_corridor_move_position(corridor, world.context, cr__vec(2.5, 0, 1.5)));
    }
    Bytes before = save(corridor);
    CHECK(cr_corridor_replan_apply(corridor, world.context) == (gone ? CR_REPLAN_FAILED : CR_REPLAN_SUCCESS));
    Bytes after = save(corridor);
    CHECK(same_bytes(&before, &after) == gone && corridor->complete == !gone);
    check_sound(corridor, world.context);
    cr_corridor_destroy(corridor);
  }
  close_world(&world);
}

TEST_MAIN(RUN(success_completes), RUN(success_cut_to_capacity_asks_again), RUN(partial_leads_to_the_closest_polygon),
          RUN(partial_cut_to_capacity_asks_again), RUN(in_progress_splices_the_closest_so_far),
          RUN(failed_and_no_end_change_nothing), RUN(search_one_goes_on_from_the_end),
          RUN(search_one_keeps_the_corridor_before_it), RUN(loops_are_cut), RUN(search_two_when_the_end_is_a_dead_end),
          RUN(search_two_when_the_end_is_gone), RUN(searches_begin_and_end_where_they_should),
          RUN(apply_refuses_what_no_longer_fits), RUN(apply_needs_the_polygon_the_search_began_at))
