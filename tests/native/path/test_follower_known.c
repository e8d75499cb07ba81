// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a crowd's followers remember besides their state never changes what they do: each walks beside a twin that forgets all
// of it before every step, pushed about alike, and both have the same bytes; and each yes of the memory (the end is straight
// ahead, polygons are out of reach) is compared with the long way round, at places a walk would not come to as well.
#include "walkers.h"

#define PROBES 6

typedef struct Figures {
  int64_t steps, seen, bends, unseen, moves, skipped;
} Figures;

static CrNavMesh *draw_mesh(uint64_t *seed) {
  int32_t tile_cells = 3 * rnd_int(seed, 4), kind = rnd_int(seed, 3);
  uint64_t world_seed = (uint64_t)rnd_int(seed, 1000000);
  double fill = 0.2 * rnd_small(seed);
  if (kind == 0) return world_two_floors(world_seed, 20, 14, 1.0, 4.0, 4, tile_cells, NULL);
  if (kind == 1) return world_scattered(world_seed, 60, 7, 0.5 + 3.0 * rnd_unit(seed), fill, tile_cells, NULL);
  return world_scattered(world_seed, 25, 25, 1.0, fill, tile_cells, NULL);
}

// --- Straight ahead ---------------------------------------------------------------------------------------------------

// Whether the follower has a way that still counts, of which it is asked whether it is as before.
static bool has_way(const CrFollower *follower, const CrPathContext *context) {
  const CrKeptWay *kept = &follower->kept;
  return follower->state == CR_FOLLOWER_MOVING && kept->count >= 1 && kept->mesh_stamp == context->mesh->stamp &&
         follower->corridor.kept_tail >= cr__kept_corner(kept, 0)->from_end;
}

static void compare_sight(CrFollower *follower, CrPathContext *context, Figures *figures) {
  const CrCorridor *corridor = &follower->corridor;
  if (!has_way(follower, context)) return;
  bool sees = cr__follower_sees_corner(follower, context);
  *(sees ? &figures->seen : &figures->unseen) += 1;
  if (!sees) return;
  CrCorner corners[3];
  const CrKeptCorner *first = cr__kept_corner(&follower->kept, 0);
  int32_t count, at = corridor->count - first->from_end;
  CrStraightPathOutcome outcome =
      cr_query_straight_path(context->mesh, corridor->position, follower->kept.end, corridor->path, corridor->count,
                             context->filter, corners, 3, &count);
  CHECK(outcome != CR_STRAIGHT_INVALID_CORRIDOR && count >= 2);
  CHECK(corners[0].path_index == 0 && corners[0].flags == CR_CORNER_START && corners[0].ref == corridor->path[0]);
  CHECK(corners[1].path_index == at && corners[1].flags == first->flags && corners[1].ref == corridor->path[at]);
  CHECK(cr__same_point(corners[0].point, corridor->position) && cr__same_point(corners[1].point, first->point));
  if (first->flags == 0) figures->bends++;
}

// Places around: near, far, on the ends and lines of the first portals, on the leg.
static CrVec3 draw_place(const CrFollower *follower, const CrPathContext *context, uint64_t *seed) {
  const CrCorridor *corridor = &follower->corridor;
  CrVec3 at = corridor->position;
  int32_t kind = rnd_int(seed, 4);
  double reach = rnd_int(seed, 2) ? 0.2 : 3.0;
  if (kind == 0 && corridor->count > 1) {
    int32_t k = rnd_int(seed, corridor->count - 1 < 3 ? corridor->count - 1 : 3);
    const CrTile *tile = cr__resolve(context->mesh, corridor->path[k]);
    if (!tile) return at;
    CrWay way = cr__way_between(context->mesh, tile, cr__ref_polygon(corridor->path[k]), corridor->path[k + 1],
                                context->filter);
    at = cr__lerp(way.a, way.b, rnd_int(seed, 2) ? rnd_unit(seed) : (double)rnd_int(seed, 2));
    reach = 1e-6 * (1 << rnd_int(seed, 16));
  } else if (kind == 1) {
    at = cr__lerp(at, follower->kept.end, rnd_unit(seed));
  }
  at.x += reach * (rnd_unit(seed) - 0.5);
  at.z += reach * (rnd_unit(seed) - 0.5);
  return at;
}

static void probe_sight(CrFollower *follower, CrPathContext *context, uint64_t *seed, Figures *figures) {
  CrVec3 position = follower->corridor.position;
  for (int k = 0; k < PROBES; k++) {
    follower->corridor.position = draw_place(follower, context, seed);
    compare_sight(follower, context, figures);
    follower->corridor.position = position;
  }
}

// --- Out of reach -----------------------------------------------------------------------------------------------------

static void compare_move(const CrFollower *follower, CrPathContext *context, CrVec3 to, int32_t limit,
                         Figures *figures) {
  static CrPolyRef paths[2][CR_CORRIDOR_MAX_CAPACITY];
  CrCorridor plain = follower->corridor, known = follower->corridor;
  plain.path = paths[0];
  known.path = paths[1];
  memcpy(paths[0], follower->corridor.path, (size_t)plain.count * sizeof(CrPolyRef));
  memcpy(paths[1], follower->corridor.path, (size_t)plain.count * sizeof(CrPolyRef));
  bool moved = cr_corridor_move_along(&plain, context, to, limit);
  CHECK(cr__corridor_move_along_again(&known, context, to, limit) == moved);
  CHECK(cr__same_point(plain.position, known.position) && plain.count == known.count);
  CHECK(memcmp(paths[0], paths[1], (size_t)plain.count * sizeof(CrPolyRef)) == 0);
  figures->moves++;
  figures->skipped += known.apart_tail > 0;
}

