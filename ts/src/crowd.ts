// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Crowds: agents, steps, reading and state.
import { records } from './abi.js';
import { Agent, AgentLives, type AgentLife } from './agent.js';
import { readAgentDebug, readCrowdDebug, type AgentDebugGeometry, type CrowdDebugGeometry } from './crowd-debug.js';
import { badArgument, noSuchAgent, Status } from './errors.js';
import {
  cornerCapacity,
  CROWD_EVENT_SIZE,
  explainCrossing,
  readCorridor,
  readCrossing,
  readCrowdEvent,
  readFollowerInfo,
  type Corridor,
  type CrowdEvent,
  type FollowerInfo,
  type OffMeshCrossing,
} from './follower.js';
import { explainCrowdState } from './formats.js';
import { callWithSnapshot, referencedMode, type SnapshotOptions, type SnapshotTiles } from './mesh-snapshot.js';
import type { Explain, Native } from './native.js';
import { NavMesh, type NavMeshView } from './nav-mesh.js';
import {
  AgentPresets,
  FollowerDefaults,
  readAgentOptions,
  writeAgentOptions,
  type AgentOptions,
  type CrowdOptions,
  type NodeModel,
} from './options.js';
import { handleOf, Resource } from './resource.js';
import { describe } from './describe.js';
import { agentId, byteArray, checkMembers, finite, worldPoint, type BytesLike, type PointLike } from './values.js';

/** Everything about one agent at the present step. */
export interface AgentInfo extends FollowerInfo {
  id: number;
  /** Its place in the crowd's order. */
  slot: number;
  /** The velocity it wanted before avoiding others (x and z, units/s). */
  wantedVelocity: [x: number, z: number];
  /** Whether `setVelocity` moves it: the wanted velocity is then the one set. */
  velocityControlled: boolean;
  priority: number;
  /** Wall pieces it remembers; -1 when it must look again. */
  wallCount: number;
}

/** Arrays for `readAgents`, each long enough for all agents. Those left out are not read. */
export interface AgentArrays {
  /** 1 number for each agent. */
  ids?: Float64Array;
  /** 3 numbers for each agent. */
  positions?: Float64Array;
  /** 3 numbers for each agent, units/s. */
  velocities?: Float64Array;
  /** 2 numbers for each agent: x and z, as wanted in the last step before avoiding others, units/s. */
  wantedVelocities?: Float64Array;
  /** 1 number for each agent. */
  radii?: Float64Array;
  /** 1 `FollowerState` for each agent. */
  states?: Uint8Array;
}

/** What can be read from a crowd, whoever owns it. */
export interface CrowdView {
  /** The mesh it walks on. */
  readonly mesh: NavMeshView;
  /** Its options, without the filter. */
  readonly options: CrowdOptions;
  /** Steps since it was made, restores included. */
  readonly stepCount: number;
  /** Agents in it. */
  readonly agentCount: number;
  /** Whether it can no longer be used. */
  readonly disposed: boolean;
  /** Whether an agent is in the crowd. */
  has(id: number): boolean;
  /** One agent. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  agent(id: number): AgentInfo;
  /** An agent's options as they are now. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  agentOptions(id: number): AgentOptions;
  /**
   * The route of an agent with its corners (at most `maxCorners`, 2 to 1024; default 64). Throws `ArgumentError` with
   * status `'NoSuchAgent'`.
   */
  corridor(id: number, maxCorners?: number): Corridor;
  /** What there is to draw of an agent. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  debugGeometry(id: number): AgentDebugGeometry;
  /** What there is to draw of all agents, in slot order, as arrays: far quicker than one by one. */
  debugGeometryOfAll(): CrowdDebugGeometry;
  /** The off-mesh link an agent is crossing, or null. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  crossing(id: number): OffMeshCrossing | null;
  /**
   * What happened in the last step, and through calls between it and the one before: in slot order, for each agent in the order of
   * `FollowerEventKind`, each kind at most once. The next step replaces the list; it is not part of the state, and a restore empties it.
   */
  events(): CrowdEvent[];
  /**
   * Copies all agents into the caller's arrays, in slot order, and returns their number. This is the call for every
   * frame: it makes no garbage. Throws `ArgumentError` when an array is too short.
   */
  readAgents(out: AgentArrays): number;
  /** Bytes `saveState` would give now. */
  stateSize(): number;
  /** The whole state of the crowd as bytes, for `Crowd.restoreState`. They have no checksum. */
  saveState(): Uint8Array<ArrayBuffer>;
  /**
   * Writes what `saveState` would give to the beginning of an array of the caller's and returns its size; null, with nothing written, when the
   * array is shorter. For a host that rolls back: it makes no garbage.
   */
  trySaveState(out: Uint8Array): number | null;
  /**
   * The state of the crowd and its mesh as bytes, for `Crowd.restoreStateWithMesh`: the mesh as `NavMeshView.save` saves it, with the same options.
   */
  saveStateWithMesh(options?: SnapshotOptions): Uint8Array<ArrayBuffer>;
  /** A 64-bit hash of the state: equal exactly when every agent is equal in every bit. */
  stateHash(): bigint;
}

