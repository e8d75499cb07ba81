// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Walking a straight line over the surface, polygon by polygon, in the horizontal plane. Polygons are closed sets: a line
// through a vertex goes on in any polygon around the vertex that it enters and that can be reached by turning about the
// vertex through accepted polygons. Robust by construction: where the line leaves a polygon is decided by the sides of
// the polygon's vertices (within CR_QUERY_EPSILON they are on the line), which are the same numbers in every polygon that
// shares a vertex, and never by the point reached so far.
#include "query_internal.h"

// Turning about a vertex never needs more steps in a real mesh; it bounds the walk on a damaged one.
#define MAX_TURN_STEPS 4096

CrLine cr__line(CrVec3 from, CrVec3 to) {
  double dx = to.x - from.x, dz = to.z - from.z, length = cr__sqrt(dx * dx + dz * dz);
  if (!(length > 0.0)) return (CrLine){from.x, from.z, 0.0, 0.0, 0.0};
  return (CrLine){from.x, from.z, dx / length, dz / length, length};
}

static inline double side_of(const CrLine *line, CrVec3 p) {
  return line->dx * (p.z - line->z) - line->dz * (p.x - line->x);
}
static inline double along_of(const CrLine *line, CrVec3 p) {
  return line->dx * (p.x - line->x) + line->dz * (p.z - line->z);
}

typedef struct ExitSearch {
  const CrLine *line;
  CrLineExit best;
  bool found;
  uint32_t nearest;  // vertex nearest to the line, for a polygon the line misses
  double nearest_side;
} ExitSearch;

static void offer(ExitSearch *search, double t, bool at_vertex, uint32_t index, CrVec3 point) {
  if (search->found && t <= search->best.t) return;
  search->found = true;
  search->best = (CrLineExit){t, at_vertex, index, point};
}

// The line leaves through edge a -> b when a is strictly right and b strictly left of it.
static void offer_edge(ExitSearch *search, uint32_t edge, CrVec3 a, CrVec3 b, double side_a, double side_b) {
  if (!(side_a < -CR_QUERY_EPSILON && side_b > CR_QUERY_EPSILON)) return;
  CrVec3 point = cr__lerp(a, b, side_a / (side_a - side_b));
  offer(search, along_of(search->line, point), false, edge, point);
}

static void offer_vertex(ExitSearch *search, uint32_t vertex, CrVec3 p, double side) {
  double distance = cr__abs(side);
  if (distance < search->nearest_side) {
    search->nearest_side = distance;
    search->nearest = vertex;
  }
  if (distance <= CR_QUERY_EPSILON) offer(search, along_of(search->line, p), true, vertex, p);
}

CrLineExit cr__line_exit(const CrTile *tile, uint32_t polygon, const CrLine *line) {
  ExitSearch search = {line, {0.0, true, 0, {0.0, 0.0, 0.0}}, false, 0, 1e300};
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  CrVec3 previous = cr__polygon_vertex(tile, polygon, count - 1);
  double previous_side = side_of(line, previous);
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 p = cr__polygon_vertex(tile, polygon, k);
    double side = side_of(line, p);
    offer_vertex(&search, k, p, side);
    offer_edge(&search, k == 0 ? count - 1 : k - 1, previous, p, previous_side, side);
    previous = p;
    previous_side = side;
  }
  if (!search.found) {
    CrVec3 p = cr__polygon_vertex(tile, polygon, search.nearest);
    offer(&search, along_of(line, p), true, search.nearest, p);
  }
  return search.best;
}

// --- Crossing one edge ----------------------------------------------------------------------------------------------------

// Which part of an edge is asked for around a point on it: all that comes within the tolerance, what lies just before the
// point, or just behind it.
typedef enum EdgePart { PART_AT, PART_BEFORE, PART_BEHIND } EdgePart;

