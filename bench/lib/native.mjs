// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The native bench: whole cases, and steps of a crowd case in turn with those of others.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { root } from '../../scripts/lib.mjs';

const binary = `${root}build/native/crowdreel_bench`;

/** What the native bench says of a case, or undefined where it has no such case. */
export function nativeFigures(name, { quick, files }) {
  if (!existsSync(binary)) return undefined;
  const args = ['--case', name, ...(quick ? ['--quick'] : []), ...files];
  const text = execFileSync(binary, args, { encoding: 'utf8', cwd: root }).trim();
  return text ? JSON.parse(text) : undefined;
}

/** A native crowd that steps when told to; null where there is none. */
export async function startNative(name, files) {
  if (!existsSync(binary)) return null;
  const child = spawn(binary, ['--turns', '--case', name, ...files], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if ((await lines.next()).done) return null;
  return {
    /** Milliseconds of each of so many steps. */
    async steps(count) {
      child.stdin.write(`${count}\n`);
      return (await lines.next()).value.split(' ').map(Number);
    },
    dispose: () => child.stdin.end(),
  };
}
