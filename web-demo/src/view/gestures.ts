// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Mouse and touch on the picture: drag turns, right-drag or two fingers move, wheel or pinch zooms to the pointer, a tap is told
// apart from a drag.
import type { OrbitCamera } from './camera';

export interface TapHandlers {
  tap(x: number, y: number, touch: boolean): void;
  doubleTap(x: number, y: number, touch: boolean): void;
  /** The view is being moved by hand. */
  moved(): void;
}

interface Touch {
  x: number;
  y: number;
}

/** A press that moves less than this, in pixels, is a tap. */
const TAP_SLACK = 6;
const DOUBLE_TAP_MS = 320;

export class Gestures {
  private readonly touches = new Map<number, Touch>();
  private start: Touch | null = null;
  private dragging = false;
  private lastTap = { time: -Infinity, x: 0, y: 0 };

  constructor(
    private readonly element: HTMLElement,
    private readonly orbit: OrbitCamera,
    private readonly handlers: TapHandlers,
  ) {
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.move(event));
    element.addEventListener('pointerup', (event) => this.up(event, true));
    element.addEventListener('pointercancel', (event) => this.up(event, false));
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  private at(event: MouseEvent): Touch {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    this.element.setPointerCapture(event.pointerId);
    const touch = this.at(event);
    this.touches.set(event.pointerId, touch);
    this.start = this.touches.size === 1 ? touch : null;
    if (this.touches.size > 1) this.dragging = true;
  }

  private move(event: PointerEvent): void {
    const before = this.touches.get(event.pointerId);
    if (!before) return;
    const now = this.at(event);
    if (!this.dragging && this.start && Math.hypot(now.x - this.start.x, now.y - this.start.y) < TAP_SLACK) return;
    this.dragging = true;
    this.handlers.moved();
    if (this.touches.size >= 2) this.pinch(event.pointerId, before, now);
    else if (event.buttons & 2 || event.shiftKey) this.orbit.pan(now.x - before.x, now.y - before.y);
    else this.orbit.orbit(now.x - before.x, now.y - before.y);
    this.touches.set(event.pointerId, now);
  }

  private pinch(id: number, before: Touch, now: Touch): void {
    const other = [...this.touches].find(([otherId]) => otherId !== id)?.[1];
    if (!other) return;
    const [was, is] = [
      Math.hypot(before.x - other.x, before.y - other.y),
      Math.hypot(now.x - other.x, now.y - other.y),
    ];
    this.orbit.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    if (was > 0 && is > 0) this.orbit.zoom(was / is, this.orbit.pointer((now.x + other.x) / 2, (now.y + other.y) / 2));
  }

  private up(event: PointerEvent, released: boolean): void {
    if (!this.touches.delete(event.pointerId)) return;
    if (released && !this.dragging && event.button === 0 && this.start) this.tap(this.start, event);
    if (this.touches.size === 0) this.dragging = false;
    this.start = null;
  }

  private tap({ x, y }: Touch, { timeStamp: time, pointerType }: PointerEvent): void {
    const touch = pointerType === 'touch';
    const { lastTap } = this;
    const double = time - lastTap.time < DOUBLE_TAP_MS && Math.hypot(x - lastTap.x, y - lastTap.y) < 24;
    this.lastTap = { time: double ? -Infinity : time, x, y };
    if (double) this.handlers.doubleTap(x, y, touch);
    else this.handlers.tap(x, y, touch);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.at(event);
    // Lines and pages of old wheels; a pinch on a touchpad comes as a wheel with ctrl.
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
    const amount = Math.max(-300, Math.min(300, event.deltaY * unit)) * (event.ctrlKey ? 0.008 : 0.0012);
    this.handlers.moved();
    this.orbit.zoom(Math.exp(amount), this.orbit.pointer(x, y));
  }
}
