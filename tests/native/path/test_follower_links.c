// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Off-mesh links: when a crossing begins, what its steps do, how it ends, and what may happen meanwhile
// (docs/behaviour/followers.md names the tests).
#include "stage.h"
#include "tile_kit.h"

// Two platforms on tiles of their own: the first with the link from (4, 0, 2) to (9, 1, 2), the second.
static CrNavMesh *platforms_on_tiles(CrBytes *first, CrBytes *second) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 8.0, 0.5, 0.0, 2.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 4, 0);
  kit_link(&kit, cr__vec(4, 0, 2), cr__vec(9, 1, 2), 0.5, false);
  *first = kit_encode(&kit, &params);
  kit_begin(&kit, 1, 0, 0);
  kit_rectangle(&kit, 9, 0, 13, 4, 1);
  *second = kit_encode(&kit, &params);
  REQUIRE_OK(cr_navmesh_add_tile(mesh, first->data, first->size, NULL, NULL));
  REQUIRE_OK(cr_navmesh_add_tile(mesh, second->data, second->size, NULL, NULL));
  return mesh;
}

TEST(crossing_takes_its_time) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.off_mesh_speed = 4.0;
  place(&stage, 1.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  CHECK(stage.follower->corridor.complete && stage.follower->corridor.count == 2);
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  CHECK(cr__same_point(stage.follower->position, cr__vec(4, 0, 2)) && is_still(stage.follower));
  CHECK(stage.follower->corridor.count == 2);
  double duration = cr__sqrt(17.0) / 4.0;
  CHECK(stage.follower->off_mesh_duration == duration);
  int steps = 0;
  while (stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && steps < 100) {
    step(&stage);
    steps++;
    if (stage.follower->state != CR_FOLLOWER_OFF_MESH_LINK) break;
    CrVec3 expected = cr__lerp(cr__vec(4, 0, 2), cr__vec(8, 1, 2), steps * DT / duration);
    CHECK(cr__same_point(stage.follower->position, expected));
    CHECK_NEAR(stage.follower->velocity.x, 4.0 / duration, 1e-9);
    CHECK_NEAR(stage.follower->velocity.y, 1.0 / duration, 1e-9);
  }
  CHECK_INT(steps, (int)cr__ceil(duration / DT));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  CHECK_INT(stage.follower->corridor.count, 1);
  check_sound(&stage.follower->corridor, stage.context);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(stage.follower->reached_target);
  // One-way: there is no way back.
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(!stage.follower->reached_target && cr__dist_xz(stage.follower->position, cr__vec(8, 1, 2)) <= 0.01);
  close_stage(&stage);
}

TEST(crossing_ends_with_the_step_that_fills_its_time) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.off_mesh_speed = cr__sqrt(17.0);
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  CHECK(stage.follower->off_mesh_duration == 1.0);
  CHECK_INT(steps_until(&stage, CR_FOLLOWER_MOVING, 100), 16);
  close_stage(&stage);
}

// A step that begins within the trigger radius of the entry begins the crossing and does nothing else.
TEST(crossing_begins_within_the_trigger_radius) {
  static const double radii[] = {0.0, 0.05, 0.5, 1.5};
  for (size_t k = 0; k < CR_COUNT_OF(radii); k++) {
    check_seed = k;
    Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
    stage.options.off_mesh_trigger_radius = radii[k];
    place(&stage, 1.0, 2.0);
    go_up(&stage, 11.0, 1.0, 2.0);
    for (int steps = 0; stage.follower->state == CR_FOLLOWER_MOVING && steps < 200; steps++) {
      CrVec3 before = stage.follower->position;
      step(&stage);
      bool crosses = stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK;
      CHECK(crosses == (4.0 - before.x <= radii[k]));
      if (!crosses) CHECK(stage.follower->position.x > before.x);
    }
    CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && is_still(stage.follower));
    CHECK(cr__same_point(stage.follower->position, cr__vec(4, 0, 2)));
    CHECK(cr__same_point(stage.follower->corridor.position, cr__vec(4, 0, 2)));
    CHECK(stage.follower->corridor.path[0] == polygon_at(stage.context, 2, 2));
    CHECK(stage.follower->off_mesh_exit == find_polygon(stage.context, cr__vec(10, 1, 2)).ref);
    CHECK(cr__same_point(stage.follower->off_mesh_start, cr__vec(4, 0, 2)));
    CHECK(cr__same_point(stage.follower->off_mesh_end, cr__vec(8, 1, 2)));
    CHECK(stage.follower->off_mesh_elapsed == 0.0 && stage.follower->stuck_clock == 0.0);
    CHECK(stage.follower->remaining_distance == (double)__builtin_inf());
    close_stage(&stage);
  }
}

