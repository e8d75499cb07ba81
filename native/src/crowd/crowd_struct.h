// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Structures of the crowd module. Modules that only use crowds include crowd_internal.h.
#ifndef CR_CROWD_STRUCT_H
#define CR_CROWD_STRUCT_H

#include "core_internal.h"
#include "crowd_internal.h"
#include "crowdreel/host_threads.h"
#include "crowdreel/world.h"
#include "navmesh_internal.h"
#include "orca_internal.h"
#include "path_internal.h"

#define CR_GROUP_SLOTS 32          // slots a worker takes at a time
#define CR_WALL_SLOTS 8            // slots whose wall lists share a block
#define CR_MAX_NEIGHBOURS 12       // of the highest quality
#define CR_MAX_WALLS 255           // largest max_walls_per_agent
#define CR_CROWD_LOCAL_NODES 8192  // of a worker's local query
#define CR_MAX_AGENT_PLANES (CR_MAX_WALLS + CR_MAX_NEIGHBOURS)

// --- Agents ---------------------------------------------------------------------------------------------------------

#define CR_SEEN_AT_ENTRY 0x80  // no step flag: may begin to cross when its turn comes
// Step flags: at most one of walking and crossing. Driven agents want the velocity their host set until another command ends it.
enum { CR_STEP_WALKING = 1, CR_STEP_CROSSING = 2, CR_STEP_DRIVEN = 4 };

static inline bool cr__step_flags_known(uint8_t flags) {
  return flags <= (CR_STEP_DRIVEN | CR_STEP_CROSSING) && flags != (CR_STEP_WALKING | CR_STEP_CROSSING);
}

// A cached wall piece. Where it is follows from the mesh.
typedef struct CrWall {
  CrPolyRef ref;
  CrOrcaWall line;
  double a_y, rise;  // height of its first end, and how much it rises from there to the other
  uint8_t edge, part;
} CrWall;

typedef struct CrWallCache {
  CrVec3 center;      // where the walls were looked up
  uint64_t stamp;     // the mesh's stamp then
  CrWall *walls;      // max_walls_per_agent
  uint64_t may_face;  // not state. Bit k: walls[k] may face the agent before it looks up others; from 64 on all may
  int32_t count;
  bool valid;  // false: looked up by the next step
} CrWallCache;

// What its quality makes of an agent's options.
typedef struct CrAvoidance {
  int32_t max_neighbours;
  double horizon, wall_horizon;
  double neighbour_distance;
  double wall_reach;
} CrAvoidance;

// What every step reads stands together, from the middle of the follower to the options before `path`.
typedef struct CrAgent {
  int64_t id;
  double priority;
  CrCrossingPlan crossing;  // when the plan is at an entry
  CrFollower follower;
  CrCrowdPlan plan;           // of the step under way
  uint8_t step_flags;         // of the last step
  double wanted_x, wanted_z;  // of the last step, before avoidance; of a driven agent its host's
  double neighbour_hint;      // squared distance of the farthest neighbour of the last search; not state
  CrWallCache cache;
  CrAvoidance avoidance;
  CrAgentOptions options;
} CrAgent;

// Wall lists are kept apart from what every step reads, in blocks that come with the first agent of their slots.
typedef struct CrAgentGroup {
  uint32_t active;  // bit k: slot k of the group
  CrWall *walls[CR_GROUP_SLOTS / CR_WALL_SLOTS];
  CrAgent agents[CR_GROUP_SLOTS];
} CrAgentGroup;

// Open-addressing map from agent id to slot. Entries with a slot below 0 are empty.
typedef struct CrIdEntry {
  int64_t id;
  int32_t slot;
} CrIdEntry;

typedef struct CrIdTable {
  CrIdEntry *entries;  // size, a power of two at least twice the slots served
  size_t size;
} CrIdTable;

// --- Neighbours -----------------------------------------------------------------------------------------------------

// An agent's order among all that see each other: its class, then its slot. A crowd that is in no world is class 0.
#define CR_ORDER_CLASS 16  // shift of the class
_Static_assert(CR_CROWD_MAX_AGENTS <= 1 << CR_ORDER_CLASS, "a slot fits below the class");
static inline uint32_t cr__order(int32_t class_index, int32_t slot) {
  return (uint32_t)class_index << CR_ORDER_CLASS | (uint32_t)slot;
}
static inline int32_t cr__order_class(uint32_t order) { return (int32_t)(order >> CR_ORDER_CLASS); }
static inline int32_t cr__order_slot(uint32_t order) { return (int32_t)(order & ((1u << CR_ORDER_CLASS) - 1)); }

