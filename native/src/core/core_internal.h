// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What every module uses: the float contract, memory, error reporting, byte reader and writer, small vector maths.
#ifndef CR_CORE_INTERNAL_H
#define CR_CORE_INTERNAL_H

#include <float.h>
#include <string.h>

#include "crowdreel/base.h"

// The determinism contract: plain IEEE double. x87 and fast-math would break it silently.
_Static_assert(FLT_EVAL_METHOD == 0, "double arithmetic must not use wider registers");
#ifdef __FAST_MATH__
#error "crowdreel must not be compiled with -ffast-math"
#endif

// Engine invariants. A failed one is a bug in the engine, never bad input. CR_CHECKS is on in debug and test builds.
#ifdef CR_CHECKS
#define CR_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define CR_ASSERT(condition) ((void)sizeof(condition))
#endif

// For the parts of hot loops that are compiled once for each of a few constant arguments.
#define CR_ALWAYS_INLINE static inline __attribute__((always_inline))

#define CR_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// --- Memory ---------------------------------------------------------------------------------------------------------

// The caller's hooks, or malloc and free for null.
CrAllocator cr__allocator_or_default(const CrAllocator *allocator);
// `count * size` bytes, or null when that overflows or memory is out. Zero bytes give a valid pointer.
void *cr__alloc(const CrAllocator *allocator, size_t count, size_t size);
void *cr__alloc_zeroed(const CrAllocator *allocator, size_t count, size_t size);
// Null is allowed. `count` and `size` as given to cr__alloc.
void cr__free(const CrAllocator *allocator, void *memory, size_t count, size_t size);
// Grows *memory (holding `used` elements, room for *capacity) to room for at least `needed`, by doubling. False: out of memory,
// nothing changed.
bool cr__grow(const CrAllocator *allocator, void **memory, size_t *capacity, size_t used, size_t needed, size_t size);

// --- Errors ---------------------------------------------------------------------------------------------------------

// Each fills the record (when there is one) and returns the status.
CrStatus cr__fail(CrError *error, CrStatus status, const char *field);
CrStatus cr__fail_index(CrError *error, CrStatus status, const char *field, int64_t index);
CrStatus cr__fail_limit(CrError *error, CrStatus status, const char *field, double limit);
CrStatus cr__fail_bytes(CrError *error, CrStatus status, CrFormat format, const char *field, uint64_t offset);
// CR_STATUS_OK, or CR_STATUS_ARGUMENT naming `field`: finite and below CR_COORD_LIMIT in magnitude.
CrStatus cr__check_coord(CrError *error, double value, const char *field);
CrStatus cr__check_point(CrError *error, CrVec3 point, const char *field);
// CR_STATUS_OK when 0 < dt <= 3600.
CrStatus cr__check_dt(CrError *error, double dt);

// --- Byte reader ----------------------------------------------------------------------------------------------------

// Bounds-checked little-endian reader. The first failure sticks: later reads return zeros and the error record keeps
// naming the first. `base` is the offset of data[0] in the bytes the user passed, so that nested formats report
// absolute offsets.
typedef struct CrReader {
  const uint8_t *data;
  size_t size;
  size_t offset;
  size_t base;
  CrFormat format;
  CrStatus status;
  CrError *error;
} CrReader;

CrReader cr__reader(const void *data, size_t size, size_t base, CrFormat format, CrError *error);
uint8_t cr__read_u8(CrReader *reader, const char *field);
uint16_t cr__read_u16(CrReader *reader, const char *field);
uint32_t cr__read_u32(CrReader *reader, const char *field);
int32_t cr__read_i32(CrReader *reader, const char *field);
uint64_t cr__read_u64(CrReader *reader, const char *field);
int64_t cr__read_i64(CrReader *reader, const char *field);
double cr__read_f64(CrReader *reader, const char *field);  // any bits
// A flag byte: 0 or 1, else CR_STATUS_BAD_VALUE.
bool cr__read_flag(CrReader *reader, const char *field);
// A finite coordinate within the limit, or CR_STATUS_BAD_VALUE.
double cr__read_coord(CrReader *reader, const char *field);
CrVec3 cr__read_point(CrReader *reader, const char *field);
// An i32 in [low, high], or CR_STATUS_BAD_VALUE with the violated bound as limit.
int32_t cr__read_i32_in(CrReader *reader, const char *field, int32_t low, int32_t high);
// A u32 count whose elements take at least `element_size` bytes each: checked against the bytes left before anything is
// allocated. CR_STATUS_TRUNCATED when they cannot be there.
uint32_t cr__read_count(CrReader *reader, const char *field, size_t element_size);
// `size` bytes in place, or null.
const uint8_t *cr__read_span(CrReader *reader, size_t size, const char *field);
// Four magic bytes and a version byte.
void cr__read_magic(CrReader *reader, const char *magic);
void cr__read_version(CrReader *reader, uint8_t version);
void cr__read_zero_u16(CrReader *reader, const char *field);
// Fails when bytes are left.
CrStatus cr__read_end(CrReader *reader);
// Marks the reader failed at `offset` (in reader coordinates), unless it has failed before.
CrStatus cr__read_fail(CrReader *reader, CrStatus status, const char *field, size_t offset);
static inline bool cr__read_ok(const CrReader *reader) { return reader->status == CR_STATUS_OK; }
static inline size_t cr__read_left(const CrReader *reader) { return reader->size - reader->offset; }

// --- Byte writer ----------------------------------------------------------------------------------------------------

