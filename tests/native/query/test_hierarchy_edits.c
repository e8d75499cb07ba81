// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Hierarchical searches through edits: a query that has seen thousands of them answers bit for bit like one made anew for
// the mesh as it is, and reaches what a plain search reaches. What one edit costs does not depend on the size of the mesh.
#include "hierarchy_kit.h"

static KitRoute plain, ours, fresh;

#define VARIANTS 3

// Meshes of one grid, whose tiles take each other's places.
typedef struct Field {
  CrNavMesh *mesh;
  CrNavMesh *variants[VARIANTS];
  uint64_t seed;
  int64_t edits, refused;
} Field;

static CrNavMesh *variant(int kind, uint64_t seed) {
  switch (kind) {
    case 0:
      return world_warped(seed, 7, 5, 1.0, 0.2, 0.3, -10.0);
    case 1:
      return world_two_floors(seed, 36, 36, 1.0, 4.0, 14, 6, NULL);
    case 2:
      return world_scattered(seed, 40, 40, 1.0, 0.35, 5, NULL);
    default:
      return world_two_floors(seed, 24, 24, 1.0, 4.0, 40, 4, NULL);
  }
}

static void open_field(Field *field, int kind) {
  field->seed = 50 + (uint64_t)kind;
  field->edits = field->refused = 0;
  field->mesh = variant(kind, 20 + (uint64_t)kind);
  for (int i = 0; i < VARIANTS; i++) field->variants[i] = variant(kind, 30 + (uint64_t)(10 * kind + i));
}

static void close_field(Field *field) {
  cr_navmesh_destroy(field->mesh);
  for (int i = 0; i < VARIANTS; i++) cr_navmesh_destroy(field->variants[i]);
}

static void put_tile(Field *field) {
  const CrNavMesh *from = field->variants[rnd_int(&field->seed, VARIANTS)];
  CrBytes bytes;
  uint32_t slot = (uint32_t)rnd_int(&field->seed, (int32_t)cr_navmesh_slot_count(from));
  if (cr_navmesh_tile_bytes(from, slot, NULL, &bytes, NULL) != CR_STATUS_OK) return;
  CrStatus status = cr_navmesh_replace_tile(field->mesh, bytes.data, bytes.size, NULL, NULL);
  CHECK(status == CR_STATUS_OK);
  cr_bytes_free(&bytes);
}

static void remove_tile(Field *field) {
  CrTileInfo info;
  uint32_t slot = (uint32_t)rnd_int(&field->seed, (int32_t)cr_navmesh_slot_count(field->mesh));
  if (cr_navmesh_tile_info(field->mesh, slot, &info) != CR_STATUS_OK) return;
  CHECK_OK(cr_navmesh_remove_tile(field->mesh, info.x, info.z, info.layer, NULL));
}

static void edit(Field *field) {
  CrPolyRef ref;
  int32_t kind = rnd_int(&field->seed, 20);
  uint64_t before = cr_navmesh_edit_count(field->mesh);
  world_random_point(field->mesh, &field->seed, &ref);
  if (kind < 8) {
    CHECK_OK(cr_navmesh_set_area(field->mesh, ref, (uint8_t)rnd_int(&field->seed, 5), NULL));
  } else if (kind < 16) {
    CHECK_OK(cr_navmesh_set_flags(field->mesh, ref, (uint16_t)(1u << rnd_int(&field->seed, 3)), NULL));
  } else if (kind < 19) {
    put_tile(field);
  } else {
    remove_tile(field);
  }
  field->edits += cr_navmesh_edit_count(field->mesh) != before;
}

static CrNavMeshQuery *edited_query(const Field *field, CrNodeModel model, size_t arena) {
  CrNavMeshQuery *query = kit_query(field->mesh, model, true, 20);
  query->hierarchy->arena.forced = arena;
  return query;
}

static void compare_with_fresh(const Field *field, CrNavMeshQuery *old, CrNodeModel model, size_t arena,
                               const KitSearch *search) {
  CrNavMeshQuery *made = edited_query(field, model, arena);
  kit_find(old, search, &ours);
  kit_find(made, search, &fresh);
  CHECK(kit_same(&ours, &fresh));
  cr_query_destroy(made);
}

typedef struct Tally {
  int64_t searches, partial, over_gates;
} Tally;

static void compare_with_plain(const Field *field, CrNavMeshQuery *query, const KitSearch *search, Tally *tally) {
  kit_find(query, search, &plain);
  CHECK_INT(ours.result.outcome, plain.result.outcome);
  CHECK(cr__same_point(ours.result.end, plain.result.end));
  CHECK(kit_connected(field->mesh, search, &ours));
  kit_note(&ours);
  tally->searches++;
  tally->partial += ours.result.outcome == CR_PATH_PARTIAL;
}

