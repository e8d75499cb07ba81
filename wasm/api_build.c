// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Building meshes from triangles, and build input files.
#include "abi.h"

_Static_assert(sizeof(uint32_t) == 4 && sizeof(CrVec3) == 24, "bulk arrays");

static void take_settings(const double *at, CrBuildSettings *it) { CRW_RECORD_BUILD_SETTINGS(CRW_TAKE_FIELD) }

static double *put_settings(double *at, const CrBuildSettings *it) {
  CRW_RECORD_BUILD_SETTINGS(CRW_PUT_FIELD)
  return at;
}

static void put_report(double *at, const CrBuildReport *it){CRW_RECORD_BUILD_REPORT(CRW_PUT_FIELD)}

// `areas` may be null. Record: BUILD_REPORT. Returns the mesh's handle.
CRW_EXPORT int32_t crw_build_navmesh(const double *settings_cells, const double *vertices, int32_t vertex_count,
                                     const uint32_t *triangles, int32_t triangle_count, const uint8_t *areas) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrBuildSettings settings;
  take_settings(settings_cells, &settings);
  CrBuildInput input = {.vertices = vertices,
                        .vertex_count = (uint32_t)vertex_count,
                        .triangles = triangles,
                        .triangle_count = (uint32_t)triangle_count,
                        .areas = areas};
  CrBuildReport report = {0};
  CrNavMesh *mesh;
  CrStatus status = cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, &report, crw__error());
  if (status) return crw__done(status);
  put_report(crw__record(), &report);
  return crw__handle_add(CRW_KIND_NAVMESH, mesh, 0);
}

// Bulk result: the file.
CRW_EXPORT int32_t crw_build_input_write(const double *settings_cells, const double *vertices, int32_t vertex_count,
                                         const uint32_t *triangles, int32_t triangle_count) {
  CrBuildSettings settings;
  take_settings(settings_cells, &settings);
  CrBuildInput input = {.vertices = vertices,
                        .vertex_count = (uint32_t)vertex_count,
                        .triangles = triangles,
                        .triangle_count = (uint32_t)triangle_count};
  CrBytes bytes = {0};
  CrStatus status = cr_build_input_write(&input, &settings, NULL, &bytes, crw__error());
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
    double *at = put_settings(crw__record(), &file.settings);
    CRW_PUT_U32(file.input.vertex_count)
    CRW_PUT_U32(file.input.triangle_count)
  }
  cr_build_input_free(&file);
  return out ? 0 : crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
}