// What agents see of each other: where the last step or call left an agent. A free slot has radius 0.
typedef struct CrSeen {
  double x, y, z, velocity_x, velocity_z;
  double radius, priority;
  uint32_t order;  // breaks ties of distance
  uint32_t row;    // in the grid: rank of its row
} CrSeen;

typedef struct CrGridKey {
  uint64_t cell;
  uint32_t order;
} CrGridKey;

typedef struct CrGridRow {
  double low;      // where it begins along z
  uint32_t first;  // its first entry
} CrGridRow;

// Of the tree that takes the place of rows where many stand in one column (crowding.c).
typedef struct CrGridNode CrGridNode;

// All agents sorted by row (a band along z), then by column, then by order. `above` and `below` of an entry are where its
// column would stand in the next and the previous row that holds agents.
typedef struct CrGrid {
  CrSeen *entries;  // capacity, sorted
  double *xs, *zs;  // of the entries, packed for walking
  CrGridKey *keys, *spare_keys;
  uint32_t *orders;  // of the entries
  uint32_t *above, *below;
  CrGridRow *rows;    // capacity + 1
  CrGridNode *nodes;  // instead of rows, or null
  int32_t capacity, count, row_count;
  int row_shift;  // of the row number in a cell
  double min_z, row_height, column_width, max_radius;
} CrGrid;

// The agents of one crowd, for the grid.
typedef struct CrGridPart {
  const CrSeen *seen;  // slot_count
  uint32_t *place;     // out, by slot: where that agent's entry is
  int32_t slot_count;
} CrGridPart;

typedef struct CrNear {
  double distance_squared;
  uint32_t order;
  uint32_t entry;
} CrNear;

bool cr__grid_reserve(CrGrid *grid, const CrAllocator *allocator, int32_t capacity);
void cr__grid_release(CrGrid *grid, const CrAllocator *allocator);
// Sorts what is seen of the agents of the parts, which are by class (no more slots in all than the capacity).
void cr__grid_build(CrGrid *grid, const CrGridPart *parts, int32_t part_count);
// The at most `most` (1..CR_MAX_NEIGHBOURS) entries other than `self` nearer than sqrt(reach_squared), by (squared distance,
// order). Returns their count. *hint is a guess of how far away, squared, the last of them is (not above 0: none) and becomes the
// truth: it changes how long the search takes, not what it finds.
int32_t cr__grid_nearest(const CrGrid *grid, uint32_t self, double reach_squared, int32_t most, double *hint,
                         CrNear *out);

// A tree over the sorted entries, and the search of the grid by it.
void cr__tree_build(CrGrid *grid);
int32_t cr__tree_nearest(const CrGrid *grid, uint32_t self, double reach_squared, int32_t most, CrNear *out);

// --- Crowd ----------------------------------------------------------------------------------------------------------

// What one worker needs to itself.
typedef struct CrWorker {
  CrPathContext *context;
  CrNear near[CR_MAX_NEIGHBOURS];
  CrWallPiece pieces[CR_MAX_WALLS];
  CrHalfPlane planes[CR_MAX_AGENT_PLANES], scratch[CR_MAX_AGENT_PLANES];
  double wall_out[CR_MAX_WALLS];  // how far the agent is out from the wall of planes[k]
  int32_t wall_index[CR_MAX_WALLS];
} CrWorker;

// Half-planes of an agent in the last step, when recording is on.
typedef struct CrRecordedPlanes {
  int32_t count, hard_count;
} CrRecordedPlanes;

// The threads of the workers but the first (workers.c).
typedef struct CrCrew CrCrew;

// Crowds that see each other, in class order: one alone, or those of a world.
typedef struct CrCompany {
  CrAllocator allocator;  // of the grid's memory
  CrGrid grid;            // as of the last step
  CrCrowd *crowds[CR_WORLD_MAX_CROWDS];
  int32_t count;
} CrCompany;

