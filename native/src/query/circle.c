// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Scratch of the searches around a place. Breadth first: a queue and a table of what has been met. By cost (Dijkstra 1959):
// a binary heap of polygons reached, in memory of fixed size. When that is full, all but the cheapest that can still be
// among the `limit` to be taken are forgotten: so many are reached at no more than their cost that they come too late, unless a
// cheaper way to them is found, which adds them again. So the answer is that of a search with memory without end.
// Invariant: the node at heap position i has heap_index i; heap[heap_count .. node_count] are the nodes not in use.
#include "query_internal.h"

bool cr__circle_init(CrCircle *circle, const CrAllocator *allocator) {
  circle->queue = cr__alloc(allocator, CR_QUERY_MAX_CIRCLE, sizeof *circle->queue);
  circle->sums = cr__alloc(allocator, CR_QUERY_MAX_CIRCLE, sizeof *circle->sums);
  circle->nodes = cr__alloc(allocator, CR_CIRCLE_TABLE, sizeof *circle->nodes);
  circle->heap = cr__alloc(allocator, CR_CIRCLE_TABLE, sizeof *circle->heap);
  bool table = cr__table_init(&circle->met, CR_CIRCLE_TABLE, allocator);
  return table && circle->queue && circle->sums && circle->nodes && circle->heap;
}

void cr__circle_deinit(CrCircle *circle, const CrAllocator *allocator) {
  cr__free(allocator, circle->queue, CR_QUERY_MAX_CIRCLE, sizeof *circle->queue);
  cr__free(allocator, circle->sums, CR_QUERY_MAX_CIRCLE, sizeof *circle->sums);
  cr__free(allocator, circle->nodes, CR_CIRCLE_TABLE, sizeof *circle->nodes);
  cr__free(allocator, circle->heap, CR_CIRCLE_TABLE, sizeof *circle->heap);
  cr__table_deinit(&circle->met, allocator);
}

void cr__circle_clear(CrCircle *circle) {
  cr__table_clear(&circle->met);
  circle->heap_count = circle->node_count = 0;
  circle->taken = 0;
  circle->limit = CR_QUERY_MAX_CIRCLE;
}

void cr__circle_begin(CrCircle *circle, int32_t limit) {
  cr__circle_clear(circle);
  circle->limit = limit < CR_QUERY_MAX_CIRCLE ? limit : CR_QUERY_MAX_CIRCLE;
}

// --- Portals of one polygon -----------------------------------------------------------------------------------------------

CrPortalList cr__portals(const CrNavMesh *mesh, CrPolyRef ref, const CrQueryFilter *filter) {
  const CrTile *tile = cr__tile_of(mesh, ref);
  uint32_t polygon = cr__ref_polygon(ref), edges = cr__polygon_vertex_count(tile, polygon);
  uint32_t link = tile->link_first[polygon], end = tile->link_first[polygon + 1];
  return (CrPortalList){mesh, tile, filter, polygon, 0, edges, link, end};
}

static bool next_link(CrPortalList *list, CrPortal *out) {
  const CrTile *tile = list->tile;
  while (list->link < list->link_end && tile->links[list->link].edge == list->edge) {
    uint32_t index = list->link++;
    const CrLink *link = &tile->links[index];
    const CrTile *target = cr__tile_of(list->mesh, link->target);
    if (!cr__accepts_polygon(list->filter, target, cr__ref_polygon(link->target))) continue;
    *out = (CrPortal){link->target, link->a, link->b, list->edge, index};
    return true;
  }
  return false;
}

bool cr__next_portal(CrPortalList *list, CrPortal *out) {
  const CrTile *tile = list->tile;
  for (; list->edge < list->edge_count; list->edge++) {
    uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[list->polygon] + list->edge];
    if (!cr__is_neighbour_polygon(neighbour)) {
      if (next_link(list, out)) return true;
    } else if (cr__accepts_polygon(list->filter, tile, neighbour)) {
      *out = (CrPortal){cr__tile_ref(list->mesh, tile, neighbour), {0, 0, 0}, {0, 0, 0}, list->edge, CR_NO_LINK};
      cr__polygon_edge(tile, list->polygon, list->edge++, &out->a, &out->b);
      return true;
    }
  }
  return false;
}

// --- By cost --------------------------------------------------------------------------------------------------------------

