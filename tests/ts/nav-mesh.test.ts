// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Building, saving, loading and reading meshes.
import { BuildDefaults, NavMeshFormatError } from 'crowdreel';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, level, type World } from './support.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

describe('a built mesh', () => {
  it('reports what the build did', () => {
    const { mesh, report } = world.engine.buildNavMesh({
      positions: new Float32Array(level.positions),
      indices: new Uint16Array(level.indices),
    });
    expect(report.trianglesUsed).toBe(level.indices.length / 3);
    expect(report).toMatchObject({
      trianglesDegenerate: 0,
      firstDegenerate: -1,
      tilesBuilt: 1,
      polygons: mesh.polygonCount,
    });
    expect(report.trianglesSteep).toBe(0);
    expect(report.trianglesDownward).toBe(4 * 5 * 2); // of four walls: upright sides, and tops that face down
    expect(mesh.tileCount).toBe(1);
    mesh.dispose();
  });

  it('counts degenerate triangles and goes on', () => {
    const indices = [...level.indices, 0, 0, 1];
    const { mesh, report } = world.engine.buildNavMesh({ positions: level.positions, indices });
    expect(report).toMatchObject({ trianglesDegenerate: 1, firstDegenerate: level.indices.length / 3 });
    mesh.dispose();
  });

  it('takes settings: tiles, radius', () => {
    const { mesh, report } = world.engine.buildNavMesh(level, { tileCells: 32, agentRadius: 0.3 });
    expect(mesh.tileCount).toBeGreaterThan(1);
    expect(mesh.tileCount).toBe(report.tilesBuilt);
    expect(mesh.params).toMatchObject({ tileSize: 32 * BuildDefaults.cellSize, agentRadius: 0.3, agentHeight: 2 });
    mesh.dispose();
  });

  it('of a level with nothing to walk on is empty, not an error', () => {
    const { mesh } = world.engine.buildNavMesh({ positions: [0, 0, 0, 0, 9, 0, 0, 0, 9], indices: [0, 1, 2] });
    expect(mesh.polygonCount).toBe(0);
    expect(mesh.bounds()).toBeNull();
    expect(mesh.triangles().positions).toHaveLength(0);
    expect(mesh.polygonOutlines().refs).toHaveLength(0);
    const query = world.engine.createQuery(mesh);
    expect(query.nearest([0, 0, 0])).toBeNull();
    expect(query.randomPoint(1n)).toBeNull();
    query.dispose();
    mesh.dispose();
  });

  it('keeps the areas of its triangles', () => {
    const areas = level.indices.filter((_, i) => i % 3 === 0).map(() => 5);
    const { mesh } = world.engine.buildNavMesh({ ...level, areas });
    const { refs, areas: found } = mesh.polygonOutlines();
    expect(new Set(found)).toEqual(new Set([5]));
    expect(mesh.polygon(refs[0]!).area).toBe(5);
    mesh.dispose();
  });
});

