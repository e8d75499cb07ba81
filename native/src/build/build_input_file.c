// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build input files (OPBI, docs/formats/build-input.md). The file is checked wholly before anything is allocated.
#include "settings_internal.h"

typedef struct Source {
  const CrBuildInput *input;
  const CrBuildSettings *settings;
} Source;

static void write_file(CrWriter *writer, const void *object) {
  const Source *source = object;
  const CrBuildSettings *s = source->settings;
  const double reals[] = {s->agent_radius,      s->agent_height,    s->walkable_climb,
                          s->max_slope,         s->cell_size,       s->cell_height,
                          s->contour_max_error, s->max_edge_length, s->detail_sample_distance,
                          s->detail_max_error};
  cr__write_bytes(writer, "OPBI\1\0\0\0", 8);
  for (size_t i = 0; i < CR_COUNT_OF(reals); i++) cr__write_f64(writer, reals[i]);
  cr__write_i32(writer, s->min_region_area);
  cr__write_i32(writer, s->merge_region_area);
  cr__write_i32(writer, s->max_verts_per_poly);
  cr__write_i32(writer, (int32_t)s->partition);
  cr__write_u32(writer, source->input->vertex_count);
  cr__write_u32(writer, source->input->triangle_count);
  for (size_t i = 0; i < 3 * (size_t)source->input->vertex_count; i++)
    cr__write_f64(writer, source->input->vertices[i]);
  for (size_t i = 0; i < 3 * (size_t)source->input->triangle_count; i++)
    cr__write_u32(writer, source->input->triangles[i]);
}

CrStatus cr_build_input_write(const CrBuildInput *input, const CrBuildSettings *settings, const CrAllocator *allocator,
                              CrBytes *out, CrError *error) {
  if (!input) return cr__fail(error, CR_STATUS_ARGUMENT, "input");
  if (!settings) return cr__fail(error, CR_STATUS_ARGUMENT, "settings");
  CrBuildSettings whole = *settings;
  whole.tile_cells = 0;  // the file describes one tile
  CrLayout layout;
  CrStatus status = cr__layout(input, &whole, &layout, error);
  if (status != CR_STATUS_OK) return status;
  return cr__write_to_bytes(allocator, write_file, &(Source){input, &whole}, out, error);
}

static void read_header(CrReader *reader) {
  cr__read_magic(reader, "OPBI");
  cr__read_version(reader, 1);
  for (int i = 0; i < 3; i++) {
    if (cr__read_u8(reader, "reserved")) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "reserved", reader->offset - 1);
  }
}

// A field's value is judged by the settings' own rules; a refusal is reported at the field's place in the file.
static void read_settings(CrReader *reader, CrBuildSettings *out) {
  static const char *const fields[] = {
      "settings.agentRadius",     "settings.agentHeight",   "settings.walkableClimb",
      "settings.maxSlope",        "settings.cellSize",      "settings.cellHeight",
      "settings.contourMaxError", "settings.maxEdgeLength", "settings.detailSampleDistance",
      "settings.detailMaxError",  "settings.minRegionArea", "settings.mergeRegionArea",
      "settings.maxVertsPerPoly", "settings.partition"};
  *out = cr_build_settings_default();
  double *reals[] = {&out->agent_radius,      &out->agent_height,    &out->walkable_climb,
                     &out->max_slope,         &out->cell_size,       &out->cell_height,
                     &out->contour_max_error, &out->max_edge_length, &out->detail_sample_distance,
                     &out->detail_max_error};
  size_t start = reader->offset;
  for (size_t i = 0; i < CR_COUNT_OF(reals); i++) *reals[i] = cr__read_f64(reader, fields[i]);
  out->min_region_area = cr__read_i32(reader, fields[10]);
  out->merge_region_area = cr__read_i32(reader, fields[11]);
  out->max_verts_per_poly = cr__read_i32(reader, fields[12]);
  out->partition = (CrPartition)cr__read_i32_in(reader, fields[13], 0, CR_PARTITION_LAYERS);
  CrError refused = {0};
  if (!cr__read_ok(reader) || cr__settings_validate(out, &refused) == CR_STATUS_OK) return;
  for (size_t i = 0; i < CR_COUNT_OF(fields); i++) {
    size_t offset = start + (i < 10 ? 8 * i : 80 + 4 * (i - 10));
    if (strcmp(refused.field, fields[i]) == 0) cr__read_fail(reader, CR_STATUS_BAD_VALUE, fields[i], offset);
  }
}

static void read_vertices(CrReader *reader, CrBuildInputFile *file) {
  for (size_t i = 0; i < 3 * (size_t)file->input.vertex_count; i++)
    file->vertices[i] = cr__read_coord(reader, "vertices");
}

static void read_triangles(CrReader *reader, CrBuildInputFile *file) {
  for (size_t i = 0; i < 3 * (size_t)file->input.triangle_count && cr__read_ok(reader); i++) {
    file->triangles[i] = cr__read_u32(reader, "triangles");
    if (cr__read_ok(reader) && file->triangles[i] >= file->input.vertex_count) {
      cr__read_fail(reader, CR_STATUS_BAD_VALUE, "triangles", reader->offset - 4);
    }
  }
}

static CrStatus read_geometry(CrReader *reader, CrBuildInputFile *file, CrError *error) {
  file->vertices = cr__alloc(&file->allocator, 3 * (size_t)file->input.vertex_count, sizeof(double));
  file->triangles = cr__alloc(&file->allocator, 3 * (size_t)file->input.triangle_count, sizeof(uint32_t));
  if (!file->vertices || !file->triangles) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  file->input.vertices = file->vertices;
  file->input.triangles = file->triangles;
  read_vertices(reader, file);
  read_triangles(reader, file);
  cr__read_end(reader);
  if (!cr__read_ok(reader)) return reader->status;
  // The grid's size is known only from the geometry.
  CrLayout layout;
  return cr__layout(&file->input, &file->settings, &layout, error);
}

CrStatus cr_build_input_read(const uint8_t *data, size_t size, const CrAllocator *allocator, CrBuildInputFile *out,
                             CrError *error) {
  CrBuildInputFile file = {.allocator = cr__allocator_or_default(allocator)};
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_BUILD_INPUT, error);
  read_header(&reader);
  read_settings(&reader, &file.settings);
  file.input.vertex_count = (uint32_t)cr__read_i32_in(&reader, "vertexCount", 0, CR_BUILD_MAX_VERTICES);
  file.input.triangle_count = (uint32_t)cr__read_i32_in(&reader, "triangleCount", 0, CR_BUILD_MAX_TRIANGLES);
  size_t needed = 24 * (size_t)file.input.vertex_count + 12 * (size_t)file.input.triangle_count;
  if (cr__read_ok(&reader) && needed > cr__read_left(&reader)) {
    cr__read_fail(&reader, CR_STATUS_TRUNCATED, "vertices", size);
  }
  if (!cr__read_ok(&reader)) return reader.status;
  CrStatus status = read_geometry(&reader, &file, error);
  if (status != CR_STATUS_OK) {
    cr_build_input_free(&file);
    return status;
  }
  *out = file;
  return CR_STATUS_OK;
}

void cr_build_input_free(CrBuildInputFile *file) {
  if (!file || !file->allocator.release) return;
  cr__free(&file->allocator, file->vertices, 3 * (size_t)file->input.vertex_count, sizeof(double));
  cr__free(&file->allocator, file->triangles, 3 * (size_t)file->input.triangle_count, sizeof(uint32_t));
  memset(file, 0, sizeof *file);
}
