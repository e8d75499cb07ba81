// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd states kept along a replay, so that going to any position costs one restore and at most one spacing of steps.
// Invariant: bytes <= budget, positions ascend and are multiples of the spacing. A full store doubles its spacing and
// drops what is no longer on it.
#include "replay_internal.h"

#define ITEM_COST 32  // what one keyframe is charged beside its state, the same on every platform

CrKeyframes cr__keyframes(const CrAllocator *allocator, size_t budget, int32_t spacing) {
  CrKeyframes keyframes = {.allocator = *allocator, .budget = budget, .spacing = spacing};
  return keyframes;
}

static void drop(CrKeyframes *keyframes, CrKeyframe *item) {
  cr__free(&keyframes->allocator, item->packed, item->packed_size, 1);
  keyframes->bytes -= item->packed_size + ITEM_COST;
}

void cr__keyframes_free(CrKeyframes *keyframes) {
  for (size_t i = 0; i < keyframes->count; i++) drop(keyframes, &keyframes->items[i]);
  cr__free(&keyframes->allocator, keyframes->items, keyframes->capacity, sizeof *keyframes->items);
  cr__free(&keyframes->allocator, keyframes->state, keyframes->state_capacity, 1);
  cr__free(&keyframes->allocator, keyframes->packed, keyframes->packed_capacity, 1);
  cr__packer_free(&keyframes->packer, &keyframes->allocator);
}

// Number of keyframes at or before `position`.
static size_t rank(const CrKeyframes *keyframes, int32_t position) {
  size_t low = 0, high = keyframes->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (keyframes->items[middle].position <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const CrKeyframe *cr__keyframes_find(const CrKeyframes *keyframes, int32_t position) {
  size_t count = rank(keyframes, position);
  return count ? &keyframes->items[count - 1] : NULL;
}

static void thin_out(CrKeyframes *keyframes) {
  size_t kept = 0;
  for (size_t i = 0; i < keyframes->count; i++) {
    CrKeyframe *item = &keyframes->items[i];
    if (item->position % keyframes->spacing) {
      drop(keyframes, item);
    } else {
      keyframes->items[kept++] = *item;
    }
  }
  keyframes->count = kept;
}

// Makes room for `cost` more bytes. False when that needs a spacing `position` is not on.
static bool make_room(CrKeyframes *keyframes, int32_t position, size_t cost) {
  if (cost > keyframes->budget) return false;
  while (cost > keyframes->budget - keyframes->bytes) {
    if (keyframes->spacing > INT32_MAX / 2) return false;
    keyframes->spacing *= 2;
    thin_out(keyframes);
  }
  return position % keyframes->spacing == 0;
}

static void insert(CrKeyframes *keyframes, CrKeyframe item) {
  size_t at = rank(keyframes, item.position);
  CrKeyframe *place = keyframes->items + at;
  memmove(place + 1, place, (keyframes->count - at) * sizeof *place);
  *place = item;
  keyframes->count++;
  keyframes->bytes += item.packed_size + ITEM_COST;
}

// --- Taking and restoring -------------------------------------------------------------------------------------------

static bool grow_bytes(const CrAllocator *allocator, uint8_t **memory, size_t *capacity, size_t needed) {
  void *grown = *memory;
  bool fits = cr__grow(allocator, &grown, capacity, 0, needed, 1);
  *memory = grown;
  return fits;
}

// Working memory for a state of `size` bytes.
static bool reserve(CrKeyframes *keyframes, size_t size) {
  const CrAllocator *allocator = &keyframes->allocator;
  if (!keyframes->packer.places && !cr__packer_init(&keyframes->packer, allocator)) return false;
  return grow_bytes(allocator, &keyframes->state, &keyframes->state_capacity, size) &&
         grow_bytes(allocator, &keyframes->packed, &keyframes->packed_capacity, cr__pack_bound(size));
}

static bool reserve_item(CrKeyframes *keyframes) {
  void *items = keyframes->items;
  bool fits = cr__grow(&keyframes->allocator, &items, &keyframes->capacity, keyframes->count, keyframes->count + 1,
                       sizeof *keyframes->items);
  keyframes->items = items;
  return fits;
}

// Packs the crowd's state into the working memory.
static size_t pack_state(CrKeyframes *keyframes, const CrCrowd *crowd, size_t size) {
  size_t written = 0;
  CrStatus status = cr_crowd_save_state(crowd, keyframes->state, size, &written, NULL);
  CR_ASSERT(status == CR_STATUS_OK && written == size);
  (void)status;
  return cr__pack(&keyframes->packer, keyframes->state, size, keyframes->packed);
}

static bool is_due(const CrKeyframes *keyframes, int32_t position) {
  if (position <= 0 || position % keyframes->spacing || keyframes->budget <= ITEM_COST) return false;
  const CrKeyframe *last = cr__keyframes_find(keyframes, position);
  return !last || last->position < position;
}

void cr__keyframes_offer(CrKeyframes *keyframes, int32_t position, const CrCrowd *crowd) {
  if (!is_due(keyframes, position)) return;
  CrKeyframe item = {.position = position, .state_size = cr_crowd_state_size(crowd)};
  if (!reserve(keyframes, item.state_size) || !reserve_item(keyframes)) return;
  item.packed_size = pack_state(keyframes, crowd, item.state_size);
  if (!make_room(keyframes, position, item.packed_size + ITEM_COST)) return;
  item.packed = cr__alloc(&keyframes->allocator, item.packed_size, 1);
  if (!item.packed) return;
  memcpy(item.packed, keyframes->packed, item.packed_size);
  insert(keyframes, item);
}

CrStatus cr__keyframes_restore(CrKeyframes *keyframes, const CrKeyframe *keyframe, CrCrowd *crowd, CrError *error) {
  bool whole = cr__unpack(keyframe->packed, keyframe->packed_size, keyframes->state, keyframe->state_size);
  CR_ASSERT(whole);
  (void)whole;
  return cr_crowd_restore_state(crowd, keyframes->state, keyframe->state_size, error);
}
