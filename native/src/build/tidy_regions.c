// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Small islands are dropped, small regions merged. Two regions merge only when they share a boundary and an area and no column holds a span of
// both (the outline of a merged region must stay flat).
// Order: passes over the small regions by (size, number); each joins the neighbour it shares the longest boundary with, the
// lower number on a tie.
#include "regions_internal.h"

// A pair of regions, low number first, as one sortable key, and how many span sides they share.
typedef struct Pair {
  uint64_t key;
  uint32_t length;
} Pair;

typedef struct PairList {
  Pair *pairs, *scratch;
  size_t count, capacity, scratch_capacity;
} PairList;

typedef struct Tidy {
  CrOpenField *field;
  uint32_t count;    // regions, numbered 1..count
  uint32_t *parent;  // union-find
  uint32_t *size;    // spans
  uint8_t *area;
  uint8_t *at_border;  // touches the tile's border columns
  PairList shared;     // regions with a common boundary
  PairList stacked;    // regions with spans in one column
} Tidy;

// Halves the path on the way: chains of merges stay short.
static uint32_t find(uint32_t *parent, uint32_t region) {
  while (parent[region] != region) region = parent[region] = parent[parent[region]];
  return region;
}

static uint64_t pair_key(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

static void merge_runs(const Pair *from, Pair *to, size_t low, size_t middle, size_t high) {
  size_t a = low, b = middle;
  for (size_t i = low; i < high; i++) {
    bool left = b >= high || (a < middle && from[a].key <= from[b].key);
    to[i] = left ? from[a++] : from[b++];
  }
}

// Sorts by key (bottom-up merge sort) and adds up equal ones.
static bool sort_pairs(PairList *list, CrArena *arena) {
  if (!cr__arena_grow(arena, (void **)&list->scratch, &list->scratch_capacity, 0, list->count, sizeof(Pair)))
    return false;
  for (size_t width = 1; width < list->count; width *= 2) {
    for (size_t low = 0; low < list->count; low += 2 * width) {
      size_t middle = low + width < list->count ? low + width : list->count;
      size_t high = low + 2 * width < list->count ? low + 2 * width : list->count;
      merge_runs(list->pairs, list->scratch, low, middle, high);
    }
    Pair *swap = list->pairs;
    size_t swap_capacity = list->capacity;
    list->pairs = list->scratch;
    list->capacity = list->scratch_capacity;
    list->scratch = swap;
    list->scratch_capacity = swap_capacity;
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (kept && list->pairs[kept - 1].key == list->pairs[i].key) {
      list->pairs[kept - 1].length += list->pairs[i].length;
    } else {
      list->pairs[kept++] = list->pairs[i];
    }
  }
  list->count = kept;
  return true;
}

static bool push_pair(PairList *list, CrArena *arena, uint32_t a, uint32_t b, uint32_t length) {
  // Runs of the same pair are common along a boundary: fold them at once.
  uint64_t key = pair_key(a, b);
  if (list->count && list->pairs[list->count - 1].key == key) {
    list->pairs[list->count - 1].length += length;
    return true;
  }
  // Before the list grows, what it holds twice is folded: it stays in proportion to the pairs there are.
  if (list->count == list->capacity) {
    if (list->count > 1024 && !sort_pairs(list, arena)) return false;
    size_t needed = list->count > list->capacity / 2 ? list->capacity + 1 : list->count + 1;
    if (!cr__arena_grow(arena, (void **)&list->pairs, &list->capacity, list->count, needed, sizeof(Pair))) return false;
  }
  list->pairs[list->count++] = (Pair){key, length};
  return true;
}

static bool has_pair(const PairList *list, uint32_t a, uint32_t b) {
  uint64_t key = pair_key(a, b);
  size_t low = 0, high = list->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list->pairs[middle].key < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < list->count && list->pairs[low].key == key;
}

static bool is_region(uint32_t region) { return region != 0 && !(region & CR_BORDER_REGION); }

static bool measure_span(Tidy *tidy, CrArena *arena, uint32_t span) {
  const CrOpenField *field = tidy->field;
  uint32_t region = field->region[span];
  tidy->size[region]++;
  tidy->area[region] = field->area[span];
  for (uint32_t dir = 0; dir < 4; dir++) {
    uint32_t other = field->neighbour[4 * (size_t)span + dir];
    if (other == CR_NO_SPAN) continue;
    uint32_t beside = field->region[other];
    if (beside & CR_BORDER_REGION) tidy->at_border[region] = 1;
    if (dir < 2 && is_region(beside) && beside != region && !push_pair(&tidy->shared, arena, region, beside, 1)) {
      return false;
    }
  }
  return true;
}

// Regions of one column, bottom up.
typedef struct Stack {
  uint32_t *regions;
  uint32_t count;
} Stack;

static Stack stack_of(const Tidy *tidy, size_t column, uint32_t *memory) {
  Stack stack = {memory, 0};
  for (uint32_t span = tidy->field->first[column]; span < tidy->field->first[column + 1]; span++) {
    if (is_region(tidy->field->region[span])) memory[stack.count++] = tidy->field->region[span];
  }
  return stack;
}

// Pairs of a column's regions, but those the column before had at the same places.
static bool push_stack(Tidy *tidy, const Stack *stack, const Stack *before, CrArena *arena) {
  for (uint32_t i = 0; i < stack->count; i++) {
    bool known = i < before->count && stack->regions[i] == before->regions[i];
    for (uint32_t k = i + 1; k < stack->count; k++) {
      if (known && k < before->count && stack->regions[k] == before->regions[k]) continue;
      if (!push_pair(&tidy->stacked, arena, stack->regions[i], stack->regions[k], 1)) return false;
    }
  }
  return true;
}

static bool measure_stacks(Tidy *tidy, CrArena *arena) {
  const CrOpenField *field = tidy->field;
  size_t columns = (size_t)field->grid.width * (size_t)field->grid.depth;
  uint32_t highest = 0;
  for (size_t c = 0; c < columns; c++) {
    uint32_t spans = field->first[c + 1] - field->first[c];
    highest = spans > highest ? spans : highest;
  }
  if (highest < 2) return true;
  uint32_t *memory = cr__arena_alloc(arena, highest, 2 * sizeof *memory);
  if (!memory) return false;
  Stack before = {memory, 0};
  uint32_t *other = memory + highest;
  for (size_t c = 0; c < columns; c++) {
    if (field->first[c + 1] - field->first[c] < 2) continue;
    Stack stack = stack_of(tidy, c, other);
    if (!push_stack(tidy, &stack, &before, arena)) return false;
    other = before.regions;
    before = stack;
  }
  return true;
}

static bool measure(Tidy *tidy, CrArena *arena) {
  const CrOpenField *field = tidy->field;
  for (uint32_t span = 0; span < field->count; span++) {
    if (is_region(field->region[span]) && !measure_span(tidy, arena, span)) return false;
  }
  return measure_stacks(tidy, arena) && sort_pairs(&tidy->shared, arena) && sort_pairs(&tidy->stacked, arena);
}

static bool start(Tidy *tidy, CrOpenField *field, CrArena *arena) {
  size_t slots = (size_t)field->region_count + 1;
  *tidy = (Tidy){.field = field, .count = field->region_count};
  tidy->parent = cr__arena_alloc(arena, slots, sizeof *tidy->parent);
  tidy->size = cr__arena_zeroed(arena, slots, sizeof *tidy->size);
  tidy->area = cr__arena_zeroed(arena, slots, sizeof *tidy->area);
  tidy->at_border = cr__arena_zeroed(arena, slots, sizeof *tidy->at_border);
  if (arena->failed) return false;
  for (uint32_t r = 0; r <= tidy->count; r++) tidy->parent[r] = r;
  return measure(tidy, arena);
}

// Islands: groups of regions connected in any way. One that is small and does not touch the tile's border is dropped (its
// regions get size 0).
static bool drop_islands(Tidy *tidy, int32_t min_region_area, CrArena *arena) {
  uint32_t *group = cr__arena_alloc(arena, (size_t)tidy->count + 1, sizeof *group);
  uint64_t *total = cr__arena_zeroed(arena, (size_t)tidy->count + 1, sizeof *total);
  uint8_t *kept = cr__arena_zeroed(arena, (size_t)tidy->count + 1, 1);
  if (arena->failed) return false;
  for (uint32_t r = 0; r <= tidy->count; r++) group[r] = r;
  for (size_t i = 0; i < tidy->shared.count; i++) {
    uint32_t a = find(group, (uint32_t)(tidy->shared.pairs[i].key >> 32));
    uint32_t b = find(group, (uint32_t)tidy->shared.pairs[i].key);
    if (a < b) group[b] = a;
    if (b < a) group[a] = b;
  }
  for (uint32_t r = 1; r <= tidy->count; r++) {
    if (tidy->parent[r] != r) continue;
    uint32_t g = find(group, r);
    group[r] = g;
    total[g] += tidy->size[r];
    kept[g] |= tidy->at_border[r];
  }
  for (uint32_t r = 1; r <= tidy->count; r++) {
    if (tidy->parent[r] != r) continue;
    if (!kept[group[r]] && total[group[r]] < (uint64_t)min_region_area) tidy->size[r] = 0;
  }
  return true;
}

// Renames the pairs after merges and drops those within one region.
static bool rename_pairs(const Tidy *tidy, PairList *list, CrArena *arena) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    uint32_t a = find(tidy->parent, (uint32_t)(list->pairs[i].key >> 32));
    uint32_t b = find(tidy->parent, (uint32_t)list->pairs[i].key);
    if (a != b) list->pairs[kept++] = (Pair){pair_key(a, b), list->pairs[i].length};
  }
  list->count = kept;
  return sort_pairs(list, arena);
}

