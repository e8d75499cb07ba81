// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Portals and off-mesh links: by hand, then random meshes against all pairs of edges and all polygons.
#include <math.h>

#include "check.h"
#include "navmesh_internal.h"
#include "tile_kit.h"

static TileKit kit;

static const CrNavMeshParams unit = {.tile_size = 10.0, .climb = 0.5};

static CrNavMesh *new_mesh(const CrNavMeshParams *params) {
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(params, NULL, &mesh, NULL));
  return mesh;
}

static void check_mesh(const CrNavMesh *mesh) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) printf("  %s\n", broken);
  CHECK(!broken);
}

static uint32_t link_count(const CrNavMesh *mesh) {
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) count += mesh->tiles[slot].link_count;
  return count;
}

// --- Portals by hand ------------------------------------------------------------------------------------------------

TEST(unequal_edges_share_what_they_both_cover) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 5, 0, 10, 4, 0);
  kit_rectangle(&kit, 5, 4, 10, 10, 0);
  uint32_t left = kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_rectangle(&kit, 10, 1, 15, 3, 0);
  kit_rectangle(&kit, 10, 3, 15, 7, 0.25);
  kit_rectangle(&kit, 10, 8, 15, 10, 0);
  uint32_t right = kit_add(&kit, mesh);
  check_mesh(mesh);
  const struct {
    uint32_t polygon, target;
    double from, to;
  } expected[] = {{0, 0, 1, 3}, {0, 1, 3, 4}, {1, 1, 4, 7}, {1, 2, 8, 10}};
  const CrTile *tile = &mesh->tiles[left];
  CHECK_INT(tile->link_count, 4);
  CHECK_INT(mesh->tiles[right].link_count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    const CrLink *link = &tile->links[i];
    CHECK(i >= tile->link_first[expected[i].polygon] && i < tile->link_first[expected[i].polygon + 1]);
    CHECK(link->target == cr_navmesh_ref(mesh, right, expected[i].target));
    CHECK(link->edge == 1 && link->target_edge == 3);
    CHECK(link->a.x == 10.0 && link->b.x == 10.0 && link->a.z == expected[i].from && link->b.z == expected[i].to);
    CHECK(link->a.y == 0.0 && link->b.y == 0.0);
  }
  // Seen from the right the heights are the right side's, the rest is the same backwards.
  const CrLink *back = &mesh->tiles[right].links[1];
  CHECK(back->target == cr_navmesh_ref(mesh, left, 0) && back->a.z == 4.0 && back->b.z == 3.0 && back->a.y == 0.25);
  cr_navmesh_destroy(mesh);
}

// Two tiles side by side, one edge each.
static uint32_t links_between(double low, double high, double other_low, double other_high) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 5, low, 10, high, 0);
  kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_rectangle(&kit, 10, other_low, 15, other_high, 0);
  kit_add(&kit, mesh);
  check_mesh(mesh);
  uint32_t count = link_count(mesh);
  cr_navmesh_destroy(mesh);
  return count;
}

TEST(edges_that_merely_touch_do_not_join) {
  CHECK_INT(links_between(1, 4, 4, 8), 0);
  CHECK_INT(links_between(1, 4, 5, 8), 0);
  CHECK_INT(links_between(1, 4, 4 - 9e-7, 8), 0);
  CHECK_INT(links_between(1, 4, 4 - 2e-6, 8), 2);
  CHECK_INT(links_between(4, 8, 1, 4 + 2e-6), 2);
  CHECK_INT(links_between(1, 4, 1, 4), 2);
  CHECK_INT(links_between(0, 10, 5, 6), 2);
}

// Both edges from z 0 to 10; heights at the two ends.
static uint32_t links_at_heights(double y0, double y1, double other_y0, double other_y1) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, 3, (const double[]){10, y0, 0, 10, y1, 10, 5, 0, 5});
  kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_polygon(&kit, 3, (const double[]){10, other_y1, 10, 10, other_y0, 0, 15, 0, 5});
  kit_add(&kit, mesh);
  check_mesh(mesh);
  uint32_t count = link_count(mesh);
  cr_navmesh_destroy(mesh);
  return count;
}

TEST(portals_climb_at_most_the_climb_at_both_ends) {
  CHECK_INT(links_at_heights(0, 0, 0.5, 0.5), 2);
  CHECK_INT(links_at_heights(0, 0, 0.5, 0.5000001), 0);
  CHECK_INT(links_at_heights(0, 0, 0.5000001, 0.5), 0);
  CHECK_INT(links_at_heights(0, 2, -0.5, 2.5), 2);
  CHECK_INT(links_at_heights(0, 3, 3, 0), 0);  // they cross in the middle, but the ends are apart
}

