// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The exact search gives the shortest length there is: against a visibility graph on scenes of many kinds, and against the
// other node models.
#include <time.h>

#include "visibility.h"

#define CAPACITY 4096

typedef struct Scene {
  const char *name;
  CrNavMesh *mesh;
  const CrQueryFilter *filter;
  bool flat;
  CrQueryFilter storage;
} Scene;

// Polygons here and there that a filter leaves out.
static void exclude_some(Scene *scene, uint64_t *seed, double share) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(scene->mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (rnd_unit(seed) < share) REQUIRE_OK(cr_navmesh_set_flags(scene->mesh, all[i], 2, NULL));
  }
  free(all);
  scene->storage = cr_query_filter_default();
  scene->storage.exclude_flags = 2;
  for (int i = 0; i <= CR_MAX_AREA; i++) scene->storage.area_cost[i] = 2.5;
  scene->filter = &scene->storage;
}

// Obstacles on a field of square polygons, and links between random places, over walls and along them, some one-way.
#define LINK_SIDE 22
#define LINK_COUNT 10
static CrNavMesh *linked_field(uint64_t seed) {
  static double positions[(LINK_SIDE + 1) * (LINK_SIDE + 1) * 3];
  static uint8_t counts[LINK_SIDE * LINK_SIDE];
  static uint32_t corners[LINK_SIDE * LINK_SIDE * 4];
  CrOffMeshLink links[LINK_COUNT];
  CrPolygonSoup soup = {.positions = positions, .corner_counts = counts, .corners = corners, .climb = 0.5};
  for (uint32_t z = 0; z <= LINK_SIDE; z++) {
    for (uint32_t x = 0; x <= LINK_SIDE; x++) {
      double *p = positions + 3 * soup.position_count++;
      p[0] = x, p[1] = 0.0, p[2] = z;
      bool cell = x < LINK_SIDE && z < LINK_SIDE && rnd_unit(&seed) > 0.3;
      uint32_t a = z * (LINK_SIDE + 1) + x, *c = corners + 4 * soup.polygon_count;
      if (!cell) continue;
      c[0] = a, c[1] = a + 1, c[2] = a + LINK_SIDE + 2, c[3] = a + LINK_SIDE + 1;
      counts[soup.polygon_count++] = 4;
    }
  }
  for (int i = 0; i < LINK_COUNT; i++) {
    double *p[2];
    for (int k = 0; k < 2; k++) p[k] = positions + 3 * corners[4 * rnd_int(&seed, (int32_t)soup.polygon_count)];
    links[i] = (CrOffMeshLink){.start = {p[0][0] + 0.5, 0.0, p[0][2] + rnd_unit(&seed)},
                               .end = {p[1][0] + rnd_int(&seed, 2), 0.0, p[1][2] + 0.5},
                               .radius = 0.3,
                               .flags = 1,
                               .bidirectional = rnd_unit(&seed) < 0.5};
  }
  soup.off_mesh_count = LINK_COUNT;
  soup.off_mesh_links = links;
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_from_polygons(&soup, NULL, &mesh, NULL));
  return mesh;
}

#define SCENE_KINDS 10

static void make_scene(Scene *scene, int number) {
  uint64_t seed = 140 + (uint64_t)number;
  *scene = (Scene){.flat = true};
  switch (number % SCENE_KINDS) {
    case 0:
      scene->name = "scattered";
      scene->mesh = world_scattered(seed, 26, 26, 1.0, 0.2, 0, NULL);
      break;
    case 1:
      scene->name = "scattered, tiled";
      scene->mesh = world_scattered(seed, 24, 24, 0.7, 0.3, 7, NULL);
      break;
    case 2:
      scene->name = "maze";
      scene->mesh = world_maze(seed, 9, 1.3, 5, NULL);
      break;
    case 3:
      scene->name = "warped";
      scene->mesh = world_warped(seed, 1, 20, 1.0, 0.15, 0.0, 0.0);
      break;
    case 4:
      scene->name = "warped, tiled";
      scene->mesh = world_warped(seed, 3, 7, 1.1, 0.2, 0.0, 0.0);
      break;
    case 5:
      scene->name = "warped, tiled, far off";
      scene->mesh = world_warped(seed, 4, 5, 0.9, 0.25, 0.0, 90000.0);
      break;
    case 6:
      scene->name = "excluded polygons";
      scene->mesh = world_warped(seed, 2, 9, 1.0, 0.05, 0.0, 0.0);
      exclude_some(scene, &seed, 0.2);
      break;
    case 7:
      scene->name = "two floors";
      scene->mesh = world_two_floors(seed, 12, 11, 1.0, 4.0, 0, 5, NULL);
      scene->flat = false;
      break;
    case 8:
      scene->name = "links over obstacles";
      scene->mesh = linked_field(seed);
      break;
    default:
      scene->name = "two floors, links";
      scene->mesh = world_two_floors(seed, 12, 11, 1.0, 2.0, 9, number & 16 ? 0 : 4, NULL);
      scene->flat = false;
      break;
  }
}

