// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Drawing a crowd between its last two steps. Both are kept as copies, each agent of the newer one beside the place it came from;
// what a frame needs is then one pass over arrays.
import { offsets, records } from './abi.js';
import { Crowd, type CrowdView } from './crowd.js';
import { describe } from './describe.js';
import { badArgument } from './errors.js';
import { stepSeconds } from './fixed-step.js';
import { outObject } from './query-results.js';
import { instanceOf } from './resource.js';
import { checkMembers, finite, optionsObject } from './values.js';

/** Arrays for `CrowdInterpolation.readAgents`, each long enough for all agents. Those left out are not written. */
export interface InterpolatedArrays {
  /** 1 number for each agent. */
  ids?: Float64Array;
  /** 3 numbers for each agent: between the last two steps. */
  positions?: Float64Array | Float32Array;
  /** 3 numbers for each agent, units/s: between the last two steps. */
  velocities?: Float64Array | Float32Array;
  /** 1 number for each agent. */
  radii?: Float64Array | Float32Array;
  /** 1 `FollowerState` for each agent, as of the last step. */
  states?: Uint8Array;
}

/** Options of a `CrowdInterpolation`. */
export interface CrowdInterpolationOptions {
  /** Seconds of every step of the crowd. */
  dt: number;
}

/** All agents at one step. */
interface Frame {
  ids: Float64Array<ArrayBuffer>;
  positions: Float64Array<ArrayBuffer>;
  velocities: Float64Array<ArrayBuffer>;
  radii: Float64Array<ArrayBuffer>;
  states: Uint8Array<ArrayBuffer>;
}

type Row = Exclude<keyof InterpolatedArrays, 'states'>;

const widths: Readonly<Record<Row, number>> = { ids: 1, positions: 3, velocities: 3, radii: 1 };
const rows = Object.keys(widths) as Row[];
const arrayMembers: Readonly<Record<keyof InterpolatedArrays, true>> = {
  ids: true,
  positions: true,
  velocities: true,
  radii: true,
  states: true,
};
const optionMembers: Readonly<Record<keyof CrowdInterpolationOptions, true>> = { dt: true };
const infoAt = offsets(records.crowdInfo);

function createFrame(capacity: number): Frame {
  return {
    ids: new Float64Array(capacity),
    positions: new Float64Array(3 * capacity),
    velocities: new Float64Array(3 * capacity),
    radii: new Float64Array(capacity),
    states: new Uint8Array(capacity),
  };
}

function lengthAt(list: Float64Array, i: number): number {
  const x = list[3 * i] as number;
  const y = list[3 * i + 1] as number;
  const z = list[3 * i + 2] as number;
  return Math.sqrt(x * x + y * y + z * z);
}

function distanceAt(a: Float64Array, i: number, b: Float64Array, k: number): number {
  const x = (a[3 * i] as number) - (b[3 * k] as number);
  const y = (a[3 * i + 1] as number) - (b[3 * k + 1] as number);
  const z = (a[3 * i + 2] as number) - (b[3 * k + 2] as number);
  return Math.sqrt(x * x + y * y + z * z);
}

function copyRow(from: Float64Array, k: number, to: Float64Array, i: number): void {
  to[3 * i] = from[3 * k] as number;
  to[3 * i + 1] = from[3 * k + 1] as number;
  to[3 * i + 2] = from[3 * k + 2] as number;
}

/**
 * Where the agents of a crowd are between its last two steps, for pictures smoother than the steps. It reads a crowd and changes
 * nothing: runs, hashes and recordings are the same with and without it.
 *
 * Call `capture()` after every step and `readAgents` for every picture. Agents that were not in the crowd a step before are drawn
 * where they are, and so are those that were put elsewhere: an agent that came farther than its own diameter and twice the way its
 * speed explains did not walk there. Agents that were removed are gone with the next `capture()`.
 */
