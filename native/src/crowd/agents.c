// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Slots: where agents live, in groups of 32 whose memory comes with the first agent of the group and never moves.
// Invariant: every slot below `lowest_free` has an agent; the id table maps exactly the ids of the agents.
#include "crowd_struct.h"

// --- Ids --------------------------------------------------------------------------------------------------------------

static size_t home_of(const CrIdTable *table, int64_t id) {
  uint64_t mixed = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(mixed >> 32) & (table->size - 1);
}

static size_t after(const CrIdTable *table, size_t place) { return (place + 1) & (table->size - 1); }

void cr__ids_clear(CrIdTable *table) {
  for (size_t k = 0; k < table->size; k++) table->entries[k].slot = -1;
}

int32_t cr__ids_find(const CrIdTable *table, int64_t id) {
  if (table->size == 0) return -1;
  for (size_t k = home_of(table, id); table->entries[k].slot >= 0; k = after(table, k)) {
    if (table->entries[k].id == id) return table->entries[k].slot;
  }
  return -1;
}

bool cr__ids_insert(CrIdTable *table, int64_t id, int32_t slot) {
  size_t k = home_of(table, id);
  for (; table->entries[k].slot >= 0; k = after(table, k)) {
    if (table->entries[k].id == id) return false;
  }
  table->entries[k] = (CrIdEntry){id, slot};
  return true;
}

void cr__ids_erase(CrIdTable *table, int64_t id) {
  size_t hole = home_of(table, id);
  while (table->entries[hole].id != id || table->entries[hole].slot < 0) hole = after(table, hole);
  // Entries that probed past the hole move back into it, so that no search stops short of them.
  for (size_t k = after(table, hole); table->entries[k].slot >= 0; k = after(table, k)) {
    size_t home = home_of(table, table->entries[k].id);
    bool reaches_hole = ((k - home) & (table->size - 1)) >= ((k - hole) & (table->size - 1));
    if (!reaches_hole) continue;
    table->entries[hole] = table->entries[k];
    hole = k;
  }
  table->entries[hole].slot = -1;
}

static bool grow_ids(CrIdTable *table, const CrAllocator *allocator, int32_t slots) {
  size_t size = table->size ? table->size : 64;
  while (size < 2 * (size_t)slots) size *= 2;
  if (size == table->size) return true;
  CrIdTable grown = {cr__alloc(allocator, size, sizeof *grown.entries), size};
  if (!grown.entries) return false;
  cr__ids_clear(&grown);
  for (size_t k = 0; k < table->size; k++) {
    if (table->entries[k].slot >= 0) cr__ids_insert(&grown, table->entries[k].id, table->entries[k].slot);
  }
  cr__free(allocator, table->entries, table->size, sizeof *table->entries);
  *table = grown;
  return true;
}

// --- Tables -----------------------------------------------------------------------------------------------------------

// Grows *memory from `old` to `grown` elements, keeping what it holds.
static bool grow_array(const CrAllocator *allocator, void **memory, int32_t old, int32_t grown, size_t size) {
  void *fresh = cr__alloc_zeroed(allocator, (size_t)grown, size);
  if (!fresh) return false;
  if (old) memcpy(fresh, *memory, (size_t)old * size);
  cr__free(allocator, *memory, (size_t)old, size);
  *memory = fresh;
  return true;
}

static bool grow_groups(CrCrowd *crowd, int32_t count) {
  if (count <= crowd->group_capacity) return true;
  void *groups = crowd->groups;
  if (!grow_array(&crowd->allocator, &groups, crowd->group_capacity, count, sizeof *crowd->groups)) return false;
  crowd->groups = groups;
  crowd->group_capacity = count;
  return true;
}

