// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Off-mesh links of a build: checked, and sorted to the tile that holds their start. A start on the line between two tiles belongs to the higher one;
// the grid's own far sides are part of its last tiles. A link that starts outside the grid belongs to no tile: it is counted.
// Order: by tile, row by row, then by place in the input.
#include "builder_internal.h"

static bool is_point(CrVec3 p) {
  return cr__abs(p.x) < CR_COORD_LIMIT && cr__abs(p.y) < CR_COORD_LIMIT && cr__abs(p.z) < CR_COORD_LIMIT;
}

CrStatus cr__tile_links_check(const CrBuildInput *input, double max_radius, CrError *error) {
  if (input->off_mesh_count && !input->off_mesh_links) return cr__fail(error, CR_STATUS_ARGUMENT, "offMeshLinks");
  for (uint32_t i = 0; i < input->off_mesh_count; i++) {
    const CrOffMeshLink *link = &input->off_mesh_links[i];
    bool fine = is_point(link->start) && is_point(link->end) && link->radius > 0.0 && link->radius <= max_radius &&
                link->area <= CR_MAX_AREA && link->bidirectional <= 1;
    if (!fine) return cr__fail_index(error, CR_STATUS_ARGUMENT, "offMeshLinks", i);
  }
  return CR_STATUS_OK;
}

// The tile along one axis, or -1. The lines between tiles are the mesh's: origin + index * size.
static int32_t tile_at(double v, double origin, double size, int32_t tiles) {
  if (!(v >= origin) || v > origin + (double)tiles * size) return -1;
  double estimate = cr__floor((v - origin) / size);
  int32_t index = estimate >= (double)(tiles - 1) ? tiles - 1 : (int32_t)estimate;
  // The division may have rounded across a line: the lines decide.
  if (index > 0 && v < origin + (double)index * size) index--;
  if (index < tiles - 1 && v >= origin + (double)(index + 1) * size) index++;
  return index;
}

static int32_t tile_of(const CrLayout *layout, CrVec3 start) {
  const CrNavMeshParams *p = &layout->params;
  if (!layout->tiles_x) return -1;
  int32_t x = tile_at(start.x, p->origin_x, p->tile_size, layout->tiles_x);
  int32_t z = tile_at(start.z, p->origin_z, p->tile_size, layout->tiles_z);
  return x < 0 || z < 0 ? -1 : z * layout->tiles_x + x;
}

typedef struct LinkKey {
  int32_t tile;
  uint32_t link;
} LinkKey;

static void merge_runs(const LinkKey *from, LinkKey *to, size_t low, size_t middle, size_t high) {
  size_t a = low, b = middle;
  for (size_t i = low; i < high; i++) {
    bool left = b >= high || (a < middle && from[a].tile <= from[b].tile);
    to[i] = left ? from[a++] : from[b++];
  }
}

// Bottom-up merge sort, stable; returns the array the result is in.
static LinkKey *sort_keys(LinkKey *keys, LinkKey *scratch, size_t count) {
  for (size_t width = 1; width < count; width *= 2) {
    for (size_t low = 0; low < count; low += 2 * width) {
      size_t middle = low + width < count ? low + width : count;
      size_t high = low + 2 * width < count ? low + 2 * width : count;
      merge_runs(keys, scratch, low, middle, high);
    }
    LinkKey *swap = keys;
    keys = scratch;
    scratch = swap;
  }
  return keys;
}

static uint32_t place_links(const CrBuildInput *input, const CrLayout *layout, LinkKey *keys, CrBuildReport *report) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < input->off_mesh_count; i++) {
    int32_t tile = tile_of(layout, input->off_mesh_links[i].start);
    if (tile >= 0) {
      keys[count++] = (LinkKey){tile, i};
    } else if (report->off_mesh_outside++ == 0) {
      report->first_off_mesh_outside = i;
    }
  }
  return count;
}

bool cr__tile_links_sort(const CrBuildInput *input, const CrLayout *layout, const CrAllocator *allocator,
                         CrTileLinks *out, CrBuildReport *report) {
  size_t most = input->off_mesh_count;
  *out = (CrTileLinks){.capacity = input->off_mesh_count};
  if (!most) return true;
  LinkKey *keys = cr__alloc(allocator, 2 * most, sizeof *keys);
  out->links = cr__alloc(allocator, most, sizeof *out->links);
  out->tiles = cr__alloc(allocator, most, sizeof *out->tiles);
  bool fits = keys && out->links && out->tiles;
  if (fits) {
    out->count = place_links(input, layout, keys, report);
    const LinkKey *sorted = sort_keys(keys, keys + most, out->count);
    for (uint32_t i = 0; i < out->count; i++) {
      out->links[i] = input->off_mesh_links[sorted[i].link];
      out->tiles[i] = (uint32_t)sorted[i].tile;
    }
  }
  cr__free(allocator, keys, 2 * most, sizeof *keys);
  if (!fits) cr__tile_links_free(allocator, out);
  return fits;
}

void cr__tile_links_free(const CrAllocator *allocator, CrTileLinks *links) {
  cr__free(allocator, links->links, links->capacity, sizeof *links->links);
  cr__free(allocator, links->tiles, links->capacity, sizeof *links->tiles);
  *links = (CrTileLinks){0};
}

static uint32_t first_of_tile(const CrTileLinks *links, uint32_t tile) {
  uint32_t low = 0, high = links->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (links->tiles[middle] < tile) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const CrOffMeshLink *cr__tile_links_of(const CrTileLinks *links, const CrLayout *layout, int32_t tile_x, int32_t tile_z,
                                       uint32_t *out_count) {
  *out_count = 0;
  if (!links->count) return NULL;
  uint32_t tile = (uint32_t)(tile_z * layout->tiles_x + tile_x);
  uint32_t first = first_of_tile(links, tile), end = first_of_tile(links, tile + 1);
  *out_count = end - first;
  return links->links + first;
}
