// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Queries that live through restores of their mesh answer as fresh ones do. What they remember must not be taken for true of
// another mesh that has the same edit count: after a restore, other edits bring the same count and the same salts again.
#include "check.h"
#include "crowdreel/query.h"
#include "query_internal.h"
#include "worlds.h"

enum { KINDS = 5, LONGEST = 4096 };

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, int kind) {
  CrQueryOptions options = cr_query_options_default();
  options.node_model = kind < 3 ? (CrNodeModel)kind : (CrNodeModel)(kind - 3);
  options.hierarchical = kind >= 3;
  CrNavMeshQuery *query;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

typedef struct Answer {
  CrPathResult result;
  CrPolyRef path[LONGEST];
} Answer;

static Answer kept, fresh;

static void ask(CrNavMeshQuery *query, CrPolyRef from_ref, CrVec3 from, CrPolyRef to_ref, CrVec3 to, Answer *out) {
  memset(out, 0, sizeof *out);
  CHECK_OK(cr_query_find_path(query, from_ref, from, to_ref, to, NULL, out->path, LONGEST, &out->result, NULL));
}

static bool same_answer(const Answer *a, const Answer *b) {
  return a->result.outcome == b->result.outcome && a->result.count == b->result.count &&
         memcmp(a->path, b->path, (size_t)a->result.count * sizeof *a->path) == 0;
}

static int64_t compare(CrNavMesh *mesh, CrNavMeshQuery **queries, uint64_t *seed, int64_t *found) {
  int64_t compared = 0;
  for (int n = 0; n < 3; n++) {
    CrPolyRef from_ref, to_ref;
    CrVec3 from = world_random_point(mesh, seed, &from_ref), to = world_random_point(mesh, seed, &to_ref);
    for (int kind = 0; kind < KINDS; kind++, compared++) {
      CrNavMeshQuery *other = make_query(mesh, kind);
      ask(queries[kind], from_ref, from, to_ref, to, &kept);
      ask(other, from_ref, from, to_ref, to, &fresh);
      CHECK(same_answer(&kept, &fresh));
      *found += kept.result.outcome == CR_PATH_SUCCESS;
      cr_query_destroy(other);
    }
  }
  return compared;
}

static void remove_some_tile(CrNavMesh *mesh, uint64_t *seed) {
  uint32_t slot;
  do slot = (uint32_t)rnd_int(seed, (int32_t)mesh->slot_count);
  while (!mesh->tiles[slot].active);
  const CrTile *tile = &mesh->tiles[slot];
  CHECK_OK(cr_navmesh_remove_tile(mesh, tile->x, tile->z, tile->layer, NULL));
}

TEST(queries_see_through_equal_edit_counts) {
  CrNavMesh *mesh = world_scattered(8, 24, 24, 2.0, 0.15, 3, NULL);
  CrNavMeshQuery *queries[KINDS];
  for (int kind = 0; kind < KINDS; kind++) queries[kind] = make_query(mesh, kind);
  CrBytes saved;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &saved, NULL));
  uint64_t seed = check_seed = 5, edits = cr_navmesh_edit_count(mesh);
  int64_t compared = 0, found = 0;
  for (int64_t round = 0; round < check_scaled(60); round++) {
    for (int n = 0; n < 3; n++) remove_some_tile(mesh, &seed);
    CHECK_INT(cr_navmesh_edit_count(mesh), edits + 3);
    compared += compare(mesh, queries, &seed, &found);
    CHECK_OK(cr_navmesh_restore(mesh, saved.data, saved.size, NULL, 0, NULL));
    CHECK_INT(cr_navmesh_edit_count(mesh), edits);
    if (round % 2) compared += compare(mesh, queries, &seed, &found);
  }
  printf("  %" PRId64 " paths compared, %" PRId64 " found\n", compared, found);
  CHECK(found > compared / 2);
  cr_bytes_free(&saved);
  for (int kind = 0; kind < KINDS; kind++) cr_query_destroy(queries[kind]);
  cr_navmesh_destroy(mesh);
}

// A search in slices is over when its mesh is restored, to an equal one too.
TEST(a_restore_ends_a_search_in_slices) {
  CrNavMesh *mesh = world_scattered(8, 24, 24, 2.0, 0.15, 3, NULL);
  CrBytes saved;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &saved, NULL));
  CrNavMeshQuery *query = make_query(mesh, 0);
  uint64_t seed = check_seed = 9;
  CrPolyRef from_ref, to_ref;
  CrVec3 from = world_random_point(mesh, &seed, &from_ref), to = world_random_point(mesh, &seed, &to_ref);
  int64_t expanded;
  CHECK_INT(cr_query_begin_path(query, from_ref, from, to_ref, to, NULL), CR_PATH_IN_PROGRESS);
  CHECK_INT(cr_query_update_path(query, 1, &expanded), CR_PATH_IN_PROGRESS);
  CHECK_OK(cr_navmesh_restore(mesh, saved.data, saved.size, NULL, 0, NULL));
  CHECK_INT(cr_query_update_path(query, 1, &expanded), CR_PATH_FAILED);
  cr_query_destroy(query);
  cr_bytes_free(&saved);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(queries_see_through_equal_edit_counts), RUN(a_restore_ends_a_search_in_slices))
