// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// First inputs for the fuzzers, from the project's own scenes and test worlds: `fuzz_make_corpus FOLDER` writes
// FOLDER/<target>/seed-<n>. The same files at every run. Folders must exist.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "crowdreel/tile_cache.h"
#include "fuzzkit.h"
#include "replays.h"
#include "scene.h"
#include "tile_kit.h"
#include "worlds.h"

#define MOST_BYTES 16384  // larger inputs would only slow the fuzzers down

static const char *folder;
static int files;

static void put(const char *target, const void *head, size_t head_size, const void *body, size_t body_size) {
  char path[1024];
  if (head_size + body_size > MOST_BYTES) return;
  snprintf(path, sizeof path, "%s/%s/seed-%d", folder, target, files++);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(head, 1, head_size, file) == head_size && fwrite(body, 1, body_size, file) == body_size;
  if (file && fclose(file) != 0) ok = false;
  if (ok) return;
  fprintf(stderr, "%s: cannot be written\n", path);
  exit(1);
}

static void put_bytes(const char *target, const CrBytes *bytes) { put(target, "", 0, bytes->data, bytes->size); }

// Programs: any bytes mean something, so random ones will do. Small numbers are likelier, as they name cells and kinds.
static void put_programs(const char *target, int count, size_t most) {
  uint64_t seed = 11;
  uint8_t bytes[1024];
  for (int i = 0; i < count; i++) {
    size_t size = 16 + rnd_u64(&seed) % (most - 16);
    int32_t range = i % 3 == 0 ? 256 : i % 3 == 1 ? 64 : 16;
    for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)rnd_int(&seed, range);
    put(target, NULL, 0, bytes, size);
  }
}

// --- Meshes ---------------------------------------------------------------------------------------------------------

static void put_snapshot(const CrNavMesh *mesh) {
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_save(mesh, NULL, &bytes, NULL));
  put_bytes("navmesh", &bytes);
  cr_bytes_free(&bytes);
}

static size_t append(uint8_t *out, size_t at, const CrBytes *bytes) {
  out[at] = (uint8_t)bytes->size;
  out[at + 1] = (uint8_t)(bytes->size >> 8);
  memcpy(out + at + 2, bytes->data, bytes->size);
  return at + 2 + bytes->size;
}

static void put_referenced(const CrNavMesh *mesh) {
  static uint8_t bundle[1 << 20];
  CrBytes bytes;
  REQUIRE_OK(cr_navmesh_save_referenced(mesh, NULL, &bytes, NULL));
  size_t size = append(bundle, 0, &bytes);
  cr_bytes_free(&bytes);
  for (uint32_t slot = 0; slot < cr_navmesh_slot_count(mesh) && size < MOST_BYTES; slot++) {
    if (cr_navmesh_tile_bytes(mesh, slot, NULL, &bytes, NULL) != CR_STATUS_OK) continue;
    size = append(bundle, size, &bytes);
    cr_bytes_free(&bytes);
  }
  put("referenced", NULL, 0, bundle, size);
}

// Tiles for the parameters byte 0 of the tile target stands for: origin 0, size 8, climb 0.5.
static void put_tiles(void) {
  CrNavMeshParams params = {.tile_size = 8.0, .climb = 0.5, .agent_height = 2.0};
  static TileKit kit;
  uint64_t seed = 5;
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  for (int32_t i = 0; i < 24; i++) {
    kit_random(&kit, &params, &seed, i % 3 - 1, i / 3 % 3 - 1, i / 9);
    CrBytes bytes = kit_encode(&kit, &params);
    uint8_t choice = 0;
    put("tile", &choice, 1, bytes.data, bytes.size);
    if (i < 9) cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, NULL);
    if (i % 4 == 3) put_snapshot(mesh);
    if (i < 9) put_referenced(mesh);
    cr_bytes_free(&bytes);
  }
  cr_navmesh_destroy(mesh);
}

// --- Crowds ---------------------------------------------------------------------------------------------------------

static CrCrowd *walking_crowd(int32_t world, int32_t agents, int32_t steps, uint64_t seed) {
  const CrNavMesh *mesh = fuzz_world(world);
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = 64;
  options.query_nodes = 256;
  CrCrowd *crowd;
  REQUIRE_OK(cr_crowd_create(mesh, &options, NULL, &crowd, NULL));
  for (int32_t k = 0; k < agents; k++) {
    CrAgentOptions agent = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    agent.has_path = k % 3 == 2;
    if (agent.has_path) agent.path.corridor_capacity = 8;
    int64_t id;
    REQUIRE_OK(cr_crowd_add(crowd, world_random_point(mesh, &seed, NULL), &agent, &id, NULL));
    if (k % 4) REQUIRE_OK(cr_crowd_set_destination(crowd, id, world_random_point(mesh, &seed, NULL), NULL));
  }
  for (int32_t k = 0; k < steps; k++) REQUIRE_OK(cr_crowd_step(crowd, 0.0625, NULL));
  if (agents > 2) REQUIRE_OK(cr_crowd_remove(crowd, 1, NULL));
  return crowd;
}

