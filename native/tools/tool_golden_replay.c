// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Writes the golden replay of format version 1 (tests/data/replay-v1-small.oprp): a sloping ring of eight squares, a
// crowd under way, all five operations, Adds that fail, an agent with path options. The file in the repository is kept
// for ever and played and recorded again by tests/native/replay/test_golden_replay.c; this program says how it was
// made.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowdreel/crowdreel.h"

#define SIDE 3      // squares along each side of the ring
#define SQUARE 2.0  // their size

// A ring of squares around a hole, rising along x, in one tile.
static CrStatus make_mesh(CrNavMesh **out, CrError *error) {
  enum { CORNERS = SIDE + 1 };
  double vertices[CORNERS * CORNERS * 3];
  uint32_t corners[SIDE * SIDE * 4], corner_count = 0;
  uint8_t counts[SIDE * SIDE];
  for (uint32_t i = 0; i < CORNERS * CORNERS; i++) {
    vertices[i * 3] = SQUARE * (i % CORNERS);
    vertices[i * 3 + 1] = 0.25 * (i % CORNERS);
    vertices[i * 3 + 2] = SQUARE * (double)(i / CORNERS);
  }
  for (uint32_t i = 0; i < SIDE * SIDE; i++) {
    if (i == SIDE * SIDE / 2) continue;
    uint32_t first = i / SIDE * CORNERS + i % SIDE;
    const uint32_t square[4] = {first, first + 1, first + 1 + CORNERS, first + CORNERS};
    memcpy(corners + corner_count, square, sizeof square);
    corner_count += 4;
  }
  memset(counts, 4, sizeof counts);
  CrNavMeshParams params = {.tile_size = 8.0, .climb = 0.5, .agent_radius = 0.25, .agent_height = 2.0};
  CrTileDescription tile = {.vertex_count = CORNERS * CORNERS,
                            .polygon_count = corner_count / 4,
                            .vertices = vertices,
                            .polygon_vertex_counts = counts,
                            .polygon_vertices = corners};
  CrBytes bytes = {0};
  CrNavMesh *mesh = NULL;
  CrStatus status = cr_tile_encode(&params, &tile, NULL, &bytes, error);
  if (status == CR_STATUS_OK) status = cr_navmesh_create(&params, NULL, &mesh, error);
  if (status == CR_STATUS_OK) status = cr_navmesh_add_tile(mesh, bytes.data, bytes.size, NULL, error);
  cr_bytes_free(&bytes);
  if (status == CR_STATUS_OK) {
    *out = mesh;
  } else {
    cr_navmesh_destroy(mesh);
  }
  return status;
}

// Operations before step `step` (0-based). Answers of the crowd that a recording keeps are fine; others end the run.
static CrStatus act(CrRecorder *recorder, int32_t step, CrError *error) {
  CrAgentOptions small = cr_agent_options_small(), careful = cr_agent_options_humanoid();
  small.radius = 0.25;
  careful.has_path = true;
  careful.path = cr_follower_options_humanoid();
  careful.path.corridor_capacity = 32;
  careful.path.stuck_window = 0.0;
  int64_t id;
  CrStatus status = CR_STATUS_OK;
  switch (step) {
    case 0:
      return cr_recorder_set_destination(recorder, 0, (CrVec3){5.0, 0.625, 5.0}, error);
    case 1:
      status = cr_recorder_add(recorder, (CrVec3){5.0, 0.5, 1.0}, &small, &id, error);
      return status == CR_STATUS_OK ? cr_recorder_set_destination(recorder, id, (CrVec3){1.0, 0.125, 5.0}, error)
                                    : status;
    case 2:
      status = cr_recorder_add(recorder, (CrVec3){100.0, 0.0, 1.0}, &small, &id, error);
      return status == CR_STATUS_NOT_FOUND ? CR_STATUS_OK : CR_STATUS_MISMATCH;
    case 4:
      status = cr_recorder_add(recorder, (CrVec3){3.0, 0.375, 5.5}, &careful, &id, error);
      if (status == CR_STATUS_OK) status = cr_recorder_add(recorder, (CrVec3){3.0, 0.375, 1.0}, &small, &id, error);
      return status == CR_STATUS_FULL ? cr_recorder_set_destination(recorder, 2, (CrVec3){1.0, 0.125, 1.0}, error)
                                      : CR_STATUS_MISMATCH;
    case 12:
      return cr_recorder_stop(recorder, 1, error);
    case 15:
      return cr_recorder_teleport(recorder, 1, (CrVec3){5.5, 0.5, 3.0}, error);
    case 16:
      return cr_recorder_set_destination(recorder, 1, (CrVec3){3.0, 0.375, 0.5}, error);
    case 20:
      return cr_recorder_remove(recorder, 0, error);
    default:
      return CR_STATUS_OK;
  }
}

#define STEPS 32
#define WARM_STEPS 3
#define DT 0.0625

static CrStatus drive(CrCrowd *crowd, CrBytes *out, CrError *error) {
  CrAgentOptions humanoid = cr_agent_options_humanoid();
  CrRecorder *recorder = NULL;
  CrStatus status = cr_crowd_add(crowd, (CrVec3){0.75, 0.0, 0.5}, &humanoid, NULL, error);
  if (status == CR_STATUS_OK) status = cr_crowd_set_destination(crowd, 0, (CrVec3){5.0, 0.625, 1.0}, error);
  for (int32_t i = 0; status == CR_STATUS_OK && i < WARM_STEPS; i++) {
    status = cr_crowd_step(crowd, DT, error);
  }
  if (status == CR_STATUS_OK) status = cr_recorder_create(crowd, DT, NULL, &recorder, error);
  for (int32_t step = 0; status == CR_STATUS_OK && step < STEPS; step++) {
    status = act(recorder, step, error);
    if (status == CR_STATUS_OK) status = cr_recorder_step(recorder, error);
  }
  if (status == CR_STATUS_OK) status = cr_recorder_save(recorder, NULL, out, error);
  cr_recorder_destroy(recorder);
  return status;
}

static CrStatus record(CrBytes *out, CrError *error) {
  CrNavMesh *mesh = NULL;
  CrCrowd *crowd = NULL;
  CrCrowdOptions options = cr_crowd_options_default();
  options.max_agents = 3;
  options.query_nodes = 256;
  CrStatus status = make_mesh(&mesh, error);
  if (status == CR_STATUS_OK) status = cr_crowd_create(mesh, &options, NULL, &crowd, error);
  if (status == CR_STATUS_OK) status = drive(crowd, out, error);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
  return status;
}

static int fail(const char *what, const char *field, CrStatus status) {
  fprintf(stderr, "%s: %s %s\n", what, field ? field : "it", cr_status_text(status));
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: crowdreel_golden_replay FILE.oprp\n");
    return 1;
  }
  CrBytes bytes = {0};
  CrError error = {0};
  CrStatus status = record(&bytes, &error);
  if (status != CR_STATUS_OK) return fail("recording", error.field, status);
  FILE *file = fopen(argv[1], "wb");
  bool written = file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
  if (file && fclose(file) != 0) written = false;
  if (!written) fprintf(stderr, "%s: cannot be written\n", argv[1]);
  printf("%zu bytes, fnv-1a %016llx\n", bytes.size, (unsigned long long)cr_hash_bytes(bytes.data, bytes.size));
  cr_bytes_free(&bytes);
  return written ? 0 : 1;
}
