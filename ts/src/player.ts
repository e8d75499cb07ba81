// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Playing replays.
import { records } from './abi.js';
import { Crowd, type CrowdView } from './crowd.js';
import { NavMesh, type NavMeshView } from './nav-mesh.js';
import type { Native } from './native.js';
import type { Replay } from './replay.js';
import { Resource } from './resource.js';
import { integer } from './values.js';

/**
 * Plays a replay in a crowd of its own. It starts at position 0, before the first recorded step. Made by
 * `Engine.createPlayer`.
 *
 * While it plays, the crowd's hash is compared with the recorded one after every step: `firstMismatch` tells where they first
 * differed. Playback goes on regardless.
 */
export class Player extends Resource {
  readonly #replay: Replay;
  readonly #mesh: NavMesh;
  readonly #crowd: Crowd;

  private constructor(native: Native, handle: number, replay: Replay) {
    super(native, handle, 'player');
    this.#replay = replay;
    this.#mesh = NavMesh.wrap(native, handle, this);
    this.#crowd = Crowd.wrap(native, handle, this.#mesh, false, this);
  }

  /** @internal */
  static wrap(native: Native, handle: number, replay: Replay): Player {
    return new Player(native, handle, replay);
  }

  /** The replay it plays. */
  get replay(): Replay {
    return this.#replay;
  }

  /** The crowd as it is at `position`: for reading. It goes with the player. */
  get crowd(): CrowdView {
    return this.#crowd;
  }

  /** The replay's mesh: for reading, and for queries of your own. It goes with the player. */
  get mesh(): NavMeshView {
    return this.#mesh;
  }

  /** Recorded steps played to get here: 0 to `stepCount`. */
  get position(): number {
    return this.#info().position;
  }

  /** Recorded steps. */
  get stepCount(): number {
    return this.#replay.info.stepCount;
  }

  /** Seconds of every step. */
  get dt(): number {
    return this.#replay.info.dt;
  }

  /** Index of the first step played so far whose hash differed from the recorded one, or -1. */
  get firstMismatch(): number {
    return this.#info().firstMismatch;
  }

  /** So many steps from the start have been played and compared. */
  get checkedSteps(): number {
    return this.#info().checkedSteps;
  }

  /** Bytes of the keyframes kept. */
  get keyframeBytes(): number {
    return this.#info().keyframeBytes;
  }

  #info() {
    this.native.call(this.native.exports.crw_player_info(this.handle()));
    return this.native.record(records.playerInfo);
  }

  /**
   * Plays one step; false at the end. Throws `CrowdReplayError` with status `'NoSuchAgent'` when an operation names an agent
   * that is not in the crowd (possible in a damaged replay, or after a mismatch): the player stays before that step.
   */
  step(): boolean {
    return this.native.call(this.native.exports.crw_player_step(this.handle())) === 1;
  }

  /**
   * Goes to a position, 0 to `stepCount`: from the nearest keyframe before it, or on from here. Throws `ArgumentError`, and
   * `CrowdReplayError` as `step` does.
   */
  seek(position: number): void {
    const target = integer(position, 'position', 0, this.stepCount);
    this.native.call(this.native.exports.crw_player_seek(this.handle(), target));
  }

  /**
   * Works on a seek for at most `maxSteps` steps (1 or more), so that a page stays alive: true when it has arrived, false
   * when it must be called again. Meanwhile the player stands somewhere on the way. Throws as `seek` does.
   */
  seekSlice(position: number, maxSteps: number): boolean {
    const target = integer(position, 'position', 0, this.stepCount);
    const slice = integer(maxSteps, 'maxSteps', 1);
    return this.native.call(this.native.exports.crw_player_seek_slice(this.handle(), target, slice)) === 1;
  }

  /** Positions of the keyframes, ascending. */
  keyframes(): Int32Array<ArrayBuffer> {
    const { native } = this;
    const count = native.call(native.exports.crw_player_keyframes(this.handle()));
    return Int32Array.from(native.memory.words(native.result, count));
  }
}
