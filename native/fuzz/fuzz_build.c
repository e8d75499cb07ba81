// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds from any level (fuzzkit_level.h). What must hold: a mesh with every invariant (convex polygons with area among them) whose
// polygons do not overlap, or an error by name; each tile built alone, whole or stage by stage, has the bytes it has in the
// mesh; a stage out of turn is refused; what the views show is what there is; memory stays bounded; any allocation may fail;
// questions go well.
#include "crowdreel/build_stages.h"
#include "crowdreel/build_views.h"
#include "fuzzkit_level.h"
#include "navmesh_internal.h"

// --- Oracles --------------------------------------------------------------------------------------------------------

// Whether some edge of `a` has all of `b` on its right, but for `slack`.
static bool is_beside(const CrPolygonInfo *a, const CrPolygonInfo *b, double slack) {
  for (uint32_t i = 0; i < a->vertex_count; i++) {
    CrVec3 p = a->vertices[i], q = a->vertices[i + 1 == a->vertex_count ? 0 : i + 1];
    double limit = slack * cr__dist_xz(p, q);
    uint32_t k = 0;
    while (k < b->vertex_count && cr__cross_xz(p, q, b->vertices[k]) <= limit) k++;
    if (k == b->vertex_count) return true;
  }
  return false;
}

// Convex polygons of one height, as far as an agent goes, do not overlap. Corners are whole cells apart, so a real overlap is
// no hair's breadth.
static void check_overlap(const FuzzLevel *level, const CrPolygonInfo *a, const CrPolygonInfo *b) {
  double low = CR_COORD_LIMIT, high = -CR_COORD_LIMIT;
  const CrPolygonInfo *both[] = {a, b};
  for (uint32_t i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < both[i]->vertex_count; k++) {
      low = cr__min(low, both[i]->vertices[k].y);
      high = cr__max(high, both[i]->vertices[k].y);
    }
  }
  if (high - low >= level->settings.agent_height) return;
  double slack = 1e-4 * level->settings.cell_size;
  FUZZ_REQUIRE(is_beside(a, b, slack) || is_beside(b, a, slack));
}

// A corner has the height of the highest floor of its fan, up to two climbs above the polygon's own: with a climb of half the
// agent's height or more, polygons of two storeys may have corners of one height.
static void check_overlaps(const FuzzLevel *level, const CrNavMesh *mesh) {
  static CrPolygonInfo polygons[128];
  if (level->settings.agent_height <= 2.0 * level->settings.walkable_climb) return;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    uint32_t count = 0;
    while (count < CR_COUNT_OF(polygons) &&
           cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, slot, count), &polygons[count]) == CR_STATUS_OK) {
      count++;
    }
    for (uint32_t i = 0; i < count; i++) {
      for (uint32_t k = 0; k < i; k++) check_overlap(level, &polygons[i], &polygons[k]);
    }
  }
}

static CrBytes tile_in_mesh(const CrNavMesh *mesh, int32_t x, int32_t z) {
  CrBytes bytes = {0};
  uint32_t slot;
  if (cr_navmesh_find_tile(mesh, x, z, 0, &slot) == CR_STATUS_OK) {
    FUZZ_REQUIRE(cr_navmesh_tile_bytes(mesh, slot, NULL, &bytes, NULL) == CR_STATUS_OK);
  }
  return bytes;
}

