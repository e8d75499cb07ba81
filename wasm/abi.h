// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The flat interface of the WebAssembly module (docs/formats/wasm-abi.md): records, handles and memory blocks.
//
// A record crosses the border as consecutive 8-byte cells, never as a C struct, so padding and enum sizes do not matter.
// The manifests below are the only place where a record's fields are listed in C. The module hands their text to the
// host, which compares it with its own tables at load time.
#ifndef CRW_ABI_H
#define CRW_ABI_H

#include "crowdreel/crowdreel.h"

#define CRW_ABI_VERSION 4

// An exported function. `used` keeps it through link-time optimisation; the link line names it.
#define CRW_EXPORT __attribute__((used, visibility("default")))

_Static_assert(sizeof(void *) == 4, "addresses cross the border as i32");
_Static_assert(sizeof(double) == 8, "a cell is eight bytes");
_Static_assert(CR_STATUS_COUNT_ == 19, "a new status needs a row in docs/formats/wasm-abi.md and in the package");

// --- Records --------------------------------------------------------------------------------------------------------

// clang-format off
// Cell kinds: F64 a double; I32, I64, U8, U16, U32, BOOL a whole number as a double; U64 raw bits (references, hashes);
// VEC3 three doubles; COSTS the CR_MAX_AREA + 1 area costs; CORNERS the x and z of CR_VOLUME_MAX_CORNERS corners.
#define CRW_RECORD_ERROR(X) \
  X(I32, status) X(I32, format) X(U32, field) X(F64, offset) X(F64, index) X(F64, limit)

#define CRW_RECORD_BUILD_SETTINGS(X)                                                                            \
  X(F64, agent_radius) X(F64, agent_height) X(F64, walkable_climb) X(F64, max_slope) X(F64, cell_size)          \
  X(F64, cell_height) X(F64, contour_max_error) X(F64, max_edge_length) X(F64, detail_sample_distance)          \
  X(F64, detail_max_error) X(I32, min_region_area) X(I32, merge_region_area) X(I32, max_verts_per_poly)         \
  X(I32, partition) X(I32, tile_cells)

#define CRW_RECORD_BUILD_REPORT(X)                                                                              \
  X(U32, triangles_used) X(U32, triangles_degenerate) X(U32, triangles_duplicate) X(U32, triangles_steep)       \
  X(U32, triangles_downward) X(I64, first_degenerate) X(I64, first_duplicate) X(I64, first_steep)               \
  X(I64, first_downward) X(U32, off_mesh_outside) X(I64, first_off_mesh_outside) X(I64, spans) X(U32, regions)  \
  X(U32, contours) X(U32, polygons) X(U32, vertices) X(U32, detail_triangles) X(U32, tiles_built)               \
  X(U32, tiles_empty)

#define CRW_RECORD_NAVMESH_PARAMS(X) \
  X(F64, origin_x) X(F64, origin_z) X(F64, tile_size) X(F64, climb) X(F64, agent_radius) X(F64, agent_height)

#define CRW_RECORD_NAVMESH_INFO(X) \
  X(U64, edit_count) X(U32, slot_count) X(U32, tile_count) X(U32, polygon_count) X(BOOL, has_bounds) \
  X(VEC3, min) X(VEC3, max)

#define CRW_RECORD_QUERY_OPTIONS(X) X(I32, max_nodes) X(I32, node_model) X(BOOL, hierarchical)

#define CRW_RECORD_QUERY_FILTER(X) X(U16, include_flags) X(U16, exclude_flags) X(COSTS, area_cost)

#define CRW_RECORD_NEAREST_POLY(X) X(U64, ref) X(VEC3, point) X(BOOL, over)

#define CRW_RECORD_PATH_RESULT(X) \
  X(I32, outcome) X(BOOL, out_of_nodes) X(BOOL, truncated) X(I32, count) X(I64, iterations) X(VEC3, end)

#define CRW_RECORD_CORNER(X) X(VEC3, point) X(U64, ref) X(I32, path_index) X(U8, flags)

#define CRW_RECORD_MOVE_RESULT(X) X(VEC3, point) X(I32, count) X(BOOL, truncated) X(BOOL, blocked)

