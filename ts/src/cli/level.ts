// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The crowdreel authors
//
// Levels: geometry to build a mesh of, and meshes that are ready.
import type { BuildInput } from '../build.js';
import type { Engine } from '../engine.js';
import { CrowdreelError } from '../errors.js';
import type { NavMesh } from '../nav-mesh.js';
import { parseObj } from '../obj.js';
import { buildSettings, type BuildSettings } from '../options.js';
import { kindOf, magicOf } from '../formats.js';
import { FileError, inFile, inFileAsync, isReferenced, readFile } from './files.js';
import { flagOf } from './settings.js';
import { inPieces } from './stop.js';

/** Geometry and the settings to build it with. */
export interface Level {
  input: BuildInput;
  settings: BuildSettings;
}

/**
 * A level from an OBJ file or a build input file. Settings given on the command line count before those of the file, which has all of them; without
 * a file of settings the rest are defaults that follow what was given.
 */
export function readLevel(engine: Engine, path: string, given: Partial<BuildSettings>): Level {
  return levelOf(engine, path, readFile(path), given);
}

function levelOf(engine: Engine, path: string, bytes: Uint8Array, given: Partial<BuildSettings>): Level {
  if (magicOf(bytes) === 'OPBI') {
    const { settings, ...input } = inFile(path, () => engine.readBuildInput(bytes));
    return { input, settings: { ...settings, ...given } };
  }
  const kind = kindOf(bytes);
  if (kind) throw wrongKind(path, `It is ${kind}, not a level: build reads .obj and .opbi.`);
  return { input: inFile(path, () => geometryOf(bytes)), settings: buildSettings(given) };
}

function geometryOf(bytes: Uint8Array): BuildInput {
  const geometry = parseObj(new TextDecoder().decode(bytes));
  if (geometry.indices.length > 0) return geometry;
  throw new CrowdreelError('It has no faces: it is not an OBJ file with a level in it.', {
    status: 'BadMagic',
    field: 'faces',
  });
}

/** The failure that a file is of another kind than is needed. */
export function wrongKind(path: string, problem: string): FileError {
  return new FileError(path, new CrowdreelError(problem, { status: 'BadMagic', field: 'magic', offset: 0 }));
}

/** A mesh from a level, which is built; from a tile cache, with its obstacles; or a saved one, which is loaded. */
export async function meshFromLevel(engine: Engine, path: string, given: Partial<BuildSettings>): Promise<NavMesh> {
  const bytes = readFile(path);
  const kind = magicOf(bytes);
  if (kind === 'CRNM' || kind === 'CRTC') refuseSettings(path, kindOf(bytes) as string, given);
  switch (kind) {
    case 'CRNM':
      return inFile(path, () => loadMesh(engine, bytes));
    case 'CRTC':
      return inFile(path, () => meshFromCache(engine, bytes));
    case 'OPRP':
    case 'OPRS':
      throw wrongKind(path, `It is ${kindOf(bytes)}, not a level: record reads .obj, .opbi, .crnm and .crtc.`);
    default: {
      const { input, settings } = levelOf(engine, path, bytes, given);
      return (await inFileAsync(path, () => inPieces(engine.buildInPieces(input, settings, false)))).mesh;
    }
  }
}

function refuseSettings(path: string, kind: string, given: Partial<BuildSettings>): void {
  const [name] = Object.keys(given) as (keyof BuildSettings)[];
  if (name === undefined) return;
  const problem = `It is ${kind}, built already: ${flagOf(name)} cannot change it.`;
  throw new FileError(path, new CrowdreelError(problem, { status: 'Argument', field: `settings.${name}` }));
}

function loadMesh(engine: Engine, bytes: Uint8Array): NavMesh {
  if (!isReferenced(bytes)) return engine.loadNavMesh(bytes);
  const { length } = engine.snapshotTiles(bytes);
  throw new CrowdreelError(`It is a referenced snapshot: the bytes of its ${length} tiles are elsewhere.`, {
    status: 'NotFound',
    field: 'mesh.tiles',
  });
}

function meshFromCache(engine: Engine, bytes: Uint8Array): NavMesh {
  using cache = engine.loadTileCache(bytes);
  const mesh = engine.createNavMesh(cache.params);
  cache.touchAll();
  cache.update(mesh);
  return mesh;
}
