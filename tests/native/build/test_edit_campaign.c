// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Random edits on twenty meshes: tiles come, go and are replaced, off-mesh links with them, obstacles make tiles anew,
// areas and flags change. After every edit the validator must be content, and the mesh must equal one made afresh whose
// tiles came in another, random order: the same snapshot bytes, the same links in the same order. (The fresh mesh is given
// the slots and salts of a plain model kept beside; sometimes it takes its own, and is then compared slots and salts aside.)
// Every few edits answers of queries are compared as well, and snapshots of both kinds restored.
#include "crowdreel/query.h"
#include "edit_worlds.h"
#include "tile_kit.h"

// What the mesh should be, kept apart from it.
typedef struct Model {
  CrBytes tiles[EDIT_MAX_PLACES];  // per place; empty: no tile
  uint32_t slots[EDIT_MAX_PLACES];
  int32_t place_in[EDIT_MAX_PLACES];  // per slot: its place, or -1
  uint16_t salts[EDIT_MAX_PLACES];
  uint32_t slot_count;
  uint64_t edits;
} Model;

typedef struct Totals {
  uint64_t edits, tiles, links, answers, restored, obstacles, rebuilt;
} Totals;

#define MAX_OBSTACLES 6

// --- The model ------------------------------------------------------------------------------------------------------

static uint32_t take_slot(Model *model, uint32_t place) {
  uint32_t slot = 0;
  while (slot < model->slot_count && model->place_in[slot] >= 0) slot++;
  if (slot == model->slot_count) model->salts[model->slot_count++] = 1;
  model->place_in[slot] = (int32_t)place;
  return slot;
}

static void bump(Model *model, uint32_t slot) {
  model->salts[slot] = (uint16_t)(model->salts[slot] == 65535 ? 1 : model->salts[slot] + 1);
}

// Takes over `bytes`.
static void model_put(Model *model, uint32_t place, CrBytes bytes) {
  if (model->tiles[place].size)
    bump(model, model->slots[place]);
  else
    model->slots[place] = take_slot(model, place);
  cr_bytes_free(&model->tiles[place]);
  model->tiles[place] = bytes;
  model->edits++;
}

static void model_drop(Model *model, uint32_t place) {
  cr_bytes_free(&model->tiles[place]);
  model->place_in[model->slots[place]] = -1;
  bump(model, model->slots[place]);
  model->edits++;
}

// --- Edits ----------------------------------------------------------------------------------------------------------

static void put_tile(Model *model, CrNavMesh *mesh, uint32_t place, CrBytes bytes) {
  uint32_t slot = UINT32_MAX;
  REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, &slot, NULL));
  model_put(model, place, bytes);
  CHECK_INT(slot, model->slots[place]);
}

static void remove_tile(const EditWorld *world, Model *model, CrNavMesh *mesh, uint32_t place) {
  const EditPlace *at = &world->places[place];
  CrStatus expected = model->tiles[place].size ? CR_STATUS_OK : CR_STATUS_NOT_FOUND;
  CHECK_STATUS(cr_navmesh_remove_tile(mesh, at->x, at->z, at->layer, NULL), expected);
  if (model->tiles[place].size) model_drop(model, place);
}
static void mark_polygon(Model *model, CrNavMesh *mesh, uint32_t place, uint64_t *seed) {
  CrBytes *bytes = &model->tiles[place];
  uint32_t polygons = 0;
  if (bytes->size) memcpy(&polygons, bytes->data + 24, 4);
  if (!polygons) return;
  uint32_t polygon = (uint32_t)rnd_int(seed, (int32_t)polygons);
  CrPolyRef ref = cr_navmesh_ref(mesh, model->slots[place], polygon);
  uint8_t *area = bytes->data + kit_areas_offset(bytes->data) + polygon;
  uint8_t *flags = bytes->data + kit_areas_offset(bytes->data) + polygons + (size_t)polygon * 2;
  uint8_t value = (uint8_t)rnd_int(seed, 5);
  if (rnd_int(seed, 2)) {
    CHECK_OK(cr_navmesh_set_area(mesh, ref, value, NULL));
    model->edits += *area != value;
    *area = value;
  } else {
    CHECK_OK(cr_navmesh_set_flags(mesh, ref, value, NULL));
    model->edits += flags[0] != value || flags[1] != 0;
    flags[0] = value;
    flags[1] = 0;
  }
}

