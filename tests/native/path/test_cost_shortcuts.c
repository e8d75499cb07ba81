// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Shortcuts under a filter whose areas cost differently: neither leads over dear ground to save length. Costs are measured
// here by sampling the string and asking which polygon of the chain holds each sample.
#include <math.h>

#include "walkers.h"

enum { MOST = CR_CORRIDOR_MAX_CAPACITY };

static CrQueryFilter dear_areas(double a, double b) {
  CrQueryFilter filter = cr_query_filter_default();
  filter.area_cost[1] = a;
  filter.area_cost[2] = b;
  return filter;
}

static double cost_at(const CrPathContext *context, CrPolyRef ref) {
  return context->filter->area_cost[cr__resolve(context->mesh, ref)->areas[cr__ref_polygon(ref)]];
}

static bool holds(const CrPathContext *context, CrPolyRef ref, CrVec3 p) {
  return cr__polygon_holds(cr__resolve(context->mesh, ref), cr__ref_polygon(ref), p.x, p.z, 1e-7);
}

static double way_distance(const CrPathContext *context, const CrPolyRef *path, CrVec3 p) {
  CrWay way = cr__way_between(context->mesh, cr__resolve(context->mesh, path[0]), cr__ref_polygon(path[0]), path[1],
                              context->filter);
  return cr__dist_xz(cr__lerp(way.a, way.b, cr__segment_t_xz(way.a, way.b, p)), p);
}

// The cheapest way to walk one leg through its polygons in their order: each of `steps` samples lies in one that holds it, and from
// one polygon to the next it goes where their portal is.
static double sampled_leg(const CrPathContext *context, const CrCorner *a, const CrCorner *b, const CrPolyRef *path) {
  static double sum[MOST];
  const int steps = 1000;
  int32_t first = a->path_index, count = b->path_index - first + 1;
  double spacing = cr__dist_xz(a->point, b->point) / steps, least = INFINITY;
  for (int32_t k = 0; k < count; k++) sum[k] = k ? INFINITY : 0.0;
  for (int s = 0; s <= steps; s++) {
    // At the last sample, the corner, only portals are crossed.
    CrVec3 p = s == steps ? b->point : cr__lerp(a->point, b->point, (s + 0.5) / steps);
    for (int32_t k = 1; k < count; k++) {
      if (sum[k - 1] < sum[k] && way_distance(context, path + first + k - 1, p) <= spacing + 1e-7) sum[k] = sum[k - 1];
    }
    for (int32_t k = 0; s < steps && k < count; k++) {
      sum[k] += holds(context, path[first + k], p) ? cost_at(context, path[first + k]) : INFINITY;
    }
    // A polygon that is only touched is passed where two portals meet.
    for (int32_t k = 1; k < count; k++) {
      if (sum[k - 1] < sum[k] && way_distance(context, path + first + k - 1, p) <= spacing + 1e-7) sum[k] = sum[k - 1];
    }
  }
  for (int32_t k = 0; k < count; k++) least = fmin(least, sum[k]);
  return least * cr__dist(a->point, b->point) / steps;
}

static double sampled_cost(const CrPathContext *context, CrVec3 start, CrVec3 end, const CrPolyRef *path,
                           int32_t count) {
  static CrCorner corners[MOST + 2];
  int32_t written;
  if (cr_query_straight_path(context->mesh, start, end, path, count, context->filter, corners, MOST + 2, &written))
    return -1.0;
  double cost = 0.0;
  for (int32_t i = 1; i < written; i++) cost += sampled_leg(context, &corners[i - 1], &corners[i], path);
  return cost;
}

// Fields with patches of areas 1 and 2, big enough to be worth a way round.
static CrNavMesh *patched_world(uint64_t seed, int32_t tile_cells) {
  char map[23 * 22 + 1];
  uint64_t state = seed;
  for (int r = 0; r < 22; r++) {
    for (int c = 0; c < 22; c++) map[r * 23 + c] = rnd_int(&state, 12) ? '.' : '#';
    map[r * 23 + 22] = '\n';
  }
  for (int patch = 0; patch < 7; patch++) {
    int x = rnd_int(&state, 19), z = rnd_int(&state, 19), w = 2 + rnd_int(&state, 5), h = 2 + rnd_int(&state, 5);
    for (int r = z; r < z + h && r < 22; r++) {
      for (int c = x; c < x + w && c < 22; c++) {
        if (map[r * 23 + c] != '#') map[r * 23 + c] = (char)('a' + patch % 2);
      }
    }
  }
  map[23 * 22] = 0;
  return world_from_map_merged(map, 1.0, 3, tile_cells, NULL);
}

