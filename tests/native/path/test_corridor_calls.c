// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What corridor calls are given that they cannot use: numbers out of range, references that are stale, forged or rejected, corridors
// too large for a context. Nothing fails hard, and a call that refuses has changed nothing.
#include "corridors.h"

static CorridorBytes before;

typedef struct Scene {
  CrNavMesh *mesh;
  CrQueryFilter filter;
  CrPathContext *context;
  CrCorridor *corridor;
} Scene;

static void open_scene(Scene *scene, CrNodeModel model) {
  *scene = (Scene){.mesh = world_scattered(7, 30, 30, 1.0, 0.1, 8, NULL), .filter = cr_query_filter_default()};
  scene->context = make_context(scene->mesh, model, 1024, &scene->filter);
  scene->corridor = planned_corridor(scene->context, 64, cr__vec(1.5, 0, 1.5), cr__vec(28.5, 0, 26.5));
  REQUIRE(scene->corridor->complete && scene->corridor->count > 20);
}

static void close_scene(Scene *scene) {
  cr_corridor_destroy(scene->corridor);
  cr_path_context_destroy(scene->context);
  cr_navmesh_destroy(scene->mesh);
}

TEST(numbers_out_of_range_change_nothing) {
  Scene scene;
  open_scene(&scene, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = scene.corridor;
  CrPathContext *context = scene.context;
  const double none = (double)__builtin_nan(""), endless = (double)__builtin_inf();
  CrVec3 aim = cr__vec(10, 0, 10);
  take_corridor(corridor, &before);
  const double bad[] = {none, -1.0, -endless};
  for (size_t k = 0; k < CR_COUNT_OF(bad); k++) {
    CHECK(!cr_corridor_optimize_visibility(corridor, context, aim, bad[k], 16));
    for (int axis = 0; axis < 3; axis++) {
      CrVec3 extents = EXTENTS;
      *(axis == 0 ? &extents.x : axis == 1 ? &extents.y : &extents.z) = bad[k];
      CHECK(!cr_corridor_relocate(corridor, context, extents));
      CHECK(cr_corridor_replan(corridor, context, extents, 1000) == CR_REPLAN_NO_END_NEARBY);
    }
  }
  for (int32_t small = -2; small <= 0; small++) {
    CHECK(!cr_corridor_move_along(corridor, context, corridor->position, small));
    CHECK(!cr_corridor_optimize_topology(corridor, context, small, 64));
    CHECK(!cr_corridor_optimize_topology(corridor, context, 100, small + 2));
    CHECK(cr_corridor_validate(corridor, context, small) == CR_VALIDATE_VALID);
    CrCorner corners[2];
    int32_t count = 5;
    CHECK(cr_corridor_find_corners(corridor, context, corners, small + 1, &count) == CR_STRAIGHT_INVALID_CORRIDOR);
    CHECK_INT(count, 0);
  }
  CHECK(!cr_corridor_optimize_topology(corridor, context, INT32_MIN, 64));
  CHECK(!cr_corridor_optimize_topology(corridor, context, 100, INT32_MIN));
  CHECK(cr_corridor_validate(corridor, context, INT32_MIN) == CR_VALIDATE_VALID);
  CHECK(is_still(corridor, &before));
  close_scene(&scene);
}

// A budget of none or less is used up at once; an endless range cuts nothing; a visibility budget is never below 2.
TEST(numbers_at_the_ends_of_their_ranges) {
  Scene scene;
  open_scene(&scene, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor = scene.corridor;
  for (int64_t budget = -1; budget <= 0; budget++) {
    cr_corridor_request_replan(corridor);
    CHECK(cr_corridor_replan(corridor, scene.context, EXTENTS, budget) == CR_REPLAN_IN_PROGRESS);
    CHECK(corridor->count == 1 && corridor->needs_replan && corridor->replan_from_start && !corridor->complete);
  }
  CHECK(cr_corridor_replan(corridor, scene.context, EXTENTS, INT64_MAX) == CR_REPLAN_SUCCESS);
  CorridorBytes *twins = malloc(2 * sizeof *twins);
  REQUIRE(twins != NULL);
  const double ranges[] = {(double)__builtin_inf(), 1e300, 1e6};
  const int32_t budgets[] = {INT32_MIN, 0, 1, 2};
  CrVec3 aim = corridor->target;
  take_corridor(corridor, &before);
  for (size_t k = 0; k < CR_COUNT_OF(ranges); k++) {
    REQUIRE_OK(cr_corridor_restore(corridor, before.data, before.size, NULL));
    cr_corridor_optimize_visibility(corridor, scene.context, aim, ranges[k], INT32_MAX);
    take_corridor(corridor, &twins[k > 0]);
    if (k) CHECK(same_corridor(&twins[0], &twins[1]));
  }
  for (size_t k = 0; k < CR_COUNT_OF(budgets); k++) {
    REQUIRE_OK(cr_corridor_restore(corridor, before.data, before.size, NULL));
    cr_corridor_optimize_visibility(corridor, scene.context, aim, 30.0, budgets[k]);
    take_corridor(corridor, &twins[k > 0]);
    if (k) CHECK(same_corridor(&twins[0], &twins[1]));
  }
  free(twins);
  close_scene(&scene);
}

// --- References -----------------------------------------------------------------------------------------------------------

typedef enum Damage { STALE, REJECTED, ZERO, OTHER_SALT, NO_TILE, NO_POLYGON, RANDOM, ELSEWHERE, DAMAGES } Damage;

// Breaks the polygon at k; false when that cannot be done: removing a tile without removing the first polygon's too, or putting
// the agent's polygon elsewhere than the agent, which only bytes that were tampered with could do.
static bool damage(Scene *scene, int32_t k, Damage kind, uint64_t *seed) {
  CrPolyRef *ref = &scene->corridor->path[k];
  const CrTile *tile = cr__resolve(scene->mesh, *ref);
  switch (kind) {
    case STALE:
      if (k > 0 && cr__ref_slot(*ref) == cr__ref_slot(scene->corridor->path[0])) return false;
      REQUIRE_OK(cr_navmesh_remove_tile(scene->mesh, tile->x, tile->z, tile->layer, NULL));
      return true;
    case REJECTED:
      REQUIRE_OK(cr_navmesh_set_flags(scene->mesh, *ref, 0, NULL));
      return true;
    case ZERO:
      *ref = CR_INVALID_REF;
      return true;
    case OTHER_SALT:
      *ref ^= UINT64_C(1) << (48 + rnd_int(seed, 16));
      return true;
    case NO_TILE:
      *ref = (*ref & ~(UINT64_C(0xFFFFFF) << 24)) | (UINT64_C(0xFFFFF0) << 24);
      return true;
    case NO_POLYGON:
      *ref |= UINT64_C(0xFFFFFF);
      return true;
    case RANDOM:
      *ref = rnd_u64(seed);
      return true;
    default:
      if (k == 0) return false;
      *ref = scene->corridor->path[(k + scene->corridor->count / 2) % scene->corridor->count];
      return true;
  }
}

// How many leading polygons hold together, by the checker alone.
static int32_t sound_count(const CrCorridor *corridor, const CrPathContext *context) {
  CrCorridor start = *corridor;
  start.complete = false;
  int32_t count = 0;
  for (start.count = 1; start.count <= corridor->count && !cr__corridor_invariant(&start, context); start.count++) {
    count = start.count;
  }
  return count;
}

typedef struct Tally {
  int64_t calls, done, refused, repaired;
} Tally;

// A call on a broken corridor: refused, it has changed nothing; done, the corridor is no longer than it may be and begins with a
// polygon. Afterwards it can be repaired.
static void call_broken(Scene *scene, CorridorCall call, uint64_t *seed, Tally *tally) {
  CrCorridor *corridor = scene->corridor;
  take_corridor(corridor, &before);
  bool first_sound = sound_count(corridor, scene->context) > 0;
  bool done = call_corridor(call, corridor, scene->context, cr__vec(20, 0, 20), seed);
  tally->calls++;
  ++*(done ? &tally->done : &tally->refused);
  if (!done) CHECK(is_still(corridor, &before));
  CHECK(corridor->count >= 1 && corridor->count <= corridor->capacity);
  // MoveAlong does not ask the filter: it may put the agent on a polygon that was closed. It never puts it on none.
  if (first_sound) CHECK(cr__resolve(scene->mesh, corridor->path[0]) != NULL);
  if (cr_corridor_validate(corridor, scene->context, INT32_MAX) == CR_VALIDATE_INVALID) {
    REQUIRE(cr_corridor_relocate(corridor, scene->context, cr__vec(50, 50, 50)));
  }
  check_sound(corridor, scene->context);
  if (corridor->needs_replan) {
    CHECK(cr_corridor_replan(corridor, scene->context, EXTENTS, INT64_MAX) != CR_REPLAN_FAILED);
    check_sound(corridor, scene->context);
    tally->repaired++;
  }
}

TEST(bad_references_are_refused_or_left) {
  Tally tally = {0};
  for (int kind = 0; kind < DAMAGES; kind++) {
    for (int call = 0; call < CALL_COUNT; call++) {
      for (int64_t run = 0; run < check_scaled(9); run++) {
        check_seed = (uint64_t)(kind * 1000 + call * 90 + run);
        uint64_t seed = check_seed * 31 + 7;
        Scene scene;
        open_scene(&scene, (CrNodeModel)(run % 2));
        int32_t k = run % 3 == 0 ? 0 : run % 3 == 1 ? scene.corridor->count - 1 : rnd_int(&seed, scene.corridor->count);
        if (damage(&scene, k, (Damage)kind, &seed)) call_broken(&scene, (CorridorCall)call, &seed, &tally);
        close_scene(&scene);
      }
    }
  }
  printf("  %lld calls on broken corridors: %lld done, %lld refused; %lld planned anew\n", (long long)tally.calls,
         (long long)tally.done, (long long)tally.refused, (long long)tally.repaired);
  CHECK(tally.done > 0 && tally.refused > 0);
}

// What cannot be done from a first polygon that is not there is refused, whatever is wrong with it; one that the filter rejects is
// still stood on and can be walked off, but nothing starts a search there.
TEST(a_bad_first_polygon_is_refused) {
  for (int kind = 0; kind < DAMAGES; kind++) {
    if (kind == ELSEWHERE) continue;
    check_seed = (uint64_t)kind;
    uint64_t seed = (uint64_t)kind + 1;
    Scene scene;
    open_scene(&scene, CR_NODE_MODEL_POLYGON);
    CrCorridor *corridor = scene.corridor;
    CrVec3 near = cr__vec(corridor->position.x + 0.1, 0, corridor->position.z);
    REQUIRE(damage(&scene, 0, (Damage)kind, &seed));
    take_corridor(corridor, &before);
    CrCorner corners[8];
    int32_t count;
    bool stands = kind == REJECTED;
    CHECK(cr_corridor_validate(corridor, scene.context, 8) == CR_VALIDATE_INVALID);
    CHECK((cr_corridor_find_corners(corridor, scene.context, corners, 8, &count) != CR_STRAIGHT_INVALID_CORRIDOR) ==
          stands);
    CHECK(!cr_corridor_optimize_topology(corridor, scene.context, 1000, 64));
    cr_corridor_request_replan(corridor);
    CHECK(cr_corridor_replan(corridor, scene.context, EXTENTS, 1000) == CR_REPLAN_FAILED);
    REQUIRE_OK(cr_corridor_restore(corridor, before.data, before.size, NULL));
    CHECK(cr_corridor_move_position(corridor, scene.context, near) == stands);
    REQUIRE_OK(cr_corridor_restore(corridor, before.data, before.size, NULL));
    CHECK(cr_corridor_move_along(corridor, scene.context, near, 3) == stands);
    if (!stands) CHECK(is_still(corridor, &before));
    CHECK_STATUS(cr_corridor_reset(corridor, scene.context, corridor->path[0], near, NULL), CR_STATUS_STALE_REF);
    close_scene(&scene);
  }
}

// --- Too large for the context ----------------------------------------------------------------------------------------------

TEST(a_corridor_larger_than_its_context_is_refused) {
  Scene scene;
  open_scene(&scene, CR_NODE_MODEL_POLYGON);
  CrPathContextOptions options = cr_path_context_options_default();
  CrPathContext *small;
  options.max_corridor = 63;
  REQUIRE_OK(cr_path_context_create(scene.mesh, &options, NULL, &small, NULL));
  CrCorridor *corridor = scene.corridor;
  CrVec3 near = cr__vec(corridor->position.x + 0.1, 0, corridor->position.z);
  take_corridor(corridor, &before);
  CHECK(!cr_corridor_move_position(corridor, small, near) && !cr_corridor_move_target(corridor, small, near));
  CHECK(!cr_corridor_move_along(corridor, small, near, 3));
  CHECK(!cr_corridor_optimize_visibility(corridor, small, corridor->target, 10.0, 16));
  CHECK(!cr_corridor_optimize_topology(corridor, small, 1000, 64));
  CHECK(cr_corridor_replan_begin(corridor, small, EXTENTS) == CR_REPLAN_FAILED);
  CHECK(cr_corridor_replan_update(corridor, small, 10) == CR_REPLAN_FAILED);
  CHECK(cr_corridor_replan_apply(corridor, small) == CR_REPLAN_FAILED);
  CHECK(is_still(corridor, &before));
  cr_path_context_destroy(small);
  close_scene(&scene);
}

// A corridor that was never put anywhere.
TEST(an_empty_corridor_does_nothing) {
  Scene scene;
  open_scene(&scene, CR_NODE_MODEL_POLYGON);
  CrCorridor *corridor;
  REQUIRE_OK(cr_corridor_create(CR_CORRIDOR_DEFAULT_CAPACITY, NULL, &corridor, NULL));
  CHECK(cr_corridor_count(corridor) == 0 && cr_corridor_capacity(corridor) == 256);
  CHECK(!cr_corridor_is_complete(corridor) && !cr_corridor_needs_replan(corridor));
  take_corridor(corridor, &before);
  CrVec3 at = cr__vec(1.5, 0, 1.5);
  CrCorner corners[4];
  int32_t count;
  CHECK(!cr_corridor_move_position(corridor, scene.context, at) &&
        !cr_corridor_move_target(corridor, scene.context, at));
  CHECK(!cr_corridor_move_along(corridor, scene.context, at, 8));
  CHECK(!cr_corridor_optimize_visibility(corridor, scene.context, at, 10.0, 16));
  CHECK(!cr_corridor_optimize_topology(corridor, scene.context, 100, 64));
  CHECK(cr_corridor_validate(corridor, scene.context, 8) == CR_VALIDATE_INVALID);
  CHECK(cr_corridor_find_corners(corridor, scene.context, corners, 4, &count) == CR_STRAIGHT_INVALID_CORRIDOR);
  CHECK(cr_corridor_replan(corridor, scene.context, EXTENTS, 100) == CR_REPLAN_FAILED);
  CHECK(is_still(corridor, &before));
  cr_corridor_destroy(corridor);
  close_scene(&scene);
}

// --- Contexts ---------------------------------------------------------------------------------------------------------------

// Beside a polygon-node query a crossing-node one for topology searches, made once; a crossing-node query serves for both.
TEST(local_query_of_a_context) {
  Scene scene;
  open_scene(&scene, CR_NODE_MODEL_POLYGON);
  for (int32_t nodes = 16; nodes <= 5000; nodes *= 7) {
    CrPathContext *polygon = make_context(scene.mesh, CR_NODE_MODEL_POLYGON, nodes, NULL);
    CrPathContext *crossing = make_context(scene.mesh, CR_NODE_MODEL_CROSSING, nodes, NULL);
    CHECK(cr_query_node_model(polygon->query) == CR_NODE_MODEL_POLYGON);
    CHECK(cr_query_node_model(polygon->local) == CR_NODE_MODEL_CROSSING);
    CHECK(polygon->local->options.max_nodes == nodes && cr_query_mesh(polygon->local) == scene.mesh);
    CHECK(crossing->local == crossing->query && cr_path_context_query(crossing) == crossing->query);
    CHECK(crossing->query->options.max_nodes == CR_QUERY_DEFAULT_NODES);
    cr_path_context_destroy(polygon);
    cr_path_context_destroy(crossing);
  }
  CHECK_INT(cr_path_local_nodes(128, 32), 1024);
  CHECK_INT(cr_path_local_nodes(129, 32), 1032);
  CHECK_INT(cr_path_local_nodes(0, 200), 1600);
  CHECK_INT(cr_path_local_nodes(2000, 32), 16000);
  CHECK_INT(cr_path_local_nodes(131072, 1), 1 << 20);
  CHECK_INT(cr_path_local_nodes(INT32_MAX, INT32_MAX), 1 << 20);
  close_scene(&scene);
}

TEST_MAIN(RUN(numbers_out_of_range_change_nothing), RUN(numbers_at_the_ends_of_their_ranges),
          RUN(bad_references_are_refused_or_left), RUN(a_bad_first_polygon_is_refused),
          RUN(a_corridor_larger_than_its_context_is_refused), RUN(an_empty_corridor_does_nothing),
          RUN(local_query_of_a_context))
