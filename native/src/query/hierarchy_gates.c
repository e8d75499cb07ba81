// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Gates: where clusters are left. Along the side of two clusters the portals between accepted polygons, in the order they lie,
// make runs: one follows the other without a gap between the same two groups. A run gives gates at the middles of its equal
// parts; where there are too many, each pair of groups keeps its share, at least one. Both clusters list the gates of their
// side from the one with the smaller coordinates, so they are the same places in the same order. Every accepted link end
// is a gate too. So whatever way leads from group to group, a gate leads from the one to the other: the search over gates reaches
// exactly what a search over polygons does.
// Botea, Mueller and Schaeffer 2004 call them entrances.
#include "hierarchy_internal.h"

#define SIDE_GATES 12      // wanted on one side; more only when more pairs of groups meet there
#define PARTS_OF_SIDE 6.0  // a run is cut into parts no longer than the cluster's side divided by this

typedef struct CrCrossing {
  double low, high;  // along the side
  CrVec3 at_low, at_high;
  CrPolyRef ref, other;  // in the cluster of smaller coordinates and beyond
  uint32_t pair;         // of groups
} CrCrossing;

typedef struct Pair {
  uint32_t group, other_group;
  uint32_t parts, quota, seen;
} Pair;

typedef struct Side {
  const CrNavMeshQuery *query;
  CrHierarchy *h;
  uint32_t low, high;  // clusters
  int side;            // of the low one
  uint32_t crossing_count, pair_count;
  Pair pairs[CR_SIDE_PAIRS];
  double longest;  // part of a run
  bool failed;
} Side;

// --- Crossings ------------------------------------------------------------------------------------------------------------

static uint32_t find_pair(Side *side, uint32_t group, uint32_t other_group) {
  for (uint32_t i = 0; i < side->pair_count; i++) {
    if (side->pairs[i].group == group && side->pairs[i].other_group == other_group) return i;
  }
  side->failed = side->failed || side->pair_count == CR_SIDE_PAIRS;
  if (side->failed) return 0;
  side->pairs[side->pair_count] = (Pair){.group = group, .other_group = other_group};
  return side->pair_count++;
}

static void add_crossing(Side *side, CrPolyRef ref, const CrLink *link) {
  uint32_t group = cr__group_of(side->h, ref), other = cr__group_of(side->h, link->target);
  if (group == CR_NO_GROUP || other == CR_NO_GROUP) return;
  side->failed = side->failed || side->crossing_count == CR_SIDE_CROSSINGS;
  if (side->failed) return;
  bool rising = cr__along(link->a, side->side) < cr__along(link->b, side->side);
  CrVec3 low = rising ? link->a : link->b, high = rising ? link->b : link->a;
  side->h->crossings[side->crossing_count++] =
      (CrCrossing){cr__along(low, side->side),   cr__along(high, side->side), low, high, ref, link->target,
                   find_pair(side, group, other)};
}

static void collect_tile(Side *side, const CrTile *tile) {
  for (uint32_t i = tile->border_first[side->side]; i < tile->border_first[side->side + 1]; i++) {
    const CrBorderEdge *border = &tile->borders[i];
    CrPolyRef ref = cr__tile_ref(side->query->mesh, tile, border->polygon);
    for (uint32_t k = tile->link_first[border->polygon]; k < tile->link_first[border->polygon + 1]; k++) {
      if (tile->links[k].edge == border->edge) add_crossing(side, ref, &tile->links[k]);
    }
  }
}

static void collect_crossings(Side *side) {
  const CrCluster *low = &side->h->clusters[side->low];
  CrClusterTiles tiles = cr__cluster_tiles(side->h, low->x, low->z);
  if (side->side == 0) {
    tiles.x = tiles.x0 = tiles.x1;
  } else {
    tiles.z = tiles.z0 = tiles.z1;
  }
  for (const CrTile *tile; (tile = cr__next_cluster_tile(side->query->mesh, &tiles)) != NULL;) {
    collect_tile(side, tile);
  }
}

// --- Runs -----------------------------------------------------------------------------------------------------------------

typedef struct RunOfCrossings {
  uint32_t pair;
  uint32_t first, last;  // crossings; those of other pairs between them do not count
  double low, high;
} RunOfCrossings;

