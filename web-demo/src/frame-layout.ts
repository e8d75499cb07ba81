// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One buffer per frame, structure of arrays, so that it moves between worker and page without a copy and can be used again.

export interface FrameArrays {
  ids: Float64Array;
  /** x, y, z relative to the level's origin. */
  positions: Float32Array;
  /** x, z in units per second. */
  velocities: Float32Array;
  radii: Float32Array;
  states: Uint8Array;
  groups: Uint8Array;
}

const BYTES_PER_AGENT = 8 + 12 + 8 + 4 + 1 + 1;

/** Colour group of agents that have no destination. */
export const NO_GROUP = 8;
export const GROUP_COUNT = 8;

export function frameBytes(capacity: number): number {
  return capacity * BYTES_PER_AGENT;
}

/** Views into a frame's buffer. `capacity` is a multiple of 8, which keeps every array aligned. */
export function frameArrays(buffer: ArrayBuffer, capacity: number): FrameArrays {
  return {
    ids: new Float64Array(buffer, 0, capacity),
    positions: new Float32Array(buffer, capacity * 8, capacity * 3),
    velocities: new Float32Array(buffer, capacity * 20, capacity * 2),
    radii: new Float32Array(buffer, capacity * 28, capacity),
    states: new Uint8Array(buffer, capacity * 32, capacity),
    groups: new Uint8Array(buffer, capacity * 33, capacity),
  };
}
