// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Recording a crowd run and playing it back bit for bit (docs/formats/replay.md).
#ifndef CROWDREEL_REPLAY_H
#define CROWDREEL_REPLAY_H

#include "crowdreel/crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_MAX_STEP_OPERATIONS (16 << 20)  // bytes of operations of one step
#define CR_MAX_REPLAY_STEPS (1 << 26)

typedef enum CrOpKind {
  CR_OP_ADD = 1,
  CR_OP_REMOVE = 2,
  CR_OP_SET_DESTINATION = 3,
  CR_OP_STOP = 4,
  CR_OP_TELEPORT = 5
} CrOpKind;

// One decoded operation; fields a kind does not have are zero.
typedef struct CrOperation {
  CrOpKind kind;
  int64_t agent_id;        // all kinds but ADD
  CrVec3 position;         // ADD, SET_DESTINATION, TELEPORT
  CrAgentOptions options;  // ADD
  size_t offset, size;     // where it stands in the bytes decoded, kind byte included
} CrOperation;

const char *cr_op_name(CrOpKind kind);  // "Add", "Remove", ... or null
// Decodes the operation at `offset` of a step's operations. CR_STATUS_NOT_FOUND at the end of the bytes. Format errors
// name field and offset in `data`, and leave *out alone.
CrStatus cr_op_decode(const uint8_t *data, size_t size, size_t offset, CrOperation *out, CrError *error);

// --- Recorder -------------------------------------------------------------------------------------------------------

// Records a crowd from its next step on. The host calls these instead of the crowd's own functions. What the crowd
// refuses is not recorded, but for a failed add. A call that fails for want of memory or a limit has changed neither
// crowd nor record.
typedef struct CrRecorder CrRecorder;

// `dt` is the time step of every recorded step. CR_STATUS_ARGUMENT when the crowd has a filter ("crowd"). CR_STATUS_NOT_RECORDABLE
// when it is in a world ("world"): a recording is of one crowd.
CrStatus cr_recorder_create(CrCrowd *crowd, double dt, const CrAllocator *allocator, CrRecorder **out, CrError *error);
void cr_recorder_destroy(CrRecorder *recorder);  // the crowd stays the caller's

// As cr_crowd_add: a failed add (NOT_FOUND, FULL) is recorded too and fails again on replay. Each of the five is
// CR_STATUS_LIMIT ("operations") when the operations since the last step would exceed CR_MAX_STEP_OPERATIONS. Null
// options: humanoid.
CrStatus cr_recorder_add(CrRecorder *recorder, CrVec3 position, const CrAgentOptions *options, int64_t *out_id,
                         CrError *error);
CrStatus cr_recorder_remove(CrRecorder *recorder, int64_t id, CrError *error);
CrStatus cr_recorder_set_destination(CrRecorder *recorder, int64_t id, CrVec3 destination, CrError *error);
CrStatus cr_recorder_stop(CrRecorder *recorder, int64_t id, CrError *error);
CrStatus cr_recorder_teleport(CrRecorder *recorder, int64_t id, CrVec3 position, CrError *error);
// Steps the crowd and records the step. CR_STATUS_MESH_EDITED, CR_STATUS_NOT_RECORDABLE ("velocity": that of agent `index` is set
// by cr_crowd_set_velocity), CR_STATUS_LIMIT, CR_STATUS_OUT_OF_MEMORY: not stepped.
CrStatus cr_recorder_step(CrRecorder *recorder, CrError *error);

int32_t cr_recorder_step_count(const CrRecorder *recorder);  // steps recorded
size_t cr_recorder_size(const CrRecorder *recorder);         // bytes cr_recorder_save would make
uint64_t cr_recorder_last_hash(const CrRecorder *recorder);  // 0 before the first step
// The replay file of the steps so far. Operations since the last step are not in it.
CrStatus cr_recorder_save(const CrRecorder *recorder, const CrAllocator *allocator, CrBytes *out, CrError *error);
// The setup block of the crowd as it is now (step boundary), as a live viewer starts from.
CrStatus cr_recorder_write_snapshot(const CrRecorder *recorder, const CrAllocator *allocator, CrBytes *out,
                                    CrError *error);

// --- Replay ---------------------------------------------------------------------------------------------------------

// A parsed replay: checked structure, bytes owned by it.
typedef struct CrReplay CrReplay;

