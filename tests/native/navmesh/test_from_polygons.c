// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Meshes from a caller's own polygons: what joins, what is turned, what is refused, and random soups against the mesh
// the same polygons give as a tile.
#include <math.h>

#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static void check_mesh(const CrNavMesh *mesh) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) printf("  %s\n", broken);
  CHECK(!broken);
}

static CrNavMesh *made(const CrPolygonSoup *soup) {
  CrNavMesh *mesh = NULL;
  CrError error = {0};
  if (cr_navmesh_from_polygons(soup, NULL, &mesh, &error) != CR_STATUS_OK) {
    printf("  %s[%" PRId64 "] %s\n", error.field, error.index, cr_status_text(error.status));
    REQUIRE(!"soup makes a mesh");
  }
  check_mesh(mesh);
  return mesh;
}

static uint32_t neighbour(const CrNavMesh *mesh, uint32_t polygon, uint32_t edge) {
  const CrTile *tile = &mesh->tiles[0];
  return tile->corner_neighbour[tile->polygon_first[polygon] + edge];
}

// A square, a triangle on its right side wound the other way round, and a square behind the triangle's long side that
// shares only one corner of it.
//   6---5
//   |   |     z
//   3---2     |
//   |   | \   +-- x
//   0---1--4
static const double positions[] = {0, 0, 0, 2, 0, 0, 2, 0, 2, 0, 0, 2, 4, 1, 0, 2, 0, 4, 0, 0, 4};
static const uint8_t counts[] = {4, 3, 4};
static const uint32_t corners[] = {0, 1, 2, 3, 1, 2, 4, 3, 6, 5, 2};

static CrPolygonSoup house(void) {
  return (CrPolygonSoup){.position_count = 7,
                         .polygon_count = 3,
                         .positions = positions,
                         .corner_counts = counts,
                         .corners = corners,
                         .climb = 0.4,
                         .agent_radius = 0.3,
                         .agent_height = 1.8};
}

TEST(shared_edges_join_and_either_winding_will_do) {
  CrPolygonSoup soup = house();
  const uint8_t areas[] = {0, 63, 5};
  const uint16_t flags[] = {1, 0, 0xFFFF};
  soup.areas = areas;
  soup.flags = flags;
  CrNavMesh *mesh = made(&soup);
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CHECK(params.origin_x == -1 && params.origin_z == -1 && params.tile_size == 6);
  CHECK(params.climb == 0.4 && params.agent_radius == 0.3 && params.agent_height == 1.8);
  CHECK(cr_navmesh_tile_count(mesh) == 1 && cr_navmesh_polygon_count(mesh) == 3 && cr_navmesh_edit_count(mesh) == 1);
  CHECK_OK(cr_navmesh_find_tile(mesh, 0, 0, 0, NULL));
  CHECK(neighbour(mesh, 0, 1) == 1 && neighbour(mesh, 0, 2) == 2);
  CHECK(neighbour(mesh, 0, 0) == CR_EDGE_WALL && neighbour(mesh, 0, 3) == CR_EDGE_WALL);
  // The triangle was given clockwise: 1, 2, 4 is now 1, 4, 2.
  CrPolygonInfo info;
  CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, 1), &info));
  CHECK(cr__same_point(info.vertices[0], cr__vec(2, 0, 0)) && cr__same_point(info.vertices[1], cr__vec(4, 1, 0)));
  CHECK(info.area == 63 && info.flags == 0);
  CHECK(neighbour(mesh, 1, 2) == 0 && neighbour(mesh, 1, 0) == CR_EDGE_WALL && neighbour(mesh, 1, 1) == CR_EDGE_WALL);
  CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, 2), &info));
  CHECK(cr__same_point(info.vertices[0], cr__vec(0, 0, 2)) && info.area == 5 && info.flags == 0xFFFF);
  cr_navmesh_destroy(mesh);
  soup.areas = NULL;
  soup.flags = NULL;
  mesh = made(&soup);
  CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, 2), &info));
  CHECK(info.area == 0 && info.flags == 1);
  cr_navmesh_destroy(mesh);
}

