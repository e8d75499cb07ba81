// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Whole builds in tiles, of storeys so close that the climb reaches from one to the next: along every seam the portals of the mesh join exactly what the
// open field of the input built as one tile links, storey by storey.
#include <math.h>

#include "builder_internal.h"
#include "check.h"
#include "navmesh_internal.h"

typedef struct Storeys {
  double *vertices;
  uint32_t *triangles;
  uint32_t vertex_count, triangle_count;
} Storeys;

enum { LATTICE = 9 };  // corners of a storey's lattice along each side

// Storeys of triangles between random heights round their level, with holes: ramps in all directions, storeys that nearly touch.
static Storeys random_storeys(uint64_t *seed, int storeys, double gap, double rough) {
  Storeys s = {0};
  uint32_t corners = LATTICE * LATTICE, squares = (LATTICE - 1) * (LATTICE - 1);
  s.vertices = malloc((size_t)storeys * corners * 3 * sizeof *s.vertices);
  s.triangles = malloc((size_t)storeys * squares * 6 * sizeof *s.triangles);
  REQUIRE(s.vertices && s.triangles);
  double tilt_x = rnd_range(seed, -0.4, 0.4), tilt_z = rnd_range(seed, -0.4, 0.4);
  for (int storey = 0; storey < storeys; storey++) {
    uint32_t first = s.vertex_count;
    for (int j = 0; j < LATTICE; j++) {
      for (int i = 0; i < LATTICE; i++) {
        double *v = s.vertices + 3 * (size_t)s.vertex_count++;
        v[0] = i * 1.5;
        v[1] = storey * gap + rnd_unit(seed) * rough + i * tilt_x + j * tilt_z;
        v[2] = j * 1.5;
      }
    }
    for (uint32_t j = 0; j < LATTICE - 1; j++) {
      for (uint32_t i = 0; i < LATTICE - 1; i++) {
        if (rnd_int(seed, 8) == 0) continue;
        uint32_t a = first + j * LATTICE + i;
        uint32_t *t = s.triangles + 3 * (size_t)s.triangle_count;
        memcpy(t, (uint32_t[6]){a, a + LATTICE, a + LATTICE + 1, a, a + LATTICE + 1, a + 1}, 6 * sizeof *t);
        s.triangle_count += 2;
      }
    }
  }
  return s;
}

// Storeys of level squares, each at a height of its own: steps and cliffs on every seam.
static Storeys random_steps(uint64_t *seed, int storeys, double gap, double rough) {
  enum { SIDE = 20 };
  Storeys s = {0};
  s.vertices = malloc((size_t)storeys * SIDE * SIDE * 12 * sizeof *s.vertices);
  s.triangles = malloc((size_t)storeys * SIDE * SIDE * 6 * sizeof *s.triangles);
  REQUIRE(s.vertices && s.triangles);
  double size = rnd_int(seed, 2) ? 0.5 : rnd_range(seed, 0.3, 0.8);
  for (int storey = 0; storey < storeys; storey++) {
    for (int square = 0; square < SIDE * SIDE; square++) {
      if (rnd_int(seed, 6) == 0) continue;
      double x = square % SIDE * size, z = square / SIDE * size, y = storey * gap + rnd_unit(seed) * rough;
      uint32_t a = s.vertex_count;
      for (int k = 0; k < 4; k++) {
        double *v = s.vertices + 3 * (size_t)s.vertex_count++;
        v[0] = x + (k & 1) * size;
        v[1] = y;
        v[2] = z + (k >> 1) * size;
      }
      memcpy(s.triangles + 3 * (size_t)s.triangle_count, (uint32_t[6]){a, a + 2, a + 3, a, a + 3, a + 1},
             6 * sizeof *s.triangles);
      s.triangle_count += 2;
    }
  }
  return s;
}

typedef struct Tiled {
  CrBuilder *builder;
  CrTileBuild **builds;  // by number; the mesh's slots follow the same order
  uint32_t *slots;       // CR_NONE: empty
  CrNavMesh *mesh;
  int32_t tiles_x, tiles_z;
} Tiled;

