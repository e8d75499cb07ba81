// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Corridors and a mesh that changes: Validate against a model of grids of squares that knows nothing of the mesh, every kind of
// connection, Relocate, and where a replan finds its target polygon.
#include "corridors.h"

static CorridorBytes before, whole;

// --- Validate against a grid ----------------------------------------------------------------------------------------------

enum { SIDE = 14, TILE_CELLS = 5, TILES = 3 };

// What is known of the world without asking it: which cells are polygons, their flags, and how often each tile was put in.
typedef struct Grid {
  bool open[SIDE][SIDE];
  uint16_t flags[SIDE][SIDE];
  int32_t version[TILES][TILES];  // negative: the tile is out
} Grid;

typedef struct Cell {
  int32_t column, row, version;
} Cell;

static int32_t tile_version(const Grid *grid, Cell cell) {
  return grid->version[cell.row / TILE_CELLS][cell.column / TILE_CELLS];
}

static Cell cell_of(const Grid *grid, const CrNavMesh *mesh, CrPolyRef ref) {
  CrVec3 center = cr__polygon_center(cr__resolve(mesh, ref), cr__ref_polygon(ref));
  Cell cell = {(int32_t)center.x, (int32_t)center.z, 0};
  cell.version = tile_version(grid, cell);
  return cell;
}

static bool is_good(const Grid *grid, Cell cell, const CrQueryFilter *filter) {
  uint16_t flags = grid->flags[cell.row][cell.column];
  return cell.version == tile_version(grid, cell) && (flags & filter->include_flags) &&
         !(flags & filter->exclude_flags);
}

static bool are_beside(Cell a, Cell b) { return abs(a.column - b.column) + abs(a.row - b.row) == 1; }

// The first of the first `limit` polygons that is stale, rejected or not beside the one before; `limit` when all are sound.
static int32_t first_bad(const Grid *grid, const Cell *cells, int32_t limit, const CrQueryFilter *filter) {
  for (int32_t k = 0; k < limit; k++) {
    if (!is_good(grid, cells[k], filter) || (k > 0 && !are_beside(cells[k - 1], cells[k]))) return k;
  }
  return limit;
}

typedef struct Tally {
  int64_t asked, valid, trimmed, invalid, stale, rejected, apart;
} Tally;

static void change_grid(Grid *grid, CrNavMesh *mesh, const TileStore *store, uint64_t *seed) {
  int32_t x = rnd_int(seed, TILES), z = rnd_int(seed, TILES), k = 0;
  while (k < store->count && (store->infos[k].x != x || store->infos[k].z != z)) k++;
  if (k == store->count) return;
  int32_t *version = &grid->version[z][x];
  if (*version >= 0 && rnd_int(seed, 2)) {
    REQUIRE_OK(cr_navmesh_remove_tile(mesh, x, z, 0, NULL));
    *version = -*version - 1;
    return;
  }
  REQUIRE_OK(cr_navmesh_replace_tile(mesh, store->bytes[k].data, store->bytes[k].size, NULL, NULL));
  *version = *version < 0 ? -*version : *version + 1;
  for (int32_t r = z * TILE_CELLS; r < (z + 1) * TILE_CELLS && r < SIDE; r++) {
    for (int32_t c = x * TILE_CELLS; c < (x + 1) * TILE_CELLS && c < SIDE; c++) grid->flags[r][c] = 1;
  }
}

static void change_flags(Grid *grid, CrNavMesh *mesh, const CrCorridor *corridor, const Cell *cells, uint64_t *seed) {
  static const uint16_t choices[] = {0, 1, 2, 3, 4, 5};
  int32_t k = rnd_int(seed, corridor->count);
  uint16_t flags = choices[rnd_int(seed, 6)];
  if (cells[k].version != tile_version(grid, cells[k])) return;
  REQUIRE_OK(cr_navmesh_set_flags(mesh, corridor->path[k], flags, NULL));
  grid->flags[cells[k].row][cells[k].column] = flags;
}

