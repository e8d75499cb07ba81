// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What can be done with the page: every button, key, drop and click ends in one of these methods. Talks to the worker, runs the
// clock and keeps the store.
import { agents } from './format';
import type { Command, Event, FrameEvent, Problem, SendScope, Vec3 } from './messages';
import { Playback, type Picture } from './playback';
import { Store, type ThemeChoice } from './state';

export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

/** The scene of a first visit. */
export const FIRST_SCENE = 'plaza';

/** Larger files than this are not read into the page. */
const MAX_FILE_BYTES = 512 << 20;

const THEME_KEY = 'crowdreel.theme';

/** Storage may be forbidden; then the page forgets. */
function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is lost but the choice.
  }
}

export interface SessionHooks {
  /** A new level is to be drawn. */
  opened(event: Event & { type: 'opened' }): void;
  /** Agents were sent to a point (world coordinates). */
  sent(point: Vec3, count: number): void;
}

export class Session {
  readonly playback: Playback;
  hooks: SessionHooks = { opened: () => {}, sent: () => {} };
  private epoch = 0;
  private lastEpoch = 0;
  private toastSerial = 0;
  /** The live recording has reached its limit. */
  private full = false;

  constructor(
    readonly store: Store,
    private readonly worker: Worker,
  ) {
    this.playback = new Playback({
      limit: () => this.limit(),
      request: (to, live) => this.send({ type: 'advance', epoch: this.epoch, to, live }),
      recycle: (buffer) => this.send({ type: 'recycle', buffer }, [buffer]),
    });
    worker.onmessage = ({ data }: MessageEvent<Event>) => this.receive(data);
    worker.onerror = (event) => this.fail({ during: 'start', message: event.message || 'The engine could not start.' });
    const theme = remembered(THEME_KEY);
    if (theme === 'light' || theme === 'dark') store.set({ theme });
  }

  // --- opening and saving ---------------------------------------------------------------------------------------------

  openScene(name: string): void {
    this.store.set({ opening: name, problem: null });
    this.send({ type: 'openScene', epoch: ++this.lastEpoch, name });
  }

  async openFile(file: File): Promise<void> {
    if (file.size > MAX_FILE_BYTES) {
      this.fail({ during: 'file', message: 'The file is larger than 512 MB.', fileName: file.name });
      return;
    }
    this.store.set({ opening: file.name, problem: null });
    try {
      this.openBytes(file.name, await file.arrayBuffer());
    } catch {
      this.fail({ during: 'file', message: 'The browser could not read the file.', fileName: file.name });
    }
  }

