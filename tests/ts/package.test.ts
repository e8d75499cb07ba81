// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The package as users get it: packed, installed into an empty project, imported, type-checked and run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFlags } from './support.js';

const ts = fileURLToPath(new URL('../../ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'crowdreel-package-'));
const project = join(folder, 'project');
let packed: string[] = [];

function run(command: string, parameters: string[], cwd = project): string {
  return execFileSync(command, parameters, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
}

beforeAll(() => {
  const [report] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], ts)) as [
    { files: { path: string }[] },
  ];
  packed = report.files.map(({ path }) => path);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `../${tarball}`]);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));

const program = `
const engine = await loadCrowdreel();
const { mesh } = engine.buildNavMesh({
  positions: [-20, 0, -20, -20, 0, 20, 20, 0, 20, 20, 0, -20],
  indices: [0, 1, 2, 0, 2, 3],
});
const crowd = engine.createCrowd(mesh);
const id = crowd.add([-10, 0, 0]);
crowd.setDestination(id, { x: 10, y: 0, z: 0 });
for (let step = 0; step < 600; step++) crowd.step(1 / 60);
const { reachedTarget, position } = crowd.agent(id);
if (!reachedTarget || Math.abs(position[0] - 10) > 0.5) throw new Error('it did not get there');
`;

describe('the packed package', () => {
  it('holds what it should and nothing else', () => {
    for (const path of [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'bin/crowdreel.js',
      'dist/index.js',
      'dist/index.d.ts',
      'dist/crowdreel.wasm',
      'dist/embedded.js',
      'dist/embedded-wasm.js',
      'dist/threads.js',
      'dist/threads.d.ts',
      'dist/crowdreel-threads.wasm',
    ]) {
      expect(packed).toContain(path);
    }
    expect(
      packed.filter(
        (path) => !/^(dist\/.*\.(js|d\.ts|wasm)|bin\/crowdreel\.js|package\.json|[A-Z]+(\.md)?)$/.test(path),
      ),
    ).toEqual([]);
  });

  it.each(['crowdreel', 'crowdreel/embedded', 'crowdreel/threads'])('runs: %s', (entry) => {
    writeFileSync(
      join(project, 'main.js'),
      `import { loadCrowdreel } from '${entry}';\n${program}console.log('arrived');\n`,
    );
    expect(run(process.execPath, [...nodeFlags, 'main.js'])).toBe('arrived\n');
  });

  it('runs on threads', () => {
    const threaded = program
      .replace('loadCrowdreel()', 'loadCrowdreel({ threads: 3 })')
      .replace('createCrowd(mesh)', 'createCrowd(mesh, { maxThreads: engine.threads })');
    writeFileSync(
      join(project, 'threads.js'),
      `import { loadCrowdreel } from 'crowdreel/threads';\n${threaded}console.log('arrived', crowd.options.maxThreads);\n`,
    );
    expect(run(process.execPath, [...nodeFlags, 'threads.js'])).toBe('arrived 3\n');
  });

  it('gives its wasm files and manifest by name', () => {
    const require = createRequire(join(project, 'main.js'));
    for (const name of ['crowdreel', 'crowdreel-threads']) {
      const bytes = readFileSync(require.resolve(`crowdreel/${name}.wasm`));
      expect(bytes.subarray(0, 4).toString('latin1')).toBe('\0asm');
    }
    expect((require('crowdreel/package.json') as { name: string }).name).toBe('crowdreel');
  });

  it('runs its command', () => {
    expect(run('npx', ['--no-install', 'crowdreel', '--version']).trim()).toMatch(/^\d+\.\d+\.\d+$/);
    writeFileSync(join(project, 'level.obj'), 'v -9 0 -9\nv -9 0 9\nv 9 0 9\nv 9 0 -9\nf 1 2 3 4\n');
    run('npx', [
      '--no-install',
      'crowdreel',
      'record',
      'level.obj',
      '--agents',
      '5',
      '--steps',
      '60',
      '-o',
      'run.oprp',
    ]);
    expect(run('npx', ['--no-install', 'crowdreel', 'verify', 'run.oprp'])).toMatch(/exact, 60 steps/);
  });

  const typed = `
import {
  AgentPresets, loadCrowdreel, Partition, type BuildStage, type CrowdView, type NavMeshView, type TileInfo, type Vec3, type Volume,
} from 'crowdreel';
import { loadCrowdreel as loadEmbedded } from 'crowdreel/embedded';
import { loadCrowdreel as loadThreads, threadProblem } from 'crowdreel/threads';
const why: string | null = threadProblem();
using threaded = await loadThreads({ threads: why === null ? 2 : 1 });
const threads: number = threaded.threads;
threaded.createCrowd(threaded.createNavMesh({ originX: 0, originZ: 0, tileSize: 8, climb: 1 }), { maxThreads: threads });
// @ts-expect-error only that entry has threads
await loadCrowdreel({ threads: 2 });
const engine = await loadCrowdreel();
const { mesh, report } = engine.buildNavMesh({ positions: new Float32Array(9), indices: [0, 1, 2] }, { cellSize: 0.2 });
const door: Volume = { shape: 'box', center: [1, 2, 3], size: new Float64Array(3), axis: [1, 1] };
using cached = engine.buildTileCache(
  { positions: [], indices: [], volumes: [{ ...door, area: 3 }], obstacles: [door], areaFlags: { 3: 8 } },
  { partition: Partition.Layers, tileCells: 32 },
  { onProgress: (progress) => progress < 1 },
).cache;
const obstacle: number = cached.addObstacle({ shape: 'cylinder', base: { x: 1, y: 2, z: 3 }, radius: 1, height: 2 });
const { rebuilt }: { rebuilt: number } = cached.update(mesh, { maxTiles: 2 });
using build = engine.createMeshBuild({ positions: [], indices: [] });
using tile = build.tile(0, 0);
const stage: BuildStage | null = tile.run();
const seconds: number = tile.report.stageSeconds.regions;
const slot: number = mesh.addTile(tile.takeBytes());
const tiles: TileInfo[] = engine.loadNavMesh(mesh.save({ mode: 'referenced' }), { tiles: [new Uint8Array(1)] }).tiles();
const polygons: number = engine.navMeshFromPolygons({ positions: [0, 0, 0], polygons: [[0, 0, 0]] }).polygonCount;
const bytes: Uint8Array = engine.encodeTile({ originX: 0, originZ: 0, tileSize: 8, climb: 1 }, { x: 0, z: 0, vertices: [], polygons: [] });
// @ts-expect-error a volume of the level needs an area
engine.createMeshBuild({ positions: [], indices: [], volumes: [door] });
// @ts-expect-error no such shape
cached.addObstacle({ shape: 'sphere', radius: 1 });
// @ts-expect-error no such stage
tile.runTo('paint');
using crowd = engine.createCrowd(mesh, { maxAgents: 10 });
const id: number = crowd.add([1, 2, 3], { ...AgentPresets.large, path: { stuckWindow: 1 } });
const view: CrowdView = crowd;
const position: Vec3 = view.agent(id).position;
using player = engine.createPlayer(engine.openReplay(new Uint8Array(3)));
const hash: bigint = player.crowd.stateHash();
// @ts-expect-error a player's crowd is for reading
player.crowd.step(1);
const read: NavMeshView = player.mesh;
// @ts-expect-error a player's mesh is for reading
player.mesh.removeTile(0, 0);
// @ts-expect-error engines make their objects
new (await import('crowdreel')).Crowd();
export { bytes, hash, loadEmbedded, obstacle, polygons, position, read, rebuilt, report, seconds, slot, stage, tiles };
`;
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const resolutions = {
    NodeNext: { module: 'NodeNext', moduleResolution: 'NodeNext' },
    Bundler: { module: 'ESNext', moduleResolution: 'Bundler' },
  };
  const libs = { 'ES2022 alone': ['ES2022'], 'ES2022 and DOM': ['ES2022', 'DOM'] };
  const variants = Object.keys(resolutions).flatMap((resolution) =>
    Object.keys(libs).map((lib) => [resolution, lib] as const),
  );
  it.each(variants)('type-checks strictly, library types included: %s, %s', (resolution, lib) => {
    const compilerOptions = {
      ...resolutions[resolution as keyof typeof resolutions],
      lib: libs[lib as keyof typeof libs],
      target: 'ES2022',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    writeFileSync(join(project, 'main.ts'), typed);
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
    expect(run(process.execPath, [...nodeFlags, tsc, '-p', '.'])).toBe('');
  });
});
