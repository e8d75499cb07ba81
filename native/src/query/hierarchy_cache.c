// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Memory of the hierarchical search. What is remembered of clusters lies in one arena whose blocks are closed up when its end is reached; then
// those of clusters that the current search has not come to are forgotten, and only then is it full. How much of it may be
// used is a function of the mesh, so whether a search fits never depends on searches before.
// Memory grows only when a search begins and the mesh has grown.
#include "hierarchy_internal.h"

#define ARENA_BASE ((size_t)256 * 1024)
#define ARENA_PER_POLYGON 128

static void *block_header(const CrHierarchy *h, size_t block) { return h->arena.bytes + block; }

// --- The arena ------------------------------------------------------------------------------------------------------------

static size_t *owner_block(CrHierarchy *h, const CrArenaHeader *header) {
  CrCluster *cluster = &h->clusters[header->cluster];
  return header->gates ? &cluster->gate_block : &cluster->group_block;
}

// Moves all blocks in use together, in the order they lie.
static void close_up(CrHierarchy *h) {
  size_t to = 0;
  for (size_t at = 0; at < h->arena.used;) {
    CrArenaHeader header;
    memcpy(&header, block_header(h, at), sizeof header);
    size_t size = (size_t)header.size, *block = owner_block(h, &header);
    if (*block == at) {
      memmove(h->arena.bytes + to, h->arena.bytes + at, size);
      *block = to;
      to += size;
    }
    at += size;
  }
  h->arena.used = to;
}

static void forget_unused(CrHierarchy *h) {
  for (uint32_t i = 0; i < h->cluster_count; i++) {
    CrCluster *cluster = &h->clusters[i];
    if (cluster->grouped_epoch != h->epoch) cr__arena_drop(h, &cluster->group_block);
    if (cluster->gated_epoch != h->epoch) cr__arena_drop(h, &cluster->gate_block);
    if (cluster->gate_block == CR_NO_BLOCK) cluster->gated = false;
  }
}

void cr__arena_drop(CrHierarchy *h, size_t *block) {
  (void)h;
  *block = CR_NO_BLOCK;
}

size_t cr__arena_take(CrHierarchy *h, uint32_t cluster, bool gates, size_t size) {
  CrArena *arena = &h->arena;
  size = (size + sizeof(CrArenaHeader) + 15) & ~(size_t)15;
  if (size > arena->limit) return CR_NO_BLOCK;
  if (arena->used > arena->limit - size) close_up(h);
  if (arena->used > arena->limit - size) {
    forget_unused(h);
    close_up(h);
  }
  if (arena->used > arena->limit - size) return CR_NO_BLOCK;
  CrArenaHeader header = {cluster, gates, size};
  memcpy(block_header(h, arena->used), &header, sizeof header);
  arena->used += size;
  return arena->used - size;
}

// --- Room for the mesh ----------------------------------------------------------------------------------------------------

static size_t arena_limit(const CrNavMesh *mesh) {
  return ARENA_BASE + (size_t)mesh->polygon_count * ARENA_PER_POLYGON;
}

// order: a function of the mesh alone, so that a query's past makes no difference.
static uint32_t cluster_shift(const CrHierarchy *h, const CrNavMesh *mesh) {
  uint64_t polygons = mesh->polygon_count, tiles = mesh->tile_count;
  uint32_t shift = 0;
  while (shift < 8 && polygons << (2 * shift + 2) <= tiles * h->wanted_polygons) shift++;
  return shift;
}

static bool same_filter(const CrHierarchy *h, const CrSearch *search) {
  if (h->has_filter != search->has_filter) return false;
  if (!h->has_filter) return true;
  const CrQueryFilter *a = &h->filter, *b = &search->filter;
  return a->include_flags == b->include_flags && a->exclude_flags == b->exclude_flags &&
         memcmp(a->area_cost, b->area_cost, sizeof a->area_cost) == 0;
}

static void forget_all(CrHierarchy *h) {
  h->cluster_count = 0;
  h->arena.used = 0;
  cr__table_clear(&h->by_position);
}

