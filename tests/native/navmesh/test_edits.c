// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Editing meshes: slots, salts, counts, what a failed call leaves behind, and random edits against meshes made afresh.
#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static TileKit kit;

static const CrNavMeshParams params = {.origin_x = -3.5, .origin_z = 1.25, .tile_size = 7.5, .climb = 0.5};

static CrNavMesh *new_mesh(const CrAllocator *allocator) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, allocator, &mesh, NULL));
  return mesh;
}

static void check_mesh(const CrNavMesh *mesh) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) printf("  %s\n", broken);
  CHECK(!broken);
}

static CrBytes random_tile(uint64_t *seed, int32_t x, int32_t z, int32_t layer) {
  kit_random(&kit, &params, seed, x, z, layer);
  return kit_encode(&kit, &params);
}

static uint32_t add_random(CrNavMesh *mesh, uint64_t *seed, int32_t x, int32_t z) {
  CrBytes bytes = random_tile(seed, x, z, 0);
  uint32_t slot = 0;
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, &slot, NULL));
  cr_bytes_free(&bytes);
  return slot;
}

// --- Creation -------------------------------------------------------------------------------------------------------

TEST(params_are_checked_by_name) {
  const struct {
    CrNavMeshParams params;
    const char *field;
  } wrong[] = {
      {{.origin_x = 3e6, .tile_size = 1}, "params.origin_x"},
      {{.origin_z = -3e6, .tile_size = 1}, "params.origin_z"},
      {{.tile_size = 0}, "params.tile_size"},
      {{.tile_size = -1}, "params.tile_size"},
      {{.tile_size = 0.0 / 0.0}, "params.tile_size"},
      {{.tile_size = 1.0 / 0.0}, "params.tile_size"},
      {{.tile_size = 5e6}, "params.tile_size"},
      {{.tile_size = 1, .climb = -0.1}, "params.climb"},
      {{.tile_size = 1, .agent_radius = -0.1}, "params.agent_radius"},
      {{.tile_size = 1, .agent_height = 0.0 / 0.0}, "params.agent_height"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CrNavMesh *mesh = NULL;
    CrBytes bytes = {0};
    CrError error = {0};
    CHECK_STATUS(cr_navmesh_create(&wrong[i].params, NULL, &mesh, &error), CR_STATUS_ARGUMENT);
    CHECK(!mesh && strcmp(error.field, wrong[i].field) == 0);
    kit_begin(&kit, 0, 0, 0);
    CHECK_STATUS(cr_tile_encode(&wrong[i].params, kit_describe(&kit), NULL, &bytes, NULL), CR_STATUS_ARGUMENT);
  }
}

TEST(an_empty_mesh_answers) {
  CrNavMesh *mesh = new_mesh(NULL);
  CrVec3 low, high;
  CrTileInfo info;
  check_mesh(mesh);
  CHECK(!cr_navmesh_bounds(mesh, &low, &high) && !cr_navmesh_triangle_count(mesh) && !cr_navmesh_polygon_count(mesh));
  CHECK_STATUS(cr_navmesh_tile_info(mesh, 0, &info), CR_STATUS_NOT_FOUND);
  CHECK(cr_navmesh_ref(mesh, 0, 0) == CR_INVALID_REF && !cr_navmesh_is_valid_ref(mesh, UINT64_MAX));
  CHECK_STATUS(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL), CR_STATUS_NOT_FOUND);
  CHECK_INT(cr_navmesh_edit_count(mesh), 0);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(NULL);
}

// --- Slots and salts ------------------------------------------------------------------------------------------------

