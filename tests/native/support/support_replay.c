// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The random host of the replay tests.
#include "replays.h"

#include "replay_internal.h"
#include "worlds.h"

static CrNavMesh *make_world(int32_t world, uint64_t seed, const CrAllocator *allocator) {
  switch (world) {
    case 0:
      return world_from_map("..\n..\n", 2.0, 0, allocator);
    case 1:
      return world_from_map_merged("..........\n..##......\n..##..#...\n......#...\n..........\n", 1.5, 4, 5,
                                   allocator);
    case 2:
      return world_scattered(seed, 16, 16, 1.5, 0.15, 8, allocator);
    case 3:
      return world_maze(seed, 5, 2.0, 0, allocator);
    default:
      return world_two_floors(seed, 12, 12, 1.5, 3.0, 4, 6, allocator);
  }
}

// --- One call, through the recorder or not ---------------------------------------------------------------------------

static CrStatus call_add(Host *host, CrVec3 position, const CrAgentOptions *options, int64_t *out_id) {
  if (host->recorder) return cr_recorder_add(host->recorder, position, options, out_id, NULL);
  return cr_crowd_add(host->crowd, position, options, out_id, NULL);
}

static CrStatus call_by_id(Host *host, CrOpKind kind, int64_t id, CrVec3 position) {
  CrRecorder *recorder = host->recorder;
  switch (kind) {
    case CR_OP_REMOVE:
      return recorder ? cr_recorder_remove(recorder, id, NULL) : cr_crowd_remove(host->crowd, id, NULL);
    case CR_OP_SET_DESTINATION:
      return recorder ? cr_recorder_set_destination(recorder, id, position, NULL)
                      : cr_crowd_set_destination(host->crowd, id, position, NULL);
    case CR_OP_STOP:
      return recorder ? cr_recorder_stop(recorder, id, NULL) : cr_crowd_stop(host->crowd, id, NULL);
    default:
      return recorder ? cr_recorder_teleport(recorder, id, position, NULL)
                      : cr_crowd_teleport(host->crowd, id, position, NULL);
  }
}

// --- Random choices -------------------------------------------------------------------------------------------------

static CrVec3 random_place(Host *host) {
  CrVec3 place = world_random_point(host->mesh, &host->random, NULL);
  switch (rnd_int(&host->random, 12)) {
    case 0:
      place.x += 1000.0;
      break;  // nowhere near
    case 1:
      place.y += rnd_range(&host->random, -0.5, 0.5);
      break;
    case 2:
      place.z = -place.z;
      break;
    default:
      break;
  }
  return place;
}

static CrAgentOptions random_options(Host *host) {
  CrAgentOptions options = rnd_int(&host->random, 2) ? cr_agent_options_humanoid() : cr_agent_options_small();
  options.radius = rnd_range(&host->random, 0.1, 0.4);
  options.priority = rnd_range(&host->random, 0.5, 2.0);
  options.quality = (uint8_t)rnd_int(&host->random, 4);
  if (rnd_int(&host->random, 3) == 0) options.separation_distance = 1.0;
  if (rnd_int(&host->random, 4) == 0) {
    options.has_path = true;
    options.path = cr_follower_options_small();
    options.path.corridor_capacity = 16 + rnd_int(&host->random, 32);
    options.path.replan_budget = 32;
  }
  return options;
}

static void act_add(Host *host) {
  CrAgentOptions options = random_options(host);
  int64_t id;
  CrStatus status = call_add(host, random_place(host), &options, &id);
  if (status == CR_STATUS_OK) {
    REQUIRE(host->id_count < HOST_MAX_IDS);
    host->ids[host->id_count++] = id;
    host->done[CR_OP_ADD]++;
  } else {
    CHECK(status == CR_STATUS_NOT_FOUND || status == CR_STATUS_FULL);
    host->adds_not_found += status == CR_STATUS_NOT_FOUND;
    host->adds_full += status == CR_STATUS_FULL;
  }
}

