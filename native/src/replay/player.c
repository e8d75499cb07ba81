// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Plays a replay: owns a mesh and a crowd restored from the setup block and steps them through the recorded operations.
// Invariant: the crowd at a position is a function of setup block and operations only, whatever seeks led there, and
// whatever the recorded hashes say. Since nothing jumps ahead of what was played, steps [0, checked) have been compared
// without a gap.
#include "replay_internal.h"

CrPlayerOptions cr_player_options_default(void) {
  return (CrPlayerOptions){.keyframe_budget = (size_t)64 << 20, .keyframe_spacing = 60};
}

CrStatus cr_player_create(const CrReplay *replay, const CrPlayerOptions *options, const CrAllocator *allocator,
                          CrPlayer **out, CrError *error) {
  CrPlayerOptions used = options ? *options : cr_player_options_default();
  if (used.keyframe_spacing < 1) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.keyframe_spacing", 1);
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrPlayer *player = cr__alloc_zeroed(&hooks, 1, sizeof *player);
  if (!player) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  player->allocator = hooks;
  player->replay = replay;
  player->keyframes = cr__keyframes(&hooks, used.keyframe_budget, used.keyframe_spacing);
  player->first_mismatch = -1;
  CrStatus status = cr__setup_restore(&replay->setup, &hooks, &player->mesh, &player->crowd, error);
  if (status != CR_STATUS_OK) {
    cr__free(&hooks, player, 1, sizeof *player);
    return status;
  }
  *out = player;
  return CR_STATUS_OK;
}

void cr_player_destroy(CrPlayer *player) {
  if (!player) return;
  CrAllocator hooks = player->allocator;
  cr__keyframes_free(&player->keyframes);
  cr_crowd_destroy(player->crowd);
  cr_navmesh_destroy(player->mesh);
  cr__free(&hooks, player, 1, sizeof *player);
}

// --- One step -------------------------------------------------------------------------------------------------------

// An answer of the crowd to an operation that playing cannot go past, told in terms of the file.
static CrStatus operation_failed(CrStatus status, const CrOperation *operation, size_t base, CrError *error) {
  if (status != CR_STATUS_NO_SUCH_AGENT) return status;
  size_t offset = base + operation->offset + 1;  // behind the opcode
  cr__fail_bytes(error, status, CR_FORMAT_REPLAY, "operation.agentId", offset);
  if (error) error->index = operation->agent_id;
  return status;
}

static CrStatus apply_operations(CrPlayer *player, const uint8_t *operations, size_t size, CrError *error) {
  size_t base = (size_t)(operations - player->replay->data);
  CrReader reader = cr__reader(operations, size, base, CR_FORMAT_REPLAY, error);
  while (cr__read_left(&reader)) {
    CrOperation operation;
    int64_t id;
    cr__op_read(&operation, &reader);
    if (!cr__read_ok(&reader)) return reader.status;
    CrStatus status = cr__op_apply(&operation, player->crowd, &id, error);
    if (!cr__op_plays_on(operation.kind, status)) return operation_failed(status, &operation, base, error);
  }
  return CR_STATUS_OK;
}

// Steps that were compared before need no second look: the same step gives the same hash.
static void check_step(CrPlayer *player, int32_t index, uint64_t recorded_hash) {
  if (index < player->checked) return;
  player->checked = index + 1;
  if (player->first_mismatch < 0 && cr_crowd_state_hash(player->crowd) != recorded_hash) {
    player->first_mismatch = index;
  }
}

// Plays the step at `position`. After a failure the crowd is torn.
static CrStatus advance(CrPlayer *player, CrError *error) {
  const uint8_t *operations;
  size_t size;
  uint64_t hash;
  CrStatus status = cr_replay_step(player->replay, player->position, &operations, &size, &hash);
  CR_ASSERT(status == CR_STATUS_OK && !player->torn);
  player->torn = true;
  status = apply_operations(player, operations, size, error);
  if (status == CR_STATUS_OK) status = cr_crowd_step(player->crowd, player->replay->setup.dt, error);
  if (status != CR_STATUS_OK) return status;
  player->torn = false;
  check_step(player, player->position, hash);
  player->position++;
  cr__keyframes_offer(&player->keyframes, player->position, player->crowd);
  return CR_STATUS_OK;
}

// --- Going to a position --------------------------------------------------------------------------------------------

