// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Options of followers: presets, every range and both its ends, and their bytes.
#include <stddef.h>

#include "walkers.h"

TEST(options_presets) {
  CrFollowerOptions humanoid = cr_follower_options_humanoid(), small = cr_follower_options_small();
  CHECK_OK(cr_follower_options_validate(&humanoid, NULL));
  CHECK_OK(cr_follower_options_validate(&small, NULL));
  CHECK(small.max_speed == 2.5 && small.max_acceleration == 6 && small.slow_radius == 0.5 &&
        small.off_mesh_speed == 2.5);
  small.max_speed = 3.5, small.max_acceleration = 8, small.slow_radius = 1, small.off_mesh_speed = 3.5;
  CrWriter a = cr__writer_hash(), b = cr__writer_hash();
  cr__follower_options_write(&humanoid, &a);
  cr__follower_options_write(&small, &b);
  CHECK(a.hash == b.hash);
  CHECK_INT(a.size, 157);
}

TEST(every_default_is_the_documented_one) {
  CrFollowerOptions o = cr_follower_options_humanoid();
  CHECK(o.max_speed == 3.5 && o.max_acceleration == 8.0 && o.slow_radius == 1.0 && o.arrival_min_speed == 0.25);
  CHECK(o.arrival_radius == 0.01 && o.max_corners == 8 && o.validate_look_ahead == 8);
  CHECK(o.optimize_interval == 4 && o.optimize_range == 10.0 && o.optimize_budget == 16);
  CHECK(o.topology_interval == 16 && o.topology_budget == 32 && o.replan_budget == 2048 && o.max_replan_rounds == 16);
  CHECK(o.stuck_window == 1.0 && o.stuck_progress == 0.1 && o.max_stuck_recoveries == 2);
  CHECK(o.off_mesh_mode == CR_OFF_MESH_AUTOMATIC && o.off_mesh_speed == 3.5 && o.off_mesh_trigger_radius == 0.05);
  CHECK(cr__same_point(o.search_extents, cr__vec(2, 4, 2)));
  CHECK(o.corridor_capacity == 256 && o.refine_budget == 128 && o.corner_clearance == 0.0);
}

// A follower made without options is a humanoid.
TEST(no_options_are_the_humanoid_ones) {
  CrFollower *follower;
  REQUIRE_OK(cr_follower_create(NULL, NULL, &follower, NULL));
  CrFollowerOptions humanoid = cr_follower_options_humanoid(), own = cr_follower_options(follower);
  CrWriter a = cr__writer_hash(), b = cr__writer_hash();
  cr__follower_options_write(&humanoid, &a);
  cr__follower_options_write(&own, &b);
  CHECK(a.hash == b.hash);
  cr_follower_destroy(follower);
}

typedef struct BadField {
  const char *name;
  size_t offset;
  double values[3];  // NaN-terminated for numbers, and NaN itself is tried
  int kind;          // 0 f64, 1 i32, 2 u8
  size_t byte;       // where it lies in the option bytes
} BadField;

