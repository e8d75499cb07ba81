// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Bounds-checked little-endian reading. Invariant: offset <= size; after the first failure nothing moves any more.
#include "core_internal.h"

CrReader cr__reader(const void *data, size_t size, size_t base, CrFormat format, CrError *error) {
  return (CrReader){data, size, 0, base, format, CR_STATUS_OK, error};
}

CrStatus cr__read_fail(CrReader *reader, CrStatus status, const char *field, size_t offset) {
  if (reader->status == CR_STATUS_OK) {
    reader->status = cr__fail_bytes(reader->error, status, reader->format, field, reader->base + offset);
  }
  return reader->status;
}

const uint8_t *cr__read_span(CrReader *reader, size_t size, const char *field) {
  if (reader->status != CR_STATUS_OK) return NULL;
  if (size > cr__read_left(reader)) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, field, reader->offset);
    return NULL;
  }
  const uint8_t *span = reader->data + reader->offset;
  reader->offset += size;
  return span;
}

static uint64_t read_little_endian(CrReader *reader, size_t size, const char *field) {
  const uint8_t *bytes = cr__read_span(reader, size, field);
  uint64_t value = 0;
  if (!bytes) return 0;
  for (size_t i = 0; i < size; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

uint8_t cr__read_u8(CrReader *reader, const char *field) { return (uint8_t)read_little_endian(reader, 1, field); }
uint16_t cr__read_u16(CrReader *reader, const char *field) { return (uint16_t)read_little_endian(reader, 2, field); }
uint32_t cr__read_u32(CrReader *reader, const char *field) { return (uint32_t)read_little_endian(reader, 4, field); }
int32_t cr__read_i32(CrReader *reader, const char *field) { return (int32_t)read_little_endian(reader, 4, field); }
uint64_t cr__read_u64(CrReader *reader, const char *field) { return read_little_endian(reader, 8, field); }
int64_t cr__read_i64(CrReader *reader, const char *field) { return (int64_t)read_little_endian(reader, 8, field); }

double cr__read_f64(CrReader *reader, const char *field) {
  uint64_t bits = read_little_endian(reader, 8, field);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

bool cr__read_flag(CrReader *reader, const char *field) {
  uint8_t value = cr__read_u8(reader, field);
  if (value > 1) cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 1);
  return value == 1;
}

double cr__read_coord(CrReader *reader, const char *field) {
  double value = cr__read_f64(reader, field);
  if (cr__read_ok(reader) && !(cr__abs(value) < CR_COORD_LIMIT)) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 8);
  }
  return cr__read_ok(reader) ? value : 0.0;
}

CrVec3 cr__read_point(CrReader *reader, const char *field) {
  CrVec3 point;
  point.x = cr__read_coord(reader, field);
  point.y = cr__read_coord(reader, field);
  point.z = cr__read_coord(reader, field);
  return point;
}

int32_t cr__read_i32_in(CrReader *reader, const char *field, int32_t low, int32_t high) {
  int32_t value = cr__read_i32(reader, field);
  if (cr__read_ok(reader) && (value < low || value > high)) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 4);
    if (reader->error) reader->error->limit = value < low ? low : high;
  }
  return cr__read_ok(reader) ? value : low;
}

uint32_t cr__read_count(CrReader *reader, const char *field, size_t element_size) {
  uint32_t count = cr__read_u32(reader, field);
  if (cr__read_ok(reader) && element_size && count > cr__read_left(reader) / element_size) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, field, reader->offset - 4);
  }
  return cr__read_ok(reader) ? count : 0;
}

void cr__read_magic(CrReader *reader, const char *magic) {
  const uint8_t *bytes = cr__read_span(reader, 4, "magic");
  if (bytes && memcmp(bytes, magic, 4) != 0) {
    cr__read_fail(reader, CR_STATUS_BAD_MAGIC, "magic", reader->offset - 4);
  }
}

void cr__read_version(CrReader *reader, uint8_t version) {
  uint8_t found = cr__read_u8(reader, "version");
  if (cr__read_ok(reader) && found != version) {
    cr__read_fail(reader, CR_STATUS_BAD_VERSION, "version", reader->offset - 1);
  }
}

void cr__read_zero_u16(CrReader *reader, const char *field) {
  uint16_t value = cr__read_u16(reader, field);
  if (value) cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - 2);
}

CrStatus cr__read_end(CrReader *reader) {
  if (cr__read_ok(reader) && cr__read_left(reader)) {
    cr__read_fail(reader, CR_STATUS_TRAILING_BYTES, "end", reader->offset);
  }
  return reader->status;
}
