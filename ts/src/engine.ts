/// <reference lib="esnext.disposable" preserve="true" />
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The engine: everything else is made here.
import { cellCount, records } from './abi.js';
import {
  inputNames,
  placeInput,
  readSettings,
  type BuildInput,
  type BuildInputFile,
  type BuildReport,
} from './build.js';
import { Crowd } from './crowd.js';
import { placeCrowd, type CrowdSetup } from './crowd-setup.js';
import { badArgument } from './errors.js';
import { magicOf } from './formats.js';
import { buildInPieces, buildWhole, MeshBuild, type BuildOptions } from './mesh-build.js';
import type { MemoryGrowth } from './memory.js';
import { callWithSnapshot, type SnapshotTiles } from './mesh-snapshot.js';
import { Native } from './native.js';
import { NavMesh, type NavMeshParams, type NavMeshView } from './nav-mesh.js';
import {
  checkNodeModel,
  merged,
  NodeModel,
  PlayerDefaults,
  QueryDefaults,
  writeOptions,
  type BuildSettings,
  type PathFollowerOptions,
  type PathFollowerSetup,
  type PlayerOptions,
  type QueryOptions,
} from './options.js';
import { PathFollower } from './path-follower.js';
import { Player } from './player.js';
import { NavMeshQuery } from './query.js';
import { Recorder } from './recorder.js';
import { Replay } from './replay.js';
import { handleOf } from './resource.js';
import { TileCache } from './tile-cache.js';
import {
  encodeTile,
  placeParams,
  polygonMesh,
  readRows,
  type PolygonSoup,
  type SnapshotTile,
  type TileDescription,
} from './tiles.js';
import { byteArray, finite, optionsObject, unknownName, type BytesLike } from './values.js';
import { World } from './world.js';

/** Parameters of a mesh made by hand. */
export type MeshParams = Omit<NavMeshParams, 'agentRadius' | 'agentHeight'> &
  Partial<Pick<NavMeshParams, 'agentRadius' | 'agentHeight'>>;

/** @internal The threads of an engine that has more than the calling one. */
export interface EngineThreads {
  /** With the calling one; 1 when they have ended. */
  readonly count: number;
  end(): void;
}

/**
 * One instance of the engine, made by `loadCrowdreel`. Engines share nothing: several can be used side by side, but an object
 * of one is refused by the others.
 */
export class Engine {
  readonly #native: Native;
  readonly #threads: EngineThreads | null;

  private constructor(native: Native, threads: EngineThreads | null) {
    this.#native = native;
    this.#threads = threads;
  }

  /** @internal */
  static wrap(
    exports: Readonly<Record<string, unknown>>,
    growth?: MemoryGrowth,
    threads: EngineThreads | null = null,
  ): Engine {
    return new Engine(new Native(exports, growth), threads);
  }

  /** The engine's version. */
  get version(): string {
    return this.#native.version;
  }

  /** Objects made by this engine and not disposed of yet. */
  get liveHandles(): number {
    return this.#native.exports.crw_handle_count();
  }

  /** Bytes of memory the engine has taken. It grows with use and never shrinks: memory given back is used again. */
  get memorySize(): number {
    return this.#native.memory.size;
  }

  /** Threads a crowd of this engine can have, the calling one included: 1 unless it was loaded from `crowdreel/threads` with more. */
  get threads(): number {
    return this.#threads?.count ?? 1;
  }

  /**
   * Ends the engine's threads. Its objects stay, and its crowds step on the calling thread alone, to the same bytes. An engine without threads has
   * nothing to end. Memory goes with the last reference to the engine and its objects.
   */
  dispose(): void {
    this.#threads?.end();
  }

