// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// From hand-made and random regions to polygons: outlines with holes of any shape, shared boundaries, borders. The oracle is area: with
// no error allowed, the polygons cover exactly the cells; with any error, exactly the simplified outline.
#include <math.h>

#include "field_maker.h"
#include "navmesh_internal.h"
#include "outline_internal.h"

typedef struct Built {
  CrTile tile;  // decoded from the bytes
  CrAllocator allocator;
  CrNavMeshParams params;
  CrBuildReport report;
  bool empty;
} Built;

static CrBuildSettings plain_settings(const CrGrid *grid) {
  CrBuildSettings s = {.agent_height = 2.5, .walkable_climb = 1.0};
  s.cell_size = grid->cell_size;
  s.cell_height = grid->cell_height;
  s.max_verts_per_poly = 6;
  return s;
}

static Built build(FieldMaker *maker, const CrBuildSettings *settings) {
  CrArena arena;
  Built built = {.allocator = cr__allocator_or_default(NULL), .empty = true};
  cr__arena_init(&arena, NULL);
  CrOpenField field = field_make(maker, &arena);
  int32_t side = maker->grid.width > maker->grid.depth ? maker->grid.width : maker->grid.depth;
  built.params = (CrNavMeshParams){.tile_size = (side - 2 * maker->grid.border) * maker->grid.cell_size, .climb = 1.0};
  CrBytes bytes;
  CrError error = {0};
  CrStatus status =
      cr__tile_from_regions(&field, settings, &built.params, 0, 0, &arena, NULL, &bytes, &built.report, &error);
  if (status != CR_STATUS_OK) printf("  %s: %s %" PRId64 "\n", cr_status_text(status), error.field, error.index);
  REQUIRE(status == CR_STATUS_OK);
  if (bytes.size) {
    CrReader reader = cr__reader(bytes.data, bytes.size, 0, CR_FORMAT_NAVMESH, &error);
    REQUIRE_OK(cr__tile_read(&reader, &built.params, &built.allocator, &built.tile));
    built.empty = false;
    cr_bytes_free(&bytes);
  }
  cr__arena_free(&arena);
  return built;
}

static void built_free(Built *built) {
  if (!built->empty) cr__tile_free(&built->allocator, &built->tile);
}

static double polygon_area(const CrTile *tile, uint32_t p) {
  double area2 = 0.0;
  CrVec3 first = cr__polygon_vertex(tile, p, 0);
  for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, p); k++) {
    area2 += cr__cross_xz(first, cr__polygon_vertex(tile, p, k), cr__polygon_vertex(tile, p, k + 1));
  }
  return area2 / 2.0;
}

// In cells.
static double total_area(const Built *built, const FieldMaker *maker) {
  double area = 0.0;
  for (uint32_t p = 0; !built->empty && p < built->tile.polygon_count; p++) area += polygon_area(&built->tile, p);
  return area / (maker->grid.cell_size * maker->grid.cell_size);
}

static size_t own_cells(const FieldMaker *maker) {
  size_t count = 0;
  for (size_t i = 0; i < maker->count; i++) {
    bool traced = maker->spans[i].region && !(maker->spans[i].region & CR_BORDER_REGION);
    count += traced && maker->spans[i].area != CR_AREA_NONE;
  }
  return count;
}

static uint32_t edges_with_code(const Built *built, uint32_t code) {
  uint32_t count = 0;
  for (uint32_t c = 0; c < built->tile.corner_count; c++) count += built->tile.corner_neighbour[c] == code;
  return count;
}

