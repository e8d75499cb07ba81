// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The funnel against brute force: shortest ways over all portal ends, on random corridors of quads and triangles with
// touching and collinear portals; mirrored corridors; corner indices; off-mesh links; truncation; broken corridors.
#include "query_internal.h"
#include "query_worlds.h"
#include "tile_kit.h"

#define MAX_PORTALS 14

// --- Random corridors as meshes ---------------------------------------------------------------------------------------------

// A strip of polygons: portal k between polygons k and k + 1 runs from left[k] to right[k]. Polygon 0 begins with a point.
typedef struct Strip {
  int32_t portals;
  CrVec3 left[MAX_PORTALS + 2],
      right[MAX_PORTALS + 2];  // [0] the first polygon's far side, [portals + 1] the last one's
  CrVec3 start, end;
} Strip;

static double turn_of(CrVec3 a, CrVec3 b, CrVec3 c) { return cr__cross_xz(a, b, c); }

static bool convex_quad(CrVec3 a, CrVec3 b, CrVec3 c, CrVec3 d, double least) {
  return turn_of(a, b, c) > least && turn_of(b, c, d) > least && turn_of(c, d, a) > least && turn_of(d, a, b) > least;
}

static CrVec3 lattice(CrVec3 p, double step) {
  return cr__vec(floor(p.x / step + 0.5) * step, 0.0, floor(p.z / step + 0.5) * step);
}

// The next portal: both ends move (a quad), or only one (a triangle). Ends on a coarse lattice make collinear ones common.
static bool extend_strip(Strip *strip, int32_t k, double heading, bool coarse, bool narrow, uint64_t *seed) {
  CrVec3 l = strip->left[k - 1], r = strip->right[k - 1];
  for (int tries = 0; tries < 60; tries++) {
    int moved = rnd_int(seed, 3);
    double length = rnd_range(seed, 0.3, 3.0), turn = heading + rnd_range(seed, -0.9, 0.9);
    CrVec3 step = cr__vec(cos(turn) * length, 0, sin(turn) * length);
    CrVec3 nl = moved == 1 ? l : cr__add(l, step);
    CrVec3 nr = moved == 0 ? r : cr__add(r, step);
    if (moved == 2) {
      double widen = rnd_range(seed, -0.5, 1.0);
      nl = cr__add(nl, cr__scale(cr__sub(l, r), widen * rnd_unit(seed)));
      nr = cr__add(nr, cr__scale(cr__sub(r, l), widen * rnd_unit(seed)));
    }
    if (coarse) nl = lattice(nl, 0.5), nr = lattice(nr, 0.5);
    // As good as no width: a few times the least distance two corners may have.
    if (narrow && moved == 2 && rnd_int(seed, 3) == 0) {
      nl = cr__lerp(nr, nl, (2e-6 + 1e-4 * rnd_small(seed)) / (1e-9 + cr__dist_xz(nl, nr)));
    }
    // Interior left of every edge: right before left along the portal, polygon r -> nr -> nl -> l.
    double width = cr__dist_xz(nl, nr), least = narrow ? 0.02 * fmin(1.0, width) * fmin(1.0, cr__dist_xz(l, r)) : 0.02;
    bool fits = moved == 2   ? convex_quad(r, nr, nl, l, least)
                : moved == 1 ? turn_of(r, nr, l) > least
                             : turn_of(r, nl, l) > least;
    if (!fits || width < (narrow ? 1.5e-6 : 0.05)) continue;
    strip->left[k] = nl;
    strip->right[k] = nr;
    return true;
  }
  return false;
}

// A point of the polygon between portals k and k + 1; half of the time on its outline.
static CrVec3 point_in(const Strip *strip, int32_t k, uint64_t *seed) {
  CrVec3 c[4] = {strip->right[k], strip->right[k + 1], strip->left[k + 1], strip->left[k]};
  int32_t kind = rnd_int(seed, 4);
  if (kind == 0) return c[rnd_int(seed, 4)];
  if (kind == 1) {
    int32_t e = rnd_int(seed, 4);
    return cr__lerp(c[e], c[(e + 1) % 4], 0.5);
  }
  double u = rnd_unit(seed), v = rnd_unit(seed);
  return cr__lerp(cr__lerp(c[0], c[1], u), cr__lerp(c[3], c[2], u), v);
}

