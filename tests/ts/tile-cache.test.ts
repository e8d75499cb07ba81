// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Temporary obstacles: equal to fresh builds, spread over calls, saved and loaded.
import {
  ArgumentError,
  loadCrowdreel,
  TileCacheError,
  type Engine,
  type NavMesh,
  type TileCache,
  type Volume,
} from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { level } from './support.js';

let engine: Engine;
beforeAll(async () => {
  engine = await loadCrowdreel();
});

const settings = { tileCells: 24 };
const barrel: Volume = { shape: 'cylinder', base: [0, 0, 6], radius: 0.8, height: 1.5 };
const crate: Volume = { shape: 'box', center: [-8, 0.5, -8], size: [3, 1, 2], axis: [1, 2] };
const pit: Volume = { shape: 'convex', corners: [[7, -9], [11, -9], [9, -4]], minY: -1, maxY: 0.5, area: 6 }; // prettier-ignore
const failing = (fields: object) => expect.objectContaining(fields) as Error;

/** The tiles of a mesh by place: slots and salts depend on history. */
const tilesOf = (mesh: NavMesh) =>
  mesh
    .tiles()
    .sort((a, b) => a.z - b.z || a.x - b.x)
    .map(({ slot }) => mesh.tileBytes(slot));

function expectFresh(cache: TileCache, mesh: NavMesh): void {
  const obstacles = cache.obstacles().map(({ volume }) => volume);
  using fresh = engine.buildNavMesh({ ...level, obstacles }, cache.settings).mesh;
  expect(tilesOf(mesh)).toEqual(tilesOf(fresh));
  expect(mesh.triangles().positions.length).toBe(fresh.triangles().positions.length);
}

describe('a tile cache', () => {
  it('comes with the mesh of the plain build', () => {
    const { cache, mesh, report } = engine.buildTileCache(level, settings);
    const plain = engine.buildNavMesh(level, settings);
    expect(mesh.save()).toEqual(plain.mesh.save());
    expect({ ...report, stageSeconds: 0 }).toEqual({ ...plain.report, stageSeconds: 0 });
    expect(cache.params).toEqual(mesh.params);
    expect(cache.settings).toMatchObject({ tileCells: 24, agentRadius: 0.6, partition: 0 });
    expect(cache.info).toMatchObject({ tileCount: mesh.tileCount, touchCount: 0 });
    const { layerCount, spanCount, packedSize } = cache.info;
    expect([layerCount > 0, spanCount > 0, packedSize > 0]).toEqual([true, true, true]);
    expect([cache.pendingTiles, cache.obstacles()]).toEqual([0, []]);
    console.log(`${packedSize} bytes for ${spanCount} open spans in ${layerCount} layers`);
    for (const resource of [cache, mesh, plain.mesh]) resource.dispose();
    expect(engine.liveHandles).toBe(0);
  });

  it('builds the tiles an obstacle touches, and no others, as a fresh build would', () => {
    const { cache, mesh } = engine.buildTileCache(level, settings);
    const before = tilesOf(mesh);
    const ids = [barrel, crate, pit].map((volume) => {
      const id = cache.addObstacle(volume);
      expect(cache.pendingTiles).toBeGreaterThan(0);
      const waiting = cache.pendingTiles;
      expect(waiting).toBeLessThan(mesh.tileCount);
      expect(cache.update(mesh)).toEqual({ rebuilt: waiting, pending: 0 });
      expectFresh(cache, mesh);
      return id;
    });
    expect(ids).toEqual([1, 2, 3]);
    expect(cache.obstacles().map(({ id }) => id)).toEqual(ids);
    expect(cache.obstacles()[1]!.volume).toEqual({ ...crate, area: 'blocked' });
    expect(cache.obstacles()[2]!.volume).toEqual(pit);
    expect(new Set(mesh.polygonOutlines().areas)).toEqual(new Set([0, 6]));
    cache.removeObstacle(2);
    cache.update(mesh);
    expectFresh(cache, mesh);
    expect(cache.addObstacle(crate)).toBe(4);
    for (const id of [1, 3, 4]) cache.removeObstacle(id);
    cache.update(mesh);
    expect(cache.obstacles()).toEqual([]);
    expect(tilesOf(mesh)).toEqual(before);
    cache.dispose();
    mesh.dispose();
  });

  it('spreads the work over calls', () => {
    const { cache, mesh } = engine.buildTileCache(level, settings);
    cache.addObstacle(barrel);
    cache.addObstacle({ shape: 'box', center: [0, 0, 0], size: [24, 1, 1] });
    let pending = cache.pendingTiles;
    expect(pending).toBeGreaterThan(4);
    while (pending > 0) {
      const done = cache.update(mesh, { maxTiles: 2 });
      expect(done).toEqual({ rebuilt: Math.min(2, pending), pending: Math.max(0, pending - 2) });
      pending = done.pending;
    }
    expect(cache.update(mesh)).toEqual({ rebuilt: 0, pending: 0 });
    expectFresh(cache, mesh);
    using empty = engine.createNavMesh(cache.params);
    cache.touchAll();
    expect(cache.update(empty).pending).toBe(0);
    expect(tilesOf(empty)).toEqual(tilesOf(mesh));
    cache.dispose();
    mesh.dispose();
  });

  it('starts with the obstacles of the input', () => {
    using plain = engine.buildNavMesh({ ...level, obstacles: [barrel, pit] }, settings).mesh;
    const { cache, mesh } = engine.buildTileCache({ ...level, obstacles: [barrel, pit] }, settings);
    expect(mesh.save()).toEqual(plain.save());
    expect(cache.obstacles()).toEqual([
      { id: 1, volume: { ...barrel, area: 'blocked' } },
      { id: 2, volume: pit },
    ]);
    cache.removeObstacle(1);
    cache.update(mesh);
    expectFresh(cache, mesh);
    cache.dispose();
    mesh.dispose();
  });

  it('keeps volumes and links of the input', () => {
    const input = {
      ...level,
      volumes: [{ shape: 'box', center: [0, 0, 6], size: [6, 1, 6], area: 11 }] as const,
      offMeshLinks: [{ start: [-8, 0, -3], end: [-8, 0, 3], radius: 0.5 }] as const,
      areaFlags: { 11: 12 },
    };
    const { cache, mesh } = engine.buildTileCache(input, settings);
    cache.addObstacle(barrel);
    cache.addObstacle({ ...barrel, base: [-8, 0, 3] });
    cache.update(mesh);
    using fresh = engine.buildNavMesh(
      { ...input, obstacles: cache.obstacles().map(({ volume }) => volume) },
      settings,
    ).mesh;
    expect(tilesOf(mesh)).toEqual(tilesOf(fresh));
    expect(mesh.openLinks()).toHaveLength(1);
    cache.dispose();
    mesh.dispose();
  });

  it('is built with progress, and cancelled without a trace', () => {
    const handles = engine.liveHandles;
    let calls = 0;
    const made = engine.buildTileCache(level, settings, { onProgress: () => void calls++ });
    made.cache.dispose();
    made.mesh.dispose();
    for (let stopAt = 0; stopAt < calls; stopAt += 7) {
      let left = stopAt;
      const build = () => engine.buildTileCache(level, settings, { onProgress: () => left-- > 0 });
      expect(build).toThrow(failing({ status: 'Cancelled' }));
    }
    expect(engine.liveHandles).toBe(handles);
  });
});

