// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The card for what went wrong: what happened, where, and what can be done. It lies over the last good picture.
import type { Problem } from '../messages';
import type { Session } from '../session';
import { h } from './dom';
import { icon } from './icons';

const TITLES: Record<Problem['during'], string> = {
  start: 'The viewer could not start',
  scene: 'The scene could not be opened',
  file: 'This file cannot be played',
  playing: 'The replay stops here',
  running: 'The run stopped',
  saving: 'The replay could not be saved',
};

function whereRows({ fileName, field, offset }: Problem): HTMLElement[] {
  const rows: [string, string | null][] = [
    ['File', fileName],
    ['Field', field],
    ['Byte', offset === null ? null : String(offset)],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [h('dt', {}, name), h('dd', {}, value)]));
}

function actions(session: Session, problem: Problem, openPicker: () => void): HTMLElement {
  const open = h('button', { class: 'button', attrs: { type: 'button' }, on: { click: openPicker } }, 'Open another');
  const dismiss = h('button', { class: 'button primary', attrs: { type: 'button' } }, 'Dismiss');
  dismiss.addEventListener('click', () => session.dismissProblem());
  return h('div', { class: 'card-actions' }, problem.during === 'start' ? null : open, dismiss);
}

export function errorCard(session: Session, openPicker: () => void): HTMLElement {
  const root = h('section', { class: 'card', attrs: { role: 'alert', 'aria-label': 'Error' }, hidden: true });
  session.store.watch(
    (state) => [state.problem] as const,
    (problem) => {
      root.hidden = problem === null;
      if (!problem) return root.replaceChildren();
      const head = h('div', { class: 'card-head' }, icon('warning'), h('h2', {}, TITLES[problem.during]));
      const rows = whereRows(problem);
      const list = rows.length > 0 ? h('dl', {}, ...rows) : null;
      const parts = [
        head,
        h('p', { class: 'card-message' }, problem.message),
        list,
        actions(session, problem, openPicker),
      ];
      root.replaceChildren(...parts.filter((part) => part !== null));
    },
  );
  return root;
}
