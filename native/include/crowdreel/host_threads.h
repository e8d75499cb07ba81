// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// For builds with CR_HOST_THREADS: threads the engine does not make but borrows, for the time of a call, from the program
// it is part of. That program defines both functions.
#ifndef CROWDREEL_HOST_THREADS_H
#define CROWDREEL_HOST_THREADS_H

#ifdef CR_HOST_THREADS

#include "crowdreel/base.h"

// The calling thread and those there are to borrow: 1 to CR_CROWD_MAX_THREADS.
int32_t cr_host_threads_count(void);
// Calls task(job, k) for every k from 0 to tasks - 1, 0 on the calling thread, and returns when all have ended. With fewer
// threads than tasks a thread does several. All that was written before the call is seen by the tasks, and what they wrote by the
// caller when it returns.
void cr_host_threads_run(int32_t tasks, void (*task)(void *job, int32_t index), void *job);

#endif
#endif