static uint32_t polygon_islands(const Built *built) {
  uint32_t count = built->empty ? 0 : built->tile.polygon_count, islands = 0;
  bool *seen = calloc(count + 1, 1);
  uint32_t *stack = malloc((count + 1) * sizeof *stack);
  REQUIRE(seen && stack);
  for (uint32_t p = 0; p < count; p++) {
    if (seen[p]) continue;
    uint32_t top = 0;
    stack[top++] = p;
    seen[p] = true;
    islands++;
    while (top) {
      uint32_t at = stack[--top];
      for (uint32_t c = built->tile.polygon_first[at]; c < built->tile.polygon_first[at + 1]; c++) {
        uint32_t n = built->tile.corner_neighbour[c];
        if (n >= count || seen[n]) continue;
        seen[n] = true;
        stack[top++] = n;
      }
    }
  }
  free(seen);
  free(stack);
  return islands;
}

static void expect_exact(const char *map, uint32_t islands) {
  FieldMaker maker = field_from_map(map, 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
  CHECK_INT(polygon_islands(&built), islands);
  built_free(&built);
  settings.contour_max_error = 1.3 * settings.cell_size;
  built = build(&maker, &settings);
  CHECK_INT(polygon_islands(&built), islands);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(one_square) {
  FieldMaker maker = field_from_map("aaaa\naaaa\naaaa\n", 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_INT(built.tile.polygon_count, 1);
  CHECK_INT(built.tile.vertex_count, 4);
  CHECK_INT(built.report.contours, 1);
  CHECK_NEAR(total_area(&built, &maker), 12.0, 0.0);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(maps) {
  expect_exact("a\n", 1);
  expect_exact("aaaaa\na...a\na...a\naaaaa\n", 1);
  expect_exact("aaaaaaa\na.a.a.a\naaaaaaa\na.a.a.a\naaaaaaa\n", 1);
  expect_exact("aaaaaaaa\naa.aaaaa\naaa.aaaa\naaaa.aaa\naaaaaaaa\n", 1);  // holes touching at corners
  expect_exact("aaaaaaaaa\na.......a\na.aaaaa.a\na.a...a.a\na.a.a.a.a\na.a...a.a\na.aaaaa.a\na.......a\naaaaaaaaa\n",
               3);
  expect_exact(
      "aaaaaaaaaa\n.........a\naaaaaaaa.a\na......a.a\na.aaaa.a.a\na.a....a.a\na.aaaaaa.a\na........a\naaaaaaaaaa\n",
      1);
  expect_exact("aaabbb\naaabbb\ncccddd\ncccddd\n", 1);
  expect_exact("aaaaaa\nabbbba\nab..ba\nabbbba\naaaaaa\n", 1);  // a ring in a ring
  expect_exact("abab\nbaba\nabab\n", 1);                        // checkerboard: pieces of one cell
  expect_exact("aabb\naabb\n....\nccaa\nccaa\n", 2);            // a region in two parts
  expect_exact("aaaaaaaaaaaa\naaaaaaaaaaab\naaaaaaaaaabb\naaaaaaaaabbb\naaaaaaaabbbb\naaaaaaabbbbb\n", 1);
}

// Cells that touch at corners only are islands. With error allowed, a cell held at two of its corners may shrink to a line.
TEST(corners_do_not_join) {
  FieldMaker maker = field_from_map("a.a.a\n.a.a.\na.a.a\n", 0);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_INT(polygon_islands(&built), 8);
  CHECK_NEAR(total_area(&built, &maker), 8.0, 0.0);
  built_free(&built);
  field_maker_free(&maker);
}

TEST(borders) {
  FieldMaker maker =
      field_from_map("aaaaaaaa\naaaaaaaa\naaaaaaa.\n.aaaaaaa\naaaaaaaa\naaaabaaa\n...aaaaa\naaaaaaaa\n", 1);
  CrBuildSettings settings = plain_settings(&maker.grid);
  Built built = build(&maker, &settings);
  CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
  // Beyond z = 0 there is ground all along; single columns without ground cut the x sides in two; z = 6 has ground in part.
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_NEG_Z), 1);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_NEG_X), 2);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_POS_X), 2);
  CHECK_INT(edges_with_code(&built, CR_EDGE_BORDER_POS_Z), 1);
  built_free(&built);
  field_maker_free(&maker);
}

