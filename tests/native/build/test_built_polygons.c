// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Every polygon of every level, built whole and in tiles with each partition: convex and with area (exactly, on the grid's integers), simplified within the
// limits, its surface within the detail error of the floors at the places where it is sampled, joined to its neighbours at equal corners, over no other polygon
// of its storey, and at tile borders with corners of equal bits.
#include <math.h>

#include "builder_internal.h"
#include "check.h"
#include "levels.h"
#include "navmesh_internal.h"
#include "worlds.h"

typedef struct Figures {
  uint64_t polygons, arcs, samples, full, pairs, border_corners;
  double worst_outline, worst_edge, worst_detail;  // shares of their limits; detail in cell heights over the limit
} Figures;

// --- On the grid ------------------------------------------------------------------------------------------------------

static const CrOutlineCorner *corner_at(const CrOutlines *o, uint32_t corner) {
  return &o->boundary.vertices[o->mesh.corner_vertex[corner]];
}

// All corners on the left of every edge or on its line, and a turn somewhere.
static void check_convex(const CrOutlines *o, uint32_t first, uint32_t count) {
  int64_t area2 = 0;
  for (uint32_t k = 0; k < count; k++) {
    const CrOutlineCorner *a = corner_at(o, first + k), *b = corner_at(o, first + (k + 1) % count);
    CHECK(a->x != b->x || a->z != b->z);
    area2 += (int64_t)a->x * b->z - (int64_t)a->z * b->x;
    for (uint32_t i = 0; i < count; i++) {
      const CrOutlineCorner *c = corner_at(o, first + i);
      CHECK(cr__turn(a->x, a->z, b->x, b->z, c->x, c->z) >= 0);
    }
  }
  CHECK(area2 > 0);
}

static double distance_to_segment(const CrOutlineCorner *p, const CrOutlineCorner *a, const CrOutlineCorner *b) {
  double dx = b->x - a->x, dz = b->z - a->z, px = p->x - a->x, pz = p->z - a->z, l2 = dx * dx + dz * dz;
  double t = l2 > 0 ? fmax(0, fmin(1, (px * dx + pz * dz) / l2)) : 0;
  return hypot(px - t * dx, pz - t * dz);
}

static bool is_free_boundary(const CrOutlines *o, const CrArc *arc) {
  return arc->behind != CR_BEHIND_WALL && !(arc->behind & CR_BEHIND_BORDER) &&
         o->pieces.area[arc->behind] == o->pieces.area[arc->piece];
}

// Raw vertices are within the error of the segment that took their place, walls no longer than they may be.
static void check_arc(const CrOutlines *o, const CrArc *arc, const CrBuildSettings *settings, Figures *f) {
  double error = settings->contour_max_error / settings->cell_size,
         longest = settings->max_edge_length / settings->cell_size;
  const uint32_t *kept = o->arcs.kept + arc->kept, *chain = o->arcs.chain + arc->chain;
  f->arcs++;
  for (uint32_t s = 0; s < arc->segment_count; s++) {
    const CrOutlineCorner *a = &o->boundary.vertices[chain[kept[s]]], *b = &o->boundary.vertices[chain[kept[s + 1]]];
    double length = hypot(b->x - a->x, b->z - a->z);
    if (arc->behind == CR_BEHIND_WALL && longest > 0 && kept[s + 1] - kept[s] > 1) {
      CHECK(length <= longest + 1e-9);
      f->worst_edge = fmax(f->worst_edge, length / longest);
    }
    if (is_free_boundary(o, arc)) continue;
    for (uint32_t at = kept[s] + 1; at < kept[s + 1]; at++) {
      double off = distance_to_segment(&o->boundary.vertices[chain[at]], a, b);
      CHECK(off <= error + 1e-9);
      if (error > 0) f->worst_outline = fmax(f->worst_outline, off / error);
    }
  }
}

typedef struct Patch {
  const CrTileBuild *build;
  const CrOutlines *o;
  uint32_t polygon, first_corner, corners;
  uint32_t first_vertex, first_triangle;
  double distance, error;  // of the detail samples, in cells and in cell heights
} Patch;

