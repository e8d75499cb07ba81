// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The stages of a tile build and what they hand to each other. Every stage is a plain function on plain structures; all memory of a
// tile build comes from one arena and goes at once.
//
// Coordinates: cell (x, z) of a grid covers world x from grid_x(grid, x) to grid_x(grid, x + 1), and z likewise. Heights are whole cell
// heights above grid->origin_y. World coordinates of grid corners come from GLOBAL cell numbers by one expression, so that the tiles of a build agree bit
// for bit.
#ifndef CR_BUILD_INTERNAL_H
#define CR_BUILD_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/build_stages.h"

// --- Arena ----------------------------------------------------------------------------------------------------------------

typedef struct CrArenaBlock CrArenaBlock;

// Memory that lives until the arena is freed. `failed` sticks once an allocation failed: callers may check at stage ends.
typedef struct CrArena {
  CrAllocator allocator;
  CrArenaBlock *blocks;
  size_t
      largest_block;  // blocks double up to this; tests make it 0, so that every allocation is one of the allocator's
  bool failed;
} CrArena;

void cr__arena_init(CrArena *arena, const CrAllocator *allocator);
void cr__arena_free(CrArena *arena);
// What the arena holds now; rolling back to it gives everything taken since away (and forgets `failed`).
typedef struct CrArenaMark {
  CrArenaBlock *block;
  size_t used;
} CrArenaMark;
CrArenaMark cr__arena_mark(const CrArena *arena);
void cr__arena_roll_back(CrArena *arena, CrArenaMark mark);
// Gives everything taken away (and forgets `failed`), keeping the memory for what comes next, in one block where it can be had.
void cr__arena_rewind(CrArena *arena);
// Null when out of memory. Aligned for any type.
void *cr__arena_alloc(CrArena *arena, size_t count, size_t size);
void *cr__arena_zeroed(CrArena *arena, size_t count, size_t size);
// Room for `needed` elements in *memory by doubling (the old array stays in the arena until the end). False: out of memory.
bool cr__arena_grow(CrArena *arena, void **memory, size_t *capacity, size_t used, size_t needed, size_t size);

// --- Grid -----------------------------------------------------------------------------------------------------------------

#define CR_AREA_NONE 0xFF  // not walkable

// Directions of the four neighbours of a cell: -x, +z, +x, -z. Opposite: (d + 2) & 3.
static const int32_t cr__dir_x[4] = {-1, 0, 1, 0};
static const int32_t cr__dir_z[4] = {0, 1, 0, -1};

typedef struct CrGrid {
  int32_t width, depth;    // columns, border included
  int32_t border;          // columns on every side that belong to the neighbouring tiles; 0 when the input is one tile
  int32_t cell_x, cell_z;  // global number of column (0, 0); negative for the first tiles' borders
  double origin_x, origin_y, origin_z;  // corner of global cell (0, 0), height 0
  double cell_size, cell_height;
} CrGrid;

static inline double cr__grid_x(const CrGrid *grid, int32_t x) {
  return grid->origin_x + (double)(grid->cell_x + x) * grid->cell_size;
}
static inline double cr__grid_z(const CrGrid *grid, int32_t z) {
  return grid->origin_z + (double)(grid->cell_z + z) * grid->cell_size;
}
static inline double cr__grid_y(const CrGrid *grid, int32_t y) {
  return grid->origin_y + (double)y * grid->cell_height;
}

// The settings in cells.
typedef struct CrCells {
  int32_t height;  // headroom a walkable span needs: ceil(agent_height / cell_height)
  int32_t climb;   // floor(walkable_climb / cell_height)
  int32_t radius;  // ceil(agent_radius / cell_size)
} CrCells;

// --- Solid spans ----------------------------------------------------------------------------------------------------------

// A solid interval [low, high) of a column; walkable on top when area is not CR_AREA_NONE. Chained upwards, never overlapping
// or touching: low > high of the one below.
typedef struct CrSpan {
  int32_t low, high;
  uint32_t next;  // index + 1, 0 ends
  uint8_t area;
} CrSpan;

typedef struct CrSpanField {
  CrGrid grid;
  uint32_t *columns;  // width * depth: lowest span's index + 1, 0: empty
  uint32_t *latest;   // width * depth: the span added last, where the next often goes on
  CrSpan *spans;
  size_t span_count, span_capacity;
  uint32_t free_list;          // index + 1 of a freed span
  double *row_low, *row_high;  // width: scratch of the rasterizer
} CrSpanField;