typedef struct Partner {
  uint32_t region, length;
} Partner;

static void consider(const Tidy *tidy, Partner *partners, uint32_t region, uint32_t other, uint32_t length) {
  if (tidy->size[other] == 0 || tidy->area[other] != tidy->area[region] || has_pair(&tidy->stacked, region, other))
    return;
  Partner *best = &partners[region];
  bool better = length > best->length || (length == best->length && other < best->region);
  if (best->region == 0 || better) *best = (Partner){other, length};
}

// Regions to merge this pass, smallest first. order: size, then number.
static size_t list_small(const Tidy *tidy, int32_t limit, PairList *order) {
  order->count = 0;
  for (uint32_t r = 1; r <= tidy->count; r++) {
    if (tidy->parent[r] != r || tidy->size[r] == 0 || tidy->size[r] >= (uint32_t)limit) continue;
    order->pairs[order->count++] = (Pair){(uint64_t)tidy->size[r] << 32 | r, 0};
  }
  return order->count;
}

static void merge_into(Tidy *tidy, uint32_t a, uint32_t b) {
  uint32_t keep = a < b ? a : b, gone = a < b ? b : a;
  tidy->parent[gone] = keep;
  tidy->size[keep] += tidy->size[gone];
  tidy->at_border[keep] |= tidy->at_border[gone];
}

