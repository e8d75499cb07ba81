// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Bump allocation for one tile build. Blocks double in size up to a bound, so a large tile takes few of them and a small one
// little memory.
#include "build_internal.h"

struct CrArenaBlock {
  CrArenaBlock *next;
  size_t size, used;  // bytes of data behind this header
  max_align_t data[];
};

enum { FIRST_BLOCK = 1 << 16, LARGEST_BLOCK = 1 << 22, ALIGNMENT = 16 };

void cr__arena_init(CrArena *arena, const CrAllocator *allocator) {
  *arena = (CrArena){.allocator = cr__allocator_or_default(allocator), .largest_block = LARGEST_BLOCK};
}

void cr__arena_free(CrArena *arena) {
  while (arena->blocks) {
    CrArenaBlock *block = arena->blocks;
    arena->blocks = block->next;
    cr__free(&arena->allocator, block, sizeof *block + block->size, 1);
  }
}

CrArenaMark cr__arena_mark(const CrArena *arena) {
  return (CrArenaMark){arena->blocks, arena->blocks ? arena->blocks->used : 0};
}

void cr__arena_roll_back(CrArena *arena, CrArenaMark mark) {
  while (arena->blocks != mark.block) {
    CrArenaBlock *block = arena->blocks;
    arena->blocks = block->next;
    cr__free(&arena->allocator, block, sizeof *block + block->size, 1);
  }
  if (arena->blocks) arena->blocks->used = mark.used;
  arena->failed = false;
}

static CrArenaBlock *new_block(CrArena *arena, size_t bytes) {
  size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
  if (size > arena->largest_block) size = arena->largest_block;
  if (size < bytes) size = bytes;
  CrArenaBlock *block = cr__alloc(&arena->allocator, sizeof *block + size, 1);
  if (!block) return NULL;
  block->size = size;
  block->used = 0;
  block->next = arena->blocks;
  arena->blocks = block;
  return block;
}

void cr__arena_rewind(CrArena *arena) {
  size_t size = 0;
  for (const CrArenaBlock *block = arena->blocks; block; block = block->next) size += block->size;
  if (arena->blocks && arena->blocks->next) {
    cr__arena_free(arena);
    new_block(arena, size);  // where memory is short, the next allocation tries again
  }
  if (arena->blocks) arena->blocks->used = 0;
  arena->failed = false;
}

void *cr__arena_alloc(CrArena *arena, size_t count, size_t size) {
  if (size && count > (size_t)PTRDIFF_MAX / 2 / size) {
    arena->failed = true;
    return NULL;
  }
  size_t bytes = (count * size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  CrArenaBlock *block = arena->blocks;
  if (!block || block->size - block->used < bytes) block = new_block(arena, bytes);
  if (!block) {
    arena->failed = true;
    return NULL;
  }
  void *memory = (uint8_t *)block->data + block->used;
  block->used += bytes;
  return memory;
}

void *cr__arena_zeroed(CrArena *arena, size_t count, size_t size) {
  void *memory = cr__arena_alloc(arena, count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

bool cr__arena_grow(CrArena *arena, void **memory, size_t *capacity, size_t used, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  size_t grown = *capacity ? *capacity * 2 : 32;
  if (grown < needed) grown = needed;
  void *fresh = cr__arena_alloc(arena, grown, size);
  if (!fresh) return false;
  if (used) memcpy(fresh, *memory, used * size);
  *memory = fresh;
  *capacity = grown;
  return true;
}