// The next run of a pair from crossing `*at` on.
static bool next_run(const Side *side, uint32_t pair, uint32_t *at, RunOfCrossings *run) {
  const CrCrossing *all = side->h->crossings;
  uint32_t i = *at;
  while (i < side->crossing_count && all[i].pair != pair) i++;
  if (i == side->crossing_count) return false;
  *run = (RunOfCrossings){pair, i, i, all[i].low, all[i].high};
  for (i++; i < side->crossing_count; i++) {
    if (all[i].pair != pair) continue;
    if (!(cr__abs(all[i].low - run->high) <= CR_PORTAL_EPSILON)) break;
    run->high = all[i].high;
    run->last = i;
  }
  *at = i;
  return true;
}

static uint32_t part_count(const Side *side, const RunOfCrossings *run) {
  double parts = cr__ceil((run->high - run->low) / side->longest);
  return parts < 1.0 ? 1 : parts > 64.0 ? 64 : (uint32_t)parts;
}

static void set_quotas(Side *side) {
  uint32_t total = 0;
  for (uint32_t p = 0; p < side->pair_count; p++) {
    RunOfCrossings run;
    for (uint32_t at = 0; next_run(side, p, &at, &run);) side->pairs[p].parts += part_count(side, &run);
    total += side->pairs[p].parts;
  }
  for (uint32_t p = 0; p < side->pair_count; p++) {
    Pair *pair = &side->pairs[p];
    uint32_t share = total <= SIDE_GATES ? pair->parts : pair->parts * SIDE_GATES / total;
    pair->quota = share ? share : 1;
  }
}

// Of a pair's parts, every so many-th is kept.
static bool keep_part(Pair *pair) {
  uint64_t before = (uint64_t)pair->seen * pair->quota / pair->parts;
  pair->seen++;
  return (uint64_t)pair->seen * pair->quota / pair->parts > before;
}

static const CrCrossing *crossing_at(const Side *side, const RunOfCrossings *run, double at) {
  const CrCrossing *all = side->h->crossings, *found = &all[run->first];
  for (uint32_t i = run->first; i <= run->last; i++) {
    if (all[i].pair == run->pair && all[i].low <= at) found = &all[i];
  }
  return found;
}

static void add_gate(Side *side, CrGate *gates, uint32_t *count, const RunOfCrossings *run, double at, bool from_low) {
  const CrCrossing *crossing = crossing_at(side, run, at);
  double length = crossing->high - crossing->low;
  double t = length > 0.0 ? cr__clamp((at - crossing->low) / length, 0.0, 1.0) : 0.0;
  CrVec3 point = cr__lerp(crossing->at_low, crossing->at_high, t);
  const Pair *pair = &side->pairs[run->pair];
  side->failed = side->failed || *count == CR_CLUSTER_GATES;
  if (side->failed) return;
  CrGate *gate = &gates[(*count)++];
  *gate = (CrGate){.point = point, .other_point = point, .may_exit = true};
  gate->ref = from_low ? crossing->ref : crossing->other;
  gate->other = from_low ? crossing->other : crossing->ref;
  gate->group = from_low ? pair->group : pair->other_group;
  gate->side = (uint8_t)(from_low ? side->side : side->side ^ 2);
}

static void emit_gates(Side *side, CrGate *gates, uint32_t *count, bool from_low) {
  for (uint32_t p = 0; p < side->pair_count; p++) {
    RunOfCrossings run;
    for (uint32_t at = 0; next_run(side, p, &at, &run);) {
      uint32_t parts = part_count(side, &run);
      for (uint32_t k = 0; k < parts; k++) {
        double middle = run.low + (run.high - run.low) * ((k + 0.5) / parts);
        if (keep_part(&side->pairs[p])) add_gate(side, gates, count, &run, middle, from_low);
      }
    }
  }
}

static bool add_side(const CrNavMeshQuery *query, uint32_t cluster, uint32_t near, int side_number, CrGate *gates,
                     uint32_t *count) {
  CrHierarchy *h = query->hierarchy;
  bool from_low = side_number < 2;
  Side side = {.query = query, .h = h, .low = from_low ? cluster : near, .high = from_low ? near : cluster};
  side.side = from_low ? side_number : side_number ^ 2;
  side.longest = query->mesh->params.tile_size * (double)(1 << h->shift) / PARTS_OF_SIDE;
  collect_crossings(&side);
  if (side.failed) return false;
  set_quotas(&side);
  emit_gates(&side, gates, count, from_low);
  return !side.failed;
}

