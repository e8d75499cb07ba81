// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds whose state after every step, events and recorded half-planes are the same with every compiler and in WebAssembly
// (scripts/mesh-hashes.mjs compares the digests): jams, links, goals shared, agents driven by their host, everything a host may do
// at random, meshes edited under their feet, and worlds of several crowds.
#include "crowd_runs.h"
#include "tile_kit.h"

typedef struct Scene {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  uint64_t seed;
  int64_t events;
} Scene;

static Scene begin_scene(CrNavMesh *mesh, uint64_t seed) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.record_constraints = true;
  Scene scene = {.mesh = mesh, .seed = seed};
  check_seed = seed;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &scene.crowd, NULL));
  return scene;
}

static void end_scene(Scene *scene, const char *name) {
  check_crowd(scene->crowd);
  printf("  %-13s %016" PRIx64 "\n", name, check_notes_hash());
  cr_crowd_destroy(scene->crowd);
  cr_navmesh_destroy(scene->mesh);
}

static CrVec3 random_point(Scene *scene) { return world_random_point(scene->mesh, &scene->seed, NULL); }

// Arguments of one call are made in no fixed order: each number is drawn by itself.
static CrVec3 random_velocity(uint64_t *seed) {
  double x = rnd_range(seed, -4, 4), z = rnd_range(seed, -4, 4);
  return cr__vec(x, 0, z);
}

static CrAgentOptions random_options(uint64_t *seed) {
  CrAgentOptions options = rnd_int(seed, 2) ? cr_agent_options_small() : cr_agent_options_humanoid();
  options.quality = (uint8_t)rnd_int(seed, 4);
  options.priority = rnd_int(seed, 3) ? 1.0 : rnd_range(seed, 0.2, 5.0);
  options.separation_distance = rnd_int(seed, 3) ? 0.0 : rnd_range(seed, 0.5, 3.0);
  options.side_preference = rnd_int(seed, 4) ? 0.05 : rnd_range(seed, -1.0, 1.0);
  return options;
}

static void note_planes(const CrCrowd *crowd, int64_t id) {
  CrConstraint planes[CR_MAX_AGENT_PLANES];
  int32_t walls, count = cr_crowd_constraints(crowd, id, CR_MAX_AGENT_PLANES, planes, &walls);
  check_note_bytes(&walls, sizeof walls);
  check_note_bytes(planes, (size_t)count * sizeof *planes);
}

static void step_and_note(Scene *scene) {
  static CrCrowdEvent events[4096];
  step_crowd(scene->crowd);
  uint64_t hash = cr_crowd_state_hash(scene->crowd);
  check_note_bytes(&hash, sizeof hash);
  int32_t count = cr_crowd_events(scene->crowd, 4096, events);
  for (int32_t k = 0; k < count; k++) {
    check_note_bytes(&events[k].id, sizeof events[k].id);
    check_note_bytes(&events[k].event.kind, 1);
  }
  scene->events += count;
  for (int64_t id = 0; id < scene->crowd->next_id; id += 5) note_planes(scene->crowd, id);
}

static void run_steps(Scene *scene, int steps) {
  for (int k = 0; k < steps; k++) step_and_note(scene);
}

static void add_random_walkers(Scene *scene, int count) {
  for (int k = 0; k < count; k++) {
    CrAgentOptions options = random_options(&scene->seed);
    int64_t id = add_agent(scene->crowd, random_point(scene), &options);
    if (k % 5) CHECK_OK(cr_crowd_set_destination(scene->crowd, id, random_point(scene), NULL));
  }
}

// --- Scenes -----------------------------------------------------------------------------------------------------------

TEST(crowds_walk_the_same_everywhere) {
  Scene scene = begin_scene(world_scattered(8, 14, 14, 2.0, 0.25, 5, NULL), 11);
  add_random_walkers(&scene, 70);
  run_steps(&scene, 240);
  end_scene(&scene, "scattered");
  scene = begin_scene(world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL), 12);
  add_random_walkers(&scene, 60);
  run_steps(&scene, 400);
  end_scene(&scene, "two-floors");
  scene = begin_scene(world_maze(3, 8, 2.0, 0, NULL), 13);
  add_random_walkers(&scene, 40);
  run_steps(&scene, 240);
  end_scene(&scene, "maze");
  scene = begin_scene(open_world(5, 5, 8.0), 14);
  add_random_walkers(&scene, 120);
  run_steps(&scene, 200);
  end_scene(&scene, "open");
}

