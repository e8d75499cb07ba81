// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The velocity program against brute force. A feasible optimum is the wanted velocity, its projection on one line or circle,
// or a vertex; the least largest miss is taken at a vertex of the arrangement of hard lines, circle, and bisectors of
// soft pairs, or where one soft miss meets the circle or a hard line. The oracles try them all.
#include <math.h>

#include "check.h"
#include "orca_internal.h"

#define MAX_PLANES 24

typedef struct Problem {
  CrHalfPlane planes[MAX_PLANES];
  int32_t count, hard_count;
  double radius;
  CrVec2 wanted;
} Problem;

static double miss_of(const CrHalfPlane *plane, CrVec2 v) { return cr__dot2(plane->normal, cr__sub2(plane->point, v)); }

static double largest_miss(const CrHalfPlane *planes, int32_t from, int32_t to, CrVec2 v) {
  double worst = -1e300;
  for (int32_t i = from; i < to; i++) worst = fmax(worst, miss_of(&planes[i], v));
  return worst;
}

// --- Candidates -------------------------------------------------------------------------------------------------------

// A line as normal . v = offset.
typedef struct Line {
  CrVec2 normal;
  double offset;
} Line;

typedef struct Candidates {
  CrVec2 points[40000];
  int32_t count;
} Candidates;

static Candidates candidates;

static void add_candidate(CrVec2 v) {
  REQUIRE(candidates.count < (int32_t)(sizeof candidates.points / sizeof candidates.points[0]));
  candidates.points[candidates.count++] = v;
}

static Line line_of(const CrHalfPlane *plane) { return (Line){plane->normal, cr__dot2(plane->normal, plane->point)}; }

static void add_crossing(Line a, Line b) {
  double det = a.normal.x * b.normal.z - a.normal.z * b.normal.x;
  if (fabs(det) < 1e-12) return;
  add_candidate(cr__vec2((a.offset * b.normal.z - b.offset * a.normal.z) / det,
                         (a.normal.x * b.offset - b.normal.x * a.offset) / det));
}

static void add_circle_crossings(Line line, double radius) {
  double squared = cr__length2_squared(line.normal);
  if (squared < 1e-24) return;
  CrVec2 nearest = cr__scale2(line.normal, line.offset / squared);
  double rest = radius * radius - cr__length2_squared(nearest);
  if (rest < 0.0) return;
  CrVec2 along = cr__scale2(cr__vec2(line.normal.z, -line.normal.x), sqrt(rest / squared));
  add_candidate(cr__add2(nearest, along));
  add_candidate(cr__sub2(nearest, along));
}

static CrVec2 into_disc(CrVec2 v, double radius) {
  double length = cr__length2(v);
  return length > radius ? cr__scale2(v, radius / length) : v;
}

// --- Oracles ----------------------------------------------------------------------------------------------------------

static bool inside(const Problem *p, int32_t count, CrVec2 v, double tolerance) {
  return cr__length2(v) <= p->radius + tolerance && (count == 0 || largest_miss(p->planes, 0, count, v) <= tolerance);
}

// Distance of the nearest point to `wanted` that keeps the first `count` planes, or -1 when nothing keeps them.
static double nearest_kept(const Problem *p, int32_t count, double tolerance) {
  candidates.count = 0;
  add_candidate(into_disc(p->wanted, p->radius));
  for (int32_t i = 0; i < count; i++) {
    Line line = line_of(&p->planes[i]);
    add_candidate(cr__add2(p->wanted, cr__scale2(line.normal, line.offset - cr__dot2(line.normal, p->wanted))));
    add_circle_crossings(line, p->radius);
    for (int32_t j = 0; j < i; j++) add_crossing(line, line_of(&p->planes[j]));
  }
  double best = -1.0;
  for (int32_t i = 0; i < candidates.count; i++) {
    if (!inside(p, count, candidates.points[i], tolerance)) continue;
    double distance = cr__length2(cr__sub2(candidates.points[i], p->wanted));
    if (best < 0.0 || distance < best) best = distance;
  }
  return best;
}