// The part two sloping edges share starts in the middle of both: heights are taken there.
TEST(heights_are_those_of_the_shared_part) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_polygon(&kit, 3, (const double[]){10, 0, 0, 10, 6, 6, 5, 0, 3});
  kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_polygon(&kit, 3, (const double[]){10, 9.25, 10, 10, 4.25, 4, 15, 4, 7});
  kit_add(&kit, mesh);
  check_mesh(mesh);
  REQUIRE(mesh->tiles[0].link_count == 1 && mesh->tiles[1].link_count == 1);
  const CrLink *link = &mesh->tiles[0].links[0], *back = &mesh->tiles[1].links[0];
  CHECK(link->a.z == 4.0 && link->a.y == 4.0 && link->b.z == 6.0 && link->b.y == 6.0);
  CHECK(back->b.z == 4.0 && back->b.y == 4.25 && back->a.z == 6.0);
  CHECK_NEAR(back->a.y, 4.25 + 5.0 / 3.0, 1e-15);
  cr_navmesh_destroy(mesh);
}

TEST(layers_join_sideways_but_not_each_other) {
  CrNavMesh *mesh = new_mesh(&unit);
  for (int32_t x = 0; x < 2; x++) {
    for (int32_t layer = 0; layer < 3; layer++) {
      kit_begin(&kit, x, 0, layer);
      kit_rectangle(&kit, 10 * x, 0, 10 * x + 10, 10, layer * 0.4);
      kit_add(&kit, mesh);
    }
  }
  check_mesh(mesh);
  // Of the 3 x 3 pairs the seven at most one layer apart.
  CHECK_INT(link_count(mesh), 14);
  for (uint32_t slot = 0; slot < 6; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t i = 0; i < tile->link_count; i++) CHECK(cr__resolve(mesh, tile->links[i].target)->x != tile->x);
    for (uint32_t i = 1; i < tile->link_count; i++) CHECK(tile->links[i - 1].target < tile->links[i].target);
  }
  cr_navmesh_destroy(mesh);
}

// One edge of a tile may border two collinear edges of one polygon across: two links that differ only in the edge
// there.
TEST(two_edges_of_one_polygon_give_two_links) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 5, 0, 10, 10, 0);
  kit_add(&kit, mesh);
  kit_begin(&kit, 1, 0, 0);
  kit_polygon(&kit, 5, (const double[]){10, 0, 2, 15, 0, 2, 15, 0, 9, 10, 0, 9, 10, 0, 5});
  kit_add(&kit, mesh);
  check_mesh(mesh);
  CHECK_INT(mesh->tiles[0].link_count, 2);
  CHECK(mesh->tiles[0].links[0].target_edge == 3 && mesh->tiles[0].links[1].target_edge == 4);
  cr_navmesh_destroy(mesh);
}

// Four floors round one point: each meets the two beside it, none the one across the corner. Whole squares, and
// squares that only reach the point with a corner.
TEST(tiles_corner_to_corner_do_not_join) {
  for (int touching = 0; touching < 2; touching++) {
    CrNavMesh *mesh = new_mesh(&unit);
    for (int32_t i = 0; i < 4; i++) {
      double x = 10 * (i & 1), z = 10 * (i >> 1), inset = touching ? 4 : 0;
      kit_begin(&kit, i & 1, i >> 1, 0);
      // Of the touching ones two have the point as a corner, the others end short of it along both lines.
      bool away = touching && (i == 1 || i == 2);
      double x0 = i & 1 ? x + (away ? inset : 0) : x + inset, x1 = i & 1 ? x + 10 : x + 10 - (away ? inset : 0);
      double z0 = i >> 1 ? z + (away ? inset : 0) : z + inset, z1 = i >> 1 ? z + 10 : z + 10 - (away ? inset : 0);
      kit_rectangle(&kit, x0, z0, x1, z1, 0);
      kit_add(&kit, mesh);
    }
    check_mesh(mesh);
    CHECK_INT(link_count(mesh), touching ? 0 : 8);
    for (uint32_t slot = 0; slot < 4; slot++) {
      for (uint32_t i = 0; i < mesh->tiles[slot].link_count; i++) {
        uint32_t across = cr__ref_slot(mesh->tiles[slot].links[i].target) ^ slot;
        CHECK(across == 1 || across == 2);
      }
    }
    cr_navmesh_destroy(mesh);
  }
}

// Edges that follow each other along the line, one on each side, meet in a point; an edge end in the middle of the edge
// across (a T) splits what both cover, and the pieces meet bit for bit.
TEST(pieces_of_an_edge_meet_exactly) {
  uint64_t seed = 21;
  for (int round = 0; round < 200; round++) {
    check_seed = seed;
    CrNavMeshParams odd = {-37.7 + round, 1000.1, 7.3, 0.5, 0, 0};
    CrNavMesh *mesh = new_mesh(&odd);
    CrTileSquare s = cr__tile_square(&odd, 0, 0);
    double cuts[2][6];
    int pieces[2];
    for (int tile = 0; tile < 2; tile++) {
      pieces[tile] = 1 + rnd_int(&seed, 5);
      cuts[tile][0] = s.min_z;
      for (int i = 1; i < pieces[tile]; i++)
        cuts[tile][i] = rnd_range(&seed, cuts[tile][i - 1] + 1e-3, s.max_z - 0.1 * (pieces[tile] - i));
      cuts[tile][pieces[tile]] = s.max_z;
      kit_begin(&kit, tile, 0, 0);
      for (int i = 0; i < pieces[tile]; i++) {
        double x0 = tile ? s.max_x : s.min_x + 1, x1 = tile ? s.max_x + 2 : s.max_x;
        kit_rectangle(&kit, x0, cuts[tile][i], x1, cuts[tile][i + 1], 0);
      }
      kit_add(&kit, mesh);
    }
    check_mesh(mesh);
    // Walking up the line from portal to portal leaves no gap, not even of one bit.
    double at = s.min_z;
    uint32_t portals = 0;
    for (bool found = true; found;) {
      found = false;
      for (uint32_t i = 0; i < mesh->tiles[0].link_count; i++) {
        const CrLink *link = &mesh->tiles[0].links[i];
        if (link->a.z != at) continue;
        CHECK(link->a.x == s.max_x && link->b.x == s.max_x);
        at = link->b.z;
        found = true;
        portals++;
      }
    }
    CHECK(at == s.max_z && portals == mesh->tiles[0].link_count && portals == mesh->tiles[1].link_count);
    CHECK_INT(portals, pieces[0] + pieces[1] - 1);
    cr_navmesh_destroy(mesh);
  }
}

