// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Which links of a polygon go together: portals to one target on several edges are one way, and an off-mesh link is none
// where the surface leads to its target already. A polygon's links stand by (edge, target), so those of one edge are
// searched by halving: n links take n log n, however many lie on one edge.
#include "navmesh_internal.h"

// The links of one polygon, edge by edge.
typedef struct Runs {
  const CrLink *links;
  uint32_t first[CR_MAX_POLY_VERTS + 1];  // of each edge that has portals, and the end of the last
  uint32_t count;
} Runs;

static Runs portal_runs(const CrLink *links, uint32_t first, uint32_t end) {
  Runs runs = {links, {first}, 0};
  for (uint32_t i = first; i < end && links[i].edge != CR_LINK_NO_EDGE; i++) {
    if (i == first || links[i].edge != links[i - 1].edge) runs.first[runs.count++] = i;
    runs.first[runs.count] = i + 1;
  }
  return runs;
}

// The first portal of a run to `target`, or UINT32_MAX.
static uint32_t find_in_run(const Runs *runs, uint32_t run, CrPolyRef target) {
  uint32_t low = runs->first[run], high = runs->first[run + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (runs->links[middle].target < target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < runs->first[run + 1] && runs->links[low].target == target ? low : UINT32_MAX;
}

static uint8_t portal_part(const Runs *runs, uint32_t run, uint32_t index) {
  CrPolyRef target = runs->links[index].target;
  bool several = false;
  for (uint32_t other = 0; other < runs->count; other++) {
    uint32_t found = find_in_run(runs, other, target);
    if (found == UINT32_MAX) continue;
    if (run > 0 && (other < run || (other == run && found < index))) return CR_LINK_LATER;
    several |= other != run;
  }
  return several ? CR_LINK_FIRST : CR_LINK_ALONE;
}

static bool has_neighbour(const CrTile *tile, uint32_t polygon, uint32_t neighbour) {
  for (uint32_t c = tile->polygon_first[polygon]; c < tile->polygon_first[polygon + 1]; c++) {
    if (tile->corner_neighbour[c] == neighbour) return true;
  }
  return false;
}

static bool joined_by_surface(const CrTile *tile, uint32_t slot, uint32_t polygon, const Runs *runs, CrPolyRef target) {
  if (cr__ref_slot(target) == slot) return has_neighbour(tile, polygon, cr__ref_polygon(target));
  for (uint32_t run = 0; run < runs->count; run++) {
    if (find_in_run(runs, run, target) != UINT32_MAX) return true;
  }
  return false;
}

void cr__links_set_parts(const CrTile *tile, uint32_t slot, CrLink *links, const uint32_t *first) {
  for (uint32_t polygon = 0; polygon < tile->polygon_count; polygon++) {
    uint32_t end = first[polygon + 1];
    if (first[polygon] == end) continue;
    Runs runs = portal_runs(links, first[polygon], end);
    for (uint32_t run = 0; run < runs.count; run++) {
      for (uint32_t i = runs.first[run]; i < runs.first[run + 1]; i++) links[i].part = portal_part(&runs, run, i);
    }
    for (uint32_t i = runs.first[runs.count]; i < end; i++) {
      bool joined = joined_by_surface(tile, slot, polygon, &runs, links[i].target);
      links[i].part = joined ? CR_LINK_LATER : CR_LINK_ALONE;
    }
  }
}