static void act_by_id(Host *host, CrOpKind kind) {
  int32_t pick = rnd_int(&host->random, host->id_count);
  int64_t id = host->ids[pick];
  CrStatus status = call_by_id(host, kind, id, random_place(host));
  CHECK(status == CR_STATUS_OK || (kind == CR_OP_TELEPORT && status == CR_STATUS_NOT_FOUND));
  if (status == CR_STATUS_OK) host->done[kind]++;
  if (status != CR_STATUS_OK) host->refused++;
  if (kind == CR_OP_REMOVE) {
    host->ids[pick] = host->ids[--host->id_count];
    CHECK_STATUS(call_by_id(host, CR_OP_STOP, id, cr_follower_options_small().search_extents), CR_STATUS_NO_SUCH_AGENT);
    host->refused++;
  }
}

void host_act(Host *host) {
  int32_t count = rnd_int(&host->random, 4);
  for (int32_t i = 0; i < count; i++) {
    int32_t dice = rnd_int(&host->random, 16);
    if (dice < 4 || host->id_count == 0) {
      act_add(host);
    } else if (dice < 5) {
      act_by_id(host, CR_OP_REMOVE);
    } else if (dice < 12) {
      act_by_id(host, CR_OP_SET_DESTINATION);
    } else if (dice < 14) {
      act_by_id(host, CR_OP_STOP);
    } else {
      act_by_id(host, CR_OP_TELEPORT);
    }
  }
}

// --- Runs -----------------------------------------------------------------------------------------------------------

void host_start(Host *host, const HostPlan *plan, bool record) {
  memset(host, 0, sizeof *host);
  check_seed = plan->seed;
  host->random = plan->seed;
  host->dt = plan->dt;
  host->mesh = make_world(plan->world, plan->seed, plan->allocator);
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = plan->max_agents;
  options.query_nodes = 512;
  options.max_walls_per_agent = 16;
  if (plan->max_threads) options.max_threads = plan->max_threads;
  REQUIRE_OK(cr_crowd_create(host->mesh, &options, plan->allocator, &host->crowd, NULL));
  for (int32_t i = 0; i < plan->first_agents; i++) act_add(host);
  host_run(host, plan->warm_steps);
  if (record) REQUIRE_OK(cr_recorder_create(host->crowd, plan->dt, plan->allocator, &host->recorder, NULL));
}

void host_end(Host *host) {
  cr_recorder_destroy(host->recorder);
  cr_crowd_destroy(host->crowd);
  cr_navmesh_destroy(host->mesh);
  memset(host, 0, sizeof *host);
}

void host_step(Host *host) {
  CrError error = {0};
  CrStatus status =
      host->recorder ? cr_recorder_step(host->recorder, &error) : cr_crowd_step(host->crowd, host->dt, &error);
  REQUIRE_OK(status);
}

void host_run(Host *host, int32_t steps) {
  for (int32_t i = 0; i < steps; i++) {
    host_act(host);
    host_step(host);
  }
}

CrBytes host_save(const Host *host) {
  CrBytes file = {0};
  REQUIRE_OK(cr_recorder_save(host->recorder, NULL, &file, NULL));
  return file;
}

CrBytes record_run(const HostPlan *plan, int32_t steps) {
  Host host;
  host_start(&host, plan, true);
  host_run(&host, steps);
  CrBytes file = host_save(&host);
  host_end(&host);
  return file;
}

// --- Comparing ------------------------------------------------------------------------------------------------------

CrBytes state_of(const CrCrowd *crowd) {
  size_t size = cr_crowd_state_size(crowd), written = 0;
  CrBytes state = {0};
  CrAllocator hooks = cr__allocator_or_default(NULL);
  state.data = cr__alloc(&hooks, size, 1);
  state.size = size;
  state.allocator = hooks;
  REQUIRE(state.data);
  REQUIRE_OK(cr_crowd_save_state(crowd, state.data, size, &written, NULL));
  REQUIRE(written == size);
  return state;
}

