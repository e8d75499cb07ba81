// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The funnel against brute force on corridors of real meshes: seams with partial portals, corners in the middle of edges, portals
// that touch, lie on one line or are very short, off-mesh links, ends on portals, vertices and edges; and on their mirror images,
// where the string is the mirror image, bit for bit in x and z.
#include "hard_worlds.h"
#include "mirror.h"

#define MAX_PORTALS 16

// Portals of a chain of polygons. An off-mesh link is two portals of no width, entry and exit.
typedef struct Chain {
  CrPolyRef path[MAX_PORTALS + 1];
  int32_t count;  // polygons
  CrWay ways[MAX_PORTALS];
  CrVec3 start, end;
} Chain;

static CrWay way_on(const CrNavMesh *mesh, CrPolyRef from, CrPolyRef to) {
  return cr__way_between(mesh, cr__resolve(mesh, from), cr__ref_polygon(from), to, NULL);
}

// A random walk over ways that never turns straight back; half of the walks never come to a polygon again.
static bool make_chain(const CrNavMesh *mesh, Chain *chain, uint64_t *seed) {
  int32_t wanted = 1 + rnd_int(seed, MAX_PORTALS);
  bool simple = rnd_int(seed, 2);
  world_random_point(mesh, seed, &chain->path[0]);
  for (chain->count = 1; chain->count <= wanted; chain->count++) {
    CrPolyRef here = chain->path[chain->count - 1], next = 0;
    CrWayList ways = cr__ways(mesh, cr__resolve(mesh, here), cr__ref_polygon(here), NULL);
    int32_t seen = 0;
    for (CrWay way; cr__next_way(&ways, &way);) {
      bool again = chain->count > 1 && way.target == chain->path[chain->count - 2];
      for (int32_t i = 0; simple && i < chain->count; i++) again = again || chain->path[i] == way.target;
      if (!again && rnd_int(seed, ++seen) == 0) next = way.target;
    }
    if (!next) break;
    chain->path[chain->count] = next;
    chain->ways[chain->count - 1] = way_on(mesh, here, next);
  }
  if (chain->count > wanted + 1) chain->count = wanted + 1;
  return chain->count >= 2;
}

static CrVec3 place_in(const CrNavMesh *mesh, CrPolyRef ref, const CrWay *way, uint64_t *seed) {
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  uint32_t k = (uint32_t)rnd_int(seed, (int32_t)info.vertex_count), next = (k + 1) % info.vertex_count;
  CrVec3 a = info.vertices[k], b = info.vertices[next], c = info.vertices[(k + 2) % info.vertex_count], p;
  switch (rnd_int(seed, 6)) {
    case 0:
      p = a;
      break;
    case 1:
      p = cr__lerp(a, b, rnd_unit(seed));
      break;
    case 2:
      p = rnd_int(seed, 2) ? way->a : way->b;
      break;
    case 3:
      p = cr__lerp(way->a, way->b, 0.5);
      break;
    default:
      p = cr__lerp(a, b, rnd_unit(seed));
      p = cr__lerp(p, c, rnd_unit(seed));
  }
  CHECK_OK(cr_query_closest_point(mesh, ref, p, &p, NULL));
  return p;
}

// --- Brute force ------------------------------------------------------------------------------------------------------------

typedef struct Portals {
  CrVec3 left[2 * MAX_PORTALS + 1], right[2 * MAX_PORTALS + 1];  // 1..count
  bool exit[2 * MAX_PORTALS + 1];                                // reached from the one before by the link
  int32_t count;
} Portals;

static Portals portals_of(const Chain *chain) {
  Portals out = {.count = 0};
  for (int32_t k = 0; k + 1 < chain->count; k++) {
    const CrWay *way = &chain->ways[k];
    int32_t at = ++out.count;
    bool link = way->kind == CR_WAY_OFF_MESH;
    out.exit[at] = false;
    out.right[at] = way->a;
    out.left[at] = link ? way->a : way->b;
    if (!link) continue;
    at = ++out.count;
    out.left[at] = out.right[at] = way->b;
    out.exit[at] = true;
  }
  return out;
}

