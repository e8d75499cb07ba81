// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds: many agents walking one mesh, avoiding each other and the walls (docs/behaviour/crowds.md).
// van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", 2011.
#ifndef CROWDREEL_CROWD_H
#define CROWDREEL_CROWD_H

#include "crowdreel/path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CrAvoidanceQuality {
  CR_QUALITY_OFF = 0,
  CR_QUALITY_LOW = 1,     // 4 neighbours, horizon 1.5 s
  CR_QUALITY_MEDIUM = 2,  // 8 neighbours, horizon 2 s
  CR_QUALITY_HIGH = 3     // 12 neighbours, horizon 2.5 s
} CrAvoidanceQuality;

typedef struct CrAgentOptions {
  double radius;               // 0.6 units, > 0
  double max_speed;            // 3.5 units/s, > 0
  double max_acceleration;     // 8 units/s^2, > 0
  double arrival_radius;       // 0.25 units, >= 0
  double priority;             // 1, > 0: a weight; a higher one gives way less
  double wall_clearance;       // 0.05 units, >= 0
  double separation_distance;  // 0 units, >= 0; 0: off
  double separation_weight;    // 0.3, >= 0
  double side_preference;      // 0.05, -1..1
  uint8_t quality;             // CrAvoidanceQuality, medium
  bool has_path;               // `path` is used instead of the follower defaults
  CrFollowerOptions path;      // speed, acceleration and arrival radius are always the agent's
} CrAgentOptions;

CrAgentOptions cr_agent_options_humanoid(void);
CrAgentOptions cr_agent_options_small(void);
CrAgentOptions cr_agent_options_large(void);
CrStatus cr_agent_options_validate(const CrAgentOptions *options, CrError *error);
// The follower options an agent walks with: docs/behaviour/crowds.md, "Follower of an agent".
CrFollowerOptions cr_agent_follower_options(const CrAgentOptions *options);

#define CR_CROWD_MAX_AGENTS 65536
#define CR_CROWD_MAX_THREADS 64
#define CR_CROWD_MAX_COUNT ((INT64_C(1) << 53) - 1)  // most agents ever added, and most steps

typedef struct CrCrowdOptions {
  int32_t max_agents;            // 65536, 1..CR_CROWD_MAX_AGENTS
  int32_t query_nodes;           // 16384 per worker, CR_QUERY_MIN_NODES..CR_QUERY_MAX_NODES
  uint8_t query_node_model;      // CrNodeModel, polygon
  int32_t max_walls_per_agent;   // 48, 1..255
  double wall_refresh_distance;  // 1 unit, > 0
  int32_t max_walls_avoided;     // 8, 0..max_walls_per_agent
  const CrQueryFilter *filter;   // copied; null: everything, cost 1. Not part of replays
  bool record_constraints;       // keep the half-planes of the last step for inspection; not state
  int32_t max_threads;           // 1, 1..CR_CROWD_MAX_THREADS; 1 in builds without threads. Changes no result
} CrCrowdOptions;

CrCrowdOptions cr_crowd_options_default(void);
// CR_STATUS_ARGUMENT names "options.<field>".
CrStatus cr_crowd_options_validate(const CrCrowdOptions *options, CrError *error);

typedef struct CrCrowd CrCrowd;

// The crowd refers to the mesh, which must outlive it. Null options: the defaults. CR_STATUS_OUT_OF_MEMORY names
// "options.max_threads" when the system gives no more threads.
CrStatus cr_crowd_create(const CrNavMesh *mesh, const CrCrowdOptions *options, const CrAllocator *allocator,
                         CrCrowd **out, CrError *error);
void cr_crowd_destroy(CrCrowd *crowd);

const CrNavMesh *cr_crowd_mesh(const CrCrowd *crowd);
CrCrowdOptions cr_crowd_options(const CrCrowd *crowd);
int64_t cr_crowd_step_count(const CrCrowd *crowd);
int32_t cr_crowd_agent_count(const CrCrowd *crowd);
int32_t cr_crowd_slot_count(const CrCrowd *crowd);
int64_t cr_crowd_next_id(const CrCrowd *crowd);