#define CRW_RECORD_RAYCAST_RESULT(X)                                                                            \
  X(BOOL, hit) X(BOOL, truncated) X(F64, t) X(VEC3, point) X(F64, normal_x) X(F64, normal_z) X(U64, hit_ref)    \
  X(I32, hit_edge) X(F64, cost) X(I32, count)

#define CRW_RECORD_WALL_PIECE(X) \
  X(U64, ref) X(U8, edge) X(U8, part) X(VEC3, a) X(VEC3, b) X(F64, distance)

#define CRW_RECORD_CROWD_OPTIONS(X)                                                                             \
  X(I32, max_agents) X(I32, query_nodes) X(U8, query_node_model) X(I32, max_walls_per_agent)                    \
  X(F64, wall_refresh_distance) X(I32, max_walls_avoided) X(BOOL, record_constraints) X(I32, max_threads)

#define CRW_RECORD_CROWD_INFO(X) X(I64, step_count) X(I32, agent_count) X(I32, slot_count) X(I64, next_id)

#define CRW_RECORD_FOLLOWER_OPTIONS(X)                                                                          \
  X(F64, max_speed) X(F64, max_acceleration) X(F64, slow_radius) X(F64, arrival_min_speed) X(F64, arrival_radius) \
  X(I32, max_corners) X(I32, validate_look_ahead) X(I32, optimize_interval) X(F64, optimize_range)              \
  X(I32, optimize_budget) X(I32, topology_interval) X(I32, topology_budget) X(I32, replan_budget)               \
  X(I32, max_replan_rounds) X(F64, stuck_window) X(F64, stuck_progress) X(I32, max_stuck_recoveries)            \
  X(U8, off_mesh_mode) X(F64, off_mesh_speed) X(F64, off_mesh_trigger_radius) X(VEC3, search_extents)           \
  X(I32, corridor_capacity) X(I32, refine_budget) X(F64, corner_clearance)

// The follower options of `path` follow these cells as a FOLLOWER_OPTIONS record.
#define CRW_RECORD_AGENT_OPTIONS(X)                                                                             \
  X(F64, radius) X(F64, max_speed) X(F64, max_acceleration) X(F64, arrival_radius) X(F64, priority)             \
  X(F64, wall_clearance) X(F64, separation_distance) X(F64, separation_weight) X(F64, side_preference)          \
  X(U8, quality) X(BOOL, has_path)

// The cells of a FOLLOWER_INFO record stand before these.
#define CRW_RECORD_AGENT_INFO(X)                                                                                \
  X(I64, id) X(I32, slot) X(F64, wanted_x) X(F64, wanted_z) X(BOOL, velocity_controlled) X(F64, priority)       \
  X(I32, wall_count)

#define CRW_RECORD_FOLLOWER_INFO(X)                                                                             \
  X(I32, state) X(BOOL, reached_target) X(VEC3, position) X(VEC3, velocity) X(VEC3, destination)                \
  X(F64, remaining_distance) X(I64, step_count) X(I32, replan_rounds) X(I32, stuck_recoveries)                  \
  X(BOOL, complete) X(BOOL, needs_replan) X(I32, corridor_count)

#define CRW_RECORD_CORRIDOR_INFO(X) \
  X(VEC3, position) X(VEC3, target) X(U64, target_ref) X(BOOL, complete) X(BOOL, needs_replan) X(I32, count) \
  X(I32, corner_count) X(I32, outcome)

#define CRW_RECORD_RECORDER_INFO(X) X(I32, step_count) X(I64, byte_size) X(U64, last_hash)

// The replay's crowd options follow as a CROWD_OPTIONS record.
#define CRW_RECORD_REPLAY_INFO(X)                                                                               \
  X(F64, dt) X(I64, start_step) X(I32, step_count) X(I64, file_size) X(I64, setup_size) X(I64, mesh_size)       \
  X(I64, state_size) X(I64, operation_count) X(I32, agents_at_start) X(U32, mesh_tiles) X(U32, mesh_polygons)   \
  X(I64, add_count) X(I64, remove_count) X(I64, set_destination_count) X(I64, stop_count) X(I64, teleport_count)

// For an Add the agent options follow as AGENT_OPTIONS and FOLLOWER_OPTIONS records.
#define CRW_RECORD_OPERATION(X) X(I32, kind) X(I64, agent_id) X(VEC3, position) X(I64, offset) X(I64, size)

