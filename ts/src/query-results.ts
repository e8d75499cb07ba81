// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What queries answer, and how an answer is read. Every result is written either into a new object or into one of the caller's, and
// lists go to new arrays or to typed arrays of the caller's: the readers make nothing that is not asked for.
import { offsets, records } from './abi.js';
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import type { Memory, NumberTarget } from './memory.js';
import type { Native } from './native.js';
import type { Vec3 } from './values.js';

// --- Results ----------------------------------------------------------------------------------------------------------

/** A point on a polygon. */
export interface SurfacePoint {
  /** The polygon. */
  ref: bigint;
  /** The point on its surface. */
  point: Vec3;
  /** Whether the point asked about lies over (or under) the polygon. */
  over: boolean;
}

/** A random point, and what to draw the next one with. */
export interface RandomPoint {
  ref: bigint;
  point: Vec3;
  /** The seed for the next call. */
  seed: bigint;
}

/** How a path search ended. */
export type PathOutcome = 'failed' | 'inProgress' | 'success' | 'partial';
export const pathOutcomes: readonly PathOutcome[] = ['failed', 'inProgress', 'success', 'partial'];

/** How a path search ended, and where. */
export interface PathSummary {
  /**
   * `'success'`: the route reaches the end polygon. `'partial'`: that cannot be reached, and the route leads to the closest polygon
   * that can. `'failed'`: the filter rejects an end; there is no route. `'inProgress'`: only of a search in slices.
   */
  outcome: PathOutcome;
  /** Polygons of the route. */
  polygonCount: number;
  /** The end point; after a partial search the point of the last polygon nearest to it. */
  end: Vec3;
  /** The search ran out of nodes: a larger `maxNodes` may find a better route. */
  outOfNodes: boolean;
  /** The route has more polygons than were asked for: its first part is given. */
  truncated: boolean;
  /** Nodes expanded. */
  iterations: number;
}

/** A route through polygons. */
export interface PathResult extends PathSummary {
  /** References from the start polygon on. */
  polygons: bigint[];
}

/** A route as the methods that find one give it: the first `polygonCount` of its polygons. */
export interface Route {
  readonly polygons: ArrayLike<bigint>;
  readonly polygonCount: number;
}

/** Where a route goes when the caller gives the array for it: as many polygons as fit. Without one only the summary is told. */
export interface PathArrays {
  polygons?: BigUint64Array;
}

/** A point where a straight path turns. */
export interface Corner {
  point: Vec3;
  /** The polygon entered there. */
  ref: bigint;
  /** Where in the path that polygon stands. */
  pathIndex: number;
  /** The first corner. */
  start: boolean;
  /** The last corner, at the end of the route; that of a truncated route has no such corner. */
  end: boolean;
  /** An off-mesh link is entered here; the next corner is its exit. */
  offMesh: boolean;
  /** The line crosses into another polygon here, without a bend unless it is a corner as well; only with `crossings`. */
  crossing: boolean;
}

/** Bits of `CornerArrays.flags`. */
export const CornerFlag = {
  /** The first corner. */
  Start: 1,
  /** The last corner, at the end of the route. */
  End: 2,
  /** An off-mesh link is entered; the next corner is its exit. */
  OffMesh: 4,
  /** The line crosses into another polygon, without a bend unless it is a corner as well; only with `crossings`. */
  Crossing: 8,
} as const;

/** How a straight path ended. */
export type StraightPathOutcome = 'complete' | 'truncated' | 'invalid';
const straightOutcomes: readonly StraightPathOutcome[] = ['complete', 'truncated', 'invalid'];

/** How many corners there are, and whether they are all. */
export interface StraightPathSummary {
  /**
   * `'complete'`: the corners lead to the end. `'truncated'`: there are more than were asked for. `'invalid'`: a reference is stale or
   * neighbours do not touch; there are no corners.
   */
  outcome: StraightPathOutcome;
  cornerCount: number;
}