describe('a saved cache', () => {
  it('goes on as the one that was saved', () => {
    const { cache, mesh } = engine.buildTileCache(level, settings);
    cache.addObstacle(barrel);
    cache.update(mesh);
    cache.addObstacle(crate);
    cache.addObstacle(pit);
    cache.removeObstacle(2);
    const bytes = cache.save();
    using loaded = engine.loadTileCache(bytes);
    using other = engine.loadNavMesh(mesh.save());
    expect(loaded.save()).toEqual(bytes);
    expect([loaded.info, loaded.settings, loaded.params]).toEqual([cache.info, cache.settings, cache.params]);
    expect(loaded.obstacles()).toEqual(cache.obstacles());
    expect(loaded.pendingTiles).toBe(cache.pendingTiles);
    for (const [target, its] of [
      [cache, mesh],
      [loaded, other],
    ] as const) {
      // prettier-ignore
      expect(target.addObstacle({ ...barrel, base: [5, 0, -9] })).toBe(4);
      target.update(its, { maxTiles: 3 });
      target.update(its);
    }
    expect(other.save()).toEqual(mesh.save());
    expect(loaded.save()).toEqual(cache.save());
    cache.dispose();
    mesh.dispose();
  });

  it('is refused cut off anywhere or damaged, naming field and offset', () => {
    const { cache, mesh } = engine.buildTileCache(level, settings);
    cache.addObstacle(pit);
    const bytes = cache.save();
    const handles = engine.liveHandles;
    for (let size = 0; size < bytes.length; size++) {
      expect(() => engine.loadTileCache(bytes.subarray(0, size)), `${size}`).toThrow(TileCacheError);
    }
    expect(() => engine.loadTileCache(Uint8Array.of(...bytes, 0))).toThrow(failing({ status: 'TrailingBytes' }));
    const damaged = Uint8Array.from(bytes);
    damaged[0]! ^= 1;
    expect(() => engine.loadTileCache(damaged)).toThrow(failing({ status: 'BadMagic', field: 'magic', offset: 0 }));
    expect(() => engine.loadTileCache(mesh.save())).toThrow(/tile cache: magic at byte 0/);
    expect(() => engine.loadTileCache('x' as never)).toThrow(ArgumentError);
    expect(engine.liveHandles).toBe(handles);
    cache.dispose();
    mesh.dispose();
  });
});

