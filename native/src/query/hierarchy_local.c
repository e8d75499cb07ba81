// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Searches over the polygons of one group, or of two that meet. A node is a polygon, standing at the point where its best way so far
// enters it: of a search without target (Dijkstra) the middle of the portal, of one with a target (A*) the portal's point nearest to the
// straight way there. What a way costs is measured afterwards, on the string pulled through it.
// Nodes are addressed by polygon, so nothing is looked up; they are emptied by an epoch stamp.
// order: f, then h, then the polygon's number in the windows (tile by x, z, layer, then index).
#include "hierarchy_internal.h"

#define LOCAL_CAPACITY (2 * CR_CLUSTER_POLYGONS)

bool cr__local_init(CrLocal *local, const CrAllocator *allocator) {
  local->nodes = cr__alloc_zeroed(allocator, LOCAL_CAPACITY, sizeof *local->nodes);
  local->heap = cr__alloc(allocator, LOCAL_CAPACITY, sizeof *local->heap);
  return local->nodes && local->heap;
}

void cr__local_deinit(CrLocal *local, const CrAllocator *allocator) {
  cr__free(allocator, local->nodes, LOCAL_CAPACITY, sizeof *local->nodes);
  cr__free(allocator, local->heap, LOCAL_CAPACITY, sizeof *local->heap);
}

// --- Heap -----------------------------------------------------------------------------------------------------------------

static inline bool precedes(const CrLocal *local, CrHeapEntry a, CrHeapEntry b) {
  if (a.f != b.f) return a.f < b.f;
  double ha = local->nodes[a.node].h, hb = local->nodes[b.node].h;
  return ha != hb ? ha < hb : a.node < b.node;
}

static inline void place(CrLocal *local, uint32_t at, CrHeapEntry entry) {
  local->heap[at] = entry;
  local->nodes[entry.node].heap_index = at;
}

static void sift_up(CrLocal *local, uint32_t at, CrHeapEntry entry) {
  while (at > 0) {
    uint32_t parent = (at - 1) / 2;
    if (!precedes(local, entry, local->heap[parent])) break;
    place(local, at, local->heap[parent]);
    at = parent;
  }
  place(local, at, entry);
}

static uint32_t take_first(CrLocal *local) {
  uint32_t taken = local->heap[0].node, at = 0, count = --local->heap_count;
  CrHeapEntry last = local->heap[count];
  for (uint32_t child; count && (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && precedes(local, local->heap[child + 1], local->heap[child])) child++;
    if (!precedes(local, local->heap[child], last)) break;
    place(local, at, local->heap[child]);
  }
  if (count) place(local, at, last);
  local->nodes[taken].heap_index = CR_NODE_CLOSED;
  return taken;
}

// --- Begin ----------------------------------------------------------------------------------------------------------------

// The node of a polygon, or CR_NO_NODE when it belongs to no window.
static inline uint32_t node_of(const CrHierarchy *h, const uint32_t *const *groups, uint32_t slot, uint32_t polygon) {
  const CrTilePlace *place = &h->places[slot];
  for (uint32_t w = 0; w < h->local.window_count; w++) {
    const CrLocalWindow *window = &h->local.windows[w];
    if (place->version != window->version) continue;
    uint32_t index = place->first + polygon;
    return groups[w][index] == window->group ? window->base + index : CR_NO_NODE;
  }
  return CR_NO_NODE;
}

static void window_groups(const CrHierarchy *h, const uint32_t **groups) {
  for (uint32_t w = 0; w < h->local.window_count; w++) {
    groups[w] = cr__groups(h, &h->clusters[h->local.windows[w].cluster]);
  }
}

static uint32_t find_node(const CrHierarchy *h, CrPolyRef ref) {
  const uint32_t *groups[2] = {NULL, NULL};
  window_groups(h, groups);
  return node_of(h, groups, cr__ref_slot(ref), cr__ref_polygon(ref));
}

void cr__local_add_window(CrHierarchy *h, uint32_t cluster, uint32_t group) {
  CrLocal *local = &h->local;
  uint32_t base = 0;
  if (local->window_count) base = h->clusters[local->windows[0].cluster].polygon_count;
  local->windows[local->window_count++] = (CrLocalWindow){h->clusters[cluster].version, cluster, group, base};
}

