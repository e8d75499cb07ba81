// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Binary heap of the outline stages. Order: least key first, then least item, then least stamp, whatever the order of pushes.
#include "outline_internal.h"

static bool entry_less(CrHeapEntry a, CrHeapEntry b) {
  if (a.key != b.key) return a.key < b.key;
  return a.item != b.item ? a.item < b.item : a.stamp < b.stamp;
}

bool cr__heap_push(CrHeap *heap, CrArena *arena, CrHeapEntry entry) {
  if (!cr__arena_grow(arena, (void **)&heap->entries, &heap->capacity, heap->count, heap->count + 1,
                      sizeof *heap->entries)) {
    return false;
  }
  size_t at = heap->count++;
  for (; at > 0 && entry_less(entry, heap->entries[(at - 1) / 2]); at = (at - 1) / 2) {
    heap->entries[at] = heap->entries[(at - 1) / 2];
  }
  heap->entries[at] = entry;
  return true;
}

CrHeapEntry cr__heap_pop(CrHeap *heap) {
  CrHeapEntry top = heap->entries[0], last = heap->entries[--heap->count];
  size_t at = 0;
  for (size_t child = 1; child < heap->count; child = at * 2 + 1) {
    if (child + 1 < heap->count && entry_less(heap->entries[child + 1], heap->entries[child])) child++;
    if (!entry_less(heap->entries[child], last)) break;
    heap->entries[at] = heap->entries[child];
    at = child;
  }
  heap->entries[at] = last;
  return top;
}
