// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Path searches at their limits: few nodes, short buffers, bad arguments, edits under way, failing allocations.
#include "query_internal.h"
#include "query_worlds.h"

#define PATH_CAPACITY 4096

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, CrNodeModel model, int32_t nodes) {
  CrQueryOptions options = {nodes, model, false};
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

static void check_route(const CrNavMesh *mesh, const CrQueryFilter *filter, const CrPolyRef *path, int32_t count,
                        CrPolyRef first, bool no_repeats) {
  CHECK(count >= 1 && path[0] == first);
  for (int32_t i = 1; i < count; i++) {
    CHECK(cr__connected(mesh, path[i - 1], path[i], filter));
    for (int32_t j = 0; no_repeats && j < i; j++) CHECK(path[i] != path[j]);
  }
}

static CrPolyRef place_in(const CrNavMesh *mesh, const CrNavMeshQuery *query, double x, double z, CrVec3 *out) {
  CrNearestPoly nearest;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(x, 0, z), cr__vec(0.1, 1, 0.1), NULL, &nearest, NULL));
  *out = nearest.point;
  CHECK(cr_navmesh_is_valid_ref(mesh, nearest.ref));
  return nearest.ref;
}

TEST(running_out_of_nodes_is_said_and_gives_a_route) {
  CrNavMesh *mesh = world_scattered(5, 40, 40, 1.0, 0.2, 0, NULL);
  CrPolyRef path[PATH_CAPACITY], ref, end_ref;
  CrVec3 start, end;
  uint64_t seed = 3;
  for (int model = 0; model < 2; model++) {
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)model, CR_QUERY_MIN_NODES);
    int32_t ran_out = 0;
    for (int i = 0; i < 50; i++) {
      start = world_random_point(mesh, &seed, &ref);
      end = world_random_point(mesh, &seed, &end_ref);
      CrPathResult result;
      CHECK_OK(cr_query_find_path(query, ref, start, end_ref, end, NULL, path, PATH_CAPACITY, &result, NULL));
      CHECK(result.outcome == CR_PATH_PARTIAL || result.outcome == CR_PATH_SUCCESS);
      check_route(mesh, NULL, path, result.count, ref, model == 0);
      ran_out += result.out_of_nodes;
    }
    CHECK(ran_out > 20);
    cr_query_destroy(query);
  }
  cr_navmesh_destroy(mesh);
}

TEST(a_long_route_is_truncated_not_lost) {
  CrNavMesh *mesh = world_maze(3, 10, 1.0, 0, NULL);
  CrPolyRef path[PATH_CAPACITY], first_part[5], a, b;
  CrVec3 start, end;
  for (int model = 0; model < 2; model++) {
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)model, CR_QUERY_DEFAULT_NODES);
    a = place_in(mesh, query, 1.5, 1.5, &start);
    b = place_in(mesh, query, 19.5, 19.5, &end);
    CrPathResult whole, part;
    CHECK_OK(cr_query_find_path(query, a, start, b, end, NULL, path, PATH_CAPACITY, &whole, NULL));
    CHECK(!whole.truncated && whole.count > 36);
    CHECK_OK(cr_query_find_path(query, a, start, b, end, NULL, first_part, 5, &part, NULL));
    CHECK(part.truncated && part.count == 5 && part.outcome == CR_PATH_SUCCESS);
    CHECK(memcmp(path, first_part, sizeof first_part) == 0);
    CHECK_OK(cr_query_find_path(query, a, start, b, end, NULL, path, whole.count, &part, NULL));
    CHECK(!part.truncated && part.count == whole.count);
    cr_query_destroy(query);
  }
  cr_navmesh_destroy(mesh);
}

