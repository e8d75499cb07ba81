// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
#ifndef CROWDREEL_CROWDREEL_H
#define CROWDREEL_CROWDREEL_H

#include "crowdreel/base.h"
#include "crowdreel/build.h"
#include "crowdreel/build_stages.h"
#include "crowdreel/build_views.h"
#include "crowdreel/crowd.h"
#include "crowdreel/crowd_debug.h"
#include "crowdreel/navmesh.h"
#include "crowdreel/path.h"
#include "crowdreel/query.h"
#include "crowdreel/replay.h"
#include "crowdreel/tile_cache.h"
#include "crowdreel/tile_cache_maker.h"
#include "crowdreel/world.h"

#endif
