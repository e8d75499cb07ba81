// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The picked agent: who it is, what it does, and where it can be sent. A panel beside the crowd, a sheet from below on phones.
import type { AgentDetails, SendScope, Vec3 } from '../messages';
import type { Session } from '../session';
import { groupColour } from '../view/palette';
import { h, setAttribute, setText } from './dom';
import { icon } from './icons';

/** By FollowerState. */
const STATE_WORDS = ['standing', 'walking', 'on a link', 'arrived', 'no way there', 'stuck', 'off the mesh'];

const SCOPES: { scope: SendScope; label: string }[] = [
  { scope: 'agent', label: 'This one' },
  { scope: 'group', label: 'Its group' },
  { scope: 'all', label: 'Everyone' },
];

const meters = (value: number) => `${value.toFixed(1)} m`;
/** Without the sign of a zero. */
const tenths = (value: number) => (Math.round(value * 10) / 10 || 0).toFixed(1);
const place = ([x, , z]: Vec3) => `${tenths(x)}, ${tenths(z)}`;

const ROWS: { name: string; value: (agent: AgentDetails) => string }[] = [
  { name: 'Speed', value: ({ speed }) => `${speed.toFixed(2)} m/s` },
  { name: 'At most', value: ({ maxSpeed }) => `${maxSpeed.toFixed(2)} m/s` },
  { name: 'Position', value: ({ position }) => place(position) },
  { name: 'Going to', value: goalWords },
  { name: 'Remaining', value: ({ destination, remaining }) => remainingWords(destination !== null, remaining) },
  { name: 'Corridor', value: ({ corridorPolygons }) => `${corridorPolygons} polygons` },
  { name: 'Replans', value: ({ replanRounds }) => String(replanRounds) },
  { name: 'Radius', value: ({ radius }) => `${radius.toFixed(2)} m` },
];

/** One its host moves stands as far as ways go; a crossing under way ends first. */
function stateWords({ state, velocityControlled }: AgentDetails): string {
  return velocityControlled && state === 0 ? 'moved by its host' : (STATE_WORDS[state] ?? 'unknown');
}

function goalWords({ destination, velocityControlled }: AgentDetails): string {
  if (velocityControlled) return 'where its host says';
  return destination ? place(destination) : 'nowhere';
}

function remainingWords(going: boolean, remaining: number): string {
  if (!going) return '–';
  return Number.isFinite(remaining) ? meters(remaining) : 'not known yet';
}

function scopeChoice(session: Session): HTMLElement {
  const buttons = SCOPES.map(({ scope, label }) => {
    const button = h('button', { class: 'segment', attrs: { type: 'button', role: 'radio' } }, label);
    button.addEventListener('click', () => session.setScope(scope));
    session.store.watch(
      (state) => [state.scope] as const,
      (current) => setAttribute(button, 'aria-checked', String(current === scope)),
    );
    return button;
  });
  const group = h('div', { class: 'segments', attrs: { role: 'radiogroup', 'aria-label': 'Who goes' } }, ...buttons);
  const root = h('div', { class: 'send' }, h('p', { class: 'send-hint' }, 'Tap the ground to send'), group);
  session.store.watch(
    (state) => [state.view] as const,
    (view) => (root.hidden = view !== 'live'),
  );
  return root;
}

function followButton(session: Session): HTMLElement {
  const button = h(
    'button',
    { class: 'icon-button', label: 'Follow with the camera (F)', attrs: { type: 'button' } },
    icon('follow'),
  );
  button.addEventListener('click', () => session.toggleFollow());
  session.store.watch(
    (state) => [state.follow] as const,
    (follow) => setAttribute(button, 'aria-pressed', String(follow)),
  );
  return button;
}

function copyButton(session: Session): HTMLElement {
  const button = h('button', { class: 'icon-button', label: 'Copy as JSON', attrs: { type: 'button' } }, icon('copy'));
  button.addEventListener('click', () => {
    const { agent, step } = session.store.get();
    if (!agent) return;
    const { corners, ...rest } = agent;
    const text = JSON.stringify({ step, ...rest, corners: [...corners] }, null, 2);
    navigator.clipboard.writeText(text).then(
      () => session.toast('Copied.'),
      () => session.toast('The browser does not let the page copy.'),
    );
  });
  return button;
}

export function inspector(session: Session): HTMLElement {
  const dot = h('span', { class: 'agent-dot' });
  const title = h('h2', {});
  const state = h('span', { class: 'agent-state' });
  const close = h('button', { class: 'icon-button', label: 'Close (Esc)', attrs: { type: 'button' } }, icon('close'));
  close.addEventListener('click', () => session.pick(null));
  const values = ROWS.map(({ name }) => ({ term: h('dt', {}, name), value: h('dd') }));
  const list = h('dl', {}, ...values.flatMap(({ term, value }) => [term, value]));
  const head = h('div', { class: 'inspector-head' }, dot, title, state, h('span', { class: 'spring' }));
  head.append(followButton(session), copyButton(session), close);
  const root = h(
    'aside',
    { class: 'inspector', attrs: { 'aria-label': 'Picked agent' } },
    head,
    list,
    scopeChoice(session),
  );
  session.store.watch(
    (s) => [s.picked] as const,
    (picked) => {
      setAttribute(root, 'data-open', String(picked !== null));
      root.inert = picked === null;
      if (picked !== null) setText(title, `Agent ${picked}`);
    },
  );
  session.store.watch(
    (s) => [s.agent, s.picked] as const,
    (agent, picked) => {
      if (picked === null) return;
      setText(state, agent ? stateWords(agent) : 'not here at this step');
      setAttribute(root, 'data-state', agent ? String(agent.state) : 'absent');
      dot.style.backgroundColor = groupColour(agent?.group ?? 8);
      values.forEach(({ value }, i) => setText(value, agent ? ROWS[i]!.value(agent) : '–'));
    },
  );
  return root;
}