// --- Off-mesh links by hand -----------------------------------------------------------------------------------------

static CrOffMeshInfo off_mesh_info(const CrNavMesh *mesh, uint32_t slot, uint32_t index) {
  CrOffMeshInfo info = {0};
  CHECK_OK(cr_navmesh_off_mesh_link(mesh, slot, index, &info));
  return info;
}

static void add_floor(CrNavMesh *mesh, int32_t x, int32_t z, double y) {
  kit_begin(&kit, x, z, 0);
  kit_rectangle(&kit, 10 * x, 10 * z, 10 * x + 10, 10 * z + 10, y);
  kit_add(&kit, mesh);
}

TEST(links_connect_when_both_ends_have_a_polygon) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 10, 10, 0);
  kit_link(&kit, cr__vec(2, 0.1, 2), cr__vec(55, 3, -33), 1.0, true)->user_id = 5;
  kit_link(&kit, cr__vec(3, 0, 3), cr__vec(55, 3, -33), 1.0, false)->area = 7;
  uint32_t slot = kit_add(&kit, mesh);
  check_mesh(mesh);
  CHECK(!off_mesh_info(mesh, slot, 0).connected && off_mesh_info(mesh, slot, 0).start_ref);
  CHECK_INT(link_count(mesh), 0);
  uint64_t edits = mesh->edit_count;
  add_floor(mesh, 5, -4, 3.25);
  check_mesh(mesh);
  CHECK_INT(mesh->edit_count, edits + 1);
  CrOffMeshInfo info = off_mesh_info(mesh, slot, 0);
  CHECK(info.connected && info.link.user_id == 5);
  CHECK(cr__same_point(info.start_point, cr__vec(2, 0, 2)) && cr__same_point(info.end_point, cr__vec(55, 3.25, -33)));
  CHECK_INT(mesh->tiles[slot].link_count, 2);
  CHECK_INT(mesh->tiles[1].link_count, 1);
  const CrLink *there = &mesh->tiles[slot].links[1], *back = &mesh->tiles[1].links[0];
  CHECK(there->area == 7 && there->off_mesh == 1 && there->owner_slot == slot && !there->reverse);
  CHECK(there->target == info.end_ref && there->edge == CR_LINK_NO_EDGE);
  CHECK(back->reverse && back->off_mesh == 0 && back->target == info.start_ref &&
        cr__same_point(back->a, info.end_point));
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 5, -4, 0, NULL));
  check_mesh(mesh);
  CHECK_INT(link_count(mesh), 0);
  CHECK(!off_mesh_info(mesh, slot, 0).connected && !off_mesh_info(mesh, slot, 0).end_ref);
  add_floor(mesh, 5, -4, 3.25);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  check_mesh(mesh);
  CHECK_INT(link_count(mesh), 0);
  cr_navmesh_destroy(mesh);
}

// What a link end joins: within the radius across, within max(radius, climb) up and down, the nearest in 3D.
static bool joins(CrVec3 end, double radius, double floor_y) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 10, 10, 0);
  kit_link(&kit, cr__vec(5, 0, 5), end, radius, false);
  kit_add(&kit, mesh);
  kit_begin(&kit, 3, 0, 0);
  kit_rectangle(&kit, 32, 2, 36, 6, floor_y);
  kit_add(&kit, mesh);
  check_mesh(mesh);
  bool connected = off_mesh_info(mesh, 0, 0).connected;
  cr_navmesh_destroy(mesh);
  return connected;
}

TEST(ends_reach_as_far_as_the_radius) {
  CHECK(joins(cr__vec(34, 0, 4), 0.25, 0));
  CHECK(joins(cr__vec(31, 0, 4), 1.0, 0) && !joins(cr__vec(31, 0, 4), 0.999, 0));
  CHECK(joins(cr__vec(29, 0, 4), 3.0, 0));  // from the tile beside
  CHECK(!joins(cr__vec(31, 0, 1), 1.4, 0) && joins(cr__vec(31, 0, 1), 1.5, 0));
  CHECK(joins(cr__vec(34, 0, 4), 0.25, 0.5) && !joins(cr__vec(34, 0, 4), 0.25, 0.51));  // the climb
  CHECK(joins(cr__vec(34, 0, 4), 2.0, -2.0) && !joins(cr__vec(34, 0, 4), 2.0, -2.1));   // the radius
}

