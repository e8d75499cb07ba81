// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The test meshes themselves: what other tests take for granted about them.
#include "check.h"
#include "navmesh_internal.h"
#include "worlds.h"

// Polygons reachable from each polygon through edges and portals, by union-find over all ways.
typedef struct Graph {
  CrPolyRef *refs;
  uint32_t *parent;
  uint32_t count, edges;
} Graph;

static uint32_t index_of(const Graph *graph, CrPolyRef ref) {
  uint32_t low = 0, high = graph->count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (graph->refs[middle] < ref)
      low = middle + 1;
    else
      high = middle;
  }
  REQUIRE(low < graph->count && graph->refs[low] == ref);
  return low;
}

static uint32_t root_of(const Graph *graph, uint32_t i) {
  while (graph->parent[i] != i) i = graph->parent[i];
  return i;
}

static void unite(Graph *graph, CrPolyRef a, CrPolyRef b) {
  uint32_t i = root_of(graph, index_of(graph, a)), j = root_of(graph, index_of(graph, b));
  graph->edges += a < b;
  if (i < j)
    graph->parent[j] = i;
  else
    graph->parent[i] = j;
}

static Graph graph_of(const CrNavMesh *mesh, bool off_mesh) {
  Graph graph = {0};
  graph.refs = world_all_polygons(mesh, &graph.count);
  graph.parent = malloc((graph.count + 1) * sizeof *graph.parent);
  REQUIRE(graph.parent != NULL);
  for (uint32_t i = 0; i < graph.count; i++) graph.parent[i] = i;
  for (uint32_t i = 0; i < graph.count; i++) {
    const CrTile *tile = cr__resolve(mesh, graph.refs[i]);
    uint32_t p = cr__ref_polygon(graph.refs[i]);
    for (uint32_t c = tile->polygon_first[p]; c < tile->polygon_first[p + 1]; c++) {
      uint32_t q = tile->corner_neighbour[c];
      if (q < tile->polygon_count) unite(&graph, graph.refs[i], cr__tile_ref(mesh, tile, q));
    }
    for (uint32_t k = tile->link_first[p]; k < tile->link_first[p + 1]; k++) {
      if (off_mesh || tile->links[k].edge != CR_LINK_NO_EDGE) unite(&graph, graph.refs[i], tile->links[k].target);
    }
  }
  return graph;
}

static uint32_t component_count(const Graph *graph) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < graph->count; i++) count += graph->parent[i] == i;
  return count;
}

static void free_graph(Graph *graph) {
  free(graph->refs);
  free(graph->parent);
}

static void check_mesh(const CrNavMesh *mesh) {
  const char *broken = cr__navmesh_invariant(mesh);
  if (broken) printf("  %s\n", broken);
  CHECK(!broken);
}

TEST(maps_become_cells) {
  CrNavMesh *mesh = world_from_map("..#\n.b.\n\n..", 2.0, 0, NULL);
  check_mesh(mesh);
  CHECK_INT(cr_navmesh_polygon_count(mesh), 7);
  CHECK_INT(cr_navmesh_tile_count(mesh), 1);
  CrVec3 low, high;
  CHECK(cr_navmesh_bounds(mesh, &low, &high));
  CHECK(low.x == 0.0 && low.z == 0.0 && high.x == 6.0 && high.z == 8.0 && high.y == 0.0);
  uint32_t with_area = 0;
  for (uint32_t p = 0; p < 7; p++) {
    CrPolygonInfo info;
    CHECK_OK(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, p), &info));
    with_area += info.area == 2;
    CHECK_INT(info.vertex_count, 4);
  }
  CHECK_INT(with_area, 1);
  Graph graph = graph_of(mesh, true);
  CHECK_INT(component_count(&graph), 2);
  free_graph(&graph);
  cr_navmesh_destroy(mesh);
}

// Tiling must not change what is connected.
TEST(tiling_keeps_connections) {
  const int32_t sizes[] = {0, 1, 2, 3, 5, 7};
  for (uint64_t seed = 1; seed <= 6; seed++) {
    check_seed = seed;
    uint32_t components = 0, edges = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      CrNavMesh *mesh = world_scattered(seed, 21, 17, 0.7, 0.35, sizes[i], NULL);
      check_mesh(mesh);
      Graph graph = graph_of(mesh, true);
      if (i == 0) {
        components = component_count(&graph);
        edges = graph.edges;
      }
      CHECK_INT(component_count(&graph), components);
      CHECK_INT(graph.edges, edges);
      free_graph(&graph);
      cr_navmesh_destroy(mesh);
    }
  }
}

