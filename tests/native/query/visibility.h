// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Shortest lengths from a visibility graph: its nodes are the ends of all walls, told apart by the open space about them (two
// spaces may meet in a point without a way through), and the ends of off-mesh links. Whether two nodes see each other is
// decided on flat scenes from the pieces of walls alone; on scenes with storeys by the polygons that a segment touches. No
// walk of the engine's is used.
#ifndef CR_TEST_VISIBILITY_H
#define CR_TEST_VISIBILITY_H

#include "query_internal.h"
#include "query_worlds.h"

#define VISIBILITY_NODES 2400
#define VISIBILITY_TRAIL 4096
#define VISIBILITY_TOLERANCE 1e-9

// The open angle about a point: from direction `from` counter-clockwise to `to`. Whole: no wall there.
typedef struct OpenAngle {
  double from_x, from_z, to_x, to_z;
  bool whole;
} OpenAngle;

typedef struct SightNode {
  CrVec3 point;
  CrPolyRef ref;    // a polygon of the space about it
  OpenAngle angle;  // flat scenes
  uint32_t exit;    // off-mesh entry: node of the exit; else UINT32_MAX
  double across;    // length of the link
} SightNode;

typedef struct WallLine {
  CrVec3 a, b;
} WallLine;

typedef struct Visibility {
  const CrNavMesh *mesh;
  const CrQueryFilter *filter;
  bool flat;
  SightNode *nodes;
  uint32_t node_count;
  WallLine *walls;
  uint32_t wall_count, wall_capacity;
  // Spots: where walls end, with the open angles about them.
  struct SightSpot {
    CrVec3 point;
    OpenAngle angles[8];
    uint32_t angle_count;
  } * spots;
  uint32_t spot_count, spot_capacity;
  float *lengths;  // node x node, infinite where not visible
} Visibility;

// --- Angles ---------------------------------------------------------------------------------------------------------------

static inline double turn_cross(double ax, double az, double bx, double bz) { return ax * bz - az * bx; }

// Whether a segment of unit direction d and this length lies in the closed angle: its end may be the tolerance outside.
static inline bool angle_holds(const OpenAngle *angle, double dx, double dz, double length) {
  if (angle->whole) return true;
  double after = turn_cross(angle->from_x, angle->from_z, dx, dz),
         before = turn_cross(dx, dz, angle->to_x, angle->to_z);
  double span = turn_cross(angle->from_x, angle->from_z, angle->to_x, angle->to_z);
  double dot = angle->from_x * angle->to_x + angle->from_z * angle->to_z;
  double tolerance = VISIBILITY_TOLERANCE / fmin(length, 1.0);
  bool at_from = fabs(after) <= tolerance && angle->from_x * dx + angle->from_z * dz > 0.0;
  bool at_to = fabs(before) <= tolerance && angle->to_x * dx + angle->to_z * dz > 0.0;
  if (at_from || at_to) return true;
  if (fabs(span) <= VISIBILITY_TOLERANCE) return dot > 0.0 || after > 0.0;  // the whole plane, or half of it
  return span > 0.0 ? after > 0.0 && before > 0.0 : after > 0.0 || before > 0.0;
}

// Counter-clockwise order of directions from a start direction, as a number that grows with the angle (0..4).
static inline double angle_rank(double ax, double az, double bx, double bz) {
  double cross = turn_cross(ax, az, bx, bz), dot = ax * bx + az * bz;
  if (fabs(cross) <= VISIBILITY_TOLERANCE) return dot > 0.0 ? 4.0 : 2.0;
  return cross > 0.0 ? 1.0 - dot : 3.0 + dot;
}

// --- Walls of a scene -----------------------------------------------------------------------------------------------------

static inline void *grown(void *items, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity) return items;
  *capacity = *capacity ? *capacity * 2 : 256;
  items = realloc(items, *capacity * size);
  REQUIRE(items != NULL);
  return items;
}

