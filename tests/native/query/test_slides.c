// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where moves end, by brute force over all walls of flat worlds: a motion goes straight to the first wall it meets, its rest is
// projected on the wall, at the end of a wall it goes on straight or is projected on the next one. Motions that come within
// a millionth of a choice (a wall's end, a grazed wall) are left to the other tests.
#include "hard_worlds.h"
#include "query_internal.h"

#define MAX_WALLS 4096
#define CAPACITY 1024
#define NEAR 1e-6

typedef struct Wall {
  CrVec3 a, b;
  double dx, dz, length;  // unit direction; the mesh is on its left
} Wall;

typedef struct Plan {
  Wall walls[MAX_WALLS];
  int32_t count;
} Plan;

static bool accepts(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef ref) {
  return cr__accepts_polygon(filter, cr__resolve(mesh, ref), cr__ref_polygon(ref));
}

static void collect_walls(const CrNavMesh *mesh, const CrQueryFilter *filter, Plan *plan) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(mesh, &count);
  plan->count = 0;
  for (uint32_t i = 0; i < count; i++) {
    CrPolygonInfo info;
    REQUIRE_OK(cr_navmesh_polygon(mesh, all[i], &info));
    for (uint8_t k = 0; accepts(mesh, filter, all[i]) && k < info.vertex_count; k++) {
      Wall wall;
      for (uint8_t part = 0; cr_query_wall_piece(mesh, filter, all[i], k, part, &wall.a, &wall.b) == CR_STATUS_OK;
           part++) {
        REQUIRE(plan->count < MAX_WALLS);
        wall.length = cr__dist_xz(wall.a, wall.b);
        wall.dx = (wall.b.x - wall.a.x) / wall.length;
        wall.dz = (wall.b.z - wall.a.z) / wall.length;
        plan->walls[plan->count++] = wall;
      }
    }
  }
  free(all);
}

typedef struct Motion {
  double x, z, dx, dz, rest;
  int32_t wall;  // slid along, -1: none
  double sign;   // +1 with the wall's direction
  bool met, unclear;
} Motion;

static void advance(Motion *m, double distance) {
  m->x += m->dx * distance;
  m->z += m->dz * distance;
  m->rest -= distance;
}

// Projects what is left on a wall.
static void meet(Motion *m, const Plan *plan, int32_t index) {
  const Wall *w = &plan->walls[index];
  double along = m->dx * w->dx + m->dz * w->dz;
  m->met = true;
  m->unclear |= fabs(along) < NEAR;
  m->sign = along < 0.0 ? -1.0 : 1.0;
  m->dx = m->sign * w->dx;
  m->dz = m->sign * w->dz;
  m->rest *= fabs(along);
  m->wall = index;
}

// Straight on to the first wall that faces the motion.
static void go_straight(Motion *m, const Plan *plan) {
  int32_t first = -1;
  double nearest = m->rest;
  for (int32_t i = 0; i < plan->count; i++) {
    const Wall *w = &plan->walls[i];
    double ax = w->a.x - m->x, az = w->a.z - m->z;
    double away = -w->dz * ax + w->dx * az;  // of the wall's line from here, along its normal
    double speed = -w->dz * m->dx + w->dx * m->dz;
    bool ends_here = hypot(ax, az) < 1e-7 || hypot(w->b.x - m->x, w->b.z - m->z) < 1e-7;
    if (fabs(speed) < NEAR) {
      double from = ax * m->dx + az * m->dz, to = from + (w->dx * m->dx + w->dz * m->dz) * w->length;
      bool beside = fmax(from, to) > -NEAR && fmin(from, to) < m->rest + NEAR;
      m->unclear |= !ends_here && fabs(away) < 10 * NEAR && beside;
      continue;
    }
    double t = away / speed,
           s = w->dx * (m->x + m->dx * t) + w->dz * (m->z + m->dz * t) - w->dx * w->a.x - w->dz * w->a.z;
    if (t < -NEAR || t > m->rest + NEAR || s < -NEAR || s > w->length + NEAR || ends_here) continue;
    m->unclear |= s < NEAR || s > w->length - NEAR || fabs(t - m->rest) < NEAR;
    if (speed > 0.0 || t > nearest) continue;
    first = i;
    nearest = fmax(t, 0.0);
  }
  advance(m, nearest);
  if (first >= 0) meet(m, plan, first);
}

