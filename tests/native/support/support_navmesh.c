// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Test meshes from maps: convex pieces placed on a grid, cut into tiles, encoded and added.
#include <math.h>

#include "check.h"
#include "worlds.h"

// --- A world under construction: pieces with corners on grid points -------------------------------------------------

#define MAX_RUN 5  // a run of 5 has at most 2 * (5 + 1) = CR_MAX_POLY_VERTS corners

typedef struct Piece {
  int32_t tile_x, tile_z;
  uint32_t corner_count;
  CrVec3 corners[CR_MAX_POLY_VERTS];
  uint8_t area;
  size_t order;  // in which it was added
} Piece;

typedef struct Plan {
  Piece *pieces;
  size_t count, capacity;
  CrOffMeshLink *links;
  size_t link_count;
  double cell;
  int32_t columns, rows, tile_cells;
} Plan;

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }

static Plan new_plan(int32_t columns, int32_t rows, double cell, int32_t tile_cells) {
  return (Plan){.cell = cell,
                .columns = columns,
                .rows = rows,
                .tile_cells = tile_cells > 0 ? tile_cells : larger(1, larger(columns, rows))};
}

static Piece *add_piece(Plan *plan, int32_t column, int32_t row, uint8_t area) {
  if (plan->count == plan->capacity) {
    plan->capacity = plan->capacity ? plan->capacity * 2 : 64;
    plan->pieces = realloc(plan->pieces, plan->capacity * sizeof *plan->pieces);
    REQUIRE(plan->pieces != NULL);
  }
  Piece *piece = &plan->pieces[plan->count++];
  *piece = (Piece){
      .tile_x = column / plan->tile_cells, .tile_z = row / plan->tile_cells, .area = area, .order = plan->count - 1};
  return piece;
}

static void add_corner(Piece *piece, double x, double y, double z) {
  REQUIRE(piece->corner_count < CR_MAX_POLY_VERTS);
  piece->corners[piece->corner_count++] = (CrVec3){x, y, z};
}

// One cell with its own height at the low-x and the high-x side.
static void add_cell(Plan *plan, int32_t column, int32_t row, double y_low, double y_high, uint8_t area) {
  Piece *piece = add_piece(plan, column, row, area);
  double x0 = column * plan->cell, x1 = (column + 1) * plan->cell, z0 = row * plan->cell, z1 = (row + 1) * plan->cell;
  add_corner(piece, x0, y_low, z0);
  add_corner(piece, x1, y_high, z0);
  add_corner(piece, x1, y_high, z1);
  add_corner(piece, x0, y_low, z1);
}

// --- Tiles ----------------------------------------------------------------------------------------------------------

typedef struct TileArrays {
  double *vertices;
  uint8_t *counts, *areas;
  uint32_t *corners;
  uint32_t vertex_count, corner_count, polygon_count;
  uint32_t *hash;  // vertex index + 1 by position
  size_t hash_size;
} TileArrays;

static uint32_t vertex_index(TileArrays *arrays, CrVec3 at) {
  uint64_t key = cr_hash_bytes(&at, sizeof at);
  for (size_t i = (size_t)key;; i++) {
    uint32_t *entry = &arrays->hash[i & (arrays->hash_size - 1)];
    if (!*entry) {
      double *out = arrays->vertices + (size_t)arrays->vertex_count * 3;
      out[0] = at.x;
      out[1] = at.y;
      out[2] = at.z;
      *entry = ++arrays->vertex_count;
      return *entry - 1;
    }
    const double *v = arrays->vertices + (size_t)(*entry - 1) * 3;
    if (v[0] == at.x && v[1] == at.y && v[2] == at.z) return *entry - 1;
  }
}

static TileArrays new_arrays(size_t pieces) {
  TileArrays arrays = {0};
  size_t corners = pieces * CR_MAX_POLY_VERTS + 1;
  arrays.hash_size = 64;
  while (arrays.hash_size < corners * 2) arrays.hash_size *= 2;
  arrays.vertices = malloc(corners * 3 * sizeof(double));
  arrays.counts = malloc(pieces + 1);
  arrays.areas = malloc(pieces + 1);
  arrays.corners = malloc(corners * sizeof(uint32_t));
  arrays.hash = calloc(arrays.hash_size, sizeof(uint32_t));
  REQUIRE(arrays.vertices && arrays.counts && arrays.areas && arrays.corners && arrays.hash);
  return arrays;
}