#define CRW_RECORD_REPLAY_STEP(X) X(U64, hash) X(I64, size)

#define CRW_RECORD_PLAYER_OPTIONS(X) X(U32, keyframe_budget) X(I32, keyframe_spacing)

#define CRW_RECORD_PLAYER_INFO(X) \
  X(I32, position) X(I32, first_mismatch) X(I32, checked_steps) X(I32, keyframe_count) X(I64, keyframe_bytes)

// Where the arrays of a build input stand, and how many rows each has; 0 for none. Volumes and obstacles are VOLUME records, links
// OFF_MESH_LINK records, area_flags 64 u16.
#define CRW_RECORD_BUILD_INPUT(X)                                                                               \
  X(U32, vertices) X(U32, vertex_count) X(U32, triangles) X(U32, triangle_count) X(U32, areas) X(U32, volumes)  \
  X(U32, volume_count) X(U32, obstacles) X(U32, obstacle_count) X(U32, off_mesh_links) X(U32, off_mesh_count)   \
  X(U32, area_flags)

#define CRW_RECORD_VOLUME(X)                                                                                    \
  X(I32, shape) X(U8, area) X(F64, min_y) X(F64, max_y) X(F64, center_x) X(F64, center_z) X(F64, half_x)        \
  X(F64, half_z) X(F64, axis_x) X(F64, axis_z) X(F64, radius) X(U32, corner_count) X(CORNERS, corners)

#define CRW_RECORD_OFF_MESH_LINK(X) \
  X(VEC3, start) X(VEC3, end) X(F64, radius) X(U32, user_id) X(U16, flags) X(U8, area) X(BOOL, bidirectional)

#define CRW_RECORD_OFF_MESH_INFO(X) \
  X(BOOL, connected) X(U64, start_ref) X(U64, end_ref) X(VEC3, start_point) X(VEC3, end_point)

#define CRW_RECORD_POLYGON_SOUP(X)                                                                              \
  X(U32, positions) X(U32, position_count) X(U32, corner_counts) X(U32, corners) X(U32, polygon_count)          \
  X(U32, areas) X(U32, flags) X(U32, off_mesh_links) X(U32, off_mesh_count) X(F64, climb) X(F64, agent_radius)  \
  X(F64, agent_height)

#define CRW_RECORD_TILE_DESCRIPTION(X)                                                                          \
  X(I32, x) X(I32, z) X(I32, layer) X(U32, vertex_count) X(U32, polygon_count) X(U32, vertices)                 \
  X(U32, polygon_vertex_counts) X(U32, polygon_vertices) X(U32, polygon_neighbours) X(U32, polygon_areas)       \
  X(U32, polygon_flags) X(U32, detail_vertex_counts) X(U32, detail_triangle_counts) X(U32, detail_vertices)     \
  X(U32, detail_triangles) X(U32, off_mesh_links) X(U32, off_mesh_count)

#define CRW_RECORD_TILE_INFO(X)                                                                                 \
  X(I32, x) X(I32, z) X(I32, layer) X(U32, salt) X(U32, vertex_count) X(U32, polygon_count) X(U32, link_count)  \
  X(U32, off_mesh_count) X(U64, content_hash)

#define CRW_RECORD_TILE_NEED(X) X(U32, slot) X(I32, x) X(I32, z) X(I32, layer) X(I64, size) X(U64, content_hash)

#define CRW_RECORD_TILE_CACHE_INFO(X)                                                                           \
  X(I32, tiles_x) X(I32, tiles_z) X(U32, tile_count) X(U32, layer_count) X(I64, span_count) X(I64, packed_size) \
  X(I64, touch_count)

#define CRW_RECORD_GRID_VIEW(X)                                                                                 \
  X(I32, width) X(I32, depth) X(I32, border) X(I32, cell_x) X(I32, cell_z) X(F64, origin_x) X(F64, origin_y)    \
  X(F64, origin_z) X(F64, cell_size) X(F64, cell_height)

// The cells of a WALL_PIECE record stand behind these.
#define CRW_RECORD_WALL_DISTANCE(X) \
  X(BOOL, found) X(F64, distance) X(VEC3, point) X(F64, normal_x) X(F64, normal_z)

#define CRW_RECORD_AROUND_POLYGON(X) X(U64, ref) X(U64, parent) X(F64, cost)

