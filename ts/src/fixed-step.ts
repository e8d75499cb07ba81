// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Turns the uneven time of frames into equal steps. Time that cannot be caught up is dropped, never owed: a page that was hidden,
// or steps that cost more than they are worth, make the run slower, not the frames longer and longer.
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import { checkMembers, finite, integer, optionsObject } from './values.js';

/** Options of a `FixedStep`. */
export interface FixedStepOptions {
  /** Seconds (not milliseconds) of every step, for example 1 / 60; above 0 and at most 3600. The same everywhere for the same results everywhere. */
  dt: number;
  /** Most steps in one call. 1 or more; default 8. */
  maxSteps?: number;
  /**
   * Seconds of computing after which no further step begins in a call: where a step costs more time than it is worth, fewer are done.
   * The first one due is always done. 0 or more, Infinity for no limit; default 0.025.
   */
  budget?: number;
  /** The clock that measures this computing, in seconds; default `performance.now() / 1000`. */
  clock?: () => number;
}

const members: Readonly<Record<keyof FixedStepOptions, true>> = { dt: true, maxSteps: true, budget: true, clock: true };
const MAX_DT = 3600;

/** The seconds of a step, as the engine takes them. */
export function stepSeconds(value: unknown, field: string): number {
  const dt = finite(value, field);
  if (dt > 0 && dt <= MAX_DT) return dt;
  const bound = dt > 0 ? `at most ${MAX_DT} seconds` : 'above 0';
  throw badArgument(field, `must be ${bound}, not ${dt}`, { limit: dt > 0 ? MAX_DT : null });
}

function budgetSeconds(value: unknown): number {
  if (typeof value !== 'number') throw badArgument('options.budget', `must be a number, not ${describe(value)}`);
  if (value >= 0) return value;
  throw badArgument('options.budget', `must be 0 or more, not ${value}`, { limit: 0 });
}

function clockOf(value: unknown): () => number {
  if (typeof value === 'function') return value as () => number;
  throw badArgument('options.clock', `must be a function, not ${describe(value)}`);
}

const wallClock = () => performance.now() / 1000;

/**
 * Calls a function once for every `dt` seconds that have passed, however uneven the frames are. Needs no engine: it drives crowds,
 * recorders, path followers and your own game alike.
 *
 * What is left over is `alpha`, the part of the next step that has already passed: draw that far between the last two steps (see
 * `CrowdInterpolation`).
 */
export class FixedStep {
  readonly #dt: number;
  readonly #maxSteps: number;
  readonly #budget: number;
  readonly #clock: () => number;
  /** Seconds that have passed but are no whole step yet: less than dt. */
  #rest = 0;
  /** The time of the last frame, ms. */
  #frame: number | null = null;
  #steps = 0;
  #dropped = 0;
  #droppedTotal = 0;

  /** Throws `ArgumentError`. */
  constructor(options: FixedStepOptions) {
    const given = optionsObject(options, 'options');
    checkMembers(given, members, 'options');
    const { dt, maxSteps = 8, budget = 0.025, clock = wallClock } = given;
    this.#dt = stepSeconds(dt, 'options.dt');
    this.#maxSteps = integer(maxSteps, 'options.maxSteps', 1);
    this.#budget = budgetSeconds(budget);
    this.#clock = clockOf(clock);
  }

  /** Seconds of every step. */
  get dt(): number {
    return this.#dt;
  }

  /** The part of the next step that has already passed, 0 to 1. */
  get alpha(): number {
    return this.#rest / this.#dt;
  }

  /** Steps done by the last call. */
  get steps(): number {
    return this.#steps;
  }

  /** Seconds the last call dropped: whole steps that were due but not done. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Seconds dropped so far. */
  get droppedTotal(): number {
    return this.#droppedTotal;
  }

  /**
   * Lets `seconds` of time pass, 0 or more: calls `step` for each step due, and returns how many were done. What `step` throws goes
   * through: that step counts as dropped, like those that were still due. Throws `ArgumentError`.
   */
  advance(seconds: number, step: (dt: number) => void): number {
    const passed = finite(seconds, 'seconds');
    if (passed < 0) throw badArgument('seconds', `must not be negative, but is ${passed}`, { limit: 0 });
    if (typeof step !== 'function') throw badArgument('step', `must be a function, not ${describe(step)}`);
    const owed = this.#rest + passed;
    this.#rest = owed % this.#dt;
    const due = Math.round((owed - this.#rest) / this.#dt);
    this.#steps = 0;
    try {
      this.#run(Math.min(due, this.#maxSteps), step);
    } finally {
      this.#dropped = (due - this.#steps) * this.#dt;
      this.#droppedTotal += this.#dropped;
    }
    return this.#steps;
  }

  /**
   * `advance` by the time since the last frame. `time` is in milliseconds, as `requestAnimationFrame` and `performance.now()` give it.
   * In the first frame, and in one whose time is before that of the last, no time has passed. Throws `ArgumentError`.
   */
  frame(time: number, step: (dt: number) => void): number {
    const now = finite(time, 'time');
    const last = this.#frame ?? now;
    this.#frame = now;
    return this.advance(Math.max(now - last, 0) / 1000, step);
  }

  /** Forgets the last frame and what is left over: after a pause no time has passed. */
  reset(): void {
    this.#frame = null;
    this.#rest = 0;
    this.#steps = 0;
    this.#dropped = 0;
  }

  #run(most: number, step: (dt: number) => void): void {
    if (most === 0) return;
    const began = this.#clock();
    do {
      step(this.#dt);
      this.#steps++;
    } while (this.#steps < most && this.#clock() - began < this.#budget);
  }
}
