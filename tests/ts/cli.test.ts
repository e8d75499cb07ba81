// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The command line, end to end on a small level.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildStages, loadCrowdreel, type BuildReport } from 'crowdreel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../ts/dist/cli/random.js';
import { floorWithWalls, level } from './support.js';

const bin = fileURLToPath(new URL('../../ts/bin/crowdreel.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'crowdreel-cli-'));
const file = (name: string) => join(folder, name);

function crowdreel(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...parameters], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return {
    status,
    stdout,
    stderr,
    json: () =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const STOPPED = 'Stopped; nothing was written.\n';

/** Ctrl-C a moment after a command began that takes long. */
async function stopped(...parameters: string[]): Promise<[status: number | null, stdout: string, stderr: string]> {
  const child = spawn(process.execPath, [bin, ...parameters], { cwd: folder });
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (data) => (text[name] += String(data)));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect(child.exitCode).toBe(null);
  child.kill('SIGINT');
  return [await ended, text.stdout, text.stderr];
}

const hash = (value: bigint) => `0x${value.toString(16).padStart(16, '0')}`;

const recordFlags = ['--agents', '12', '--steps', '1200', '--dt', '1/30', '--seed', '7'];

beforeAll(() => {
  writeFileSync(file('level.obj'), level.obj);
  const { status, stderr } = crowdreel('record', 'level.obj', ...recordFlags, '-o', 'run.oprp');
  expect([status, stderr]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('build', () => {
  it('writes a mesh', async () => {
    const { status, stdout, stderr } = crowdreel('build', 'level.obj', '-o', 'level.crnm');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^level\.crnm: navigation mesh, [\d,.]+ KiB \([\d,]+ bytes\)\n/);
    expect(stdout).toMatch(/^ {2}triangles used +42$/m);
    expect(stdout).toMatch(/^ {4}facing down or upright +40, the first is number 2$/m);
    expect(stdout).toMatch(/^ {4}polygons +[\d.]+ ms$/m);
    expect(stdout).not.toMatch(/ $/m);
    const engine = await loadCrowdreel();
    const mesh = engine.loadNavMesh(readFileSync(file('level.crnm')));
    expect(mesh.save()).toEqual(engine.buildNavMesh(level).mesh.save());
  });

  it('takes every setting as a flag', async () => {
    const settings = {
      cellSize: 0.2,
      cellHeight: 0.1,
      agentRadius: 0.4,
      agentHeight: 1.8,
      walkableClimb: 0.5,
      maxSlope: 50,
      contourMaxError: 0.25,
      maxEdgeLength: 8,
      detailSampleDistance: 2,
      detailMaxError: 0.1,
      minRegionArea: 8,
      mergeRegionArea: 20,
      maxVertsPerPoly: 5,
      partition: 1,
      tileCells: 48,
    } as const;
    const flags = Object.entries(settings).map(([name, value]) => {
      const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const text = { contourMaxError: '1/4', partition: 'monotone' }[name] ?? String(value);
      return `--${flag}=${text}`;
    });
    const [result] = crowdreel('build', 'level.obj', '-o', 'tiled.crnm', '--json', ...flags).json();
    expect(result).toMatchObject({
      level: 'level.obj',
      vertexCount: level.positions.length / 3,
      triangleCount: 42,
      settings,
      outputs: [{ file: 'tiled.crnm', format: 'crnm', bytes: readFileSync(file('tiled.crnm')).length }],
      tiles: 9,
      report: { tilesBuilt: 9, tilesEmpty: 0, trianglesUsed: 42, trianglesDownward: 40, firstDownward: 2 },
    });
    expect(result!.seconds).toBeGreaterThan(0);
    const { stageSeconds } = result!.report as BuildReport;
    expect(Object.keys(stageSeconds)).toEqual([...BuildStages]);
    const engine = await loadCrowdreel();
    expect(readFileSync(file('tiled.crnm'))).toEqual(Buffer.from(engine.buildNavMesh(level, settings).mesh.save()));
  });

  it('knows partitions by name and number', () => {
    const outputs = [
      ['watershed', '0'],
      ['monotone', '1'],
      ['layers', '2'],
    ].map((names) =>
      names.map((name) => {
        expect(crowdreel('build', 'level.obj', '-o', 'p.crnm', '--partition', name).status).toBe(0);
        return readFileSync(file('p.crnm')).toString('hex');
      }),
    );
    for (const [named, numbered] of outputs) expect(named).toBe(numbered);
    expect(new Set(outputs.flat()).size).toBe(3);
  });

  it('writes several files, each by its ending', async () => {
    const { status, stdout, stderr } = crowdreel(
      ...['build', 'level.obj', '--tile-cells', '48', '--cell-size', '0.25'],
      ...['-o', 'all.crnm', '-o', 'all.CRTC', '-o', 'all.opbi'],
    );
    expect(status).toBe(0);
    expect(stdout).toMatch(/^all\.crnm: navigation mesh, .*\nall\.CRTC: tile cache, .*\nall\.opbi: build input, /);
    expect(stderr).toBe('Build input knows no tiles: --tile-cells is not in it.\n');
    const engine = await loadCrowdreel();
    const settings = { cellSize: 0.25, tileCells: 48 };
    const { mesh, cache } = engine.buildTileCache(level, settings);
    expect(readFileSync(file('all.crnm'))).toEqual(Buffer.from(mesh.save()));
    expect(readFileSync(file('all.CRTC'))).toEqual(Buffer.from(cache.save()));
    expect(readFileSync(file('all.opbi'))).toEqual(Buffer.from(engine.writeBuildInput(level, settings)));
  });

  it('reads build input, whose settings flags override', async () => {
    const engine = await loadCrowdreel();
    const own = { cellSize: 0.25, partition: 2 } as const;
    writeFileSync(file('own.opbi'), engine.writeBuildInput(level, own));
    for (const [flags, settings] of [
      [[], own],
      [['--partition', 'watershed', '--tile-cells', '64'], { cellSize: 0.25, tileCells: 64 }],
      [['--cell-size', '0.3'], { partition: 2 }], // a default given counts too
    ] as const) {
      expect(crowdreel('build', 'own.opbi', '-o', 'own.crnm', ...flags).status).toBe(0);
      expect(readFileSync(file('own.crnm'))).toEqual(Buffer.from(engine.buildNavMesh(level, settings).mesh.save()));
    }
  });

  it('lets defaults follow what is given, but not the settings of build input', () => {
    const settingsOf = (...flags: string[]) => {
      const [result] = crowdreel('build', ...flags, '--json').json();
      return result!.settings;
    };
    const coarse = { contourMaxError: 0.39, detailSampleDistance: 1.8, detailMaxError: 0.2 };
    const fine = { contourMaxError: 0.2, detailSampleDistance: 1.2, detailMaxError: 0.1 };
    const flags = ['--cell-size', '0.2', '--agent-radius', '0.4', '--cell-height', '0.1'];
    expect(settingsOf('level.obj', '-o', 'coarse.opbi')).toMatchObject(coarse);
    expect(settingsOf('level.obj', '-o', 'fine.opbi', ...flags)).toMatchObject(fine);
    expect(settingsOf('coarse.opbi', '-o', 'mixed.opbi', ...flags)).toMatchObject({ cellSize: 0.2, ...coarse });
    const { stdout } = crowdreel('build', '--help');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/outlines may be off \(default: 1\.3 cells; with .*: 0\.39\)/);
  });

  it('only writes build input when nothing else is asked for', () => {
    const { status, stdout } = crowdreel('build', 'level.obj', '-o', 'input', '--format', 'opbi');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^input: build input, .*\n {2}vertices +84\n {2}triangles {2}42\n$/);
    expect(crowdreel('build', 'input', '-o', 'again.opbi', '--json').json()).toMatchObject([
      { outputs: [{ file: 'again.opbi', format: 'opbi' }], report: null },
    ]);
    expect(readFileSync(file('again.opbi')).equals(readFileSync(file('input')))).toBe(true);
  });

  it('tells which triangles were skipped and why', () => {
    const faces = ['f 1 2 3 4', 'f 1 1 2', 'f 1 2 3', 'f 1 2 5', 'f 3 2 1', 'f 1 5 6'];
    const corners = ['0 0 0', '0 0 9', '9 0 9', '9 0 0', '9 20 0', '0 0 9'].map((v) => `v ${v}`);
    writeFileSync(file('odd.obj'), [...corners, ...faces].join('\n'));
    const report = { trianglesUsed: 5, trianglesDegenerate: 1, firstDegenerate: 2 };
    expect(crowdreel('build', 'odd.obj', '-o', 'odd.crnm', '--json').json()).toMatchObject([
      {
        report: { ...report, trianglesDuplicate: 1, firstDuplicate: 3, trianglesSteep: 1, firstSteep: 4 },
      },
    ]);
    const { stdout } = crowdreel('build', 'odd.obj', '-o', 'odd.crnm');
    expect(stdout).toMatch(/^ {2}triangles skipped +2\n {4}without area +1, .* 2\n {4}there twice +1, .* 3$/m);
    expect(stdout).toMatch(/^ {4}too steep +1, the first is number 4$/m);
    expect(stdout).toMatch(/^ {4}facing down or upright +2, the first is number 5$/m);
  });

  it('says so when nobody can stand there', () => {
    writeFileSync(file('down.obj'), 'v 0 0 0\nv 9 0 0\nv 0 0 9\nf 1 2 3\n');
    writeFileSync(file('flat.obj'), 'v 0 0 0\nv 9 0 0\nv 3 0 0\nf 1 2 3\n');
    writeFileSync(file('tiny.obj'), floorWithWalls(1, []).obj);
    for (const [name, reason] of [
      ['down.obj', /every triangle is too steep or faces down/],
      ['flat.obj', /no triangle could be used/],
      ['tiny.obj', /too small or too low/],
    ] as const) {
      const { status, stderr } = crowdreel('build', name, '-o', 'empty.crnm');
      expect([status, stderr]).toEqual([0, expect.stringMatching(reason)]);
    }
  });

  it('says what is wrong with a level, and writes nothing', () => {
    writeFileSync(file('bad.obj'), 'v 0 0 0\nf 1 2 3\n');
    writeFileSync(file('empty.obj'), 'hello\n');
    writeFileSync(file('far.obj'), 'v 0 0 0\nv 1 0 0\nv 0 0 1e7\nf 1 2 3\n');
    for (const [name, stderr] of [
      ['bad.obj', /^crowdreel: bad\.obj: OBJ line 2: vertex 2 does not exist: there are 1 so far\.\n$/],
      ['empty.obj', /^crowdreel: empty\.obj: It has no faces/],
      ['far.obj', /^crowdreel: far\.obj: input\.positions .*vertex 2 is \(0, 0, 10000000\)/],
      ['gone.obj', /^crowdreel: gone\.obj: There is no such file\.\n$/],
      ['.', /^crowdreel: \.: It is a folder, not a file\.\n$/],
      ['run.oprp', /^crowdreel: run\.oprp: It is a replay, not a level/],
    ] as const) {
      expect(crowdreel('build', name, '-o', 'no.crnm'), name).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(stderr) as string,
      });
    }
    expect(crowdreel('build', 'bad.obj', '-o', 'no.crnm', '--json').json()).toEqual([
      {
        error: {
          message: 'bad.obj: OBJ line 2: vertex 2 does not exist: there are 1 so far.',
          file: 'bad.obj',
          line: 2,
        },
      },
    ]);
    expect(existsSync(file('no.crnm'))).toBe(false);
  });

  it('calls settings by their flags', () => {
    for (const [flags, message] of [
      [['--cell-size', '0'], /level\.obj: --cell-size is out of range \(it is 0, it must be above 0\)/],
      [['--cell-size', '0.001', '--agent-radius=0'], /level\.obj: --cell-size exceeds a limit/],
      [['--tile-cells', '7'], /--tile-cells is out of range .* at least 8/],
      [['--max-verts-per-poly', '3.5'], /--max-verts-per-poly must be a whole number, not 3\.5/],
      [['--cell-size', 'small'], /not a number/],
      [['--partition', 'fast'], /must be watershed, monotone or layers/],
      [['--partition', '3'], /must be watershed, monotone or layers/],
    ] as const) {
      const { status, stderr } = crowdreel('build', 'level.obj', '-o', 'no.crnm', ...flags);
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
    const [result] = crowdreel('build', 'level.obj', '-o', 'no.crnm', '--max-slope=90', '--json').json();
    expect(result).toMatchObject({ error: { status: 'Argument', field: 'settings.maxSlope', file: 'level.obj' } });
    expect(existsSync(file('no.crnm'))).toBe(false);
  });

  it('refuses outputs it cannot write before it builds', () => {
    for (const [flags, message] of [
      [['-o', 'x'], /^crowdreel: x: its ending does not tell what to write/],
      [['-o', 'nowhere/x.crnm'], /^crowdreel: nowhere\/x\.crnm: There is no folder nowhere\.\n$/],
      [['-o', '.', '--format', 'crnm'], /^crowdreel: \.: It is a folder, not a file\.\n$/],
      [['-o', 'x.crtc'], /A tile cache needs tiles: give --tile-cells/],
      [['-o', 'x.crnm', '-o', './x.crnm'], /x\.crnm is to be written twice/],
      [['-o', 'x.crnm', '-o', 'y.crnm', '--format', 'crnm'], /--format is for one output/],
      [['-o', 'x', '--format', 'obj'], /Allowed choices are crnm, opbi, crtc/],
      [[], /required option/],
    ] as const) {
      const { status, stderr } = crowdreel('build', 'level.obj', ...flags);
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
    for (const name of ['x', 'x.crnm', 'x.crtc']) expect(existsSync(file(name)), name).toBe(false);
  });

  it('is stopped by Ctrl-C, and nothing is written', async () => {
    const flags = ['--cell-size', '0.005', '--tile-cells', '64', '--agent-radius=0.1', '--contour-max-error=0.1'];
    expect(await stopped('build', 'level.obj', '-o', 'stopped.crnm', ...flags)).toEqual([130, '', STOPPED]);
    expect(existsSync(file('stopped.crnm'))).toBe(false);
    const [status, stdout, stderr] = await stopped('build', 'level.obj', '-o', 'stopped.crnm', '--json', ...flags);
    expect([status, stderr]).toEqual([130, STOPPED]);
    expect(JSON.parse(stdout)).toEqual({ error: { message: STOPPED.trim(), status: 'Cancelled' } });
  });

  it('tells when y is not up, or the winding is the other way round', () => {
    const turned = (turn: (x: number, y: number, z: number) => number[]) =>
      level.obj.replace(/^v (.*)$/gm, (_, text: string) => {
        const [x, y, z] = text.split(' ').map(Number);
        return `v ${turn(x!, y!, z!).join(' ')}`;
      });
    writeFileSync(
      file('z-up.obj'),
      turned((x, y, z) => [x, -z, y]),
    );
    writeFileSync(
      file('reversed.obj'),
      turned((x, y, z) => [-x, y, z]),
    );
    for (const [name, hint] of [
      [
        'z-up.obj',
        /^There is hardly any ground: y must be up, and it looks as if z were \(facing up \S+, facing along z 576/m,
      ],
      ['reversed.obj', /^There is hardly any ground: the winding looks reversed \(facing up \S+, facing down 576\)/m],
    ] as const) {
      const { status, stderr } = crowdreel('build', name, '-o', 'hint.crnm');
      expect([status, stderr]).toEqual([0, expect.stringMatching(hint)]);
      const [result] = crowdreel('build', name, '-o', 'hint.crnm', '--json').json();
      expect((result!.warnings as string[]).join('\n') + '\n').toBe(stderr);
    }
    // What is only too high, or ground on which boxes stand, is no reason.
    writeFileSync(file('pit.obj'), floorWithWalls(1, []).obj);
    for (const name of ['level.obj', 'pit.obj']) {
      const [result] = crowdreel('build', name, '-o', 'hint.crnm', '--json').json();
      expect(result!.warnings).toEqual(name === 'pit.obj' ? [expect.stringMatching(/too small or too low/)] : []);
    }
  });
});

describe('record', () => {
  it('is stopped by Ctrl-C, and nothing is written', async () => {
    const long = ['--agents', '10', '--steps', '10000000'];
    expect(await stopped('record', 'level.obj', ...long, '-o', 'stopped.oprp')).toEqual([130, '', STOPPED]);
    expect(existsSync(file('stopped.oprp'))).toBe(false);
  });

  it('twice gives the same bytes, another seed others', () => {
    for (const [name, seed] of [
      ['again.oprp', '7'],
      ['other.oprp', '8'],
    ] as const) {
      expect(crowdreel('record', 'level.obj', ...recordFlags.slice(0, -1), seed, '-o', name).status).toBe(0);
    }
    expect(readFileSync(file('again.oprp')).equals(readFileSync(file('run.oprp')))).toBe(true);
    expect(readFileSync(file('other.oprp')).equals(readFileSync(file('run.oprp')))).toBe(false);
  });

  it('on the built mesh gives the same bytes as on the level', () => {
    crowdreel('build', 'level.obj', '-o', 'level.crnm');
    crowdreel('record', 'level.crnm', ...recordFlags, '-o', 'mesh.oprp');
    expect(readFileSync(file('mesh.oprp')).equals(readFileSync(file('run.oprp')))).toBe(true);
  });

  it('takes build input and tile caches too', async () => {
    const engine = await loadCrowdreel();
    const settings = { cellSize: 0.25, tileCells: 48 } as const;
    const short = ['--agents', '4', '--steps', '60'];
    const bytesOf = (name: string, ...flags: string[]) => {
      const result = crowdreel('record', name, ...short, '-o', 'kinds.oprp', ...flags);
      expect([name, result.status, result.stderr]).toEqual([name, 0, '']);
      return readFileSync(file('kinds.oprp'));
    };
    writeFileSync(file('kind.opbi'), engine.writeBuildInput(level, settings));
    expect(bytesOf('kind.opbi').equals(bytesOf('level.obj', '--cell-size', '0.25'))).toBe(true);
    expect(bytesOf('kind.opbi', '--cell-size', '0.3').equals(bytesOf('level.obj'))).toBe(true);
    const { cache, mesh } = engine.buildTileCache(level, settings);
    cache.addObstacle({ shape: 'cylinder', base: [0, 0, 0], radius: 3, height: 2 }); // shuts the door
    writeFileSync(file('kind.crtc'), cache.save());
    cache.update(mesh);
    const replay = engine.openReplay(bytesOf('kind.crtc'));
    expect(engine.createPlayer(replay).mesh.polygonOutlines().positions).toEqual(mesh.polygonOutlines().positions);
  });

  it('refuses what is no level, and settings for what is built', async () => {
    const engine = await loadCrowdreel();
    const { mesh, cache } = engine.buildTileCache(level, { tileCells: 48 });
    writeFileSync(file('ready.crnm'), mesh.save());
    writeFileSync(file('ready.crtc'), cache.save());
    writeFileSync(file('referenced.crnm'), mesh.save({ mode: 'referenced' }));
    writeFileSync(file('cut.crnm'), mesh.save().subarray(0, 500));
    for (const [name, flags, message] of [
      ['run.oprp', [], /^crowdreel: run\.oprp: It is a replay, not a level/],
      ['referenced.crnm', [], /^crowdreel: referenced\.crnm: It is a referenced snapshot: .* of its 4 tiles/],
      ['cut.crnm', [], /^crowdreel: cut\.crnm: navigation mesh: mesh\.size at byte 8 /],
      ['ready.crnm', ['--cell-size', '0.3'], /^crowdreel: ready\.crnm: .*: --cell-size cannot change it/],
      ['ready.crtc', ['--partition', '1'], /^crowdreel: ready\.crtc: .*: --partition cannot change it/],
      ['level.obj', ['-o', 'nowhere/x.oprp'], /^crowdreel: nowhere\/x\.oprp: There is no folder nowhere/],
    ] as const) {
      const { status, stderr } = crowdreel('record', name, '-o', 'no.oprp', ...flags);
      expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
    expect(existsSync(file('no.oprp'))).toBe(false);
  });

  it('holds all five operations, keeps the number of agents, and lets them arrive', async () => {
    const [result] = crowdreel('record', 'level.obj', ...recordFlags, '-o', 'json.oprp', '--json').json();
    expect(result).toMatchObject({
      file: 'json.oprp',
      steps: 1200,
      dt: 1 / 30,
      bytes: readFileSync(file('json.oprp')).length,
    });
    const { operations, agents, withGoal, reached } = result as { operations: Record<string, number> } & Record<
      string,
      number
    >;
    for (const name of ['Add', 'Remove', 'SetDestination', 'Stop', 'Teleport'])
      expect(operations[name], name).toBeGreaterThan(0);
    expect(agents).toBe(operations.Add);
    expect(agents! - operations.Remove!).toBe(12);
    expect(withGoal).toBe(agents);
    expect(reached! / withGoal!).toBeGreaterThanOrEqual(0.95);
    const engine = await loadCrowdreel();
    const replay = engine.openReplay(readFileSync(file('json.oprp')));
    const player = engine.createPlayer(replay);
    player.seek(1200);
    expect([player.firstMismatch, player.crowd.agentCount, replay.info.stepCount]).toEqual([-1, 12, 1200]);
    expect(hash(player.crowd.stateHash())).toBe(result!.hash);
  });

  it('holds all five operations in a short run too', () => {
    const [result] = crowdreel(
      'record',
      'level.obj',
      '--agents',
      '3',
      '--steps',
      '16',
      '-o',
      'short.oprp',
      '--json',
    ).json();
    for (const [name, n] of Object.entries(result!.operations as Record<string, number>))
      expect(n, name).toBeGreaterThan(0);
  });

  it('says what is wrong', () => {
    const flat = floorWithWalls(1, []);
    writeFileSync(file('tiny.obj'), flat.obj);
    expect(crowdreel('record', 'tiny.obj', '-o', 'x').stderr).toMatch(/tiny\.obj: It has no walkable surface/);
    for (const [flag, value] of [
      ['--agents', '0'],
      ['--steps', '1.5'],
      ['--dt', '1/0'],
      ['--dt', '-1'],
      ['--seed', '-1'],
      ['--seed', '18446744073709551616'],
    ] as const) {
      const result = crowdreel('record', 'level.obj', '-o', 'x', `${flag}=${value}`);
      expect([flag, value, result.status]).toEqual([flag, value, 1]);
      expect(result.stderr).not.toBe('');
    }
  });
});

describe('info', () => {
  it('describes a replay', () => {
    const { status, stdout } = crowdreel('info', 'run.oprp');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^run\.oprp: replay\n/);
    expect(stdout).toMatch(/steps +1,200 of 0\.0333/);
    const [info] = crowdreel('info', 'run.oprp', '--json').json();
    expect(info).toMatchObject({
      kind: 'replay',
      stepCount: 1200,
      seconds: 40,
      startStep: 0,
      agentsAtStart: 0,
      options: { maxAgents: 12 },
    });
  });

  it('describes build input and setup blocks', async () => {
    const engine = await loadCrowdreel();
    writeFileSync(file('level.opbi'), engine.writeBuildInput(level, { cellSize: 0.25 }));
    const { mesh } = engine.buildNavMesh(level);
    const crowd = engine.createCrowd(mesh);
    crowd.add([0, 0, 5]);
    crowd.step(1 / 60);
    writeFileSync(file('setup.oprs'), engine.createRecorder(crowd, { dt: 1 / 60 }).writeSnapshot());
    expect(crowdreel('info', 'level.opbi', '--json').json()).toMatchObject([
      { kind: 'build input', triangleCount: 42, settings: { cellSize: 0.25 } },
    ]);
    expect(crowdreel('info', 'setup.oprs', '--json').json()).toMatchObject([
      { kind: 'setup block', startStep: 1, agentsAtStart: 1 },
    ]);
    expect(crowdreel('info', 'setup.oprs').stdout).toMatch(/starts at +step 1 with 1 agent$/m);
    expect(crowdreel('info', 'level.opbi').stdout).toMatch(/^ {4}cell-size +0\.25$/m);
  });

  it('builds build input when asked to', async () => {
    const engine = await loadCrowdreel();
    const settings = { cellSize: 0.25, partition: 1 } as const;
    writeFileSync(file('built.opbi'), engine.writeBuildInput(level, settings));
    const { report } = engine.buildNavMesh(level, settings);
    const { stageSeconds, ...counts } = report;
    const [info] = crowdreel('info', 'built.opbi', '--build', '--json').json();
    expect(info).toMatchObject({ kind: 'build input', triangleCount: 42, report: counts });
    expect(Object.keys((info!.report as BuildReport).stageSeconds)).toEqual(Object.keys(stageSeconds));
    const { stdout } = crowdreel('info', 'built.opbi', '--build');
    expect(stdout).toMatch(/^ {4}partition +monotone$/m);
    expect(stdout).toMatch(new RegExp(`^ {2}polygons +${report.polygons}$`, 'm'));
    expect(crowdreel('info', 'run.oprp', '--build')).toMatchObject({
      status: 1,
      stderr: 'crowdreel: run.oprp: It is a replay: --build is for build input.\n',
    });
  });

  it('describes meshes: tiles, areas, off-mesh links', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(
      {
        ...level,
        volumes: [{ shape: 'box', center: [0, 0, 8], size: [4, 2, 4], area: 5 }],
        offMeshLinks: [
          { start: [-8, 0, -3], end: [-8, 0, 3], radius: 1 },
          { start: [8, 0, -3], end: [80, 0, 3], radius: 1, userId: 7 },
        ],
      },
      { tileCells: 48 },
    );
    writeFileSync(file('rich.crnm'), mesh.save());
    const [info] = crowdreel('info', 'rich.crnm', '--json').json();
    const areas: Record<string, number> = {};
    for (const area of mesh.polygonOutlines().areas) areas[area] = (areas[area] ?? 0) + 1;
    expect(Object.keys(areas)).toEqual(['0', '5']);
    expect(info).toMatchObject({
      kind: 'navigation mesh',
      mode: 'full',
      polygonCount: mesh.polygonCount,
      tileCount: mesh.tileCount,
      editCount: Number(mesh.editCount),
      params: mesh.params,
      bounds: mesh.bounds(),
      areas,
      offMeshLinks: { count: 2, openCount: 1, open: [{ userId: 7, connected: false, ends: { end: null } }] },
      tiles: mesh.tiles().map(({ contentHash, ...tile }) => ({ ...tile, contentHash: hash(contentHash) })),
    });
    const { stdout } = crowdreel('info', 'rich.crnm');
    expect(stdout).toMatch(/^rich\.crnm: navigation mesh\n/);
    expect(stdout).toMatch(new RegExp(`^ {2}areas +0: ${areas[0]} polygons, 5: ${areas[5]} polygons?$`, 'm'));
    expect(stdout).toMatch(/^ {2}tiles +4: x 0 to 1, z 0 to 1$/m);
    expect(stdout).toMatch(/^ {2}side of a tile +14\.4$/m);
    expect(stdout).toMatch(/^ {2}off-mesh links +2, 1 not connected$/m);
    expect(stdout).toMatch(/^ {2}not connected .* to \(80\.00, 0\.00, 3\.00\), user id 7: no polygon near its end$/m);
  });

  it('describes referenced snapshots: which tiles they need', async () => {
    const engine = await loadCrowdreel();
    const { mesh } = engine.buildNavMesh(level, { tileCells: 48 });
    const bytes = mesh.save({ mode: 'referenced' });
    writeFileSync(file('needs.crnm'), bytes);
    const needs = engine.snapshotTiles(bytes);
    const [info] = crowdreel('info', 'needs.crnm', '--json').json();
    expect(info).toMatchObject({
      kind: 'navigation mesh without its tiles',
      mode: 'referenced',
      tileCount: needs.length,
      params: mesh.params,
      needs: needs.map((need) => ({ ...need, contentHash: hash(need.contentHash) })),
    });
    const { stdout } = crowdreel('info', 'needs.crnm');
    for (const { contentHash, x, z, size } of needs) {
      expect(stdout).toContain(`${hash(contentHash)}  x ${x}, z ${z}, layer 0: ${size.toLocaleString('en-US')} bytes`);
    }
  });

  it('describes tile caches', async () => {
    const engine = await loadCrowdreel();
    const { cache } = engine.buildTileCache(level, { tileCells: 48, partition: 2 });
    cache.addObstacle({ shape: 'cylinder', base: [0, 0, 0], radius: 1.5, height: 2 });
    cache.addObstacle({ shape: 'box', center: [5, 1, 0], size: [1, 2, 1], area: 4 });
    const triangle = { shape: 'convex', corners: [[1, 1], [3, 1], [2, 3]], minY: 0, maxY: 2 } as const; // prettier-ignore
    cache.addObstacle(triangle);
    writeFileSync(file('some.crtc'), cache.save());
    const { info: held, pendingTiles, params, settings } = cache;
    const [info] = crowdreel('info', 'some.crtc', '--json').json();
    expect(info).toMatchObject({
      kind: 'tile cache',
      ...held,
      bytesPerLayer: held.packedSize / held.layerCount,
      pendingTiles,
      params,
      settings,
      obstacles: JSON.parse(JSON.stringify(cache.obstacles())) as object[],
    });
    expect(pendingTiles).toBeGreaterThan(0);
    const { stdout } = crowdreel('info', 'some.crtc');
    expect(stdout).toMatch(new RegExp(`^ {2}tiles +${held.tileCount} with ground, of a grid of 2 by 2$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^ {2}waiting for update +${pendingTiles} tiles?$`, 'm'));
    expect(stdout).toMatch(/^ {2}obstacles +3$/m);
    expect(stdout).toContain('number 1: cylinder at (0.00, 0.00, 0.00), radius 1.5, height 2, blocks');
    expect(stdout).toContain('number 2: box at (5.00, 1.00, 0.00), size (1.00, 2.00, 1.00), gives area 4');
    expect(stdout).toContain('number 3: prism of 3 corners, y 0 to 2, blocks');
    expect(stdout).toMatch(/^ {4}partition +layers$/m);
    expect(stdout).toMatch(/^ {4}tile-cells +48 cells$/m);

    for (let i = 4; i <= 25; i++) cache.addObstacle({ shape: 'box', center: [i - 12, 1, 4], size: [1, 1, 1] });
    writeFileSync(file('many.crtc'), cache.save());
    const many = crowdreel('info', 'many.crtc').stdout;
    expect(many).toMatch(/number 20: box .*\n +and 5 more\n {2}settings\n/);
    expect(crowdreel('info', 'many.crtc', '--json').json()[0]!.obstacles).toHaveLength(25);
  });

  it('refuses what it does not know, and damage, naming file, field and byte', async () => {
    const engine = await loadCrowdreel();
    const { mesh, cache } = engine.buildTileCache(level, { tileCells: 48 });
    const crowd = engine.createCrowd(mesh);
    const wholes = {
      'replay.oprp': readFileSync(file('run.oprp')),
      'setup.oprs': engine.createRecorder(crowd, { dt: 1 / 60 }).writeSnapshot(),
      'mesh.crnm': mesh.save(),
      'references.crnm': mesh.save({ mode: 'referenced' }),
      'cache.crtc': cache.save(),
      'input.opbi': engine.writeBuildInput(level),
    };
    for (const [name, bytes] of Object.entries(wholes)) {
      writeFileSync(file(name), bytes.subarray(0, 70));
      const { status, stdout, stderr } = crowdreel('info', name);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(new RegExp(`^crowdreel: ${name}: [a-z ]+: [A-Za-z.]+ at byte \\d+ is missing: .*\\n$`));
      const [result] = crowdreel('info', name, '--json').json();
      expect(result).toMatchObject({
        error: {
          file: name,
          status: 'Truncated',
          offset: expect.any(Number) as number,
          field: expect.any(String) as string,
        },
      });
    }
    expect(crowdreel('info', 'level.obj')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^crowdreel: level\.obj: .*begins with other bytes/) as string,
    });
    expect(crowdreel('info', 'gone.crnm')).toMatchObject({
      status: 1,
      stderr: 'crowdreel: gone.crnm: There is no such file.\n',
    });
  });
});

