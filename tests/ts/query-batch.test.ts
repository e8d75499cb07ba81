// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Many questions in one call, and searches in slices: the same answers as one by one and at once.
import { loadCrowdreel, NodeModel, type NavMeshQuery, type Vec3 } from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesPerCall, createWorld, level, type World } from './support.js';

let world: World;
let query: NavMeshQuery;
beforeAll(async () => {
  world = await createWorld();
  query = world.engine.createQuery(world.mesh);
});
afterAll(() => query.dispose());

/** Points on, beside and far off the mesh, the same every time. */
function points(count: number): Float64Array {
  let state = 99;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  return Float64Array.from({ length: 3 * count }, (_, i) => (i % 3 === 1 ? random() * 6 - 3 : random() * 32 - 16));
}
const at = (list: ArrayLike<number>, i: number) => [list[3 * i], list[3 * i + 1], list[3 * i + 2]] as Vec3;

function requests(count: number) {
  const [starts, ends] = [points(2 * count).slice(0, 3 * count), points(2 * count).slice(3 * count)].map((list) => {
    const near = query.nearestMany(list, { extents: [40, 40, 40] });
    expect(near.found).toBe(count);
    return near;
  });
  return { startRefs: starts!.refs, starts: starts!.points, endRefs: ends!.refs, ends: ends!.points };
}

describe('nearestMany', () => {
  it('is nearest for each', () => {
    const list = points(500);
    const many = query.nearestMany(list);
    const single = Array.from({ length: 500 }, (_, i) => query.nearest(at(list, i)));
    expect(many.found).toBe(single.filter((found) => found !== null).length);
    expect(many.found).toBeGreaterThan(100);
    expect(many.found).toBeLessThan(450);
    for (const [i, found] of single.entries()) {
      if (!found) expect(many.refs[i]).toBe(0n);
      else expect({ ref: many.refs[i], point: at(many.points, i), over: many.over[i] === 1 }).toEqual(found);
    }
    expect(query.nearestMany(Array.from(list))).toEqual(many);
    const narrow = { extents: [0, 1, 0], filter: { includeFlags: 1 } };
    expect(query.nearestMany(list, narrow).found).toBeLessThan(many.found);
  });

  it('fills arrays of the caller’s, longer ones too', () => {
    const list = points(20);
    const made = query.nearestMany(list);
    const out = { refs: new BigUint64Array(25).fill(3n), points: new Float64Array(75).fill(3) };
    expect(query.nearestMany(list, undefined, out)).toBe(out);
    expect(out).toMatchObject({ found: made.found });
    expect(out.refs.subarray(0, 20)).toEqual(made.refs);
    expect([...out.refs.subarray(20)]).toEqual([3n, 3n, 3n, 3n, 3n]);
    expect(out.points.subarray(0, 60)).toEqual(made.points);
    expect(query.nearestMany([])).toMatchObject({ found: 0, refs: new BigUint64Array(0) });
  });

  it('names the point that is wrong', () => {
    const list = points(10);
    list[16] = NaN;
    expect(() => query.nearestMany(list)).toThrow(expect.objectContaining({ field: 'points', index: 5 }) as Error);
  });
});

