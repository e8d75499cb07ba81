// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a mesh: paths here, and all about places in surface-query.ts. Arguments are read before anything is written to the
// engine's blocks, since reading a caller's object may run the caller's code. Once a call has failed, its arguments are checked from
// left to right: the error names the first wrong one, and calls that are right are checked once.
import { offsets, records } from './abi.js';
import { describe } from './describe.js';
import { ArgumentError, badArgument } from './errors.js';
import { filterOf, placeFilter, searched } from './filter.js';
import type { Native } from './native.js';
import type { NavMeshView } from './nav-mesh.js';
import { placePoints } from './query-arguments.js';
import { findPaths, type PathBatch, type PathBatchArrays, type PathRequests } from './query-batch.js';
import {
  cornerLimit,
  cornerMembers,
  Crossings,
  EXTENTS,
  finishMembers,
  given,
  listMembers,
  polygonLimit,
  searchMembers,
  wayMembers,
  type ComputePathOptions,
  type FindPathsOptions,
  type PolygonListOptions,
  type SearchOptions,
  type StraightPathOptions,
} from './query-options.js';
import {
  checkPlaceTarget,
  copyCorners,
  CornerFlag,
  cornerRoom,
  newPath,
  outObject,
  outWithEnd,
  pathOutcomes,
  pathRoom,
  readCorners,
  readPath,
  readStraightPath,
  readSurfacePoint,
  type ComputedPath,
  type ComputedPathArrays,
  type ComputedPathSummary,
  type CornerArrays,
  type PathArrays,
  type PathOutcome,
  type PathResult,
  type PathSummary,
  type Route,
  type StraightPath,
  type StraightPathSummary,
} from './query-results.js';
import { SurfaceQuery } from './surface-query.js';
import { integer, uint64, worldPoint, type PointLike } from './values.js';

const nearestSize = offsets(records.nearestPoly).size;
const pathSize = offsets(records.pathResult).size;

/**
 * Answers questions about one mesh. It holds the memory its searches need. Made by `Engine.createQuery`.
 *
 * Methods that give an object take one as their last argument, `out`: it is filled and returned. Points in it are arrays `[x, y, z]`, which
 * are written to where it has them already. `{}` will do. Lists go to typed arrays that are members of `out`, as many elements as fit; a
 * list without an array there is not read.
 *
 * Every method throws `ArgumentError` for a value that is not finite or out of range (`'Argument'`), a reference that names
 * no polygon of the mesh (`'StaleRef'`), or after `dispose` (`'StaleHandle'`).
 */
export class NavMeshQuery extends SurfaceQuery {
  readonly #mesh: NavMeshView;
  // Whether a search in slices was begun, and the method that has taken its place since.
  #slices: string | null = null;

  private constructor(native: Native, handle: number, mesh: NavMeshView) {
    super(native, handle, 'query');
    this.#mesh = mesh;
  }

  /** @internal */
  static wrap(native: Native, handle: number, mesh: NavMeshView): NavMeshQuery {
    return new NavMeshQuery(native, handle, mesh);
  }

  /** The mesh it was made for. */
  get mesh(): NavMeshView {
    return this.#mesh;
  }

  // --- Paths ------------------------------------------------------------------------------------------------------------

