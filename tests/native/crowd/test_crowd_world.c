// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: one crowd in a world is that crowd alone; crowds of several classes on one mesh are one crowd of all their agents, to
// the bit; Small and Large on meshes of their own keep apart; states, threads, memory, and what a crowd in a world refuses.
#include "crowd_runs.h"

static CrCrowdOptions small_options(void) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.query_nodes = 2048;
  return options;
}

static CrWorld *make_world(const CrNavMesh *const *meshes, int32_t count, const CrCrowdOptions *options,
                           const CrAllocator *allocator) {
  CrWorld *world;
  REQUIRE_OK(cr_world_create(allocator, &world, NULL));
  for (int32_t k = 0; k < count; k++) {
    CrCrowd *crowd;
    CHECK_INT(cr_world_crowd_count(world), k);
    REQUIRE_OK(cr_world_add_crowd(world, meshes[k], options, &crowd, NULL));
    CHECK(cr_world_crowd(world, k) == crowd && cr_crowd_world(crowd) == world);
  }
  CHECK_INT(cr_world_crowd_count(world), count);
  return world;
}

static void step_world(CrWorld *world) { REQUIRE_OK(cr_world_step(world, RUN_DT, NULL)); }

static void check_world(const CrWorld *world) {
  for (int32_t k = 0; k < cr_world_crowd_count(world); k++) check_crowd(cr_world_crowd(world, k));
}

static CrAgentOptions mixed_options(int32_t k) {
  CrAgentOptions options = k % 3 ? cr_agent_options_small() : cr_agent_options_humanoid();
  options.quality = (uint8_t)(3 - k % 4);
  options.separation_distance = k % 5 == 0 ? 2.0 : 0.0;
  options.priority = 1.0 + k % 2;
  return options;
}

// --- A crowd alone ----------------------------------------------------------------------------------------------------

TEST(a_world_of_one_crowd_is_that_crowd) {
  CrNavMesh *mesh = world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL);
  const CrNavMesh *meshes[] = {mesh};
  CrWorld *world = make_world(meshes, 1, NULL, NULL);
  CrCrowd *crowds[] = {cr_world_crowd(world, 0), make_crowd(mesh, NULL)};
  CHECK(cr_crowd_world(crowds[0]) == world && !cr_crowd_world(crowds[1]));
  uint64_t seed = check_seed = 12;
  int32_t crossings = 0;
  for (int32_t step = 0; step < 200; step++) {
    CrAgentOptions options = mixed_options(step);
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    int64_t gone = rnd_int(&seed, 200);
    for (int32_t k = 0; k < 2; k++) {
      add_walker(crowds[k], from, to, &options);
      if (step % 3 == 0) cr_crowd_remove(crowds[k], gone, NULL);
    }
    step_world(world);
    step_crowd(crowds[1]);
    CHECK(cr_crowd_state_hash(crowds[0]) == cr_crowd_state_hash(crowds[1]));
    for (int32_t slot = 0; slot < crowds[0]->slot_count; slot++) {
      crossings +=
          cr__crowd_slot_active(crowds[0], slot) && cr__crowd_slot(crowds[0], slot)->step_flags == CR_STEP_CROSSING;
    }
  }
  printf("  %d agents, %d steps of crossing links\n", crowds[0]->agent_count, crossings);
  CHECK(crossings > 50);
  check_world(world);
  cr_world_destroy(world);
  cr_crowd_destroy(crowds[1]);
  cr_navmesh_destroy(mesh);
}

// --- Classes on one mesh ----------------------------------------------------------------------------------------------

#define CLASSES 3
#define PER_CLASS 50

// A world of classes on one mesh, and one crowd of all their agents: agent `k` of class c is agent c * PER_CLASS + k of it.
typedef struct Mirror {
  CrNavMesh *mesh;
  CrWorld *world;
  CrCrowd *one;
  int64_t ids[CLASSES * PER_CLASS], mirrored[CLASSES * PER_CLASS];
} Mirror;