describe('verify', () => {
  it('of an exact replay: exit 0', () => {
    const { status, stdout } = crowdreel('verify', 'run.oprp');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^run\.oprp: exact, 1,200 steps, [\d,]+ steps\/s\n$/)]);
    const [verdict] = crowdreel('verify', '--json', 'run.oprp').json();
    expect(verdict).toMatchObject({ file: 'run.oprp', outcome: 'exact', steps: 1200, played: 1200 });
    expect(verdict!.stepsPerSecond).toBeGreaterThan(0);
  });

  it('of a diverging replay: exit 2 and the first step', () => {
    const bytes = readFileSync(file('run.oprp'));
    bytes[bytes.length - 1]! ^= 0x80;
    writeFileSync(file('diverged.oprp'), bytes);
    const { status, stdout } = crowdreel('verify', 'diverged.oprp');
    expect([status, stdout]).toEqual([
      2,
      expect.stringMatching(/^diverged\.oprp: differs from step 1199 of 1200 on: recorded 0x[0-9a-f]{16}, played 0x/),
    ]);
    const [verdict] = crowdreel('verify', '--json', 'diverged.oprp').json();
    const { recorded, actual } = (verdict as { firstDifference: { recorded: string; actual: string } }).firstDifference;
    expect(verdict).toMatchObject({ outcome: 'diverged', played: 1200, firstDifference: { step: 1199 } });
    expect(BigInt(recorded) ^ BigInt(actual)).toBe(0x80n << 56n);
  });

  it('of a damaged file or none: exit 1 and where', () => {
    writeFileSync(file('cut.oprp'), readFileSync(file('run.oprp')).subarray(0, 5000));
    const { status, stdout } = crowdreel('verify', 'cut.oprp');
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^cut\.oprp: unreadable: .* at byte \d+ /)]);
    const [verdict] = crowdreel('verify', '--json', 'cut.oprp').json();
    expect(verdict).toMatchObject({
      outcome: 'unreadable',
      error: { status: 'Truncated', offset: expect.any(Number) as number },
    });
    expect(crowdreel('verify', 'gone.oprp')).toMatchObject({
      status: 1,
      stdout: 'gone.oprp: unreadable: There is no such file.\n',
    });
    crowdreel('build', 'level.obj', '-o', 'level.crnm');
    expect(crowdreel('verify', 'level.crnm')).toMatchObject({
      status: 1,
      stdout: 'level.crnm: unreadable: It is a navigation mesh, not a replay.\n',
    });
  });

  it('of several files: one line each, and the highest code', () => {
    const bytes = readFileSync(file('run.oprp'));
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(file('a.oprp'), bytes);
    writeFileSync(file('b.oprp'), bytes.subarray(0, 100));
    const { status, stdout, json } = crowdreel('verify', 'run.oprp', 'b.oprp', 'a.oprp', '--json');
    expect([status, stdout.trim().split('\n').length]).toEqual([2, 3]);
    expect(json().map(({ outcome }) => outcome)).toEqual(['exact', 'unreadable', 'diverged']);
    expect(crowdreel('verify', 'run.oprp', 'b.oprp').status).toBe(1);
  });
});