// --- Layers -----------------------------------------------------------------------------------------------------------

// The other regions of each region's pairs, ascending: those of region r are others[first[r]..first[r + 1]).
typedef struct Pairing {
  uint32_t *first, *others;
} Pairing;

static bool pair_up(const PairList *list, uint32_t count, CrArena *arena, Pairing *out) {
  out->first = cr__arena_zeroed(arena, (size_t)count + 3, sizeof *out->first);
  out->others = cr__arena_alloc(arena, list->count, 2 * sizeof *out->others);
  if (!out->first || !out->others) return false;
  for (size_t i = 0; i < list->count; i++) {
    out->first[(list->pairs[i].key >> 32) + 2]++;
    out->first[(uint32_t)list->pairs[i].key + 2]++;
  }
  for (uint32_t r = 0; r <= count; r++) out->first[r + 2] += out->first[r + 1];
  // Sorted by low, then high: a region's lower partners come by as highs first, its higher ones as lows after them.
  for (size_t i = 0; i < list->count; i++) {
    out->others[out->first[(uint32_t)list->pairs[i].key + 1]++] = (uint32_t)(list->pairs[i].key >> 32);
  }
  for (size_t i = 0; i < list->count; i++) {
    out->others[out->first[(list->pairs[i].key >> 32) + 1]++] = (uint32_t)list->pairs[i].key;
  }
  return true;
}

typedef struct Joining {
  Tidy *tidy;
  Pairing beside, stacked;
  uint32_t *layer;    // per region: its layer's first region, 0 none yet
  uint32_t *blocked;  // per region: last layer that stands in one of its columns
  uint32_t *queue;
} Joining;

static void take_region(Joining *j, uint32_t region, uint32_t layer, uint32_t *count) {
  j->layer[region] = layer;
  j->queue[(*count)++] = region;
  for (uint32_t i = j->stacked.first[region]; i < j->stacked.first[region + 1]; i++) {
    j->blocked[j->stacked.others[i]] = layer;
  }
  if (region != layer) merge_into(j->tidy, layer, region);
}

// order: breadth first from the lowest region without a layer; neighbours ascending.
static void grow_layer(Joining *j, uint32_t layer) {
  uint32_t count = 0;
  take_region(j, layer, layer, &count);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t region = j->queue[i];
    for (uint32_t k = j->beside.first[region]; k < j->beside.first[region + 1]; k++) {
      uint32_t other = j->beside.others[k];
      if (j->layer[other] || j->blocked[other] == layer || j->tidy->area[other] != j->tidy->area[layer]) continue;
      take_region(j, other, layer, &count);
    }
  }
}

static bool join_layers(Tidy *tidy, CrArena *arena) {
  Joining j = {.tidy = tidy};
  size_t slots = (size_t)tidy->count + 1;
  j.layer = cr__arena_zeroed(arena, slots, sizeof *j.layer);
  j.blocked = cr__arena_zeroed(arena, slots, sizeof *j.blocked);
  j.queue = cr__arena_alloc(arena, slots, sizeof *j.queue);
  if (arena->failed || !pair_up(&tidy->shared, tidy->count, arena, &j.beside) ||
      !pair_up(&tidy->stacked, tidy->count, arena, &j.stacked)) {
    return false;
  }
  for (uint32_t r = 1; r <= tidy->count; r++) {
    if (!j.layer[r]) grow_layer(&j, r);
  }
  return rename_pairs(tidy, &tidy->shared, arena) && rename_pairs(tidy, &tidy->stacked, arena);
}

