// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tiles by reference: their records in referenced snapshots (docs/formats/navmesh-snapshot.md), and the caller's bytes
// that the records ask for.
// Invariant: bytes are taken for a tile only when hash, size, position and polygon count are those of its record; the
// mesh's own reader then checks them like any tile's.
#include "navmesh_internal.h"

#define RECORD_SIZE 36  // before the areas

uint64_t cr__reference_byte_size(const CrTile *tile) {
  return RECORD_SIZE + (uint64_t)tile->polygon_count * CR_TILE_ATTRIBUTE_SIZE;
}

void cr__reference_write(const CrTile *tile, uint32_t slot, CrWriter *writer) {
  cr__write_u32(writer, slot);
  cr__write_i32(writer, tile->x);
  cr__write_i32(writer, tile->z);
  cr__write_i32(writer, tile->layer);
  cr__write_u64(writer, cr__tile_byte_size(tile));
  // Counting needs no hash, and hashing is what takes time.
  cr__write_u64(writer, writer->data || writer->hashing ? cr__tile_content_hash(tile) : 0);
  cr__write_u32(writer, tile->polygon_count);
  cr__tile_write_attributes(tile, writer);
}

void cr__reference_read(CrReader *reader, uint32_t first_slot, uint32_t slot_count, CrTileReference *out) {
  CrTileReference r = {.at = reader->offset};
  r.need.slot = cr__read_u32(reader, "mesh.tile_slot");
  bool rises = r.need.slot >= first_slot && r.need.slot < slot_count;
  if (cr__read_ok(reader) && !rises) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_slot", r.at);
  r.need.x = cr__read_i32_in(reader, "mesh.tile_x", -CR_MAX_TILE_COORD, CR_MAX_TILE_COORD);
  r.need.z = cr__read_i32_in(reader, "mesh.tile_z", -CR_MAX_TILE_COORD, CR_MAX_TILE_COORD);
  r.need.layer = cr__read_i32(reader, "mesh.tile_layer");
  r.need.size = cr__read_u64(reader, "mesh.tile_size");
  r.need.content_hash = cr__read_u64(reader, "mesh.tile_hash");
  r.polygon_count = cr__read_count(reader, "mesh.tile_polygon_count", CR_TILE_ATTRIBUTE_SIZE);
  size_t begin = reader->offset;
  r.attributes = cr__read_span(reader, (size_t)r.polygon_count * CR_TILE_ATTRIBUTE_SIZE, "mesh.tile_areas");
  for (uint32_t p = 0; cr__read_ok(reader) && p < r.polygon_count; p++) {
    if (r.attributes[p] > CR_MAX_AREA) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_areas", begin + p);
  }
  *out = r;
}

// --- The caller's tiles ---------------------------------------------------------------------------------------------

static bool hash_less(const void *context, uint32_t a, uint32_t b) {
  const CrTileShelf *shelf = context;
  return shelf->hashes[a] < shelf->hashes[b];
}

static size_t shelf_entry_size(void) { return sizeof(uint64_t) + 2 * sizeof(uint32_t); }

// Only a header: position and counts.
static CrStatus identify(const CrTileShelf *shelf, uint32_t index, CrTile *out, uint64_t *out_hash, CrError *error) {
  const CrTileData *given = &shelf->tiles[index];
  CrReader reader = cr__reader(given->data, given->size, 0, CR_FORMAT_NAVMESH, error);
  CrStatus status = cr__tile_identify(&reader, out, out_hash);
  if (status != CR_STATUS_OK && error) error->index = index;
  return status;
}

CrStatus cr__shelf_open(const CrTileData *tiles, uint32_t count, const CrAllocator *allocator, CrTileShelf *out,
                        CrError *error) {
  if (count && !tiles) return cr__fail(error, CR_STATUS_ARGUMENT, "tiles");
  CrTileShelf shelf = {.tiles = tiles, .count = count};
  shelf.hashes = cr__alloc(allocator, count, shelf_entry_size());
  if (!shelf.hashes) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  shelf.order = (uint32_t *)(void *)(shelf.hashes + count);
  for (uint32_t i = 0; i < count; i++) {
    CrTile counts;
    shelf.order[i] = i;
    CrStatus status = identify(&shelf, i, &counts, &shelf.hashes[i], error);
    if (status == CR_STATUS_OK) continue;
    cr__shelf_close(allocator, &shelf);
    return status;
  }
  cr__sort_indices(shelf.order, shelf.order + count, count, hash_less, &shelf);
  *out = shelf;
  return CR_STATUS_OK;
}

