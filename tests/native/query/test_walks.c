// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Rays and moves over the surface: rays against a flood over the polygons the line touches, moves by what a move promises
// (on the mesh, connected, never longer than asked, sliding to the place a box says), both on edges and through vertices.
#include "hard_worlds.h"
#include "query_internal.h"

#define CAPACITY 1024

static CrNavMeshQuery *make_query(const CrNavMesh *mesh) {
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

// --- Rays -------------------------------------------------------------------------------------------------------------------

// The part of the ray s -> e (as distances) within a convex polygon grown by `slack`; false when empty.
static bool clip_ray(const CrTile *tile, uint32_t polygon, CrVec3 s, CrVec3 e, double slack, double *low,
                     double *high) {
  double length = cr__dist_xz(s, e);
  *low = 0.0;
  *high = length;
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    double edge = cr__dist_xz(a, b), ds = cr__cross_xz(a, b, s) / edge + slack,
           de = cr__cross_xz(a, b, e) / edge + slack;
    if (ds < 0.0 && de < 0.0) return false;
    if (ds < 0.0) *low = fmax(*low, length * ds / (ds - de));
    if (de < 0.0) *high = fmin(*high, length * ds / (ds - de));
  }
  return *low <= *high;
}

static bool segment_touches(CrVec3 a, CrVec3 b, CrVec3 s, CrVec3 e, double slack) {
  CrVec3 near = cr__nearest_on_portal(a, b, s, e);
  return cr__dist_xz(near, cr__lerp(s, e, cr__segment_t_xz(s, e, near))) <= slack;
}

// How far the ray gets: the farthest point on it of the polygons joined to the first through portals the ray touches.
static double flood_ray(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef first, CrVec3 s, CrVec3 e,
                        double slack) {
  static CrPolyRef queue[CR_QUERY_MAX_CIRCLE * 8];
  static CrRefTable met;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  if (!met.slots) REQUIRE(cr__table_init(&met, (uint32_t)CR_COUNT_OF(queue), &hooks));
  uint32_t count = 0;
  double farthest = 0.0, low, high;
  cr__table_clear(&met);
  queue[count++] = first;
  *cr__table_slot(&met, first) = (CrRefSlot){first, met.epoch, 0};
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, queue[i]);
    uint32_t polygon = cr__ref_polygon(queue[i]);
    if (clip_ray(tile, polygon, s, e, slack, &low, &high)) farthest = fmax(farthest, high);
    CrWayList ways = cr__ways(mesh, tile, polygon, filter);
    for (CrWay way; cr__next_way(&ways, &way);) {
      CrRefSlot *slot = cr__table_slot(&met, way.target);
      cr__way_ends(tile, polygon, &way);
      bool known = slot->epoch == met.epoch;
      if (way.kind == CR_WAY_OFF_MESH || known || !segment_touches(way.a, way.b, s, e, slack)) continue;
      REQUIRE(count < CR_COUNT_OF(queue));
      *slot = (CrRefSlot){way.target, met.epoch, 0};
      queue[count++] = way.target;
    }
  }
  return farthest;
}

static void check_trail(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrPolyRef *trail, int32_t count,
                        CrPolyRef first) {
  CHECK(count >= 1 && trail[0] == first);
  for (int32_t i = 1; i < count; i++) {
    CHECK(cr__connected(mesh, trail[i - 1], trail[i], filter));
    for (int32_t j = 0; j < i; j++) CHECK(trail[j] != trail[i]);
  }
}

static bool holds(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 p, double slack) {
  return cr__polygon_holds(cr__resolve(mesh, ref), cr__ref_polygon(ref), p.x, p.z, slack);
}

typedef struct RayTally {
  int64_t rays, hits, unclear;
} RayTally;

