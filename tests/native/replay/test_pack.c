// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#include "replays.h"

#include "replay_internal.h"

// Packs into memory of exactly the bound and unpacks into memory of exactly the size, so that sanitizers see every
// overrun.
static size_t round_trip(CrPacker *packer, const uint8_t *data, size_t size) {
  uint8_t *packed = malloc(cr__pack_bound(size)), *again = malloc(size ? size : 1);
  REQUIRE(packed && again);
  size_t packed_size = cr__pack(packer, data, size, packed);
  CHECK(packed_size <= cr__pack_bound(size));
  uint8_t *exact = malloc(packed_size);
  REQUIRE(exact);
  memcpy(exact, packed, packed_size);
  CHECK(cr__unpack(exact, packed_size, again, size));
  CHECK(size == 0 || memcmp(again, data, size) == 0);
  free(exact);
  free(packed);
  free(again);
  return packed_size;
}

static CrPacker make_packer(void) {
  CrPacker packer = {0};
  CrAllocator hooks = cr__allocator_or_default(NULL);
  REQUIRE(cr__packer_init(&packer, &hooks));
  return packer;
}

static void free_packer(CrPacker *packer) {
  CrAllocator hooks = cr__allocator_or_default(NULL);
  cr__packer_free(packer, &hooks);
}

// Bytes with runs, repeats at a distance, and noise, by seed.
static void fill(uint8_t *data, size_t size, uint64_t *seed) {
  int32_t kind = rnd_int(seed, 4);
  size_t period = 1 + rnd_u64(seed) % 700;
  for (size_t i = 0; i < size; i++) {
    uint8_t noise = (uint8_t)rnd_u64(seed);
    switch (kind) {
      case 0:
        data[i] = noise;
        break;
      case 1:
        data[i] = noise & 1;
        break;
      case 2:
        data[i] = i < period || noise < 8 ? noise : data[i - period];
        break;
      default:
        data[i] = (i / period) % 3 ? (uint8_t)(i / period) : noise;
        break;
    }
  }
}

TEST(any_bytes_come_back) {
  uint64_t seed = check_seed = 5;
  CrPacker packer = make_packer();
  int32_t rounds = 3000 * check_scale();
  for (int32_t i = 0; i < rounds; i++) {
    size_t size = rnd_u64(&seed) % (i % 10 ? 400 : 20000);
    uint8_t *data = malloc(size ? size : 1);
    REQUIRE(data);
    fill(data, size, &seed);
    round_trip(&packer, data, size);
    free(data);
  }
  free_packer(&packer);
}

TEST(every_small_size_and_count_boundary) {
  CrPacker packer = make_packer();
  uint8_t data[700];
  for (size_t literals = 0; literals < 40; literals++) {
    for (size_t copied = 0; copied < 320; copied++) {
      uint64_t seed = 7;
      for (size_t i = 0; i < literals; i++) data[i] = (uint8_t)rnd_u64(&seed);
      memset(data + literals, 9, copied);
      round_trip(&packer, data, literals + copied);
    }
  }
  free_packer(&packer);
}

// Prefixes, other sizes and changed bytes: refused, or unpacked to something; never beyond a buffer.
TEST(damaged_bytes_stay_within_bounds) {
  uint64_t seed = check_seed = 9;
  CrPacker packer = make_packer();
  uint8_t data[600], packed[700], *out = malloc(600);
  REQUIRE(out);
  int64_t accepted = 0, rounds = check_scaled(300);
  for (int64_t i = 0; i < rounds; i++) {
    size_t size = 1 + rnd_u64(&seed) % sizeof data;
    fill(data, size, &seed);
    size_t packed_size = cr__pack(&packer, data, size, packed);
    for (size_t prefix = 0; prefix < packed_size; prefix++) {
      uint8_t *exact = malloc(prefix ? prefix : 1);
      REQUIRE(exact);
      memcpy(exact, packed, prefix);
      CHECK(!cr__unpack(exact, prefix, out, size));
      free(exact);
    }
    CHECK(!cr__unpack(packed, packed_size, out, size - 1));
    if (size < 600) CHECK(!cr__unpack(packed, packed_size, out, size + 1));
    for (size_t at = 0; at < packed_size; at++) {
      uint8_t before = packed[at];
      packed[at] = (uint8_t)rnd_u64(&seed);
      accepted += cr__unpack(packed, packed_size, out, size);
      packed[at] = before;
    }
  }
  printf("%" PRId64 " changed streams unpacked to other bytes\n", accepted);
  free(out);
  free_packer(&packer);
}

// A block of noise, zeros, and the block again `distance` bytes after the first.
static size_t pack_repeat(CrPacker *packer, size_t distance) {
  enum { BLOCK = 1024 };
  uint8_t *data = calloc(distance + BLOCK, 1);
  REQUIRE(data);
  uint64_t seed = 6;
  for (size_t i = 0; i < BLOCK; i++) data[i] = (uint8_t)rnd_u64(&seed) | 1;
  memcpy(data + distance, data, BLOCK);
  size_t packed = round_trip(packer, data, distance + BLOCK);
  free(data);
  return packed;
}

TEST(repeats_are_copied_up_to_two_mebibytes_back) {
  CrPacker packer = make_packer();
  size_t near = pack_repeat(&packer, ((size_t)2 << 20) - 1), far = pack_repeat(&packer, (size_t)2 << 20);
  printf("1 KiB of noise twice: %zu bytes within reach, %zu beyond it\n", near, far);
  CHECK(near < 1100 && far > 2048);
  free_packer(&packer);
}

TEST(crowd_states_take_a_fraction) {
  CrPacker packer = make_packer();
  HostPlan plan = {
      .world = 2, .seed = 12, .max_agents = HOST_MAX_IDS, .first_agents = 50, .warm_steps = 120, .dt = 1.0 / 30.0};
  Host host;
  host_start(&host, &plan, false);
  CrBytes state = state_of(host.crowd);
  size_t packed = round_trip(&packer, state.data, state.size);
  printf("%d agents: state %zu bytes, packed %zu (%.2f)\n", cr_crowd_agent_count(host.crowd), state.size, packed,
         (double)packed / (double)state.size);
  CHECK(2 * packed < state.size);
  cr_bytes_free(&state);
  host_end(&host);
  free_packer(&packer);
}

TEST_MAIN(RUN(any_bytes_come_back), RUN(every_small_size_and_count_boundary), RUN(damaged_bytes_stay_within_bounds),
          RUN(repeats_are_copied_up_to_two_mebibytes_back), RUN(crowd_states_take_a_fraction))
