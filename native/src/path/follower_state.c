// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// State bytes of corridors and followers (docs/formats/corridor-follower.md). Reading is structural: ranges and counts are
// checked, polygons are not looked up. A read checks all bytes before it changes anything.
#include "path_internal.h"

enum { FLAG_COMPLETE = 1, FLAG_NEEDS_REPLAN = 2, FLAG_FROM_START = 4, FLAG_ALL = 7 };
enum { STATE_VERSION = 1 };

// --- Pieces -----------------------------------------------------------------------------------------------------------

static void read_version(CrReader *reader, const char *field) {
  uint8_t version = cr__read_u8(reader, field);
  if (cr__read_ok(reader) && version != STATE_VERSION) {
    cr__read_fail(reader, CR_STATUS_BAD_VERSION, field, reader->offset - 1);
  }
}

static uint8_t read_u8_most(CrReader *reader, const char *field, uint8_t most) {
  uint8_t value = cr__read_u8(reader, field);
  if (value > most) cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 1);
  return value;
}

// A finite number of at least 0; +infinity too where `endless`.
static double read_non_negative(CrReader *reader, const char *field, bool endless) {
  double value = cr__read_f64(reader, field);
  bool fine = value >= 0.0 && (endless || cr__is_finite(value));
  if (cr__read_ok(reader) && !fine) cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 8);
  return value;
}

static CrStatus check_room(size_t size, size_t capacity, CrError *error) {
  return size > capacity ? cr__fail_limit(error, CR_STATUS_LIMIT, "capacity", (double)size) : CR_STATUS_OK;
}

// --- Corridor ---------------------------------------------------------------------------------------------------------

static uint8_t corridor_flags(const CrCorridor *corridor) {
  return (uint8_t)((corridor->complete ? FLAG_COMPLETE : 0) | (corridor->needs_replan ? FLAG_NEEDS_REPLAN : 0) |
                   (corridor->replan_from_start ? FLAG_FROM_START : 0));
}

void cr__corridor_write(const CrCorridor *corridor, CrWriter *writer) {
  cr__write_u8(writer, STATE_VERSION);
  cr__write_u8(writer, corridor_flags(corridor));
  cr__write_i32(writer, corridor->capacity);
  cr__write_i32(writer, corridor->count);
  cr__write_point(writer, corridor->position);
  cr__write_point(writer, corridor->target);
  cr__write_u64(writer, corridor->target_ref);
  for (int32_t k = 0; k < corridor->count; k++) cr__write_u64(writer, corridor->path[k]);
}

// Everything but the polygons, into `head`.
static void read_corridor_head(CrCorridor *head, int32_t capacity, CrReader *reader) {
  read_version(reader, "corridor.version");
  uint8_t flags = read_u8_most(reader, "corridor.flags", FLAG_ALL);
  head->complete = flags & FLAG_COMPLETE;
  head->needs_replan = flags & FLAG_NEEDS_REPLAN;
  head->replan_from_start = flags & FLAG_FROM_START;
  cr__read_i32_in(reader, "corridor.capacity", capacity, capacity);
  head->count = cr__read_i32_in(reader, "corridor.count", 0, capacity);
  head->position = cr__read_point(reader, "corridor.position");
  head->target = cr__read_point(reader, "corridor.target");
  head->target_ref = cr__read_u64(reader, "corridor.target_ref");
}

static void copy_corridor_head(CrCorridor *corridor, const CrCorridor *head) {
  corridor->complete = head->complete;
  corridor->needs_replan = head->needs_replan;
  corridor->replan_from_start = head->replan_from_start;
  corridor->count = head->count;
  corridor->position = head->position;
  corridor->target = head->target;
  corridor->target_ref = head->target_ref;
  cr__corridor_changed(corridor, 0);
}

void cr__corridor_read(CrCorridor *corridor, int32_t capacity, CrReader *reader) {
  CrCorridor head;
  read_corridor_head(&head, capacity, reader);
  if (!cr__read_ok(reader)) return;
  if (cr__read_left(reader) / sizeof(CrPolyRef) < (size_t)head.count) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, "corridor.path", reader->offset);
    return;
  }
  if (corridor) copy_corridor_head(corridor, &head);
  for (int32_t k = 0; k < head.count; k++) {
    CrPolyRef ref = cr__read_u64(reader, "corridor.path");
    if (corridor) corridor->path[k] = ref;
  }
}

size_t cr_corridor_state_size(const CrCorridor *corridor) {
  CrWriter writer = cr__writer_count();
  cr__corridor_write(corridor, &writer);
  return writer.size;
}

