// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A replan in slices: however its iterations are split, the corridor has the same bytes; and what happens when others use the
// query, the corridor or the mesh meanwhile.
#include "corridors.h"

static CorridorBytes start, whole, sliced;

static CrReplanOutcome replan_sliced(CrCorridor *corridor, CrPathContext *context, int64_t budget, int64_t *out_calls) {
  CrReplanOutcome outcome = cr_corridor_replan_begin(corridor, context, EXTENTS);
  for (*out_calls = 0; outcome == CR_REPLAN_IN_PROGRESS; ++*out_calls) {
    outcome = cr_corridor_replan_update(corridor, context, budget);
  }
  CHECK(cr_corridor_replan_apply(corridor, context) == outcome);
  return outcome;
}

typedef struct Tally {
  int64_t replans, outcomes[5], from_end, both, searches_of_two, most_calls;
  EditTally edits;
} Tally;

static CrNavMesh *slice_mesh(uint64_t number) {
  switch (number % 4) {
    case 0:
      return world_scattered(number, 20, 20, 1.0, 0.3, 7, NULL);
    case 1:
      return world_two_floors(number, 16, 16, 1.0, 4.0, 8, 6, NULL);
    case 2:
      return world_maze(number, 10, 1.0, 7, NULL);
    default:
      return world_mosaic(number, 4, 4.0);
  }
}

// Edits, cuts, moves and targets: something to replan.
static void disturb(CrCorridor *corridor, CrPathContext *context, CrNavMesh *mesh, const TileStore *store,
                    uint64_t *seed, Tally *tally) {
  for (int k = rnd_int(seed, 4); k > 0; k--) edit_mesh(mesh, store, corridor->path[0], seed, &tally->edits);
  if (rnd_int(seed, 3) == 0) {
    REQUIRE_OK(cr_corridor_set_target(corridor, world_random_point(mesh, seed, NULL), NULL));
  }
  if (cr_corridor_validate(corridor, context, 1 + rnd_int(seed, 40)) == CR_VALIDATE_INVALID) {
    REQUIRE(cr_corridor_relocate(corridor, context, cr__vec(50, 50, 50)));
  }
  if (rnd_int(seed, 4) == 0) cr_corridor_move_position(corridor, context, world_random_point(mesh, seed, NULL));
}

// The same replan from the same state: unlimited, and in slices of each budget.
static void compare_slices(CrCorridor *corridor, CrPathContext *context, Tally *tally) {
  static const int64_t budgets[] = {1, 2, 3, 5, 17, 100};
  take_corridor(corridor, &start);
  cr_corridor_replan_begin(corridor, context, EXTENTS);
  bool from_end = context->session.search == 1;
  CrReplanOutcome outcome = cr_corridor_replan_update(corridor, context, INT64_MAX);
  tally->from_end += from_end;
  tally->both += from_end && context->session.search == 2;
  CHECK(cr_corridor_replan_apply(corridor, context) == outcome);
  take_corridor(corridor, &whole);
  tally->outcomes[outcome]++;
  for (size_t b = 0; b < CR_COUNT_OF(budgets); b++, tally->replans++) {
    int64_t calls;
    REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
    CHECK(replan_sliced(corridor, context, budgets[b], &calls) == outcome);
    take_corridor(corridor, &sliced);
    CHECK(same_corridor(&whole, &sliced));
    if (calls > tally->most_calls) tally->most_calls = calls;
  }
  REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
  CHECK(cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX) == outcome);
  CHECK(is_still(corridor, &whole));
}

