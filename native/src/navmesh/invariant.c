// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Checks every invariant of a mesh the slow and plain way, sharing as little as possible with the code that keeps them.
// For tests and debug builds.
#include "navmesh_internal.h"

static const char *check_counts(const CrNavMesh *mesh) {
  uint64_t tiles = 0, polygons = 0, empty = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->salt) return "a slot has salt 0";
    tiles += tile->active;
    empty += !tile->active;
    polygons += tile->active ? tile->polygon_count : 0;
  }
  if (tiles != mesh->tile_count) return "the tile count is wrong";
  if (polygons != mesh->polygon_count) return "the polygon count is wrong";
  return empty == mesh->free_count ? NULL : "the empty slots are not all known";
}

static bool within_limits(const CrMeshLoad *load) {
  return load->links <= cr__load_max_links(load) && load->overlaps <= cr__load_max_overlaps(load) &&
         load->candidates <= cr__load_max_candidates(load);
}

static const char *check_load(const CrNavMesh *mesh) {
  CrMeshLoad sum = {0};
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) cr__load_add(&sum, &mesh->tiles[slot]);
  const CrMeshLoad *load = &mesh->load;
  bool same = sum.borders == load->borders && sum.off_mesh == load->off_mesh && sum.links == load->links &&
              sum.overlaps == load->overlaps && sum.candidates == load->candidates;
  if (!same) return "the load is not the sum over the tiles";
  return within_limits(load) ? NULL : "the links are out of proportion";
}

static const char *check_free_slots(const CrNavMesh *mesh) {
  for (uint32_t i = 0; i < mesh->free_count; i++) {
    uint32_t slot = mesh->free_slots[i];
    if (slot >= mesh->slot_count || mesh->tiles[slot].active) return "a free slot is taken";
    if (i && mesh->free_slots[(i - 1) / 2] >= slot) return "the free slots are not a heap";
  }
  return NULL;
}

static const char *check_grid(const CrNavMesh *mesh) {
  uint64_t chained = 0;
  for (uint32_t bucket = 0; bucket < mesh->grid_size; bucket++) {
    for (uint32_t at = mesh->grid_heads[bucket]; at; at = mesh->grid_next[at - 1]) {
      if (++chained > mesh->tile_count || !mesh->tiles[at - 1].active) return "the grid holds a slot without a tile";
    }
  }
  if (chained != mesh->tile_count) return "the grid misses a tile";
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    uint32_t found;
    if (!tile->active) continue;
    bool known = cr_navmesh_find_tile(mesh, tile->x, tile->z, tile->layer, &found) == CR_STATUS_OK && found == slot;
    if (!known) return "a tile is not found at its position";
  }
  return NULL;
}

// --- Box tree and borders -------------------------------------------------------------------------------------------

static bool box_holds(const CrBoxNode *box, CrVec3 p) {
  return p.x >= box->min[0] && p.x <= box->max[0] && p.y >= box->min[1] && p.y <= box->max[1] && p.z >= box->min[2] &&
         p.z <= box->max[2];
}

static bool box_holds_polygon(const CrTile *tile, const CrBoxNode *box, uint32_t polygon) {
  for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
    if (!box_holds(box, cr__polygon_vertex(tile, polygon, k))) return false;
  }
  for (uint32_t i = tile->detail_first_vertex[polygon]; i < tile->detail_first_vertex[polygon + 1]; i++) {
    if (!box_holds(box, tile->detail_vertices[i])) return false;
  }
  return true;
}

// Every node's box holds the polygons of all leaves up to its skip, and every polygon is in one leaf.
static const char *check_tree(const CrTile *tile) {
  uint64_t leaves = 0, polygon_sum = 0;
  for (uint32_t i = 0; i < tile->node_count; i++) {
    const CrBoxNode *node = &tile->nodes[i];
    if (node->skip <= (int32_t)i || node->skip > (int32_t)tile->node_count) return "a box node skips to nowhere";
    if (node->polygon >= 0 && node->skip != (int32_t)i + 1) return "a box leaf skips too far";
    if (node->polygon >= (int32_t)tile->polygon_count) return "a box leaf names no polygon";
    leaves += node->polygon >= 0;
    polygon_sum += node->polygon >= 0 ? (uint64_t)node->polygon : 0;
    for (int32_t leaf = (int32_t)i; leaf < node->skip; leaf++) {
      int32_t polygon = tile->nodes[leaf].polygon;
      if (polygon >= 0 && !box_holds_polygon(tile, node, (uint32_t)polygon)) return "a box misses a polygon";
    }
  }
  uint64_t count = tile->polygon_count;
  bool complete = leaves == count && polygon_sum == (count ? count * (count - 1) / 2 : 0);
  return complete ? NULL : "the box tree misses a polygon";
}

