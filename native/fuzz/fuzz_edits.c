// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A program of edits: tiles made from a few bytes each (grids of warped, tilted, missing cells on several storeys, with off-mesh
// links) or taken as raw bytes are added, replaced and removed, areas and flags set, snapshots taken and gone on
// from, allocations failed. What must hold: every invariant after every edit; an edit that fails changes nothing; the mesh equals
// one made of the same tiles in another order; at the end, questions go well and nothing is left.
#include "fuzzkit.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

#define MAX_EDITS 24
#define MAX_LINES 5  // cells of a made tile on each side, at most one less

typedef struct Editor {
  CrNavMesh *mesh;
  CrNavMeshParams params;
  FuzzMemory memory;
  CrAllocator hooks;
  FuzzIn in;
} Editor;

static TileKit kit;

// --- Tiles from bytes -----------------------------------------------------------------------------------------------

typedef struct Sheet {
  double x[MAX_LINES], z[MAX_LINES], y[MAX_LINES][MAX_LINES];
  int32_t columns, rows;
} Sheet;

// Lines of a sheet: the first and last on the tile's sides or a little inside, the others anywhere between, rising.
static int32_t read_lines(FuzzIn *in, double low, double high, double *out) {
  int32_t shape = fuzz_u8(in), count = 2 + (shape & 3) % (MAX_LINES - 1);
  out[0] = shape & 16 ? low + (high - low) / 16 : low;
  out[count - 1] = shape & 32 ? high - (high - low) / 16 : high;
  double previous = out[0];
  for (int32_t i = 1; i + 1 < count; i++) {
    previous += (out[count - 1] - previous) * (1 + fuzz_below(in, 30)) / 32.0;
    out[i] = previous;
  }
  return count - 1;
}

static void read_sheet(Editor *editor, CrTileSquare square, Sheet *sheet) {
  FuzzIn *in = &editor->in;
  sheet->columns = read_lines(in, square.min_x, square.max_x, sheet->x);
  sheet->rows = read_lines(in, square.min_z, square.max_z, sheet->z);
  double base = fuzz_tame_length(in, 1.0, 1e6);
  uint8_t hilly = fuzz_u8(in);
  for (int32_t j = 0; j <= sheet->rows; j++) {
    for (int32_t i = 0; i <= sheet->columns; i++) {
      sheet->y[j][i] = base + (hilly & 1 ? fuzz_tame_length(in, 0.5, 1e6) : 0.0);
    }
  }
}

static void put_cell(const Sheet *sheet, int32_t i, int32_t j, uint8_t cut) {
  double corners[4][3] = {{sheet->x[i], sheet->y[j][i], sheet->z[j]},
                          {sheet->x[i + 1], sheet->y[j][i + 1], sheet->z[j]},
                          {sheet->x[i + 1], sheet->y[j + 1][i + 1], sheet->z[j + 1]},
                          {sheet->x[i], sheet->y[j + 1][i], sheet->z[j + 1]}};
  if (cut == 0) {
    kit_polygon(&kit, 4, corners[0]);
    return;
  }
  double first[3][3], second[3][3];
  for (int32_t k = 0; k < 3; k++) {
    memcpy(first[k], corners[cut == 1 ? k : (k + 1) & 3], sizeof first[k]);
    memcpy(second[k], corners[cut == 1 ? (k + 2) & 3 : (k + 3) & 3], sizeof second[k]);
  }
  kit_polygon(&kit, 3, first[0]);
  if (cut < 3) kit_polygon(&kit, 3, second[0]);
}

static void put_sheet(Editor *editor, CrTileSquare square) {
  Sheet sheet;
  read_sheet(editor, square, &sheet);
  for (int32_t j = 0; j < sheet.rows; j++) {
    for (int32_t i = 0; i < sheet.columns; i++) {
      uint8_t cell = fuzz_u8(&editor->in);
      if ((cell & 7) != 7) put_cell(&sheet, i, j, cell >> 3 & 3);
    }
  }
}

static CrVec3 read_link_end(FuzzIn *in, CrTileSquare square) {
  double size = square.max_x - square.min_x;
  double x = square.min_x + size * fuzz_u8(in) / 255.0, z = square.min_z + size * fuzz_u8(in) / 255.0;
  return cr__vec(x, fuzz_tame_length(in, 1.0, 1e6), z);
}