static void free_arrays(TileArrays *arrays) {
  free(arrays->vertices);
  free(arrays->counts);
  free(arrays->areas);
  free(arrays->corners);
  free(arrays->hash);
}

static void put_piece(TileArrays *arrays, const Piece *piece) {
  arrays->counts[arrays->polygon_count] = (uint8_t)piece->corner_count;
  arrays->areas[arrays->polygon_count++] = piece->area;
  for (uint32_t k = 0; k < piece->corner_count; k++) {
    arrays->corners[arrays->corner_count++] = vertex_index(arrays, piece->corners[k]);
  }
}

static int32_t tile_of(const Plan *plan, double at) { return (int32_t)floor(at / (plan->tile_cells * plan->cell)); }

static uint32_t links_of(const Plan *plan, int32_t x, int32_t z, CrOffMeshLink *out) {
  uint32_t count = 0;
  for (size_t i = 0; i < plan->link_count; i++) {
    const CrOffMeshLink *link = &plan->links[i];
    if (tile_of(plan, link->start.x) == x && tile_of(plan, link->start.z) == z) out[count++] = *link;
  }
  return count;
}

static void add_tile(CrNavMesh *mesh, const Plan *plan, const Piece *pieces, size_t count,
                     const CrAllocator *allocator) {
  TileArrays arrays = new_arrays(count);
  CrOffMeshLink *links = malloc((plan->link_count + 1) * sizeof *links);
  REQUIRE(links != NULL);
  for (size_t i = 0; i < count; i++) put_piece(&arrays, &pieces[i]);
  CrTileDescription tile = {.x = pieces[0].tile_x,
                            .z = pieces[0].tile_z,
                            .vertex_count = arrays.vertex_count,
                            .polygon_count = arrays.polygon_count,
                            .vertices = arrays.vertices,
                            .polygon_vertex_counts = arrays.counts,
                            .polygon_vertices = arrays.corners,
                            .polygon_areas = arrays.areas,
                            .off_mesh_count = links_of(plan, pieces[0].tile_x, pieces[0].tile_z, links),
                            .off_mesh_links = links};
  CrNavMeshParams params = cr_navmesh_params(mesh);
  CrBytes bytes;
  REQUIRE_OK(cr_tile_encode(&params, &tile, allocator, &bytes, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL));
  cr_bytes_free(&bytes);
  free(links);
  free_arrays(&arrays);
}

static int compare_pieces(const void *a, const void *b) {
  const Piece *p = a, *q = b;
  if (p->tile_z != q->tile_z) return p->tile_z < q->tile_z ? -1 : 1;
  if (p->tile_x != q->tile_x) return p->tile_x < q->tile_x ? -1 : 1;
  return p->order < q->order ? -1 : 1;
}

void world_note(const CrNavMesh *mesh) {
  CrBytes bytes = {0};
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  check_note_bytes(bytes.data, bytes.size);
  cr_bytes_free(&bytes);
}

// Tiles row by row; the polygons of a tile in the order they were added.
static CrNavMesh *finish_plan(Plan *plan, const CrAllocator *allocator) {
  CrNavMeshParams params = {.tile_size = plan->tile_cells * plan->cell, .climb = 0.5, .agent_height = 2.0};
  CrNavMesh *mesh = NULL;
  REQUIRE_OK(cr_navmesh_create(&params, allocator, &mesh, NULL));
  if (plan->count) qsort(plan->pieces, plan->count, sizeof *plan->pieces, compare_pieces);
  for (size_t first = 0, end; first < plan->count; first = end) {
    end = first + 1;
    while (end < plan->count && plan->pieces[end].tile_x == plan->pieces[first].tile_x &&
           plan->pieces[end].tile_z == plan->pieces[first].tile_z) {
      end++;
    }
    add_tile(mesh, plan, plan->pieces + first, end - first, allocator);
  }
  free(plan->pieces);
  free(plan->links);
  world_note(mesh);
  return mesh;
}

// --- Maps -----------------------------------------------------------------------------------------------------------

typedef struct Map {
  const char *cells;  // rows of `columns` characters
  int32_t columns, rows;
} Map;

static char map_at(const Map *map, int32_t column, int32_t row) {
  bool inside = column >= 0 && row >= 0 && column < map->columns && row < map->rows;
  return inside ? map->cells[(size_t)row * (size_t)map->columns + (size_t)column] : '#';
}

static int walkable_area(char c) { return c == '.' ? 0 : c >= 'a' && c <= 'z' ? c - 'a' + 1 : -1; }