describe('findPaths', () => {
  it('is findPath for each', () => {
    const asked = requests(200);
    const batch = query.findPaths(asked);
    let total = 0;
    for (let i = 0; i < 200; i++) {
      const [a, b] = [at(asked.starts, i), at(asked.ends, i)];
      const path = query.findPath(asked.startRefs[i]!, a, asked.endRefs[i]!, b);
      const [first, count] = [batch.firsts[i]!, batch.counts[i]!];
      expect(batch.outcomes[i]).toBe(path.outcome);
      expect([...batch.polygons.subarray(first, first + count)]).toEqual(path.polygons);
      expect(at(batch.ends, i)).toEqual(path.end);
      expect([batch.outOfNodes[i], batch.truncated[i], batch.iterations[i]]).toEqual([0, 0, path.iterations]);
      total += count;
    }
    expect(batch.polygonCount).toBe(total);
    expect(batch.polygons).toHaveLength(total);
  });

  it('heeds its filter, and tells a rejected end from a stale one', () => {
    const asked = requests(5);
    expect(query.findPaths(asked, { filter: { excludeFlags: 1 } })).toMatchObject({
      outcomes: Array.from({ length: 5 }, () => 'failed'),
      polygonCount: 0,
    });
    asked.endRefs[3] = 12345n;
    expect(() => query.findPaths(asked)).toThrow(
      expect.objectContaining({ field: 'requests.endRefs', index: 3, status: 'StaleRef' }) as Error,
    );
  });

  it('cuts routes at maxPolygons, and all together at maxTotal or the caller’s array', () => {
    const asked = requests(50);
    const whole = query.findPaths(asked);
    const each = query.findPaths(asked, { maxPolygons: 2 });
    expect(Math.max(...each.counts)).toBe(2);
    for (const [i, count] of whole.counts.entries()) expect(each.truncated[i]).toBe(count > 2 ? 1 : 0);
    const few = query.findPaths(asked, { maxTotal: 20 });
    expect(few.polygonCount).toBe(20);
    expect(few.polygons).toEqual(whole.polygons.subarray(0, 20));
    expect(few.outcomes).toEqual(whole.outcomes);
    const polygons = new BigUint64Array(20);
    const out = { polygons, truncated: new Uint8Array(50) };
    expect(query.findPaths(asked, undefined, out)).toBe(out);
    expect(polygons).toEqual(few.polygons);
    expect(out.truncated).toEqual(few.truncated);
    expect(few.truncated).toContain(1);
  });

  it('takes lists as well as typed arrays, and nothing', () => {
    const asked = requests(10);
    const lists = {
      startRefs: [...asked.startRefs],
      starts: [...asked.starts],
      endRefs: [...asked.endRefs],
      ends: [...asked.ends],
    };
    expect(query.findPaths(lists)).toEqual(query.findPaths(asked));
    const none = query.findPaths({ startRefs: [], starts: [], endRefs: [], ends: [] });
    expect(none).toMatchObject({ outcomes: [], polygonCount: 0 });
  });
});

describe('batches with an out', () => {
  it('make next to nothing', () => {
    const asked = requests(16);
    const out = { polygons: new BigUint64Array(1024), firsts: new Uint32Array(16), ends: new Float64Array(48) };
    const near = { refs: new BigUint64Array(16), points: new Float64Array(48) };
    for (const call of [
      () => query.findPaths(asked, undefined, out),
      () => query.nearestMany(asked.starts, undefined, near),
    ]) {
      const bytes = bytesPerCall(call, 20_000, 100);
      expect(bytes).toBeLessThan(150);
    }
  });
});

describe('memory that grows in the middle of a call', () => {
  it('disturbs neither what goes in nor what comes out', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(level);
    const own = engine.createQuery(mesh);
    const held = { point: own.nearest([3, 0, 3])!, path: own.computePath([-8, 0, -9], [-8, 0, 9])! };
    const copies = structuredClone(held);
    for (const count of [30_000, 150_000]) {
      const before = engine.memorySize;
      const list = points(count);
      const many = own.nearestMany(list, { extents: [40, 40, 40] });
      expect(engine.memorySize).toBeGreaterThan(before);
      const small = Float64Array.from(list.subarray(3 * (count - 5)));
      const last = own.nearestMany(small, { extents: [40, 40, 40] });
      expect(many.refs.subarray(-5)).toEqual(last.refs);
      expect(many.points.subarray(-15)).toEqual(last.points);
      expect(many.found).toBe(count);
    }
    // A list of the caller's that grows the engine's memory while it is read.
    const growing = [3, 0, 3];
    Object.defineProperty(growing, 1, {
      get: () => {
        engine.createQuery(mesh, { maxNodes: 1 << 18 }).dispose();
        return 0;
      },
    });
    expect(own.nearest(growing)).toEqual(held.point);
    expect(own.computePath([-8, 0, -9], [-8, 0, 9])).toEqual(copies.path);
    expect(held).toEqual(copies);
  });

  it('disturbs no batch of searches', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(level);
    const own = engine.createQuery(mesh);
    const path = own.computePath([-8, 0, -9], [-8, 0, 9])!;
    const one = {
      startRefs: [path.start.ref],
      starts: path.start.point,
      endRefs: [path.goal.ref],
      ends: path.goal.point,
    };
    const before = engine.memorySize;
    const batch = own.findPaths(repeated(one, 20_000), { maxPolygons: 256 });
    expect(engine.memorySize).toBeGreaterThan(before);
    for (const i of [0, 1, 9_999, 19_999]) {
      const first = batch.firsts[i]!;
      expect([...batch.polygons.subarray(first, first + path.polygonCount)]).toEqual(path.polygons);
    }
  });
});

function repeated(one: { startRefs: bigint[]; starts: number[]; endRefs: bigint[]; ends: number[] }, count: number) {
  const all = { startRefs: [] as bigint[], starts: [] as number[], endRefs: [] as bigint[], ends: [] as number[] };
  for (let i = 0; i < count; i++) {
    all.startRefs.push(...one.startRefs);
    all.starts.push(...one.starts);
    all.endRefs.push(...one.endRefs);
    all.ends.push(...one.ends);
  }
  return all;
}

