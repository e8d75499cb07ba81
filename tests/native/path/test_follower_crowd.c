// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A follower driven as a crowd drives it: plan, apply, nudge.
#include "tile_kit.h"
#include "walkers.h"

#define DT 0.0625

typedef struct Stage {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrFollowerOptions options;
  CrFollower *follower;
} Stage;

static Stage open_stage(const char *map, int32_t capacity, double x, double z) {
  Stage stage = {.mesh = world_from_map(map, 1.0, 0, NULL), .options = cr_follower_options_humanoid()};
  stage.options.corridor_capacity = capacity;
  stage.options.stuck_window = 0.0;
  stage.options.corner_clearance = 0.11;
  stage.options.arrival_radius = 0.25;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  stage.follower = make_follower(stage.context, &stage.options, cr__vec(x, 0, z));
  return stage;
}

static void close_stage(Stage *stage) {
  cr_follower_destroy(stage->follower);
  cr_path_context_destroy(stage->context);
  cr_navmesh_destroy(stage->mesh);
}

static void go(Stage *stage, double x, double z) {
  REQUIRE_OK(cr_follower_set_destination(stage->follower, stage->context, cr__vec(x, 0, z), NULL));
}

static CrCrowdPlan plan(Stage *stage) { return cr__follower_plan_crowd(stage->follower, stage->context, DT); }

// One crowd step without anyone to avoid.
static void crowd_step(Stage *stage) {
  CrCrowdPlan todo = plan(stage);
  if (todo.walking) {
    cr__follower_apply_crowd(stage->follower, stage->context, &todo, todo.wanted_x, todo.wanted_z, DT);
  } else if (!todo.crossing) {
    cr__follower_nudge(stage->follower, stage->context, 0.0, 0.0, DT);
  }
}

TEST(standing_agents_want_nothing) {
  Stage stage = open_stage("....\n", 64, 0.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  CHECK(!todo.walking && !todo.crossing && todo.wanted_x == 0.0 && todo.wanted_z == 0.0);
  CHECK(stage.follower->step_count == 1);
  close_stage(&stage);
}

TEST(wanted_velocity_follows_the_arrival_rule) {
  Stage stage = open_stage("....................\n", 64, 0.5, 0.5);
  go(&stage, 19.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  CHECK(todo.walking && todo.wanted_x == 3.5 && todo.wanted_z == 0.0 && !todo.slowing && todo.last_corner &&
        todo.at_end);
  CHECK(todo.remaining == 19.0 && todo.distance_to_corner == 19.0);
  CHECK_INT(todo.limit, 20);
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(19.0, 0, 0.5), NULL));
  go(&stage, 19.5, 0.5);
  todo = plan(&stage);
  CHECK(todo.walking && todo.slowing);
  CHECK_NEAR(todo.wanted_x, 1.75, 1e-12);
  close_stage(&stage);
}

TEST(corners_are_aimed_past) {
  Stage stage = open_stage("......\n.####.\n......\n", 64, 0.5, 0.5);
  go(&stage, 3.5, 2.5);
  CrCrowdPlan todo = plan(&stage);
  // The corner is (1, 2), the next one the end (3.5, 2.5).
  double in_length = cr__sqrt(0.25 + 2.25), out_length = cr__sqrt(6.25 + 0.25);
  double bend_x = 0.5 / in_length - 2.5 / out_length, bend_z = 1.5 / in_length - 0.5 / out_length;
  double bend = cr__sqrt(bend_x * bend_x + bend_z * bend_z);
  double aim_x = 1.0 + bend_x / bend * 0.11, aim_z = 2.0 + bend_z / bend * 0.11;
  double length = cr__sqrt((aim_x - 0.5) * (aim_x - 0.5) + (aim_z - 0.5) * (aim_z - 0.5));
  CHECK(!todo.last_corner && !todo.at_end && cr__same_point(todo.corner, cr__vec(1, 0, 2)));
  CHECK_NEAR(todo.wanted_x, 3.5 * (aim_x - 0.5) / length, 1e-12);
  CHECK_NEAR(todo.wanted_z, 3.5 * (aim_z - 0.5) / length, 1e-12);
  close_stage(&stage);
}

