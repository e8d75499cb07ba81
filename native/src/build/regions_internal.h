// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Between the partitions and the tidying of their regions.
#ifndef CR_REGIONS_INTERNAL_H
#define CR_REGIONS_INTERNAL_H

#include "build_internal.h"

// Distance of each open span to the nearest boundary (2 per straight step, 3 per diagonal one); edges between areas count as boundary
// when asked. Null when out of memory.
uint16_t *cr__boundary_distance(const CrOpenField *field, bool area_edges, CrArena *arena);

// Column of each span. Null when out of memory.
uint32_t *cr__span_columns(const CrOpenField *field, CrArena *arena);
// Gives the walkable spans of the border columns CR_BORDER_REGION.
void cr__paint_borders(CrOpenField *field);

// Drops small islands, merges small regions into neighbours and numbers the rest 1.. in order of their old numbers. With `join`, regions are
// first joined to layers as large as their columns allow.
bool cr__tidy_regions(CrOpenField *field, bool join, int32_t min_region_area, int32_t merge_region_area,
                      CrArena *arena);

#endif
