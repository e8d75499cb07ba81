// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The clock of the picture. The head moves in fractions of a step; the worker is asked, one request at a time, for the frames
// it will need next, and the picture is a mix of the two frames round the head. When the worker falls behind, the head waits:
// the run gets slower, never jumpy.
import type { FrameEvent } from './messages';
import { frameArrays, type FrameArrays } from './frame-layout';

export interface Frame {
  step: number;
  count: number;
  arrays: FrameArrays;
  event: FrameEvent;
}

/** `mix` 0 is `from`, 1 is `to`. */
export interface Picture {
  from: Frame;
  to: Frame;
  mix: number;
}

export interface PlaybackHost {
  /** Steps the head may reach: infinite for the present. */
  limit(): number;
  /** Ask the worker to go on to `to`; the live run behind the past goes on by `live`. */
  request(to: number, live: number): void;
  recycle(buffer: ArrayBuffer): void;
}

/** Longest time that passes between two pictures: a tab that was hidden does not rush on. */
const MAX_FRAME_SECONDS = 0.1;

export class Playback {
  playing = true;
  speed = 1;
  dt = 1 / 60;
  /** Held during a seek or a drag. */
  held = false;
  head = 0;
  private frames: Frame[] = [];
  private waiting = false;
  private frameSeconds = 1 / 60;
  private liveOwed = 0;

  constructor(private readonly host: PlaybackHost) {}

  /** Forgets every frame: those to come do not follow from them. Keeps the newest for the eye until then. */
  restart(): void {
    this.dropUntil(this.frames.length - 1);
    this.waiting = false;
    this.liveOwed = 0;
  }

  /** Takes a frame that follows the newest one. */
  append(event: FrameEvent): void {
    this.waiting = false;
    this.push(event);
    if (!this.playing) this.head = event.step;
  }

  /** Takes a frame that stands alone: the picture jumps to it. */
  replace(event: FrameEvent): void {
    this.restart();
    this.dropUntil(this.frames.length);
    this.push(event);
    this.head = event.step;
  }

  /** Stops at the newest frame there is, so that the picture is a whole step. */
  pause(): void {
    this.playing = false;
    const newest = this.frames.at(-1);
    if (newest) this.head = newest.step;
  }

  /** Moves the head by `seconds` of the viewer's time and asks for what comes next. True when the limit is reached. */
  tick(seconds: number): boolean {
    const spent = Math.min(seconds, MAX_FRAME_SECONDS);
    this.frameSeconds += (spent - this.frameSeconds) * 0.1;
    const newest = this.frames.at(-1);
    if (!this.playing || this.held || !newest) return false;
    const limit = this.host.limit();
    this.liveOwed = Math.min(this.liveOwed + spent / this.dt, MAX_FRAME_SECONDS / this.dt);
    this.head = Math.min(this.head + (spent * this.speed) / this.dt, newest.step, limit);
    this.ask(newest.step, limit);
    return this.head >= limit;
  }

  picture(): Picture | null {
    let index = this.frames.findLastIndex((frame) => frame.step <= this.head);
    if (index < 0) index = 0;
    this.dropUntil(index);
    const from = this.frames[0];
    if (!from) return null;
    const to = this.frames[1];
    if (!to || to.step <= from.step) return { from, to: from, mix: 0 };
    return { from, to, mix: Math.min(1, Math.max(0, (this.head - from.step) / (to.step - from.step))) };
  }

  private ask(newest: number, limit: number): void {
    if (this.waiting || newest >= limit) return;
    const perFrame = (this.frameSeconds * this.speed) / this.dt;
    const want = Math.min(limit, Math.ceil(this.head + Math.max(2, 2 * perFrame)));
    if (want <= newest) return;
    const live = Math.floor(this.liveOwed);
    this.liveOwed -= live;
    this.waiting = true;
    this.host.request(want, live);
  }

  private push(event: FrameEvent): void {
    this.frames.push({
      step: event.step,
      count: event.count,
      arrays: frameArrays(event.buffer, event.capacity),
      event,
    });
  }

  private dropUntil(index: number): void {
    for (const frame of this.frames.splice(0, Math.max(0, index))) this.host.recycle(frame.event.buffer);
  }
}