// The radius itself is within.
TEST(crossing_begins_at_the_trigger_radius) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.off_mesh_trigger_radius = 1.5;
  place(&stage, 2.5, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK &&
        cr__same_point(stage.follower->position, cr__vec(4, 0, 2)));
  close_stage(&stage);
}

// Where it stands is the entry: the first corner has both flags.
TEST(standing_on_the_entry_it_crosses_at_once) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && stage.follower->step_count == 1);
  close_stage(&stage);
}

// Entries are slowed down for like the end, and a step however long ends on one.
TEST(entries_are_stops) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.max_acceleration = 1e6;
  stage.options.off_mesh_trigger_radius = 0.0;
  place(&stage, 3.5, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  step(&stage);
  CHECK_NEAR(stage.follower->velocity.x, 3.5 * 0.5, 1e-12);
  CHECK_NEAR(stage.follower->remaining_distance, 0.5 + 4.0 + 3.0 - 1.75 * DT, 1e-12);
  stage.options.max_speed = 1e5;
  stage.options.slow_radius = 0.0;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(4, 0, 2)));
  CHECK(stage.follower->corridor.count == 2);
  step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  close_stage(&stage);
}

// The last step of a crossing goes as far as is left, and says so.
TEST(crossing_ends_with_the_velocity_of_its_last_step) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 10);
  CrVec3 before = stage.follower->position;
  while (stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK) {
    before = stage.follower->position;
    step(&stage);
    CHECK(stage.follower->remaining_distance == (double)__builtin_inf());
  }
  CrVec3 left = cr__sub(cr__vec(8, 1, 2), before);
  CHECK(cr__same_point(stage.follower->velocity, cr__vec(left.x / DT, left.y / DT, left.z / DT)));
  CHECK(stage.follower->velocity.x < 3.0);  // less than a step's way
  close_stage(&stage);
}

TEST(crossing_by_the_host) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, true));
  stage.options.off_mesh_mode = CR_OFF_MESH_HOST;
  stage.context = make_context(stage.mesh, CR_NODE_MODEL_CROSSING, 1024, NULL);
  stage.follower = make_follower(stage.context, &stage.options, cr__vec(11, 1, 2));
  CHECK_STATUS(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL), CR_STATUS_NOT_FOUND);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  for (int k = 0; k < 50; k++) step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK &&
        cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  CHECK(is_still(stage.follower));
  CHECK_OK(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING && cr__same_point(stage.follower->position, cr__vec(4, 0, 2)));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  CHECK(stage.follower->reached_target);
  close_stage(&stage);
}

TEST(destination_during_a_crossing_is_recorded) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, true));
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  step(&stage);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(1.0, 0.0, 1.0), NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && stage.follower->corridor.needs_replan);
  steps_until(&stage, CR_FOLLOWER_MOVING, 100);
  CHECK(cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 400);
  CHECK(stage.follower->reached_target && cr__dist_xz(stage.follower->position, cr__vec(1, 0, 1)) <= 0.01);
  close_stage(&stage);
}

TEST(stop_during_a_crossing_ends_at_the_exit) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, true));
  place(&stage, 3.0, 2.0);
  REQUIRE_OK(cr_follower_set_destination(stage.follower, stage.context, cr__vec(11.0, 1.0, 2.0), NULL));
  steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
  step(&stage);
  cr_follower_stop(stage.follower);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  steps_until(&stage, CR_FOLLOWER_ARRIVED, 100);
  CHECK(cr__same_point(stage.follower->position, cr__vec(8, 1, 2)) && is_still(stage.follower));
  close_stage(&stage);
}