static inline void find_wall_lines(Visibility *v) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(v->mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(v->mesh, all[i]);
    uint32_t polygon = cr__ref_polygon(all[i]);
    if (!cr__accepts_polygon(v->filter, tile, polygon)) continue;
    for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
      CrEdgeWalls walls = cr__edge_walls(v->mesh, tile, polygon, k, v->filter);
      for (CrVec3 a, b; cr__next_edge_wall(&walls, &a, &b);) {
        v->walls = grown(v->walls, v->wall_count, &v->wall_capacity, sizeof *v->walls);
        v->walls[v->wall_count++] = (WallLine){a, b};
      }
    }
  }
  free(all);
}

static inline uint32_t spot_at(Visibility *v, CrVec3 p) {
  for (uint32_t i = 0; i < v->spot_count; i++) {
    if (cr__near_xz(v->spots[i].point, p, 1e-7)) return i;
  }
  v->spots = grown(v->spots, v->spot_count, &v->spot_capacity, sizeof *v->spots);
  v->spots[v->spot_count].point = p;
  v->spots[v->spot_count].angle_count = 0;
  return v->spot_count++;
}

static inline void unit(CrVec3 from, CrVec3 to, double *x, double *z) {
  double length = cr__dist_xz(from, to);
  *x = (to.x - from.x) / length;
  *z = (to.z - from.z) / length;
}

// The open angles about the ends of walls: from a wall that begins there (the open side is left of it) counter-clockwise to the
// first wall that ends there.
static inline void find_open_angles(Visibility *v) {
  for (uint32_t i = 0; i < v->wall_count; i++) {
    uint32_t at = spot_at(v, v->walls[i].a);
    struct SightSpot *spot = &v->spots[at];
    OpenAngle angle = {0};
    unit(v->walls[i].a, v->walls[i].b, &angle.from_x, &angle.from_z);
    double best = 9.0;
    for (uint32_t j = 0; j < v->wall_count; j++) {
      if (!cr__near_xz(v->walls[j].b, spot->point, 1e-7)) continue;
      double x, z;
      unit(v->walls[j].b, v->walls[j].a, &x, &z);
      double rank = angle_rank(angle.from_x, angle.from_z, x, z);
      if (rank < best) best = rank, angle.to_x = x, angle.to_z = z;
    }
    REQUIRE(best < 9.0 && spot->angle_count < 8);
    spot->angles[spot->angle_count++] = angle;
  }
}

// At a seam a wall may run straight past a point where others end.
static inline void add_passing_walls(Visibility *v) {
  for (uint32_t i = 0; i < v->wall_count; i++) {
    const WallLine *wall = &v->walls[i];
    for (uint32_t k = 0; k < v->spot_count; k++) {
      struct SightSpot *spot = &v->spots[k];
      double t = cr__segment_t_xz(wall->a, wall->b, spot->point);
      if (cr__dist_xz(cr__lerp(wall->a, wall->b, t), spot->point) > VISIBILITY_TOLERANCE) continue;
      if (cr__near_xz(wall->a, spot->point, 1e-7) || cr__near_xz(wall->b, spot->point, 1e-7)) continue;
      double x, z;
      unit(wall->a, wall->b, &x, &z);
      REQUIRE(spot->angle_count < 8);
      spot->angles[spot->angle_count++] = (OpenAngle){x, z, -x, -z, false};
    }
  }
}

// --- Sight on flat scenes -------------------------------------------------------------------------------------------------

// The wall's ends lie on different sides of the line, and the line's ends on different sides of the wall: all strictly.
static inline bool wall_cuts(const WallLine *wall, CrVec3 p, CrVec3 q) {
  double length = cr__dist_xz(p, q), wall_length = cr__dist_xz(wall->a, wall->b);
  double side_a = cr__cross_xz(p, q, wall->a) / length, side_b = cr__cross_xz(p, q, wall->b) / length;
  double side_p = cr__cross_xz(wall->a, wall->b, p) / wall_length,
         side_q = cr__cross_xz(wall->a, wall->b, q) / wall_length;
  const double e = VISIBILITY_TOLERANCE;
  return ((side_a > e && side_b < -e) || (side_a < -e && side_b > e)) &&
         ((side_p > e && side_q < -e) || (side_p < -e && side_q > e));
}

static inline bool passes_spot(const struct SightSpot *spot, double dx, double dz) {
  for (uint32_t i = 0; i < spot->angle_count; i++) {
    if (angle_holds(&spot->angles[i], dx, dz, 1.0) && angle_holds(&spot->angles[i], -dx, -dz, 1.0)) return true;
  }
  return false;
}

