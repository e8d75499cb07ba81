// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Status texts and the filling of error records.
#include "core_internal.h"

const char *cr_status_text(CrStatus status) {
  static const char *const texts[CR_STATUS_COUNT_] = {
      [CR_STATUS_OK] = "is fine",
      [CR_STATUS_ARGUMENT] = "is out of range",
      [CR_STATUS_OUT_OF_MEMORY] = "needs more memory than there is",
      [CR_STATUS_TRUNCATED] = "is missing: the bytes end too early",
      [CR_STATUS_BAD_MAGIC] = "is of another format",
      [CR_STATUS_BAD_VERSION] = "is a version this engine does not read",
      [CR_STATUS_BAD_VALUE] = "holds a value the format forbids",
      [CR_STATUS_TRAILING_BYTES] = "is followed by bytes that do not belong there",
      [CR_STATUS_LIMIT] = "exceeds a limit",
      [CR_STATUS_STALE_REF] = "is a polygon reference that names no polygon of this mesh",
      [CR_STATUS_NOT_FOUND] = "was not found",
      [CR_STATUS_FULL] = "is full",
      [CR_STATUS_MESH_EDITED] = "was edited while recording",
      [CR_STATUS_CANCELLED] = "was cancelled",
      [CR_STATUS_NO_SUCH_AGENT] = "names an agent that is not in the crowd",
      [CR_STATUS_STALE_HANDLE] = "was disposed of",
      [CR_STATUS_MISMATCH] = "contradicts an earlier part",
      [CR_STATUS_OCCUPIED] = "is already taken",
      [CR_STATUS_NOT_RECORDABLE] = "is not something a recording can hold",
  };
  if ((int)status < 0 || status >= CR_STATUS_COUNT_) return "is not a known status";
  return texts[status];
}

static CrStatus fill(CrError *error, CrError detail) {
  if (error) *error = detail;
  return detail.status;
}

CrStatus cr__fail(CrError *error, CrStatus status, const char *field) {
  return fill(error, (CrError){status, CR_FORMAT_NONE, field, CR_NO_OFFSET, CR_NO_INDEX, 0.0});
}

CrStatus cr__fail_index(CrError *error, CrStatus status, const char *field, int64_t index) {
  return fill(error, (CrError){status, CR_FORMAT_NONE, field, CR_NO_OFFSET, index, 0.0});
}

CrStatus cr__fail_limit(CrError *error, CrStatus status, const char *field, double limit) {
  return fill(error, (CrError){status, CR_FORMAT_NONE, field, CR_NO_OFFSET, CR_NO_INDEX, limit});
}

CrStatus cr__fail_bytes(CrError *error, CrStatus status, CrFormat format, const char *field, uint64_t offset) {
  return fill(error, (CrError){status, format, field, offset, CR_NO_INDEX, 0.0});
}

static bool is_coord(double value) { return cr__abs(value) < CR_COORD_LIMIT; }

CrStatus cr__check_coord(CrError *error, double value, const char *field) {
  return is_coord(value) ? CR_STATUS_OK : cr__fail_limit(error, CR_STATUS_ARGUMENT, field, CR_COORD_LIMIT);
}

CrStatus cr__check_point(CrError *error, CrVec3 point, const char *field) {
  if (is_coord(point.x) && is_coord(point.y) && is_coord(point.z)) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, field, CR_COORD_LIMIT);
}

CrStatus cr__check_dt(CrError *error, double dt) {
  if (dt > 0.0 && dt <= 3600.0) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "dt", dt > 3600.0 ? 3600.0 : 0.0);
}
