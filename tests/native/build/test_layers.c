// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Layers: what comes out of the packed bytes is the field that went in, as far as any later stage reads it; and bytes that were
// damaged are refused or give a field that is whole.
#include <time.h>

#include "builder_internal.h"
#include "check.h"
#include "field_maker.h"
#include "layers_internal.h"
#include "levels.h"

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static CrPacker make_packer(const CrAllocator *hooks) {
  CrPacker packer = {0};
  REQUIRE(cr__packer_init(&packer, hooks));
  return packer;
}

// --- A field that is whole ------------------------------------------------------------------------------------------------

static uint32_t column_of(const CrOpenField *field, uint32_t span) {
  uint32_t low = 0, high = (uint32_t)field->grid.width * (uint32_t)field->grid.depth;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (field->first[middle] <= span) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static void check_whole(const CrOpenField *field) {
  uint32_t columns = (uint32_t)field->grid.width * (uint32_t)field->grid.depth, width = (uint32_t)field->grid.width;
  CHECK(field->first[0] == 0 && field->first[columns] == field->count);
  for (uint32_t c = 0; c < columns; c++) {
    CHECK(field->first[c] <= field->first[c + 1]);
    for (uint32_t s = field->first[c]; s < field->first[c + 1]; s++) {
      CHECK(s == field->first[c] || field->floor[s - 1] < field->floor[s]);
      CHECK(field->area[s] <= CR_MAX_AREA || field->area[s] == CR_AREA_NONE);
      CHECK(field->floor[s] >= 0 && field->floor[s] <= CR_LAYERS_MAX_FLOOR);
      for (uint32_t d = 0; d < 4; d++) {
        uint32_t to = field->neighbour[4 * (size_t)s + d];
        if (to == CR_NO_SPAN) continue;
        CHECK(to < field->count);
        if (to >= field->count) continue;
        CHECK(field->neighbour[4 * (size_t)to + ((d + 2) & 3)] == s);
        CHECK_INT(column_of(field, to), (int64_t)c + cr__dir_x[d] + (int64_t)width * cr__dir_z[d]);
        CHECK(!(d == 0 && c % width == 0) && !(d == 2 && c % width == width - 1));
      }
    }
  }
}

// --- Round trips ----------------------------------------------------------------------------------------------------------

// Whether `back` is `field` without the spans that the split left out.
static bool same_kept(const CrOpenField *field, const CrLayers *layers, const CrOpenField *back, CrArena *arena) {
  uint32_t *number = cr__arena_alloc(arena, field->count, sizeof *number), next = 0;
  REQUIRE(number);
  for (uint32_t s = 0; s < field->count; s++) number[s] = layers->layer_of[s] == CR_NO_SPAN ? CR_NO_SPAN : next++;
  if (next != back->count || next != layers->span_count) return false;
  for (uint32_t s = 0; s < field->count; s++) {
    if (number[s] == CR_NO_SPAN) {
      if (field->area[s] != CR_AREA_NONE) return false;
      continue;
    }
    if (back->floor[number[s]] != field->floor[s] || back->area[number[s]] != field->area[s]) return false;
    for (uint32_t d = 0; d < 4; d++) {
      uint32_t to = field->neighbour[4 * (size_t)s + d];
      uint32_t expected = to == CR_NO_SPAN ? CR_NO_SPAN : number[to];
      if (back->neighbour[4 * (size_t)number[s] + d] != expected) return false;
    }
  }
  return true;
}

static void check_layers(const CrOpenField *field, const CrLayers *layers, CrArena *arena) {
  uint32_t *last = cr__arena_alloc(arena, (size_t)field->grid.width * (size_t)field->grid.depth, sizeof *last);
  REQUIRE(last);
  for (uint32_t l = 0; l < layers->count; l++) {
    CHECK(layers->first[l] < layers->first[l + 1]);
    for (uint32_t i = layers->first[l]; i < layers->first[l + 1]; i++) {
      CHECK(layers->layer_of[layers->spans[i]] == l);
      if (i > layers->first[l]) CHECK(layers->column[layers->spans[i - 1]] < layers->column[layers->spans[i]]);
    }
  }
}

static CrPackedLayers round_trip(const CrOpenField *field, CrPacker *packer, const CrAllocator *hooks) {
  CrArena arena;
  CrLayers layers;
  CrPackedLayers packed;
  CrOpenField back;
  cr__arena_init(&arena, NULL);
  REQUIRE(cr__layers_split(field, &arena, &layers));
  check_layers(field, &layers, &arena);
  REQUIRE_OK(cr__layers_pack(field, packer, &arena, hooks, &packed, NULL));
  CHECK_OK(cr__layers_unpack(&packed, &field->grid, &field->cells, &arena, &back));
  check_whole(&back);
  CHECK(same_kept(field, &layers, &back, &arena));
  cr__arena_free(&arena);
  return packed;
}

// Noise of storeys, steps and holes: layers that meet in every way.
static FieldMaker noisy_field(uint64_t *seed) {
  int32_t width = 1 + rnd_int(seed, 24), depth = 1 + rnd_int(seed, 24);
  FieldMaker maker = field_maker(width, depth, 0);
  int32_t storeys = 1 + rnd_int(seed, 4), rough = 1 + rnd_int(seed, 8), dense = 1 + rnd_int(seed, 10);
  maker.cells.height = 1 + rnd_int(seed, 6);
  for (int32_t z = 0; z < maker.grid.depth; z++) {
    for (int32_t x = 0; x < maker.grid.width; x++) {
      int32_t floor = rnd_int(seed, rough);
      if (rnd_int(seed, 2)) floor += x * 2;
      for (int32_t storey = 0; storey < storeys; storey++) {
        if (rnd_int(seed, dense) == 0) continue;
        int32_t room = 1 + rnd_int(seed, 12);
        uint8_t area = rnd_int(seed, 4) == 0 ? CR_AREA_NONE : (uint8_t)(rnd_int(seed, 5) ? 0 : rnd_int(seed, 64));
        field_add(&maker, (FieldSpan){x, z, floor, room, 0, area});
        floor += room + 1 + rnd_int(seed, 3);
      }
    }
  }
  return maker;
}

// Links of made fields are those of one side's choice: keeps the mutual ones, as the build does.
static void keep_mutual(CrOpenField *field) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < 4 * field->count; i++) {
      uint32_t to = field->neighbour[i];
      if (to == CR_NO_SPAN || field->neighbour[4 * (size_t)to + ((i + 2) & 3)] == i / 4) continue;
      field->neighbour[i] = CR_NO_SPAN;
      changed = true;
    }
  }
}