// Between what the cheapest and what the dearest polygons of the trail cost, sample by sample: they differ on edges.
static void check_cost(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrPolyRef *trail,
                       const CrRaycastResult *result, CrVec3 s, CrVec3 e) {
  const int samples = 200;
  double least = 0.0, most = 0.0, dearest = 0.0, length = cr__dist_xz(s, e) * result->t;
  for (int i = 0; i < samples; i++) {
    CrVec3 p = cr__lerp(s, e, (i + 0.5) / samples * result->t);
    double low = INFINITY, high = 0.0;
    for (int32_t k = 0; k < result->count; k++) {
      if (!holds(mesh, trail[k], p, 1e-7)) continue;
      uint8_t area = cr__resolve(mesh, trail[k])->areas[cr__ref_polygon(trail[k])];
      double cost = filter ? filter->area_cost[area] : 1.0;
      low = fmin(low, cost);
      high = fmax(high, cost);
    }
    if (low == INFINITY) low = high = 1.0;
    least += low * length / samples;
    most += high * length / samples;
    dearest = fmax(dearest, high);
  }
  // A sample may lie in the next polygon already for every change of cost.
  double slack = 1e-6 * (1.0 + length) + (filter ? dearest * length / samples * (result->count + 1) : 0.0);
  CHECK(result->cost >= least - slack && result->cost <= most + slack);
}

static void compare_ray(const CrNavMeshQuery *query, const CrQueryFilter *filter, CrPolyRef ref, CrVec3 s, CrVec3 e,
                        RayTally *tally) {
  static CrPolyRef trail[CAPACITY];
  const CrNavMesh *mesh = cr_query_mesh(query);
  CrRaycastResult result;
  CHECK_OK(cr_query_raycast(query, ref, s, e, filter, trail, CAPACITY, &result, NULL));
  CHECK(!result.truncated);
  check_trail(mesh, filter, trail, result.count, ref);
  double slack = world_slack(mesh);
  CHECK(holds(mesh, trail[result.count - 1], result.point, slack));
  double length = cr__dist_xz(s, e), got = result.hit ? result.t * length : length;
  CHECK(result.t >= 0.0 && result.t <= 1.0 && (result.hit || result.t == 1.0));
  CHECK_NEAR(cr__dist_xz(s, result.point), got, 1e-7);
  if (tally->rays % 8 == 0) check_cost(mesh, filter, trail, &result, s, e);
  // What comes within the tolerance may count as touched or not; between the two floods the answer is free.
  double least = flood_ray(mesh, filter, ref, s, e, 0.1 * slack);
  double most = flood_ray(mesh, filter, ref, s, e, 3e-8 + slack);
  bool in_bounds = got >= least - 1e-6 && got <= most + 1e-6;
  CHECK(in_bounds);
  if (!in_bounds) printf("  got %.9g of %.9g, flood %.9g..%.9g\n", got, length, least, most);
  tally->rays++;
  tally->hits += result.hit;
  tally->unclear += most - least > 1e-5;
  if (!result.hit) return;
  CrVec3 a, b;
  CHECK(result.hit_ref == trail[result.count - 1]);
  const CrTile *tile = cr__resolve(mesh, result.hit_ref);
  cr__polygon_edge(tile, cr__ref_polygon(result.hit_ref), (uint32_t)result.hit_edge, &a, &b);
  CHECK(cr__dist_xz(result.point, cr__lerp(a, b, cr__segment_t_xz(a, b, result.point))) < 1e-8 + slack);
  CHECK_NEAR(result.normal_x * result.normal_x + result.normal_z * result.normal_z, 1.0, 1e-12);
  CHECK((b.x - a.x) * result.normal_z - (b.z - a.z) * result.normal_x > 0.0);
  // A wall it is: nothing accepted lies behind the edge there.
  double nearest = INFINITY;
  for (uint8_t part = 0;
       cr_query_wall_piece(mesh, filter, result.hit_ref, (uint8_t)result.hit_edge, part, &a, &b) == CR_STATUS_OK;
       part++) {
    nearest = fmin(nearest, cr__dist_xz(result.point, cr__lerp(a, b, cr__segment_t_xz(a, b, result.point))));
  }
  CHECK(nearest <= 2e-6);
}