static CrVolume random_obstacle(const EditWorld *world, uint64_t *seed) {
  CrVec3 at = world->places[rnd_int(seed, (int32_t)world->place_count)].sample;
  double off = world->params.tile_size * 0.5, x = at.x + rnd_range(seed, -off, off);
  double z = at.z + rnd_range(seed, -off, off);
  CrVolume volume = {.shape = (CrVolumeShape)rnd_int(seed, 3),
                     .area = CR_AREA_BLOCKED,
                     .min_y = at.y - 1.0,
                     .max_y = at.y + 2.0,
                     .center_x = x,
                     .center_z = z,
                     .radius = rnd_range(seed, 0.3, 2.0),
                     .half_x = rnd_range(seed, 0.3, 2.0),
                     .half_z = rnd_range(seed, 0.3, 2.0),
                     .axis_x = rnd_range(seed, -1, 1),
                     .axis_z = rnd_range(seed, 0.1, 1),
                     .corner_count = 3};
  const double corners[] = {x - volume.half_x, z, x + volume.half_x, z, x, z + volume.half_z};
  memcpy(volume.corners, corners, sizeof corners);
  return volume;
}

// What a build with the obstacles there are makes of a place.
static CrBytes fresh_build(const EditWorld *world, uint32_t place) {
  CrBuildInput input = level_input(&world->level);
  CrVolume obstacles[MAX_OBSTACLES];
  CrBytes bytes;
  for (uint32_t i = 0; cr_tile_cache_obstacle_at(world->cache, i, NULL, &obstacles[i]) == CR_STATUS_OK; i++) {
    input.obstacle_count = i + 1;
  }
  input.obstacles = obstacles;
  REQUIRE_OK(cr_build_tile(&input, &world->settings, world->places[place].x, world->places[place].z, NULL, &bytes, NULL,
                           NULL));
  return bytes;
}

// Which place is not as the model has it: its tile is new, gone, or another.
static uint32_t changed_place(const EditWorld *world, const Model *model, const CrNavMesh *mesh) {
  for (uint32_t place = 0; place < world->place_count; place++) {
    const EditPlace *at = &world->places[place];
    uint32_t slot = 0;
    bool stands = cr_navmesh_find_tile(mesh, at->x, at->z, at->layer, &slot) == CR_STATUS_OK;
    if (stands != (model->tiles[place].size > 0)) return place;
    if (stands && mesh->tiles[slot].salt != model->salts[slot]) return place;
  }
  return UINT32_MAX;
}

// One tile, so that it is one edit; what the cache makes must be what a build makes.
static void update_tile(const EditWorld *world, Model *model, CrNavMesh *mesh, Totals *totals) {
  uint32_t rebuilt = 0;
  REQUIRE_OK(cr_tile_cache_update(world->cache, mesh, 1, &rebuilt, NULL, NULL));
  uint32_t place = changed_place(world, model, mesh);
  totals->rebuilt += rebuilt;
  if (place == UINT32_MAX) return;  // none was in line, or nothing stood there and nothing does
  CrBytes bytes = fresh_build(world, place);
  if (bytes.size)
    model_put(model, place, bytes);
  else
    model_drop(model, place);
}

static void change_obstacles(EditWorld *world, uint64_t *seed, Totals *totals) {
  uint32_t count = cr_tile_cache_obstacle_count(world->cache);
  if (count == MAX_OBSTACLES || (count && rnd_int(seed, 3) == 0)) {
    CrObstacleId id;
    REQUIRE_OK(cr_tile_cache_obstacle_at(world->cache, (uint32_t)rnd_int(seed, (int32_t)count), &id, NULL));
    REQUIRE_OK(cr_tile_cache_remove_obstacle(world->cache, id, NULL));
  } else {
    CrVolume obstacle = random_obstacle(world, seed);
    REQUIRE_OK(cr_tile_cache_add_obstacle(world->cache, &obstacle, NULL, NULL));
  }
  totals->obstacles++;
}

