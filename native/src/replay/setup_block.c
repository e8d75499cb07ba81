// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The setup block: everything needed to rebuild a crowd at its first recorded step (docs/formats/replay.md, "Setup
// block").
// Invariant: taking, restoring and taking again gives the same bytes, and the restored crowd goes on as the one taken.
#include "crowd_internal.h"
#include "navmesh_internal.h"
#include "replay_internal.h"

#define SETUP_MAGIC "OPRS"
#define FORMAT_VERSION 1
#define KIND_CROWD 1
#define FIXED_SIZE 57  // everything but the two blocks

void cr__replay_header_write(CrWriter *writer, const char *magic) {
  cr__write_bytes(writer, magic, 4);
  cr__write_u8(writer, FORMAT_VERSION);
  cr__write_u8(writer, KIND_CROWD);
  cr__write_u16(writer, 0);
}

void cr__replay_header_read(CrReader *reader, const char *magic) {
  cr__read_magic(reader, magic);
  cr__read_version(reader, FORMAT_VERSION);
  if (cr__read_u8(reader, "kind") != KIND_CROWD) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "kind", reader->offset - 1);
  }
  cr__read_zero_u16(reader, "reserved");
}

// --- Crowd options --------------------------------------------------------------------------------------------------

// The options a setup block keeps, in its order: OPTION(type, member, field name). max_walls_per_agent comes before
// max_walls_avoided, which it bounds.
#define SETUP_OPTIONS(OPTION)                                             \
  OPTION(i32, max_agents, "setup.options.maxAgents")                      \
  OPTION(i32, query_nodes, "setup.options.queryNodes")                    \
  OPTION(u8, query_node_model, "setup.options.queryNodeModel")            \
  OPTION(i32, max_walls_per_agent, "setup.options.maxWallsPerAgent")      \
  OPTION(f64, wall_refresh_distance, "setup.options.wallRefreshDistance") \
  OPTION(i32, max_walls_avoided, "setup.options.maxWallsAvoided")

static void write_options(CrWriter *writer, const CrCrowdOptions *options) {
#define OPTION(type, member, field) cr__write_##type(writer, options->member);
  SETUP_OPTIONS(OPTION)
#undef OPTION
}

// The crowd's own validation decides; options that were right so far can only be refused for the one just read.
static void check_option(CrReader *reader, const CrCrowdOptions *options, const char *field, size_t offset) {
  CrError detail = {0};
  if (!cr__read_ok(reader) || cr_crowd_options_validate(options, &detail) == CR_STATUS_OK) return;
  cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, offset);
  if (reader->error) reader->error->limit = detail.limit;
}

static void read_options(CrCrowdOptions *out, CrReader *reader) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_walls_avoided = 0;
  size_t offset;
#define OPTION(type, member, field)                \
  offset = reader->offset;                         \
  options.member = cr__read_##type(reader, field); \
  check_option(reader, &options, field, offset);
  SETUP_OPTIONS(OPTION)
#undef OPTION
  *out = options;
}

// --- Reading --------------------------------------------------------------------------------------------------------

static double read_dt(CrReader *reader) {
  double dt = cr__read_f64(reader, "setup.dt");
  CrError detail = {0};
  if (cr__read_ok(reader) && cr__check_dt(&detail, dt) != CR_STATUS_OK) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "setup.dt", reader->offset - 8);
    if (reader->error) reader->error->limit = detail.limit;
  }
  return dt;
}

static int64_t read_start_step(CrReader *reader) {
  int64_t step = cr__read_i64(reader, "setup.startStep");
  if (step < 0) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "setup.startStep", reader->offset - 8);
  return step;
}

// A length and that many bytes in place.
static const uint8_t *read_block(CrReader *reader, const char *length_field, const char *field, size_t *out_size) {
  *out_size = (size_t)cr__read_i32_in(reader, length_field, 0, INT32_MAX);
  return cr__read_span(reader, *out_size, field);
}

