// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Half-planes of allowed velocities and the program that picks a velocity from them (docs/behaviour/avoidance.md).
#ifndef CR_ORCA_INTERNAL_H
#define CR_ORCA_INTERNAL_H

#include "core_internal.h"

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

// What an agent must keep to so that it and another stay apart for `horizon` seconds (a pair that overlaps already: come
// apart within `dt`). `relative` is the other's position minus the agent's; `share` in 0..1 is the part of the change the
// agent makes. Every finite input gives a finite half-plane.
CrHalfPlane cr__orca_agent(CrVec2 relative, CrVec2 velocity, CrVec2 other_velocity, double radius_sum, double horizon,
                           double dt, double share);

// What keeps a point `clearance` away from the wall a -> b (walkable side left) for `horizon` seconds. False when the wall
// does not face the position: it is behind the wall by more than 1e-6, or does not project on it more than
// clearance + 1e-6 from both ends. Standing still always satisfies the half-plane.
bool cr__orca_boundary(CrVec2 a, CrVec2 b, CrVec2 position, double clearance, double horizon, CrHalfPlane *out);

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