static CrCorridor *wandering_corridor(CrPathContext *context, const CrNavMesh *mesh, uint64_t *seed) {
  CrVec3 start = world_random_point(mesh, seed, NULL), target = world_random_point(mesh, seed, NULL);
  CrCorridor *corridor = planned_corridor(context, 128, start, target);
  for (int k = rnd_int(seed, 6); k > 0; k--) {
    CrVec3 to = corridor->position;
    to.x += rnd_range(seed, -2.0, 2.0), to.z += rnd_range(seed, -2.0, 2.0);
    cr_corridor_move_position(corridor, context, to);
  }
  return corridor;
}

static int32_t find_ref(const CrPolyRef *refs, int32_t count, CrPolyRef ref) {
  for (int32_t k = 0; k < count; k++) {
    if (refs[k] == ref) return k;
  }
  return -1;
}

typedef struct Tally {
  int64_t asked, trusted, stopped, cheaper, dearer, refused, unclear;
  double worst;
} Tally;

static bool all_cost(const CrPathContext *context, const CrPolyRef *refs, int32_t count, double cost) {
  for (int32_t k = 0; k < count; k++) {
    if (cost_at(context, refs[k]) != cost) return false;
  }
  return true;
}

// A ray that was stopped: taken when the whole way is cheaper then.
static int expect_stopped(const CrCorridor *corridor, CrPathContext *context, int32_t i, const CrPolyRef *chain,
                          int32_t j, Tally *tally) {
  static CrPolyRef path[2 * MOST];
  int32_t count = j + corridor->count - i;
  CrVec3 last;
  memcpy(path, chain, (size_t)(j + 1) * sizeof *path);
  memcpy(path + j + 1, corridor->path + i + 1, (size_t)(corridor->count - i - 1) * sizeof *path);
  REQUIRE(cr__corridor_end(corridor, context->mesh, &last));
  double old_cost = sampled_cost(context, corridor->position, last, corridor->path, corridor->count);
  double new_cost = sampled_cost(context, corridor->position, last, path, count);
  CHECK(old_cost >= 0.0 && new_cost >= 0.0);
  tally->stopped++;
  if (fabs(old_cost - new_cost) < 0.005 * (old_cost + new_cost)) return -1;
  return new_cost < old_cost;
}

// The answer expected by the wording: 1 taken, 0 not, -1 too near to tell by sampling.
static int expect_visibility(const CrCorridor *corridor, CrPathContext *context, CrVec3 end, int32_t budget,
                             Tally *tally) {
  CrPolyRef chain[MOST];
  CrRaycastResult ray;
  REQUIRE_OK(cr_query_raycast(context->query, corridor->path[0], corridor->position, end, context->filter, chain,
                              budget < corridor->capacity ? budget : corridor->capacity, &ray, NULL));
  int32_t i = corridor->count - 1, j;
  while (i >= 1 && find_ref(chain, ray.count, corridor->path[i]) < 1) i--;
  if (i < 1) return 0;
  j = find_ref(chain, ray.count, corridor->path[i]);
  if (j + corridor->count - i > corridor->capacity) return 0;
  if (i == j && memcmp(chain, corridor->path, (size_t)(j + 1) * sizeof *chain) == 0) return 0;
  if (ray.hit || ray.truncated) return expect_stopped(corridor, context, i, chain, j, tally);
  double cost = cost_at(context, chain[0]);
  if (all_cost(context, chain, j + 1, cost) && all_cost(context, corridor->path, i + 1, cost)) {
    tally->trusted++;
    return 1;
  }
  CrVec3 at;
  REQUIRE_OK(cr_query_closest_point(context->mesh, chain[j], end, &at, NULL));
  double old_cost = sampled_cost(context, corridor->position, at, corridor->path, i + 1);
  double new_cost = sampled_cost(context, corridor->position, at, chain, j + 1);
  CHECK(old_cost >= 0.0 && new_cost >= 0.0);
  if (fabs(old_cost - new_cost) < 0.005 * (old_cost + new_cost)) return -1;
  tally->dearer += new_cost > old_cost;
  return new_cost < old_cost;
}

