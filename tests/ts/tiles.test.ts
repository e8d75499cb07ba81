// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Meshes changed by hand: tiles, areas, flags; meshes and tiles of the caller's own polygons; snapshots of both kinds.
import {
  ArgumentError,
  CrowdreelError,
  loadCrowdreel,
  NavMeshFormatError,
  type Engine,
  type MeshParams,
  type NavMesh,
  type PolygonSoup,
  type TileDescription,
} from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { addWalkers, level, recordRun } from './support.js';

let engine: Engine;
let tiled: NavMesh;
beforeAll(async () => {
  engine = await loadCrowdreel();
  tiled = engine.buildNavMesh(level, { tileCells: 24 }).mesh;
});

const copyOf = (mesh: NavMesh) => engine.loadNavMesh(mesh.save());
const bytesOf = (mesh: NavMesh) => mesh.tiles().map(({ slot }) => mesh.tileBytes(slot));
const failing = (fields: object) => expect.objectContaining(fields) as Error;

describe('tiles', () => {
  it('tell where they stand and what they hold', () => {
    const tiles = tiled.tiles();
    expect(tiles).toHaveLength(tiled.tileCount);
    expect(tiles.reduce((sum, tile) => sum + tile.polygonCount, 0)).toBe(tiled.polygonCount);
    for (const tile of tiles) {
      expect(tiled.findTile(tile.x, tile.z)).toBe(tile.slot);
      expect(engine.tileContentHash(tiled.tileBytes(tile.slot))).toBe(tile.contentHash);
      expect(tile).toMatchObject({ layer: 0, salt: 1, offMeshCount: 0 });
    }
    expect([tiled.findTile(99, 0), tiled.findTile(0, 0, 1)]).toEqual([null, null]);
  });

  it('are removed, added again, replaced: old references are stale', () => {
    using mesh = copyOf(tiled);
    const { slot, x, z, salt } = mesh.tiles()[3]!;
    const bytes = mesh.tileBytes(slot);
    const edits = mesh.editCount;
    const old = mesh.polygonOutlines().refs.filter((ref) => Number((ref >> 24n) & 0xffffffn) === slot);
    expect(old.length).toBeGreaterThan(0);
    mesh.removeTile(x, z);
    expect([mesh.tileCount, mesh.findTile(x, z)]).toEqual([tiled.tileCount - 1, null]);
    expect(old.some((ref) => mesh.isValidRef(ref))).toBe(false);
    expect(mesh.addTile(bytes)).toBe(slot);
    expect(mesh.tiles()[3]).toMatchObject({ slot, salt: salt + 1 });
    expect(old.some((ref) => mesh.isValidRef(ref))).toBe(false);
    expect(mesh.replaceTile(bytes)).toBe(slot);
    expect(mesh.tiles()[3]).toMatchObject({ slot, salt: salt + 2 });
    expect(mesh.editCount).toBe(edits + 3n);
    expect(bytesOf(mesh)).toEqual(bytesOf(tiled));
    expect(mesh.triangles()).toEqual(tiled.triangles());
  });

  it('are refused where one stands, and removing none says so', () => {
    using mesh = copyOf(tiled);
    const before = mesh.save();
    const bytes = mesh.tileBytes(0);
    expect(() => mesh.addTile(bytes)).toThrow(
      failing({
        status: 'Occupied',
        field: 'bytes',
        message: 'bytes is already taken (a tile stands at its place, in slot 0).',
      }),
    );
    expect(() => mesh.removeTile(50, 1)).toThrow(
      failing({ status: 'NotFound', message: 'tile was not found (none stands at (50, 1), layer 0).' }),
    );
    expect(() => mesh.tileBytes(500)).toThrow(failing({ status: 'Argument', field: 'slot', index: 500 }));
    expect(mesh.save()).toEqual(before);
  });

  it('are refused cut off anywhere or damaged, naming field and offset', () => {
    using mesh = copyOf(tiled);
    const { x, z } = mesh.tiles()[0]!;
    const bytes = mesh.tileBytes(0);
    mesh.removeTile(x, z);
    const before = mesh.save();
    for (let size = 0; size < bytes.length; size++) {
      for (const change of [
        () => mesh.addTile(bytes.subarray(0, size)),
        () => mesh.replaceTile(bytes.subarray(0, size)),
      ])
        expect(change).toThrow(NavMeshFormatError);
    }
    expect(() => mesh.addTile(Uint8Array.of(...bytes, 0))).toThrow(
      failing({ status: 'TrailingBytes', offset: bytes.length }),
    );
    const damaged = Uint8Array.from(bytes);
    damaged[4] = 77;
    expect(() => mesh.addTile(damaged)).toThrow(failing({ status: 'BadVersion', offset: 4 }));
    expect(() => engine.tileContentHash(damaged)).toThrow(failing({ status: 'BadVersion', offset: 4 }));
    expect(mesh.save()).toEqual(before);
    mesh.addTile(bytes);
  });
});

