// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the host asks first: interface version, record layouts, default values, status texts. And the readers and
// writers of records that several modules share.
#include "abi.h"

const double *crw__take_filter(const double *at, CrQueryFilter *it) {
  CRW_RECORD_QUERY_FILTER(CRW_TAKE_FIELD)
  return at;
}

const double *crw__take_crowd_options(const double *at, CrCrowdOptions *it) {
  CRW_RECORD_CROWD_OPTIONS(CRW_TAKE_FIELD)
  it->filter = NULL;
  return at;
}

const double *crw__take_query_options(const double *at, CrQueryOptions *it) {
  CRW_RECORD_QUERY_OPTIONS(CRW_TAKE_FIELD)
  return at;
}

const double *crw__take_follower_options(const double *at, CrFollowerOptions *it) {
  CRW_RECORD_FOLLOWER_OPTIONS(CRW_TAKE_FIELD)
  return at;
}

const double *crw__take_agent_options(const double *at, CrAgentOptions *it) {
  CRW_RECORD_AGENT_OPTIONS(CRW_TAKE_FIELD)
  return crw__take_follower_options(at, &it->path);
}

double *crw__put_crowd_options(double *at, const CrCrowdOptions *it) {
  CRW_RECORD_CROWD_OPTIONS(CRW_PUT_FIELD)
  return at;
}

double *crw__put_query_options(double *at, const CrQueryOptions *it) {
  CRW_RECORD_QUERY_OPTIONS(CRW_PUT_FIELD)
  return at;
}

double *crw__put_follower_options(double *at, const CrFollowerOptions *it) {
  CRW_RECORD_FOLLOWER_OPTIONS(CRW_PUT_FIELD)
  return at;
}

double *crw__put_agent_options(double *at, const CrAgentOptions *it) {
  CRW_RECORD_AGENT_OPTIONS(CRW_PUT_FIELD)
  return crw__put_follower_options(at, &it->path);
}

double *crw__put_follower_info(double *at, const CrFollowerInfo *it) {
  CRW_RECORD_FOLLOWER_INFO(CRW_PUT_FIELD)
  return at;
}

double *crw__put_event(double *at, const CrFollowerEvent *it) {
  CRW_RECORD_FOLLOWER_EVENT(CRW_PUT_FIELD)
  return at;
}

double *crw__put_nearest(double *at, const CrNearestPoly *it) {
  CRW_RECORD_NEAREST_POLY(CRW_PUT_FIELD)
  return at;
}

static double *put_corner(double *at, const CrCorner *it) {
  CRW_RECORD_CORNER(CRW_PUT_FIELD)
  return at;
}

double *crw__put_corners(double *at, const CrCorner *corners, int32_t count) {
  for (int32_t i = 0; i < count; i++) at = put_corner(at, &corners[i]);
  return at;
}

double *crw__put_wall(double *at, const CrWallPiece *it) {
  CRW_RECORD_WALL_PIECE(CRW_PUT_FIELD)
  return at;
}

double *crw__put_path(double *at, const CrPathResult *it) {
  CRW_RECORD_PATH_RESULT(CRW_PUT_FIELD)
  return at;
}

const double *crw__take_settings(const double *at, CrBuildSettings *it) {
  CRW_RECORD_BUILD_SETTINGS(CRW_TAKE_FIELD)
  return at;
}

double *crw__put_settings(double *at, const CrBuildSettings *it) {
  CRW_RECORD_BUILD_SETTINGS(CRW_PUT_FIELD)
  return at;
}

double *crw__put_report(double *at, const CrBuildReport *it) {
  CRW_RECORD_BUILD_REPORT(CRW_PUT_FIELD)
  return at;
}

const double *crw__take_params(const double *at, CrNavMeshParams *it) {
  CRW_RECORD_NAVMESH_PARAMS(CRW_TAKE_FIELD)
  return at;
}

double *crw__put_params(double *at, const CrNavMeshParams *it) {
  CRW_RECORD_NAVMESH_PARAMS(CRW_PUT_FIELD)
  return at;
}

const double *crw__take_volume(const double *at, CrVolume *it) {
  CRW_RECORD_VOLUME(CRW_TAKE_FIELD)
  return at;
}