/** The shortest line through a route. */
export interface StraightPath extends StraightPathSummary {
  /** The first at the start, the last at the end. */
  corners: Corner[];
}

/** Where corners go when the caller gives the arrays: as many as fit in all of them. Those left out are not read. */
export interface CornerArrays {
  /** 3 numbers for each corner. */
  points?: Float64Array;
  /** The polygon entered there. */
  refs?: BigUint64Array;
  /** Where in the path that polygon stands. */
  pathIndices?: Int32Array | Uint32Array;
  /** `CornerFlag` bits. */
  flags?: Uint8Array;
}

/** What is told of a path from position to position besides its lists. */
export interface ComputedPathSummary extends PathSummary {
  /** Where it starts on the mesh. */
  start: SurfacePoint;
  /** The goal on the mesh, reached or not. */
  goal: SurfacePoint;
  cornerCount: number;
  /** There are more corners than were asked for. */
  cornersTruncated: boolean;
}

/** A path from position to position. */
export interface ComputedPath extends ComputedPathSummary {
  /** References from the start polygon on. */
  polygons: bigint[];
  /** The corners to walk, first the start, last the end. */
  corners: Corner[];
}

/** Where the lists of a path from position to position go. */
export interface ComputedPathArrays extends PathArrays, CornerArrays {}

/** Where a walk along the surface ended. */
export interface MoveSummary {
  /** The point reached, on the surface of the last polygon visited. */
  point: Vec3;
  /** The last polygon visited. */
  ref: bigint;
  /** A wall was met. */
  blocked: boolean;
  /** The walk stopped because no more polygons were asked for. */
  truncated: boolean;
  visitedCount: number;
}

/** A walk along the surface. */
export interface MoveResult extends MoveSummary {
  /** Polygons walked through, the start polygon first. */
  visited: bigint[];
}

/** Where the polygons of a walk go. */
export interface MoveArrays {
  visited?: BigUint64Array;
}

/** Where a ray along the surface ended. */
export interface RaycastSummary {
  /** A wall stopped it. The way is free when this and `truncated` are false. */
  hit: boolean;
  /** The part of the way travelled, 0 to 1; 1 when it came to the end. */
  t: number;
  /** Where it ended, on the surface. */
  point: Vec3;
  /** x of the unit normal of the wall hit, which points into the mesh; 0 when none was. */
  normalX: number;
  /** z of it. */
  normalZ: number;
  /** The polygon of the wall hit; 0n when none was. */
  wallRef: bigint;
  /** The edge of that polygon; -1 when none was. */
  wallEdge: number;
  /** What the line travelled costs: its horizontal length in each polygon times the cost of the polygon's area in the filter. */
  cost: number;
  /** The ray ended because no more polygons were asked for. */
  truncated: boolean;
  polygonCount: number;
}

/** A ray along the surface. */
export interface RaycastResult extends RaycastSummary {
  /** Polygons crossed, the start polygon first. */
  polygons: bigint[];
}

/** A piece of a polygon edge with nothing walkable behind it. */
export interface WallPiece {
  ref: bigint;
  /** Edge of the polygon. */
  edge: number;
  /** Which uncovered piece of that edge. */
  part: number;
  /** One end; the walkable side is on the right from `a` to `b`, seen from above. */
  a: Vec3;
  /** The other end. */
  b: Vec3;
  /** Horizontal distance from the centre asked for. */
  distance: number;
}

/** Where pieces of walls go: as many as fit in all arrays. Those left out are not read. */
export interface WallArrays {
  refs?: BigUint64Array;
  edges?: Uint8Array;
  parts?: Uint8Array;
  /** 6 numbers for each piece: one end, then the other. */
  ends?: Float64Array;
  distances?: Float64Array;
}

// --- The caller's objects ---------------------------------------------------------------------------------------------

