// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel build: from level geometry to a navigation mesh.
import type { Command } from 'commander';
import { loadCrowdreel } from '../index.js';
import { parseLevel, readFile, writeFile } from './files.js';
import { count, printJson, printRows, size } from './output.js';
import { addSettings, settingsOf } from './settings.js';

interface Options {
  output: string;
  json?: boolean;
}

export function addBuild(program: Command): void {
  const command = program
    .command('build')
    .description('Build a navigation mesh from an OBJ level.')
    .argument('<LEVEL.obj>', 'level geometry, y up')
    .requiredOption('-o, --output <file>', 'the mesh to write, for example level.crnm')
    .option('--json', 'print one JSON object')
    .action(build);
  addSettings(command);
}

async function build(level: string, options: Options & Record<string, unknown>): Promise<void> {
  const engine = await loadCrowdreel();
  const geometry = parseLevel(level, readFile(level));
  const begin = performance.now();
  const { mesh, report } = engine.buildNavMesh(geometry, settingsOf(options));
  const seconds = (performance.now() - begin) / 1000;
  const bytes = mesh.save();
  writeFile(options.output, bytes);
  const result = { file: options.output, tiles: mesh.tileCount, ...report, bytes: bytes.length, seconds };
  mesh.dispose();
  if (options.json) return printJson(result);
  console.log(`${options.output}: ${count(report.polygons)} polygons from ${count(report.trianglesUsed)} triangles`);
  printRows([
    ['size', size(bytes.length)],
    ['tiles', count(result.tiles)],
    ['triangles too steep', count(report.trianglesSteep)],
    ['triangles skipped', count(report.trianglesDegenerate)],
    ['time', `${seconds.toFixed(2)} s`],
  ]);
  if (report.polygons > 0) return;
  const all = report.trianglesUsed > 0 && report.trianglesSteep === report.trianglesUsed;
  console.error(
    all
      ? 'Nobody can stand here: every triangle is too steep or faces down. Walkable ones are counter-clockwise seen from above.'
      : 'Nobody can stand here: what is walkable is too small or too low for these settings.',
  );
}
