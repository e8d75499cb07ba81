// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Meshes from polygons: the bytes are positions, rectangles and triangles on a coarse grid, polygons of any positions,
// and off-mesh links. What must hold: a refusal names an array and an element; a mesh keeps every invariant, and its polygons are
// those given, by number, corners (either way round) and area; any allocation may fail; questions go well.
#include "fuzzkit.h"
#include "navmesh_internal.h"

#define MOST_POSITIONS 200
#define MOST_POLYGONS 64
#define MOST_LINKS 4

typedef struct Soup {
  CrPolygonSoup soup;
  double positions[3 * MOST_POSITIONS];
  uint8_t corner_counts[MOST_POLYGONS], areas[MOST_POLYGONS];
  uint16_t flags[MOST_POLYGONS];
  uint32_t corners[CR_MAX_POLY_VERTS * MOST_POLYGONS], corner_count;
  CrOffMeshLink links[MOST_LINKS];
} Soup;

static uint32_t put_position(Soup *soup, double x, double y, double z) {
  double p[3] = {x, y, z};
  if (soup->soup.position_count == MOST_POSITIONS) return 0;
  memcpy(soup->positions + 3 * (size_t)soup->soup.position_count, p, sizeof p);
  return soup->soup.position_count++;
}

static void put_polygon(Soup *soup, uint32_t count, const uint32_t *corners, uint8_t area) {
  uint32_t at = soup->soup.polygon_count++;
  soup->corner_counts[at] = (uint8_t)count;
  soup->areas[at] = area;
  soup->flags[at] = area;
  memcpy(soup->corners + soup->corner_count, corners, count * sizeof *corners);
  soup->corner_count += count;
}

// A rectangle or half of one, of whole cells, wound either way.
static void put_cells(Soup *soup, FuzzIn *in, uint8_t op) {
  uint8_t where = fuzz_u8(in), size = fuzz_u8(in), level = fuzz_u8(in);
  double x = where & 15, z = where >> 4, w = 1 + (size & 3), d = 1 + (size >> 2 & 3);
  double y = level & 15, slope = (level >> 4) - 8;
  uint32_t c[4] = {put_position(soup, x, y, z), put_position(soup, x + w, y + slope * w, z),
                   put_position(soup, x + w, y + slope * w, z + d), put_position(soup, x, y, z + d)};
  if (op & 32) {
    uint32_t swapped = c[1];
    c[1] = c[3];
    c[3] = swapped;
  }
  put_polygon(soup, op & 16 ? 3 : 4, c, size >> 4);
}

static void put_any(Soup *soup, FuzzIn *in, uint8_t op) {
  uint32_t corners[CR_MAX_POLY_VERTS], count = op >> 4 & 15;
  if (count > CR_MAX_POLY_VERTS) count = CR_MAX_POLY_VERTS;
  for (uint32_t k = 0; k < count; k++) {
    uint8_t which = fuzz_u8(in);
    corners[k] = which < 255 && soup->soup.position_count ? which % soup->soup.position_count : which;
  }
  put_polygon(soup, count, corners, fuzz_u8(in));
}

static void put_link(Soup *soup, FuzzIn *in, uint8_t op) {
  CrOffMeshLink *link = &soup->links[soup->soup.off_mesh_count++];
  *link = (CrOffMeshLink){.area = op >> 6, .flags = op, .bidirectional = op >> 4 & 1};
  link->start = fuzz_point(in, 1.0);
  link->end = fuzz_point(in, 1.0);
  link->radius = 0.25 * (1 + fuzz_below(in, 16));
}

static void read_soup(Soup *soup, FuzzIn *in) {
  uint8_t kind = fuzz_u8(in);
  soup->soup = (CrPolygonSoup){.positions = soup->positions,
                               .corner_counts = soup->corner_counts,
                               .corners = soup->corners,
                               .areas = kind & 1 ? soup->areas : NULL,
                               .flags = kind & 2 ? soup->flags : NULL,
                               .off_mesh_links = soup->links,
                               .climb = kind & 4 ? 0.5 : 0.0,
                               .agent_height = 2.0};
  while (!fuzz_done(in) && soup->soup.polygon_count < MOST_POLYGONS) {
    uint8_t op = fuzz_u8(in);
    CrVec3 p;
    switch (op & 7) {
      case 5:
        put_any(soup, in, op);
        break;
      case 6:
        p = fuzz_point(in, 1.0);
        put_position(soup, p.x, p.y, p.z);
        break;
      case 7:
        if (soup->soup.off_mesh_count < MOST_LINKS) put_link(soup, in, op);
        break;
      default:
        put_cells(soup, in, op);
    }
  }
}

// Corner k of a polygon as given, and as it is in the mesh when that lists them the other way round.
static bool is_same_polygon(const Soup *soup, const uint32_t *corners, const CrPolygonInfo *info, bool turned) {
  for (uint32_t k = 0; k < info->vertex_count; k++) {
    const double *p = soup->positions + 3 * (size_t)corners[k];
    CrVec3 q = info->vertices[turned && k ? info->vertex_count - k : k];
    if (p[0] != q.x || p[1] != q.y || p[2] != q.z) return false;
  }
  return true;
}

static void check_polygons(const Soup *soup, const CrNavMesh *mesh) {
  const uint32_t *corners = soup->corners;
  FUZZ_REQUIRE(cr_navmesh_polygon_count(mesh) == soup->soup.polygon_count);
  for (uint32_t i = 0; i < soup->soup.polygon_count; i++) {
    CrPolygonInfo info;
    FUZZ_REQUIRE(cr_navmesh_polygon(mesh, cr_navmesh_ref(mesh, 0, i), &info) == CR_STATUS_OK);
    FUZZ_REQUIRE(info.vertex_count == soup->corner_counts[i]);
    FUZZ_REQUIRE(is_same_polygon(soup, corners, &info, false) || is_same_polygon(soup, corners, &info, true));
    FUZZ_REQUIRE(info.area == (soup->soup.areas ? soup->areas[i] : 0));
    FUZZ_REQUIRE(info.flags == (soup->soup.flags ? soup->flags[i] : 1));
    corners += info.vertex_count;
  }
}

static void make_without_memory(const Soup *soup, uint64_t choice, int64_t count) {
  FuzzMemory memory = {.fail_at = 1 + (int64_t)(choice % (uint64_t)count)};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  FUZZ_REQUIRE(cr_navmesh_from_polygons(&soup->soup, &hooks, &mesh, NULL) == CR_STATUS_OUT_OF_MEMORY);
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Soup soup;
  memset(&soup, 0, sizeof soup);
  FuzzIn in = fuzz_in(data, size);
  read_soup(&soup, &in);
  FuzzMemory memory = {.limit = (size_t)64 << 20};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrNavMesh *mesh;
  CrError error = {0};
  CrStatus status = cr_navmesh_from_polygons(&soup.soup, &hooks, &mesh, &error);
  int64_t count = memory.count;
  if (status == CR_STATUS_OK) {
    fuzz_check_mesh(mesh);
    check_polygons(&soup, mesh);
    FuzzIn questions = fuzz_in(data, size);
    fuzz_ask_mesh(mesh, &questions);
    cr_navmesh_destroy(mesh);
    make_without_memory(&soup, cr_hash_bytes(data, size), count);
  } else {
    FUZZ_REQUIRE(status == CR_STATUS_ARGUMENT && error.status == status && error.field);
    FUZZ_REQUIRE(strncmp(error.field, "polygons.", 9) == 0 && error.index >= 0);
  }
  fuzz_memory_end(&memory);
  return 0;
}
