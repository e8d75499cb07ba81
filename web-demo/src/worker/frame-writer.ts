// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Fills frame buffers from a crowd. Buffers come back from the page and are used again.
import type { CrowdView } from 'crowdreel';
import { frameArrays, frameBytes } from '../frame-layout';
import type { Vec3 } from '../messages';
import type { Groups } from './groups';

export interface FilledFrame {
  buffer: ArrayBuffer;
  capacity: number;
  count: number;
}

const SPARE_BUFFERS = 8;

export class FrameWriter {
  private capacity = 64;
  private spare: ArrayBuffer[] = [];
  private positions = new Float64Array(this.capacity * 3);
  private velocities = new Float64Array(this.capacity * 3);
  private radii = new Float64Array(this.capacity);

  fill(crowd: CrowdView, origin: Vec3, groups: Groups, jumped: boolean): FilledFrame {
    this.reserve(crowd.agentCount);
    const { capacity } = this;
    const buffer = this.spare.pop() ?? new ArrayBuffer(frameBytes(capacity));
    const out = frameArrays(buffer, capacity);
    const { positions, velocities, radii } = this;
    const count = crowd.readAgents({ ids: out.ids, positions, velocities, states: out.states, radii });
    if (count > 0) groups.refresh(crowd, out.ids, count, jumped);
    for (let i = 0; i < count; i++) {
      out.positions[i * 3] = positions[i * 3]! - origin[0];
      out.positions[i * 3 + 1] = positions[i * 3 + 1]! - origin[1];
      out.positions[i * 3 + 2] = positions[i * 3 + 2]! - origin[2];
      out.velocities[i * 2] = velocities[i * 3]!;
      out.velocities[i * 2 + 1] = velocities[i * 3 + 2]!;
      out.radii[i] = radii[i]!;
      out.groups[i] = groups.of(out.ids[i]!);
    }
    return { buffer, capacity, count };
  }

  recycle(buffer: ArrayBuffer): void {
    if (buffer.byteLength === frameBytes(this.capacity) && this.spare.length < SPARE_BUFFERS) this.spare.push(buffer);
  }

  private reserve(count: number): void {
    if (count <= this.capacity) return;
    while (this.capacity < count) this.capacity *= 2;
    this.spare = [];
    this.positions = new Float64Array(this.capacity * 3);
    this.velocities = new Float64Array(this.capacity * 3);
    this.radii = new Float64Array(this.capacity);
  }
}
