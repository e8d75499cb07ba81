// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worker threads: the bytes of one thread whatever their number; all made with the crowd and gone with it; what happens
// when there are none to be had. The workers are compiled into this program, with thread calls that count, fail and wake early.
#ifdef CR_THREADS
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static int threads_asked, threads_made, threads_joined;
static int fail_thread_at;  // the call that fails, counted from 1; 0: none

static int count_create(pthread_t *out, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  if (++threads_asked == fail_thread_at) return EAGAIN;
  int status = pthread_create(out, attributes, start, argument);
  threads_made += status == 0;
  return status;
}

static int count_join(pthread_t thread, void **result) {
  threads_joined++;
  return pthread_join(thread, result);
}

// Waits may end for no reason: every third does.
static int fickle_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  static atomic_int waits;
  if (atomic_fetch_add(&waits, 1) % 3) return pthread_cond_wait(condition, mutex);
  pthread_mutex_unlock(mutex);
  return pthread_mutex_lock(mutex);
}

#define pthread_cond_wait fickle_wait
#define pthread_create count_create
#define pthread_join count_join
#endif

#include "crowd_runs.h"
#include "workers.c"

static CrCrowdOptions options_with(int32_t threads) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_threads = threads;
  options.query_nodes = 2048;
  return options;
}

static CrCrowd *make_threaded(const CrNavMesh *mesh, int32_t threads, const CrAllocator *allocator) {
  CrCrowdOptions options = options_with(threads);
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, allocator, &crowd, NULL));
  CHECK_INT(crowd->worker_count, threads);
  return crowd;
}

TEST(numbers_of_threads_are_checked_by_name) {
  static const int32_t bad[] = {0, -1, CR_CROWD_MOST_THREADS + 1, 65, INT32_MAX, INT32_MIN};
  CrNavMesh *mesh = open_world(2, 2, 4.0);
  CHECK_INT(cr_crowd_options_default().max_threads, 1);
  for (size_t k = 0; k < CR_COUNT_OF(bad); k++) {
    CrCrowdOptions options = options_with(bad[k]);
    CrError error = {0};
    CrCrowd *crowd = NULL;
    CHECK_STATUS(cr_crowd_create(mesh, &options, NULL, &crowd, &error), CR_STATUS_ARGUMENT);
    CHECK(!crowd && error.field && strcmp(error.field, "options.max_threads") == 0);
    CHECK(error.limit == (bad[k] < 1 ? 1 : CR_CROWD_MOST_THREADS));
  }
  CrCrowdOptions most = options_with(CR_CROWD_MOST_THREADS);
  CHECK_OK(cr_crowd_options_validate(&most, NULL));
  printf("  %d threads in this build\n", CR_CROWD_MOST_THREADS);
  cr_navmesh_destroy(mesh);
}

#ifdef CR_THREADS

// --- Results ----------------------------------------------------------------------------------------------------------

static const int32_t thread_counts[] = {1, 2, 5, 16};
#define COUNTS 4

// A run in several crowds at once: the same is done to all, and they must stay equal.
typedef struct Together {
  CrNavMesh *mesh;
  CrCrowd *crowds[COUNTS];
} Together;

static Together start_together(CrNavMesh *mesh) {
  Together run = {.mesh = mesh};
  for (int32_t k = 0; k < COUNTS; k++) run.crowds[k] = make_threaded(mesh, thread_counts[k], NULL);
  return run;
}

static void end_together(Together *run) {
  for (int32_t k = 0; k < COUNTS; k++) cr_crowd_destroy(run->crowds[k]);
  cr_navmesh_destroy(run->mesh);
}

static int64_t add_to_all(Together *run, CrVec3 at, CrVec3 to, const CrAgentOptions *options) {
  int64_t id = -1;
  for (int32_t k = 0; k < COUNTS; k++) id = add_walker(run->crowds[k], at, to, options);
  return id;
}

static void step_all(Together *run) {
  for (int32_t k = 0; k < COUNTS; k++) {
    step_crowd(run->crowds[k]);
    CHECK(cr_crowd_state_hash(run->crowds[k]) == cr_crowd_state_hash(run->crowds[0]));
  }
}

static void compare_all(const Together *run) {
  StateBytes state = take_state(run->crowds[0]);
  for (int32_t k = 1; k < COUNTS; k++) CHECK(stands_at(run->crowds[k], &state));
  check_crowd(run->crowds[0]);
  free(state.data);
}

// Every worker that can have a group has solved a velocity program.
static void expect_all_worked(const Together *run) {
  int32_t groups = (run->crowds[0]->slot_count + CR_GROUP_SLOTS - 1) / CR_GROUP_SLOTS;
  for (int32_t k = 0; k < COUNTS; k++) {
    const CrCrowd *crowd = run->crowds[k];
    for (int32_t w = 0; w < crowd->worker_count; w++) {
      CrVec2 normal = crowd->workers[w].planes[0].normal;
      CHECK((normal.x != 0.0 || normal.z != 0.0) == (w < groups));
    }
  }
}

