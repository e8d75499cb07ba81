// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions about places of a mesh: nearest polygons, heights, random points, walks, rays, walls, polygons around. Arguments are read
// before anything is written to the engine's blocks, since reading a caller's object may run the caller's code. Once a call has failed,
// its arguments are checked from left to right: the error names the first wrong one, and calls that are right are checked once.
import { describe } from './describe.js';
import { badArgument } from './errors.js';
import { filterOf, placeFilter } from './filter.js';
import type { Explain, Native } from './native.js';
import { placeCircle, placePoint, placePoints } from './query-arguments.js';
import {
  aroundRoom,
  copyAround,
  readAround,
  readWallDistance,
  type AroundArrays,
  type AroundSummary,
  type PolygonsAround,
  type WallDistance,
} from './query-around.js';
import { nearestMany, type NearestArrays, type NearestMany } from './query-batch.js';
import {
  distance,
  EXTENTS,
  given,
  listMembers,
  nearestMembers,
  pieceLimit,
  polygonLimit,
  radiusAbove0,
  searchMembers,
  wallMembers,
  type NearestOptions,
  type PolygonListOptions,
  type SearchOptions,
  type WallOptions,
} from './query-options.js';
import {
  checkWallTarget,
  copyWalls,
  newMove,
  newRay,
  outObject,
  outWithPoint,
  pathRoom,
  readMove,
  readRandomPoint,
  readRay,
  readSurfacePoint,
  readWalls,
  roomIn,
  wallRoom,
  type MoveArrays,
  type MoveResult,
  type MoveSummary,
  type PathArrays,
  type RandomPoint,
  type RaycastResult,
  type RaycastSummary,
  type SurfacePoint,
  type WallArrays,
  type WallPiece,
} from './query-results.js';
import { Resource } from './resource.js';
import { coordinate, integer, uint64, worldPoint, type PointLike, type Vec3 } from './values.js';

const MAX_SHAPE = 32;
const NOT_FOUND = -10;
const startNames = { startRef: 'ref' };

/** The part of `NavMeshQuery` about places. */
export abstract class SurfaceQuery extends Resource {
  // --- Points -----------------------------------------------------------------------------------------------------------

  /** The polygon nearest to a point within the box of `extents`, or null when there is none. `out` is then as it was. */
  nearest(point: PointLike, options?: NearestOptions, out?: Partial<SurfacePoint>): SurfacePoint | null {
    try {
      const { native } = this;
      const { filter, extents = EXTENTS } = given(options, nearestMembers);
      const accepted = filterOf(filter, 'options.filter');
      const target = outWithPoint(out);
      placePoint(native, point, 'point', extents);
      const result = native.exports.crw_query_nearest(this.handle(), placeFilter(native, accepted));
      if (result === NOT_FOUND) return null;
      native.call(result);
      return readSurfacePoint(native.memory, native.recordAt, target);
    } catch (error) {
      worldPoint(point, 'point');
      throw error;
    }
  }

  /**
   * `nearest` for many points in one call: 3 numbers for each. Where there is none the reference is 0n. `out` may hold the arrays
   * `refs`, `points` and `over` to be filled, each long enough for all; without an `out` they are made.
   */
  nearestMany(points: ArrayLike<number>, options?: NearestOptions): NearestMany;
  nearestMany<O extends NearestArrays>(
    points: ArrayLike<number>,
    options: NearestOptions | undefined,
    out: O,
  ): O & { found: number };
  nearestMany(points: ArrayLike<number>, options?: NearestOptions, out?: NearestArrays): { found: number } {
    return nearestMany(this.native, this.handle(), points, options, out);
  }

  /** The point of a polygon's surface nearest to a point. */
  closestPoint(ref: bigint, point: PointLike, out?: Partial<SurfacePoint>): SurfacePoint {
    try {
      const { native } = this;
      uint64(ref, 'ref');
      const target = outWithPoint(out);
      placePoint(native, point, 'point');
      native.call(native.exports.crw_query_closest_point(this.handle(), ref));
      return readSurfacePoint(native.memory, native.recordAt, target);
    } catch (error) {
      uint64(ref, 'ref');
      worldPoint(point, 'point');
      throw error;
    }
  }

  /** Height of a polygon's surface at (x, z), or null when that is outside its outline. */
  height(ref: bigint, x: number, z: number): number | null {
    const { native } = this;
    uint64(ref, 'ref');
    native.memory.setPoint(native.arguments, coordinate(x, 'x'), 0, coordinate(z, 'z'));
    const result = native.exports.crw_query_height(this.handle(), ref);
    if (result === NOT_FOUND) return null;
    native.call(result);
    return native.recordNumber();
  }