// A host that leaves an agent waiting can hand the crossing to the clock.
TEST(a_waiting_crossing_goes_on_by_itself_when_told) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.off_mesh_mode = CR_OFF_MESH_HOST;
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  for (int k = 0; k < 40; k++) step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && stage.follower->off_mesh_elapsed == 0.0);
  stage.options.off_mesh_mode = CR_OFF_MESH_AUTOMATIC;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  CHECK_INT(steps_until(&stage, CR_FOLLOWER_MOVING, 100), (int)cr__ceil(cr__sqrt(17.0) / 3.5 / DT));
  close_stage(&stage);
}

// And the other way round: the agent stops where it is, in mid-air.
TEST(a_crossing_under_way_waits_when_told) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  for (int k = 0; k < 6; k++) step(&stage);
  CHECK(stage.follower->velocity.x > 3.0);
  stage.options.off_mesh_mode = CR_OFF_MESH_HOST;
  CHECK_OK(cr_follower_set_options(stage.follower, &stage.options, NULL));
  CrVec3 at = stage.follower->position;
  step(&stage);
  CHECK(is_still(stage.follower) && cr__same_point(stage.follower->position, at));
  CHECK_OK(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL));
  CHECK(cr__same_point(stage.follower->position, cr__vec(8, 1, 2)));
  CHECK(cr__same_point(stage.follower->stuck_anchor, cr__vec(8, 1, 2)));
  close_stage(&stage);
}

// Every crossing has a clock of its own.
TEST(a_second_crossing_takes_as_long) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, true));
  place(&stage, 4.0, 2.0);
  int expected = (int)cr__ceil(cr__sqrt(17.0) / 3.5 / DT);
  for (int k = 0; k < 4; k++) {
    go_up(&stage, k % 2 ? 1.0 : 11.0, k % 2 ? 0.0 : 1.0, 2.0);
    steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
    CHECK(stage.follower->off_mesh_elapsed == 0.0);
    CHECK_INT(steps_until(&stage, CR_FOLLOWER_MOVING, 100), expected);
    steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
  }
  close_stage(&stage);
}

// The slowest speed there is would take for ever: the clock stays a number that a state can hold.
TEST(the_longest_crossing_is_finite) {
  static StateBytes state;
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  stage.options.off_mesh_speed = 4.9e-324;
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  for (int k = 0; k < 10; k++) step(&stage);
  CHECK(stage.follower->off_mesh_duration == 1e15);
  take_state(stage.follower, &state);
  CHECK_OK(cr_follower_restore(stage.follower, state.data, state.size, NULL));
  close_stage(&stage);
}

TEST(placing_ends_a_crossing) {
  Stage stage = stage_on(kit_platforms(1.0, 12.0, false));
  place(&stage, 4.0, 2.0);
  go_up(&stage, 11.0, 1.0, 2.0);
  for (int k = 0; k < 4; k++) step(&stage);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && stage.follower->off_mesh_elapsed > 0.0);
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(1, 0, 1), NULL));
  CHECK(stage.follower->state == CR_FOLLOWER_IDLE && cr__same_point(stage.follower->position, cr__vec(1, 0, 1)));
  CHECK(cr__same_point(stage.follower->off_mesh_start, cr__vec(0, 0, 0)) && stage.follower->off_mesh_exit == 0);
  CHECK(cr__same_point(stage.follower->off_mesh_end, cr__vec(0, 0, 0)));
  CHECK(stage.follower->off_mesh_elapsed == 0.0 && stage.follower->off_mesh_duration == 0.0);
  close_stage(&stage);
}