void cr__local_begin(CrHierarchy *h, CrPolyRef ref, CrVec3 point, uint32_t cluster, uint32_t group) {
  CrLocal *local = &h->local;
  if (++local->epoch == 0) {
    for (uint32_t i = 0; i < LOCAL_CAPACITY; i++) local->nodes[i].epoch = 0;
    local->epoch = 1;
  }
  local->window_count = 0;
  local->directed = false;
  local->goal = CR_NO_NODE;
  local->source_ref = ref;
  local->source = point;
  cr__local_add_window(h, cluster, group);
  uint32_t node = find_node(h, ref);
  local->nodes[node] = (CrLocalNode){point, ref, 0.0, 0.0, CR_NO_NODE, 0, local->epoch};
  local->heap_count = 1;
  place(local, 0, (CrHeapEntry){0.0, node});
  h->local_active = true;
}

void cr__local_aim(CrHierarchy *h, CrPolyRef ref, CrVec3 point) {
  h->local.directed = true;
  h->local.target_ref = ref;
  h->local.target = point;
}

// --- Expansion ------------------------------------------------------------------------------------------------------------

typedef struct Expansion {
  const CrNavMeshQuery *query;
  CrHierarchy *h;
  CrLocal *local;
  const CrQueryFilter *filter;
  const uint32_t *groups[2];
  const CrLocalNode *from;
  uint32_t from_index;
  double area_cost;
} Expansion;

static CrVec3 entry_point(const CrLocal *local, CrVec3 from, CrVec3 a, CrVec3 b) {
  return local->directed ? cr__nearest_on_portal(a, b, from, local->target) : cr__lerp(a, b, 0.5);
}

static void relax(const Expansion *e, uint32_t slot, uint32_t polygon, uint16_t salt, CrVec3 a, CrVec3 b) {
  CrLocal *local = e->local;
  uint32_t index = node_of(e->h, e->groups, slot, polygon);
  if (index == CR_NO_NODE) return;
  CrLocalNode *node = &local->nodes[index];
  bool known = node->epoch == local->epoch;
  if (known && node->heap_index == CR_NODE_CLOSED) return;
  CrVec3 point = entry_point(local, e->from->position, a, b);
  double g = e->from->g + cr__dist(e->from->position, point) * e->area_cost;
  double h = local->directed ? cr__dist(point, local->target) * e->query->search.lowest_cost : 0.0;
  // order: of two equally good ways the first found stays
  if (known && g + h >= node->g + node->h) return;
  uint32_t at = known ? node->heap_index : local->heap_count++;
  *node = (CrLocalNode){point, cr__make_ref(salt, slot, polygon), g, h, e->from_index, at, local->epoch};
  sift_up(local, at, (CrHeapEntry){g + h, index});
}

static void expand(Expansion *e, uint32_t index) {
  const CrNavMesh *mesh = e->query->mesh;
  e->from = &e->local->nodes[index];
  e->from_index = index;
  uint32_t slot = cr__ref_slot(e->from->ref), polygon = cr__ref_polygon(e->from->ref);
  const CrTile *tile = &mesh->tiles[slot];
  uint32_t first = tile->polygon_first[polygon], end = tile->polygon_first[polygon + 1];
  e->area_cost = cr__area_cost(e->filter, tile->areas[polygon]);
  for (uint32_t c = first; c < end; c++) {
    uint32_t neighbour = tile->corner_neighbour[c];
    if (!cr__is_neighbour_polygon(neighbour)) continue;
    const CrVec3 *a = &tile->vertices[tile->corner_vertex[c]];
    const CrVec3 *b = &tile->vertices[tile->corner_vertex[c + 1 == end ? first : c + 1]];
    relax(e, slot, neighbour, tile->salt, *a, *b);
  }
  for (uint32_t i = tile->link_first[polygon]; i < tile->link_first[polygon + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge == CR_LINK_NO_EDGE) break;
    relax(e, cr__ref_slot(link->target), cr__ref_polygon(link->target), cr__ref_salt(link->target), link->a, link->b);
  }
}

