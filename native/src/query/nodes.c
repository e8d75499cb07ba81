// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The pool of search nodes: a fixed array, a table from references to indices emptied by an epoch stamp, and a heap of
// open nodes, four children to a place, with decrease-key. Invariant: the node at place i has heap_index i. Taking a node
// leaves a hole at the front, which the next node opened fills: most nodes taken are followed by one that is opened and
// comes to stand near the front. The order is total, so which node is taken never depends on the heap's history.
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
  pool->count = pool->room_count = pool->heap_count = pool->hole = 0;
  cr__table_clear(&pool->table);
}

uint32_t cr__pool_add(CrNodePool *pool, CrPolyRef ref, CrVec3 position) {
  if (pool->count == pool->capacity) return CR_NO_NODE;
  pool->nodes[pool->count] = (CrNode){ref, position, 0.0, 0.0, CR_NO_NODE, CR_NODE_NEW, CR_NO_NODE, CR_NO_LINK};
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

// A hole at the front precedes everything.
static inline void sift_up(CrNodePool *pool, uint32_t at, CrHeapEntry entry) {
  while (at > pool->hole) {
    uint32_t parent = (at - 1) / 4;
    if (parent < pool->hole || !precedes(pool, entry, pool->heap[parent])) break;
    place(pool, at, pool->heap[parent]);
    at = parent;
  }
  place(pool, at, entry);
}

static inline uint32_t first_child(const CrNodePool *pool, uint32_t at) {
  uint32_t first = 4 * at + 1, best = first;
  uint32_t end = pool->heap_count - first > 4 ? first + 4 : pool->heap_count;
  for (uint32_t child = first + 1; child < end; child++) {
    if (precedes(pool, pool->heap[child], pool->heap[best])) best = child;
  }
  return best;
}

static void sift_down(CrNodePool *pool, uint32_t at, CrHeapEntry entry) {
  while (4 * at + 1 < pool->heap_count) {
    uint32_t child = first_child(pool, at);
    if (!precedes(pool, pool->heap[child], entry)) break;
    place(pool, at, pool->heap[child]);
    at = child;
  }
  place(pool, at, entry);
}

void cr__pool_open(CrNodePool *pool, uint32_t index) {
  CrNode *node = &pool->nodes[index];
  CrHeapEntry entry = {node->g + node->h, index};
  if (cr__node_is_open(node)) {
    sift_up(pool, node->heap_index, entry);
  } else if (pool->hole) {
    pool->hole = 0;
    sift_down(pool, 0, entry);
  } else {
    sift_up(pool, pool->heap_count++, entry);
  }
}

uint32_t cr__pool_take(CrNodePool *pool) {
  if (pool->hole) {
    pool->hole = 0;
    pool->heap_count--;
    if (pool->heap_count) sift_down(pool, 0, pool->heap[pool->heap_count]);
  }
  if (pool->heap_count == 0) return CR_NO_NODE;
  uint32_t taken = pool->heap[0].node;
  pool->hole = 1;
  pool->nodes[taken].heap_index = CR_NODE_CLOSED;
  return taken;
}