static Mirror make_mirror(CrNavMesh *mesh) {
  Mirror mirror = {.mesh = mesh};
  const CrNavMesh *meshes[CLASSES];
  for (int32_t k = 0; k < CLASSES; k++) meshes[k] = mesh;
  CrCrowdOptions options = small_options();
  options.record_constraints = true;
  mirror.world = make_world(meshes, CLASSES, &options, NULL);
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &mirror.one, NULL));
  return mirror;
}

static void free_mirror(Mirror *mirror) {
  check_world(mirror->world);
  cr_world_destroy(mirror->world);
  cr_crowd_destroy(mirror->one);
  cr_navmesh_destroy(mirror->mesh);
}

static CrCrowd *crowd_of(const Mirror *mirror, int32_t k) { return cr_world_crowd(mirror->world, k / PER_CLASS); }

static void add_mirrored(Mirror *mirror, int32_t k, CrVec3 from, CrVec3 to, const CrAgentOptions *options) {
  mirror->ids[k] = add_walker(crowd_of(mirror, k), from, to, options);
  mirror->mirrored[k] = add_walker(mirror->one, from, to, options);
}

// What an agent is, but for its id: the bytes of its follower and its half-planes.
static void compare_agent(const Mirror *mirror, int32_t k) {
  const CrCrowd *crowd = crowd_of(mirror, k);
  const CrFollower *a = cr_crowd_follower(crowd, mirror->ids[k]),
                   *b = cr_crowd_follower(mirror->one, mirror->mirrored[k]);
  uint8_t bytes[2][2048];
  CrWriter first = cr__writer_to(bytes[0], sizeof bytes[0]), second = cr__writer_to(bytes[1], sizeof bytes[1]);
  cr__follower_write(a, &first);
  cr__follower_write(b, &second);
  CHECK(!first.overflow && first.size == second.size && memcmp(bytes[0], bytes[1], first.size) == 0);
  CrConstraint planes[2][32];
  int32_t walls[2];
  int32_t count = cr_crowd_constraints(crowd, mirror->ids[k], 32, planes[0], &walls[0]);
  CHECK_INT(cr_crowd_constraints(mirror->one, mirror->mirrored[k], 32, planes[1], &walls[1]), count);
  CHECK_INT(walls[0], walls[1]);
  CHECK(memcmp(planes[0], planes[1], (size_t)count * sizeof planes[0][0]) == 0);
}

static void step_mirror(Mirror *mirror) {
  step_world(mirror->world);
  step_crowd(mirror->one);
  for (int32_t k = 0; k < CLASSES * PER_CLASS; k++) compare_agent(mirror, k);
}

// Agents that are crossing a link.
static int32_t crossing_count(const Mirror *mirror) {
  int32_t count = 0;
  for (int32_t k = 0; k < CLASSES * PER_CLASS; k++) {
    int32_t slot = cr__agents_find(mirror->one, mirror->mirrored[k]);
    count += cr__crowd_slot(mirror->one, slot)->step_flags == CR_STEP_CROSSING;
  }
  return count;
}

// The host's doings between steps, to both. An agent that goes is replaced at once, in the same slot.
static void drive_mirror(Mirror *mirror, uint64_t *seed) {
  int32_t k = rnd_int(seed, CLASSES * PER_CLASS), act = rnd_int(seed, 4);
  CrVec3 point = world_random_point(mirror->mesh, seed, NULL);
  CrAgentOptions options = mixed_options(rnd_int(seed, 60));
  CrCrowd *crowd = crowd_of(mirror, k);
  CrVec3 velocity = {point.x - 14.0, 0, point.z - 14.0};
  if (act == 0) {
    CHECK_OK(cr_crowd_remove(crowd, mirror->ids[k], NULL));
    CHECK_OK(cr_crowd_remove(mirror->one, mirror->mirrored[k], NULL));
    add_mirrored(mirror, k, point, point, &options);
  } else if (act == 1) {
    CHECK_OK(cr_crowd_set_velocity(crowd, mirror->ids[k], velocity, NULL));
    CHECK_OK(cr_crowd_set_velocity(mirror->one, mirror->mirrored[k], velocity, NULL));
  } else {
    CHECK_OK(cr_crowd_set_destination(crowd, mirror->ids[k], point, NULL));
    CHECK_OK(cr_crowd_set_destination(mirror->one, mirror->mirrored[k], point, NULL));
  }
}

