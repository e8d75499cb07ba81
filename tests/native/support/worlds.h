// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Test meshes made from maps, without the build pipeline. Each stops the program when it cannot be made.
#ifndef CR_TEST_WORLDS_H
#define CR_TEST_WORLDS_H

#include "crowdreel/navmesh.h"

// A flat world from a character map: '\n' ends a row, '.' is walkable, anything else is not; letters 'a'..'z' are
// walkable with area 1..26. Cell (column, row) covers x in [column*cell, (column+1)*cell] and z likewise by row, at y =
// 0. Each walkable cell is one square polygon. tile_cells 0: one tile; else square tiles of that many cells.
CrNavMesh *world_from_map(const char *map, double cell, int32_t tile_cells, const CrAllocator *allocator);

// As above with runs of walkable cells in a row merged into rectangles of up to `max_run` (at most 5) cells (their long
// edges get the neighbours' corners as extra vertices), so that polygons differ in size.
CrNavMesh *world_from_map_merged(const char *map, double cell, int32_t max_run, int32_t tile_cells,
                                 const CrAllocator *allocator);

// Random square obstacles covering about `fill` of a field of columns x rows cells; the walkable part need not be
// connected.
CrNavMesh *world_scattered(uint64_t seed, int32_t columns, int32_t rows, double cell, double fill, int32_t tile_cells,
                           const CrAllocator *allocator);

// A perfect maze (a spanning tree of rooms x rooms cells with walls between): exactly one way between any two cells.
CrNavMesh *world_maze(uint64_t seed, int32_t rooms, double cell, int32_t tile_cells, const CrAllocator *allocator);

// Two scattered floors `height` apart joined by a ramp along one side and by `links` off-mesh links, some one-way.
CrNavMesh *world_two_floors(uint64_t seed, int32_t columns, int32_t rows, double cell, double height, int32_t links,
                            int32_t tile_cells, const CrAllocator *allocator);

// Folds the mesh's snapshot into the program's digest (check_note_bytes). The meshes made here are noted as they are made.
void world_note(const CrNavMesh *mesh);

// Every polygon of the mesh in reference order; *out_count entries, freed with free().
CrPolyRef *world_all_polygons(const CrNavMesh *mesh, uint32_t *out_count);

// A seeded random point inside a seeded random polygon.
CrVec3 world_random_point(const CrNavMesh *mesh, uint64_t *seed, CrPolyRef *out_ref);

#endif