static inline bool sees_flat(const Visibility *v, const SightNode *from, const SightNode *to) {
  CrVec3 p = from->point, q = to->point;
  double length = cr__dist_xz(p, q), dx, dz;
  if (length <= 1e-9) return from->angle.from_x == to->angle.from_x && from->angle.from_z == to->angle.from_z;
  unit(p, q, &dx, &dz);
  if (!angle_holds(&from->angle, dx, dz, length) || !angle_holds(&to->angle, -dx, -dz, length)) return false;
  for (uint32_t i = 0; i < v->wall_count; i++) {
    if (wall_cuts(&v->walls[i], p, q)) return false;
  }
  for (uint32_t i = 0; i < v->spot_count; i++) {
    CrVec3 s = v->spots[i].point;
    double along = (s.x - p.x) * dx + (s.z - p.z) * dz, side = dx * (s.z - p.z) - dz * (s.x - p.x);
    if (fabs(side) > VISIBILITY_TOLERANCE || along <= 1e-7 || along >= length - 1e-7) continue;
    if (!passes_spot(&v->spots[i], dx, dz)) return false;
  }
  return true;
}

// --- Sight on storeys -----------------------------------------------------------------------------------------------------

static inline bool sight_way_holds(const CrWay *way, CrVec3 p) {
  return cr__dist_xz(cr__lerp(way->a, way->b, cr__segment_t_xz(way->a, way->b, p)), p) <= 1e-7;
}

// The smallest reference of the polygons about a point that are joined there.
static inline CrPolyRef space_about(const Visibility *v, CrPolyRef ref, CrVec3 p) {
  CrPolyRef around[128] = {ref}, least = ref;
  int count = 1;
  for (int i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(v->mesh, around[i]);
    CrWayList ways = cr__ways(v->mesh, tile, cr__ref_polygon(around[i]), v->filter);
    for (CrWay way; cr__next_way(&ways, &way);) {
      cr__way_ends(tile, cr__ref_polygon(around[i]), &way);
      bool known = way.kind == CR_WAY_OFF_MESH || !sight_way_holds(&way, p);
      for (int j = 0; j < count; j++) known = known || around[j] == way.target;
      if (known || count == 128) continue;
      around[count++] = way.target;
      if (way.target < least) least = way.target;
    }
  }
  return least;
}

// Where, as parameters of the segment p -> q, the segment touches the way; false: nowhere.
static inline bool touches_way(const CrWay *way, CrVec3 p, CrVec3 q, double *out_low, double *out_high) {
  const double e = VISIBILITY_TOLERANCE;
  const CrVec3 points[4] = {way->a, way->b, p, q};
  double low = 2.0, high = -1.0;
  for (int i = 0; i < 4; i++) {
    double t = i < 2 ? cr__segment_t_xz(p, q, points[i]) : i - 2;
    CrVec3 on = cr__lerp(p, q, t),
           near = i < 2 ? points[i] : cr__lerp(way->a, way->b, cr__segment_t_xz(way->a, way->b, on));
    if (cr__dist_xz(on, near) > e) continue;
    low = fmin(low, t);
    high = fmax(high, t);
  }
  WallLine line = {way->a, way->b};
  if (wall_cuts(&line, p, q)) {
    double side_p = cr__cross_xz(way->a, way->b, p), side_q = cr__cross_xz(way->a, way->b, q);
    low = high = side_p / (side_p - side_q);
  }
  *out_low = low;
  *out_high = high;
  return low <= high;
}

// The polygons that a walk along the segment comes to, each with where on the segment it can be entered first; the walk
// never goes back.
typedef struct SightWalk {
  CrPolyRef refs[VISIBILITY_TRAIL];
  double at[VISIBILITY_TRAIL];
  bool looked_at[VISIBILITY_TRAIL];
  int32_t count;
} SightWalk;

static inline void enter_polygon(SightWalk *walk, CrPolyRef ref, double at) {
  int32_t i = 0;
  while (i < walk->count && walk->refs[i] != ref) i++;
  if (i < walk->count && walk->at[i] <= at) return;
  REQUIRE(i < VISIBILITY_TRAIL);
  walk->refs[i] = ref;
  walk->at[i] = at;
  walk->looked_at[i] = false;
  if (i == walk->count) walk->count++;
}

