// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// crowdreel build: from level geometry to a navigation mesh, a tile cache, or a build input file.
import { extname, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { BuildReport } from '../build.js';
import { CrowdreelError, loadCrowdreel, type Engine } from '../index.js';
import { checkWritable, inFile, writeFile } from './files.js';
import { readLevel, type Level } from './level.js';
import { count, printJson, printRows, size, type Row } from './output.js';
import { emptyReason, reportRows, withProgress } from './report.js';
import { addSettings, givenSettings } from './settings.js';

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
  const outputs = outputsOf(options);
  const engine = await loadCrowdreel();
  const level = readLevel(engine, path, givenSettings(command));
  checkSettings(outputs, level);
  const made = inFile(path, () => make(engine, level, outputs, options.json === true));
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
  tiles: number;
  seconds: number;
}

interface Made {
  files: (Output & { bytes: Uint8Array })[];
  /** Null when only build input was asked for: then nothing is built. */
  built: Built | null;
}

// All bytes are there before the first file is written.
function make(engine: Engine, { input, settings }: Level, outputs: readonly Output[], json: boolean): Made {
  const wanted = new Set(outputs.map(({ format }) => format));
  const bytes: Partial<Record<Format, Uint8Array>> = {};
  if (wanted.has('opbi')) bytes.opbi = engine.writeBuildInput(input, settings);
  let built: Built | null = null;
  if (wanted.has('crnm') || wanted.has('crtc')) {
    const begin = performance.now();
    const made = withProgress(json, (onProgress) =>
      wanted.has('crtc')
        ? engine.buildTileCache(input, settings, { onProgress })
        : { ...engine.buildNavMesh(input, settings, { onProgress }), cache: null },
    );
    built = { report: made.report, tiles: made.mesh.tileCount, seconds: (performance.now() - begin) / 1000 };
    bytes.crnm = made.mesh.save();
    if (made.cache) bytes.crtc = made.cache.save();
    made.mesh.dispose();
    made.cache?.dispose();
  }
  return { files: outputs.map((output) => ({ ...output, bytes: bytes[output.format] as Uint8Array })), built };
}

// --- Telling ------------------------------------------------------------------------------------------------------------

function print(path: string, level: Level, { files, built }: Made, json: boolean): void {
  if (json) return printJson(jsonOf(path, level, files, built));
  for (const { file, format, bytes } of files) console.log(`${file}: ${formats[format]}, ${size(bytes.length)}`);
  printRows(built ? reportRows(built.report, built.seconds) : inputRows(level));
  if (level.settings.tileCells !== 0 && files.some(({ format }) => format === 'opbi')) {
    console.error('Build input knows no tiles: --tile-cells is not in it.');
  }
  const reason = built && emptyReason(built.report);
  if (reason) console.error(reason);
}

function inputRows({ input }: Level): Row[] {
  return [
    ['vertices', count(input.positions.length / 3)],
    ['triangles', count(input.indices.length / 3)],
  ];
}

function jsonOf(level: string, { input, settings }: Level, files: Made['files'], built: Built | null) {
  return {
    level,
    vertexCount: input.positions.length / 3,
    triangleCount: input.indices.length / 3,
    settings,
    outputs: files.map(({ file, format, bytes }) => ({ file, format, bytes: bytes.length })),
    ...(built ?? { report: null }),
  };
}
