// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Meetings that exact symmetry could freeze: head on, at the corners of a square, across a circle, on one spot. All resolve.
#include <math.h>

#include "crowd_runs.h"

typedef struct Meeting {
  CrNavMesh *mesh;
  CrCrowd *crowd;
  double deepest;  // as a part of the radius sum
} Meeting;

static Meeting begin(void) {
  Meeting meeting = {open_world(16, 16, 8.0), NULL, 0.0};
  meeting.crowd = make_crowd(meeting.mesh, NULL);
  return meeting;
}

static void end(Meeting *meeting) {
  cr_crowd_destroy(meeting->crowd);
  cr_navmesh_destroy(meeting->mesh);
}

static bool all_arrived(const CrCrowd *crowd) {
  for (int32_t slot = 0; slot < crowd->slot_count; slot++) {
    if (cr__crowd_slot(crowd, slot)->follower.state != CR_FOLLOWER_ARRIVED) return false;
  }
  return true;
}

// Seconds until everybody stands at the goal, -1 when `limit` passes first.
static double resolve(Meeting *meeting, double radius_sum, double limit) {
  CrCrowd *crowd = meeting->crowd;
  while ((double)crowd->step_count * RUN_DT < limit) {
    step_crowd(crowd);
    meeting->deepest = cr__max(meeting->deepest, deepest_overlap(crowd) / radius_sum);
    if (crowd->step_count % 16 == 0) check_crowd(crowd);
    if (all_arrived(crowd)) return (double)crowd->step_count * RUN_DT;
  }
  return -1.0;
}

// The bound of docs/behaviour/crowds.md for those that would take this long by themselves.
static double slowest(double straight) { return 1.5 * straight + 2.0; }

TEST(two_head_on_pass) {
  for (int k = 0; k < 4; k++) {
    Meeting meeting = begin();
    CrAgentOptions options = k % 2 ? cr_agent_options_small() : cr_agent_options_humanoid();
    if (k >= 2) options.side_preference = 0.0;
    add_walker(meeting.crowd, cr__vec(54, 0, 64), cr__vec(74, 0, 64), &options);
    add_walker(meeting.crowd, cr__vec(74, 0, 64), cr__vec(54, 0, 64), &options);
    double seconds = resolve(&meeting, 2 * options.radius, 60.0);
    printf("  radius %g, side preference %g: %.1f s, straight %.1f s, deepest overlap %.4f of the radius sum\n",
           options.radius, options.side_preference, seconds, 20.0 / options.max_speed, meeting.deepest);
    CHECK(seconds > 0.0 && seconds <= slowest(20.0 / options.max_speed));
    CHECK(meeting.deepest <= 0.05);
    end(&meeting);
  }
}

TEST(four_at_the_corners_of_a_square_change_places) {
  Meeting meeting = begin();
  CrAgentOptions options = cr_agent_options_humanoid();
  for (int k = 0; k < 4; k++) {
    double x = k & 1 ? 72 : 56, z = k & 2 ? 72 : 56;
    add_walker(meeting.crowd, cr__vec(x, 0, z), cr__vec(128 - x, 0, 128 - z), &options);
  }
  double seconds = resolve(&meeting, 2 * options.radius, 60.0);
  printf("  %.1f s, straight %.1f s, deepest overlap %.4f\n", seconds, 22.7 / 3.5, meeting.deepest);
  CHECK(seconds > 0.0 && seconds <= slowest(22.7 / 3.5));
  CHECK(meeting.deepest <= 0.05);
  end(&meeting);
}

static void run_circle(int32_t count, double ring) {
  Meeting meeting = begin();
  CrAgentOptions options = cr_agent_options_small();
  for (int32_t k = 0; k < count; k++) {
    double angle = 6.283185307179586 * k / count;
    double x = ring * cos(angle), z = ring * sin(angle);
    add_walker(meeting.crowd, cr__vec(64 + x, 0, 64 + z), cr__vec(64 - x, 0, 64 - z), &options);
  }
  double seconds = resolve(&meeting, 2 * options.radius, 120.0);
  printf("  %d agents on a circle of radius %.1f: %.1f s, straight %.1f s, deepest overlap %.4f\n", count, ring,
         seconds, 2 * ring / options.max_speed, meeting.deepest);
  CHECK(seconds > 0.0 && seconds <= slowest(2 * ring / options.max_speed));
  CHECK(meeting.deepest <= 0.3);  // all meet at the centre at once and cannot brake as hard as they would
  end(&meeting);
}

TEST(agents_across_a_circle_change_places) {
  run_circle(2, 8);
  run_circle(3, 8);
  run_circle(6, 8);
  run_circle(8, 8);
  run_circle(20, 10);
  run_circle(50, 20);
  run_circle(100, 30);
}

// --- On one spot ------------------------------------------------------------------------------------------------------

static double seconds_to_separate(int32_t count, double *out_spread) {
  Meeting meeting = begin();
  CrAgentOptions options = cr_agent_options_humanoid();
  for (int32_t k = 0; k < count; k++) add_agent(meeting.crowd, cr__vec(64, 0, 64), &options);
  double overlap = 1.0;
  while (meeting.crowd->step_count < 60 * 60 && overlap > 0.01 * 2 * options.radius) {
    step_crowd(meeting.crowd);
    overlap = deepest_overlap(meeting.crowd);
  }
  check_crowd(meeting.crowd);
  *out_spread = 0.0;
  for (int32_t slot = 0; slot < count; slot++) {
    CrVec3 at = cr__crowd_slot(meeting.crowd, slot)->follower.position;
    *out_spread = cr__max(*out_spread, cr__dist_xz(at, cr__vec(64, 0, 64)));
  }
  double seconds = overlap > 0.01 * 2 * options.radius ? -1.0 : (double)meeting.crowd->step_count * RUN_DT;
  end(&meeting);
  return seconds;
}

TEST(agents_on_one_spot_separate) {
  static const int32_t counts[] = {2, 3, 4, 8, 20, 60};
  for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
    double spread, seconds = seconds_to_separate(counts[k], &spread);
    printf("  %d standing on one spot: apart after %.2f s, spread over %.2f\n", counts[k], seconds, spread);
    CHECK(seconds > 0.0 && seconds <= 1.0 + 0.25 * counts[k]);
  }
}

TEST_MAIN(RUN(two_head_on_pass), RUN(four_at_the_corners_of_a_square_change_places),
          RUN(agents_across_a_circle_change_places), RUN(agents_on_one_spot_separate))
