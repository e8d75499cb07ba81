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

typedef struct CrWorld CrWorld;

// A world without crowds.
CrStatus cr_world_create(const CrAllocator *allocator, CrWorld **out, CrError *error);
// Ends the world and its crowds.
void cr_world_destroy(CrWorld *world);

// Adds the crowd of one more class of agents, empty, as cr_crowd_create makes one. The mesh must outlive the world; classes may share
// one. Between steps a world may grow at any time. CR_STATUS_FULL ("world") when it holds CR_WORLD_MAX_CROWDS.
CrStatus cr_world_add_crowd(CrWorld *world, const CrNavMesh *mesh, const CrCrowdOptions *options, CrCrowd **out,
                            CrError *error);

int32_t cr_world_crowd_count(const CrWorld *world);
// The crowd of a class, 0 to cr_world_crowd_count - 1: classes are numbered as they were added. It is the world's: cr_crowd_destroy leaves it alone and cr_crowd_step refuses
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