TEST(a_straight_line_over_dear_ground_is_no_shortcut) {
  Tally tally = {0};
  for (uint64_t world = 0; world < 12; world++) {
    uint64_t seed = world * 71 + 3;
    CrNavMesh *mesh = patched_world(world, world % 2 ? 8 : 0);
    CrQueryFilter filter = world % 3 ? dear_areas(10.0, 0.5) : dear_areas(3.0, 30.0);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 1024, &filter);
    for (int64_t run = check_scaled(120); run > 0; run--) {
      check_seed = seed;
      CrCorridor *corridor = wandering_corridor(context, mesh, &seed);
      // Mostly what a follower asks: a corner of the way ahead.
      CrVec3 point = world_random_point(mesh, &seed, NULL);
      CrCorner corners[16];
      int32_t count;
      if (run % 4 && cr_corridor_find_corners(corridor, context, corners, 16, &count) != CR_STRAIGHT_INVALID_CORRIDOR) {
        point = corners[rnd_int(&seed, count)].point;
      }
      double distance = cr__dist_xz(corridor->position, point), range = rnd_range(&seed, 2.0, 20.0);
      CrVec3 end = distance > range ? cr__lerp(corridor->position, point, range / distance) : point;
      int expected = expect_visibility(corridor, context, end, 32, &tally);
      bool taken = cr_corridor_optimize_visibility(corridor, context, point, range, 32);
      tally.asked++;
      if (expected < 0) {
        tally.unclear++;
      } else {
        CHECK_INT(taken, expected);
        tally.refused += !taken;
      }
      tally.cheaper += taken;
      check_sound(corridor, context);
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld asked: %lld taken, %lld not, %lld too near to tell; %lld rays stopped, %lld trusted where everything "
      "costs the "
      "same, %lld not because they cost more\n",
      (long long)tally.asked, (long long)tally.cheaper, (long long)tally.refused, (long long)tally.unclear,
      (long long)tally.stopped, (long long)tally.trusted, (long long)tally.dearer);
  CHECK(tally.asked < 1000 ||
        (tally.cheaper > check_scaled(50) && tally.cheaper > tally.trusted && tally.dearer > check_scaled(20)));
}

TEST(a_search_is_believed_when_its_route_is_cheaper) {
  Tally tally = {0};
  for (uint64_t world = 0; world < 12; world++) {
    uint64_t seed = world * 73 + 5;
    CrNavMesh *mesh = patched_world(100 + world, world % 2 ? 8 : 0);
    CrQueryFilter filter = world % 3 ? dear_areas(10.0, 0.5) : dear_areas(3.0, 30.0);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 4096, &filter);
    for (int64_t run = check_scaled(80); run > 0; run--) {
      check_seed = seed;
      CrCorridor *corridor = wandering_corridor(context, mesh, &seed);
      CrPolyRef old_path[MOST];
      int32_t old_count = corridor->count;
      memcpy(old_path, corridor->path, (size_t)old_count * sizeof *old_path);
      CrVec3 end;
      tally.asked++;
      if (old_count <= 64 && cr__corridor_end(corridor, mesh, &end) &&
          cr_corridor_optimize_topology(corridor, context, 4000, 64)) {
        double before = sampled_cost(context, corridor->position, end, old_path, old_count);
        double after = sampled_cost(context, corridor->position, end, corridor->path, corridor->count);
        CHECK(before >= 0.0 && after >= 0.0);
        CHECK(after < before * 1.005);
        tally.worst = fmax(tally.worst, after / before);
        tally.cheaper++;
      }
      check_sound(corridor, context);
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld asked, %lld taken, the dearest %.4f of what was before\n", (long long)tally.asked,
         (long long)tally.cheaper, tally.worst);
  CHECK(tally.cheaper > check_scaled(60));
}

// A field of mud in the middle of a road that leads round it.
static CrNavMesh *muddy_field(int32_t tile_cells) {
  return world_from_map(
      "..............\n..aaaaaaaaaa..\n..aaaaaaaaaa..\n..aaaaaaaaaa..\n..aaaaaaaaaa..\n..aaaaaaaaaa..\n"
      "..............\n",
      1.0, tile_cells, NULL);
}

// Of the polygons that hold a point the cheapest: on an edge both are walked on.
static double least_cost_at(const CrPathContext *context, CrVec3 p) {
  double least = INFINITY;
  uint32_t count;
  CrPolyRef *all = world_all_polygons(context->mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (holds(context, all[i], p)) least = fmin(least, cost_at(context, all[i]));
  }
  free(all);
  return least;
}

static double walked_cost(CrPathContext *context, CrVec3 from, CrVec3 to, bool *out_arrived) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.optimize_interval = 1;
  options.topology_interval = 2;
  CrFollower *follower = make_follower(context, &options, from);
  REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
  double cost = 0.0;
  for (int step = 0; step < 4000 && follower->state != CR_FOLLOWER_ARRIVED; step++) {
    CrVec3 before = follower->position;
    CrPolyRef ref = follower->corridor.path[0];
    REQUIRE_OK(cr_follower_step(follower, context, 0.02, NULL));
    double length = cr__dist(before, follower->position);
    double least = least_cost_at(context, cr__lerp(before, follower->position, 0.5));
    // Round a wall's end the middle of a step is off the mesh.
    cost += length * (least < INFINITY ? least : cost_at(context, ref));
  }
  *out_arrived = follower->state == CR_FOLLOWER_ARRIVED;
  cr_follower_destroy(follower);
  return cost;
}