// Random maps: noise of a given density, with regions as blobs grown from seeds.
static FieldMaker random_field(uint64_t *seed, int32_t width, int32_t depth, double walls, uint32_t regions) {
  FieldMaker maker = field_maker(width, depth, 0);
  int32_t *cx = malloc(regions * sizeof *cx), *cz = malloc(regions * sizeof *cz);
  REQUIRE(cx && cz);
  for (uint32_t r = 0; r < regions; r++) {
    cx[r] = rnd_int(seed, width);
    cz[r] = rnd_int(seed, depth);
  }
  int32_t rough = rnd_int(seed, 4);
  for (int32_t z = 0; z < depth; z++) {
    for (int32_t x = 0; x < width; x++) {
      if (rnd_unit(seed) < walls) continue;
      uint32_t best = 0;
      int64_t least = INT64_MAX;
      for (uint32_t r = 0; r < regions; r++) {
        int64_t dx = x - cx[r], dz = z - cz[r];
        int64_t d = dx * dx + dz * dz + rnd_int(seed, rough * rough * 8 + 1);
        if (d < least) {
          least = d;
          best = r;
        }
      }
      field_add(&maker, (FieldSpan){x, z, 0, 1000, best + 1, (uint8_t)(best % 3 == 2)});
    }
  }
  free(cx);
  free(cz);
  return maker;
}

TEST(random_maps_exact) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 1000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 40), depth = 1 + rnd_int(&seed, 40);
    FieldMaker maker = random_field(&seed, width, depth, rnd_unit(&seed) * 0.7, 1 + (uint32_t)rnd_int(&seed, 6));
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.max_verts_per_poly = 3 + rnd_int(&seed, 10);
    Built built = build(&maker, &settings);
    CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d maps, %" PRIu64 " polygons\n", count, polygons);
}

// --- Simplified outlines ----------------------------------------------------------------------------------------------

// The stages without the encoder.
typedef struct Stages {
  CrArena arena;
  CrOpenField field;
  CrPieces pieces;
  CrBoundary boundary;
  CrArcs arcs;
  CrOutlineMesh mesh;
} Stages;

static void run_stages(Stages *s, FieldMaker *maker, double error, double edge, uint32_t corners) {
  cr__arena_init(&s->arena, NULL);
  s->field = field_make(maker, &s->arena);
  REQUIRE(cr__pieces_find(&s->field, &s->arena, &s->pieces));
  REQUIRE_OK(cr__boundary_trace(&s->field, &s->pieces, &s->arena, &s->boundary));
  REQUIRE(cr__arcs_cut(&s->boundary, &s->field, &s->arena, &s->arcs));
  CrSimplifyLimits limits = {error * error, edge * edge, maker->cells.climb, maker->cells.height};
  REQUIRE(cr__arcs_simplify(&s->boundary, &s->pieces, &limits, &s->arena, &s->arcs));
  REQUIRE_OK(cr__polygonize(&s->boundary, &s->pieces, &s->arcs, corners, &s->arena, &s->mesh));
}

static const CrCorner *chain_corner(const Stages *s, const CrArc *arc, uint32_t position) {
  return &s->boundary.vertices[s->arcs.chain[arc->chain + position]];
}

static const CrCorner *kept_corner(const Stages *s, const CrArc *arc, uint32_t k) {
  return chain_corner(s, arc, s->arcs.kept[arc->kept + k]);
}

static int64_t cross2(const CrCorner *a, const CrCorner *b) { return (int64_t)a->x * b->z - (int64_t)a->z * b->x; }