static int area_at(const Map *map, int32_t column, int32_t row) { return walkable_area(map_at(map, column, row)); }

// Copies a text map into rows of equal length.
static Map read_map(const char *text, char **out_memory) {
  Map map = {NULL, 0, 0};
  int32_t width = 0;
  for (const char *c = text;; c++) {
    if (*c == '\n' || !*c) {
      map.columns = larger(map.columns, width);
      if (width || *c) map.rows++;
      width = 0;
      if (!*c) break;
    } else {
      width++;
    }
  }
  size_t size = (size_t)map.columns * (size_t)map.rows;
  char *cells = malloc(size + 1);
  REQUIRE(cells != NULL);
  memset(cells, '#', size);
  size_t row = 0, column = 0;
  for (const char *c = text; *c; c++) {
    if (*c == '\n') {
      row++;
      column = 0;
    } else {
      cells[row * (size_t)map.columns + column++] = *c;
    }
  }
  map.cells = *out_memory = cells;
  return map;
}

static CrNavMesh *world_from_cells(const Map *map, double cell, int32_t tile_cells, const CrAllocator *allocator) {
  Plan plan = new_plan(map->columns, map->rows, cell, tile_cells);
  for (int32_t row = 0; row < map->rows; row++) {
    for (int32_t column = 0; column < map->columns; column++) {
      int area = area_at(map, column, row);
      if (area >= 0) add_cell(&plan, column, row, 0.0, 0.0, (uint8_t)area);
    }
  }
  return finish_plan(&plan, allocator);
}

CrNavMesh *world_from_map(const char *text, double cell, int32_t tile_cells, const CrAllocator *allocator) {
  char *memory;
  Map map = read_map(text, &memory);
  CrNavMesh *mesh = world_from_cells(&map, cell, tile_cells, allocator);
  free(memory);
  return mesh;
}

// --- Merged runs ----------------------------------------------------------------------------------------------------

// Marks the first cell of each run: runs are of one area and end at tile borders.
static bool *find_runs(const Map *map, int32_t max_run, int32_t tile_cells) {
  bool *starts = calloc((size_t)map->columns * (size_t)map->rows + 1, sizeof *starts);
  REQUIRE(starts != NULL);
  for (int32_t row = 0; row < map->rows; row++) {
    int32_t length = 0;
    for (int32_t column = 0; column < map->columns; column++) {
      bool joins = length && length < max_run && column % tile_cells &&
                   area_at(map, column, row) == area_at(map, column - 1, row) && area_at(map, column, row) >= 0;
      length = joins ? length + 1 : 1;
      starts[(size_t)row * (size_t)map->columns + (size_t)column] = !joins;
    }
  }
  return starts;
}

// Whether a walkable cell of `row` has a run's corner at grid column `column`, seen from a row beside it in the same
// tile.
static bool corner_at(const Map *map, const bool *starts, int32_t tile_cells, int32_t own_row, int32_t row,
                      int32_t column) {
  if (row < 0 || row >= map->rows || own_row / tile_cells != row / tile_cells) return false;
  bool left = area_at(map, column - 1, row) >= 0, right = area_at(map, column, row) >= 0;
  return (left || right) && (left != right || starts[(size_t)row * (size_t)map->columns + (size_t)column]);
}

static void add_run(Plan *plan, const Map *map, const bool *starts, int32_t row, int32_t first, int32_t end) {
  Piece *piece = add_piece(plan, first, row, (uint8_t)area_at(map, first, row));
  double z0 = row * plan->cell, z1 = (row + 1) * plan->cell;
  for (int32_t column = first; column <= end; column++) {
    bool own = column == first || column == end;
    if (own || corner_at(map, starts, plan->tile_cells, row, row - 1, column)) {
      add_corner(piece, column * plan->cell, 0.0, z0);
    }
  }
  for (int32_t column = end; column >= first; column--) {
    bool own = column == first || column == end;
    if (own || corner_at(map, starts, plan->tile_cells, row, row + 1, column)) {
      add_corner(piece, column * plan->cell, 0.0, z1);
    }
  }
}

