// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The wall lists of agents (docs/behaviour/crowds.md, "Walls"): when they are looked up, what is in them, and which walls of a
// list are avoided, on which floor and in which order.
#include "crowd_runs.h"
#include "crowdreel/crowd_debug.h"
#include "tile_kit.h"

enum { AGENTS = 40, MOST_WALLS = 255 };

static const CrWallCache *list_of(const CrCrowd *crowd, int64_t id) {
  return &cr__crowd_slot(crowd, cr__agents_find(crowd, id))->cache;
}

// --- Lookups ----------------------------------------------------------------------------------------------------------

static CrWallPiece pieces[MOST_WALLS];

// What FindWalls gives around the list's centre.
static int32_t look_up(const CrCrowd *crowd, CrNavMeshQuery *query, const CrAgent *agent, CrPolyRef start) {
  double horizon = cr__avoidance_of(&agent->options).horizon;
  double reach = 0.5 * horizon * agent->options.max_speed + agent->options.wall_clearance;
  int32_t count = 0;
  REQUIRE_OK(cr_query_find_walls(query, start, agent->cache.center, reach + crowd->options.wall_refresh_distance,
                                 crowd->options.filter, pieces, crowd->options.max_walls_per_agent, &count, NULL));
  return count;
}

static void check_list(const CrCrowd *crowd, CrNavMeshQuery *query, const CrAgent *agent, CrPolyRef start) {
  const CrWallCache *cache = &agent->cache;
  CHECK_INT(cache->count, look_up(crowd, query, agent, start));
  for (int32_t k = 0; k < cache->count; k++) {
    CHECK(cache->walls[k].ref == pieces[k].ref && cache->walls[k].edge == pieces[k].edge);
    CHECK(cache->walls[k].part == pieces[k].part && cache->walls[k].a_y == pieces[k].a.y);
  }
}

typedef struct Lookups {
  int64_t kept, moved, full, climbed, chosen, marked, listed;
} Lookups;

// What an agent of this place would choose if it knew which walls may face it, and if it did not.
static int32_t choose_at(const CrCrowd *crowd, const CrAgent *agent, CrVec3 place, bool knows, CrHalfPlane *planes) {
  CrAgent other = *agent;
  other.follower.position = place;
  if (!knows) other.cache.may_face = UINT64_MAX;
  int32_t count = cr__walls_select(crowd, &crowd->workers[0], &other);
  memcpy(planes, crowd->workers[0].planes, (size_t)count * sizeof *planes);
  return count;
}

static void check_marks(const CrCrowd *crowd, const CrAgent *agent, uint64_t *seed, Lookups *lookups) {
  static CrHalfPlane planes[2][MOST_WALLS];
  double refresh = crowd->options.wall_refresh_distance;
  CrVec3 place = agent->follower.position;
  for (int k = 0; k < 6; k++) {
    int32_t counts[2];
    for (int knows = 0; knows < 2; knows++) counts[knows] = choose_at(crowd, agent, place, knows, planes[knows]);
    CHECK_INT(counts[1], counts[0]);
    CHECK(memcmp(planes[0], planes[1], (size_t)counts[0] * sizeof planes[0][0]) == 0);
    lookups->chosen += counts[0];
    CrVec3 most = {2 * refresh, 0.2, 2 * refresh};
    place = cr__add(agent->cache.center, rnd_point(seed, cr__scale(most, -1), most));
  }
  lookups->marked += __builtin_popcountll(agent->cache.may_face);
  lookups->listed += agent->cache.count;
}

