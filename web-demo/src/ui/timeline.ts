// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The timeline. A real range input carries touch, mouse, keyboard and screen reader; what it looks like is drawn beneath it: what
// is recorded, what of it is verified, where it first differs, and how many operations there are where.
import { clock, spokenClock } from '../format';
import type { Session } from '../session';
import type { AppState } from '../state';
import { h, setAttribute, setText } from './dom';

/** A live timeline shows this many seconds, and the next of these when they are full: it does not creep. */
const LIVE_SPANS = [30, 60, 120, 300, 600, 1200, 1800];

const THUMB = 14;

function spanOf({ run, total, view }: AppState): number {
  if (!run || view === 'replay') return Math.max(1, total);
  const seconds = total * run.dt;
  const span = LIVE_SPANS.find((candidate) => seconds <= candidate * 0.98) ?? LIVE_SPANS.at(-1)!;
  return Math.max(total, Math.round(span / run.dt));
}

/** Where a position is drawn: the middle of the thumb when it stands there. */
function place(fraction: number): string {
  const part = Math.min(1, Math.max(0, fraction));
  return `calc(${THUMB / 2}px + ${part.toFixed(6)} * (100% - ${THUMB}px))`;
}

/** How far a fill reaches: to the very end when it is complete. */
function fill(fraction: number): string {
  return fraction >= 1 ? '100%' : place(fraction);
}

function layers() {
  const recorded = h('div', { class: 'tl-recorded' });
  const verified = h('div', { class: 'tl-verified' });
  const played = h('div', { class: 'tl-played' });
  const differs = h('div', { class: 'tl-differs', hidden: true });
  const target = h('div', { class: 'tl-target', hidden: true });
  const thumb = h('div', { class: 'tl-thumb' });
  const ticks = h('canvas', { class: 'tl-ticks', attrs: { 'aria-hidden': 'true' } });
  const track = h('div', { class: 'tl-track', attrs: { 'aria-hidden': 'true' } }, recorded, verified, differs, played);
  return { recorded, verified, played, differs, target, thumb, ticks, track };
}

type Layers = ReturnType<typeof layers>;

function drawFills(parts: Layers, state: AppState): void {
  const span = spanOf(state);
  const { total, check, view, seeking } = state;
  const at = seeking !== null && state.dragging ? seeking : state.step;
  const checked = view === 'replay' ? (check?.checked ?? 0) : total;
  const mismatch = view === 'live' ? -1 : (check?.mismatch ?? -1);
  parts.recorded.style.width = fill(total / span);
  parts.verified.style.width = fill((mismatch >= 0 ? Math.min(mismatch, checked) : checked) / span);
  parts.played.style.width = fill(at / span);
  parts.thumb.style.left = place(at / span);
  parts.differs.hidden = mismatch < 0;
  parts.differs.style.left = place(mismatch / span);
  parts.target.hidden = seeking === null || seeking === state.step;
  parts.target.style.left = place((seeking ?? 0) / span);
}

/** Operations per pixel as fine ticks: taller where there are more, the rare kinds brighter. */
function drawTicks(canvas: HTMLCanvasElement, { marks, total }: AppState): void {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext('2d');
  if (!context || !marks || total === 0) return;
  const columns = Math.max(1, Math.floor((width - THUMB) / 3));
  const counts = new Uint32Array(columns);
  for (const step of marks.steps) counts[Math.min(columns - 1, Math.floor((step / total) * columns))]! += 1;
  const most = Math.max(...counts);
  context.scale(ratio, ratio);
  context.fillStyle = getComputedStyle(canvas).color;
  counts.forEach((count, column) => {
    if (count === 0) return;
    const tall = 2 + (height - 2) * Math.sqrt(count / most);
    context.fillRect(THUMB / 2 + (column / columns) * (width - THUMB), height - tall, 1.5, tall);
  });
}

function hoverLabel(session: Session, slider: HTMLInputElement): HTMLElement {
  const label = h('div', { class: 'tl-hover', hidden: true, attrs: { 'aria-hidden': 'true' } });
  slider.addEventListener('pointermove', (event) => {
    const state = session.store.get();
    const box = slider.getBoundingClientRect();
    const fraction = (event.clientX - box.left - THUMB / 2) / (box.width - THUMB);
    const step = Math.round(Math.min(Math.max(fraction, 0), 1) * spanOf(state));
    label.hidden = event.pointerType === 'touch' || !state.run || step > state.total;
    setText(label, `${clock(step * (state.run?.dt ?? 0))} · step ${step}`);
    label.style.left = `${Math.min(Math.max(event.clientX - box.left, 60), box.width - 60)}px`;
  });
  slider.addEventListener('pointerleave', () => (label.hidden = true));
  return label;
}

function speak(slider: HTMLInputElement, state: AppState): void {
  const dt = state.run?.dt ?? 0;
  const words = `${spokenClock(state.step * dt)}, step ${state.step} of ${state.total}`;
  setAttribute(slider, 'aria-valuetext', state.view === 'live' && state.playing ? `live, ${words}` : words);
}

function rangeInput(session: Session): HTMLInputElement {
  const attrs = { type: 'range', min: '0', max: '1', step: '1', value: '0' };
  const slider = h('input', { class: 'tl-input', id: 'timeline', label: 'Timeline', title: '', attrs });
  slider.removeAttribute('title');
  slider.addEventListener('pointerdown', () => session.beginDrag());
  for (const name of ['pointerup', 'pointercancel', 'change'] as const)
    slider.addEventListener(name, () => session.endDrag());
  slider.addEventListener('input', () => session.seek(Number(slider.value)));
  return slider;
}

export function timeline(session: Session): HTMLElement {
  const slider = rangeInput(session);
  const parts = layers();
  const root = h(
    'div',
    { class: 'timeline' },
    parts.ticks,
    parts.track,
    parts.target,
    slider,
    parts.thumb,
    hoverLabel(session, slider),
  );
  session.store.watch(
    (s) => [s.step, s.total, s.view, s.check, s.seeking, s.dragging, s.run, s.playing] as const,
    () => {
      const state = session.store.get();
      setAttribute(slider, 'max', String(spanOf(state)));
      if (!state.dragging) slider.value = String(state.seeking ?? state.step);
      drawFills(parts, state);
      speak(slider, state);
      setAttribute(root, 'data-view', state.view);
    },
  );
  const redraw = () => drawTicks(parts.ticks, session.store.get());
  session.store.watch((s) => [s.marks, s.theme, s.run] as const, redraw);
  new ResizeObserver(redraw).observe(parts.ticks);
  return root;
}
