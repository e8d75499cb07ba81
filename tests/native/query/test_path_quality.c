// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// How long the routes are: string-pulled routes of both node models against the exact shortest length on flat scenes, from
// a visibility graph over the ends of all walls.
#include "query_internal.h"
#include "query_worlds.h"

#define MAX_CORNERS 1500
#define CAPACITY 4096

// A wall end, told apart by the open space around it: two spaces may meet in a point without a way through.
typedef struct Corner {
  CrVec3 point;
  CrPolyRef space;  // smallest reference of the polygons around the point that are joined about it
} Corner;

typedef struct Scene {
  const CrNavMesh *mesh;
  CrNavMeshQuery *queries[2];
  Corner corners[MAX_CORNERS];
  uint32_t count;
  float *lengths;  // count x count, infinite where not visible (rounded up: only to find the route)
} Scene;

static bool way_holds(const CrWay *way, CrVec3 p) {
  return cr__dist_xz(cr__lerp(way->a, way->b, cr__segment_t_xz(way->a, way->b, p)), p) <= 1e-7;
}

static CrPolyRef space_of(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 p) {
  CrPolyRef around[64] = {ref}, least = ref;
  int count = 1;
  for (int i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(mesh, around[i]);
    CrWayList ways = cr__ways(mesh, tile, cr__ref_polygon(around[i]), NULL);
    for (CrWay way; cr__next_way(&ways, &way);) {
      cr__way_ends(tile, cr__ref_polygon(around[i]), &way);
      bool known = !way_holds(&way, p);
      for (int j = 0; j < count; j++) known = known || around[j] == way.target;
      if (known || count == 64) continue;
      around[count++] = way.target;
      if (way.target < least) least = way.target;
    }
  }
  return least;
}

static bool visible(const Scene *scene, Corner from, Corner to) {
  static CrPolyRef trail[CAPACITY];
  CrRaycastResult ray;
  CHECK_OK(cr_query_raycast(scene->queries[0], from.space, from.point, to.point, NULL, trail, CAPACITY, &ray, NULL));
  if (ray.hit || ray.truncated) return false;
  return space_of(scene->mesh, trail[ray.count - 1], to.point) == space_of(scene->mesh, to.space, to.point);
}

static void add_corner(Scene *scene, CrVec3 point, CrPolyRef space) {
  for (uint32_t i = 0; i < scene->count; i++) {
    if (scene->corners[i].space == space && cr__near_xz(scene->corners[i].point, point, 1e-7)) return;
  }
  REQUIRE(scene->count < MAX_CORNERS);
  scene->corners[scene->count++] = (Corner){point, space};
}

static void find_corners(Scene *scene) {
  uint32_t count;
  CrPolyRef *all = world_all_polygons(scene->mesh, &count);
  for (uint32_t i = 0; i < count; i++) {
    const CrTile *tile = cr__resolve(scene->mesh, all[i]);
    uint32_t polygon = cr__ref_polygon(all[i]);
    for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, polygon); k++) {
      CrEdgeWalls walls = cr__edge_walls(scene->mesh, tile, polygon, k, NULL);
      for (CrVec3 a, b; cr__next_edge_wall(&walls, &a, &b);) {
        add_corner(scene, a, space_of(scene->mesh, all[i], a));
        add_corner(scene, b, space_of(scene->mesh, all[i], b));
      }
    }
  }
  free(all);
}

static void open_scene(Scene *scene, const CrNavMesh *mesh) {
  scene->mesh = mesh;
  scene->count = 0;
  for (int model = 0; model < 2; model++) {
    CrQueryOptions options = {CR_QUERY_DEFAULT_NODES, (CrNodeModel)model, false};
    REQUIRE_OK(cr_query_create(mesh, &options, NULL, &scene->queries[model], NULL));
  }
  find_corners(scene);
  scene->lengths = malloc((size_t)scene->count * scene->count * sizeof *scene->lengths);
  REQUIRE(scene->lengths != NULL);
  for (uint32_t i = 0; i < scene->count; i++) {
    for (uint32_t j = 0; j <= i; j++) {
      bool sees = visible(scene, scene->corners[i], scene->corners[j]);
      float length = sees ? (float)cr__dist_xz(scene->corners[i].point, scene->corners[j].point) : INFINITY;
      scene->lengths[i * scene->count + j] = scene->lengths[j * scene->count + i] = length;
    }
  }
}

static void close_scene(Scene *scene) {
  free(scene->lengths);
  for (int model = 0; model < 2; model++) cr_query_destroy(scene->queries[model]);
}