CrStatus cr_corridor_save(const CrCorridor *corridor, uint8_t *out, size_t capacity, CrError *error) {
  CrStatus status = check_room(cr_corridor_state_size(corridor), capacity, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(out, capacity);
  cr__corridor_write(corridor, &writer);
  return CR_STATUS_OK;
}

CrStatus cr_corridor_restore(CrCorridor *corridor, const uint8_t *data, size_t size, CrError *error) {
  CrReader check = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  cr__corridor_read(NULL, corridor->capacity, &check);
  CrStatus status = cr__read_end(&check);
  if (status != CR_STATUS_OK) return status;
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  cr__corridor_read(corridor, corridor->capacity, &reader);
  return CR_STATUS_OK;
}

// --- Follower ---------------------------------------------------------------------------------------------------------

void cr__follower_write(const CrFollower *follower, CrWriter *writer) {
  cr__write_u8(writer, STATE_VERSION);
  cr__write_u8(writer, (uint8_t)follower->state);
  cr__write_u8(writer, follower->reached_target);
  cr__write_u64(writer, follower->step_count);
  cr__write_i32(writer, follower->replan_rounds);
  cr__write_i32(writer, follower->stuck_recoveries);
  cr__write_f64(writer, follower->stuck_clock);
  cr__write_point(writer, follower->stuck_anchor);
  cr__write_point(writer, follower->position);
  cr__write_point(writer, follower->velocity);
  cr__write_point(writer, follower->destination);
  cr__write_point(writer, follower->off_mesh_start);
  cr__write_point(writer, follower->off_mesh_end);
  cr__write_f64(writer, follower->off_mesh_elapsed);
  cr__write_f64(writer, follower->off_mesh_duration);
  cr__write_u64(writer, follower->off_mesh_exit);
  cr__write_f64(writer, follower->remaining_distance);
  cr__corridor_write(&follower->corridor, writer);
}

static void read_follower_head(CrFollower *head, CrReader *reader) {
  read_version(reader, "follower.version");
  head->state = (CrFollowerState)read_u8_most(reader, "follower.state", CR_FOLLOWER_UNPLACED);
  head->reached_target = cr__read_flag(reader, "follower.reached");
  head->step_count = cr__read_u64(reader, "follower.step_count");
  head->replan_rounds = cr__read_i32_in(reader, "follower.replan_rounds", 0, INT32_MAX);
  head->stuck_recoveries = cr__read_i32_in(reader, "follower.stuck_recoveries", 0, INT32_MAX);
  head->stuck_clock = read_non_negative(reader, "follower.stuck_clock", false);
  head->stuck_anchor = cr__read_point(reader, "follower.stuck_anchor");
  head->position = cr__read_point(reader, "follower.position");
  head->velocity = cr__read_point(reader, "follower.velocity");
  head->destination = cr__read_point(reader, "follower.destination");
  head->off_mesh_start = cr__read_point(reader, "follower.off_mesh_start");
  head->off_mesh_end = cr__read_point(reader, "follower.off_mesh_end");
  head->off_mesh_elapsed = read_non_negative(reader, "follower.off_mesh_elapsed", false);
  head->off_mesh_duration = read_non_negative(reader, "follower.off_mesh_duration", false);
  head->off_mesh_exit = cr__read_u64(reader, "follower.off_mesh_exit");
  head->remaining_distance = read_non_negative(reader, "follower.remaining_distance", true);
}

void cr__follower_read(CrFollower *follower, const CrFollowerOptions *options, CrReader *reader) {
  CrFollower head;
  memset(&head, 0, sizeof head);
  read_follower_head(&head, reader);
  if (!cr__read_ok(reader)) return;
  if (follower) {
    head.options = follower->options;
    head.corridor = follower->corridor;
    *follower = head;
  }
  cr__corridor_read(follower ? &follower->corridor : NULL, options->corridor_capacity, reader);
}

size_t cr_follower_state_size(const CrFollower *follower) {
  CrWriter writer = cr__writer_count();
  cr__follower_write(follower, &writer);
  return writer.size;
}

CrStatus cr_follower_save(const CrFollower *follower, uint8_t *out, size_t capacity, CrError *error) {
  CrStatus status = check_room(cr_follower_state_size(follower), capacity, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(out, capacity);
  cr__follower_write(follower, &writer);
  return CR_STATUS_OK;
}

CrStatus cr_follower_restore(CrFollower *follower, const uint8_t *data, size_t size, CrError *error) {
  CrReader check = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  cr__follower_read(NULL, &follower->options, &check);
  CrStatus status = cr__read_end(&check);
  if (status != CR_STATUS_OK) return status;
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  cr__follower_read(follower, &follower->options, &reader);
  return CR_STATUS_OK;
}