// The ground at either end changes while the agent is in mid-air.
TEST(edits_during_a_crossing) {
  enum { ENTRY_REMOVED, EXIT_REPLACED, EXIT_CLOSED, EXIT_REMOVED, CASES };
  for (int edit = 0; edit < CASES; edit++) {
    check_seed = (uint64_t)edit;
    CrBytes first, second;
    CrQueryFilter filter = cr_query_filter_default();
    Stage stage = stage_on(platforms_on_tiles(&first, &second));
    stage.context = make_context(stage.mesh, CR_NODE_MODEL_POLYGON, 1024, &filter);
    stage.follower = make_follower(stage.context, &stage.options, cr__vec(3, 0, 2));
    go_up(&stage, 12.0, 1.0, 3.0);
    steps_until(&stage, CR_FOLLOWER_OFF_MESH_LINK, 200);
    step(&stage);
    CrPolyRef landing = stage.follower->off_mesh_exit;
    if (edit == ENTRY_REMOVED) REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 0, 0, 0, NULL));
    if (edit == EXIT_REPLACED) REQUIRE_OK(cr_navmesh_replace_tile(stage.mesh, second.data, second.size, NULL, NULL));
    if (edit == EXIT_CLOSED) REQUIRE_OK(cr_navmesh_set_flags(stage.mesh, landing, 0, NULL));
    if (edit == EXIT_REMOVED) REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
    int steps = 0;
    for (; stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK && steps < 200; steps++) step(&stage);
    CHECK(steps > 10);
    if (edit == EXIT_REMOVED) {
      CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH && is_still(stage.follower));  // nothing near the exit
      CHECK(stage.follower->corridor.count == 1 && stage.follower->corridor.path[0] == landing);
      CHECK(stage.follower->corridor.needs_replan && stage.follower->corridor.replan_from_start);
      CHECK(!stage.follower->corridor.complete && cr__same_point(stage.follower->position, cr__vec(9, 1, 2)));
    } else {
      CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
      CHECK(cr__same_point(stage.follower->position, cr__vec(9, 1, 2)));
      CHECK(cr__same_point(stage.follower->stuck_anchor, cr__vec(9, 1, 2)) && stage.follower->stuck_clock == 0.0);
      CHECK((stage.follower->corridor.path[0] == landing) == (edit != EXIT_REPLACED));
      CHECK(stage.follower->corridor.needs_replan == (edit == EXIT_REPLACED));
    }
    if (edit == EXIT_CLOSED) {  // stood on, but not accepted: the next step finds nothing else near
      step(&stage);
      CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH);
    } else if (edit != EXIT_REMOVED) {
      steps_until(&stage, CR_FOLLOWER_ARRIVED, 200);
      CHECK(stage.follower->reached_target);
    }
    cr_bytes_free(&first);
    cr_bytes_free(&second);
    close_stage(&stage);
  }
}

// A link whose ends are the same place: there is nothing to cross, the agent walks on behind it.
TEST(a_link_without_length_is_walked_over) {
  static TileKit kit;
  CrNavMeshParams params = {0.0, 0.0, 16.0, 0.0, 0.0, 2.0};
  CrNavMesh *mesh;
  REQUIRE_OK(cr_navmesh_create(&params, NULL, &mesh, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 0, 0, 4, 4, 0);
  kit_rectangle(&kit, 4, 1, 8, 3, 1e-9);
  kit_link(&kit, cr__vec(4, 0, 2), cr__vec(4, 1e-9, 2), 0.5, false);
  kit_add(&kit, mesh);
  Stage stage = stage_on(mesh);
  place(&stage, 1.0, 2.0);
  go(&stage, 7.0, 2.0);
  CHECK(stage.follower->corridor.complete && stage.follower->corridor.count == 2);
  CrPolyRef behind = stage.follower->corridor.path[1];
  for (int k = 0; stage.follower->state == CR_FOLLOWER_MOVING && k < 200; k++) {
    double before = stage.follower->position.x;
    step(&stage);
    CHECK(stage.follower->state != CR_FOLLOWER_OFF_MESH_LINK);
    if (before < 4.0 && stage.follower->corridor.path[0] == behind) CHECK(is_still(stage.follower));
  }
  CHECK(stage.follower->state == CR_FOLLOWER_ARRIVED && stage.follower->reached_target);
  close_stage(&stage);
}

TEST_MAIN(RUN(crossing_takes_its_time), RUN(crossing_ends_with_the_step_that_fills_its_time),
          RUN(crossing_begins_within_the_trigger_radius), RUN(crossing_begins_at_the_trigger_radius),
          RUN(standing_on_the_entry_it_crosses_at_once), RUN(entries_are_stops),
          RUN(crossing_ends_with_the_velocity_of_its_last_step), RUN(crossing_by_the_host),
          RUN(destination_during_a_crossing_is_recorded), RUN(stop_during_a_crossing_ends_at_the_exit),
          RUN(a_waiting_crossing_goes_on_by_itself_when_told), RUN(placing_ends_a_crossing),
          RUN(edits_during_a_crossing), RUN(a_link_without_length_is_walked_over),
          RUN(a_crossing_under_way_waits_when_told), RUN(a_second_crossing_takes_as_long),
          RUN(the_longest_crossing_is_finite))