static void put_crowd_states(void) {
  uint64_t seed = 9;
  for (int32_t i = 0; i < 4 * FUZZ_WORLDS; i++) {
    CrCrowd *crowd = walking_crowd(i % FUZZ_WORLDS, 1 + i / FUZZ_WORLDS, 3 * i, (uint64_t)i);
    CrBytes state = state_of(crowd);
    static uint8_t bytes[1 << 16];
    bytes[0] = (uint8_t)(i % FUZZ_WORLDS);
    bytes[1] = 7;
    size_t size = append(bytes, 2, &state);
    for (int32_t k = 0; k < 24; k++) bytes[size++] = (uint8_t)rnd_int(&seed, 128);
    put("crowd_state", NULL, 0, bytes, size);
    put_bytes("pack", &state);
    cr_bytes_free(&state);
    cr_crowd_destroy(crowd);
  }
}

static void put_crowd_and_mesh(const CrCrowd *crowd, int32_t world, bool referenced, uint64_t *seed) {
  static uint8_t bytes[1 << 16];
  size_t size = (size_t)cr_crowd_state_with_mesh_size(crowd, referenced), head = 4;
  if (size + head + 40 > sizeof bytes) return;
  bytes[0] = (uint8_t)world;
  bytes[1] = 7;
  bytes[2] = (uint8_t)size;
  bytes[3] = (uint8_t)(size >> 8);
  REQUIRE_OK(cr_crowd_save_state_with_mesh(crowd, referenced, bytes + head, size, NULL, NULL));
  for (int32_t k = 0; k < 40; k++) bytes[head + size + (size_t)k] = (uint8_t)rnd_int(seed, 128);
  put("crowd_mesh_state", bytes, head, bytes + head, size + 40);
}

static void put_crowd_mesh_states(void) {
  uint64_t seed = 10;
  for (int32_t i = 0; i < 4 * FUZZ_WORLDS; i++) {
    CrCrowd *crowd = walking_crowd(i % FUZZ_WORLDS, 1 + i / FUZZ_WORLDS, 3 * i, (uint64_t)i);
    put_crowd_and_mesh(crowd, i % FUZZ_WORLDS, false, &seed);
    put_crowd_and_mesh(crowd, i % FUZZ_WORLDS, true, &seed);
    cr_crowd_destroy(crowd);
  }
}

static CrPathContext *make_context(int32_t world) {
  CrPathContextOptions options = cr_path_context_options_default();
  CrPathContext *context;
  options.query.max_nodes = 256;
  REQUIRE_OK(cr_path_context_create(fuzz_world(world), &options, NULL, &context, NULL));
  return context;
}

// Byte 0 as the follower target reads it: capacity 32, polygon nodes.
static void put_follower(int32_t world, int32_t steps, uint64_t seed) {
  CrPathContext *context = make_context(world);
  CrFollowerOptions options = cr_follower_options_humanoid();
  CrFollower *follower;
  options.corridor_capacity = 32;
  REQUIRE_OK(cr_follower_create(&options, NULL, &follower, NULL));
  REQUIRE_OK(cr_follower_place(follower, context, world_random_point(fuzz_world(world), &seed, NULL), NULL));
  CrVec3 to = world_random_point(fuzz_world(world), &seed, NULL);
  REQUIRE_OK(cr_follower_set_destination(follower, context, to, NULL));
  for (int32_t k = 0; k < steps; k++) REQUIRE_OK(cr_follower_step(follower, context, 0.0625, NULL));
  uint8_t bytes[1024] = {(uint8_t)(3 << 5 | world), 0, 0, 0};
  size_t size = cr_follower_state_size(follower);
  bytes[1] = (uint8_t)size;
  bytes[2] = (uint8_t)(size >> 8);
  REQUIRE_OK(cr_follower_save(follower, bytes + 4, size, NULL));
  for (size_t k = 0; k < 40; k++) bytes[4 + size + k] = (uint8_t)rnd_int(&seed, 256);
  put("follower", NULL, 0, bytes, 4 + size + 40);
  // The same corridor by itself: no options byte.
  size_t corridor_size = size - 203;
  uint8_t head[3] = {(uint8_t)(128 | 3 << 5 | world), (uint8_t)corridor_size, (uint8_t)(corridor_size >> 8)};
  put("follower", head, sizeof head, bytes + 4 + 203, corridor_size + 40);
  cr_follower_destroy(follower);
  cr_path_context_destroy(context);
}

