// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tiles made by hand or by seed, and the comparison of meshes whose tiles came in different orders.
#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

void kit_begin(TileKit *kit, int32_t x, int32_t z, int32_t layer) {
  kit->tile = (CrTileDescription){.x = x, .z = z, .layer = layer};
  kit->corner_count = 0;
}

uint32_t kit_vertex(TileKit *kit, double x, double y, double z) {
  uint32_t count = kit->tile.vertex_count;
  for (uint32_t i = 0; i < count; i++) {
    const double *v = kit->vertices + (size_t)i * 3;
    if (v[0] == x && v[1] == y && v[2] == z) return i;
  }
  REQUIRE(count < KIT_MAX);
  double *v = kit->vertices + (size_t)count * 3;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  kit->tile.vertex_count++;
  return count;
}

void kit_polygon(TileKit *kit, uint32_t count, const double *corners) {
  uint32_t polygon = kit->tile.polygon_count++;
  REQUIRE(polygon < KIT_MAX && kit->corner_count + count <= KIT_MAX * 4);
  kit->counts[polygon] = (uint8_t)count;
  kit->areas[polygon] = 0;
  kit->flags[polygon] = 1;
  for (uint32_t k = 0; k < count; k++) {
    const double *c = corners + (size_t)k * 3;
    kit->corners[kit->corner_count++] = kit_vertex(kit, c[0], c[1], c[2]);
  }
}

void kit_rectangle(TileKit *kit, double x0, double z0, double x1, double z1, double y) {
  kit_polygon(kit, 4, (const double[]){x0, y, z0, x1, y, z0, x1, y, z1, x0, y, z1});
}

CrOffMeshLink *kit_link(TileKit *kit, CrVec3 start, CrVec3 end, double radius, bool bidirectional) {
  REQUIRE(kit->tile.off_mesh_count < sizeof kit->links / sizeof kit->links[0]);
  CrOffMeshLink *link = &kit->links[kit->tile.off_mesh_count++];
  memset(link, 0, sizeof *link);
  link->start = start;
  link->end = end;
  link->radius = radius;
  link->flags = 1;
  link->bidirectional = bidirectional;
  return link;
}

CrTileDescription *kit_describe(TileKit *kit) {
  kit->tile.vertices = kit->vertices;
  kit->tile.polygon_vertex_counts = kit->counts;
  kit->tile.polygon_vertices = kit->corners;
  kit->tile.polygon_areas = kit->areas;
  kit->tile.polygon_flags = kit->flags;
  kit->tile.off_mesh_links = kit->links;
  return &kit->tile;
}

CrBytes kit_encode(TileKit *kit, const CrNavMeshParams *params) {
  CrBytes bytes = {0};
  CrError error = {0};
  if (cr_tile_encode(params, kit_describe(kit), NULL, &bytes, &error) != CR_STATUS_OK) {
    printf("  %s[%" PRId64 "] %s\n", error.field, error.index, cr_status_text(error.status));
    REQUIRE(!"tile encodes");
  }
  check_note_bytes(bytes.data, bytes.size);
  return bytes;
}

uint32_t kit_add(TileKit *kit, CrNavMesh *mesh) {
  CrBytes bytes = kit_encode(kit, &mesh->params);
  uint32_t slot = 0;
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, &slot, NULL));
  cr_bytes_free(&bytes);
  return slot;
}

// --- Random tiles ---------------------------------------------------------------------------------------------------

// Rising cuts from low to high with `count` pieces; on an eighth grid so that tiles often agree.
static void random_cuts(double *cuts, int32_t count, double low, double high, uint64_t *seed) {
  cuts[0] = low;
  cuts[count] = high;
  for (int32_t i = 1; i < count; i++) {
    double share = (i + 0.5 * rnd_int(seed, 2)) / (count + 1);
    cuts[i] = low + (high - low) * share;
  }
}

