// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where tiles are: tile coordinates of world coordinates, the hash from tile position to slots, and the empty slots.
// Invariant: a chain lists its tiles by (x, z, layer), so the order tiles are found in never depends on how they came.
#include "navmesh_internal.h"

static bool within(double value, double low, double high) { return value >= low && value <= high; }

CrStatus cr__params_check(const CrNavMeshParams *params, const char **out_field, double *out_limit) {
  const struct {
    const char *name;
    double value, low, high;
  } fields[] = {
      {"params.origin_x", params->origin_x, -CR_COORD_LIMIT, CR_COORD_LIMIT},
      {"params.origin_z", params->origin_z, -CR_COORD_LIMIT, CR_COORD_LIMIT},
      {"params.tile_size", params->tile_size, CR_MIN_TILE_SIZE, CR_MAX_TILE_SIZE},
      {"params.climb", params->climb, 0.0, CR_COORD_LIMIT},
      {"params.agent_radius", params->agent_radius, 0.0, CR_COORD_LIMIT},
      {"params.agent_height", params->agent_height, 0.0, CR_COORD_LIMIT},
  };
  for (size_t i = 0; i < CR_COUNT_OF(fields); i++) {
    if (within(fields[i].value, fields[i].low, fields[i].high)) continue;
    *out_field = fields[i].name;
    *out_limit = fields[i].value < fields[i].low ? fields[i].low : fields[i].high;
    return CR_STATUS_ARGUMENT;
  }
  return CR_STATUS_OK;
}

// --- Squares --------------------------------------------------------------------------------------------------------

static double grid_line(double origin, double size, int32_t index) { return origin + (double)index * size; }

CrTileSquare cr__tile_square(const CrNavMeshParams *params, int32_t x, int32_t z) {
  double size = params->tile_size;
  return (CrTileSquare){grid_line(params->origin_x, size, x), grid_line(params->origin_z, size, z),
                        grid_line(params->origin_x, size, x + 1), grid_line(params->origin_z, size, z + 1)};
}

int32_t cr__tile_coord(double value, double origin, double tile_size) {
  double estimate = cr__floor((value - origin) / tile_size);
  if (!(estimate > -CR_MAX_TILE_COORD)) return -CR_MAX_TILE_COORD;
  if (estimate >= CR_MAX_TILE_COORD) return CR_MAX_TILE_COORD;
  int32_t index = (int32_t)estimate;
  // The division may have rounded across a line: the lines decide.
  if (value < grid_line(origin, tile_size, index)) return index - 1;
  return value >= grid_line(origin, tile_size, index + 1) ? index + 1 : index;
}

// --- Hash of positions ----------------------------------------------------------------------------------------------

static uint32_t bucket_of(const CrNavMesh *mesh, int32_t x, int32_t z) {
  uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint32_t)z;
  return (uint32_t)cr__random_u64(&key) & (mesh->grid_size - 1);
}

static bool comes_before(const CrTile *a, const CrTile *b) {
  if (a->x != b->x) return a->x < b->x;
  return a->z != b->z ? a->z < b->z : a->layer < b->layer;
}

void cr__grid_insert(CrNavMesh *mesh, uint32_t slot) {
  const CrTile *tile = &mesh->tiles[slot];
  uint32_t *at = &mesh->grid_heads[bucket_of(mesh, tile->x, tile->z)];
  while (*at && comes_before(&mesh->tiles[*at - 1], tile)) at = &mesh->grid_next[*at - 1];
  mesh->grid_next[slot] = *at;
  *at = slot + 1;
}

void cr__grid_remove(CrNavMesh *mesh, uint32_t slot) {
  uint32_t *at = &mesh->grid_heads[bucket_of(mesh, mesh->tiles[slot].x, mesh->tiles[slot].z)];
  while (*at != slot + 1) at = &mesh->grid_next[*at - 1];
  *at = mesh->grid_next[slot];
  mesh->grid_next[slot] = 0;
}

