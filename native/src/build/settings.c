// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build settings: defaults, ranges, the same in cells, and the cosine of the slope limit.
#include "settings_internal.h"

CrBuildSettings cr_build_settings_default(void) {
  return (CrBuildSettings){
      .agent_radius = 0.6,
      .agent_height = 2.0,
      .walkable_climb = 0.9,
      .max_slope = 45.0,
      .cell_size = 0.3,
      .cell_height = 0.2,
      .contour_max_error = 0.39,
      .max_edge_length = 12.0,
      .detail_sample_distance = 1.8,
      .detail_max_error = 0.2,
      .min_region_area = 64,
      .merge_region_area = 400,
      .max_verts_per_poly = 6,
      .partition = CR_PARTITION_WATERSHED,
      .tile_cells = 0,
  };
}

static CrStatus check_real(CrError *error, double value, double low, bool open, double high, const char *field) {
  bool above = open ? value > low : value >= low;
  if (above && value <= high) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, field, above ? high : low);
}

static CrStatus check_int(CrError *error, int32_t value, int32_t low, int32_t high, const char *field) {
  if (value >= low && value <= high) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, field, value < low ? low : high);
}

static CrStatus check_reals(const CrBuildSettings *s, CrError *error) {
  const double most = CR_COORD_LIMIT;
  const struct {
    double value, low;
    bool open;
    const char *field;
  } reals[] = {
      {s->agent_radius, 0, false, "settings.agentRadius"},
      {s->agent_height, 0, true, "settings.agentHeight"},
      {s->walkable_climb, 0, false, "settings.walkableClimb"},
      {s->cell_size, 0, true, "settings.cellSize"},
      {s->cell_height, 0, true, "settings.cellHeight"},
      {s->contour_max_error, 0, false, "settings.contourMaxError"},
      {s->max_edge_length, 0, false, "settings.maxEdgeLength"},
      {s->detail_sample_distance, 0, false, "settings.detailSampleDistance"},
      {s->detail_max_error, 0, false, "settings.detailMaxError"},
  };
  for (size_t i = 0; i < CR_COUNT_OF(reals); i++) {
    CrStatus status = check_real(error, reals[i].value, reals[i].low, reals[i].open, most, reals[i].field);
    if (status != CR_STATUS_OK) return status;
  }
  if (s->max_slope >= 0 && s->max_slope < 90) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.maxSlope", s->max_slope < 0 ? 0 : 90);
}

CrStatus cr__settings_validate(const CrBuildSettings *s, CrError *error) {
  CrStatus status = check_reals(s, error);
  if (status == CR_STATUS_OK) status = check_int(error, s->min_region_area, 0, INT32_MAX, "settings.minRegionArea");
  if (status == CR_STATUS_OK) status = check_int(error, s->merge_region_area, 0, INT32_MAX, "settings.mergeRegionArea");
  if (status == CR_STATUS_OK) {
    status = check_int(error, s->max_verts_per_poly, 3, CR_MAX_POLY_VERTS, "settings.maxVertsPerPoly");
  }
  if (status == CR_STATUS_OK) {
    status = check_int(error, (int32_t)s->partition, 0, CR_PARTITION_LAYERS, "settings.partition");
  }
  if (status == CR_STATUS_OK && s->tile_cells != 0) {
    status = check_int(error, s->tile_cells, 8, CR_BUILD_MAX_TILE_CELLS, "settings.tileCells");
  }
  // Every height and radius in cells must fit an int32 with room to add: 2^20 cells is beyond any use.
  if (status == CR_STATUS_OK && !(s->agent_radius / s->cell_size <= CR_BUILD_MAX_RADIUS_CELLS)) {
    status =
        cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.agentRadius", CR_BUILD_MAX_RADIUS_CELLS * s->cell_size);
  }
  if (status == CR_STATUS_OK && !(s->agent_height / s->cell_height <= CR_BUILD_MAX_HEIGHT_CELLS)) {
    status =
        cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.agentHeight", CR_BUILD_MAX_HEIGHT_CELLS * s->cell_height);
  }
  if (status == CR_STATUS_OK && !(s->walkable_climb / s->cell_height <= CR_BUILD_MAX_HEIGHT_CELLS)) {
    status =
        cr__fail_limit(error, CR_STATUS_ARGUMENT, "settings.walkableClimb", CR_BUILD_MAX_HEIGHT_CELLS * s->cell_height);
  }
  return status;
}

CrCells cr__settings_cells(const CrBuildSettings *s) {
  int32_t height = (int32_t)cr__ceil(cr__snap(s->agent_height / s->cell_height));
  return (CrCells){
      .height = height < 1 ? 1 : height,
      .climb = (int32_t)cr__floor(cr__snap(s->walkable_climb / s->cell_height)),
      .radius = (int32_t)cr__ceil(cr__snap(s->agent_radius / s->cell_size)),
  };
}

// Taylor series to x^18, |x| <= pi/4: the remainder is below 1e-19.
static double cos_series(double x) {
  double x2 = x * x, term = 1.0, sum = 1.0;
  for (int k = 1; k <= 9; k++) {
    term = -term * x2 / (double)((2 * k - 1) * (2 * k));
    sum += term;
  }
  return sum;
}

static double sin_series(double x) {
  double x2 = x * x, term = x, sum = x;
  for (int k = 1; k <= 9; k++) {
    term = -term * x2 / (double)((2 * k) * (2 * k + 1));
    sum += term;
  }
  return sum;
}

double cr__cos_degrees(double degrees) {
  const double radians_per_degree = 0.017453292519943295;
  if (degrees <= 45.0) return cos_series(degrees * radians_per_degree);
  return sin_series((90.0 - degrees) * radians_per_degree);
}