// --- Link ends ------------------------------------------------------------------------------------------------------------

typedef struct LinkGates {
  const CrNavMeshQuery *query;
  uint32_t cluster;
  CrGate *gates;
  uint32_t count, first;
  bool failed;
} LinkGates;

static void add_link_end(LinkGates *list, const CrReachEntry *entry, bool start) {
  CrHierarchy *h = list->query->hierarchy;
  const CrNavMesh *mesh = list->query->mesh;
  const CrQueryFilter *filter = cr__search_filter(&list->query->search);
  const CrOffMeshLink *link = &mesh->tiles[entry->owner].off_mesh[entry->link];
  const CrLinkJoin *join = &mesh->tiles[entry->owner].joins[entry->link];
  CrPolyRef ref = start ? join->start : join->end;
  if (h->places[cr__ref_slot(ref)].version != h->clusters[list->cluster].version) return;
  uint32_t group = cr__group_of(h, ref);
  if (group == CR_NO_GROUP) return;
  for (uint32_t i = list->first; i < list->count; i++) {
    const CrGate *other = &list->gates[i];
    if (other->link_owner == entry->owner && other->link == entry->link && other->start == start) return;
  }
  list->failed = list->failed || list->count == CR_CLUSTER_GATES;
  if (list->failed) return;
  CrGate *gate = &list->gates[list->count++];
  *gate = (CrGate){.ref = ref, .group = group, .link_owner = entry->owner, .link = entry->link};
  gate->other = start ? join->end : join->start;
  gate->point = start ? join->start_point : join->end_point;
  gate->other_point = start ? join->end_point : join->start_point;
  gate->side = CR_GATE_LINK;
  gate->start = start;
  gate->may_exit = start || link->bidirectional;
  gate->across = cr__dist(gate->point, gate->other_point) * cr__area_cost(filter, link->area);
}

// order: the slot of the link's tile, its index there, start before end.
static bool gate_less(const CrGate *a, const CrGate *b) {
  if (a->link_owner != b->link_owner) return a->link_owner < b->link_owner;
  if (a->link != b->link) return a->link < b->link;
  return a->start && !b->start;
}

static void sort_gates(CrGate *gates, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    CrGate gate = gates[i];
    uint32_t at = i;
    for (; at && gate_less(&gate, &gates[at - 1]); at--) gates[at] = gates[at - 1];
    gates[at] = gate;
  }
}

static void collect_links_at(LinkGates *list, int32_t x, int32_t z) {
  const CrNavMesh *mesh = list->query->mesh;
  const CrQueryFilter *filter = cr__search_filter(&list->query->search);
  for (uint32_t at = cr__reach_first(mesh, x, z); at && !list->failed; at = cr__reach_next(mesh, at)) {
    const CrReachEntry *entry = &mesh->reach.entries[at - 1];
    const CrLinkJoin *join = &mesh->tiles[entry->owner].joins[entry->link];
    if (!join->start || !join->end) continue;
    if (!cr__accepts(filter, mesh->tiles[entry->owner].off_mesh[entry->link].flags)) continue;
    add_link_end(list, entry, true);
    add_link_end(list, entry, false);
  }
}

// The reach index has every link that joins a polygon of a tile at the tile's position.
static bool add_links(const CrNavMeshQuery *query, uint32_t cluster, CrGate *gates, uint32_t *count) {
  const CrCluster *at = &query->hierarchy->clusters[cluster];
  LinkGates list = {query, cluster, gates, *count, *count, false};
  CrClusterTiles tiles = cr__cluster_tiles(query->hierarchy, at->x, at->z);
  for (int32_t x = tiles.x0; x <= tiles.x1 && query->mesh->reach.count; x++) {
    for (int32_t z = tiles.z0; z <= tiles.z1; z++) collect_links_at(&list, x, z);
  }
  sort_gates(gates + *count, list.count - *count);
  *count = list.count;
  return !list.failed;
}

// --- Gates of a cluster ---------------------------------------------------------------------------------------------------

