// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The state of a crowd: alone, in the caller's memory, with its mesh, and on a mesh that is not its own.
import {
  CrowdStateError,
  FollowerState,
  NavMeshFormatError,
  OffMeshMode,
  type Crowd,
  type Engine,
  type NavMesh,
} from 'crowdreel';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fnv1a } from '../scenes/fnv.js';
import { addWalkers, bytesPerCall, createWorld, floorWithWalls, level } from './support.js';

const DT = 1 / 30;

let engine: Engine;
let mesh: NavMesh;
let crowd: Crowd;
let tiles: Uint8Array[];
beforeAll(async () => {
  engine = (await createWorld()).engine;
});
beforeEach(() => {
  mesh = engine.buildNavMesh(level, { tileCells: 24 }).mesh;
  tiles = mesh.tiles().map(({ slot }) => mesh.tileBytes(slot));
  crowd = engine.createCrowd(mesh, { maxAgents: 40 });
  addWalkers(crowd);
  run(40);
});
afterEach(() => {
  crowd.dispose();
  mesh.dispose();
});

function run(steps: number, walking = crowd): bigint[] {
  return Array.from({ length: steps }, () => {
    walking.step(DT);
    return walking.stateHash();
  });
}

/** Everything that can be restored. */
const fingerprint = () => [crowd.stateHash(), mesh.save(), mesh.editCount, engine.liveHandles];

const failing = (members: object) => expect.objectContaining(members) as Error;

/** Takes the tiles of the far side away, and blocks a polygon. */
function edit(): void {
  for (const { x, z, layer } of mesh.tiles()) if (z > 2) mesh.removeTile(x, z, layer);
  mesh.setArea(mesh.polygonOutlines().refs[0]!, 5);
  mesh.setFlags(mesh.polygonOutlines().refs[1]!, 0);
}