#define NONE ((double)__builtin_nan(""))
#define BAD(member, kind, byte, ...) \
  { "options." #member, offsetof(CrFollowerOptions, member), {__VA_ARGS__}, kind, byte }

static const BadField bad_fields[] = {
    BAD(max_speed, 0, 0, 0.0, -1.0, 1e7),
    BAD(max_acceleration, 0, 8, 0.0, -1.0, 1e10),
    BAD(slow_radius, 0, 16, -0.1, CR_COORD_LIMIT, NONE),
    BAD(arrival_min_speed, 0, 24, -0.1, 1e7, NONE),
    BAD(arrival_radius, 0, 32, -0.1, CR_COORD_LIMIT, NONE),
    BAD(max_corners, 1, 40, 2, 257, -1),
    BAD(validate_look_ahead, 1, 44, 0, -1, -5),
    BAD(optimize_interval, 1, 48, -1, -2, -3),
    BAD(optimize_range, 0, 52, -0.1, CR_COORD_LIMIT, NONE),
    BAD(optimize_budget, 1, 60, 1, 0, -1),
    BAD(topology_interval, 1, 64, -1, -2, -3),
    BAD(topology_budget, 1, 68, 0, -1, -2),
    BAD(replan_budget, 1, 72, 0, -1, -2),
    BAD(max_replan_rounds, 1, 76, 0, -1, -2),
    BAD(stuck_window, 0, 80, -0.1, 3601.0, NONE),
    BAD(stuck_progress, 0, 88, -0.1, 1.1, NONE),
    BAD(max_stuck_recoveries, 1, 96, -1, -2, -3),
    BAD(off_mesh_mode, 2, 100, 2, 3, 255),
    BAD(off_mesh_speed, 0, 101, 0.0, -1.0, 1e7),
    BAD(off_mesh_trigger_radius, 0, 109, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.x, 0, 117, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.y, 0, 125, -0.1, CR_COORD_LIMIT, NONE),
    BAD(search_extents.z, 0, 133, -0.1, CR_COORD_LIMIT, NONE),
    BAD(corridor_capacity, 1, 141, 1, 4097, -1),
    BAD(refine_budget, 1, 145, -1, -2, -3),
    BAD(corner_clearance, 0, 149, -0.1, CR_COORD_LIMIT, NONE),
};

static void put(CrFollowerOptions *options, const BadField *field, double value) {
  uint8_t *at = (uint8_t *)options + field->offset;
  int32_t integer = field->kind == 1 ? (int32_t)value : 0;
  if (field->kind == 0) memcpy(at, &value, sizeof value);
  if (field->kind == 1) memcpy(at, &integer, sizeof integer);
  if (field->kind == 2) *at = (uint8_t)value;
}

static void check_rejected(const CrFollowerOptions *options, const BadField *field) {
  CrError error;
  CHECK_STATUS(cr_follower_options_validate(options, &error), CR_STATUS_ARGUMENT);
  CHECK(strcmp(error.field, field->name) == 0);
  uint8_t bytes[157];
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__follower_options_write(options, &writer);
  CHECK_INT(writer.size, sizeof bytes);
  CrReader reader = cr__reader(bytes, sizeof bytes, 1000, CR_FORMAT_CROWD_STATE, &error);
  CrFollowerOptions read;
  cr__follower_options_read(&read, &reader);
  CHECK(reader.status == CR_STATUS_BAD_VALUE && strcmp(error.field, field->name) == 0);
  CHECK_INT(error.offset, 1000 + field->byte);
  CrFollower *follower = NULL;
  CHECK_STATUS(cr_follower_create(options, NULL, &follower, &error), CR_STATUS_ARGUMENT);
  CHECK(!follower);
}

TEST(options_out_of_range_are_named) {
  for (size_t k = 0; k < CR_COUNT_OF(bad_fields); k++) {
    const BadField *field = &bad_fields[k];
    for (int v = 0; v < 3; v++) {
      CrFollowerOptions options = cr_follower_options_humanoid();
      put(&options, field, field->values[v]);
      check_rejected(&options, field);
    }
    if (field->kind != 0) continue;
    double never[] = {NONE, (double)__builtin_inf(), -(double)__builtin_inf()};
    for (int v = 0; v < 3; v++) {
      CrFollowerOptions options = cr_follower_options_humanoid();
      put(&options, field, never[v]);
      check_rejected(&options, field);
    }
  }
}

TEST(options_bytes_round_trip) {
  CrFollowerOptions options = cr_follower_options_small();
  uint8_t bytes[157], again[157];
  CrWriter writer = cr__writer_to(bytes, sizeof bytes);
  cr__follower_options_write(&options, &writer);
  for (size_t size = 0; size <= sizeof bytes; size++) {
    CrError error;
    CrReader reader = cr__reader(bytes, size, 0, CR_FORMAT_CROWD_STATE, &error);
    CrFollowerOptions read;
    cr__follower_options_read(&read, &reader);
    CHECK(reader.status == (size < sizeof bytes ? CR_STATUS_TRUNCATED : CR_STATUS_OK));
    if (size < sizeof bytes) continue;
    writer = cr__writer_to(again, sizeof again);
    cr__follower_options_write(&read, &writer);
    CHECK(memcmp(bytes, again, sizeof bytes) == 0);
  }
}

typedef struct Limits {
  size_t offset;
  int kind;
  double low, high;
} Limits;

#define LIMITS(member, kind, low, high) \
  { offsetof(CrFollowerOptions, member), kind, low, high }
#define TINY 4.9406564584124654e-324
#define HALF_WORLD 1048576.0

static const Limits limits[] = {
    LIMITS(max_speed, 0, TINY, 1e6),
    LIMITS(max_acceleration, 0, TINY, 1e9),
    LIMITS(slow_radius, 0, 0, HALF_WORLD),
    LIMITS(arrival_min_speed, 0, 0, 1e6),
    LIMITS(arrival_radius, 0, 0, HALF_WORLD),
    LIMITS(max_corners, 1, 3, 256),
    LIMITS(validate_look_ahead, 1, 1, INT32_MAX),
    LIMITS(optimize_interval, 1, 0, INT32_MAX),
    LIMITS(optimize_range, 0, 0, HALF_WORLD),
    LIMITS(optimize_budget, 1, 2, INT32_MAX),
    LIMITS(topology_interval, 1, 0, INT32_MAX),
    LIMITS(topology_budget, 1, 1, INT32_MAX),
    LIMITS(replan_budget, 1, 1, INT32_MAX),
    LIMITS(max_replan_rounds, 1, 1, INT32_MAX),
    LIMITS(stuck_window, 0, 0, 3600),
    LIMITS(stuck_progress, 0, 0, 1),
    LIMITS(max_stuck_recoveries, 1, 0, INT32_MAX),
    LIMITS(off_mesh_mode, 2, 0, 1),
    LIMITS(off_mesh_speed, 0, TINY, 1e6),
    LIMITS(off_mesh_trigger_radius, 0, 0, HALF_WORLD),
    LIMITS(search_extents.x, 0, 0, HALF_WORLD),
    LIMITS(search_extents.y, 0, 0, HALF_WORLD),
    LIMITS(search_extents.z, 0, 0, HALF_WORLD),
    LIMITS(corridor_capacity, 1, 2, 4096),
    LIMITS(refine_budget, 1, 0, INT32_MAX),
    LIMITS(corner_clearance, 0, 0, HALF_WORLD),
};

static double next_up(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  bits++;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// The smallest step beyond either end; false when there is no such number.
static bool beyond(const Limits *limit, bool high, double *out) {
  double end = high ? limit->high : limit->low;
  if (limit->kind != 0) {
    *out = high ? end + 1 : end - 1;
    return *out >= 0 && *out <= (limit->kind == 1 ? INT32_MAX : 255);
  }
  *out = high ? next_up(end) : limit->low > 0.0 ? 0.0 : -TINY;
  return true;
}

TEST(the_next_number_is_out_of_range) {
  int tried = 0;
  for (size_t k = 0; k < 2 * CR_COUNT_OF(limits); k++) {
    double value;
    if (!beyond(&limits[k / 2], k % 2, &value)) continue;
    CrFollowerOptions options = cr_follower_options_humanoid();
    BadField field = {"", limits[k / 2].offset, {0}, limits[k / 2].kind, 0};
    put(&options, &field, value);
    check_seed = k;
    CrError error;
    CHECK_STATUS(cr_follower_options_validate(&options, &error), CR_STATUS_ARGUMENT);
    CHECK(strcmp(error.field, bad_fields[k / 2].name) == 0);
    double end = k % 2 ? limits[k / 2].high : limits[k / 2].low;
    CHECK(error.limit == (end == TINY ? 0.0 : end));
    tried++;
  }
  CHECK_INT(tried, 2 * 14 + 10);  // every number at both ends, and where integers have a neighbour there
}

// Both ends of every range are allowed, alone and all together, and a follower made with them walks.
TEST(limits_belong_to_their_ranges) {
  CHECK_INT(CR_COUNT_OF(limits), CR_COUNT_OF(bad_fields));
  CrNavMesh *mesh = world_scattered(3, 12, 12, 1.0, 0.2, 4, NULL);
  CrPathContextOptions wide = cr_path_context_options_default();
  wide.max_corridor = CR_CORRIDOR_MAX_CAPACITY;
  CrPathContext *context;
  REQUIRE_OK(cr_path_context_create(mesh, &wide, NULL, &context, NULL));
  for (size_t k = 0; k < 2 * CR_COUNT_OF(limits) + 2; k++) {
    CrFollowerOptions options = cr_follower_options_humanoid();
    for (size_t i = 0; i < CR_COUNT_OF(limits); i++) {
      if (k / 2 != i && k / 2 != CR_COUNT_OF(limits)) continue;
      BadField field = {"", limits[i].offset, {0}, limits[i].kind, 0};
      put(&options, &field, k % 2 ? limits[i].high : limits[i].low);
    }
    check_seed = k;
    CHECK_OK(cr_follower_options_validate(&options, NULL));
    uint64_t seed = k;
    CrFollower *follower = make_follower(context, &options, world_random_point(mesh, &seed, NULL));
    REQUIRE_OK(cr_follower_set_destination(follower, context, world_random_point(mesh, &seed, NULL), NULL));
    for (int step = 0; step < 100; step++) {
      REQUIRE_OK(cr_follower_step(follower, context, 1.0 / 30.0, NULL));
      check_sound(&follower->corridor, context);
      CHECK(cr__is_finite(follower->position.x) && cr__is_finite(follower->velocity.z));
    }
    cr_follower_destroy(follower);
  }
  cr_path_context_destroy(context);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(options_presets), RUN(every_default_is_the_documented_one), RUN(no_options_are_the_humanoid_ones),
          RUN(options_out_of_range_are_named), RUN(options_bytes_round_trip), RUN(the_next_number_is_out_of_range),
          RUN(limits_belong_to_their_ranges))