TEST(positions_at_one_place_are_one_corner) {
  // Two squares side by side, each with positions of its own; the shared side once at the same place (a -0 too), then
  // apart by the last bit.
  double apart[] = {-2, 0, 0, 0, 0, 0, 0, 0, 3, -2, 0, 3, -0.0, 0, 0, 1, 0, 0, 1, 0, 3, 0, 0, 3};
  const uint8_t fours[] = {4, 4};
  const uint32_t each[] = {0, 1, 2, 3, 4, 5, 6, 7};
  CrPolygonSoup soup = {
      .position_count = 8, .polygon_count = 2, .positions = apart, .corner_counts = fours, .corners = each};
  CrNavMesh *mesh = made(&soup);
  CHECK(neighbour(mesh, 0, 1) == 1 && neighbour(mesh, 1, 3) == 0);
  CHECK_INT(mesh->tiles[0].vertex_count, 6);
  cr_navmesh_destroy(mesh);
  apart[7 * 3 + 2] = nextafter(3.0, 4.0);
  mesh = made(&soup);
  CHECK(neighbour(mesh, 0, 1) == CR_EDGE_WALL && neighbour(mesh, 1, 3) == CR_EDGE_WALL);
  CHECK_INT(mesh->tiles[0].vertex_count, 7);
  // The same place at another height is another place.
  apart[7 * 3 + 2] = 3;
  apart[7 * 3 + 1] = 0.25;
  cr_navmesh_destroy(mesh);
  mesh = made(&soup);
  CHECK(neighbour(mesh, 0, 1) == CR_EDGE_WALL);
  cr_navmesh_destroy(mesh);
}

// A corner in the middle of another polygon's edge joins nothing, unless that polygon has it as a corner too.
TEST(t_junctions_need_a_corner) {
  const double at[] = {0, 0, 0, 2, 0, 0, 2, 0, 4, 0, 0, 4, 2, 0, 2, 4, 0, 0, 4, 0, 2, 4, 0, 4};
  const uint8_t without[] = {4, 4, 4}, with[] = {5, 4, 4};
  const uint32_t four[] = {0, 1, 2, 3, 1, 5, 6, 4, 4, 6, 7, 2}, five[] = {0, 1, 4, 2, 3, 1, 5, 6, 4, 4, 6, 7, 2};
  CrPolygonSoup soup = {
      .position_count = 8, .polygon_count = 3, .positions = at, .corner_counts = without, .corners = four};
  CrNavMesh *mesh = made(&soup);
  for (uint32_t edge = 0; edge < 4; edge++) CHECK(neighbour(mesh, 0, edge) == CR_EDGE_WALL);
  CHECK(neighbour(mesh, 1, 2) == 2 && neighbour(mesh, 1, 3) == CR_EDGE_WALL);
  cr_navmesh_destroy(mesh);
  soup.corner_counts = with;
  soup.corners = five;
  mesh = made(&soup);
  CHECK(neighbour(mesh, 0, 1) == 1 && neighbour(mesh, 0, 2) == 2);
  CHECK(neighbour(mesh, 1, 3) == 0 && neighbour(mesh, 2, 3) == 0);
  cr_navmesh_destroy(mesh);
}

TEST(links_come_along) {
  CrPolygonSoup soup = house();
  CrOffMeshLink links[2] = {{.start = {1, 0, 1}, .end = {1, 0, 3}, .radius = 0.25, .user_id = 4, .flags = 1},
                            {.start = {-9, 0, 1}, .end = {1, 0, 3}, .radius = 100, .flags = 1, .bidirectional = 1}};
  soup.off_mesh_links = links;
  soup.off_mesh_count = 2;
  CrNavMesh *mesh = made(&soup);
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CHECK(params.origin_x == -10 && params.tile_size == 100);
  for (uint32_t i = 0; i < 2; i++) {
    CrOffMeshInfo info;
    CHECK_OK(cr_navmesh_off_mesh_link(mesh, 0, i, &info));
    CHECK(info.connected && cr__ref_polygon(info.end_ref) == 2 && cr__ref_polygon(info.start_ref) == 0);
  }
  CHECK_INT(cr_navmesh_unconnected_links(mesh, NULL, 0), 0);
  cr_navmesh_destroy(mesh);
}

