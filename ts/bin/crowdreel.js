#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Starts the command line in a second process with V8's background compilation off. With it on, a Node process that is done
// can wait for ever, instead of ending, for a compilation that waits for it (nodejs/node issue 54918; seen in one of
// about a hundred runs). The flag works only from the start of a process.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const FLAG = '--no-concurrent-recompilation';

function runAgainWithFlag() {
  const args = [...process.execArgv, FLAG, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`crowdreel cannot start ${process.execPath}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

const cli = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(fileURLToPath(cli))) {
  console.error('crowdreel is not built yet: run "npm run build" in the checkout first.');
  process.exitCode = 1;
} else if (process.execArgv.includes(FLAG)) {
  const { main } = await import(cli.href);
  await main(process.argv);
} else {
  runAgainWithFlag();
}