static void random_storey(TileKit *kit, CrTileSquare s, double y, uint64_t *seed) {
  int32_t columns = 1 + rnd_int(seed, 4), rows = 1 + rnd_int(seed, 4);
  double xs[6], zs[6], slope = 0.25 * rnd_int(seed, 3);
  random_cuts(xs, columns, s.min_x, s.max_x, seed);
  random_cuts(zs, rows, s.min_z, s.max_z, seed);
  for (int32_t r = 0; r < rows; r++) {
    for (int32_t c = 0; c < columns; c++) {
      if (rnd_int(seed, 6) == 0) continue;
      double y0 = y + slope * (xs[c] - s.min_x) / (s.max_x - s.min_x);
      double y1 = y + slope * (xs[c + 1] - s.min_x) / (s.max_x - s.min_x);
      kit_polygon(
          kit, 4,
          (const double[]){xs[c], y0, zs[r], xs[c + 1], y1, zs[r], xs[c + 1], y1, zs[r + 1], xs[c], y0, zs[r + 1]});
      kit->areas[kit->tile.polygon_count - 1] = (uint8_t)rnd_int(seed, 64);
      kit->flags[kit->tile.polygon_count - 1] = (uint16_t)rnd_int(seed, 65536);
    }
  }
}

static void random_link(TileKit *kit, CrTileSquare s, double size, uint64_t *seed) {
  CrVec3 start = rnd_point(seed, cr__vec(s.min_x, -0.5, s.min_z), cr__vec(s.max_x, 2.5, s.max_z));
  // A quarter of the coordinates on a coarse grid: on borders, corners and shared edges.
  if (rnd_int(seed, 4) == 0) start.x = s.min_x + 0.25 * rnd_int(seed, 5) * (s.max_x - s.min_x);
  if (rnd_int(seed, 4) == 0) start.z = s.min_z + 0.25 * rnd_int(seed, 5) * (s.max_z - s.min_z);
  CrVec3 end = rnd_point(seed, cr__vec(0.0, -0.5, start.z - 2.0 * size), cr__vec(0.0, 2.5, start.z + 2.0 * size));
  end.x = start.x + size * 0.25 * (rnd_int(seed, 17) - 8);
  double radius = size * rnd_range(seed, 0.01, 0.5);
  CrOffMeshLink *link = kit_link(kit, start, end, radius, rnd_int(seed, 2));
  link->user_id = (uint32_t)rnd_u64(seed);
  link->area = (uint8_t)rnd_int(seed, 64);
  link->flags = (uint16_t)rnd_int(seed, 65536);
}

void kit_random(TileKit *kit, const CrNavMeshParams *params, uint64_t *seed, int32_t x, int32_t z, int32_t layer) {
  static const double heights[] = {0.0, 0.25, 0.5, 1.0};
  CrTileSquare s = cr__tile_square(params, x, z);
  kit_begin(kit, x, z, layer);
  random_storey(kit, s, heights[rnd_int(seed, 4)] + 4.0 * layer, seed);
  if (rnd_int(seed, 3) == 0) random_storey(kit, s, heights[rnd_int(seed, 4)] + 2.0 + 4.0 * layer, seed);
  int32_t links = rnd_int(seed, 4);
  for (int32_t i = 0; i < links; i++) random_link(kit, s, params->tile_size, seed);
}

// --- Comparison -----------------------------------------------------------------------------------------------------

static const CrTile *twin_of(const CrTile *tile, const CrNavMesh *mesh) {
  uint32_t slot;
  bool found = cr_navmesh_find_tile(mesh, tile->x, tile->z, tile->layer, &slot) == CR_STATUS_OK;
  return found ? &mesh->tiles[slot] : NULL;
}

static bool same_target(const CrNavMesh *a, CrPolyRef ref_a, const CrNavMesh *b, CrPolyRef ref_b) {
  if (!ref_a || !ref_b) return !ref_a && !ref_b;
  const CrTile *tile_a = cr__resolve(a, ref_a), *tile_b = cr__resolve(b, ref_b);
  return tile_a && tile_b && twin_of(tile_a, b) == tile_b && cr__ref_polygon(ref_a) == cr__ref_polygon(ref_b);
}

static bool same_link(const CrNavMesh *a, const CrLink *p, const CrNavMesh *b, const CrLink *q) {
  if (!same_target(a, p->target, b, q->target) || !cr__same_point(p->a, q->a) || !cr__same_point(p->b, q->b))
    return false;
  if (p->edge != q->edge || p->target_edge != q->target_edge || p->off_mesh != q->off_mesh) return false;
  if (p->area != q->area || p->flags != q->flags || p->reverse != q->reverse) return false;
  return p->edge != CR_LINK_NO_EDGE || twin_of(&a->tiles[p->owner_slot], b) == &b->tiles[q->owner_slot];
}

