// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowd states kept along a replay, so that going to any position costs one restore and at most one spacing of steps.
// Invariant: bytes <= budget, positions ascend and are multiples of the spacing. A full store doubles its spacing and drops
// what is no longer on it. How a state is kept is this file's own business.
#include "replay_internal.h"

#define ITEM_COST 32  // what one keyframe is charged beside its state, the same on every platform

CrKeyframes cr__keyframes(const CrAllocator *allocator, size_t budget, int32_t spacing) {
  CrKeyframes keyframes = {.allocator = *allocator, .budget = budget, .spacing = spacing};
  return keyframes;
}

static void drop(CrKeyframes *keyframes, CrKeyframe *item) {
  cr__free(&keyframes->allocator, item->state, item->size, 1);
  keyframes->bytes -= item->size + ITEM_COST;
}

void cr__keyframes_free(CrKeyframes *keyframes) {
  for (size_t i = 0; i < keyframes->count; i++) drop(keyframes, &keyframes->items[i]);
  cr__free(&keyframes->allocator, keyframes->items, keyframes->capacity, sizeof *keyframes->items);
  keyframes->items = NULL;
  keyframes->count = keyframes->capacity = 0;
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
  keyframes->bytes += item.size + ITEM_COST;
}

void cr__keyframes_offer(CrKeyframes *keyframes, int32_t position, const CrCrowd *crowd) {
  if (position <= 0 || position % keyframes->spacing) return;
  const CrKeyframe *last = cr__keyframes_find(keyframes, position);
  if (last && last->position == position) return;
  CrKeyframe item = {position, NULL, cr_crowd_state_size(crowd)};
  if (!make_room(keyframes, position, item.size + ITEM_COST)) return;
  void *items = keyframes->items;
  bool fits = cr__grow(&keyframes->allocator, &items, &keyframes->capacity, keyframes->count, keyframes->count + 1,
                       sizeof *keyframes->items);
  keyframes->items = items;
  if (!fits || !(item.state = cr__alloc(&keyframes->allocator, item.size, 1))) return;
  size_t size;
  CrStatus status = cr_crowd_save_state(crowd, item.state, item.size, &size, NULL);
  CR_ASSERT(status == CR_STATUS_OK && size == item.size);
  (void)status;
  insert(keyframes, item);
}

CrStatus cr__keyframe_restore(const CrKeyframe *keyframe, CrCrowd *crowd, CrError *error) {
  return cr_crowd_restore_state(crowd, keyframe->state, keyframe->size, error);
}
