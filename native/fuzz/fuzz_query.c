// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to small meshes: the first byte chooses one, the rest are places, filters, budgets and forged references. What must
// hold is said in fuzzkit_ask.c.
#include "fuzzkit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FuzzIn in = fuzz_in(data, size);
  fuzz_ask_mesh(fuzz_world(fuzz_below(&in, FUZZ_WORLDS)), &in);
  return 0;
}
