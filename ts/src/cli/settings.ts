// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Build settings and numbers on the command line.
import { InvalidArgumentError, type Command } from 'commander';
import { BuildDefaults, type BuildSettings } from '../options.js';

const help: Readonly<Record<keyof BuildSettings, string>> = {
  agentRadius: 'keep this far from walls',
  agentHeight: 'headroom needed',
  walkableClimb: 'highest step',
  maxSlope: 'steepest slope in degrees',
  cellSize: 'side of a voxel',
  cellHeight: 'height of a voxel',
  contourMaxError: 'how far outlines may be off',
  maxEdgeLength: 'longest outline edge, 0: any',
  detailSampleDistance: 'spacing of height samples',
  detailMaxError: 'how far heights may be off',
  minRegionArea: 'drop isolated regions below so many cells',
  mergeRegionArea: 'merge regions below so many cells',
  maxVertsPerPoly: 'most vertices of a polygon',
  partition: 'how regions are cut; 0: watershed',
  tileCells: 'side of a tile in cells, 0: one tile',
};

const names = Object.keys(help) as (keyof BuildSettings)[];

/** Adds a flag for each build setting. */
export function addSettings(command: Command): Command {
  for (const name of names) {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.option(`--${flag} <number>`, help[name], parseNumber, BuildDefaults[name]);
  }
  return command;
}

/** The build settings among a command's options. */
export function settingsOf(options: Readonly<Record<string, unknown>>): Partial<BuildSettings> {
  return Object.fromEntries(names.map((name) => [name, options[name]]));
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
