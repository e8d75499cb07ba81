// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Corridors under random calls on meshes of every kind, edited meanwhile: the invariants hold, a call that says no has changed
// nothing, and nothing depends on which context is used or allocates.
#include "corridors.h"
#include "query_worlds.h"

static CorridorBytes before;

// Not every seed of a warped world makes convex polygons: the first 40 do.
static CrNavMesh *campaign_mesh(uint64_t number) {
  switch (number % 6) {
    case 0:
      return world_scattered(number, 24, 24, 1.0, 0.2, number % 4 ? 7 : 0, NULL);
    case 1:
      return world_two_floors(number, 16, 16, 1.0, 4.0, 8, 6, NULL);
    case 2:
      return world_warped(number % 40, 3, 6, 1.0, 0.15, 0.3, 0.0);
    case 3:
      return world_mosaic(number, 4, 4.0);
    case 4:
      return world_maze(number, 10, 1.0, 7, NULL);
    default:
      return world_warped(number % 40, 2, 8, 1.0, 0.2, 1.5, 2097000.0);
  }
}

// The polygons a mesh has now, refreshed when it was edited, for points that do not cost a walk over the mesh each.
typedef struct Places {
  CrVec3 points[64];
} Places;

static void find_places(Places *places, const CrNavMesh *mesh, uint64_t *seed) {
  for (size_t k = 0; k < CR_COUNT_OF(places->points); k++) places->points[k] = world_random_point(mesh, seed, NULL);
}

typedef struct Tally {
  int64_t calls, done[CALL_COUNT], refused[CALL_COUNT], lost, checked;
  EditTally edits;
} Tally;

// Mostly what an agent does: walking and looking for shortcuts; now and then another target, seldom a new place.
static CorridorCall pick_call(uint64_t *seed) {
  static const int32_t weights[CALL_COUNT] = {6, 6, 10, 3, 10, 10, 5, 1, 1, 4, 1};
  int32_t pick = rnd_int(seed, 57);
  for (int k = 0; k < CALL_COUNT; k++) {
    pick -= weights[k];
    if (pick < 0) return (CorridorCall)k;
  }
  return CALL_WALK;
}

// A call that says no has changed nothing; a shortcut changes polygons only, and flags only where the corridor had to be cut.
static void campaign_call(CrCorridor *corridor, CrPathContext *context, CrVec3 stray, uint64_t *seed, Tally *tally) {
  CorridorCall call = pick_call(seed);
  CrCorridor was = *corridor;
  take_corridor(corridor, &before);
  bool done = call_corridor(call, corridor, context, stray, seed);
  tally->calls++;
  ++*(done ? &tally->done[call] : &tally->refused[call]);
  if (!done) CHECK(is_still(corridor, &before));
  CHECK(corridor->capacity == was.capacity && corridor->count <= was.capacity);
  if (call == CALL_VISIBILITY || call == CALL_TOPOLOGY) {
    CHECK(cr__same_point(corridor->position, was.position) && cr__same_point(corridor->target, was.target));
    CHECK(corridor->target_ref == was.target_ref && corridor->replan_from_start == was.replan_from_start);
    bool cut = (was.complete && !corridor->complete) || (!was.needs_replan && corridor->needs_replan);
    CHECK(!cut || (!corridor->complete && corridor->needs_replan && corridor->count == corridor->capacity));
    CHECK(cut || (corridor->complete == was.complete && corridor->needs_replan == was.needs_replan));
  }
}

