// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Results in objects and arrays of the caller's: the same as those made new, and nothing else is made.
import {
  CornerFlag,
  Crossings,
  prepareFilter,
  type Corner,
  type NavMeshQuery,
  type RandomPoint,
  type SurfacePoint,
  type Vec3,
  type WallDistance,
} from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesPerCall, createWorld, type World } from './support.js';

let world: World;
let query: NavMeshQuery;
let spots: SurfacePoint[];
const pairs = () => spots.slice(1).map((spot, i) => [spots[i]!, spot] as const);

beforeAll(async () => {
  world = await createWorld();
  query = world.engine.createQuery(world.mesh);
  let seed = 5n;
  spots = Array.from({ length: 101 }, () => {
    const { point, seed: next } = query.randomPoint(seed)!;
    seed = next;
    return query.nearest(point)!;
  });
});
afterAll(() => query.dispose());

const refs = (length = 64) => new BigUint64Array(length);
const cornerArrays = (length = 64) => ({
  points: new Float64Array(3 * length),
  refs: refs(length),
  pathIndices: new Int32Array(length),
  flags: new Uint8Array(length),
});

/** The corners in arrays, as objects. */
function cornersOf(arrays: ReturnType<typeof cornerArrays>, count: number): Corner[] {
  return Array.from({ length: count }, (_, i) => ({
    point: [...arrays.points.subarray(3 * i, 3 * i + 3)] as unknown as Vec3,
    ref: arrays.refs[i]!,
    pathIndex: arrays.pathIndices[i]!,
    start: (arrays.flags[i]! & CornerFlag.Start) !== 0,
    end: (arrays.flags[i]! & CornerFlag.End) !== 0,
    offMesh: (arrays.flags[i]! & CornerFlag.OffMesh) !== 0,
    crossing: (arrays.flags[i]! & CornerFlag.Crossing) !== 0,
  }));
}

