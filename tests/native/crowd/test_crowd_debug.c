// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Debug geometry of crowds: what is told is what the other calls say of each agent, and arrays of any size get their first part
// of it.
#include "crowd_runs.h"
#include "crowdreel/crowd_debug.h"

enum { MOST = 1 << 15, FEW = 64 };

typedef struct Drawing {
  CrAgentDebug agents[MOST];
  CrFollowerOutline outlines[MOST];
  CrVec3 vertices[MOST];
  CrCorner corners[MOST];
  CrAgentWall walls[MOST];
  CrConstraint constraints[MOST];
  CrCrowdDebug told;
} Drawing;

static Drawing whole, part, single;

static CrCrowdDebugArrays arrays_of(Drawing *drawing, const size_t room[6]) {
  return (CrCrowdDebugArrays){
      drawing->agents, drawing->outlines, drawing->vertices, drawing->corners, drawing->walls, drawing->constraints,
      room[0],         room[1],           room[2],           room[3],          room[4],        room[5]};
}

static void draw(Drawing *drawing, const CrCrowd *crowd, const size_t room[6]) {
  CrCrowdDebugArrays arrays = arrays_of(drawing, room);
  cr_crowd_debug(crowd, &arrays, &drawing->told);
}

static void draw_all(const CrCrowd *crowd) {
  static const size_t room[] = {MOST, MOST, MOST, MOST, MOST, MOST};
  draw(&whole, crowd, room);
  const size_t *counts = (const size_t *)&whole.told;
  for (int k = 0; k < 6; k++) REQUIRE(counts[k] <= MOST);
}

static CrCrowd *recording_crowd(const CrNavMesh *mesh, uint64_t seed) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.record_constraints = true;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
  for (int32_t k = 0; k < 50; k++) {
    CrAgentOptions agent = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    agent.quality = (uint8_t)(k % 4);
    int64_t id = add_agent(crowd, world_random_point(mesh, &seed, NULL), &agent);
    if (k % 6) CHECK_OK(cr_crowd_set_destination(crowd, id, world_random_point(mesh, &seed, NULL), NULL));
  }
  for (int64_t id = 0; id < 50; id += 9) CHECK_OK(cr_crowd_remove(crowd, id, NULL));
  return crowd;
}

static bool same_corner(const CrCorner *a, const CrCorner *b) {
  return cr__same_point(a->point, b->point) && a->ref == b->ref && a->path_index == b->path_index &&
         a->flags == b->flags;
}

static void check_follower(const CrCrowd *crowd, const CrAgentDebug *agent) {
  static CrFollowerOutline outlines[FEW];
  static CrVec3 vertices[FEW * CR_MAX_POLY_VERTS];
  static CrCorner corners[MOST];
  CrFollowerDebugArrays arrays = {outlines, vertices, corners, FEW, FEW * CR_MAX_POLY_VERTS, MOST};
  CrFollowerDebug told;
  memset(&told, 0, sizeof told);
  cr_follower_debug(cr_crowd_follower(crowd, agent->id), crowd->mesh, crowd->options.filter, &arrays, &told);
  const CrFollowerDebug *follower = &agent->follower;
  CHECK(follower->state == told.state && follower->broken == told.broken && follower->crossing == told.crossing);
  CHECK(cr__same_point(follower->position, told.position) && cr__same_point(follower->velocity, told.velocity));
  CHECK(cr__same_point(follower->destination, told.destination));
  CHECK(cr__same_point(follower->off_mesh_start, told.off_mesh_start));
  CHECK(cr__same_point(follower->off_mesh_end, told.off_mesh_end) && follower->off_mesh_exit == told.off_mesh_exit);
  CHECK(follower->off_mesh_elapsed == told.off_mesh_elapsed && follower->off_mesh_duration == told.off_mesh_duration);
  CHECK_INT(follower->outline_count, told.outline_count);
  CHECK_INT(follower->vertex_count, told.vertex_count);
  CHECK_INT(follower->corner_count, told.corner_count);
  CHECK_INT(follower->seen_count, told.seen_count);
  for (int32_t k = 0; k < told.outline_count; k++) {
    const CrFollowerOutline *outline = &whole.outlines[agent->first_outline + (size_t)k];
    CHECK(outline->ref == outlines[k].ref && outline->first_vertex == outlines[k].first_vertex &&
          outline->vertex_count == outlines[k].vertex_count);
  }
  for (int32_t k = 0; k < told.vertex_count; k++)
    CHECK(cr__same_point(whole.vertices[agent->first_vertex + (size_t)k], vertices[k]));
  for (int32_t k = 0; k < told.corner_count; k++)
    CHECK(same_corner(&whole.corners[agent->first_corner + (size_t)k], &corners[k]));
}

