// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel record: a crowd walking about on a level, as a replay file.
import { Option, type Command } from 'commander';
import { CrowdreelError } from '../errors.js';
import { loadCrowdreel, type Engine, type NavMesh } from '../index.js';
import { AgentPresets } from '../options.js';
import { checkWritable, FileError, writeFile } from './files.js';
import { Host, type HostReport } from './host.js';
import { meshFromLevel } from './level.js';
import { count, hex, printJson, printRows, Progress, size } from './output.js';
import { addSettings, givenSettings, parseCount, parseNumber, parseSeed } from './settings.js';
import { breathe, lastBreath, listenForStop } from './stop.js';

interface Options {
  agents: number;
  steps: number;
  dt: number;
  seed: bigint;
  output: string;
  json?: boolean;
}

export function addRecord(program: Command): void {
  const command = program
    .command('record')
    .description(
      'Record a crowd on a level: agents are spread over it, walk to random places they can reach, and are now and then ' +
        'stopped, teleported, removed and added. The same arguments give the same bytes on every machine.',
    )
    .argument('<LEVEL>', 'level geometry (.obj, .opbi), a navigation mesh (.crnm) or a tile cache (.crtc)')
    .requiredOption('-o, --output <file>', 'the replay to write, for example run.oprp')
    .option('--agents <count>', 'agents', parseCount(1), 50)
    .option('--steps <count>', 'steps to record', parseCount(1), 1800)
    .addOption(
      new Option('--dt <seconds>', 'seconds per step, or a fraction').default(1 / 60, '1/60').argParser(parseNumber),
    )
    .addOption(new Option('--seed <number>', 'what the run follows from').default(1n, '1').argParser(parseSeed))
    .option('--json', 'print one JSON object')
    .action(record);
  addSettings(command);
}

async function record(level: string, options: Options, command: Command): Promise<void> {
  listenForStop();
  checkWritable(options.output);
  const engine = await loadCrowdreel();
  const mesh = await meshFromLevel(engine, level, givenSettings(command));
  if (mesh.polygonCount === 0) {
    const detail = { status: 'NotFound', field: 'mesh' } as const;
    throw new FileError(level, new CrowdreelError('It has no walkable surface for these settings.', detail));
  }
  const run = await simulate(engine, mesh, options);
  mesh.dispose();
  await lastBreath();
  writeFile(options.output, run.bytes);
  print(run, options);
}

interface Run {
  bytes: Uint8Array;
  hash: bigint;
  seconds: number;
  report: HostReport;
  operations: Readonly<Record<string, number>>;
}

async function simulate(engine: Engine, mesh: NavMesh, options: Options): Promise<Run> {
  const { agents, steps, dt, seed } = options;
  using crowd = engine.createCrowd(mesh, { maxAgents: agents });
  using recorder = engine.createRecorder(crowd, { dt });
  using query = engine.createQuery(mesh);
  const radius = mesh.params.agentRadius || AgentPresets.humanoid.radius;
  const host = new Host(recorder, query, { agents, steps, seed, radius });
  const begin = performance.now();
  host.populate();
  const progress = new Progress('recording', steps, options.json === true);
  try {
    for (let index = 0; index < steps; index++) {
      host.step(index);
      progress.update(index + 1);
      await breathe();
    }
  } finally {
    progress.stop();
  }
  const seconds = (performance.now() - begin) / 1000;
  const bytes = recorder.save();
  using replay = engine.openReplay(bytes);
  return { bytes, hash: crowd.stateHash(), seconds, report: host.report(), operations: replay.info.operationCounts };
}

function print({ bytes, hash, seconds, report, operations }: Run, options: Options): void {
  const { steps, dt, output: file } = options;
  const stepsPerSecond = Math.round(steps / seconds);
  if (options.json) {
    return printJson({ file, steps, dt, ...report, operations, bytes: bytes.length, hash, seconds, stepsPerSecond });
  }
  const share = report.withGoal ? ((100 * report.reached) / report.withGoal).toFixed(1) : '0';
  const counts = Object.entries(operations).map(([name, n]) => `${count(n)} ${name}`);
  console.log(
    `${file}: ${count(steps)} steps of ${count(options.agents)} agents, ${count(steps * dt)} s of crowd time`,
  );
  printRows([
    ['size', size(bytes.length)],
    ['operations', counts.join(', ')],
    ['reached a goal', `${count(report.reached)} of ${count(report.withGoal)} agents that had one (${share} %)`],
    ['last state hash', hex(hash)],
    ['time', `${seconds.toFixed(2)} s, ${count(stepsPerSecond)} steps/s`],
  ]);
}