TEST(noise_comes_back) {
  uint64_t seed = check_seed = 3;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  CrPacker packer = make_packer(&hooks);
  int64_t layers = 0, spans = 0, rounds = check_scaled(1500);
  for (int64_t i = 0; i < rounds; i++) {
    CrArena arena;
    cr__arena_init(&arena, NULL);
    FieldMaker maker = noisy_field(&seed);
    CrOpenField field = field_make(&maker, &arena);
    keep_mutual(&field);
    CrPackedLayers packed = round_trip(&field, &packer, &hooks);
    layers += packed.layer_count;
    spans += packed.span_count;
    cr__layers_free(&packed, &hooks);
    field_maker_free(&maker);
    cr__arena_free(&arena);
  }
  printf("%" PRId64 " fields: %" PRId64 " spans in %" PRId64 " layers\n", rounds, spans, layers);
  CHECK(layers > 2 * rounds);
  cr__packer_free(&packer, &hooks);
}

TEST(an_empty_field_and_extreme_floors) {
  CrAllocator hooks = cr__allocator_or_default(NULL);
  CrPacker packer = make_packer(&hooks);
  for (int kind = 0; kind < 3; kind++) {
    CrArena arena;
    cr__arena_init(&arena, NULL);
    FieldMaker maker = field_maker(6, 5, 1);
    for (int32_t i = 0; kind && i < 30; i++) {
      int32_t floor = (i * 7 % 5) % 2 ? CR_LAYERS_MAX_FLOOR : 0;
      field_add(&maker, (FieldSpan){i % 6, i / 6, floor, 1, 0, kind == 1 ? CR_AREA_NONE : 63});
    }
    CrOpenField field = field_make(&maker, &arena);
    CrPackedLayers packed = round_trip(&field, &packer, &hooks);
    CHECK_INT(packed.span_count, kind == 2 ? 30 : 0);
    cr__layers_free(&packed, &hooks);
    field_maker_free(&maker);
    cr__arena_free(&arena);
  }
  cr__packer_free(&packer, &hooks);
}

TEST(a_field_of_too_many_spans_is_refused_by_name) {
  CrAllocator hooks = cr__allocator_or_default(NULL);
  CrPacker packer = make_packer(&hooks);
  CrArena arena;
  CrError error;
  CrPackedLayers packed;
  CrOpenField field = {.count = CR_LAYERS_MAX_SPANS + 1};
  cr__arena_init(&arena, NULL);
  CHECK_STATUS(cr__layers_pack(&field, &packer, &arena, &hooks, &packed, &error), CR_STATUS_LIMIT);
  CHECK(strcmp(error.field, "settings.tileCells") == 0 && error.limit == 16777216.0);
  cr__arena_free(&arena);
  cr__packer_free(&packer, &hooks);
}

