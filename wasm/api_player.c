// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Playing replays. A player's crowd and mesh are read through the player's own handle (see the views).
#include "abi.h"

static CrPlayer *player_of(int32_t handle) { return crw__handle_get(handle, CRW_KIND_PLAYER); }

static int32_t stale(void) { return crw__fail(CR_STATUS_STALE_HANDLE, "player"); }

CRW_EXPORT int32_t crw_player_create(int32_t replay_handle, const double *options_cells) {
  CrReplay *replay = crw__handle_get(replay_handle, CRW_KIND_REPLAY);
  if (!replay) return crw__fail(CR_STATUS_STALE_HANDLE, "replay");
  int32_t failed = crw__handle_reserve();
  if (failed) return failed;
  CrPlayerOptions options, *it = &options;
  const double *at = options_cells;
  CRW_RECORD_PLAYER_OPTIONS(CRW_TAKE_FIELD)
  CrPlayer *player;
  CrStatus status = cr_player_create(replay, &options, NULL, &player, crw__error());
  return status ? crw__done(status) : crw__handle_add(CRW_KIND_PLAYER, player, replay_handle);
}

typedef struct PlayerInfo {
  int32_t position, first_mismatch, checked_steps, keyframe_count;
  size_t keyframe_bytes;
} PlayerInfo;

// Record: PLAYER_INFO.
CRW_EXPORT int32_t crw_player_info(int32_t handle) {
  CrPlayer *player = player_of(handle);
  if (!player) return stale();
  PlayerInfo info = {cr_player_position(player), cr_player_first_mismatch(player), cr_player_checked_steps(player),
                     cr_player_keyframe_count(player), cr_player_keyframe_bytes(player)};
  const PlayerInfo *it = &info;
  double *at = crw__record();
  CRW_RECORD_PLAYER_INFO(CRW_PUT_FIELD)
  return 0;
}

// 1 after a step, 0 at the end of the replay.
CRW_EXPORT int32_t crw_player_step(int32_t handle) {
  CrPlayer *player = player_of(handle);
  if (!player) return stale();
  CrStatus status = cr_player_step(player, crw__error());
  if (status == CR_STATUS_NOT_FOUND) return 0;
  return status ? crw__done(status) : 1;
}

CRW_EXPORT int32_t crw_player_seek(int32_t handle, int32_t position) {
  CrPlayer *player = player_of(handle);
  return player ? crw__done(cr_player_seek(player, position, crw__error())) : stale();
}

// 1 when the player stands at `position`, 0 when more slices are needed.
CRW_EXPORT int32_t crw_player_seek_slice(int32_t handle, int32_t position, int32_t max_steps) {
  CrPlayer *player = player_of(handle);
  if (!player) return stale();
  bool done = false;
  CrStatus status = cr_player_seek_slice(player, position, max_steps, &done, crw__error());
  return status ? crw__done(status) : done;
}

// Bulk result: the keyframes' positions as i32, ascending. Returns their number.
CRW_EXPORT int32_t crw_player_keyframes(int32_t handle) {
  CrPlayer *player = player_of(handle);
  if (!player) return stale();
  int32_t count = cr_player_keyframe_count(player);
  int32_t *positions = crw__result((size_t)count * sizeof *positions);
  if (!positions) return crw__fail(CR_STATUS_OUT_OF_MEMORY, NULL);
  return cr_player_keyframes(player, positions, count);
}