void cr__shelf_close(const CrAllocator *allocator, CrTileShelf *shelf) {
  cr__free(allocator, shelf->hashes, shelf->count, shelf_entry_size());
  *shelf = (CrTileShelf){0};
}

// order: of several with the hash and size, the first given.
static bool find_by_content(const CrTileShelf *shelf, const CrTileNeed *need, uint32_t *out_index) {
  uint32_t low = 0, high = shelf->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (shelf->hashes[shelf->order[middle]] < need->content_hash)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < shelf->count && shelf->hashes[shelf->order[low]] == need->content_hash; low++) {
    *out_index = shelf->order[low];
    if (shelf->tiles[*out_index].size == need->size) return true;
  }
  return false;
}

static bool find_by_position(const CrTileShelf *shelf, const CrTileNeed *need, uint32_t *out_index) {
  for (uint32_t i = 0; i < shelf->count; i++) {
    CrTile tile;
    uint64_t hash;
    if (identify(shelf, i, &tile, &hash, NULL) != CR_STATUS_OK) continue;
    if (tile.x != need->x || tile.z != need->z || tile.layer != need->layer) continue;
    *out_index = i;
    return true;
  }
  return false;
}

static void fail_missing(CrReader *reader, const CrTileShelf *shelf, const CrTileReference *reference,
                         uint32_t number) {
  uint32_t like = 0;
  bool other = find_by_position(shelf, &reference->need, &like);
  cr__read_fail(reader, other ? CR_STATUS_MISMATCH : CR_STATUS_NOT_FOUND, other ? "tiles" : "mesh.tiles",
                reference->at);
  if (reader->error) reader->error->index = other ? like : number;
}

static void apply_attributes(const CrTileReference *reference, CrTile *tile) {
  const uint8_t *flags = reference->attributes + reference->polygon_count;
  if (tile->polygon_count) memcpy(tile->areas, reference->attributes, tile->polygon_count);
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    tile->flags[p] = (uint16_t)(flags[2 * (size_t)p] | flags[2 * (size_t)p + 1] << 8);
  }
}

// A snapshot whose record contradicts the bytes its own hash names was made wrong.
static const char *contradiction(const CrTileReference *reference, const CrTile *tile) {
  if (tile->x != reference->need.x) return "mesh.tile_x";
  if (tile->z != reference->need.z) return "mesh.tile_z";
  if (tile->layer != reference->need.layer) return "mesh.tile_layer";
  return tile->polygon_count != reference->polygon_count ? "mesh.tile_polygon_count" : NULL;
}

bool cr__reference_resolve(CrReader *reader, const CrTileShelf *shelf, const CrTileReference *reference,
                           uint32_t number, const CrNavMeshParams *params, const CrAllocator *allocator, CrTile *out) {
  uint32_t index;
  if (!find_by_content(shelf, &reference->need, &index)) {
    fail_missing(reader, shelf, reference, number);
    return false;
  }
  const CrTileData *given = &shelf->tiles[index];
  CrReader inner = cr__reader(given->data, given->size, 0, CR_FORMAT_NAVMESH, reader->error);
  CrTile tile;
  reader->status = cr__tile_read(&inner, params, allocator, &tile);
  if (!cr__read_ok(reader)) {
    if (reader->error && reader->status != CR_STATUS_OUT_OF_MEMORY) reader->error->index = index;
    return false;
  }
  const char *field = contradiction(reference, &tile);
  if (field) {
    cr__tile_free(allocator, &tile);
    cr__read_fail(reader, CR_STATUS_MISMATCH, field, reference->at);
    return false;
  }
  apply_attributes(reference, &tile);
  *out = tile;
  return true;
}
