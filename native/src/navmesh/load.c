// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Limits that keep a mesh's links in proportion to its tiles. Border edges of real tiles meet one or two edges each, a
// few more where storeys lie close; link ends look at a handful of polygons. Bytes made to stack thousands of edges or
// polygons in one place would take their square in memory or time: they are refused instead. The sums are functions of
// the mesh, never of the order of edits.
#include "navmesh_internal.h"

static uint64_t candidates_of(const CrTile *tile) {
  uint64_t candidates = 0;
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) candidates += tile->joins[i].candidates;
  return candidates;
}

void cr__load_add(CrMeshLoad *load, const CrTile *tile) {
  load->borders += tile->border_first[CR_SIDE_COUNT];
  load->off_mesh += tile->off_mesh_count;
  load->links += tile->link_count;
  load->overlaps += tile->overlap_count;
  load->candidates += candidates_of(tile);
}

void cr__load_subtract(CrMeshLoad *load, const CrTile *tile) {
  load->borders -= tile->border_first[CR_SIDE_COUNT];
  load->off_mesh -= tile->off_mesh_count;
  load->links -= tile->link_count;
  load->overlaps -= tile->overlap_count;
  load->candidates -= candidates_of(tile);
}

uint64_t cr__load_max_links(const CrMeshLoad *load) { return 16 * load->borders + 2 * load->off_mesh + (1u << 16); }
uint64_t cr__load_max_overlaps(const CrMeshLoad *load) { return 1024 * load->borders + (1u << 20); }
uint64_t cr__load_max_candidates(const CrMeshLoad *load) { return 1024 * load->off_mesh + (1u << 20); }
