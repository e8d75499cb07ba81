// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// How the threads of the WebAssembly module share work out: its source runs here on POSIX threads, with the two instructions for
// sleeping and waking in a word made of a mutex and a condition, so that the thread sanitizer sees the protocol.
#include <stdio.h>
#include <stdlib.h>

#include "core_internal.h"

#ifdef CR_THREADS
#include <pthread.h>
#include <sched.h>

// --- The instructions -------------------------------------------------------------------------------------------------

typedef struct Sleeper {
  const int32_t *word;
  bool woken;
  struct Sleeper *next;
} Sleeper;

static pthread_mutex_t sleep_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sleep_condition = PTHREAD_COND_INITIALIZER;
static Sleeper *sleepers;
static const int32_t *callers_word;  // the one the calling thread sleeps in
static _Atomic int64_t sleeps, callers_sleeps, wakes;

static int wait_in_word(int32_t *word, int32_t value) {
  Sleeper self = {word, false, NULL};
  pthread_mutex_lock(&sleep_mutex);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == value) {
    sleeps++;
    callers_sleeps += word == callers_word;
    self.next = sleepers;
    sleepers = &self;
    while (!self.woken) pthread_cond_wait(&sleep_condition, &sleep_mutex);
  }
  pthread_mutex_unlock(&sleep_mutex);
  return 0;
}

// Wakes one sleeper of the word, which leaves the list.
static int notify_word(const int32_t *word) {
  pthread_mutex_lock(&sleep_mutex);
  for (Sleeper **at = &sleepers; *at; at = &(*at)->next) {
    if ((*at)->word != word) continue;
    (*at)->woken = true;
    *at = (*at)->next;
    wakes++;
    break;
  }
  pthread_cond_broadcast(&sleep_condition);
  pthread_mutex_unlock(&sleep_mutex);
  return 0;
}

#else

static int wait_in_word(int32_t *word, int32_t value) {
  printf("%d would wait for ever\n", *word == value);
  abort();
}
static int notify_word(const int32_t *word) { return *word; }

#endif

#define __builtin_wasm_memory_atomic_wait32(word, value, time) wait_in_word(word, value)
#define __builtin_wasm_memory_atomic_notify(word, count) notify_word(word)

// --- The module's source, without its interface ------------------------------------------------------------------------

#define CR_HOST_THREADS
#define CRW_ABI_H
#define CRW_EXPORT static
#include "crowdreel/crowd.h"

static int32_t crw__fail(CrStatus status, const char *field) { return field ? -(int32_t)status : 0; }
static int32_t crw__fail_limit(CrStatus status, const char *field, double limit) {
  return limit > 0 ? crw__fail(status, field) : 0;
}

#include "../../../wasm/threads/api_threads.c"
// Those of the interface that this program does not call.
static int32_t (*const uncalled[])(int32_t) = {crw_threads_failed};
#include "check.h"

#ifdef CR_THREADS
// --- Tests ------------------------------------------------------------------------------------------------------------

#define MOST 16

static void *serve_thread(void *argument) {
  crw_threads_serve((int32_t)(intptr_t)argument);
  return NULL;
}

// All threads this program ever has; crowds of fewer are made by lowering the count.
static void have_threads(void) {
  static bool started;
  if (started) return;
  started = true;
  CHECK_INT(crw_threads_count(), 1);
  CHECK_INT(crw_threads_start(0, 0), -CR_STATUS_ARGUMENT);
  CHECK_INT(crw_threads_start(CR_CROWD_MAX_THREADS + 1, 0), -CR_STATUS_ARGUMENT);
  CHECK_INT(crw_threads_start(MOST, 1), 0);
  CHECK(crew.may_sleep);
  callers_word = (const int32_t *)&crew.busy;
  for (intptr_t k = 1; k < MOST; k++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, serve_thread, (void *)k) == 0);
    pthread_detach(thread);
  }
}

typedef struct Job {
  uint64_t in;
  uint64_t out[2 * MOST];
  pthread_t by[2 * MOST];
  int32_t long_task;
} Job;

static void task(void *argument, int32_t index) {
  Job *job = argument;
  uint64_t x = job->in;
  for (int32_t k = 0; k < (index == job->long_task ? 20000 : 20); k++) x = x * 6364136223846793005u + (uint64_t)index;
  job->out[index] += x;
  job->by[index] = pthread_self();
}

// Runs the tasks here too, and compares.
static void run_and_check(Job *job, Job *expected, int32_t tasks, uint64_t in) {
  job->in = expected->in = in;
  job->long_task = expected->long_task = (int32_t)(in % 40);
  cr_host_threads_run(tasks, task, job);
  for (int32_t k = 0; k < tasks; k++) task(expected, k);
  for (int32_t k = 0; k < 2 * MOST; k++) CHECK_INT(job->out[k], expected->out[k]);
}