// In cells and cell heights of the grid of the tile.
static CrVec3 patch_point(const Patch *p, uint32_t i) {
  const CrGrid *grid = &p->build->open.grid;
  if (i < p->corners) {
    const CrOutlineCorner *c = corner_at(p->o, p->first_corner + i);
    return (CrVec3){c->x, c->y, c->z};
  }
  const double *v = p->o->detail.vertices + 3 * (size_t)(p->first_vertex + i - p->corners);
  return (CrVec3){(v[0] - grid->origin_x) / grid->cell_size - grid->cell_x, (v[1] - grid->origin_y) / grid->cell_height,
                  (v[2] - grid->origin_z) / grid->cell_size - grid->cell_z};
}

static bool patch_height(const Patch *p, double x, double z, double *out) {
  uint32_t count = p->o->detail.triangle_counts[p->polygon];
  for (uint32_t t = 0; t < (count ? count : p->corners - 2); t++) {
    const uint16_t *stored = count ? p->o->detail.triangles + 3 * (size_t)(p->first_triangle + t) : NULL;
    CrVec3 a = patch_point(p, count ? stored[0] : 0), b = patch_point(p, count ? stored[1] : t + 1);
    CrVec3 c = patch_point(p, count ? stored[2] : t + 2), at = {x, 0, z};
    double u = cr__cross_xz(b, c, at), v = cr__cross_xz(c, a, at), w = cr__cross_xz(a, b, at);
    if (u < -1e-7 || v < -1e-7 || w < -1e-7) continue;
    *out = (u * a.y + v * b.y + w * c.y) / (u + v + w);
    return true;
  }
  return false;
}

// The floors of the four columns round a corner of columns: of the polygon's own piece, and of all that an agent steps to from those.
static bool floors_around(const Patch *p, int32_t x, int32_t z, double *own, double *highest) {
  const CrOpenField *field = &p->build->open;
  uint32_t piece = p->o->mesh.pieces[p->polygon];
  bool found = false;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 4; i++) {
      int32_t cx = x - (i & 1), cz = z - (i >> 1);
      if (cx < 0 || cz < 0 || cx >= field->grid.width || cz >= field->grid.depth) continue;
      size_t column = (size_t)cx + (size_t)cz * (size_t)field->grid.width;
      for (uint32_t s = field->first[column]; s < field->first[column + 1]; s++) {
        double y = field->floor[s];
        if (pass == 0 && p->o->pieces.of[s] == piece) {
          *own = found ? fmax(*own, y) : y;
          found = true;
        }
        if (pass == 1 && fabs(y - *own) <= 2 * field->cells.climb) *highest = fmax(*highest, y);
      }
    }
    if (!found) return false;
    if (pass == 0) *highest = *own;
  }
  return true;
}

static bool is_inset(const Patch *p, double x, double z, double distance) {
  CrVec3 at = {x, 0, z};
  for (uint32_t k = 0; k < p->corners; k++) {
    CrVec3 a = patch_point(p, k), b = patch_point(p, (k + 1) % p->corners);
    if (cr__cross_xz(a, b, at) < distance * cr__dist_xz(a, b)) return false;
  }
  return true;
}

static int32_t multiple_from(int32_t v, int32_t cell, int32_t step) {
  while ((v + cell) % step) v++;
  return v;
}

// At the places of the samples the surface is within the error of the floors there, rounded by one height.
static void check_surface(const Patch *p, Figures *f) {
  const CrGrid *grid = &p->build->open.grid;
  int32_t step = p->distance < 1 ? 1 : (int32_t)p->distance;
  int32_t x0 = INT32_MAX, x1 = INT32_MIN, z0 = INT32_MAX, z1 = INT32_MIN;
  if (p->o->detail.vertex_counts[p->polygon] >= CR_DETAIL_INNER_VERTICES) {
    f->full++;
    return;
  }
  for (uint32_t k = 0; k < p->corners; k++) {
    const CrOutlineCorner *c = corner_at(p->o, p->first_corner + k);
    x0 = c->x < x0 ? c->x : x0;
    x1 = c->x > x1 ? c->x : x1;
    z0 = c->z < z0 ? c->z : z0;
    z1 = c->z > z1 ? c->z : z1;
  }
  for (int32_t z = multiple_from(z0, grid->cell_z, step); z <= z1; z += step) {
    for (int32_t x = multiple_from(x0, grid->cell_x, step); x <= x1; x += step) {
      double own = 0, highest = 0, y;
      if (!is_inset(p, x, z, 0.5 * p->distance) || !floors_around(p, x, z, &own, &highest)) continue;
      bool over = patch_height(p, x, z, &y);
      CHECK(over);
      if (!over) continue;
      double off = fmax(own - y, y - highest) - p->error;
      f->samples++;
      f->worst_detail = fmax(f->worst_detail, off);
      CHECK(off <= 1 + 1e-6);
    }
  }
}