static void campaign_world(uint64_t number, Tally *tally) {
  uint64_t seed = number * 977 + 13;
  CrNavMesh *mesh = campaign_mesh(number);
  TileStore store;
  Places places;
  store_tiles(mesh, &store);
  CrQueryFilter filter = cr_query_filter_default();
  for (int area = 0; area < 8; area++) filter.area_cost[area] = number % 2 ? rnd_range(&seed, 0.5, 4.0) : 1.0;
  CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 6 % 2), 1024, number % 3 ? &filter : NULL);
  static const int32_t capacities[] = {2, 3, 8, 24, 64, 256};
  int32_t capacity = capacities[rnd_int(&seed, 6)];
  CrCorridor *corridor = make_corridor(context, capacity, world_random_point(mesh, &seed, NULL));
  find_places(&places, mesh, &seed);
  for (int turn = 0; turn < 1500; turn++) {
    if (rnd_int(&seed, 40) == 0) {
      edit_mesh(mesh, &store, CR_INVALID_REF, &seed, &tally->edits);
      // On the broken corridor everything may be called too; the next check comes after the repair.
      for (int k = rnd_int(&seed, 4); k > 0; k--) campaign_call(corridor, context, places.points[k], &seed, tally);
      if (cr_corridor_validate(corridor, context, INT32_MAX) == CR_VALIDATE_INVALID) {
        if (!cr_corridor_relocate(corridor, context, cr__vec(1e6, 1e6, 1e6))) {
          tally->lost++;
          break;
        }
      }
      if (cr_navmesh_polygon_count(mesh) == 0) break;
      if (rnd_int(&seed, 4) == 0) find_places(&places, mesh, &seed);
    }
    campaign_call(corridor, context, places.points[rnd_int(&seed, 64)], &seed, tally);
    check_sound(corridor, context);
    tally->checked++;
  }
  cr_corridor_destroy(corridor);
  free_tiles(&store);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(random_calls_keep_the_invariants) {
  Tally tally = {0};
  for (int64_t number = 0; number < check_scaled(72); number++) {
    check_seed = (uint64_t)number;
    campaign_world((uint64_t)number, &tally);
  }
  static const char *const names[CALL_COUNT] = {"MovePosition",  "MoveAlong", "walk",    "MoveTarget",
                                                "visibility",    "topology",  "replan",  "SetTarget",
                                                "RequestReplan", "Validate",  "Relocate"};
  printf("  %lld calls, %lld checks; %lld tiles removed, %lld added, %lld replaced, %lld polygons edited\n ",
         (long long)tally.calls, (long long)tally.checked, (long long)tally.edits.removed, (long long)tally.edits.added,
         (long long)tally.edits.replaced, (long long)tally.edits.polygons);
  for (int k = 0; k < CALL_COUNT; k++) {
    printf(" %s %lld (%lld not)", names[k], (long long)tally.done[k], (long long)tally.refused[k]);
    CHECK(tally.done[k] > 0);
  }
  printf("\n");
}

// --- Contexts -----------------------------------------------------------------------------------------------------------

// A corridor keeps nothing of the context of a call: two that get the same calls stay the same, one of them with a context of its
// own that allocates nothing, the other with contexts that come and go and have more room for nodes, polygons and the local search.
static void context_run(uint64_t number, int64_t *calls) {
  uint64_t seed = number * 877 + 3;
  CrNavMesh *mesh = campaign_mesh(number);
  CrNodeModel model = (CrNodeModel)(number % 2);
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.node_model = model;
  CrPathContext *own, *other = NULL;
  CrCorridor *corridor, *twin;
  REQUIRE_OK(cr_path_context_create(mesh, &options, &allocator, &own, NULL));
  REQUIRE_OK(cr_corridor_create(48, &allocator, &corridor, NULL));
  REQUIRE_OK(cr_corridor_create(48, NULL, &twin, NULL));
  CrPolyRef ref;
  CrVec3 at = world_random_point(mesh, &seed, &ref);
  REQUIRE_OK(cr_corridor_reset(corridor, own, ref, at, NULL));
  REQUIRE_OK(cr_corridor_reset(twin, own, ref, at, NULL));
  int64_t allocated = memory.total_allocations;
  Places places;
  find_places(&places, mesh, &seed);
  for (int turn = 0; turn < 400; turn++, ++*calls) {
    if (turn % 20 == 0) {
      cr_path_context_destroy(other);
      options.max_corridor = 48 + rnd_int(&seed, 1000);
      options.local_nodes = 1024 + rnd_int(&seed, 1000);
      options.query.max_nodes = CR_QUERY_DEFAULT_NODES + rnd_int(&seed, 1000);
      REQUIRE_OK(cr_path_context_create(mesh, &options, NULL, &other, NULL));
    }
    CorridorCall call = pick_call(&seed);
    CrVec3 stray = places.points[rnd_int(&seed, 64)];
    uint64_t again = seed;
    bool done = call_corridor(call, corridor, own, stray, &seed);
    CHECK(call_corridor(call, twin, other, stray, &again) == done && again == seed);
    take_corridor(corridor, &before);
    CHECK(is_still(twin, &before));
  }
  CHECK_INT(memory.total_allocations, allocated);
  cr_corridor_destroy(corridor);
  cr_corridor_destroy(twin);
  cr_path_context_destroy(own);
  cr_path_context_destroy(other);
  CHECK_INT(memory.live_blocks, 0);
  cr_navmesh_destroy(mesh);
}

TEST(contexts_leave_no_trace) {
  int64_t calls = 0;
  for (int64_t number = 0; number < check_scaled(24); number++) {
    check_seed = (uint64_t)number;
    context_run((uint64_t)number, &calls);
  }
  printf("  %lld calls compared\n", (long long)calls);
}

TEST_MAIN(RUN(random_calls_keep_the_invariants), RUN(contexts_leave_no_trace))
