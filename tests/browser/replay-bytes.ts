// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Changes to replay files for the tests (docs/formats/replay.md).
import type { Replay } from 'crowdreel';

const HEADER = 12;

/** Byte offset in the file of the operations of each step. */
function operationOffsets(bytes: Buffer): number[] {
  let at = HEADER + bytes.readInt32LE(8);
  const count = bytes.readInt32LE(at);
  at += 4;
  const offsets = [];
  for (let step = 0; step < count; step++) {
    offsets.push(at + 4);
    at += 4 + bytes.readInt32LE(at) + 8;
  }
  return offsets;
}

/** The same recording with one destination, the first one set at or after `step`, moved by `by` along x. */
export function withMovedDestination(
  bytes: Buffer,
  replay: Replay,
  step: number,
  by: number,
): { bytes: Buffer; step: number } {
  for (let index = step; index < replay.info.stepCount; index++) {
    const operation = replay.step(index).operations.find(({ kind }) => kind === 'SetDestination');
    if (!operation) continue;
    const changed = Buffer.from(bytes);
    // Opcode, agent id, then x.
    const at = operationOffsets(bytes)[index]! + operation.offset + 1 + 8;
    changed.writeDoubleLE(changed.readDoubleLE(at) + by, at);
    return { bytes: changed, step: index };
  }
  throw new Error(`no destination is set at or after step ${step}`);
}