// Per piece, twice the area inside its simplified outline must be that of its polygons, to the unit.
static void check_areas(const Stages *s) {
  int64_t *outline = calloc(s->pieces.count + 1, sizeof *outline), *polygons = calloc(s->pieces.count + 1, 8);
  REQUIRE(outline && polygons);
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      int64_t area2 = cross2(kept_corner(s, arc, k), kept_corner(s, arc, k + 1));
      outline[arc->piece] += area2;
      if (shared) outline[arc->behind] -= area2;
    }
  }
  for (uint32_t p = 0, corner = 0; p < s->mesh.polygon_count; corner += s->mesh.counts[p++]) {
    const uint32_t *v = s->mesh.corner_vertex + corner;
    for (uint32_t k = 0, count = s->mesh.counts[p]; k < count; k++) {
      const CrCorner *a = &s->boundary.vertices[v[k]], *b = &s->boundary.vertices[v[(k + 1) % count]];
      polygons[s->mesh.pieces[p]] += cross2(a, b);
    }
  }
  for (uint32_t p = 1; p <= s->pieces.count; p++) CHECK_INT(polygons[p], outline[p]);
  free(outline);
  free(polygons);
}

typedef struct TestSegment {
  const CrCorner *a, *b;
  const CrArc *arc;
} TestSegment;

static int sign(int64_t v) { return (v > 0) - (v < 0); }

static bool cross_or_touch(const TestSegment *p, const TestSegment *q) {
  int a = sign(cr__turn(p->a->x, p->a->z, p->b->x, p->b->z, q->a->x, q->a->z));
  int b = sign(cr__turn(p->a->x, p->a->z, p->b->x, p->b->z, q->b->x, q->b->z));
  int c = sign(cr__turn(q->a->x, q->a->z, q->b->x, q->b->z, p->a->x, p->a->z));
  int d = sign(cr__turn(q->a->x, q->a->z, q->b->x, q->b->z, p->b->x, p->b->z));
  return a * b < 0 && c * d < 0;
}

static bool inside_segment(const TestSegment *s, const CrCorner *v) {
  int64_t dx = s->b->x - s->a->x, dz = s->b->z - s->a->z, ex = v->x - s->a->x, ez = v->z - s->a->z;
  int64_t along = dx * ex + dz * ez;
  return dx * ez == dz * ex && along > 0 && along < dx * dx + dz * dz;
}

static bool of_one_piece(const CrArc *a, const CrArc *b) {
  bool a_shared = a->behind != CR_BEHIND_WALL && !(a->behind & CR_BEHIND_BORDER);
  bool b_shared = b->behind != CR_BEHIND_WALL && !(b->behind & CR_BEHIND_BORDER);
  return a->piece == b->piece || (b_shared && a->piece == b->behind) || (a_shared && a->behind == b->piece) ||
         (a_shared && b_shared && a->behind == b->behind);
}

// No two segments of one piece (on flat ground: of any) cross, and none ends inside another.
static void check_plane(const Stages *s, bool flat) {
  TestSegment *all = malloc((s->arcs.segment_count + 1) * sizeof *all);
  REQUIRE(all);
  size_t count = 0;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      all[count++] = (TestSegment){kept_corner(s, arc, k), kept_corner(s, arc, k + 1), arc};
    }
  }
  size_t faults = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < count; j++) {
      if (i == j || (!flat && !of_one_piece(all[i].arc, all[j].arc))) continue;
      faults +=
          cross_or_touch(&all[i], &all[j]) || inside_segment(&all[i], all[j].a) || inside_segment(&all[i], all[j].b);
    }
  }
  CHECK_INT(faults, 0);
  free(all);
}

static double distance_to(const TestSegment *s, const CrCorner *v) {
  CrVec3 a = {s->a->x, 0, s->a->z}, b = {s->b->x, 0, s->b->z}, p = {v->x, 0, v->z};
  return cr__dist_xz(cr__lerp(a, b, cr__segment_t_xz(a, b, p)), p);
}

