// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The colour group of an agent. A scene names its groups; a file does not, so there the group is the compass direction of the
// agent's destination seen from the middle of the level: a function of the state alone, the same however one got there.
import { FollowerState, type CrowdView } from 'crowdreel';
import { GROUP_COUNT, NO_GROUP } from '../frame-layout';
import type { Vec3 } from '../messages';

/** Neighbouring directions get hues far apart. */
const HUE_OF_SECTOR = [0, 1, 5, 3, 2, 7, 6, 4];

export interface Groups {
  /** Called once per frame before `of`. `all`: the picture has jumped. */
  refresh(crowd: CrowdView, ids: Float64Array, count: number, all: boolean): void;
  of(id: number): number;
}

export class SceneGroups implements Groups {
  constructor(private readonly groups: readonly number[]) {}

  refresh(): void {}

  of(id: number): number {
    return (this.groups[id] ?? 0) % GROUP_COUNT;
  }
}

export class DestinationGroups implements Groups {
  private readonly known = new Map<number, number>();
  private cursor = 0;

  constructor(private readonly middle: Vec3) {}

  /** Reads every destination after a jump, and otherwise a few per frame: they change seldom. */
  refresh(crowd: CrowdView, ids: Float64Array, count: number, all: boolean): void {
    if (all) this.known.clear();
    const share = all ? count : Math.min(count, 8 + (count >> 4));
    for (let i = 0; i < share; i++) {
      this.cursor = (this.cursor + 1) % count;
      const id = ids[this.cursor]!;
      this.known.set(id, this.read(crowd, id));
    }
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      if (!this.known.has(id)) this.known.set(id, this.read(crowd, id));
    }
  }

  of(id: number): number {
    return this.known.get(id) ?? NO_GROUP;
  }

  private read(crowd: CrowdView, id: number): number {
    const agent = crowd.agent(id);
    if (agent.state === FollowerState.Idle || agent.state === FollowerState.Unplaced) return NO_GROUP;
    const [x, , z] = agent.destination;
    const turn = Math.atan2(z - this.middle[2], x - this.middle[0]) / (2 * Math.PI) + 1;
    return HUE_OF_SECTOR[Math.round(turn * GROUP_COUNT) % GROUP_COUNT]!;
  }
}
