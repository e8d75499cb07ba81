// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Events of a crowd: of every agent, in slot order, whatever the capacity, gone with the next step.
#include "crowd_runs.h"

#define DT (1.0 / 32.0)

static int32_t read_events(const CrCrowd *crowd, int32_t capacity, CrCrowdEvent *out) {
  int32_t count = cr_crowd_events(crowd, capacity, out);
  for (int32_t i = 1; i < count && i < capacity; i++) {
    bool rises =
        out[i - 1].slot < out[i].slot || (out[i - 1].slot == out[i].slot && out[i - 1].event.kind < out[i].event.kind);
    CHECK(rises);
  }
  return count;
}

static int32_t count_kind(const CrCrowdEvent *events, int32_t count, CrFollowerEventKind kind) {
  int32_t found = 0;
  for (int32_t i = 0; i < count; i++) found += events[i].event.kind == kind;
  return found;
}

TEST(every_agent_is_heard_once_in_slot_order) {
  static CrCrowdEvent events[512];
  CrNavMesh *mesh = open_world(40, 40, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t ids[50];
  int32_t arrived[50] = {0};
  for (int32_t i = 0; i < 50; i++) ids[i] = add_agent(crowd, cr__vec(2.0 + 1.5 * i, 0.0, 2.0), NULL);
  for (int32_t i = 49; i >= 0; i--) {
    REQUIRE_OK(cr_crowd_set_destination(crowd, ids[i], cr__vec(2.0 + 1.5 * i, 0.0, 10.0), NULL));
  }
  CHECK_INT(read_events(crowd, 512, events), 0);
  REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
  CHECK_INT(read_events(crowd, 512, events), 50);
  CHECK_INT(count_kind(events, 50, CR_EVENT_REPLANNED), 50);
  CHECK_INT(events[7].id, ids[7]);
  for (int32_t k = 0; k < 600; k++) {
    REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
    int32_t count = read_events(crowd, 512, events);
    for (int32_t i = 0; i < count; i++) {
      if (events[i].event.kind != CR_EVENT_ARRIVED) continue;
      CHECK(events[i].event.reached_target);
      arrived[events[i].slot]++;
      CrAgentInfo info;
      REQUIRE_OK(cr_crowd_agent(crowd, events[i].id, &info));
      CHECK(info.follower.state == CR_FOLLOWER_ARRIVED && info.slot == events[i].slot);
    }
  }
  int32_t most = 0;
  for (int32_t i = 0; i < 50; i++) {
    CHECK(arrived[i] >= 1);  // more than once when pushed off and gone back
    most = arrived[i] > most ? arrived[i] : most;
  }
  printf("  50 agents, each arrived, at most %d times\n", most);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_short_buffer_gets_the_first_and_the_number_of_all) {
  CrCrowdEvent all[16], some[16];
  CrNavMesh *mesh = open_world(20, 20, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  for (int32_t i = 0; i < 10; i++) {
    int64_t id = add_agent(crowd, cr__vec(2.0 + 1.5 * i, 0.0, 4.0), NULL);
    REQUIRE_OK(cr_crowd_set_destination(crowd, id, cr__vec(i % 2 ? 500.0 : 10.0, 0.0, 10.0), NULL));
  }
  REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
  CHECK_INT(read_events(crowd, 16, all), 10);
  CHECK_INT(count_kind(all, 10, CR_EVENT_NO_PATH), 5);
  memset(some, 0xEE, sizeof some);
  CHECK_INT(read_events(crowd, 3, some), 10);
  for (int32_t i = 0; i < 3; i++) CHECK(some[i].id == all[i].id && some[i].event.kind == all[i].event.kind);
  CHECK(some[3].slot == (int32_t)0xEEEEEEEE);
  CHECK_INT(cr_crowd_events(crowd, 0, NULL), 10);
  REQUIRE_OK(cr_crowd_remove(crowd, all[0].id, NULL));
  CHECK_INT(read_events(crowd, 16, some), 9);
  REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
  CHECK_INT(read_events(crowd, 16, some), 0);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST(a_restore_empties_the_list) {
  CrCrowdEvent events[4];
  CrNavMesh *mesh = open_world(20, 20, 4.0);
  CrCrowd *crowd = make_crowd(mesh, NULL);
  int64_t id = add_agent(crowd, cr__vec(2.0, 0.0, 4.0), NULL);
  size_t size = cr_crowd_state_size(crowd);
  uint8_t *bytes = malloc(size);
  REQUIRE(bytes != NULL);
  REQUIRE_OK(cr_crowd_save_state(crowd, bytes, size, NULL, NULL));
  REQUIRE_OK(cr_crowd_set_destination(crowd, id, cr__vec(9.0, 0.0, 9.0), NULL));
  REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
  CHECK_INT(read_events(crowd, 4, events), 1);
  REQUIRE_OK(cr_crowd_restore_state(crowd, bytes, size, NULL));
  CHECK_INT(read_events(crowd, 4, events), 0);
  REQUIRE_OK(cr_crowd_step(crowd, DT, NULL));
  CHECK_INT(read_events(crowd, 4, events), 0);
  free(bytes);
  cr_crowd_destroy(crowd);
  cr_navmesh_destroy(mesh);
}

TEST_MAIN(RUN(every_agent_is_heard_once_in_slot_order), RUN(a_short_buffer_gets_the_first_and_the_number_of_all),
          RUN(a_restore_empties_the_list))