// --- Small regions ----------------------------------------------------------------------------------------------------

// Memory of the passes over the small regions.
typedef struct Passes {
  PairList order;
  Partner *partners;
  uint8_t *part;  // what a region did in this pass
  Pairing stacked;
} Passes;

enum { PART_NONE = 0, PART_TOOK = 1, PART_WENT = 2 };

static void choose_partners(const Tidy *tidy, Partner *partners) {
  memset(partners, 0, ((size_t)tidy->count + 1) * sizeof *partners);
  for (size_t i = 0; i < tidy->shared.count; i++) {
    uint32_t a = (uint32_t)(tidy->shared.pairs[i].key >> 32), b = (uint32_t)tidy->shared.pairs[i].key;
    consider(tidy, partners, a, b, tidy->shared.pairs[i].length);
    consider(tidy, partners, b, a, tidy->shared.pairs[i].length);
  }
}

// Whether a region stands in a column of what `into` became in this pass.
static bool stands_over(const Tidy *tidy, const Pairing *stacked, uint32_t region, uint32_t into) {
  uint32_t root = find(tidy->parent, into);
  for (uint32_t i = stacked->first[region]; i < stacked->first[region + 1]; i++) {
    if (find(tidy->parent, stacked->others[i]) == root) return true;
  }
  return false;
}

static bool may_merge(const Tidy *tidy, const Passes *p, uint32_t region, uint32_t into) {
  if (!into || p->part[region] != PART_NONE || p->part[into] == PART_WENT) return false;
  return p->part[into] == PART_NONE || !stands_over(tidy, &p->stacked, region, into);
}

// A region goes into its partner unless one of the two has gone this pass or the region has taken one: so a large region takes any
// number of small ones in one pass, and a chain of small ones halves.
static bool merge_pass(Tidy *tidy, int32_t limit, Passes *p, CrArena *arena, bool *out_changed) {
  *out_changed = false;
  list_small(tidy, limit, &p->order);
  if (!sort_pairs(&p->order, arena) || !pair_up(&tidy->stacked, tidy->count, arena, &p->stacked)) return false;
  choose_partners(tidy, p->partners);
  memset(p->part, PART_NONE, (size_t)tidy->count + 1);
  for (size_t i = 0; i < p->order.count; i++) {
    uint32_t region = (uint32_t)p->order.pairs[i].key, into = p->partners[region].region;
    if (!may_merge(tidy, p, region, into)) continue;
    p->part[region] = PART_WENT;
    p->part[into] = PART_TOOK;
    merge_into(tidy, find(tidy->parent, into), region);
    *out_changed = true;
  }
  return !*out_changed || (rename_pairs(tidy, &tidy->shared, arena) && rename_pairs(tidy, &tidy->stacked, arena));
}

static bool merge_small(Tidy *tidy, int32_t limit, CrArena *arena) {
  size_t slots = (size_t)tidy->count + 1;
  Passes p = {.order = {.capacity = slots, .scratch_capacity = slots}};
  p.order.pairs = cr__arena_alloc(arena, slots, sizeof(Pair));
  p.order.scratch = cr__arena_alloc(arena, slots, sizeof(Pair));
  p.partners = cr__arena_alloc(arena, slots, sizeof *p.partners);
  p.part = cr__arena_alloc(arena, slots, sizeof *p.part);
  bool changed = true;
  if (arena->failed) return false;
  while (changed) {
    if (!merge_pass(tidy, limit, &p, arena, &changed)) return false;
  }
  return true;
}

static bool renumber(Tidy *tidy, CrArena *arena) {
  CrOpenField *field = tidy->field;
  uint32_t *number = cr__arena_zeroed(arena, (size_t)tidy->count + 1, sizeof *number);
  if (!number) return false;
  uint32_t next = 0;
  for (uint32_t r = 1; r <= tidy->count; r++) {
    if (tidy->parent[r] == r && tidy->size[r]) number[r] = ++next;
  }
  for (uint32_t span = 0; span < field->count; span++) {
    if (is_region(field->region[span])) field->region[span] = number[find(tidy->parent, field->region[span])];
  }
  field->region_count = next;
  return true;
}

bool cr__tidy_regions(CrOpenField *field, bool join, int32_t min_region_area, int32_t merge_region_area,
                      CrArena *arena) {
  Tidy tidy;
  return start(&tidy, field, arena) && (!join || join_layers(&tidy, arena)) &&
         drop_islands(&tidy, min_region_area, arena) && merge_small(&tidy, merge_region_area, arena) &&
         renumber(&tidy, arena);
}