static bool make_strip(Strip *strip, uint64_t *seed) {
  double heading = 0.0;
  int32_t kind = rnd_int(seed, 5);
  bool coarse = kind < 2, narrow = kind == 2;
  strip->portals = 1 + rnd_int(seed, MAX_PORTALS);
  strip->left[0] = cr__vec(0, 0, 1);
  strip->right[0] = cr__vec(0, 0, -0.5);
  double drift = rnd_range(seed, -0.6, 0.6);
  for (int32_t k = 1; k <= strip->portals + 1; k++) {
    if (!extend_strip(strip, k, heading, coarse, narrow, seed)) return false;
    heading += drift;
  }
  strip->start = point_in(strip, 0, seed);
  strip->end = point_in(strip, strip->portals, seed);
  return true;
}

static CrVec3 mirrored(CrVec3 p) { return cr__vec(0.0 - p.x, p.y, p.z); }

static Strip mirror_strip(const Strip *strip) {
  Strip out = *strip;
  for (int32_t k = 0; k <= strip->portals + 1; k++) {
    out.left[k] = mirrored(strip->right[k]);
    out.right[k] = mirrored(strip->left[k]);
  }
  out.start = mirrored(strip->start);
  out.end = mirrored(strip->end);
  return out;
}

static uint32_t put_vertex(double *vertices, uint32_t *count, CrVec3 p) {
  for (uint32_t i = 0; i < *count; i++) {
    if (vertices[3 * i] == p.x && vertices[3 * i + 2] == p.z) return i;
  }
  memcpy(vertices + 3 * *count, (double[3]){p.x, p.y, p.z}, 3 * sizeof(double));
  return (*count)++;
}

// The strip as one tile. Neighbours are given, so that strips may overlap themselves.
static CrNavMesh *mesh_of(const Strip *strip, CrPolyRef *path) {
  double vertices[6 * (MAX_PORTALS + 2)];
  uint8_t counts[MAX_PORTALS + 1];
  uint32_t corners[4 * (MAX_PORTALS + 1)], neighbours[4 * (MAX_PORTALS + 1)], vertex_count = 0, corner_count = 0;
  for (int32_t k = 0; k <= strip->portals; k++) {
    // Each vertex belongs to its side: overlapping strips must not share those of another turn.
    uint32_t r = put_vertex(vertices, &vertex_count, strip->right[k]);
    uint32_t nr = put_vertex(vertices, &vertex_count, strip->right[k + 1]);
    uint32_t nl = put_vertex(vertices, &vertex_count, strip->left[k + 1]);
    uint32_t l = put_vertex(vertices, &vertex_count, strip->left[k]);
    uint32_t first = corner_count, quad[4] = {r, nr, nl, l};
    for (int i = 0; i < 4; i++) {
      if (i && quad[i] == quad[i - 1]) continue;
      if (i == 3 && quad[3] == quad[0]) continue;
      bool ahead = quad[i] == nr && k < strip->portals && (i == 1 || nr == r);
      bool back = quad[i] == l && k > 0;
      neighbours[corner_count] = CR_EDGE_WALL;
      if (back) neighbours[corner_count] = (uint32_t)k - 1;
      if (ahead) neighbours[corner_count] = (uint32_t)k + 1;
      corners[corner_count++] = quad[i];
    }
    counts[k] = (uint8_t)(corner_count - first);
  }
  CrNavMeshParams params = {.origin_x = -1024, .origin_z = -1024, .tile_size = 2048, .climb = 0.5};
  CrTileDescription tile = {.vertex_count = vertex_count,
                            .polygon_count = (uint32_t)strip->portals + 1,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners,
                            .polygon_neighbours = neighbours};
  CrNavMesh *mesh = NULL;
  CrBytes bytes;
  uint32_t slot;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, &slot, NULL));
  cr_bytes_free(&bytes);
  for (int32_t k = 0; k <= strip->portals; k++) path[k] = cr_navmesh_ref(mesh, slot, (uint32_t)k);
  return mesh;
}

// --- Brute force ------------------------------------------------------------------------------------------------------------

