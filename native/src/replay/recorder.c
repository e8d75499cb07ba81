// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Records a crowd while its host drives it. The log holds the step records exactly as the file will
// (docs/formats/replay.md, "Replay file"), and behind them the operations of the step to come.
// Invariant: what is recorded is what the crowd did. Room is reserved before the crowd is touched, so that nothing can
// fail between the two.
#include "crowd_internal.h"
#include "crowdreel/world.h"
#include "navmesh_internal.h"
#include "replay_internal.h"

#define LENGTH_SIZE 4  // a step record's operations length
#define HASH_SIZE 8

// Restoring the mesh counts as an edit.
static uint64_t mesh_stamp(const CrCrowd *crowd) { return cr_crowd_mesh(crowd)->stamp; }

CrStatus cr_recorder_create(CrCrowd *crowd, double dt, const CrAllocator *allocator, CrRecorder **out, CrError *error) {
  CrStatus status = cr__check_dt(error, dt);
  if (status != CR_STATUS_OK) return status;
  if (cr_crowd_world(crowd)) return cr__fail(error, CR_STATUS_NOT_RECORDABLE, "world");
  if (cr_crowd_options(crowd).filter) return cr__fail(error, CR_STATUS_ARGUMENT, "crowd");
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrRecorder *recorder = cr__alloc_zeroed(&hooks, 1, sizeof *recorder);
  if (!recorder) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  recorder->allocator = hooks;
  recorder->crowd = crowd;
  recorder->dt = dt;
  recorder->mesh_stamp = mesh_stamp(crowd);
  status = cr__setup_take(crowd, dt, &hooks, &recorder->setup, error);
  if (status != CR_STATUS_OK) {
    cr_recorder_destroy(recorder);
    return status;
  }
  *out = recorder;
  return CR_STATUS_OK;
}

void cr_recorder_destroy(CrRecorder *recorder) {
  if (!recorder) return;
  CrAllocator hooks = recorder->allocator;
  cr_bytes_free(&recorder->setup);
  cr__free(&hooks, recorder->log, recorder->log_capacity, 1);
  cr__free(&hooks, recorder, 1, sizeof *recorder);
}

// --- Operations -----------------------------------------------------------------------------------------------------

static size_t log_end(const CrRecorder *recorder) { return recorder->log_size + LENGTH_SIZE + recorder->pending_size; }

// Room for `size` more operation bytes and for the hash of the step that will follow.
static CrStatus reserve(CrRecorder *recorder, size_t size, CrError *error) {
  void *log = recorder->log;
  size_t used = recorder->pending_size ? log_end(recorder) : recorder->log_size;
  size_t needed = log_end(recorder) + size + HASH_SIZE;
  bool fits = cr__grow(&recorder->allocator, &log, &recorder->log_capacity, used, needed, 1);
  recorder->log = log;
  return fits ? CR_STATUS_OK : cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
}

static CrStatus record(CrRecorder *recorder, const CrOperation *operation, int64_t *out_id, CrError *error) {
  CrWriter counter = cr__writer_count();
  cr__op_write(operation, &counter);
  if (counter.size > CR_MAX_STEP_OPERATIONS - recorder->pending_size) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "operations", CR_MAX_STEP_OPERATIONS);
  }
  CrStatus status = reserve(recorder, counter.size, error);
  if (status != CR_STATUS_OK) return status;
  status = cr__op_apply(operation, recorder->crowd, out_id, error);
  if (cr__op_is_recorded(operation->kind, status)) {
    CrWriter writer = cr__writer_to(recorder->log + log_end(recorder), counter.size);
    cr__op_write(operation, &writer);
    recorder->pending_size += counter.size;
  }
  return status;
}

CrStatus cr_recorder_add(CrRecorder *recorder, CrVec3 position, const CrAgentOptions *options, int64_t *out_id,
                         CrError *error) {
  CrOperation operation = {.kind = CR_OP_ADD, .position = position};
  operation.options = options ? *options : cr_agent_options_humanoid();  // as cr_crowd_add takes null
  int64_t id = 0;
  CrStatus status = record(recorder, &operation, &id, error);
  if (status == CR_STATUS_OK && out_id) *out_id = id;
  return status;
}

