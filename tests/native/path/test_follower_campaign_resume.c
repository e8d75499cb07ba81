// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Resuming, in full: at every step boundary of seeded runs with edits, links and commands the state bytes are restored into a
// follower made for it, and all of these walk on beside the first one to the end of the run. Bytes and events must be equal after
// every step. Damaged bytes are offered on the way and must change nothing; mesh and follower are rolled back together.
#include "campaigns.h"

enum { RUN_STEPS = 100, ROLLBACKS = 3, PLACES = 6 };

typedef struct Run {
  uint64_t number;
  CrFollowerOptions options;
  CrQueryFilter filter;
  TileStore *store;
  CrNavMesh *mesh;
  CrVec3 places[PLACES];  // on the mesh as it was in the beginning
} Run;

// --- What happens in a step ---------------------------------------------------------------------------------------------

static uint64_t seed_of_step(const Run *run, int step) { return run->number * 1000003 + (uint64_t)step * 7919 + 5; }

static void edit_before(const Run *run, CrNavMesh *mesh, int step, EditCounts *edits) {
  uint64_t seed = seed_of_step(run, step);
  if (rnd_int(&seed, 10) == 0) edit_at_random(mesh, run->store, &seed, edits);
}

// Commands of the host, a function of the run and the step, and the step. One place in eight lies anywhere about the fields.
static void command_and_step(const Run *run, CrFollower *follower, CrPathContext *context, int step) {
  uint64_t seed = seed_of_step(run, step) + 1;
  int32_t kind = rnd_int(&seed, 150);
  CrVec3 point = run->places[rnd_int(&seed, PLACES)];
  double x = rnd_range(&seed, -1.0, 25.0), z = rnd_range(&seed, -1.0, 25.0);
  if (rnd_int(&seed, 8) == 0) point = cr__vec(x, point.y, z);
  if (kind == 0) cr_follower_place(follower, context, point, NULL);
  if (kind == 1) cr_follower_stop(follower);
  bool rouse = follower->state == CR_FOLLOWER_IDLE && kind % 4 == 0;
  if ((kind > 1 && kind < 6) || step == 0 || rouse)
    REQUIRE_OK(cr_follower_set_destination(follower, context, point, NULL));
  if (kind > 140 && run->options.off_mesh_mode == CR_OFF_MESH_HOST)
    cr_follower_complete_off_mesh(follower, context, NULL);
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
}

static CrFollowerOptions options_of(uint64_t number) {
  CrFollowerOptions options = number % 7 == 6 ? cr_follower_options_small() : cr_follower_options_humanoid();
  if (number % 3 == 0) options.corridor_capacity = 12;
  if (number % 5 == 0) options.replan_budget = 20;
  if (number % 4 == 1) options.off_mesh_mode = (uint8_t)(number / 4 % 2);
  if (number % 8 == 3) {  // too slow to make the progress asked for
    options.stuck_window = 0.1;
    options.max_acceleration = 1.0;
    options.max_stuck_recoveries = 1;
  }
  return options;
}

// Some at random, and where there are links the ends of some of them.
static void choose_places(Run *run) {
  uint64_t seed = run->number + 17;
  int chosen = 0;
  for (uint32_t slot = 0; slot < run->mesh->slot_count; slot++) {
    const CrTile *tile = &run->mesh->tiles[slot];
    if (!tile->active || tile->off_mesh_count == 0 || chosen + 2 > PLACES - 2) continue;
    const CrOffMeshLink *link = &tile->off_mesh[rnd_int(&seed, (int32_t)tile->off_mesh_count)];
    run->places[chosen++] = link->start;
    run->places[chosen++] = link->end;
  }
  while (chosen < PLACES) run->places[chosen++] = world_random_point(run->mesh, &seed, NULL);
}

static Run begin_run(uint64_t number) {
  Run run = {.number = number, .options = options_of(number), .filter = cr_query_filter_default()};
  CrNavMesh *other = tiled_world((int)(number % 1000) + 1000);
  run.mesh = tiled_world((int)(number % 1000));
  run.store = store_tiles(run.mesh, other);
  cr_navmesh_destroy(other);
  choose_places(&run);
  if (number / 4 % 2) run.filter.area_cost[1] = 2.0, run.filter.area_cost[2] = 0.7;
  return run;
}