static bool on_portal(const Strip *strip, int32_t k, CrVec3 p) {
  CrVec3 l = strip->left[k], r = strip->right[k];
  return cr__dist_xz(p, cr__lerp(l, r, cr__segment_t_xz(l, r, p))) <= 1e-9;
}

// Whether the segment p -> q meets portals i..j (closed).
static bool passes(const Strip *strip, CrVec3 p, CrVec3 q, int32_t i, int32_t j) {
  const double slack = 1e-9;
  double length = cr__dist_xz(p, q);
  for (int32_t k = i; k <= j; k++) {
    if (on_portal(strip, k, p) || on_portal(strip, k, q)) continue;
    double sl = cr__cross_xz(p, q, strip->left[k]) / length, sr = cr__cross_xz(p, q, strip->right[k]) / length;
    if (length < slack || sl < -slack || sr > slack) return false;
  }
  return true;
}

// Length of the shortest way: between any two of start, end and portal ends, straight if it passes the portals between.
static double shortest(const Strip *strip) {
  int32_t n = strip->portals, last = 2 * n + 1;
  CrVec3 points[2 * MAX_PORTALS + 2];
  double best[2 * MAX_PORTALS + 2];
  points[0] = strip->start;
  for (int32_t k = 1; k <= n; k++) points[2 * k - 1] = strip->left[k], points[2 * k] = strip->right[k];
  points[last] = strip->end;
  best[0] = 0.0;
  for (int32_t b = 1; b <= last; b++) {
    best[b] = INFINITY;
    int32_t to = b == last ? n + 1 : (b + 1) / 2;
    for (int32_t a = 0; a < b; a++) {
      int32_t from = (a + 1) / 2;
      if (from == to || !passes(strip, points[a], points[b], from + 1, to - 1)) continue;
      best[b] = fmin(best[b], best[a] + cr__dist_xz(points[a], points[b]));
    }
  }
  return best[last];
}

static double length_of(const CrCorner *corners, int32_t count) {
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) length += cr__dist_xz(corners[i - 1].point, corners[i].point);
  return length;
}

static bool on_polygon(const CrNavMesh *mesh, CrPolyRef ref, CrVec3 p) {
  return cr__polygon_holds(cr__resolve(mesh, ref), cr__ref_polygon(ref), p.x, p.z, 1e-9);
}

static void check_corners(const CrNavMesh *mesh, const Strip *strip, const CrPolyRef *path, const CrCorner *corners,
                          int32_t count) {
  CHECK(count >= 1);
  CHECK(corners[0].flags & CR_CORNER_START && cr__same_point(corners[0].point, strip->start));
  CHECK(corners[count - 1].flags & CR_CORNER_END && cr__near_xz(corners[count - 1].point, strip->end, 1e-8));
  CHECK_INT(corners[count - 1].path_index, strip->portals);
  for (int32_t i = 0; i < count; i++) {
    CHECK(corners[i].ref == path[corners[i].path_index]);
    CHECK(on_polygon(mesh, corners[i].ref, corners[i].point));
    if (i == 0) continue;
    int32_t before = corners[i - 1].path_index, here = corners[i].path_index;
    CHECK(cr__dist_xz(corners[i - 1].point, corners[i].point) > 1e-9);
    CHECK(here >= before);
    // The leg leads through the portals from the polygon entered before to the one entered now.
    CHECK(passes(strip, corners[i - 1].point, corners[i].point, before + 1, here));
    // No portal past the corner holds it.
    if (i + 1 < count && here < strip->portals) {
      CrVec3 l = strip->left[here + 1], r = strip->right[here + 1], c = corners[i].point;
      CHECK(cr__dist_xz(cr__lerp(l, r, cr__segment_t_xz(l, r, c)), c) > 9e-9);
    }
  }
}

static int32_t pull(const CrNavMesh *mesh, const Strip *strip, const CrPolyRef *path, CrCorner *corners,
                    int32_t capacity) {
  int32_t count = -1;
  CHECK_INT(
      cr_query_straight_path(mesh, strip->start, strip->end, path, strip->portals + 1, NULL, corners, capacity, &count),
      CR_STRAIGHT_OK);
  return count;
}