describe('areas and flags', () => {
  it('change one polygon, count as edits, and are part of what is saved', () => {
    using mesh = copyOf(tiled);
    const { refs } = mesh.polygonOutlines();
    const [ref, other] = [refs[2]!, refs[3]!];
    const hashes = mesh.tiles().map((tile) => tile.contentHash);
    mesh.setArea(ref, 12);
    mesh.setFlags(ref, 0x8001);
    mesh.setFlags(ref, 0x8001); // the same again: no edit
    expect(mesh.polygon(ref)).toMatchObject({ area: 12, flags: 0x8001 });
    expect(mesh.polygon(other)).toMatchObject({ area: 0, flags: 1 });
    expect(mesh.editCount).toBe(tiled.editCount + 2n);
    expect(mesh.tiles().map((tile) => tile.contentHash)).toEqual(hashes);
    using again = copyOf(mesh);
    expect(again.polygon(ref)).toEqual(mesh.polygon(ref));
    using query = engine.createQuery(mesh);
    const point = mesh.polygon(ref).vertices[0]!;
    expect(query.nearest(point, { extents: [30, 4, 30], filter: { excludeFlags: 0x8000 } })!.ref).not.toBe(ref);
  });

  it('say what is wrong', () => {
    using mesh = copyOf(tiled);
    const ref = mesh.polygonOutlines().refs[0]!;
    const before = mesh.save();
    const wrong: [() => void, object][] = [
      [() => mesh.setArea(ref, 64), { field: 'area', limit: 63 }],
      [() => mesh.setArea(ref, -1), { field: 'area' }],
      [() => mesh.setArea(ref, 1.5), { field: 'area' }],
      [() => mesh.setFlags(ref, 65536), { field: 'flags' }],
      [() => mesh.setArea(1n << 48n | 0xffffffn, 1), { field: 'ref', status: 'StaleRef' }], // prettier-ignore
      [() => mesh.setFlags(0n, 1), { field: 'ref', status: 'StaleRef' }],
      [() => mesh.setFlags(5 as never, 1), { field: 'ref' }],
      [() => mesh.removeTile(0.5, 0), { field: 'x' }],
      [() => mesh.findTile(0, 0, '0' as never), { field: 'layer' }],
      [() => mesh.addTile([1] as never), { field: 'bytes' }],
      [() => mesh.save({ mode: 'half' as never }), { field: 'options.mode' }],
      [() => mesh.save({ kind: 'full' } as never), { field: 'options.kind' }],
    ];
    for (const [call, fields] of wrong) {
      expect(call, String(call)).toThrow(failing({ status: 'Argument', ...fields }));
      expect(call, String(call)).toThrow(ArgumentError);
    }
    expect(mesh.save()).toEqual(before);
  });
});

