// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What the scripts share: paths, running commands, and deciding whether an output is newer than its inputs.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * For Node processes that do much and then end: background compilation can keep one from ending (nodejs/node issue 54918; see
 * ts/bin/crowdreel.js). The scripts of package.json that run tests have it too.
 */
export const nodeFlags = ['--no-concurrent-recompilation'];

export function say(text) {
  const seconds = Math.round(performance.now() / 1000);
  const at = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  console.log(`\x1b[1m== ${text}\x1b[0m  ${at}`);
}

/** Files of the project that git knows or would add, by git's patterns. */
export function projectFiles(...patterns) {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  return execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Runs a command in the project folder; ends the program when it fails, after showing what it printed. */
export function run(command, args, { quiet = false, env = {}, cwd = root } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (result.status === 0) return result.stdout ?? '';
  if (quiet) process.stderr.write((result.stdout ?? '') + (result.stderr ?? ''));
  console.error(`failed: ${command} ${args.join(' ')}${result.error ? ` (${result.error.message})` : ''}`);
  process.exit(1);
}

/** Newest modification time of a file or of everything below a folder. */
export function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  let time = 0;
  for (const name of readdirSync(path)) {
    if (name === 'node_modules' || name === 'dist') continue;
    time = Math.max(time, newest(join(path, name)));
  }
  return time;
}

/** Whether `output` exists and is newer than every input (paths relative to the project). */
export function upToDate(output, inputs) {
  if (!existsSync(join(root, output))) return false;
  const made = statSync(join(root, output)).mtimeMs;
  return inputs.every((input) => newest(join(root, input)) <= made);
}

/** Configures and builds a variant of the native code. */
export function variant(name, compiler, definitions, targets = []) {
  const folder = `build/${name}`;
  if (!existsSync(join(root, folder, 'build.ninja'))) {
    const flags = Object.entries(definitions).map(([key, value]) => `-D${key}=${value}`);
    run('cmake', ['-G', 'Ninja', '-S', '.', '-B', folder, `-DCMAKE_C_COMPILER=${compiler}`, ...flags], { quiet: true });
  }
  run('ninja', ['-C', folder, '--quiet', ...targets], { quiet: true });
  return folder;
}
