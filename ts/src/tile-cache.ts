// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Temporary obstacles.
import { cellCount, records } from './abi.js';
import type { Native } from './native.js';
import { NavMesh, type NavMeshParams } from './nav-mesh.js';
import { merged, type BuildSettings, type Partition } from './options.js';
import { handleOf, Resource } from './resource.js';
import { Subject } from './subject.js';
import { readRows } from './tiles.js';
import { describe } from './describe.js';
import { badArgument } from './errors.js';
import { readVolume, volumeCells, type Volume } from './volumes.js';

/** An obstacle of a tile cache. */
export interface Obstacle {
  id: number;
  /** What it was made of. Heights may differ in the last digit. */
  volume: Volume;
}

/** What a tile cache holds. */
export interface TileCacheInfo {
  /** Tiles of the grid along x and z. */
  tilesX: number;
  tilesZ: number;
  /** Tiles with ground or off-mesh links: what the cache keeps. */
  tileCount: number;
  /** Heightfield layers over all tiles. */
  layerCount: number;
  /** Open spans in them. */
  spanCount: number;
  /** Bytes of all layers. */
  packedSize: number;
  /** Tiles touched, summed over all obstacles. */
  touchCount: number;
}

/**
 * The ground of every tile of a build, kept so that tiles can be built again when obstacles come and go. A tile built again equals
 * that of a fresh build with the same obstacles. Made by `Engine.buildTileCache` or `Engine.loadTileCache`.
 */
export class TileCache extends Resource {
  private constructor(native: Native, handle: number) {
    super(native, handle, 'cache');
  }

  /** @internal */
  static wrap(native: Native, handle: number): TileCache {
    return new TileCache(native, handle);
  }

  /** What it holds. */
  get info(): TileCacheInfo {
    return this.#info();
  }

  /** Of the mesh it works on. */
  get params(): NavMeshParams {
    this.#info();
    return this.native.recordAfter(records.tileCacheInfo, records.navmeshParams);
  }

  /** The settings it builds with. */
  get settings(): BuildSettings {
    this.#info();
    const cells = cellCount(records.tileCacheInfo) + cellCount(records.navmeshParams);
    const settings = this.native.record(records.buildSettings, cells);
    return { ...settings, partition: settings.partition as Partition };
  }

  /** Tiles waiting for `update`. */
  get pendingTiles(): number {
    this.#info();
    const layouts = [records.tileCacheInfo, records.navmeshParams, records.buildSettings];
    return this.native.recordNumber(layouts.reduce((cells, layout) => cells + cellCount(layout), 0));
  }

  #info() {
    this.native.call(this.native.exports.crw_tile_cache_info(this.handle()));
    return this.native.record(records.tileCacheInfo);
  }

  /**
   * Adds an obstacle and returns its id, which is never used again. What an agent standing there would touch is blocked, or gets the
   * obstacle's `area`. The tiles it touches wait for `update`: the mesh does not change yet. Throws `ArgumentError` naming `volume`, and
   * `CrowdreelError` with status `'Limit'` when there are 65,536 obstacles already.
   */
  addObstacle(volume: Volume): number {
    const { native } = this;
    const handle = this.handle();
    const cells = volumeCells(volume, new Subject('volume'), 'blocked');
    native.memory.writeRecord(native.arguments, records.volume, cells, 'volume');
    const result = native.exports.crw_tile_cache_add_obstacle(handle, native.arguments);
    native.call(result, { obstacle: 'volume', obstacles: 'volume' }, ({ status }) =>
      status === 'Argument' ? 'its corners are not those of a convex polygon' : null,
    );
    return native.recordNumber();
  }

  /** Takes an obstacle away; its tiles wait for `update`. Throws `CrowdreelError` with status `'NotFound'`, `ArgumentError`. */
  removeObstacle(id: number): void {
    const { native } = this;
    const handle = this.handle();
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) {
      throw badArgument('id', `must be an obstacle id, not ${describe(id)}`);
    }
    native.call(native.exports.crw_tile_cache_remove_obstacle(handle, id), { obstacle: 'id' }, ({ status }) =>
      status === 'NotFound' ? `there is no obstacle ${id}` : null,
    );
  }

  /** The obstacles there are, oldest first. */
  obstacles(): Obstacle[] {
    const { native } = this;
    const count = native.call(native.exports.crw_tile_cache_obstacles(this.handle()));
    return readRows(native, count, 1 + cellCount(records.volume), (at) => {
      return { id: native.memory.f64(at), volume: readVolume(native.memory.record(at + 8, records.volume)) };
    });
  }

  /**
   * Builds at most `maxTiles` waiting tiles again (1 or more; default: all), those waiting longest first, and puts them in `mesh`: the mesh
   * that came with the cache, or another with the same parameters. Areas and flags set on polygons of those tiles are lost.
   *
   * Throws `ArgumentError`, and `CrowdreelError` with status `'OutOfMemory'`: the tiles before the one that failed are done then,
   * and it waits on.
   */
  update(mesh: NavMesh, options?: { maxTiles?: number }): { rebuilt: number; pending: number } {
    const { native } = this;
    const handle = this.handle();
    const meshHandle = handleOf(native, mesh, NavMesh, 'mesh');
    mesh.assertOwn();
    const maxTiles: unknown = merged({ maxTiles: Infinity }, options, 'options').maxTiles;
    if (typeof maxTiles !== 'number' || !(maxTiles >= 1) || (maxTiles !== Infinity && !Number.isInteger(maxTiles))) {
      throw badArgument(
        'options.maxTiles',
        `must be a whole number of 1 or more, or Infinity, not ${describe(maxTiles)}`,
      );
    }
    native.call(native.exports.crw_tile_cache_update(handle, meshHandle, maxTiles), {}, ({ field, status }) =>
      field === 'mesh' && status === 'Argument' ? 'its parameters are not those of the cache' : null,
    );
    return { rebuilt: native.recordNumber(), pending: native.recordNumber(1) };
  }

  /** Lets every tile wait for `update`: makes the whole mesh anew, also from an empty one. */
  touchAll(): void {
    this.native.call(this.native.exports.crw_tile_cache_touch_all(this.handle()));
  }

  /** The cache as bytes, with its obstacles and waiting tiles: `Engine.loadTileCache` goes on from there. */
  save(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_tile_cache_save(this.handle()));
    return this.native.resultBytes();
  }
}