// Least largest miss of the planes hard..count among the velocities that keep the first `hard`.
static double least_largest_miss(const Problem *p, int32_t hard, int32_t count) {
  static Line lines[MAX_PLANES * MAX_PLANES];
  int32_t line_count = 0;
  candidates.count = 0;
  for (int32_t i = 0; i < hard; i++) lines[line_count++] = line_of(&p->planes[i]);
  for (int32_t i = hard; i < count; i++) {
    Line a = line_of(&p->planes[i]);
    add_candidate(cr__scale2(a.normal, p->radius));
    for (int32_t j = hard; j < i; j++) {
      Line b = line_of(&p->planes[j]);
      lines[line_count++] = (Line){cr__sub2(a.normal, b.normal), a.offset - b.offset};
      // Opposite directions leave a whole line of optima: its point nearest the middle stands for them.
      double squared = cr__length2_squared(lines[line_count - 1].normal);
      if (squared > 1e-20) {
        add_candidate(cr__scale2(lines[line_count - 1].normal, lines[line_count - 1].offset / squared));
      }
    }
  }
  for (int32_t i = 0; i < line_count; i++) {
    add_circle_crossings(lines[i], p->radius);
    for (int32_t j = 0; j < i; j++) add_crossing(lines[i], lines[j]);
  }
  double best = 1e300;
  for (int32_t i = 0; i < candidates.count; i++) {
    if (!inside(p, hard, candidates.points[i], 1e-9)) continue;
    best = fmin(best, largest_miss(p->planes, hard, count, candidates.points[i]));
  }
  return best;
}

// --- Problems ---------------------------------------------------------------------------------------------------------

static CrVec2 random_direction(uint64_t *seed) {
  for (;;) {
    CrVec2 v = {rnd_range(seed, -1, 1), rnd_range(seed, -1, 1)};
    double length = cr__length2(v);
    if (length > 0.1 && length <= 1.0) return cr__scale2(v, 1.0 / length);
  }
}

// Kinds 1.. bring the degenerate cases: few directions (parallel and opposite planes), repeated planes, planes through one point,
// planes that miss the disc.
static CrHalfPlane random_plane(uint64_t *seed, const Problem *p, int kind) {
  static const CrVec2 compass[8] = {{1, 0},     {0, 1},       {-1, 0},     {0, -1},
                                    {0.6, 0.8}, {-0.6, -0.8}, {0.8, -0.6}, {-0.8, 0.6}};
  CrHalfPlane plane;
  plane.normal = kind == 1 || kind == 2 ? compass[rnd_int(seed, 8)] : random_direction(seed);
  double offset = rnd_range(seed, -1.0, 0.6) * p->radius;
  if (kind == 2) offset = (rnd_int(seed, 5) - 2) * 0.25 * p->radius;
  if (kind == 4) offset = rnd_range(seed, -3.0, 3.0) * p->radius;
  plane.point = cr__scale2(plane.normal, offset);
  if (kind == 3) plane.point = cr__vec2(0.25 * p->radius, -0.125 * p->radius);
  plane.point = cr__add2(plane.point, cr__scale2(cr__vec2(-plane.normal.z, plane.normal.x), rnd_range(seed, -2, 2)));
  if (kind == 3) plane.point = cr__vec2(0.25 * p->radius, -0.125 * p->radius);
  if (kind != 0 && p->count > 0 && rnd_int(seed, 8) == 0) plane = p->planes[rnd_int(seed, p->count)];
  return plane;
}

