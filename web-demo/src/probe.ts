// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What tests can read of a running page. Reading changes nothing.
import type { AppState, Store } from './state';
import type { Vec3 } from './messages';
import type { Stage } from './view/stage';

export interface Probe {
  state(): Readonly<AppState>;
  /** Agents in the picture, and pictures drawn since loading. */
  agents(): number;
  frames(): number;
  /** Page coordinates of a point of the level, or of an agent in the picture. */
  screenOf(point: Vec3): { x: number; y: number };
  agentOnScreen(id: number): { x: number; y: number } | null;
  /** Milliseconds after the start of loading at which the first picture with agents was drawn. */
  firstCrowd(): number | null;
}

declare global {
  interface Window {
    readonly __crowdreel: Probe;
  }
}

export function exposeProbe(store: Store, stage: Stage, firstCrowd: () => number | null): void {
  const probe: Probe = {
    state: () => store.get(),
    agents: () => stage.agentCount,
    frames: () => stage.framesDrawn,
    screenOf: (point) => stage.screenOf(point),
    agentOnScreen: (id) => stage.agentOnScreen(id),
    firstCrowd,
  };
  Object.defineProperty(window, '__crowdreel', { value: Object.freeze(probe) });
}