static void slice_world(uint64_t number, Tally *tally) {
  uint64_t seed = number * 101 + 7;
  CrNavMesh *mesh = slice_mesh(number);
  TileStore store;
  store_tiles(mesh, &store);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 4 % 2), 1024, &filter);
  CrCorridor *corridor = make_corridor(context, number % 5 == 0 ? 12 : 48, world_random_point(mesh, &seed, NULL));
  for (int run = 0; run < 40; run++) {
    disturb(corridor, context, mesh, &store, &seed, tally);
    compare_slices(corridor, context, tally);
  }
  cr_corridor_destroy(corridor);
  free_tiles(&store);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(slices_equal_one_call) {
  Tally tally = {0};
  for (int64_t number = 0; number < check_scaled(64); number++) {
    check_seed = (uint64_t)number;
    slice_world((uint64_t)number, &tally);
  }
  printf("  %lld sliced replans of up to %lld calls; failed %lld, success %lld, partial %lld, no end %lld\n",
         (long long)tally.replans, (long long)tally.most_calls, (long long)tally.outcomes[CR_REPLAN_FAILED],
         (long long)tally.outcomes[CR_REPLAN_SUCCESS], (long long)tally.outcomes[CR_REPLAN_PARTIAL],
         (long long)tally.outcomes[CR_REPLAN_NO_END_NEARBY]);
  printf(
      "  %lld began at the corridor's end, %lld went on from the agent; %lld tiles removed, %lld added, %lld replaced, "
      "%lld polygons edited\n",
      (long long)tally.from_end, (long long)tally.both, (long long)tally.edits.removed, (long long)tally.edits.added,
      (long long)tally.edits.replaced, (long long)tally.edits.polygons);
  CHECK(tally.outcomes[CR_REPLAN_SUCCESS] > 0);
  CHECK(tally.replans < 10000 || (tally.outcomes[CR_REPLAN_PARTIAL] > 0 && tally.both > 0));
}

// The iterations of both searches count together: as many calls of budget 1 as it takes, is what one call must be allowed; with
// any less it is not finished, and how that less was split does not show either.
TEST(iterations_of_both_searches_count) {
  int64_t replans = 0, both = 0;
  for (int64_t number = 0; number < check_scaled(24); number++) {
    check_seed = (uint64_t)number;
    uint64_t seed = (uint64_t)number * 211 + 5;
    Tally tally = {0};
    CrNavMesh *mesh = slice_mesh((uint64_t)number);
    TileStore store;
    store_tiles(mesh, &store);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 4 % 2), 1024, &filter);
    CrCorridor *corridor = make_corridor(context, 64, world_random_point(mesh, &seed, NULL));
    for (int run = 0; run < 20; run++, replans++) {
      disturb(corridor, context, mesh, &store, &seed, &tally);
      take_corridor(corridor, &start);
      int64_t needed;
      cr_corridor_replan_begin(corridor, context, EXTENTS);
      bool from_end = context->session.search == 1;
      CrReplanOutcome outcome = replan_sliced(corridor, context, 1, &needed);
      both += from_end && needed > 0 && corridor->count > 0 && context->session.search == 2;
      take_corridor(corridor, &whole);
      REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
      CHECK(cr_corridor_replan(corridor, context, EXTENTS, needed) == outcome);
      CHECK(is_still(corridor, &whole));
      if (needed > 1) {
        int64_t less = 1 + rnd_int(&seed, (int32_t)needed - 1), part = rnd_int(&seed, (int32_t)less + 1);
        REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
        CHECK(cr_corridor_replan(corridor, context, EXTENTS, less) == CR_REPLAN_IN_PROGRESS);
        CHECK(corridor->needs_replan && corridor->replan_from_start && !corridor->complete);
        // What search 1 kept was looked at only as far as Validate was told to.
        if (context->session.search == 2) check_sound(corridor, context);
        take_corridor(corridor, &whole);
        REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
        cr_corridor_replan_begin(corridor, context, EXTENTS);
        cr_corridor_replan_update(corridor, context, part);
        cr_corridor_replan_update(corridor, context, less - part);
        CHECK(cr_corridor_replan_apply(corridor, context) == CR_REPLAN_IN_PROGRESS);
        CHECK(is_still(corridor, &whole));
        REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
        CHECK(cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX) == outcome);
      }
    }
    cr_corridor_destroy(corridor);
    free_tiles(&store);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld replans, %lld with both searches\n", (long long)replans, (long long)both);
  CHECK(replans < 400 || both > replans / 20);
}