#define CRW_RECORD_AROUND_RESULT(X) X(I32, count) X(BOOL, truncated)

#define CRW_RECORD_FOLLOWER_EVENT(X) X(U8, kind) X(BOOL, reached_target) X(U8, outcome) X(U32, link_user_id)

// The cells of a FOLLOWER_EVENT record stand behind these.
#define CRW_RECORD_CROWD_EVENT(X) X(I64, id) X(I32, slot)

#define CRW_RECORD_FOLLOWER_DEBUG(X)                                                                            \
  X(I32, state) X(VEC3, position) X(VEC3, velocity) X(VEC3, destination) X(I32, outline_count)                  \
  X(I32, vertex_count) X(I32, corner_count) X(I32, seen_count) X(BOOL, broken) X(BOOL, crossing)                \
  X(VEC3, off_mesh_start) X(VEC3, off_mesh_end) X(F64, off_mesh_elapsed) X(F64, off_mesh_duration)              \
  X(U64, off_mesh_exit)

#define CRW_RECORD_CROWD_DEBUG(X)                                                                               \
  X(U32, agent_count) X(U32, outline_count) X(U32, vertex_count) X(U32, corner_count) X(U32, wall_count)        \
  X(U32, constraint_count)

// The cells of a FOLLOWER_DEBUG record stand behind these.
#define CRW_RECORD_AGENT_DEBUG(X)                                                                               \
  X(I64, id) X(I32, slot) X(F64, radius) X(F64, wanted_x) X(F64, wanted_z) X(I32, wall_count)                   \
  X(I32, constraint_count) X(I32, wall_constraint_count)

#define CRW_RECORD_AGENT_WALL(X) X(U64, ref) X(U8, edge) X(U8, part) X(VEC3, a) X(VEC3, b)

#define CRW_RECORD_CONSTRAINT(X) X(F64, point_x) X(F64, point_z) X(F64, normal_x) X(F64, normal_z)

// Every record, in the order of its number.
#define CRW_RECORDS(R)                                                                                          \
  R(ERROR, 0) R(BUILD_SETTINGS, 1) R(BUILD_REPORT, 2) R(NAVMESH_PARAMS, 3) R(NAVMESH_INFO, 4) R(QUERY_OPTIONS, 5) \
  R(QUERY_FILTER, 6) R(NEAREST_POLY, 7) R(PATH_RESULT, 8) R(CORNER, 9) R(MOVE_RESULT, 10) R(RAYCAST_RESULT, 11) \
  R(WALL_PIECE, 12) R(CROWD_OPTIONS, 13) R(CROWD_INFO, 14) R(FOLLOWER_OPTIONS, 15) R(AGENT_OPTIONS, 16)         \
  R(AGENT_INFO, 17) R(FOLLOWER_INFO, 18) R(CORRIDOR_INFO, 19) R(RECORDER_INFO, 20) R(REPLAY_INFO, 21)           \
  R(OPERATION, 22) R(REPLAY_STEP, 23) R(PLAYER_OPTIONS, 24) R(PLAYER_INFO, 25) R(BUILD_INPUT, 26) R(VOLUME, 27)  \
  R(OFF_MESH_LINK, 28) R(OFF_MESH_INFO, 29) R(POLYGON_SOUP, 30) R(TILE_DESCRIPTION, 31) R(TILE_INFO, 32)        \
  R(TILE_NEED, 33) R(GRID_VIEW, 34) R(TILE_CACHE_INFO, 35) R(WALL_DISTANCE, 36) R(AROUND_POLYGON, 37)            \
  R(AROUND_RESULT, 38) R(FOLLOWER_EVENT, 39) R(CROWD_EVENT, 40) R(FOLLOWER_DEBUG, 41) \
  R(CROWD_DEBUG, 42) R(AGENT_DEBUG, 43) R(AGENT_WALL, 44) R(CONSTRAINT, 45)

// clang-format on

#define CRW_WIDTH_F64 1
#define CRW_WIDTH_I32 1
#define CRW_WIDTH_I64 1
#define CRW_WIDTH_U8 1
#define CRW_WIDTH_U16 1
#define CRW_WIDTH_U32 1
#define CRW_WIDTH_U64 1
#define CRW_WIDTH_BOOL 1
#define CRW_WIDTH_VEC3 3
#define CRW_WIDTH_COSTS (CR_MAX_AREA + 1)
#define CRW_WIDTH_CORNERS (2 * CR_VOLUME_MAX_CORNERS)

