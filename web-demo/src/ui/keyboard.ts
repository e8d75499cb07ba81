// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Keys. Everything the mouse can do has one; help.ts lists them.
import type { Session } from '../session';
import { takesKeys } from './dom';

export interface KeyActions {
  openPicker(): void;
  showHelp(): void;
  frameAll(): void;
  /** The next agent on the screen, or the one before. */
  pickNext(direction: 1 | -1): void;
  sendToMiddle(): void;
  moveView(right: number, ahead: number): void;
  turnView(angle: number): void;
  zoomView(factor: number): void;
}

const MOVE = 40;
const TURN = 24;

function table(session: Session, actions: KeyActions): Record<string, () => void> {
  return {
    ' ': () => session.toggle(),
    k: () => session.toggle(),
    ',': () => session.stepBy(-1),
    '.': () => session.stepBy(1),
    ArrowLeft: () => session.skip(-5),
    ArrowRight: () => session.skip(5),
    'Shift+ArrowLeft': () => session.skip(-30),
    'Shift+ArrowRight': () => session.skip(30),
    '[': () => session.changeSpeed(-1),
    ']': () => session.changeSpeed(1),
    r: () => session.toggleLoop(),
    l: () => session.goLive(),
    n: () => actions.pickNext(1),
    p: () => actions.pickNext(-1),
    f: () => session.toggleFollow(),
    g: () => actions.sendToMiddle(),
    w: () => actions.moveView(0, MOVE),
    s: () => actions.moveView(0, -MOVE),
    a: () => actions.moveView(MOVE, 0),
    d: () => actions.moveView(-MOVE, 0),
    q: () => actions.turnView(-TURN),
    e: () => actions.turnView(TURN),
    '+': () => actions.zoomView(0.85),
    '=': () => actions.zoomView(0.85),
    '-': () => actions.zoomView(1 / 0.85),
    Home: () => actions.frameAll(),
    '1': () => session.toggleMesh(),
    o: () => actions.openPicker(),
    '?': () => actions.showHelp(),
    Escape: () => escape(session),
  };
}

function escape(session: Session): void {
  const { problem, picked, welcome } = session.store.get();
  if (problem) session.dismissProblem();
  else if (picked !== null) session.pick(null);
  else if (welcome) session.store.set({ welcome: false });
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.shiftKey && key.startsWith('Arrow') ? `Shift+${key}` : key;
}

export function listenToKeys(session: Session, actions: KeyActions): void {
  const keys = table(session, actions);
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
      event.preventDefault();
      session.save();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || takesKeys(event.target)) return;
    if (document.querySelector('dialog[open], :popover-open')) return;
    // Space and Enter press the button that has the focus, as everywhere.
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
    // On the timeline itself Home is its beginning.
    if (event.key === 'Home' && event.target instanceof HTMLInputElement) return;
    const action = keys[nameOf(event)];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