  /** The cheapest route between two points on known polygons. */
  findPath(
    startRef: bigint,
    start: PointLike,
    endRef: bigint,
    end: PointLike,
    options?: PolygonListOptions,
  ): PathResult;
  findPath<O extends PathArrays>(
    startRef: bigint,
    start: PointLike,
    endRef: bigint,
    end: PointLike,
    options: PolygonListOptions | undefined,
    out: O,
  ): O & PathSummary;
  findPath(
    startRef: bigint,
    start: PointLike,
    endRef: bigint,
    end: PointLike,
    options?: PolygonListOptions,
    out?: PathArrays,
  ): PathSummary {
    try {
      const { native } = this;
      uint64(startRef, 'startRef');
      uint64(endRef, 'endRef');
      const { filter, maxPolygons } = given(options, listMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = polygonLimit(maxPolygons);
      const target = outWithEnd(out);
      const capacity = pathRoom(target, limit);
      placePoints(native, start, 'start', end, 'end');
      const cells = placeFilter(native, accepted);
      searched(native, native.exports.crw_query_find_path(this.handle(), startRef, endRef, cells, capacity), accepted);
      this.#replaceSlices('findPath');
      return this.#path(target);
    } catch (error) {
      checkEnds(startRef, start, endRef, end);
      throw error;
    }
  }

  // The route in the result block, into the caller's object or a new one.
  #path(target: PathArrays | null): PathSummary {
    const { native } = this;
    const { memory } = native;
    if (!target) {
      const path = readPath(memory, native.recordAt, newPath());
      path.polygons = memory.refList(native.result, path.polygonCount);
      return path;
    }
    const path = readPath(memory, native.recordAt, target as PathArrays & PathSummary);
    if (target.polygons) memory.copyRefs(native.result, path.polygonCount, target.polygons);
    return path;
  }

  /**
   * `findPath` for many pairs of points in one call, one after the other. Routes that no longer fit in `maxTotal` polygons are
   * truncated. A bad point or reference fails the whole call before the first search: `field` and `index` name it.
   */
  findPaths(requests: PathRequests, options?: FindPathsOptions): PathBatch;
  findPaths<O extends PathBatchArrays>(
    requests: PathRequests,
    options: FindPathsOptions | undefined,
    out: O,
  ): O & { polygonCount: number };
  findPaths(requests: PathRequests, options?: FindPathsOptions, out?: PathBatchArrays): { polygonCount: number } {
    const batch = findPaths(this, requests, options, out);
    this.#replaceSlices('findPaths');
    return batch;
  }

  /**
   * Begins a search to be carried on in slices: the cheapest route between two points on known polygons, with the same result however
   * it is sliced. A query holds one such search: another takes its place, and `findPath`, `findPaths` and `computePath` end it:
   * `updatePath` and `finishPath` then throw. After an edit of the mesh they say `'failed'`: begin again.
   */
  beginPath(startRef: bigint, start: PointLike, endRef: bigint, end: PointLike, options?: SearchOptions): PathOutcome {
    try {
      const { native } = this;
      uint64(startRef, 'startRef');
      uint64(endRef, 'endRef');
      const { filter } = given(options, searchMembers);
      const accepted = filterOf(filter, 'options.filter');
      placePoints(native, start, 'start', end, 'end');
      const cells = placeFilter(native, accepted);
      const result = native.exports.crw_query_begin_path(this.handle(), startRef, endRef, cells);
      const outcome = pathOutcomes[searched(native, result, accepted)] as PathOutcome;
      this.#slices = 'begun';
      return outcome;
    } catch (error) {
      checkEnds(startRef, start, endRef, end);
      throw error;
    }
  }

  /** Carries the search on by at most `maxNodes` nodes (1 to 2^31 - 1). `'inProgress'`: there is more to do. */
  updatePath(maxNodes: number): PathOutcome {
    const { native } = this;
    const budget = integer(maxNodes, 'maxNodes', 1);
    const handle = this.handle();
    this.#checkSlices('updatePath');
    return pathOutcomes[native.call(native.exports.crw_query_update_path(handle, budget))] as PathOutcome;
  }

  /** The route of the search as it stands; while it is `'inProgress'`, to the closest polygon yet. The search can go on. */
  finishPath(options?: Pick<PolygonListOptions, 'maxPolygons'>): PathResult;
  finishPath<O extends PathArrays>(
    options: Pick<PolygonListOptions, 'maxPolygons'> | undefined,
    out: O,
  ): O & PathSummary;
  finishPath(options?: Pick<PolygonListOptions, 'maxPolygons'>, out?: PathArrays): PathSummary {
    const { native } = this;
    const { maxPolygons } = given(options, finishMembers);
    const limit = polygonLimit(maxPolygons);
    const target = outWithEnd(out);
    const capacity = pathRoom(target, limit);
    const handle = this.handle();
    this.#checkSlices('finishPath');
    native.call(native.exports.crw_query_finish_path(handle, capacity));
    return this.#path(target);
  }