double *crw__put_volume(double *at, const CrVolume *it) {
  CRW_RECORD_VOLUME(CRW_PUT_FIELD)
  return at;
}

double *crw__put_link(double *at, const CrOffMeshLink *it) {
  CRW_RECORD_OFF_MESH_LINK(CRW_PUT_FIELD)
  return at;
}

void crw__take_links(uint32_t address, uint32_t count, CrOffMeshLink *out) {
  const double *at = crw__pointer(address);
  for (CrOffMeshLink *it = out; it < out + count; it++) {
    CRW_RECORD_OFF_MESH_LINK(CRW_TAKE_FIELD)
  }
}

CRW_EXPORT int32_t crw_abi_version(void) { return CRW_ABI_VERSION; }

// Address of the engine's version, a zero-terminated string.
CRW_EXPORT int32_t crw_version(void) { return (int32_t)(uintptr_t)CR_VERSION; }

// Address of a record's layout as text: "KIND name," for each field. CR_STATUS_ARGUMENT past the last record.
CRW_EXPORT int32_t crw_layout(int32_t record) {
#define FIELD_TEXT(kind, name) #kind " " #name ","
#define RECORD_TEXT(record, number) [number] = CRW_RECORD_##record(FIELD_TEXT),
  static const char *const layouts[CRW_RECORD_COUNT] = {CRW_RECORDS(RECORD_TEXT)};
  if (record < 0 || record >= CRW_RECORD_COUNT) return crw__fail(CR_STATUS_ARGUMENT, "record");
  return (int32_t)(uintptr_t)layouts[record];
}

// Address of a status's text, a zero-terminated string.
CRW_EXPORT int32_t crw_status_text(int32_t status) { return (int32_t)(uintptr_t)cr_status_text((CrStatus)status); }

static void put_build_settings(double *at, CrBuildSettings settings) { crw__put_settings(at, &settings); }

static void put_query_options(double *at, CrQueryOptions options) { crw__put_query_options(at, &options); }

static void put_query_filter(double *at, CrQueryFilter filter) {
  const CrQueryFilter *it = &filter;
  CRW_RECORD_QUERY_FILTER(CRW_PUT_FIELD)
}

static void put_player_options(double *at, CrPlayerOptions options) {
  const CrPlayerOptions *it = &options;
  CRW_RECORD_PLAYER_OPTIONS(CRW_PUT_FIELD)
}

static void put_agent_defaults(double *at, CrAgentOptions options) {
  options.path = cr_agent_follower_options(&options);
  crw__put_agent_options(at, &options);
}

static void put_follower_options(double *at, CrFollowerOptions options) { crw__put_follower_options(at, &options); }

static void put_crowd_options(double *at, CrCrowdOptions options) { crw__put_crowd_options(at, &options); }

// Writes the default values of a set of options to the record block: 0 build settings, 1 query options, 2 query filter,
// 3 crowd options, 4 player options, 5 to 7 agent options (humanoid, small, large) with the follower options such an
// agent walks with as their path, 8 and 9 follower options (humanoid, small). CR_STATUS_ARGUMENT otherwise.
CRW_EXPORT int32_t crw_defaults(int32_t which) {
  double *at = crw__record();
  switch (which) {
    case 0:
      put_build_settings(at, cr_build_settings_default());
      return 0;
    case 1:
      put_query_options(at, cr_query_options_default());
      return 0;
    case 2:
      put_query_filter(at, cr_query_filter_default());
      return 0;
    case 3:
      put_crowd_options(at, cr_crowd_options_default());
      return 0;
    case 4:
      put_player_options(at, cr_player_options_default());
      return 0;
    case 5:
      put_agent_defaults(at, cr_agent_options_humanoid());
      return 0;
    case 6:
      put_agent_defaults(at, cr_agent_options_small());
      return 0;
    case 7:
      put_agent_defaults(at, cr_agent_options_large());
      return 0;
    case 8:
      put_follower_options(at, cr_follower_options_humanoid());
      return 0;
    case 9:
      put_follower_options(at, cr_follower_options_small());
      return 0;
    default:
      return crw__fail(CR_STATUS_ARGUMENT, "which");
  }
}
