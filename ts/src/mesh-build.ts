// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Builds tile by tile and stage by stage, and whole builds made of them.
import { cellCount, records } from './abi.js';
import {
  BuildStages,
  inputNames,
  noSeconds,
  placeInput,
  readReport,
  type BuildInput,
  type BuildReport,
  type BuildStage,
} from './build.js';
import { describe } from './describe.js';
import { badArgument, CrowdreelError } from './errors.js';
import type { Native } from './native.js';
import type { NavMeshParams } from './nav-mesh.js';
import { merged } from './options.js';
import { Resource } from './resource.js';
import { turnUp } from './surface.js';
import { integer } from './values.js';

// The clock of every host; the types of none are needed.
declare const performance: { now(): number };

/** The columns of a tile: where its cells lie. Height `h` of a span is at `originY + h * cellHeight`. */
export interface TileGrid {
  /** Columns along x, border included. Column `x + z * width` starts at `originX + (cellX + x) * cellSize`. */
  width: number;
  /** Columns along z, border included. */
  depth: number;
  /** Columns on each side that belong to the tiles around. */
  border: number;
  /** Place of column 0 in the grid of the whole build. */
  cellX: number;
  /** Place of column 0 in the grid of the whole build. */
  cellZ: number;
  originX: number;
  originY: number;
  originZ: number;
  cellSize: number;
  cellHeight: number;
}

/** What is solid, one entry for each span: by column, then upwards. */
export interface SolidSpans {
  /** Column, `x + z * width`. */
  columns: Uint32Array<ArrayBuffer>;
  /** Lowest and highest height of each. */
  lows: Int32Array<ArrayBuffer>;
  highs: Int32Array<ArrayBuffer>;
  /** Area of each top, 255 where it cannot be walked on. */
  areas: Uint8Array<ArrayBuffer>;
}

/** Open ground, one entry for each span: by column, then upwards. */
export interface OpenSpans {
  /** Column, `x + z * width`. */
  columns: Uint32Array<ArrayBuffer>;
  /** Height of the floor. */
  floors: Int32Array<ArrayBuffer>;
  /** Free heights above it, 2147483647 under the open sky. */
  headrooms: Int32Array<ArrayBuffer>;
  /** Region, 0 for none. */
  regions: Uint32Array<ArrayBuffer>;
  /** Four for each: the spans one steps to towards -x, +z, +x and -z, 4294967295 for none. */
  links: Uint32Array<ArrayBuffer>;
  /** Distance to where it cannot be walked on or the area changes: 2 a straight step, 3 a diagonal one. */
  distances: Uint16Array<ArrayBuffer>;
  /** Area, 255 where it cannot be walked on. */
  areas: Uint8Array<ArrayBuffer>;
  /** 1 in the columns of the tiles around. */
  borders: Uint8Array<ArrayBuffer>;
}

/** Outlines of regions, clockwise seen from above: the region is on the right of each, so holes run the other way round. */
export interface Contours {
  /** x, y, z of every point, outline after outline. */
  positions: Float64Array<ArrayBuffer>;
  /** How many points each outline has; fewer than 3: simplified away. */
  counts: Uint32Array<ArrayBuffer>;
  regions: Uint32Array<ArrayBuffer>;
  areas: Uint8Array<ArrayBuffer>;
  /** 1 for holes. */
  holes: Uint8Array<ArrayBuffer>;
}

/** The convex polygons of a tile, each clockwise seen from above. */
export interface TilePolygons {
  /** x, y, z of every vertex. */
  vertices: Float64Array<ArrayBuffer>;
  /** How many corners each polygon has. */
  counts: Uint8Array<ArrayBuffer>;
  /** Vertex numbers of all corners, polygon after polygon. */
  corners: Uint32Array<ArrayBuffer>;
  /**
   * What is behind the edge from each corner to the next: the number of a polygon, 4294967295 for a wall, or 4294967280 to 4294967283 for
   * the side of the tile towards +x, +z, -x, -z.
   */
  neighbours: Uint32Array<ArrayBuffer>;
  areas: Uint8Array<ArrayBuffer>;
  flags: Uint16Array<ArrayBuffer>;
}

/** The surface of a tile. */
export interface TileDetail {
  /** Nine numbers for each triangle: x, y, z of its three corners, counter-clockwise seen from above. */
  positions: Float64Array<ArrayBuffer>;
  /** The polygon each triangle belongs to. */
  polygons: Uint32Array<ArrayBuffer>;
}

/** Options of a whole build. */
export interface BuildOptions {
  /**
   * Called with 0 to 1 once for each stage of each tile, which may be often. When it returns `false` the build stops; other values mean nothing.
   */
  onProgress?: (progress: number) => unknown;
}