TEST(merging_keeps_connections) {
  const char *map =
      "..........\n"
      "..##...#..\n"
      "...a.....b\n"
      "#..aa..#.b\n"
      "..........\n"
      "###.#.####\n"
      "..........\n";
  CrNavMesh *cells = world_from_map(map, 1.0, 0, NULL);
  Graph graph = graph_of(cells, true);
  uint32_t components = component_count(&graph), polygons = graph.count;
  free_graph(&graph);
  for (int32_t run = 1; run <= 7; run++) {
    for (int32_t tile = 0; tile <= 4; tile++) {
      CrNavMesh *mesh = world_from_map_merged(map, 1.0, run, tile, NULL);
      check_mesh(mesh);
      graph = graph_of(mesh, true);
      CHECK_INT(component_count(&graph), components);
      CHECK(run == 1 || tile == 1 ? graph.count == polygons : graph.count < polygons);
      free_graph(&graph);
      cr_navmesh_destroy(mesh);
    }
  }
  cr_navmesh_destroy(cells);
}

TEST(mazes_are_perfect) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    check_seed = seed;
    int32_t rooms = 2 + (int32_t)(seed % 9);
    CrNavMesh *mesh = world_maze(seed, rooms, 1.5, (int32_t)(seed % 4) * 3, NULL);
    check_mesh(mesh);
    Graph graph = graph_of(mesh, true);
    CHECK_INT(graph.count, 2 * rooms * rooms - 1);
    CHECK_INT(graph.edges, graph.count - 1);
    CHECK_INT(component_count(&graph), 1);
    free_graph(&graph);
    cr_navmesh_destroy(mesh);
  }
}

static double floor_height(const CrNavMesh *mesh, CrPolyRef ref) {
  return cr__polygon_center(cr__resolve(mesh, ref), cr__ref_polygon(ref)).y;
}

TEST(floors_are_joined_by_ramp_and_links) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    check_seed = seed;
    CrNavMesh *mesh = world_two_floors(seed, 14, 11, 1.0, 4.0, 9, (int32_t)(seed % 3) * 4, NULL);
    check_mesh(mesh);
    uint32_t links = 0, ways = 0;
    for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
      const CrTile *tile = &mesh->tiles[slot];
      for (uint32_t i = 0; i < tile->off_mesh_count; i++) {
        CrOffMeshInfo info;
        CHECK_OK(cr_navmesh_off_mesh_link(mesh, slot, i, &info));
        CHECK(info.connected);
        CHECK(cr__abs(floor_height(mesh, info.start_ref) - floor_height(mesh, info.end_ref)) == 4.0);
        links++;
        ways += 1u + info.link.bidirectional;
      }
      for (uint32_t i = 0; i < tile->link_count; i++) ways -= tile->links[i].edge == CR_LINK_NO_EDGE;
    }
    CHECK_INT(links, 9);
    CHECK_INT(ways, 0);
    // The ramp joins the corner cells of both floors without any link.
    Graph graph = graph_of(mesh, false);
    CrPolyRef ground = CR_INVALID_REF, upper = CR_INVALID_REF;
    for (uint32_t i = 0; i < graph.count; i++) {
      CrVec3 c = cr__polygon_center(cr__resolve(mesh, graph.refs[i]), cr__ref_polygon(graph.refs[i]));
      if (c.x == 0.5 && c.z == 10.5 && c.y == 0.0) ground = graph.refs[i];
      if (c.x == 13.5 && c.z == 10.5 && c.y == 4.0) upper = graph.refs[i];
    }
    REQUIRE(ground && upper);
    CHECK(root_of(&graph, index_of(&graph, ground)) == root_of(&graph, index_of(&graph, upper)));
    free_graph(&graph);
    cr_navmesh_destroy(mesh);
  }
}

TEST(random_points_lie_in_their_polygon) {
  CrNavMesh *mesh = world_two_floors(3, 14, 11, 1.0, 4.0, 0, 4, NULL);
  uint64_t seed = 5;
  for (int i = 0; i < 2000; i++) {
    CrPolyRef ref;
    CrVec3 p = world_random_point(mesh, &seed, &ref);
    const CrTile *tile = cr__resolve(mesh, ref);
    REQUIRE(tile != NULL);
    CHECK(cr__polygon_holds(tile, cr__ref_polygon(ref), p.x, p.z, 1e-12));
    CHECK_NEAR(p.y, cr__polygon_height(tile, cr__ref_polygon(ref), p.x, p.z), 1e-12);
  }
  cr_navmesh_destroy(mesh);
}

TEST(worlds_free_everything) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  cr_navmesh_destroy(world_two_floors(1, 14, 11, 1.0, 4.0, 5, 4, &allocator));
  CHECK(memory.total_allocations > 0);
  CHECK_INT(memory.live_blocks, 0);
}

TEST_MAIN(RUN(maps_become_cells), RUN(tiling_keeps_connections), RUN(merging_keeps_connections), RUN(mazes_are_perfect),
          RUN(floors_are_joined_by_ramp_and_links), RUN(random_points_lie_in_their_polygon),
          RUN(worlds_free_everything))
