// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Open fields at random and winding ramps, with regions as blobs or stripes.
#ifndef CR_TEST_RANDOM_FIELDS_H
#define CR_TEST_RANDOM_FIELDS_H

#include "field_maker.h"
#include "outline_internal.h"

// Random maps: noise of a given density, with regions as blobs grown from seeds.
static inline FieldMaker random_field(uint64_t *seed, int32_t width, int32_t depth, double walls, uint32_t regions) {
  FieldMaker maker = field_maker(width, depth, 0);
  int32_t *cx = malloc(regions * sizeof *cx), *cz = malloc(regions * sizeof *cz);
  REQUIRE(cx && cz);
  for (uint32_t r = 0; r < regions; r++) {
    cx[r] = rnd_int(seed, width);
    cz[r] = rnd_int(seed, depth);
  }
  int32_t rough = rnd_int(seed, 4);
  for (int32_t z = 0; z < depth; z++) {
    for (int32_t x = 0; x < width; x++) {
      if (rnd_unit(seed) < walls) continue;
      uint32_t best = 0;
      int64_t least = INT64_MAX;
      for (uint32_t r = 0; r < regions; r++) {
        int64_t dx = x - cx[r], dz = z - cz[r];
        int64_t d = dx * dx + dz * dz + rnd_int(seed, rough * rough * 8 + 1);
        if (d < least) {
          least = d;
          best = r;
        }
      }
      field_add(&maker, (FieldSpan){x, z, 0, 1000, best + 1, (uint8_t)(best % 3 == 2)});
    }
  }
  free(cx);
  free(cz);
  return maker;
}

// Storeys of random heights: ledges within pieces, pieces above each other, spirals, ways that lead under themselves.
static inline FieldMaker random_storeys(uint64_t *seed, int32_t width, int32_t depth) {
  int32_t border = rnd_int(seed, 3);
  if (border) depth = width;
  FieldMaker maker = field_maker(width + 2 * border, depth + 2 * border, border);
  int32_t layers = 1 + rnd_int(seed, 3), rough = rnd_int(seed, 7), regions = 1 + rnd_int(seed, 5);
  int32_t slope_x = rnd_int(seed, 5), slope_z = rnd_int(seed, 5);
  double walls = rnd_small(seed) * 0.5;
  for (int32_t z = 0; z < maker.grid.depth; z++) {
    for (int32_t x = 0; x < maker.grid.width; x++) {
      bool own = cr__owns(cr__own_square(&maker.grid), x, z);
      for (int32_t layer = 0; layer < layers; layer++) {
        if (rnd_unit(seed) < walls) continue;
        int32_t floor = layer * 30 + x * slope_x + z * slope_z + rnd_int(seed, rough + 1);
        uint32_t region = 1 + (uint32_t)((x / 7 + z / 9 * 3 + layer * 5) % regions);
        if (rnd_int(seed, 50) == 0) region = 0;
        if (!own) region |= CR_BORDER_REGION;
        uint8_t area = rnd_int(seed, 100) == 0 ? CR_AREA_NONE : (uint8_t)(rnd_int(seed, 200) == 0);
        field_add(&maker, (FieldSpan){x, z, floor, 12 + rnd_int(seed, 8), region, area});
      }
    }
  }
  return maker;
}

// A ramp that winds round a pole of `pole` cells (0: round a corner, so that one fan holds all storeys), all one region.
static inline FieldMaker winding_ramp(int32_t width, int32_t pole, int32_t turns) {
  FieldMaker maker = field_maker(width, width, 0);
  int32_t middle = width / 2, storey = 40;
  maker.cells.climb = 12;
  for (int32_t z = 0; z < width; z++) {
    for (int32_t x = 0; x < width; x++) {
      double dx = x + 0.5 - middle, dz = z + 0.5 - middle;
      double around = dz >= 0 ? (dx >= 0 ? dz / (dx + dz) : 1.0 - dx / (dz - dx))
                              : (dx < 0 ? 2.0 + dz / (dx + dz) : 3.0 + dx / (dx - dz));
      if (abs(x - middle) < pole && abs(z - middle) < pole) continue;
      for (int32_t turn = 0; turn < turns; turn++) {
        field_add(&maker, (FieldSpan){x, z, (int32_t)((around / 4.0 + turn) * storey), 30, 1, 0});
      }
    }
  }
  return maker;
}

#endif