// A corner with next to no bend gives no direction to aim past it.
TEST(corners_without_a_bend_are_aimed_at) {
  Stage stage = open_stage("...\n##.\n", 64, 1.0, 0.5);
  go(&stage, 2.5, 1.25 + 2e-7);
  CrCrowdPlan todo = plan(&stage);
  CHECK(todo.walking && !todo.last_corner && cr__same_point(todo.corner, cr__vec(2, 0, 1)));
  CHECK_NEAR(todo.wanted_x, 2.0 * todo.wanted_z, 1e-12);
  go(&stage, 2.5, 1.25 + 2e-5);
  todo = plan(&stage);
  CHECK(!todo.last_corner && cr__abs(todo.wanted_x - 2.0 * todo.wanted_z) > 0.1);
  close_stage(&stage);
}

TEST(apply_lands_on_the_end_and_never_walks_past) {
  Stage stage = open_stage("....\n....\n", 64, 0.5, 0.5);
  stage.options.arrival_radius = 0.0;
  REQUIRE_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  go(&stage, 2.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 100.0, 0.0, DT);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  CHECK(cr__same_point(stage.follower->position, cr__vec(2.5, 0, 0.5)));
  CHECK(cr__same_point(stage.follower->velocity, cr__vec(0, 0, 0)));
  // Pushed away from the end, a step of any length is just that step.
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(2.0, 0, 0.5), NULL));
  go(&stage, 2.5, 0.5);
  todo = plan(&stage);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, -16.0, 0.0, DT);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
  CHECK(cr__same_point(stage.follower->position, cr__vec(1.0, 0, 0.5)) && stage.follower->velocity.x == -16.0);
  CHECK(stage.follower->remaining_distance == 0.0);
  check_sound(&stage.follower->corridor, stage.context);
  close_stage(&stage);
}

TEST(apply_slides_off_the_corridor_and_back) {
  Stage stage = open_stage("....\n....\n....\n", 64, 0.5, 0.5);
  go(&stage, 3.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  int32_t before = stage.follower->corridor.count;
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 0.0, 16.0, DT);
  CHECK(cr__same_point(stage.follower->position, cr__vec(0.5, 0, 1.5)));
  CHECK_INT(stage.follower->corridor.count, before + 1);
  check_sound(&stage.follower->corridor, stage.context);
  for (int k = 0; k < 100 && stage.follower->state == CR_FOLLOWER_MOVING; k++) crowd_step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  close_stage(&stage);
}

TEST(nudge_pushes_along_the_surface) {
  Stage stage = open_stage("..\n", 64, 0.5, 0.5);
  cr__follower_nudge(stage.follower, stage.context, 4.0, 8.0, DT);
  CHECK(cr__same_point(stage.follower->position, cr__vec(0.75, 0, 1.0)));
  CHECK(cr__same_point(stage.follower->velocity, cr__vec(4.0, 0, 8.0)));
  cr__follower_nudge(stage.follower, stage.context, 0.0, 8.0, DT);  // against the wall
  CHECK(cr__same_point(stage.follower->position, cr__vec(0.75, 0, 1.0)));
  CHECK(cr__same_point(stage.follower->velocity, cr__vec(0, 0, 0)) && stage.follower->state == CR_FOLLOWER_IDLE);
  close_stage(&stage);
}