static void campaign(int kind, size_t arena, Tally *tally, int64_t *edits) {
  Field field;
  open_field(&field, kind);
  CrNodeModel model = (CrNodeModel)(kind & 1);
  // One sees one filter only, so that it remembers as much as can be; the other one changing filters.
  CrNavMeshQuery *one = edited_query(&field, model, arena), *changing = edited_query(&field, model, arena);
  CrNavMeshQuery *without = kit_query(field.mesh, model, false, 0);
  CrQueryFilter storage, steady_storage;
  const CrQueryFilter *steady = filter_number(2, &steady_storage);
  for (int64_t i = check_scaled(250); i > 0; i--) {
    check_seed = field.seed;
    for (int32_t k = 1 + rnd_int(&field.seed, 6); k > 0; k--) edit(&field);
    KitSearch search;
    if (kit_random_search(field.mesh, steady, &field.seed, &search)) {
      compare_with_fresh(&field, one, model, arena, &search);
      tally->over_gates += one->hierarchy->phase == CR_PHASE_DONE;
      compare_with_plain(&field, without, &search, tally);
    }
    const CrQueryFilter *filter = filter_number(rnd_int(&field.seed, 6), &storage);
    if (i % 4 == 0 && kit_random_search(field.mesh, filter, &field.seed, &search)) {
      compare_with_fresh(&field, changing, model, arena, &search);
      tally->over_gates += changing->hierarchy->phase == CR_PHASE_DONE;
      compare_with_plain(&field, without, &search, tally);
    }
  }
  *edits += field.edits;
  cr_query_destroy(one);
  cr_query_destroy(changing);
  cr_query_destroy(without);
  close_field(&field);
}

TEST(results_are_a_function_of_the_mesh) {
  Tally tally = {0};
  int64_t edits = 0;
  for (int kind = 0; kind < 4; kind++) campaign(kind, 0, &tally, &edits);
  printf("  %lld edits, %lld searches, %lld of them partial, %lld over gates\n", (long long)edits,
         (long long)tally.searches, (long long)tally.partial, (long long)tally.over_gates);
  CHECK(edits > check_scaled(2500) && tally.searches > check_scaled(1000) && tally.partial > check_scaled(20));
  CHECK(tally.over_gates * 10 > tally.searches * 8);
}

// With little memory what is not needed is forgotten, and what does not fit at all is searched without gates: the same for old and new.
TEST(little_memory_makes_no_difference_to_old_and_new) {
  Tally tally = {0};
  int64_t edits = 0;
  for (int kind = 0; kind < 4; kind++) campaign(kind, kind % 2 ? 40000 : 90000, &tally, &edits);
  printf("  %lld edits, %lld searches, %lld over gates\n", (long long)edits, (long long)tally.searches,
         (long long)tally.over_gates);
  CHECK(tally.over_gates > check_scaled(100) && tally.over_gates < tally.searches - check_scaled(20));
}

// The nodes expanded to find costs again after one edit: those of the cluster it was in, whatever the size of the mesh.
TEST(an_edit_costs_its_cluster) {
  int64_t after[2] = {0, 0}, cold[2] = {0, 0};
  for (int size = 0; size < 2; size++) {
    int32_t cells = size ? 120 : 60;
    CrNavMesh *mesh = world_scattered(4, cells, cells, 1.0, 0.15, 6, NULL);
    CrNavMeshQuery *query = kit_query(mesh, CR_NODE_MODEL_POLYGON, true, 40);
    uint64_t seed = 5;
    for (int i = 0; i < 20; i++) {
      KitSearch s;
      CrPolyRef door;
      int64_t expanded;
      REQUIRE(kit_random_search(mesh, NULL, &seed, &s));
      for (int round = 0; round < 3; round++) {
        // The first search finds what is missing, the second nothing, the third what the edit has changed.
        if (round == 2) world_random_point(mesh, &seed, &door);
        if (round == 2) REQUIRE_OK(cr_navmesh_set_area(mesh, door, (uint8_t)(1 + i), NULL));
        cr_query_begin_path(query, s.start_ref, s.start, s.end_ref, s.end, NULL);
        cr_query_update_path(query, INT64_MAX, &expanded);
        int64_t rows = expanded - cr_query_finish_path(query, ours.path, KIT_PATH).iterations;
        if (round == 0) cold[size] += rows;
        if (round == 1) CHECK_INT(rows, 0);
        if (round == 2) after[size] += rows;
      }
    }
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  nodes for costs, 20 searches: %lld and %lld (four times the mesh) at first, %lld and %lld after an edit "
      "each\n",
      (long long)cold[0], (long long)cold[1], (long long)after[0], (long long)after[1]);
  CHECK(after[0] < 20 * 1500 && after[1] < 20 * 1500);
}

TEST_MAIN(RUN(results_are_a_function_of_the_mesh), RUN(little_memory_makes_no_difference_to_old_and_new),
          RUN(an_edit_costs_its_cluster))
