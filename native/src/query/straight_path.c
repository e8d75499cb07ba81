// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The taut string through a path's portals (Lee and Preparata 1984), in the horizontal plane and in constant memory: the
// funnel from the last corner is narrowed portal by portal; where one of its sides would cross the other, the latter's
// end is a corner and the funnel starts again there. Portals are read from the mesh as they are needed and no further. A
// portal end on a side's line narrows without making a corner, so there are no corners without a bend. Portals that hold
// the apex are passed before the funnel opens: there they are crossed without moving, and seen from it they are no funnel.
// Crossings are listed leg by leg, once the leg's far end is known.
#include "query_internal.h"

typedef struct Funnel {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  const CrPolyRef *path;
  int32_t path_count;
  CrVec3 end;
  CrCorner *corners;
  int32_t capacity, count;
  CrCrossings crossings;
} Funnel;

typedef enum PortalKind { PORTAL_BROKEN, PORTAL_OPEN, PORTAL_OFF_MESH, PORTAL_END } PortalKind;

// Portal k leads from path[k] to path[k + 1]. The end of the path and the entry of an off-mesh link are portals of no width.
typedef struct Portal {
  PortalKind kind;
  CrVec3 left, right;
  CrVec3 exit;  // off-mesh
} Portal;

static Portal read_portal(const Funnel *funnel, int32_t k) {
  if (k == funnel->path_count - 1) return (Portal){PORTAL_END, funnel->end, funnel->end, funnel->end};
  Portal portal = {PORTAL_BROKEN, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const CrTile *tile = cr__resolve(funnel->mesh, funnel->path[k]);
  if (!tile) return portal;
  uint32_t polygon = cr__ref_polygon(funnel->path[k]);
  CrVec3 a, b;
  if (cr__edge_between(funnel->mesh, tile, polygon, funnel->path[k + 1], &a, &b)) return (Portal){PORTAL_OPEN, b, a, b};
  CrWay way = cr__way_between(funnel->mesh, tile, polygon, funnel->path[k + 1], funnel->filter);
  if (way.kind == CR_WAY_NONE) return portal;
  if (way.kind == CR_WAY_OFF_MESH) return (Portal){PORTAL_OFF_MESH, way.a, way.a, way.b};
  return (Portal){PORTAL_OPEN, way.b, way.a, way.b};
}

static bool same_place(CrVec3 a, CrVec3 b) { return cr__near_xz(a, b, CR_QUERY_EPSILON); }

// At a seam the polygon entered may lie higher or lower than the portal's end: a corner lies on the polygon it names.
static CrVec3 on_polygon(const Funnel *funnel, CrVec3 point, int32_t index) {
  const CrTile *tile = cr__resolve(funnel->mesh, funnel->path[index]);
  if (!tile) return point;
  double y = cr__polygon_height(tile, cr__ref_polygon(funnel->path[index]), point.x, point.z);
  if (cr__abs(y - point.y) > CR_QUERY_EPSILON) point.y = y;
  return point;
}

// Adds a corner, or merges it with one at the same point. False when the buffer is full.
static bool emit(Funnel *funnel, CrVec3 point, int32_t index, uint8_t flags) {
  CrCorner *last = funnel->count ? &funnel->corners[funnel->count - 1] : NULL;
  if (last && same_place(last->point, point) && cr__abs(last->point.y - point.y) <= CR_QUERY_EPSILON) {
    last->flags |= flags;
    last->path_index = index;
    last->ref = funnel->path[index];
    if (!(last->flags & (CR_CORNER_START | CR_CORNER_END))) last->point = on_polygon(funnel, last->point, index);
    return true;
  }
  if (funnel->count == funnel->capacity) return false;
  funnel->corners[funnel->count++] = (CrCorner){point, funnel->path[index], index, flags};
  return true;
}

static bool portal_holds(const Portal *portal, CrVec3 point) {
  CrVec3 nearest = cr__lerp(portal->left, portal->right, cr__segment_t_xz(portal->left, portal->right, point));
  return same_place(nearest, point);
}

// The first portal from k on that does not hold `point`.
static int32_t pass_portals(const Funnel *funnel, int32_t k, CrVec3 point, Portal *portal) {
  for (;; k++) {
    *portal = read_portal(funnel, k);
    if (portal->kind != PORTAL_OPEN || !portal_holds(portal, point)) return k;
  }
}

typedef enum LegEnd { LEG_BROKEN, LEG_CORNER, LEG_TOUCH, LEG_OFF_MESH, LEG_END } LegEnd;

typedef struct Leg {
  LegEnd end;
  CrVec3 point;    // the corner, the place touched, the link's entry or the end
  CrVec3 exit;     // of the link
  int32_t portal;  // the first portal past a corner or touch, else the portal that ends the leg
} Leg;

// How a portal's end lies to the funnel's other side: within it, on its line (the funnel closes to a line), or beyond.
typedef enum Closing { STAYS_OPEN, CLOSES, CROSSES } Closing;

static Closing closing(CrVec3 apex, CrVec3 side, double over) {
  if (over > 0.0) return CROSSES;
  bool on_line = over * over <= CR_QUERY_EPSILON * CR_QUERY_EPSILON * cr__dist2_xz(apex, side);
  return on_line ? CLOSES : STAYS_OPEN;
}

// A portal seen from its side is touched first at its nearer end.
static bool touches(const Portal *portal, CrVec3 apex, CrVec3 *out_near) {
  bool left_first = cr__dist2_xz(apex, portal->left) < cr__dist2_xz(apex, portal->right);
  CrVec3 far = left_first ? portal->right : portal->left;
  *out_near = left_first ? portal->left : portal->right;
  return portal->kind == PORTAL_OPEN && closing(apex, far, -cr__abs(cr__cross_xz(apex, far, *out_near))) == CLOSES;
}

// The end of the path, or a link's entry, on the portal whose end the funnel's side is: it is there when that is crossed.
static bool lies_on(const Funnel *funnel, int32_t side_portal, const Portal *end) {
  if (end->kind == PORTAL_OPEN) return false;
  Portal portal = read_portal(funnel, side_portal);
  return portal_holds(&portal, end->left);
}

static Leg turn_at(CrVec3 side, int32_t portal, Closing how) {
  return (Leg){how == CROSSES ? LEG_CORNER : LEG_TOUCH, side, side, portal + 1};
}

// One funnel: from the apex, which lies on path[k], to the first bend, to where it closes to a line, or to the end of the surface. When
// both sides lie on one line the string runs along it at least to the end of the side that was there first; whether what
// comes after lies ahead or leads back only a funnel from there can tell.
static Leg next_leg(const Funnel *funnel, CrVec3 apex, int32_t k) {
  CrVec3 left = apex, right = apex;
  int32_t left_portal = k, right_portal = k;
  Portal portal;
  k = pass_portals(funnel, k, apex, &portal);
  for (bool open = false;; portal = read_portal(funnel, ++k), open = true) {
    if (portal.kind == PORTAL_BROKEN) return (Leg){LEG_BROKEN, apex, apex, k};
    bool right_narrows = !open || cr__cross_xz(apex, right, portal.right) >= 0.0;
    bool left_narrows = !open || cr__cross_xz(apex, left, portal.left) <= 0.0;
    if (open && right_narrows) {
      Closing how = closing(apex, left, cr__cross_xz(apex, left, portal.right));
      bool there = how == CLOSES && lies_on(funnel, left_portal, &portal);
      if (how != STAYS_OPEN && !there) return turn_at(left, left_portal, how);
    }
    if (open && left_narrows) {
      Closing how = closing(apex, right, -cr__cross_xz(apex, right, portal.left));
      bool there = how == CLOSES && lies_on(funnel, right_portal, &portal);
      if (how != STAYS_OPEN && !there) return turn_at(right, right_portal, how);
    }
    CrVec3 near;
    if (right_narrows && left_narrows && touches(&portal, apex, &near)) return (Leg){LEG_TOUCH, near, near, k};
    if (right_narrows) right = portal.right, right_portal = k;
    if (left_narrows) left = portal.left, left_portal = k;
    if (portal.kind == PORTAL_END) return (Leg){LEG_END, portal.left, portal.left, k};
    if (portal.kind == PORTAL_OFF_MESH) return (Leg){LEG_OFF_MESH, portal.left, portal.exit, k};
  }
}

// Whether b lies on the way straight from a to c.
static bool is_straight(CrVec3 a, CrVec3 b, CrVec3 c) {
  return same_place(cr__lerp(a, c, cr__segment_t_xz(a, c, b)), b) && !same_place(a, c);
}

// The next leg, past all places it touches without a bend.
static Leg taut_leg(const Funnel *funnel, CrVec3 apex, int32_t k) {
  Leg leg = next_leg(funnel, apex, k);
  while (leg.end == LEG_TOUCH) {
    Portal portal;
    Leg next = next_leg(funnel, leg.point, pass_portals(funnel, leg.portal, leg.point, &portal));
    if (next.end == LEG_BROKEN || !is_straight(apex, leg.point, next.point)) {
      leg.end = LEG_CORNER;
    } else {
      leg = next;
    }
  }
  return leg;
}

// Whether the next point of the path is the corner just written: only then can it still be added to a full buffer.
static bool merges_next(const Funnel *funnel, CrVec3 corner, int32_t k) {
  Portal portal;
  pass_portals(funnel, k, corner, &portal);
  return (portal.kind == PORTAL_END || portal.kind == PORTAL_OFF_MESH) && same_place(portal.left, corner);
}

// --- Crossings ------------------------------------------------------------------------------------------------------------

// A leg of the string, and how far along it crossings have been listed.
typedef struct LegLine {
  CrVec3 from, to;
  double share;
  CrVec3 point;  // at `share`, horizontally
} LegLine;

static bool lists_portal(const Funnel *funnel, int32_t k) {
  if (funnel->crossings == CR_CROSSINGS_ALL) return true;
  const CrTile *left = cr__resolve(funnel->mesh, funnel->path[k]);
  const CrTile *entered = cr__resolve(funnel->mesh, funnel->path[k + 1]);
  if (!left || !entered) return false;
  return left->areas[cr__ref_polygon(funnel->path[k])] != entered->areas[cr__ref_polygon(funnel->path[k + 1])];
}

// Where the leg crosses a portal that holds neither of its ends: on the portal, and never before the crossing listed last or
// beyond the leg, whatever rounding makes of portals that nearly lie on it. A portal on the leg is crossed where it is met.
static void advance(LegLine *line, const Portal *portal) {
  double right = cr__cross_xz(line->from, line->to, portal->right);
  double left = cr__cross_xz(line->from, line->to, portal->left);
  double t = left > right ? cr__clamp(right / (right - left), 0.0, 1.0)
                          : cr__segment_t_xz(portal->right, portal->left, line->from);
  CrVec3 point = t == 1.0 ? portal->left : cr__lerp(portal->right, portal->left, t);
  double dx = line->to.x - line->from.x, dz = line->to.z - line->from.z;
  double share = ((point.x - line->from.x) * dx + (point.z - line->from.z) * dz) / (dx * dx + dz * dz);
  if (!(share > line->share)) return;
  line->share = cr__min(share, 1.0);
  line->point = share < 1.0 ? point : line->to;
}

// Adds the crossing into path[index], at the place of the leg's last one or on the surface there.
static bool emit_crossing(Funnel *funnel, CrVec3 point, int32_t index) {
  CrCorner *last = &funnel->corners[funnel->count - 1];
  if (same_place(last->point, point)) return emit(funnel, last->point, index, CR_CORNER_CROSSING);
  const CrTile *tile = cr__resolve(funnel->mesh, funnel->path[index]);
  if (!tile) return true;
  double y = cr__polygon_height(tile, cr__ref_polygon(funnel->path[index]), point.x, point.z);
  return emit(funnel, cr__vec(point.x, y, point.z), index, CR_CORNER_CROSSING);
}

// Lists the crossings of portals k to end - 1, all of them on the leg, but for those at its far end: these go with the corner
// there, as its flag. False when the buffer is full.
static bool cross_portals(Funnel *funnel, CrVec3 from, CrVec3 to, int32_t k, int32_t end, uint8_t *end_flags) {
  LegLine line = {from, to, 0.0, from};
  bool at_end = false;
  for (; funnel->crossings != CR_CROSSINGS_NONE && k < end; k++) {
    if (!lists_portal(funnel, k)) continue;
    Portal portal = read_portal(funnel, k);
    if (!at_end && !portal_holds(&portal, from)) {
      at_end = portal_holds(&portal, to);
      if (!at_end) advance(&line, &portal);
      at_end = at_end || same_place(line.point, to);
    }
    if (at_end) *end_flags |= CR_CORNER_CROSSING;
    if (!at_end && !emit_crossing(funnel, line.point, k + 1)) return false;
  }
  return true;
}

// The crossings at a link's exit just written, which may have filled the buffer; returns the first portal past it.
static int32_t cross_at(Funnel *funnel, CrVec3 point, int32_t k) {
  if (funnel->crossings == CR_CROSSINGS_NONE) return k;
  Portal portal;
  uint8_t flags = 0;
  int32_t end = pass_portals(funnel, k, point, &portal);
  cross_portals(funnel, point, point, k, end, &flags);
  return end;
}

static CrStraightPathOutcome pull(Funnel *funnel, CrVec3 start) {
  CrVec3 apex = start;
  int32_t k = 0;
  emit(funnel, start, 0, CR_CORNER_START);
  for (;;) {
    if (funnel->count == funnel->capacity && !merges_next(funnel, apex, k)) return CR_STRAIGHT_TRUNCATED;
    Leg leg = taut_leg(funnel, apex, k);
    uint8_t flags = 0;
    switch (leg.end) {
      case LEG_BROKEN:
        return CR_STRAIGHT_INVALID_CORRIDOR;
      case LEG_END:
        if (!cross_portals(funnel, apex, leg.point, k, leg.portal, &flags)) return CR_STRAIGHT_TRUNCATED;
        return emit(funnel, leg.point, leg.portal, flags | CR_CORNER_END) ? CR_STRAIGHT_OK : CR_STRAIGHT_TRUNCATED;
      case LEG_TOUCH:
      case LEG_CORNER: {
        Portal portal;
        int32_t entered = pass_portals(funnel, leg.portal, leg.point, &portal);
        leg.point = on_polygon(funnel, leg.point, entered);
        if (!cross_portals(funnel, apex, leg.point, k, entered, &flags)) return CR_STRAIGHT_TRUNCATED;
        if (!emit(funnel, leg.point, entered, flags)) return CR_STRAIGHT_TRUNCATED;
        apex = leg.point;
        k = entered;
        break;
      }
      case LEG_OFF_MESH:
        if (!cross_portals(funnel, apex, leg.point, k, leg.portal, &flags)) return CR_STRAIGHT_TRUNCATED;
        if (!emit(funnel, leg.point, leg.portal, flags | CR_CORNER_OFF_MESH)) return CR_STRAIGHT_TRUNCATED;
        if (!emit(funnel, leg.exit, leg.portal + 1, 0)) return CR_STRAIGHT_TRUNCATED;
        apex = leg.exit;
        k = cross_at(funnel, apex, leg.portal + 1);
        break;
    }
  }
}

CrStraightPathOutcome cr_query_straight_path_crossings(const CrNavMesh *mesh, CrVec3 start, CrVec3 end,
                                                       const CrPolyRef *path, int32_t path_count,
                                                       const CrQueryFilter *filter, CrCrossings crossings,
                                                       CrCorner *corners, int32_t capacity, int32_t *out_count) {
  *out_count = 0;
  if (path_count < 1 || capacity < 2 || !cr__resolve(mesh, path[0])) return CR_STRAIGHT_INVALID_CORRIDOR;
  Funnel funnel = {mesh, filter, path, path_count, end, corners, capacity, 0, crossings};
  CrStraightPathOutcome outcome = pull(&funnel, start);
  if (outcome != CR_STRAIGHT_INVALID_CORRIDOR) *out_count = funnel.count;
  return outcome;
}

CrStraightPathOutcome cr_query_straight_path(const CrNavMesh *mesh, CrVec3 start, CrVec3 end, const CrPolyRef *path,
                                             int32_t path_count, const CrQueryFilter *filter, CrCorner *corners,
                                             int32_t capacity, int32_t *out_count) {
  return cr_query_straight_path_crossings(mesh, start, end, path, path_count, filter, CR_CROSSINGS_NONE, corners,
                                          capacity, out_count);
}
