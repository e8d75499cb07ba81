// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many questions in one call: arrays in, arrays out.
import { cellCount, offsets, records } from './abi.js';
import { rowCount } from './build.js';
import { ArgumentError, badArgument } from './errors.js';
import { describe } from './describe.js';
import { filterOf, placeFilter, searched } from './filter.js';
import type { Memory } from './memory.js';
import type { Native } from './native.js';
import { placeBox } from './query-arguments.js';
import {
  batchMembers,
  EXTENTS,
  given,
  nearestMembers,
  polygonLimit,
  totalLimit,
  type FindPathsOptions,
  type NearestOptions,
} from './query-options.js';
import { outObject, pathOutcomes, roomIn, type PathOutcome } from './query-results.js';
import type { NavMeshQuery } from './query.js';
import { checkMembers, COORD_LIMIT } from './values.js';

/** Where the answers of `nearestMany` go, each array long enough for all points. Those left out are not read. */
export interface NearestArrays {
  /** The polygon; 0n where there is none. */
  refs?: BigUint64Array;
  /** 3 numbers for each: the point on its surface; meaningless where there is none. */
  points?: Float64Array;
  /** 1 where the point asked about lies over (or under) the polygon. */
  over?: Uint8Array;
}

/** The polygons nearest to many points. */
export interface NearestMany extends Required<NearestArrays> {
  /** How many were found. */
  found: number;
}

/** Many pairs of points on known polygons: what `nearestMany` gives fits. */
export interface PathRequests {
  startRefs: ArrayLike<bigint>;
  /** 3 numbers for each. */
  starts: ArrayLike<number>;
  endRefs: ArrayLike<bigint>;
  /** 3 numbers for each. */
  ends: ArrayLike<number>;
}

/** Where many routes go, each array long enough for all requests. Those left out are not read. */
export interface PathBatchArrays {
  /** How each search ended; as long as there are requests afterwards. */
  outcomes?: PathOutcome[];
  /** All routes, one behind the other: as many polygons as fit. */
  polygons?: BigUint64Array;
  /** Where each route begins in `polygons`. */
  firsts?: Uint32Array;
  /** How many polygons each has. */
  counts?: Uint32Array;
  /** 3 numbers for each: its end point, as `PathResult.end`. */
  ends?: Float64Array;
  /** 1 where the search ran out of nodes. */
  outOfNodes?: Uint8Array;
  /** 1 where the route has more polygons than are given. */
  truncated?: Uint8Array;
  /** Nodes expanded. */
  iterations?: Float64Array;
}

/** Many routes. Number i is `polygons.subarray(firsts[i], firsts[i] + counts[i])`. */
export interface PathBatch extends Required<PathBatchArrays> {
  /** Polygons of all routes together. */
  polygonCount: number;
}

const MAX_COUNT = 1 << 20;
const nearestAt = offsets(records.nearestPoly);
const pathAt = offsets(records.pathResult);
const REQUEST_SIZE = 8 * 8; // two references, two points
const ROUTE_SIZE = (cellCount(records.pathResult) + 1) * 8;

function checkCount(count: number, field: string): void {
  if (count > MAX_COUNT)
    throw badArgument(field, `must be at most ${MAX_COUNT} rows, not ${count}`, { limit: MAX_COUNT });
}

/** An error about one row of a list: `field` names the list, the message the row as well. */
function badRow(field: string, index: number, problem: string): ArgumentError {
  return new ArgumentError(`${field}[${index}] ${problem}.`, { status: 'Argument', field, index });
}

// Lists of the caller's are copied where reading one may run the caller's code.

function pointRows(points: ArrayLike<number>, field: string): ArrayLike<number> {
  checkCount(rowCount(points, field, 3), field);
  const typed = points instanceof Float64Array || points instanceof Float32Array;
  const list = typed ? points : Array.from(points as ArrayLike<unknown>);
  const wrong = list instanceof Array ? firstWrong(list) : firstTooFar(list);
  if (wrong < 0) return list as ArrayLike<number>;
  throw badRow(field, Math.floor(wrong / 3), coordinateProblem(list[wrong], 'xyz'.charAt(wrong % 3)));
}

// Apart from lists, where an element may be anything: that would make garbage of every number.
function firstTooFar(list: Float64Array | Float32Array): number {
  for (let i = 0; i < list.length; i++) {
    const v = list[i] as number;
    if (!(v > -COORD_LIMIT && v < COORD_LIMIT)) return i;
  }
  return -1;
}

function firstWrong(list: readonly unknown[]): number {
  return list.findIndex((v) => !(typeof v === 'number' && v > -COORD_LIMIT && v < COORD_LIMIT));
}

