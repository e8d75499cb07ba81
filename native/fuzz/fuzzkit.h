// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the fuzz targets share: values drawn from bytes, an allocator that counts and fails on demand, oracles, and checks of
// whole meshes. A target is one native/fuzz/fuzz_<name>.c with LLVMFuzzerTestOneInput.
#ifndef CR_FUZZKIT_H
#define CR_FUZZKIT_H

#include "core_internal.h"
#include "crowdreel/crowdreel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What must hold for every input. A broken one prints itself and stops the program: the fuzzer keeps the input.
void fuzz_broken(const char *file, int line, const char *condition);
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #condition))

// --- Values from bytes ----------------------------------------------------------------------------------------------

// Reading past the end gives zeros, so every input means something.
typedef struct FuzzIn {
  const uint8_t *data;
  size_t size, at;
} FuzzIn;

static inline FuzzIn fuzz_in(const uint8_t *data, size_t size) { return (FuzzIn){data, size, 0}; }
static inline bool fuzz_done(const FuzzIn *in) { return in->at >= in->size; }
uint8_t fuzz_u8(FuzzIn *in);
uint16_t fuzz_u16(FuzzIn *in);
uint64_t fuzz_u64(FuzzIn *in);
int32_t fuzz_below(FuzzIn *in, int32_t count);  // 0..count-1, from one byte; count <= 256
// A length in units of `unit`: mostly small multiples of a quarter, now and then any bits of a double.
double fuzz_length(FuzzIn *in, double unit);
// The same, but always finite and within -limit..limit.
double fuzz_tame_length(FuzzIn *in, double unit, double limit);
CrVec3 fuzz_point(FuzzIn *in, double unit);
// `size` bytes (fewer at the end of the input).
const uint8_t *fuzz_span(FuzzIn *in, size_t size, size_t *out_size);

// --- Memory ---------------------------------------------------------------------------------------------------------

// Checks that sizes come back as they were asked for, and that what is taken stays below `limit` (0: no bound).
typedef struct FuzzMemory {
  int64_t live_blocks;
  size_t live_bytes, peak_bytes, limit;
  int64_t count;    // allocations so far
  int64_t fail_at;  // this one fails (counted from 1); 0: none
} FuzzMemory;

CrAllocator fuzz_allocator(FuzzMemory *memory);
// Nothing is left.
void fuzz_memory_end(const FuzzMemory *memory);

// --- Meshes ---------------------------------------------------------------------------------------------------------

// Small worlds made once and kept, for targets that need a mesh: the same at every call.
#define FUZZ_WORLDS 7
const CrNavMesh *fuzz_world(int32_t number);

// Every invariant of the mesh, and a snapshot that comes back as it was.
void fuzz_check_mesh(const CrNavMesh *mesh);
uint64_t fuzz_mesh_hash(const CrNavMesh *mesh);
// Asks everything that can be asked, at places drawn from the bytes: answers are finite, on the mesh, and agree with each other.
void fuzz_ask_mesh(const CrNavMesh *mesh, FuzzIn *in);

// --- Crowds ---------------------------------------------------------------------------------------------------------

// An empty crowd; bits 3 and up of the byte choose its options.
CrCrowd *fuzz_crowd(const CrNavMesh *mesh, uint8_t choice, const CrAllocator *hooks);
// Up to three calls that a host may make, of agents that may be there.
void fuzz_call_crowd(CrCrowd *crowd, FuzzIn *in);
// What holds of a crowd whatever its state was read from. (Corridors are not held against the mesh when a state is read, so
// the crowd's whole invariant need not hold.)
void fuzz_check_crowd(const CrCrowd *crowd);

// --- Formats --------------------------------------------------------------------------------------------------------

// Magic, version, size and hash of a snapshot put right, so that what is behind them is read. False: too short for one.
bool fuzz_seal_mesh(uint8_t *data, size_t size);
// Tries the bytes as they are, then, where `seal` changes something in a copy of them, that copy.
void fuzz_try_sealed(const uint8_t *data, size_t size, void (*try)(const uint8_t *data, size_t size),
                     bool (*seal)(uint8_t *data, size_t size));

static inline uint32_t fuzz_load_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline void fuzz_store_u32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

#endif
