// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The two shortcuts against their plain wording, on random corridors, and how often the first one is worth it.
#include "corridors.h"
#include "query_worlds.h"

enum { MOST = CR_CORRIDOR_MAX_CAPACITY };

typedef struct Model {
  CrPolyRef path[2 * MOST];
  int32_t count;
} Model;

static Model model_of(const CrCorridor *corridor) {
  Model model = {.count = corridor->count};
  memcpy(model.path, corridor->path, (size_t)corridor->count * sizeof *model.path);
  return model;
}

// A corridor led astray: plan somewhere, then walk at random, so that there is something to shorten.
static CrCorridor *wandering_corridor(CrPathContext *context, const CrNavMesh *mesh, uint64_t *seed, int32_t capacity) {
  CrVec3 start = world_random_point(mesh, seed, NULL), target = world_random_point(mesh, seed, NULL);
  CrCorridor *corridor = planned_corridor(context, capacity, start, target);
  for (int k = rnd_int(seed, 12); k > 0; k--) {
    CrVec3 to = corridor->position;
    to.x += rnd_range(seed, -3.0, 3.0), to.z += rnd_range(seed, -3.0, 3.0);
    cr_corridor_move_position(corridor, context, to);
  }
  return corridor;
}

typedef struct Sight {
  int64_t taken, refused, through, stopped, worth_it;
} Sight;

// path[0..i] becomes C[0..j], i the largest index >= 1 whose polygon C holds at j >= 1; where the ray was stopped before its aim,
// by a wall or the budget, only if the whole way then is shorter.
static Model expect_visibility(const CrCorridor *corridor, CrPathContext *context, CrVec3 point, double range,
                               int32_t budget, Sight *tally) {
  CrPolyRef chain[MOST];
  CrRaycastResult ray;
  Model model = model_of(corridor);
  int32_t most = budget < 2 ? 2 : budget;
  if (most > corridor->capacity) most = corridor->capacity;
  double distance = cr__dist_xz(corridor->position, point);
  CrVec3 end = distance > range ? cr__lerp(corridor->position, point, range / distance) : point;
  REQUIRE_OK(
      cr_query_raycast(context->query, corridor->path[0], corridor->position, end, NULL, chain, most, &ray, NULL));
  int32_t i = corridor->count - 1;
  while (i >= 1 && find_ref(chain, ray.count, corridor->path[i]) < 1) i--;
  if (i < 1) return model;
  int32_t j = find_ref(chain, ray.count, corridor->path[i]);
  if (j + corridor->count - i > corridor->capacity) return model;
  memcpy(model.path, chain, (size_t)(j + 1) * sizeof *chain);
  memcpy(model.path + j + 1, corridor->path + i + 1, (size_t)(corridor->count - i - 1) * sizeof *chain);
  model.count = j + corridor->count - i;
  if (same_path(corridor, model.path, model.count)) return model;
  bool stopped = ray.hit || ray.truncated;
  ++*(stopped ? &tally->stopped : &tally->through);
  if (!stopped) return model;
  CrVec3 last;
  REQUIRE_OK(cr_query_closest_point(context->mesh, corridor->path[corridor->count - 1], corridor->target, &last, NULL));
  double old_length = cr__path_walk_cost(context, corridor->position, last, corridor->path, corridor->count);
  double new_length = cr__path_walk_cost(context, corridor->position, last, model.path, model.count);
  if (!(new_length < old_length * (1.0 - 1e-4))) return model_of(corridor);
  tally->worth_it++;
  return model;
}

