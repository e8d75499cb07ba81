// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The memory blocks of the interface: arguments and small records at fixed addresses, one growing block for bulk input,
// one for bulk results, work memory, and the error record. The growing blocks keep their largest size until trimmed.
#include <stdlib.h>

#include "abi.h"

typedef struct Block {
  void *data;
  size_t capacity;
} Block;

static double arguments[CRW_RECORD_CAPACITY];
static double record[CRW_RECORD_CAPACITY];
static double error_cells[CRW_CELLS_ERROR];
static CrError error_detail;
static Block input, result, work;
static CrBytes result_bytes;  // the bulk result when the engine made it
static size_t result_size, input_size;

// Old contents are not kept. On failure the old block stays.
static void *reserve(Block *block, size_t size) {
  if (size <= block->capacity) return block->data;
  if (size > INT32_MAX) return NULL;
  size_t grown = block->capacity * 2 > size ? block->capacity * 2 : size;
  void *fresh = malloc(grown);
  if (!fresh && grown > size) fresh = malloc(grown = size);
  if (!fresh) return NULL;
  free(block->data);
  *block = (Block){fresh, grown};
  return fresh;
}

static void drop(Block *block) {
  free(block->data);
  *block = (Block){NULL, 0};
}

double *crw__record(void) { return record; }

double crw__argument(int32_t cell) { return arguments[cell]; }

// Shrunk to what was asked for last: the block may be much larger from earlier calls.
void *crw__input_take(uint32_t *out_from) {
  void *data = input.data;
  *out_from = (uint32_t)(uintptr_t)data;
  void *shrunk = data ? realloc(data, input_size ? input_size : 1) : NULL;
  input = (Block){NULL, 0};
  return shrunk ? shrunk : data;
}

void *crw__result(size_t size) {
  cr_bytes_free(&result_bytes);
  void *data = reserve(&result, size ? size : 1);
  result_size = data ? size : 0;
  return data;
}

int32_t crw__result_bytes(CrBytes bytes) {
  cr_bytes_free(&result_bytes);
  result_bytes = bytes;
  result_size = bytes.size;
  return 0;
}

void *crw__work(size_t size) { return reserve(&work, size ? size : 1); }

CrError *crw__error(void) {
  error_detail = (CrError){.offset = CR_NO_OFFSET, .index = CR_NO_INDEX};
  return &error_detail;
}

int32_t crw__done(CrStatus status) {
  if (status != CR_STATUS_OK) error_detail.status = status;
  return -(int32_t)status;
}

int32_t crw__fail(CrStatus status, const char *field) { return crw__fail_limit(status, field, 0.0); }

int32_t crw__fail_limit(CrStatus status, const char *field, double limit) {
  CrError *error = crw__error();
  error->status = status;
  error->field = field;
  error->limit = limit;
  return -(int32_t)status;
}

// Address of the argument block: CRW_RECORD_CAPACITY cells.
CRW_EXPORT int32_t crw_arguments(void) { return (int32_t)(uintptr_t)arguments; }

// Address of the record block: CRW_RECORD_CAPACITY cells, overwritten by the next call that returns a record.
CRW_EXPORT int32_t crw_record(void) { return (int32_t)(uintptr_t)record; }

// Address of the input block with room for `size` bytes; its contents do not survive growing.
CRW_EXPORT int32_t crw_input(int32_t size) {
  void *data = size >= 0 ? reserve(&input, size ? (size_t)size : 1) : NULL;
  if (data) input_size = (size_t)size;
  return data ? (int32_t)(uintptr_t)data : crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
}

// Address and size of the bulk result of the last call that made one. Valid until the next call.
CRW_EXPORT int32_t crw_result(void) {
  return (int32_t)(uintptr_t)(result_bytes.data ? (void *)result_bytes.data : result.data);
}
CRW_EXPORT int32_t crw_result_size(void) { return (int32_t)result_size; }

// Gives the growing blocks back.
CRW_EXPORT int32_t crw_trim(void) {
  cr_bytes_free(&result_bytes);
  result_size = 0;
  drop(&input);
  drop(&result);
  drop(&work);
  return 0;
}

// Address of the error record of the last call that failed.
CRW_EXPORT int32_t crw_error(void) {
  double *at = error_cells;
  *at++ = error_detail.status;
  *at++ = error_detail.format;
  *at++ = (double)(uintptr_t)error_detail.field;
  *at++ = error_detail.offset == CR_NO_OFFSET ? -1.0 : (double)error_detail.offset;
  *at++ = (double)error_detail.index;
  *at++ = error_detail.limit;
  return (int32_t)(uintptr_t)error_cells;
}
