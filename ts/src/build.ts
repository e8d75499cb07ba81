// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Level geometry on its way into the engine.
import { records } from './abi.js';
import { badArgument } from './errors.js';
import type { Native } from './native.js';
import { BuildDefaults, merged, writeOptions, type BuildSettings, type Partition } from './options.js';
import { describe } from './describe.js';

/** Level geometry: triangles of any size and order. */
export interface BuildInput {
  /** x, y, z of every vertex; finite, below 2^21 in magnitude; at most 4,000,000 vertices. */
  positions: ArrayLike<number>;
  /** Three vertex numbers for each triangle, counter-clockwise seen from above where it can be walked on; at most 8,000,000. */
  indices: ArrayLike<number>;
  /** The area of each triangle, 0 to 63; default: all 0. */
  areas?: ArrayLike<number>;
}

/** What a build did. */
export interface BuildReport {
  trianglesUsed: number;
  /** Triangles without extent or with repeated corners: skipped. */
  trianglesDegenerate: number;
  /** Triangles too steep to walk on. */
  trianglesSteep: number;
  /** Number of the first degenerate triangle, or -1. */
  firstDegenerate: number;
  /** Solid voxel spans. */
  spans: number;
  regions: number;
  contours: number;
  polygons: number;
  vertices: number;
  detailTriangles: number;
  tilesBuilt: number;
  tilesEmpty: number;
}

/** A build input file's contents. */
export interface BuildInputFile {
  positions: Float64Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
  settings: BuildSettings;
}

/** Names of the engine's arrays as callers know them. */
export const inputNames = { vertices: 'input.positions', triangles: 'input.indices', areas: 'input.areas' };

/** Where geometry and settings stand in the engine's memory. */
export interface PlacedInput {
  settings: number;
  positions: number;
  vertexCount: number;
  indices: number;
  triangleCount: number;
  areas: number;
  size: number;
}

/** Copies geometry and settings to the input and argument blocks. */
export function placeInput(native: Native, input: BuildInput, settings: unknown): PlacedInput {
  if (typeof input !== 'object' || input === null)
    throw badArgument('input', `must be an object, not ${describe(input)}`);
  const { positions, indices, areas } = input;
  const vertexCount = rowCount(positions, 'input.positions', 3);
  const triangleCount = rowCount(indices, 'input.indices', 3);
  checkWhole(indices, 'input.indices', 0xffffffff);
  if (areas !== undefined) checkAreas(areas, triangleCount);
  const used = merged(BuildDefaults, settings, 'settings');
  const settingsAt = writeOptions(native, records.buildSettings, used, 'settings');
  const size = vertexCount * 24 + triangleCount * 13;
  const at = native.call(native.exports.crw_input(size));
  const indicesAt = at + vertexCount * 24;
  const areasAt = indicesAt + triangleCount * 12;
  native.memory.writeF64(at, positions);
  native.memory.writeU32(indicesAt, indices);
  if (areas) native.memory.writeBytes(areasAt, areas);
  return {
    settings: settingsAt,
    positions: at,
    vertexCount,
    indices: indicesAt,
    triangleCount,
    areas: areas ? areasAt : 0,
    size,
  };
}

/** Reads the build settings record. */
export function readSettings(native: Native): BuildSettings {
  const settings = native.record(records.buildSettings);
  return { ...settings, partition: settings.partition as Partition };
}

function rowCount(list: unknown, field: string, width: number): number {
  const length = typeof list === 'object' && list !== null ? (list as ArrayLike<unknown>).length : undefined;
  if (typeof length !== 'number') throw badArgument(field, `must be an array of numbers, not ${describe(list)}`);
  if (length % width === 0) return length / width;
  throw badArgument(field, `must hold ${width} numbers for each row, but has ${length}`, { limit: width });
}

// Copying into an integer array would change other numbers silently.
function checkWhole(list: ArrayLike<number>, field: string, high: number): void {
  if (list instanceof Uint32Array || list instanceof Uint16Array) return;
  for (let i = 0; i < list.length; i++) {
    const v = list[i] as number;
    if (Number.isInteger(v) && v >= 0 && v <= high) continue;
    throw badArgument(field, `must be whole numbers from 0 to ${high}, but element ${i} is ${describe(v)}`, {
      index: i,
    });
  }
}

function checkAreas(areas: ArrayLike<number>, triangleCount: number): void {
  const count = rowCount(areas, 'input.areas', 1);
  if (count !== triangleCount) {
    throw badArgument('input.areas', `must hold one area for each of ${triangleCount} triangles, but has ${count}`, {
      limit: triangleCount,
    });
  }
  checkWhole(areas, 'input.areas', 63);
}
