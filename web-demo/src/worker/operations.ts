// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Where on the timeline a file has operations, for its ticks.
import { OperationKind, type Replay } from 'crowdreel';

/** One entry per step and kind: many operations of a kind in one step make one tick. */
export function timelineOperations(replay: Replay): { steps: Int32Array; kinds: Uint8Array } {
  const steps: number[] = [];
  const kinds: number[] = [];
  for (let index = 0; index < replay.info.stepCount; index++) {
    const { operations } = replay.step(index);
    if (operations.length === 0) continue;
    const seen = new Set(operations.map((operation) => OperationKind[operation.kind]));
    for (const kind of seen) {
      steps.push(index);
      kinds.push(kind);
    }
  }
  return { steps: Int32Array.from(steps), kinds: Uint8Array.from(kinds) };
}
