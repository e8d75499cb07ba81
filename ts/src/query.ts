// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a mesh: nearest polygons, paths, rays, walls, random points.
import { cellCount, records } from './abi.js';
import type { Native } from './native.js';
import type { NavMeshView } from './nav-mesh.js';
import { defaultExtents, merged, writeFilter, type QueryFilter } from './options.js';
import { Resource } from './resource.js';
import { badArgument } from './errors.js';
import { describe } from './describe.js';
import { boxExtents, coordinate, finite, integer, uint64, worldPoint, type PointLike, type Vec3 } from './values.js';

/** A point on a polygon. */
export interface SurfacePoint {
  /** The polygon. */
  ref: bigint;
  /** The point on its surface. */
  point: Vec3;
  /** Whether the point asked about lies over (or under) the polygon. */
  over: boolean;
}

/** How a path search ended. */
export type PathOutcome = 'failed' | 'inProgress' | 'success' | 'partial';
const pathOutcomes: readonly PathOutcome[] = ['failed', 'inProgress', 'success', 'partial'];

/** A route through polygons. */
export interface PathResult {
  /**
   * `'success'`: it reaches the end polygon. `'partial'`: that cannot be reached, and the route leads to the closest polygon that
   * can. `'failed'`: the filter rejects an end; there is no route.
   */
  outcome: PathOutcome;
  /** References from the start polygon on. */
  polygons: bigint[];
  /** The end point; after a partial search the point of the last polygon nearest to it. */
  end: Vec3;
  /** The search ran out of nodes: a larger `maxNodes` may find a better route. */
  outOfNodes: boolean;
  /** The route has more than `maxPolygons` polygons: its first part is given. */
  truncated: boolean;
  /** Nodes expanded. */
  iterations: number;
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
  /** The last corner. */
  end: boolean;
  /** An off-mesh link is entered here; the next corner is its exit. */
  offMesh: boolean;
}

/** A path from position to position. */
export interface ComputedPath extends PathResult {
  /** Where it starts on the mesh. */
  start: SurfacePoint;
  /** The goal on the mesh, reached or not. */
  goal: SurfacePoint;
  /** The corners to walk, first the start, last the end. */
  corners: Corner[];
}

/** Where a walk along the surface ended. */
export interface MoveResult {
  /** The point reached, on the surface of the last polygon visited. */
  point: Vec3;
  /** Polygons walked through, the start polygon first. */
  visited: bigint[];
  /** A wall was met. */
  blocked: boolean;
  /** More than `maxPolygons` polygons: the walk stopped short. */
  truncated: boolean;
}

/** Where a ray along the surface ended. */
export interface RaycastResult {
  /** A wall stopped it. */
  hit: boolean;
  /** The part of the way travelled, 0 to 1; 1 when nothing was hit. */
  t: number;
  /** Where it ended, on the surface. */
  point: Vec3;
  /** Of the wall hit, pointing into the mesh (x and z); null when none was. */
  normal: [x: number, z: number] | null;
  /** Polygon and edge of the wall hit, or null. */
  wall: { ref: bigint; edge: number } | null;
  /** Polygons crossed, the start polygon first. */
  polygons: bigint[];
  /** More than `maxPolygons` polygons: the ray ends at the last one given. */
  truncated: boolean;
}

/** A piece of a polygon edge with nothing walkable behind it. */
export interface WallPiece {
  ref: bigint;
  /** Edge of the polygon. */
  edge: number;
  /** Which uncovered piece of that edge. */
  part: number;
  /** One end; the walkable side is on the left from `a` to `b`. */
  a: Vec3;
  /** The other end. */
  b: Vec3;
  /** Horizontal distance from the centre asked for. */
  distance: number;
}

/** What most queries take besides their points. */
export interface SearchOptions {
  /** Polygons that may be used; default: all, at cost 1. */
  filter?: QueryFilter | null;
}

/** Options of queries that give a list of polygons. */
export interface PolygonListOptions extends SearchOptions {
  /** Most polygons given. 1 to 1048576; default 4096. */
  maxPolygons?: number;
}

/** Options of a straight path. */
export interface StraightPathOptions extends SearchOptions {
  /** Most corners given. 2 to 65536; default 1024. */
  maxCorners?: number;
}

/** Options of a search by box. */
export interface NearestOptions extends SearchOptions {
  /** Half size of the box looked in, world units, each 0 or more; default 2, 4, 2. */
  extents?: PointLike;
}

/** Options of `computePath`. */
export interface ComputePathOptions extends NearestOptions, PolygonListOptions, StraightPathOptions {}

const MAX_POLYGONS = 1 << 20;
const MAX_CORNERS = 1 << 16;
const CORNER_SIZE = cellCount(records.corner) * 8;
const WALL_SIZE = cellCount(records.wallPiece) * 8;

