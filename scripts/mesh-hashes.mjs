// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The same meshes and followers from every compiler: test programs print `meshes: COUNT HASH` over all they noted; here the lines of gcc and
// clang builds and of the WebAssembly ones are compared with tests/golden/meshes.json.
//   node scripts/mesh-hashes.mjs check     all builds
//   node scripts/mesh-hashes.mjs update    writes the golden file from the gcc release build
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildNative } from './build.mjs';
import { nodeFlags, root, run, say, variant } from './lib.mjs';

const GOLDEN = join(root, 'tests/golden/meshes.json');
/** Programs that are built and run everywhere (wasm/mesh_tests.cmake takes them from the same place). */
const PROGRAMS = Object.keys(JSON.parse(readFileSync(GOLDEN, 'utf8')));

/** Runs a program at scale 1; gives its output, or null when it failed. */
function output(command, args) {
  const env = { ...process.env, CR_TEST_SCALE: '1' };
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 600_000 },
      (error, stdout) => resolve(error ? null : stdout),
    );
  });
}

const meshLine = (text) => /^meshes: (\d+ [0-9a-f]{16})$/m.exec(text ?? '')?.[1] ?? null;
/** The digests after each level, for naming the first that differs. */
const levelLines = (text) =>
  [...(text ?? '').matchAll(/^ {2}(\S+) +([0-9a-f]{16})$/gm)].map((match) => ({ level: match[1], hash: match[2] }));

function buildWasmPrograms() {
  const folder = 'build/wasm';
  if (!existsSync(join(root, folder, 'build.ninja'))) {
    run('emcmake', ['cmake', '-G', 'Ninja', '-S', '.', '-B', folder, '-DCMAKE_BUILD_TYPE=Release'], { quiet: true });
  }
  run('ninja', ['-C', folder, '--quiet', 'mesh_tests'], { quiet: true });
  return folder;
}

const native = (label, folder) => ({
  label,
  run: (program) => output(join(root, folder(), program), []),
});

/** Each build with how to run one of its programs. Folders are built when the first program of a build is asked for. */
function builds() {
  const optimised = (level) => ({ CMAKE_BUILD_TYPE: 'Release', CR_OPTIMIZE: level });
  const clang = variant('golden-clang-O2', 'clang', optimised('-O2'), PROGRAMS);
  const plain = variant('golden-gcc-O0', 'gcc', optimised('-O0'), PROGRAMS);
  const wasm = buildWasmPrograms();
  return [
    native('gcc release', () => 'build/native'),
    native('clang -O2', () => clang),
    native('gcc -O0', () => plain),
    {
      label: 'wasm',
      run: (program) =>
        output(process.execPath, [
          ...nodeFlags,
          '--no-warnings',
          import.meta.filename,
          'run',
          join(wasm, `${program}.wasm`),
        ]),
    },
  ];
}

function difference(program, golden, text) {
  const line = meshLine(text);
  if (line === null) return 'failed';
  if (line === golden[program]?.meshes) return null;
  const first = levelLines(text).find(({ level, hash }) => golden[program]?.levels?.[level] !== hash);
  return `${line} instead of ${golden[program]?.meshes}${first ? `, first at "${first.level}"` : ''}`;
}

/** Compares every program of every build, two at a time: [{ label, program, difference: null or text }]. */
export async function compareMeshes() {
  const golden = JSON.parse(readFileSync(GOLDEN, 'utf8'));
  const jobs = builds().flatMap((build) => PROGRAMS.map((program) => ({ build, program })));
  const results = [];
  const worker = async () => {
    for (let job = jobs.shift(); job; job = jobs.shift()) {
      const text = await job.build.run(job.program);
      results.push({
        label: job.build.label,
        program: job.program,
        difference: difference(job.program, golden, text),
      });
    }
  };
  await Promise.all([worker(), worker()]);
  return results;
}

/** The lines of all tests of a ctest run, by the name of the test. */
export function meshLinesOfLog(folder) {
  const log = readFileSync(join(root, folder, 'Testing/Temporary/LastTest.log'), 'utf8');
  const lines = {};
  for (const part of log.split(/^\d+\/\d+ Testing: /m).slice(1)) {
    const line = meshLine(part);
    if (line !== null) lines[part.slice(0, part.indexOf('\n'))] = line;
  }
  return lines;
}

async function update() {
  buildNative();
  const golden = {};
  for (const program of PROGRAMS) {
    const text = await output(join(root, 'build/native', program), []);
    if (meshLine(text) === null) throw new Error(`${program} failed`);
    const levels = Object.fromEntries(levelLines(text).map(({ level, hash }) => [level, hash]));
    golden[program] = Object.keys(levels).length > 0 ? { meshes: meshLine(text), levels } : { meshes: meshLine(text) };
  }
  writeFileSync(GOLDEN, `${JSON.stringify(golden, null, 2)}\n`);
}

/** Runs a WASI program in this process. */
async function runWasm(path) {
  const { WASI } = await import('node:wasi');
  const { WebAssembly } = globalThis;
  const wasi = new WASI({ version: 'preview1', args: [path], env: process.env, returnOnExit: true });
  const imports = { ...wasi.getImportObject(), env: { emscripten_notify_memory_growth() {} } };
  const { instance } = await WebAssembly.instantiate(readFileSync(join(root, path)), imports);
  process.exitCode = wasi.start(instance);
}

if (import.meta.filename === process.argv[1]) {
  const [command, path] = process.argv.slice(2);
  if (command === 'update') await update();
  else if (command === 'run') await runWasm(path);
  else if (command === 'check') {
    say('meshes of every compiler');
    buildNative();
    for (const { label, program, difference: text } of await compareMeshes()) {
      console.log(`${label} ${program}: ${text ?? 'equal'}`);
      if (text) process.exitCode = 1;
    }
  } else {
    console.error('usage: node scripts/mesh-hashes.mjs check|update');
    process.exitCode = 2;
  }
}