static CrAgentOptions mixed_options(int32_t k) {
  CrAgentOptions options = k % 3 ? cr_agent_options_small() : cr_agent_options_humanoid();
  options.quality = (uint8_t)(3 - k % 4);
  options.separation_distance = k % 5 == 0 ? 2.0 : 0.0;
  return options;
}

// What a host does between steps: goals, leaving and coming, teleports, set velocities, changes of the mesh.
static void drive_all(Together *run, int32_t step, uint64_t *seed) {
  for (int32_t j = 0; j < 3; j++) {
    int64_t id = rnd_int(seed, 300);
    CrVec3 point = world_random_point(run->mesh, seed, NULL);
    int32_t act = rnd_int(seed, 5);
    CrAgentOptions options = mixed_options(rnd_int(seed, 60));
    for (int32_t k = 0; k < COUNTS; k++) {
      CrCrowd *crowd = run->crowds[k];
      if (act == 0 && cr_crowd_remove(crowd, id, NULL) == CR_STATUS_OK) add_walker(crowd, point, point, &options);
      if (act == 1) cr_crowd_teleport(crowd, id, point, NULL);
      if (act == 2) cr_crowd_set_velocity(crowd, id, cr__vec(point.x - 14.0, 0, point.z - 14.0), NULL);
      if (act > 2) cr_crowd_set_destination(crowd, id, point, NULL);
    }
  }
  if (step % 50 != 25) return;
  CrPolyRef ref;
  world_random_point(run->mesh, seed, &ref);
  CHECK_OK(cr_navmesh_set_flags(run->mesh, ref, 3, NULL));
}

TEST(three_hundred_agents_walk_the_same_with_1_2_5_and_16_threads) {
  uint64_t seed = check_seed = 31;
  Together run = start_together(world_two_floors(50, 14, 14, 2.0, 4.0, 14, 5, NULL));
  int32_t crossings = 0;
  for (int32_t k = 0; k < 300; k++) {
    CrVec3 from = world_random_point(run.mesh, &seed, NULL), to = world_random_point(run.mesh, &seed, NULL);
    CrAgentOptions options = mixed_options(k);
    add_to_all(&run, from, to, &options);
  }
  for (int32_t step = 0; step < 150; step++) {
    drive_all(&run, step, &seed);
    step_all(&run);
    for (int32_t slot = 0; slot < 300; slot++) {
      crossings += cr__crowd_slot(run.crowds[0], slot)->step_flags & CR_STEP_CROSSING ? 1 : 0;
    }
  }
  compare_all(&run);
  expect_all_worked(&run);
  printf("  300 agents, %" PRId64 " added in all, %d steps of crossing links\n", run.crowds[0]->next_id, crossings);
  CHECK(crossings > 100 && run.crowds[0]->next_id > 320);
  end_together(&run);
}

TEST(a_jam_at_a_door_is_the_same_with_1_2_5_and_16_threads) {
  Together run =
      start_together(world_from_map("........#........\n"
                                    "........#........\n"
                                    ".................\n"
                                    ".................\n"
                                    "........#........\n"
                                    "........#........\n",
                                    2.0, 6, NULL));
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t k = 0; k < 200; k++) {
    CrVec3 from = {0.6 + 0.8 * (k / 14), 0, 0.6 + 0.8 * (k % 14)};
    add_to_all(&run, from, cr__vec(34.0 - from.x, 0, from.z), &options);
  }
  for (int32_t step = 0; step < 600; step++) step_all(&run);
  compare_all(&run);
  expect_all_worked(&run);
  int32_t through = 0, slow = 0;
  for (int64_t id = 0; id < 200; id++) {
    CrFollowerInfo info = walker_info(run.crowds[0], id);
    through += info.position.x > 18.0;
    slow += info.state == CR_FOLLOWER_MOVING && cr__dist(info.velocity, cr__vec(0, 0, 0)) < 1.0;
  }
  printf("  after 600 steps %d of 200 are through, %d walk at less than 1\n", through, slow);
  CHECK(through > 5 && slow > 30);
  end_together(&run);
}

