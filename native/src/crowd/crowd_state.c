// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Writing crowd state (docs/formats/crowd-state.md): kind 1, storing, counting or hashing through one code path, and kind 2, which
// is a mesh snapshot and kind 1.
// Invariant: equal bytes mean that the crowds go on alike, on equal meshes with equal crowd options.
#include "crowd_struct.h"

static void write_cache(const CrCrowd *crowd, const CrAgent *agent, CrWriter *writer) {
  const CrWallCache *cache = &agent->cache;
  bool current = cr__walls_hold(crowd, agent);
  cr__write_u8(writer, current);
  if (!current) return;
  cr__write_point(writer, cache->center);
  cr__write_i32(writer, cache->count);
  for (int32_t k = 0; k < cache->count; k++) {
    cr__write_u64(writer, cache->walls[k].ref);
    cr__write_u8(writer, cache->walls[k].edge);
    cr__write_u8(writer, cache->walls[k].part);
  }
}

static size_t follower_size(const CrFollower *follower) {
  return CR_FOLLOWER_STATE_SIZE + (size_t)follower->corridor.count * sizeof(CrPolyRef);
}

static void write_agent(const CrCrowd *crowd, const CrAgent *agent, CrWriter *writer) {
  cr__write_i64(writer, agent->id);
  cr__agent_options_write(&agent->options, writer);
  cr__write_f64(writer, agent->priority);
  cr__write_u8(writer, agent->step_flags);
  cr__write_f64(writer, agent->wanted_x);
  cr__write_f64(writer, agent->wanted_z);
  cr__write_i32(writer, (int32_t)follower_size(&agent->follower));
  cr__follower_write(&agent->follower, writer);
  write_cache(crowd, agent, writer);
}

static void write_identity(uint8_t kind, CrWriter *writer) {
  cr__write_bytes(writer, "CRCS", 4);
  cr__write_u8(writer, CR_CROWD_STATE_VERSION);
  cr__write_u8(writer, kind);
  cr__write_u16(writer, 0);
}

static void write_header(const CrCrowd *crowd, CrWriter *writer) {
  write_identity(CR_CROWD_STATE_KIND, writer);
  cr__write_i32(writer, crowd->slot_count);
  cr__write_i32(writer, crowd->agent_count);
  cr__write_i32(writer, crowd->lowest_free);
  cr__write_i64(writer, crowd->next_id);
  cr__write_i64(writer, crowd->step_count);
}

// Hashing is a chain of one multiplication per byte. Making the bytes of an agent first and then folding them in one go keeps
// everything else off that chain.
static void hash_agent(const CrCrowd *crowd, const CrAgent *agent, CrWriter *writer) {
  CrWriter scratch = cr__writer_to(crowd->hash_scratch, crowd->hash_scratch_size);
  write_agent(crowd, agent, &scratch);
  CR_ASSERT(!scratch.overflow);
  cr__write_bytes(writer, scratch.data, scratch.size);
}

void cr__crowd_write(const CrCrowd *crowd, CrWriter *writer) {
  write_header(crowd, writer);
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    bool active = cr__crowd_slot_active(crowd, slot);
    cr__write_u8(writer, active);
    if (!active) continue;
    const CrAgent *agent = cr__crowd_slot(crowd, slot);
    if (writer->hashing) {
      hash_agent(crowd, agent, writer);
    } else {
      write_agent(crowd, agent, writer);
    }
  }
}

bool cr__hash_scratch_reserve(CrCrowd *crowd, int32_t corridor_capacity) {
  size_t walls = (size_t)crowd->options.max_walls_per_agent * CR_WALL_STATE_SIZE;
  size_t size = CR_AGENT_STATE_SIZE + CR_AGENT_OPTIONS_PATH_SIZE + (size_t)corridor_capacity * sizeof(CrPolyRef) +
                CR_WALLS_HEAD_SIZE + walls;
  if (size <= crowd->hash_scratch_size) return true;
  uint8_t *scratch = cr__alloc(&crowd->allocator, size, 1);
  if (!scratch) return false;
  cr__free(&crowd->allocator, crowd->hash_scratch, crowd->hash_scratch_size, 1);
  crowd->hash_scratch = scratch;
  crowd->hash_scratch_size = size;
  return true;
}