static CrStatus restore_start(CrPlayer *player, CrError *error) {
  const CrSetup *setup = &player->replay->setup;
  return cr_crowd_restore_state(player->crowd, setup->state, setup->state_size, error);
}

// Makes the crowd stand at or before `target`, as near as a keyframe or the present position allows.
static CrStatus approach(CrPlayer *player, int32_t target, CrError *error) {
  const CrKeyframe *keyframe = cr__keyframes_find(&player->keyframes, target);
  int32_t from = keyframe ? keyframe->position : 0;
  if (!player->torn && player->position >= from && player->position <= target) return CR_STATUS_OK;
  CrStatus status = keyframe ? cr__keyframes_restore(&player->keyframes, keyframe, player->crowd, error)
                             : restore_start(player, error);
  if (status != CR_STATUS_OK) return status;
  player->position = from;
  player->torn = false;
  return CR_STATUS_OK;
}

// `budget` counts down the steps that may be simulated.
static CrStatus travel(CrPlayer *player, int32_t target, int32_t *budget, CrError *error) {
  CrStatus status = approach(player, target, error);
  while (status == CR_STATUS_OK && player->position<target && * budget> 0) {
    (*budget)--;
    status = advance(player, error);
  }
  return status;
}

// After a step that failed half-way the player stands before it again. Out of memory may prevent that for now: then it
// stays torn, and the next call begins with a restore.
static void mend(CrPlayer *player) {
  int32_t position = player->position, budget = INT32_MAX;
  player->torn = travel(player, position, &budget, NULL) != CR_STATUS_OK;
  player->position = position;
}

CrStatus cr_player_step(CrPlayer *player, CrError *error) {
  if (player->position >= player->replay->info.step_count) return cr__fail(error, CR_STATUS_NOT_FOUND, "step");
  if (player->torn) mend(player);
  if (player->torn) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrStatus status = advance(player, error);
  if (player->torn) mend(player);
  return status;
}

CrStatus cr_player_seek_slice(CrPlayer *player, int32_t position, int32_t max_steps, bool *out_done, CrError *error) {
  int32_t last = player->replay->info.step_count;
  if (position < 0 || position > last) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "position", last);
  if (max_steps < 1) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "max_steps", 1);
  CrStatus status = travel(player, position, &max_steps, error);
  if (player->torn) mend(player);
  *out_done = player->position == position && !player->torn;
  return status;
}

CrStatus cr_player_seek(CrPlayer *player, int32_t position, CrError *error) {
  bool done;
  return cr_player_seek_slice(player, position, INT32_MAX, &done, error);
}

// --- Reading --------------------------------------------------------------------------------------------------------

int32_t cr_player_position(const CrPlayer *player) { return player->position; }
const CrCrowd *cr_player_crowd(const CrPlayer *player) { return player->crowd; }
const CrNavMesh *cr_player_mesh(const CrPlayer *player) { return player->mesh; }
int32_t cr_player_first_mismatch(const CrPlayer *player) { return player->first_mismatch; }
int32_t cr_player_checked_steps(const CrPlayer *player) { return player->checked; }

// The start counts as a keyframe: the replay itself holds its state.
int32_t cr_player_keyframe_count(const CrPlayer *player) { return (int32_t)player->keyframes.count + 1; }
size_t cr_player_keyframe_bytes(const CrPlayer *player) { return player->keyframes.bytes; }

int32_t cr_player_keyframes(const CrPlayer *player, int32_t *positions, int32_t capacity) {
  int32_t count = cr_player_keyframe_count(player);
  if (count > capacity) count = capacity;
  for (int32_t i = 0; i < count; i++) positions[i] = i ? player->keyframes.items[i - 1].position : 0;
  return count;
}

CrStatus cr_replay_find_mismatch(const CrReplay *replay, const CrAllocator *allocator, int32_t *out_step,
                                 CrError *error) {
  CrPlayerOptions options = cr_player_options_default();
  options.keyframe_budget = 0;
  CrPlayer *player;
  CrStatus status = cr_player_create(replay, &options, allocator, &player, error);
  if (status != CR_STATUS_OK) return status;
  while (status == CR_STATUS_OK && player->first_mismatch < 0 && player->position < replay->info.step_count) {
    status = advance(player, error);
  }
  if (status == CR_STATUS_OK) *out_step = player->first_mismatch;
  cr_player_destroy(player);
  return status;
}
