// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Packs bytes that repeat: crowd states kept in memory, layers of a tile cache. After Ziv and Lempel 1977: literals and
// copies of earlier bytes, greedy, the candidates of a place being the last few places with the same four bytes.
// Sequence: a byte with two counts (high: literals, low: copied bytes above MIN_COPY; 15 means that a varint with the
// rest follows the byte), the literals, and the distance of the copy as a varint. The last sequence has no copy.
// Unpacking trusts nothing: it stays within both buffers whatever the bytes are.
#include "core_internal.h"

#define MIN_COPY 5
#define MAX_DISTANCE ((1 << 21) - 1)  // three varint bytes: a copy never takes more than it saves
#define BUCKET_BITS 14
#define BUCKET_PLACES 4

bool cr__packer_init(CrPacker *packer, const CrAllocator *allocator) {
  packer->places = cr__alloc(allocator, (size_t)BUCKET_PLACES << BUCKET_BITS, sizeof *packer->places);
  return packer->places != NULL;
}

void cr__packer_free(CrPacker *packer, const CrAllocator *allocator) {
  cr__free(allocator, packer->places, (size_t)BUCKET_PLACES << BUCKET_BITS, sizeof *packer->places);
  packer->places = NULL;
}

size_t cr__pack_bound(size_t size) { return size + size / 15 + 16; }

// --- Packing --------------------------------------------------------------------------------------------------------

// The places that last had the four bytes at `data`, each plus one, the latest first.
static uint32_t *bucket_of(const CrPacker *packer, const uint8_t *data) {
  uint32_t word;
  memcpy(&word, data, sizeof word);
  return packer->places + (size_t)((word * UINT32_C(2654435761)) >> (32 - BUCKET_BITS)) * BUCKET_PLACES;
}

static void remember(const CrPacker *packer, const uint8_t *data, size_t at) {
  uint32_t *bucket = bucket_of(packer, data + at);
  memmove(bucket + 1, bucket, (BUCKET_PLACES - 1) * sizeof *bucket);
  bucket[0] = (uint32_t)at + 1;
}

static size_t common_length(const uint8_t *a, const uint8_t *b, size_t limit) {
  size_t length = 0;
  while (length < limit && a[length] == b[length]) length++;
  return length;
}

// Length of the longest earlier match of the bytes at `at`, 0 when none is worth copying.
static size_t find_copy(const CrPacker *packer, const uint8_t *data, size_t size, size_t at, size_t *out_distance) {
  const uint32_t *bucket = bucket_of(packer, data + at);
  size_t best = MIN_COPY - 1;
  for (int32_t i = 0; i < BUCKET_PLACES && bucket[i]; i++) {
    size_t place = bucket[i] - 1, distance = at - place;
    if (distance > MAX_DISTANCE) break;
    size_t length = common_length(data + place, data + at, size - at);
    if (length <= best) continue;
    best = length;
    *out_distance = distance;
  }
  return best >= MIN_COPY ? best : 0;
}

static uint8_t *put_varint(uint8_t *out, size_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = (uint8_t)(value | 0x80);
  *out++ = (uint8_t)value;
  return out;
}

static uint8_t *put_sequence(uint8_t *out, const uint8_t *literals, size_t count, size_t copied) {
  size_t above = copied ? copied - MIN_COPY : 0;
  *out++ = (uint8_t)((count < 15 ? count : 15) << 4 | (above < 15 ? above : 15));
  if (count >= 15) out = put_varint(out, count - 15);
  if (above >= 15) out = put_varint(out, above - 15);
  if (count) memcpy(out, literals, count);
  return out + count;
}

size_t cr__pack(CrPacker *packer, const uint8_t *data, size_t size, uint8_t *out) {
  uint8_t *end = out;
  size_t at = 0, literals = 0;  // literals: where those of the sequence under way begin
  memset(packer->places, 0, sizeof *packer->places * BUCKET_PLACES << BUCKET_BITS);
  while (at + 4 <= size) {
    size_t distance = 0, length = find_copy(packer, data, size, at, &distance);
    if (!length) {
      remember(packer, data, at++);
      continue;
    }
    end = put_sequence(end, data + literals, at - literals, length);
    end = put_varint(end, distance);
    for (size_t stop = at + length; at < stop; at++) {
      if (at + 4 <= size) remember(packer, data, at);
    }
    literals = at;
  }
  end = put_sequence(end, data + literals, size - literals, 0);
  CR_ASSERT((size_t)(end - out) <= cr__pack_bound(size));
  return (size_t)(end - out);
}

// --- Unpacking ------------------------------------------------------------------------------------------------------

// What is left of the packed bytes. Reading past their end gives zeros and sets `failed`.
typedef struct Source {
  const uint8_t *at, *end;
  bool failed;
} Source;

static size_t take_byte(Source *source) {
  if (source->at != source->end) return *source->at++;
  source->failed = true;
  return 0;
}

static size_t take_varint(Source *source) {
  size_t value = 0;
  for (uint32_t shift = 0; shift < 28; shift += 7) {
    size_t byte = take_byte(source);
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  value |= (take_byte(source) & 0x0F) << 28;
  return value;
}

// Copies may reach into what they write: equal bytes in a row.
static void copy_back(uint8_t *out, size_t distance, size_t length) {
  const uint8_t *from = out - distance;
  if (distance >= length) {
    memcpy(out, from, length);
  } else if (distance == 1) {
    memset(out, *from, length);
  } else {
    for (size_t i = 0; i < length; i++) out[i] = from[i];
  }
}

bool cr__unpack(const uint8_t *data, size_t packed_size, uint8_t *out, size_t size) {
  Source source = {data, data + packed_size, false};
  uint8_t *start = out, *end = out + size;
  for (;;) {
    size_t counts = take_byte(&source), literals = counts >> 4, copied = counts & 15;
    if (literals == 15) literals += take_varint(&source);
    if (copied == 15) copied += take_varint(&source);
    if (source.failed || literals > (size_t)(end - out) || literals > (size_t)(source.end - source.at)) return false;
    if (literals) memcpy(out, source.at, literals);
    out += literals;
    source.at += literals;
    if (out == end) return copied == 0 && source.at == source.end;
    size_t distance = take_varint(&source);
    copied += MIN_COPY;
    if (source.failed || distance == 0 || distance > (size_t)(out - start) || copied > (size_t)(end - out))
      return false;
    copy_back(out, distance, copied);
    out += copied;
  }
}