TEST(nothing_gives_an_empty_mesh) {
  CrPolygonSoup soup = {.climb = 1};
  CrNavMesh *mesh = made(&soup);
  CHECK(cr_navmesh_tile_count(mesh) == 0 && cr_navmesh_params(mesh).tile_size == 2);
  cr_navmesh_destroy(mesh);
  soup.positions = positions;  // none of which is used
  soup.position_count = 7;
  mesh = made(&soup);
  CHECK(cr_navmesh_tile_count(mesh) == 0 && cr_navmesh_params(mesh).tile_size == 2);
  cr_navmesh_destroy(mesh);
}

// Anywhere in the world, as small or large as may be, coordinates come out as they went in.
TEST(no_coordinate_is_changed) {
  const double last = nextafter(CR_COORD_LIMIT, 0.0);
  const double squares[][4] = {{0, 0, 1, 1},
                               {-last, -last, last, last},
                               {last - 2e-6, -last, last, -last + 2e-6},
                               {1e-300, 1e-300, 1.1e-6, 1.1e-6},
                               {1048576.25, -1048576.75, 1048576.5, -1048576.5},
                               {5.0000001, 6.9999999, 7.0000001, 8.9999999},
                               {-last, 3, 0, 4}};
  for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++) {
    const double *s = squares[i], y = i % 2 ? last : -last;
    const double at[] = {s[0], y, s[1], s[2], y, s[1], s[2], y, s[3], s[0], y, s[3]};
    const uint8_t four = 4;
    const uint32_t order[] = {0, 1, 2, 3};
    CrPolygonSoup soup = {
        .position_count = 4, .polygon_count = 1, .positions = at, .corner_counts = &four, .corners = order};
    check_seed = i;
    CrNavMesh *mesh = made(&soup);
    CrPolygonInfo info;
    CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, 0), &info));
    for (size_t k = 0; k < 4; k++) {
      CHECK(cr__same_point(info.vertices[k], cr__vec(at[3 * k], at[3 * k + 1], at[3 * k + 2])));
      CHECK(neighbour(mesh, 0, (uint32_t)k) == CR_EDGE_WALL);  // not on the tile's border
    }
    cr_navmesh_destroy(mesh);
  }
}

// --- Refusals -------------------------------------------------------------------------------------------------------

static void check_refused(const CrPolygonSoup *soup, CrStatus status, const char *field, int64_t index) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = NULL;
  CrError error = {0};
  CHECK_STATUS(cr_navmesh_from_polygons(soup, &allocator, &mesh, &error), status);
  bool named = error.field && strcmp(error.field, field) == 0;
  if (!named) printf("  named %s, not %s\n", error.field ? error.field : "nothing", field);
  CHECK(named && !mesh);
  CHECK_INT(error.index, index);
  CHECK_INT(memory.live_blocks, 0);
}

TEST(what_is_missing_is_named) {
  CrPolygonSoup soup = house();
  soup.positions = NULL;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.positions", -1);
  soup = house();
  soup.corner_counts = NULL;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corner_counts", -1);
  soup = house();
  soup.corners = NULL;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corners", -1);
  soup = house();
  soup.off_mesh_count = 1;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.off_mesh_links", -1);
  soup = house();
  soup.polygon_count = CR_MAX_TILE_POLYS + 1;
  check_refused(&soup, CR_STATUS_LIMIT, "polygons.polygon_count", -1);
  const double bad[] = {NAN, -1, INFINITY};
  for (size_t i = 0; i < 3; i++) {
    soup = house();
    soup.climb = bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.climb", -1);
    soup = house();
    soup.agent_radius = bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.agent_radius", -1);
    soup = house();
    soup.agent_height = bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.agent_height", -1);
  }
}

