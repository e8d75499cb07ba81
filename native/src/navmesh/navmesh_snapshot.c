// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Full mesh snapshots, CRNM version 1 mode 1 (docs/formats/navmesh-snapshot.md): parameters, edit count, every slot's
// salt, every tile's bytes, and a hash of it all. Links and search structures are not stored: they follow from the
// tiles.
// Invariant: the bytes are a function of parameters, edit count, salts and tiles, and the hash is checked before the
// body is parsed, so damaged bytes never get as far as the tiles.
#include "navmesh_internal.h"

#define MODE_FULL 1
#define HEADER_SIZE 80  // up to the first salt
#define HASH_SIZE 8

uint64_t cr__navmesh_snapshot_size(const CrNavMesh *mesh) {
  uint64_t size = HEADER_SIZE + (uint64_t)mesh->slot_count * 2 + HASH_SIZE;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    if (mesh->tiles[slot].active) size += 4 + 8 + cr__tile_byte_size(&mesh->tiles[slot]);
  }
  return size;
}

// --- Writing --------------------------------------------------------------------------------------------------------

static void write_params(const CrNavMeshParams *params, CrWriter *writer) {
  cr__write_f64(writer, params->origin_x);
  cr__write_f64(writer, params->origin_z);
  cr__write_f64(writer, params->tile_size);
  cr__write_f64(writer, params->climb);
  cr__write_f64(writer, params->agent_radius);
  cr__write_f64(writer, params->agent_height);
}

static void write_body(const CrNavMesh *mesh, CrWriter *writer) {
  cr__write_bytes(writer, "CRNM", 4);
  cr__write_u8(writer, 1);
  cr__write_u8(writer, MODE_FULL);
  cr__write_u16(writer, 0);
  cr__write_u64(writer, cr__navmesh_snapshot_size(mesh));
  write_params(&mesh->params, writer);
  cr__write_u64(writer, mesh->edit_count);
  cr__write_u32(writer, mesh->slot_count);
  cr__write_u32(writer, mesh->tile_count);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) cr__write_u16(writer, mesh->tiles[slot].salt);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->active) continue;
    cr__write_u32(writer, slot);
    cr__write_u64(writer, cr__tile_byte_size(tile));
    cr__tile_write(tile, writer);
  }
}

// The hash of the bytes just written: over the stored bytes where there are any, else over a second pass.
static uint64_t body_hash(const CrNavMesh *mesh, const CrWriter *writer, size_t start) {
  if (writer->data && !writer->overflow) return cr_hash_bytes(writer->data + start, writer->size - start);
  if (!writer->hashing) return 0;
  CrWriter hasher = cr__writer_hash();
  write_body(mesh, &hasher);
  return hasher.hash;
}

void cr__navmesh_write(const CrNavMesh *mesh, CrWriter *writer) {
  size_t start = writer->size;
  write_body(mesh, writer);
  cr__write_u64(writer, body_hash(mesh, writer, start));
}

CrStatus cr_navmesh_save(const CrNavMesh *mesh, const CrAllocator *allocator, CrBytes *out, CrError *error) {
  uint64_t size = cr__navmesh_snapshot_size(mesh);
  if (size > PTRDIFF_MAX) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  CrBytes bytes;
  CrStatus status = cr__bytes_alloc(allocator, (size_t)size, &bytes, error);
  if (status != CR_STATUS_OK) return status;
  CrWriter writer = cr__writer_to(bytes.data, bytes.size);
  cr__navmesh_write(mesh, &writer);
  CR_ASSERT(!writer.overflow && writer.size == bytes.size);
  *out = bytes;
  return CR_STATUS_OK;
}

// --- Reading --------------------------------------------------------------------------------------------------------