// --- What comes between ---------------------------------------------------------------------------------------------------

typedef struct Scene {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrCorridor *corridor, *other;
} Scene;

static Scene open_scene(CrNodeModel model) {
  Scene scene = {.mesh = world_scattered(3, 30, 30, 1.0, 0.1, 10, NULL)};
  scene.context = make_context(scene.mesh, model, 1024, NULL);
  scene.corridor = planned_corridor(scene.context, 64, cr__vec(1.5, 0, 1.5), cr__vec(28.5, 0, 26.5));
  scene.other = planned_corridor(scene.context, 64, cr__vec(27.5, 0, 2.5), cr__vec(2.5, 0, 28.5));
  CHECK(scene.corridor->complete && scene.other->complete && scene.other->count > 8 && scene.corridor->count > 8);
  return scene;
}

static void close_scene(Scene *scene) {
  cr_corridor_destroy(scene->corridor);
  cr_corridor_destroy(scene->other);
  cr_path_context_destroy(scene->context);
  cr_navmesh_destroy(scene->mesh);
}

typedef enum Meanwhile {
  FIND_PATH,      // a search of the context's query by its owner
  TOPOLOGY,       // of another corridor: on the main query, if that has crossing nodes
  OTHER_QUERIES,  // whatever does not search: moves, rays, nearest polygons, walls, corners
  EDIT,           // of the mesh
  KINDS
} Meanwhile;

static void interfere(Scene *scene, Meanwhile kind) {
  CrPolyRef path[64];
  CrPathResult result;
  CrWallPiece walls[8];
  CrCorner corners[8];
  int32_t count;
  CrCorridor *other = scene->other;
  CrNavMeshQuery *query = cr_path_context_query(scene->context);
  switch (kind) {
    case FIND_PATH:
      CHECK_OK(cr_query_find_path(query, other->path[0], other->position, other->target_ref, other->target, NULL, path,
                                  64, &result, NULL));
      break;
    case TOPOLOGY:
      cr_corridor_optimize_topology(other, scene->context, 1000, 64);
      break;
    case OTHER_QUERIES:
      CHECK(cr_corridor_move_position(other, scene->context, other->target));
      cr_corridor_optimize_visibility(other, scene->context, other->target, 10.0, 16);
      cr_corridor_find_corners(other, scene->context, corners, 8, &count);
      cr_corridor_validate(other, scene->context, 100);
      CHECK(cr_corridor_relocate(other, scene->context, EXTENTS));
      CHECK_OK(cr_query_find_walls(query, other->path[0], other->position, 5.0, NULL, walls, 8, &count, NULL));
      break;
    default:
      CHECK_OK(cr_navmesh_set_flags(scene->mesh, other->target_ref, 7, NULL));
  }
}