TEST(nudge_finds_the_mesh_again) {
  CrNavMesh *mesh = world_from_map("..........\n", 1.0, 5, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, cr__vec(5.5, 0, 0.5));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
  cr__follower_nudge(follower, context, 0.0, 0.0, DT);
  CHECK(cr__same_point(follower->position, cr__vec(5.5, 0, 0.5)));
  cr__follower_nudge(follower, context, 1.0, 0.0, DT);
  CHECK(cr__same_point(follower->position, cr__vec(5.0, 0, 0.5)) && follower->state == CR_FOLLOWER_IDLE);
  CHECK(cr__same_point(follower->velocity, cr__vec(0, 0, 0)));
  check_sound(&follower->corridor, context);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// Near the largest coordinates steps are as they are anywhere, and never leave them.
TEST(far_out_coordinates) {
  CrNavMeshParams params = {CR_COORD_LIMIT - 16.0, -CR_COORD_LIMIT + 16.0, 8.0, 0.5, 0.0, 2.0};
  double x = params.origin_x, z = params.origin_z;
  double vertices[] = {x, 0, z, x + 8, 0, z, x + 8, 0, z + 8, x, 0, z + 8};
  uint8_t counts[] = {4};
  uint32_t corners[] = {0, 1, 2, 3};
  CrTileDescription tile = {.vertex_count = 4,
                            .polygon_count = 1,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners};
  CrBytes bytes;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, cr__vec(x + 1, 0, z + 1));
  cr__follower_nudge(follower, context, 16.0, 0.0, DT);
  CHECK(cr__same_point(follower->position, cr__vec(x + 2, 0, z + 1)) && follower->velocity.x == 16.0);
  cr__follower_nudge(follower, context, 1e9, 0.0, DT);
  CHECK(cr__same_point(follower->position, cr__vec(x + 8, 0, z + 1)));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(x + 7.5, 0, z + 7.5), NULL));
  CrCrowdPlan todo = cr__follower_plan_crowd(follower, context, DT);
  cr__follower_apply_crowd(follower, context, &todo, 0.0, -1e9, DT);
  CHECK(cr__same_point(follower->position, cr__vec(x + 8, 0, z)));
  for (int k = 0; k < 200 && follower->state == CR_FOLLOWER_MOVING; k++)
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target);
  // The shortest of steps does not make a velocity beyond the limit.
  cr__follower_nudge(follower, context, 1e300, 1e300, 1e-300);
  CHECK(cr__abs(follower->velocity.x) < CR_COORD_LIMIT && cr__abs(follower->velocity.z) < CR_COORD_LIMIT);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(pushed_agents_go_back) {
  Stage stage = open_stage("..........\n", 64, 0.5, 0.5);
  go(&stage, 5.5, 0.5);
  for (int k = 0; k < 200 && stage.follower->state == CR_FOLLOWER_MOVING; k++) crowd_step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED);
  double slack = 2 * 0.25 + 0.01, from = stage.follower->position.x;
  cr__follower_nudge(stage.follower, stage.context, (5.5 + slack - 1e-6 - from) / DT, 0.0, DT);
  CHECK(!plan(&stage).walking && stage.follower->state == CR_FOLLOWER_ARRIVED);
  cr__follower_nudge(stage.follower, stage.context, 2e-6 / DT, 0.0, DT);
  CrCrowdPlan todo = plan(&stage);
  CHECK(todo.walking && stage.follower->state == CR_FOLLOWER_MOVING && todo.wanted_x < 0.0);
  close_stage(&stage);
}

// An unreachable goal: the point walked to counts, not the far destination.
TEST(agents_at_the_closest_point_stay) {
  Stage stage = open_stage("....#..\n", 64, 0.5, 0.5);
  go(&stage, 6.5, 0.5);
  for (int k = 0; k < 200 && stage.follower->state == CR_FOLLOWER_MOVING; k++) crowd_step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && !stage.follower->reached_target);
  stage.context->query->search.iterations = -1;
  for (int k = 0; k < 10; k++) crowd_step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED);
  CHECK_INT(stage.context->query->search.iterations, -1);  // nobody searched for the far destination again
  cr__follower_nudge(stage.follower, stage.context, -1.0 / DT, 0.0, DT);
  CHECK(plan(&stage).walking);
  close_stage(&stage);
}

// Exactly as far as is let pass: 2 * 0.245 + 0.01 is one half.
TEST(a_push_of_just_the_slack_is_let_pass) {
  Stage stage = open_stage("..........\n", 64, 0.5, 0.5);
  stage.options.arrival_radius = 0.245;
  CHECK(2.0 * stage.options.arrival_radius + 0.01 == 0.5);
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  go(&stage, 5.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 1000.0, 0.0, DT);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->position.x == 5.5);
  cr__follower_nudge(stage.follower, stage.context, 8.0, 0.0, DT);
  CHECK(stage.follower->position.x == 6.0);
  CHECK(!plan(&stage).walking && stage.follower->state == CR_FOLLOWER_ARRIVED);
  cr__follower_nudge(stage.follower, stage.context, 1e-6, 0.0, DT);
  CHECK(plan(&stage).walking && stage.follower->state == CR_FOLLOWER_MOVING);
  close_stage(&stage);
}