// order: cost, then reference
static inline bool precedes(const CrCircleNode *a, const CrCircleNode *b) {
  return a->cost != b->cost ? a->cost < b->cost : a->ref < b->ref;
}

static inline void place(CrCircle *circle, uint32_t at, uint32_t node) {
  circle->heap[at] = node;
  circle->nodes[node].heap_index = at;
}

static void sift_up(CrCircle *circle, uint32_t at, uint32_t node) {
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (!precedes(&circle->nodes[node], &circle->nodes[circle->heap[parent]])) break;
    place(circle, at, circle->heap[parent]);
    at = parent;
  }
  place(circle, at, node);
}

static void sift_down(CrCircle *circle, uint32_t at, uint32_t node) {
  const CrCircleNode *nodes = circle->nodes;
  uint32_t count = circle->heap_count;
  for (uint32_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && precedes(&nodes[circle->heap[child + 1]], &nodes[circle->heap[child]])) child++;
    if (!precedes(&nodes[circle->heap[child]], &nodes[node])) break;
    place(circle, at, circle->heap[child]);
    at = child;
  }
  place(circle, at, node);
}

// Takes the first node out of the heap; it becomes the first of those not in use.
static uint32_t pop(CrCircle *circle) {
  uint32_t first = circle->heap[0], last = circle->heap[--circle->heap_count];
  if (circle->heap_count) sift_down(circle, 0, last);
  circle->heap[circle->heap_count] = first;
  return first;
}

static void note(CrCircle *circle, CrPolyRef ref, uint32_t node) {
  *cr__table_slot(&circle->met, ref) = (CrRefSlot){ref, circle->met.epoch, node};
}

// Forgets all reached nodes but the first `kept`. Popped nodes gather at the heap's end, the first of them last; turned
// round the array begins with those kept in order, which is a heap.
static void keep_first(CrCircle *circle, uint32_t kept) {
  uint32_t count = circle->heap_count;
  for (uint32_t i = 0; i < kept; i++) pop(circle);
  for (uint32_t low = 0, high = count; low + 1 < high; low++) {
    uint32_t swapped = circle->heap[low];
    circle->heap[low] = circle->heap[--high];
    circle->heap[high] = swapped;
  }
  circle->heap_count = kept;
  cr__table_clear(&circle->met);
  for (int32_t i = 0; i < circle->taken; i++) note(circle, circle->queue[i], CR_NO_NODE);
  for (uint32_t i = 0; i < kept; i++) {
    circle->nodes[circle->heap[i]].heap_index = i;
    note(circle, circle->nodes[circle->heap[i]].ref, circle->heap[i]);
  }
}

const CrCircleNode *cr__circle_find(CrCircle *circle, CrPolyRef ref, bool *out_taken) {
  const CrRefSlot *slot = cr__table_slot(&circle->met, ref);
  bool met = slot->epoch == circle->met.epoch;
  *out_taken = met && slot->index == CR_NO_NODE;
  return met && slot->index != CR_NO_NODE ? &circle->nodes[slot->index] : NULL;
}

void cr__circle_reach(CrCircle *circle, CrPolyRef ref, CrPolyRef parent, CrVec3 position, double cost) {
  const CrRefSlot *slot = cr__table_slot(&circle->met, ref);
  bool met = slot->epoch == circle->met.epoch;
  uint32_t node = slot->index;
  if (!met) {
    if ((uint32_t)circle->taken + circle->heap_count == CR_CIRCLE_TABLE) {
      keep_first(circle, (uint32_t)(circle->limit - circle->taken));
    }
    if (circle->heap_count == circle->node_count)
      circle->heap[circle->node_count] = circle->node_count, circle->node_count++;
    node = circle->heap[circle->heap_count];
    note(circle, ref, node);
  }
  circle->nodes[node] = (CrCircleNode){ref, parent, position, cost, met ? circle->nodes[node].heap_index : 0};
  sift_up(circle, met ? circle->nodes[node].heap_index : circle->heap_count++, node);
}

bool cr__circle_take(CrCircle *circle, CrCircleNode *out) {
  if (circle->heap_count == 0 || circle->taken == circle->limit) return false;
  *out = circle->nodes[pop(circle)];
  circle->queue[circle->taken++] = out->ref;
  note(circle, out->ref, CR_NO_NODE);
  return true;
}
