// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The link table of a tile: portals to the tiles beside it, and the off-mesh links that leave its polygons. A table is
// always made whole from the mesh as it is, so it is a function of the tiles and their slots, never of the edits that
// led there.
// Portals: a sweep along each side over the border edges of both tiles finds every overlap once.
// Result order: polygon, then the canonical order of cr__link_less.
#include "navmesh_internal.h"

void cr__side_step(int side, int32_t *x, int32_t *z) {
  *x += side == 0 ? 1 : side == 2 ? -1 : 0;
  *z += side == 1 ? 1 : side == 3 ? -1 : 0;
}

// order: the canonical order of a polygon's links; the last three settle what only two ways between the same polygons
// can tie.
bool cr__link_less(const CrLink *a, const CrLink *b) {
  if (a->edge != b->edge) return a->edge < b->edge;
  if (a->target != b->target) return a->target < b->target;
  if (a->off_mesh != b->off_mesh) return a->off_mesh < b->off_mesh;
  if (a->target_edge != b->target_edge) return a->target_edge < b->target_edge;
  if (a->owner_slot != b->owner_slot) return a->owner_slot < b->owner_slot;
  return a->reverse < b->reverse;
}

typedef struct TableBuild {
  const CrNavMesh *mesh;
  uint32_t slot;
  const CrTile *tile;
  CrLinkScratch *scratch;
  CrError *error;
  CrStatus status;  // the first failure
  uint64_t overlap_count;
} TableBuild;

static void out_of_memory(TableBuild *build) {
  if (build->status == CR_STATUS_OK) build->status = cr__fail(build->error, CR_STATUS_OUT_OF_MEMORY, NULL);
}

static void over_limit(TableBuild *build, const char *field, uint64_t limit) {
  if (build->status == CR_STATUS_OK)
    build->status = cr__fail_limit(build->error, CR_STATUS_LIMIT, field, (double)limit);
}

static void push_link(TableBuild *build, uint32_t polygon, const CrLink *link) {
  CrLinkScratch *s = build->scratch;
  const CrAllocator *allocator = &build->mesh->allocator;
  if (build->status != CR_STATUS_OK) return;
  if (s->count >= s->links_left) {
    over_limit(build, "links", cr__load_max_links(&build->mesh->load));
    return;
  }
  void *links = s->links, *polygons = s->polygons;
  bool grown = cr__grow(allocator, &links, &s->link_capacity, s->count, s->count + 1, sizeof *s->links) &&
               cr__grow(allocator, &polygons, &s->polygon_capacity, s->count, s->count + 1, sizeof *s->polygons);
  s->links = links;
  s->polygons = polygons;
  if (!grown) {
    out_of_memory(build);
    return;
  }
  s->links[s->count] = *link;
  s->polygons[s->count++] = polygon;
}

// --- Portals --------------------------------------------------------------------------------------------------------

static double height_on(const CrBorderEdge *edge, double at) {
  if (at == edge->low) return edge->y_low;
  if (at == edge->high) return edge->y_high;
  return edge->y_low + (edge->y_high - edge->y_low) * ((at - edge->low) / (edge->high - edge->low));
}

static CrVec3 point_on(const CrBorderEdge *edge, int side, double line, double at) {
  double y = height_on(edge, at);
  return side & 1 ? cr__vec(at, y, line) : cr__vec(line, y, at);
}

typedef struct SideJoin {
  TableBuild *build;
  const CrTile *other;
  uint32_t other_slot;
  int side;
  double line;
} SideJoin;

static void join_edges(const SideJoin *join, const CrBorderEdge *own, const CrBorderEdge *other) {
  double climb = join->build->mesh->params.climb;
  double low = cr__max(own->low, other->low), high = cr__min(own->high, other->high);
  if (!(high - low > CR_PORTAL_EPSILON)) return;
  if (cr__abs(height_on(own, low) - height_on(other, low)) > climb) return;
  if (cr__abs(height_on(own, high) - height_on(other, high)) > climb) return;
  CrVec3 at_low = point_on(own, join->side, join->line, low), at_high = point_on(own, join->side, join->line, high);
  CrLink link = {.target = cr__make_ref(join->other->salt, join->other_slot, other->polygon),
                 .a = own->rising ? at_low : at_high,
                 .b = own->rising ? at_high : at_low,
                 .edge = own->edge,
                 .target_edge = other->edge};
  push_link(join->build, own->polygon, &link);
}