CrStatus cr_recorder_remove(CrRecorder *recorder, int64_t id, CrError *error) {
  CrOperation operation = {.kind = CR_OP_REMOVE, .agent_id = id};
  return record(recorder, &operation, NULL, error);
}

CrStatus cr_recorder_set_destination(CrRecorder *recorder, int64_t id, CrVec3 destination, CrError *error) {
  CrOperation operation = {.kind = CR_OP_SET_DESTINATION, .agent_id = id, .position = destination};
  return record(recorder, &operation, NULL, error);
}

CrStatus cr_recorder_stop(CrRecorder *recorder, int64_t id, CrError *error) {
  CrOperation operation = {.kind = CR_OP_STOP, .agent_id = id};
  return record(recorder, &operation, NULL, error);
}

CrStatus cr_recorder_teleport(CrRecorder *recorder, int64_t id, CrVec3 position, CrError *error) {
  CrOperation operation = {.kind = CR_OP_TELEPORT, .agent_id = id, .position = position};
  return record(recorder, &operation, NULL, error);
}

// --- Steps ----------------------------------------------------------------------------------------------------------

// The operations are in place behind the log's end; their length goes before them and the hash behind.
static void close_step(CrRecorder *recorder, uint64_t hash) {
  size_t size = LENGTH_SIZE + recorder->pending_size + HASH_SIZE;
  CrWriter length = cr__writer_to(recorder->log + recorder->log_size, LENGTH_SIZE);
  cr__write_i32(&length, (int32_t)recorder->pending_size);
  CrWriter tail = cr__writer_to(recorder->log + log_end(recorder), HASH_SIZE);
  cr__write_u64(&tail, hash);
  recorder->log_size += size;
  recorder->pending_size = 0;
  recorder->step_count++;
  recorder->last_hash = hash;
}

CrStatus cr_recorder_step(CrRecorder *recorder, CrError *error) {
  if (mesh_stamp(recorder->crowd) != recorder->mesh_stamp) return cr__fail(error, CR_STATUS_MESH_EDITED, "mesh");
  if (recorder->step_count >= CR_MAX_REPLAY_STEPS) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "stepCount", CR_MAX_REPLAY_STEPS);
  }
  int64_t driven = cr__crowd_first_driven(recorder->crowd);
  if (driven >= 0) return cr__fail_index(error, CR_STATUS_NOT_RECORDABLE, "velocity", driven);
  CrStatus status = reserve(recorder, 0, error);
  if (status == CR_STATUS_OK) status = cr_crowd_step(recorder->crowd, recorder->dt, error);
  if (status == CR_STATUS_OK) close_step(recorder, cr_crowd_state_hash(recorder->crowd));
  return status;
}

int32_t cr_recorder_step_count(const CrRecorder *recorder) { return recorder->step_count; }

uint64_t cr_recorder_last_hash(const CrRecorder *recorder) { return recorder->last_hash; }

// --- Saving ---------------------------------------------------------------------------------------------------------

static void write_file(CrWriter *writer, const void *object) {
  const CrRecorder *recorder = object;
  cr__replay_header_write(writer, CR_REPLAY_MAGIC);
  cr__write_i32(writer, (int32_t)recorder->setup.size);
  cr__write_bytes(writer, recorder->setup.data, recorder->setup.size);
  cr__write_i32(writer, recorder->step_count);
  cr__write_bytes(writer, recorder->log, recorder->log_size);
}

size_t cr_recorder_size(const CrRecorder *recorder) {
  CrWriter counter = cr__writer_count();
  write_file(&counter, recorder);
  return counter.size;
}

CrStatus cr_recorder_save(const CrRecorder *recorder, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  return cr__write_to_bytes(allocator, write_file, recorder, out, error);
}

CrStatus cr_recorder_write_snapshot(const CrRecorder *recorder, const CrAllocator *allocator, CrBytes *out,
                                    CrError *error) {
  return cr__setup_take(recorder->crowd, recorder->dt, allocator, out, error);
}
