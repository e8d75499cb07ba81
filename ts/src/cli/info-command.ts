// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel info: what a file holds.
import type { Command } from 'commander';
import { CrowdreelError } from '../errors.js';
import { loadCrowdreel, type Engine, type NavMeshView, type ReplayInfo } from '../index.js';
import { magicOf, readFile } from './files.js';
import { count, printJson, printRows, size } from './output.js';

type Row = readonly [string, string];
interface Description {
  kind: string;
  json: Record<string, unknown>;
  rows: Row[];
}

export function addInfo(program: Command): void {
  program
    .command('info')
    .description(
      'Tell what a file holds: replay, setup block, navigation mesh or build input. The whole file is checked.',
    )
    .argument('<FILE>', 'the file')
    .option('--json', 'print one JSON object')
    .action(info);
}

async function info(file: string, options: { json?: boolean }): Promise<void> {
  const engine = await loadCrowdreel();
  const bytes = readFile(file);
  const { kind, json, rows } = describeFile(engine, bytes);
  if (options.json) return printJson({ file, kind, bytes: bytes.length, ...json });
  console.log(`${file}: ${kind}`);
  printRows([['size', size(bytes.length)], ...rows]);
}

function describeFile(engine: Engine, bytes: Uint8Array): Description {
  switch (magicOf(bytes)) {
    case 'OPRP':
      return describeReplay(engine, bytes, 'replay');
    case 'OPRS':
      return describeReplay(engine, replayAround(bytes), 'setup block');
    case 'CRNM':
      return describeMesh(engine, bytes);
    case 'OPBI':
      return describeBuildInput(engine, bytes);
    default:
      throw new CrowdreelError(
        'This is no replay, setup block, navigation mesh or build input: it begins with other bytes. (Levels, .obj, are for `crowdreel build`.)',
        {
          status: 'BadMagic',
          field: 'magic',
          offset: 0,
        },
      );
  }
}

/** A setup block as a replay of no steps. */
function replayAround(setup: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + setup.length + 4);
  bytes.set([0x4f, 0x50, 0x52, 0x50, 1, 1, 0, 0]);
  new DataView(bytes.buffer).setInt32(8, setup.length, true);
  bytes.set(setup, 12);
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
    ['starts at', `step ${count(found.startStep)} with ${count(found.agentsAtStart)} agents`],
    ['mesh', `${count(found.meshPolygons)} polygons in ${count(found.meshTiles)} tiles, ${size(found.meshSize)}`],
    ['crowd state', size(found.stateSize)],
    [
      'crowd options',
      Object.entries(found.options)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', '),
    ],
  ];
}

function describeMesh(engine: Engine, bytes: Uint8Array): Description {
  using mesh = engine.loadNavMesh(bytes);
  const { polygonCount, tileCount, params } = mesh;
  const bounds = mesh.bounds();
  const triangleCount = mesh.triangles().areas.length;
  const json = { polygonCount, tileCount, triangleCount, editCount: Number(mesh.editCount), params, bounds };
  return { kind: 'navigation mesh', json, rows: meshRows(mesh, triangleCount) };
}

function meshRows(mesh: NavMeshView, triangleCount: number): Row[] {
  const { params } = mesh;
  const bounds = mesh.bounds();
  const corner = (point: readonly number[]) => point.map((v) => v.toFixed(2)).join(', ');
  return [
    ['polygons', `${count(mesh.polygonCount)} in ${count(mesh.tileCount)} tiles, ${count(triangleCount)} triangles`],
    ['edits', String(mesh.editCount)],
    ['bounds', bounds ? `(${corner(bounds.min)}) to (${corner(bounds.max)})` : 'none'],
    ['made for agents', `radius ${params.agentRadius}, height ${params.agentHeight}, climb ${params.climb}`],
  ];
}

function describeBuildInput(engine: Engine, bytes: Uint8Array): Description {
  const { positions, indices, settings } = engine.readBuildInput(bytes);
  const [vertexCount, triangleCount] = [positions.length / 3, indices.length / 3];
  const rows: Row[] = [
    ['vertices', count(vertexCount)],
    ['triangles', count(triangleCount)],
    ...Object.entries(settings).map(([name, value]): Row => [name, String(value)]),
  ];
  return { kind: 'build input', json: { vertexCount, triangleCount, settings }, rows };
}