static bool link_covers(const CrLink *link, CrVec3 a, CrVec3 b, CrVec3 point, EdgePart part) {
  CrLine edge = cr__line(a, b);
  double at = along_of(&edge, point), low = along_of(&edge, link->a), high = along_of(&edge, link->b);
  if (part == PART_BEFORE) return low < at - CR_PORTAL_EPSILON && at <= high + CR_PORTAL_EPSILON;
  if (part == PART_BEHIND) return low <= at + CR_PORTAL_EPSILON && at + CR_PORTAL_EPSILON < high;
  return low - CR_PORTAL_EPSILON <= at && at <= high + CR_PORTAL_EPSILON;
}
// How far the point lies beyond the ends of a link, 0 within.
static double beyond_link(const CrLink *link, CrVec3 a, CrVec3 b, CrVec3 point) {
  CrLine edge = cr__line(a, b);
  double at = along_of(&edge, point);
  return cr__max(cr__max(along_of(&edge, link->a) - at, at - along_of(&edge, link->b)), 0.0);
}

// The accepted polygon behind an edge at a point, or CR_INVALID_REF.
// order: the portal whose ends the point is least beyond, then the first in the polygon's table
static CrPolyRef behind_edge(const CrWalk *walk, const CrTile *tile, uint32_t polygon, uint32_t edge, CrVec3 point,
                             EdgePart part) {
  uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + edge];
  if (cr__is_neighbour_polygon(neighbour)) {
    bool accepted = cr__accepts_polygon(walk->filter, tile, neighbour);
    return accepted ? cr__tile_ref(walk->mesh, tile, neighbour) : CR_INVALID_REF;
  }
  if (!cr__is_border(neighbour)) return CR_INVALID_REF;
  CrVec3 a, b;
  CrPolyRef best = CR_INVALID_REF;
  double least = 1e300;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge != edge || !link_covers(link, a, b, point, part)) continue;
    const CrTile *target = cr__tile_of(walk->mesh, link->target);
    if (!cr__accepts_polygon(walk->filter, target, cr__ref_polygon(link->target))) continue;
    double beyond = beyond_link(link, a, b, point);
    if (beyond < least) least = beyond, best = link->target;
    if (beyond <= 0.0) break;
  }
  return best;
}

// --- Turning about a vertex -----------------------------------------------------------------------------------------------

// A polygon on whose outline a point lies: at one of its vertices, or inside an edge (at a seam between tiles).
typedef struct Spot {
  const CrTile *tile;
  uint32_t polygon;
  bool at_vertex;
  uint32_t index;  // of the vertex or edge
} Spot;

static Spot locate(const CrTile *tile, uint32_t polygon, CrVec3 point) {
  Spot spot = {tile, polygon, true, 0};
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  double best = 1e300;
  for (uint32_t k = 0; k < count; k++) {
    double distance = cr__dist2_xz(cr__polygon_vertex(tile, polygon, k), point);
    if (distance < best) best = distance, spot.index = k;
  }
  if (best <= 4.0 * CR_PORTAL_EPSILON * CR_PORTAL_EPSILON) return spot;
  spot.at_vertex = false;
  best = 1e300;
  for (uint32_t k = 0; k < count; k++) {
    CrVec3 a, b;
    cr__polygon_edge(tile, polygon, k, &a, &b);
    double distance = cr__dist2_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, point)), point);
    if (distance < best) best = distance, spot.index = k;
  }
  return spot;
}

// The side of the polygon met when turning about the point: counter-clockwise it is the edge that ends there.
static uint32_t turn_edge(const Spot *spot, bool counter_clockwise) {
  if (!spot->at_vertex || !counter_clockwise) return spot->index;
  return spot->index == 0 ? cr__polygon_vertex_count(spot->tile, spot->polygon) - 1 : spot->index - 1;
}

static CrPolyRef next_around(const CrWalk *walk, const Spot *spot, CrVec3 point, bool counter_clockwise) {
  uint32_t edge = turn_edge(spot, counter_clockwise);
  return behind_edge(walk, spot->tile, spot->polygon, edge, point, counter_clockwise ? PART_BEFORE : PART_BEHIND);
}

typedef struct Turn {
  int32_t steps;  // polygons entered until the one that goes on, or until the wall
  bool goes_on;   // the last of them contains more of the line
  bool closed;    // came back to the polygon it began with: no wall on this side
  Spot last;
} Turn;

