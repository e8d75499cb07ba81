// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Questions to a mesh.
import { CornerFlag, Crossings, NodeModel, type NavMeshQuery, type Vec3 } from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, level, type World } from './support.js';

let world: World;
let query: NavMeshQuery;
beforeAll(async () => {
  world = await createWorld();
  query = world.engine.createQuery(world.mesh);
});
afterAll(() => query.dispose());

const distance = (a: Vec3, b: Vec3) => Math.hypot(a[0] - b[0], a[2] - b[2]);
const length = (points: Vec3[]) => points.slice(1).reduce((sum, p, i) => sum + distance(points[i]!, p), 0);

describe('points', () => {
  it('nearest finds the polygon under a point, whatever form the point has', () => {
    const found = query.nearest([3, 0.5, 3])!;
    expect(found.over).toBe(true);
    expect(distance(found.point, [3, 0, 3])).toBe(0);
    expect(world.mesh.isValidRef(found.ref)).toBe(true);
    expect(query.nearest({ x: 3, y: 0.5, z: 3 })).toEqual(found);
    expect(query.nearest(Float32Array.of(3, 0.5, 3))).toEqual(found);
  });

  it('nearest looks only within its box', () => {
    expect(query.nearest([100, 0, 0])).toBeNull();
    expect(query.nearest([13, 0, 3], { extents: [0.1, 1, 0.1] })).toBeNull();
    const outside = query.nearest([13, 0, 3])!;
    expect(outside.over).toBe(false);
    expect(outside.point[0]).toBeLessThan(12);
  });

  it('nearest heeds its filter', () => {
    expect(query.nearest([3, 0, 3], { filter: { includeFlags: 2 } })).toBeNull();
    expect(query.nearest([3, 0, 3], { filter: { excludeFlags: 1 } })).toBeNull();
    expect(query.nearest([3, 0, 3], { filter: { includeFlags: 1 } })).not.toBeNull();
  });

  it('closestPoint and height answer for one polygon', () => {
    const { ref } = query.nearest([3, 0, 3])!;
    expect(query.closestPoint(ref, [3, 5, 3])).toMatchObject({ ref, over: true });
    const far = query.closestPoint(ref, [50, 0, 50]);
    expect(far.over).toBe(false);
    expect(query.height(ref, 3, 3)).toBeCloseTo(0, 0);
    expect(query.height(ref, 50, 50)).toBeNull();
  });

  it('randomPoint follows from its seed and covers both rooms', () => {
    let seed = 42n;
    const points = Array.from({ length: 200 }, () => {
      const found = query.randomPoint(seed)!;
      seed = found.seed;
      return found;
    });
    expect(query.randomPoint(42n)!.point).toEqual(points[0]!.point);
    for (const { ref, point } of points) expect(query.closestPoint(ref, point).over).toBe(true);
    const north = points.filter(({ point }) => point[2] < 0).length;
    expect(north).toBeGreaterThan(60);
    expect(north).toBeLessThan(140);
  });
});

