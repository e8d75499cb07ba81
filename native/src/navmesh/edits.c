// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Putting a tile into a slot, taking it out, and everything that must follow: the joins of the off-mesh links that
// reach its position, then the link tables of every tile concerned. All or nothing: whatever needs memory is made
// beside the mesh, and undoing needs none. Invariant: the mesh's load is the sum over its tiles, joins and tables as
// they are at any moment.
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
  CrError *error;
} Edit;

static CrStatus no_memory(const Edit *edit) { return cr__fail(edit->error, CR_STATUS_OUT_OF_MEMORY, NULL); }

// --- The slot itself ------------------------------------------------------------------------------------------------

static CrTile swap_slot(CrNavMesh *mesh, uint32_t slot, const CrTile *next) {
  CrTile previous = mesh->tiles[slot];
  if (previous.active) {
    cr__reach_remove(mesh, slot);
    cr__grid_remove(mesh, slot);
    mesh->tile_count--;
    mesh->polygon_count -= previous.polygon_count;
    cr__load_subtract(&mesh->load, &previous);
  }
  mesh->tiles[slot] = *next;
  if (next->active) {
    cr__grid_insert(mesh, slot);
    cr__reach_add(mesh, slot);
    mesh->tile_count++;
    mesh->polygon_count += next->polygon_count;
    cr__load_add(&mesh->load, next);
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

// A link is in the table of its start, and in that of its end when it goes both ways.
static bool touch_join(Edit *edit, const CrOffMeshLink *link, const CrLinkJoin *join) {
  if (!join->start || !join->end) return true;
  return touch(edit, cr__ref_slot(join->start)) && (!link->bidirectional || touch(edit, cr__ref_slot(join->end)));
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
         cr__same_point(a->end_point, b->end_point) && a->candidates == b->candidates;
}

static void set_join(CrNavMesh *mesh, CrLinkJoin *at, const CrLinkJoin *join) {
  mesh->load.candidates += join->candidates - at->candidates;
  *at = *join;
}

static uint64_t left_of(uint64_t limit, uint64_t used) { return used < limit ? limit - used : 0; }

// Finds a join anew within what the other joins leave of the limit.
static CrStatus find_join(const CrNavMesh *mesh, const CrTile *tile, uint32_t link, CrLinkJoin *out, CrError *error) {
  uint64_t others = mesh->load.candidates - tile->joins[link].candidates, limit = cr__load_max_candidates(&mesh->load);
  if (cr__join_find(mesh, &tile->off_mesh[link], left_of(limit, others), out)) return CR_STATUS_OK;
  return cr__fail_limit(error, CR_STATUS_LIMIT, "off-mesh link candidates", (double)limit);
}

static CrStatus change_join(Edit *edit, uint32_t owner, uint32_t link) {
  CrTile *tile = &edit->mesh->tiles[owner];
  CrLinkJoin found, before = tile->joins[link];
  CrStatus status = find_join(edit->mesh, tile, link, &found, edit->error);
  if (status != CR_STATUS_OK || same_join(&found, &before)) return status;
  void *changes = edit->changes;
  bool grown = cr__grow(&edit->mesh->allocator, &changes, &edit->change_capacity, edit->change_count,
                        edit->change_count + 1, sizeof *edit->changes);
  edit->changes = changes;
  const CrOffMeshLink *off_mesh = &tile->off_mesh[link];
  if (!grown || !touch_join(edit, off_mesh, &before) || !touch_join(edit, off_mesh, &found)) return no_memory(edit);
  edit->changes[edit->change_count++] = (JoinChange){owner, link, before};
  set_join(edit->mesh, &tile->joins[link], &found);
  return CR_STATUS_OK;
}

// Every link whose ends may lie on the tile that came or went, its own among them.
static CrStatus rejoin(Edit *edit, int32_t x, int32_t z) {
  for (uint32_t at = cr__reach_first(edit->mesh, x, z); at; at = cr__reach_next(edit->mesh, at)) {
    CrReachEntry entry = edit->mesh->reach.entries[at - 1];
    CrStatus status = change_join(edit, entry.owner, entry.link);
    if (status != CR_STATUS_OK) return status;
  }
  for (uint32_t i = 0; i < edit->previous.off_mesh_count; i++) {
    if (!touch_join(edit, &edit->previous.off_mesh[i], &edit->previous.joins[i])) return no_memory(edit);
  }
  return CR_STATUS_OK;
}

static void undo_joins(Edit *edit) {
  while (edit->change_count) {
    const JoinChange *change = &edit->changes[--edit->change_count];
    set_join(edit->mesh, &edit->mesh->tiles[change->owner].joins[change->link], &change->before);
  }
}

// --- Tables ---------------------------------------------------------------------------------------------------------

// What the tables of the touched slots may use: the limits less what the other tables use.
static void set_budget(Edit *edit) {
  CrMeshLoad others = edit->mesh->load;
  for (size_t i = 0; i < edit->touched_count; i++) {
    others.links -= edit->mesh->tiles[edit->touched[i]].link_count;
    others.overlaps -= edit->mesh->tiles[edit->touched[i]].overlap_count;
  }
  edit->scratch.links_left = left_of(cr__load_max_links(&others), others.links);
  edit->scratch.overlaps_left = left_of(cr__load_max_overlaps(&others), others.overlaps);
}

static CrStatus build_tables(Edit *edit) {
  const CrAllocator *allocator = &edit->mesh->allocator;
  edit->tables = cr__alloc_zeroed(allocator, edit->touched_count, sizeof *edit->tables);
  if (!edit->tables) return no_memory(edit);
  set_budget(edit);
  for (size_t i = 0; i < edit->touched_count; i++) {
    uint32_t slot = edit->touched[i];
    CrStatus status = cr__links_build(edit->mesh, slot, &edit->scratch, &edit->tables[i], edit->error);
    if (status != CR_STATUS_OK) return status;
    edit->table_count = i + 1;
  }
  return CR_STATUS_OK;
}

static void install_table(CrNavMesh *mesh, uint32_t slot, const CrLinkTable *table) {
  CrTile *tile = &mesh->tiles[slot];
  mesh->load.links += (uint64_t)table->count - tile->link_count;
  mesh->load.overlaps += table->overlap_count - tile->overlap_count;
  cr__links_install(mesh, tile, table);
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

static CrStatus relink(Edit *edit, const CrTile *next) {
  const CrTile *place = next->active ? next : &edit->previous;
  if (!touch(edit, edit->slot) || !touch_sides(edit, &edit->previous) || !touch_sides(edit, next))
    return no_memory(edit);
  CrStatus status = rejoin(edit, place->x, place->z);
  if (status != CR_STATUS_OK) return status;
  return settle_touched(edit) ? build_tables(edit) : no_memory(edit);
}

// --- Stamps ---------------------------------------------------------------------------------------------------------

static void stamp_join(CrNavMesh *mesh, const CrLinkJoin *join, uint64_t stamp) {
  if (join->start) mesh->tiles[cr__ref_slot(join->start)].changed = stamp;
  if (join->end) mesh->tiles[cr__ref_slot(join->end)].changed = stamp;
}

// Marks every tile with another table, and those a link that changed leads to (they have no table entry for it when it is
// one-way).
static void stamp_edit(const Edit *edit, uint64_t stamp) {
  CrNavMesh *mesh = edit->mesh;
  for (size_t i = 0; i < edit->table_count; i++) mesh->tiles[edit->touched[i]].changed = stamp;
  for (size_t i = 0; i < edit->change_count; i++) {
    const JoinChange *change = &edit->changes[i];
    stamp_join(mesh, &change->before, stamp);
    stamp_join(mesh, &mesh->tiles[change->owner].joins[change->link], stamp);
  }
  for (uint32_t i = 0; i < edit->previous.off_mesh_count; i++) stamp_join(mesh, &edit->previous.joins[i], stamp);
}

CrStatus cr__slot_put(CrNavMesh *mesh, uint32_t slot, const CrTile *next, CrError *error) {
  Edit edit = {.mesh = mesh, .slot = slot, .error = error};
  if (next->active && !cr__reach_reserve(mesh, cr__reach_entry_count(mesh, next))) return no_memory(&edit);
  edit.previous = swap_slot(mesh, slot, next);
  CrStatus status = relink(&edit, next);
  if (status == CR_STATUS_OK) {
    for (size_t i = 0; i < edit.table_count; i++) install_table(mesh, edit.touched[i], &edit.tables[i]);
    stamp_edit(&edit, mesh->stamp + 1);
    cr__tile_free(&mesh->allocator, &edit.previous);
  } else {
    undo_joins(&edit);
    drop_tables(&edit);
    swap_slot(mesh, slot, &edit.previous);
  }
  free_edit(&edit);
  return status;
}

// --- Everything at once ---------------------------------------------------------------------------------------------

static CrStatus join_all(CrNavMesh *mesh, CrError *error) {
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    CrTile *tile = &mesh->tiles[slot];
    for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
      CrLinkJoin found;
      CrStatus status = find_join(mesh, tile, i, &found, error);
      if (status != CR_STATUS_OK) return status;
      set_join(mesh, &tile->joins[i], &found);
    }
  }
  return CR_STATUS_OK;
}

CrStatus cr__links_build_all(CrNavMesh *mesh, CrError *error) {
  CrStatus status = join_all(mesh, error);
  CrLinkScratch scratch = {.links_left = cr__load_max_links(&mesh->load),
                           .overlaps_left = cr__load_max_overlaps(&mesh->load)};
  for (uint32_t slot = 0; status == CR_STATUS_OK && slot < mesh->slot_count; slot++) {
    CrLinkTable table;
    if (!mesh->tiles[slot].active) continue;
    status = cr__links_build(mesh, slot, &scratch, &table, error);
    if (status == CR_STATUS_OK) install_table(mesh, slot, &table);
  }
  cr__link_scratch_free(&mesh->allocator, &scratch);
  return status;
}
