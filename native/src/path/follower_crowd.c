// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The follower as a crowd drives it (docs/behaviour/followers.md, "In a crowd"): planning gives a wanted velocity, avoidance
// changes it, applying moves by what came out. Standing agents are only pushed, and those whose host sets their velocity are
// moved by that.
#include "path_internal.h"

#define CR_NO_BEND 1e-6  // directions this close need no room to turn
#define CR_LANDED 1e-6

// --- Plan -------------------------------------------------------------------------------------------------------------

// An arrived agent pushed off the point it walked to goes back. The point is the end of its corridor: its destination where
// that can be reached.
static void send_back_if_pushed(CrFollower *follower, CrPathContext *context) {
  CrVec3 end;
  if (follower->state != CR_FOLLOWER_ARRIVED || !cr__corridor_end(&follower->corridor, context->mesh, &end)) return;
  double slack = 2.0 * follower->options.arrival_radius + 0.01;
  if (cr__dist_xz(follower->position, end) <= slack) return;
  cr_follower_set_destination(follower, context, follower->destination, NULL);
}

typedef struct Direction {
  double x, z;
} Direction;

// Unit vector from a to b in x/z; zero when they are at the same place.
static Direction direction(CrVec3 a, CrVec3 b) {
  double distance = cr__dist_xz(a, b);
  if (distance <= 0.0) return (Direction){0.0, 0.0};
  return (Direction){(b.x - a.x) / distance, (b.z - a.z) / distance};
}

// A corner is a wall's vertex: it is aimed past, on the outside of the bend, so that wall avoidance does not stop the agent.
static CrVec3 clear_corner(const CrFollower *follower, const CrCorner *corners, const CrWayAhead *way) {
  const CrCorner *corner = &corners[way->steering];
  CrVec3 aim = corner->point;
  if (corner->flags & (CR_CORNER_END | CR_CORNER_OFF_MESH) || way->steering + 1 >= way->count) return aim;
  double clearance = follower->options.corner_clearance;
  if (clearance <= 0.0) return aim;
  Direction in = direction(follower->position, corner->point);
  Direction out = direction(corner->point, corners[way->steering + 1].point);
  double bend_x = in.x - out.x, bend_z = in.z - out.z;
  double bend = cr__sqrt(bend_x * bend_x + bend_z * bend_z);
  if (bend < CR_NO_BEND) return aim;
  aim.x += bend_x / bend * clearance;
  aim.z += bend_z / bend * clearance;
  return aim;
}

static CrCrowdPlan plan_walk(const CrFollower *follower, const CrPathContext *context, const CrWayAhead *way) {
  const CrCorner *corner = &context->corners[way->steering];
  CrCrowdPlan plan = {
      .walking = true,
      .last_corner = corner->flags & (CR_CORNER_END | CR_CORNER_OFF_MESH),
      .at_end = corner->flags & CR_CORNER_END,
      .limit = corner->path_index + 1,
      .corner = corner->point,
      .remaining = way->to_end,
      .distance_to_corner = cr__dist_xz(follower->position, corner->point),
  };
  double speed = cr__follower_wanted_speed(&follower->options, way, &plan.slowing);
  Direction towards = direction(follower->position, clear_corner(follower, context->corners, way));
  plan.wanted_x = towards.x * speed;
  plan.wanted_z = towards.z * speed;
  return plan;
}

static bool crosses_by_time(const CrFollower *follower) {
  return follower->options.off_mesh_mode == CR_OFF_MESH_AUTOMATIC;
}

void cr__follower_enter(CrFollower *follower, CrPathContext *context, const CrCrossingPlan *crossing,
                        CrCrowdPlan *plan) {
  cr__follower_begin_crossing(follower, context, &crossing->entry);
  plan->at_entry = false;
  plan->crossing = follower->state == CR_FOLLOWER_OFF_MESH_LINK;
}

// The end of a crossing and its time are known before it begins, unless a host is to end it.
static CrCrowdPlan plan_entry(CrFollower *follower, CrPathContext *context, const CrWayAhead *way,
                              CrCrossingPlan *crossing) {
  *crossing = (CrCrossingPlan){.entry = context->corners[way->entry]};
  const CrCorner *entry = &crossing->entry;
  CrCrowdPlan plan = {.at_entry = true, .distance_to_corner = cr__dist_xz(follower->position, entry->point)};
  if (!crosses_by_time(follower) ||
      !cr__follower_crossing_ahead(follower, context, entry, &crossing->landing, &crossing->duration)) {
    cr__follower_enter(follower, context, crossing, &plan);
  }
  return plan;
}

CrCrowdPlan cr__follower_plan_crowd(CrFollower *follower, CrPathContext *context, double dt) {
  CrCrossingPlan crossing;
  CrCrowdPlan plan = cr__follower_plan_to_entry(follower, context, dt, &crossing);
  if (plan.at_entry) cr__follower_enter(follower, context, &crossing, &plan);
  return plan;
}