static bool on_portal(const Portals *p, int32_t k, CrVec3 q, double slack) {
  return cr__dist_xz(q, cr__lerp(p->left[k], p->right[k], cr__segment_t_xz(p->left[k], p->right[k], q))) <= slack;
}

// Whether the segment meets portals i..j in their order.
static bool passes(const Portals *p, CrVec3 from, CrVec3 to, int32_t i, int32_t j, double slack) {
  double length = cr__dist_xz(from, to), share = 0.0, here;
  for (int32_t k = i; k <= j; k++) {
    if (p->exit[k]) return false;
    if (length <= slack) {
      if (!on_portal(p, k, from, 2 * slack)) return false;
      continue;
    }
    double l = cr__cross_xz(from, to, p->left[k]) / length, r = cr__cross_xz(from, to, p->right[k]) / length;
    if (on_portal(p, k, from, slack) && share <= 4 * slack) continue;
    if (on_portal(p, k, to, slack)) {
      share = length;
      continue;
    }
    if (l < -slack || r > slack) return false;
    // The part of the segment on the portal: a point, or all of the two that is in common when they lie on one line.
    double dx = (to.x - from.x) / length, dz = (to.z - from.z) / length;
    double near = (p->left[k].x - from.x) * dx + (p->left[k].z - from.z) * dz;
    double far = (p->right[k].x - from.x) * dx + (p->right[k].z - from.z) * dz;
    if (fabs(l) > slack || fabs(r) > slack) near = far = near + (far - near) * cr__clamp(l / (l - r), 0.0, 1.0);
    if (near > far) here = near, near = far, far = here;
    if (near > length + slack || far < -slack || far < share - 4 * slack) return false;
    share = fmax(share, near);
  }
  return true;
}

// Length of the shortest way: between any two of start, portal ends and end, straight where it passes the portals between.
static double shortest(const Portals *p, CrVec3 start, CrVec3 end, double slack) {
  CrVec3 points[4 * MAX_PORTALS + 2];
  double best[4 * MAX_PORTALS + 2];
  int32_t last = 2 * p->count + 1;
  points[0] = start;
  for (int32_t k = 1; k <= p->count; k++) points[2 * k - 1] = p->left[k], points[2 * k] = p->right[k];
  points[last] = end;
  best[0] = 0.0;
  for (int32_t b = 1; b <= last; b++) {
    int32_t to = b == last ? p->count + 1 : (b + 1) / 2;
    best[b] = INFINITY;
    for (int32_t a = 0; a < b; a++) {
      int32_t from = (a + 1) / 2;
      bool link = to <= p->count && p->exit[to] && from == to - 1;
      if (from == to || best[a] == INFINITY) continue;
      if (!link && to <= p->count && p->exit[to]) continue;
      if (!link && !passes(p, points[a], points[b], from + 1, to - 1, slack)) continue;
      best[b] = fmin(best[b], best[a] + cr__dist_xz(points[a], points[b]));
    }
  }
  return best[last];
}

// --- The string -----------------------------------------------------------------------------------------------------------

typedef struct Tally {
  int64_t chains, bends, links, touching, in_line, shortish, mirrored, other_ways;
  double worst;
} Tally;

static int32_t pull(const CrNavMesh *mesh, const Chain *chain, CrCorner *corners) {
  int32_t count = 0;
  CHECK_INT(cr_query_straight_path(mesh, chain->start, chain->end, chain->path, chain->count, NULL, corners,
                                   3 * MAX_PORTALS, &count),
            CR_STRAIGHT_OK);
  return count;
}