// Puts an agent on the nearest accepted polygon, standing still. It takes the lowest free slot. Null options: Humanoid.
// CR_STATUS_ARGUMENT ("position", "options.x"), CR_STATUS_NOT_FOUND (no polygon near), CR_STATUS_FULL, CR_STATUS_LIMIT (every id
// has been given).
CrStatus cr_crowd_add(CrCrowd *crowd, CrVec3 position, const CrAgentOptions *options, int64_t *out_id, CrError *error);
// The calls below report CR_STATUS_NO_SUCH_AGENT for an id that is not in the crowd.
CrStatus cr_crowd_remove(CrCrowd *crowd, int64_t id, CrError *error);
CrStatus cr_crowd_set_destination(CrCrowd *crowd, int64_t id, CrVec3 destination, CrError *error);
CrStatus cr_crowd_stop(CrCrowd *crowd, int64_t id, CrError *error);
// From now on, until set_destination, stop or teleport, the agent goes at this velocity (x and z; y is ignored): a player's, for
// example. It goes no faster than max_speed and max_acceleration allow, along the surface and by walls, and avoids others by
// its options as they avoid it. In every other respect it stands (CR_FOLLOWER_IDLE): it has no destination and takes no
// off-mesh links; a crossing under way ends first. Each component is finite and below CR_COORD_LIMIT in magnitude
// (CR_STATUS_ARGUMENT, "velocity"). Recordings have no operation for it.
CrStatus cr_crowd_set_velocity(CrCrowd *crowd, int64_t id, CrVec3 velocity, CrError *error);
// Places the agent anew, standing still without destination. CR_STATUS_NOT_FOUND: no polygon near, nothing changed.
CrStatus cr_crowd_teleport(CrCrowd *crowd, int64_t id, CrVec3 position, CrError *error);
// Swaps the settings in place: the agent goes on from where it is. What its follower's corridor_capacity and max_corners come to
// cannot change (CR_STATUS_ARGUMENT, "options.path.corridor_capacity", "options.path.max_corners").
CrStatus cr_crowd_set_options(CrCrowd *crowd, int64_t id, const CrAgentOptions *options, CrError *error);
// Of the agent from now on; its options keep theirs. CR_STATUS_ARGUMENT ("priority").
CrStatus cr_crowd_set_priority(CrCrowd *crowd, int64_t id, double priority, CrError *error);
// Ends the crossing of an off-mesh link: the agent is at the exit and walks on with the next step. For agents whose host animates
// crossings (CR_OFF_MESH_HOST), but ends any. CR_STATUS_NOT_FOUND ("crossing") when no crossing is under way. Recordings have
// no operation for it.
CrStatus cr_crowd_complete_off_mesh(CrCrowd *crowd, int64_t id, CrError *error);

// One step of dt seconds, 0 < dt <= 3600. Allocates nothing. CR_STATUS_LIMIT after CR_CROWD_MAX_COUNT steps.
CrStatus cr_crowd_step(CrCrowd *crowd, double dt, CrError *error);

// --- Reading --------------------------------------------------------------------------------------------------------

typedef struct CrAgentInfo {
  int64_t id;
  int32_t slot;
  CrFollowerInfo follower;
  double wanted_x, wanted_z;  // wanted velocity of the last step, before avoidance
  bool velocity_controlled;   // by cr_crowd_set_velocity: the wanted velocity is the one set
  double priority;
  int32_t wall_count;  // pieces in the wall cache; -1 when stale
} CrAgentInfo;

bool cr_crowd_has_agent(const CrCrowd *crowd, int64_t id);
CrStatus cr_crowd_agent(const CrCrowd *crowd, int64_t id, CrAgentInfo *out);
CrStatus cr_crowd_agent_options(const CrCrowd *crowd, int64_t id, CrAgentOptions *out);
// The agent's follower, for reading its corridor. Null when there is no such agent. Valid until the crowd changes.
const CrFollower *cr_crowd_follower(const CrCrowd *crowd, int64_t id);

// A half-plane of velocities an agent had to keep to: (v - point) . normal >= 0, in the horizontal plane.
typedef struct CrConstraint {
  double point_x, point_z, normal_x, normal_z;
} CrConstraint;