static void check_outlines(const CrTileBuild *build, Figures *f) {
  const CrOutlines *o = &build->outlines;
  const CrBuildSettings *settings = &build->context->settings;
  Patch p = {.build = build, .o = o};
  p.distance = settings->detail_sample_distance / settings->cell_size;
  p.error = settings->detail_max_error / settings->cell_height;
  for (size_t a = 0; a < o->arcs.count; a++) check_arc(o, &o->arcs.items[a], settings, f);
  for (; p.polygon < o->mesh.polygon_count; p.polygon++) {
    p.corners = o->mesh.counts[p.polygon];
    CHECK(p.corners >= 3 && p.corners <= (uint32_t)settings->max_verts_per_poly);
    check_convex(o, p.first_corner, p.corners);
    if (p.distance >= 0.9) check_surface(&p, f);
    f->polygons++;
    p.first_corner += p.corners;
    p.first_vertex += o->detail.vertex_counts[p.polygon];
    p.first_triangle += o->detail.triangle_counts[p.polygon];
  }
}

// --- In the mesh ------------------------------------------------------------------------------------------------------

static void check_neighbours(const CrTile *tile) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t c = tile->polygon_first[p]; c < tile->polygon_first[p + 1]; c++) {
      uint32_t q = tile->corner_neighbour[c], shared = 0;
      if (q >= tile->polygon_count) continue;
      uint32_t d = c + 1 == tile->polygon_first[p + 1] ? tile->polygon_first[p] : c + 1;
      for (uint32_t e = tile->polygon_first[q]; e < tile->polygon_first[q + 1]; e++) {
        uint32_t g = e + 1 == tile->polygon_first[q + 1] ? tile->polygon_first[q] : e + 1;
        bool same =
            tile->corner_vertex[e] == tile->corner_vertex[d] && tile->corner_vertex[g] == tile->corner_vertex[c];
        shared += same && tile->corner_neighbour[e] == p;
      }
      CHECK(shared == 1);
    }
  }
}

static double mesh_area(const CrNavMesh *mesh) {
  double area2 = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t p = 0; tile->active && p < tile->polygon_count; p++) {
      for (uint32_t k = 1; k + 1 < cr__polygon_vertex_count(tile, p); k++) {
        area2 += cr__cross_xz(cr__polygon_vertex(tile, p, 0), cr__polygon_vertex(tile, p, k),
                              cr__polygon_vertex(tile, p, k + 1));
      }
    }
  }
  return area2 / 2;
}

typedef struct Cover {
  int64_t cell;
  double y;
  uint32_t slot, polygon;
} Cover;

static int compare_covers(const void *a, const void *b) {
  const Cover *p = a, *q = b;
  if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
  return (p->y > q->y) - (p->y < q->y);
}