static void probe_moves(CrFollower *follower, CrPathContext *context, uint64_t *seed, Figures *figures) {
  if (follower->state != CR_FOLLOWER_MOVING) return;
  for (int k = 0; k < PROBES; k++) {
    CrVec3 to = draw_place(follower, context, seed);
    compare_move(follower, context, to, 1 + rnd_int(seed, follower->corridor.count + 2), figures);
  }
}

// --- Walks ------------------------------------------------------------------------------------------------------------

typedef struct Push {
  double x, z, dt;
} Push;

static void crowd_step(CrFollower *follower, CrPathContext *context, const Push *push) {
  CrCrowdPlan plan = cr__follower_plan_crowd(follower, context, push->dt);
  if (plan.walking) {
    cr__follower_apply_crowd(follower, context, &plan, plan.wanted_x + push->x, plan.wanted_z + push->z, push->dt);
  } else if (!plan.crossing) {
    cr__follower_nudge(follower, context, push->x, push->z, push->dt);
  }
}

static Push draw_push(uint64_t *seed) {
  double most = rnd_int(seed, 8) ? 1.5 : 12.0;
  return (Push){most * (rnd_unit(seed) - 0.5), most * (rnd_unit(seed) - 0.5), rnd_int(seed, 16) ? 1.0 / 60.0 : 0.1};
}

static uint64_t state_of(const CrFollower *follower) {
  CrWriter writer = cr__writer_hash();
  cr__follower_write(follower, &writer);
  return writer.hash;
}

static void edit(CrNavMesh *mesh, uint64_t *seed) {
  CrPolyRef ref;
  world_random_point(mesh, seed, &ref);
  REQUIRE_OK(cr_navmesh_set_area(mesh, ref, (uint8_t)rnd_int(seed, 3), NULL));
}

static void walk(CrNavMesh *mesh, CrPathContext *context, CrFollower *both[2], uint64_t *seed, Figures *figures) {
  for (int step = 0; step < 150; step++) {
    if (rnd_int(seed, 60) == 0) edit(mesh, seed);
    if (step % 50 == 0) {
      CrVec3 goal = world_random_point(mesh, seed, NULL);
      for (int k = 0; k < 2; k++) REQUIRE_OK(cr_follower_set_destination(both[k], context, goal, NULL));
    }
    Push push = draw_push(seed);
    cr__follower_forget(both[1]);
    for (int k = 0; k < 2; k++) crowd_step(both[k], context, &push);
    CHECK(state_of(both[0]) == state_of(both[1]));
    compare_sight(both[0], context, figures);
    probe_moves(both[0], context, seed, figures);
    probe_sight(both[0], context, seed, figures);
    figures->steps++;
  }
}

TEST(what_followers_remember_changes_nothing) {
  Figures figures = {0};
  int64_t runs = check_scaled(120);
  for (int64_t run = 0; run < runs; run++) {
    check_seed = 9100 + (uint64_t)run;
    uint64_t seed = check_seed;
    CrNavMesh *mesh = draw_mesh(&seed);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
    CrFollowerOptions options = cr_follower_options_humanoid();
    options.corridor_capacity = rnd_int(&seed, 2) ? 64 : 256;
    options.max_speed = 1.0 + 5.0 * rnd_unit(&seed);
    options.corner_clearance = 0.11;
    CrVec3 start = world_random_point(mesh, &seed, NULL);
    CrFollower *both[2] = {make_follower(context, &options, start), make_follower(context, &options, start)};
    walk(mesh, context, both, &seed, &figures);
    for (int k = 0; k < 2; k++) cr_follower_destroy(both[k]);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %" PRId64 " steps; the first corner straight ahead %" PRId64 " times, %" PRId64
         " of them a bend, not known %" PRId64 "; %" PRId64 " moves, %" PRId64 " of them with polygons left out\n",
         figures.steps, figures.seen, figures.bends, figures.unseen, figures.moves, figures.skipped);
  CHECK(figures.bends > figures.steps / 4);
  CHECK(figures.seen > figures.steps / 4 && figures.unseen > figures.steps / 4);
  CHECK(figures.skipped > figures.moves / 8);
}

// Polygons that were not there when the end was seen are looked at.
TEST(a_changed_corridor_is_looked_at_again) {
  CrNavMesh *mesh = world_from_map("............\n............\n", 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.max_speed = 0.5;
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0.0, 0.5));
  CrCorridor *corridor = &follower->corridor;
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(11.5, 0.0, 0.5), NULL));
  cr__follower_plan_crowd(follower, context, 0.1);
  CHECK(has_way(follower, context) && cr__follower_sees_corner(follower, context));
  // Now it leads through the other row, from column 6 to column 8; what follows is as it was.
  const CrPolyRef there = polygon_at(context, 6.5, 1.5), next = polygon_at(context, 7.5, 1.5);
  const CrPolyRef back = polygon_at(context, 8.5, 1.5);
  REQUIRE(corridor->count == 12);
  memmove(corridor->path + 10, corridor->path + 8, 4 * sizeof(CrPolyRef));
  corridor->path[7] = there, corridor->path[8] = next, corridor->path[9] = back;
  corridor->count = 14;
  check_sound(corridor, context);
  cr__corridor_changed(corridor, 4);
  CHECK(has_way(follower, context) && !cr__follower_sees_corner(follower, context));
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(what_followers_remember_changes_nothing), RUN(a_changed_corridor_is_looked_at_again))