int64_t cr__local_run(const CrNavMeshQuery *query, int64_t budget, bool *out_done) {
  CrHierarchy *h = query->hierarchy;
  CrLocal *local = &h->local;
  Expansion e = {.query = query, .h = h, .local = local, .filter = cr__search_filter(&query->search)};
  window_groups(h, e.groups);
  int64_t expanded = 0;
  *out_done = false;
  while (expanded < budget) {
    *out_done = local->heap_count == 0;
    if (*out_done) break;
    uint32_t index = take_first(local);
    if (local->directed && local->nodes[index].ref == local->target_ref) {
      local->goal = index;
      *out_done = true;
      break;
    }
    expand(&e, index);
    expanded++;
  }
  return expanded;
}

// --- What was found -------------------------------------------------------------------------------------------------------

uint32_t cr__local_path(const CrHierarchy *h, uint32_t node) {
  uint32_t count = 0;
  for (uint32_t at = node; at != CR_NO_NODE; at = h->local.nodes[at].parent) count++;
  uint32_t to = count;
  for (uint32_t at = node; at != CR_NO_NODE; at = h->local.nodes[at].parent) h->path[--to] = h->local.nodes[at].ref;
  return count;
}

static double cost_of(const CrNavMeshQuery *query, CrPolyRef ref) {
  const CrTile *tile = cr__tile_of(query->mesh, ref);
  return cr__area_cost(cr__search_filter(&query->search), tile->areas[cr__ref_polygon(ref)]);
}

static bool is_uniform(const CrNavMeshQuery *query, uint32_t count) {
  if (!query->search.has_filter) return true;
  const CrPolyRef *path = query->hierarchy->path;
  double cost = cost_of(query, path[0]);
  for (uint32_t i = 1; i < count; i++) {
    if (cost_of(query, path[i]) != cost) return false;
  }
  return true;
}

// Cost of the string from one corner to the next, through polygons of different costs.
static double mixed_cost(const CrNavMeshQuery *query, const CrCorner *from, const CrCorner *to) {
  const CrPolyRef *path = query->hierarchy->path;
  double cost = 0.0;
  CrVec3 at = from->point;
  for (int32_t k = from->path_index; k < to->path_index; k++) {
    const CrTile *tile = cr__tile_of(query->mesh, path[k]);
    CrWay way = cr__way_between(query->mesh, tile, cr__ref_polygon(path[k]), path[k + 1], NULL);
    CrVec3 next = cr__nearest_on_portal(way.a, way.b, from->point, to->point);
    cost += cr__dist(at, next) * cost_of(query, path[k]);
    at = next;
  }
  return cost + cr__dist(at, to->point) * cost_of(query, path[to->path_index]);
}

// The string pulled through h->path; DBL_MAX when it has too many corners.
static double pulled_cost(const CrNavMeshQuery *query, uint32_t path_count, CrVec3 end) {
  CrHierarchy *h = query->hierarchy;
  int32_t count = 0;
  CrStraightPathOutcome outcome = cr_query_straight_path(
      query->mesh, h->local.source, end, h->path, (int32_t)path_count, NULL, h->corners, CR_LOCAL_CORNERS, &count);
  if (outcome != CR_STRAIGHT_OK) return DBL_MAX;
  bool uniform = is_uniform(query, path_count);
  double cost = 0.0;
  for (int32_t i = 1; i < count; i++) {
    const CrCorner *a = &h->corners[i - 1], *b = &h->corners[i];
    cost += uniform ? cr__dist(a->point, b->point) * cost_of(query, h->path[0]) : mixed_cost(query, a, b);
  }
  return cost;
}

double cr__local_cost(const CrNavMeshQuery *query, CrPolyRef ref, CrVec3 point) {
  CrHierarchy *h = query->hierarchy;
  uint32_t index = find_node(h, ref);
  const CrLocalNode *node = &h->local.nodes[index];
  if (index == CR_NO_NODE || node->epoch != h->local.epoch) return DBL_MAX;
  double stepwise = node->g + cr__dist(node->position, point) * cost_of(query, ref);
  double pulled = pulled_cost(query, cr__local_path(h, index), point);
  return cr__min(stepwise, pulled);
}
