// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Ctrl-C. Signals are heard between the pieces of the work, so that it ends in order: nothing is half written.
import { setImmediate } from 'node:timers/promises';

/** The work was stopped before anything was written. */
export class Stopped extends Error {
  override name = 'Stopped';

  constructor() {
    super('Stopped; nothing was written.');
  }
}

const BREATH_MILLISECONDS = 50;

let stopped = false;
let breathed = 0;

/** From now on Ctrl-C makes `breathe` throw. */
export function listenForStop(): void {
  process.on('SIGINT', () => {
    stopped = true;
  });
}

/** Lets signals in when the last time is long ago. Throws `Stopped`. */
export async function breathe(): Promise<void> {
  if (performance.now() - breathed >= BREATH_MILLISECONDS) await lastBreath();
}

/** Lets signals in: to be called before the first file is written. Throws `Stopped`. */
export async function lastBreath(): Promise<void> {
  await setImmediate();
  breathed = performance.now();
  if (stopped) throw new Stopped();
}

/** Does work in pieces, letting signals in between them. */
export async function inPieces<T>(pieces: Generator<number, T>, onProgress?: (progress: number) => void): Promise<T> {
  try {
    for (;;) {
      const { done, value } = pieces.next();
      if (done) return value;
      onProgress?.(value);
      await breathe();
    }
  } finally {
    pieces.return(undefined as never);
  }
}
