// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Agent options: presets, ranges, what follows from them, and their bytes. One table states the numbers once, in byte order;
// validation, writing and reading walk it.
#include <stddef.h>

#include "crowd_struct.h"

typedef struct Field {
  const char *name;
  size_t offset;
  double low, high;  // both allowed, but for `above`: greater than low
  bool above;
} Field;

#define NUMBER(member, low, high) \
  { "options." #member, offsetof(CrAgentOptions, member), low, high, false }
#define POSITIVE(member, high) \
  { "options." #member, offsetof(CrAgentOptions, member), 0.0, high, true }

// The bounds keep every follower option made from these within its own range (a trigger radius of twice the radius, a corner
// clearance of twice the wall clearance) and every speed below the coordinate limit.
static const Field fields[] = {
    POSITIVE(radius, CR_COORD_LIMIT / 4),
    POSITIVE(max_speed, 1e6),
    POSITIVE(max_acceleration, 1e9),
    NUMBER(arrival_radius, 0.0, CR_COORD_LIMIT / 2),
    POSITIVE(priority, 1e9),
    NUMBER(wall_clearance, 0.0, CR_COORD_LIMIT / 8),
    NUMBER(separation_distance, 0.0, CR_COORD_LIMIT / 2),
    NUMBER(separation_weight, 0.0, 1e6),
    NUMBER(side_preference, -1.0, 1.0),
};

// --- Presets ----------------------------------------------------------------------------------------------------------

CrAgentOptions cr_agent_options_humanoid(void) {
  CrAgentOptions options;
  memset(&options, 0, sizeof options);
  options.radius = 0.6;
  options.max_speed = 3.5;
  options.max_acceleration = 8.0;
  options.arrival_radius = 0.25;
  options.priority = 1.0;
  options.wall_clearance = 0.05;
  options.separation_weight = 0.3;
  options.side_preference = 0.05;
  options.quality = CR_QUALITY_MEDIUM;
  options.path = cr_follower_options_humanoid();
  return options;
}

static CrAgentOptions preset(double radius, double max_speed, double max_acceleration, double arrival_radius) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.radius = radius;
  options.max_speed = max_speed;
  options.max_acceleration = max_acceleration;
  options.arrival_radius = arrival_radius;
  return options;
}

CrAgentOptions cr_agent_options_small(void) { return preset(0.3, 2.5, 6.0, 0.3); }
CrAgentOptions cr_agent_options_large(void) { return preset(1.5, 3.0, 5.0, 0.6); }

// --- Validation -------------------------------------------------------------------------------------------------------

static double field_value(const CrAgentOptions *options, const Field *field) {
  double value;
  memcpy(&value, (const uint8_t *)options + field->offset, sizeof value);
  return value;
}

// NaN fails every comparison.
static bool in_range(const Field *field, double value) {
  return value <= field->high && (field->above ? value > field->low : value >= field->low);
}

#define PATH_NAME(member) "options.path." #member

// A follower's options are validated under the names "options.x"; an agent's are "options.path.x".
static const char *name_in_path(const char *name) {
  static const char *const names[] = {
      PATH_NAME(max_speed),           PATH_NAME(max_acceleration),        PATH_NAME(slow_radius),
      PATH_NAME(arrival_min_speed),   PATH_NAME(arrival_radius),          PATH_NAME(max_corners),
      PATH_NAME(validate_look_ahead), PATH_NAME(optimize_interval),       PATH_NAME(optimize_range),
      PATH_NAME(optimize_budget),     PATH_NAME(topology_interval),       PATH_NAME(topology_budget),
      PATH_NAME(replan_budget),       PATH_NAME(max_replan_rounds),       PATH_NAME(stuck_window),
      PATH_NAME(stuck_progress),      PATH_NAME(max_stuck_recoveries),    PATH_NAME(off_mesh_mode),
      PATH_NAME(off_mesh_speed),      PATH_NAME(off_mesh_trigger_radius), PATH_NAME(search_extents.x),
      PATH_NAME(search_extents.y),    PATH_NAME(search_extents.z),        PATH_NAME(corridor_capacity),
      PATH_NAME(refine_budget),       PATH_NAME(corner_clearance)};
  for (size_t k = 0; k < CR_COUNT_OF(names); k++) {
    if (strcmp(names[k] + strlen("options.path."), name + strlen("options.")) == 0) return names[k];
  }
  return "options.path";
}

CrStatus cr__check_priority(double priority, CrError *error) {
  CrAgentOptions options = cr_agent_options_humanoid();
  options.priority = priority;
  CrStatus status = cr_agent_options_validate(&options, error);
  if (status != CR_STATUS_OK && error) error->field = "priority";
  return status;
}

CrStatus cr_agent_options_validate(const CrAgentOptions *options, CrError *error) {
  for (size_t k = 0; k < CR_COUNT_OF(fields); k++) {
    double value = field_value(options, &fields[k]);
    if (in_range(&fields[k], value)) continue;
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, fields[k].name,
                          value > fields[k].high ? fields[k].high : fields[k].low);
  }
  if (options->quality > CR_QUALITY_HIGH) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "options.quality", CR_QUALITY_HIGH);
  }
  if (!options->has_path) return CR_STATUS_OK;
  CrError detail;
  CrStatus status = cr_follower_options_validate(&options->path, &detail);
  if (status == CR_STATUS_OK) return status;
  return cr__fail_limit(error, status, name_in_path(detail.field), detail.limit);
}

