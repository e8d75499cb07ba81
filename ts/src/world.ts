// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Worlds: crowds of several agent sizes that avoid each other.
import { Crowd } from './crowd.js';
import { placeCrowd, type CrowdSetup, type Threads } from './crowd-setup.js';
import type { Native } from './native.js';
import type { NavMeshView } from './nav-mesh.js';
import { Resource } from './resource.js';
import { finite } from './values.js';

/**
 * Crowds of several classes of agents, for example small and large ones, each on the mesh built for its size. They take their steps
 * together and avoid each other. Made by `Engine.createWorld`.
 *
 * Its crowds are used like any other, but take no steps of their own, cannot be recorded, and end with their world. Their states
 * are saved, restored and hashed one by one, in the order of `crowds`.
 */
export class World extends Resource {
  readonly #engine: Threads;
  readonly #crowds: Crowd[] = [];

  private constructor(native: Native, engine: Threads, handle: number) {
    super(native, handle, 'world');
    this.#engine = engine;
  }

  /** @internal */
  static create(native: Native, engine: Threads): World {
    return new World(native, engine, native.call(native.exports.crw_world_create()));
  }

  /** Its crowds, in the order they were made: that of their steps, and of ties between their agents. */
  get crowds(): readonly Crowd[] {
    return [...this.#crowds];
  }

  /**
   * Adds the crowd of one more class of agents, empty, at any time between steps. Classes may share a mesh. Throws as `Engine.createCrowd`, and
   * `CrowdreelError` with status `'Full'` when there are 64.
   */
  createCrowd(mesh: NavMeshView, options?: CrowdSetup): Crowd {
    const { native } = this;
    const handle = this.handle();
    const { meshAt, optionsAt, filterAt, explain } = placeCrowd(native, this.#engine, mesh, options);
    const result = native.exports.crw_world_add_crowd(handle, meshAt, optionsAt, filterAt);
    const crowdHandle = native.call(result, {}, explain);
    const crowd = Crowd.wrap(native, crowdHandle, mesh, filterAt !== 0, null, this);
    this.#crowds.push(crowd);
    return crowd;
  }

  /** One step of `dt` seconds of all crowds, above 0 and at most 3600. Throws `ArgumentError`. */
  step(dt: number): void {
    this.native.given.set('', { dt });
    this.native.call(this.native.exports.crw_world_step(this.handle(), finite(dt, 'dt')));
  }
}
