// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Navigation meshes: saving, what they hold, and their surface in bulk for drawing. A `view` is the handle of a mesh, or of
// a query, crowd or player, whose mesh is meant.
#include "abi.h"

// Bulk result: the snapshot, full or (referenced != 0) without the tiles' bytes.
CRW_EXPORT int32_t crw_navmesh_save(int32_t view, int32_t referenced) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  CrBytes bytes = {0};
  CrStatus status = referenced ? cr_navmesh_save_referenced(mesh, NULL, &bytes, crw__error())
                               : cr_navmesh_save(mesh, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

typedef struct NavMeshInfo {
  uint64_t edit_count;
  uint32_t slot_count, tile_count, polygon_count;
  bool has_bounds;
  CrVec3 min, max;
} NavMeshInfo;

// Records: NAVMESH_INFO, then NAVMESH_PARAMS.
CRW_EXPORT int32_t crw_navmesh_info(int32_t view) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  double *at = crw__record();
  NavMeshInfo info = {.edit_count = cr_navmesh_edit_count(mesh),
                      .slot_count = cr_navmesh_slot_count(mesh),
                      .tile_count = cr_navmesh_tile_count(mesh),
                      .polygon_count = cr_navmesh_polygon_count(mesh)};
  info.has_bounds = cr_navmesh_bounds(mesh, &info.min, &info.max);
  {
    const NavMeshInfo *it = &info;
    CRW_RECORD_NAVMESH_INFO(CRW_PUT_FIELD)
  }
  CrNavMeshParams params = cr_navmesh_params(mesh);
  crw__put_params(at, &params);
  return 0;
}

// Bulk result: 9 doubles for each triangle of the surface, then one area byte for each. Returns their number.
CRW_EXPORT int32_t crw_navmesh_triangles(int32_t view) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  uint32_t count = cr_navmesh_triangle_count(mesh);
  double *positions = crw__result((size_t)count * (9 * sizeof(double) + 1));
  if (!positions) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  cr_navmesh_triangles(mesh, positions, (uint8_t *)(positions + (size_t)count * 9));
  return (int32_t)count;
}

// One pass over all polygons in slot and index order: counts vertices, or writes rows when `rows` is given.
typedef struct OutlineRows {
  uint64_t *refs;
  double *positions;
  uint8_t *counts, *areas;
} OutlineRows;

static uint32_t visit_outlines(const CrNavMesh *mesh, const OutlineRows *rows) {
  uint32_t polygons = 0, vertices = 0;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo tile;
    if (cr_navmesh_tile_info(mesh, slot, &tile)) continue;
    for (uint32_t index = 0; index < tile.polygon_count; index++, polygons++) {
      CrPolyRef ref = cr_navmesh_ref(mesh, slot, index);
      CrPolygonInfo polygon;
      if (cr_navmesh_polygon(mesh, ref, &polygon)) continue;
      if (rows) {
        rows->refs[polygons] = ref;
        rows->counts[polygons] = (uint8_t)polygon.vertex_count;
        rows->areas[polygons] = polygon.area;
        __builtin_memcpy(rows->positions + (size_t)vertices * 3, polygon.vertices,
                         polygon.vertex_count * sizeof(CrVec3));
      }
      vertices += polygon.vertex_count;
    }
  }
  return vertices;
}

// Bulk result: a u64 reference for each polygon, then 3 doubles for each outline vertex, then a vertex count byte for
// each polygon, then an area byte for each. Returns the number of vertices; NAVMESH_INFO has the number of polygons.
CRW_EXPORT int32_t crw_navmesh_outlines(int32_t view) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  size_t polygons = cr_navmesh_polygon_count(mesh), vertices = visit_outlines(mesh, NULL);
  uint64_t *refs = crw__result(polygons * (sizeof(uint64_t) + 2) + vertices * sizeof(CrVec3));
  if (!refs) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  double *positions = (double *)(refs + polygons);
  uint8_t *counts = (uint8_t *)(positions + vertices * 3);
  OutlineRows rows = {refs, positions, counts, counts + polygons};
  visit_outlines(mesh, &rows);
  return (int32_t)vertices;
}

// 1 when the reference names a polygon of the mesh, else 0.
CRW_EXPORT int32_t crw_navmesh_is_valid_ref(int32_t view, uint64_t ref) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  return cr_navmesh_is_valid_ref(mesh, ref);
}