TEST(classes_on_one_mesh_are_one_crowd_of_all) {
  uint64_t seed = check_seed = 77;
  Mirror mirror = make_mirror(world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL));
  int32_t crossings = 0;
  for (int32_t k = 0; k < CLASSES * PER_CLASS; k++) {
    CrVec3 from = world_random_point(mirror.mesh, &seed, NULL), to = world_random_point(mirror.mesh, &seed, NULL);
    CrAgentOptions options = mixed_options(k);
    add_mirrored(&mirror, k, from, to, &options);
  }
  for (int32_t step = 0; step < 300; step++) {
    drive_mirror(&mirror, &seed);
    step_mirror(&mirror);
    crossings += crossing_count(&mirror);
  }
  printf("  150 agents, %d steps of crossing links\n", crossings);
  CHECK(crossings > 100);
  free_mirror(&mirror);
}

// One goal and one spot: agents of all classes queue behind each other, and those at exactly one place part by class and slot.
TEST(classes_share_goals_and_spots) {
  Mirror mirror = make_mirror(open_world(12, 12, 4.0));
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t k = 0; k < CLASSES * PER_CLASS; k++) {
    CrVec3 from = {10.0 + k % PER_CLASS % 10 * 3.0, 0, 10.0 + k % PER_CLASS / 10 * 3.0};
    add_mirrored(&mirror, k, from, cr__vec(30, 0, 40), &options);
  }
  for (int32_t step = 0; step < 900; step++) step_mirror(&mirror);
  free_mirror(&mirror);
}

// All from one spot over few links: the turns are those of one queue.
TEST(classes_take_turns_at_one_link) {
  Mirror mirror = make_mirror(world_two_floors(51, 10, 10, 2.0, 4.0, 2, 5, NULL));
  uint64_t seed = check_seed = 5;
  int32_t crossings = 0;
  CrVec3 lower = world_random_point(mirror.mesh, &seed, NULL), upper;
  do upper = world_random_point(mirror.mesh, &seed, NULL);
  while (cr__abs(upper.y - lower.y) < 3.0);
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t k = 0; k < CLASSES * PER_CLASS; k++) add_mirrored(&mirror, k, lower, upper, &options);
  for (int32_t step = 0; step < 1200; step++) {
    step_mirror(&mirror);
    crossings += crossing_count(&mirror);
  }
  printf("  %d steps of crossing links\n", crossings);
  CHECK(crossings > 50);
  free_mirror(&mirror);
}

// --- Meshes of their own ----------------------------------------------------------------------------------------------

// Small agents may go anywhere on the field, Large ones keep a cell from its border.
static void make_own_meshes(CrNavMesh *out[2]) {
  out[0] = open_world(30, 30, 2.0);
  char map[30 * 31 + 1], *at = map;
  for (int32_t z = 0; z < 30; z++) {
    for (int32_t x = 0; x < 30; x++) *at++ = x && z && x < 29 && z < 29 ? '.' : '#';
    *at++ = '\n';
  }
  *at = 0;
  out[1] = world_from_map(map, 2.0, 8, NULL);
}

#define SMALL 60
#define LARGE 12

// Small ones go east in rows, Large ones south.
static void add_streams(CrCrowd *small, CrCrowd *large) {
  CrAgentOptions small_one = cr_agent_options_small(), large_one = cr_agent_options_large();
  large_one.quality = CR_QUALITY_HIGH;  // the eight nearest may all be small
  for (int32_t k = 0; k < SMALL; k++) {
    CrVec3 from = {2.0 + k / 15 * 1.2, 0, 19.0 + k % 15 * 1.5};
    add_walker(small, from, cr__vec(from.x + 50.0, 0, from.z), &small_one);
  }
  for (int32_t k = 0; k < LARGE; k++) {
    CrVec3 from = {16.0 + k % 6 * 4.5, 0, 4.0 + k / 6 * 4.0};
    add_walker(large, from, cr__vec(from.x, 0, from.z + 46.0), &large_one);
  }
}

