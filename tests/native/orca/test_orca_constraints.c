// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Half-planes against what they mean: the plane touches the set of colliding relative velocities at its point nearest to the
// present one. Whether a relative velocity collides is decided here by the closest approach of two moving discs.
#include <math.h>

#include "check.h"
#include "orca_internal.h"

// Least distance of the two centres over 0..horizon when the agent moves by `v` relative to the other at `relative`.
static double closest_approach(CrVec2 relative, CrVec2 v, double horizon) {
  double speed_squared = cr__length2_squared(v);
  double t = speed_squared > 0.0 ? cr__dot2(relative, v) / speed_squared : 0.0;
  t = fmin(fmax(t, 0.0), horizon);
  return cr__length2(cr__sub2(relative, cr__scale2(v, t)));
}

static CrVec2 random_vector(uint64_t *seed, double most) {
  double x = rnd_range(seed, -most, most);
  return cr__vec2(x, rnd_range(seed, -most, most));
}

// The least change of the relative velocity, as the plane of an agent that does it all.
static CrVec2 change_of(CrHalfPlane plane, CrVec2 velocity) { return cr__sub2(plane.point, velocity); }

typedef struct Pair {
  CrVec2 relative, velocity, other;
  double radius, horizon;
} Pair;

static Pair random_pair(uint64_t *seed) {
  Pair p;
  p.radius = rnd_range(seed, 0.2, 2.0);
  do p.relative = random_vector(seed, 8.0);
  while (cr__length2(p.relative) <= p.radius * 1.001);
  p.velocity = random_vector(seed, 4.0);
  p.other = random_vector(seed, 4.0);
  p.horizon = rnd_range(seed, 0.3, 4.0);
  return p;
}

static bool collides(const Pair *p, CrVec2 v) { return closest_approach(p->relative, v, p->horizon) < p->radius; }

TEST(the_plane_touches_the_colliding_velocities_where_they_are_nearest) {
  uint64_t seed = 5;
  int inside_count = 0;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    Pair p = random_pair(&seed);
    CrHalfPlane plane = cr__orca_agent(p.relative, p.velocity, p.other, p.radius, p.horizon, 0.1, 1.0);
    CHECK_NEAR(cr__length2(plane.normal), 1.0, 1e-12);
    CrVec2 v = cr__sub2(p.velocity, p.other), u = change_of(plane, p.velocity);
    double size = cr__length2(u);
    bool inside = collides(&p, v);
    inside_count += inside;
    if (size < 1e-6) continue;
    // The change is along the normal, outward from inside and inward from outside.
    CHECK_NEAR(cr__dot2(u, plane.normal), inside ? size : -size, 1e-9);
    CHECK_NEAR(closest_approach(p.relative, cr__add2(v, u), p.horizon), p.radius, 1e-6);
    for (int k = 0; k < 32; k++) {
      double angle = k * 0.19634954084936207;
      CrVec2 less = cr__scale2(cr__vec2(cos(angle), sin(angle)), 0.999 * size);
      CHECK(collides(&p, cr__add2(v, less)) == inside);
    }
  }
  printf("  20000 pairs, %d on a collision course\n", inside_count);
  CHECK(inside_count > 500);
}

TEST(pairs_that_overlap_come_apart_within_dt) {
  uint64_t seed = 6;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    double radius = rnd_range(&seed, 0.2, 2.0), dt = rnd_range(&seed, 0.005, 0.5);
    CrVec2 relative = random_vector(&seed, 0.7 * radius);
    CrVec2 velocity = random_vector(&seed, 4.0), other = random_vector(&seed, 4.0);
    CrHalfPlane plane = cr__orca_agent(relative, velocity, other, radius, 2.0, dt, 1.0);
    CrVec2 v = cr__add2(cr__sub2(velocity, other), change_of(plane, velocity));
    CHECK_NEAR(cr__length2(cr__sub2(relative, cr__scale2(v, dt))), radius, 1e-9);
  }
}

