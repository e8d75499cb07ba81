// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// State bytes of corridors and followers: layout, damage, resuming at every step, and memory.
#include "walkers.h"

#define DT (1.0 / 30.0)

static StateBytes first, second;

// --- Layout -------------------------------------------------------------------------------------------------------------

static void put_f64(uint8_t *at, double value) { memcpy(at, &value, 8); }

TEST(layout_is_the_documented_one) {
  CrNavMesh *mesh = world_from_map("...\n", 1.0, 0, NULL);
  CrPathContext *context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower = make_follower(context, &options, cr__vec(0.5, 0, 0.5));
  REQUIRE_OK(cr_follower_set_destination(follower, context, cr__vec(2.5, 0.25, 0.5), NULL));
  follower->state = CR_FOLLOWER_OFF_MESH_LINK;
  follower->reached_target = true;
  follower->step_count = UINT64_C(0x0102030405060708);
  follower->replan_rounds = 9, follower->stuck_recoveries = 10;
  follower->stuck_clock = 0.5;
  follower->off_mesh_elapsed = 1.5, follower->off_mesh_duration = 2.5;
  follower->off_mesh_exit = UINT64_C(0x1112131415161718);
  follower->corridor.needs_replan = true;
  uint8_t expected[203 + 66 + 24] = {1, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 10};
  put_f64(expected + 19, 0.5);
  put_f64(expected + 27, 0.5), put_f64(expected + 43, 0.5);                                  // anchor
  put_f64(expected + 51, 0.5), put_f64(expected + 67, 0.5);                                  // position
  put_f64(expected + 99, 2.5), put_f64(expected + 107, 0.25), put_f64(expected + 115, 0.5);  // destination
  put_f64(expected + 171, 1.5), put_f64(expected + 179, 2.5);
  for (int k = 0; k < 8; k++) expected[187 + k] = (uint8_t)(0x18 - k);
  put_f64(expected + 195, (double)__builtin_inf());
  uint8_t *corridor = expected + 203;
  corridor[0] = 1, corridor[1] = 3, corridor[3] = 1, corridor[6] = 3;
  put_f64(corridor + 10, 0.5), put_f64(corridor + 26, 0.5);
  put_f64(corridor + 34, 2.5), put_f64(corridor + 42, 0.25), put_f64(corridor + 50, 0.5);
  for (int k = 0; k < 3; k++) memcpy(corridor + 66 + 8 * k, &follower->corridor.path[k], 8);
  memcpy(corridor + 58, &follower->corridor.path[2], 8);
  take_state(follower, &first);
  CHECK_INT(first.size, sizeof expected);
  for (size_t k = 0; k < sizeof expected; k++) {
    if (first.data[k] != expected[k])
      check_int(__FILE__, __LINE__, "byte", first.data[k], expected[k]), printf("  at %zu\n", k);
  }
  CHECK_INT(cr_corridor_state_size(&follower->corridor), 66 + 24);
  CHECK_STATUS(cr_follower_save(follower, second.data, first.size - 1, NULL), CR_STATUS_LIMIT);
  CHECK_STATUS(cr_corridor_save(&follower->corridor, second.data, 66 + 23, NULL), CR_STATUS_LIMIT);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

// --- Damage -------------------------------------------------------------------------------------------------------------

typedef struct Damage {
  const char *field;
  size_t offset;
  size_t size;
  uint64_t value;
  CrStatus status;
} Damage;

#define INF UINT64_C(0x7FF0000000000000)
#define NAN_BITS UINT64_C(0x7FF8000000000000)
#define MINUS_ONE UINT64_C(0xBFF0000000000000)
#define LIMIT_BITS UINT64_C(0x4140000000000000)

static const Damage damages[] = {
    {"follower.version", 0, 1, 0, CR_STATUS_BAD_VERSION},
    {"follower.version", 0, 1, 2, CR_STATUS_BAD_VERSION},
    {"follower.state", 1, 1, 7, CR_STATUS_BAD_VALUE},
    {"follower.state", 1, 1, 255, CR_STATUS_BAD_VALUE},
    {"follower.reached", 2, 1, 2, CR_STATUS_BAD_VALUE},
    {"follower.replan_rounds", 11, 4, 0xFFFFFFFF, CR_STATUS_BAD_VALUE},
    {"follower.stuck_recoveries", 15, 4, 0x80000000, CR_STATUS_BAD_VALUE},
    {"follower.stuck_clock", 19, 8, INF, CR_STATUS_BAD_VALUE},
    {"follower.stuck_clock", 19, 8, MINUS_ONE, CR_STATUS_BAD_VALUE},
    {"follower.stuck_anchor", 27, 8, NAN_BITS, CR_STATUS_BAD_VALUE},
    {"follower.position", 59, 8, LIMIT_BITS, CR_STATUS_BAD_VALUE},
    {"follower.velocity", 91, 8, INF, CR_STATUS_BAD_VALUE},
    {"follower.velocity", 75, 8, LIMIT_BITS, CR_STATUS_BAD_VALUE},
    {"follower.destination", 99, 8, NAN_BITS, CR_STATUS_BAD_VALUE},
    {"follower.off_mesh_start", 123, 8, INF, CR_STATUS_BAD_VALUE},
    {"follower.off_mesh_end", 163, 8, NAN_BITS, CR_STATUS_BAD_VALUE},
    {"follower.off_mesh_elapsed", 171, 8, MINUS_ONE, CR_STATUS_BAD_VALUE},
    {"follower.off_mesh_duration", 179, 8, INF, CR_STATUS_BAD_VALUE},
    {"follower.remaining_distance", 195, 8, NAN_BITS, CR_STATUS_BAD_VALUE},
    {"follower.remaining_distance", 195, 8, MINUS_ONE, CR_STATUS_BAD_VALUE},
    {"corridor.version", 203, 1, 3, CR_STATUS_BAD_VERSION},
    {"corridor.flags", 204, 1, 8, CR_STATUS_BAD_VALUE},
    {"corridor.flags", 204, 1, 0x81, CR_STATUS_BAD_VALUE},
    {"corridor.capacity", 205, 4, 255, CR_STATUS_BAD_VALUE},
    {"corridor.count", 209, 4, 257, CR_STATUS_BAD_VALUE},
    {"corridor.count", 209, 4, 0xFFFFFFFF, CR_STATUS_BAD_VALUE},
    {"corridor.path", 209, 4, 200, CR_STATUS_TRUNCATED},
    {"corridor.position", 213, 8, INF, CR_STATUS_BAD_VALUE},
    {"corridor.target", 253, 8, LIMIT_BITS, CR_STATUS_BAD_VALUE},
};

typedef struct Patient {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrFollower *follower;
} Patient;

static Patient admit(void) {
  Patient patient = {.mesh = world_scattered(5, 20, 20, 1.0, 0.2, 10, NULL)};
  patient.context = make_context(patient.mesh, CR_NODE_MODEL_POLYGON, 1024, NULL);
  CrFollowerOptions options = cr_follower_options_humanoid();
  uint64_t seed = 3;
  patient.follower = make_follower(patient.context, &options, world_random_point(patient.mesh, &seed, NULL));
  REQUIRE_OK(cr_follower_set_destination(patient.follower, patient.context,
                                         world_random_point(patient.mesh, &seed, NULL), NULL));
  for (int k = 0; k < 20; k++) REQUIRE_OK(cr_follower_step(patient.follower, patient.context, DT, NULL));
  CHECK(patient.follower->corridor.count > 2);
  return patient;
}

static void discharge(Patient *patient) {
  cr_follower_destroy(patient->follower);
  cr_path_context_destroy(patient->context);
  cr_navmesh_destroy(patient->mesh);
}

TEST(damage_is_named_and_changes_nothing) {
  Patient patient = admit();
  take_state(patient.follower, &first);
  static StateBytes bad;
  for (size_t k = 0; k < CR_COUNT_OF(damages); k++) {
    const Damage *damage = &damages[k];
    bad = first;
    memcpy(bad.data + damage->offset, &damage->value, damage->size);
    CrError error = {0};
    CHECK_STATUS(cr_follower_restore(patient.follower, bad.data, bad.size, &error), damage->status);
    CHECK(error.format == CR_FORMAT_CROWD_STATE && error.field && strcmp(error.field, damage->field) == 0);
    size_t expected = damage->status == CR_STATUS_TRUNCATED ? 269 : damage->offset;
    CHECK_INT(error.offset, expected);
    take_state(patient.follower, &second);
    CHECK(same_state(&first, &second));
  }
  discharge(&patient);
}

TEST(prefixes_extra_bytes_and_flips) {
  Patient patient = admit();
  take_state(patient.follower, &first);
  CrError error;
  for (size_t size = 0; size < first.size; size++) {
    uint8_t *exact = malloc(size ? size : 1);  // so that a sanitizer sees any read beyond
    memcpy(exact, first.data, size);
    CHECK_STATUS(cr_follower_restore(patient.follower, exact, size, &error), CR_STATUS_TRUNCATED);
    CHECK(error.offset <= size);
    free(exact);
  }
  first.data[first.size] = 0;
  CHECK_STATUS(cr_follower_restore(patient.follower, first.data, first.size + 1, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_INT(error.offset, first.size);
  take_state(patient.follower, &second);
  CHECK(same_state(&first, &second));
  // A flipped bit is an error, or a state that reads back as the same bytes and can be stepped.
  int accepted = 0;
  static StateBytes flipped, again;
  for (size_t bit = 0; bit < first.size * 8; bit++) {
    flipped = first;
    flipped.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (cr_follower_restore(patient.follower, flipped.data, flipped.size, NULL) != CR_STATUS_OK) continue;
    accepted++;
    take_state(patient.follower, &again);
    CHECK(same_state(&flipped, &again));
    for (int k = 0; k < 3; k++) CHECK_OK(cr_follower_step(patient.follower, patient.context, DT, NULL));
  }
  printf("  %d of %zu flips accepted\n", accepted, first.size * 8);
  CHECK(accepted > 0);
  discharge(&patient);
}

TEST(large_values_at_every_offset) {
  Patient patient = admit();
  take_state(patient.follower, &first);
  for (size_t offset = 0; offset + 4 <= first.size; offset++) {
    second = first;
    memset(second.data + offset, 0xFF, 4);
    if (cr_follower_restore(patient.follower, second.data, second.size, NULL) != CR_STATUS_OK) continue;
    for (int k = 0; k < 3; k++) CHECK_OK(cr_follower_step(patient.follower, patient.context, DT, NULL));
  }
  discharge(&patient);
}

// --- Every number -------------------------------------------------------------------------------------------------------

typedef enum NumberKind { COORDINATE, FINITE_FROM_0, FROM_0 } NumberKind;

typedef struct Number {
  const char *field;
  size_t offset;
  int count;  // of f64 in a row
  NumberKind kind;
} Number;

static const Number numbers[] = {
    {"follower.stuck_clock", 19, 1, FINITE_FROM_0},
    {"follower.stuck_anchor", 27, 3, COORDINATE},
    {"follower.position", 51, 3, COORDINATE},
    {"follower.velocity", 75, 3, COORDINATE},
    {"follower.destination", 99, 3, COORDINATE},
    {"follower.off_mesh_start", 123, 3, COORDINATE},
    {"follower.off_mesh_end", 147, 3, COORDINATE},
    {"follower.off_mesh_elapsed", 171, 1, FINITE_FROM_0},
    {"follower.off_mesh_duration", 179, 1, FINITE_FROM_0},
    {"follower.remaining_distance", 195, 1, FROM_0},
    {"corridor.position", 213, 3, COORDINATE},
    {"corridor.target", 237, 3, COORDINATE},
};

static bool may_be(NumberKind kind, double value) {
  if (kind == COORDINATE) return value > -CR_COORD_LIMIT && value < CR_COORD_LIMIT;
  return value >= 0.0 && (kind == FROM_0 || value < (double)__builtin_inf());
}

// Each of them at its documented place, with values on both sides of each bound.
static void check_number(CrFollower *follower, const Number *number, size_t offset, double value) {
  static StateBytes bad, before, after;
  CrError error = {0};
  bad = first;
  put_f64(bad.data + offset, value);
  take_state(follower, &before);
  CrStatus status = cr_follower_restore(follower, bad.data, bad.size, &error);
  take_state(follower, &after);
  CHECK_INT(status, may_be(number->kind, value) ? CR_STATUS_OK : CR_STATUS_BAD_VALUE);
  CHECK(same_state(&after, status == CR_STATUS_OK ? &bad : &before));
  if (status == CR_STATUS_OK) return;
  CHECK(error.format == CR_FORMAT_CROWD_STATE && strcmp(error.field, number->field) == 0);
  CHECK_INT(error.offset, offset);
}

TEST(every_number_is_held_to_its_range) {
  static const double values[] = {(double)__builtin_nan(""),
                                  -(double)__builtin_nan(""),
                                  (double)__builtin_inf(),
                                  -(double)__builtin_inf(),
                                  CR_COORD_LIMIT,
                                  -CR_COORD_LIMIT,
                                  CR_LARGEST_COORD,
                                  -CR_LARGEST_COORD,
                                  0.0,
                                  -0.0,
                                  1.0,
                                  -1.0,
                                  1e300,
                                  -1e300,
                                  4.9e-324,
                                  -4.9e-324};
  Patient patient = admit();
  take_state(patient.follower, &first);
  int tried = 0;
  for (size_t k = 0; k < CR_COUNT_OF(numbers); k++) {
    for (int i = 0; i < numbers[k].count; i++) {
      for (size_t v = 0; v < CR_COUNT_OF(values); v++, tried++)
        check_number(patient.follower, &numbers[k], numbers[k].offset + 8 * (size_t)i, values[v]);
    }
  }
  CHECK_INT(tried, 28 * CR_COUNT_OF(values));
  discharge(&patient);
}

// A corridor's own bytes: 66 + 8 n, read back the same; cut short, made longer or of another capacity they are refused.
TEST(corridors_alone_are_read_and_refused) {
  Patient patient = admit();
  const CrCorridor *corridor = &patient.follower->corridor;
  size_t size = cr_corridor_state_size(corridor);
  CHECK_INT(size, 66 + 8 * corridor->count);
  REQUIRE_OK(cr_corridor_save(corridor, first.data, size, NULL));
  CrCorridor *same, *smaller;
  CrError error;
  REQUIRE_OK(cr_corridor_create(256, NULL, &same, NULL));
  REQUIRE_OK(cr_corridor_create(255, NULL, &smaller, NULL));
  CHECK_OK(cr_corridor_restore(same, first.data, size, NULL));
  check_sound(same, patient.context);
  for (size_t cut = 0; cut < size; cut++) {
    CHECK_STATUS(cr_corridor_restore(same, first.data, cut, &error), CR_STATUS_TRUNCATED);
  }
  CHECK_STATUS(cr_corridor_restore(same, first.data, size + 1, &error), CR_STATUS_TRAILING_BYTES);
  CHECK_STATUS(cr_corridor_restore(smaller, first.data, size, &error), CR_STATUS_BAD_VALUE);
  CHECK(strcmp(error.field, "corridor.capacity") == 0 && error.offset == 2 && error.limit == 255.0);
  CHECK_INT(cr_corridor_count(smaller), 0);
  REQUIRE_OK(cr_corridor_save(same, second.data, sizeof second.data, NULL));
  CHECK(memcmp(first.data, second.data, size) == 0);
  cr_corridor_destroy(same);
  cr_corridor_destroy(smaller);
  discharge(&patient);
}

// --- Resuming -----------------------------------------------------------------------------------------------------------

typedef struct Edit {
  int step;
  CrPolyRef ref;
  uint16_t flags;
} Edit;

enum { RUN_STEPS = 160, RUN_EDITS = 12 };

typedef struct Script {
  Edit edits[RUN_EDITS];
  CrVec3 start, destination, second_destination;
} Script;

static Script write_script(const CrNavMesh *mesh, uint64_t *seed) {
  Script script;
  uint32_t count;
  CrPolyRef *polygons = world_all_polygons(mesh, &count);
  for (int k = 0; k < RUN_EDITS; k++) {
    int at = rnd_int(seed, RUN_STEPS);
    script.edits[k] = (Edit){at, polygons[rnd_int(seed, (int32_t)count)], (uint16_t)(k % 3 != 0 ? 0 : 1)};
  }
  script.start = world_random_point(mesh, seed, NULL);
  script.destination = world_random_point(mesh, seed, NULL);
  script.second_destination = world_random_point(mesh, seed, NULL);
  free(polygons);
  return script;
}

static void play_step(const Script *script, int step, CrNavMesh *mesh, CrFollower *follower, CrPathContext *context) {
  for (int k = 0; k < RUN_EDITS; k++) {
    if (script->edits[k].step == step) cr_navmesh_set_flags(mesh, script->edits[k].ref, script->edits[k].flags, NULL);
  }
  if (step == RUN_STEPS / 2) cr_follower_set_destination(follower, context, script->second_destination, NULL);
  REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
}

// Every step runs twice: by the follower that has lived through the run, and by a fresh one in a fresh context that was
// restored from the bytes of the step before. Both must write the same bytes.
static void resume_run(uint64_t number, int *steps, int states[7]) {
  uint64_t seed = number * 7919 + 1;
  CrNavMesh *mesh = number % 2 ? world_two_floors(number, 16, 16, 1.0, 4.0, 6, number % 4 == 1 ? 8 : 0, NULL)
                               : world_scattered(number, 20, 20, 1.0, 0.2, number % 4 ? 10 : 0, NULL);
  CrQueryFilter filter = cr_query_filter_default();
  Script script = write_script(mesh, &seed);
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.corridor_capacity = number % 3 == 0 ? 12 : 256;
  options.replan_budget = number % 5 == 0 ? 20 : 2048;
  CrNodeModel model = (CrNodeModel)(number / 2 % 2);
  CrPathContext *context = make_context(mesh, model, 1024, &filter),
                *fresh_context = make_context(mesh, model, 1024, &filter);
  CrFollower *follower = make_follower(context, &options, script.start), *fresh;
  REQUIRE_OK(cr_follower_create(&options, NULL, &fresh, NULL));
  REQUIRE_OK(cr_follower_set_destination(follower, context, script.destination, NULL));
  for (int step = 0; step < RUN_STEPS; step++, ++*steps) {
    take_state(follower, &first);
    REQUIRE_OK(cr_follower_restore(fresh, first.data, first.size, NULL));
    take_state(fresh, &second);
    CHECK(same_state(&first, &second));
    play_step(&script, step, mesh, follower, context);
    if (step == RUN_STEPS / 2) cr_follower_set_destination(fresh, fresh_context, script.second_destination, NULL);
    REQUIRE_OK(cr_follower_step(fresh, fresh_context, DT, NULL));
    take_state(follower, &first);
    take_state(fresh, &second);
    CHECK(same_state(&first, &second));
    states[follower->state]++;
  }
  cr_follower_destroy(follower);
  cr_follower_destroy(fresh);
  cr_path_context_destroy(context);
  cr_path_context_destroy(fresh_context);
  cr_navmesh_destroy(mesh);
}

TEST(resumes_at_every_step) {
  int steps = 0, states[7] = {0};
  for (int number = 0; number < 200 * check_scale(); number++) {
    check_seed = (uint64_t)number;
    resume_run((uint64_t)number, &steps, states);
  }
  printf("  %d steps resumed; moving %d, crossing %d, arrived %d, no path %d, stuck %d\n", steps, states[1], states[2],
         states[3], states[4], states[5]);
  CHECK(states[CR_FOLLOWER_OFF_MESH_LINK] > 0 && states[CR_FOLLOWER_ARRIVED] > 0);
}

// --- Memory -------------------------------------------------------------------------------------------------------------

TEST(steps_allocate_nothing) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_scattered(11, 24, 24, 1.0, 0.2, 8, &allocator);
  CrPathContextOptions context_options = cr_path_context_options_default();
  CrPathContext *context;
  CrFollower *follower;
  CrFollowerOptions options = cr_follower_options_humanoid();
  REQUIRE_OK(cr_path_context_create(mesh, &context_options, &allocator, &context, NULL));
  REQUIRE_OK(cr_follower_create(&options, &allocator, &follower, NULL));
  uint64_t seed = 5;
  REQUIRE_OK(cr_follower_place(follower, context, world_random_point(mesh, &seed, NULL), NULL));
  int64_t before = memory.total_allocations;
  for (int k = 0; k < 3000; k++) {
    if (k % 100 == 0)
      REQUIRE_OK(cr_follower_set_destination(follower, context, world_random_point(mesh, &seed, NULL), NULL));
    REQUIRE_OK(cr_follower_step(follower, context, DT, NULL));
    take_state(follower, &first);
    REQUIRE_OK(cr_follower_restore(follower, first.data, first.size, NULL));
  }
  CHECK_INT(memory.total_allocations, before);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
  CHECK_INT(memory.live_blocks, 0);
}

TEST(each_allocation_may_fail) {
  TestMemory memory = {0};
  CrAllocator allocator = test_allocator(&memory);
  CrNavMesh *mesh = world_from_map("....\n", 1.0, 0, NULL);
  CrPathContextOptions context_options = cr_path_context_options_default();
  CrFollowerOptions options = cr_follower_options_humanoid();
  int64_t failures = 0;
  for (int64_t k = 1;; k++) {
    memory = (TestMemory){.fail_at = k};
    CrPathContext *context = NULL;
    CrFollower *follower = NULL;
    CrCorridor *corridor = NULL;
    CrStatus status = cr_path_context_create(mesh, &context_options, &allocator, &context, NULL);
    if (status == CR_STATUS_OK) status = cr_follower_create(&options, &allocator, &follower, NULL);
    if (status == CR_STATUS_OK) status = cr_corridor_create(64, &allocator, &corridor, NULL);
    CHECK(status == CR_STATUS_OK || status == CR_STATUS_OUT_OF_MEMORY);
    cr_corridor_destroy(corridor);
    cr_follower_destroy(follower);
    cr_path_context_destroy(context);
    CHECK_INT(memory.live_blocks, 0);
    if (status == CR_STATUS_OK) break;
    failures++;
  }
  printf("  %d allocations failed in turn\n", (int)failures);
  CHECK(failures >= 10);
  memory = (TestMemory){0};
  CrPathContextOptions bad = context_options;
  CrPathContext *context = NULL;
  bad.max_corridor = 1;
  CHECK_STATUS(cr_path_context_create(mesh, &bad, &allocator, &context, NULL), CR_STATUS_ARGUMENT);
  bad = context_options;
  bad.local_nodes = CR_QUERY_MAX_NODES + 1;
  CHECK_STATUS(cr_path_context_create(mesh, &bad, &allocator, &context, NULL), CR_STATUS_ARGUMENT);
  bad = context_options;
  bad.query.max_nodes = 0;
  CHECK_STATUS(cr_path_context_create(mesh, &bad, &allocator, &context, NULL), CR_STATUS_ARGUMENT);
  CrQueryFilter filter = cr_query_filter_default();
  filter.area_cost[3] = -1.0;
  bad = context_options;
  bad.filter = &filter;
  CHECK_STATUS(cr_path_context_create(mesh, &bad, &allocator, &context, NULL), CR_STATUS_ARGUMENT);
  CHECK(!context);
  CHECK_INT(cr_path_local_nodes(128, 32), 1024);
  CHECK_INT(cr_path_local_nodes(32, 2000), 16000);
  CHECK_INT(cr_path_local_nodes(INT32_MAX, 1), 1 << 20);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(layout_is_the_documented_one), RUN(damage_is_named_and_changes_nothing),
          RUN(prefixes_extra_bytes_and_flips), RUN(every_number_is_held_to_its_range),
          RUN(corridors_alone_are_read_and_refused), RUN(large_values_at_every_offset), RUN(resumes_at_every_step),
          RUN(steps_allocate_nothing), RUN(each_allocation_may_fail))
