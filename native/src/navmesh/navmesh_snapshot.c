// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Mesh snapshots, CRNM version 1 (docs/formats/navmesh-snapshot.md): parameters, edit count, every slot's salt, every
// tile's bytes (full, mode 1) or record (referenced, mode 2), and a hash of it all. Links and search structures are not
// stored: they follow from the tiles.
// Invariant: the bytes are a function of parameters, edit count, salts and tiles, and the hash is checked before the
// body is parsed, so damaged bytes never get as far as the tiles.
#include "navmesh_internal.h"

#define MODE_FULL 1
#define MODE_REFERENCED 2
#define HEADER_SIZE 80  // up to the first salt
#define HASH_SIZE 8

static uint64_t snapshot_size(const CrNavMesh *mesh, uint8_t mode) {
  uint64_t size = HEADER_SIZE + (uint64_t)mesh->slot_count * 2 + HASH_SIZE;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (tile->active) size += mode == MODE_FULL ? 4 + 8 + cr__tile_byte_size(tile) : cr__reference_byte_size(tile);
  }
  return size;
}

uint64_t cr__navmesh_snapshot_size(const CrNavMesh *mesh) { return snapshot_size(mesh, MODE_FULL); }
uint64_t cr__navmesh_referenced_size(const CrNavMesh *mesh) { return snapshot_size(mesh, MODE_REFERENCED); }

// --- Writing --------------------------------------------------------------------------------------------------------

static void write_params(const CrNavMeshParams *params, CrWriter *writer) {
  cr__write_f64(writer, params->origin_x);
  cr__write_f64(writer, params->origin_z);
  cr__write_f64(writer, params->tile_size);
  cr__write_f64(writer, params->climb);
  cr__write_f64(writer, params->agent_radius);
  cr__write_f64(writer, params->agent_height);
}

static void write_tile(const CrTile *tile, uint32_t slot, CrWriter *writer) {
  cr__write_u32(writer, slot);
  cr__write_u64(writer, cr__tile_byte_size(tile));
  cr__tile_write(tile, writer);
}

static void write_body(const CrNavMesh *mesh, uint8_t mode, CrWriter *writer) {
  cr__write_bytes(writer, "CRNM", 4);
  cr__write_u8(writer, 1);
  cr__write_u8(writer, mode);
  cr__write_u16(writer, 0);
  cr__write_u64(writer, snapshot_size(mesh, mode));
  write_params(&mesh->params, writer);
  cr__write_u64(writer, mesh->edit_count);
  cr__write_u32(writer, mesh->slot_count);
  cr__write_u32(writer, mesh->tile_count);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) cr__write_u16(writer, mesh->tiles[slot].salt);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (tile->active) (mode == MODE_FULL ? write_tile : cr__reference_write)(tile, slot, writer);
  }
}

// The hash of the bytes just written: over the stored bytes where there are any, else over a second pass.
static uint64_t body_hash(const CrNavMesh *mesh, uint8_t mode, const CrWriter *writer, size_t start) {
  if (writer->data && !writer->overflow) return cr_hash_bytes(writer->data + start, writer->size - start);
  if (!writer->hashing) return 0;
  CrWriter hasher = cr__writer_hash();
  write_body(mesh, mode, &hasher);
  return hasher.hash;
}

static void write_sealed(const CrNavMesh *mesh, uint8_t mode, CrWriter *writer) {
  size_t start = writer->size;
  write_body(mesh, mode, writer);
  cr__write_u64(writer, body_hash(mesh, mode, writer, start));
}

void cr__navmesh_write(const CrNavMesh *mesh, CrWriter *writer) { write_sealed(mesh, MODE_FULL, writer); }

void cr__navmesh_write_referenced(const CrNavMesh *mesh, CrWriter *writer) {
  write_sealed(mesh, MODE_REFERENCED, writer);
}

