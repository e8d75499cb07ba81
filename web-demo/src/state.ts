// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The one store of what the page shows. The session writes it; the parts of the page watch the pieces they draw.
import type { AgentDetails, Problem, RunInfo, SceneEntry, SendScope, ViewKind } from './messages';

export type ThemeChoice = 'system' | 'light' | 'dark';

export interface CheckState {
  checked: number;
  total: number;
  /** First step whose hash differs, or -1. */
  mismatch: number;
}

export interface Toast {
  /** Rises with every toast, so that the same words can be said twice. */
  serial: number;
  text: string;
}

export interface AppState {
  version: string;
  scenes: SceneEntry[];
  run: RunInfo | null;
  view: ViewKind;
  playing: boolean;
  /** True while playback is held for a drag on the timeline. */
  dragging: boolean;
  /** Position on the screen, in whole steps. */
  step: number;
  total: number;
  speed: number;
  loop: boolean;
  /** Where an unfinished seek is going. */
  seeking: number | null;
  check: CheckState | null;
  marks: { steps: Int32Array; kinds: Uint8Array } | null;
  agentCount: number;
  hash: string | null;
  picked: number | null;
  agent: AgentDetails | null;
  scope: SendScope;
  follow: boolean;
  showMesh: boolean;
  theme: ThemeChoice;
  opening: string | null;
  problem: Problem | null;
  toast: Toast | null;
  welcome: boolean;
}

export function initialState(): AppState {
  return {
    version: '',
    scenes: [],
    run: null,
    view: 'live',
    playing: true,
    dragging: false,
    step: 0,
    total: 0,
    speed: 1,
    loop: false,
    seeking: null,
    check: null,
    marks: null,
    agentCount: 0,
    hash: null,
    picked: null,
    agent: null,
    scope: 'group',
    follow: false,
    showMesh: false,
    theme: 'system',
    opening: null,
    problem: null,
    toast: null,
    welcome: true,
  };
}

type Listener = (state: AppState) => void;
type Mutable<T extends readonly unknown[]> = { -readonly [K in keyof T]: T[K] };

export class Store {
  private readonly listeners: Listener[] = [];

  constructor(private state: AppState) {}

  get(): Readonly<AppState> {
    return this.state;
  }

  set(patch: Partial<AppState>): void {
    const keys = Object.keys(patch) as (keyof AppState)[];
    if (keys.every((key) => Object.is(patch[key], this.state[key]))) return;
    this.state = { ...this.state, ...patch };
    for (const listener of this.listeners) listener(this.state);
  }

  /** Calls `listener` now and whenever one of the values that `select` returns has changed. */
  watch<const T extends readonly unknown[]>(
    select: (state: AppState) => T,
    listener: (...values: NoInfer<Mutable<T>>) => void,
  ): void {
    let last = select(this.state);
    listener(...(last as Mutable<T>));
    this.listeners.push((state) => {
      const values = select(state);
      if (values.every((value, i) => Object.is(value, last[i]))) return;
      last = values;
      listener(...(values as Mutable<T>));
    });
  }
}