  /**
   * A random point, uniform over the accepted surface. `seed` is any bigint of 64 bits; the result holds the seed for the
   * next call, so that the same seed always gives the same sequence. Null when no polygon is accepted.
   */
  randomPoint(seed: bigint, options?: SearchOptions, out?: Partial<RandomPoint>): RandomPoint | null {
    const { native } = this;
    uint64(seed, 'seed');
    const { filter } = given(options, searchMembers);
    const accepted = filterOf(filter, 'options.filter');
    const target = outWithPoint(out);
    const result = native.exports.crw_query_random_point(this.handle(), seed, placeFilter(native, accepted));
    if (result === NOT_FOUND) return null;
    native.call(result);
    return readRandomPoint(native.memory, native.recordAt, target);
  }

  /**
   * A random point, uniform over the surface within `radius` (horizontally, above 0) of `center` that a walk from polygon `ref`
   * reaches without leaving the circle. `seed` as for `randomPoint`. Null when no surface lies in the circle.
   */
  randomPointAround(
    ref: bigint,
    center: PointLike,
    radius: number,
    seed: bigint,
    options?: SearchOptions,
    out?: Partial<RandomPoint>,
  ): RandomPoint | null {
    try {
      const { native } = this;
      uint64(ref, 'ref');
      radiusAbove0(radius);
      uint64(seed, 'seed');
      const { filter } = given(options, searchMembers);
      const accepted = filterOf(filter, 'options.filter');
      const target = outWithPoint(out);
      placeCircle(native, center, radius);
      const cells = placeFilter(native, accepted);
      const result = native.exports.crw_query_random_point_around(this.handle(), ref, seed, cells);
      if (result === NOT_FOUND) return null;
      native.call(result, startNames);
      return readRandomPoint(native.memory, native.recordAt, target);
    } catch (error) {
      checkCircle(ref, center);
      radiusAbove0(radius);
      uint64(seed, 'seed');
      throw error;
    }
  }

  // --- Along the surface ------------------------------------------------------------------------------------------------

