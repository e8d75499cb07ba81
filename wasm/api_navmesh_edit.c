// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Making and changing meshes: from snapshots, tiles and polygons. Changes take the handle of a mesh itself: the mesh of a player
// belongs to its replay.
#include "abi.h"

_Static_assert(sizeof(CrTileData) == 8, "tiles are pairs of address and size");

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "mesh"); }

// --- Making -----------------------------------------------------------------------------------------------------------

// `tiles`: address and size (u32 each) of the bytes of tiles that a referenced snapshot needs.
CRW_EXPORT int32_t crw_navmesh_load(const uint8_t *data, int32_t size, const CrTileData *tiles, int32_t tile_count) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrNavMesh *mesh;
  CrStatus status =
      cr_navmesh_load_referenced(data, (size_t)size, tiles, (uint32_t)tile_count, NULL, &mesh, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_NAVMESH, mesh, 0);
}

CRW_EXPORT int32_t crw_navmesh_create(const double *params_cells) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrNavMeshParams params;
  crw__take_params(params_cells, &params);
  CrNavMesh *mesh;
  CrStatus status = cr_navmesh_create(&params, NULL, &mesh, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_NAVMESH, mesh, 0);
}

typedef struct SoupCells {
  uint32_t positions, position_count, corner_counts, corners, polygon_count, areas, flags, off_mesh_links,
      off_mesh_count;
  double climb, agent_radius, agent_height;
} SoupCells;

// `cells`: POLYGON_SOUP.
CRW_EXPORT int32_t crw_navmesh_from_polygons(const double *at) {
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  SoupCells cells, *it = &cells;
  CRW_RECORD_POLYGON_SOUP(CRW_TAKE_FIELD)
  CrOffMeshLink *links = crw__work(cells.off_mesh_count * sizeof *links);
  if (!links) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  crw__take_links(cells.off_mesh_links, cells.off_mesh_count, links);
  CrPolygonSoup soup = {.position_count = cells.position_count,
                        .polygon_count = cells.polygon_count,
                        .positions = crw__pointer(cells.positions),
                        .corner_counts = crw__pointer(cells.corner_counts),
                        .corners = crw__pointer(cells.corners),
                        .areas = crw__pointer(cells.areas),
                        .flags = crw__pointer(cells.flags),
                        .off_mesh_count = cells.off_mesh_count,
                        .off_mesh_links = links,
                        .climb = cells.climb,
                        .agent_radius = cells.agent_radius,
                        .agent_height = cells.agent_height};
  CrNavMesh *mesh;
  CrStatus status = cr_navmesh_from_polygons(&soup, NULL, &mesh, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_NAVMESH, mesh, 0);
}

typedef struct TileCells {
  int32_t x, z, layer;
  uint32_t vertex_count, polygon_count, vertices, polygon_vertex_counts, polygon_vertices, polygon_neighbours,
      polygon_areas, polygon_flags, detail_vertex_counts, detail_triangle_counts, detail_vertices, detail_triangles,
      off_mesh_links, off_mesh_count;
} TileCells;

static CrTileDescription describe(const TileCells *cells, const CrOffMeshLink *links) {
  return (CrTileDescription){.x = cells->x,
                             .z = cells->z,
                             .layer = cells->layer,
                             .vertex_count = cells->vertex_count,
                             .polygon_count = cells->polygon_count,
                             .vertices = crw__pointer(cells->vertices),
                             .polygon_vertex_counts = crw__pointer(cells->polygon_vertex_counts),
                             .polygon_vertices = crw__pointer(cells->polygon_vertices),
                             .polygon_neighbours = crw__pointer(cells->polygon_neighbours),
                             .polygon_areas = crw__pointer(cells->polygon_areas),
                             .polygon_flags = crw__pointer(cells->polygon_flags),
                             .detail_vertex_counts = crw__pointer(cells->detail_vertex_counts),
                             .detail_triangle_counts = crw__pointer(cells->detail_triangle_counts),
                             .detail_vertices = crw__pointer(cells->detail_vertices),
                             .detail_triangles = crw__pointer(cells->detail_triangles),
                             .off_mesh_count = cells->off_mesh_count,
                             .off_mesh_links = links};
}

