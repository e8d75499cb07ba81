// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Half-planes of velocities for one agent: against another agent (van den Berg, Guy, Lin and Manocha, "Reciprocal n-body
// collision avoidance", 2011) and against a wall. Relative velocities that lead to a collision within the horizon form a cone
// cut off by a disc; the half-plane touches it where it is nearest to the present relative velocity.
// Invariant: normals are unit vectors, and every finite input gives finite numbers.
#include "orca_internal.h"

// Shorter vectors have no direction: their squares leave the range of normal doubles.
#define NO_LENGTH 1e-140

CrOrcaSelf cr__orca_self(CrVec2 velocity, double horizon, double dt) {
  return (CrOrcaSelf){velocity, 1.0 / horizon, 1.0 / cr__max(dt, CR_ORCA_MIN_RESOLVE)};
}

// Where `w` has no direction: that away from the other, and +x when the other is at the same place.
static CrVec2 away_from_other(CrVec2 relative) {
  double distance = cr__length2(relative);
  return distance > NO_LENGTH ? cr__scale2(relative, -1.0 / distance) : cr__vec2(1.0, 0.0);
}

static void aim_away(CrTwoMask which, CrTwo x, CrTwo z, CrTwo *normal_x, CrTwo *normal_z) {
  CrVec2 a = away_from_other(cr__vec2(x[0], z[0])), b = away_from_other(cr__vec2(x[1], z[1]));
  *normal_x = cr__two_choose(which, (CrTwo){a.x, b.x}, *normal_x);
  *normal_z = cr__two_choose(which, (CrTwo){a.z, b.z}, *normal_z);
}

// Both kinds of half-plane take one root and one quotient, of what the kind says: which it will be nobody foresees, so there is
// no branch.
void cr__orca_agents(const CrOrcaSelf *self, const CrOrcaPair *pair, CrHalfPlane out[2]) {
  const CrTwo none = cr__two(0.0), own_x = cr__two(self->velocity.x), own_z = cr__two(self->velocity.z);
  CrTwo x = pair->relative_x, z = pair->relative_z, sum = pair->radius_sum;
  CrTwo velocity_x = own_x - pair->velocity_x, velocity_z = own_z - pair->velocity_z;
  CrTwo distance_squared = x * x + z * z, sum_squared = sum * sum, least = cr__two(NO_LENGTH * NO_LENGTH);
  CrTwoMask overlap = distance_squared <= cr__two_choose(sum_squared > least, sum_squared, least);
  CrTwo rate = cr__two_choose(overlap, cr__two(self->resolve_rate), cr__two(self->rate));
  // Relative to the centre of the disc of relative velocities that collide at the end of the time.
  CrTwo wx = velocity_x - x * rate, wz = velocity_z - z * rate;
  CrTwo along = wx * x + wz * z, squared = wx * wx + wz * wz;
  // The disc's near arc lies between the points where the cone's sides leave it.
  CrTwoMask disc = overlap | ((along <= none) & (along * along >= sum_squared * squared));
  CrTwo root = cr__two_sqrt(cr__two_choose(disc, squared, distance_squared - sum_squared));
  CrTwo scale = 1.0 / cr__two_choose(disc, root, distance_squared);
  // order: exactly head on both agents take the same turn, the right-hand side seen with z up
  CrTwoMask left = x * wz - z * wx > none;
  CrTwo turn = cr__two_negate(~left, sum);
  CrTwo side_x = x * root - z * turn, side_z = z * root + x * turn;
  CrTwo normal_x = cr__two_choose(disc, wx, cr__two_negate(left, side_z)) * scale;
  CrTwo normal_z = cr__two_choose(disc, wz, cr__two_negate(~left, side_x)) * scale;
  CrTwoMask aimless = disc & ~(root > cr__two(NO_LENGTH));
  if (aimless[0] | aimless[1]) aim_away(aimless, x, z, &normal_x, &normal_z);
  // The half-plane moves the relative velocity outward, and of that the agent does its share.
  CrTwo outward = cr__two_choose(disc, sum * rate - root, -(velocity_x * normal_x + velocity_z * normal_z));
  CrTwo part = outward * pair->share;
  CrTwo point_x = own_x + normal_x * part, point_z = own_z + normal_z * part;
  out[0] = (CrHalfPlane){{point_x[0], point_z[0]}, {normal_x[0], normal_z[0]}};
  out[1] = (CrHalfPlane){{point_x[1], point_z[1]}, {normal_x[1], normal_z[1]}};
}

CrHalfPlane cr__orca_agent(CrVec2 relative, CrVec2 velocity, CrVec2 other_velocity, double radius_sum, double horizon,
                           double dt, double share) {
  CrOrcaSelf self = cr__orca_self(velocity, horizon, dt);
  CrOrcaPair pair = {cr__two(relative.x),       cr__two(relative.z), cr__two(other_velocity.x),
                     cr__two(other_velocity.z), cr__two(radius_sum), cr__two(share)};
  CrHalfPlane planes[2];
  cr__orca_agents(&self, &pair, planes);
  return planes[0];
}

CrOrcaWall cr__orca_wall(CrVec2 a, CrVec2 b) {
  CrVec2 edge = cr__sub2(b, a);
  double length = cr__length2(edge);
  return (CrOrcaWall){a, length > NO_LENGTH ? cr__scale2(edge, 1.0 / length) : cr__vec2(0.0, 0.0), length};
}

CrHalfPlane cr__orca_boundary(const CrOrcaWall *wall, double out, double clearance, double horizon) {
  CrVec2 normal = {-wall->along.z, wall->along.x};
  // Nearer than the clearance the agent need not move off, only not come nearer: so walls alone are never infeasible.
  double toward = cr__max(out - clearance, 0.0) / horizon;
  return (CrHalfPlane){cr__scale2(normal, -toward), normal};
}