bool same_bytes(const CrBytes *a, const CrBytes *b) {
  return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

bool same_state(const CrCrowd *crowd, const CrBytes *state) {
  CrBytes now = state_of(crowd);
  bool same = same_bytes(&now, state);
  cr_bytes_free(&now);
  return same;
}

void trace_push(Trace *trace, const CrCrowd *crowd) {
  if (trace->count == trace->capacity) {
    trace->capacity = trace->capacity ? trace->capacity * 2 : 64;
    trace->states = realloc(trace->states, (size_t)trace->capacity * sizeof *trace->states);
    REQUIRE(trace->states);
  }
  trace->states[trace->count++] = state_of(crowd);
}

void trace_free(Trace *trace) {
  for (int32_t i = 0; i < trace->count; i++) cr_bytes_free(&trace->states[i]);
  free(trace->states);
  memset(trace, 0, sizeof *trace);
}

Trace trace_replay(const CrReplay *replay) {
  Trace trace = {0};
  CrPlayerOptions options = {.keyframe_budget = 0, .keyframe_spacing = 1};
  CrPlayer *player;
  REQUIRE_OK(cr_player_create(replay, &options, NULL, &player, NULL));
  trace_push(&trace, cr_player_crowd(player));
  while (cr_player_step(player, NULL) == CR_STATUS_OK) trace_push(&trace, cr_player_crowd(player));
  cr_player_destroy(player);
  return trace;
}

CrReplay *open_replay(const CrBytes *file) {
  CrReplay *replay = NULL;
  CrError error = {0};
  CrStatus status = cr_replay_read(file->data, file->size, NULL, &replay, &error);
  if (status != CR_STATUS_OK) {
    printf("%s %s at %" PRIu64 "\n", error.field ? error.field : "?", cr_status_text(status), error.offset);
  }
  REQUIRE_OK(status);
  return replay;
}

static void call_again(CrRecorder *recorder, const CrOperation *operation) {
  int64_t id = operation->agent_id;
  CrVec3 place = operation->position;
  switch (operation->kind) {
    case CR_OP_ADD: {
      CrStatus status = cr_recorder_add(recorder, place, &operation->options, NULL, NULL);
      CHECK(status == CR_STATUS_OK || status == CR_STATUS_FULL || status == CR_STATUS_NOT_FOUND);
      break;
    }
    case CR_OP_REMOVE:
      CHECK_OK(cr_recorder_remove(recorder, id, NULL));
      break;
    case CR_OP_SET_DESTINATION:
      CHECK_OK(cr_recorder_set_destination(recorder, id, place, NULL));
      break;
    case CR_OP_STOP:
      CHECK_OK(cr_recorder_stop(recorder, id, NULL));
      break;
    case CR_OP_TELEPORT:
      CHECK_OK(cr_recorder_teleport(recorder, id, place, NULL));
      break;
  }
}

CrBytes record_again(const CrReplay *replay) {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  CrRecorder *recorder;
  CrBytes file = {0};
  REQUIRE_OK(cr__setup_restore(&replay->setup, NULL, &mesh, &crowd, NULL));
  REQUIRE_OK(cr_recorder_create(crowd, replay->setup.dt, NULL, &recorder, NULL));
  for (int32_t i = 0; i < replay->info.step_count; i++) {
    const uint8_t *operations;
    size_t size, offset = 0;
    uint64_t hash;
    CrOperation operation;
    REQUIRE_OK(cr_replay_step(replay, i, &operations, &size, &hash));
    while (cr_op_decode(operations, size, offset, &operation, NULL) == CR_STATUS_OK) {
      call_again(recorder, &operation);
      offset += operation.size;
    }
    REQUIRE_OK(cr_recorder_step(recorder, NULL));
  }
  REQUIRE_OK(cr_recorder_save(recorder, NULL, &file, NULL));
  cr_recorder_destroy(recorder);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return file;
}
