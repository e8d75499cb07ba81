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
// How much longer a way may be than another for both to count as shortest: far above the rounding of sums of lengths.
#define DETOUR_SLACK 1e-12
// Branches of one fan waiting to be turned into. Only where surfaces lie over one another at a seam is there more than one.
#define MAX_BRANCHES 32
#define MAX_SPREAD_STEPS 4096

// The polygon being looked at.
typedef struct Place {
  CrNavMeshQuery *query;
  CrExact *exact;
  const CrTile *tile;
  uint32_t polygon;
  CrPolyRef ref, from;   // from: where the lines came from; the way back is not taken
  uint32_t root, node;   // nodes: of the root, and the parent of what is found here
  CrPlanar origin;       // the root's point
  double g;              // of the root
  CrPlanar goal;         // from the root
  double goal_distance;  // from the root
} Place;

CR_ALWAYS_INLINE Place make_place(CrNavMeshQuery *query, CrPolyRef ref, CrPolyRef from, uint32_t root, uint32_t node) {
  CrExact *exact = query->exact;
  const CrExactNode *at = &exact->nodes[root];
  Place place;
  place.query = query;
  place.exact = exact;
  place.tile = cr__tile_of(query->mesh, ref);
  place.polygon = cr__ref_polygon(ref);
  place.ref = ref;
  place.from = from;
  place.root = root;
  place.node = node;
  place.origin = at->left;
  place.g = at->g;
  place.goal = cr__planar_sub(exact->goal, at->left);
  place.goal_distance = at->h;
  return place;
}

// A way out: its ends as they are, and as seen from the root.
typedef struct Exit {
  CrPolyRef target;
  CrPlanar a, b;
  CrPlanar from_a, from_b;
  uint32_t corner_a, corner_b;  // of the polygon, CR_NO_CORNER for portals
} Exit;

CR_ALWAYS_INLINE Exit make_exit(const Place *place, CrPolyRef target, CrVec3 a, CrVec3 b) {
  Exit way = {target, cr__planar(a), cr__planar(b), {0.0, 0.0}, {0.0, 0.0}, CR_NO_CORNER, CR_NO_CORNER};
  way.from_a = cr__planar_sub(way.a, place->origin);
  way.from_b = cr__planar_sub(way.b, place->origin);
  return way;
}

// A polygon with no way but the one back, where nothing is looked for.
CR_ALWAYS_INLINE bool is_dead_end(const Place *place, uint32_t polygon, CrPolyRef ref) {
  const CrTile *tile = place->tile;
  return tile->edge_ways[tile->polygon_first[polygon] + 1] == CR_NO_EDGE_WAY &&
         tile->link_first[polygon] == tile->link_first[polygon + 1] && ref != place->exact->goal_ref;
}

// The next accepted way over an edge from the polygon's corner `*at` on, the way back and dead ends left out.
CR_ALWAYS_INLINE bool next_edge_exit(const Place *place, const CrQueryFilter *filter, uint32_t *at, Exit *out) {
  const CrTile *tile = place->tile;
  uint32_t first = tile->polygon_first[place->polygon], end = tile->polygon_first[place->polygon + 1];
  const uint32_t *corners = tile->corner_vertex + first;
  CrPolyRef tile_ref = place->ref - place->polygon;
  for (uint32_t i = *at; i < end && tile->edge_ways[i] != CR_NO_EDGE_WAY; i++) {
    uint32_t packed = tile->edge_ways[i], neighbour = cr__edge_way_polygon(packed);
    CrPolyRef target = tile_ref | neighbour;
    if (target == place->from || !cr__accepts_polygon(filter, tile, neighbour)) continue;
    if (is_dead_end(place, neighbour, target)) continue;
    uint32_t from = cr__edge_way_edge(packed), to = cr__edge_way_end(packed);
    *out = make_exit(place, target, tile->vertices[corners[from]], tile->vertices[corners[to]]);
    out->corner_a = from;
    out->corner_b = to;
    *at = i + 1;
    return true;
  }
  return false;
}

// --- Nodes ----------------------------------------------------------------------------------------------------------------

// What is seen of a way, as directions from the root and the sides of the way's ends against them. A side that is not
// an end of the way cuts it.
typedef struct View {
  CrPlanar left, right;
  double left_a, left_b, right_a, right_b;
  bool left_end, right_end;
} View;