// An entry is aimed at as it is, landed on like the end, and no arrival.
TEST(entries_are_landed_on_and_not_aimed_past) {
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.5, 0.0, 2.0};
  static TileKit kit;
  Stage stage = {.options = cr_follower_options_humanoid()};
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &stage.mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 4, 0);
  kit_rectangle(&kit, 8, 0, 12, 4, 1);
  kit_link(&kit, cr__vec(4, 0, 2), cr__vec(8, 1, 2), 0.5, false);
  kit_add(&kit, stage.mesh);
  stage.options.corner_clearance = 0.11;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  stage.follower = make_follower(stage.context, &stage.options, cr__vec(1, 0, 0.5));
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11, 1, 3), NULL));
  CrCrowdPlan todo = plan(&stage);
  CHECK(todo.walking && todo.last_corner && !todo.at_end && cr__same_point(todo.corner, cr__vec(4, 0, 2)));
  CHECK_NEAR(todo.wanted_x * 1.5, todo.wanted_z * 3.0, 1e-12);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 1000.0, 500.0, DT);
  CHECK(cr__same_point(stage.follower->position, cr__vec(4, 0, 2)) && stage.follower->state == CR_FOLLOWER_MOVING);
  todo = plan(&stage);
  CHECK(todo.crossing && !todo.walking && stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  int steps = 0;
  for (; stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && steps < 100; steps++) CHECK(plan(&stage).crossing);
  CHECK_INT(steps, (int)cr__ceil(cr__sqrt(17.0) / 3.5 / DT));
  close_stage(&stage);
}

// A step of just the way to the end arrives.
TEST(apply_arrives_with_a_step_of_the_very_length) {
  Stage stage = open_stage("....\n", 64, 0.5, 0.5);
  stage.options.arrival_radius = 0.0;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  go(&stage, 1.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 16.0, 0.0, DT);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->position.x == 1.5);
  close_stage(&stage);
}

// Agents held back count stuck time as a lone follower does: at full speed, not while slowing.
TEST(held_back_agents_count_stuck_time) {
  for (int slow = 0; slow < 2; slow++) {
    Stage stage = open_stage("..........\n", 64, 0.5, 0.5);
    stage.options.stuck_window = 1.0;
    stage.options.slow_radius = slow ? 100.0 : 1.0;
    CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
    go(&stage, 9.5, 0.5);
    for (int k = 1; k <= 48 && stage.follower->state == CR_FOLLOWER_MOVING; k++) {
      CrCrowdPlan todo = plan(&stage);
      CHECK(todo.walking && todo.slowing == (slow == 1));
      cr__follower_apply_crowd(stage.follower, stage.context, &todo, 0.0, 0.0, DT);
      CHECK_INT(stage.follower->stuck_recoveries, slow ? 0 : k / 16);
    }
    CHECK(stage.follower->state == (slow ? CR_FOLLOWER_MOVING : CR_FOLLOWER_STUCK));
    close_stage(&stage);
  }
}

// A step off the corridor and across more polygons than it holds fits neither way: the agent stays, placed anew.
TEST(a_step_too_wide_for_the_corridor_relocates) {
  Stage stage = open_stage("..........\n..........\n..........\n..........\n", 2, 0.5, 0.5);
  go(&stage, 9.5, 0.5);
  CrCrowdPlan todo = plan(&stage);
  cr__follower_apply_crowd(stage.follower, stage.context, &todo, 0.0, 48.0, DT);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(0.5, 0, 0.5)));
  CHECK(stage.follower->corridor.count == 1 && stage.follower->corridor.replan_from_start);
  check_sound(&stage.follower->corridor, stage.context);
  for (int k = 0; k < 200 && stage.follower->state == CR_FOLLOWER_MOVING; k++) crowd_step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  close_stage(&stage);
}

// A corridor cut to its capacity is extended only when a quarter of it has been walked; small ones at once.
static void check_deferral(int32_t capacity, int32_t refill_at) {
  char map[602];
  memset(map, '.', 600);
  map[600] = '\n', map[601] = 0;
  Stage stage = open_stage(map, capacity, 0.5, 0.5);
  go(&stage, 599.5, 0.5);
  CHECK_INT(stage.follower->corridor.count, capacity);
  int32_t lowest = capacity;
  for (int k = 0; k < 400; k++) {
    crowd_step(&stage);
    int32_t count = stage.follower->corridor.count;
    lowest = count < lowest ? count : lowest;
    CHECK(!stage.follower->corridor.complete && stage.follower->corridor.needs_replan);
  }
  CHECK(lowest == refill_at || lowest == refill_at + 1 || (refill_at == capacity && lowest == capacity - 1));
  close_stage(&stage);
}

TEST(extensions_wait_for_a_quarter) {
  check_deferral(64, 48);
  check_deferral(16, 12);
  check_deferral(15, 15);
  check_deferral(5, 5);
}

