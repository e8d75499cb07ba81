// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The engine: everything else is made here.
import { records } from './abi.js';
import {
  inputNames,
  placeInput,
  readSettings,
  type BuildInput,
  type BuildInputFile,
  type BuildReport,
} from './build.js';
import { Crowd } from './crowd.js';
import { badArgument } from './errors.js';
import { Native } from './native.js';
import { NavMesh, type NavMeshView } from './nav-mesh.js';
import {
  CrowdDefaults,
  merged,
  PlayerDefaults,
  QueryDefaults,
  writeFilter,
  writeOptions,
  type BuildSettings,
  type CrowdOptions,
  type PlayerOptions,
  type QueryFilter,
  type QueryOptions,
} from './options.js';
import { Player } from './player.js';
import { NavMeshQuery } from './query.js';
import { Recorder } from './recorder.js';
import { Replay } from './replay.js';
import { handleOf } from './resource.js';
import { byteArray, finite, optionsObject } from './values.js';

/**
 * One instance of the engine, made by `loadCrowdreel`. Engines share nothing: several can be used side by side, but an object
 * of one is refused by the others.
 */
export class Engine {
  readonly #native: Native;

  private constructor(native: Native) {
    this.#native = native;
  }

  /** @internal */
  static wrap(exports: Readonly<Record<string, unknown>>): Engine {
    return new Engine(new Native(exports));
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

  // --- Meshes -----------------------------------------------------------------------------------------------------------

  /**
   * Builds a navigation mesh from level geometry. A level without walkable surface gives a mesh without polygons.
   * Throws `ArgumentError` naming `settings.<name>`, or `input.positions`, `input.indices` or `input.areas` with the index.
   */
  buildNavMesh(input: BuildInput, settings?: Partial<BuildSettings>): { mesh: NavMesh; report: BuildReport } {
    const native = this.#native;
    const at = placeInput(native, input, settings);
    const { positions, vertexCount, indices, triangleCount, areas } = at;
    const result = native.exports.crw_build_navmesh(at.settings, positions, vertexCount, indices, triangleCount, areas);
    const handle = native.call(result, inputNames);
    const report = native.record(records.buildReport);
    native.trim(at.size);
    return { mesh: NavMesh.wrap(native, handle), report };
  }

  /** A mesh from the bytes of `NavMesh.save`. Throws `NavMeshFormatError` naming field and byte offset. */
  loadNavMesh(bytes: Uint8Array): NavMesh {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    const handle = native.call(native.exports.crw_navmesh_load(native.input(data), data.length));
    native.trim(data.length);
    return NavMesh.wrap(native, handle);
  }

  /**
   * Level geometry and settings as a build input file (OPBI). Areas and `tileCells` are not part of it. Throws as
   * `buildNavMesh`.
   */
  writeBuildInput(input: BuildInput, settings?: Partial<BuildSettings>): Uint8Array<ArrayBuffer> {
    const native = this.#native;
    const {
      settings: settingsAt,
      positions,
      vertexCount,
      indices,
      triangleCount,
    } = placeInput(native, input, settings);
    const result = native.exports.crw_build_input_write(settingsAt, positions, vertexCount, indices, triangleCount);
    native.call(result, inputNames);
    return native.resultBytes();
  }

  /** What a build input file (OPBI) holds. Throws `BuildInputError` naming field and byte offset. */
  readBuildInput(bytes: Uint8Array): BuildInputFile {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    native.call(native.exports.crw_build_input_read(native.input(data), data.length));
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
    const at = writeOptions(native, records.queryOptions, used, 'options');
    return NavMeshQuery.wrap(native, native.call(native.exports.crw_query_create(meshHandle, at)), mesh);
  }

  /**
   * An empty crowd on a mesh. A crowd with a `filter` walks only where the filter allows, but cannot be recorded. Throws
   * `ArgumentError` naming `options.<name>`.
   */
  createCrowd(mesh: NavMeshView, options?: Partial<CrowdOptions> & { filter?: QueryFilter | null }): Crowd {
    const native = this.#native;
    const meshHandle = handleOf(native, mesh, NavMesh, 'mesh');
    const { filter, ...own } = merged<CrowdOptions & { filter: QueryFilter | null }>(
      { ...CrowdDefaults, filter: null },
      options,
      'options',
    );
    const at = writeOptions(native, records.crowdOptions, own, 'options');
    const filterAt = writeFilter(native, filter, 'options.filter');
    const handle = native.call(native.exports.crw_crowd_create(meshHandle, at, filterAt));
    return Crowd.wrap(native, handle, mesh, filterAt !== 0, null);
  }

  // --- Recording and playing --------------------------------------------------------------------------------------------

  /**
   * Records a crowd from its next step on, at `dt` seconds for every step (above 0, at most 3600). Throws
   * `ArgumentError`, also when the crowd has a filter.
   */
  createRecorder(crowd: Crowd, options: { dt: number }): Recorder {
    const native = this.#native;
    const crowdHandle = handleOf(native, crowd, Crowd, 'crowd');
    crowd.assertOwn();
    if (crowd.hasFilter) throw badArgument('crowd', 'has a filter, and recordings know none');
    const dt = finite(merged({ dt: undefined as unknown }, options, 'options').dt, 'options.dt');
    const handle = native.call(native.exports.crw_recorder_create(crowdHandle, dt), { dt: 'options.dt' });
    return Recorder.wrap(native, handle, crowd, dt);
  }

  /** A replay from the bytes of a file, which are checked from end to end. Throws `CrowdReplayError`, or `NavMeshFormatError` and
   * `CrowdStateError` for damage inside its mesh and state, naming field and byte offset. */
  openReplay(bytes: Uint8Array): Replay {
    const native = this.#native;
    const data = byteArray(bytes, 'bytes');
    const handle = native.call(native.exports.crw_replay_read(native.input(data), data.length));
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
  for (const name of Object.keys(rest)) throw badArgument(`options.${name}`, 'is not an option');
  return { wasm };
}
