// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Corridor and follower state. Byte 0 chooses a mesh, node model, corridor capacity and which of the two the rest is: a state, then
// (after its length) a program of calls. What must hold: a refusal names a field and changes nothing; an accepted state is given
// back as it was; a twin restored from a later state goes on exactly the same; positions stay finite; nothing allocates.
#include "fuzzkit.h"
#include "path_internal.h"

#define MAX_CALLS 24
#define MAX_CAPACITY 32

static CrPathContext *context_of(int32_t world, bool crossing) {
  static CrPathContext *contexts[FUZZ_WORLDS][2];
  CrPathContext **kept = &contexts[world][crossing];
  if (*kept) return *kept;
  CrPathContextOptions options = cr_path_context_options_default();
  options.query = (CrQueryOptions){.max_nodes = crossing ? 64 : 256,
                                   .node_model = crossing ? CR_NODE_MODEL_CROSSING : CR_NODE_MODEL_POLYGON};
  options.local_nodes = 64;
  options.max_corridor = MAX_CAPACITY;
  FUZZ_REQUIRE(cr_path_context_create(fuzz_world(world), &options, NULL, kept, NULL) == CR_STATUS_OK);
  return *kept;
}

static void check_refusal(const CrError *error, CrStatus status, size_t size) {
  FUZZ_REQUIRE(error->status == status && error->format == CR_FORMAT_CROWD_STATE && error->field);
  FUZZ_REQUIRE(error->offset <= size);
}

// --- Corridor -------------------------------------------------------------------------------------------------------

static void call_corridor(CrCorridor *corridor, CrPathContext *context, FuzzIn *in) {
  CrVec3 extents = {2, 4, 2};
  CrCorner corners[16];
  int32_t count;
  int32_t kind = fuzz_below(in, 12), amount = 1 + fuzz_below(in, 40);
  CrVec3 at = fuzz_point(in, 4.0);
  switch (kind) {
    case 0:
      cr_corridor_move_position(corridor, context, at);
      break;
    case 1:
      cr_corridor_move_target(corridor, context, at);
      break;
    case 2:
      cr_corridor_move_along(corridor, context, at, amount);
      break;
    case 3:
      if (cr_corridor_find_corners(corridor, context, corners, 2 + amount % 15, &count) != CR_STRAIGHT_INVALID_CORRIDOR)
        FUZZ_REQUIRE(count >= 0 && count <= 16);
      break;
    case 4:
      cr_corridor_optimize_visibility(corridor, context, at, 0.5 * amount, amount);
      break;
    case 5:
      cr_corridor_optimize_topology(corridor, context, amount, 2 + amount);
      break;
    case 6:
      cr_corridor_validate(corridor, context, amount);
      break;
    case 7:
      cr_corridor_relocate(corridor, context, extents);
      break;
    case 8:
    case 9:
      cr_corridor_replan(corridor, context, extents, amount);
      break;
    case 10:
      cr_corridor_set_target(corridor, at, NULL);
      break;
    default:
      cr_corridor_request_replan(corridor);
  }
}

