// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What is on the screen: a running scene, its recorded past, or an opened file. One command moves it at a time; the newest
// seek replaces an unfinished one.
import type { CrowdView, Engine } from 'crowdreel';
import type { Scene } from '../../../tests/scenes/scene';
import type { AgentDetails, FrameEvent, LevelData, RunInfo, SendScope, Vec3, ViewKind } from '../messages';
import { agentDetails } from './agent-details';
import { FrameWriter } from './frame-writer';
import { DestinationGroups, SceneGroups, type Groups } from './groups';
import { describeLevel } from './level';
import { LiveRun } from './live-run';
import { SlicePacer } from './pacing';
import { Reel } from './reel';

/** Longest time one `advance` may take before it answers with what it has reached. */
const ADVANCE_MS = 20;

interface SeekGoal {
  epoch: number;
  step: number;
}

export interface Opened {
  run: RunInfo;
  level: LevelData;
}

function placesOf(scene: Scene): Vec3[] {
  return scene.agents.flatMap(({ position, goals }) => [position, ...goals]);
}

export class SimulationStage {
  epoch = 0;
  picked: number | null = null;
  private live: LiveRun | null = null;
  private file: Reel | null = null;
  private view: ViewKind = 'live';
  private groups: Groups = new SceneGroups([]);
  private origin: Vec3 = [0, 0, 0];
  private seek: SeekGoal | null = null;
  private readonly writer = new FrameWriter();
  private readonly seekPacer = new SlicePacer(8);
  private readonly checkPacer = new SlicePacer(6);

  constructor(private readonly engine: Engine) {}

  /** Builds the new run first, so that a failure leaves the old one as it was. */
  openScene(scene: Scene): Opened {
    const live = new LiveRun(this.engine, scene);
    this.replace(live, null);
    const { name, title, about, dt } = scene;
    const level = describeLevel(live.runner.mesh, scene, placesOf(scene));
    this.origin = level.origin;
    this.groups = new SceneGroups(live.runner.groups);
    return { run: { kind: 'live', name, title, about, dt, total: 0 }, level };
  }

  openReplay(name: string, bytes: Uint8Array): Opened {
    const file = new Reel(this.engine, bytes);
    this.replace(null, file);
    const level = describeLevel(file.mesh, null, []);
    this.origin = level.origin;
    this.groups = new DestinationGroups(level.origin);
    return { run: { kind: 'replay', name, title: name, about: '', dt: file.dt, total: file.stepCount }, level };
  }

  get replay(): Reel | null {
    return this.file;
  }

  get seeking(): boolean {
    return this.seek !== null;
  }

  get full(): boolean {
    return this.live?.full ?? false;
  }

  get total(): number {
    return this.file?.stepCount ?? this.live?.stepCount ?? 0;
  }

  /** Plays up to position `to` and the live run up to `live` steps, as far as the time allows. */
  advance(to: number, live: number): void {
    const until = performance.now() + ADVANCE_MS;
    const inTime = () => performance.now() < until;
    const reel = this.reel;
    if (reel) while (reel.position < to && inTime() && reel.step());
    if (this.view === 'replay') return;
    if (reel && reel.position >= reel.end && to > reel.end) this.live?.beginCatchUp();
    const goal = this.view === 'live' ? to : this.total + live;
    while (this.live && this.live.stepCount < goal && !this.live.full && inTime()) this.live.step();
  }

  /** Begins a seek. True when the answer is there at once. */
  beginSeek(epoch: number, step: number): boolean {
    this.epoch = epoch;
    this.seek = null;
    if (this.live && step >= this.live.stepCount) return this.goLive(epoch);
    if (this.live) {
      this.live.openPast(step);
      this.view = 'past';
    }
    this.seek = { epoch, step };
    return false;
  }

  goLive(epoch: number): boolean {
    this.epoch = epoch;
    this.seek = null;
    if (this.live) this.view = 'live';
    return true;
  }