export class CrowdInterpolation {
  readonly #crowd: Crowd;
  readonly #dt: number;
  /** Step of `#to`; null before the first capture. */
  #step: number | null = null;
  #count = 0;
  #to = createFrame(0);
  #beforeCount = 0;
  /** The step before that of `#to`. */
  #before = createFrame(0);
  /** Where and how fast each agent of `#to` comes from. */
  #fromPositions = new Float64Array(0);
  #fromVelocities = new Float64Array(0);
  readonly #places = new IdTable();

  /** Throws `ArgumentError`. `crowd` may be that of a player, or one that is recorded. */
  constructor(crowd: CrowdView, options: CrowdInterpolationOptions) {
    instanceOf(crowd, Crowd, 'crowd');
    const given = optionsObject(options, 'options');
    checkMembers(given, optionMembers, 'options');
    this.#crowd = crowd as Crowd;
    this.#dt = stepSeconds(given.dt, 'options.dt');
  }

  /** Agents at the last capture. */
  get count(): number {
    return this.#count;
  }

  /**
   * Copies the crowd as it is. After a step it is what pictures now move to; when there was none since the last capture, agents added,
   * removed or put elsewhere meanwhile show at once; after a seek or any other gap in the steps pictures begin anew. Throws
   * `ArgumentError` with status `'StaleHandle'` when the crowd was disposed of.
   */
  capture(): void {
    const { native } = this.#crowd;
    native.call(native.exports.crw_crowd_info(this.#crowd.handle()));
    const step = native.memory.f64(native.recordAt + infoAt.stepCount);
    const count = native.memory.f64(native.recordAt + infoAt.agentCount);
    if (step !== this.#step) this.#turn(step - 1 === this.#step);
    this.#reserve(count);
    this.#count = this.#crowd.readAgents(this.#to);
    this.#step = step;
    this.#join();
  }

  /** Forgets what was captured: the next capture begins anew. For a restore that looks like a step. */
  reset(): void {
    this.#step = null;
    this.#count = 0;
    this.#beforeCount = 0;
  }

  /**
   * Writes all agents into the caller's arrays, in slot order, and returns their number: positions and velocities at the part `alpha`
   * (0 to 1) of the way from the step before to the last one, the rest as of the last one. It makes no garbage. Throws
   * `ArgumentError`, for example when an array is too short; nothing is written then.
   */
  readAgents(alpha: number, out: InterpolatedArrays): number {
    const part = finite(alpha, 'alpha');
    if (part < 0 || part > 1)
      throw badArgument('alpha', `must be from 0 to 1, not ${part}`, { limit: part < 0 ? 0 : 1 });
    const count = this.#count;
    checkArrays(out, count);
    const { ids, positions, velocities, radii, states } = out;
    const to = this.#to;
    if (positions) mix(this.#fromPositions, to.positions, part, 3 * count, positions);
    if (velocities) mix(this.#fromVelocities, to.velocities, part, 3 * count, velocities);
    if (ids) copy(to.ids, count, ids);
    if (radii) copy(to.radii, count, radii);
    if (states) copy(to.states, count, states);
    return count;
  }

  /** The last step becomes the one before, when the next follows on it. */
  #turn(follows: boolean): void {
    const frame = this.#before;
    this.#before = this.#to;
    this.#to = frame;
    this.#beforeCount = follows ? this.#count : 0;
    this.#count = 0;
  }

  #reserve(count: number): void {
    if (this.#to.ids.length < count) this.#to = createFrame(count + (count >> 1));
    if (this.#fromPositions.length >= 3 * count) return;
    this.#fromPositions = new Float64Array(this.#to.positions.length);
    this.#fromVelocities = new Float64Array(this.#to.velocities.length);
  }

  /** Finds where each agent comes from. */
  #join(): void {
    const before = this.#before.ids;
    const ids = this.#to.ids;
    const places = this.#places;
    places.clear();
    let next = 0;
    for (let i = 0; i < this.#count; i++, next++) {
      const id = ids[i] as number;
      // Mostly everybody is still there, in the same order.
      if (next >= this.#beforeCount || before[next] !== id) next = places.find(id, before, this.#beforeCount);
      const walked = next >= 0 && !this.#jumped(i, next);
      const source = walked ? this.#before : this.#to;
      const place = walked ? next : i;
      copyRow(source.positions, place, this.#fromPositions, i);
      copyRow(source.velocities, place, this.#fromVelocities, i);
    }
  }

  #jumped(i: number, place: number): boolean {
    const { positions, velocities, radii } = this.#to;
    const speed = Math.max(lengthAt(velocities, i), lengthAt(this.#before.velocities, place));
    return distanceAt(positions, i, this.#before.positions, place) > 2 * ((radii[i] as number) + speed * this.#dt);
  }
}

/** Finds ids in a list. Filled when it is first asked; keeps its memory. */
class IdTable {
  /** 1 + place in the list, or 0; a power of two of them. */
  #slots = new Int32Array(0);
  #filled = false;

  clear(): void {
    this.#filled = false;
  }

  /** The place of an id, or -1. */
  find(id: number, ids: Float64Array, count: number): number {
    if (!this.#filled) this.#fill(ids, count);
    const slots = this.#slots;
    for (let slot = id % slots.length; ; slot = (slot + 1) % slots.length) {
      const place = (slots[slot] as number) - 1;
      if (place < 0 || ids[place] === id) return place;
    }
  }

  #fill(ids: Float64Array, count: number): void {
    let size = Math.max(this.#slots.length, 16);
    while (size < 2 * count) size *= 2;
    if (size === this.#slots.length) this.#slots.fill(0);
    else this.#slots = new Int32Array(size);
    const slots = this.#slots;
    for (let place = 0; place < count; place++) {
      let slot = (ids[place] as number) % size;
      while (slots[slot] !== 0) slot = (slot + 1) % size;
      slots[slot] = place + 1;
    }
    this.#filled = true;
  }
}

/** Whole ends are exact, and so is what does not move. */
function mix(
  from: Float64Array,
  to: Float64Array,
  part: number,
  size: number,
  target: Float64Array | Float32Array,
): void {
  if (part === 1) {
    copy(to, size, target);
    return;
  }
  for (let i = 0; i < size; i++) {
    const a = from[i] as number;
    target[i] = a + ((to[i] as number) - a) * part;
  }
}

// Element by element: a subarray would be garbage.
function copy(from: Float64Array | Uint8Array, size: number, target: Float64Array | Float32Array | Uint8Array): void {
  for (let i = 0; i < size; i++) target[i] = from[i] as number;
}

// All arrays are checked before any is written.
function checkArrays(out: InterpolatedArrays, count: number): void {
  if (outObject(out) === null) throw badArgument('out', `must be an object, not ${describe(out)}`);
  checkMembers(out, arrayMembers, 'out');
  for (const name of rows) {
    const target: unknown = out[name];
    if (target === undefined) continue;
    if (!(target instanceof Float64Array) && (name === 'ids' || !(target instanceof Float32Array))) {
      const kinds = name === 'ids' ? 'a Float64Array' : 'a Float64Array or a Float32Array';
      throw badArgument(`out.${name}`, `must be ${kinds}, not ${describe(target)}`);
    }
    checkLength(target.length, count * widths[name], `out.${name}`);
  }
  const states: unknown = out.states;
  if (states === undefined) return;
  if (!(states instanceof Uint8Array)) throw badArgument('out.states', `must be a Uint8Array, not ${describe(states)}`);
  checkLength(states.length, count, 'out.states');
}

function checkLength(length: number, needed: number, field: string): void {
  if (length >= needed) return;
  throw badArgument(field, `is too short: ${length} elements where ${needed} are needed`, { limit: needed });
}
