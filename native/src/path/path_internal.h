// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Structures of the path module, and what crowds need of followers beyond the public calls.
#ifndef CR_PATH_INTERNAL_H
#define CR_PATH_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/path.h"
#include "query_internal.h"

#define CR_FRONT_POLYGONS 3

// What every step reads stands together.
struct CrCorridor {
  CrAllocator allocator;
  CrVec3 target;
  CrPolyRef target_ref;
  bool complete, needs_replan, replan_from_start;
  bool has_front;  // whether `front` is known
  int32_t capacity, count;
  CrPolyRef *path;                     // capacity
  CrPolyRef front[CR_FRONT_POLYGONS];  // not state: copies of the first polygons
  CrVec3 position;
  // Not state: what is known without looking. `sound` leading polygons held together when the mesh's stamp was `sound_stamp`;
  // the last `kept_tail` polygons, the target and completeness are as when a crowd's agent last looked ahead.
  int32_t sound, kept_tail;
  uint64_t sound_stamp;
  // Within `apart_range` of (apart_x, apart_z) none of the last `apart_tail` polygons holds a point, as long as the mesh's stamp
  // is `apart_stamp`.
  int32_t apart_tail;
  double apart_x, apart_z, apart_range;
  uint64_t apart_stamp;
};

#define CR_KEPT_CORNERS 7  // those of the default MaxCorners, without the position

typedef struct CrKeptCorner {
  CrVec3 point;
  int32_t from_end;  // polygons from the corner's own to the last
  uint8_t flags;
} CrKeptCorner;

// Not state: that the first corner was straight ahead from a place (follower_sight.c), through those of the last `portals`
// portals that come before it; it is from all places within `range` (not above 0: nothing is known) that see it in directions
// between low and high.
typedef struct CrSight {
  double range, x, z;
  double along_x, along_z;  // unit vector from there to the corner
  double low, high;         // tangents against it, seen from the corner
  int32_t portals;
  int8_t bend;  // the side the corner bounds the string on: 1 left, -1 right, 0: it is the end
} CrSight;

// Not state: the way ahead as a crowd's agent last saw it (follower_look.c).
typedef struct CrKeptWay {
  CrKeptCorner backwards[CR_KEPT_CORNERS];  // cr__kept_corner: the first stands beside what every step reads
  int32_t count;                            // corners after the position; 0: nothing is kept
  uint64_t mesh_stamp;
  double tail_to_stop, tail_to_end;
  CrVec3 end;
  CrSight sight;
} CrKeptWay;
#define cr__kept_corner(kept, k) (&(kept)->backwards[CR_KEPT_CORNERS - 1 - (k)])

// Not state: what happened, for the host. Kinds are bits; of two of a kind the later counts.
typedef struct CrHappened {
  uint8_t kinds;  // 1 << CrFollowerEventKind
  bool reached_target;
  uint8_t outcome;
  uint32_t link_user_id;
} CrHappened;

// First what is seldom read, then what planning reads, then what moving does too.
struct CrFollower {
  CrFollowerOptions options;
  CrVec3 off_mesh_start, off_mesh_end;
  double off_mesh_elapsed, off_mesh_duration;
  CrPolyRef off_mesh_exit;
  int32_t replan_rounds, stuck_recoveries;
  double stuck_clock;
  CrVec3 stuck_anchor, destination;
  CrKeptWay kept;
  uint64_t step_count;
  CrCorridor corridor;
  CrFollowerState state;
  bool reached_target;
  CrVec3 position, velocity;
  double remaining_distance;
  CrHappened last;   // in the last step and since the one before it
  CrHappened since;  // since the last step, or in the one under way
};

// Scratch and searches of one worker. `index_*` is an open-addressing set of references whose entries live only as long as the
// epoch they carry, so that it never needs clearing.
typedef struct CrRefIndexEntry {
  uint32_t epoch;
  int32_t position;
} CrRefIndexEntry;

typedef struct CrReplanSession {
  const CrCorridor *corridor;  // null: no replan is under way
  CrReplanOutcome outcome;
  int32_t search;       // 1: from the corridor's end, 2: from the agent
  CrPolyRef start_ref;  // where the search under way starts
  CrPolyRef target_ref;
  CrVec3 target, end;      // the corridor's target, and its nearest point on target_ref
  uint64_t search_number;  // of the query's search under way, so that another one is not taken for it
  uint64_t mesh_stamp;     // at the beginning
} CrReplanSession;

