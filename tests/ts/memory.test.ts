// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Handles, lifetimes and memory: nothing leaks, nothing aliases, growth disturbs nobody.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrowdDefaults, loadCrowdreel, NodeModel, QueryDefaults } from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportParameters, records, type Exports, type RecordLayout } from '../../ts/dist/abi.js';
import { Native } from '../../ts/dist/native.js';
import { addWalkers, createWorld, level, recordRun, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe('disposing', () => {
  it('works with using', () => {
    const before = world.engine.liveHandles;
    {
      using crowd = world.engine.createCrowd(world.mesh);
      using query = world.engine.createQuery(world.mesh);
      expect(world.engine.liveHandles).toBe(before + 2);
      expect([crowd.disposed, query.disposed]).toEqual([false, false]);
    }
    expect(world.engine.liveHandles).toBe(before);
  });

  it('in any order keeps alive what others need', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(level);
    const crowd = engine.createCrowd(mesh);
    const recorder = engine.createRecorder(crowd, { dt: 1 / 30 });
    const query = engine.createQuery(crowd.mesh);
    mesh.dispose();
    addWalkers(recorder);
    recorder.step();
    crowd.dispose();
    expect(engine.liveHandles).toBe(2);
    for (let step = 0; step < 50; step++) recorder.step();
    expect(query.nearest([3, 0, 3])!.over).toBe(true);
    const bytes = recorder.save();
    recorder.dispose();
    expect(query.nearest([3, 0, 3])!.over).toBe(true);
    query.dispose();
    expect(engine.liveHandles).toBe(0);
    const replay = engine.openReplay(bytes);
    expect(replay.findMismatch()).toBe(-1);
    replay.dispose();
    expect(engine.liveHandles).toBe(0);
  });
});