describe('the state alone', () => {
  it('is of the size told, and its hash is FNV-1a of its bytes', () => {
    const bytes = crowd.saveState();
    expect(crowd.stateSize()).toBe(bytes.length);
    expect(crowd.stateHash()).toBe(fnv1a(bytes));
  });

  it('goes into memory of the caller that is long enough, and not into less', () => {
    const bytes = crowd.saveState();
    const short = new Uint8Array(bytes.length - 1).fill(7);
    expect(crowd.trySaveState(short)).toBeNull();
    expect(new Set(short)).toEqual(new Set([7]));
    const exact = new Uint8Array(bytes.length);
    expect(crowd.trySaveState(exact)).toBe(bytes.length);
    expect(exact).toEqual(bytes);
    const ring = new Uint8Array(bytes.length + 20).fill(7);
    expect(crowd.trySaveState(ring.subarray(10))).toBe(bytes.length);
    expect(ring.subarray(10, 10 + bytes.length)).toEqual(bytes);
    expect(new Set([...ring.subarray(0, 10), ...ring.subarray(10 + bytes.length)])).toEqual(new Set([7]));
    crowd.restoreState(ring.subarray(10, 10 + bytes.length));
    expect(crowd.saveState()).toEqual(bytes);
  });

  it('is rolled back to, over and over, with the same future', () => {
    const room = new Uint8Array(1 << 16);
    for (let round = 0; round < 5; round++) {
      const size = crowd.trySaveState(room)!;
      const future = run(20);
      crowd.restoreState(room.subarray(0, size));
      expect(run(20)).toEqual(future);
    }
  });

  it('is saved without garbage', () => {
    const room = new Uint8Array(1 << 16);
    // A view of the engine's memory, to copy from.
    expect(bytesPerCall(() => crowd.trySaveState(room), 4000)).toBeLessThan(300);
    expect(bytesPerCall(() => crowd.stateSize(), 4000)).toBeLessThan(8);
  });

  it('holds a crossing the host has not ended', () => {
    const wall = floorWithWalls(24, [[-1, -12, 1, 12]]);
    using ground = engine.buildNavMesh({
      ...wall,
      offMeshLinks: [{ start: [-3, 0, 0], end: [3, 0, 0], radius: 0.5 }],
    }).mesh;
    using jumpers = engine.createCrowd(ground);
    const id = jumpers.add([-9, 0, 0], { path: { offMeshMode: OffMeshMode.Host, offMeshSpeed: 30 } });
    jumpers.setDestination(id, [9, 0, 0]);
    for (let i = 0; i < 200; i++) jumpers.step(DT);
    expect(jumpers.agent(id).state).toBe(FollowerState.OffMeshLink);
    const saved = jumpers.saveState();
    const crossing = jumpers.crossing(id);
    jumpers.completeOffMeshLink(id);
    const future = run(60, jumpers);
    jumpers.restoreState(saved);
    expect(jumpers.crossing(id)).toEqual(crossing);
    expect(jumpers.agent(id).state).toBe(FollowerState.OffMeshLink);
    jumpers.completeOffMeshLink(id);
    expect(run(60, jumpers)).toEqual(future);
  });

  // What the bytes say of polygons is not held against the mesh: agents find out with the next steps.
  it('is taken on another mesh, and the crowd goes on there', () => {
    const bytes = crowd.saveState();
    const hash = crowd.stateHash();
    using far = engine.buildNavMesh(floorWithWalls(200, [])).mesh;
    using small = engine.buildNavMesh(floorWithWalls(6, [])).mesh;
    using empty = engine.createNavMesh({ originX: 0, originZ: 0, tileSize: 8, climb: 0.5 });
    const { Arrived, NoPath } = FollowerState;
    for (const [other, end] of [
      [far, [Arrived]],
      [small, [NoPath]],
      [empty, [NoPath]],
    ] as const) {
      using stray = engine.createCrowd(other, { maxAgents: 40 });
      stray.restoreState(bytes);
      expect(stray.agentCount).toBe(12);
      run(300, stray);
      using twin = engine.createCrowd(other, { maxAgents: 40 });
      twin.restoreState(bytes);
      run(300, twin);
      expect(twin.stateHash()).toBe(stray.stateHash());
      const states = new Uint8Array(12);
      const positions = new Float64Array(36);
      stray.readAgents({ states, positions });
      expect(positions.every(Number.isFinite)).toBe(true);
      expect(new Set(states)).toEqual(new Set(end));
    }
    expect(crowd.stateHash()).toBe(hash);
  });
});