CrNavMesh *world_from_map_merged(const char *text, double cell, int32_t max_run, int32_t tile_cells,
                                 const CrAllocator *allocator) {
  char *memory;
  Map map = read_map(text, &memory);
  Plan plan = new_plan(map.columns, map.rows, cell, tile_cells);
  bool *starts = find_runs(&map, max_run < MAX_RUN ? max_run : MAX_RUN, plan.tile_cells);
  for (int32_t row = 0; row < map.rows; row++) {
    for (int32_t first = 0, end; first < map.columns; first = end) {
      end = first + 1;
      while (end < map.columns && !starts[(size_t)row * (size_t)map.columns + (size_t)end]) end++;
      if (area_at(&map, first, row) >= 0) add_run(&plan, &map, starts, row, first, end);
    }
  }
  free(starts);
  free(memory);
  return finish_plan(&plan, allocator);
}

// --- Scattered fields, mazes, floors --------------------------------------------------------------------------------

// '.' with blocks of 1 to 3 cells a side until `fill` of the field is covered.
static char *scattered_cells(uint64_t *seed, int32_t columns, int32_t rows, double fill) {
  size_t size = (size_t)columns * (size_t)rows, blocked = 0;
  char *cells = malloc(size + 1);
  REQUIRE(cells != NULL);
  memset(cells, '.', size);
  while ((double)blocked < fill * (double)size) {
    int32_t side = 1 + rnd_int(seed, 3), column = rnd_int(seed, columns), row = rnd_int(seed, rows);
    for (int32_t r = row; r < row + side && r < rows; r++) {
      for (int32_t c = column; c < column + side && c < columns; c++) {
        char *at = &cells[(size_t)r * (size_t)columns + (size_t)c];
        blocked += *at == '.';
        *at = '#';
      }
    }
  }
  return cells;
}

CrNavMesh *world_scattered(uint64_t seed, int32_t columns, int32_t rows, double cell, double fill, int32_t tile_cells,
                           const CrAllocator *allocator) {
  char *cells = scattered_cells(&seed, columns, rows, fill);
  Map map = {cells, columns, rows};
  CrNavMesh *mesh = world_from_cells(&map, cell, tile_cells, allocator);
  free(cells);
  return mesh;
}

// Random depth-first walk: each room is entered once, through the wall opened then.
static void carve_maze(char *cells, int32_t side, int32_t rooms, uint64_t *seed) {
  static const int32_t steps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  int32_t *stack = malloc((size_t)rooms * (size_t)rooms * sizeof *stack), depth = 0;
  REQUIRE(stack != NULL);
  stack[depth++] = 0;
  cells[side + 1] = '.';
  while (depth) {
    int32_t room = stack[depth - 1], x = room % rooms, z = room / rooms, open[4], count = 0;
    for (int32_t d = 0; d < 4; d++) {
      int32_t nx = x + steps[d][0], nz = z + steps[d][1];
      bool inside = nx >= 0 && nz >= 0 && nx < rooms && nz < rooms;
      if (inside && cells[(2 * nz + 1) * side + 2 * nx + 1] == '#') open[count++] = d;
    }
    if (!count) {
      depth--;
      continue;
    }
    const int32_t *step = steps[open[rnd_int(seed, count)]];
    int32_t nx = x + step[0], nz = z + step[1];
    cells[(2 * nz + 1) * side + 2 * nx + 1] = '.';
    cells[(x + nx + 1) + (z + nz + 1) * side] = '.';
    stack[depth++] = nz * rooms + nx;
  }
  free(stack);
}

CrNavMesh *world_maze(uint64_t seed, int32_t rooms, double cell, int32_t tile_cells, const CrAllocator *allocator) {
  int32_t side = 2 * rooms + 1;
  size_t size = (size_t)side * (size_t)side;
  char *cells = malloc(size + 1);
  REQUIRE(cells != NULL);
  memset(cells, '#', size);
  carve_maze(cells, side, rooms, &seed);
  Map map = {cells, side, side};
  CrNavMesh *mesh = world_from_cells(&map, cell, tile_cells, allocator);
  free(cells);
  return mesh;
}

// A walkable cell's centre at height y.
static CrVec3 random_cell(const Map *map, double cell, double y, uint64_t *seed) {
  for (;;) {
    int32_t column = rnd_int(seed, map->columns), row = rnd_int(seed, map->rows);
    if (area_at(map, column, row) >= 0) return (CrVec3){(column + 0.5) * cell, y, (row + 0.5) * cell};
  }
}

