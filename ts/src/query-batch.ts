// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many questions in one call: arrays in, arrays out.
import { cellCount, offsets, records } from './abi.js';
import { checkNumbers, rowCount } from './build.js';
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import { filterOf, placeFilter } from './filter.js';
import { InputBlock } from './input-block.js';
import type { Native } from './native.js';
import { placeBox } from './query-arguments.js';
import { EXTENTS, polygonLimit, totalLimit, type FindPathsOptions, type NearestOptions } from './query-options.js';
import { pathOutcomes, roomIn, type PathOutcome } from './query-results.js';
import { checkMembers, uint64 } from './values.js';

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
const ROUTE_SIZE = (cellCount(records.pathResult) + 1) * 8;

function checkCount(count: number, field: string): void {
  if (count > MAX_COUNT)
    throw badArgument(field, `must be at most ${MAX_COUNT} rows, not ${count}`, { limit: MAX_COUNT });
}

export function nearestMany(
  native: Native,
  handle: number,
  points: ArrayLike<number>,
  options: NearestOptions,
  out: NearestArrays | null,
): NearestArrays & { found: number } {
  const count = pointRows(points, 'points');
  const arrays = out ?? {
    refs: new BigUint64Array(count),
    points: new Float64Array(3 * count),
    over: new Uint8Array(count),
  };
  roomIn(arrays.refs, 'refs', BigUint64Array, 1, count, count);
  roomIn(arrays.points, 'points', Float64Array, 3, count, count);
  roomIn(arrays.over, 'over', Uint8Array, 1, count, count);
  const { filter, extents = EXTENTS } = options;
  const accepted = filterOf(filter, 'options.filter');
  const block = new InputBlock(native);
  const rows = block.doubles(points);
  const size = block.place();
  placeBox(native, extents);
  const call = native.exports.crw_query_nearest_polys;
  const found = native.call(call(handle, placeFilter(native, accepted), rows.address, count));
  const { memory, result } = native;
  if (arrays.refs) memory.copyRefs(result + nearestAt.ref, count, arrays.refs, nearestAt.size);
  if (arrays.points) memory.copyRows(result + nearestAt.point, count, arrays.points, nearestAt.size, 3);
  if (arrays.over) memory.copyRows(result + nearestAt.over, count, arrays.over, nearestAt.size);
  native.trim(size);
  return Object.assign(arrays, { found });
}

function pointRows(points: ArrayLike<number>, field: string): number {
  const count = rowCount(points, field, 3);
  checkNumbers(points, field, 3);
  checkCount(count, field);
  return count;
}

function refRows(refs: ArrayLike<bigint>, count: number, field: string): ArrayLike<bigint> {
  const list: unknown = refs;
  if (typeof list !== 'object' || list === null)
    throw badArgument(field, `must be a list of references, not ${describe(list)}`);
  if (refs.length !== count) {
    throw badArgument(field, `must hold ${count} references, one for each start, but has ${refs.length}`, {
      limit: count,
    });
  }
  return list instanceof BigUint64Array ? list : Array.from(refs, (ref, i) => uint64(ref, `${field}[${i}]`));
}

const requestMembers = { startRefs: true, starts: true, endRefs: true, ends: true };

function placeRequests(native: Native, requests: PathRequests): { block: InputBlock; count: number } {
  if (typeof requests !== 'object' || requests === null) {
    throw badArgument('requests', `must be an object, not ${describe(requests)}`);
  }
  checkMembers(requests, requestMembers, 'requests');
  const { starts, ends } = requests;
  const count = pointRows(starts, 'requests.starts');
  if (pointRows(ends, 'requests.ends') !== count) {
    throw badArgument('requests.ends', `must hold ${count} points, one for each start, but has ${ends.length / 3}`, {
      limit: count,
    });
  }
  const block = new InputBlock(native);
  block.refs(refRows(requests.startRefs, count, 'requests.startRefs'));
  block.refs(refRows(requests.endRefs, count, 'requests.endRefs'));
  block.doubles(starts);
  block.doubles(ends);
  return { block, count };
}

function newBatch(count: number): PathBatchArrays {
  return {
    outcomes: [],
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
  native: Native,
  handle: number,
  requests: PathRequests,
  options: FindPathsOptions,
  out: PathBatchArrays | null,
): PathBatchArrays & { polygonCount: number } {
  const each = polygonLimit(options.maxPolygons);
  const { block, count } = placeRequests(native, requests);
  const batch = out ?? newBatch(count);
  checkBatch(batch, count);
  const most = Math.min(totalLimit(options.maxTotal), Math.max(count * each, 1));
  const total = roomIn(batch.polygons, 'polygons', BigUint64Array, 1, 1, most);
  const accepted = filterOf(options.filter, 'options.filter');
  const size = block.place();
  const at = block.first;
  native.call(
    native.exports.crw_query_find_paths(handle, placeFilter(native, accepted), at, count, each, total),
    requestNames,
  );
  const polygonCount = readBatch(native, batch, count, native.result + total * 8);
  if (batch.polygons) native.memory.copyRefs(native.result, polygonCount, batch.polygons);
  else if (!out) batch.polygons = native.memory.refs(native.result, polygonCount);
  native.trim(Math.max(size, total * 8));
  return Object.assign(batch, { polygonCount });
}

/** Reads how each search ended, and returns how many polygons all routes have. */
function readBatch({ memory }: Native, batch: PathBatchArrays, count: number, at: number): number {
  const { outcomes, firsts, counts, ends, outOfNodes, truncated, iterations } = batch;
  const column = (offset: number, target: Float64Array | Uint32Array | Uint8Array | undefined, width = 1) => {
    if (target) memory.copyRows(at + offset, count, target, ROUTE_SIZE, width);
  };
  column(pathAt.size, firsts);
  column(pathAt.count, counts);
  column(pathAt.end, ends, 3);
  column(pathAt.outOfNodes, outOfNodes);
  column(pathAt.truncated, truncated);
  column(pathAt.iterations, iterations);
  if (outcomes) outcomes.length = count;
  let polygonCount = 0;
  for (let i = 0, row = at; i < count; i++, row += ROUTE_SIZE) {
    if (outcomes) outcomes[i] = pathOutcomes[memory.f64(row + pathAt.outcome)] as PathOutcome;
    polygonCount = Math.max(polygonCount, memory.f64(row + pathAt.size) + memory.f64(row + pathAt.count));
  }
  return polygonCount;
}

const requestNames = { requests: 'requests' };