// A point in a polygon; often on an edge or at a corner of it.
static CrVec3 any_place(const Scene *scene, uint64_t *seed, CrPolyRef *ref) {
  CrVec3 point;
  REQUIRE(random_place(scene->mesh, scene->filter, seed, ref, &point));
  int32_t kind = rnd_int(seed, 4);
  const CrTile *tile = cr__resolve(scene->mesh, *ref);
  uint32_t polygon = cr__ref_polygon(*ref),
           edge = (uint32_t)rnd_int(seed, (int32_t)cr__polygon_vertex_count(tile, polygon));
  CrVec3 a, b;
  cr__polygon_edge(tile, polygon, edge, &a, &b);
  if (kind == 0) return a;
  if (kind == 1) return cr__polygon_closest(tile, polygon, cr__lerp(a, b, rnd_unit(seed)), NULL);
  return point;
}

typedef struct Searches {
  CrNavMeshQuery *queries[3];
  int64_t iterations[3];
  clock_t time[3];
  double lengths[3];  // of routes that reach the end
} Searches;

static void open_searches(Searches *searches, const CrNavMesh *mesh) {
  *searches = (Searches){0};
  for (int model = 0; model < 3; model++) {
    CrQueryOptions options = {CR_QUERY_DEFAULT_NODES, (CrNodeModel)model, false};
    REQUIRE_OK(cr_query_create(mesh, &options, NULL, &searches->queries[model], NULL));
  }
}

static void close_searches(Searches *searches) {
  for (int model = 0; model < 3; model++) cr_query_destroy(searches->queries[model]);
}

// Horizontal length of the corners; links count their 3D length.
static double line_length(const CrCorner *corners, int32_t count) {
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) {
    bool link = corners[i - 1].flags & CR_CORNER_OFF_MESH;
    length +=
        link ? cr__dist(corners[i - 1].point, corners[i].point) : cr__dist_xz(corners[i - 1].point, corners[i].point);
  }
  return length;
}

static double route_length(Searches *searches, const Scene *scene, int model, CrPolyRef a, CrVec3 start, CrPolyRef b,
                           CrVec3 end) {
  static CrPolyRef path[CAPACITY];
  static CrCorner corners[CAPACITY];
  CrPathResult result;
  int32_t count;
  clock_t before = clock();
  CHECK_OK(
      cr_query_find_path(searches->queries[model], a, start, b, end, scene->filter, path, CAPACITY, &result, NULL));
  searches->time[model] += clock() - before;
  searches->iterations[model] += result.iterations;
  CHECK(!result.out_of_nodes && !result.truncated && result.outcome != CR_PATH_FAILED);
  if (model == CR_NODE_MODEL_EXACT) {
    check_note_bytes(path, (size_t)result.count * sizeof *path);
    for (int32_t i = 0; i < result.count; i++) {
      for (int32_t j = 0; j < i; j++) CHECK(path[i] != path[j]);
      CHECK(i == 0 || cr__connected(scene->mesh, path[i - 1], path[i], scene->filter));
    }
  }
  if (result.outcome != CR_PATH_SUCCESS) return INFINITY;
  CHECK_INT(
      cr_query_straight_path(scene->mesh, start, end, path, result.count, scene->filter, corners, CAPACITY, &count),
      CR_STRAIGHT_OK);
  CHECK(path[0] == a && path[result.count - 1] == b);
  return line_length(corners, count);
}

// Within 1e-9 of each other, or both infinite; the difference is noted.
static void check_equal(double length, double exact, double *worst) {
  if (length == INFINITY || exact == INFINITY) {
    CHECK(length == exact);
    return;
  }
  double difference = fabs(length - exact) / (1.0 + exact);
  if (difference > 1e-9) printf("    length %.12g, shortest %.12g\n", length, exact);
  CHECK(difference <= 1e-9);
  *worst = fmax(*worst, difference);
}

