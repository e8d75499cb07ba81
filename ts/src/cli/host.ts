// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// The host of `crowdreel record`: spreads agents over a mesh, sends each to places it can reach, sends it on when it has
// arrived, and now and then stops, teleports, removes and adds some. Everything follows from the seed.
import type { Crowd } from '../crowd.js';
import { FollowerState } from '../follower.js';
import type { NavMeshQuery } from '../query.js';
import type { Recorder } from '../recorder.js';
import type { Vec3 } from '../values.js';
import { Random } from './random.js';

/** What became of one agent. */
interface AgentRecord {
  hadGoal: boolean;
  reached: boolean;
}

export interface HostOptions {
  agents: number;
  steps: number;
  seed: bigint;
  /** Radius of every agent. */
  radius: number;
}

/** How the agents fared. */
export interface HostReport {
  /** Agents that were in the crowd at some time. */
  agents: number;
  /** Of those, how many were ever sent to a place they could reach. */
  withGoal: number;
  /** Of those, how many reached one. */
  reached: number;
}

const SPOT_ATTEMPTS = 32;
const GOAL_ATTEMPTS = 16;
// Events end so many seconds before the run does, or half-way through it, so that those they touch have time to arrive.
const LAST_CALM_SECONDS = 20;

export class Host {
  readonly #recorder: Recorder;
  readonly #crowd: Crowd;
  readonly #query: NavMeshQuery;
  readonly #random: Random;
  readonly #options: HostOptions;
  readonly #agents = new Map<number, AgentRecord>();
  /** Agents that were stopped, and the step at which they walk on. */
  readonly #resting = new Map<number, number>();
  readonly #every: number;
  readonly #lastEvent: number;
  readonly #ids: Float64Array;
  readonly #states: Uint8Array;
  readonly #positions: Float64Array;

  constructor(recorder: Recorder, query: NavMeshQuery, options: HostOptions) {
    this.#recorder = recorder;
    this.#crowd = recorder.crowd;
    this.#query = query;
    this.#random = new Random(options.seed);
    this.#options = options;
    this.#every = Math.max(4, Math.min(Math.round(2 / recorder.dt), Math.floor(options.steps / 8)));
    this.#lastEvent = Math.max(options.steps / 2, options.steps - LAST_CALM_SECONDS / recorder.dt);
    this.#ids = new Float64Array(options.agents);
    this.#states = new Uint8Array(options.agents);
    this.#positions = new Float64Array(options.agents * 3);
  }