// The deepest overlap of an agent of one crowd and one of the other, as a part of the sum of their radii.
static double overlap_between(const CrCrowd *first, const CrCrowd *second) {
  double deepest = 0.0;
  for (int32_t i = 0; i < first->slot_count; i++) {
    for (int32_t j = 0; j < second->slot_count; j++) {
      const CrAgent *a = cr__crowd_slot(first, i), *b = cr__crowd_slot(second, j);
      double touch = a->options.radius + b->options.radius;
      deepest = cr__max(deepest, 1.0 - cr__dist_xz(a->follower.position, b->follower.position) / touch);
    }
  }
  return deepest;
}

static int32_t arrived_in(const CrCrowd *crowd) {
  int32_t count = 0;
  for (int64_t id = 0; id < crowd->next_id; id++) count += has_arrived(crowd, id);
  return count;
}

TEST(small_and_large_keep_apart) {
  CrNavMesh *meshes[2];
  make_own_meshes(meshes);
  CrWorld *world = make_world((const CrNavMesh *const *)meshes, 2, NULL, NULL);
  CrCrowd *small = cr_world_crowd(world, 0), *large = cr_world_crowd(world, 1);
  CrCrowd *lone[2] = {make_crowd(meshes[0], NULL), make_crowd(meshes[1], NULL)};
  add_streams(small, large);
  add_streams(lone[0], lone[1]);
  double between = 0.0, within = 0.0, unseen = 0.0;
  int32_t steps = 0;
  for (; steps < 3600 && arrived_in(small) + arrived_in(large) < SMALL + LARGE; steps++) {
    step_world(world);
    step_crowd(lone[0]);
    step_crowd(lone[1]);
    between = cr__max(between, overlap_between(small, large));
    within = cr__max(within, cr__max(deepest_overlap(small) / 0.6, deepest_overlap(large) / 3.0));
    unseen = cr__max(unseen, overlap_between(lone[0], lone[1]));
  }
  printf(
      "  %d of %d arrive in %.1f s; overlap between classes %.4f, within one %.4f; of crowds that are in no world "
      "%.2f\n",
      arrived_in(small) + arrived_in(large), SMALL + LARGE, steps * RUN_DT, between, within, unseen);
  CHECK_INT(arrived_in(small) + arrived_in(large), SMALL + LARGE);
  CHECK(between <= 0.05 && within <= 0.05);
  CHECK(unseen > 0.5);
  check_world(world);
  cr_world_destroy(world);
  for (int32_t k = 0; k < 2; k++) {
    cr_crowd_destroy(lone[k]);
    cr_navmesh_destroy(meshes[k]);
  }
}

// --- State ------------------------------------------------------------------------------------------------------------

static void save_all(const CrWorld *world, StateBytes *out) {
  for (int32_t k = 0; k < cr_world_crowd_count(world); k++) out[k] = take_state(cr_world_crowd(world, k));
}

static void restore_all(CrWorld *world, const StateBytes *states) {
  for (int32_t k = 0; k < cr_world_crowd_count(world); k++) {
    CHECK_OK(cr_crowd_restore_state(cr_world_crowd(world, k), states[k].data, states[k].size, NULL));
  }
}