static size_t agent_size(const CrCrowd *crowd, const CrAgent *agent) {
  size_t size = CR_AGENT_STATE_SIZE + (size_t)agent->follower.corridor.count * sizeof(CrPolyRef);
  if (agent->options.has_path) size += CR_AGENT_OPTIONS_PATH_SIZE;
  if (cr__walls_hold(crowd, agent)) size += CR_WALLS_HEAD_SIZE + (size_t)agent->cache.count * CR_WALL_STATE_SIZE;
  return size;
}

size_t cr_crowd_state_size(const CrCrowd *crowd) {
  size_t size = CR_CROWD_HEADER_SIZE + (size_t)crowd->slot_count;
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (cr__crowd_slot_active(crowd, slot)) size += agent_size(crowd, cr__crowd_slot(crowd, slot));
  }
  return size;
}

CrStatus cr_crowd_save_state(const CrCrowd *crowd, uint8_t *out, size_t capacity, size_t *out_size, CrError *error) {
  size_t size = cr_crowd_state_size(crowd);
  if (capacity < size) return cr__fail_limit(error, CR_STATUS_LIMIT, "capacity", (double)size);
  CrWriter writer = cr__writer_to(out, capacity);
  cr__crowd_write(crowd, &writer);
  CR_ASSERT(writer.size == size && !writer.overflow);
  if (out_size) *out_size = size;
  return CR_STATUS_OK;
}

uint64_t cr_crowd_state_hash(const CrCrowd *crowd) {
  CrWriter writer = cr__writer_hash();
  cr__crowd_write(crowd, &writer);
  return writer.hash;
}

// --- With the mesh ----------------------------------------------------------------------------------------------------

static uint64_t mesh_size(const CrCrowd *crowd, bool referenced) {
  return (referenced ? cr__navmesh_referenced_size : cr__navmesh_snapshot_size)(crowd->mesh);
}

uint64_t cr_crowd_state_with_mesh_size(const CrCrowd *crowd, bool referenced) {
  return CR_STATE_IDENTITY_SIZE + 4 + mesh_size(crowd, referenced) + 4 + cr_crowd_state_size(crowd);
}

CrStatus cr_crowd_save_state_with_mesh(const CrCrowd *crowd, bool referenced, uint8_t *out, size_t capacity,
                                       size_t *out_size, CrError *error) {
  uint64_t mesh = mesh_size(crowd, referenced), state = cr_crowd_state_size(crowd);
  uint64_t size = cr_crowd_state_with_mesh_size(crowd, referenced);
  if (mesh > INT32_MAX) return cr__fail_limit(error, CR_STATUS_LIMIT, "mesh", INT32_MAX);
  if (state > INT32_MAX) return cr__fail_limit(error, CR_STATUS_LIMIT, "crowd", INT32_MAX);
  if (capacity < size) return cr__fail_limit(error, CR_STATUS_LIMIT, "capacity", (double)size);
  CrWriter writer = cr__writer_to(out, capacity);
  write_identity(CR_CROWD_STATE_KIND_WITH_MESH, &writer);
  cr__write_i32(&writer, (int32_t)mesh);
  (referenced ? cr__navmesh_write_referenced : cr__navmesh_write)(crowd->mesh, &writer);
  cr__write_i32(&writer, (int32_t)state);
  cr__crowd_write(crowd, &writer);
  CR_ASSERT(writer.size == size && !writer.overflow);
  if (out_size) *out_size = writer.size;
  return CR_STATUS_OK;
}