static inline void look_on(const Visibility *v, SightWalk *walk, int32_t i, CrVec3 p, CrVec3 q) {
  const CrTile *tile = cr__resolve(v->mesh, walk->refs[i]);
  uint32_t polygon = cr__ref_polygon(walk->refs[i]);
  CrWayList ways = cr__ways(v->mesh, tile, polygon, v->filter);
  for (CrWay way; cr__next_way(&ways, &way);) {
    double low, high;
    cr__way_ends(tile, polygon, &way);
    if (way.kind == CR_WAY_OFF_MESH || !touches_way(&way, p, q, &low, &high)) continue;
    if (walk->at[i] <= high + VISIBILITY_TOLERANCE) enter_polygon(walk, way.target, fmax(low, walk->at[i]));
  }
}

static inline bool sees_on_storeys(const Visibility *v, const SightNode *from, const SightNode *to) {
  static SightWalk walk;
  CrPolyRef space = space_about(v, to->ref, to->point);
  walk.count = 0;
  enter_polygon(&walk, from->ref, 0.0);
  for (bool again = true; again;) {
    again = false;
    for (int32_t i = 0; i < walk.count; i++) {
      if (walk.looked_at[i]) continue;
      walk.looked_at[i] = again = true;
      look_on(v, &walk, i, from->point, to->point);
    }
  }
  for (int32_t i = 0; i < walk.count; i++) {
    const CrTile *tile = cr__resolve(v->mesh, walk.refs[i]);
    bool there = cr__polygon_holds(tile, cr__ref_polygon(walk.refs[i]), to->point.x, to->point.z, VISIBILITY_TOLERANCE);
    if (there && space_about(v, walk.refs[i], to->point) == space) return true;
  }
  return false;
}

static inline bool sees_node(const Visibility *v, const SightNode *from, const SightNode *to) {
  return v->flat ? sees_flat(v, from, to) : sees_on_storeys(v, from, to);
}

// --- Nodes ----------------------------------------------------------------------------------------------------------------

static inline void open_about(const Visibility *v, SightNode *node, CrVec3 towards) {
  node->angle.whole = true;
  if (!v->flat) return;
  double dx, dz;
  for (uint32_t i = 0; i < v->spot_count; i++) {
    if (!cr__near_xz(v->spots[i].point, node->point, 1e-7)) continue;
    unit(node->point, towards, &dx, &dz);
    for (uint32_t k = 0; k < v->spots[i].angle_count; k++) {
      if (angle_holds(&v->spots[i].angles[k], dx, dz, 1.0)) node->angle = v->spots[i].angles[k];
    }
    return;
  }
  // On a wall: the half plane left of it.
  for (uint32_t i = 0; i < v->wall_count; i++) {
    const WallLine *wall = &v->walls[i];
    if (cr__dist_xz(cr__lerp(wall->a, wall->b, cr__segment_t_xz(wall->a, wall->b, node->point)), node->point) > 1e-10) {
      continue;
    }
    unit(wall->a, wall->b, &dx, &dz);
    node->angle = (OpenAngle){dx, dz, -dx, -dz, false};
  }
}

// A point of a polygon: where it can look from there.
static inline SightNode sight_node(const Visibility *v, CrPolyRef ref, CrVec3 point) {
  SightNode node = {.point = point, .ref = ref, .exit = UINT32_MAX};
  open_about(v, &node, cr__polygon_center(cr__resolve(v->mesh, ref), cr__ref_polygon(ref)));
  return node;
}

static inline uint32_t add_sight_node(Visibility *v, SightNode node) {
  REQUIRE(v->node_count < VISIBILITY_NODES);
  v->nodes[v->node_count] = node;
  return v->node_count++;
}

static inline void add_wall_end(Visibility *v, CrPolyRef ref, CrVec3 point) {
  CrPolyRef space = space_about(v, ref, point);
  for (uint32_t i = 0; i < v->node_count; i++) {
    if (v->nodes[i].ref == space && cr__near_xz(v->nodes[i].point, point, 1e-7)) return;
  }
  add_sight_node(v, sight_node(v, space, point));
}