/** What the caller passed as `out`: an object, or nothing. */
export function outObject<T extends object>(out: T | null | undefined): T | null {
  if (out === undefined || out === null) return null;
  if (typeof out !== 'object' || Array.isArray(out) || ArrayBuffer.isView(out)) {
    throw badArgument('out', `must be an object, not ${describe(out)}`);
  }
  if (Object.isFrozen(out)) throw badArgument('out', 'is frozen: nothing can be written to it');
  return out;
}

/** Checks that a point of the caller's object can be written to. None at all will be made. */
export function checkTarget(point: unknown, field: string): void {
  if (point !== undefined && !isWritable(point)) checkUnusual(point, field);
}

function isWritable(point: unknown): boolean {
  return Array.isArray(point) && !Object.isFrozen(point);
}

/** Checks the ends of a wall in the caller's object. */
export function checkWallTarget(a: unknown, b: unknown, field: string): void {
  if (isWritable(a) && isWritable(b)) return;
  checkTarget(a, `${field}.a`);
  checkTarget(b, `${field}.b`);
}

// What is rare, apart: small functions find their way into their callers.
function checkUnusual(point: unknown, field: string): void {
  if (!Array.isArray(point) && !isLongView(point)) {
    throw badArgument(field, `must be an array [x, y, z], not ${describe(point)}`);
  }
  if (Object.isFrozen(point)) throw badArgument(field, 'is frozen: nothing can be written to it');
}

function isLongView(value: unknown): boolean {
  return (value instanceof Float64Array || value instanceof Float32Array) && value.length >= 3;
}

/** `outObject` of results with a point. */
export function outWithPoint<T extends { point?: unknown }>(out: T | null | undefined): T | null {
  const target = outObject(out);
  if (target) checkTarget(target.point, 'out.point');
  return target;
}

/** `outObject` of routes. */
export function outWithEnd<T extends object>(out: T | null | undefined): T | null {
  const target = outObject(out);
  if (target) checkTarget((target as { end?: unknown }).end, 'out.end');
  return target;
}

/** Checks a place within the caller's object. */
export function checkPlaceTarget(place: unknown, field: string): void {
  if (place === undefined || place === null) return;
  if (typeof place !== 'object') throw badArgument(field, `must be an object, not ${describe(place)}`);
  if (Object.isFrozen(place)) throw badArgument(field, 'is frozen: nothing can be written to it');
  checkTarget((place as { point?: unknown }).point, `${field}.point`);
}

interface ArrayKind {
  readonly name: string;
  readonly prototype: object;
  new (length: number): object;
}

/** The least of `capacity` and the rows of `width` elements an array of the caller's holds. `least` must fit. */
export function roomIn(array: unknown, name: string, kind: ArrayKind, width: number, least: number, capacity: number) {
  if (array === undefined) return capacity;
  if (!(array instanceof kind)) throw badArgument(`out.${name}`, `must be a ${kind.name}, not ${describe(array)}`);
  const { length } = array as unknown as ArrayLike<unknown>;
  const room = Math.floor(length / width);
  if (room >= least) return Math.min(room, capacity);
  const needed = least * width;
  throw badArgument(`out.${name}`, `is too short: ${length} elements where ${needed} are needed`, { limit: needed });
}

/** Room for polygons of a route. */
export function pathRoom(target: PathArrays | null, limit: number): number {
  return target ? roomIn(target.polygons, 'polygons', BigUint64Array, 1, 1, limit) : limit;
}

/** Room for corners in the arrays of the caller's. */
export function cornerRoom(out: CornerArrays, capacity: number): number {
  let room = roomIn(out.points, 'points', Float64Array, 3, 2, capacity);
  room = roomIn(out.refs, 'refs', BigUint64Array, 1, 2, room);
  const indices = out.pathIndices;
  room = roomIn(indices, 'pathIndices', indices instanceof Uint32Array ? Uint32Array : Int32Array, 1, 2, room);
  return roomIn(out.flags, 'flags', Uint8Array, 1, 2, room);
}