function coordinateProblem(v: unknown, axis: string): string {
  if (typeof v !== 'number') return `must hold numbers, but ${axis} is ${describe(v)}`;
  if (!Number.isFinite(v)) return `must be finite, but ${axis} is ${v}`;
  return `is too far out: ${axis} is ${v}, not below ${COORD_LIMIT}`;
}

function refRows(refs: ArrayLike<bigint>, field: string): ArrayLike<bigint> {
  if (refs instanceof BigUint64Array) return refs;
  const list = refs as ArrayLike<unknown> | null | undefined;
  if (typeof list !== 'object' || typeof list?.length !== 'number') {
    throw badArgument(field, `must be a list of references, not ${describe(list)}`);
  }
  return Array.from(list, (ref, i) => {
    if (typeof ref === 'bigint' && BigInt.asUintN(64, ref) === ref) return ref;
    throw badRow(field, i, `must be a bigint from 0 to 2^64 - 1, not ${describe(ref)}`);
  });
}

export function nearestMany(
  native: Native,
  handle: number,
  points: ArrayLike<number>,
  options: NearestOptions | undefined,
  out: NearestArrays | undefined,
): NearestArrays & { found: number } {
  const list = pointRows(points, 'points');
  const count = list.length / 3;
  const { filter, extents = EXTENTS } = given(options, nearestMembers);
  const accepted = filterOf(filter, 'options.filter');
  const arrays = outObject(out) ?? {
    refs: new BigUint64Array(count),
    points: new Float64Array(3 * count),
    over: new Uint8Array(count),
  };
  roomIn(arrays.refs, 'refs', BigUint64Array, 1, count, count);
  roomIn(arrays.points, 'points', Float64Array, 3, count, count);
  roomIn(arrays.over, 'over', Uint8Array, 1, count, count);
  placeBox(native, extents);
  const { exports, memory } = native;
  const size = list.length * 8;
  const rows = native.call(exports.crw_input(size));
  memory.writeF64(rows, list);
  const found = native.call(exports.crw_query_nearest_polys(handle, placeFilter(native, accepted), rows, count));
  const { result } = native;
  if (arrays.refs) memory.copyRefs(result + nearestAt.ref, count, arrays.refs, nearestAt.size);
  if (arrays.points) memory.copyRows(result + nearestAt.point, count, arrays.points, nearestAt.size, 3);
  if (arrays.over) memory.copyRows(result + nearestAt.over, count, arrays.over, nearestAt.size);
  native.trim(size);
  const filled = arrays as NearestArrays & { found: number };
  filled.found = found;
  return filled;
}

const requestMembers = { startRefs: true, starts: true, endRefs: true, ends: true };

function checkLength(length: number, count: number, field: string, what: string): void {
  if (length === count) return;
  throw badArgument(field, `must hold ${count} ${what}, one for each start, but has ${length}`, { limit: count });
}

/** The lists of the requests, checked. */
function readRequests(requests: PathRequests): PathRequests {
  if (typeof requests !== 'object' || requests === null || Array.isArray(requests)) {
    const problem = `must be an object with startRefs, starts, endRefs and ends, not ${describe(requests)}`;
    throw badArgument('requests', problem);
  }
  checkMembers(requests, requestMembers, 'requests');
  const startRefs = refRows(requests.startRefs, 'requests.startRefs');
  const starts = pointRows(requests.starts, 'requests.starts');
  const count = starts.length / 3;
  checkLength(startRefs.length, count, 'requests.startRefs', 'references');
  const endRefs = refRows(requests.endRefs, 'requests.endRefs');
  checkLength(endRefs.length, count, 'requests.endRefs', 'references');
  const ends = pointRows(requests.ends, 'requests.ends');
  checkLength(ends.length / 3, count, 'requests.ends', 'points');
  return { startRefs, starts, endRefs, ends };
}

/** Writes the lists one behind the other, as the engine reads them. Returns their address. */
function placeRequests(native: Native, { startRefs, starts, endRefs, ends }: PathRequests): number {
  const { memory } = native;
  const count = startRefs.length;
  const address = native.call(native.exports.crw_input(count * REQUEST_SIZE));
  memory.writeRefs(address, startRefs, count);
  memory.writeRefs(address + count * 8, endRefs, count);
  memory.writeF64(address + count * 16, starts);
  memory.writeF64(address + count * 40, ends);
  return address;
}