static const char *check_borders(const CrTile *tile) {
  uint64_t borders = 0;
  for (uint32_t c = 0; c < tile->corner_count; c++) {
    borders += tile->corner_neighbour[c] >= CR_EDGE_BORDER_POS_X && tile->corner_neighbour[c] <= CR_EDGE_BORDER_NEG_Z;
  }
  if (borders != tile->border_first[CR_SIDE_COUNT]) return "the border table has a wrong count";
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    for (uint32_t i = tile->border_first[side]; i < tile->border_first[side + 1]; i++) {
      const CrBorderEdge *border = &tile->borders[i];
      uint32_t corner = tile->polygon_first[border->polygon] + border->edge;
      if (tile->corner_neighbour[corner] != CR_EDGE_BORDER_POS_X + (uint32_t)side)
        return "a border edge is no border edge";
      if (!(border->low < border->high)) return "a border edge has no length";
      if (i > tile->border_first[side] && tile->borders[i - 1].low > border->low) return "border edges are not sorted";
    }
  }
  return NULL;
}

// --- Links ----------------------------------------------------------------------------------------------------------

static const CrLink *find_back(const CrNavMesh *mesh, const CrTile *from, uint32_t polygon, const CrLink *link) {
  const CrTile *tile = cr__resolve(mesh, link->target);
  uint32_t target = cr__ref_polygon(link->target);
  CrPolyRef ref = cr__tile_ref(mesh, from, polygon);
  for (uint32_t i = tile->link_first[target]; i < tile->link_first[target + 1]; i++) {
    const CrLink *back = &tile->links[i];
    bool portal = link->edge != CR_LINK_NO_EDGE;
    bool same = portal ? back->edge == link->target_edge && back->target_edge == link->edge
                       : back->off_mesh == link->off_mesh && back->owner_slot == link->owner_slot &&
                             back->edge == CR_LINK_NO_EDGE && back->reverse != link->reverse;
    if (back->target == ref && same) return back;
  }
  return NULL;
}

static bool same_place(CrVec3 a, CrVec3 b) { return a.x == b.x && a.z == b.z; }

static const char *check_portal(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, const CrLink *link) {
  CrVec3 a, b;
  uint32_t corner = tile->polygon_first[polygon] + link->edge;
  uint32_t neighbour = link->edge < cr__polygon_vertex_count(tile, polygon) ? tile->corner_neighbour[corner] : 0;
  if (neighbour < CR_EDGE_BORDER_POS_X || neighbour > CR_EDGE_BORDER_NEG_Z) return "a portal leaves no border edge";
  cr__polygon_edge(tile, polygon, link->edge, &a, &b);
  double along = (link->b.x - link->a.x) * (b.x - a.x) + (link->b.z - link->a.z) * (b.z - a.z);
  if (!(along > 0.0)) return "a portal runs against its edge";
  if (cr__dist_xz(link->a, link->b) <= CR_PORTAL_EPSILON * 0.5) return "a portal has no width";
  const CrLink *back = find_back(mesh, tile, polygon, link);
  if (!back) return "a portal is one-way";
  if (!same_place(back->a, link->b) || !same_place(back->b, link->a)) return "the two sides of a portal differ";
  if (cr__abs(back->a.y - link->b.y) > mesh->params.climb || cr__abs(back->b.y - link->a.y) > mesh->params.climb) {
    return "a portal climbs too high";
  }
  return NULL;
}

static const char *check_off_mesh(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, const CrLink *link) {
  const CrTile *owner = link->owner_slot < mesh->slot_count ? &mesh->tiles[link->owner_slot] : NULL;
  if (!owner || !owner->active || link->off_mesh >= owner->off_mesh_count) return "an off-mesh link has no owner";
  const CrOffMeshLink *off_mesh = &owner->off_mesh[link->off_mesh];
  CrLinkJoin join;
  if (!cr__join_find(mesh, off_mesh, UINT64_MAX, &join)) return "an off-mesh link is not found";
  CrPolyRef ref = cr__tile_ref(mesh, tile, polygon);
  bool forward = !link->reverse && join.start == ref && join.end == link->target;
  bool backward = link->reverse && off_mesh->bidirectional && join.end == ref && join.start == link->target;
  if (!forward && !backward) return "an off-mesh link joins the wrong polygons";
  if (link->area != off_mesh->area || link->flags != off_mesh->flags)
    return "an off-mesh link has a wrong area or flags";
  if (off_mesh->bidirectional && !find_back(mesh, tile, polygon, link)) return "an off-mesh link misses its way back";
  return NULL;
}