TEST(the_funnel_is_as_short_as_brute_force) {
  int64_t corners_seen = 0, done = 0, tiny = 0, touching = 0, in_line = 0;
  double worst = 0.0;
  uint64_t seed = 21;
  for (int64_t i = check_scaled(155000); i > 0; i--) {
    Strip strip;
    CrPolyRef path[MAX_PORTALS + 1], mirrored_path[MAX_PORTALS + 1];
    CrCorner corners[MAX_PORTALS + 3], other[MAX_PORTALS + 3];
    check_seed = seed;
    if (!make_strip(&strip, &seed)) continue;
    CrNavMesh *mesh = mesh_of(&strip, path);
    int32_t count = pull(mesh, &strip, path, corners, MAX_PORTALS + 3);
    check_corners(mesh, &strip, path, corners, count);
    double expected = shortest(&strip), length = length_of(corners, count);
    CHECK_NEAR(length, expected, 1e-9 * (1.0 + expected));
    worst = fmax(worst, fabs(length - expected));
    corners_seen += count - 2;
    done++;
    for (int32_t k = 1; k <= strip.portals; k++) {
      tiny += cr__dist_xz(strip.left[k], strip.right[k]) < 2e-4;
      if (k == 1) continue;
      touching +=
          cr__same_point(strip.left[k], strip.left[k - 1]) || cr__same_point(strip.right[k], strip.right[k - 1]);
      in_line += turn_of(strip.left[k - 1], strip.right[k - 1], strip.left[k]) == 0.0 ||
                 turn_of(strip.left[k - 1], strip.right[k - 1], strip.right[k]) == 0.0;
    }
    Strip reflection = mirror_strip(&strip);
    CrNavMesh *mirrored_mesh = mesh_of(&reflection, mirrored_path);
    CHECK_INT(pull(mirrored_mesh, &reflection, mirrored_path, other, MAX_PORTALS + 3), count);
    for (int32_t k = 0; k < count; k++) {
      CHECK(cr__same_point(other[k].point, mirrored(corners[k].point)));
      CHECK(other[k].path_index == corners[k].path_index && other[k].flags == corners[k].flags);
    }
    cr_navmesh_destroy(mesh);
    cr_navmesh_destroy(mirrored_mesh);
  }
  printf("  portals: %lld touch the one before, %lld have an end in line with it, %lld are narrower than 0.0002\n",
         (long long)touching, (long long)in_line, (long long)tiny);
  CHECK(tiny > done / 20);
  printf("  %lld corridors, %.2f bends each, worst length difference %.2g\n", (long long)done,
         (double)corners_seen / (double)done, worst);
  CHECK(done > check_scaled(85000) && corners_seen > done / 2);
}

TEST(a_short_buffer_gets_the_first_corners) {
  uint64_t seed = 22;
  int64_t truncated = 0;
  for (int64_t i = check_scaled(5000); i > 0; i--) {
    Strip strip;
    CrPolyRef path[MAX_PORTALS + 1];
    CrCorner whole[MAX_PORTALS + 3], part[MAX_PORTALS + 3];
    check_seed = seed;
    if (!make_strip(&strip, &seed)) continue;
    CrNavMesh *mesh = mesh_of(&strip, path);
    int32_t count = pull(mesh, &strip, path, whole, MAX_PORTALS + 3), written;
    for (int32_t capacity = 2; capacity <= count + 1; capacity++) {
      CrStraightPathOutcome outcome =
          cr_query_straight_path(mesh, strip.start, strip.end, path, strip.portals + 1, NULL, part, capacity, &written);
      CHECK_INT(outcome, capacity < count ? CR_STRAIGHT_TRUNCATED : CR_STRAIGHT_OK);
      CHECK_INT(written, capacity < count ? capacity : count);
      for (int32_t k = 0; k < written; k++) {
        CHECK(cr__same_point(part[k].point, whole[k].point) && part[k].flags == whole[k].flags);
        CHECK(part[k].ref == whole[k].ref && part[k].path_index == whole[k].path_index);
      }
      truncated += outcome == CR_STRAIGHT_TRUNCATED;
    }
    cr_navmesh_destroy(mesh);
  }
  CHECK(truncated > check_scaled(1000));
}

// --- Meshes -------------------------------------------------------------------------------------------------------------------