static void check_walls(const CrCrowd *crowd, const CrAgentDebug *agent, int32_t kept) {
  const CrWallCache *cache = &cr__crowd_slot(crowd, agent->slot)->cache;
  CHECK_INT(agent->wall_count, kept < 0 ? 0 : kept);
  for (int32_t k = 0; k < agent->wall_count; k++) {
    const CrAgentWall *wall = &whole.walls[agent->first_wall + (size_t)k];
    CHECK(wall->ref == cache->walls[k].ref && wall->edge == cache->walls[k].edge && wall->part == cache->walls[k].part);
    CrVec2 a = cache->walls[k].line.a, along = cache->walls[k].line.along;
    CHECK(wall->a.x == a.x && wall->a.z == a.z && wall->a.y == cache->walls[k].a_y);
    CHECK_NEAR(wall->b.x, a.x + along.x * cache->walls[k].line.length, 1e-9);
    CHECK_NEAR(wall->b.z, a.z + along.z * cache->walls[k].line.length, 1e-9);
  }
}

static void check_constraints(const CrCrowd *crowd, const CrAgentDebug *agent) {
  CrConstraint planes[FEW];
  int32_t walls, count = cr_crowd_constraints(crowd, agent->id, FEW, planes, &walls);
  CHECK_INT(agent->constraint_count, count);
  CHECK_INT(agent->wall_constraint_count, walls);
  for (int32_t k = 0; k < count; k++)
    CHECK(memcmp(&whole.constraints[agent->first_constraint + (size_t)k], &planes[k], sizeof planes[k]) == 0);
}

// The bulk reading of wanted velocities stops where there is no more room.
static void check_wanted(const CrCrowd *crowd) {
  static double wanted[2 * MOST];
  int32_t count = cr_crowd_agent_count(crowd), room = count / 2;
  for (int32_t k = 0; k < 2 * count; k++) wanted[k] = 77.0;
  CHECK_INT(cr_crowd_read_wanted(crowd, room, wanted), room);
  CHECK(wanted[2 * room] == 77.0 || room == count);
  CHECK_INT(cr_crowd_read_wanted(crowd, count + 1, wanted), count);
  for (int32_t k = 0; k < count; k++)
    CHECK(wanted[2 * k] == whole.agents[k].wanted_x && wanted[2 * k + 1] == whole.agents[k].wanted_z);
}