// Along the wall to its end, and on from there.
static void go_along(Motion *m, const Plan *plan) {
  const Wall *w = &plan->walls[m->wall];
  CrVec3 end = m->sign > 0.0 ? w->b : w->a;
  double left = hypot(end.x - m->x, end.z - m->z);
  m->unclear |= fabs(left - m->rest) < NEAR;
  if (m->rest <= left) {
    advance(m, m->rest);
    return;
  }
  advance(m, left);
  int32_t next = -1, others = 0;
  for (int32_t i = 0; i < plan->count; i++) {
    const Wall *o = &plan->walls[i];
    bool begins = cr__near_xz(o->a, end, 1e-7), ends = cr__near_xz(o->b, end, 1e-7);
    if (i == m->wall || (!begins && !ends)) continue;
    others++;
    if (m->sign > 0.0 ? begins : ends) next = i;
  }
  // Walls of two rooms that meet in a point are another matter.
  if (others != 1 || next < 0) {
    m->unclear = true;
    return;
  }
  const Wall *o = &plan->walls[next];
  double ux = m->sign * o->dx, uz = m->sign * o->dz;  // the next wall, away from here
  double turn = m->sign * (m->dx * uz - m->dz * ux), ahead = m->dx * ux + m->dz * uz;
  if (fabs(turn) < NEAR && ahead > 0.0) {
    m->wall = next;
    m->unclear |= fabs(turn) > 1e-12;
  } else if (turn < 0.0) {
    m->wall = -1;
  } else if (ahead <= 0.0) {
    m->unclear |= ahead > -NEAR;
    m->rest = 0.0;
  } else {
    meet(m, plan, next);
  }
}

static Motion simulate(const Plan *plan, CrVec3 from, CrVec3 to) {
  double length = cr__dist_xz(from, to);
  Motion m = {from.x, from.z,       (to.x - from.x) / length, (to.z - from.z) / length, length, -1, 0.0,
              false,  length < NEAR};
  for (int steps = 0; steps < 1000 && !m.unclear && m.rest > 1e-8; steps++) {
    if (m.wall < 0)
      go_straight(&m, plan);
    else
      go_along(&m, plan);
  }
  return m;
}

typedef struct Tally {
  int64_t clear, unclear, slid;
  double worst;
} Tally;

