// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What a host hears of a follower: each kind of event, when it comes, how often, and that it goes with the next step.
#include "tile_kit.h"
#include "walkers.h"

#define DT 0.0625

typedef struct Stage {
  CrNavMesh *mesh;
  CrPathContext *context;
  CrFollower *follower;
} Stage;

static Stage open_stage(CrNavMesh *mesh, const CrFollowerOptions *options, CrVec3 at) {
  CrFollowerOptions humanoid = cr_follower_options_humanoid();
  Stage stage = {.mesh = mesh, .context = make_context(mesh, CR_NODE_MODEL_POLYGON, 1024, NULL)};
  stage.follower = make_follower(stage.context, options ? options : &humanoid, at);
  return stage;
}

static void close_stage(Stage *stage) {
  cr_follower_destroy(stage->follower);
  cr_path_context_destroy(stage->context);
  cr_navmesh_destroy(stage->mesh);
}

static void go(Stage *stage, double x, double y, double z) {
  REQUIRE_OK(cr_follower_set_destination(stage->follower, stage->context, cr__vec(x, y, z), NULL));
}

static void step(Stage *stage) { REQUIRE_OK(cr_follower_step(stage->follower, stage->context, DT, NULL)); }

// The kinds of the last step as bits; their order and number are checked.
static unsigned kinds(const Stage *stage) {
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  int32_t count = cr_follower_events(stage->follower, events);
  unsigned found = 0;
  for (int32_t i = 0; i < count; i++) {
    CHECK(i == 0 || events[i - 1].kind < events[i].kind);
    CHECK(events[i].kind == CR_EVENT_ARRIVED || !events[i].reached_target);
    CHECK((events[i].kind == CR_EVENT_REPLANNED) == (events[i].outcome != 0));
    found |= 1u << events[i].kind;
  }
  return found;
}

static CrFollowerEvent event_of(const Stage *stage, CrFollowerEventKind kind) {
  CrFollowerEvent events[CR_FOLLOWER_MAX_EVENTS];
  int32_t count = cr_follower_events(stage->follower, events);
  for (int32_t i = 0; i < count; i++) {
    if (events[i].kind == kind) return events[i];
  }
  CHECK(!"there is no such event");
  return (CrFollowerEvent){0};
}

// Steps until one with an event, and what it was; 0 when none comes.
static unsigned next_event(Stage *stage, int most) {
  for (int k = 0; k < most; k++) {
    step(stage);
    if (kinds(stage)) return kinds(stage);
  }
  return 0;
}

#define BIT(kind) (1u << CR_EVENT_##kind)

TEST(a_way_begins_with_its_search_and_ends_with_one_arrival) {
  Stage stage = open_stage(world_from_map("..........\n", 1.0, 0, NULL), NULL, cr__vec(0.5, 0, 0.5));
  CHECK_INT(kinds(&stage), 0);
  go(&stage, 5.5, 0, 0.5);
  CHECK_INT(kinds(&stage), 0);  // told after the next step
  step(&stage);
  CHECK_INT(kinds(&stage), BIT(REPLANNED));
  CHECK_INT(event_of(&stage, CR_EVENT_REPLANNED).outcome, CR_REPLAN_SUCCESS);
  CHECK_INT(next_event(&stage, 200), BIT(ARRIVED));
  CHECK(event_of(&stage, CR_EVENT_ARRIVED).reached_target && stage.follower->state == CR_FOLLOWER_ARRIVED);
  CHECK_INT(next_event(&stage, 100), 0);
  close_stage(&stage);
}

TEST(an_end_out_of_reach_is_arrived_at_once_without_reaching_it) {
  Stage stage = open_stage(world_from_map("....#....\n", 1.0, 0, NULL), NULL, cr__vec(0.5, 0, 0.5));
  go(&stage, 8.5, 0, 0.5);
  step(&stage);
  CHECK_INT(event_of(&stage, CR_EVENT_REPLANNED).outcome, CR_REPLAN_PARTIAL);
  CHECK_INT(next_event(&stage, 200), BIT(ARRIVED));
  CHECK(!event_of(&stage, CR_EVENT_ARRIVED).reached_target);
  CHECK(cr__same_point(stage.follower->velocity, cr__vec(0, 0, 0)));
  CHECK_INT(next_event(&stage, 100), 0);
  close_stage(&stage);
}

TEST(no_way_is_told_once) {
  Stage stage = open_stage(world_from_map("....\n", 1.0, 0, NULL), NULL, cr__vec(0.5, 0, 0.5));
  go(&stage, 100.0, 0, 100.0);
  CHECK_INT(next_event(&stage, 1), BIT(NO_PATH));
  CHECK_INT(next_event(&stage, 50), 0);
  CHECK(stage.follower->state == CR_FOLLOWER_NO_PATH);
  close_stage(&stage);
}

TEST(who_is_stuck_says_so_once) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.max_acceleration = 1e-6;
  Stage stage = open_stage(world_from_map("..........\n", 1.0, 0, NULL), &options, cr__vec(0.5, 0, 0.5));
  go(&stage, 9.5, 0, 0.5);
  int searches = 0;
  unsigned found = 0;
  for (int k = 0; k < 200 && !(found & BIT(STUCK)); k++) {
    found = next_event(&stage, 50);
    searches += (found & BIT(REPLANNED)) != 0;
  }
  CHECK_INT(found, BIT(STUCK));
  CHECK_INT(searches, 3);  // the first one and two recoveries
  CHECK_INT(next_event(&stage, 50), 0);
  close_stage(&stage);
}

