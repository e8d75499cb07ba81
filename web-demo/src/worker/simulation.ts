// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The worker's entry: commands in, events out. Simulating, recording, playing, seeking and checking happen here and never on
// the page. Between messages it works on a seek first, then on checking an opened file.
import { CrowdreelError, loadCrowdreel } from 'crowdreel';
import type { Command, Event, Problem } from '../messages';
import { BackgroundLoop } from './pacing';
import { timelineOperations } from './operations';
import { SceneCatalogue } from './scene-catalogue';
import { SimulationStage } from './stage';

type During = Problem['during'];

const CHECK_REPORT_MS = 80;

function post(event: Event, transfer: Transferable[] = []): void {
  self.postMessage(event, { transfer });
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof WebAssembly.RuntimeError)) return message;
  return `The engine stopped unexpectedly (${message}). Please reload the page.`;
}

function problemOf(error: unknown, during: During, fileName: string | null = null): Problem {
  const message = messageOf(error);
  const known = error instanceof CrowdreelError ? error : null;
  return {
    during,
    message,
    status: known?.status ?? null,
    field: known?.field ?? null,
    offset: known?.offset ?? null,
    fileName,
  };
}

class Simulation {
  private readonly catalogue = new SceneCatalogue();
  private stage: SimulationStage | null = null;
  /** Commands that came before the engine had started. The page listens once it has sent one. */
  private waiting: Command[] | null = [];
  private readonly loop = new BackgroundLoop(() => this.work());
  private lastReport = 0;
  private saidFull = false;

  private readonly engine = loadCrowdreel();

  async handle(command: Command): Promise<void> {
    if (this.stage) return this.obey(this.stage, command);
    if (!this.waiting) return;
    this.waiting.push(command);
    if (this.waiting.length > 1) return;
    try {
      const engine = await this.engine;
      this.stage = new SimulationStage(engine);
      post({ type: 'ready', version: engine.version, scenes: this.catalogue.entries() });
      for (const early of this.waiting) this.obey(this.stage, early);
    } catch (error) {
      post({ type: 'failed', problem: problemOf(error, 'start') });
    }
    this.waiting = null;
  }

  private obey(stage: SimulationStage, command: Command): void {
    switch (command.type) {
      case 'openScene':
        return this.openScene(stage, command);
      case 'openReplay':
        return this.openReplay(stage, command);
      case 'advance':
        return this.advance(stage, command);
      case 'seek':
        return this.seek(stage, command);
      case 'goLive':
        if (stage.goLive(command.epoch)) this.frame(stage, true, true);
        return;
      case 'send':
        return this.send(stage, command);
      case 'pick':
        stage.picked = command.id;
        if (command.epoch === stage.epoch && !stage.seeking) this.frame(stage, true, true);
        return;
      case 'save':
        return this.save(stage);
      case 'recycle':
        return stage.recycle(command.buffer);
    }
  }

  private openScene(stage: SimulationStage, command: Command & { type: 'openScene' }): void {
    this.guard('scene', command.name, () => {
      const scene = this.catalogue.find(command.name);
      if (!scene) throw new Error(`There is no scene named "${command.name}".`);
      const opened = stage.openScene(scene);
      stage.epoch = command.epoch;
      this.saidFull = false;
      post({ type: 'opened', epoch: command.epoch, ...opened });
      this.frame(stage, true, true);
    });
  }

  private openReplay(stage: SimulationStage, command: Command & { type: 'openReplay' }): void {
    this.guard('file', command.name, () => {
      const opened = stage.openReplay(command.name, new Uint8Array(command.bytes));
      stage.epoch = command.epoch;
      post({ type: 'opened', epoch: command.epoch, ...opened });
      if (stage.replay) post({ type: 'operations', ...timelineOperations(stage.replay.replay) });
      this.report(stage, true);
      this.frame(stage, true, true);
      this.loop.wake();
    });
  }

  private advance(stage: SimulationStage, { epoch, to, live }: Command & { type: 'advance' }): void {
    if (epoch !== stage.epoch || stage.seeking) return;
    this.guard(stage.replay ? 'playing' : 'running', null, () => stage.advance(to, live));
    this.frame(stage, true, false);
    if (stage.full && !this.saidFull) {
      this.saidFull = true;
      post({ type: 'full', total: stage.total });
    }
    this.report(stage, false);
    if (stage.catchingUp) this.loop.wake();
  }

  private seek(stage: SimulationStage, { epoch, step }: Command & { type: 'seek' }): void {
    this.guard('playing', null, () => {
      if (stage.beginSeek(epoch, step)) this.frame(stage, true, true);
      else this.loop.wake();
    });
  }

  private send(stage: SimulationStage, { scope, id, point }: Command & { type: 'send' }): void {
    this.guard('running', null, () => {
      const count = stage.send(scope, id, point);
      if (count !== null) post({ type: 'sent', count, point, step: stage.total });
    });
  }

  private save(stage: SimulationStage): void {
    this.guard('saving', null, () => {
      const file = stage.save();
      if (!file) return;
      const bytes = file.bytes.slice().buffer;
      post({ type: 'saved', name: file.name, bytes, steps: file.steps }, [bytes]);
    });
  }

  /** One slice of background work. True when there is more. */
  private work(): boolean {
    const { stage } = this;
    if (!stage) return false;
    if (stage.seeking) {
      this.guard('playing', null, () => stage.seekSlice());
      this.frame(stage, !stage.seeking, true);
      this.report(stage, false);
      return true;
    }
    if (stage.catchingUp) {
      this.guard('playing', null, () => stage.catchUpSlice());
      return true;
    }
    const more = this.guard('playing', null, () => stage.checkSlice()) ?? false;
    this.report(stage, !more);
    return more;
  }

  private frame(stage: SimulationStage, settled: boolean, jumped: boolean): void {
    const frame = stage.frame(settled, jumped);
    post(frame, [frame.buffer]);
  }

  private report(stage: SimulationStage, now: boolean): void {
    const reel = stage.reel;
    if (!reel || (!now && performance.now() - this.lastReport < CHECK_REPORT_MS)) return;
    this.lastReport = performance.now();
    post({ type: 'check', checked: reel.checked, total: reel.stepCount, mismatch: reel.mismatch });
  }

  /** Reports what `work` throws; the picture stays as it was. */
  private guard<T>(during: During, fileName: string | null, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      post({ type: 'failed', problem: problemOf(error, during, fileName) });
      return undefined;
    }
  }
}

const simulation = new Simulation();
self.onmessage = ({ data }: MessageEvent<Command>) => void simulation.handle(data);
