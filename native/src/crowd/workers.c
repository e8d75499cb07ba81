// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The workers of a crowd: what each needs to itself, and a crew of threads for all but the first, which is the thread that
// calls. Everything is made with the crowd; between phases the threads sleep.
// Where the host has threads of its own to lend (host_threads.h), those do the work instead.
// Invariant: outside cr__workers_run no thread of the crew runs a task. The mutex orders memory: a task sees what was
// written before the call, and the caller sees all that was written by the tasks when it returns.
#include "crowd_struct.h"

#ifdef CR_THREADS
#include <pthread.h>

// --- Threads ----------------------------------------------------------------------------------------------------------

#define STACK_SIZE ((size_t)1 << 20)  // what the WebAssembly module has; some systems give threads far less

typedef struct CrewThread {
  CrCrew *crew;
  pthread_t handle;
  pthread_cond_t wake;  // has_task or the crew's `leaving` was set
  int32_t worker;
  bool has_task;
} CrewThread;

struct CrCrew {
  pthread_mutex_t mutex;  // of everything below but the handles
  pthread_cond_t done;    // `busy` became 0
  CrWorkerTask task;
  void *job;
  int32_t busy;  // threads with a task
  bool leaving;
  int32_t capacity, count;  // threads there is room for, and those that run
  CrewThread threads[];
};

static size_t crew_size(int32_t threads) { return sizeof(CrCrew) + (size_t)threads * sizeof(CrewThread); }

static void do_task(CrewThread *self) {
  CrCrew *crew = self->crew;
  CrWorkerTask task = crew->task;
  void *job = crew->job;
  pthread_mutex_unlock(&crew->mutex);
  task(job, self->worker);
  pthread_mutex_lock(&crew->mutex);
  self->has_task = false;
  if (--crew->busy == 0) pthread_cond_signal(&crew->done);
}

static void *serve(void *argument) {
  CrewThread *self = argument;
  CrCrew *crew = self->crew;
  pthread_mutex_lock(&crew->mutex);
  while (self->has_task || !crew->leaving) {
    if (self->has_task) {
      do_task(self);
    } else {
      pthread_cond_wait(&self->wake, &crew->mutex);
    }
  }
  pthread_mutex_unlock(&crew->mutex);
  return NULL;
}

static bool start_thread(CrewThread *thread) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  bool ok = pthread_attr_setstacksize(&attributes, STACK_SIZE) == 0 &&
            pthread_create(&thread->handle, &attributes, serve, thread) == 0;
  pthread_attr_destroy(&attributes);
  return ok;
}

static bool add_thread(CrCrew *crew) {
  CrewThread *thread = &crew->threads[crew->count];
  thread->crew = crew;
  thread->worker = crew->count + 1;
  if (pthread_cond_init(&thread->wake, NULL) != 0) return false;
  if (!start_thread(thread)) {
    pthread_cond_destroy(&thread->wake);
    return false;
  }
  crew->count++;
  return true;
}

static bool init_crew(CrCrew *crew, int32_t threads) {
  crew->capacity = threads;
  if (pthread_mutex_init(&crew->mutex, NULL) != 0) return false;
  if (pthread_cond_init(&crew->done, NULL) == 0) return true;
  pthread_mutex_destroy(&crew->mutex);
  return false;
}

static void dismiss_crew(CrCrew *crew, const CrAllocator *allocator) {
  if (!crew) return;
  pthread_mutex_lock(&crew->mutex);
  crew->leaving = true;
  for (int32_t k = 0; k < crew->count; k++) pthread_cond_signal(&crew->threads[k].wake);
  pthread_mutex_unlock(&crew->mutex);
  for (int32_t k = 0; k < crew->count; k++) {
    pthread_join(crew->threads[k].handle, NULL);
    pthread_cond_destroy(&crew->threads[k].wake);
  }
  pthread_cond_destroy(&crew->done);
  pthread_mutex_destroy(&crew->mutex);
  cr__free(allocator, crew, crew_size(crew->capacity), 1);
}

static CrStatus hire_crew(const CrAllocator *allocator, int32_t threads, CrCrew **out, CrError *error) {
  CrCrew *crew = cr__alloc_zeroed(allocator, crew_size(threads), 1);
  if (!crew) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  if (!init_crew(crew, threads)) {
    cr__free(allocator, crew, crew_size(threads), 1);
    return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, "options.max_threads");
  }
  while (crew->count < threads && add_thread(crew)) {
  }
  if (crew->count < threads) {
    dismiss_crew(crew, allocator);
    return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, "options.max_threads");
  }
  *out = crew;
  return CR_STATUS_OK;
}

