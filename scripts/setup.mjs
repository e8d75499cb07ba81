// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Installs what is missing, using nothing but Node itself: `node scripts/setup.mjs build|browser|lint|fuzz|full ...`.
// As root on Debian or Ubuntu it installs packages; elsewhere it says exactly what to install and exits 1.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { root, say } from './lib.mjs';

/** Each need: how it is found, and the Debian and Homebrew packages that bring it. */
const NEEDS = {
  cmake: { sets: ['build'], debian: ['cmake'], brew: 'cmake' },
  ninja: { sets: ['build'], debian: ['ninja-build'], brew: 'ninja' },
  gcc: { sets: ['build'], debian: ['gcc', 'libc6-dev'], brew: 'gcc' },
  clang: { sets: ['build'], debian: ['clang', 'lld', 'libclang-rt-14-dev'], brew: 'llvm' },
  emcc: { sets: ['build'], debian: ['emscripten'], brew: 'emscripten' },
  chromium: { sets: ['browser'], debian: ['chromium'], brew: '--cask chromium', find: findChromium },
  libFuzzer: { sets: ['fuzz'], debian: ['clang', 'libclang-rt-14-dev'], brew: 'llvm', find: findLibFuzzer },
  'clang-format': { sets: ['lint'], debian: ['clang-format'], brew: 'clang-format' },
};

function onPath(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** clang may be there without its runtime libraries. */
function findLibFuzzer() {
  const options = { input: 'int LLVMFuzzerTestOneInput(void) { return 0; }', stdio: ['pipe', 'ignore', 'ignore'] };
  return spawnSync('clang', ['-x', 'c', '-', '-fsanitize=fuzzer,address', '-o', '/dev/null'], options).status === 0;
}

function findChromium() {
  if (process.env.CHROMIUM_PATH) return existsSync(process.env.CHROMIUM_PATH);
  return existsSync('/usr/bin/chromium');
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`crowdreel needs Node.js 20.19 or newer; this is ${process.versions.node}`);
  process.exit(1);
}

/** Emscripten older than 3.1.6 is untested. */
function checkEmcc() {
  const text = execFileSync('emcc', ['--version'], { encoding: 'utf8' });
  const found = /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number) ?? [0, 0, 0];
  const [a, b, c] = found;
  if (a > 3 || (a === 3 && (b > 1 || (b === 1 && c >= 6)))) return;
  console.error(`crowdreel needs Emscripten 3.1.6 or newer; this is ${found.join('.')}`);
  process.exit(1);
}

function tellWhatToInstall(missing) {
  const packages = missing.flatMap(([, need]) => need.debian).join(' ');
  const brews = missing.map(([, need]) => need.brew).join(' ');
  console.error(`\nMissing: ${missing.map(([name]) => name).join(', ')}. I cannot install them here. Please run:`);
  console.error(
    `  Debian, Ubuntu:  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages}`,
  );
  console.error(`  macOS:           brew install ${brews}`);
  if (missing.some(([name]) => name === 'chromium'))
    console.error('  A Chromium or Chrome elsewhere: set CHROMIUM_PATH to its executable.');
  console.error('and start again.');
  process.exit(1);
}

function installPackages(sets) {
  const missing = Object.entries(NEEDS).filter(
    ([name, need]) => need.sets.some((set) => sets.includes(set)) && !(need.find ?? (() => onPath(name)))(),
  );
  if (missing.length === 0) return;
  const apt = process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (!apt) tellWhatToInstall(missing);
  const packages = missing.flatMap(([, need]) => need.debian);
  say(`installing ${packages.join(' ')} (Debian packages; a minute or so)`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env };
  execFileSync('apt-get', ['-qq', 'update'], options);
  execFileSync('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages], options);
  const still = missing.filter(([name, need]) => !(need.find ?? (() => onPath(name)))());
  if (still.length > 0) tellWhatToInstall(still);
}

/** True when node_modules was installed from this very lock file. */
function dependenciesFresh() {
  const installed = `${root}node_modules/.package-lock.json`;
  if (!existsSync(installed)) return false;
  if (statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs) return true;
  // A checkout may touch the lock file without changing it: compare what it asks for with what is there.
  const wanted = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(([path, p]) => path === '' || p.optional || have[path]?.version === p.version);
}

function installDependencies() {
  if (dependenciesFresh()) return;
  say('installing npm packages');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
}

checkNode();
const sets = process.argv.slice(2);
installPackages(sets);
if (sets.includes('build')) checkEmcc();
installDependencies();
