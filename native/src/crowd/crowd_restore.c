// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Restoring crowd state. Kind 1 is read more than once: the first reading checks everything and changes nothing; then memory for
// agents that are new to their slots is taken; the last reading applies and cannot fail. Kind 2 reads the mesh before that last one.
// Invariant: a restore that fails leaves the crowd as it was. Reading is structural: positions, corridors and walls are not
// looked up in the mesh, except that a wall piece the mesh does not have makes its agent look its walls up again.
#include "crowd_struct.h"

typedef struct Header {
  int32_t slot_count, agent_count, lowest_free;
  int64_t next_id, step_count;
} Header;

// One agent's bytes, taken apart. The spans lie in the state bytes and have been checked.
typedef struct Record {
  int64_t id;
  CrAgentOptions options;
  const uint8_t *options_bytes;
  size_t options_size;
  double priority;
  uint8_t step_flags;
  double wanted_x, wanted_z;
  const uint8_t *follower_bytes;
  size_t follower_size;
  bool cache_valid;
  CrVec3 cache_center;
  int32_t wall_count;
  const uint8_t *wall_bytes;
} Record;

// Agents made for slots that hold another agent, or none, in slot order.
typedef struct Fresh {
  CrAgent *agents;
  int32_t count, made;
} Fresh;

// --- Reading ----------------------------------------------------------------------------------------------------------

static int64_t read_i64_from_0(CrReader *reader, const char *field, int64_t high) {
  int64_t value = cr__read_i64(reader, field);
  if (cr__read_ok(reader) && (value < 0 || value > high)) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, reader->offset - sizeof value);
  }
  return value;
}

static void read_identity(uint8_t wanted_kind, CrReader *reader) {
  cr__read_magic(reader, "CRCS");
  cr__read_version(reader, CR_CROWD_STATE_VERSION);
  uint8_t kind = cr__read_u8(reader, "kind");
  if (cr__read_ok(reader) && kind != wanted_kind) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "kind", reader->offset - 1);
  }
  cr__read_zero_u16(reader, "reserved");
}

static void read_header(Header *header, const CrCrowd *crowd, CrReader *reader) {
  read_identity(CR_CROWD_STATE_KIND, reader);
  header->slot_count = cr__read_i32_in(reader, "slot_count", 0, crowd->options.max_agents);
  header->agent_count = cr__read_i32_in(reader, "agent_count", 0, header->slot_count);
  header->lowest_free = cr__read_i32_in(reader, "lowest_free", 0, header->slot_count);
  header->next_id = read_i64_from_0(reader, "next_id", CR_CROWD_MAX_COUNT);
  header->step_count = read_i64_from_0(reader, "step_count", CR_CROWD_MAX_COUNT);
  if (cr__read_ok(reader) && cr__read_left(reader) < (size_t)header->slot_count) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, "slots", reader->offset);
  }
}

static double read_priority(CrReader *reader) {
  double priority = cr__read_f64(reader, "priority");
  if (cr__read_ok(reader) && cr__check_priority(priority, NULL) != CR_STATUS_OK) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "priority", reader->offset - sizeof priority);
  }
  return priority;
}

static uint8_t read_step_flags(CrReader *reader) {
  uint8_t flags = cr__read_u8(reader, "step_flags");
  if (!cr__step_flags_known(flags)) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "step_flags", reader->offset - 1);
  return flags;
}

// The length must be exactly that of the follower it announces.
static void read_follower_span(Record *record, CrReader *reader) {
  int32_t size = cr__read_i32_in(reader, "follower.size", 0, INT32_MAX);
  size_t start = reader->offset;
  record->follower_bytes = cr__read_span(reader, (size_t)size, "follower");
  record->follower_size = (size_t)size;
  if (!cr__read_ok(reader)) return;
  CrFollowerOptions path = cr_agent_follower_options(&record->options);
  CrReader inner =
      cr__reader(record->follower_bytes, record->follower_size, reader->base + start, reader->format, reader->error);
  cr__follower_read(NULL, &path, &inner);
  reader->status = cr__read_end(&inner);
}

static void read_cache(Record *record, const CrCrowd *crowd, CrReader *reader) {
  record->cache_valid = cr__read_flag(reader, "walls.valid");
  record->wall_count = 0;
  if (!record->cache_valid) return;
  record->cache_center = cr__read_point(reader, "walls.center");
  record->wall_count = cr__read_i32_in(reader, "walls.count", 0, crowd->options.max_walls_per_agent);
  record->wall_bytes = cr__read_span(reader, (size_t)record->wall_count * CR_WALL_STATE_SIZE, "walls.pieces");
}

