// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel info: what a file holds.
import type { Command } from 'commander';
import { loadCrowdreel, type Engine, type ReplayInfo } from '../index.js';
import { kindOf, magicOf } from '../formats.js';
import { inFile, readFile } from './files.js';
import { describeCache, describeMesh } from './info-mesh.js';
import { wrongKind } from './level.js';
import { count, counted, printJson, printRows, size, type Row } from './output.js';
import { emptyReason, reportRows, withProgress } from './report.js';
import { settingRows } from './settings.js';

/** What is told of a file. */
export interface Description {
  kind: string;
  json: Record<string, unknown>;
  rows: Row[];
  /** What has to be said besides. */
  warning?: string | null;
}

interface Options {
  build?: boolean;
  json?: boolean;
}

export function addInfo(program: Command): void {
  program
    .command('info')
    .description(
      'Tell what a file holds: replay, setup block, navigation mesh, tile cache or build input. The whole file is checked.',
    )
    .argument('<FILE>', 'the file')
    .option('--build', 'of build input (.opbi): build it and tell how that went')
    .option('--json', 'print one JSON object')
    .action(info);
}

async function info(file: string, options: Options): Promise<void> {
  const engine = await loadCrowdreel();
  const bytes = readFile(file);
  const { kind, json, rows, warning } = inFile(file, () => describeFile(engine, file, bytes, options));
  if (options.json) return printJson({ file, kind, bytes: bytes.length, ...json });
  console.log(`${file}: ${kind}`);
  printRows([['size', size(bytes.length)], ...rows]);
  if (warning) console.error(warning);
}

function describeFile(engine: Engine, file: string, bytes: Uint8Array, options: Options): Description {
  const magic = magicOf(bytes);
  const kind = kindOf(bytes);
  if (options.build && kind && magic !== 'OPBI') throw wrongKind(file, `It is ${kind}: --build is for build input.`);
  switch (magic) {
    case 'OPRP':
      return describeReplay(engine, bytes, 'replay');
    case 'OPRS':
      return describeReplay(engine, replayAround(bytes), 'setup block');
    case 'CRNM':
      return describeMesh(engine, bytes);
    case 'CRTC':
      return describeCache(engine, bytes);
    case 'OPBI':
      return describeBuildInput(engine, bytes, options);
    default:
      throw wrongKind(
        file,
        'It is no replay, setup block, navigation mesh, tile cache or build input: it begins with other bytes. (Levels, .obj, are for `crowdreel build`.)',
      );
  }
}

const AROUND = 12;

/** A setup block as a replay of no steps. */
function replayAround(setup: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(AROUND + setup.length + 4);
  bytes.set([0x4f, 0x50, 0x52, 0x50, 1, 1, 0, 0]);
  new DataView(bytes.buffer).setInt32(8, setup.length, true);
  bytes.set(setup, AROUND);
  return bytes;
}

function describeReplay(engine: Engine, bytes: Uint8Array, kind: string): Description {
  using replay = engine.openReplay(bytes);
  const found = replay.info;
  const seconds = found.stepCount * found.dt;
  return {
    kind,
    json: kind === 'replay' ? { ...found, seconds } : { ...found },
    rows: replayRows(found, kind, seconds),
  };
}

function replayRows(found: ReplayInfo, kind: string, seconds: number): Row[] {
  const counts = Object.entries(found.operationCounts).map(([name, n]) => `${count(n)} ${name}`);
  const steps: Row[] = [
    ['steps', `${count(found.stepCount)} of ${found.dt} s: ${count(seconds)} s`],
    ['operations', `${count(found.operationCount)}: ${counts.join(', ')}`],
  ];
  return [
    ...(kind === 'replay' ? steps : ([['seconds per step', String(found.dt)]] as Row[])),
    ['starts at', `step ${count(found.startStep)} with ${counted(found.agentsAtStart, 'agent')}`],
    [
      'mesh',
      `${counted(found.meshPolygons, 'polygon')} in ${counted(found.meshTiles, 'tile')}, ${size(found.meshSize)}`,
    ],
    ['crowd state', size(found.stateSize)],
    [
      'crowd options',
      Object.entries(found.options)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', '),
    ],
  ];
}

function describeBuildInput(engine: Engine, bytes: Uint8Array, options: Options): Description {
  const input = engine.readBuildInput(bytes);
  const { positions, indices, settings } = input;
  const [vertexCount, triangleCount] = [positions.length / 3, indices.length / 3];
  const json = { vertexCount, triangleCount, settings };
  const rows: Row[] = [
    ['vertices', count(vertexCount)],
    ['triangles', count(triangleCount)],
    ['settings', ''],
    ...settingRows(settings)
      .filter(([name]) => name !== 'tile-cells')
      .map(([name, value]): Row => [`  ${name}`, value]),
  ];
  if (!options.build) return { kind: 'build input', json, rows };
  const begin = performance.now();
  const { mesh, report } = withProgress(options.json === true, (onProgress) =>
    engine.buildNavMesh(input, settings, { onProgress }),
  );
  const seconds = (performance.now() - begin) / 1000;
  mesh.dispose();
  return {
    kind: 'build input',
    json: { ...json, seconds, report },
    rows: [...rows, ...reportRows(report, seconds)],
    warning: emptyReason(report),
  };
}
