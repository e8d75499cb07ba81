// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Runs the tests: `node scripts/test.mjs native|sanitized|ts|browser|full ...`. A failing part does not stop the others; the last line counts
// all of them. build/test-results.json keeps the counts for .ci/run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDemo, buildNative, buildTs, buildWasm } from './build.mjs';
import { fuzzAll } from './fuzz.mjs';
import { compare } from './golden.mjs';
import { nodeFlags, root, say, variant } from './lib.mjs';
import { compareMeshes, meshLinesOfLog } from './mesh-hashes.mjs';

const total = { passed: 0, failed: 0 };

function count(passed, failed, what) {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) console.log(`${what}: ${failed} FAILED`);
}

/** ctest in a build folder; a program may run for `seconds`. Prints the output of what failed, and of everything when `CR_VERBOSE` is set. */
function ctest(folder, { env = {}, args = [], label = folder, seconds = 300 } = {}) {
  const limit = ['--timeout', String(seconds)];
  const verbose = process.env.CR_VERBOSE ? ['-V'] : [];
  const options = ['--test-dir', folder, '--output-on-failure', '-j', '2', ...limit, ...verbose, ...args];
  const result = spawnSync('ctest', options, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  process.stdout.write(result.stdout);
  const summary = /(\d+) tests? failed out of (\d+)/.exec(result.stdout);
  if (!summary || Number(summary[2]) === 0) count(0, 1, `${label}: no tests ran`);
  else count(Number(summary[2]) - Number(summary[1]), Number(summary[1]), label);
}

function golden(label, folder) {
  for (const { scene, difference } of compare(join(root, folder, 'crowdreel_run_scenario'))) {
    count(difference ? 0 : 1, difference ? 1 : 0, `golden ${label} ${scene}: ${difference}`);
  }
  console.log(`golden hashes, ${label}: compared`);
}

/** Seconds a program of a longer campaign may run. */
const LONG = 1500;

const SANITIZED = {
  CMAKE_BUILD_TYPE: 'Release',
  CR_OPTIMIZE: '-O1',
  CR_CHECKS: 'ON',
  CR_SANITIZE: 'address,undefined',
};

async function testNative() {
  buildNative();
  say('native tests (gcc, release)');
  ctest('build/native', { label: 'native' });
  say('golden hashes of every compiler');
  golden('gcc release', 'build/native');
  for (const compiler of ['gcc', 'clang']) {
    for (const level of ['-O0', '-O2']) {
      const definitions = { CMAKE_BUILD_TYPE: 'Release', CR_OPTIMIZE: level };
      golden(
        `${compiler} ${level}`,
        variant(`golden-${compiler}${level}`, compiler, definitions, ['crowdreel_run_scenario']),
      );
    }
  }
  say('meshes of every compiler');
  for (const { label, program, difference } of await compareMeshes()) {
    count(difference ? 0 : 1, difference ? 1 : 0, `meshes ${label} ${program}: ${difference}`);
  }
  console.log('meshes: compared');
}

/** Fewer rounds of everything native under the sanitizers of gcc; `npm run test:full` has all rounds and both compilers. */
function testSanitized() {
  say('native tests under sanitizers');
  ctest(variant('sanitized', 'gcc', SANITIZED), { label: 'sanitized', env: { CR_TEST_SCALE: '0.1' } });
}

function vitest(config, label) {
  const report = join(root, 'build', `vitest-${label}.json`);
  rmSync(report, { force: true });
  spawnSync(
    process.execPath,
    [
      ...nodeFlags,
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      config,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], timeout: 1_200_000, killSignal: 'SIGKILL' },
  );
  if (!existsSync(report)) {
    count(0, 1, `${label}: did not run`);
    return;
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTests } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  const broken = numFailedTests === 0 && (numFailedTestSuites > 0 || numTotalTests === 0) ? 1 : 0;
  count(numPassedTests, numFailedTests + broken, label);
}

function testTs() {
  buildWasm();
  buildNative();
  buildTs();
  say('package tests');
  vitest('tests/ts/vitest.config.ts', 'ts');
}

function testBrowser() {
  buildWasm();
  buildTs();
  buildDemo();
  say('browser tests');
  vitest('tests/browser/vitest.config.ts', 'browser');
}

/**
 * Longer campaigns: the native tests at ten times the counts, and under both compilers' sanitizers at full counts (a million steps
 * of followers); crowds' threads under the thread sanitizer; then every fuzzer for a minute.
 */
async function testFull() {
  buildNative();
  say('long native campaigns (ten times the counts)');
  ctest('build/native', { label: 'native x10', env: { CR_TEST_SCALE: '10' }, seconds: LONG });
  for (const compiler of ['gcc', 'clang']) {
    say(`native tests under ${compiler} sanitizers`);
    const folder = compiler === 'gcc' ? 'sanitized' : 'sanitized-clang';
    ctest(variant(folder, compiler, SANITIZED), { label: `${compiler} sanitized`, seconds: LONG });
  }
  say('meshes of every test, gcc and clang');
  const [gcc, clang] = ['build/sanitized', 'build/sanitized-clang'].map(meshLinesOfLog);
  for (const test of Object.keys({ ...gcc, ...clang })) {
    const equal = gcc[test] === clang[test];
    count(equal ? 1 : 0, equal ? 0 : 1, `meshes of ${test}: ${gcc[test]} with gcc, ${clang[test]} with clang`);
  }
  say('a million steps of followers, their corridors checked, under sanitizers');
  ctest('build/sanitized', {
    label: 'sanitized x10',
    env: { CR_TEST_SCALE: '10' },
    args: ['-R', 'path/test_follower_campaign$'],
    seconds: LONG,
  });
  say('threads of crowds under the thread sanitizer, and a build without threads');
  for (const [label, compiler, definitions] of [
    ['threads', 'clang', { CR_SANITIZE: 'thread' }],
    ['no-threads', 'gcc', { CR_THREADS: 'OFF' }],
  ]) {
    const folder = variant(label, compiler, { CMAKE_BUILD_TYPE: 'Release', CR_OPTIMIZE: '-O1', ...definitions }, [
      'test_crowd_threads',
      'test_host_threads',
    ]);
    ctest(folder, { label, args: ['-R', 'crowd/test_(crowd|host)_threads$'], seconds: LONG });
  }
  const { passed, failed } = await fuzzAll({ minutes: 1 });
  count(passed, failed, 'fuzz');
  console.log(`fuzz targets: ${passed} passed, ${failed} failed`);
}

const PARTS = { native: testNative, sanitized: testSanitized, ts: testTs, browser: testBrowser, full: testFull };
const parts = process.argv.slice(2);
for (const part of parts) await PARTS[part]();
mkdirSync(join(root, 'build'), { recursive: true });
const results = join(root, 'build/test-results.json');
const earlier = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
writeFileSync(results, JSON.stringify({ ...earlier, [parts.join('+')]: total }));
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