static void count_kinds(const Chain *chain, Tally *tally) {
  for (int32_t k = 0; k + 1 < chain->count; k++) {
    const CrWay *way = &chain->ways[k];
    tally->links += way->kind == CR_WAY_OFF_MESH;
    tally->shortish += cr__dist_xz(way->a, way->b) < 0.02;
    if (k == 0) continue;
    const CrWay *before = way - 1;
    tally->touching += cr__near_xz(way->a, before->a, 1e-8) || cr__near_xz(way->b, before->b, 1e-8);
    double scale = 1e-9 * cr__dist_xz(before->a, before->b) * (1.0 + cr__dist_xz(before->a, way->a));
    tally->in_line += fabs(cr__cross_xz(before->a, before->b, way->a)) < scale &&
                      fabs(cr__cross_xz(before->a, before->b, way->b)) < scale;
  }
}

static void check_corners(const CrNavMesh *mesh, const Chain *chain, const CrCorner *corners, int32_t count) {
  double slack = world_slack(mesh);
  CHECK(count >= 1 && corners[0].flags & CR_CORNER_START && cr__same_point(corners[0].point, chain->start));
  CHECK(corners[count - 1].flags & CR_CORNER_END && cr__near_xz(corners[count - 1].point, chain->end, 1e-8));
  CHECK_INT(corners[count - 1].path_index, chain->count - 1);
  for (int32_t i = 0; i < count; i++) {
    const CrCorner *c = &corners[i];
    CHECK(c->path_index >= 0 && c->path_index < chain->count && c->ref == chain->path[c->path_index]);
    CHECK(cr__polygon_holds(cr__resolve(mesh, c->ref), cr__ref_polygon(c->ref), c->point.x, c->point.z, 1e-8 + slack));
    if (i == 0) continue;
    CHECK(c->path_index >= c[-1].path_index);
    // No point twice, but where a link leads straight up or a storey apart.
    bool again = cr__near_xz(c->point, c[-1].point, 1e-8) && fabs(c->point.y - c[-1].point.y) <= 1e-8;
    CHECK(!again);
    if (c->flags == 0 && !(c[-1].flags & CR_CORNER_OFF_MESH)) {
      CHECK(c->path_index + 1 >= chain->count || chain->ways[c->path_index].kind == CR_WAY_OFF_MESH ||
            cr__dist_xz(
                cr__nearest_on_portal(chain->ways[c->path_index].a, chain->ways[c->path_index].b, c->point, c->point),
                c->point) > 0.5e-8);
    }
  }
}

static double length_of(const CrCorner *corners, int32_t count) {
  double length = 0.0;
  for (int32_t i = 1; i < count; i++) length += cr__dist_xz(corners[i - 1].point, corners[i].point);
  return length;
}

static Chain mirror_chain(Mirror m, const CrNavMesh *mesh, const Chain *chain, bool *same_ways) {
  Chain out = *chain;
  out.start = mirror_point(m, chain->start);
  out.end = mirror_point(m, chain->end);
  *same_ways = true;
  for (int32_t k = 0; k + 1 < chain->count; k++) {
    const CrWay *way = &chain->ways[k], *image = &out.ways[k];
    out.ways[k] = way_on(mesh, chain->path[k], chain->path[k + 1]);
    bool swap = turns(m) && way->kind != CR_WAY_OFF_MESH;
    CrVec3 a = mirror_point(m, swap ? way->b : way->a), b = mirror_point(m, swap ? way->a : way->b);
    *same_ways = *same_ways && image->kind == way->kind && image->a.x == a.x && image->a.z == a.z &&
                 image->b.x == b.x && image->b.z == b.z;
  }
  return out;
}

static void compare_mirrored(Mirror m, const CrNavMesh *image, const Chain *chain, const CrCorner *corners,
                             int32_t count, Tally *tally) {
  bool same_ways;
  Chain reflected = mirror_chain(m, image, chain, &same_ways);
  // Links whose ends have several equally near places, and polygons joined in two places apart, may join elsewhere.
  if (!same_ways) {
    tally->other_ways++;
    return;
  }
  CrCorner other[3 * MAX_PORTALS];
  int32_t found = pull(image, &reflected, other);
  CHECK_INT(found, count);
  for (int32_t k = 0; k < found && found == count; k++) {
    CrVec3 p = mirror_point(m, corners[k].point);
    CHECK(other[k].point.x == p.x && other[k].point.z == p.z);
    CHECK(other[k].path_index == corners[k].path_index && other[k].flags == corners[k].flags);
  }
  tally->mirrored++;
}