static Problem random_problem(uint64_t *seed, int32_t most) {
  Problem p;
  int kind = rnd_int(seed, 6);
  p.radius = rnd_range(seed, 0.5, 6.0);
  p.wanted = random_direction(seed);
  p.wanted = cr__scale2(p.wanted, rnd_range(seed, 0.0, 1.3) * p.radius);
  if (rnd_int(seed, 6) == 0) p.wanted = cr__vec2(0, 0);
  int32_t count = 1 + rnd_int(seed, most);
  p.hard_count = rnd_int(seed, 3) ? rnd_int(seed, count + 1) / 2 : 0;
  for (p.count = 0; p.count < count; p.count++) {
    CrHalfPlane plane = random_plane(seed, &p, kind);
    // Half the sets get hard planes as walls give them: standing still keeps them.
    if (p.count < p.hard_count && kind < 3 && miss_of(&plane, cr__vec2(0, 0)) > 0) plane.point = cr__vec2(0, 0);
    p.planes[p.count] = plane;
  }
  return p;
}

static struct {
  int64_t kept, soft, hard;
  double worst_distance, worst_miss;
} figures;

static void check_problem(const Problem *p) {
  CrHalfPlane scratch[MAX_PLANES];
  CrOrcaOutcome outcome;
  CrVec2 v = cr__orca_solve(p->planes, p->count, p->hard_count, p->radius, p->wanted, scratch, &outcome);
  CHECK(cr__is_finite(v.x) && cr__is_finite(v.z));
  CHECK(cr__length2(v) <= p->radius + 1e-8);
  if (outcome == CR_ORCA_KEPT) {
    figures.kept++;
    CHECK(largest_miss(p->planes, 0, p->count, v) <= 1e-8);
    double best = nearest_kept(p, p->count, 1e-9), distance = cr__length2(cr__sub2(v, p->wanted));
    CHECK(best >= 0.0);
    figures.worst_distance = fmax(figures.worst_distance, distance - best);
    CHECK(distance <= best + 1e-6);
  } else if (outcome == CR_ORCA_SOFT_MISSED) {
    figures.soft++;
    CHECK(nearest_kept(p, p->count, -1e-7) < 0.0);
    if (p->hard_count) CHECK(largest_miss(p->planes, 0, p->hard_count, v) <= 1e-8);
    double least = least_largest_miss(p, p->hard_count, p->count);
    double missed = largest_miss(p->planes, p->hard_count, p->count, v);
    figures.worst_miss = fmax(figures.worst_miss, missed - least);
    CHECK(missed <= least + 1e-6);
  } else {
    figures.hard++;
    CHECK(nearest_kept(p, p->hard_count, -1e-7) < 0.0);
    double least = least_largest_miss(p, 0, p->hard_count);
    CHECK(largest_miss(p->planes, 0, p->hard_count, v) <= least + 1e-6);
  }
}

static void run_problems(uint64_t seed, int64_t runs, int32_t most) {
  memset(&figures, 0, sizeof figures);
  for (int64_t run = 0; run < runs; run++) {
    check_seed = seed + (uint64_t)run;
    uint64_t state = check_seed;
    Problem p = random_problem(&state, most);
    check_problem(&p);
  }
  printf("  %" PRId64 " sets of up to %d planes: %" PRId64 " kept, %" PRId64 " soft missed, %" PRId64
         " hard missed; worst excess distance %.2g, miss %.2g\n",
         runs, most, figures.kept, figures.soft, figures.hard, figures.worst_distance, figures.worst_miss);
  CHECK(figures.kept > runs / 20 && figures.soft > runs / 20 && figures.hard > runs / 200);
}

TEST(small_sets_match_brute_force) { run_problems(1000, check_scaled(1000000), 6); }
TEST(large_sets_match_brute_force) { run_problems(900000000, check_scaled(20000), 14); }

// --- Chosen cases -----------------------------------------------------------------------------------------------------

static CrVec2 solve(const CrHalfPlane *planes, int32_t count, int32_t hard, CrVec2 wanted, CrOrcaOutcome *outcome) {
  CrHalfPlane scratch[MAX_PLANES];
  return cr__orca_solve(planes, count, hard, 2.0, wanted, scratch, outcome);
}