// The half-planes of the agent's last step, walls first, when `record_constraints` is on. Writes at most `capacity` and returns
// how many there are: 0 before the first step of the agent or the crowd, after a restore, for an agent that did not avoid,
// and when recording is off or there is no such agent. *out_wall_count (may be null): how many of them are walls.
int32_t cr_crowd_constraints(const CrCrowd *crowd, int64_t id, int32_t capacity, CrConstraint *out,
                             int32_t *out_wall_count);

typedef struct CrCrowdEvent {
  int64_t id;  // of the agent
  int32_t slot;
  CrFollowerEvent event;
} CrCrowdEvent;

// What happened to the agents in the last step, and by commands between it and the one before: in slot order, and for each agent
// in the order of the kinds. Writes at most `capacity` and returns how many there are: at most CR_FOLLOWER_MAX_EVENTS for each
// agent. Kept until the next step; not part of the state: a restore empties it. Events of agents removed since are gone.
int32_t cr_crowd_events(const CrCrowd *crowd, int32_t capacity, CrCrowdEvent *out);

// Bulk reads in slot order: one entry per agent, at most `capacity` agents. Any array may be null. Returns the number of
// agents written. ids 1, positions 3, velocities 3, states 1 (CrFollowerState), radii 1 entries per agent.
int32_t cr_crowd_read_agents(const CrCrowd *crowd, int32_t capacity, int64_t *ids, double *positions,
                             double *velocities, uint8_t *states, double *radii);
// The same of the wanted velocities of the last step, before avoidance: x and z of each agent.
int32_t cr_crowd_read_wanted(const CrCrowd *crowd, int32_t capacity, double *wanted);

// --- State ----------------------------------------------------------------------------------------------------------

// Kind-1 state bytes (docs/formats/crowd-state.md). None of these three allocates.
size_t cr_crowd_state_size(const CrCrowd *crowd);
// Writes exactly cr_crowd_state_size bytes. CR_STATUS_LIMIT when the capacity is smaller: nothing promised is written.
CrStatus cr_crowd_save_state(const CrCrowd *crowd, uint8_t *out, size_t capacity, size_t *out_size, CrError *error);
// FNV-1a 64 of those bytes, computed as they are produced.
uint64_t cr_crowd_state_hash(const CrCrowd *crowd);
// All or nothing. Allocates nothing when every active slot of the bytes holds, in this crowd, the agent with the same id and
// equal options.
CrStatus cr_crowd_restore_state(CrCrowd *crowd, const uint8_t *data, size_t size, CrError *error);

// Kind-2 state bytes: a snapshot of the mesh, full or referenced (see cr_navmesh_save), and the kind-1 state. Neither allocates.
uint64_t cr_crowd_state_with_mesh_size(const CrCrowd *crowd, bool referenced);
// CR_STATUS_LIMIT "capacity" as above; "mesh", "crowd" when that part would take more than 2^31 - 1 bytes.
CrStatus cr_crowd_save_state_with_mesh(const CrCrowd *crowd, bool referenced, uint8_t *out, size_t capacity,
                                       size_t *out_size, CrError *error);
// Restores the mesh in place (cr_navmesh_restore; `tiles` are for referenced snapshots), then the crowd. All or nothing: the
// crowd's part is checked before the mesh's is read. `mesh` is the crowd's own (else CR_STATUS_ARGUMENT "mesh").
// Errors are of CR_FORMAT_CROWD_STATE, or of CR_FORMAT_NAVMESH in the mesh's part; offsets count from the first byte of all.
CrStatus cr_crowd_restore_state_with_mesh(CrCrowd *crowd, CrNavMesh *mesh, const uint8_t *data, size_t size,
                                          const CrTileData *tiles, uint32_t tile_count, CrError *error);
// The tiles that the mesh's part needs, as of cr_navmesh_snapshot_needs. Of the crowd's part only its length is looked at.
CrStatus cr_crowd_state_needs(const uint8_t *data, size_t size, CrTileNeed *out, uint32_t capacity, uint32_t *out_count,
                              CrError *error);

#ifdef __cplusplus
}
#endif
#endif