// The length from the root through the part seen of the way to the goal, at least. A goal on the root's side of the way is
// mirrored: the way back from the line is as long as that to the mirror image. Which of the cases it is nobody foresees, so
// the point on the way where a line bends is looked up and not branched on (a line straight on bends at the root).
CR_ALWAYS_INLINE double bound(const Place *place, const View *view, const Exit *way) {
  CrPlanar along = cr__planar_sub(way->b, way->a), goal = place->goal;
  double side = cr__planar_cross(along, cr__planar_sub(goal, way->from_a));
  double shift = 2.0 * cr__max(side, 0.0) / cr__planar_dot(along, along);
  goal.x += shift * along.z;
  goal.z -= shift * along.x;
  unsigned past_right = cr__planar_cross(view->right, goal)<0.0, past_left = cr__planar_cross(view->left, goal)> 0.0;
  unsigned which = past_right ? 1 : 2 * past_left;
  // Where a side cuts the way, from a: at a or b when it goes through that.
  double right = cr__min(view->right_a, 0.0), left = cr__max(view->left_b, 0.0);
  const double part[3] = {0.0, right, view->left_a}, whole[3] = {1.0, right - view->right_b, view->left_a - left};
  const CrPlanar from[3] = {{0.0, 0.0}, way->from_a, way->from_a};
  double t = part[which] / whole[which];
  CrPlanar bend = {from[which].x + along.x * t, from[which].z + along.z * t};
  return cr__planar_length(bend) + cr__planar_length(cr__planar_sub(goal, bend));
}

CR_ALWAYS_INLINE void open_interval(const Place *place, const Exit *way, const View *view) {
  CrExact *exact = place->exact;
  double h = bound(place, view, way), f = place->g + h;
  if (f >= exact->goal_f) return;
  uint32_t index = cr__exact_next(place->query);
  if (index == CR_NO_NODE) return;
  CrExactNode *node = &exact->nodes[index];
  node->ref = way->target;
  const CrPlanar lefts[2] = {view->left, way->b}, rights[2] = {view->right, way->a};
  node->left = lefts[view->left_end];
  node->right = rights[view->right_end];
  node->g = place->g;
  node->h = h;
  node->root = place->root;
  node->parent = place->node;
  node->kind = CR_EXACT_INTERVAL;
  node->left_corner = way->corner_b;
  node->right_corner = way->corner_a;
  node->left_end = view->left_end;
  node->right_end = view->right_end;
  node->closed = false;
  cr__exact_open(exact, index, f);
}

