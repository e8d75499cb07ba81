// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Keeps the worker answering: long work is cut into slices, and messages are handled between two of them.

/** Finds how many steps fill about `goalMs`. */
export class SlicePacer {
  private steps = 8;

  constructor(private readonly goalMs: number) {}

  run<T>(work: (steps: number) => T): T {
    const start = performance.now();
    try {
      return work(this.steps);
    } finally {
      const spent = performance.now() - start;
      if (spent > this.goalMs * 1.5) this.steps = Math.max(1, this.steps >> 1);
      else if (spent < this.goalMs * 0.6) this.steps = Math.min(8192, this.steps * 2);
    }
  }
}

/** Calls `work` again and again, between messages, for as long as it returns true. */
export class BackgroundLoop {
  private readonly channel = new MessageChannel();
  private scheduled = false;

  constructor(work: () => boolean) {
    this.channel.port1.onmessage = () => {
      this.scheduled = false;
      if (work()) this.wake();
    };
  }

  wake(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.channel.port2.postMessage(null);
  }
}
