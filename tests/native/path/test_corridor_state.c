// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// State bytes of corridors (docs/formats/corridor-follower.md): their layout, damage, and that a corridor read from them goes on
// exactly as the one they were written from.
#include "corridors.h"

static CorridorBytes first, second, bad;

// --- Layout -------------------------------------------------------------------------------------------------------------

// The bytes as the format's page has them, put together without the writer.
static size_t lay_out(const CrCorridor *corridor, uint8_t *out) {
  const double numbers[6] = {corridor->position.x, corridor->position.y, corridor->position.z,
                             corridor->target.x,   corridor->target.y,   corridor->target.z};
  uint64_t words[7];
  memcpy(words, numbers, sizeof numbers);
  words[6] = corridor->target_ref;
  out[0] = 1;
  out[1] = (uint8_t)(corridor->complete + 2 * corridor->needs_replan + 4 * corridor->replan_from_start);
  for (int b = 0; b < 4; b++) {
    out[2 + b] = (uint8_t)((uint32_t)corridor->capacity >> 8 * b);
    out[6 + b] = (uint8_t)((uint32_t)corridor->count >> 8 * b);
  }
  for (int32_t w = 0; w < 7 + corridor->count; w++) {
    uint64_t word = w < 7 ? words[w] : corridor->path[w - 7];
    for (int b = 0; b < 8; b++) out[10 + 8 * w + b] = (uint8_t)(word >> 8 * b);
  }
  return 66 + 8 * (size_t)corridor->count;
}

TEST(layout_is_the_documented_one) {
  CrCorridor *corridor;
  REQUIRE_OK(cr_corridor_create(CR_CORRIDOR_MAX_CAPACITY, NULL, &corridor, NULL));
  uint64_t seed = 5;
  for (int run = 0; run < 200; run++) {
    check_seed = seed;
    corridor->count = run == 0 ? 0 : run == 1 ? CR_CORRIDOR_MAX_CAPACITY : rnd_int(&seed, 40);
    corridor->complete = run & 1, corridor->needs_replan = run & 2, corridor->replan_from_start = run & 4;
    corridor->position = rnd_point(&seed, cr__vec(-2e6, -2e6, -2e6), cr__vec(2e6, 2e6, 2e6));
    corridor->target = rnd_point(&seed, cr__vec(-2e6, -2e6, -2e6), cr__vec(2e6, 2e6, 2e6));
    corridor->target_ref = rnd_u64(&seed);
    for (int32_t k = 0; k < corridor->count; k++) corridor->path[k] = rnd_u64(&seed);
    bad.size = lay_out(corridor, bad.data);
    CHECK(cr_corridor_state_size(corridor) == bad.size);
    CHECK(is_still(corridor, &bad));
    // And back: into a corridor with nothing of this.
    CrCorridor *other;
    REQUIRE_OK(cr_corridor_create(CR_CORRIDOR_MAX_CAPACITY, NULL, &other, NULL));
    CHECK_OK(cr_corridor_restore(other, bad.data, bad.size, NULL));
    CHECK(is_still(other, &bad));
    CHECK(other->complete == corridor->complete && other->needs_replan == corridor->needs_replan);
    CHECK(other->replan_from_start == corridor->replan_from_start && other->target_ref == corridor->target_ref);
    CHECK(same_path(other, corridor->path, corridor->count) && cr__same_point(other->target, corridor->target));
    cr_corridor_destroy(other);
  }
  // Without room for all of it nothing is written.
  take_corridor(corridor, &first);
  memset(&bad, 0xAB, sizeof bad);
  for (size_t room = 0; room < first.size; room += 1 + first.size / 40) {
    CrError error = {0};
    CHECK_STATUS(cr_corridor_save(corridor, bad.data, room, &error), CR_STATUS_LIMIT);
    CHECK(error.field && strcmp(error.field, "capacity") == 0 && error.limit == (double)first.size);
    for (size_t k = 0; k < first.size; k++) CHECK(bad.data[k] == 0xAB);
  }
  cr_corridor_destroy(corridor);
}

// --- Damage -------------------------------------------------------------------------------------------------------------

typedef struct Damage {
  const char *field;
  size_t offset, size;
  uint64_t value;
  CrStatus status;
} Damage;

#define INF UINT64_C(0x7FF0000000000000)
#define MINUS_INF UINT64_C(0xFFF0000000000000)
#define NAN_BITS UINT64_C(0x7FF8000000000001)
#define LIMIT_BITS UINT64_C(0x4140000000000000)  // 2^21
#define MINUS_LIMIT UINT64_C(0xC140000000000000)

