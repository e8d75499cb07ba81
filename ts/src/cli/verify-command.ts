// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel verify: plays replays and compares every step's hash with the recorded one.
import { basename } from 'node:path';
import type { Command } from 'commander';
import { loadCrowdreel, type Engine, type Replay } from '../index.js';
import { kindOf, magicOf } from '../formats.js';
import { FileError, inFile, readFile } from './files.js';
import { wrongKind } from './level.js';
import { count, Exit, failureDetail, hex, printJson, Progress } from './output.js';

/** What came of one file. */
interface Verdict {
  file: string;
  outcome: 'exact' | 'diverged' | 'unreadable';
  /** Steps the file holds, and steps played. */
  steps?: number;
  played?: number;
  seconds?: number;
  stepsPerSecond?: number;
  /** Index of the first step that differs, with both hashes. */
  firstDifference?: { step: number; recorded: bigint; actual: bigint };
  error?: Record<string, unknown>;
}

const exitCodes = { exact: Exit.Done, unreadable: Exit.Failed, diverged: Exit.Diverged } as const;

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('Play replays and check that every step gives the recorded hash.')
    .argument('<FILE...>', 'replay files')
    .option('--json', 'print one JSON object for each file')
    .addHelpText(
      'after',
      `
Exit codes, the highest of all files:
  0  exact: every step gives the recorded hash
  1  unreadable, or cannot be played to the end; the message says what and where
  2  diverged: the message names the first step (counted from 0) that differs`,
    )
    .action(verify);
}

async function verify(files: string[], options: { json?: boolean }): Promise<void> {
  const engine = await loadCrowdreel();
  let code: number = Exit.Done;
  for (const file of files) {
    const verdict = verifyFile(engine, file, options.json === true);
    code = Math.max(code, exitCodes[verdict.outcome]);
    if (options.json) printJson(verdict);
    else print(verdict);
  }
  process.exitCode = code;
}

function verifyFile(engine: Engine, file: string, json: boolean): Verdict {
  try {
    return play(engine, file, json);
  } catch (error) {
    const detail = failureDetail(error);
    return {
      file,
      outcome: 'unreadable',
      error: error instanceof FileError ? { ...detail, message: error.problem } : detail,
    };
  }
}

function openReplay(engine: Engine, file: string): Replay {
  const bytes = readFile(file);
  const kind = kindOf(bytes);
  if (kind && magicOf(bytes) !== 'OPRP') throw wrongKind(file, `It is ${kind}, not a replay.`);
  return inFile(file, () => engine.openReplay(bytes));
}

// One exported call per step: engines do not optimise a loop that never leaves the module.
function play(engine: Engine, file: string, json: boolean): Verdict {
  using replay = openReplay(engine, file);
  using player = engine.createPlayer(replay, { keyframeBudget: 0 });
  const steps = replay.info.stepCount;
  const progress = new Progress(`verifying ${basename(file)}`, steps, json);
  const begin = performance.now();
  try {
    for (let played = 1; player.firstMismatch < 0 && player.step(); played++) progress.update(played);
  } finally {
    progress.stop();
  }
  const seconds = (performance.now() - begin) / 1000;
  const { position: played, firstMismatch: step } = player;
  const figures = { file, steps, played, seconds, stepsPerSecond: Math.round(played / seconds) };
  if (step < 0) return { ...figures, outcome: 'exact' };
  const firstDifference = { step, recorded: replay.step(step).hash, actual: player.crowd.stateHash() };
  return { ...figures, outcome: 'diverged', firstDifference };
}

function print(verdict: Verdict): void {
  const { file, outcome, firstDifference: first } = verdict;
  if (outcome === 'unreadable') return console.log(`${file}: unreadable: ${String(verdict.error?.message)}`);
  const speed = `${count(verdict.stepsPerSecond ?? 0)} steps/s`;
  if (outcome === 'exact') return console.log(`${file}: exact, ${count(verdict.steps ?? 0)} steps, ${speed}`);
  const hashes = first && `recorded ${hex(first.recorded)}, played ${hex(first.actual)}`;
  console.log(`${file}: differs from step ${first?.step} of ${verdict.steps} on: ${hashes}, ${speed}`);
}
