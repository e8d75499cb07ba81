// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Level geometry on its way into the engine.
import { cellCount, records, type RecordOf } from './abi.js';
import { describe } from './describe.js';
import { badArgument, type ErrorDetail } from './errors.js';
import { InputBlock } from './input-block.js';
import type { Native } from './native.js';
import { allLinkCells, writeLinks, type OffMeshLink } from './off-mesh.js';
import { BuildDefaults, buildSettings, writeOptions, type BuildSettings, type Partition } from './options.js';
import { subjects } from './subject.js';
import { checkMembers, COORD_LIMIT } from './values.js';
import { volumeCells, writeVolumes, type AreaVolume, type Volume } from './volumes.js';

/** Level geometry: triangles of any size and order, and what marks their ground. */
export interface BuildInput {
  /** x, y, z of every vertex; finite, below 2^21 in magnitude; at most 4,000,000 vertices. */
  positions: ArrayLike<number>;
  /** Three vertex numbers for each triangle, counter-clockwise seen from above where it can be walked on; at most 8,000,000. */
  indices: ArrayLike<number>;
  /** The area of each triangle, 0 to 63; default: all 0. */
  areas?: ArrayLike<number>;
  /**
   * Give the walkable ground inside them their area, or block it. They act in this order: the last one counts, but blocked ground stays
   * blocked.
   */
  volumes?: readonly AreaVolume[];
  /**
   * As volumes, but grown by the agent: what an agent standing there would touch is blocked, or gets the `area` of the obstacle when
   * it has one.
   */
  obstacles?: readonly Volume[];
  /** Ways between points that no surface joins. Those that start outside the level are left out and counted. */
  offMeshLinks?: readonly OffMeshLink[];
  /** Flags of the polygons of each area, 0 to 65535: `{ 3: 4 }` gives those of area 3 the flags 4. Areas not mentioned: 1. */
  areaFlags?: Readonly<Record<number, number>> | ArrayLike<number>;
}

/** The stages of building a tile, in order. */
export const BuildStages = [
  'rasterize',
  'lowObstacles',
  'ledges',
  'lowHeadroom',
  'compact',
  'erode',
  'volumes',
  'obstacles',
  'regions',
  'contours',
  'polygonize',
  'detail',
  'encode',
] as const;
/**
 * A stage of building a tile.
 *
 * * `rasterize`: triangles to solid spans of voxels.
 * * `lowObstacles`, `ledges`, `lowHeadroom`: which of their tops can be walked on.
 * * `compact`: the open ground above them.
 * * `erode`: keeps the agent's radius from walls and edges.
 * * `volumes`, `obstacles`: areas, and ground that is blocked.
 * * `regions`: ground cut into regions.
 * * `contours`: their outlines, traced and simplified.
 * * `polygonize`: convex polygons.
 * * `detail`: heights inside them.
 * * `encode`: the tile's bytes.
 */
export type BuildStage = (typeof BuildStages)[number];

/** What a build did. */
export interface BuildReport {
  trianglesUsed: number;
  /** Triangles without extent or with repeated corners: skipped. */
  trianglesDegenerate: number;
  /** Triangles with the corners and area of one before, facing the same way: skipped. */
  trianglesDuplicate: number;
  /** Triangles that face up, but are too steep to walk on: obstacles. */
  trianglesSteep: number;
  /** Triangles that face down or stand upright: obstacles. */
  trianglesDownward: number;
  /** Number of the first degenerate triangle, or -1. */
  firstDegenerate: number;
  /** Number of the first duplicate triangle, or -1. */
  firstDuplicate: number;
  /** Number of the first steep triangle, or -1. */
  firstSteep: number;
  /** Number of the first triangle facing down, or -1. */
  firstDownward: number;
  /** Off-mesh links that start outside every tile: left out. */
  offMeshOutside: number;
  /** Number of the first of them, or -1. */
  firstOffMeshOutside: number;
  /** Solid voxel spans. */
  spans: number;
  regions: number;
  contours: number;
  polygons: number;
  vertices: number;
  detailTriangles: number;
  tilesBuilt: number;
  tilesEmpty: number;
  /** Seconds spent in each stage, over all tiles. In an engine's first build they include the host's compiling of the code. */
  stageSeconds: Record<BuildStage, number>;
}