// Broken otherwise than by an edit: as a restored state may be.
static void break_order(CrCorridor *corridor, Cell *cells, uint64_t *seed) {
  if (corridor->count < 4) return;
  int32_t k = 1 + rnd_int(seed, corridor->count - 2), gone = 1 + rnd_int(seed, corridor->count - 1 - k);
  for (int32_t i = k; i + gone < corridor->count; i++) {
    corridor->path[i] = corridor->path[i + gone];
    cells[i] = cells[i + gone];
  }
  corridor->count -= gone;
}

static void check_validate(CrCorridor *corridor, CrPathContext *context, const Grid *grid, const Cell *cells,
                           uint64_t *seed, Tally *tally) {
  int32_t look_ahead = 1 + rnd_int(seed, rnd_int(seed, 2) ? 8 : 40);
  int32_t limit = corridor->count < look_ahead ? corridor->count : look_ahead;
  int32_t bad = first_bad(grid, cells, limit, context->filter);
  corridor->complete = rnd_int(seed, 2), corridor->needs_replan = rnd_int(seed, 2);
  corridor->replan_from_start = rnd_int(seed, 2);
  if (corridor->complete) corridor->target_ref = corridor->path[corridor->count - 1];
  CrCorridor was = *corridor;
  CrPolyRef path[256];
  memcpy(path, corridor->path, (size_t)was.count * sizeof *path);
  take_corridor(corridor, &before);
  CrValidateOutcome outcome = cr_corridor_validate(corridor, context, look_ahead);
  tally->asked++;
  if (bad == 0 || bad == limit) {
    CHECK(outcome == (bad == 0 ? CR_VALIDATE_INVALID : CR_VALIDATE_VALID));
    CHECK(is_still(corridor, &before));
    ++*(bad == 0 ? &tally->invalid : &tally->valid);
    return;
  }
  tally->trimmed++;
  if (cells[bad].version != tile_version(grid, cells[bad])) {
    tally->stale++;
  } else if (!is_good(grid, cells[bad], context->filter)) {
    tally->rejected++;
  } else {
    tally->apart++;
  }
  CHECK(outcome == CR_VALIDATE_TRIMMED);
  CHECK(same_path(corridor, path, bad));
  CHECK(!corridor->complete && corridor->needs_replan && !corridor->replan_from_start);
  CHECK(corridor->target_ref == was.target_ref && cr__same_point(corridor->target, was.target));
  CHECK(cr__same_point(corridor->position, was.position));
}

static CrNavMesh *random_grid(Grid *grid, uint64_t *seed) {
  char map[SIDE * (SIDE + 1) + 1], *at = map;
  for (int32_t r = 0; r < SIDE; r++) {
    for (int32_t c = 0; c < SIDE; c++) {
      grid->open[r][c] = rnd_int(seed, 6) > 0;
      grid->flags[r][c] = 1;
      *at++ = grid->open[r][c] ? '.' : '#';
    }
    *at++ = '\n';
  }
  *at = 0;
  for (int k = 0; k < TILES * TILES; k++) grid->version[k / TILES][k % TILES] = 1;
  return world_from_map(map, 1.0, TILE_CELLS, NULL);
}

