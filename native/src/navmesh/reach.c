// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The reach index: for every tile position the off-mesh links one of whose ends may find a polygon there. It tells an
// edit which links to look at again without asking every tile of the mesh.
// Invariant: each link of each tile has exactly one entry per position within its radius of either end.
#include "navmesh_internal.h"

CrTileRange cr__reach_range(const CrNavMeshParams *params, CrVec3 end, double radius) {
  double r = radius + CR_PORTAL_EPSILON;  // a polygon of the next tile that touches the circle counts
  double size = params->tile_size;
  return (CrTileRange){
      cr__tile_coord(end.x - r, params->origin_x, size), cr__tile_coord(end.z - r, params->origin_z, size),
      cr__tile_coord(end.x + r, params->origin_x, size), cr__tile_coord(end.z + r, params->origin_z, size)};
}

static bool in_range(const CrTileRange *range, int32_t x, int32_t z) {
  return x >= range->x0 && x <= range->x1 && z >= range->z0 && z <= range->z1;
}

typedef void (*VisitPosition)(CrNavMesh *mesh, int32_t x, int32_t z, uint32_t owner, uint32_t link);

static uint32_t visit_range(CrNavMesh *mesh, const CrTileRange *range, const CrTileRange *except, uint32_t owner,
                            uint32_t link, VisitPosition visit) {
  uint32_t count = 0;
  for (int32_t x = range->x0; x <= range->x1; x++) {
    for (int32_t z = range->z0; z <= range->z1; z++) {
      if (except && in_range(except, x, z)) continue;
      if (visit) visit(mesh, x, z, owner, link);
      count++;
    }
  }
  return count;
}

// Visits (or with a null `visit` counts) the positions of a link, each once.
static uint32_t visit_link(CrNavMesh *mesh, const CrNavMeshParams *params, const CrOffMeshLink *off_mesh,
                           uint32_t owner, uint32_t link, VisitPosition visit) {
  CrTileRange start = cr__reach_range(params, off_mesh->start, off_mesh->radius);
  CrTileRange end = cr__reach_range(params, off_mesh->end, off_mesh->radius);
  uint32_t count = visit_range(mesh, &start, NULL, owner, link, visit);
  return count + visit_range(mesh, &end, &start, owner, link, visit);
}

// --- The hash -------------------------------------------------------------------------------------------------------

static uint32_t *head_of(const CrReachIndex *reach, int32_t x, int32_t z) {
  uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)z;
  return &reach->heads[cr__random_u64(&key) & (reach->head_count - 1)];
}

static void chain_up(CrReachIndex *reach, uint32_t index) {
  CrReachEntry *entry = &reach->entries[index];
  uint32_t *head = head_of(reach, entry->x, entry->z);
  entry->next = *head;
  *head = index + 1;
}

// Room in the hash for `capacity` entries. Free entries carry the owner UINT32_MAX and keep their own chain.
static bool reserve_heads(const CrAllocator *allocator, CrReachIndex *reach, size_t capacity) {
  size_t count = 16;
  while (count < capacity) count *= 2;
  if (count <= reach->head_count) return true;
  uint32_t *heads = cr__alloc_zeroed(allocator, count, sizeof *heads);
  if (!heads) return false;
  cr__free(allocator, reach->heads, reach->head_count, sizeof *heads);
  reach->heads = heads;
  reach->head_count = count;
  for (uint32_t i = 0; i < reach->used; i++) {
    if (reach->entries[i].owner != UINT32_MAX) chain_up(reach, i);
  }
  return true;
}

bool cr__reach_reserve(CrNavMesh *mesh, size_t more) {
  CrReachIndex *reach = &mesh->reach;
  size_t needed = reach->count + more;
  if (!more) return true;
  if (needed >= UINT32_MAX) return false;
  void *entries = reach->entries;
  bool grown = cr__grow(&mesh->allocator, &entries, &reach->capacity, reach->used, needed, sizeof *reach->entries);
  reach->entries = entries;
  return grown && reserve_heads(&mesh->allocator, reach, needed);
}

static void add_entry(CrNavMesh *mesh, int32_t x, int32_t z, uint32_t owner, uint32_t link) {
  CrReachIndex *reach = &mesh->reach;
  uint32_t index = reach->free_head ? reach->free_head - 1 : (uint32_t)reach->used++;
  if (reach->free_head) reach->free_head = reach->entries[index].next;
  CR_ASSERT(index < reach->capacity);
  reach->entries[index] = (CrReachEntry){x, z, owner, link, 0};
  reach->count++;
  chain_up(reach, index);
}

static void remove_entry(CrNavMesh *mesh, int32_t x, int32_t z, uint32_t owner, uint32_t link) {
  CrReachIndex *reach = &mesh->reach;
  uint32_t *at = head_of(reach, x, z);
  for (;; at = &reach->entries[*at - 1].next) {
    const CrReachEntry *entry = &reach->entries[*at - 1];
    if (entry->x == x && entry->z == z && entry->owner == owner && entry->link == link) break;
  }
  uint32_t index = *at - 1;
  *at = reach->entries[index].next;
  reach->entries[index] = (CrReachEntry){0, 0, UINT32_MAX, 0, reach->free_head};
  reach->free_head = index + 1;
  reach->count--;
}

uint32_t cr__reach_entry_count(const CrNavMesh *mesh, const CrTile *tile) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
    count += visit_link(NULL, &mesh->params, &tile->off_mesh[i], 0, 0, NULL);
  }
  return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

void cr__reach_add(CrNavMesh *mesh, uint32_t slot) {
  const CrTile *tile = &mesh->tiles[slot];
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
    visit_link(mesh, &mesh->params, &tile->off_mesh[i], slot, i, add_entry);
  }
}

// Backwards: chains grow at the front, so the entries of a tile are then found after few steps.
void cr__reach_remove(CrNavMesh *mesh, uint32_t slot) {
  const CrTile *tile = &mesh->tiles[slot];
  for (uint32_t i = tile->off_mesh_count; i-- > 0;) {
    visit_link(mesh, &mesh->params, &tile->off_mesh[i], slot, i, remove_entry);
  }
}

static uint32_t entry_at(const CrReachIndex *reach, int32_t x, int32_t z, uint32_t at) {
  while (at && (reach->entries[at - 1].x != x || reach->entries[at - 1].z != z)) at = reach->entries[at - 1].next;
  return at;
}

uint32_t cr__reach_first(const CrNavMesh *mesh, int32_t x, int32_t z) {
  return mesh->reach.head_count ? entry_at(&mesh->reach, x, z, *head_of(&mesh->reach, x, z)) : 0;
}

uint32_t cr__reach_next(const CrNavMesh *mesh, uint32_t entry) {
  const CrReachEntry *from = &mesh->reach.entries[entry - 1];
  return entry_at(&mesh->reach, from->x, from->z, from->next);
}