TEST(a_follower_walks_round_the_mud) {
  for (int kind = 0; kind < 4; kind++) {
    CrNavMesh *mesh = muddy_field(kind % 2 ? 4 : 0);
    CrQueryFilter filter = dear_areas(20.0, 1.0);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(kind / 2), 4096, &filter);
    for (int row = 0; row < 5; row++) {
      CrVec3 from = cr__vec(0.5, 0, 1.5 + row), to = cr__vec(13.5, 0, 1.6 + row);
      bool arrived;
      double cost = walked_cost(context, from, to, &arrived);
      CHECK(arrived);
      // Round the nearer side along the mud's corners, or at worst a cell away from them; straight through costs over 200.
      CHECK(cost < 24.0);
      if (row == 2) printf("  %s nodes: walked at %.2f\n", kind / 2 ? "crossing" : "polygon", cost);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
}

TEST(followers_keep_to_cheap_ground) {
  double worst = 0.0, sum = 0.0;
  int64_t walks = 0, dear = 0;
  for (uint64_t world = 0; world < 8; world++) {
    uint64_t seed = world * 79 + 7;
    CrNavMesh *mesh = patched_world(200 + world, world % 2 ? 8 : 0);
    CrQueryFilter filter = world % 3 ? dear_areas(10.0, 0.5) : dear_areas(3.0, 30.0);
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_CROSSING, 4096, &filter);
    for (int64_t run = check_scaled(30); run > 0; run--) {
      check_seed = seed;
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      double route = fresh_length(context, from, to);
      bool arrived;
      if (route < 1.0) continue;
      double cost = walked_cost(context, from, to, &arrived);
      CHECK(arrived);
      dear += cost > 1.3 * route;
      worst = fmax(worst, cost / route);
      sum += cost / route;
      walks++;
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld walks: cost over that of a fresh route: mean %.4f, worst %.4f, %lld over 1.3\n", (long long)walks,
         sum / (double)walks, worst, (long long)dear);
  // Where a corridor touches itself along an edge, an agent on that edge counts as in the later polygon (MoveAlong), and the
  // way from there may be dearer.
  CHECK(sum / (double)walks < 1.02 && dear <= walks / 100 + 1);
}

// --- Storeys ------------------------------------------------------------------------------------------------------------------

// A ray that ends below or above its aim is not a way to it: the corridor still leads to its target, over the ramp.
TEST(a_ray_on_another_storey_is_no_way_through) {
  int64_t aimed = 0, taken = 0;
  for (uint64_t world = 0; world < 12; world++) {
    uint64_t seed = world * 83 + 1;
    CrNavMesh *mesh = world_two_floors(world, 14, 12, 1.0, 4.0, 0, world % 2 ? 5 : 0, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world & 1), 1024, NULL);
    for (int64_t run = check_scaled(200); run > 0; run--) {
      check_seed = seed;
      CrVec3 start = world_random_point(mesh, &seed, NULL), target = world_random_point(mesh, &seed, NULL);
      if (fabs(start.y - target.y) < 3.0) continue;
      CrCorridor *corridor = planned_corridor(context, 256, start, target);
      if (corridor->complete) {
        CrPolyRef last = corridor->path[corridor->count - 1];
        CrVec3 end;
        aimed++;
        taken += cr_corridor_optimize_visibility(corridor, context, target, 100.0, 64);
        check_sound(corridor, context);
        CHECK(corridor->path[corridor->count - 1] == last && corridor->complete);
        REQUIRE(cr__corridor_end(corridor, mesh, &end));
        // Up the whole height: no walk is shorter than the ramp is high.
        double length = cr__path_walk_cost(context, corridor->position, end, corridor->path, corridor->count);
        CHECK(length > fabs(start.y - target.y));
        bool on_ramp = false;
        for (int32_t k = 0; k < corridor->count; k++) {
          CrPolygonInfo info;
          double low = INFINITY, high = -INFINITY;
          REQUIRE_OK(cr_navmesh_polygon(mesh, corridor->path[k], &info));
          for (uint32_t v = 0; v < info.vertex_count; v++) {
            low = fmin(low, info.vertices[v].y);
            high = fmax(high, info.vertices[v].y);
          }
          on_ramp = on_ramp || high - low > 0.1;
        }
        CHECK(on_ramp);
      }
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld aims on the other storey, %lld shortened on the way to the ramp\n", (long long)aimed,
         (long long)taken);
  CHECK(aimed > check_scaled(300));
}

TEST_MAIN(RUN(a_straight_line_over_dear_ground_is_no_shortcut), RUN(a_search_is_believed_when_its_route_is_cheaper),
          RUN(a_follower_walks_round_the_mud), RUN(followers_keep_to_cheap_ground),
          RUN(a_ray_on_another_storey_is_no_way_through))
