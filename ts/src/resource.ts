/// <reference lib="esnext.disposable" preserve="true" />
// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// What all engine objects have in common: they live in the engine's memory until they are disposed of.
import { ArgumentError, badArgument } from './errors.js';
import { Native } from './native.js';
import { describe } from './describe.js';

/** What makes the objects of each noun. */
const makers: Readonly<Record<string, string>> = {
  mesh: 'engine.buildNavMesh(input)',
  build: 'engine.createMeshBuild(input)',
  tile: 'build.tile(x, z)',
  cache: 'engine.buildTileCache(input)',
  query: 'engine.createQuery(mesh)',
  crowd: 'engine.createCrowd(mesh)',
  world: 'engine.createWorld()',
  follower: 'engine.createPathFollower(mesh)',
  recorder: 'engine.createRecorder(crowd, { dt })',
  replay: 'engine.openReplay(bytes)',
  player: 'engine.createPlayer(replay)',
};

/**
 * An object in the engine's memory. Memory is given back by `dispose()` (or at the end of a `using` block), never by the
 * garbage collector.
 *
 * Objects may be disposed of in any order: one that others still refer to (the mesh of a crowd, the replay of a player) becomes
 * unusable at once and its memory is freed together with the last of them.
 */
export abstract class Resource {
  readonly #native: Native;
  readonly #handle: number;
  readonly #noun: string;
  readonly #owner: Resource | null;
  readonly #keeper: Resource | null;
  #disposed = false;

  /**
   * @internal What has an owner is read through it and has no handle of its own. What has a keeper is the host's to use like any other, but
   * ends with the keeper.
   */
  protected constructor(
    native: Native,
    handle: number,
    noun: string,
    owner: Resource | null = null,
    keeper: Resource | null = null,
  ) {
    // Types forbid it, but plain JavaScript can call any constructor.
    if (!(native instanceof Native)) {
      throw new ArgumentError(`Use ${makers[noun]} instead of new.`, { status: 'Argument' });
    }
    this.#native = native;
    this.#handle = handle;
    this.#noun = noun;
    this.#owner = owner;
    this.#keeper = keeper;
  }

  /** Whether the object can no longer be used. */
  get disposed(): boolean {
    const holder = this.#owner ?? this.#keeper;
    return holder ? holder.disposed : this.#disposed;
  }

  /**
   * Frees the object. Doing it again does nothing; every other call then throws an `ArgumentError` with status
   * `'StaleHandle'`. A player's own mesh and crowd go with their player, the crowds of a world with their world: disposing of them does
   * nothing.
   */
  dispose(): void {
    if (this.#disposed || this.#owner || this.#keeper) return;
    this.#disposed = true;
    this.#native.exports.crw_handle_dispose(this.#handle);
  }

  /** As `dispose()`. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  /** @internal The engine, for a call of this object's own. */
  get native(): Native {
    return this.#native;
  }

  /** @internal The handle, when the object may still be used. `field` names the object in the error. */
  handle(field: string = this.#noun): number {
    if (!this.disposed) return this.#owner ? this.#owner.handle(field) : this.#handle;
    throw new ArgumentError(`${field} was disposed of.`, { status: 'StaleHandle', field });
  }

  /** @internal Throws when the object belongs to another one and so cannot be changed. */
  assertOwn(): void {
    if (this.#owner) throw badArgument(this.#noun, 'belongs to a player: it can be read, but not changed');
  }
}

/** @internal A resource passed as an argument: of the right class. */
export function instanceOf<T extends Resource>(
  value: unknown,
  kind: { readonly name: string; readonly prototype: T },
  field: string,
): T {
  if (isInstance(value, kind)) return value;
  const held = Object.entries(value ?? {}).find(([, member]) => isInstance(member, kind));
  const hint = held ? `: pass its ${held[0]}` : '';
  throw badArgument(field, `must be a ${kind.name}, not ${describe(value)}${hint}`);
}

/** @internal The handle of a resource passed as an argument: of the right class, the same engine, and not disposed of. */
export function handleOf<T extends Resource>(
  native: Native,
  given: unknown,
  kind: { readonly name: string; readonly prototype: T },
  field: string,
): number {
  const value = instanceOf(given, kind, field);
  if (value.native !== native) throw badArgument(field, 'belongs to another engine');
  return value.handle(field);
}

// The classes' constructors are private, which the type of `instanceof` does not allow for.
function isInstance<T>(value: unknown, kind: { readonly prototype: T }): value is T {
  return (
    typeof value === 'object' && value !== null && Object.prototype.isPrototypeOf.call(kind.prototype as object, value)
  );
}