TEST(wrong_elements_are_named) {
  const double bad[] = {NAN, INFINITY, -INFINITY, 2097152.0, -1e300};
  double moved[21];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    for (size_t axis = 0; axis < 3; axis++) {
      CrPolygonSoup soup = house();
      memcpy(moved, positions, sizeof moved);
      moved[3 * 5 + axis] = bad[i];
      soup.positions = moved;
      check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.positions", 5);
    }
    CrPolygonSoup soup = house();
    CrOffMeshLink links[2] = {{.radius = 1}, {.radius = 1}};
    soup.off_mesh_links = links;
    soup.off_mesh_count = 2;
    links[1].start.z = bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.off_mesh_links", 1);
    links[1].start.z = 0;
    links[1].end.x = bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.off_mesh_links", 1);
    links[1].end.x = 0;
    links[1].radius = i == 3 ? 4194305.0 : bad[i];
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.off_mesh_links", 1);
    links[1].radius = 1;
    links[0].area = 64;
    check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.off_mesh_links", 0);
  }
  const uint8_t two[] = {4, 2, 4}, thirteen[] = {13, 3, 4}, areas[] = {0, 0, 64};
  CrPolygonSoup soup = house();
  soup.corner_counts = two;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corner_counts", 1);
  soup.corner_counts = thirteen;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corner_counts", 0);
  soup = house();
  soup.areas = areas;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.areas", 2);
  uint32_t order[11];
  memcpy(order, corners, sizeof order);
  order[9] = 7;
  soup = house();
  soup.corners = order;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corners", 9);
  order[9] = UINT32_MAX;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.corners", 9);
}

// A good square first, so that the index is not 0; then one polygon of the given shape, both ways round.
static void check_shape(uint32_t count, const double *xz, bool right) {
  double at[(4 + CR_MAX_POLY_VERTS) * 3] = {-9, 0, -9, -8, 0, -9, -8, 0, -8, -9, 0, -8};
  for (uint32_t k = 0; k < count; k++) {
    at[12 + 3 * k] = xz[2 * k];
    at[12 + 3 * k + 2] = xz[2 * k + 1];
  }
  for (int backwards = 0; backwards < 2; backwards++) {
    uint32_t order[4 + CR_MAX_POLY_VERTS] = {0, 1, 2, 3};
    for (uint32_t k = 0; k < count; k++) order[4 + k] = 4 + (backwards ? count - 1 - k : k);
    const uint8_t both[] = {4, (uint8_t)count};
    CrPolygonSoup soup = {
        .position_count = 4 + count, .polygon_count = 2, .positions = at, .corner_counts = both, .corners = order};
    if (!right)
      check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.shape", 1);
    else
      cr_navmesh_destroy(made(&soup));
  }
}

#define SHAPE(right, ...) \
  check_shape(sizeof((double[]){__VA_ARGS__}) / (2 * sizeof(double)), (double[]){__VA_ARGS__}, right)

TEST(only_convex_polygons_with_area_will_do) {
  SHAPE(true, 1, 1, 4, 1, 4, 4);
  SHAPE(true, 1, 1, 2, 1, 4, 1, 4, 2, 4, 4, 1, 4);  // corners in the middle of sides
  SHAPE(true, 1, 0, 2, 0, 3, 1, 3, 2, 2, 3, 1, 3, 0, 2, 0, 1);
  SHAPE(false, 1, 1, 2, 2, 3, 3);                    // no area
  SHAPE(false, 1, 1, 4, 1, 4, 1, 4, 4);              // a corner twice
  SHAPE(false, 1, 1, 4, 1, 2, 2, 4, 4);              // a reflex corner
  SHAPE(false, 1, 1, 4, 4, 4, 1, 1, 4);              // crosses itself
  SHAPE(false, 5, 1, 7, 7, 1, 3, 9, 3, 3, 7);        // a pentagram
  SHAPE(false, 1, 1, 4, 1, 2, 1, 2, 4);              // a spike
  SHAPE(false, 1, 1, 4, 1, 4, 4, 1, 1, 4, 1, 4, 4);  // twice around
}