  // A search at once uses the nodes of one in slices.
  #replaceSlices(method: string): void {
    if (this.#slices !== null) this.#slices = method;
  }

  #checkSlices(method: string): void {
    if (this.#slices === 'begun') return;
    const cause = this.#slices === null ? 'no search was begun' : `the search begun was ended by ${this.#slices}`;
    throw new ArgumentError(`${method}: ${cause}: call beginPath first.`, { status: 'Argument', field: 'query' });
  }

  /**
   * The shortest line through a route's polygons: its corners, the first at the start, the last at the end. `polygons`: a list, or what
   * gave it (`findPath`, `finishPath`, `computePath`), of whose `polygons` the first `polygonCount` are taken.
   */
  straightPath(
    start: PointLike,
    end: PointLike,
    polygons: ArrayLike<bigint> | Route,
    options?: StraightPathOptions,
  ): StraightPath;
  straightPath<O extends CornerArrays>(
    start: PointLike,
    end: PointLike,
    polygons: ArrayLike<bigint> | Route,
    options: StraightPathOptions | undefined,
    out: O,
  ): O & StraightPathSummary;
  straightPath(
    start: PointLike,
    end: PointLike,
    polygons: ArrayLike<bigint> | Route,
    options?: StraightPathOptions,
    out?: CornerArrays,
  ): StraightPathSummary {
    try {
      const { native } = this;
      const { memory } = native;
      const path = polygons instanceof BigUint64Array ? polygons : refList(polygons);
      const used = polygons instanceof BigUint64Array ? polygons.length : usedCount(polygons, path);
      const { filter, maxCorners, crossings = Crossings.None } = given(options, cornerMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = cornerLimit(maxCorners);
      const listed = integer(crossings, 'options.crossings', 0, 2);
      const target = outObject(out);
      const capacity = target ? cornerRoom(target, limit) : limit;
      placePoints(native, start, 'start', end, 'end');
      native.call(
        native.exports.crw_query_straight_path(
          this.handle(),
          placeFilter(native, accepted),
          placeRefs(native, path, used),
          used,
          listed,
          capacity,
        ),
      );
      if (!target) {
        const made = readStraightPath(native, { outcome: 'invalid', cornerCount: 0, corners: [] } as StraightPath);
        made.corners = readCorners(memory, native.result, made.cornerCount);
        return made;
      }
      const filled = readStraightPath(native, target as CornerArrays & StraightPathSummary);
      copyCorners(memory, native.result, filled.cornerCount, target);
      return filled;
    } catch (error) {
      worldPoint(start, 'start');
      worldPoint(end, 'end');
      throw error;
    }
  }

  /**
   * From position to position: nearest polygons, route and corners. Null when the filter accepts no polygon near the start or near the
   * end: `out` is then as it was. `goal` may be another place than was asked for: look at `goal.over` and `goal.point`.
   */
  computePath(start: PointLike, end: PointLike, options?: ComputePathOptions): ComputedPath | null;
  computePath<O extends ComputedPathArrays>(
    start: PointLike,
    end: PointLike,
    options: ComputePathOptions | undefined,
    out: O,
  ): (O & ComputedPathSummary) | null;
  computePath(
    start: PointLike,
    end: PointLike,
    options?: ComputePathOptions,
    out?: ComputedPathArrays,
  ): ComputedPathSummary | null {
    try {
      const { native } = this;
      const { filter, extents = EXTENTS, maxPolygons, maxCorners } = given(options, wayMembers);
      const accepted = filterOf(filter, 'options.filter');
      const most = polygonLimit(maxPolygons);
      const limit = cornerLimit(maxCorners);
      const target = outWithEnd(out);
      if (target) checkPlaceTargets(target as Partial<ComputedPathSummary>);
      const capacity = pathRoom(target, most);
      const corners = target ? cornerRoom(target, limit) : limit;
      placePoints(native, start, 'start', end, 'end', extents);
      const cells = placeFilter(native, accepted);
      searched(native, native.exports.crw_query_compute_path(this.handle(), cells, capacity, corners), accepted);
      this.#replaceSlices('computePath');
      return this.#computedPath(target, capacity);
    } catch (error) {
      worldPoint(start, 'start');
      worldPoint(end, 'end');
      throw error;
    }
  }

  #computedPath(target: ComputedPathArrays | null, capacity: number): ComputedPathSummary | null {
    const { native } = this;
    const { memory, recordAt: at } = native;
    if (memory.u64(at) === 0n || memory.u64(at + nearestSize) === 0n) return null;
    const made = target ? null : (newPath() as ComputedPath);
    const path = (target ?? made) as ComputedPathSummary & Partial<ComputedPathSummary>;
    path.start = readSurfacePoint(memory, at, path.start ?? null);
    path.goal = readSurfacePoint(memory, at + nearestSize, path.goal ?? null);
    readPath(memory, at + 2 * nearestSize, path);
    path.cornersTruncated = memory.f64(at + 2 * nearestSize + pathSize) === 1;
    path.cornerCount = memory.f64(at + 2 * nearestSize + pathSize + 8);
    const lists = native.result;
    if (made) {
      made.polygons = memory.refList(lists, path.polygonCount);
      made.corners = readCorners(memory, lists + capacity * 8, path.cornerCount);
      const last = made.corners.at(-1);
      if (last && path.truncated) last.end = false;
    } else if (target) {
      if (target.polygons) memory.copyRefs(lists, path.polygonCount, target.polygons);
      copyCorners(memory, lists + capacity * 8, path.cornerCount, target);
      const last = path.cornerCount - 1;
      // The line leads to the end of what is given of the route, which is not the route's.
      if (target.flags && last >= 0 && path.truncated) target.flags[last] = (target.flags[last] ?? 0) & ~CornerFlag.End;
    }
    return path;
  }
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'polygonCount' in value;
}