TEST(slots_are_lowest_free_and_salts_tell_tenants_apart) {
  CrNavMesh *mesh = new_mesh(NULL);
  uint64_t seed = 3;
  for (int32_t i = 0; i < 40; i++) CHECK_INT(add_random(mesh, &seed, i % 7, i / 7), i);
  CrPolyRef old = cr__make_ref(1, 12, 0);
  CrError error = {0};
  CrBytes bytes = random_tile(&seed, 3, 3, 0);
  CHECK_STATUS(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, &error), CR_STATUS_OCCUPIED);
  CHECK(error.index == 24 && cr_navmesh_edit_count(mesh) == 40);
  cr_bytes_free(&bytes);
  const int32_t removed[] = {30, 12, 25, 3, 39};
  for (size_t i = 0; i < 5; i++) REQUIRE_OK(cr_navmesh_remove_tile(mesh, removed[i] % 7, removed[i] / 7, 0, NULL));
  check_mesh(mesh);
  CHECK(!cr_navmesh_is_valid_ref(mesh, old));
  const uint32_t expected[] = {3, 12, 25, 30, 39, 40};
  for (size_t i = 0; i < 6; i++) CHECK_INT(add_random(mesh, &seed, 20 + (int32_t)i, -5), expected[i]);
  CHECK(!cr_navmesh_is_valid_ref(mesh, old) && cr_navmesh_is_valid_ref(mesh, cr__make_ref(2, 12, 0)));
  CHECK_INT(mesh->tiles[3].salt, 2);
  CHECK_INT(mesh->tiles[40].salt, 1);
  check_mesh(mesh);
  cr_navmesh_destroy(mesh);
}

// A slot's 65535 salts come round: a reference that old is then valid again. That is the documented limit.
TEST(salts_wrap_past_zero) {
  CrNavMesh *mesh = new_mesh(NULL);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, -3, 2, 0, 5, 0);
  CrBytes bytes = kit_encode(&kit, &params);
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  CrPolyRef first = cr_navmesh_ref(mesh, 0, 0);
  CHECK_INT(cr__ref_salt(first), 1);
  for (int i = 1; i < 65535; i++) {
    uint32_t slot = 9;
    bool removes = i % 3 == 0;
    if (removes) REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
    CHECK_OK(removes ? cr_navmesh_add_tile(mesh, bytes.data, bytes.size, &slot, NULL)
                     : cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, &slot, NULL));
    CHECK(slot == 0 && mesh->tiles[0].salt == i + 1 && !cr_navmesh_is_valid_ref(mesh, first));
  }
  CHECK_INT(mesh->tiles[0].salt, 65535);
  REQUIRE_OK(cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  CHECK_INT(mesh->tiles[0].salt, 1);
  CHECK(cr_navmesh_is_valid_ref(mesh, first) && !cr_navmesh_is_valid_ref(mesh, cr__make_ref(0, 0, 0)));
  check_mesh(mesh);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// Of a slot's references only the one with the salt it has now is valid, and links lead to that one.
static void check_salt(const CrNavMesh *mesh, uint16_t salt) {
  const uint16_t others[] = {0, 1, 2, 3, 32767, 32768, 65533, 65534, 65535};
  CHECK_INT(mesh->tiles[0].salt, salt);
  CHECK(cr_navmesh_ref(mesh, 0, 0) == cr__make_ref(salt, 0, 0));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    CHECK(cr_navmesh_is_valid_ref(mesh, cr__make_ref(others[i], 0, 0)) == (others[i] == salt));
  }
  CHECK(mesh->tiles[1].link_count == 1 && mesh->tiles[1].links[0].target == cr_navmesh_ref(mesh, 0, 0));
  check_mesh(mesh);
}

// Saves and restores the mesh both ways; the restored one takes its place.
static CrNavMesh *restored(CrNavMesh *mesh, const CrBytes *tiles) {
  const CrTileData data[] = {{tiles[0].data, tiles[0].size}, {tiles[1].data, tiles[1].size}};
  CrBytes full, referenced;
  CrNavMesh *copy, *back;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &full, NULL));
  REQUIRE_OK(cr_navmesh_load(full.data, full.size, NULL, &copy, NULL));
  REQUIRE_OK(cr_navmesh_save_referenced(copy, NULL, &referenced, NULL));
  REQUIRE_OK(cr_navmesh_load_referenced(referenced.data, referenced.size, data, 2, NULL, &back, NULL));
  cr_bytes_free(&full);
  cr_bytes_free(&referenced);
  cr_navmesh_destroy(copy);
  cr_navmesh_destroy(mesh);
  return back;
}