/** @internal Places a level and makes a builder of it. */
function createBuilder(native: Native, input: BuildInput, settings: unknown): number {
  const at = placeInput(native, input, settings);
  const handle = native.call(native.exports.crw_builder_create(at.settings, at.input), inputNames, at.explain);
  native.trim(at.size);
  return handle;
}

function readLayout(native: Native): { params: NavMeshParams; tilesX: number; tilesZ: number } {
  const params = native.record(records.navmeshParams);
  const cell = cellCount(records.navmeshParams);
  return { params, tilesX: native.recordNumber(cell), tilesZ: native.recordNumber(cell + 1) };
}

/**
 * A build to be run tile by tile, each tile stage by stage, with a look at what every stage made. It has a copy of its input. Made by
 * `Engine.createMeshBuild`.
 */
export class MeshBuild extends Resource {
  readonly #layout: Readonly<{ params: NavMeshParams; tilesX: number; tilesZ: number }>;
  readonly #report: BuildReport;

  private constructor(native: Native, handle: number) {
    super(native, handle, 'build');
    this.#layout = readLayout(native);
    native.call(native.exports.crw_builder_report(handle));
    this.#report = readReport(native, noSeconds());
  }

  /** @internal */
  static create(native: Native, input: BuildInput, settings: unknown): MeshBuild {
    return new MeshBuild(native, createBuilder(native, input, settings));
  }