// Points of a grid a little less than a cell fine; each polygon over each of them.
static size_t cover_points(const CrNavMesh *mesh, double step, CrVec3 low, Cover *out) {
  size_t count = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    for (uint32_t p = 0; tile->active && p < tile->polygon_count; p++) {
      double x0 = INFINITY, x1 = -INFINITY, z0 = INFINITY, z1 = -INFINITY;
      for (uint32_t k = 0; k < cr__polygon_vertex_count(tile, p); k++) {
        CrVec3 v = cr__polygon_vertex(tile, p, k);
        x0 = fmin(x0, v.x);
        x1 = fmax(x1, v.x);
        z0 = fmin(z0, v.z);
        z1 = fmax(z1, v.z);
      }
      int64_t i0 = (int64_t)ceil((x0 - low.x) / step), k0 = (int64_t)ceil((z0 - low.z) / step);
      for (int64_t k = k0; low.z + (double)k * step <= z1; k++) {
        for (int64_t i = i0; low.x + (double)i * step <= x1; i++) {
          double x = low.x + (double)i * step, z = low.z + (double)k * step;
          if (!cr__polygon_holds(tile, p, x, z, -1e-9)) continue;
          if (out) out[count] = (Cover){k * 1000000 + i, cr__polygon_height(tile, p, x, z), slot, p};
          count++;
        }
      }
    }
  }
  return count;
}

// No point is over two polygons nearer in height than the agent is high. (A polygon's own slope cannot bring it near another storey.)
static void check_overlaps(const CrNavMesh *mesh, const CrBuildSettings *settings, Figures *f) {
  CrVec3 low, high;
  if (!cr_navmesh_bounds(mesh, &low, &high)) return;
  low.x -= 0.1234567 * settings->cell_size;
  low.z -= 0.0765432 * settings->cell_size;
  double step = 0.77 * settings->cell_size;
  size_t count = cover_points(mesh, step, low, NULL);
  Cover *covers = malloc((count + 1) * sizeof *covers);
  REQUIRE(covers);
  cover_points(mesh, step, low, covers);
  qsort(covers, count, sizeof *covers, compare_covers);
  for (size_t i = 1; i < count; i++) {
    if (covers[i].cell != covers[i - 1].cell) continue;
    f->pairs++;
    bool apart = covers[i].y - covers[i - 1].y >=
                 settings->agent_height - 2 * settings->detail_max_error - 2 * settings->cell_height;
    CHECK(apart);
    if (!apart)
      printf("  %u/%u and %u/%u are %.3f apart\n", covers[i - 1].slot, covers[i - 1].polygon, covers[i].slot,
             covers[i].polygon, covers[i].y - covers[i - 1].y);
  }
  free(covers);
}

static void check_inside_tile(const CrNavMesh *mesh, const CrTile *tile) {
  CrTileSquare square = cr__tile_square(&mesh->params, tile->x, tile->z);
  for (uint32_t v = 0; v < tile->vertex_count; v++) {
    CrVec3 p = tile->vertices[v];
    CHECK(p.x >= square.min_x && p.x <= square.max_x && p.z >= square.min_z && p.z <= square.max_z);
  }
}

// Where the two edges of a portal have a corner at one place, it has one height.
static void check_portal(const CrNavMesh *mesh, const CrTile *tile, uint32_t polygon, const CrLink *link, Figures *f) {
  const CrTile *other = cr__resolve(mesh, link->target);
  CrVec3 mine[2], theirs[2];
  REQUIRE(other);
  cr__polygon_edge(tile, polygon, link->edge, &mine[0], &mine[1]);
  cr__polygon_edge(other, cr__ref_polygon(link->target), link->target_edge, &theirs[0], &theirs[1]);
  for (int i = 0; i < 4; i++) {
    CrVec3 a = mine[i & 1], b = theirs[i >> 1];
    if (a.x != b.x || a.z != b.z) continue;
    f->border_corners++;
    CHECK(a.y == b.y);
  }
}

static void check_portals(const CrNavMesh *mesh, const CrTile *tile, Figures *f) {
  for (uint32_t p = 0; p < tile->polygon_count; p++) {
    for (uint32_t i = tile->link_first[p]; i < tile->link_first[p + 1]; i++) {
      if (tile->links[i].edge != CR_LINK_NO_EDGE) check_portal(mesh, tile, p, &tile->links[i], f);
    }
  }
}

static void check_mesh(const CrNavMesh *mesh, const CrBuildSettings *settings, Figures *f) {
  CHECK(cr__navmesh_invariant(mesh) == NULL);
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = &mesh->tiles[slot];
    if (!tile->active) continue;
    check_inside_tile(mesh, tile);
    check_neighbours(tile);
    check_portals(mesh, tile, f);
  }
  check_overlaps(mesh, settings, f);
}