static CrStatus save(const CrNavMesh *mesh, uint8_t mode, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  uint64_t size = snapshot_size(mesh, mode);
  if (size > PTRDIFF_MAX) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrBytes bytes;
  CrStatus status = cr__bytes_alloc(allocator, (size_t)size, &bytes, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(bytes.data, bytes.size);
  write_sealed(mesh, mode, &writer);
  CR_ASSERT(!writer.overflow && writer.size == bytes.size);
  *out = bytes;
  return CR_STATUS_OK;
}

CrStatus cr_navmesh_save(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  return save(mesh, MODE_FULL, allocator, out, error);
}

CrStatus cr_navmesh_save_referenced(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  return save(mesh, MODE_REFERENCED, allocator, out, error);
}

// --- Reading --------------------------------------------------------------------------------------------------------

static uint8_t read_identity(CrReader *reader, uint8_t last_mode) {
  cr__read_magic(reader, "CRNM");
  cr__read_version(reader, 1);
  uint8_t mode = cr__read_u8(reader, "mesh.mode");
  if (cr__read_ok(reader) && (mode < MODE_FULL || mode > last_mode)) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.mode", reader->offset - 1);
  }
  cr__read_zero_u16(reader, "mesh.reserved");
  return mode;
}

// The whole is there and is what was written. Afterwards the reader ends where the hash begins.
static void read_seal(CrReader *reader) {
  uint64_t size = cr__read_u64(reader, "mesh.size");
  if (!cr__read_ok(reader)) return;
  size_t at = reader->offset - 8;
  if (size < HEADER_SIZE + HASH_SIZE) {
    cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.size", at);
  } else if (size > reader->size) {
    cr__read_fail(reader, CR_STATUS_TRUNCATED, "mesh.size", at);
  } else if (size < reader->size) {
    cr__read_fail(reader, CR_STATUS_TRAILING_BYTES, "mesh.end", (size_t)size);
  }
  if (!cr__read_ok(reader)) return;
  reader->size -= HASH_SIZE;
  CrReader seal = cr__reader(reader->data + reader->size, HASH_SIZE, 0, reader->format, NULL);
  if (cr__read_u64(&seal, "mesh.hash") != cr_hash_bytes(reader->data, reader->size)) {
    cr__read_fail(reader, CR_STATUS_MISMATCH, "mesh.hash", reader->size);
  }
}

static void read_params(CrReader *reader, CrNavMeshParams *params) {
  size_t at = reader->offset;
  params->origin_x = cr__read_f64(reader, "params.origin_x");
  params->origin_z = cr__read_f64(reader, "params.origin_z");
  params->tile_size = cr__read_f64(reader, "params.tile_size");
  params->climb = cr__read_f64(reader, "params.climb");
  params->agent_radius = cr__read_f64(reader, "params.agent_radius");
  params->agent_height = cr__read_f64(reader, "params.agent_height");
  const char *field;
  double limit;
  if (!cr__read_ok(reader) || cr__params_check(params, &field, &limit) == CR_STATUS_OK) return;
  cr__read_fail(reader, CR_STATUS_BAD_VALUE, field, at);
  if (reader->error) reader->error->limit = limit;
}

static void out_of_memory(CrReader *reader) {
  if (cr__read_ok(reader)) reader->status = cr__fail(reader->error, CR_STATUS_OUT_OF_MEMORY, NULL);
}

static uint32_t read_slot_count(CrReader *reader) {
  uint32_t count = cr__read_count(reader, "mesh.slot_count", 2);
  if (count > CR_MAX_TILE_SLOTS) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.slot_count", reader->offset - 4);
  return count;
}

static uint32_t read_tile_count(CrReader *reader, uint32_t slot_count) {
  uint32_t count = cr__read_count(reader, "mesh.tile_count", 12);
  if (count > slot_count) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_count", reader->offset - 4);
  return count;
}

static uint16_t read_salt(CrReader *reader) {
  uint16_t salt = cr__read_u16(reader, "mesh.salts");
  if (cr__read_ok(reader) && !salt) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.salts", reader->offset - 2);
  return salt;
}

static void read_slots(CrReader *reader, CrNavMesh *mesh) {
  uint32_t count = read_slot_count(reader);
  mesh->tile_count = read_tile_count(reader, count);
  if (cr__read_ok(reader) && !cr__slots_reserve(mesh, count)) out_of_memory(reader);
  for (uint32_t slot = 0; cr__read_ok(reader) && slot < count; slot++) {
    mesh->tiles[slot].salt = read_salt(reader);
    mesh->slot_count = slot + 1;
  }
}

// A tile on its way into the mesh, and where its position and counts are told.
typedef struct TileArrival {
  CrTile tile;
  uint32_t slot;
  size_t x_at, layer_at, count_at;
} TileArrival;

