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

// The accepted polygon behind an edge at a point, or CR_INVALID_REF. order: the first portal in the polygon's table.
static CrPolyRef behind_edge(const CrWalk *walk, const CrTile *tile, uint32_t polygon, uint32_t edge, CrVec3 point,
                             EdgePart part) {
  uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[polygon] + edge];
  if (cr__is_neighbour_polygon(neighbour)) {
    bool accepted = cr__accepts_polygon(walk->filter, tile, neighbour);
    return accepted ? cr__tile_ref(walk->mesh, tile, neighbour) : CR_INVALID_REF;
  }
  if (!cr__is_border(neighbour)) return CR_INVALID_REF;
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge != edge || !link_covers(link, a, b, point, part)) continue;
    const CrTile *target = cr__tile_of(walk->mesh, link->target);
    if (cr__accepts_polygon(walk->filter, target, cr__ref_polygon(link->target))) return link->target;
  }
  return CR_INVALID_REF;
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
  double here = along_of(&walk->line, point);
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

void cr__walk_towards(CrWalk *walk, CrVec3 to) { walk->line = cr__line(walk->point, to); }

static CrWalkStep step_through_vertex(CrWalk *walk, CrVec3 point) {
  Turn turns[2];
  for (int i = 0; i < 2; i++) {
    // order: counter-clockwise before clockwise
    turns[i] = turn_about(walk, point, i == 0);
    if (turns[i].goes_on) return follow_turn(walk, point, &turns[i], i == 0) ? CR_WALK_ON : CR_WALK_FULL;
  }
  return meet_vertex(walk, point, turns);
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
  walk->point = exit.point;
  if (exit.at_vertex) return step_through_vertex(walk, exit.point);
  CrPolyRef next = behind_edge(walk, walk->tile, walk->polygon, exit.index, exit.point, PART_AT);
  if (!next) return meet_edge(walk, exit.index);
  return enter(walk, next) ? CR_WALK_ON : CR_WALK_FULL;
}
