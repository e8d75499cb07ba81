// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: crowds of several agent classes in one company, so that their agents see each other in one grid.
// Invariant: the crowds are made and end with their world; between steps each is a crowd like any other.
// order: by class, as they were given.
#include "crowd_struct.h"

struct CrWorld {
  CrCompany company;
};

static CrStatus add_crowd(CrWorld *world, const CrWorldClass *class, CrError *error) {
  CrCompany *company = &world->company;
  CrCrowd *crowd = NULL;
  CrError detail;
  CrStatus status =
      cr__crowd_create(class->mesh, class->options, &company->allocator, company, company->count, &crowd, &detail);
  if (status != CR_STATUS_OK) {
    detail.index = company->count;
    if (error) *error = detail;
    return status;
  }
  crowd->world = world;
  company->crowds[company->count++] = crowd;
  return CR_STATUS_OK;
}

CrStatus cr_world_create(const CrWorldClass *classes, int32_t class_count, const CrAllocator *allocator, CrWorld **out,
                         CrError *error) {
  if (class_count < 1 || class_count > CR_WORLD_MAX_CROWDS) {
    return cr__fail_limit(error, CR_STATUS_ARGUMENT, "class_count", class_count < 1 ? 1 : CR_WORLD_MAX_CROWDS);
  }
  CrAllocator hooks = cr__allocator_or_default(allocator);
  CrWorld *world = cr__alloc_zeroed(&hooks, 1, sizeof *world);
  if (!world) return cr__fail(error, CR_STATUS_OUT_OF_MEMORY, NULL);
  world->company.allocator = hooks;
  for (int32_t k = 0; k < class_count; k++) {
    CrStatus status = add_crowd(world, &classes[k], error);
    if (status == CR_STATUS_OK) continue;
    cr_world_destroy(world);
    return status;
  }
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

int32_t cr_world_crowd_count(const CrWorld *world) { return world->company.count; }

CrCrowd *cr_world_crowd(const CrWorld *world, int32_t class_index) {
  CR_ASSERT(class_index >= 0 && class_index < world->company.count);
  return world->company.crowds[class_index];
}

CrWorld *cr_crowd_world(const CrCrowd *crowd) { return crowd->world; }

CrStatus cr_world_step(CrWorld *world, double dt, CrError *error) {
  return cr__company_step(&world->company, dt, error);
}
