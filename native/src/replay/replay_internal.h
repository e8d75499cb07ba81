// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the parts of the replay module share: operations, setup block, parsed replay and keyframe store.
#ifndef CR_REPLAY_INTERNAL_H
#define CR_REPLAY_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/replay.h"

// --- Operations (ops.c, generated from ops.def) ---------------------------------------------------------------------

void cr__op_write(const CrOperation *operation, CrWriter *writer);
// Reads one operation where the reader stands; the reader is marked failed at a bad or missing field.
void cr__op_read(CrOperation *out, CrReader *reader);
// The crowd call the operation stands for. `out_id` is set by a successful ADD.
CrStatus cr__op_apply(const CrOperation *operation, CrCrowd *crowd, int64_t *out_id, CrError *error);
// Whether a recording keeps an operation the crowd answered so: it succeeded, or it is an Add that will fail again.
bool cr__op_is_recorded(CrOpKind kind, CrStatus status);
// Whether playing goes on after an answer: also past a Teleport to nowhere, which changes nothing.
bool cr__op_plays_on(CrOpKind kind, CrStatus status);

// --- Setup block and header (setup_block.c) -------------------------------------------------------------------------

// Magic, version 1, kind 1 (crowd), reserved 0: both formats begin so.
#define CR_REPLAY_HEADER_SIZE 8
void cr__replay_header_write(CrWriter *writer, const char *magic);
void cr__replay_header_read(CrReader *reader, const char *magic);

// A setup block as read. The two blocks point into the bytes; their offsets are absolute in the bytes the caller
// passed.
typedef struct CrSetup {
  double dt;
  int64_t start_step;
  CrCrowdOptions options;
  const uint8_t *mesh, *state;
  size_t mesh_size, state_size;
  size_t mesh_offset, state_offset;
  size_t start_step_offset;
} CrSetup;

// Reads header, fields and block lengths, to the end of the reader. What the two blocks hold is not looked into.
void cr__setup_read(CrSetup *out, CrReader *reader);
// Makes the mesh and the crowd the block describes and checks the crowd's step count.
CrStatus cr__setup_restore(const CrSetup *setup, const CrAllocator *allocator, CrNavMesh **out_mesh,
                           CrCrowd **out_crowd, CrError *error);
// The setup block of the crowd as it is. CR_STATUS_LIMIT ("setup") when it does not fit its length field.
CrStatus cr__setup_take(const CrCrowd *crowd, double dt, const CrAllocator *allocator, CrBytes *out, CrError *error);

// --- Recorder (recorder.c) ------------------------------------------------------------------------------------------

struct CrRecorder {
  CrAllocator allocator;
  CrCrowd *crowd;
  double dt;
  uint64_t mesh_stamp;  // the mesh's stamp when recording began
  CrBytes setup;
  uint8_t *log;
  size_t log_capacity;
  size_t log_size;      // whole step records
  size_t pending_size;  // operations since the last step; they start behind room for their length
  int32_t step_count;
  uint64_t last_hash;
};

// --- Replay file (replay_file.c) ------------------------------------------------------------------------------------

#define CR_REPLAY_MAGIC "OPRP"
#define CR_REPLAY_MIN_STEP_SIZE 12  // operations length and hash

struct CrReplay {
  CrAllocator allocator;
  uint8_t *data;  // the file
  size_t size;
  CrSetup setup;         // points into data
  size_t *step_offsets;  // info.step_count: where each step's operations length stands
  CrReplayInfo info;
};

// --- Keyframes (keyframes.c) ----------------------------------------------------------------------------------------

typedef struct CrKeyframe {
  int32_t position;
  uint8_t *packed;
  size_t packed_size, state_size;
} CrKeyframe;

// Packed crowd states at multiples of `spacing`, ascending; position 0 is never among them (the setup block holds it).
typedef struct CrKeyframes {
  CrAllocator allocator;
  size_t budget, bytes;
  int32_t spacing;
  CrKeyframe *items;
  size_t count, capacity;
  CrPacker packer;  // working memory, beside the budget: made with the first keyframe, grown to the largest state
  uint8_t *state, *packed;
  size_t state_capacity, packed_capacity;
} CrKeyframes;

CrKeyframes cr__keyframes(const CrAllocator *allocator, size_t budget, int32_t spacing);
void cr__keyframes_free(CrKeyframes *keyframes);
// Keeps the crowd's state when `position` is due and the budget allows. Running out of memory only means it is not
// kept.
void cr__keyframes_offer(CrKeyframes *keyframes, int32_t position, const CrCrowd *crowd);
// The last one at or before `position`, or null when that is the start.
const CrKeyframe *cr__keyframes_find(const CrKeyframes *keyframes, int32_t position);
// Allocates nothing itself. All or nothing.
CrStatus cr__keyframes_restore(CrKeyframes *keyframes, const CrKeyframe *keyframe, CrCrowd *crowd, CrError *error);

// --- Player (player.c) ----------------------------------------------------------------------------------------------

struct CrPlayer {
  CrAllocator allocator;
  const CrReplay *replay;
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrKeyframes keyframes;
  int32_t position;
  int32_t checked;         // the farthest position ever reached
  int32_t first_mismatch;  // step index, or -1
  bool torn;  // the crowd is not as it is at `position`: a step failed half-way and could not be undone yet
};

#endif