TEST(visibility_by_its_wording) {
  Sight tally = {0};
  for (uint64_t world = 0; world < 12; world++) {
    check_seed = world;
    uint64_t seed = world * 53 + 1;
    CrNavMesh *mesh = world_scattered(world, 22, 22, 1.0, 0.12, world % 2 ? 8 : 0, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 1024, NULL);
    for (int run = 0; run < 120; run++) {
      CrCorridor *corridor = wandering_corridor(context, mesh, &seed, run % 4 == 0 ? 10 : 128);
      CrVec3 point = world_random_point(mesh, &seed, NULL);
      double range = rnd_range(&seed, 0.0, 20.0);
      int32_t budget = rnd_int(&seed, 24);
      Model before = model_of(corridor), expected = expect_visibility(corridor, context, point, range, budget, &tally);
      bool changes = before.count != expected.count ||
                     memcmp(before.path, expected.path, (size_t)before.count * sizeof(CrPolyRef)) != 0;
      CrCorridor state = *corridor;
      CHECK(cr_corridor_optimize_visibility(corridor, context, point, range, budget) == changes);
      CHECK(same_path(corridor, expected.path, expected.count));
      CHECK(corridor->complete == state.complete && corridor->needs_replan == state.needs_replan);
      CHECK(cr__same_point(corridor->position, state.position));
      check_sound(corridor, context);
      tally.taken += changes;
      tally.refused += !changes;
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld taken, %lld not; of %lld rays stopped with something to offer %lld were worth it, %lld came through\n",
         (long long)tally.taken, (long long)tally.refused, (long long)tally.stopped, (long long)tally.worth_it,
         (long long)tally.through);
  CHECK(tally.taken > 100 && tally.refused > 100 && tally.worth_it > 20 && tally.stopped > tally.worth_it + 20);
}

// Loops cut as they are met: a polygon met again takes back everything after its first occurrence.
static void push_without_loops(Model *model, CrPolyRef ref) {
  int32_t earlier = find_ref(model->path, model->count, ref);
  if (earlier >= 0)
    model->count = earlier + 1;
  else
    model->path[model->count++] = ref;
}

typedef struct Tally {
  int taken, longer, unfinished, cut;
} Tally;

static Model expect_topology(const CrCorridor *corridor, CrPathContext *probe, int32_t budget, int32_t window,
                             Tally *tally) {
  static CrPolyRef route[8192];
  Model model = model_of(corridor);
  if (corridor->count < 3 || window < 3) return model;
  int32_t t = corridor->count - 1 < window - 1 ? corridor->count - 1 : window - 1;
  CrVec3 end;
  REQUIRE_OK(cr_query_closest_point(probe->mesh, corridor->path[t], corridor->target, &end, NULL));
  CrPathOutcome outcome =
      cr_query_begin_path(probe->query, corridor->path[0], corridor->position, corridor->path[t], end, NULL);
  if (outcome == CR_PATH_IN_PROGRESS) outcome = cr_query_update_path(probe->query, budget, NULL);
  if (outcome != CR_PATH_SUCCESS) {
    tally->unfinished++;
    return model;
  }
  CrPathResult result = cr_query_finish_path(probe->query, route, 8192);
  double old_length = cr__path_walk_cost(probe, corridor->position, end, corridor->path, t + 1);
  double new_length = cr__path_walk_cost(probe, corridor->position, end, route, result.count);
  if (!(new_length < old_length * (1.0 - 1e-4))) {
    tally->longer++;
    return model;
  }
  tally->taken++;
  Model next = {.count = 0};
  for (int32_t k = 0; k < result.count; k++) push_without_loops(&next, route[k]);
  for (int32_t k = t + 1; k < corridor->count; k++) push_without_loops(&next, corridor->path[k]);
  return next;
}

TEST(topology_by_its_wording) {
  Tally tally = {0};
  for (uint64_t world = 0; world < 16; world++) {
    check_seed = world;
    uint64_t seed = world * 59 + 4;
    CrNavMesh *mesh = world % 4 == 3 ? world_two_floors(world, 16, 16, 1.0, 4.0, 6, 8, NULL)
                                     : world_scattered(world, 22, 22, 1.0, 0.25, world % 2 ? 8 : 0, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 1024, NULL);
    CrPathContext *probe = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
    for (int run = 0; run < 100; run++) {
      CrCorridor *corridor = wandering_corridor(context, mesh, &seed, run % 4 == 0 ? 10 : 128);
      int32_t budget = 1 + rnd_int(&seed, 200), window = 2 + rnd_int(&seed, 63);
      Model before = model_of(corridor), expected = expect_topology(corridor, probe, budget, window, &tally);
      bool changes = before.count != expected.count ||
                     memcmp(before.path, expected.path, (size_t)before.count * sizeof(CrPolyRef)) != 0;
      bool fits = expected.count <= corridor->capacity;
      CrCorridor state = *corridor;
      CHECK(cr_corridor_optimize_topology(corridor, context, budget, window) == changes);
      CHECK(same_path(corridor, expected.path, fits ? expected.count : corridor->capacity));
      CHECK(corridor->complete == (state.complete && fits));
      CHECK(corridor->needs_replan == (state.needs_replan || !fits));
      check_sound(corridor, context);
      tally.cut += !fits;
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(probe);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d taken (%d cut), %d not shorter, %d unfinished\n", tally.taken, tally.cut, tally.longer,
         tally.unfinished);
  CHECK(tally.taken > 20 && tally.longer > 20 && tally.unfinished > 20);
}

// From A a link leads to B the long way; through C it is nearer. A window of 2 sees no farther than B and is refused.
TEST(topology_needs_a_window_of_three) {
  static TileKit kit;
  CrNavMeshParams params = {.tile_size = 10.0, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, 5, (const double[]){1, 0, 1, 6, 0, 1, 6, 0, 2, 2, 0, 2, 1, 0, 2});
  kit_polygon(&kit, 6, (const double[]){1, 0, 3, 2, 0, 3, 6, 0, 3, 6, 0, 4, 2, 0, 4, 1, 0, 4});
  kit_rectangle(&kit, 1, 2, 2, 3, 0.0);
  kit_rectangle(&kit, 1, 4, 2, 5, 0.0);
  kit_link(&kit, cr__vec(5.5, 0, 1.5), cr__vec(5.5, 0, 3.5), 0.2, true);
  uint32_t slot = kit_add(&kit, mesh);
  CrPolyRef a = cr_navmesh_ref(mesh, slot, 0), b = cr_navmesh_ref(mesh, slot, 1), c = cr_navmesh_ref(mesh, slot, 2);
  CrPolyRef d = cr_navmesh_ref(mesh, slot, 3);
  for (int model = 0; model < 2; model++) {
    CrPathContext *context = make_context(mesh, (CrNodeModel)model, 1024, NULL);
    CrCorridor *corridor = planned_corridor(context, 8, cr__vec(1.5, 0, 1.5), cr__vec(1.5, 0, 4.5));
    CHECK(same_path(corridor, (const CrPolyRef[]){a, c, b, d}, 4));
    memcpy(corridor->path, (const CrPolyRef[]){a, b, d}, 3 * sizeof a);
    corridor->count = 3;
    CHECK(!cr_corridor_optimize_topology(corridor, context, 1000, 2));
    CHECK(same_path(corridor, (const CrPolyRef[]){a, b, d}, 3));
    CHECK(cr_corridor_optimize_topology(corridor, context, 1000, 3));
    CHECK(same_path(corridor, (const CrPolyRef[]){a, c, b, d}, 4) && corridor->complete);
    // Two polygons are too few, whatever the window.
    REQUIRE_OK(cr_corridor_reset(corridor, context, a, cr__vec(1.5, 0, 1.5), NULL));
    corridor->path[1] = corridor->target_ref = b;
    corridor->count = 2;
    corridor->target = cr__vec(1.5, 0, 3.5);
    CHECK(!cr_corridor_optimize_topology(corridor, context, 1000, 64) && corridor->count == 2);
    cr_corridor_destroy(corridor);
    cr_path_context_destroy(context);
  }
  cr_navmesh_destroy(mesh);
}

// The refining search follows a successful replan on polygon nodes only, and only when it has a budget.
TEST(refine_after_success) {
  int refined = 0;
  for (uint64_t world = 0; world < 20; world++) {
    check_seed = world;
    uint64_t seed = world * 61 + 9;
    CrNavMesh *mesh = world_scattered(world, 20, 20, 1.0, 0.25, 0, NULL);
    CrPathContext *polygon = make_context(mesh, CR_NODE_MODEL_POLYGON, 16000, NULL);
    CrPathContext *crossing = make_context(mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
    for (int run = 0; run < 20; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrFollowerOptions options = cr_follower_options_humanoid();
      options.refine_budget = run % 2 ? 2000 : 0;
      for (int model = 0; model < 2; model++) {
        CrPathContext *context = model ? crossing : polygon;
        CrFollower *follower = make_follower(context, &options, from);
        REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
        CrCorridor *plain = planned_corridor(context, 256, from, to);
        bool success = plain->complete;
        if (success && !model && run % 2) cr_corridor_optimize_topology(plain, context, 2000, 64);
        refined += success && !model && run % 2;
        CHECK(same_path(&follower->corridor, plain->path, plain->count));
        cr_corridor_destroy(plain);
        cr_follower_destroy(follower);
      }
    }
    cr_path_context_destroy(polygon);
    cr_path_context_destroy(crossing);
    cr_navmesh_destroy(mesh);
  }
  CHECK(refined > 50);
}

// --- How often ------------------------------------------------------------------------------------------------------------

typedef struct Count {
  int64_t asked, shorter, longer, equal;
  double gained, lost, worst;
} Count;

static CrNavMesh *count_mesh(uint64_t number) {
  switch (number % 6) {
    case 0:
      return world_scattered(number, 30, 30, 1.0, 0.12, number % 4 ? 10 : 0, NULL);
    case 1:
      return world_scattered(number, 30, 30, 1.0, 0.3, number % 4 == 1 ? 10 : 0, NULL);
    case 2:
      return world_two_floors(number, 20, 20, 1.0, 4.0, 8, number % 4 ? 10 : 0, NULL);
    case 3:
      return world_warped(number % 40, 3, 6, 1.0, 0.15, 0.3, 0.0);  // not every seed makes convex polygons: these do
    case 4:
      return world_mosaic(number, 4, 6.0);
    default:
      return world_scattered(number, 40, 40, 0.5, 0.2, 14, NULL);
  }
}

static double string_length(CrPathContext *context, const CrCorridor *corridor) {
  CrVec3 end;
  REQUIRE(cr__corridor_end(corridor, context->mesh, &end));
  return cr__path_walk_cost(context, corridor->position, end, corridor->path, corridor->count);
}

// The farthest corner within `range` before an off-mesh entry, where a follower aims; -1 when there is none.
static int32_t pick_aim(const CrCorridor *corridor, const CrCorner *corners, int32_t count, double range) {
  int32_t aim = -1;
  for (int32_t k = 1; k < count && !((corners[k].flags | corners[k - 1].flags) & CR_CORNER_OFF_MESH); k++) {
    if (cr__dist_xz(corridor->position, corners[k].point) <= range) aim = k;
  }
  return aim;
}

// Walks a corridor to its end with a shortcut tried every few steps, and counts what each one did to the string's length. Along
// the string, or pushed beside it now and then, as a crowd's agents are.
static void count_walk(CrCorridor *corridor, CrPathContext *context, bool pushed, uint64_t *seed, Count *tally) {
  for (int turn = 0; turn < 60; turn++) {
    CrCorner corners[8];
    int32_t count;
    if (cr_corridor_find_corners(corridor, context, corners, 8, &count) == CR_STRAIGHT_INVALID_CORRIDOR) return;
    int32_t aim = pick_aim(corridor, corners, count, 10.0);
    if (aim < 0) return;
    double before = string_length(context, corridor);
    tally->asked++;
    if (cr_corridor_optimize_visibility(corridor, context, corners[aim].point, 10.0, 16)) {
      double change = string_length(context, corridor) - before;
      bool equal = cr__abs(change) <= 1e-9 * before;
      tally->equal += equal, tally->shorter += !equal && change < 0.0, tally->longer += !equal && change > 0.0;
      *(change < 0.0 ? &tally->gained : &tally->lost) += cr__abs(change);
      if (change > tally->worst) tally->worst = change;
      check_sound(corridor, context);
      cr_corridor_find_corners(corridor, context, corners, 8, &count);
    }
    if (count < 2) return;
    CrVec3 next = cr__lerp(corridor->position, corners[1].point, rnd_range(seed, 0.2, 0.9));
    if (pushed && rnd_int(seed, 3) == 0 && cr_corridor_move_position(corridor, context, point_near(seed, next, 1.0)))
      continue;
    if (!cr_corridor_move_along(corridor, context, next, corners[1].path_index + 1)) return;
  }
}

TEST(visibility_shortens_far_more_often_than_it_lengthens) {
  Count all = {0};
  for (int kind = 0; kind < 4; kind++) {
    int model = kind / 2;
    bool pushed = kind % 2;
    Count tally = {0};
    for (int64_t number = 0; number < check_scaled(36); number++) {
      uint64_t seed = (uint64_t)number * 2003 + 17;
      CrNavMesh *mesh = count_mesh((uint64_t)number);
      CrPathContext *context = make_context(mesh, (CrNodeModel)model, 1024, NULL);
      for (int pair = 0; pair < 30; pair++) {
        check_seed = seed;
        CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
        CrCorridor *corridor = planned_corridor(context, 256, from, to);
        count_walk(corridor, context, pushed, &seed, &tally);
        cr_corridor_destroy(corridor);
      }
      cr_path_context_destroy(context);
      cr_navmesh_destroy(mesh);
    }
    printf(
        "  %s nodes%s: %lld asked, %lld shortened (by %.2f in the mean), %lld lengthened (%.2f, at most %.2f), %lld "
        "equal\n",
        model ? "crossing" : "polygon", pushed ? ", pushed" : "", (long long)tally.asked, (long long)tally.shorter,
        tally.shorter ? tally.gained / (double)tally.shorter : 0.0, (long long)tally.longer,
        tally.longer ? tally.lost / (double)tally.longer : 0.0, tally.worst, (long long)tally.equal);
    all.shorter += tally.shorter, all.longer += tally.longer;
    CHECK(tally.shorter >= 4 * tally.longer);
  }
  CHECK(all.shorter > check_scaled(100));
}

TEST_MAIN(RUN(visibility_by_its_wording), RUN(topology_by_its_wording), RUN(topology_needs_a_window_of_three),
          RUN(refine_after_success), RUN(visibility_shortens_far_more_often_than_it_lengthens))
