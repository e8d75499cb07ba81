// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Runs the fuzzers: `npm run fuzz -- [--minutes N] [--target NAME] [--jobs J]` (1 minute each, all targets, 2 at a time).
// Everything is below build/fuzz: corpus/<target> grows from run to run, crashes/<target> keeps what stopped a target. Exit 1 when
// anything crashed, hung, leaked, took too much memory or broke an oracle.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run, say } from './lib.mjs';

const FOLDER = 'build/fuzz';

// The largest single allocation a target may make, in MB: proof that short inputs (below 12 KB) take bounded memory. The targets bound the
// sum of what the engine takes themselves. A replay may name 2^20 query nodes (75 MB); a tile cache one tile of 2^24 spans (1 GB).
const MALLOC_LIMIT = { tile_cache: 1100, any: 128 };
const limits = (name) => [
  '-timeout=10',
  '-rss_limit_mb=2048',
  `-malloc_limit_mb=${MALLOC_LIMIT[name] ?? MALLOC_LIMIT.any}`,
];

function targets() {
  return readdirSync(join(root, 'native/fuzz'))
    .map((file) => /^fuzz_(\w+)\.c$/.exec(file)?.[1])
    .filter((name) => name && name !== 'main')
    .sort();
}

function build(names) {
  say('fuzzers');
  if (!existsSync(join(root, FOLDER, 'build.ninja'))) {
    const flags = ['-DCR_FUZZ=ON', '-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_C_COMPILER=clang'];
    run('cmake', ['-G', 'Ninja', '-S', '.', '-B', FOLDER, ...flags], { quiet: true });
  }
  run('ninja', ['-C', FOLDER, '--quiet', 'fuzz_make_corpus', ...names.map((name) => `fuzz_${name}`)], { quiet: true });
  for (const name of targets()) {
    for (const kind of ['corpus', 'crashes']) mkdirSync(join(root, FOLDER, kind, name), { recursive: true });
  }
  run(join(root, FOLDER, 'fuzz_make_corpus'), [join(root, FOLDER, 'corpus')], { quiet: true });
}

const number = (text, pattern) => Number(pattern.exec(text)?.[1] ?? 0);

/** Runs one target; resolves to what is known of the run. */
function fuzz(name, minutes) {
  const seconds = Math.max(1, Math.round(minutes * 60));
  const crashes = join(FOLDER, 'crashes', name);
  const before = new Set(readdirSync(join(root, crashes)));
  // What was found before and is kept with the project is always run again, and mutated on.
  const folders = [join(FOLDER, 'corpus', name), join('tests/data/fuzz', name)].filter((f) =>
    existsSync(join(root, f)),
  );
  const options = [
    '-max_len=12000',
    `-max_total_time=${seconds}`,
    '-print_final_stats=1',
    `-artifact_prefix=${crashes}/`,
  ];
  const args = [...limits(name), ...options, ...folders];
  return new Promise((resolve) => {
    const child = spawn(join(FOLDER, `fuzz_${name}`), args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (part) => {
      text += part;
      if (text.length > 1 << 20) text = text.slice(-(1 << 19));
    });
    child.on('error', (error) => resolve({ name, failed: true, found: [], text: String(error) }));
    child.on('close', (code) => {
      const found = readdirSync(join(root, crashes)).filter((file) => !before.has(file));
      const last = text.split('\n').findLast((line) => /^#\d+.*cov: /.test(line)) ?? '';
      resolve({
        name,
        failed: code !== 0,
        found,
        text,
        runs: number(text, /stat::number_of_executed_units: (\d+)/) || number(last, /^#(\d+)/),
        speed: number(text, /stat::average_exec_per_sec:\s+(\d+)/) || number(last, /exec\/s: (\d+)/),
        edges: number(last, /cov: (\d+)/),
        corpus: number(last, /corp: (\d+)/),
      });
    });
  });
}

function report(result) {
  const { name, failed, found, text, runs, speed, edges, corpus } = result;
  console.log(
    `${name.padEnd(14)} ${String(runs).padStart(9)} runs ${String(speed).padStart(7)} /s ${String(edges).padStart(6)} edges ` +
      `${String(corpus).padStart(6)} inputs ${failed ? `FAILED, ${found.length} kept` : 'ok'}`,
  );
  if (!failed) return;
  console.log(text.split('\n').slice(-60).join('\n'));
  for (const file of found) {
    console.log(`again: ${FOLDER}/fuzz_${name} ${limits(name).join(' ')} ${FOLDER}/crashes/${name}/${basename(file)}`);
  }
}

/** Fuzzes the targets named (all by default) and prints a line for each. Resolves to how many passed and failed. */
export async function fuzzAll({ minutes = 1, jobs = 2, target } = {}) {
  const names = target ? [target] : targets();
  build(names);
  say(`${names.length} fuzz targets, ${minutes} minutes each, ${jobs} at a time`);
  const total = { passed: 0, failed: 0 };
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      const result = await fuzz(name, minutes);
      report(result);
      total[result.failed ? 'failed' : 'passed']++;
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return total;
}

function usage(problem) {
  console.error(
    `${problem}\nusage: npm run fuzz -- [--minutes N] [--target NAME] [--jobs J]\ntargets: ${targets().join(' ')}`,
  );
  process.exit(2);
}

function options(args) {
  const out = {};
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1];
    if (args[i] === '--target' && targets().includes(value)) out.target = value;
    else if (args[i] === '--minutes' && Number(value) > 0) out.minutes = Number(value);
    else if (args[i] === '--jobs' && Number.isInteger(Number(value)) && Number(value) > 0) out.jobs = Number(value);
    else usage(`not understood: ${args.slice(i, i + 2).join(' ')}`);
  }
  return out;
}

if (import.meta.filename === process.argv[1]) {
  const { passed, failed } = await fuzzAll(options(process.argv.slice(2)));
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
