// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The pool of search nodes: a fixed array, a table from references to indices emptied by an epoch stamp, and a binary
// heap of open nodes with decrease-key. Invariant: the node at heap position i has heap_index i; state OPEN exactly
// while a node is in the heap. The order is total, so which node is taken never depends on the heap's history.
#include "query_internal.h"

bool cr__table_init(CrRefTable *table, uint32_t entries, const CrAllocator *allocator) {
  uint32_t bits = 4;
  while ((UINT64_C(1) << bits) < (uint64_t)entries * 2) bits++;
  table->size = UINT32_C(1) << bits;
  table->shift = 64 - bits;
  table->epoch = 0;
  table->slots = cr__alloc_zeroed(allocator, table->size, sizeof *table->slots);
  cr__table_clear(table);
  return table->slots != NULL;
}

void cr__table_deinit(CrRefTable *table, const CrAllocator *allocator) {
  cr__free(allocator, table->slots, table->size, sizeof *table->slots);
}

bool cr__pool_init(CrNodePool *pool, uint32_t capacity, bool crossing, const CrAllocator *allocator) {
  memset(pool, 0, sizeof *pool);
  pool->capacity = capacity;
  pool->crossing = crossing;
  pool->nodes = cr__alloc(allocator, capacity, sizeof *pool->nodes);
  pool->heap = cr__alloc(allocator, capacity, sizeof *pool->heap);
  if (crossing) pool->rooms = cr__alloc(allocator, capacity, sizeof *pool->rooms);
  bool table = cr__table_init(&pool->table, capacity, allocator);
  return table && pool->nodes && pool->heap && (pool->rooms || !crossing);
}

void cr__pool_deinit(CrNodePool *pool, const CrAllocator *allocator) {
  cr__free(allocator, pool->nodes, pool->capacity, sizeof *pool->nodes);
  cr__free(allocator, pool->heap, pool->capacity, sizeof *pool->heap);
  cr__free(allocator, pool->rooms, pool->capacity, sizeof *pool->rooms);
  cr__table_deinit(&pool->table, allocator);
}

void cr__pool_clear(CrNodePool *pool) {
  pool->count = pool->room_count = pool->heap_count = 0;
  cr__table_clear(&pool->table);
}

uint32_t cr__pool_add(CrNodePool *pool, CrPolyRef ref, CrVec3 position) {
  if (pool->count == pool->capacity) return CR_NO_NODE;
  pool->nodes[pool->count] = (CrNode){ref, position, 0.0, 0.0, CR_NO_NODE, 0, CR_NO_NODE, CR_NO_LINK, CR_NODE_NEW};
  return pool->count++;
}

static CrPolyRef source_ref(const CrNodePool *pool, const CrNode *node) {
  return node->source == CR_NO_NODE ? CR_INVALID_REF : pool->rooms[node->source].ref;
}

// order: f, then h, then polygon entered, then polygon left, then the number of the way out of that.
static bool precedes_tied(const CrNodePool *pool, uint32_t a, uint32_t b) {
  const CrNode *m = &pool->nodes[a], *n = &pool->nodes[b];
  if (m->h != n->h) return m->h < n->h;
  if (m->ref != n->ref) return m->ref < n->ref;
  CrPolyRef left = source_ref(pool, m), right = source_ref(pool, n);
  if (left != right) return left < right;
  return a < b;
}

static inline bool precedes(const CrNodePool *pool, CrHeapEntry a, CrHeapEntry b) {
  if (a.f != b.f) return a.f < b.f;
  return precedes_tied(pool, a.node, b.node);
}

static inline void place(CrNodePool *pool, uint32_t at, CrHeapEntry entry) {
  pool->heap[at] = entry;
  pool->nodes[entry.node].heap_index = at;
}

static void sift_up(CrNodePool *pool, uint32_t at, CrHeapEntry entry) {
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (!precedes(pool, entry, pool->heap[parent])) break;
    place(pool, at, pool->heap[parent]);
    at = parent;
  }
  place(pool, at, entry);
}

static void sift_down(CrNodePool *pool, uint32_t at, CrHeapEntry entry) {
  uint32_t count = pool->heap_count;
  for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && precedes(pool, pool->heap[child + 1], pool->heap[child])) child++;
    if (!precedes(pool, pool->heap[child], entry)) break;
    place(pool, at, pool->heap[child]);
    at = child;
  }
  place(pool, at, entry);
}

void cr__pool_open(CrNodePool *pool, uint32_t index) {
  CrNode *node = &pool->nodes[index];
  uint32_t at = node->state == CR_NODE_OPEN ? node->heap_index : pool->heap_count++;
  node->state = CR_NODE_OPEN;
  sift_up(pool, at, (CrHeapEntry){node->g + node->h, index});
}

uint32_t cr__pool_take(CrNodePool *pool) {
  if (pool->heap_count == 0) return CR_NO_NODE;
  uint32_t taken = pool->heap[0].node;
  pool->heap_count--;
  if (pool->heap_count) sift_down(pool, 0, pool->heap[pool->heap_count]);
  pool->nodes[taken].state = CR_NODE_CLOSED;
  return taken;
}