static CrPolyRef at(const CrNavMeshQuery *query, double x, double y, double z, CrVec3 *out) {
  CrNearestPoly nearest;
  REQUIRE_OK(cr_query_nearest_poly(query, cr__vec(x, y, z), cr__vec(0.01, 1, 0.01), NULL, &nearest, NULL));
  *out = cr__vec(x, nearest.point.y, z);
  return nearest.ref;
}

TEST(a_clear_way_is_one_line_across_tiles) {
  CrNavMesh *mesh = world_from_map_merged("........\n........\n........\n........", 1.0, 3, 2, NULL);
  CrNavMeshQuery *query = NULL;
  CrQueryOptions options = {1024, CR_NODE_MODEL_CROSSING, false};
  REQUIRE_OK(cr_query_create(mesh, &options, NULL, &query, NULL));
  uint64_t seed = 4;
  for (int i = 0; i < 2000; i++) {
    CrPolyRef a, b, path[64];
    check_seed = seed;
    CrVec3 start = world_random_point(mesh, &seed, &a), end = world_random_point(mesh, &seed, &b);
    CrPathResult result;
    CHECK_OK(cr_query_find_path(query, a, start, b, end, NULL, path, 64, &result, NULL));
    CrCorner corners[16];
    int32_t count;
    CHECK_INT(cr_query_straight_path(mesh, start, end, path, result.count, NULL, corners, 16, &count), CR_STRAIGHT_OK);
    CHECK_INT(count, cr__near_xz(start, end, 1e-8) ? 1 : 2);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

// Two rows of cells with nothing between, x 0..4, z 0..1 and 2..3 (`joined`: also a cell between them at x 0..1), and links.
static CrNavMesh *linked_rows(bool joined, const CrOffMeshLink *links, uint32_t link_count) {
  static const double vertices[] = {0, 0, 0, 4, 0, 0, 4, 0, 1, 1, 0, 1, 0, 0, 1,
                                    0, 0, 2, 1, 0, 2, 4, 0, 2, 4, 0, 3, 0, 0, 3};
  static const uint8_t counts[] = {5, 5, 4};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, 3, 6, 5};
  CrNavMeshParams params = {.tile_size = 8, .climb = 0.5};
  CrTileDescription tile = {.vertex_count = 10,
                            .polygon_count = joined ? 3 : 2,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners,
                            .off_mesh_count = link_count,
                            .off_mesh_links = links};
  CrNavMesh *mesh = NULL;
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  REQUIRE_OK(cr_tile_encode(&params, &tile, NULL, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  return mesh;
}

TEST(an_off_mesh_link_gives_entry_and_exit) {
  CrOffMeshLink link = {{3.5, 0, 0.5}, {0.5, 0, 2.5}, 0.25, 9, 1, 0, 0};
  CrNavMesh *mesh = linked_rows(false, &link, 1);
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, NULL, NULL, &query, NULL));
  CrVec3 start, end;
  CrPolyRef path[4] = {at(query, 0.5, 0, 0.5, &start), at(query, 3.5, 0, 2.5, &end)}, found[4];
  CrCorner corners[8];
  int32_t count;
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, 2, NULL, corners, 8, &count), CR_STRAIGHT_OK);
  CHECK_INT(count, 4);
  CHECK_INT(corners[1].flags, CR_CORNER_OFF_MESH);
  CHECK(cr__near_xz(corners[1].point, cr__vec(3.5, 0, 0.5), 1e-12) && corners[1].path_index == 0);
  CHECK(corners[1].ref == path[0] && corners[2].ref == path[1] && corners[2].path_index == 1);
  CHECK(cr__near_xz(corners[2].point, cr__vec(0.5, 0, 2.5), 1e-12) && corners[2].flags == 0);
  CHECK_INT(corners[3].flags, CR_CORNER_END);
  // Standing at the entry: start and entry are one corner.
  CHECK_INT(cr_query_straight_path(mesh, corners[1].point, end, path, 2, NULL, corners, 8, &count), CR_STRAIGHT_OK);
  CHECK_INT(count, 3);
  CHECK_INT(corners[0].flags, CR_CORNER_START | CR_CORNER_OFF_MESH);
  // Ending at the exit.
  CHECK_INT(cr_query_straight_path(mesh, start, cr__vec(0.5, 0, 2.5), path, 2, NULL, corners, 8, &count),
            CR_STRAIGHT_OK);
  CHECK_INT(count, 3);
  CHECK_INT(corners[2].flags, CR_CORNER_END);
  // The way back does not exist; the search agrees.
  CrPolyRef back[2] = {path[1], path[0]};
  CHECK_INT(cr_query_straight_path(mesh, end, start, back, 2, NULL, corners, 8, &count), CR_STRAIGHT_INVALID_CORRIDOR);
  CHECK_INT(count, 0);
  CrPathResult result;
  CHECK_OK(cr_query_find_path(query, path[0], start, path[1], end, NULL, found, 4, &result, NULL));
  CHECK(result.outcome == CR_PATH_SUCCESS && result.count == 2);
  CHECK_OK(cr_query_find_path(query, path[1], end, path[0], start, NULL, found, 4, &result, NULL));
  CHECK_INT(result.outcome, CR_PATH_PARTIAL);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(a_links_own_flags_are_filtered) {
  CrOffMeshLink link = {{3.5, 0, 0.5}, {0.5, 0, 2.5}, 0.25, 9, 4, 0, 1};
  CrNavMesh *mesh = linked_rows(false, &link, 1);
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, NULL, NULL, &query, NULL));
  CrVec3 start, end;
  CrPolyRef path[2] = {at(query, 0.5, 0, 0.5, &start), at(query, 3.5, 0, 2.5, &end)}, found[4];
  CrQueryFilter filter = cr_query_filter_default();
  CrCorner corners[8];
  CrPathResult result;
  int32_t count;
  for (int excluded = 0; excluded < 2; excluded++) {
    filter.exclude_flags = excluded ? 4 : 2;
    CHECK_OK(cr_query_find_path(query, path[0], start, path[1], end, &filter, found, 4, &result, NULL));
    CHECK_INT(result.outcome, excluded ? CR_PATH_PARTIAL : CR_PATH_SUCCESS);
    CHECK_INT(cr_query_straight_path(mesh, start, end, path, 2, &filter, corners, 8, &count),
              excluded ? CR_STRAIGHT_INVALID_CORRIDOR : CR_STRAIGHT_OK);
    CHECK(cr__connected(mesh, path[0], path[1], &filter) == !excluded);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(of_several_links_the_cheapest_is_taken) {
  // Lengths 3.6, 2 and 1 by areas 0, 1 and 2; the shortest has a flag of its own.
  CrOffMeshLink links[] = {{{3.5, 0, 0.5}, {0.5, 0, 2.5}, 0.25, 1, 1, 0, 1},
                           {{2.5, 0, 0.5}, {2.5, 0, 2.5}, 0.25, 2, 1, 1, 1},
                           {{1.5, 0, 1.0}, {1.5, 0, 2.0}, 0.25, 3, 8, 2, 1}};
  CrNavMesh *mesh = linked_rows(false, links, 3);
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, NULL, NULL, &query, NULL));
  CrVec3 start, end;
  CrPolyRef path[2] = {at(query, 0.5, 0, 0.5, &start), at(query, 3.5, 0, 2.5, &end)}, found[4];
  const struct {
    double costs[3];
    uint16_t excluded;
    double entry_x;
  } cases[] = {{{1, 1, 1}, 0, 1.5}, {{1, 1, 1}, 8, 2.5}, {{1, 1, 3}, 0, 2.5}, {{1, 5, 5}, 0, 3.5}, {{1, 5, 9}, 8, 3.5}};
  for (size_t i = 0; i < CR_COUNT_OF(cases); i++) {
    CrQueryFilter filter = cr_query_filter_default();
    for (int area = 0; area < 3; area++) filter.area_cost[area] = cases[i].costs[area];
    filter.exclude_flags = cases[i].excluded;
    for (int back = 0; back < 2; back++) {
      CrPolyRef way[2] = {path[back], path[!back]};
      CrCorner corners[8];
      int32_t count;
      CHECK_INT(
          cr_query_straight_path(mesh, back ? end : start, back ? start : end, way, 2, &filter, corners, 8, &count),
          CR_STRAIGHT_OK);
      const CrCorner *lower = &corners[back ? 2 : 1];  // the link's end in the first row
      CHECK_INT(corners[1].flags, CR_CORNER_OFF_MESH);
      CHECK_NEAR(lower->point.x, cases[i].entry_x, 1e-12);
    }
    CrPathResult result;
    CHECK_OK(cr_query_find_path(query, path[0], start, path[1], end, &filter, found, 4, &result, NULL));
    CHECK(result.outcome == CR_PATH_SUCCESS && result.count == 2);
  }
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(the_surface_comes_before_a_link) {
  // A free link from the row into the cell it touches is no way: walking is the way between these two.
  CrOffMeshLink link = {{3.5, 0, 0.5}, {0.5, 0, 1.5}, 0.25, 1, 1, 5, 1};
  CrNavMesh *mesh = linked_rows(true, &link, 1);
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, NULL, NULL, &query, NULL));
  CrVec3 start, end;
  CrPolyRef path[2] = {at(query, 3.5, 0, 0.5, &start), at(query, 0.5, 0, 1.5, &end)};
  CrQueryFilter filter = cr_query_filter_default();
  filter.area_cost[5] = 1e-3;
  CrCorner corners[8];
  int32_t count;
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, 2, &filter, corners, 8, &count), CR_STRAIGHT_OK);
  for (int32_t i = 0; i < count; i++) CHECK(!(corners[i].flags & CR_CORNER_OFF_MESH));
  const CrTile *tile = cr__resolve(mesh, path[0]);
  CHECK_INT(cr__way_between(mesh, tile, cr__ref_polygon(path[0]), path[1], &filter).kind, CR_WAY_EDGE);
  CHECK(tile->link_count == 2);
  CrWayList ways = cr__ways(mesh, tile, cr__ref_polygon(path[0]), &filter);
  CrWay way;
  CHECK(cr__next_way(&ways, &way) && way.kind == CR_WAY_EDGE && way.target == path[1]);
  CHECK(!cr__next_way(&ways, &way));
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST(edges_side_by_side_at_a_seam_are_one_way) {
  // Both polygons have four corners on the seam x = 4; the numbers of the edges there go round the end of the list, for every
  // rotation. The way between them is the whole seam, and a straight line through any part of it has no corner.
  for (int rotation = 0; rotation < 12; rotation++) {
    TileKit *kit = malloc(sizeof *kit);
    CrNavMesh *mesh = NULL;
    CrNavMeshParams params = {.tile_size = 4, .climb = 0.5};
    REQUIRE(kit != NULL);
    REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
    static const double left[7][2] = {{4, 0.5}, {4, 1.5}, {4, 2}, {4, 3}, {4, 3.5}, {2, 3.5}, {2, 0.5}};
    for (int t = 0; t < 2; t++) {
      double corners[21];
      for (int k = 0; k < 7; k++) {
        // The right polygon is the left one turned about the seam.
        const double *c = left[(k + rotation) % 7];
        int at = 3 * (t ? 6 - k : k);
        corners[at] = t ? 8 - c[0] : c[0];
        corners[at + 1] = 0;
        corners[at + 2] = c[1];
      }
      kit_begin(kit, t, 0, 0);
      kit_polygon(kit, 7, corners);
      kit_add(kit, mesh);
    }
    CrPolyRef path[2] = {cr_navmesh_ref(mesh, 0, 0), cr_navmesh_ref(mesh, 1, 0)};
    for (int back = 0; back < 2; back++) {
      CrWay way = cr__way_between(mesh, cr__resolve(mesh, path[back]), 0, path[!back], NULL);
      CHECK_INT(way.kind, CR_WAY_PORTAL);
      CHECK(fmin(way.a.z, way.b.z) == 0.5 && fmax(way.a.z, way.b.z) == 3.5);
    }
    for (int k = 0; k < 30; k++) {
      CrCorner corners[8];
      int32_t count;
      double z = 0.55 + 0.1 * k;
      if (z > 3.5) break;
      CHECK_INT(cr_query_straight_path(mesh, cr__vec(3, 0, z), cr__vec(5, 0, z), path, 2, NULL, corners, 8, &count),
                CR_STRAIGHT_OK);
      CHECK_INT(count, 2);
    }
    free(kit);
    cr_navmesh_destroy(mesh);
  }
}

