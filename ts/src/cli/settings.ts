// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build settings and numbers on the command line.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { BuildDefaults, Partition, type BuildSettings } from '../options.js';
import type { Row } from './output.js';

interface Setting {
  help: string;
  /** What its value is counted in, for printing. */
  unit?: string;
}

// World units go without a name: they are whatever the level is in.
const all: Readonly<Record<keyof BuildSettings, Setting>> = {
  agentRadius: { help: 'keep this far from walls' },
  agentHeight: { help: 'headroom needed' },
  walkableClimb: { help: 'highest step' },
  maxSlope: { help: 'steepest slope in degrees', unit: 'degrees' },
  cellSize: { help: 'side of a voxel' },
  cellHeight: { help: 'height of a voxel' },
  contourMaxError: { help: 'how far outlines may be off' },
  maxEdgeLength: { help: 'longest outline edge, 0: any' },
  detailSampleDistance: { help: 'spacing of height samples' },
  detailMaxError: { help: 'how far heights may be off' },
  minRegionArea: { help: 'drop isolated regions below so many cells', unit: 'cells' },
  mergeRegionArea: { help: 'merge regions below so many cells', unit: 'cells' },
  maxVertsPerPoly: { help: 'most vertices of a polygon' },
  partition: { help: 'how regions are cut: watershed, monotone, layers' },
  tileCells: { help: 'side of a tile in cells, 0: one tile', unit: 'cells' },
};

/** Defaults that follow other settings. */
const rules: Partial<Record<keyof BuildSettings, string>> = {
  contourMaxError: '1.3 cells; with --cell-size or --agent-radius at most half the radius',
  detailSampleDistance: '6 cells',
  detailMaxError: 'the cell height',
};

const names = Object.keys(all) as (keyof BuildSettings)[];
const partitions = Object.entries(Partition).map(([name, value]) => [name.toLowerCase(), value] as const);

/** The flag of a setting. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A text about settings with their flags in place of their names. */
export function withFlags(text: string): string {
  return text.replace(/\bsettings\.([a-zA-Z]+)/g, (whole, name: string) => (name in all ? flagOf(name) : whole));
}

/** Adds a flag for each build setting. */
export function addSettings(command: Command): Command {
  for (const name of names) {
    if (name === 'partition') command.addOption(partitionOption());
    else command.addOption(numberOption(name));
  }
  return command;
}

// Shown only: what was given is told by its source, and the defaults are the package's.
function numberOption(name: keyof BuildSettings): Option {
  const value = BuildDefaults[name];
  const rule = rules[name];
  return new Option(`${flagOf(name)} <number>`, all[name].help)
    .default(value, rule && `${rule}: ${value}`)
    .argParser(parseNumber);
}

function partitionOption(): Option {
  return new Option('--partition <name>', all.partition.help)
    .default(BuildDefaults.partition, partitionName(BuildDefaults.partition))
    .argParser(parsePartition);
}

/** The build settings given to a command, without those left out. */
export function givenSettings(command: Command): Partial<BuildSettings> {
  const given = names.filter((name) => command.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(given.map((name) => [name, command.getOptionValue(name)]));
}

/** Settings as rows of a table. */
export function settingRows(settings: BuildSettings): Row[] {
  return names.map((name): Row => [flagOf(name).slice(2), valueText(name, settings[name])]);
}

function valueText(name: keyof BuildSettings, value: number): string {
  if (name === 'partition') return partitionName(value);
  if (value === 0 && name === 'tileCells') return '0: one tile';
  const { unit } = all[name];
  return unit ? `${value} ${unit}` : String(value);
}

function partitionName(value: number): string {
  return partitions.find(([, number]) => number === value)?.[0] ?? String(value);
}

function parsePartition(text: string): number {
  const found = partitions.find(([name, number]) => text === name || text === String(number));
  if (found) return found[1];
  throw new InvalidArgumentError('It must be watershed, monotone or layers.');
}

/** A number, or a fraction such as 1/60. */
export function parseNumber(text: string): number {
  const [top = '', bottom, ...more] = text.split('/');
  const value = bottom === undefined ? number(top) : number(top) / number(bottom);
  if (more.length > 0 || !Number.isFinite(value)) throw new InvalidArgumentError('It is not a number.');
  return value;
}

function number(text: string): number {
  return text.trim() === '' ? NaN : Number(text);
}

/** A whole number from `low` on. */
export function parseCount(low: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : NaN;
    if (value >= low && value <= 2147483647) return value;
    throw new InvalidArgumentError(`It must be a whole number of at least ${low}.`);
  };
}

/** A seed: a whole number of up to 64 bits. */
export function parseSeed(text: string): bigint {
  const value = /^\d+$/.test(text) ? BigInt(text) : -1n;
  if (value >= 0n && value < 1n << 64n) return value;
  throw new InvalidArgumentError('It must be a whole number from 0 to 2^64 - 1.');
}