// CRW_CELLS_<RECORD>: the number of cells of a record.
#define CRW_ADD_WIDTH(kind, name) +CRW_WIDTH_##kind
#define CRW_COUNT_CELLS(record, number) CRW_CELLS_##record = 0 CRW_RECORD_##record(CRW_ADD_WIDTH),
enum { CRW_RECORDS(CRW_COUNT_CELLS) };
#define CRW_COUNT_RECORDS(record, number) +1
enum { CRW_RECORD_COUNT = 0 CRW_RECORDS(CRW_COUNT_RECORDS) };

_Static_assert(CRW_CELLS_QUERY_FILTER == 66, "two flag cells and 64 costs");
_Static_assert(CRW_CELLS_AGENT_OPTIONS + CRW_CELLS_FOLLOWER_OPTIONS == 37, "agent options with a path");
_Static_assert(CRW_CELLS_CORNER == 6 && CRW_CELLS_WALL_PIECE == 10, "rows of bulk results");
_Static_assert(CRW_CELLS_NEAREST_POLY == 5 && CRW_CELLS_PATH_RESULT == 8, "rows of bulk results");
_Static_assert(CRW_CELLS_VOLUME == 76 && CRW_CELLS_OFF_MESH_LINK == 11, "rows of bulk input");

// --- Cells ----------------------------------------------------------------------------------------------------------

// Whole numbers out of range take the nearest value of the type, so that the engine's own checks see and name them.
static inline int32_t crw__i32(double v) {
  if (v >= 2147483647.0) return INT32_MAX;
  return v > -2147483648.0 ? (int32_t)v : INT32_MIN;
}
static inline uint32_t crw__u32(double v) {
  if (v >= 4294967295.0) return UINT32_MAX;
  return v > 0.0 ? (uint32_t)v : 0;
}
static inline uint16_t crw__u16(double v) { return v >= 65535.0 ? 65535 : (uint16_t)crw__u32(v); }
static inline uint8_t crw__u8(double v) { return v >= 255.0 ? 255 : (uint8_t)crw__u32(v); }
// Agent ids are exact up to 2^53; anything else is no agent.
static inline int64_t crw__id(double v) { return v >= 0.0 && v <= 9007199254740991.0 ? (int64_t)v : -1; }

// Reads one field from the cells at `at`, or writes it there, and moves on.
// clang-format off
#define CRW_TAKE_F64(field) (field = *at++);
#define CRW_TAKE_I32(field) (field = crw__i32(*at++));
#define CRW_TAKE_U32(field) (field = crw__u32(*at++));
#define CRW_TAKE_U16(field) (field = crw__u16(*at++));
#define CRW_TAKE_U8(field) (field = crw__u8(*at++));
#define CRW_TAKE_BOOL(field) (field = *at++ != 0.0);
#define CRW_TAKE_VEC3(field) (field = (CrVec3){at[0], at[1], at[2]}, at += 3);
#define CRW_TAKE_COSTS(field) \
  for (int32_t cost = 0; cost <= CR_MAX_AREA; cost++) field[cost] = *at++;
#define CRW_TAKE_CORNERS(field) \
  for (int32_t k = 0; k < CRW_WIDTH_CORNERS; k++) field[k] = *at++;

#define CRW_PUT_F64(field) (*at++ = (field));
#define CRW_PUT_I32(field) (*at++ = (double)(field));
#define CRW_PUT_I64(field) (*at++ = (double)(field));
#define CRW_PUT_U32(field) (*at++ = (double)(field));
#define CRW_PUT_U16(field) (*at++ = (double)(field));
#define CRW_PUT_U8(field) (*at++ = (double)(field));
#define CRW_PUT_BOOL(field) (*at++ = (field) ? 1.0 : 0.0);
#define CRW_PUT_U64(field) (crw__put_u64(at++, (field)));
#define CRW_PUT_VEC3(field) (at[0] = (field).x, at[1] = (field).y, at[2] = (field).z, at += 3);
#define CRW_PUT_COSTS(field) \
  for (int32_t cost = 0; cost <= CR_MAX_AREA; cost++) *at++ = field[cost];