static CrPathContext *context_for(const Run *run, const CrNavMesh *mesh) {
  return make_context(mesh, run->number / 2 % 2 ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON, 1024, &run->filter);
}

// --- Damage -------------------------------------------------------------------------------------------------------------

// Bytes that can be no state, made of some that are. 8-byte numbers lie at these offsets; the last is allowed to be infinite.
static void damage(StateBytes *bytes, uint64_t *seed) {
  static const size_t numbers[] = {19,  27,  35,  43,  51,  59,  67,  75,  83,  91,  99,  107, 115, 123,
                                   131, 139, 147, 155, 163, 171, 179, 213, 221, 229, 237, 245, 253, 195};
  static const uint64_t bad[] = {UINT64_C(0x7FF8000000000000), UINT64_C(0xFFF0000000000000),
                                 UINT64_C(0x7FF0000000000000)};
  static const struct {
    size_t offset;
    uint8_t value;
  } small[] = {{0, 0}, {0, 2}, {1, 7}, {2, 2}, {14, 0x80}, {18, 0x80}, {203, 2}, {204, 8}, {208, 1}, {212, 0x80}};
  int32_t kind = rnd_int(seed, 4), at = rnd_int(seed, (int32_t)bytes->size);
  if (kind == 0) {
    bytes->size = (size_t)at;
  } else if (kind == 1) {
    bytes->data[bytes->size++] = (uint8_t)at;
  } else if (kind == 2) {
    size_t number = (size_t)rnd_int(seed, (int32_t)CR_COUNT_OF(numbers));
    memcpy(bytes->data + numbers[number], &bad[rnd_int(seed, numbers[number] == 195 ? 2 : 3)], 8);
  } else {
    size_t k = (size_t)rnd_int(seed, (int32_t)CR_COUNT_OF(small));
    bytes->data[small[k].offset] = small[k].value;
  }
}

static void offer_damage(const Run *run, CrFollower *follower, const StateBytes *bytes, int step) {
  static StateBytes bad, after;
  uint64_t seed = seed_of_step(run, step) + 2;
  bad = *bytes;
  damage(&bad, &seed);
  CrError error = {0};
  CHECK(cr_follower_restore(follower, bad.data, bad.size, &error) != CR_STATUS_OK);
  CHECK(error.format == CR_FORMAT_CROWD_STATE);
  take_state(follower, &after);
  CHECK(same_state(bytes, &after));
}

// --- Walking on beside it -----------------------------------------------------------------------------------------------

static bool same_events(const CrFollower *a, const CrFollower *b) {
  CrFollowerEvent first[CR_FOLLOWER_MAX_EVENTS], second[CR_FOLLOWER_MAX_EVENTS];
  int32_t count = cr_follower_events(a, first);
  if (cr_follower_events(b, second) != count) return false;
  for (int32_t k = 0; k < count; k++) {
    bool same = first[k].kind == second[k].kind && first[k].reached_target == second[k].reached_target &&
                first[k].outcome == second[k].outcome && first[k].link_user_id == second[k].link_user_id;
    if (!same) return false;
  }
  return true;
}

static CrFollower *restored(const Run *run, const StateBytes *bytes) {
  static StateBytes again;
  CrFollower *follower;
  REQUIRE_OK(cr_follower_create(&run->options, NULL, &follower, NULL));
  REQUIRE_OK(cr_follower_restore(follower, bytes->data, bytes->size, NULL));
  take_state(follower, &again);
  CHECK(same_state(bytes, &again));
  return follower;
}

typedef struct Rollback {
  int step;
  CrBytes mesh;
  StateBytes follower;
} Rollback;

typedef struct Story {
  Rollback rollbacks[ROLLBACKS];
  StateBytes after[RUN_STEPS];
} Story;

typedef struct ResumeTally {
  int64_t boundaries, steps, rolled_back;
  int states[7];
  EditCounts edits;
} ResumeTally;