describe('whose mesh it is', () => {
  it("a player's is for reading, and its replay stays exact", () => {
    using walked = engine.buildNavMesh(level).mesh;
    const { bytes } = recordRun({ engine, mesh: walked }, 60);
    using replay = engine.openReplay(bytes);
    using player = engine.createPlayer(replay);
    player.seek(20);
    using query = engine.createQuery(player.mesh);
    const tile = walked.tileBytes(0);
    for (const view of [player.mesh, player.crowd.mesh, query.mesh] as NavMesh[]) {
      expect(view.tiles()).toEqual(walked.tiles());
      expect(view.tileBytes(0)).toEqual(tile);
      expect([view.offMeshLinks(), view.openLinks()]).toEqual([[], []]);
      const ref = view.polygonOutlines().refs[0]!;
      const edits = [
        () => view.setArea(ref, 1),
        () => view.setFlags(ref, 0),
        () => view.removeTile(0, 0),
        () => view.replaceTile(tile),
        () => view.addTile(tile),
      ];
      for (const edit of edits) {
        expect(edit).toThrow('mesh belongs to a player: it can be read, but not changed.');
      }
    }
    using cached = engine.buildTileCache(level).cache;
    expect(() => cached.update(player.mesh as NavMesh)).toThrow('mesh belongs to a player');
    while (player.step());
    expect([player.firstMismatch, replay.findMismatch()]).toEqual([-1, -1]);
  });

  it("a crowd's can change under it, but not while it is recorded", () => {
    using mesh = engine.buildNavMesh(level, { tileCells: 24 }).mesh;
    using crowd = engine.createCrowd(mesh, { maxAgents: 20 });
    addWalkers(crowd);
    for (let step = 0; step < 30; step++) crowd.step(1 / 30);
    const { x, z, slot } = mesh.tiles()[1]!;
    const bytes = mesh.tileBytes(slot);
    (crowd.mesh as NavMesh).removeTile(x, z);
    for (let step = 0; step < 30; step++) crowd.step(1 / 30);
    mesh.addTile(bytes);
    for (let step = 0; step < 600; step++) crowd.step(1 / 30);
    using recorder = engine.createRecorder(crowd, { dt: 1 / 30 });
    recorder.step();
    mesh.setFlags(mesh.polygonOutlines().refs[0]!, 3);
    expect(() => recorder.step()).toThrow(failing({ status: 'MeshEdited' }));
  });
});

// Two squares side by side and a triangle beyond a gap.
const soup: PolygonSoup = {
  positions: [0, 0, 0, 4, 0, 0, 4, 1, 4, 0, 1, 4, 8, 0, 0, 8, 1, 4, 20, 0, 0, 24, 0, 0, 22, 0, 4],
  polygons: [[0, 1, 2, 3], [1, 2, 5, 4], Uint16Array.of(6, 7, 8)], // prettier-ignore
  areas: [1, 2, 3],
  flags: [1, 2, 4],
  offMeshLinks: [{ start: [7, 0.5, 2], end: [22, 0, 1], radius: 1, userId: 5 }],
};

