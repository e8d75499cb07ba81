// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Types every part of the engine shares: status codes and error records, allocator hooks, byte buffers, vectors,
// polygon references and limits.
#ifndef CROWDREEL_BASE_H
#define CROWDREEL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CR_VERSION "0.2.0"

// Every coordinate the engine accepts is finite and below this magnitude (2^21 world units).
#define CR_COORD_LIMIT 2097152.0

// What a fallible call reports. The numbers are part of the WebAssembly interface and never change meaning.
typedef enum CrStatus {
  CR_STATUS_OK = 0,
  CR_STATUS_ARGUMENT = 1,         // a value the caller passed is out of range or not finite; `field` names it
  CR_STATUS_OUT_OF_MEMORY = 2,    // the allocator returned null; nothing changed
  CR_STATUS_TRUNCATED = 3,        // bytes end before `field` at `offset`
  CR_STATUS_BAD_MAGIC = 4,        // bytes are of another format
  CR_STATUS_BAD_VERSION = 5,      // bytes are of a version this engine does not read
  CR_STATUS_BAD_VALUE = 6,        // `field` at `offset` holds a value the format forbids
  CR_STATUS_TRAILING_BYTES = 7,   // bytes go on at `offset`, after the format's end
  CR_STATUS_LIMIT = 8,            // a documented limit (`limit`) would be exceeded
  CR_STATUS_STALE_REF = 9,        // a polygon reference does not name a polygon of this mesh (any more)
  CR_STATUS_NOT_FOUND = 10,       // nothing answers the question: no polygon near, no such tile
  CR_STATUS_FULL = 11,            // no free slot: the crowd holds MaxAgents
  CR_STATUS_MESH_EDITED = 12,     // the mesh changed while a recording was under way
  CR_STATUS_CANCELLED = 13,       // the caller's progress callback asked to stop
  CR_STATUS_NO_SUCH_AGENT = 14,   // an agent id names no agent in the crowd
  CR_STATUS_STALE_HANDLE = 15,    // (WebAssembly interface) a handle was disposed of or never made
  CR_STATUS_MISMATCH = 16,        // two parts of the bytes contradict each other; `field` names the second
  CR_STATUS_OCCUPIED = 17,        // a tile already stands at this position and layer
  CR_STATUS_NOT_RECORDABLE = 18,  // recordings have no operation for what `field` of agent `index` is about
  CR_STATUS_COUNT_
} CrStatus;

// Which byte format an error speaks of.
typedef enum CrFormat {
  CR_FORMAT_NONE = 0,
  CR_FORMAT_NAVMESH = 1,      // tile bytes and mesh snapshots
  CR_FORMAT_CROWD_STATE = 2,  // corridor, follower and crowd state
  CR_FORMAT_REPLAY = 3,       // operations, setup block, replay file
  CR_FORMAT_BUILD_INPUT = 4,  // OPBI
  CR_FORMAT_TILE_CACHE = 5    // CRTC
} CrFormat;

#define CR_NO_OFFSET UINT64_MAX
#define CR_NO_INDEX INT64_C(-1)

// Detail of a failure, written only when a call fails. `field` is a static string: it is never freed.
typedef struct CrError {
  CrStatus status;
  CrFormat format;
  const char *field;  // argument or field, for example "options.radius" or "setup.dt"; null when there is none
  uint64_t offset;    // byte offset in the bytes the caller passed, or CR_NO_OFFSET
  int64_t index;      // element the failure is about (vertex, step, agent id), or CR_NO_INDEX
  double limit;       // the bound that was exceeded, or 0
} CrError;

// One English sentence fragment for a status, for example "ends too early". Never null.
const char *cr_status_text(CrStatus status);

// Memory hooks. `allocate` returns null on failure and memory aligned for any type; `release` gets the size that was
// asked for. Null hooks pointers mean malloc and free. Objects copy the struct; `context` must outlive them.
typedef struct CrAllocator {
  void *context;
  void *(*allocate)(void *context, size_t size);
  void (*release)(void *context, void *memory, size_t size);
} CrAllocator;

// Bytes the engine made for the caller. Free with cr_bytes_free; a zeroed struct is empty and may be freed.
typedef struct CrBytes {
  uint8_t *data;
  size_t size;
  CrAllocator allocator;
} CrBytes;

void cr_bytes_free(CrBytes *bytes);

// World position or direction. y is up; the horizontal plane is x/z.
typedef struct CrVec3 {
  double x, y, z;
} CrVec3;

// Polygon reference: salt (16 bits, never 0) << 48 | tile slot (24) << 24 | polygon index (24). 0 is invalid.
typedef uint64_t CrPolyRef;

#define CR_INVALID_REF UINT64_C(0)

// FNV-1a, 64 bit, over `size` bytes (offset basis CBF29CE484222325, prime 100000001B3).
uint64_t cr_hash_bytes(const void *data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