TEST(the_wrap_is_the_same_by_every_way_and_through_snapshots) {
  CrBytes tiles[2];
  for (int32_t x = 0; x < 2; x++) {
    kit_begin(&kit, x, 0, 0);
    kit_rectangle(&kit, -3.5 + 7.5 * x, 2, 4 + 7.5 * x, 5, 0);
    tiles[x] = kit_encode(&kit, &params);
  }
  for (int way = 0; way < 2; way++) {
    CrNavMesh *mesh = new_mesh(NULL);
    for (int i = 0; i < 2; i++) REQUIRE_OK(cr_navmesh_add_tile(mesh, tiles[i].data, tiles[i].size, NULL, NULL));
    for (uint32_t tenant = 1; tenant <= 65535 + 3; tenant++) {
      uint16_t salt = (uint16_t)((tenant - 1) % 65535 + 1);
      bool near_wrap = tenant < 4 || tenant > 65530 || tenant == 32768;
      if (near_wrap) mesh = restored(mesh, tiles);
      if (near_wrap) check_salt(mesh, salt);
      if (mesh->tiles[0].salt != salt) CHECK_INT(mesh->tiles[0].salt, salt);
      if (way == 0) {
        REQUIRE_OK(cr_navmesh_replace_tile(mesh, tiles[0].data, tiles[0].size, NULL, NULL));
        continue;
      }
      REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
      if (near_wrap) mesh = restored(mesh, tiles);  // an empty slot keeps its salt too
      CHECK(!cr_navmesh_is_valid_ref(mesh, cr__make_ref(salt, 0, 0)));
      REQUIRE_OK(cr_navmesh_add_tile(mesh, tiles[0].data, tiles[0].size, NULL, NULL));
    }
    CHECK_INT(mesh->edit_count, 2 + (uint64_t)(way + 1) * (65535 + 3));
    cr_navmesh_destroy(mesh);
  }
  for (int i = 0; i < 2; i++) cr_bytes_free(&tiles[i]);
}

TEST(forged_references_are_refused) {
  CrNavMesh *mesh = new_mesh(NULL);
  uint64_t seed = 1;
  add_random(mesh, &seed, 0, 0);
  add_random(mesh, &seed, 1, 0);
  uint32_t polygons = mesh->tiles[1].polygon_count;
  CrPolyRef last = cr_navmesh_ref(mesh, 1, polygons - 1);
  CHECK(cr_navmesh_is_valid_ref(mesh, last));
  const CrPolyRef forged[] = {0,
                              UINT64_MAX,
                              last + 1,
                              last ^ (CrPolyRef)1 << 48,
                              last + ((CrPolyRef)1 << 24),
                              last & 0xFFFFFFFFFFFF,
                              last | 0xFFFFFF,
                              last | (CrPolyRef)0xFFFFFF << 24};
  for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
    CrPolygonInfo info;
    CHECK(!cr_navmesh_is_valid_ref(mesh, forged[i]));
    CHECK_STATUS(cr_navmesh_polygon(mesh, forged[i], &info), CR_STATUS_STALE_REF);
    CHECK_STATUS(cr_navmesh_set_area(mesh, forged[i], 1, NULL), CR_STATUS_STALE_REF);
    CHECK_STATUS(cr_navmesh_set_flags(mesh, forged[i], 1, NULL), CR_STATUS_STALE_REF);
  }
  CHECK(cr_navmesh_ref(mesh, 1, polygons) == CR_INVALID_REF && cr_navmesh_ref(mesh, 2, 0) == CR_INVALID_REF);
  CHECK_INT(cr_navmesh_edit_count(mesh), 2);
  cr_navmesh_destroy(mesh);
}

