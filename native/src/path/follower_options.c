// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Follower options: presets, ranges, and their bytes. One table states every field once, in byte order; validation, writing
// and reading walk it, so that none can forget a field.
#include <stddef.h>

#include "path_internal.h"

#define CR_MOST_SPEED 1e6  // keeps velocities and step lengths below the coordinate limit
#define CR_MOST_ACCELERATION 1e9
#define CR_MOST_WINDOW 3600.0  // the longest step
#define CR_MOST_INT INT32_MAX

typedef enum FieldKind { FIELD_F64, FIELD_I32, FIELD_U8 } FieldKind;

typedef struct Field {
  const char *name;
  size_t offset;
  double low, high;  // both allowed, but for `above`: greater than low
  FieldKind kind;
  bool above;
} Field;

#define NUMBER(member, low, high) \
  { "options." #member, offsetof(CrFollowerOptions, member), low, high, FIELD_F64, false }
#define POSITIVE(member, high) \
  { "options." #member, offsetof(CrFollowerOptions, member), 0.0, high, FIELD_F64, true }
#define INTEGER(member, low, high) \
  { "options." #member, offsetof(CrFollowerOptions, member), low, high, FIELD_I32, false }
#define BYTE(member, high) \
  { "options." #member, offsetof(CrFollowerOptions, member), 0, high, FIELD_U8, false }
// Lengths stay below the coordinate limit by being at most half of it.
#define LENGTH(member) NUMBER(member, 0.0, CR_COORD_LIMIT / 2)

static const Field fields[] = {
    POSITIVE(max_speed, CR_MOST_SPEED),
    POSITIVE(max_acceleration, CR_MOST_ACCELERATION),
    LENGTH(slow_radius),
    NUMBER(arrival_min_speed, 0.0, CR_MOST_SPEED),
    LENGTH(arrival_radius),
    INTEGER(max_corners, 3, CR_PATH_MAX_CORNERS),
    INTEGER(validate_look_ahead, 1, CR_MOST_INT),
    INTEGER(optimize_interval, 0, CR_MOST_INT),
    LENGTH(optimize_range),
    INTEGER(optimize_budget, 2, CR_MOST_INT),
    INTEGER(topology_interval, 0, CR_MOST_INT),
    INTEGER(topology_budget, 1, CR_MOST_INT),
    INTEGER(replan_budget, 1, CR_MOST_INT),
    INTEGER(max_replan_rounds, 1, CR_MOST_INT),
    NUMBER(stuck_window, 0.0, CR_MOST_WINDOW),
    NUMBER(stuck_progress, 0.0, 1.0),
    INTEGER(max_stuck_recoveries, 0, CR_MOST_INT),
    BYTE(off_mesh_mode, CR_OFF_MESH_HOST),
    POSITIVE(off_mesh_speed, CR_MOST_SPEED),
    LENGTH(off_mesh_trigger_radius),
    LENGTH(search_extents.x),
    LENGTH(search_extents.y),
    LENGTH(search_extents.z),
    INTEGER(corridor_capacity, CR_CORRIDOR_MIN_CAPACITY, CR_CORRIDOR_MAX_CAPACITY),
    INTEGER(refine_budget, 0, CR_MOST_INT),
    LENGTH(corner_clearance),
};

CrFollowerOptions cr_follower_options_humanoid(void) {
  return (CrFollowerOptions){
      .max_speed = 3.5,
      .max_acceleration = 8.0,
      .slow_radius = 1.0,
      .arrival_min_speed = 0.25,
      .arrival_radius = 0.01,
      .max_corners = 8,
      .validate_look_ahead = 8,
      .optimize_interval = 4,
      .optimize_range = 10.0,
      .optimize_budget = 16,
      .topology_interval = 16,
      .topology_budget = 32,
      .replan_budget = 2048,
      .max_replan_rounds = 16,
      .stuck_window = 1.0,
      .stuck_progress = 0.1,
      .max_stuck_recoveries = 2,
      .off_mesh_mode = CR_OFF_MESH_AUTOMATIC,
      .off_mesh_speed = 3.5,
      .off_mesh_trigger_radius = 0.05,
      .search_extents = {2.0, 4.0, 2.0},
      .corridor_capacity = CR_CORRIDOR_DEFAULT_CAPACITY,
      .refine_budget = 128,
      .corner_clearance = 0.0,
  };
}

CrFollowerOptions cr_follower_options_small(void) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.max_speed = 2.5;
  options.max_acceleration = 6.0;
  options.slow_radius = 0.5;
  options.off_mesh_speed = 2.5;
  return options;
}

static double field_value(const CrFollowerOptions *options, const Field *field) {
  const uint8_t *at = (const uint8_t *)options + field->offset;
  double number;
  int32_t integer;
  if (field->kind == FIELD_U8) return *at;
  if (field->kind == FIELD_I32) {
    memcpy(&integer, at, sizeof integer);
    return integer;
  }
  memcpy(&number, at, sizeof number);
  return number;
}

// NaN fails every comparison.
static bool in_range(const Field *field, double value) {
  return value <= field->high && (field->above ? value > field->low : value >= field->low);
}

CrStatus cr_follower_options_validate(const CrFollowerOptions *options, CrError *error) {
  for (size_t k = 0; k < CR_COUNT_OF(fields); k++) {
    double value = field_value(options, &fields[k]);
    if (in_range(&fields[k], value)) continue;
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, fields[k].name,
                          value > fields[k].high ? fields[k].high : fields[k].low);
  }
  return CR_STATUS_OK;
}

void cr__follower_options_write(const CrFollowerOptions *options, CrWriter *writer) {
  for (size_t k = 0; k < CR_COUNT_OF(fields); k++) {
    double value = field_value(options, &fields[k]);
    if (fields[k].kind == FIELD_F64) cr__write_f64(writer, value);
    if (fields[k].kind == FIELD_I32) cr__write_i32(writer, (int32_t)value);
    if (fields[k].kind == FIELD_U8) cr__write_u8(writer, (uint8_t)value);
  }
}

static void read_field(CrFollowerOptions *options, const Field *field, CrReader *reader) {
  uint8_t *at = (uint8_t *)options + field->offset;
  size_t start = reader->offset;
  if (field->kind == FIELD_F64) {
    double number = cr__read_f64(reader, field->name);
    memcpy(at, &number, sizeof number);
  } else if (field->kind == FIELD_I32) {
    int32_t integer = cr__read_i32(reader, field->name);
    memcpy(at, &integer, sizeof integer);
  } else {
    *at = cr__read_u8(reader, field->name);
  }
  if (cr__read_ok(reader) && !in_range(field, field_value(options, field))) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, field->name, start);
  }
}

void cr__follower_options_read(CrFollowerOptions *options, CrReader *reader) {
  memset(options, 0, sizeof *options);
  for (size_t k = 0; k < CR_COUNT_OF(fields) && cr__read_ok(reader); k++) read_field(options, &fields[k], reader);
}