// `params_cells`: NAVMESH_PARAMS; `at`: TILE_DESCRIPTION. Bulk result: the tile's bytes.
CRW_EXPORT int32_t crw_tile_encode(const double *params_cells, const double *at) {
  CrNavMeshParams params;
  crw__take_params(params_cells, &params);
  TileCells cells, *it = &cells;
  CRW_RECORD_TILE_DESCRIPTION(CRW_TAKE_FIELD)
  CrOffMeshLink *links = crw__work(cells.off_mesh_count * sizeof *links);
  if (!links) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  crw__take_links(cells.off_mesh_links, cells.off_mesh_count, links);
  CrTileDescription tile = describe(&cells, links);
  CrBytes bytes = {0};
  CrStatus status = cr_tile_encode(&params, &tile, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

// --- Bytes ------------------------------------------------------------------------------------------------------------

// Record: the hash (U64).
CRW_EXPORT int32_t crw_tile_content_hash(const uint8_t *data, int32_t size) {
  uint64_t hash;
  CrStatus status = cr_tile_content_hash(data, (size_t)size, &hash, crw__error());
  if (status) return crw__done(status);
  crw__put_u64(crw__record(), hash);
  return 0;
}

typedef CrStatus (*NeedsOf)(const uint8_t *data, size_t size, CrTileNeed *out, uint32_t capacity, uint32_t *out_count,
                            CrError *error);

static int32_t list_needs(NeedsOf needs_of, const uint8_t *data, int32_t size) {
  uint32_t count;
  CrStatus status = needs_of(data, (size_t)size, NULL, 0, &count, crw__error());
  if (status) return crw__done(status);
  CrTileNeed *needs = crw__work(count * sizeof *needs);
  double *at = crw__result((size_t)count * CRW_CELLS_TILE_NEED * sizeof *at);
  if (!needs || !at) return crw__no_memory();
  needs_of(data, (size_t)size, needs, count, &count, crw__error());
  for (const CrTileNeed *it = needs; it < needs + count; it++) {
    CRW_RECORD_TILE_NEED(CRW_PUT_FIELD)
  }
  return (int32_t)count;
}

// Bulk result: a TILE_NEED record for each tile a snapshot needs. Returns their number.
CRW_EXPORT int32_t crw_navmesh_snapshot_needs(const uint8_t *data, int32_t size) {
  return list_needs(cr_navmesh_snapshot_needs, data, size);
}

// The same of the mesh's part of a crowd state.
CRW_EXPORT int32_t crw_crowd_state_needs(const uint8_t *data, int32_t size) {
  return list_needs(cr_crowd_state_needs, data, size);
}

// --- Changing ---------------------------------------------------------------------------------------------------------

// Returns the slot the tile is in.
CRW_EXPORT int32_t crw_navmesh_add_tile(int32_t handle, const uint8_t *data, int32_t size) {
  CrNavMesh *mesh = crw__mesh(handle);
  if (!mesh) return stale();
  uint32_t slot;
  CrStatus status = cr_navmesh_add_tile(mesh, data, (size_t)size, &slot, crw__error());
  return status ? crw__done(status) : (int32_t)slot;
}

// Returns the slot the tile is in.
CRW_EXPORT int32_t crw_navmesh_replace_tile(int32_t handle, const uint8_t *data, int32_t size) {
  CrNavMesh *mesh = crw__mesh(handle);
  if (!mesh) return stale();
  uint32_t slot;
  CrStatus status = cr_navmesh_replace_tile(mesh, data, (size_t)size, &slot, crw__error());
  return status ? crw__done(status) : (int32_t)slot;
}

CRW_EXPORT int32_t crw_navmesh_remove_tile(int32_t handle, int32_t x, int32_t z, int32_t layer) {
  CrNavMesh *mesh = crw__mesh(handle);
  if (!mesh) return stale();
  return crw__done(cr_navmesh_remove_tile(mesh, x, z, layer, crw__error()));
}

CRW_EXPORT int32_t crw_navmesh_set_area(int32_t handle, uint64_t ref, int32_t area) {
  CrNavMesh *mesh = crw__mesh(handle);
  if (!mesh) return stale();
  return crw__done(cr_navmesh_set_area(mesh, ref, crw__u8(area), crw__error()));
}

CRW_EXPORT int32_t crw_navmesh_set_flags(int32_t handle, uint64_t ref, int32_t flags) {
  CrNavMesh *mesh = crw__mesh(handle);
  if (!mesh) return stale();
  return crw__done(cr_navmesh_set_flags(mesh, ref, crw__u16(flags), crw__error()));
}