static void validate_run(uint64_t number, Tally *tally) {
  uint64_t seed = number * 409 + 21;
  Grid grid;
  CrNavMesh *mesh = random_grid(&grid, &seed);
  TileStore store;
  store_tiles(mesh, &store);
  CrQueryFilter filter = cr_query_filter_default();
  filter.include_flags = 3, filter.exclude_flags = 4;
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
  CrCorridor *corridor = planned_corridor(context, 64, from, to);
  Cell cells[64];
  for (int32_t k = 0; k < corridor->count; k++) cells[k] = cell_of(&grid, mesh, corridor->path[k]);
  for (int turn = 0; turn < 12; turn++) {
    int kind = rnd_int(&seed, 6);
    if (kind < 2) change_grid(&grid, mesh, &store, &seed);
    if (kind > 2) change_flags(&grid, mesh, corridor, cells, &seed);
    if (kind == 2 && turn > 4) break_order(corridor, cells, &seed);
    check_validate(corridor, context, &grid, cells, &seed, tally);
  }
  cr_corridor_destroy(corridor);
  free_tiles(&store);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(validate_finds_the_first_bad_polygon) {
  Tally tally = {0};
  for (int64_t number = 0; number < check_scaled(800); number++) {
    check_seed = (uint64_t)number;
    validate_run((uint64_t)number, &tally);
  }
  printf("  %lld asked: %lld valid, %lld invalid, %lld trimmed (%lld stale, %lld rejected, %lld apart)\n",
         (long long)tally.asked, (long long)tally.valid, (long long)tally.invalid, (long long)tally.trimmed,
         (long long)tally.stale, (long long)tally.rejected, (long long)tally.apart);
  CHECK(tally.valid > 0 && tally.invalid > 0 && tally.stale > 0 && tally.rejected > 0 && tally.apart > 0);
}

// --- Connections ----------------------------------------------------------------------------------------------------------

// Two islands beside each other and one in the next tile, all apart. Returns the references of their polygons.
static CrNavMesh *make_islands(bool bidirectional, uint16_t link_flags, CrPolyRef islands[3]) {
  static TileKit kit;
  CrNavMeshParams params = {.tile_size = 10.0, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 1, 1, 3, 3, 0.0);
  kit_rectangle(&kit, 6, 1, 8, 3, 0.0);
  for (int k = 0; k < 2; k++) {
    CrOffMeshLink *link = kit_link(&kit, cr__vec(2, 0, 2), cr__vec(k ? 12 : 7, 0, 2), 0.5, bidirectional);
    link->flags = link_flags;
    link->user_id = (uint32_t)k;
  }
  uint32_t first = kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_rectangle(&kit, 11, 1, 13, 3, 0.0);
  uint32_t second = kit_add(&kit, mesh);
  islands[0] = cr_navmesh_ref(mesh, first, 0);
  islands[1] = cr_navmesh_ref(mesh, first, 1);
  islands[2] = cr_navmesh_ref(mesh, second, 0);
  return mesh;
}

static bool joined(const CrNavMesh *mesh, const CrQueryFilter *filter, CrPolyRef from, CrPolyRef to) {
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, filter);
  CrCorridor *corridor;
  REQUIRE_OK(cr_corridor_create(8, NULL, &corridor, NULL));
  REQUIRE_OK(cr_corridor_reset(corridor, context, from, cr__vec(0, 0, 0), NULL));
  corridor->path[1] = corridor->target_ref = to;
  corridor->count = 2;
  bool valid = cr_corridor_validate(corridor, context, 8) == CR_VALIDATE_VALID;
  CHECK(corridor->count == (valid ? 2 : 1));
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  return valid;
}

// A link connects the way it leads, inside a tile and into another, and only if the filter accepts its own flags.
TEST(links_connect_the_way_they_lead) {
  for (int both = 0; both < 2; both++) {
    for (uint16_t flags = 0; flags < 8; flags++) {
      check_seed = (uint64_t)(both * 8 + flags);
      CrPolyRef islands[3];
      CrNavMesh *mesh = make_islands(both, flags, islands);
      CrQueryFilter filter = cr_query_filter_default();
      filter.include_flags = 3, filter.exclude_flags = 4;
      bool accepted = (flags & 3) && !(flags & 4);
      for (int to = 1; to < 3; to++) {
        CHECK(joined(mesh, NULL, islands[0], islands[to]));
        CHECK(joined(mesh, NULL, islands[to], islands[0]) == both);
        CHECK(joined(mesh, &filter, islands[0], islands[to]) == accepted);
        CHECK(joined(mesh, &filter, islands[to], islands[0]) == (accepted && both));
        REQUIRE_OK(cr_navmesh_set_flags(mesh, islands[to], 4, NULL));
        CHECK(!joined(mesh, &filter, islands[0], islands[to]));
        REQUIRE_OK(cr_navmesh_set_flags(mesh, islands[to], 1, NULL));
      }
      CHECK(!joined(mesh, NULL, islands[1], islands[2]) && !joined(mesh, NULL, islands[2], islands[1]));
      CHECK(!joined(mesh, NULL, islands[0], islands[0]));
      REQUIRE_OK(cr_navmesh_remove_tile(mesh, 1, 0, 0, NULL));
      CHECK(!joined(mesh, NULL, islands[0], islands[2]));
      cr_navmesh_destroy(mesh);
    }
  }
}

// --- Relocate ---------------------------------------------------------------------------------------------------------------