TEST(both_agents_take_their_shares_of_one_change) {
  uint64_t seed = 7;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    Pair p = random_pair(&seed);
    if (run % 3 == 0) p.relative = cr__scale2(p.relative, 0.5 * p.radius / cr__length2(p.relative));
    double share = rnd_unit(&seed);
    CrVec2 back = cr__scale2(p.relative, -1.0);
    CrHalfPlane a = cr__orca_agent(p.relative, p.velocity, p.other, p.radius, p.horizon, 0.1, share);
    CrHalfPlane b = cr__orca_agent(back, p.other, p.velocity, p.radius, p.horizon, 0.1, 1.0 - share);
    CHECK_NEAR(a.normal.x, -b.normal.x, 1e-12);
    CHECK_NEAR(a.normal.z, -b.normal.z, 1e-12);
    CrHalfPlane whole = cr__orca_agent(p.relative, p.velocity, p.other, p.radius, p.horizon, 0.1, 1.0);
    CrVec2 both = cr__sub2(change_of(a, p.velocity), change_of(b, p.other));
    CrVec2 all = change_of(whole, p.velocity);
    CHECK_NEAR(both.x, all.x, 1e-9);
    CHECK_NEAR(both.z, all.z, 1e-9);
  }
}

static bool plane_is_sound(CrHalfPlane plane) {
  return cr__is_finite(plane.point.x) && cr__is_finite(plane.point.z) && fabs(cr__length2(plane.normal) - 1.0) < 1e-12;
}

static bool same_plane(CrHalfPlane a, CrHalfPlane b) {
  return cr__bits(a.point.x) == cr__bits(b.point.x) && cr__bits(a.point.z) == cr__bits(b.point.z) &&
         cr__bits(a.normal.x) == cr__bits(b.normal.x) && cr__bits(a.normal.z) == cr__bits(b.normal.z);
}

// Of two others the second may overlap, stand at the same place, or move so that there is no direction.
static Pair random_other(uint64_t *seed, CrVec2 velocity) {
  Pair p = random_pair(seed);
  if (rnd_int(seed, 3) == 0) p.relative = random_vector(seed, p.radius * rnd_int(seed, 2));
  if (rnd_int(seed, 4) == 0) p.other = velocity;
  return p;
}

TEST(two_others_at_a_time_are_as_one_by_one) {
  uint64_t seed = 8;
  int mixed = 0;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    CrVec2 velocity = random_vector(&seed, 4.0);
    Pair a = random_other(&seed, velocity), b = random_other(&seed, velocity);
    double share[2] = {rnd_unit(&seed), rnd_unit(&seed)}, horizon = rnd_range(&seed, 0.3, 4.0), step = 0.1;
    CrOrcaSelf self = cr__orca_self(velocity, horizon, step);
    CrOrcaPair pair = {{a.relative.x, b.relative.x}, {a.relative.z, b.relative.z}, {a.other.x, b.other.x},
                       {a.other.z, b.other.z},       {a.radius, b.radius},         {share[0], share[1]}};
    CrHalfPlane planes[2];
    cr__orca_agents(&self, &pair, planes);
    CHECK(same_plane(planes[0], cr__orca_agent(a.relative, velocity, a.other, a.radius, horizon, step, share[0])));
    CHECK(same_plane(planes[1], cr__orca_agent(b.relative, velocity, b.other, b.radius, horizon, step, share[1])));
    mixed += (cr__length2(a.relative) <= a.radius) != (cr__length2(b.relative) <= b.radius);
  }
  printf("  one of two overlaps in %d runs\n", mixed);
  CHECK(mixed > 2000);
}