static void read_record(Record *record, const CrCrowd *crowd, const Header *header, CrReader *reader) {
  record->id = read_i64_from_0(reader, "id", header->next_id - 1);
  size_t start = reader->offset;
  cr__agent_options_read(&record->options, reader);
  record->options_bytes = reader->data + start;
  record->options_size = reader->offset - start;
  record->priority = read_priority(reader);
  record->step_flags = read_step_flags(reader);
  record->wanted_x = cr__read_coord(reader, "wanted_velocity");
  record->wanted_z = cr__read_coord(reader, "wanted_velocity");
  read_follower_span(record, reader);
  read_cache(record, crowd, reader);
}

// --- Checking ---------------------------------------------------------------------------------------------------------

// Whether the slot holds this very agent: same id, same options to the bit.
static bool is_kept(const CrCrowd *crowd, int32_t slot, const Record *record) {
  if (slot >= crowd->slot_count || !cr__crowd_slot_active(crowd, slot)) return false;
  const CrAgent *agent = cr__crowd_slot(crowd, slot);
  if (agent->id != record->id) return false;
  uint8_t bytes[CR_AGENT_OPTIONS_SIZE + CR_AGENT_OPTIONS_PATH_SIZE];
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__agent_options_write(&agent->options, &writer);
  return writer.size == record->options_size && memcmp(bytes, record->options_bytes, writer.size) == 0;
}

// Reads all slots, changing nothing. *out_fresh: how many agents are new to their slots.
static void check_slots(const CrCrowd *crowd, const Header *header, CrReader *reader, int32_t *out_fresh) {
  int32_t active_count = 0;
  *out_fresh = 0;
  for (int32_t slot = 0; slot < header->slot_count && cr__read_ok(reader); slot++) {
    size_t start = reader->offset;
    if (!cr__read_flag(reader, "active")) {
      if (slot < header->lowest_free) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "active", start);
      continue;
    }
    Record record;
    active_count++;
    read_record(&record, crowd, header, reader);
    if (cr__read_ok(reader)) *out_fresh += !is_kept(crowd, slot, &record);
  }
  if (cr__read_ok(reader) && active_count != header->agent_count) {
    cr__read_fail(reader, CR_STATUS_MISMATCH, "agent_count", CR_AGENT_COUNT_OFFSET);
  }
  cr__read_end(reader);
}

// --- Preparing --------------------------------------------------------------------------------------------------------

static void discard(CrCrowd *crowd, Fresh *fresh) {
  for (int32_t k = 0; k < fresh->made; k++) cr__agent_deinit(&fresh->agents[k]);
  cr__free(&crowd->allocator, fresh->agents, (size_t)fresh->count, sizeof *fresh->agents);
}