// --- Damage ---------------------------------------------------------------------------------------------------------------

static void try_damaged(const CrPackedLayers *packed, const CrOpenField *field, int64_t *accepted) {
  CrArena arena;
  CrOpenField back;
  cr__arena_init(&arena, NULL);
  CrStatus status = cr__layers_unpack(packed, &field->grid, &field->cells, &arena, &back);
  CHECK(status == CR_STATUS_OK || status == CR_STATUS_BAD_VALUE);
  if (status == CR_STATUS_OK) {
    check_whole(&back);
    (*accepted)++;
  }
  cr__arena_free(&arena);
}

// Damages the bytes under the packing, so that it is the layers' own checks that have to hold.
static void damage(const CrPackedLayers *packed, const CrOpenField *field, CrPacker *packer, uint64_t *seed,
                   int64_t *accepted) {
  uint8_t *raw = malloc(packed->raw_size), *again = malloc(cr__pack_bound(packed->raw_size));
  REQUIRE(raw && again && cr__unpack(packed->data, packed->size, raw, packed->raw_size));
  for (uint32_t at = 0; at < packed->raw_size; at++) {
    uint8_t before = raw[at];
    raw[at] = rnd_int(seed, 3) ? (uint8_t)rnd_u64(seed) : (uint8_t)(0xFF * rnd_int(seed, 2));
    CrPackedLayers other = *packed;
    other.data = again;
    other.size = (uint32_t)cr__pack(packer, raw, packed->raw_size, again);
    try_damaged(&other, field, accepted);
    raw[at] = before;
  }
  for (uint32_t size = 0; size < packed->raw_size; size++) {
    CrPackedLayers other = *packed;
    other.data = again;
    other.raw_size = size;
    other.size = (uint32_t)cr__pack(packer, raw, size, again);
    try_damaged(&other, field, accepted);
  }
  free(raw);
  free(again);
}

TEST(damaged_layers_are_refused_or_whole) {
  uint64_t seed = check_seed = 4;
  CrAllocator hooks = cr__allocator_or_default(NULL);
  CrPacker packer = make_packer(&hooks);
  int64_t accepted = 0, rounds = check_scaled(30);
  for (int64_t i = 0; i < rounds; i++) {
    CrArena arena;
    cr__arena_init(&arena, NULL);
    FieldMaker maker = noisy_field(&seed);
    CrOpenField field = field_make(&maker, &arena);
    keep_mutual(&field);
    CrPackedLayers packed = round_trip(&field, &packer, &hooks);
    damage(&packed, &field, &packer, &seed, &accepted);
    uint32_t *counts[] = {&packed.span_count, &packed.layer_count, &packed.raw_size};
    for (size_t k = 0; k < CR_COUNT_OF(counts); k++) {
      uint32_t before = *counts[k];
      const uint32_t others[] = {0, before + 1, before - 1, UINT32_MAX};
      for (size_t o = 0; o < CR_COUNT_OF(others); o++) {
        CrArena scratch;
        CrOpenField back;
        *counts[k] = others[o];
        cr__arena_init(&scratch, NULL);
        if (others[o] != before) {
          CHECK_STATUS(cr__layers_unpack(&packed, &field.grid, &field.cells, &scratch, &back), CR_STATUS_BAD_VALUE);
        }
        cr__arena_free(&scratch);
      }
      *counts[k] = before;
    }
    cr__layers_free(&packed, &hooks);
    field_maker_free(&maker);
    cr__arena_free(&arena);
  }
  printf("%" PRId64 " damaged layers made a field\n", accepted);
  CHECK(accepted > 0);
  cr__packer_free(&packer, &hooks);
}

// --- Levels ---------------------------------------------------------------------------------------------------------------

typedef struct Sizes {
  int64_t layers, packed, raw_bytes, cells, spans, left_out, tiles;
  double pack_seconds, unpack_seconds;
} Sizes;

static void finish_both(CrTileBuild *build, const CrPackedLayers *packed, int32_t x, int32_t z) {
  CrTileBuild again;
  CrBytes a, b;
  cr__tile_build_resume(&again, build->context, x, z, build->links, build->link_count, CR_STAGE_OBSTACLES);
  REQUIRE_OK(cr__layers_unpack(packed, &build->open.grid, &build->open.cells, &again.arena, &again.open));
  REQUIRE_OK(cr_tile_build_run_to(&again, CR_STAGE_ENCODE, NULL));
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_ENCODE, NULL));
  REQUIRE_OK(cr_tile_build_take_bytes(&again, &a, NULL));
  REQUIRE_OK(cr_tile_build_take_bytes(build, &b, NULL));
  CHECK(a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0));
  cr_bytes_free(&a);
  cr_bytes_free(&b);
  cr__tile_build_end(&again);
}