TEST(degenerate_pairs_are_finite) {
  static const double values[] = {0.0, 1e-300, 1e-160, 1e-3, 1.0, 1e-308, 5e-324, 2e6, -1e-3, -1.0, -2e6};
  int32_t count = (int32_t)(sizeof values / sizeof values[0]);
  uint64_t seed = 8;
  for (int run = 0; run < 200000; run++) {
    check_seed = (uint64_t)run;
    double v[6];
    for (int k = 0; k < 6; k++) v[k] = values[rnd_int(&seed, count)];
    double radius = fabs(values[1 + rnd_int(&seed, count - 1)]), horizon = rnd_int(&seed, 2) ? 2.5 : 1.5;
    static const double steps[] = {5e-324, 1e-9, 1.0 / 60.0, 3600.0};
    double step = steps[rnd_int(&seed, 4)], share = rnd_int(&seed, 3) * 0.5;
    CrHalfPlane plane =
        cr__orca_agent(cr__vec2(v[0], v[1]), cr__vec2(v[2], v[3]), cr__vec2(v[4], v[5]), radius, horizon, step, share);
    CHECK(plane_is_sound(plane));
  }
}

TEST(no_relative_velocity_and_no_distance_have_documented_planes) {
  // The relative velocity that meets the centre exactly at the horizon is pushed straight back.
  CrHalfPlane plane = cr__orca_agent(cr__vec2(4, 0), cr__vec2(2, 0), cr__vec2(0, 0), 1.0, 2.0, 0.1, 1.0);
  CHECK(plane.normal.x == -1.0 && plane.normal.z == 0.0);
  CHECK_NEAR(plane.point.x, 1.5, 1e-15);
  // Nothing tells the direction: +x.
  plane = cr__orca_agent(cr__vec2(0, 0), cr__vec2(1, 1), cr__vec2(1, 1), 1.0, 2.0, 0.5, 0.5);
  CHECK(plane.normal.x == 1.0 && plane.normal.z == 0.0);
  CHECK_NEAR(plane.point.x, 2.0, 1e-15);
  CHECK_NEAR(plane.point.z, 1.0, 1e-15);
  // Exactly head on, both turn to the same hand.
  CrHalfPlane a = cr__orca_agent(cr__vec2(4, 0), cr__vec2(3, 0), cr__vec2(-3, 0), 1.0, 2.0, 0.1, 0.5);
  CrHalfPlane b = cr__orca_agent(cr__vec2(-4, 0), cr__vec2(-3, 0), cr__vec2(3, 0), 1.0, 2.0, 0.1, 0.5);
  CHECK(a.normal.z < 0.0 && b.normal.z == -a.normal.z && b.normal.x == -a.normal.x);
}

// --- Walls ------------------------------------------------------------------------------------------------------------

static const CrVec2 wall_a = {2, 1}, wall_b = {6, 4};  // length 5, direction (0.8, 0.6), walkable side (-0.6, 0.8)

// `along` from a, `out` to the walkable side.
static CrVec2 at_wall(double along, double out) {
  return cr__vec2(2 + 0.8 * along - 0.6 * out, 1 + 0.6 * along + 0.8 * out);
}

static bool boundary(CrVec2 a, CrVec2 b, CrVec2 position, double clearance, double horizon, CrHalfPlane *plane) {
  CrOrcaWall wall = cr__orca_wall(a, b);
  CrOrcaSide side;
  if (!cr__orca_faces(&wall, position, clearance, &side)) return false;
  *plane = cr__orca_boundary(&wall, side.out, clearance, horizon);
  return true;
}

static bool wall_plane(double along, double out, CrHalfPlane *plane) {
  return boundary(wall_a, wall_b, at_wall(along, out), 0.05, 1.25, plane);
}

TEST(walls_limit_the_approach_to_the_clearance_over_the_horizon) {
  CrHalfPlane plane = {{0, 0}, {0, 0}};
  CHECK(wall_plane(2.0, 0.55, &plane));
  CHECK_NEAR(plane.normal.x, -0.6, 1e-15);
  CHECK_NEAR(plane.normal.z, 0.8, 1e-15);
  CHECK_NEAR(cr__dot2(plane.point, plane.normal), -0.5 / 1.25, 1e-12);
  // A step at the limit for the whole horizon ends at the clearance.
  CrVec2 end = cr__add2(at_wall(2.0, 0.55), cr__scale2(plane.point, 1.25));
  CHECK_NEAR(cr__dot2(plane.normal, cr__sub2(end, wall_a)), 0.05, 1e-12);
}