// Flags, places and recorded planes live for one step only: nothing is kept. What agents see is.
static bool grow_step_tables(CrCrowd *crowd, int32_t slots) {
  const CrAllocator *allocator = &crowd->allocator;
  size_t planes = (size_t)crowd->planes_per_agent;
  CrSeen *seen = cr__alloc_zeroed(allocator, (size_t)slots, sizeof *seen);
  uint8_t *flags = cr__alloc_zeroed(allocator, (size_t)slots, 1);
  CrVec2 *ways = cr__alloc_zeroed(allocator, (size_t)slots, sizeof *ways);
  uint32_t *place = cr__alloc(allocator, (size_t)slots, sizeof *place);
  CrRecordedPlanes *counts = planes ? cr__alloc_zeroed(allocator, (size_t)slots, sizeof *counts) : NULL;
  CrHalfPlane *recorded = planes ? cr__alloc(allocator, (size_t)slots * planes, sizeof *recorded) : NULL;
  bool ok = seen && flags && ways && place && (!planes || (counts && recorded));
  if (ok && crowd->slot_capacity) memcpy(seen, crowd->seen, (size_t)crowd->slot_capacity * sizeof *seen);
  size_t old = (size_t)(ok ? crowd->slot_capacity : slots);
  cr__free(allocator, ok ? crowd->seen : seen, old, sizeof *seen);
  cr__free(allocator, ok ? crowd->seen_flags : flags, old, 1);
  cr__free(allocator, ok ? crowd->ways : ways, old, sizeof *ways);
  cr__free(allocator, ok ? crowd->place : place, old, sizeof *place);
  cr__free(allocator, ok ? crowd->recorded_counts : counts, old, sizeof *counts);
  cr__free(allocator, ok ? crowd->recorded : recorded, old * planes, sizeof *recorded);
  if (!ok) return false;
  crowd->seen = seen;
  crowd->seen_flags = flags;
  crowd->ways = ways;
  crowd->place = place;
  crowd->recorded_counts = counts;
  crowd->recorded = recorded;
  return true;
}

// The grid has room for all crowds of the company.
static bool reserve_grid(CrCrowd *crowd, int32_t slots) {
  CrCompany *company = crowd->company;
  int32_t capacity = slots;
  for (int32_t k = 0; k < company->count; k++) {
    if (company->crowds[k] != crowd) capacity += company->crowds[k]->slot_capacity;
  }
  return cr__grid_reserve(&company->grid, &company->allocator, capacity);
}

bool cr__agents_reserve(CrCrowd *crowd, int32_t slot_count) {
  if (slot_count <= crowd->slot_capacity) return true;
  int32_t slots = crowd->slot_capacity ? crowd->slot_capacity : CR_GROUP_SLOTS;
  while (slots < slot_count) slots *= 2;
  // A part that grew although a later one could not is only larger than it needs to be.
  bool ok = grow_groups(crowd, slots / CR_GROUP_SLOTS) && grow_ids(&crowd->ids, &crowd->allocator, slots) &&
            grow_ids(&crowd->spare_ids, &crowd->allocator, slots) && reserve_grid(crowd, slots) &&
            grow_step_tables(crowd, slots);
  if (ok) crowd->slot_capacity = slots;
  return ok;
}

static size_t wall_block_size(const CrCrowd *crowd) {
  return (size_t)crowd->options.max_walls_per_agent * CR_WALL_SLOTS;
}

bool cr__agents_reserve_slot(CrCrowd *crowd, int32_t slot) {
  CrAgentGroup **group = &crowd->groups[slot / CR_GROUP_SLOTS];
  if (!*group) *group = cr__alloc_zeroed(&crowd->allocator, 1, sizeof **group);
  if (!*group) return false;
  CrWall **walls = &(*group)->walls[slot % CR_GROUP_SLOTS / CR_WALL_SLOTS];
  if (!*walls) *walls = cr__alloc(&crowd->allocator, wall_block_size(crowd), sizeof **walls);
  return *walls != NULL;
}

static void release_group(CrCrowd *crowd, CrAgentGroup *group) {
  if (!group) return;
  for (uint32_t left = group->active; left; left &= left - 1) cr__agent_deinit(&group->agents[__builtin_ctz(left)]);
  for (size_t k = 0; k < CR_COUNT_OF(group->walls); k++) {
    cr__free(&crowd->allocator, group->walls[k], wall_block_size(crowd), sizeof **group->walls);
  }
  cr__free(&crowd->allocator, group, 1, sizeof *group);
}

void cr__agents_release(CrCrowd *crowd) {
  const CrAllocator *allocator = &crowd->allocator;
  for (int32_t k = 0; k < crowd->group_capacity; k++) release_group(crowd, crowd->groups[k]);
  cr__free(allocator, crowd->groups, (size_t)crowd->group_capacity, sizeof *crowd->groups);
  cr__free(allocator, crowd->ids.entries, crowd->ids.size, sizeof *crowd->ids.entries);
  cr__free(allocator, crowd->spare_ids.entries, crowd->spare_ids.size, sizeof *crowd->spare_ids.entries);
  size_t slots = (size_t)crowd->slot_capacity;
  cr__free(allocator, crowd->seen, slots, sizeof *crowd->seen);
  cr__free(allocator, crowd->seen_flags, slots, 1);
  cr__free(allocator, crowd->ways, slots, sizeof *crowd->ways);
  cr__free(allocator, crowd->place, slots, sizeof *crowd->place);
  cr__free(allocator, crowd->recorded_counts, slots, sizeof *crowd->recorded_counts);
  cr__free(allocator, crowd->recorded, slots * (size_t)crowd->planes_per_agent, sizeof *crowd->recorded);
  cr__grid_release(&crowd->alone.grid, allocator);
}