static void read_identity(CrReader *reader) {
  cr__read_magic(reader, "CRNM");
  cr__read_version(reader, 1);
  uint8_t mode = cr__read_u8(reader, "mesh.mode");
  if (mode != MODE_FULL) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.mode", reader->offset - 1);
  cr__read_zero_u16(reader, "mesh.reserved");
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

static void read_salts(CrReader *reader, CrNavMesh *mesh) {
  uint32_t count = cr__read_count(reader, "mesh.slot_count", 2);
  if (count > CR_MAX_TILE_SLOTS) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.slot_count", reader->offset - 4);
  mesh->tile_count = cr__read_count(reader, "mesh.tile_count", 12);
  if (mesh->tile_count > count) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_count", reader->offset - 4);
  if (cr__read_ok(reader) && !cr__slots_reserve(mesh, count)) out_of_memory(reader);
  for (uint32_t slot = 0; cr__read_ok(reader) && slot < count; slot++) {
    mesh->tiles[slot].salt = cr__read_u16(reader, "mesh.salts");
    if (!mesh->tiles[slot].salt) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.salts", reader->offset - 2);
    mesh->slot_count = slot + 1;
  }
}

// One tile: its slot, its size, its bytes.
static void read_tile(CrReader *reader, CrNavMesh *mesh, uint32_t first_slot) {
  size_t at = reader->offset;
  uint32_t slot = cr__read_u32(reader, "mesh.tile_slot");
  bool rises = slot >= first_slot && slot < mesh->slot_count;
  if (cr__read_ok(reader) && !rises) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "mesh.tile_slot", at);
  uint64_t size = cr__read_u64(reader, "mesh.tile_size");
  if (size > cr__read_left(reader)) cr__read_fail(reader, CR_STATUS_TRUNCATED, "mesh.tile_size", reader->offset - 8);
  size_t begin = reader->offset;
  const uint8_t *bytes = cr__read_span(reader, (size_t)size, "mesh.tile");
  if (!bytes) return;
  CrReader inner = cr__reader(bytes, (size_t)size, reader->base + begin, reader->format, reader->error);
  CrTile tile;
  reader->status = cr__tile_read(&inner, &mesh->params, &mesh->allocator, &tile);
  if (!cr__read_ok(reader)) return;
  bool occupied = cr_navmesh_find_tile(mesh, tile.x, tile.z, tile.layer, NULL) == CR_STATUS_OK;
  bool countable = tile.polygon_count <= UINT32_MAX - mesh->polygon_count;
  if (occupied) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.x", begin + 8);
  if (!cr__layers_have_room(mesh, tile.x, tile.z)) cr__read_fail(reader, CR_STATUS_LIMIT, "tile.layer", begin + 16);
  if (!countable) cr__read_fail(reader, CR_STATUS_BAD_VALUE, "tile.polygon_count", begin + 24);
  if (cr__read_ok(reader) && !cr__reach_reserve(mesh, cr__reach_entry_count(mesh, &tile))) out_of_memory(reader);
  if (!cr__read_ok(reader)) {
    cr__tile_free(&mesh->allocator, &tile);
    return;
  }
  tile.salt = mesh->tiles[slot].salt;
  mesh->tiles[slot] = tile;
  mesh->polygon_count += tile.polygon_count;
  cr__load_add(&mesh->load, &tile);
  cr__grid_insert(mesh, slot);
  cr__reach_add(mesh, slot);
}

static void read_tiles(CrReader *reader, CrNavMesh *mesh) {
  uint32_t next_slot = 0;
  for (uint32_t i = 0; cr__read_ok(reader) && i < mesh->tile_count; i++) {
    read_tile(reader, mesh, next_slot);
    while (cr__read_ok(reader) && !mesh->tiles[next_slot].active) next_slot++;
    next_slot++;
  }
}

static void read_body(CrReader *reader, CrNavMesh *mesh) {
  mesh->edit_count = cr__read_u64(reader, "mesh.edit_count");
  read_salts(reader, mesh);
  read_tiles(reader, mesh);
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

static CrStatus read_snapshot(CrReader *reader, const CrAllocator *allocator, CrNavMesh **out) {
  CrNavMeshParams params = {0};
  read_identity(reader);
  read_seal(reader);
  read_params(reader, &params);
  if (!cr__read_ok(reader)) return reader->status;
  CrNavMesh *mesh;
  reader->status = cr_navmesh_create(&params, allocator, &mesh, reader->error);
  if (!cr__read_ok(reader)) return reader->status;
  read_body(reader, mesh);
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
  reader->status = read_snapshot(&inner, allocator, out);
  if (cr__read_ok(reader)) reader->offset = reader->size;
  return reader->status;
}

CrStatus cr_navmesh_load(const uint8_t *data, size_t size, const CrAllocator *allocator, CrNavMesh **out,
                         CrError *error) {
  CrReader reader = cr__reader(data, size, 0, CR_FORMAT_NAVMESH, error);
  return cr__navmesh_read(&reader, allocator, out);
}
