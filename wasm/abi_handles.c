// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The handle table: what the host holds instead of addresses. A handle is kind (4 bits) | generation (13) | slot (14),
// always positive. Disposing bumps the slot's generation, so a stale handle never names another object; a slot whose
// generations are used up is retired. An object that others refer to stays in memory, unreachable, until they are gone; a keeper refers
// to its parts, and they end with it.
#include <stdlib.h>

#include "abi.h"

#define SLOT_BITS 14
#define GENERATION_BITS 13
#define MAX_SLOTS (1 << SLOT_BITS)
#define LAST_GENERATION ((1 << GENERATION_BITS) - 1)

enum { NO_KEEPER = -1, KEEPER_GONE = -2 };

typedef struct Entry {
  void *object;        // null: the slot is free (or retired)
  int32_t parent;      // slot of the object this one refers to, or -1
  int32_t dependents;  // objects that refer to this one
  int32_t keeper;      // slot of the object this one is a part of, NO_KEEPER or KEEPER_GONE
  int32_t next_free;
  uint16_t generation;  // of the handle in use, or of the next one
  uint8_t kind;
  bool live;  // the host has not disposed of it
} Entry;

static Entry *entries;
static int32_t entry_count, entry_capacity;
static int32_t first_free = -1;
static int32_t live_count;

static int32_t slot_of(int32_t handle) { return handle & (MAX_SLOTS - 1); }

static Entry *entry_of(int32_t handle) {
  int32_t slot = slot_of(handle);
  if (handle <= 0 || slot >= entry_count) return NULL;
  Entry *entry = &entries[slot];
  int32_t expected = entry->kind << (SLOT_BITS + GENERATION_BITS) | entry->generation << SLOT_BITS | slot;
  return entry->live && expected == handle ? entry : NULL;
}

static bool grow(void) {
  int32_t grown = entry_capacity ? entry_capacity * 2 : 16;
  Entry *fresh = realloc(entries, (size_t)grown * sizeof *fresh);
  if (!fresh) return false;
  entries = fresh;
  entry_capacity = grown;
  return true;
}

int32_t crw__handle_reserve(void) {
  if (first_free >= 0) return 0;
  if (entry_count == MAX_SLOTS) return crw__fail_limit(CR_STATUS_LIMIT, "handles", MAX_SLOTS);
  if (entry_count == entry_capacity && !grow()) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  entries[entry_count] = (Entry){.next_free = -1, .parent = -1, .keeper = NO_KEEPER, .generation = 1};
  first_free = entry_count++;
  return 0;
}

int32_t crw__handle_add(CrwKind kind, void *object, int32_t parent) {
  int32_t slot = first_free;
  Entry *entry = &entries[slot];
  first_free = entry->next_free;
  entry->object = object;
  entry->kind = (uint8_t)kind;
  entry->live = true;
  entry->dependents = 0;
  entry->parent = parent ? slot_of(parent) : -1;
  if (parent) entries[entry->parent].dependents++;
  live_count++;
  return (int32_t)kind << (SLOT_BITS + GENERATION_BITS) | entry->generation << SLOT_BITS | slot;
}

int32_t crw__handle_add_kept(CrwKind kind, void *object, int32_t parent, int32_t keeper) {
  int32_t handle = crw__handle_add(kind, object, parent);
  Entry *entry = &entries[slot_of(handle)];
  entry->keeper = slot_of(keeper);
  entry->dependents = 1;  // the keeper
  return handle;
}

void *crw__handle_get(int32_t handle, CrwKind kind) {
  Entry *entry = entry_of(handle);
  return entry && entry->kind == kind ? entry->object : NULL;
}

