// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Things said in passing: the first greeting, short notes, and what the page is waiting for.
import type { Session } from '../session';
import { h, setText } from './dom';
import { icon } from './icons';

const TOAST_MS = 3200;
/** Waits shorter than this are not mentioned. */
const PATIENCE_MS = 250;

export function toast(session: Session): HTMLElement {
  const root = h('div', { class: 'toast', attrs: { role: 'status' } });
  let timer = 0;
  session.store.watch(
    (state) => [state.toast] as const,
    (note) => {
      if (!note) return;
      setText(root, note.text);
      root.dataset.shown = 'true';
      window.clearTimeout(timer);
      timer = window.setTimeout(() => (root.dataset.shown = 'false'), TOAST_MS);
    },
  );
  return root;
}

/** Says what a wait is for when it lasts. */
export function waiting(session: Session): HTMLElement {
  const root = h('div', { class: 'waiting', hidden: true, attrs: { role: 'status' } });
  let timer = 0;
  session.store.watch(
    (state) => [state.seeking, state.dragging, state.step] as const,
    (seeking, dragging, step) => {
      if (seeking === null) {
        window.clearTimeout(timer);
        timer = 0;
        root.hidden = true;
        return;
      }
      setText(root, `Going to step ${seeking}… at ${step}`);
      if (timer === 0 && !dragging) timer = window.setTimeout(() => (root.hidden = false), PATIENCE_MS);
    },
  );
  return root;
}

/** One sentence and two actions, until something is done. */
export function welcome(session: Session, openPicker: () => void, showScenes: () => void): HTMLElement {
  const close = h('button', { class: 'icon-button', label: 'Close', attrs: { type: 'button' } }, icon('close'));
  const open = h('button', { class: 'button', attrs: { type: 'button' }, on: { click: openPicker } }, 'Open a replay');
  const scenes = h('button', { class: 'button', attrs: { type: 'button' }, on: { click: showScenes } }, 'Other scenes');
  const text = h(
    'p',
    {},
    h('strong', {}, 'Every step of this crowd is being recorded.'),
    ' Tap the ground to send it there, tap an agent to see what it does, drag the timeline to look back.',
  );
  const root = h(
    'section',
    { class: 'welcome', attrs: { 'aria-label': 'Welcome' } },
    text,
    h('div', { class: 'welcome-actions' }, scenes, open),
    close,
  );
  const dismiss = () => session.store.set({ welcome: false });
  close.addEventListener('click', dismiss);
  session.store.watch(
    (state) => [state.welcome && state.run?.kind === 'live' && state.problem === null] as const,
    (shown) => (root.hidden = !shown),
  );
  return root;
}
