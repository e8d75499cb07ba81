// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a node of the exact search leads to (Cui, Harabor and Grastien 2017). An interval is pushed through its polygon: what
// its root sees of each way out is an interval again; where it sees the end of a way it came through, and there is ground in
// the shadow behind that end, lines may turn there if the fan about it has a wall. A root sends lines into every polygon of
// its fan: on the side it turns to, as far as half a turn.
// All is decided by the sides of mesh points against lines through a root and another mesh point. Intervals that lie side
// by side decide by the same numbers, so there is no gap between them: every way out is seen, or in the left or the right
// shadow. The line on from a turn is the only one that is not of that kind; it is opened by TURN_SLACK.
#include "exact_internal.h"

// Opening of the line on from a turn, as an angle: far above its rounding (2^-51), and a way longer by less than its square.
#define TURN_SLACK 1e-12
// Branches of one fan waiting to be turned into. Only where surfaces lie over one another at a seam is there more than one.
#define MAX_BRANCHES 32
#define MAX_SPREAD_STEPS 4096

// The polygon being looked at.
typedef struct Place {
  CrNavMeshQuery *query;
  CrExact *exact;
  const CrTile *tile;
  uint32_t polygon;
  CrPolyRef ref, from;  // from: where the lines came from; the way back is not taken
  uint32_t root, node;  // nodes: of the root, and the parent of what is found here
  CrPlanar origin;      // the root's point
  double g;             // of the root
  CrPlanar goal;        // from the root
} Place;

static Place make_place(CrNavMeshQuery *query, CrPolyRef ref, CrPolyRef from, uint32_t root, uint32_t node) {
  CrExact *exact = query->exact;
  CrPlanar origin = exact->nodes[root].left;
  return (Place){query,
                 exact,
                 cr__tile_of(query->mesh, ref),
                 cr__ref_polygon(ref),
                 ref,
                 from,
                 root,
                 node,
                 origin,
                 exact->nodes[root].g,
                 cr__planar_sub(exact->goal, origin)};
}

// --- Nodes ----------------------------------------------------------------------------------------------------------------

// What is seen of a way: all relative to the root.
typedef struct View {
  CrPlanar left, right;  // directions of the lines that bound it
  CrPlanar from, to;     // where they cross the way: right, left
  bool left_end, right_end;
  CrVec3 a, b;  // the way
} View;

// The length from the root through the part seen of the way to the goal, at least. A goal on the root's side of the way is
// mirrored: the way back from the line is as long as that to the mirror image.
static double bound(const View *view, CrPlanar a, CrPlanar b, CrPlanar goal) {
  CrPlanar along = cr__planar_sub(b, a);
  double side = cr__planar_cross(along, cr__planar_sub(goal, a));
  if (side > 0.0) {
    double shift = 2.0 * side / cr__planar_dot(along, along);
    goal.x += shift * along.z;
    goal.z -= shift * along.x;
  }
  if (cr__planar_cross(view->right, goal) < 0.0) {
    return cr__planar_length(view->from) + cr__planar_length(cr__planar_sub(goal, view->from));
  }
  if (cr__planar_cross(view->left, goal) > 0.0) {
    return cr__planar_length(view->to) + cr__planar_length(cr__planar_sub(goal, view->to));
  }
  return cr__planar_length(goal);
}

static void open_interval(const Place *place, CrPolyRef target, const View *view, CrPlanar a, CrPlanar b) {
  CrExact *exact = place->exact;
  double h = bound(view, a, b, place->goal), f = place->g + h;
  if (f >= exact->goal_f) return;
  CrExactNode node = {.ref = target,
                      .left = view->left_end ? cr__planar(view->b) : view->left,
                      .right = view->right_end ? cr__planar(view->a) : view->right,
                      .g = place->g,
                      .h = h,
                      .root = place->root,
                      .parent = place->node,
                      .kind = CR_EXACT_INTERVAL,
                      .left_end = view->left_end,
                      .right_end = view->right_end};
  uint32_t index = cr__exact_add(place->query, &node);
  if (index != CR_NO_NODE) cr__exact_open(exact, index, f);
}