describe.each(['full', 'referenced'] as const)('the state with its mesh, %s', (mode) => {
  const options = () => (mode === 'full' ? undefined : { tiles });

  it('undoes edits of the mesh, and the crowd goes on as if nothing had been', () => {
    const bytes = crowd.saveStateWithMesh({ mode });
    const before = fingerprint();
    const agents = crowd.debugGeometryOfAll();
    const future = run(60);
    for (let round = 0; round < 3; round++) {
      edit();
      run(10);
      expect(crowd.saveStateWithMesh({ mode })).not.toEqual(bytes);
      crowd.restoreStateWithMesh(bytes, options());
      expect(fingerprint()).toEqual(before);
      expect(crowd.debugGeometryOfAll()).toEqual(agents); // wall lists are not stale
      expect(crowd.saveStateWithMesh({ mode })).toEqual(bytes);
      expect(run(60)).toEqual(future);
    }
  });

  it('is mesh snapshot and crowd state, one behind the other', () => {
    const bytes = crowd.saveStateWithMesh({ mode });
    const snapshot = mesh.save({ mode });
    const state = crowd.saveState();
    const view = new DataView(bytes.buffer);
    expect([...bytes.subarray(0, 8)]).toEqual([...new TextEncoder().encode('CRCS'), 1, 2, 0, 0]);
    expect(view.getInt32(8, true)).toBe(snapshot.length);
    expect(bytes.subarray(12, 12 + snapshot.length)).toEqual(snapshot);
    expect(view.getInt32(12 + snapshot.length, true)).toBe(state.length);
    expect(bytes.subarray(16 + snapshot.length)).toEqual(state);
  });

  it('ends handles of agents that were not there yet, and keeps those of the others', () => {
    const bytes = crowd.saveStateWithMesh({ mode });
    const old = crowd.get(3);
    const young = crowd.get(crowd.add([0, 0, 9]));
    const gone = crowd.get(5);
    gone.remove();
    crowd.restoreStateWithMesh(bytes, options());
    expect([old.alive, young.alive, gone.alive]).toEqual([true, false, false]);
    expect(crowd.get(5)).not.toBe(gone);
    expect(() => young.info()).toThrow(failing({ status: 'NoSuchAgent' }));
  });

  it('makes another crowd and its mesh the same, but for a mesh of other parameters', () => {
    const bytes = crowd.saveStateWithMesh({ mode });
    using same = engine.loadNavMesh(mesh.save());
    for (const { x, z, layer } of same.tiles()) if (x > 0) same.removeTile(x, z, layer);
    using copy = engine.createCrowd(same, { maxAgents: 40 });
    copy.restoreStateWithMesh(bytes, options());
    expect(same.save()).toEqual(mesh.save());
    using other = engine.buildNavMesh(level, { tileCells: 24, walkableClimb: 0.7 }).mesh;
    using stranger = engine.createCrowd(other, { maxAgents: 40 });
    const [hash, snapshot] = [stranger.stateHash(), other.save()];
    expect(() => stranger.restoreStateWithMesh(bytes, options())).toThrow(
      failing({ name: 'NavMeshFormatError', status: 'Mismatch', field: 'params' }),
    );
    expect([stranger.stateHash(), other.save()]).toEqual([hash, snapshot]);
    expect(run(60, copy)).toEqual(run(60));
  });

  it('is refused cut off, changed or with a wrong count, and nothing changes', () => {
    const bytes = crowd.saveStateWithMesh({ mode });
    edit();
    run(3);
    const before = fingerprint();
    const restore = (data: Uint8Array) => () => crowd.restoreStateWithMesh(data, options());
    for (let size = 0; size < bytes.length; size += size < 200 ? 1 : 41) {
      expect(restore(bytes.subarray(0, size)), `${size} bytes`).toThrow(CrowdStateError);
    }
    expect(restore(Uint8Array.from([...bytes, 0]))).toThrow(failing({ status: 'TrailingBytes', offset: bytes.length }));
    const meshEnd = 12 + new DataView(bytes.buffer).getInt32(8, true);
    for (let at = 12; at < meshEnd; at += 17) {
      bytes[at]! ^= 16;
      expect(restore(bytes), `byte ${at}`).toThrow(NavMeshFormatError);
      bytes[at]! ^= 16;
    }
    bytes[meshEnd + 4 + 12]! -= 1;
    expect(restore(bytes)).toThrow(
      failing({ name: 'CrowdStateError', field: 'agentCount', offset: meshEnd + 16, status: 'Mismatch' }),
    );
    bytes[meshEnd + 4 + 12]! += 1;
    expect(fingerprint()).toEqual(before);
    restore(bytes)();
    expect(crowd.saveStateWithMesh({ mode })).toEqual(bytes);
  });
});