// Every agent once, by slot, with items that follow one another without gaps.
static void check_whole(const CrCrowd *crowd) {
  draw_all(crowd);
  CHECK_INT(whole.told.agent_count, cr_crowd_agent_count(crowd));
  check_wanted(crowd);
  CrCrowdDebug sum = {0};
  for (size_t k = 0; k < whole.told.agent_count; k++) {
    const CrAgentDebug *agent = &whole.agents[k];
    CrAgentInfo info;
    CrAgentOptions options;
    CHECK_OK(cr_crowd_agent(crowd, agent->id, &info));
    CHECK_OK(cr_crowd_agent_options(crowd, agent->id, &options));
    CHECK(k == 0 || agent->slot > whole.agents[k - 1].slot);
    CHECK(agent->slot == info.slot && agent->radius == options.radius);
    CHECK(agent->wanted_x == info.wanted_x && agent->wanted_z == info.wanted_z);
    CHECK(agent->first_outline == sum.outline_count && agent->first_vertex == sum.vertex_count);
    CHECK(agent->first_corner == sum.corner_count && agent->first_wall == sum.wall_count);
    CHECK(agent->first_constraint == sum.constraint_count);
    check_follower(crowd, agent);
    check_walls(crowd, agent, info.wall_count);
    check_constraints(crowd, agent);
    sum.outline_count += (size_t)agent->follower.outline_count;
    sum.vertex_count += (size_t)agent->follower.vertex_count;
    sum.corner_count += (size_t)agent->follower.corner_count;
    sum.wall_count += (size_t)agent->wall_count;
    sum.constraint_count += (size_t)agent->constraint_count;
  }
  sum.agent_count = whole.told.agent_count;
  CHECK(memcmp(&sum, &whole.told, sizeof sum) == 0);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool untouched(const void *item, size_t size) {
  const uint8_t *bytes = item;
  for (size_t k = 0; k < size; k++) {
    if (bytes[k] != 0xEE) return false;
  }
  return true;
}

// Field by field: what lies between the fields is nobody's.
static bool same_follower(const CrFollowerDebug *a, const CrFollowerDebug *b) {
  return a->state == b->state && cr__same_point(a->position, b->position) && cr__same_point(a->velocity, b->velocity) &&
         cr__same_point(a->destination, b->destination) && a->outline_count == b->outline_count &&
         a->vertex_count == b->vertex_count && a->corner_count == b->corner_count && a->seen_count == b->seen_count &&
         a->broken == b->broken && a->crossing == b->crossing && cr__same_point(a->off_mesh_start, b->off_mesh_start) &&
         cr__same_point(a->off_mesh_end, b->off_mesh_end) && a->off_mesh_elapsed == b->off_mesh_elapsed &&
         a->off_mesh_duration == b->off_mesh_duration && a->off_mesh_exit == b->off_mesh_exit;
}

static bool same_agent(const CrAgentDebug *a, const CrAgentDebug *b) {
  return a->id == b->id && a->slot == b->slot && a->radius == b->radius && a->wanted_x == b->wanted_x &&
         a->wanted_z == b->wanted_z && same_follower(&a->follower, &b->follower) &&
         a->first_outline == b->first_outline && a->first_vertex == b->first_vertex &&
         a->first_corner == b->first_corner && a->first_wall == b->first_wall &&
         a->first_constraint == b->first_constraint && a->wall_count == b->wall_count &&
         a->constraint_count == b->constraint_count && a->wall_constraint_count == b->wall_constraint_count;
}

static bool same_wall(const CrAgentWall *a, const CrAgentWall *b) {
  return a->ref == b->ref && a->edge == b->edge && a->part == b->part && cr__same_point(a->a, b->a) &&
         cr__same_point(a->b, b->b);
}

#define SAME_PART(items, k)                                                                      \
  do {                                                                                           \
    CHECK(memcmp(part.items, whole.items, least(room[k], counts[k]) * sizeof *part.items) == 0); \
    CHECK(untouched(&part.items[room[k]], sizeof *part.items));                                  \
  } while (0)

// Arrays with less room get the first part and no more; the counts stay.
static void check_part(const CrCrowd *crowd, uint64_t *seed) {
  const size_t *counts = (const size_t *)&whole.told;
  size_t room[6];
  memset(&whole, 0xEE, sizeof whole);
  draw_all(crowd);
  for (int k = 0; k < 6; k++) room[k] = (size_t)rnd_int(seed, (int32_t)counts[k] + 2);
  memset(&part, 0xEE, sizeof part);
  draw(&part, crowd, room);
  CHECK(memcmp(&part.told, &whole.told, sizeof part.told) == 0);
  for (size_t k = 0; k < least(room[0], counts[0]); k++) CHECK(same_agent(&part.agents[k], &whole.agents[k]));
  CHECK(untouched(&part.agents[room[0]], sizeof *part.agents));
  SAME_PART(outlines, 1);
  SAME_PART(vertices, 2);
  for (size_t k = 0; k < least(room[3], counts[3]); k++) CHECK(same_corner(&part.corners[k], &whole.corners[k]));
  CHECK(untouched(&part.corners[room[3]], sizeof *part.corners));
  for (size_t k = 0; k < least(room[4], counts[4]); k++) CHECK(same_wall(&part.walls[k], &whole.walls[k]));
  CHECK(untouched(&part.walls[room[4]], sizeof *part.walls));
  SAME_PART(constraints, 5);
  CrCrowdDebug counted;
  cr_crowd_debug(crowd, NULL, &counted);
  CHECK(memcmp(&counted, &whole.told, sizeof counted) == 0);
}

static void check_single(const CrCrowd *crowd, size_t index) {
  static const size_t room[] = {MOST, MOST, MOST, MOST, MOST, MOST};
  const CrAgentDebug *agent = &whole.agents[index];
  CrCrowdDebugArrays arrays = arrays_of(&single, room);
  CHECK_OK(cr_crowd_debug_agent(crowd, agent->id, &arrays, &single.told));
  CHECK(single.told.agent_count == 1 && single.agents[0].id == agent->id && single.agents[0].first_wall == 0);
  CHECK_INT(single.told.wall_count, agent->wall_count);
  CHECK_INT(single.told.vertex_count, agent->follower.vertex_count);
  for (size_t k = 0; k < single.told.wall_count; k++) {
    CHECK(same_wall(&single.walls[k], &whole.walls[agent->first_wall + k]));
  }
  CHECK(memcmp(single.vertices, whole.vertices + agent->first_vertex,
               single.told.vertex_count * sizeof *single.vertices) == 0);
}

TEST(agents_are_told_as_they_are) {
  CrNavMesh *mesh = world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL);
  CrCrowd *crowd = recording_crowd(mesh, 5);
  uint64_t seed = check_seed = 5;
  size_t crossings = 0, constraints = 0;
  for (int round = 0; round < 60; round++) {
    check_whole(crowd);
    check_part(crowd, &seed);
    check_single(crowd, (size_t)rnd_int(&seed, (int32_t)whole.told.agent_count));
    for (size_t k = 0; k < whole.told.agent_count; k++) crossings += whole.agents[k].follower.crossing;
    constraints += whole.told.constraint_count;
    for (int k = 0; k < 7; k++) step_crowd(crowd);
  }
  printf("  %zu agents crossing a link, %zu half-planes\n", crossings, constraints);
  CHECK(crossings > 20 && constraints > 1000);
  CHECK_STATUS(cr_crowd_debug_agent(crowd, 0, NULL, &whole.told), CR_STATUS_NO_SUCH_AGENT);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

// A mesh edit makes lists stale: there are no walls to tell until the next step has looked them up.
TEST(stale_lists_and_broken_corridors_are_not_told) {
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, NULL);
  CrCrowd *crowd = recording_crowd(mesh, 6);
  for (int k = 0; k < 20; k++) step_crowd(crowd);
  draw_all(crowd);
  CHECK(whole.told.wall_count > 100);
  CHECK_OK(cr_navmesh_remove_tile(mesh, 1, 1, 0, NULL));
  check_whole(crowd);
  size_t broken = 0;
  for (size_t k = 0; k < whole.told.agent_count; k++) broken += whole.agents[k].follower.broken;
  CHECK(whole.told.wall_count == 0 && broken > 0);
  step_crowd(crowd);
  check_whole(crowd);
  CHECK(whole.told.wall_count > 100);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(telling_changes_and_allocates_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(8, 16, 16, 2.0, 0.25, 5, &allocator);
  CrCrowd *crowd = make_crowd(mesh, &allocator);
  uint64_t seed = 5;
  for (int k = 0; k < 20; k++) {
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    add_walker(crowd, from, to, NULL);
  }
  for (int k = 0; k < 20; k++) step_crowd(crowd);
  StateBytes state = take_state(crowd);
  int64_t before = memory.total_allocations;
  draw_all(crowd);
  CHECK_INT(memory.total_allocations, before);
  CHECK(stands_at(crowd, &state));
  CHECK_INT(whole.told.constraint_count, 0);  // not recorded
  free(state.data);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(agents_are_told_as_they_are), RUN(stale_lists_and_broken_corridors_are_not_told),
          RUN(telling_changes_and_allocates_nothing))
