// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Memory through the caller's hooks. Sizes are passed back on release so that hooks need no headers of their own.
#include <stdlib.h>

#include "core_internal.h"

static void *default_allocate(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void default_release(void *context, void *memory, size_t size) {
  (void)context;
  (void)size;
  free(memory);
}

CrAllocator cr__allocator_or_default(const CrAllocator *allocator) {
  if (allocator && allocator->allocate && allocator->release) return *allocator;
  return (CrAllocator){NULL, default_allocate, default_release};
}

// Zero bytes still get an address of their own, so that null always means failure.
static size_t byte_size(size_t count, size_t size) { return count > 0 && size > 0 ? count * size : 1; }

void *cr__alloc(const CrAllocator *allocator, size_t count, size_t size) {
  if (size && count > PTRDIFF_MAX / size) return NULL;
  return allocator->allocate(allocator->context, byte_size(count, size));
}

void *cr__alloc_zeroed(const CrAllocator *allocator, size_t count, size_t size) {
  void *memory = cr__alloc(allocator, count, size);
  if (memory) memset(memory, 0, count * size);
  return memory;
}

void cr__free(const CrAllocator *allocator, void *memory, size_t count, size_t size) {
  if (memory) allocator->release(allocator->context, memory, byte_size(count, size));
}

bool cr__grow(const CrAllocator *allocator, void **memory, size_t *capacity, size_t used, size_t needed, size_t size) {
  if (needed <= *capacity) return true;
  size_t grown = *capacity ? *capacity : 16;
  while (grown < needed) grown = grown > PTRDIFF_MAX / 2 ? needed : grown * 2;
  void *fresh = cr__alloc(allocator, grown, size);
  if (!fresh) return false;
  if (used) memcpy(fresh, *memory, used * size);
  cr__free(allocator, *memory, *capacity, size);
  *memory = fresh;
  *capacity = grown;
  return true;
}

void cr_bytes_free(CrBytes *bytes) {
  if (!bytes || !bytes->data) return;
  cr__free(&bytes->allocator, bytes->data, bytes->size, 1);
  memset(bytes, 0, sizeof *bytes);
}

CrStatus cr__bytes_alloc(const CrAllocator *allocator, size_t size, CrBytes *out, CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  uint8_t *data = cr__alloc(&hooks, size, 1);
  if (!data) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  *out = (CrBytes){data, size, hooks};
  return CR_STATUS_OK;
}