// One step: a list is the one before it, or that of where the agent stood.
static void check_step(CrCrowd *crowd, CrNavMeshQuery *query, uint64_t *seed, Lookups *lookups) {
  static CrWallCache before[AGENTS];
  static CrVec3 positions[AGENTS];
  static CrPolyRef starts[AGENTS];
  for (int32_t slot = 0; slot < AGENTS; slot++) {
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    before[slot] = agent->cache;
    positions[slot] = agent->follower.position;
    starts[slot] = agent->follower.corridor.path[0];
  }
  step_crowd(crowd);
  double refresh = crowd->options.wall_refresh_distance;
  for (int32_t slot = 0; slot < AGENTS; slot++) {
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    if (agent->options.quality == CR_QUALITY_OFF) CHECK(!agent->cache.valid);
    if (agent->options.quality == CR_QUALITY_OFF || agent->step_flags == CR_STEP_CROSSING) continue;
    CHECK(cr__walls_hold(crowd, agent));
    check_marks(crowd, agent, seed, lookups);
    double far = cr__dist(positions[slot], before[slot].center);
    bool keeps = before[slot].valid && far <= refresh;
    CHECK(cr__same_point(agent->cache.center, keeps ? before[slot].center : positions[slot]));
    lookups->kept += keeps;
    lookups->climbed += before[slot].valid && !keeps && cr__dist_xz(positions[slot], before[slot].center) <= refresh;
    if (keeps) continue;
    check_list(crowd, query, agent, starts[slot]);
    lookups->moved++;
    lookups->full += agent->cache.count == crowd->options.max_walls_per_agent;
  }
}

static void run_lookups(CrNavMesh *mesh, uint64_t seed, int32_t most, double refresh, Lookups *lookups) {
  CrCrowdOptions crowd_options = cr_crowd_options_default();
  crowd_options.max_walls_per_agent = most;
  crowd_options.max_walls_avoided = most < 8 ? most : 8;
  crowd_options.wall_refresh_distance = refresh;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &crowd_options, NULL, &crowd, NULL));
  CrPathContext *context = crossing_context(mesh);
  check_seed = seed;
  for (int k = 0; k < AGENTS; k++) {
    CrAgentOptions options = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    options.quality = (uint8_t)(k % 4);
    CrVec3 from = world_random_point(mesh, &seed, NULL);
    add_walker(crowd, from, world_random_point(mesh, &seed, NULL), &options);
  }
  for (int k = 0; k < 200; k++) check_step(crowd, cr_path_context_query(context), &seed, lookups);
  cr_path_context_destroy(context);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(lists_are_looked_up_where_the_agent_has_gone_too_far) {
  Lookups lookups = {0};
  run_lookups(world_scattered(8, 14, 14, 2.0, 0.25, 5, NULL), 3, 48, 1.0, &lookups);
  run_lookups(world_two_floors(50, 14, 14, 2.0, 6.0, 10, 5, NULL), 4, 48, 0.7, &lookups);
  run_lookups(world_maze(3, 8, 2.0, 0, NULL), 5, 6, 2.5, &lookups);
  printf("  kept %" PRId64 ", looked up %" PRId64 ", %" PRId64 " of them full, %" PRId64 " for height\n", lookups.kept,
         lookups.moved, lookups.full, lookups.climbed);
  printf("  of %" PRId64 " walls listed, %" PRId64 " marked; %" PRId64 " chosen\n", lookups.listed, lookups.marked,
         lookups.chosen);
  CHECK(lookups.kept > 1000 && lookups.moved > 500 && lookups.full > 50);
  CHECK(lookups.chosen > 10000 && lookups.marked * 4 < lookups.listed * 3);
}

// Looked up for height alone: up a steep ramp.
TEST(how_far_an_agent_has_gone_is_measured_in_space) {
  CrNavMeshParams params = {0.0, 0.0, 64.0, 0.5, 0.0, 2.0};
  static TileKit kit;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  const double ramp[] = {0, 0, 0, 10, 30, 0, 10, 30, 10, 0, 0, 10};  // three up for each along
  kit_polygon(&kit, 4, ramp);
  kit_add(&kit, mesh);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_walker(crowd, cr__vec(2, 6, 5), cr__vec(8, 24, 5), NULL);
  step_crowd(crowd);
  CrVec3 center = list_of(crowd, id)->center;
  double farthest = 0.0;
  for (int k = 0; k < 40; k++) {
    CrVec3 position = walker_info(crowd, id).position;
    step_crowd(crowd);
    bool kept = cr__same_point(list_of(crowd, id)->center, center);
    CHECK(kept == (cr__dist(position, center) <= 1.0));
    if (kept) farthest = cr__max(farthest, cr__dist_xz(position, center));
    center = list_of(crowd, id)->center;
  }
  CHECK(farthest > 0.2 && farthest < 0.35);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A crowd of one that its host drives, in whole seconds. Its half-planes are recorded, its list is looked up where it starts.
static CrCrowd *drive(CrNavMesh *mesh, CrVec3 from, CrVec3 velocity) {
  CrCrowdOptions crowd_options = cr_crowd_options_default();
  crowd_options.record_constraints = true;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &crowd_options, NULL, &crowd, NULL));
  CrAgentOptions options = cr_agent_options_humanoid();
  options.max_speed = 4.0;
  options.max_acceleration = 1e9;
  int64_t id = add_agent(crowd, from, &options);
  CHECK_OK(cr_crowd_set_velocity(crowd, id, velocity, NULL));
  CHECK_OK(cr_crowd_step(crowd, 1.0, NULL));
  return crowd;
}

