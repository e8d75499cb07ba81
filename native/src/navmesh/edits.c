// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Putting a tile into a slot, taking it out, and everything that must follow: the joins of the off-mesh links that reach its
// position, then the link tables of every tile concerned. All or nothing: whatever needs memory is made beside the mesh, and
// undoing needs none.
#include "navmesh_internal.h"

typedef struct JoinChange {
  uint32_t owner, link;
  CrLinkJoin before;
} JoinChange;

typedef struct Edit {
  CrNavMesh *mesh;
  uint32_t slot;
  CrTile previous;  // what stood in the slot
  JoinChange *changes;
  size_t change_count, change_capacity;
  uint32_t *touched;  // slots whose link tables must be made anew
  size_t touched_count, touched_capacity;
  CrLinkTable *tables;  // parallel to `touched` once that is final
  size_t table_count;
  CrLinkScratch scratch;
} Edit;

// --- The slot itself ------------------------------------------------------------------------------------------------

static CrTile swap_slot(CrNavMesh *mesh, uint32_t slot, const CrTile *next) {
  CrTile previous = mesh->tiles[slot];
  if (previous.active) {
    cr__reach_remove(mesh, slot);
    cr__grid_remove(mesh, slot);
    mesh->tile_count--;
    mesh->polygon_count -= previous.polygon_count;
  }
  mesh->tiles[slot] = *next;
  if (next->active) {
    cr__grid_insert(mesh, slot);
    cr__reach_add(mesh, slot);
    mesh->tile_count++;
    mesh->polygon_count += next->polygon_count;
  }
  return previous;
}

// --- Touched slots --------------------------------------------------------------------------------------------------

static bool touch(Edit *edit, uint32_t slot) {
  void *touched = edit->touched;
  bool grown = cr__grow(&edit->mesh->allocator, &touched, &edit->touched_capacity, edit->touched_count,
                        edit->touched_count + 1, sizeof *edit->touched);
  edit->touched = touched;
  if (grown) edit->touched[edit->touched_count++] = slot;
  return grown;
}

static bool touch_join(Edit *edit, const CrLinkJoin *join) {
  bool ok = true;
  if (join->start) ok = ok && touch(edit, cr__ref_slot(join->start));
  if (join->end) ok = ok && touch(edit, cr__ref_slot(join->end));
  return ok;
}

static bool touch_sides(Edit *edit, const CrTile *tile) {
  if (!tile->active) return true;
  for (int side = 0; side < CR_SIDE_COUNT; side++) {
    int32_t x = tile->x, z = tile->z;
    cr__side_step(side, &x, &z);
    for (uint32_t at = 0; (at = cr__tiles_at(edit->mesh, x, z, at)) != 0;) {
      if (!touch(edit, at - 1)) return false;
    }
  }
  return true;
}

static bool slot_less(const void *context, uint32_t a, uint32_t b) {
  (void)context;
  return a < b;
}

// Each slot once, and only those that hold a tile.
static bool settle_touched(Edit *edit) {
  size_t count = edit->touched_count, kept = 0;
  uint32_t *scratch = cr__alloc(&edit->mesh->allocator, count, sizeof *scratch);
  if (!scratch) return false;
  cr__sort_indices(edit->touched, scratch, count, slot_less, NULL);
  cr__free(&edit->mesh->allocator, scratch, count, sizeof *scratch);
  for (size_t i = 0; i < count; i++) {
    uint32_t slot = edit->touched[i];
    bool repeated = kept && edit->touched[kept - 1] == slot;
    if (!repeated && edit->mesh->tiles[slot].active) edit->touched[kept++] = slot;
  }
  edit->touched_count = kept;
  return true;
}

// --- Joins ----------------------------------------------------------------------------------------------------------

static bool same_join(const CrLinkJoin *a, const CrLinkJoin *b) {
  return a->start == b->start && a->end == b->end && cr__same_point(a->start_point, b->start_point) &&
         cr__same_point(a->end_point, b->end_point);
}

static bool change_join(Edit *edit, uint32_t owner, uint32_t link) {
  CrTile *tile = &edit->mesh->tiles[owner];
  CrLinkJoin found = cr__join_find(edit->mesh, &tile->off_mesh[link]), before = tile->joins[link];
  if (same_join(&found, &before)) return true;
  void *changes = edit->changes;
  bool grown = cr__grow(&edit->mesh->allocator, &changes, &edit->change_capacity, edit->change_count,
                        edit->change_count + 1, sizeof *edit->changes);
  edit->changes = changes;
  if (!grown || !touch_join(edit, &before) || !touch_join(edit, &found)) return false;
  edit->changes[edit->change_count++] = (JoinChange){owner, link, before};
  tile->joins[link] = found;
  return true;
}