describe('an example: a door that closes', () => {
  it('holds agents up until it opens again', () => {
    const { cache, mesh } = engine.buildTileCache(level, { tileCells: 32 });
    const crowd = engine.createCrowd(mesh, { maxAgents: 10 });
    const ids = [-2, 0, 2].map((x) => crowd.add([x, 0, -9]));
    for (const id of ids) crowd.setDestination(id, [0, 0, 9]);
    const walk = (seconds: number) => {
      for (let step = 0; step < seconds * 30; step++) crowd.step(1 / 30);
      return ids.map((id) => Math.sign(crowd.agent(id).position[2]));
    };

    const door = cache.addObstacle({ shape: 'box', center: [0, 1, 0], size: [6, 2, 1] });
    cache.update(mesh);
    expect(walk(15)).toEqual([-1, -1, -1]); // nobody is through

    cache.removeObstacle(door);
    cache.update(mesh);
    for (const id of ids) crowd.setDestination(id, [0, 0, 9]);
    expect(walk(15)).toEqual([1, 1, 1]);
    for (const resource of [crowd, cache, mesh]) resource.dispose();
  });
});

describe('errors', () => {
  it('name the argument and change nothing', () => {
    const { cache, mesh } = engine.buildTileCache(level, settings);
    cache.addObstacle(barrel);
    using other = engine.buildNavMesh(level, { tileCells: 32 }).mesh;
    const before = [cache.save(), mesh.save(), engine.liveHandles];
    const wrong: [() => unknown, string, string, string][] = [
      [() => cache.addObstacle({ ...barrel, radius: 0 } as never), 'Argument', 'volume.radius', 'volume.radius must be above 0, but is 0.'],
      [() => cache.addObstacle({ ...crate, center: [0, NaN, 0] } as never), 'Argument', 'volume.center', 'volume.center must be finite, but y is NaN.'],
      [() => cache.addObstacle({ ...pit, area: 99 } as never), 'Argument', 'volume.area', 'volume.area must be 0 to 63, not 99.'],
      [() => cache.addObstacle(undefined as never), 'Argument', 'volume', 'volume must be an object, not undefined.'],
      [() => cache.addObstacle({ ...pit, corners: [[0, 0], [4, 0], [1, 1], [0, 4]] } as never), 'Argument', 'volume',
        'volume is out of range (its corners are not those of a convex polygon).'],
      [() => cache.removeObstacle(7), 'NotFound', 'id', 'id was not found (there is no obstacle 7).'],
      [() => cache.removeObstacle(-1), 'NotFound', 'id', 'id was not found (there is no obstacle -1).'],
      [() => cache.removeObstacle(1.5), 'Argument', 'id', 'id must be an obstacle id, not 1.5.'],
      [() => cache.update(other), 'Argument', 'mesh', 'mesh is out of range (its parameters are not those of the cache).'],
      [() => cache.update(cache as never), 'Argument', 'mesh', 'mesh must be a NavMesh, not an object.'],
      [() => cache.update(mesh, { maxTiles: 0 }), 'Argument', 'options.maxTiles',
        'options.maxTiles must be a whole number of 1 or more, or Infinity, not 0.'],
      [() => cache.update(mesh, { tiles: 1 } as never), 'Argument', 'options.tiles', 'options.tiles is not an option.'],
    ]; // prettier-ignore
    for (const [call, status, field, message] of wrong)
      expect(call, message).toThrow(failing({ status, field, message }));
    expect([cache.save(), mesh.save(), engine.liveHandles]).toEqual(before);
    cache.dispose();
    for (const call of [
      () => cache.addObstacle(barrel),
      () => cache.removeObstacle(1),
      () => cache.obstacles(),
      () => cache.pendingTiles,
      () => cache.info,
      () => cache.params,
      () => cache.settings,
      () => cache.update(mesh),
      () => cache.touchAll(),
      () => cache.save(),
    ]) {
      expect(call, String(call)).toThrow(failing({ status: 'StaleHandle', field: 'cache' }));
    }
    mesh.dispose();
  });
});