static void edit_obstacles(EditWorld *world, Model *model, CrNavMesh *mesh, uint64_t *seed, Totals *totals) {
  if (!cr_tile_cache_pending_count(world->cache) || rnd_int(seed, 4) == 0) change_obstacles(world, seed, totals);
  update_tile(world, model, mesh, totals);
}

static void edit(EditWorld *world, Model *model, CrNavMesh *mesh, uint64_t *seed, Totals *totals) {
  uint32_t place = (uint32_t)rnd_int(seed, (int32_t)world->place_count);
  int32_t kind = rnd_int(seed, world->cache ? 12 : 9);
  if (kind < 4)
    put_tile(model, mesh, place, edit_variant(world, place, seed));
  else if (kind < 6)
    remove_tile(world, model, mesh, place);
  else if (kind < 9)
    mark_polygon(model, mesh, place, seed);
  else
    edit_obstacles(world, model, mesh, seed, totals);
}

// --- Made afresh ----------------------------------------------------------------------------------------------------

static void shuffle(uint32_t *items, uint32_t count, uint64_t *seed) {
  for (uint32_t i = count; i > 1; i--) {
    uint32_t k = (uint32_t)rnd_int(seed, (int32_t)i), swap = items[i - 1];
    items[i - 1] = items[k];
    items[k] = swap;
  }
}

static void add(CrNavMesh *mesh, const CrBytes *bytes, uint32_t expected_slot) {
  uint32_t slot;
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes->data, bytes->size, &slot, NULL));
  CHECK(expected_slot == UINT32_MAX || slot == expected_slot);
}

static CrNavMesh *new_mesh(const EditWorld *world) {
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&world->params, NULL, &mesh, NULL));
  return mesh;
}

// The tiles in a random order, each in whichever slot it gets.
static CrNavMesh *afresh_anywhere(const EditWorld *world, const Model *model, uint64_t *seed) {
  CrNavMesh *mesh = new_mesh(world);
  uint32_t order[EDIT_MAX_PLACES];
  for (uint32_t i = 0; i < world->place_count; i++) order[i] = i;
  shuffle(order, world->place_count, seed);
  for (uint32_t i = 0; i < world->place_count; i++) {
    if (model->tiles[order[i]].size) add(mesh, &model->tiles[order[i]], UINT32_MAX);
  }
  return mesh;
}

// An empty tile far from everything.
static void dummy_position(uint32_t slot, int32_t *x, int32_t *z) {
  *x = 900000 + (int32_t)slot;
  *z = -900000;
}

static void add_dummy(CrNavMesh *mesh, uint32_t slot) {
  uint8_t bytes[44] = "CRTL\1";
  int32_t x, z;
  dummy_position(slot, &x, &z);
  CrWriter writer = cr__writer_to(bytes + 8, 8);
  cr__write_i32(&writer, x);
  cr__write_i32(&writer, z);
  CrBytes tile = {.data = bytes, .size = sizeof bytes};
  add(mesh, &tile, slot);
}

static void remove_dummy(CrNavMesh *mesh, uint32_t slot, uint16_t salt) {
  int32_t x, z;
  dummy_position(slot, &x, &z);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, x, z, 0, NULL));
  mesh->tiles[slot].salt = salt;  // as if it had had as many tenants
}

// The tiles in a random order, each in the slot and with the salt of the model: while it comes its slot is the only empty
// one, the others being taken by tiles of no meaning.
static CrNavMesh *afresh_in_slots(const EditWorld *world, const Model *model, uint64_t *seed) {
  CrNavMesh *mesh = new_mesh(world);
  uint32_t order[EDIT_MAX_PLACES], count = model->slot_count;
  for (uint32_t slot = 0; slot < count; slot++) {
    add_dummy(mesh, slot);
    order[slot] = slot;
  }
  shuffle(order, count, seed);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t slot = order[i];
    if (model->place_in[slot] < 0) continue;
    remove_dummy(mesh, slot, model->salts[slot]);
    add(mesh, &model->tiles[model->place_in[slot]], slot);
  }
  for (uint32_t slot = 0; slot < count; slot++) {
    if (model->place_in[slot] < 0) remove_dummy(mesh, slot, model->salts[slot]);
  }
  mesh->edit_count = model->edits;
  return mesh;
}