describe('a result in an object of the caller’s is the one made new', () => {
  it('nearest, closestPoint', () => {
    const out: Partial<SurfacePoint> = {};
    const point: Vec3 = [0, 0, 0];
    for (const [a, b] of pairs()) {
      expect(query.nearest(a.point, undefined, out)).toBe(out);
      expect(out).toEqual(query.nearest(a.point));
      const held = { point };
      expect(query.closestPoint(a.ref, b.point, held)).toBe(held);
      expect(held.point).toBe(point);
      expect(held).toEqual(query.closestPoint(a.ref, b.point));
    }
    const before = structuredClone(out);
    expect(query.nearest([500, 0, 0], undefined, out)).toBeNull();
    expect(out).toEqual(before);
  });

  it('randomPoint, randomPointAround', () => {
    const out: Partial<RandomPoint> = {};
    for (let seed = 0n; seed < 50n; seed++) {
      expect(query.randomPoint(seed, undefined, out)).toBe(out);
      expect(out).toEqual(query.randomPoint(seed));
      const { ref, point } = spots[Number(seed)]!;
      expect(query.randomPointAround(ref, point, 3, seed, undefined, out)).toBe(out);
      expect(out).toEqual(query.randomPointAround(ref, point, 3, seed));
    }
  });

  it('findPath, finishPath', () => {
    const out = { polygons: refs() };
    for (const [a, b] of pairs()) {
      const { polygons, ...rest } = query.findPath(a.ref, a.point, b.ref, b.point);
      const filled = query.findPath(a.ref, a.point, b.ref, b.point, undefined, out);
      expect(filled).toBe(out);
      expect(filled).toEqual({ ...rest, polygons: out.polygons });
      expect([...out.polygons.subarray(0, filled.polygonCount)]).toEqual(polygons);
      expect(rest.polygonCount).toBe(polygons.length);
      const summary = query.findPath(a.ref, a.point, b.ref, b.point, undefined, {});
      expect(summary).toEqual(rest);

      query.beginPath(a.ref, a.point, b.ref, b.point);
      while (query.updatePath(3) === 'inProgress');
      expect(query.finishPath()).toEqual({ ...rest, polygons });
      expect(query.finishPath(undefined, out)).toEqual({ ...rest, polygons: out.polygons });
    }
  });

  it('straightPath, computePath', () => {
    const out = cornerArrays();
    const all = { ...cornerArrays(), polygons: refs() };
    for (const [a, b] of pairs()) {
      const path = query.computePath(a.point, b.point)!;
      const { corners, polygons, ...rest } = path;
      const filled = query.computePath(a.point, b.point, undefined, all)!;
      expect(filled).toBe(all);
      const told = Object.fromEntries(Object.entries(filled).filter(([name]) => name in rest));
      expect(told).toEqual(rest);
      expect(cornersOf(all, filled.cornerCount)).toEqual(corners);
      expect([...all.polygons.subarray(0, filled.polygonCount)]).toEqual(polygons);

      for (const crossings of Object.values(Crossings)) {
        const made = query.straightPath(a.point, b.point, polygons, { crossings });
        const line = query.straightPath(
          a.point,
          b.point,
          all.polygons.subarray(0, filled.polygonCount),
          { crossings },
          out,
        );
        expect(line).toBe(out);
        expect([line.outcome, line.cornerCount]).toEqual([made.outcome, made.cornerCount]);
        expect(cornersOf(out, line.cornerCount)).toEqual(made.corners);
      }
    }
    const unsigned = { pathIndices: new Uint32Array(8) };
    expect(query.computePath(spots[0]!.point, spots[1]!.point, undefined, unsigned)!.pathIndices[0]).toBe(0);
    expect(query.computePath([500, 0, 0], [0, 0, 5], undefined, unsigned)).toBeNull();
  });

  it('moveAlongSurface, raycast', () => {
    const moved = { visited: refs() };
    const ray = { polygons: refs() };
    for (const [a, b] of pairs()) {
      const { visited, ...move } = query.moveAlongSurface(a.ref, a.point, b.point);
      const filled = query.moveAlongSurface(a.ref, a.point, b.point, undefined, moved);
      expect(filled).toEqual({ ...move, visited: moved.visited });
      expect([...moved.visited.subarray(0, filled.visitedCount)]).toEqual(visited);
      expect(query.moveAlongSurface(a.ref, a.point, b.point, undefined, {})).toEqual(move);
      const { polygons, ...cast } = query.raycast(a.ref, a.point, b.point);
      const hit = query.raycast(a.ref, a.point, b.point, undefined, ray);
      expect(hit).toEqual({ ...cast, polygons: ray.polygons });
      expect([...ray.polygons.subarray(0, hit.polygonCount)]).toEqual(polygons);
    }
  });

  it('findWalls, wallPiece, distanceToWall', () => {
    const out = {
      refs: refs(),
      edges: new Uint8Array(64),
      parts: new Uint8Array(64),
      ends: new Float64Array(384),
      distances: new Float64Array(64),
    };
    const nearest: Partial<WallDistance> = {};
    for (const { ref, point } of spots) {
      const walls = query.findWalls(ref, point, 4);
      const { count } = query.findWalls(ref, point, 4, undefined, out);
      const listed = Array.from({ length: count }, (_, i) => ({
        ref: out.refs[i],
        edge: out.edges[i],
        part: out.parts[i],
        a: [...out.ends.subarray(6 * i, 6 * i + 3)],
        b: [...out.ends.subarray(6 * i + 3, 6 * i + 6)],
        distance: out.distances[i],
      }));
      expect(listed).toEqual(walls);
      for (const { ref: of, edge, part, a, b } of walls) {
        expect(query.wallPiece(of, edge, part)).toEqual({ a, b });
        expect(query.wallPiece(of, edge, part, undefined, { a: [0, 0, 0] })).toEqual({ a, b });
      }
      const wall = query.distanceToWall(ref, point, 4);
      expect(wall?.piece ?? null).toEqual(walls[0] ?? null);
      expect(query.distanceToWall(ref, point, 4, undefined, nearest)).toEqual(wall);
      if (wall) expect(nearest).toEqual(wall);
    }
  });

  it('polygonsAroundCircle, polygonsAroundShape', () => {
    const out = { refs: refs(), parents: refs(), costs: new Float64Array(64) };
    const listed = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ref: out.refs[i], parent: out.parents[i], cost: out.costs[i] }));
    for (const { ref, point } of spots) {
      const around = query.polygonsAroundCircle(ref, point, 5);
      const { count, truncated } = query.polygonsAroundCircle(ref, point, 5, undefined, out);
      expect({ count, truncated, polygons: listed(count) }).toEqual(around);
      const [x, , z] = point;
      const shape: Vec3[] = [
        [x - 4, 0, z],
        [x, 0, z + 4],
        [x + 4, 0, z],
      ];
      const inShape = query.polygonsAroundShape(ref, shape);
      const found = query.polygonsAroundShape(ref, shape, undefined, out);
      expect({ count: found.count, truncated: found.truncated, polygons: listed(found.count) }).toEqual(inShape);
      // The mean of the corners is rounded, and so are costs.
      const turned = query.polygonsAroundShape(ref, [...shape].reverse()).polygons;
      expect(turned.map((polygon) => polygon.ref)).toEqual(inShape.polygons.map((polygon) => polygon.ref));
    }
  });
});