// Turns about `point` until a polygon goes on along the line, or a wall.
static Turn turn_about(const CrWalk *walk, CrVec3 point, bool counter_clockwise) {
  Turn turn = {0, false, false, locate(walk->tile, walk->polygon, point)};
  double here = cr__max(along_of(&walk->line, point), walk->reach);
  while (turn.steps < MAX_TURN_STEPS) {
    CrPolyRef ref = next_around(walk, &turn.last, point, counter_clockwise);
    if (!ref) return turn;
    const CrTile *tile = cr__tile_of(walk->mesh, ref);
    uint32_t polygon = cr__ref_polygon(ref);
    turn.closed = tile == walk->tile && polygon == walk->polygon;
    if (turn.closed) return turn;
    turn.steps++;
    turn.last = locate(tile, polygon, point);
    turn.goes_on = cr__line_exit(tile, polygon, &walk->line).t > here + CR_QUERY_EPSILON;
    if (turn.goes_on) return turn;
  }
  return turn;
}

// --- The trail ------------------------------------------------------------------------------------------------------------

// Enters a polygon: appends it, or cuts the trail back to where it was met before. False when there is no room.
static bool enter(CrWalk *walk, CrPolyRef ref) {
  CrTrail *trail = walk->trail;
  int32_t at = trail->count;
  if (trail->may_loop) {
    for (int32_t i = trail->count - 1; i >= 0 && at == trail->count; i--) {
      if (trail->refs[i] == ref) at = i;
    }
  }
  if (at == trail->capacity) {
    trail->full = true;
    return false;
  }
  trail->refs[at] = ref;
  trail->count = at + 1;
  walk->tile = cr__tile_of(walk->mesh, ref);
  walk->polygon = cr__ref_polygon(ref);
  return true;
}

// Takes the steps of a turn that was tried before.
static bool follow_turn(CrWalk *walk, CrVec3 point, const Turn *turn, bool counter_clockwise) {
  walk->trail->may_loop = true;
  for (int32_t i = 0; i < turn->steps; i++) {
    Spot spot = locate(walk->tile, walk->polygon, point);
    if (!enter(walk, next_around(walk, &spot, point, counter_clockwise))) return false;
  }
  return true;
}

// --- Walls ----------------------------------------------------------------------------------------------------------------

// Unit direction of an edge.
static void edge_direction(const CrTile *tile, uint32_t polygon, uint32_t edge, double *out_x, double *out_z) {
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  CrLine line = cr__line(a, b);
  *out_x = line.dx;
  *out_z = line.dz;
}

static CrWalkStep meet_edge(CrWalk *walk, uint32_t edge) {
  walk->wall_edge = edge;
  edge_direction(walk->tile, walk->polygon, edge, &walk->wall_dx, &walk->wall_dz);
  double dot = walk->line.dx * walk->wall_dx + walk->line.dz * walk->wall_dz;
  double sign = dot > 0.0 ? 1.0 : dot < 0.0 ? -1.0 : 0.0;
  walk->slide_x = sign * walk->wall_dx;
  walk->slide_z = sign * walk->wall_dz;
  return CR_WALK_WALL;
}

// How far one unit of the line's direction carries along the wall that ends a turn, away from the vertex.
static double slide_gain(const CrWalk *walk, const Turn *turn, bool counter_clockwise) {
  double x, z;
  edge_direction(turn->last.tile, turn->last.polygon, turn_edge(&turn->last, counter_clockwise), &x, &z);
  double dot = walk->line.dx * x + walk->line.dz * z;
  return counter_clockwise ? -dot : dot;  // counter-clockwise the wall edge ends at the vertex
}

// How much the wall that ends a turn faces the line: its normal into the mesh against the line's direction.
static double facing(const CrWalk *walk, const Turn *turn, bool counter_clockwise) {
  double x, z;
  edge_direction(turn->last.tile, turn->last.polygon, turn_edge(&turn->last, counter_clockwise), &x, &z);
  return walk->line.dx * z - walk->line.dz * x;
}