  async openUrl(address: string): Promise<void> {
    const name = address.split(/[?#]/)[0]!.split('/').pop() || address;
    this.store.set({ opening: name, problem: null });
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
      this.openBytes(name, await response.arrayBuffer());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.fail({ during: 'file', message: `The replay could not be fetched: ${reason}.`, fileName: name });
    }
  }

  save(): void {
    this.send({ type: 'save' });
  }

  // --- playing ----------------------------------------------------------------------------------------------------------

  play(): void {
    const { view, step, total } = this.store.get();
    this.playback.playing = true;
    this.store.set({ playing: true, welcome: false });
    if (view === 'replay' && step >= total) this.seek(0);
  }

  pause(): void {
    this.playback.pause();
    this.store.set({ playing: false });
    if (this.store.get().view === 'live') this.showPresent();
    else this.seek(this.playback.head);
  }

  toggle(): void {
    if (this.store.get().playing) this.pause();
    else this.play();
  }

  /** Goes to a position; the present when it is the end of a live run. */
  seek(position: number): void {
    const { run, total } = this.store.get();
    if (!run) return;
    const step = Math.round(Math.min(Math.max(position, 0), total));
    this.beginEpoch();
    this.playback.held = true;
    this.store.set({ seeking: step });
    this.send({ type: 'seek', epoch: this.epoch, step });
  }

  /** Steps while standing still; at the present one step forward runs the scene by one step. */
  stepBy(count: number): void {
    const { view, playing, seeking, step, total } = this.store.get();
    if (playing) this.pause();
    const from = seeking ?? (playing ? this.playback.head : step);
    if (view === 'live' && from >= total && count > 0) {
      this.send({ type: 'advance', epoch: this.epoch, to: total + count, live: 0 });
    } else {
      this.seek(from + count);
    }
  }

  skip(seconds: number): void {
    const { step, seeking, run } = this.store.get();
    if (run) this.seek((seeking ?? step) + Math.round(seconds / run.dt));
  }

  beginDrag(): void {
    this.store.set({ dragging: true });
  }

  endDrag(): void {
    if (!this.store.get().dragging) return;
    this.store.set({ dragging: false });
    this.playback.held = this.store.get().seeking !== null;
  }

  goLive(): void {
    if (this.store.get().run?.kind !== 'live') return;
    this.playback.playing = true;
    this.store.set({ playing: true });
    this.showPresent();
  }

  setSpeed(speed: number): void {
    this.playback.speed = speed;
    this.store.set({ speed });
  }

  changeSpeed(direction: 1 | -1): void {
    const index = SPEEDS.indexOf(this.store.get().speed) + direction;
    const speed = SPEEDS[Math.min(Math.max(index, 0), SPEEDS.length - 1)]!;
    this.setSpeed(speed);
  }

  toggleLoop(): void {
    this.store.set({ loop: !this.store.get().loop });
  }

  /** Moves the clock by `seconds` and returns what to draw. */
  tick(seconds: number): Picture | null {
    if (this.store.get().dragging) this.playback.held = true;
    const ended = this.playback.tick(seconds);
    const picture = this.playback.picture();
    if (picture) this.show(picture);
    if (ended) this.atLimit();
    return picture;
  }

  // --- agents -----------------------------------------------------------------------------------------------------------

  pick(id: number | null): void {
    this.store.set({ picked: id, ...(id === null ? { agent: null, follow: false } : {}) });
    this.send({ type: 'pick', epoch: this.epoch, id });
  }

  /** Sends agents to a point of the level (world coordinates). */
  sendTo(point: Vec3): void {
    const { view, run, picked, scope } = this.store.get();
    if (!run) return;
    if (run.kind === 'replay') return this.toast('A replay only plays. Open a scene to send agents.');
    if (view === 'past') return this.toast('This is the past. Go live to send agents.');
    this.send({ type: 'send', scope: picked === null ? 'all' : scope, id: picked, point });
  }

  setScope(scope: SendScope): void {
    this.store.set({ scope });
  }

  toggleFollow(): void {
    const { picked, follow } = this.store.get();
    if (picked === null) this.toast('Pick an agent first, then follow it.');
    else this.store.set({ follow: !follow });
  }

  toggleMesh(): void {
    this.store.set({ showMesh: !this.store.get().showMesh });
  }

  // --- the page ---------------------------------------------------------------------------------------------------------

  setTheme(theme: ThemeChoice): void {
    remember(THEME_KEY, theme);
    this.store.set({ theme });
  }

  dismissProblem(): void {
    this.store.set({ problem: null });
  }

  toast(text: string): void {
    this.store.set({ toast: { serial: ++this.toastSerial, text } });
  }

  fail(problem: Pick<Problem, 'during' | 'message'> & Partial<Problem>): void {
    const full: Problem = { status: null, field: null, offset: null, fileName: null, ...problem };
    this.store.set({ problem: full, opening: null });
    this.fallBack(full);
  }

  // --- from the worker --------------------------------------------------------------------------------------------------

  private receive(event: Event): void {
    switch (event.type) {
      case 'ready':
        return this.store.set({ version: event.version, scenes: event.scenes });
      case 'opened':
        return this.opened(event);
      case 'frame':
        return this.frame(event);
      case 'check':
        return this.store.set({ check: { checked: event.checked, total: event.total, mismatch: event.mismatch } });
      case 'operations':
        return this.store.set({ marks: { steps: event.steps, kinds: event.kinds } });
      case 'sent':
        this.toast(event.count === 0 ? 'No agent to send.' : `${agents(event.count)} sent here.`);
        return this.hooks.sent(event.point, event.count);
      case 'saved':
        return this.download(event);
      case 'full':
        this.full = true;
        return this.toast('The recording is full (30 minutes). Save it, or open the scene again.');
      case 'failed':
        return this.failed(event.problem);
    }
  }

  private opened(event: Event & { type: 'opened' }): void {
    this.epoch = Math.max(this.epoch, event.epoch);
    this.full = false;
    this.playback.restart();
    this.playback.dt = event.run.dt;
    this.playback.head = 0;
    this.playback.held = false;
    this.playback.playing = true;
    this.store.set({
      run: event.run,
      view: event.run.kind,
      total: event.run.total,
      step: 0,
      playing: true,
      seeking: null,
      check: null,
      marks: null,
      picked: null,
      agent: null,
      follow: false,
      opening: null,
    });
    this.hooks.opened(event);
  }

  private frame(event: FrameEvent): void {
    if (event.epoch !== this.epoch) {
      this.send({ type: 'recycle', buffer: event.buffer }, [event.buffer]);
      return;
    }
    const { seeking, dragging, view } = this.store.get();
    const jumped = seeking !== null || view !== event.view || event.step < this.playback.head;
    if (jumped) this.playback.replace(event);
    else this.playback.append(event);
    if (event.settled) {
      this.playback.held = dragging;
      this.store.set({ seeking: null });
    }
    this.store.set({ view: event.view, total: event.total });
    // Position and hash change together with the end of a seek, not with the next picture.
    const picture = this.playback.picture();
    if (picture) this.show(picture);
  }

  private failed(problem: Problem): void {
    if (problem.during === 'playing' || problem.during === 'running') this.pause();
    this.fail(problem);
  }

  /** What was asked for at the beginning cannot be shown: there is a crowd behind the card all the same. */
  private fallBack({ during, fileName }: Problem): void {
    const wanted = during === 'scene' || during === 'file';
    if (!wanted || this.store.get().run || fileName === FIRST_SCENE) return;
    this.send({ type: 'openScene', epoch: ++this.lastEpoch, name: FIRST_SCENE });
  }

  private show({ from, to, mix }: Picture): void {
    const shown = mix > 0.5 ? to : from;
    const { hash, agent } = shown.event;
    const step = Math.round(this.playback.head);
    this.store.set({
      step,
      agentCount: shown.count,
      agent: this.store.get().picked === null ? null : agent,
      hash: shown.step === step ? hash : null,
    });
  }

  /** Positions the head may reach: the present has no end. */
  private limit(): number {
    const { view, total } = this.store.get();
    return view === 'live' && !this.full ? Infinity : total;
  }

  private atLimit(): void {
    const { view, loop, dragging } = this.store.get();
    if (dragging) return;
    if (view === 'past') this.goLive();
    else if (loop) this.seek(0);
    else this.pause();
  }

  private download(event: Event & { type: 'saved' }): void {
    const link = document.createElement('a');
    const address = URL.createObjectURL(new Blob([event.bytes], { type: 'application/octet-stream' }));
    link.href = address;
    link.download = `${event.name}-${event.steps}.oprp`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    this.toast(`Saved ${link.download}.`);
  }

  private showPresent(): void {
    this.beginEpoch();
    this.playback.held = false;
    this.store.set({ seeking: null });
    this.send({ type: 'goLive', epoch: this.epoch });
  }

  private beginEpoch(): void {
    this.epoch = ++this.lastEpoch;
    this.playback.restart();
  }

  private send(command: Command, transfer: Transferable[] = []): void {
    this.worker.postMessage(command, transfer);
  }

  private openBytes(name: string, bytes: ArrayBuffer): void {
    this.send({ type: 'openReplay', epoch: ++this.lastEpoch, name, bytes }, [bytes]);
  }
}