// --- Slots ------------------------------------------------------------------------------------------------------------

int32_t cr__agents_lowest_free(const CrCrowd *crowd) {
  int32_t slot = crowd->lowest_free;
  while (slot < crowd->slot_count) {
    const CrAgentGroup *group = crowd->groups[slot / CR_GROUP_SLOTS];
    uint32_t free_bits = group ? ~group->active >> (slot % CR_GROUP_SLOTS) : 1u;
    if (free_bits) {
      int32_t found = slot + __builtin_ctz(free_bits);
      return found < crowd->slot_count ? found : crowd->slot_count;
    }
    slot += CR_GROUP_SLOTS - slot % CR_GROUP_SLOTS;
  }
  return crowd->slot_count;
}

void cr__agents_show(CrCrowd *crowd, int32_t slot) {
  CrSeen *seen = &crowd->seen[slot];
  if (!cr__crowd_slot_active(crowd, slot)) {
    seen->radius = 0.0;
    return;
  }
  const CrAgent *agent = cr__crowd_slot(crowd, slot);
  const CrFollower *follower = &agent->follower;
  *seen = (CrSeen){follower->position.x,
                   follower->position.y,
                   follower->position.z,
                   follower->velocity.x,
                   follower->velocity.z,
                   agent->options.radius,
                   agent->priority,
                   cr__order(crowd->class_index, slot),
                   0};
}

CrWall *cr__agents_walls(const CrCrowd *crowd, int32_t slot) {
  CrWall *block = crowd->groups[slot / CR_GROUP_SLOTS]->walls[slot % CR_GROUP_SLOTS / CR_WALL_SLOTS];
  return block + (size_t)(slot % CR_WALL_SLOTS) * (size_t)crowd->options.max_walls_per_agent;
}

int32_t cr__agents_find(const CrCrowd *crowd, int64_t id) { return cr__ids_find(&crowd->ids, id); }

void cr__agents_activate(CrCrowd *crowd, int32_t slot, int64_t id) {
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  agent->id = id;
  agent->cache.walls = cr__agents_walls(crowd, slot);
  crowd->groups[slot / CR_GROUP_SLOTS]->active |= 1u << (slot % CR_GROUP_SLOTS);
  cr__ids_insert(&crowd->ids, id, slot);
  if (crowd->recorded_counts) crowd->recorded_counts[slot] = (CrRecordedPlanes){0, 0};
  crowd->agent_count++;
  if (slot >= crowd->slot_count) crowd->slot_count = slot + 1;
  cr__agents_show(crowd, slot);
}

void cr__agents_deactivate(CrCrowd *crowd, int32_t slot) {
  CrAgent *agent = cr__crowd_slot(crowd, slot);
  cr__ids_erase(&crowd->ids, agent->id);
  cr__agent_deinit(agent);
  crowd->groups[slot / CR_GROUP_SLOTS]->active &= ~(1u << (slot % CR_GROUP_SLOTS));
  crowd->agent_count--;
  cr__agents_show(crowd, slot);
}

// --- Agents -----------------------------------------------------------------------------------------------------------

void cr__agent_take_options(CrAgent *agent, const CrAgentOptions *options) {
  agent->options = *options;
  if (!options->has_path) agent->options.path = cr_follower_options_humanoid();
  agent->priority = options->priority;
  agent->avoidance = cr__avoidance_of(options);
  agent->cache.valid = false;
}

CrStatus cr__agent_init(CrAgent *agent, const CrCrowd *crowd, const CrAgentOptions *options, CrError *error) {
  memset(agent, 0, sizeof *agent);
  CrFollowerOptions path = cr_agent_follower_options(options);
  CrStatus status = cr__follower_init(&agent->follower, &path, &crowd->allocator, error);
  if (status == CR_STATUS_OK) cr__agent_take_options(agent, options);
  return status;
}

void cr__agent_deinit(CrAgent *agent) { cr__follower_deinit(&agent->follower); }