// A search that takes the place of a replan's ends it: its route is never taken for the replan's.
TEST(other_searches_end_a_replan) {
  int ended = 0, finished = 0;
  for (int model = 0; model < 2; model++) {
    for (int kind = 0; kind < KINDS; kind++) {
      for (int64_t before = 0; before < 2000; before = before * 3 + 1) {
        for (int from_start = 0; from_start < 2; from_start++) {
          check_seed = (uint64_t)(model * 1000000 + kind * 100000 + before * 10 + from_start);
          Scene scene = open_scene((CrNodeModel)model);
          CrCorridor *corridor = scene.corridor;
          CrVec3 target = corridor->position;
          REQUIRE(cr_corridor_move_along(corridor, scene.context, corridor->target, 64));
          corridor->target = target;
          corridor->complete = false, corridor->needs_replan = true, corridor->replan_from_start = from_start;
          take_corridor(corridor, &start);
          cr_corridor_replan_begin(corridor, scene.context, EXTENTS);
          cr_corridor_replan_update(corridor, scene.context, before);
          interfere(&scene, (Meanwhile)kind);
          bool ends = kind == FIND_PATH || kind == EDIT || (kind == TOPOLOGY && model == CR_NODE_MODEL_CROSSING);
          CrReplanOutcome outcome = cr_corridor_replan_update(corridor, scene.context, INT64_MAX);
          if (ends) {
            CHECK(cr_corridor_replan_apply(corridor, scene.context) == CR_REPLAN_FAILED);
            CHECK(is_still(corridor, &start));
            ended++;
          } else {
            CHECK(outcome == CR_REPLAN_SUCCESS);
            CHECK(cr_corridor_replan_apply(corridor, scene.context) == CR_REPLAN_SUCCESS);
            take_corridor(corridor, &sliced);
            REQUIRE_OK(cr_corridor_restore(corridor, start.data, start.size, NULL));
            CHECK(cr_corridor_replan(corridor, scene.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
            CHECK(is_still(corridor, &sliced));
            finished++;
          }
          check_sound(corridor, scene.context);
          close_scene(&scene);
        }
      }
    }
  }
  printf("  %d ended, %d went on\n", ended, finished);
}

// Nothing is applied that was never begun, or twice.
TEST(apply_needs_a_replan_of_this_corridor) {
  Scene scene = open_scene(CR_NODE_MODEL_POLYGON);
  take_corridor(scene.corridor, &start);
  CHECK(cr_corridor_replan_apply(scene.corridor, scene.context) == CR_REPLAN_FAILED);
  CHECK(cr_corridor_replan_update(scene.corridor, scene.context, 10) == CR_REPLAN_FAILED);
  cr_corridor_replan_begin(scene.other, scene.context, EXTENTS);
  CHECK(cr_corridor_replan_update(scene.corridor, scene.context, INT64_MAX) == CR_REPLAN_FAILED);
  CHECK(is_still(scene.corridor, &start));
  CHECK(cr_corridor_replan_update(scene.other, scene.context, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(cr_corridor_replan_apply(scene.corridor, scene.context) == CR_REPLAN_FAILED);
  CHECK(is_still(scene.corridor, &start));
  cr_corridor_replan_begin(scene.corridor, scene.context, EXTENTS);
  CHECK(cr_corridor_replan_update(scene.corridor, scene.context, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(cr_corridor_replan_apply(scene.corridor, scene.context) == CR_REPLAN_SUCCESS);
  take_corridor(scene.corridor, &whole);
  CHECK(cr_corridor_replan_apply(scene.corridor, scene.context) == CR_REPLAN_FAILED);
  CHECK(is_still(scene.corridor, &whole));
  close_scene(&scene);
}

// A replan begun and left is dropped with the bytes: the corridor restored from them starts it anew.
TEST(a_replan_under_way_is_not_in_the_bytes) {
  Scene scene = open_scene(CR_NODE_MODEL_POLYGON);
  cr_corridor_request_replan(scene.corridor);
  take_corridor(scene.corridor, &start);
  cr_corridor_replan_begin(scene.corridor, scene.context, EXTENTS);
  cr_corridor_replan_update(scene.corridor, scene.context, 5);
  CHECK(is_still(scene.corridor, &start));
  CHECK(cr_corridor_replan(scene.corridor, scene.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  take_corridor(scene.corridor, &whole);
  CrCorridor *fresh;
  REQUIRE_OK(cr_corridor_create(64, NULL, &fresh, NULL));
  REQUIRE_OK(cr_corridor_restore(fresh, start.data, start.size, NULL));
  CHECK(cr_corridor_replan_apply(fresh, scene.context) == CR_REPLAN_FAILED);
  CHECK(cr_corridor_replan(fresh, scene.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CHECK(is_still(fresh, &whole));
  cr_corridor_destroy(fresh);
  close_scene(&scene);
}

TEST_MAIN(RUN(slices_equal_one_call), RUN(iterations_of_both_searches_count), RUN(other_searches_end_a_replan),
          RUN(apply_needs_a_replan_of_this_corridor), RUN(a_replan_under_way_is_not_in_the_bytes))
