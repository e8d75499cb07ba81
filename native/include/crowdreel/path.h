// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Path corridors, replanning and followers: one agent walking a mesh (docs/behaviour/corridors.md, followers.md).
#ifndef CROWDREEL_PATH_H
#define CROWDREEL_PATH_H

#include "crowdreel/query.h"

#ifdef __cplusplus
extern "C" {
#endif

// Everything a corridor or follower call needs besides the object itself: the query, the local query for topology
// searches, the filter and scratch memory. One per follower, or one per worker of a crowd; never shared by threads.
typedef struct CrPathContext CrPathContext;

typedef struct CrPathContextOptions {
  CrQueryOptions query;         // the main query (default: polygon nodes, CR_QUERY_DEFAULT_NODES)
  int32_t local_nodes;          // nodes of the crossing-node query made beside a polygon-node one; default 1024
  int32_t max_corridor;         // largest corridor capacity it serves, 2..CR_CORRIDOR_MAX_CAPACITY; default 256
  const CrQueryFilter *filter;  // copied; null: everything, cost 1
} CrPathContextOptions;

CrPathContextOptions cr_path_context_options_default(void);
// clamp(8 * max(refine_budget, topology_budget), 1024, 2^20): what a lone follower's local query should hold.
int32_t cr_path_local_nodes(int32_t refine_budget, int32_t topology_budget);
CrStatus cr_path_context_create(const CrNavMesh *mesh, const CrPathContextOptions *options,
                                const CrAllocator *allocator, CrPathContext **out, CrError *error);
void cr_path_context_destroy(CrPathContext *context);
CrNavMeshQuery *cr_path_context_query(CrPathContext *context);

// --- Corridor -------------------------------------------------------------------------------------------------------

#define CR_CORRIDOR_MIN_CAPACITY 2
#define CR_CORRIDOR_MAX_CAPACITY 4096
#define CR_CORRIDOR_DEFAULT_CAPACITY 256

typedef struct CrCorridor CrCorridor;

typedef enum CrValidateOutcome {
  CR_VALIDATE_VALID = 0,
  CR_VALIDATE_TRIMMED = 1,  // cut before the first bad polygon; incomplete, replan requested
  CR_VALIDATE_INVALID = 2   // the first polygon is bad: nothing changed, relocate
} CrValidateOutcome;

typedef enum CrReplanOutcome {
  CR_REPLAN_FAILED = 0,
  CR_REPLAN_IN_PROGRESS = 1,
  CR_REPLAN_SUCCESS = 2,
  CR_REPLAN_PARTIAL = 3,
  CR_REPLAN_NO_END_NEARBY = 4
} CrReplanOutcome;

CrStatus cr_corridor_create(int32_t capacity, const CrAllocator *allocator, CrCorridor **out, CrError *error);
void cr_corridor_destroy(CrCorridor *corridor);

// The calls below that return a bool change nothing and return false when they cannot do their work: a stale or rejected
// polygon, a point that is not finite or not below CR_COORD_LIMIT, a corridor of a larger capacity than the context's.

// Starts over: one polygon, target = position = the polygon's point nearest to `position`, complete. CR_STATUS_ARGUMENT,
// CR_STATUS_STALE_REF (stale, or rejected by the filter).
CrStatus cr_corridor_reset(CrCorridor *corridor, const CrPathContext *context, CrPolyRef ref, CrVec3 position,
                           CrError *error);
int32_t cr_corridor_capacity(const CrCorridor *corridor);
int32_t cr_corridor_count(const CrCorridor *corridor);
const CrPolyRef *cr_corridor_path(const CrCorridor *corridor);  // valid until the next call that changes it
CrVec3 cr_corridor_position(const CrCorridor *corridor);
CrVec3 cr_corridor_target(const CrCorridor *corridor);
CrPolyRef cr_corridor_target_ref(const CrCorridor *corridor);
bool cr_corridor_is_complete(const CrCorridor *corridor);
bool cr_corridor_needs_replan(const CrCorridor *corridor);

// Records a new target: incomplete, replan from start requested. CR_STATUS_ARGUMENT.
CrStatus cr_corridor_set_target(CrCorridor *corridor, CrVec3 target, CrError *error);
// A replan from the agent's polygon.
void cr_corridor_request_replan(CrCorridor *corridor);
bool cr_corridor_move_position(CrCorridor *corridor, CrPathContext *context, CrVec3 to);
bool cr_corridor_move_target(CrCorridor *corridor, CrPathContext *context, CrVec3 to);
bool cr_corridor_move_along(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit);
CrStraightPathOutcome cr_corridor_find_corners(const CrCorridor *corridor, const CrPathContext *context,
                                               CrCorner *corners, int32_t capacity, int32_t *out_count);
bool cr_corridor_optimize_visibility(CrCorridor *corridor, CrPathContext *context, CrVec3 point, double range,
                                     int32_t budget);
bool cr_corridor_optimize_topology(CrCorridor *corridor, CrPathContext *context, int32_t budget, int32_t window);
CrValidateOutcome cr_corridor_validate(CrCorridor *corridor, const CrPathContext *context, int32_t look_ahead);
bool cr_corridor_relocate(CrCorridor *corridor, CrPathContext *context, CrVec3 extents);
// Begin, Update(budget), Apply in one: when the budget runs out the partial route is applied.
// Refine (a topology search after Success on a polygon-node query) is the follower's, not done here.
CrReplanOutcome cr_corridor_replan(CrCorridor *corridor, CrPathContext *context, CrVec3 extents, int64_t budget);

// One replan split over calls. It lives in the context: one at a time. Another search of the context's main query (with crossing
// nodes a topology search too) or an edit of the mesh ends it: Update and Apply then report CR_REPLAN_FAILED and change nothing.
CrReplanOutcome cr_corridor_replan_begin(CrCorridor *corridor, CrPathContext *context, CrVec3 extents);
CrReplanOutcome cr_corridor_replan_update(CrCorridor *corridor, CrPathContext *context, int64_t budget);
CrReplanOutcome cr_corridor_replan_apply(CrCorridor *corridor, CrPathContext *context);

// State bytes (docs/formats/corridor-follower.md). Saving: CR_STATUS_LIMIT when the capacity is smaller than the size, nothing
// written. Restoring: format errors name field and offset; all or nothing; a corridor of another capacity is rejected.
size_t cr_corridor_state_size(const CrCorridor *corridor);
CrStatus cr_corridor_save(const CrCorridor *corridor, uint8_t *out, size_t capacity, CrError *error);
CrStatus cr_corridor_restore(CrCorridor *corridor, const uint8_t *data, size_t size, CrError *error);

// --- Follower -------------------------------------------------------------------------------------------------------

typedef enum CrFollowerState {
  CR_FOLLOWER_IDLE = 0,
  CR_FOLLOWER_MOVING = 1,
  CR_FOLLOWER_OFF_MESH_LINK = 2,
  CR_FOLLOWER_ARRIVED = 3,
  CR_FOLLOWER_NO_PATH = 4,
  CR_FOLLOWER_STUCK = 5,
  CR_FOLLOWER_UNPLACED = 6  // Place has not succeeded yet
} CrFollowerState;

typedef enum CrOffMeshMode { CR_OFF_MESH_AUTOMATIC = 0, CR_OFF_MESH_HOST = 1 } CrOffMeshMode;

// Defaults are those of the Humanoid preset. Ranges are checked by cr_follower_options_validate.
typedef struct CrFollowerOptions {
  double max_speed;                // 3.5 units/s, > 0
  double max_acceleration;         // 8 units/s^2, > 0
  double slow_radius;              // 1, >= 0; 0: no slowing
  double arrival_min_speed;        // 0.25, >= 0
  double arrival_radius;           // 0.01, >= 0
  int32_t max_corners;             // 8, 3..256
  int32_t validate_look_ahead;     // 8, >= 1
  int32_t optimize_interval;       // 4 steps, >= 0; 0: off
  double optimize_range;           // 10, >= 0
  int32_t optimize_budget;         // 16 polygons, >= 2
  int32_t topology_interval;       // 16 steps, >= 0; 0: off
  int32_t topology_budget;         // 32 nodes, >= 1
  int32_t replan_budget;           // 2048 nodes, >= 1
  int32_t max_replan_rounds;       // 16, >= 1
  double stuck_window;             // 1 s, >= 0; 0: off
  double stuck_progress;           // 0.1, 0..1
  int32_t max_stuck_recoveries;    // 2, >= 0
  uint8_t off_mesh_mode;           // CrOffMeshMode, automatic
  double off_mesh_speed;           // 3.5 units/s, > 0
  double off_mesh_trigger_radius;  // 0.05, >= 0
  CrVec3 search_extents;           // (2, 4, 2), each >= 0
  int32_t corridor_capacity;       // 256, 2..4096
  int32_t refine_budget;           // 128 nodes, >= 0; 0: off
  double corner_clearance;         // 0, >= 0
} CrFollowerOptions;

CrFollowerOptions cr_follower_options_humanoid(void);
CrFollowerOptions cr_follower_options_small(void);
// CR_STATUS_ARGUMENT names "options.<field>".
CrStatus cr_follower_options_validate(const CrFollowerOptions *options, CrError *error);

typedef struct CrFollower CrFollower;

CrStatus cr_follower_create(const CrFollowerOptions *options, const CrAllocator *allocator, CrFollower **out,
                            CrError *error);
void cr_follower_destroy(CrFollower *follower);
// Swaps the tuning in place. CorridorCapacity and MaxCorners cannot change (CR_STATUS_ARGUMENT).
CrStatus cr_follower_set_options(CrFollower *follower, const CrFollowerOptions *options, CrError *error);
CrFollowerOptions cr_follower_options(const CrFollower *follower);

// The calls below that take a context report CR_STATUS_ARGUMENT ("options.corridor_capacity", with the limit) when its max_corridor
// is less than the follower's corridor capacity.

// Puts the follower on the nearest accepted polygon. CR_STATUS_NOT_FOUND: none within the search extents, nothing changed.
CrStatus cr_follower_place(CrFollower *follower, CrPathContext *context, CrVec3 position, CrError *error);
CrStatus cr_follower_set_destination(CrFollower *follower, CrPathContext *context, CrVec3 destination, CrError *error);
// Idle, velocity 0, no destination (the destination becomes the position).
void cr_follower_stop(CrFollower *follower);
// One step of dt seconds, 0 < dt <= 3600.
CrStatus cr_follower_step(CrFollower *follower, CrPathContext *context, double dt, CrError *error);
// Host mode: ends the crossing. CR_STATUS_NOT_FOUND when no crossing is under way.
CrStatus cr_follower_complete_off_mesh(CrFollower *follower, CrPathContext *context, CrError *error);

typedef struct CrFollowerInfo {
  CrFollowerState state;
  bool reached_target;
  CrVec3 position, velocity, destination;
  double remaining_distance;  // +infinity when not known
  uint64_t step_count;
  int32_t replan_rounds, stuck_recoveries;
  bool complete, needs_replan;
  int32_t corridor_count;
} CrFollowerInfo;
CrFollowerInfo cr_follower_info(const CrFollower *follower);
const CrCorridor *cr_follower_corridor(const CrFollower *follower);

// What happened to a follower, in the order in which it is listed.
typedef enum CrFollowerEventKind {
  CR_EVENT_LINK_LEFT = 0,     // a crossing ended; the follower is at the exit
  CR_EVENT_PATH_CHANGED = 1,  // an edit of the mesh took polygons of the corridor, or the ground it stood on
  CR_EVENT_REPLANNED = 2,     // a search ended; `outcome`
  CR_EVENT_LINK_ENTERED = 3,  // a crossing began; `link_user_id`
  CR_EVENT_STUCK = 4,         // given up, no progress
  CR_EVENT_NO_PATH = 5,       // given up, no way
  CR_EVENT_ARRIVED = 6        // `reached_target`
} CrFollowerEventKind;

#define CR_FOLLOWER_MAX_EVENTS 7  // each kind at most once

typedef struct CrFollowerEvent {
  uint8_t kind;           // CrFollowerEventKind
  bool reached_target;    // arrived: at the destination, not only as near as can be
  uint8_t outcome;        // replanned: CR_REPLAN_SUCCESS or CR_REPLAN_PARTIAL
  uint32_t link_user_id;  // link entered: that of the link
} CrFollowerEvent;

// What happened in the last step, and by commands between it and the one before. Kept until the next step; not part of the state:
// a restore empties it. Returns how many there are.
int32_t cr_follower_events(const CrFollower *follower, CrFollowerEvent out[CR_FOLLOWER_MAX_EVENTS]);

// State bytes: 203 + the corridor's (docs/formats/corridor-follower.md).
size_t cr_follower_state_size(const CrFollower *follower);
CrStatus cr_follower_save(const CrFollower *follower, uint8_t *out, size_t capacity, CrError *error);
CrStatus cr_follower_restore(CrFollower *follower, const uint8_t *data, size_t size, CrError *error);

// --- Debug geometry -------------------------------------------------------------------------------------------------

// One polygon of a corridor. A polygon that an edit has taken away has no vertices.
typedef struct CrFollowerOutline {
  CrPolyRef ref;
  int32_t first_vertex, vertex_count;
} CrFollowerOutline;

// The caller's arrays, each with room for its capacity. One may be null when its capacity is 0.
typedef struct CrFollowerDebugArrays {
  CrFollowerOutline *outlines;
  CrVec3 *vertices;
  CrCorner *corners;
  int32_t outline_capacity, vertex_capacity, corner_capacity;
} CrFollowerDebugArrays;

typedef struct CrFollowerDebug {
  CrFollowerState state;
  CrVec3 position, velocity, destination;
  int32_t outline_count;  // polygons of the corridor, from the one the agent stands on
  int32_t vertex_count;   // of all outlines
  int32_t corner_count;   // of the whole way to the end of the corridor, the position first
  int32_t seen_count;     // the first of them, as far as the follower looks: at most its max_corners
  bool broken;    // polygons of it are gone or no longer touch, and no step has repaired it yet: there are no corners
  bool crossing;  // an off-mesh link is being crossed, from off_mesh_start to off_mesh_end; else the fields below are 0
  CrVec3 off_mesh_start, off_mesh_end;
  double off_mesh_elapsed, off_mesh_duration;  // seconds; the host's crossings have no clock: elapsed stays 0
  CrPolyRef off_mesh_exit;                     // the polygon it leads to
} CrFollowerDebug;

// What there is to draw of a follower, one of a crowd too (cr_crowd_follower): `mesh` and `filter` are those it walks with. Each
// array gets the first of its items, as many as it has room for; the counts are those of all, so a call with null arrays
// tells how large they must be. Changes nothing, allocates nothing.
void cr_follower_debug(const CrFollower *follower, const CrNavMesh *mesh, const CrQueryFilter *filter,
                       const CrFollowerDebugArrays *arrays, CrFollowerDebug *out);

#ifdef __cplusplus
}
#endif
#endif
