// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Upright prisms (box, cylinder, convex polygon) that give the ground inside them an area or block it. A column is inside
// when its centre lies in the shape grown by a distance, with round corners; the test is in plain f64 on the centre's world
// coordinates, which come from the global cell number, so the columns two tiles share are marked alike.
// Order: volumes act one after the other; what one has blocked no later one gives an area.
#include "build_internal.h"

// Corners may lie this much of the polygon's extent beyond the line of an edge, and the polygon must be thicker than that.
#define CONVEX_SLACK 1e-6

// --- Checks ---------------------------------------------------------------------------------------------------------------

static bool is_coord(double v) { return cr__abs(v) < CR_COORD_LIMIT; }
static bool is_length(double v) { return v > 0.0 && v < CR_COORD_LIMIT; }

static double corner_x(const CrVolume *volume, uint32_t k) { return volume->corners[2 * (size_t)k]; }
static double corner_z(const CrVolume *volume, uint32_t k) { return volume->corners[2 * (size_t)k + 1]; }

// Twice the signed area of corners i, i + 1 and k.
static double side_of(const CrVolume *volume, uint32_t i, uint32_t k) {
  uint32_t j = i + 1 < volume->corner_count ? i + 1 : 0;
  double ux = corner_x(volume, j) - corner_x(volume, i), uz = corner_z(volume, j) - corner_z(volume, i);
  double vx = corner_x(volume, k) - corner_x(volume, i), vz = corner_z(volume, k) - corner_z(volume, i);
  return ux * vz - uz * vx;
}

static double doubled_area(const CrVolume *volume) {
  double sum = 0.0;
  for (uint32_t i = 1; i + 1 < volume->corner_count; i++) sum += side_of(volume, i, 0);
  return sum;
}

static double edge_length(const CrVolume *volume, uint32_t i) {
  uint32_t j = i + 1 < volume->corner_count ? i + 1 : 0;
  double x = corner_x(volume, j) - corner_x(volume, i), z = corner_z(volume, j) - corner_z(volume, i);
  return cr__sqrt(x * x + z * z);
}

static double extent_of(const CrVolume *volume) {
  double low_x = corner_x(volume, 0), high_x = low_x, low_z = corner_z(volume, 0), high_z = low_z;
  for (uint32_t k = 1; k < volume->corner_count; k++) {
    low_x = cr__min(low_x, corner_x(volume, k));
    high_x = cr__max(high_x, corner_x(volume, k));
    low_z = cr__min(low_z, corner_z(volume, k));
    high_z = cr__max(high_z, corner_z(volume, k));
  }
  return cr__max(high_x - low_x, high_z - low_z);
}