// Raw wall vertices are within the error of the segment that replaces them.
static void check_error(const Stages *s, double error) {
  double worst = 0.0;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    if (shared && s->pieces.area[arc->piece] == s->pieces.area[arc->behind]) continue;
    for (uint32_t k = 0; k < arc->segment_count; k++) {
      TestSegment segment = {kept_corner(s, arc, k), kept_corner(s, arc, k + 1), arc};
      for (uint32_t n = s->arcs.kept[arc->kept + k]; n <= s->arcs.kept[arc->kept + k + 1]; n++) {
        worst = cr__max(worst, distance_to(&segment, chain_corner(s, arc, n)));
      }
    }
  }
  CHECK(worst <= error + 1e-12);
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Pieces hang together through the polygons just as their cells do, whatever became of the boundaries between them.
static void check_connection(const Stages *s) {
  uint32_t pieces = s->pieces.count + 1;
  uint32_t *cells = malloc(pieces * sizeof *cells),
           *polygons = malloc((pieces + s->mesh.polygon_count) * sizeof *polygons);
  uint32_t *polygon_root = malloc(pieces * sizeof *polygon_root);
  REQUIRE(cells && polygons && polygon_root);
  for (uint32_t i = 0; i < pieces; i++) cells[i] = i;
  for (uint32_t i = 0; i < s->mesh.polygon_count; i++) polygons[i] = i;
  for (size_t i = 0; i < s->arcs.count; i++) {
    const CrArc *arc = &s->arcs.items[i];
    bool shared = arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER);
    if (shared) cells[root_of(cells, arc->piece)] = root_of(cells, arc->behind);
  }
  for (uint32_t p = 0, corner = 0; p < s->mesh.polygon_count; corner += s->mesh.counts[p++]) {
    for (uint32_t k = 0; k < s->mesh.counts[p]; k++) {
      uint32_t behind = cr__mesh_edge_behind(&s->mesh.edges, s->mesh.corner_edge[corner + k]);
      if (behind < s->mesh.polygon_count) polygons[root_of(polygons, p)] = root_of(polygons, behind);
    }
  }
  memset(polygon_root, 0xFF, pieces * sizeof *polygon_root);
  size_t faults = 0;
  for (uint32_t p = 0; p < s->mesh.polygon_count; p++) {
    uint32_t *expected = &polygon_root[root_of(cells, s->mesh.pieces[p])], actual = root_of(polygons, p);
    if (*expected == CR_NONE) *expected = actual;
    faults += *expected != actual;
    faults += root_of(cells, s->mesh.pieces[actual]) != root_of(cells, s->mesh.pieces[p]);
  }
  CHECK_INT(faults, 0);
  free(cells);
  free(polygons);
  free(polygon_root);
}

// Where regions are pieces already, the fast way gives the flood's numbers.
static bool check_fast_pieces(Stages *s) {
  CrPieces fast;
  CrBoundary boundary;
  CrArcs arcs;
  bool plausible;
  REQUIRE(cr__pieces_of_regions(&s->field, &s->arena, &fast, &plausible));
  if (!plausible) return false;
  REQUIRE_OK(cr__boundary_trace(&s->field, &fast, &s->arena, &boundary));
  REQUIRE(cr__arcs_cut(&boundary, &s->field, &s->arena, &arcs));
  bool whole = cr__boundary_is_whole(&boundary, &fast);
  CHECK(whole == (fast.count == s->pieces.count));
  if (!whole) return false;
  CHECK(memcmp(fast.of, s->pieces.of, s->field.count * sizeof *fast.of) == 0);
  CHECK(memcmp(fast.area + 1, s->pieces.area + 1, fast.count) == 0);
  return true;
}

// Regions of one piece each: those of a flood.
static void adopt_pieces(FieldMaker *maker, const Stages *s) {
  for (size_t i = 0; i < maker->count; i++) {
    if (s->pieces.of[i]) maker->spans[i].region = s->pieces.of[i];
    if (!s->pieces.of[i] && !(maker->spans[i].region & CR_BORDER_REGION)) maker->spans[i].region = 0;
  }
}

