// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Followers on meshes that change under way: removed and replaced tiles, closed and opened polygons, doors.
#include "walkers.h"

#define DT (1.0 / 30.0)

// The tiles of a world as bytes, so that they can be taken out and put back.
typedef struct Tiles {
  int32_t count;
  CrBytes bytes[64];
  int32_t x[64], z[64], layer[64];
} Tiles;

// A snapshot of every tile by describing it anew: only what the tests need (no detail, no links of their own).
static void encode_tile(const CrNavMesh *mesh, const CrTile *tile, CrBytes *out) {
  uint8_t *counts = malloc(tile->polygon_count);
  double *vertices = malloc(tile->vertex_count * 3 * sizeof *vertices);
  for (uint32_t p = 0; p < tile->polygon_count; p++) counts[p] = (uint8_t)cr__polygon_vertex_count(tile, p);
  for (uint32_t v = 0; v < tile->vertex_count; v++) {
    vertices[3 * v] = tile->vertices[v].x;
    vertices[3 * v + 1] = tile->vertices[v].y;
    vertices[3 * v + 2] = tile->vertices[v].z;
  }
  CrTileDescription description = {.x = tile->x,
                                   .z = tile->z,
                                   .layer = tile->layer,
                                   .vertex_count = tile->vertex_count,
                                   .polygon_count = tile->polygon_count,
                                   .vertices = vertices,
                                   .polygon_vertex_counts = counts,
                                   .polygon_vertices = tile->corner_vertex,
                                   .polygon_neighbours = tile->corner_neighbour,
                                   .off_mesh_count = tile->off_mesh_count,
                                   .off_mesh_links = tile->off_mesh};
  REQUIRE_OK(cr_tile_encode(&mesh->params, &description, NULL, out, NULL));
  free(counts);
  free(vertices);
}

static Tiles take_tiles(const CrNavMesh *mesh) {
  Tiles tiles = {0};
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->active) continue;
    REQUIRE(tiles.count < 64);
    tiles.x[tiles.count] = tile->x, tiles.z[tiles.count] = tile->z, tiles.layer[tiles.count] = tile->layer;
    encode_tile(mesh, tile, &tiles.bytes[tiles.count++]);
  }
  return tiles;
}

static void free_tiles(Tiles *tiles) {
  for (int32_t k = 0; k < tiles->count; k++) cr_bytes_free(&tiles->bytes[k]);
}

typedef struct Edits {
  int removed, added, replaced, flags;
} Edits;

// One random edit. Tiles that are missing come back.
static void edit(CrNavMesh *mesh, const Tiles *tiles, uint64_t *seed, Edits *edits) {
  int32_t k = rnd_int(seed, tiles->count);
  uint32_t slot;
  bool present = cr_navmesh_find_tile(mesh, tiles->x[k], tiles->z[k], tiles->layer[k], &slot) == CR_STATUS_OK;
  int kind = rnd_int(seed, 6);
  if (!present) {
    REQUIRE_OK(cr_navmesh_add_tile(mesh, tiles->bytes[k].data, tiles->bytes[k].size, NULL, NULL));
    edits->added++;
  } else if (kind == 0) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, tiles->x[k], tiles->z[k], tiles->layer[k], NULL));
    edits->removed++;
  } else if (kind == 1) {
    REQUIRE_OK(cr_navmesh_replace_tile(mesh, tiles->bytes[k].data, tiles->bytes[k].size, NULL, NULL));
    edits->replaced++;
  } else {
    for (int n = 0; n < 4; n++) {
      uint32_t polygon = (uint32_t)rnd_int(seed, (int32_t)mesh->tiles[slot].polygon_count);
      cr_navmesh_set_flags(mesh, cr_navmesh_ref(mesh, slot, polygon), (uint16_t)(rnd_int(seed, 3) > 0), NULL);
    }
    edits->flags++;
  }
}

// Whether a fresh query from the follower's polygon reaches the polygon a replan would choose for the target.
static bool reachable_now(const CrFollower *follower, CrPathContext *probe) {
  static CrPolyRef path[8192];
  CrNearestPoly end;
  CrPathResult result;
  if (follower->corridor.count == 0) return false;
  if (cr_query_nearest_poly(probe->query, follower->destination, EXTENTS, probe->filter, &end, NULL) != CR_STATUS_OK)
    return false;
  CrStatus status = cr_query_find_path(probe->query, follower->corridor.path[0], follower->position, end.ref, end.point,
                                       probe->filter, path, 8192, &result, NULL);
  return status == CR_STATUS_OK && result.outcome == CR_PATH_SUCCESS;
}

// The look-ahead vouches for the first polygons only; those farther off may still be ones an edit has closed.
static void check_start(const CrCorridor *corridor, const CrPathContext *context) {
  CrCorridor start = *corridor;
  start.count = corridor->count < 4 ? corridor->count : 4;
  start.complete = false;
  check_sound(&start, context);
}

typedef struct Outcome {
  int runs, reachable, reached, not_reached, no_path, restarted;
} Outcome;