static bool is_convex(const CrVolume *volume) {
  double area = doubled_area(volume), slack = CONVEX_SLACK * extent_of(volume);
  double sign = area < 0.0 ? -1.0 : 1.0;
  if (!(area * sign > slack * extent_of(volume))) return false;
  for (uint32_t i = 0; i < volume->corner_count; i++) {
    double length = edge_length(volume, i);
    if (!(length > 0.0)) return false;
    for (uint32_t k = 0; k < volume->corner_count; k++) {
      if (!(side_of(volume, i, k) * sign >= -slack * length)) return false;
      // A polygon that winds round twice has each corner left of each edge too, but comes back to where it was.
      if (k != i && corner_x(volume, k) == corner_x(volume, i) && corner_z(volume, k) == corner_z(volume, i)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_box(const CrVolume *volume) {
  return is_coord(volume->center_x) && is_coord(volume->center_z) && is_length(volume->half_x) &&
         is_length(volume->half_z) && cr__is_finite(volume->axis_x) && cr__is_finite(volume->axis_z);
}

static bool is_cylinder(const CrVolume *volume) {
  return is_coord(volume->center_x) && is_coord(volume->center_z) && is_length(volume->radius);
}

static bool is_prism(const CrVolume *volume) {
  if (volume->corner_count < 3 || volume->corner_count > CR_VOLUME_MAX_CORNERS) return false;
  for (uint32_t k = 0; k < 2 * volume->corner_count; k++) {
    if (!is_coord(volume->corners[k])) return false;
  }
  return is_convex(volume);
}

static bool is_volume(const CrVolume *volume) {
  if (volume->area > CR_MAX_AREA && volume->area != CR_AREA_BLOCKED) return false;
  if (!is_coord(volume->min_y) || !is_coord(volume->max_y) || !(volume->min_y <= volume->max_y)) return false;
  switch (volume->shape) {
    case CR_VOLUME_BOX:
      return is_box(volume);
    case CR_VOLUME_CYLINDER:
      return is_cylinder(volume);
    case CR_VOLUME_CONVEX:
      return is_prism(volume);
  }
  return false;
}

CrStatus cr__volumes_check(const CrVolume *volumes, uint32_t count, const char *field, CrError *error) {
  if (count && !volumes) return cr__fail(error, CR_STATUS_ARGUMENT, field);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_volume(&volumes[i])) return cr__fail_index(error, CR_STATUS_ARGUMENT, field, i);
  }
  return CR_STATUS_OK;
}

// --- Distance to a shape --------------------------------------------------------------------------------------------------

// A shape made ready for many points: unit axes of a box, edges of a polygon counter-clockwise.
typedef struct Shape {
  CrVolumeShape kind;
  double x, z;            // box, cylinder: centre
  double half_x, half_z;  // box
  double unit_x, unit_z;  // box: its x axis
  double reach2;          // square of the growth; cylinder: of radius and growth together
  uint32_t count;         // polygon
  struct {
    double x, z, dx, dz;
  } edges[CR_VOLUME_MAX_CORNERS];
} Shape;

// Scaled before it is squared, so that no length over- or underflows.
static void set_axis(const CrVolume *volume, Shape *out) {
  double most = cr__max(cr__abs(volume->axis_x), cr__abs(volume->axis_z));
  out->unit_x = 1.0;
  out->unit_z = 0.0;
  if (most == 0.0) return;
  double x = volume->axis_x / most, z = volume->axis_z / most, length = cr__sqrt(x * x + z * z);
  out->unit_x = x / length;
  out->unit_z = z / length;
}

static void set_edges(const CrVolume *volume, Shape *out) {
  bool reversed = doubled_area(volume) < 0.0;
  uint32_t count = out->count = volume->corner_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t k = reversed ? count - 1 - i : i;
    out->edges[i].x = corner_x(volume, k);
    out->edges[i].z = corner_z(volume, k);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = i + 1 < count ? i + 1 : 0;
    out->edges[i].dx = out->edges[j].x - out->edges[i].x;
    out->edges[i].dz = out->edges[j].z - out->edges[i].z;
  }
}

static void set_shape(const CrVolume *volume, double grow, Shape *out) {
  out->kind = volume->shape;
  out->unit_x = out->unit_z = 0.0;
  out->count = 0;
  out->x = volume->center_x;
  out->z = volume->center_z;
  out->half_x = volume->half_x;
  out->half_z = volume->half_z;
  double reach = volume->shape == CR_VOLUME_CYLINDER ? volume->radius + grow : grow;
  out->reach2 = reach * reach;
  if (volume->shape == CR_VOLUME_BOX) set_axis(volume, out);
  if (volume->shape == CR_VOLUME_CONVEX) set_edges(volume, out);
}

static bool in_box(const Shape *shape, double x, double z) {
  double dx = x - shape->x, dz = z - shape->z;
  double out_x = cr__abs(dx * shape->unit_x + dz * shape->unit_z) - shape->half_x;
  double out_z = cr__abs(dz * shape->unit_x - dx * shape->unit_z) - shape->half_z;
  out_x = cr__max(out_x, 0.0);
  out_z = cr__max(out_z, 0.0);
  return out_x * out_x + out_z * out_z <= shape->reach2;
}

static bool in_cylinder(const Shape *shape, double x, double z) {
  double dx = x - shape->x, dz = z - shape->z;
  return dx * dx + dz * dz <= shape->reach2;
}

// Inside is left of every edge; else the nearest point of an edge decides.
static bool in_polygon(const Shape *shape, double x, double z) {
  bool inside = true;
  for (uint32_t i = 0; i < shape->count; i++) {
    double px = x - shape->edges[i].x, pz = z - shape->edges[i].z, dx = shape->edges[i].dx, dz = shape->edges[i].dz;
    if (dx * pz - dz * px >= 0.0) continue;
    inside = false;
    double t = cr__clamp((px * dx + pz * dz) / (dx * dx + dz * dz), 0.0, 1.0);
    double qx = px - t * dx, qz = pz - t * dz;
    if (qx * qx + qz * qz <= shape->reach2) return true;
  }
  return inside;
}

static bool in_shape(const Shape *shape, double x, double z) {
  switch (shape->kind) {
    case CR_VOLUME_BOX:
      return in_box(shape, x, z);
    case CR_VOLUME_CYLINDER:
      return in_cylinder(shape, x, z);
    case CR_VOLUME_CONVEX:
      return in_polygon(shape, x, z);
  }
  return false;
}

// --- Columns --------------------------------------------------------------------------------------------------------------

void cr__volume_bounds(const CrVolume *volume, double grow, CrVolumeBounds *out) {
  double x = volume->center_x, z = volume->center_z, reach_x = volume->radius, reach_z = volume->radius;
  *out = (CrVolumeBounds){CR_COORD_LIMIT, -CR_COORD_LIMIT, CR_COORD_LIMIT, -CR_COORD_LIMIT};
  if (volume->shape == CR_VOLUME_CONVEX) {
    for (uint32_t k = 0; k < volume->corner_count; k++) {
      out->min_x = cr__min(out->min_x, corner_x(volume, k) - grow);
      out->max_x = cr__max(out->max_x, corner_x(volume, k) + grow);
      out->min_z = cr__min(out->min_z, corner_z(volume, k) - grow);
      out->max_z = cr__max(out->max_z, corner_z(volume, k) + grow);
    }
    return;
  }
  if (volume->shape == CR_VOLUME_BOX) {
    Shape shape;
    set_axis(volume, &shape);
    double ux = cr__abs(shape.unit_x), uz = cr__abs(shape.unit_z);
    reach_x = volume->half_x * ux + volume->half_z * uz;
    reach_z = volume->half_x * uz + volume->half_z * ux;
  }
  *out = (CrVolumeBounds){x - reach_x - grow, x + reach_x + grow, z - reach_z - grow, z + reach_z + grow};
}

// The columns of [0, count) with centres between two coordinates, one more on each side against rounding.
static void column_range(double low, double high, double origin, double cell, int32_t first_cell, int32_t count,
                         int32_t *out_first, int32_t *out_end) {
  double first = cr__floor((low - origin) / cell) - (double)first_cell - 1.0;
  double end = cr__floor((high - origin) / cell) - (double)first_cell + 2.0;
  *out_first = (int32_t)cr__clamp(first, 0.0, (double)count);
  *out_end = (int32_t)cr__clamp(end, 0.0, (double)count);
}

static void mark_column(CrOpenField *field, size_t column, const CrVolume *volume, double head) {
  uint8_t area = volume->area == CR_AREA_BLOCKED ? CR_AREA_NONE : volume->area;
  for (uint32_t span = field->first[column]; span < field->first[column + 1]; span++) {
    if (field->area[span] == CR_AREA_NONE) continue;
    double y = cr__grid_y(&field->grid, field->floor[span]);
    bool reached =
        head > 0.0 ? y > volume->min_y - head && y < volume->max_y : y >= volume->min_y && y <= volume->max_y;
    if (reached) field->area[span] = area;
  }
}

static void mark(CrOpenField *field, const CrVolume *volume, double grow, double head) {
  const CrGrid *grid = &field->grid;
  CrVolumeBounds bounds;
  Shape shape;
  int32_t x0, x1, z0, z1;
  cr__volume_bounds(volume, grow, &bounds);
  column_range(bounds.min_x, bounds.max_x, grid->origin_x, grid->cell_size, grid->cell_x, grid->width, &x0, &x1);
  column_range(bounds.min_z, bounds.max_z, grid->origin_z, grid->cell_size, grid->cell_z, grid->depth, &z0, &z1);
  if (x0 >= x1 || z0 >= z1) return;
  set_shape(volume, grow, &shape);
  for (int32_t z = z0; z < z1; z++) {
    double center_z = grid->origin_z + ((double)(grid->cell_z + z) + 0.5) * grid->cell_size;
    for (int32_t x = x0; x < x1; x++) {
      size_t column = (size_t)z * (size_t)grid->width + (size_t)x;
      if (field->first[column] == field->first[column + 1]) continue;
      double center_x = grid->origin_x + ((double)(grid->cell_x + x) + 0.5) * grid->cell_size;
      if (in_shape(&shape, center_x, center_z)) mark_column(field, column, volume, head);
    }
  }
}

void cr__volumes_mark(CrOpenField *field, const CrVolume *volumes, uint32_t count, double grow, double head) {
  for (uint32_t i = 0; i < count; i++) mark(field, &volumes[i], grow, head);
}

void cr__obstacles_mark(CrOpenField *field, const CrBuildSettings *settings, const CrVolume *obstacles,
                        uint32_t count) {
  cr__volumes_mark(field, obstacles, count, cr__obstacle_grow(settings), settings->agent_height);
}

// --- Rectangles -----------------------------------------------------------------------------------------------------------

#define REACH_SLACK 1e-6  // far above the rounding of coordinates below 2^21

// Whether all of a rectangle lies beyond `limit` in direction (x, z), measured from a point.
static bool lies_beyond(const CrVolumeBounds *r, double from_x, double from_z, double x, double z, double limit) {
  double near_x = x > 0.0 ? r->min_x : r->max_x, near_z = z > 0.0 ? r->min_z : r->max_z;
  return (near_x - from_x) * x + (near_z - from_z) * z > limit;
}

static bool box_reaches(const Shape *shape, double grow, const CrVolumeBounds *r) {
  double ux = shape->unit_x, uz = shape->unit_z, x = shape->x, z = shape->z;
  double along = shape->half_x + grow + REACH_SLACK, across = shape->half_z + grow + REACH_SLACK;
  return !lies_beyond(r, x, z, ux, uz, along) && !lies_beyond(r, x, z, -ux, -uz, along) &&
         !lies_beyond(r, x, z, -uz, ux, across) && !lies_beyond(r, x, z, uz, -ux, across);
}

static bool polygon_reaches(const Shape *shape, double grow, const CrVolumeBounds *r) {
  for (uint32_t i = 0; i < shape->count; i++) {
    double dx = shape->edges[i].dx, dz = shape->edges[i].dz, length = cr__sqrt(dx * dx + dz * dz);
    if (lies_beyond(r, shape->edges[i].x, shape->edges[i].z, dz, -dx, (grow + REACH_SLACK) * length)) return false;
  }
  return true;
}

static bool cylinder_reaches(const CrVolume *volume, double grow, const CrVolumeBounds *r) {
  double dx = volume->center_x - cr__clamp(volume->center_x, r->min_x, r->max_x);
  double dz = volume->center_z - cr__clamp(volume->center_z, r->min_z, r->max_z);
  double reach = volume->radius + grow + REACH_SLACK;
  return dx * dx + dz * dz <= reach * reach;
}

bool cr__volume_reaches(const CrVolume *volume, double grow, const CrVolumeBounds *rectangle) {
  CrVolumeBounds b;
  cr__volume_bounds(volume, grow + REACH_SLACK, &b);
  if (b.min_x > rectangle->max_x || b.max_x < rectangle->min_x) return false;
  if (b.min_z > rectangle->max_z || b.max_z < rectangle->min_z) return false;
  if (volume->shape == CR_VOLUME_CYLINDER) return cylinder_reaches(volume, grow, rectangle);
  Shape shape;
  set_shape(volume, grow, &shape);
  return volume->shape == CR_VOLUME_BOX ? box_reaches(&shape, grow, rectangle)
                                        : polygon_reaches(&shape, grow, rectangle);
}
