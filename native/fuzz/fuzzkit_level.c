// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Levels from bytes. Settings and geometry are always in range; volumes and links may be ones that are refused.
#include "fuzzkit_level.h"

#define HALF_SPAN 16  // cells

// --- Settings -------------------------------------------------------------------------------------------------------

static double pick(FuzzIn *in, const double *values, int32_t count) { return values[fuzz_below(in, count)]; }

static void read_settings(FuzzIn *in, CrBuildSettings *out) {
  static const double cells[] = {0.25, 0.3, 1.0, 0.1}, slopes[] = {45, 0, 60, 89.9}, errors[] = {0.39, 0, 0.1, 1.5, 4};
  static const double lengths[] = {12, 0, 1, 3}, samples[] = {1.8, 0, 0.5, 6}, details[] = {0.2, 0, 0.05, 1};
  uint8_t kind = fuzz_u8(in);
  *out = cr_build_settings_default();
  out->partition = (CrPartition)((kind & 3) % 3);
  out->tile_cells = kind & 4 ? 8 + (kind >> 3 & 31) : 0;
  out->cell_size = pick(in, cells, 4);
  out->cell_height = pick(in, cells, 4);
  out->agent_radius = 0.25 * fuzz_below(in, 16) * out->cell_size;
  out->agent_height = (1 + fuzz_below(in, 12)) * 0.5 * out->cell_height;
  out->walkable_climb = fuzz_below(in, 12) * 0.5 * out->cell_height;
  out->max_slope = pick(in, slopes, 4);
  out->contour_max_error = pick(in, errors, 5);
  out->max_edge_length = pick(in, lengths, 4);
  out->detail_sample_distance = pick(in, samples, 4);
  out->detail_max_error = pick(in, details, 4);
  out->min_region_area = fuzz_below(in, 40);
  out->merge_region_area = 4 * fuzz_below(in, 100);
  out->max_verts_per_poly = 3 + fuzz_below(in, 10);
}

// --- Geometry -------------------------------------------------------------------------------------------------------

static double across(const FuzzLevel *level, FuzzIn *in) {
  double cell = level->settings.cell_size;
  return fuzz_tame_length(in, cell, HALF_SPAN * cell);
}

static double height(const FuzzLevel *level, FuzzIn *in) {
  double cell = level->settings.cell_height;
  return fuzz_tame_length(in, 4.0 * cell, 4096.0 * cell);
}

static CrVec3 place(const FuzzLevel *level, FuzzIn *in) {
  double x = across(level, in), y = height(level, in);
  return cr__add(level->origin, cr__vec(x, y, across(level, in)));
}

static uint32_t put_vertex(FuzzLevel *level, CrVec3 p) {
  if (level->input.vertex_count == LEVEL_MOST_VERTICES) return LEVEL_MOST_VERTICES - 1;
  memcpy(level->vertices + 3 * (size_t)level->input.vertex_count, &p, sizeof p);
  return level->input.vertex_count++;
}

static void put_triangle(FuzzLevel *level, uint32_t a, uint32_t b, uint32_t c, uint8_t area) {
  if (level->input.triangle_count == LEVEL_MOST_TRIANGLES) return;
  uint32_t corners[3] = {a, b, c};
  level->areas[level->input.triangle_count] = area & CR_MAX_AREA;
  memcpy(level->triangles + 3 * (size_t)level->input.triangle_count++, corners, sizeof corners);
}

static void put_quad(FuzzLevel *level, CrVec3 a, CrVec3 b, CrVec3 c, CrVec3 d, uint8_t area) {
  uint32_t p = put_vertex(level, a), q = put_vertex(level, b), r = put_vertex(level, c), s = put_vertex(level, d);
  put_triangle(level, p, q, r, area);
  put_triangle(level, p, r, s, area);
}

static void put_ground(FuzzLevel *level, FuzzIn *in, uint8_t area, bool ramp) {
  CrVec3 p = place(level, in), q = place(level, in);
  double y = ramp ? q.y : p.y;
  put_quad(level, p, cr__vec(p.x, p.y, q.z), cr__vec(q.x, y, q.z), cr__vec(q.x, y, p.z), area);
}