// A root of any kind in polygon `ref`, reached over a length of g.
static void open_root(const Place *place, CrExactKind kind, CrPolyRef fan, CrPolyRef ref, CrPlanar point, double g) {
  CrExact *exact = place->exact;
  double h = cr__planar_length(cr__planar_sub(exact->goal, point));
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

// Whether a point of the polygon is nearer by way of the root noted for it: within a polygon one walks straight. Longer by
// more than rounding, that is: then no shortest line comes here this way.
CR_ALWAYS_INLINE bool is_detour(const Place *place, CrPlanar point, double g) {
  const CrExact *exact = place->exact;
  const CrRefSlot *slot = cr__table_slot(&place->exact->places, place->ref);
  if (slot->epoch != exact->places.epoch) return false;
  const CrExactNode *root = &exact->nodes[slot->index];
  return g > (root->g + cr__planar_length(cr__planar_sub(point, root->left))) * (1.0 + DETOUR_SLACK);
}

// Lines may turn at a point of the polygon's outline if there is a wall.
// `corner` is one of polygon `ref`, of the same fan.
static void open_turn(const Place *place, CrExactKind kind, CrPlanar point, CrPolyRef ref, uint32_t corner) {
  CrPolyRef fan = cr__exact_fan(place->query, ref, corner, point);
  if (!fan) return;
  double g = place->g + cr__planar_length(cr__planar_sub(point, place->origin));
  if (g < place->exact->goal_f && !is_detour(place, point, g)) open_root(place, kind, fan, place->ref, point, g);
}

static void open_goal(const Place *place) {
  CrExact *exact = place->exact;
  double f = place->g + place->goal_distance;
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
static void open_beside(const Place *place, CrExactKind kind, const Exit *way) {
  open_turn(place, kind, way->a, place->ref, way->corner_a);
  open_turn(place, kind, way->b, place->ref, way->corner_b);
}

// The side to which a line that runs along a way turns: that on which the way lies.
static CrExactKind side_of_way(const Exit *way) {
  return cr__planar_dot(way->from_a, way->from_a) < cr__planar_dot(way->from_b, way->from_b) ? CR_EXACT_TURN_RIGHT
                                                                                             : CR_EXACT_TURN_LEFT;
}

// --- Turning back at a seam -----------------------------------------------------------------------------------------------

// Polygons of two storeys may meet one polygon of the next tile over the same piece of seam. A line that comes from one of them
// may turn back there into the other: how far along the seam it does nobody can say by the sides of mesh points, so it turns
// at the ends of the piece, and in all directions. Such a walk is as short as those that turn there, no more.

// The piece of seam over which the polygon joins both the one the lines came from and `target`. False: none.
static bool shared_piece(const Place *place, CrPolyRef target, CrPlanar ends[2]) {
  const CrTile *tile = place->tile;
  const CrLink *first = tile->links + tile->link_first[place->polygon];
  const CrLink *end = tile->links + tile->link_first[place->polygon + 1];
  for (const CrLink *m = first; m < end && m->edge != CR_LINK_NO_EDGE; m++) {
    if (m->target != place->from) continue;
    for (const CrLink *n = first; n < end && n->edge <= m->edge; n++) {
      if (n->target != target || n->edge != m->edge) continue;
      CrPlanar a = cr__planar(m->a), b = cr__planar(m->b), c = cr__planar(n->a), d = cr__planar(n->b);
      CrPlanar along = cr__planar_sub(b, a);
      ends[0] = cr__planar_dot(along, cr__planar_sub(c, a)) > 0.0 ? c : a;
      ends[1] = cr__planar_dot(along, cr__planar_sub(d, b)) < 0.0 ? d : b;
      if (cr__planar_dot(along, cr__planar_sub(ends[1], ends[0])) > 0.0) return true;
    }
  }
  return false;
}

static void open_back(const Place *place, CrPolyRef target, CrPlanar point) {
  double g = place->g + cr__planar_length(cr__planar_sub(point, place->origin));
  open_root(place, CR_EXACT_SOURCE, target, target, point, g);
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

// The way lies on the line that bounds the cone.
static bool runs_along(double side_a, double side_b, double slack) {
  return cr__abs(side_a) <= slack && cr__abs(side_b) <= slack;
}

// What is seen of a way that is not plainly within the cone: nothing, or next to nothing. Returns whether it makes an interval.
static bool look_along_sides(const Place *place, const Cone *cone, const View *view, const Exit *way) {
  if (runs_along(view->left_a, view->left_b, cone->left_slack)) open_beside(place, CR_EXACT_TURN_LEFT, way);
  if (runs_along(view->right_a, view->right_b, cone->right_slack)) open_beside(place, CR_EXACT_TURN_RIGHT, way);
  return view->right_b > 0.0 && view->left_a < 0.0;
}

CR_ALWAYS_INLINE void push_way(const Place *place, Cone *cone, Exit way) {
  View view = {.left = cone->left, .right = cone->right};
  view.right_a = cr__planar_cross(cone->right, way.from_a);
  view.right_b = cr__planar_cross(cone->right, way.from_b);
  view.left_a = cr__planar_cross(cone->left, way.from_a);
  view.left_b = cr__planar_cross(cone->left, way.from_b);
  cone->right_shadow |= view.right_a < 0.0 || view.right_b <= 0.0;
  cone->left_shadow |= view.left_b > 0.0 || view.left_a >= 0.0;
  bool plainly = (view.left_a < -cone->left_slack) & (view.right_b > cone->right_slack);
  if (!plainly && !look_along_sides(place, cone, &view, &way)) return;
  if (!(cr__planar_cross(way.from_a, way.from_b) > 0.0)) {
    open_beside(place, side_of_way(&way), &way);
    return;
  }
  view.left_end = view.left_b <= 0.0;
  view.right_end = view.right_a >= 0.0;
  const CrPlanar lefts[2] = {cone->left, way.from_b}, rights[2] = {cone->right, way.from_a};
  view.left = lefts[view.left_end];
  view.right = rights[view.right_end];
  open_interval(place, &way, &view);
}

static void push_back(const Place *place, Cone *cone, CrPolyRef target) {
  CrPlanar ends[2];
  if (!shared_piece(place, target, ends)) return;
  for (int i = 0; i < 2; i++) {
    if (sees(cone, cr__planar_sub(ends[i], place->origin))) open_back(place, target, ends[i]);
  }
}

static void push_off_mesh(const Place *place, Cone *cone, const CrQueryFilter *filter, uint32_t first) {
  CrWayList ways = cr__ways(place->query->mesh, place->tile, place->polygon, filter);
  ways.link = first;
  for (CrWay way; cr__next_link_way(&ways, &way);) {
    cr__link_ends(place->tile, place->polygon, &way);
    if (sees(cone, cr__planar_sub(cr__planar(way.a), place->origin))) open_exit(place, &way);
  }
}

CR_ALWAYS_INLINE void push_links(const Place *place, Cone *cone, const CrQueryFilter *filter) {
  const CrTile *tile = place->tile;
  uint32_t i = tile->link_first[place->polygon], end = tile->link_first[place->polygon + 1];
  for (; i < end && tile->links[i].edge != CR_LINK_NO_EDGE; i++) {
    const CrLink *link = &tile->links[i];
    if (link->target == place->from || link->part == CR_LINK_LATER) continue;
    const CrTile *target = cr__tile_of(place->query->mesh, link->target);
    if (!cr__accepts_polygon(filter, target, cr__ref_polygon(link->target))) continue;
    CrWay way = {
        .kind = CR_WAY_PORTAL, .edge = link->edge, .link = i, .target = link->target, .a = link->a, .b = link->b};
    if (link->part != CR_LINK_ALONE) cr__link_ends(tile, place->polygon, &way);
    Exit exit = make_exit(place, way.target, way.a, way.b);
    if (!(cr__planar_cross(exit.from_a, exit.from_b) > 0.0)) push_back(place, cone, way.target);
    push_way(place, cone, exit);
  }
  if (i < end) push_off_mesh(place, cone, filter, i);
}

CR_ALWAYS_INLINE void push_edges(const Place *place, Cone *cone, const CrQueryFilter *filter) {
  uint32_t at = place->tile->polygon_first[place->polygon];
  for (Exit way; next_edge_exit(place, filter, &at, &way);) push_way(place, cone, way);
}

CR_ALWAYS_INLINE void push_interval(CrNavMeshQuery *query, uint32_t index, const CrQueryFilter *filter) {
  const CrExactNode *node = &query->exact->nodes[index];
  Place place = make_place(query, node->ref, query->exact->nodes[node->parent].ref, node->root, index);
  CrPlanar left = node->left, right = node->right;
  bool left_end = node->left_end, right_end = node->right_end;
  uint32_t left_corner = node->left_corner, right_corner = node->right_corner;
  Cone cone = {.left = left_end ? cr__planar_sub(left, place.origin) : left,
               .right = right_end ? cr__planar_sub(right, place.origin) : right};
  cone.left_slack = slack_of(cone.left);
  cone.right_slack = slack_of(cone.right);
  if (place.ref == query->exact->goal_ref && sees(&cone, place.goal)) open_goal(&place);
  push_edges(&place, &cone, filter);
  push_links(&place, &cone, filter);
  // Of the polygon left where they are corners of it, else of this one.
  CrPolyRef left_ref = left_corner == CR_NO_CORNER ? place.ref : place.from;
  CrPolyRef right_ref = right_corner == CR_NO_CORNER ? place.ref : place.from;
  if (cone.left_shadow && left_end) open_turn(&place, CR_EXACT_TURN_LEFT, left, left_ref, left_corner);
  if (cone.right_shadow && right_end) open_turn(&place, CR_EXACT_TURN_RIGHT, right, right_ref, right_corner);
}

// --- Lines from a root ----------------------------------------------------------------------------------------------------

typedef struct Branch {
  CrPolyRef ref, from;
  uint32_t node;
  bool turned;  // the turn has come past the line straight on
} Branch;

// Turning about a root, one way round.
typedef struct Spread {
  CrNavMeshQuery *query;
  uint32_t root;
  CrExactKind kind;
  CrPlanar direction;      // turns: straight on, opened a little to the side that is not turned to
  double slack;            // sides of points nearer than epsilon to it
  bool counter_clockwise;  // the way round
  // The first polygon has been looked at, and what lies behind ways that hold the point inside them.
  bool second_round;
  uint32_t other_from, other_to;  // nodes made on the first round
  CrPolyRef first;                // the polygon it began in
  Branch *branches;               // polygons to turn into
  uint32_t branch_count;
  bool turned;  // in the polygon being looked at
} Spread;

static bool is_turn(const Spread *spread) { return spread->kind != CR_EXACT_SOURCE; }

// How far p lies on the side that is turned to.
static double turned_to(const Spread *spread, CrPlanar p) {
  double side = cr__planar_cross(spread->direction, p);
  return spread->kind == CR_EXACT_TURN_RIGHT ? -side : side;
}

// The part of a view on the side of a turn. False when there is none, nor a way straight on or straight back.
static bool clip_to_turn(const Spread *spread, View *view, const Exit *way) {
  double side_a = turned_to(spread, way->from_a), side_b = turned_to(spread, way->from_b), slack = spread->slack;
  if (side_a <= 0.0 && side_b <= 0.0) return side_a >= -slack && side_b >= -slack;
  if (spread->kind == CR_EXACT_TURN_LEFT && side_a < 0.0 && side_b > 0.0) {
    view->right = spread->direction;
    view->right_a = side_a;
    view->right_b = side_b;
    view->right_end = false;
  } else if (spread->kind == CR_EXACT_TURN_RIGHT && side_b < 0.0 && side_a > 0.0) {
    view->left = spread->direction;
    view->left_a = -side_a;
    view->left_b = -side_b;
    view->left_end = false;
  }
  return true;
}

static void send_to_way(const Spread *spread, const Place *place, const Exit *way) {
  View view = {way->from_b, way->from_a, -1.0, 0.0, 0.0, 1.0, true, true};
  if (is_turn(spread) && !spread->turned && !clip_to_turn(spread, &view, way)) return;
  if (cr__planar_cross(way->from_a, way->from_b) > 0.0) {
    open_interval(place, way, &view);
  } else {
    open_beside(place, side_of_way(way), way);
  }
}

// Whether a point (from the root) is the root.
CR_ALWAYS_INLINE bool is_root(CrPlanar p) {
  return cr__abs(p.x) <= CR_QUERY_EPSILON && cr__abs(p.z) <= CR_QUERY_EPSILON;
}

// Whether the root lies on the way. Most ways are far from it, which their ends' directions tell first.
CR_ALWAYS_INLINE bool holds_root(const Exit *way) {
  CrPlanar along = cr__planar_sub(way->from_b, way->from_a);
  double doubled_area = cr__abs(cr__planar_cross(way->from_a, way->from_b));
  if (doubled_area > 4.0 * slack_of(along)) return false;
  double t = -cr__planar_dot(way->from_a, along) / cr__planar_dot(along, along);
  t = cr__clamp(t, 0.0, 1.0);
  CrPlanar nearest = {way->from_a.x + along.x * t, way->from_a.z + along.z * t};
  return is_root(nearest);
}

// Whether turning goes on through a way that holds the root: not back. All that lies behind a way whose far end is past the line
// straight on is past it too, however far round.
static bool turns_through(const Spread *spread, const Exit *way, bool repeated, bool *out_turned) {
  bool at_a = is_root(way->from_a), at_b = is_root(way->from_b);
  CrPlanar far = spread->counter_clockwise ? way->from_a : way->from_b;
  *out_turned = spread->turned || (is_turn(spread) && turned_to(spread, far) > spread->slack);
  if (spread->counter_clockwise ? at_a : at_b) return false;
  return !repeated || at_a || at_b;
}

// Whether the turn has been in a polygon since it began, this way round or, before it, the other.
static bool has_turned_through(const Spread *spread, const Place *place, CrPolyRef target) {
  const CrExactNode *nodes = place->exact->nodes, *node = &nodes[place->node];
  for (; node->kind == CR_EXACT_STEP; node = &nodes[node->parent]) {
    if (node->ref == target) return true;
  }
  for (uint32_t i = spread->other_from; i < spread->other_to; i++) {
    const CrExactNode *other = &nodes[i];
    if (other->kind == CR_EXACT_STEP && other->root == spread->root && other->ref == target) return true;
  }
  return node->ref == target;
}

static void turn_into(Spread *spread, const Place *place, CrPolyRef target, bool turned) {
  CrNavMeshQuery *query = spread->query;
  if (has_turned_through(spread, place, target)) return;
  if (spread->branch_count == MAX_BRANCHES) {
    query->search.out_of_nodes = true;
    return;
  }
  CrExactNode step = {.ref = target, .parent = place->node, .root = spread->root, .kind = CR_EXACT_STEP};
  uint32_t node = cr__exact_add(query, &step);
  if (node == CR_NO_NODE) return;
  spread->branches[spread->branch_count++] = (Branch){target, place->ref, node, turned};
}

static void send_back(const Place *place, const Exit *way) {
  CrPlanar ends[2];
  if (!shared_piece(place, way->target, ends)) return;
  if (holds_root(way)) open_back(place, way->target, place->origin);
  for (int i = 0; i < 2; i++) open_back(place, way->target, ends[i]);
}

static void send_to_exit(Spread *spread, const Place *place, const Exit *way, bool repeated) {
  bool turned;
  if (holds_root(way)) {
    if (turns_through(spread, way, repeated, &turned)) turn_into(spread, place, way->target, turned);
  } else if (!repeated) {
    send_to_way(spread, place, way);
  }
}

// order: the first root stays
static void note_place(const Place *place) {
  CrRefTable *places = &place->exact->places;
  CrRefSlot *slot = cr__table_slot(places, place->ref);
  if (slot->epoch != places->epoch) *slot = (CrRefSlot){place->ref, places->epoch, place->root};
}

static void send_over_edges(Spread *spread, const Place *place, const CrQueryFilter *filter, bool repeated) {
  uint32_t at = place->tile->polygon_first[place->polygon];
  for (Exit way; next_edge_exit(place, filter, &at, &way);) send_to_exit(spread, place, &way, repeated);
}

static void send_over_links(Spread *spread, const Place *place, const CrQueryFilter *filter, bool repeated) {
  CrWayList ways = cr__ways(spread->query->mesh, place->tile, place->polygon, filter);
  for (CrWay way; cr__next_link_way(&ways, &way);) {
    cr__link_ends(place->tile, place->polygon, &way);
    if (way.kind == CR_WAY_OFF_MESH) {
      if (!repeated) open_exit(place, &way);
      continue;
    }
    Exit out = make_exit(place, way.target, way.a, way.b);
    if (way.target == place->from) continue;
    send_back(place, &out);
    send_to_exit(spread, place, &out, repeated);
  }
}

static void send_into(Spread *spread, const Place *place) {
  CrNavMeshQuery *query = spread->query;
  const CrQueryFilter *filter = cr__search_filter(&query->search);
  const CrTile *tile = place->tile;
  bool repeated = spread->second_round && place->ref == spread->first;
  if (place->ref == query->exact->goal_ref && !repeated) open_goal(place);
  note_place(place);
  send_over_edges(spread, place, filter, repeated);
  if (tile->link_first[place->polygon] < tile->link_first[place->polygon + 1]) {
    send_over_links(spread, place, filter, repeated);
  }
}

static CrPlanar straight_on(const CrExactNode *root) {
  CrPlanar d = root->right;
  double open = root->kind == CR_EXACT_TURN_LEFT ? TURN_SLACK : -TURN_SLACK;
  return (CrPlanar){d.x + open * d.z, d.z - open * d.x};
}

// `made`: on a second round, how many nodes there were before the first.
static void spread_round(CrNavMeshQuery *query, uint32_t index, bool counter_clockwise, bool second_round,
                         uint32_t made) {
  const CrExactNode *root = &query->exact->nodes[index];
  Spread spread = {.query = query,
                   .root = index,
                   .kind = (CrExactKind)root->kind,
                   .direction = straight_on(root),
                   .counter_clockwise = counter_clockwise,
                   .second_round = second_round,
                   .other_from = made,
                   .other_to = second_round ? query->exact->count : made,
                   .first = root->ref};
  Branch branches[MAX_BRANCHES];
  branches[0] = (Branch){root->ref, CR_INVALID_REF, index, false};
  spread.slack = slack_of(spread.direction);
  spread.branches = branches;
  spread.branch_count = 1;
  for (uint32_t steps = 0; spread.branch_count > 0; steps++) {
    if (steps == MAX_SPREAD_STEPS) {
      query->search.out_of_nodes = true;
      break;
    }
    Branch branch = branches[--spread.branch_count];
    spread.turned = branch.turned;
    Place place = make_place(query, branch.ref, branch.from, index, branch.node);
    send_into(&spread, &place);
  }
}

void cr__exact_expand(CrNavMeshQuery *query, uint32_t index) {
  CrExactKind kind = (CrExactKind)query->exact->nodes[index].kind;
  if (kind == CR_EXACT_INTERVAL && query->search.has_filter) {
    push_interval(query, index, &query->search.filter);
  } else if (kind == CR_EXACT_INTERVAL) {
    push_interval(query, index, NULL);  // a copy of the loop that knows that nothing is to be asked
  } else if (kind == CR_EXACT_SOURCE) {
    uint32_t made = query->exact->count;
    spread_round(query, index, true, false, made);
    spread_round(query, index, false, true, made);
  } else {
    spread_round(query, index, kind == CR_EXACT_TURN_LEFT, false, 0);
  }
}