TEST(restored_crowds_go_on_as_they_did) {
  CrNavMesh *meshes[2];
  make_own_meshes(meshes);
  CrWorld *worlds[2];
  for (int32_t k = 0; k < 2; k++) worlds[k] = make_world((const CrNavMesh *const *)meshes, 2, NULL, NULL);
  add_streams(cr_world_crowd(worlds[0], 0), cr_world_crowd(worlds[0], 1));
  for (int32_t step = 0; step < 420; step++) {
    if (step % 60 == 30) CHECK_OK(cr_crowd_remove(cr_world_crowd(worlds[0], 0), step / 60, NULL));
    step_world(worlds[0]);
  }
  StateBytes saved[2], later[2];
  save_all(worlds[0], saved);
  for (int32_t step = 0; step < 120; step++) step_world(worlds[0]);
  save_all(worlds[0], later);
  for (int32_t k = 0; k < 2; k++) {  // into the same world, and into a fresh one
    restore_all(worlds[k], saved);
    for (int32_t step = 0; step < 120; step++) step_world(worlds[k]);
    for (int32_t c = 0; c < 2; c++) CHECK(stands_at(cr_world_crowd(worlds[k], c), &later[c]));
    check_world(worlds[k]);
  }
  // A crowd that is restored without the other meets others: it goes on differently.
  CHECK_OK(cr_crowd_restore_state(cr_world_crowd(worlds[1], 0), saved[0].data, saved[0].size, NULL));
  for (int32_t step = 0; step < 120; step++) step_world(worlds[1]);
  CHECK(!stands_at(cr_world_crowd(worlds[1], 0), &later[0]));
  for (int32_t k = 0; k < 2; k++) {
    free(saved[k].data);
    free(later[k].data);
    cr_world_destroy(worlds[k]);
    cr_navmesh_destroy(meshes[k]);
  }
}

// --- Threads ----------------------------------------------------------------------------------------------------------

static int32_t threads_of(int32_t k) {
  static const int32_t counts[] = {1, 2, 5, 16};
  return counts[k] < CR_CROWD_MOST_THREADS ? counts[k] : CR_CROWD_MOST_THREADS;
}

TEST(threads_change_nothing) {
  CrNavMesh *meshes[2];
  meshes[0] = world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL);
  meshes[1] = world_two_floors(50, 14, 14, 2.0, 4.0, 14, 0, NULL);
  CrWorld *worlds[4];
  for (int32_t k = 0; k < 4; k++) {
    CrCrowdOptions options = small_options(), other = small_options();
    options.max_threads = threads_of(k);
    other.max_threads = threads_of(3 - k);  // each crowd has threads of its own
    CrCrowd *crowd;
    worlds[k] = make_world((const CrNavMesh *const *)meshes, 1, &options, NULL);
    REQUIRE_OK(cr_world_add_crowd(worlds[k], meshes[1], &other, &crowd, NULL));
    uint64_t seed = check_seed = 9;
    for (int32_t j = 0; j < 300; j++) {
      CrAgentOptions agent = mixed_options(j);
      CrVec3 from = world_random_point(meshes[0], &seed, NULL), to = world_random_point(meshes[0], &seed, NULL);
      add_walker(cr_world_crowd(worlds[k], j % 3 == 0), from, to, &agent);
    }
  }
  for (int32_t step = 0; step < 150; step++) {
    for (int32_t k = 0; k < 4; k++) {
      step_world(worlds[k]);
      for (int32_t c = 0; c < 2; c++) {
        CHECK(cr_crowd_state_hash(cr_world_crowd(worlds[k], c)) == cr_crowd_state_hash(cr_world_crowd(worlds[0], c)));
      }
    }
  }
  for (int32_t k = 0; k < 4; k++) cr_world_destroy(worlds[k]);
  for (int32_t k = 0; k < 2; k++) cr_navmesh_destroy(meshes[k]);
}

// --- Refusals ---------------------------------------------------------------------------------------------------------

TEST(a_world_may_be_empty_and_grow) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  const CrNavMesh *meshes[] = {mesh};
  CrWorld *world = make_world(NULL, 0, NULL, NULL);
  step_world(world);
  cr_world_destroy(world);
  world = make_world(meshes, 1, NULL, NULL);
  CrCrowd *first = cr_world_crowd(world, 0), *second;
  int64_t id = add_walker(first, cr__vec(2, 0, 16), cr__vec(30, 0, 16), NULL);
  for (int32_t k = 0; k < 60; k++) step_world(world);
  REQUIRE_OK(cr_world_add_crowd(world, mesh, NULL, &second, NULL));
  int64_t other = add_walker(second, cr__vec(30, 0, 16), cr__vec(2, 0, 16), NULL);
  double deepest = 0.0;
  for (int32_t k = 0; k < 1200; k++) {
    step_world(world);
    deepest = cr__max(deepest, overlap_between(first, second));
  }
  CHECK(has_arrived(first, id) && has_arrived(second, other) && deepest < 0.01);
  CHECK_INT(cr_crowd_step_count(first), 1260);
  CHECK_INT(cr_crowd_step_count(second), 1200);
  check_world(world);
  cr_world_destroy(world);
  cr_navmesh_destroy(mesh);
}