TEST(replans_for_other_reasons_do_not_wait) {
  Stage stage = open_stage("................................\n................................\n", 20, 0.5, 0.5);
  go(&stage, 17.5, 0.5);
  CHECK(stage.follower->corridor.complete);
  crowd_step(&stage);
  cr_corridor_request_replan(&stage.follower->corridor);
  crowd_step(&stage);
  CHECK(!stage.follower->corridor.needs_replan);
  // Cut short by an edit: at most three quarters are left.
  stage.follower->corridor.count = 10;
  stage.follower->corridor.complete = false;
  stage.follower->corridor.needs_replan = true;
  crowd_step(&stage);
  CHECK(stage.follower->corridor.complete);
  close_stage(&stage);
}

// Random velocities instead of avoidance: the agent stays on the mesh and its corridor sound.
TEST(random_velocities_keep_the_corridor_sound) {
  int arrived = 0;
  for (uint64_t world = 0; world < 30; world++) {
    check_seed = world;
    uint64_t seed = world * 37 + 2;
    CrNavMesh *mesh = world % 2 ? world_two_floors(world, 16, 16, 1.0, 4.0, 6, 8, NULL)
                                : world_scattered(world, 20, 20, 1.0, 0.25, 10, NULL);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world / 2 % 2), 1024, NULL);
    CrFollowerOptions options = cr_follower_options_humanoid();
    options.corridor_capacity = 64;
    options.corner_clearance = 0.11;
    CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
    for (int step = 0; step < 600; step++) {
      if (step % 200 == 0) cr_follower_set_destination(follower, context, world_random_point(mesh, &seed, NULL), NULL);
      CrCrowdPlan todo = cr__follower_plan_crowd(follower, context, DT);
      double x = todo.wanted_x + rnd_range(&seed, -3.0, 3.0), z = todo.wanted_z + rnd_range(&seed, -3.0, 3.0);
      if (todo.walking)
        cr__follower_apply_crowd(follower, context, &todo, x, z, DT);
      else if (!todo.crossing)
        cr__follower_nudge(follower, context, x, z, DT);
      check_sound(&follower->corridor, context);
      CHECK(follower->state != CR_FOLLOWER_NO_PATH);
      arrived += follower->state == CR_FOLLOWER_ARRIVED;
    }
    cr_follower_destroy(follower);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d steps standing at the goal\n", arrived);
  CHECK(arrived > 0);
}

// What an agent keeps besides its state must not be seen: one that forgets it before every step does the same, bit for bit.
static bool same_plan(const CrCrowdPlan *a, const CrCrowdPlan *b) {
  return a->wanted_x == b->wanted_x && a->wanted_z == b->wanted_z && a->walking == b->walking &&
         a->crossing == b->crossing && a->slowing == b->slowing && a->last_corner == b->last_corner &&
         a->at_end == b->at_end && a->limit == b->limit && cr__same_point(a->corner, b->corner) &&
         a->remaining == b->remaining && a->distance_to_corner == b->distance_to_corner;
}

static void move_as_planned(CrFollower *follower, CrPathContext *context, const CrCrowdPlan *todo, double x, double z) {
  x += todo->wanted_x, z += todo->wanted_z;
  if (todo->walking)
    cr__follower_apply_crowd(follower, context, todo, x, z, DT);
  else if (!todo->crossing)
    cr__follower_nudge(follower, context, x, z, DT);
}

// Any tile but the one the agent stands on.
static void remove_another_tile(CrNavMesh *mesh, CrPolyRef ref, uint64_t *seed) {
  uint32_t slot = (uint32_t)rnd_int(seed, (int32_t)mesh->slot_count);
  const CrTile *tile = &mesh->tiles[slot];
  if (!tile->active || slot == cr__ref_slot(ref)) return;
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, tile->x, tile->z, tile->layer, NULL));
}