static void require_same(const CrBytes *a, const CrBytes *b) {
  FUZZ_REQUIRE(a->size == b->size);
  FUZZ_REQUIRE(a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

// Reads everything a stage made: the counts agree with what is written, and nothing is written past what there is room for.
static void look_at(const CrTileBuild *build) {
  static CrSolidSpan solid[64];
  static CrOpenSpan open[64];
  static CrContourView contours[16];
  static double points[3 * 64];
  static uint32_t links[4 * 64];
  uint32_t count, point_count;
  CrGridView grid;
  CrTileDescription description;
  bool has_grid = cr_tile_build_grid(build, &grid, NULL) == CR_STATUS_OK;
  uint32_t columns = has_grid ? (uint32_t)grid.width * (uint32_t)grid.depth : 0;
  if (cr_tile_build_solid_spans(build, solid, 64, &count, NULL) == CR_STATUS_OK) {
    for (uint32_t i = 0; i < count && i < 64; i++)
      FUZZ_REQUIRE(solid[i].column < columns && solid[i].low < solid[i].high);
  }
  if (cr_tile_build_open_spans(build, open, 64, &count, NULL) == CR_STATUS_OK) {
    for (uint32_t i = 0; i < count && i < 64; i++) FUZZ_REQUIRE(open[i].column < columns && open[i].headroom > 0);
    FUZZ_REQUIRE(cr_tile_build_open_links(build, links, 64, &point_count, NULL) == CR_STATUS_OK);
    for (uint32_t i = 0; i < 4 * count && i < 4 * 64; i++)
      FUZZ_REQUIRE(links[i] == CR_VIEW_NO_SPAN || links[i] < count);
  }
  for (int simplified = 0; simplified < 2; simplified++) {
    cr_tile_build_contours(build, simplified, contours, 16, &count, points, 64, &point_count, NULL);
  }
  if (cr_tile_build_description(build, &description, NULL) == CR_STATUS_OK) {
    FUZZ_REQUIRE(description.polygon_count == 0 || description.vertex_count >= 3);
  }
}

static CrBytes build_by_stages(const FuzzLevel *level, int32_t x, int32_t z) {
  CrBuilder *builder;
  CrTileBuild *build;
  CrBytes bytes;
  FUZZ_REQUIRE(cr_builder_create(&level->input, &level->settings, NULL, NULL, &builder, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_tile_build_create(builder, x, z, &build, NULL) == CR_STATUS_OK);
  for (int32_t stage = 0; stage < CR_STAGE_COUNT; stage++) {
    CrBuildStage other = (CrBuildStage)((stage + 1) % CR_STAGE_COUNT);
    FUZZ_REQUIRE(cr_tile_build_next_stage(build) == (CrBuildStage)stage);
    FUZZ_REQUIRE(cr_tile_build_run(build, other, NULL) == CR_STATUS_ARGUMENT);
    FUZZ_REQUIRE(cr_tile_build_take_bytes(build, &bytes, NULL) == CR_STATUS_ARGUMENT);
    FUZZ_REQUIRE(cr_tile_build_run(build, (CrBuildStage)stage, NULL) == CR_STATUS_OK);
    look_at(build);
  }
  FUZZ_REQUIRE(cr_tile_build_take_bytes(build, &bytes, NULL) == CR_STATUS_OK);
  cr_tile_build_destroy(build);
  cr_builder_destroy(builder);
  return bytes;
}

static void check_tile_alone(const FuzzLevel *level, const CrNavMesh *mesh, int32_t x, int32_t z, bool by_stages) {
  CrBytes whole = tile_in_mesh(mesh, x, z), alone;
  FUZZ_REQUIRE(cr_build_tile(&level->input, &level->settings, x, z, NULL, &alone, NULL, NULL) == CR_STATUS_OK);
  require_same(&alone, &whole);
  cr_bytes_free(&alone);
  if (by_stages) {
    CrBytes staged = build_by_stages(level, x, z);
    require_same(&staged, &whole);
    cr_bytes_free(&staged);
  }
  cr_bytes_free(&whole);
}

// All tiles of a small mesh, every few of a larger one.
static void check_tiles_alone(const FuzzLevel *level, const CrNavMesh *mesh) {
  CrNavMeshParams params;
  int32_t tiles_x, tiles_z;
  FUZZ_REQUIRE(cr_build_layout(&level->input, &level->settings, &params, &tiles_x, &tiles_z, NULL) == CR_STATUS_OK);
  int32_t stride = 1 + tiles_x * tiles_z / 3;
  for (int32_t k = 0; k < tiles_x * tiles_z; k += stride)
    check_tile_alone(level, mesh, k % tiles_x, k / tiles_x, k == stride || tiles_x * tiles_z == 1);
}

static void build_without_memory(const FuzzLevel *level, const uint8_t *data, size_t size, int64_t allocations) {
  FuzzMemory memory = {.fail_at = 1 + (int64_t)(cr_hash_bytes(data, size) % (uint64_t)allocations)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  CrStatus status = cr_build_navmesh(&level->input, &level->settings, NULL, &hooks, &mesh, NULL, NULL);
  FUZZ_REQUIRE(status == CR_STATUS_OUT_OF_MEMORY);
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FuzzLevel level;
  FuzzIn in = fuzz_in(data, size);
  fuzz_level_read(&level, &in);
  FuzzMemory memory = {.limit = (size_t)128 << 20};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  CrError error = {0};
  CrStatus status = cr_build_navmesh(&level.input, &level.settings, NULL, &hooks, &mesh, NULL, &error);
  int64_t allocations = memory.count;
  if (status == CR_STATUS_OK) {
    fuzz_check_mesh(mesh);
    check_overlaps(&level, mesh);
    check_tiles_alone(&level, mesh);
    FuzzIn questions = fuzz_in(data, size);
    questions.at = size > 48 ? size - 48 : 0;
    fuzz_ask_mesh(mesh, &questions);
    cr_navmesh_destroy(mesh);
    if (cr_hash_bytes(data, size) % 8 == 0) build_without_memory(&level, data, size, allocations);
  } else {
    // Volumes and links are any numbers; settings and geometry are in range.
    FUZZ_REQUIRE(status == CR_STATUS_ARGUMENT || status == CR_STATUS_LIMIT);
    FUZZ_REQUIRE(error.status == status && error.field);
    FUZZ_REQUIRE(strncmp(error.field, "vertices", 8) != 0 && strncmp(error.field, "triangles", 9) != 0);
  }
  fuzz_memory_end(&memory);
  return 0;
}
