// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reading replay files (docs/formats/replay.md, "Replay file"). A parsed replay owns one copy of the file, whose setup
// block restores, whose steps are all whole and whose operations all decode; only whether an agent id names an agent is
// left to playing. Nothing is allocated before the bytes it is for have been seen.
#include "replay_internal.h"

// --- Steps ----------------------------------------------------------------------------------------------------------

static void read_operations(CrReader *reader, CrReplayInfo *info) {
  while (cr__read_ok(reader) && cr__read_left(reader)) {
    CrOperation operation;
    cr__op_read(&operation, reader);
    if (!cr__read_ok(reader)) return;
    info->operation_count++;
    info->operation_counts[operation.kind]++;
  }
}

static void read_step(CrReader *reader, CrReplayInfo *info) {
  int32_t size = cr__read_i32_in(reader, "operationsLength", 0, CR_MAX_STEP_OPERATIONS);
  size_t start = reader->base + reader->offset;
  const uint8_t *operations = cr__read_span(reader, (size_t)size, "operations");
  if (!operations) return;
  CrReader inner = cr__reader(operations, (size_t)size, start, reader->format, reader->error);
  read_operations(&inner, info);
  reader->status = inner.status;
  cr__read_u64(reader, "hash");
}

static void read_steps(CrReplay *replay, CrReader *reader) {
  for (int32_t i = 0; i < replay->info.step_count; i++) {
    replay->step_offsets[i] = reader->offset;
    read_step(reader, &replay->info);
    if (cr__read_ok(reader)) continue;
    if (reader->error) reader->error->index = i;
    return;
  }
}

// Each step takes some bytes, so a count beyond what is left is refused before the index is allocated.
static CrStatus read_step_count(CrReplay *replay, CrReader *reader, CrError *error) {
  int32_t count = cr__read_i32_in(reader, "stepCount", 0, CR_MAX_REPLAY_STEPS);
  if (cr__read_ok(reader) && (size_t)count > cr__read_left(reader) / CR_REPLAY_MIN_STEP_SIZE) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, "stepCount", reader->offset - 4);
  }
  if (!cr__read_ok(reader)) return reader->status;
  replay->step_offsets = cr__alloc(&replay->allocator, (size_t)count, sizeof *replay->step_offsets);
  if (!replay->step_offsets) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  replay->info.step_count = count;
  return CR_STATUS_OK;
}

// --- File -----------------------------------------------------------------------------------------------------------

static void read_setup(CrReplay *replay, CrReader *reader) {
  size_t size = (size_t)cr__read_i32_in(reader, "setupLength", 0, INT32_MAX);
  size_t start = reader->base + reader->offset;
  const uint8_t *setup = cr__read_span(reader, size, "setup");
  if (!setup) return;
  CrReader inner = cr__reader(setup, size, start, reader->format, reader->error);
  cr__setup_read(&replay->setup, &inner);
  reader->status = inner.status;
  replay->info.setup_size = size;
}

static CrStatus read_file(CrReplay *replay, CrError *error) {
  CrReader reader = cr__reader(replay->data, replay->size, 0, CR_FORMAT_REPLAY, error);
  cr__replay_header_read(&reader, CR_REPLAY_MAGIC);
  read_setup(replay, &reader);
  CrStatus status = read_step_count(replay, &reader, error);
  if (status != CR_STATUS_OK) return status;
  read_steps(replay, &reader);
  return cr__read_end(&reader);
}

// Restores the setup once: a replay that was read can be played.
static CrStatus check_setup(CrReplay *replay, CrError *error) {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrStatus status = cr__setup_restore(&replay->setup, &replay->allocator, &mesh, &crowd, error);
  if (status != CR_STATUS_OK) return status;
  replay->info.agents_at_start = cr_crowd_agent_count(crowd);
  replay->info.mesh_tiles = cr_navmesh_tile_count(mesh);
  replay->info.mesh_polygons = cr_navmesh_polygon_count(mesh);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return CR_STATUS_OK;
}

static void describe(CrReplay *replay) {
  const CrSetup *setup = &replay->setup;
  replay->info.dt = setup->dt;
  replay->info.start_step = setup->start_step;
  replay->info.options = setup->options;
  replay->info.file_size = replay->size;
  replay->info.mesh_size = setup->mesh_size;
  replay->info.state_size = setup->state_size;
}

CrStatus cr_replay_read(const uint8_t *data, size_t size, const CrAllocator *allocator, CrReplay **out,
                        CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrReplay *replay = cr__alloc_zeroed(&hooks, 1, sizeof *replay);
  if (!replay) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  replay->allocator = hooks;
  replay->size = size;
  replay->data = cr__alloc(&hooks, size, 1);
  CrStatus status = replay->data ? CR_STATUS_OK : cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  if (status == CR_STATUS_OK) {
    if (size) memcpy(replay->data, data, size);
    status = read_file(replay, error);
  }
  if (status == CR_STATUS_OK) status = check_setup(replay, error);
  if (status != CR_STATUS_OK) {
    cr_replay_destroy(replay);
    return status;
  }
  describe(replay);
  *out = replay;
  return CR_STATUS_OK;
}

void cr_replay_destroy(CrReplay *replay) {
  if (!replay) return;
  CrAllocator hooks = replay->allocator;
  cr__free(&hooks, replay->step_offsets, (size_t)replay->info.step_count, sizeof *replay->step_offsets);
  cr__free(&hooks, replay->data, replay->size, 1);
  cr__free(&hooks, replay, 1, sizeof *replay);
}

CrStatus cr_replay_write(const CrReplay *replay, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  CrStatus status = cr__bytes_alloc(allocator, replay->size, out, error);
  if (status == CR_STATUS_OK) memcpy(out->data, replay->data, replay->size);
  return status;
}

CrReplayInfo cr_replay_info(const CrReplay *replay) { return replay->info; }

CrStatus cr_replay_step(const CrReplay *replay, int32_t index, const uint8_t **out_operations, size_t *out_size,
                        uint64_t *out_hash) {
  if (index < 0 || index >= replay->info.step_count) return CR_STATUS_ARGUMENT;
  size_t offset = replay->step_offsets[index];
  CrReader reader = cr__reader(replay->data + offset, replay->size - offset, offset, CR_FORMAT_REPLAY, NULL);
  *out_size = cr__read_u32(&reader, "operationsLength");
  *out_operations = cr__read_span(&reader, *out_size, "operations");
  *out_hash = cr__read_u64(&reader, "hash");
  CR_ASSERT(cr__read_ok(&reader));
  return CR_STATUS_OK;
}