TEST(a_state_goes_on_with_another_number_of_threads) {
  CrNavMesh *mesh = world_scattered(3, 20, 20, 2.0, 0.2, 7, NULL);
  CrCrowd *first = make_threaded(mesh, 5, NULL), *second = make_threaded(mesh, 1, NULL),
          *third = make_threaded(mesh, 16, NULL);
  uint64_t seed = check_seed = 8;
  for (int32_t k = 0; k < 100; k++) {
    CrAgentOptions options = mixed_options(k);
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    add_walker(first, from, to, &options);
  }
  for (int32_t step = 0; step < 60; step++) step_crowd(first);
  StateBytes state = take_state(first);
  CHECK_OK(cr_crowd_restore_state(second, state.data, state.size, NULL));
  CHECK_OK(cr_crowd_restore_state(third, state.data, state.size, NULL));
  for (int32_t step = 0; step < 60; step++) {
    step_crowd(first);
    step_crowd(second);
    step_crowd(third);
    CHECK(cr_crowd_state_hash(first) == cr_crowd_state_hash(second));
    CHECK(cr_crowd_state_hash(first) == cr_crowd_state_hash(third));
  }
  free(state.data);
  cr_crowd_destroy(first);
  cr_crowd_destroy(second);
  cr_crowd_destroy(third);
  cr_navmesh_destroy(mesh);
}

TEST(recorded_half_planes_are_the_same) {
  CrNavMesh *mesh = world_scattered(5, 16, 16, 2.0, 0.2, 7, NULL);
  CrCrowd *crowds[2];
  for (int32_t k = 0; k < 2; k++) {
    CrCrowdOptions options = options_with(k ? 3 : 1);
    options.record_constraints = true;
    REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowds[k], NULL));
    uint64_t seed = check_seed = 19;
    for (int32_t j = 0; j < 100; j++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      add_walker(crowds[k], from, to, NULL);
    }
    for (int32_t step = 0; step < 40; step++) step_crowd(crowds[k]);
  }
  int32_t planes = 0;
  for (int64_t id = 0; id < 100; id++) {
    CrConstraint one[32], three[32];
    int32_t one_walls, three_walls;
    int32_t count = cr_crowd_constraints(crowds[0], id, 32, one, &one_walls);
    CHECK_INT(cr_crowd_constraints(crowds[1], id, 32, three, &three_walls), count);
    CHECK_INT(three_walls, one_walls);
    for (int32_t k = 0; k < count; k++) {
      CHECK(one[k].point_x == three[k].point_x && one[k].point_z == three[k].point_z);
      CHECK(one[k].normal_x == three[k].normal_x && one[k].normal_z == three[k].normal_z);
    }
    planes += count;
  }
  CHECK(planes > 500);
  cr_crowd_destroy(crowds[0]);
  cr_crowd_destroy(crowds[1]);
  cr_navmesh_destroy(mesh);
}

// --- Workers ----------------------------------------------------------------------------------------------------------

typedef struct Roll {
  int32_t calls[16];
  int32_t late;  // the worker that takes its time, or -1
  pthread_t threads[16];
} Roll;

static void call_roll(void *job, int32_t worker) {
  Roll *roll = job;
  if (worker == roll->late) {
    volatile int32_t spent = 0;
    while (spent < 100000) spent++;
  }
  roll->calls[worker]++;
  roll->threads[worker] = pthread_self();
}