// A vertex of the polygon, the middle of one of its edges, or a point inside.
static CrVec3 place_on(const CrNavMesh *mesh, CrPolyRef ref, uint64_t *seed) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  int32_t kind = rnd_int(seed, 3);
  uint32_t k = (uint32_t)rnd_int(seed, (int32_t)info.vertex_count), next = (k + 1) % info.vertex_count;
  if (kind == 0) return info.vertices[k];
  if (kind == 1) return cr__lerp(info.vertices[k], info.vertices[next], rnd_int(seed, 2) ? 0.5 : rnd_unit(seed));
  const CrTile *tile = cr__resolve(mesh, ref);
  return cr__polygon_center(tile, cr__ref_polygon(ref));
}

TEST(rays_get_as_far_as_the_mesh_goes) {
  RayTally tally = {0};
  for (int number = 0; number < 40 + HARD_WORLDS; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = number < 40 ? world_number(number) : hard_world(number - 40);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 300 + (uint64_t)number;
    for (int64_t i = check_scaled(2000); i > 0; i--) {
      CrPolyRef ref, other;
      CrVec3 s, e;
      check_seed = seed;
      if (!random_place(mesh, filter, &seed, &ref, &s)) continue;
      e = world_random_point(mesh, &seed, &other);
      // Two of three rays join special points: along edges, through vertices, of no length.
      if (i % 3) s = place_on(mesh, ref, &seed), e = place_on(mesh, i % 3 == 1 ? other : ref, &seed);
      // Some lead off the mesh.
      if (i % 11 == 0) e.x = cr__clamp(e.x + 3.0 * (e.x - s.x) + 1.0, -2097151, 2097151);
      compare_ray(query, filter, ref, s, e, &tally);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld rays, %lld hit a wall, %lld within the tolerance of one\n", (long long)tally.rays,
         (long long)tally.hits, (long long)tally.unclear);
  CHECK(tally.hits > tally.rays / 10 && tally.unclear < tally.rays / 100);
}

static CrPolyRef at(const CrNavMeshQuery *query, double x, double z) {
  CrNearestPoly nearest;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(x, 0, z), cr__vec(0.01, 1, 0.01), NULL, &nearest, NULL));
  return nearest.ref;
}