static void destroy(CrwKind kind, void *object) {
  switch (kind) {
    case CRW_KIND_NAVMESH:
      cr_navmesh_destroy(object);
      break;
    case CRW_KIND_QUERY:
      cr_query_destroy(object);
      break;
    case CRW_KIND_CROWD:
      cr_crowd_destroy(object);
      break;
    case CRW_KIND_RECORDER:
      cr_recorder_destroy(object);
      break;
    case CRW_KIND_REPLAY:
      cr_replay_destroy(object);
      break;
    case CRW_KIND_PLAYER:
      cr_player_destroy(object);
      break;
    case CRW_KIND_BUILDER:
      crw__builder_destroy(object);
      break;
    case CRW_KIND_TILE_BUILD:
      crw__tile_build_destroy(object);
      break;
    case CRW_KIND_CACHE_MAKER:
      cr_tile_cache_maker_destroy(object);
      break;
    case CRW_KIND_TILE_CACHE:
      cr_tile_cache_destroy(object);
      break;
    case CRW_KIND_FOLLOWER:
      crw__follower_destroy(object);
      break;
    case CRW_KIND_WORLD:
      cr_world_destroy(object);
      break;
  }
}

static void free_slot(int32_t slot) {
  Entry *entry = &entries[slot];
  entry->object = NULL;
  entry->parent = -1;
  entry->keeper = NO_KEEPER;
  if (entry->generation == LAST_GENERATION) return;  // retired
  entry->generation++;
  entry->next_free = first_free;
  first_free = slot;
}

// Destroys the object when nobody can reach it, then looks at the one it referred to. A part went with its keeper.
static void release(int32_t slot) {
  while (slot >= 0 && !entries[slot].live && entries[slot].dependents == 0) {
    int32_t parent = entries[slot].parent;
    if (entries[slot].keeper == NO_KEEPER) destroy((CrwKind)entries[slot].kind, entries[slot].object);
    free_slot(slot);
    if (parent >= 0) entries[parent].dependents--;
    slot = parent;
  }
}

static void end_hold(Entry *entry) {
  if (entry->live) live_count--;
  entry->live = false;
}

static void release_parts(int32_t keeper) {
  for (int32_t slot = 0; slot < entry_count; slot++) {
    if (!entries[slot].object || entries[slot].keeper != keeper) continue;
    end_hold(&entries[slot]);
    entries[slot].keeper = KEEPER_GONE;
    entries[slot].dependents--;
    release(slot);
  }
}

// Ends the host's hold on an object. What others still refer to is freed together with the last of them.
CRW_EXPORT int32_t crw_handle_dispose(int32_t handle) {
  Entry *entry = entry_of(handle);
  if (!entry) return crw__fail(CR_STATUS_STALE_HANDLE, "handle");
  int32_t slot = slot_of(handle);
  bool keeps = entry->kind == CRW_KIND_WORLD;
  end_hold(entry);
  release(slot);
  if (keeps) release_parts(slot);
  return 0;
}

// Handles the host has not disposed of.
CRW_EXPORT int32_t crw_handle_count(void) { return live_count; }

// Objects in memory: live handles and those kept for others.
CRW_EXPORT int32_t crw_handle_object_count(void) {
  int32_t count = 0;
  for (int32_t slot = 0; slot < entry_count; slot++) count += entries[slot].object != NULL;
  return count;
}

CrCrowd *crw__crowd(int32_t handle) { return crw__handle_get(handle, CRW_KIND_CROWD); }
CrNavMesh *crw__mesh(int32_t handle) { return crw__handle_get(handle, CRW_KIND_NAVMESH); }

const CrCrowd *crw__crowd_view(int32_t handle) {
  Entry *entry = entry_of(handle);
  if (entry && entry->kind == CRW_KIND_CROWD) return entry->object;
  if (entry && entry->kind == CRW_KIND_PLAYER) return cr_player_crowd(entry->object);
  return NULL;
}

const CrNavMesh *crw__mesh_view(int32_t handle) {
  Entry *entry = entry_of(handle);
  if (!entry) return NULL;
  switch (entry->kind) {
    case CRW_KIND_NAVMESH:
      return entry->object;
    case CRW_KIND_QUERY:
      return cr_query_mesh(entry->object);
    case CRW_KIND_CROWD:
      return cr_crowd_mesh(entry->object);
    case CRW_KIND_PLAYER:
      return cr_player_mesh(entry->object);
    case CRW_KIND_FOLLOWER:
      return crw__follower_mesh(entry->object);
    default:
      return NULL;
  }
}