// Memory for one slot. Ids go into the spare table, which tells of repeated ones.
static CrStatus prepare_slot(CrCrowd *crowd, int32_t slot, const Record *record, size_t id_offset, Fresh *fresh,
                             CrReader *reader) {
  if (!cr__ids_insert(&crowd->spare_ids, record->id, slot)) {
    return cr__read_fail(reader, CR_STATUS_BAD_VALUE, "id", id_offset);
  }
  if (is_kept(crowd, slot, record)) return CR_STATUS_OK;
  CrFollowerOptions path = cr_agent_follower_options(&record->options);
  if (!cr__agents_reserve_slot(crowd, slot) || !cr__hash_scratch_reserve(crowd, path.corridor_capacity)) {
    return cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  CrStatus status = cr__agent_init(&fresh->agents[fresh->made], crowd, &record->options, reader->error);
  fresh->made += status == CR_STATUS_OK;
  return status;
}

static CrStatus prepare(CrCrowd *crowd, const Header *header, CrReader *reader, Fresh *fresh) {
  if (!cr__agents_reserve(crowd, header->slot_count)) return cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
  if (fresh->count) {
    fresh->agents = cr__alloc(&crowd->allocator, (size_t)fresh->count, sizeof *fresh->agents);
    if (!fresh->agents) return cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
  }
  cr__ids_clear(&crowd->spare_ids);
  CrStatus status = CR_STATUS_OK;
  for (int32_t slot = 0; slot < header->slot_count && status == CR_STATUS_OK; slot++) {
    if (!cr__read_flag(reader, "active")) continue;
    Record record;
    size_t id_offset = reader->offset;
    read_record(&record, crowd, header, reader);
    status = prepare_slot(crowd, slot, &record, id_offset, fresh, reader);
  }
  return status;
}

// --- Applying ---------------------------------------------------------------------------------------------------------

// Pieces in cache order. False when the mesh lacks one.
static bool apply_walls(const CrCrowd *crowd, CrWall *walls, const Record *record) {
  CrReader reader =
      cr__reader(record->wall_bytes, (size_t)record->wall_count * CR_WALL_STATE_SIZE, 0, CR_FORMAT_NONE, NULL);
  for (int32_t k = 0; k < record->wall_count; k++) {
    CrVec3 a, b;
    CrPolyRef ref = cr__read_u64(&reader, NULL);
    uint8_t edge = cr__read_u8(&reader, NULL), part = cr__read_u8(&reader, NULL);
    CrStatus status = cr_query_wall_piece(crowd->mesh, crowd->options.filter, ref, edge, part, &a, &b);
    if (status != CR_STATUS_OK) return false;
    walls[k] = cr__wall(ref, edge, part, a, b);
  }
  return true;
}

static void apply_record(const CrCrowd *crowd, CrAgent *agent, const Record *record) {
  agent->priority = record->priority;
  agent->step_flags = record->step_flags;
  agent->wanted_x = record->wanted_x;
  agent->wanted_z = record->wanted_z;
  CrFollowerOptions path = agent->follower.options;
  CrReader reader = cr__reader(record->follower_bytes, record->follower_size, 0, CR_FORMAT_NONE, NULL);
  cr__follower_read(&agent->follower, &path, &reader);
  CR_ASSERT(cr__read_ok(&reader));
  CrWallCache *cache = &agent->cache;
  cache->valid = record->cache_valid && apply_walls(crowd, cache->walls, record);
  cache->center = record->cache_center;
  cache->count = record->wall_count;
  cache->may_face = UINT64_MAX;
  cache->stamp = crowd->mesh->stamp;
}

static void set_active(CrCrowd *crowd, int32_t slot, bool active) {
  CrAgentGroup *group = crowd->groups[slot / CR_GROUP_SLOTS];
  uint32_t bit = 1u << (slot % CR_GROUP_SLOTS);
  if (group) group->active = active ? group->active | bit : group->active & ~bit;
}

// Empties the slot unless it keeps its agent, and gives it the next of the fresh ones.
static void apply_slot(CrCrowd *crowd, int32_t slot, const Record *record, Fresh *fresh, int32_t *used) {
  bool kept = record && is_kept(crowd, slot, record);
  bool held = slot < crowd->slot_count && cr__crowd_slot_active(crowd, slot);
  if (held && !kept) {
    cr__agent_deinit(cr__crowd_slot(crowd, slot));
    set_active(crowd, slot, false);
  }
  if (!record) {
    if (held) cr__agents_show(crowd, slot);
    return;
  }
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  if (!kept) {
    *agent = fresh->agents[(*used)++];
    agent->id = record->id;
    agent->cache.walls = cr__agents_walls(crowd, slot);
    set_active(crowd, slot, true);
  }
  apply_record(crowd, agent, record);
  cr__agents_show(crowd, slot);
}

static void apply(CrCrowd *crowd, const Header *header, CrReader *reader, Fresh *fresh) {
  int32_t used = 0;
  for (int32_t slot = 0; slot < header->slot_count; slot++) {
    Record record;
    bool active = cr__read_flag(reader, "active");
    if (active) read_record(&record, crowd, header, reader);
    apply_slot(crowd, slot, active ? &record : NULL, fresh, &used);
  }
  for (int32_t slot = header->slot_count; slot < crowd->slot_count; slot++) apply_slot(crowd, slot, NULL, fresh, &used);
  CR_ASSERT(used == fresh->made && cr__read_ok(reader));
  CrIdTable ids = crowd->ids;
  crowd->ids = crowd->spare_ids;
  crowd->spare_ids = ids;
  crowd->slot_count = header->slot_count;
  crowd->agent_count = header->agent_count;
  crowd->lowest_free = header->lowest_free;
  crowd->next_id = header->next_id;
  crowd->step_count = header->step_count;
  if (crowd->recorded_counts) {
    memset(crowd->recorded_counts, 0, (size_t)crowd->slot_capacity * sizeof *crowd->recorded_counts);
  }
}

// --- In two parts -------------------------------------------------------------------------------------------------------

// A restore of which all that can fail is done.
typedef struct Restore {
  Header header;
  CrReader slots;  // stands at the first slot
  Fresh fresh;
} Restore;

static CrStatus begin_restore(CrCrowd *crowd, CrReader *reader, Restore *out) {
  *out = (Restore){0};
  read_header(&out->header, crowd, reader);
  CrReader check = *reader, again = *reader;
  out->slots = *reader;
  check_slots(crowd, &out->header, &check, &out->fresh.count);
  if (!cr__read_ok(&check)) return check.status;
  CrStatus status = prepare(crowd, &out->header, &again, &out->fresh);
  if (status != CR_STATUS_OK) discard(crowd, &out->fresh);
  return status;
}

static void finish_restore(CrCrowd *crowd, Restore *restore) {
  apply(crowd, &restore->header, &restore->slots, &restore->fresh);
  cr__free(&crowd->allocator, restore->fresh.agents, (size_t)restore->fresh.count, sizeof *restore->fresh.agents);
}

CrStatus cr__crowd_restore(CrCrowd *crowd, CrReader *reader) {
  Restore restore;
  CrStatus status = begin_restore(crowd, reader, &restore);
  if (status != CR_STATUS_OK) return status;
  finish_restore(crowd, &restore);
  reader->offset = reader->size;
  return CR_STATUS_OK;
}

CrStatus cr_crowd_restore_state(CrCrowd *crowd, const uint8_t *data, size_t size, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  return cr__crowd_restore(crowd, &reader);
}

// --- With the mesh ------------------------------------------------------------------------------------------------------

// A part of kind-2 bytes, with its length before it, as a reader of its own.
static CrReader read_part(CrReader *reader, const char *size_field, const char *field, CrFormat format) {
  int32_t size = cr__read_i32_in(reader, size_field, 0, INT32_MAX);
  size_t start = reader->offset;
  const uint8_t *data = cr__read_span(reader, (size_t)size, field);
  return cr__reader(data, data ? (size_t)size : 0, reader->base + start, format, reader->error);
}

typedef struct Parts {
  CrReader mesh, crowd;
} Parts;

static CrStatus read_parts(const uint8_t *data, size_t size, CrError *error, Parts *out) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_CROWD_STATE, error);
  read_identity(CR_CROWD_STATE_KIND_WITH_MESH, &reader);
  out->mesh = read_part(&reader, "mesh.size", "mesh", CR_FORMAT_NAVMESH);
  out->crowd = read_part(&reader, "crowd.size", "crowd", CR_FORMAT_CROWD_STATE);
  return cr__read_end(&reader);
}

