// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Structures of the path module, and what crowds need of followers beyond the public calls.
#ifndef CR_PATH_INTERNAL_H
#define CR_PATH_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/path.h"

struct CrCorridor {
  CrAllocator allocator;
  int32_t capacity, count;
  CrPolyRef *path;  // capacity
  CrVec3 position, target;
  CrPolyRef target_ref;
  bool complete, needs_replan, replan_from_start;
};

struct CrFollower {
  CrFollowerOptions options;
  CrCorridor corridor;
  CrFollowerState state;
  bool reached_target;
  uint64_t step_count;
  int32_t replan_rounds, stuck_recoveries;
  double stuck_clock;
  CrVec3 stuck_anchor;
  CrVec3 position, velocity, destination;
  CrVec3 off_mesh_start, off_mesh_end;
  double off_mesh_elapsed, off_mesh_duration;
  CrPolyRef off_mesh_exit;
  double remaining_distance;
};

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
  int32_t limit;              // MoveAlong limit: index of the steering corner's polygon + 1
  CrVec3 corner;              // the steering corner
  double remaining;           // corner-polyline length to the end, or +infinity
  double distance_to_corner;  // horizontal
} CrCrowdPlan;

// Steps 1 to 6 of the follower's step, the crowd's replan deferral, and the wanted velocity with the arrival rule.
CrCrowdPlan cr__follower_plan_crowd(CrFollower *follower, CrPathContext *context, double dt);
// Moves a walking agent by velocity * dt along its corridor; arrives or counts stuck time as Step does.
void cr__follower_apply_crowd(CrFollower *follower, CrPathContext *context, const CrCrowdPlan *plan,
                              double velocity_x, double velocity_z, double dt);
// Pushes a standing agent along the surface and reports the velocity that resulted.
void cr__follower_nudge(CrFollower *follower, CrPathContext *context, double velocity_x, double velocity_z, double dt);

// State bytes, streaming. Read with a null follower only validates (the options say which capacity is right); it never
// allocates. Read into a follower must follow a successful validation of the same bytes, and then cannot fail.
void cr__follower_write(const CrFollower *follower, CrWriter *writer);
void cr__follower_read(CrFollower *follower, const CrFollowerOptions *options, CrReader *reader);
void cr__corridor_write(const CrCorridor *corridor, CrWriter *writer);
void cr__corridor_read(CrCorridor *corridor, int32_t capacity, CrReader *reader);

// The 153 or so bytes of follower options in the agent options row (DESIGN 6.7 order), shared by crowd state and operations.
void cr__follower_options_write(const CrFollowerOptions *options, CrWriter *writer);
void cr__follower_options_read(CrFollowerOptions *options, CrReader *reader);

// Null, or a static sentence naming the first broken invariant (polygons valid, connected, unique, counts, position on the
// first polygon). For tests and debug builds.
const char *cr__corridor_invariant(const CrCorridor *corridor, const CrPathContext *context);

const CrQueryFilter *cr__path_context_filter(const CrPathContext *context);

#endif
