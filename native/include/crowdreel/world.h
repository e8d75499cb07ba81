// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: crowds of different agent classes, each on the mesh built for its size, that step together and avoid each other
// (docs/behaviour/worlds.md).
#ifndef CROWDREEL_WORLD_H
#define CROWDREEL_WORLD_H

#include "crowdreel/crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CR_WORLD_MAX_CROWDS 64

// One class of agents.
typedef struct CrWorldClass {
  const CrNavMesh *mesh;          // must outlive the world; classes may share one
  const CrCrowdOptions *options;  // null: the defaults
} CrWorldClass;

typedef struct CrWorld CrWorld;

// Makes a crowd for each of the 1..CR_WORLD_MAX_CROWDS classes, all or none. Errors are those of cr_crowd_create, with the class
// as `index`; CR_STATUS_ARGUMENT names "class_count".
CrStatus cr_world_create(const CrWorldClass *classes, int32_t class_count, const CrAllocator *allocator, CrWorld **out,
                         CrError *error);
// Ends the world and its crowds.
void cr_world_destroy(CrWorld *world);

int32_t cr_world_crowd_count(const CrWorld *world);
// The crowd of a class, 0 to cr_world_crowd_count - 1. It is the world's: cr_crowd_destroy leaves it alone and cr_crowd_step refuses
// it (CR_STATUS_ARGUMENT, "crowd"). All else goes as for any crowd, its state included.
CrCrowd *cr_world_crowd(const CrWorld *world, int32_t class_index);
// The world a crowd is in, or null.
CrWorld *cr_crowd_world(const CrCrowd *crowd);

// One step of dt seconds of all crowds, 0 < dt <= 3600. Allocates nothing. CR_STATUS_LIMIT when a crowd has made
// CR_CROWD_MAX_COUNT steps (`index`: its class). After a failure no crowd has made a step.
CrStatus cr_world_step(CrWorld *world, double dt, CrError *error);

#ifdef __cplusplus
}
#endif
#endif