/** A build input file's contents: pass it to `buildNavMesh` or `createMeshBuild` together with its settings. */
export interface BuildInputFile {
  positions: Float64Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
  settings: BuildSettings;
}

/** Names of the engine's arrays as callers know them. */
export const inputNames = {
  vertices: 'input.positions',
  triangles: 'input.indices',
  areas: 'input.areas',
  volumes: 'input.volumes',
  obstacles: 'input.obstacles',
  'obstacle tiles': 'input.obstacles',
  offMeshLinks: 'input.offMeshLinks',
};

/** Where a build's settings and input records stand in the engine's memory, and the size of the input block. */
export interface PlacedInput {
  settings: number;
  input: number;
  size: number;
  /** What to say about a failure. */
  explain: (detail: Required<ErrorDetail>) => string | null;
}

// What `readBuildInput` gives can be passed as it is, together with its settings.
const inputMembers: Readonly<Record<keyof BuildInput | 'settings', true>> = {
  positions: true,
  indices: true,
  areas: true,
  volumes: true,
  obstacles: true,
  offMeshLinks: true,
  areaFlags: true,
  settings: true,
};

const AREA_COUNT = 64;

/** Copies geometry and settings to the input and argument blocks. */
export function placeInput(native: Native, input: BuildInput, settings: unknown): PlacedInput {
  if (typeof input !== 'object' || input === null)
    throw badArgument('input', `must be an object, not ${describe(input)}`);
  checkMembers(input, inputMembers, 'input', (name) =>
    Object.hasOwn(BuildDefaults, name) ? 'is a setting: pass it in the second argument' : null,
  );
  if ('settings' in input && settings === undefined) {
    throw badArgument('input.settings', 'is not used here: pass settings as the second argument');
  }
  const { positions, indices, areas } = input;
  const vertexCount = rowCount(positions, 'input.positions', 3);
  const triangleCount = rowCount(indices, 'input.indices', 3, 'the corners of a triangle');
  checkNumbers(positions, 'input.positions', 3);
  checkWhole(indices, 'input.indices', 0xffffffff, 3);
  if (areas !== undefined) checkAreas(areas, triangleCount);
  const volumes = subjects(input.volumes, 'input.volumes').map(([value, subject]) => volumeCells(value, subject));
  const obstacles = subjects(input.obstacles, 'input.obstacles').map(([value, subject]) =>
    volumeCells(value, subject, 'blocked'),
  );
  const links = allLinkCells(input.offMeshLinks, 'input.offMeshLinks');
  const flags = input.areaFlags === undefined ? undefined : areaFlags(input.areaFlags, 'input.areaFlags');
  const used = buildSettings(settings);

  const block = new InputBlock(native);
  const volumeSize = cellCount(records.volume) * 8;
  const linkSize = cellCount(records.offMeshLink) * 8;
  const { memory } = native;
  const at = {
    vertices: block.doubles(positions),
    triangles: block.words(indices),
    areas: block.bytes(areas),
    volumes: block.add(volumes.length * volumeSize, (address) => writeVolumes(memory, address, volumes)),
    obstacles: block.add(obstacles.length * volumeSize, (address) => writeVolumes(memory, address, obstacles)),
    links: block.add(links.length * linkSize, (address) => writeLinks(memory, address, links)),
    areaFlags: block.halves(flags),
  };
  const size = block.place();
  const cells: RecordOf<typeof records.buildInput> = {
    vertices: at.vertices.address,
    vertexCount,
    triangles: at.triangles.address,
    triangleCount,
    areas: at.areas.address,
    volumes: at.volumes.address,
    volumeCount: volumes.length,
    obstacles: at.obstacles.address,
    obstacleCount: obstacles.length,
    offMeshLinks: at.links.address,
    offMeshCount: links.length,
    areaFlags: at.areaFlags.address,
  };
  const settingsAt = writeOptions(native, records.buildSettings, used, 'settings');
  const inputAt = settingsAt + cellCount(records.buildSettings) * 8;
  memory.writeRecord(inputAt, records.buildInput, cells, 'input');
  return { settings: settingsAt, input: inputAt, size, explain: (detail) => explainInput(input, detail) };
}

/** Reads the build settings record. */
export function readSettings(native: Native): BuildSettings {
  const settings = native.record(records.buildSettings);
  return { ...settings, partition: settings.partition as Partition };
}

