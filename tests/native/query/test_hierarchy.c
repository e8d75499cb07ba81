// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Hierarchical searches against plain ones: the same polygons reached, the same closest points, routes hardly longer, in any slices;
// their limits and memory.
#include "hierarchy_kit.h"

static KitRoute plain, ours, again;

// World `number`: tiled worlds of some dozen to some thousand polygons.
static CrNavMesh *tiled_world(int number) {
  uint64_t seed = 300 + (uint64_t)number;
  CrNavMesh *mesh;
  switch (number % 8) {
    case 0:
      mesh = world_scattered(seed, 60, 60, 1.0, 0.3, 6, NULL);
      break;
    case 1:
      mesh = world_warped(seed, 8, 5, 1.0, 0.2, 0.3, -20.0);
      break;
    case 2:
      mesh = world_two_floors(seed, 40, 36, 1.0, 4.0, 12, 6, NULL);
      break;
    case 3:
      mesh = world_maze(seed, 24, 1.0, 7, NULL);
      break;
    case 4:
      mesh = world_warped(seed, 6, 7, 1.0, 0.35, 0.0, 0.0);
      break;
    case 5:
      mesh = world_scattered(seed, 50, 50, 0.8, 0.42, 10, NULL);
      break;
    case 6:
      mesh = world_two_floors(seed, 30, 30, 1.0, 5.0, 30, 5, NULL);
      break;
    default:
      mesh = world_scattered(seed, 48, 48, 1.0, 0.1, 4, NULL);
      break;
  }
  if (number / 8 % 2) scatter_areas(mesh, &seed, 0.2);
  return mesh;
}

static bool same_costs(const CrQueryFilter *filter) {
  for (int area = 1; filter && area < 64; area++) {
    if (filter->area_cost[area] != filter->area_cost[0]) return false;
  }
  return true;
}

typedef struct Counts {
  int64_t success, partial, over_gates;
} Counts;

static void compare_search(const CrNavMesh *mesh, CrNavMeshQuery *const queries[2], const KitSearch *search,
                           KitRatios *ratios, Counts *counts) {
  kit_find(queries[0], search, &plain);
  kit_find(queries[1], search, &ours);
  CHECK_INT(ours.result.outcome, plain.result.outcome);
  CHECK(cr__same_point(ours.result.end, plain.result.end));
  CHECK(!plain.result.out_of_nodes && !ours.result.out_of_nodes);
  CHECK(kit_connected(mesh, search, &ours));
  kit_note(&ours);
  counts->success += ours.result.outcome == CR_PATH_SUCCESS;
  counts->partial += ours.result.outcome == CR_PATH_PARTIAL;
  counts->over_gates += queries[1]->hierarchy->phase == CR_PHASE_DONE;
  if (ours.result.outcome == CR_PATH_SUCCESS) CHECK(ours.path[ours.result.count - 1] == search->end_ref);
  double length = kit_length(mesh, search, &ours), other = kit_length(mesh, search, &plain);
  CHECK(length >= 0.0 && other >= 0.0);
  bool comparable = ours.result.outcome == CR_PATH_SUCCESS && other > 5.0 && same_costs(search->filter);
  if (comparable) kit_add_ratio(ratios, length / other);
}

TEST(reaches_what_plain_search_reaches) {
  static KitRatios ratios[2];
  Counts counts = {0};
  for (int number = 0; number < 16; number++) {
    CrNavMesh *mesh = tiled_world(number);
    for (int model = 0; model < 2; model++) {
      CrNavMeshQuery *queries[2];
      for (int i = 0; i < 2; i++) queries[i] = kit_query(mesh, (CrNodeModel)model, i == 1, 8u << (number % 4));
      uint64_t seed = 400 + (uint64_t)number;
      for (int64_t i = check_scaled(60); i > 0; i--) {
        CrQueryFilter storage;
        KitSearch search;
        check_seed = seed;
        if (!kit_random_search(mesh, filter_number((int)(i / 8), &storage), &seed, &search)) continue;
        compare_search(mesh, queries, &search, &ratios[model], &counts);
      }
      for (int i = 0; i < 2; i++) cr_query_destroy(queries[i]);
    }
    cr_navmesh_destroy(mesh);
  }
  double mean, p99;
  printf("  %lld reached, %lld not, %lld of all over gates\n", (long long)counts.success, (long long)counts.partial,
         (long long)counts.over_gates);
  kit_report(&ratios[0], "polygon nodes, tiny clusters", &mean, &p99);
  CHECK(mean < 1.05);
  kit_report(&ratios[1], "crossing nodes, tiny clusters", &mean, &p99);
  CHECK(mean < 1.06);
  CHECK(counts.partial > check_scaled(100) && counts.over_gates * 10 > (counts.success + counts.partial) * 7);
}

