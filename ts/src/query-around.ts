// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What is told of walls and polygons around a place, and how it is read.
import { offsets, records } from './abi.js';
import type { Memory } from './memory.js';
import type { Native } from './native.js';
import { readWall, roomIn, type WallPiece } from './query-results.js';
import type { Vec3 } from './values.js';

/** The nearest wall. */
export interface WallDistance {
  /** Horizontal distance to it. */
  distance: number;
  /** Its nearest point. */
  point: Vec3;
  /** x of the unit normal from the wall to the centre; on the wall itself that of the edge, into the mesh. */
  normalX: number;
  /** z of it. */
  normalZ: number;
  /** The piece of the wall. */
  piece: WallPiece;
}

/** A polygon that can be reached. */
export interface AroundPolygon {
  ref: bigint;
  /** The polygon it was reached from; 0n for the first. */
  parent: bigint;
  /** Cost of the way to it from the centre. */
  cost: number;
}

/** How many polygons there are around a place, and whether they are all. */
export interface AroundSummary {
  count: number;
  /** There are more polygons than were asked for, or more than the 4096 one search visits: those cheapest to reach are given. */
  truncated: boolean;
}

/** Polygons around a place. */
export interface PolygonsAround extends AroundSummary {
  /** The start polygon first, then by rising cost. */
  polygons: AroundPolygon[];
}

/** Where polygons around a place go: as many as fit in all arrays. Those left out are not read. */
export interface AroundArrays {
  refs?: BigUint64Array;
  parents?: BigUint64Array;
  costs?: Float64Array;
}

const wallAt = offsets(records.wallDistance);
const polygonAt = offsets(records.aroundPolygon);
const resultAt = offsets(records.aroundResult);

/** The nearest wall, or null when none was found. */
export function readWallDistance(memory: Memory, at: number, out: Partial<WallDistance> | null): WallDistance | null {
  if (!memory.flag(at + wallAt.found)) return null;
  const wall = out ?? ({} as Partial<WallDistance>);
  wall.distance = memory.f64(at + wallAt.distance);
  wall.point = memory.vec3(at + wallAt.point, wall.point);
  wall.normalX = memory.f64(at + wallAt.normalX);
  wall.normalZ = memory.f64(at + wallAt.normalZ);
  wall.piece = readWall(memory, at + wallAt.size, wall.piece ?? null);
  return wall as WallDistance;
}

/** Room for polygons in the arrays of the caller's. */
export function aroundRoom(out: AroundArrays, capacity: number): number {
  let room = roomIn(out.refs, 'refs', BigUint64Array, 1, 1, capacity);
  room = roomIn(out.parents, 'parents', BigUint64Array, 1, 1, room);
  return roomIn(out.costs, 'costs', Float64Array, 1, 1, room);
}

export function readAround({ memory, recordAt, result }: Native): PolygonsAround {
  const count = memory.f64(recordAt + resultAt.count);
  const polygons = Array.from({ length: count }, (_, i) => {
    const at = result + i * polygonAt.size;
    const [ref, parent] = [memory.u64(at + polygonAt.ref), memory.u64(at + polygonAt.parent)];
    return { ref, parent, cost: memory.f64(at + polygonAt.cost) };
  });
  return { count, truncated: memory.flag(recordAt + resultAt.truncated), polygons };
}

/** Polygons around a place into arrays of the caller's. */
export function copyAround(native: Native, out: AroundArrays): AroundArrays & AroundSummary {
  const { memory, recordAt, result } = native;
  const filled = out as AroundArrays & AroundSummary;
  const count = memory.f64(recordAt + resultAt.count);
  filled.count = count;
  filled.truncated = memory.flag(recordAt + resultAt.truncated);
  if (out.refs) memory.copyRefs(result + polygonAt.ref, count, out.refs, polygonAt.size);
  if (out.parents) memory.copyRefs(result + polygonAt.parent, count, out.parents, polygonAt.size);
  if (out.costs) memory.copyRows(result + polygonAt.cost, count, out.costs, polygonAt.size);
  return filled;
}