describe('a mesh of polygons', () => {
  it('has them as they are, joined at shared edges', () => {
    using mesh = engine.navMeshFromPolygons(soup);
    expect([mesh.polygonCount, mesh.tileCount]).toEqual([3, 1]);
    expect(mesh.params).toMatchObject({ climb: 0.9, agentRadius: 0, agentHeight: 2 });
    const { refs } = mesh.polygonOutlines();
    const polygons = Array.from(refs, (ref) => mesh.polygon(ref));
    expect(polygons.map(({ area, flags }) => [area, flags])).toEqual([[1, 1], [2, 2], [3, 4]]); // prettier-ignore
    expect(polygons.map(({ vertices }) => vertices.map(([x, y, z]) => `${x} ${y} ${z}`).sort())).toEqual([
      ['0 0 0', '0 1 4', '4 0 0', '4 1 4'],
      ['4 0 0', '4 1 4', '8 0 0', '8 1 4'],
      ['20 0 0', '22 0 4', '24 0 0'],
    ]);
    using query = engine.createQuery(mesh);
    const path = query.computePath([1, 0, 2], [22, 0, 1])!;
    expect(path.outcome).toBe('success');
    expect(path.polygons).toHaveLength(3);
    expect(mesh.offMeshLinks()).toMatchObject([{ userId: 5, connected: true }]);
  });

  it('of nothing is empty', () => {
    using mesh = engine.navMeshFromPolygons({ positions: [], polygons: [] });
    expect([mesh.polygonCount, mesh.tileCount]).toEqual([0, 0]);
  });

  it('names what is wrong', () => {
    const handles = engine.liveHandles;
    const field = 'polygons.polygons';
    const wrong: [object, string, number | null, string][] = [
      [{ polygons: [[0, 1, 2, 3], [0, 1, 9]] }, field, 1, 'polygons.polygons[1] names position 9, but there are 9.'],
      [{ polygons: [[0, 1]] }, field, 0, 'polygons.polygons[0] must have 3 to 12 corners, not 2.'],
      [{ polygons: [[0, 1, 0.5]] }, field, 0, 'polygons.polygons[0] must be a whole number, not 0.5.'],
      [{ polygons: [7] }, field, 0, 'polygons.polygons[0] must be an array of numbers, not 7.'],
      [{ polygons: 7 }, field, null, 'polygons.polygons must be an array, not 7.'],
      [{ polygons: [[0, 1, 1, 3]] }, field, 0,
        'polygons.polygons is out of range (polygon 0, with corners 0, 1, 1, 3, is not convex, has no area or has a corner twice).'],
      [{ polygons: [[0, 2, 1, 3]] }, field, 0,
        'polygons.polygons is out of range (polygon 0, with corners 0, 2, 1, 3, is not convex, has no area or has a corner twice).'],
      [{ polygons: [[0, 1, 2, 3], [0, 1, 2]] }, field, 1,
        'polygons.polygons is out of range (polygon 1, with corners 0, 1, 2, overlaps another one at an edge).'],
      [{ positions: [0, 0, NaN] }, field, 0, 'polygons.polygons[0] names position 1, but there are 1.'],
      [{ positions: [0, 0, NaN], polygons: [] }, 'polygons.positions', 0,
        'polygons.positions is out of range (position 0 is (0, 0, NaN), and coordinates must be finite and below 2097152).'],
      [{ areas: [1, 2] }, 'polygons.areas', null, 'polygons.areas must hold 3 numbers, but has 2.'],
      [{ areas: [1, 2, 64] }, 'polygons.areas', 2,
        'polygons.areas must be whole numbers from 0 to 63, but element 2 is 64.'],
      [{ climb: -1 }, 'polygons.climb', null, 'polygons.climb is out of range (it is -1, it must not be negative).'],
      [{ agentHeight: NaN }, 'polygons.agentHeight', null, 'polygons.agentHeight must be finite, not NaN.'],
      [{ slope: 1 }, 'polygons.slope', null, 'polygons.slope is not an option.'],
      [{ offMeshLinks: [{ start: [0, 0, 0], end: [1, 0, 0], radius: -2 }] }, 'polygons.offMeshLinks', 0,
        'polygons.offMeshLinks[0].radius must be above 0, but is -2.'],
    ]; // prettier-ignore
    for (const [change, name, index, message] of wrong) {
      const given = { positions: soup.positions, polygons: [[0, 1, 2, 3], [1, 2, 5, 4], [6, 7, 8]], ...change }; // prettier-ignore
      const call = () => engine.navMeshFromPolygons(given as never);
      expect(call, message).toThrow(failing({ status: 'Argument', field: name, index, message }));
    }
    expect(engine.liveHandles).toBe(handles);
  });
});

const params: MeshParams = { originX: 0, originZ: 0, tileSize: 8, climb: 0.5 };
// Counter-clockwise with x to the right and z down; up to the side towards +x.
const west: TileDescription = { x: 0, z: 0, vertices: [2, 0, 2, 2, 0, 6, 8, 0, 6, 8, 0, 2], polygons: [[0, 3, 2, 1]] };
const east: TileDescription = {
  x: 1,
  z: 0,
  vertices: [8, 0.25, 3, 8, 0.25, 7, 12, 0, 7, 12, 0, 3],
  polygons: [[0, 3, 2, 1]],
  areas: [4],
  flags: [9],
};