TEST(bad_arguments_are_named) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_POLYGON, 64);
  CrVec3 start, end;
  CrPolyRef a = place_in(mesh, query, 0.5, 0.5, &start), b = place_in(mesh, query, 2.5, 0.5, &end), path[4];
  CrPathResult result = {.count = 77};
  CrError error;
  CrVec3 bad = {NAN, 0, 0}, far = {0, 0, 2097152.0};
  CHECK_STATUS(cr_query_find_path(query, a, bad, b, end, NULL, path, 4, &result, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "start") == 0);
  CHECK_STATUS(cr_query_find_path(query, a, start, b, far, NULL, path, 4, &result, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "end") == 0);
  CHECK_STATUS(cr_query_find_path(query, a, start, b, end, NULL, path, 0, &result, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "capacity") == 0);
  CHECK_STATUS(cr_query_find_path(query, 0, start, b, end, NULL, path, 4, &result, &error), CR_STATUS_STALE_REF);
  CHECK(strcmp(error.field, "start_ref") == 0);
  CHECK_STATUS(cr_query_find_path(query, a, start, b + 100, end, NULL, path, 4, &result, &error), CR_STATUS_STALE_REF);
  CHECK(strcmp(error.field, "end_ref") == 0);
  CrQueryFilter broken = cr_query_filter_default();
  broken.area_cost[63] = NAN;
  CHECK_STATUS(cr_query_find_path(query, a, start, b, end, &broken, path, 4, &result, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "filter.area_cost") == 0 && error.index == 63);
  CHECK_INT(cr_query_begin_path(query, a, start, b, end, &broken), CR_PATH_FAILED);
  CHECK_INT(result.count, 77);
  REQUIRE_OK(cr_navmesh_set_flags(mesh, b, 4, NULL));
  CrQueryFilter filter = cr_query_filter_default();
  filter.exclude_flags = 4;
  CHECK_OK(cr_query_find_path(query, a, start, b, end, &filter, path, 4, &result, &error));
  CHECK_INT(result.outcome, CR_PATH_FAILED);
  CHECK_INT(result.count, 0);
  CHECK_INT(cr_query_begin_path(query, b, end, a, start, &filter), CR_PATH_FAILED);
  CHECK_INT(cr_query_update_path(query, 10, NULL), CR_PATH_FAILED);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(edits_and_other_searches_end_a_sliced_one) {
  CrNavMesh *mesh = world_from_map(".....\n.....", 1.0, 0, NULL);
  CrVec3 start, end;
  CrPolyRef path[16];
  for (int model = 0; model < 2; model++) {
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)model, 64);
    CrPolyRef a = place_in(mesh, query, 0.5, 0.5, &start), b = place_in(mesh, query, 4.5, 1.5, &end);
    CHECK_INT(cr_query_begin_path(query, a, start, b, end, NULL), CR_PATH_IN_PROGRESS);
    CHECK_INT(cr_query_update_path(query, 2, NULL), CR_PATH_IN_PROGRESS);
    CrPathResult so_far = cr_query_finish_path(query, path, 16);
    CHECK_INT(so_far.outcome, CR_PATH_IN_PROGRESS);
    CHECK(so_far.count >= 2 && so_far.iterations == 2);
    CHECK(so_far.end.x > 1.9);
    REQUIRE_OK(cr_navmesh_set_area(mesh, a, (uint8_t)(3 + model), NULL));
    CHECK_INT(cr_query_update_path(query, 2, NULL), CR_PATH_FAILED);
    CHECK_INT(cr_query_finish_path(query, path, 16).count, 0);
    CHECK_INT(cr_query_begin_path(query, a, start, b, end, NULL), CR_PATH_IN_PROGRESS);
    CrPathResult other;
    CHECK_OK(cr_query_find_path(query, a, start, a, start, NULL, path, 16, &other, NULL));
    CHECK(other.outcome == CR_PATH_SUCCESS && other.count == 1 && other.iterations == 0);
    CHECK(cr_query_update_path(query, 2, NULL) != CR_PATH_IN_PROGRESS);
    cr_query_destroy(query);
  }
  cr_navmesh_destroy(mesh);
}

TEST(every_failed_allocation_is_reported) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  for (int model = 0; model < 2; model++) {
    CrQueryOptions options = {256, (CrNodeModel)model, false};
    int64_t k = 1;
    for (;; k++) {
      TestMemory memory = {.fail_at = k};
      CrAllocator allocator = test_allocator(&memory);
      CrNavMeshQuery *query = NULL;
      CrStatus status = cr_query_create(mesh, &options, &allocator, &query, NULL);
      if (status == CR_STATUS_OK) {
        int64_t made = memory.total_allocations;
        CrVec3 start, end;
        CrPolyRef a = place_in(mesh, query, 0.5, 0.5, &start), b = place_in(mesh, query, 2.5, 0.5, &end), path[8];
        CrPathResult result;
        CHECK_OK(cr_query_find_path(query, a, start, b, end, NULL, path, 8, &result, NULL));
        CHECK_INT(memory.total_allocations, made);
      } else {
        CHECK_INT(status, CR_STATUS_OUT_OF_MEMORY);
      }
      cr_query_destroy(query);
      CHECK_INT(memory.live_blocks, 0);
      CHECK_INT(memory.live_bytes, 0);
      if (status == CR_STATUS_OK) break;
    }
    CHECK(k > 4);
  }
  cr_navmesh_destroy(mesh);
}