static void compare_chain(const CrNavMesh *mesh, const Chain *chain, CrNavMesh *const images[3], Tally *tally) {
  static const Mirror mirrors[3] = {{true, false}, {false, true}, {true, true}};
  CrCorner corners[3 * MAX_PORTALS];
  int32_t count = pull(mesh, chain, corners);
  Portals portals = portals_of(chain);
  check_corners(mesh, chain, corners, count);
  double slack = 1e-9 + world_slack(mesh), expected = shortest(&portals, chain->start, chain->end, slack);
  double length = length_of(corners, count);
  // Every portal passed within the slack may shorten the way by about it.
  bool right = fabs(length - expected) <= 20 * slack + 1e-9 * length;
  CHECK(right);
  if (!right && check_failures < 10) {
    printf("  %.9g long, expected %.9g\n", length, expected);
    for (int32_t k = 0; k + 1 < chain->count; k++) {
      printf("    way %d (%.9g %.9g) (%.9g %.9g)\n", chain->ways[k].kind, chain->ways[k].a.x, chain->ways[k].a.z,
             chain->ways[k].b.x, chain->ways[k].b.z);
    }
    for (int32_t k = 0; k < count; k++)
      printf("    corner %.9g %.9g at %d\n", corners[k].point.x, corners[k].point.z, corners[k].path_index);
  }
  tally->worst = fmax(tally->worst, fabs(length - expected) / (1.0 + length));
  tally->bends += count - 2;
  tally->chains++;
  count_kinds(chain, tally);
  for (int i = 0; i < 3; i++) compare_mirrored(mirrors[i], images[i], chain, corners, count, tally);
}

TEST(strings_through_meshes_are_as_short_as_brute_force) {
  static const Mirror mirrors[3] = {{true, false}, {false, true}, {true, true}};
  Tally tally = {0};
  const int worlds = 20 + HARD_WORLDS;
  for (int number = 0; number < worlds; number++) {
    CrNavMesh *mesh = number < 20 ? world_number(number) : hard_world(number - 20), *images[3];
    for (int i = 0; i < 3; i++) images[i] = mirror_mesh(mirrors[i], mesh);
    uint64_t seed = 1200 + (uint64_t)number;
    for (int64_t i = check_scaled(100000) / worlds; i > 0; i--) {
      Chain chain;
      check_seed = seed;
      if (!make_chain(mesh, &chain, &seed)) continue;
      chain.start = place_in(mesh, chain.path[0], &chain.ways[0], &seed);
      chain.end = place_in(mesh, chain.path[chain.count - 1], &chain.ways[chain.count - 2], &seed);
      compare_chain(mesh, &chain, images, &tally);
    }
    for (int i = 0; i < 3; i++) cr_navmesh_destroy(images[i]);
    cr_navmesh_destroy(mesh);
  }
  printf(
      "  %lld corridors, %lld bends, %lld links; portals: %lld touch the one before, %lld lie in line with it, %lld "
      "shorter than"
      " 0.02\n",
      (long long)tally.chains, (long long)tally.bends, (long long)tally.links, (long long)tally.touching,
      (long long)tally.in_line, (long long)tally.shortish);
  printf("  worst difference of length %.2g; %lld mirrored strings the same, %lld left out (other ways)\n", tally.worst,
         (long long)tally.mirrored, (long long)tally.other_ways);
  CHECK(tally.chains > check_scaled(60000) && tally.bends > tally.chains / 2 && tally.other_ways * 50 < tally.mirrored);
}

TEST_MAIN(RUN(strings_through_meshes_are_as_short_as_brute_force))