TEST(polygons_on_one_side_of_an_edge_overlap) {
  // A second triangle on the inner side of the house's wall, wound either way; and a third polygon on an edge of two.
  const double at[] = {0, 0, 0, 2, 0, 0, 2, 0, 2, 0, 0, 2, 4, 0, 0, 1, 0, 1, 3, 0, 3};
  const uint8_t sizes[] = {4, 3, 3};
  const uint32_t same_side[] = {0, 1, 2, 3, 1, 4, 2, 0, 1, 5}, turned[] = {0, 1, 2, 3, 1, 4, 2, 5, 1, 0};
  const uint32_t third[] = {0, 1, 2, 3, 1, 4, 2, 2, 1, 6};
  CrPolygonSoup soup = {
      .position_count = 7, .polygon_count = 3, .positions = at, .corner_counts = sizes, .corners = same_side};
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.edges", 2);
  soup.corners = turned;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.edges", 2);
  soup.corners = third;
  check_refused(&soup, CR_STATUS_ARGUMENT, "polygons.edges", 2);
}

// --- Random soups ---------------------------------------------------------------------------------------------------

// The polygons of a random tile as a soup with positions of their own, shuffled, some turned: the mesh has the same
// polygons, and they are neighbours where they are in the tile.
TEST(random_soups_give_the_mesh_of_the_tile) {
  static TileKit kit;
  static double at[KIT_MAX * 3];
  static uint32_t order[KIT_MAX];
  const CrNavMeshParams params = {.origin_x = -7.25, .origin_z = 3.5, .tile_size = 12.0, .climb = 0.5};
  uint64_t pairs = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)check_scaled(300); seed++) {
    check_seed = seed;
    uint64_t state = seed;
    kit_random(&kit, &params, &state, 0, 0, 0);
    CrTileDescription *tile = kit_describe(&kit);
    if (!tile->polygon_count && !tile->off_mesh_count) continue;  // gives no tile
    uint32_t count = 0, first = 0;
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      bool turn = rnd_int(&state, 2);
      for (uint32_t k = 0; k < kit.counts[p]; k++) {
        uint32_t vertex = kit.corners[first + (turn && k ? kit.counts[p] - k : k)];
        memcpy(&at[(size_t)count * 3], &kit.vertices[(size_t)vertex * 3], 3 * sizeof(double));
        order[count] = count;
        count++;
      }
      first += kit.counts[p];
    }
    // Positions in random places of the array.
    for (uint32_t i = count; i > 1; i--) {
      uint32_t k = (uint32_t)rnd_int(&state, (int32_t)i), a = order[i - 1], b = order[k];
      for (size_t axis = 0; axis < 3; axis++) {
        double swap = at[3 * (size_t)a + axis];
        at[3 * (size_t)a + axis] = at[3 * (size_t)b + axis];
        at[3 * (size_t)b + axis] = swap;
      }
      order[i - 1] = b;
      order[k] = a;
    }
    // After the swaps corner i of the list is at the place its number was moved to.
    CrPolygonSoup soup = {.position_count = count,
                          .polygon_count = tile->polygon_count,
                          .positions = at,
                          .corner_counts = kit.counts,
                          .corners = order,
                          .areas = kit.areas,
                          .flags = kit.flags,
                          .off_mesh_links = kit.links,
                          .off_mesh_count = tile->off_mesh_count,
                          .climb = 0.5};
    CrNavMesh *mesh = made(&soup), *expected = NULL;
    REQUIRE_OK(cr_navmesh_create(&params, NULL, &expected, NULL));
    kit_add(&kit, expected);
    const CrTile *a = &mesh->tiles[0], *b = &expected->tiles[0];
    CHECK(a->polygon_count == b->polygon_count && a->corner_count == b->corner_count);
    for (uint32_t p = 0; p < a->polygon_count; p++) {
      CHECK(a->areas[p] == b->areas[p] && a->flags[p] == b->flags[p]);
      for (uint32_t k = 0; k < cr__polygon_vertex_count(a, p); k++) {
        uint32_t mine = neighbour(mesh, p, k), theirs = b->corner_neighbour[b->polygon_first[p] + k];
        CHECK(cr__same_point(cr__polygon_vertex(a, p, k), cr__polygon_vertex(b, p, k)));
        CHECK(theirs < b->polygon_count ? mine == theirs : mine == CR_EDGE_WALL);
        pairs += mine < a->polygon_count;
      }
    }
    for (uint32_t i = 0; i < a->off_mesh_count; i++) {
      CHECK(cr__ref_polygon(a->joins[i].start) == cr__ref_polygon(b->joins[i].start));
      CHECK(!a->joins[i].start == !b->joins[i].start &&
            cr__same_point(a->joins[i].start_point, b->joins[i].start_point));
    }
    cr_navmesh_destroy(expected);
    cr_navmesh_destroy(mesh);
  }
  printf("  %" PRIu64 " edges joined\n", pairs);
  CHECK(pairs > (uint64_t)check_scaled(1000));
}

