// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whether a crowd's agent that saw its first corner straight ahead still does, without pulling the string anew through all
// portals. The corner is the end of the corridor, or a bend: an end of some of the last portals before it, where the string
// turns because a portal beyond closes the funnel there. Where portals were clear by a margin from one place, they are from
// all places around it from which the corner is seen within an interval of directions; the few portals before them are
// looked at.
// Invariant: a yes means that the string's first leg is the one from the position to the corner. The margins below are what
// makes that so: no funnel side, portal end or turn can then come nearer to the leg than ten times the tolerance of the
// string, but for the corner itself, which lies on it exactly; and no two ends, both well ahead of the leg's start, lie in line
// with that. A no means nothing.
#include "path_internal.h"

#define CR_CLEAR 1e-3          // how far portal ends stay from the leg
#define CR_LEAST_RANGE 0.1     // how far around a place is remembered, at least
#define CR_RANGE_SECONDS 0.25  // and what it is, at top speed
#define CR_RANGE_PART 0.2      // but no more than this part of the leg
#define CR_MOST_TURN 0.0875    // tangent of the largest change of the end's direction, 5 degrees
#define CR_TURN_STRETCH 1.004  // above 1 / cos of it
#define CR_MOST_SLOPE 0.3      // ends of remembered portals lie within 74 degrees of the leg; it may turn by 5
#define CR_FARTHEST 40.0       // and no farther than so many lengths of the leg
#define CR_MOST_BEYOND 8       // portals looked at for the one that closes the funnel at a bend
#define CR_MOST_FRONT 8        // portals looked at in every step
#define CR_LEAST_GAP 0.01      // distance from these
#define CR_GAP_PART 1e-3       // and at least this part of their width

static double cross(double ax, double az, double bx, double bz) { return ax * bz - az * bx; }

typedef struct Gate {
  CrVec3 left, right;
} Gate;

static bool same_place(CrVec3 a, CrVec3 b) { return a.x == b.x && a.z == b.z; }

// Whether a portal's end on that side is the corner the string turns at.
static bool is_bend_at(const CrSight *sight, int8_t side, CrVec3 point, CrVec3 corner) {
  return sight->bend == side && same_place(point, corner);
}

// Portal k of the corridor. False when it is none on the surface.
static bool read_gate(const CrCorridor *corridor, const CrPathContext *context, int32_t k, Gate *out) {
  CrPolyRef ref = cr__corridor_polygon(corridor, k), next = cr__corridor_polygon(corridor, k + 1);
  const CrTile *tile = cr__resolve(context->mesh, ref);
  if (!tile) return false;
  if (cr__edge_between(context->mesh, tile, cr__ref_polygon(ref), next, &out->right, &out->left)) return true;
  CrWay way = cr__way_between(context->mesh, tile, cr__ref_polygon(ref), next, context->filter);
  *out = (Gate){way.b, way.a};
  return way.kind == CR_WAY_EDGE || way.kind == CR_WAY_PORTAL;
}

// --- Making -----------------------------------------------------------------------------------------------------------

// What is being made, and what it is of.
typedef struct Making {
  CrSight sight;
  const CrCorridor *corridor;
  const CrPathContext *context;
  CrVec3 corner;
  double length;    // of the leg
  int32_t entered;  // the polygon the corner's last portal leads to
} Making;

// What the directions t (tangents against the leg) must keep to so that a point stays `side` (1 left, -1 right) of it. False
// when it is not so for t = 0, or when the point is not well ahead.
static bool narrow(Making *making, CrVec3 point, double side) {
  CrSight *sight = &making->sight;
  double px = point.x - sight->x, pz = point.z - sight->z;
  double along = px * sight->along_x + pz * sight->along_z, aside = cross(sight->along_x, sight->along_z, px, pz);
  if (along - CR_MOST_SLOPE * cr__abs(aside) < 2.2 * sight->range) return false;
  if (along > CR_FARTHEST / 2.0 * making->length) return false;
  // Seen from the corner: the leg comes from -along, directions grow to the left of that.
  double wx = point.x - making->corner.x, wz = point.z - making->corner.z;
  double clear = -side * cross(wx, wz, sight->along_x, sight->along_z) - CR_CLEAR * CR_TURN_STRETCH;
  double slope = side * cross(wx, wz, sight->along_z, -sight->along_x);
  if (clear < 0.0) return false;
  if (slope > 0.0) sight->low = cr__max(sight->low, -clear / slope);
  if (slope < 0.0) sight->high = cr__min(sight->high, -clear / slope);
  return true;
}

// Both ends of a portal that the string passes on its way to the corner or beyond; the corner itself is on its own side.
static bool narrow_both(Making *making, const Gate *gate) {
  bool at_left = is_bend_at(&making->sight, 1, gate->left, making->corner);
  bool at_right = is_bend_at(&making->sight, -1, gate->right, making->corner);
  return (at_left || narrow(making, gate->left, 1.0)) && (at_right || narrow(making, gate->right, -1.0));
}

// Portal k, or the end of the corridor, which is a portal of no width.
static bool read_gate_or_end(const Making *making, CrVec3 end, int32_t k, Gate *out) {
  *out = (Gate){end, end};
  return k == making->corridor->count - 1 || read_gate(making->corridor, making->context, k, out);
}