TEST(jams_are_the_same_everywhere) {
  static const char door[] =
      "........#........\n"
      "........#........\n"
      "........#........\n"
      ".................\n"
      "........#........\n"
      "........#........\n"
      "........#........\n";
  Scene scene = begin_scene(world_from_map(door, 1.6, 4, NULL), 15);
  CrAgentOptions options = cr_agent_options_small();
  for (int k = 0; k < 48; k++) {
    double x = 0.8 + 1.3 * (k / 8), z = 0.8 + 1.35 * (k % 8);
    bool back = k % 6 == 5;
    CrVec3 from = cr__vec(back ? 26.4 - x : x, 0, z), to = cr__vec(back ? x : 26.4 - x, 0, z);
    add_walker(scene.crowd, from, to, &options);
  }
  run_steps(&scene, 500);
  end_scene(&scene, "door");
  scene = begin_scene(kit_platforms(1.0, 14.0, true), 16);
  for (int k = 0; k < 12; k++) {
    CrVec3 left = cr__vec(0.4 + 0.65 * (k / 4), 0, 0.6 + 0.9 * (k % 4)), right = cr__vec(13.4 - left.x, 1, left.z);
    add_walker(scene.crowd, k % 3 ? left : right, k % 3 ? right : left, &options);
  }
  run_steps(&scene, 500);
  end_scene(&scene, "link");
  scene = begin_scene(open_world(10, 10, 4.0), 17);
  for (int k = 0; k < 30; k++) {
    CrVec3 from = cr__vec(4 + 2.0 * (k % 6) + rnd_range(&scene.seed, -0.1, 0.1), 0, 4 + 2.0 * (k / 6));
    add_walker(scene.crowd, from, cr__vec(27, 0, 26.5), &options);
  }
  run_steps(&scene, 1200);
  end_scene(&scene, "goal");
  scene = begin_scene(open_world(4, 4, 4.0), 18);
  for (int k = 0; k < 20; k++) add_agent(scene.crowd, cr__vec(8, 0, 8), NULL);
  run_steps(&scene, 120);
  end_scene(&scene, "one-spot");
}

// A third of the agents go as their host says, and it says something else every second step.
TEST(driven_agents_are_the_same_everywhere) {
  for (int run = 0; run < 4; run++) {
    uint64_t seed = 20 + (uint64_t)run;
    Scene scene = begin_scene(run % 2 ? world_two_floors(seed, 12, 12, 1.5, 3.0, 6, 6, NULL)
                                      : world_scattered(seed, 14, 14, 1.5, 0.25, 5, NULL),
                              seed);
    add_random_walkers(&scene, 36);
    for (int k = 0; k < 200; k++) {
      int64_t id = 3 * rnd_int(&scene.seed, 12);
      CrVec3 velocity = random_velocity(&scene.seed);
      if (k % 2) CHECK_OK(cr_crowd_set_velocity(scene.crowd, id, velocity, NULL));
      if (k % 31 == 30) CHECK_OK(cr_crowd_set_destination(scene.crowd, id, random_point(&scene), NULL));
      step_and_note(&scene);
    }
    char name[16];
    snprintf(name, sizeof name, "driven-%d", run);
    end_scene(&scene, name);
  }
}

// --- Hosts at random --------------------------------------------------------------------------------------------------

static void close_or_open(Scene *scene) {
  CrPolyRef ref;
  world_random_point(scene->mesh, &scene->seed, &ref);
  if (rnd_int(&scene->seed, 2)) {
    CHECK_OK(cr_navmesh_set_area(scene->mesh, ref, (uint8_t)rnd_int(&scene->seed, 5), NULL));
  } else {
    CHECK_OK(cr_navmesh_set_flags(scene->mesh, ref, rnd_int(&scene->seed, 4) ? 1 : 0, NULL));
  }
}