  /** Walks from a point on a polygon straight towards another, sliding along walls. It never leaves the mesh. */
  moveAlongSurface(startRef: bigint, start: PointLike, to: PointLike, options?: PolygonListOptions): MoveResult;
  moveAlongSurface<O extends MoveArrays>(
    startRef: bigint,
    start: PointLike,
    to: PointLike,
    options: PolygonListOptions | undefined,
    out: O,
  ): O & MoveSummary;
  moveAlongSurface(
    startRef: bigint,
    start: PointLike,
    to: PointLike,
    options?: PolygonListOptions,
    out?: MoveArrays,
  ): MoveSummary {
    try {
      const { native } = this;
      const { memory } = native;
      uint64(startRef, 'startRef');
      const { filter, maxPolygons } = given(options, listMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = polygonLimit(maxPolygons);
      const target = outWithPoint<MoveArrays & { point?: unknown }>(out);
      const capacity = target ? roomIn(target.visited, 'visited', BigUint64Array, 1, 1, limit) : limit;
      placePoints(native, start, 'start', to, 'to');
      const cells = placeFilter(native, accepted);
      native.call(native.exports.crw_query_move_along_surface(this.handle(), startRef, cells, capacity));
      const refs = native.result;
      if (!target) {
        const made = readMove(memory, native.recordAt, refs, newMove());
        made.visited = memory.refList(refs, made.visitedCount);
        return made;
      }
      const filled = readMove(memory, native.recordAt, refs, target as MoveArrays & MoveSummary);
      if (target.visited) memory.copyRefs(refs, filled.visitedCount, target.visited);
      return filled;
    } catch (error) {
      uint64(startRef, 'startRef');
      worldPoint(start, 'start');
      worldPoint(to, 'to');
      throw error;
    }
  }

  /**
   * Walks a straight ray along the surface until a wall, a rejected polygon, or the end. It does not look at the height of `end`: where
   * storeys overlap, compare that of the point reached. The way is free when the result is neither `hit` nor `truncated`. The filter
   * is not asked about the start polygon.
   */
  raycast(startRef: bigint, start: PointLike, end: PointLike, options?: PolygonListOptions): RaycastResult;
  raycast<O extends PathArrays>(
    startRef: bigint,
    start: PointLike,
    end: PointLike,
    options: PolygonListOptions | undefined,
    out: O,
  ): O & RaycastSummary;
  raycast(
    startRef: bigint,
    start: PointLike,
    end: PointLike,
    options?: PolygonListOptions,
    out?: PathArrays,
  ): RaycastSummary {
    try {
      const { native } = this;
      const { memory } = native;
      uint64(startRef, 'startRef');
      const { filter, maxPolygons } = given(options, listMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = polygonLimit(maxPolygons);
      const target = outWithPoint<PathArrays & { point?: unknown }>(out);
      const capacity = pathRoom(target, limit);
      placePoints(native, start, 'start', end, 'end');
      const cells = placeFilter(native, accepted);
      native.call(native.exports.crw_query_raycast(this.handle(), startRef, cells, capacity));
      if (!target) {
        const made = readRay(memory, native.recordAt, newRay());
        made.polygons = memory.refList(native.result, made.polygonCount);
        return made;
      }
      const filled = readRay(memory, native.recordAt, target as PathArrays & RaycastSummary);
      if (target.polygons) memory.copyRefs(native.result, filled.polygonCount, target.polygons);
      return filled;
    } catch (error) {
      uint64(startRef, 'startRef');
      worldPoint(start, 'start');
      worldPoint(end, 'end');
      throw error;
    }
  }

  // --- Walls and polygons around ------------------------------------------------------------------------------------------

  /**
   * Walls around a point, nearest first: those within `radius` world units (0 or more) of `center`, as far as a walk from the polygon
   * can come.
   */
  findWalls(ref: bigint, center: PointLike, radius: number, options?: WallOptions): WallPiece[];
  findWalls<O extends WallArrays>(
    ref: bigint,
    center: PointLike,
    radius: number,
    options: WallOptions | undefined,
    out: O,
  ): O & { count: number };
  findWalls(ref: bigint, center: PointLike, radius: number, options?: WallOptions, out?: WallArrays) {
    try {
      const { native } = this;
      uint64(ref, 'ref');
      distance(radius, 'radius');
      const { filter, maxPieces } = given(options, wallMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = pieceLimit(maxPieces);
      const target = outObject(out);
      const capacity = target ? wallRoom(target, limit) : limit;
      placeCircle(native, center, radius);
      const cells = placeFilter(native, accepted);
      const result = native.exports.crw_query_find_walls(this.handle(), ref, cells, capacity);
      const count = native.call(result, startNames);
      if (!target) return readWalls(native.memory, native.result, count);
      copyWalls(native.memory, native.result, count, target);
      const filled = target as WallArrays & { count: number };
      filled.count = count;
      return filled;
    } catch (error) {
      checkCircle(ref, center);
      distance(radius, 'radius');
      throw error;
    }
  }

  /** The ends of one piece of a wall as `findWalls` names it, or null when that edge has no such part. */
  wallPiece(
    ref: bigint,
    edge: number,
    part: number,
    options?: SearchOptions,
    out?: { a?: Vec3; b?: Vec3 },
  ): { a: Vec3; b: Vec3 } | null {
    const { native } = this;
    const { memory, recordAt } = native;
    uint64(ref, 'ref');
    integer(edge, 'edge', 0, 255);
    integer(part, 'part', 0, 255);
    const { filter } = given(options, searchMembers);
    const accepted = filterOf(filter, 'options.filter');
    const target = outObject(out);
    if (target) checkWallTarget(target.a, target.b, 'out');
    const cells = placeFilter(native, accepted);
    const result = native.exports.crw_query_wall_piece(this.handle(), ref, edge, part, cells);
    if (result === NOT_FOUND) return null;
    native.call(result);
    const ends = target ?? ({} as { a?: Vec3; b?: Vec3 });
    ends.a = memory.vec3(recordAt, ends.a);
    ends.b = memory.vec3(recordAt + 24, ends.b);
    return ends as { a: Vec3; b: Vec3 };
  }

  /**
   * The wall nearest to a point within `maxRadius` world units (0 or more), as far as a walk from the polygon can come; null when there
   * is none.
   */
  distanceToWall(
    ref: bigint,
    center: PointLike,
    maxRadius: number,
    options?: SearchOptions,
    out?: Partial<WallDistance>,
  ): WallDistance | null {
    try {
      const { native } = this;
      uint64(ref, 'ref');
      distance(maxRadius, 'maxRadius');
      const { filter } = given(options, searchMembers);
      const accepted = filterOf(filter, 'options.filter');
      const target = outWithPoint(out);
      if (target?.piece) checkWallTarget(target.piece.a, target.piece.b, 'out.piece');
      placeCircle(native, center, maxRadius);
      const result = native.exports.crw_query_distance_to_wall(this.handle(), ref, placeFilter(native, accepted));
      native.call(result, startNames);
      return readWallDistance(native.memory, native.recordAt, target);
    } catch (error) {
      checkCircle(ref, center);
      distance(maxRadius, 'maxRadius');
      throw error;
    }
  }

  /**
   * The polygons that a walk from polygon `ref` reaches through borders within `radius` world units (horizontally, 0 or more) of
   * `center`, those cheapest to reach first.
   */
  polygonsAroundCircle(ref: bigint, center: PointLike, radius: number, options?: PolygonListOptions): PolygonsAround;
  polygonsAroundCircle<O extends AroundArrays>(
    ref: bigint,
    center: PointLike,
    radius: number,
    options: PolygonListOptions | undefined,
    out: O,
  ): O & AroundSummary;
  polygonsAroundCircle(
    ref: bigint,
    center: PointLike,
    radius: number,
    options?: PolygonListOptions,
    out?: AroundArrays,
  ): AroundSummary {
    try {
      const { native } = this;
      uint64(ref, 'ref');
      distance(radius, 'radius');
      const { filter, maxPolygons } = given(options, listMembers);
      const accepted = filterOf(filter, 'options.filter');
      const limit = polygonLimit(maxPolygons);
      const target = outObject(out);
      const capacity = target ? aroundRoom(target, limit) : limit;
      placeCircle(native, center, radius);
      const cells = placeFilter(native, accepted);
      native.call(native.exports.crw_query_polygons_around_circle(this.handle(), ref, cells, capacity), startNames);
      return target ? copyAround(native, target) : readAround(native);
    } catch (error) {
      checkCircle(ref, center);
      distance(radius, 'radius');
      throw error;
    }
  }

  /**
   * The polygons that a walk from polygon `ref` reaches through borders that touch a convex shape of 3 to 32 `vertices`, in
   * either direction around it; those cheapest to reach from the mean of the vertices first. Heights are not looked at.
   */
  polygonsAroundShape(ref: bigint, vertices: readonly PointLike[], options?: PolygonListOptions): PolygonsAround;
  polygonsAroundShape<O extends AroundArrays>(
    ref: bigint,
    vertices: readonly PointLike[],
    options: PolygonListOptions | undefined,
    out: O,
  ): O & AroundSummary;
  polygonsAroundShape(
    ref: bigint,
    vertices: readonly PointLike[],
    options?: PolygonListOptions,
    out?: AroundArrays,
  ): AroundSummary {
    const { native } = this;
    uint64(ref, 'ref');
    const shape = shapeCells(vertices);
    const { filter, maxPolygons } = given(options, listMembers);
    const accepted = filterOf(filter, 'options.filter');
    const limit = polygonLimit(maxPolygons);
    const target = outObject(out);
    const capacity = target ? aroundRoom(target, limit) : limit;
    native.call(
      native.exports.crw_query_polygons_around_shape(
        this.handle(),
        ref,
        placeFilter(native, accepted),
        placeNumbers(native, shape),
        shape.length / 3,
        capacity,
      ),
      startNames,
      shapeProblem,
    );
    return target ? copyAround(native, target) : readAround(native);
  }
}

function checkCircle(ref: unknown, center: PointLike): void {
  uint64(ref, 'ref');
  worldPoint(center, 'center');
}

const shapeProblem: Explain = ({ status }, engineField) =>
  engineField === 'vertices' && status === 'Argument'
    ? { problem: 'must be the corners of a convex shape, in order around it, no two in one place' }
    : null;

function shapeCells(vertices: unknown): number[] {
  if (!Array.isArray(vertices)) throw badArgument('vertices', `must be a list of points, not ${describe(vertices)}`);
  if (vertices.length < 3 || vertices.length > MAX_SHAPE) {
    throw badArgument('vertices', `must be 3 to ${MAX_SHAPE} points, not ${vertices.length}`, {
      limit: vertices.length < 3 ? 3 : MAX_SHAPE,
    });
  }
  const points = vertices.map((vertex, i) => worldPoint(vertex, `vertices[${i}]`));
  // The engine wants them clockwise seen from above.
  return (area(points) < 0 ? points.reverse() : points).flat();
}

/** Twice the area of an outline, above 0 when it is clockwise seen from above. */
function area(points: readonly Vec3[]): number {
  const [first] = points as [Vec3];
  let sum = 0;
  for (let i = 2; i < points.length; i++) {
    const [a, b] = [points[i - 1] as Vec3, points[i] as Vec3];
    sum += (a[0] - first[0]) * (b[2] - first[2]) - (a[2] - first[2]) * (b[0] - first[0]);
  }
  return sum;
}

function placeNumbers(native: Native, numbers: ArrayLike<number>): number {
  const address = native.call(native.exports.crw_input(numbers.length * 8));
  native.memory.writeF64(address, numbers);
  return address;
}