describe('arrays of the caller’s', () => {
  it('limit how much is given, together with the options', () => {
    const [a, b] = pairs().find(
      ([from, to]) => query.findPath(from.ref, from.point, to.ref, to.point).polygonCount > 4,
    )!;
    const whole = query.findPath(a.ref, a.point, b.ref, b.point);
    const cut = query.findPath(a.ref, a.point, b.ref, b.point, undefined, { polygons: refs(3) });
    expect(cut).toMatchObject({ truncated: true, polygonCount: 3, end: whole.end, outcome: 'success' });
    expect([...cut.polygons]).toEqual(whole.polygons.slice(0, 3));
    const less = query.findPath(a.ref, a.point, b.ref, b.point, { maxPolygons: 2 }, { polygons: refs(3) });
    expect([...less.polygons]).toEqual([...whole.polygons.slice(0, 2), 0n]);
    // The shortest of several counts.
    const line = query.straightPath(
      [-8, 0, -9],
      [-8, 0, 9],
      query.computePath([-8, 0, -9], [-8, 0, 9])!.polygons,
      undefined,
      {
        points: new Float64Array(100),
        flags: new Uint8Array(2),
      },
    );
    expect(line).toMatchObject({ outcome: 'truncated', cornerCount: 2 });
    const way = query.computePath([-8, 0, -9], [-8, 0, 9], undefined, { points: new Float64Array(8) })!;
    expect(way).toMatchObject({ cornersTruncated: true, cornerCount: 2, outcome: 'success', truncated: false });
  });

  it('may be views into larger ones, and nothing beyond them is touched', () => {
    const buffer = new BigUint64Array(10).fill(7n);
    const [a, b] = pairs().find(
      ([from, to]) => query.findPath(from.ref, from.point, to.ref, to.point).polygonCount > 4,
    )!;
    query.findPath(a.ref, a.point, b.ref, b.point, undefined, { polygons: buffer.subarray(2, 5) });
    expect([buffer[1], buffer[5]]).toEqual([7n, 7n]);
    expect(buffer.subarray(2, 5)).not.toContain(7n);
  });
});

describe('prepared filters', () => {
  it('say the same as plain ones, and cannot change', () => {
    const plain = { includeFlags: 3, excludeFlags: 8, areaCost: { 0: 2, 5: 7 } };
    const filter = prepareFilter(plain);
    expect([filter.includeFlags, filter.excludeFlags, filter.areaCost[5], filter.areaCost[6]]).toEqual([3, 8, 7, 1]);
    expect(Object.isFrozen(filter) && Object.isFrozen(filter.areaCost)).toBe(true);
    for (const [a, b] of pairs()) {
      expect(query.findPath(a.ref, a.point, b.ref, b.point, { filter })).toEqual(
        query.findPath(a.ref, a.point, b.ref, b.point, { filter: plain }),
      );
    }
    expect(query.nearest([3, 0, 3], { filter: prepareFilter({ excludeFlags: 1 }) })).toBeNull();
    // Spread, it is a plain one again.
    expect(query.nearest([3, 0, 3], { filter: { ...filter, excludeFlags: 1 } })).toBeNull();
    using crowd = world.engine.createCrowd(world.mesh, { filter });
    expect(crowd.add([0, 0, 5])).toBe(0);
    expect(() => prepareFilter({ includeFlags: -1 })).toThrow(/filter\.includeFlags/);
    expect(() => prepareFilter(null as never)).toThrow(/filter must be an object/);
  });
});