static bool grow_places(CrHierarchy *h, uint32_t slots, const CrAllocator *allocator) {
  if (slots <= h->place_capacity) return true;
  uint32_t capacity = slots + slots / 2;
  CrTilePlace *places = cr__alloc_zeroed(allocator, capacity, sizeof *places);
  if (!places) return false;
  if (h->place_capacity) memcpy(places, h->places, h->place_capacity * sizeof *places);
  cr__free(allocator, h->places, h->place_capacity, sizeof *places);
  h->places = places;
  h->place_capacity = capacity;
  return true;
}

// Clusters of tiles that went stay in the table until it is full: there is room for the tiles' clusters twice over.
static bool grow_clusters(CrHierarchy *h, uint32_t tiles, const CrAllocator *allocator) {
  uint32_t needed = 3 * tiles + 16;
  if (needed <= h->cluster_capacity) return true;
  uint32_t capacity = needed + needed / 2;
  CrRefTable table;
  CrCluster *clusters = cr__alloc(allocator, capacity, sizeof *clusters);
  bool made = cr__table_init(&table, capacity, allocator);
  if (!clusters || !made) {
    cr__free(allocator, clusters, capacity, sizeof *clusters);
    cr__table_deinit(&table, allocator);
    return false;
  }
  cr__free(allocator, h->clusters, h->cluster_capacity, sizeof *clusters);
  if (h->cluster_capacity) cr__table_deinit(&h->by_position, allocator);
  h->clusters = clusters;
  h->by_position = table;
  h->cluster_capacity = capacity;
  forget_all(h);
  return true;
}

static bool grow_arena(CrHierarchy *h, const CrNavMesh *mesh, const CrAllocator *allocator) {
  h->arena.limit = h->arena.forced ? h->arena.forced : arena_limit(mesh);
  if (h->arena.limit <= h->arena.capacity) return true;
  size_t capacity = h->arena.capacity ? h->arena.limit + h->arena.limit / 2 : h->arena.limit;
  uint8_t *bytes = cr__alloc(allocator, capacity, 1);
  if (!bytes) return false;
  if (h->arena.used) memcpy(bytes, h->arena.bytes, h->arena.used);
  cr__free(allocator, h->arena.bytes, h->arena.capacity, 1);
  h->arena.bytes = bytes;
  h->arena.capacity = capacity;
  return true;
}

static bool grow(CrHierarchy *h, const CrNavMesh *mesh, const CrAllocator *allocator) {
  return grow_places(h, mesh->slot_count, allocator) && grow_clusters(h, mesh->tile_count, allocator) &&
         grow_arena(h, mesh, allocator);
}

bool cr__cache_begin(CrNavMeshQuery *query) {
  CrHierarchy *h = query->hierarchy;
  const CrSearch *search = &query->search;
  if (!grow(h, query->mesh, &query->allocator)) return false;
  uint32_t shift = cluster_shift(h, query->mesh);
  bool many_gone = h->cluster_count > 2 * query->mesh->tile_count + 8;
  bool shrunk = h->arena.used > h->arena.limit;
  if (++h->epoch == 0) {
    h->epoch = 1;
    many_gone = true;
  }
  if (shift != h->shift || many_gone || shrunk || !same_filter(h, search)) forget_all(h);
  h->shift = shift;
  h->has_filter = search->has_filter;
  if (h->has_filter) h->filter = search->filter;
  return true;
}

bool cr__cache_init(CrHierarchy *h, const CrAllocator *allocator, const CrNavMesh *mesh) {
  return grow(h, mesh, allocator);
}

void cr__cache_deinit(CrHierarchy *h, const CrAllocator *allocator) {
  cr__free(allocator, h->places, h->place_capacity, sizeof *h->places);
  cr__free(allocator, h->clusters, h->cluster_capacity, sizeof *h->clusters);
  if (h->cluster_capacity) cr__table_deinit(&h->by_position, allocator);
  cr__free(allocator, h->arena.bytes, h->arena.capacity, 1);
}