TEST(areas_and_flags_count_when_they_differ) {
  CrNavMesh *mesh = new_mesh(NULL);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, -3, 2, 0, 5, 0);
  kit_add(&kit, mesh);
  CrPolyRef ref = cr_navmesh_ref(mesh, 0, 0);
  CrPolygonInfo info;
  CrTileInfo before, after;
  CrError error = {0};
  CHECK_OK(cr_navmesh_tile_info(mesh, 0, &before));
  CHECK_OK(cr_navmesh_set_area(mesh, ref, 0, NULL));
  CHECK_OK(cr_navmesh_set_flags(mesh, ref, 1, NULL));
  CHECK_INT(mesh->edit_count, 1);
  CHECK_STATUS(cr_navmesh_set_area(mesh, ref, 64, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "area") == 0 && error.limit == 63 && mesh->edit_count == 1);
  CHECK_OK(cr_navmesh_set_area(mesh, ref, 63, NULL));
  CHECK_OK(cr_navmesh_set_flags(mesh, ref, 0, NULL));
  CHECK_INT(mesh->edit_count, 3);
  CHECK_OK(cr_navmesh_polygon(mesh, ref, &info));
  CHECK(info.area == 63 && info.flags == 0);
  CHECK_OK(cr_navmesh_tile_info(mesh, 0, &after));
  // The content hash names the tile whatever its areas and flags are at the moment.
  CHECK(after.salt == before.salt && after.content_hash == before.content_hash);
  cr_navmesh_destroy(mesh);
}

TEST(triangles_are_those_of_the_polygons) {
  CrNavMesh *mesh = new_mesh(NULL);
  uint64_t seed = 12;
  for (int32_t i = 0; i < 6; i++) add_random(mesh, &seed, i, 0);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 2, 0, 0, NULL));
  uint32_t count = cr_navmesh_triangle_count(mesh);
  double *positions = malloc(count * 9 * sizeof *positions), area = 0, expected = 0;
  uint8_t *areas = malloc(count);
  memset(areas, 0xFF, count);
  cr_navmesh_triangles(mesh, positions, areas);
  cr_navmesh_triangles(mesh, NULL, NULL);
  for (uint32_t t = 0; t < count; t++) {
    const double *p = positions + (size_t)t * 9;
    area += (p[3] - p[0]) * (p[8] - p[2]) - (p[5] - p[2]) * (p[6] - p[0]);
    CHECK(areas[t] <= CR_MAX_AREA);
  }
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    for (uint32_t p = 0; cr_navmesh_ref(mesh, slot, p); p++) {
      CrPolygonInfo info;
      CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, slot, p), &info));
      for (uint32_t k = 0; k < info.vertex_count; k++) {
        CrVec3 a = info.vertices[k], b = info.vertices[(k + 1) % info.vertex_count];
        expected += a.x * b.z - a.z * b.x;
      }
    }
  }
  CHECK_NEAR(area, expected, 1e-9 * expected);
  CHECK(area > 100);
  free(positions);
  free(areas);
  cr_navmesh_destroy(mesh);
}

// --- Random edits ---------------------------------------------------------------------------------------------------

#define SIDE 3
#define LAYERS 2
#define PLACES (SIDE * SIDE * LAYERS)
#define MAX_REFS 512

// What the mesh should be, kept apart from it.
typedef struct Model {
  CrBytes tiles[PLACES];  // empty: no tile
  uint32_t slots[PLACES];
  bool slot_taken[PLACES];
  uint16_t salts[PLACES];
  uint32_t slot_count;
  uint64_t edits;
  CrPolyRef refs[MAX_REFS];  // references handed out at some time
  uint32_t ref_count;
} Model;

static int32_t place_x(int place) { return place % SIDE - 1; }
static int32_t place_z(int place) { return place / SIDE % SIDE - 1; }
static int32_t place_layer(int place) { return place / (SIDE * SIDE); }

static uint32_t model_take_slot(Model *model) {
  for (uint32_t slot = 0;; slot++) {
    if (slot < model->slot_count && model->slot_taken[slot]) continue;
    if (slot == model->slot_count) model->salts[model->slot_count++] = 1;
    model->slot_taken[slot] = true;
    return slot;
  }
}