static bool find_near(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    int32_t x = h->clusters[index].x, z = h->clusters[index].z;
    cr__side_step(side, &x, &z);
    uint32_t near = cr__cluster_at(query, x, z);
    if (near != CR_NO_CLUSTER && !cr__cluster_group(query, near)) return false;
    bool empty = near == CR_NO_CLUSTER || h->clusters[near].tile_count == 0;
    h->clusters[index].near[side] = empty ? CR_NO_CLUSTER : near;
  }
  return true;
}

static uint64_t version_of(const CrHierarchy *h, uint32_t cluster) {
  return cluster == CR_NO_CLUSTER ? 0 : h->clusters[cluster].version;
}

static bool is_current(const CrHierarchy *h, const CrCluster *cluster) {
  if (!cluster->gated || cluster->gates_version != cluster->version) return false;
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    if (cluster->near_version[side] != version_of(h, cluster->near[side])) return false;
  }
  return true;
}

static bool collect_gates(const CrNavMeshQuery *query, uint32_t index, uint32_t *side_first, uint32_t *out_count) {
  CrHierarchy *h = query->hierarchy;
  uint32_t count = 0;
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    side_first[side] = count;
    uint32_t near = h->clusters[index].near[side];
    if (near != CR_NO_CLUSTER && !add_side(query, index, near, side, h->gates, &count)) return false;
  }
  side_first[CR_SIDE_COUNT] = count;
  bool fits = add_links(query, index, h->gates, &count);
  *out_count = count;
  return fits;
}

// Costs between gates depend only on this cluster's polygons and where its gates are: they stay when only what lies beyond changed.
static bool same_places(const CrGate *a, const CrGate *b, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (a[i].ref != b[i].ref || !cr__same_point(a[i].point, b[i].point)) return false;
  }
  return true;
}

static bool store_gates(const CrNavMeshQuery *query, uint32_t index, uint32_t count) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  bool same = cluster->gated && cluster->gates_version == cluster->version && cluster->gate_count == count &&
              same_places(cr__gates(h, cluster), h->gates, count);
  if (!same) {
    size_t row = count * sizeof(double) + cluster->polygon_count + 1;
    size_t size = count * (sizeof(CrGate) + row);
    cluster->gate_block = CR_NO_BLOCK;
    cluster->gate_block = cr__arena_take(h, index, true, size);
    if (cluster->gate_block == CR_NO_BLOCK) return false;
    cluster->gate_count = count;
    memset(cr__gate_rows(h, cluster), 0, count);
  }
  if (count) memcpy(cr__gates(h, cluster), h->gates, count * sizeof *h->gates);
  return true;
}

static bool make_gates(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  uint32_t side_first[CR_SIDE_COUNT + 1], count;
  if (!collect_gates(query, index, side_first, &count)) return false;
  if (!store_gates(query, index, count)) return false;
  cluster->gated = true;
  cluster->gates_version = cluster->version;
  memcpy(cluster->side_first, side_first, sizeof side_first);
  for (int side = 0; side < CR_SIDE_COUNT; side++) cluster->near_version[side] = version_of(h, cluster->near[side]);
  return true;
}

bool cr__cluster_gates(const CrNavMeshQuery *query, uint32_t index) {
  CrHierarchy *h = query->hierarchy;
  CrCluster *cluster = &h->clusters[index];
  if (!cr__cluster_group(query, index) || !find_near(query, index)) return false;
  // Only now: while room is made for the groups around, gates that may be out of date must not count as used.
  cluster->gated_epoch = h->epoch;
  if (is_current(h, cluster)) return true;
  if (make_gates(query, index)) return true;
  cluster->gated = false;
  cluster->gate_block = CR_NO_BLOCK;
  return false;
}

bool cr__gates_init(CrHierarchy *h, const CrAllocator *allocator) {
  h->crossings = cr__alloc(allocator, CR_SIDE_CROSSINGS, sizeof *h->crossings);
  h->gates = cr__alloc(allocator, CR_CLUSTER_GATES, sizeof *h->gates);
  return h->crossings && h->gates;
}

void cr__gates_deinit(CrHierarchy *h, const CrAllocator *allocator) {
  cr__free(allocator, h->crossings, CR_SIDE_CROSSINGS, sizeof *h->crossings);
  cr__free(allocator, h->gates, CR_CLUSTER_GATES, sizeof *h->gates);
}
