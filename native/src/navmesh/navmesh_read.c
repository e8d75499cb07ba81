// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Reading a mesh: counts, tiles, polygons, and triangles for drawing. Order: slot, polygon, triangle.
#include "navmesh_internal.h"

uint64_t cr_navmesh_edit_count(const CrNavMesh *mesh) { return mesh->edit_count; }
CrNavMeshParams cr_navmesh_params(const CrNavMesh *mesh) { return mesh->params; }
uint32_t cr_navmesh_slot_count(const CrNavMesh *mesh) { return mesh->slot_count; }
uint32_t cr_navmesh_tile_count(const CrNavMesh *mesh) { return mesh->tile_count; }
uint32_t cr_navmesh_polygon_count(const CrNavMesh *mesh) { return mesh->polygon_count; }

static const CrTile *tile_in(const CrNavMesh *mesh, uint32_t slot) {
  return slot < mesh->slot_count && mesh->tiles[slot].active ? &mesh->tiles[slot] : NULL;
}

CrStatus cr_navmesh_find_tile(const CrNavMesh *mesh, int32_t x, int32_t z, int32_t layer, uint32_t *out_slot) {
  for (uint32_t at = 0; (at = cr__tiles_at(mesh, x, z, at)) != 0;) {
    if (mesh->tiles[at - 1].layer != layer) continue;
    if (out_slot) *out_slot = at - 1;
    return CR_STATUS_OK;
  }
  return CR_STATUS_NOT_FOUND;
}

bool cr_navmesh_bounds(const CrNavMesh *mesh, CrVec3 *out_min, CrVec3 *out_max) {
  bool any = false;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = tile_in(mesh, slot);
    if (!tile || !tile->node_count) continue;
    const CrBoxNode *box = &tile->nodes[0];
    CrVec3 low = cr__vec(box->min[0], box->min[1], box->min[2]), high = cr__vec(box->max[0], box->max[1], box->max[2]);
    *out_min = any ? cr__vec(cr__min(out_min->x, low.x), cr__min(out_min->y, low.y), cr__min(out_min->z, low.z)) : low;
    *out_max =
        any ? cr__vec(cr__max(out_max->x, high.x), cr__max(out_max->y, high.y), cr__max(out_max->z, high.z)) : high;
    any = true;
  }
  return any;
}

CrStatus cr_navmesh_tile_info(const CrNavMesh *mesh, uint32_t slot, CrTileInfo *out) {
  const CrTile *tile = tile_in(mesh, slot);
  if (!tile) return CR_STATUS_NOT_FOUND;
  *out = (CrTileInfo){.x = tile->x,
                      .z = tile->z,
                      .layer = tile->layer,
                      .salt = tile->salt,
                      .vertex_count = tile->vertex_count,
                      .polygon_count = tile->polygon_count,
                      .link_count = tile->link_count,
                      .off_mesh_count = tile->off_mesh_count,
                      .content_hash = cr__tile_content_hash(tile)};
  return CR_STATUS_OK;
}

CrStatus cr_navmesh_off_mesh_link(const CrNavMesh *mesh, uint32_t slot, uint32_t index, CrOffMeshInfo *out) {
  const CrTile *tile = tile_in(mesh, slot);
  if (!tile || index >= tile->off_mesh_count) return CR_STATUS_NOT_FOUND;
  const CrLinkJoin *join = &tile->joins[index];
  *out = (CrOffMeshInfo){tile->off_mesh[index], join->start && join->end, join->start, join->end,
                         join->start_point,     join->end_point};
  return CR_STATUS_OK;
}

uint32_t cr_navmesh_unconnected_links(const CrNavMesh *mesh, CrOffMeshId *out, uint32_t capacity) {
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = tile_in(mesh, slot);
    for (uint32_t i = 0; tile && i < tile->off_mesh_count; i++) {
      if (tile->joins[i].start && tile->joins[i].end) continue;
      if (count < capacity) out[count] = (CrOffMeshId){slot, i};
      count++;
    }
  }
  return count;
}

CrStatus cr_navmesh_tile_bytes(const CrNavMesh *mesh, uint32_t slot, const CrAllocator *allocator, CrBytes *out,
                               CrError *error) {
  const CrTile *tile = tile_in(mesh, slot);
  if (!tile) return cr__fail_index(error, CR_STATUS_NOT_FOUND, "slot", slot);
  return cr__tile_to_bytes(tile, allocator, out, error);
}

bool cr_navmesh_is_valid_ref(const CrNavMesh *mesh, CrPolyRef ref) { return cr__resolve(mesh, ref) != NULL; }

CrPolyRef cr_navmesh_ref(const CrNavMesh *mesh, uint32_t slot, uint32_t index) {
  const CrTile *tile = tile_in(mesh, slot);
  return tile && index < tile->polygon_count ? cr__tile_ref(mesh, tile, index) : CR_INVALID_REF;
}

CrStatus cr_navmesh_polygon(const CrNavMesh *mesh, CrPolyRef ref, CrPolygonInfo *out) {
  const CrTile *tile = cr__resolve(mesh, ref);
  if (!tile) return CR_STATUS_STALE_REF;
  uint32_t polygon = cr__ref_polygon(ref);
  *out = (CrPolygonInfo){.vertex_count = cr__polygon_vertex_count(tile, polygon),
                         .area = tile->areas[polygon],
                         .flags = tile->flags[polygon]};
  for (uint32_t k = 0; k < out->vertex_count; k++) out->vertices[k] = cr__polygon_vertex(tile, polygon, k);
  return CR_STATUS_OK;
}

// --- Triangles ------------------------------------------------------------------------------------------------------

uint32_t cr_navmesh_triangle_count(const CrNavMesh *mesh) {
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = tile_in(mesh, slot);
    if (tile) count += tile->detail_triangle_count;
  }
  return count;
}

static CrVec3 triangle_corner(const CrTile *tile, uint32_t polygon, uint32_t corner) {
  uint32_t count = cr__polygon_vertex_count(tile, polygon);
  if (corner < count) return cr__polygon_vertex(tile, polygon, corner);
  return tile->detail_vertices[tile->detail_first_vertex[polygon] + corner - count];
}

static void fill_triangles(const CrTile *tile, uint32_t polygon, double *positions, uint8_t *areas) {
  uint32_t first = tile->detail_first_triangle[polygon], end = tile->detail_first_triangle[polygon + 1];
  for (uint32_t t = first; t < end; t++) {
    if (areas) areas[t] = tile->areas[polygon];
    for (size_t k = 0; positions && k < 3; k++) {
      CrVec3 at = triangle_corner(tile, polygon, tile->detail_triangles[(size_t)t * 3 + k]);
      double *out = positions + (size_t)t * 9 + k * 3;
      out[0] = at.x;
      out[1] = at.y;
      out[2] = at.z;
    }
  }
}

void cr_navmesh_triangles(const CrNavMesh *mesh, double *positions, uint8_t *areas) {
  for (uint32_t slot = 0; slot < mesh->slot_count; slot++) {
    const CrTile *tile = tile_in(mesh, slot);
    if (!tile) continue;
    for (uint32_t p = 0; p < tile->polygon_count; p++) fill_triangles(tile, p, positions, areas);
    if (positions) positions += (size_t)tile->detail_triangle_count * 9;
    if (areas) areas += tile->detail_triangle_count;
  }
}