/** What a host does to a crowd: the part that a recorder writes down. */
export interface CrowdActions {
  /**
   * Puts an agent on the mesh near a position, standing, and returns its id. `options` override those of
   * `AgentPresets.humanoid`; pass a preset (`crowd.add(p, AgentPresets.small)`) or spread one for others. An agent should not
   * be wider than the `agentRadius` its mesh was built for: walls are kept by the mesh, not by the agent's radius.
   *
   * Throws `ArgumentError` for bad values, `CrowdreelError` with status `'NotFound'` when no polygon is within the search
   * extents (2, 4, 2) and `'Full'` when the crowd holds `maxAgents`.
   */
  add(position: PointLike, options?: Partial<AgentOptions>): number;
  /** As `add`, but null instead of the errors `'NotFound'` and `'Full'`. */
  tryAdd(position: PointLike, options?: Partial<AgentOptions>): number | null;
  /** Takes an agent out. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  remove(id: number): void;
  /**
   * Sends an agent to a point. Its way is planned at once: the state becomes `Moving`, or `NoPath` when no polygon is near the
   * point or the agent. Where the point cannot be reached it walks as near as it can and arrives with `reachedTarget` false. Throws
   * `ArgumentError`.
   */
  setDestination(id: number, destination: PointLike): void;
  /** Makes an agent stand and forget its goal; one that crosses an off-mesh link ends the crossing first. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  stop(id: number): void;
  /**
   * Places an agent anew, standing without a goal. Throws `ArgumentError`, and `CrowdreelError` with status `'NotFound'`
   * when no polygon is near.
   */
  teleport(id: number, position: PointLike): void;
}

const columns = [
  ['ids', 1, 1],
  ['positions', 2, 3],
  ['velocities', 4, 3],
  ['radii', 8, 1],
  ['wantedVelocities', 16, 2],
] as const;
const STATES_COLUMN = 32;
const arrayMembers: Readonly<Record<keyof AgentArrays, true>> = {
  ids: true,
  positions: true,
  velocities: true,
  wantedVelocities: true,
  radii: true,
  states: true,
};

/** A crowd of agents on a mesh. Made by `Engine.createCrowd`, and by `World.createCrowd` as one of several. */
export class Crowd extends Resource implements CrowdView, CrowdActions {
  readonly #mesh: NavMeshView;
  /** @internal The agents that there are handles of. */
  readonly lives = new AgentLives();
  readonly #agents = new WeakMap<AgentLife, Agent>();
  /** @internal */
  readonly hasFilter: boolean;
  readonly #world: Resource | null;

  private constructor(
    native: Native,
    handle: number,
    mesh: NavMeshView,
    hasFilter: boolean,
    owner: Resource | null,
    world: Resource | null,
  ) {
    super(native, handle, 'crowd', owner, world);
    this.#mesh = mesh;
    this.hasFilter = hasFilter;
    this.#world = world;
  }

  /** @internal */
  static wrap(
    native: Native,
    handle: number,
    mesh: NavMeshView,
    hasFilter: boolean,
    owner: Resource | null,
    world: Resource | null = null,
  ): Crowd {
    return new Crowd(native, handle, mesh, hasFilter, owner, world);
  }

  /** @internal Refuses what a crowd of a world cannot do by itself. */
  assertAlone(cure: string): void {
    if (this.#world) throw badArgument('crowd', `is in a world: ${cure}`);
  }

  get mesh(): NavMeshView {
    return this.#mesh;
  }

  get options(): CrowdOptions {
    this.#info();
    const options = this.native.recordAfter(records.crowdInfo, records.crowdOptions);
    return { ...options, queryNodeModel: options.queryNodeModel as NodeModel };
  }

  get stepCount(): number {
    return this.#info().stepCount;
  }

  get agentCount(): number {
    return this.#info().agentCount;
  }

  #info() {
    this.native.call(this.native.exports.crw_crowd_info(this.handle()));
    return this.native.record(records.crowdInfo);
  }