describe('a search in slices', () => {
  it.each(Object.entries(NodeModel))('ends as one at once, however it is sliced: %s', (_, nodeModel) => {
    using own = world.engine.createQuery(world.mesh, { nodeModel });
    const asked = requests(30);
    for (let i = 0; i < 30; i++) {
      const [a, b] = [at(asked.starts, i), at(asked.ends, i)];
      const whole = own.findPath(asked.startRefs[i]!, a, asked.endRefs[i]!, b);
      for (const slice of [1, 2, 7, 1000]) {
        let outcome = own.beginPath(asked.startRefs[i]!, a, asked.endRefs[i]!, b);
        let slices = 0;
        while (outcome === 'inProgress') {
          // Other questions do not touch it, and looking at it does not end it.
          own.nearest(a);
          own.raycast(asked.startRefs[i]!, a, b);
          expect(own.finishPath().outcome).toBe('inProgress');
          outcome = own.updatePath(slice);
          slices++;
        }
        expect(own.finishPath()).toEqual(whole);
        if (slice === 1) expect(slices).toBeGreaterThanOrEqual(whole.iterations);
      }
    }
  });

  it('keeps its filter', () => {
    const filter = { areaCost: { 0: 3 } };
    const [a, b] = [query.nearest([-8, 0, -9])!, query.nearest([-8, 0, 9])!];
    query.beginPath(a.ref, a.point, b.ref, b.point, { filter });
    query.nearest([0, 0, 5], { filter: { areaCost: { 0: 9 } } });
    while (query.updatePath(1) === 'inProgress');
    expect(query.finishPath()).toEqual(query.findPath(a.ref, a.point, b.ref, b.point, { filter }));
  });

  it('is there once, and ends by an edit', () => {
    using mesh = world.engine.loadNavMesh(world.mesh.save());
    using own = world.engine.createQuery(mesh);
    const [a, b] = [own.nearest([-8, 0, -9])!, own.nearest([-8, 0, 9])!];
    expect(own.beginPath(a.ref, a.point, b.ref, b.point)).toBe('inProgress');
    mesh.setFlags(b.ref, 3);
    expect(own.updatePath(10)).toBe('failed');
    expect(own.beginPath(a.ref, a.point, b.ref, b.point)).toBe('inProgress');
    expect(own.finishPath({ maxPolygons: 1 }).polygons).toEqual([a.ref]);
    expect(own.beginPath(a.ref, a.point, a.ref, a.point)).toBe('success');
    expect(own.finishPath().polygons).toEqual([a.ref]);
    expect(own.beginPath(a.ref, a.point, b.ref, b.point, { filter: { excludeFlags: 2 } })).toBe('failed');
  });

  it('is told from the search at once that ended it, and from none', () => {
    using own = world.engine.createQuery(world.mesh);
    const [a, b] = [own.nearest([-8, 0, -9])!, own.nearest([-8, 0, 9])!];
    const throwsBoth = (message: RegExp) => {
      expect(() => own.updatePath(10)).toThrow(message);
      expect(() => own.finishPath()).toThrow(message);
    };
    throwsBoth(/no search was begun: call beginPath first/);
    own.findPath(a.ref, a.point, b.ref, b.point);
    throwsBoth(/no search was begun/);
    const one = { startRefs: [a.ref], starts: a.point, endRefs: [b.ref], ends: b.point };
    const others = {
      findPath: () => own.findPath(b.ref, b.point, a.ref, a.point),
      findPaths: () => own.findPaths(one),
      computePath: () => own.computePath(b.point, a.point),
    };
    for (const [name, call] of Object.entries(others)) {
      for (const nodes of [1, 1e6]) {
        own.beginPath(a.ref, a.point, b.ref, b.point);
        own.updatePath(nodes);
        call();
        throwsBoth(new RegExp(`the search begun was ended by ${name}: call beginPath first`));
      }
    }
    // A call that fails changes nothing.
    own.beginPath(a.ref, a.point, b.ref, b.point);
    expect(() => own.findPath(a.ref, a.point, 0n, b.point)).toThrow(/endRef/);
    expect(() => own.beginPath(a.ref, a.point, 0n, b.point)).toThrow(/endRef/);
    expect(own.updatePath(1e6)).toBe('success');
    expect(own.finishPath()).toEqual(own.findPath(a.ref, a.point, b.ref, b.point));
  });
});