static void pack_tile(const CrBuilder *builder, int32_t x, int32_t z, CrPacker *packer, const CrAllocator *hooks,
                      Sizes *sizes) {
  CrTileBuild *build;
  CrArena arena;
  CrOpenField back;
  REQUIRE_OK(cr_tile_build_create(builder, x, z, &build, NULL));
  REQUIRE_OK(cr_tile_build_run_to(build, CR_STAGE_VOLUMES, NULL));
  CrPackedLayers packed = round_trip(&build->open, packer, hooks), timed;
  cr__arena_init(&arena, NULL);
  double start = seconds();
  REQUIRE_OK(cr__layers_pack(&build->open, packer, &arena, hooks, &timed, NULL));
  double middle = seconds();
  REQUIRE_OK(cr__layers_unpack(&packed, &build->open.grid, &build->open.cells, &arena, &back));
  sizes->unpack_seconds += seconds() - middle;
  sizes->pack_seconds += middle - start;
  CHECK(timed.size == packed.size && memcmp(timed.data, packed.data, packed.size) == 0);
  cr__layers_free(&timed, hooks);
  cr__arena_free(&arena);
  sizes->tiles += packed.layer_count > 0;
  sizes->layers += packed.layer_count;
  sizes->packed += packed.layer_count ? packed.size : 0;
  sizes->raw_bytes += packed.raw_size;
  sizes->cells += packed.layer_count * (int64_t)build->open.grid.width * build->open.grid.depth;
  sizes->spans += packed.span_count;
  sizes->left_out += build->open.count - packed.span_count;
  finish_both(build, &packed, x, z);
  cr__layers_free(&packed, hooks);
  cr_tile_build_destroy(build);
}

static Sizes pack_level(uint32_t index, CrPartition partition) {
  Sizes sizes = {0};
  CrAllocator hooks = cr__allocator_or_default(NULL);
  CrPacker packer = make_packer(&hooks);
  Level level = level_make(index);
  CrBuildInput input = level_input(&level);
  CrBuildSettings settings = cr_build_settings_default();
  settings.tile_cells = 48;
  settings.partition = partition;
  CrBuilder *builder;
  int32_t tiles_x, tiles_z;
  REQUIRE_OK(cr_builder_create(&input, &settings, NULL, NULL, &builder, NULL));
  cr_builder_tile_counts(builder, &tiles_x, &tiles_z);
  if (tiles_x > 12) tiles_x = 12;
  if (tiles_z > 12) tiles_z = 12;
  for (int32_t z = 0; z < tiles_z; z++) {
    for (int32_t x = 0; x < tiles_x; x++) pack_tile(builder, x, z, &packer, &hooks, &sizes);
  }
  cr_builder_destroy(builder);
  level_free(&level);
  cr__packer_free(&packer, &hooks);
  return sizes;
}

// A raw layer: 48 * 48 cells of two bytes of height, one of area and one of links.
TEST(levels_come_back_and_build_the_same_tiles) {
  Sizes all = {0};
  printf("  level            layers   bytes each  share of 48*48*4   of all 58*58*4   pack us  unpack us per tile\n");
  for (uint32_t i = 0; i < level_count(); i++) {
    Sizes s = pack_level(i, (CrPartition)(i % 3));
    if (s.layers == 0) continue;
    double each = (double)s.packed / (double)s.layers;
    printf("  %-16s %6" PRId64 " %12.0f %16.1f %% %14.1f %% %9.0f %9.1f\n", level_name(i), s.layers, each,
           100 * each / (48 * 48 * 4), 100.0 * (double)s.packed / (4 * (double)s.cells),
           1e6 * s.pack_seconds / (double)s.tiles, 1e6 * s.unpack_seconds / (double)s.tiles);
    all.layers += s.layers;
    all.packed += s.packed;
    all.spans += s.spans;
    all.left_out += s.left_out;
    all.raw_bytes += s.raw_bytes;
  }
  double each = (double)all.packed / (double)all.layers;
  printf("all: %" PRId64 " layers, %.0f bytes each, %.1f %% of 9216; %" PRId64 " spans kept, %" PRId64
         " left out, %.2f bytes per kept span before packing\n",
         all.layers, each, 100 * each / 9216, all.spans, all.left_out, (double)all.raw_bytes / (double)all.spans);
  CHECK(each < 9216 * 0.1);
}

TEST_MAIN(RUN(noise_comes_back), RUN(an_empty_field_and_extreme_floors),
          RUN(a_field_of_too_many_spans_is_refused_by_name), RUN(damaged_layers_are_refused_or_whole),
          RUN(levels_come_back_and_build_the_same_tiles))
