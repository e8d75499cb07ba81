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
#define LONGEST_RUN 63

static const uint64_t prime_powers[LONGEST_RUN + 1] = {
    UINT64_C(0x1),
    UINT64_C(0x100000001B3),
    UINT64_C(0x366000002E329),
    UINT64_C(0x8A97B0004E7FEAB),
    UINT64_C(0x9FFAAC085635BC91),
    UINT64_C(0xCAEE32A7D4F6A63),
    UINT64_C(0xDC966432EDF1C639),
    UINT64_C(0xC5527B8A51D3D2DB),
    UINT64_C(0x1EFAC7090AEF4A21),
    UINT64_C(0x936A555D949AF613),
    UINT64_C(0x18A5210383502249),
    UINT64_C(0x30B961F8212A420B),
    UINT64_C(0xF54383A05ACE38B1),
    UINT64_C(0x8FF15A7A4C6A54C3),
    UINT64_C(0x17180CFD8AE0759),
    UINT64_C(0x21E53A2D2FB67C3B),
    UINT64_C(0x4EFE15C813151841),
    UINT64_C(0x4ED743F86CD83673),
    UINT64_C(0xCFFEF220F3648569),
    UINT64_C(0xD2BAD6FD93CEB16B),
    UINT64_C(0xE22CBBE2283778D1),
    UINT64_C(0x897C124A56424B23),
    UINT64_C(0xE01E375092A5AC79),
    UINT64_C(0x790476E92F84119B),
    UINT64_C(0x26A7A93BBD69EA61),
    UINT64_C(0x18CEF182DAF942D3),
    UINT64_C(0x20E7345A158C8C89),
    UINT64_C(0x756A7E129DD2CCCB),
    UINT64_C(0x56C104A22D31FCF1),
    UINT64_C(0x9BF7D092CBF0CD83),
    UINT64_C(0xF6E4EC708A2D3599),
    UINT64_C(0xB4335C3ACAD212FB),
    UINT64_C(0x558B2E6A2F64081),
    UINT64_C(0xBF87EE6E86F9B33),
    UINT64_C(0xC6DAD55CF5A4B7A9),
    UINT64_C(0x8A9035F566E4142B),
    UINT64_C(0x571FDAFDD58E4511),
    UINT64_C(0x99662E51E0BF5BE3),
    UINT64_C(0x67FC9820E52922B9),
    UINT64_C(0xDB5938E564E6005B),
    UINT64_C(0x9E9C08CA72D29AA1),
    UINT64_C(0x55BD91011BDCBF93),
    UINT64_C(0x8DDCF7E2581986C9),
    UINT64_C(0x27FFFE9BB360078B),
    UINT64_C(0x58052D91CC2CD131),
    UINT64_C(0xBD9D9FBDF0277643),
    UINT64_C(0x5A4CB2BF130DF3D9),
    UINT64_C(0x7E4793AD60B559BB),
    UINT64_C(0x48F9AA9B542778C1),
    UINT64_C(0x27B5A6EFFF122FF3),
    UINT64_C(0x8BDA9CCE6BE779E9),
    UINT64_C(0x8BF25BC15A5426EB),
    UINT64_C(0x20F8D48C7CFE2151),
    UINT64_C(0x4F27BB863D29CA3),
    UINT64_C(0x3AA4DD519EE028F9),
    UINT64_C(0x864D0AB0F6E59F1B),
    UINT64_C(0x1A8845B3882D5AE1),
    UINT64_C(0x42E9511065116C53),
    UINT64_C(0xC3E111DBBC9B1109),
    UINT64_C(0x728261617B7DF24B),
    UINT64_C(0x117DC3A4D702B571),
    UINT64_C(0xBB68E219599A4F03),
    UINT64_C(0xD87341341344219),
    UINT64_C(0x30FF95B7CBCC507B),
};

// The last bytes, fewer than eight, after a run of zeros.
static uint64_t fold_rest(uint64_t hash, const uint8_t *bytes, size_t size, int run) {
  hash *= prime_powers[run];
  for (; size > 0; bytes++, size--) hash = (hash ^ *bytes) * CR_FNV_PRIME;
  return hash;
}

static uint64_t fold(uint64_t hash, const uint8_t *bytes, size_t size) {
  int run = 0;  // zero bytes met and not yet folded in
  for (; size >= 8; bytes += 8, size -= 8) {
    uint64_t word = load_little_endian(bytes);
    if (run > LONGEST_RUN - 8) {
      hash *= prime_powers[run];
      run = 0;
    }
    if (word == 0) {
      run += 8;
      continue;
    }
    int low = __builtin_ctzll(word) / 8, high = __builtin_clzll(word) / 8;
    hash *= prime_powers[run + low];
    word >>= 8 * low;
    for (int left = 8 - low - high; left > 0; left--) {
      hash = (hash ^ (word & 0xFF)) * CR_FNV_PRIME;
      word >>= 8;
    }
    run = high;
  }
  return fold_rest(hash, bytes, size, run);
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