describe('reading a mesh', () => {
  it('bounds hold the surface and lie in the level', () => {
    const { min, max } = world.mesh.bounds()!;
    const { positions } = world.mesh.triangles();
    for (let i = 0; i < positions.length; i++) {
      expect(positions[i]).toBeGreaterThanOrEqual(min[i % 3]!);
      expect(positions[i]).toBeLessThanOrEqual(max[i % 3]!);
    }
    expect(min[0]).toBeGreaterThanOrEqual(-12);
    expect(max[2]).toBeLessThanOrEqual(12);
  });

  it('outlines are the polygons one by one, and as large as the triangles', () => {
    const { positions, counts, areas, refs } = world.mesh.polygonOutlines();
    expect(refs).toHaveLength(world.mesh.polygonCount);
    expect(areas).toHaveLength(refs.length);
    let at = 0;
    let outlineArea = 0;
    refs.forEach((ref, i) => {
      expect(world.mesh.isValidRef(ref)).toBe(true);
      const { vertices, area, flags } = world.mesh.polygon(ref);
      expect([vertices.length, area, flags]).toEqual([counts[i], areas[i], 1]);
      expect(vertices.flat()).toEqual(Array.from(positions.subarray(at, at + counts[i]! * 3)));
      at += counts[i]! * 3;
      vertices.forEach(([x, , z], k) => {
        const [x2, , z2] = vertices[(k + 1) % vertices.length]!;
        outlineArea += (x * z2 - x2 * z) / 2;
      });
    });
    expect(at).toBe(positions.length);
    const triangles = world.mesh.triangles();
    let triangleArea = 0;
    for (let i = 0; i < triangles.positions.length; i += 9) {
      const [ax, , az, bx, , bz, cx, , cz] = triangles.positions.subarray(i, i + 9);
      triangleArea += Math.abs((bx! - ax!) * (cz! - az!) - (bz! - az!) * (cx! - ax!)) / 2;
    }
    expect(triangles.areas).toHaveLength(triangles.positions.length / 9);
    expect(Math.abs(outlineArea)).toBeCloseTo(triangleArea, 6);
  });

  it('triangles face up, outlines run the other way, and what is built of them is the same ground', () => {
    const { positions, areas } = world.mesh.triangles();
    const up = ([ax, , az, bx, , bz, cx, , cz]: number[]) => (bz! - az!) * (cx! - ax!) - (bx! - ax!) * (cz! - az!);
    for (let i = 0; i < positions.length; i += 9) expect(up([...positions.subarray(i, i + 9)])).toBeGreaterThan(0);
    const outlines = world.mesh.polygonOutlines();
    let first = 0;
    for (const count of outlines.counts) {
      const corner = (k: number) => [...outlines.positions.subarray((first + k) * 3, (first + k) * 3 + 3)];
      for (let k = 2; k < count; k++) expect(up([...corner(0), ...corner(k - 1), ...corner(k)])).toBeLessThan(0);
      first += count;
    }
    const indices = Uint32Array.from({ length: positions.length / 3 }, (_, i) => i);
    const { mesh, report } = world.engine.buildNavMesh({ positions, indices }, { agentRadius: 0 });
    expect(report).toMatchObject({ trianglesUsed: areas.length, trianglesDownward: 0, trianglesSteep: 0 });
    expect(mesh.polygonCount).toBeGreaterThan(0);
    mesh.dispose();
  });

  it('triangles of a tile of the caller face up, whichever way it lists them', () => {
    const params = { originX: 0, originZ: 0, tileSize: 8, climb: 1, agentRadius: 0, agentHeight: 2 };
    using mesh = world.engine.createNavMesh(params);
    const tile = { x: 0, z: 0, vertices: [0, 0, 0, 8, 0, 0, 8, 0, 8, 0, 0, 8], polygons: [[0, 1, 2, 3]] };
    const detail = { vertexCounts: [0], triangleCounts: [2], vertices: [], triangles: [0, 1, 2, 0, 3, 2] };
    mesh.addTile(world.engine.encodeTile(params, { ...tile, detail }));
    expect([...mesh.triangles().positions]).toEqual([
      ...[0, 0, 0, 8, 0, 8, 8, 0, 0], // turned
      ...[0, 0, 0, 0, 0, 8, 8, 0, 8],
    ]);
  });

  it('knows references that are not its own', () => {
    expect(world.mesh.isValidRef(0n)).toBe(false);
    expect(world.mesh.isValidRef((1n << 64n) - 1n)).toBe(false);
    expect(() => world.mesh.polygon(77n << 48n)).toThrow(/ref is a polygon reference that names no polygon/);
  });

  it('results are copies: growing memory does not touch them', () => {
    const { positions } = world.mesh.triangles();
    const before = Array.from(positions);
    const { mesh } = world.engine.buildNavMesh(level, { cellSize: 0.05 });
    expect(Array.from(positions)).toEqual(before);
    expect(positions.buffer.byteLength).toBe(positions.byteLength);
    mesh.dispose();
  });
});

describe('a saved mesh', () => {
  it('loads to an equal one: same bytes, same references', () => {
    const bytes = world.mesh.save();
    const copy = world.engine.loadNavMesh(bytes);
    expect(copy.save()).toEqual(bytes);
    expect(copy.polygonOutlines()).toEqual(world.mesh.polygonOutlines());
    expect(copy.editCount).toBe(world.mesh.editCount);
    expect(copy.params).toEqual(world.mesh.params);
    copy.dispose();
  });

  it('is refused when cut off anywhere or continued', () => {
    const bytes = world.mesh.save();
    for (let size = 0; size < bytes.length; size += Math.max(1, Math.floor(bytes.length / 100))) {
      expect(() => world.engine.loadNavMesh(bytes.subarray(0, size)), `${size} bytes`).toThrow(NavMeshFormatError);
    }
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(() => world.engine.loadNavMesh(longer)).toThrow(/trailing|do not belong/);
  });

  it('tells field and byte offset of the damage', () => {
    const bytes = world.mesh.save();
    bytes[4] = 99;
    try {
      world.engine.loadNavMesh(bytes);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(NavMeshFormatError);
      expect(error).toMatchObject({ status: 'BadVersion', field: 'version', offset: 4 });
      expect((error as Error).message).toBe(
        'navigation mesh: version at byte 4 is a version this engine does not read.',
      );
    }
  });
});

describe('build input files', () => {
  it('write and read back', () => {
    const bytes = world.engine.writeBuildInput(level, { cellSize: 0.25 });
    const file = world.engine.readBuildInput(bytes);
    expect(Array.from(file.positions)).toEqual(level.positions);
    expect(Array.from(file.indices)).toEqual(level.indices);
    const following = { contourMaxError: 0.3, detailSampleDistance: 1.5 };
    expect(file.settings).toEqual({ ...BuildDefaults, cellSize: 0.25, ...following });
    expect(world.engine.writeBuildInput(file, file.settings)).toEqual(bytes);
  });
});