static void compare_moves(CrNavMesh *mesh, const CrQueryFilter *filter, uint64_t seed, int64_t moves, Tally *tally) {
  static Plan plan;
  CrQueryOptions options = {64, CR_NODE_MODEL_POLYGON, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  collect_walls(mesh, filter, &plan);
  for (; moves > 0; moves--) {
    CrPolyRef ref, visited[CAPACITY];
    CrVec3 from, to;
    check_seed = seed;
    if (!random_place(mesh, filter, &seed, &ref, &from)) continue;
    double reach = rnd_int(&seed, 4) ? 3.0 : 15.0;
    to = cr__add(cr__vec(from.x, 0, from.z), rnd_ground(&seed, -reach, -reach, reach, reach));
    Motion expected = simulate(&plan, from, to);
    if (expected.unclear) {
      tally->unclear++;
      continue;
    }
    CrMoveResult move;
    CHECK_OK(cr_query_move_along_surface(query, ref, from, to, filter, visited, CAPACITY, &move, NULL));
    double off = hypot(move.point.x - expected.x, move.point.z - expected.z);
    CHECK(off < 1e-6 && move.blocked == expected.met && !move.truncated);
    if (!(off < 1e-6) && check_failures < 10) {
      printf("  from %.9g %.9g to %.9g %.9g: %.9g %.9g, expected %.9g %.9g\n", from.x, from.z, to.x, to.z, move.point.x,
             move.point.z, expected.x, expected.z);
    }
    tally->worst = fmax(tally->worst, off);
    tally->clear++;
    tally->slid += expected.met;
  }
  cr_query_destroy(query);
}

TEST(moves_end_where_brute_force_over_all_walls_says) {
  static const int flat[] = {0, 1, 2, 3, 6, 8, 9};
  Tally tally = {0};
  for (int k = 0; k < 42; k++) {
    int number = flat[k % 7] + k / 7 * 10;
    CrQueryFilter storage;
    CrNavMesh *mesh = world_number(number);
    compare_moves(mesh, filter_number(number / 10, &storage), 900 + (uint64_t)k, check_scaled(100000) / 42, &tally);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld moves, %lld of them slid; %lld left out; at most %.2g off\n", (long long)tally.clear,
         (long long)tally.slid, (long long)tally.unclear, tally.worst);
  CHECK(tally.clear < 1000 || (tally.unclear < tally.clear / 3 && tally.slid > tally.clear / 10));
}

// A room of two tiles beside each other and shelves of other tiles along its far sides: tiles whose polygons cover the room's border
// edges in part only, at a height it cannot reach, or rejected.
static CrNavMesh *room_with_shelves(uint64_t *seed) {
  TileKit *kit = malloc(sizeof *kit);
  CrNavMesh *mesh = NULL;
  CrNavMeshParams params = {.origin_x = -8, .origin_z = -8, .tile_size = 8, .climb = 0.5};
  REQUIRE(kit != NULL);
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t z = 0; z < 3; z++) {
    for (int32_t x = 0; x < 3; x++) {
      double x0 = -8 + 8 * x, z0 = -8 + 8 * z, cut[5] = {0, 0, 0, 0, 8};
      bool room = z == 1 && x > 0;
      kit_begin(kit, x, z, 0);
      for (int i = 1; i < 4; i++) cut[i] = cut[i - 1] + rnd_range(seed, 0.5, (8 - cut[i - 1]) / (5 - i) * 1.5);
      for (int i = 0; i < 4; i++) {
        // Room: strips along x; shelves: strips along z or x, each open, too high, rejected or not there.
        double y = 0.0;
        uint16_t flags = 1;
        int32_t kind = room ? 0 : rnd_int(seed, 4);
        if (kind == 1) y = 2.0;
        if (kind == 2) flags = 2;
        if (kind == 3) continue;
        if (room || rnd_int(seed, 2)) {
          kit_rectangle(kit, x0, z0 + cut[i], x0 + 8, z0 + cut[i + 1], y);
        } else {
          kit_rectangle(kit, x0 + cut[i], z0, x0 + cut[i + 1], z0 + 8, y);
        }
        kit->flags[kit->tile.polygon_count - 1] = flags;
        if (!room) break;
      }
      if (kit->tile.polygon_count) kit_add(kit, mesh);
    }
  }
  free(kit);
  return mesh;
}

TEST(moves_slide_along_partly_covered_tile_edges) {
  Tally tally = {0};
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 2;
  uint64_t seed = 77;
  int64_t parts = 0, worlds = check_scaled(300);
  for (int64_t k = 0; k < worlds; k++) {
    CrNavMesh *mesh = room_with_shelves(&seed);
    uint32_t count;
    CrPolyRef *all = world_all_polygons(mesh, &count);
    // Only the storey of the room: the high shelves are other ground, whose walls lie in the same places.
    for (uint32_t i = 0; i < count; i++) {
      CrPolygonInfo info;
      REQUIRE_OK(cr_navmesh_polygon(mesh, all[i], &info));
      if (info.vertices[0].y > 1.0) REQUIRE_OK(cr_navmesh_set_flags(mesh, all[i], 2, NULL));
      CrVec3 a, b;
      for (uint8_t e = 0; e < info.vertex_count; e++) {
        for (uint8_t part = 0; cr_query_wall_piece(mesh, &filter, all[i], e, part, &a, &b) == CR_STATUS_OK; part++) {
          parts += cr__dist_xz(a, b) + 1e-6 < cr__dist_xz(info.vertices[e], info.vertices[(e + 1) % info.vertex_count]);
        }
      }
    }
    free(all);
    compare_moves(mesh, &filter, seed, 300, &tally);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld moves in %lld worlds with %lld parts of edges for walls, %lld slid; %lld left out; at most %.2g off\n",
         (long long)tally.clear, (long long)worlds, (long long)parts, (long long)tally.slid, (long long)tally.unclear,
         tally.worst);
  CHECK(tally.clear < 1000 || (tally.unclear < tally.clear / 3 && tally.slid > tally.clear / 10 && parts > worlds));
}

TEST_MAIN(RUN(moves_end_where_brute_force_over_all_walls_says), RUN(moves_slide_along_partly_covered_tile_edges))