// --- Comparison -----------------------------------------------------------------------------------------------------
static bool same_link(const CrLink *a, const CrLink *b) {
  return a->target == b->target && cr__same_point(a->a, b->a) && cr__same_point(a->b, b->b) &&
         a->owner_slot == b->owner_slot && a->off_mesh == b->off_mesh && a->edge == b->edge &&
         a->target_edge == b->target_edge && a->area == b->area && a->reverse == b->reverse && a->flags == b->flags;
}

static bool same_join(const CrLinkJoin *a, const CrLinkJoin *b) {
  return a->start == b->start && a->end == b->end && cr__same_point(a->start_point, b->start_point) &&
         cr__same_point(a->end_point, b->end_point) && a->candidates == b->candidates;
}

// Everything that follows from the tiles, value by value.
static bool same_tables(const CrNavMesh *a, const CrNavMesh *b, Totals *totals) {
  for (uint32_t slot = 0; slot < a->slot_count; slot++) {
    const CrTile *p = &a->tiles[slot], *q = &b->tiles[slot];
    if (!p->active) continue;
    if (p->link_count != q->link_count || p->overlap_count != q->overlap_count) return false;
    if (memcmp(p->link_first, q->link_first, (p->polygon_count + 1) * sizeof *p->link_first) != 0) return false;
    for (uint32_t i = 0; i < p->link_count; i++) {
      if (!same_link(&p->links[i], &q->links[i])) return false;
    }
    for (uint32_t i = 0; i < p->off_mesh_count; i++) {
      if (!same_join(&p->joins[i], &q->joins[i])) return false;
    }
    totals->links += p->link_count;
  }
  return true;
}

static void check_same(const CrNavMesh *mesh, const CrNavMesh *fresh, Totals *totals) {
  CrBytes a = kit_save(mesh), b = kit_save(fresh);
  bool same = a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
  CHECK(same);
  if (same) CHECK(same_tables(mesh, fresh, totals));
  cr_bytes_free(&a);
  cr_bytes_free(&b);
}

// --- Answers --------------------------------------------------------------------------------------------------------

#define ANSWER_CAPACITY 128

static void write_path_answer(CrWriter *out, CrNavMeshQuery *query, const CrNearestPoly *from, const CrNearestPoly *to,
                              const CrQueryFilter *filter) {
  CrPolyRef path[ANSWER_CAPACITY];
  CrPathResult result;
  CrStatus status = cr_query_find_path(query, from->ref, from->point, to->ref, to->point, filter, path, ANSWER_CAPACITY,
                                       &result, NULL);
  cr__write_u32(out, status);
  if (status != CR_STATUS_OK) return;
  cr__write_u32(out, result.outcome);
  cr__write_i64(out, result.iterations);
  cr__write_point(out, result.end);
  for (int32_t i = 0; i < result.count; i++) cr__write_u64(out, path[i]);
  CrCorner corners[ANSWER_CAPACITY];
  int32_t count = 0;
  if (!result.count) return;
  cr__write_u32(out, cr_query_straight_path(cr_query_mesh(query), from->point, result.end, path, result.count, filter,
                                            corners, ANSWER_CAPACITY, &count));
  for (int32_t i = 0; i < count; i++) {
    cr__write_point(out, corners[i].point);
    cr__write_u64(out, corners[i].ref);
  }
}

static void write_ray_answer(CrWriter *out, CrNavMeshQuery *query, const CrNearestPoly *from, CrVec3 to,
                             const CrQueryFilter *filter) {
  CrPolyRef polygons[ANSWER_CAPACITY];
  CrRaycastResult ray;
  CrMoveResult move;
  if (cr_query_raycast(query, from->ref, from->point, to, filter, polygons, ANSWER_CAPACITY, &ray, NULL)) return;
  cr__write_f64(out, ray.t);
  cr__write_point(out, ray.point);
  cr__write_u64(out, ray.hit_ref);
  for (int32_t i = 0; i < ray.count; i++) cr__write_u64(out, polygons[i]);
  if (cr_query_move_along_surface(query, from->ref, from->point, to, filter, polygons, ANSWER_CAPACITY, &move, NULL))
    return;
  cr__write_point(out, move.point);
  for (int32_t i = 0; i < move.count; i++) cr__write_u64(out, polygons[i]);
}