TEST(each_worker_runs_once_on_its_own_thread_and_is_waited_for) {
  CrNavMesh *mesh = open_world(2, 2, 4.0);
  CrCrowd *crowd = make_threaded(mesh, 16, NULL);
  uint64_t seed = check_seed = 6;
  pthread_t threads[16];
  Roll roll = {.late = -1};
  cr__workers_run(crowd, 16, call_roll, &roll);
  memcpy(threads, roll.threads, sizeof threads);
  CHECK(pthread_equal(threads[0], pthread_self()));
  for (int32_t round = 0; round < 3000; round++) {
    int32_t wanted = rnd_int(&seed, 17);
    roll = (Roll){.late = round % 50 ? -1 : rnd_int(&seed, 16)};
    cr__workers_run(crowd, wanted, call_roll, &roll);
    for (int32_t w = 0; w < 16; w++) {
      CHECK_INT(roll.calls[w], w < wanted);
      if (w < wanted) CHECK(pthread_equal(roll.threads[w], threads[w]));
      for (int32_t v = 0; v < w; v++) CHECK(!pthread_equal(threads[v], threads[w]));
    }
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(there_are_no_more_workers_than_groups_of_slots) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  static const int32_t agents[] = {1, 32, 33, 100, 65536}, workers[] = {1, 1, 2, 4, 9};
  for (size_t k = 0; k < CR_COUNT_OF(agents); k++) {
    CrCrowdOptions options = options_with(9);
    options.max_agents = agents[k];
    CrCrowd *crowd;
    REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
    CHECK_INT(crowd->worker_count, workers[k]);
    CHECK_INT(cr_crowd_options(crowd).max_threads, 9);
    for (int32_t j = 0; j < (agents[k] < 100 ? agents[k] : 100); j++) {
      add_walker(crowd, cr__vec(2 + j % 10, 0, 2 + j / 10), cr__vec(30, 0, 30), NULL);
    }
    for (int32_t step = 0; step < 5; step++) step_crowd(crowd);
    check_crowd(crowd);
    cr_crowd_destroy(crowd);
  }
  cr_navmesh_destroy(mesh);
}

// --- Memory and threads -----------------------------------------------------------------------------------------------

TEST(steps_make_no_threads_and_allocate_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(3, 20, 20, 2.0, 0.2, 7, NULL);
  threads_made = threads_joined = 0;
  CrCrowd *crowd = make_threaded(mesh, 4, &allocator);
  CHECK_INT(threads_made, 3);
  uint64_t seed = check_seed = 4;
  for (int32_t k = 0; k < 120; k++) {
    CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
    add_walker(crowd, from, to, NULL);
  }
  step_crowd(crowd);
  int64_t before = memory.total_allocations;
  for (int32_t k = 0; k < 60; k++) {
    CHECK_OK(cr_crowd_set_destination(crowd, k, world_random_point(mesh, &seed, NULL), NULL));
    step_crowd(crowd);
  }
  CHECK_INT(memory.total_allocations - before, 0);
  CHECK_INT(threads_made, 3);
  CHECK_INT(threads_joined, 0);
  cr_crowd_destroy(crowd);
  CHECK_INT(threads_joined, 3);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
  cr_navmesh_destroy(mesh);
}

// Makes a crowd of `threads` threads while one allocation or one thread fails. Returns whether it was made.
static bool create_with_failure(const CrNavMesh *mesh, int32_t threads, int64_t allocation, int thread) {
  TestMemory memory = {.fail_at = allocation};
  CrAllocator allocator = test_allocator(&memory);
  CrCrowdOptions options = options_with(threads);
  CrCrowd *crowd = NULL;
  CrError error = {0};
  fail_thread_at = thread;
  threads_asked = threads_made = threads_joined = 0;
  CrStatus status = cr_crowd_create(mesh, &options, &allocator, &crowd, &error);
  if (status == CR_STATUS_OK) {
    for (int32_t k = 0; k < 70; k++) {
      cr_crowd_add(crowd, cr__vec(2 + k % 10, 0, 2 + k / 10), NULL, NULL, NULL);
    }
    step_crowd(crowd);
    cr_crowd_destroy(crowd);
  } else {
    CHECK(status == CR_STATUS_OUT_OF_MEMORY && error.status == status && !crowd);
    CHECK(thread ? error.field && strcmp(error.field, "options.max_threads") == 0 : !error.field);
    CHECK(!thread || threads_made == thread - 1);
  }
  CHECK_INT(threads_joined, threads_made);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
  fail_thread_at = 0;
  return status == CR_STATUS_OK;
}

TEST(any_allocation_and_any_thread_may_fail) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  int32_t refused = 0, threads = 0;
  int64_t allocations = 1;
  while (!create_with_failure(mesh, 4, allocations, 0)) allocations++;
  while (!create_with_failure(mesh, 64, 0, threads + 1)) threads++;
  for (int32_t k = 1; k <= 3; k++) refused += !create_with_failure(mesh, 4, 0, k);
  printf("  %" PRId64 " allocations and %d threads, each failed once\n", allocations - 1, threads);
  CHECK(allocations > 40);
  CHECK_INT(threads, 63);
  CHECK_INT(refused, 3);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(numbers_of_threads_are_checked_by_name),
          RUN(three_hundred_agents_walk_the_same_with_1_2_5_and_16_threads),
          RUN(a_jam_at_a_door_is_the_same_with_1_2_5_and_16_threads),
          RUN(a_state_goes_on_with_another_number_of_threads), RUN(recorded_half_planes_are_the_same),
          RUN(each_worker_runs_once_on_its_own_thread_and_is_waited_for),
          RUN(there_are_no_more_workers_than_groups_of_slots), RUN(steps_make_no_threads_and_allocate_nothing),
          RUN(any_allocation_and_any_thread_may_fail))

#else

// One worker does everything, in a crowd as in any other.
TEST(the_caller_is_the_only_worker) {
  CrNavMesh *mesh = open_world(8, 8, 4.0);
  CrCrowd *crowd = make_threaded(mesh, 1, NULL);
  CHECK(!crowd->crew);
  for (int32_t k = 0; k < 70; k++) add_walker(crowd, cr__vec(2 + k % 10, 0, 2 + k / 10), cr__vec(30, 0, 30), NULL);
  for (int32_t step = 0; step < 60; step++) step_crowd(crowd);
  for (int64_t id = 0; id < 70; id++) {  // some are held up by others
    CrVec3 at = walker_info(crowd, id).position;
    CHECK(at.x != (double)(2 + id % 10) || at.z != (double)(2 + id / 10));
  }
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(numbers_of_threads_are_checked_by_name), RUN(the_caller_is_the_only_worker))

#endif