// One tile of a full snapshot: its slot, its size, its bytes.
static bool read_full_tile(CrReader *reader, const CrNavMesh *mesh, uint32_t first_slot, TileArrival *out) {
  size_t at = reader->offset;
  uint32_t slot = cr__read_u32(reader, "mesh.tile_slot");
  bool rises = slot >= first_slot && slot < mesh->slot_count;
  if (cr__read_ok(reader) && !rises) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_slot", at);
  uint64_t size = cr__read_u64(reader, "mesh.tile_size");
  if (size > cr__read_left(reader)) cr__read_fail(reader, CR_STATUS_TRUNCATED, "mesh.tile_size", reader->offset - 8);
  size_t begin = reader->offset;
  const uint8_t *bytes = cr__read_span(reader, (size_t)size, "mesh.tile");
  if (!bytes) return false;
  CrReader inner = cr__reader(bytes, (size_t)size, reader->base + begin, reader->format, reader->error);
  *out = (TileArrival){.slot = slot, .x_at = begin + 8, .layer_at = begin + 16, .count_at = begin + 24};
  reader->status = cr__tile_read(&inner, &mesh->params, &mesh->allocator, &out->tile);
  return cr__read_ok(reader);
}

static bool read_referenced_tile(CrReader *reader, const CrNavMesh *mesh, const CrTileShelf *shelf, uint32_t number,
                                 uint32_t first_slot, TileArrival *out) {
  CrTileReference reference;
  cr__reference_read(reader, first_slot, mesh->slot_count, &reference);
  if (!cr__read_ok(reader)) return false;
  size_t at = reference.at;
  *out = (TileArrival){.slot = reference.need.slot, .x_at = at + 4, .layer_at = at + 12, .count_at = at + 32};
  return cr__reference_resolve(reader, shelf, &reference, number, &mesh->params, &mesh->allocator, &out->tile);
}

// Whether the mesh can take it; else the reader has failed.
static bool may_arrive(CrReader *reader, CrNavMesh *mesh, const TileArrival *arrival) {
  const CrTile *tile = &arrival->tile;
  bool occupied = cr_navmesh_find_tile(mesh, tile->x, tile->z, tile->layer, NULL) == CR_STATUS_OK;
  bool countable = tile->polygon_count <= UINT32_MAX - mesh->polygon_count;
  if (occupied) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.x", arrival->x_at);
  if (!cr__layers_have_room(mesh, tile->x, tile->z)) {
    cr__read_fail(reader, CR_STATUS_LIMIT, "tile.layer", arrival->layer_at);
  }
  if (!countable) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.polygon_count", arrival->count_at);
  if (cr__read_ok(reader) && !cr__reach_reserve(mesh, cr__reach_entry_count(mesh, tile))) out_of_memory(reader);
  return cr__read_ok(reader);
}

static void arrive(CrNavMesh *mesh, TileArrival *arrival) {
  uint32_t slot = arrival->slot;
  arrival->tile.salt = mesh->tiles[slot].salt;
  mesh->tiles[slot] = arrival->tile;
  mesh->polygon_count += arrival->tile.polygon_count;
  cr__load_add(&mesh->load, &arrival->tile);
  cr__grid_insert(mesh, slot);
  cr__reach_add(mesh, slot);
}

// `shelf` is null for a full snapshot.
static void read_tiles(CrReader *reader, const CrTileShelf *shelf, CrNavMesh *mesh) {
  uint32_t next_slot = 0;
  for (uint32_t i = 0; cr__read_ok(reader) && i < mesh->tile_count; i++) {
    TileArrival arrival;
    bool read = shelf ? read_referenced_tile(reader, mesh, shelf, i, next_slot, &arrival)
                      : read_full_tile(reader, mesh, next_slot, &arrival);
    if (!read) return;
    if (!may_arrive(reader, mesh, &arrival)) {
      cr__tile_free(&mesh->allocator, &arrival.tile);
      return;
    }
    arrive(mesh, &arrival);
    next_slot = arrival.slot + 1;
  }
}

static void read_body(CrReader *reader, const CrTileShelf *shelf, CrNavMesh *mesh) {
  mesh->edit_count = cr__read_u64(reader, "mesh.edit_count");
  read_slots(reader, mesh);
  read_tiles(reader, shelf, mesh);
  cr__read_end(reader);
  if (!cr__read_ok(reader)) return;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    if (!mesh->tiles[slot].active) cr__free_slot_give(mesh, slot);
  }
  CrError error;
  CrStatus status = cr__links_build_all(mesh, &error);
  if (status == CR_STATUS_OUT_OF_MEMORY) out_of_memory(reader);
  if (status != CR_STATUS_LIMIT) return;
  cr__read_fail(reader, status, error.field, reader->offset);
  if (reader->error) reader->error->limit = error.limit;
}