// --- Consequences -----------------------------------------------------------------------------------------------------

CrFollowerOptions cr_agent_follower_options(const CrAgentOptions *options) {
  CrFollowerOptions path = options->path;
  if (!options->has_path) {
    path = cr_follower_options_humanoid();
    path.corridor_capacity = 64;
    path.stuck_window = 0.0;  // agents stand in queues
  }
  path.max_speed = options->max_speed;
  path.max_acceleration = options->max_acceleration;
  path.arrival_radius = options->arrival_radius;
  path.off_mesh_trigger_radius = cr__max(path.off_mesh_trigger_radius, 2.0 * options->radius);
  path.corner_clearance = 2.0 * options->wall_clearance + 0.01;
  return path;
}

CrAvoidance cr__avoidance_of(const CrAgentOptions *options) {
  static const int32_t most[] = {0, 4, 8, CR_MAX_NEIGHBOURS};
  static const double horizons[] = {0.0, 1.5, 2.0, 2.5};
  CrAvoidance avoidance = {.max_neighbours = most[options->quality], .horizon = horizons[options->quality]};
  avoidance.wall_horizon = 0.5 * avoidance.horizon;
  avoidance.neighbour_distance =
      cr__max(options->separation_distance, 2.0 * options->radius + options->max_speed * avoidance.horizon);
  avoidance.wall_reach = avoidance.wall_horizon * options->max_speed + options->wall_clearance;
  return avoidance;
}

// --- Bytes ------------------------------------------------------------------------------------------------------------

void cr__agent_options_write(const CrAgentOptions *options, CrWriter *writer) {
  for (size_t k = 0; k < CR_COUNT_OF(fields); k++) cr__write_f64(writer, field_value(options, &fields[k]));
  cr__write_u8(writer, options->quality);
  cr__write_u8(writer, options->has_path);
  if (options->has_path) cr__follower_options_write(&options->path, writer);
}

static void read_number(CrAgentOptions *options, const Field *field, CrReader *reader) {
  double value = cr__read_f64(reader, field->name);
  if (cr__read_ok(reader) && !in_range(field, value)) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, field->name, reader->offset - sizeof value);
  }
  memcpy((uint8_t *)options + field->offset, &value, sizeof value);
}

static void read_path(CrAgentOptions *options, CrReader *reader) {
  cr__follower_options_read(&options->path, reader);
  if (!cr__read_ok(reader) && reader->error) reader->error->field = name_in_path(reader->error->field);
}

void cr__agent_options_read(CrAgentOptions *options, CrReader *reader) {
  *options = cr_agent_options_humanoid();
  for (size_t k = 0; k < CR_COUNT_OF(fields); k++) read_number(options, &fields[k], reader);
  options->quality = cr__read_u8(reader, "options.quality");
  if (options->quality > CR_QUALITY_HIGH) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "options.quality", reader->offset - 1);
  }
  options->has_path = cr__read_flag(reader, "options.has_path");
  if (cr__read_ok(reader) && options->has_path) read_path(options, reader);
}