struct CrCrowd {
  CrAllocator allocator;
  const CrNavMesh *mesh;
  CrCrowdOptions options;
  CrQueryFilter filter_copy;
  CrAgentGroup **groups;  // by slot / CR_GROUP_SLOTS; null: no slot of the group was ever taken
  int32_t group_capacity;
  int32_t slot_capacity;  // slots the tables below serve
  int32_t slot_count, agent_count, lowest_free;
  int64_t next_id, step_count;
  CrIdTable ids, spare_ids;
  CrSeen *seen;  // slot_capacity
  uint8_t *
      seen_flags;  // slot_capacity: whether agents walk or cross in the step under way; CR_SEEN_AT_ENTRY before turns are given
  CrVec2 *ways;     // slot_capacity: what agents want, where it matters who is ahead, else x is CR_NO_WAY
  uint32_t *place;  // slot_capacity: where agents stand in the company's grid
  CrCompany *company;
  CrCompany alone;  // its company when it is in no world
  CrWorld *world;   // null: in none
  int32_t class_index;
  CrWorker *workers;
  int32_t worker_count;
  CrCrew *crew;           // null with one worker
  CrHalfPlane *recorded;  // slot_capacity * planes_per_agent, or null
  CrRecordedPlanes *recorded_counts;
  int32_t planes_per_agent;
  uint8_t *hash_scratch;  // hash_scratch_size: one agent's state bytes
  size_t hash_scratch_size;
};

static inline CrAgent *cr__crowd_slot(const CrCrowd *crowd, int32_t slot) {
  return &crowd->groups[slot / CR_GROUP_SLOTS]->agents[slot % CR_GROUP_SLOTS];
}
static inline bool cr__crowd_slot_active(const CrCrowd *crowd, int32_t slot) {
  const CrAgentGroup *group = crowd->groups[slot / CR_GROUP_SLOTS];
  return group && (group->active >> (slot % CR_GROUP_SLOTS) & 1u);
}

// What the agent of this order wants where it matters who is ahead, else x is CR_NO_WAY.
#define CR_NO_WAY ((double)__builtin_inf())
static inline CrVec2 cr__company_way(const CrCompany *company, uint32_t order) {
  return company->crowds[cr__order_class(order)]->ways[cr__order_slot(order)];
}

// What the agent of this order does in the step under way.
static inline uint8_t cr__company_flags(const CrCompany *company, uint32_t order) {
  return company->crowds[cr__order_class(order)]->seen_flags[cr__order_slot(order)];
}
static inline CrAgent *cr__company_agent(const CrCompany *company, uint32_t order) {
  return cr__crowd_slot(company->crowds[cr__order_class(order)], cr__order_slot(order));
}
static inline const CrSeen *cr__crowd_seen_in_grid(const CrCrowd *crowd, int32_t slot) {
  return &crowd->company->grid.entries[crowd->place[slot]];
}

// --- Crowds (crowd.c) ------------------------------------------------------------------------------------------------

// A crowd of this class of the company, or one alone when there is none.
CrStatus cr__crowd_create(const CrNavMesh *mesh, const CrCrowdOptions *options, const CrAllocator *allocator,
                          CrCompany *company, int32_t class_index, CrCrowd **out, CrError *error);
void cr__crowd_destroy(CrCrowd *crowd);

// --- Agents and slots (agents.c) ------------------------------------------------------------------------------------------------

// Makes room for slots 0..slot_count-1 in the tables. False: out of memory, nothing changed.
bool cr__agents_reserve(CrCrowd *crowd, int32_t slot_count);
// Makes sure the slot's group and wall list exist (the tables must serve the slot).
bool cr__agents_reserve_slot(CrCrowd *crowd, int32_t slot);
void cr__agents_release(CrCrowd *crowd);
// The lowest slot without an agent, slot_count when all have one.
int32_t cr__agents_lowest_free(const CrCrowd *crowd);
// Makes what others see of the agent in the slot what it is; of a free slot, nothing.
void cr__agents_show(CrCrowd *crowd, int32_t slot);
// The slot's wall list.
CrWall *cr__agents_walls(const CrCrowd *crowd, int32_t slot);
// The agent's slot, or -1.
int32_t cr__agents_find(const CrCrowd *crowd, int64_t id);
void cr__agents_activate(CrCrowd *crowd, int32_t slot, int64_t id);
void cr__agents_deactivate(CrCrowd *crowd, int32_t slot);

void cr__ids_clear(CrIdTable *table);
int32_t cr__ids_find(const CrIdTable *table, int64_t id);
// False when the id is there already.
bool cr__ids_insert(CrIdTable *table, int64_t id, int32_t slot);
void cr__ids_erase(CrIdTable *table, int64_t id);