static void begin_tasks(CrCrew *crew, int32_t threads, CrWorkerTask task, void *job) {
  pthread_mutex_lock(&crew->mutex);
  crew->task = task;
  crew->job = job;
  crew->busy = threads;
  for (int32_t k = 0; k < threads; k++) crew->threads[k].has_task = true;
  pthread_mutex_unlock(&crew->mutex);
  for (int32_t k = 0; k < threads; k++) pthread_cond_signal(&crew->threads[k].wake);
}

static void await_tasks(CrCrew *crew) {
  pthread_mutex_lock(&crew->mutex);
  while (crew->busy > 0) pthread_cond_wait(&crew->done, &crew->mutex);
  pthread_mutex_unlock(&crew->mutex);
}

void cr__workers_run(CrCrowd *crowd, int32_t workers, CrWorkerTask task, void *job) {
  CR_ASSERT(workers <= crowd->worker_count);
  if (workers > 1) begin_tasks(crowd->crew, workers - 1, task, job);
  if (workers > 0) task(job, 0);
  if (workers > 1) await_tasks(crowd->crew);
}

#elif defined(CR_HOST_THREADS)

// --- Threads of the host ----------------------------------------------------------------------------------------------

// They are there before any crowd is, and stay when it goes.
static CrStatus hire_crew(const CrAllocator *allocator, int32_t threads, CrCrew **out, CrError *error) {
  (void)allocator, (void)threads, (void)out, (void)error;
  return CR_STATUS_OK;
}

static void dismiss_crew(CrCrew *crew, const CrAllocator *allocator) { (void)crew, (void)allocator; }

void cr__workers_run(CrCrowd *crowd, int32_t workers, CrWorkerTask task, void *job) {
  CR_ASSERT(workers <= crowd->worker_count);
  (void)crowd;
  if (workers > 1) {
    cr_host_threads_run(workers, task, job);
  } else if (workers == 1) {
    task(job, 0);
  }
}

#else

// --- One thread -------------------------------------------------------------------------------------------------------

static CrStatus hire_crew(const CrAllocator *allocator, int32_t threads, CrCrew **out, CrError *error) {
  (void)allocator, (void)threads, (void)out;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.max_threads", 1);
}

static void dismiss_crew(CrCrew *crew, const CrAllocator *allocator) { (void)crew, (void)allocator; }

void cr__workers_run(CrCrowd *crowd, int32_t workers, CrWorkerTask task, void *job) {
  CR_ASSERT(workers <= crowd->worker_count && crowd->worker_count == 1);
  (void)crowd;
  if (workers > 0) task(job, 0);
}

#endif

// --- Workers ----------------------------------------------------------------------------------------------------------

// No more than there can be groups of slots.
static int32_t worker_count_of(const CrCrowdOptions *options) {
  int32_t groups = (options->max_agents + CR_GROUP_SLOTS - 1) / CR_GROUP_SLOTS;
  return options->max_threads < groups ? options->max_threads : groups;
}

static CrPathContextOptions context_options(const CrCrowd *crowd) {
  CrPathContextOptions options = cr_path_context_options_default();
  options.query.max_nodes = crowd->options.query_nodes;
  options.query.node_model = (CrNodeModel)crowd->options.query_node_model;
  options.local_nodes = CR_CROWD_LOCAL_NODES;
  options.max_corridor = CR_CORRIDOR_MAX_CAPACITY;
  options.filter = crowd->options.filter;
  return options;
}

CrStatus cr__workers_create(CrCrowd *crowd, CrError *error) {
  int32_t count = worker_count_of(&crowd->options);
  crowd->workers = cr__alloc_zeroed(&crowd->allocator, (size_t)count, sizeof *crowd->workers);
  if (!crowd->workers) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  crowd->worker_count = count;
  CrPathContextOptions options = context_options(crowd);
  for (int32_t k = 0; k < count; k++) {
    CrStatus status =
        cr_path_context_create(crowd->mesh, &options, &crowd->allocator, &crowd->workers[k].context, error);
    if (status != CR_STATUS_OK) return status;
  }
  return count > 1 ? hire_crew(&crowd->allocator, count - 1, &crowd->crew, error) : CR_STATUS_OK;
}

void cr__workers_release(CrCrowd *crowd) {
  dismiss_crew(crowd->crew, &crowd->allocator);
  for (int32_t k = 0; k < crowd->worker_count; k++) cr_path_context_destroy(crowd->workers[k].context);
  cr__free(&crowd->allocator, crowd->workers, (size_t)crowd->worker_count, sizeof *crowd->workers);
}