TEST(each_task_runs_once_and_is_waited_for) {
  have_threads();
  static const int32_t counts[] = {1, 2, 5, 16};
  for (size_t c = 0; c < CR_COUNT_OF(counts); c++) {
    for (int32_t sleepy = 0; sleepy < 2; sleepy++) {
      crew.threads = counts[c];
      crew.may_sleep = sleepy;
      Job job = {0}, expected = {0};
      int64_t before = callers_sleeps;
      for (uint64_t run = 0; run < (uint64_t)check_scaled(800); run++) {
        check_seed = run;
        run_and_check(&job, &expected, 1 + (int32_t)(run % (2 * MOST)), run);
        CHECK_INT(atomic_load(&crew.busy), 0);
        for (int32_t k = 0; k < MOST; k++) CHECK_INT(atomic_load(&crew.seats[k].order), SEAT_IDLE);
      }
      if (!sleepy) CHECK_INT(callers_sleeps, before);
    }
  }
  printf("  %" PRId64 " sleeps, %" PRId64 " wakes\n", (int64_t)sleeps, (int64_t)wakes);
  CHECK(wakes > 0);
}

TEST(tasks_are_shared_out_in_turn) {
  have_threads();
  crew.may_sleep = true;
  for (int32_t threads = 1; threads <= MOST; threads += 3) {
    crew.threads = threads;
    Job job = {0}, expected = {0};
    run_and_check(&job, &expected, 2 * MOST, 1);
    for (int32_t k = 0; k < 2 * MOST; k++) {
      CHECK(!pthread_equal(job.by[k], pthread_self()) == (k % threads != 0));
      for (int32_t j = 0; j < k; j++) CHECK(!pthread_equal(job.by[j], job.by[k]) == (j % threads != k % threads));
    }
  }
}

static void await_sleep(void) {
  for (int32_t asleep = 0; asleep < MOST - 1; sched_yield()) {
    asleep = 0;
    pthread_mutex_lock(&sleep_mutex);
    for (Sleeper *at = sleepers; at; at = at->next) asleep += at->word != callers_word;
    pthread_mutex_unlock(&sleep_mutex);
  }
}

// Threads that slept long ago are woken, those that are needed and no others.
TEST(sleepers_are_woken) {
  have_threads();
  crew.threads = 4;
  crew.may_sleep = true;
  Job job = {0}, expected = {0};
  for (uint64_t run = 0; run < 50; run++) {
    int32_t tasks = 1 + (int32_t)(run % 4);
    await_sleep();
    int64_t before = wakes;
    run_and_check(&job, &expected, tasks, 40 * run + 2);
    await_sleep();
    CHECK(wakes >= before + tasks - 1 && wakes <= before + tasks);  // at most the caller beside
  }
}

TEST(after_the_end_the_caller_does_everything) {
  have_threads();
  crew.threads = 5;
  Job job = {0}, expected = {0};
  run_and_check(&job, &expected, 7, 3);
  CHECK_INT(crw_threads_end(), 0);
  CHECK_INT(crw_threads_count(), 1);
  CHECK_INT(cr_host_threads_count(), 1);
  run_and_check(&job, &expected, 7, 4);
  for (int32_t k = 0; k < 7; k++) CHECK(pthread_equal(job.by[k], pthread_self()));
}

TEST(stacks_are_apart_and_aligned) {
  have_threads();
  CHECK(uncalled[0] != NULL);
  for (int32_t k = 1; k < MOST; k++) {
    CHECK_INT(crw_threads_stack(k) % STACK_ALIGNMENT, 0);
    for (int32_t j = 1; j < k; j++) {
      uint8_t *a = crew.stacks[j], *b = crew.stacks[k];
      CHECK(a + STACK_SIZE <= b || b + STACK_SIZE <= a);
    }
  }
}

TEST_MAIN(RUN(each_task_runs_once_and_is_waited_for), RUN(tasks_are_shared_out_in_turn), RUN(sleepers_are_woken),
          RUN(after_the_end_the_caller_does_everything), RUN(stacks_are_apart_and_aligned))

#else

static void count_task(void *argument, int32_t index) { ((int32_t *)argument)[index]++; }

TEST(the_caller_alone_does_everything) {
  int32_t calls[5] = {0}, (*const interface[])(int32_t) = {crw_threads_serve, crw_threads_stack};
  CHECK(interface[0] && uncalled[0]);
  CHECK_INT(crw_threads_start(1, 0), 0);
  CHECK_INT(crw_threads_count(), 1);
  cr_host_threads_run(4, count_task, calls);
  for (int32_t k = 0; k < 5; k++) CHECK_INT(calls[k], k < 4);
  CHECK_INT(crw_threads_end(), 0);
  CHECK_INT(cr_host_threads_count(), 1);
}

TEST_MAIN(RUN(the_caller_alone_does_everything))

#endif