static void put_box(FuzzLevel *level, FuzzIn *in, uint8_t area) {
  CrVec3 p = place(level, in), q = place(level, in);
  CrVec3 c[8];
  for (int32_t k = 0; k < 8; k++) c[k] = cr__vec(k & 1 ? q.x : p.x, k & 2 ? q.y : p.y, k & 4 ? q.z : p.z);
  put_quad(level, c[2], c[6], c[7], c[3], area);
  put_quad(level, c[0], c[1], c[5], c[4], area);
  put_quad(level, c[0], c[2], c[3], c[1], area);
  put_quad(level, c[4], c[5], c[7], c[6], area);
  put_quad(level, c[0], c[4], c[6], c[2], area);
  put_quad(level, c[1], c[3], c[7], c[5], area);
}

static void put_triangle_from(FuzzLevel *level, FuzzIn *in, uint8_t area, bool fresh) {
  uint32_t corners[3];
  for (int32_t k = 0; k < 3; k++) {
    if (fresh || level->input.vertex_count == 0) {
      corners[k] = put_vertex(level, place(level, in));
    } else {
      corners[k] = fuzz_u8(in) % level->input.vertex_count;
    }
  }
  put_triangle(level, corners[0], corners[1], corners[2], area);
}

// --- Volumes and links ----------------------------------------------------------------------------------------------

CrVolume fuzz_level_volume(const FuzzLevel *level, FuzzIn *in, uint8_t area) {
  CrVec3 p = place(level, in), q = place(level, in);
  CrVolume volume = {.shape = (CrVolumeShape)fuzz_below(in, 3),
                     .area = area & 64 ? CR_AREA_BLOCKED : area & CR_MAX_AREA,
                     .min_y = cr__min(p.y, q.y),
                     .max_y = cr__max(p.y, q.y),
                     .center_x = p.x,
                     .center_z = p.z};
  volume.half_x = cr__abs(q.x - p.x);
  volume.half_z = cr__abs(q.z - p.z);
  volume.radius = volume.half_x;
  volume.axis_x = 0.25 * (int8_t)fuzz_u8(in);
  volume.axis_z = 0.25 * (int8_t)fuzz_u8(in);
  volume.corner_count = 3 + (uint32_t)fuzz_below(in, 4);
  for (uint32_t k = 0; volume.shape == CR_VOLUME_CONVEX && k < volume.corner_count; k++) {
    volume.corners[2 * k] = level->origin.x + across(level, in);
    volume.corners[2 * k + 1] = level->origin.z + across(level, in);
  }
  return volume;
}

static void put_link(FuzzLevel *level, FuzzIn *in, uint8_t area) {
  CrOffMeshLink link = {.area = area & CR_MAX_AREA, .flags = area};
  link.start = place(level, in);
  link.end = place(level, in);
  link.radius = level->settings.cell_size * (1 + fuzz_below(in, 8)) * 0.5;
  link.bidirectional = area >> 7;
  level->links[level->input.off_mesh_count++] = link;
}

void fuzz_level_read(FuzzLevel *level, FuzzIn *in) {
  static const double origins[] = {0.0, 1000.1, -1048576.0, 1048000.3};
  memset(level, 0, sizeof *level);
  read_settings(in, &level->settings);
  uint8_t kind = fuzz_u8(in);
  level->origin = cr__vec(origins[kind & 3], kind & 4 ? -300.7 : 0.0, origins[kind >> 3 & 3]);
  while (!fuzz_done(in)) {
    uint8_t op = fuzz_u8(in), area = op & 8 ? fuzz_u8(in) : 0;
    switch (op & 7) {
      case 0:
      case 1:
        put_ground(level, in, area, op & 1);
        break;
      case 2:
        put_box(level, in, area);
        break;
      case 3:
      case 4:
        put_triangle_from(level, in, area, op & 1);
        break;
      case 5:
        if (level->input.volume_count < LEVEL_MOST_VOLUMES)
          level->volumes[level->input.volume_count++] = fuzz_level_volume(level, in, area);
        break;
      case 6:
        if (level->input.obstacle_count < LEVEL_MOST_VOLUMES)
          level->obstacles[level->input.obstacle_count++] = fuzz_level_volume(level, in, 64);
        break;
      default:
        if (level->input.off_mesh_count < LEVEL_MOST_VOLUMES) put_link(level, in, area);
    }
  }
  for (uint32_t k = 0; k <= CR_MAX_AREA; k++) level->area_flags[k] = (uint16_t)(1u << (k & 15));
  level->input.vertices = level->vertices;
  level->input.triangles = level->triangles;
  level->input.areas = kind & 32 ? level->areas : NULL;
  level->input.volumes = level->volumes;
  level->input.obstacles = level->obstacles;
  level->input.off_mesh_links = level->links;
  level->input.area_flags = kind & 64 ? level->area_flags : NULL;
}
