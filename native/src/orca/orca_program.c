// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The velocity program: the point of a disc that keeps all half-planes and is nearest to a wanted velocity, by adding the
// planes one at a time (Seidel 1991; de Berg et al., "Computational Geometry", chapter 4; for infeasible sets the three-
// dimensional program of van den Berg et al. 2011, section 5.3). A plane that the best point so far misses has the new
// best point on its line, where the problem is one of intervals.
// order: planes are taken in the order given (no shuffling), which fixes every result.
#include "orca_internal.h"

// Lines whose directions differ by less than this sine count as parallel.
#define PARALLEL 1e-10

// What "best" means: nearest to a point, or farthest along a direction (ties: nearest to the point).
typedef struct Goal {
  CrVec2 wanted;
  CrVec2 direction;
  bool along_direction;
} Goal;

static double miss(const CrHalfPlane *plane, CrVec2 v) { return cr__dot2(plane->normal, cr__sub2(plane->point, v)); }

// The part of a line point + t * direction from low to high.
typedef struct Part {
  double low, high;
} Part;

// Cuts a line to the planes. False when nothing is left. order: of equal ends, which differ by the sign of zero at most, the last
static bool cut_in_order(const CrHalfPlane *planes, int32_t count, CrVec2 point, CrVec2 direction, Part *part) {
  for (int32_t j = 0; j < count; j++) {
    double slope = cr__dot2(planes[j].normal, direction);
    double missed = miss(&planes[j], point);
    if (slope > PARALLEL) {
      part->low = cr__max(part->low, missed / slope);
    } else if (slope < -PARALLEL) {
      part->high = cr__min(part->high, missed / slope);
    } else if (missed > CR_ORCA_TOLERANCE) {
      return false;
    }
  }
  return part->low <= part->high + CR_ORCA_TOLERANCE;
}

// The same two at a time and without branches, but for which of equal ends it is.
static bool cut_by_twos(const CrHalfPlane *planes, int32_t count, CrVec2 point, CrVec2 direction, Part *part) {
  CrTwo low = cr__two(part->low), high = cr__two(part->high);
  CrTwoMask missed_all = {0, 0};
  for (int32_t j = 0; j < count; j += 2) {
    const CrHalfPlane *a = &planes[j], *b = &planes[j + 1 < count ? j + 1 : j];
    CrTwo normal_x = {a->normal.x, b->normal.x}, normal_z = {a->normal.z, b->normal.z};
    CrTwo x = {a->point.x, b->point.x}, z = {a->point.z, b->point.z};
    CrTwo slope = normal_x * direction.x + normal_z * direction.z;
    CrTwo missed = normal_x * (x - point.x) + normal_z * (z - point.z), t = missed / slope;
    CrTwoMask rises = slope > cr__two(PARALLEL), falls = slope < cr__two(-PARALLEL);
    low = cr__two_choose(rises & (t >= low), t, low);
    high = cr__two_choose(falls & (t <= high), t, high);
    missed_all |= ~(rises | falls) & (missed > cr__two(CR_ORCA_TOLERANCE));
  }
  *part = (Part){cr__max(low[0], low[1]), cr__min(high[0], high[1])};
  return !(missed_all[0] | missed_all[1]) && part->low <= part->high + CR_ORCA_TOLERANCE;
}

// Cuts the line to the disc and the planes. False when nothing is left.
static bool cut_line(const CrHalfPlane *planes, int32_t count, double radius, CrVec2 point, CrVec2 direction,
                     double *out_low, double *out_high) {
  double middle = -cr__dot2(point, direction);
  double reach_squared = middle * middle + radius * radius - cr__length2_squared(point);
  if (reach_squared < 0.0) return false;
  double reach = cr__sqrt(reach_squared);
  Part whole = {middle - reach, middle + reach}, part = whole;
  if (!cut_by_twos(planes, count, point, direction, &part)) return false;
  if (part.low == 0.0 || part.high == 0.0) {  // with which sign?
    part = whole;
    cut_in_order(planes, count, point, direction, &part);
  }
  // Planes that meet in one point of the line may cross over by rounding: the middle misses each by less than can be told.
  *out_low = part.low > part.high ? 0.5 * (part.low + part.high) : part.low;
  *out_high = cr__max(*out_low, part.high);
  return true;
}

