// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One of several things passed in (a volume, a link): its values checked, and named by place in errors.
import { describe } from './describe.js';
import { ArgumentError, sentence, type ErrorDetail } from './errors.js';
import { COORD_LIMIT, finiteVec3, notAnOption, type Vec3 } from './values.js';

/** What a check is about: `input.volumes[2]`, or an argument of its own. */
export class Subject {
  readonly #field: string;
  readonly #index: number | null;

  constructor(field: string, index: number | null = null) {
    this.#field = field;
    this.#index = index;
  }

  /** The error for a member, or for the whole when `member` is empty. `problem` completes "<name> ...". */
  error(member: string, problem: string, detail: Partial<ErrorDetail> = {}): ArgumentError {
    const place = this.#index === null ? this.#field : `${this.#field}[${this.#index}]`;
    const field = this.#index === null && member ? `${this.#field}.${member}` : this.#field;
    const message = `${place}${member ? `.${member}` : ''} ${problem}`;
    return new ArgumentError(sentence(message), { status: 'Argument', field, index: this.#index, ...detail });
  }

  /** An object with none but the members named. */
  object(value: unknown, members: readonly string[]): Readonly<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null) throw this.error('', `must be an object, not ${describe(value)}`);
    for (const name of Object.keys(value)) {
      if (!members.includes(name)) throw this.error(name, notAnOption(name, members));
    }
    return value as Readonly<Record<string, unknown>>;
  }

  number(value: unknown, member: string): number {
    if (typeof value !== 'number') throw this.error(member, `must be a number, not ${describe(value)}`);
    if (!Number.isFinite(value)) throw this.error(member, `must be finite, not ${value}`);
    return value;
  }

  coordinate(value: unknown, member: string): number {
    const v = this.number(value, member);
    if (Math.abs(v) < COORD_LIMIT) return v;
    throw this.error(member, `is too far out: ${v} is not below ${COORD_LIMIT}`, { limit: COORD_LIMIT });
  }

  /** A number above 0, or with `orZero` from 0 on; below the coordinate limit. */
  length(value: unknown, member: string, orZero = false): number {
    const v = this.number(value, member);
    if (v < 0 || (v === 0 && !orZero)) {
      throw this.error(member, `must ${orZero ? 'not be negative' : 'be above 0'}, but is ${v}`);
    }
    if (v < COORD_LIMIT) return v;
    throw this.error(member, `must be below ${COORD_LIMIT}, but is ${v}`, { limit: COORD_LIMIT });
  }

  integer(value: unknown, member: string, low: number, high: number): number {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      throw this.error(member, `must be a whole number, not ${describe(value)}`);
    }
    if (value >= low && value <= high) return value;
    throw this.error(member, `must be ${low} to ${high}, not ${value}`, { limit: value < low ? low : high });
  }

  flag(value: unknown, member: string): boolean {
    if (typeof value === 'boolean') return value;
    throw this.error(member, `must be true or false, not ${describe(value)}`);
  }

  /** A point of the world. */
  point(value: unknown, member: string): Vec3 {
    const point = this.#vector(value, member);
    for (const v of point) this.coordinate(v, member);
    return point;
  }

  #vector(value: unknown, member: string): Vec3 {
    try {
      return finiteVec3(value, member);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      throw this.error(member, error.message.slice(member.length + 1, -1));
    }
  }

  /** Three lengths. */
  sizes(value: unknown, member: string): Vec3 {
    const sizes = this.#vector(value, member);
    for (const [axis, v] of sizes.entries()) this.length(v, `${member}.${'xyz'[axis]}`, axis === 1);
    return sizes;
  }

  /** Two finite numbers. */
  pair(value: unknown, member: string): [number, number] {
    const list = value as ArrayLike<unknown> | null | undefined;
    if (typeof value !== 'object' || list === null || list?.length !== 2) {
      throw this.error(member, `must be [x, z], not ${describe(value)}`);
    }
    return [this.number(list[0], member), this.number(list[1], member)];
  }
}

/** A list of things, each with the subject its errors name. */
export function subjects(list: unknown, field: string): [unknown, Subject][] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw new Subject(field).error('', `must be an array, not ${describe(list)}`);
  return list.map((item: unknown, index) => [item, new Subject(field, index)]);
}