// Up and down by turns; every third is one-way.
static void add_floor_links(Plan *plan, const Map *floors, double height, int32_t count, uint64_t *seed) {
  plan->links = malloc(((size_t)count + 1) * sizeof *plan->links);
  REQUIRE(plan->links != NULL);
  for (int32_t i = 0; i < count; i++) {
    int from = i & 1, to = !from;
    CrOffMeshLink *link = &plan->links[plan->link_count++];
    memset(link, 0, sizeof *link);
    link->start = random_cell(&floors[from], plan->cell, from ? height : 0.0, seed);
    link->end = random_cell(&floors[to], plan->cell, to ? height : 0.0, seed);
    link->radius = plan->cell * 0.5;
    link->user_id = (uint32_t)i;
    link->flags = 1;
    link->bidirectional = i % 3 != 2;
  }
}

// A strip behind the last row: level landings at both ends, the slope between them.
static void add_ramp(Plan *plan, int32_t columns, int32_t rows, double height) {
  for (int32_t column = 0; column < columns; column++) {
    double low = column <= 1 ? 0.0 : column == columns - 1 ? height : height * (column - 1) / (columns - 2);
    double high = column == 0 ? 0.0 : column >= columns - 2 ? height : height * column / (columns - 2);
    add_cell(plan, column, rows, low, high, 0);
  }
}

CrNavMesh *world_two_floors(uint64_t seed, int32_t columns, int32_t rows, double cell, double height, int32_t links,
                            int32_t tile_cells, const CrAllocator *allocator) {
  REQUIRE(columns >= 3 && rows >= 1);
  Plan plan = new_plan(columns, rows + 1, cell, tile_cells);
  char *cells[2];
  Map floors[2];
  for (int floor = 0; floor < 2; floor++) {
    cells[floor] = scattered_cells(&seed, columns, rows, 0.2);
    // The landings must meet their floors.
    cells[floor][(size_t)(rows - 1) * (size_t)columns + (floor ? (size_t)columns - 1 : 0)] = '.';
    floors[floor] = (Map){cells[floor], columns, rows};
    for (int32_t row = 0; row < rows; row++) {
      for (int32_t column = 0; column < columns; column++) {
        double y = floor ? height : 0.0;
        if (area_at(&floors[floor], column, row) >= 0) add_cell(&plan, column, row, y, y, 0);
      }
    }
  }
  add_ramp(&plan, columns, rows, height);
  add_floor_links(&plan, floors, height, links, &seed);
  free(cells[0]);
  free(cells[1]);
  return finish_plan(&plan, allocator);
}

// --- Reading a world ------------------------------------------------------------------------------------------------

CrPolyRef *world_all_polygons(const CrNavMesh *mesh, uint32_t *out_count) {
  uint32_t total = cr_navmesh_polygon_count(mesh), count = 0;
  CrPolyRef *refs = malloc(((size_t)total + 1) * sizeof *refs);
  REQUIRE(refs != NULL);
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrPolyRef ref;
    for (uint32_t p = 0; (ref = cr_navmesh_ref(mesh, slot, p)) != CR_INVALID_REF; p++) refs[count++] = ref;
  }
  REQUIRE(count == total);
  *out_count = count;
  return refs;
}

static CrPolyRef random_polygon(const CrNavMesh *mesh, uint64_t *seed) {
  uint32_t at = (uint32_t)(rnd_u64(seed) % cr_navmesh_polygon_count(mesh));
  for (uint32_t slot = 0;; slot++) {
    CrTileInfo info;
    if (cr_navmesh_tile_info(mesh, slot, &info) != CR_STATUS_OK) continue;
    if (at < info.polygon_count) return cr_navmesh_ref(mesh, slot, at);
    at -= info.polygon_count;
  }
}

// Weights for the corners: convex combinations stay inside.
CrVec3 world_random_point(const CrNavMesh *mesh, uint64_t *seed, CrPolyRef *out_ref) {
  REQUIRE(cr_navmesh_polygon_count(mesh) > 0);
  CrPolyRef ref = random_polygon(mesh, seed);
  CrPolygonInfo info;
  REQUIRE_OK(cr_navmesh_polygon(mesh, ref, &info));
  uint32_t k = 1 + (uint32_t)rnd_int(seed, (int32_t)info.vertex_count - 2);
  double u = rnd_unit(seed), v = rnd_unit(seed);
  if (u + v > 1.0) {
    u = 1.0 - u;
    v = 1.0 - v;
  }
  CrVec3 a = info.vertices[0], b = info.vertices[k], c = info.vertices[k + 1];
  if (out_ref) *out_ref = ref;
  return (CrVec3){a.x + (b.x - a.x) * u + (c.x - a.x) * v, a.y + (b.y - a.y) * u + (c.y - a.y) * v,
                  a.z + (b.z - a.z) * u + (c.z - a.z) * v};
}