TEST(stacked_floors_take_the_nearest) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 10, 10, 0);
  kit_rectangle(&kit, 0, 0, 10, 10, 1.5);
  kit_link(&kit, cr__vec(5, 0.7, 5), cr__vec(2, 2.4, 2), 1.0, false);
  kit_add(&kit, mesh);
  kit_begin(&kit, 0, 0, 1);
  kit_rectangle(&kit, 0, 0, 10, 10, 3);
  kit_add(&kit, mesh);
  check_mesh(mesh);
  CrOffMeshInfo info = off_mesh_info(mesh, 0, 0);
  CHECK(info.connected && info.start_point.y == 0.0 && info.end_point.y == 3.0);
  cr_navmesh_destroy(mesh);
}

// An end on the corner of four tiles: the tie goes by position, whatever slots the tiles got.
TEST(ties_do_not_depend_on_slots) {
  for (int order = 0; order < 24; order++) {
    CrNavMesh *mesh = new_mesh(&unit);
    int left[4] = {0, 1, 2, 3}, rest = order;
    for (int i = 0; i < 4; i++) {
      int pick = rest % (4 - i), tile = left[pick];
      rest /= 4 - i;
      left[pick] = left[3 - i];
      add_floor(mesh, tile & 1, tile >> 1, 0);
    }
    kit_begin(&kit, 7, 7, 0);
    kit_rectangle(&kit, 70, 70, 80, 80, 0);
    kit_link(&kit, cr__vec(75, 0, 75), cr__vec(10, 0, 10), 0.5, true);
    uint32_t slot = kit_add(&kit, mesh);
    const CrTile *joined = cr__resolve(mesh, off_mesh_info(mesh, slot, 0).end_ref);
    CHECK(joined && joined->x == 0 && joined->z == 0);
    check_mesh(mesh);
    cr_navmesh_destroy(mesh);
  }
}

// The same within a tile: an end where four polygons meet joins the first of them, wherever the box tree keeps it.
TEST(ties_within_a_tile_take_the_first_polygon) {
  static const double corners[4][2] = {{2, 2}, {5, 2}, {2, 5}, {5, 5}};
  for (int order = 0; order < 24; order++) {
    CrNavMesh *mesh = new_mesh(&unit);
    int left[4] = {0, 1, 2, 3}, rest = order;
    kit_begin(&kit, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
      int pick = rest % (4 - i), at = left[pick];
      rest /= 4 - i;
      left[pick] = left[3 - i];
      kit_rectangle(&kit, corners[at][0], corners[at][1], corners[at][0] + 3, corners[at][1] + 3, 0);
    }
    kit_link(&kit, cr__vec(5, 0, 5), cr__vec(5, 0.25, 5), 0.5, false);
    kit_add(&kit, mesh);
    CHECK_INT(cr__ref_polygon(off_mesh_info(mesh, 0, 0).start_ref), 0);
    CHECK_INT(cr__ref_polygon(off_mesh_info(mesh, 0, 0).end_ref), 0);
    cr_navmesh_destroy(mesh);
  }
}

TEST(a_link_within_one_polygon_is_kept) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 10, 10, 0);
  kit_link(&kit, cr__vec(2, 0, 2), cr__vec(8, 0, 8), 0.5, true);
  kit_add(&kit, mesh);
  check_mesh(mesh);
  CHECK_INT(link_count(mesh), 2);
  CHECK(!mesh->tiles[0].links[0].reverse && mesh->tiles[0].links[1].reverse);
  cr_navmesh_destroy(mesh);
}

// Links on top of each other are as many links, all of them kept, told apart by their index.
TEST(links_at_one_place_are_all_kept) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, -3, 5, 0);
  kit_rectangle(&kit, -30, 50, -20, 60, 0);
  for (uint32_t i = 0; i < 20; i++) kit_link(&kit, cr__vec(-25, 0, 55), cr__vec(405, 2, -295), 1.0, i % 2)->user_id = i;
  uint32_t from = kit_add(&kit, mesh);
  CHECK_INT(cr_navmesh_unconnected_links(mesh, NULL, 0), 20);
  kit_begin(&kit, 40, -30, 4);
  kit_rectangle(&kit, 400, -300, 410, -290, 2);
  uint32_t to = kit_add(&kit, mesh);
  check_mesh(mesh);
  CHECK_INT(cr_navmesh_unconnected_links(mesh, NULL, 0), 0);
  CHECK(mesh->tiles[from].link_count == 20 && mesh->tiles[to].link_count == 10);
  for (uint32_t i = 0; i < 20; i++) CHECK_INT(mesh->tiles[from].links[i].off_mesh, i);
  for (uint32_t i = 0; i < 10; i++) CHECK_INT(mesh->tiles[to].links[i].off_mesh, 2 * i + 1);
  cr_navmesh_destroy(mesh);
}