// A root of any kind in this polygon, `length` from the root lines come from.
static void open_root(const Place *place, CrExactKind kind, CrPolyRef fan, CrPolyRef ref, CrPlanar point, double g) {
  CrExact *exact = place->exact;
  CrPlanar left = cr__planar_sub(exact->goal, point);
  double h = cr__planar_length(left);
  // order: of two equally long ways to a root the first found stays
  if (g + h >= exact->goal_f) return;
  CrRefSlot *slot = cr__exact_root_slot(exact, kind, fan, point);
  bool known = slot->epoch == exact->roots.epoch;
  if (known && (exact->nodes[slot->index].closed || exact->nodes[slot->index].g <= g)) return;
  CrExactNode node = {.ref = ref,
                      .left = point,
                      .right = cr__planar_sub(point, place->origin),
                      .g = g,
                      .h = h,
                      .root = CR_NO_NODE,
                      .parent = place->node,
                      .kind = (uint8_t)kind};
  uint32_t index = cr__exact_add(place->query, &node);
  if (index == CR_NO_NODE) return;
  if (known) exact->nodes[slot->index].kind = CR_EXACT_DEAD;
  *slot = (CrRefSlot){fan, exact->roots.epoch, index};
  cr__exact_open(exact, index, g + h);
}

// Lines may turn at a point of the polygon's outline if there is a wall.
static void open_turn(const Place *place, CrExactKind kind, CrPlanar point) {
  double g = place->g + cr__planar_length(cr__planar_sub(point, place->origin));
  if (g >= place->exact->goal_f) return;
  CrPolyRef fan = cr__exact_fan(place->query, place->ref, point);
  if (fan) open_root(place, kind, fan, place->ref, point, g);
}

static void open_goal(const Place *place) {
  CrExact *exact = place->exact;
  double f = place->g + cr__planar_length(place->goal);
  // order: of two equally long ways to the end the first found stays
  if (f >= exact->goal_f) return;
  CrExactNode node = {.ref = place->ref, .g = f, .parent = place->node, .root = place->root, .kind = CR_EXACT_GOAL};
  uint32_t index = cr__exact_add(place->query, &node);
  if (index == CR_NO_NODE) return;
  exact->goal_f = f;
  cr__exact_open(exact, index, f);
}

// Walking within a polygon is never longer than a link that comes back to it.
static void open_exit(const Place *place, const CrWay *way) {
  if (way->target == place->ref) return;
  double walk = cr__planar_length(cr__planar_sub(cr__planar(way->a), place->origin));
  double g = place->g + walk + cr__dist(way->a, way->b);
  open_root(place, CR_EXACT_SOURCE, way->target, way->target, cr__planar(way->b), g);
}

// A way along which a line from the root runs: it has no width, but lines may turn at its ends.
static void open_beside(const Place *place, CrExactKind kind, const CrWay *way) {
  open_turn(place, kind, cr__planar(way->a));
  open_turn(place, kind, cr__planar(way->b));
}

// The side to which a line that runs along a way turns: that on which the way lies.
static CrExactKind side_of_way(CrPlanar a, CrPlanar b) {
  return cr__planar_dot(a, a) < cr__planar_dot(b, b) ? CR_EXACT_TURN_RIGHT : CR_EXACT_TURN_LEFT;
}

// --- Pushing an interval through its polygon ------------------------------------------------------------------------------

static double slack_of(CrPlanar direction) { return CR_QUERY_EPSILON * (cr__abs(direction.x) + cr__abs(direction.z)); }

typedef struct Cone {
  CrPlanar left, right;            // directions
  double left_slack, right_slack;  // sides of points nearer than epsilon to them
  bool left_shadow, right_shadow;  // there is a way out, the goal or a link in them
} Cone;