// No polygon around the vertex goes on. The walls on both sides of it end the free cone about it; sliding goes along the one
// that carries farther, and of two that carry nowhere the one that faces the line more is reported.
// order: the counter-clockwise wall on a tie
static CrWalkStep meet_vertex(CrWalk *walk, CrVec3 point, const Turn turns[2]) {
  bool right = false;  // the clockwise turn's wall
  if (turns[0].closed || turns[1].closed) {
    walk->wall_edge = turn_edge(&turns[0].last, true);
    walk->wall_dx = walk->wall_dz = walk->slide_x = walk->slide_z = 0.0;
    return CR_WALK_WALL;
  }
  double gain_left = slide_gain(walk, &turns[0], true), gain_right = slide_gain(walk, &turns[1], false);
  if (gain_left > 0.0 || gain_right > 0.0) {
    right = gain_right > gain_left;
  } else {
    right = facing(walk, &turns[1], false) > facing(walk, &turns[0], true);
  }
  double gain = right ? gain_right : gain_left;
  if (!follow_turn(walk, point, &turns[right], !right)) return CR_WALK_FULL;
  walk->wall_edge = turn_edge(&turns[right].last, !right);
  edge_direction(walk->tile, walk->polygon, walk->wall_edge, &walk->wall_dx, &walk->wall_dz);
  double sign = gain > 0.0 ? (right ? 1.0 : -1.0) : 0.0;
  walk->slide_x = sign * walk->wall_dx;
  walk->slide_z = sign * walk->wall_dz;
  return CR_WALK_WALL;
}

// --- Forks ----------------------------------------------------------------------------------------------------------------

static bool on_outline(const Spot *spot, CrVec3 point) {
  CrVec3 a, b;
  if (spot->at_vertex) return true;
  cr__polygon_edge(spot->tile, spot->polygon, spot->index, &a, &b);
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, point)), point) <= CR_PORTAL_EPSILON;
}

// Whether a way joins two polygons along the line, from the point to where the first of them is left: then either leads
// wherever the other does.
static bool joined_ahead(const CrWalk *walk, CrVec3 point, const Spot *one, const Spot *other, CrPolyRef other_ref) {
  CrWay way = cr__way_between(walk->mesh, one->tile, one->polygon, other_ref, walk->filter);
  if (way.kind != CR_WAY_EDGE && way.kind != CR_WAY_PORTAL) return false;
  cr__way_ends(one->tile, one->polygon, &way);
  const CrLine *line = &walk->line;
  double a = along_of(line, way.a), b = along_of(line, way.b);
  double end =
      cr__min(cr__line_exit(one->tile, one->polygon, line).t, cr__line_exit(other->tile, other->polygon, line).t);
  bool beside =
      cr__abs(side_of(line, way.a)) <= CR_PORTAL_EPSILON && cr__abs(side_of(line, way.b)) <= CR_PORTAL_EPSILON;
  return beside && cr__min(a, b) <= along_of(line, point) + CR_PORTAL_EPSILON &&
         cr__max(a, b) >= cr__min(end, line->length) - CR_PORTAL_EPSILON;
}

// The fork's place among those met, a new place if it is met the first time, -1 if there is no more room.
static int32_t fork_index(CrForks *forks, CrPolyRef one, CrPolyRef other, bool *out_new) {
  *out_new = false;
  for (int32_t i = 0; i < forks->pair_count; i++) {
    const CrPolyRef *pair = forks->pairs[i];
    if ((pair[0] == one && pair[1] == other) || (pair[0] == other && pair[1] == one)) return i;
  }
  if (forks->pair_count == CR_MAX_FORKS) return -1;
  *out_new = true;
  forks->pairs[forks->pair_count][0] = one;
  forks->pairs[forks->pair_count][1] = other;
  return forks->pair_count++;
}

// Both polygons go on from the point. Whether the walk takes the second.
static bool fork_here(CrWalk *walk, CrVec3 point, const Spot *one, const Spot *other) {
  CrForks *forks = walk->forks;
  CrPolyRef first = cr__tile_ref(walk->mesh, one->tile, one->polygon);
  CrPolyRef second = cr__tile_ref(walk->mesh, other->tile, other->polygon);
  if (first == second || joined_ahead(walk, point, one, other, second)) return false;
  bool is_new;
  int32_t index = fork_index(forks, first, second, &is_new);
  if (is_new) {
    forks->path[forks->count] = index;
    forks->second[forks->count++] = false;
  }
  // A fork met before, but not on this way: both its polygons are tried elsewhere.
  if (index < 0 || forks->at == forks->count || forks->path[forks->at] != index) return false;
  return forks->second[forks->at++];
}