/** How many references of a list are meant. */
function usedCount(polygons: ArrayLike<bigint> | Route, { length }: ArrayLike<bigint>): number {
  if (!isRoute(polygons)) return length;
  const count = integer(polygons.polygonCount, 'polygons.polygonCount', 0);
  if (count <= length) return count;
  throw badArgument('polygons.polygonCount', `must be at most ${length}, the number of polygons, not ${count}`, {
    limit: length,
  });
}

function checkEnds(startRef: unknown, start: PointLike, endRef: unknown, end: PointLike): void {
  uint64(startRef, 'startRef');
  worldPoint(start, 'start');
  uint64(endRef, 'endRef');
  worldPoint(end, 'end');
}

function checkPlaceTargets({ start, goal }: Partial<ComputedPathSummary>): void {
  checkPlaceTarget(start, 'out.start');
  checkPlaceTarget(goal, 'out.goal');
}

function refList(value: unknown): ArrayLike<bigint> {
  const field = isRoute(value) ? 'polygons.polygons' : 'polygons';
  const list: unknown = isRoute(value) ? value.polygons : value;
  if (list instanceof BigUint64Array) return list;
  if (typeof list !== 'object' || list === null || typeof (list as ArrayLike<unknown>).length !== 'number') {
    throw badArgument(field, `must be a list of references, not ${describe(list)}`);
  }
  return Array.from(list as ArrayLike<unknown>, (ref, i) => uint64(ref, `${field}[${i}]`));
}

// The references in the input block. Elements of a list have been checked.
function placeRefs(native: Native, refs: ArrayLike<bigint>, count: number): number {
  const address = native.call(native.exports.crw_input(refs.length * 8));
  native.memory.writeRefs(address, refs, count);
  return address;
}
