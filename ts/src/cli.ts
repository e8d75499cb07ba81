// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The command line: `npx crowdreel`. Each command lives in a file of its own under cli/.
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addBuild } from './cli/build-command.js';
import { addInfo } from './cli/info-command.js';
import { Exit, reportFailure } from './cli/output.js';
import { addRecord } from './cli/record-command.js';
import { Stopped } from './cli/stop.js';
import { addVerify } from './cli/verify-command.js';

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function createProgram(): Command {
  const program = new Command('crowdreel')
    .description('Build navigation meshes, record deterministic crowds, and check recordings bit for bit.')
    .version(packageVersion())
    .exitOverride()
    .showHelpAfterError('(crowdreel --help tells more)')
    .addHelpText(
      'after',
      `
Every command takes --json: one JSON object a line, for machines. Progress is shown on a terminal only.

Exit codes:
    0  done; for verify: every replay is exact
    1  something could not be read, written or understood; the message says what and where
    2  verify: a replay is readable, but playing it gives other hashes than recorded
  130  stopped with Ctrl-C: build and record have written nothing then`,
    );
  for (const add of [addBuild, addRecord, addInfo, addVerify]) add(program);
  return program;
}

/** Runs the command line and sets the process's exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? Exit.Done : Exit.Failed; // commander has printed what there is to say
    } else {
      reportFailure(error, argv.includes('--json'));
      process.exitCode = error instanceof Stopped ? Exit.Stopped : Exit.Failed;
    }
  }
}
