// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The row of playback controls.
import { clock, speedLabel } from '../format';
import { SPEEDS, type Session } from '../session';
import { h, setAttribute, setText } from './dom';
import { icon, type IconName } from './icons';

function button(name: IconName, label: string, act: () => void, className = ''): HTMLButtonElement {
  return h(
    'button',
    { class: `icon-button ${className}`.trim(), label, attrs: { type: 'button' }, on: { click: act } },
    icon(name),
  );
}

function playButton(session: Session): HTMLButtonElement {
  const play = button('pause', 'Pause (space)', () => session.toggle(), 'play-button');
  session.store.watch(
    (state) => [state.playing] as const,
    (playing) => {
      play.replaceChildren(icon(playing ? 'pause' : 'play'));
      const label = playing ? 'Pause (space)' : 'Play (space)';
      setAttribute(play, 'aria-label', label);
      play.title = label;
    },
  );
  return play;
}

/** "12.40 s / 60.00 s   step 744" in figures of one width; the parts never push each other about. */
function readout(session: Session): HTMLElement {
  const now = h('span', { class: 'time-now' });
  const total = h('span', { class: 'time-total' });
  const step = h('span', { class: 'time-step' });
  session.store.watch(
    (state) => [state.step, state.total, state.view, state.run?.dt ?? 1 / 60] as const,
    (at, end, view, dt) => {
      setText(now, clock(at * dt));
      setText(total, view === 'live' ? '' : `/ ${clock(end * dt)}`);
      setText(step, `step ${at}`);
    },
  );
  session.store.watch(
    (state) => [state.hash] as const,
    (hash) => (step.title = hash ? `State hash ${hash}` : ''),
  );
  return h('div', { class: 'readout' }, now, total, step);
}

function speedChoice(session: Session): HTMLElement {
  const choice = h('select', { class: 'speed', label: 'Speed ([ and ])' });
  for (const speed of SPEEDS) choice.append(h('option', { attrs: { value: String(speed) } }, speedLabel(speed)));
  choice.addEventListener('change', () => {
    session.setSpeed(Number(choice.value));
    choice.blur();
  });
  session.store.watch(
    (state) => [state.speed] as const,
    (speed) => (choice.value = String(speed)),
  );
  return choice;
}

function loopToggle(session: Session): HTMLElement {
  const element = button('loop', 'Loop (R)', () => session.toggleLoop());
  session.store.watch(
    (state) => [state.loop, state.run?.kind] as const,
    (loop, kind) => {
      setAttribute(element, 'aria-pressed', String(loop));
      element.hidden = kind !== 'replay';
    },
  );
  return element;
}

function meshToggle(session: Session): HTMLElement {
  const element = h('button', {
    class: 'chip',
    title: 'Show the navigation mesh (1)',
    attrs: { type: 'button', 'aria-pressed': 'false' },
  });
  element.append(icon('mesh'), h('span', {}, 'Mesh'));
  element.addEventListener('click', () => session.toggleMesh());
  session.store.watch(
    (state) => [state.showMesh] as const,
    (shown) => setAttribute(element, 'aria-pressed', String(shown)),
  );
  return element;
}

function liveButton(session: Session): HTMLElement {
  const element = h('button', {
    class: 'live-button',
    title: 'Return to the running present (L)',
    attrs: { type: 'button' },
  });
  element.append(h('span', { class: 'live-dot' }), 'Live');
  element.addEventListener('click', () => session.goLive());
  session.store.watch(
    (state) => [state.run?.kind, state.view, state.playing] as const,
    (kind, view, playing) => {
      element.hidden = kind !== 'live';
      setAttribute(element, 'data-on', String(view === 'live' && playing));
    },
  );
  return element;
}

function agentCount(session: Session): HTMLElement {
  const element = h('span', { class: 'agent-count' });
  session.store.watch(
    (state) => [state.agentCount, state.run] as const,
    (count, run) => setText(element, run ? (count === 1 ? '1 agent' : `${count} agents`) : ''),
  );
  return element;
}

/** After a click with a pointer the keys are the page's again: space plays and does not press the button a second time. */
function giveBackFocus(event: MouseEvent): void {
  if (event.detail > 0 && document.activeElement instanceof HTMLButtonElement) document.activeElement.blur();
}

export function controls(session: Session, frameAll: () => void): HTMLElement {
  return h(
    'div',
    { class: 'controls', attrs: { role: 'toolbar', 'aria-label': 'Playback' }, on: { click: giveBackFocus } },
    playButton(session),
    button('back', 'One step back (,)', () => session.stepBy(-1)),
    button('forward', 'One step forward (.)', () => session.stepBy(1)),
    readout(session),
    h('span', { class: 'spring' }),
    agentCount(session),
    meshToggle(session),
    button('frame', 'Frame everything (Home)', frameAll),
    loopToggle(session),
    speedChoice(session),
    liveButton(session),
  );
}
