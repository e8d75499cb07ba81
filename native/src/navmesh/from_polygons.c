// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A mesh of one tile from a caller's convex polygons: positions at one place become one vertex, polygons are wound the
// mesh's way, and a square that leaves room on every side is laid around it all, so that no edge is on its border.
// Order: vertices by first use, polygons as given.
#include "navmesh_internal.h"

typedef struct Soup {
  const CrPolygonSoup *from;
  const CrAllocator *allocator;
  CrError *error;
  uint32_t corner_count;
  uint32_t *place;    // per position: the first position at the same place
  uint32_t *vertex;   // per position that is a place: its vertex + 1, 0 while unused
  uint32_t *order;    // per position, and as much again for sorting
  uint32_t *corners;  // vertex per corner, wound the mesh's way
  double *vertices;   // room for all positions
  uint32_t vertex_count;
} Soup;

static CrStatus fail(const Soup *soup, const char *field, int64_t index) {
  return cr__fail_index(soup->error, CR_STATUS_ARGUMENT, field, index);
}

static CrStatus no_memory(const Soup *soup) { return cr__fail(soup->error, CR_STATUS_OUT_OF_MEMORY, NULL); }

static bool is_coord(double v) { return cr__abs(v) < CR_COORD_LIMIT; }
static bool is_point(CrVec3 p) { return is_coord(p.x) && is_coord(p.y) && is_coord(p.z); }

// --- What is given --------------------------------------------------------------------------------------------------

static CrStatus check_agent(const Soup *soup) {
  const struct {
    const char *name;
    double value;
  } fields[] = {{"polygons.climb", soup->from->climb},
                {"polygons.agent_radius", soup->from->agent_radius},
                {"polygons.agent_height", soup->from->agent_height}};
  for (size_t i = 0; i < CR_COUNT_OF(fields); i++) {
    if (fields[i].value >= 0.0 && fields[i].value <= CR_COORD_LIMIT) continue;
    double limit = fields[i].value > CR_COORD_LIMIT ? CR_COORD_LIMIT : 0.0;
    return cr__fail_limit(soup->error, CR_STATUS_ARGUMENT, fields[i].name, limit);
  }
  return CR_STATUS_OK;
}

static CrStatus check_presence(const Soup *soup) {
  const CrPolygonSoup *from = soup->from;
  if (from->polygon_count > CR_MAX_TILE_POLYS) {
    return cr__fail_limit(soup->error, CR_STATUS_LIMIT, "polygons.polygon_count", CR_MAX_TILE_POLYS);
  }
  if (from->position_count && !from->positions) return fail(soup, "polygons.positions", CR_NO_INDEX);
  if (from->polygon_count && !from->corner_counts) return fail(soup, "polygons.corner_counts", CR_NO_INDEX);
  if (from->polygon_count && !from->corners) return fail(soup, "polygons.corners", CR_NO_INDEX);
  if (from->off_mesh_count && !from->off_mesh_links) return fail(soup, "polygons.off_mesh_links", CR_NO_INDEX);
  return check_agent(soup);
}

static CrVec3 position(const Soup *soup, uint32_t i) {
  const double *at = soup->from->positions + (size_t)i * 3;
  return cr__vec(at[0] + 0.0, at[1] + 0.0, at[2] + 0.0);  // -0 becomes 0
}

static CrStatus check_elements(Soup *soup) {
  const CrPolygonSoup *from = soup->from;
  for (uint32_t i = 0; i < from->position_count; i++) {
    if (!is_point(position(soup, i))) return fail(soup, "polygons.positions", i);
  }
  for (uint32_t p = 0; p < from->polygon_count; p++) {
    uint32_t count = from->corner_counts[p];
    if (count < 3 || count > CR_MAX_POLY_VERTS) return fail(soup, "polygons.corner_counts", p);
    soup->corner_count += count;
  }
  for (uint32_t c = 0; c < soup->corner_count; c++) {
    if (from->corners[c] >= from->position_count) return fail(soup, "polygons.corners", c);
  }
  for (uint32_t i = 0; i < from->off_mesh_count; i++) {
    const CrOffMeshLink *link = &from->off_mesh_links[i];
    if (!is_point(link->start) || !is_point(link->end)) return fail(soup, "polygons.off_mesh_links", i);
  }
  return CR_STATUS_OK;
}

