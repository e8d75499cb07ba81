// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Little-endian writing in three modes: store, count, hash. One code path makes the bytes, so sizes, files and hashes
// cannot drift apart.
#include "core_internal.h"

CrWriter cr__writer_to(uint8_t *data, size_t capacity) {
  return (CrWriter){data, capacity, 0, CR_FNV_OFFSET, false, false};
}

CrWriter cr__writer_count(void) { return (CrWriter){NULL, 0, 0, CR_FNV_OFFSET, false, false}; }

CrWriter cr__writer_hash(void) { return (CrWriter){NULL, 0, 0, CR_FNV_OFFSET, true, false}; }

static uint64_t fold(uint64_t hash, const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * CR_FNV_PRIME;
  return hash;
}

uint64_t cr_hash_bytes(const void *data, size_t size) { return fold(CR_FNV_OFFSET, data, size); }

void cr__write_bytes(CrWriter *writer, const void *data, size_t size) {
  if (writer->hashing) {
    writer->hash = fold(writer->hash, data, size);
  } else if (writer->data) {
    if (writer->overflow || size > writer->capacity - writer->size) {
      writer->overflow = true;
    } else if (size) {
      memcpy(writer->data + writer->size, data, size);
    }
  }
  writer->size += size;
}

static void write_little_endian(CrWriter *writer, uint64_t value, size_t size) {
  uint8_t bytes[8];
  for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  cr__write_bytes(writer, bytes, size);
}

void cr__write_u8(CrWriter *writer, uint8_t value) { cr__write_bytes(writer, &value, 1); }
void cr__write_u16(CrWriter *writer, uint16_t value) { write_little_endian(writer, value, 2); }
void cr__write_u32(CrWriter *writer, uint32_t value) { write_little_endian(writer, value, 4); }
void cr__write_i32(CrWriter *writer, int32_t value) { write_little_endian(writer, (uint32_t)value, 4); }
void cr__write_i64(CrWriter *writer, int64_t value) { cr__write_u64(writer, (uint64_t)value); }
void cr__write_f64(CrWriter *writer, double value) { cr__write_u64(writer, cr__bits(value)); }

void cr__write_u64(CrWriter *writer, uint64_t value) { write_little_endian(writer, value, 8); }

void cr__write_point(CrWriter *writer, CrVec3 point) {
  cr__write_f64(writer, point.x);
  cr__write_f64(writer, point.y);
  cr__write_f64(writer, point.z);
}

CrStatus cr__write_to_bytes(const CrAllocator *allocator, CrWriteFn write, const void *object, CrBytes *out,
                            CrError *error) {
  CrWriter counter = cr__writer_count();
  write(&counter, object);
  CrBytes bytes;
  CrStatus status = cr__bytes_alloc(allocator, counter.size, &bytes, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(bytes.data, bytes.size);
  write(&writer, object);
  CR_ASSERT(!writer.overflow && writer.size == bytes.size);
  *out = bytes;
  return CR_STATUS_OK;
}