describe('tiles of polygons', () => {
  it('join across their common side', () => {
    using mesh = engine.createNavMesh(params);
    expect([mesh.tileCount, mesh.polygonCount, mesh.editCount, mesh.bounds()]).toEqual([0, 0, 0n, null]);
    expect(mesh.params).toEqual({ ...params, agentRadius: 0, agentHeight: 0 });
    for (const tile of [west, east]) mesh.addTile(engine.encodeTile(params, tile));
    using query = engine.createQuery(mesh);
    const path = query.computePath([3, 0, 4], [11, 0, 5])!;
    expect([path.outcome, path.polygons.length]).toEqual(['success', 2]);
    expect(mesh.polygon(path.polygons[1]!)).toMatchObject({ area: 4, flags: 9 });
    mesh.addTile(engine.encodeTile(params, { ...west, layer: 3, vertices: west.vertices }));
    expect([mesh.findTile(0, 0, 3), mesh.tileCount]).toEqual([2, 3]);
    mesh.removeTile(0, 0, 3);
    expect(mesh.findTile(0, 0, 3)).toBeNull();
  });

  it('have neighbours and detail as given', () => {
    const wall = 0xffffffff;
    const two: TileDescription = {
      x: 0,
      z: 0,
      vertices: [0, 0, 0, 4, 0, 0, 4, 0, 4, 0, 0, 4, 8, 0, 0, 8, 0, 4],
      polygons: [[0, 1, 2, 3], [1, 4, 5, 2]], // prettier-ignore
    };
    const bytes = engine.encodeTile(params, two);
    const sides = { posX: 0xfffffff0, negX: 0xfffffff2, negZ: 0xfffffff3 };
    const neighbours = [[sides.negZ, 1, wall, sides.negX], [sides.negZ, sides.posX, wall, 0]]; // prettier-ignore
    expect(engine.encodeTile(params, { ...two, neighbours })).toEqual(bytes);
    const detail = {
      vertexCounts: [1, 0],
      triangleCounts: [4, 0],
      vertices: [2, 3, 2],
      triangles: [0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4],
    };
    using mesh = engine.createNavMesh(params);
    mesh.addTile(engine.encodeTile(params, { ...two, detail }));
    using query = engine.createQuery(mesh);
    const { ref } = query.nearest([2, 1, 2])!;
    expect(query.height(ref, 2, 2)).toBe(3);
    expect(query.height(ref, 1, 2)).toBe(1.5);
    const wrong: [object, object][] = [
      [{ neighbours: [[wall, 1, wall, wall]] }, { field: 'tile.neighbours' }],
      [{ neighbours: [[wall, 1, wall], [wall, wall, wall, 0]] }, { field: 'tile.neighbours', index: 0 }], // prettier-ignore
      [{ neighbours: [[wall, wall, wall, wall], [wall, wall, wall, 0]] }, { field: 'tile.neighbours' }], // prettier-ignore
      [{ detail: { ...detail, vertices: [] } }, { field: 'tile.detail.vertices' }],
      [{ detail: { ...detail, triangles: [0, 1, 9] } }, { field: 'tile.detail.triangles' }],
      [
        { detail: { ...detail, triangles: detail.triangles.map((v) => (v === 4 ? 5 : v)) } },
        { field: 'tile.detail.triangles' },
      ],
      [{ detail: { ...detail, vertexCounts: [1] } }, { field: 'tile.detail.vertexCounts' }],
      [{ detail: { counts: [] } }, { field: 'tile.detail.counts' }],
    ];
    for (const [change, fields] of wrong) {
      expect(() => engine.encodeTile(params, { ...two, ...change }), JSON.stringify(change)).toThrow(
        failing({ status: 'Argument', ...fields }),
      );
    }
  });

  it('name what is wrong', () => {
    const wrong: [object, object, object][] = [
      [{ tileSize: 0 }, {}, { field: 'params.tileSize' }],
      [{ originX: 1e9 }, {}, { field: 'params.originX' }],
      [{ climb: NaN }, {}, { field: 'params.climb' }],
      [{ size: 1 }, {}, { field: 'params.size' }],
      [{}, { x: 0.5 }, { field: 'tile.x' }],
      [{}, { x: 2147483647 }, { field: 'tile.x' }],
      [{}, { polygons: [[0, 1, 7]] }, { field: 'tile.polygons', index: 0 }],
      [{}, { polygons: [[0, 1, 2, 3]] }, { field: 'tile.polygons' }], // the wrong way round
      [{}, { vertices: [2, 0, 2, 2, 0, 6, 9, 0, 6, 9, 0, 2] }, { field: 'tile.vertices', index: 2 }], // outside
      [{}, { vertices: [1, 2] }, { field: 'tile.vertices' }],
      [{}, { areas: [64] }, { field: 'tile.areas', index: 0 }],
      [{}, { flags: [] }, { field: 'tile.flags' }],
      [{}, { corners: [] }, { field: 'tile.corners' }],
    ];
    for (const [change, tile, fields] of wrong) {
      const call = () => engine.encodeTile({ ...params, ...change }, { ...west, ...tile });
      expect(call, JSON.stringify([change, tile])).toThrow(failing({ status: 'Argument', ...fields }));
    }
    expect(() => engine.createNavMesh({ ...params, tileSize: -1 })).toThrow(failing({ field: 'params.tileSize' }));
    expect(() => engine.createNavMesh(null as never)).toThrow(failing({ field: 'params' }));
  });
});