CrStatus cr_crowd_state_needs(const uint8_t *data, size_t size, CrTileNeed *out, uint32_t capacity, uint32_t *out_count,
                              CrError *error) {
  Parts parts;
  CrStatus status = read_parts(data, size, error, &parts);
  return status == CR_STATUS_OK ? cr__navmesh_read_needs(&parts.mesh, out, capacity, out_count) : status;
}

CrStatus cr_crowd_restore_state_with_mesh(CrCrowd *crowd, CrNavMesh *mesh, const uint8_t *data, size_t size,
                                          const CrTileData *tiles, uint32_t tile_count, CrError *error) {
  if (mesh != crowd->mesh) return cr__fail(error, CR_STATUS_ARGUMENT, "mesh");
  Parts parts;
  CrStatus status = read_parts(data, size, error, &parts);
  if (status != CR_STATUS_OK) return status;
  Restore restore;
  status = begin_restore(crowd, &parts.crowd, &restore);
  if (status != CR_STATUS_OK) return status;
  CrNavMesh *next = NULL;
  status = cr__navmesh_read_next(mesh, &parts.mesh, tiles, tile_count, &next);
  if (status != CR_STATUS_OK) {
    discard(crowd, &restore.fresh);
    return status;
  }
  cr__navmesh_become(mesh, next);
  finish_restore(crowd, &restore);
  return CR_STATUS_OK;
}