TEST(options_and_filters_are_checked) {
  CrNavMesh *mesh = world_from_map("...", 1.0, 0, NULL);
  CrNavMeshQuery *query = NULL;
  CrError error;
  CrQueryOptions options = {CR_QUERY_MIN_NODES - 1, CR_NODE_MODEL_POLYGON, false};
  CHECK_STATUS(cr_query_create(mesh, &options, NULL, &query, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.max_nodes") == 0);
  options.max_nodes = CR_QUERY_MAX_NODES + 1;
  CHECK_STATUS(cr_query_create(mesh, &options, NULL, &query, &error), CR_STATUS_ARGUMENT);
  options = (CrQueryOptions){64, (CrNodeModel)3, false};
  CHECK_STATUS(cr_query_create(mesh, &options, NULL, &query, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, "options.node_model") == 0);
  CrQueryFilter filter = cr_query_filter_default();
  CHECK_OK(cr_query_filter_validate(&filter, &error));
  CHECK_OK(cr_query_filter_validate(NULL, &error));
  const double bad[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < CR_COUNT_OF(bad); i++) {
    filter.area_cost[7] = bad[i];
    CHECK_STATUS(cr_query_filter_validate(&filter, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, "filter.area_cost") == 0 && error.index == 7);
  }
  cr_navmesh_destroy(mesh);
}

// Any 64 bits, bits of a real reference flipped, and references of a tile that is gone.
static CrPolyRef forged_ref(const CrPolyRef *all, uint32_t count, uint64_t *seed) {
  CrPolyRef real = all[rnd_int(seed, (int32_t)count)];
  int32_t kind = rnd_int(seed, 4);
  if (kind == 0) return rnd_u64(seed);
  if (kind == 1) return real ^ (CrPolyRef)1 << rnd_int(seed, 64);
  if (kind == 2) return real;
  return real & UINT64_C(0xFFFF000000000000) ? real + ((CrPolyRef)(uint32_t)rnd_int(seed, 4) << 24) : real;
}

TEST(forged_references_do_no_harm) {
  int64_t valid = 0, refused = 0;
  for (int number = 0; number < 10; number++) {
    CrNavMesh *mesh = world_number(number);
    CrNavMeshQuery *query = make_query(mesh, (CrNodeModel)(number % 2), 256);
    uint64_t seed = 90 + (uint64_t)number;
    uint32_t polygons;
    CrPolyRef *all = world_all_polygons(mesh, &polygons);
    for (int64_t i = check_scaled(1000); i > 0; i--) {
      check_seed = seed;
      CrPolyRef path[12], trail[64], other;
      for (int k = 0; k < 12; k++) path[k] = forged_ref(all, polygons, &seed);
      CrVec3 a = world_random_point(mesh, &seed, &other), b = world_random_point(mesh, &seed, &other);
      CrCorner corners[16];
      CrWallPiece walls[16];
      CrPathResult result;
      CrMoveResult move;
      CrRaycastResult ray;
      CrVec3 p, q;
      int32_t count;
      bool known = cr_navmesh_is_valid_ref(mesh, path[0]), both = known && cr_navmesh_is_valid_ref(mesh, path[1]);
      CrStatus expected = known ? CR_STATUS_OK : CR_STATUS_STALE_REF;
      valid += known;
      refused += !known;
      CHECK_INT(cr_query_find_path(query, path[0], a, path[1], b, NULL, trail, 64, &result, NULL),
                both ? CR_STATUS_OK : CR_STATUS_STALE_REF);
      CHECK_INT(cr_query_move_along_surface(query, path[0], a, b, NULL, trail, 64, &move, NULL), expected);
      CHECK_INT(cr_query_raycast(query, path[0], a, b, NULL, trail, 64, &ray, NULL), expected);
      CHECK_INT(cr_query_find_walls(query, path[0], a, 3.0, NULL, walls, 16, &count, NULL), expected);
      CHECK_INT(cr_query_closest_point(mesh, path[0], a, &p, NULL), expected);
      CrStatus piece = cr_query_wall_piece(mesh, NULL, path[0], (uint8_t)rnd_int(&seed, 256), 0, &p, &q);
      CHECK(known ? piece != CR_STATUS_STALE_REF : piece == CR_STATUS_STALE_REF);
      CrStraightPathOutcome outcome = cr_query_straight_path(mesh, a, b, path, 12, NULL, corners, 16, &count);
      CHECK(outcome != CR_STRAIGHT_INVALID_CORRIDOR || count == 0);
      CHECK(known || outcome == CR_STRAIGHT_INVALID_CORRIDOR);
      cr__connected(mesh, path[0], path[1], NULL);
    }
    free(all);
    cr_query_destroy(query);
    cr_navmesh_destroy(mesh);
  }
  CHECK(valid > check_scaled(1000) && refused > check_scaled(1000));
}

TEST_MAIN(RUN(running_out_of_nodes_is_said_and_gives_a_route), RUN(a_long_route_is_truncated_not_lost),
          RUN(bad_arguments_are_named), RUN(forged_references_do_no_harm),
          RUN(edits_and_other_searches_end_a_sliced_one), RUN(every_failed_allocation_is_reported),
          RUN(options_and_filters_are_checked))