// Some calls are refused, some not: which is noted too.
static CrStatus do_something(Scene *scene) {
  uint64_t *seed = &scene->seed;
  CrCrowd *crowd = scene->crowd;
  int64_t id = (int64_t)(rnd_u64(seed) % (uint64_t)(crowd->next_id + 1));
  CrVec3 point = random_point(scene);
  CrAgentOptions options = random_options(seed);
  switch (rnd_int(seed, 9)) {
    case 0:
      return cr_crowd_add(crowd, point, &options, NULL, NULL);
    case 1:
      return cr_crowd_remove(crowd, id, NULL);
    case 2:
      return cr_crowd_stop(crowd, id, NULL);
    case 3:
      return cr_crowd_teleport(crowd, id, point, NULL);
    case 4:
      return cr_crowd_set_priority(crowd, id, rnd_range(seed, 0.1, 5), NULL);
    case 5:
      return cr_crowd_set_options(crowd, id, &options, NULL);
    case 6:
      return cr_crowd_set_velocity(crowd, id, random_velocity(seed), NULL);
    default:
      return cr_crowd_set_destination(crowd, id, point, NULL);
  }
}

TEST(whatever_hosts_do_is_the_same_everywhere) {
  for (int run = 0; run < 3; run++) {
    uint64_t seed = 30 + (uint64_t)run;
    Scene scene = begin_scene(run % 2 ? world_two_floors(seed, 12, 12, 2.0, 3.0, 8, 6, NULL)
                                      : world_scattered(seed, 14, 14, 2.0, 0.2, 5, NULL),
                              seed);
    add_random_walkers(&scene, 40);
    for (int k = 0; k < 250; k++) {
      for (int n = rnd_int(&scene.seed, 3); n > 0; n--) {
        CrStatus status = do_something(&scene);
        check_note_bytes(&status, sizeof status);
      }
      if (run && rnd_int(&scene.seed, 12) == 0) close_or_open(&scene);
      step_and_note(&scene);
    }
    CHECK(scene.events > 20);
    char name[16];
    snprintf(name, sizeof name, "host-%d", run);
    end_scene(&scene, name);
  }
}

// --- Crowds together --------------------------------------------------------------------------------------------------

// Two classes on one mesh and one on another, from one spot and from anywhere, over links and to one goal.
TEST(worlds_are_the_same_everywhere) {
  CrNavMesh *meshes[2];
  meshes[0] = world_two_floors(61, 12, 12, 2.0, 3.0, 8, 6, NULL);
  meshes[1] = world_scattered(62, 12, 12, 2.0, 0.1, 5, NULL);
  CrWorld *world;
  CrCrowd *crowds[3];
  uint64_t seed = check_seed = 63;
  REQUIRE_OK(cr_world_create(NULL, &world, NULL));
  for (int k = 0; k < 3; k++) REQUIRE_OK(cr_world_add_crowd(world, meshes[k / 2], NULL, &crowds[k], NULL));
  CrVec3 shared = world_random_point(meshes[0], &seed, NULL);
  for (int k = 0; k < 90; k++) {
    const CrNavMesh *mesh = meshes[k % 3 / 2];
    CrVec3 from = k % 9 ? world_random_point(mesh, &seed, NULL) : shared, to = world_random_point(mesh, &seed, NULL);
    CrAgentOptions options = random_options(&seed);
    int64_t id;
    if (cr_crowd_add(crowds[k % 3], from, &options, &id, NULL) != CR_STATUS_OK) continue;
    CHECK_OK(cr_crowd_set_destination(crowds[k % 3], id, k % 4 ? to : shared, NULL));
  }
  for (int step = 0; step < 300; step++) {
    CHECK_OK(cr_world_step(world, RUN_DT, NULL));
    for (int k = 0; k < 3; k++) {
      uint64_t hash = cr_crowd_state_hash(crowds[k]);
      check_note_bytes(&hash, sizeof hash);
    }
  }
  for (int k = 0; k < 3; k++) check_crowd(crowds[k]);
  printf("  %-13s %016" PRIx64 "\n", "world", check_notes_hash());
  cr_world_destroy(world);
  for (int k = 0; k < 2; k++) cr_navmesh_destroy(meshes[k]);
}

TEST_MAIN(RUN(crowds_walk_the_same_everywhere), RUN(jams_are_the_same_everywhere),
          RUN(driven_agents_are_the_same_everywhere), RUN(whatever_hosts_do_is_the_same_everywhere),
          RUN(worlds_are_the_same_everywhere))