describe('handles', () => {
  const instantiate = async () => {
    const bytes = readFileSync(fileURLToPath(new URL('../../ts/dist/crowdreel.wasm', import.meta.url)));
    const imports = { env: { emscripten_notify_memory_growth: () => undefined } };
    return new Native((await WebAssembly.instantiate(bytes, imports)).instance.exports);
  };
  const loadMesh = (native: Native, bytes: Uint8Array) =>
    native.call(native.exports.crw_navmesh_load(native.input(bytes), bytes.length, 0, 0));

  it('are positive and never come back', async () => {
    const native = await instantiate();
    const bytes = world.mesh.save();
    const seen = new Set<number>();
    for (let i = 0; i < 20_000; i++) {
      const handle = loadMesh(native, bytes);
      expect(handle).toBeGreaterThan(0);
      seen.add(handle);
      expect(native.exports.crw_handle_dispose(handle)).toBe(0);
    }
    expect(seen.size).toBe(20_000);
    for (const handle of seen) expect(native.exports.crw_navmesh_save(handle, 0)).toBe(-15);
    expect([native.exports.crw_handle_count(), native.exports.crw_handle_object_count()]).toEqual([0, 0]);
  });

  it('of the wrong kind, forged or stale are refused by every function', async () => {
    const native = await instantiate();
    const bytes = world.mesh.save();
    const mesh = loadMesh(native, bytes);
    const other = loadMesh(native, bytes);
    native.exports.crw_handle_dispose(other);
    for (const handle of [0, -1, 1, other, mesh + 1, mesh ^ (1 << 14), 0x7fffffff, -2147483648]) {
      expect(native.exports.crw_navmesh_save(handle, 0), `${handle}`).toBe(-15);
      expect(native.exports.crw_handle_dispose(handle), `${handle}`).toBe(-15);
    }
    for (const [name, parameters] of Object.entries(exportParameters)) {
      if (
        !/^crw_(query|crowd|world|follower|recorder|replay|player|builder|tile_build|cache_maker|tile_cache)_/.test(
          name,
        )
      )
        continue;
      if (/_(read|load|needs)$|^crw_(builder|query|crowd|world|follower|recorder|player)_create$/.test(name)) continue;
      const rest = [...parameters].slice(1).map((kind) => (kind === 'l' ? 0n : 0));
      const call = native.exports[name as keyof Exports] as (handle: number, ...rest: unknown[]) => number;
      expect(call(mesh, ...rest), name).toBe(-15);
    }
    expect(native.exports.crw_handle_count()).toBe(1);
    native.exports.crw_handle_dispose(mesh);
  });

  it('of something on a mesh do not change it', async () => {
    const native = await instantiate();
    const mesh = loadMesh(native, world.mesh.save());
    native.memory.writeRecord(
      native.arguments,
      records.queryOptions,
      { maxNodes: 64, nodeModel: 0, hierarchical: false },
      'options',
    );
    const query = native.call(native.exports.crw_query_create(mesh, native.arguments));
    expect(native.exports.crw_navmesh_tiles(query)).toBe(1);
    const { exports } = native;
    expect([
      exports.crw_navmesh_add_tile(query, 0, 0),
      exports.crw_navmesh_replace_tile(query, 0, 0),
      exports.crw_navmesh_remove_tile(query, 0, 0, 0),
      exports.crw_navmesh_set_area(query, 1n, 0),
      exports.crw_navmesh_set_flags(query, 1n, 0),
    ]).toEqual([-15, -15, -15, -15, -15]);
    for (const handle of [mesh, query]) exports.crw_handle_dispose(handle);
  });

  it('an object kept for others is counted until they are gone', async () => {
    const native = await instantiate();
    const mesh = loadMesh(native, world.mesh.save());
    native.memory.writeRecord(
      native.arguments,
      records.queryOptions,
      { maxNodes: 64, nodeModel: 0, hierarchical: false },
      'options',
    );
    const queries = [1, 2].map(() => native.call(native.exports.crw_query_create(mesh, native.arguments)));
    native.exports.crw_handle_dispose(mesh);
    expect([native.exports.crw_handle_count(), native.exports.crw_handle_object_count()]).toEqual([2, 3]);
    for (const query of queries) native.exports.crw_handle_dispose(query);
    expect([native.exports.crw_handle_count(), native.exports.crw_handle_object_count()]).toEqual([0, 0]);
  });

  it('of the parts of an object end with it, whatever they are held by', async () => {
    const native = await instantiate();
    const { exports } = native;
    const counts = () => [exports.crw_handle_count(), exports.crw_handle_object_count()];
    const mesh = loadMesh(native, world.mesh.save());
    const at = (layout: RecordLayout, values: object) => {
      native.memory.writeRecord(native.arguments, layout, values as Record<string, unknown>, 'options');
      return native.arguments;
    };
    const addCrowd = (keeper: number) =>
      native.call(exports.crw_world_add_crowd(keeper, mesh, at(records.crowdOptions, CrowdDefaults), 0));
    const [first, second] = [native.call(exports.crw_world_create()), native.call(exports.crw_world_create())];
    const [a, b, c] = [addCrowd(first), addCrowd(first), addCrowd(second)];
    expect(counts()).toEqual([6, 6]);
    expect(exports.crw_handle_dispose(a)).toBe(0); // the handle, not the crowd
    expect(counts()).toEqual([5, 6]);
    expect(exports.crw_crowd_info(a)).toBe(-15);
    const query = native.call(exports.crw_query_create(b, at(records.queryOptions, QueryDefaults)));
    expect(exports.crw_handle_dispose(first)).toBe(0);
    expect(exports.crw_crowd_info(b)).toBe(-15);
    expect(exports.crw_world_step(first, 0.1)).toBe(-15);
    expect(exports.crw_handle_dispose(b)).toBe(-15);
    expect(counts()).toEqual([4, 5]); // b's mesh is the query's
    expect(exports.crw_world_step(second, 0.1)).toBe(0);
    expect(exports.crw_crowd_info(c)).toBe(0);
    const third = native.call(exports.crw_world_create()); // in the slot of the first
    expect(exports.crw_handle_dispose(third)).toBe(0);
    expect(counts()).toEqual([4, 5]);
    expect(exports.crw_navmesh_tiles(query)).toBe(1);
    for (const handle of [mesh, second]) expect(exports.crw_handle_dispose(handle)).toBe(0);
    expect(counts()).toEqual([1, 3]);
    expect(exports.crw_navmesh_tiles(query)).toBe(1);
    expect(exports.crw_handle_dispose(query)).toBe(0);
    expect(counts()).toEqual([0, 0]);
  });

  it('run out with an error, and are there again after disposing', async () => {
    const native = await instantiate();
    const { mesh: empty } = world.engine.buildNavMesh({ positions: [], indices: [] });
    const bytes = empty.save();
    empty.dispose();
    const address = native.input(bytes);
    const load = () => native.exports.crw_navmesh_load(address, bytes.length, 0, 0);
    const handles: number[] = [];
    for (let handle = load(); handle > 0; handle = load()) handles.push(handle);
    expect(handles.length).toBe(16384);
    const limit = { status: 'Limit', field: 'handles', limit: 16384 };
    expect(() => native.call(load())).toThrow(expect.objectContaining(limit) as Error);
    expect(native.exports.crw_handle_dispose(handles[7]!)).toBe(0);
    expect(load()).toBeGreaterThan(0);
    expect(load()).toBeLessThan(0);
  });
});