TEST(relocate_takes_the_nearest_polygon) {
  int moved = 0, none = 0;
  for (uint64_t world = 0; world < 12; world++) {
    check_seed = world;
    uint64_t seed = world * 37 + 2;
    CrNavMesh *mesh = world_scattered(world, 20, 20, 1.0, 0.3, world % 2 ? 6 : 0, NULL);
    CrQueryFilter filter = cr_query_filter_default();
    CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
    for (int run = 0; run < 60; run++) {
      CrVec3 from = world_random_point(mesh, &seed, NULL), to = world_random_point(mesh, &seed, NULL);
      CrCorridor *corridor = planned_corridor(context, 64, from, to);
      CrPolyRef closed[6];
      int32_t closed_count = corridor->count < 6 ? corridor->count : 6;
      memcpy(closed, corridor->path, (size_t)closed_count * sizeof *closed);
      for (int32_t k = 0; k < closed_count; k++) {
        REQUIRE_OK(cr_navmesh_set_flags(mesh, closed[k], (uint16_t)rnd_int(&seed, 2), NULL));
      }
      CrVec3 extents = rnd_point(&seed, cr__vec(0, 0, 0), EXTENTS);
      CrVec3 target = corridor->target, position = corridor->position;
      CrNearestPoly nearest;
      bool found = cr_query_nearest_poly(context->query, position, extents, &filter, &nearest, NULL) == CR_STATUS_OK;
      take_corridor(corridor, &before);
      CHECK(cr_corridor_relocate(corridor, context, extents) == found);
      if (found) {
        CHECK(same_path(corridor, &nearest.ref, 1) && cr__same_point(corridor->position, nearest.point));
        CHECK(cr__same_point(corridor->target, target));
        CHECK(!corridor->complete && corridor->needs_replan && corridor->replan_from_start);
        check_sound(corridor, context);
      } else {
        CHECK(is_still(corridor, &before));
      }
      moved += found, none += !found;
      for (int32_t k = 0; k < closed_count; k++) REQUIRE_OK(cr_navmesh_set_flags(mesh, closed[k], 1, NULL));
      cr_corridor_destroy(corridor);
    }
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %d found one, %d not\n", moved, none);
  CHECK(moved > 0 && none > 0);
}

// --- The target polygon -----------------------------------------------------------------------------------------------------

// A target on an edge lies in the polygon of the smaller reference, in every replan; while that is closed, in the other one. The
// target itself stays.
TEST(target_polygon_is_found_afresh) {
  CrNavMesh *mesh = world_from_map(".....\n", 1.0, 0, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
  CrVec3 target = cr__vec(4.0, 0.0, 0.5);
  CrCorridor *corridor = planned_corridor(context, 16, cr__vec(0.5, 0, 0.5), target);
  CrPolyRef left = polygon_at(context, 3.5, 0.5), right = polygon_at(context, 4.5, 0.5);
  CHECK(left < right && corridor->target_ref == left && corridor->count == 4);
  for (int k = 0; k < 6; k++) {
    bool closed = k % 2 == 0;
    REQUIRE_OK(cr_navmesh_set_flags(mesh, left, closed ? 0 : 1, NULL));
    cr_corridor_validate(corridor, context, 100);
    cr_corridor_request_replan(corridor);
    CrReplanOutcome outcome = cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX);
    CHECK(outcome == (closed ? CR_REPLAN_PARTIAL : CR_REPLAN_SUCCESS));
    CHECK(corridor->target_ref == (closed ? right : left) && cr__same_point(corridor->target, target));
    CHECK_INT(corridor->count, closed ? 3 : 4);
  }
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// Of a polygon met twice the first stays, and what lies between goes.
static int32_t cut_loops(CrPolyRef *path, int32_t count) {
  int32_t kept = 0;
  for (int32_t k = 0; k < count; k++) {
    int32_t earlier = find_ref(path, kept, path[k]);
    if (earlier >= 0) {
      kept = earlier + 1;
    } else {
      path[kept++] = path[k];
    }
  }
  return kept;
}

// Whatever happened to a corridor, a replan from the start gives what a new query gives: the way from its polygon and position to
// the polygon nearest to its target.
TEST(replan_from_start_is_a_new_query) {
  int64_t compared = 0, loops = 0, outcomes[5] = {0};
  for (int64_t number = 0; number < check_scaled(24); number++) {
    check_seed = (uint64_t)number;
    uint64_t seed = (uint64_t)number * 613 + 1;
    CrNavMesh *mesh = number % 2 ? world_two_floors((uint64_t)number, 16, 16, 1.0, 4.0, 6, 6, NULL)
                                 : world_scattered((uint64_t)number, 22, 22, 1.0, 0.25, 7, NULL);
    TileStore store;
    EditTally edits = {0};
    store_tiles(mesh, &store);
    CrPathContext *context = make_context(mesh, (CrNodeModel)(number / 2 % 2), 1024, NULL);
    CrPathContext *probe = make_context(mesh, (CrNodeModel)(number / 2 % 2), 1024, NULL);
    CrCorridor *corridor = make_corridor(context, 256, world_random_point(mesh, &seed, NULL));
    for (int run = 0; run < 60; run++) {
      for (int k = 0; k < 6; k++) {
        CrVec3 stray = world_random_point(mesh, &seed, NULL);
        call_corridor((CorridorCall)rnd_int(&seed, CALL_COUNT), corridor, context, stray, &seed);
      }
      if (rnd_int(&seed, 3) == 0) edit_mesh(mesh, &store, CR_INVALID_REF, &seed, &edits);
      if (cr_corridor_validate(corridor, context, 1) == CR_VALIDATE_INVALID &&
          !cr_corridor_relocate(corridor, context, cr__vec(50, 50, 50))) {
        break;
      }
      if (rnd_int(&seed, 3) == 0) corridor->target.x += rnd_range(&seed, -3.0, 3.0);
      CrNearestPoly end;
      CrPathResult result;
      static CrPolyRef path[1024];
      bool near = cr_query_nearest_poly(probe->query, corridor->target, EXTENTS, NULL, &end, NULL) == CR_STATUS_OK;
      take_corridor(corridor, &before);
      cr_corridor_request_replan(corridor);
      take_corridor(corridor, &whole);
      CrReplanOutcome outcome = cr_corridor_replan(corridor, context, EXTENTS, INT64_MAX);
      outcomes[outcome]++;
      compared++;
      CHECK(near == (outcome != CR_REPLAN_NO_END_NEARBY));
      if (!near) {
        CHECK(is_still(corridor, &whole));
        continue;
      }
      CrVec3 position = corridor->position;
      CrPolyRef first = corridor->path[0];
      REQUIRE_OK(
          cr_query_find_path(probe->query, first, position, end.ref, end.point, NULL, path, 1024, &result, NULL));
      CHECK((result.outcome == CR_PATH_SUCCESS) == (outcome == CR_REPLAN_SUCCESS));
      CHECK((result.outcome == CR_PATH_PARTIAL) == (outcome == CR_REPLAN_PARTIAL));
      int32_t count = cut_loops(path, result.count);
      loops += count < result.count;
      CHECK(count <= 256 && same_path(corridor, path, count));
      CHECK(corridor->target_ref == end.ref && corridor->complete == (outcome == CR_REPLAN_SUCCESS));
      CHECK(!corridor->needs_replan && !corridor->replan_from_start);
    }
    cr_corridor_destroy(corridor);
    free_tiles(&store);
    cr_path_context_destroy(probe);
    cr_path_context_destroy(context);
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld compared: success %lld, partial %lld, no end %lld; %lld routes with a loop\n", (long long)compared,
         (long long)outcomes[CR_REPLAN_SUCCESS], (long long)outcomes[CR_REPLAN_PARTIAL],
         (long long)outcomes[CR_REPLAN_NO_END_NEARBY], (long long)loops);
  CHECK(outcomes[CR_REPLAN_SUCCESS] > 0);
  CHECK(compared < 1000 || (outcomes[CR_REPLAN_PARTIAL] > 0 && outcomes[CR_REPLAN_NO_END_NEARBY] > 0));
}

TEST_MAIN(RUN(validate_finds_the_first_bad_polygon), RUN(links_connect_the_way_they_lead),
          RUN(relocate_takes_the_nearest_polygon), RUN(target_polygon_is_found_afresh),
          RUN(replan_from_start_is_a_new_query))
