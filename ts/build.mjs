// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds the package into dist/: TypeScript, the module and its variant with threads beside it, and the module as text for the embedded entry.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const wasm = process.env.CROWDREEL_WASM ?? here('../build/wasm/crowdreel.wasm');
const threadsWasm = process.env.CROWDREEL_THREADS_WASM ?? here('../build/wasm-threads/crowdreel-threads.wasm');

for (const file of [wasm, threadsWasm]) {
  if (existsSync(file)) continue;
  console.error(`${file} is missing: build the module first (npm run build in the checkout).`);
  process.exit(1);
}
const began = new Date();
rmSync(here('dist'), { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', here('tsconfig.json')], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

copyFileSync(wasm, here('dist/crowdreel.wasm'));
copyFileSync(threadsWasm, here('dist/crowdreel-threads.wasm'));
const base64 = readFileSync(wasm).toString('base64');
writeFileSync(here('dist/embedded-wasm.js'), `export const wasmBase64 = '${base64}';\n`);
copyFileSync(here('src/embedded-wasm.d.ts'), here('dist/embedded-wasm.d.ts'));
// The stamp is of the start: a source saved meanwhile is newer.
writeFileSync(here('dist/.built'), '');
utimesSync(here('dist/.built'), began, began);
