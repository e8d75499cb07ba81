// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Threads of the variant of the module on shared memory (docs/formats/wasm-abi.md, "Threads"): the host's workers, which
// instantiate the same module on the same memory and then wait here for tasks.
// Invariant: outside cr_host_threads_run every seat is idle and nobody is busy. Only the calling thread gives orders, and
// only to idle seats; a worker reads the task after its order and takes itself off the busy ones after the last thing it writes.
// Tasks must not allocate: the heap has no lock.
#include <stdatomic.h>
#include <stdlib.h>

#include "../abi.h"
#include "crowdreel/host_threads.h"

#define STACK_SIZE ((size_t)1 << 20)  // as the main stack
#define STACK_ALIGNMENT 16            // what compiled code takes for granted
#define LINE_SIZE 64                  // of a cache: orders to one worker do not disturb the others
#define LOOKS_BEFORE_SLEEP 4000       // some microseconds: two phases of a step are less apart

enum { SEAT_IDLE, SEAT_WORK };

typedef struct Seat {
  _Alignas(LINE_SIZE) _Atomic int32_t order;
} Seat;

static struct {
  void (*task)(void *job, int32_t index);
  void *job;
  int32_t tasks, threads;
  bool may_sleep;  // whether the calling thread may
  uint8_t *stacks[CR_CROWD_MAX_THREADS];
  Seat seats[CR_CROWD_MAX_THREADS];
  _Alignas(LINE_SIZE) _Atomic int32_t busy;  // threads at work, without the caller
  _Atomic bool failed;
} crew = {.threads = 1};

// Returns when the word differs from `value`, or sooner.
static void sleep_on(_Atomic int32_t *word, int32_t value) {
  __builtin_wasm_memory_atomic_wait32((int32_t *)word, value, -1);
}

static void wake(_Atomic int32_t *word) { __builtin_wasm_memory_atomic_notify((int32_t *)word, 1); }

// The word's value, once it is not `value` or has not changed for some time.
static int32_t look(_Atomic int32_t *word, int32_t value) {
  int32_t seen = value;
  for (int32_t k = 0; k < LOOKS_BEFORE_SLEEP && seen == value; k++) seen = atomic_load(word);
  return seen;
}

// --- The calling thread -------------------------------------------------------------------------------------------------

int32_t cr_host_threads_count(void) { return crew.threads; }

// The share of a thread: tasks index, index + threads, ...
static void do_share(int32_t index) {
  for (int32_t k = index; k < crew.tasks; k += crew.threads) crew.task(crew.job, k);
}

static void await_share(void) {
  for (int32_t busy; (busy = atomic_load(&crew.busy)) != 0;) {
    if (look(&crew.busy, busy) == busy && crew.may_sleep) sleep_on(&crew.busy, busy);
  }
}

void cr_host_threads_run(int32_t tasks, void (*task)(void *job, int32_t index), void *job) {
  int32_t threads = tasks < crew.threads ? tasks : crew.threads;
  crew.task = task;
  crew.job = job;
  crew.tasks = tasks;
  atomic_store(&crew.busy, threads - 1);
  for (int32_t k = 1; k < threads; k++) {
    atomic_store(&crew.seats[k].order, SEAT_WORK);
    wake(&crew.seats[k].order);
  }
  do_share(0);
  await_share();
  if (atomic_load(&crew.failed)) __builtin_trap();  // as if the task had failed here
}

// Makes stacks for threads 1..threads-1. `may_sleep`: whether the thread that calls the engine may wait without
// spinning. Once, before any crowd.
CRW_EXPORT int32_t crw_threads_start(int32_t threads, int32_t may_sleep) {
  if (threads < 1 || threads > CR_CROWD_MAX_THREADS) {
    return crw__fail_limit(CR_STATUS_ARGUMENT, "threads", threads < 1 ? 1 : CR_CROWD_MAX_THREADS);
  }
  for (int32_t k = 1; k < threads; k++) {
    crew.stacks[k] = malloc(STACK_SIZE);
    if (!crew.stacks[k]) return crw__fail(CR_STATUS_OUT_OF_MEMORY, "threads");
  }
  crew.threads = threads;
  crew.may_sleep = may_sleep != 0;
  return 0;
}

CRW_EXPORT int32_t crw_threads_count(void) { return crew.threads; }

// What the worker for thread `index` sets the stack pointer to.
CRW_EXPORT int32_t crw_threads_stack(int32_t index) {
  uintptr_t end = (uintptr_t)(crew.stacks[index] + STACK_SIZE);
  return (int32_t)(end & ~(uintptr_t)(STACK_ALIGNMENT - 1));
}

// From now on the calling thread does everything. The stacks stay: their workers may not have ended yet.
CRW_EXPORT int32_t crw_threads_end(void) {
  crew.threads = 1;
  return 0;
}

// --- Workers ------------------------------------------------------------------------------------------------------------

static void leave(Seat *seat) {
  atomic_store(&seat->order, SEAT_IDLE);
  if (atomic_fetch_sub(&crew.busy, 1) == 1) wake(&crew.busy);
}

// Called by the worker for thread `index`. Does not return.
CRW_EXPORT int32_t crw_threads_serve(int32_t index) {
  Seat *seat = &crew.seats[index];
  for (;;) {
    if (look(&seat->order, SEAT_IDLE) == SEAT_IDLE) {
      sleep_on(&seat->order, SEAT_IDLE);
    } else {
      do_share(index);
      leave(seat);
    }
  }
  return 0;  // never
}

// Called by a worker whose crw_threads_serve trapped: the calling thread must not wait for it for ever.
CRW_EXPORT int32_t crw_threads_failed(int32_t index) {
  atomic_store(&crew.failed, true);
  leave(&crew.seats[index]);
  return 0;
}