// One writer for everything: with data it stores, without it only counts; with `hashing` it folds the bytes into an FNV-1a hash.
// Running past the capacity sets `overflow` and stores nothing more, but goes on counting.
typedef struct CrWriter {
  uint8_t *data;
  size_t capacity;
  size_t size;
  uint64_t hash;
  bool hashing;
  bool overflow;
} CrWriter;

#define CR_FNV_OFFSET UINT64_C(0xCBF29CE484222325)
#define CR_FNV_PRIME UINT64_C(0x100000001B3)

CrWriter cr__writer_to(uint8_t *data, size_t capacity);
CrWriter cr__writer_count(void);
CrWriter cr__writer_hash(void);
void cr__write_bytes(CrWriter *writer, const void *data, size_t size);
void cr__write_u8(CrWriter *writer, uint8_t value);
void cr__write_u16(CrWriter *writer, uint16_t value);
void cr__write_u32(CrWriter *writer, uint32_t value);
void cr__write_i32(CrWriter *writer, int32_t value);
void cr__write_u64(CrWriter *writer, uint64_t value);
void cr__write_i64(CrWriter *writer, int64_t value);
void cr__write_f64(CrWriter *writer, double value);
void cr__write_point(CrWriter *writer, CrVec3 point);

// Runs `write` twice, counting then storing into memory of exactly that size.
typedef void (*CrWriteFn)(CrWriter *writer, const void *object);
CrStatus cr__write_to_bytes(const CrAllocator *allocator, CrWriteFn write, const void *object, CrBytes *out,
                            CrError *error);
// `size` bytes of memory as CrBytes, contents undefined.
CrStatus cr__bytes_alloc(const CrAllocator *allocator, size_t size, CrBytes *out, CrError *error);

// --- Packing (pack.c) -----------------------------------------------------------------------------------------------

// For at most 2^31 bytes at a time.
typedef struct CrPacker {
  uint32_t *places;  // where four-byte words were last seen
} CrPacker;

bool cr__packer_init(CrPacker *packer, const CrAllocator *allocator);
void cr__packer_free(CrPacker *packer, const CrAllocator *allocator);
size_t cr__pack_bound(size_t size);  // the most that `size` bytes can take packed
// Writes at most cr__pack_bound bytes; returns how many.
size_t cr__pack(CrPacker *packer, const uint8_t *data, size_t size, uint8_t *out);
// Unpacks to exactly `size` bytes. False when the packed bytes are not of that; `out` may have been written to then.
bool cr__unpack(const uint8_t *data, size_t packed_size, uint8_t *out, size_t size);

// Stored bit patterns.
static inline uint64_t cr__bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// --- Maths ----------------------------------------------------------------------------------------------------------

// IEEE + - * / sqrt and comparisons only: no libm, no fma, so every platform gives the same bits.
static inline double cr__min(double a, double b) { return a < b ? a : b; }
static inline double cr__max(double a, double b) { return a > b ? a : b; }
static inline double cr__clamp(double v, double low, double high) { return v < low ? low : (v > high ? high : v); }
static inline double cr__abs(double v) { return __builtin_fabs(v); }
static inline double cr__sqrt(double v) { return __builtin_sqrt(v); }
static inline double cr__floor(double v) { return __builtin_floor(v); }
static inline double cr__ceil(double v) { return __builtin_ceil(v); }
static inline bool cr__is_finite(double v) { return v - v == 0.0; }

static inline CrVec3 cr__vec(double x, double y, double z) { return (CrVec3){x, y, z}; }
static inline CrVec3 cr__add(CrVec3 a, CrVec3 b) { return (CrVec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline CrVec3 cr__sub(CrVec3 a, CrVec3 b) { return (CrVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline CrVec3 cr__scale(CrVec3 a, double s) { return (CrVec3){a.x * s, a.y * s, a.z * s}; }
static inline CrVec3 cr__lerp(CrVec3 a, CrVec3 b, double t) {
  return (CrVec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}
static inline bool cr__same_point(CrVec3 a, CrVec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
static inline double cr__dist2_xz(CrVec3 a, CrVec3 b) {
  double dx = b.x - a.x, dz = b.z - a.z;
  return dx * dx + dz * dz;
}
static inline double cr__dist_xz(CrVec3 a, CrVec3 b) { return cr__sqrt(cr__dist2_xz(a, b)); }
static inline double cr__dist2(CrVec3 a, CrVec3 b) {
  double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
  return dx * dx + dy * dy + dz * dz;
}
static inline double cr__dist(CrVec3 a, CrVec3 b) { return cr__sqrt(cr__dist2(a, b)); }
// Twice the signed area of (a, b, p) in x/z; >= 0 when p is left of a -> b.
static inline double cr__cross_xz(CrVec3 a, CrVec3 b, CrVec3 p) {
  return (b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x);
}
// Parameter in 0..1 of the point of segment a -> b nearest to p in x/z (0 for a point segment).
static inline double cr__segment_t_xz(CrVec3 a, CrVec3 b, CrVec3 p) {
  double dx = b.x - a.x, dz = b.z - a.z;
  double length2 = dx * dx + dz * dz;
  if (length2 <= 0.0) return 0.0;
  return cr__clamp(((p.x - a.x) * dx + (p.z - a.z) * dz) / length2, 0.0, 1.0);
}

// splitmix64: the engine's own generator for caller-seeded randomness (Steele, Lea and Flood 2014).
static inline uint64_t cr__random_u64(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
// Uniform in [0, 1) with 53 bits.
static inline double cr__random_unit(uint64_t *state) {
  return (double)(cr__random_u64(state) >> 11) * (1.0 / 9007199254740992.0);
}

#endif