// Tiles far apart, every order of adding four of them, then every order of removing them: connected exactly while both
// ends have a polygon, and the list of those that are not says so.
TEST(links_connect_in_every_order) {
  static const struct { int32_t x, z, layer; } places[4] = {{0, 0, 0}, {0, 0, 5}, {-200, 31, 0}, {7, -900, -2}};
  static const struct {
    int from, to;
    bool both_ways;
  } links[] = {{0, 2, false}, {2, 0, true}, {1, 3, true}, {3, 3, false}, {0, 1, true}, {3, 1, false}, {2, 3, true}};
  enum { LINKS = sizeof links / sizeof links[0] };
  CrBytes tiles[4];
  uint32_t first_in_tile[LINKS] = {0};
  for (int t = 0; t < 4; t++) {
    double x = 10 * places[t].x, z = 10 * places[t].z, y = 3 * places[t].layer;
    kit_begin(&kit, places[t].x, places[t].z, places[t].layer);
    kit_rectangle(&kit, x + 1, z + 1, x + 9, z + 9, y);
    for (int i = 0; i < LINKS; i++) {
      if (links[i].from != t) continue;
      int to = links[i].to;
      first_in_tile[i] = kit.tile.off_mesh_count;
      kit_link(&kit, cr__vec(x + 2, y, z + 2),
               cr__vec(10 * places[to].x + 8, 3 * places[to].layer, 10 * places[to].z + 8), 0.5, links[i].both_ways);
    }
    tiles[t] = kit_encode(&kit, &unit);
  }
  for (int order = 0; order < 24 * 24; order++) {
    CrNavMesh *mesh = new_mesh(&unit);
    bool stands[4] = {false};
    uint32_t slots[4];
    int left[4] = {0, 1, 2, 3}, rest = order;
    for (int step = 0; step < 8; step++) {
      int pick = rest % (4 - step % 4), t = left[pick];
      rest /= 4 - step % 4;
      left[pick] = left[3 - step % 4];
      if (step == 3) memcpy(left, (int[]){0, 1, 2, 3}, sizeof left);
      stands[t] = step < 4;
      if (stands[t])
        REQUIRE_OK(cr_navmesh_add_tile(mesh, tiles[t].data, tiles[t].size, &slots[t], NULL));
      else
        REQUIRE_OK(cr_navmesh_remove_tile(mesh, places[t].x, places[t].z, places[t].layer, NULL));
      check_mesh(mesh);
      uint32_t open = 0, ways = 0;
      CrOffMeshId listed[LINKS + 1];
      uint32_t count = cr_navmesh_unconnected_links(mesh, listed, LINKS + 1);
      for (int i = 0; i < LINKS; i++) {
        if (!stands[links[i].from]) continue;
        uint32_t slot = slots[links[i].from];
        CrOffMeshInfo info = off_mesh_info(mesh, slot, first_in_tile[i]);
        bool in_list = false;
        for (uint32_t k = 0; k < count; k++) in_list |= listed[k].slot == slot && listed[k].index == first_in_tile[i];
        CHECK(info.start_ref && info.connected == stands[links[i].to] && !info.end_ref == !stands[links[i].to]);
        CHECK(in_list == !info.connected);
        open += !info.connected;
        ways += info.connected ? 1u + links[i].both_ways : 0;
      }
      CHECK(count == open && link_count(mesh) == ways);
      for (uint32_t k = 1; k < count; k++) {
        CHECK(listed[k - 1].slot < listed[k].slot ||
              (listed[k - 1].slot == listed[k].slot && listed[k - 1].index < listed[k].index));
      }
    }
    cr_navmesh_destroy(mesh);
  }
  for (int t = 0; t < 4; t++) cr_bytes_free(&tiles[t]);
}

TEST(the_list_of_open_links_may_be_cut) {
  CrNavMesh *mesh = new_mesh(&unit);
  kit_begin(&kit, 0, 0, 0);
  for (int i = 0; i < 5; i++) kit_link(&kit, cr__vec(5, 0, 5), cr__vec(6, 0, 6), 1.0, false);
  kit_add(&kit, mesh);
  CrOffMeshId listed[6];
  memset(listed, 0xEE, sizeof listed);
  CHECK_INT(cr_navmesh_unconnected_links(mesh, listed, 3), 5);
  CHECK(listed[2].index == 2 && listed[3].index == 0xEEEEEEEE);
  cr_navmesh_destroy(mesh);
}

// --- Limits ---------------------------------------------------------------------------------------------------------

// Encodes a tile whose polygons lie on each other: neighbours cannot be found, so all edges but the last side's are
// walls.
static CrBytes encode_stack(const CrNavMeshParams *params, uint32_t border) {
  static uint32_t neighbours[KIT_MAX * 4];
  CrTileDescription *tile = kit_describe(&kit);
  uint32_t corner = 0;
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t k = 0; k < kit.counts[p]; k++) neighbours[corner++] = k == 0 ? border : CR_EDGE_WALL;
  }
  tile->polygon_neighbours = neighbours;
  CrBytes bytes = {0};
  REQUIRE_OK(cr_tile_encode(params, tile, NULL, &bytes, NULL));
  return bytes;
}