static void check_random_simplified(FieldMaker *maker, bool flat, uint64_t *seed, uint64_t *polygons) {
  Stages s;
  double error = rnd_unit(seed) * 4.0;
  run_stages(&s, maker, error, rnd_int(seed, 2) ? 0.0 : 2.0 + rnd_unit(seed) * 10.0, 3 + (uint32_t)rnd_int(seed, 10));
  check_areas(&s);
  check_plane(&s, flat);
  check_error(&s, error);
  check_connection(&s);
  *polygons += s.mesh.polygon_count;
  check_fast_pieces(&s);
  adopt_pieces(maker, &s);
  cr__arena_free(&s.arena);
  run_stages(&s, maker, error, 0.0, 6);
  CHECK(check_fast_pieces(&s));
  cr__arena_free(&s.arena);
}

TEST(random_maps_simplified) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 5000 + (uint64_t)i;
    uint64_t seed = check_seed;
    int32_t width = 1 + rnd_int(&seed, 30), depth = 1 + rnd_int(&seed, 30);
    double walls = rnd_unit(&seed) * rnd_unit(&seed) * 0.7;
    FieldMaker maker = random_field(&seed, width, depth, walls, 1 + (uint32_t)rnd_int(&seed, 6));
    check_random_simplified(&maker, true, &seed, &polygons);
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.contour_max_error = rnd_unit(&seed) * 2.0;
    Built built = build(&maker, &settings);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d maps, %" PRIu64 " polygons\n", count, polygons);
}

// Storeys of random heights: ledges within pieces, pieces above each other, spirals, ways that lead under themselves.
static FieldMaker random_storeys(uint64_t *seed, int32_t width, int32_t depth) {
  int32_t border = rnd_int(seed, 3);
  if (border) depth = width;
  FieldMaker maker = field_maker(width + 2 * border, depth + 2 * border, border);
  int32_t layers = 1 + rnd_int(seed, 3), rough = rnd_int(seed, 7), regions = 1 + rnd_int(seed, 5);
  int32_t slope_x = rnd_int(seed, 5), slope_z = rnd_int(seed, 5);
  double walls = rnd_unit(seed) * rnd_unit(seed) * 0.5;
  for (int32_t z = 0; z < maker.grid.depth; z++) {
    for (int32_t x = 0; x < maker.grid.width; x++) {
      bool own = cr__owns(cr__own_square(&maker.grid), x, z);
      for (int32_t layer = 0; layer < layers; layer++) {
        if (rnd_unit(seed) < walls) continue;
        int32_t floor = layer * 30 + x * slope_x + z * slope_z + rnd_int(seed, rough + 1);
        uint32_t region = 1 + (uint32_t)((x / 7 + z / 9 * 3 + layer * 5) % regions);
        if (rnd_int(seed, 50) == 0) region = 0;
        if (!own) region |= CR_BORDER_REGION;
        uint8_t area = rnd_int(seed, 100) == 0 ? CR_AREA_NONE : (uint8_t)(rnd_int(seed, 200) == 0);
        field_add(&maker, (FieldSpan){x, z, floor, 12 + rnd_int(seed, 8), region, area});
      }
    }
  }
  return maker;
}

TEST(random_storeys_simplified) {
  uint64_t polygons = 0;
  int count = 600 * check_scale();
  for (int i = 0; i < count; i++) {
    check_seed = 9000 + (uint64_t)i;
    uint64_t seed = check_seed;
    FieldMaker maker = random_storeys(&seed, 1 + rnd_int(&seed, 24), 1 + rnd_int(&seed, 24));
    check_random_simplified(&maker, false, &seed, &polygons);
    CrBuildSettings settings = plain_settings(&maker.grid);
    settings.contour_max_error = rnd_unit(&seed) * 2.0;
    settings.detail_sample_distance = rnd_unit(&seed) * 3.0;
    settings.detail_max_error = rnd_unit(&seed);
    Built built = build(&maker, &settings);
    polygons += built.report.polygons;
    built_free(&built);
    field_maker_free(&maker);
  }
  printf("  %d fields, %" PRIu64 " polygons\n", count, polygons);
}

