// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds: stage by stage, with volumes, obstacles and links, in every partition, with progress, stopped.
import { readFileSync } from 'node:fs';
import {
  ArgumentError,
  BuildDefaults,
  BuildStages,
  loadCrowdreel,
  Partition,
  type AreaVolume,
  type BuildInput,
  type Engine,
  type NavMesh,
  type Volume,
} from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { fnv1a } from '../scenes/fnv.js';
import { level } from './support.js';

let engine: Engine;
beforeAll(async () => {
  engine = await loadCrowdreel();
});

const volumes: AreaVolume[] = [
  { shape: 'box', center: [8, 0, 8], size: [4, 2, 3], axis: [3, 1], area: 7 },
  { shape: 'cylinder', base: { x: -8, y: -1, z: 8 }, radius: 2, height: 2, area: 9 },
  { shape: 'convex', corners: [[6, -10], [10, -9], [8, -4]], minY: -1, maxY: 1, area: 'blocked' }, // prettier-ignore
];
const obstacles: Volume[] = [{ shape: 'cylinder', base: [0, 0, 6], radius: 1, height: 2 }];
const offMeshLinks = [
  { start: [-8, 0, -3], end: [-8, 0, 3], radius: 0.5, userId: 4_000_000_000, area: 3, flags: 6, bidirectional: false },
  { start: [100, 0, 100], end: [0, 0, 0], radius: 0.5 },
] as const;
const marked: BuildInput = { ...level, volumes, obstacles, offMeshLinks, areaFlags: { 7: 0x100 } };

const areasOf = (mesh: NavMesh) => [...new Set(mesh.polygonOutlines().areas)].sort((a, b) => a - b);

/** Whether a walkable polygon lies over a place. */
function isOpen(mesh: NavMesh, x: number, z: number): boolean {
  using query = engine.createQuery(mesh);
  return query.nearest([x, 0, z], { extents: [0.01, 2, 0.01] })?.over ?? false;
}