// --- Levels -----------------------------------------------------------------------------------------------------------

// Builds a level tile by tile. Returns its area.
static double try_build(const CrBuildInput *input, const CrBuildSettings *settings, Figures *f) {
  CrBuilder *builder;
  CrNavMesh *mesh;
  int32_t tiles_x, tiles_z;
  REQUIRE_OK(cr_builder_create(input, settings, NULL, NULL, &builder, NULL));
  CrNavMeshParams params = cr_builder_params(builder);
  cr_builder_tile_counts(builder, &tiles_x, &tiles_z);
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t z = 0; z < tiles_z; z++) {
    for (int32_t x = 0; x < tiles_x; x++) {
      CrTileBuild *build;
      CrBytes bytes;
      REQUIRE_OK(cr_tile_build_create(builder, x, z, &build, NULL));
      REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_ENCODE, NULL));
      check_outlines(build, f);
      REQUIRE_OK(cr_tile_build_take_bytes(build, &bytes, NULL));
      if (bytes.size) REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
      cr_bytes_free(&bytes);
      cr_tile_build_destroy(build);
    }
  }
  check_mesh(mesh, settings, f);
  world_note(mesh);
  double area = mesh_area(mesh);
  cr_navmesh_destroy(mesh);
  cr_builder_destroy(builder);
  return area;
}

// How much the areas of one level differ, in percent: between partitions, and between one tile and many.
typedef struct Spread {
  double partitions, tiles;
} Spread;

static double area_difference(double a, double b) { return fmax(a, b) > 0 ? 100 * fabs(a - b) / fmax(a, b) : 0; }

static void try_level(uint32_t index, const CrBuildSettings *base, Spread *worst) {
  static const struct {
    CrPartition partition;
    int32_t tile_cells;
  } ways[] = {{CR_PARTITION_WATERSHED, 0}, {CR_PARTITION_WATERSHED, 37}, {CR_PARTITION_MONOTONE, 0},
              {CR_PARTITION_MONOTONE, 48}, {CR_PARTITION_LAYERS, 0},     {CR_PARTITION_LAYERS, 32}};
  Level level = level_make(index);
  CrBuildInput input = level_input(&level);
  Figures f = {0};
  double areas[sizeof ways / sizeof ways[0]];
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    CrBuildSettings settings = *base;
    settings.partition = ways[i].partition;
    settings.tile_cells = ways[i].tile_cells;
    areas[i] = try_build(&input, &settings, &f);
  }
  Spread spread = {0, 0};
  for (size_t i = 1; i < sizeof ways / sizeof ways[0]; i++) {
    if (i > 1) spread.partitions = fmax(spread.partitions, area_difference(areas[i], areas[i - 2]));
    if (i % 2) spread.tiles = fmax(spread.tiles, area_difference(areas[i], areas[i - 1]));
  }
  worst->partitions = fmax(worst->partitions, spread.partitions);
  worst->tiles = fmax(worst->tiles, spread.tiles);
  printf("  %-13s %6" PRIu64 " polygons, outline %.2f, edge %.2f of the limit, %7" PRIu64
         " detail samples off by %.2f over it (%" PRIu64 " full), %5" PRIu64 " storeys, %4" PRIu64
         " border corners, areas differ by %.2f %% between partitions, by %.2f %% in tiles\n",
         level.name, f.polygons, f.worst_outline, f.worst_edge, f.samples, f.worst_detail, f.full, f.pairs,
         f.border_corners, spread.partitions, spread.tiles);
  level_free(&level);
}

static void try_levels(const CrBuildSettings *settings, Spread limit) {
  uint32_t step = check_scaled(100) < 50 ? 5 : 1;
  Spread worst = {0, 0};
  for (uint32_t i = 0; i < level_count(); i += step) try_level(i, settings, &worst);
  CHECK(worst.partitions <= limit.partitions);
  CHECK(worst.tiles <= limit.tiles);
  printf("  areas of one level differ by at most %.3g %% between partitions, by %.3g %% in tiles\n", worst.partitions,
         worst.tiles);
}