// The links of a polygon as sets: each of one has exactly one like it in the other.
static bool same_links(const CrNavMesh *a, const CrTile *ta, const CrNavMesh *b, const CrTile *tb, uint32_t polygon) {
  uint32_t first = ta->link_first[polygon], count = ta->link_first[polygon + 1] - first;
  uint32_t other = tb->link_first[polygon];
  if (tb->link_first[polygon + 1] - other != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t like = 0;
    for (uint32_t k = 0; k < count; k++) like += same_link(a, &ta->links[first + i], b, &tb->links[other + k]);
    if (like != 1) return false;
  }
  return true;
}

static bool same_bytes(const CrTile *a, const CrTile *b) {
  CrWriter hash_a = cr__writer_hash(), hash_b = cr__writer_hash();
  cr__tile_write(a, &hash_a);
  cr__tile_write(b, &hash_b);
  return hash_a.hash == hash_b.hash && hash_a.size == hash_b.size;
}

static bool same_joins(const CrNavMesh *a, const CrTile *ta, const CrNavMesh *b, const CrTile *tb) {
  for (uint32_t i = 0; i < ta->off_mesh_count; i++) {
    const CrLinkJoin *p = &ta->joins[i], *q = &tb->joins[i];
    if (!same_target(a, p->start, b, q->start) || !same_target(a, p->end, b, q->end)) return false;
    if (!cr__same_point(p->start_point, q->start_point) || !cr__same_point(p->end_point, q->end_point)) return false;
  }
  return true;
}

const char *kit_difference(const CrNavMesh *a, const CrNavMesh *b) {
  if (a->tile_count != b->tile_count) return "tile counts differ";
  for (uint32_t slot = 0; slot < a->slot_count; slot++) {
    const CrTile *tile = &a->tiles[slot];
    if (!tile->active) continue;
    const CrTile *twin = twin_of(tile, b);
    if (!twin) return "a tile is missing";
    if (!same_bytes(tile, twin)) return "a tile's bytes differ";
    if (!same_joins(a, tile, b, twin)) return "an off-mesh link joins elsewhere";
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      if (!same_links(a, tile, b, twin, p)) return "a polygon's links differ";
    }
  }
  return NULL;
}

CrBytes kit_save(const CrNavMesh *mesh) {
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  return bytes;
}

bool kit_same_bytes(const CrBytes *a, const CrBytes *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

size_t kit_areas_offset(const uint8_t *tile) {
  uint32_t counts[3];
  memcpy(counts, tile + 20, sizeof counts);
  return 44 + (size_t)counts[0] * 24 + counts[1] + (size_t)counts[2] * 8;
}

// --- Platforms ------------------------------------------------------------------------------------------------------------

CrNavMesh *kit_platforms(double height, double far, bool both_ways) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.5, 0.0, 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 4, 0);
  kit_rectangle(&kit, 8, 0, far, 4, height);
  kit_link(&kit, cr__vec(4, 0, 2), cr__vec(8, height, 2), 0.5, both_ways)->user_id = 7;
  kit_add(&kit, mesh);
  return mesh;
}

// --- Routes ---------------------------------------------------------------------------------------------------------------

static double along(const CrLink *link, CrVec3 p) {
  CrVec3 d = cr__sub(link->b, link->a), to = cr__sub(p, link->a);
  return d.x * to.x + d.z * to.z;
}

static bool overlap(const CrLink *m, const CrLink *n) {
  return m->edge == n->edge && cr__min(along(m, m->b), along(m, n->b)) > cr__max(0.0, along(m, n->a));
}

bool kit_turns_back(const CrNavMesh *mesh, const CrPolyRef *path, int32_t count) {
  for (int32_t i = 1; i + 1 < count; i++) {
    const CrTile *tile = cr__resolve(mesh, path[i]);
    uint32_t first = tile->link_first[cr__ref_polygon(path[i])], end = tile->link_first[cr__ref_polygon(path[i]) + 1];
    for (uint32_t k = first; k < end; k++) {
      for (uint32_t l = first; l < end && tile->links[k].target == path[i - 1]; l++) {
        if (tile->links[k].edge == CR_LINK_NO_EDGE || tile->links[l].target != path[i + 1]) continue;
        if (overlap(&tile->links[k], &tile->links[l])) return true;
      }
    }
  }
  return false;
}
