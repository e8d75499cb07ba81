// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Golden hashes: tests/golden/hashes.json holds, for every scene, the hash of its mesh, of its replay file and of the state after
// each step. `node scripts/golden.mjs check BINARY` compares a native build; `update BINARY` rewrites the file, which is
// allowed only together with a version bump and a line in CHANGELOG.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { root } from './lib.mjs';

const goldenFile = `${root}tests/golden/hashes.json`;

export const sceneFiles = () =>
  readdirSync(`${root}tests/scenes`)
    .filter((name) => name.endsWith('.scene'))
    .sort()
    .map((name) => `tests/scenes/${name}`);

function runScenes(binary) {
  const text = execFileSync(binary, sceneFiles(), { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
  const scenes = {};
  for (const line of text.trim().split('\n')) {
    const { scene, mesh, replay, steps } = JSON.parse(line);
    scenes[scene] = { mesh, replay, steps };
  }
  return scenes;
}

/** Returns one line per scene: null when equal, else what differs first. */
export function compare(binary) {
  const golden = JSON.parse(readFileSync(goldenFile, 'utf8')).scenes;
  const found = runScenes(binary);
  return Object.keys({ ...golden, ...found }).map((scene) => ({
    scene,
    difference: difference(golden[scene], found[scene]),
  }));
}

function difference(golden, found) {
  if (!golden) return 'has no golden hashes';
  if (!found) return 'was not run';
  if (golden.mesh !== found.mesh) return `mesh ${found.mesh} instead of ${golden.mesh}`;
  const step = golden.steps.findIndex((hash, i) => hash !== found.steps[i]);
  if (step >= 0) return `step ${step}: ${found.steps[step]} instead of ${golden.steps[step]}`;
  if (golden.steps.length !== found.steps.length)
    return `${found.steps.length} steps instead of ${golden.steps.length}`;
  return golden.replay === found.replay ? null : `replay file ${found.replay} instead of ${golden.replay}`;
}

function update(binary) {
  const { version } = JSON.parse(readFileSync(`${root}ts/package.json`, 'utf8'));
  const scenes = Object.entries(runScenes(binary)).map(
    ([name, { mesh, replay, steps }]) =>
      `    "${name}": {\n      "mesh": "${mesh}",\n      "replay": "${replay}",\n      "steps": [\n` +
      steps.map((hash) => `        "${hash}"`).join(',\n') +
      '\n      ]\n    }',
  );
  writeFileSync(goldenFile, `{\n  "version": "${version}",\n  "scenes": {\n${scenes.join(',\n')}\n  }\n}\n`);
}

if (import.meta.filename === process.argv[1]) {
  const [command, binary = 'build/native/crowdreel_run_scenario'] = process.argv.slice(2);
  if (command === 'update') update(binary);
  else if (command === 'check') {
    for (const { scene, difference } of compare(binary)) {
      console.log(`${scene}: ${difference ?? 'equal'}`);
      if (difference) process.exitCode = 1;
    }
  } else {
    console.error('usage: node scripts/golden.mjs check|update [BINARY]');
    process.exitCode = 2;
  }
}