// A ramp that winds round a pole of `pole` cells (0: round a corner, so that one fan holds all storeys), all one region.
static FieldMaker winding_ramp(int32_t width, int32_t pole, int32_t turns) {
  FieldMaker maker = field_maker(width, width, 0);
  int32_t middle = width / 2, storey = 40;
  maker.cells.climb = 12;
  for (int32_t z = 0; z < width; z++) {
    for (int32_t x = 0; x < width; x++) {
      double dx = x + 0.5 - middle, dz = z + 0.5 - middle;
      double around = dz >= 0 ? (dx >= 0 ? dz / (dx + dz) : 1.0 - dx / (dz - dx))
                              : (dx < 0 ? 2.0 + dz / (dx + dz) : 3.0 + dx / (dx - dz));
      if (abs(x - middle) < pole && abs(z - middle) < pole) continue;
      for (int32_t turn = 0; turn < turns; turn++) {
        field_add(&maker, (FieldSpan){x, z, (int32_t)((around / 4.0 + turn) * storey), 30, 1, 0});
      }
    }
  }
  return maker;
}

TEST(winding_ramps) {
  for (int32_t pole = 0; pole < 4; pole++) {
    for (int32_t turns = 1; turns < 5; turns++) {
      FieldMaker maker = winding_ramp(20, pole, turns);
      CrBuildSettings settings = plain_settings(&maker.grid);
      Built built = build(&maker, &settings);
      CHECK_NEAR(total_area(&built, &maker), (double)own_cells(&maker), 0.0);
      CHECK_INT(polygon_islands(&built), 1);
      built_free(&built);
      Stages s;
      run_stages(&s, &maker, 1.3, 0.0, 6);
      check_areas(&s);
      check_plane(&s, false);
      check_connection(&s);
      CHECK(s.pieces.count >= (uint32_t)turns);
      cr__arena_free(&s.arena);
      field_maker_free(&maker);
    }
  }
}

// Any allocation may fail: a status, nothing leaked, and with enough memory the same bytes as ever.
TEST(memory_runs_out) {
  uint64_t seed = 77;
  FieldMaker maker = random_storeys(&seed, 70, 70);
  CrBuildSettings settings = plain_settings(&maker.grid);
  settings.contour_max_error = settings.detail_sample_distance = 1.0;
  CrArena field_arena;
  cr__arena_init(&field_arena, NULL);
  CrOpenField field = field_make(&maker, &field_arena);
  CrNavMeshParams params = {.tile_size = (maker.grid.width - 2 * maker.grid.border) * maker.grid.cell_size,
                            .climb = 1.0};
  CrStatus status = CR_STATUS_OUT_OF_MEMORY;
  int64_t k = 1;
  for (; status == CR_STATUS_OUT_OF_MEMORY && k < 1000; k++) {
    TestMemory memory = {.fail_at = k};
    CrAllocator allocator = test_allocator(&memory);
    CrArena arena;
    CrBytes bytes;
    CrBuildReport report = {0};
    cr__arena_init(&arena, &allocator);
    status = cr__tile_from_regions(&field, &settings, &params, 0, 0, &arena, &allocator, &bytes, &report, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    CHECK(status == CR_STATUS_OK || bytes.data == NULL);
    if (status == CR_STATUS_OK) cr_bytes_free(&bytes);
    cr__arena_free(&arena);
    CHECK_INT(memory.live_blocks, 0);
  }
  CHECK(status == CR_STATUS_OK && k > 3);
  printf("  %" PRId64 " allocations\n", k - 1);
  cr__arena_free(&field_arena);
  field_maker_free(&maker);
}

TEST_MAIN(RUN(one_square), RUN(maps), RUN(corners_do_not_join), RUN(borders), RUN(random_maps_exact),
          RUN(random_maps_simplified), RUN(random_storeys_simplified), RUN(winding_ramps), RUN(memory_runs_out))