TEST(walls_face_only_what_stands_before_their_inner_part) {
  CrHalfPlane plane = {{0, 0}, {0, 0}};
  double margin = 0.05 + 1e-6;
  CHECK(wall_plane(margin + 1e-9, 0.5, &plane) && !wall_plane(margin - 1e-9, 0.5, &plane));
  CHECK(wall_plane(5 - margin - 1e-9, 0.5, &plane) && !wall_plane(5 - margin + 1e-9, 0.5, &plane));
  CHECK(!wall_plane(0, 0, &plane) && !wall_plane(5, 0, &plane));
  CHECK(wall_plane(2, -0.9e-6, &plane) && !wall_plane(2, -1.1e-6, &plane));
  CHECK(!boundary(wall_a, wall_a, wall_a, 0.05, 1.0, &plane));
  CHECK(!boundary(wall_a, wall_b, at_wall(2.5, 1), 2.5, 1.0, &plane));
}

TEST(a_wall_that_is_touched_lets_one_stand_and_slide) {
  static const double outs[] = {-9e-7, 0.0, 1e-12, 0.049};
  for (size_t k = 0; k < sizeof outs / sizeof outs[0]; k++) {
    CrHalfPlane plane = {{0, 0}, {0, 0}};
    CHECK(wall_plane(2, outs[k], &plane));
    CHECK(plane_is_sound(plane));
    CHECK_NEAR(cr__dot2(plane.point, plane.normal), 0.0, 0.0);
  }
}

// Whatever the wall, the position, the clearance and the horizon, and whether it faces or not: finite, and standing still keeps it.
TEST(walls_at_their_ends_and_on_their_line_are_finite) {
  static const double scales[] = {1e-300, 1e-141, 1e-12, 1e-6, 1.0, 2e6};
  uint64_t seed = 9;
  int64_t facing = 0, tried = 0;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    CrVec2 a = random_vector(&seed, 2e6), b = cr__add2(a, random_vector(&seed, scales[rnd_int(&seed, 6)]));
    CrOrcaWall wall = cr__orca_wall(a, b);
    double length = cr__length2(wall.along);
    CHECK(cr__is_finite(wall.length) && (length == 0.0 || fabs(length - 1.0) < 1e-12));
    CrVec2 middle = cr__scale2(cr__add2(a, b), 0.5), beyond = cr__sub2(cr__add2(b, b), a);
    CrVec2 out = cr__add2(middle, cr__scale2(cr__vec2(-wall.along.z, wall.along.x), rnd_range(&seed, -1e-6, 3)));
    CrVec2 positions[] = {a, b, middle, beyond, out};
    double clearance = rnd_int(&seed, 2) ? 0.0 : 0.05;
    for (int k = 0; k < 5; k++, tried++) {
      CrOrcaSide side;
      bool faces = cr__orca_faces(&wall, positions[k], clearance, &side);
      CrHalfPlane plane = cr__orca_boundary(&wall, side.out, clearance, 0.75);
      CHECK(cr__is_finite(side.along) && cr__is_finite(plane.point.x) && cr__is_finite(plane.point.z));
      CHECK(cr__dot2(plane.point, plane.normal) <= 0.0);
      CHECK(!faces || (plane_is_sound(plane) && k != 0 && k != 1 && k != 3));
      facing += faces;
    }
  }
  printf("  %" PRId64 " positions, %" PRId64 " of them faced\n", tried, facing);
  CHECK(facing > 1000);
}

TEST_MAIN(RUN(the_plane_touches_the_colliding_velocities_where_they_are_nearest),
          RUN(pairs_that_overlap_come_apart_within_dt), RUN(both_agents_take_their_shares_of_one_change),
          RUN(two_others_at_a_time_are_as_one_by_one), RUN(degenerate_pairs_are_finite),
          RUN(no_relative_velocity_and_no_distance_have_documented_planes),
          RUN(walls_limit_the_approach_to_the_clearance_over_the_horizon),
          RUN(walls_face_only_what_stands_before_their_inner_part),
          RUN(a_wall_that_is_touched_lets_one_stand_and_slide), RUN(walls_at_their_ends_and_on_their_line_are_finite))