// Between this polygon and one of its neighbours, or any other.
static bool check_edge_between(const CrNavMesh *mesh, CrPolyRef from, CrPolyRef to) {
  const CrTile *tile = cr__resolve(mesh, from);
  CrVec3 a, b;
  CrWay way = cr__way_between(mesh, tile, cr__ref_polygon(from), to, NULL);
  bool found = cr__edge_between(mesh, tile, cr__ref_polygon(from), to, &a, &b);
  CHECK_INT(found, way.kind == CR_WAY_EDGE);
  if (found) CHECK(cr__same_point(a, way.a) && cr__same_point(b, way.b));
  return found;
}

TEST(ways_over_edges_are_those_between_polygons) {
  int64_t found = 0, others = 0;
  for (int number = 0; number < 30; number++) {
    CrNavMesh *mesh = world_number(number);
    uint64_t seed = check_seed = 700 + (uint64_t)number;
    for (int64_t i = check_scaled(1500); i > 0; i--) {
      CrPolyRef from, to;
      world_random_point(mesh, &seed, &from);
      world_random_point(mesh, &seed, &to);
      const CrTile *tile = cr__resolve(mesh, from);
      others += !check_edge_between(mesh, from, to);
      others += !check_edge_between(mesh, from, to ^ (UINT64_C(1) << 48));  // of a tile that was there before
      for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, cr__ref_polygon(from)); k++) {
        uint32_t neighbour = tile->corner_neighbour[tile->polygon_first[cr__ref_polygon(from)] + k];
        if (!cr__is_neighbour_polygon(neighbour)) continue;
        CHECK(check_edge_between(mesh, from, cr__tile_ref(mesh, tile, neighbour)));
        found++;
      }
    }
    cr_navmesh_destroy(mesh);
  }
  printf("  %lld ways over edges, %lld pairs without\n", (long long)found, (long long)others);
  CHECK(found > check_scaled(50000) && others > check_scaled(40000));
}

