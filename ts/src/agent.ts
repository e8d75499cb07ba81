// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Agents as objects. An id alone comes back when a restore rewinds the crowd: the next agent added then has the number of one that is
// gone. A handle is of one agent only.
import type { AgentInfo, Crowd, CrowdActions } from './crowd.js';
import { ArgumentError } from './errors.js';
import type { AgentDebugGeometry } from './crowd-debug.js';
import type { Corridor, FollowerState, OffMeshCrossing } from './follower.js';
import type { AgentOptions } from './options.js';
import type { PointLike, Vec3 } from './values.js';

/** An agent from its adding to its removal. */
export interface AgentLife {
  readonly id: number;
  ended: boolean;
}

/** The lives that handles of a crowd were asked for. */
export class AgentLives {
  readonly #lives = new Map<number, AgentLife>();

  /** The life of an agent that is in the crowd. */
  of(id: number): AgentLife {
    let life = this.#lives.get(id);
    if (!life) this.#lives.set(id, (life = { id, ended: false }));
    return life;
  }

  end(id: number): void {
    const life = this.#lives.get(id);
    if (!life) return;
    life.ended = true;
    this.#lives.delete(id);
  }

  /** Ends all lives of agents that are no longer there. */
  endMissing(has: (id: number) => boolean): void {
    for (const id of this.#lives.keys()) if (!has(id)) this.end(id);
  }
}

/**
 * One agent of a crowd: what the crowd does by id, as an object. Made by `crowd.get(id)` and `recorder.get(id)`: what is done through the
 * latter is recorded where recordings know it. It holds no memory of the engine and need not be disposed of.
 *
 * Once its agent was removed, or a restore went back to before it was added, every call throws an `ArgumentError` with status
 * `'NoSuchAgent'`, for good: a handle never passes to another agent, nor to the same one when a later restore brings it back.
 */
export class Agent {
  readonly #life: AgentLife;
  readonly #crowd: Crowd;
  readonly #actions: CrowdActions;

  /** @internal */
  constructor(life: AgentLife, crowd: Crowd, actions: CrowdActions) {
    this.#life = life;
    this.#crowd = crowd;
    this.#actions = actions;
  }

  /** Its id. */
  get id(): number {
    return this.#life.id;
  }

  /** Its crowd. */
  get crowd(): Crowd {
    return this.#crowd;
  }

  /** Whether it is still in the crowd. */
  get alive(): boolean {
    return !this.#life.ended && !this.#crowd.disposed;
  }

  /** The id, of an agent that is there. */
  #present(): number {
    const { id, ended } = this.#life;
    if (!ended) return id;
    throw new ArgumentError(`Agent ${id} is no longer in its crowd.`, {
      status: 'NoSuchAgent',
      field: 'agent',
      index: id,
    });
  }

  /** Everything about it at the present step. For all agents at once `crowd.readAgents` is far quicker. */
  info(): AgentInfo {
    return this.#crowd.agent(this.#present());
  }

  /** Where it is. */
  get position(): Vec3 {
    return this.info().position;
  }

  /** How it moves, units/s. */
  get velocity(): Vec3 {
    return this.info().velocity;
  }

  /** What it is doing. */
  get state(): FollowerState {
    return this.info().state;
  }

  /** Its options as they are now. */
  get options(): AgentOptions {
    return this.#crowd.agentOptions(this.#present());
  }

  /** As `Crowd.corridor`. */
  corridor(maxCorners?: number): Corridor {
    return this.#crowd.corridor(this.#present(), maxCorners);
  }

  /** As `Crowd.debugGeometry`. */
  debugGeometry(): AgentDebugGeometry {
    return this.#crowd.debugGeometry(this.#present());
  }

  /** The off-mesh link it is crossing, or null. */
  crossing(): OffMeshCrossing | null {
    return this.#crowd.crossing(this.#present());
  }

  /** As `Crowd.setDestination`. */
  setDestination(destination: PointLike): void {
    this.#actions.setDestination(this.#present(), destination);
  }

  /** As `Crowd.stop`. */
  stop(): void {
    this.#actions.stop(this.#present());
  }

  /** As `Crowd.teleport`. */
  teleport(position: PointLike): void {
    this.#actions.teleport(this.#present(), position);
  }

  /** Takes it out of the crowd. */
  remove(): void {
    this.#actions.remove(this.#present());
  }

  /** As `Crowd.setVelocity`. Recordings have no operation for it: while it lasts, a recorder's `step` throws. */
  setVelocity(velocity: PointLike): void {
    this.#crowd.setVelocity(this.#present(), velocity);
  }

  /** As `Crowd.setOptions`. Not part of recordings. */
  setOptions(options: Partial<AgentOptions>): void {
    this.#crowd.setOptions(this.#present(), options);
  }

  /** As `Crowd.setPriority`. Not part of recordings. */
  setPriority(priority: number): void {
    this.#crowd.setPriority(this.#present(), priority);
  }

  /** As `Crowd.completeOffMeshLink`. Not part of recordings. */
  completeOffMeshLink(): void {
    this.#crowd.completeOffMeshLink(this.#present());
  }
}