typedef struct CrReplayInfo {
  double dt;
  int64_t start_step;
  int32_t step_count;
  CrCrowdOptions options;  // filter is null
  size_t file_size, setup_size, mesh_size, state_size;
  int64_t operation_count;      // over all steps
  int64_t operation_counts[6];  // by CrOpKind
  int32_t agents_at_start;
  uint32_t mesh_tiles, mesh_polygons;
} CrReplayInfo;

// Reads a replay file (copied). Checks every length, every operation's bytes, the setup block with its mesh and crowd
// state. Format errors name field and offset in the file; within a step, `index` is the step.
CrStatus cr_replay_read(const uint8_t *data, size_t size, const CrAllocator *allocator, CrReplay **out, CrError *error);
void cr_replay_destroy(CrReplay *replay);
// The file's bytes again: equal to those read.
CrStatus cr_replay_write(const CrReplay *replay, const CrAllocator *allocator, CrBytes *out, CrError *error);
CrReplayInfo cr_replay_info(const CrReplay *replay);
// Operations and recorded hash of step `index` (0-based). The pointer lives as long as the replay. CR_STATUS_ARGUMENT
// when there is no such step.
CrStatus cr_replay_step(const CrReplay *replay, int32_t index, const uint8_t **out_operations, size_t *out_size,
                        uint64_t *out_hash);

// --- Player ---------------------------------------------------------------------------------------------------------

typedef struct CrPlayer CrPlayer;

typedef struct CrPlayerOptions {
  size_t keyframe_budget;    // bytes of keyframes kept; default 64 MiB; 0: only the start
  int32_t keyframe_spacing;  // first spacing in steps, doubled whenever the budget is full; default 60, >= 1
} CrPlayerOptions;

CrPlayerOptions cr_player_options_default(void);
// The player refers to the replay, which must outlive it. It stands at step 0: before the first recorded step.
CrStatus cr_player_create(const CrReplay *replay, const CrPlayerOptions *options, const CrAllocator *allocator,
                          CrPlayer **out, CrError *error);
void cr_player_destroy(CrPlayer *player);

int32_t cr_player_position(const CrPlayer *player);  // recorded steps played to get here, 0..step_count
// Applies the next step's operations and steps. CR_STATUS_NOT_FOUND at the end. An operation naming an agent that is
// not in the crowd is CR_STATUS_NO_SUCH_AGENT with its offset in the file (`index`: the id): the player stays before
// that step. After CR_STATUS_OUT_OF_MEMORY it does so too, but the crowd may lag behind until a later call succeeds.
CrStatus cr_player_step(CrPlayer *player, CrError *error);
// Goes to any position 0..step_count: from the nearest keyframe at or before it, or on from here.
CrStatus cr_player_seek(CrPlayer *player, int32_t position, CrError *error);
// Works on a seek for at most `max_steps` (>= 1) simulated steps; *out_done tells whether it arrived. The player stands
// at some position on the way meanwhile.
CrStatus cr_player_seek_slice(CrPlayer *player, int32_t position, int32_t max_steps, bool *out_done, CrError *error);
const CrCrowd *cr_player_crowd(const CrPlayer *player);
const CrNavMesh *cr_player_mesh(const CrPlayer *player);

// The first step (0-based index) played so far whose hash differed from the recorded one, or -1.
int32_t cr_player_first_mismatch(const CrPlayer *player);
// Steps [0, n) have been played without a gap and checked.
int32_t cr_player_checked_steps(const CrPlayer *player);
// Keyframes kept, the start among them (the replay holds it, so it costs nothing); their bytes never exceed the budget.
int32_t cr_player_keyframe_count(const CrPlayer *player);
size_t cr_player_keyframe_bytes(const CrPlayer *player);
// Positions of keyframes, ascending; at most `capacity`. Returns the count written.
int32_t cr_player_keyframes(const CrPlayer *player, int32_t *positions, int32_t capacity);

// Plays the replay in a fresh crowd, up to the first step whose hash differs: *out_step is that step, or -1 when the
// whole replay is exact. CR_STATUS_NO_SUCH_AGENT as for cr_player_step.
CrStatus cr_replay_find_mismatch(const CrReplay *replay, const CrAllocator *allocator, int32_t *out_step,
                                 CrError *error);

#ifdef __cplusplus
}
#endif
#endif