static double best_on_line(const Goal *goal, CrVec2 point, CrVec2 direction, double low, double high) {
  if (goal->along_direction) {
    double gain = cr__dot2(goal->direction, direction);
    if (gain > PARALLEL) return high;
    if (gain < -PARALLEL) return low;
  }
  return cr__clamp(cr__dot2(direction, cr__sub2(goal->wanted, point)), low, high);
}

static CrVec2 best_in_disc(const Goal *goal, double radius) {
  if (goal->along_direction) return cr__scale2(goal->direction, radius);
  double squared = cr__length2_squared(goal->wanted);
  if (squared <= radius * radius) return goal->wanted;
  return cr__scale2(goal->wanted, radius / cr__sqrt(squared));
}

// Adds the planes in order. Returns `count`, or the index of the first plane that leaves nothing: *v is then the best point
// of those before it.
static int32_t add_planes(const CrHalfPlane *planes, int32_t count, double radius, const Goal *goal, CrVec2 *v) {
  *v = best_in_disc(goal, radius);
  for (int32_t i = 0; i < count; i++) {
    if (miss(&planes[i], *v) <= CR_ORCA_TOLERANCE) continue;
    CrVec2 point = planes[i].point, direction = {planes[i].normal.z, -planes[i].normal.x};
    double low, high;
    if (!cut_line(planes, i, radius, point, direction, &low, &high)) return i;
    double t = best_on_line(goal, point, direction, low, high);
    *v = cr__add2(point, cr__scale2(direction, t));
  }
  return count;
}

// The velocities that miss `other` by no more than `plane`. False when the two face the same way: then whichever is missed
// more now is missed more everywhere.
static bool bisector(const CrHalfPlane *plane, const CrHalfPlane *other, CrHalfPlane *out) {
  CrVec2 normal = cr__sub2(other->normal, plane->normal);
  double length = cr__length2(normal);
  if (length <= PARALLEL) return false;
  normal = cr__scale2(normal, 1.0 / length);
  double offset = (cr__dot2(other->normal, other->point) - cr__dot2(plane->normal, plane->point)) / length;
  *out = (CrHalfPlane){cr__scale2(normal, offset), normal};
  return true;
}

// Makes the largest miss of planes hard_count.. as small as the hard ones allow, knowing that *v is best for the planes before
// `first`. A plane missed by more than the largest miss so far decides the new optimum: there it is missed at least as much
// as each plane before it, and as little as possible.
static void least_miss(const CrHalfPlane *planes, int32_t count, int32_t hard_count, int32_t first, double radius,
                       CrVec2 wanted, CrHalfPlane *scratch, CrVec2 *v) {
  double worst = 0.0;
  for (int32_t j = 0; j < hard_count; j++) scratch[j] = planes[j];
  for (int32_t i = first; i < count; i++) {
    if (miss(&planes[i], *v) <= worst + CR_ORCA_TOLERANCE) continue;
    int32_t rows = hard_count;
    for (int32_t j = hard_count; j < i; j++) rows += bisector(&planes[i], &planes[j], &scratch[rows]);
    Goal goal = {wanted, planes[i].normal, true};
    CrVec2 found;
    // Only rounding can leave nothing here: the point so far is then as good as can be told.
    if (add_planes(scratch, rows, radius, &goal, &found) == rows) *v = found;
    worst = miss(&planes[i], *v);
  }
}

CrVec2 cr__orca_solve(const CrHalfPlane *planes, int32_t count, int32_t hard_count, double max_speed, CrVec2 wanted,
                      CrHalfPlane *scratch, CrOrcaOutcome *out_outcome) {
  Goal goal = {wanted, {0.0, 0.0}, false};
  CrVec2 v;
  int32_t kept = add_planes(planes, count, max_speed, &goal, &v);
  CrOrcaOutcome outcome = CR_ORCA_KEPT;
  if (kept < hard_count) {
    least_miss(planes, hard_count, 0, kept, max_speed, wanted, scratch, &v);
    outcome = CR_ORCA_HARD_MISSED;
  } else if (kept < count) {
    least_miss(planes, count, hard_count, kept, max_speed, wanted, scratch, &v);
    outcome = CR_ORCA_SOFT_MISSED;
  }
  if (out_outcome) *out_outcome = outcome;
  return v;
}