  // --- Agents ---------------------------------------------------------------------------------------------------------

  /** An agent as an object, the same one as long as it is in the crowd. Throws `ArgumentError` with status `'NoSuchAgent'`. */
  get(id: number): Agent {
    const life = this.life(id);
    let agent = this.#agents.get(life);
    if (!agent) this.#agents.set(life, (agent = new Agent(life, this, this)));
    return agent;
  }

  /** @internal */
  life(id: number): AgentLife {
    named(this.native, this.native.exports.crw_crowd_agent(this.#own(), agentId(id)), id);
    return this.lives.of(id);
  }

  // --- Acting ---------------------------------------------------------------------------------------------------------

  add(position: PointLike, options?: Partial<AgentOptions>): number {
    const { native } = this;
    native.call(this.#add(position, options));
    return native.recordNumber();
  }

  tryAdd(position: PointLike, options?: Partial<AgentOptions>): number | null {
    return addOrNull(this.native, this.#add(position, options));
  }

  #add(position: PointLike, options: Partial<AgentOptions> | undefined): number {
    const handle = this.#own();
    const at = worldPoint(position, 'position');
    this.native.given.set('', { position: at });
    const optionsAt = writeAgentOptions(this.native, AgentPresets.humanoid, options);
    return this.native.exports.crw_crowd_add(handle, ...at, optionsAt);
  }

  remove(id: number): void {
    named(this.native, this.native.exports.crw_crowd_remove(this.#own(), agentId(id)), id);
    this.lives.end(id);
  }

  setDestination(id: number, destination: PointLike): void {
    const to = worldPoint(destination, 'destination');
    named(this.native, this.native.exports.crw_crowd_set_destination(this.#own(), agentId(id), ...to), id);
  }

  stop(id: number): void {
    named(this.native, this.native.exports.crw_crowd_stop(this.#own(), agentId(id)), id);
  }

  /**
   * From now on, until `setDestination`, `stop` or `teleport`, an agent goes at this velocity (units/s; y is ignored): a player's
   * character, for example, told its stick with every step or only when it moves. It goes no faster than `maxSpeed` and
   * `maxAcceleration` allow, along the ground and by walls, and avoids others as its options say; others avoid it. Its state is
   * `Idle` and it takes no off-mesh links; a crossing under way ends first. For a player that yields to nobody, add it with
   * `quality: Quality.Off` and a high `priority`.
   *
   * Part of the crowd's state. Recordings have no operation for it: while it lasts, `Recorder.step` throws. Throws `ArgumentError`.
   */
  setVelocity(id: number, velocity: PointLike): void {
    const v = worldPoint(velocity, 'velocity');
    named(this.native, this.native.exports.crw_crowd_set_velocity(this.#own(), agentId(id), ...v), id);
  }

  teleport(id: number, position: PointLike): void {
    const to = worldPoint(position, 'position');
    this.native.given.set('', { position: to });
    named(this.native, this.native.exports.crw_crowd_teleport(this.#own(), agentId(id), ...to), id);
  }

  /**
   * Changes some options of an agent. `path.corridorCapacity` and `path.maxCorners` cannot change. Not part of recordings:
   * a recorded crowd keeps the options agents were added with. Throws `ArgumentError` naming the option.
   */
  setOptions(id: number, options: Partial<AgentOptions>): void {
    const { native } = this;
    const handle = this.#own();
    const current = this.agentOptions(id);
    const optionsAt = writeAgentOptions(native, current, options);
    named(native, native.exports.crw_crowd_set_options(handle, agentId(id), optionsAt), id, explainFixed(current));
  }

  /** Changes an agent's priority (above 0). Not part of recordings. Throws `ArgumentError`. */
  setPriority(id: number, priority: number): void {
    const { native } = this;
    native.given.set('', { priority });
    named(native, native.exports.crw_crowd_set_priority(this.#own(), agentId(id), finite(priority, 'priority')), id);
  }

  /**
   * Ends an agent's crossing of an off-mesh link: it stands at the exit and walks on with the next step. For agents with
   * `path.offMeshMode` `OffMeshMode.Host`; others it takes there early. Not part of recordings. Throws `ArgumentError` with status
   * `'NoSuchAgent'`, and `CrowdreelError` with status `'NotFound'` when it is crossing none.
   */
  completeOffMeshLink(id: number): void {
    const { native } = this;
    const result = native.exports.crw_crowd_complete_off_mesh(this.#own(), agentId(id));
    named(native, result, id, explainCrossing(`Agent ${id}`));
  }

  /**
   * One step of `dt` seconds, above 0 and at most 3600; for the same results everywhere use the same `dt` everywhere, for
   * example 1/60. A crowd in a world takes no steps of its own: `World.step` steps all. Throws `ArgumentError`.
   */
  step(dt: number): void {
    this.assertAlone('all its crowds take their steps together, with World.step');
    this.native.given.set('', { dt });
    this.native.call(this.native.exports.crw_crowd_step(this.#own(), finite(dt, 'dt')));
  }

  /**
   * Puts the crowd into a saved state: it goes on exactly as the one that was saved, on a mesh equal to the one that had (the same one, not
   * edited since, or a loaded copy; not one built anew) and with equal options. Neither is checked: on another mesh agents look for new ways with
   * the next steps, or stand where there is none. Handles of agents that are not in the state end. Throws `CrowdStateError` naming field
   * and byte offset; the crowd is then as it was.
   */
  restoreState(bytes: BytesLike): void {
    const { native } = this;
    const handle = this.#own();
    const data = byteArray(bytes, 'bytes');
    const result = native.exports.crw_crowd_restore_state(handle, native.input(data), data.length);
    native.call(result, {}, explainCrowdState(data));
    native.trim(data.length);
    this.lives.endMissing((id) => this.has(id));
  }

  /**
   * Makes the crowd and its mesh what they were when `saveStateWithMesh` was called, edits undone. The mesh stays the same object, or
   * becomes that of the state when the crowd was saved on another one with the same `params`; whatever else is on it finds it edited. For a state saved in mode `'referenced'`
   * `options.tiles` holds the bytes of its tiles.
   *
   * Throws `CrowdStateError`, and `NavMeshFormatError` for the mesh, naming field and byte offset, for tiles as `Engine.loadNavMesh`: crowd and mesh
   * are then as they were. Throws `ArgumentError` when the mesh belongs to a player.
   */
  restoreStateWithMesh(bytes: BytesLike, options?: SnapshotTiles): void {
    const { native } = this;
    const handle = this.#own();
    const mesh = handleOf(native, this.#mesh, NavMesh, 'mesh');
    (this.#mesh as NavMesh).assertOwn();
    const restore = native.exports.crw_crowd_restore_state_with_mesh;
    callWithSnapshot(native, bytes, options, (...placed) => restore(handle, mesh, ...placed));
    this.lives.endMissing((id) => this.has(id));
  }

  #own(): number {
    this.assertOwn();
    return this.handle();
  }

  // --- Reading --------------------------------------------------------------------------------------------------------

  has(id: number): boolean {
    return this.native.call(this.native.exports.crw_crowd_has_agent(this.handle(), agentId(id))) === 1;
  }

  agent(id: number): AgentInfo {
    const { native } = this;
    named(native, native.exports.crw_crowd_agent(this.handle(), agentId(id)), id);
    const follower = readFollowerInfo(native, {});
    const { wantedX, wantedZ, ...agent } = native.recordAfter(records.followerInfo, records.agentInfo);
    return { ...follower, ...agent, wantedVelocity: [wantedX, wantedZ] };
  }

  agentOptions(id: number): AgentOptions {
    named(this.native, this.native.exports.crw_crowd_agent_options(this.handle(), agentId(id)), id);
    return readAgentOptions(this.native);
  }

  corridor(id: number, maxCorners = 64): Corridor {
    const { native } = this;
    const capacity = cornerCapacity(maxCorners);
    named(native, native.exports.crw_crowd_corridor(this.handle(), agentId(id), capacity), id);
    return readCorridor(native);
  }

  debugGeometry(id: number): AgentDebugGeometry {
    named(this.native, this.native.exports.crw_crowd_debug(this.handle(), agentId(id), 0), id);
    return readAgentDebug(this.native);
  }

  debugGeometryOfAll(): CrowdDebugGeometry {
    this.native.call(this.native.exports.crw_crowd_debug(this.handle(), 0, 1));
    return readCrowdDebug(this.native);
  }

  crossing(id: number): OffMeshCrossing | null {
    named(this.native, this.native.exports.crw_crowd_crossing(this.handle(), agentId(id)), id);
    return readCrossing(this.native);
  }

  events(): CrowdEvent[] {
    const { native } = this;
    const count = native.call(native.exports.crw_crowd_events(this.handle()));
    const events: CrowdEvent[] = [];
    for (let i = 0, at = native.result; i < count; i++, at += CROWD_EVENT_SIZE) {
      events.push(readCrowdEvent(native.memory, at));
    }
    return events;
  }

  readAgents(out: AgentArrays): number {
    const { native } = this;
    if (typeof out !== 'object' || out === null) throw badArgument('out', `must be an object, not ${describe(out)}`);
    checkMembers(out, arrayMembers, 'out');
    let mask = out.states ? STATES_COLUMN : 0;
    for (const [name, bit] of columns) if (out[name]) mask |= bit;
    const count = native.call(native.exports.crw_crowd_read_agents(this.handle(), mask));
    checkArrays(out, count);
    let address = native.result;
    for (const [name, , width] of columns) {
      const target = out[name];
      if (!target) continue;
      native.memory.copyDoubles(address, count * width, target);
      address += count * width * 8;
    }
    if (out.states) native.memory.copyBytes(address, count, out.states);
    return count;
  }

  stateSize(): number {
    this.native.call(this.native.exports.crw_crowd_state_size(this.handle()));
    return this.native.recordNumber();
  }

  saveState(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_crowd_save_state(this.handle()));
    return this.native.resultBytes();
  }

  trySaveState(out: Uint8Array): number | null {
    const { native } = this;
    if (!(out instanceof Uint8Array)) throw badArgument('out', `must be a Uint8Array, not ${describe(out)}`);
    const size = this.stateSize();
    if (size > out.length) return null;
    native.call(native.exports.crw_crowd_save_state(this.handle()));
    native.memory.copyBytes(native.result, size, out);
    native.trim(size);
    return size;
  }

  saveStateWithMesh(options?: SnapshotOptions): Uint8Array<ArrayBuffer> {
    const handle = this.handle();
    this.native.call(this.native.exports.crw_crowd_save_state_with_mesh(handle, referencedMode(options)));
    return this.native.resultBytes();
  }

  stateHash(): bigint {
    this.native.call(this.native.exports.crw_crowd_state_hash(this.handle()));
    return this.native.recordBits();
  }
}

/** @internal Passes the result of a call about an agent on; the error for one that is not there names it. */
export function named(native: Native, result: number, id: number, explain?: Explain): number {
  if (result === -Status.NoSuchAgent) throw noSuchAgent(id);
  return native.call(result, undefined, explain);
}

const fixedOptions = ['corridorCapacity', 'maxCorners'] as const;

/** Says of the options that an agent is added with for good what they are. */
function explainFixed({ path }: AgentOptions): Explain {
  return ({ field, limit, value }) => {
    const name = fixedOptions.find((option) => field === `options.path.${option}`);
    if (!name || limit !== (path?.[name] ?? FollowerDefaults[name])) return null;
    return { problem: `cannot change for an agent that exists: it is ${limit}, not ${describe(value)}` };
  };
}

/** The id an add gave, or null when there was no room or no polygon. Other failures throw. */
export function addOrNull(native: Native, result: number): number | null {
  if (result === -Status.NotFound || result === -Status.Full) return null;
  native.call(result);
  return native.recordNumber();
}

// All arrays are checked before any is written.
function checkArrays(out: AgentArrays, count: number): void {
  for (const [name, , width] of columns) {
    const target = out[name];
    if (target === undefined) continue;
    if (!(target instanceof Float64Array)) throw wrongArray(name, target);
    checkLength(target.length, count * width, `out.${name}`);
  }
  if (out.states === undefined) return;
  const states: unknown = out.states;
  if (!(states instanceof Uint8Array)) throw badArgument('out.states', `must be a Uint8Array, not ${describe(states)}`);
  checkLength(states.length, count, 'out.states');
}

// Graphics want numbers of 32 bits.
function wrongArray(name: string, target: unknown): Error {
  const cure =
    target instanceof Float32Array && name !== 'ids' && name !== 'wantedVelocities'
      ? ': CrowdInterpolation.readAgents fills either, for drawing'
      : '';
  return badArgument(`out.${name}`, `must be a Float64Array, not ${describe(target)}${cure}`);
}

function checkLength(length: number, needed: number, field: string): void {
  if (length >= needed) return;
  throw badArgument(field, `is too short: ${length} elements where ${needed} are needed`, { limit: needed });
}
