// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Half-planes of allowed velocities and the program that picks a velocity from them (docs/behaviour/avoidance.md).
#ifndef CR_ORCA_INTERNAL_H
#define CR_ORCA_INTERNAL_H

#include "lanes.h"

// A vector in the horizontal plane.
typedef struct CrVec2 {
  double x, z;
} CrVec2;

static inline CrVec2 cr__vec2(double x, double z) { return (CrVec2){x, z}; }
static inline CrVec2 cr__add2(CrVec2 a, CrVec2 b) { return (CrVec2){a.x + b.x, a.z + b.z}; }
static inline CrVec2 cr__sub2(CrVec2 a, CrVec2 b) { return (CrVec2){a.x - b.x, a.z - b.z}; }
static inline CrVec2 cr__scale2(CrVec2 a, double s) { return (CrVec2){a.x * s, a.z * s}; }
static inline double cr__dot2(CrVec2 a, CrVec2 b) { return a.x * b.x + a.z * b.z; }
static inline double cr__length2_squared(CrVec2 a) { return a.x * a.x + a.z * a.z; }
static inline double cr__length2(CrVec2 a) { return cr__sqrt(a.x * a.x + a.z * a.z); }

// Velocities v with (v - point) . normal >= 0. The normal is a unit vector.
typedef struct CrHalfPlane {
  CrVec2 point, normal;
} CrHalfPlane;

// The shortest time over which a collision is resolved: a smaller dt counts as this, so that velocities stay finite.
#define CR_ORCA_MIN_RESOLVE 1e-6

// An agent that keeps clear of others: its velocity, and one over the times within which a pair must not meet, and one that
// overlaps already comes apart.
typedef struct CrOrcaSelf {
  CrVec2 velocity;
  double rate, resolve_rate;
} CrOrcaSelf;

CrOrcaSelf cr__orca_self(CrVec2 velocity, double horizon, double dt);

// Two others: their positions minus the agent's, their velocities, the sums of radii, and the parts in 0..1 of the change that
// the agent makes.
typedef struct CrOrcaPair {
  CrTwo relative_x, relative_z;
  CrTwo velocity_x, velocity_z;
  CrTwo radius_sum, share;
} CrOrcaPair;

// What the agent must keep to so that it and each of two others stay apart. Every finite input gives finite half-planes.
void cr__orca_agents(const CrOrcaSelf *self, const CrOrcaPair *pair, CrHalfPlane out[2]);

// The same of one other.
CrHalfPlane cr__orca_agent(CrVec2 relative, CrVec2 velocity, CrVec2 other_velocity, double radius_sum, double horizon,
                           double dt, double share);

// A wall from a in direction `along` (unit, or 0 for a point); the walkable side is left.
typedef struct CrOrcaWall {
  CrVec2 a, along;
  double length;
} CrOrcaWall;

CrOrcaWall cr__orca_wall(CrVec2 a, CrVec2 b);

// Where a position is relative to a wall: how far along it, how far out on its walkable side.
typedef struct CrOrcaSide {
  double along, out;
} CrOrcaSide;

// False when the wall does not face the position, nor any within `moved` of it: that is behind it by more than 1e-6, or does
// not project on it more than clearance + 1e-6 from both ends.
static inline bool cr__orca_faces_within(const CrOrcaWall *wall, CrVec2 position, double clearance, double moved,
                                         CrOrcaSide *out) {
  CrVec2 offset = cr__sub2(position, wall->a);
  double margin = clearance + 1e-6 - moved;
  out->along = cr__dot2(wall->along, offset);
  out->out = wall->along.x * offset.z - wall->along.z * offset.x;
  return out->out >= -1e-6 - moved && out->along > margin && out->along < wall->length - margin;
}
static inline bool cr__orca_faces(const CrOrcaWall *wall, CrVec2 position, double clearance, CrOrcaSide *out) {
  return cr__orca_faces_within(wall, position, clearance, 0.0, out);
}

// What keeps a point that is `out` from a wall `clearance` away from it for `horizon` seconds. Standing still always
// satisfies it.
CrHalfPlane cr__orca_boundary(const CrOrcaWall *wall, double out, double clearance, double horizon);

// Half-planes missed by no more than this (units per second) count as kept.
#define CR_ORCA_TOLERANCE 1e-9

typedef enum CrOrcaOutcome {
  CR_ORCA_KEPT = 0,         // every half-plane holds
  CR_ORCA_SOFT_MISSED = 1,  // the hard ones hold; the largest miss of a soft one is as small as can be
  CR_ORCA_HARD_MISSED = 2   // the largest miss of a hard one is as small as can be; the soft ones were not looked at
} CrOrcaOutcome;

// The velocity in the disc of radius `max_speed` (> 0) that keeps the half-planes and is nearest to `wanted`. The first
// `hard_count` planes are hard. `scratch` has room for `count` planes. The order of the planes is part of the result.
CrVec2 cr__orca_solve(const CrHalfPlane *planes, int32_t count, int32_t hard_count, double max_speed, CrVec2 wanted,
                      CrHalfPlane *scratch, CrOrcaOutcome *out_outcome);

#endif