// Whether a point of the polygon (relative to the root) is in the cone, or so near its sides that rounding may have put it
// outside. One that is not inside is to be turned to.
static bool sees(Cone *cone, CrPlanar p) {
  double right = cr__planar_cross(cone->right, p), left = cr__planar_cross(cone->left, p);
  cone->right_shadow |= right < 0.0;
  cone->left_shadow |= left > 0.0;
  return right >= -cone->right_slack && left <= cone->left_slack;
}

static void push_way(const Place *place, Cone *cone, const CrWay *way) {
  CrPlanar a = cr__planar_sub(cr__planar(way->a), place->origin), b = cr__planar_sub(cr__planar(way->b), place->origin);
  double right_a = cr__planar_cross(cone->right, a), right_b = cr__planar_cross(cone->right, b);
  double left_a = cr__planar_cross(cone->left, a), left_b = cr__planar_cross(cone->left, b);
  cone->right_shadow |= right_a < 0.0 || right_b <= 0.0;
  cone->left_shadow |= left_b > 0.0 || left_a >= 0.0;
  if (cr__abs(left_a) <= cone->left_slack && cr__abs(left_b) <= cone->left_slack)
    open_beside(place, CR_EXACT_TURN_LEFT, way);
  if (cr__abs(right_a) <= cone->right_slack && cr__abs(right_b) <= cone->right_slack)
    open_beside(place, CR_EXACT_TURN_RIGHT, way);
  if (!(right_b > 0.0 && left_a < 0.0)) return;
  if (!(cr__planar_cross(a, b) > 0.0)) {
    open_beside(place, side_of_way(a, b), way);
    return;
  }
  View view = {cone->left, cone->right, a, b, left_b <= 0.0, right_a >= 0.0, way->a, way->b};
  CrPlanar along = cr__planar_sub(b, a);
  if (view.right_end) {
    view.right = a;
  } else {
    double t = right_a / (right_a - right_b);
    view.from = (CrPlanar){a.x + along.x * t, a.z + along.z * t};
  }
  if (view.left_end) {
    view.left = b;
  } else {
    double t = left_a / (left_a - left_b);
    view.to = (CrPlanar){a.x + along.x * t, a.z + along.z * t};
  }
  open_interval(place, way->target, &view, a, b);
}

static void push_interval(CrNavMeshQuery *query, uint32_t index) {
  const CrExactNode *node = &query->exact->nodes[index];
  Place place = make_place(query, node->ref, query->exact->nodes[node->parent].ref, node->root, index);
  CrPlanar left = node->left, right = node->right;
  bool left_end = node->left_end, right_end = node->right_end;
  Cone cone = {.left = left_end ? cr__planar_sub(left, place.origin) : left,
               .right = right_end ? cr__planar_sub(right, place.origin) : right};
  cone.left_slack = slack_of(cone.left);
  cone.right_slack = slack_of(cone.right);
  if (place.ref == query->exact->goal_ref && sees(&cone, place.goal)) open_goal(&place);
  CrWayList ways = cr__ways(query->mesh, place.tile, place.polygon, cr__search_filter(&query->search));
  for (CrWay way; cr__next_way(&ways, &way);) {
    if (way.target == place.from && way.kind != CR_WAY_OFF_MESH) continue;
    cr__way_ends(place.tile, place.polygon, &way);
    if (way.kind != CR_WAY_OFF_MESH) {
      push_way(&place, &cone, &way);
    } else if (sees(&cone, cr__planar_sub(cr__planar(way.a), place.origin))) {
      open_exit(&place, &way);
    }
  }
  if (cone.left_shadow && left_end) open_turn(&place, CR_EXACT_TURN_LEFT, left);
  if (cone.right_shadow && right_end) open_turn(&place, CR_EXACT_TURN_RIGHT, right);
}

// --- Lines from a root ----------------------------------------------------------------------------------------------------