uint32_t cr__tiles_at(const CrNavMesh *mesh, int32_t x, int32_t z, uint32_t previous) {
  if (!mesh->grid_size) return 0;
  uint32_t at = previous ? mesh->grid_next[previous - 1] : mesh->grid_heads[bucket_of(mesh, x, z)];
  for (; at; at = mesh->grid_next[at - 1]) {
    const CrTile *tile = &mesh->tiles[at - 1];
    if (tile->x == x && tile->z == z) return at;
    if (previous) return 0;  // tiles of one position follow each other
  }
  return 0;
}

bool cr__layers_have_room(const CrNavMesh *mesh, int32_t x, int32_t z) {
  uint32_t count = 0;
  for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) count++;
  return count < CR_MAX_LAYERS;
}

// --- Slots ----------------------------------------------------------------------------------------------------------

typedef struct SlotArrays {
  CrTile *tiles;
  uint32_t *grid_heads, *grid_next, *free_slots;
} SlotArrays;

static void free_arrays(const CrAllocator *allocator, SlotArrays *arrays, uint32_t capacity, uint32_t grid_size) {
  cr__free(allocator, arrays->tiles, capacity, sizeof *arrays->tiles);
  cr__free(allocator, arrays->grid_heads, grid_size, sizeof *arrays->grid_heads);
  cr__free(allocator, arrays->grid_next, capacity, sizeof *arrays->grid_next);
  cr__free(allocator, arrays->free_slots, capacity, sizeof *arrays->free_slots);
}

static bool take_arrays(const CrAllocator *allocator, SlotArrays *arrays, uint32_t capacity) {
  arrays->tiles = cr__alloc_zeroed(allocator, capacity, sizeof *arrays->tiles);
  arrays->grid_heads = cr__alloc_zeroed(allocator, capacity, sizeof *arrays->grid_heads);
  arrays->grid_next = cr__alloc_zeroed(allocator, capacity, sizeof *arrays->grid_next);
  arrays->free_slots = cr__alloc_zeroed(allocator, capacity, sizeof *arrays->free_slots);
  if (arrays->tiles && arrays->grid_heads && arrays->grid_next && arrays->free_slots) return true;
  free_arrays(allocator, arrays, capacity, capacity);
  return false;
}

static void move_slots(CrNavMesh *mesh, const SlotArrays *to) {
  if (mesh->slot_count) memcpy(to->tiles, mesh->tiles, mesh->slot_count * sizeof *to->tiles);
  if (mesh->free_count) memcpy(to->free_slots, mesh->free_slots, mesh->free_count * sizeof *to->free_slots);
}

bool cr__slots_reserve(CrNavMesh *mesh, uint32_t slot_count) {
  if (slot_count <= mesh->slot_capacity) return true;
  uint32_t capacity = 8;
  while (capacity < slot_count) capacity *= 2;
  SlotArrays fresh = {0}, old = {mesh->tiles, mesh->grid_heads, mesh->grid_next, mesh->free_slots};
  if (!take_arrays(&mesh->allocator, &fresh, capacity)) return false;
  move_slots(mesh, &fresh);
  free_arrays(&mesh->allocator, &old, mesh->slot_capacity, mesh->grid_size);
  mesh->tiles = fresh.tiles;
  mesh->grid_heads = fresh.grid_heads;
  mesh->grid_next = fresh.grid_next;
  mesh->free_slots = fresh.free_slots;
  mesh->slot_capacity = mesh->grid_size = capacity;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    if (mesh->tiles[slot].active) cr__grid_insert(mesh, slot);
  }
  return true;
}

// --- Empty slots: a binary min-heap, so that the lowest is always at the front --------------------------------------

uint32_t cr__free_slot_lowest(const CrNavMesh *mesh) {
  return mesh->free_count ? mesh->free_slots[0] : mesh->slot_count;
}

void cr__free_slot_give(CrNavMesh *mesh, uint32_t slot) {
  uint32_t *heap = mesh->free_slots, at = mesh->free_count++;
  for (; at && heap[(at - 1) / 2] > slot; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
  heap[at] = slot;
}

void cr__free_slot_take(CrNavMesh *mesh) {
  uint32_t *heap = mesh->free_slots, count = --mesh->free_count, last = heap[count], at = 0;
  for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && heap[child + 1] < heap[child]) child++;
    if (heap[child] >= last) break;
    heap[at] = heap[child];
  }
  heap[at] = last;
}