#define CR_PATH_MAX_CORNERS 256

struct CrPathContext {
  CrAllocator allocator;
  const CrNavMesh *mesh;
  CrNavMeshQuery *query;  // the main query
  CrNavMeshQuery *local;  // crossing nodes, for topology searches; the same object when the main one has crossing nodes
  CrQueryFilter filter_copy;
  const CrQueryFilter *filter;  // &filter_copy or null
  double lowest_cost;           // of its area costs, 1 without one
  int32_t max_corridor;
  int32_t route_capacity;
  CrPolyRef *visited;  // max_corridor: polygons a move or ray crossed
  CrPolyRef *route;    // route_capacity: what a search found
  CrPolyRef *joined;   // max_corridor + route_capacity: corridors being put together
  double *heights;     // max_corridor
  int32_t *holders;    // max_corridor
  CrRefIndexEntry *index;
  uint32_t index_size, index_mask, index_epoch;
  CrCorner corners[CR_PATH_MAX_CORNERS];         // of the follower being stepped
  CrCorner length_corners[CR_PATH_MAX_CORNERS];  // of a chain being measured
  CrReplanSession session;
};

// --- Corridor pieces --------------------------------------------------------------------------------------------------------

// Whether the context's scratch is large enough for this corridor, and it holds a polygon.
bool cr__corridor_usable(const CrCorridor *corridor, const CrPathContext *context);
// Where the corridor's walk ends: the target when complete and over the last polygon; beside it the last polygon's closest point
// to the target; when incomplete its nearest in space, as for a query's partial route. False when the last polygon is stale.
bool cr__corridor_end(const CrCorridor *corridor, const CrNavMesh *mesh, CrVec3 *out);
// To be called by everything that changes the polygons otherwise than by dropping the first ones, the target or the
// completeness: all but the last `kept` polygons are new.
void cr__corridor_changed(CrCorridor *corridor, int32_t kept);
// cr_corridor_validate for agents of a crowd, whose mesh and filter never change identity: what was found sound stays so until
// the next edit.
CrValidateOutcome cr__corridor_validate_again(CrCorridor *corridor, const CrPathContext *context, int32_t look_ahead);
// Copies the first polygons to where every step reads them, if that has not been done since they changed.
void cr__corridor_copy_front(CrCorridor *corridor);
static inline CrPolyRef cr__corridor_polygon(const CrCorridor *corridor, int32_t k) {
  return k < CR_FRONT_POLYGONS && corridor->has_front ? corridor->front[k] : corridor->path[k];
}
// Drops the first `count` polygons (fewer than there are).
void cr__corridor_drop_front(CrCorridor *corridor, int32_t count);
// cr_corridor_move_along for agents of a crowd: polygons known to be out of reach are not looked at.
bool cr__corridor_move_along_again(CrCorridor *corridor, CrPathContext *context, CrVec3 to, int32_t limit);
// Appends `items` to `joined` (holding `size`), cutting loops: a polygon met again removes everything after its first
// occurrence. Returns the new size. cr__join_begin starts a list that will get at most `total` items.
void cr__join_begin(CrPathContext *context, int32_t total);
int32_t cr__join_append(CrPathContext *context, int32_t size, const CrPolyRef *items, int32_t count);
// Makes `joined` (holding `size`) the corridor, cut to its capacity. False when it was cut: the corridor is then incomplete with
// a replan requested.
bool cr__join_store(CrPathContext *context, CrCorridor *corridor, int32_t size);
// What it costs to walk the string pulled from `start` through `path` to `end`: its parts (3D, along the corners) times the
// costs of the polygons they lie in and of the off-mesh links they cross; without a filter its length. -1 when the chain
// is broken.
double cr__path_walk_cost(CrPathContext *context, CrVec3 start, CrVec3 end, const CrPolyRef *path, int32_t count);
// Whether a polygon of the chain, or an off-mesh link between two of them, is stale or has another cost than `cost`.
bool cr__path_costs_differ(const CrPathContext *context, const CrPolyRef *path, int32_t count, double cost);
// Index of references over an array `keys`: where `ref` stands among the first `size`, or -1. Only what was put since
// cr__index_begin (at most `total` times) is found.
void cr__index_begin(CrPathContext *context, int32_t total);
void cr__index_put(CrPathContext *context, CrPolyRef ref, int32_t position);
int32_t cr__index_find(const CrPathContext *context, const CrPolyRef *keys, int32_t size, CrPolyRef ref);