// Every link whose ends may lie on the tile that came or went, its own among them.
static bool rejoin(Edit *edit, int32_t x, int32_t z) {
  for (uint32_t at = cr__reach_first(edit->mesh, x, z); at; at = cr__reach_next(edit->mesh, at)) {
    CrReachEntry entry = edit->mesh->reach.entries[at - 1];
    if (!change_join(edit, entry.owner, entry.link)) return false;
  }
  for (uint32_t i = 0; i < edit->previous.off_mesh_count; i++) {
    if (!touch_join(edit, &edit->previous.joins[i])) return false;
  }
  return true;
}

static void undo_joins(Edit *edit) {
  while (edit->change_count) {
    const JoinChange *change = &edit->changes[--edit->change_count];
    edit->mesh->tiles[change->owner].joins[change->link] = change->before;
  }
}

// --- Tables ---------------------------------------------------------------------------------------------------------

static bool build_tables(Edit *edit) {
  const CrAllocator *allocator = &edit->mesh->allocator;
  edit->tables = cr__alloc_zeroed(allocator, edit->touched_count, sizeof *edit->tables);
  if (!edit->tables) return false;
  for (size_t i = 0; i < edit->touched_count; i++) {
    if (!cr__links_build(edit->mesh, edit->touched[i], &edit->scratch, &edit->tables[i])) return false;
    edit->table_count = i + 1;
  }
  return true;
}

static void install_tables(Edit *edit) {
  for (size_t i = 0; i < edit->table_count; i++) {
    cr__links_install(edit->mesh, &edit->mesh->tiles[edit->touched[i]], &edit->tables[i]);
  }
}

static void drop_tables(Edit *edit) {
  for (size_t i = 0; i < edit->table_count; i++) {
    cr__free(&edit->mesh->allocator, edit->tables[i].links, edit->tables[i].size, 1);
  }
}

static void free_edit(Edit *edit) {
  const CrAllocator *allocator = &edit->mesh->allocator;
  if (edit->tables) cr__free(allocator, edit->tables, edit->touched_count, sizeof *edit->tables);
  cr__free(allocator, edit->touched, edit->touched_capacity, sizeof *edit->touched);
  cr__free(allocator, edit->changes, edit->change_capacity, sizeof *edit->changes);
  cr__link_scratch_free(allocator, &edit->scratch);
}

static bool relink(Edit *edit, const CrTile *next) {
  const CrTile *place = next->active ? next : &edit->previous;
  return touch(edit, edit->slot) && touch_sides(edit, &edit->previous) && touch_sides(edit, next) &&
         rejoin(edit, place->x, place->z) && settle_touched(edit) && build_tables(edit);
}

bool cr__slot_put(CrNavMesh *mesh, uint32_t slot, const CrTile *next) {
  if (next->active && !cr__reach_reserve(mesh, cr__reach_entry_count(mesh, next))) return false;
  Edit edit = {.mesh = mesh, .slot = slot};
  edit.previous = swap_slot(mesh, slot, next);
  bool done = relink(&edit, next);
  if (done) {
    install_tables(&edit);
    cr__tile_free(&mesh->allocator, &edit.previous);
  } else {
    undo_joins(&edit);
    drop_tables(&edit);
    swap_slot(mesh, slot, &edit.previous);
  }
  free_edit(&edit);
  return done;
}

bool cr__links_build_all(CrNavMesh *mesh) {
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    CrTile *tile = &mesh->tiles[slot];
    for (uint32_t i = 0; i < tile->off_mesh_count; i++) tile->joins[i] = cr__join_find(mesh, &tile->off_mesh[i]);
  }
  CrLinkScratch scratch = {0};
  bool made = true;
  for (uint32_t slot = 0; made && slot < mesh->slot_count; slot++) {
    CrLinkTable table;
    if (!mesh->tiles[slot].active) continue;
    made = cr__links_build(mesh, slot, &scratch, &table);
    if (made) cr__links_install(mesh, &mesh->tiles[slot], &table);
  }
  cr__link_scratch_free(&mesh->allocator, &scratch);
  return made;
}