TEST(no_planes_give_the_wanted_velocity) {
  CrOrcaOutcome outcome;
  CrVec2 v = solve(NULL, 0, 0, cr__vec2(1, 0.5), &outcome);
  CHECK(v.x == 1.0 && v.z == 0.5 && outcome == CR_ORCA_KEPT);
  v = solve(NULL, 0, 0, cr__vec2(3, 4), &outcome);
  CHECK_NEAR(v.x, 1.2, 1e-15);
  CHECK_NEAR(v.z, 1.6, 1e-15);
}

TEST(planes_that_hold_change_nothing) {
  CrHalfPlane planes[2] = {{{0, -1}, {0, 1}}, {{-1, 0}, {1, 0}}};
  CrOrcaOutcome outcome;
  CrVec2 v = solve(planes, 2, 1, cr__vec2(0.25, 0.75), &outcome);
  CHECK(v.x == 0.25 && v.z == 0.75 && outcome == CR_ORCA_KEPT);
}

TEST(opposite_soft_planes_share_the_miss_nearest_the_wanted_velocity) {
  CrHalfPlane planes[2] = {{{1, 0}, {1, 0}}, {{-0.5, 0}, {-1, 0}}};
  CrOrcaOutcome outcome;
  CrVec2 v = solve(planes, 2, 0, cr__vec2(0, 0.75), &outcome);
  CHECK(outcome == CR_ORCA_SOFT_MISSED);
  CHECK_NEAR(v.x, 0.25, 1e-12);
  CHECK_NEAR(v.z, 0.75, 1e-12);
}

TEST(hard_planes_come_first) {
  // The soft plane wants x >= 1, the hard one x <= 0.
  CrHalfPlane planes[2] = {{{0, 0}, {-1, 0}}, {{1, 0}, {1, 0}}};
  CrOrcaOutcome outcome;
  CrVec2 v = solve(planes, 2, 1, cr__vec2(1, 0), &outcome);
  CHECK(outcome == CR_ORCA_SOFT_MISSED);
  CHECK_NEAR(v.x, 0.0, 1e-12);
  v = solve(planes, 2, 2, cr__vec2(1, 0), &outcome);
  CHECK(outcome == CR_ORCA_HARD_MISSED);
  CHECK_NEAR(v.x, 0.5, 1e-12);
}

TEST(the_order_of_planes_may_only_change_rounding_when_the_optimum_is_unique) {
  uint64_t seed = 77;
  double worst = 0.0;
  for (int run = 0; run < 20000; run++) {
    check_seed = (uint64_t)run;
    Problem p;
    p.radius = 2.0;
    p.wanted = cr__scale2(random_direction(&seed), 1.5);
    p.count = 0;
    p.hard_count = 0;
    for (; p.count < 6; p.count++) p.planes[p.count] = random_plane(&seed, &p, 0);
    CrHalfPlane scratch[MAX_PLANES], reversed[MAX_PLANES];
    for (int32_t i = 0; i < 6; i++) reversed[i] = p.planes[5 - i];
    CrVec2 a = cr__orca_solve(p.planes, 6, 0, 2.0, p.wanted, scratch, NULL);
    CrVec2 b = cr__orca_solve(reversed, 6, 0, 2.0, p.wanted, scratch, NULL);
    double miss_a = largest_miss(p.planes, 0, 6, a), miss_b = largest_miss(p.planes, 0, 6, b);
    worst = fmax(worst, fabs(fmax(miss_a, 0) - fmax(miss_b, 0)));
  }
  printf("  20000 sets reversed: largest difference of the miss %.2g\n", worst);
  CHECK(worst < 1e-7);
}

// --- Bits -------------------------------------------------------------------------------------------------------------