static void put_link(Editor *editor, CrTileSquare square) {
  FuzzIn *in = &editor->in;
  CrVec3 start = read_link_end(in, square), end = read_link_end(in, square);
  double size = square.max_x - square.min_x;
  end.x += size * (fuzz_below(in, 5) - 2);
  end.z += size * (fuzz_below(in, 5) - 2);
  uint8_t more = fuzz_u8(in);
  CrOffMeshLink *link = kit_link(&kit, start, end, size * (1 + (more & 15)) / 64.0, more & 16);
  link->area = more >> 5;
  link->flags = fuzz_u8(in);
}

// Makes a tile; false when the encoder refuses it (two sheets may share vertices and turn an edge twice).
static bool make_tile(Editor *editor, CrBytes *out) {
  FuzzIn *in = &editor->in;
  uint8_t where = fuzz_u8(in), what = fuzz_u8(in);
  int32_t x = where % 3 - 1, z = where / 3 % 3 - 1;
  CrTileSquare square = cr__tile_square(&editor->params, x, z);
  kit_begin(&kit, x, z, where / 9 % 3);
  for (int32_t k = 0; k < (what & 3) % 3; k++) put_sheet(editor, square);
  for (int32_t k = 0; k < (what >> 2 & 3); k++) put_link(editor, square);
  return cr_tile_encode(&editor->params, kit_describe(&kit), NULL, out, NULL) == CR_STATUS_OK;
}

// --- Edits ----------------------------------------------------------------------------------------------------------

static CrPolyRef pick_polygon(Editor *editor) {
  uint32_t slot = fuzz_u8(&editor->in), polygon = fuzz_u8(&editor->in), count = cr_navmesh_slot_count(editor->mesh);
  if (count == 0) return polygon;
  const CrTile *tile = &editor->mesh->tiles[slot % count];
  if (!tile->active || tile->polygon_count == 0) return cr__make_ref(tile->salt, slot % count, polygon);
  return cr__tile_ref(editor->mesh, tile, polygon % tile->polygon_count);
}

static CrStatus put_tile(Editor *editor, const uint8_t *data, size_t size, bool replace) {
  return replace ? cr_navmesh_replace_tile(editor->mesh, data, size, NULL, NULL)
                 : cr_navmesh_add_tile(editor->mesh, data, size, NULL, NULL);
}

static CrStatus put_made_tile(Editor *editor, bool replace) {
  CrBytes bytes;
  if (!make_tile(editor, &bytes)) return CR_STATUS_ARGUMENT;
  CrStatus status = put_tile(editor, bytes.data, bytes.size, replace);
  // What the encoder made, the mesh reads.
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY || status == CR_STATUS_LIMIT ||
               (status == CR_STATUS_OCCUPIED && !replace));
  cr_bytes_free(&bytes);
  return status;
}

static CrStatus put_raw_tile(Editor *editor) {
  size_t size;
  uint16_t wanted = fuzz_u16(&editor->in);
  const uint8_t *data = fuzz_span(&editor->in, wanted & 0x7FFF, &size);
  return put_tile(editor, data, size, wanted >> 15);
}

static CrStatus take_snapshot_and_go_on(Editor *editor) {
  CrBytes bytes;
  CrNavMesh *copy;
  CrStatus status = cr_navmesh_save(editor->mesh, &editor->hooks, &bytes, NULL);
  if (status != CR_STATUS_OK) return status;
  status = cr_navmesh_load(bytes.data, bytes.size, &editor->hooks, &copy, NULL);
  cr_bytes_free(&bytes);
  if (status != CR_STATUS_OK) return status;
  FUZZ_REQUIRE(fuzz_mesh_hash(copy) == fuzz_mesh_hash(editor->mesh));
  cr_navmesh_destroy(editor->mesh);
  editor->mesh = copy;
  return CR_STATUS_OK;
}