static void write_wall_answer(CrWriter *out, CrNavMeshQuery *query, const CrNearestPoly *from, double radius,
                              const CrQueryFilter *filter) {
  CrWallPiece pieces[ANSWER_CAPACITY];
  int32_t count = 0;
  CrStatus status =
      cr_query_find_walls(query, from->ref, from->point, radius, filter, pieces, ANSWER_CAPACITY, &count, NULL);
  cr__write_u32(out, status);
  for (int32_t i = 0; i < count; i++) {
    cr__write_u64(out, pieces[i].ref);
    cr__write_u8(out, pieces[i].edge);
    cr__write_u8(out, pieces[i].part);
    cr__write_point(out, pieces[i].a);
    cr__write_point(out, pieces[i].b);
  }
}

static CrVec3 random_point(const EditWorld *world, uint64_t *seed) {
  return rnd_point(seed, cr__sub(world->low, cr__vec(1, 0.5, 1)), cr__add(world->high, cr__vec(1, 0.5, 1)));
}

// A hash of the mesh's answers to questions that depend on `seed` alone, references and all.
static uint64_t answers(const EditWorld *world, const CrNavMesh *mesh, uint64_t seed, int questions) {
  CrQueryFilter marked = cr_query_filter_default();
  for (int area = 0; area < 5; area++) marked.area_cost[area] = 0.5 + area;
  marked.exclude_flags = 4;
  CrQueryOptions options = {512, (CrNodeModel)(seed & 1), false};
  CrNavMeshQuery *query;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  CrWriter out = cr__writer_hash();
  double reach = world->params.tile_size * 0.5;
  for (int i = 0; i < questions; i++) {
    const CrQueryFilter *filter = i % 2 ? &marked : NULL;
    CrNearestPoly from = {0}, to = {0};
    CrVec3 extents = {reach, 2.0, reach}, ray_end = random_point(world, &seed);
    cr__write_u32(&out, cr_query_nearest_poly(query, random_point(world, &seed), extents, filter, &from, NULL));
    cr__write_u32(&out, cr_query_nearest_poly(query, random_point(world, &seed), extents, filter, &to, NULL));
    cr__write_u64(&out, from.ref);
    cr__write_point(&out, from.point);
    if (!from.ref || !to.ref) continue;
    write_path_answer(&out, query, &from, &to, filter);
    write_ray_answer(&out, query, &from, ray_end, filter);
    write_wall_answer(&out, query, &from, reach, filter);
  }
  cr_query_destroy(query);
  return out.hash;
}

// --- Restoring ------------------------------------------------------------------------------------------------------

static void check_restored(const EditWorld *world, const Model *model, const CrNavMesh *mesh, uint64_t seed,
                           Totals *totals) {
  CrBytes full = kit_save(mesh), referenced;
  CrNavMesh *meshes[2];
  CrTileData tiles[EDIT_MAX_PLACES];
  uint32_t count = 0;
  for (uint32_t place = 0; place < world->place_count; place++) {
    const CrBytes *bytes = &model->tiles[place];
    if (bytes->size) tiles[count++] = (CrTileData){bytes->data, bytes->size};
  }
  REQUIRE_OK(cr_navmesh_save_referenced(mesh, NULL, &referenced, NULL));
  REQUIRE_OK(cr_navmesh_load(full.data, full.size, NULL, &meshes[0], NULL));
  REQUIRE_OK(cr_navmesh_load_referenced(referenced.data, referenced.size, tiles, count, NULL, &meshes[1], NULL));
  uint64_t expected = answers(world, mesh, seed, 6);
  for (int i = 0; i < 2; i++) {
    check_same(mesh, meshes[i], totals);
    CHECK(!cr__navmesh_invariant(meshes[i]) && answers(world, meshes[i], seed, 6) == expected);
    cr_navmesh_destroy(meshes[i]);
    totals->restored++;
  }
  cr_bytes_free(&full);
  cr_bytes_free(&referenced);
}

