// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Steering, walking, reporting and stuck detection (docs/behaviour/followers.md, steps 7 to 10). Arrival steering after
// Reynolds, "Steering Behaviors for Autonomous Characters", 1999.
#include "path_internal.h"

#define CR_MOST_HOPS 4  // corners a single step may turn
#define CR_LANDED 1e-6  // this near a corner the follower stands on it

double cr__follower_wanted_speed(const CrFollowerOptions *options, const CrWayAhead *way, bool *slowing) {
  double speed = options->max_speed;
  if (options->slow_radius > 0.0 && way->to_stop < options->slow_radius) {
    speed = cr__max(speed * (way->to_stop / options->slow_radius), options->arrival_min_speed);
    speed = cr__min(speed, options->max_speed);
  }
  *slowing = speed < options->max_speed;
  return speed;
}

// The speed after turning the velocity towards `speed` in the direction of `to`, by at most `most`.
static double accelerate(const CrFollower *follower, CrVec3 to, double speed, double most) {
  double dx = to.x - follower->position.x, dz = to.z - follower->position.z;
  double distance = cr__sqrt(dx * dx + dz * dz);
  double wanted_x = distance > 0.0 ? dx / distance * speed : 0.0;
  double wanted_z = distance > 0.0 ? dz / distance * speed : 0.0;
  double change_x = wanted_x - follower->velocity.x, change_z = wanted_z - follower->velocity.z;
  double change = cr__sqrt(change_x * change_x + change_z * change_z);
  if (change > most) {
    wanted_x = follower->velocity.x + change_x / change * most;
    wanted_z = follower->velocity.z + change_z / change * most;
  }
  return cr__sqrt(wanted_x * wanted_x + wanted_z * wanted_z);
}

void cr__follower_move(CrFollower *follower, CrPathContext *context, bool in_crowd, CrVec3 to, int32_t limit) {
  CrCorridor *corridor = &follower->corridor;
  bool along = in_crowd ? cr__corridor_move_along_again(corridor, context, to, limit)
                        : cr_corridor_move_along(corridor, context, to, limit);
  if (along || cr_corridor_move_position(corridor, context, to)) {
    follower->position = corridor->position;
  } else {
    cr__follower_relocate(follower, context);
  }
}

// One leg of at most `length`; what is left of it. 0 ends the walk.
static double hop(CrFollower *follower, CrPathContext *context, const CrWayAhead *way, double length) {
  CrCorner corner = context->corners[way->steering];
  double distance = cr__dist_xz(follower->position, corner.point);
  if (length < distance) {
    CrVec3 to = cr__lerp(follower->position, corner.point, length / distance);
    cr__follower_move(follower, context, false, to, corner.path_index + 1);
    return 0.0;
  }
  cr__follower_move(follower, context, false, corner.point, corner.path_index + 1);
  if (follower->state != CR_FOLLOWER_MOVING) return 0.0;
  if (cr__dist_xz(follower->position, corner.point) > CR_LANDED) return 0.0;
  if (corner.flags & CR_CORNER_END) cr__follower_arrive(follower);
  return corner.flags & (CR_CORNER_END | CR_CORNER_OFF_MESH) ? 0.0 : length - distance;
}

// One hop at least: a move without length still trims the corridor to the furthest polygon underfoot.
static void walk(CrFollower *follower, CrPathContext *context, CrWayAhead *way, double length) {
  length = hop(follower, context, way, length);
  for (int32_t k = 1; k < CR_MOST_HOPS && length > 0.0; k++) {
    if (!cr__follower_look(follower, context, false, way)) return;
    length = hop(follower, context, way, length);
  }
}

CrVec3 cr__follower_velocity(CrVec3 before, CrVec3 after, double dt) {
  CrVec3 moved = cr__sub(after, before);
  return cr__vec(cr__path_clamp(moved.x / dt), cr__path_clamp(moved.y / dt), cr__path_clamp(moved.z / dt));
}

void cr__follower_report(CrFollower *follower, CrVec3 before, double length, double dt) {
  follower->velocity = cr__follower_velocity(before, follower->position, dt);
  follower->remaining_distance = cr__max(0.0, length - cr__dist_xz(before, follower->position));
}

void cr__follower_count_stuck(CrFollower *follower, double dt) {
  const CrFollowerOptions *options = &follower->options;
  if (options->stuck_window <= 0.0) return;
  follower->stuck_clock += dt;
  if (follower->stuck_clock < options->stuck_window) return;
  double progress = cr__dist_xz(follower->stuck_anchor, follower->position);
  cr__follower_reset_stuck(follower);
  if (progress >= options->max_speed * options->stuck_window * options->stuck_progress) return;
  if (follower->stuck_recoveries < INT32_MAX) follower->stuck_recoveries++;
  if (follower->stuck_recoveries > options->max_stuck_recoveries) {
    cr__follower_give_up(follower, CR_FOLLOWER_STUCK);
  } else {
    cr_corridor_request_replan(&follower->corridor);
  }
}

void cr__follower_step_moving(CrFollower *follower, CrPathContext *context, double dt) {
  CrWayAhead way;
  bool slowing;
  if (!cr__follower_upkeep(follower, context, false, &way)) return;
  CrVec3 before = follower->position;
  double length = way.to_end;
  double wanted = cr__follower_wanted_speed(&follower->options, &way, &slowing);
  double speed =
      accelerate(follower, context->corners[way.steering].point, wanted, follower->options.max_acceleration * dt);
  walk(follower, context, &way, speed * dt);
  if (follower->state != CR_FOLLOWER_MOVING) return;
  cr__follower_report(follower, before, length, dt);
  if (!slowing) cr__follower_count_stuck(follower, dt);
}