// Dijkstra over the corners; corner lengths are exact along the route because they are computed again.
static double exact_length(const Scene *scene, Corner start, Corner end, bool *out_clear) {
  static double g[MAX_CORNERS];
  static bool done[MAX_CORNERS];
  *out_clear = visible(scene, start, end);
  if (*out_clear) return cr__dist_xz(start.point, end.point);
  double best = INFINITY;
  for (uint32_t i = 0; i < scene->count; i++) {
    g[i] = visible(scene, start, scene->corners[i]) ? cr__dist_xz(start.point, scene->corners[i].point) : INFINITY;
    done[i] = false;
  }
  for (;;) {
    uint32_t at = scene->count;
    for (uint32_t i = 0; i < scene->count; i++) {
      if (!done[i] && (at == scene->count || g[i] < g[at])) at = i;
    }
    if (at == scene->count || g[at] >= best) return best;
    done[at] = true;
    if (visible(scene, end, scene->corners[at]))
      best = fmin(best, g[at] + cr__dist_xz(scene->corners[at].point, end.point));
    for (uint32_t i = 0; i < scene->count; i++) {
      if (scene->lengths[at * scene->count + i] == INFINITY) continue;
      g[i] = fmin(g[i], g[at] + cr__dist_xz(scene->corners[at].point, scene->corners[i].point));
    }
  }
}

static double route_length(const Scene *scene, int model, Corner start, Corner end) {
  static CrPolyRef path[CAPACITY];
  static CrCorner corners[CAPACITY];
  CrPathResult result;
  int32_t count;
  CHECK_OK(cr_query_find_path(scene->queries[model], start.space, start.point, end.space, end.point, NULL, path,
                              CAPACITY, &result, NULL));
  if (result.outcome != CR_PATH_SUCCESS) return INFINITY;
  CHECK_INT(
      cr_query_straight_path(scene->mesh, start.point, end.point, path, result.count, NULL, corners, CAPACITY, &count),
      CR_STRAIGHT_OK);
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) length += cr__dist_xz(corners[i - 1].point, corners[i].point);
  return length;
}

#define MAX_PAIRS 20000

typedef struct Ratios {
  double values[MAX_PAIRS];
  uint32_t count;
} Ratios;

static int compare_doubles(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

static double report(Ratios *ratios, const char *name, double *out_mean) {
  double sum = 0.0;
  qsort(ratios->values, ratios->count, sizeof(double), compare_doubles);
  for (uint32_t i = 0; i < ratios->count; i++) sum += ratios->values[i];
  double p99 = ratios->values[(uint32_t)(0.99 * ratios->count)], worst = ratios->values[ratios->count - 1];
  *out_mean = sum / ratios->count;
  printf("  %s nodes, %u pairs: mean %.4f of the exact length, 99 %% within %.4f, worst %.4f\n", name, ratios->count,
         *out_mean, p99, worst);
  return p99;
}

static CrNavMesh *flat_scene(int number) {
  uint64_t seed = 40 + (uint64_t)number;
  switch (number % 4) {
    case 0:
      return world_scattered(seed, 36, 36, 1.0, 0.2, 0, NULL);
    case 1:
      return world_scattered(seed, 30, 30, 1.0, 0.3, 8, NULL);
    case 2:
      return world_warped(seed, 1, 26, 1.0, 0.15, 0.0, 0.0);
    default:
      return world_warped(seed, 3, 9, 1.0, 0.15, 0.0, 0.0);
  }
}

TEST(routes_are_nearly_the_shortest) {
  static Scene scene;
  static Ratios ratios[2];
  int64_t clear_pairs = 0;
  for (int number = 0; number < 24; number++) {
    CrNavMesh *mesh = flat_scene(number);
    open_scene(&scene, mesh);
    uint64_t seed = 50 + (uint64_t)number;
    for (int64_t i = check_scaled(170); i > 0; i--) {
      Corner start, end;
      bool clear;
      check_seed = seed;
      start.point = world_random_point(mesh, &seed, &start.space);
      end.point = world_random_point(mesh, &seed, &end.space);
      double exact = exact_length(&scene, start, end, &clear);
      for (int model = 0; model < 2; model++) {
        double length = route_length(&scene, model, start, end);
        CHECK((length == INFINITY) == (exact == INFINITY));
        CHECK(length >= exact - 1e-7);
        // A clear straight line is the crossing-node route.
        if (clear && model == 1) CHECK_NEAR(length, exact, 1e-9 * (1.0 + exact));
        clear_pairs += clear && model == 1;
        if (exact < 0.1 || exact == INFINITY || ratios[model].count == MAX_PAIRS) continue;
        ratios[model].values[ratios[model].count++] = length / exact;
      }
    }
    close_scene(&scene);
    cr_navmesh_destroy(mesh);
  }
  double polygon_mean, crossing_mean;
  double polygon_p99 = report(&ratios[0], "polygon", &polygon_mean);
  double crossing_p99 = report(&ratios[1], "crossing", &crossing_mean);
  printf("  %lld pairs with a clear straight line\n", (long long)clear_pairs);
  CHECK(polygon_mean < 1.012 && crossing_mean <= 1.01);
  // The hundredth of a small sample is one pair.
  bool enough = ratios[0].count >= 1000;
  CHECK(!enough || (polygon_p99 < 1.08 && crossing_p99 <= 1.05));
  CHECK(clear_pairs > check_scaled(50));
}

TEST_MAIN(RUN(routes_are_nearly_the_shortest))