/** Room for pieces of walls. */
export function wallRoom(out: WallArrays, capacity: number): number {
  let room = roomIn(out.refs, 'refs', BigUint64Array, 1, 1, capacity);
  room = roomIn(out.edges, 'edges', Uint8Array, 1, 1, room);
  room = roomIn(out.parts, 'parts', Uint8Array, 1, 1, room);
  room = roomIn(out.ends, 'ends', Float64Array, 6, 1, room);
  return roomIn(out.distances, 'distances', Float64Array, 1, 1, room);
}

// --- Readers ----------------------------------------------------------------------------------------------------------

const nearestAt = offsets(records.nearestPoly);
const pathAt = offsets(records.pathResult);
const cornerAt = offsets(records.corner);
const moveAt = offsets(records.moveResult);
const rayAt = offsets(records.raycastResult);
const wallAt = offsets(records.wallPiece);

export function readSurfacePoint(memory: Memory, at: number, out: Partial<SurfacePoint> | null): SurfacePoint {
  const ref = memory.u64(at + nearestAt.ref);
  const point = memory.vec3(at + nearestAt.point, out?.point);
  const over = memory.flag(at + nearestAt.over);
  if (!out) return { ref, point, over };
  out.ref = ref;
  out.point = point;
  out.over = over;
  return out as SurfacePoint;
}

/** A random point stands before its next seed. */
export function readRandomPoint(memory: Memory, at: number, out: Partial<RandomPoint> | null): RandomPoint {
  const ref = memory.u64(at + nearestAt.ref);
  const point = memory.vec3(at + nearestAt.point, out?.point);
  const seed = memory.u64(at + nearestAt.size);
  if (!out) return { ref, point, seed };
  out.ref = ref;
  out.point = point;
  out.seed = seed;
  return out as RandomPoint;
}

/** Fills in how a search ended. */
export function readPath<T extends PathSummary>(memory: Memory, at: number, out: T): T {
  out.outcome = pathOutcomes[memory.f64(at + pathAt.outcome)] as PathOutcome;
  out.polygonCount = memory.f64(at + pathAt.count);
  out.end = memory.vec3(at + pathAt.end, out.end as Vec3 | undefined);
  out.outOfNodes = memory.flag(at + pathAt.outOfNodes);
  out.truncated = memory.flag(at + pathAt.truncated);
  out.iterations = memory.f64(at + pathAt.iterations);
  return out;
}

// Objects to be filled: all members from the start, so that all results of a kind are alike.
const unset = undefined as never;
export const newPath = (): PathResult => ({
  outcome: 'failed',
  polygons: unset,
  polygonCount: 0,
  end: unset,
  outOfNodes: false,
  truncated: false,
  iterations: 0,
});

export function readStraightPath<T extends StraightPathSummary>(native: Native, out: T): T {
  out.outcome = straightOutcomes[native.recordNumber()] as StraightPathOutcome;
  out.cornerCount = native.recordNumber(1);
  return out;
}

/** Corners at an address, as objects. */
export function readCorners(memory: Memory, address: number, count: number): Corner[] {
  const corners = new Array<Corner>(count);
  for (let i = 0, at = address; i < count; i++, at += cornerAt.size) {
    const flags = memory.f64(at + cornerAt.flags);
    corners[i] = {
      point: memory.vec3(at + cornerAt.point),
      ref: memory.u64(at + cornerAt.ref),
      pathIndex: memory.f64(at + cornerAt.pathIndex),
      start: (flags & CornerFlag.Start) !== 0,
      end: (flags & CornerFlag.End) !== 0,
      offMesh: (flags & CornerFlag.OffMesh) !== 0,
      crossing: (flags & CornerFlag.Crossing) !== 0,
    };
  }
  return corners;
}