TEST(any_slices_give_the_same_route) {
  int64_t slices = 0;
  for (int number = 0; number < 8; number++) {
    CrNavMesh *mesh = tiled_world(number);
    CrNavMeshQuery *whole = kit_query(mesh, CR_NODE_MODEL_POLYGON, true, 16);
    CrNavMeshQuery *sliced = kit_query(mesh, CR_NODE_MODEL_POLYGON, true, 16);
    uint64_t seed = 500 + (uint64_t)number;
    for (int64_t i = check_scaled(40); i > 0; i--) {
      KitSearch s;
      check_seed = seed;
      if (!kit_random_search(mesh, NULL, &seed, &s)) continue;
      kit_find(whole, &s, &ours);
      cr_query_begin_path(sliced, s.start_ref, s.start, s.end_ref, s.end, NULL);
      for (int64_t expanded; cr_query_finish_path(sliced, again.path, KIT_PATH).outcome == CR_PATH_IN_PROGRESS;
           slices++) {
        int64_t budget = 1 + rnd_int(&seed, 40);
        cr_query_update_path(sliced, budget, &expanded);
        CHECK(expanded <= budget);
        CrPathResult so_far = cr_query_finish_path(sliced, again.path, KIT_PATH);
        CHECK(so_far.count >= 1 && again.path[0] == s.start_ref);
      }
      again.result = cr_query_finish_path(sliced, again.path, KIT_PATH);
      CHECK(kit_same(&ours, &again));
    }
    cr_query_destroy(whole);
    cr_query_destroy(sliced);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld slices\n", (long long)slices);
  CHECK(slices > check_scaled(500));
}

TEST(few_nodes_give_a_route_and_short_buffers_its_beginning) {
  CrNavMesh *mesh = tiled_world(0);
  uint64_t seed = 600;
  int64_t ran_out = 0, whole = 0;
  for (int32_t nodes = CR_QUERY_MIN_NODES; nodes <= 4096; nodes *= 2) {
    CrQueryOptions options = {nodes, CR_NODE_MODEL_POLYGON, true};
    CrNavMeshQuery *query = NULL;
    REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
    query->hierarchy->wanted_polygons = 16;
    query->hierarchy->near_nodes = INT32_MIN;
    for (int64_t i = check_scaled(60); i > 0; i--) {
      KitSearch s;
      check_seed = seed;
      if (!kit_random_search(mesh, NULL, &seed, &s)) continue;
      kit_find(query, &s, &ours);
      CHECK(ours.result.outcome == CR_PATH_SUCCESS || ours.result.outcome == CR_PATH_PARTIAL);
      CHECK(kit_connected(mesh, &s, &ours));
      ran_out += ours.result.out_of_nodes;
      whole += !ours.result.out_of_nodes;
      int32_t part = ours.result.count / 2 + 1;
      CrPolyRef path[2048];
      CrPathResult cut;
      if (part > 2048) continue;
      CHECK_OK(cr_query_find_path(query, s.start_ref, s.start, s.end_ref, s.end, NULL, path, part, &cut, NULL));
      CHECK(cut.count == part && cut.truncated == (part < ours.result.count) && cut.outcome == ours.result.outcome);
      CHECK(memcmp(path, ours.path, (size_t)part * sizeof *path) == 0 && cr__same_point(cut.end, ours.result.end));
    }
    cr_query_destroy(query);
  }
  printf("  %lld searches ran out of nodes, %lld did not\n", (long long)ran_out, (long long)whole);
  CHECK(ran_out > check_scaled(60) && whole > check_scaled(60));
  cr_navmesh_destroy(mesh);
}

// The search with room for everything, then again: nothing more is taken.
static void check_steady(CrNavMeshQuery *query, const CrNavMesh *mesh, TestMemory *memory) {
  uint64_t seed = 700;
  int64_t before = memory->total_allocations;
  for (int i = 0; i < 40; i++) {
    KitSearch s;
    CrQueryFilter storage;
    if (kit_random_search(mesh, filter_number(i / 10, &storage), &seed, &s)) kit_find(query, &s, &ours);
  }
  CHECK_INT(memory->total_allocations, before);
}

TEST(every_failed_allocation_is_reported) {
  CrNavMesh *mesh = world_scattered(7, 30, 30, 1.0, 0.2, 6, NULL);
  CrQueryOptions options = {1024, CR_NODE_MODEL_POLYGON, true};
  int64_t k = 1;
  for (CrStatus status = CR_STATUS_OUT_OF_MEMORY; status != CR_STATUS_OK; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrNavMeshQuery *query = NULL;
    status = cr_query_create(mesh, &options, &allocator, &query, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    if (status == CR_STATUS_OK) {
      query->hierarchy->wanted_polygons = 16;
      check_steady(query, mesh, &memory);
    }
    cr_query_destroy(query);
    CHECK_INT(memory.live_blocks, 0);
    CHECK_INT(memory.live_bytes, 0);
  }
  printf("  %lld allocations to make a query\n", (long long)(k - 2));
  CHECK(k > 15);
  cr_navmesh_destroy(mesh);
}

// Moves all tiles of one mesh into another that has the same grid.
static void pour(CrNavMesh *into, const CrNavMesh *from) {
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(from); slot++) {
    CrBytes bytes;
    if (cr_navmesh_tile_bytes(from, slot, NULL, &bytes, NULL) != CR_STATUS_OK) continue;
    REQUIRE_OK(cr_navmesh_replace_tile(into, bytes.data, bytes.size, NULL, NULL));
    cr_bytes_free(&bytes);
  }
}

TEST(a_mesh_that_grows_takes_memory_at_the_next_search) {
  CrNavMesh *large = world_scattered(8, 96, 96, 1.0, 0.2, 6, NULL);
  CrQueryOptions options = {4096, CR_NODE_MODEL_POLYGON, true};
  int64_t failures = 0;
  for (int64_t k = 1;; k++) {
    CrNavMesh *mesh = world_scattered(8, 18, 18, 1.0, 0.2, 6, NULL);
    TestMemory memory = {0};
    CrAllocator allocator = test_allocator(&memory);
    CrNavMeshQuery *query = NULL;
    REQUIRE_OK(cr_query_create(mesh, &options, &allocator, &query, NULL));
    query->hierarchy->wanted_polygons = 16;
    int64_t made = memory.total_allocations;
    pour(mesh, large);
    uint64_t seed = 900;
    KitSearch s;
    REQUIRE(kit_random_search(mesh, NULL, &seed, &s));
    memory.fail_at = made + k;
    CrPathResult result;
    CrStatus status =
        cr_query_find_path(query, s.start_ref, s.start, s.end_ref, s.end, NULL, ours.path, KIT_PATH, &result, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    bool grown = status == CR_STATUS_OK;
    failures += !grown;
    if (grown) CHECK(memory.total_allocations > made);
    if (!grown) {
      memory.fail_at = memory.total_allocations + 1;
      CHECK_INT(cr_query_begin_path(query, s.start_ref, s.start, s.end_ref, s.end, NULL), CR_PATH_FAILED);
      CHECK_INT(cr_query_update_path(query, 10, NULL), CR_PATH_FAILED);
      memory.fail_at = 0;
      kit_find(query, &s, &ours);
      CHECK(ours.result.outcome == CR_PATH_SUCCESS || ours.result.outcome == CR_PATH_PARTIAL);
    }
    check_steady(query, mesh, &memory);
    cr_query_destroy(query);
    CHECK_INT(memory.live_bytes, 0);
    cr_navmesh_destroy(mesh);
    if (grown) break;
  }
  CHECK(failures >= 3);
  cr_navmesh_destroy(large);
}

TEST(options_are_checked) {
  CrNavMesh *mesh = world_scattered(9, 12, 12, 1.0, 0.2, 6, NULL);
  CrQueryOptions options = {1024, CR_NODE_MODEL_EXACT, true};
  CrNavMeshQuery *query = NULL;
  CrError error;
  CHECK_STATUS(cr_query_create(mesh, &options, NULL, &query, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.hierarchical") == 0 && query == NULL);
  cr_navmesh_destroy(mesh);
}

TEST(an_empty_mesh_can_be_filled) {
  CrNavMesh *large = world_scattered(10, 40, 40, 1.0, 0.2, 5, NULL), *mesh = NULL;
  CrNavMeshParams params = cr_navmesh_params(large);
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  CrNavMeshQuery *query = kit_query(mesh, CR_NODE_MODEL_POLYGON, true, 16);
  pour(mesh, large);
  CrNavMeshQuery *queries[2] = {kit_query(mesh, CR_NODE_MODEL_POLYGON, false, 0), query};
  static KitRatios ratios;
  Counts counts = {0};
  uint64_t seed = 11;
  KitSearch s;
  for (int i = 0; i < 50; i++) {
    if (kit_random_search(mesh, NULL, &seed, &s)) compare_search(mesh, queries, &s, &ratios, &counts);
  }
  CHECK(counts.over_gates > 25);
  for (int i = 0; i < 2; i++) cr_query_destroy(queries[i]);
  cr_navmesh_destroy(mesh);
  cr_navmesh_destroy(large);
}

TEST_MAIN(RUN(reaches_what_plain_search_reaches), RUN(any_slices_give_the_same_route),
          RUN(few_nodes_give_a_route_and_short_buffers_its_beginning), RUN(every_failed_allocation_is_reported),
          RUN(a_mesh_that_grows_takes_memory_at_the_next_search), RUN(options_are_checked),
          RUN(an_empty_mesh_can_be_filled))
