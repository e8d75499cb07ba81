// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Clusters and their groups: the accepted polygons of a cluster that in-tile edges and portals inside the cluster join. Both are
// walked in either direction, so a group is the same from wherever it is entered. Groups are numbered in the order of their
// first polygons (tile by x, z, layer, then index).
// A cluster is up to date when it has as many tiles as before and none has been changed since: a tile that came has a new
// stamp, one that went is missing.
#include "hierarchy_internal.h"

static int32_t floor_shift(int32_t value, uint32_t shift) {
  int64_t width = INT64_C(1) << shift;
  return (int32_t)((value >= 0 ? value : value - (width - 1)) / width);
}

CrClusterTiles cr__cluster_tiles(const CrHierarchy *h, int32_t x, int32_t z) {
  int32_t width = INT32_C(1) << h->shift;
  return (CrClusterTiles){x * width, z * width, x * width, z * width, (x + 1) * width - 1, (z + 1) * width - 1, 0};
}

const CrTile *cr__next_cluster_tile(const CrNavMesh *mesh, CrClusterTiles *tiles) {
  while (tiles->x <= tiles->x1) {
    tiles->at = cr__tiles_at(mesh, tiles->x, tiles->z, tiles->at);
    if (tiles->at) return &mesh->tiles[tiles->at - 1];
    if (++tiles->z > tiles->z1) {
      tiles->z = tiles->z0;
      tiles->x++;
    }
  }
  return NULL;
}

static uint64_t position_key(int32_t x, int32_t z) { return (uint64_t)(uint32_t)x << 32 | (uint32_t)z; }

uint32_t cr__cluster_at(const CrNavMeshQuery *query, int32_t x, int32_t z) {
  CrHierarchy *h = query->hierarchy;
  CrRefSlot *slot = cr__table_slot(&h->by_position, position_key(x, z));
  if (slot->epoch == h->by_position.epoch) return slot->index;
  CrClusterTiles tiles = cr__cluster_tiles(h, x, z);
  if (!cr__next_cluster_tile(query->mesh, &tiles)) return CR_NO_CLUSTER;
  CR_ASSERT(h->cluster_count < h->cluster_capacity);
  *slot = (CrRefSlot){position_key(x, z), h->by_position.epoch, h->cluster_count};
  h->clusters[h->cluster_count] = (CrCluster){.x = x, .z = z, .group_block = CR_NO_BLOCK, .gate_block = CR_NO_BLOCK};
  return h->cluster_count++;
}

uint32_t cr__cluster_of(const CrNavMeshQuery *query, const CrTile *tile) {
  uint32_t shift = query->hierarchy->shift;
  return cr__cluster_at(query, floor_shift(tile->x, shift), floor_shift(tile->z, shift));
}

// --- Groups ---------------------------------------------------------------------------------------------------------------

typedef struct Flood {
  const CrNavMeshQuery *query;
  CrHierarchy *h;
  uint64_t version;  // of the cluster
  uint32_t *groups;
  CrPolyRef *stack;  // a polygon is put on it once
  uint32_t depth;
} Flood;

static void visit(Flood *flood, uint32_t slot, uint32_t polygon, uint32_t group) {
  const CrTilePlace *place = &flood->h->places[slot];
  if (place->version != flood->version) return;
  uint32_t *at = &flood->groups[place->first + polygon];
  const CrTile *tile = &flood->query->mesh->tiles[slot];
  if (*at != CR_NO_GROUP || !cr__accepts_polygon(cr__search_filter(&flood->query->search), tile, polygon)) return;
  *at = group;
  flood->stack[flood->depth++] = cr__make_ref(1, slot, polygon);
}