// Finds the side of the bend, and the portal beyond it whose end on the other side closes the funnel at the corner. False when
// there is none near.
static bool find_bend(Making *making, CrVec3 end) {
  Gate gate;
  if (making->entered < 1 || making->length < 2.2 * making->sight.range) return false;
  if (!read_gate(making->corridor, making->context, making->entered - 1, &gate)) return false;
  bool at_left = same_place(gate.left, making->corner), at_right = same_place(gate.right, making->corner);
  if (at_left == at_right) return false;
  making->sight.bend = at_left ? 1 : -1;
  for (int32_t k = making->entered; k < making->entered + CR_MOST_BEYOND && k < making->corridor->count; k++) {
    Making closes = *making;
    if (!read_gate_or_end(making, end, k, &gate)) return false;
    // order: the string looks at a portal's right end first
    if (narrow(&closes, at_left ? gate.right : gate.left, making->sight.bend) &&
        (at_left || narrow(&closes, gate.right, -1.0))) {
      *making = closes;
      return true;
    }
    if (!narrow_both(making, &gate)) return false;
  }
  return false;
}

static CrSight nothing_seen(CrSight sight) {
  sight.along_x = sight.along_z = 0.0;
  return sight;
}

static CrSight make(const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  const CrKeptCorner *kept = cr__kept_corner(&follower->kept, 0);
  Making making = {.corridor = corridor, .context = context, .corner = kept->point};
  making.length = cr__dist_xz(corridor->position, kept->point);
  double most = CR_RANGE_SECONDS * follower->options.max_speed;
  double range = cr__max(cr__min(most, making.length * CR_RANGE_PART), CR_LEAST_RANGE);
  making.sight = (CrSight){.range = range, .x = corridor->position.x, .z = corridor->position.z};
  making.entered = corridor->count - kept->from_end;
  if (making.length < 2.0 * range) return making.sight;
  making.sight.along_x = (kept->point.x - making.sight.x) / making.length;
  making.sight.along_z = (kept->point.z - making.sight.z) / making.length;
  making.sight.low = -CR_MOST_TURN;
  making.sight.high = CR_MOST_TURN;
  if (kept->flags == 0 && !find_bend(&making, follower->kept.end)) return nothing_seen(making.sight);
  making.sight.portals = corridor->count - 1 - (kept->flags == 0 ? making.entered : corridor->count - 1);
  for (int32_t k = corridor->count - 2 - making.sight.portals; k >= 0; k--) {
    Making next = making;
    Gate gate;
    if (!read_gate(corridor, context, k, &gate) || !narrow_both(&next, &gate)) break;
    making = next;
    making.sight.portals++;
  }
  return making.sight;
}

// --- Using ------------------------------------------------------------------------------------------------------------

// Whether the corner lies in one of the directions.
static bool aims(const CrSight *sight, CrVec3 position, CrVec3 corner) {
  double ex = position.x - corner.x, ez = position.z - corner.z;
  double back = -(ex * sight->along_x + ez * sight->along_z), turn = ex * sight->along_z - ez * sight->along_x;
  return back >= sight->range && turn >= sight->low * back && turn <= sight->high * back;
}

// Whether what was seen, or that nothing was, may hold at the position. Who has turned away from it looks again, but not all the
// time.
static bool remembers(const CrSight *sight, CrVec3 position, CrVec3 corner) {
  double dx = position.x - sight->x, dz = position.z - sight->z, squared = dx * dx + dz * dz;
  if (sight->range <= 0.0 || squared > sight->range * sight->range) return false;
  bool nothing = sight->along_x == 0.0 && sight->along_z == 0.0;
  return nothing || squared <= CR_LEAST_RANGE * CR_LEAST_RANGE || aims(sight, position, corner);
}

// Whether the leg from the position passes between the gate's ends, well before it. A bend may be one of them.
static bool passes(const CrSight *sight, const Gate *gate, CrVec3 position, CrVec3 end, double length) {
  double to_left = cr__cross_xz(position, end, gate->left), to_right = -cr__cross_xz(position, end, gate->right);
  double clear = CR_CLEAR * length, farthest = CR_FARTHEST * length;
  if (to_left < clear && !is_bend_at(sight, 1, gate->left, end)) return false;
  if (to_right < clear && !is_bend_at(sight, -1, gate->right, end)) return false;
  if (cr__dist2_xz(position, gate->left) > farthest * farthest) return false;
  if (cr__dist2_xz(position, gate->right) > farthest * farthest) return false;
  double width = cr__dist_xz(gate->left, gate->right);
  return cr__cross_xz(gate->right, gate->left, position) >= cr__max(CR_LEAST_GAP, CR_GAP_PART * width) * width;
}

static bool sees(const CrSight *sight, const CrFollower *follower, const CrPathContext *context) {
  const CrCorridor *corridor = &follower->corridor;
  CrVec3 position = corridor->position, end = cr__kept_corner(&follower->kept, 0)->point;
  if (!aims(sight, position, end)) return false;
  int32_t same = corridor->kept_tail - 1;
  int32_t front = corridor->count - 1 - (sight->portals < same ? sight->portals : same);
  if (front > CR_MOST_FRONT) return false;
  double length = cr__dist_xz(position, end);
  for (int32_t k = 0; k < front; k++) {
    Gate gate;
    if (!read_gate(corridor, context, k, &gate) || !passes(sight, &gate, position, end, length)) return false;
  }
  return true;
}

bool cr__follower_sees_corner(CrFollower *follower, const CrPathContext *context) {
  CrKeptWay *kept = &follower->kept;
  bool is_end = kept->count == 1 && cr__kept_corner(kept, 0)->flags == CR_CORNER_END;
  if (!is_end && cr__kept_corner(kept, 0)->flags != 0) return false;
  CrVec3 position = follower->corridor.position, corner = cr__kept_corner(kept, 0)->point;
  if (!remembers(&kept->sight, position, corner)) kept->sight = make(follower, context);
  return sees(&kept->sight, follower, context);
}