  /** One slice of the seek under way. True when it has arrived. */
  seekSlice(): boolean {
    const { seek, reel } = this;
    if (!seek || !reel) return true;
    try {
      const arrived = this.seekPacer.run((steps) => reel.seekSlice(seek.step, steps));
      if (arrived) this.seek = null;
      return arrived;
    } catch (error) {
      this.seek = null;
      throw error;
    }
  }

  get catchingUp(): boolean {
    return this.live?.catchingUp ?? false;
  }

  catchUpSlice(): void {
    this.seekPacer.run((steps) => this.live?.catchUpSlice(steps));
  }

  /** One slice of checking an opened file. False when there is nothing left to check. */
  checkSlice(): boolean {
    const { file } = this;
    return file !== null && this.checkPacer.run((steps) => file.checkSlice(steps));
  }

  /** The picture as it is. `jumped`: it does not follow from the frame before. */
  frame(settled: boolean, jumped: boolean): FrameEvent {
    const filled = this.writer.fill(this.crowd, this.origin, this.groups, jumped);
    return {
      type: 'frame',
      epoch: this.epoch,
      view: this.view,
      step: this.reel?.position ?? this.total,
      total: this.total,
      ...filled,
      settled,
      hash: this.hash(settled && jumped),
      agent: this.details(),
    };
  }

  recycle(buffer: ArrayBuffer): void {
    this.writer.recycle(buffer);
  }

  /** Sends agents of the running scene. Null when the present is not on the screen. */
  send(scope: SendScope, id: number | null, point: Vec3): number | null {
    if (!this.live || this.view !== 'live') return null;
    const crowd = this.live.runner.crowd;
    const ids = new Float64Array(crowd.agentCount);
    const count = crowd.readAgents({ ids });
    const chosen = [...ids.subarray(0, count)].filter((other) => this.inScope(scope, id, other));
    const agents = chosen.map((agent) => {
      return { id: agent, position: crowd.agent(agent).position, radius: crowd.agentOptions(agent).radius };
    });
    return agents.length === 0 ? 0 : this.live.send(agents, point);
  }

  /** The file of the run: what was opened, or what has been recorded so far. */
  save(): { name: string; bytes: Uint8Array; steps: number } | null {
    if (this.file) return { name: 'replay', bytes: this.file.replay.write(), steps: this.file.stepCount };
    if (!this.live) return null;
    return { name: this.live.scene.name, bytes: this.live.save(), steps: this.live.stepCount };
  }

  /** The replay on the screen: the file, or the recorded past. */
  get reel(): Reel | null {
    if (this.view === 'past') return this.live?.past ?? null;
    return this.view === 'replay' ? this.file : null;
  }

  private get crowd(): CrowdView {
    const crowd = this.reel?.crowd ?? this.live?.runner.crowd;
    if (!crowd) throw new Error('nothing is open');
    return crowd;
  }

  private replace(live: LiveRun | null, file: Reel | null): void {
    this.live?.dispose();
    this.file?.dispose();
    this.live = live;
    this.file = file;
    this.view = file ? 'replay' : 'live';
    this.seek = null;
    this.picked = null;
  }

  /** The live run knows its hash; elsewhere it is computed, which is worth it for a picture that stands still. */
  private hash(standing: boolean): string | null {
    if (!standing && this.view !== 'live') return null;
    const hash = this.view === 'live' && this.live ? this.live.hash : this.crowd.stateHash();
    return hash.toString(16).padStart(16, '0');
  }

  private details(): AgentDetails | null {
    return this.picked === null ? null : agentDetails(this.crowd, this.picked, this.groups, this.origin);
  }

  private inScope(scope: SendScope, id: number | null, other: number): boolean {
    if (scope === 'all' || id === null) return true;
    return scope === 'agent' ? other === id : this.groups.of(other) === this.groups.of(id);
  }
}