// At exactly the refresh distance the list is kept.
TEST(a_list_is_kept_up_to_the_refresh_distance) {
  CrNavMesh *mesh = open_world(4, 4, 16.0);
  CrCrowd *crowd = drive(mesh, cr__vec(24, 0, 24), cr__vec(1, 0, 0));
  CHECK(walker_info(crowd, 0).position.x == 25.0);
  CHECK_OK(cr_crowd_step(crowd, 1.0, NULL));
  CHECK(walker_info(crowd, 0).position.x == 26.0 && list_of(crowd, 0)->center.x == 24.0);
  CHECK_OK(cr_crowd_step(crowd, 1.0, NULL));
  CHECK(list_of(crowd, 0)->center.x == 26.0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// The ground of a standing agent is taken away: there are no walls, and no list, until there is ground again.
TEST(a_list_that_cannot_be_looked_up_is_tried_again) {
  CrNavMesh *mesh = open_world(1, 1, 6.0);
  CrBytes tile = {0};
  REQUIRE_OK(cr_navmesh_tile_bytes(mesh, 0, NULL, &tile, NULL));
  CrCrowd *crowd = drive(mesh, cr__vec(3, 0, 3), cr__vec(0, 0, 0));
  CHECK_OK(cr_crowd_stop(crowd, 0, NULL));
  CrConstraint planes[MOST_WALLS];
  CHECK_INT(cr_crowd_constraints(crowd, 0, MOST_WALLS, planes, NULL), 4);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  for (int k = 0; k < 3; k++) {
    step_crowd(crowd);
    CHECK(!list_of(crowd, 0)->valid);
    CHECK_INT(cr_crowd_constraints(crowd, 0, MOST_WALLS, planes, NULL), 0);
  }
  REQUIRE_OK(cr_navmesh_add_tile(mesh, tile.data, tile.size, NULL, NULL));
  CHECK_OK(cr_crowd_teleport(crowd, 0, cr__vec(3, 0, 3), NULL));
  step_crowd(crowd);
  CHECK_INT(cr_crowd_constraints(crowd, 0, MOST_WALLS, planes, NULL), 4);
  cr_bytes_free(&tile);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// --- Which are avoided --------------------------------------------------------------------------------------------------

// The recorded walls of one standing agent at a place of the mesh, which is freed. Returns how many.
static int32_t walls_avoided(CrNavMesh *mesh, CrVec3 place, const CrAgentOptions *options, int32_t most,
                             CrConstraint *out) {
  CrCrowdOptions crowd_options = cr_crowd_options_default();
  crowd_options.record_constraints = true;
  crowd_options.max_walls_avoided = most;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &crowd_options, NULL, &crowd, NULL));
  int64_t id = add_agent(crowd, place, options);
  step_crowd(crowd);
  int32_t walls, count = cr_crowd_constraints(crowd, id, MOST_WALLS, out, &walls);
  CHECK_INT(count, walls);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return walls;
}

// A square room of side 8, its corner at the origin.
static CrNavMesh *room(void) { return open_world(1, 1, 8.0); }

// Reach is 0.5 * 2 * 3.25 + 0.75 = 4 here.
TEST(walls_within_reach_are_avoided) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.max_speed = 3.25;
  options.wall_clearance = 0.75;
  CrConstraint planes[MOST_WALLS];
  CHECK_INT(walls_avoided(room(), cr__vec(4, 0, 4), &options, 8, planes), 4);
  CHECK_INT(walls_avoided(room(), cr__vec(4.0078125, 0, 4), &options, 8, planes), 3);  // not the one at x 0
  for (int k = 0; k < 3; k++) CHECK(planes[k].normal_x != 1.0);
  options.quality = CR_QUALITY_LOW;  // 3.1875
  CHECK_INT(walls_avoided(room(), cr__vec(4, 0, 4), &options, 8, planes), 0);
  CHECK_INT(walls_avoided(room(), cr__vec(3.1875, 0, 4), &options, 8, planes), 1);
  CHECK_NEAR(planes[0].point_x, -(3.1875 - 0.75) / 0.75, 1e-12);
  CHECK(planes[0].normal_x == 1.0 && planes[0].normal_z == 0.0 && planes[0].point_z == 0.0);
}