#define CRW_PUT_CORNERS(field) \
  for (int32_t k = 0; k < CRW_WIDTH_CORNERS; k++) *at++ = field[k];

// clang-format on

static inline void crw__put_u64(double *cell, uint64_t bits) { __builtin_memcpy(cell, &bits, sizeof bits); }

// Inside a function with a cell pointer `at` and a struct pointer `it`: all fields of a record.
#define CRW_TAKE_FIELD(kind, name) CRW_TAKE_##kind(it->name)
#define CRW_PUT_FIELD(kind, name) CRW_PUT_##kind(it->name)

// Several modules pass these on; each returns the cell after the record.
const double *crw__take_filter(const double *at, CrQueryFilter *it);
const double *crw__take_crowd_options(const double *at, CrCrowdOptions *it);
const double *crw__take_query_options(const double *at, CrQueryOptions *it);
const double *crw__take_follower_options(const double *at, CrFollowerOptions *it);
const double *crw__take_agent_options(const double *at, CrAgentOptions *it);
double *crw__put_crowd_options(double *at, const CrCrowdOptions *it);
double *crw__put_query_options(double *at, const CrQueryOptions *it);
double *crw__put_follower_options(double *at, const CrFollowerOptions *it);
double *crw__put_agent_options(double *at, const CrAgentOptions *it);
double *crw__put_follower_info(double *at, const CrFollowerInfo *it);
double *crw__put_follower_debug(double *at, const CrFollowerDebug *it);
double *crw__put_event(double *at, const CrFollowerEvent *it);
double *crw__put_nearest(double *at, const CrNearestPoly *it);
double *crw__put_corners(double *at, const CrCorner *corners, int32_t count);
double *crw__put_wall(double *at, const CrWallPiece *it);
double *crw__put_path(double *at, const CrPathResult *it);
const double *crw__take_settings(const double *at, CrBuildSettings *it);
double *crw__put_settings(double *at, const CrBuildSettings *it);
double *crw__put_report(double *at, const CrBuildReport *it);
const double *crw__take_params(const double *at, CrNavMeshParams *it);
double *crw__put_params(double *at, const CrNavMeshParams *it);
const double *crw__take_volume(const double *at, CrVolume *it);
double *crw__put_volume(double *at, const CrVolume *it);
double *crw__put_link(double *at, const CrOffMeshLink *it);
// `count` links from their records at an address.
void crw__take_links(uint32_t address, uint32_t count, CrOffMeshLink *out);

// An address that came as a cell: null for 0.
static inline const void *crw__pointer(uint32_t address) { return (const void *)(uintptr_t)address; }

// --- Memory blocks --------------------------------------------------------------------------------------------------

#define CRW_RECORD_CAPACITY 128  // cells of the argument block and of the record block

// The record block: small results, at a fixed address.
double *crw__record(void);
// The bulk result block with room for `size` bytes, contents undefined; null when memory is out.
void *crw__result(size_t size);
// The input block, for the caller to keep and free; null when there is none. `out_from` gets the address it had, which may change
// now. The next crw_input makes another block.
void *crw__input_take(uint32_t *out_from);
// Hands bytes the engine made to the host as the bulk result.
int32_t crw__result_bytes(CrBytes bytes);
// Work memory for engine structs that become cells, with room for `size` bytes; null when memory is out.
void *crw__work(size_t size);

// --- Errors ---------------------------------------------------------------------------------------------------------

// The record for the engine to fill, cleared. crw__done turns the status into the return value: 0, or minus the status.
CrError *crw__error(void);
int32_t crw__done(CrStatus status);
int32_t crw__fail(CrStatus status, const char *field);
int32_t crw__fail_limit(CrStatus status, const char *field, double limit);

// --- Handles --------------------------------------------------------------------------------------------------------

typedef enum CrwKind {
  CRW_KIND_NAVMESH = 1,
  CRW_KIND_QUERY = 2,
  CRW_KIND_CROWD = 3,
  CRW_KIND_RECORDER = 4,
  CRW_KIND_REPLAY = 5,
  CRW_KIND_PLAYER = 6,
  CRW_KIND_BUILDER = 7,
  CRW_KIND_TILE_BUILD = 8,
  CRW_KIND_CACHE_MAKER = 9,
  CRW_KIND_TILE_CACHE = 10,
  CRW_KIND_FOLLOWER = 11,
  CRW_KIND_WORLD = 12
} CrwKind;