  /** Puts the agents on the mesh, none on top of another where there is room, and sends them off. */
  populate(): void {
    const taken = new Occupied(this.#options.radius);
    for (let i = 0; i < this.#options.agents; i++) this.#addAgent(taken);
  }

  /** One step of the run. `index` counts from 0. */
  step(index: number): void {
    this.#sendOn(index);
    if (index > 0 && index <= this.#lastEvent) this.#events(index);
    this.#recorder.step();
  }

  report(): HostReport {
    this.#noteArrivals();
    const all = [...this.#agents.values()];
    const withGoal = all.filter((agent) => agent.hadGoal);
    const reached = withGoal.filter((agent) => agent.reached);
    return { agents: all.length, withGoal: withGoal.length, reached: reached.length };
  }

  // --- Goals ------------------------------------------------------------------------------------------------------------

  // Agents that have arrived, found no way, or have rested long enough get a new goal.
  #sendOn(index: number): void {
    for (const id of this.#noteArrivals()) if (!this.#resting.has(id)) this.#send(id);
    for (const [id, until] of this.#resting) {
      if (until > index) continue;
      this.#resting.delete(id);
      this.#send(id);
    }
  }

  /** Marks those who stand at their goal and returns all who are through with theirs. */
  #noteArrivals(): number[] {
    const count = this.#crowd.readAgents({ ids: this.#ids, states: this.#states });
    const through: number[] = [];
    for (let i = 0; i < count; i++) {
      const state = this.#states[i];
      if (state !== FollowerState.Arrived && state !== FollowerState.NoPath && state !== FollowerState.Stuck) continue;
      const id = this.#ids[i]!;
      const agent = this.#agents.get(id)!;
      if (state === FollowerState.Arrived && this.#crowd.agent(id).reachedTarget) agent.reached = true;
      through.push(id);
    }
    return through;
  }

  /** Sends an agent to a random place it can reach. One on an island without any stays where it is. */
  #send(id: number): void {
    const { polygons, position } = this.#crowd.corridor(id, 2);
    const start = polygons[0];
    if (start === undefined) return;
    for (let attempt = 0; attempt < GOAL_ATTEMPTS; attempt++) {
      const goal = this.#query.randomPoint(this.#random.bits());
      if (!goal) return;
      if (this.#query.findPath(start, position, goal.ref, goal.point).outcome !== 'success') continue;
      this.#recorder.setDestination(id, goal.point);
      this.#agents.get(id)!.hadGoal = true;
      return;
    }
  }

  // --- Events -----------------------------------------------------------------------------------------------------------

  #events(index: number): void {
    const phase = index % this.#every;
    const times = Math.ceil(this.#options.agents / 60);
    for (let k = 0; k < times; k++) {
      if (phase === 0) this.#stopOne(index);
      else if (phase === Math.floor(this.#every / 4)) this.#teleportOne();
      else if (phase === Math.floor(this.#every / 2)) this.#replaceOne(index);
    }
  }

  #stopOne(index: number): void {
    const id = this.#pick(() => true);
    this.#recorder.stop(id);
    this.#resting.set(id, index + Math.ceil(this.#every / 2));
  }

  #teleportOne(): void {
    const id = this.#pick(() => true);
    this.#recorder.teleport(id, this.#spot(this.#occupied()));
    this.#send(id);
  }

  // Someone who has been somewhere leaves, and someone new comes. Nobody has to go before, unless
  // it is the last occasion.
  #replaceOne(index: number): void {
    const hasBeenSomewhere = (candidate: number) => this.#agents.get(candidate)!.reached;
    const id = this.#pick(hasBeenSomewhere);
    if (!hasBeenSomewhere(id) && index + this.#every <= this.#lastEvent) return;
    this.#recorder.remove(id);
    this.#resting.delete(id);
    this.#addAgent(this.#occupied());
  }

  /** A random agent, one of the wanted kind where there is one within reach of a few attempts. */
  #pick(wanted: (id: number) => boolean): number {
    const count = this.#crowd.readAgents({ ids: this.#ids });
    const first = this.#random.below(count);
    for (let k = 0; k < count; k++) {
      const id = this.#ids[(first + k) % count]!;
      if (wanted(id)) return id;
    }
    return this.#ids[first]!;
  }

  // --- Places -----------------------------------------------------------------------------------------------------------

  #addAgent(taken: Occupied): void {
    const position = this.#spot(taken);
    const id = this.#recorder.add(position, { radius: this.#options.radius });
    taken.add(position[0], position[2]);
    this.#agents.set(id, { hadGoal: false, reached: false });
    this.#send(id);
  }

  /** A random place, free where one can be found in a few attempts. */
  #spot(taken: Occupied): Vec3 {
    let point: Vec3 = [0, 0, 0];
    for (let attempt = 0; attempt < SPOT_ATTEMPTS; attempt++) {
      const found = this.#query.randomPoint(this.#random.bits());
      if (!found) break;
      point = found.point;
      if (!taken.isTaken(point[0], point[2])) break;
    }
    return point;
  }

  #occupied(): Occupied {
    const taken = new Occupied(this.#options.radius);
    const count = this.#crowd.readAgents({ positions: this.#positions });
    for (let i = 0; i < count; i++) taken.add(this.#positions[i * 3]!, this.#positions[i * 3 + 2]!);
    return taken;
  }
}

/** Where agents stand, in a grid of cells one diameter wide. */
class Occupied {
  readonly #distance: number;
  readonly #cells = new Map<string, number[]>();

  constructor(radius: number) {
    this.#distance = radius * 2;
  }

  add(x: number, z: number): void {
    const key = this.#key(x, z, 0, 0);
    const cell = this.#cells.get(key);
    if (cell) cell.push(x, z);
    else this.#cells.set(key, [x, z]);
  }

  isTaken(x: number, z: number): boolean {
    for (let dx = -1; dx <= 1; dx++) {
      for (let dz = -1; dz <= 1; dz++) {
        if (this.#touches(this.#cells.get(this.#key(x, z, dx, dz)), x, z)) return true;
      }
    }
    return false;
  }

  #touches(cell: readonly number[] | undefined, x: number, z: number): boolean {
    if (!cell) return false;
    for (let i = 0; i < cell.length; i += 2) {
      const [dx, dz] = [cell[i]! - x, cell[i + 1]! - z];
      if (dx * dx + dz * dz < this.#distance * this.#distance) return true;
    }
    return false;
  }

  #key(x: number, z: number, dx: number, dz: number): string {
    return `${Math.floor(x / this.#distance) + dx},${Math.floor(z / this.#distance) + dz}`;
  }
}