describe('paths', () => {
  it('computePath leads through the door', () => {
    const path = query.computePath([-8, 0, -9], [-8, 0, 9])!;
    expect(path).toMatchObject({ outcome: 'success', outOfNodes: false, truncated: false });
    const points = path.corners.map((corner) => corner.point);
    expect(points[0]).toEqual(path.start.point);
    expect(points.at(-1)).toEqual(path.goal.point);
    expect(path.corners[0]!.start).toBe(true);
    expect(path.corners.at(-1)!.end).toBe(true);
    // Through the door's edge: from (-8, -9) to x = -1 or so, and back.
    expect(length(points)).toBeGreaterThan(2 * Math.hypot(6, 8.5));
    expect(length(points)).toBeLessThan(2 * Math.hypot(8, 8.5) + 1);
    for (const { point, ref } of path.corners) expect(query.closestPoint(ref, point).over).toBe(true);
  });

  it('findPath and straightPath are its parts', () => {
    const a = query.nearest([-8, 0, -9])!;
    const b = query.nearest([-8, 0, 9])!;
    const path = query.findPath(a.ref, a.point, b.ref, b.point);
    expect([path.polygons[0], path.polygons.at(-1)]).toEqual([a.ref, b.ref]);
    expect(path.iterations).toBeGreaterThan(0);
    const corners = query.straightPath(a.point, b.point, path.polygons);
    expect(corners).toEqual({
      outcome: 'complete',
      cornerCount: corners.corners.length,
      corners: query.computePath([-8, 0, -9], [-8, 0, 9])!.corners,
    });
    expect(query.straightPath(a.point, b.point, path.polygons, { maxCorners: 2 })).toEqual({
      outcome: 'truncated',
      cornerCount: 2,
      corners: corners.corners.slice(0, 2),
    });
    expect(query.straightPath(a.point, b.point, [5n])).toEqual({ outcome: 'invalid', cornerCount: 0, corners: [] });
    expect(query.straightPath(a.point, b.point, BigUint64Array.from(path.polygons))).toEqual(corners);
    const cut = query.findPath(a.ref, a.point, b.ref, b.point, { maxPolygons: 2 });
    expect(cut).toMatchObject({ truncated: true, polygons: path.polygons.slice(0, 2) });
  });

  it('with too few nodes the search says so', () => {
    const { mesh } = world.engine.buildNavMesh(
      { positions: [-60, 0, -60, -60, 0, 60, 60, 0, 60, 60, 0, -60], indices: [0, 1, 2, 0, 2, 3] },
      { tileCells: 8, cellSize: 0.5 },
    );
    const small = world.engine.createQuery(mesh, { maxNodes: 16 });
    const path = small.computePath([-50, 0, -50], [50, 0, 50])!;
    expect(path).toMatchObject({ outcome: 'partial', outOfNodes: true });
    small.dispose();
    mesh.dispose();
  });

  it('to a place that cannot be reached is partial', () => {
    // Two floors apart in height share no edge.
    const positions = [-9, 0, -9, -9, 0, 9, 0, 0, 9, 0, 0, -9, 2, 6, -9, 2, 6, 9, 9, 6, 9, 9, 6, -9];
    const { mesh } = world.engine.buildNavMesh({ positions, indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7] });
    const other = world.engine.createQuery(mesh);
    const path = other.computePath([-5, 0, 0], [5, 6, 0])!;
    expect(path.outcome).toBe('partial');
    expect(path.end[0]).toBeLessThan(0);
    expect(other.computePath([-5, 0, 0], [50, 0, 0])).toBeNull();
    other.dispose();
    mesh.dispose();
  });

  it('from a polygon the filter rejects fails', () => {
    const { ref, point } = query.nearest([0, 0, 5])!;
    const path = query.findPath(ref, point, ref, point, { filter: { excludeFlags: 1 } });
    expect(path).toMatchObject({ outcome: 'failed', polygons: [] });
  });

  it('heeds area costs', () => {
    const cheap = query.computePath([-8, 0, -9], [8, 0, -9])!;
    const dear = query.computePath([-8, 0, -9], [8, 0, -9], { filter: { areaCost: { 0: 5 } } })!;
    expect(dear.corners).toEqual(cheap.corners);
    expect(query.computePath([-8, 0, -9], [8, 0, -9], { filter: { excludeFlags: 1 } })).toBeNull();
  });

  it('crossing nodes give no longer ways than polygon nodes here', () => {
    const crossing = world.engine.createQuery(world.mesh, { nodeModel: NodeModel.Crossing });
    const [a, b] = [query, crossing].map((q) =>
      length(q.computePath([-8, 0, -9], [8, 0, 9])!.corners.map((c) => c.point)),
    );
    expect(b!).toBeLessThanOrEqual(a! + 1e-9);
    crossing.dispose();
  });
});