// --- What is made per call --------------------------------------------------------------------------------------------

const CALLS = 100_000;

// What a bigint read from the engine takes, and room for a number or two that V8 puts into boxes on their way between functions.
const BIGINT = 40;
const NUMBERS = 40;

describe('calls with an out make nothing but the bigints they tell', { timeout: 120_000 }, () => {
  it.each<[name: string, bigints: number, make: () => (i: number) => unknown]>([
    [
      'nearest',
      1,
      () => {
        const out: Partial<SurfacePoint> = {};
        return (i) => query.nearest(spots[i % 100]!.point, undefined, out);
      },
    ],
    [
      'nearest with options',
      1,
      () => {
        const out: Partial<SurfacePoint> = {};
        const options = { extents: [1, 2, 1], filter: prepareFilter({ areaCost: { 1: 3 } }) };
        return (i) => query.nearest(spots[i % 100]!.point, options, out);
      },
    ],
    [
      'closestPoint',
      1,
      () => {
        const out: Partial<SurfacePoint> = {};
        return (i) => query.closestPoint(spots[i % 100]!.ref, spots[i % 100]!.point, out);
      },
    ],
    ['height', 0, () => (i) => query.height(spots[i % 100]!.ref, spots[i % 100]!.point[0], spots[i % 100]!.point[2])],
    [
      'randomPoint',
      2,
      () => {
        const out: Partial<RandomPoint> = {};
        return () => query.randomPoint(7n, undefined, out);
      },
    ],
    [
      'findPath',
      0,
      () => {
        const out = { polygons: refs() };
        return (i) => {
          const [a, b] = [spots[i % 100]!, spots[(i + 1) % 100]!];
          return query.findPath(a.ref, a.point, b.ref, b.point, undefined, out);
        };
      },
    ],
    [
      'straightPath',
      0,
      () => {
        const polygons = BigUint64Array.from(query.computePath([-8, 0, -9], [-8, 0, 9])!.polygons);
        const out = { points: new Float64Array(96), flags: new Uint8Array(32) };
        const [from, to]: Vec3[] = [
          [-8, 0, -9],
          [-8, 0, 9],
        ];
        return () => query.straightPath(from!, to!, polygons, undefined, out);
      },
    ],
    [
      'computePath',
      2,
      () => {
        const out = { ...cornerArrays(), polygons: refs() };
        return (i) => query.computePath(spots[i % 100]!.point, spots[(i + 1) % 100]!.point, undefined, out);
      },
    ],
    [
      'moveAlongSurface',
      1,
      () => {
        const out = { visited: refs() };
        return (i) =>
          query.moveAlongSurface(
            spots[i % 100]!.ref,
            spots[i % 100]!.point,
            spots[(i + 1) % 100]!.point,
            undefined,
            out,
          );
      },
    ],
    [
      'raycast',
      1,
      () => {
        const out = { polygons: refs() };
        return (i) =>
          query.raycast(spots[i % 100]!.ref, spots[i % 100]!.point, spots[(i + 1) % 100]!.point, undefined, out);
      },
    ],
    [
      'findWalls',
      0,
      () => {
        const out = { ends: new Float64Array(60) };
        return (i) => query.findWalls(spots[i % 100]!.ref, spots[i % 100]!.point, 4, undefined, out);
      },
    ],
    [
      'distanceToWall',
      1,
      () => {
        const out: Partial<WallDistance> = {};
        return (i) => query.distanceToWall(spots[i % 100]!.ref, spots[i % 100]!.point, 4, undefined, out);
      },
    ],
    [
      'polygonsAroundCircle',
      0,
      () => {
        const out = { refs: refs() };
        return (i) => query.polygonsAroundCircle(spots[i % 100]!.ref, spots[i % 100]!.point, 4, undefined, out);
      },
    ],
  ])('%s', (name, bigints, make) => {
    const bytes = bytesPerCall(make(), CALLS);
    console.log(
      `${name}: ${bytes.toFixed(1)} bytes of heap for each of ${CALLS} calls, of them ${bigints * BIGINT} bigints`,
    );
    expect(bytes).toBeLessThanOrEqual(bigints * BIGINT + NUMBERS);
  });
});