// From the definition, link by link.
static CrLinkPart part_of(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, uint32_t index) {
  const CrLink *link = &tile->links[index];
  uint32_t first = tile->link_first[polygon];
  bool off_mesh = link->edge == CR_LINK_NO_EDGE, earlier = false, elsewhere = false;
  for (uint32_t i = first; i < tile->link_first[polygon + 1] && tile->links[i].edge != CR_LINK_NO_EDGE; i++) {
    if (tile->links[i].target != link->target || i == index) continue;
    earlier |= off_mesh || (i < index && link->edge != tile->links[first].edge);
    elsewhere |= tile->links[i].edge != link->edge;
  }
  for (uint32_t c = tile->polygon_first[polygon]; off_mesh && c < tile->polygon_first[polygon + 1]; c++) {
    bool in_tile = tile->corner_neighbour[c] < tile->polygon_count;
    earlier |= in_tile && cr__tile_ref(mesh, tile, tile->corner_neighbour[c]) == link->target;
  }
  return earlier ? CR_LINK_LATER : elsewhere && !off_mesh ? CR_LINK_FIRST : CR_LINK_ALONE;
}

// Edge by edge: each run of edges with one polygon of the tile behind them is one way, in the edges' order.
static const char *check_edge_ways(const CrTile *tile) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    uint32_t first = tile->polygon_first[p], count = tile->polygon_first[p + 1] - first, found = 0;
    const uint32_t *neighbours = tile->corner_neighbour + first, *ways = tile->edge_ways + first;
    for (uint32_t k = 0; k < count; k++) {
      if (neighbours[k] >= tile->polygon_count || neighbours[(k + count - 1) % count] == neighbours[k]) continue;
      uint32_t end = k + 1;
      while (neighbours[end % count] == neighbours[k]) end++;
      if (ways[found++] != cr__make_edge_way(neighbours[k], k, end % count)) return "a way over an edge is wrong";
    }
    if (found < count && ways[found] != CR_NO_EDGE_WAY) return "there are too many ways over edges";
  }
  return NULL;
}

static const char *check_links(const CrNavMesh *mesh, const CrTile *tile) {
  if (!tile->link_first) return "a tile has no link table";
  if (tile->link_first[tile->polygon_count] != tile->link_count) return "the link table has a wrong count";
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t i = tile->link_first[p]; i < tile->link_first[p + 1]; i++) {
      const CrLink *link = &tile->links[i];
      if (!cr__resolve(mesh, link->target)) return "a link leads to no polygon";
      if (i > tile->link_first[p] && !cr__link_less(link - 1, link)) return "links are not in canonical order";
      if (link->part != part_of(mesh, tile, p, i)) return "a link's part is wrong";
      const char *broken =
          link->edge == CR_LINK_NO_EDGE ? check_off_mesh(mesh, tile, p, link) : check_portal(mesh, tile, p, link);
      if (broken) return broken;
    }
  }
  return NULL;
}

// Every link that joins two polygons is in the table of its start.
static const char *check_joins(const CrNavMesh *mesh, uint32_t slot) {
  const CrTile *tile = &mesh->tiles[slot];
  for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
    CrLinkJoin join;
    if (!cr__join_find(mesh, &tile->off_mesh[i], UINT64_MAX, &join)) return "an off-mesh link is not found";
    if (join.candidates != tile->joins[i].candidates) return "an off-mesh link's candidates are out of date";
    if (join.start != tile->joins[i].start || join.end != tile->joins[i].end)
      return "an off-mesh link's join is out of date";
    if (!join.start || !join.end) continue;
    const CrTile *from = cr__resolve(mesh, join.start);
    uint32_t polygon = cr__ref_polygon(join.start);
    bool found = false;
    for (uint32_t k = from->link_first[polygon]; k < from->link_first[polygon + 1]; k++) {
      const CrLink *link = &from->links[k];
      found |= link->edge == CR_LINK_NO_EDGE && link->owner_slot == slot && link->off_mesh == i && !link->reverse;
    }
    if (!found) return "a joined off-mesh link is not in the table";
  }
  return NULL;
}

static const char *check_tile(const CrNavMesh *mesh, uint32_t slot) {
  const CrTile *tile = &mesh->tiles[slot];
  CrTileFault fault;
  if (!cr__tile_check(&mesh->params, tile, &fault)) return cr__tile_array_name(fault.array);
  const char *broken = check_tree(tile);
  if (!broken) broken = check_borders(tile);
  if (!broken) broken = check_edge_ways(tile);
  if (!broken) broken = check_links(mesh, tile);
  return broken ? broken : check_joins(mesh, slot);
}

const char *cr__navmesh_invariant(const CrNavMesh *mesh) {
  const char *broken = check_counts(mesh);
  if (!broken) broken = check_load(mesh);
  if (!broken) broken = check_free_slots(mesh);
  if (!broken) broken = check_grid(mesh);
  for (uint32_t slot = 0; !broken && slot < mesh->slot_count; slot++) {
    if (mesh->tiles[slot].active) broken = check_tile(mesh, slot);
  }
  return broken;
}