static inline void add_links(Visibility *v, CrPolyRef ref) {
  const CrTile *tile = cr__resolve(v->mesh, ref);
  CrWayList ways = cr__ways(v->mesh, tile, cr__ref_polygon(ref), v->filter);
  for (CrWay way; cr__next_way(&ways, &way);) {
    if (way.kind != CR_WAY_OFF_MESH) continue;
    cr__way_ends(tile, cr__ref_polygon(ref), &way);
    uint32_t entry = add_sight_node(v, sight_node(v, ref, way.a));
    v->nodes[entry].across = cr__dist(way.a, way.b);
    v->nodes[entry].exit = add_sight_node(v, sight_node(v, way.target, way.b));
  }
}

static inline void find_sight_nodes(Visibility *v) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(v->mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(v->mesh, all[i]);
    uint32_t polygon = cr__ref_polygon(all[i]);
    if (!cr__accepts_polygon(v->filter, tile, polygon)) continue;
    for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
      CrEdgeWalls walls = cr__edge_walls(v->mesh, tile, polygon, k, v->filter);
      for (CrVec3 a, b; cr__next_edge_wall(&walls, &a, &b);) {
        add_wall_end(v, all[i], a);
        add_wall_end(v, all[i], b);
      }
    }
    add_links(v, all[i]);
  }
  free(all);
}

static inline void visibility_open(Visibility *v, const CrNavMesh *mesh, const CrQueryFilter *filter, bool flat) {
  *v = (Visibility){.mesh = mesh, .filter = filter, .flat = flat};
  v->nodes = malloc(VISIBILITY_NODES * sizeof *v->nodes);
  REQUIRE(v->nodes != NULL);
  find_wall_lines(v);
  if (flat) find_open_angles(v);
  if (flat) add_passing_walls(v);
  find_sight_nodes(v);
  v->lengths = malloc((size_t)v->node_count * v->node_count * sizeof *v->lengths + 1);
  REQUIRE(v->lengths != NULL);
  for (uint32_t i = 0; i < v->node_count; i++) {
    for (uint32_t j = 0; j <= i; j++) {
      bool sees = sees_node(v, &v->nodes[i], &v->nodes[j]);
      float length = sees ? (float)cr__dist_xz(v->nodes[i].point, v->nodes[j].point) : INFINITY;
      v->lengths[i * v->node_count + j] = v->lengths[j * v->node_count + i] = length;
    }
  }
}

static inline void visibility_close(Visibility *v) {
  free(v->lengths);
  free(v->nodes);
  free(v->walls);
  free(v->spots);
}

// --- Shortest lengths -----------------------------------------------------------------------------------------------------

// Dijkstra over the nodes. Infinite when there is no way.
static inline double shortest_length(const Visibility *v, const SightNode *start, const SightNode *end,
                                     bool *out_clear) {
  static double g[VISIBILITY_NODES];
  static bool done[VISIBILITY_NODES];
  bool clear = sees_node(v, start, end);
  if (out_clear) *out_clear = clear;
  double best = clear ? cr__dist_xz(start->point, end->point) : INFINITY;
  if (clear) return best;
  for (uint32_t i = 0; i < v->node_count; i++) {
    g[i] = sees_node(v, start, &v->nodes[i]) ? cr__dist_xz(start->point, v->nodes[i].point) : INFINITY;
    done[i] = false;
  }
  for (;;) {
    uint32_t at = v->node_count;
    for (uint32_t i = 0; i < v->node_count; i++) {
      if (!done[i] && (at == v->node_count || g[i] < g[at])) at = i;
    }
    if (at == v->node_count || g[at] >= best) return best;
    done[at] = true;
    const SightNode *node = &v->nodes[at];
    if (node->exit != UINT32_MAX) g[node->exit] = fmin(g[node->exit], g[at] + node->across);
    if (sees_node(v, end, node)) best = fmin(best, g[at] + cr__dist_xz(node->point, end->point));
    for (uint32_t i = 0; i < v->node_count; i++) {
      if (v->lengths[at * v->node_count + i] == INFINITY) continue;
      g[i] = fmin(g[i], g[at] + cr__dist_xz(node->point, v->nodes[i].point));
    }
  }
}

#endif