// Turning about a root, one way round.
typedef struct Spread {
  CrNavMeshQuery *query;
  uint32_t root;
  CrExactKind kind;
  CrPlanar point;
  CrPlanar direction;      // turns: straight on, opened a little to the side that is not turned to
  double slack;            // sides of points nearer than epsilon to it
  bool counter_clockwise;  // the way round
  bool only_ends;          // not through ways that hold the point inside them: the other way round has taken these
  CrPolyRef first;         // the polygon it began in
  bool closed;             // it came back to it
  struct {
    CrPolyRef ref, from;
    uint32_t node;
    bool turned;  // the turn has come past the line straight on
  } branches[MAX_BRANCHES];
  uint32_t branch_count;
  bool turned;  // in the polygon being looked at
} Spread;

static bool is_turn(const Spread *spread) { return spread->kind != CR_EXACT_SOURCE; }

// How far p lies on the side that is turned to.
static double turned_to(const Spread *spread, CrPlanar p) {
  double side = cr__planar_cross(spread->direction, p);
  return spread->kind == CR_EXACT_TURN_RIGHT ? -side : side;
}

// The part of a view on the side of a turn. False when there is none, nor a way straight on.
static bool clip_to_turn(const Spread *spread, View *view, CrPlanar a, CrPlanar b) {
  double side_a = turned_to(spread, a), side_b = turned_to(spread, b), slack = spread->slack;
  if (side_a <= 0.0 && side_b <= 0.0) {
    return side_a >= -slack && side_b >= -slack && cr__planar_dot(spread->direction, a) > 0.0;
  }
  bool left = spread->kind == CR_EXACT_TURN_LEFT;
  if (left ? side_a >= 0.0 || side_b <= 0.0 : side_b >= 0.0 || side_a <= 0.0) return true;
  double t = side_a / (side_a - side_b);
  CrPlanar at = {a.x + (b.x - a.x) * t, a.z + (b.z - a.z) * t};
  if (left) {
    view->right = spread->direction;
    view->right_end = false;
    view->from = at;
  } else {
    view->left = spread->direction;
    view->left_end = false;
    view->to = at;
  }
  return true;
}

static void send_to_way(const Spread *spread, const Place *place, const CrWay *way) {
  CrPlanar a = cr__planar_sub(cr__planar(way->a), place->origin), b = cr__planar_sub(cr__planar(way->b), place->origin);
  View view = {b, a, a, b, true, true, way->a, way->b};
  if (is_turn(spread) && !clip_to_turn(spread, &view, a, b)) return;
  if (cr__planar_cross(a, b) > 0.0) {
    open_interval(place, way->target, &view, a, b);
  } else {
    open_beside(place, side_of_way(a, b), way);
  }
}

static bool same_place(CrVec3 a, CrPlanar b) {
  return cr__abs(a.x - b.x) <= CR_QUERY_EPSILON && cr__abs(a.z - b.z) <= CR_QUERY_EPSILON;
}

static bool way_holds(const CrWay *way, CrPlanar point) {
  CrVec3 p = {point.x, 0.0, point.z};
  return same_place(cr__lerp(way->a, way->b, cr__segment_t_xz(way->a, way->b, p)), point);
}

// Whether turning goes on through a way that holds the root: not back, and on a turn no farther than half round from the line
// straight on.
static bool turns_through(const Spread *spread, const CrWay *way, bool *out_turned) {
  bool at_a = same_place(way->a, spread->point), at_b = same_place(way->b, spread->point);
  *out_turned = spread->turned;
  if (spread->counter_clockwise ? at_a : at_b) return false;
  if (spread->only_ends && !at_a && !at_b) return false;
  if (!is_turn(spread)) return true;
  CrPlanar far = cr__planar_sub(cr__planar(spread->counter_clockwise ? way->a : way->b), spread->point);
  double side = turned_to(spread, far), slack = spread->slack;
  if (spread->turned && side <= slack && !(side >= -slack && cr__planar_dot(spread->direction, far) > 0.0))
    return false;
  *out_turned |= side > slack;
  return true;
}