// The edges met so far that reach beyond the sweep's place.
typedef struct ActiveEdges {
  const CrBorderEdge *edges;
  uint32_t *items;
  uint32_t count;
} ActiveEdges;

static void drop_passed(ActiveEdges *active, double at) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < active->count; i++) {
    if (active->edges[active->items[i]].high > at) active->items[kept++] = active->items[i];
  }
  active->count = kept;
}

static void count_overlaps(TableBuild *build, uint32_t count) {
  build->overlap_count += count;
  if (build->overlap_count <= build->scratch->overlaps_left) return;
  over_limit(build, "border overlaps", cr__load_max_overlaps(&build->mesh->load));
}

// Each overlap is found when the edge of it that begins later is met.
static void sweep(const SideJoin *join, ActiveEdges *own, uint32_t own_count, ActiveEdges *other,
                  uint32_t other_count) {
  uint32_t i = 0, j = 0;
  while (join->build->status == CR_STATUS_OK && (i < own_count || j < other_count)) {
    bool take_own = j == other_count || (i < own_count && own->edges[i].low <= other->edges[j].low);
    ActiveEdges *met = take_own ? other : own, *from = take_own ? own : other;
    uint32_t item = take_own ? i++ : j++;
    const CrBorderEdge *edge = &from->edges[item];
    drop_passed(met, edge->low);
    count_overlaps(join->build, met->count);
    for (uint32_t k = 0; k < met->count; k++) {
      const CrBorderEdge *across = &met->edges[met->items[k]];
      join_edges(join, take_own ? edge : across, take_own ? across : edge);
    }
    from->items[from->count++] = item;
  }
}

static void join_side(TableBuild *build, uint32_t other_slot, int side) {
  const CrTile *tile = build->tile, *other = &build->mesh->tiles[other_slot];
  CrLinkScratch *s = build->scratch;
  const uint32_t *first = tile->border_first + side, *other_first = other->border_first + (side ^ 2);
  uint32_t count = first[1] - first[0], other_count = other_first[1] - other_first[0];
  if (!count || !other_count) return;
  void *items = s->active;
  size_t needed = (size_t)count + other_count;
  bool grown = cr__grow(&build->mesh->allocator, &items, &s->active_capacity, 0, needed, sizeof *s->active);
  s->active = items;
  if (!grown) {
    out_of_memory(build);
    return;
  }
  CrTileSquare square = cr__tile_square(&build->mesh->params, tile->x, tile->z);
  SideJoin join = {build, other, other_slot, side, cr__side_line(square, side)};
  ActiveEdges own_edges = {tile->borders + first[0], s->active, 0};
  ActiveEdges other_edges = {other->borders + other_first[0], s->active + count, 0};
  sweep(&join, &own_edges, count, &other_edges, other_count);
}

static void collect_portals(TableBuild *build) {
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    int32_t x = build->tile->x, z = build->tile->z;
    cr__side_step(side, &x, &z);
    for (uint32_t at = 0; (at = cr__tiles_at(build->mesh, x, z, at)) != 0;) join_side(build, at - 1, side);
  }
}

// --- Off-mesh links -------------------------------------------------------------------------------------------------

static void push_off_mesh(TableBuild *build, uint32_t owner, uint32_t index, bool reverse) {
  const CrOffMeshLink *off_mesh = &build->mesh->tiles[owner].off_mesh[index];
  const CrLinkJoin *join = &build->mesh->tiles[owner].joins[index];
  CrLink link = {.target = reverse ? join->start : join->end,
                 .a = reverse ? join->end_point : join->start_point,
                 .b = reverse ? join->start_point : join->end_point,
                 .owner_slot = owner,
                 .off_mesh = index,
                 .edge = CR_LINK_NO_EDGE,
                 .target_edge = CR_LINK_NO_EDGE,
                 .area = off_mesh->area,
                 .reverse = reverse,
                 .flags = off_mesh->flags};
  push_link(build, cr__ref_polygon(reverse ? join->end : join->start), &link);
}

