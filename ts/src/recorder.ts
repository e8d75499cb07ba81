// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Recording a crowd.
import { records } from './abi.js';
import { Agent, type AgentLife } from './agent.js';
import { addOrNull, named, type Crowd, type CrowdActions } from './crowd.js';
import type { Explain, Native } from './native.js';
import { AgentPresets, writeAgentOptions, type AgentOptions } from './options.js';
import { Resource } from './resource.js';
import { agentId, worldPoint, type PointLike } from './values.js';

/** A refusal to step. */
const explainStep: Explain = ({ status, index }) => {
  if (status !== 'NotRecordable') return null;
  const cure = 'end that with stop, setDestination or teleport of the recorder';
  return { message: `Agent ${index} is moved by setVelocity, which recordings cannot hold: ${cure}.` };
};

/**
 * Records a crowd. Drive the crowd through the recorder instead of directly: what is done otherwise is not recorded, and
 * playing the recording will differ there. Made by `Engine.createRecorder`.
 */
export class Recorder extends Resource implements CrowdActions {
  readonly #crowd: Crowd;
  readonly #dt: number;
  readonly #agents = new WeakMap<AgentLife, Agent>();

  private constructor(native: Native, handle: number, crowd: Crowd, dt: number) {
    super(native, handle, 'recorder');
    this.#crowd = crowd;
    this.#dt = dt;
  }

  /** @internal */
  static wrap(native: Native, handle: number, crowd: Crowd, dt: number): Recorder {
    return new Recorder(native, handle, crowd, dt);
  }

  /** The crowd it records. */
  get crowd(): Crowd {
    return this.#crowd;
  }

  /** Seconds of every step. */
  get dt(): number {
    return this.#dt;
  }

  /** Steps recorded so far. */
  get stepCount(): number {
    return this.#info().stepCount;
  }

  /** Bytes `save` would give now. */
  get byteSize(): number {
    return this.#info().byteSize;
  }

  #info() {
    this.native.call(this.native.exports.crw_recorder_info(this.handle()));
    return this.native.record(records.recorderInfo);
  }

  /**
   * An agent of the crowd as an object, the same one as long as it is in the crowd: what is done through it goes through this recorder.
   * Throws `ArgumentError` with status `'NoSuchAgent'`.
   */
  get(id: number): Agent {
    this.handle();
    const life = this.#crowd.life(id);
    let agent = this.#agents.get(life);
    if (!agent) this.#agents.set(life, (agent = new Agent(life, this.#crowd, this)));
    return agent;
  }

  /** As `Crowd.add`. A failed attempt is recorded too and fails again when played. */
  add(position: PointLike, options?: Partial<AgentOptions>): number {
    this.native.call(this.#add(position, options));
    return this.native.recordNumber();
  }

  /** As `Crowd.tryAdd`. A failed attempt is recorded too and fails again when played. */
  tryAdd(position: PointLike, options?: Partial<AgentOptions>): number | null {
    return addOrNull(this.native, this.#add(position, options));
  }

  #add(position: PointLike, options: Partial<AgentOptions> | undefined): number {
    const at = worldPoint(position, 'position');
    this.native.given.set('', { position: at });
    const optionsAt = writeAgentOptions(this.native, AgentPresets.humanoid, options);
    return this.native.exports.crw_recorder_add(this.handle(), ...at, optionsAt);
  }

  remove(id: number): void {
    named(this.native, this.native.exports.crw_recorder_remove(this.handle(), agentId(id)), id);
    this.#crowd.lives.end(id);
  }

  setDestination(id: number, destination: PointLike): void {
    const to = worldPoint(destination, 'destination');
    named(this.native, this.native.exports.crw_recorder_set_destination(this.handle(), agentId(id), ...to), id);
  }

  stop(id: number): void {
    named(this.native, this.native.exports.crw_recorder_stop(this.handle(), agentId(id)), id);
  }

  teleport(id: number, position: PointLike): void {
    const to = worldPoint(position, 'position');
    this.native.given.set('', { position: to });
    named(this.native, this.native.exports.crw_recorder_teleport(this.handle(), agentId(id), ...to), id);
  }

  /**
   * Steps the crowd by `dt`, records the step and returns the hash of the crowd's state after it. Throws `CrowdreelError`
   * with status `'MeshEdited'` when the mesh changed since recording began, `'NotRecordable'` (`index` is the agent's id) when
   * `Crowd.setVelocity` moves an agent, and `'Limit'` or `'OutOfMemory'` when the recording cannot grow: the crowd is then not
   * stepped.
   */
  step(): bigint {
    this.native.call(this.native.exports.crw_recorder_step(this.handle()), {}, explainStep);
    return this.native.recordBits();
  }

  /** The recording so far as a replay file. What was done since the last step is not in it. */
  save(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_recorder_save(this.handle()));
    return this.native.resultBytes();
  }

  /** The crowd as it is now, with mesh and options, as a setup block: what a viewer that joins late starts from. */
  writeSnapshot(): Uint8Array<ArrayBuffer> {
    this.native.call(this.native.exports.crw_recorder_write_snapshot(this.handle()));
    return this.native.resultBytes();
  }
}