// --- Follower pieces ----------------------------------------------------------------------------------------------------

#define CR_UNKNOWN_DISTANCE ((double)__builtin_inf())

// The way ahead as a step's upkeep left it: context->corners[0..count), and the one to steer at. Lengths are horizontal: the leg
// to the first corner plus the sum, from there on, of the legs after it.
typedef struct CrWayAhead {
  int32_t count, steering;
  double to_stop;  // to the first off-mesh entry or the end, or unknown
  double to_end;   // to the end, or unknown
  int32_t entry;   // in a crowd: the off-mesh entry in reach, which ended the upkeep; or -1
} CrWayAhead;

// CR_STATUS_ARGUMENT when the context's scratch is too small for the follower's corridor.
CrStatus cr__follower_check_context(const CrFollower *follower, const CrPathContext *context, CrError *error);
// Steps 1 to 6 of a moving follower. True: walk on as `way` says. False: the step is over (state and velocity are set).
bool cr__follower_upkeep(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way);
// Finds the corners and the steering corner. False when the corridor does not hold together.
bool cr__follower_look(CrFollower *follower, CrPathContext *context, bool in_crowd, CrWayAhead *way);
// Whether the first leg of the kept way is still that to the same corner. False: not known.
bool cr__follower_sees_corner(CrFollower *follower, const CrPathContext *context);
// One replan call with this round's budget, the refining search after a success, and the counting of rounds.
CrReplanOutcome cr__follower_replan(CrFollower *follower, CrPathContext *context);
// Moves the follower onto the nearest polygon; NoPath when there is none (false).
bool cr__follower_relocate(CrFollower *follower, CrPathContext *context);
// The wanted speed on this way (arrival rule). *slowing: it is below the top speed.
double cr__follower_wanted_speed(const CrFollowerOptions *options, const CrWayAhead *way, bool *slowing);
// Moves to a point: along the corridor's first `limit` polygons, else by a traced move, else anew on the nearest polygon.
void cr__follower_move(CrFollower *follower, CrPathContext *context, bool in_crowd, CrVec3 to, int32_t limit);
// Displacement over time, each component held within the coordinate limit.
CrVec3 cr__follower_velocity(CrVec3 before, CrVec3 after, double dt);
// The velocity and remaining distance that a displacement since `before` makes.
void cr__follower_report(CrFollower *follower, CrVec3 before, double length, double dt);
// Arrived, unless the corridor is incomplete with a replan to come: then false.
bool cr__follower_arrive(CrFollower *follower);
void cr__follower_give_up(CrFollower *follower, CrFollowerState state);
static inline void cr__follower_note(CrFollower *follower, CrFollowerEventKind kind) {
  follower->since.kinds |= (uint8_t)(1u << kind);
}
// The step is over: what happened in it can be read.
static inline void cr__follower_end_step(CrFollower *follower) {
  follower->last = follower->since;
  follower->since = (CrHappened){0};
}
void cr__follower_reset_stuck(CrFollower *follower);
void cr__follower_count_stuck(CrFollower *follower, double dt);
void cr__follower_step_moving(CrFollower *follower, CrPathContext *context, double dt);
// Where a crossing that begins at an entry corner would end and how long it would take. False: nothing is crossed there.
bool cr__follower_crossing_ahead(const CrFollower *follower, const CrPathContext *context, const CrCorner *entry,
                                 CrVec3 *out_end, double *out_duration);
// Off-mesh crossings: begin at an entry corner, one step, end.
void cr__follower_begin_crossing(CrFollower *follower, CrPathContext *context, const CrCorner *entry);
void cr__follower_step_crossing(CrFollower *follower, CrPathContext *context, double dt);
void cr__follower_finish_crossing(CrFollower *follower, CrPathContext *context);
// The largest double below CR_COORD_LIMIT, and a value brought within it.
#define CR_LARGEST_COORD 0x1.fffffffffffffp+20
static inline double cr__path_clamp(double value) { return cr__clamp(value, -CR_LARGEST_COORD, CR_LARGEST_COORD); }

// In-place lifetime, for arrays of followers.
CrStatus cr__corridor_init(CrCorridor *corridor, int32_t capacity, const CrAllocator *allocator, CrError *error);
void cr__corridor_deinit(CrCorridor *corridor);
CrStatus cr__follower_init(CrFollower *follower, const CrFollowerOptions *options, const CrAllocator *allocator,
                           CrError *error);
