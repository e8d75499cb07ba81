// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build inputs on their way into the engine, and build input files. Large arrays are used where the host put them: a builder
// keeps the input block instead of a copy.
#include <stdlib.h>

#include "abi.h"

_Static_assert(sizeof(uint32_t) == 4 && sizeof(CrVec3) == 24, "bulk arrays");

typedef struct InputCells {
  uint32_t vertices, vertex_count, triangles, triangle_count, areas, volumes, volume_count, obstacles, obstacle_count,
      off_mesh_links, off_mesh_count, area_flags;
} InputCells;

static InputCells take_cells(const double *at) {
  InputCells cells, *it = &cells;
  CRW_RECORD_BUILD_INPUT(CRW_TAKE_FIELD)
  return cells;
}

static void take_volumes(uint32_t address, uint32_t count, CrVolume *out) {
  const double *at = crw__pointer(address);
  for (uint32_t i = 0; i < count; i++) at = crw__take_volume(at, &out[i]);
}

static bool take_arrays(const InputCells *cells, CrwInput *out) {
  uint64_t volumes = (uint64_t)cells->volume_count + cells->obstacle_count;
  uint64_t size = volumes * sizeof(CrVolume) + (uint64_t)cells->off_mesh_count * sizeof(CrOffMeshLink);
  CrVolume *memory = size && size <= INT32_MAX ? malloc((size_t)size) : NULL;
  if (size && !memory) return false;
  CrVolume *obstacles = memory ? memory + cells->volume_count : NULL;
  CrOffMeshLink *links = memory ? (CrOffMeshLink *)(void *)(obstacles + cells->obstacle_count) : NULL;
  take_volumes(cells->volumes, cells->volume_count, memory);
  take_volumes(cells->obstacles, cells->obstacle_count, obstacles);
  crw__take_links(cells->off_mesh_links, cells->off_mesh_count, links);
  out->arrays = memory;
  out->input.volumes = memory;
  out->input.volume_count = cells->volume_count;
  out->input.obstacles = obstacles;
  out->input.obstacle_count = cells->obstacle_count;
  out->input.off_mesh_links = links;
  out->input.off_mesh_count = cells->off_mesh_count;
  return true;
}

// The block may have moved when it was taken.
static const void *array_at(uint32_t address, uint32_t from, const void *block) {
  return address && block ? (const uint8_t *)block + (address - from) : crw__pointer(address);
}

int32_t crw__input_open(const double *at, bool keep, CrwInput *out) {
  InputCells cells = take_cells(at);
  *out = (CrwInput){.input = {.vertex_count = cells.vertex_count, .triangle_count = cells.triangle_count}};
  if (!take_arrays(&cells, out)) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  uint32_t from = 0;
  if (keep) out->block = crw__input_take(&from);
  out->input.vertices = array_at(cells.vertices, from, out->block);
  out->input.triangles = array_at(cells.triangles, from, out->block);
  out->input.areas = array_at(cells.areas, from, out->block);
  out->input.area_flags = array_at(cells.area_flags, from, out->block);
  return 0;
}

void crw__input_close(CrwInput *input) {
  free(input->block);
  free(input->arrays);
}

// Bulk result: the file.
CRW_EXPORT int32_t crw_build_input_write(const double *settings_cells, const double *input_cells) {
  CrBuildSettings settings;
  CrwInput input;
  crw__take_settings(settings_cells, &settings);
  int32_t failed = crw__input_open(input_cells, false, &input);
  if (failed) return failed;
  CrBytes bytes = {0};
  CrStatus status = cr_build_input_write(&input.input, &settings, NULL, &bytes, crw__error());
  crw__input_close(&input);
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// Record: BUILD_SETTINGS, then vertex count and triangle count. Bulk result: the vertices, then the triangle indices.
CRW_EXPORT int32_t crw_build_input_read(const uint8_t *data, int32_t size) {
  CrBuildInputFile file;
  CrStatus status = cr_build_input_read(data, (size_t)size, NULL, &file, crw__error());
  if (status) return crw__done(status);
  size_t vertex_size = file.input.vertex_count * sizeof(CrVec3);
  size_t triangle_size = (size_t)file.input.triangle_count * 3 * sizeof(uint32_t);
  uint8_t *out = crw__result(vertex_size + triangle_size);
  if (out) {
    __builtin_memcpy(out, file.input.vertices, vertex_size);
    __builtin_memcpy(out + vertex_size, file.input.triangles, triangle_size);
    double *at = crw__put_settings(crw__record(), &file.settings);
    CRW_PUT_U32(file.input.vertex_count)
    CRW_PUT_U32(file.input.triangle_count)
  }
  cr_build_input_free(&file);
  return out ? 0 : crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
}
