// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Puts the page together: worker, session, stage, bars, and the loop that draws.
import { FIRST_SCENE, Session } from './session';
import { initialState, Store, type AppState } from './state';
import { exposeProbe } from './probe';
import { controls } from './ui/controls';
import { h } from './ui/dom';
import { dropTarget, filePicker } from './ui/drop';
import { errorCard } from './ui/errors';
import { HelpDialog } from './ui/help';
import { inspector } from './ui/inspector';
import { listenToKeys, type KeyActions } from './ui/keyboard';
import { toast, waiting, welcome } from './ui/notices';
import { timeline } from './ui/timeline';
import { topBar } from './ui/topbar';
import type { Insets } from './view/camera';
import { Gestures } from './view/gestures';
import { Stage, type Quality, type Selection } from './view/stage';

/** Below this width the inspector is a sheet from below (styles/narrow.css). */
const SHEET_WIDTH = 760;

interface Address {
  scene: string;
  replay: string | null;
  quality: Quality;
}

function readAddress(): Address {
  const query = new URLSearchParams(location.search);
  return {
    scene: query.get('scene') ?? FIRST_SCENE,
    replay: query.get('replay'),
    quality: query.get('quality') === 'low' ? 'low' : 'high',
  };
}

/** The scene on the screen is in the address, so that reloading and passing it on bring it back. */
function keepAddress(store: Store): void {
  store.watch(
    (state) => [state.run] as const,
    (run) => {
      if (!run) return;
      const url = new URL(location.href);
      url.searchParams.delete('scene');
      if (run.kind === 'live') {
        url.searchParams.set('scene', run.name);
        url.searchParams.delete('replay');
      }
      history.replaceState(null, '', url);
      document.title = `${run.title} – crowdreel`;
    },
  );
}

export class App {
  private readonly store = new Store(initialState());
  private readonly session: Session;
  private readonly address = readAddress();
  private readonly stageHost = h('main', { class: 'stage' });
  private readonly dock: HTMLElement;
  private readonly sheet: HTMLElement;
  private readonly bar: { root: HTMLElement; showScenes: () => void };
  private readonly help: HelpDialog;
  private readonly picker: { element: HTMLInputElement; open: () => void };
  private stage: Stage | null = null;
  private lastTime = 0;
  private firstCrowd: number | null = null;

  constructor(
    private readonly root: HTMLElement,
    worker: Worker,
  ) {
    this.session = new Session(this.store, worker);
    this.help = new HelpDialog(() => this.store.get().version);
    this.picker = filePicker(this.session);
    document.documentElement.dataset.quality = this.address.quality;
    this.applyTheme();
    this.open();
    const frameAll = () => this.frameAll();
    this.bar = topBar(this.session, { openPicker: this.picker.open, showHelp: () => this.help.toggle() });
    this.dock = h(
      'section',
      { class: 'dock', attrs: { 'aria-label': 'Player' } },
      controls(this.session, frameAll),
      timeline(this.session),
      this.picker.element,
    );
    this.sheet = inspector(this.session);
    this.assemble();
    this.startStage();
    listenToKeys(this.session, this.keyActions(frameAll));
    keepAddress(this.store);
    requestAnimationFrame((time) => this.frame(time));
  }

  private open(): void {
    if (this.address.replay) void this.session.openUrl(this.address.replay);
    else this.session.openScene(this.address.scene);
  }

  private assemble(): void {
    const { session } = this;
    this.root.append(
      this.stageHost,
      this.bar.root,
      this.sheet,
      h(
        'div',
        { class: 'notices' },
        errorCard(session, this.picker.open),
        toast(session),
        waiting(session),
        welcome(session, this.picker.open, this.bar.showScenes),
      ),
      this.dock,
      dropTarget(session),
      this.help.root,
    );
  }

  private startStage(): void {
    try {
      this.stage = new Stage(this.stageHost, this.address.quality);
    } catch {
      const message =
        'This browser gives the page no WebGL 2, which it needs to draw. Another browser, or one with graphics acceleration turned on, will do.';
      this.session.fail({ during: 'start', message });
      return;
    }
    this.wireStage(this.stage);
  }