void cr__follower_deinit(CrFollower *follower);

// What PlanCrowd decided for this step. ApplyCrowd of the same step gets it back.
typedef struct CrCrowdPlan {
  double wanted_x, wanted_z;  // wanted velocity; 0 when not walking
  bool walking;
  bool crossing;              // the off-mesh crossing step was done here; no avoidance, no move
  bool slowing;               // the arrival rule lowered the wanted speed (stuck time is not counted)
  bool last_corner;           // the steering corner is the end of the corridor or an off-mesh entry: never walked past
  bool at_end;                // the steering corner is the end of the corridor
  int32_t limit;              // MoveAlong limit: index of the steering corner's polygon + 1
  CrVec3 corner;              // the steering corner
  double remaining;           // corner-polyline length to the end, or +infinity
  double distance_to_corner;  // horizontal; also of an entry
  bool at_entry;              // a crossing may begin: cr__follower_enter begins it. One that must wait does not walk
} CrCrowdPlan;

// Of a plan that is at an entry: where the crossing begins, would end, and how long it would take.
typedef struct CrCrossingPlan {
  CrCorner entry;
  CrVec3 landing;
  double duration;
} CrCrossingPlan;

// Forgets everything that is kept besides the state. Results do not depend on it.
void cr__follower_forget(CrFollower *follower);

// One plan phase: sends an arrived agent that was pushed off its end point back to its destination, then steps 1 to 6 of the
// follower's step with the crowd's replan deferral, and the wanted velocity with the arrival rule.
CrCrowdPlan cr__follower_plan_crowd(CrFollower *follower, CrPathContext *context, double dt);
// The same, except that a timed crossing does not begin yet: when the plan is at an entry it is in *crossing.
CrCrowdPlan cr__follower_plan_to_entry(CrFollower *follower, CrPathContext *context, double dt,
                                       CrCrossingPlan *crossing);
void cr__follower_enter(CrFollower *follower, CrPathContext *context, const CrCrossingPlan *crossing,
                        CrCrowdPlan *plan);
// Moves a walking agent by velocity * dt along its corridor; arrives or counts stuck time as Step does.
void cr__follower_apply_crowd(CrFollower *follower, CrPathContext *context, const CrCrowdPlan *plan, double velocity_x,
                              double velocity_z, double dt);
// Pushes a standing agent along the surface and reports the velocity that resulted.
void cr__follower_nudge(CrFollower *follower, CrPathContext *context, double velocity_x, double velocity_z, double dt);
// Moves it by so much along the surface, whatever it does; its velocity stays what it was.
void cr__follower_push(CrFollower *follower, CrPathContext *context, double x, double z);

// Ends whatever it was about, as cr_follower_stop does, but it keeps its velocity.
void cr__follower_take_over(CrFollower *follower);
// The two phases of an agent whose host sets its velocity. Planning finds the ground again when that is gone, and runs a crossing
// that was under way: then true, and the step is over. Driving moves it over the surface; it stands wherever it comes to.
bool cr__follower_plan_driven(CrFollower *follower, CrPathContext *context, double dt);
void cr__follower_drive(CrFollower *follower, CrPathContext *context, double velocity_x, double velocity_z, double dt);

// State bytes, streaming. Read with a null follower only validates (the options say which capacity is right); it never
// allocates. Read into a follower must follow a successful validation of the same bytes, and then cannot fail.
void cr__follower_write(const CrFollower *follower, CrWriter *writer);
void cr__follower_read(CrFollower *follower, const CrFollowerOptions *options, CrReader *reader);
void cr__corridor_write(const CrCorridor *corridor, CrWriter *writer);
void cr__corridor_read(CrCorridor *corridor, int32_t capacity, CrReader *reader);

// The 157 bytes of follower options in the agent options row, shared by crowd state and operations. Reading validates.
void cr__follower_options_write(const CrFollowerOptions *options, CrWriter *writer);
void cr__follower_options_read(CrFollowerOptions *options, CrReader *reader);

// Null, or a static sentence naming the first broken invariant (polygons valid, connected, unique, counts, position on the
// first polygon). For tests and debug builds.
const char *cr__corridor_invariant(const CrCorridor *corridor, const CrPathContext *context);

const CrQueryFilter *cr__path_context_filter(const CrPathContext *context);

#endif