static Tiled build_tiled(const CrBuildInput *input, const CrBuildSettings *settings) {
  Tiled t = {0};
  REQUIRE_OK(cr_builder_create(input, settings, NULL, NULL, &t.builder, NULL));
  CrNavMeshParams params = cr_builder_params(t.builder);
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &t.mesh, NULL));
  cr_builder_tile_counts(t.builder, &t.tiles_x, &t.tiles_z);
  size_t count = (size_t)t.tiles_x * (size_t)t.tiles_z;
  t.builds = calloc(count, sizeof(CrTileBuild *));
  t.slots = calloc(count, sizeof *t.slots);
  REQUIRE(t.builds && t.slots);
  for (size_t i = 0; i < count; i++) {
    CrBytes bytes;
    REQUIRE_OK(cr_tile_build_create(t.builder, (int32_t)i % t.tiles_x, (int32_t)i / t.tiles_x, &t.builds[i], NULL));
    REQUIRE_OK(cr_tile_build_run_to(t.builds[i], CR_STAGE_ENCODE, NULL));
    REQUIRE_OK(cr_tile_build_take_bytes(t.builds[i], &bytes, NULL));
    check_note_bytes(bytes.data, bytes.size);
    t.slots[i] = CR_NONE;
    if (bytes.size) REQUIRE_OK(cr_navmesh_add_tile(t.mesh, bytes.data, bytes.size, &t.slots[i], NULL));
    cr_bytes_free(&bytes);
  }
  return t;
}

static void drop_tiled(Tiled *t) {
  for (int32_t i = 0; i < t->tiles_x * t->tiles_z; i++) cr_tile_build_destroy(t->builds[i]);
  free(t->builds);
  free(t->slots);
  cr_navmesh_destroy(t->mesh);
  cr_builder_destroy(t->builder);
}

// The piece's span in a column of its tile (global cells), or CR_NO_SPAN.
static uint32_t span_of_piece(const CrTileBuild *build, uint32_t piece, int32_t cell_x, int32_t cell_z) {
  const CrOpenField *f = &build->open;
  size_t c = (size_t)(cell_x - f->grid.cell_x) + (size_t)(cell_z - f->grid.cell_z) * (size_t)f->grid.width;
  for (uint32_t s = f->first[c]; s < f->first[c + 1]; s++) {
    if (build->outlines.pieces.of[s] == piece) return s;
  }
  return CR_NO_SPAN;
}

// The span of the whole field with the same floor in the same column.
static uint32_t span_of_whole(const CrOpenField *whole, int32_t x, int32_t z, int32_t floor) {
  if (x < 0 || z < 0 || x >= whole->grid.width || z >= whole->grid.depth) return CR_NO_SPAN;
  size_t c = (size_t)x + (size_t)z * (size_t)whole->grid.width;
  for (uint32_t s = whole->first[c]; s < whole->first[c + 1]; s++) {
    if (whole->floor[s] == floor) return s;
  }
  return CR_NO_SPAN;
}

typedef struct Tally {
  uint64_t right, wrong, unknown, missing;
} Tally;

typedef struct SeamCheck {
  const Tiled *tiled;
  const CrOpenField *whole;
  uint8_t *joined;  // per whole span: joined towards +x (1), +z (2) by a portal
  Tally *tally;
} SeamCheck;

