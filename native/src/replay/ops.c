// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Operations: names, bytes and effect, each generated from the manifest ops.def, so that the four cannot drift apart.
// Invariant: what cr__op_read accepts, cr__op_write writes back byte for byte.
#include "crowd_internal.h"
#include "replay_internal.h"

// clang-format off
#define CR_OP_BEGIN(KIND, opcode, name, call) _Static_assert(CR_OP_##KIND == (opcode), "enum and manifest agree");
#define CR_OP_FIELD(type, member)
#define CR_OP_END()
#include "ops.def"

const char *cr_op_name(CrOpKind kind) {
  switch ((int)kind) {
#define CR_OP_BEGIN(KIND, opcode, name, call) case opcode: return name;
#define CR_OP_FIELD(type, member)
#define CR_OP_END()
#include "ops.def"
    default: return NULL;
  }
}
// clang-format on

// --- Field types ----------------------------------------------------------------------------------------------------

static void write_agent_id(const int64_t *value, CrWriter *writer) { cr__write_i64(writer, *value); }
static void write_point(const CrVec3 *value, CrWriter *writer) { cr__write_point(writer, *value); }
static void write_agent_options(const CrAgentOptions *value, CrWriter *writer) {
  cr__agent_options_write(value, writer);
}

static void read_agent_id(int64_t *out, CrReader *reader) { *out = cr__read_i64(reader, "operation.agentId"); }
static void read_point(CrVec3 *out, CrReader *reader) { *out = cr__read_point(reader, "operation.position"); }
static void read_agent_options(CrAgentOptions *out, CrReader *reader) { cr__agent_options_read(out, reader); }

// How a field stands in the argument list of a crowd call. An Add's options are followed by where its id goes.
#define ARGUMENT_agent_id(value) (value)
#define ARGUMENT_point(value) (value)
#define ARGUMENT_agent_options(value) &(value), out_id

// --- Operations -----------------------------------------------------------------------------------------------------

// clang-format off
void cr__op_write(const CrOperation *operation, CrWriter *writer) {
  cr__write_u8(writer, (uint8_t)operation->kind);
  switch ((int)operation->kind) {
#define CR_OP_BEGIN(KIND, opcode, name, call) case opcode:
#define CR_OP_FIELD(type, member) write_##type(&operation->member, writer);
#define CR_OP_END() break;
#include "ops.def"
    default: CR_ASSERT(!"operation kind");
  }
}

void cr__op_read(CrOperation *out, CrReader *reader) {
  memset(out, 0, sizeof *out);
  out->offset = reader->offset;
  out->kind = (CrOpKind)cr__read_u8(reader, "operation.kind");
  switch ((int)out->kind) {
#define CR_OP_BEGIN(KIND, opcode, name, call) case opcode:
#define CR_OP_FIELD(type, member) read_##type(&out->member, reader);
#define CR_OP_END() break;
#include "ops.def"
    default: cr__read_fail(reader, CR_STATUS_BAD_VALUE, "operation.kind", out->offset);
  }
  out->size = reader->offset - out->offset;
}

CrStatus cr__op_apply(const CrOperation *operation, CrCrowd *crowd, int64_t *out_id, CrError *error) {
  switch ((int)operation->kind) {
#define CR_OP_BEGIN(KIND, opcode, name, call) case opcode: return call(crowd,
#define CR_OP_FIELD(type, member) ARGUMENT_##type(operation->member),
#define CR_OP_END() error);
#include "ops.def"
    default: return cr__fail(error, CR_STATUS_ARGUMENT, "operation.kind");
  }
}
// clang-format on

bool cr__op_is_recorded(CrOpKind kind, CrStatus status) {
  bool fails_again = kind == CR_OP_ADD && (status == CR_STATUS_NOT_FOUND || status == CR_STATUS_FULL);
  return status == CR_STATUS_OK || fails_again;
}

bool cr__op_plays_on(CrOpKind kind, CrStatus status) {
  return cr__op_is_recorded(kind, status) || (kind == CR_OP_TELEPORT && status == CR_STATUS_NOT_FOUND);
}

CrStatus cr_op_decode(const uint8_t *data, size_t size, size_t offset, CrOperation *out, CrError *error) {
  if (offset == size) return cr__fail(error, CR_STATUS_NOT_FOUND, "operation");
  if (offset > size) return cr__fail_limit(error, CR_STATUS_ARGUMENT, "offset", (double)size);
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_REPLAY, error);
  reader.offset = offset;
  CrOperation operation;
  cr__op_read(&operation, &reader);
  if (cr__read_ok(&reader)) *out = operation;
  return reader.status;
}