CrCrowdPlan cr__follower_plan_to_entry(CrFollower *follower, CrPathContext *context, double dt,
                                       CrCrossingPlan *crossing) {
  CrWayAhead way;
  if (follower->corridor.count > 0) follower->step_count++;
  send_back_if_pushed(follower, context);
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK) {
    cr__follower_step_crossing(follower, context, dt);
    return (CrCrowdPlan){.crossing = true};
  }
  if (follower->state != CR_FOLLOWER_MOVING) return (CrCrowdPlan){0};
  if (cr__follower_upkeep(follower, context, true, &way)) return plan_walk(follower, context, &way);
  return way.entry >= 0 ? plan_entry(follower, context, &way, crossing) : (CrCrowdPlan){0};
}

// --- Apply ------------------------------------------------------------------------------------------------------------

static CrVec3 displaced(CrVec3 from, double velocity_x, double velocity_z, double dt) {
  return cr__vec(cr__path_clamp(from.x + velocity_x * dt), from.y, cr__path_clamp(from.z + velocity_z * dt));
}

// Whether this step reaches the corner it must not walk past.
static bool reaches_stop(const CrFollower *follower, const CrCrowdPlan *plan, double velocity_x, double velocity_z,
                         double dt) {
  double length = cr__sqrt(velocity_x * velocity_x + velocity_z * velocity_z) * dt;
  double towards =
      (plan->corner.x - follower->position.x) * velocity_x + (plan->corner.z - follower->position.z) * velocity_z;
  return plan->last_corner && length >= plan->distance_to_corner && towards > 0.0;
}

void cr__follower_apply_crowd(CrFollower *follower, CrPathContext *context, const CrCrowdPlan *plan, double velocity_x,
                              double velocity_z, double dt) {
  CrVec3 before = follower->position;
  bool stops = reaches_stop(follower, plan, velocity_x, velocity_z, dt);
  CrVec3 to = stops ? plan->corner : displaced(before, velocity_x, velocity_z, dt);
  cr__follower_move(follower, context, true, to, plan->limit);
  if (follower->state != CR_FOLLOWER_MOVING) return;
  bool landed = stops && plan->at_end && cr__dist_xz(follower->position, plan->corner) <= CR_LANDED;
  if (landed && cr__follower_arrive(follower)) return;
  cr__follower_report(follower, before, plan->remaining, dt);
  if (!plan->slowing) cr__follower_count_stuck(follower, dt);
}

// Standing agents do not check the mesh: one whose polygon is gone finds that out when it is pushed.
static bool lost_its_polygon(const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  return corridor->count > 0 && !cr__resolve(context->mesh, corridor->path[0]);
}

void cr__follower_nudge(CrFollower *follower, CrPathContext *context, double velocity_x, double velocity_z, double dt) {
  CrCorridor *corridor = &follower->corridor;
  CrVec3 before = follower->position;
  follower->velocity = cr__vec(0.0, 0.0, 0.0);
  if (velocity_x == 0.0 && velocity_z == 0.0) return;
  if (cr_corridor_move_position(corridor, context, displaced(before, velocity_x, velocity_z, dt))) {
    follower->position = corridor->position;
    follower->velocity = cr__follower_velocity(before, follower->position, dt);
  } else if (lost_its_polygon(follower, context) &&
             cr_corridor_relocate(corridor, context, follower->options.search_extents)) {
    follower->position = corridor->position;
    cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
  }
}

void cr__follower_push(CrFollower *follower, CrPathContext *context, double x, double z) {
  if ((x == 0.0 && z == 0.0) || follower->state == CR_FOLLOWER_NO_PATH) return;
  if (!cr_corridor_move_position(&follower->corridor, context, displaced(follower->position, x, z, 1.0))) return;
  follower->position = follower->corridor.position;
}

// --- Driven by the host -----------------------------------------------------------------------------------------------

// It never walks a corridor, so the one polygon it stands on is all there is to check. Without ground near it waits for some.
static void stand_on_ground(CrFollower *follower, CrPathContext *context) {
  CrCorridor *corridor = &follower->corridor;
  bool was_lost = follower->state == CR_FOLLOWER_NO_PATH;
  if (corridor->count == 0) return;
  if (cr_corridor_validate(corridor, context, 1) == CR_VALIDATE_INVALID) {
    if (!was_lost) cr__follower_note(follower, CR_EVENT_PATH_CHANGED);
    if (!cr_corridor_relocate(corridor, context, follower->options.search_extents)) {
      if (!was_lost) cr__follower_give_up(follower, CR_FOLLOWER_NO_PATH);
      return;
    }
    follower->position = corridor->position;
  }
  cr__follower_take_over(follower);
}

bool cr__follower_plan_driven(CrFollower *follower, CrPathContext *context, double dt) {
  if (follower->corridor.count > 0) follower->step_count++;
  if (follower->state == CR_FOLLOWER_OFF_MESH_LINK) {
    cr__follower_step_crossing(follower, context, dt);
    return true;
  }
  stand_on_ground(follower, context);
  return false;
}

void cr__follower_drive(CrFollower *follower, CrPathContext *context, double velocity_x, double velocity_z, double dt) {
  if (follower->state == CR_FOLLOWER_NO_PATH) return;
  cr__follower_nudge(follower, context, velocity_x, velocity_z, dt);
  cr__follower_take_over(follower);
}