TEST(rays_touch_walls_and_pass) {
  // One blocked cell in the middle: rays along its sides and past its corners go by, a ray between two diagonal cells does not.
  CrNavMesh *mesh = world_from_map("...\n.#.\n...", 1.0, 2, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef trail[32];
  CrRaycastResult result;
  CrVec3 along[][2] = {{{0.5, 0, 1}, {2.5, 0, 1}},
                       {{1, 0, 0.5}, {1, 0, 2.5}},
                       {{0.5, 0, 1.5}, {1.5, 0, 0.5}},
                       {{0, 0, 1}, {3, 0, 1}},
                       {{2, 0, 3}, {2, 0, 0}}};
  for (size_t i = 0; i < CR_COUNT_OF(along); i++) {
    CHECK_OK(cr_query_raycast(query, at(query, along[i][0].x, along[i][0].z), along[i][0], along[i][1], NULL, trail, 32,
                              &result, NULL));
    CHECK(!result.hit && result.t == 1.0);
  }
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.5), cr__vec(0.5, 0, 0.5), cr__vec(2.5, 0, 2.5), NULL, trail, 32,
                            &result, NULL));
  CHECK(result.hit);
  CHECK_NEAR(result.point.x, 1.0, 1e-9);
  CHECK_NEAR(result.point.z, 1.0, 1e-9);
  // From a point on the wall: away from it, along it, into it.
  CrPolyRef left = at(query, 0.5, 1.5);
  CrVec3 wall = {1, 0, 1.5};
  CHECK_OK(cr_query_raycast(query, left, wall, cr__vec(0, 0, 1.2), NULL, trail, 32, &result, NULL));
  CHECK(!result.hit);
  CHECK_OK(cr_query_raycast(query, left, wall, cr__vec(1, 0, 3), NULL, trail, 32, &result, NULL));
  CHECK(!result.hit);
  CHECK_OK(cr_query_raycast(query, left, wall, cr__vec(2, 0, 1.4), NULL, trail, 32, &result, NULL));
  CHECK(result.hit && result.t == 0.0);
  CHECK_NEAR(result.normal_x, -1.0, 0.0);
  CHECK_OK(cr_query_raycast(query, left, wall, wall, NULL, trail, 32, &result, NULL));
  CHECK(!result.hit && result.t == 1.0 && result.count == 1 && result.cost == 0.0);
  // A short buffer.
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.5), cr__vec(0.5, 0, 0.5), cr__vec(2.5, 0, 0.5), NULL, trail, 2,
                            &result, NULL));
  CHECK(result.truncated && !result.hit && result.count == 2);
  CHECK_NEAR(result.point.x, 2.0, 1e-12);
  CHECK_NEAR(result.t, 0.75, 1e-12);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(a_ray_tells_what_its_line_costs) {
  CrNavMesh *mesh = world_from_map(".aab", 1.0, 2, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrQueryFilter filter = cr_query_filter_default();
  CrPolyRef trail[8];
  CrRaycastResult result;
  filter.area_cost[1] = 4.0;
  filter.area_cost[2] = 0.5;
  CrVec3 s = {0.5, 0, 0.25}, e = {3.5, 0, 0.25};
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.25), s, e, &filter, trail, 8, &result, NULL));
  CHECK_NEAR(result.cost, 0.5 + 2 * 4.0 + 0.5 * 0.5, 1e-12);
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.25), s, e, NULL, trail, 8, &result, NULL));
  CHECK_NEAR(result.cost, 3.0, 1e-12);
  e.x = 9.0;  // beyond the wall
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.25), s, e, &filter, trail, 8, &result, NULL));
  CHECK(result.hit);
  CHECK_NEAR(result.cost, 0.5 + 2 * 4.0 + 0.5, 1e-12);
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.25), s, e, &filter, trail, 2, &result, NULL));
  CHECK(result.truncated);
  CHECK_NEAR(result.cost, 0.5 + 4.0, 1e-12);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(diagonal_cells_do_not_touch) {
  CrNavMesh *mesh = world_from_map(".#\n#.", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef trail[8];
  CrRaycastResult result;
  CHECK_OK(cr_query_raycast(query, at(query, 0.5, 0.5), cr__vec(0.5, 0, 0.5), cr__vec(1.5, 0, 1.5), NULL, trail, 8,
                            &result, NULL));
  CHECK(result.hit && result.count == 1);
  CHECK_NEAR(result.t, 0.5, 1e-12);
  CrMoveResult move;
  CHECK_OK(cr_query_move_along_surface(query, at(query, 0.5, 0.5), cr__vec(0.5, 0, 0.5), cr__vec(1.5, 0, 1.5), NULL,
                                       trail, 8, &move, NULL));
  CHECK(move.blocked && move.count == 1);
  CHECK_NEAR(move.point.x, 1.0, 1e-12);
  CHECK_NEAR(move.point.z, 1.0, 1e-12);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

// --- Moves ------------------------------------------------------------------------------------------------------------------

TEST(moves_in_a_room_end_where_the_box_says) {
  // Any convex room: sliding along its axis-parallel walls is clamping to them.
  const char *map = "........\n........\n........\n........\n........\n........";
  for (int kind = 0; kind < 4; kind++) {
    CrNavMesh *mesh = kind < 2 ? world_from_map(map, 1.0, kind ? 3 : 0, NULL)
                               : world_from_map_merged(map, 1.0, 5, kind == 3 ? 4 : 0, NULL);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 40 + (uint64_t)kind;
    for (int64_t i = check_scaled(20000); i > 0; i--) {
      CrPolyRef ref, visited[64];
      check_seed = seed;
      CrVec3 start = world_random_point(mesh, &seed, &ref);
      if (i % 2) start = place_on(mesh, ref, &seed);
      CrVec3 to = rnd_ground(&seed, -4, -4, 12, 10);
      if (i % 5 == 0) {
        to.x = rnd_int(&seed, 11) - 1;
        to.z = rnd_int(&seed, 9) - 1;
      }
      CrMoveResult move;
      CHECK_OK(cr_query_move_along_surface(query, ref, start, to, NULL, visited, 64, &move, NULL));
      check_trail(mesh, NULL, visited, move.count, ref);
      bool inside = to.x >= 0 && to.x <= 8 && to.z >= 0 && to.z <= 6;
      CHECK_INT(move.blocked, !inside);
      CHECK_NEAR(move.point.x, cr__clamp(to.x, 0, 8), 3e-8);
      CHECK_NEAR(move.point.z, cr__clamp(to.z, 0, 6), 3e-8);
      if (inside) CHECK(cr__near_xz(move.point, to, 1e-12));
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
}

typedef struct Wanderer {
  CrPolyRef ref;
  CrVec3 point, anchor;
  int64_t still;
} Wanderer;

// One random move: mostly short, sometimes far, sometimes exactly at a vertex or along an axis.
static CrVec3 next_goal(const CrNavMesh *mesh, const Wanderer *agent, double scale, uint64_t *seed) {
  double reach = scale * (rnd_int(seed, 20) ? rnd_range(seed, 0.0, 0.6) : rnd_range(seed, 0.0, 12.0));
  double angle = rnd_int(seed, 4) ? rnd_range(seed, 0, 6.2831853) : 1.5707963267948966 * rnd_int(seed, 4);
  if (rnd_int(seed, 6) == 0) {
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(mesh, agent->ref, &info));
    return info.vertices[rnd_int(seed, (int32_t)info.vertex_count)];
  }
  return cr__vec(cr__clamp(agent->point.x + reach * cos(angle), -2097151, 2097151), agent->point.y,
                 cr__clamp(agent->point.z + reach * sin(angle), -2097151, 2097151));
}

typedef struct MoveTally {
  int64_t moves, blocked, truncated;
  double worst_off, worst_gain;
} MoveTally;

static void wander(const CrNavMeshQuery *query, const CrQueryFilter *filter, Wanderer *agent, double scale,
                   double slack, uint64_t *seed, MoveTally *tally) {
  static CrPolyRef visited[CAPACITY];
  const CrNavMesh *mesh = cr_query_mesh(query);
  CrVec3 to = next_goal(mesh, agent, scale, seed);
  CrMoveResult move;
  CHECK_OK(cr_query_move_along_surface(query, agent->ref, agent->point, to, filter, visited, CAPACITY, &move, NULL));
  check_trail(mesh, filter, visited, move.count, agent->ref);
  CrPolyRef last = visited[move.count - 1];
  CHECK(holds(mesh, last, move.point, slack));
  CHECK(move.point.y == cr__polygon_height(cr__resolve(mesh, last), cr__ref_polygon(last), move.point.x, move.point.z));
  double asked = cr__dist_xz(agent->point, to), moved = cr__dist_xz(agent->point, move.point);
  tally->worst_gain = fmax(tally->worst_gain, moved - asked);
  CHECK(moved <= asked + 1e-7 + slack);
  if (!move.blocked && !move.truncated) CHECK(cr__near_xz(move.point, to, 2e-8 + slack));
  tally->moves++;
  tally->blocked += move.blocked;
  tally->truncated += move.truncated;
  agent->ref = last;
  agent->point = move.point;
}

TEST(a_million_moves_stay_on_the_mesh) {
  MoveTally tally = {0};
  const int worlds = 40 + HARD_WORLDS;
  int64_t each = check_scaled(1000000) / (worlds * 10) + 1;
  for (int number = 0; number < worlds; number++) {
    CrQueryFilter storage;
    const CrQueryFilter *filter = filter_number(number, &storage);
    CrNavMesh *mesh = number < 40 ? world_number(number) : hard_world(number - 40);
    CrNavMeshQuery *query = make_query(mesh);
    CrVec3 low, high;
    REQUIRE(cr_navmesh_bounds(mesh, &low, &high));
    double scale = number < 40 ? 1.0 : fmin(high.x - low.x, high.z - low.z) / 20;
    uint64_t seed = 60 + (uint64_t)number;
    for (int agents = 0; agents < 10; agents++) {
      Wanderer agent = {0};
      check_seed = seed;
      if (!random_place(mesh, filter, &seed, &agent.ref, &agent.point)) continue;
      for (int64_t i = each; i > 0; i--) wander(query, filter, &agent, scale, world_slack(mesh), &seed, &tally);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld moves, %lld met a wall, %lld cut short; longest excess over the motion asked for %.2g\n",
         (long long)tally.moves, (long long)tally.blocked, (long long)tally.truncated, tally.worst_gain);
  CHECK(tally.moves >= each * 10 * (worlds - 2) && tally.truncated == 0);
}

// Near the coordinate limit a coordinate is rounded to 2^-32; small and large cells.
TEST(moves_stay_on_far_small_and_large_meshes) {
  const double cells[] = {1.0, 1.0, 0.01, 1000.0, 0.01}, origins[] = {2097000.0, -2097100.0, 0.0, -9000.0, 1048576.0};
  MoveTally tally = {0};
  for (size_t w = 0; w < CR_COUNT_OF(cells); w++) {
    CrNavMesh *mesh = world_warped(70 + w, 3, 6, cells[w], 0.15, 0.1 * cells[w], origins[w]);
    CrNavMeshQuery *query = make_query(mesh);
    uint64_t seed = 75 + w;
    double slack = 1e-9 * (1.0 + cells[w]) + (fabs(origins[w]) > 1e6 ? 2e-9 : 0.0);
    for (int agents = 0; agents < 10; agents++) {
      Wanderer agent = {0};
      check_seed = seed;
      agent.point = world_random_point(mesh, &seed, &agent.ref);
      for (int64_t i = check_scaled(4000); i > 0; i--) wander(query, NULL, &agent, cells[w], slack, &seed, &tally);
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld moves, %lld met a wall; longest excess %.2g\n", (long long)tally.moves, (long long)tally.blocked,
         tally.worst_gain);
  CHECK(tally.truncated == 0 && tally.blocked > tally.moves / 20);
}

// Motion is never lost: where a move stopped with motion left, no small move in its last direction or to either side of it along
// a wall gets on; in particular an agent at a vertex can always leave it into the open.
TEST(no_vertex_traps_an_agent) {
  int64_t tried = 0;
  for (int number = 0; number < 30; number++) {
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh);
    uint32_t count;
    CrPolyRef *all = world_all_polygons(mesh, &count), visited[CAPACITY];
    uint64_t seed = 80 + (uint64_t)number;
    for (int i = 0; i < 400; i++) {
      check_seed = seed;
      CrPolyRef ref = all[rnd_int(&seed, (int32_t)count)];
      CrVec3 start = place_on(mesh, ref, &seed);
      const CrTile *tile = cr__resolve(mesh, ref);
      // Towards the centre of any polygon around the point nothing is in the way.
      CrWayList ways = cr__ways(mesh, tile, cr__ref_polygon(ref), NULL);
      for (CrWay way; cr__next_way(&ways, &way);) {
        if (way.kind == CR_WAY_OFF_MESH || !holds(mesh, way.target, start, 1e-12)) continue;
        CrVec3 center = cr__polygon_center(cr__tile_of(mesh, way.target), cr__ref_polygon(way.target));
        CrMoveResult move;
        CHECK_OK(cr_query_move_along_surface(query, ref, start, center, NULL, visited, CAPACITY, &move, NULL));
        CHECK(!move.blocked && cr__near_xz(move.point, center, 1e-9));
        tried++;
      }
    }
    free(all);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld moves off edges and vertices\n", (long long)tried);
  CHECK(tried > 5000);
}

TEST(moves_follow_bent_walls) {
  // An L-shaped wall: the way along the first wall, round its end, and on; nothing sticks at the joint of tiles.
  CrNavMesh *mesh = world_from_map("......\n......\n###...\n......", 1.0, 2, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef visited[32];
  CrMoveResult move;
  // Into the wall at a slant: slides along z = 2 to the open end, then keeps the direction of the wall.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 0.5, 1.5), cr__vec(0.5, 0, 1.5), cr__vec(4.5, 0, 3.5), NULL,
                                       visited, 32, &move, NULL));
  CHECK(move.blocked);
  CHECK_NEAR(move.point.x, 4.5, 1e-7);
  CHECK_NEAR(move.point.z, 2.0, 1e-7);
  // Straight at the wall: stops there.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 1.5, 1.5), cr__vec(1.5, 0, 1.5), cr__vec(1.5, 0, 3.5), NULL,
                                       visited, 32, &move, NULL));
  CHECK(move.blocked && move.count == 1);
  CHECK_NEAR(move.point.z, 2.0, 1e-12);
  // Exactly at the corner of the wall from above: passes it.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 2.5, 1.5), cr__vec(2.5, 0, 1.5), cr__vec(3.5, 0, 2.5), NULL,
                                       visited, 32, &move, NULL));
  CHECK(!move.blocked);
  CHECK_NEAR(move.point.x, 3.5, 1e-12);
  // A move of no length stays, on its own polygon.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 2.5, 1.5), cr__vec(2.5, 0, 1.5), cr__vec(2.5, 9, 1.5), NULL,
                                       visited, 1, &move, NULL));
  CHECK(!move.blocked && !move.truncated && move.count == 1 && move.point.y == 0.0);
  // From off the polygon the walk begins at its nearest point.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 0.5, 0.5), cr__vec(-3, 0, 0.5), cr__vec(0.7, 0, 0.5), NULL,
                                       visited, 8, &move, NULL));
  CHECK(!move.blocked && move.count == 1);
  CHECK_NEAR(move.point.x, 0.7, 1e-12);
  // A short buffer ends the walk at the last polygon written.
  CHECK_OK(cr_query_move_along_surface(query, at(query, 0.5, 0.5), cr__vec(0.5, 0, 0.5), cr__vec(5.5, 0, 0.5), NULL,
                                       visited, 3, &move, NULL));
  CHECK(move.truncated && move.count == 3);
  CHECK_NEAR(move.point.x, 3.0, 1e-12);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(walk_arguments_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh);
  CrPolyRef ref = at(query, 0.5, 0.5), trail[4];
  CrVec3 p = {0.5, 0, 0.5}, bad = {0, INFINITY, 0};
  CrError error;
  CrMoveResult move = {.count = 55};
  CrRaycastResult ray = {.count = 55};
  CHECK_STATUS(cr_query_move_along_surface(query, ref, bad, p, NULL, trail, 4, &move, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "start") == 0);
  CHECK_STATUS(cr_query_move_along_surface(query, ref, p, bad, NULL, trail, 4, &move, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "to") == 0);
  CHECK_STATUS(cr_query_move_along_surface(query, ref, p, p, NULL, trail, 0, &move, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "capacity") == 0);
  CHECK_STATUS(cr_query_move_along_surface(query, 77, p, p, NULL, trail, 4, &move, &error), CR_STATUS_STALE_REF);
  CHECK_STATUS(cr_query_raycast(query, ref, bad, p, NULL, trail, 4, &ray, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_query_raycast(query, ref, p, bad, NULL, trail, 4, &ray, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "end") == 0);
  CHECK_STATUS(cr_query_raycast(query, ref, p, p, NULL, trail, -1, &ray, &error), CR_STATUS_ARGUMENT);
  CHECK_STATUS(cr_query_raycast(query, 0, p, p, NULL, trail, 4, &ray, &error), CR_STATUS_STALE_REF);
  CHECK(move.count == 55 && ray.count == 55);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(rays_get_as_far_as_the_mesh_goes), RUN(rays_touch_walls_and_pass), RUN(a_ray_tells_what_its_line_costs),
          RUN(diagonal_cells_do_not_touch), RUN(moves_in_a_room_end_where_the_box_says),
          RUN(a_million_moves_stay_on_the_mesh), RUN(moves_stay_on_far_small_and_large_meshes),
          RUN(no_vertex_traps_an_agent), RUN(moves_follow_bent_walls), RUN(walk_arguments_are_checked))