function newBatch(count: number): PathBatchArrays {
  return {
    outcomes: [],
    polygons: undefined as never,
    firsts: new Uint32Array(count),
    counts: new Uint32Array(count),
    ends: new Float64Array(3 * count),
    outOfNodes: new Uint8Array(count),
    truncated: new Uint8Array(count),
    iterations: new Float64Array(count),
  };
}

function checkBatch(out: PathBatchArrays, count: number): void {
  if (out.outcomes !== undefined && !Array.isArray(out.outcomes)) {
    throw badArgument('out.outcomes', `must be an array, not ${describe(out.outcomes)}`);
  }
  roomIn(out.firsts, 'firsts', Uint32Array, 1, count, count);
  roomIn(out.counts, 'counts', Uint32Array, 1, count, count);
  roomIn(out.ends, 'ends', Float64Array, 3, count, count);
  roomIn(out.outOfNodes, 'outOfNodes', Uint8Array, 1, count, count);
  roomIn(out.truncated, 'truncated', Uint8Array, 1, count, count);
  roomIn(out.iterations, 'iterations', Float64Array, 1, count, count);
}

export function findPaths(
  query: NavMeshQuery,
  requests: PathRequests,
  options: FindPathsOptions | undefined,
  out: PathBatchArrays | undefined,
): PathBatchArrays & { polygonCount: number } {
  const { native } = query;
  const lists = readRequests(requests);
  const count = lists.startRefs.length;
  const { filter, maxPolygons, maxTotal } = given(options, batchMembers);
  const accepted = filterOf(filter, 'options.filter');
  const each = polygonLimit(maxPolygons);
  const most = Math.min(totalLimit(maxTotal), Math.max(count * each, 1));
  const target = outObject(out);
  const batch = target ?? newBatch(count);
  if (target) checkBatch(target, count);
  const total = target ? roomIn(target.polygons, 'polygons', BigUint64Array, 1, 1, most) : most;
  const at = placeRequests(native, lists);
  const handle = query.handle();
  const cells = placeFilter(native, accepted);
  const result = native.exports.crw_query_find_paths(handle, cells, at, count, each, total);
  if (result < 0) failBatch(query, lists, accepted, result);
  const routes = native.result;
  const filled = readBatch(native.memory, batch, count, routes + total * 8);
  if (target?.polygons) native.memory.copyRefs(routes, filled.polygonCount, target.polygons);
  else if (!target) filled.polygons = native.memory.refs(routes, filled.polygonCount);
  native.trim(Math.max(count * REQUEST_SIZE, total * 8));
  return filled;
}

// The engine names the request. Only a reference of it can be wrong: the points have been checked.
function failBatch({ native, mesh }: NavMeshQuery, lists: PathRequests, cells: Float64Array | null, result: number) {
  searched(native, result, cells, ({ status, index }, engineField) => {
    if (engineField !== 'requests' || status !== 'StaleRef' || index === null) return null;
    const name = mesh.isValidRef(lists.startRefs[index] as bigint) ? 'endRefs' : 'startRefs';
    const field = `requests.${name}`;
    const missed = lists[name][index] === 0n;
    const problem = missed
      ? 'is 0n: there is no polygon, so there is no way'
      : 'names no polygon of this mesh (any more)';
    return { field, subject: `${field}[${index}]`, problem };
  });
}

/** Reads how each search ended. */
function readBatch(memory: Memory, batch: PathBatchArrays, count: number, at: number) {
  const { outcomes, firsts, counts, ends, outOfNodes, truncated, iterations } = batch;
  if (firsts) memory.copyRows(at + pathAt.size, count, firsts, ROUTE_SIZE);
  if (counts) memory.copyRows(at + pathAt.count, count, counts, ROUTE_SIZE);
  if (ends) memory.copyRows(at + pathAt.end, count, ends, ROUTE_SIZE, 3);
  if (outOfNodes) memory.copyRows(at + pathAt.outOfNodes, count, outOfNodes, ROUTE_SIZE);
  if (truncated) memory.copyRows(at + pathAt.truncated, count, truncated, ROUTE_SIZE);
  if (iterations) memory.copyRows(at + pathAt.iterations, count, iterations, ROUTE_SIZE);
  if (outcomes) {
    outcomes.length = count;
    for (let i = 0, row = at; i < count; i++, row += ROUTE_SIZE) {
      outcomes[i] = pathOutcomes[memory.f64(row + pathAt.outcome)] as PathOutcome;
    }
  }
  const filled = batch as PathBatchArrays & { polygonCount: number };
  // The routes stand one behind the other.
  const last = at + (count - 1) * ROUTE_SIZE;
  filled.polygonCount = count === 0 ? 0 : memory.f64(last + pathAt.size) + memory.f64(last + pathAt.count);
  return filled;
}