// An agent's own memory: its follower. All or nothing.
CrStatus cr__agent_init(CrAgent *agent, const CrCrowd *crowd, const CrAgentOptions *options, CrError *error);
void cr__agent_deinit(CrAgent *agent);
// Takes over options: avoidance figures, priority, stale walls.
void cr__agent_take_options(CrAgent *agent, const CrAgentOptions *options);

// --- Options (agent_options.c) --------------------------------------------------------------------------------------

CrAvoidance cr__avoidance_of(const CrAgentOptions *options);
CrStatus cr__check_priority(double priority, CrError *error);

#define CR_AGENT_OPTIONS_SIZE 74
#define CR_AGENT_OPTIONS_PATH_SIZE 157  // more, when there are path options

// --- Workers (workers.c) --------------------------------------------------------------------------------------------

#if defined(CR_THREADS)
#define CR_CROWD_MOST_THREADS CR_CROWD_MAX_THREADS  // in this build
#elif defined(CR_HOST_THREADS)
#define CR_CROWD_MOST_THREADS cr_host_threads_count()
#else
#define CR_CROWD_MOST_THREADS 1
#endif

// As many as the options ask for, with their threads. After a failure cr__workers_release frees what was made.
CrStatus cr__workers_create(CrCrowd *crowd, CrError *error);
void cr__workers_release(CrCrowd *crowd);
// Runs task(job, worker) for workers 0..workers-1 (at most worker_count), 0 on the calling thread, all at the same time.
// Returns when all have ended.
typedef void (*CrWorkerTask)(void *job, int32_t worker);
void cr__workers_run(CrCrowd *crowd, int32_t workers, CrWorkerTask task, void *job);

// --- Step -----------------------------------------------------------------------------------------------------------

CrWall cr__wall(CrPolyRef ref, uint8_t edge, uint8_t part, CrVec3 a, CrVec3 b);
// Lets agents at link entries begin to cross, those for whom there will be room where they land (entries.c).
void cr__company_admit(CrCompany *company);
// One step of all crowds together.
CrStatus cr__company_step(CrCompany *company, double dt, CrError *error);
// What the others see of the agent's plan.
void cr__crowd_show_plan(CrCrowd *crowd, CrAgent *agent, int32_t slot);
// Whether the wall cache was looked up on the mesh as it is.
static inline bool cr__walls_hold(const CrCrowd *crowd, const CrAgent *agent) {
  return agent->cache.valid && agent->cache.stamp == crowd->mesh->stamp;
}
// Brings the wall cache up to date for the agent's position.
void cr__walls_refresh(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent);
// Half-planes of the facing walls within reach, nearest first, into worker->planes. Returns their count.
int32_t cr__walls_select(const CrCrowd *crowd, CrWorker *worker, const CrAgent *agent);
// The velocity the agent should have, before its acceleration limit. *out_apart: how far it is moved besides, out of others.
CrVec2 cr__avoid(const CrCrowd *crowd, CrWorker *worker, CrAgent *agent, int32_t slot, double dt, CrVec2 *out_apart);

// --- State (crowd_state.c, crowd_restore.c) -------------------------------------------------------------------------

#define CR_CROWD_STATE_VERSION 1
#define CR_CROWD_STATE_KIND 1
#define CR_CROWD_STATE_KIND_WITH_MESH 2
#define CR_STATE_IDENTITY_SIZE 8  // magic, version, kind, reserved
#define CR_CROWD_HEADER_SIZE 36
#define CR_AGENT_COUNT_OFFSET 12
#define CR_WALL_STATE_SIZE 10
#define CR_WALLS_HEAD_SIZE 28       // of a valid wall cache: centre and count
#define CR_FOLLOWER_STATE_SIZE 269  // without the corridor's polygons
// Of an agent, after its active byte: id, options without path, priority, flags, wanted velocity, follower length, follower
// without polygons, wall cache flag.
#define CR_AGENT_STATE_SIZE (8 + CR_AGENT_OPTIONS_SIZE + 8 + 1 + 16 + 4 + CR_FOLLOWER_STATE_SIZE + 1)

// Room for one agent's state bytes when its corridor holds this many polygons. False: out of memory, nothing changed.
bool cr__hash_scratch_reserve(CrCrowd *crowd, int32_t corridor_capacity);
// Null, or a static sentence naming the first broken invariant (id table, hint, counts, followers). For tests.
const char *cr__crowd_invariant(const CrCrowd *crowd);

#endif
