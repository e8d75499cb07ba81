// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Recording a crowd: the crowd's own calls once more, each written down.
#include "abi.h"

#define POINT(name) double name##_x, double name##_y, double name##_z
#define VEC(name) ((CrVec3){name##_x, name##_y, name##_z})

static CrRecorder *recorder_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_RECORDER); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "recorder"); }

CRW_EXPORT int32_t crw_recorder_create(int32_t crowd_handle, double dt) {
  CrCrowd *crowd = crw__crowd(crowd_handle);
  if (!crowd) return crw__fail(CR_STATUS_STALE_HANDLE, "crowd");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrRecorder *recorder;
  CrStatus status = cr_recorder_create(crowd, dt, NULL, &recorder, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_RECORDER, recorder, crowd_handle);
}

// Record block: the id.
CRW_EXPORT int32_t crw_recorder_add(int32_t handle, POINT(position), const double *options_cells) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  CrAgentOptions options;
  crw__take_agent_options(options_cells, &options);
  int64_t id = -1;
  CrStatus status = cr_recorder_add(recorder, VEC(position), &options, &id, crw__error());
  if (status) return crw__done(status);
  *crw__record() = (double)id;
  return 0;
}

CRW_EXPORT int32_t crw_recorder_remove(int32_t handle, double id) {
  CrRecorder *recorder = recorder_of(handle);
  return recorder ? crw__done(cr_recorder_remove(recorder, crw__id(id), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_recorder_set_destination(int32_t handle, double id, POINT(destination)) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  return crw__done(cr_recorder_set_destination(recorder, crw__id(id), VEC(destination), crw__error()));
}

CRW_EXPORT int32_t crw_recorder_stop(int32_t handle, double id) {
  CrRecorder *recorder = recorder_of(handle);
  return recorder ? crw__done(cr_recorder_stop(recorder, crw__id(id), crw__error())) : stale();
}

CRW_EXPORT int32_t crw_recorder_teleport(int32_t handle, double id, POINT(position)) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  return crw__done(cr_recorder_teleport(recorder, crw__id(id), VEC(position), crw__error()));
}

// Record block: the hash after the step (u64).
CRW_EXPORT int32_t crw_recorder_step(int32_t handle) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  CrStatus status = cr_recorder_step(recorder, crw__error());
  if (status) return crw__done(status);
  crw__put_u64(crw__record(), cr_recorder_last_hash(recorder));
  return 0;
}

typedef struct RecorderInfo {
  int32_t step_count;
  size_t byte_size;
  uint64_t last_hash;
} RecorderInfo;

// Record: RECORDER_INFO.
CRW_EXPORT int32_t crw_recorder_info(int32_t handle) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  RecorderInfo info = {cr_recorder_step_count(recorder), cr_recorder_size(recorder), cr_recorder_last_hash(recorder)};
  const RecorderInfo *it = &info;
  double *at = crw__record();
  CRW_RECORD_RECORDER_INFO(CRW_PUT_FIELD)
  return 0;
}

// Bulk result: the replay file.
CRW_EXPORT int32_t crw_recorder_save(int32_t handle) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  CrBytes bytes = {0};
  CrStatus status = cr_recorder_save(recorder, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// Bulk result: a setup block of the crowd as it is.
CRW_EXPORT int32_t crw_recorder_write_snapshot(int32_t handle) {
  CrRecorder *recorder = recorder_of(handle);
  if (!recorder) return stale();
  CrBytes bytes = {0};
  CrStatus status = cr_recorder_write_snapshot(recorder, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}
