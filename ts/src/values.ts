// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Checking and copying what callers pass in.
import { describe } from './describe.js';
import { badArgument, type ArgumentError } from './errors.js';

/** A position or direction: y is up, the ground plane is x/z. */
export type Vec3 = [x: number, y: number, z: number];

/**
 * Any way to write a point: `[x, y, z]`, a typed array of three, or an object with `x`, `y` and `z` (such as a Three.js
 * vector). Values are copied, never kept.
 */
export type PointLike = ArrayLike<number> | { readonly x: number; readonly y: number; readonly z: number };

/** Every coordinate must be finite and below this magnitude (2^21 world units). */
export const COORD_LIMIT = 2097152;

/** x, y and z of a point, whatever they are; null for what is none. */
export function componentsOf(value: unknown): readonly unknown[] | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('x' in value && 'y' in value && 'z' in value) return [value.x, value.y, value.z];
  const list = value as ArrayLike<unknown>;
  return list.length === 3 ? [list[0], list[1], list[2]] : null;
}

/** Three finite numbers without a bound. */
export function finiteVec3(value: unknown, field: string): Vec3 {
  const list = componentsOf(value);
  if (!list) throw badArgument(field, `must be [x, y, z] or { x, y, z }, not ${describe(value)}`);
  for (const [axis, v] of list.entries()) {
    if (typeof v !== 'number') throw badArgument(field, `must hold numbers, but ${'xyz'[axis]} is ${describe(v)}`);
    if (!Number.isFinite(v)) throw badArgument(field, `must be finite, but ${'xyz'[axis]} is ${v}`);
  }
  return list as Vec3;
}

/** A point of the world: finite, each coordinate within the limit. */
export function worldPoint(value: unknown, field: string): Vec3 {
  const point = finiteVec3(value, field);
  for (const v of point) checkReach(v, field);
  return point;
}

/** One coordinate of the world. */
export function coordinate(value: unknown, field: string): number {
  const v = finite(value, field);
  checkReach(v, field);
  return v;
}

function checkReach(v: number, field: string): void {
  if (Math.abs(v) < COORD_LIMIT) return;
  throw badArgument(field, `is too far out: ${v} is not below ${COORD_LIMIT}`, { limit: COORD_LIMIT });
}

/** Half sizes of a search box: finite, 0 or more. */
export function boxExtents(value: unknown, field: string): Vec3 {
  const extents = finiteVec3(value, field);
  for (const [axis, v] of extents.entries()) {
    if (v < 0) throw badArgument(field, `must not be negative, but ${'xyz'[axis]} is ${v}`, { limit: 0 });
  }
  return extents;
}

/** A finite number. */
export function finite(value: unknown, field: string): number {
  if (typeof value !== 'number') throw badArgument(field, `must be a number, not ${describe(value)}`);
  if (!Number.isFinite(value)) throw badArgument(field, `must be finite, not ${value}`);
  return value;
}

/** A whole number from `low` to `high`. */
export function integer(value: unknown, field: string, low = -2147483648, high = 2147483647): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw badArgument(field, `must be a whole number, not ${describe(value)}`);
  }
  if (value < low) throw badArgument(field, `must be at least ${low}, not ${value}`, { limit: low });
  if (value > high) throw badArgument(field, `must be at most ${high}, not ${value}`, { limit: high });
  return value;
}

/** An agent id: what `add` returned. */
export function agentId(value: unknown, field = 'id'): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw badArgument(field, `must be an agent id, not ${describe(value)}`);
}

const MAX_UINT64 = (1n << 64n) - 1n;

/** A 64-bit unsigned bigint. */
export function uint64(value: unknown, field: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value <= MAX_UINT64) return value;
  throw badArgument(field, `must be a bigint from 0 to 2^64 - 1, not ${describe(value)}`);
}

/** Bytes in a file or state. They are copied, never kept. */
export type BytesLike = Uint8Array | ArrayBuffer;

/** Bytes to read from. */
export function byteArray(value: unknown, field: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw badArgument(field, `must be a Uint8Array or an ArrayBuffer, not ${describe(value)}`);
}

/** What is wrong with the name of an option that there is not, or null when it is no more than unknown. */
export type NameHint = (name: string) => string | null;

/** Refuses members nobody reads: they are typing mistakes. Makes no garbage. */
export function checkMembers(
  value: object,
  members: Readonly<Record<string, unknown>>,
  field: string,
  hint?: NameHint,
): void {
  for (const name in value) {
    if (!Object.hasOwn(members, name)) throw unknownName(field, name, Object.keys(members), hint);
  }
}

/** The error for a name that is none of those known. */
export function unknownName(field: string, name: string, known: readonly string[], hint?: NameHint): ArgumentError {
  return badArgument(`${field}.${name}`, hint?.(name) ?? notAnOption(name, known));
}

/** Says of a name that is none of those known which of them was meant, if it is nearly one of them. */
export function notAnOption(name: string, known: readonly string[]): string {
  const given = name.toLowerCase();
  const near = known.filter((other) => name.length > 2 && nearlyEqual(given, other.toLowerCase()));
  const meant = near.find((other) => other.toLowerCase() === given) ?? near[0];
  return `is not an option${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

/** Whether two words are the same but for one letter that is missing, other, or in the place of its neighbour. */
function nearlyEqual(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const [p, q] = [a.slice(same), b.slice(same)];
  if (p.slice(1) === q || p === q.slice(1) || p.slice(1) === q.slice(1)) return true;
  return p[0] === q[1] && p[1] === q[0] && p.slice(2) === q.slice(2);
}

/** A plain options object, or nothing. */
export function optionsObject(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw badArgument(field, `must be an object, not ${describe(value)}`);
}
