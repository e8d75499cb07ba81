// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The list of keys and gestures.
import { h } from './dom';
import { icon } from './icons';

type Row = [string[], string];

const PLAYING: Row[] = [
  [['Space', 'K'], 'play or pause'],
  [[',', '.'], 'one step'],
  [['←', '→'], 'five seconds'],
  [['⇧ ←', '⇧ →'], 'thirty seconds'],
  [['[', ']'], 'slower, faster'],
  [['R'], 'loop'],
  [['L'], 'back to the present'],
  [['Ctrl S'], 'save the replay'],
  [['O'], 'open a replay'],
];

const LOOKING: Row[] = [
  [['N', 'P'], 'pick the next agent, the one before'],
  [['F'], 'follow the picked agent'],
  [['G'], 'send agents to the middle of the picture'],
  [['W', 'A', 'S', 'D'], 'move the view'],
  [['Q', 'E'], 'turn the view'],
  [['+', '−'], 'zoom'],
  [['Home'], 'frame everything'],
  [['1'], 'navigation mesh'],
  [['Esc'], 'close, let go'],
];

const GESTURES: [string, string][] = [
  ['Tap an agent', 'pick it'],
  ['Tap the ground', 'send agents there'],
  ['Drag', 'turn the view'],
  ['Right-drag, two fingers', 'move the view'],
  ['Wheel, pinch', 'zoom'],
  ['Drop a file', 'play the replay'],
];

export class HelpDialog {
  readonly root: HTMLDialogElement;

  constructor(version: () => string) {
    const close = h('button', { class: 'icon-button', label: 'Close', attrs: { type: 'button' } }, icon('close'));
    const keys = (rows: Row[]) =>
      h(
        'dl',
        {},
        ...rows.flatMap(([names, meaning]) =>
          row(
            names.map((name) => h('kbd', {}, name)),
            meaning,
          ),
        ),
      );
    const gestures = GESTURES.flatMap(([gesture, meaning]) => row([h('span', {}, gesture)], meaning));
    const about = h('p', { class: 'help-about' });
    this.root = h(
      'dialog',
      { class: 'help', attrs: { 'aria-label': 'Keys and gestures' } },
      h('div', { class: 'card-head' }, h('h2', {}, 'Keys and gestures'), close),
      h(
        'div',
        { class: 'help-columns' },
        keys(PLAYING),
        keys(LOOKING),
        h('dl', { class: 'help-gestures' }, ...gestures),
      ),
      about,
    );
    close.addEventListener('click', () => this.root.close());
    this.root.addEventListener('click', (event) => {
      if (event.target === this.root) this.root.close();
    });
    this.root.addEventListener('toggle', () => (about.textContent = `crowdreel ${version()}`));
  }

  toggle(): void {
    if (this.root.open) this.root.close();
    else this.root.showModal();
  }
}

function row(names: HTMLElement[], meaning: string): HTMLElement[] {
  return [h('dt', {}, ...names), h('dd', {}, meaning)];
}