  /** As `dispose()`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  // --- Meshes -----------------------------------------------------------------------------------------------------------

  /**
   * Builds a navigation mesh from level geometry. A level without walkable surface gives a mesh without polygons.
   *
   * `options.onProgress` is called with 0 to 1 between tiles and stages; when it returns false the build stops with a `CrowdreelError` of status
   * `'Cancelled'`, and nothing is kept.
   *
   * Throws `ArgumentError` naming `settings.<name>`, or `input.positions`, `input.indices`, `input.areas`, `input.volumes`,
   * `input.obstacles`, `input.offMeshLinks` with the index of the vertex, triangle, volume, obstacle or link, or `input.areaFlags`.
   */
  buildNavMesh(
    input: BuildInput,
    settings?: Partial<BuildSettings>,
    options?: BuildOptions,
  ): { mesh: NavMesh; report: BuildReport } {
    const { mesh, report } = buildWhole(this.#native, input, settings, options);
    return { mesh: NavMesh.wrap(this.#native, mesh), report };
  }

  /**
   * Starts a build to be run tile by tile and stage by stage: to look at what every stage makes, or to build only some tiles. Throws as
   * `buildNavMesh`.
   */
  createMeshBuild(input: BuildInput, settings?: Partial<BuildSettings>): MeshBuild {
    return MeshBuild.create(this.#native, input, settings);
  }

  /**
   * Builds a mesh as `buildNavMesh` does, and with it what is needed to build its tiles again when obstacles come and go. With
   * `settings.tileCells` an obstacle costs only the tiles it touches. `input.obstacles` become the first obstacles of the cache, with ids from 1.
   */
  buildTileCache(
    input: BuildInput,
    settings?: Partial<BuildSettings>,
    options?: BuildOptions,
  ): { cache: TileCache; mesh: NavMesh; report: BuildReport } {
    const { cache, mesh, report } = buildWhole(this.#native, input, settings, options, true);
    return { cache: TileCache.wrap(this.#native, cache), mesh: NavMesh.wrap(this.#native, mesh), report };
  }

  /**
   * @internal A build whose caller does other things in between. With `withCache` as `buildTileCache`, else as `buildNavMesh`.
   */
  *buildInPieces(
    input: BuildInput,
    settings: Partial<BuildSettings>,
    withCache: boolean,
  ): Generator<number, { cache: TileCache | null; mesh: NavMesh; report: BuildReport }> {
    const { cache, mesh, report } = yield* buildInPieces(this.#native, input, settings, withCache);
    return {
      cache: withCache ? TileCache.wrap(this.#native, cache) : null,
      mesh: NavMesh.wrap(this.#native, mesh),
      report,
    };
  }

  /** A tile cache from the bytes of `TileCache.save`. Throws `TileCacheError` naming field and byte offset. */
  loadTileCache(bytes: BytesLike): TileCache {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    const handle = native.callOnBytes(native.exports.crw_tile_cache_load, data);
    native.trim(data.length);
    return TileCache.wrap(native, handle);
  }

  /** A mesh without tiles. `agentRadius` and `agentHeight` may be left out. Throws `ArgumentError` naming `params.<name>`. */
  createNavMesh(params: MeshParams): NavMesh {
    const native = this.#native;
    return NavMesh.wrap(native, native.call(native.exports.crw_navmesh_create(placeParams(native, params))));
  }

  /**
   * A mesh of your own convex polygons, without a build. Polygon number i of its outlines is polygon i given. Throws `ArgumentError`
   * naming `polygons.positions` or `polygons.polygons` with the index.
   */
  navMeshFromPolygons(polygons: PolygonSoup): NavMesh {
    return NavMesh.wrap(this.#native, polygonMesh(this.#native, polygons));
  }

  /**
   * Your own tile as bytes, for `NavMesh.addTile` of a mesh with these parameters. Throws `ArgumentError` naming `params.<name>` or
   * `tile.<name>` with the index.
   */
  encodeTile(params: MeshParams, tile: TileDescription): Uint8Array<ArrayBuffer> {
    return encodeTile(this.#native, params, tile);
  }

  /**
   * A mesh from the bytes of `NavMesh.save`. For a referenced snapshot `options.tiles` holds the bytes of its tiles, in any order; they are
   * known by their content. Throws `NavMeshFormatError` naming field and byte offset, with status `'NotFound'` when a tile is not among
   * them, and `'Mismatch'` when another one of its place is.
   */
  loadNavMesh(bytes: BytesLike, options?: SnapshotTiles): NavMesh {
    const native = this.#native;
    const handle = callWithSnapshot(native, bytes, options, native.exports.crw_navmesh_load);
    return NavMesh.wrap(native, handle);
  }

  /**
   * The tiles a referenced snapshot needs; none for a full one. Takes bytes of `NavMesh.save` and of `Crowd.saveStateWithMesh`. Throws
   * `NavMeshFormatError`, and `CrowdStateError` for a crowd's state that is cut off.
   */
  snapshotTiles(bytes: BytesLike): SnapshotTile[] {
    const native = this.#native;
    const { crw_navmesh_snapshot_needs, crw_crowd_state_needs } = native.exports;
    const data = byteArray(bytes, 'bytes');
    const needs = magicOf(data) === 'CRCS' ? crw_crowd_state_needs : crw_navmesh_snapshot_needs;
    const count = native.callOnBytes(needs, data);
    return readRows(native, count, cellCount(records.tileNeed), (at) => native.memory.record(at, records.tileNeed));
  }

  /**
   * Names the content of a tile's bytes: the same as long as only areas and flags of its polygons change. Of the bytes only the header
   * is checked. Throws `NavMeshFormatError`.
   */
  tileContentHash(bytes: BytesLike): bigint {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    native.callOnBytes(native.exports.crw_tile_content_hash, data);
    native.trim(data.length);
    return native.recordBits();
  }

  /**
   * Level geometry and settings as a build input file (OPBI). Only `positions`, `indices` and the settings but
   * `tileCells` are part of it. Throws as
   * `buildNavMesh`.
   */
  writeBuildInput(input: BuildInput, settings?: Partial<BuildSettings>): Uint8Array<ArrayBuffer> {
    const native = this.#native;
    const at = placeInput(native, input, settings);
    native.call(native.exports.crw_build_input_write(at.settings, at.input), inputNames, at.explain);
    return native.resultBytes();
  }

  /** What a build input file (OPBI) holds. Throws `BuildInputError` naming field and byte offset. */
  readBuildInput(bytes: BytesLike): BuildInputFile {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    native.callOnBytes(native.exports.crw_build_input_read, data);
    const { vertexCount, triangleCount } = native.recordAfter(records.buildSettings, {
      vertexCount: 'U32',
      triangleCount: 'U32',
    });
    const settings = readSettings(native);
    const address = native.result;
    const positions = native.memory.doubles(address, vertexCount * 3);
    const indices = native.memory.words(address + vertexCount * 24, triangleCount * 3);
    native.trim(data.length);
    return { positions, indices, settings };
  }

  // --- Walking ----------------------------------------------------------------------------------------------------------

  /** An object to ask a mesh questions with. Throws `ArgumentError`. */
  createQuery(mesh: NavMeshView, options?: Partial<QueryOptions>): NavMeshQuery {
    const native = this.#native;
    const meshHandle = handleOf(native, mesh, NavMesh, 'mesh');
    const used = merged(QueryDefaults, options, 'options');
    checkNodeModel(used.nodeModel, 'options.nodeModel', NodeModel.Exact);
    if (used.hierarchical && used.nodeModel === NodeModel.Exact) {
      throw badArgument('options.hierarchical', 'does not go with NodeModel.Exact');
    }
    const at = writeOptions(native, records.queryOptions, used, 'options');
    return NavMeshQuery.wrap(native, native.call(native.exports.crw_query_create(meshHandle, at)), mesh);
  }

  /**
   * An empty crowd on a mesh. A crowd with a `filter` walks only where the filter allows, but cannot be recorded. Throws
   * `ArgumentError` naming `options.<name>`.
   */
  createCrowd(mesh: NavMeshView, options?: CrowdSetup): Crowd {
    const native = this.#native;
    const { meshAt, optionsAt, filterAt, explain } = placeCrowd(native, this, mesh, options);
    const handle = native.call(native.exports.crw_crowd_create(meshAt, optionsAt, filterAt), {}, explain);
    return Crowd.wrap(native, handle, mesh, filterAt !== 0, null);
  }

  /** An empty world, for crowds of several agent sizes that avoid each other. */
  createWorld(): World {
    return World.create(this.#native, this);
  }

  /**
   * One character that walks by itself, not placed yet: `place` puts it on the mesh. `options` override those of
   * `PathFollowerPresets.humanoid`. Throws `ArgumentError` naming `options.<name>`.
   */
  createPathFollower(
    mesh: NavMeshView,
    options?: Partial<PathFollowerOptions> & Partial<PathFollowerSetup>,
  ): PathFollower {
    const native = this.#native;
    const meshHandle = handleOf(native, mesh, NavMesh, 'mesh');
    return PathFollower.create(native, meshHandle, mesh, options);
  }

  // --- Recording and playing --------------------------------------------------------------------------------------------

  /**
   * Records a crowd from its next step on, at `dt` seconds for every step (above 0, at most 3600). Throws
   * `ArgumentError`, also when the crowd has a filter or is in a world.
   */
  createRecorder(crowd: Crowd, options: { dt: number }): Recorder {
    const native = this.#native;
    const crowdHandle = handleOf(native, crowd, Crowd, 'crowd');
    crowd.assertOwn();
    crowd.assertAlone('recordings are of one crowd');
    if (crowd.hasFilter) throw badArgument('crowd', 'has a filter, and recordings know none');
    const dt = finite(merged({ dt: undefined as unknown }, options, 'options').dt, 'options.dt');
    const handle = native.call(native.exports.crw_recorder_create(crowdHandle, dt), { dt: 'options.dt' });
    return Recorder.wrap(native, handle, crowd, dt);
  }

  /** A replay from the bytes of a file, which are checked from end to end. Throws `CrowdReplayError`, or `NavMeshFormatError` and
   * `CrowdStateError` for damage inside its mesh and state, naming field and byte offset. */
  openReplay(bytes: BytesLike): Replay {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    const handle = native.callOnBytes(native.exports.crw_replay_read, data);
    native.trim(data.length);
    return Replay.wrap(native, handle);
  }

  /** A player for a replay, at its start. Several can play one replay. Throws `ArgumentError`. */
  createPlayer(replay: Replay, options?: Partial<PlayerOptions>): Player {
    const native = this.#native;
    const replayHandle = handleOf(native, replay, Replay, 'replay');
    const used = merged(PlayerDefaults, optionsObject(options, 'options'), 'options');
    const at = writeOptions(native, records.playerOptions, used, 'options');
    return Player.wrap(native, native.call(native.exports.crw_player_create(replayHandle, at)), replay);
  }
}

/** Refuses options that are no object before anything is loaded. */
export function loadOptions(options: unknown): { wasm?: unknown } {
  const { wasm, ...rest } = optionsObject(options, 'options');
  const hint = (name: string) => (name === 'threads' ? 'is an option of the entry crowdreel/threads' : null);
  for (const name of Object.keys(rest)) throw unknownName('options', name, ['wasm'], hint);
  return { wasm };
}
