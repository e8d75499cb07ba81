// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: crowds of several agent classes in one company, so that their agents see each other in one grid.
// Invariant: the crowds are made and end with their world; between steps each is a crowd like any other.
// order: by class, as they were added.
#include "crowd_struct.h"

struct CrWorld {
  CrCompany company;
};

CrStatus cr_world_create(const CrAllocator *allocator, CrWorld **out, CrError *error) {
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrWorld *world = cr__alloc_zeroed(&hooks, 1, sizeof *world);
  if (!world) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  world->company.allocator = hooks;
  *out = world;
  return CR_STATUS_OK;
}

void cr_world_destroy(CrWorld *world) {
  if (!world) return;
  CrAllocator hooks = world->company.allocator;
  for (int32_t k = 0; k < world->company.count; k++) cr__crowd_destroy(world->company.crowds[k]);
  cr__grid_release(&world->company.grid, &hooks);
  cr__free(&hooks, world, 1, sizeof *world);
}

CrStatus cr_world_add_crowd(CrWorld *world, const CrNavMesh *mesh, const CrCrowdOptions *options, CrCrowd **out,
                            CrError *error) {
  CrCompany *company = &world->company;
  if (company->count == CR_WORLD_MAX_CROWDS) return cr__fail_limit(error, CR_STATUS_FULL, "world", CR_WORLD_MAX_CROWDS);
  CrCrowd *crowd;
  CrStatus status = cr__crowd_create(mesh, options, &company->allocator, company, company->count, &crowd, error);
  if (status != CR_STATUS_OK) return status;
  crowd->world = world;
  company->crowds[company->count++] = crowd;
  *out = crowd;
  return CR_STATUS_OK;
}

int32_t cr_world_crowd_count(const CrWorld *world) { return world->company.count; }

CrCrowd *cr_world_crowd(const CrWorld *world, int32_t class_index) {
  CR_ASSERT(class_index >= 0 && class_index < world->company.count);
  return world->company.crowds[class_index];
}

CrWorld *cr_crowd_world(const CrCrowd *crowd) { return crowd->world; }

CrStatus cr_world_step(CrWorld *world, double dt, CrError *error) {
  return cr__company_step(&world->company, dt, error);
}