// --- Steps ----------------------------------------------------------------------------------------------------------------

void cr__walk_begin(CrWalk *walk, const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref, CrVec3 start,
                    CrTrail *trail) {
  memset(walk, 0, sizeof *walk);
  walk->mesh = mesh;
  walk->filter = filter;
  walk->tile = cr__tile_of(mesh, ref);
  walk->polygon = cr__ref_polygon(ref);
  walk->trail = trail;
  walk->point = cr__polygon_closest(walk->tile, walk->polygon, start, NULL);
  trail->refs[0] = ref;
  trail->count = 1;
}

void cr__walk_along(CrWalk *walk, CrLine line) {
  walk->line = line;
  walk->t = walk->reach = 0.0;
}
void cr__walk_towards(CrWalk *walk, CrVec3 to) { cr__walk_along(walk, cr__line(walk->point, to)); }

static CrWalkStep step_through_vertex(CrWalk *walk, CrVec3 point) {
  Turn turns[2];
  for (int i = 0; i < 2; i++) {
    // order: counter-clockwise before clockwise
    turns[i] = turn_about(walk, point, i == 0);
    if (turns[i].goes_on && !walk->forks)
      return follow_turn(walk, point, &turns[i], i == 0) ? CR_WALK_ON : CR_WALK_FULL;
  }
  if (!turns[0].goes_on && !turns[1].goes_on) return meet_vertex(walk, point, turns);
  bool second = !turns[0].goes_on;
  if (turns[0].goes_on && turns[1].goes_on) second = fork_here(walk, point, &turns[0].last, &turns[1].last);
  return follow_turn(walk, point, &turns[second], !second) ? CR_WALK_ON : CR_WALK_FULL;
}

// The walk has come into its polygon at `point`, which may be a vertex where other polygons go on as well.
static CrWalkStep fork_on_arrival(CrWalk *walk, CrVec3 point) {
  double here = along_of(&walk->line, point);
  Spot spot = locate(walk->tile, walk->polygon, point);
  if (!on_outline(&spot, point)) return CR_WALK_ON;
  if (!(cr__line_exit(walk->tile, walk->polygon, &walk->line).t > here + CR_QUERY_EPSILON)) return CR_WALK_ON;
  for (int i = 0; i < 2; i++) {
    // order: the polygon itself, counter-clockwise, clockwise
    Turn turn = turn_about(walk, point, i == 0);
    if (!turn.goes_on || !fork_here(walk, point, &spot, &turn.last)) continue;
    return follow_turn(walk, point, &turn, i == 0) ? CR_WALK_ON : CR_WALK_FULL;
  }
  return CR_WALK_ON;
}

CrWalkStep cr__walk_fork_at_start(CrWalk *walk) { return fork_on_arrival(walk, walk->point); }

// In a tile no vertex lies inside an edge; at a seam one of the other tile may.
static CrWalkStep step_through_edge(CrWalk *walk, uint32_t edge, CrVec3 point) {
  bool seam = cr__is_border(walk->tile->corner_neighbour[walk->tile->polygon_first[walk->polygon] + edge]);
  CrPolyRef next = behind_edge(walk, walk->tile, walk->polygon, edge, point, PART_AT);
  if (!next) return meet_edge(walk, edge);
  if (!enter(walk, next)) return CR_WALK_FULL;
  return seam && walk->forks ? fork_on_arrival(walk, point) : CR_WALK_ON;
}

CrWalkStep cr__walk_step(CrWalk *walk) {
  const CrLine *line = &walk->line;
  CrLineExit exit = cr__line_exit(walk->tile, walk->polygon, line);
  if (exit.t >= line->length - CR_QUERY_EPSILON) {
    walk->t = line->length;
    walk->point = cr__vec(line->x + line->dx * line->length, 0.0, line->z + line->dz * line->length);
    return CR_WALK_END;
  }
  walk->t = cr__max(exit.t, 0.0);
  walk->reach = cr__max(walk->reach, walk->t);
  walk->point = exit.point;
  if (exit.at_vertex) return step_through_vertex(walk, exit.point);
  return step_through_edge(walk, exit.index, exit.point);
}
