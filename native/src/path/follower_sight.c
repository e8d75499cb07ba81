// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whether a crowd's agent that saw the end of its corridor straight ahead still does, without pulling the string anew through
// all portals. Where the last portals were clear by a margin from one place, they are from all places around it from which
// the end is seen within an interval of directions; the few portals before them are looked at.
// Invariant: a yes means that the string is the leg from the position to the end. The margins below are what makes that so: no
// funnel side, portal end or turn can then come nearer to the leg than ten times the tolerance of the string. A no means
// nothing.
#include "path_internal.h"

#define CR_CLEAR 1e-3          // how far portal ends stay from the leg
#define CR_LEAST_RANGE 0.1     // how far around a place is remembered, at least
#define CR_RANGE_SECONDS 0.25  // and what it is, at top speed
#define CR_MOST_TURN 0.0875    // tangent of the largest change of the end's direction, 5 degrees
#define CR_TURN_STRETCH 1.004  // above 1 / cos of it
#define CR_MOST_SLOPE 1.2      // ends of remembered portals lie within 40 degrees of the leg
#define CR_FARTHEST 40.0       // and no farther than so many lengths of the leg
#define CR_MOST_FRONT 4        // portals looked at in every step; with more of them the string costs no more
#define CR_LEAST_GAP 0.01      // distance from these
#define CR_GAP_PART 1e-3       // and at least this part of their width

static double cross(double ax, double az, double bx, double bz) { return ax * bz - az * bx; }

typedef struct Gate {
  CrVec3 left, right;
} Gate;

// Portal k of the corridor. False when it is none on the surface.
static bool read_gate(const CrCorridor *corridor, const CrPathContext *context, int32_t k, Gate *out) {
  const CrTile *tile = cr__resolve(context->mesh, corridor->path[k]);
  if (!tile) return false;
  CrWay way =
      cr__way_between(context->mesh, tile, cr__ref_polygon(corridor->path[k]), corridor->path[k + 1], context->filter);
  *out = (Gate){way.b, way.a};
  return way.kind == CR_WAY_EDGE || way.kind == CR_WAY_PORTAL;
}

// --- Making -----------------------------------------------------------------------------------------------------------

// What the directions t (tangents against the leg) must keep to so that a point stays `side` (1 left, -1 right) of it. False
// when it is not so for t = 0, or when the point is not well ahead.
static bool narrow(CrSight *sight, CrVec3 end, CrVec3 point, double side, double length) {
  double px = point.x - sight->x, pz = point.z - sight->z;
  double along = px * sight->along_x + pz * sight->along_z, aside = cross(sight->along_x, sight->along_z, px, pz);
  if (along - CR_MOST_SLOPE * cr__abs(aside) < 2.2 * sight->range || along > CR_FARTHEST / 2.0 * length) return false;
  // Seen from the end: the leg comes from -along, directions grow to the left of that.
  double wx = point.x - end.x, wz = point.z - end.z;
  double clear = -side * cross(wx, wz, sight->along_x, sight->along_z) - CR_CLEAR * CR_TURN_STRETCH;
  double slope = side * cross(wx, wz, sight->along_z, -sight->along_x);
  if (clear < 0.0) return false;
  if (slope > 0.0) sight->low = cr__max(sight->low, -clear / slope);
  if (slope < 0.0) sight->high = cr__min(sight->high, -clear / slope);
  return true;
}

static void make(CrSight *sight, const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  CrVec3 end = follower->kept.end;
  double length = cr__dist_xz(corridor->position, end);
  double range = cr__max(CR_RANGE_SECONDS * follower->options.max_speed, CR_LEAST_RANGE);
  *sight = (CrSight){.range = range, .x = corridor->position.x, .z = corridor->position.z};
  if (length < 2.0 * range) return;
  sight->along_x = (end.x - sight->x) / length;
  sight->along_z = (end.z - sight->z) / length;
  sight->low = -CR_MOST_TURN;
  sight->high = CR_MOST_TURN;
  for (int32_t k = corridor->count - 2; k >= 0; k--) {
    CrSight next = *sight;
    Gate gate;
    if (!read_gate(corridor, context, k, &gate)) return;
    if (!narrow(&next, end, gate.left, 1.0, length) || !narrow(&next, end, gate.right, -1.0, length)) return;
    *sight = next;
    sight->portals++;
  }
}

// --- Using ------------------------------------------------------------------------------------------------------------

static bool remembers(const CrSight *sight, CrVec3 position) {
  double dx = position.x - sight->x, dz = position.z - sight->z;
  return sight->range > 0.0 && dx * dx + dz * dz <= sight->range * sight->range;
}

// Whether the leg from the position passes between the gate's ends, well before it.
static bool passes(const Gate *gate, CrVec3 position, CrVec3 end, double length) {
  double to_left = cr__cross_xz(position, end, gate->left), to_right = -cr__cross_xz(position, end, gate->right);
  double clear = CR_CLEAR * length, farthest = CR_FARTHEST * length;
  if (to_left < clear || to_right < clear) return false;
  if (cr__dist2_xz(position, gate->left) > farthest * farthest) return false;
  if (cr__dist2_xz(position, gate->right) > farthest * farthest) return false;
  double width = cr__dist_xz(gate->left, gate->right);
  return cr__cross_xz(gate->right, gate->left, position) >= cr__max(CR_LEAST_GAP, CR_GAP_PART * width) * width;
}

static bool sees_end(const CrSight *sight, const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  CrVec3 position = corridor->position, end = follower->kept.end;
  double ex = position.x - end.x, ez = position.z - end.z;
  double back = -(ex * sight->along_x + ez * sight->along_z), turn = ex * sight->along_z - ez * sight->along_x;
  if (!(back >= sight->range && turn >= sight->low * back && turn <= sight->high * back)) return false;
  int32_t same = corridor->kept_tail - 1;
  int32_t front = corridor->count - 1 - (sight->portals < same ? sight->portals : same);
  if (front > CR_MOST_FRONT) return false;
  double length = cr__dist_xz(position, end);
  for (int32_t k = 0; k < front; k++) {
    Gate gate;
    if (!read_gate(corridor, context, k, &gate) || !passes(&gate, position, end, length)) return false;
  }
  return true;
}

bool cr__follower_sees_end(CrFollower *follower, const CrPathContext *context) {
  CrKeptWay *kept = &follower->kept;
  if (kept->count != 1 || kept->corners[0].flags != CR_CORNER_END) return false;
  if (!remembers(&kept->sight, follower->corridor.position)) make(&kept->sight, follower, context);
  return sees_end(&kept->sight, follower, context);
}