static void check_corridor(const CrCorridor *corridor) {
  FUZZ_REQUIRE(corridor->count >= 0 && corridor->count <= corridor->capacity);
  FUZZ_REQUIRE(cr__check_point(NULL, corridor->position, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr__check_point(NULL, corridor->target, NULL) == CR_STATUS_OK);
  uint8_t state[66 + 8 * MAX_CAPACITY];
  size_t size = cr_corridor_state_size(corridor);
  FUZZ_REQUIRE(size <= sizeof state && cr_corridor_save(corridor, state, size, NULL) == CR_STATUS_OK);
}

static void run_corridor(FuzzIn *in, CrPathContext *context, int32_t capacity, size_t state_size) {
  CrCorridor *corridor;
  CrError error = {0};
  uint8_t again[66 + 8 * MAX_CAPACITY];
  FUZZ_REQUIRE(cr_corridor_create(capacity, NULL, &corridor, NULL) == CR_STATUS_OK);
  const uint8_t *state = fuzz_span(in, state_size, &state_size);
  CrStatus status = cr_corridor_restore(corridor, state, state_size, &error);
  if (status == CR_STATUS_OK) {
    FUZZ_REQUIRE(cr_corridor_state_size(corridor) == state_size);
    FUZZ_REQUIRE(cr_corridor_save(corridor, again, sizeof again, NULL) == CR_STATUS_OK);
    FUZZ_REQUIRE(memcmp(again, state, state_size) == 0);
  } else {
    check_refusal(&error, status, state_size);
  }
  for (int32_t i = 0; i < MAX_CALLS && !fuzz_done(in); i++) {
    call_corridor(corridor, context, in);
    check_corridor(corridor);
  }
  cr_corridor_destroy(corridor);
}

// --- Follower -------------------------------------------------------------------------------------------------------

static CrFollowerOptions options_from(FuzzIn *in, int32_t capacity) {
  uint8_t choice = fuzz_u8(in);
  CrFollowerOptions options = choice & 1 ? cr_follower_options_small() : cr_follower_options_humanoid();
  options.corridor_capacity = capacity;
  options.optimize_interval = choice >> 1 & 3;
  options.topology_interval = choice >> 3 & 3;
  options.replan_budget = choice & 32 ? 4 : 64;
  options.corner_clearance = choice & 64 ? 0.3 : 0.0;
  options.off_mesh_mode = choice >> 7;
  return options;
}

static size_t save(const CrFollower *follower, uint8_t *out, size_t room) {
  size_t size = cr_follower_state_size(follower);
  FUZZ_REQUIRE(size <= room && cr_follower_save(follower, out, room, NULL) == CR_STATUS_OK);
  return size;
}

// Whoever comes into a state with an event of its own has that event among those of the step.
static void check_events(const CrFollower *follower, CrFollowerState before) {
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  CrFollowerInfo info = cr_follower_info(follower);
  int32_t count = cr_follower_events(follower, events);
  unsigned kinds = 0;
  FUZZ_REQUIRE(count >= 0 && count <= CR_FOLLOWER_MAX_EVENTS);
  for (int32_t i = 0; i < count; i++) {
    FUZZ_REQUIRE(events[i].kind < CR_FOLLOWER_MAX_EVENTS && (i == 0 || events[i - 1].kind < events[i].kind));
    if (events[i].kind == CR_EVENT_ARRIVED) FUZZ_REQUIRE(events[i].reached_target == info.reached_target);
    kinds |= 1u << events[i].kind;
  }
  if (info.state == before) return;
  if (before == CR_FOLLOWER_OFF_MESH_LINK) FUZZ_REQUIRE(kinds >> CR_EVENT_LINK_LEFT & 1);
  if (info.state == CR_FOLLOWER_OFF_MESH_LINK) FUZZ_REQUIRE(kinds >> CR_EVENT_LINK_ENTERED & 1);
  if (info.state == CR_FOLLOWER_ARRIVED) FUZZ_REQUIRE(kinds >> CR_EVENT_ARRIVED & 1);
  if (info.state == CR_FOLLOWER_NO_PATH) FUZZ_REQUIRE(kinds >> CR_EVENT_NO_PATH & 1);
  if (info.state == CR_FOLLOWER_STUCK) FUZZ_REQUIRE(kinds >> CR_EVENT_STUCK & 1);
}

static void call_follower(CrFollower *follower, CrPathContext *context, FuzzIn *in) {
  int32_t kind = fuzz_below(in, 10);
  CrVec3 at = kind < 3 ? fuzz_point(in, 4.0) : cr__vec(0, 0, 0);
  if (kind == 0) {
    cr_follower_place(follower, context, at, NULL);
  } else if (kind == 1 || kind == 2) {
    cr_follower_set_destination(follower, context, at, NULL);
  } else if (kind == 3) {
    cr_follower_stop(follower);
  } else if (kind == 4) {
    cr_follower_complete_off_mesh(follower, context, NULL);
  } else {
    CrFollowerState before = cr_follower_info(follower).state;
    CrStatus status = cr_follower_step(follower, context, (1 + fuzz_below(in, 64)) / 64.0, NULL);
    FUZZ_REQUIRE(status == CR_STATUS_OK || status == CR_STATUS_LIMIT);
    if (status == CR_STATUS_OK) check_events(follower, before);
  }
}

// Of any corridor, sound or not: counts that agree, and nothing beyond the arrays' ends.
static void check_debug(const CrFollower *follower, const CrPathContext *context, int32_t room) {
  CrFollowerOutline outlines[MAX_CAPACITY + 1] = {{0}};
  CrVec3 vertices[MAX_CAPACITY + 1];
  CrCorner corners[MAX_CAPACITY + 1];
  CrCorner seen[CR_PATH_MAX_CORNERS];
  CrFollowerDebugArrays arrays = {outlines, vertices, corners, room, room, room};
  CrFollowerDebug told;
  int32_t count;
  memset(vertices, 0xEE, sizeof vertices);
  memset(corners, 0xEE, sizeof corners);
  cr_follower_debug(follower, context->mesh, context->filter, &arrays, &told);
  FUZZ_REQUIRE(told.outline_count == follower->corridor.count && told.corner_count >= 0);
  FUZZ_REQUIRE(outlines[room].ref == 0 && ((uint8_t *)&vertices[room])[0] == 0xEE);
  FUZZ_REQUIRE(((uint8_t *)&corners[room])[0] == 0xEE);
  CrStraightPathOutcome outcome =
      cr_corridor_find_corners(&follower->corridor, context, seen, follower->options.max_corners, &count);
  if (told.broken || follower->corridor.count == 0) return;  // perhaps beyond what the follower sees
  FUZZ_REQUIRE(outcome != CR_STRAIGHT_INVALID_CORRIDOR && told.seen_count == count);
}

// Both make the same calls; the twin was restored from the other's state.
static void go_on_with_twin(CrFollower *follower, CrFollower *twin, CrPathContext *context, FuzzIn *in) {
  static uint8_t one[269 + 8 * MAX_CAPACITY], two[269 + 8 * MAX_CAPACITY];
  for (int32_t i = 0; i < MAX_CALLS && !fuzz_done(in); i++) {
    size_t size = save(follower, one, sizeof one);
    FUZZ_REQUIRE(cr_follower_restore(twin, one, size, NULL) == CR_STATUS_OK);
    FuzzIn same = *in;
    call_follower(follower, context, in);
    call_follower(twin, context, &same);
    size = save(follower, one, sizeof one);
    FUZZ_REQUIRE(save(twin, two, sizeof two) == size && memcmp(one, two, size) == 0);
    CrFollowerInfo info = cr_follower_info(follower);
    FUZZ_REQUIRE(cr__check_point(NULL, info.position, NULL) == CR_STATUS_OK);
    FUZZ_REQUIRE(cr__check_point(NULL, info.velocity, NULL) == CR_STATUS_OK);
    check_debug(follower, context, i % (MAX_CAPACITY + 1));
  }
}

static void run_follower(FuzzIn *in, CrPathContext *context, int32_t capacity, size_t state_size) {
  FuzzMemory memory = {0};
  CrAllocator hooks = fuzz_allocator(&memory);
  CrFollowerOptions options = options_from(in, capacity);
  CrFollower *follower, *twin;
  CrError error = {0};
  uint8_t again[269 + 8 * MAX_CAPACITY];
  FUZZ_REQUIRE(cr_follower_create(&options, &hooks, &follower, NULL) == CR_STATUS_OK);
  FUZZ_REQUIRE(cr_follower_create(&options, &hooks, &twin, NULL) == CR_STATUS_OK);
  int64_t taken = memory.count;
  const uint8_t *state = fuzz_span(in, state_size, &state_size);
  CrStatus status = cr_follower_restore(follower, state, state_size, &error);
  if (status == CR_STATUS_OK) {
    FUZZ_REQUIRE(save(follower, again, sizeof again) == state_size && memcmp(again, state, state_size) == 0);
  } else {
    check_refusal(&error, status, state_size);
  }
  go_on_with_twin(follower, twin, context, in);
  FUZZ_REQUIRE(memory.count == taken);
  cr_follower_destroy(follower);
  cr_follower_destroy(twin);
  fuzz_memory_end(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int32_t capacities[] = {2, 5, 16, MAX_CAPACITY};
  FuzzIn in = fuzz_in(data, size);
  uint8_t choice = fuzz_u8(&in);
  CrPathContext *context = context_of((choice & 15) % FUZZ_WORLDS, choice & 16);
  int32_t capacity = capacities[choice >> 5 & 3];
  size_t state_size = fuzz_u16(&in);
  if (choice & 128) {
    run_corridor(&in, context, capacity, state_size);
  } else {
    run_follower(&in, context, capacity, state_size);
  }
  return 0;
}