static CrCorridor *some_corridor(CrNavMesh **mesh, CrPathContext **context) {
  *mesh = world_scattered(5, 20, 20, 1.0, 0.1, 10, NULL);
  *context = make_context(*mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrCorridor *corridor = planned_corridor(*context, 48, cr__vec(1.5, 0, 1.5), cr__vec(18.5, 0, 16.5));
  REQUIRE(corridor->complete && corridor->count > 10 && corridor->count < 40);
  return corridor;
}

static void check_refused(CrCorridor *corridor, const CorridorBytes *bytes, const Damage *damage, size_t offset) {
  CrError error = {0};
  CHECK_STATUS(cr_corridor_restore(corridor, bytes->data, bytes->size, &error), damage->status);
  CHECK(error.format == CR_FORMAT_CROWD_STATE && error.field && strcmp(error.field, damage->field) == 0);
  CHECK_INT(error.offset, offset);
  CHECK(is_still(corridor, &first));
}

TEST(damage_is_named_and_changes_nothing) {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrCorridor *corridor = some_corridor(&mesh, &context);
  take_corridor(corridor, &first);
  const Damage damages[] = {
      {"corridor.version", 0, 1, 0, CR_STATUS_BAD_VERSION},
      {"corridor.version", 0, 1, 2, CR_STATUS_BAD_VERSION},
      {"corridor.version", 0, 1, 255, CR_STATUS_BAD_VERSION},
      {"corridor.flags", 1, 1, 8, CR_STATUS_BAD_VALUE},
      {"corridor.flags", 1, 1, 0x80, CR_STATUS_BAD_VALUE},
      {"corridor.capacity", 2, 4, 47, CR_STATUS_BAD_VALUE},
      {"corridor.capacity", 2, 4, 49, CR_STATUS_BAD_VALUE},
      {"corridor.capacity", 2, 4, 0xFFFFFFFF, CR_STATUS_BAD_VALUE},
      {"corridor.count", 6, 4, 49, CR_STATUS_BAD_VALUE},
      {"corridor.count", 6, 4, 0xFFFFFFFF, CR_STATUS_BAD_VALUE},
      {"corridor.count", 6, 4, 0x80000000, CR_STATUS_BAD_VALUE},
  };
  for (size_t k = 0; k < CR_COUNT_OF(damages); k++) {
    bad = first;
    memcpy(bad.data + damages[k].offset, &damages[k].value, damages[k].size);
    check_refused(corridor, &bad, &damages[k], damages[k].offset);
  }
  const uint64_t numbers[] = {INF, MINUS_INF, NAN_BITS, LIMIT_BITS, MINUS_LIMIT};
  for (size_t offset = 10; offset < 58; offset += 8) {
    for (size_t k = 0; k < CR_COUNT_OF(numbers); k++) {
      Damage damage = {offset < 34 ? "corridor.position" : "corridor.target", offset, 8, numbers[k],
                       CR_STATUS_BAD_VALUE};
      bad = first;
      memcpy(bad.data + offset, &numbers[k], 8);
      check_refused(corridor, &bad, &damage, offset);
    }
  }
  // More polygons than there are bytes for, and fewer.
  bad = first;
  bad.data[6]++;
  check_refused(corridor, &bad, &(Damage){.field = "corridor.path", .status = CR_STATUS_TRUNCATED}, 66);
  bad.data[6] = (uint8_t)(first.data[6] - 1);
  CrError error = {0};
  CHECK_STATUS(cr_corridor_restore(corridor, bad.data, bad.size, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_INT(error.offset, bad.size - 8);
  CHECK(is_still(corridor, &first));
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST(prefixes_and_extra_bytes_are_refused) {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrCorridor *corridor = some_corridor(&mesh, &context);
  take_corridor(corridor, &first);
  for (size_t size = 0; size < first.size; size++) {
    uint8_t *exact = malloc(size ? size : 1);  // so that a sanitizer sees any read beyond
    REQUIRE(exact != NULL);
    memcpy(exact, first.data, size);
    CrError error = {0};
    CHECK_STATUS(cr_corridor_restore(corridor, exact, size, &error), CR_STATUS_TRUNCATED);
    CHECK(error.offset <= size && error.field);
    free(exact);
  }
  for (size_t extra = 1; extra < 20; extra++) {
    bad = first;
    memset(bad.data + bad.size, 0, extra);
    CrError error = {0};
    CHECK_STATUS(cr_corridor_restore(corridor, bad.data, bad.size + extra, &error), CR_STATUS_TRAILING_BYTES);
    CHECK_INT(error.offset, bad.size);
  }
  CHECK(is_still(corridor, &first));
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Whatever reads back can be used ------------------------------------------------------------------------------------

// Bytes that were tampered with are refused, or make a corridor that writes them again and bears every call.
TEST(any_state_bears_every_call) {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrCorridor *corridor = some_corridor(&mesh, &context);
  take_corridor(corridor, &first);
  uint64_t seed = 77;
  int64_t accepted = 0, refused = 0;
  for (int64_t run = 0; run < check_scaled(6000); run++) {
    check_seed = seed;
    bad = first;
    for (int k = 1 + rnd_int(&seed, 6); k > 0; k--) {
      size_t polygon = 66 + 8 * (size_t)rnd_int(&seed, (int32_t)(first.size - 66) / 8);
      size_t other = 66 + 8 * (size_t)rnd_int(&seed, (int32_t)(first.size - 66) / 8);
      switch (rnd_int(&seed, 4)) {
        case 0:
          bad.data[polygon + 3] ^= (uint8_t)(1 << rnd_int(&seed, 8));
          bad.data[rnd_int(&seed, 66)] ^= (uint8_t)run;
          break;
        case 1:
          memcpy(bad.data + polygon, first.data + other, 8);  // a polygon twice, or out of order
          break;
        case 2:
          bad.data[1] = (uint8_t)rnd_int(&seed, 8);
          break;
        default: {
          double number = rnd_range(&seed, -30.0, 30.0);
          memcpy(bad.data + 10 + 8 * rnd_int(&seed, 6), &number, 8);
        }
      }
    }
    if (cr_corridor_restore(corridor, bad.data, bad.size, NULL) != CR_STATUS_OK) {
      refused++;
      continue;
    }
    accepted++;
    CHECK(is_still(corridor, &bad));
    for (int k = 0; k < 6; k++) {
      call_corridor((CorridorCall)rnd_int(&seed, CALL_COUNT), corridor, context, cr__vec(9.5, 0, 9.5), &seed);
      CHECK(corridor->count >= 0 && corridor->count <= corridor->capacity);
    }
    take_corridor(corridor, &second);
    CHECK_OK(cr_corridor_restore(corridor, second.data, second.size, NULL));
  }
  printf("  %lld accepted, %lld refused\n", (long long)accepted, (long long)refused);
  CHECK(accepted > 0 && refused > 0);
  cr_corridor_destroy(corridor);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Going on -----------------------------------------------------------------------------------------------------------

// After every call a fresh corridor is read from the bytes, and gets the same next call in a context of its own, while the mesh is
// edited.
static void resume_run(uint64_t number, int64_t *calls) {
  uint64_t seed = number * 463 + 11;
  CrNavMesh *mesh = number % 2 ? world_two_floors(number, 14, 14, 1.0, 4.0, 6, 6, NULL)
                               : world_scattered(number, 20, 20, 1.0, 0.2, 7, NULL);
  TileStore store;
  EditTally edits = {0};
  store_tiles(mesh, &store);
  CrNodeModel model = (CrNodeModel)(number / 2 % 2);
  CrPathContext *context = make_context(mesh, model, 1024, NULL), *other = make_context(mesh, model, 1024, NULL);
  int32_t capacity = number % 3 ? 64 : 12;
  CrCorridor *corridor = make_corridor(context, capacity, world_random_point(mesh, &seed, NULL));
  for (int turn = 0; turn < 150; turn++, ++*calls) {
    CrCorridor *fresh;
    REQUIRE_OK(cr_corridor_create(capacity, NULL, &fresh, NULL));
    take_corridor(corridor, &first);
    REQUIRE_OK(cr_corridor_restore(fresh, first.data, first.size, NULL));
    if (rnd_int(&seed, 20) == 0) edit_mesh(mesh, &store, corridor->path[0], &seed, &edits);
    CorridorCall call = (CorridorCall)rnd_int(&seed, CALL_COUNT);
    CrVec3 stray = world_random_point(mesh, &seed, NULL);
    uint64_t again = seed;
    bool done = call_corridor(call, corridor, context, stray, &seed);
    CHECK(call_corridor(call, fresh, other, stray, &again) == done);
    take_corridor(corridor, &first);
    CHECK(is_still(fresh, &first));
    cr_corridor_destroy(fresh);
  }
  cr_corridor_destroy(corridor);
  free_tiles(&store);
  cr_path_context_destroy(context);
  cr_path_context_destroy(other);
  cr_navmesh_destroy(mesh);
}

TEST(resumes_at_every_call) {
  int64_t calls = 0;
  for (int64_t number = 0; number < check_scaled(40); number++) {
    check_seed = (uint64_t)number;
    resume_run((uint64_t)number, &calls);
  }
  printf("  %lld calls resumed\n", (long long)calls);
}

TEST_MAIN(RUN(layout_is_the_documented_one), RUN(damage_is_named_and_changes_nothing),
          RUN(prefixes_and_extra_bytes_are_refused), RUN(any_state_bears_every_call), RUN(resumes_at_every_call))