// The tile ahead goes: the path changes, and with nothing left near the end there is no way.
TEST(edits_that_break_the_way_are_told) {
  static const int32_t look_aheads[] = {8, 2};  // seen by the mesh check, or only when the corners are looked for
  CrFollowerOptions options = cr_follower_options_humanoid();
  for (int i = 0; i < 2; i++) {
    options.validate_look_ahead = look_aheads[i];
    Stage stage = open_stage(world_from_map("..........\n", 1.0, 5, NULL), &options, cr__vec(0.5, 0, 0.5));
    go(&stage, 9.5, 0, 0.5);
    step(&stage);
    step(&stage);
    CHECK_INT(kinds(&stage), 0);
    REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 1, 0, 0, NULL));
    step(&stage);
    CHECK(kinds(&stage) & BIT(PATH_CHANGED));
    unsigned found = kinds(&stage);
    if (!(found & BIT(NO_PATH))) found = next_event(&stage, 2);
    CHECK(found & BIT(NO_PATH));
    CHECK_INT(next_event(&stage, 50), 0);
    close_stage(&stage);
  }
}

// An edit that leaves the way as it is says nothing.
TEST(edits_elsewhere_are_not_told) {
  Stage stage = open_stage(world_from_map("..........\n", 1.0, 2, NULL), NULL, cr__vec(0.5, 0, 0.5));
  go(&stage, 3.5, 0, 0.5);
  step(&stage);
  REQUIRE_OK(cr_navmesh_remove_tile(stage.mesh, 4, 0, 0, NULL));
  step(&stage);
  CHECK_INT(kinds(&stage), 0);
  close_stage(&stage);
}

TEST(links_are_entered_and_left) {
  Stage stage = open_stage(kit_platforms(1.0, 12.0, true), NULL, cr__vec(1, 0, 2));
  go(&stage, 11, 1, 2);
  step(&stage);
  CHECK_INT(next_event(&stage, 200), BIT(LINK_ENTERED));
  CHECK_INT(event_of(&stage, CR_EVENT_LINK_ENTERED).link_user_id, 7);
  CHECK(stage.follower->state == CR_FOLLOWER_OFF_MESH_LINK);
  CHECK_INT(next_event(&stage, 200), BIT(LINK_LEFT));
  CHECK(stage.follower->state == CR_FOLLOWER_MOVING);
  CHECK_INT(next_event(&stage, 200), BIT(ARRIVED));
  close_stage(&stage);
}

// By the host: the end of the crossing comes between two steps, and is told after the next.
TEST(a_crossing_the_host_ends_is_told_with_the_next_step) {
  CrFollowerOptions options = cr_follower_options_humanoid();
  options.off_mesh_mode = CR_OFF_MESH_HOST;
  Stage stage = open_stage(kit_platforms(1.0, 12.0, true), &options, cr__vec(3.9, 0, 2));
  go(&stage, 11, 1, 2);
  for (int k = 0; k < 50; k++) step(&stage);
  CHECK_OK(cr_follower_complete_off_mesh(stage.follower, stage.context, NULL));
  CHECK_INT(kinds(&stage), 0);
  CHECK_INT(next_event(&stage, 1), BIT(LINK_LEFT));
  close_stage(&stage);
}

TEST(an_exit_that_is_gone_changes_the_path) {
  static TileKit kit;
  CrNavMesh *mesh = kit_platforms(1.0, 12.0, true);
  Stage stage = open_stage(mesh, NULL, cr__vec(1, 0, 2));
  go(&stage, 11, 1, 2);
  while (stage.follower->state != CR_FOLLOWER_OFF_MESH_LINK) step(&stage);
  REQUIRE_OK(cr_navmesh_remove_tile(mesh, 0, 0, 0, NULL));
  kit_begin(&kit, 0, 0, 0);
  kit_rectangle(&kit, 8, 0, 12, 4, 1);
  kit_add(&kit, mesh);
  CHECK_INT(next_event(&stage, 200), BIT(LINK_LEFT) | BIT(PATH_CHANGED));
  close_stage(&stage);
}

TEST(placing_forgets_and_states_do_not_hold_events) {
  static uint8_t bytes[4096];
  Stage stage = open_stage(world_from_map("..........\n", 1.0, 0, NULL), NULL, cr__vec(0.5, 0, 0.5));
  go(&stage, 5.5, 0, 0.5);
  size_t size = cr_follower_state_size(stage.follower);
  REQUIRE_OK(cr_follower_save(stage.follower, bytes, sizeof bytes, NULL));
  step(&stage);
  CHECK_INT(kinds(&stage), BIT(REPLANNED));
  REQUIRE_OK(cr_follower_restore(stage.follower, bytes, size, NULL));
  CHECK_INT(kinds(&stage), 0);
  step(&stage);
  CHECK_INT(kinds(&stage), 0);
  go(&stage, 7.5, 0, 0.5);
  REQUIRE_OK(cr_follower_place(stage.follower, stage.context, cr__vec(2, 0, 0.5), NULL));
  step(&stage);
  CHECK_INT(kinds(&stage), 0);
  close_stage(&stage);
}

TEST_MAIN(RUN(a_way_begins_with_its_search_and_ends_with_one_arrival),
          RUN(an_end_out_of_reach_is_arrived_at_once_without_reaching_it), RUN(no_way_is_told_once),
          RUN(who_is_stuck_says_so_once), RUN(edits_that_break_the_way_are_told), RUN(edits_elsewhere_are_not_told),
          RUN(links_are_entered_and_left), RUN(a_crossing_the_host_ends_is_told_with_the_next_step),
          RUN(an_exit_that_is_gone_changes_the_path), RUN(placing_forgets_and_states_do_not_hold_events))
