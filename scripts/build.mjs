// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds parts of the project: `node scripts/build.mjs wasm|ts|demo|native ...`. Each part is skipped when nothing it is made
// from has changed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, say, upToDate } from './lib.mjs';

const NATIVE_FLAGS = ['-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_C_COMPILER=gcc'];

function configure(folder, command, args) {
  if (existsSync(join(root, folder, 'build.ninja'))) return;
  run(command, args, { quiet: true });
}

/** The module and its variant with threads, as `[build folder, file, more definitions]`. */
const MODULES = [
  ['build/wasm', 'crowdreel.wasm', []],
  ['build/wasm-threads', 'crowdreel-threads.wasm', ['-DCR_WASM_THREADS=ON']],
];

export function buildWasm() {
  const all = MODULES.every(([folder, file]) => existsSync(join(root, folder, file)));
  say(`engine (WebAssembly)${all ? '' : ': two minutes the first time'}`);
  for (const [folder, , definitions] of MODULES) {
    const source = ['-G', 'Ninja', '-S', '.', '-B', folder, '-DCMAKE_BUILD_TYPE=Release'];
    configure(folder, 'emcmake', ['cmake', ...source, ...definitions]);
    run('ninja', ['-C', folder, '--quiet', 'crowdreel_wasm'], { quiet: true });
  }
}

export function buildNative() {
  say('engine (native)');
  configure('build/native', 'cmake', ['-G', 'Ninja', '-S', '.', '-B', 'build/native', ...NATIVE_FLAGS]);
  run('ninja', ['-C', 'build/native', '--quiet'], { quiet: true });
}

export function buildTs() {
  if (
    !upToDate('ts/dist/.built', [
      'ts/src',
      'ts/build.mjs',
      'ts/package.json',
      'ts/tsconfig.json',
      ...MODULES.map(([folder, file]) => join(folder, file)),
    ])
  ) {
    say('package (TypeScript)');
    run('npm', ['run', '--silent', 'build', '-w', 'crowdreel']);
  }
  if (!upToDate('build/scenes/scene.js', ['tests/scenes/scene.ts', 'tests/scenes/tsconfig.json', 'ts/dist/.built'])) {
    run('npx', ['tsc', '-p', 'tests/scenes/tsconfig.json']);
  }
}

export function buildDemo() {
  const inputs = [
    'web-demo/src',
    'web-demo/index.html',
    'web-demo/vite.config.ts',
    'web-demo/package.json',
    'tests/scenes',
    'ts/dist/.built',
  ];
  if (upToDate('web-demo/dist/index.html', inputs)) return;
  say('viewer');
  run('npm', ['run', '--silent', 'build', '-w', 'web-demo']);
}

const PARTS = { wasm: buildWasm, ts: buildTs, demo: buildDemo, native: buildNative };

if (import.meta.filename === process.argv[1]) {
  for (const part of process.argv.slice(2)) {
    if (!PARTS[part]) {
      console.error(`unknown part "${part}": ${Object.keys(PARTS).join(', ')}`);
      process.exit(2);
    }
    PARTS[part]();
  }
}