TEST(what_is_kept_changes_nothing) {
  static StateBytes kept_state, forgetful_state;
  int steps = 0;
  for (uint64_t world = 0; world < (uint64_t)(40 * check_scale()); world++) {
    check_seed = world;
    uint64_t seed = world * 41 + 8;
    CrNavMesh *mesh = world % 2 ? world_two_floors(world, 16, 16, 1.0, 4.0, 6, 8, NULL)
                                : world_scattered(world, 24, 24, 1.0, 0.2, 8, NULL);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, (CrNodeModel)(world / 2 % 2), 1024, &filter);
    CrFollowerOptions options = cr_follower_options_humanoid();
    options.corridor_capacity = world % 3 ? 64 : 14;
    options.corner_clearance = 0.11;
    options.max_corners = world % 5 == 4 ? 12 : 8;
    CrVec3 start = world_random_point(mesh, &seed, NULL);
    CrFollower *keeper = make_follower(context, &options, start), *forgetful = make_follower(context, &options, start);
    uint32_t polygon_count;
    CrPolyRef *polygons = world_all_polygons(mesh, &polygon_count);
    double noise = world % 4 == 0 ? 0.0 : 1.5;
    for (int step = 0; step < 400; step++, steps++) {
      if (step % 100 == 0) {
        CrVec3 destination = world_random_point(mesh, &seed, NULL);
        cr_follower_set_destination(keeper, context, destination, NULL);
        cr_follower_set_destination(forgetful, context, destination, NULL);
      }
      if (rnd_int(&seed, 40) == 0) {
        CrPolyRef ref = polygons[rnd_int(&seed, (int32_t)polygon_count)];
        cr_navmesh_set_flags(mesh, ref, (uint16_t)(rnd_int(&seed, 2)), NULL);
      }
      if (step == 250) remove_another_tile(mesh, keeper->corridor.path[0], &seed);
      cr__follower_forget(forgetful);
      CrCrowdPlan kept_plan = cr__follower_plan_crowd(keeper, context, DT);
      CrCrowdPlan forgetful_plan = cr__follower_plan_crowd(forgetful, context, DT);
      CHECK(same_plan(&kept_plan, &forgetful_plan));
      double x = rnd_range(&seed, -noise, noise), z = rnd_range(&seed, -noise, noise);
      move_as_planned(keeper, context, &kept_plan, x, z);
      move_as_planned(forgetful, context, &forgetful_plan, x, z);
      take_state(keeper, &kept_state);
      take_state(forgetful, &forgetful_state);
      CHECK(same_state(&kept_state, &forgetful_state));
    }
    free(polygons);
    cr_follower_destroy(keeper);
    cr_follower_destroy(forgetful);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d steps compared\n", steps);
}

// A state from before an edit: what was found sound since says nothing about it.
TEST(a_restored_corridor_is_looked_at_anew) {
  static StateBytes before;
  Stage stage = open_stage("..........\n..........\n", 64, 0.5, 0.5);
  CrQueryFilter filter = cr_query_filter_default();
  cr_path_context_destroy(stage.context);
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  go(&stage, 9.5, 0.5);
  crowd_step(&stage);
  take_state(stage.follower, &before);
  CrPolyRef closed = polygon_at(stage.context, 2.5, 0.5);
  CHECK(stage.follower->corridor.path[2] == closed);
  REQUIRE_OK(cr_navmesh_set_flags(stage.mesh, closed, 0, NULL));
  for (int k = 0; k < 3; k++) crowd_step(&stage);
  check_sound(&stage.follower->corridor, stage.context);
  REQUIRE_OK(cr_follower_restore(stage.follower, before.data, before.size, NULL));
  CHECK(stage.follower->corridor.path[2] == closed);
  crowd_step(&stage);
  check_sound(&stage.follower->corridor, stage.context);
  close_stage(&stage);
}

TEST_MAIN(RUN(standing_agents_want_nothing), RUN(wanted_velocity_follows_the_arrival_rule), RUN(corners_are_aimed_past),
          RUN(apply_lands_on_the_end_and_never_walks_past), RUN(apply_slides_off_the_corridor_and_back),
          RUN(nudge_pushes_along_the_surface), RUN(nudge_finds_the_mesh_again), RUN(far_out_coordinates),
          RUN(pushed_agents_go_back), RUN(agents_at_the_closest_point_stay), RUN(extensions_wait_for_a_quarter),
          RUN(replans_for_other_reasons_do_not_wait), RUN(random_velocities_keep_the_corridor_sound),
          RUN(what_is_kept_changes_nothing), RUN(a_push_of_just_the_slack_is_let_pass),
          RUN(entries_are_landed_on_and_not_aimed_past), RUN(apply_arrives_with_a_step_of_the_very_length),
          RUN(held_back_agents_count_stuck_time), RUN(a_step_too_wide_for_the_corridor_relocates),
          RUN(corners_without_a_bend_are_aimed_at), RUN(a_restored_corridor_is_looked_at_anew))