// A short recording that begins in the middle of things: on links, round corners, arriving.
static void put_replay_from(int32_t world, int32_t warm_steps, uint64_t seed) {
  CrCrowd *crowd = walking_crowd(world, 3, warm_steps, seed);
  CrRecorder *recorder;
  CrBytes file;
  REQUIRE_OK(cr_recorder_create(crowd, 0.125, NULL, &recorder, NULL));
  for (int32_t k = 0; k < 6; k++) {
    if (k == 2) cr_recorder_set_destination(recorder, 0, world_random_point(fuzz_world(world), &seed, NULL), NULL);
    REQUIRE_OK(cr_recorder_step(recorder, NULL));
  }
  REQUIRE_OK(cr_recorder_save(recorder, NULL, &file, NULL));
  put_bytes("replay", &file);
  cr_bytes_free(&file);
  cr_recorder_destroy(recorder);
  cr_crowd_destroy(crowd);
}

static void put_replays(void) {
  for (int32_t i = 0; i < 6 * FUZZ_WORLDS; i++) put_replay_from(i % FUZZ_WORLDS, 8 * i, (uint64_t)i);
  for (int32_t i = 0; i < 12; i++) {
    HostPlan plan = {.world = i % HOST_WORLDS,
                     .seed = (uint64_t)i,
                     .max_agents = 2 + i % 4,
                     .first_agents = 1 + i % 2,
                     .warm_steps = i,
                     .dt = 0.0625};
    CrBytes file = record_run(&plan, 2 + i);
    put_bytes("replay", &file);
    cr_bytes_free(&file);
  }
}

// --- Scenes ---------------------------------------------------------------------------------------------------------

static void put_text(const char *path) {
  static char text[MOST_BYTES + 1];
  FILE *file = fopen(path, "rb");
  REQUIRE(file);
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  put("scene", NULL, 0, text, size);
}

static void put_cache(const CrBuildInput *input, const CrBuildSettings *settings) {
  CrTileCache *cache;
  CrNavMesh *mesh;
  CrBytes bytes;
  REQUIRE_OK(cr_tile_cache_create(input, settings, NULL, NULL, &cache, &mesh, NULL, NULL));
  CrVolume box = {.shape = CR_VOLUME_BOX, .area = CR_AREA_BLOCKED, .min_y = -1, .max_y = 2, .half_x = 1, .half_z = 2};
  REQUIRE_OK(cr_tile_cache_add_obstacle(cache, &box, NULL, NULL));
  REQUIRE_OK(cr_tile_cache_save(cache, NULL, &bytes, NULL));
  put_bytes("tile_cache", &bytes);
  cr_bytes_free(&bytes);
  cr_tile_cache_destroy(cache);
  cr_navmesh_destroy(mesh);
}

// The scene's level as it is, and with cells so large that its mesh is small.
static void put_level(const Scene *scene) {
  CrBuildInput input = {.vertices = scene->vertices,
                        .vertex_count = scene->vertex_count,
                        .triangles = scene->triangles,
                        .triangle_count = scene->triangle_count};
  for (int32_t k = 1; k <= 4; k++) {
    CrBuildSettings settings = scene->settings;
    CrBytes bytes;
    CrNavMesh *mesh;
    settings.cell_size *= k;
    REQUIRE_OK(cr_build_input_write(&input, &settings, NULL, &bytes, NULL));
    put_bytes("build_input", &bytes);
    cr_bytes_free(&bytes);
    REQUIRE_OK(cr_build_navmesh(&input, &settings, NULL, NULL, &mesh, NULL, NULL));
    put_snapshot(mesh);
    cr_navmesh_destroy(mesh);
    put_cache(&input, &settings);
    settings.tile_cells = 24;
    put_cache(&input, &settings);
  }
}

static void put_scenes(void) {
  static const char *const names[] = {"crossing", "door", "level", "plaza", "ring"};
  for (size_t i = 0; i < CR_COUNT_OF(names); i++) {
    char path[1024];
    Scene scene;
    snprintf(path, sizeof path, "%s/tests/scenes/%s.scene", CR_SOURCE_DIR, names[i]);
    put_text(path);
    REQUIRE(scene_load(path, &scene));
    put_level(&scene);
    scene_free(&scene);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: fuzz_make_corpus FOLDER\n");
    return 2;
  }
  folder = argv[1];
  for (int32_t i = 0; i < FUZZ_WORLDS; i++) {
    put_snapshot(fuzz_world(i));
    put_referenced(fuzz_world(i));
  }
  put_tiles();
  put_crowd_states();
  for (int32_t i = 0; i < 3 * FUZZ_WORLDS; i++) put_follower(i % FUZZ_WORLDS, 4 * i, (uint64_t)i);
  put_replays();
  put_scenes();
  put_crowd_mesh_states();
  put_programs("build", 60, 300);
  put_programs("edits", 60, 600);
  put_programs("obstacles", 60, 400);
  put_programs("polygons", 40, 200);
  put_programs("query", 40, 200);
  put_programs("pack", 20, 400);
  printf("%d inputs\n", files);
  return 0;
}