describe('volumes, obstacles, links', () => {
  it('mark the ground inside them, block it, and join the mesh', () => {
    const { mesh, report } = engine.buildNavMesh(marked);
    expect(areasOf(mesh)).toEqual([0, 7, 9]);
    const flagsOf = (x: number, z: number) => {
      using query = engine.createQuery(mesh);
      const { area, flags } = mesh.polygon(query.nearest([x, 0, z])!.ref);
      return [area, flags];
    };
    expect(flagsOf(8, 8)).toEqual([7, 0x100]);
    expect(flagsOf(-8, 8)).toEqual([9, 1]);
    expect(flagsOf(0, -8)).toEqual([0, 1]);
    expect([isOpen(mesh, 8, -7), isOpen(mesh, 5, -10), isOpen(mesh, 0, 6), isOpen(mesh, 0, 9)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    expect(isOpen(mesh, 1.5, 6)).toBe(false); // the agent's radius around the obstacle
    expect(report).toMatchObject({ offMeshOutside: 1, firstOffMeshOutside: 1 });
    const [link, ...rest] = mesh.offMeshLinks();
    expect(rest).toEqual([]);
    const { start, end, ...values } = offMeshLinks[0];
    expect(link).toMatchObject({ ...values, start: [...start], end: [...end], connected: true, index: 0 });
    expect(link!.ends.start!.point[0]).toBe(-8);
    expect(mesh.isValidRef(link!.ends.end!.ref)).toBe(true);
    expect(mesh.openLinks()).toEqual([]);
    mesh.dispose();
  });

  it('a link without ground at an end is open', () => {
    const { mesh } = engine.buildNavMesh({
      ...level,
      offMeshLinks: [{ start: [9, 0, 9], end: [9, 50, 9], radius: 1 }],
    });
    expect(mesh.openLinks()).toHaveLength(1);
    expect(mesh.openLinks()).toEqual(mesh.offMeshLinks());
    expect(mesh.openLinks()[0]).toMatchObject({ connected: false, bidirectional: true, area: 0, flags: 1, userId: 0 });
    expect(mesh.openLinks()[0]!.ends.end).toBeNull();
    expect(mesh.openLinks()[0]!.ends.start).not.toBeNull();
    mesh.dispose();
  });

  it('area flags may be a list', () => {
    const areaFlags = Array.from({ length: 64 }, (_, area) => area * 10);
    const { mesh } = engine.buildNavMesh({ ...level, volumes, areaFlags });
    for (const ref of mesh.polygonOutlines().refs) {
      const { area, flags } = mesh.polygon(ref);
      expect(flags).toBe(area * 10);
    }
    mesh.dispose();
  });
});

describe('partitions', () => {
  it.each(Object.entries(Partition))('%s: covers the ground, and its input file is read back', (_, partition) => {
    const settings = { partition };
    const { mesh } = engine.buildNavMesh(level, settings);
    expect([isOpen(mesh, 0, 0), isOpen(mesh, 8, 8), isOpen(mesh, -8, -9), isOpen(mesh, -5, -6)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const file = engine.readBuildInput(engine.writeBuildInput(level, settings));
    expect(file.settings).toEqual({ ...BuildDefaults, partition });
    using build = engine.createMeshBuild(file, file.settings);
    using tile = build.tile(0, 0);
    tile.runTo('encode');
    expect(tile.takeBytes()).toEqual(mesh.tileBytes(0));
    mesh.dispose();
  });

  it('differ', () => {
    const saved = Object.values(Partition).map((partition) => {
      using mesh = engine.buildNavMesh(marked, { partition }).mesh;
      return Buffer.from(mesh.save()).toString('base64');
    });
    expect(new Set(saved).size).toBe(3);
  });
});

describe('bytes', () => {
  it('are those the native engine gives, in each partition, whole and tiled', () => {
    const source = readFileSync(new URL('../native/build/test_marked_build.c', import.meta.url), 'utf8');
    const expected = [...source.matchAll(/UINT64_C\((0x[0-9A-F]{16})\)/g)].map((match) => BigInt(match[1]!));
    expect(expected).toHaveLength(6);
    const found = Object.values(Partition).flatMap((partition) =>
      [0, 24].map((tileCells) => {
        using mesh = engine.buildNavMesh(marked, { partition, tileCells }).mesh;
        return fnv1a(mesh.save());
      }),
    );
    expect(found).toEqual(expected);
  });
});

describe('a build in steps', () => {
  it('gives the tiles of the whole build, byte for byte, in any order', () => {
    const settings = { tileCells: 24 };
    const whole = engine.buildNavMesh(marked, settings);
    const before = engine.liveHandles;
    const build = engine.createMeshBuild(marked, settings);
    expect(build.params).toEqual(whole.mesh.params);
    const mesh = engine.createNavMesh(build.params);
    const sums = { polygons: 0, regions: 0, vertices: 0, spans: 0 };
    for (let z = build.tilesZ - 1; z >= 0; z--) {
      for (let x = build.tilesX - 1; x >= 0; x--) {
        using tile = build.tile(x, z);
        while (tile.run());
        const bytes = tile.takeBytes();
        const slot = whole.mesh.findTile(x, z);
        expect(bytes).toEqual(slot === null ? new Uint8Array(0) : whole.mesh.tileBytes(slot));
        if (bytes.length > 0) mesh.addTile(bytes);
        for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += tile.report[name];
      }
    }
    expect(whole.report).toMatchObject(sums);
    expect(build.report).toMatchObject({ trianglesUsed: whole.report.trianglesUsed, offMeshOutside: 1, polygons: 0 });
    const refsOf = (m: NavMesh) => m.tiles().map((tile) => ({ ...tile, slot: 0 }));
    const sorted = (m: NavMesh) => refsOf(m).sort((a, b) => a.z - b.z || a.x - b.x);
    expect(sorted(mesh)).toEqual(sorted(whole.mesh));
    build.dispose();
    mesh.dispose();
    expect(engine.liveHandles).toBe(before);
    whole.mesh.dispose();
  });

  it('shows what each stage made', () => {
    using build = engine.createMeshBuild(marked);
    using tile = build.tile(0, 0);
    const ran = [];
    for (let stage = tile.run(); stage !== null; stage = tile.run()) ran.push(stage);
    expect(ran).toEqual([...BuildStages]);
    expect(tile.nextStage).toBeNull();
    const { report } = tile;
    const { width, depth, border, cellSize, originX } = tile.grid();
    expect([width, depth, border, cellSize, originX]).toEqual([80, 80, 0, 0.3, -12]);
    const solid = tile.solidSpans();
    expect(solid.columns).toHaveLength(report.spans);
    expect(solid.lows.every((low, i) => low < solid.highs[i]!)).toBe(true);
    expect(solid.columns.every((column, i) => i === 0 || column >= solid.columns[i - 1]!)).toBe(true);
    const open = tile.openSpans();
    expect(Math.max(...open.regions)).toBe(report.regions);
    expect(new Set(open.areas)).toEqual(new Set([0, 7, 9, 255]));
    expect(open.links).toHaveLength(4 * open.columns.length);
    expect(new Set(open.borders)).toEqual(new Set([0]));
    open.columns.forEach((column, i) => {
      const east = open.links[4 * i + 2]!;
      if (east !== 0xffffffff) expect(open.columns[east]).toBe(column + 1);
      if (open.areas[i] === 255) expect([open.regions[i], open.distances[i]]).toEqual([0, 0]);
    });
    const raw = tile.contours('raw');
    const simple = tile.contours();
    expect([raw.counts.length, simple.counts.length]).toEqual([report.contours, report.contours]);
    expect(raw.positions.length).toBeGreaterThan(simple.positions.length);
    const total = (counts: ArrayLike<number>) => Array.from(counts).reduce((sum, count) => sum + count, 0);
    expect(total(raw.counts) * 3).toBe(raw.positions.length);
    expect(total(simple.counts) * 3).toBe(simple.positions.length);
    expect([...raw.holes, ...simple.holes].every((hole) => hole === 0 || hole === 1)).toBe(true);
    // Outer outlines enclose each cell once, holes take theirs away: what is left are the cells with a region.
    expect(area(raw)).toBeCloseTo(open.regions.filter((region) => region > 0).length * 0.09, 6);
    const polygons = tile.polygons();
    expect(polygons.counts).toHaveLength(report.polygons);
    expect(polygons.vertices).toHaveLength(3 * report.vertices);
    expect(total(polygons.counts)).toBe(polygons.corners.length);
    expect(polygons.neighbours).toHaveLength(polygons.corners.length);
    expect(new Set(polygons.areas)).toEqual(new Set([0, 7, 9]));
    expect([...polygons.flags].filter((flags) => flags === 0x100)).toHaveLength(
      [...polygons.areas].filter((a) => a === 7).length,
    );
    const detail = tile.detail();
    expect(detail.polygons).toHaveLength(report.detailTriangles);
    using mesh = engine.buildNavMesh(marked).mesh;
    expect(detail.positions).toEqual(mesh.triangles().positions);
  });

  function area({ positions, counts }: { positions: Float64Array; counts: Uint32Array }): number {
    let twice = 0;
    let first = 0;
    for (const count of counts) {
      for (let k = 0; k < count; k++) {
        const a = 3 * (first + k);
        const b = 3 * (first + ((k + 1) % count));
        twice += positions[a]! * positions[b + 2]! - positions[b]! * positions[a + 2]!;
      }
      first += count;
    }
    return twice / 2;
  }

  it('refuses what is not there yet, naming the stage needed', () => {
    using build = engine.createMeshBuild(level);
    using tile = build.tile(0, 0);
    const views = [
      ['rasterize', () => tile.grid()],
      ['rasterize', () => tile.solidSpans()],
      ['compact', () => tile.openSpans()],
      ['contours', () => tile.contours('raw')],
      ['polygonize', () => tile.polygons()],
      ['detail', () => tile.detail()],
      ['encode', () => tile.takeBytes()],
    ] as const;
    for (const stage of BuildStages) {
      for (const [needed, view] of views) {
        if (BuildStages.indexOf(needed) < BuildStages.indexOf(stage)) {
          if (needed !== 'encode') view();
          continue;
        }
        const message = `stage "${needed}" must have run for this, but the next one to run is "${stage}".`;
        expect(view).toThrow(expect.objectContaining({ field: 'stage', message }) as Error);
      }
      expect(tile.nextStage).toBe(stage);
      tile.runTo(stage);
      tile.runTo('rasterize'); // has run: nothing happens
    }
    expect(tile.run()).toBeNull();
    expect(tile.takeBytes().length).toBeGreaterThan(0);
    expect(() => tile.takeBytes()).toThrow(/bytes were taken before/);
    expect(() => tile.runTo('polygons' as never)).toThrow(ArgumentError);
    expect(() => tile.contours('smooth' as never)).toThrow(/which must be 'raw' or 'simplified'/);
    for (const [x, z, field] of [
      [-1, 0, 'x'],
      [1, 0, 'x'],
      [0, 1, 'z'],
      [0.5, 0, 'x'],
      ['0', 0, 'x'],
    ] as const)
      // prettier-ignore
      expect(() => build.tile(x as number, z)).toThrow(expect.objectContaining({ field }) as Error);
  });

  it('has a copy of its input, and tiles outlive it', () => {
    const own = { positions: Float64Array.from(level.positions), indices: Uint32Array.from(level.indices) };
    const build = engine.createMeshBuild(own);
    own.positions.fill(NaN);
    own.indices.fill(0);
    engine.buildNavMesh(level, { cellSize: 0.5 }).mesh.dispose(); // uses the input block again
    const tile = build.tile(0, 0);
    build.dispose();
    tile.runTo('encode');
    using mesh = engine.buildNavMesh(level).mesh;
    expect(tile.takeBytes()).toEqual(mesh.tileBytes(0));
    tile.dispose();
    for (const call of [() => build.tile(0, 0), () => tile.run(), () => tile.report, () => tile.runTo('encode')]) {
      expect(call).toThrow(expect.objectContaining({ status: 'StaleHandle' }) as Error);
    }
  });

  it('of nothing has no tiles', () => {
    using build = engine.createMeshBuild({ positions: [], indices: [] });
    expect([build.tilesX, build.tilesZ]).toEqual([0, 0]);
    expect(() => build.tile(0, 0)).toThrow(ArgumentError);
  });
});

describe('times', () => {
  it('are kept for every stage, in order', () => {
    const { mesh, report } = engine.buildNavMesh(level, { cellSize: 0.1 });
    expect(Object.keys(report.stageSeconds)).toEqual([...BuildStages]);
    for (const seconds of Object.values(report.stageSeconds)) expect(seconds).toBeGreaterThanOrEqual(0);
    for (const stage of ['rasterize', 'regions', 'contours'] as const) {
      expect(report.stageSeconds[stage]).toBeGreaterThan(0);
    }
    mesh.dispose();
  });
});

describe('progress', () => {
  it.each([0, 24])('rises from 0 to 1 and changes nothing (tileCells %i)', (tileCells) => {
    const seen: number[] = [];
    const { mesh, report } = engine.buildNavMesh(level, { tileCells }, { onProgress: (p) => void seen.push(p) });
    expect([seen[0], seen.at(-1)]).toEqual([0, 1]);
    expect(seen.length).toBeGreaterThanOrEqual((report.tilesBuilt + report.tilesEmpty) * (tileCells ? 1 : 13));
    expect(seen.every((p, i) => i === 0 || p >= seen[i - 1]!)).toBe(true);
    using quiet = engine.buildNavMesh(level, { tileCells }).mesh;
    expect(mesh.save()).toEqual(quiet.save());
    mesh.dispose();
  });

  it('cancels at any point, keeping nothing', () => {
    const handles = engine.liveHandles;
    let calls = 0;
    engine.buildNavMesh(level, { tileCells: 32 }, { onProgress: () => void calls++ }).mesh.dispose();
    for (let stopAt = 0; stopAt < calls; stopAt++) {
      let left = stopAt;
      const build = () => engine.buildNavMesh(level, { tileCells: 32 }, { onProgress: () => left-- > 0 });
      expect(build).toThrow(
        expect.objectContaining({ status: 'Cancelled', message: 'The build was cancelled.' }) as Error,
      );
    }
    expect(engine.liveHandles).toBe(handles);
  });

  it('lets errors of the caller through, and calls of the engine in between', () => {
    const handles = engine.liveHandles;
    const onProgress = () => {
      throw new RangeError('mine');
    };
    expect(() => engine.buildNavMesh(level, {}, { onProgress })).toThrow(RangeError);
    expect(engine.liveHandles).toBe(handles);
    const nested = () => engine.buildNavMesh(level, { cellSize: 1 }).mesh.dispose();
    using mesh = engine.buildNavMesh(level, { tileCells: 24 }, { onProgress: nested }).mesh;
    using plain = engine.buildNavMesh(level, { tileCells: 24 }).mesh;
    expect(mesh.save()).toEqual(plain.save());
  });

  it('must be a function', () => {
    expect(() => engine.buildNavMesh(level, {}, { onProgress: 1 as never })).toThrow(
      /options.onProgress must be a function/,
    );
    expect(() => engine.buildNavMesh(level, {}, { progress: 1 } as never)).toThrow(/options.progress is not an option/);
  });
});

describe('errors of the input', () => {
  const flat = { positions: [0, 0, 0, 0, 0, 9, 9, 0, 9], indices: [0, 1, 2] };
  const volume = (change: object) => ({ ...flat, volumes: [volumes[1]!, { ...volumes[0]!, ...change }] as never });
  const convex = (corners: unknown) => ({
    ...flat,
    obstacles: [{ shape: 'convex', corners, minY: 0, maxY: 1 }] as never,
  });
  const link = (change: object) => ({
    ...flat,
    offMeshLinks: [{ start: [1, 0, 1], end: [2, 0, 2], radius: 1, ...change }],
  });
  const cases: [unknown, string, number | null, string][] = [
    [{ ...flat, positions: [0, 0, 0, 0, NaN, 9, 9, 0, 9] }, 'input.positions', 1,
      'input.positions is out of range (vertex 1 is (0, NaN, 9), and coordinates must be finite and below 2097152).'],
    [{ ...flat, indices: [0, 1, 2, 2, 1, 3] }, 'input.indices', 1,
      'input.indices is out of range (triangle 1 is (2, 1, 3), and there are 3 vertices).'],
    [{ ...flat, indices: [0, 1, 2, 2, -1, 0] }, 'input.indices', 1,
      'input.indices must be whole numbers from 0 to 4294967295, but corner 1 of triangle 1 is -1.'],
    [{ ...flat, areas: [64] }, 'input.areas', 0, 'input.areas must be whole numbers from 0 to 63, but element 0 is 64.'],
    [{ ...flat, volumes: 7 }, 'input.volumes', null, 'input.volumes must be an array, not 7.'],
    [{ ...flat, volumes: [null] }, 'input.volumes', 0, 'input.volumes[0] must be an object, not null.'],
    [volume({ shape: 'sphere' }), 'input.volumes', 1,
      'input.volumes[1].shape must be \'box\', \'cylinder\' or \'convex\', not "sphere".'],
    [volume({ area: undefined }), 'input.volumes', 1, "input.volumes[1].area is missing: 0 to 63, or 'blocked'."],
    [volume({ area: 64 }), 'input.volumes', 1, 'input.volumes[1].area must be 0 to 63, not 64.'],
    [volume({ area: 'lava' }), 'input.volumes', 1, 'input.volumes[1].area must be 0 to 63 or \'blocked\', not "lava".'],
    [volume({ radius: 1 }), 'input.volumes', 1, 'input.volumes[1].radius is not an option.'],
    [volume({ center: [1, 2] }), 'input.volumes', 1, 'input.volumes[1].center must be [x, y, z] or { x, y, z }, not an array of 2.'],
    [volume({ center: [1e9, 0, 0] }), 'input.volumes', 1,
      'input.volumes[1].center is too far out: 1000000000 is not below 2097152.'],
    [volume({ size: [1, 1, 0] }), 'input.volumes', 1, 'input.volumes[1].size.z must be above 0, but is 0.'],
    [volume({ size: [1, -1, 1] }), 'input.volumes', 1, 'input.volumes[1].size.y must not be negative, but is -1.'],
    [volume({ axis: [0, 0] }), 'input.volumes', 1, 'input.volumes[1].axis must not be [0, 0].'],
    [volume({ axis: 0.5 }), 'input.volumes', 1, 'input.volumes[1].axis must be [x, z], not 0.5.'],
    [{ ...flat, obstacles: [{ ...obstacles[0]!, radius: -1 }] }, 'input.obstacles', 0,
      'input.obstacles[0].radius must be above 0, but is -1.'],
    [{ ...flat, obstacles: [{ ...obstacles[0]!, height: NaN }] }, 'input.obstacles', 0,
      'input.obstacles[0].height must be finite, not NaN.'],
    [convex([[0, 0], [1, 1]]), 'input.obstacles', 0, 'input.obstacles[0].corners must be 3 to 32, not 2.'],
    [convex([[0, 0], [1, 1], [1, '1']]), 'input.obstacles', 0,
      'input.obstacles[0].corners[2] must be a number, not "1".'],
    [convex([[0, 0], [4, 0], [1, 1], [0, 4]]), 'input.obstacles', 0,
      'input.obstacles is out of range (the corners of obstacle 0 are not those of a convex polygon).'],
    [{ ...flat, volumes: [{ shape: 'convex', corners: [[0, 0], [1, 1], [2, 2]], minY: 0, maxY: 1, area: 1 }] },
      'input.volumes', 0, 'input.volumes is out of range (the corners of volume 0 are not those of a convex polygon).'],
    [link({ radius: 0 }), 'input.offMeshLinks', 0, 'input.offMeshLinks[0].radius must be above 0, but is 0.'],
    [link({ radius: 50 }), 'input.offMeshLinks', 0,
      'input.offMeshLinks is out of range (the radius of link 0 is 50, more than the side of a tile).'],
    [link({ end: [0, Infinity, 0] }), 'input.offMeshLinks', 0,
      'input.offMeshLinks[0].end must be finite, but y is Infinity.'],
    [link({ flags: 65536 }), 'input.offMeshLinks', 0, 'input.offMeshLinks[0].flags must be 0 to 65535, not 65536.'],
    [link({ userId: -1 }), 'input.offMeshLinks', 0, 'input.offMeshLinks[0].userId must be 0 to 4294967295, not -1.'],
    [link({ bidirectional: 1 }), 'input.offMeshLinks', 0,
      'input.offMeshLinks[0].bidirectional must be true or false, not 1.'],
    [{ ...flat, areaFlags: { 64: 1 } }, 'input.areaFlags.64', null, 'input.areaFlags.64 is not an area from 0 to 63.'],
    [{ ...flat, areaFlags: { 3: 65536 } }, 'input.areaFlags', 3,
      'input.areaFlags must be whole numbers from 0 to 65535, but those of area 3 are 65536.'],
    [{ ...flat, areaFlags: 1 }, 'input.areaFlags', null, 'input.areaFlags must be an object, not 1.'],
  ]; // prettier-ignore
  const builds: [string, (input: never) => unknown][] = [
    ['buildNavMesh', (input) => engine.buildNavMesh(input)],
    ['createMeshBuild', (input) => engine.createMeshBuild(input)],
    ['buildTileCache', (input) => engine.buildTileCache(input)],
  ];
  it.each(builds)('%s names the argument, the element and its value', (_, build) => {
    const handles = engine.liveHandles;
    for (const [input, field, index, message] of cases) {
      expect(() => build(input as never), message).toThrow(expect.objectContaining({ field, index, message }) as Error);
      expect(() => build(input as never), message).toThrow(ArgumentError);
    }
    expect(engine.liveHandles).toBe(handles);
  });
});
