// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The two shortcuts against their plain wording, on random corridors.
#include "walkers.h"

enum { MOST = CR_CORRIDOR_MAX_CAPACITY };

typedef struct Model {
  CrPolyRef path[2 * MOST];
  int32_t count;
} Model;

static int32_t find_ref(const CrPolyRef *refs, int32_t count, CrPolyRef ref) {
  for (int32_t k = 0; k < count; k++) {
    if (refs[k] == ref) return k;
  }
  return -1;
}

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

// path[0..i] becomes C[0..j], i the largest index >= 1 whose polygon C holds at j >= 1.
static Model expect_visibility(const CrCorridor *corridor, CrPathContext *context, CrVec3 point, double range,
                               int32_t budget) {
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
  return model;
}

TEST(visibility_by_its_wording) {
  int taken = 0, refused = 0;
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
      Model before = model_of(corridor), expected = expect_visibility(corridor, context, point, range, budget);
      bool changes = before.count != expected.count ||
                     memcmp(before.path, expected.path, (size_t)before.count * sizeof(CrPolyRef)) != 0;
      CrCorridor state = *corridor;
      CHECK(cr_corridor_optimize_visibility(corridor, context, point, range, budget) == changes);
      CHECK(same_path(corridor, expected.path, expected.count));
      CHECK(corridor->complete == state.complete && corridor->needs_replan == state.needs_replan);
      CHECK(cr__same_point(corridor->position, state.position));
      check_sound(corridor, context);
      taken += changes;
      refused += !changes;
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d taken, %d not\n", taken, refused);
  CHECK(taken > 100 && refused > 100);
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

TEST_MAIN(RUN(visibility_by_its_wording), RUN(topology_by_its_wording), RUN(refine_after_success))
