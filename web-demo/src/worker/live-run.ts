// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// A scene running and being recorded, and its recorded past while somebody looks at it.
import type { Engine } from 'crowdreel';
import { SceneRunner, type Scene } from '../../../tests/scenes/scene';
import type { Vec3 } from '../messages';
import { Reel } from './reel';

/** A recording stops growing at half an hour or this many bytes, whichever comes first. */
const MAX_SECONDS = 30 * 60;
const MAX_BYTES = 64 << 20;

/** Turn between neighbours of a sunflower spiral, which fills a disc evenly. */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export class LiveRun {
  readonly runner: SceneRunner;
  past: Reel | null = null;
  /** A longer past on its way to where `past` stands, to take its place without a jump. */
  private next: Reel | null = null;
  /** State hash after the last step. */
  hash = 0n;

  constructor(
    private readonly engine: Engine,
    readonly scene: Scene,
  ) {
    this.runner = new SceneRunner(engine, scene);
    this.hash = this.runner.crowd.stateHash();
  }

  get stepCount(): number {
    return this.runner.recorder.stepCount;
  }

  get full(): boolean {
    return this.stepCount * this.scene.dt >= MAX_SECONDS || this.runner.recorder.byteSize >= MAX_BYTES;
  }

  step(): void {
    this.hash = this.runner.step();
  }

  save(): Uint8Array {
    return this.runner.recorder.save();
  }

  /** The recorded past up to at least `position`, opened anew when the recording has grown beyond what is open. */
  openPast(position: number): Reel {
    if (!this.past || this.past.stepCount < Math.min(position, this.stepCount)) {
      const fresh = new Reel(this.engine, this.save());
      this.closePast();
      this.past = fresh;
    }
    return this.past;
  }

  /** The past has played to its end while the recording has grown: gets the longer one in the background. */
  beginCatchUp(): void {
    if (!this.next && this.past && this.past.stepCount < this.stepCount) this.next = new Reel(this.engine, this.save());
  }

  get catchingUp(): boolean {
    return this.next !== null;
  }

  /** Works on catching up for about `maxSteps` steps. */
  catchUpSlice(maxSteps: number): void {
    const { past, next } = this;
    if (!past || !next) return;
    try {
      if (!next.seekSlice(past.position, maxSteps)) return;
    } catch (error) {
      next.dispose();
      this.next = null;
      throw error;
    }
    past.dispose();
    this.past = next;
    this.next = null;
  }

  closePast(): void {
    this.past?.dispose();
    this.next?.dispose();
    this.past = null;
    this.next = null;
  }

  /** Sends agents to places round `point`, the nearest one to the middle. Returns how many went. */
  send(agents: { id: number; position: Vec3; radius: number }[], point: Vec3): number {
    const distance = (p: Vec3) => Math.hypot(p[0] - point[0], p[1] - point[1], p[2] - point[2]);
    const order = agents.map((agent) => ({ ...agent, distance: distance(agent.position) }));
    order.sort((a, b) => a.distance - b.distance || a.id - b.id);
    const spots = this.spots(point, order.length, Math.max(...order.map((agent) => agent.radius)));
    order.forEach((agent, i) => this.runner.send(agent.id, spots[i] ?? point));
    return order.length;
  }

  dispose(): void {
    this.closePast();
    this.runner.dispose();
  }

  /** Room for `count` agents round a point, on the ground that can be walked to from it in a straight line. */
  private spots(point: Vec3, count: number, radius: number): Vec3[] {
    const query = this.engine.createQuery(this.runner.mesh);
    try {
      const start = query.nearest(point);
      if (!start) return [];
      // Area per agent of a loose packing: discs of 1.25 radii.
      const scale = 1.25 * radius * Math.sqrt((2 * Math.sqrt(3)) / Math.PI);
      return Array.from({ length: count }, (_, i): Vec3 => {
        const away = count === 1 ? 0 : scale * Math.sqrt(i + 0.5);
        const [sin, cos] = [Math.sin(i * GOLDEN_ANGLE), Math.cos(i * GOLDEN_ANGLE)];
        const spot: Vec3 = [point[0] + away * cos, point[1], point[2] + away * sin];
        return query.moveAlongSurface(start.ref, start.point, spot).point;
      });
    } finally {
      query.dispose();
    }
  }
}