// A long strip and a large fan: nothing may be quadratic.
TEST(large_soups_are_quick) {
  enum { SIDE = 400 };
  double *at = malloc(sizeof *at * 3 * (SIDE + 1) * (SIDE + 1));
  uint32_t *order = malloc(sizeof *order * 4 * SIDE * SIDE);
  uint8_t *fours = malloc(SIDE * SIDE);
  REQUIRE(at && order && fours);
  for (uint32_t i = 0; i < (SIDE + 1) * (SIDE + 1); i++) {
    at[3 * i] = i % (SIDE + 1);
    at[3 * i + 1] = 0;
    at[3 * i + 2] = i / (SIDE + 1);
  }
  for (uint32_t p = 0; p < SIDE * SIDE; p++) {
    uint32_t a = p / SIDE * (SIDE + 1) + p % SIDE;
    const uint32_t square[] = {a, a + SIDE + 1, a + SIDE + 2, a + 1};
    memcpy(order + 4 * p, square, sizeof square);
    fours[p] = 4;
  }
  CrPolygonSoup soup = {.position_count = (SIDE + 1) * (SIDE + 1),
                        .polygon_count = SIDE * SIDE,
                        .positions = at,
                        .corner_counts = fours,
                        .corners = order};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_from_polygons(&soup, NULL, &mesh, NULL));
  uint32_t joined = 0;
  for (uint32_t c = 0; c < mesh->tiles[0].corner_count; c++) joined += mesh->tiles[0].corner_neighbour[c] < SIDE * SIDE;
  CHECK_INT(joined, 4 * SIDE * (SIDE - 1));
  cr_navmesh_destroy(mesh);
  free(at);
  free(order);
  free(fours);
}

TEST_MAIN(RUN(shared_edges_join_and_either_winding_will_do), RUN(positions_at_one_place_are_one_corner),
          RUN(t_junctions_need_a_corner), RUN(links_come_along), RUN(nothing_gives_an_empty_mesh),
          RUN(no_coordinate_is_changed), RUN(what_is_missing_is_named), RUN(wrong_elements_are_named),
          RUN(only_convex_polygons_with_area_will_do), RUN(polygons_on_one_side_of_an_edge_overlap),
          RUN(random_soups_give_the_mesh_of_the_tile), RUN(large_soups_are_quick))