TEST(broken_corridors_are_refused) {
  CrNavMesh *mesh = world_from_map("....\n#..#\n....", 1.0, 2, NULL);
  CrNavMeshQuery *query = NULL;
  REQUIRE_OK(cr_query_create(mesh, NULL, NULL, &query, NULL));
  CrVec3 start, end;
  CrPolyRef a = at(query, 0.5, 0, 0.5, &start), b = at(query, 3.5, 0, 2.5, &end), path[32];
  CrPathResult result;
  REQUIRE_OK(cr_query_find_path(query, a, start, b, end, NULL, path, 32, &result, NULL));
  REQUIRE(result.outcome == CR_PATH_SUCCESS && result.count > 4);
  CrCorner corners[8];
  int32_t count;
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, result.count, NULL, corners, 8, &count), CR_STRAIGHT_OK);
  CHECK_INT(count, 2);
  CrPolyRef kept = path[2];
  path[2] = a;
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, result.count, NULL, corners, 8, &count),
            CR_STRAIGHT_INVALID_CORRIDOR);
  path[2] = kept ^ (CrPolyRef)1 << 60;
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, result.count, NULL, corners, 8, &count),
            CR_STRAIGHT_INVALID_CORRIDOR);
  CHECK_INT(count, 0);
  CHECK_INT(cr_query_straight_path(mesh, start, end, path, 0, NULL, corners, 8, &count), CR_STRAIGHT_INVALID_CORRIDOR);
  CHECK_INT(cr_query_straight_path(mesh, start, end, (CrPolyRef[]){0}, 1, NULL, corners, 8, &count),
            CR_STRAIGHT_INVALID_CORRIDOR);
  cr_query_destroy(query);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(the_funnel_is_as_short_as_brute_force), RUN(a_short_buffer_gets_the_first_corners),
          RUN(a_clear_way_is_one_line_across_tiles), RUN(an_off_mesh_link_gives_entry_and_exit),
          RUN(a_links_own_flags_are_filtered), RUN(of_several_links_the_cheapest_is_taken),
          RUN(the_surface_comes_before_a_link), RUN(edges_side_by_side_at_a_seam_are_one_way),
          RUN(ways_over_edges_are_those_between_polygons), RUN(broken_corridors_are_refused))