// Record block: area, flags, then 3 doubles for each vertex. Returns the number of vertices.
CRW_EXPORT int32_t crw_navmesh_polygon(int32_t view, uint64_t ref) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  CrPolygonInfo polygon;
  CrStatus status = cr_navmesh_polygon(mesh, ref, &polygon);
  if (status) return crw__fail(status, "ref");
  double *at = crw__record();
  CRW_PUT_U8(polygon.area)
  CRW_PUT_U16(polygon.flags)
  for (uint32_t k = 0; k < polygon.vertex_count; k++) CRW_PUT_VEC3(polygon.vertices[k])
  return (int32_t)polygon.vertex_count;
}

// --- Tiles and links ----------------------------------------------------------------------------------------------------

// Bulk result: for each tile its slot, then a TILE_INFO record. Returns their number.
CRW_EXPORT int32_t crw_navmesh_tiles(int32_t view) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  uint32_t count = cr_navmesh_tile_count(mesh);
  double *at = crw__result((size_t)count * (1 + CRW_CELLS_TILE_INFO) * sizeof *at);
  if (!at) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo tile;
    if (cr_navmesh_tile_info(mesh, slot, &tile)) continue;
    CRW_PUT_U32(slot)
    const CrTileInfo *it = &tile;
    CRW_RECORD_TILE_INFO(CRW_PUT_FIELD)
  }
  return (int32_t)count;
}

// The slot of the tile. CR_STATUS_NOT_FOUND.
CRW_EXPORT int32_t crw_navmesh_find_tile(int32_t view, int32_t x, int32_t z, int32_t layer) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  uint32_t slot;
  CrStatus status = cr_navmesh_find_tile(mesh, x, z, layer, &slot);
  return status ? crw__fail(status, "tile") : (int32_t)slot;
}

// Bulk result: the tile as it is now.
CRW_EXPORT int32_t crw_navmesh_tile_bytes(int32_t view, int32_t slot) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  CrBytes bytes = {0};
  CrStatus status = cr_navmesh_tile_bytes(mesh, (uint32_t)slot, NULL, &bytes, crw__error());
  return status ? crw__done(status) : crw__result_bytes(bytes);
}

static double *put_off_mesh(double *at, const CrNavMesh *mesh, CrOffMeshId id) {
  CrOffMeshInfo info;
  cr_navmesh_off_mesh_link(mesh, id.slot, id.index, &info);
  CRW_PUT_U32(id.slot)
  CRW_PUT_U32(id.index)
  at = crw__put_link(at, &info.link);
  const CrOffMeshInfo *it = &info;
  CRW_RECORD_OFF_MESH_INFO(CRW_PUT_FIELD)
  return at;
}

static size_t count_links(const CrNavMesh *mesh) {
  size_t count = 0;
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo tile;
    if (!cr_navmesh_tile_info(mesh, slot, &tile)) count += tile.off_mesh_count;
  }
  return count;
}

static void list_links(const CrNavMesh *mesh, CrOffMeshId *out) {
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh); slot++) {
    CrTileInfo tile;
    if (cr_navmesh_tile_info(mesh, slot, &tile)) continue;
    for (uint32_t index = 0; index < tile.off_mesh_count; index++) *out++ = (CrOffMeshId){slot, index};
  }
}

// Off-mesh links, all or (open != 0) those not connected. Bulk result: for each its slot and its index there, then an
// OFF_MESH_LINK and an OFF_MESH_INFO record. Returns their number.
CRW_EXPORT int32_t crw_navmesh_off_mesh_links(int32_t view, int32_t open) {
  const CrNavMesh *mesh = crw__mesh_view(view);
  if (!mesh) return crw__fail(CR_STATUS_STALE_HANDLE, "mesh");
  size_t count = open ? cr_navmesh_unconnected_links(mesh, NULL, 0) : count_links(mesh);
  CrOffMeshId *ids = crw__work(count * sizeof *ids);
  size_t cells = 2 + CRW_CELLS_OFF_MESH_LINK + CRW_CELLS_OFF_MESH_INFO;
  double *at = crw__result(count * cells * sizeof *at);
  if (!ids || !at) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  if (open) {
    cr_navmesh_unconnected_links(mesh, ids, (uint32_t)count);
  } else {
    list_links(mesh, ids);
  }
  for (size_t i = 0; i < count; i++) at = put_off_mesh(at, mesh, ids[i]);
  return (int32_t)count;
}