// --- The campaign ---------------------------------------------------------------------------------------------------

static void check_step(const EditWorld *world, const Model *model, const CrNavMesh *mesh, int64_t step, uint64_t *seed,
                       Totals *totals) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) printf("  %s: %s\n", world->name, broken);
  CHECK(!broken);
  CrNavMesh *fresh = afresh_in_slots(world, model, seed);
  check_same(mesh, fresh, totals);
  if (step % 8 == 0) {
    uint64_t questions = rnd_u64(seed);
    CHECK(answers(world, mesh, questions, 4) == answers(world, fresh, questions, 4));
    totals->answers += 4;
  }
  if (step % 16 == 0) {
    CrNavMesh *anywhere = afresh_anywhere(world, model, seed);
    const char *difference = kit_difference(mesh, anywhere);
    if (difference) printf("  %s: %s\n", world->name, difference);
    CHECK(!difference);
    cr_navmesh_destroy(anywhere);
  }
  if (step % 50 == 0) check_restored(world, model, mesh, rnd_u64(seed), totals);
  cr_navmesh_destroy(fresh);
}

static void run_world(int number, int64_t edits, Totals *totals) {
  static EditWorld world;
  static Model model;
  edit_world_make(&world, number);
  memset(&model, 0, sizeof model);
  for (int slot = 0; slot < EDIT_MAX_PLACES; slot++) model.place_in[slot] = -1;
  uint64_t seed = 9000 + (uint64_t)number, links_before = totals->links;
  CrNavMesh *mesh = new_mesh(&world);
  uint32_t polygons = 0;
  for (uint32_t place = 0; place < world.place_count; place++) {
    CrBytes bytes;
    CrTile tile = edit_decode(&world, &world.places[place].base);
    REQUIRE_OK(cr__tile_to_bytes(&tile, NULL, &bytes, NULL));
    polygons += tile.polygon_count;
    edit_release(&tile);
    put_tile(&model, mesh, place, bytes);
  }
  uint64_t started = model.edits;
  // Edits that change nothing (removing what is not there) are tried too, but not counted.
  for (int64_t step = 0; (int64_t)(model.edits - started) < edits && check_failures < 20; step++) {
    uint64_t before = model.edits;
    check_seed = (uint64_t)number * 1000000 + (uint64_t)step;
    edit(&world, &model, mesh, &seed, totals);
    CHECK_INT(mesh->edit_count, model.edits);
    if (model.edits != before) check_step(&world, &model, mesh, step, &seed, totals);
  }
  printf("  %-34s %2u tiles, %4u polygons, %6" PRIu64 " edits, %8.1f links on average\n", world.name, world.place_count,
         polygons, model.edits - started, (double)(totals->links - links_before) / (double)edits);
  totals->edits += model.edits - started;
  totals->tiles += world.place_count;
  cr_navmesh_destroy(mesh);
  for (uint32_t place = 0; place < world.place_count; place++) cr_bytes_free(&model.tiles[place]);
  edit_world_free(&world);
}

TEST(edited_meshes_equal_meshes_made_afresh) {
  Totals totals = {0};
  int64_t edits = check_scaled(2000);
  for (int number = 0; number < EDIT_WORLDS; number++) run_world(number, edits, &totals);
  printf("  %" PRIu64 " edits on %d meshes of %.1f tiles; %" PRIu64 " links, %" PRIu64 " questions compared; %" PRIu64
         " restored\n",
         totals.edits, EDIT_WORLDS, (double)totals.tiles / EDIT_WORLDS, totals.links, totals.answers, totals.restored);
  printf("  %" PRIu64 " obstacles added or removed, %" PRIu64 " tiles built again\n", totals.obstacles, totals.rebuilt);
  CHECK(totals.edits >= (uint64_t)(edits * EDIT_WORLDS) && totals.links > (uint64_t)edits * 100);
}

TEST_MAIN(RUN(edited_meshes_equal_meshes_made_afresh))
