// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Arithmetic on two numbers at a time: the same IEEE operations in the same order as on one, so the same bits. What is
// gained is less the second number than that a choice between two values is no branch. And on four integers.
#ifndef CR_LANES_H
#define CR_LANES_H

#include "core_internal.h"

typedef double CrTwo __attribute__((vector_size(16)));
typedef int64_t CrTwoMask __attribute__((vector_size(16)));

static inline CrTwo cr__two(double v) { return (CrTwo){v, v}; }
static inline CrTwo cr__two_choose(CrTwoMask mask, CrTwo yes, CrTwo no) {
  return (CrTwo)((mask & (CrTwoMask)yes) | (~mask & (CrTwoMask)no));
}
static inline CrTwo cr__two_negate(CrTwoMask mask, CrTwo v) { return (CrTwo)((CrTwoMask)v ^ (mask & INT64_MIN)); }
static inline CrTwo cr__two_abs(CrTwo v) { return (CrTwo)((CrTwoMask)v & INT64_MAX); }
static inline CrTwo cr__two_sqrt(CrTwo v) { return (CrTwo){cr__sqrt(v[0]), cr__sqrt(v[1])}; }

typedef int32_t CrFour __attribute__((vector_size(16)));
static inline CrFour cr__four(const int32_t *from) { return (CrFour){from[0], from[1], from[2], from[3]}; }

#endif
