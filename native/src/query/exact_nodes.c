// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Memory of the exact search: a fixed pool of nodes, a heap of the open ones with four children to a place, and tables
// emptied by epoch. The best of the nodes opened since the last was taken stays outside the heap: often it is the next to
// be taken. A root to which a shorter way is found gets a new node; the old one is dead and passed over when its turn comes,
// so nothing in the heap ever moves up. The order is total: what is taken never depends on the heap's history.
#include "exact_internal.h"

#define MAX_FAN_BITS 17  // 3 MB

static bool fans_init(CrFanCache *fans, uint32_t capacity, const CrAllocator *allocator) {
  uint32_t bits = 4;
  while (bits < MAX_FAN_BITS && (UINT64_C(1) << bits) < (uint64_t)capacity * 2) bits++;
  fans->size = UINT32_C(1) << bits;
  fans->shift = 64 - bits;
  fans->entries = cr__alloc_zeroed(allocator, fans->size, sizeof *fans->entries);
  return fans->entries != NULL;
}

CrExact *cr__exact_create(uint32_t capacity, const CrAllocator *allocator) {
  CrExact *exact = cr__alloc_zeroed(allocator, 1, sizeof *exact);
  if (!exact) return NULL;
  exact->capacity = capacity;
  exact->nodes = cr__alloc(allocator, capacity, sizeof *exact->nodes);
  exact->heap = cr__alloc(allocator, capacity, sizeof *exact->heap);
  exact->reach.queue = cr__alloc(allocator, capacity, sizeof *exact->reach.queue);
  bool roots = cr__table_init(&exact->roots, capacity, allocator);
  bool places = cr__table_init(&exact->places, capacity, allocator);
  bool route = cr__table_init(&exact->route, capacity, allocator);
  bool met = cr__table_init(&exact->reach.met, capacity, allocator);
  bool fans = fans_init(&exact->fans, capacity, allocator);
  if (exact->nodes && exact->heap && exact->reach.queue && roots && places && route && met && fans) return exact;
  cr__exact_destroy(exact, allocator);
  return NULL;
}

void cr__exact_destroy(CrExact *exact, const CrAllocator *allocator) {
  if (!exact) return;
  cr__free(allocator, exact->nodes, exact->capacity, sizeof *exact->nodes);
  cr__free(allocator, exact->heap, exact->capacity, sizeof *exact->heap);
  cr__free(allocator, exact->reach.queue, exact->capacity, sizeof *exact->reach.queue);
  cr__table_deinit(&exact->roots, allocator);
  cr__table_deinit(&exact->places, allocator);
  cr__table_deinit(&exact->route, allocator);
  cr__table_deinit(&exact->reach.met, allocator);
  cr__free(allocator, exact->fans.entries, exact->fans.size, sizeof *exact->fans.entries);
  cr__free(allocator, exact, 1, sizeof *exact);
}

void cr__exact_clear(CrExact *exact) {
  exact->count = exact->heap_count = 0;
  exact->held.node = CR_NO_NODE;
  exact->goal_f = DBL_MAX;
  cr__table_clear(&exact->roots);
  cr__table_clear(&exact->places);
}

// --- The heap -------------------------------------------------------------------------------------------------------------

// order: f, then h, then polygon entered, then number
static bool precedes_tied(const CrExact *exact, uint32_t a, uint32_t b) {
  const CrExactNode *m = &exact->nodes[a], *n = &exact->nodes[b];
  if (m->h != n->h) return m->h < n->h;
  if (m->ref != n->ref) return m->ref < n->ref;
  return a < b;
}

static inline bool precedes(const CrExact *exact, CrHeapEntry a, CrHeapEntry b) {
  return a.f != b.f ? a.f < b.f : precedes_tied(exact, a.node, b.node);
}

static void push(CrExact *exact, CrHeapEntry entry) {
  uint32_t at = exact->heap_count++;
  while (at > 0) {
    uint32_t parent = (at - 1) / 4;
    if (!precedes(exact, entry, exact->heap[parent])) break;
    exact->heap[at] = exact->heap[parent];
    at = parent;
  }
  exact->heap[at] = entry;
}

// Puts an entry in the place of the front.
static void replace_front(CrExact *exact, CrHeapEntry entry) {
  CrHeapEntry *heap = exact->heap;
  uint32_t at = 0, count = exact->heap_count;
  for (uint32_t first = 1; first < count; first = 4 * at + 1) {
    uint32_t best = first, end = count - first > 4 ? first + 4 : count;
    for (uint32_t child = first + 1; child < end; child++) {
      if (precedes(exact, heap[child], heap[best])) best = child;
    }
    if (!precedes(exact, heap[best], entry)) break;
    heap[at] = heap[best];
    at = best;
  }
  heap[at] = entry;
}

void cr__exact_open(CrExact *exact, uint32_t node, double f) {
  CrHeapEntry entry = {f, node};
  if (exact->held.node == CR_NO_NODE) {
    exact->held = entry;
  } else if (precedes(exact, entry, exact->held)) {
    push(exact, exact->held);
    exact->held = entry;
  } else {
    push(exact, entry);
  }
}

uint32_t cr__exact_take(CrExact *exact) {
  uint32_t taken = exact->held.node;
  if (exact->heap_count > 0 && (taken == CR_NO_NODE || precedes(exact, exact->heap[0], exact->held))) {
    CrHeapEntry entry = exact->held;
    if (taken == CR_NO_NODE) entry = exact->heap[--exact->heap_count];
    taken = exact->heap[0].node;
    if (exact->heap_count > 0) replace_front(exact, entry);
  }
  exact->held.node = CR_NO_NODE;
  if (taken != CR_NO_NODE) exact->nodes[taken].closed = true;
  return taken;
}

// --- Roots ----------------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t hash, double value) {
  return (hash ^ cr__bits(value + 0.0)) * UINT64_C(0x9E3779B97F4A7C15);
}

CrRefSlot *cr__exact_root_slot(CrExact *exact, CrExactKind kind, CrPolyRef fan, CrPlanar point) {
  CrRefTable *table = &exact->roots;
  uint64_t hash = mix(mix((fan + kind) * UINT64_C(0x9E3779B97F4A7C15), point.x) >> 7, point.z);
  uint32_t mask = table->size - 1;
  uint32_t at = (uint32_t)(hash >> table->shift);
  for (;; at = (at + 1) & mask) {
    CrRefSlot *slot = &table->slots[at];
    if (slot->epoch != table->epoch) return slot;
    if (slot->ref != fan) continue;
    const CrExactNode *node = &exact->nodes[slot->index];
    if (node->kind == kind && node->left.x == point.x && node->left.z == point.z) return slot;
  }
}