describe('exact and hierarchical searches', () => {
  it('exact routes are the shortest: never longer, and as the corner of the door has it', () => {
    using exact = world.engine.createQuery(world.mesh, { nodeModel: NodeModel.Exact });
    let seed = 3n;
    const draw = () => {
      const found = query.randomPoint(seed)!;
      seed = found.seed;
      return found.point;
    };
    let worst = 0;
    for (let i = 0; i < 200; i++) {
      const [a, b] = [draw(), draw()];
      const ways = [exact, query].map((one) => one.computePath(a, b)!);
      expect(ways.map((way) => way.outcome)).toEqual(['success', 'success']);
      const [best, other] = ways.map((way) => length(way.corners.map((corner) => corner.point)));
      expect(best!).toBeLessThanOrEqual(other! + 1e-9);
      worst = Math.max(worst, other! / best!);
    }
    console.log(`polygon nodes at worst ${worst.toFixed(3)} times as long as the exact way`);
    const direct = exact.computePath([-8, 0, -9], [8, 0, -9])!;
    expect(direct.corners).toHaveLength(2);
  });

  it('hierarchical ones lead to the same places on a mesh of tiles', () => {
    const { mesh } = world.engine.buildNavMesh(level, { tileCells: 16 });
    using plain = world.engine.createQuery(mesh);
    using tiles = world.engine.createQuery(mesh, { hierarchical: true });
    let seed = 4n;
    for (let i = 0; i < 100; i++) {
      const a = plain.randomPoint(seed)!;
      const b = plain.randomPoint(a.seed)!;
      seed = b.seed;
      const [whole, coarse] = [plain, tiles].map((one) => one.computePath(a.point, b.point)!);
      expect(coarse!.outcome).toBe(whole!.outcome);
      expect(coarse!.corners.at(-1)!.point).toEqual(whole!.corners.at(-1)!.point);
    }
    mesh.dispose();
  });

  it('hierarchical ones see every edit of the mesh', () => {
    const floor = { positions: [-30, 0, -30, -30, 0, 30, 30, 0, 30, 30, 0, -30], indices: [0, 1, 2, 0, 2, 3] };
    const { mesh, cache } = world.engine.buildTileCache(floor, { tileCells: 16, cellSize: 0.5 });
    using kept = world.engine.createQuery(mesh, { hierarchical: true });
    const ways: number[] = [];
    const walls = [
      { shape: 'box', center: [0, 0, -10], size: [2, 4, 44] },
      { shape: 'box', center: [10, 0, 10], size: [2, 4, 44] },
    ] as const;
    const look = () => {
      using fresh = world.engine.createQuery(mesh, { hierarchical: true });
      const [a, b] = [kept, fresh].map((one) => one.computePath([-25, 0, -25], [25, 0, -20])!);
      expect(a).toEqual(b);
      expect(a!.outcome).toBe('success');
      ways.push(length(a!.corners.map((corner) => corner.point)));
    };
    look();
    for (const wall of walls) {
      cache.addObstacle(wall);
      cache.update(mesh);
      look();
    }
    cache.removeObstacle(1);
    cache.update(mesh);
    look();
    expect(ways[1]!).toBeGreaterThan(ways[0]! + 10);
    expect(ways[2]!).toBeGreaterThan(ways[1]!);
    expect(ways[3]!).toBeLessThan(ways[2]!);
    cache.dispose();
    mesh.dispose();
  });
});

describe('around a place', () => {
  it('randomPointAround stays in its circle and covers it', () => {
    const { ref, point } = query.nearest([0, 0, 5])!;
    let seed = 11n;
    let left = 0;
    for (let i = 0; i < 300; i++) {
      const found = query.randomPointAround(ref, point, 3, seed)!;
      seed = found.seed;
      expect(distance(found.point, point)).toBeLessThanOrEqual(3 + 1e-9);
      expect(query.closestPoint(found.ref, found.point).over).toBe(true);
      if (found.point[0] < point[0]) left++;
    }
    expect(left).toBeGreaterThan(100);
    expect(left).toBeLessThan(200);
    expect(query.randomPointAround(ref, point, 3, 5n)).toEqual(query.randomPointAround(ref, point, 3, 5n));
    expect(query.randomPointAround(ref, [500, 0, 0], 3, 5n)).toBeNull();
  });

  it('polygonsAroundCircle goes through what a walk can reach, cheapest first', () => {
    const { ref, point } = query.nearest([-8, 0, -2])!;
    const { polygons, count, truncated } = query.polygonsAroundCircle(ref, point, 3);
    expect([polygons[0], count, truncated]).toEqual([{ ref, parent: 0n, cost: 0 }, polygons.length, false]);
    const costs = polygons.map((polygon) => polygon.cost);
    expect(costs).toEqual([...costs].sort((a, b) => a - b));
    const known = new Set([0n]);
    for (const polygon of polygons) {
      expect(known.has(polygon.parent)).toBe(true);
      known.add(polygon.ref);
    }
    // The other room is near, but not by foot.
    const beyond = query.nearest([-8, 0, 2])!;
    expect(known.has(beyond.ref)).toBe(false);
    expect(query.polygonsAroundCircle(ref, point, 100).polygons.length).toBe(world.mesh.polygonCount);
    expect(query.polygonsAroundCircle(ref, point, 100, { maxPolygons: 2 })).toMatchObject({
      count: 2,
      truncated: true,
    });
    expect(query.polygonsAroundCircle(ref, point, 0).count).toBeGreaterThan(0);
  });

  it('polygonsAroundShape heeds the shape alone', () => {
    const { ref, point } = query.nearest([-8, 0, -2])!;
    const box = (half: number): Vec3[] => [
      [point[0] - half, 50, point[2] - half],
      [point[0] + half, 0, point[2] - half],
      [point[0] + half, -9, point[2] + half],
      [point[0] - half, 0, point[2] + half],
    ];
    expect(query.polygonsAroundShape(ref, box(100)).count).toBe(world.mesh.polygonCount);
    expect(query.polygonsAroundShape(ref, box(0.01)).count).toBeLessThan(world.mesh.polygonCount);
    expect(
      query.polygonsAroundShape(ref, box(100), { filter: { excludeFlags: 1 } }).polygons.map((p) => p.ref),
    ).toEqual([ref]);
  });

  it('distanceToWall is that to the nearest piece', () => {
    const { ref, point } = query.nearest([-8, 0, -2])!;
    const wall = query.distanceToWall(ref, point, 5)!;
    expect(wall.distance).toBeCloseTo(distance(wall.point, point), 12);
    expect(Math.hypot(wall.normalX, wall.normalZ)).toBeCloseTo(1, 12);
    expect(wall.normalZ).toBeLessThan(-0.9);
    expect(wall.piece).toEqual(query.findWalls(ref, point, 5)[0]);
    expect(query.wallPiece(wall.piece.ref, wall.piece.edge, wall.piece.part)).toEqual({
      a: wall.piece.a,
      b: wall.piece.b,
    });
    expect(query.wallPiece(wall.piece.ref, wall.piece.edge, 200)).toBeNull();
    expect(query.distanceToWall(ref, point, 0.01)).toBeNull();
  });

  it('crossings of a straight path lie on it', () => {
    const [a, b] = [query.nearest([-8, 0, -9])!, query.nearest([-8, 0, 9])!];
    const { polygons } = query.findPath(a.ref, a.point, b.ref, b.point);
    const plain = query.straightPath(a.point, b.point, polygons);
    const all = query.straightPath(a.point, b.point, polygons, { crossings: Crossings.All });
    const bends = all.corners.filter(
      (corner) => !corner.crossing || plain.corners.some((c) => distance(c.point, corner.point) < 1e-9),
    );
    expect(bends.map((corner) => corner.point)).toEqual(plain.corners.map((corner) => corner.point));
    expect(all.cornerCount).toBeGreaterThan(plain.cornerCount);
    expect(length(all.corners.map((corner) => corner.point))).toBeCloseTo(
      length(plain.corners.map((corner) => corner.point)),
      9,
    );
    // One area: nothing changes on the way.
    expect(query.straightPath(a.point, b.point, polygons, { crossings: Crossings.Area })).toEqual(plain);
  });
});

