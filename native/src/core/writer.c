// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Little-endian writing in three modes: store, count, hash. One code path makes the bytes, so sizes, files and hashes
// cannot drift apart.
#include "core_internal.h"

CrWriter cr__writer_to(uint8_t *data, size_t capacity) {
  return (CrWriter){data, data ? capacity : 0, 0, CR_FNV_OFFSET, false, false};
}

CrWriter cr__writer_count(void) { return (CrWriter){NULL, 0, 0, CR_FNV_OFFSET, false, false}; }

CrWriter cr__writer_hash(void) { return (CrWriter){NULL, 0, 0, CR_FNV_OFFSET, true, false}; }

static uint64_t load_little_endian(const uint8_t *bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

// FNV-1a is a chain of one multiplication per byte. A zero byte only multiplies by the prime, so a run of k of them is one
// multiplication by its k-th power; half of what the engine hashes is zeros, mostly at either end of a number.
static uint64_t fold_word(uint64_t hash, uint64_t word) {
  static const uint64_t powers[8] = {
      UINT64_C(0x1),
      UINT64_C(0x100000001B3),
      UINT64_C(0x366000002E329),
      UINT64_C(0x8A97B0004E7FEAB),
      UINT64_C(0x9FFAAC085635BC91),
      UINT64_C(0xCAEE32A7D4F6A63),
      UINT64_C(0xDC966432EDF1C639),
      UINT64_C(0xC5527B8A51D3D2DB),
  };
  int low = __builtin_ctzll(word) / 8, high = __builtin_clzll(word) / 8;
  hash *= powers[low];
  word >>= 8 * low;
  for (int left = 8 - low - high; left > 0; left--) {
    hash = (hash ^ (word & 0xFF)) * CR_FNV_PRIME;
    word >>= 8;
  }
  return hash * powers[high];
}

static uint64_t fold(uint64_t hash, const uint8_t *bytes, size_t size) {
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word = load_little_endian(bytes);
    hash = word ? fold_word(hash, word) : hash * UINT64_C(0x1EFAC7090AEF4A21);  // the prime to the 8th
  }
  for (; size > 0; bytes++, size--) hash = (hash ^ *bytes) * CR_FNV_PRIME;
  return hash;
}

uint64_t cr_hash_bytes(const void *data, size_t size) { return fold(CR_FNV_OFFSET, data, size); }

// Inlined, so that numbers are stored without a call. The capacity is 0 unless the writer stores; once a piece did not fit,
// `size` is beyond the capacity and no later one does.
static inline void put(CrWriter *writer, const void *data, size_t size) {
  size_t end = writer->size + size;
  if (end <= writer->capacity) {
    if (size) memcpy(writer->data + writer->size, data, size);
  } else if (writer->hashing) {
    writer->hash = fold(writer->hash, data, size);
  } else if (writer->data) {
    writer->overflow = true;
  }
  writer->size = end;
}

static inline void put_little_endian(CrWriter *writer, uint64_t value, size_t size) {
  uint8_t bytes[8];
  for (size_t i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i));
  put(writer, bytes, size);
}

void cr__write_bytes(CrWriter *writer, const void *data, size_t size) { put(writer, data, size); }
void cr__write_u8(CrWriter *writer, uint8_t value) { put(writer, &value, 1); }
void cr__write_u16(CrWriter *writer, uint16_t value) { put_little_endian(writer, value, 2); }
void cr__write_u32(CrWriter *writer, uint32_t value) { put_little_endian(writer, value, 4); }
void cr__write_i32(CrWriter *writer, int32_t value) { put_little_endian(writer, (uint32_t)value, 4); }
void cr__write_i64(CrWriter *writer, int64_t value) { cr__write_u64(writer, (uint64_t)value); }
void cr__write_f64(CrWriter *writer, double value) { cr__write_u64(writer, cr__bits(value)); }

void cr__write_u64(CrWriter *writer, uint64_t value) { put_little_endian(writer, value, 8); }

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
