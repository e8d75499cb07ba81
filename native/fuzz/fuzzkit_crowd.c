// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds for targets: made by a byte, and driven by a program of bytes.
#include "fuzzkit.h"

CrCrowd *fuzz_crowd(const CrNavMesh *mesh, uint8_t choice, const CrAllocator *hooks) {
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = choice & 8 ? 4 : 64;
  options.query_nodes = choice & 16 ? 16 : 256;
  options.query_node_model = choice >> 5 & 1;
  options.max_walls_per_agent = choice & 64 ? 3 : 48;
  options.max_walls_avoided = choice & 64 ? 1 : 8;
  options.record_constraints = choice >> 7;
  CrCrowd *crowd;
  FUZZ_REQUIRE(cr_crowd_create(mesh, &options, hooks, &crowd, NULL) == CR_STATUS_OK);
  return crowd;
}

static void call(CrCrowd *crowd, FuzzIn *in) {
  uint8_t kind = fuzz_u8(in);
  int64_t id = fuzz_u8(in) & 7;
  CrVec3 at = kind & 1 ? fuzz_point(in, 4.0) : cr__vec(0.25 * (kind >> 4), 0.0, 0.25 * (id + 1));
  CrAgentOptions options = kind & 8 ? cr_agent_options_large() : cr_agent_options_small();
  options.quality = kind >> 4 & 3;
  switch (kind >> 1 & 7) {
    case 0:
      cr_crowd_add(crowd, at, &options, NULL, NULL);
      break;
    case 1:
      cr_crowd_remove(crowd, id, NULL);
      break;
    case 2:
      cr_crowd_stop(crowd, id, NULL);
      break;
    case 3:
      cr_crowd_teleport(crowd, id, at, NULL);
      break;
    case 4:
      cr_crowd_set_options(crowd, id, &options, NULL);
      break;
    case 5:
      if (kind & 8)
        cr_crowd_set_velocity(crowd, id, at, NULL);
      else
        cr_crowd_set_priority(crowd, id, at.x, NULL);
      break;
    case 6:
      cr_crowd_complete_off_mesh(crowd, id, NULL);
      break;
    default:
      cr_crowd_set_destination(crowd, id, at, NULL);
  }
}

void fuzz_call_crowd(CrCrowd *crowd, FuzzIn *in) {
  for (int32_t count = fuzz_u8(in) & 3; count > 0; count--) call(crowd, in);
}