bool cr__span_field_init(CrSpanField *field, const CrGrid *grid, CrArena *arena);
// Adds one triangle, clipped exactly to each column. Merged spans whose tops are at most `merge_climb` apart keep the walkable
// area when merged.
bool cr__rasterize_triangle(CrSpanField *field, CrArena *arena, const CrVec3 corners[3], uint8_t area,
                            int32_t merge_climb);

// Spans in use.
uint64_t cr__span_field_live(const CrSpanField *field);

void cr__filter_low_obstacles(CrSpanField *field, const CrCells *cells);
void cr__filter_ledges(CrSpanField *field, const CrCells *cells);
void cr__filter_low_headroom(CrSpanField *field, const CrCells *cells);

// --- Open spans -----------------------------------------------------------------------------------------------------------

#define CR_NO_SPAN UINT32_MAX
#define CR_BORDER_REGION 0x80000000u  // flag on the regions of the border columns: contours are not traced round them

// The walkable surface: spans of open space above walkable floors, in column order (z-major: column = x + z * width), bottom up.
typedef struct CrOpenField {
  CrGrid grid;
  CrCells cells;
  uint32_t *first;        // width * depth + 1: first open span of each column
  uint32_t count;         // open spans
  int32_t *floor;         // count: height of the floor
  int32_t *headroom;      // count: free heights above it (INT32_MAX: open sky)
  uint8_t *area;          // count: 0..63, or CR_AREA_NONE after erosion
  uint32_t *neighbour;    // count * 4: open span reached in each direction, or CR_NO_SPAN
  uint32_t *region;       // count: 0 none, 1.., with CR_BORDER_REGION in the border columns
  uint32_t region_count;  // highest region number, border flag removed
} CrOpenField;

bool cr__open_field(const CrSpanField *spans, const CrCells *cells, CrArena *arena, CrOpenField *out);
bool cr__erode(CrOpenField *field, CrArena *arena);

// --- Volumes --------------------------------------------------------------------------------------------------------------

// CR_STATUS_ARGUMENT: `field` with the index of the first volume that is none.
CrStatus cr__volumes_check(const CrVolume *volumes, uint32_t count, const char *field, CrError *error);
// Marks the walkable spans of the columns whose centres are within `grow` of a volume, in order; CR_AREA_BLOCKED gives CR_AREA_NONE
// for good. Floors count when min_y <= y <= max_y, or with head > 0 when min_y - head < y < max_y.
void cr__volumes_mark(CrOpenField *field, const CrVolume *volumes, uint32_t count, double grow, double head);

// The box around a volume grown by a distance.
typedef struct CrVolumeBounds {
  double min_x, max_x, min_z, max_z;
} CrVolumeBounds;
void cr__volume_bounds(const CrVolume *volume, double grow, CrVolumeBounds *out);
// Whether a volume grown by a distance may reach a point of a rectangle: true when it does, false when it is surely away.
bool cr__volume_reaches(const CrVolume *volume, double grow, const CrVolumeBounds *rectangle);

// Obstacles mark what an agent standing there would touch. They grow by the agent's radius and half a cell, so that no point of a
// column left walkable is nearer to a straight side than the radius.
static inline double cr__obstacle_grow(const CrBuildSettings *settings) {
  return settings->agent_radius + settings->cell_size / 2;
}
void cr__obstacles_mark(CrOpenField *field, const CrBuildSettings *settings, const CrVolume *obstacles, uint32_t count);

// --- Regions --------------------------------------------------------------------------------------------------------------

// The partitions: each gives every walkable span of the tile's own columns a region, the border's CR_BORDER_REGION, then drops islands and merges
// regions by area. Fill region and region_count; regions must be zero before. A region is connected through its links, of one area, and never
// holds two spans of one column. False: out of memory; what is in `region` then is undefined.
bool cr__watershed(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena);
// Runs of a row, each going on the region of the row before where it is the only one to touch it.
bool cr__monotone(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena);
// The same, joined to layers.
bool cr__layers(CrOpenField *field, int32_t min_region_area, int32_t merge_region_area, CrArena *arena);
bool cr__partition(CrOpenField *field, const CrBuildSettings *settings, CrArena *arena);

// --- Tile builds ------------------------------------------------------------------------------------------------------------

// What the stages of any tile need beside its triangles. Must outlive the tile builds.
typedef struct CrTileContext {
  CrBuildSettings settings;
  CrNavMeshParams params;
  CrCells cells;
  const CrVolume *volumes, *obstacles;
  uint32_t volume_count, obstacle_count;
  const uint16_t *area_flags;  // 64, or null
  CrBuildCallbacks callbacks;
  CrAllocator allocator;
} CrTileContext;

#endif
