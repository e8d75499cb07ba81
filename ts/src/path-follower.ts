// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// One character walking by itself: a follower with the searches it needs.
import { describe } from './describe.js';
import { badArgument, Status } from './errors.js';
import { filterOf, placeFilter } from './filter.js';
import {
  cornerCapacity,
  EVENT_SIZE,
  explainCrossing,
  readCorridor,
  readCrossing,
  readDebugGeometry,
  readEvent,
  readFollowerInfo,
  type Corridor,
  type DebugGeometry,
  type FollowerEvent,
  type FollowerInfo,
  type OffMeshCrossing,
} from './follower.js';
import { explainState } from './formats.js';
import type { Native } from './native.js';
import type { NavMeshView } from './nav-mesh.js';
import {
  AgentPresets,
  checkNodeModel,
  merged,
  NodeModel,
  PathFollowerPresets,
  PathFollowerSetupDefaults,
  readPathFollowerOptions,
  refusePresetName,
  writePathFollowerOptions,
  writeQueryOptions,
  type PathFollowerOptions,
  type PathFollowerSetup,
} from './options.js';
import { placePoint } from './query-arguments.js';
import { checkTarget, outObject } from './query-results.js';
import { Resource } from './resource.js';
import { byteArray, finite, integer, worldPoint, type BytesLike, type NameHint, type PointLike } from './values.js';

const engineNames = { 'options.maxNodes': 'options.queryNodes' };
const fixed = ['corridorCapacity', 'maxCorners'] as const;

const agentsHint: NameHint = (name) =>
  Object.hasOwn(AgentPresets.humanoid, name)
    ? "is an option of a crowd's agents; ready-made path followers are PathFollowerPresets.humanoid and .small"
    : null;
const changeHint: NameHint = (name) =>
  Object.hasOwn(PathFollowerSetupDefaults, name) ? 'is fixed when the follower is made' : agentsHint(name);

/**
 * One character that finds its way by itself: around edits of the mesh, over off-mesh links, as near as it can where a goal cannot be
 * reached. It avoids nobody; for many that make room for each other there is `Crowd`. Made by `Engine.createPathFollower`.
 */
export class PathFollower extends Resource {
  readonly #mesh: NavMeshView;

  private constructor(native: Native, handle: number, mesh: NavMeshView) {
    super(native, handle, 'follower');
    this.#mesh = mesh;
  }

  /** @internal `meshHandle` is that of the mesh. */
  static create(native: Native, meshHandle: number, mesh: NavMeshView, options: unknown): PathFollower {
    refusePresetName(options, PathFollowerPresets, 'PathFollowerPresets');
    const defaults: PathFollowerOptions & PathFollowerSetup = {
      ...PathFollowerPresets.humanoid,
      ...PathFollowerSetupDefaults,
    };
    const { queryNodes, queryNodeModel, filter, ...own } = merged(defaults, options, 'options', agentsHint);
    const maxNodes = integer(queryNodes, 'options.queryNodes');
    checkNodeModel(queryNodeModel, 'options.queryNodeModel', NodeModel.Crossing);
    const cells = filterOf(filter, 'options.filter');
    const at = writePathFollowerOptions(native, own);
    writeQueryOptions(native, { maxNodes, nodeModel: queryNodeModel, hierarchical: false });
    native.given.set('options', { ...own, maxNodes });
    const result = native.exports.crw_follower_create(meshHandle, at, placeFilter(native, cells));
    return new PathFollower(native, native.call(result, engineNames), mesh);
  }

  /** The mesh it walks on. */
  get mesh(): NavMeshView {
    return this.#mesh;
  }

  /** Its tuning as it is now. */
  get options(): PathFollowerOptions {
    this.native.call(this.native.exports.crw_follower_options(this.handle()));
    return readPathFollowerOptions(this.native);
  }

  // --- Acting ---------------------------------------------------------------------------------------------------------

  /**
   * Puts it on the mesh near a position, standing without a goal. Throws `ArgumentError`, and `CrowdreelError` with status `'NotFound'`
   * when no polygon is within `searchExtents`: it is then where it was.
   */
  place(position: PointLike): void {
    this.native.call(this.#place(position));
  }

  /** As `place`, but false instead of the error `'NotFound'`. */
  tryPlace(position: PointLike): boolean {
    const result = this.#place(position);
    if (result === -Status.NotFound) return false;
    this.native.call(result);
    return true;
  }

  #place(position: PointLike): number {
    const { native } = this;
    const handle = this.handle();
    const at = worldPoint(position, 'position');
    native.given.set('', { position: at });
    native.memory.setPoint(native.arguments, ...at);
    return native.exports.crw_follower_place(handle);
  }

  /**
   * Sends it to a point. Its way is planned at once: the state becomes `Moving`, or `NoPath` when no polygon is near the point, or it was
   * never placed; `place` forgets any goal. Where the point cannot be reached it walks as near as it can and arrives with `reachedTarget` false. While it crosses an
   * off-mesh link the way is planned after that. Throws `ArgumentError`.
   */
  setDestination(destination: PointLike): void {
    const handle = this.handle();
    placePoint(this.native, destination, 'destination');
    this.native.call(this.native.exports.crw_follower_set_destination(handle));
  }