/** Corners at an address into arrays of the caller's. */
export function copyCorners(memory: Memory, address: number, count: number, out: CornerArrays): void {
  const { size } = cornerAt;
  copyColumn(memory, address + cornerAt.point, count, out.points, size, 3);
  if (out.refs) memory.copyRefs(address + cornerAt.ref, count, out.refs, size);
  copyColumn(memory, address + cornerAt.pathIndex, count, out.pathIndices, size);
  copyColumn(memory, address + cornerAt.flags, count, out.flags, size);
}

function copyColumn(
  memory: Memory,
  address: number,
  count: number,
  target: NumberTarget | undefined,
  stride: number,
  width = 1,
): void {
  if (target) memory.copyRows(address, count, target, stride, width);
}

/** Fills in where a move ended; `refs` are the polygons it visited. */
export function readMove<T extends MoveSummary>(memory: Memory, at: number, refs: number, out: T): T {
  const count = memory.f64(at + moveAt.count);
  out.point = memory.vec3(at + moveAt.point, out.point as Vec3 | undefined);
  out.ref = memory.u64(refs + (count - 1) * 8);
  out.blocked = memory.flag(at + moveAt.blocked);
  out.truncated = memory.flag(at + moveAt.truncated);
  out.visitedCount = count;
  return out;
}

export const newMove = (): MoveResult => ({
  point: unset,
  ref: 0n,
  blocked: false,
  truncated: false,
  visitedCount: 0,
  visited: unset,
});

/** Fills in where a ray ended. */
export function readRay<T extends RaycastSummary>(memory: Memory, at: number, out: T): T {
  const hit = memory.flag(at + rayAt.hit);
  out.hit = hit;
  out.t = memory.f64(at + rayAt.t);
  out.point = memory.vec3(at + rayAt.point, out.point as Vec3 | undefined);
  out.normalX = memory.f64(at + rayAt.normalX);
  out.normalZ = memory.f64(at + rayAt.normalZ);
  out.wallRef = hit ? memory.u64(at + rayAt.hitRef) : 0n;
  out.wallEdge = hit ? memory.f64(at + rayAt.hitEdge) : -1;
  out.cost = memory.f64(at + rayAt.cost);
  out.truncated = memory.flag(at + rayAt.truncated);
  out.polygonCount = memory.f64(at + rayAt.count);
  return out;
}

export const newRay = (): RaycastResult => ({
  hit: false,
  t: 0,
  point: unset,
  normalX: 0,
  normalZ: 0,
  wallRef: 0n,
  wallEdge: -1,
  cost: 0,
  truncated: false,
  polygonCount: 0,
  polygons: unset,
});

/** A piece of a wall. */
export function readWall(memory: Memory, at: number, out: Partial<WallPiece> | null): WallPiece {
  const wall = out ?? ({} as Partial<WallPiece>);
  wall.ref = memory.u64(at + wallAt.ref);
  wall.edge = memory.f64(at + wallAt.edge);
  wall.part = memory.f64(at + wallAt.part);
  wall.a = memory.vec3(at + wallAt.a, wall.a);
  wall.b = memory.vec3(at + wallAt.b, wall.b);
  wall.distance = memory.f64(at + wallAt.distance);
  return wall as WallPiece;
}

export function readWalls(memory: Memory, address: number, count: number): WallPiece[] {
  return Array.from({ length: count }, (_, i) => readWall(memory, address + i * wallAt.size, null));
}

/** Pieces of walls into arrays of the caller's. */
export function copyWalls(memory: Memory, address: number, count: number, out: WallArrays): void {
  const { size } = wallAt;
  if (out.refs) memory.copyRefs(address + wallAt.ref, count, out.refs, size);
  copyColumn(memory, address + wallAt.edge, count, out.edges, size);
  copyColumn(memory, address + wallAt.part, count, out.parts, size);
  copyColumn(memory, address + wallAt.a, count, out.ends, size, 6);
  copyColumn(memory, address + wallAt.distance, count, out.distances, size);
}