// A new mesh from the snapshot, a new follower from the bytes: the rest of the run again, with its edits.
static void roll_back(const Run *run, const Rollback *rollback, const Story *story, ResumeTally *tally) {
  static StateBytes bytes;
  EditCounts edits = {0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_load(rollback->mesh.data, rollback->mesh.size, NULL, &mesh, NULL));
  CrPathContext *context = context_for(run, mesh);
  CrFollower *follower = restored(run, &rollback->follower);
  for (int step = rollback->step; step < RUN_STEPS; step++, tally->rolled_back++) {
    edit_before(run, mesh, step, &edits);
    command_and_step(run, follower, context, step);
    take_state(follower, &bytes);
    CHECK(same_state(&bytes, &story->after[step]));
  }
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

static void keep_for_rollback(const Run *run, const StateBytes *bytes, int step, Story *story) {
  for (int k = 0; k < ROLLBACKS; k++) {
    Rollback *rollback = &story->rollbacks[k];
    if (rollback->step != step) continue;
    rollback->follower = *bytes;
    REQUIRE_OK(cr_navmesh_save(run->mesh, NULL, &rollback->mesh, NULL));
  }
}

// All of `others` make the step in one context that no longer belongs to any of them.
static void step_others(const Run *run, CrPathContext *context, CrFollower **others, int count, int step,
                        const CrFollower *follower, const StateBytes *expected) {
  static StateBytes bytes;
  for (int k = 0; k < count; k++) {
    command_and_step(run, others[k], context, step);
    take_state(others[k], &bytes);
    CHECK(same_state(&bytes, expected));
    CHECK(same_events(follower, others[k]));
  }
}

static void resume_run(uint64_t number, ResumeTally *tally) {
  static Story story;
  static StateBytes bytes;
  Run run = begin_run(number);
  uint64_t seed = number * 7919 + 1;
  for (int k = 0; k < ROLLBACKS; k++) story.rollbacks[k] = (Rollback){.step = k * 30 + rnd_int(&seed, 30)};
  CrPathContext *context = context_for(&run, run.mesh), *shared = context_for(&run, run.mesh);
  CrFollower *follower = make_follower(context, &run.options, run.places[0]);
  CrFollower *others[RUN_STEPS];
  for (int step = 0; step < RUN_STEPS; step++) {
    take_state(follower, &bytes);
    offer_damage(&run, follower, &bytes, step);
    keep_for_rollback(&run, &bytes, step, &story);
    others[step] = restored(&run, &bytes);
    tally->states[follower->state]++;
    edit_before(&run, run.mesh, step, &tally->edits);
    command_and_step(&run, follower, context, step);
    take_state(follower, &story.after[step]);
    step_others(&run, shared, others, step + 1, step, follower, &story.after[step]);
    tally->boundaries++, tally->steps += step + 1;
  }
  for (int k = 0; k < ROLLBACKS; k++) {
    roll_back(&run, &story.rollbacks[k], &story, tally);
    cr_bytes_free(&story.rollbacks[k].mesh);
  }
  for (int step = 0; step < RUN_STEPS; step++) cr_follower_destroy(others[step]);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_path_context_destroy(shared);
  free_tiles(run.store);
  cr_navmesh_destroy(run.mesh);
}

TEST(every_boundary_resumes_to_the_end) {
  ResumeTally tally = {0};
  int runs = (int)check_scaled(200);
  for (int number = 0; number < runs; number++) {
    check_seed = (uint64_t)number;
    resume_run((uint64_t)number, &tally);
  }
  printf("  %d runs, %d boundaries, %d steps after them, %d after rolling back the mesh too\n  ", runs,
         (int)tally.boundaries, (int)tally.steps, (int)tally.rolled_back);
  print_edits(&tally.edits);
  printf("\n  states at the boundaries:");
  for (int state = 0; state < 7; state++) printf(" %d", tally.states[state]);
  printf("\n");
  if (runs < 100) return;
  for (int state = CR_FOLLOWER_IDLE; state <= CR_FOLLOWER_STUCK; state++) CHECK(tally.states[state] > 0);
}

TEST_MAIN(RUN(every_boundary_resumes_to_the_end))