const listDefaults: Required<PolygonListOptions> = { filter: null, maxPolygons: 4096 };
const straightDefaults: Required<StraightPathOptions> = { filter: null, maxCorners: 1024 };
const nearestDefaults: Required<NearestOptions> = { filter: null, extents: defaultExtents() };
const wallDefaults = { filter: null as QueryFilter | null, maxPieces: 256 };

/** Reads `count` corner records at an address. */
export function readCorners(native: Native, address: number, count: number): Corner[] {
  return Array.from({ length: count }, (_, i) => {
    const { point, ref, pathIndex, flags } = native.memory.record(address + i * CORNER_SIZE, records.corner);
    return { point, ref, pathIndex, start: (flags & 1) !== 0, end: (flags & 2) !== 0, offMesh: (flags & 4) !== 0 };
  });
}

/**
 * Answers questions about one mesh. It holds the memory its searches need. Made by `Engine.createQuery`.
 *
 * Every method throws `ArgumentError` for a value that is not finite or out of range (`'Argument'`), a reference that names
 * no polygon of the mesh (`'StaleRef'`), or after `dispose` (`'StaleHandle'`).
 */
export class NavMeshQuery extends Resource {
  readonly #mesh: NavMeshView;

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

  /** The polygon nearest to a point within the box of `extents`, or null when there is none. */
  nearest(point: PointLike, options?: NearestOptions): SurfacePoint | null {
    return this.#nearest(point, 'point', merged(nearestDefaults, options, 'options'));
  }