// `count` triangles whose first edge is the whole line x = 10, `rise` above each other.
static CrBytes encode_fringe(const CrNavMeshParams *params, int side, int count, double rise) {
  kit_begin(&kit, side, 0, 0);
  for (int i = 0; i < count; i++) {
    double y = i * rise;
    if (side == 0)
      kit_polygon(&kit, 3, (const double[]){10, y, 0, 10, y, 10, 5, 0, 5});
    else
      kit_polygon(&kit, 3, (const double[]){10, y, 10, 10, y, 0, 15, 0, 5});
  }
  return encode_stack(params, side == 0 ? CR_EDGE_BORDER_POS_X : CR_EDGE_BORDER_NEG_X);
}

// The same two tiles as a snapshot made by hand.
static CrStatus load_two(const CrNavMeshParams *params, const CrBytes *a, const CrBytes *b, CrError *error) {
  size_t size = 80 + 4 + 24 + a->size + b->size + 8;
  uint8_t *data = malloc(size);
  CrWriter writer = cr__writer_to(data, size);
  const double numbers[] = {params->origin_x, params->origin_z, params->tile_size, params->climb, 0, 0};
  cr__write_bytes(&writer, "CRNM\1\1\0\0", 8);
  cr__write_u64(&writer, size);
  for (size_t i = 0; i < 6; i++) cr__write_f64(&writer, numbers[i]);
  cr__write_u64(&writer, 2);
  cr__write_u32(&writer, 2);
  cr__write_u32(&writer, 2);
  cr__write_u16(&writer, 1);
  cr__write_u16(&writer, 1);
  for (uint32_t slot = 0; slot < 2; slot++) {
    cr__write_u32(&writer, slot);
    cr__write_u64(&writer, slot ? b->size : a->size);
    cr__write_bytes(&writer, slot ? b->data : a->data, slot ? b->size : a->size);
  }
  cr__write_u64(&writer, cr_hash_bytes(data, writer.size));
  REQUIRE(writer.size == size && !writer.overflow);
  CrNavMesh *mesh = NULL;
  CrStatus status = cr_navmesh_load(data, size, NULL, &mesh, error);
  if (mesh) check_mesh(mesh);
  cr_navmesh_destroy(mesh);
  free(data);
  return status;
}

static void check_fringes(int count, double rise, const char *limit) {
  CrNavMesh *mesh = new_mesh(&unit);
  CrBytes a = encode_fringe(&unit, 0, count, rise), b = encode_fringe(&unit, 1, count, rise);
  CrError error = {0}, load_error = {0};
  REQUIRE_OK(cr_navmesh_add_tile(mesh, a.data, a.size, NULL, NULL));
  CrStatus status = cr_navmesh_add_tile(mesh, b.data, b.size, NULL, &error);
  CHECK_STATUS(status, limit ? CR_STATUS_LIMIT : CR_STATUS_OK);
  CHECK_STATUS(load_two(&unit, &a, &b, &load_error), status);
  if (!limit) CHECK_OK(cr_navmesh_replace_tile(mesh, b.data, b.size, NULL, &error));
  if (limit) {
    CHECK(load_error.limit == error.limit);
    CHECK(strcmp(error.field, limit) == 0 && strcmp(load_error.field, limit) == 0 && error.limit > 65536);
    CHECK(load_error.format == CR_FORMAT_NAVMESH && mesh->edit_count == 1 && mesh->slot_count == 1);
  }
  check_mesh(mesh);
  cr_bytes_free(&a);
  cr_bytes_free(&b);
  cr_navmesh_destroy(mesh);
}

TEST(stacked_edges_are_refused_before_their_links_are_made) {
  check_fringes(165, 0, NULL);     // 54,450 links for 330 edges, and again when one tile is replaced
  check_fringes(250, 0, "links");  // 62,500 from each side
  check_fringes(400, 0, "links");  // would be 320,000
  check_fringes(1000, 0.6, NULL);  // a thousand storeys
  check_fringes(1900, 0.6, "border overlaps");
}

TEST(stacked_polygons_are_refused_before_all_are_looked_at) {
  CrNavMesh *mesh = new_mesh(&unit);
  int added = 0;
  CrError error = {0};
  for (int32_t layer = 0; layer < 4; layer++) {
    kit_begin(&kit, 0, 0, layer);
    for (int i = 0; i < 4000; i++) kit_rectangle(&kit, 0, 0, 9, 9, 0);
    for (int i = 0; i < 64; i++) kit_link(&kit, cr__vec(3, 0, 3), cr__vec(5, 0, 5), 0.5, true);
    CrBytes bytes = encode_stack(&unit, CR_EDGE_WALL);
    uint64_t edits = mesh->edit_count;
    CrStatus status = cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, &error);
    added += status == CR_STATUS_OK;
    CHECK(status == CR_STATUS_OK ||
          (status == CR_STATUS_LIMIT && strcmp(error.field, "off-mesh link candidates") == 0));
    CHECK(mesh->edit_count == edits + (status == CR_STATUS_OK));
    check_mesh(mesh);
    cr_bytes_free(&bytes);
  }
  CHECK_INT(added, 1);
  cr_navmesh_destroy(mesh);
}