static void model_bump(Model *model, uint32_t slot) {
  model->salts[slot] = (uint16_t)(model->salts[slot] == 65535 ? 1 : model->salts[slot] + 1);
}

static void edit_tile(Model *model, CrNavMesh *mesh, int place, uint64_t *seed) {
  bool stands = model->tiles[place].size > 0, replace = rnd_int(seed, 2);
  CrBytes bytes = random_tile(seed, place_x(place), place_z(place), place_layer(place));
  uint32_t slot = UINT32_MAX;
  CrStatus status = replace ? cr_navmesh_replace_tile(mesh, bytes.data, bytes.size, &slot, NULL)
                            : cr_navmesh_add_tile(mesh, bytes.data, bytes.size, &slot, NULL);
  if (stands && !replace) {
    CHECK_STATUS(status, CR_STATUS_OCCUPIED);
    cr_bytes_free(&bytes);
    return;
  }
  CHECK_OK(status);
  if (stands)
    model_bump(model, model->slots[place]);
  else
    model->slots[place] = model_take_slot(model);
  CHECK_INT(slot, model->slots[place]);
  cr_bytes_free(&model->tiles[place]);
  model->tiles[place] = bytes;
  model->edits++;
}

static void remove_tile(Model *model, CrNavMesh *mesh, int place) {
  CrStatus status = cr_navmesh_remove_tile(mesh, place_x(place), place_z(place), place_layer(place), NULL);
  CHECK_STATUS(status, model->tiles[place].size ? CR_STATUS_OK : CR_STATUS_NOT_FOUND);
  if (!model->tiles[place].size) return;
  cr_bytes_free(&model->tiles[place]);
  model->slot_taken[model->slots[place]] = false;
  model_bump(model, model->slots[place]);
  model->edits++;
}
static void edit_polygon(Model *model, CrNavMesh *mesh, int place, uint64_t *seed) {
  CrBytes *bytes = &model->tiles[place];
  uint32_t polygons = 0;
  if (bytes->size) memcpy(&polygons, bytes->data + 24, 4);
  if (!polygons) return;
  uint32_t polygon = (uint32_t)rnd_int(seed, (int32_t)polygons);
  CrPolyRef ref = cr_navmesh_ref(mesh, model->slots[place], polygon);
  uint8_t *area = bytes->data + kit_areas_offset(bytes->data) + polygon;
  uint8_t *flags = bytes->data + kit_areas_offset(bytes->data) + polygons + (size_t)polygon * 2;
  if (rnd_int(seed, 2)) {
    uint8_t value = (uint8_t)rnd_int(seed, 3);
    CHECK_OK(cr_navmesh_set_area(mesh, ref, value, NULL));
    model->edits += *area != value;
    *area = value;
  } else {
    uint16_t value = (uint16_t)rnd_int(seed, 3);
    CHECK_OK(cr_navmesh_set_flags(mesh, ref, value, NULL));
    model->edits += flags[0] != value || flags[1] != 0;
    flags[0] = (uint8_t)value;
    flags[1] = 0;
  }
}

static void check_refs(Model *model, const CrNavMesh *mesh, uint64_t *seed) {
  for (uint32_t i = 0; i < model->ref_count; i++) {
    uint32_t slot = cr__ref_slot(model->refs[i]);
    bool valid = model->slot_taken[slot] && model->salts[slot] == cr__ref_salt(model->refs[i]);
    CHECK(cr_navmesh_is_valid_ref(mesh, model->refs[i]) == valid);
  }
  uint32_t slot = (uint32_t)rnd_int(seed, PLACES);
  CrPolyRef ref = cr_navmesh_ref(mesh, slot, 0);
  uint32_t at = model->ref_count < MAX_REFS ? model->ref_count : (uint32_t)rnd_int(seed, MAX_REFS);
  if (!ref) return;
  model->refs[at] = ref;
  if (at == model->ref_count) model->ref_count++;
}

