// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The points of a query on their way into the argument block. They go there rather than into parameters, and each function here reads
// numbers into variables of its own rather than calling for them: a number that passes between functions may be garbage for the
// collector. All of a call are read before the first is written, since reading a caller's object may run the caller's code.
import type { Native } from './native.js';
import { boxExtents, COORD_LIMIT, worldPoint, type PointLike } from './values.js';

const SECOND = 3 * 8;
const BOX = 6 * 8;
const BOX_FIELD = 'options.extents';

/** What may be there when a point was asked for. */
interface AnyPoint {
  readonly x?: unknown;
  readonly y?: unknown;
  readonly z?: unknown;
  readonly length?: unknown;
  readonly [index: number]: unknown;
}

const nothing: AnyPoint = {};

function members(value: unknown): AnyPoint {
  return typeof value === 'object' && value !== null ? (value as AnyPoint) : nothing;
}

function isList(point: AnyPoint): boolean {
  return Array.isArray(point) || (point.length === 3 && point.x === undefined);
}

function withinReach(v: unknown): v is number {
  return typeof v === 'number' && v > -COORD_LIMIT && v < COORD_LIMIT;
}

function isExtent(v: unknown): v is number {
  return typeof v === 'number' && v >= 0 && v < Infinity;
}

// Whatever is not plainly right goes to worldPoint and boxExtents, which find the words.

/** A point, and with `extents` the box around it that is looked in. */
export function placePoint(native: Native, point: PointLike, field: string, extents?: PointLike): void {
  const p = members(point);
  const list = isList(p);
  let x = list ? p[0] : p.x;
  let y = list ? p[1] : p.y;
  let z = list ? p[2] : p.z;
  if (!(withinReach(x) && withinReach(y) && withinReach(z) && (!list || p.length === 3))) {
    [x, y, z] = worldPoint(point, field);
  }
  if (extents !== undefined) placeBox(native, extents);
  native.memory.setPoint(native.arguments, x as number, y as number, z as number);
}

/** Two points, and with `extents` the box around each that is looked in. */
export function placePoints(
  native: Native,
  a: PointLike,
  aField: string,
  b: PointLike,
  bField: string,
  extents?: PointLike,
): void {
  const p = members(a);
  const aList = isList(p);
  let ax = aList ? p[0] : p.x;
  let ay = aList ? p[1] : p.y;
  let az = aList ? p[2] : p.z;
  if (!(withinReach(ax) && withinReach(ay) && withinReach(az) && (!aList || p.length === 3))) {
    [ax, ay, az] = worldPoint(a, aField);
  }
  const q = members(b);
  const bList = isList(q);
  let bx = bList ? q[0] : q.x;
  let by = bList ? q[1] : q.y;
  let bz = bList ? q[2] : q.z;
  if (!(withinReach(bx) && withinReach(by) && withinReach(bz) && (!bList || q.length === 3))) {
    [bx, by, bz] = worldPoint(b, bField);
  }
  if (extents !== undefined) placeBox(native, extents);
  native.memory.setPoint(native.arguments, ax as number, ay as number, az as number);
  native.memory.setPoint(native.arguments + SECOND, bx as number, by as number, bz as number);
}

/** A centre and a radius that has been checked. */
export function placeCircle(native: Native, center: PointLike, radius: number): void {
  placePoint(native, center, 'center');
  native.memory.setPoint(native.arguments + SECOND, radius, 0, 0);
}

/** The box that is looked in around points that stand elsewhere. */
export function placeBox(native: Native, extents: PointLike): void {
  const e = members(extents);
  const list = isList(e);
  let x = list ? e[0] : e.x;
  let y = list ? e[1] : e.y;
  let z = list ? e[2] : e.z;
  if (!(isExtent(x) && isExtent(y) && isExtent(z) && (!list || e.length === 3))) {
    [x, y, z] = boxExtents(extents, BOX_FIELD);
  }
  native.memory.setPoint(native.arguments + BOX, x as number, y as number, z as number);
}