describe('referenced snapshots', () => {
  it('are small, name the tiles they need, and load with them in any order', () => {
    using mesh = copyOf(tiled);
    const tiles = bytesOf(mesh);
    const { refs } = mesh.polygonOutlines();
    mesh.setArea(refs[1]!, 5);
    const bytes = mesh.save({ mode: 'referenced' });
    expect(bytes.length).toBeLessThan(mesh.save().length / 4);
    expect(engine.snapshotTiles(mesh.save())).toEqual([]);
    expect(engine.snapshotTiles(bytes)).toEqual(
      mesh.tiles().map(({ slot, x, z, layer, contentHash }, i) => {
        return { slot, x, z, layer, size: tiles[i]!.length, contentHash };
      }),
    );
    using loaded = engine.loadNavMesh(bytes, { tiles: [...tiles, tiles[0]!].reverse() });
    expect(loaded.save()).toEqual(mesh.save());
    expect(loaded.save({ mode: 'referenced' })).toEqual(bytes);
    expect(loaded.polygonOutlines()).toEqual(mesh.polygonOutlines());
  });

  it('say which tile is missing, other, or damaged', () => {
    const tiles = bytesOf(tiled);
    const bytes = tiled.save({ mode: 'referenced' });
    const handles = engine.liveHandles;
    const load = (list: unknown) => () => engine.loadNavMesh(bytes, { tiles: list as Uint8Array[] });
    expect(() => engine.loadNavMesh(bytes)).toThrow(failing({ status: 'NotFound', field: 'mesh.tiles', index: 0 }));
    expect(load(tiles.slice(0, 2))).toThrow(failing({ status: 'NotFound', index: 2 }));
    expect(load(tiles.slice(0, 2))).toThrow(/no bytes were given for tile 2 of the snapshot/);
    const damaged = tiles.map((tile) => Uint8Array.from(tile));
    damaged[3]![0]! ^= 1;
    expect(load(damaged)).toThrow(failing({ status: 'BadMagic', index: 3, offset: 0 }));
    expect(load(damaged)).toThrow(NavMeshFormatError);
    expect(load(damaged)).toThrow(/options\.tiles\[3\]/);
    const others = bytesOf(engine.buildNavMesh(level, { tileCells: 24, agentRadius: 0.3 }).mesh);
    expect(load([...tiles.slice(0, 4), ...others])).toThrow(
      failing({ status: 'Mismatch', field: 'options.tiles', index: 8 }),
    );
    expect(load([tiles[0], 5])).toThrow(failing({ field: 'options.tiles[1]', status: 'Argument' }));
    expect(load(5)).toThrow(failing({ field: 'options.tiles', status: 'Argument' }));
    expect(engine.liveHandles).toBe(handles + 1); // the other build
  });

  it('are refused cut off anywhere', () => {
    const tiles = bytesOf(tiled);
    const bytes = tiled.save({ mode: 'referenced' });
    for (let size = 0; size < bytes.length; size++) {
      const cut = bytes.subarray(0, size);
      expect(() => engine.loadNavMesh(cut, { tiles }), `${size}`).toThrow(NavMeshFormatError);
      expect(() => engine.snapshotTiles(cut), `${size}`).toThrow(NavMeshFormatError);
    }
    expect(() => engine.snapshotTiles([] as never)).toThrow(ArgumentError);
    expect(() => engine.tileContentHash(7 as never)).toThrow(CrowdreelError);
  });
});
