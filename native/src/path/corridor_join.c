// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Putting a corridor together from pieces (kept polygons, a search's route) without loops, and measuring how far a chain of
// polygons is to walk. Lists are built in context->joined; nothing touches the corridor before cr__join_store.
#include "path_internal.h"

void cr__join_begin(CrPathContext *context, int32_t total) { cr__index_begin(context, total); }

// order: of a polygon met twice the first occurrence stays and all between the two is cut
int32_t cr__join_append(CrPathContext *context, int32_t size, const CrPolyRef *items, int32_t count) {
  for (int32_t k = 0; k < count; k++) {
    int32_t earlier = cr__index_find(context, context->joined, size, items[k]);
    if (earlier >= 0) {
      size = earlier + 1;
      continue;
    }
    context->joined[size] = items[k];
    cr__index_put(context, items[k], size++);
  }
  return size;
}

bool cr__join_store(CrPathContext *context, CrCorridor *corridor, int32_t size) {
  bool fits = size <= corridor->capacity;
  if (!fits) size = corridor->capacity;
  memcpy(corridor->path, context->joined, (size_t)size * sizeof *corridor->path);
  corridor->count = size;
  cr__corridor_changed(corridor, 0);
  if (fits) return true;
  corridor->complete = false;
  corridor->needs_replan = true;
  return false;
}

static double polyline_length(const CrCorner *corners, int32_t count) {
  double length = 0.0;
  for (int32_t k = 1; k < count; k++) length += cr__dist(corners[k - 1].point, corners[k].point);
  return length;
}

// Chains with more corners than the buffer holds are pulled piece by piece: the funnel restarts at any corner it found.
double cr__path_walk_length(CrPathContext *context, CrVec3 start, CrVec3 end, const CrPolyRef *path, int32_t count) {
  double length = 0.0;
  for (;;) {
    int32_t written;
    CrStraightPathOutcome outcome = cr_query_straight_path(context->mesh, start, end, path, count, context->filter,
                                                           context->length_corners, CR_PATH_MAX_CORNERS, &written);
    if (outcome == CR_STRAIGHT_INVALID_CORRIDOR) return -1.0;
    length += polyline_length(context->length_corners, written);
    if (outcome == CR_STRAIGHT_OK) return length;
    const CrCorner *last = &context->length_corners[written - 1];
    if (last->path_index <= 0) return -1.0;
    start = last->point;
    path += last->path_index;
    count -= last->path_index;
  }
}