static CrStatus edit(Editor *editor) {
  FuzzIn *in = &editor->in;
  uint8_t kind = fuzz_u8(in), where;
  if (kind & 128) editor->memory.fail_at = editor->memory.count + 1 + (kind >> 4 & 7);
  switch (kind & 7) {
    case 0:
    case 1:
      return put_made_tile(editor, kind & 1);
    case 2:
      return put_raw_tile(editor);
    case 3:
      where = fuzz_u8(in);
      return cr_navmesh_remove_tile(editor->mesh, where % 3 - 1, where / 3 % 3 - 1, where / 9 % 3, NULL);
    case 4:
      return cr_navmesh_set_area(editor->mesh, pick_polygon(editor), fuzz_u8(in), NULL);
    case 5:
      return cr_navmesh_set_flags(editor->mesh, pick_polygon(editor), fuzz_u8(in), NULL);
    case 6:
      return take_snapshot_and_go_on(editor);
    default:
      return put_made_tile(editor, true);
  }
}

// --- Oracle ---------------------------------------------------------------------------------------------------------

static void check_edit(Editor *editor) {
  uint64_t before = fuzz_mesh_hash(editor->mesh), edits = cr_navmesh_edit_count(editor->mesh);
  CrStatus status = edit(editor);
  editor->memory.fail_at = 0;
  const char *broken = cr__navmesh_invariant(editor->mesh);
  if (broken) fuzz_broken(__FILE__, __LINE__, broken);
  if (status != CR_STATUS_OK) {
    FUZZ_REQUIRE(fuzz_mesh_hash(editor->mesh) == before);
  } else {
    FUZZ_REQUIRE(cr_navmesh_edit_count(editor->mesh) - edits <= 1);
  }
}

static bool add_copy(const CrTile *tile, CrNavMesh *to) {
  CrBytes bytes;
  FUZZ_REQUIRE(cr__bytes_alloc(NULL, (size_t)cr__tile_byte_size(tile), &bytes, NULL) == CR_STATUS_OK);
  CrWriter writer = cr__writer_to(bytes.data, bytes.size);
  cr__tile_write(tile, &writer);
  CrStatus status = cr_navmesh_add_tile(to, bytes.data, bytes.size, NULL, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
  cr_bytes_free(&bytes);
  return status == CR_STATUS_OK;
}

// The same tiles, the last slot first.
static void compare_with_fresh(const CrNavMesh *mesh, const CrNavMeshParams *params) {
  CrNavMesh *fresh;
  bool ok = true;
  FUZZ_REQUIRE(cr_navmesh_create(params, NULL, &fresh, NULL) == CR_STATUS_OK);
  for (uint32_t slot = mesh->slot_count; ok && slot-- > 0;) {
    if (mesh->tiles[slot].active) ok = add_copy(&mesh->tiles[slot], fresh);
  }
  const char *difference = ok ? kit_difference(mesh, fresh) : NULL;
  if (difference) fuzz_broken(__FILE__, __LINE__, difference);
  cr_navmesh_destroy(fresh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const double sizes[] = {4.0, 12.0, 0.3 * 48, 1000.0}, origins[] = {0.0, -6.0, 1000.1, -2000000.0};
  Editor editor = {.in = fuzz_in(data, size)};
  uint8_t choice = fuzz_u8(&editor.in);
  editor.params = (CrNavMeshParams){.origin_x = origins[choice >> 2 & 3],
                                    .origin_z = origins[choice >> 4 & 3],
                                    .tile_size = sizes[choice & 3],
                                    .climb = choice >> 6 & 1 ? 0.5
                                             : choice >> 7   ? 0.0
                                                             : 2.0,
                                    .agent_height = 2.0};
  editor.hooks = fuzz_allocator(&editor.memory);
  FUZZ_REQUIRE(cr_navmesh_create(&editor.params, &editor.hooks, &editor.mesh, NULL) == CR_STATUS_OK);
  for (int32_t i = 0; i < MAX_EDITS && !fuzz_done(&editor.in); i++) check_edit(&editor);
  fuzz_check_mesh(editor.mesh);
  compare_with_fresh(editor.mesh, &editor.params);
  FuzzIn again = fuzz_in(data, size);
  again.at = size / 2;
  fuzz_ask_mesh(editor.mesh, &again);
  cr_navmesh_destroy(editor.mesh);
  fuzz_memory_end(&editor.memory);
  return 0;
}
