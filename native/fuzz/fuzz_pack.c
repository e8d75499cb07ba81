// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Packing of keyframes and layers. The bytes are taken as they are, as a recipe for longer data full of repeats, and as packed
// bytes of a size the first two give. What must hold: packed data stays within its bound and unpacks to what it was, cut short it
// does not; any other packed bytes are unpacked or refused within the memory given.
#include "fuzzkit.h"

#define MOST 65536

static CrPacker packer;

static CrBytes exactly(const uint8_t *data, size_t size) {
  CrBytes bytes;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, size, &bytes, NULL) == CR_STATUS_OK);
  if (size && data) memcpy(bytes.data, data, size);
  return bytes;
}

// All in memory of exactly the size promised, so that an overrun is seen.
static void round_trip(const uint8_t *data, size_t size) {
  CrBytes packed = exactly(NULL, cr__pack_bound(size));
  size_t packed_size = cr__pack(&packer, data, size, packed.data);
  FUZZ_REQUIRE(packed_size > 0 && packed_size <= packed.size);
  CrBytes exact = exactly(packed.data, packed_size), again = exactly(NULL, size);
  CrBytes prefix = exactly(packed.data, packed_size - 1);
  FUZZ_REQUIRE(cr__unpack(exact.data, packed_size, again.data, size));
  FUZZ_REQUIRE(size == 0 || memcmp(again.data, data, size) == 0);
  FUZZ_REQUIRE(!cr__unpack(prefix.data, packed_size - 1, again.data, size));
  cr_bytes_free(&packed);
  cr_bytes_free(&exact);
  cr_bytes_free(&again);
  cr_bytes_free(&prefix);
}

// Each step of the recipe appends new bytes and then a copy of earlier ones.
static size_t cook(FuzzIn in, uint8_t *out) {
  size_t size = 0;
  while (!fuzz_done(&in) && size < MOST) {
    size_t fresh = fuzz_u8(&in) % 40, got;
    const uint8_t *bytes = fuzz_span(&in, fresh < MOST - size ? fresh : MOST - size, &got);
    if (got) memcpy(out + size, bytes, got);
    size += got;
    size_t length = fuzz_u16(&in) & 0x3FF, distance = fuzz_u16(&in);
    if (size == 0) continue;
    distance = 1 + distance % size;
    for (; length > 0 && size < MOST; length--, size++) out[size] = out[size - distance];
  }
  return size;
}

static void unpack_any(FuzzIn in) {
  size_t size = fuzz_u16(&in), packed_size;
  const uint8_t *packed = fuzz_span(&in, in.size, &packed_size);
  CrBytes exact = exactly(packed, packed_size), out = exactly(NULL, size);
  cr__unpack(exact.data, packed_size, out.data, size);
  cr_bytes_free(&exact);
  cr_bytes_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t cooked[MOST];
  CrAllocator hooks = cr__allocator_or_default(NULL);
  if (!packer.places) FUZZ_REQUIRE(cr__packer_init(&packer, &hooks));
  round_trip(data, size);
  size_t cooked_size = cook(fuzz_in(data, size), cooked);
  CrBytes exact = exactly(cooked, cooked_size);
  round_trip(exact.data, cooked_size);
  cr_bytes_free(&exact);
  unpack_any(fuzz_in(data, size));
  return 0;
}
