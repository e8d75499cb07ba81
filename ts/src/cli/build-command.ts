// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel build: from level geometry to a navigation mesh, a tile cache, or a build input file.
import { extname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { BuildReport } from '../build.js';
import { CrowdreelError, loadCrowdreel, type Engine } from '../index.js';
import { checkWritable, inFileAsync, writeFile } from './files.js';
import { facingOf, groundArea, groundHint } from './ground.js';
import { readLevel, type Level } from './level.js';
import { count, printJson, printRows, size, type Row } from './output.js';
import { buildWithProgress, emptyReason, reportRows } from './report.js';
import { addSettings, givenSettings } from './settings.js';
import { lastBreath, listenForStop } from './stop.js';

const formats = { crnm: 'navigation mesh', opbi: 'build input', crtc: 'tile cache' } as const;
type Format = keyof typeof formats;

interface Options {
  output: string[];
  format?: Format;
  json?: boolean;
}

/** A file to write. */
interface Output {
  file: string;
  format: Format;
}

export function addBuild(program: Command): void {
  const command = program
    .command('build')
    .description('Build a navigation mesh from level geometry.')
    .argument('<LEVEL>', 'an OBJ file, y up, or build input (.opbi), whose settings are then the defaults')
    .addOption(
      new Option(
        '-o, --output <file>',
        'what to write, by its ending: .crnm the mesh, .crtc a tile cache, .opbi the build input; can be repeated',
      )
        .argParser((file: string, before: string[] | undefined) => [...(before ?? []), file])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--format <name>', 'what to write to a file with another ending').choices(Object.keys(formats)),
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nLengths are in the units of the level. Nothing is written when the build fails or is stopped (Ctrl-C).',
    )
    .action(build);
  addSettings(command);
}

async function build(path: string, options: Options, command: Command): Promise<void> {
  listenForStop();
  const outputs = outputsOf(options);
  const engine = await loadCrowdreel();
  const level = readLevel(engine, path, givenSettings(command));
  checkSettings(outputs, level);
  const made = await inFileAsync(path, () => make(engine, level, outputs, options.json === true));
  await lastBreath();
  for (const { file, bytes } of made.files) writeFile(file, bytes);
  print(path, level, made, options.json === true);
}

// --- What to write ------------------------------------------------------------------------------------------------------

function outputsOf({ output: files, format }: Options): Output[] {
  if (format && files.length > 1) throw wrong('format', '--format is for one output: give several by their endings.');
  const paths = files.map((file) => resolve(file));
  const twice = files.find((_, i) => paths.indexOf(paths[i] as string) !== i);
  if (twice !== undefined) throw wrong('output', `${twice} is to be written twice.`);
  for (const file of files) checkWritable(file);
  return files.map((file) => ({ file, format: format ?? formatOf(file) }));
}

function formatOf(file: string): Format {
  const ending = extname(file).slice(1).toLowerCase();
  if (Object.hasOwn(formats, ending)) return ending as Format;
  throw wrong(
    'output',
    `${file}: its ending does not tell what to write: use .crnm, .crtc or .opbi, or give --format.`,
  );
}

function checkSettings(outputs: readonly Output[], { settings }: Level): void {
  if (settings.tileCells !== 0 || !outputs.some(({ format }) => format === 'crtc')) return;
  throw wrong('settings.tileCells', 'A tile cache needs tiles: give --tile-cells, for example --tile-cells 48.');
}

function wrong(field: string, message: string): CrowdreelError {
  return new CrowdreelError(message, { status: 'Argument', field });
}

// --- Building -----------------------------------------------------------------------------------------------------------

interface Built {
  report: BuildReport;
  /** Area of the ground seen from above. */
  ground: number;
  tiles: number;
  seconds: number;
}

interface Made {
  files: (Output & { bytes: Uint8Array })[];
  /** Null when only build input was asked for: then nothing is built. */
  built: Built | null;
}

// All bytes are there before the first file is written.
async function make(
  engine: Engine,
  { input, settings }: Level,
  outputs: readonly Output[],
  json: boolean,
): Promise<Made> {
  const wanted = new Set(outputs.map(({ format }) => format));
  const bytes: Partial<Record<Format, Uint8Array>> = {};
  if (wanted.has('opbi')) bytes.opbi = engine.writeBuildInput(input, settings);
  let built: Built | null = null;
  if (wanted.has('crnm') || wanted.has('crtc')) {
    const begin = performance.now();
    const made = await buildWithProgress(json, engine.buildInPieces(input, settings, wanted.has('crtc')));
    const seconds = (performance.now() - begin) / 1000;
    const ground = groundArea(made.mesh.triangles());
    built = { report: made.report, ground, tiles: made.mesh.tileCount, seconds };
    bytes.crnm = made.mesh.save();
    if (made.cache) bytes.crtc = made.cache.save();
    made.mesh.dispose();
    made.cache?.dispose();
  }
  return { files: outputs.map((output) => ({ ...output, bytes: bytes[output.format] as Uint8Array })), built };
}

// --- Telling ------------------------------------------------------------------------------------------------------------

function print(path: string, level: Level, { files, built }: Made, json: boolean): void {
  const warnings = warningsOf(level, files, built);
  if (json) return printJson(jsonOf(path, level, files, built, warnings));
  for (const { file, format, bytes } of files) console.log(`${file}: ${formats[format]}, ${size(bytes.length)}`);
  printRows(built ? reportRows(built.report, built.seconds) : inputRows(level));
  for (const warning of warnings) console.error(warning);
}

/** What is done, but likely not as it was meant. */
function warningsOf({ input, settings }: Level, files: Made['files'], built: Built | null): string[] {
  const warnings = [];
  if (settings.tileCells !== 0 && files.some(({ format }) => format === 'opbi')) {
    warnings.push('Build input knows no tiles: --tile-cells is not in it.');
  }
  if (!built) return warnings;
  const reasons = [emptyReason(built.report), groundHint(built.ground, facingOf(input, settings.maxSlope))];
  return [...warnings, ...reasons.filter((reason) => reason !== null)];
}

function inputRows({ input }: Level): Row[] {
  return [
    ['vertices', count(input.positions.length / 3)],
    ['triangles', count(input.indices.length / 3)],
  ];
}

function jsonOf(
  level: string,
  { input, settings }: Level,
  files: Made['files'],
  built: Built | null,
  warnings: readonly string[],
) {
  return {
    level,
    vertexCount: input.positions.length / 3,
    triangleCount: input.indices.length / 3,
    settings,
    outputs: files.map(({ file, format, bytes }) => ({ file, format, bytes: bytes.length })),
    warnings,
    ...(built ? { report: built.report, tiles: built.tiles, seconds: built.seconds } : { report: null }),
  };
}
