// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the replay module needs of crowds beyond the public calls.
#ifndef CR_CROWD_INTERNAL_H
#define CR_CROWD_INTERNAL_H

#include "core_internal.h"
#include "crowdreel/crowd.h"

// The "agent options" row, as crowd state and Add operations hold it. Reading validates as cr_crowd_add does and marks
// the reader failed at the offending field.
void cr__agent_options_write(const CrAgentOptions *options, CrWriter *writer);
void cr__agent_options_read(CrAgentOptions *options, CrReader *reader);

// Kind-1 state bytes through a writer.
void cr__crowd_write(const CrCrowd *crowd, CrWriter *writer);
// Restore whose errors report offsets from the reader's base on and are of the reader's format. The state must end where
// the reader's bytes end.
CrStatus cr__crowd_restore(CrCrowd *crowd, CrReader *reader);

// The agent of the lowest slot among those whose host sets their velocity, or -1.
int64_t cr__crowd_first_driven(const CrCrowd *crowd);

#endif