// One portal towards +x (dir 2) or +z (dir 1): cell by cell, the spans of its two polygons' pieces must be linked.
static void check_portal(const SeamCheck *check, size_t from, size_t to, const CrLink *link, uint32_t polygon,
                         int dir) {
  const CrTileBuild *a = check->tiled->builds[from], *b = check->tiled->builds[to];
  const CrGrid *grid = &a->open.grid;
  double low =
      dir == 2 ? cr__min(link->a.z, link->b.z) - grid->origin_z : cr__min(link->a.x, link->b.x) - grid->origin_x;
  double high =
      dir == 2 ? cr__max(link->a.z, link->b.z) - grid->origin_z : cr__max(link->a.x, link->b.x) - grid->origin_x;
  uint32_t piece_a = a->outlines.mesh.pieces[polygon];
  uint32_t piece_b = b->outlines.mesh.pieces[cr__ref_polygon(link->target)];
  int32_t line = dir == 2 ? b->open.grid.cell_x + grid->border : b->open.grid.cell_z + grid->border;
  for (int32_t c = (int32_t)floor(low / grid->cell_size + 0.5); (c + 0.5) * grid->cell_size < high; c++) {
    if ((c + 0.5) * grid->cell_size < low) continue;
    int32_t ax = dir == 2 ? line - 1 : c, az = dir == 2 ? c : line - 1;
    int32_t bx = dir == 2 ? line : c, bz = dir == 2 ? c : line;
    uint32_t sa = span_of_piece(a, piece_a, ax, az), sb = span_of_piece(b, piece_b, bx, bz);
    if (sa == CR_NO_SPAN || sb == CR_NO_SPAN) {
      check->tally->unknown++;
      continue;
    }
    uint32_t wa = span_of_whole(check->whole, ax, az, a->open.floor[sa]);
    uint32_t wb = span_of_whole(check->whole, bx, bz, b->open.floor[sb]);
    REQUIRE(wa != CR_NO_SPAN && wb != CR_NO_SPAN);
    bool linked = check->whole->neighbour[4 * (size_t)wa + (size_t)dir] == wb;
    if (linked) {
      check->tally->right++;
      check->joined[wa] |= (uint8_t)dir;
    } else {
      check->tally->wrong++;
    }
  }
}

static void check_side(const SeamCheck *check, size_t from, size_t to, uint32_t code, int dir) {
  const Tiled *t = check->tiled;
  if (t->slots[from] == CR_NONE || t->slots[to] == CR_NONE) return;
  const CrTile *tile = &t->mesh->tiles[t->slots[from]];
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t l = tile->link_first[p]; l < tile->link_first[p + 1]; l++) {
      if (tile->corner_neighbour[tile->polygon_first[p] + tile->links[l].edge] != code) continue;
      check_portal(check, from, to, &tile->links[l], p, dir);
    }
  }
}

// Links of the whole field across the tile lines that no portal covers.
static uint64_t count_missing(const SeamCheck *check, int32_t tile_cells) {
  const CrOpenField *w = check->whole;
  uint64_t missing = 0;
  for (int32_t z = 0; z < w->grid.depth; z++) {
    for (int32_t x = 0; x < w->grid.width; x++) {
      size_t c = (size_t)x + (size_t)z * (size_t)w->grid.width;
      for (uint32_t s = w->first[c]; s < w->first[c + 1]; s++) {
        if (w->area[s] == CR_AREA_NONE) continue;
        uint32_t east = w->neighbour[4 * (size_t)s + 2], south = w->neighbour[4 * (size_t)s + 1];
        bool over_x = x % tile_cells == tile_cells - 1 && east != CR_NO_SPAN && w->area[east] != CR_AREA_NONE;
        bool over_z = z % tile_cells == tile_cells - 1 && south != CR_NO_SPAN && w->area[south] != CR_AREA_NONE;
        missing += over_x && !(check->joined[s] & 2);
        missing += over_z && !(check->joined[s] & 1);
      }
    }
  }
  return missing;
}