  /** Of the mesh its tiles fit in: pass them to `Engine.createNavMesh`. */
  get params(): NavMeshParams {
    return { ...this.#layout.params };
  }

  /** Tiles along x; 0 when no triangle is used. */
  get tilesX(): number {
    return this.#layout.tilesX;
  }

  /** Tiles along z. */
  get tilesZ(): number {
    return this.#layout.tilesZ;
  }

  /** What is known of the triangles and links; what tiles count is 0. */
  get report(): BuildReport {
    return { ...this.#report, stageSeconds: noSeconds() };
  }

  /** Starts a tile, 0 to `tilesX - 1` and 0 to `tilesZ - 1`. Any number of them may be under way. Throws `ArgumentError`. */
  tile(x: number, z: number): TileBuild {
    const handle = this.handle();
    integer(x, 'x', 0, this.tilesX - 1);
    integer(z, 'z', 0, this.tilesZ - 1);
    return TileBuild.wrap(this.native, this.native.call(this.native.exports.crw_tile_build_create(handle, x, z)));
  }
}

/** One tile on its way through the stages. Made by `MeshBuild.tile`. */
export class TileBuild extends Resource {
  readonly #seconds = noSeconds();
  #next = 0;
  #taken = false;

  private constructor(native: Native, handle: number) {
    super(native, handle, 'tile');
  }

  /** @internal */
  static wrap(native: Native, handle: number): TileBuild {
    return new TileBuild(native, handle);
  }

  /** The stage to run next, or null when all have run. */
  get nextStage(): BuildStage | null {
    return BuildStages[this.#next] ?? null;
  }

  /** Counts and times of this tile so far. */
  get report(): BuildReport {
    this.native.call(this.native.exports.crw_tile_build_report(this.handle()));
    return readReport(this.native, this.#seconds);
  }

  /** Runs the next stage and returns its name; null when all have run. */
  run(): BuildStage | null {
    const handle = this.handle();
    const stage = this.nextStage;
    if (stage === null) return null;
    const begin = performance.now();
    this.#next = this.native.call(this.native.exports.crw_tile_build_run(handle, this.#next));
    this.#seconds[stage] = (performance.now() - begin) / 1000;
    return stage;
  }

  /** Runs all stages up to and with this one. Does nothing when it has run. Throws `ArgumentError`. */
  runTo(stage: BuildStage): void {
    const last = BuildStages.indexOf(stage);
    if (last < 0) throw badArgument('stage', `must be one of ${BuildStages.join(', ')}, not ${describe(stage)}`);
    this.handle();
    while (this.#next <= last) this.run();
  }

  #need(stage: BuildStage): number {
    const handle = this.handle();
    const number = BuildStages.indexOf(stage);
    if (this.#next > number) return handle;
    const problem = `"${stage}" must have run for this, but the next one to run is "${this.nextStage}"`;
    throw badArgument('stage', problem, { limit: number });
  }

  /**
   * The finished tile, for `NavMesh.addTile`; empty when there is nothing in it. It can be taken once. Throws `ArgumentError` before the last
   * stage.
   */
  takeBytes(): Uint8Array<ArrayBuffer> {
    const handle = this.#need('encode');
    if (this.#taken) throw badArgument('bytes', 'were taken before');
    this.native.call(this.native.exports.crw_tile_build_take_bytes(handle));
    this.#taken = true;
    return this.native.resultBytes();
  }

  /** Where its cells lie. From stage `rasterize` on. Throws `ArgumentError` before, as the calls below. */
  grid(): TileGrid {
    this.native.call(this.native.exports.crw_tile_build_grid(this.#need('rasterize')));
    return this.native.record(records.gridView);
  }

  /** A copy of the solid spans as they are now. From stage `rasterize` on. */
  solidSpans(): SolidSpans {
    const { native } = this;
    const n = native.call(native.exports.crw_tile_build_solid_spans(this.#need('rasterize')));
    const { memory, result: at } = native;
    const columns = memory.words(at, n);
    const lows = memory.integers(at + 4 * n, n);
    const highs = memory.integers(at + 8 * n, n);
    const areas = memory.bytes(at + 12 * n, n);
    native.trim(13 * n);
    return { columns, lows, highs, areas };
  }

  /** A copy of the open spans as they are now. From stage `compact` on. */
  openSpans(): OpenSpans {
    const { native } = this;
    const n = native.call(native.exports.crw_tile_build_open_spans(this.#need('compact')));
    const { memory, result: at } = native;
    const columns = memory.words(at, n);
    const floors = memory.integers(at + 4 * n, n);
    const headrooms = memory.integers(at + 8 * n, n);
    const regions = memory.words(at + 12 * n, n);
    const links = memory.words(at + 16 * n, 4 * n);
    const distances = memory.halves(at + 32 * n, n);
    const areas = memory.bytes(at + 34 * n, n);
    const borders = memory.bytes(at + 35 * n, n);
    native.trim(36 * n);
    return { columns, floors, headrooms, regions, links, distances, areas, borders };
  }

  /** A copy of the outlines, as traced along the cells or simplified. From stage `contours` on. */
  contours(which: 'raw' | 'simplified' = 'simplified'): Contours {
    const { native } = this;
    if (which !== 'raw' && which !== 'simplified') {
      throw badArgument('which', `must be 'raw' or 'simplified', not ${describe(which)}`);
    }
    const simplified = which === 'simplified' ? 1 : 0;
    const n = native.call(native.exports.crw_tile_build_contours(this.#need('contours'), simplified));
    const points = native.recordNumber();
    const { memory, result: at } = native;
    const countsAt = at + 24 * points;
    const positions = memory.doubles(at, 3 * points);
    const counts = memory.words(countsAt, n);
    const regions = memory.words(countsAt + 4 * n, n);
    const areas = memory.bytes(countsAt + 8 * n, n);
    const holes = memory.bytes(countsAt + 9 * n, n);
    native.trim(24 * points);
    return { positions, counts, regions, areas, holes };
  }

  /** A copy of the polygons. From stage `polygonize` on. */
  polygons(): TilePolygons {
    const { native } = this;
    const n = native.call(native.exports.crw_tile_build_polygons(this.#need('polygonize')));
    const vertexCount = native.recordNumber();
    const cornerCount = native.recordNumber(1);
    const { memory, result: at } = native;
    const cornersAt = at + 24 * vertexCount;
    const flagsAt = cornersAt + 8 * cornerCount;
    const vertices = memory.doubles(at, 3 * vertexCount);
    const corners = memory.words(cornersAt, cornerCount);
    const neighbours = memory.words(cornersAt + 4 * cornerCount, cornerCount);
    const flags = memory.halves(flagsAt, n);
    const counts = memory.bytes(flagsAt + 2 * n, n);
    const areas = memory.bytes(flagsAt + 3 * n, n);
    native.trim(24 * vertexCount);
    return { vertices, counts, corners, neighbours, areas, flags };
  }

  /** A copy of the surface as triangles. From stage `detail` on. */
  detail(): TileDetail {
    const { native } = this;
    const n = native.call(native.exports.crw_tile_build_detail(this.#need('detail')));
    const { memory, result: at } = native;
    const positions = memory.doubles(at, 9 * n);
    const polygons = memory.words(at + 72 * n, n);
    native.trim(76 * n);
    turnUp(positions);
    return { positions, polygons };
  }
}

// --- Whole builds -----------------------------------------------------------------------------------------------------

/** Called with the progress: throws when the caller wants no more. */
function progressOf(options: unknown): ((progress: number) => void) | null {
  const { onProgress } = merged<{ onProgress: unknown }>({ onProgress: null }, options, 'options');
  if (onProgress === null) return null;
  if (typeof onProgress !== 'function') {
    throw badArgument('options.onProgress', `must be a function, not ${describe(onProgress)}`);
  }
  return (progress) => {
    if ((onProgress as (progress: number) => unknown)(progress) === false) {
      throw new CrowdreelError('The build was cancelled.', { status: 'Cancelled' });
    }
  };
}

/** Hooks of a build that makes a tile cache on the way. */
interface Making {
  /** Called with the handle of a tile after its volumes are marked. */
  keep: (tile: number) => void;
}

/** A tile, and its part of the progress. */
interface TilePlace {
  x: number;
  z: number;
  start: number;
  share: number;
}

const AFTER_VOLUMES = BuildStages.indexOf('obstacles');

/** A build in pieces: gives its progress between them, and may be left at any of them. */
class WholeBuild {
  readonly #native: Native;
  readonly #milliseconds = new Float64Array(BuildStages.length);

  constructor(native: Native) {
    this.#native = native;
  }

  *#runStages(tile: number, start: number, share: number, making: Making | null): Generator<number, void> {
    const { exports } = this.#native;
    for (let stage = 0; stage < BuildStages.length; stage++) {
      yield start + (share * stage) / BuildStages.length;
      if (stage === AFTER_VOLUMES) making?.keep(tile);
      const began = performance.now();
      this.#native.call(exports.crw_tile_build_run(tile, stage), inputNames);
      this.#milliseconds[stage]! += performance.now() - began;
    }
  }

  *#buildTile(builder: number, mesh: number, place: TilePlace, making: Making | null): Generator<number, void> {
    const { exports } = this.#native;
    const tile = this.#native.call(exports.crw_tile_build_create(builder, place.x, place.z));
    try {
      yield* this.#runStages(tile, place.start, place.share, making);
      this.#native.call(exports.crw_tile_build_add(tile, mesh));
    } finally {
      exports.crw_handle_dispose(tile);
    }
  }

  *run(
    builder: number,
    tilesX: number,
    tilesZ: number,
    mesh: number,
    making: Making | null,
  ): Generator<number, BuildReport> {
    const { exports } = this.#native;
    const share = 1 / (tilesX * tilesZ);
    for (let z = 0, tile = 0; z < tilesZ; z++) {
      for (let x = 0; x < tilesX; x++, tile++) {
        const start = tile * share;
        if (this.#native.call(exports.crw_builder_skip_tile(builder, x, z)) === 1) yield start;
        else yield* this.#buildTile(builder, mesh, { x, z, start, share }, making);
      }
    }
    yield 1;
    this.#native.call(exports.crw_builder_report(builder));
    const seconds = noSeconds();
    BuildStages.forEach((stage, i) => (seconds[stage] = (this.#milliseconds[i] as number) / 1000));
    return readReport(this.#native, seconds);
  }
}

/** Writes mesh parameters to the argument block. */
export function writeParams(native: Native, params: NavMeshParams): number {
  native.memory.writeRecord(native.arguments, records.navmeshParams, { ...params }, 'params');
  native.given.set('params', { ...params });
  return native.arguments;
}

/** What a whole build makes: handles, and a report. */
export interface BuiltWhole {
  mesh: number;
  /** 0 without one. */
  cache: number;
  report: BuildReport;
}

/** Builds all tiles into a mesh, and with `withCache` a tile cache, in pieces: gives its progress between them. */
export function* buildInPieces(
  native: Native,
  input: BuildInput,
  settings: unknown,
  withCache: boolean,
): Generator<number, BuiltWhole> {
  const { exports } = native;
  const held: number[] = [];
  const hold = (result: number): number => {
    held.push(native.call(result, inputNames));
    return held.at(-1) as number;
  };
  let kept: number[] = [];
  try {
    const builder = createBuilder(native, input, settings);
    held.push(builder);
    const { params, tilesX, tilesZ } = readLayout(native);
    const mesh = hold(exports.crw_navmesh_create(writeParams(native, params)));
    const maker = withCache ? hold(exports.crw_cache_maker_create(builder)) : 0;
    const keep = (tile: number) => void native.call(exports.crw_cache_maker_keep(maker, tile), inputNames);
    const making = withCache ? { keep } : null;
    const report = yield* new WholeBuild(native).run(builder, tilesX, tilesZ, mesh, making);
    const cache = withCache ? hold(exports.crw_cache_maker_finish(maker)) : 0;
    kept = [mesh, cache];
    return { mesh, cache, report };
  } finally {
    for (const handle of held) if (!kept.includes(handle)) exports.crw_handle_dispose(handle);
  }
}

/** Builds in one go. `options.onProgress` is called between the pieces: what it throws ends the build. */
export function buildWhole(
  native: Native,
  input: BuildInput,
  settings: unknown,
  options: unknown,
  withCache = false,
): BuiltWhole {
  const progress = progressOf(options);
  const pieces = buildInPieces(native, input, settings, withCache);
  for (;;) {
    const { done, value } = pieces.next();
    if (done) return value;
    try {
      progress?.(value);
    } catch (error) {
      pieces.return(undefined as never); // gives back what is there
      throw error;
    }
  }
}