describe('the program', () => {
  it('explains itself', () => {
    const { status, stdout } = crowdreel('--help');
    expect(status).toBe(0);
    for (const word of ['build', 'record', 'info', 'verify', 'Exit codes']) expect(stdout).toContain(word);
    expect(crowdreel('verify', '--help').stdout).toMatch(/2 {2}diverged/);
    expect(crowdreel('record', '--help').stdout).toMatch(/--dt <seconds> .*\(default:\s+1\/60\)/);
    expect(crowdreel('build', '--help').stdout).toMatch(/--cell-size <number> +side of a voxel \(default: 0\.3\)/);
    expect(crowdreel('info', '--help').status).toBe(0);
    expect(crowdreel('--version').stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('refuses commands and options it does not know', () => {
    expect(crowdreel('dance').status).toBe(1);
    expect(crowdreel('verify', '--fast', 'run.oprp').status).toBe(1);
    expect(crowdreel('verify').status).toBe(1);
  });

  it('draws random numbers as splitmix64 does', () => {
    const random = new Random(1234567n); // reference values: Vigna's splitmix64.c with that seed
    expect([random.bits(), random.bits(), random.bits()]).toEqual([
      6457827717110365317n,
      3203168211198807973n,
      9817491932198370423n,
    ]);
    const low = Array.from({ length: 1000 }, () => random.below(7));
    expect(new Set(low)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6]));
  });
});