// Edits while it walks; after the last one it must reach the target exactly when a fresh query says it can.
static void edit_run(uint64_t number, Edits *edits, Outcome *outcome) {
  uint64_t seed = number * 6151 + 3;
  CrNavMesh *mesh = number % 3 == 2 ? world_two_floors(number, 18, 18, 1.0, 5.0, 6, 6, NULL)
                                    : world_scattered(number, 24, 24, 1.0, 0.2, 6, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrNodeModel model = (CrNodeModel)(number / 2 % 2);
  CrPathContext *context = make_context(mesh, model, 1024, &filter), *probe = make_context(mesh, model, 1024, &filter);
  Tiles tiles = take_tiles(mesh);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
  CrVec3 destination = world_random_point(mesh, &seed, NULL);
  REQUIRE_OK(cr_follower_set_destination(follower, context, destination, NULL));
  for (int step = 0; step < 150; step++) {
    if (rnd_int(&seed, 12) == 0) edit(mesh, &tiles, &seed, edits);
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    CHECK(cr__is_finite(follower->position.x) && cr__is_finite(follower->velocity.x));
  }
  outcome->runs++;
  for (int step = 0; follower->state == CR_FOLLOWER_OFF_MESH_LINK && step < 1000; step++) {
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  }
  // A follower that has given up or walks to the closest point is asked again now that the mesh rests.
  bool settled = !follower->corridor.complete && !follower->corridor.needs_replan;
  if (settled || (follower->state != CR_FOLLOWER_MOVING && !follower->reached_target)) {
    outcome->restarted++;
    REQUIRE_OK(cr_follower_set_destination(follower, context, destination, NULL));
  }
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  bool reachable = reachable_now(follower, probe), gone = follower->state == CR_FOLLOWER_NO_PATH;
  bool there = follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
  for (int step = 0;
       step < 4000 && (follower->state == CR_FOLLOWER_MOVING || follower->state == CR_FOLLOWER_OFF_MESH_LINK); step++) {
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    if (follower->state == CR_FOLLOWER_MOVING) check_start(&follower->corridor, context);
  }
  bool reached = follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target;
  outcome->reachable += reachable;
  outcome->reached += reached;
  outcome->no_path += gone;
  if (!there) CHECK(reached == (reachable && !gone));
  if (gone) CHECK(!reachable);
  free_tiles(&tiles);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_path_context_destroy(probe);
  cr_navmesh_destroy(mesh);
}

TEST(edits_under_way) {
  Edits edits = {0};
  Outcome outcome = {0};
  for (int number = 0; number < 300 * check_scale(); number++) {
    check_seed = (uint64_t)number;
    edit_run((uint64_t)number, &edits, &outcome);
  }
  printf(
      "  %d runs: %d tiles removed, %d added, %d replaced, %d polygon edits; %d reachable, %d reached, %d without a "
      "path, "
      "%d asked again\n",
      outcome.runs, edits.removed, edits.added, edits.replaced, edits.flags, outcome.reachable, outcome.reached,
      outcome.no_path, outcome.restarted);
  CHECK(outcome.reached > outcome.runs / 2 && outcome.reached < outcome.runs);
}

// A door on the short way opens and closes every few seconds; the long way round stays open.
TEST(door_that_opens_and_closes) {
  const char *map =
      "....................\n"
      ".##################.\n"
      ".#................#.\n"
      ".#.##############.#.\n"
      "...................."
      "\n"
      ".####.############..\n"
      "....................\n";
  int longest = 0;
  for (int period = 5; period < 200; period += 13) {
    check_seed = (uint64_t)period;
    CrNavMesh *mesh = world_from_map(map, 1.0, 10, NULL);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, (CrNodeModel)(period % 2), 1024, &filter);
    CrFollowerOptions options = cr_follower_options_humanoid();
    CrFollower *follower = make_follower(context, &options, cr__vec(5.5, 0, 4.5));
    CrPolyRef door = polygon_at(context, 5.5, 5.5);
    REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(5.5, 0, 6.5), NULL));
    int steps = 0;
    while (follower->state == CR_FOLLOWER_MOVING && steps < 6000) {
      if (steps % period == 0) cr_navmesh_set_flags(mesh, door, (uint16_t)(steps / period % 2), NULL);
      REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
      steps++;
    }
    CHECK(follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target);
    longest = steps > longest ? steps : longest;
    cr_follower_destroy(follower);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  longest walk %d steps\n", longest);
}

// A goal behind a closed door is walked to as near as can be, and reached when the door opens and the goal is set again.
TEST(closed_then_opened) {
  CrNavMesh *mesh = world_from_map(".....#.....\n...........\n.....#.....\n", 1.0, 0, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.arrival_radius = 0.0;
  CrPolyRef door = polygon_at(context, 5.5, 1.5);
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, door, 0, NULL));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(9.5, 0, 0.5), NULL));
  for (int k = 0; k < 300; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && !follower->reached_target);
  CHECK(cr__same_point(follower->position, cr__vec(5.0, 0, 0.5)));
  CHECK(cr__same_point(follower->velocity, cr__vec(0, 0, 0)));
  REQUIRE_OK(cr_navmesh_set_flags(mesh, door, 1, NULL));
  for (int k = 0; k < 30; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED);
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(9.5, 0, 0.5), NULL));
  for (int k = 0; k < 300; k++) REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
  CHECK(follower->state == CR_FOLLOWER_ARRIVED && follower->reached_target);
  CHECK(cr__same_point(follower->position, cr__vec(9.5, 0, 0.5)));
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(edits_under_way), RUN(door_that_opens_and_closes), RUN(closed_then_opened))