static void visit_neighbours(Flood *flood, uint32_t slot, uint32_t polygon, uint32_t group) {
  const CrTile *tile = &flood->query->mesh->tiles[slot];
  for (uint32_t c = tile->polygon_first[polygon]; c < tile->polygon_first[polygon + 1]; c++) {
    uint32_t neighbour = tile->corner_neighbour[c];
    if (cr__is_neighbour_polygon(neighbour)) visit(flood, slot, neighbour, group);
  }
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge == CR_LINK_NO_EDGE) break;
    visit(flood, cr__ref_slot(link->target), cr__ref_polygon(link->target), group);
  }
}

static void flood_groups(Flood *flood, const CrCluster *cluster) {
  uint32_t count = 0;
  CrClusterTiles tiles = cr__cluster_tiles(flood->h, cluster->x, cluster->z);
  for (const CrTile *tile; (tile = cr__next_cluster_tile(flood->query->mesh, &tiles)) != NULL;) {
    uint32_t slot = (uint32_t)(tile - flood->query->mesh->tiles), first = flood->h->places[slot].first;
    for (uint32_t polygon = 0; polygon < tile->polygon_count; polygon++) {
      if (flood->groups[first + polygon] != CR_NO_GROUP) continue;
      visit(flood, slot, polygon, count);
      if (!flood->depth) continue;
      while (flood->depth) {
        CrPolyRef ref = flood->stack[--flood->depth];
        visit_neighbours(flood, cr__ref_slot(ref), cr__ref_polygon(ref), count);
      }
      count++;
    }
  }
}

// --- Up to date -----------------------------------------------------------------------------------------------------------

static bool is_current(const CrNavMeshQuery *query, const CrCluster *cluster) {
  if (!cluster->version) return false;
  if (cluster->checked == query->mesh->stamp) return true;
  uint32_t count = 0;
  CrClusterTiles tiles = cr__cluster_tiles(query->hierarchy, cluster->x, cluster->z);
  for (const CrTile *tile; (tile = cr__next_cluster_tile(query->mesh, &tiles)) != NULL; count++) {
    if (tile->changed > cluster->stamp) return false;
  }
  return count == cluster->tile_count;
}

// Counts the tiles and polygons and gives every tile its place.
static void place_tiles(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  uint64_t polygons = 0;
  cluster->tile_count = 0;
  CrClusterTiles tiles = cr__cluster_tiles(h, cluster->x, cluster->z);
  for (const CrTile *tile; (tile = cr__next_cluster_tile(query->mesh, &tiles)) != NULL;) {
    h->places[tile - query->mesh->tiles] = (CrTilePlace){cluster->version, index, (uint32_t)polygons};
    polygons += tile->polygon_count;
    cluster->tile_count++;
    cluster->too_big = polygons > CR_CLUSTER_POLYGONS;
    if (cluster->too_big) return;
  }
  cluster->too_big = false;
  cluster->polygon_count = (uint32_t)polygons;
}

static bool make_groups(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  place_tiles(query, index);
  if (cluster->too_big) return false;
  if (cluster->tile_count == 0) return true;  // its tiles are gone: as if it had never been looked at
  cluster->group_block = cr__arena_take(h, index, false, cluster->polygon_count * sizeof(uint32_t));
  if (cluster->group_block == CR_NO_BLOCK) return false;
  Flood flood = {query, h, cluster->version, cr__arena_at(h, cluster->group_block), h->path, 0};
  memset(flood.groups, 0xFF, cluster->polygon_count * sizeof *flood.groups);
  flood_groups(&flood, cluster);
  return true;
}

bool cr__cluster_group(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  if (cluster->grouped_epoch == h->epoch) {
    return !cluster->too_big && (cluster->group_block != CR_NO_BLOCK || cluster->tile_count == 0);
  }
  cluster->grouped_epoch = h->epoch;
  if (!is_current(query, cluster)) {
    cluster->stamp = query->mesh->stamp;
    cluster->version = ++h->versions;
    cluster->group_block = CR_NO_BLOCK;
    cluster->too_big = false;
  }
  cluster->checked = query->mesh->stamp;
  if (cluster->too_big) return false;
  return cluster->group_block != CR_NO_BLOCK || make_groups(query, index);
}
