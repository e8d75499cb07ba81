// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Replay files: reading, what they hold step by step, writing, and checking them whole.
#include "abi.h"

static CrReplay *replay_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_REPLAY); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "replay"); }

CRW_EXPORT int32_t crw_replay_read(const uint8_t *data, int32_t size) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrReplay *replay;
  CrStatus status = cr_replay_read(data, (size_t)size, NULL, &replay, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_REPLAY, replay, 0);
}

#define add_count operation_counts[CR_OP_ADD]
#define remove_count operation_counts[CR_OP_REMOVE]
#define set_destination_count operation_counts[CR_OP_SET_DESTINATION]
#define stop_count operation_counts[CR_OP_STOP]
#define teleport_count operation_counts[CR_OP_TELEPORT]

// Records: REPLAY_INFO, then CROWD_OPTIONS.
CRW_EXPORT int32_t crw_replay_info(int32_t handle) {
  CrReplay *replay = replay_of(handle);
  if (!replay) return stale();
  CrReplayInfo info = cr_replay_info(replay);
  const CrReplayInfo *it = &info;
  double *at = crw__record();
  CRW_RECORD_REPLAY_INFO(CRW_PUT_FIELD)
  crw__put_crowd_options(at, &info.options);
  return 0;
}

// Record: REPLAY_STEP.
CRW_EXPORT int32_t crw_replay_step(int32_t handle, int32_t index) {
  CrReplay *replay = replay_of(handle);
  if (!replay) return stale();
  const uint8_t *operations;
  size_t size;
  uint64_t hash;
  CrStatus status = cr_replay_step(replay, index, &operations, &size, &hash);
  if (status) return crw__fail(CR_STATUS_ARGUMENT, "index");
  double *at = crw__record();
  CRW_PUT_U64(hash)
  CRW_PUT_I64(size)
  return 0;
}

// The operation at byte `offset` of a step's operations. Record: OPERATION, for an Add also AGENT_OPTIONS and
// FOLLOWER_OPTIONS. Returns 1, or 0 at the end of the operations.
CRW_EXPORT int32_t crw_replay_operation(int32_t handle, int32_t index, int32_t offset) {
  CrReplay *replay = replay_of(handle);
  if (!replay) return stale();
  const uint8_t *operations;
  size_t size;
  uint64_t hash;
  CrStatus status = cr_replay_step(replay, index, &operations, &size, &hash);
  if (status) return crw__fail(CR_STATUS_ARGUMENT, "index");
  CrOperation operation;
  status = cr_op_decode(operations, size, (size_t)offset, &operation, crw__error());
  if (status == CR_STATUS_NOT_FOUND) return 0;
  if (status) return crw__done(status);
  const CrOperation *it = &operation;
  double *at = crw__record();
  CRW_RECORD_OPERATION(CRW_PUT_FIELD)
  if (operation.kind == CR_OP_ADD) crw__put_agent_options(at, &operation.options);
  return 1;
}

// Bulk result: the file's bytes.
CRW_EXPORT int32_t crw_replay_write(int32_t handle) {
  CrReplay *replay = replay_of(handle);
  if (!replay) return stale();
  CrBytes bytes = {0};
  CrStatus status = cr_replay_write(replay, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// Record block: the first step whose hash differs, or -1.
CRW_EXPORT int32_t crw_replay_find_mismatch(int32_t handle) {
  CrReplay *replay = replay_of(handle);
  if (!replay) return stale();
  int32_t step = -1;
  CrStatus status = cr_replay_find_mismatch(replay, NULL, &step, crw__error());
  if (status) return crw__done(status);
  *crw__record() = step;
  return 0;
}