// The same tiles added in a random order to a new mesh.
static CrNavMesh *afresh(const Model *model, uint64_t *seed) {
  CrNavMesh *mesh = new_mesh(NULL);
  int order[PLACES];
  for (int i = 0; i < PLACES; i++) order[i] = i;
  for (int i = PLACES - 1; i > 0; i--) {
    int k = rnd_int(seed, i + 1), swap = order[i];
    order[i] = order[k];
    order[k] = swap;
  }
  for (int i = 0; i < PLACES; i++) {
    const CrBytes *bytes = &model->tiles[order[i]];
    if (bytes->size) REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes->data, bytes->size, NULL, NULL));
  }
  return mesh;
}

static void check_against_model(Model *model, const CrNavMesh *mesh, uint64_t *seed) {
  CrNavMesh *fresh = afresh(model, seed);
  const char *difference = kit_difference(mesh, fresh);
  if (difference) printf("  %s\n", difference);
  CHECK(!difference);
  CHECK(mesh->edit_count == model->edits && mesh->slot_count == model->slot_count);
  for (uint32_t slot = 0; slot < model->slot_count; slot++) CHECK_INT(mesh->tiles[slot].salt, model->salts[slot]);
  check_refs(model, mesh, seed);
  check_mesh(mesh);
  cr_navmesh_destroy(fresh);
}

TEST(random_edits_equal_meshes_made_afresh) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  uint64_t edits = 0, links = 0;
  int steps = 180 * check_scale();
  for (uint64_t run = 1; run <= 20; run++) {
    check_seed = run;
    uint64_t seed = run;
    static Model model;
    memset(&model, 0, sizeof model);
    CrNavMesh *mesh = new_mesh(&allocator);
    for (int step = 0; step < steps && check_failures < 20; step++) {
      int place = rnd_int(&seed, PLACES), kind = rnd_int(&seed, 10);
      if (kind < 4)
        edit_tile(&model, mesh, place, &seed);
      else if (kind < 7)
        remove_tile(&model, mesh, place);
      else
        edit_polygon(&model, mesh, place, &seed);
      check_against_model(&model, mesh, &seed);
      for (uint32_t slot = 0; slot < mesh->slot_count; slot++) links += mesh->tiles[slot].link_count;
    }
    edits += mesh->edit_count;
    cr_navmesh_destroy(mesh);
    for (int i = 0; i < PLACES; i++) cr_bytes_free(&model.tiles[i]);
  }
  printf("  %" PRIu64 " edits, %" PRIu64 " links compared\n", edits, links);
  CHECK(edits > 1900 && links > 5000);
  CHECK_INT(memory.live_blocks, 0);
  CHECK_INT(memory.live_bytes, 0);
}

// --- Failing allocations --------------------------------------------------------------------------------------------
typedef struct Attempt {
  int kind;  // 0 add, 1 replace, 2 remove
  CrBytes bytes;
  int32_t x, z;
} Attempt;

static CrStatus try_edit(CrNavMesh *mesh, const Attempt *attempt, CrError *error) {
  if (attempt->kind == 2) return cr_navmesh_remove_tile(mesh, attempt->x, attempt->z, 0, error);
  if (attempt->kind == 1) return cr_navmesh_replace_tile(mesh, attempt->bytes.data, attempt->bytes.size, NULL, error);
  return cr_navmesh_add_tile(mesh, attempt->bytes.data, attempt->bytes.size, NULL, error);
}

