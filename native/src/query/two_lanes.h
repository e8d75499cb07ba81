// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Two portals at a time, for the searches: which portals a search meets nobody foresees, and branches guessed wrongly are what
// its steps would spend their time on.
#ifndef CR_TWO_LANES_H
#define CR_TWO_LANES_H

#include "lanes.h"

typedef struct CrTwoPoints {
  CrTwo x, y, z;
} CrTwoPoints;

static inline CrTwoPoints cr__two_points(CrVec3 p, CrVec3 q) {
  return (CrTwoPoints){{p.x, q.x}, {p.y, q.y}, {p.z, q.z}};
}
static inline CrTwo cr__two_dist(CrTwoPoints a, CrVec3 b) {
  CrTwo dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  return cr__two_sqrt(dx * dx + dy * dy + dz * dz);
}
// Twice the signed areas of (a, b, p) in x/z.
static inline CrTwo cr__two_cross_xz(CrTwoPoints a, CrTwoPoints b, CrTwoPoints p) {
  return (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x);
}

// cr__nearest_on_portal of two portals.
static inline CrTwoPoints cr__two_nearest_on_portals(CrTwoPoints a, CrTwoPoints b, CrVec3 from, CrVec3 to) {
  const CrTwo none = cr__two(0.0), all = cr__two(1.0);
  CrTwoPoints s = cr__two_points(from, from), e = cr__two_points(to, to);
  CrTwo dx = b.x - a.x, dz = b.z - a.z, length2 = dx * dx + dz * dz;
  CrTwo side_a = cr__two_cross_xz(s, e, a), side_b = cr__two_cross_xz(s, e, b);
  CrTwo side_s = cr__two_cross_xz(a, b, s), side_e = cr__two_cross_xz(a, b, e);
  CrTwoMask portal_cut = (side_a <= none) ^ (side_b <= none), segment_cut = (side_s <= none) ^ (side_e <= none);
  // The segment stays on one side: its end nearer to the portal's line.
  CrTwoMask end_nearer = cr__two_abs(side_e) < cr__two_abs(side_s);
  CrTwo px = cr__two_choose(end_nearer, e.x, s.x) - a.x, pz = cr__two_choose(end_nearer, e.z, s.z) - a.z;
  CrTwo along = px * dx + pz * dz, whole = cr__two_choose(length2 > none, length2, all);
  // It cuts the portal's line beside the portal: the portal's end nearer to its own line.
  CrTwo nearer_end = cr__two_choose(cr__two_abs(side_b) < cr__two_abs(side_a), all, none);
  along = cr__two_choose(segment_cut, cr__two_choose(portal_cut, side_a, nearer_end), along);
  whole = cr__two_choose(segment_cut, cr__two_choose(portal_cut, side_a - side_b, all), whole);
  CrTwo t = along / whole;
  t = cr__two_choose(t < none, none, cr__two_choose(t > all, all, t));
  CrTwoMask at_b = t == all;
  return (CrTwoPoints){cr__two_choose(at_b, b.x, a.x + (b.x - a.x) * t),
                       cr__two_choose(at_b, b.y, a.y + (b.y - a.y) * t),
                       cr__two_choose(at_b, b.z, a.z + (b.z - a.z) * t)};
}

#endif