// The nearest come first, and of equally near ones that of the lower edge. Only as many as are asked for are taken.
TEST(the_nearest_walls_come_first) {
  CrAgentOptions options = cr_agent_options_humanoid();
  CrConstraint planes[MOST_WALLS], fewer[MOST_WALLS];
  int32_t count = walls_avoided(room(), cr__vec(5.5, 0, 5), &options, 8, planes);
  CHECK_INT(count, 2);
  CHECK(planes[0].normal_x == -1.0 && planes[1].normal_z == -1.0);
  for (int32_t most = 0; most <= 4; most++) {
    options.max_speed = 4.0;
    count = walls_avoided(room(), cr__vec(4, 0, 4), &options, 8, planes);
    CHECK_INT(count, 4);
    CHECK_INT(walls_avoided(room(), cr__vec(4, 0, 4), &options, most, fewer), most);
    CHECK(memcmp(planes, fewer, (size_t)most * sizeof *planes) == 0);
  }
  // Edges of a square cell in their order: at z 0, x 8, z 8, x 0.
  static const double normals[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  for (int k = 0; k < 4; k++) CHECK(planes[k].normal_x == normals[k][0] && planes[k].normal_z == normals[k][1]);
}

// The walls of one that comes from `from` to `to`, where some are equally near: in what order they are avoided.
static int32_t walls_come_to(CrNavMesh *mesh, CrVec3 from, CrVec3 to, CrConstraint *out) {
  CrCrowd *crowd = drive(mesh, from, cr__sub(to, from));
  CHECK(cr__same_point(walker_info(crowd, 0).position, to));
  CHECK_OK(cr_crowd_set_velocity(crowd, 0, cr__vec(0, 0, 0), NULL));
  CHECK_OK(cr_crowd_step(crowd, 1.0, NULL));
  CHECK(cr__same_point(list_of(crowd, 0)->center, from));
  int32_t walls;
  cr_crowd_constraints(crowd, 0, MOST_WALLS, out, &walls);
  cr_crowd_destroy(crowd);
  return walls;
}

// From wherever the list was looked up, and so whatever its order: equally near walls go by polygon, then by edge.
TEST(equally_near_walls_go_by_polygon_and_edge) {
  static const double offs[][2] = {{0.25, 0}, {-0.25, 0}, {0, 0.25}, {0, -0.25}};
  static const double normals[4][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  CrConstraint planes[MOST_WALLS];
  CrNavMesh *one = room(), *two = open_world(2, 1, 4.0);
  uint32_t polygons;
  CrPolyRef *refs = world_all_polygons(two, &polygons);
  CHECK(polygons == 2 && refs[0] < refs[1]);
  for (int k = 0; k < 4; k++) {
    CrVec3 from = cr__vec(4 + offs[k][0], 0, 4 + offs[k][1]);
    CHECK_INT(walls_come_to(one, from, cr__vec(4, 0, 4), planes), 4);
    for (int j = 0; j < 4; j++) CHECK(planes[j].normal_x == normals[j][0] && planes[j].normal_z == normals[j][1]);
    // In a strip of two cells, between them: only the walls at its ends are faced. The first cell's comes first, its edge is 3.
    CHECK_INT(walls_come_to(two, cr__vec(4 + offs[k][0], 0, 2 + offs[k][1]), cr__vec(4, 0, 2), planes), 2);
    CHECK(planes[0].normal_x == 1.0 && planes[1].normal_x == -1.0);
  }
  free(refs);
  cr_navmesh_destroy(one);
  cr_navmesh_destroy(two);
}

// What the filter of the crowd excludes has walls around it. The filter is the crowd's own copy.
TEST(what_the_filter_excludes_is_walled_in) {
  CrNavMesh *mesh = open_world(3, 1, 8.0);
  uint32_t polygons;
  CrPolyRef *refs = world_all_polygons(mesh, &polygons);
  CHECK_INT(polygons, 3);
  for (uint32_t k = 0; k < polygons; k++) {
    CrVec3 point;
    uint64_t seed = k;
    CrPolyRef ref;
    do point = world_random_point(mesh, &seed, &ref);
    while (ref != refs[k]);
    if (point.x > 8.0 && point.x < 16.0) REQUIRE_OK(cr_navmesh_set_flags(mesh, ref, 2, NULL));
  }
  for (int excludes = 0; excludes < 2; excludes++) {
    CrQueryFilter filter = cr_query_filter_default();
    filter.exclude_flags = excludes ? 2 : 0;
    CrCrowdOptions options = cr_crowd_options_default();
    options.filter = &filter;
    options.record_constraints = true;
    CrCrowd *crowd;
    REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
    filter.exclude_flags = 0xFFFF;
    int64_t id = add_walker(crowd, cr__vec(6, 0, 4), cr__vec(20, 0, 4), NULL);
    step_crowd(crowd);
    CrConstraint planes[MOST_WALLS];
    int32_t count = cr_crowd_constraints(crowd, id, MOST_WALLS, planes, NULL), ahead = 0;
    for (int32_t k = 0; k < count; k++) ahead += planes[k].normal_x == -1.0;
    CHECK_INT(ahead, excludes);
    CHECK_INT(walker_info(crowd, id).complete, !excludes);
    cr_crowd_destroy(crowd);
  }
  free(refs);
  cr_navmesh_destroy(mesh);
}

// A platform with an upper one across a gap at this height, faced by it: the walls between that its agent avoids.
static int32_t walls_seen_from_above(double height, double out) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 32.0, 0.5, 0.0, 2.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  // A ledge at height 0 whose wall at x 0 faces +x, a steep way up at z 8 to 9, and a strip at `height` beside the ledge.
  const double ledge[] = {0, 0, 0, 0.5, 0, 0, 0.5, 0, 8, 0, 0, 8};
  const double strip[] = {out - 0.25, height, 0, out + 8, height, 0, out + 8, height, 8, out - 0.25, height, 8};
  const double way[] = {0, 0, 8, 0.5, 0, 8, out - 0.25, height, 8, out + 8, height, 8, out + 8, height, 9, 0, 0, 9};
  kit_polygon(&kit, 4, ledge);
  kit_polygon(&kit, 4, strip);
  kit_polygon(&kit, 6, way);
  kit_add(&kit, mesh);
  CrAgentOptions options = cr_agent_options_humanoid();
  options.max_speed = 20.0;
  CrConstraint planes[MOST_WALLS];
  int32_t count = walls_avoided(mesh, cr__vec(out, height, 4), &options, 8, planes), low = 0;
  for (int32_t k = 0; k < count; k++) low += planes[k].normal_x == 1.0 && planes[k].point_x < -(out - 0.1) / 1.0;
  return low;
}

// 1 + 1.5 * 2 is 4: a wall two away counts from up to four above or below.
TEST(walls_of_other_floors_are_left_out) {
  CHECK_INT(walls_seen_from_above(3.9375, 2.0), 1);
  CHECK_INT(walls_seen_from_above(4.0, 2.0), 1);
  CHECK_INT(walls_seen_from_above(4.0625, 2.0), 0);
  CHECK_INT(walls_seen_from_above(-3.9375, 2.0), 1);
  CHECK_INT(walls_seen_from_above(-4.0625, 2.0), 0);
}

TEST_MAIN(RUN(lists_are_looked_up_where_the_agent_has_gone_too_far),
          RUN(how_far_an_agent_has_gone_is_measured_in_space), RUN(a_list_is_kept_up_to_the_refresh_distance),
          RUN(a_list_that_cannot_be_looked_up_is_tried_again), RUN(walls_within_reach_are_avoided),
          RUN(equally_near_walls_go_by_polygon_and_edge), RUN(the_nearest_walls_come_first),
          RUN(what_the_filter_excludes_is_walled_in), RUN(walls_of_other_floors_are_left_out))