describe('the state with its mesh', () => {
  it('says which tile is missing or another', () => {
    const bytes = crowd.saveStateWithMesh({ mode: 'referenced' });
    expect(bytes.length).toBeLessThan(crowd.saveStateWithMesh().length - mesh.save().length * 0.7);
    const before = fingerprint();
    const cases: [list: Uint8Array[] | undefined, members: object, message: RegExp][] = [
      [undefined, { status: 'NotFound', field: 'mesh.tiles', index: 0 }, /no bytes were given for tile 0/],
      [tiles.slice(0, 2), { status: 'NotFound', index: 2 }, /no bytes were given for tile 2 of the snapshot/],
      [[...tiles.slice(1), mesh.save()], { status: 'BadMagic', index: tiles.length - 1 }, /it is a navigation mesh/],
    ];
    for (const [list, members, message] of cases) {
      const restore = () => crowd.restoreStateWithMesh(bytes, list && { tiles: list });
      expect(restore).toThrow(failing(members));
      expect(restore).toThrow(message);
      expect(restore).toThrow(NavMeshFormatError);
    }
    expect(fingerprint()).toEqual(before);
    crowd.restoreStateWithMesh(bytes, { tiles: [...tiles].reverse() });
    expect(fingerprint()).toEqual([before[0], before[1], before[2], before[3]]);
  });

  it('says which tiles it needs', () => {
    mesh.setArea(mesh.polygonOutlines().refs[0]!, 5);
    const bytes = crowd.saveStateWithMesh({ mode: 'referenced' });
    const needs = engine.snapshotTiles(bytes);
    expect(needs).toEqual(engine.snapshotTiles(mesh.save({ mode: 'referenced' })));
    expect(needs.map(({ contentHash }) => contentHash)).toEqual(tiles.map((tile) => engine.tileContentHash(tile)));
    expect(engine.snapshotTiles(crowd.saveStateWithMesh())).toEqual([]);
    for (let size = 0; size < bytes.length; size += 7) {
      const kind = size < 4 ? NavMeshFormatError : CrowdStateError; // without its letters it is taken for a mesh
      expect(() => engine.snapshotTiles(bytes.subarray(0, size)), `${size} bytes`).toThrow(kind);
    }
    expect(() => engine.snapshotTiles(crowd.saveState())).toThrow(failing({ status: 'BadValue', field: 'kind' }));
    bytes[40]! ^= 1;
    expect(() => engine.snapshotTiles(bytes)).toThrow(failing({ name: 'NavMeshFormatError', status: 'Mismatch' }));
  });

  it('and the state alone are told from each other', () => {
    const [alone, both] = [crowd.saveState(), crowd.saveStateWithMesh()];
    const kind = { status: 'BadValue', field: 'kind', offset: 5 };
    expect(() => crowd.restoreState(both)).toThrow(failing(kind));
    expect(() => crowd.restoreState(both)).toThrow(/it is a crowd state with its mesh, for restoreStateWithMesh/);
    expect(() => crowd.restoreStateWithMesh(alone)).toThrow(failing(kind));
    expect(() => crowd.restoreStateWithMesh(alone)).toThrow(/it is a crowd state without a mesh, for restoreState\)/);
    const inner = both.length - alone.length + 5; // the kind of the crowd's part is that of its bytes alone
    both[inner] = 2;
    expect(() => crowd.restoreStateWithMesh(both)).toThrow(failing({ ...kind, offset: inner }));
    expect(() => crowd.restoreStateWithMesh(both)).not.toThrow(/it is a crowd state/);
  });

  it('can be had of a player, and a recording ends with it', () => {
    using recorder = engine.createRecorder(crowd, { dt: DT });
    recorder.step();
    using replay = engine.openReplay(recorder.save());
    using player = engine.createPlayer(replay);
    const bytes = player.crowd.saveStateWithMesh();
    run(5);
    crowd.restoreStateWithMesh(bytes);
    expect(crowd.saveState()).toEqual(player.crowd.saveState());
    expect(crowd.stateSize()).toBe(player.crowd.stateSize());
    edit();
    crowd.restoreStateWithMesh(bytes);
    expect(() => recorder.step()).toThrow(failing({ status: 'MeshEdited' }));
  });

  it('needs the mesh, whose handle must still be there', () => {
    const bytes = crowd.saveStateWithMesh();
    mesh.dispose();
    expect(() => crowd.restoreStateWithMesh(bytes)).toThrow(failing({ status: 'StaleHandle', field: 'mesh' }));
    expect(crowd.saveStateWithMesh()).toEqual(bytes);
  });
});