static void check_seams(const Storeys *s, const CrBuildSettings *tiled_settings, Tally *tally) {
  CrBuildInput input = {.vertices = s->vertices,
                        .vertex_count = s->vertex_count,
                        .triangles = s->triangles,
                        .triangle_count = s->triangle_count};
  Tiled tiled = build_tiled(&input, tiled_settings);
  CrBuildSettings settings = *tiled_settings;
  settings.tile_cells = 0;
  CrBuilder *builder;
  CrTileBuild *whole;
  REQUIRE_OK(cr_builder_create(&input, &settings, NULL, NULL, &builder, NULL));
  if (tiled.tiles_x) {
    REQUIRE_OK(cr_tile_build_create(builder, 0, 0, &whole, NULL));
    REQUIRE_OK(cr_tile_build_run_to(whole, CR_STAGE_OBSTACLES, NULL));
    SeamCheck check = {&tiled, &whole->open, calloc(whole->open.count + 1, 1), tally};
    REQUIRE(check.joined);
    for (int32_t z = 0; z < tiled.tiles_z; z++) {
      for (int32_t x = 0; x < tiled.tiles_x; x++) {
        size_t at = (size_t)(x + z * tiled.tiles_x);
        if (x + 1 < tiled.tiles_x) check_side(&check, at, at + 1, CR_EDGE_BORDER_POS_X, 2);
        if (z + 1 < tiled.tiles_z) check_side(&check, at, at + (size_t)tiled.tiles_x, CR_EDGE_BORDER_POS_Z, 1);
      }
    }
    tally->missing += count_missing(&check, tiled_settings->tile_cells);
    free(check.joined);
    cr_tile_build_destroy(whole);
  }
  cr_builder_destroy(builder);
  drop_tiled(&tiled);
}

static CrBuildSettings seam_settings(uint64_t *seed, double error) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.agent_radius = rnd_int(seed, 3) ? 0.0 : 0.25;
  settings.agent_height = rnd_range(seed, 0.2, 1.2);
  settings.walkable_climb = rnd_range(seed, 0.1, 1.5);
  settings.max_slope = 80;
  settings.cell_size = 0.25;
  settings.cell_height = rnd_int(seed, 2) ? 0.1 : 0.05;
  settings.contour_max_error = error;
  settings.min_region_area = 0;
  settings.merge_region_area = rnd_int(seed, 2) ? 0 : 40;
  settings.tile_cells = 12 + rnd_int(seed, 8);
  settings.partition = (CrPartition)rnd_int(seed, 3);
  return settings;
}

static Tally run_campaign(int count, uint64_t first_seed, double largest_error) {
  Tally tally = {0};
  for (int i = 0; i < count; i++) {
    check_seed = first_seed + (uint64_t)i;
    uint64_t seed = check_seed;
    Tally one = {0};
    int storeys = 1 + rnd_int(&seed, 5);
    double gap = rnd_range(&seed, 0.3, 1.5), rough = rnd_range(&seed, 0, 1.0);
    Storeys s = i % 2 ? random_steps(&seed, storeys, gap, rough) : random_storeys(&seed, storeys, gap, rough);
    CrBuildSettings settings = seam_settings(&seed, rnd_unit(&seed) * largest_error);
    check_seams(&s, &settings, &one);
    CHECK_INT(one.wrong, 0);
    if (largest_error == 0.0) CHECK(one.missing == 0 && one.unknown == 0);
    tally.right += one.right;
    tally.wrong += one.wrong;
    tally.unknown += one.unknown;
    tally.missing += one.missing;
    free(s.vertices);
    free(s.triangles);
  }
  printf("  %d builds: cells of seam joined rightly %" PRIu64 ", wrongly %" PRIu64 ", linked but not joined %" PRIu64
         ", joined beyond a piece %" PRIu64 "\n",
         count, tally.right, tally.wrong, tally.missing, tally.unknown);
  return tally;
}

TEST(exact_outlines_join_what_is_linked) {
  Tally tally = run_campaign((int)check_scaled(100), 70000, 0.0);
  CHECK(tally.right > 1000);
}

// Simplified outlines leave slivers out and reach over a little; still no storey joins another.
TEST(simplified_outlines_never_join_storeys) {
  Tally tally = run_campaign((int)check_scaled(100), 80000, 0.8);
  CHECK(tally.right > 1000);
  CHECK(tally.missing < tally.right / 10);
}

TEST_MAIN(RUN(exact_outlines_join_what_is_linked), RUN(simplified_outlines_never_join_storeys))
