// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Tiles made by hand, for tests of the mesh itself.
#ifndef CR_TEST_TILE_KIT_H
#define CR_TEST_TILE_KIT_H

#include "crowdreel/navmesh.h"

#define KIT_MAX 4096

typedef struct TileKit {
  CrTileDescription tile;  // points into the arrays below once kit_describe was called
  double vertices[KIT_MAX * 3];
  uint8_t counts[KIT_MAX], areas[KIT_MAX];
  uint16_t flags[KIT_MAX];
  uint32_t corners[KIT_MAX * 4];
  CrOffMeshLink links[64];
  uint32_t corner_count;
} TileKit;

void kit_begin(TileKit *kit, int32_t x, int32_t z, int32_t layer);
// Finds the vertex at exactly this place, or adds it.
uint32_t kit_vertex(TileKit *kit, double x, double y, double z);
// A polygon of `count` corners, 3 numbers each (x, y, z).
void kit_polygon(TileKit *kit, uint32_t count, const double *corners);
// A rectangle, level at y.
void kit_rectangle(TileKit *kit, double x0, double z0, double x1, double z1, double y);
CrOffMeshLink *kit_link(TileKit *kit, CrVec3 start, CrVec3 end, double radius, bool bidirectional);
CrTileDescription *kit_describe(TileKit *kit);
// Encodes; stops the program when that fails.
CrBytes kit_encode(TileKit *kit, const CrNavMeshParams *params);
// Encodes and adds; stops the program when that fails. Returns the slot.
uint32_t kit_add(TileKit *kit, CrNavMesh *mesh);

// A seeded tile: a grid of unequal rectangles with holes, on one or two storeys of varying height, with areas, flags
// and off-mesh links that may lead up to two tiles away.
void kit_random(TileKit *kit, const CrNavMeshParams *params, uint64_t *seed, int32_t x, int32_t z, int32_t layer);

// A mesh of two platforms four units apart: x 0 to 4 at height 0 and 8 to `far`, z 0 to 4, joined by a link (user id 7) from
// (4, 0, 2) to (8, height, 2).
CrNavMesh *kit_platforms(double height, double far, bool both_ways);

// A full snapshot; stops the program when that fails.
CrBytes kit_save(const CrNavMesh *mesh);
bool kit_same_bytes(const CrBytes *a, const CrBytes *b);
// Where the polygon areas begin in a tile's bytes, from the documented layout (docs/formats/tile.md); the flags follow them.
size_t kit_areas_offset(const uint8_t *tile);

// Null when the two meshes have the same tiles, joins and links, slots and salts aside; else what differs.
const char *kit_difference(const CrNavMesh *a, const CrNavMesh *b);
// Whether a route turns back at a seam: from a polygon into one of the next tile and, over the same piece of its edge, back into
// another polygon.
bool kit_turns_back(const CrNavMesh *mesh, const CrPolyRef *path, int32_t count);

#endif