// Every link that joins a polygon of this tile reaches the tile's position.
static void collect_off_mesh(TableBuild *build) {
  const CrNavMesh *mesh = build->mesh;
  for (uint32_t at = cr__reach_first(mesh, build->tile->x, build->tile->z); at; at = cr__reach_next(mesh, at)) {
    const CrReachEntry *entry = &mesh->reach.entries[at - 1];
    const CrLinkJoin *join = &mesh->tiles[entry->owner].joins[entry->link];
    if (!join->start || !join->end) continue;
    if (cr__ref_slot(join->start) == build->slot) push_off_mesh(build, entry->owner, entry->link, false);
    bool both_ways = mesh->tiles[entry->owner].off_mesh[entry->link].bidirectional;
    if (both_ways && cr__ref_slot(join->end) == build->slot) push_off_mesh(build, entry->owner, entry->link, true);
  }
}

// --- The table ------------------------------------------------------------------------------------------------------

static bool entry_less(const void *context, uint32_t a, uint32_t b) {
  const CrLinkScratch *s = context;
  if (s->polygons[a] != s->polygons[b]) return s->polygons[a] < s->polygons[b];
  return cr__link_less(&s->links[a], &s->links[b]);
}

static bool sort_links(TableBuild *build) {
  CrLinkScratch *s = build->scratch;
  const CrAllocator *allocator = &build->mesh->allocator;
  void *order = s->order, *order_scratch = s->order_scratch;
  bool grown = cr__grow(allocator, &order, &s->order_capacity, 0, s->count, sizeof *s->order) &&
               cr__grow(allocator, &order_scratch, &s->order_scratch_capacity, 0, s->count, sizeof *s->order);
  s->order = order;
  s->order_scratch = order_scratch;
  if (!grown) return false;
  for (uint32_t i = 0; i < s->count; i++) s->order[i] = i;
  cr__sort_indices(s->order, s->order_scratch, s->count, entry_less, s);
  return true;
}

static bool make_table(const TableBuild *build, CrLinkTable *out) {
  const CrLinkScratch *s = build->scratch;
  uint32_t polygon_count = build->tile->polygon_count, count = (uint32_t)s->count;
  size_t size = cr__link_block_size(polygon_count, count);
  CrLink *links = cr__alloc(&build->mesh->allocator, size, 1);
  if (!links) return false;
  uint32_t *first = (uint32_t *)(void *)(links + count);
  uint32_t polygon = 0;
  first[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    links[i] = s->links[s->order[i]];
    while (polygon < s->polygons[s->order[i]]) first[++polygon] = i;
  }
  while (polygon < polygon_count) first[++polygon] = count;
  cr__links_set_parts(build->tile, build->slot, links, first);
  *out = (CrLinkTable){links, first, count, build->overlap_count, size};
  return true;
}

CrStatus cr__links_build(const CrNavMesh *mesh, uint32_t slot, CrLinkScratch *scratch, CrLinkTable *out,
                         CrError *error) {
  TableBuild build = {mesh, slot, &mesh->tiles[slot], scratch, error, CR_STATUS_OK, 0};
  scratch->count = 0;
  collect_portals(&build);
  collect_off_mesh(&build);
  // Counts are 32-bit; so many links could not be held anyway.
  if (scratch->count > UINT32_MAX / sizeof(CrLink)) out_of_memory(&build);
  if (build.status == CR_STATUS_OK && (!sort_links(&build) || !make_table(&build, out))) out_of_memory(&build);
  if (build.status != CR_STATUS_OK) return build.status;
  scratch->links_left -= out->count;
  scratch->overlaps_left -= out->overlap_count;
  return CR_STATUS_OK;
}

void cr__links_install(const CrNavMesh *mesh, CrTile *tile, const CrLinkTable *table) {
  cr__tile_free_links(&mesh->allocator, tile);
  tile->links = table->links;
  tile->link_first = table->first;
  tile->link_count = table->count;
  tile->overlap_count = table->overlap_count;
}

void cr__link_scratch_free(const CrAllocator *allocator, CrLinkScratch *s) {
  cr__free(allocator, s->links, s->link_capacity, sizeof *s->links);
  cr__free(allocator, s->polygons, s->polygon_capacity, sizeof *s->polygons);
  cr__free(allocator, s->order, s->order_capacity, sizeof *s->order);
  cr__free(allocator, s->order_scratch, s->order_scratch_capacity, sizeof *s->order_scratch);
  cr__free(allocator, s->active, s->active_capacity, sizeof *s->active);
}
