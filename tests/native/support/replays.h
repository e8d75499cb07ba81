// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A host that drives a crowd at random, by seed, through a recorder or without one: all five operations, Adds that
// fail, and calls that are refused. What it did can be compared with what a replay does.
#ifndef CR_TEST_REPLAYS_H
#define CR_TEST_REPLAYS_H

#include "check.h"
#include "crowdreel/replay.h"

#define HOST_WORLDS 5
#define HOST_MAX_IDS 64

typedef struct HostPlan {
  int32_t world;  // 0..HOST_WORLDS - 1; 0 is the smallest
  uint64_t seed;
  int32_t max_agents;  // small values make Adds fail with FULL; at most HOST_MAX_IDS
  int32_t first_agents;
  int32_t warm_steps;   // steps before recording begins
  int32_t max_threads;  // 0: as by default
  double dt;
  const CrAllocator *allocator;
} HostPlan;

typedef struct Host {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrRecorder *recorder;  // null: the crowd is driven directly
  double dt;
  uint64_t random;
  int64_t ids[HOST_MAX_IDS];
  int32_t id_count;
  int64_t done[6];  // successful operations by kind
  int64_t adds_not_found, adds_full, refused;
} Host;

// Makes mesh, crowd and first agents, runs the warm steps, then begins to record (when `record`).
void host_start(Host *host, const HostPlan *plan, bool record);
void host_end(Host *host);
// Random operations between two steps.
void host_act(Host *host);
void host_step(Host *host);
void host_run(Host *host, int32_t steps);  // act and step
CrBytes host_save(const Host *host);

// The whole of it: a recording of `steps` steps.
CrBytes record_run(const HostPlan *plan, int32_t steps);

CrBytes state_of(const CrCrowd *crowd);
bool same_bytes(const CrBytes *a, const CrBytes *b);
bool same_state(const CrCrowd *crowd, const CrBytes *state);

// States of a crowd at positions 0..count-1.
typedef struct Trace {
  CrBytes *states;
  int32_t count, capacity;
} Trace;
void trace_push(Trace *trace, const CrCrowd *crowd);
void trace_free(Trace *trace);
// The states of linear play, in a fresh player without keyframes; ends early when a step fails.
Trace trace_replay(const CrReplay *replay);

CrReplay *open_replay(const CrBytes *file);  // stops the program when it cannot be read

// Records a replay's run again: a crowd made from its setup block, driven by its operations through a new recorder.
CrBytes record_again(const CrReplay *replay);

#endif