TEST(the_length_is_the_shortest) {
  double sums[3] = {0};
  int64_t all_pairs = 0, all_iterations[3] = {0};
  clock_t time[3] = {0};
  double all_worst = 0.0;
  for (int number = 0; number < SCENE_KINDS * check_scaled(2); number++) {
    static Scene scene;
    static Visibility sight;
    Searches searches;
    make_scene(&scene, number);
    visibility_open(&sight, scene.mesh, scene.filter, scene.flat);
    open_searches(&searches, scene.mesh);
    uint64_t seed = 150 + (uint64_t)number;
    int64_t pairs = 0, reached = 0, clear_pairs = 0;
    double worst = 0.0;
    for (int64_t i = 100; i > 0; i--) {
      check_seed = seed;
      CrPolyRef a, b;
      CrVec3 start = any_place(&scene, &seed, &a), end = any_place(&scene, &seed, &b);
      SightNode from = sight_node(&sight, a, start), to = sight_node(&sight, b, end);
      bool clear;
      double exact = shortest_length(&sight, &from, &to, &clear), lengths[3];
      for (int model = 0; model < 3; model++) lengths[model] = route_length(&searches, &scene, model, a, start, b, end);
      int before = check_failures;
      check_equal(lengths[2], exact, &worst);
      for (int model = 0; model < 2; model++) CHECK(lengths[2] <= lengths[model] * (1.0 + 1e-12) + 1e-12);
      if (check_failures != before) {
        printf("    scene %d, seed %llu: %.9g %.9g -> %.9g %.9g, lengths %.12g %.12g %.12g\n", number,
               (unsigned long long)check_seed, start.x, start.z, end.x, end.z, lengths[0], lengths[1], lengths[2]);
      }
      pairs++;
      clear_pairs += clear;
      if (exact == INFINITY) continue;
      reached++;
      if (exact < 0.1) continue;
      all_pairs++;
      for (int model = 0; model < 3; model++) sums[model] += lengths[model] / exact;
    }
    if (number < SCENE_KINDS) {
      printf("  %s: %u nodes in sight, %lld pairs, %lld reached, %lld in sight, worst difference %.1e\n", scene.name,
             sight.node_count, (long long)pairs, (long long)reached, (long long)clear_pairs, worst);
    }
    for (int model = 0; model < 3; model++) {
      all_iterations[model] += searches.iterations[model];
      time[model] += searches.time[model];
    }
    all_worst = fmax(all_worst, worst);
    close_searches(&searches);
    visibility_close(&sight);
    cr_navmesh_destroy(scene.mesh);
  }
  double count = (double)all_pairs;
  printf("  %lld pairs: mean length over the shortest %.5f polygon, %.5f crossing, %.9f exact, worst difference %.1e\n",
         (long long)all_pairs, sums[0] / count, sums[1] / count, sums[2] / count, all_worst);
  printf("  iterations: %lld polygon, %lld crossing, %lld exact; time over polygon nodes: %.2f crossing, %.2f exact\n",
         (long long)all_iterations[0], (long long)all_iterations[1], (long long)all_iterations[2],
         (double)time[1] / (double)time[0], (double)time[2] / (double)time[0]);
  CHECK(all_pairs > SCENE_KINDS * check_scaled(2) * 60);
}

// Where vertices of two tiles lie less than the portal tolerance apart, lines pass between them or turn there: never is a way
// found that is longer than those of the other models by more than that.
TEST(vertices_nearly_in_one_place_do_no_harm) {
  const double apart[] = {1e-3, 3e-6, 1e-6, 5e-7, 1e-7, 1e-8, 3e-9, 1e-9, 1e-12};
  int64_t pairs = 0;
  double worst = 0.0;
  for (int number = 0; number < (int)CR_COUNT_OF(apart) * 4; number++) {
    Scene scene = {.flat = true};
    Searches searches;
    uint64_t seed = 900 + (uint64_t)number;
    scene.mesh = world_warped_border(seed, 4, 4, 1.0, 0.15, 0.0, number % 3 ? 0.0 : 50000.0, apart[number / 4]);
    open_searches(&searches, scene.mesh);
    for (int64_t i = check_scaled(150); i > 0; i--) {
      check_seed = seed;
      CrPolyRef a, b;
      CrVec3 start = any_place(&scene, &seed, &a), end = any_place(&scene, &seed, &b);
      double lengths[3];
      for (int model = 0; model < 3; model++) lengths[model] = route_length(&searches, &scene, model, a, start, b, end);
      CHECK((lengths[2] == INFINITY) == (lengths[0] == INFINITY));
      if (lengths[0] == INFINITY) continue;
      double excess = lengths[2] - fmin(lengths[0], lengths[1]);
      CHECK(excess <= 1e-6);
      worst = fmax(worst, excess);
      pairs++;
    }
    close_searches(&searches);
    cr_navmesh_destroy(scene.mesh);
  }
  printf("  %lld pairs, at most %.1e longer than another route\n", (long long)pairs, worst);
  CHECK(pairs > check_scaled(150) * 20);
}

// The end lies on the last portal, which the last corner sees nearly from its side: it is there when the portal is crossed, and
// the string does not run to the portal's far end and back.
TEST(an_end_on_a_portal_seen_from_its_side_is_there) {
  Scene scene = {.flat = true};
  Searches searches;
  scene.mesh = world_warped_border(917, 4, 4, 1.0, 0.15, 0.0, 0.0, 1e-7);
  open_searches(&searches, scene.mesh);
  CrVec3 start = {14.233137691416124, 0.0, 9.1290589794886365}, end = {3.5626233779174918, 0.0, 10.586300340827037};
  CrPolyRef a = UINT64_C(0x100000b00000b), b = UINT64_C(0x1000008000014);
  double crossing = route_length(&searches, &scene, 1, a, start, b, end);
  double exact = route_length(&searches, &scene, 2, a, start, b, end);
  CHECK(crossing < 12.0 && exact <= crossing);
  close_searches(&searches);
  cr_navmesh_destroy(scene.mesh);
}

TEST_MAIN(RUN(the_length_is_the_shortest), RUN(vertices_nearly_in_one_place_do_no_harm),
          RUN(an_end_on_a_portal_seen_from_its_side_is_there))