  /**
   * Makes it stand and forget its goal. One that crosses an off-mesh link ends the crossing first (with `OffMeshMode.Host` by
   * `completeOffMeshLink`) and has then `Arrived` there, at a goal of its own.
   */
  stop(): void {
    this.native.call(this.native.exports.crw_follower_stop(this.handle()));
  }

  /**
   * One step of `dt` seconds, above 0 and at most 3600; for the same results everywhere use the same `dt` everywhere, for
   * example 1/60. Throws `ArgumentError`.
   */
  step(dt: number): void {
    const seconds = finite(dt, 'dt');
    const result = this.native.exports.crw_follower_step(this.handle(), seconds);
    if (result >= 0) return;
    this.native.given.set('', { dt });
    this.native.call(result);
  }

  /**
   * Ends the crossing of an off-mesh link: it stands at the exit and walks on with the next step. With `offMeshMode`
   * `OffMeshMode.Host` that is how every crossing ends; else it takes it there early. Throws `CrowdreelError` with status `'NotFound'`
   * when it is crossing none.
   */
  completeOffMeshLink(): void {
    const result = this.native.exports.crw_follower_complete_off_mesh(this.handle());
    this.native.call(result, {}, explainCrossing('The follower'));
  }

  /** Changes some of its tuning. `corridorCapacity` and `maxCorners` cannot change. Throws `ArgumentError` naming the option. */
  setOptions(options: Partial<PathFollowerOptions>): void {
    const { native } = this;
    const handle = this.handle();
    refusePresetName(options, PathFollowerPresets, 'PathFollowerPresets');
    const current = this.options;
    const changed = merged(current, options, 'options', changeHint);
    for (const name of fixed) {
      if (changed[name] === current[name]) continue;
      throw badArgument(`options.${name}`, `cannot change from ${current[name]} to ${describe(changed[name])}`);
    }
    native.call(native.exports.crw_follower_set_options(handle, writePathFollowerOptions(native, changed)));
  }

  // --- Reading --------------------------------------------------------------------------------------------------------

  /**
   * How it is doing: state, position, velocity and more. With `out` that object is filled and returned, and the points in it are written to:
   * so a call in every frame makes no garbage.
   */
  info(out?: Partial<FollowerInfo> | null): FollowerInfo {
    const { native } = this;
    const handle = this.handle();
    const target = outObject(out);
    if (target) {
      checkTarget(target.position, 'out.position');
      checkTarget(target.velocity, 'out.velocity');
      checkTarget(target.destination, 'out.destination');
    }
    native.call(native.exports.crw_follower_info(handle));
    return readFollowerInfo(native, target ?? {});
  }

  /** Its route with its corners (at most `maxCorners`, 2 to 1024; default 64). Throws `ArgumentError`. */
  corridor(maxCorners = 64): Corridor {
    const { native } = this;
    native.call(native.exports.crw_follower_corridor(this.handle(), cornerCapacity(maxCorners)));
    return readCorridor(native);
  }

  /** The off-mesh link it is crossing, or null. */
  crossing(): OffMeshCrossing | null {
    this.native.call(this.native.exports.crw_follower_debug(this.handle(), 0));
    return readCrossing(this.native);
  }

  /**
   * What happened in the last step, and through calls between it and the one before: in the order of `FollowerEventKind`, each kind at
   * most once. The next step replaces the list; it is not part of the state, and a restore empties it.
   */
  events(): FollowerEvent[] {
    const { native } = this;
    const count = native.call(native.exports.crw_follower_events(this.handle()));
    const events: FollowerEvent[] = [];
    for (let i = 0; i < count; i++) events.push(readEvent(native.memory, native.recordAt + i * EVENT_SIZE));
    return events;
  }

  /** What there is to draw of it. */
  debugGeometry(): DebugGeometry {
    this.native.call(this.native.exports.crw_follower_debug(this.handle(), 1));
    return readDebugGeometry(this.native);
  }

  // --- State ----------------------------------------------------------------------------------------------------------

  /** Its whole state as bytes, without its options. They have no checksum. */
  saveState(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_follower_save_state(this.handle()));
    return this.native.resultBytes();
  }

  /**
   * Puts it into a saved state: it goes on exactly as the one that was saved, if options, mesh and filter are equal; that is not checked, but
   * for `corridorCapacity`. Bytes that cannot be a state throw `CrowdStateError` naming field and byte offset; it is then as it was.
   */
  restoreState(bytes: BytesLike): void {
    const { native } = this;
    const handle = this.handle();
    const data = byteArray(bytes, 'bytes');
    const result = native.exports.crw_follower_restore_state(handle, native.input(data), data.length);
    native.call(result, {}, explainState(data));
    native.trim(data.length);
  }
}
