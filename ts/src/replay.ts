// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Replay files: what they hold.
import { cellCount, records } from './abi.js';
import type { Native } from './native.js';
import { readAgentOptions, type AgentOptions, type CrowdOptions, type NodeModel } from './options.js';
import { Resource } from './resource.js';
import { integer, type Vec3 } from './values.js';

/** What a host can do to a crowd between steps, with the number it has in files. */
export const OperationKind = { Add: 1, Remove: 2, SetDestination: 3, Stop: 4, Teleport: 5 } as const;
/** Name of an operation. */
export type OperationName = keyof typeof OperationKind;

/** One recorded operation. `offset` and `size` tell where it stands in the operations of its step, in bytes. */
export type Operation = { offset: number; size: number } & (
  | { kind: 'Add'; position: Vec3; options: AgentOptions }
  | { kind: 'Remove'; id: number }
  | { kind: 'SetDestination'; id: number; destination: Vec3 }
  | { kind: 'Stop'; id: number }
  | { kind: 'Teleport'; id: number; position: Vec3 }
);

/** What a replay file holds. */
export interface ReplayInfo {
  /** Seconds of every step. */
  dt: number;
  /** The crowd's step count before the first recorded step. */
  startStep: number;
  /** Recorded steps. */
  stepCount: number;
  /** Options of the crowd. */
  options: CrowdOptions;
  /** Operations over all steps. */
  operationCount: number;
  /** Operations over all steps, by name. */
  operationCounts: Record<OperationName, number>;
  /** Agents in the crowd before the first recorded step. */
  agentsAtStart: number;
  meshTiles: number;
  meshPolygons: number;
  /** Bytes of the whole file. */
  fileSize: number;
  /** Bytes of its setup block. */
  setupSize: number;
  /** Bytes of the mesh in the setup block. */
  meshSize: number;
  /** Bytes of the crowd state in the setup block. */
  stateSize: number;
}

/** One recorded step. */
export interface ReplayStep {
  /** What was done before the step, in order. */
  operations: Operation[];
  /** The crowd's state hash after the step, as recorded. */
  hash: bigint;
}

/** A replay file, checked from end to end. Made by `Engine.openReplay`. */
export class Replay extends Resource {
  readonly #info: ReplayInfo;

  private constructor(native: Native, handle: number) {
    super(native, handle, 'replay');
    this.#info = readInfo(native, handle);
  }

  /** @internal */
  static wrap(native: Native, handle: number): Replay {
    return new Replay(native, handle);
  }

  /** What the file holds. */
  get info(): Readonly<ReplayInfo> {
    return this.#info;
  }

  /** The step at `index`, 0 to `info.stepCount - 1`. Throws `ArgumentError`. */
  step(index: number): ReplayStep {
    const { native } = this;
    const handle = this.handle();
    integer(index, 'index', 0, this.#info.stepCount - 1);
    native.call(native.exports.crw_replay_step(handle, index));
    const { hash } = native.record(records.replayStep);
    const operations: Operation[] = [];
    let offset = 0;
    while (native.call(native.exports.crw_replay_operation(handle, index, offset)) === 1) {
      const operation = readOperation(native);
      operations.push(operation);
      offset = operation.offset + operation.size;
    }
    return { operations, hash };
  }

  /** The file's bytes again. */
  write(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_replay_write(this.handle()));
    return this.native.resultBytes();
  }

  /**
   * Plays the whole replay and returns the index of the first step whose hash differs from the recorded one, or -1 when it
   * is exact. Throws `CrowdReplayError` when it cannot be played to the end. For long replays a `Player` can do the same
   * step by step.
   */
  findMismatch(): number {
    this.native.call(this.native.exports.crw_replay_find_mismatch(this.handle()));
    return this.native.recordNumber();
  }
}

function readInfo(native: Native, handle: number): ReplayInfo {
  native.call(native.exports.crw_replay_info(handle));
  const { addCount, removeCount, setDestinationCount, stopCount, teleportCount, ...info } = native.record(
    records.replayInfo,
  );
  const options = native.recordAfter(records.replayInfo, records.crowdOptions);
  return {
    ...info,
    options: { ...options, queryNodeModel: options.queryNodeModel as NodeModel },
    operationCounts: {
      Add: addCount,
      Remove: removeCount,
      SetDestination: setDestinationCount,
      Stop: stopCount,
      Teleport: teleportCount,
    },
  };
}

function readOperation(native: Native): Operation {
  const { kind, agentId: id, position, offset, size } = native.record(records.operation);
  const place = { offset, size };
  switch (kind) {
    case OperationKind.Add:
      return { kind: 'Add', position, options: readAgentOptions(native, cellCount(records.operation)), ...place };
    case OperationKind.Remove:
      return { kind: 'Remove', id, ...place };
    case OperationKind.SetDestination:
      return { kind: 'SetDestination', id, destination: position, ...place };
    case OperationKind.Stop:
      return { kind: 'Stop', id, ...place };
    default:
      return { kind: 'Teleport', id, position, ...place };
  }
}
