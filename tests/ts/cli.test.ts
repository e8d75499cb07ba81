// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The command line, end to end on a small level.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCrowdreel } from 'crowdreel';
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

const recordFlags = ['--agents', '12', '--steps', '1200', '--dt', '1/30', '--seed', '7'];

beforeAll(() => {
  writeFileSync(file('level.obj'), level.obj);
  const { status, stderr } = crowdreel('record', 'level.obj', ...recordFlags, '-o', 'run.oprp');
  expect([status, stderr]).toEqual([0, '']);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('build', () => {
  it('writes a mesh', async () => {
    const { status, stdout } = crowdreel('build', 'level.obj', '-o', 'level.crnm');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^level\.crnm: \d+ polygons from 42 triangles\n/);
    const engine = await loadCrowdreel();
    const mesh = engine.loadNavMesh(readFileSync(file('level.crnm')));
    expect(mesh.save()).toEqual(engine.buildNavMesh(level).mesh.save());
  });

  it('takes every setting as a flag', () => {
    const flags = [
      '--cell-size',
      '0.2',
      '--cell-height=0.1',
      '--agent-radius',
      '0.4',
      '--agent-height',
      '1.8',
      '--walkable-climb',
      '0.5',
    ];
    flags.push(
      '--max-slope',
      '50',
      '--contour-max-error',
      '1/4',
      '--max-edge-length',
      '8',
      '--detail-sample-distance',
      '2',
    );
    flags.push(
      '--detail-max-error',
      '0.1',
      '--min-region-area',
      '8',
      '--merge-region-area',
      '20',
      '--max-verts-per-poly',
      '5',
    );
    flags.push('--partition', '0', '--tile-cells', '48');
    const [result] = crowdreel('build', 'level.obj', '-o', 'tiled.crnm', '--json', ...flags).json();
    expect(result).toMatchObject({ file: 'tiled.crnm', tiles: 9, tilesBuilt: 9, trianglesUsed: 42 });
    const [info] = crowdreel('info', '--json', 'tiled.crnm').json();
    expect(info).toMatchObject({
      kind: 'navigation mesh',
      tileCount: 9,
      params: { agentRadius: 0.4, agentHeight: 1.8 },
    });
  });

  it('says what is wrong', () => {
    writeFileSync(file('bad.obj'), 'v 0 0 0\nf 1 2 3\n');
    writeFileSync(file('empty.obj'), 'hello\n');
    expect(crowdreel('build', 'bad.obj', '-o', 'x')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'crowdreel: OBJ line 2: vertex 2 does not exist: there are 1 so far.\n',
    });
    expect(crowdreel('build', 'empty.obj', '-o', 'x')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/empty\.obj has no faces/) as string,
    });
    expect(crowdreel('build', 'gone.obj', '-o', 'x')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/no such file.*gone\.obj/) as string,
    });
    expect(crowdreel('build', 'level.obj', '-o', 'x', '--cell-size', '0')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/settings\.cellSize/) as string,
    });
    expect(crowdreel('build', 'level.obj', '-o', 'x', '--cell-size', 'small').stderr).toMatch(/not a number/);
    expect(crowdreel('build', 'level.obj').status).toBe(1);
    expect(crowdreel('build', 'bad.obj', '-o', 'x', '--json').json()).toEqual([
      { error: { message: 'OBJ line 2: vertex 2 does not exist: there are 1 so far.', line: 2 } },
    ]);
  });
});

describe('record', () => {
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
    expect(`0x${player.crowd.stateHash().toString(16).padStart(16, '0')}`).toBe(result!.hash);
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
    expect(crowdreel('record', 'tiny.obj', '-o', 'x').stderr).toMatch(/tiny\.obj has no walkable surface/);
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
    expect(crowdreel('info', 'setup.oprs').stdout).toMatch(/starts at +step 1 with 1 agents/);
    expect(crowdreel('info', 'level.opbi').stdout).toMatch(/cellSize +0\.25/);
  });

  it('refuses what it does not know, and damage', () => {
    expect(crowdreel('info', 'level.obj')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/begins with other bytes/) as string,
    });
    writeFileSync(file('cut.oprp'), readFileSync(file('run.oprp')).subarray(0, 5000));
    const [result] = crowdreel('info', 'cut.oprp', '--json').json();
    expect(result).toMatchObject({
      error: { status: 'Truncated', offset: expect.any(Number) as number, field: expect.any(String) as string },
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
      stdout: expect.stringMatching(/no such file/) as string,
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