TEST(a_position_holds_so_many_layers) {
  CrNavMesh *mesh = new_mesh(&unit);
  for (int32_t layer = 0; layer < CR_MAX_LAYERS; layer++) {
    kit_begin(&kit, 0, 0, layer);
    kit_add(&kit, mesh);
  }
  kit_begin(&kit, 0, 0, -1);
  CrBytes bytes = kit_encode(&kit, &unit);
  CrError error = {0};
  CHECK_STATUS(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "layers") == 0 && error.limit == 1024 && mesh->tile_count == 1024);
  // The same in a snapshot: a tile beside the full position, moved onto it in the bytes.
  kit_begin(&kit, 1, 0, 5000);
  kit_add(&kit, mesh);
  CrBytes snapshot;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &snapshot, NULL));
  size_t x_at = snapshot.size - 8 - 44 + 8;
  CHECK_INT(snapshot.data[x_at], 1);
  snapshot.data[x_at] = 0;
  CrWriter seal = cr__writer_to(snapshot.data + snapshot.size - 8, 8);
  cr__write_u64(&seal, cr_hash_bytes(snapshot.data, snapshot.size - 8));
  CrNavMesh *loaded = NULL;
  CHECK_STATUS(cr_navmesh_load(snapshot.data, snapshot.size, NULL, &loaded, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "tile.layer") == 0 && error.offset == x_at + 8);
  cr_bytes_free(&snapshot);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 500, NULL));
  CHECK_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, &error));
  check_mesh(mesh);
  cr_bytes_free(&bytes);
  cr_navmesh_destroy(mesh);
}

// --- Random meshes against plain answers ----------------------------------------------------------------------------

static uint32_t border_side(uint32_t neighbour) { return neighbour - CR_EDGE_BORDER_POS_X; }

static double height_at(CrVec3 a, CrVec3 b, int side, double at) {
  double from = cr__along(a, side), to = cr__along(b, side);
  return a.y + (b.y - a.y) * ((at - from) / (to - from));
}

// The portal from edge `e` of polygon `p` to one edge across, asked the plain way. Near the limits either answer will
// do.
typedef enum Answer { NO, YES, EITHER } Answer;
static Answer should_join(double climb, CrVec3 a, CrVec3 b, CrVec3 c, CrVec3 d, int side, double *low, double *high) {
  *low = fmax(fmin(cr__along(a, side), cr__along(b, side)), fmin(cr__along(c, side), cr__along(d, side)));
  *high = fmin(fmax(cr__along(a, side), cr__along(b, side)), fmax(cr__along(c, side), cr__along(d, side)));
  double width = *high - *low;
  if (width <= 0.99 * CR_PORTAL_EPSILON) return NO;
  double rise = fmax(fabs(height_at(a, b, side, *low) - height_at(c, d, side, *low)),
                     fabs(height_at(a, b, side, *high) - height_at(c, d, side, *high)));
  if (rise > climb + 1e-9) return NO;
  return width < 1.01 * CR_PORTAL_EPSILON || rise > climb - 1e-9 ? EITHER : YES;
}

static bool has_portal(const CrNavMesh *mesh, const CrTile *tile, uint32_t p, uint32_t e, CrPolyRef target,
                       uint32_t edge, int side, double low, double high) {
  for (uint32_t i = tile->link_first[p]; i < tile->link_first[p + 1]; i++) {
    const CrLink *link = &tile->links[i];
    if (link->edge != e || link->target != target || link->target_edge != edge) continue;
    double from = cr__along(link->a, side), to = cr__along(link->b, side);
    CHECK(fmin(from, to) == low && fmax(from, to) == high);
    CHECK(cr__across(link->a, side) == cr__side_line(cr__tile_square(&mesh->params, tile->x, tile->z), side));
    return true;
  }
  return false;
}

typedef struct Totals {
  uint32_t portals, off_mesh, open;
} Totals;

static void check_edge(const CrNavMesh *mesh, const CrTile *tile, uint32_t p, uint32_t e, Totals *totals) {
  int side = (int)border_side(tile->corner_neighbour[tile->polygon_first[p] + e]);
  int32_t x = tile->x + (side == 0) - (side == 2), z = tile->z + (side == 1) - (side == 3);
  CrVec3 a, b, c, d;
  cr__polygon_edge(tile, p, e, &a, &b);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *other = &mesh->tiles[slot];
    if (!other->active || other->x != x || other->z != z) continue;
    for (uint32_t q = 0; q < other->polygon_count; q++) {
      for (uint32_t f = 0; f < cr__polygon_vertex_count(other, q); f++) {
        if (border_side(other->corner_neighbour[other->polygon_first[q] + f]) != (uint32_t)(side ^ 2)) continue;
        double low, high;
        cr__polygon_edge(other, q, f, &c, &d);
        Answer answer = should_join(mesh->params.climb, a, b, c, d, side, &low, &high);
        bool joined = has_portal(mesh, tile, p, e, cr_navmesh_ref(mesh, slot, q), f, side, low, high);
        CHECK(answer == EITHER || joined == (answer == YES));
        totals->portals += joined;
      }
    }
  }
}