// A mesh of 12 tiles with many links, in which one edit fails at its k-th allocation for every k.
static int fail_everywhere(uint64_t seed, Attempt *attempt) {
  int failures = 0;
  for (int64_t k = 1;; k++) {
    uint64_t state = seed;
    TestMemory memory = {0};
    CrAllocator allocator = test_allocator(&memory);
    CrNavMesh *mesh = new_mesh(&allocator);
    for (int32_t i = 0; i < 12; i++) {
      if (i != 5 || attempt->kind) add_random(mesh, &state, i % 4 - 1, i / 4 - 1);
    }
    if (k % 2) REQUIRE_OK(cr_navmesh_remove_tile(mesh, 2, 1, 0, NULL));
    CrBytes before = kit_save(mesh), after;
    int64_t blocks = memory.live_blocks;
    CrError error = {0};
    memory.fail_at = memory.total_allocations + k;
    CrStatus status = try_edit(mesh, attempt, &error);
    memory.fail_at = 0;
    check_mesh(mesh);
    after = kit_save(mesh);
    bool same = after.size == before.size && memcmp(after.data, before.data, after.size) == 0;
    if (status != CR_STATUS_OK) {
      CHECK_INT(status, CR_STATUS_OUT_OF_MEMORY);
      CHECK_INT(error.status, CR_STATUS_OUT_OF_MEMORY);
      CHECK(same);
      // Arrays that merely grew may stay grown.
      CHECK(memory.live_blocks >= blocks && memory.live_blocks <= blocks + 2);
      CHECK_OK(try_edit(mesh, attempt, &error));
      check_mesh(mesh);
      failures++;
    } else {
      CHECK(!same);
    }
    cr_bytes_free(&before);
    cr_bytes_free(&after);
    cr_navmesh_destroy(mesh);
    CHECK_INT(memory.live_blocks, 0);
    if (status == CR_STATUS_OK) return failures;
  }
}

TEST(failed_allocations_change_nothing) {
  int failures[3] = {0};
  for (uint64_t seed = 1; seed <= 6; seed++) {
    check_seed = seed;
    for (int kind = 0; kind < 3; kind++) {
      uint64_t state = seed + 100;
      Attempt attempt = {kind, random_tile(&state, 0, 0, 0), 0, 0};
      failures[kind] += fail_everywhere(seed, &attempt);
      cr_bytes_free(&attempt.bytes);
    }
  }
  printf("  failures survived: %d adding, %d replacing, %d removing\n", failures[0], failures[1], failures[2]);
  for (int kind = 0; kind < 3; kind++) CHECK(failures[kind] > 50);
}

TEST(a_failed_creation_is_reported) {
  TestMemory memory = {.fail_at = 1};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = NULL;
  CHECK_STATUS(cr_navmesh_create(&params, &allocator, &mesh, NULL), CR_STATUS_OUT_OF_MEMORY);
  CHECK(!mesh && memory.live_blocks == 0);
}

TEST(bad_bytes_change_nothing) {
  CrNavMesh *mesh = new_mesh(NULL);
  uint64_t seed = 2;
  for (int32_t i = 0; i < 6; i++) add_random(mesh, &seed, i % 3, i / 3);
  CrBytes tile = random_tile(&seed, 1, 1, 0), before = kit_save(mesh);
  for (size_t size = 0; size < tile.size; size++) {
    CrError error = {0};
    CHECK_STATUS(cr_navmesh_replace_tile(mesh, tile.data, size, NULL, &error), CR_STATUS_TRUNCATED);
    CHECK(error.format == CR_FORMAT_NAVMESH && error.field && error.offset <= size);
  }
  CrBytes after = kit_save(mesh);
  CHECK(after.size == before.size && memcmp(after.data, before.data, after.size) == 0);
  cr_bytes_free(&after);
  cr_bytes_free(&before);
  cr_bytes_free(&tile);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(params_are_checked_by_name), RUN(an_empty_mesh_answers),
          RUN(slots_are_lowest_free_and_salts_tell_tenants_apart), RUN(salts_wrap_past_zero),
          RUN(the_wrap_is_the_same_by_every_way_and_through_snapshots), RUN(forged_references_are_refused),
          RUN(areas_and_flags_count_when_they_differ), RUN(triangles_are_those_of_the_polygons),
          RUN(random_edits_equal_meshes_made_afresh), RUN(failed_allocations_change_nothing),
          RUN(a_failed_creation_is_reported), RUN(bad_bytes_change_nothing))