TEST(default_settings) {
  CrBuildSettings settings = cr_build_settings_default();
  try_levels(&settings, (Spread){5, 5});  // outlines may be off by their error, small islands at a seam stay
}

TEST(small_agent) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.cell_size = 0.37;
  settings.cell_height = 0.13;
  settings.agent_radius = 0.2;
  settings.agent_height = 1.4;
  settings.walkable_climb = 0.3;
  settings.max_slope = 60;
  settings.contour_max_error = 0.75;
  settings.max_edge_length = 5;
  settings.detail_sample_distance = 0.4;
  settings.detail_max_error = 0.05;
  settings.min_region_area = 0;
  settings.max_verts_per_poly = 12;
  try_levels(&settings, (Spread){5, 5});
}

// Without simplification the polygons cover the same columns whatever the partition. In tiles they cover the same but for one column along the far
// sides of the input: an upright face on that line lies in the column beyond it, which one tile for all does not have and takes for a drop.
TEST(exact_outlines) {
  CrBuildSettings settings = cr_build_settings_default();
  settings.contour_max_error = 0;
  settings.min_region_area = 0;
  settings.detail_sample_distance = 0;
  try_levels(&settings, (Spread){1e-9, 5});
}

static CrBuildSettings random_settings(uint64_t *seed) {
  CrBuildSettings s = cr_build_settings_default();
  s.cell_size = rnd_range(seed, 0.2, 0.9);
  s.cell_height = rnd_range(seed, 0.05, 0.5);
  s.agent_radius = rnd_int(seed, 4) ? rnd_range(seed, 0, 1.5) : 0;
  s.agent_height = rnd_range(seed, 0.5, 3);
  s.walkable_climb = rnd_int(seed, 4) ? rnd_range(seed, 0, 1.4) : 0;
  s.max_slope = rnd_range(seed, 5, 80);
  s.contour_max_error = rnd_range(seed, 0, 2.5) * s.cell_size;
  s.max_edge_length = rnd_int(seed, 3) ? rnd_range(seed, 0.5, 20) : 0;
  s.detail_sample_distance = rnd_range(seed, 0.5, 8) * s.cell_size;
  s.detail_max_error = rnd_range(seed, 0, 1);
  s.min_region_area = rnd_int(seed, 100);
  s.merge_region_area = rnd_int(seed, 1000);
  s.max_verts_per_poly = 3 + rnd_int(seed, 10);
  s.partition = (CrPartition)rnd_int(seed, 3);
  s.tile_cells = rnd_int(seed, 3) ? 8 + rnd_int(seed, 60) : 0;
  return s;
}

TEST(random_settings_on_every_level) {
  uint64_t seed = 2024;
  Figures f = {0};
  int64_t rounds = check_scaled(8 * (int64_t)level_count());
  for (int64_t i = 0; i < rounds; i++) {
    check_seed = seed;
    Level level = level_make((uint32_t)i % level_count());
    CrBuildInput input = level_input(&level);
    CrBuildSettings settings = random_settings(&seed);
    int before = check_failures;
    try_build(&input, &settings, &f);
    if (check_failures != before) {
      printf("  %s: cell %.17g x %.17g, radius %.17g, height %.17g, climb %.17g, tile %d, partition %d\n", level.name,
             settings.cell_size, settings.cell_height, settings.agent_radius, settings.agent_height,
             settings.walkable_climb, settings.tile_cells, (int)settings.partition);
    }
    level_free(&level);
  }
  printf("  %" PRId64 " builds: %" PRIu64 " polygons, outline %.3f, edge %.3f of the limit, %" PRIu64
         " detail samples off by %.2f over it (%" PRIu64 " full), %" PRIu64 " storeys, %" PRIu64 " border corners\n",
         rounds, f.polygons, f.worst_outline, f.worst_edge, f.samples, f.worst_detail, f.full, f.pairs,
         f.border_corners);
}

TEST_MAIN(RUN(default_settings), RUN(small_agent), RUN(exact_outlines), RUN(random_settings_on_every_level))