// The polygon an end joins, looked for in the whole mesh.
static CrPolyRef plain_end(const CrNavMesh *mesh, CrVec3 end, double radius) {
  CrPolyRef best = CR_INVALID_REF;
  const CrTile *best_tile = NULL;
  double best_distance = INFINITY, rise = fmax(radius, mesh->params.climb);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->active) continue;
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      CrVec3 at = cr__polygon_closest(tile, p, end, NULL);
      double dx = at.x - end.x, dy = at.y - end.y, dz = at.z - end.z, distance = dx * dx + dy * dy + dz * dz;
      if (dx * dx + dz * dz > radius * radius || fabs(dy) > rise) continue;
      bool first = !best_tile || tile->x < best_tile->x || (tile->x == best_tile->x && tile->z < best_tile->z) ||
                   (tile->x == best_tile->x && tile->z == best_tile->z && tile->layer < best_tile->layer);
      if (distance < best_distance || (distance == best_distance && tile != best_tile && first)) {
        best_distance = distance;
        best = cr_navmesh_ref(mesh, slot, p);
        best_tile = tile;
      }
    }
  }
  return best;
}

static void check_off_mesh(const CrNavMesh *mesh, uint32_t slot, Totals *totals) {
  for (uint32_t i = 0; i < mesh->tiles[slot].off_mesh_count; i++) {
    CrOffMeshInfo info = off_mesh_info(mesh, slot, i);
    CHECK(info.start_ref == plain_end(mesh, info.link.start, info.link.radius));
    CHECK(info.end_ref == plain_end(mesh, info.link.end, info.link.radius));
    CHECK(info.connected == (info.start_ref && info.end_ref));
    totals->off_mesh += info.connected ? 1u + info.link.bidirectional : 0;
    totals->open += !info.connected;
  }
}

static Totals check_all(const CrNavMesh *mesh) {
  Totals totals = {0};
  uint32_t links = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->active) continue;
    for (uint32_t p = 0; p < tile->polygon_count; p++) {
      for (uint32_t e = 0; e < cr__polygon_vertex_count(tile, p); e++) {
        if (border_side(tile->corner_neighbour[tile->polygon_first[p] + e]) < 4) check_edge(mesh, tile, p, e, &totals);
      }
    }
    check_off_mesh(mesh, slot, &totals);
    links += tile->link_count;
  }
  CHECK_INT(links, totals.portals + totals.off_mesh);
  return totals;
}

TEST(random_meshes_are_linked_as_all_pairs_say) {
  static const double origins[][2] = {{0, 0}, {-37.7, 1000.1}, {1048576.3, -1048570.9}, {-2097000, 2097000}};
  static const double sizes[] = {10.0, 9.6, 7.3, 20.1};
  Totals all = {0};
  for (uint64_t seed = 1; seed <= (uint64_t)(120 * check_scale()); seed++) {
    check_seed = seed;
    uint64_t state = seed;
    CrNavMeshParams params = {origins[seed % 4][0], origins[seed % 4][1], sizes[seed % 3], 0.5, 0, 0};
    CrNavMesh *mesh = new_mesh(&params);
    for (int i = 0; i < 14; i++) {
      int32_t x = rnd_int(&state, 3) - 1, z = rnd_int(&state, 3) - 1, layer = rnd_int(&state, 2);
      if (cr_navmesh_find_tile(mesh, x, z, layer, NULL) == CR_STATUS_OK) continue;
      kit_random(&kit, &params, &state, x, z, layer);
      kit_add(&kit, mesh);
    }
    check_mesh(mesh);
    Totals totals = check_all(mesh);
    all.portals += totals.portals;
    all.off_mesh += totals.off_mesh;
    all.open += totals.open;
    cr_navmesh_destroy(mesh);
  }
  printf("  %u portals, %u off-mesh ways, %u links not connected\n", all.portals, all.off_mesh, all.open);
  CHECK(all.portals > 2000 && all.off_mesh > 100 && all.open > 100);
}

TEST_MAIN(RUN(unequal_edges_share_what_they_both_cover), RUN(edges_that_merely_touch_do_not_join),
          RUN(portals_climb_at_most_the_climb_at_both_ends), RUN(heights_are_those_of_the_shared_part),
          RUN(layers_join_sideways_but_not_each_other), RUN(two_edges_of_one_polygon_give_two_links),
          RUN(tiles_corner_to_corner_do_not_join), RUN(pieces_of_an_edge_meet_exactly),
          RUN(links_connect_when_both_ends_have_a_polygon), RUN(ends_reach_as_far_as_the_radius),
          RUN(stacked_floors_take_the_nearest), RUN(ties_do_not_depend_on_slots),
          RUN(ties_within_a_tile_take_the_first_polygon), RUN(a_link_within_one_polygon_is_kept),
          RUN(links_at_one_place_are_all_kept), RUN(links_connect_in_every_order),
          RUN(the_list_of_open_links_may_be_cut), RUN(stacked_edges_are_refused_before_their_links_are_made),
          RUN(stacked_polygons_are_refused_before_all_are_looked_at), RUN(a_position_holds_so_many_layers),
          RUN(random_meshes_are_linked_as_all_pairs_say))