static bool take_arrays(Soup *soup) {
  size_t positions = soup->from->position_count;
  soup->place = cr__alloc(soup->allocator, positions, sizeof *soup->place);
  soup->vertex = cr__alloc_zeroed(soup->allocator, positions, sizeof *soup->vertex);
  soup->order = cr__alloc(soup->allocator, positions, 2 * sizeof *soup->order);
  soup->corners = cr__alloc(soup->allocator, soup->corner_count, sizeof *soup->corners);
  soup->vertices = cr__alloc(soup->allocator, positions, 3 * sizeof *soup->vertices);
  return soup->place && soup->vertex && soup->order && soup->corners && soup->vertices;
}

static void free_arrays(Soup *soup) {
  size_t positions = soup->from->position_count;
  cr__free(soup->allocator, soup->place, positions, sizeof *soup->place);
  cr__free(soup->allocator, soup->vertex, positions, sizeof *soup->vertex);
  cr__free(soup->allocator, soup->order, positions, 2 * sizeof *soup->order);
  cr__free(soup->allocator, soup->corners, soup->corner_count, sizeof *soup->corners);
  cr__free(soup->allocator, soup->vertices, positions, 3 * sizeof *soup->vertices);
}

// --- Vertices and winding -------------------------------------------------------------------------------------------

static bool position_less(const void *context, uint32_t a, uint32_t b) {
  CrVec3 p = position(context, a), q = position(context, b);
  if (p.x != q.x) return p.x < q.x;
  return p.y != q.y ? p.y < q.y : p.z < q.z;
}

// The sort is stable, so the first of a place is the lowest.
static void find_places(Soup *soup) {
  uint32_t count = soup->from->position_count;
  for (uint32_t i = 0; i < count; i++) soup->order[i] = i;
  cr__sort_indices(soup->order, soup->order + count, count, position_less, soup);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = soup->order[i], before = i ? soup->order[i - 1] : at;
    bool same = i && cr__same_point(position(soup, before), position(soup, at));
    soup->place[at] = same ? soup->place[before] : at;
  }
}

static uint32_t vertex_at(Soup *soup, uint32_t index) {
  uint32_t place = soup->place[index];
  if (!soup->vertex[place]) {
    CrVec3 at = position(soup, place);
    double *out = soup->vertices + (size_t)soup->vertex_count * 3;
    out[0] = at.x;
    out[1] = at.y;
    out[2] = at.z;
    soup->vertex[place] = ++soup->vertex_count;
  }
  return soup->vertex[place] - 1;
}

static bool is_wound_backwards(const Soup *soup, const uint32_t *corners, uint32_t count) {
  double area2 = 0.0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    area2 += cr__cross_xz(position(soup, corners[0]), position(soup, corners[k]), position(soup, corners[k + 1]));
  }
  return area2 < 0.0;
}

static void fill_corners(Soup *soup) {
  const uint32_t *from = soup->from->corners;
  uint32_t *to = soup->corners;
  for (uint32_t p = 0; p < soup->from->polygon_count; p++) {
    uint32_t count = soup->from->corner_counts[p];
    bool backwards = is_wound_backwards(soup, from, count);
    for (uint32_t k = 0; k < count; k++) to[k] = vertex_at(soup, from[backwards && k ? count - k : k]);
    from += count;
    to += count;
  }
}

// --- The square -----------------------------------------------------------------------------------------------------

typedef struct Extent {
  double min_x, min_z, max_x, max_z;
  bool any;
} Extent;

static void extend(Extent *extent, double x, double z) {
  bool any = extent->any;
  extent->min_x = any ? cr__min(extent->min_x, x) : x;
  extent->min_z = any ? cr__min(extent->min_z, z) : z;
  extent->max_x = any ? cr__max(extent->max_x, x) : x;
  extent->max_z = any ? cr__max(extent->max_z, z) : z;
  extent->any = true;
}

// Whole numbers below 2^53: both lines of the square are exact.
static CrNavMeshParams lay_square(const Soup *soup) {
  Extent e = {0};
  double size = 0.0;
  for (uint32_t i = 0; i < soup->vertex_count; i++)
    extend(&e, soup->vertices[3 * (size_t)i], soup->vertices[3 * (size_t)i + 2]);
  for (uint32_t i = 0; i < soup->from->off_mesh_count; i++) {
    const CrOffMeshLink *link = &soup->from->off_mesh_links[i];
    extend(&e, link->start.x, link->start.z);
    size = link->radius <= CR_MAX_TILE_SIZE ? cr__max(size, cr__ceil(link->radius)) : size;
  }
  CrNavMeshParams params = {.origin_x = cr__max(cr__floor(e.min_x) - 1.0, -CR_COORD_LIMIT),
                            .origin_z = cr__max(cr__floor(e.min_z) - 1.0, -CR_COORD_LIMIT),
                            .climb = soup->from->climb,
                            .agent_radius = soup->from->agent_radius,
                            .agent_height = soup->from->agent_height};
  size = cr__max(size, cr__ceil(e.max_x) + 1.0 - params.origin_x);
  size = cr__max(size, cr__ceil(e.max_z) + 1.0 - params.origin_z);
  params.tile_size = cr__min(size, CR_MAX_TILE_SIZE);
  return params;
}