// The program of sets that can be kept, plane by plane. False when nothing is left.
static bool keep_one_by_one(const Problem *p, CrVec2 *v) {
  double squared = cr__length2_squared(p->wanted), radius = p->radius;
  *v = squared <= radius * radius ? p->wanted : cr__scale2(p->wanted, radius / cr__sqrt(squared));
  for (int32_t i = 0; i < p->count; i++) {
    if (miss_of(&p->planes[i], *v) <= CR_ORCA_TOLERANCE) continue;
    CrVec2 point = p->planes[i].point, along = {p->planes[i].normal.z, -p->planes[i].normal.x};
    double middle = -cr__dot2(point, along);
    double reach = middle * middle + radius * radius - cr__length2_squared(point);
    if (reach < 0.0) return false;
    double low = middle - cr__sqrt(reach), high = middle + cr__sqrt(reach);
    for (int32_t j = 0; j < i; j++) {
      double slope = cr__dot2(p->planes[j].normal, along), missed = miss_of(&p->planes[j], point);
      if (slope > 1e-10) {
        low = low > missed / slope ? low : missed / slope;
      } else if (slope < -1e-10) {
        high = high < missed / slope ? high : missed / slope;
      } else if (missed > CR_ORCA_TOLERANCE) {
        return false;
      }
      if (low > high + CR_ORCA_TOLERANCE) return false;
    }
    if (low > high) low = 0.5 * (low + high);
    if (high < low) high = low;
    *v = cr__add2(point, cr__scale2(along, cr__clamp(cr__dot2(along, cr__sub2(p->wanted, point)), low, high)));
  }
  return true;
}

static CrVec2 any_direction(uint64_t *seed) {
  static const CrVec2 even[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0.6, 0.8}, {-0.6, 0.8}, {0.8, -0.6}, {-0.8, -0.6}};
  if (rnd_int(seed, 2)) return even[rnd_int(seed, 8)];
  double angle = rnd_range(seed, 0.0, 6.283185307179586);
  return cr__vec2(cos(angle), sin(angle));
}

// Many of them with lines through one point, that of the agent's walls where it is in a corner: there zeros have signs.
TEST(planes_taken_two_at_a_time_give_the_bits_of_one_by_one) {
  int64_t kept = 0, zeros = 0;
  for (int64_t run = check_scaled(300000); run > 0; run--) {
    uint64_t seed = check_seed = 77000 + (uint64_t)run;
    Problem p = {.count = 1 + rnd_int(&seed, 8), .radius = 2.0};
    for (int32_t k = 0; k < p.count; k++) {
      CrVec2 normal = any_direction(&seed);
      double out = rnd_int(&seed, 3) ? rnd_int(&seed, 2) ? -0.0 : 0.0 : rnd_range(&seed, -1.5, 0.2);
      p.planes[k] = (CrHalfPlane){cr__scale2(normal, out), normal};
    }
    p.hard_count = rnd_int(&seed, p.count + 1);
    p.wanted = any_direction(&seed);
    p.wanted = cr__scale2(p.wanted, rnd_int(&seed, 4) ? rnd_range(&seed, 0.0, 3.0) : 1.0);
    CrHalfPlane scratch[MAX_PLANES];
    CrOrcaOutcome outcome;
    CrVec2 plain, v = cr__orca_solve(p.planes, p.count, p.hard_count, p.radius, p.wanted, scratch, &outcome);
    bool can = keep_one_by_one(&p, &plain);
    CHECK_INT(outcome == CR_ORCA_KEPT, can);
    if (!can) continue;
    CHECK(memcmp(&v, &plain, sizeof v) == 0);
    kept++;
    zeros += v.x == 0.0 || v.z == 0.0;
  }
  printf("  %lld sets kept, %lld with a zero\n", (long long)kept, (long long)zeros);
  CHECK(kept > check_scaled(100000) && zeros > check_scaled(10000));
}

TEST_MAIN(RUN(small_sets_match_brute_force), RUN(large_sets_match_brute_force), RUN(no_planes_give_the_wanted_velocity),
          RUN(planes_that_hold_change_nothing), RUN(opposite_soft_planes_share_the_miss_nearest_the_wanted_velocity),
          RUN(hard_planes_come_first), RUN(the_order_of_planes_may_only_change_rounding_when_the_optimum_is_unique),
          RUN(planes_taken_two_at_a_time_give_the_bits_of_one_by_one))
