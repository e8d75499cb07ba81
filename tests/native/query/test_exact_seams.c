// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The exact search where storeys meet at seams, at walls without thickness, and round a vertex more than once.
#include "check.h"
#include "exact_internal.h"
#include "query_worlds.h"
#include "tile_kit.h"

#define CAPACITY 512

static TileKit kit;

typedef struct Pair {
  CrPolyRef a, b;
  CrVec3 start, end;
} Pair;

typedef struct Answer {
  CrPolyRef path[CAPACITY];
  CrPathResult result;
} Answer;

static CrNavMeshQuery *make_query(const CrNavMesh *mesh, CrNodeModel model) {
  CrQueryOptions options = {1 << 16, model, false};  // storeys that branch at every seam take many
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  return query;
}

static CrNavMesh *make_mesh(double tile_size, double climb) {
  CrNavMeshParams params = {0.0, 0.0, tile_size, climb, 0.5, 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  return mesh;
}

static void find(CrNavMeshQuery *query, const Pair *pair, Answer *out) {
  CHECK_OK(cr_query_find_path(query, pair->a, pair->start, pair->b, pair->end, NULL, out->path, CAPACITY, &out->result,
                              NULL));
  CHECK(!out->result.truncated);
}

// Horizontal length of the string, links with their 3D length; infinite when a portal of the route is lost.
static double string_length(const CrNavMesh *mesh, const Pair *pair, const Answer *answer) {
  static CrCorner corners[2 * CAPACITY];
  int32_t count = 0;
  double length = 0.0;
  CHECK_INT(cr_query_straight_path(mesh, pair->start, pair->end, answer->path, answer->result.count, NULL, corners,
                                   2 * CAPACITY, &count),
            CR_STRAIGHT_OK);
  for (int32_t i = 1; i < count; i++) {
    CrVec3 a = corners[i - 1].point, b = corners[i].point;
    length += corners[i - 1].flags & CR_CORNER_OFF_MESH ? cr__dist(a, b) : cr__dist_xz(a, b);
  }
  return length;
}

// --- Random storeys -------------------------------------------------------------------------------------------------------

typedef struct Tally {
  int32_t pairs, reached, turned_back, ran_out;
  double worst;  // how much longer than a route that does not turn back
} Tally;

// The end at a corner, on an edge, or anywhere.
static CrVec3 some_place(const CrNavMesh *mesh, uint64_t *seed, CrPolyRef *ref) {
  CrVec3 a, b, point = world_random_point(mesh, seed, ref);
  const CrTile *tile = cr__resolve(mesh, *ref);
  uint32_t polygon = cr__ref_polygon(*ref);
  cr__polygon_edge(tile, polygon, (uint32_t)rnd_int(seed, (int32_t)cr__polygon_vertex_count(tile, polygon)), &a, &b);
  int32_t kind = rnd_int(seed, 3);
  return kind == 0 ? a : kind == 1 ? cr__polygon_closest(tile, polygon, cr__lerp(a, b, 0.25), NULL) : point;
}

static void check_pair(const CrNavMesh *mesh, CrNavMeshQuery *polygon, CrNavMeshQuery *exact, const Pair *pair,
                       Tally *tally) {
  static Answer plain, best;
  find(polygon, pair, &plain);
  find(exact, pair, &best);
  tally->pairs++;
  CHECK(!plain.result.out_of_nodes);
  tally->ran_out += best.result.out_of_nodes;
  if (best.result.out_of_nodes) return;
  CHECK_INT(best.result.outcome, plain.result.outcome);
  if (best.result.outcome != CR_PATH_SUCCESS || pair->a == pair->b) return;
  tally->reached++;
  double length = exact->exact->goal_f;
  if (kit_turns_back(mesh, best.path, best.result.count)) {
    tally->turned_back++;
  } else {
    CHECK_NEAR(length, string_length(mesh, pair, &best), 1e-9);
  }
  if (kit_turns_back(mesh, plain.path, plain.result.count)) return;
  tally->worst = fmax(tally->worst, length - string_length(mesh, pair, &plain));
}

// Tiles of one and two storeys that the climb joins to one another in every way.
TEST(storeys_that_meet_at_seams_are_all_reached) {
  static const double climbs[] = {0.25, 0.5, 1.0, 2.0, 4.0};
  int32_t meshes = check_scaled(60);
  Tally tally = {0};
  for (int32_t i = 0; i < meshes; i++) {
    uint64_t seed = 4000 + (uint64_t)i;
    check_seed = seed;
    CrNavMesh *mesh = make_mesh(8.0, climbs[i % 5]);
    CrNavMeshParams params = cr_navmesh_params(mesh);
    for (int32_t t = 0; t < 12; t++) {
      kit_random(&kit, &params, &seed, t % 3, t / 3 % 2, t / 6);
      kit_add(&kit, mesh);
    }
    CrNavMeshQuery *polygon = make_query(mesh, CR_NODE_MODEL_POLYGON), *exact = make_query(mesh, CR_NODE_MODEL_EXACT);
    for (int32_t k = 0; k < 200; k++) {
      Pair pair;
      pair.start = some_place(mesh, &seed, &pair.a);
      pair.end = some_place(mesh, &seed, &pair.b);
      check_pair(mesh, polygon, exact, &pair, &tally);
    }
    cr_query_destroy(polygon);
    cr_query_destroy(exact);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %d pairs, %d reached, %d by turning back at a seam, %d ran out of nodes; at most %.1e longer than without\n",
      tally.pairs, tally.reached, tally.turned_back, tally.ran_out, tally.worst);
  CHECK(tally.worst <= 1e-9 && tally.turned_back > tally.reached / 1000);
  CHECK(tally.ran_out * 200 <= tally.pairs);  // where every storey joins every other
}

// --- One by one -----------------------------------------------------------------------------------------------------------

static void rectangle(double x0, double z0, double x1, double z1, double low, double high) {
  double corners[] = {x0, low, z0, x1, low, z0, x1, high, z1, x0, high, z1};
  kit_polygon(&kit, 4, corners);
}

static CrPolyRef ref_of(const CrNavMesh *mesh, uint32_t slot, uint32_t polygon) {
  return cr__make_ref(mesh->tiles[slot].salt, slot, polygon);
}

static double exact_length(const CrNavMesh *mesh, const Pair *pair) {
  static Answer answer;
  CrNavMeshQuery *query = make_query(mesh, CR_NODE_MODEL_EXACT);
  find(query, pair, &answer);
  CHECK(!answer.result.out_of_nodes);
  CHECK_INT(answer.result.outcome, CR_PATH_SUCCESS);
  double length = query->exact->goal_f;
  cr_query_destroy(query);
  return length;
}

// Two storeys of the left tile meet the right one between z = 2 and 8: a walk from one to the other turns at 2 or at 8.
TEST(a_walk_turns_back_at_the_ends_of_the_piece) {
  CrNavMesh *mesh = make_mesh(10.0, 1.0);
  kit_begin(&kit, 0, 0, 0);
  rectangle(0.0, 0.0, 10.0, 8.0, 0.5, 0.5);
  uint32_t upper = kit_add(&kit, mesh);
  kit_begin(&kit, 0, 0, 1);
  rectangle(0.0, 2.0, 10.0, 10.0, -0.5, -0.5);
  uint32_t lower = kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  rectangle(10.0, 0.0, 20.0, 10.0, 0.0, 0.0);
  kit_add(&kit, mesh);
  Pair pair = {ref_of(mesh, upper, 0), ref_of(mesh, lower, 0), {6.0, 0.5, 5.0}, {6.0, -0.5, 9.0}};
  CHECK_NEAR(exact_length(mesh, &pair), 5.0 + sqrt(17.0), 1e-12);
  cr_navmesh_destroy(mesh);
}

// Along the seam on one side of a wall without thickness, and back along it on the other: half a turn, no less.
TEST(a_line_turns_by_exactly_half) {
  CrNavMesh *mesh = make_mesh(10.0, 1.0);
  kit_begin(&kit, 0, 0, 0);
  rectangle(0.0, 0.0, 10.0, 2.0, 0.0, 0.0);   // joined to the right tile
  rectangle(0.0, 3.0, 10.0, 8.0, 6.0, 0.0);   // not joined, for the height at its beginning
  rectangle(0.0, 8.0, 10.0, 10.0, 0.0, 0.0);  // joined
  uint32_t left = kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  rectangle(10.0, 0.0, 20.0, 10.0, 0.0, 0.0);
  kit_add(&kit, mesh);
  Pair pair = {ref_of(mesh, left, 1), ref_of(mesh, left, 0), {10.0, 3.6, 5.0}, {7.0, 0.0, 1.0}};
  CHECK_NEAR(exact_length(mesh, &pair), 3.0 + 6.0 + sqrt(10.0), 1e-12);
  cr_navmesh_destroy(mesh);
}

// Sectors about one vertex, two and a half times round it: every sector is reached from the first by way of the vertex.
TEST(a_line_turns_more_than_once_round) {
  static const double ring[8][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
  CrNavMesh *mesh = make_mesh(16.0, 0.5);
  kit_begin(&kit, 0, 0, 0);
  for (int32_t i = 0; i < 20; i++) {
    const double *p = ring[i % 8], *q = ring[(i + 1) % 8];
    double corners[] = {8.0, 0.0, 8.0, 8.0 + p[0], i * 1.0, 8.0 + p[1], 8.0 + q[0], (i + 1) * 1.0, 8.0 + q[1]};
    kit_polygon(&kit, 3, corners);
  }
  uint32_t slot = kit_add(&kit, mesh);
  for (uint32_t i = 5; i < 20; i++) {
    CrVec3 a, b;
    cr__polygon_edge(&mesh->tiles[slot], i, 1, &a, &b);
    Pair pair = {ref_of(mesh, slot, 0), ref_of(mesh, slot, i), {11.0, 0.0, 9.0}, cr__lerp(a, b, 0.5)};
    CrVec3 pole = {8.0, 0.0, 8.0};
    CHECK_NEAR(exact_length(mesh, &pair), cr__dist_xz(pair.start, pole) + cr__dist_xz(pole, pair.end), 1e-12);
    Pair back = {pair.b, pair.a, pair.end, pair.start};
    CHECK_NEAR(exact_length(mesh, &back), exact_length(mesh, &pair), 1e-12);
  }
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(storeys_that_meet_at_seams_are_all_reached), RUN(a_walk_turns_back_at_the_ends_of_the_piece),
          RUN(a_line_turns_by_exactly_half), RUN(a_line_turns_more_than_once_round))