describe('along the surface', () => {
  it('raycast runs into the wall, and far where nothing is in the way', () => {
    const start = query.nearest([-8, 0, -9])!;
    const hit = query.raycast(start.ref, start.point, [-8, 0, 9]);
    expect(hit.hit).toBe(true);
    expect(hit.point[2]).toBeLessThan(-0.4);
    expect(hit.t).toBeCloseTo((hit.point[2] - start.point[2]) / (9 - start.point[2]), 9);
    expect(hit.normalZ).toBeLessThan(-0.9);
    expect(Math.hypot(hit.normalX, hit.normalZ)).toBeCloseTo(1, 12);
    expect(world.mesh.isValidRef(hit.wallRef)).toBe(true);
    expect(hit.wallEdge).toBeGreaterThanOrEqual(0);
    expect(hit.polygonCount).toBe(hit.polygons.length);
    const free = query.raycast(start.ref, start.point, [-2, 0, -9]);
    expect(free).toMatchObject({ hit: false, t: 1, normalX: 0, normalZ: 0, wallRef: 0n, wallEdge: -1 });
    expect(free.polygons[0]).toBe(start.ref);
    expect(free.cost).toBeCloseTo(-2 - start.point[0], 9);
    const dear = { areaCost: Array.from({ length: 64 }, () => 3) };
    expect(query.raycast(start.ref, start.point, [-2, 0, -9], { filter: dear }).cost).toBeCloseTo(3 * free.cost, 9);
  });

  it('moveAlongSurface slides along the wall', () => {
    const start = query.nearest([-8, 0, -2])!;
    const move = query.moveAlongSurface(start.ref, start.point, [-4, 0, 3]);
    expect(move.blocked).toBe(true);
    expect(move.visited[0]).toBe(start.ref);
    expect([move.visitedCount, move.ref]).toEqual([move.visited.length, move.visited.at(-1)]);
    expect(move.point[0]).toBeGreaterThan(-6);
    expect(move.point[2]).toBeLessThan(-0.4);
    expect(query.closestPoint(move.visited.at(-1)!, move.point).over).toBe(true);
  });

  it('findWalls gives the nearest first', () => {
    const start = query.nearest([-8, 0, -2])!;
    const walls = query.findWalls(start.ref, start.point, 4);
    expect(walls.length).toBeGreaterThan(0);
    const distances = walls.map((wall) => wall.distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
    for (const wall of walls) expect(wall.distance).toBeLessThanOrEqual(4);
    expect(query.findWalls(start.ref, start.point, 4, { maxPieces: 1 })).toEqual(walls.slice(0, 1));
    expect(query.findWalls(start.ref, start.point, 0)).toEqual([]);
  });
});

describe('costs that exact searches cannot use', () => {
  it('are named by every search', () => {
    using exact = world.engine.createQuery(world.mesh, { nodeModel: NodeModel.Exact });
    const [a, b] = [exact.nearest([-8, 0, -9])!, exact.nearest([-8, 0, 9])!];
    const options = { filter: { areaCost: { 3: 2 } } };
    const one = { startRefs: [a.ref], starts: a.point, endRefs: [b.ref], ends: b.point };
    for (const call of [
      () => exact.findPath(a.ref, a.point, b.ref, b.point, options),
      () => exact.findPaths(one, options),
      () => exact.computePath(a.point, b.point, options),
      () => exact.beginPath(a.ref, a.point, b.ref, b.point, options),
    ]) {
      expect(call).toThrow(
        expect.objectContaining({
          name: 'ArgumentError',
          field: 'options.filter.areaCost',
          index: 3,
          message:
            'options.filter.areaCost must be the same for all areas with NodeModel.Exact: area 3 costs 2, area 0 costs 1.',
        }) as Error,
      );
    }
    const equal = { filter: { areaCost: Array.from({ length: 64 }, () => 2) } };
    expect(exact.computePath(a.point, b.point, equal)).toMatchObject({ outcome: 'success' });
  });
});

describe('the end of a line', () => {
  it('is no end where the route is cut', () => {
    const [a, b]: Vec3[] = [
      [-8, 0, -9],
      [-8, 0, 9],
    ];
    const whole = query.computePath(a!, b!)!;
    expect(whole.corners.at(-1)).toMatchObject({ end: true, point: whole.goal.point });
    const maxPolygons = whole.polygonCount - 1;
    const cut = query.computePath(a!, b!, { maxPolygons })!;
    expect([cut.truncated, cut.cornersTruncated]).toEqual([true, false]);
    expect(cut.corners.filter((corner) => corner.end)).toEqual([]);
    const out = { flags: new Uint8Array(16) };
    const filled = query.computePath(a!, b!, { maxPolygons }, out)!;
    expect(filled.cornerCount).toBe(cut.corners.length);
    expect(out.flags.some((flags) => (flags & CornerFlag.End) !== 0)).toBe(false);
    query.computePath(a!, b!, undefined, out);
    expect(out.flags[whole.corners.length - 1]! & CornerFlag.End).toBe(CornerFlag.End);
    expect(query.computePath(a!, b!, { maxCorners: 2 })!.corners.some((corner) => corner.end)).toBe(false);
    // A partial route that is whole has an end.
    using islands = world.engine.buildNavMesh({
      positions: [-20, 0, -5, -20, 0, 5, -2, 0, 5, -2, 0, -5, 2, 0, -5, 2, 0, 5, 20, 0, 5, 20, 0, -5],
      indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7],
    }).mesh;
    using own = world.engine.createQuery(islands);
    const partial = own.computePath([-10, 0, 0], [10, 0, 0])!;
    expect(partial).toMatchObject({ outcome: 'partial', truncated: false });
    expect(partial.corners.at(-1)).toMatchObject({ end: true, point: partial.end });
  });
});

describe('straightPath', () => {
  it('takes what gave the route in place of a list', () => {
    const [a, b] = [query.nearest([-8, 0, -9])!, query.nearest([-8, 0, 9])!];
    const way = query.findPath(a.ref, a.point, b.ref, b.point);
    const line = query.straightPath(a.point, way.end, way.polygons);
    expect(query.straightPath(a.point, way.end, way)).toEqual(line);
    for (const length of [64, 5000]) {
      // What stands behind the route is of another call.
      const out = { polygons: new BigUint64Array(length).fill(12345n) };
      const filled = query.findPath(a.ref, a.point, b.ref, b.point, undefined, out);
      expect(query.straightPath(a.point, filled.end, filled)).toEqual(line);
      expect(query.straightPath(a.point, filled.end, out.polygons).outcome).toBe('invalid');
    }
    expect(query.straightPath(a.point, b.point, { polygons: way.polygons, polygonCount: 0 }).outcome).toBe('invalid');
  });
});
