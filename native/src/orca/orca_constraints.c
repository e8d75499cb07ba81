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

// Unit vector along `w`; where w is 0 the direction away from the other, and +x when that is 0 too.
static CrVec2 unit_or_away(CrVec2 w, double length, CrVec2 relative) {
  if (length > NO_LENGTH) return cr__scale2(w, 1.0 / length);
  double distance = cr__length2(relative);
  return distance > NO_LENGTH ? cr__scale2(relative, -1.0 / distance) : cr__vec2(1.0, 0.0);
}

// The half-plane that moves the relative velocity by `outward` along `normal`, of which the agent does its share.
static CrHalfPlane shared_plane(CrVec2 velocity, CrVec2 normal, double outward, double share) {
  return (CrHalfPlane){cr__add2(velocity, cr__scale2(normal, outward * share)), normal};
}

// Touches the disc of relative velocities that collide in exactly 1 / `rate` seconds; w is measured from its centre.
static CrHalfPlane disc_plane(CrVec2 relative, CrVec2 velocity, CrVec2 w, double radius_sum, double rate,
                              double share) {
  double length = cr__length2(w);
  CrVec2 normal = unit_or_away(w, length, relative);
  return shared_plane(velocity, normal, radius_sum * rate - length, share);
}

// Touches the side of the cone that the relative velocity is nearer to.
static CrHalfPlane side_plane(CrVec2 relative, CrVec2 velocity, CrVec2 relative_velocity, CrVec2 w, double radius_sum,
                              double distance_squared, double share) {
  double tangent = cr__sqrt(distance_squared - radius_sum * radius_sum);
  double scale = 1.0 / distance_squared;
  // order: exactly head on both agents take the same turn, the right-hand side seen with z up
  bool left = relative.x * w.z - relative.z * w.x > 0.0;
  double turn = left ? radius_sum : -radius_sum;
  CrVec2 side = {(relative.x * tangent - relative.z * turn) * scale,
                 (relative.z * tangent + relative.x * turn) * scale};
  CrVec2 normal = left ? cr__vec2(-side.z, side.x) : cr__vec2(side.z, -side.x);
  return shared_plane(velocity, normal, -cr__dot2(relative_velocity, normal), share);
}

CrHalfPlane cr__orca_agent(CrVec2 relative, CrVec2 velocity, CrVec2 other_velocity, double radius_sum, double horizon,
                           double dt, double share) {
  CrVec2 relative_velocity = cr__sub2(velocity, other_velocity);
  double distance_squared = cr__length2_squared(relative);
  double radius_squared = radius_sum * radius_sum;
  if (distance_squared <= cr__max(radius_squared, NO_LENGTH * NO_LENGTH)) {
    double rate = 1.0 / cr__max(dt, CR_ORCA_MIN_RESOLVE);
    CrVec2 w = cr__sub2(relative_velocity, cr__scale2(relative, rate));
    return disc_plane(relative, velocity, w, radius_sum, rate, share);
  }
  double rate = 1.0 / horizon;
  CrVec2 w = cr__sub2(relative_velocity, cr__scale2(relative, rate));
  double along = cr__dot2(w, relative);
  // The disc's near arc lies between the points where the cone's sides leave it.
  if (along <= 0.0 && along * along >= radius_squared * cr__length2_squared(w)) {
    return disc_plane(relative, velocity, w, radius_sum, rate, share);
  }
  return side_plane(relative, velocity, relative_velocity, w, radius_sum, distance_squared, share);
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
