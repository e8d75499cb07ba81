// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The WebAssembly engine in Node against the golden hashes, step by step, and native recordings verified here.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCrowdreel } from 'crowdreel';
import { describe, expect, it } from 'vitest';
import { SceneRunner, parseScene } from '../scenes/scene.js';
import { fnv1a, hex } from '../scenes/fnv.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Golden {
  mesh: string;
  replay: string;
  steps: string[];
}
const golden = JSON.parse(readFileSync(join(root, 'tests/golden/hashes.json'), 'utf8')) as {
  scenes: Record<string, Golden>;
};
const sceneNames = readdirSync(join(root, 'tests/scenes'))
  .filter((name) => name.endsWith('.scene'))
  .map((name) => name.slice(0, -'.scene'.length));

describe('golden hashes', () => {
  it('cover every scene', () => {
    expect(Object.keys(golden.scenes).sort()).toEqual(sceneNames.sort());
    expect(sceneNames.length).toBeGreaterThanOrEqual(4);
  });

  it.each(sceneNames)('%s: every step, the mesh and the replay file', { timeout: 120_000 }, async (name) => {
    const engine = await loadCrowdreel();
    const scene = parseScene(readFileSync(join(root, `tests/scenes/${name}.scene`), 'utf8'));
    const runner = new SceneRunner(engine, scene);
    const expected = golden.scenes[name]!;
    expect(expected.steps).toHaveLength(scene.steps);
    expect(hex(fnv1a(runner.mesh.save()))).toBe(expected.mesh);
    for (let step = 0; step < scene.steps; step++) {
      const hash = hex(runner.step());
      if (hash !== expected.steps[step]) expect.fail(`step ${step}: ${hash} instead of ${expected.steps[step]}`);
    }
    expect(hex(fnv1a(runner.recorder.save()))).toBe(expected.replay);
    runner.dispose();
  });
});

describe('recordings cross platforms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crowdreel-'));

  it(
    'a native recording plays exactly in wasm, and a wasm one natively, with the same bytes',
    { timeout: 120_000 },
    async () => {
      const nativeFile = join(folder, 'native.oprp');
      const scenario = join(root, 'build/native/crowdreel_run_scenario');
      execFileSync(scenario, ['-o', nativeFile, 'tests/scenes/level.scene'], { cwd: root, maxBuffer: 1 << 28 });
      const engine = await loadCrowdreel();
      const bytes = new Uint8Array(readFileSync(nativeFile));
      const replay = engine.openReplay(bytes);
      expect(replay.findMismatch()).toBe(-1);
      expect(Buffer.from(replay.write()).equals(Buffer.from(bytes))).toBe(true);
      const output = execFileSync(join(root, 'build/native/crowdreel_verify'), [nativeFile], { encoding: 'utf8' });
      expect(output).toMatch(/exact/);
      replay.dispose();
      rmSync(folder, { recursive: true });
    },
  );
});