  private wireStage(stage: Stage): void {
    const { session, store } = this;
    stage.orbit.still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.describeCanvas(stage.canvas);
    const resize = () => {
      stage.resize(this.stageHost.clientWidth, this.stageHost.clientHeight, this.insets());
      if (stage.orbit.idle) stage.frameAll(true);
    };
    new ResizeObserver(resize).observe(this.stageHost);
    resize();
    session.hooks = {
      opened: ({ level }) => stage.setLevel(level),
      sent: (point, count) => stage.ripple(point, 1.2 + 0.55 * Math.sqrt(count)),
    };
    new Gestures(stage.canvas, stage.orbit, {
      tap: (x, y, touch) => this.tap(stage, x, y, touch),
      doubleTap: (x, y, touch) => this.doubleTap(stage, x, y, touch),
      moved: () => store.set({ follow: false }),
    });
    store.watch(
      (state) => [state.picked === null] as const,
      () => stage.orbit.setInsets(this.insets()),
    );
    store.watch(
      (state) => [state.showMesh] as const,
      (shown) => stage.showMesh(shown),
    );
    store.watch(
      (state) => [state.picked, state.agent, state.scope, state.view] as const,
      () => stage.invalidate(),
    );
    exposeProbe(store, stage, () => this.firstCrowd);
  }

  /** What the bars cover, and on narrow screens the inspector's sheet. */
  private insets(): Insets {
    const sheet = this.store.get().picked !== null && window.innerWidth < SHEET_WIDTH ? this.sheet.offsetHeight : 0;
    const bottom = window.innerHeight - this.dock.getBoundingClientRect().top + sheet;
    return { top: this.bar.root.offsetHeight, bottom };
  }

  private describeCanvas(canvas: HTMLCanvasElement): void {
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    this.store.watch(
      (state) => [state.run?.title ?? '', state.agentCount] as const,
      (title, count) => canvas.setAttribute('aria-label', `${title}: ${count} agents. Press ? for the keys.`),
    );
  }

  private tap(stage: Stage, x: number, y: number, touch: boolean): void {
    stage.orbit.idle = false;
    this.store.set({ welcome: false });
    const agent = stage.agentAt(x, y, touch);
    if (agent) return this.session.pick(agent.id);
    const ground = stage.groundAt(x, y);
    const { view, picked } = this.store.get();
    if (ground && view === 'live') this.session.sendTo(ground);
    else if (picked !== null) this.session.pick(null);
    else if (ground) this.session.sendTo(ground);
  }

  private doubleTap(stage: Stage, x: number, y: number, touch: boolean): void {
    const agent = stage.agentAt(x, y, touch);
    if (!agent) return;
    this.session.pick(agent.id);
    this.store.set({ follow: true });
  }

  private frameAll(): void {
    this.store.set({ follow: false });
    this.stage?.frameAll();
  }

  private keyActions(frameAll: () => void): KeyActions {
    const moved = (act: (stage: Stage) => void) => {
      this.store.set({ follow: false });
      if (this.stage) act(this.stage);
    };
    return {
      openPicker: this.picker.open,
      showHelp: () => this.help.toggle(),
      frameAll,
      pickNext: (direction) => this.pickNext(direction),
      sendToMiddle: () => this.sendToMiddle(),
      moveView: (right, ahead) => moved(({ orbit }) => orbit.pan(right, ahead)),
      turnView: (angle) => moved(({ orbit }) => orbit.orbit(angle, 0)),
      zoomView: (factor) => moved(({ orbit }) => orbit.zoom(factor, null)),
    };
  }

  private pickNext(direction: 1 | -1): void {
    const id = this.stage?.neighbourOf(this.store.get().picked, direction) ?? null;
    if (id !== null) this.session.pick(id);
  }

  private sendToMiddle(): void {
    const { stage } = this;
    if (!stage) return;
    const { x, y } = stage.middle();
    const ground = stage.groundAt(x, y);
    if (ground) this.session.sendTo(ground);
    else this.session.toast('There is no ground in the middle of the picture.');
  }

  private frame(time: number): void {
    requestAnimationFrame((next) => this.frame(next));
    const seconds = Math.max(0, (time - this.lastTime) / 1000);
    this.lastTime = time;
    const picture = this.session.tick(seconds);
    this.stage?.draw(picture, this.selection(this.store.get()), Math.min(seconds, 0.1));
    if (this.firstCrowd === null && this.stage && this.stage.agentCount > 0) this.firstCrowd = performance.now();
  }

  private selection({ picked, agent, follow, view, scope }: AppState): Selection {
    const group = agent?.group;
    const rings = picked !== null && view === 'live' && scope !== 'agent';
    const chosen = rings ? (id: number, other: number) => id !== picked && (scope === 'all' || other === group) : null;
    return { picked, details: agent, follow, chosen };
  }

  /** "system" leaves the choice to the style sheet. */
  private applyTheme(): void {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
      const { theme } = this.store.get();
      document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
      this.stage?.recolour();
    };
    dark.addEventListener('change', apply);
    this.store.watch((state) => [state.theme] as const, apply);
  }
}