/** No time spent in any stage. */
export function noSeconds(): Record<BuildStage, number> {
  return Object.fromEntries(BuildStages.map((stage) => [stage, 0])) as Record<BuildStage, number>;
}

/** Reads the build report record. */
export function readReport(native: Native, stageSeconds: Readonly<Record<BuildStage, number>>): BuildReport {
  return { ...native.record(records.buildReport), stageSeconds: { ...stageSeconds } };
}

/** A row of three numbers, for a message. */
function row(list: ArrayLike<number>, index: number): string {
  return `(${list[3 * index]}, ${list[3 * index + 1]}, ${list[3 * index + 2]})`;
}

// What the engine refuses after the checks made here: it names the element, and its values are known.
function explainInput(input: BuildInput, { field, index }: Required<ErrorDetail>): string | null {
  if (index === null) return null;
  switch (field) {
    case 'input.positions':
      return `vertex ${index} is ${row(input.positions, index)}, and coordinates must be finite and below ${COORD_LIMIT}`;
    case 'input.indices':
      return `triangle ${index} is ${row(input.indices, index)}, and there are ${input.positions.length / 3} vertices`;
    case 'input.volumes':
      return `the corners of volume ${index} are not those of a convex polygon`;
    case 'input.obstacles':
      return `the corners of obstacle ${index} are not those of a convex polygon`;
    case 'input.offMeshLinks':
      return `the radius of link ${index} is ${input.offMeshLinks?.[index]?.radius}, more than the side of a tile`;
    default:
      return null;
  }
}

/** How many rows of `width` numbers a list holds. `row` says what those of a row are. */
export function rowCount(list: unknown, field: string, width: number, row = 'x, y, z'): number {
  const length = typeof list === 'object' && list !== null ? (list as ArrayLike<unknown>).length : undefined;
  if (typeof length !== 'number') throw badArgument(field, `must be an array of numbers, not ${describe(list)}`);
  if (length % width === 0) return length / width;
  throw badArgument(field, `is incomplete: its length must be a multiple of ${width} (${row}): it is ${length}`, {
    limit: width,
  });
}

// Copying would make numbers of other values silently. `index` of the error is the row's: a vertex's.
export function checkNumbers(list: ArrayLike<number>, field: string, width: number): void {
  if (list instanceof Float64Array || list instanceof Float32Array) return;
  for (let i = 0; i < list.length; i++) {
    const v: unknown = list[i];
    if (typeof v === 'number') continue;
    const index = Math.floor(i / width);
    throw badArgument(field, `must hold numbers, but ${'xyz'[i % width]} of row ${index} is ${describe(v)}`, { index });
  }
}

// Copying into an integer array would change other numbers silently. `index` of the error is the row's: a triangle's.
export function checkWhole(list: ArrayLike<number>, field: string, high: number, width = 1): void {
  if (list instanceof Uint8Array && high >= 0xff) return;
  if (list instanceof Uint16Array && high >= 0xffff) return;
  if (list instanceof Uint32Array && high >= 0xffffffff) return;
  for (let i = 0; i < list.length; i++) {
    const v = list[i] as number;
    if (Number.isInteger(v) && v >= 0 && v <= high) continue;
    const index = Math.floor(i / width);
    const place = width === 1 ? `element ${i}` : `corner ${i % width} of triangle ${index}`;
    throw badArgument(field, `must be whole numbers from 0 to ${high}, but ${place} is ${describe(v)}`, { index });
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

function areaFlags(value: unknown, field: string): Uint16Array {
  if (typeof value !== 'object' || value === null)
    throw badArgument(field, `must be an object, not ${describe(value)}`);
  const out = new Uint16Array(AREA_COUNT).fill(1);
  for (const [key, flags] of Object.entries(value)) {
    const area = Number(key);
    if (!Number.isInteger(area) || area < 0 || area >= AREA_COUNT) {
      throw badArgument(`${field}.${key}`, 'is not an area from 0 to 63', { limit: AREA_COUNT - 1 });
    }
    if (typeof flags !== 'number' || !Number.isInteger(flags) || flags < 0 || flags > 0xffff) {
      throw badArgument(
        field,
        `must be whole numbers from 0 to 65535, but those of area ${area} are ${describe(flags)}`,
        {
          index: area,
        },
      );
    }
    out[area] = flags;
  }
  return out;
}