// --- The tile -------------------------------------------------------------------------------------------------------

static uint32_t polygon_of_corner(const CrTile *tile, uint32_t corner) {
  uint32_t polygon = 0;
  while (tile->polygon_first[polygon + 1] <= corner) polygon++;
  return polygon;
}

// What is left to be wrong once positions, counts and indices are right.
static CrStatus check_tile(const Soup *soup, const CrNavMeshParams *params, CrTile *tile) {
  CrTileFault fault;
  if (!cr__tile_check_shapes(tile, &fault)) return fail(soup, "polygons.shape", polygon_of_corner(tile, fault.index));
  CrStatus status = cr__tile_find_neighbours(params, soup->allocator, tile, &fault);
  if (status == CR_STATUS_OUT_OF_MEMORY) return no_memory(soup);
  if (status != CR_STATUS_OK) return fail(soup, "polygons.edges", polygon_of_corner(tile, fault.index));
  if (cr__tile_check(params, tile, &fault)) return CR_STATUS_OK;
  return fail(soup, fault.array == CR_TILE_POLYGON_AREAS ? "polygons.areas" : "polygons.off_mesh_links", fault.index);
}

static CrStatus encode(const Soup *soup, const CrNavMeshParams *params, CrBytes *out) {
  CrTileDescription description = {.vertex_count = soup->vertex_count,
                                   .polygon_count = soup->from->polygon_count,
                                   .vertices = soup->vertices,
                                   .polygon_vertex_counts = soup->from->corner_counts,
                                   .polygon_vertices = soup->corners,
                                   .polygon_areas = soup->from->areas,
                                   .polygon_flags = soup->from->flags,
                                   .off_mesh_count = soup->from->off_mesh_count,
                                   .off_mesh_links = soup->from->off_mesh_links};
  CrTile tile;
  CrStatus status = cr__tile_fill(&description, soup->allocator, &tile, soup->error);
  if (status != CR_STATUS_OK) return status;
  status = check_tile(soup, params, &tile);
  if (status == CR_STATUS_OK) status = cr__tile_to_bytes(&tile, soup->allocator, out, soup->error);
  cr__tile_free(soup->allocator, &tile);
  return status;
}

static CrStatus make_mesh(const Soup *soup, const CrNavMeshParams *params, const CrBytes *tile, CrNavMesh **out) {
  CrNavMesh *mesh;
  CrStatus status = cr_navmesh_create(params, soup->allocator, &mesh, soup->error);
  if (status != CR_STATUS_OK) return status;
  if (tile) status = cr_navmesh_add_tile(mesh, tile->data, tile->size, NULL, soup->error);
  if (status == CR_STATUS_OK)
    *out = mesh;
  else
    cr_navmesh_destroy(mesh);
  return status;
}

static CrStatus make(Soup *soup, CrNavMesh **out) {
  if (!take_arrays(soup)) return no_memory(soup);
  find_places(soup);
  fill_corners(soup);
  CrNavMeshParams params = lay_square(soup);
  if (!soup->from->polygon_count && !soup->from->off_mesh_count) return make_mesh(soup, &params, NULL, out);
  CrBytes tile;
  CrStatus status = encode(soup, &params, &tile);
  if (status != CR_STATUS_OK) return status;
  status = make_mesh(soup, &params, &tile, out);
  cr_bytes_free(&tile);
  return status;
}

CrStatus cr_navmesh_from_polygons(const CrPolygonSoup *polygons, const CrAllocator *allocator, CrNavMesh **out,
                                  CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  Soup soup = {.from = polygons, .allocator = &hooks, .error = error};
  CrStatus status = check_presence(&soup);
  if (status == CR_STATUS_OK) status = check_elements(&soup);
  if (status != CR_STATUS_OK) return status;
  status = make(&soup, out);
  free_arrays(&soup);
  return status;
}