TEST(a_crowd_in_a_world_refuses_what_would_part_it) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  const CrNavMesh *meshes[] = {mesh, mesh};
  CrWorld *world = make_world(meshes, 2, NULL, NULL);
  CrCrowd *crowd = cr_world_crowd(world, 1);
  add_walker(crowd, cr__vec(2, 0, 2), cr__vec(20, 0, 20), NULL);
  uint64_t before = cr_crowd_state_hash(crowd);
  CrError error = {0};
  CHECK_STATUS(cr_crowd_step(crowd, RUN_DT, &error), CR_STATUS_ARGUMENT);
  CHECK(error.field && strcmp(error.field, "crowd") == 0);
  cr_crowd_destroy(crowd);
  CHECK(cr_crowd_state_hash(crowd) == before);
  step_world(world);
  CHECK_INT(cr_crowd_step_count(crowd), 1);
  CHECK(cr_crowd_state_hash(crowd) != before);
  cr_world_destroy(world);
  cr_world_destroy(NULL);
  cr_navmesh_destroy(mesh);
}

TEST(a_world_holds_64_crowds) {
  CrNavMesh *mesh = open_world(2, 2, 4.0);
  const CrNavMesh *meshes[CR_WORLD_MAX_CROWDS];
  for (int32_t k = 0; k < CR_WORLD_MAX_CROWDS; k++) meshes[k] = mesh;
  CrCrowdOptions options = small_options(), bad = options;
  bad.max_agents = 0;
  CrWorld *world = make_world(meshes, CR_WORLD_MAX_CROWDS - 1, &options, NULL);
  CrCrowd *crowd = NULL;
  CrError error = {0};
  CHECK_STATUS(cr_world_add_crowd(world, mesh, &bad, &crowd, &error), CR_STATUS_ARGUMENT);
  CHECK(!crowd && strcmp(error.field, "options.max_agents") == 0);
  CHECK_INT(cr_world_crowd_count(world), CR_WORLD_MAX_CROWDS - 1);
  REQUIRE_OK(cr_world_add_crowd(world, mesh, &options, &crowd, NULL));
  CHECK_STATUS(cr_world_add_crowd(world, mesh, &options, &crowd, &error), CR_STATUS_FULL);
  CHECK(strcmp(error.field, "world") == 0 && error.limit == CR_WORLD_MAX_CROWDS);
  for (int32_t k = 0; k < CR_WORLD_MAX_CROWDS; k++) {
    add_walker(cr_world_crowd(world, k), cr__vec(4, 0, 4), cr__vec(4, 0, 4), NULL);
  }
  for (int32_t k = 0; k < 100; k++) step_world(world);
  double spread = overlap_between(cr_world_crowd(world, 0), cr_world_crowd(world, CR_WORLD_MAX_CROWDS - 1));
  CHECK(spread < 1.0);  // the last class saw the first
  check_world(world);
  cr_world_destroy(world);
  cr_navmesh_destroy(mesh);
}