static void turn_into(Spread *spread, const Place *place, CrPolyRef target, bool turned) {
  CrNavMeshQuery *query = spread->query;
  if (target == spread->first) {
    spread->closed = true;
    return;
  }
  if (spread->branch_count == MAX_BRANCHES) {
    query->search.out_of_nodes = true;
    return;
  }
  CrExactNode step = {.ref = target, .parent = place->node, .root = spread->root, .kind = CR_EXACT_STEP};
  uint32_t node = cr__exact_add(query, &step);
  if (node == CR_NO_NODE) return;
  spread->branches[spread->branch_count].ref = target;
  spread->branches[spread->branch_count].from = place->ref;
  spread->branches[spread->branch_count].turned = turned;
  spread->branches[spread->branch_count++].node = node;
}

static void send_into(Spread *spread, const Place *place) {
  CrNavMeshQuery *query = spread->query;
  bool repeated = spread->only_ends && place->ref == spread->first;
  if (place->ref == query->exact->goal_ref && !repeated) open_goal(place);
  CrWayList ways = cr__ways(query->mesh, place->tile, place->polygon, cr__search_filter(&query->search));
  for (CrWay way; cr__next_way(&ways, &way);) {
    cr__way_ends(place->tile, place->polygon, &way);
    if (way.kind == CR_WAY_OFF_MESH) {
      if (!repeated) open_exit(place, &way);
    } else if (way.target == place->from) {
      continue;
    } else if (way_holds(&way, spread->point)) {
      bool turned;
      if (turns_through(spread, &way, &turned)) turn_into(spread, place, way.target, turned);
    } else if (!repeated) {
      send_to_way(spread, place, &way);
    }
  }
}

static CrPlanar straight_on(const CrExactNode *root) {
  CrPlanar d = root->right;
  double open = root->kind == CR_EXACT_TURN_LEFT ? TURN_SLACK : -TURN_SLACK;
  return (CrPlanar){d.x + open * d.z, d.z - open * d.x};
}

// Returns whether the fan closed.
static bool spread_round(CrNavMeshQuery *query, uint32_t index, bool counter_clockwise, bool only_ends) {
  const CrExactNode *root = &query->exact->nodes[index];
  Spread spread = {.query = query,
                   .root = index,
                   .kind = (CrExactKind)root->kind,
                   .point = root->left,
                   .direction = straight_on(root),
                   .counter_clockwise = counter_clockwise,
                   .only_ends = only_ends,
                   .first = root->ref};
  spread.slack = slack_of(spread.direction);
  spread.branches[0].ref = root->ref;
  spread.branches[0].from = CR_INVALID_REF;
  spread.branches[0].node = index;
  spread.branches[0].turned = false;
  spread.branch_count = 1;
  for (uint32_t steps = 0; spread.branch_count > 0; steps++) {
    if (steps == MAX_SPREAD_STEPS) {
      query->search.out_of_nodes = true;
      break;
    }
    uint32_t at = --spread.branch_count;
    spread.turned = spread.branches[at].turned;
    Place place = make_place(query, spread.branches[at].ref, spread.branches[at].from, index, spread.branches[at].node);
    send_into(&spread, &place);
  }
  return spread.closed;
}

void cr__exact_expand(CrNavMeshQuery *query, uint32_t index) {
  CrExactKind kind = (CrExactKind)query->exact->nodes[index].kind;
  if (kind == CR_EXACT_INTERVAL) {
    push_interval(query, index);
  } else if (kind == CR_EXACT_SOURCE) {
    bool closed = spread_round(query, index, true, false);
    if (!closed) spread_round(query, index, false, true);
  } else {
    spread_round(query, index, kind == CR_EXACT_TURN_LEFT, false);
  }
}