// Finds the slot the next handle will take, growing the table when needed: 0, or minus CR_STATUS_LIMIT ("handles") or
// CR_STATUS_OUT_OF_MEMORY. Called before the engine call that makes the object, so that the object is never lost.
int32_t crw__handle_reserve(void);
// The object's handle. `parent` is the handle of an object it refers to, or 0: the parent's memory outlives it.
int32_t crw__handle_add(CrwKind kind, void *object, int32_t parent);
// The same for an object that is a part of another, the keeper, and ends with it: with the keeper's handle this one ends too. Until then
// disposing of it ends the handle only.
int32_t crw__handle_add_kept(CrwKind kind, void *object, int32_t parent, int32_t keeper);
// The object of a live handle of that kind, or null.
void *crw__handle_get(int32_t handle, CrwKind kind);

CrCrowd *crw__crowd(int32_t handle);
// Objects that may be read through others: the mesh of a query, crowd, follower or player, the crowd of a player.
const CrNavMesh *crw__mesh_view(int32_t handle);
const CrCrowd *crw__crowd_view(int32_t handle);
// A mesh that may be changed: one with a handle of its own.
CrNavMesh *crw__mesh(int32_t handle);

// --- Queries (api_query.c) ------------------------------------------------------------------------------------------

// Points stand in the argument block, from a cell on: numbers passed as parameters cost a host's garbage collector.
// Cells 0 to 2: the first point; 3 to 5: the second one, or 3: a radius; 6 to 8: extents.
double crw__argument(int32_t cell);
static inline CrVec3 crw__point(int32_t cell) {
  return (CrVec3){crw__argument(cell), crw__argument(cell + 1), crw__argument(cell + 2)};
}

CrNavMeshQuery *crw__query(int32_t handle);
int32_t crw__stale_query(void);
int32_t crw__no_memory(void);
// The filter in the cells, or null.
const CrQueryFilter *crw__filter(const double *cells, CrQueryFilter *memory);

// --- Crowds (api_crowd_state.c) -------------------------------------------------------------------------------------

int32_t crw__stale_crowd(void);

// --- Crowds (api_crowd.c) -------------------------------------------------------------------------------------------

// Options from a CROWD_OPTIONS record and a QUERY_FILTER record, which may be null. They point to the filter.
void crw__take_crowd_setup(const double *options_cells, const double *filter_cells, CrCrowdOptions *options,
                           CrQueryFilter *filter);

// --- Followers (api_follower.c) -------------------------------------------------------------------------------------

const CrNavMesh *crw__follower_mesh(const void *follower);
void crw__follower_destroy(void *follower);
// Record: CORRIDOR_INFO. Bulk result: the references, then one CORNER record for each corner (at most `capacity`).
int32_t crw__corridor(const CrCorridor *corridor, const CrNavMesh *mesh, const CrQueryFilter *filter, int32_t capacity);
// Record: FOLLOWER_DEBUG. Bulk result when `with_lists`: the references of the outlines, their vertices (VEC3), a CORNER record for
// each corner, and the number of vertices of each outline (a byte).
int32_t crw__follower_debug(const CrFollower *follower, const CrNavMesh *mesh, const CrQueryFilter *filter,
                            bool with_lists);

// --- Build input (api_build_input.c) --------------------------------------------------------------------------------

// A build input whose arrays stand in the input block or in memory of its own.
typedef struct CrwInput {
  CrBuildInput input;
  void *block;   // the input block, when it was taken
  void *arrays;  // volumes, obstacles, links
} CrwInput;

// Reads a BUILD_INPUT record. `keep`: takes the input block, so that the input lives on. 0, or minus CR_STATUS_OUT_OF_MEMORY.
int32_t crw__input_open(const double *cells, bool keep, CrwInput *out);
void crw__input_close(CrwInput *input);

// A builder with its input, and a tile build that knows it (api_build.c).
void crw__builder_destroy(void *builder);
void crw__tile_build_destroy(void *tile);
CrBuilder *crw__builder(int32_t handle);
CrTileBuild *crw__tile_build(int32_t handle);

#endif