TEST(a_step_is_of_all_crowds_or_none) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  const CrNavMesh *meshes[] = {mesh, mesh};
  CrWorld *world = make_world(meshes, 2, NULL, NULL);
  uint64_t before[2];
  for (int32_t k = 0; k < 2; k++) {
    CrCrowd *crowd = cr_world_crowd(world, k);
    add_walker(crowd, cr__vec(2 + 4 * k, 0, 2), cr__vec(20, 0, 20), NULL);
    if (k == 1) crowd->step_count = CR_CROWD_MAX_COUNT;
    before[k] = cr_crowd_state_hash(crowd);
  }
  CrError error = {0};
  CHECK_STATUS(cr_world_step(world, RUN_DT, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "step_count") == 0 && error.index == 1 && error.limit == (double)CR_CROWD_MAX_COUNT);
  CHECK_STATUS(cr_world_step(world, 0.0, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "dt") == 0);
  CHECK_STATUS(cr_world_step(world, 0.0, NULL), CR_STATUS_ARGUMENT);
  for (int32_t k = 0; k < 2; k++) CHECK(cr_crowd_state_hash(cr_world_crowd(world, k)) == before[k]);
  cr_world_destroy(world);
  cr_navmesh_destroy(mesh);
}

// --- Memory -----------------------------------------------------------------------------------------------------------

// Makes a world and fills it while one allocation fails. Returns whether all went well.
static bool make_with_failure(const CrNavMesh *mesh, int64_t fail_at) {
  TestMemory memory = {.fail_at = fail_at};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowdOptions options = small_options();
  CrWorld *world = NULL;
  bool ok = cr_world_create(&allocator, &world, NULL) == CR_STATUS_OK;
  for (int32_t k = 0; world && k < 4; k++) {  // one more when one was not to be had
    CrError error = {0};
    CrCrowd *crowd = NULL;
    if (cr_world_crowd_count(world) == 3) break;
    ok = cr_world_add_crowd(world, mesh, &options, &crowd, &error) == CR_STATUS_OK && ok;
    CHECK(crowd || error.status == CR_STATUS_OUT_OF_MEMORY);
  }
  CHECK(!world || cr_world_crowd_count(world) == 3);
  for (int32_t k = 0; world && k < 120; k++) {
    CrCrowd *crowd = cr_world_crowd(world, k % 3);
    int64_t id;
    CrStatus status = cr_crowd_add(crowd, cr__vec(2 + k % 10, 0, 2 + k / 10), NULL, &id, NULL);
    ok = ok && status == CR_STATUS_OK;
    if (status == CR_STATUS_OK) CHECK_OK(cr_crowd_set_destination(crowd, id, cr__vec(30, 0, 30), NULL));
    if (k % 10 == 9) step_world(world);
  }
  if (world) check_world(world);
  cr_world_destroy(world);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
  return ok;
}

TEST(any_allocation_may_fail) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  int64_t allocations = 1;
  while (!make_with_failure(mesh, allocations)) allocations++;
  printf("  %" PRId64 " allocations, each failed once\n", allocations - 1);
  CHECK(allocations > 100);
  cr_navmesh_destroy(mesh);
}

TEST(steady_steps_allocate_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *meshes[2];
  make_own_meshes(meshes);
  CrWorld *world = make_world((const CrNavMesh *const *)meshes, 2, NULL, &allocator);
  add_streams(cr_world_crowd(world, 0), cr_world_crowd(world, 1));
  int64_t before = memory.total_allocations;
  for (int32_t k = 0; k < 60; k++) {
    CHECK_OK(cr_crowd_set_destination(cr_world_crowd(world, 0), k, cr__vec(30, 0, 30), NULL));
    step_world(world);
  }
  CHECK_INT(memory.total_allocations - before, 0);
  cr_world_destroy(world);
  CHECK_INT(memory.live_blocks, 0);
  for (int32_t k = 0; k < 2; k++) cr_navmesh_destroy(meshes[k]);
}

TEST_MAIN(RUN(a_world_of_one_crowd_is_that_crowd), RUN(classes_on_one_mesh_are_one_crowd_of_all),
          RUN(classes_share_goals_and_spots), RUN(classes_take_turns_at_one_link), RUN(small_and_large_keep_apart),
          RUN(restored_crowds_go_on_as_they_did), RUN(threads_change_nothing), RUN(a_world_may_be_empty_and_grow),
          RUN(a_crowd_in_a_world_refuses_what_would_part_it), RUN(a_world_holds_64_crowds),
          RUN(a_step_is_of_all_crowds_or_none), RUN(any_allocation_may_fail), RUN(steady_steps_allocate_nothing))