// `shelf` is null where only full snapshots are wanted.
static CrStatus read_snapshot(CrReader *reader, const CrTileShelf *shelf, const CrAllocator *allocator,
                              CrNavMesh **out) {
  CrNavMeshParams params = {0};
  uint8_t mode = read_identity(reader, shelf ? MODE_REFERENCED : MODE_FULL);
  read_seal(reader);
  read_params(reader, &params);
  if (!cr__read_ok(reader)) return reader->status;
  CrNavMesh *mesh;
  reader->status = cr_navmesh_create(&params, allocator, &mesh, reader->error);
  if (!cr__read_ok(reader)) return reader->status;
  read_body(reader, mode == MODE_REFERENCED ? shelf : NULL, mesh);
  if (cr__read_ok(reader)) {
    *out = mesh;
  } else {
    cr_navmesh_destroy(mesh);
  }
  return reader->status;
}

CrStatus cr__navmesh_read(CrReader *reader, const CrAllocator *allocator, CrNavMesh **out) {
  if (!cr__read_ok(reader)) return reader->status;
  CrReader inner = cr__reader(reader->data + reader->offset, cr__read_left(reader), reader->base + reader->offset,
                              CR_FORMAT_NAVMESH, reader->error);
  reader->status = read_snapshot(&inner, NULL, allocator, out);
  if (cr__read_ok(reader)) reader->offset = reader->size;
  return reader->status;
}

CrStatus cr_navmesh_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrNavMesh **out,
                         CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  return read_snapshot(&reader, NULL, allocator, out);
}

// --- Referenced snapshots -------------------------------------------------------------------------------------------

CrStatus cr__navmesh_read_either(CrReader *reader, const CrTileData *tiles, uint32_t tile_count,
                                 const CrAllocator *allocator, CrNavMesh **out) {
  CrTileShelf shelf;
  CrStatus status = cr__shelf_open(tiles, tile_count, allocator, &shelf, reader->error);
  if (status != CR_STATUS_OK) return status;
  status = read_snapshot(reader, &shelf, allocator, out);
  cr__shelf_close(allocator, &shelf);
  return status;
}

CrStatus cr_navmesh_load_referenced(const uint8_t *data, size_t size, const CrTileData *tiles, uint32_t tile_count,
                                    const CrAllocator *allocator, CrNavMesh **out, CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  return cr__navmesh_read_either(&reader, tiles, tile_count, &hooks, out);
}

static uint32_t read_needs(CrReader *reader, CrTileNeed *out, uint32_t capacity) {
  cr__read_u64(reader, "mesh.edit_count");
  uint32_t slot_count = read_slot_count(reader), tile_count = read_tile_count(reader, slot_count);
  for (uint32_t i = 0; cr__read_ok(reader) && i < slot_count; i++) read_salt(reader);
  uint32_t next_slot = 0;
  for (uint32_t i = 0; cr__read_ok(reader) && i < tile_count; i++) {
    CrTileReference reference;
    cr__reference_read(reader, next_slot, slot_count, &reference);
    if (i < capacity) out[i] = reference.need;
    next_slot = reference.need.slot + 1;
  }
  cr__read_end(reader);
  return tile_count;
}

CrStatus cr__navmesh_read_needs(CrReader *reader, CrTileNeed *out, uint32_t capacity, uint32_t *out_count) {
  CrNavMeshParams params;
  uint8_t mode = read_identity(reader, MODE_REFERENCED);
  read_seal(reader);
  read_params(reader, &params);
  uint32_t count = 0;
  if (cr__read_ok(reader) && mode == MODE_REFERENCED) count = read_needs(reader, out, capacity);
  if (cr__read_ok(reader)) *out_count = count;
  return reader->status;
}

CrStatus cr_navmesh_snapshot_needs(const uint8_t *data, size_t size, CrTileNeed *out, uint32_t capacity,
                                   uint32_t *out_count, CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  return cr__navmesh_read_needs(&reader, out, capacity, out_count);
}
