// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A replay being watched. Two players share the work: one is on the screen; the other plays ahead from the start in the
// background, which checks every hash and leaves keyframes all along. A seek beyond what the shown player has played swaps
// them when the other has got further, so that no seek plays again what one of them has played already.
import type { CrowdView, Engine, NavMeshView, Player, Replay } from 'crowdreel';

export class Reel {
  readonly replay: Replay;
  readonly stepCount: number;
  readonly dt: number;
  private shown: Player;
  private ahead: Player | null = null;
  /** Set when a step of the file cannot be played: nothing beyond it exists. */
  private brokenAt: number | null = null;

  constructor(
    private readonly engine: Engine,
    bytes: Uint8Array,
  ) {
    this.replay = engine.openReplay(bytes);
    this.stepCount = this.replay.info.stepCount;
    this.dt = this.replay.info.dt;
    this.shown = engine.createPlayer(this.replay);
  }

  get position(): number {
    return this.shown.position;
  }

  get crowd(): CrowdView {
    return this.shown.crowd;
  }

  get mesh(): NavMeshView {
    return this.shown.mesh;
  }

  /** The last position that can be reached. */
  get end(): number {
    return this.brokenAt ?? this.stepCount;
  }

  /** Steps [0, checked) have been played and compared. */
  get checked(): number {
    return Math.max(this.shown.checkedSteps, this.ahead?.checkedSteps ?? 0);
  }

  /** The first step whose hash differs, of those played so far, or -1. */
  get mismatch(): number {
    const found = [this.shown.firstMismatch, this.ahead?.firstMismatch ?? -1].filter((step) => step >= 0);
    return found.length > 0 ? Math.min(...found) : -1;
  }

  /** Plays one step. False at the end. */
  step(): boolean {
    return this.position < this.end && this.playing(this.shown, () => this.shown.step());
  }

  /** Works on a seek for about `maxSteps` steps. True when it has arrived. */
  seekSlice(target: number, maxSteps: number): boolean {
    const goal = Math.min(target, this.end);
    if (this.ahead && goal > this.shown.checkedSteps && this.ahead.checkedSteps > this.shown.checkedSteps) {
      [this.shown, this.ahead] = [this.ahead, this.shown];
    }
    return this.playing(this.shown, () => this.shown.seekSlice(goal, maxSteps));
  }

  /** Plays ahead in the background for about `maxSteps` steps. False when all is checked. */
  checkSlice(maxSteps: number): boolean {
    if (this.checked >= this.end) {
      if (this.shown.checkedSteps >= this.end) this.dropAhead();
      return false;
    }
    const player = (this.ahead ??= this.engine.createPlayer(this.replay));
    this.playing(player, () => player.seekSlice(this.end, maxSteps));
    return true;
  }

  dispose(): void {
    this.dropAhead();
    this.shown.dispose();
    this.replay.dispose();
  }

  private playing<T>(player: Player, work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.brokenAt = player.position;
      throw error;
    }
  }

  private dropAhead(): void {
    this.ahead?.dispose();
    this.ahead = null;
  }
}