  #nearest(point: PointLike, field: string, options: Required<NearestOptions>): SurfacePoint | null {
    const { native } = this;
    const [x, y, z] = worldPoint(point, field);
    const extents = boxExtents(options.extents, 'options.extents');
    const filter = writeFilter(native, options.filter, 'options.filter');
    return this.#found(native.exports.crw_query_nearest(this.handle(), x, y, z, ...extents, filter));
  }

  // "Not found" is an answer here, not a failure.
  #found(result: number): SurfacePoint | null {
    if (result === NOT_FOUND) return null;
    this.native.call(result);
    return this.native.record(records.nearestPoly);
  }

  /** The point of a polygon's surface nearest to a point. */
  closestPoint(ref: bigint, point: PointLike): SurfacePoint {
    const { native } = this;
    const at = worldPoint(point, 'point');
    native.call(native.exports.crw_query_closest_point(this.handle(), uint64(ref, 'ref'), ...at));
    return native.record(records.nearestPoly);
  }

  /** Height of a polygon's surface at (x, z), or null when that is outside its outline. */
  height(ref: bigint, x: number, z: number): number | null {
    const { native } = this;
    const [atX, atZ] = [coordinate(x, 'x'), coordinate(z, 'z')];
    const result = native.exports.crw_query_height(this.handle(), uint64(ref, 'ref'), atX, atZ);
    if (result === NOT_FOUND) return null;
    native.call(result);
    return native.recordNumber();
  }

  /**
   * A random point, uniform over the accepted surface. `seed` is any bigint of 64 bits; the result holds the seed for the
   * next call, so that the same seed always gives the same sequence. Null when no polygon is accepted.
   */
  randomPoint(seed: bigint, options?: SearchOptions): { ref: bigint; point: Vec3; seed: bigint } | null {
    const { native } = this;
    const { filter } = merged<Required<SearchOptions>>({ filter: null }, options, 'options');
    const filterAt = writeFilter(native, filter, 'options.filter');
    const found = this.#found(native.exports.crw_query_random_point(this.handle(), uint64(seed, 'seed'), filterAt));
    return found && { ref: found.ref, point: found.point, seed: native.recordBits(cellCount(records.nearestPoly)) };
  }

  /** The cheapest route between two points on known polygons. */
  findPath(
    startRef: bigint,
    start: PointLike,
    endRef: bigint,
    end: PointLike,
    options?: PolygonListOptions,
  ): PathResult {
    const { native } = this;
    const { filter, maxPolygons } = merged(listDefaults, options, 'options');
    const capacity = integer(maxPolygons, 'options.maxPolygons', 1, MAX_POLYGONS);
    const from = worldPoint(start, 'start');
    const to = worldPoint(end, 'end');
    const filterAt = writeFilter(native, filter, 'options.filter');
    const [a, b] = [uint64(startRef, 'startRef'), uint64(endRef, 'endRef')];
    native.call(native.exports.crw_query_find_path(this.handle(), a, ...from, b, ...to, filterAt, capacity));
    const { outcome, count, ...rest } = native.record(records.pathResult);
    return { ...rest, outcome: pathOutcomes[outcome] ?? 'failed', polygons: this.#polygons(count) };
  }

  #polygons(count: number): bigint[] {
    return Array.from(this.native.memory.refs(this.native.result, count));
  }

  /**
   * The shortest line through a route's polygons: its corners, the first at the start, the last at the end. Empty when
   * a reference is stale or neighbours do not touch.
   */
  straightPath(start: PointLike, end: PointLike, polygons: readonly bigint[], options?: StraightPathOptions): Corner[] {
    const { native } = this;
    const { filter, maxCorners } = merged(straightDefaults, options, 'options');
    const capacity = integer(maxCorners, 'options.maxCorners', 2, MAX_CORNERS);
    const [from, to] = [worldPoint(start, 'start'), worldPoint(end, 'end')];
    const path = refList(polygons, 'polygons');
    const filterAt = writeFilter(native, filter, 'options.filter');
    const handle = this.handle();
    const pathAt = native.call(native.exports.crw_input(path.length * 8));
    native.memory.writeU64(pathAt, path);
    native.call(
      native.exports.crw_query_straight_path(handle, ...from, ...to, pathAt, path.length, filterAt, capacity),
    );
    return readCorners(native, native.result, native.recordNumber(1));
  }

  /** From position to position: nearest polygons, route and corners. Null when there is no polygon near either end. */
  computePath(start: PointLike, end: PointLike, options?: ComputePathOptions): ComputedPath | null {
    const all = merged({ ...nearestDefaults, ...listDefaults, ...straightDefaults }, options, 'options');
    const { filter, extents, maxPolygons, maxCorners } = all;
    const from = this.#nearest(start, 'start', { filter, extents });
    const goal = this.#nearest(end, 'end', { filter, extents });
    if (!from || !goal) return null;
    const path = this.findPath(from.ref, from.point, goal.ref, goal.point, { filter, maxPolygons });
    const corners = this.straightPath(from.point, path.end, path.polygons, { filter, maxCorners });
    return { ...path, start: from, goal, corners };
  }

  /** Walks from a point on a polygon straight towards another, sliding along walls. It never leaves the mesh. */
  moveAlongSurface(startRef: bigint, start: PointLike, to: PointLike, options?: PolygonListOptions): MoveResult {
    const { native } = this;
    const { filter, maxPolygons } = merged(listDefaults, options, 'options');
    const capacity = integer(maxPolygons, 'options.maxPolygons', 1, MAX_POLYGONS);
    const [a, b] = [worldPoint(start, 'start'), worldPoint(to, 'to')];
    const filterAt = writeFilter(native, filter, 'options.filter');
    const ref = uint64(startRef, 'startRef');
    native.call(native.exports.crw_query_move_along_surface(this.handle(), ref, ...a, ...b, filterAt, capacity));
    const { point, count, truncated, blocked } = native.record(records.moveResult);
    return { point, visited: this.#polygons(count), blocked, truncated };
  }

  /** Walks a straight ray along the surface until a wall, a rejected polygon, or the end. */
  raycast(startRef: bigint, start: PointLike, end: PointLike, options?: PolygonListOptions): RaycastResult {
    const { native } = this;
    const { filter, maxPolygons } = merged(listDefaults, options, 'options');
    const capacity = integer(maxPolygons, 'options.maxPolygons', 1, MAX_POLYGONS);
    const [a, b] = [worldPoint(start, 'start'), worldPoint(end, 'end')];
    const filterAt = writeFilter(native, filter, 'options.filter');
    const ref = uint64(startRef, 'startRef');
    native.call(native.exports.crw_query_raycast(this.handle(), ref, ...a, ...b, filterAt, capacity));
    const { hit, t, point, truncated, ...ray } = native.record(records.raycastResult);
    const normal: RaycastResult['normal'] = hit ? [ray.normalX, ray.normalZ] : null;
    const wall = hit ? { ref: ray.hitRef, edge: ray.hitEdge } : null;
    return { hit, t, point, normal, wall, polygons: this.#polygons(ray.count), truncated };
  }

  /**
   * Walls around a point, nearest first: at most `maxPieces` (1 to 65536; default 256) within `radius` world units (0 or
   * more), as far as a walk from the polygon can come.
   */
  findWalls(
    ref: bigint,
    center: PointLike,
    radius: number,
    options?: SearchOptions & { maxPieces?: number },
  ): WallPiece[] {
    const { native } = this;
    const { filter, maxPieces } = merged(wallDefaults, options, 'options');
    const capacity = integer(maxPieces, 'options.maxPieces', 1, MAX_CORNERS);
    const at = worldPoint(center, 'center');
    if (finite(radius, 'radius') < 0) throw badArgument('radius', 'must not be negative', { limit: 0 });
    const filterAt = writeFilter(native, filter, 'options.filter');
    const start = uint64(ref, 'ref');
    const result = native.exports.crw_query_find_walls(this.handle(), start, ...at, radius, filterAt, capacity);
    const count = native.call(result, { startRef: 'ref' });
    const address = native.result;
    return Array.from({ length: count }, (_, i) => native.memory.record(address + i * WALL_SIZE, records.wallPiece));
  }
}

const NOT_FOUND = -10;

function refList(value: unknown, field: string): readonly bigint[] {
  const list = value as ArrayLike<unknown> | null;
  if (typeof list !== 'object' || list === null || typeof list.length !== 'number') {
    throw badArgument(field, `must be a list of references, not ${describe(value)}`);
  }
  return Array.from(list, (ref, i) => uint64(ref, `${field}[${i}]`));
}