describe('memory', () => {
  it('stays flat over crowds, recordings, replays and players made and disposed of', { timeout: 120_000 }, async () => {
    const own = await createWorld();
    const round = () => {
      const { bytes } = recordRun(own, 20);
      using replay = own.engine.openReplay(bytes);
      using player = own.engine.createPlayer(replay);
      player.seek(20);
      using copy = own.engine.loadNavMesh(own.mesh.save());
      using query = own.engine.createQuery(copy, { hierarchical: true });
      const { start, goal } = query.computePath([-8, 0, -9], [-8, 0, 9])!;
      using exact = own.engine.createQuery(copy, { nodeModel: NodeModel.Exact });
      exact.beginPath(start.ref, start.point, goal.ref, goal.point);
      exact.updatePath(2);
      exact.polygonsAroundCircle(start.ref, start.point, 9);
      exact.distanceToWall(start.ref, start.point, 9);
      own.engine.buildNavMesh(level, { cellSize: 0.5 }).mesh.dispose();
      expect(() => own.engine.loadNavMesh(bytes)).toThrow();
    };
    for (let i = 0; i < 10; i++) round();
    const warm = own.engine.memorySize;
    for (let i = 0; i < 60; i++) round();
    expect(own.engine.memorySize).toBe(warm);
    own.mesh.dispose();
    expect(own.engine.liveHandles).toBe(0);
  });

  it('stays flat over builds in stages, edits and obstacles', { timeout: 120_000 }, async () => {
    const engine = await loadCrowdreel();
    const round = () => {
      const { cache, mesh } = engine.buildTileCache(level, { tileCells: 24 });
      using build = engine.createMeshBuild(level, { cellSize: 0.5 });
      using tile = build.tile(0, 0);
      tile.runTo('contours');
      tile.openSpans();
      for (let i = 0; i < 5; i++) cache.addObstacle({ shape: 'cylinder', base: [i, 0, i], radius: 1, height: 2 });
      cache.update(mesh);
      cache.removeObstacle(3);
      cache.update(mesh, { maxTiles: 1 });
      using loaded = engine.loadTileCache(cache.save());
      using again = engine.loadNavMesh(mesh.save());
      loaded.update(again);
      expect(() => engine.buildNavMesh({ ...level, indices: [0, 1, 999] })).toThrow();
      expect(() => engine.buildNavMesh(level, {}, { onProgress: (p) => p < 0.5 })).toThrow();
      mesh.dispose();
      cache.dispose();
    };
    for (let i = 0; i < 5; i++) round();
    const warm = engine.memorySize;
    for (let i = 0; i < 30; i++) round();
    expect(engine.memorySize).toBe(warm);
    expect(engine.liveHandles).toBe(0);
  });

  it('stays flat over steps, adds, removes and restores', { timeout: 120_000 }, async () => {
    const own = await createWorld();
    const crowd = own.engine.createCrowd(own.mesh, { maxAgents: 64 });
    addWalkers(crowd);
    const state = crowd.saveState();
    const round = () => {
      const id = crowd.add([0, 0, 5]);
      crowd.step(1 / 30);
      crowd.remove(id);
      crowd.restoreState(state);
      crowd.stateHash();
    };
    for (let i = 0; i < 100; i++) round();
    const warm = own.engine.memorySize;
    for (let i = 0; i < 5000; i++) round();
    expect(own.engine.memorySize).toBe(warm);
    crowd.dispose();
    own.mesh.dispose();
  });

  it('starts small and grows under use without disturbing held results', async () => {
    const engine = await loadCrowdreel();
    expect(engine.memorySize).toBeLessThanOrEqual(4 << 20);
    const { mesh } = engine.buildNavMesh(level);
    const crowd = engine.createCrowd(mesh, { maxAgents: 4000 });
    const ids = addWalkers(crowd);
    const positions = new Float64Array(36);
    crowd.readAgents({ positions });
    const held = [mesh.save(), crowd.saveState(), mesh.triangles().positions, Float64Array.from(positions)];
    const copies = structuredClone(held);
    const before = engine.memorySize;
    const players = Array.from({ length: 8 }, () => engine.createQuery(mesh, { maxNodes: 1 << 17 }));
    expect(engine.memorySize).toBeGreaterThan(before + (16 << 20));
    expect(held).toEqual(copies);
    crowd.readAgents({ positions });
    expect(positions).toEqual(copies[3]);
    expect(crowd.agent(ids[0]!).position).toEqual(Array.from(positions.subarray(0, 3)));
    for (const resource of [...players, crowd, mesh]) resource.dispose();
  });

  it('running out is an error, and the engine goes on', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(level);
    const crowd = engine.createCrowd(mesh);
    addWalkers(crowd);
    const queries = [];
    for (;;) {
      try {
        queries.push(engine.createQuery(mesh, { maxNodes: 1 << 20 }));
      } catch (error) {
        expect(error).toMatchObject({ status: 'OutOfMemory' });
        break;
      }
    }
    expect(engine.memorySize).toBeLessThanOrEqual(2 ** 31);
    crowd.step(1 / 30);
    for (const query of queries) query.dispose();
    const again = engine.createQuery(mesh, { maxNodes: 1 << 20 });
    for (const resource of [again, crowd, mesh]) resource.dispose();
    expect(engine.liveHandles).toBe(0);
  });
});