void cr__setup_read(CrSetup *out, CrReader *reader) {
  memset(out, 0, sizeof *out);
  cr__replay_header_read(reader, SETUP_MAGIC);
  out->dt = read_dt(reader);
  out->start_step_offset = reader->base + reader->offset;
  out->start_step = read_start_step(reader);
  read_options(&out->options, reader);
  out->mesh = read_block(reader, "setup.meshLength", "setup.mesh", &out->mesh_size);
  out->mesh_offset = reader->base + reader->offset - out->mesh_size;
  out->state = read_block(reader, "setup.stateLength", "setup.state", &out->state_size);
  out->state_offset = reader->base + reader->offset - out->state_size;
  cr__read_end(reader);
}

// What is wrong inside a block is wrong with the replay: the error record speaks of the one file the caller has.
static CrStatus of_the_replay(CrStatus status, CrError *error) {
  if (status != CR_STATUS_OK && error && error->format != CR_FORMAT_NONE) error->format = CR_FORMAT_REPLAY;
  return status;
}

static CrStatus restore_mesh(const CrSetup *setup, const CrAllocator *allocator, CrNavMesh **out, CrError *error) {
  CrReader reader = cr__reader(setup->mesh, setup->mesh_size, setup->mesh_offset, CR_FORMAT_REPLAY, error);
  return of_the_replay(cr__navmesh_read(&reader, allocator, out), error);
}

static CrStatus restore_crowd(const CrSetup *setup, CrCrowd *crowd, CrError *error) {
  CrReader reader = cr__reader(setup->state, setup->state_size, setup->state_offset, CR_FORMAT_REPLAY, error);
  CrStatus status = of_the_replay(cr__crowd_restore(crowd, &reader), error);
  if (status == CR_STATUS_OK && cr_crowd_step_count(crowd) != setup->start_step) {
    status = cr__fail_bytes(error, CR_STATUS_MISMATCH, CR_FORMAT_REPLAY, "setup.startStep", setup->start_step_offset);
  }
  return status;
}

CrStatus cr__setup_restore(const CrSetup *setup, const CrAllocator *allocator, CrNavMesh **out_mesh,
                           CrCrowd **out_crowd, CrError *error) {
  CrNavMesh *mesh = NULL;
  CrCrowd *crowd = NULL;
  CrStatus status = restore_mesh(setup, allocator, &mesh, error);
  if (status == CR_STATUS_OK) status = cr_crowd_create(mesh, &setup->options, allocator, &crowd, error);
  if (status == CR_STATUS_OK) status = restore_crowd(setup, crowd, error);
  if (status != CR_STATUS_OK) {
    cr_crowd_destroy(crowd);
    cr_navmesh_destroy(mesh);
    return status;
  }
  *out_mesh = mesh;
  *out_crowd = crowd;
  return CR_STATUS_OK;
}

// --- Taking ---------------------------------------------------------------------------------------------------------

typedef struct SetupSource {
  const CrCrowd *crowd;
  double dt;
  size_t mesh_size, state_size;
} SetupSource;

static void write_setup(CrWriter *writer, const void *object) {
  const SetupSource *source = object;
  CrCrowdOptions options = cr_crowd_options(source->crowd);
  cr__replay_header_write(writer, SETUP_MAGIC);
  cr__write_f64(writer, source->dt);
  cr__write_i64(writer, cr_crowd_step_count(source->crowd));
  write_options(writer, &options);
  cr__write_i32(writer, (int32_t)source->mesh_size);
  cr__navmesh_write(cr_crowd_mesh(source->crowd), writer);
  cr__write_i32(writer, (int32_t)source->state_size);
  cr__crowd_write(source->crowd, writer);
}

CrStatus cr__setup_take(const CrCrowd *crowd, double dt, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  CrWriter counter = cr__writer_count();
  cr__navmesh_write(cr_crowd_mesh(crowd), &counter);
  SetupSource source = {crowd, dt, counter.size, cr_crowd_state_size(crowd)};
  // The file states the length of the whole block as i32 too, so the two blocks' own lengths fit when this does.
  if ((uint64_t)source.mesh_size + source.state_size + FIXED_SIZE > INT32_MAX) {
    return cr__fail_limit(error, CR_STATUS_LIMIT, "setup", INT32_MAX);
  }
  return cr__write_to_bytes(allocator, write_setup, &source, out, error);
}
